/* How many states are held, and how many are said to be. */
#include "theorems/loglinear/partition/partition.h"

enum { POSITIONS = 1 << 20 };

/* ceil(log2 x) for x >= 1 */
static slong ceil_log2(ulong x) {
    return fenwick_bit_length(x - 1);
}

/* floor(log2 x) for x >= 1 */
static slong floor_log2(ulong x) {
    return fenwick_bit_length(x) - 1;
}

/* Number of different levels among the sources 0 .. t: the definition. */
static slong count_levels(ulong t) {
    uint64_t seen[2] = {0, 0};
    slong n = 0;
    for (ulong s = 0; s <= t; s++) {
        slong level = fenwick_level(t, s);
        if ((seen[level / 64] >> (level % 64) & 1) == 0) {
            seen[level / 64] |= UINT64_C(1) << (level % 64);
            n++;
        }
    }
    return n;
}

/* popcount(t) + 1 <= floor(log2(t+1)) + 1 + more for t < 2^20, with equality at t+1 = 2^k; and
   popcount(t) + 1 is the number of levels that occur, for t < 2^11 counted source by source. */
void partition_check_live(check_context *ctx, const void *parameter) {
    const partition_parameter *p = parameter;
    enum { COUNTED = 2048 };
    slong above = 0, equal_wrong = 0, count_right = 0;
    for (ulong t = 0; t < POSITIONS; t++) {
        slong bound = floor_log2(t + 1) + 1 + p->more, live = fenwick_live(t);
        above += live > bound;
        equal_wrong += (t & (t + 1)) == 0 && live != bound;
        if (t < COUNTED)
            count_right += live == count_levels(t);
    }
    claim_decide_si(ctx, "positions with more than floor(log2(t+1)) + 1 levels", above, RELATION_EQ,
                    0);
    claim_decide_si(ctx, "positions t = 2^p - 1 without equality", equal_wrong, RELATION_EQ, 0);
    claim_decide_si(ctx, "positions t < 2^11 where popcount(t) + 1 is the number of levels",
                    count_right, RELATION_EQ, COUNTED);
}

static slong published_bound(const partition_parameter *p, ulong t) {
    return ceil_log2(t + (ulong)p->successor) + 1;
}

/* The number of levels, counted source by source, against ceil(log2 t) + 1 (the control: of
   t+1). */
void partition_check_published(check_context *ctx, const void *parameter) {
    const partition_parameter *p = parameter;
    for (ulong t = 1; t <= 64; t++) {
        slong levels = count_levels(t), bound = published_bound(p, t);
        truth holds =
            claim_decide_si(ctx, "levels <= ceil(log2 t) + 1", levels, RELATION_LE, bound);
        if (holds != TRUTH_FAILS)
            continue;
        enclosure_t lhs, rhs;
        fmpz_t position;
        enclosure_init(lhs);
        enclosure_init(rhs);
        fmpz_init_set_ui(position, t);
        enclosure_set_integer(lhs, levels);
        enclosure_set_integer(rhs, bound);
        witness_struct *w =
            claim_witness(ctx, "loglinear.partition.states", "loglinear-live-states");
        witness_add_integer(w, "position", position);
        witness_conclude(w, lhs, RELATION_GT, rhs, 64);
        enclosure_clear(lhs);
        enclosure_clear(rhs);
        fmpz_clear(position);
    }
}

/* ceil(log2 t) + 1 + more is exceeded at t = 1 and at no other t < 2^20. */
void partition_check_exception(check_context *ctx, const void *parameter) {
    const partition_parameter *p = parameter;
    slong others = 0;
    for (ulong t = 2; t < POSITIONS; t++)
        others += fenwick_live(t) > ceil_log2(t) + 1 + p->more;
    claim_decide_si(ctx, "levels at t = 1 minus ceil(log2 1) + 1", fenwick_live(1) - 1, RELATION_EQ,
                    1);
    claim_decide_si(ctx, "other positions that exceed it", others, RELATION_EQ, 0);
}

/* Highest level up to position T-1, found level by level, against ceil(log2 T) + more; and one
   column too few at every power of two if t is put for T. */
void partition_check_slots(check_context *ctx, const void *parameter) {
    const partition_parameter *p = parameter;
    slong wrong = 0, few_wrong = 0, highest = 0;
    for (ulong tokens = 1; tokens <= POSITIONS; tokens++) {
        ulong t = tokens - 1, first, count;
        for (slong l = 20; l > highest; l--)
            if (fenwick_interval(&first, &count, t, l))
                highest = l;
        wrong += highest + 1 != ceil_log2(tokens) + 1 + p->more;
        wrong += fenwick_slots(tokens) != highest + 1;
        if (t >= 1)
            few_wrong += (highest + 1 > ceil_log2(t) + 1) != ((t & (t - 1)) == 0);
    }
    claim_decide_si(ctx, "T <= 2^20 whose columns are not ceil(log2 T) + 1", wrong, RELATION_EQ, 0);
    claim_decide_si(ctx, "positions where ceil(log2 t) + 1 columns are too few, against t = 2^k",
                    few_wrong, RELATION_EQ, 0);
}

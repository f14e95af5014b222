/* The sets themselves: pair by pair, interval by interval, by hand, and online. */
#include "theorems/loglinear/partition/partition.h"

enum { PAIRS = 1 << 11, POSITIONS = 1 << 20, DRAWN = 64 };

/* The level of each pair s <= t < 2^11 by its definition against the intervals; shift: levels of
   t+shift. */
void partition_check_pairs(check_context *ctx, const void *parameter) {
    const partition_parameter *p = parameter;
    slong wrong = 0, pairs = 0;
    for (ulong t = 0; t < PAIRS; t++)
        for (ulong s = 0; s <= t; s++) {
            /* the definition, bit by bit: the highest place where t and s differ */
            slong level = 0;
            for (slong b = 0; b < 13; b++)
                if (((t + p->shift) >> b & 1) != (s >> b & 1))
                    level = b + 1;
            slong holders = 0, holder = -1;
            for (slong l = 0; l <= 11; l++) {
                ulong first, count;
                fenwick_interval(&first, &count, t, l);
                if (s >= first && s - first < count) {
                    holders++;
                    holder = l;
                }
            }
            wrong += holders != 1 || holder != level;
            pairs++;
        }
    claim_decide_si(ctx, "pairs whose level is not that of the one interval they lie in", wrong,
                    RELATION_EQ, 0);
    claim_decide_si(ctx, "pairs looked at", pairs, RELATION_EQ, (slong)PAIRS * (PAIRS + 1) / 2);
}

/* For every t < 2^20 the intervals, from the highest level down, tile [0,t] without gap or overlap,
   and both ends of each have the level that the interval stands for. */
void partition_check_intervals(check_context *ctx, const void *parameter) {
    const partition_parameter *p = parameter;
    slong wrong = 0;
    for (ulong t = 0; t < POSITIONS; t++) {
        ulong next = 0;
        for (slong l = fenwick_bit_length(t); l >= 0; l--) {
            ulong first, count;
            if (!fenwick_interval(&first, &count, t, l))
                continue;
            ulong last = first + count - 1;
            wrong += first != next || fenwick_level(t + p->shift, first) != l ||
                     fenwick_level(t + p->shift, last) != l;
            next = first + count;
        }
        wrong += next != t + 1;
    }
    claim_decide_si(ctx, "intervals that do not tile [0,t], or whose ends have another level",
                    wrong, RELATION_EQ, 0);
}

/* Levels of the sources 0 .. t, written by hand. */
static const struct {
    ulong t;
    const char *levels;
} by_hand[] = {{0, "0"},
               {1, "10"},
               {2, "220"},
               {3, "2210"},
               {4, "33330"},
               {5, "333310"},
               {6, "3333220"},
               {7, "33332210"},
               {8, "444444440"},
               {9, "4444444410"},
               {15, "4444444433332210"},
               {16, "55555555555555550"},
               {17, "555555555555555510"}};

static series *drawn_levels(void) {
    static const char *const columns[] = {"position", "tokens", "lag", "tokens", "level", "1"};
    series *s = series_new("loglinear-levels", "Level of each lag at each position", 3, columns);
    for (ulong t = 0; t < DRAWN; t++)
        for (ulong lag = 0; lag <= t; lag++) {
            enclosure_struct *cell = series_append(s);
            enclosure_set_integer(cell, (slong)t);
            enclosure_set_integer(cell + 1, (slong)lag);
            enclosure_set_integer(cell + 2, fenwick_level(t, t - lag));
        }
    return s;
}

/* t = 0 .. 9, 15, 16, 17 by hand; live levels at 2^k-1, 2^k, 2^k+1 for k = 2 .. 62. */
void partition_check_table(check_context *ctx, const void *parameter) {
    const partition_parameter *p = parameter;
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++)
        for (ulong s = 0; by_hand[i].levels[s] != '\0'; s++)
            claim_decide_si(ctx, "level(t,s), by hand", fenwick_level(by_hand[i].t + p->shift, s),
                            RELATION_EQ, by_hand[i].levels[s] - '0');
    for (slong k = 2; k <= 62; k++) {
        ulong t = UWORD(1) << k;
        claim_decide_si(ctx, "live levels at 2^k - 1", fenwick_live(t - 1 + p->shift), RELATION_EQ,
                        k + 1);
        claim_decide_si(ctx, "live levels at 2^k", fenwick_live(t + p->shift), RELATION_EQ, 2);
        claim_decide_si(ctx, "live levels at 2^k + 1", fenwick_live(t + 1 + p->shift), RELATION_EQ,
                        3);
    }
    claim_table(ctx, drawn_levels());
}

/* The counter against the intervals after each of 2^20 steps, and its merges against T -
   popcount(T); more: added to the merges that are claimed. */
void partition_check_counter(check_context *ctx, const void *parameter) {
    const partition_parameter *p = parameter;
    fenwick_counter c;
    slong wrong = 0, merges_wrong = 0;
    fenwick_counter_start(&c);
    for (ulong t = 0; t < POSITIONS; t++) {
        ulong before = c.merges;
        fenwick_counter_step(&c); /* t -> t+1 */
        wrong += (slong)(c.merges - before) != fenwick_merges(t);
        wrong += c.live != fenwick_live(t + 1);
        for (slong l = 0; l <= fenwick_bit_length(t + 1); l++) {
            ulong first, count;
            int any = fenwick_interval(&first, &count, t + 1, l);
            wrong += c.count[l] != count || (any && c.first[l] != first);
        }
        /* merges so far: (t+1) - popcount(t+1) */
        merges_wrong += (slong)c.merges != (slong)(t + 1) - (fenwick_live(t + 1) - 1) + p->more;
    }
    claim_decide_si(ctx, "states of the counter that differ from the intervals", wrong, RELATION_EQ,
                    0);
    claim_decide_si(ctx, "steps T after which merges differ from T - popcount(T)", merges_wrong,
                    RELATION_EQ, 0);
    claim_decide_si(ctx, "merges up to T = 2^20 < T", (slong)c.merges, RELATION_LT, POSITIONS);
}

/* Replay of the witnesses on orders and keys: chains of banks, ratios of softmax weights. */
#include "numerics/exact/replay_orders.h"

#include <math.h>

static replay_status bad(const char **reason, const char *text) {
    *reason = text;
    return REPLAY_BAD_INPUT;
}

static replay_status decide(const enclosure_t computed, const witness_t w, slong prec) {
    arf_t margin;
    arf_init(margin);
    truth t = enclosure_compare(margin, computed, w->rel, w->rhs, prec);
    arf_clear(margin);
    return t == TRUTH_HOLDS ? REPLAY_HOLDS : t == TRUTH_FAILS ? REPLAY_FAILS : REPLAY_UNDECIDED;
}

/* Bits of the longest numerator or denominator among the values. */
static double longest(const witness_input *in) {
    double bits = 1;
    for (slong i = 0; i < in->count; i++) {
        bits = fmax(bits, (double)fmpz_bits(fmpq_numref(in->value + i)));
        bits = fmax(bits, (double)fmpz_bits(fmpq_denref(in->value + i)));
    }
    return bits;
}

/* ---- banks ---- */

void banks_witness(witness_t w, const char *id, banks_norm norm, const fmpz_t horizon,
                   const fmpq *chain, slong count, relation rel, const fmpq_t tau) {
    arb_t d, extreme;
    fmpz_t n;
    enclosure_t lhs, rhs;
    arb_init(d);
    arb_init(extreme);
    fmpz_init_set_si(n, (slong)norm);
    enclosure_init(lhs);
    enclosure_init(rhs);
    for (slong i = 0; i + 1 < count; i++) {
        banks_distance(d, NULL, norm, chain + i, chain + i + 1, horizon, 128);
        if (i == 0)
            arb_set(extreme, d);
        else if (rel == RELATION_GT)
            arb_min(extreme, extreme, d, 128);
        else
            arb_max(extreme, extreme, d, 128);
    }
    witness_init(w, id, "bank-chain");
    witness_add(w, "orders", chain, count);
    witness_add_integer(w, "horizon", horizon);
    witness_add_integer(w, "norm", n);
    enclosure_set_ball(lhs, extreme);
    enclosure_set_rational(rhs, tau);
    witness_conclude(w, lhs, rel, rhs, 128);
    arb_clear(d);
    arb_clear(extreme);
    fmpz_clear(n);
    enclosure_clear(lhs);
    enclosure_clear(rhs);
}

replay_status replay_bank_chain(enclosure_t computed, const char **reason, const witness_t w) {
    const witness_input *chain = witness_find(w, "orders");
    const witness_input *horizon = witness_find(w, "horizon"), *norm = witness_find(w, "norm");
    if (chain == NULL || chain->count < 2)
        return bad(reason, "needs \"orders\", two or more");
    for (slong i = 0; i < chain->count; i++)
        if (fmpq_sgn(chain->value + i) <= 0 || fmpq_cmp_si(chain->value + i, 1) > 0 ||
            (i > 0 && fmpq_cmp(chain->value + i - 1, chain->value + i) >= 0))
            return bad(reason, "needs \"orders\" that increase in (0,1]");
    if (norm == NULL || norm->count != 1 || !fmpz_is_one(fmpq_denref(norm->value)) ||
        fmpq_sgn(norm->value) < 0 || fmpq_cmp_si(norm->value, 2) > 0)
        return bad(reason, "needs \"norm\" 0 (sup), 1 (l1) or 2 (l2)");
    if (horizon == NULL || horizon->count != 1 || !fmpz_is_one(fmpq_denref(horizon->value)) ||
        fmpq_sgn(horizon->value) <= 0 || fmpq_cmp_si(horizon->value, 1000000000000000000) > 0)
        return bad(reason, "needs a whole number \"horizon\" from 1 to 1e18");
    banks_norm kind = (banks_norm)fmpz_get_si(fmpq_numref(norm->value));
    const fmpz *t = fmpq_numref(horizon->value);
    if (longest(chain) > 4096 || (double)chain->count > 3e5 ||
        (kind == BANKS_L2 && (double)chain->count * fmpz_get_d(t) > 4e8))
        return bad(reason, "needs shorter or fewer \"orders\", or a smaller \"horizon\"");
    int least = w->rel == RELATION_GT || w->rel == RELATION_GE;
    replay_status result = REPLAY_UNDECIDED;
    arb_t d, extreme;
    arb_init(d);
    arb_init(extreme);
    for (slong prec = FLINT_MIN(FLINT_MAX(w->min_precision, 64), 512), last = 4 * prec;
         result == REPLAY_UNDECIDED && prec <= last; prec *= 2) {
        for (slong i = 0; i + 1 < chain->count; i++) {
            banks_distance(d, NULL, kind, chain->value + i, chain->value + i + 1, t, prec);
            if (i == 0)
                arb_set(extreme, d);
            else if (least)
                arb_min(extreme, extreme, d, prec);
            else
                arb_max(extreme, extreme, d, prec);
        }
        enclosure_set_ball(computed, extreme);
        result = decide(computed, w, prec);
    }
    arb_clear(d);
    arb_clear(extreme);
    return result;
}

replay_status replay_softmax_ratio(enclosure_t computed, const char **reason, const witness_t w) {
    const witness_input *q = witness_find(w, "query"), *a = witness_find(w, "near"),
                        *b = witness_find(w, "far");
    if (q == NULL || a == NULL || b == NULL || q->count != a->count || q->count != b->count ||
        q->count > 4096)
        return bad(reason, "needs \"query\", \"near\" and \"far\" of one length, at most 4096");
    if (fmax(longest(q), fmax(longest(a), longest(b))) > 4096)
        return bad(reason, "needs numbers of at most 4096 bits");
    fmpq_t score, difference;
    fmpq_init(score);
    fmpq_init(difference);
    for (slong i = 0; i < q->count; i++) {
        fmpq_sub(difference, b->value + i, a->value + i);
        fmpq_addmul(score, q->value + i, difference);
    }
    replay_status result;
    if (fmpq_is_zero(score)) {
        enclosure_set_integer(computed, 1);
        result = decide(computed, w, 64);
    } else {
        arb_t ball;
        slong prec = FLINT_MIN(FLINT_MAX(w->min_precision, 64), 4096);
        arb_init(ball);
        arb_set_fmpq(ball, score, prec);
        arb_exp(ball, ball, prec);
        enclosure_set_ball(computed, ball);
        result = decide(computed, w, prec);
        arb_clear(ball);
    }
    fmpq_clear(score);
    fmpq_clear(difference);
    return result;
}

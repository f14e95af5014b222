/* Replay of witnesses: from the inputs to the left side of the inequality. */
#include "numerics/exact/fenwick.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/hankel.h"
#include "numerics/exact/number.h"
#include "numerics/exact/replay_orders.h"
#include "numerics/exact/replay_vla.h"
#include "numerics/exact/soe_minimax.h"
#include "numerics/exact/vla_witness.h"
#include "numerics/exact/witness.h"

#include <math.h>
#include <string.h>

/* Sizes above which a replay is refused: a witness is checked in seconds or not at all. */
#define MAX_INDEX 100000
#define MAX_SIZE 64

static const fmpq *scalar(const witness_t w, const char *name) {
    const witness_input *in = witness_find(w, name);
    return in != NULL && in->count == 1 ? in->value : NULL;
}

/* n := the input of that name, a whole number in 0..most; 1 on success. */
static int whole(slong *n, const witness_t w, const char *name, slong most) {
    const fmpq *q = scalar(w, name);
    if (q == NULL || !fmpz_is_one(fmpq_denref(q)) || fmpq_sgn(q) < 0 ||
        fmpz_cmp_si(fmpq_numref(q), most) > 0)
        return 0;
    *n = fmpz_get_si(fmpq_numref(q));
    return 1;
}

/* Bits of the longest numerator or denominator among the values. */
static double longest(const witness_input *in) {
    double bits = 1;
    for (slong i = 0; in != NULL && i < in->count; i++) {
        bits = fmax(bits, (double)fmpz_bits(fmpq_numref(in->value + i)));
        bits = fmax(bits, (double)fmpz_bits(fmpq_denref(in->value + i)));
    }
    return bits;
}

/* A replay whose exact numbers would grow beyond this many bits is refused. */
#define MAX_WORK 4e7

static replay_status bad(const char **reason, const char *text) {
    *reason = text;
    return REPLAY_BAD_INPUT;
}

static replay_status decide(enclosure_t computed, const witness_t w, slong prec) {
    arf_t margin;
    arf_init(margin);
    truth t = enclosure_compare(margin, computed, w->rel, w->rhs, prec);
    arf_clear(margin);
    return t == TRUTH_HOLDS ? REPLAY_HOLDS : t == TRUTH_FAILS ? REPLAY_FAILS : REPLAY_UNDECIDED;
}

static replay_status replay_weight(enclosure_t computed, const char **reason, const witness_t w) {
    slong j;
    const fmpq *alpha = scalar(w, "alpha");
    if (alpha == NULL)
        return bad(reason, "needs one rational \"alpha\"");
    if (!whole(&j, w, "j", MAX_INDEX))
        return bad(reason, "needs a whole number \"j\" from 0 to 100000");
    if (longest(witness_find(w, "alpha")) * (double)(j + 1) > MAX_WORK)
        return bad(reason, "needs an \"alpha\" with fewer digits for this \"j\"");
    fmpq_t q;
    fmpq_init(q);
    exact_gl_rational(q, alpha, (ulong)j);
    enclosure_set_rational(computed, q);
    fmpq_clear(q);
    return decide(computed, w, 64);
}

static replay_status replay_hankel(enclosure_t computed, const char **reason, const witness_t w) {
    slong n;
    const fmpq *alpha = scalar(w, "alpha");
    if (alpha == NULL)
        return bad(reason, "needs one rational \"alpha\"");
    if (!whole(&n, w, "size", MAX_SIZE) || n < 1)
        return bad(reason, "needs a whole number \"size\" from 1 to 64");
    if (longest(witness_find(w, "alpha")) * (double)(n * n * n) > MAX_WORK)
        return bad(reason, "needs an \"alpha\" with fewer digits for this \"size\"");
    fmpq *moment = _fmpq_vec_init(2 * n), *det = _fmpq_vec_init(n);
    exact_gl_rational_vec(moment, alpha, 2 * n - 1);
    exact_hankel_minors(det, moment, n);
    enclosure_set_rational(computed, det + n - 1);
    _fmpq_vec_clear(moment, 2 * n);
    _fmpq_vec_clear(det, n);
    return decide(computed, w, 64);
}

static replay_status replay_error_at(enclosure_t computed, const char **reason, const witness_t w) {
    slong j;
    const fmpq *alpha = scalar(w, "alpha");
    const witness_input *c = witness_find(w, "weights"), *x = witness_find(w, "nodes");
    if (alpha == NULL)
        return bad(reason, "needs one rational \"alpha\"");
    if (!whole(&j, w, "j", 4096))
        return bad(reason, "needs a whole number \"j\" from 0 to 4096");
    if (c == NULL || x == NULL || c->count != x->count)
        return bad(reason, "needs \"weights\" and \"nodes\" of one length");
    if ((longest(x) * (double)j + longest(c)) * (double)c->count > MAX_WORK ||
        longest(witness_find(w, "alpha")) * (double)(j + 1) > MAX_WORK)
        return bad(reason, "needs numbers with fewer digits for this \"j\" and so many terms");
    fmpq_t e, power;
    fmpq_init(e);
    fmpq_init(power);
    exact_gl_rational(e, alpha, (ulong)j);
    for (slong s = 0; s < c->count; s++) {
        fmpq_pow_si(power, x->value + s, j);
        fmpq_submul(e, c->value + s, power);
    }
    fmpq_abs(e, e);
    enclosure_set_rational(computed, e);
    fmpq_clear(e);
    fmpq_clear(power);
    return decide(computed, w, 64);
}

/* kernel, sum, error := the inputs that both kinds of sums share; 0 with a reason if they are bad. */
static int read_sum(soe_kernel_t kernel, soe_sum_t sum, soe_error *error, const char **reason,
                    const witness_t w) {
    const fmpq *alpha = scalar(w, "alpha"), *beta = scalar(w, "beta");
    const witness_input *c = witness_find(w, "weights"), *r = witness_find(w, "rates");
    slong relative;
    if ((alpha == NULL) == (beta == NULL))
        *reason = "needs one rational \"alpha\" (weights) or \"beta\" (power)";
    else if (fmpq_sgn(alpha ? alpha : beta) <= 0 || (alpha && fmpq_cmp_si(alpha, 1) > 0) ||
             (beta && fmpq_cmp_si(beta, 64) > 0))
        *reason = "needs 0 < alpha <= 1, or 0 < beta <= 64";
    else if (longest(witness_find(w, alpha ? "alpha" : "beta")) > 4096)
        *reason = "needs an order of at most 4096 bits";
    else if (!whole(&relative, w, "relative", 1))
        *reason = "needs \"relative\" 0 or 1";
    else if (c == NULL || r == NULL || c->count != r->count || c->count > SOE_MAX_TERMS)
        *reason = "needs \"weights\" and \"rates\" of one length, at most 400";
    for (slong s = 0; *reason == NULL && s < r->count; s++)
        if (fmpq_sgn(r->value + s) < 0)
            *reason = "needs \"rates\" >= 0";
    if (*reason != NULL)
        return 0;
    *error = relative ? SOE_RELATIVE : SOE_ABSOLUTE;
    soe_kernel_init(kernel, alpha ? SOE_KERNEL_GL : SOE_KERNEL_POWER, alpha ? alpha : beta);
    soe_sum_init(sum, c->count, SOE_RATE);
    for (slong s = 0; s < c->count; s++) {
        fmpq_set(sum->weight + s, c->value + s);
        fmpq_set(sum->mode + s, r->value + s);
    }
    return 1;
}

static replay_status replay_sup(enclosure_t computed, const char **reason, const witness_t w) {
    const fmpq *horizon = scalar(w, "horizon");
    soe_kernel_t kernel;
    soe_sum_t sum;
    soe_error error;
    soe_bound_t bound;
    if (horizon == NULL || !fmpz_is_one(fmpq_denref(horizon)))
        return bad(reason, "needs a whole number \"horizon\"");
    if (!read_sum(kernel, sum, &error, reason, w))
        return REPLAY_BAD_INPUT;
    soe_bound_init(bound);
    soe_status status =
        soe_certify(bound, kernel, sum, fmpq_numref(horizon), error, 0, 1e-3, w->min_precision);
    replay_status result;
    if (status == SOE_BAD_ARGUMENT) {
        result = bad(reason, "needs 1 <= horizon <= 10^18 and rates >= 0");
    } else {
        arb_t ball;
        arb_init(ball);
        arb_set_interval_arf(ball, bound->lower, bound->upper, 128);
        enclosure_set_ball(computed, ball);
        arb_clear(ball);
        /* "<= u" is about the upper end, which was rounded up once and compares exactly */
        if (w->rel == RELATION_LE || w->rel == RELATION_LT) {
            enclosure_t top;
            enclosure_init(top);
            arb_init(ball);
            arb_set_arf(ball, bound->upper);
            enclosure_set_ball(top, ball);
            result = decide(top, w, 4096);
            if (result == REPLAY_FAILS) /* the upper end is above: that alone refutes nothing */
                result = decide(computed, w, 128);
            arb_clear(ball);
            enclosure_clear(top);
        } else {
            result = decide(computed, w, 128);
        }
    }
    soe_kernel_clear(kernel);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    return result;
}

static replay_status replay_alternation(enclosure_t computed, const char **reason,
                                        const witness_t w) {
    const witness_input *points = witness_find(w, "points");
    soe_kernel_t kernel;
    soe_sum_t sum;
    soe_error error;
    if (points == NULL || points->count > 2 * SOE_MAX_TERMS + 1)
        return bad(reason, "needs \"points\", at most 801");
    if (!read_sum(kernel, sum, &error, reason, w))
        return REPLAY_BAD_INPUT;
    arf_struct *point = flint_malloc((size_t)(points->count + 1) * sizeof *point);
    arf_t lower;
    fmpq_t q;
    arf_init(lower);
    fmpq_init(q);
    for (slong i = 0; i < points->count; i++) {
        arf_init(point + i);
        arf_fmpz_div_fmpz(point + i, fmpq_numref(points->value + i), fmpq_denref(points->value + i),
                          256, ARF_RND_NEAR);
        exact_rational_from_arf(q, point + i);
        if (!fmpq_equal(q, points->value + i) && *reason == NULL)
            *reason = "needs \"points\" that are dyadic numbers";
        if (*reason == NULL &&
            (arf_sgn(point + i) <= 0 || (i > 0 && arf_cmp(point + i - 1, point + i) >= 0)))
            *reason = "needs \"points\" that are positive and increase";
        if (*reason == NULL && kernel->kind == SOE_KERNEL_GL && !arf_is_int(point + i))
            *reason = "needs \"points\" that are whole numbers";
    }
    replay_status result = REPLAY_BAD_INPUT;
    if (*reason == NULL && points->count < 2 * sum->terms + 1)
        *reason = "needs at least 2S+1 points for S terms: with fewer, alternation proves nothing";
    if (*reason == NULL) {
        soe_alternation_lower(lower, kernel, sum, point, points->count, error,
                              FLINT_MIN(FLINT_MAX(w->min_precision, 128), 8192));
        exact_rational_from_arf(q, lower);
        enclosure_set_rational(computed, q);
        result = decide(computed, w, 64);
    }
    for (slong i = 0; i < points->count; i++)
        arf_clear(point + i);
    flint_free(point);
    arf_clear(lower);
    fmpq_clear(q);
    soe_kernel_clear(kernel);
    soe_sum_clear(sum);
    return result;
}

/* Levels counted source by source. */
static replay_status replay_live_states(enclosure_t computed, const char **reason,
                                        const witness_t w) {
    slong t, levels = 0;
    char seen[FENWICK_LEVELS] = {0};
    if (!whole(&t, w, "position", 10 * MAX_INDEX))
        return bad(reason, "needs a whole number \"position\" from 0 to 1000000");
    for (slong s = 0; s <= t; s++)
        seen[fenwick_level((ulong)t, (ulong)s)] = 1;
    for (slong l = 0; l < FENWICK_LEVELS; l++)
        levels += seen[l];
    enclosure_set_integer(computed, levels);
    return decide(computed, w, 64);
}

/* max_l |((d - other) W1 W2)_l|, W1 [L][H], W2 [H][L] */
static replay_status replay_mlp_spread(enclosure_t computed, const char **reason,
                                       const witness_t w) {
    const witness_input *d = witness_find(w, "d"), *other = witness_find(w, "other"),
                        *w1 = witness_find(w, "w1"), *w2 = witness_find(w, "w2");
    if (d == NULL || other == NULL || d->count != other->count || d->count < 1 ||
        d->count > MAX_SIZE)
        return bad(reason, "needs \"d\" and \"other\" of one length, 1 to 64");
    if (w1 == NULL || w2 == NULL || w1->count != w2->count || w1->count % d->count != 0 ||
        w1->count > 2 * MAX_SIZE * MAX_SIZE)
        return bad(reason, "needs \"w1\" [L][H] and \"w2\" [H][L] for the L numbers of \"d\"");
    if (longest(d) + longest(other) + longest(w1) + longest(w2) > 4096)
        return bad(reason, "needs numbers of at most 4096 bits in all");
    slong levels = d->count, width = w1->count / levels;
    fmpq *hidden = _fmpq_vec_init(width + 1);
    fmpq_t x, most;
    fmpq_init(x);
    fmpq_init(most);
    for (slong l = 0; l < levels; l++) {
        fmpq_sub(x, d->value + l, other->value + l);
        for (slong h = 0; h < width; h++)
            fmpq_addmul(hidden + h, x, w1->value + l * width + h);
    }
    for (slong l = 0; l < levels; l++) {
        fmpq_zero(x);
        for (slong h = 0; h < width; h++)
            fmpq_addmul(x, hidden + h, w2->value + h * levels + l);
        fmpq_abs(x, x);
        if (fmpq_cmp(x, most) > 0)
            fmpq_set(most, x);
    }
    enclosure_set_rational(computed, most);
    _fmpq_vec_clear(hidden, width + 1);
    fmpq_clear(x);
    fmpq_clear(most);
    return decide(computed, w, 64);
}

/* 4 L^2 / ceil(log2 T), L = ceil(log2 T) + 1: multiply-adds of the lambda-MLP a token, over log2 T. */
static replay_status replay_mlp_work(enclosure_t computed, const char **reason, const witness_t w) {
    const fmpq *tokens = scalar(w, "tokens");
    if (tokens == NULL || !fmpz_is_one(fmpq_denref(tokens)) || fmpq_cmp_si(tokens, 2) < 0 ||
        fmpz_bits(fmpq_numref(tokens)) > 4096)
        return bad(reason, "needs a whole number \"tokens\" from 2 to 2^4096");
    fmpz_t last;
    fmpq_t ratio;
    fmpz_init(last);
    fmpq_init(ratio);
    fmpz_sub_ui(last, fmpq_numref(tokens), 1);
    slong log = (slong)fmpz_bits(last);
    fmpq_set_si(ratio, 4 * (log + 1) * (log + 1), (ulong)log);
    enclosure_set_rational(computed, ratio);
    fmpz_clear(last);
    fmpq_clear(ratio);
    return decide(computed, w, 64);
}

/* What both kinds on variational linear attention share; steps := how many there are. */
static int read_vla(slong *steps, slong *dim, const char **reason, const witness_t w,
                    const char *rows) {
    const fmpq *lambda0 = scalar(w, "lambda0"), *weight = scalar(w, "weight");
    const witness_input *x = witness_find(w, rows), *g = witness_find(w, "directions");
    if (lambda0 == NULL || fmpq_sgn(lambda0) <= 0 || weight == NULL || fmpq_sgn(weight) < 0)
        *reason = "needs one \"lambda0\" > 0 and one \"weight\" >= 0";
    else if (!whole(dim, w, "dim", 64) || *dim < 1)
        *reason = "needs a whole number \"dim\" from 1 to 64";
    else if (x == NULL || g == NULL || x->count < 1 || x->count % *dim != 0 ||
             g->count != x->count || x->count > MAX_INDEX)
        *reason = "needs as many \"directions\" as states or features: steps times dim of them, at "
                  "most 100000";
    else if ((longest(x) + longest(g)) * (double)x->count * (double)*dim > MAX_WORK)
        *reason = "needs numbers with fewer digits for so many steps";
    if (*reason != NULL)
        return 0;
    *steps = x->count / *dim;
    return 1;
}

static replay_status replay_path(enclosure_t computed, const char **reason, const witness_t w) {
    slong steps, dim, positive;
    if (!read_vla(&steps, &dim, reason, w, "states"))
        return REPLAY_BAD_INPUT;
    if (!whole(&positive, w, "positive", 1))
        return bad(reason, "needs \"positive\" 0 or 1");
    fmpq_t norm2;
    fmpq_init(norm2);
    *reason = vla_path_norm(norm2, scalar(w, "lambda0"), scalar(w, "weight"), (int)positive,
                            witness_find(w, "states")->value, witness_find(w, "directions")->value,
                            steps, dim);
    enclosure_set_rational(computed, norm2);
    fmpq_clear(norm2);
    return *reason != NULL ? REPLAY_BAD_INPUT : decide(computed, w, 64);
}

static replay_status replay_product(enclosure_t computed, const char **reason, const witness_t w) {
    slong steps, dim;
    const witness_input *start = witness_find(w, "start");
    if (!read_vla(&steps, &dim, reason, w, "features"))
        return REPLAY_BAD_INPUT;
    int nonzero = 0;
    for (slong i = 0; start != NULL && i < start->count; i++)
        nonzero |= !fmpq_is_zero(start->value + i);
    if (!nonzero || start->count != dim)
        return bad(reason, "needs a \"start\" of dim numbers, not all 0");
    arb_t gain;
    arb_init(gain);
    replay_status status = REPLAY_UNDECIDED;
    slong first = FLINT_MIN(FLINT_MAX(w->min_precision, 64), 8192);
    for (slong prec = first; prec <= 4 * first && status == REPLAY_UNDECIDED; prec *= 2) {
        *reason = vla_product_gain(gain, scalar(w, "lambda0"), scalar(w, "weight"), start->value,
                                   witness_find(w, "features")->value,
                                   witness_find(w, "directions")->value, steps, dim, prec);
        enclosure_set_ball(computed, gain);
        status = *reason != NULL ? REPLAY_BAD_INPUT : decide(computed, w, prec);
    }
    arb_clear(gain);
    return status;
}

replay_status witness_replay(enclosure_t computed, const char **reason, const witness_t w) {
    *reason = NULL;
    if (strcmp(w->kind, "gl-weight") == 0)
        return replay_weight(computed, reason, w);
    if (strcmp(w->kind, "hankel-determinant") == 0)
        return replay_hankel(computed, reason, w);
    if (strcmp(w->kind, "soe-error-at") == 0)
        return replay_error_at(computed, reason, w);
    if (strcmp(w->kind, "soe-sup-error") == 0)
        return replay_sup(computed, reason, w);
    if (strcmp(w->kind, "soe-alternation") == 0)
        return replay_alternation(computed, reason, w);
    if (strcmp(w->kind, "bank-chain") == 0)
        return replay_bank_chain(computed, reason, w);
    if (strcmp(w->kind, "softmax-ratio") == 0)
        return replay_softmax_ratio(computed, reason, w);
    if (strcmp(w->kind, "loglinear-live-states") == 0)
        return replay_live_states(computed, reason, w);
    if (strcmp(w->kind, "loglinear-mlp-spread") == 0)
        return replay_mlp_spread(computed, reason, w);
    if (strcmp(w->kind, "loglinear-mlp-work") == 0)
        return replay_mlp_work(computed, reason, w);
    if (vla_replay_knows(w->kind)) {
        fmpq_t q;
        fmpq_init(q);
        int ok = vla_replay_value(q, reason, w);
        enclosure_set_rational(computed, q);
        fmpq_clear(q);
        return ok ? decide(computed, w, 64) : REPLAY_BAD_INPUT;
    }
    if (strcmp(w->kind, "vla-path") == 0)
        return replay_path(computed, reason, w);
    if (strcmp(w->kind, "vla-product") == 0)
        return replay_product(computed, reason, w);
    *reason = "known kinds: gl-weight, hankel-determinant, soe-error-at, soe-sup-error, "
              "soe-alternation, loglinear-live-states, loglinear-mlp-spread, loglinear-mlp-work, "
              "vla-gain, vla-jacobians, vla-excess, vla-recall, vla-overlap, vla-contraction, "
              "vla-refresh, delta-gate, vla-path, vla-product, bank-chain, softmax-ratio";
    return REPLAY_UNKNOWN_KIND;
}

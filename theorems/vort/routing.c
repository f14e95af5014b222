/* vort.routing: the order of a token from its entropy and its entity indicator (VORT, Sec. 3), as
   libmneme computes it in floats: mn_route, mn_nearest_bank.

       z = w_h entropy - w_e entity - bias,   alpha = delta + (1-delta)/(1+e^z)

   Floats are enumerated in increasing order through their bits. */
#include "numerics/exact/number.h"
#include "numerics/kernels/mneme.h"
#include "theorems/vort/common.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    float entropy_weight; /* sign says the direction (1; the control takes -1) */
    float delta;          /* replaces 1/20 (the control takes 5/4) */
    int last_of_ties;     /* the nearest bank is said to be the last one at a tie */
} routing_parameter;

/* The float at place key of all 2^32 in increasing order, the negative NaNs in front. */
static float float_at(uint32_t key) {
    uint32_t bits = key & 0x80000000u ? key ^ 0x80000000u : ~key;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const float values[] = {-INFINITY,     -FLT_MAX, -1e10f,       -3,       -1,   -FLT_MIN,
                               -FLT_TRUE_MIN, 0,        FLT_TRUE_MIN, FLT_MIN,  0.3f, 1,
                               88.5f,         1e10f,    FLT_MAX,      INFINITY, NAN};
enum { VALUES = sizeof values / sizeof *values };

/* Every combination of the classes: range for all of them, NaN included; order along entropy and
   along entity for all but NaN. */
static void check_classes(check_context *ctx, const void *parameter) {
    const routing_parameter *p = parameter;
    static const float weights[] = {0, FLT_TRUE_MIN, 1, FLT_MAX, INFINITY};
    static const float deltas[] = {0, FLT_TRUE_MIN, 0.05f, 0.5f, 1 - FLT_EPSILON / 2, 1};
    slong outside = 0, unordered = 0, cases = 0;
    for (int d = 0; d < 6; d++)
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++)
                for (int bias = 0; bias < VALUES; bias++) {
                    float delta = p->delta > 0 ? p->delta : deltas[d], out[VALUES][VALUES];
                    for (int i = 0; i < VALUES; i++)
                        for (int k = 0; k < VALUES; k++) {
                            float x =
                                mn_route(values[i], values[k], delta,
                                         p->entropy_weight * weights[a], weights[b], values[bias]);
                            out[i][k] = x;
                            cases++;
                            outside += !(x >= delta && x <= 1);
                        }
                    for (int i = 0; i + 2 < VALUES && bias + 1 < VALUES; i++)
                        for (int k = 0; k + 1 < VALUES; k++) {
                            unordered += out[i + 1][k] > out[i][k]; /* more entropy */
                            unordered += out[k][i + 1] < out[k][i]; /* more entity */
                        }
                }
    claim_decide_si(ctx, "orders outside [delta,1]", outside, RELATION_EQ, 0);
    claim_decide_si(ctx, "orders that rise with entropy or fall with entity", unordered,
                    RELATION_EQ, 0);
    enclosure_t n;
    enclosure_init(n);
    enclosure_set_integer(n, cases);
    claim_number(ctx, "combinations of classes", "1", n);
    enclosure_clear(n);
}

/* Whether the order falls (weakly) from each float to the next in [first, last) of the
   enumeration. */
static void sweep(slong *violations, uint64_t first, uint64_t last, uint64_t step, float weight,
                  float delta) {
    float before = INFINITY;
    for (uint64_t key = first; key < last; key += step) {
        float x = float_at((uint32_t)key);
        if (isnan(x))
            continue;
        float alpha = mn_route(x, 0, delta, weight, 0, 0);
        *violations += !(alpha <= before && alpha >= delta && alpha <= 1);
        before = alpha;
    }
}

/* quick: 64 floats at each end of every exponent class and every 2^12-th; full: all 2^32 floats,
   every eighth chunk of 2^20 in one unit, each chunk with the last float of the one before it. */
static void check_floats(check_context *ctx, const void *parameter) {
    const routing_parameter *p = parameter;
    slong violations = 0;
    uint64_t all = (uint64_t)1 << 32;
    if (ctx->level == LEVEL_QUICK) {
        const uint64_t span = 1u << 23, edge = 64;
        for (uint64_t c = 0; c < 512; c++)
            sweep(&violations, c * span - (c > 0 ? edge : 0), c * span + edge, 1, p->entropy_weight,
                  0.05f);
        sweep(&violations, 0, all, 1 << 12, p->entropy_weight, 0.05f);
        claim_sample(ctx, 512 * 128 + (1 << 20), (slong)all);
    } else {
        const uint64_t chunk = 1 << 20;
        for (uint64_t c = (uint64_t)ctx->index; c < all / chunk; c += 8)
            sweep(&violations, c * chunk - (c > 0), (c + 1) * chunk, 1, p->entropy_weight, 0.05f);
        claim_sample(ctx, (slong)(all / 8), (slong)all);
    }
    claim_decide_si(ctx, "floats where the order rises or leaves [delta,1]", violations,
                    RELATION_EQ, 0);
}

/* The nearest bank against the argument of the least distance in Q, ties and all. */
static void check_nearest(check_context *ctx, const void *parameter) {
    const routing_parameter *p = parameter;
    enum { BANKS = 7, TRIALS = 400 };
    exact_random r = {ctx->seed};
    fmpq *s = _fmpq_vec_init(3);
    arf_t a;
    arf_init(a);
    for (int trial = 0; trial < TRIALS; trial++) {
        float orders[BANKS], alpha;
        slong scale = trial % 2 ? 16 : 1 << 24; /* coarse: many ties */
        for (int i = 0; i < BANKS; i++)
            orders[i] = (float)exact_random_integer(&r, 1, scale) / (float)scale;
        alpha = (float)exact_random_integer(&r, 1, scale) / (float)scale;
        slong best = 0;
        for (slong i = 0; i < BANKS; i++) {
            arf_set_d(a, (double)orders[i]);
            exact_rational_from_arf(s, a);
            arf_set_d(a, (double)alpha);
            exact_rational_from_arf(s + 1, a);
            fmpq_sub(s, s, s + 1);
            fmpq_abs(s, s);
            int order = i == 0 ? -1 : fmpq_cmp(s, s + 2);
            if (order < 0 || (order == 0 && p->last_of_ties)) {
                fmpq_set(s + 2, s);
                best = i;
            }
        }
        claim_decide_si(ctx, "mn_nearest_bank = the first least distance",
                        mn_nearest_bank(alpha, BANKS, orders), RELATION_EQ, best);
    }
    static const float two[] = {0.25f, 0.75f};
    claim_decide_si(ctx, "NaN goes to bank 0", mn_nearest_bank(NAN, 2, two), RELATION_EQ, 0);
    arf_clear(a);
    _fmpq_vec_clear(s, 3);
}

static const char *const hypotheses[] = {
    "entropy, entity, bias: any floats; weights >= 0 (infinite ones too); delta a float in [0,1]",
    "\"nondecreasing\" for the order of a real z needs an exp that never decreases in double "
    "arithmetic; C libraries promise an error bound, not that: what was enumerated says so",
    NULL};

static const char *const proof_range[] = {
    "A product of two floats is exact in double (48 bits, exponents within range), infinite or NaN "
    "as "
    "IEEE 754 says; NaN z gives delta.",
    "exp(z) >= 0 or +inf, so 1+exp(z) in [1,inf] and (1-delta)/(1+exp(z)) is a number: no NaN "
    "arises.",
    "The last line returns delta below delta, 1 above 1, and else the number itself: in [delta,1] "
    "whatever rounding did, and whatever libm returned.",
    NULL};
static const char *const proof_monotone[] = {
    "Correctly rounded sums and quotients are nondecreasing in each operand (IEEE 754), conversion "
    "to "
    "float and both clamps too: alpha is a composition of monotone maps of z, falling through "
    "1/(1+exp).",
    "z is exact products, then two correctly rounded differences: nondecreasing in entropy, "
    "nonincreasing "
    "in entity.",
    "Infinite operands: z = +inf gives delta, the least value; where inf - inf or 0 inf makes z "
    "NaN, delta "
    "is returned. Along entropy NaN arises only where z was -inf because of entity or bias and "
    "entropy is "
    "+inf, or where z is +inf for every other entropy, or at weight inf, entropy 0, above which z "
    "is never "
    "-inf: delta is in order each time; likewise along entity. Every combination of classes is "
    "enumerated.",
    NULL};
static const char *const proof_nearest[] = {
    "Floats in [2^-28,1] are multiples of 2^-51, so their differences have at most 52 bits: exact "
    "in "
    "double, and the comparisons are those of the real distances.",
    "The scan replaces the best one only by a strictly smaller distance: the first of a tie is "
    "kept. "
    "Comparisons with NaN are false: bank 0.",
    NULL};

static const statement statements[] = {
    {"range", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "Every token gets an order in [delta,1], for every float input, infinities and NaN included.",
     "\\alpha_i\\in[\\delta,1]", NULL, proof_range},
    {"monotone", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "Tokens of higher entropy get lower orders (weakly), entities higher ones, in float "
     "arithmetic, for an "
     "exp that does not decrease.",
     "\\partial\\alpha/\\partial h \\le 0 \\le \\partial\\alpha/\\partial e", NULL, proof_monotone},
    {"every-float", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "With this machine's exp, delta = 0.05 and z every one of the 2^32 floats in increasing "
     "order, the order "
     "never rises and never leaves [delta,1].",
     "z < z' \\Rightarrow \\alpha(z) \\ge \\alpha(z')", NULL, NULL},
    {"nearest", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The bank of an order is the first one of least distance, decided exactly for orders in "
     "[2^-28,1]; NaN "
     "goes to bank 0.",
     "\\min\\arg\\min_i|\\alpha-\\alpha_i|", NULL, proof_nearest},
    {NULL}};

static const routing_parameter plain = {1, 0, 0}, backwards = {-1, 0, 0}, beyond = {1, 1.25f, 0},
                               last = {1, 0, 1};

static const check checks[] = {{"classes",
                                "range",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_classes,
                                &plain,
                                {1, 1, 1},
                                0.1},
                               {"order",
                                "monotone",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_classes,
                                &plain,
                                {1, 1, 1},
                                0.1},
                               {"floats",
                                "every-float",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_floats,
                                &plain,
                                {1, 8, 8},
                                0.01,
                                6},
                               {"nearest",
                                "nearest",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_nearest,
                                &plain,
                                {1, 1, 1},
                                0.01},
                               {NULL}};

static const control controls[] = {
    {"delta-beyond-1", "classes", "delta = 5/4", &beyond},
    {"entropy-backwards", "order", "entropy with a negative weight", &backwards},
    {"entropy-backwards", "floats", "entropy with a negative weight", &backwards},
    {"last-of-ties", "nearest", "the last bank at a tie", &last},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_vort_routing = {"vort.routing", "Routing tokens to orders",
                                  "VORT, Sec. 3", hypotheses,
                                  statements,     checks,
                                  controls,       settings,
                                  figures};

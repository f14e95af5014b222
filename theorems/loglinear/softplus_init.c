/* loglinear.softplus-init: what the lambda-MLP does before it has learnt anything (W2 = 0, bias
   0.54). */
#include "numerics/exact/number.h"
#include "theorems/loglinear/common.h"

enum { LEVELS_TRIED = 5, WIDTH = 2 * LEVELS_TRIED, INPUTS = 6, TOKENS = 21 };

typedef struct {
    const char *bias;   /* the bias that is tried */
    const char *second; /* every diagonal entry of W2 (0 at initialisation) */
    int identity;       /* W1 = [I 0], W2 = [I 0]^T: the MLP is the identity before its softplus */
    int uneven;         /* lambda of level 1 is doubled */
} init_parameter;

/* ---- the bias ---- */

/* softplus(bias) by log1p and by -ln of the sigmoid's complement: ln(1+e^b) = -ln(1/(1+e^b)). */
static void softplus_two_paths(check_context *ctx, arb_t x, const arb_t b) {
    arb_t other;
    arb_init(other);
    loglinear_softplus(x, b, ctx->prec + 16);
    arb_neg(other, b);
    loglinear_softplus_slope(other, other, ctx->prec + 16);
    arb_log(other, other, ctx->prec + 16);
    arb_neg(other, other);
    claim_two_paths(ctx, "softplus by log1p and by the sigmoid", x, other, ctx->prec - 16);
    arb_clear(other);
}

/* |softplus(bias) - 1| < 1/20: it rounds to 1.0; and < 1/1000. */
static void check_bias(check_context *ctx, const void *parameter) {
    const init_parameter *p = parameter;
    static const char *const limits[] = {"1/20", "1/1000"};
    fmpq_t b, limit;
    arb_t x, y;
    fmpq_init(b);
    fmpq_init(limit);
    arb_init(x);
    arb_init(y);
    exact_parse_rational(b, p->bias);
    exact_ball_from_rational(y, b, ctx->prec + 16);
    softplus_two_paths(ctx, x, y);
    claim_number_arb(ctx, "softplus(0.54)", "1", x);
    arb_sub_ui(x, x, 1, ctx->prec);
    arb_abs(x, x);
    for (int i = 0; i < 2; i++) {
        exact_parse_rational(limit, limits[i]);
        exact_ball_from_rational(y, limit, ctx->prec);
        claim_decide_arb(ctx, "|softplus(bias) - 1| < 1/20, 1/1000", x, RELATION_LT, y);
    }
    claim_number_arb(ctx, "1 - softplus(0.54)", "1", x);
    fmpq_clear(b);
    fmpq_clear(limit);
    arb_clear(x);
    arb_clear(y);
}

/* softplus(ln(e-1)) = 1, and bias rounds ln(e-1) to two decimals: |ln(e-1) - bias| < 1/200. */
static void check_exact_bias(check_context *ctx, const void *parameter) {
    const init_parameter *p = parameter;
    fmpq_t b;
    arb_t exact, x, y;
    fmpq_init(b);
    arb_init(exact);
    arb_init(x);
    arb_init(y);
    arb_const_e(exact, ctx->prec + 16);
    arb_sub_ui(exact, exact, 1, ctx->prec + 16);
    arb_log(exact, exact, ctx->prec + 16);
    loglinear_softplus(x, exact, ctx->prec + 16);
    arb_one(y);
    claim_two_paths(ctx, "softplus(ln(e-1)) = 1", x, y, ctx->prec - 16);
    claim_number_arb(ctx, "ln(e-1)", "1", exact);
    exact_parse_rational(b, p->bias);
    exact_ball_from_rational(x, b, ctx->prec);
    arb_sub(x, x, exact, ctx->prec);
    arb_abs(x, x);
    fmpq_set_si(b, 1, 200);
    exact_ball_from_rational(y, b, ctx->prec);
    claim_decide_arb(ctx, "|bias - ln(e-1)| < 1/200", x, RELATION_LT, y);
    fmpq_clear(b);
    arb_clear(exact);
    arb_clear(x);
    arb_clear(y);
}

/* ---- W2 = 0 ---- */

/* W1 [L][2L] random (or [I 0]), W2 [2L][L] with p->second on its diagonal (or [I 0]^T). */
static void weights(fmpq *w1, fmpq *w2, const init_parameter *p, exact_random *r) {
    for (slong i = 0; i < LEVELS_TRIED * WIDTH; i++)
        exact_random_rational(w1 + i, r, 9);
    loglinear_zero(w2, WIDTH * LEVELS_TRIED);
    for (slong l = 0; l < LEVELS_TRIED; l++)
        exact_parse_rational(w2 + l * LEVELS_TRIED + l, p->identity ? "1" : p->second);
    if (p->identity) {
        loglinear_zero(w1, LEVELS_TRIED * WIDTH);
        for (slong l = 0; l < LEVELS_TRIED; l++)
            fmpq_one(w1 + l * WIDTH + l);
    }
}

/* out := d W1 W2, before bias and softplus */
static void preactivation(fmpq *out, const fmpq *d, const fmpq *w1, const fmpq *w2) {
    fmpq *h = _fmpq_vec_init(WIDTH);
    for (slong k = 0; k < WIDTH; k++)
        for (slong l = 0; l < LEVELS_TRIED; l++)
            fmpq_addmul(h + k, d + l, w1 + l * WIDTH + k);
    for (slong l = 0; l < LEVELS_TRIED; l++) {
        fmpq_zero(out + l);
        for (slong k = 0; k < WIDTH; k++)
            fmpq_addmul(out + l, h + k, w2 + k * LEVELS_TRIED + l);
    }
    _fmpq_vec_clear(h, WIDTH);
}

/* The largest |a_l - b_l|. */
static void spread(fmpq_t most, const fmpq *a, const fmpq *b) {
    fmpq_t x;
    fmpq_init(x);
    fmpq_zero(most);
    for (slong l = 0; l < LEVELS_TRIED; l++) {
        fmpq_sub(x, a + l, b + l);
        fmpq_abs(x, x);
        if (fmpq_cmp(x, most) > 0)
            fmpq_set(most, x);
    }
    fmpq_clear(x);
}

/* d W1 W2 = 0 at every level for random d, W1, and so it stays when W1 is changed anywhere. */
static void check_constant(check_context *ctx, const void *parameter) {
    const init_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq *w1 = _fmpq_vec_init(LEVELS_TRIED * WIDTH), *w2 = _fmpq_vec_init(LEVELS_TRIED * WIDTH),
         *d = _fmpq_vec_init(LEVELS_TRIED), *a = _fmpq_vec_init(LEVELS_TRIED);
    fmpq_t zero;
    fmpq_init(zero);
    weights(w1, w2, p, &r);
    for (slong n = 0; n < INPUTS; n++) {
        for (slong l = 0; l < LEVELS_TRIED; l++)
            exact_random_rational(d + l, &r, 9);
        exact_random_rational(w1 + exact_random_integer(&r, 0, LEVELS_TRIED * WIDTH - 1), &r, 9);
        preactivation(a, d, w1, w2);
        for (slong l = 0; l < LEVELS_TRIED; l++)
            claim_decide_fmpq(ctx, "d W1 W2 = 0", a + l, RELATION_EQ, zero);
    }
    _fmpq_vec_clear(w1, LEVELS_TRIED * WIDTH);
    _fmpq_vec_clear(w2, LEVELS_TRIED * WIDTH);
    _fmpq_vec_clear(d, LEVELS_TRIED);
    _fmpq_vec_clear(a, LEVELS_TRIED);
    fmpq_clear(zero);
}

/* Near the identity would mean that inputs at a distance keep about that distance: at least
   half. */
static void check_identity(check_context *ctx, const void *parameter) {
    const init_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq *w1 = _fmpq_vec_init(LEVELS_TRIED * WIDTH), *w2 = _fmpq_vec_init(LEVELS_TRIED * WIDTH),
         *d = _fmpq_vec_init(LEVELS_TRIED), *other = _fmpq_vec_init(LEVELS_TRIED),
         *a = _fmpq_vec_init(LEVELS_TRIED), *b = _fmpq_vec_init(LEVELS_TRIED);
    fmpq_t in, out;
    fmpq_init(in);
    fmpq_init(out);
    weights(w1, w2, p, &r);
    for (slong l = 0; l < LEVELS_TRIED; l++) /* d = 0, other = (1, ..., 1) */
        fmpq_one(other + l);
    preactivation(a, d, w1, w2);
    preactivation(b, other, w1, w2);
    spread(in, d, other);
    spread(out, a, b);
    fmpq_div_2exp(in, in, 1);
    truth t = claim_decide_fmpq(ctx, "distance of the outputs >= half that of the inputs", out,
                                RELATION_GE, in);
    if (t == TRUTH_FAILS) {
        enclosure_t lhs, rhs;
        enclosure_init(lhs);
        enclosure_init(rhs);
        enclosure_set_rational(lhs, out);
        enclosure_set_rational(rhs, in);
        witness_struct *w =
            claim_witness(ctx, "loglinear.softplus-init.identity", "loglinear-mlp-spread");
        witness_add(w, "d", d, LEVELS_TRIED);
        witness_add(w, "other", other, LEVELS_TRIED);
        witness_add(w, "w1", w1, LEVELS_TRIED * WIDTH);
        witness_add(w, "w2", w2, LEVELS_TRIED * WIDTH);
        witness_conclude(w, lhs, RELATION_LT, rhs, 64);
        enclosure_clear(lhs);
        enclosure_clear(rhs);
    }
    _fmpq_vec_clear(w1, LEVELS_TRIED * WIDTH);
    _fmpq_vec_clear(w2, LEVELS_TRIED * WIDTH);
    _fmpq_vec_clear(d, LEVELS_TRIED);
    _fmpq_vec_clear(other, LEVELS_TRIED);
    _fmpq_vec_clear(a, LEVELS_TRIED);
    _fmpq_vec_clear(b, LEVELS_TRIED);
    fmpq_clear(in);
    fmpq_clear(out);
}

/* ---- the first outputs ---- */

/* lambda = c at every level: outputs are c times those of gated linear attention; divided by the
   read of a state whose values are 1, they are the same.  c: random positive rationals
   (softplus(0.54) is one real number among them, and both sides are linear in c). */
static void check_outputs(check_context *ctx, const void *parameter) {
    const init_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t c;
    arb_t x, bound;
    fmpq_init(c);
    arb_init(x);
    arb_init(bound);
    exact_parse_rational(c, p->bias);
    exact_ball_from_rational(bound, c, ctx->prec + 16);
    softplus_two_paths(ctx, x, bound);
    arb_sub_ui(x, x, 1, ctx->prec);
    arb_abs(x, x);
    fmpq_set_si(c, 84, 100000);
    exact_ball_from_rational(bound, c, ctx->prec);
    claim_decide_arb(ctx, "relative difference |softplus(bias) - 1| < 0.00084", x, RELATION_LT,
                     bound);
    arb_clear(x);
    arb_clear(bound);
    for (int n = 0; n < 4; n++) {
        loglinear_case a;
        loglinear_case_init(&a, TOKENS, 2, 3, fenwick_slots(TOKENS));
        loglinear_case_random(&a, &r);
        exact_random_fraction(c, &r, 1, 99, 1, 99);
        loglinear_case_lambda(&a, c);
        for (slong t = 0; t < TOKENS; t++) {
            for (slong i = 0; i < 2; i++) { /* positive features: the normaliser is not 0 */
                fmpq_abs(a.q + 2 * t + i, a.q + 2 * t + i);
                fmpq_add_si(a.q + 2 * t + i, a.q + 2 * t + i, 1);
                fmpq_abs(a.k + 2 * t + i, a.k + 2 * t + i);
                fmpq_add_si(a.k + 2 * t + i, a.k + 2 * t + i, 1);
            }
            fmpq_one(a.v + 3 * t +
                     2); /* the last value column is 1: its output is the normaliser */
            fmpq *lambda = a.lambda + t * a.shape.levels + 1;
            if (p->uneven)
                fmpq_add(lambda, lambda, lambda);
        }
        loglinear_run_recurrence(ctx, &a);
        fenwick_linear(a.z, a.q, a.k, a.v, a.gate, &a.shape);
        for (slong i = 0; i < TOKENS * 3; i++)
            fmpq_mul(a.z + i, a.z + i, c);
        loglinear_decide_outputs(ctx, "outputs = c times linear attention", &a);
        for (slong t = 0; t < TOKENS; t++)
            for (slong i = 0; i < 2; i++) {
                fmpq_div(a.y + 3 * t + i, a.y + 3 * t + i, a.y + 3 * t + 2);
                fmpq_div(a.z + 3 * t + i, a.z + 3 * t + i, a.z + 3 * t + 2);
                claim_decide_fmpq(ctx, "normalised outputs = linear attention's", a.y + 3 * t + i,
                                  RELATION_EQ, a.z + 3 * t + i);
            }
        loglinear_case_clear(&a);
    }
    fmpq_clear(c);
}

static const char *const hypotheses[] = {
    "lambda_t = softplus(d_t W1 W2 + b), W2 = 0 and b = 0.54 at initialisation; softplus(z) = "
    "ln(1+e^z)",
    "d_t, W1: any real numbers; with or without inner bias and inner nonlinearity", NULL};

static const char *const proof_constant[] = {"Whatever the hidden vector h_t (finite), h_t W2 = 0, "
                                             "so lambda_t^(l) = softplus(b) for every token, head "
                                             "and level; in Q on random d_t, W1.",
                                             "This is true for every W1: the derivative of lambda "
                                             "in W1 is 0, so the first gradient step moves W2 and "
                                             "b alone.",
                                             NULL};
static const char *const proof_outputs[] = {
    "lambda = c gives M_ts = c g_{s+1} ... g_t: c times the mask of gated linear attention "
    "(loglinear.recurrence).",
    "A normalised read-out divides by the same sum with v_s = 1, and c cancels.",
    "With c = softplus(0.54) the relative difference from linear attention is |c-1| for every "
    "token.",
    NULL};

static const statement statements[] = {
    {"bias", STATEMENT_PUBLISHED, VERDICT_CERTIFIED,
     "softplus(0.54) is 1.0 to the digits printed: within 1/1000 of 1.",
     "|\\mathrm{softplus}(0.54)-1| < 10^{-3}", NULL, NULL},
    {"exact-bias", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "softplus(b) = 1 exactly at b = ln(e-1) = 0.5413...; 0.54 is its rounding to two decimals.",
     "\\mathrm{softplus}(\\ln(e-1)) = 1", NULL, NULL},
    {"constant", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "With W2 = 0, lambda is the same number for all tokens, heads and levels, whatever the "
     "inputs and W1 are; the gradient of W1 is 0 there.",
     "W_2=0 \\;\\Rightarrow\\; \\lambda_t^{(\\ell)} = \\mathrm{softplus}(b)", NULL, proof_constant},
    {"near-identity", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "At initialisation the MLP is close to the identity of its input d_t, and so keeps the "
     "baseline's lambda.",
     "\\mathrm{MLP}(d)\\approx d",
     "Its output does not depend on d_t at all: inputs at any distance get one lambda, 0.99916; "
     "the model starts as (gated) linear attention times that constant, not as a baseline whose "
     "lambda varies with d_t.",
     NULL},
    {"first-outputs", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The first outputs are softplus(0.54) times those of (gated) linear attention, a relative "
     "difference of 1 - softplus(0.54) < 0.00084 for every token; with a normalised read-out they "
     "are the same.",
     "o_t = \\mathrm{softplus}(b)\\,o_t^{\\mathrm{lin}}", NULL, proof_outputs},
    {NULL}};

static const init_parameter published = {"0.54", "0", 0, 0};
static const init_parameter other_bias = {"0.5", "0", 0, 0};
static const init_parameter not_zero = {"0.54", "1/1000", 0, 0};
static const init_parameter identity = {"0.54", "0", 1, 0};
static const init_parameter uneven = {"0.54", "0", 0, 1};

static const check checks[] = {{"bias",
                                "bias",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_bias,
                                &published,
                                {1, 1, 1},
                                0.01},
                               {"exact-bias",
                                "exact-bias",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_exact_bias,
                                &published,
                                {1, 1, 1},
                                0.01},
                               {"constant",
                                "constant",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_constant,
                                &published,
                                {1, 1, 1},
                                0.01},
                               {"identity",
                                "near-identity",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_identity,
                                &published,
                                {1, 1, 1},
                                0.01},
                               {"outputs",
                                "first-outputs",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_outputs,
                                &published,
                                {1, 1, 1},
                                0.05},
                               {NULL}};

static const control controls[] = {
    {"bias-one-half", "bias", "bias 0.5 in place of 0.54", &other_bias},
    {"bias-one-half", "exact-bias", "bias 0.5 in place of 0.54", &other_bias},
    {"small-w2", "constant", "1/1000 on the diagonal of W2", &not_zero},
    {"true-identity", "identity", "W1 = [I 0], W2 = its transpose", &identity},
    {"one-level-doubled", "outputs", "lambda doubled at level 1", &uneven},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_loglinear_softplus_init = {"loglinear.softplus-init",
                                             "The lambda-MLP at initialisation",
                                             "Adaptive memory decay, LambdaMLPSoftplus",
                                             hypotheses,
                                             statements,
                                             checks,
                                             controls,
                                             settings,
                                             figures};

/* loglinear.lambda-mlp: the lambda-MLP in float32, at inputs where naive code fails.

   Inputs are floats, hence exact rationals.  Without an inner softplus the logit z is a polynomial
   in them and computed without error (2048 bits hold every sum that occurs here); the weight is
   then enclosed to 64 bits.  The kernel sums exact products in double: with u = 2^-52 and
       A = |b2| + sum_i H_i |w2_i|,  H_i = |b1_i| + sum_l |d_l w1_li| + 1
   its logit is off by at most (levels + width + 16) u A (one rounding of at most 2^-53 of the
   running sum a term, and some more for softplus in double), and softplus increases: so the result
   lies between the weights at both ends of that interval, rounded to float. */
#include "numerics/exact/number.h"
#include "numerics/kernels/mneme.h"
#include "theorems/loglinear/common.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { EXACT = 2048, INNER = 320, PREC = 64, MOST_LEVELS = 21, MOST_WIDTH = 2 * MOST_LEVELS };

typedef struct {
    float (*softplus)(float);
    mn_status (*mlp)(int64_t, int64_t, int64_t, const float *, const float *, const float *, int,
                     const float *, const float *, float *);
    float second; /* every entry of W2 in check_zero */
} mlp_parameter;

/* ---- what is tried ---- */

static const float values[] = {0.0f,   -0.0f, 0x1p-149f, -0x1p-149f, FLT_MIN, -FLT_MIN, 0.54f,
                               -0.54f, 1.0f,  -1.0f,     20.0f,      -20.0f,  89.0f,    -89.0f,
                               1e4f,   -1e4f, 1e7f,      -1e7f,      FLT_MAX, -FLT_MAX, 1e20f};
enum { VALUES = sizeof values / sizeof *values };

/* What a first attempt looks like: ln(1+e^x) in float. */
static float naive_softplus(float x) {
    return logf(1.0f + expf(x));
}

static mn_status naive_mlp(int64_t rows, int64_t levels, int64_t width, const float *d,
                           const float *w1, const float *b1, int inner_softplus, const float *w2,
                           const float *b2, float *lambda) {
    for (int64_t r = 0; r < rows; r++, d += levels, lambda += levels) {
        for (int64_t l = 0; l < levels; l++)
            lambda[l] = b2[l];
        for (int64_t i = 0; i < width; i++) {
            float h = b1 != NULL ? b1[i] : 0;
            for (int64_t l = 0; l < levels; l++)
                h += d[l] * w1[l * width + i];
            if (inner_softplus)
                h = naive_softplus(h);
            for (int64_t l = 0; l < levels; l++)
                lambda[l] += h * w2[i * levels + l];
        }
        for (int64_t l = 0; l < levels; l++)
            lambda[l] = naive_softplus(lambda[l]);
    }
    return MN_OK;
}

/* ---- the reference ---- */

/* Whether the float y is finite and lies in the interval from softplus(low) to softplus(high), each
   end moved outwards by 2^-23 of itself and 2^-149, and cut at FLT_MAX. */
static int within(float y, const arb_t low, const arb_t high) {
    if (!isfinite(y))
        return 0;
    arb_t end, most, ulp, got;
    arb_init(end);
    arb_init(most);
    arb_init(ulp);
    arb_init(got);
    arb_set_d(most, FLT_MAX);
    arb_set_d(got, y);
    int ok = 1;
    for (int upper = 0; upper < 2; upper++) {
        loglinear_softplus(end, upper ? high : low, PREC);
        arb_set_ui(ulp, 1);
        arb_mul_2exp_si(ulp, ulp, -126); /* 2^-149 = 2^-23 2^-126 */
        arb_add(ulp, ulp, end, PREC);
        arb_mul_2exp_si(ulp, ulp, -23);
        if (upper)
            arb_add(end, end, ulp, PREC);
        else
            arb_sub(end, end, ulp, PREC);
        arb_min(end, end, most, PREC);
        ok = ok && (upper ? arb_le(got, end) : arb_ge(got, end));
    }
    arb_clear(end);
    arb_clear(most);
    arb_clear(ulp);
    arb_clear(got);
    return ok;
}

/* z := the exact logit of level l, size := A; with inner softplus z is a ball of 320 bits. */
static void reference(arb_t z, arb_t size, slong l, slong levels, slong width, const float *d,
                      const float *w1, const float *b1, int inner_softplus, const float *w2,
                      const float *b2) {
    arb_t h, bound, x, y;
    arb_init(h);
    arb_init(bound);
    arb_init(x);
    arb_init(y);
    arb_set_d(z, b2[l]);
    arb_abs(size, z);
    for (slong i = 0; i < width; i++) {
        arb_set_d(h, b1 != NULL ? b1[i] : 0);
        arb_abs(bound, h);
        arb_add_ui(bound, bound, 1, PREC);
        for (slong k = 0; k < levels; k++) {
            arb_set_d(x, d[k]);
            arb_set_d(y, w1[k * width + i]);
            arb_mul(x, x, y, EXACT);
            arb_add(h, h, x, EXACT);
            arb_abs(x, x);
            arb_add(bound, bound, x, PREC);
        }
        if (inner_softplus)
            loglinear_softplus(h, h, INNER);
        arb_set_d(x, w2[i * levels + l]);
        arb_addmul(z, h, x, EXACT);
        arb_abs(x, x);
        arb_addmul(size, bound, x, PREC);
    }
    arb_clear(h);
    arb_clear(bound);
    arb_clear(x);
    arb_clear(y);
}

/* Runs one row and counts the weights outside their bounds. */
static slong wrong_weights(const mlp_parameter *p, slong levels, slong width, const float *d,
                           const float *w1, const float *b1, int inner_softplus, const float *w2,
                           const float *b2) {
    float lambda[MOST_LEVELS];
    slong wrong = 0;
    if (p->mlp(1, levels, width, d, w1, b1, inner_softplus, w2, b2, lambda) != MN_OK)
        return levels;
    arb_t z, size, low, high;
    arb_init(z);
    arb_init(size);
    arb_init(low);
    arb_init(high);
    for (slong l = 0; l < levels; l++) {
        reference(z, size, l, levels, width, d, w1, b1, inner_softplus, w2, b2);
        arb_mul_ui(size, size, (ulong)(levels + width + 16), PREC);
        arb_mul_2exp_si(size, size, -52);
        arb_sub(low, z, size, EXACT);
        arb_add(high, z, size, EXACT);
        wrong += !within(lambda[l], low, high);
    }
    arb_clear(z);
    arb_clear(size);
    arb_clear(low);
    arb_clear(high);
    return wrong;
}

/* ---- checks ---- */

/* softplus alone: the values, and +-1.5 2^e for every exponent of a float. */
static void check_softplus(check_context *ctx, const void *parameter) {
    const mlp_parameter *p = parameter;
    static const float known[][2] = {{-1e7f, 0.0f}, {-20.0f, 2.0611537e-9f}, {89.0f, 89.0f},
                                     {1e4f, 1e4f},  {FLT_MAX, FLT_MAX},      {-FLT_MAX, 0.0f}};
    slong wrong = 0, points = 0;
    arb_t x;
    arb_init(x);
    for (slong i = 0; i < VALUES + 2 * 277; i++) {
        float in =
            i < VALUES ? values[i] : ldexpf(i % 2 ? 1.5f : -1.5f, (int)((i - VALUES) / 2 - 149));
        arb_set_d(x, in);
        wrong += !within(p->softplus(in), x, x);
        points++;
    }
    claim_decide_si(ctx, "points off by more than 2^-23 of softplus and 2^-149", wrong, RELATION_EQ,
                    0);
    claim_decide_si(ctx, "points", points, RELATION_EQ, 575);
    slong met = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        met += p->softplus(known[i][0]) == known[i][1];
    claim_decide_si(ctx, "known values met", met, RELATION_EQ, sizeof known / sizeof *known);
    arb_clear(x);
}

/* One level, hidden width 1, every d, w1, w2 of the values and three biases, then the first bias
   with the same inner bias and inner softplus; and 21 levels, hidden width 42 (2^20 tokens), the
   values laid out in 21 ways, every second one with inner bias and softplus. */
static void check_extremes(check_context *ctx, const void *parameter) {
    const mlp_parameter *p = parameter;
    static const float biases[] = {0.54f, FLT_MAX, -FLT_MAX};
    slong wrong = 0;
    for (slong n = 0; n < 4 * VALUES * VALUES * VALUES; n++) {
        const float *d = values + n % VALUES, *w1 = values + n / VALUES % VALUES,
                    *w2 = values + n / (VALUES * VALUES) % VALUES,
                    *bias = biases + n / (VALUES * VALUES * VALUES) % 3; /* last: 0.54 again */
        int inner = n >= 3 * VALUES * VALUES * VALUES;
        wrong += wrong_weights(p, 1, 1, d, w1, inner ? bias : NULL, inner, w2, bias);
    }
    claim_decide_si(ctx, "weights outside their bounds, one level", wrong, RELATION_EQ, 0);
    wrong = 0;
    float d[MOST_LEVELS], b2[MOST_LEVELS], b1[MOST_WIDTH], w1[MOST_LEVELS * MOST_WIDTH],
        w2[MOST_LEVELS * MOST_WIDTH];
    for (slong way = 0; way < VALUES; way++) {
        for (slong l = 0; l < MOST_LEVELS; l++) {
            d[l] = values[(5 * l + way) % VALUES];
            b2[l] = values[(l + 3 * way) % VALUES];
        }
        for (slong i = 0; i < MOST_WIDTH; i++)
            b1[i] = values[(2 * i + way) % VALUES];
        for (slong e = 0; e < MOST_LEVELS * MOST_WIDTH; e++) {
            w1[e] = values[(7 * e + e / MOST_WIDTH + way) % VALUES];
            w2[e] = values[(4 * e + e / MOST_LEVELS + 2 * way) % VALUES];
        }
        int inner = (int)(way % 2);
        wrong += wrong_weights(p, MOST_LEVELS, MOST_WIDTH, d, w1, inner ? b1 : NULL, inner, w2, b2);
    }
    claim_decide_si(ctx, "weights outside their bounds, 21 levels", wrong, RELATION_EQ, 0);
}

/* W2 = 0 (of either sign), bias 0.54: every weight is the float softplus(0.54), whatever d and
   W1. */
static void check_zero(check_context *ctx, const void *parameter) {
    const mlp_parameter *p = parameter;
    enum { LEVELS_HERE = 3, WIDTH_HERE = 6 };
    slong wrong = 0;
    float d[LEVELS_HERE], b2[LEVELS_HERE], w1[LEVELS_HERE * WIDTH_HERE],
        w2[LEVELS_HERE * WIDTH_HERE], lambda[LEVELS_HERE];
    for (slong n = 0; n < 2 * VALUES * VALUES; n++) {
        for (slong l = 0; l < LEVELS_HERE; l++) {
            d[l] = values[(n + l) % VALUES];
            b2[l] = 0.54f;
        }
        for (slong e = 0; e < LEVELS_HERE * WIDTH_HERE; e++) {
            w1[e] = values[(n / VALUES + e) % VALUES];
            w2[e] = e % 2 ? -p->second : p->second;
        }
        mn_status status =
            p->mlp(1, LEVELS_HERE, WIDTH_HERE, d, w1, NULL, n % 2 == 1, w2, b2, lambda);
        for (slong l = 0; l < LEVELS_HERE; l++)
            wrong += status != MN_OK || !(lambda[l] == p->softplus(0.54f));
    }
    claim_decide_si(ctx, "weights that are not softplus(0.54)", wrong, RELATION_EQ, 0);
}

static const char *const hypotheses[] = {
    "mn_softplus and mn_lambda_mlp of libmneme on this machine; inputs are finite floats",
    "values: 0, -0, +-2^-149, +-FLT_MIN, +-0.54, +-1, +-20, +-89, +-10^4, +-10^7, +-FLT_MAX, 10^20",
    NULL};

static const statement statements[] = {
    {"softplus", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "In float32 softplus is within 2^-23 of itself and 2^-149 at the values and at +-1.5 2^e, e "
     "= -149 .. 127; in particular it gives 0 at -10^7, 2.0611537e-9 at -20, 89 at 89, 10^4 at "
     "10^4.",
     "|\\hat s(x)-s(x)| \\le 2^{-23}s(x)+2^{-149}", NULL, NULL},
    {"extremes", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "The float32 MLP gives finite weights (at most FLT_MAX) that are softplus of a logit within "
     "(levels + width + 16) 2^-52 A of the exact one, to 2^-23 of themselves and 2^-149: for one "
     "level and every d, w1, w2 among the values with bias 0.54, FLT_MAX, -FLT_MAX, and with "
     "inner bias and softplus 0.54; for 21 levels of hidden width 42 with the values laid out in "
     "21 ways, ten of them with inner bias and softplus.",
     "\\hat\\lambda = \\min(\\mathrm{softplus}(z+\\delta)(1+\\epsilon)+\\eta,\\ "
     "\\mathtt{FLT\\_MAX})",
     NULL, NULL},
    {"start", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "With W2 = 0 and bias 0.54 every float32 weight is the same number softplus(0.54), for 3 "
     "levels, hidden width 6 and 882 inputs made of the values, with and without inner softplus.",
     "W_2=0 \\;\\Rightarrow\\; \\hat\\lambda = \\hat s(0.54)", NULL, NULL},
    {NULL}};

static const mlp_parameter library = {mn_softplus, mn_lambda_mlp, 0};
static const mlp_parameter naive = {naive_softplus, naive_mlp, 0};
static const mlp_parameter not_zero = {mn_softplus, mn_lambda_mlp, 1e-3f};

static const check checks[] = {{"softplus",
                                "softplus",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_softplus,
                                &library,
                                {1, 1, 1},
                                0.01},
                               {"extremes",
                                "extremes",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_extremes,
                                &library,
                                {1, 1, 1},
                                0.5},
                               {"start",
                                "start",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_zero,
                                &library,
                                {1, 1, 1},
                                0.01},
                               {NULL}};

static const control controls[] = {{"naive", "softplus", "ln(1+e^x) in float", &naive},
                                   {"naive", "extremes", "sums and ln(1+e^x) in float", &naive},
                                   {"small-w2", "start", "+-1/1000 in W2", &not_zero},
                                   {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_loglinear_lambda_mlp = {"loglinear.lambda-mlp",
                                          "The lambda-MLP in float32",
                                          "Adaptive memory decay, LambdaMLPSoftplus",
                                          hypotheses,
                                          statements,
                                          checks,
                                          controls,
                                          settings,
                                          figures};

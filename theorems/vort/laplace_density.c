/* vort.laplace-density: w_j(alpha) = int_0^inf e^(-j lambda) rho(lambda) dlambda (VORT, Eq. 5). */
#include "numerics/exact/gl.h"
#include "numerics/exact/laplace.h"
#include "numerics/exact/number.h"
#include "theorems/vort/common.h"

typedef struct {
    const char *const *orders;
    ulong extra;             /* further factors e^-lambda under the integral */
    ulong shift;             /* the weight it is compared with is w_{j+shift} */
    const char *order_shift; /* added to alpha on the side of the weights */
} moment_parameter;

static const ulong moments[] = {1, 2, 3, 10, 57, 400};
enum { MOMENTS = sizeof moments / sizeof *moments, MOMENT_BITS = 80 };

static void decide_moments(check_context *ctx, const moment_parameter *p, int substituted) {
    vort_parameter list = {p->orders, NULL};
    slong orders;
    fmpq *alpha = vort_orders(ctx, &list, &orders);
    fmpq_t w, order;
    fmpz_t j;
    arb_t integral, weight;
    fmpq_init(w);
    fmpq_init(order);
    fmpz_init(j);
    arb_init(integral);
    arb_init(weight);
    slong prec = ctx->prec + 32;
    for (slong n = 0; n < orders; n++)
        for (int i = 0; i < MOMENTS; i++) {
            vort_rational(order, p->order_shift);
            fmpq_add(order, order, alpha + n);
            if (substituted) { /* against the Gamma quotient */
                exact_laplace_integral_sinc(integral, alpha + n, moments[i] + p->extra, prec);
                arb_t a;
                arb_init(a);
                arb_set_fmpq(a, order, prec + 64);
                arb_set_ui(weight, moments[i] + p->shift);
                exact_gl_real(weight, a, weight, prec);
                arb_clear(a);
            } else { /* against the exact rational */
                exact_laplace_integral(integral, alpha + n, moments[i] + p->extra, NULL, prec);
                exact_gl_rational(w, order, moments[i] + p->shift);
                arb_set_fmpq(weight, w, prec);
            }
            claim_two_paths(ctx, "int e^(-j lambda) rho = w_j", integral, weight, MOMENT_BITS);
        }
    fmpq_clear(w);
    fmpq_clear(order);
    fmpz_clear(j);
    arb_clear(integral);
    arb_clear(weight);
    vort_orders_free(alpha);
}

static void check_moments(check_context *ctx, const void *parameter) {
    decide_moments(ctx, parameter, 0);
}

static void check_substituted(check_context *ctx, const void *parameter) {
    decide_moments(ctx, parameter, 1);
}

/* alpha = 1: int (1-x)^2 dmu = w_0 - 2w_1 + w_2 = 0, so a positive mu lives where x = e^-lambda = 1. */
static void check_point_mass(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq_t spread, w, zero;
    fmpq_init(spread);
    fmpq_init(w);
    fmpq_init(zero);
    for (slong n = 0; n < orders; n++) {
        exact_gl_rational(spread, alpha + n, 0);
        exact_gl_rational(w, alpha + n, 1);
        fmpq_mul_2exp(w, w, 1);
        fmpq_sub(spread, spread, w);
        exact_gl_rational(w, alpha + n, 2);
        fmpq_add(spread, spread, w);
        claim_decide_fmpq(ctx, "w_0 - 2w_1 + w_2 = 0", spread, RELATION_EQ, zero);
    }
    fmpq_clear(spread);
    fmpq_clear(w);
    fmpq_clear(zero);
    vort_orders_free(alpha);
}

/* The mass on lambda > eta is at most (sin pi alpha/pi)(1/eta + (1-1/e)^-alpha e^-alpha/alpha), for
   eta < 1: (e^lambda-1)^-alpha <= lambda^-alpha <= 1/eta on [eta,1], and (1-1/e)^-alpha e^(-alpha lambda)
   beyond 1.  number: factor of the bound (1). */
static void check_concentration(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong prec = ctx->prec + 32;
    fmpq_t alpha, factor;
    arb_t mass, bound, eta, x, a;
    fmpq_init(alpha);
    fmpq_init(factor);
    arb_init(mass);
    arb_init(bound);
    arb_init(eta);
    arb_init(x);
    arb_init(a);
    vort_rational(factor, p->number);
    for (slong k = 1; k <= 21; k += 5) {
        fmpq_set_si(alpha, 1, 1);
        fmpq_div_2exp(alpha, alpha, (ulong)k);
        vort_one_minus(alpha, alpha);
        for (slong e = 1; e <= 7; e += 3) {
            arb_one(eta);
            arb_mul_2exp_si(eta, eta, -e);
            /* all of it has mass w_0 = 1 */
            exact_laplace_integral(mass, alpha, 0, eta, prec);
            arb_sub_ui(mass, mass, 1, prec);
            arb_neg(mass, mass);
            arb_set_fmpq(a, alpha, prec);
            arb_set_si(x, -1);
            arb_exp(x, x, prec);
            arb_sub_ui(x, x, 1, prec);
            arb_neg(x, x); /* 1 - 1/e */
            arb_neg(bound, a);
            arb_pow(x, x, bound, prec);
            arb_exp(bound, bound, prec);
            arb_mul(x, x, bound, prec);
            arb_div(x, x, a, prec);
            arb_inv(bound, eta, prec);
            arb_add(bound, bound, x, prec);
            arb_sin_pi_fmpq(x, alpha, prec);
            arb_mul(bound, bound, x, prec);
            arb_const_pi(x, prec);
            arb_div(bound, bound, x, prec);
            arb_mul_fmpz(bound, bound, fmpq_numref(factor), prec);
            arb_div_fmpz(bound, bound, fmpq_denref(factor), prec);
            claim_decide_arb(ctx, "mass on lambda > eta is below its bound", mass, RELATION_LE,
                             bound);
        }
    }
    fmpq_clear(alpha);
    fmpq_clear(factor);
    arb_clear(mass);
    arb_clear(bound);
    arb_clear(eta);
    arb_clear(x);
    arb_clear(a);
}

static const char *const hypotheses[] = {"0 < alpha < 1, j >= 0 an integer",
                                         "rho(lambda) = (sin(pi alpha)/pi) (e^lambda-1)^(-alpha)",
                                         NULL};

static const char *const proof_moments[] = {
    "x = e^-lambda turns the integral into (sin(pi alpha)/pi) B(j+alpha, 1-alpha), Euler's beta "
    "integral, convergent since j+alpha > 0 and 1-alpha > 0.",
    "B(j+alpha,1-alpha) = Gamma(j+alpha)Gamma(1-alpha)/Gamma(j+1), and Gamma(alpha)Gamma(1-alpha) "
    "= pi/sin(pi alpha).",
    "rho > 0, so the representing measure is positive; it is unique (moments of a measure on "
    "[0,1], Hausdorff).",
    NULL};
static const char *const proof_point[] = {
    "The moments of a measure mu on x in [0,1] representing w_j(1) = 1 give int (1-x)^2 dmu = "
    "1-2+1 = 0.",
    "So mu is concentrated at x = 1, that is lambda = 0, with mass w_0 = 1.",
    "The mass of rho_alpha on lambda > eta is at most (sin(pi alpha)/pi)(1/eta + (1-1/e)^-alpha "
    "e^-alpha/alpha), which goes to 0 as alpha -> 1.",
    NULL};

static const statement statements[] = {
    {"moments", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "For 0 < alpha < 1 the weights are the Laplace transform of rho(lambda) = (sin(pi "
     "alpha)/pi)(e^lambda-1)^(-alpha).",
     "w_j(\\alpha) = \\int_0^\\infty e^{-\\lambda "
     "j}\\,\\frac{\\sin\\pi\\alpha}{\\pi}(e^\\lambda-1)^{-\\alpha}\\,d\\lambda",
     NULL, proof_moments},
    {"unit-order", STATEMENT_CORRECTED, VERDICT_PROVED,
     "At alpha = 1 the measure is the unit point mass at lambda = 0, the limit of rho_alpha as "
     "alpha -> 1.",
     "\\rho_1 = \\delta_0", NULL, proof_point},
    {NULL}};

static const char *const unit[] = {"1", NULL};
static const char *const half[] = {"1/2", NULL};
static const moment_parameter plain = {vort_orders_open, 0, 0, "0"};
static const moment_parameter shifted = {vort_orders_open, 1, 1, "0"};
static const moment_parameter one_more_factor = {vort_orders_open, 1, 0, "0"};
static const moment_parameter order_off = {vort_orders_open, 0, 0, "1/1000"};
static const vort_parameter at_unit = {unit, NULL};
static const vort_parameter at_half = {half, NULL};
static const vort_parameter full_bound = {unit, "1"};
static const vort_parameter tenth_bound = {unit, "1/10"};

static const check checks[] = {{"moments",
                                "moments",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_moments,
                                &plain,
                                {1, 1, 1},
                                1.0},
                               {"one-more-factor",
                                "moments",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_moments,
                                &shifted,
                                {1, 1, 1},
                                1.0},
                               {"substituted",
                                "moments",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_substituted,
                                &plain,
                                {1, 1, 1},
                                1.5},
                               {"point-mass",
                                "unit-order",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_point_mass,
                                &at_unit,
                                {1, 1, 1},
                                0.01},
                               {"concentration",
                                "unit-order",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_concentration,
                                &full_bound,
                                {1, 1, 1},
                                0.02},
                               {NULL}};

static const control controls[] = {
    {"one-more-factor", "moments", "one more factor e^-lambda (it gives w_{j+1})",
     &one_more_factor},
    {"order-off", "one-more-factor", "alpha + 1/1000 in the weights", &order_off},
    {"order-off", "substituted", "alpha + 1/1000 in the weights", &order_off},
    {"order-one-half", "point-mass", "alpha = 1/2", &at_half},
    {"tenth-of-the-bound", "concentration", "a tenth of the bound", &tenth_bound},
    {NULL}};

static const setting settings[] = {{"alpha", "fractional order", "0", "1", 1, 1, 0}, {NULL}};

static const char *const figures[] = {NULL};

const claim claim_vort_laplace_density = {"vort.laplace-density",
                                          "The weights as a Laplace transform",
                                          "VORT, Eq. 5",
                                          hypotheses,
                                          statements,
                                          checks,
                                          controls,
                                          settings,
                                          figures};

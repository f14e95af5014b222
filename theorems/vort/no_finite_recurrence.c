/* vort.no-finite-recurrence: for alpha < 1 the weights satisfy no linear recurrence of finite order.

   By Kronecker's theorem they do iff their infinite Hankel matrix has finite rank.  Its leading
   minors are products of the squared norms h_m of the orthogonal polynomials of the measure rho. */
#include "numerics/exact/gauss.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/hankel.h"
#include "numerics/exact/modes.h"
#include "numerics/exact/number.h"
#include "theorems/vort/common.h"

enum { SIZE = 64, SMALL_SIZE = 32 };

typedef struct {
    const char *const *orders;
    int mixture; /* replace the weights by a mixture of three exponentials */
} sequence_parameter;

static void fill_sequence(fmpq *m, const fmpq_t alpha, int mixture, slong n) {
    if (mixture) {
        fmpq *c = _fmpq_vec_init(3), *x = _fmpq_vec_init(3);
        for (slong s = 0; s < 3; s++) {
            fmpq_set_si(c + s, 1, 3);
            fmpq_set_si(x + s, s + 1, 4);
        }
        exact_modes_kernel(m, c, x, 3, n);
        _fmpq_vec_clear(c, 3);
        _fmpq_vec_clear(x, 3);
    } else {
        exact_gl_rational_vec(m, alpha, n);
    }
}

/* Unit 0: size 64 for the first order, size 32 for the others; every unit more: size 64 for one. */
static void check_determinants(check_context *ctx, const void *parameter) {
    const sequence_parameter *p = parameter;
    vort_parameter list = {p->orders, NULL};
    slong orders;
    fmpq *alpha = vort_orders(ctx, &list, &orders);
    fmpq *m = _fmpq_vec_init(2 * SIZE), *det = _fmpq_vec_init(SIZE);
    fmpq_t formula, h, zero;
    fmpq_init(formula);
    fmpq_init(h);
    fmpq_init(zero);
    for (slong n = 0; n < orders; n++) {
        if (ctx->index > 0 && n != ctx->index % orders)
            continue;
        slong size = p->mixture ? 6 : n == 2 || orders == 1 || ctx->index > 0 ? SIZE : SMALL_SIZE;
        fill_sequence(m, alpha + n, p->mixture, 2 * size - 1);
        exact_hankel_minors(det, m, size);
        fmpq_one(formula);
        for (slong k = 0; k < size; k++) {
            exact_hankel_norm(h, alpha + n, (ulong)k);
            fmpq_mul(formula, formula, h);
            claim_decide_fmpq(ctx, "det [w_{i+k}] = prod h_m", det + k, RELATION_EQ, formula);
            claim_decide_fmpq(ctx, "det [w_{i+k}] > 0", det + k, RELATION_GT, zero);
        }
    }
    fmpq_clear(formula);
    fmpq_clear(h);
    fmpq_clear(zero);
    _fmpq_vec_clear(m, 2 * SIZE);
    _fmpq_vec_clear(det, SIZE);
    vort_orders_free(alpha);
}

/* The norms by Chebyshev's algorithm, a second path to the determinants. */
static void check_norms(check_context *ctx, const void *parameter) {
    const sequence_parameter *p = parameter;
    vort_parameter list = {p->orders, NULL};
    slong orders;
    fmpq *alpha = vort_orders(ctx, &list, &orders);
    fmpq *m = _fmpq_vec_init(2 * SIZE), *norm = _fmpq_vec_init(SIZE);
    fmpq_t h;
    fmpq_init(h);
    for (slong n = 0; n < orders; n++) {
        fill_sequence(m, alpha + n, p->mixture, 2 * SIZE);
        exact_chebyshev_norms(norm, m, SIZE);
        for (slong k = 0; k < SIZE; k++) {
            exact_hankel_norm(h, alpha + n, (ulong)k);
            claim_decide_fmpq(ctx, "h_m by Chebyshev's algorithm = its formula", norm + k,
                              RELATION_EQ, h);
        }
    }
    fmpq_clear(h);
    _fmpq_vec_clear(m, 2 * SIZE);
    _fmpq_vec_clear(norm, SIZE);
    vort_orders_free(alpha);
}

/* h_k/h_{k-1} = (alpha+k-1)(k-alpha)/(4(2k-1)^2) for k >= 2, alpha(1-alpha)/2 for k = 1, and this is
   the coefficient square_k of the Jacobi weight x^(alpha-1)(1-x)^(-alpha).  Cleared of denominators
   both sides are of degree <= 10 in k and <= 4 in alpha: 12 x 6 points prove it.  orders: where the
   sign is looked at. */
static void check_all_sizes(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    gauss_weight_t weight;
    fmpq_t a, centre, square, ratio, h, zero, one;
    exact_gauss_weight_init(weight, GAUSS_JACOBI);
    fmpq_init(a);
    fmpq_init(centre);
    fmpq_init(square);
    fmpq_init(ratio);
    fmpq_init(h);
    fmpq_init(zero);
    fmpq_init(one);
    fmpq_one(one);
    for (slong n = 1; n <= 6; n++)
        for (ulong k = 1; k <= 13; k++) {
            fmpq_set_si(a, n, 7);
            fmpq_sub(weight->a, a, one);
            fmpq_neg(weight->b, a);
            exact_gauss_recurrence(centre, square, weight, k);
            exact_hankel_norm(h, a, k);
            exact_hankel_norm(ratio, a, k - 1);
            fmpq_div(ratio, h, ratio);
            claim_decide_fmpq(ctx, "h_k/h_{k-1} = the Jacobi recurrence coefficient", ratio,
                              RELATION_EQ, square);
            /* (a+k-1)(k-a)/(4(2k-1)^2) */
            fmpz_t z;
            fmpz_init_set_ui(z, k);
            fmpq_add_fmpz(h, a, z);
            fmpq_sub(h, h, one);
            fmpq_sub_fmpz(centre, a, z);
            fmpq_mul(h, h, centre);
            fmpq_neg(h, h);
            fmpz_set_ui(z, k == 1 ? 2 : 4 * (2 * k - 1) * (2 * k - 1) + (p->number != NULL));
            fmpq_div_fmpz(h, h, z);
            fmpz_clear(z);
            claim_decide_fmpq(ctx, "square_k = (alpha+k-1)(k-alpha)/(4(2k-1)^2), k >= 2", square,
                              RELATION_EQ, h);
        }
    for (slong n = 0; n < orders;
         n++) { /* every factor positive: alpha > 0 and k-alpha >= 1-alpha */
        claim_decide_fmpq(ctx, "alpha > 0", alpha + n, RELATION_GT, zero);
        vort_one_minus(h, alpha + n);
        claim_decide_fmpq(ctx, "1-alpha > 0", h, RELATION_GT, zero);
        exact_hankel_norm(h, alpha + n, 1);
        claim_decide_fmpq(ctx, "h_1 > 0", h, RELATION_GT, zero);
    }
    exact_gauss_weight_clear(weight);
    fmpq_clear(a);
    fmpq_clear(centre);
    fmpq_clear(square);
    fmpq_clear(ratio);
    fmpq_clear(h);
    fmpq_clear(zero);
    fmpq_clear(one);
    vort_orders_free(alpha);
}

/* y_t = y_{t-1} + x_t is the convolution with w(1) = 1, 1, ...: rank 1.  orders: the order whose
   weights are convolved. */
static void check_running_sum(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    enum { STEPS = 64 };
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq *x = _fmpq_vec_init(STEPS), *y = _fmpq_vec_init(STEPS), *w = _fmpq_vec_init(STEPS),
         *det = _fmpq_vec_init(8);
    fmpq_t sum, zero;
    fmpq_init(sum);
    fmpq_init(zero);
    exact_random r = {ctx->seed};
    for (slong t = 0; t < STEPS; t++)
        exact_random_rational(x + t, &r, 50);
    exact_gl_rational_vec(w, alpha, STEPS);
    exact_modes_convolution(y, x, w, STEPS, 1);
    for (slong t = 0; t < STEPS; t++) {
        fmpq_add(sum, sum, x + t);
        claim_decide_fmpq(ctx, "running sum = convolution with w(1)", sum, RELATION_EQ, y + t);
    }
    exact_hankel_minors(det, w, 8);
    for (slong k = 1; k < 8; k++)
        claim_decide_fmpq(ctx, "Hankel minors of size >= 2 vanish at alpha = 1", det + k,
                          RELATION_EQ, zero);
    fmpq_clear(sum);
    fmpq_clear(zero);
    _fmpq_vec_clear(x, STEPS);
    _fmpq_vec_clear(y, STEPS);
    _fmpq_vec_clear(w, STEPS);
    _fmpq_vec_clear(det, 8);
    vort_orders_free(alpha);
}

/* "No finite recurrence for any order of [delta,1]" would make every minor nonzero, so positive. */
static void check_every_order(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq *w = _fmpq_vec_init(4), *det = _fmpq_vec_init(2), *second = det + 1;
    fmpq_t zero;
    fmpz_t size;
    fmpq_init(zero);
    fmpz_init_set_ui(size, 2);
    for (slong n = 0; n < orders; n++) {
        exact_gl_rational_vec(w, alpha + n, 3);
        exact_hankel_minors(det, w, 2);
        if (claim_decide_fmpq(ctx, "det [w_{i+k}]_{i,k<2} > 0", second, RELATION_GT, zero) ==
            TRUTH_FAILS) {
            enclosure_t lhs, rhs;
            enclosure_init(lhs);
            enclosure_init(rhs);
            enclosure_set_rational(lhs, second);
            witness_struct *witness =
                claim_witness(ctx, "vort.no-finite-recurrence.order-1", "hankel-determinant");
            witness_add(witness, "alpha", alpha + n, 1);
            witness_add_integer(witness, "size", size);
            witness_conclude(witness, lhs, RELATION_EQ, rhs, 64);
            enclosure_clear(lhs);
            enclosure_clear(rhs);
        }
    }
    fmpq_clear(zero);
    fmpz_clear(size);
    _fmpq_vec_clear(w, 4);
    _fmpq_vec_clear(det, 2);
    vort_orders_free(alpha);
}

static const char *const hypotheses[] = {"a finite recurrence: y_t = sum_{i<=p} a_i y_{t-i} + "
                                         "sum_{i<=q} b_i x_{t-i} with constant coefficients",
                                         NULL};

static const char *const proof_all_orders[] = {
    "If y = w * x obeys a recurrence of order p, then w does from some index on, and its Hankel "
    "matrices have bounded rank (Kronecker 1881).",
    "The w_j are the moments of a positive measure with infinite support (vort.laplace-density), "
    "so D_n = h_0 ... h_{n-1} with h_m the squared norms of its monic orthogonal polynomials.",
    "These are the Jacobi polynomials of x^(alpha-1)(1-x)^(-alpha) on [0,1]: h_1 = "
    "alpha(1-alpha)/2 and h_k/h_{k-1} = (alpha+k-1)(k-alpha)/(4(2k-1)^2) for k >= 2 (Szegoe "
    "4.5.1), which telescopes to h_m = 2(m!)^2(alpha)_m(1-alpha)_m/((2m)!)^2.",
    "For 0 < alpha < 1 every factor is positive: D_n > 0 for every n, the rank is infinite.", NULL};
static const char *const proof_unit[] = {
    "w_j(1) = 1, so y_t = sum_{i<=t} x_i and y_t = y_{t-1} + x_t.", NULL};

static const statement statements[] = {
    {"every-order", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "The Grünwald-Letnikov sum is inherently non-Markovian, for every order that VORT uses, "
     "[delta, 1].",
     "\\det[w_{i+k}(\\alpha)]_{i,k<n} \\ne 0 \\text{ for all } \\alpha\\in[\\delta,1]",
     "True for 0 < alpha < 1, by a recurrence of no finite order; at alpha = 1 it is y_t = y_{t-1} "
     "+ x_t.",
     NULL},
    {"no-recurrence", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For 0 < alpha < 1 the Hankel determinants of the weights are prod_{m<n} h_m > 0 with h_0 = "
     "1, h_m = 2(m!)^2(alpha)_m(1-alpha)_m/((2m)!)^2 for every n: no finite recurrence of any "
     "order.",
     "\\det[w_{i+k}]_{i,k<n} = \\prod_{m<n}\\frac{2(m!)^2(\\alpha)_m(1-\\alpha)_m}{((2m)!)^2} > 0",
     NULL, proof_all_orders},
    {"unit-order", STATEMENT_CORRECTED, VERDICT_PROVED,
     "At alpha = 1 the Hankel rank is 1 and y_t = y_{t-1} + x_t.", "y_t = y_{t-1} + x_t", NULL,
     proof_unit},
    {NULL}};

static const char *const unit[] = {"1", NULL};
static const char *const half[] = {"1/2", NULL};
static const char *const too_large[] = {"3/2", NULL};
static const sequence_parameter weights = {vort_orders_open, 0};
static const sequence_parameter mixture = {vort_orders_open, 1};
static const vort_parameter open_orders = {vort_orders_open, NULL};
static const vort_parameter beyond_unit = {too_large, NULL};
static const vort_parameter formula_off = {vort_orders_open, "1"};
static const vort_parameter at_unit = {unit, NULL};
static const vort_parameter at_half = {half, NULL};

static const check checks[] = {{"every-order",
                                "every-order",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_every_order,
                                &at_unit,
                                {1, 1, 1},
                                0.01},
                               {"determinants",
                                "no-recurrence",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_determinants,
                                &weights,
                                {1, 8, 8},
                                1.5},
                               {"norms",
                                "no-recurrence",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_norms,
                                &weights,
                                {1, 1, 1},
                                0.3},
                               {"all-sizes",
                                "no-recurrence",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_all_sizes,
                                &open_orders,
                                {1, 1, 1},
                                0.05},
                               {"running-sum",
                                "unit-order",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_running_sum,
                                &at_unit,
                                {1, 1, 1},
                                0.05},
                               {NULL}};

static const control controls[] = {
    {"order-one-half", "every-order", "alpha = 1/2", &at_half},
    {"three-exponentials", "determinants", "a mixture of three exponentials", &mixture, 0.01},
    {"three-exponentials", "norms", "a mixture of three exponentials", &mixture, 0.01},
    {"order-above-1", "all-sizes", "alpha = 3/2", &beyond_unit},
    {"formula-off", "all-sizes", "4(2k-1)^2 + 1 in the formula", &formula_off},
    {"order-one-half", "running-sum", "alpha = 1/2", &at_half},
    {NULL}};

static const setting settings[] = {{"alpha", "fractional order", "0", "1", 1, 1, 0}, {NULL}};

static const char *const figures[] = {NULL};

const claim claim_vort_no_finite_recurrence = {"vort.no-finite-recurrence",
                                               "No finite recurrence for fractional orders",
                                               "VORT, Sec. 2",
                                               hypotheses,
                                               statements,
                                               checks,
                                               controls,
                                               settings,
                                               figures};

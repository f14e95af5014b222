/* vort.weights: the Gruenwald-Letnikov weights w_j(alpha) = (alpha)_j/j! themselves (VORT, Eqs. 2-4).

   Everything is either an identity between rational functions of j and alpha, checked in Q at more
   points than its degree allows it to be wrong at, or an inequality evaluated in balls. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "theorems/vort/common.h"

#include <string.h>

/* ---- positive, decreasing ---- */

static void check_decreasing(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    enum { COUNT = 257 };
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq *w = _fmpq_vec_init(COUNT);
    fmpq_t zero;
    fmpq_init(zero);
    /* (j+1) - (j+alpha) = 1 - alpha, of degree 1 in j and in alpha: four points prove it */
    for (slong point = 0; point < 4; point++) {
        slong j = point & 1, a = point >> 1;
        claim_decide_si(ctx, "(j+1)-(j+alpha) = 1-alpha", (j + 1) - (j + a), RELATION_EQ, 1 - a);
    }
    for (slong n = 0; n < orders; n++) {
        exact_gl_rational_vec(w, alpha + n, COUNT);
        for (slong j = 0; j + 1 < COUNT; j++) {
            claim_decide_fmpq(ctx, "w_j > 0", w + j, RELATION_GT, zero);
            claim_decide_fmpq(ctx, "w_{j+1} < w_j", w + j + 1, RELATION_LT, w + j);
        }
    }
    fmpq_clear(zero);
    _fmpq_vec_clear(w, COUNT);
    vort_orders_free(alpha);
}

/* ---- completely monotone ---- */

/* out := w_j (1-alpha)_k / (j+1)_k */
static void monotone_formula(fmpq_t out, const fmpq_t w, const fmpq_t alpha, slong j, slong k) {
    fmpq_t f;
    fmpq_init(f);
    fmpq_set(out, w);
    for (slong i = 0; i < k; i++) {
        fmpq_set_si(f, 1 + i, 1);
        fmpq_sub(f, f, alpha);
        fmpq_mul(out, out, f);
        fmpq_set_si(f, j + 1 + i, 1);
        fmpq_div(out, out, f);
    }
    fmpq_clear(f);
}

static void check_completely_monotone(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    enum { DEPTH = 24, COUNT = 2 * DEPTH + 1 };
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq *d = _fmpq_vec_init(COUNT), *w = _fmpq_vec_init(COUNT);
    fmpq_t formula, zero;
    fmpq_init(formula);
    fmpq_init(zero);
    /* the step of the induction: (j+k+1) - (j+alpha) = k+1-alpha, degree 1 in j, k, alpha */
    for (slong point = 0; point < 8; point++) {
        slong j = point & 1, k = (point >> 1) & 1, a = point >> 2;
        claim_decide_si(ctx, "(j+k+1)-(j+alpha) = k+1-alpha", (j + k + 1) - (j + a), RELATION_EQ,
                        k + 1 - a);
    }
    for (slong n = 0; n < orders; n++) {
        exact_gl_rational_vec(w, alpha + n, COUNT);
        for (slong j = 0; j < COUNT; j++)
            fmpq_set(d + j, w + j);
        for (slong k = 0; k <= DEPTH; k++) {
            for (slong j = 0; j <= DEPTH; j++) {
                monotone_formula(formula, w + j, alpha + n, j, k);
                claim_decide_fmpq(ctx, "(-1)^k Delta^k w_j = w_j (1-alpha)_k/(j+1)_k", d + j,
                                  RELATION_EQ, formula);
                claim_decide_fmpq(ctx, "(-1)^k Delta^k w_j > 0", d + j, RELATION_GT, zero);
            }
            for (slong j = 0; j + 1 < COUNT - k; j++)
                fmpq_sub(d + j, d + j, d + j + 1);
        }
    }
    fmpq_clear(formula);
    fmpq_clear(zero);
    _fmpq_vec_clear(d, COUNT);
    _fmpq_vec_clear(w, COUNT);
    vort_orders_free(alpha);
}

/* ---- alpha = 1 ---- */

static void check_unit_order(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq_t w, one;
    fmpq_init(w);
    fmpq_init(one);
    fmpq_one(one);
    for (slong n = 0; n < orders; n++)
        for (ulong j = 0; j < 1000; j += j < 20 ? 1 : 97) {
            exact_gl_rational(w, alpha + n, j);
            claim_decide_fmpq(ctx, "w_j(1) = 1", w, RELATION_EQ, one);
        }
    fmpq_clear(w);
    fmpq_clear(one);
    vort_orders_free(alpha);
}

/* ---- alpha -> 0 ---- */

/* number: factor in front of the bound (1; the control halves it). */
static void check_vanishing(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    fmpq_t alpha, w, product, factor, scale, harmonic, one;
    arb_t bound, x, tiny;
    fmpq_init(alpha);
    fmpq_init(w);
    fmpq_init(product);
    fmpq_init(factor);
    fmpq_init(scale);
    fmpq_init(harmonic);
    fmpq_init(one);
    arb_init(bound);
    arb_init(x);
    arb_init(tiny);
    vort_rational(scale, p->number);
    fmpq_one(one);
    for (slong k = 1; k <= 60; k += k < 4 ? 1 : 8) {
        fmpq_one(alpha);
        fmpq_div_2exp(alpha, alpha, (ulong)k);
        exact_gl_rational(w, alpha, 0);
        claim_decide_fmpq(ctx, "w_0 = 1", w, RELATION_EQ, one);
        fmpq_set(product, alpha); /* alpha prod_{i<j} (1+alpha/i), then over j */
        fmpq_zero(harmonic);
        for (slong j = 1; j <= 64; j++) {
            fmpq_set_si(factor, 1, (ulong)j);
            fmpq_t left;
            fmpq_init(left);
            fmpq_mul(left, product, factor);
            exact_gl_rational(w, alpha, (ulong)j);
            claim_decide_fmpq(ctx, "w_j = (alpha/j) prod_{i<j}(1+alpha/i)", w, RELATION_EQ, left);
            fmpq_clear(left);
            /* bound = scale (alpha/j) e^(alpha H_{j-1}) */
            fmpq_mul(factor, factor, alpha);
            fmpq_mul(factor, factor, scale);
            arb_set_fmpq(bound, factor, ctx->prec);
            fmpq_mul(factor, alpha, harmonic);
            arb_set_fmpq(x, factor, ctx->prec);
            arb_exp(x, x, ctx->prec);
            arb_mul(bound, bound, x, ctx->prec);
            if (j > 1) { /* equality at j = 1 is the identity above */
                arb_set_fmpq(x, w, ctx->prec);
                claim_decide_arb(ctx, "w_j <= (alpha/j) e^(alpha H_{j-1})", x, RELATION_LE, bound);
            }
            /* next: (1+alpha/j) and H_j */
            fmpq_set_si(factor, j, 1);
            fmpq_div(factor, alpha, factor);
            fmpq_add(factor, factor, one);
            fmpq_mul(product, product, factor);
            fmpq_set_si(factor, 1, (ulong)j);
            fmpq_add(harmonic, harmonic, factor);
        }
    }
    /* the bound at alpha = 2^-60, j = 64 is already below 2^-60 */
    arb_one(tiny);
    arb_mul_2exp_si(tiny, tiny, -60);
    claim_decide_arb(ctx, "the bound goes to 0 with alpha", bound, RELATION_LE, tiny);
    fmpq_clear(alpha);
    fmpq_clear(w);
    fmpq_clear(product);
    fmpq_clear(factor);
    fmpq_clear(scale);
    fmpq_clear(harmonic);
    fmpq_clear(one);
    arb_clear(bound);
    arb_clear(x);
    arb_clear(tiny);
}

/* ---- two-sided bound ---- */

static const char *const bound_indices[] = {"1",   "2",   "3",   "10",   "171", "1000",
                                            "1e5", "1e8", "1e9", "1e12", NULL};

/* psi = w_j Gamma(alpha) j^(1-alpha) by the weight itself, not by exact_gl_power_ratio. */
static void normalised_weight(arb_t psi, const fmpq_t alpha, const fmpz_t j, slong prec) {
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    exact_gl_ball(psi, alpha, j, prec);
    arb_gamma_fmpq(x, alpha, prec);
    arb_mul(psi, psi, x, prec);
    arb_set_fmpq(y, alpha, prec + 64);
    arb_sub_ui(y, y, 1, prec + 64);
    arb_neg(y, y);
    arb_set_fmpz(x, j);
    arb_pow(x, x, y, prec);
    arb_mul(psi, psi, x, prec);
    arb_clear(x);
    arb_clear(y);
}

/* number: factor of the exponent alpha-1 in the lower bound (1; the control takes 1/4). */
static void check_two_sided(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders, prec = ctx->prec + 64;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpz_t j;
    fmpq_t factor;
    arb_t psi, low, one, x, e, gap, law;
    fmpz_init(j);
    fmpq_init(factor);
    arb_init(psi);
    arb_init(low);
    arb_init(one);
    arb_init(x);
    arb_init(e);
    arb_init(gap);
    arb_init(law);
    vort_rational(factor, p->number);
    arb_one(one);
    for (slong n = 0; n < orders; n++)
        for (slong i = 0; bound_indices[i] != NULL; i++) {
            exact_parse_integer(j, bound_indices[i]);
            normalised_weight(psi, alpha + n, j, prec);
            /* low = (1+alpha/j)^(alpha-1) */
            arb_set_fmpq(e, alpha + n, prec);
            arb_div_fmpz(x, e, j, prec);
            arb_sub_ui(e, e, 1, prec);
            arb_mul_fmpz(e, e, fmpq_numref(factor), prec);
            arb_div_fmpz(e, e, fmpq_denref(factor), prec);
            arb_add_ui(low, x, 1, prec);
            arb_pow(low, low, e, prec);
            claim_decide_arb(ctx, "(1+alpha/j)^(alpha-1) <= w_j Gamma(alpha) j^(1-alpha)", low,
                             RELATION_LE, psi);
            claim_decide_arb(ctx, "w_j Gamma(alpha) j^(1-alpha) <= 1", psi, RELATION_LE, one);
            /* relative error of the law, against the law and against the weight */
            arb_sub(gap, one, psi, prec);
            arb_set_fmpq(law, alpha + n, prec);
            arb_sub_ui(e, law, 1, prec);
            arb_mul(law, law, e, prec);
            arb_neg(law, law);
            arb_div_fmpz(law, law, j, prec);
            claim_decide_arb(ctx, "1 - psi <= alpha(1-alpha)/j", gap, RELATION_LE, law);
            arb_div(gap, gap, psi, prec);
            claim_decide_arb(ctx, "1/psi - 1 <= alpha(1-alpha)/j", gap, RELATION_LE, law);
        }
    fmpz_clear(j);
    fmpq_clear(factor);
    arb_clear(psi);
    arb_clear(low);
    arb_clear(one);
    arb_clear(x);
    arb_clear(e);
    arb_clear(gap);
    arb_clear(law);
    vort_orders_free(alpha);
}

/* ---- the sharp constant gamma_Euler ---- */

enum { GAP_TAYLOR = 5 };

/* F_j(alpha) = c alpha(1-alpha)/j - 1 + psi_j(alpha), psi_j = Gamma(j+alpha)/(Gamma(j) j^alpha):
   its first Taylor coefficients at the ball alpha. */
static void gap_taylor(arb_ptr f, const arb_t c, ulong j, const arb_t alpha, slong prec) {
    arb_poly_t x, g;
    arb_t t;
    arb_poly_init(x);
    arb_poly_init(g);
    arb_init(t);
    arb_add_ui(t, alpha, j, prec);
    arb_poly_set_coeff_arb(x, 0, t);
    arb_poly_set_coeff_si(x, 1, 1);
    arb_poly_lgamma_series(g, x, GAP_TAYLOR, prec);
    arb_set_ui(t, j);
    arb_log(t, t, prec);
    arb_poly_get_coeff_arb(f, g, 1);
    arb_sub(f, f, t, prec);
    arb_poly_set_coeff_arb(g, 1, f); /* - ln j per unit of alpha */
    arb_mul(t, t, alpha, prec);
    arb_poly_get_coeff_arb(f, g, 0);
    arb_sub(f, f, t, prec);
    arb_fac_ui(t, j - 1, prec);
    arb_log(t, t, prec);
    arb_sub(f, f, t, prec);
    arb_poly_set_coeff_arb(g, 0, f);
    arb_poly_exp_series(g, g, GAP_TAYLOR, prec);
    for (slong i = 0; i < GAP_TAYLOR; i++)
        arb_poly_get_coeff_arb(f + i, g, i);
    arb_sub_ui(f, f, 1, prec);
    /* + (c/j)(alpha - alpha^2): value, slope, half the second derivative */
    arb_div_ui(t, c, j, prec);
    arb_t u;
    arb_init(u);
    arb_mul(u, alpha, alpha, prec);
    arb_sub(u, alpha, u, prec);
    arb_addmul(f, t, u, prec);
    arb_mul_2exp_si(u, alpha, 1);
    arb_sub_ui(u, u, 1, prec);
    arb_submul(f + 1, t, u, prec);
    arb_sub(f + 2, f + 2, t, prec);
    arb_clear(u);
    arb_clear(t);
    arb_poly_clear(x);
    arb_poly_clear(g);
}

/* The coefficient a_i of that order is > 0 (sign 1) or < 0 (sign -1) on [k/parts, (k+1)/parts]: with
   the part's middle m and half width r,
       a_i(m +- r) in a_i(m) +- (i+1) a_{i+1}(m) r +- (i+1)(i+2)/2 a_{i+2}([m +- r]) r^2. */
static void sign_on_part(check_context *ctx, const char *label, const arb_t c, ulong j, slong k,
                         slong parts, int order, int sign) {
    arb_ptr middle = _arb_vec_init(GAP_TAYLOR), wide = _arb_vec_init(GAP_TAYLOR);
    arb_t alpha, r, term, zero;
    slong i = order;
    arb_init(alpha);
    arb_init(r);
    arb_init(term);
    arb_init(zero);
    arb_set_si(alpha, 2 * k + 1); /* parts is a power of two: exact */
    arb_div_si(alpha, alpha, 2 * parts, ctx->prec);
    arb_one(r);
    arb_div_si(r, r, 2 * parts, ctx->prec);
    gap_taylor(middle, c, j, alpha, ctx->prec);
    arb_add_error(alpha, r);
    gap_taylor(wide, c, j, alpha, ctx->prec);
    arb_mul_si(term, middle + i + 1, i + 1, ctx->prec);
    arb_mul(term, term, r, ctx->prec);
    arb_add_error(middle + i, term);
    arb_mul_si(term, wide + i + 2, (i + 1) * (i + 2) / 2, ctx->prec);
    arb_mul(term, term, r, ctx->prec);
    arb_mul(term, term, r, ctx->prec);
    arb_add_error(middle + i, term);
    claim_decide_arb(ctx, label, middle + i, sign > 0 ? RELATION_GT : RELATION_LT, zero);
    _arb_vec_clear(middle, GAP_TAYLOR);
    _arb_vec_clear(wide, GAP_TAYLOR);
    arb_clear(alpha);
    arb_clear(r);
    arb_clear(term);
    arb_clear(zero);
}

/* number: the constant c, or "gamma" for Euler's constant. */
static void check_sharp_constant(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    int euler = strcmp(p->number, "gamma") == 0;
    enum { PARTS = 1024 };
    arb_t c, x, y, zero;
    arb_ptr f = _arb_vec_init(GAP_TAYLOR);
    fmpq_t q;
    arb_init(c);
    arb_init(x);
    arb_init(y);
    arb_init(zero);
    fmpq_init(q);
    if (euler) {
        arb_const_euler(c, ctx->prec);
    } else {
        vort_rational(q, p->number);
        arb_set_fmpq(c, q, ctx->prec);
    }
    /* steps 1, 2: j = 4 in trigamma(j) <= 1/j + 1/(2j^2) + 1/(6j^3); the right side times j decreases */
    arb_set_ui(x, 109);
    arb_div_ui(x, x, 192, ctx->prec); /* (1 + 1/8 + 1/96)/2 */
    claim_decide_arb(ctx, "j >= 4: (1 + 1/(2j) + 1/(6j^2))/2 <= c", x, RELATION_LE, c);
    /* steps 3-5: j = 1, 2, 3 on [0, 3/16], [3/16, 3/4], [3/4, 1] */
    for (ulong j = 1; j <= 3; j++) {
        for (slong k = 0; k < 3 * PARTS / 16; k++) {
            if (j == 1)
                sign_on_part(ctx, "F_1'' > 0 on [0,3/16]", c, j, k, PARTS, 2, 1);
            else
                sign_on_part(ctx, "F_j' > 0 on [0,3/16], j = 2, 3", c, j, k, PARTS, 1, 1);
        }
        for (slong k = 3 * PARTS / 16; k < 3 * PARTS / 4; k++)
            sign_on_part(ctx, "F_j > 0 on [3/16,3/4]", c, j, k, PARTS, 0, 1);
        for (slong k = 3 * PARTS / 4; k < PARTS; k++)
            sign_on_part(ctx, "F_j' < 0 on [3/4,1]", c, j, k, PARTS, 1, -1);
    }
    /* F_1'(0) = c - gamma must not be negative: exactly 0 for Euler's constant (Gamma'(1) = -gamma) */
    if (!euler) {
        arb_const_euler(y, ctx->prec);
        claim_decide_arb(ctx, "F_1'(0) = c - gamma >= 0", c, RELATION_GE, y);
        for (slong k = 1; k < 40; k++) { /* and a value of alpha where it shows */
            arb_one(x);
            arb_mul_2exp_si(x, x, -k);
            gap_taylor(f, c, 1, x, ctx->prec + 2 * k);
            claim_decide_arb(ctx, "1 - w_1 Gamma(alpha) <= c alpha(1-alpha), alpha = 2^-k", zero,
                             RELATION_LE, f);
        }
    } else {
        claim_number_arb(ctx, "sharp constant", "1", c);
    }
    _arb_vec_clear(f, GAP_TAYLOR);
    arb_clear(c);
    arb_clear(x);
    arb_clear(y);
    arb_clear(zero);
    fmpq_clear(q);
}

/* ---- identities in Q ---- */

/* out[0..n-1] := the Cauchy product of a and b. */
static void cauchy_product(fmpq *out, const fmpq *a, const fmpq *b, slong n) {
    for (slong k = 0; k < n; k++) {
        fmpq_zero(out + k);
        for (slong i = 0; i <= k; i++)
            fmpq_addmul(out + k, a + i, b + k - i);
    }
}

/* w(alpha) * w(beta) = w(alpha+beta+shift) up to index n-1 (shift 0; the controls take another). */
static void decide_convolution(check_context *ctx, const char *label, const fmpq_t alpha,
                               const fmpq_t beta, const fmpq_t shift, slong n) {
    fmpq *a = _fmpq_vec_init(n), *b = _fmpq_vec_init(n), *c = _fmpq_vec_init(n),
         *product = _fmpq_vec_init(n);
    fmpq_t sum;
    fmpq_init(sum);
    fmpq_add(sum, alpha, beta);
    fmpq_add(sum, sum, shift);
    exact_gl_rational_vec(a, alpha, n);
    exact_gl_rational_vec(b, beta, n);
    exact_gl_rational_vec(c, sum, n);
    cauchy_product(product, a, b, n);
    for (slong k = 0; k < n; k++)
        claim_decide_fmpq(ctx, label, product + k, RELATION_EQ, c + k);
    fmpq_clear(sum);
    _fmpq_vec_clear(a, n);
    _fmpq_vec_clear(b, n);
    _fmpq_vec_clear(c, n);
    _fmpq_vec_clear(product, n);
}

/* number: shift of the order on the right (0). */
static void check_inverse(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq_t minus, shift;
    fmpq_init(minus);
    fmpq_init(shift);
    vort_rational(shift, p->number);
    for (slong n = 0; n < orders; n++) {
        fmpq_neg(minus, alpha + n);
        decide_convolution(ctx, "w(alpha) * w(-alpha) = 1, 0, 0, ...", alpha + n, minus, shift, 64);
    }
    fmpq_clear(minus);
    fmpq_clear(shift);
    vort_orders_free(alpha);
}

/* number: shift of the order on the right (0). */
static void check_semigroup(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    fmpq_t a, b, shift;
    fmpq_init(a);
    fmpq_init(b);
    fmpq_init(shift);
    vort_rational(shift, p->number);
    /* coefficient n is a polynomial of degree <= n in each order: (n+1)^2 points prove it, n <= 8 */
    for (slong i = 0; i <= 8; i++)
        for (slong k = 0; k <= 8; k++) {
            fmpq_set_si(a, i, 3);
            fmpq_set_si(b, k - 4, 5);
            decide_convolution(ctx, "w(a) * w(b) = w(a+b), n <= 8, all a, b", a, b, shift, 9);
        }
    exact_random r = {ctx->seed};
    for (int i = 0; i < 8; i++) {
        exact_random_rational(a, &r, 20);
        exact_random_rational(b, &r, 20);
        decide_convolution(ctx, "w(a) * w(b) = w(a+b), n < 64, random orders", a, b, shift, 64);
    }
    fmpq_clear(a);
    fmpq_clear(b);
    fmpq_clear(shift);
}

/* number: what is added to T in the closed form w_T (T+number)/alpha (0). */
static void check_partial_sums(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders, prec = ctx->prec + 32;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    enum { COUNT = 300 };
    fmpq *w = _fmpq_vec_init(COUNT);
    fmpq_t sum, formula, shift, factor;
    fmpz_t t;
    arb_t value, bound, x, y;
    fmpq_init(sum);
    fmpq_init(formula);
    fmpq_init(shift);
    fmpq_init(factor);
    fmpz_init(t);
    arb_init(value);
    arb_init(bound);
    arb_init(x);
    arb_init(y);
    vort_rational(shift, p->number);
    for (slong n = 0; n < orders; n++) {
        exact_gl_rational_vec(w, alpha + n, COUNT);
        fmpq_zero(sum);
        for (slong k = 0; k < COUNT; k++) {
            /* Gamma(T+alpha)/(Gamma(alpha+1)Gamma(T)) = w_T T/alpha */
            fmpq_set_si(factor, k, 1);
            fmpq_add(factor, factor, shift);
            fmpq_div(factor, factor, alpha + n);
            fmpq_mul(formula, w + k, factor);
            claim_decide_fmpq(ctx, "sum_{j<T} w_j = Gamma(T+alpha)/(Gamma(alpha+1)Gamma(T))", sum,
                              RELATION_EQ, formula);
            fmpq_add(sum, sum, w + k);
        }
        /* divergence: with alpha = p/q and T = 10^(4 ceil(q/p)) the sum exceeds 10^3 */
        fmpz_cdiv_q(t, fmpq_denref(alpha + n), fmpq_numref(alpha + n));
        ulong digits = 4 * fmpz_get_ui(t);
        fmpz_ui_pow_ui(t, 10, digits);
        exact_gl_ball(value, alpha + n, t, prec);
        arb_mul_fmpz(value, value, t, prec);
        arb_set_fmpq(x, alpha + n, prec);
        arb_div(value, value, x, prec);
        arb_set_ui(bound, 1000);
        claim_decide_arb(ctx, "the sum to T = 10^(4 ceil(1/alpha)) exceeds 1000", value,
                         RELATION_GE, bound);
    }
    fmpq_clear(sum);
    fmpq_clear(formula);
    fmpq_clear(shift);
    fmpq_clear(factor);
    fmpz_clear(t);
    arb_clear(value);
    arb_clear(bound);
    arb_clear(x);
    arb_clear(y);
    _fmpq_vec_clear(w, COUNT);
    vort_orders_free(alpha);
}

/* ---- sum of squares ---- */

static const char *const orders_below_half[] = {"1/100", "1/10", "1/5", "3/10", "2/5", NULL};

/* out := sum_{j<n} w_j^2 + tail.  For j >= n: w_j^2 = psi_j^2 j^(2 alpha-2)/Gamma(alpha)^2 with
   (1+alpha/n)^(2 alpha-2) <= psi_j^2 <= 1, and sum_{j>=n} j^(2 alpha-2) = zeta(2-2 alpha, n). */
static void square_sum_by_tail(arb_t out, const fmpq_t alpha, slong n, slong prec) {
    arb_ptr w = _arb_vec_init(n);
    fmpz_t zero;
    arb_t s, a, low, one;
    fmpz_init(zero);
    arb_init(s);
    arb_init(a);
    arb_init(low);
    arb_init(one);
    exact_gl_ball_vec(w, alpha, zero, n, prec);
    arb_dot(out, NULL, 0, w, 1, w, 1, n, prec);
    arb_set_fmpq(a, alpha, prec);
    arb_mul_2exp_si(s, a, 1);
    arb_sub_ui(s, s, 2, prec); /* 2 alpha - 2 */
    arb_div_ui(low, a, (ulong)n, prec);
    arb_add_ui(low, low, 1, prec);
    arb_pow(low, low, s, prec);
    arb_one(one);
    arb_union(low, low, one, prec); /* psi^2 */
    arb_neg(s, s);
    arb_set_si(one, n);
    arb_hurwitz_zeta(s, s, one, prec);
    arb_mul(s, s, low, prec);
    arb_gamma_fmpq(a, alpha, prec);
    arb_div(s, s, a, prec);
    arb_div(s, s, a, prec);
    arb_add(out, out, s, prec);
    _arb_vec_clear(w, n);
    fmpz_clear(zero);
    arb_clear(s);
    arb_clear(a);
    arb_clear(low);
    arb_clear(one);
}

/* number: what is added to alpha in the closed form (0).  Two paths to 2^-14. */
static void check_square_sum(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong prec = ctx->prec + 32;
    fmpq_t alpha, shift, q;
    arb_t sum, closed, x;
    fmpq_init(alpha);
    fmpq_init(shift);
    fmpq_init(q);
    arb_init(sum);
    arb_init(closed);
    arb_init(x);
    vort_rational(shift, p->number);
    for (slong n = 0; orders_below_half[n] != NULL; n++) {
        vort_rational(alpha, orders_below_half[n]);
        square_sum_by_tail(sum, alpha, 8192, prec);
        /* Gauss: 2F1(a,b;c;1) = Gamma(c)Gamma(c-a-b)/(Gamma(c-a)Gamma(c-b)), a = b = alpha, c = 1;
           its hypothesis c-a-b > 0 */
        fmpq_add(q, alpha, shift);
        fmpq_mul_2exp(q, q, 1);
        vort_one_minus(q, q);
        fmpq_t zero;
        fmpq_init(zero);
        claim_decide_fmpq(ctx, "1-2 alpha > 0 (Gauss's theorem applies)", q, RELATION_GT, zero);
        fmpq_clear(zero);
        arb_gamma_fmpq(closed, q, prec);
        fmpq_add(q, alpha, shift);
        vort_one_minus(q, q);
        arb_gamma_fmpq(x, q, prec);
        arb_div(closed, closed, x, prec);
        arb_div(closed, closed, x, prec);
        claim_two_paths(ctx, "sum w_j^2 = Gamma(1-2 alpha)/Gamma(1-alpha)^2", sum, closed, 14);
    }
    fmpq_clear(alpha);
    fmpq_clear(shift);
    fmpq_clear(q);
    arb_clear(sum);
    arb_clear(closed);
    arb_clear(x);
}

/* ---- far indices: the Gamma quotient against the recurrence ---- */

/* number: what is added to the far index (0; the control looks one further). */
static void check_far(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const char *const starts[] = {"0", "171", "1e5", "1e8", "1e12", NULL};
    slong orders, steps = 171;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpz_t j, shift;
    fmpq_t ratio;
    arb_t w, direct;
    fmpz_init(j);
    fmpz_init(shift);
    fmpq_init(ratio);
    arb_init(w);
    arb_init(direct);
    exact_parse_integer(shift, p->number);
    for (slong n = 0; n < orders; n++)
        for (slong i = 0; starts[i] != NULL; i++) {
            exact_parse_integer(j, starts[i]);
            exact_gl_ball(w, alpha + n, j, ctx->prec + 64);
            for (slong k = 0; k < steps; k++) { /* w_{j+1} = w_j (p+jq)/(q(j+1)) */
                fmpz_set(fmpq_numref(ratio), fmpq_numref(alpha + n));
                fmpz_addmul(fmpq_numref(ratio), fmpq_denref(alpha + n), j);
                fmpz_add_ui(j, j, 1);
                fmpz_mul(fmpq_denref(ratio), fmpq_denref(alpha + n), j);
                arb_mul_fmpz(w, w, fmpq_numref(ratio), ctx->prec + 64);
                arb_div_fmpz(w, w, fmpq_denref(ratio), ctx->prec + 64);
            }
            fmpz_add(j, j, shift);
            exact_gl_ball(direct, alpha + n, j, ctx->prec);
            claim_two_paths(ctx, "Gamma quotient at j+171 = 171 steps of the recurrence from j",
                            direct, w, ctx->prec - 8);
        }
    fmpz_clear(j);
    fmpz_clear(shift);
    fmpq_clear(ratio);
    arb_clear(w);
    arb_clear(direct);
    vort_orders_free(alpha);
}

/* ---- the figure's data ---- */

static const char *const orders_drawn[] = {"1/10", "7/20", "1/2", "4/5", "19/20", NULL};

/* number: factor of the upper bound that is drawn (1).  Decides that what is drawn lies between. */
static void check_drawn(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const char *const columns[] = {"alpha", "1", "j",   "1", "weight",    "1",
                                          "law",   "1", "gap", "1", "gap_bound", "1"};
    series *table = series_new("vort-weights", "Weights against their power law", 6, columns);
    slong prec = ctx->prec + 32;
    fmpq_t alpha, factor;
    fmpz_t j, step;
    arb_t psi, w, law, gap, bound, x, e;
    fmpq_init(alpha);
    fmpq_init(factor);
    fmpz_init(j);
    fmpz_init(step);
    arb_init(psi);
    arb_init(w);
    arb_init(law);
    arb_init(gap);
    arb_init(bound);
    arb_init(x);
    arb_init(e);
    vort_rational(factor, p->number);
    for (slong n = 0; orders_drawn[n] != NULL; n++) {
        vort_rational(alpha, orders_drawn[n]);
        for (fmpz_one(j); fmpz_cmp_si(j, 1000000) <= 0;) {
            exact_gl_ball(w, alpha, j, prec);
            normalised_weight(psi, alpha, j, prec);
            arb_div(law, w, psi, prec);
            arb_sub_ui(gap, psi, 1, prec);
            arb_neg(gap, gap);
            arb_set_fmpq(e, alpha, prec);
            arb_div_fmpz(x, e, j, prec);
            arb_add_ui(x, x, 1, prec);
            arb_sub_ui(e, e, 1, prec);
            arb_pow(bound, x, e, prec);
            arb_sub_ui(bound, bound, 1, prec);
            arb_neg(bound, bound);
            arb_mul_fmpz(bound, bound, fmpq_numref(factor), prec);
            arb_div_fmpz(bound, bound, fmpq_denref(factor), prec);
            claim_decide_arb(ctx, "gap of the law <= 1-(1+alpha/j)^(alpha-1)", gap, RELATION_LE,
                             bound);
            enclosure_struct *row = series_append(table);
            enclosure_set_rational(row, alpha);
            fmpq_t q;
            fmpq_init(q);
            fmpq_set_fmpz(q, j);
            enclosure_set_rational(row + 1, q);
            fmpq_clear(q);
            enclosure_set_ball(row + 2, w);
            enclosure_set_ball(row + 3, law);
            enclosure_set_ball(row + 4, gap);
            enclosure_set_ball(row + 5, bound);
            fmpz_fdiv_q_2exp(step, j, 2);
            fmpz_add_ui(step, step, 1);
            fmpz_add(j, j, step);
        }
    }
    claim_table(ctx, table);
    fmpq_clear(alpha);
    fmpq_clear(factor);
    fmpz_clear(j);
    fmpz_clear(step);
    arb_clear(psi);
    arb_clear(w);
    arb_clear(law);
    arb_clear(gap);
    arb_clear(bound);
    arb_clear(x);
    arb_clear(e);
}

/* ---- statements ---- */

static const char *const hypotheses[] = {"w_0 = 1, w_{j+1} = w_j (j+alpha)/(j+1)",
                                         "0 < alpha <= 1 unless said otherwise", NULL};

static const char *const proof_decreasing[] = {
    "w_0 = 1 > 0, and w_{j+1}/w_j = (j+alpha)/(j+1) > 0 for alpha > 0: positive by induction.",
    "(j+1) - (j+alpha) = 1 - alpha, so for alpha < 1 the ratio is below 1.", NULL};
static const char *const proof_monotone[] = {
    "Let D_k(j) = w_j (1-alpha)_k/(j+1)_k; D_0(j) = w_j.",
    "D_k(j) - D_k(j+1) = D_k(j) (1 - (j+alpha)/(j+k+1)) = D_k(j) (k+1-alpha)/(j+k+1) = D_{k+1}(j).",
    "So (-1)^k Delta^k w_j = D_k(j), and every factor of it is positive for alpha < 1.", NULL};
static const char *const proof_unit[] = {"At alpha = 1 the ratio (j+1)/(j+1) is 1.", NULL};
static const char *const proof_vanishing[] = {
    "w_j = (alpha)_j/j! = (alpha/j) prod_{i=1}^{j-1} (1+alpha/i), an identity in Q(alpha).",
    "1+x <= e^x for each factor.",
    "For fixed j the bound is alpha times a bounded quantity; w_0 = 1 whatever alpha is.", NULL};
static const char *const proof_two_sided[] = {
    "Wendel (1948): (x/(x+a))^(1-a) <= Gamma(x+a)/(x^a Gamma(x)) <= 1 for x > 0, 0 <= a <= 1; here "
    "x = j, a = alpha.",
    "w_j Gamma(alpha) j^(1-alpha) = Gamma(j+alpha)/(j^alpha Gamma(j)).",
    "Bernoulli: 1-(1+x)^(alpha-1) <= (1-alpha) x and (1+x)^(1-alpha)-1 <= (1-alpha) x for x = "
    "alpha/j.",
    NULL};
static const char *const proof_sharp[] = {
    "phi(alpha) = ln psi_j(alpha) has phi(0) = phi(1) = 0 and phi'' = trigamma(j+alpha) <= "
    "trigamma(j): so 1-psi_j <= -phi <= trigamma(j) alpha(1-alpha)/2.",
    "trigamma(j) <= 1/j + 1/(2j^2) + 1/(6j^3), and j times the right side decreases: for j >= 4 "
    "the claim follows from (1+1/8+1/96)/2 = 109/192 < gamma.",
    "j = 1 on [0,3/16]: F_1(0) = 0, F_1'(0) = gamma + Gamma'(1) = 0 exactly, F_1'' > 0 in balls.",
    "j = 2, 3 on [0,3/16]: F_j(0) = 0 and F_j' > 0 in balls; j = 1, 2, 3 on [3/16,3/4]: F_j > 0 in "
    "balls.",
    "j = 1, 2, 3 on [3/4,1]: F_j(1) = 0 and F_j' < 0 in balls.",
    "No smaller constant will do: (1 - w_1 Gamma(alpha))/(alpha(1-alpha)) -> -Gamma'(1) = gamma as "
    "alpha -> 0.",
    NULL};
static const char *const proof_inverse[] = {
    "sum_j w_j(a) z^j = (1-z)^(-a) as formal power series (binomial series), for every rational a.",
    "(1-z)^(-a) (1-z)^(-b) = (1-z)^(-a-b): both sides solve (1-z) f' = (a+b) f, f(0) = 1, whose "
    "coefficients are determined one by one.",
    NULL};
static const char *const proof_sums[] = {
    "Let P_T = w_T T/alpha = Gamma(T+alpha)/(Gamma(alpha+1)Gamma(T)); P_0 = 0.",
    "P_T + w_T = w_T (T+alpha)/alpha = w_{T+1} (T+1)/alpha = P_{T+1}.",
    "P_T >= (1+alpha/T)^(alpha-1) T^alpha/Gamma(alpha+1) -> infinity, by the two-sided bound.",
    NULL};
static const char *const proof_squares[] = {"sum_j ((alpha)_j/j!)^2 = 2F1(alpha,alpha;1;1).",
                                            "Gauss's theorem, hypothesis 1-2alpha > 0: the value "
                                            "is Gamma(1)Gamma(1-2alpha)/Gamma(1-alpha)^2.",
                                            NULL};

static const statement statements[] = {
    {"decreasing", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "For 0 < alpha < 1 the weights are positive and strictly decreasing.",
     "0 < w_{j+1}(\\alpha) < w_j(\\alpha)", NULL, proof_decreasing},
    {"completely-monotone", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For 0 < alpha < 1 the weights are completely monotone: (-1)^k Delta^k w_j = w_j "
     "(1-alpha)_k/(j+1)_k > 0.",
     "(-1)^k\\Delta^k w_j = w_j\\,(1-\\alpha)_k/(j+1)_k > 0", NULL, proof_monotone},
    {"unit-order", STATEMENT_PUBLISHED, VERDICT_PROVED, "At alpha = 1 all weights are 1.",
     "w_j(1) = 1", NULL, proof_unit},
    {"vanishing", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "For each j >= 1, w_j(alpha) -> 0 as alpha -> 0: w_j <= (alpha/j) e^(alpha H_{j-1}); w_0 = 1 "
     "always.",
     "w_j \\le \\frac{\\alpha}{j}e^{\\alpha H_{j-1}},\\ j\\ge1", NULL, proof_vanishing},
    {"two-sided", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every j >= 1 and 0 < alpha <= 1: (1+alpha/j)^(alpha-1) <= w_j Gamma(alpha) j^(1-alpha) "
     "<= 1, so the power law is an upper bound, off by at most alpha(1-alpha)/j (relative to "
     "either).",
     "(1+\\alpha/j)^{\\alpha-1} \\le w_j\\Gamma(\\alpha)j^{1-\\alpha} \\le 1", NULL,
     proof_two_sided},
    {"sharp-constant", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every j >= 1 and 0 < alpha < 1: 1 - w_j Gamma(alpha) j^(1-alpha) <= gamma "
     "alpha(1-alpha)/j with Euler's constant gamma, and no smaller constant will do.",
     "1-w_j\\Gamma(\\alpha)j^{1-\\alpha} \\le \\gamma\\,\\alpha(1-\\alpha)/j", NULL, proof_sharp},
    {"convolution", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "w(a)*w(b) = w(a+b) for all orders; in particular (1-z)^(-alpha) (1-z)^alpha = 1.",
     "w(\\alpha_1)*w(\\alpha_2) = w(\\alpha_1+\\alpha_2)", NULL, proof_inverse},
    {"partial-sums", STATEMENT_CORRECTED, VERDICT_PROVED,
     "sum_{j<T} w_j = Gamma(T+alpha)/(Gamma(alpha+1)Gamma(T)), which grows without bound.",
     "\\sum_{j<T}w_j = \\frac{\\Gamma(T+\\alpha)}{\\Gamma(\\alpha+1)\\Gamma(T)}\\to\\infty", NULL,
     proof_sums},
    {"square-sum", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For 0 < alpha < 1/2: sum_j w_j^2 = Gamma(1-2alpha)/Gamma(1-alpha)^2.",
     "\\sum_j w_j^2 = \\Gamma(1-2\\alpha)/\\Gamma(1-\\alpha)^2", NULL, proof_squares},
    {"far-indices", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "The Gamma quotient and the recurrence give the same weights, to the full working precision, "
     "around j = 0, 171, 10^5, 10^8 and 10^12.",
     "w_{j+171}", NULL, NULL},
    {NULL}};

static const char *const too_large[] = {"3/2", NULL};
static const char *const unit[] = {"1", NULL};
static const char *const half[] = {"1/2", NULL};

static const vort_parameter open_orders = {vort_orders_open, "0"};
static const vort_parameter open_orders_one = {vort_orders_open, "1"};
static const vort_parameter open_orders_quarter = {vort_orders_open, "1/4"};
static const vort_parameter open_orders_half = {vort_orders_open, "1/2"};
static const vort_parameter open_orders_seventh = {vort_orders_open, "1/7"};
static const vort_parameter beyond_unit = {too_large, "0"};
static const vort_parameter at_unit = {unit, "0"};
static const vort_parameter at_half = {half, "0"};
static const vort_parameter euler = {vort_orders_open, "gamma"};
static const vort_parameter below_euler = {vort_orders_open, "0.577"};
static const vort_parameter shift_hundredth = {vort_orders_open, "1/100"};

static const check checks[] = {{"decreasing",
                                "decreasing",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_decreasing,
                                &open_orders,
                                {1, 1, 1},
                                0.2},
                               {"completely-monotone",
                                "completely-monotone",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_completely_monotone,
                                &open_orders,
                                {1, 1, 1},
                                0.1},
                               {"unit-order",
                                "unit-order",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_unit_order,
                                &at_unit,
                                {1, 1, 1},
                                0.05},
                               {"vanishing",
                                "vanishing",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_vanishing,
                                &open_orders_one,
                                {1, 1, 1},
                                0.1},
                               {"two-sided",
                                "two-sided",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_two_sided,
                                &open_orders_one,
                                {1, 1, 1},
                                0.1},
                               {"drawn",
                                "two-sided",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_drawn,
                                &open_orders_one,
                                {1, 1, 1},
                                0.1},
                               {"sharp-constant",
                                "sharp-constant",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_sharp_constant,
                                &euler,
                                {1, 1, 1},
                                0.5},
                               {"inverse",
                                "convolution",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_inverse,
                                &open_orders,
                                {1, 1, 1},
                                0.2},
                               {"semigroup",
                                "convolution",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_semigroup,
                                &open_orders,
                                {1, 1, 1},
                                0.2},
                               {"partial-sums",
                                "partial-sums",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_partial_sums,
                                &open_orders,
                                {1, 1, 1},
                                0.2},
                               {"square-sum",
                                "square-sum",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_square_sum,
                                &open_orders,
                                {1, 1, 1},
                                0.2},
                               {"far-indices",
                                "far-indices",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_far,
                                &open_orders,
                                {1, 1, 1},
                                0.1},
                               {NULL}};

static const control controls[] = {
    {"order-above-1", "decreasing", "alpha = 3/2", &beyond_unit},
    {"order-above-1", "completely-monotone", "alpha = 3/2", &beyond_unit},
    {"order-one-half", "unit-order", "alpha = 1/2", &at_half},
    {"half-the-bound", "vanishing", "half the bound", &open_orders_half},
    {"quarter-exponent", "two-sided", "a quarter of the lower bound's exponent",
     &open_orders_quarter},
    {"half-the-bound", "drawn", "half the bound", &open_orders_half},
    {"constant-0.577", "sharp-constant", "0.577 in place of gamma = 0.5772...", &below_euler},
    {"order-off", "inverse", "order of the product off by 1/7", &open_orders_seventh},
    {"order-off", "semigroup", "order of the product off by 1/7", &open_orders_seventh},
    {"one-more-term", "partial-sums", "T+1 in place of T", &open_orders_one},
    {"order-off", "square-sum", "alpha + 1/100 in the closed form", &shift_hundredth},
    {"next-index", "far-indices", "the weight one index further", &open_orders_one},
    {NULL}};

static const setting settings[] = {{"alpha", "fractional order", "0", "1", 1, 1, 0}, {NULL}};

static const char *const figures[] = {"vort-weights", NULL};

const claim claim_vort_weights = {"vort.weights",   "The Grünwald-Letnikov weights",
                                  "VORT, Eqs. 2-4", hypotheses,
                                  statements,       checks,
                                  controls,         settings,
                                  figures};

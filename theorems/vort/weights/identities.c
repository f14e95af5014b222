/* vort.weights: identities in Q, the sum of squares, far indices. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "theorems/vort/weights/weights.h"

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
void weights_check_inverse(check_context *ctx, const void *parameter) {
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
void weights_check_semigroup(check_context *ctx, const void *parameter) {
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
void weights_check_partial_sums(check_context *ctx, const void *parameter) {
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
void weights_check_square_sum(check_context *ctx, const void *parameter) {
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
void weights_check_far(check_context *ctx, const void *parameter) {
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

/* vort.order-quantisation: how fast the weights move with their order, and the end alpha -> 0. */
#include "numerics/exact/gl.h"
#include "numerics/exact/gl_order.h"
#include "numerics/exact/number.h"
#include "theorems/vort/order_quantisation/quantisation.h"

/* Steps 1 to 3: coefficients, slopes at alpha = 1, and the bound at drawn pairs, all in Q. */
void quantisation_check_lipschitz(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    enum { DEGREE = 24, LAGS = 161, PAIRS = 12 };
    fmpq *c = _fmpq_vec_init(DEGREE + 1), *w = _fmpq_vec_init(LAGS), *v = _fmpq_vec_init(LAGS),
         *first = _fmpq_vec_init(LAGS), *s = _fmpq_vec_init(6);
    fmpq *factor = s, *a = s + 1, *b = s + 2, *x = s + 3, *bound = s + 4, *zero = s + 5;
    exact_random r = {ctx->seed};
    vort_rational(factor, p->number);
    for (slong j = 1; j <= DEGREE; j++) { /* a path to w_j of its own: Stirling numbers */
        exact_gl_order_polynomial(c, j);
        exact_random_rational(a, &r, 30);
        fmpq_zero(x);
        for (slong k = j; k >= 0; k--) {
            fmpq_mul(x, x, a);
            fmpq_add(x, x, c + k);
            claim_decide_fmpq(ctx, "coefficients of w_j(alpha) >= 0", c + k, RELATION_GE, zero);
        }
        exact_gl_rational(w, a, (ulong)j);
        claim_decide_fmpq(ctx, "w_j = its polynomial", x, RELATION_EQ, w);
    }
    fmpq_one(a);
    exact_gl_order_rational_vec(w, first, a, LAGS);
    for (slong j = 0; j < LAGS; j++) {
        exact_harmonic(x, (ulong)j);
        claim_decide_fmpq(ctx, "dw_j/dalpha = H_j at alpha = 1", first + j, RELATION_EQ, x);
    }
    for (slong n = 0; n < PAIRS; n++) { /* in [1/20, 1], the last ones close to 1 */
        slong size = n < PAIRS / 2 ? 100 : 100000;
        fmpq_set_si(a, exact_random_integer(&r, n < PAIRS / 2 ? 5 : 99900, size - 2), (ulong)size);
        fmpq_set_si(b, size - 1, (ulong)size);
        exact_gl_rational_vec(w, a, LAGS);
        exact_gl_rational_vec(v, b, LAGS);
        exact_harmonic(bound, LAGS - 1);
        fmpq_sub(x, b, a);
        fmpq_mul(bound, bound, x);
        fmpq_mul(bound, bound, factor);
        for (slong j = 1; j < LAGS; j++) {
            fmpq_sub(x, v + j, w + j);
            claim_decide_fmpq(ctx, "w_j(alpha) increases", x, RELATION_GT, zero);
            claim_decide_fmpq(ctx, "w_j(alpha')-w_j(alpha) <= H_T (alpha'-alpha), j <= T", x,
                              RELATION_LE, bound);
        }
    }
    _fmpq_vec_clear(c, DEGREE + 1);
    _fmpq_vec_clear(w, LAGS);
    _fmpq_vec_clear(v, LAGS);
    _fmpq_vec_clear(first, LAGS);
    _fmpq_vec_clear(s, 6);
}

/* |w(1) - w(1-h)|/h >= (1-e) times the constant, h <= e/H_T = 1/(1000 H_T): by convexity the
   quotient is at least the slope at 1-h, which is w_j(1-h) sum 1/(1-h+i) >= (1-h H_T) H_j for every
   j <= T.  Norms: sup at lag T, l1 and l2 over j < T.  The constants: H_T by its digamma value,
   T(H_T-1), (T H^2 - (2T-1) H + 2T-2)^(1/2) with H = H_{T-1}. */
void quantisation_check_sharp(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const ulong horizons[] = {2, 10, 100, 2000};
    slong prec = ctx->prec + 32;
    fmpq *s = _fmpq_vec_init(3);
    arb_ptr t = _arb_vec_init(8);
    arb_ptr h = t, step = t + 1, sup = t + 2, l1 = t + 3, l2 = t + 4, x = t + 5, factor = t + 6,
            euler = t + 7;
    fmpz_t zero, ceiling;
    fmpz_init(zero);
    fmpz_init(ceiling);
    vort_rational(s, p->number);
    fmpq_set_si(s + 1, 999, 1000);
    fmpq_mul(s, s, s + 1);
    arb_set_fmpq(factor, s, prec);
    arb_const_euler(euler, prec);
    for (int n = 0; n < 4; n++) {
        slong T = (slong)horizons[n];
        arb_ptr w = _arb_vec_init(T + 1);
        exact_harmonic(s, (ulong)T);
        fmpz_fdiv_q(ceiling, fmpq_numref(s), fmpq_denref(s));
        fmpz_add_ui(ceiling, ceiling, 1);
        fmpz_mul_ui(ceiling, ceiling, 1000);
        fmpq_set_si(s + 1, 1, 1);
        fmpq_div_fmpz(s + 1, s + 1, ceiling);
        arb_set_fmpq(step, s + 1, prec);
        vort_one_minus(s + 2, s + 1);
        exact_gl_ball_vec(w, s + 2, zero, T + 1, prec);
        arb_zero(l1);
        arb_zero(l2);
        for (slong j = 0; j <= T; j++) {
            arb_sub_ui(x, w + j, 1, prec);
            arb_neg(x, x);
            arb_div(x, x, step, prec);
            if (j == T)
                arb_set(sup, x);
            else {
                arb_add(l1, l1, x, prec);
                arb_addmul(l2, x, x, prec);
            }
        }
        arb_sqrt(l2, l2, prec);
        arb_set_ui(h, (ulong)T + 1); /* H_T = digamma(T+1) + gamma */
        arb_digamma(h, h, prec);
        arb_add(h, h, euler, prec);
        claim_decide_arb(ctx, "sup: quotient at 1 <= H_T", sup, RELATION_LE, h);
        arb_mul(x, h, factor, prec);
        claim_decide_arb(ctx, "sup: quotient at 1 >= 0.999 H_T", sup, RELATION_GE, x);
        arb_sub_ui(x, h, 1, prec);
        arb_mul_si(x, x, T, prec);
        if (T > 2) /* at T = 2 both are 1 */
            claim_decide_arb(ctx, "l1: quotient at 1 <= T(H_T-1)", l1, RELATION_LE, x);
        arb_mul(x, x, factor, prec);
        claim_decide_arb(ctx, "l1: quotient at 1 >= 0.999 T(H_T-1)", l1, RELATION_GE, x);
        arb_one(x);
        arb_div_si(x, x, T, prec);
        arb_sub(h, h, x, prec);
        arb_mul_si(x, h, T, prec);
        arb_sub_si(x, x, 2 * T - 1, prec);
        arb_mul(x, x, h, prec);
        arb_add_si(x, x, 2 * T - 2, prec);
        arb_sqrt(x, x, prec);
        if (T > 2) /* at T = 2 both are 1 */
            claim_decide_arb(ctx, "l2: quotient at 1 <= (sum H_j^2)^(1/2)", l2, RELATION_LE, x);
        arb_mul(x, x, factor, prec);
        claim_decide_arb(ctx, "l2: quotient at 1 >= 0.999 (sum H_j^2)^(1/2)", l2, RELATION_GE, x);
        _arb_vec_clear(w, T + 1);
    }
    fmpz_clear(zero);
    fmpz_clear(ceiling);
    _fmpq_vec_clear(s, 3);
    _arb_vec_clear(t, 8);
}

/* The constants of l1 and l2 in Q against their closed forms, and the bounds at drawn pairs. */
void quantisation_check_l1_l2(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    enum { LAGS = 120, PAIRS = 8 };
    fmpq *s = _fmpq_vec_init(9), *w = _fmpq_vec_init(LAGS), *v = _fmpq_vec_init(LAGS);
    fmpq *factor = s, *h = s + 1, *sum = s + 2, *squares = s + 3, *x = s + 4, *a = s + 5,
         *b = s + 6, *l1 = s + 7, *l2 = s + 8;
    fmpz_t n;
    fmpz_init(n);
    exact_random r = {ctx->seed};
    vort_rational(factor, p->number);
    for (slong T = 1; T <= LAGS; T++) { /* sums over j < T */
        fmpz_set_si(n, T);
        exact_harmonic(h, (ulong)T);
        fmpq_set_si(x, 1, 1);
        fmpq_sub(x, h, x);
        fmpq_mul_fmpz(x, x, n);
        fmpq_mul(x, x, factor);
        claim_decide_fmpq(ctx, "sum_{j<T} H_j = T(H_T-1)", sum, RELATION_EQ, x);
        exact_harmonic(h, (ulong)T - 1);
        fmpq_mul_fmpz(x, h, n);
        fmpz_set_si(n, 2 * T - 1);
        fmpq_sub_fmpz(x, x, n);
        fmpq_mul(x, x, h);
        fmpz_set_si(n, 2 * T - 2);
        fmpq_add_fmpz(x, x, n);
        fmpq_mul(x, x, factor);
        claim_decide_fmpq(ctx, "sum_{j<T} H_j^2 = T H^2 - (2T-1) H + 2T-2, H = H_{T-1}", squares,
                          RELATION_EQ, x);
        exact_harmonic(h, (ulong)T);
        if (T < LAGS) {
            fmpq_add(sum, sum, h);
            fmpq_addmul(squares, h, h);
        }
    }
    for (slong k = 0; k < PAIRS; k++) {
        fmpq_set_si(a, exact_random_integer(&r, 50, 900), 1000);
        fmpq_set_si(b, exact_random_integer(&r, 901, 1000), 1000);
        exact_gl_rational_vec(w, a, LAGS);
        exact_gl_rational_vec(v, b, LAGS);
        fmpq_zero(l1);
        fmpq_zero(l2);
        for (slong j = 0; j < LAGS; j++) {
            fmpq_sub(x, v + j, w + j);
            fmpq_add(l1, l1, x);
            fmpq_addmul(l2, x, x);
        }
        fmpq_sub(h, b, a);
        fmpq_mul(x, sum, h);
        claim_decide_fmpq(ctx, "l1: distance <= T(H_T-1) |alpha'-alpha|", l1, RELATION_LE, x);
        fmpq_mul(x, squares, h);
        fmpq_mul(x, x, h);
        claim_decide_fmpq(ctx, "l2: distance^2 <= sum H_j^2 |alpha'-alpha|^2", l2, RELATION_LE, x);
    }
    fmpz_clear(n);
    _fmpq_vec_clear(s, 9);
    _fmpq_vec_clear(w, LAGS);
    _fmpq_vec_clear(v, LAGS);
}

/* sup_{j>=1} w_j = w_1 = alpha, and sum_{1<=j<T} w_j <= e^(alpha H_{T-1}) - 1, for alpha = 2^-k. */
void quantisation_check_vanishing(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    enum { LAGS = 400 };
    slong from = p->number[0] - '0', prec = ctx->prec;
    fmpq *w = _fmpq_vec_init(LAGS), *s = _fmpq_vec_init(3);
    arb_t sum, bound;
    arb_init(sum);
    arb_init(bound);
    for (slong k = 1; k <= 20; k++) {
        fmpq_set_si(s, 1, 1UL << k);
        exact_gl_rational_vec(w, s, k <= 4 ? LAGS : 50);
        fmpq_zero(s + 1);
        for (slong j = from; j < (k <= 4 ? LAGS : 50); j++) {
            claim_decide_fmpq(ctx, "w_j <= alpha", w + j, RELATION_LE, s);
            fmpq_add(s + 1, s + 1, w + j);
        }
        exact_harmonic(s + 2, k <= 4 ? LAGS - 1 : 49);
        fmpq_mul(s + 2, s + 2, s);
        arb_set_fmpq(bound, s + 2, prec);
        arb_expm1(bound, bound, prec);
        arb_set_fmpq(sum, s + 1, prec);
        claim_decide_arb(ctx, "sum_{1<=j<T} w_j <= e^(alpha H_{T-1}) - 1", sum, RELATION_LE, bound);
    }
    arb_clear(sum);
    arb_clear(bound);
    _fmpq_vec_clear(w, LAGS);
    _fmpq_vec_clear(s, 3);
}

/* w_0 = 1 for every order, and sum_{j<T} w_j exceeds any bound: evaluated where the lower bound
   T^alpha/Gamma(alpha+1) (1+alpha/T)^(alpha-1) passes 2^10, at T = 2^(11/alpha). */
void quantisation_check_impulse(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    fmpq *s = _fmpq_vec_init(3);
    fmpz_t T;
    arb_t sum, bound;
    fmpz_init(T);
    arb_init(sum);
    arb_init(bound);
    vort_rational(s + 2, p->number);
    for (slong k = 1; k <= 8; k++) {
        fmpq_set_si(s, 1, 1UL << k);
        exact_gl_rational(s + 1, s, 0);
        claim_decide_fmpq(ctx, "w_0(alpha) = 1", s + 1, RELATION_EQ, s + 2);
        fmpz_one(T);
        fmpz_mul_2exp(T, T, (ulong)(11L << k));
        fmpq_set_si(s + 1, (1L << k) + 1, 1UL << k); /* sum_{j<=T} w_j = w_T(1+alpha) */
        exact_gl_ball(sum, s + 1, T, ctx->prec);
        arb_set_ui(bound, 1024);
        claim_decide_arb(ctx, "sum_{j<=T} w_j > 1024 at T = 2^(11/alpha)", sum, RELATION_GT, bound);
    }
    fmpz_clear(T);
    arb_clear(sum);
    arb_clear(bound);
    _fmpq_vec_clear(s, 3);
}

/* vort.l2-lower-bound: the energy N^2 of the weights, and fixed mixtures. */
#include "numerics/exact/gl.h"
#include "numerics/exact/gl_order.h"
#include "numerics/exact/number.h"
#include "theorems/vort/l2_lower_bound/l2.h"

static const char *const high_orders[] = {"1/2", "51/100", "3/5", "2/3", "4/5", "19/20", "1", NULL};

/* ((T+1+alpha)^(2 alpha-1) - (1+alpha)^(2 alpha-1))/((2 alpha-1) Gamma(alpha)^2)  <=  N^2  <= (1 +
   (T^(2 alpha-1)-1)/(2 alpha-1))/Gamma(alpha)^2, logarithms at alpha = 1/2: (j+alpha)^(alpha-1) <=
   w_j Gamma(alpha) <= j^(alpha-1), both decreasing. */
void l2_energy_bounds(arb_t low, arb_t high, const fmpq_t alpha, const fmpz_t T, slong prec) {
    arb_ptr t = _arb_vec_init(5);
    arb_ptr a = t, e = t + 1, g = t + 2, x = t + 3, y = t + 4;
    arb_set_fmpq(a, alpha, prec);
    arb_mul_2exp_si(e, a, 1);
    arb_sub_ui(e, e, 1, prec);
    arb_gamma(g, a, prec);
    arb_mul(g, g, g, prec);
    arb_add_ui(x, a, 1, prec);
    arb_add_fmpz(y, x, T, prec);
    fmpq_t half;
    fmpq_init(half);
    fmpq_set_si(half, 1, 2);
    if (fmpq_equal(alpha, half)) {
        arb_div(y, y, x, prec);
        arb_log(low, y, prec);
        arb_log_fmpz(high, T, prec);
    } else {
        arb_pow(y, y, e, prec);
        arb_pow(x, x, e, prec);
        arb_sub(low, y, x, prec);
        arb_div(low, low, e, prec);
        arb_set_fmpz(x, T);
        arb_pow(x, x, e, prec);
        arb_sub_ui(x, x, 1, prec);
        arb_div(high, x, e, prec);
    }
    arb_div(low, low, g, prec);
    arb_add_ui(high, high, 1, prec);
    arb_div(high, high, g, prec);
    fmpq_clear(half);
    _arb_vec_clear(t, 5);
}

/* w(z)^2 Gamma(alpha)^2 = exp(2 lgamma(z+alpha) - 2 lgamma(z+1)), holomorphic for Re z > -alpha. */
static int squared(acb_ptr out, const acb_t z, void *parameter, slong order, slong prec) {
    const arb_struct *alpha = parameter;
    acb_t x;
    acb_init(x);
    if (!arb_is_positive(acb_realref(z)) && order > 0) {
        acb_indeterminate(out);
    } else {
        acb_add_arb(x, z, alpha, prec);
        acb_lgamma(out, x, prec);
        acb_add_ui(x, z, 1, prec);
        acb_lgamma(x, x, prec);
        acb_sub(out, out, x, prec);
        acb_mul_2exp_si(out, out, 1);
        acb_exp(out, out, prec);
    }
    acb_clear(x);
    return 0;
}

/* N^2 lag by lag between its bounds, and the integral of w(t)^2 over [1,T] between the same bounds
   with T+alpha for T+1+alpha, and without the 1; then the ratio to T^(2 alpha-1)/(Gamma^2(2
   alpha-1)) at T = 10^60. */
void l2_check_energy(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    static const slong horizons[] = {1, 10, 300, 3000};
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(2);
    arb_ptr t = _arb_vec_init(6), w = _arb_vec_init(3001);
    arb_ptr low = t, high = t + 1, energy = t + 2, factor = t + 3, a = t + 4, g = t + 5;
    acb_t one, end, integral;
    fmpz_t T;
    mag_t tol;
    acb_init(one);
    acb_init(end);
    acb_init(integral);
    fmpz_init(T);
    mag_init(tol);
    acb_one(one);
    mag_set_ui_2exp_si(tol, 1, -30);
    vort_rational(s + 1, p->factor);
    arb_set_fmpq(factor, s + 1, prec);
    for (int n = 0; high_orders[n] != NULL; n++) {
        vort_rational(s, high_orders[n]);
        arb_set_fmpq(a, s, prec);
        arb_gamma(g, a, prec);
        arb_mul(g, g, g, prec);
        exact_gl_order_vec(w, NULL, NULL, a, 3001, prec);
        for (int k = 0; k < 4; k++) {
            arb_zero(energy);
            for (slong j = 1; j <= horizons[k]; j++)
                arb_addmul(energy, w + j, w + j, prec);
            fmpz_set_si(T, horizons[k]);
            l2_energy_bounds(low, high, s, T, prec);
            arb_mul(high, high, factor, prec);
            claim_decide_arb(ctx, "integral bound <= sum w_j^2", low, RELATION_LE, energy);
            claim_decide_arb(ctx, "sum w_j^2 <= integral bound", energy, RELATION_LE, high);
            if (k != 2 || fmpq_is_one(s)) /* alpha = 1: all of them are equal */
                continue;
            acb_set_si(end, horizons[k]);
            acb_calc_integrate(integral, squared, a, one, end, 30, tol, NULL, 64);
            arb_div(energy, acb_realref(integral), g, prec);
            fmpz_set_si(T, horizons[k] - 1);
            l2_energy_bounds(low, high, s, T, prec);
            claim_decide_arb(ctx, "the same below the integral of w(t)^2", low, RELATION_LE,
                             energy);
            fmpz_set_si(T, horizons[k]);
            l2_energy_bounds(low, high, s, T, prec);
            arb_inv(low, g, prec);
            arb_sub(high, high, low, prec);
            claim_decide_arb(ctx, "and above it", energy, RELATION_LE, high);
        }
        fmpz_set_si(T, 10); /* the bounds meet: their ratio at 10^1000 */
        fmpz_pow_ui(T, T, 1000);
        l2_energy_bounds(low, high, s, T, prec);
        arb_div(energy, high, low, prec);
        arb_set_ui(high, 101);
        arb_div_ui(high, high, 100, prec);
        claim_decide_arb(ctx, "upper/lower bound < 1.01 at T = 10^1000", energy, RELATION_LT, high);
    }
    acb_clear(one);
    acb_clear(end);
    acb_clear(integral);
    fmpz_clear(T);
    mag_clear(tol);
    _fmpq_vec_clear(s, 2);
    _arb_vec_clear(t, 6);
    _arb_vec_clear(w, 3001);
}

/* Random mixtures of 1 to 5 exponentials, nodes <= 9/10: the error on [1,T] in Q and balls against
   N - C, C^2 = sum c_r c_s x_r x_s/(1-x_r x_s) in closed form; then where N - 1000 C is certainly
   positive. */
void l2_check_fixed(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    enum { LAGS = 400 };
    slong prec = ctx->prec;
    exact_random r = {ctx->seed};
    fmpq *s = _fmpq_vec_init(4);
    arb_ptr t = _arb_vec_init(6), w = _arb_vec_init(LAGS + 1);
    arb_ptr energy = t, error = t + 1, norm = t + 2, x = t + 3, y = t + 4, factor = t + 5;
    fmpz_t zero;
    fmpz_init(zero);
    vort_rational(s, p->factor);
    arb_set_fmpq(factor, s, prec);
    for (slong M = 1; M <= 5; M++)
        for (int n = 0; high_orders[n] != NULL; n++) {
            mixture m;
            arb_ptr power = _arb_vec_init(M);
            mixture_init(&m, M);
            vort_rational(s, high_orders[n]);
            for (slong i = 0; i < M; i++) {
                do
                    exact_random_rational(m.c + i, &r, 5);
                while (fmpq_is_zero(m.c + i));
                fmpq_set_si(m.x + i, exact_random_integer(&r, 1, 90), 100);
            }
            fmpq_zero(s + 3);
            for (slong i = 0; i < M; i++)
                for (slong k = 0; k < M; k++) {
                    fmpq_mul(s + 1, m.x + i, m.x + k);
                    vort_one_minus(s + 2, s + 1);
                    fmpq_div(s + 1, s + 1, s + 2);
                    fmpq_mul(s + 1, s + 1, m.c + i);
                    fmpq_addmul(s + 3, s + 1, m.c + k);
                }
            arb_set_fmpq(norm, s + 3, prec);
            arb_sqrtpos(norm, norm, prec);
            exact_gl_ball_vec(w, s, zero, LAGS + 1, prec);
            arb_zero(energy);
            arb_zero(error);
            for (slong i = 0; i < M; i++)
                arb_set_fmpq(power + i, m.c + i, prec);
            for (slong j = 1; j <= LAGS; j++) {
                arb_addmul(energy, w + j, w + j, prec);
                arb_set(x, w + j);
                for (slong i = 0; i < M; i++) {
                    arb_mul_fmpz(power + i, power + i, fmpq_numref(m.x + i), prec);
                    arb_div_fmpz(power + i, power + i, fmpq_denref(m.x + i), prec);
                    arb_sub(x, x, power + i, prec);
                }
                arb_addmul(error, x, x, prec);
                if (j % 40 == 0) {
                    arb_sqrt(x, energy, prec);
                    arb_sub(x, x, norm, prec);
                    arb_mul(x, x, factor, prec);
                    arb_sqrt(y, error, prec);
                    claim_decide_arb(ctx, "|w - mixture| >= N - C", y, RELATION_GE, x);
                }
            }
            mixture_clear(&m);
            _arb_vec_clear(power, M);
        }
    fmpz_clear(zero);
    _fmpq_vec_clear(s, 4);
    _arb_vec_clear(t, 6);
    _arb_vec_clear(w, LAGS + 1);
}

/* alpha < 1/2: N^2 <= Gamma(1-2 alpha)/Gamma(1-alpha)^2 - 1, so even no memory at all errs by no
   more. */
void l2_check_bounded(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    static const char *const low_orders[] = {"1/100", "1/10", "7/20", "9/20", "49/100", NULL};
    enum { LAGS = 2000 };
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(2);
    arb_ptr t = _arb_vec_init(4), w = _arb_vec_init(LAGS);
    arb_ptr energy = t, bound = t + 1, x = t + 2, a = t + 3;
    for (int n = 0; low_orders[n] != NULL; n++) {
        vort_rational(s, low_orders[n]);
        arb_set_fmpq(a, s, prec);
        exact_gl_order_vec(w, NULL, NULL, a, LAGS, prec);
        arb_zero(energy);
        for (slong j = 1; j < LAGS; j++)
            arb_addmul(energy, w + j, w + j, prec);
        arb_mul_2exp_si(x, a, 1);
        arb_sub_ui(x, x, 1, prec);
        arb_neg(x, x);
        arb_gamma(bound, x, prec);
        arb_sub_ui(x, a, 1, prec);
        arb_neg(x, x);
        arb_gamma(x, x, prec);
        arb_div(bound, bound, x, prec);
        arb_div(bound, bound, x, prec);
        arb_sub_ui(bound, bound, 1, prec);
        vort_rational(s + 1, p->factor);
        arb_set_fmpq(x, s + 1, prec);
        arb_mul(bound, bound, x, prec);
        claim_decide_arb(ctx, "sum_{j>=1} w_j^2 stays below its limit", energy, RELATION_LT, bound);
        /* and what is left after T is at most T^(2 alpha-1)/((1-2 alpha) Gamma(alpha)^2): the
           limit */
        arb_set_si(x, LAGS - 1);
        arb_mul_2exp_si(w, a, 1);
        arb_sub_ui(w, w, 1, prec);
        arb_pow(x, x, w, prec);
        arb_div(x, x, w, prec);
        arb_gamma(w, a, prec);
        arb_div(x, x, w, prec);
        arb_div(x, x, w, prec);
        arb_sub(energy, energy, x, prec);
        claim_decide_arb(ctx, "and reaches it with its tail bound", energy, RELATION_GE, bound);
    }
    _fmpq_vec_clear(s, 2);
    _arb_vec_clear(t, 4);
    _arb_vec_clear(w, LAGS);
}

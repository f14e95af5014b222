#include "numerics/exact/laplace.h"

void exact_laplace_density(arb_t rho, const fmpq_t alpha, const arb_t lambda, slong prec) {
    arb_t a, s;
    arb_init(a);
    arb_init(s);
    arb_expm1(rho, lambda, prec);
    arb_set_fmpq(a, alpha, prec);
    arb_neg(a, a);
    arb_pow(rho, rho, a, prec);
    arb_sin_pi_fmpq(s, alpha, prec);
    arb_mul(rho, rho, s, prec);
    arb_const_pi(s, prec);
    arb_div(rho, rho, s, prec);
    arb_clear(a);
    arb_clear(s);
}

typedef struct {
    const fmpq *alpha;
    ulong m;
} integrand;

/* e^(-m z) (e^z - 1)^(-alpha) */
static int density_integrand(acb_ptr out, const acb_t z, void *param, slong order, slong prec) {
    const integrand *f = param;
    acb_t x, a;
    acb_init(x);
    acb_init(a);
    arb_set_fmpq(acb_realref(a), f->alpha, prec);
    acb_neg(a, a);
    acb_expm1(x, z, prec);
    acb_pow_analytic(out, x, a, order != 0, prec);
    acb_mul_ui(x, z, f->m, prec);
    acb_neg(x, x);
    acb_exp(x, x, prec);
    acb_mul(out, out, x, prec);
    acb_clear(x);
    acb_clear(a);
    return 0;
}

/* e^(beta z) (1+e^z)^(-m-1), beta = 1-alpha */
static int sinc_integrand(acb_ptr out, const acb_t z, void *param, slong order, slong prec) {
    const integrand *f = param;
    acb_t x, b;
    acb_init(x);
    acb_init(b);
    (void)order; /* (1+e^z)^(m+1) is entire: where it may vanish, the quotient is not finite */
    arb_set_fmpq(acb_realref(b), f->alpha, prec);
    acb_sub_ui(b, b, 1, prec);
    acb_neg(b, b);
    acb_mul(b, b, z, prec);
    acb_exp(b, b, prec);
    acb_exp(x, z, prec);
    acb_add_ui(x, x, 1, prec);
    acb_pow_ui(x, x, f->m + 1, prec);
    acb_div(out, b, x, prec);
    acb_clear(x);
    acb_clear(b);
    return 0;
}

/* out := the integral from..to, in pieces of length PIECE: poles are some 2 pi away, and one call over
   a long range would run into acb_calc_integrate's limit on evaluations. */
#define PIECE 16

static void integrate(arb_t out, acb_calc_func_t f, integrand *param, const arb_t from,
                      const arb_t to, slong prec) {
    acb_t a, b, value;
    mag_t tolerance;
    acb_init(a);
    acb_init(b);
    acb_init(value);
    mag_init(tolerance);
    mag_set_ui_2exp_si(tolerance, 1, -2 * prec);
    acb_set_arb(a, from);
    arb_zero(out);
    for (int last = 0; !last;) {
        arb_add_ui(acb_realref(b), acb_realref(a), PIECE, prec);
        last = !arb_lt(acb_realref(b), to);
        if (last)
            acb_set_arb(b, to);
        else
            mag_zero(arb_radref(acb_realref(b)));
        acb_calc_integrate(value, f, param, a, b, prec, tolerance, NULL, prec);
        arb_add(out, out, acb_realref(value), prec);
        acb_swap(a, b);
    }
    acb_clear(a);
    acb_clear(b);
    acb_clear(value);
    mag_clear(tolerance);
}

/* out := int_0^a lambda^(-alpha) g(lambda), g = (lambda/(e^lambda-1))^alpha e^(-m lambda).
   For |lambda| <= R <= 1: |(e^lambda-1)/lambda - 1| <= e^R - 1 - ... < 0.72, so |g| <= 3.6 e^(mR) =: B
   and the coefficients obey |g_k| <= B R^(-k).  With a <= R/4 the tail from k = n on is at most
   B a^(1-alpha) 4^(-n) / (1-1/4) / (n+1-alpha) <= 2 B a^(1-alpha) 4^-n. */
static void integrate_head(arb_t out, const fmpq_t alpha, ulong m, const arb_t a, const arb_t r,
                           slong prec) {
    slong n = prec / 2 + 32;
    arb_poly_t e, g;
    arb_t t, power, ratio, minus_alpha;
    arb_poly_init(e);
    arb_poly_init(g);
    arb_init(t);
    arb_init(power);
    arb_init(ratio);
    arb_init(minus_alpha);
    arb_set_fmpq(minus_alpha, alpha, prec);
    arb_neg(minus_alpha, minus_alpha);
    /* the coefficients of lambda^k carry factors m^k/k!: balls, so only width is at stake */
    arb_one(t);
    for (slong k = 0; k < n; k++) {
        arb_div_ui(t, t, (ulong)k + 1, prec);
        arb_poly_set_coeff_arb(e, k, t);
    }
    arb_poly_pow_arb_series(e, e, minus_alpha, n, prec);
    arb_set_ui(t, m);
    arb_neg(t, t);
    arb_poly_set_coeff_arb(g, 1, t);
    arb_poly_exp_series(g, g, n, prec);
    arb_poly_mullow(g, g, e, n, prec);
    /* sum_k g_k a^(k+beta)/(k+beta) */
    arb_add_ui(t, minus_alpha, 1, prec);
    arb_pow(power, a, t, prec);
    arb_zero(out);
    arb_set(ratio, power);
    for (slong k = 0; k < n; k++) {
        arb_t term;
        arb_init(term);
        arb_poly_get_coeff_arb(term, g, k);
        arb_mul(term, term, ratio, prec);
        arb_div(term, term, t, prec);
        arb_add(out, out, term, prec);
        arb_mul(ratio, ratio, a, prec);
        arb_add_ui(t, t, 1, prec);
        arb_clear(term);
    }
    /* + [+- 7.2 e^(mR) a^beta 4^-n] */
    arb_mul_ui(t, r, m, prec);
    arb_exp(t, t, prec);
    arb_mul(t, t, power, prec);
    arb_mul_ui(t, t, 8, prec);
    arb_mul_2exp_si(t, t, -2 * n);
    arb_add_error(out, t);
    arb_poly_clear(e);
    arb_poly_clear(g);
    arb_clear(t);
    arb_clear(power);
    arb_clear(ratio);
    arb_clear(minus_alpha);
}

/* out := sin(pi alpha)/pi * out */
static void apply_factor(arb_t out, const fmpq_t alpha, slong prec) {
    arb_t s;
    arb_init(s);
    arb_sin_pi_fmpq(s, alpha, prec);
    arb_mul(out, out, s, prec);
    arb_const_pi(s, prec);
    arb_div(out, out, s, prec);
    arb_clear(s);
}

void exact_laplace_integral(arb_t out, const fmpq_t alpha, ulong m, const arb_t top, slong prec) {
    slong wp = prec + 64;
    arb_t r, a, b, part;
    arb_init(r);
    arb_init(a);
    arb_init(b);
    arb_init(part);
    /* R = 1/(1+m/8), a = min(R/4, top): e^(mR) <= e^8 */
    arb_set_ui(r, 8);
    arb_div_ui(r, r, 8 + m, wp);
    mag_zero(arb_radref(r));
    arb_mul_2exp_si(a, r, -2);
    int inside = top != NULL && arb_le(top, a);
    if (inside)
        arb_set(a, top);
    integrate_head(out, alpha, m, a, r, wp);
    if (!inside) {
        /* b with e^(-(m+alpha) b) <= 2^-wp; for a finite top, top itself if it comes first */
        int finite_end = 0;
        arb_set_fmpq(b, alpha, wp);
        arb_add_ui(b, b, m, wp);
        arb_ui_div(b, (ulong)wp, b, wp);
        mag_zero(arb_radref(b));
        if (top != NULL && !arb_gt(top, b)) {
            arb_set(b, top);
            finite_end = 1;
        }
        integrand f = {alpha, m};
        integrate(part, density_integrand, &f, a, b, wp);
        arb_add(out, out, part, wp);
        if (!finite_end) {
            /* the rest lies in [0, (1-e^-b)^(-alpha) e^(-(m+alpha)b)/(m+alpha)] */
            arb_t x, y;
            arb_init(x);
            arb_init(y);
            arb_neg(x, b);
            arb_expm1(x, x, wp);
            arb_neg(x, x);
            arb_set_fmpq(y, alpha, wp);
            arb_neg(y, y);
            arb_pow(x, x, y, wp);
            arb_neg(y, y);
            arb_add_ui(y, y, m, wp);
            arb_div(x, x, y, wp);
            arb_mul(y, y, b, wp);
            arb_neg(y, y);
            arb_exp(y, y, wp);
            arb_mul(x, x, y, wp);
            arb_add_error(out, x);
            arb_clear(x);
            arb_clear(y);
        }
    }
    apply_factor(out, alpha, wp);
    arb_set_round(out, out, prec + 8);
    arb_clear(r);
    arb_clear(a);
    arb_clear(b);
    arb_clear(part);
}

void exact_laplace_integral_sinc(arb_t out, const fmpq_t alpha, ulong m, slong prec) {
    slong wp = prec + 64;
    arb_t beta, top, from, to, tail;
    arb_init(beta);
    arb_init(top);
    arb_init(from);
    arb_init(to);
    arb_init(tail);
    arb_set_fmpq(beta, alpha, wp);
    arb_set(top, beta);
    arb_add_ui(top, top, m, wp); /* m + alpha */
    arb_sub_ui(beta, beta, 1, wp);
    arb_neg(beta, beta);
    /* from = -wp/beta, to = wp/(m+alpha); tails <= e^(beta from)/beta, e^(-(m+alpha) to)/(m+alpha) */
    arb_ui_div(from, (ulong)wp, beta, wp);
    arb_neg(from, from);
    mag_zero(arb_radref(from));
    arb_ui_div(to, (ulong)wp, top, wp);
    mag_zero(arb_radref(to));
    integrand f = {alpha, m};
    integrate(out, sinc_integrand, &f, from, to, wp);
    arb_mul(tail, beta, from, wp);
    arb_exp(tail, tail, wp);
    arb_div(tail, tail, beta, wp);
    arb_add_error(out, tail);
    arb_mul(tail, top, to, wp);
    arb_neg(tail, tail);
    arb_exp(tail, tail, wp);
    arb_div(tail, tail, top, wp);
    arb_add_error(out, tail);
    apply_factor(out, alpha, wp);
    arb_set_round(out, out, prec + 8);
    arb_clear(beta);
    arb_clear(top);
    arb_clear(from);
    arb_clear(to);
    arb_clear(tail);
}

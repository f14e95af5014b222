/* The constructions of VORT's Theorem 3.1 and their relatives: see soe.h. */
#include "numerics/exact/gauss.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/laplace.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"

#include <math.h>

/* out := the midpoint of x rounded to prec bits, as a rational. */
static void round_to_rational(fmpq_t out, const arb_t x, slong prec) {
    arf_t m;
    arf_init(m);
    arf_set_round(m, arb_midref(x), prec, ARF_RND_NEAR);
    exact_rational_from_arf(out, m);
    arf_clear(m);
}

static void set_term(soe_sum_t sum, slong s, const arb_t weight, const arb_t rate, slong prec) {
    round_to_rational(sum->weight + s, weight, prec);
    round_to_rational(sum->mode + s, rate, prec);
}

static void set_single_unit(soe_sum_t sum) {
    soe_sum_clear(sum);
    soe_sum_init(sum, 1, SOE_RATE);
    fmpq_one(sum->weight);
}

static int alpha_ok(const fmpq_t alpha) {
    return fmpq_sgn(alpha) > 0 && fmpq_cmp_si(alpha, 1) <= 0;
}

/* weight, rate := the term at the point p of a rule with weight omega, in the method's variable. */
static void interval_term(arb_t weight, arb_t rate, soe_method method, const fmpq_t alpha,
                          const arb_t p, const arb_t omega, slong prec) {
    arb_t x;
    arb_init(x);
    if (method == SOE_SINC) {
        /* c = omega (sin pi alpha/pi) e^(beta v)/(1+e^v), lambda = ln(1+e^v) */
        arb_exp(x, p, prec);
        arb_log1p(rate, x, prec);
        arb_add_ui(x, x, 1, prec);
        arb_set_fmpq(weight, alpha, prec);
        arb_sub_ui(weight, weight, 1, prec);
        arb_neg(weight, weight);
        arb_mul(weight, weight, p, prec);
        arb_exp(weight, weight, prec);
        arb_div(weight, weight, x, prec);
        arb_sin_pi_fmpq(x, alpha, prec);
        arb_mul(weight, weight, x, prec);
        arb_const_pi(x, prec);
        arb_div(weight, weight, x, prec);
    } else {
        /* c = omega rho(lambda) lambda, lambda = e^u */
        arb_exp(rate, p, prec);
        exact_laplace_density(weight, alpha, rate, prec);
        arb_mul(weight, weight, rate, prec);
    }
    arb_mul(weight, weight, omega, prec);
    arb_clear(x);
}

/* The Gauss-Legendre rule is the same for every interval: kept by the caller. */
soe_status soe_from_interval_rule(soe_sum_t sum, soe_method method, const fmpq_t alpha, slong terms,
                                  double low, double high, arb_srcptr node, arb_srcptr omega,
                                  slong prec) {
    slong wp = prec + 32;
    arb_t p, w, weight, rate, length;
    arb_init(p);
    arb_init(w);
    arb_init(weight);
    arb_init(rate);
    arb_init(length);
    soe_sum_clear(sum);
    soe_sum_init(sum, terms, SOE_RATE);
    arb_set_d(p, low);
    arb_set_d(length, high);
    arb_sub(length, length, p, wp);
    for (slong s = 0; s < terms; s++) {
        if (method == SOE_LEGENDRE) {
            arb_mul(p, length, node + s, wp);
            arb_mul(w, length, omega + s, wp);
        } else if (terms == 1) {
            arb_mul_2exp_si(p, length, -1);
            arb_set(w, length);
        } else {
            arb_div_ui(w, length, (ulong)terms - 1, wp);
            arb_mul_ui(p, w, (ulong)s, wp);
        }
        arb_set_d(rate, low);
        arb_add(p, p, rate, wp);
        interval_term(weight, rate, method, alpha, p, w, wp);
        set_term(sum, s, weight, rate, prec);
    }
    arb_clear(p);
    arb_clear(w);
    arb_clear(weight);
    arb_clear(rate);
    arb_clear(length);
    return SOE_OK;
}

static int has_interval(soe_method method) {
    return method == SOE_SINC || method == SOE_TRAPEZOID || method == SOE_LEGENDRE;
}

/* node, omega := the Legendre rule on [0,1] when the method wants it. */
soe_status soe_interval_rule(arb_ptr node, arb_ptr omega, soe_method method, slong terms,
                             slong prec) {
    if (method != SOE_LEGENDRE)
        return SOE_OK;
    gauss_weight_t legendre;
    exact_gauss_weight_init(legendre, GAUSS_JACOBI);
    gauss_status status = exact_gauss_rule(node, omega, legendre, terms, prec + 32);
    exact_gauss_weight_clear(legendre);
    return status == GAUSS_OK ? SOE_OK : SOE_WIDE;
}

soe_status soe_from_interval(soe_sum_t sum, soe_method method, const fmpq_t alpha, slong terms,
                             double low, double high, slong prec) {
    if (!alpha_ok(alpha) || terms < 1 || terms > SOE_MAX_TERMS || !has_interval(method) ||
        !(low < high) || !isfinite(low) || !isfinite(high))
        return SOE_BAD_ARGUMENT;
    if (fmpq_is_one(alpha)) {
        set_single_unit(sum);
        return SOE_OK;
    }
    arb_ptr node = _arb_vec_init(terms), omega = _arb_vec_init(terms);
    soe_status status = soe_interval_rule(node, omega, method, terms, prec);
    if (status == SOE_OK)
        status = soe_from_interval_rule(sum, method, alpha, terms, low, high, node, omega, prec);
    _arb_vec_clear(node, terms);
    _arb_vec_clear(omega, terms);
    return status;
}

soe_status soe_from_gauss(soe_sum_t sum, soe_method method, const fmpq_t alpha, slong terms,
                          slong prec) {
    if (!alpha_ok(alpha) || terms < 1 || terms > SOE_MAX_TERMS || has_interval(method))
        return SOE_BAD_ARGUMENT;
    if (fmpq_is_one(alpha)) {
        set_single_unit(sum);
        return SOE_OK;
    }
    slong wp = prec + 64;
    gauss_weight_t w;
    exact_gauss_weight_init(w, method == SOE_JACOBI ? GAUSS_JACOBI : GAUSS_LAGUERRE);
    if (method == SOE_JACOBI) { /* x dmu ~ x^alpha (1-x)^(-alpha) */
        fmpq_set(w->a, alpha);
        fmpq_neg(w->b, alpha);
    } else {
        fmpq_neg(w->a, alpha);
    }
    arb_ptr node = _arb_vec_init(terms), omega = _arb_vec_init(terms);
    soe_status status = exact_gauss_rule(node, omega, w, terms, wp) == GAUSS_OK ? SOE_OK : SOE_WIDE;
    exact_gauss_weight_clear(w);
    if (status == SOE_OK) {
        soe_sum_clear(sum);
        soe_sum_init(sum, terms, SOE_RATE);
        arb_t c, rate, a, x;
        arb_init(c);
        arb_init(rate);
        arb_init(a);
        arb_init(x);
        arb_set_fmpq(a, alpha, wp);
        for (slong s = 0; s < terms; s++) {
            if (method == SOE_JACOBI) {
                /* total mass of x dmu is w_1 = alpha: c = alpha omega/x; modes in order of rate */
                slong i = terms - 1 - s;
                arb_mul(c, a, omega + i, wp);
                arb_div(c, c, node + i, wp);
                arb_log(rate, node + i, wp);
                arb_neg(rate, rate);
            } else {
                /* c = omega (lambda/(e^lambda-1))^alpha e^lambda / Gamma(alpha) */
                arb_set(rate, node + s);
                arb_expm1(x, rate, wp);
                arb_div(x, rate, x, wp);
                arb_pow(c, x, a, wp);
                arb_exp(x, rate, wp);
                arb_mul(c, c, x, wp);
                arb_mul(c, c, omega + s, wp);
                arb_rgamma(x, a, wp);
                arb_mul(c, c, x, wp);
            }
            set_term(sum, s, c, rate, prec);
        }
        arb_clear(c);
        arb_clear(rate);
        arb_clear(a);
        arb_clear(x);
    }
    _arb_vec_clear(node, terms);
    _arb_vec_clear(omega, terms);
    return status;
}

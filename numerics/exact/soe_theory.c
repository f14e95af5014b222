#include "numerics/exact/soe_theory.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"

#include <math.h>

#ifdef MNEME_FLINT3
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

/* out := |Gamma(sigma + i y)|^2, sigma > 0 */
static void gamma_square(arb_t out, const arb_t sigma, const arb_t y, slong prec) {
    acb_t z;
    acb_init(z);
    arb_set(acb_realref(z), sigma);
    arb_set(acb_imagref(z), y);
    acb_lgamma(z, z, prec); /* the size may be e^-20000: keep its logarithm */
    arb_mul_2exp_si(acb_realref(z), acb_realref(z), 1);
    arb_exp(out, acb_realref(z), prec);
    acb_clear(z);
}

/* sum := sum_n |Gamma(beta/2 + i(theta + 2 pi n)/h)|^2 for theta = 0 or pi. */
static void symbol_sum(arb_t sum, const arb_t half_beta, const arb_t h, int at_pi, slong prec) {
    arb_t y, step, term, last, ratio, x;
    arb_init(y);
    arb_init(step);
    arb_init(term);
    arb_init(last);
    arb_init(ratio);
    arb_init(x);
    arb_const_pi(step, prec);
    arb_mul_2exp_si(step, step, 1);
    arb_div(step, step, h, prec); /* 2 pi/h */
    if (at_pi) {
        arb_mul_2exp_si(y, step, -1);
        gamma_square(sum, half_beta, y, prec);
        arb_mul_2exp_si(sum, sum, 1); /* n = 0 and n = -1 */
        arb_set(last, sum);
    } else {
        arb_zero(y);
        gamma_square(sum, half_beta, y, prec);
        arb_add(y, y, step, prec);
        gamma_square(last, half_beta, y, prec);
        arb_mul_2exp_si(last, last, 1);
        arb_add(sum, sum, last, prec);
    }
    for (int n = 0; n < 400; n++) {
        arb_add(y, y, step, prec);
        gamma_square(term, half_beta, y, prec);
        arb_mul_2exp_si(term, term, 1);
        arb_add(sum, sum, term, prec);
        /* small enough: the rest is at most term r/(1-r), r = (y+step)/y e^(-pi step), for
           sinh(pi y)/sinh(pi (y+step)) <= e^(-pi step) */
        arb_mul_2exp_si(x, sum, -prec);
        arb_set(last, term);
        if (arb_lt(term, x))
            break;
    }
    arb_const_pi(x, prec);
    arb_mul(ratio, x, step, prec);
    arb_neg(ratio, ratio);
    arb_exp(ratio, ratio, prec);
    arb_add(term, y, step, prec);
    arb_div(term, term, y, prec);
    arb_mul(ratio, ratio, term, prec);
    arb_sub_ui(x, ratio, 1, prec);
    arb_neg(x, x);
    if (arb_is_positive(x)) {
        arb_mul(last, last, ratio, prec);
        arb_div(last, last, x, prec);
        arb_get_ubound_arf(arb_midref(last), last, 64);
        mag_zero(arb_radref(last));
        arb_mul_2exp_si(last, last, -1); /* the tail lies in [0, last] */
        arb_add(sum, sum, last, prec);
        arb_add_error(sum, last);
    } else {
        arb_indeterminate(sum);
    }
    arb_clear(y);
    arb_clear(step);
    arb_clear(term);
    arb_clear(last);
    arb_clear(ratio);
    arb_clear(x);
}

void soe_symbol_ratio(arb_t ratio, const fmpq_t beta, const arb_t h, slong prec) {
    arb_t half, zero;
    arb_init(half);
    arb_init(zero);
    arb_set_fmpq(half, beta, prec);
    arb_mul_2exp_si(half, half, -1);
    symbol_sum(ratio, half, h, 1, prec);
    symbol_sum(zero, half, h, 0, prec);
    arb_div(ratio, ratio, zero, prec);
    arb_clear(half);
    arb_clear(zero);
}

void soe_symbol_step(arb_t h, const fmpq_t beta, const arb_t error, slong prec) {
    /* the ratio increases with h: bisection in ln h among dyadics of 20 bits, smaller h wanted */
    double low = log(1.0 / 4096), high = log(64.0);
    arb_t x, ratio;
    arb_init(x);
    arb_init(ratio);
    arb_zero(h);
    for (int i = 0; i < 24; i++) {
        double middle = 0.5 * (low + high), d = ldexp(nearbyint(ldexp(exp(middle), 20)), -20);
        arb_set_d(x, d);
        soe_symbol_ratio(ratio, beta, x, prec);
        if (arb_gt(ratio, error)) {
            arb_set(h, x);
            high = middle;
        } else {
            low = middle;
        }
    }
    arb_clear(x);
    arb_clear(ratio);
}

/* floor(length/h) + 1 certified from below; 0 if length < 0 or h = 0. */
static slong steps_lower(const arb_t length, const arb_t h, slong prec) {
    arb_t x;
    arf_t low;
    slong n = 0;
    arb_init(x);
    arf_init(low);
    if (arb_is_positive(h) && arb_is_nonnegative(length)) {
        arb_div(x, length, h, prec);
        arb_get_lbound_arf(low, x, 64);
        n = arf_get_si(low, ARF_RND_FLOOR) + 1;
    }
    arb_clear(x);
    arf_clear(low);
    return n;
}

slong soe_terms_power_lower(const fmpq_t beta, const arb_t log_horizon, const arb_t error,
                            slong prec) {
    arb_t h;
    arb_init(h);
    soe_symbol_step(h, beta, error, prec);
    slong n = steps_lower(log_horizon, h, prec);
    arb_clear(h);
    return n;
}

slong soe_terms_gl_lower(const fmpq_t alpha, const arb_t log_horizon, const arb_t error,
                         slong prec) {
    fmpq_t beta;
    arb_t h, eta, other, x, y, minus_beta, length;
    arf_t size;
    slong best = 0;
    fmpq_init(beta);
    arb_init(h);
    arb_init(eta);
    arb_init(other);
    arb_init(x);
    arb_init(y);
    arb_init(minus_beta);
    arb_init(length);
    arf_init(size);
    fmpq_one(beta);
    fmpq_sub(beta, beta, alpha);
    arb_get_lbound_arf(size, error, 64);
    slong bits = FLINT_MAX(3, -arf_abs_bound_lt_2exp_si(size));
    prec += 2 * bits; /* eta is a difference of numbers near 1 */
    arb_set_fmpq(minus_beta, beta, prec);
    arb_neg(minus_beta, minus_beta);
    for (slong e = bits; e <= bits + 4; e++) { /* M = 2^e */
        /* (1+error)(1-1/M)^-beta - 1 */
        arb_one(x);
        arb_mul_2exp_si(x, x, -e);
        arb_sub_ui(y, x, 1, prec);
        arb_neg(y, y);
        arb_pow(y, y, minus_beta, prec);
        arb_add_ui(eta, error, 1, prec);
        arb_mul(eta, eta, y, prec);
        arb_sub_ui(eta, eta, 1, prec);
        /* 1 - (1-error)(1-alpha beta/(M-1))(1+1/M)^-beta */
        arb_add_ui(y, x, 1, prec);
        arb_pow(y, y, minus_beta, prec);
        arb_sub_ui(other, error, 1, prec);
        arb_mul(y, y, other, prec);
        arb_neg(y, y);
        arb_inv(x, x, prec);
        arb_sub_ui(x, x, 1, prec);
        arb_set_fmpq(other, alpha, prec);
        arb_mul(other, other, minus_beta, prec);
        arb_div(other, other, x, prec);
        arb_add_ui(other, other, 1, prec);
        arb_mul(y, y, other, prec);
        arb_sub_ui(y, y, 1, prec);
        arb_neg(y, y);
        arb_max(eta, eta, y, prec);
        arb_set_round(eta, eta, 64);
        soe_symbol_step(h, beta, eta, 128);
        /* ln((T-1)/M) >= ln T - ln M - 1/(T-1), and ln T >= 1 here */
        arb_const_log2(x, prec);
        arb_mul_si(x, x, e, prec);
        arb_sub(length, log_horizon, x, prec);
        arb_exp(y, log_horizon, prec);
        arb_sub_ui(y, y, 1, prec);
        arb_inv(y, y, prec);
        arb_sub(length, length, y, prec);
        if (arb_is_positive(y))
            best = FLINT_MAX(best, steps_lower(length, h, prec));
    }
    fmpq_clear(beta);
    arb_clear(h);
    arb_clear(eta);
    arb_clear(other);
    arb_clear(x);
    arb_clear(y);
    arb_clear(minus_beta);
    arb_clear(length);
    arf_clear(size);
    return best;
}

/* Twice the half-integers s_1 = 1/2, s_{i+1} = q (s_i + alpha/2) - alpha/2 rounded up, while 2 s <= T;
   returns how many, at most room. */
static slong half_integers(fmpz *twice, const fmpz_t horizon, double alpha, double q, slong room) {
    slong n = 0;
    fmpz_t next;
    fmpz_init_set_ui(next, 1);
    while (n < room && fmpz_cmp(next, horizon) <= 0) {
        fmpz_set(twice + n, next);
        n++;
        double s = 0.5 * fmpz_get_d(next), grown = q * (s + alpha / 2) - alpha / 2;
        fmpz_set_d(next, ceil(grown - 0.5)); /* up to a half-integer: twice that is odd */
        fmpz_mul_2exp(next, next, 1);
        fmpz_add_ui(next, next, 1);
        if (fmpz_cmp(next, twice + n - 1) <= 0)
            fmpz_add_ui(next, twice + n - 1, 2);
    }
    fmpz_clear(next);
    return n;
}

/* Whether DWD - error r I has a Cholesky factor for these points (2 s_i odd). */
static int matrix_certifies(const fmpq_t alpha, const fmpz *twice, slong n, const arb_t error,
                            slong prec) {
    arb_mat_t w, l;
    fmpz_t j;
    arb_t row, most;
    arb_mat_init(w, n, n);
    arb_mat_init(l, n, n);
    fmpz_init(j);
    arb_init(row);
    arb_init(most);
    arb_ptr d = _arb_vec_init(n);
    for (slong i = 0; i < n; i++)
        for (slong k = 0; k <= i; k++) { /* s_i + s_k is an integer */
            fmpz_add(j, twice + i, twice + k);
            fmpz_fdiv_q_2exp(j, j, 1);
            exact_gl_ball(arb_mat_entry(w, i, k), alpha, j, prec);
            if (i == k)
                arb_rsqrt(d + i, arb_mat_entry(w, i, i), prec);
        }
    for (slong i = 0; i < n; i++)
        for (slong k = 0; k <= i; k++) {
            arb_mul(arb_mat_entry(w, i, k), arb_mat_entry(w, i, k), d + i, prec);
            arb_mul(arb_mat_entry(w, i, k), arb_mat_entry(w, i, k), d + k, prec);
            arb_set(arb_mat_entry(w, k, i), arb_mat_entry(w, i, k));
        }
    for (slong i = 0; i < n; i++) {
        arb_zero(row);
        for (slong k = 0; k < n; k++)
            arb_add(row, row, arb_mat_entry(w, i, k), prec);
        arb_max(most, most, row, prec);
    }
    arb_mul(most, most, error, prec);
    for (slong i = 0; i < n; i++)
        arb_sub(arb_mat_entry(w, i, i), arb_mat_entry(w, i, i), most, prec);
    int ok = arb_mat_cho(l, w, prec);
    arb_mat_clear(w);
    arb_mat_clear(l);
    fmpz_clear(j);
    arb_clear(row);
    arb_clear(most);
    _arb_vec_clear(d, n);
    return ok;
}

slong soe_terms_gl_matrix_lower(const fmpq_t alpha, const fmpz_t horizon, const arb_t error,
                                slong most) {
    fmpz *twice = _fmpz_vec_init(most);
    double a = fmpq_get_d(alpha);
    arf_t size;
    arf_init(size);
    arb_get_lbound_arf(size, error, 64);
    slong prec = 256 + 8 * FLINT_MAX(0, -arf_abs_bound_lt_2exp_si(size)), best = 0;
    /* larger ratios mean fewer, better separated points: look for the smallest that certifies */
    double low = 0, high = 6; /* ln q */
    for (int i = 0; i < 12; i++) {
        double middle = 0.5 * (low + high);
        slong n = half_integers(twice, horizon, a, exp(middle), most);
        if (matrix_certifies(alpha, twice, n, error, prec)) {
            best = FLINT_MAX(best, n);
            high = middle;
        } else {
            low = middle;
        }
    }
    arf_clear(size);
    _fmpz_vec_clear(twice, most);
    return best;
}

void soe_aliasing_bound(arb_t bound, const fmpq_t alpha, const arb_t h, slong prec) {
    arb_t beta, y, step, term, ratio, x;
    arb_init(beta);
    arb_init(y);
    arb_init(step);
    arb_init(term);
    arb_init(ratio);
    arb_init(x);
    arb_set_fmpq(beta, alpha, prec);
    arb_sub_ui(beta, beta, 1, prec);
    arb_neg(beta, beta);
    arb_const_pi(step, prec);
    arb_mul_2exp_si(step, step, 1);
    arb_div(step, step, h, prec);
    arb_zero(bound);
    for (int n = 0; n < 400; n++) {
        arb_add(y, y, step, prec);
        gamma_square(term, beta, y, prec);
        arb_sqrt(term, term, prec);
        arb_add(bound, bound, term, prec);
        arb_mul_2exp_si(x, bound, -64);
        if (arb_lt(term, x))
            break;
    }
    /* the rest: |Gamma| falls by ((y+step)/y)^(1/2) e^(-pi step/2) or more, beyond what sinh gives */
    arb_const_pi(x, prec);
    arb_mul(ratio, x, step, prec);
    arb_mul_2exp_si(ratio, ratio, -1);
    arb_neg(ratio, ratio);
    arb_exp(ratio, ratio, prec);
    arb_mul_2exp_si(
        ratio, ratio,
        1); /* ((y+step)/y)^(1/2)/(1-e^(-2 pi y))^(1/2) <= 2 for y >= step, step >= 1/4 */
    arb_sub_ui(x, ratio, 1, prec);
    arb_neg(x, x);
    arb_set_d(y, 0.25);
    if (arb_is_positive(x) && arb_ge(step, y)) {
        arb_mul(term, term, ratio, prec);
        arb_div(term, term, x, prec);
        arb_mul_2exp_si(term, term, -1); /* between 0 and that */
        arb_add(bound, bound, term, prec);
        arb_add_error(bound, term);
    } else {
        arb_pos_inf(bound);
    }
    arb_gamma(x, beta, prec);
    arb_div(bound, bound, x, prec);
    arb_mul_2exp_si(bound, bound, 1);
    arb_clear(beta);
    arb_clear(y);
    arb_clear(step);
    arb_clear(term);
    arb_clear(ratio);
    arb_clear(x);
}

/* Smallest g <= 4096 with alpha (1+error) x0^(2g)/w_{2g+1} <= third, x0 <= e^(-beta/(2g)); 0 if none. */
static slong right_nodes(const fmpq_t alpha, const arb_t log_x0, const arb_t third,
                         const arb_t error, int absolute, slong prec) {
    arb_t x, w;
    fmpz_t j;
    slong found = 0;
    arb_init(x);
    arb_init(w);
    fmpz_init(j);
    for (slong g = 1; g <= 4096 && !found; g++) {
        fmpz_set_si(j, 2 * g + 1);
        arb_mul_si(x, log_x0, 2 * g, prec);
        /* x0^(j-1) j^beta decreases from j = 2g+1 on: 2g ln x0 <= -1 <= -beta is enough */
        arb_add_ui(w, x, 1, prec);
        if (!arb_is_negative(w))
            continue;
        arb_exp(x, x, prec);
        if (!absolute) {
            exact_gl_ball(w, alpha, j, prec);
            arb_div(x, x, w, prec);
        }
        arb_add_ui(w, error, 1, prec);
        arb_mul(x, x, w, prec);
        arb_mul_fmpz(x, x, fmpq_numref(alpha), prec);
        arb_div_fmpz(x, x, fmpq_denref(alpha), prec);
        if (arb_le(x, third))
            found = g;
    }
    arb_clear(x);
    arb_clear(w);
    fmpz_clear(j);
    return found;
}

/* Smallest g' <= 512 with 4 mass (tau/4)^(2g')/(2g')! / scale <= third, or 0 nodes if the mass alone is
   below; -1 if none. */
static slong left_nodes(const arb_t mass, const arb_t tau, const arb_t third, slong prec) {
    arb_t x, power;
    slong found = -1;
    arb_init(x);
    arb_init(power);
    if (arb_le(mass, third))
        found = 0;
    arb_mul_2exp_si(power, mass, 2);
    for (slong g = 1; g <= 512 && found < 0; g++) {
        arb_mul(power, power, tau, prec);
        arb_mul(power, power, tau, prec);
        arb_mul_2exp_si(power, power, -4);
        arb_div_ui(power, power, (ulong)(2 * g) * (ulong)(2 * g - 1), prec);
        if (arb_le(power, third))
            found = g;
    }
    arb_clear(x);
    arb_clear(power);
    return found;
}

/* mass := s h e^(beta v)/(1-e^(-beta h)), s = sin(pi alpha)/pi: all of the trapezoid's weights up to v. */
static void left_mass(arb_t mass, const arb_t sine, const arb_t beta, const arb_t h, const arb_t v,
                      slong prec) {
    arb_t x;
    arb_init(x);
    arb_mul(x, beta, v, prec);
    arb_exp(mass, x, prec);
    arb_mul(mass, mass, h, prec);
    arb_mul(mass, mass, sine, prec);
    arb_mul(x, beta, h, prec);
    arb_neg(x, x);
    arb_expm1(x, x, prec);
    arb_neg(x, x);
    arb_div(mass, mass, x, prec);
    arb_clear(x);
}

slong soe_terms_explicit(const fmpq_t alpha, const fmpz_t horizon, int absolute, const arb_t error,
                         slong prec) {
    arb_t third, h, bound, beta, v, x, mass, tau, w, sine;
    slong best = 0;
    arb_init(third);
    arb_init(h);
    arb_init(bound);
    arb_init(beta);
    arb_init(v);
    arb_init(x);
    arb_init(mass);
    arb_init(tau);
    arb_init(w);
    arb_init(sine);
    arb_div_ui(third, error, 3, prec);
    arb_set_fmpq(beta, alpha, prec);
    arb_sub_ui(beta, beta, 1, prec);
    arb_neg(beta, beta);
    /* the largest step with aliasing <= error/3, by bisection on 16-bit dyadics */
    double low = 1.0 / 64, high = 16;
    for (int i = 0; i < 20; i++) {
        double middle = ldexp(nearbyint(ldexp(0.5 * (low + high), 16)), -16);
        arb_set_d(x, middle);
        soe_aliasing_bound(bound, alpha, x, prec);
        if (arb_le(bound, third))
            low = middle;
        else
            high = middle;
    }
    arb_set_d(h, low);
    soe_aliasing_bound(bound, alpha, h, prec);
    if (!arb_le(bound, third))
        goto done;
    arb_sin_pi_fmpq(sine, alpha, prec);
    arb_const_pi(x, prec);
    arb_div(sine, sine, x, prec);
    exact_gl_ball(w, alpha, horizon, prec);
    double log_horizon = log(fmpz_get_d(horizon));
    /* right cuts v0 = 0, 1/2, 1, ...: x0 = 1/(1+e^v0); left cuts lambda0 T = 1/8, 1/4, ... */
    double right_cost = HUGE_VAL;
    for (int i = 0; i < 24; i++) {
        arb_set_d(v, 0.5 * i);
        arb_exp(x, v, prec);
        arb_add_ui(x, x, 1, prec);
        arb_log(x, x, prec);
        arb_neg(x, x);
        slong g = right_nodes(alpha, x, third, error, absolute, prec);
        double cost = 0.5 * i / low + (double)g;
        if (g > 0 && cost < right_cost)
            right_cost = cost;
    }
    double left_cost = HUGE_VAL;
    for (int i = -6; i < 20; i++) {
        double v1 = 0.5 * i - log_horizon; /* e^v1 = lambda0 up to ln(1+e^v) <= e^v */
        v1 = ldexp(nearbyint(ldexp(v1, 10)), -10);
        if (v1 > 0) /* the cuts must not cross: v1 <= 0 <= v0 */
            break;
        arb_set_d(v, v1);
        arb_exp(tau, v, prec);
        arb_mul_fmpz(tau, tau, horizon, prec);
        /* over w_T for the relative error */
        left_mass(mass, sine, beta, h, v, prec);
        if (!absolute)
            arb_div(mass, mass, w, prec);
        slong g = left_nodes(mass, tau, third, prec);
        double cost = -v1 / low + (double)g;
        if (g >= 0 && cost < left_cost)
            left_cost = cost;
    }
    if (absolute) /* and far left, where the mass alone is small: any cut below */
        for (double v1 = -1; v1 > -20 - log_horizon - 4000; v1 -= 1) {
            arb_set_d(v, v1);
            left_mass(mass, sine, beta, h, v, prec);
            if (arb_le(mass, third)) {
                left_cost = fmin(left_cost, -v1 / low);
                break;
            }
        }
    if (isfinite(right_cost) && isfinite(left_cost)) /* points between the cuts, ends included */
        best = (slong)ceil(right_cost + left_cost) + 2;
done:
    arb_clear(third);
    arb_clear(h);
    arb_clear(bound);
    arb_clear(beta);
    arb_clear(v);
    arb_clear(x);
    arb_clear(mass);
    arb_clear(tau);
    arb_clear(w);
    arb_clear(sine);
    return best;
}

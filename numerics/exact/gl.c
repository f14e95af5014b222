#include "numerics/exact/gl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

double exact_gl_rational_bits(const fmpq_t alpha, const fmpz_t j) {
    double steps = fmpz_get_d(j), p = fmpz_get_d(fmpq_numref(alpha)),
           q = fmpz_get_d(fmpq_denref(alpha));
    if (fmpz_is_zero(j))
        return 64;
    if (fmpz_is_one(fmpq_denref(alpha))) { /* binomial(j+alpha-1, j): the shorter side counts */
        double other = p > 0 ? p - 1 : -p;
        double few = fmin(steps, other), many = fmax(steps, other);
        return few == 0 ? 64 : few * (log2(many + few + 2) + 1) + 64;
    }
    if (!isfinite(p) || !isfinite(q))
        return HUGE_VAL;
    return steps * (log2(fabs(p) + q * (steps + 1)) + log2(q) + 1) + 64;
}

/* Product of (first + i step), i < n, by splitting. */
static void rising_product(fmpz_t out, const fmpz_t first, const fmpz_t step, ulong n) {
    if (n == 0) {
        fmpz_one(out);
    } else if (n <= 16) {
        fmpz_t factor;
        fmpz_init_set(factor, first);
        fmpz_one(out);
        for (ulong i = 0; i < n; i++) {
            fmpz_mul(out, out, factor);
            fmpz_add(factor, factor, step);
        }
        fmpz_clear(factor);
    } else {
        fmpz_t right, middle;
        fmpz_init(right);
        fmpz_init(middle);
        fmpz_set(middle, first);
        fmpz_addmul_ui(middle, step, n / 2);
        rising_product(right, middle, step, n - n / 2);
        rising_product(out, first, step, n / 2);
        fmpz_mul(out, out, right);
        fmpz_clear(right);
        fmpz_clear(middle);
    }
}

void exact_gl_rational(fmpq_t w, const fmpq_t alpha, ulong j) {
    const fmpz *p = fmpq_numref(alpha), *q = fmpq_denref(alpha);
    fmpz_t bound;
    fmpz_init_set_ui(bound, j);
    if (fmpz_is_one(q) && fmpz_sgn(p) > 0 && fmpz_cmp(p, bound) <= 0) {
        /* alpha = p whole: w_j = binomial(j+p-1, p-1) = prod_{i<p-1} (j+1+i) / (p-1)!. */
        ulong m = fmpz_get_ui(p) - 1;
        fmpz_t one, first;
        fmpz_init_set_ui(one, 1);
        fmpz_init_set_ui(first, j);
        fmpz_add_ui(first, first, 1);
        rising_product(fmpq_numref(w), first, one, m);
        fmpz_fac_ui(fmpq_denref(w), m);
        fmpz_clear(one);
        fmpz_clear(first);
    } else if (fmpz_is_one(q) && fmpz_sgn(p) <= 0 && fmpz_cmpabs(p, bound) < 0) {
        fmpz_zero(fmpq_numref(w));
        fmpz_one(fmpq_denref(w));
    } else {
        /* w_j = prod_{i<j} (p+iq) / (q^j j!). */
        fmpz_t power;
        fmpz_init(power);
        rising_product(fmpq_numref(w), p, q, j);
        fmpz_fac_ui(fmpq_denref(w), j);
        fmpz_pow_ui(power, q, j);
        fmpz_mul(fmpq_denref(w), fmpq_denref(w), power);
        fmpz_clear(power);
    }
    fmpq_canonicalise(w);
    fmpz_clear(bound);
}

void exact_gl_rational_vec(fmpq *w, const fmpq_t alpha, slong n) {
    fmpq_t ratio;
    fmpq_init(ratio);
    if (n > 0)
        fmpq_one(w);
    for (slong j = 0; j + 1 < n; j++) {
        /* w_{j+1} = w_j (p + jq) / (q (j+1)) */
        fmpz_set(fmpq_numref(ratio), fmpq_numref(alpha));
        fmpz_addmul_ui(fmpq_numref(ratio), fmpq_denref(alpha), (ulong)j);
        fmpz_mul_ui(fmpq_denref(ratio), fmpq_denref(alpha), (ulong)j + 1);
        fmpq_canonicalise(ratio);
        fmpq_mul(w + j + 1, w + j, ratio);
    }
    fmpq_clear(ratio);
}

/* log Gamma(x) loses about log2(x log x) bits against its own size; this many guard bits make the
   difference of two such values good to prec bits. */
static slong guard_bits(const fmpz_t j, const fmpq_t alpha) {
    return 2 * (slong)(fmpz_bits(j) + fmpz_bits(fmpq_numref(alpha))) + 32;
}

/* x := log Gamma(q) for rational q > 0. */
static void log_gamma_rational(arb_t x, const fmpq_t q, slong prec) {
    arb_set_fmpq(x, q, prec + 64);
    arb_lgamma(x, x, prec);
}

void exact_gl_ball(arb_t w, const fmpq_t alpha, const fmpz_t j, slong prec) {
    if (fmpz_abs_fits_ui(j) && exact_gl_rational_bits(alpha, j) < 4096) {
        fmpq_t exact;
        fmpq_init(exact);
        exact_gl_rational(exact, alpha, fmpz_get_ui(j));
        arb_set_fmpq(w, exact, prec);
        fmpq_clear(exact);
        return;
    }
    fmpq_t top, one;
    fmpz_t n;
    fmpq_init(top);
    fmpq_init(one);
    fmpz_init(n);
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    fmpq_one(one);
    fmpq_add_fmpz(top, alpha, j);
    int whole = fmpz_is_one(fmpq_denref(alpha));
    if (whole && fmpq_sgn(alpha) <= 0 && fmpq_sgn(top) > 0) {
        arb_zero(w);
    } else {
        slong wp = prec + guard_bits(j, alpha);
        int negative = 0, reflect = 0;
        if (fmpq_sgn(alpha) > 0) {
            /* Gamma(j+alpha) / Gamma(alpha) */
            log_gamma_rational(x, top, wp);
            log_gamma_rational(y, alpha, wp);
            arb_sub(x, x, y, wp);
        } else if (fmpq_sgn(top) > 0) {
            /* Gamma(j+alpha) Gamma(1-alpha) sin(pi alpha) / pi: alpha < 0 < j+alpha */
            log_gamma_rational(x, top, wp);
            fmpq_sub(top, one, alpha);
            log_gamma_rational(y, top, wp);
            arb_add(x, x, y, wp);
            reflect = 1;
        } else {
            /* (-1)^j Gamma(1-alpha) / Gamma(1-alpha-j) */
            fmpq_sub(top, one, top);
            log_gamma_rational(y, top, wp);
            fmpq_sub(top, one, alpha);
            log_gamma_rational(x, top, wp);
            arb_sub(x, x, y, wp);
            negative = fmpz_is_odd(j);
        }
        fmpz_add_ui(n, j, 1);
        arb_set_fmpz(y, n);
        arb_lgamma(y, y, wp);
        arb_sub(x, x, y, wp);
        arb_exp(w, x, prec + 4);
        if (reflect) {
            arb_sin_pi_fmpq(x, alpha, prec + 8);
            arb_mul(w, w, x, prec + 4);
            arb_const_pi(x, prec + 8);
            arb_div(w, w, x, prec + 4);
        }
        if (negative)
            arb_neg(w, w);
        arb_set_round(w, w, prec);
    }
    arb_clear(x);
    arb_clear(y);
    fmpq_clear(top);
    fmpq_clear(one);
    fmpz_clear(n);
}

#define LIMBS_MAX 64

/* Fixed-length significand: |w_j| = (m[0..n-1] as an integer, top bit set) * 2^exponent. */
typedef struct {
    mp_limb_t m[LIMBS_MAX];
    mp_size_t n;
    slong exponent;
    int negative;
} limbs;

/* s := s a / d truncated; a, d > 0 below 2^63.  One limb is appended to the product when a < d/2,
   so that the quotient keeps n limbs, at most three bits short of full: relative error of division
   and truncation together < 2^(4-64n). */
static void limbs_step(limbs *s, mp_limb_t a, mp_limb_t d) {
    mp_size_t n = s->n;
    mp_limb_t product[LIMBS_MAX + 3];
    mp_size_t extra = a < d / 2 ? 1 : 0;
    product[0] = 0;
    product[n + extra] = mpn_mul_1(product + extra, s->m, n, a);
    mp_size_t len = n + extra + 1;
    mpn_divrem_1(product, 0, product, len, d);
    while (product[len - 1] == 0)
        len--;
    /* the top n limbs of the quotient, shifted up so that the top bit is set */
    int shift = (int)__builtin_clzl(product[len - 1]);
    mp_size_t drop = len - n;
    s->exponent += 64 * (drop - extra) - shift;
    if (shift == 0) {
        memcpy(s->m, product + drop, (size_t)n * sizeof *s->m);
    } else {
        mpn_lshift(s->m, product + drop, n, (unsigned)shift);
        if (drop > 0)
            s->m[0] |= product[drop - 1] >> (64 - shift);
    }
}

/* Whether p + jq and q(j+1) stay below 2^62 in size for first <= j <= first+n and prec fits. */
static int fits_limbs(const fmpq_t alpha, const fmpz_t first, slong n, slong prec) {
    fmpz_t top;
    fmpz_init(top);
    fmpz_add_ui(top, first, (ulong)n + 1);
    fmpz_mul(top, top, fmpq_denref(alpha));
    int ok = fmpz_bits(top) <= 61 && fmpz_bits(fmpq_numref(alpha)) <= 61 &&
             (prec + 63) / 64 + 1 <= LIMBS_MAX;
    fmpz_clear(top);
    return ok;
}

typedef void (*emit_fn)(void *out, slong i, const limbs *s, slong prec);

static void emit_ball(void *out, slong i, const limbs *s, slong prec) {
    arb_ptr w = (arb_ptr)out + i;
    if (s == NULL) {
        arb_zero(w);
        return;
    }
    /* the top k limbs: what is dropped and what s carries is < 2^(exponent + 64(n-k) + 1) */
    mp_size_t k = (prec + 63) / 64;
    slong shift = s->exponent + 64 * (s->n - k);
    arf_set_mpn(arb_midref(w), s->m + (s->n - k), k, s->negative);
    arf_mul_2exp_si(arb_midref(w), arb_midref(w), shift);
    mag_set_ui_2exp_si(arb_radref(w), 1, shift + 1);
}

static void emit_mpfr(void *out, slong i, const limbs *s, slong prec) {
    mpfr_ptr w = (mpfr_ptr)out + i;
    (void)prec;
    if (s == NULL) {
        mpfr_set_zero(w, 1);
        return;
    }
    mpfr_t view;
    mpfr_custom_init_set(view, s->negative ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND,
                         s->exponent + 64 * s->n, 64 * s->n, (void *)(uintptr_t)s->m);
    mpfr_set(w, view, MPFR_RNDN);
}

/* Start at w_first (as a ball with n limbs to spare), then step. */
static void run_recurrence(void *out, emit_fn emit, const fmpq_t alpha, const fmpz_t first, slong n,
                           slong prec) {
    limbs s;
    s.n = (prec + 63) / 64 + 1;
    arb_t start;
    fmpz_t mantissa, exponent;
    arb_init(start);
    fmpz_init(mantissa);
    fmpz_init(exponent);
    exact_gl_ball(start, alpha, first, 64 * s.n + 8);
    slong i = 0;
    if (!arb_is_zero(start)) { /* start's own error: below the last bit kept, see exact_gl_ball */
        arf_get_fmpz_2exp(mantissa, exponent, arb_midref(start));
        s.negative = fmpz_sgn(mantissa) < 0;
        fmpz_abs(mantissa, mantissa);
        slong bits = (slong)fmpz_bits(mantissa), shift = 64 * s.n - bits;
        if (shift >= 0)
            fmpz_mul_2exp(mantissa, mantissa, (ulong)shift);
        else
            fmpz_fdiv_q_2exp(mantissa, mantissa, (ulong)-shift);
        s.exponent = fmpz_get_si(exponent) - shift;
        memset(s.m, 0, sizeof s.m);
        fmpz_get_ui_array((ulong *)s.m, s.n, mantissa);
        slong p = fmpz_get_si(fmpq_numref(alpha)), q = fmpz_get_si(fmpq_denref(alpha));
        slong j = fmpz_get_si(first);
        for (; i < n; i++, j++) {
            emit(out, i, &s, prec);
            slong a = p + j * q;
            if (a == 0) {
                i++;
                break;
            }
            s.negative ^= a < 0;
            limbs_step(&s, (mp_limb_t)FLINT_ABS(a), (mp_limb_t)(q * (j + 1)));
        }
    }
    for (; i < n; i++)
        emit(out, i, NULL, prec);
    arb_clear(start);
    fmpz_clear(mantissa);
    fmpz_clear(exponent);
}

void exact_gl_ball_vec(arb_ptr w, const fmpq_t alpha, const fmpz_t first, slong n, slong prec) {
    if (fits_limbs(alpha, first, n, prec)) {
        run_recurrence(w, emit_ball, alpha, first, n, prec);
        return;
    }
    fmpz_t j;
    fmpz_init_set(j, first);
    for (slong i = 0; i < n; i++) {
        exact_gl_ball(w + i, alpha, j, prec);
        fmpz_add_ui(j, j, 1);
    }
    fmpz_clear(j);
}

void exact_gl_mpfr_vec(mpfr_ptr w, const fmpq_t alpha, const fmpz_t first, slong n, slong prec) {
    if (fits_limbs(alpha, first, n, prec)) {
        run_recurrence(w, emit_mpfr, alpha, first, n, prec);
        return;
    }
    arb_t ball;
    fmpz_t j;
    arb_init(ball);
    fmpz_init_set(j, first);
    for (slong i = 0; i < n; i++) {
        exact_gl_ball(ball, alpha, j, prec + 32);
        arf_get_mpfr(w + i, arb_midref(ball), MPFR_RNDN);
        fmpz_add_ui(j, j, 1);
    }
    arb_clear(ball);
    fmpz_clear(j);
}

/* Bits by which lgamma(t) exceeds 1 in size, from the midpoint of t. */
static slong real_guard_bits(const arb_t t) {
    slong e = arf_is_zero(arb_midref(t)) ? 0 : arf_abs_bound_lt_2exp_si(arb_midref(t));
    return 32 + 2 * FLINT_MAX(e, 0);
}

void exact_gl_real(arb_t w, const arb_t alpha, const arb_t t, slong prec) {
    if (!arb_is_positive(alpha) || !arb_is_nonnegative(t) || !arb_is_finite(t)) {
        arb_indeterminate(w);
        return;
    }
    slong wp = prec + real_guard_bits(t);
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    arb_add(x, t, alpha, wp);
    arb_lgamma(x, x, wp);
    arb_lgamma(y, alpha, wp);
    arb_sub(x, x, y, wp);
    arb_add_ui(y, t, 1, wp);
    arb_lgamma(y, y, wp);
    arb_sub(x, x, y, wp);
    arb_exp(w, x, prec);
    arb_clear(x);
    arb_clear(y);
}

void exact_gl_log_taylor(arb_poly_t w, const fmpq_t alpha, const arb_t t, slong len, slong prec) {
    slong wp = prec + real_guard_bits(t);
    arb_poly_t x, y;
    arb_t a;
    arb_poly_init(x);
    arb_poly_init(y);
    arb_init(a);
    arb_set_fmpq(a, alpha, wp);
    /* x = t e^delta */
    arb_poly_set_coeff_si(x, 1, 1);
    arb_poly_exp_series(x, x, len, wp);
    arb_poly_scalar_mul(x, x, t, wp);
    /* w = exp(lgamma(x+alpha) - lgamma(x+1) - lgamma(alpha)) */
    arb_poly_set(y, x);
    arb_add(x->coeffs, x->coeffs, a, wp);
    arb_poly_lgamma_series(x, x, len, wp);
    arb_add_ui(y->coeffs, y->coeffs, 1, wp);
    arb_poly_lgamma_series(y, y, len, wp);
    arb_poly_sub(x, x, y, wp);
    arb_lgamma(a, a, wp);
    if (arb_poly_length(x) > 0)
        arb_sub(x->coeffs, x->coeffs, a, wp);
    arb_poly_exp_series(w, x, len, prec);
    arb_poly_clear(x);
    arb_poly_clear(y);
    arb_clear(a);
}

void exact_gl_power_ratio(arb_t ratio, const fmpq_t alpha, const arb_t t, slong prec) {
    slong wp = prec + real_guard_bits(t);
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    /* exp(lgamma(t+alpha) - lgamma(t+1) + (1-alpha) log t) */
    arb_set_fmpq(y, alpha, wp);
    arb_add(x, t, y, wp);
    arb_lgamma(x, x, wp);
    arb_sub_ui(y, y, 1, wp);
    arb_neg(y, y);
    arb_log(ratio, t, wp);
    arb_addmul(x, y, ratio, wp);
    arb_add_ui(y, t, 1, wp);
    arb_lgamma(y, y, wp);
    arb_sub(x, x, y, wp);
    arb_exp(ratio, x, prec);
    arb_clear(x);
    arb_clear(y);
}

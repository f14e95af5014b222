#include "numerics/exact/number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* floor(log2 10^100001): integers of at most so many bits are below 10^100001, so that what is taken can be
   written out as a fraction and is taken again.  Source: EXACT_MAX_DIGITS log2(10) = 332196.1... */
#define MAX_BITS 332196

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* [+-]digits[.digits][(e|E)[+-]digits], advancing *cursor; NULL or a reason. */
static const char *parse_decimal(fmpq_t value, const char **cursor) {
    const char *s = *cursor;
    int negative = 0;
    if (*s == '+' || *s == '-')
        negative = *s++ == '-';
    size_t room = strspn(s, "0123456789.") + 1;
    if (room > EXACT_MAX_DIGITS + 2)
        return "a number of too many digits";
    char *digits = flint_malloc(room);
    slong count = 0, exponent = 0;
    int dot = 0;
    for (; is_digit(*s) || (*s == '.' && !dot); s++) {
        if (*s == '.') {
            dot = 1;
            continue;
        }
        digits[count++] = *s;
        exponent -= dot;
    }
    digits[count] = '\0';
    const char *reason = NULL;
    if (count == 0)
        reason = "not a number: write a decimal like 0.3 or 1e-8, or a fraction like 3/10";
    if (reason == NULL && count > EXACT_MAX_DIGITS)
        reason = "a number of too many digits";
    if (reason == NULL && (*s == 'e' || *s == 'E')) {
        const char *t = s + 1;
        int minus = 0;
        if (*t == '+' || *t == '-')
            minus = *t++ == '-';
        if (!is_digit(*t)) {
            reason = "a number without digits after its exponent's e";
        } else {
            slong shift = 0;
            for (; is_digit(*t); t++)
                if (shift <= EXACT_MAX_EXPONENT)
                    shift = 10 * shift + (*t - '0');
            if (shift > EXACT_MAX_EXPONENT)
                reason = "a number whose exponent is out of range (at most 100000 in size)";
            exponent += minus ? -shift : shift;
            s = t;
        }
    }
    if (reason == NULL) {
        fmpz_t power;
        fmpz_init(power);
        fmpz_set_str(fmpq_numref(value), digits, 10);
        fmpz_one(fmpq_denref(value));
        fmpz_set_ui(power, 10);
        fmpz_pow_ui(power, power, (ulong)FLINT_ABS(exponent));
        if (exponent >= 0)
            fmpq_mul_fmpz(value, value, power);
        else
            fmpq_div_fmpz(value, value, power);
        if (negative)
            fmpq_neg(value, value);
        fmpz_clear(power);
        *cursor = s;
    }
    flint_free(digits);
    return reason;
}

const char *exact_parse_rational(fmpq_t value, const char *text) {
    fmpq_zero(value);
    fmpq_t numerator, denominator;
    fmpq_init(numerator);
    fmpq_init(denominator);
    fmpq_one(denominator);
    const char *cursor = text;
    const char *reason = parse_decimal(numerator, &cursor);
    if (reason == NULL && *cursor == '/') {
        cursor++;
        if (!is_digit(*cursor))
            reason = "a fraction whose denominator is not a positive number";
        else
            reason = parse_decimal(denominator, &cursor);
        if (reason == NULL && fmpq_is_zero(denominator))
            reason = "a fraction whose denominator is zero";
    }
    if (reason == NULL && *cursor != '\0')
        reason = "not a number: write a decimal like 0.3 or 1e-8, or a fraction like 3/10";
    if (reason == NULL)
        fmpq_div(value, numerator, denominator);
    if (fmpz_bits(fmpq_numref(value)) > MAX_BITS || fmpz_bits(fmpq_denref(value)) > MAX_BITS) {
        reason = "a number of too many digits";
        fmpq_zero(value);
    }
    fmpq_clear(numerator);
    fmpq_clear(denominator);
    return reason;
}

const char *exact_parse_integer(fmpz_t value, const char *text) {
    fmpz_zero(value);
    fmpq_t q;
    fmpq_init(q);
    const char *reason = exact_parse_rational(q, text);
    if (reason == NULL && !fmpz_is_one(fmpq_denref(q)))
        reason = "not a whole number";
    if (reason == NULL)
        fmpz_set(value, fmpq_numref(q));
    fmpq_clear(q);
    return reason;
}

/* n := x * 10^k rounded to nearest, ties to even (x > 0). */
static void round_scaled(fmpz_t n, const fmpq_t x, slong k) {
    fmpz_t num, den, rem;
    fmpz_init(num);
    fmpz_init(den);
    fmpz_init(rem);
    fmpz_set_ui(num, 10);
    fmpz_pow_ui(num, num, (ulong)FLINT_ABS(k));
    if (k >= 0) {
        fmpz_mul(num, num, fmpq_numref(x));
        fmpz_set(den, fmpq_denref(x));
    } else {
        fmpz_mul(den, num, fmpq_denref(x));
        fmpz_set(num, fmpq_numref(x));
    }
    fmpz_fdiv_qr(n, rem, num, den);
    fmpz_mul_2exp(rem, rem, 1);
    int side = fmpz_cmp(rem, den);
    if (side > 0 || (side == 0 && fmpz_is_odd(n)))
        fmpz_add_ui(n, n, 1);
    fmpz_clear(num);
    fmpz_clear(den);
    fmpz_clear(rem);
}

/* floor(log10 x) for x > 0: from below by the bit lengths, x > 2^(bits-1), then by exact comparison. */
static slong floor_log10(const fmpq_t x) {
    double bits = (double)fmpz_bits(fmpq_numref(x)) - (double)fmpz_bits(fmpq_denref(x));
    slong guess = (slong)floor((bits - 1) * 0.30102999566398119521);
    fmpz_t n;
    fmpz_init(n);
    fmpq_t scaled, power;
    fmpq_init(scaled);
    fmpq_init(power);
    fmpq_set_si(power, 10, 1);
    fmpq_pow_si(power, power, -guess);
    fmpq_mul(scaled, x, power);
    while (fmpq_cmp_si(scaled, 10) >= 0) {
        fmpz_set_ui(n, 10);
        fmpq_div_fmpz(scaled, scaled, n);
        guess++;
    }
    fmpz_clear(n);
    fmpq_clear(scaled);
    fmpq_clear(power);
    return guess;
}

char *exact_decimal_rational(const fmpq_t x, slong digits) {
    if (fmpq_is_zero(x)) {
        char *zero = flint_malloc(2);
        memcpy(zero, "0", 2);
        return zero;
    }
    fmpq_t positive;
    fmpq_init(positive);
    fmpq_abs(positive, x);
    slong e = floor_log10(positive);
    fmpz_t n;
    fmpz_init(n);
    round_scaled(n, positive, digits - 1 - e);
    char *all = fmpz_get_str(NULL, 10, n);
    if ((slong)strlen(all) > digits) { /* 9.99 -> 10.0 */
        e++;
        all[digits] = '\0';
    }
    slong widest = FLINT_MAX(digits, 21);
    slong room = digits + (e >= -6 && e < widest ? FLINT_ABS(e) : 0) + 32;
    char *out = flint_malloc((size_t)room), *p = out;
    if (fmpq_sgn(x) < 0)
        *p++ = '-';
    if (e >= -6 && e < 0) { /* 0.000ddd */
        *p++ = '0';
        *p++ = '.';
        for (slong i = e + 1; i < 0; i++)
            *p++ = '0';
        memcpy(p, all, (size_t)digits);
        p += digits;
        *p = '\0';
    } else if (e >= 0 && e < widest) { /* ddd.ddd, padded with zeros up to the point */
        for (slong i = 0; i <= FLINT_MAX(e, digits - 1); i++) {
            if (i == e + 1)
                *p++ = '.';
            *p++ = i < digits ? all[i] : '0';
        }
        *p = '\0';
    } else {
        *p++ = all[0];
        if (digits > 1) {
            *p++ = '.';
            memcpy(p, all + 1, (size_t)(digits - 1));
            p += digits - 1;
        }
        flint_sprintf(p, "e%wd", e);
    }
    flint_free(all);
    fmpz_clear(n);
    fmpq_clear(positive);
    return out;
}

void exact_rational_from_arf(fmpq_t value, const arf_t x) {
    fmpz_t mantissa, exponent;
    fmpz_init(mantissa);
    fmpz_init(exponent);
    arf_get_fmpz_2exp(mantissa, exponent, x);
    fmpq_set_fmpz(value, mantissa);
    slong e = fmpz_get_si(exponent);
    if (e >= 0)
        fmpq_mul_2exp(value, value, (flint_bitcnt_t)e);
    else
        fmpq_div_2exp(value, value, (flint_bitcnt_t)-e);
    fmpz_clear(mantissa);
    fmpz_clear(exponent);
}

char *exact_decimal_ball(const arb_t x, slong digits) {
    if (!arb_is_finite(x))
        return NULL;
    /* The end points are rounded as rationals; monotone rounding makes equal strings a proof. */
    arf_t low, high;
    arf_init(low);
    arf_init(high);
    slong bits = FLINT_MIN(arb_rel_accuracy_bits(x), 1000000); /* exact: WORD_MAX */
    slong prec = 64 + FLINT_MAX(bits, 4 * digits);
    arb_get_lbound_arf(low, x, prec);
    arb_get_ubound_arf(high, x, prec);
    char *result = NULL;
    int tame = (arf_is_zero(low) && arf_is_zero(high)) ||
               (arf_sgn(low) * arf_sgn(high) > 0 && arf_abs_bound_lt_2exp_si(low) < 400000 &&
                arf_abs_bound_lt_2exp_si(low) > -400000);
    if (tame) {
        fmpq_t a, b;
        fmpq_init(a);
        fmpq_init(b);
        exact_rational_from_arf(a, low);
        exact_rational_from_arf(b, high);
        char *lower = exact_decimal_rational(a, digits), *upper = exact_decimal_rational(b, digits);
        if (strcmp(lower, upper) == 0)
            result = lower;
        else
            flint_free(lower);
        flint_free(upper);
        fmpq_clear(a);
        fmpq_clear(b);
    }
    arf_clear(low);
    arf_clear(high);
    return result;
}

char *exact_fraction(const fmpq_t x) {
    return fmpq_get_str(NULL, 10, x);
}

void exact_ball_from_rational(arb_t x, const fmpq_t q, slong prec) {
    arb_set_fmpq(x, q, prec);
}

double exact_double_mid(const arb_t x) {
    return arb_is_finite(x) ? arf_get_d(arb_midref(x), ARF_RND_NEAR) : (double)NAN;
}

static double bound_double(const arb_t x, int upper) {
    if (!arb_is_finite(x))
        return upper ? HUGE_VAL : -HUGE_VAL;
    arf_t end;
    arf_init(end);
    if (upper)
        arb_get_ubound_arf(end, x, 53);
    else
        arb_get_lbound_arf(end, x, 53);
    double d = arf_get_d(end, upper ? ARF_RND_CEIL : ARF_RND_FLOOR);
    arf_clear(end);
    return d;
}

double exact_double_lower(const arb_t x) {
    return bound_double(x, 0);
}

double exact_double_upper(const arb_t x) {
    return bound_double(x, 1);
}

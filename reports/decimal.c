#include "reports/decimal.h"
#include "numerics/exact/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_EXPONENT = 10000 };

/* e with 10^(e-1) <= |x| < 10^e */
static slong decimal_exponent(const fmpq_t x) {
    fmpz_t left, right;
    fmpz_init(left);
    fmpz_init(right);
    slong e = (slong)floor(((double)fmpz_bits(fmpq_numref(x)) - (double)fmpz_bits(fmpq_denref(x))) *
                           0.30103) -
              1;
    for (;; e++) { /* the first e with |num| < den 10^e */
        fmpz_abs(left, fmpq_numref(x));
        fmpz_set(right, fmpq_denref(x));
        fmpz_t power;
        fmpz_init(power);
        fmpz_ui_pow_ui(power, 10, (ulong)(e < 0 ? -e : e));
        if (e < 0)
            fmpz_mul(left, left, power);
        else
            fmpz_mul(right, right, power);
        fmpz_clear(power);
        if (fmpz_cmp(left, right) < 0)
            break;
    }
    fmpz_clear(left);
    fmpz_clear(right);
    return e;
}

void decimal_set(decimal *d, const fmpq_t x, slong digits, decimal_rounding rounding) {
    memset(d, 0, sizeof *d);
    d->sign = fmpq_sgn(x);
    d->exact = 1;
    if (d->sign == 0)
        return;
    fmpz_t n, m, rest;
    fmpz_init(n);
    fmpz_init(m);
    fmpz_init(rest);
    d->exponent = decimal_exponent(x);
    /* |x| 10^(digits - exponent) = q + rest/den, q of exactly so many digits */
    slong shift = digits - d->exponent;
    fmpz_ui_pow_ui(m, 10, (ulong)(shift < 0 ? -shift : shift));
    fmpz_abs(n, fmpq_numref(x));
    if (shift >= 0) {
        fmpz_mul(n, n, m);
        fmpz_set(m, fmpq_denref(x));
    } else {
        fmpz_mul(m, m, fmpq_denref(x));
    }
    fmpz_fdiv_qr(n, rest, n, m);
    d->exact = fmpz_is_zero(rest);
    fmpz_mul_2exp(rest, rest, 1);
    int away = (rounding == ROUND_UP && d->sign > 0) || (rounding == ROUND_DOWN && d->sign < 0) ||
               (rounding == ROUND_NEAREST && fmpz_cmp(rest, m) >= 0);
    if (!d->exact && away)
        fmpz_add_ui(n, n, 1); /* may become 10^digits: one digit more */
    if (fmpz_sizeinbase(n, 10) <= DECIMAL_DIGITS + 1)
        fmpz_get_str(d->digits, 10, n);
    size_t length = strlen(d->digits);
    d->exponent += (slong)length - digits;
    while (length > 1 && d->digits[length - 1] == '0' && (d->exact || (slong)length > digits))
        d->digits[--length] = '\0';
    fmpz_clear(n);
    fmpz_clear(m);
    fmpz_clear(rest);
}

void decimal_value(fmpq_t x, const decimal *d) {
    fmpz_t power;
    slong e = d->exponent - (slong)strlen(d->digits);
    fmpq_zero(x);
    if (d->sign == 0)
        return;
    fmpz_init(power);
    fmpz_ui_pow_ui(power, 10, (ulong)(e < 0 ? -e : e));
    fmpz_set_str(fmpq_numref(x), d->digits, 10);
    if (e >= 0)
        fmpq_mul_fmpz(x, x, power);
    else
        fmpq_div_fmpz(x, x, power);
    if (d->sign < 0)
        fmpq_neg(x, x);
    fmpz_clear(power);
}

static void print_power(text_buffer *b, slong e, decimal_style style) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char text[32];
    if (style == DECIMAL_ASCII) {
        text_printf(b, "e%ld", (long)e);
    } else if (style == DECIMAL_TEX) {
        text_printf(b, "\\cdot10^{%ld}", (long)e);
    } else {
        snprintf(text, sizeof text, "%ld", (long)(e < 0 ? -e : e));
        text_printf(b, "·10%s", e < 0 ? "⁻" : "");
        for (const char *p = text; *p != '\0'; p++)
            text_printf(b, "%s", raised[*p - '0']);
    }
}

/* dots: the digits go on */
static void print_digits(text_buffer *b, const decimal *d, decimal_style style, int dots) {
    static const char *const ellipsis[] = {"...", "\\ldots", "…"};
    slong length = (slong)strlen(d->digits), e = d->exponent;
    int scientific = e < -3 || e > 7;
    if (d->sign == 0) {
        text_printf(b, "0");
        return;
    }
    if (d->sign < 0)
        text_printf(b, "%s", style == DECIMAL_UNICODE ? "−" : "-");
    if (dots && e > length) /* 12345 of 123456.7: the digits must reach the point */
        scientific = 1;
    slong whole = scientific ? 1 : e; /* digits before the point */
    if (whole <= 0) {
        text_printf(b, "0.");
        for (slong i = whole; i < 0; i++)
            text_printf(b, "0");
        text_printf(b, "%s", d->digits);
    } else {
        for (slong i = 0; i < whole; i++)
            text_printf(b, "%c", i < length ? d->digits[i] : '0');
        if (length > whole)
            text_printf(b, ".%s", d->digits + whole);
        else if (dots)
            text_printf(b, ".");
    }
    if (dots)
        text_printf(b, "%s", ellipsis[style]);
    if (scientific)
        print_power(b, e - 1, style);
}

void decimal_print(text_buffer *b, const decimal *d, decimal_style style) {
    print_digits(b, d, style, 0);
}

static int writable(const arf_t x) {
    return arf_is_zero(x) ||
           (arf_is_finite(x) && arf_cmpabs_2exp_si(x, 3 * LARGEST_EXPONENT) < 0 &&
            arf_cmpabs_2exp_si(x, -3 * LARGEST_EXPONENT) > 0 && arf_bits(x) < 8 * LARGEST_EXPONENT);
}

static void set_double(fmpq_t q, double x) {
    arf_t a;
    arf_init(a);
    arf_set_d(a, x);
    exact_rational_from_arf(q, a);
    arf_clear(a);
}

int report_enclosure_ends(fmpq_t lower, fmpq_t upper, const enclosure_t x) {
    if (x->type == ENCLOSURE_RATIONAL) {
        fmpq_set(lower, x->rational);
        fmpq_set(upper, x->rational);
        return fmpz_bits(fmpq_numref(x->rational)) < 8 * LARGEST_EXPONENT &&
               fmpz_bits(fmpq_denref(x->rational)) < 8 * LARGEST_EXPONENT;
    }
    if (x->type == ENCLOSURE_MEASURED) {
        const enclosure_measurement *m = &x->measured;
        if (!isfinite(m->estimate) || !isfinite(m->lower) || !isfinite(m->upper))
            return 0;
        set_double(lower, m->lower);
        set_double(upper, m->upper);
        return 1;
    }
    arf_t radius;
    fmpq_t r;
    arf_init(radius);
    fmpq_init(r);
    arf_set_mag(radius, arb_radref(x->ball));
    int ok = writable(arb_midref(x->ball)) && writable(radius);
    if (ok) {
        exact_rational_from_arf(lower, arb_midref(x->ball));
        exact_rational_from_arf(r, radius);
        fmpq_add(upper, lower, r);
        fmpq_sub(lower, lower, r);
    }
    arf_clear(radius);
    fmpq_clear(r);
    return ok;
}

/* [a, b], the fewest digits (2 to 6) that widen the interval by at most a tenth at each end */
static void print_interval(text_buffer *b, const fmpq_t lower, const fmpq_t upper,
                           decimal_style style) {
    decimal low, high;
    fmpq_t tenth, gap, shown;
    fmpq_init(tenth);
    fmpq_init(gap);
    fmpq_init(shown);
    fmpq_sub(tenth, upper, lower);
    fmpq_div_2exp(tenth, tenth, 3);
    for (slong digits = 2; digits <= 6; digits++) {
        int wide = 0;
        decimal_set(&low, lower, digits, ROUND_DOWN);
        decimal_set(&high, upper, digits, ROUND_UP);
        decimal_value(shown, &low);
        fmpq_sub(gap, lower, shown);
        wide |= fmpq_cmp(gap, tenth) > 0;
        decimal_value(shown, &high);
        fmpq_sub(gap, shown, upper);
        wide |= fmpq_cmp(gap, tenth) > 0;
        if (!wide)
            break;
    }
    text_printf(b, "[");
    decimal_print(b, &low, style);
    text_printf(b, ", ");
    decimal_print(b, &high, style);
    text_printf(b, "]");
    fmpq_clear(tenth);
    fmpq_clear(gap);
    fmpq_clear(shown);
}

/* 1 if it was printed: integers, short fractions, and exact decimals of no more digits */
static int print_exact(text_buffer *b, const fmpq_t x, slong digits, decimal_style style) {
    decimal d;
    const fmpz *num = fmpq_numref(x), *den = fmpq_denref(x);
    decimal_set(&d, x, digits, ROUND_TO_ZERO);
    if (fmpz_is_one(den) && fmpz_sizeinbase(num, 10) <= 15) {
        char *text = exact_fraction(x);
        text_printf(b, "%s%s", style == DECIMAL_UNICODE && text[0] == '-' ? "−" : "",
                    text + (style == DECIMAL_UNICODE && text[0] == '-'));
        flint_free(text);
    } else if (d.exact) {
        decimal_print(b, &d, style);
    } else if (fmpz_sizeinbase(num, 10) <= 4 && fmpz_sizeinbase(den, 10) <= 4) {
        char *text = exact_fraction(x);
        text_printf(b, "%s%s", style == DECIMAL_UNICODE && text[0] == '-' ? "−" : "",
                    text + (style == DECIMAL_UNICODE && text[0] == '-'));
        flint_free(text);
    } else {
        return 0;
    }
    return 1;
}

static void pad(decimal *d, slong digits) {
    for (slong length = (slong)strlen(d->digits); length < digits; length++)
        d->digits[length] = '0';
    d->digits[digits] = '\0';
}

/* The most digits, at most so many, that both ends share when cut; 0 if they are fewer than three,
   or if they say much less than the ends do (1.00... where 1.00499 and 1.00501 are known). */
static slong certain_digits(decimal *d, const fmpq_t lower, const fmpq_t upper, slong digits) {
    decimal other, unit = {1, "1", 0, 1};
    fmpq_t step, width;
    slong k = digits;
    if (fmpq_sgn(lower) * fmpq_sgn(upper) <= 0)
        return 0;
    for (; k >= 3; k--) {
        decimal_set(d, lower, k, ROUND_TO_ZERO);
        decimal_set(&other, upper, k, ROUND_TO_ZERO);
        pad(d, k);
        pad(&other, k);
        if (d->exponent == other.exponent && strcmp(d->digits, other.digits) == 0)
            break;
    }
    if (k == digits || k < 3)
        return k < 3 ? 0 : k;
    fmpq_init(step);
    fmpq_init(width);
    unit.exponent = d->exponent - k + 1;
    decimal_value(step, &unit); /* of the last digit */
    fmpq_sub(width, upper, lower);
    fmpq_mul_si(width, width, 20);
    if (fmpq_cmp(step, width) > 0)
        k = 0;
    fmpq_clear(step);
    fmpq_clear(width);
    return k;
}

void report_number_print(text_buffer *b, const enclosure_t x, slong digits, decimal_style style) {
    fmpq_t lower, upper;
    decimal d;
    fmpq_init(lower);
    fmpq_init(upper);
    if (!report_enclosure_ends(lower, upper, x)) {
        text_printf(b, "%s", style == DECIMAL_TEX ? "\\text{not finite}" : "not finite");
    } else if (x->type == ENCLOSURE_MEASURED) {
        fmpq_t middle;
        fmpq_init(middle);
        set_double(middle, x->measured.estimate);
        decimal_set(&d, middle, digits < 4 ? digits : 4, ROUND_NEAREST);
        decimal_print(b, &d, style);
        fmpq_clear(middle);
        text_printf(b, style == DECIMAL_TEX ? "\\ " : " ");
        print_interval(b, lower, upper, style);
    } else if (fmpq_equal(lower, upper) && print_exact(b, lower, digits, style)) {
        /* printed */
    } else if (certain_digits(&d, lower, upper, digits) > 0) {
        print_digits(b, &d, style, 1);
    } else {
        print_interval(b, lower, upper, style);
    }
    fmpq_clear(lower);
    fmpq_clear(upper);
}

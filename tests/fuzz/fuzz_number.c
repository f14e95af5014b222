/* A number as text is the rational that it spells, or refused; what is printed is read back. */
#include "numerics/exact/number.h"
#include "tests/fuzz/fuzz.h"

#include <gmp.h>

/* The longest texts: digits and exponents that GMP does in microseconds. */
enum { LONGEST = 256, LARGEST_EXPONENT = 400 };

/* x := what [+-]digits[.digits][e[+-]digits] means, digit by digit; the rest of the text, or NULL
 * where it is no decimal or one too large for this. */
static const char *spelled(mpq_t x, const char *s, int *large) {
    mpq_t unit, digit;
    int any = 0, negative = *s == '-', point = 0;
    mpq_inits(unit, digit, NULL);
    mpq_set_ui(x, 0, 1);
    mpq_set_ui(unit, 1, 1);
    s += *s == '-' || *s == '+';
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = 1;
            continue;
        }
        any = 1;
        mpq_set_ui(digit, 10, 1);
        mpq_mul(x, x, digit);
        mpq_set_ui(digit, (unsigned long)(*s - '0'), 1);
        mpq_add(x, x, digit);
        mpq_set_ui(digit, 1, 10);
        if (point)
            mpq_mul(unit, unit, digit);
    }
    mpq_mul(x, x, unit);
    if (any && (*s == 'e' || *s == 'E')) {
        int down = *++s == '-';
        s += *s == '-' || *s == '+';
        any = *s >= '0' && *s <= '9';
        long exponent = 0;
        for (; *s >= '0' && *s <= '9'; s++)
            exponent = exponent > LARGEST_EXPONENT ? exponent : 10 * exponent + (*s - '0');
        *large |= exponent > LARGEST_EXPONENT;
        mpq_set_ui(digit, down ? 1 : 10, down ? 10 : 1);
        for (; exponent > 0 && !*large; exponent--)
            mpq_mul(x, x, digit);
    }
    if (negative)
        mpq_neg(x, x);
    mpq_clears(unit, digit, NULL);
    return any ? s : NULL;
}

/* 1: text is a number, x; 0: it is none; -1: too large to tell here. */
static int meaning(mpq_t x, const char *text) {
    mpq_t below;
    int large = 0, is = 0;
    mpq_init(below);
    const char *rest = spelled(x, text, &large);
    if (rest != NULL && *rest == '/') {
        rest = rest[1] >= '0' && rest[1] <= '9' ? spelled(below, rest + 1, &large) : NULL;
        is = rest != NULL && *rest == '\0' && (large || mpq_sgn(below) != 0);
        if (is && !large)
            mpq_div(x, x, below);
    } else {
        is = rest != NULL && *rest == '\0';
    }
    mpq_clear(below);
    return large ? -1 : is;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = fuzz_string(bytes, size < LONGEST ? size : LONGEST);
    fmpq_t value, again;
    fmpz_t whole;
    mpq_t x, own;
    fmpq_init(value);
    fmpq_init(again);
    fmpz_init(whole);
    mpq_inits(x, own, NULL);
    const char *reason = exact_parse_rational(value, text),
               *not_whole = exact_parse_integer(whole, text);
    int is = meaning(x, text);
    fuzz_demand(is < 0 || is == (reason == NULL));
    fuzz_demand(reason == NULL || fuzz_is_line(reason));
    fuzz_demand((not_whole == NULL) == (reason == NULL && fmpz_is_one(fmpq_denref(value))));
    if (reason != NULL)
        fuzz_demand(fmpq_is_zero(value));
    if (is > 0) {
        fmpq_get_mpq(own, value);
        fuzz_demand(fmpq_is_canonical(value) && mpq_equal(own, x));
        char *fraction = exact_fraction(value);
        fuzz_demand(exact_parse_rational(again, fraction) == NULL && fmpq_equal(again, value));
        flint_free(fraction);
        /* decimals: shorter than what they stand for, and read as what they say */
        slong digits = 1 + (slong)(size % 24);
        char *decimal = exact_decimal_rational(value, digits);
        fuzz_demand(exact_parse_rational(again, decimal) == NULL);
        char *fixed = exact_decimal_rational(again, digits);
        fuzz_demand(strcmp(decimal, fixed) == 0);
        flint_free(decimal);
        flint_free(fixed);
    }
    if (not_whole == NULL)
        fuzz_demand(fmpz_equal(whole, fmpq_numref(value)));
    fmpq_clear(value);
    fmpq_clear(again);
    fmpz_clear(whole);
    mpq_clears(x, own, NULL);
    free(text);
    return 0;
}

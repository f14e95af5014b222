/* Exact numbers in and out of text.  Locale plays no part; nothing is rounded on the way in, and
   what comes out is correctly rounded or not printed at all. */
#ifndef EXACT_NUMBER_H
#define EXACT_NUMBER_H

#include "numerics/exact/flint_arb.h"

/* Largest decimal exponent and longest digit string that the parsers take, before and after the point, in
   a numerator, in a denominator and in those of the value itself: enough for any use here, small enough
   that no input makes them allocate without bound.  exact_fraction of what was taken is taken. */
#define EXACT_MAX_EXPONENT 100000
#define EXACT_MAX_DIGITS 100001

/* value := the rational number that text spells: "3/10", "-1/2", "0.3", "1e-8", "2.5E3", "+7".
   1.1 is 11/10.  Returns NULL, or a static sentence that says what is wrong (value is then 0). */
const char *exact_parse_rational(fmpq_t value, const char *text);

/* The same for whole numbers; "1e6" and "1000000" are both accepted.  Returns NULL or a reason. */
const char *exact_parse_integer(fmpz_t value, const char *text);

/* x to the given number of significant decimal digits (>= 1), round to nearest, ties to even.
   Trailing zeros are kept; exponent notation outside 1e-6 <= |x| < 10^max(digits,21).
   The caller frees the string (flint_free).  0 is "0". */
char *exact_decimal_rational(const fmpq_t x, slong digits);

/* The same for a number known only through its ball: NULL when the ball is too wide to tell. */
char *exact_decimal_ball(const arb_t x, slong digits);

/* The rational written "n/d" (or "n"); flint_free the string. */
char *exact_fraction(const fmpq_t x);

/* value := x exactly; 0 where x is not finite: ask arf_is_finite first. */
void exact_rational_from_arf(fmpq_t value, const arf_t x);

/* x := an enclosure of the rational q, relative radius <= 2^(1-prec). */
void exact_ball_from_rational(arb_t x, const fmpq_t q, slong prec);

/* The double nearest to the midpoint of x; NaN when x is not finite. */
double exact_double_mid(const arb_t x);

/* Doubles that bound x from below and above (-inf, +inf when x is not finite). */
double exact_double_lower(const arb_t x);
double exact_double_upper(const arb_t x);

#endif

/* Numbers as decimals that never say more than is known: digits rounded in a stated direction, or
   cut where they stop being certain. */
#ifndef REPORT_DECIMAL_H
#define REPORT_DECIMAL_H

#include "numerics/exact/enclosure.h"
#include "reports/text.h"

#define DECIMAL_DIGITS 40

/* sign 0.d1d2... x 10^exponent, d1 != 0; digits "" for zero. */
typedef struct {
    int sign; /* -1, 0, 1 */
    char digits[DECIMAL_DIGITS + 2];
    slong exponent;
    int exact; /* nothing was cut off */
} decimal;

typedef enum { ROUND_DOWN, ROUND_UP, ROUND_TO_ZERO, ROUND_NEAREST } decimal_rounding;

/* d := x to at most so many significant digits (1 .. DECIMAL_DIGITS), the nearest such decimal not
   above x (down), not below x (up), not further from 0 than x, or the nearest (halves away from
   0). */
void decimal_set(decimal *d, const fmpq_t x, slong digits, decimal_rounding rounding);
void decimal_value(fmpq_t x, const decimal *d);

/* ASCII "-1.25e-7"; TeX (for mathematics) "-1.25\cdot10^{-7}"; Unicode "−1.25·10⁻⁷".  Without a
   power of ten from 10^-4 to 10^7. */
typedef enum { DECIMAL_ASCII, DECIMAL_TEX, DECIMAL_UNICODE } decimal_style;
void decimal_print(text_buffer *b, const decimal *d, decimal_style style);

/* lower <= x <= upper, exactly; 0 where x is not finite, or too large or small to write down
   (beyond 10^±10000). */
int report_enclosure_ends(fmpq_t lower, fmpq_t upper, const enclosure_t x);

/* What is known of x.  Whole numbers (to 15 digits) and short fractions exactly; other exact
   numbers and balls by their certain digits, at most so many, with dots after them (0.57721...
   is at least 0.57721 and less than 0.57722); without three certain digits, and for what is
   measured, an interval [a, b] rounded outwards (measured: behind the estimate). */
void report_number_print(text_buffer *b, const enclosure_t x, slong digits, decimal_style style);

#endif

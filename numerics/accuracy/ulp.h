/* Errors in units of the last place, against exact numbers.
 *
 * ulp of an exact number x in a type of p bits with normal exponents e_min..e_max: 2^(e - p + 1)
 * for 2^e <= |x| < 2^(e+1), e at least e_min (the smallest denormal number for 0) and at most
 * e_max.  At a power of two that is the spacing above; of the numbers below it each is half an
 * ulp apart.  From (2 - 2^-p) 2^e_max on, numbers round to infinity: infinity of that sign is
 * then right, and 0 ulp off.  -0 and 0 are the same number. */
#ifndef ACCURACY_ULP_H
#define ACCURACY_ULP_H

#include <stdint.h>

#include "numerics/accuracy/array.h"
#include "numerics/exact/flint_arb.h"

/* |x| from which on numbers of the type round to infinity; 0 for types that are not floating. */
double ulp_overflow(array_type type);
/* The ulp of numbers of this size (lower: a lower bound of |x|, then the ulp is one too). */
double ulp_size(array_type type, double lower);

/* *error, *ulp: upper bounds of |got - exact| and of that over ulp(exact), where exact is a number
 * in the ball; +inf if got is NaN, or infinite where that is not right. 
 */
void ulp_error(double *error, double *ulp, array_type type, double got, const arb_t exact);

/* Sorts ulp[n] (no NaN); the value that a share of them does not exceed: x_(ceil(share n)), 0 for
 * n = 0. */
void ulp_sort(double *ulp, int64_t n);
double ulp_quantile(const double *sorted, int64_t n, double share);

/* Bin of a histogram of 64: i for 2^(i-33) < ulp <= 2^(i-32), 0 all below, 63 all above. */
int ulp_bin(double ulp);

/* |x - y| / |y|: 0 where they are the same number, or infinities of the same sign; +inf where y is
 * 0 and x is not, where x is NaN or only one is infinite. */
double ulp_relative(double x, double y);
/* The largest of n, and where; false if an y is NaN (*at says which): no reference is. */
bool ulp_relative_largest(double *largest, int64_t *at, const double *x, const double *y,
                          int64_t n);

#endif

/* Shared by the bounds. */
#ifndef ACCURACY_BOUNDS_ROWS_H
#define ACCURACY_BOUNDS_ROWS_H

#include "numerics/accuracy/bounds.h"
#include "numerics/accuracy/reference_rows.h"

#define BOUNDS_U 0x1p-24
#define BOUNDS_TINY 0x1p-149 /* the smallest float: twice the error of an underflow */
/* Enlarges a sum of at most 2^20 positive doubles by more than its rounding. */
#define BOUNDS_OUTWARD (1 + 0x1p-30)

static inline double bounds_norm(const float *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sqrt(sum) * BOUNDS_OUTWARD;
}
static inline double bounds_scale(const mn_args *a) {
    return (a->scale != 0 ? fabs((double)a->scale) : 1 / sqrt((double)a->dk)) * BOUNDS_OUTWARD;
}
/* The largest of 1 and |x|, of numbers (none where x is NULL) and of rows. */
static inline double bounds_largest(const float *x, int64_t n) {
    double most = 1;
    for (int64_t i = 0; x && i < n; i++)
        most = fmax(most, fabs((double)x[i]));
    return most;
}
static inline double bounds_largest_row(mn_input x, const mn_args *a, int64_t length, int64_t heads,
                                        int64_t dim) {
    double most = 1;
    for (int64_t n = 0; x.data && n < a->batch; n++)
        for (int64_t t = 0; t < length; t++)
            for (int64_t h = 0; h < heads; h++)
                most =
                    fmax(most, bounds_largest(reference_row(x, length, heads, dim, n, t, h), dim));
    return most;
}
/* |x / n - x^ / n^| where |x^ - x| <= e and |n^ - n| <= f, the quotient rounded: o = x / n. */
static inline double bounds_quotient(double e, double f, double o, double least) {
    return least > f ? (e + o * f) / (least - f) * (1 + 2 * BOUNDS_U) + BOUNDS_U * o + BOUNDS_TINY
                     : INFINITY;
}

void bounds_recurrence(bounds_t b, const mn_args *a, const reference_t exact);

#endif

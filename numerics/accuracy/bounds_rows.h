/* Shared by the bounds. */
#ifndef ACCURACY_BOUNDS_ROWS_H
#define ACCURACY_BOUNDS_ROWS_H

#include "numerics/accuracy/bounds.h"
#include "numerics/accuracy/reference_rows.h"

#define BOUNDS_U 0x1p-24
#define BOUNDS_TINY 0x1p-149 /* the smallest float: twice the error of an underflow */
/* Enlarges a sum of at most 2^20 positive doubles by more than its rounding. */
#define BOUNDS_OUTWARD (1 + 0x1p-30)

/* An upper bound of |x|. */
static inline double bounds_magnitude(const arb_t x) {
    mag_t m;
    mag_init(m);
    arb_get_mag(m, x);
    double d = mag_get_d(m);
    mag_clear(m);
    return d;
}
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
static inline double bounds_quotient(double e, double f, double o, double least, double u,
                                     double tiny) {
    return least > f ? (e + o * f) / (least - f) * (1 + 2 * u) + u * o + tiny : INFINITY;
}

/* An arithmetic as numbers: units of sums, operands and outputs, twice their underflows. */
typedef struct {
    double u, operand, output, tiny, operand_tiny, output_tiny;
    int64_t chunk; /* 0: each kernel's own */
    bool device;
} bounds_model;
/* Upper bound of n u / (1 - n u); +inf from n u = 1 on. */
static inline double bounds_gamma(const bounds_model *m, double n) {
    double x = n * m->u;
    return x < 1 ? x / (1 - x) * BOUNDS_OUTWARD : INFINITY;
}
/* n roundings to operands: (1 + u)^n - 1. */
static inline double bounds_operand(const bounds_model *m, double n) {
    return m->operand > 0 ? expm1(n * log1p(m->operand)) * BOUNDS_OUTWARD : 0;
}
/* An error e, and the rounding of o to the type of outputs. */
static inline double bounds_rounded(const bounds_model *m, double e, double o) {
    return m->output > 0 ? e * (1 + m->output) + m->output * o + m->output_tiny : e;
}

void bounds_recurrence(bounds_t b, const mn_args *a, const reference_t exact,
                       const bounds_model *m);

#endif

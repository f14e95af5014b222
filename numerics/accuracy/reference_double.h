/* Shared by the references in double-doubles. */
#ifndef ACCURACY_REFERENCE_DOUBLE_H
#define ACCURACY_REFERENCE_DOUBLE_H

#include "numerics/accuracy/dd_rows.h"
#include "numerics/accuracy/reference_rows.h"

/* More than sums of fewer than 2^25 doubles round by, and than what second orders add. */
#define REFERENCE_OUTWARD (1 + 0x1p-26)

/* Doubles that one head needs, from one place: asked for, then given. */
typedef struct {
    double *base;
    int64_t used;
} reference_room;
static inline double *reference_take(reference_room *room, int64_t n) {
    double *x = room->base ? room->base + room->used : NULL;
    room->used += n;
    return x;
}
static inline dd_row reference_take_row(reference_room *room, int64_t n) {
    double *hi = reference_take(room, n);
    return (dd_row){hi, reference_take(room, n)};
}

/* A row of outputs of a kernel that is a sum over the past. */
typedef struct {
    dd_row o;      /* [columns]: dv, and one for the divisor */
    double *o_abs; /* the same sums on absolute values */
    int64_t columns;
    dd scale;
    double scale_abs;
    double factors; /* an upper bound of the products of factors that meet in an output */
} reference_sums;

/* e^g of gates <= 0 and 1/x, 1/sqrt(x), sqrt(x) by Arb, within DD_UNIT and DD_TINY. */
dd reference_double_gate(float g);
dd reference_double_inverse(dd x);
dd reference_double_inverse_root(dd x);

/* Row o of query head i from w->o and w->o_abs, each element of w->o within relative times
 * w->o_abs plus tiny, and w->o_abs within abs_relative of itself and tiny.  False: too wide. */
bool reference_put_output(reference_t r, const reference_sums *w, const reference_head *h,
                          int64_t t, int64_t i, double relative, double abs_relative, double tiny);

/* y := x +- radius, or (absolute) x_abs +- radius. */
void reference_put(arb_t y, dd x, double x_abs, bool absolute, double radius);

/* radius <= 2^-REFERENCE_BITS scale; sums on absolute values need 2^-30. */
static inline bool reference_double_narrow(double radius, double scale, bool absolute) {
    return radius <= scale * (absolute ? 0x1p-30 : 0x1p-60) && isfinite(scale);
}

/* y_j += |c x_j|;  y := 0;  y := x */
static inline void reference_row_add_abs(int64_t n, double *restrict y, const double *restrict x,
                                         double c) {
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        y[j] += fabs(c * x[j]);
}
static inline void reference_row_zero(int64_t n, double *x) {
    for (int64_t j = 0; j < n; j++)
        x[j] = 0;
}
static inline void reference_row_load(int64_t n, double *y, const float *x) {
    for (int64_t i = 0; i < n; i++)
        y[i] = (double)x[i];
}

/* VORT attention and softmax (reference_double_masked.c). */
bool reference_double_masked(reference_t r, reference_head *h, reference_sums *w,
                             reference_status *status);

/* The largest |x| of n floats. */
static inline double reference_largest(const float *x, int64_t n, double most) {
    for (int64_t i = 0; x && i < n; i++)
        most = fmax(most, fabs((double)x[i]));
    return most;
}

/* What underflow may add to an output or state: see the end of reference_double_sums.c. */
static inline double reference_tiny(const reference_head *h, int64_t n, int64_t blocks,
                                    double factors) {
    double tokens = (double)n + 100;
    return 8 * DD_TINY * tokens * tokens * (double)(h->dk + 8) * (double)blocks * factors;
}

#endif

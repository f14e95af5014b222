/* Rows of n double-doubles, highs and lows apart, that compilers do in vectors: the same operations,
 * element by element, as in dd.h.  y and x do not overlap where it is not said. */
#ifndef ACCURACY_DD_ROWS_H
#define ACCURACY_DD_ROWS_H

#include "numerics/accuracy/dd.h"

typedef struct {
    double *hi, *lo;
} dd_row;
static inline dd_row dd_at(dd_row x, int64_t i) {
    return (dd_row){x.hi + i, x.lo + i};
}
static inline dd dd_get(dd_row x, int64_t i) {
    return (dd){x.hi[i], x.lo[i]};
}
static inline void dd_put(dd_row x, int64_t i, dd value) {
    x.hi[i] = value.hi, x.lo[i] = value.lo;
}
static inline void dd_row_zero(int64_t n, dd_row x) {
    for (int64_t j = 0; j < n; j++)
        x.hi[j] = x.lo[j] = 0;
}

#define DD_ROW(y, x)                                                                               \
    double *restrict yh = (y).hi, *restrict yl = (y).lo;                                           \
    const double *restrict xh = (x).hi, *restrict xl = (x).lo

/* y_j += f x_j, f and x_j of 24 bits: their product is exact in a double */
static inline void dd_row_add_exact(int64_t n, dd_row y, const double *restrict x, double f) {
    double *restrict yh = y.hi, *restrict yl = y.lo;
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        dd s = dd_add_d((dd){yh[j], yl[j]}, f * x[j]);
        yh[j] = s.hi, yl[j] = s.lo;
    }
}

/* y_j += f x_j, f short */
static inline void dd_row_add_short(int64_t n, dd_row y, dd_row x, double f) {
    DD_ROW(y, x);
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        dd s = dd_add_product_short((dd){yh[j], yl[j]}, (dd){xh[j], xl[j]}, dd_split(xh[j]), f);
        yh[j] = s.hi, yl[j] = s.lo;
    }
}

/* y_j += c x_j, x_j short */
static inline void dd_row_add_scaled(int64_t n, dd_row y, const double *restrict x, dd c) {
    double *restrict yh = y.hi, *restrict yl = y.lo;
    dd halves = dd_split(c.hi);
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        dd s = dd_add_product_short((dd){yh[j], yl[j]}, c, halves, x[j]);
        yh[j] = s.hi, yl[j] = s.lo;
    }
}

/* y_j += c x_j */
static inline void dd_row_add_product(int64_t n, dd_row y, dd_row x, dd c) {
    DD_ROW(y, x);
    dd halves = dd_split(c.hi);
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        dd s = dd_add_product((dd){yh[j], yl[j]}, c, halves, (dd){xh[j], xl[j]});
        yh[j] = s.hi, yl[j] = s.lo;
    }
}

/* y_j = c x_j; y may be x */
static inline void dd_row_scale(int64_t n, dd_row y, dd_row x, dd c) {
    double *yh = y.hi, *yl = y.lo;
    const double *xh = x.hi, *xl = x.lo;
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        dd s = dd_mul((dd){xh[j], xl[j]}, c);
        yh[j] = s.hi, yl[j] = s.lo;
    }
}
#undef DD_ROW

#endif

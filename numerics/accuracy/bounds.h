/* A priori error bounds of the float kernels, as derived at the end of each kernel's source
 * file: valid for every method and instruction set, and for a sequence cut anywhere (the state
 * passed on in float).  Evaluated in double on upper bounds of what they need, and enlarged by
 * more than the rounding of that.  They hold as long as no float result overflows. */
#ifndef ACCURACY_BOUNDS_H
#define ACCURACY_BOUNDS_H

#include "numerics/accuracy/arithmetic.h"
#include "numerics/accuracy/reference.h"

typedef enum {
    BOUNDS_OK,
    BOUNDS_BAD_ARGUMENT /* the references do not belong to these arguments, or kernels differ */
} bounds_status;

/* +inf where nothing is known: a divisor not clear of 0, A no longer surely positive. */
typedef struct {
    slong rows, width;
    bool by_row; /* delta rule and VLA */
    double *
        o; /* |error| of an element [rows][width]; by row: Euclidean norm of a row's error [rows] */
    slong states;
    double *
        state; /* of an element of the state blob; by row: per sequence and key head the Frobenius norms of the errors
                      of S, A and the sum of keys [3] (0 where the kernel has none) */
} bounds_struct;
typedef bounds_struct bounds_t[1];

void bounds_init(bounds_t b);
void bounds_clear(bounds_t b);

/* exact, scale: reference_attention and reference_scale of the same arguments (scale: NULL for
 * the delta rule and VLA). state_in counts as exact: bounds of a sequence in pieces are those of
 * the whole. */
bounds_status bounds_attention(bounds_t b, const mn_args *args, const reference_t exact,
                               const reference_struct *scale);
/* The same of a kernel in another arithmetic, final rounding of outputs included (states are kept
 * in `accumulate`): derivations in bounds.c and bounds_recurrence.c; arithmetic_library() gives
 * the bounds above. */
bounds_status bounds_attention_in(bounds_t b, const mn_args *args, const reference_t exact,
                                  const reference_struct *scale, const arithmetic *arithmetic);
/* By what factor - 1 a product of a device's gates may be off beyond the roundings that are
 * counted for each: the largest of all tokens; 0 where gates are multiplied. */
double bounds_gate_error(const mn_args *args, const arithmetic *arithmetic);
bounds_status bounds_convolution(bounds_t b, const mn_convolution *c, const reference_t scale);

/* An upper bound of gamma_n = n u / (1 - n u), u = 2^-24; +inf from n u = 1 on. */
double bounds_gamma_upper(double n);

#endif

/* Shared by the references: shapes, rows of the caller's arrays as balls, widths. */
#ifndef ACCURACY_REFERENCE_ROWS_H
#define ACCURACY_REFERENCE_ROWS_H

#include <math.h>
#include <string.h>

#include "numerics/accuracy/reference.h"

/* One key head of one sequence, its arrays as balls. */
typedef struct {
    const mn_args *a;
    bool absolute;
    slong prec;
    int64_t sequence, head;       /* of the keys */
    int64_t batch, first, length; /* tokens [first, first + length) of this batch entry */
    int64_t kv_heads, group, dk, dv;
    int64_t keys;     /* length, and softmax's past */
    int64_t position; /* of the first token */
    arb_t scale;
    arb_ptr k, v;     /* [keys][dk], [keys][dv] */
    arb_ptr state_in; /* floats of this head, or NULL */
    arb_ptr state;    /* where the final ones go */
} reference_head;

/* Strided rows; all strides zero: packed. */
static inline const float *reference_row(mn_input x, int64_t length, int64_t heads, int64_t dim,
                                         int64_t batch, int64_t t, int64_t head) {
    if (x.batch == 0 && x.time == 0 && x.head == 0)
        return x.data + ((batch * length + t) * heads + head) * dim;
    return x.data + batch * x.batch + t * x.time + head * x.head;
}

/* y := n floats, exactly, or their absolute values; false if one is not finite. */
static inline bool reference_load(arb_ptr y, const float *x, int64_t n, bool absolute) {
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return false;
        arb_set_d(y + i, absolute ? fabs((double)x[i]) : (double)x[i]);
    }
    return true;
}

int64_t reference_sequences(const mn_args *a);
/* Floats of state of one head, -1 for kernels without. */
int64_t reference_head_floats(const mn_args *a);

/* Sizes, offsets, banks and pointers are those of a call that mn_run takes. */
bool reference_shape_fits(const mn_args *a);
bool reference_convolution_fits(const mn_convolution *c);
/* Position of a sequence's first token: in the state blob after all heads' floats, at the next
 * multiple of 8 bytes. */
int64_t reference_position(const mn_args *a, int64_t kv_heads, int64_t sequence);

/* c := e^g; 0 for g = -inf.  False where g is NaN or +inf. */
bool reference_gate(arb_t c, float g, slong prec);

/* An upper bound of |X^-1|_F for X [n][n]; +inf where it is not symmetric or not surely positive. */
double reference_inverse_norm(arb_srcptr x, int64_t n);

/* radius(x) <= 2^-REFERENCE_BITS scale. */
bool reference_narrow(const arb_t x, const mag_t scale);

/* One head: outputs and final state; of linear, log-linear, VORT and softmax attention (which
 * may change h->k), and of the delta rule and VLA with what its tokens did. */
reference_status reference_sum(reference_t r, const reference_head *h);
reference_status reference_recurrence(reference_t r, const reference_head *h);

#endif

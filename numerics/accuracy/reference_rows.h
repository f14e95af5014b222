/* Shared by the references: shapes, rows of the caller's arrays as balls, widths. */
#ifndef ACCURACY_REFERENCE_ROWS_H
#define ACCURACY_REFERENCE_ROWS_H

#include <math.h>
#include <string.h>

#include "numerics/accuracy/reference.h"

/* How far all heads together are. */
typedef struct {
    const reference_options *options;
    double done, all; /* in tokens, weighed by what they cost */
    bool stopped;
} reference_progress;

/* One key head of one sequence. */
typedef struct {
    const mn_args *a;
    reference_progress *progress;
    bool absolute;
    int64_t sequence, head;       /* of the keys */
    int64_t batch, first, length; /* tokens [first, first + length) of this batch entry */
    int64_t kv_heads, group, dk, dv;
    int64_t keys;     /* length, and softmax's past */
    int64_t position; /* of the first token */
    arb_ptr state;    /* where the final ones go */
    /* Of sums: what double-doubles have found, rows [length][group] and the state. */
    bool *row_known, state_known;
    /* For the path of balls: the head's arrays. */
    slong prec;
    arb_t scale;
    arb_ptr k, v;     /* [keys][dk], [keys][dv] */
    arb_ptr state_in; /* floats of this head, or NULL */
} reference_head;

/* Strided rows; all strides zero: packed. */
static inline const float *reference_row(mn_input x, int64_t length, int64_t heads, int64_t dim,
                                         int64_t batch, int64_t t, int64_t head) {
    if (x.batch == 0 && x.time == 0 && x.head == 0)
        return x.data + ((batch * length + t) * heads + head) * dim;
    return x.data + batch * x.batch + t * x.time + head * x.head;
}
/* VORT: the bank of token t of the head. */
static inline int64_t reference_bank(const reference_head *h, int64_t t) {
    mn_index b = h->a->bank;
    if (b.batch == 0 && b.time == 0 && b.head == 0)
        b.head = 1, b.time = h->kv_heads, b.batch = h->kv_heads * h->a->time;
    return b.data[h->batch * b.batch + (h->first + t) * b.time + h->head * b.head];
}
/* Output row of query head i of the group. */
static inline int64_t reference_output_row(const reference_head *h, int64_t t, int64_t i) {
    return (h->batch * h->a->time + h->first + t) * h->a->heads + h->head * h->group + i;
}
static inline const float *reference_query(const reference_head *h, int64_t t, int64_t i) {
    return reference_row(h->a->q, h->a->time, h->a->heads, h->dk, h->batch, h->first + t,
                         h->head * h->group + i);
}
/* A row of one of the arrays that key heads have a row of for each token. */
static inline const float *reference_key_row(const reference_head *h, mn_input x, int64_t dim,
                                             int64_t t) {
    return reference_row(x, h->a->time + (h->keys - h->length), h->kv_heads, dim, h->batch,
                         h->first + t, h->head);
}
/* The head's part of state_in, or NULL. */
static inline const float *reference_state_in(const reference_head *h, int64_t size) {
    return h->a->state_in
               ? (const float *)h->a->state_in + (h->sequence * h->kv_heads + h->head) * size
               : NULL;
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
/* Is one output divided by another sum? */
static inline bool reference_divides(const reference_head *h) {
    return h->a->kernel == MN_SOFTMAX || (h->a->normalise && !h->absolute);
}

/* c := e^g; 0 for g = -inf.  False where g is NaN or +inf. */
bool reference_gate(arb_t c, float g, slong prec);
/* The scale of the scores: given, or dk^{-1/2}. */
void reference_output_scale(arb_t scale, const mn_args *a, slong prec);

/* An upper bound of |X^-1|_F for X [n][n]; +inf where it is not symmetric or not surely positive. */
double reference_inverse_norm(arb_srcptr x, int64_t n);

/* The same for a matrix of floats. */
double reference_inverse_norm_floats(const float *x, int64_t n);

/* radius(x) <= 2^-REFERENCE_BITS scale. */
bool reference_narrow(const arb_t x, const mag_t scale);

/* So much more is done; false: stop. */
bool reference_goes_on(const reference_head *h, double tokens);
/* What a token costs beside one whose past does not count. */
static inline double reference_cost(const reference_head *h, int64_t t) {
    return h->a->kernel == MN_SOFTMAX || h->a->kernel == MN_VORT
               ? (double)(h->keys - h->length + t + 1)
               : 1;
}

/* One head in balls: outputs and final state; of linear, log-linear, VORT and softmax attention
 * (what is not known yet; this may change h->k), and of the delta rule and VLA with what its
 * tokens did. */
reference_status reference_sum(reference_t r, const reference_head *h);
reference_status reference_recurrence(reference_t r, const reference_head *h);

/* The same in double-doubles.  Undecided: sums have set what is known. */
reference_status reference_double_sum(reference_t r, reference_head *h);
reference_status reference_double_recurrence(reference_t r, reference_head *h);

#endif

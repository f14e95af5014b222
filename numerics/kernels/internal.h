/* SPDX-License-Identifier: MIT
 * What the driver (api.c) hands to a kernel, and the table of kernels per instruction set. */
#ifndef MNEME_INTERNAL_H
#define MNEME_INTERNAL_H

#include <math.h>

#include "numerics/kernels/mneme.h"

/* One key head of one sequence: rows are reached as data + t * step (+ h * head for its query
 * heads h < group). */
typedef struct {
    const float *data;
    int64_t step, head;
} mn_rows;
typedef struct {
    float *data;
    int64_t step, head;
} mn_out;

typedef struct mn_head {
    const mn_args *a;
    const struct mn_head *next; /* whose turn comes after this one's: for prefetching */
    int64_t time, dk, dv, group;
    float scale;
    mn_rows q, k, v, g, gate_keys, beta, u, lambda;
    const int32_t *bank;
    int64_t bank_step;
    mn_out o;
    float *state;     /* in and out, packed as mneme.h says; kernels without a state: NULL */
    int64_t position; /* of the first token in its sequence; the driver advances it */
    int64_t before;   /* softmax: keys in front of the first query */
    float *work;      /* aligned to 64 bytes */
} mn_head;

typedef void mn_head_kernel(const mn_head *h);
/* Some channels of one batch entry, contiguous in x and y; state [modes][all channels] from the
 * first of them on, or NULL. */
typedef void mn_convolve_kernel(const mn_convolution *c, const float *x, int64_t xstep, float *y,
                                int64_t ystep, float *state, int64_t channels, float *work);

typedef struct {
    struct {
        mn_head_kernel *const *run;       /* step, chunk */
        size_t (*work)(const mn_args *a); /* floats of workspace per thread */
        int64_t slice; /* tokens of one head before the next head's turn: a multiple of the chunk */
    } kernel[MN_KERNELS];
    mn_convolve_kernel *const *convolve; /* step, chunk, direct */
    size_t (*convolve_work)(const mn_convolution *c);
} mn_table;

extern mn_head_kernel *const mn_reference[MN_KERNELS];
extern const mn_table mn_table_generic, mn_table_avx2, mn_table_avx512;

/* In api.c: the table for an instruction set (NULL: not usable here), the number of threads. */
const mn_table *mn_table_for(mn_isa isa);
int mn_threads(int threads);

/* In check.c: a filled-in error; x * y, or -1 when it or a factor is out of [0, 2^62); checks;
 * sizes of the state blob. */
mn_status mn_fail(mn_error *error, mn_status status, const char *argument, int64_t found,
                  int64_t needed);
int64_t mn_times(int64_t x, int64_t y);
mn_status mn_check_shape(const mn_args *a, mn_error *error);
mn_status mn_check(const mn_args *a, mn_method method, mn_error *error);
int64_t mn_sequences(const mn_args *a);
bool mn_has_position(const mn_args *a);
/* Bytes of all heads' floats, rounded up to 8; -1: too large. */
int64_t mn_state_floats_bytes(const mn_args *a);
/* Floats of state for one head of one sequence. */
int64_t mn_head_state(const mn_args *a);

static inline int64_t mn_max(int64_t x, int64_t y) {
    return x > y ? x : y;
}
static inline int64_t mn_min(int64_t x, int64_t y) {
    return x < y ? x : y;
}
static inline int64_t mn_kv_heads(const mn_args *a) {
    return a->kv_heads ? a->kv_heads : a->heads;
}
/* Quotient of the normalised forms: 0 where the divisor is 0. */
static inline float mn_quotient(float x, float y) {
    return y == 0 ? 0 : x / y;
}
static inline float mn_scale(const mn_args *a) {
    return a->scale != 0 ? a->scale : (float)(1 / sqrt((double)a->dk));
}
#endif

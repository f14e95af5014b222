/* Shared by gradient.c and gradient_head.c: a call, and rows of its arrays. */
#ifndef ACCURACY_GRADIENT_RUN_H
#define ACCURACY_GRADIENT_RUN_H

#include "numerics/accuracy/gradient_pass.h"
#include "numerics/accuracy/reference_rows.h"

/* A call, and where its results go: arrays of the field's numbers. */
typedef struct {
    const gradient_field *f;
    const mn_args *a;
    const float *d_o, *d_state;
    int64_t kv_heads, shared; /* numbers that all heads add to */
    number **part;
    number *sums;    /* [sequences][kv_heads][shared]: weights, nodes, scale, lambda0 */
    arb_ptr divisor; /* [rows]: of normalised outputs, or NULL */
    slong precision;
    double condition, cotangent, score, keys;
} gradient_run;

/* Arrays with one row per token and head: the row's length, or 0 where the part is absent or of
 * another shape; whether there is a row per query head, and for softmax's past. */
int64_t gradient_row_length(const mn_args *a, gradient_part part);
bool gradient_by_query(gradient_part part);
bool gradient_with_past(const mn_args *a, gradient_part part);

/* One head at this precision: results to g->part, its share of the parameters' to g->sums.
 * sizes: condition, score, keys, cotangent. */
reference_status gradient_run_head(gradient_run *g, int64_t sequence, int64_t head, slong prec,
                                   double sizes[4]);

#endif

/* Shared by the parts of the claim experiments.associative-recall. */
#ifndef EXPERIMENTS_RECALL_H
#define EXPERIMENTS_RECALL_H

#include "theorems/experiments/memory.h"
#include "theorems/statistics.h"
#include "theorems/vla/recall/recall.h"

/* n pairs, then filler up to T tokens (new keys, values like the others); every value is one of VALUES random
   unit vectors of R^d.  All n keys are read after the last token; recalled: the value with the largest
   product is the pair's. */
enum { RECALL_VALUES = 128 };

typedef enum {
    STORE_LINEAR,   /* S += k v^T */
    STORE_DELTA,    /* the published delta rule, beta = 1 */
    STORE_DECAYING, /* S <- g S + (v - S k) k^T, g = 1/2, under the delta rule's name in one text */
    STORE_VLA_KEY,  /* u along k, lambda0 = 1/10 */
    STORE_VLA_KEY_10, /* lambda0 = 10 */
    STORE_VLA_LAYER, /* u = normalise(W_u k_raw)/sqrt(d), lambda0 = 1/10, refresh 10^-3 every 20 tokens */
    STORE_LOGLINEAR,    /* its initialisation: the same weight on all levels */
    STORE_SOFTMAX_UNIT, /* unit keys, scale d^(-1/2) */
    STORE_SOFTMAX,      /* keys of length sqrt(d), scale d^(-1/2) */
    RECALL_ROWS,
    STORE_CHANCE /* 1/VALUES: only in comparisons */
} recall_row;

typedef struct {
    recall_keys keys;
    slong d, pairs, length;
} recall_point;

/* out [rows] := share of the pairs recalled in one trial, the same tokens for every row; 0 if libmneme
   returned a status.  shuffled: answers drawn anew. */
int recall_rows(double *out, const recall_point *point, int shuffled, ulong seed);
const char *recall_row_name(recall_row row);

/* first - second above gap (below: below it) at a point, with simultaneous confidence. */
typedef struct {
    const char *label; /* NULL ends a list */
    recall_row first, second;
    recall_point point;
    double gap;
    int below, alone; /* alone: first itself */
} recall_decision;

typedef struct {
    const recall_decision *list;
    int tables, shuffled; /* tables: also every point of the tables and the figure */
} recall_parameter;

void recall_check(check_context *ctx, const void *parameter);

#endif

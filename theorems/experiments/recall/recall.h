/* Shared by the parts of the claims experiments.associative-recall and experiments.selective-copy. */
#ifndef EXPERIMENTS_RECALL_H
#define EXPERIMENTS_RECALL_H

#include "theorems/experiments/memory.h"
#include "theorems/statistics.h"
#include "theorems/vla/recall/recall.h"

/* n pairs, then filler up to T tokens (new keys, values like the others); every value is one of VALUES random
   unit vectors of R^d.  All n keys are read after the last token; recalled: the value with the largest
   product is the pair's.  Selective copy: the pairs stand at random places among the filler, the key of
   the i-th is that of the ordinal i. */
enum { RECALL_VALUES = 128, RECALL_LEVELS = 14 };

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
    STORE_FITTED = RECALL_ROWS, /* log-linear, a weight a level fitted on other draws */
    STORE_ONE_LEVEL, /* log-linear, each read told its token's level, more than a query can know */
    COPY_ROWS,
    STORE_CHANCE /* 1/VALUES: only in comparisons */
} recall_row;

typedef struct {
    recall_keys keys;
    slong d, pairs, length;
    int copy;    /* the pairs at random places */
    int ignored; /* a gate that has learned the filler: its key, value and u are 0 */
} recall_point;

typedef struct {
    float *k, *v, *u, *scaled; /* [T][d]; u as the layer has it; scaled: scratch */
    float *queries;            /* [pairs][d]: the pairs' keys */
    slong *place;              /* [pairs]: where they stand, rising */
    int *value;                /* [pairs]: which one */
    float *codes;              /* [VALUES][d] */
} recall_tokens;

void recall_draw(recall_tokens *x, const recall_point *point, exact_random *r);
void recall_clear(recall_tokens *x);
/* Index of the code with the largest product with out [d]. */
int recall_nearest(const float *out, const float *codes, slong d);

/* out [RECALL_ROWS, with lambda COPY_ROWS] := share of the pairs recalled in one trial, the same tokens for
   every row; 0 if libmneme returned a status.  shuffled: answers drawn anew.  lambda [LEVELS]: of
   STORE_FITTED, or NULL. */
int recall_rows(double *out, const recall_point *point, const double *lambda, int shuffled,
                ulong seed);

/* out [LEVELS][pairs][d] := what each level alone gives back: lambda weighs their sum. */
int recall_levels(float *out, const recall_tokens *x, const recall_point *point);
/* lambda [LEVELS] := minimum of the mean cross-entropy of softmax_c(sum_l lambda_l o_l . code_c), which is
   convex, over 32 training sequences of their own; levels that hold no token keep 1. */
int recall_fit(double *lambda, const recall_point *point, ulong seed);
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
    int tables, shuffled; /* tables: also the claim's tables and figure: 1 recall, 2 copy */
} recall_parameter;

/* Entries of a list of decisions. */
#define RECALL_ABOVE(label, first, second, point, gap)                                             \
    { label, STORE_##first, STORE_##second, point, gap, 0, 0 }
#define RECALL_SHARE_ABOVE(label, row, point, gap)                                                 \
    { label, STORE_##row, STORE_CHANCE, point, gap, 0, 1 }
#define RECALL_SHARE_BELOW(label, row, point, gap)                                                 \
    { label, STORE_##row, STORE_CHANCE, point, gap, 1, 1 }
#define RECALL_CHECK(name, verdict, parameter, cost)                                               \
    {                                                                                              \
        name, name, VERDICT_##verdict, EVIDENCE_STATISTIC, LEVEL_QUICK, recall_check, parameter,   \
            {1, 1, 1}, cost                                                                        \
    }
#define RECALL_SHUFFLED(check)                                                                     \
    "values-shuffled", check, "the pairs' values drawn anew before they are compared"

void recall_check(check_context *ctx, const void *parameter);

#endif

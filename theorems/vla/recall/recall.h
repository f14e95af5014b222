/* Shared by the parts of the claim vla.recall. */
#ifndef VLA_RECALL_H
#define VLA_RECALL_H

#include "theorems/vla/common.h"

typedef enum { RECALL_LINEAR, RECALL_DELTA, RECALL_VLA, RECALL_MEMORIES } recall_memory;

/* Where u_t points: along k_t; along W_u k_raw with W_u drawn once; nowhere (u = 0). */
typedef enum { PENALTY_ALONG_KEY, PENALTY_DRAWN, PENALTY_NONE } recall_penalty;

typedef enum { KEYS_RANDOM, KEYS_ORTHONORMAL, KEYS_FEATURES } recall_keys;
typedef enum { FILLER_NONE, FILLER_RANDOM, FILLER_ONE } recall_filler;

/* n pairs (random unit values), then filler tokens up to length tokens; d = d_v. */
typedef struct {
    recall_memory memory;
    recall_penalty penalty;
    recall_keys keys;
    recall_filler filler;
    slong d, pairs, length;
    double lambda0;
} recall_setup;

enum { RECALL_WIDTH = 32, RECALL_TOKENS = 512 };

typedef struct {
    double recalled; /* share of pairs whose value is the nearest of all n to S k */
    double error;    /* mean of |S k_i - v_i|^2 (|v_i| = 1) */
} recall_result;

/* One token's raw key and key [d]: normalised (ELU+1 features of it, or itself). */
void recall_draw_key(double *key, double *raw, recall_keys keys, slong d, exact_random *r);
/* key [n][d]: the first min(n, d) made orthonormal, the next ones a new frame. */
void recall_orthonormalise(double *key, slong n, slong d);

/* One trial in double precision. */
recall_result recall_trial(const recall_setup *setup, exact_random *r);

/* Means of trials (>= 10) runs: out[0] recalled, out[1] error; 99% Student intervals, and where every run
   recalls all pairs (or none) the exact 99% bound 1 - 0.01^(1/trials) on the chance of another outcome. */
void recall_measure(enclosure_measurement out[2], const recall_setup *setup, slong trials,
                    ulong seed);

void recall_check_identity(check_context *ctx, const void *parameter);
void recall_check_orthonormal(check_context *ctx, const void *parameter);
void recall_check_leaning(check_context *ctx, const void *parameter);
void recall_check_contraction(check_context *ctx, const void *parameter);

/* One decision of a list (label NULL at the end) on recall, or on the squared error, of a setup: its
   interval is above another setup's (raised by gap), or above (below, for turned) the number gap. */
typedef struct {
    const char *label, *name, *other_name;
    recall_setup setup, other;
    int alone, turned; /* alone: compared with the number gap */
    const char *gap;
    int error; /* 1: the squared error */
} recall_comparison;

void recall_check_compare(check_context *ctx, const void *parameter);
void recall_check_load(check_context *ctx, const void *parameter);

#endif

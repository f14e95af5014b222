/* The checks of vort.keyed-retrieval. */
#ifndef VORT_KEYED_RETRIEVAL_H
#define VORT_KEYED_RETRIEVAL_H

#include "theorems/vort/common.h"

typedef struct {
    int late;           /* the double sum reads the kernel one lag late */
    slong extra;        /* added to S in the cost that is claimed */
    const char *square; /* coefficient of (|q|^2+|k|^2) in the exponent (-1/2) */
    const char *factor; /* factor of the mean and of the variance that are claimed (1) */
} keyed_parameter;

void keyed_check_recurrence(check_context *ctx, const void *parameter);
void keyed_check_moments(check_context *ctx, const void *parameter);
void keyed_check_measured(check_context *ctx, const void *parameter);
void keyed_check_needed(check_context *ctx, const void *parameter);

#endif

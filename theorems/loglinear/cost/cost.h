/* The checks of loglinear.cost. */
#ifndef LOGLINEAR_COST_H
#define LOGLINEAR_COST_H

#include "theorems/loglinear/common.h"

/* What controls change; every check says which fields it reads. */
typedef struct {
    slong more;   /* added to a count that is claimed */
    slong width;  /* hidden width of the MLP; 0 stands for 2L */
    slong factor; /* d_k d_v = factor (log2 T + 1) in the comparison with attention's own work */
    slong heads;  /* heads with an MLP each; 1: the heads share one */
} cost_parameter;

/* Parameters of one MLP with L levels and hidden width 2L: d W1, then W2 and its bias, as printed;
   with a bias after W1 too, as in the authors' code. */
slong cost_parameters_printed(slong levels); /* 4 L^2 + L */
slong cost_parameters_code(slong levels);    /* 4 L^2 + 3L */

void cost_check_popcount(check_context *ctx, const void *parameter);
void cost_check_operations(check_context *ctx, const void *parameter);
void cost_check_memory(check_context *ctx, const void *parameter);
void cost_check_mlp(check_context *ctx, const void *parameter);
void cost_check_training(check_context *ctx, const void *parameter);
void cost_check_comparison(check_context *ctx, const void *parameter);
void cost_check_share(check_context *ctx, const void *parameter);
void cost_check_thresholds(check_context *ctx, const void *parameter);

#endif

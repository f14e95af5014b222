/* The checks of loglinear.competition. */
#ifndef LOGLINEAR_COMPETITION_H
#define LOGLINEAR_COMPETITION_H

#include "theorems/loglinear/common.h"

/* What controls change; every check says which fields it reads. */
typedef struct {
    slong cross;        /* dp_i/dz_j = cross p_i p_j for i != j: -1 */
    const char *raise;  /* x_j is multiplied by 1 + raise */
    int softmax;        /* whether the weights are divided by their sum */
    const char *factor; /* of an upper bound */
    int uneven;         /* one logit differs */
} competition_parameter;

void competition_check_jacobian(check_context *ctx, const void *parameter);
void competition_check_raise(check_context *ctx, const void *parameter);
void competition_check_few(check_context *ctx, const void *parameter);
void competition_check_independent(check_context *ctx, const void *parameter);
void competition_check_saturation(check_context *ctx, const void *parameter);
void competition_check_start(check_context *ctx, const void *parameter);
void competition_check_drawn(check_context *ctx, const void *parameter);

#endif

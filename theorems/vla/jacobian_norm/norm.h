/* Shared by the parts of the claim vla.jacobian-norm. */
#ifndef VLA_JACOBIAN_NORM_H
#define VLA_JACOBIAN_NORM_H

#include "theorems/vla/common.h"

typedef struct {
    const char *shift; /* added to a number of the formula under test; 0 where it is right */
} norm_parameter;

void jacobian_norm_check_closed_form(check_context *ctx, const void *parameter);
void jacobian_norm_check_radius(check_context *ctx, const void *parameter);
void jacobian_norm_check_drawn(check_context *ctx, const void *parameter);
void jacobian_norm_check_range(check_context *ctx, const void *parameter);
void jacobian_norm_check_kantorovich(check_context *ctx, const void *parameter);
void jacobian_norm_check_growth(check_context *ctx, const void *parameter);

#endif

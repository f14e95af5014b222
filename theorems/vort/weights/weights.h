/* The checks of vort.weights. */
#ifndef VORT_WEIGHTS_H
#define VORT_WEIGHTS_H

#include "theorems/vort/common.h"

void weights_check_decreasing(check_context *ctx, const void *parameter);
void weights_check_completely_monotone(check_context *ctx, const void *parameter);
void weights_check_unit_order(check_context *ctx, const void *parameter);
void weights_check_vanishing(check_context *ctx, const void *parameter);
void weights_check_two_sided(check_context *ctx, const void *parameter);
void weights_check_drawn(check_context *ctx, const void *parameter);
void weights_check_sharp_constant(check_context *ctx, const void *parameter);
void weights_check_inverse(check_context *ctx, const void *parameter);
void weights_check_semigroup(check_context *ctx, const void *parameter);
void weights_check_partial_sums(check_context *ctx, const void *parameter);
void weights_check_square_sum(check_context *ctx, const void *parameter);
void weights_check_far(check_context *ctx, const void *parameter);

#endif

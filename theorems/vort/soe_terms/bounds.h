/* Checks of the theorems on the number of terms. */
#ifndef VORT_SOE_TERMS_BOUNDS_H
#define VORT_SOE_TERMS_BOUNDS_H

#include "theorems/vort/common.h"

typedef struct {
    int absolute;
    int square; /* the control: C ln(T/epsilon)^2 */
} joint_parameter;

typedef struct {
    slong slope, slope_divisor; /* factor of the law's slope */
    ulong percent;              /* by which growth may differ from the law */
} law_parameter;

typedef struct {
    ulong percent;
} limit_parameter;

void check_aliasing(check_context *ctx, const void *parameter);
void check_symbol(check_context *ctx, const void *parameter);
void check_joint(check_context *ctx, const void *parameter);
void check_joint_witness(check_context *ctx, const void *parameter);
void check_paper(check_context *ctx, const void *parameter);
void check_real_rate(check_context *ctx, const void *parameter);
void check_drawn_terms(check_context *ctx, const void *parameter);
void check_no_horizon(check_context *ctx, const void *parameter);

#endif

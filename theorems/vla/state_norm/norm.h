/* Shared by the files of vla.state-norm. */
#ifndef VLA_STATE_NORM_H
#define VLA_STATE_NORM_H

#include "theorems/vla/growth.h"

typedef struct {
    int one_key; /* the same key at every step */
} plateau_parameter;

typedef struct {
    slong axis; /* of u; the keys lie in the plane of axes 1 and 2 */
} spiral_parameter;

typedef struct {
    ulong factor; /* of the claimed slope */
} slope_parameter;

typedef struct {
    slong less;            /* taken off r */
    const char *injection; /* factor of |v|^2/(|A k|(2-c)) */
} upper_parameter;

typedef struct {
    const char *factor; /* of the sum of residuals */
    int moving;         /* u != 0: the gate is not the key */
} residual_parameter;

typedef struct {
    slong links;         /* < 0: searched */
    ulong part;          /* the bound is divided by it for d <= 4 */
    const char *stretch; /* lambda0 on the second path, times that */
} table_parameter;

typedef struct {
    slong period;
} refresh_parameter;

typedef struct {
    int raw; /* keys are not normalised in the second sum */
} random_parameter;

typedef struct {
    slong more; /* links beyond the d-2 that there are */
} order_parameter;

typedef struct {
    slong periods; /* of 20 steps: the length of a pump */
} cycle_parameter;

void norm_check_plateau(check_context *ctx, const void *parameter);
void norm_check_theodorus(check_context *ctx, const void *parameter);
void norm_check_spiral(check_context *ctx, const void *parameter);
void norm_check_slope(check_context *ctx, const void *parameter);
void norm_check_cycle(check_context *ctx, const void *parameter);
void norm_check_step(check_context *ctx, const void *parameter);
void norm_check_upper(check_context *ctx, const void *parameter);
void norm_check_residuals(check_context *ctx, const void *parameter);
void norm_check_equal_gate(check_context *ctx, const void *parameter);
void norm_check_constructed(check_context *ctx, const void *parameter);
void norm_check_exponents(check_context *ctx, const void *parameter);
void norm_check_two_paths(check_context *ctx, const void *parameter);
void norm_check_refresh(check_context *ctx, const void *parameter);
void norm_check_random(check_context *ctx, const void *parameter);
void norm_check_order(check_context *ctx, const void *parameter);
void norm_check_exponential(check_context *ctx, const void *parameter);
void norm_check_drawn(check_context *ctx, const void *parameter);

/* slope := gamma with gamma^2 (1 + gamma^2 q^2) = 1, q = lambda0 d/2: what the two-step cycle of the layer
   with a rank-one W_u gains per two steps, at least. */
void norm_slope(arb_t slope, const fmpq_t lambda0, slong dim, slong prec);

#endif

/* Shared by the files of vla.jacobian-product. */
#ifndef VLA_JACOBIAN_PRODUCT_H
#define VLA_JACOBIAN_PRODUCT_H

#include "theorems/vla/growth.h"

typedef struct {
    const char *weight; /* |u|^2 (1/2 in the layer at d = 2) */
} depth_parameter;

typedef struct {
    slong less; /* taken off r */
} bound_parameter;

typedef struct {
    slong links;         /* < 0: searched */
    ulong part;          /* the bound is divided by it for d <= 4 */
    const char *stretch; /* lambda0 on the second path, times that */
} product_parameter;

typedef struct {
    int normalised; /* keys of length 1 */
} raw_parameter;

typedef struct {
    slong more; /* links beyond the d-1 that there are */
} order_parameter;

void product_check_depth(check_context *ctx, const void *parameter);
void product_check_step(check_context *ctx, const void *parameter);
void product_check_bound(check_context *ctx, const void *parameter);
void product_check_order(check_context *ctx, const void *parameter);
void product_check_constructed(check_context *ctx, const void *parameter);
void product_check_two_paths(check_context *ctx, const void *parameter);
void product_check_drawn(check_context *ctx, const void *parameter);
void product_check_raw_step(check_context *ctx, const void *parameter);
void product_check_raw_lambda(check_context *ctx, const void *parameter);

#endif

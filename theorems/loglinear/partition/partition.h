/* The checks of loglinear.partition. */
#ifndef LOGLINEAR_PARTITION_H
#define LOGLINEAR_PARTITION_H

#include "theorems/loglinear/common.h"

/* What controls change; every check says which fields it reads. */
typedef struct {
    ulong shift;   /* added to t where levels are asked for, not where intervals are */
    slong more;    /* added to a bound or a count that is claimed */
    int successor; /* the bound takes log2(t+1) where it says log2 t */
} partition_parameter;

void partition_check_pairs(check_context *ctx, const void *parameter);
void partition_check_intervals(check_context *ctx, const void *parameter);
void partition_check_table(check_context *ctx, const void *parameter);
void partition_check_live(check_context *ctx, const void *parameter);
void partition_check_published(check_context *ctx, const void *parameter);
void partition_check_exception(check_context *ctx, const void *parameter);
void partition_check_slots(check_context *ctx, const void *parameter);
void partition_check_counter(check_context *ctx, const void *parameter);

#endif

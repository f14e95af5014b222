/* Shared by the files of loglinear.memories. */
#ifndef LOGLINEAR_MEMORIES_H
#define LOGLINEAR_MEMORIES_H

#include "numerics/exact/soe.h"
#include "theorems/loglinear/common.h"

/* What controls change; every check says which fields it reads. */
typedef struct {
    ulong shift;        /* added to the position on one side */
    const char *factor; /* of a bound, or of a constant that is called best */
    int swap;           /* the two sides of a comparison change places */
    int own_gates;      /* every level has a gate of its own */
} memories_parameter;

/* The orders of the profile j^(alpha-1): 3/10, 1/2, 7/10, or the one of --set alpha=...; at most
   4. */
enum { MEMORIES_ORDERS = 4, MEMORIES_TOP = 20 }; /* T = 2^20 - 1 */
slong memories_orders(check_context *ctx, fmpq *alpha);

/* error := (r-1)/(r+1), r = (last/first)^(1-alpha): the least relative sup error of one constant
   for j^(alpha-1) on the lags first .. last. */
void memories_block_error(arb_t error, const fmpq_t alpha, ulong first, ulong last, slong prec);

/* error := the largest of these over the levels of position t. */
void memories_position_error(arb_t error, const fmpq_t alpha, ulong t, slong prec);

/* sum := sum_{first<=j<=last} j^(-order), by Hurwitz's zeta (order 1: digamma); term by term. */
void memories_power_sum(arb_t sum, const fmpq_t order, ulong first, ulong last, slong prec);
void memories_power_sum_direct(arb_t sum, const fmpq_t order, ulong first, ulong last, slong prec);

/* error := the least relative l2 error for the profile on the lags 1 .. 2^top-1, with the best
   constants on the blocks [2^b, 2^(b+1)), b < blocks, and 0 beyond; direct: sums term by term. */
void memories_square_error(arb_t error, const fmpq_t alpha, slong blocks, slong top, int direct,
                           slong prec);

void memories_check_lags(check_context *ctx, const void *parameter);
void memories_check_constant(check_context *ctx, const void *parameter);
void memories_check_floor(check_context *ctx, const void *parameter);
void memories_check_gate(check_context *ctx, const void *parameter);
void memories_check_positions(check_context *ctx, const void *parameter);
void memories_check_squares(check_context *ctx, const void *parameter);
void memories_check_budget(check_context *ctx, const void *parameter);
void memories_check_sum_squares(check_context *ctx, const void *parameter);
void memories_check_own_horizon(check_context *ctx, const void *parameter);

#endif

/* The checks of vort.l2-lower-bound. */
#ifndef VORT_L2_LOWER_BOUND_H
#define VORT_L2_LOWER_BOUND_H

#include "theorems/vort/common.h"

typedef struct {
    const char *factor; /* of the bound that is decided (1) */
    const char *order;  /* replaces the orders (NULL) */
    slong terms;        /* modes; what is changed where a check says so */
} l2_parameter;

/* sum x_s^j over weights c: exact modes. */
typedef struct {
    slong terms;
    fmpq *c, *x;
} mixture;

void mixture_init(mixture *m, slong terms);
void mixture_clear(mixture *m);
/* Nodes exp(-lambda), lambda log-spaced inside [1/span, 1], rounded to 40 bits. */
void mixture_nodes(mixture *m, slong span);
/* The same, with weights refit on [1,lags] and rounded to 60 bits. */
void mixture_fit(mixture *m, const fmpq_t alpha, slong lags, slong span);

/* energy := N^2 = sum_{1<=j<=T} w_j^2; b[s] := sum w_j x_s^j; T = lags. */
void l2_projections(arb_t energy, arb_ptr b, const fmpq_t alpha, const fmpq *x, slong terms,
                    slong lags, slong prec);
/* d := squared distance of w from the span of x_s^j on [1,lags], N^2 - b^T G^-1 b with the Gram
   matrix G in closed form; solved by balls whose precision doubles until d is good to 20 bits. */
void l2_distance(arb_t d, const fmpq_t alpha, const fmpq *x, slong terms, slong lags);

/* low <= N^2 <= high by Wendel's bounds and integrals, any T. */
void l2_energy_bounds(arb_t low, arb_t high, const fmpq_t alpha, const fmpz_t T, slong prec);

void l2_check_energy(check_context *ctx, const void *parameter);
void l2_check_fixed(check_context *ctx, const void *parameter);
void l2_check_bounded(check_context *ctx, const void *parameter);
void l2_check_interpolate(check_context *ctx, const void *parameter);
void l2_check_refit(check_context *ctx, const void *parameter);
void l2_check_any_rates(check_context *ctx, const void *parameter);
void l2_check_unit_order(check_context *ctx, const void *parameter);
void l2_check_crossings(check_context *ctx, const void *parameter);
void l2_check_drawn(check_context *ctx, const void *parameter);

#endif

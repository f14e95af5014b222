/* Shared by the claims on VORT: lists of orders and a parameter type that most checks use. */
#ifndef VORT_COMMON_H
#define VORT_COMMON_H

#include "theorems/claim.h"

#define VORT_MAX_ORDERS 16

/* 1/100, 1/10, 3/10, 7/20, 1/2, 2/3, 4/5, 19/20: both ends of (0,1), and the text's 0.35 and 0.80. */
extern const char *const vort_orders_open[];

/* A list of orders, and one number whose meaning is said at each check; controls change one. */
typedef struct {
    const char *const *orders;
    const char *number;
} vort_parameter;

/* The parameter's orders, or the one given by --set alpha=...; a control that brings a list of its
   own keeps it.  count: how many.  Free with vort_orders_free. */
fmpq *vort_orders(check_context *ctx, const vort_parameter *p, slong *count);
void vort_orders_free(fmpq *orders);

/* x := the rational spelled by a constant of the program. */
void vort_rational(fmpq_t x, const char *text);
/* out := 1 - x */
void vort_one_minus(fmpq_t out, const fmpq_t x);

extern const claim claim_vort_weights, claim_vort_laplace_density, claim_vort_no_finite_recurrence,
    claim_vort_markov, claim_vort_soe_rate, claim_vort_soe_terms, claim_vort_order_quantisation,
    claim_vort_l2_lower_bound, claim_vort_plasticity, claim_vort_keyed_retrieval,
    claim_vort_routing, claim_vort_softmax_decay;

#endif

/* The checks of vort.order-quantisation. */
#ifndef VORT_ORDER_QUANTISATION_H
#define VORT_ORDER_QUANTISATION_H

#include "theorems/vort/common.h"

/* number: a factor of the bound that is decided (1; controls change it). */
void quantisation_check_lipschitz(check_context *ctx, const void *parameter);
void quantisation_check_sharp(check_context *ctx, const void *parameter);
void quantisation_check_l1_l2(check_context *ctx, const void *parameter);

/* number: the first lag that is looked at (1; the control takes 0). */
void quantisation_check_vanishing(check_context *ctx, const void *parameter);
/* number: the value of the limit at lag 0 (1; the control takes 0). */
void quantisation_check_impulse(check_context *ctx, const void *parameter);

typedef struct {
    slong fewer;        /* banks fewer than the table says (0; the control takes 1) */
    const char *excess; /* nearest routing errs by more than this times tau (1) */
    int at_horizon;     /* the worst lag is said to be the horizon always (0) */
} banks_parameter;

void quantisation_check_chains(check_context *ctx, const void *parameter);
void quantisation_check_banks(check_context *ctx, const void *parameter);
void quantisation_check_nearest(check_context *ctx, const void *parameter);
void quantisation_check_drawn(check_context *ctx, const void *parameter);

#endif

/* The checks of vort.plasticity: f(alpha) = 1/2 sum_{1<=j<=T} (w_j(alpha) - w_j(alpha*))^2. */
#ifndef VORT_PLASTICITY_H
#define VORT_PLASTICITY_H

#include "theorems/vort/common.h"

typedef struct {
    int quartic;        /* residuals to the fourth power over 4: not a PL function */
    int gamma;          /* power of gamma in mu below alpha*: 1; the control takes 0 */
    const char *smooth; /* factor of L (1) */
    const char *rate;   /* factor of mu in the rate 1 - mu/L (1) */
} plasticity_parameter;

/* One weight family at one order: values and two derivatives, j = 0..T. */
typedef struct {
    slong lags; /* T */
    arb_ptr w, first, second;
} weight_jet;

void jet_init(weight_jet *jet, slong lags);
void jet_clear(weight_jet *jet);
void jet_weights(weight_jet *jet, const fmpq_t alpha, slong prec);

/* f, f', f'' of the least-squares loss (or of the quartic one) between two jets. */
void loss(arb_t f, arb_t slope, arb_t bend, const weight_jet *at, const weight_jet *star,
          int quartic, slong prec);
/* mu := sum w_j'(alpha*)^2 for alpha >= alpha*, gamma sum w_j'(alpha)^2, gamma = min_{j>=1}
   w_j'(alpha)/w_j'(alpha*), below; power: of gamma. */
void polyak(arb_t mu, const weight_jet *at, const weight_jet *star, int below, int power,
            slong prec);

void plasticity_check_inequality(check_context *ctx, const void *parameter);
void plasticity_check_smooth(check_context *ctx, const void *parameter);
void plasticity_check_descent(check_context *ctx, const void *parameter);
void plasticity_check_degrades(check_context *ctx, const void *parameter);
void plasticity_check_sums(check_context *ctx, const void *parameter);

#endif

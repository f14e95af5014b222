/* Best weights for rates that are given: what a fixed bank of exponential modes can do for
   t^-beta. */
#ifndef EXACT_SOE_REFIT_H
#define EXACT_SOE_REFIT_H

#include "numerics/exact/soe.h"

/* sum->weight := weights (either sign) whose relative error from t^-beta on the reals of
   [1,horizon] is nearly the least for the rates sum->mode, which are kept; lower := a number that
   no weights beat with these rates.
   With the rates fixed, t^beta e^(-rate t) are a Chebyshev system: an error that alternates in sign
   at S+1 points with size >= lower is best possible up to that size (de la Vallee-Poussin).  Remez
   exchange on a grid even in log t; weights are rounded to 160 bits and exact from then on; lower
   is rigorous, for the rounded weights.  The largest error is left to soe_certify.
   kernel: SOE_KERNEL_POWER; rates different, >= 0; horizon >= 2.
   Returns OK; WIDE if the exchange did not settle to 1% on its grid (weights and lower are valid
   all the same); BAD_ARGUMENT. */
soe_status soe_refit(soe_sum_t sum, arf_t lower, const soe_kernel_t kernel, const fmpz_t horizon);

/* The rates horizon^(-s/(terms-1)), s = 0 .. terms-1, rounded to 64 bits: even in the logarithm
   from 1 down to 1/horizon; terms >= 2. */
void soe_log_spaced_rates(soe_sum_t sum, const fmpz_t horizon);

#endif

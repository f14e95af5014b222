/* Shared by the claims on log-linear attention with adaptive decay. */
#ifndef LOGLINEAR_COMMON_H
#define LOGLINEAR_COMMON_H

#include "numerics/exact/fenwick.h"
#include "theorems/claim.h"

/* Inputs of one head with two places for outputs. */
typedef struct {
    fenwick_shape shape;
    fmpq *q, *k, *v, *gate, *lambda, *y, *z;
} loglinear_case;

void loglinear_case_init(loglinear_case *c, slong steps, slong keys, slong width, slong levels);
void loglinear_case_clear(loglinear_case *c);
/* Rationals with numerators and denominators up to 9; gates in [0,1], 0 and 1 among them; lambda >=
   0. */
void loglinear_case_random(loglinear_case *c, exact_random *r);
/* Every lambda := value. */
void loglinear_case_lambda(loglinear_case *c, const fmpq_t value);

/* to := from, n rationals; clear: n zeros. */
void loglinear_copy(fmpq *to, const fmpq *from, slong n);
void loglinear_zero(fmpq *v, slong n);

/* y := the recurrence, z := the masked form; a shape that is refused is a decision that fails. */
void loglinear_run_recurrence(check_context *ctx, loglinear_case *c);
void loglinear_run_masked(check_context *ctx, loglinear_case *c, const fmpq *gate,
                          const fmpq *lambda);

/* Decides y = z element by element. */
void loglinear_decide_outputs(check_context *ctx, const char *label, const loglinear_case *c);

/* x := softplus(z) = ln(1+e^z), as max(z,0) + log1p(e^-|z|); slope := its derivative 1/(1+e^-z). */
void loglinear_softplus(arb_t x, const arb_t z, slong prec);
void loglinear_softplus_slope(arb_t slope, const arb_t z, slong prec);

extern const claim claim_loglinear_partition, claim_loglinear_recurrence,
    claim_loglinear_softplus_init, claim_loglinear_competition, claim_loglinear_cost,
    claim_loglinear_memories, claim_loglinear_lambda_mlp;

#endif

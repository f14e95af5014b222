/* Replay of witnesses on variational linear attention: from the layer's inputs, in Q, to one number.

   Inputs that all kinds share: tokens, lambda0, keys [tokens][d] (normalised here; their norms must be
   rational), directions [tokens][d] (u_t = direction / (|direction| sqrt d); zero: u_t = 0); values
   [tokens][m]; and, where the kind says so, test [d], refresh and every (A += refresh I after every
   every-th token). */
#ifndef EXACT_REPLAY_VLA_H
#define EXACT_REPLAY_VLA_H

#include "numerics/exact/witness.h"

/* 1 if the kind is one of those below.
   vla-gain         |J x|^2/|x|^2, J = I - a k^T of the last token, x = test
   vla-jacobians      the squared Frobenius norm of J_T ... J_1
   vla-excess       objective at S_T minus its minimum: sum |v_s - S k_s|^2 + tr(S M_T S^T)
   vla-recall       |S_T k_1 - v_1|^2
   vla-overlap      (a_T . k_1)^2
   vla-contraction  k_T^T (A_{T-1} - A_T) k_T
   vla-refresh      the squared Frobenius norm of A_T (lambda0 I + sum u u^T) - I
   delta-gate       |S' x|^2 - |S x|^2, S' = S (I - beta k k^T) + beta v k^T; inputs keys [d], state
                    [m][d], values [m], beta, test */
int vla_replay_knows(const char *kind);

/* value := that number; 0 with a reason if the inputs are bad: sizes, zero keys, irrational norms. */
int vla_replay_value(fmpq_t value, const char **reason, const witness_t w);

#endif

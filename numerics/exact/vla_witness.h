/* Witnesses on variational linear attention, from their inputs alone; nothing here knows vla.c. */
#ifndef EXACT_VLA_WITNESS_H
#define EXACT_VLA_WITNESS_H

#include "numerics/exact/flint_arb.h"

/* A state path s_0 = 0, s_1, ..., s_T in Q^dim is what the recurrence gives, in exact arithmetic, for
   M_t = M_{t-1} + weight g_t g_t^T, M_0 = lambda0 I, features f_t = M_t(s_t - s_{t-1}) up to sign and
   length, and v_t = +-|w| + s_{t-1}.k_t, w = s_t - s_{t-1}: for then a_t = +-w/|w|.  So any path whose
   features are positive and whose |v_t| <= 1 is one that bounded inputs produce.
   norm2 := |s_T|^2; NULL, or a sentence that says what the path lacks.
   states, directions [steps][dim]; positive: whether features must be > 0 (all of one sign). */
const char *vla_path_norm(fmpq_t norm2, const fmpq_t lambda0, const fmpq_t weight, int positive,
                          const fmpq *states, const fmpq *directions, slong steps, slong dim);

/* gain := |x J_1 ... J_T|/|x|, J = I - k a^T, k = f/|f|, a = A f/|A f|, A_t^{-1} = lambda0 I + weight
   sum g g^T, by entrywise balls: a lower bound of the product's norm.  NULL, or what is wrong. */
const char *vla_product_gain(arb_t gain, const fmpq_t lambda0, const fmpq_t weight, const fmpq *x,
                             const fmpq *features, const fmpq *directions, slong steps, slong dim,
                             slong prec);

#endif

/* Memories that are sums of exponential modes, run exactly in Q: the recurrences of VORT (Sec. 3)
   and the double sums that they stand for. */
#ifndef EXACT_MODES_H
#define EXACT_MODES_H

#include "numerics/exact/flint_arb.h"

/* Multiply-add operations that a run spent. */
typedef struct {
    ulong update, read;
} modes_operations;

/* y[t][i] = sum_s c_s G_s[i],  G_s[i] <- x_s G_s[i] + v[t][i]; shapes: v, y [steps][width], c, x
   [modes].  ops counts one operation for each multiply-add with x_s (update) and with c_s (read). */
void exact_modes_recurrence(fmpq *y, const fmpq *v, const fmpq *c, const fmpq *x, slong steps,
                            slong width, slong modes, modes_operations *ops);

/* y[t][i] = sum_{j<=t} kernel[j] v[t-j][i], the causal convolution by its definition; kernel[steps]. */
void exact_modes_convolution(fmpq *y, const fmpq *v, const fmpq *kernel, slong steps, slong width);

/* kernel[j] = sum_s c_s x_s^j, j < n. */
void exact_modes_kernel(fmpq *kernel, const fmpq *c, const fmpq *x, slong modes, slong n);

/* Keyed retrieval without its feature map: the token at time t goes into bank[t] with key k[t] and
   value v[t]; every mode state is a matrix,
       G_{b,s} <- x_{b,s} G_{b,s} + [bank_t = b] k_t v_t^T,   y_t = sum_{b,s} c_{b,s} G_{b,s}^T q_t.
   Shapes: k, q [steps][keys], v, y [steps][width], c, x [banks][modes], bank [steps].  Operations:
   one per element of a state for the update and one for the read. */
void exact_modes_keyed(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v, const slong *bank,
                       const fmpq *c, const fmpq *x, slong steps, slong keys, slong width,
                       slong banks, slong modes, modes_operations *ops);

/* The same by its double sum: y_t = sum_{i<=t} (sum_s c_{b,s} x_{b,s}^{t-i}) (q_t . k_i) v_i, b = bank_i. */
void exact_modes_keyed_sum(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v, const slong *bank,
                           const fmpq *c, const fmpq *x, slong steps, slong keys, slong width,
                           slong modes);

#endif

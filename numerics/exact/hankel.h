/* Hankel determinants of the Gruenwald-Letnikov weights. */
#ifndef EXACT_HANKEL_H
#define EXACT_HANKEL_H

#include "numerics/exact/flint_arb.h"

/* det[k-1] := det [m_{i+j}]_{0<=i,j<k}, k = 1..n, of the sequence m[0 .. 2n-2], by fraction-free
   elimination (Bareiss) of the rescaled integer matrix: exact.  Elimination cannot pass a leading
   minor that vanishes; from the first zero on, determinants are computed one by one. */
void exact_hankel_minors(fmpq *det, const fmpq *m, slong n);

/* h := h_m, the squared norm of the monic orthogonal polynomial of degree m for the measure whose
   moments are w_j(alpha), 0 < alpha < 1:
       h_0 = 1,  h_m = 2 (m!)^2 (alpha)_m (1-alpha)_m / ((2m)!)^2  (m >= 1). */
void exact_hankel_norm(fmpq_t h, const fmpq_t alpha, ulong m);

/* norm[0..n-1] := the same squared norms from the moments m[0 .. 2n-1] by Chebyshev's algorithm;
   stops after the first zero norm (the rest are set to 0). */
void exact_chebyshev_norms(fmpq *norm, const fmpq *m, slong n);

/* moment[0..n-1] := int x^j over the n_terms-point Gauss rule of the recurrence (centre, square):
   (J^j)_{00} of the tridiagonal matrix J, exact. */
void exact_tridiagonal_moments(fmpq *moment, const fmpq *centre, const fmpq *square, slong terms,
                               slong n);

#endif

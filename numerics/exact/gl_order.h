/* The Gruenwald-Letnikov weights as functions of their order.  w_j is a polynomial of degree j in
   alpha with nonnegative coefficients (unsigned Stirling numbers over j!), so increasing and
   convex. */
#ifndef EXACT_GL_ORDER_H
#define EXACT_GL_ORDER_H

#include "numerics/exact/flint_arb.h"

/* w[j], first[j], second[j] := enclosures of w_j, dw_j/dalpha, d2w_j/dalpha2 at the ball alpha, j <
   n, by w_{j+1} = w_j (j+alpha)/(j+1) and its derivatives.  Each pointer may be NULL. */
void exact_gl_order_vec(arb_ptr w, arb_ptr first, arb_ptr second, const arb_t alpha, slong n,
                        slong prec);

/* The same in Q, without second derivatives; numbers of j digits and more. */
void exact_gl_order_rational_vec(fmpq *w, fmpq *first, const fmpq_t alpha, slong n);

/* coefficient[0..j] := those of w_j as a polynomial in alpha: [j, i]/j! with unsigned Stirling
   numbers of the first kind. */
void exact_gl_order_polynomial(fmpq *coefficient, slong j);

/* h := H_n = 1 + 1/2 + ... + 1/n in Q, by binary splitting. */
void exact_harmonic(fmpq_t h, ulong n);

#endif

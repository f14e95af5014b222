/* The Grünwald-Letnikov weights as a Laplace transform (VORT, Eq. 5), 0 < alpha < 1:
       w_j = int_0^inf e^(-j lambda) rho(lambda) dlambda,
       rho(lambda) = (sin pi alpha / pi) (e^lambda - 1)^(-alpha). */
#ifndef EXACT_LAPLACE_H
#define EXACT_LAPLACE_H

#include "numerics/exact/flint_arb.h"

/* rho := the density at a ball lambda > 0. */
void exact_laplace_density(arb_t rho, const fmpq_t alpha, const arb_t lambda, slong prec);

/* out := an enclosure of the integral of e^(-m lambda) rho(lambda) over [0, top], m >= 0,
   0 < top, 0 < alpha < 1; top = NULL stands for infinity.  Rigorous at both singular ends: near 0
   the power series of (lambda/(e^lambda-1))^alpha e^(-m lambda) is integrated term by term with a
   Cauchy bound for its tail; the middle by acb_calc_integrate; the far end by
   int_b^inf <= (1-e^-b)^(-alpha) e^(-(m+alpha)b)/(m+alpha). */
void exact_laplace_integral(arb_t out, const fmpq_t alpha, ulong m, const arb_t top, slong prec);

/* The same integral over (0, inf) after e^lambda - 1 = e^v, a path that shares nothing with the
   one above but acb_calc_integrate:
       (sin pi alpha/pi) int e^((1-alpha)v) (1+e^v)^(-m-1) dv. */
void exact_laplace_integral_sinc(arb_t out, const fmpq_t alpha, ulong m, slong prec);

#endif

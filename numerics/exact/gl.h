/* Gruenwald-Letnikov weights of the fractional integral of order alpha (VORT, Eqs. 2-4):
       w_0 = 1,  w_{j+1} = w_j (j+alpha)/(j+1),  w_j = (alpha)_j / j!
                                                     = Gamma(j+alpha) / (Gamma(alpha) Gamma(j+1)).
   Any rational order; for alpha = 0, -1, -2, ... the weights vanish from j = 1-alpha on. */
#ifndef EXACT_GL_H
#define EXACT_GL_H

#include "numerics/exact/flint_arb.h"

/* Bits of numerator and denominator that exact_gl_rational may need at most; callers that take
   alpha and j from a user compare this with their limit first.  +inf is possible. */
double exact_gl_rational_bits(const fmpq_t alpha, const fmpz_t j);

/* w := w_j(alpha) in Q. */
void exact_gl_rational(fmpq_t w, const fmpq_t alpha, ulong j);

/* w[0..n-1] := w_0 .. w_{n-1} in Q. */
void exact_gl_rational_vec(fmpq *w, const fmpq_t alpha, slong n);

/* w := an enclosure of w_j(alpha), 0 <= j, of relative radius <= 2^(4-prec) (exact 0 where the
   weight vanishes), by the Gamma quotient: the time grows with log j, not with j. */
void exact_gl_ball(arb_t w, const fmpq_t alpha, const fmpz_t j, slong prec);

/* w[i] := an enclosure of w_{first+i}(alpha), i < n, relative radius <= 2^(4-prec): one short
   multiplication and one short division a weight, no rounding analysis at run time.
   Error: each step truncates a significand of m = 64(ceil(prec/64)+1) bits, relative error
   < 2^(4-m), so after k steps it is < k 2^(5-m) <= 2^-(prec+1) for k < 2^58. */
void exact_gl_ball_vec(arb_ptr w, const fmpq_t alpha, const fmpz_t first, slong n, slong prec);

/* The same into MPFR numbers of precision prec (each initialised by the caller): within
   0.5 + 2^-20 ulp of w_{first+i} for n <= 2^40. */
void exact_gl_mpfr_vec(mpfr_ptr w, const fmpq_t alpha, const fmpz_t first, slong n, slong prec);

/* w := an enclosure of w(t) = Gamma(t+alpha)/(Gamma(alpha) Gamma(t+1)) for balls alpha > 0,
   t >= 0; NaN when either may leave that range. */
void exact_gl_real(arb_t w, const arb_t alpha, const arb_t t, slong prec);

/* w := enclosures of the first len coefficients of delta -> w(t e^delta) at delta = 0, t > 0. */
void exact_gl_log_taylor(arb_poly_t w, const fmpq_t alpha, const arb_t t, slong len, slong prec);

/* ratio := an enclosure of w(t) Gamma(alpha) t^(1-alpha), t > 0, 0 < alpha <= 1.  It increases
   with t and lies in [(1+alpha/t)^(alpha-1), 1] (Wendel). */
void exact_gl_power_ratio(arb_t ratio, const fmpq_t alpha, const arb_t t, slong prec);

#endif

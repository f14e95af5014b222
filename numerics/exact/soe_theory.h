/* How many exponentials are needed, and how many suffice: the inequalities behind the theorems on
   VORT's Theorem 3.1, each evaluated in balls.  beta = 1-alpha throughout. */
#ifndef EXACT_SOE_THEORY_H
#define EXACT_SOE_THEORY_H

#include "numerics/exact/flint_arb.h"

/* ratio := an enclosure of f(pi)/f(0) for the symbol of the Toeplitz matrix (2 cosh((i-k)h/2))^-beta,
       f(theta) = (1/(h Gamma(beta))) sum_n |Gamma(beta/2 + i(theta+2 pi n)/h)|^2   (Poisson).
   0 < beta < 2, h > 0.  The terms fall by y'/y sinh(pi y)/sinh(pi y') at least (the product formula of
   |Gamma|^2 compared with that of |Gamma(1+iy)|^2), which bounds the tail. */
void soe_symbol_ratio(arb_t ratio, const fmpq_t beta, const arb_t h, slong prec);

/* h := a step, as small as bisection finds, with f(pi)/f(0) > error certified; 0 if none in
   [1/4096, 64].  error: a ball in (0,1). */
void soe_symbol_step(arb_t h, const fmpq_t beta, const arb_t error, slong prec);

/* Number of terms below which no sum of exponentials with any complex nodes and weights has relative
   error <= error on the reals of [1,T] for the kernel t^-beta; log_horizon = ln T.
       k >= floor(ln T/h) + 1 with f(pi) > error f(0):
   the matrix [K(s_i+s_k)], s_i = e^(ih)/2, scaled by s^(beta/2) is that Toeplitz matrix, of least
   eigenvalue > f(pi); a k-term sum makes it rank k up to a matrix of norm <= error f(0). */
slong soe_terms_power_lower(const fmpq_t beta, const arb_t log_horizon, const arb_t error,
                            slong prec);

/* The same for the weights w_j(alpha) at the integers of [1,T], for every T (given by its logarithm):
   with n_i = round(M s_i), s_i = e^(ih)/2 and M >= 8 a power of 2 near 1/error,
       |approximation at n_i+n_k / (M^-beta (s_i+s_k)^-beta/Gamma(alpha)) - 1| <= eta
       eta = max((1+error)(1-1/M)^-beta - 1, 1 - (1-error)(1-alpha beta/(M-1))(1+1/M)^-beta),
   so k >= floor(ln((T-1)/M)/h) + 1 if f(pi) > eta f(0). */
slong soe_terms_gl_lower(const fmpq_t alpha, const arb_t log_horizon, const arb_t error,
                         slong prec);

/* The same bound by certifying one matrix: the largest N found such that D W D - error r I, with
   W = [w_{2 s_i... }] at half-integers growing by about a constant ratio, D = diag(w(2 s_i)^-1/2) and r
   its largest row sum, has a Cholesky factor in balls.  relative error, T <= 10^18. */
slong soe_terms_gl_matrix_lower(const fmpq_t alpha, const fmpz_t horizon, const arb_t error,
                                slong most);

/* bound := an enclosure of
       2 sum_{n>=1} |Gamma(beta+2 pi i n/h)|/Gamma(beta),
   which the relative error of the infinite trapezoid rule of step h in v = ln(e^lambda-1) exceeds at no
   j >= 0; relative radius below 2^-60 for 0 < h <= 12 and prec >= 128, +inf for h >= pi^2/ln 2 = 14.23..,
   where the ratio 2 e^(-pi^2/h) that bounds the terms left out is not below 1.  The rule's
   aliasing terms are exact Gamma products,
   |Gamma(beta+i y)Gamma(j+alpha-i y)| <= |Gamma(beta+i y)| Gamma(j+alpha). */
void soe_aliasing_bound(arb_t bound, const fmpq_t alpha, const arb_t h, slong prec);

/* A number of terms that suffices: the trapezoid with both tails replaced by Gauss rules.  Relative
   error (0) or absolute error (1) <= error over [1,T].  Each of aliasing, left and right gets a third
   of error:
     aliasing <= error/3;
     right tail, x <= x0, g nodes exact for 1 <= j <= 2g on x times the tail's measure:
       (error/3 at most) alpha (1+error) x0^(2g) / w_{2g+1};
     left tail, lambda <= lambda0, g' nodes: 2 mass 2 (lambda0 T/4)^(2g') / (2g')! / w_T.
   Returns 0 if no parameters tried satisfy the inequalities. */
slong soe_terms_explicit(const fmpq_t alpha, const fmpz_t horizon, int absolute, const arb_t error,
                         slong prec);

#endif

/* Gauss quadrature with enclosed nodes and weights, from three-term recurrences over Q. */
#ifndef EXACT_GAUSS_H
#define EXACT_GAUSS_H

#include "numerics/exact/flint_arb.h"

/* Weight functions, each normalised to total mass 1. */
typedef enum {
    GAUSS_JACOBI,  /* x^a (1-x)^b on [0,1], a, b > -1; a = b = 0 is Legendre on [0,1] */
    GAUSS_LAGUERRE /* x^a e^-x on [0, inf), a > -1 (b is not used) */
} gauss_family;

typedef struct {
    gauss_family family;
    fmpq_t a, b;
} gauss_weight_struct;
typedef gauss_weight_struct gauss_weight_t[1];

void exact_gauss_weight_init(gauss_weight_t w, gauss_family family); /* a = b = 0 */
void exact_gauss_weight_clear(gauss_weight_t w);

/* centre, square := the coefficients of the monic orthogonal polynomials
       P_{k+1} = (x - centre_k) P_k - square_k P_{k-1},   square_0 = 0,
   so that square_1 ... square_k = h_k, the squared norm of P_k (Szegoe, 4.5.1 and 5.1.10). */
void exact_gauss_recurrence(fmpq_t centre, fmpq_t square, const gauss_weight_t w, ulong k);

/* norm := h_k = square_1 ... square_k. */
void exact_gauss_norm(fmpq_t norm, const gauss_weight_t w, ulong k);

typedef enum { GAUSS_OK, GAUSS_BAD_ARGUMENT, GAUSS_NOT_SEPARATED } gauss_status;

/* node[0] < ... < node[n-1] and weight[0..n-1] := enclosures of the n-point Gauss rule, relative
   radius <= 2^-prec.  Each node ball holds exactly one zero of P_n (interval Newton) and they are
   disjoint, so none is missing; NOT_SEPARATED when that could not be shown. */
gauss_status exact_gauss_rule(arb_ptr node, arb_ptr weight, const gauss_weight_t w, slong n,
                              slong prec);

#endif

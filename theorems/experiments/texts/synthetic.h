/* Sequences whose information at every distance is known. */
#ifndef EXPERIMENTS_SYNTHETIC_H
#define EXPERIMENTS_SYNTHETIC_H

#include "numerics/exact/random.h"

/* A stationary Markov chain on equally likely symbols: stays with probability r = e^(-1/memory), else
   draws anew, so that P(x_t = x_{t+l}) = r^l + (1 - r^l)/symbols. */
void synthetic_markov(int32_t *x, slong length, slong symbols, double memory, ulong seed);
/* Its I(l) = p log2(K p) + (1-p) log2(K (1-p)/(K-1)), K = 4, p as above; ~ r^2l. */
double synthetic_markov_bits_4(double memory, slong lag);

/* Signs of ARFIMA(0,d,0), 0 < d < 1/2: a stationary Gaussian sequence with correlations
       rho_l = prod_{k=1}^{l} (k-1+d)/(k-d)  ~  (Gamma(1-d)/Gamma(d)) l^(2d-1),
   drawn exactly by circulant embedding (Davies and Harte 1987).  length a power of 2, at most 2^24; 0 if
   not. */
int synthetic_long_memory(int32_t *x, slong length, double d, ulong seed);
/* Its I(l) = 1 - H(1/2 + arcsin(rho_l)/pi), H the binary entropy;  ~ (2/(pi^2 ln 2)) rho_l^2, a power
   law with exponent 2 - 4d. */
double synthetic_long_memory_bits(double d, slong lag);

#endif

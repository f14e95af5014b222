/* Sequences whose information at every distance is known. */
#ifndef EXPERIMENTS_SYNTHETIC_H
#define EXPERIMENTS_SYNTHETIC_H

#include "numerics/exact/random.h"

/* Each symbol of the sequences below is kept with probability keep, else drawn anew from all of them:
   which multiplies correlations by keep^2 and makes I small, so that it follows its asymptotic law
   from the first lag on.

   A stationary Markov chain on 4 equally likely symbols: stays with probability r = e^(-1/memory), else
   draws anew, so that P(x_t = x_{t+l}) = s + (1 - s)/4, s = keep^2 r^l. */
void synthetic_markov(int32_t *x, slong length, double memory, double keep, ulong seed);
/* Its I(l) = p log2(4 p) + (1-p) log2(4 (1-p)/3), p as above;  ~ (3/(2 ln 2)) s^2. */
double synthetic_markov_bits(double memory, double keep, slong lag);

/* Signs of ARFIMA(0,d,0), 0 < d < 1/2: a stationary Gaussian sequence with correlations
       rho_l = prod_{k=1}^{l} (k-1+d)/(k-d)  ~  (Gamma(1-d)/Gamma(d)) l^(2d-1),
   drawn exactly by circulant embedding (Davies and Harte 1987).  length a power of 2, at most 2^24; 0 if
   not. */
int synthetic_long_memory(int32_t *x, slong length, double d, double keep, ulong seed);
/* Its I(l) = 1 - H((1+s)/2), s = keep^2 (2/pi) arcsin(rho_l), H the binary entropy;  ~ s^2/(2 ln 2), a
   power law with exponent 2 - 4d. */
double synthetic_long_memory_bits(double d, double keep, slong lag);

#endif

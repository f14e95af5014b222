/* Reproducible pseudo-random exact inputs: splitmix64 (Steele, Lea, Flood 2014).  A seed is a hash of
   what the numbers are for, never a clock or a process number. */
#ifndef EXACT_RANDOM_H
#define EXACT_RANDOM_H

#include "numerics/exact/flint_arb.h"

#include <stdint.h>

typedef struct {
    uint64_t state;
} exact_random;

/* FNV-1a of the text, continued from basis (0 for a fresh hash). */
uint64_t exact_hash(const char *text, uint64_t basis);

uint64_t exact_random_next(exact_random *r);
/* Uniform on low..high (inclusive), up to a bias below 2^-32. */
slong exact_random_integer(exact_random *r, slong low, slong high);
/* numerator uniform on [-size,size], denominator on [1,size]. */
void exact_random_rational(fmpq_t out, exact_random *r, slong size);
/* denominator uniform on least..most, drawn first; numerator on low..high.  (Two draws among the
   arguments of one call would be in the compiler's order.) */
void exact_random_fraction(fmpq_t out, exact_random *r, slong low, slong high, slong least,
                           slong most);

#endif

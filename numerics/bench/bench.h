/* Benchmarks.  Times are medians of repeated runs; what counts are ratios within one run. */
#ifndef BENCH_H
#define BENCH_H

/* Prints ns per weight at 256 bits, T = 10^5: certified balls and MPFR numbers against a plain MPFR
   loop with one correctly rounded division a weight. */
void bench_weights(void);

/* Prints the time to certify 40-term sums over [1,T] for T = 10^3 .. 10^18, with what it grows by a
   decade. */
void bench_certify(void);

/* Prints the time to design and certify the best sums: the fewest terms for alpha = 1/2, T = 10^6,
   error 10^-10; S = 40 at T = 10^9; and the growth with S. */
void bench_soe(void);

#endif

/* Best sums of exponentials with real positive nodes: Remez exchange, and the two bounds that say how
   good the result is. */
#ifndef EXACT_SOE_MINIMAX_H
#define EXACT_SOE_MINIMAX_H

#include "numerics/exact/soe.h"

/* A sum with 2 terms + 1 points of the domain at which its error alternates. */
typedef struct {
    soe_sum_t sum;
    slong points;      /* 2 terms + 1 */
    arf_struct *point; /* increasing */
    arf_t level;       /* the largest sampled error: an estimate of the supremum */
} soe_minimax_struct;
typedef soe_minimax_struct soe_minimax_t[1];

void soe_minimax_init(soe_minimax_t m);
void soe_minimax_clear(soe_minimax_t m);
void soe_minimax_set(soe_minimax_t to, const soe_minimax_t from);

/* lower := a number that no sum of at most sum->terms exponentials with real positive nodes and any
   real weights beats in the given error over any domain that contains the points.
   De la Vallee-Poussin: if the error of a sum alternates in sign at 2S+1 points with (weighted) size
   >= lower, a sum with a smaller error everywhere would differ from it by a function with 2S zeros,
   but 2S exponentials have at most 2S-1 (confluent nodes and x -> 0, 1 are limits).
   Rigorous: signs and sizes in balls.  0 if they do not alternate, or are not 2S+1 or more in
   increasing order; points must be positive, integers for the GL kernel. */
void soe_alternation_lower(arf_t lower, const soe_kernel_t kernel, const soe_sum_t sum,
                           const arf_struct *point, slong points, soe_error error, slong prec);

/* m := the best sum of that many terms on the integers of [1,horizon] (GL) or the reals of
   [1,horizon] (power), found by Newton and exchange, warm-started through smaller numbers of terms or
   from start (the best sum with one term fewer or so for the same kernel, horizon and error) if it is
   not NULL.  Ends when the largest error and the least alternating one differ by less than gap
   (sampled; certify it with soe_certify and soe_alternation_lower).  Numbers are rounded to about
   twice the bits that the error needs and from then on exact; rates increase, weights are positive.
   Returns OK; WIDE if the exchange did not settle; BAD_ARGUMENT; or what progress made it stop with.
   A GL domain with at most 2 terms integers needs no search (Gauss-Jacobi is exact there), nor does
   alpha = 1: BAD_ARGUMENT. */
soe_status soe_minimax(soe_minimax_t m, const soe_kernel_t kernel, const fmpz_t horizon,
                       soe_error error, slong terms, double gap, const soe_minimax_struct *start,
                       int (*progress)(slong terms));

/* best := the first minimax sum, counting terms up, whose sampled error is <= target, and fewer := the
   one with one term fewer (no terms if best has one): by steps of a third up, then halving.  Returns
   as soe_minimax does; UNREACHABLE where SOE_MAX_TERMS do not suffice, or where only the exact
   ceil(horizon/2)-term Gauss-Jacobi sum does (GL): fewer then holds the largest that was tried. */
soe_status soe_minimax_error(soe_minimax_t best, soe_minimax_t fewer, const soe_kernel_t kernel,
                             const fmpz_t horizon, soe_error error, const arf_t target, double gap,
                             int (*progress)(slong terms));

/* m->point := n of them. */
void soe_minimax_set_points(soe_minimax_t m, const arf_struct *point, slong n);

/* m->point := 2S+1 points of the domain at which the error of m->sum, a sum of S terms from anywhere, alternates and is largest
   in between (sampled; soe_alternation_lower makes a bound of it).  OK; WIDE if it does not alternate so often; BAD_ARGUMENT. */
soe_status soe_alternation(soe_minimax_t m, const soe_kernel_t kernel, const fmpz_t horizon,
                           soe_error error);

/* other := the horizon, at most 64 times horizon, for which m->sum would be the best sum: where its error's first 2S extrema are
   level (within a factor 1 + gap), the point beyond at which the error is as large again; m->point := all of them.  Sampled:
   soe_alternation_lower and soe_certify say how good the sum is on [1,other].  OK; WIDE if there is none; BAD_ARGUMENT. */
soe_status soe_level_horizon(fmpz_t other, soe_minimax_t m, const soe_kernel_t kernel,
                             const fmpz_t horizon, soe_error error, double gap);

/* Rounds the weights and rates to bits significant bits; the sum's error changes by what
   soe_certify and soe_alternation_lower then say. */
void soe_minimax_round(soe_minimax_t m, slong bits);

#endif

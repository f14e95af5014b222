/* Log-linear attention: a hierarchy of states over binary intervals of the past (Guo et al.), run
   exactly in Q: the recurrence, and the masked matrix form that it stands for. */
#ifndef EXACT_FENWICK_H
#define EXACT_FENWICK_H

#include "numerics/exact/flint_arb.h"

/* Levels of a 64-bit position: 0 .. 64. */
#define FENWICK_LEVELS 65

/* Bits of x up to its highest one; 0 for 0. */
slong fenwick_bit_length(ulong x);

/* The level at which position t sees source s <= t: the bit length of t XOR s; t itself is level
   0. */
slong fenwick_level(ulong t, ulong s);

/* Levels that hold something at position t: popcount(t) + 1. */
slong fenwick_live(ulong t);

/* Level b+1 of position t holds the sources first .. first+count-1 with
       first = (t >> b with its lowest bit cleared) << b,  count = 2^b
   if bit b of t is set, and nothing otherwise; level 0 holds t.  Returns whether it holds anything
   (first, count := 0 if not, and for a level outside 0 .. 64). */
int fenwick_interval(ulong *first, ulong *count, ulong t, slong level);

/* States that merge into another one between t and t+1: the trailing ones of t (its carry). */
slong fenwick_merges(ulong t);

/* Columns that lambda needs for steps tokens (positions 0 .. steps-1): ceil(log2 steps) + 1; 0 for
   none. */
slong fenwick_slots(ulong steps);

/* sum_{t<steps} popcount(t) = sum_b (whole periods 2^b each, and what the last one has above
   2^b). */
void fenwick_popcount_sum(fmpz_t sum, const fmpz_t steps);

/* The intervals kept online, with no look at t's bits: the carry of a binary counter. */
typedef struct {
    ulong first[FENWICK_LEVELS], count[FENWICK_LEVELS]; /* count 0: empty */
    ulong position, merges;                             /* merges so far */
    slong live;
} fenwick_counter;

void fenwick_counter_start(fenwick_counter *c); /* position 0 */
void fenwick_counter_step(fenwick_counter *c);

typedef enum {
    FENWICK_OK,
    FENWICK_BAD_SHAPE, /* a negative size */
    FENWICK_FEW_LEVELS /* levels < fenwick_slots(steps): nothing is read or written */
} fenwick_status;

typedef struct {
    slong steps, keys, width, levels; /* T, d_k, d_v, columns of lambda */
} fenwick_shape;

/* Operations of one head, in elements of a d_k x d_v state. */
typedef struct {
    ulong gate, merge; /* multiplications by g_t, additions when levels merge */
    ulong write, read; /* k_t v_t^T, and multiply-adds of the read */
    ulong live;        /* the most states held at one position */
} fenwick_operations;

/* y_t = sum_l lambda[t][l] S_l^T q_t, where between t-1 and t the levels 0 .. m merge into level
   m+1 (m = trailing ones of t-1), every state is multiplied by g_t, and S_0 = k_t v_t^T.
   Shapes: q, k [steps][keys], v, y [steps][width], gate [steps] (gate[0] is not used), lambda
   [steps][levels].  ops may be NULL. */
fenwick_status fenwick_recurrence(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v,
                                  const fmpq *gate, const fmpq *lambda, const fenwick_shape *shape,
                                  fenwick_operations *ops);

/* y_t = sum_{s<=t} lambda[t][level(t,s)] (prod_{s<i<=t} g_i) (q_t . k_s) v_s, term by term. */
fenwick_status fenwick_masked(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v,
                              const fmpq *gate, const fmpq *lambda, const fenwick_shape *shape);

/* Gated linear attention, one state: S <- g_t S + k_t v_t^T, y_t = S^T q_t. */
void fenwick_linear(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v, const fmpq *gate,
                    const fenwick_shape *shape);

#endif

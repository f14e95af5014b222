/* A witness: exact inputs and the inequality that they make true.  Whoever doubts a verdict replays
   it, without the code that found it. */
#ifndef EXACT_WITNESS_H
#define EXACT_WITNESS_H

#include "numerics/exact/banks.h"
#include "numerics/exact/enclosure.h"
#include "numerics/exact/soe.h"

typedef struct {
    char *name;
    slong count;
    fmpq *value; /* [count] */
} witness_input;

typedef struct {
    char *id, *kind;
    slong inputs;
    witness_input *input;
    enclosure_t lhs, rhs; /* lhs: what the inputs give; rhs: what it is compared with */
    relation rel;
    slong min_precision; /* bits at which the replay decides */
} witness_struct;
typedef witness_struct witness_t[1];

void witness_init(witness_t w, const char *id, const char *kind);
void witness_clear(witness_t w);

/* Append an input: a copy of count rationals. */
void witness_add(witness_t w, const char *name, const fmpq *value, slong count);
void witness_add_integer(witness_t w, const char *name, const fmpz_t value);

/* The input of that name, or NULL. */
const witness_input *witness_find(const witness_t w, const char *name);

void witness_conclude(witness_t w, const enclosure_t lhs, relation rel, const enclosure_t rhs,
                      slong min_precision);

/* w := "the largest error of the sum over [1,horizon] is <= upper" (kind soe-sup-error). */
void soe_witness_upper(witness_t w, const soe_kernel_t kernel, const soe_sum_t sum,
                       const fmpz_t horizon, soe_error error, const arf_t upper);

/* w := "the error alternates at the points with size >= lower, so that no sum of as many terms does
   better" (kind soe-alternation).  Both need sums in rate form. */
void soe_witness_lower(witness_t w, const soe_kernel_t kernel, const soe_sum_t sum,
                       const arf_struct *point, slong points, soe_error error, const arf_t lower);

/* w := "neighbours of the chain of orders are within tau" (RELATION_LE) or "further apart than tau"
   (RELATION_GT) in that norm over the lags 0..horizon (kind bank-chain). */
void banks_witness(witness_t w, const char *id, banks_norm norm, const fmpz_t horizon,
                   const fmpq *chain, slong count, relation rel, const fmpq_t tau);

/* ---- replay: one function a kind; it recomputes lhs from the inputs alone ---- */

typedef enum {
    REPLAY_HOLDS,
    REPLAY_FAILS,     /* the inequality is false for these inputs */
    REPLAY_UNDECIDED, /* not within four times min_precision */
    REPLAY_UNKNOWN_KIND,
    REPLAY_BAD_INPUT /* reason says which input, and what it should be */
} replay_status;

/* computed := lhs recomputed (initialised by the caller); reason: a static sentence or NULL.
   kinds:
   gl-weight           alpha, j                        w_j(alpha)
   hankel-determinant  alpha, size                     det [w_{i+k}], i, k < size
   soe-error-at        alpha, j, weights[], nodes[]    |w_j - sum weights nodes^j|, in Q
   soe-sup-error       alpha, horizon, relative, weights[], rates[]
                                                       sup over the integers of [1,horizon]
   soe-alternation     alpha, relative, weights[], rates[], points[]
                                                       the least alternating error at the points: no
                                                       sum of as many terms has a smaller one
   bank-chain          orders[] increasing, horizon, norm (0 sup, 1 l1, 2 l2)
                                                       the least (>, >=) or largest (<, <=, =)
                                                       distance of neighbours over the lags 0..horizon
   softmax-ratio       query[], near[], far[]          e^(query.far - query.near): the softmax weight
                                                       of one key over that of the other
   loglinear-live-states  position                     levels that occur among the sources 0..position
   loglinear-mlp-spread   d[], other[], w1[], w2[]     max_l |((d - other) W1 W2)_l|
   loglinear-mlp-work     tokens                       4 L^2/ceil(log2 T), L = ceil(log2 T) + 1
   vla-path            lambda0, weight, dim, positive, states[], directions[]
                                                       |s_T|^2 of a path that bounded inputs produce
   vla-product         lambda0, weight, dim, start[], features[], directions[]
                                                       |start J_1 ... J_T|/|start|: vla_witness.h
   The two sums of exponentials take beta in place of alpha for the power kernel t^-beta on the reals.
   vla-..., delta-gate: numerics/exact/replay_vla.h */
replay_status witness_replay(enclosure_t computed, const char **reason, const witness_t w);

#endif

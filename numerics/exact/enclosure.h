/* A number together with what is known of it.
   rational: exactly this element of Q.  ball: a real number within an exact dyadic radius of an
   exact dyadic midpoint.  measured: a statistic; never decides anything that is called certified. */
#ifndef EXACT_ENCLOSURE_H
#define EXACT_ENCLOSURE_H

#include "numerics/exact/flint_arb.h"

typedef enum { ENCLOSURE_RATIONAL, ENCLOSURE_BALL, ENCLOSURE_MEASURED } enclosure_type;

typedef struct {
    double estimate, lower, upper; /* point estimate and confidence interval */
    ulong samples, seed;
} enclosure_measurement;

typedef struct {
    enclosure_type type;
    fmpq_t rational;
    arb_t ball;
    enclosure_measurement measured;
} enclosure_struct;
typedef enclosure_struct enclosure_t[1];

typedef enum { RELATION_LT, RELATION_LE, RELATION_EQ, RELATION_GE, RELATION_GT } relation;

/* What a comparison of two enclosures proves. */
typedef enum { TRUTH_UNDECIDED, TRUTH_HOLDS, TRUTH_FAILS } truth;

void enclosure_init(enclosure_t x); /* the rational 0 */
void enclosure_clear(enclosure_t x);
void enclosure_set(enclosure_t x, const enclosure_t y);
void enclosure_set_rational(enclosure_t x, const fmpq_t q);
void enclosure_set_integer(enclosure_t x, slong n);
void enclosure_set_ball(enclosure_t x, const arb_t ball);
void enclosure_set_measured(enclosure_t x, enclosure_measurement measured);

/* ball := x, rounded outwards to prec bits when x is rational; the interval when x is measured. */
void enclosure_get_ball(arb_t ball, const enclosure_t x, slong prec);

/* The double nearest to the number (midpoint, estimate): for drawing, never for deciding. */
double enclosure_get_double(const enclosure_t x);

/* HOLDS or FAILS only if every pair of numbers in the two enclosures agrees; measured, infinite or
   NaN enclosures leave everything undecided.  margin := a lower bound of |a-b| over all such pairs
   (0 when undecided, and when equality holds).  Rationals are compared exactly, without prec. */
truth enclosure_compare(arf_t margin, const enclosure_t a, relation rel, const enclosure_t b,
                        slong prec);

const char *relation_symbol(relation rel);                 /* "<", "<=", "=", ">=", ">" */
int relation_from_symbol(relation *rel, const char *text); /* 1 if text is one of these */

#endif

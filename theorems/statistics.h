/* Intervals of measured numbers, and random numbers that are not exact.  Confidence is two-sided:
   0.99 leaves 0.5% on each side. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include "theorems/claim.h"

/* Mean of n >= 2 independent observations with Student's interval (exact for normal ones).  Where all
   observations of shares in [0,1] are alike, Student's interval has no width: then, with bounded != 0,
   the half-width is 1 - (1-confidence)^(1/n): what happened never in n draws has at most that chance.
   With bounded != 0 the interval is cut to [0,1]. */
enclosure_measurement statistics_mean(const double *x, slong n, double confidence, int bounded,
                                      ulong seed);

/* hits of n >= 1 with the exact interval of Clopper and Pearson. */
enclosure_measurement statistics_share(slong hits, slong n, double confidence, ulong seed);

/* A standard normal number (Box and Muller), and one uniform in (0,1). */
double statistics_normal(exact_random *r);
double statistics_uniform(exact_random *r);

/* x := the double, which is an exact number. */
void statistics_rational(fmpq_t x, double value);
void statistics_set(enclosure_t x, double value);

/* A measured number for the reports, with unit 1; a cell "table/row/column" of a table; a cell that is
   exact. */
void statistics_report(check_context *ctx, const char *name, enclosure_measurement m);
void statistics_cell(check_context *ctx, const char *table, const char *row, const char *column,
                     enclosure_measurement m);
void statistics_cell_exact(check_context *ctx, const char *table, const char *row,
                           const char *column, double value);

/* "The interval lies above (below) bound": decides its end, a double, against bound.  A margin is
   what is left between them. */
void statistics_decide_above(check_context *ctx, const char *label, enclosure_measurement m,
                             double bound);
void statistics_decide_below(check_context *ctx, const char *label, enclosure_measurement m,
                             double bound);

#endif

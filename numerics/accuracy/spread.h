/* Where the columns of an error matrix D [n][columns] can be: D D^T <= M in the order of symmetric
 * matrices, M kept in double.  A bound in a norm alone grows by the norm of every step; this
 * follows the directions in which steps really stretch, and shrink. */
#ifndef ACCURACY_SPREAD_H
#define ACCURACY_SPREAD_H

#include <stdint.h>

typedef struct {
    int64_t n;
    double *m, *work; /* [n][n], [n] */
} spread;

/* Doubles that m and work need together; work follows m. */
int64_t spread_doubles(int64_t n);

/* D := (I - a k^T) D + X, |X|_F <= x.  What is not a number makes the bounds so. */
void spread_step(spread *s, const double *a, const double *k, double x);

/* D := c D, c >= 0. */
void spread_scale(spread *s, double c);

/* Upper bounds of |D|_F and |y^T D|. */
double spread_norm_upper(const spread *s);
double spread_along_upper(const spread *s, const double *y);

#endif

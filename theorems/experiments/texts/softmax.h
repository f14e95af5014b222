/* Multinomial logistic regression: the convex readout of the experiments with texts.

   p(y | x, r) = softmax over classes of  b + sum_f x_f W_f + sum_i a_{i,r_i} V_{i,r_i},
   b, W_f, V_{i,c} in R^32: dense features x and a few characters r, each one-hot and scaled by
   a_{i,c} = min(16, 1/sqrt(share of c)), so that every feature has mean square about 1.
   Objective, convex, strongly so with modulus l2:

       F(w) = mean of -ln p(y | x, r)  +  (l2/2) |w|^2      (nats)

   so that F(w) - min F <= |grad F(w)|^2 / (2 l2): convergence is measured, not assumed. */
#ifndef EXPERIMENTS_SOFTMAX_H
#define EXPERIMENTS_SOFTMAX_H

#include "numerics/exact/random.h"

enum { SOFTMAX_CLASSES = 32, SOFTMAX_RECENT = 3 };

typedef struct {
    slong samples, dense, recent; /* recent <= SOFTMAX_RECENT */
    const float *x;               /* [samples][dense] */
    const unsigned char *past;    /* [samples][SOFTMAX_RECENT], the first recent of them are read */
    const unsigned char *label;   /* [samples] */
    const float *scale;           /* [recent][SOFTMAX_CLASSES] */
} softmax_data;

/* Rows of weights: the constant, dense features, recent x SOFTMAX_CLASSES; each SOFTMAX_CLASSES long. */
slong softmax_rows(const softmax_data *d);

/* F(w); gradient (may be NULL) [rows][SOFTMAX_CLASSES]. */
double softmax_objective(double *gradient, const softmax_data *d, const float *w, double l2);

/* bits[i] := -log2 p(label_i | ...) */
void softmax_bits(float *bits, const softmax_data *d, const float *w);

typedef struct {
    double objective, gradient; /* F and |grad F| at the end, over all samples */
    double excess_upper;        /* bits: |grad F|^2 / (2 l2 ln 2) >= F - min F */
} softmax_training;

/* w := the minimum, nearly: stochastic gradient descent from 0, batches of 32 in random order, each
   coordinate's step divided by the root of its summed squared gradients (Duchi, Hazan, Singer 2011) and
   shortened to nothing over the second half.  Single-threaded: the result depends on data and seed
   alone. */
void softmax_train(float *w, softmax_training *out, const softmax_data *d, double l2, slong epochs,
                   ulong seed);

/* x := L^-1 D^-1 (x - mean), with the mean, deviations D and correlations L L^T of the rows given (1e-4
   added to the diagonal): uncorrelated features of variance 1, whatever scale or mixture they came in, so
   that the penalty treats memories alike that hold the same.  rows >= 1. */
typedef struct {
    slong dense;
    float *mean, *inverse; /* [dense], [dense][dense] L^-1 D^-1, lower triangular */
} softmax_whitening;
void softmax_whiten_fit(softmax_whitening *out, const float *x, slong rows, slong dense);
void softmax_whiten(const softmax_whitening *map, float *x, slong rows);
void softmax_whitening_clear(softmax_whitening *map);

#endif

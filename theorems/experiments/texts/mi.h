/* Mutual information between symbols of a sequence at a distance, and its laws.

   I(l) = sum_ab p_ab log2(p_ab / (p_a p_b)), p the frequencies of the N - l pairs (x_t, x_{t+l}) and of
   their first and second symbols.  It is too large, by (K_ab - K_a - K_b + 1)/(2 N ln 2) for K cells that
   can occur, to first order (Miller 1955): but which cells can is not known, and most pairs of words are
   rarer than the order holds for.  So the excess is measured: the mean over MI_NULLS lags of one
   shuffle of the sequence, which has the same symbols and no information, is taken off.  Exact for
   independent symbols; where symbols depend on each other fewer cells are filled and a little too much is
   taken off, never more than that excess.

   Errors: the text is cut into blocks in a row (pairs belong to the block of their first symbol); each
   is left out in turn (jackknife), so that dependence inside blocks counts; the excess's own error is
   added. */
#ifndef EXPERIMENTS_MI_H
#define EXPERIMENTS_MI_H

#include "numerics/exact/random.h"

#include <stddef.h>

enum { MI_BLOCKS = 40, MI_NULLS = 32, MI_MAX_VOCABULARY = 2000, MI_MAX_LAG = 1000000 };

typedef struct {
    slong lags;
    slong *lag;       /* [lags], rising, >= 1 */
    double *bits;     /* [lags] I without the excess */
    double *miller;   /* [lags] with Miller and Madow's correction instead, K the cells seen */
    double *error;    /* [lags] standard error of bits */
    double *left_out; /* [MI_BLOCKS][lags] bits without one block */
    double excess;    /* what was taken off */
} mi_curve;

/* lag := 1 ... 32 and ten a decade beyond, up to most; returns how many; lag NULL: only counts. */
slong mi_lags(slong *lag, slong most);

/* out := the curve at those lags.  symbols at most MI_MAX_VOCABULARY, length at least MI_BLOCKS more than
   the largest lag and than MI_NULLS; seed: of the shuffle. */
void mi_estimate(mi_curve *out, const int32_t *symbol, slong length, slong symbols,
                 const slong *lag, slong lags, ulong seed);
void mi_curve_clear(mi_curve *c);

/* Bits of information in a table of counts [symbols][symbols], excess and all; miller (may be NULL): with
   Miller and Madow's correction. */
double mi_from_counts(const uint32_t *table, slong symbols, double *miller);

/* Quantile of Student's distribution, two-sided 99%, for the jackknife's MI_BLOCKS - 1 degrees. */
#define MI_STUDENT 2.708

/* ---- laws ---- */

typedef enum {
    MI_POWER,             /* c l^-g */
    MI_EXPONENTIAL,       /* c e^(-l/x) */
    MI_POWER_FLOOR,       /* c l^-g + f */
    MI_EXPONENTIAL_FLOOR, /* c e^(-l/x) + f */
    MI_BROKEN,            /* c (l/b)^-g up to l = b, c (l/b)^-h beyond */
    MI_TWO_EXPONENTIALS,  /* c e^(-l/x) + f e^(-l/y) */
    MI_LAWS
} mi_law;
const char *mi_law_name(mi_law law);    /* "power law", ... */
const char *mi_law_formula(mi_law law); /* "c l^-g" */
int mi_law_parameters(mi_law law);
const char *mi_law_parameter(mi_law law, int i); /* "c", "gamma", ... */
double mi_law_value(mi_law law, const double *parameter, double lag);

enum { MI_PARAMETERS = 4 };

/* Largest likelihood for independent Gaussian errors of variance error^2 + (misfit * law)^2: no law of
   these is exact, and misfit, one more parameter, says by what fraction it is off.  Lags are those of the
   curve that are no less than from and lie ten a decade.

   Errors at different lags are not independent, least where the sequence itself has long memory: on signs
   of a Gaussian sequence with an exact power law (synthetic.h, 2^20 symbols, gamma = 0.8) AIC preferred a
   broken one by up to 87, and the intervals of gamma reached from 0.70 to 1.15.  So AIC orders laws,
   and misfit, whose size means something, decides. */
typedef struct {
    double parameter[MI_PARAMETERS], low[MI_PARAMETERS], high[MI_PARAMETERS]; /* 99%, jackknife */
    double misfit, misfit_low, misfit_high; /* 99%, jackknife, from 0 */
    double
        misfit_least; /* of the fits to all blocks and without each: what holds for them all, where a
                            second maximum makes the jackknife wild */
    double log_likelihood, aic, bic;
    /* this law's AIC less that of the best one, and its 99% interval */
    double worse, worse_low, worse_high;
} mi_fit;

typedef struct {
    slong from, points;
    mi_fit fit[MI_LAWS];
    mi_law best; /* least AIC */
} mi_fits;

/* 0 if there are too few points (fewer than 8). */
int mi_fit_laws(mi_fits *out, const mi_curve *c, slong from);

#endif

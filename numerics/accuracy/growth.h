/* Errors of a kernel's outputs against time: what the figures are drawn from. */
#ifndef ACCURACY_GROWTH_H
#define ACCURACY_GROWTH_H

#include "numerics/accuracy/regress.h"

enum { GROWTH_WINDOWS = 24, GROWTH_METHODS = MN_CHUNK + 1 };

/* Of the tokens of one window, all batches and heads; norms of rows are Euclidean, and everything
 * is over the root mean square of the exact rows' norms. */
typedef struct {
    int64_t last;                                        /* tokens last/2 + 1 ... last */
    double bound;                                        /* the largest bound of a row's error */
    double rms[GROWTH_METHODS], largest[GROWTH_METHODS]; /* of the rows' errors */
} growth_window;

typedef struct {
    int windows;
    growth_window window[GROWTH_WINDOWS];
    int64_t elements, histogram[GROWTH_METHODS][JUDGE_HISTOGRAM]; /* of ulp, as in judge_report */
    bool has[GROWTH_METHODS];
    char text[160]; /* why nothing could be measured, or "" */
} growth;

/* g := what the best instruction set's methods do on a case, in windows that end at 16, 32, ... */
void growth_measure(growth *g, const regress_case *c, const regress_library *library);

#endif

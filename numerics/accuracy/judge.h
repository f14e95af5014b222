/* Is a kernel's output right?  Outputs in any floating type against the certified reference.
 *
 * Verdicts: an element outside the rigorous a priori bound, or not finite where the exact one is,
 * makes the output broken; an error of more than twice that of a plain twin of the same arithmetic
 * makes it suspect; a bound as large as the row's scale is vacuous and decides nothing: where such
 * elements are left, and nothing else is wrong, the output is undecided. */
#ifndef ACCURACY_JUDGE_H
#define ACCURACY_JUDGE_H

#include "numerics/accuracy/array.h"
#include "numerics/accuracy/bounds.h"

typedef enum { JUDGE_OK, JUDGE_UNDECIDED, JUDGE_SUSPECT, JUDGE_BROKEN } judge_verdict;

/* What a bound may assume of the arithmetic. */
typedef struct {
    array_type output;     /* outputs are rounded to it */
    array_type operands;   /* factors of products and states read were rounded to it */
    array_type accumulate; /* sums and states are kept in it */
    int64_t chunk;         /* tokens that are worked on at once, at most */
} judge_arithmetic;

/* One element: where it stands in [batch][time][head][dim] and what is there. */
typedef struct {
    int64_t batch, time, head, dim;
    double got, exact, error, bound; /* exact: the nearest double; error: an upper bound */
    double ulp;                      /* error in units of the exact one's last place */
} judge_element;

enum { JUDGE_HISTOGRAM = 64 };

typedef struct {
    judge_verdict verdict;
    int64_t elements, nonfinite, outside, vacuous;
    judge_element worst;   /* largest error over bound */
    judge_element largest; /* most ulp */
    double p50, p99;       /* ulp */
    int64_t above[3];      /* elements off by more than 1/2, 1 and 4 ulp */
    /* [i]: elements with 2^(i-33) < ulp <= 2^(i-32); [0] all below, [63] all above */
    int64_t histogram[JUDGE_HISTOGRAM];
    double cancellation; /* largest error / (gamma_n sum |a_i b_i|); 0 where there is no such sum */
    double
        rms_ratio; /* sqrt(mean error^2) / sqrt(mean exact^2), as flash-linear-attention's tests */
    double twin;   /* largest error of a row over the twin's in the same norm; 0: no twin */
    int64_t first_time; /* first step with an element outside the bound, or -1 */
    int64_t heads;
    double *head; /* [heads] largest error / bound of each, all batches */
} judge_report;

#endif

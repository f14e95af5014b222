/* Is a kernel's output right?  Outputs in any floating type against the certified reference.
 *
 * Verdicts: an element outside the rigorous a priori bound, or not finite where the exact one is,
 * makes the output broken; an error of more than twice that of a plain twin of the same arithmetic
 * makes it suspect.  A bound as large as the row's a priori scale (the same sum on absolute
 * values) is vacuous and decides nothing; one that a row of zeros would meet too is weak and
 * counts only together with a twin.  Where such elements are left, and nothing else is wrong, the
 * output is undecided. */
#ifndef ACCURACY_JUDGE_H
#define ACCURACY_JUDGE_H

#include "numerics/accuracy/array.h"
#include "numerics/accuracy/bounds.h"
#include "numerics/accuracy/twin.h"

typedef enum { JUDGE_OK, JUDGE_UNDECIDED, JUDGE_SUSPECT, JUDGE_BROKEN } judge_verdict;
const char *judge_verdict_text(judge_verdict verdict); /* "ok", ... */

/* One element: where it stands in [batch][time][head][dim] and what is there.  In a state blob:
 * [sequence][-][key head][float of the head]. */
typedef struct {
    int64_t batch, time, head, dim;
    double got, exact, error, bound; /* exact: the nearest double; error: an upper bound */
    double ulp;                      /* error in units of the exact one's last place */
} judge_element;

enum { JUDGE_HISTOGRAM = 64, JUDGE_SUSPECT_FACTOR = 2 };

typedef struct {
    judge_verdict verdict;
    int64_t elements, nonfinite, outside, vacuous, weak;
    int64_t suspect; /* rows with more than twice the twin's error */
    int64_t rows;
    judge_element worst;         /* largest error over bound */
    judge_element largest;       /* most ulp */
    judge_element first;         /* the first outside its bound, if any is */
    judge_element first_suspect; /* likewise: largest error of the first such row */
    double ratio;                /* largest error over bound */
    double p50, p99;             /* ulp */
    int64_t above[3];            /* elements off by more than 1/2, 1 and 4 ulp */
    /* [i]: elements with 2^(i-33) < ulp <= 2^(i-32); [0] all below, [63] all above */
    int64_t histogram[JUDGE_HISTOGRAM];
    double cancellation; /* largest error / (gamma_n sum |a_i b_i|), n = products in the sum; 0
                            where there is no such sum */
    double rms_ratio;    /* sqrt(mean error^2) / sqrt(mean exact^2), as flash-linear-attention's
                            tests */
    double relative;     /* largest |error| / |exact|; 0 / 0 is 0 */
    double twin;         /* largest error of a row over the twin's, see judge_output; 0: no twin */
    int64_t first_time;  /* first step with an element outside the bound, or -1 */
    int64_t heads;
    double *head; /* [heads] largest error / bound of each, all batches */
} judge_report;
void judge_report_clear(judge_report *r);

typedef enum {
    JUDGE_DONE,
    JUDGE_REFERENCE,    /* see reference below */
    JUDGE_BAD_ARGUMENT, /* the arithmetic's chunk is out of range */
    JUDGE_NO_MEMORY
} judge_status;

/* A call and all that its results are measured by; one judge serves any number of outputs. */
typedef struct {
    const mn_args *args; /* the caller's, with what it points to */
    arithmetic arithmetic;
    reference_t exact, scale; /* scale: empty for the delta rule and VLA */
    bounds_t bounds;
    twin_t twin;
    bool with_twin;
    reference_status reference;
    /* The caller's own tolerance decides instead, if it is given (set after judge_begin): |error|
     * <= atol + rtol |exact|. */
    bool tolerance;
    double rtol, atol;
    /* What no bound decides is right if it is no worse than the twin (times 2). */
    bool accept_twin;
} judge_struct;
typedef judge_struct judge_t[1];

/* The reference, bounds and twin of a call (its o and state_out are not used).  arithmetic:
 * arithmetic_library() for libmneme's own kernels.  On any status but JUDGE_DONE j is empty, but
 * for j->reference. */
judge_status judge_begin(judge_t j, const mn_args *args, arithmetic arithmetic, bool with_twin);
/* The same, watched (reference.h). */
judge_status judge_begin_with(judge_t j, const mn_args *args, arithmetic arithmetic, bool with_twin,
                              const reference_options *options);
void judge_clear(judge_t j);

/* r := what is to be said of outputs o, packed [batch][time][heads][dv], in that type.  The twin:
 * the Euclidean norm of a row's error against the largest of the twin's within 32 tokens of the
 * same head, but at least one rounding of operands on |o| and four of sums on the a priori scale.
 * r is cleared by judge_report_clear. */
judge_status judge_output(judge_report *r, const judge_t j, array_type type, const void *o);
/* Likewise of the final state blob's numbers in its order, without positions. */
judge_status judge_state(judge_report *r, const judge_t j, array_type type, const void *state);

/* One part alone, packed [sequence][key head][its floats of the head]: S (levels, modes), VLA's A,
 * the sums of keys. */
typedef enum { JUDGE_STATE, JUDGE_INVERSE, JUDGE_KEYS } judge_part;
judge_status judge_state_part(judge_report *r, const judge_t j, judge_part part, array_type type,
                              const void *state);

/* Anything else with exact values (gradients). */
typedef struct {
    int64_t shape[4]; /* batch, time, head, dim; a row is the last */
    arb_srcptr exact;
    arb_srcptr scale;    /* sums on absolute values; NULL: not known */
    const double *bound; /* of elements; NULL: none */
    const double *twin;  /* its values; NULL: none */
} judge_target;
judge_status judge_values(judge_report *r, const judge_t j, array_type type, const void *x,
                          const judge_target *target);

#endif

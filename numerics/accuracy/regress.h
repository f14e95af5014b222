/* The kernels against the certified reference, case by case: what is run, what was found, and
 * whether that is worse than what was found before. */
#ifndef ACCURACY_REGRESS_H
#define ACCURACY_REGRESS_H

#include "numerics/accuracy/inputs.h"
#include "numerics/accuracy/judge.h"

/* One set of inputs; every method and instruction set runs on it. */
typedef struct {
    const inputs_kind *kind;
    inputs_shape shape;
    inputs_family family;
    uint64_t seed;
    bool quick; /* of the short run too */
} regress_case;

enum { REGRESS_SEED = 1, REGRESS_NAME = 300 };

/* The plan: *count cases, for free(); NULL without memory. */
regress_case *regress_plan(size_t *count);
bool regress_planned(const regress_case *c);

/* What runs: mn_run and mn_convolve, or what a test puts in their place. */
typedef struct {
    mn_status (*attention)(const mn_args *, mn_method, mn_error *);
    mn_status (*convolution)(const mn_convolution *, mn_method, mn_error *);
} regress_library;
extern const regress_library regress_libmneme;

/* What is compared with a baseline. */
typedef struct {
    judge_verdict verdict;
    double ulp, p99; /* largest error in units of the exact one's last place, and 99% of them; at
                        most REGRESS_NO_DIGIT: beyond, at exact numbers near 0, it is the ball's */
    double ratio;    /* largest error over bound */
    double rms;      /* sqrt(mean error^2 / mean exact^2) */
} regress_numbers;

/* Off by so many ulp of a float: no digit is right. */
#define REGRESS_NO_DIGIT 0x1p24

typedef enum {
    REGRESS_RUN,
    REGRESS_NO_ISA,      /* not on this machine */
    REGRESS_REFUSED,     /* mn_run returned a status; said in text */
    REGRESS_NO_REFERENCE /* the reference or the case could not be made; said in text */
} regress_outcome;

/* One output array of one run. */
typedef struct {
    mn_method method;
    mn_isa isa;
    bool state; /* the final state, not the outputs */
    regress_outcome outcome;
    char text[160];
    regress_numbers found;
    double twin; /* largest error over the plain twin's; 0: no twin */
    int64_t elements, outside, nonfinite, vacuous;
    judge_element worst;    /* largest error over bound */
    judge_element largest;  /* most ulp */
    judge_element deciding; /* the first that broke a bound or was suspect, else largest */
    int64_t histogram[JUDGE_HISTOGRAM];
} regress_row;

enum { REGRESS_ROWS = 2 * 3 * MN_ISAS }; /* at most, of a case */

/* Bit m, i: method m, instruction set i (not MN_BEST). */
typedef struct {
    unsigned methods, isas;
} regress_selection;

/* rows := of every run of the selection: the outputs, then the state if there is one.  Returns
 * how many.  The reference, bounds and twin are made once. */
int regress_run(regress_row rows[REGRESS_ROWS], const regress_case *c, regress_selection selection,
                const regress_library *library);

/* "linear-keys/T=129,d=64/gaussian/chunk/avx2/o"; returns name (REGRESS_NAME bytes). */
char *regress_name(const regress_case *c, const regress_row *row, char *name);
extern const char *const regress_method_names[]; /* [MN_CHUNK + 1], then NULL */

/* Worse: a worse verdict, or more than these factors times the old number and beyond the rounding
 * of a correctly rounded result.  The root mean square averages over all elements, and another
 * order of the same sums moves it by some per cent: a quarter is none of that.  A largest error is
 * that of one element, which another order of the same sums may well double. */
#define REGRESS_RMS_FACTOR 1.25
#define REGRESS_MAX_FACTOR 2.0
/* What a correctly rounded result may have: in ulp; relative; over a bound of at least 32
 * roundings. */
#define REGRESS_ULP_FLOOR 0.5
#define REGRESS_RMS_FLOOR 0x1p-25
#define REGRESS_RATIO_FLOOR 0x1p-6

typedef enum { REGRESS_SAME, REGRESS_BETTER, REGRESS_WORSE } regress_change;
/* text (160 bytes): what changed by how much; the first of verdict, rms, ulp, ratio that is
 * worse, or better by the same factor. */
regress_change regress_compare(const regress_numbers *found, const regress_numbers *baseline,
                               char *text);

#endif

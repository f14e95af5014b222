/* Shared by the parts of the claim experiments.lag-retrieval. */
#ifndef LAG_H
#define LAG_H

#include "theorems/experiments/memory.h"
#include "theorems/statistics.h"

/* ---- the task ----
   T - 1 tokens, each with a key of signs +-1/sqrt(d) and a label, both uniform and independent; read at
   position T - 1 with the key of the token at a lag drawn from the law; decoded by arg max over the V
   labels (values are one-hot). */

typedef enum { LAW_ZIPF, LAW_UNIFORM, LAWS } lag_law;
enum {
    LAG_BUCKETS = 3,
    LAG_WORDS = 32
}; /* lags 1-100, 101-1000, beyond; keys of up to 2048 signs */

typedef struct {
    lag_law law;
    slong length;               /* T, a power of two above 1024 */
    slong labels, width;        /* V; d where keys are equal */
    slong training, test, each; /* sequences; reads a bucket in each sequence */
    double mass[LAG_BUCKETS];   /* chance of each bucket under the law */
    double *chance;             /* [T]: of each lag, 1 .. T-1 */
} lag_task;

/* T = 2048, V = 64, d = 128; T = 16384, V = 128, d = 256. */
typedef enum { SIZE_SHORT, SIZE_LONG } lag_size;
void lag_task_init(lag_task *task, lag_law law, lag_size size);
void lag_task_clear(lag_task *task);
slong lag_bucket(slong lag); /* 0, 1, 2 */

typedef struct {
    slong tokens, reads;
    uint64_t *key; /* [tokens][LAG_WORDS] */
    int *label;    /* [tokens] */
    slong *lag;    /* [reads]: 1 .. tokens; each of them a bucket's share, bucket after bucket */
    int *answer;   /* [reads]: the label at that lag, or another drawn anew if shuffled */
} lag_sequence;

void lag_sequence_draw(lag_sequence *s, const lag_task *task, int shuffled, ulong seed);
void lag_sequence_clear(lag_sequence *s);
/* score [reads][tokens] := the products of the read key with every token's key, of width d. */
void lag_scores(float *score, const lag_sequence *s, slong d);

/* ---- kernels: weights of lags 1 .. T-1 ---- */

typedef enum {
    FAMILY_NONE,        /* 1 */
    FAMILY_POWER,       /* Gruenwald-Letnikov weights of an order in (0,1) */
    FAMILY_ONE,         /* one exponential */
    FAMILY_FIVE_TIED,   /* rates T^(-m/4), m = 0 .. 4, weights rate^b */
    FAMILY_FIVE,        /* five rates and weights > 0 */
    FAMILY_LEVELS_TIED, /* weight 2^(-b l) on level l, the bit length of the lag */
    FAMILY_LEVELS,      /* a weight > 0 for each level */
    FAMILY_FREE,        /* a weight > 0 for each of three steps an octave: an upper line */
    FAMILY_OPTIMUM      /* the optimum for the law, see lag_optimum */
} lag_family;

enum { LAG_PARAMETERS = 64 };
/* How many parameters theta a family has; the first is the logarithm of a common factor where
   lag_has_scale, which arg max does not see. */
slong lag_parameters(lag_family f, slong length);
int lag_has_scale(lag_family f);
void lag_start(double *theta, lag_family f, slong length);
/* w [T] (w[0] unused) := the family's weights. */
void lag_kernel(double *w, lag_family f, const double *theta, slong length);
double lag_order(const double *theta); /* of FAMILY_POWER */

/* A(x) = integral of phi(z) Phi(z+x)^(V-1): the chance that a label with mean x above V-1 others wins
   against independent standard normal noise. */
double lag_accuracy(double x, slong labels);

/* w := weights that maximise sum_l p_l A(x_l), x_l = w_l / |w| sqrt(d V): the accuracy if the interference
   of the other tokens (variance |w|^2/(dV) in each label's sum) is normal.  With multiplier mu each x_l
   maximises p_l A(x) - mu x^2 on a grid; where two values tie, the shortest lags get the larger.
   Returns the accuracy in that model. */
double lag_optimum(double *w, const lag_task *task, slong d);

/* ---- fitting: mean cross-entropy on the training sequences, lags weighted by their law ---- */

/* theta := BFGS minimum from theta, for width d; returns the cross-entropy in nats. */
double lag_fit(double *theta, lag_family f, const lag_task *task, const lag_sequence *training,
               slong d);
/* The memory's one parameter (beta of the delta rule, lambda0 of VLA) by a grid and Brent's method on the
   same cross-entropy, the readout's scale fitted for each. */
double lag_fit_memory(experiments_memory *m, const lag_task *task, const lag_sequence *training);

/* right [reads] := whether arg max over the labels is the answer; by the kernel's weights in double,
   or by libmneme (0 if it returned a status). */
void lag_decode_direct(int *right, const double *w, const lag_task *task, const lag_sequence *s,
                       slong d);
int lag_decode_memory(int *right, const experiments_memory *m, const lag_task *task,
                      const lag_sequence *s);
/* out [reads][labels] of libmneme. */
int lag_run_memory(float *out, const experiments_memory *m, const lag_task *task,
                   const lag_sequence *s);

/* ---- the rows of the tables ---- */

typedef enum {
    ROW_POWER,
    ROW_POWER_SOE,
    ROW_POWER_SOE5,
    ROW_ONE,
    ROW_FIVE,
    ROW_FIVE_TIED,
    ROW_NONE,
    ROW_LEVELS_TIED,
    ROW_LEVELS,
    ROW_DELTA,
    ROW_VLA,
    ROW_FREE,
    ROW_OPTIMUM,
    ROW_POWER_UNTUNED,
    ROW_ONE_UNTUNED,
    ROW_FIVE_UNTUNED,
    LAG_ROWS,
    ROW_CHANCE /* 1/V: only in comparisons */
} lag_row;

typedef enum { FOOTING_KEYS, FOOTING_STATE } lag_footing;

/* first - second is above gap (below: is below it) with simultaneous confidence, at lags of a bucket or
   (LAG_BUCKETS) of the whole law. */
typedef struct {
    const char *label; /* NULL ends a list */
    lag_row first, second;
    int bucket;
    double gap;
    int below;
} lag_comparison;

typedef struct {
    lag_law law;
    lag_footing footing;
    const lag_comparison *list;
    lag_size size;
    int all; /* every row, with figures; else those of the list alone */
    int tables;
    int shuffled; /* answers drawn anew */
} lag_parameter;

void lag_check(check_context *ctx, const void *parameter);
const char *lag_row_name(lag_row row);

#endif

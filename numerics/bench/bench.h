/* Benchmarks.  Times are medians of repeated runs; what counts are ratios within one run. */
#ifndef BENCH_H
#define BENCH_H

#include "numerics/kernels/mneme.h"

/* ---- certified arithmetic (bench_exact.c) ---- */

/* Prints ns per weight at 256 bits, T = 10^5: certified balls and MPFR numbers against a plain MPFR
   loop with one correctly rounded division a weight. */
void bench_weights(void);

/* Prints the time to certify 40-term sums over [1,T] for T = 10^3 .. 10^18, with what it grows by a
   decade. */
void bench_certify(void);

/* Prints the time to design and certify the best sums: the fewest terms for alpha = 1/2, T = 10^6,
   error 10^-10; S = 40 at T = 10^9; and the growth with S. */
void bench_soe(void);

/* ---- shared (bench_time.c) ---- */

double bench_seconds(void);                               /* a monotonic clock */
double bench_seconds_of(void (*run)(void *), void *data); /* of one call */
double bench_median(double *t, int n);                    /* sorts t */

enum { BENCH_MOST_RUNS = 99 };
/* Runs run(data) again and again: once if that takes longer than the budget, else once to warm up and
   then as often as the budget (seconds, the warm-up included) allows.  Returns the median in seconds,
   *runs: of how many, *best: the least (or NULL). */
double bench_repeat(void (*run)(void *), void *data, double budget, int *runs, double *best);

/* Pages of zeros that have been touched, on 64 bytes, huge where the system gives them; NULL: no
   memory.  For free(). */
void *bench_allocate(size_t bytes);

/* x[i] uniform on [low, high), splitmix64 from the seed. */
void bench_fill(float *x, int64_t n, float low, float high, uint64_t seed);

/* ---- limits of the machine (bench_machine.c) ---- */

enum { BENCH_THREADS = 2 };

/* 10^9 bytes a second: of an array that is read, and of one updated in place, each byte counted as
   read and as written. */
typedef struct {
    double read, update;
} bench_bandwidth;

typedef struct {
    long l1, l2, l3; /* bytes, of one core; 0 where not known (l1, l2: a usual value then) */
    long memory;     /* bytes of the array that stands for memory, shared by the threads */
    int cores;
    struct {
        double peak; /* 10^9 single-precision operations a second, a fused multiply-add being two */
        bench_bandwidth l1, l2, memory;
    } with[BENCH_THREADS]; /* [0]: one thread, [1]: two */
} bench_machine;

/* budget: seconds for the whole. */
void bench_measure_machine(bench_machine *m, double budget);

/* GFLOP/s of independent multiply-adds on that many threads: the best of a few rounds. */
double bench_peak(int threads, double budget);

/* Threads share the bytes evenly. */
bench_bandwidth bench_measure_bandwidth(int threads, long bytes, double budget);

/* What the peak consists of: "512-bit fused multiply-adds". */
const char *bench_peak_name(void);

/* ---- libmneme (bench_kernels.c) ---- */

enum {
    BENCH_HEADS = 8,
    BENCH_BANKS = 8,
    BENCH_MODES = 16,
    BENCH_POSITION = 5376,
    BENCH_KEYS = 4096
};

typedef struct {
    const char *kernel; /* "linear-keys" */
    mn_method method;
    long time, dim;
    int threads, runs;
    char skipped[64]; /* why, or "" */
    double ns;        /* per token and head: the median, and the least */
    double best_ns;
    double gflops;   /* by the nominal count: bench_flops */
    double peak[2];  /* just before the row and just after */
    double fraction; /* of their mean */
    double speedup;  /* over the row with one thread before this one; 0: not measured */
    /* time = 1 only, else 0 */
    double state, read, written; /* bytes, of all heads: held, read and written by a step */
    double bandwidth;            /* 10^9 bytes a second */
    double of_l2;                /* over L2's; 0 where the state fits L1 */
    double of_same_size;         /* over what an array as large as the state gives */
} bench_row;

/* Names of the rows' kernels, in order; ends in NULL. */
extern const char *const bench_kernel_names[];

/* Everything that rows of one dimension read, for `tokens` tokens of BENCH_HEADS heads. */
typedef struct {
    long dim, tokens;
    float *q, *k, *v, *o, *u, *keys, *g, *beta, *lambda; /* keys: gates per key */
    int32_t *bank;
    float weights[BENCH_BANKS * BENCH_MODES], nodes[BENCH_BANKS * BENCH_MODES];
} bench_inputs;
/* 1, or 0 without memory.  wanted: a bit for each kernel, by its number, whose arrays are needed. */
int bench_inputs_make(bench_inputs *in, long dim, long tokens, unsigned wanted);
void bench_inputs_clear(bench_inputs *in);
/* *a := kernel number i on the first tokens and heads of the inputs, without state or workspace. */
void bench_inputs_call(mn_args *a, int i, const bench_inputs *in, long time, int heads,
                       int threads);

/* Nominal operations per token and head of kernel number i (of the names), d_k = d_v = dim:
     linear, linear-scalar 4d^2   linear-keys 5d^2   delta 6d^2   vla 12d^2
     loglinear 2d^2 + 2L d^2, L = bit length of time - 1, plus 1 (decoding: blocks in use, on average)
     vort 2S d^2 + 2KS d^2        softmax 4d times the keys that a query sees on average */
double bench_flops(int i, long time, long dim);

typedef struct {
    const char *pattern; /* of the kernel's name, as in a shell; NULL: all */
    long time, dim;      /* 0: 1, 256, 4096, 65536; 64, 128 */
    int threads;         /* 0: one, then two */
    unsigned
        methods; /* bit m: method m; 0: MN_REFERENCE to 256 tokens, MN_STEP at 1, MN_CHUNK beyond */
    double budget; /* seconds a row */
} bench_selection;

/* Calls row for every row measured or skipped; 0 if some call of the library failed (row.skipped says
   how).  m: measured before. */
int bench_kernels(const bench_selection *s, const bench_machine *m,
                  void (*row)(const bench_row *, void *), void *data);

/* ---- certified references (bench_reference.c) ---- */

enum { BENCH_BALLS_TIME = 256, BENCH_BALLS_HEADS = 2 };

typedef struct {
    const char *kernel;
    long time, dim; /* BENCH_HEADS heads */
    int threads;
    double exact, scale, bounds; /* seconds: outputs and states, sums on absolute values (0: not for
                                    this kernel), error bounds */
    long precision;              /* 106: double-doubles sufficed */
    /* BENCH_BALLS_TIME tokens (at most time) of BENCH_BALLS_HEADS heads on one thread, seconds */
    long balls_time;
    double doubles, balls;
    char skipped[64]; /* why, or "" */
} bench_reference_row;

/* Times every kernel that matches (s->methods and s->budget do not count; time 0: 4096, dim 0: 64,
   threads 0: two), calling watch with the share of a row now and then and row after each; 0 if some
   reference failed. */
int bench_reference(const bench_selection *s, bool (*watch)(double done, void *data),
                    void (*row)(const bench_reference_row *, void *), void *data);

/* ---- convolution (bench_convolution.c) ---- */

enum { BENCH_TERMS = 24 };

typedef struct {
    long channels, time, size; /* size: of the transforms */
    mn_method method;
    int runs, fftw_runs;
    double ns, fftw_ns;  /* per output */
    double ratio;        /* FFTW's time over ours */
    double difference;   /* largest, over the largest output */
    const char *skipped; /* why, or NULL */
} bench_convolution_row;

/* Sums of BENCH_TERMS exponentials on one channel of 2^20 and 64 of 2^14, on one thread, against a
   planned transform by FFTW (the kernel's spectrum known); 0 as above. */
int bench_convolution(double budget, void (*row)(const bench_convolution_row *, void *),
                      void *data);
const char *bench_fftw_version(void);

#endif

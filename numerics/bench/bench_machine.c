/* What one core and two can do at most: multiply-adds in registers, bytes from caches and
 * memory. Compiled once for all processors; the widest vectors that this one has are chosen when
 * it runs. */
#include "numerics/bench/bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

enum { LINES = 8 }; /* vectors of a round of the loops over arrays */
#define UNROLL _Pragma("GCC unroll 32")

/* madds: rounds of CHAINS independent multiply-adds; returns their number of operations.
   sum: reads n bytes, a multiple of LINES vectors.  scale: updates them in place. */
#define LIMITS(NAME, TARGET, V, CHAINS, MADD)                                                      \
    TARGET static double madds_##NAME(long rounds, float *out) {                                   \
        V x[CHAINS], a = (V){0} + *out, b = (V){0} + 0.5f;                                         \
        UNROLL for (int i = 0; i < CHAINS; i++) x[i] = a + (float)i;                               \
        for (long r = 0; r < rounds; r++)                                                          \
            UNROLL for (int i = 0; i < CHAINS; i++) x[i] = MADD(x[i], a, b);                       \
        UNROLL for (int i = 1; i < CHAINS; i++) x[0] += x[i];                                      \
        *out = x[0][0] > 1e30f ? 0.25f : 0.5f;                                                     \
        return 2.0 * CHAINS * (double)(sizeof(V) / sizeof(float)) * (double)rounds;                \
    }                                                                                              \
    TARGET static float sum_##NAME(const void *data, long bytes) {                                 \
        V s[LINES] = {{0}}, t = {0};                                                               \
        for (const V *p = data, *end = p + bytes / (long)sizeof(V); p < end; p += LINES)           \
            UNROLL for (int i = 0; i < LINES; i++) s[i] += p[i];                                   \
        UNROLL for (int i = 0; i < LINES; i++) t += s[i];                                          \
        return t[0];                                                                               \
    }                                                                                              \
    TARGET static void scale_##NAME(void *data, long bytes, float factor) {                        \
        V c = (V){0} + factor;                                                                     \
        for (V *p = data, *end = p + bytes / (long)sizeof(V); p < end; p += LINES)                 \
            UNROLL for (int i = 0; i < LINES; i++) p[i] *= c;                                      \
    }

typedef float four __attribute__((vector_size(16), may_alias));
#define MUL_ADD(x, a, b) ((x) * (a) + (b))
LIMITS(generic, , four, 10, MUL_ADD)
#if defined __x86_64__
LIMITS(avx2, __attribute__((target("avx2,fma"))), __m256, 12, _mm256_fmadd_ps)
LIMITS(avx512, __attribute__((target("avx512f"))), __m512, 12, _mm512_fmadd_ps)
#endif

typedef struct {
    const char *name;
    double (*madds)(long rounds, float *out);
    float (*sum)(const void *data, long bytes);
    void (*scale)(void *data, long bytes, float factor);
} limits;

static const limits *chosen(void) {
    static const limits generic = {"128-bit multiplications and additions", madds_generic,
                                   sum_generic, scale_generic};
#if defined __x86_64__
    static const limits avx2 = {"256-bit fused multiply-adds", madds_avx2, sum_avx2, scale_avx2},
                        avx512 = {"512-bit fused multiply-adds", madds_avx512, sum_avx512,
                                  scale_avx512};
    if (mn_isa_best() == MN_AVX512)
        return &avx512;
    if (mn_isa_best() == MN_AVX2)
        return &avx2;
#endif
    return &generic;
}

const char *bench_peak_name(void) {
    return chosen()->name;
}

typedef enum { MADDS, SUM, SCALE } work_kind;

/* A thread does the same work again and again until the time is up, and keeps its best rate.
 * All begin together, so that two threads share what cores share. */
typedef struct {
    work_kind kind;
    double budget, rate; /* operations or bytes a second */
    char *data;
    long bytes;
    atomic_int *waiting;
} worker;

static double once(const worker *w, long rounds, float *sink) {
    const limits *l = chosen();
    double done = 0;
    if (w->kind == MADDS)
        return l->madds(rounds, sink);
    for (long r = 0; r < rounds; r++) {
        if (w->kind == SUM)
            *sink += l->sum(w->data, w->bytes);
        else
            l->scale(w->data, w->bytes, *sink > 1e30f ? 0.5f : 1.0f);
        done += (double)w->bytes * (w->kind == SUM ? 1 : 2);
        __asm__ volatile("" : : "r"(w->data) : "memory");
    }
    return done;
}

static void *work(void *argument) {
    worker *w = argument;
    float sink = 0.5f;
    long rounds = 1;
    volatile float keep;
    w->rate = 0;
    atomic_fetch_sub(w->waiting, 1);
    while (atomic_load(w->waiting) > 0)
        ;
    double start = bench_seconds(), t = start, slice = w->budget / 8;
    do { /* slices of about an eighth of the budget; short ones while their length is being found */
        double t0 = t, done = once(w, rounds, &sink);
        t = bench_seconds();
        if (t - t0 >= slice / 2 || t - t0 >= w->budget / 2) {
            double rate = done / (t - t0);
            w->rate = rate > w->rate ? rate : w->rate;
        } else {
            rounds *= 2;
        }
    } while (t - start < w->budget || w->rate == 0);
    keep = sink;
    (void)keep;
    return NULL;
}

/* The threads' rates, summed. */
static double rate_of(work_kind kind, int threads, char *data, long bytes, double budget) {
    worker w[BENCH_THREADS];
    pthread_t other[BENCH_THREADS];
    atomic_int waiting = threads;
    double rate = 0;
    for (int i = 0; i < threads; i++)
        w[i] = (worker){kind, budget, 0, data != NULL ? data + i * bytes : NULL, bytes, &waiting};
    for (int i = 1; i < threads; i++)
        if (pthread_create(&other[i], NULL, work, &w[i]) != 0)
            abort();
    work(&w[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(other[i], NULL);
    for (int i = 0; i < threads; i++)
        rate += w[i].rate;
    return rate;
}

double bench_peak(int threads, double budget) {
    return rate_of(MADDS, threads, NULL, 0, budget) * 1e-9;
}

bench_bandwidth bench_measure_bandwidth(int threads, long bytes, double budget) {
    long each = bytes / threads / 4096 * 4096;
    each = each > 0 ? each : 4096;
    char *data = bench_allocate((size_t)(each * threads));
    bench_bandwidth b = {0, 0};
    if (data == NULL)
        return b;
    b.read = rate_of(SUM, threads, data, each, budget / 2) * 1e-9;
    b.update = rate_of(SCALE, threads, data, each, budget / 2) * 1e-9;
    free(data);
    return b;
}

static long configured(int name, long otherwise) {
    long n = name >= 0 ? sysconf(name) : -1;
    return n > 0 ? n : otherwise;
}

void bench_measure_machine(bench_machine *m, double budget) {
    int l1 = -1, l2 = -1, l3 = -1;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    l1 = _SC_LEVEL1_DCACHE_SIZE, l2 = _SC_LEVEL2_CACHE_SIZE, l3 = _SC_LEVEL3_CACHE_SIZE;
#endif
    m->l1 = configured(l1, 32 << 10);
    m->l2 = configured(l2, 512 << 10);
    m->l3 = configured(l3, 0);
    m->memory = 256 << 20;
    m->cores = (int)configured(_SC_NPROCESSORS_ONLN, 1);
    for (int i = 0; i < BENCH_THREADS; i++) {
        int threads = i + 1;
        double part = budget / 8;
        m->with[i].peak = bench_peak(threads, part);
        m->with[i].l1 = bench_measure_bandwidth(threads, m->l1 / 2 * threads, part);
        m->with[i].l2 = bench_measure_bandwidth(threads, m->l2 / 2 * threads, part);
        m->with[i].memory = bench_measure_bandwidth(threads, m->memory, part);
    }
}

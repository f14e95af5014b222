/* Clocks, medians, memory and numbers for the benchmarks. */
#include "numerics/bench/bench.h"
#include "numerics/exact/random.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

double bench_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *t, int n) {
    qsort(t, (size_t)n, sizeof *t, ascending);
    return n % 2 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}

double bench_seconds_of(void (*run)(void *), void *data) {
    double t0 = bench_seconds();
    run(data);
    return bench_seconds() - t0;
}

double bench_repeat(void (*run)(void *), void *data, double budget, int *runs, double *best) {
    double t[BENCH_MOST_RUNS], last = bench_seconds_of(run, data), total = last;
    int n = 0;
    while (n < BENCH_MOST_RUNS && total + last <= budget) {
        t[n++] = last = bench_seconds_of(run, data);
        total += last;
    }
    if (n == 0)
        t[n++] = last;
    double middle = bench_median(t, n);
    *runs = n;
    if (best != NULL)
        *best = t[0]; /* sorted now */
    return middle;
}

void *bench_allocate(size_t bytes) {
    enum { HUGE_PAGE = 2 << 20 };
    size_t grain = bytes >= HUGE_PAGE ? HUGE_PAGE : 64;
    if (bytes > SIZE_MAX - grain)
        return NULL;
    bytes = bytes == 0 ? grain : (bytes + grain - 1) / grain * grain;
    void *p = aligned_alloc(grain, bytes);
#ifdef MADV_HUGEPAGE
    if (p != NULL && grain == HUGE_PAGE)
        madvise(p, bytes, MADV_HUGEPAGE); /* a wish: nothing depends on it */
#endif
    if (p != NULL)
        memset(p, 0, bytes);
    return p;
}

void bench_fill(float *x, int64_t n, float low, float high, uint64_t seed) {
    exact_random r = {seed};
    for (int64_t i = 0; i < n; i++)
        x[i] = low + (high - low) * (float)(exact_random_next(&r) >> 40) * 0x1p-24f;
}

/* Convolution by a sum of exponentials against fast Fourier transforms. */
#include "numerics/bench/bench.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *bench_fftw_version(void) {
    return fftwf_version;
}

/* The least even 2^a 3^b 5^c 7^d >= n: sizes that FFTW has fast code for. */
static long good_size(long n) {
    static const long primes[] = {2, 3, 5, 7};
    for (n += n % 2;; n += 2) {
        long rest = n;
        for (int i = 0; i < 4; i++)
            while (rest % primes[i] == 0)
                rest /= primes[i];
        if (rest == 1)
            return n;
    }
}

/* A channel at a time, which keeps short transforms in the cache.  x, y [channels][time]: FFTW's
 * own order, no transposition counted. */
typedef struct {
    long channels, time, size;
    float *x, *y, *padded;
    fftwf_complex *spectrum, *kernel; /* the kernel's, over size */
    fftwf_plan forward, backward;
} transforms;

static void run_transforms(void *data) {
    transforms *f = data;
    size_t bytes = (size_t)f->time * sizeof(float);
    for (long c = 0; c < f->channels; c++) {
        memcpy(f->padded, f->x + c * f->time, bytes);
        memset(f->padded + f->time, 0, (size_t)(f->size - f->time) * sizeof(float));
        fftwf_execute(f->forward);
        float *a = (float *)f->spectrum, *b = (float *)f->kernel;
        for (long i = 0; i < f->size + 2; i += 2) {
            float re = a[i] * b[i] - a[i + 1] * b[i + 1], im = a[i] * b[i + 1] + a[i + 1] * b[i];
            a[i] = re, a[i + 1] = im;
        }
        fftwf_execute(f->backward);
        memcpy(f->y + c * f->time, f->padded, bytes);
    }
}

static void transforms_clear(transforms *f) {
    if (f->forward != NULL)
        fftwf_destroy_plan(f->forward);
    if (f->backward != NULL)
        fftwf_destroy_plan(f->backward);
    free(f->x);
    free(f->y);
    fftwf_free(f->padded);
    fftwf_free(f->spectrum);
    fftwf_free(f->kernel);
}

/* 1, or 0 without memory.  w [time]: the kernel. */
static int transforms_make(transforms *f, long channels, long time, const float *w) {
    memset(f, 0, sizeof *f);
    f->channels = channels, f->time = time, f->size = good_size(2 * time - 1);
    size_t half = (size_t)(f->size / 2 + 1), all = (size_t)(channels * time);
    f->x = bench_allocate(all * sizeof(float));
    f->y = bench_allocate(all * sizeof(float));
    f->padded = fftwf_alloc_real((size_t)f->size);
    f->spectrum = fftwf_alloc_complex(half);
    f->kernel = fftwf_alloc_complex(half);
    if (!f->x || !f->y || !f->padded || !f->spectrum || !f->kernel)
        return 0;
    fftwf_set_timelimit(60); /* it takes half of this on a quiet machine */
    f->forward = fftwf_plan_dft_r2c_1d((int)f->size, f->padded, f->spectrum, FFTW_MEASURE);
    f->backward = fftwf_plan_dft_c2r_1d((int)f->size, f->spectrum, f->padded, FFTW_MEASURE);
    if (f->forward == NULL || f->backward == NULL)
        return 0;
    for (long t = 0; t < f->size; t++)
        f->padded[t] = t < time ? w[t] / (float)f->size : 0;
    fftwf_execute(f->forward);
    memcpy(f->kernel, f->spectrum, half * sizeof *f->kernel);
    return 1;
}

typedef struct {
    mn_convolution c;
    mn_method method;
    mn_error error;
} sums;

static void run_sums(void *data) {
    sums *s = data;
    mn_convolve(&s->c, s->method, &s->error);
}

/* Both methods on so many channels; 0 if the library refused. */
static int compare(long channels, long time, double budget,
                   void (*row)(const bench_convolution_row *, void *), void *data) {
    static const mn_method methods[] = {MN_CHUNK, MN_STEP};
    float weights[BENCH_TERMS], nodes[BENCH_TERMS];
    long all = channels * time;
    float *w = bench_allocate((size_t)time * sizeof *w), *x = NULL, *y = NULL;
    transforms f;
    int ok = 1;
    for (int s = 0; s < BENCH_TERMS; s++) { /* rates 1 to 2^-23: something like a power law */
        weights[s] = exp2f(-0.5f * (float)s) / 4;
        nodes[s] = expf(-exp2f(-(float)s));
    }
    for (long t = 0; t < time && w != NULL; t++) {
        double sum = 0;
        for (int s = 0; s < BENCH_TERMS; s++)
            sum += (double)weights[s] * pow((double)nodes[s], (double)t);
        w[t] = (float)sum;
    }
    bench_convolution_row r = {.channels = channels, .time = time, .skipped = "no memory"};
    memset(&f, 0, sizeof f);
    if (w == NULL || !transforms_make(&f, channels, time, w) ||
        !(x = bench_allocate((size_t)all * sizeof *x)) ||
        !(y = bench_allocate((size_t)all * sizeof *y))) {
        row(&r, data);
    } else {
        bench_fill(f.x, all, -1, 1, 11);
        for (long c = 0; c < channels; c++)
            for (long t = 0; t < time; t++)
                x[t * channels + c] = f.x[c * time + t];
        r.skipped = NULL, r.size = f.size;
        for (int m = 0; m < 2; m++) {
            sums s = {.c = {.batch = 1, .time = time, .channels = channels, .threads = 1}};
            s.method = r.method = methods[m];
            s.c.x.data = x, s.c.y.data = y, s.c.modes = BENCH_TERMS;
            s.c.weights = weights, s.c.nodes = nodes;
            s.c.workspace_size = mn_convolution_workspace_size(&s.c, s.method);
            s.c.workspace = bench_allocate(s.c.workspace_size);
            r.fftw_ns =
                bench_repeat(run_transforms, &f, budget, &r.fftw_runs, NULL) / (double)all * 1e9;
            r.ns = bench_repeat(run_sums, &s, budget, &r.runs, NULL) / (double)all * 1e9;
            r.ratio = r.fftw_ns / r.ns;
            double largest = 0, difference = 0;
            for (long c = 0; c < channels; c++)
                for (long t = 0; t < time; t++) {
                    double a = (double)y[t * channels + c], b = (double)f.y[c * time + t];
                    largest = fmax(largest, fabs(b));
                    difference = fmax(difference, fabs(a - b));
                }
            r.difference = difference / largest;
            ok &= s.error.status == MN_OK && difference == difference;
            if (s.error.status != MN_OK)
                r.skipped = "the library refused";
            free(s.c.workspace);
            row(&r, data);
        }
    }
    transforms_clear(&f);
    free(w);
    free(x);
    free(y);
    return ok;
}

int bench_convolution(double budget, void (*row)(const bench_convolution_row *, void *),
                      void *data) {
    int ok = compare(1, 1 << 20, budget, row, data);
    ok &= compare(64, 1 << 14, budget, row, data);
    fftwf_cleanup();
    return ok;
}

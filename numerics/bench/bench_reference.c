/* How long certified references take: double-doubles at full length, and beside balls where those
   are bearable. */
#include "numerics/accuracy/bounds.h"
#include "numerics/bench/bench.h"

#include <fnmatch.h>
#include <stdio.h>

static bool is_sum(const mn_args *a) {
    return a->kernel != MN_DELTA && a->kernel != MN_VLA;
}

static double seconds_of_path(const mn_args *a, reference_path path, reference_status *status) {
    reference_options options = {.path = path};
    reference_t r;
    reference_init(r);
    double start = bench_seconds();
    *status = reference_attention_with(r, a, &options);
    double seconds = bench_seconds() - start;
    reference_clear(r);
    return seconds;
}

/* What went wrong, or NULL. */
static const char *measure(bench_reference_row *r, const mn_args *a, const mn_args *little,
                           const reference_options *options) {
    reference_t exact, scale;
    bounds_t bounds;
    reference_init(exact), reference_init(scale), bounds_init(bounds);
    double start = bench_seconds();
    reference_status status = reference_attention_with(exact, a, options);
    r->exact = bench_seconds() - start, r->precision = exact->precision;
    if (status == REFERENCE_OK && is_sum(a)) {
        start = bench_seconds();
        status = reference_scale_with(scale, a, options);
        r->scale = bench_seconds() - start;
    }
    bounds_status known = BOUNDS_OK;
    if (status == REFERENCE_OK) {
        start = bench_seconds();
        known = bounds_attention(bounds, a, exact, is_sum(a) ? scale : NULL);
        r->bounds = bench_seconds() - start;
    }
    reference_clear(exact), reference_clear(scale), bounds_clear(bounds);
    if (status == REFERENCE_OK && known == BOUNDS_OK)
        r->doubles = seconds_of_path(little, REFERENCE_DOUBLES, &status);
    if (status == REFERENCE_OK && known == BOUNDS_OK)
        r->balls = seconds_of_path(little, REFERENCE_BALLS, &status);
    return known != BOUNDS_OK       ? "bounds do not fit"
           : status != REFERENCE_OK ? reference_status_text(status)
                                    : NULL;
}

int bench_reference(const bench_selection *s, bool (*watch)(double done, void *data),
                    void (*row)(const bench_reference_row *, void *), void *data) {
    long time = s->time != 0 ? s->time : 4096, dim = s->dim != 0 ? s->dim : 64;
    int threads = s->threads != 0 ? s->threads : BENCH_THREADS, ok = 1;
    reference_options options = {.watch = watch, .data = data};
    for (int i = 0; bench_kernel_names[i] != NULL; i++) {
        if (s->pattern != NULL && fnmatch(s->pattern, bench_kernel_names[i], 0) != 0)
            continue;
        bench_reference_row r = {.kernel = bench_kernel_names[i], .time = time, .dim = dim};
        r.threads = threads, r.balls_time = time < BENCH_BALLS_TIME ? time : BENCH_BALLS_TIME;
        bench_inputs in;
        const char *wrong = "no memory for the inputs";
        if (bench_inputs_make(&in, dim, time, 1u << i)) {
            mn_args a, little;
            bench_inputs_call(&a, i, &in, time, BENCH_HEADS, threads);
            bench_inputs_call(&little, i, &in, r.balls_time, BENCH_BALLS_HEADS, 1);
            wrong = measure(&r, &a, &little, &options);
            bench_inputs_clear(&in);
            ok &= wrong == NULL;
        }
        if (wrong != NULL)
            snprintf(r.skipped, sizeof r.skipped, "%s", wrong);
        row(&r, data);
    }
    return ok;
}

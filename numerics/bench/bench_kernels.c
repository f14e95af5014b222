/* libmneme's kernels: prefill and decoding, against the limits measured beside each row. */
#include "numerics/bench/bench.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* REFUSAL: rows expected to take more than this many budgets (and a second) are skipped. WINDOW:
 * decoding steps of a run, a power of two: positions BENCH_POSITION on have, on average, as many
 * levels of log-linear attention in use as those of [4096, 8192) have. RING: their tokens come
 * round again, in the cache as if just computed. */
enum { REFUSAL = 10, WINDOW = 256, SHORT_WINDOW = 16, RING = 4, SHORT = 16, GROWTH = 16 };

typedef enum { PLAIN, SCALAR_GATE, KEY_GATE, DELTA, VLA, LOGLINEAR, VORT, SOFTMAX, KINDS } kind;

static const mn_kernel kernels[KINDS] = {MN_LINEAR, MN_LINEAR,    MN_LINEAR, MN_DELTA,
                                         MN_VLA,    MN_LOGLINEAR, MN_VORT,   MN_SOFTMAX};

const char *const bench_kernel_names[] = {
    "linear", "linear-scalar", "linear-keys", "delta", "vla", "loglinear", "vort", "softmax", NULL};

static int bit_length(long n) {
    int bits = 0;
    for (; n > 0; n >>= 1)
        bits++;
    return bits;
}

static long levels_of(long time) {
    return bit_length(time == 1 ? BENCH_POSITION + WINDOW - 1 : time - 1) + 1;
}

/* Blocks of log-linear attention in use, the token's own not counted, on average over the
 * window. */
static double blocks_in_use(void) {
    int sum = 0;
    for (int i = 0; i < WINDOW; i++)
        sum += __builtin_popcount((unsigned)(BENCH_POSITION + i));
    return (double)sum / WINDOW;
}

double bench_flops(int i, long time, long dim) {
    double square = (double)dim * (double)dim;
    switch (i) {
    case PLAIN:
    case SCALAR_GATE:
        return 4 * square;
    case KEY_GATE:
        return 5 * square;
    case DELTA:
        return 6 * square;
    case VLA:
        return 12 * square;
    case LOGLINEAR:
        return 2 * square + 2 * square * (time == 1 ? blocks_in_use() : (double)levels_of(time));
    case VORT:
        return 2 * BENCH_MODES * square + 2 * BENCH_BANKS * BENCH_MODES * square;
    default:
        return 4 * (double)dim * (time == 1 ? BENCH_KEYS : ((double)time + 1) / 2);
    }
}

void bench_inputs_clear(bench_inputs *in) {
    float **arrays[] = {&in->q,    &in->k, &in->v,    &in->o,     &in->u,
                        &in->keys, &in->g, &in->beta, &in->lambda};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(*arrays[i]), *arrays[i] = NULL;
    free(in->bank);
    in->bank = NULL;
}

/* n floats, uniform; 1 on success. */
static int random_array(float **x, int64_t n, float low, float high, uint64_t seed) {
    *x = bench_allocate((size_t)n * sizeof(float));
    if (*x != NULL)
        bench_fill(*x, n, low, high, seed);
    return *x != NULL;
}

int bench_inputs_make(bench_inputs *in, long dim, long tokens, unsigned wanted) {
    int64_t rows = (int64_t)tokens * BENCH_HEADS, n = rows * dim;
    memset(in, 0, sizeof *in);
    if ((double)n * 6 * sizeof(float) >
        0.7 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE))
        return 0; /* a system that promises more memory than it has would end the program */
    in->dim = dim, in->tokens = tokens;
    int ok = random_array(&in->q, n, -1, 1, 1) && random_array(&in->k, n, -1, 1, 2) &&
             random_array(&in->v, n, -1, 1, 3) && random_array(&in->g, rows, -0.01f, 0, 4) &&
             random_array(&in->beta, rows, 0, 1, 5) && (in->o = bench_allocate((size_t)n * 4));
    if (ok && wanted >> VLA & 1 && (ok = random_array(&in->u, n, -1, 1, 6)))
        mn_normalise(rows, dim, in->u, in->u);
    if (ok && wanted >> KEY_GATE & 1)
        ok = random_array(&in->keys, n, -0.01f, 0, 7);
    if (ok && wanted >> LOGLINEAR & 1)
        ok = random_array(&in->lambda, rows * (levels_of(tokens) > 14 ? levels_of(tokens) : 14), 0,
                          1, 8);
    if (ok && wanted >> VORT & 1) {
        ok = (in->bank = bench_allocate((size_t)rows * sizeof *in->bank)) != NULL;
        for (int64_t i = 0; ok && i < rows; i++)
            in->bank[i] = (int32_t)(fabsf(in->g[i]) * 1e6f) % BENCH_BANKS;
        for (int i = 0; i < BENCH_BANKS * BENCH_MODES;
             i++) { /* rates 2 to 2^-14, a mode an octave */
            in->weights[i] = 1.0f / BENCH_MODES;
            in->nodes[i] = expf(-exp2f((float)(1 - i % BENCH_MODES)));
        }
    }
    if (ok) {
        mn_normalise(rows, dim, in->q, in->q);
        mn_normalise(rows, dim, in->k, in->k);
    } else {
        bench_inputs_clear(in);
    }
    return ok;
}

void bench_inputs_call(mn_args *a, int i, const bench_inputs *in, long time, int heads,
                       int threads) {
    *a = (mn_args){.kernel = kernels[i], .batch = 1, .time = time, .heads = heads};
    a->dk = a->dv = in->dim, a->threads = threads;
    a->q.data = in->q, a->k.data = in->k, a->v.data = in->v, a->o.data = in->o;
    if (i == SCALAR_GATE || i == DELTA || i == LOGLINEAR)
        a->g.data = in->g;
    if (i == KEY_GATE)
        a->gate_keys.data = in->keys;
    if (i == DELTA)
        a->beta.data = in->beta;
    if (i == VLA)
        a->u.data = in->u, a->lambda0 = 1, a->refresh = 1e-3f, a->refresh_every = 20;
    if (i == LOGLINEAR)
        a->lambda.data = in->lambda, a->levels = levels_of(time);
    if (i == VORT)
        a->bank.data = in->bank, a->banks = BENCH_BANKS, a->modes = BENCH_MODES,
        a->weights = in->weights, a->nodes = in->nodes;
}

/* One row's call. */
typedef struct {
    mn_args a;
    mn_method method;
    int64_t window; /* decoding: steps a run */
    char *state;
    mn_error error;
} call;

static void run(void *data) {
    call *c = data;
    if (c->window == 0) {
        if (mn_run(&c->a, c->method, &c->error) != MN_OK)
            return;
    }
    if (c->a.kernel == MN_LOGLINEAR && c->window != 0) {
        int64_t position = BENCH_POSITION;
        memcpy(c->state + mn_state_size(&c->a) - sizeof position, &position, sizeof position);
    }
    for (int64_t t = 0; t < c->window; t++) {
        mn_args a = c->a;
        int64_t token = t % RING, heads = a.heads, d = token * heads * a.dk;
        a.q.data += d, a.o.data += d;
        if (a.kernel != MN_SOFTMAX)
            a.k.data += d, a.v.data += d;
        if (a.u.data != NULL)
            a.u.data += d;
        if (a.gate_keys.data != NULL)
            a.gate_keys.data += d;
        if (a.g.data != NULL)
            a.g.data += token * heads;
        if (a.beta.data != NULL)
            a.beta.data += token * heads;
        if (a.lambda.data != NULL)
            a.lambda.data += token * heads * a.levels;
        if (a.bank.data != NULL)
            a.bank.data += token * heads;
        if (mn_run(&a, c->method, &c->error) != MN_OK)
            return;
    }
}

/* 1, or 0 without memory. */
static int call_make(call *c, kind i, mn_method method, long time, int threads,
                     const bench_inputs *in) {
    memset(c, 0, sizeof *c);
    mn_args *a = &c->a;
    bench_inputs_call(a, (int)i, in, time, BENCH_HEADS, threads);
    if (i == SOFTMAX && time == 1)
        a->past = BENCH_KEYS - 1;
    c->method = method;
    c->window = time > 1 ? 0 : i == VORT || i == SOFTMAX ? SHORT_WINDOW : WINDOW;
    size_t state = mn_state_size(a);
    a->workspace_size = mn_workspace_size(a, method);
    a->workspace = bench_allocate(a->workspace_size);
    c->state = state > 0 ? bench_allocate(state) : NULL;
    if (a->workspace == NULL || (state > 0 && c->state == NULL))
        return 0;
    a->state_out = c->state;
    if (time == 1 && state > 0) { /* as after many tokens: every part has numbers in it */
        bench_fill((float *)(void *)c->state, (int64_t)(state / sizeof(float)), -0.1f, 0.1f, 9);
        a->state_in = c->state;
        if (i == VLA) { /* A: something positive definite */
            float *head = (float *)(void *)c->state;
            int64_t d = in->dim, position = BENCH_POSITION;
            for (int h = 0; h < BENCH_HEADS; h++, head += 2 * d * d)
                for (int64_t p = 0; p < d * d; p++)
                    head[d * d + p] = p % (d + 1) == 0 ? 0.1f : 0;
            memcpy(c->state + state - sizeof position, &position, sizeof position);
        }
    }
    return 1;
}

static void call_clear(call *c) {
    free(c->a.workspace);
    free(c->state);
}

/* Seconds that a run of so many tokens takes, from a sixteenth of them, and so on; stops
 * measuring where the outcome is beyond the limit. */
static double estimate(kind i, mn_method method, long time, int threads, const bench_inputs *in,
                       double limit) {
    call c;
    if (time > SHORT) {
        long part = time / GROWTH > SHORT ? time / GROWTH : SHORT;
        double ratio = (double)time / (double)part,
               t = estimate(i, method, part, threads, in, limit / ratio);
        t *= i == SOFTMAX ? ratio * ratio : ratio;
        if (t > limit)
            return t;
    }
    double t = 0;
    if (call_make(&c, i, method, time, threads, in)) {
        double total = t = bench_seconds_of(run, &c);
        for (int i = 0; i < 5 && total < 0.1; i++) { /* cold caches, threads that start */
            double again = bench_seconds_of(run, &c);
            total += again, t = fmin(t, again);
        }
    }
    call_clear(&c);
    return t;
}

static void traffic(bench_row *r, kind i, const call *c, const bench_machine *m, double seconds,
                    double budget) {
    double square = (double)r->dim * (double)r->dim * sizeof(float) * BENCH_HEADS;
    r->state = (double)mn_state_size(&c->a);
    if (i == SOFTMAX) { /* keys and values are read, never written */
        r->state = r->read = 2.0 * BENCH_KEYS * (double)r->dim * sizeof(float) * BENCH_HEADS;
    } else {
        r->read = r->written = i == LOGLINEAR ? square * blocks_in_use() : r->state;
    }
    bench_bandwidth same =
        bench_measure_bandwidth(r->threads, (long)(r->read < 4096 ? 4096 : r->read), budget / 8);
    const bench_bandwidth *l2 = &m->with[r->threads - 1].l2;
    r->bandwidth = (r->read + r->written) / seconds * 1e-9;
    if (r->state > (double)m->l1)
        r->of_l2 = r->bandwidth / (i == SOFTMAX ? l2->read : l2->update);
    double limit = i == SOFTMAX ? same.read : same.update;
    r->of_same_size = limit > 0 ? r->bandwidth / limit : 0;
}

/* Measures a row, or says why not; 0 if the library refused. */
static int measure(bench_row *r, kind i, const bench_inputs *in, const bench_machine *m,
                   double budget) {
    double expected = 0, peak = budget / 25, limit = fmax(REFUSAL * budget, 1);
    call c;
    memset(r->peak, 0, sizeof r->peak);
    if (r->time > SHORT) {
        long part = r->time / GROWTH > SHORT ? r->time / GROWTH : SHORT;
        double ratio = (double)r->time / (double)part;
        expected = estimate(i, r->method, part, r->threads, in, limit / ratio) * ratio;
        expected *= i == SOFTMAX ? ratio : 1;
    }
    if (expected > limit) {
        snprintf(r->skipped, sizeof r->skipped, "estimated %.*f s", expected < 10, expected);
        return 1;
    }
    if (!call_make(&c, i, r->method, r->time, r->threads, in)) {
        snprintf(r->skipped, sizeof r->skipped, "no memory");
        call_clear(&c);
        return 1;
    }
    r->peak[0] = bench_peak(r->threads, peak);
    double best, seconds = bench_repeat(run, &c, budget, &r->runs, &best);
    r->peak[1] = bench_peak(r->threads, peak);
    int ok = c.error.status == MN_OK;
    if (ok) {
        double tokens = (double)(r->time * (c.window ? c.window : 1)) * BENCH_HEADS;
        r->ns = seconds / tokens * 1e9;
        r->best_ns = best / tokens * 1e9;
        r->gflops = bench_flops((int)i, r->time, r->dim) / r->ns;
        r->fraction = r->gflops / (0.5 * (r->peak[0] + r->peak[1]));
        if (c.window)
            traffic(r, i, &c, m, seconds / (double)c.window, budget);
    } else {
        mn_error_text(&c.error, r->skipped, sizeof r->skipped);
    }
    call_clear(&c);
    return ok;
}

/* The rows of one kernel, one time and one method: one thread, then two. */
static int group(const bench_selection *s, const bench_machine *m, kind i, mn_method method,
                 long time, const bench_inputs *in, void (*row)(const bench_row *, void *),
                 void *data) {
    double alone = 0;
    int ok = 1;
    for (int threads = 1; threads <= BENCH_THREADS; threads++) {
        if (s->threads != 0 && s->threads != threads)
            continue;
        bench_row r = {.kernel = bench_kernel_names[i], .method = method, .time = time};
        r.dim = in->dim, r.threads = threads;
        ok &= measure(&r, i, in, m, s->budget);
        if (threads == 1)
            alone = r.ns;
        else if (alone > 0 && r.ns > 0)
            r.speedup = alone / r.ns;
        row(&r, data);
    }
    return ok;
}

int bench_kernels(const bench_selection *s, const bench_machine *m,
                  void (*row)(const bench_row *, void *), void *data) {
    static const long all_times[] = {1, 256, 4096, 65536}, all_dims[] = {64, 128};
    const long *times = s->time != 0 ? &s->time : all_times, *dims = s->dim ? &s->dim : all_dims;
    int time_count = s->time != 0 ? 1 : 4, dim_count = s->dim != 0 ? 1 : 2, ok = 1;
    unsigned wanted = 0;
    for (int i = 0; i < KINDS; i++)
        if (s->pattern == NULL || fnmatch(s->pattern, bench_kernel_names[i], 0) == 0)
            wanted |= 1u << i;
    for (int d = 0; d < dim_count; d++) {
        bench_inputs in;
        long tokens = times[time_count - 1] > BENCH_KEYS ? times[time_count - 1] : BENCH_KEYS;
        int memory = bench_inputs_make(&in, dims[d], tokens, wanted);
        for (int i = 0; i < KINDS; i++) {
            for (int t = 0; t < time_count && wanted >> i & 1; t++) {
                if (!memory) {
                    bench_row r = {.kernel = bench_kernel_names[i], .method = MN_CHUNK};
                    r.time = times[t], r.dim = dims[d], r.threads = s->threads ? s->threads : 1;
                    snprintf(r.skipped, sizeof r.skipped, "no memory for the inputs");
                    row(&r, data);
                    continue;
                }
                mn_method fast = times[t] == 1 ? MN_STEP : MN_CHUNK;
                if (times[t] <= 256 && (s->methods == 0 || s->methods >> MN_REFERENCE & 1))
                    ok &= group(s, m, (kind)i, MN_REFERENCE, times[t], &in, row, data);
                if (s->methods == 0 || s->methods >> fast & 1)
                    ok &= group(s, m, (kind)i, fast, times[t], &in, row, data);
            }
        }
        if (memory)
            bench_inputs_clear(&in);
    }
    return ok;
}

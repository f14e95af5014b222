/* Shared by the tests of the kernels: random calls, guarded memory, runs, and the comparison with the exact result. */
#ifndef KERNELS_H
#define KERNELS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "numerics/accuracy/bounds.h"
#include "numerics/accuracy/reference.h"
#include "tests/testing.h"

/* Memory between two guards, poisoned: floats are NaN until written. */
enum { GUARD = 64, POISON = 0xff };
static inline void *guarded(size_t bytes) {
    char *p = malloc(bytes + 2 * GUARD);
    assert_non_null(p);
    memset(p, POISON, bytes + 2 * GUARD);
    return p + GUARD;
}
static inline bool guard_whole(const void *data, size_t bytes) {
    const unsigned char *p = data;
    for (int i = 1; i <= GUARD; i++)
        if (p[-i] != POISON || p[bytes + (size_t)i - 1] != POISON)
            return false;
    return true;
}
static inline void guarded_free(void *data) {
    if (data)
        free((char *)data - GUARD);
}

/* Uniform on [-size, size], and on [low, high], with 24 bits. */
static inline float uniform(exact_random *r, double low, double high) {
    double x = (double)(exact_random_next(r) >> 11) * 0x1p-53;
    return (float)(low + (high - low) * x);
}

typedef enum { GATE_NONE, GATE_SCALAR, GATE_KEYS, GATE_CLOSED /* some are 0, some 1 */ } gate_kind;

/* What a random call is made of. */
typedef struct {
    mn_kernel kernel;
    int64_t batch, time, heads, kv_heads, dk, dv;
    gate_kind gate;
    bool normalise, positive /* q, k >= 0 */, beta, lambda, state;
    double u;                                /* VLA: size of u; 0: 1/4 */
    float lambda0, refresh;                  /* VLA: 0: 1 */
    int64_t refresh_every, levels, position; /* of state_in */
    int64_t banks, modes, past;
} shape;

typedef struct {
    mn_args a;
    float *memory[16];
    int used;
    void *state_in;
} kernel_case;

static inline float *fill(kernel_case *c, exact_random *r, int64_t n, double low, double high) {
    float *x = malloc((size_t)(n > 0 ? n : 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = uniform(r, low, high);
    return c->memory[c->used++] = x;
}

static inline int64_t levels_for(int64_t last) {
    int64_t n = 1;
    while (last >> (n - 1))
        n++;
    return n;
}

static inline void make_gates(kernel_case *c, const shape *s, exact_random *r, int64_t tokens) {
    bool keys = s->gate == GATE_KEYS || (s->gate == GATE_CLOSED && s->kernel == MN_LINEAR);
    int64_t n = keys ? tokens * s->dk : tokens;
    float *g = fill(c, r, n, -0.3, 0);
    for (int64_t i = 0; i < n; i++) {
        slong kind = exact_random_integer(r, 0, 15);
        if (kind == 0)
            g[i] = 0;
        else if (kind == 1)
            g[i] = uniform(r, -120, -20);
        else if (kind == 2 && s->gate == GATE_CLOSED)
            g[i] = -INFINITY;
    }
    *(keys ? &c->a.gate_keys : &c->a.g) = (mn_input){g, 0, 0, 0};
}

/* Positive definite and symmetric: I + small. */
static inline void make_inverse(float *x, int64_t n, exact_random *r) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            x[i * n + j] = x[j * n + i] = i == j ? 1 : uniform(r, -0.2, 0.2) / (float)n;
}

static inline void make_state(kernel_case *c, const shape *s, exact_random *r) {
    size_t bytes = mn_state_size(&c->a);
    assert_true(bytes > 0);
    c->state_in = malloc(bytes);
    int64_t kv = s->kv_heads ? s->kv_heads : s->heads, size = s->dk * s->dv,
            sequences = c->a.segments ? c->a.segments : s->batch;
    bool positions = s->kernel == MN_VLA || s->kernel == MN_LOGLINEAR;
    int64_t floats = (int64_t)(bytes - (positions ? 8 * (size_t)sequences : 0)) / 4;
    float *x = c->state_in;
    for (int64_t i = 0; i < floats; i++)
        x[i] = uniform(r, s->positive ? 0.1 : -1, 1);
    int64_t each = sequences * kv > 0 ? floats / (sequences * kv) : 0;
    for (int64_t n = 0; n < sequences * kv; n++) {
        if (s->kernel == MN_VLA)
            make_inverse(x + n * each + size, s->dk, r);
        for (int64_t l = 0; s->kernel == MN_LOGLINEAR && l < c->a.levels; l++)
            if (l == 0 || !(s->position >> (l - 1) & 1))
                memset(x + n * each + l * size, 0, (size_t)size * sizeof *x);
    }
    for (int64_t n = 0; positions && n < sequences; n++)
        memcpy((char *)c->state_in + bytes - 8 * (size_t)(sequences - n), &s->position, 8);
    c->a.state_in = c->state_in;
}

/* A random call; keys of the delta rule and VLA have norm 1.  Output, workspace and state_out are given by run_case. */
static inline void make_case(kernel_case *c, const shape *s, exact_random *r) {
    memset(c, 0, sizeof *c);
    mn_args *a = &c->a;
    int64_t kv = s->kv_heads ? s->kv_heads : s->heads, tokens = s->batch * s->time * kv,
            keys = s->batch * (s->time + s->past) * kv;
    double low = s->positive ? 0.01 : -1;
    *a = (mn_args){.kernel = s->kernel,
                   .batch = s->batch,
                   .time = s->time,
                   .heads = s->heads,
                   .kv_heads = s->kv_heads,
                   .dk = s->dk,
                   .dv = s->dv,
                   .normalise = s->normalise,
                   .past = s->past,
                   .threads = 1};
    float *k = fill(c, r, keys * s->dk, low, 1);
    a->q.data = fill(c, r, s->batch * s->time * s->heads * s->dk, low, 1);
    a->v.data = fill(c, r, keys * s->dv, -1, 1);
    if (s->kernel == MN_DELTA || s->kernel == MN_VLA)
        mn_normalise(keys, s->dk, k, k);
    a->k.data = k;
    if (s->gate != GATE_NONE)
        make_gates(c, s, r, tokens);
    if (s->kernel == MN_DELTA && s->beta)
        a->beta.data = fill(c, r, tokens, 0, 1.9);
    if (s->kernel == MN_VLA) {
        double u = s->u != 0 ? s->u : 0.25;
        a->u.data = fill(c, r, tokens * s->dk, -u, u);
        a->lambda0 = s->lambda0 != 0 ? s->lambda0 : 1;
        a->refresh = s->refresh, a->refresh_every = s->refresh_every;
    }
    if (s->kernel == MN_LOGLINEAR) {
        int64_t last = s->position + s->time - 1;
        a->levels = s->levels ? s->levels : levels_for(last > 0 ? last : 0);
        if (s->lambda)
            a->lambda.data = fill(c, r, s->batch * s->time * s->heads * a->levels, 0, 2);
    }
    if (s->kernel == MN_VORT) {
        a->banks = s->banks ? s->banks : 2, a->modes = s->modes ? s->modes : 3;
        a->weights = fill(c, r, a->banks * a->modes, s->positive ? 0.1 : -1, 1);
        float *nodes = fill(c, r, a->banks * a->modes, 0, 1);
        nodes[0] = 1, nodes[a->banks * a->modes - 1] = 0;
        a->nodes = nodes;
        int32_t *bank = malloc((size_t)(tokens > 0 ? tokens : 1) * sizeof *bank);
        for (int64_t i = 0; i < tokens; i++)
            bank[i] = (int32_t)exact_random_integer(r, 0, a->banks - 1);
        a->bank.data = bank;
        c->memory[c->used++] = (float *)bank;
    }
    if (s->state)
        make_state(c, s, r);
}

static inline void clear_case(kernel_case *c) {
    for (int i = 0; i < c->used; i++)
        free(c->memory[i]);
    free(c->state_in);
    memset(c, 0, sizeof *c);
}

/* A call's results; o packed. */
typedef struct {
    float *o;
    void *state;
    size_t o_bytes, state_bytes;
} results;
static inline void clear_results(results *r) {
    guarded_free(r->o);
    guarded_free(r->state);
    memset(r, 0, sizeof *r);
}

/* Runs a call into guarded, poisoned memory of exactly the sizes asked for. */
static inline results run_case(const mn_args *args, mn_method method, mn_isa isa) {
    mn_args a = *args;
    mn_error error;
    results r;
    r.o_bytes = (size_t)(a.batch * a.time * a.heads * a.dv) * sizeof(float);
    r.state_bytes = mn_state_size(&a);
    r.o = guarded(r.o_bytes);
    r.state = r.state_bytes ? guarded(r.state_bytes) : NULL;
    a.isa = isa, a.o = (mn_output){r.o, 0, 0, 0}, a.state_out = r.state;
    a.workspace_size = mn_workspace_size(&a, method);
    a.workspace = guarded(a.workspace_size);
    if (mn_run(&a, method, &error) != MN_OK) {
        char text[200];
        fail_msg("%s: %s", mn_kernel_name(a.kernel), mn_error_text(&error, text, sizeof text));
    }
    assert_true(guard_whole(r.o, r.o_bytes));
    assert_true(r.state == NULL || guard_whole(r.state, r.state_bytes));
    assert_true(guard_whole(a.workspace, a.workspace_size));
    guarded_free(a.workspace);
    return r;
}

/* The exact result of a call and its bounds; kept for all methods and instruction sets. */
typedef struct {
    reference_t exact, scale;
    bounds_t bounds;
} oracle;

static inline void make_oracle(oracle *w, const mn_args *a) {
    bool sums = a->kernel != MN_DELTA && a->kernel != MN_VLA;
    reference_init(w->exact), reference_init(w->scale), bounds_init(w->bounds);
    assert_string_equal(reference_status_text(reference_attention(w->exact, a)), "ok");
    if (sums)
        assert_string_equal(reference_status_text(reference_scale(w->scale, a)), "ok");
    assert_int_equal(bounds_attention(w->bounds, a, w->exact, sums ? w->scale : NULL), BOUNDS_OK);
}
static inline void clear_oracle(oracle *w) {
    reference_clear(w->exact), reference_clear(w->scale), bounds_clear(w->bounds);
}

/* Upper bound of |x - exact|; +inf where x is not finite. */
static inline double error_of(float x, const arb_t exact) {
    if (!isfinite(x))
        return INFINITY;
    arb_t e;
    mag_t m;
    arb_init(e), mag_init(m);
    arb_set_d(e, (double)x);
    arb_sub(e, e, exact, 128);
    arb_get_mag(m, e);
    double d = mag_get_d(m);
    arb_clear(e), mag_clear(m);
    return d;
}
static inline double error_norm(const float *x, arb_srcptr exact, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += pow(error_of(x[i], exact + i), 2);
    return sqrt(sum);
}

/* Error over bound: 0 / 0 is 0; where there is no bound, the result need only be a number. */
static inline double ratio_of(double error, double bound) {
    return error == 0 ? 0 : isinf(bound) ? (isfinite(error) ? 0 : INFINITY) : error / bound;
}

/* The largest error over its bound, of outputs and state; *vacuous counts outputs without a bound. */
static inline double largest_ratio(const mn_args *a, const oracle *w, const results *r,
                                   long *vacuous) {
    const bounds_struct *b = w->bounds;
    double most = 0;
    for (slong i = 0; i < b->rows * b->width; i++) {
        double error = b->by_row ? error_norm(r->o + i * a->dv, w->exact->o + i * a->dv, a->dv)
                                 : error_of(r->o[i], w->exact->o + i);
        most = fmax(most, ratio_of(error, b->o[i]));
        *vacuous += isinf(b->o[i]);
    }
    const float *state = r->state;
    if (!b->by_row) {
        for (slong i = 0; i < b->states; i++)
            most = fmax(most, ratio_of(error_of(state[i], w->exact->state + i), b->state[i]));
        return most;
    }
    int64_t parts[3] = {a->dk * a->dv, a->kernel == MN_VLA ? a->dk * a->dk : 0,
                        a->normalise ? a->dk : 0};
    for (slong i = 0, at = 0; i < b->states; at += parts[i % 3], i++)
        most = fmax(most, ratio_of(error_norm(state + at, w->exact->state + at, parts[i % 3]),
                                   b->state[i]));
    return most;
}

/* Calls body for every method and instruction set there is. */
#define EACH_WAY(method, isa)                                                                      \
    for (mn_method method = MN_REFERENCE; method <= MN_CHUNK; method++)                            \
        for (mn_isa isa = MN_GENERIC; isa < MN_ISAS; isa++)                                        \
            if (mn_isa_usable(isa) && (method != MN_REFERENCE || isa == MN_GENERIC))

/* A call of every kernel with all its inputs. */
static inline shape everything(int kernel, int64_t time, int64_t dk, int64_t dv) {
    return (shape){.kernel = (mn_kernel)kernel,
                   .batch = 2,
                   .time = time,
                   .heads = 4,
                   .kv_heads = 2,
                   .dk = dk,
                   .dv = dv,
                   .gate = kernel == MN_LINEAR                            ? GATE_KEYS
                           : kernel == MN_DELTA || kernel == MN_LOGLINEAR ? GATE_SCALAR
                                                                          : GATE_NONE,
                   .normalise = kernel == MN_LINEAR || kernel == MN_VLA || kernel == MN_VORT,
                   .positive = true,
                   .beta = true,
                   .lambda = true,
                   .refresh = 0.01f,
                   .refresh_every = 7,
                   .past = kernel == MN_SOFTMAX ? 9 : 0,
                   .state = kernel != MN_SOFTMAX};
}

static inline bool same_results(const results *x, const results *y) {
    return x->o_bytes == y->o_bytes && x->state_bytes == y->state_bytes &&
           memcmp(x->o, y->o, x->o_bytes) == 0 &&
           (x->state_bytes == 0 || memcmp(x->state, y->state, x->state_bytes) == 0);
}

/* The arrays of a call, for one treatment of them all. */
typedef struct {
    mn_input *input;
    int64_t length, heads, dim;
} call_array;
static inline int arrays_of(mn_args *a, call_array *list) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, keys = a->time + a->past;
    const call_array all[] = {{&a->q, a->time, a->heads, a->dk},
                              {&a->k, keys, kv, a->dk},
                              {&a->v, keys, kv, a->dv},
                              {&a->g, a->time, kv, 1},
                              {&a->gate_keys, a->time, kv, a->dk},
                              {&a->beta, a->time, kv, 1},
                              {&a->u, a->time, kv, a->dk},
                              {&a->lambda, a->time, a->heads, a->levels}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].input->data)
            list[n++] = all[i];
    return n;
}

static inline void later(mn_input *x, int64_t n) {
    if (x->data)
        x->data += n * x->time;
}

/* Tokens [first, end) of a packed call of one batch entry. */
static inline mn_args piece(const mn_args *whole, int64_t first, int64_t end) {
    mn_args a = *whole;
    int64_t kv = a.kv_heads ? a.kv_heads : a.heads;
    mn_input *inputs[] = {&a.q, &a.k, &a.v, &a.g, &a.gate_keys, &a.beta, &a.u, &a.lambda};
    int64_t dims[] = {a.dk, a.dk, a.dv, 1, a.dk, 1, a.dk, a.levels};
    for (int i = 0; i < 8; i++) {
        int64_t heads = i == 0 || i == 7 ? a.heads : kv;
        inputs[i]->head = dims[i], inputs[i]->time = heads * dims[i];
        later(inputs[i], first);
    }
    if (a.bank.data)
        a.bank.data += first * kv, a.bank.head = 1, a.bank.time = kv;
    a.o = (mn_output){a.o.data + first * a.heads * a.dv, 0, a.heads * a.dv, a.dv};
    a.time = end - first;
    return a;
}

#endif

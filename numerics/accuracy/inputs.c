#include "numerics/accuracy/inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/exact/random.h"

const inputs_kind inputs_kinds[] = {
    {"linear", MN_LINEAR, INPUTS_UNGATED, false, false, false},
    {"linear-scalar", MN_LINEAR, INPUTS_TOKEN_GATES, false, false, false},
    {"linear-keys", MN_LINEAR, INPUTS_KEY_GATES, false, false, false},
    {"linear-normalised", MN_LINEAR, INPUTS_UNGATED, true, false, false},
    {"delta", MN_DELTA, INPUTS_UNGATED, false, false, false},
    {"delta-gated", MN_DELTA, INPUTS_TOKEN_GATES, false, true, false},
    {"vla", MN_VLA, INPUTS_UNGATED, false, false, false},
    {"vla-refresh", MN_VLA, INPUTS_UNGATED, false, false, true},
    {"vla-normalised", MN_VLA, INPUTS_UNGATED, true, false, false},
    {"loglinear", MN_LOGLINEAR, INPUTS_UNGATED, false, false, false},
    {"loglinear-gated", MN_LOGLINEAR, INPUTS_TOKEN_GATES, false, true, false},
    {"vort", MN_VORT, INPUTS_UNGATED, false, false, false},
    {"vort-normalised", MN_VORT, INPUTS_UNGATED, true, false, false},
    {"softmax", MN_SOFTMAX, INPUTS_UNGATED, false, false, false},
    {"convolution", MN_KERNELS, INPUTS_UNGATED, false, true, false},
    {"convolution-direct", MN_KERNELS, INPUTS_UNGATED, false, false, false},
    {NULL}};

const inputs_kind *inputs_find_kind(const char *name) {
    for (const inputs_kind *k = inputs_kinds; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

const char *const inputs_family_names[] = {"gaussian", "positive",     "parallel", "large", "gates",
                                           "denormal", "cancellation", "growth",   NULL};

/* ---- numbers ---- */

/* Uniform on [0, 1), 53 bits. */
static double uniform(exact_random *r) {
    return (double)(exact_random_next(r) >> 11) * 0x1p-53;
}

/* ln x of a normal number: x = 2^e m, m in [1/sqrt 2, sqrt 2), ln m = 2 (s + s^3/3 + ...) with
 * s = (m-1)/(m+1), |s| < 0.172: ten terms leave less than 2^-53. */
static double logarithm(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1)
        m *= 2, e--;
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int i = 10; i >= 0; i--)
        sum = sum * s2 + 1.0 / (2 * i + 1);
    return 2 * s * sum + e * 0x1.62e42fefa39efp-1;
}

/* e^x, x <= 0: Taylor's series of x / 2^n, |x / 2^n| < 1/16, squared n times. */
static double exponential(double x) {
    int n = 0;
    while (x < -0.0625)
        x /= 2, n++;
    double sum = 1;
    for (int i = 12; i > 0; i--)
        sum = 1 + x / i * sum;
    while (n-- > 0)
        sum *= sum;
    return sum;
}

/* Standard normal, by Marsaglia's polar method. */
static double normal(exact_random *r) {
    double x, y, s;
    do {
        x = 2 * uniform(r) - 1, y = 2 * uniform(r) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s < 0x1p-100);
    return x * sqrt(-2 * logarithm(s) / s);
}

static double elu1(double x) {
    return x > 0 ? x + 1 : exponential(x);
}

/* ---- arrays ---- */

typedef struct {
    inputs_case *c;
    const inputs_kind *kind;
    const inputs_shape *s;
    inputs_family family;
    array_type storage;
    uint64_t seed;
    int64_t kv, keys; /* key heads; rows of k and v in time */
    bool failed;
} maker;

static void *room(maker *m, int64_t n, size_t size) {
    void *p = n < 0 || n > (int64_t)1 << 40 ? NULL : calloc((size_t)n + 1, size);
    if (!p)
        m->failed = true;
    else
        m->c->memory[m->c->used++] = p;
    return p;
}

/* Every array has a stream of its own: one more array, or other options, leave the rest as is. */
static exact_random stream(const maker *m, const char *array) {
    exact_random r = {exact_hash(array, exact_hash(inputs_family_names[m->family], m->seed))};
    return r;
}

static float stored(const maker *m, double x) {
    return (float)(m->storage == ARRAY_F32 ? x : array_round(m->storage, x));
}

/* Normalised outputs are over sums of q.k: near 0 of these every error is of chance, so their q
 * and k are positive in all families. */
static bool positive(const maker *m) {
    return m->family == INPUTS_POSITIVE || m->kind->normalise;
}

/* One value of a family on its own; parts of a large or tiny product are the caller's. */
static double plain(const maker *m, exact_random *r, bool feature) {
    double x = normal(r);
    return feature && positive(m) ? elu1(x) : x;
}

/* Scales of q and k, of v and x, so that no product of them overflows over 2^16 tokens, and of
 * u. */
static double key_scale(const maker *m) {
    bool unit = m->kind->kernel == MN_DELTA || m->kind->kernel == MN_VLA;
    if (m->family != INPUTS_LARGE)
        return 1;
    return m->kind->kernel == MN_SOFTMAX ? 0x1p4 : m->storage == ARRAY_F16 || unit ? 0x1p6 : 0x1p20;
}
static double value_scale(const maker *m) {
    if (m->family == INPUTS_LARGE)
        return m->storage == ARRAY_F16 ? 0x1p8 : 0x1p36;
    if (m->family == INPUTS_DENORMAL)
        return m->storage == ARRAY_F16 ? 0x1p-16 : 0x1p-128;
    return 1;
}

/* x of norm 1; a zero becomes the first axis. */
static void unit(double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    for (int64_t i = 0; i < n; i++)
        x[i] = sum > 0 ? x[i] / sqrt(sum) : i == 0;
}

/* An axis, or (+-1, +-1, +-1, +-1)/2 on four of them: a unit key of dyadic numbers. */
static void dyadic_key(double *x, int64_t n, exact_random *r) {
    for (int64_t i = 0; i < n; i++)
        x[i] = 0;
    int64_t wide = n >= 4 && exact_random_integer(r, 0, 1) ? 4 : 1,
            first = exact_random_integer(r, 0, n - wide);
    for (int64_t i = 0; i < wide; i++)
        x[first + i] = (exact_random_integer(r, 0, 1) ? 1 : -1) / (wide == 4 ? 2.0 : 1);
}

/* ---- VLA's growth: the climb of two axes ----
 *
 * u = e_0, M = diag(m); either the key (s_1, -s_0)/|s|, orthogonal to the row s of the state,
 * with v = 1, or, where |s_0| < 1/2, the key e_0 with v = -1.  Rows of the state are multiples
 * of s: v_j = v 2^-(j mod 4), signs alternating. */
typedef struct {
    double s[2], m[2];
} climber;

static double climb(climber *w, double *key, double u) {
    double v = 1, norm = sqrt(w->s[0] * w->s[0] + w->s[1] * w->s[1]);
    if (fabs(w->s[0]) < 0.5 || norm == 0) {
        key[0] = 1, key[1] = 0, v = -1;
    } else {
        key[0] = fabs(w->s[1]) / norm, key[1] = -w->s[0] / norm;
        if (w->s[1] < 0)
            key[1] = -key[1];
    }
    w->m[0] += u * u;
    double a[2] = {key[0] / w->m[0], key[1] / w->m[1]}, size = sqrt(a[0] * a[0] + a[1] * a[1]),
           e = v - (w->s[0] * key[0] + w->s[1] * key[1]);
    w->s[0] += e * a[0] / size, w->s[1] += e * a[1] / size;
    return v;
}

static void make_growth(maker *m, float *k, float *v, float *u) {
    const inputs_shape *s = m->s;
    for (int64_t n = 0; n < s->batch * m->kv; n++) {
        int64_t batch = n / m->kv, head = n % m->kv;
        climber w = {{0, 0}, {1, 1}};
        for (int64_t t = 0; t < m->keys; t++) {
            int64_t row = (batch * m->keys + t) * m->kv + head;
            double key[2], value = climb(&w, key, u ? 1 : 0);
            for (int64_t i = 0; i < s->dk; i++)
                k[row * s->dk + i] = stored(m, i >= 2 ? 0 : positive(m) ? fabs(key[i]) : key[i]);
            if (s->dk == 1)
                k[row] = 1;
            for (int64_t j = 0; j < s->dv; j++)
                v[row * s->dv + j] = stored(m, (j % 2 ? -value : value) / (double)(1 << j % 4));
            for (int64_t i = 0; u && i < s->dk; i++)
                u[row * s->dk + i] = i == 0;
        }
    }
}

/* ---- exact cancellation ----
 *
 * Three tokens after each other share a key.  Delta rule: v = 4096, 4128, 4096 with beta = 1,
 * 1/16, 1: S.k = 4098 meets 4096.  Elsewhere v, -v and a small number: what is left of the sums
 * is small.  The last tokens of the delta rule have beta = -1 and one key: the triangle of a
 * chunk is -1 below its diagonal and the state doubles with each of them. */
static int64_t doublings(int64_t time) {
    return time / 2 < 40 ? time / 2 : 40;
}

static void make_cancelling(maker *m, float *k, float *v, float *beta, float *u) {
    const inputs_shape *s = m->s;
    exact_random r = stream(m, "cancelling");
    bool delta = m->kind->kernel == MN_DELTA || m->kind->kernel == MN_VLA;
    int64_t last = beta ? m->keys - doublings(m->keys) : m->keys;
    double key[3000], value = 0;
    if (s->dk > 3000) {
        m->failed = true;
        return;
    }
    for (int64_t n = 0; n < s->batch * m->kv; n++)
        for (int64_t t = 0; t < m->keys; t++) {
            int64_t row = (n / m->kv * m->keys + t) * m->kv + n % m->kv, phase = t % 3;
            if ((phase == 0 && t < last) || t == 0)
                dyadic_key(key, s->dk, &r);
            for (int64_t i = 0; i < s->dk; i++)
                k[row * s->dk + i] =
                    stored(m, (delta ? 1 : 2) * (positive(m) ? fabs(key[i]) : key[i]));
            for (int64_t j = 0; j < s->dv; j++) {
                int64_t pair = row - phase * m->kv;
                if (delta)
                    value = phase == 1 ? 4128 : 4096;
                else if (phase == 0)
                    value = 4096 + 32 * (double)exact_random_integer(&r, 0, 127);
                else
                    value = phase == 1 ? -(double)v[pair * s->dv + j]
                                       : (double)exact_random_integer(&r, -2, 2);
                v[row * s->dv + j] = stored(m, value);
            }
            if (beta)
                beta[row] = t >= last ? -1 : phase == 1 ? 0.0625f : 1;
            for (int64_t i = 0; u && i < s->dk; i++) /* A stays dyadic for a while */
                u[row * s->dk + i] = t % 4 == 0 && i == t / 4 % s->dk;
        }
}

/* ---- the arrays of a call ---- */

static float *make_queries(maker *m) {
    const inputs_shape *s = m->s;
    exact_random r = stream(m, "q");
    int64_t n = s->batch * s->time * s->heads * s->dk;
    float *q = room(m, n, sizeof *q);
    for (int64_t i = 0; q && i < n; i++)
        q[i] = stored(m, m->family == INPUTS_CANCELLATION
                             ? (double)exact_random_integer(&r, positive(m) ? 1 : -4, 4)
                             : plain(m, &r, true) * key_scale(m));
    return q;
}

/* Rows of a dim; unit: of norm 1, times scale. */
static void make_rows(maker *m, float *x, const char *name, int64_t rows, int64_t heads,
                      int64_t dim, bool normalise, double scale) {
    exact_random r = stream(m, name), direction = stream(m, "direction");
    double *row = room(m, dim, sizeof *row), *base = room(m, heads * dim, sizeof *base);
    if (m->failed)
        return;
    for (int64_t i = 0; i < heads * dim; i++)
        base[i] = plain(m, &direction, true);
    for (int64_t n = 0; n < rows; n++) {
        for (int64_t i = 0; i < dim; i++) {
            row[i] = plain(m, &r, true);
            if (m->family == INPUTS_PARALLEL)
                row[i] = base[n % heads * dim + i] + row[i] * 0x1p-10;
        }
        if (normalise)
            unit(row, dim);
        for (int64_t i = 0; i < dim; i++)
            x[n * dim + i] = stored(m, row[i] * scale);
    }
}

/* u of the layer's length 1/sqrt(dk), or of any length at and near both ends. */
static void make_directions(maker *m, float *u, int64_t tokens) {
    const inputs_shape *s = m->s;
    exact_random r = stream(m, "lengths");
    double usual = (m->family == INPUTS_LARGE ? 0x1p5 : 1) / sqrt((double)s->dk);
    make_rows(m, u, "u", tokens, m->kv, s->dk, true, usual);
    if (m->family != INPUTS_GATES || m->failed)
        return;
    static const double lengths[] = {0, 0x1p-20, 0x1p-12, 1, 1, 1, 2, 16};
    for (int64_t n = 0; n < tokens; n++) {
        double length = lengths[exact_random_integer(&r, 0, 7)];
        for (int64_t i = 0; i < s->dk; i++)
            u[n * s->dk + i] = stored(m, (double)u[n * s->dk + i] * length);
    }
}

static void make_gates(maker *m, float *g, int64_t n) {
    exact_random r = stream(m, "g");
    static const double ends[] = {0, 0, -0x1p-24, -0x1p-20, -0x1p-12, -17, -80, -88, -104, -1e4};
    for (int64_t i = 0; i < n; i++) {
        slong kind = exact_random_integer(&r, 0, 63);
        double x = -fabs(normal(&r)) / 16;
        if (m->family == INPUTS_CANCELLATION || m->family == INPUTS_GROWTH)
            x = 0;
        else if (m->family == INPUTS_GATES && kind == 0)
            x = -INFINITY;
        else if (m->family == INPUTS_GATES && kind < 5)
            x = ends[5 + kind];
        else if (m->family == INPUTS_GATES && kind < 48)
            x = ends[kind % 5];
        g[i] = x < -1e9 ? -INFINITY : stored(m, x);
    }
}

/* Numbers of [0, high], at and near both ends in the family of gates. */
static float *make_weights(maker *m, const char *name, int64_t n, double high) {
    exact_random r = stream(m, name);
    float *x = room(m, n, sizeof *x);
    for (int64_t i = 0; x && i < n; i++) {
        const double ends[] = {0, high, 0x1p-24, 0x1p-140, high - 0x1p-24, 1, 1 - 0x1p-24, high};
        slong kind = exact_random_integer(&r, 0, 15);
        double y = uniform(&r) * high;
        if (m->family == INPUTS_GATES && kind < 8)
            y = ends[kind];
        else if (m->family == INPUTS_PARALLEL)
            y = high / 2 + y / 2;
        else if (m->family == INPUTS_CANCELLATION)
            y = 1;
        x[i] = stored(m, y);
    }
    return x;
}

/* Nodes 1 - 2^-i and what a family wants; weights that sum to about 1. */
static void make_modes(maker *m, float *weights, float *nodes, int64_t n, int64_t modes) {
    exact_random r = stream(m, "modes");
    static const double ends[] = {0, 1, 1 - 0x1p-24, 0x1p-24, 0x1p-140};
    for (int64_t i = 0; i < n; i++) {
        double octave = 1;
        for (int64_t j = 0; j <= i % 16; j++)
            octave /= 2;
        double node = 1 - octave * (1 + uniform(&r)) / 2,
               weight = (0.5 + uniform(&r)) / (double)modes;
        if (m->family == INPUTS_GATES || m->family == INPUTS_GROWTH)
            node = ends[i % 5];
        if (m->family == INPUTS_CANCELLATION)
            node = i % 2 ? 0.5 : 1, weight = i % 4 || positive(m) ? 1 : -1;
        nodes[i] = stored(m, node), weights[i] = stored(m, weight);
    }
}

static void make_state(maker *m) {
    const inputs_shape *s = m->s;
    mn_args *a = &m->c->args;
    int64_t bytes = (int64_t)mn_state_size(a), sequences = s->segments ? s->segments : s->batch,
            heads = sequences * m->kv, square = s->dk * s->dv;
    bool positions = a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR;
    char *state = room(m, bytes, 1);
    exact_random r = stream(m, "state");
    if (!state || heads == 0)
        return;
    float *x = (float *)(void *)state;
    int64_t floats = (bytes - (positions ? 8 * sequences : 0)) / 4, each = floats / heads;
    for (int64_t i = 0; i < floats; i++) {
        double y = normal(&r);
        y = positive(m)                        ? (fabs(y) + 0.125) * value_scale(m)
            : m->family == INPUTS_CANCELLATION ? 32 * (double)exact_random_integer(&r, -64, 64)
                                               : y * value_scale(m);
        x[i] = stored(m, y);
    }
    for (int64_t n = 0; n < heads; n++, x += each) {
        for (int64_t i = 0; a->kernel == MN_VLA && i < s->dk; i++) /* A: I and small numbers */
            for (int64_t j = 0; j <= i; j++)
                x[square + i * s->dk + j] = x[square + j * s->dk + i] =
                    stored(m, i == j ? 1 : (uniform(&r) - 0.5) / (double)(2 * s->dk));
        for (int64_t i = 0; a->kernel == MN_VLA && a->normalise && i < s->dk; i++)
            x[square + s->dk * s->dk + i] = stored(m, fabs(normal(&r)));
        for (int64_t l = 0; a->kernel == MN_LOGLINEAR && l < a->levels; l++)
            if (l == 0 || !(s->position >> (l - 1) & 1))
                memset(x + l * square, 0, (size_t)square * sizeof *x);
    }
    for (int64_t n = 0; positions && n < sequences; n++)
        memcpy(state + bytes - 8 * (sequences - n), &s->position, 8);
    a->state_in = state;
}

/* Offsets 0, 0, ..., time with an empty sequence in front. */
static void make_segments(maker *m) {
    const inputs_shape *s = m->s;
    exact_random r = stream(m, "segments");
    int64_t *offsets = room(m, s->segments + 1, sizeof *offsets);
    if (!offsets)
        return;
    for (int64_t i = 2; i < s->segments; i++)
        offsets[i] =
            offsets[i - 1] +
            exact_random_integer(&r, 0, 2 * (s->time - offsets[i - 1]) / (s->segments - i + 1));
    for (int64_t i = 2; i < s->segments; i++)
        offsets[i] = offsets[i] < s->time ? offsets[i] : s->time;
    offsets[s->segments] = s->time;
    m->c->args.segments = s->segments, m->c->args.offsets = offsets;
}

static void make_attention(maker *m) {
    const inputs_shape *s = m->s;
    mn_args *a = &m->c->args;
    mn_kernel kernel = m->kind->kernel;
    int64_t tokens = s->batch * s->time * m->kv, keys = s->batch * m->keys * m->kv,
            last = s->position + s->time;
    bool norm = kernel == MN_DELTA || kernel == MN_VLA;
    *a = (mn_args){.kernel = kernel, .batch = s->batch, .time = s->time, .heads = s->heads};
    a->kv_heads = s->kv_heads, a->dk = s->dk, a->dv = s->dv, a->past = s->past;
    a->normalise = m->kind->normalise, a->threads = 1;
    float *k = room(m, keys * s->dk, sizeof *k), *v = room(m, keys * s->dv, sizeof *v),
          *u = kernel == MN_VLA ? room(m, tokens * s->dk, sizeof *u) : NULL, *beta = NULL;
    a->q.data = make_queries(m), a->k.data = k, a->v.data = v, a->u.data = u;
    if (kernel == MN_DELTA && m->kind->weights)
        a->beta.data = beta = make_weights(m, "beta", tokens, m->family == INPUTS_PARALLEL ? 2 : 1);
    if (m->kind->gates) {
        int64_t n = tokens * (m->kind->gates == INPUTS_KEY_GATES ? s->dk : 1);
        float *g = room(m, n, sizeof *g);
        if (g)
            make_gates(m, g, n);
        *(m->kind->gates == INPUTS_KEY_GATES ? &a->gate_keys : &a->g) = (mn_input){g, 0, 0, 0};
    }
    if (m->failed)
        return;
    if (m->family == INPUTS_GROWTH) {
        make_growth(m, k, v, u);
    } else if (m->family == INPUTS_CANCELLATION) {
        make_cancelling(m, k, v, beta, u);
    } else {
        exact_random r = stream(m, "v");
        make_rows(m, k, "k", keys, m->kv, s->dk, norm, norm ? 1 : key_scale(m));
        for (int64_t i = 0; i < keys * s->dv; i++)
            v[i] = stored(m, plain(m, &r, false) * value_scale(m));
        if (u)
            make_directions(m, u, tokens);
    }
    if (kernel == MN_VLA) {
        a->lambda0 = 1;
        if (m->kind->refresh)
            a->refresh = stored(m, 0.001), a->refresh_every = 20;
    }
    if (kernel == MN_LOGLINEAR) {
        a->levels = 1;
        while (last > 1 && (last - 1) >> (a->levels - 1))
            a->levels++;
        if (m->kind->weights)
            a->lambda.data =
                make_weights(m, "lambda", s->batch * s->time * s->heads * a->levels, 2);
    }
    if (kernel == MN_VORT) {
        exact_random r = stream(m, "bank");
        a->banks = s->banks ? s->banks : 2, a->modes = s->modes ? s->modes : 3;
        int64_t n = a->banks * a->modes;
        float *weights = room(m, n, sizeof *weights), *nodes = room(m, n, sizeof *nodes);
        int32_t *bank = room(m, tokens, sizeof *bank);
        if (m->failed)
            return;
        make_modes(m, weights, nodes, n, a->modes);
        for (int64_t i = 0; i < tokens; i++)
            bank[i] = m->family == INPUTS_CANCELLATION
                          ? 0
                          : (int32_t)exact_random_integer(&r, 0, a->banks - 1);
        a->weights = weights, a->nodes = nodes, a->bank.data = bank;
    }
    if (s->segments)
        make_segments(m);
    if (s->state)
        make_state(m);
}

static void make_convolution(maker *m) {
    const inputs_shape *s = m->s;
    mn_convolution *c = &m->c->convolution;
    exact_random r = stream(m, "x");
    int64_t n = s->batch * s->time * s->dv;
    m->c->convolves = true;
    *c = (mn_convolution){.batch = s->batch, .time = s->time, .channels = s->dv, .threads = 1};
    float *x = room(m, n, sizeof *x);
    for (int64_t i = 0; x && i < n; i++) {
        int64_t t = i / s->dv % (s->time > 0 ? s->time : 1);
        double y = plain(m, &r, true) * value_scale(m);
        if (m->family == INPUTS_CANCELLATION)
            y = t % 2 ? -(double)x[i - s->dv] + 32 * (double)exact_random_integer(&r, 0, 1)
                      : 4096 + 32 * (double)exact_random_integer(&r, 0, 127);
        x[i] = stored(m, m->family == INPUTS_GROWTH ? 1 : y);
    }
    c->x.data = x;
    if (m->kind->weights) {
        c->modes = s->modes ? s->modes : 3;
        float *weights = room(m, c->modes, sizeof *weights),
              *nodes = room(m, c->modes, sizeof *nodes);
        if (m->failed)
            return;
        make_modes(m, weights, nodes, c->modes, c->modes);
        c->weights = weights, c->nodes = nodes;
    } else {
        c->kernel_length = s->time / 2 + 1; /* weights that end before the sequence does */
        float *w = room(m, c->kernel_length, sizeof *w);
        for (int64_t j = 0; w && j < c->kernel_length; j++)
            w[j] = stored(m, m->family == INPUTS_CANCELLATION ? 1
                             : m->family == INPUTS_GATES      ? (j % 5 ? 0 : normal(&r))
                                                              : normal(&r) / sqrt((double)(j + 1)));
        c->kernel = w;
    }
    if (s->state && c->modes) {
        int64_t floats = s->batch * c->modes * s->dv;
        float *y = room(m, floats, sizeof *y);
        for (int64_t i = 0; y && i < floats; i++)
            y[i] = stored(m, normal(&r) * value_scale(m));
        c->state_in = y;
    }
}

bool inputs_possible(const inputs_kind *k, const inputs_shape *s) {
    bool attention = k->kernel != MN_KERNELS;
    int64_t kv = s->kv_heads ? s->kv_heads : s->heads;
    return s->batch >= 0 && s->time >= 0 && s->dk >= 1 && s->dv >= 1 && s->heads >= 1 && kv >= 1 &&
           s->heads % kv == 0 && s->segments >= 0 && s->past >= 0 && s->position >= 0 &&
           s->banks >= 0 && s->modes >= 0 &&
           (attention || (s->heads == 1 && kv == 1 && s->dk == s->dv)) &&
           (s->segments == 0 || (attention && s->batch == 1 && s->segments >= 2 && s->past == 0)) &&
           (s->past == 0 || k->kernel == MN_SOFTMAX) &&
           (s->position == 0 || (s->state && (k->kernel == MN_VLA || k->kernel == MN_LOGLINEAR))) &&
           (!s->state || (k->kernel != MN_SOFTMAX && (attention || k->weights)));
}

bool inputs_make(inputs_case *c, const inputs_kind *kind, const inputs_shape *shape,
                 inputs_family family, array_type storage, uint64_t seed) {
    memset(c, 0, sizeof *c);
    bool type = storage == ARRAY_F32 || storage == ARRAY_F16 || storage == ARRAY_BF16;
    if (!type || !inputs_possible(kind, shape) || (unsigned)family >= INPUTS_FAMILIES)
        return false;
    maker m = {.c = c, .kind = kind, .s = shape, .family = family, .storage = storage};
    m.seed = seed + 1; /* exact_hash starts afresh at 0 */
    m.kv = shape->kv_heads ? shape->kv_heads : shape->heads, m.keys = shape->time + shape->past;
    if (kind->kernel == MN_KERNELS)
        make_convolution(&m);
    else
        make_attention(&m);
    if (m.failed)
        inputs_clear(c);
    return !m.failed;
}

void inputs_clear(inputs_case *c) {
    for (int i = 0; i < c->used; i++)
        free(c->memory[i]);
    memset(c, 0, sizeof *c);
}

#include "numerics/accuracy/inputs_maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void make_state(inputs_maker *m) {
    const inputs_shape *s = m->s;
    mn_args *a = &m->c->args;
    int64_t bytes = (int64_t)mn_state_size(a), sequences = s->segments ? s->segments : s->batch,
            heads = sequences * m->kv, square = s->dk * s->dv;
    bool positions = a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR;
    char *state = inputs_room(m, bytes, 1);
    exact_random r = inputs_stream(m, "state");
    if (!state || heads == 0)
        return;
    float *x = (float *)(void *)state;
    int64_t floats = (bytes - (positions ? 8 * sequences : 0)) / 4, each = floats / heads;
    for (int64_t i = 0; i < floats; i++) {
        double y = inputs_normal(&r);
        y = inputs_positive(m)                 ? (fabs(y) + 0.125) * inputs_value_scale(m)
            : m->family == INPUTS_CANCELLATION ? 32 * (double)exact_random_integer(&r, -64, 64)
                                               : y * inputs_value_scale(m);
        x[i] = inputs_stored(m, y);
    }
    for (int64_t n = 0; n < heads; n++, x += each) {
        for (int64_t i = 0; a->kernel == MN_VLA && i < s->dk; i++) /* A: I and small numbers */
            for (int64_t j = 0; j <= i; j++)
                x[square + i * s->dk + j] = x[square + j * s->dk + i] =
                    inputs_stored(m, i == j ? 1 : (inputs_uniform(&r) - 0.5) / (double)(2 * s->dk));
        for (int64_t i = 0; a->kernel == MN_VLA && a->normalise && i < s->dk; i++)
            x[square + s->dk * s->dk + i] = inputs_stored(m, fabs(inputs_normal(&r)));
        for (int64_t l = 0; a->kernel == MN_LOGLINEAR && l < a->levels; l++)
            if (l == 0 || !(s->position >> (l - 1) & 1))
                memset(x + l * square, 0, (size_t)square * sizeof *x);
    }
    for (int64_t n = 0; positions && n < sequences; n++)
        memcpy(state + bytes - 8 * (sequences - n), &s->position, 8);
    a->state_in = state;
}

/* Offsets 0, 0, ..., time with an empty sequence in front. */
static void make_segments(inputs_maker *m) {
    const inputs_shape *s = m->s;
    exact_random r = inputs_stream(m, "segments");
    int64_t *offsets = inputs_room(m, s->segments + 1, sizeof *offsets);
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

static void make_attention(inputs_maker *m) {
    const inputs_shape *s = m->s;
    mn_args *a = &m->c->args;
    mn_kernel kernel = m->kind->kernel;
    int64_t tokens = s->batch * s->time * m->kv, keys = s->batch * m->keys * m->kv,
            last = s->position + s->time;
    bool norm = kernel == MN_DELTA || kernel == MN_VLA;
    *a = (mn_args){.kernel = kernel, .batch = s->batch, .time = s->time, .heads = s->heads};
    a->kv_heads = s->kv_heads, a->dk = s->dk, a->dv = s->dv, a->past = s->past;
    a->normalise = m->kind->normalise, a->threads = 1;
    float *k = inputs_room(m, keys * s->dk, sizeof *k),
          *v = inputs_room(m, keys * s->dv, sizeof *v),
          *u = kernel == MN_VLA ? inputs_room(m, tokens * s->dk, sizeof *u) : NULL, *beta = NULL;
    a->q.data = inputs_queries(m), a->k.data = k, a->v.data = v, a->u.data = u;
    if (kernel == MN_DELTA && m->kind->weights)
        a->beta.data = beta =
            inputs_weights(m, "beta", tokens, m->family == INPUTS_PARALLEL ? 2 : 1);
    if (m->kind->gates) {
        int64_t n = tokens * (m->kind->gates == INPUTS_KEY_GATES ? s->dk : 1);
        float *g = inputs_room(m, n, sizeof *g);
        if (g)
            inputs_gates(m, g, n);
        *(m->kind->gates == INPUTS_KEY_GATES ? &a->gate_keys : &a->g) = (mn_input){g, 0, 0, 0};
    }
    if (m->failed)
        return;
    if (m->family == INPUTS_GROWTH) {
        inputs_growth(m, k, v, u);
    } else if (m->family == INPUTS_CANCELLATION) {
        inputs_cancelling(m, k, v, beta, u);
    } else {
        exact_random r = inputs_stream(m, "v");
        inputs_rows(m, k, "k", keys, m->kv, s->dk, norm, norm ? 1 : inputs_key_scale(m));
        for (int64_t i = 0; i < keys * s->dv; i++)
            v[i] = inputs_stored(m, inputs_plain(m, &r, false) * inputs_value_scale(m));
        if (u)
            inputs_directions(m, u, tokens);
    }
    if (kernel == MN_VLA) {
        a->lambda0 = 1;
        if (m->kind->refresh)
            a->refresh = inputs_stored(m, 0.001), a->refresh_every = 20;
    }
    if (kernel == MN_LOGLINEAR) {
        a->levels = 1;
        while (last > 1 && (last - 1) >> (a->levels - 1))
            a->levels++;
        if (m->kind->weights)
            a->lambda.data =
                inputs_weights(m, "lambda", s->batch * s->time * s->heads * a->levels, 2);
    }
    if (kernel == MN_VORT) {
        exact_random r = inputs_stream(m, "bank");
        a->banks = s->banks ? s->banks : 2, a->modes = s->modes ? s->modes : 3;
        int64_t n = a->banks * a->modes;
        float *weights = inputs_room(m, n, sizeof *weights),
              *nodes = inputs_room(m, n, sizeof *nodes);
        int32_t *bank = inputs_room(m, tokens, sizeof *bank);
        if (m->failed)
            return;
        inputs_modes(m, weights, nodes, n, a->modes);
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

static void make_convolution(inputs_maker *m) {
    const inputs_shape *s = m->s;
    mn_convolution *c = &m->c->convolution;
    exact_random r = inputs_stream(m, "x");
    int64_t n = s->batch * s->time * s->dv;
    m->c->convolves = true;
    *c = (mn_convolution){.batch = s->batch, .time = s->time, .channels = s->dv, .threads = 1};
    float *x = inputs_room(m, n, sizeof *x);
    for (int64_t i = 0; x && i < n; i++) {
        int64_t t = i / s->dv % (s->time > 0 ? s->time : 1);
        double y = inputs_plain(m, &r, true) * inputs_value_scale(m);
        if (m->family == INPUTS_CANCELLATION)
            y = t % 2 ? -(double)x[i - s->dv] + 32 * (double)exact_random_integer(&r, 0, 1)
                      : 4096 + 32 * (double)exact_random_integer(&r, 0, 127);
        x[i] = inputs_stored(m, m->family == INPUTS_GROWTH ? 1 : y);
    }
    c->x.data = x;
    if (m->kind->weights) {
        c->modes = s->modes ? s->modes : 3;
        float *weights = inputs_room(m, c->modes, sizeof *weights),
              *nodes = inputs_room(m, c->modes, sizeof *nodes);
        if (m->failed)
            return;
        inputs_modes(m, weights, nodes, c->modes, c->modes);
        c->weights = weights, c->nodes = nodes;
    } else {
        c->kernel_length = s->time / 2 + 1; /* weights that end before the sequence does */
        float *w = inputs_room(m, c->kernel_length, sizeof *w);
        for (int64_t j = 0; w && j < c->kernel_length; j++)
            w[j] = inputs_stored(m, m->family == INPUTS_CANCELLATION ? 1
                                    : m->family == INPUTS_GATES
                                        ? (j % 5 ? 0 : inputs_normal(&r))
                                        : inputs_normal(&r) / sqrt((double)(j + 1)));
        c->kernel = w;
    }
    if (s->state && c->modes) {
        int64_t floats = s->batch * c->modes * s->dv;
        float *y = inputs_room(m, floats, sizeof *y);
        for (int64_t i = 0; y && i < floats; i++)
            y[i] = inputs_stored(m, inputs_normal(&r) * inputs_value_scale(m));
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
    inputs_maker m = {.c = c, .kind = kind, .s = shape, .family = family, .storage = storage};
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

#include "theorems/experiments/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mn_args arguments(const experiments_memory *m) {
    mn_args a;
    memset(&a, 0, sizeof a);
    a.kernel = m->kernel;
    a.batch = 1;
    a.heads = a.kv_heads = 1;
    a.dk = m->dk;
    a.dv = m->dv;
    a.scale = m->scale > 0 ? m->scale : 1;
    a.isa = MN_GENERIC;
    a.threads = 1;
    /* one number for every token: strides of 0 along time */
    if (m->log_gate < 0 && (m->kernel == MN_LINEAR || m->kernel == MN_DELTA))
        a.g = (mn_input){&m->log_gate, 1, 0, 0};
    if (m->kernel == MN_DELTA)
        a.beta = (mn_input){&m->beta, 1, 0, 0};
    if (m->kernel == MN_VLA) {
        a.lambda0 = m->lambda0;
        a.refresh = m->refresh;
        a.refresh_every = m->refresh > 0 ? 20 : 0;
    }
    if (m->kernel == MN_LOGLINEAR) {
        a.levels = m->levels;
        a.lambda = (mn_input){m->lambda, m->levels, 0, 0};
    }
    if (m->kernel == MN_VORT) {
        a.banks = 1;
        a.modes = m->modes;
        a.weights = m->weights;
        a.nodes = m->nodes;
    }
    return a;
}

static mn_status run(mn_args *a, mn_method method) {
    a->workspace_size = mn_workspace_size(a, method);
    a->workspace = malloc(a->workspace_size > 0 ? a->workspace_size : 1);
    mn_status status = mn_run(a, method, NULL);
    free(a->workspace);
    return status;
}

static mn_status read_softmax(float *out, const experiments_memory *m, int64_t tokens,
                              const float *k, const float *v, int64_t queries, const float *q) {
    mn_args a = arguments(m);
    a.time = 1;
    a.past = tokens - 1;
    a.heads = queries;
    a.q = (mn_input){q, 0, 0, 0};
    a.k = (mn_input){k, 0, 0, 0};
    a.v = (mn_input){v, 0, 0, 0};
    a.o = (mn_output){out, 0, 0, 0};
    return run(&a, MN_CHUNK);
}

mn_status experiments_read(float *out, const experiments_memory *m, int64_t tokens, const float *k,
                           const float *v, int64_t queries, const float *q) {
    if (m->kernel == MN_SOFTMAX)
        return read_softmax(out, m, tokens, k, v, queries, q);
    mn_args a = arguments(m);
    a.time = tokens;
    float *zero = calloc((size_t)(a.dk + a.dv), sizeof *zero),
          *u = malloc((size_t)(tokens * a.dk) * sizeof *u),
          *ignored = malloc((size_t)(tokens * a.dv) * sizeof *ignored);
    int32_t bank = 0;
    float length = 1 / sqrtf((float)a.dk);
    for (int64_t i = 0; i < tokens * a.dk && m->kernel == MN_VLA; i++)
        u[i] = m->u != NULL ? m->u[i] : k[i] * length;
    a.q = (mn_input){zero, a.dk, 0, 0};
    a.k = (mn_input){k, 0, 0, 0};
    a.v = (mn_input){v, 0, 0, 0};
    a.o = (mn_output){ignored, 0, 0, 0};
    if (m->kernel == MN_VLA)
        a.u = (mn_input){u, 0, 0, 0};
    if (m->kernel == MN_VORT)
        a.bank = (mn_index){&bank, 1, 0, 0};
    size_t size = mn_state_size(&a);
    void *state = malloc(size > 0 ? size : 1);
    a.state_out = state;
    mn_status status = run(&a, MN_CHUNK);
    if (status == MN_OK) {
        a.time = 1;
        a.heads = queries;
        a.state_in = state;
        a.q = (mn_input){q, 0, 0, 0};
        a.k = (mn_input){zero, 0, 0, 0};
        a.v = (mn_input){zero, 0, 0, 0};
        a.o = (mn_output){out, 0, 0, 0};
        if (m->kernel == MN_VLA)
            a.u = (mn_input){zero, 0, 0, 0};
        status = run(&a, MN_STEP);
    }
    free(zero);
    free(u);
    free(ignored);
    free(state);
    return status;
}

int64_t experiments_state(const experiments_memory *m, int64_t tokens) {
    int64_t one = m->dk * m->dv;
    switch (m->kernel) {
    case MN_VLA:
        return one + m->dk * m->dk;
    case MN_LOGLINEAR:
        return m->levels * one;
    case MN_VORT:
        return m->modes * one;
    case MN_SOFTMAX:
        return tokens * (m->dk + m->dv);
    default:
        return one;
    }
}

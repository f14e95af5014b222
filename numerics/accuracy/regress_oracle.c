#include "numerics/accuracy/regress_oracle.h"

#include <stdlib.h>
#include <string.h>

/* The plain twin of a convolution: the definition in float, step by step. */
static bool make_twin(regress_oracle *w, const mn_convolution *c) {
    int64_t n = c->batch * c->time * c->channels, states = c->batch * c->modes * c->channels;
    w->twin = calloc((size_t)n + 1, sizeof *w->twin);
    w->twin_state = calloc((size_t)states + 1, sizeof *w->twin_state);
    if (!w->twin || !w->twin_state)
        return false;
    for (int64_t i = 0; c->state_in && i < states; i++)
        w->twin_state[i] = (double)c->state_in[i];
    for (int64_t i = 0; i < n; i++) {
        int64_t channel = i % c->channels, t = i / c->channels % c->time,
                batch = i / c->channels / c->time;
        const float *x = c->x.data + i;
        float y = 0;
        for (int64_t j = 0; !c->modes && j <= t && j < c->kernel_length; j++)
            y += c->kernel[j] * x[-j * c->channels];
        for (int64_t m = 0; m < c->modes; m++) {
            double *s = w->twin_state + (batch * c->modes + m) * c->channels + channel;
            float next = c->nodes[m] * (float)*s;
            next += *x;
            *s = (double)next, y += c->weights[m] * next;
        }
        w->twin[i] = (double)y;
    }
    return true;
}

void regress_oracle_clear(regress_oracle *w) {
    free(w->twin), free(w->twin_state);
    if (w->c->convolves)
        reference_clear(w->exact), reference_clear(w->scale), bounds_clear(w->bounds);
    else
        judge_clear(w->judge);
}

const char *regress_oracle_make(regress_oracle *w, const inputs_case *c) {
    memset(w, 0, sizeof *w);
    w->c = c;
    if (!c->convolves) {
        judge_status status = judge_begin(w->judge, &c->args, arithmetic_library(), true);
        return status == JUDGE_DONE        ? NULL
               : status == JUDGE_REFERENCE ? reference_status_text(w->judge->reference)
                                           : "no memory";
    }
    reference_init(w->exact), reference_init(w->scale), bounds_init(w->bounds);
    reference_status status = reference_convolution(w->exact, &c->convolution);
    if (status == REFERENCE_OK)
        status = reference_convolution_scale(w->scale, &c->convolution);
    w->judge->arithmetic = arithmetic_library();
    if (status == REFERENCE_OK &&
        bounds_convolution(w->bounds, &c->convolution, w->scale) == BOUNDS_OK &&
        make_twin(w, &c->convolution))
        return NULL;
    regress_oracle_clear(w);
    return status == REFERENCE_OK ? "no memory" : reference_status_text(status);
}

/* NaN until written. */
static void *poisoned(size_t bytes) {
    void *p = malloc(bytes ? bytes : 1);
    if (p)
        memset(p, 0xff, bytes);
    return p;
}

void regress_buffers_clear(regress_buffers *b) {
    free(b->o), free(b->state), free(b->workspace);
}

mn_status regress_call(regress_buffers *b, const inputs_case *c, mn_method method, mn_isa isa,
                       const regress_library *library, mn_error *error) {
    mn_args a = c->args;
    mn_convolution f = c->convolution;
    memset(b, 0, sizeof *b);
    if (c->convolves) {
        f.isa = isa;
        b->o_bytes = (size_t)(f.batch * f.time * f.channels) * sizeof(float);
        b->state_bytes = f.modes ? mn_convolution_state_size(&f) : 0;
        b->workspace_bytes = mn_convolution_workspace_size(&f, method);
    } else {
        a.isa = isa;
        b->o_bytes = (size_t)(a.batch * a.time * a.heads * a.dv) * sizeof(float);
        b->state_bytes = mn_state_size(&a);
        b->workspace_bytes = mn_workspace_size(&a, method);
    }
    b->o = poisoned(b->o_bytes), b->workspace = poisoned(b->workspace_bytes);
    b->state = b->state_bytes ? poisoned(b->state_bytes) : NULL;
    if (!b->o || !b->workspace || (b->state_bytes && !b->state)) {
        *error = (mn_error){MN_SMALL_WORKSPACE, "memory", 0, 0};
        return error->status;
    }
    if (c->convolves) {
        f.y.data = b->o, f.state_out = b->state;
        f.workspace = b->workspace, f.workspace_size = b->workspace_bytes;
        return library->convolution(&f, method, error);
    }
    a.o.data = b->o, a.state_out = b->state;
    a.workspace = b->workspace, a.workspace_size = b->workspace_bytes;
    return library->attention(&a, method, error);
}

judge_status regress_judge(judge_report *r, const regress_oracle *w, const regress_buffers *b,
                           bool state) {
    const mn_convolution *f = &w->c->convolution;
    if (!w->c->convolves)
        return state ? judge_state(r, w->judge, ARRAY_F32, b->state)
                     : judge_output(r, w->judge, ARRAY_F32, b->o);
    judge_target t = {.shape = {f->batch, f->time, 1, f->channels}};
    if (state) {
        t.shape[1] = 1, t.shape[2] = f->modes;
        t.exact = w->exact->state, t.scale = w->scale->state;
        t.bound = w->bounds->state, t.twin = w->twin_state;
        return judge_values(r, w->judge, ARRAY_F32, b->state, &t);
    }
    t.exact = w->exact->o, t.scale = w->scale->o, t.bound = w->bounds->o, t.twin = w->twin;
    return judge_values(r, w->judge, ARRAY_F32, b->o, &t);
}

bool regress_has_run(const inputs_case *c, mn_method method, mn_isa isa) {
    if (method == MN_REFERENCE)
        return isa == MN_GENERIC;
    return !(method == MN_STEP && c->convolves && c->convolution.modes == 0);
}

/* Inputs for the other side: a drawn call as arrays with names. */
#include "reports/check_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    array_file *file;
    bool heads_first, good;
} emitter;

/* An array of those dimensions; its data for the caller to fill, NULL where memory is short. */
static void *added(emitter *e, const char *name, array_type type, int dims, const int64_t *shape) {
    array_file *f = e->file;
    array x = {.type = type, .dims = dims, .elements = 1};
    for (int i = 0; i < dims; i++)
        x.shape[i] = shape[i], x.elements *= shape[i];
    array *items = realloc(f->item, (size_t)(f->count + 1) * sizeof *items);
    if (items)
        f->item = items;
    x.name = strdup(name);
    x.data = calloc((size_t)x.elements + 1, array_type_size(type));
    if (!items || !x.name || !x.data) {
        free(x.name), free(x.data);
        e->good = false;
        return NULL;
    }
    f->item[f->count++] = x;
    return x.data;
}

static void put(void *data, array_type type, int64_t i, float x) {
    if (type == ARRAY_F64)
        ((double *)data)[i] = (double)x;
    else if (type == ARRAY_F32)
        ((float *)data)[i] = x;
    else
        ((uint16_t *)data)[i] =
            type == ARRAY_F16 ? array_to_float16((double)x) : array_to_bfloat16((double)x);
}

/* x [batch][time][heads] or [batch][time][heads][dim] (dim 0: the former), in the file's layout. */
static void rows(emitter *e, const char *name, array_type type, const float *x, int64_t batch,
                 int64_t time, int64_t heads, int64_t dim) {
    bool swap = e->heads_first;
    int64_t inner = dim ? dim : 1,
            shape[4] = {batch, swap ? heads : time, swap ? time : heads, dim};
    void *data = x ? added(e, name, type, dim ? 4 : 3, shape) : NULL;
    for (int64_t i = 0; data && i < batch * time * heads * inner; i++) {
        int64_t d = i % inner, h = i / inner % heads, t = i / inner / heads % time,
                b = i / inner / heads / time;
        put(data, type, swap ? ((b * heads + h) * time + t) * inner + d : i, x[i]);
    }
}
static void plain(emitter *e, const char *name, array_type type, const float *x, int dims,
                  const int64_t *shape) {
    void *data = added(e, name, type, dims, shape);
    int64_t n = 1;
    for (int i = 0; i < dims; i++)
        n *= shape[i];
    for (int64_t i = 0; data && i < n; i++)
        put(data, type, i, x[i]);
}

/* The state blob's parts. */
static void state(emitter *e, const mn_args *a, array_type type) {
    int64_t sequences = a->segments ? a->segments : a->batch, kv = a->kv_heads, width[3];
    check_state_parts(a, width);
    const int64_t plain_shape[] = {sequences, kv, a->dk, a->dv},
                  levels_shape[] = {sequences, kv, a->levels, a->dk, a->dv},
                  modes_shape[] = {sequences, kv, a->banks, a->modes, a->dk, a->dv},
                  square[] = {sequences, kv, a->dk, a->dk}, keys[] = {sequences, kv, a->dk},
                  mode_keys[] = {sequences, kv, a->banks, a->modes, a->dk};
    bool levels = a->kernel == MN_LOGLINEAR, modes = a->kernel == MN_VORT;
    void *part[3] = {
        added(e, "initial_state", type,
              levels  ? 5
              : modes ? 6
                      : 4,
              levels  ? levels_shape
              : modes ? modes_shape
                      : plain_shape),
        width[1] ? added(e, "initial_inverse", type, 4, square) : NULL,
        width[2] ? added(e, "initial_keys", type, modes ? 5 : 3, modes ? mode_keys : keys) : NULL};
    const float *from = a->state_in;
    for (int64_t h = 0; h < sequences * kv; h++)
        for (int p = 0; p < 3; p++)
            for (int64_t i = 0; i < width[p]; i++, from++)
                if (part[p])
                    put(part[p], type, h * width[p] + i, *from);
    if (a->kernel == MN_VLA || levels) {
        int64_t *position = added(e, "position", ARRAY_I64, 0, NULL);
        if (position)
            memcpy(position, (const char *)a->state_in + mn_state_size(a) - 8 * (size_t)sequences,
                   8);
    }
}

bool check_emit(array_file *f, const mn_args *a, array_type type, const check_options *o,
                char *complaint) {
    emitter e = {f, o->heads_first, true};
    int64_t keys = a->time + a->past, kv = a->kv_heads ? a->kv_heads : a->heads;
    mn_args packed = *a;
    packed.kv_heads = kv;
    a = &packed;
    rows(&e, "q", type, a->q.data, a->batch, a->time, a->heads, a->dk);
    rows(&e, "k", type, a->k.data, a->batch, keys, kv, a->dk);
    rows(&e, "v", type, a->v.data, a->batch, keys, kv, a->dv);
    rows(&e, "g", type, a->g.data, a->batch, a->time, kv, 0);
    rows(&e, "g", type, a->gate_keys.data, a->batch, a->time, kv, a->dk);
    rows(&e, "beta", type, a->beta.data, a->batch, a->time, kv, 0);
    rows(&e, "u", type, a->u.data, a->batch, a->time, kv, a->dk);
    rows(&e, strcmp(o->kernel->name, "log_linear_attn") == 0 ? "level_scales" : "lambda", type,
         a->lambda.data, a->batch, a->time, a->heads, a->levels);
    if (a->kernel == MN_VLA) {
        plain(&e, "lambda0", ARRAY_F32, &a->lambda0, 0, NULL);
        if (a->refresh_every) {
            int64_t *every = added(&e, "refresh_every", ARRAY_I64, 0, NULL);
            if (every)
                *every = a->refresh_every;
            plain(&e, "refresh", ARRAY_F32, &a->refresh, 0, NULL);
        }
    }
    if (a->kernel == MN_VORT) {
        const int64_t modes[] = {a->banks, a->modes};
        const bool swap = o->heads_first;
        const int64_t shape[] = {a->batch, swap ? kv : a->time, swap ? a->time : kv};
        plain(&e, "weights", ARRAY_F32, a->weights, 2, modes);
        plain(&e, "nodes", ARRAY_F32, a->nodes, 2, modes);
        int32_t *bank = added(&e, "bank", ARRAY_I32, 3, shape);
        for (int64_t i = 0; bank && i < a->batch * a->time * kv; i++) {
            int64_t h = i % kv, t = i / kv % a->time, b = i / kv / a->time;
            bank[swap ? (b * kv + h) * a->time + t : i] = a->bank.data[i];
        }
    }
    if (a->scale != 0)
        plain(&e, "scale", ARRAY_F32, &a->scale, 0, NULL);
    if (a->segments) {
        const int64_t count = a->segments + 1;
        int64_t *offsets = added(&e, "cu_seqlens", ARRAY_I64, 1, &count);
        if (offsets)
            memcpy(offsets, a->offsets, (size_t)count * sizeof *offsets);
    }
    if (a->state_in)
        state(&e, a, type);
    if (!e.good)
        snprintf(complaint, CHECK_LINE, "there is not enough memory");
    return e.good;
}

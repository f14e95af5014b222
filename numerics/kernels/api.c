/* SPDX-License-Identifier: MIT
 * Entry points: check every argument, then hand each head of each sequence to a thread. */
#include <stdio.h>
#include <string.h>

#include "numerics/kernels/internal.h"
#ifdef _OPENMP
#include <omp.h>
#endif

static const char *const names[MN_KERNELS] = {"linear",    "delta", "vla",
                                              "loglinear", "vort",  "softmax"};
static const char *const isa_names[MN_ISAS] = {"best", "generic", "avx2", "avx512"};

const char *mn_kernel_name(mn_kernel kernel) {
    return (unsigned)kernel < MN_KERNELS ? names[kernel] : "unknown";
}
const char *mn_isa_name(mn_isa isa) {
    return (unsigned)isa < MN_ISAS ? isa_names[isa] : "unknown";
}

bool mn_isa_usable(mn_isa isa) {
#if defined MN_X86 && defined __x86_64__
    if (isa == MN_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == MN_AVX512)
        return __builtin_cpu_supports("avx512f");
#endif
    return isa == MN_BEST || isa == MN_GENERIC;
}
mn_isa mn_isa_best(void) {
    return mn_isa_usable(MN_AVX512) ? MN_AVX512 : mn_isa_usable(MN_AVX2) ? MN_AVX2 : MN_GENERIC;
}

const mn_table *mn_table_for(mn_isa isa) {
    if (isa == MN_BEST)
        isa = mn_isa_best();
    if ((unsigned)isa >= MN_ISAS || !mn_isa_usable(isa))
        return NULL;
#ifdef MN_X86
    if (isa == MN_AVX512)
        return &mn_table_avx512;
    if (isa == MN_AVX2)
        return &mn_table_avx2;
#endif
    return &mn_table_generic;
}

static const char *const reasons[] = {
    [MN_OK] = "no error",
    [MN_BAD_SHAPE] = "size out of range, or not fitting the others",
    [MN_BAD_ARGUMENT] = "missing, or of no use to this kernel",
    [MN_BAD_VALUE] = "value out of range",
    [MN_BAD_OFFSETS] = "offsets must rise from 0 to time",
    [MN_BAD_STATE] = "not aligned to 8 bytes, overlapping, or with an impossible position",
    [MN_TOO_FEW_LEVELS] = "too few levels for the last position",
    [MN_SMALL_WORKSPACE] = "workspace too small, in bytes",
    [MN_NO_ISA] = "instruction set not available here",
};

char *mn_error_text(const mn_error *error, char *buffer, size_t size) {
    const char *reason = (unsigned)error->status < sizeof reasons / sizeof *reasons
                             ? reasons[error->status]
                             : "unknown status";
    if (error->status == MN_OK)
        snprintf(buffer, size, "%s", reason);
    else if (error->found == 0 && error->needed == 0)
        snprintf(buffer, size, "%s: %s", error->argument, reason);
    else
        snprintf(buffer, size, "%s: %s: %lld found, %lld needed", error->argument, reason,
                 (long long)error->found, (long long)error->needed);
    return buffer;
}

mn_status mn_fail(mn_error *error, mn_status status, const char *argument, int64_t found,
                  int64_t needed) {
    if (error)
        *error = (mn_error){status, argument, found, needed};
    return status;
}

int mn_threads(int threads) {
    if (threads > 0)
        return threads;
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* x * y, or -1 when it or a factor is out of [0, 2^62). */
static int64_t times(int64_t x, int64_t y) {
    int64_t z;
    return x < 0 || y < 0 || __builtin_mul_overflow(x, y, &z) || z >> 62 ? -1 : z;
}

int64_t mn_head_state(const mn_args *a) {
    int64_t s = times(a->dk, a->dv), z = a->normalise ? a->dk : 0, square = times(a->dk, a->dk),
            modes = times(a->banks, a->modes);
    if (s < 0)
        return -1;
    switch (a->kernel) {
    case MN_LINEAR:
        return s + z;
    case MN_DELTA:
        return s;
    case MN_VLA:
        return square < 0 ? -1 : s + square + z;
    case MN_LOGLINEAR:
        return times(a->levels, s);
    case MN_VORT:
        return times(modes, s + z);
    default:
        return 0;
    }
}

static int64_t sequences(const mn_args *a) {
    return a->segments ? a->segments : a->batch;
}
static bool has_position(const mn_args *a) {
    return a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR;
}
/* Bytes of all heads' floats, rounded up to 8; -1: too large. */
static int64_t state_floats_bytes(const mn_args *a) {
    int64_t floats = times(times(sequences(a), mn_kv_heads(a)), mn_head_state(a));
    int64_t bytes = times(floats, 4);
    return bytes < 0 ? -1 : (bytes + 7) / 8 * 8;
}

enum {
    NEEDS_G = 1,
    NEEDS_GATE_KEYS = 2,
    NEEDS_BETA = 4,
    NEEDS_U = 8,
    NEEDS_LAMBDA = 16,
    NEEDS_BANK = 32,
    NEEDS_STATE = 64,
    NORMALISES = 128
};
/* What a kernel may be given. */
static const int takes[MN_KERNELS] = {
    [MN_LINEAR] = NEEDS_G | NEEDS_GATE_KEYS | NEEDS_STATE | NORMALISES,
    [MN_DELTA] = NEEDS_G | NEEDS_BETA | NEEDS_STATE,
    [MN_VLA] = NEEDS_U | NEEDS_STATE | NORMALISES,
    [MN_LOGLINEAR] = NEEDS_G | NEEDS_LAMBDA | NEEDS_STATE,
    [MN_VORT] = NEEDS_BANK | NEEDS_STATE | NORMALISES,
    [MN_SOFTMAX] = 0,
};

/* More than any memory holds, and far from overflow with the workspace's padding and threads. */
#define MOST_FLOATS ((int64_t)1 << 48)

static mn_status check_shape(const mn_args *a, mn_error *error) {
#define FAIL(status, argument, found, needed) return mn_fail(error, status, argument, found, needed)
    if ((unsigned)a->kernel >= MN_KERNELS)
        FAIL(MN_BAD_VALUE, "kernel", (int64_t)a->kernel, MN_KERNELS - 1);
    if (a->batch < 0)
        FAIL(MN_BAD_SHAPE, "batch", a->batch, 0);
    if (a->time < 0)
        FAIL(MN_BAD_SHAPE, "time", a->time, 0);
    if (a->heads < 1)
        FAIL(MN_BAD_SHAPE, "heads", a->heads, 1);
    if (a->kv_heads < 0)
        FAIL(MN_BAD_SHAPE, "kv_heads", a->kv_heads, 1);
    if (a->heads % mn_kv_heads(a))
        FAIL(MN_BAD_SHAPE, "kv_heads must divide heads", mn_kv_heads(a), a->heads);
    if (a->dk < 1)
        FAIL(MN_BAD_SHAPE, "dk", a->dk, 1);
    if (a->dv < 1)
        FAIL(MN_BAD_SHAPE, "dv", a->dv, 1);
    if (a->dk > 1 << 20)
        FAIL(MN_BAD_SHAPE, "dk", a->dk, 1 << 20);
    if (a->dv > 1 << 20)
        FAIL(MN_BAD_SHAPE, "dv", a->dv, 1 << 20);
    if (a->segments < 0)
        FAIL(MN_BAD_SHAPE, "segments", a->segments, 0);
    if (a->segments && a->batch != 1)
        FAIL(MN_BAD_SHAPE, "batch with segments", a->batch, 1);
    if (a->kernel == MN_LOGLINEAR && (a->levels < 1 || a->levels > 63))
        FAIL(MN_BAD_SHAPE, "levels", a->levels, a->levels < 1 ? 1 : 63);
    if (a->kernel == MN_VORT && (a->banks < 1 || a->banks > 1 << 20))
        FAIL(MN_BAD_SHAPE, "banks", a->banks, 1);
    if (a->kernel == MN_VORT && (a->modes < 1 || a->modes > 1 << 20))
        FAIL(MN_BAD_SHAPE, "modes", a->modes, 1);
    if (a->kernel == MN_SOFTMAX && a->past < 0)
        FAIL(MN_BAD_SHAPE, "past", a->past, 0);
    if (a->kernel == MN_SOFTMAX && a->past && a->segments)
        FAIL(MN_BAD_SHAPE, "past with segments", a->past, 0);
    int64_t keys, width = times(a->heads, mn_max(a->dk, a->dv)), largest;
    if (__builtin_add_overflow(a->time, a->past, &keys))
        keys = -1;
    largest = times(times(a->batch, keys), width);
    if (largest < 0 || largest > MOST_FLOATS || width > MOST_FLOATS)
        FAIL(MN_BAD_SHAPE, "batch x time x heads x dim", 0, 0);
    if (state_floats_bytes(a) < 0 || state_floats_bytes(a) > MOST_FLOATS)
        FAIL(MN_BAD_SHAPE, "state", 0, 0);
    return MN_OK;
}

static mn_status check_strides(mn_error *error, const char *name, int64_t batch, int64_t time,
                               int64_t head) {
    int64_t least = mn_min(batch, mn_min(time, head));
    if (least < 0)
        FAIL(MN_BAD_VALUE, name, least, 0);
    return MN_OK;
}

static bool overlap(const void *x, const void *y, size_t size) {
    uintptr_t a = (uintptr_t)x, b = (uintptr_t)y;
    return x && y && a != b && (a < b ? b - a : a - b) < size;
}

static mn_status check_positions(const mn_args *a, mn_error *error) {
    const char *positions = a->state_in ? (const char *)a->state_in + state_floats_bytes(a) : NULL;
    for (int64_t n = 0; n < sequences(a); n++) {
        int64_t first = 0, length = a->segments ? a->offsets[n + 1] - a->offsets[n] : a->time;
        if (positions)
            memcpy(&first, positions + 8 * n, 8);
        if (first < 0 || first > INT64_MAX / 2)
            FAIL(MN_BAD_STATE, "state_in", first, 0);
        if (a->kernel != MN_LOGLINEAR || length == 0)
            continue;
        int64_t last = first + length - 1, needed = 1;
        while (last >> (needed - 1))
            needed++;
        if (needed > a->levels)
            FAIL(MN_TOO_FEW_LEVELS, "lambda", a->levels, needed);
    }
    return MN_OK;
}

static mn_status check(const mn_args *a, mn_method method, mn_error *error) {
    mn_status status = check_shape(a, error);
    if (status != MN_OK)
        return status;
    if ((unsigned)method > MN_CHUNK)
        FAIL(MN_BAD_VALUE, "method", (int64_t)method, MN_CHUNK);
    if (method != MN_REFERENCE && !mn_table_for(a->isa))
        FAIL(MN_NO_ISA, "isa", 0, 0);
    int may = takes[a->kernel];
    bool empty = a->batch == 0 || a->time == 0;
    const struct {
        const char *name;
        const void *data;
        int64_t batch, time, head;
        bool needed, taken;
    } arrays[] = {
        {"q", a->q.data, a->q.batch, a->q.time, a->q.head, true, true},
        {"k", a->k.data, a->k.batch, a->k.time, a->k.head, true, true},
        {"v", a->v.data, a->v.batch, a->v.time, a->v.head, true, true},
        {"o", a->o.data, a->o.batch, a->o.time, a->o.head, true, true},
        {"u", a->u.data, a->u.batch, a->u.time, a->u.head, may & NEEDS_U, may & NEEDS_U},
        {"bank", a->bank.data, a->bank.batch, a->bank.time, a->bank.head, may & NEEDS_BANK,
         may & NEEDS_BANK},
        {"g", a->g.data, a->g.batch, a->g.time, a->g.head, false, may & NEEDS_G},
        {"gate_keys", a->gate_keys.data, a->gate_keys.batch, a->gate_keys.time, a->gate_keys.head,
         false, may & NEEDS_GATE_KEYS},
        {"beta", a->beta.data, a->beta.batch, a->beta.time, a->beta.head, false, may & NEEDS_BETA},
        {"lambda", a->lambda.data, a->lambda.batch, a->lambda.time, a->lambda.head, false,
         may & NEEDS_LAMBDA},
        {"weights", a->weights, 0, 0, 0, may & NEEDS_BANK, may & NEEDS_BANK},
        {"nodes", a->nodes, 0, 0, 0, may & NEEDS_BANK, may & NEEDS_BANK},
        {"state_in", a->state_in, 0, 0, 0, false, may & NEEDS_STATE},
        {"state_out", a->state_out, 0, 0, 0, false, may & NEEDS_STATE},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].data ? !arrays[i].taken : arrays[i].needed && !empty)
            FAIL(MN_BAD_ARGUMENT, arrays[i].name, 0, 0);
        status =
            check_strides(error, arrays[i].name, arrays[i].batch, arrays[i].time, arrays[i].head);
        if (status != MN_OK)
            return status;
    }
    if (a->g.data && a->gate_keys.data)
        FAIL(MN_BAD_ARGUMENT, "gate_keys beside g", 0, 0);
    if (a->normalise && !(may & NORMALISES))
        FAIL(MN_BAD_ARGUMENT, "normalise", 0, 0);
    if (!(fabsf(a->scale) <= 3.4e38f))
        FAIL(MN_BAD_VALUE, "scale", 0, 0);
    if (a->kernel == MN_VLA) {
        if (!(a->lambda0 > 0 && a->lambda0 <= 3.4e38f))
            FAIL(MN_BAD_VALUE, "lambda0", 0, 0);
        if (a->refresh_every < 0)
            FAIL(MN_BAD_VALUE, "refresh_every", a->refresh_every, 0);
        if (a->refresh_every && !(a->refresh >= 0 && a->refresh <= 3.4e38f))
            FAIL(MN_BAD_VALUE, "refresh", 0, 0);
    }
    if (a->segments) {
        if (!a->offsets)
            FAIL(MN_BAD_ARGUMENT, "offsets", 0, 0);
        if (a->offsets[0] != 0)
            FAIL(MN_BAD_OFFSETS, "offsets", a->offsets[0], 0);
        for (int64_t n = 0; n < a->segments; n++)
            if (a->offsets[n + 1] < a->offsets[n])
                FAIL(MN_BAD_OFFSETS, "offsets", a->offsets[n + 1], a->offsets[n]);
        if (a->offsets[a->segments] != a->time)
            FAIL(MN_BAD_OFFSETS, "offsets", a->offsets[a->segments], a->time);
    }
    if ((uintptr_t)a->state_in % 8)
        FAIL(MN_BAD_STATE, "state_in", (int64_t)((uintptr_t)a->state_in % 8), 0);
    if ((uintptr_t)a->state_out % 8)
        FAIL(MN_BAD_STATE, "state_out", (int64_t)((uintptr_t)a->state_out % 8), 0);
    if (overlap(a->state_in, a->state_out, mn_state_size(a)))
        FAIL(MN_BAD_STATE, "state_out", 0, 0);
    if (a->kernel == MN_VORT) {
        for (int64_t m = 0; a->nodes && m < a->banks * a->modes; m++)
            if (!(a->nodes[m] >= 0 && a->nodes[m] <= 1))
                FAIL(MN_BAD_VALUE, "nodes", m, 0);
        mn_index b = a->bank;
        if (b.data && !b.batch && !b.time && !b.head)
            b.head = 1, b.time = mn_kv_heads(a), b.batch = b.time * a->time;
        for (int64_t n = 0; n < a->batch && b.data; n++)
            for (int64_t t = 0; t < a->time; t++)
                for (int64_t h = 0; h < mn_kv_heads(a); h++) {
                    int32_t bank = b.data[n * b.batch + t * b.time + h * b.head];
                    if (bank < 0 || bank >= a->banks)
                        FAIL(MN_BAD_VALUE, "bank", bank, a->banks - 1);
                }
    }
    if (has_position(a)) {
        status = check_positions(a, error);
        if (status != MN_OK)
            return status;
    }
    size_t size = mn_workspace_size(a, method);
    if (!empty && (!a->workspace || a->workspace_size < size))
        FAIL(MN_SMALL_WORKSPACE, "workspace", a->workspace ? (int64_t)a->workspace_size : 0,
             (int64_t)size);
    return MN_OK;
}

size_t mn_state_size(const mn_args *a) {
    if (check_shape(a, NULL) != MN_OK || !(takes[a->kernel] & NEEDS_STATE))
        return 0;
    return (size_t)(state_floats_bytes(a) + (has_position(a) ? 8 * sequences(a) : 0));
}

/* Work is shared out by sequence and group of heads.  A thread goes through its heads in turn, a slice of time each, so
 * that it reads memory in order; slices do not depend on the number of threads, nor do results. */
static int64_t groups_of(const mn_args *a) {
    int64_t threads = mn_threads(a->threads), n = mn_max(sequences(a), 1);
    return n >= 4 * threads ? 1 : mn_min(mn_kv_heads(a), threads);
}
static int64_t heads_per_group(const mn_args *a) {
    return (mn_kv_heads(a) + groups_of(a) - 1) / groups_of(a);
}
static int64_t pad16(int64_t n) {
    return (n + 15) / 16 * 16;
}

/* Floats of workspace for one thread: states of its own where none go out, and what the kernel needs. */
static int64_t thread_work(const mn_args *a, mn_method method) {
    int64_t own = a->state_out ? 0 : times(heads_per_group(a), pad16(mn_head_state(a))), kernel;
    if (method == MN_REFERENCE)
        kernel = a->kernel == MN_VLA ? 2 * a->dk : a->kernel == MN_SOFTMAX ? a->past + a->time : 0;
    else
        kernel = (int64_t)mn_table_for(a->isa)->kernel[a->kernel].work(a);
    return own + pad16(kernel) + 16;
}

size_t mn_workspace_size(const mn_args *a, mn_method method) {
    if (check_shape(a, NULL) != MN_OK || (unsigned)method > MN_CHUNK ||
        (method != MN_REFERENCE && !mn_table_for(a->isa)))
        return 0;
    size_t size = (size_t)thread_work(a, method) * sizeof(float);
    return __builtin_mul_overflow(size, (size_t)mn_threads(a->threads), &size) ||
                   size > SIZE_MAX - 64
               ? SIZE_MAX
               : size + 64;
}

static mn_rows rows_of(mn_input x, int64_t length, int64_t heads, int64_t dim, int64_t batch,
                       int64_t t0, int64_t head, int64_t group) {
    if (!x.data)
        return (mn_rows){0};
    if (!x.batch && !x.time && !x.head)
        x.head = dim, x.time = heads * dim, x.batch = length * x.time;
    return (mn_rows){x.data + batch * x.batch + t0 * x.time + head * group * x.head, x.time,
                     x.head};
}

static void initial_state(const mn_args *a, float *state) {
    memset(state, 0, (size_t)mn_head_state(a) * sizeof(float));
    for (int64_t p = 0; a->kernel == MN_VLA && p < a->dk; p++)
        state[a->dk * a->dv + p * (a->dk + 1)] = 1 / a->lambda0;
}

/* Head i of sequence n at its first token.  Field by field: decoding would feel a cleared and copied struct. */
static void start_head(mn_head *h, const mn_args *a, int64_t n, int64_t i, float scale,
                       float *own_state) {
    int64_t kv = mn_kv_heads(a), group = a->heads / kv, size = mn_head_state(a), index = n * kv + i;
    int64_t batch = a->segments ? 0 : n, t0 = a->segments ? a->offsets[n] : 0;
    int64_t keys = a->time + (a->kernel == MN_SOFTMAX ? a->past : 0);
    mn_input out = {a->o.data, a->o.batch, a->o.time, a->o.head};
    h->a = a, h->dk = a->dk, h->dv = a->dv, h->group = group, h->scale = scale;
    h->q = rows_of(a->q, a->time, a->heads, a->dk, batch, t0, i, group);
    h->k = rows_of(a->k, keys, kv, a->dk, batch, t0, i, 1);
    h->v = rows_of(a->v, keys, kv, a->dv, batch, t0, i, 1);
    h->u = rows_of(a->u, a->time, kv, a->dk, batch, t0, i, 1);
    h->g = rows_of(a->g, a->time, kv, 1, batch, t0, i, 1);
    h->beta = rows_of(a->beta, a->time, kv, 1, batch, t0, i, 1);
    h->gate_keys = rows_of(a->gate_keys, a->time, kv, a->dk, batch, t0, i, 1);
    h->lambda = rows_of(a->lambda, a->time, a->heads, a->levels, batch, t0, i, group);
    mn_rows o = rows_of(out, a->time, a->heads, a->dv, batch, t0, i, group);
    h->o.data = (float *)o.data, h->o.step = o.step, h->o.head = o.head;
    h->bank = NULL, h->bank_step = 0;
    if (a->bank.data) {
        mn_index b = a->bank;
        if (!b.batch && !b.time && !b.head)
            b.head = 1, b.time = kv, b.batch = kv * a->time;
        h->bank = b.data + batch * b.batch + t0 * b.time + i * b.head, h->bank_step = b.time;
    }
    h->position = 0, h->before = a->kernel == MN_SOFTMAX ? a->past : 0;
    h->state = NULL, h->work = NULL, h->next = NULL;
    if (size) {
        h->state = a->state_out ? (float *)a->state_out + index * size : own_state;
        if (!a->state_in)
            initial_state(a, h->state);
        else if (a->state_in != a->state_out)
            memcpy(h->state, (const float *)a->state_in + index * size,
                   (size_t)size * sizeof(float));
        if (a->state_in && has_position(a))
            memcpy(&h->position, (const char *)a->state_in + state_floats_bytes(a) + 8 * n, 8);
    }
}

static void pass(mn_rows *x, int64_t n) {
    if (x->data)
        x->data += n * x->step;
}

/* n tokens further; softmax keeps its keys. */
static void advance(mn_head *h, int64_t n) {
    pass(&h->q, n), pass(&h->u, n), pass(&h->g, n), pass(&h->beta, n), pass(&h->gate_keys, n),
        pass(&h->lambda, n);
    if (h->a->kernel != MN_SOFTMAX)
        pass(&h->k, n), pass(&h->v, n);
    if (h->bank)
        h->bank += n * h->bank_step;
    h->o.data += n * h->o.step;
    h->position += n, h->before += n;
}

enum { HEADS_AT_ONCE = 16 };

/* Heads [first, end) of sequence n. */
static void run_heads(const mn_args *a, mn_head_kernel *kernel, int64_t slice, int64_t n,
                      int64_t first, int64_t end, float *work, float *own_states) {
    int64_t time = a->segments ? a->offsets[n + 1] - a->offsets[n] : a->time,
            size = pad16(mn_head_state(a));
    float scale = mn_scale(a);
    for (int64_t i0 = first; i0 < end; i0 += HEADS_AT_ONCE) {
        mn_head heads[HEADS_AT_ONCE]; /* in order of their turns */
        int64_t count = mn_min(HEADS_AT_ONCE, end - i0);
        for (int64_t i = 0; i < count; i++) {
            start_head(&heads[i], a, n, i0 + i, scale, own_states + (i0 - first + i) * size);
            heads[i].time = mn_min(slice, time);
        }
        for (int64_t t = 0; t < time; t += slice)
            for (int64_t i = 0; i < count; i++) {
                heads[i].work = work;
                heads[i].next = i + 1 < count ? &heads[i + 1] : &heads[0];
                if (i + 1 == count && t + slice >= time)
                    heads[i].next = NULL;
                kernel(&heads[i]);
                advance(&heads[i], heads[i].time);
                heads[i].time = mn_min(slice, time - t - heads[i].time);
            }
    }
}

/* Whether there is enough to do for threads to start (a microsecond or more): floats touched, about. */
static bool worth_sharing(const mn_args *a) {
    int64_t token = mn_head_state(a) + a->dk + a->dv,
            keys = a->kernel == MN_SOFTMAX ? a->past + a->time : 1;
    return times(times(a->time, mn_kv_heads(a) * sequences(a)), times(keys, token)) >= 1 << 18;
}

mn_status mn_run(const mn_args *a, mn_method method, mn_error *error) {
    mn_status status = check(a, method, error);
    if (status != MN_OK)
        return status;
    mn_fail(error, MN_OK, "", 0, 0);
    if ((a->time == 0 && !a->state_out) || sequences(a) == 0)
        return MN_OK;
    const mn_table *table = method == MN_REFERENCE ? NULL : mn_table_for(a->isa);
    mn_head_kernel *kernel =
        table ? table->kernel[a->kernel].run[method == MN_CHUNK] : mn_reference[a->kernel];
    int64_t slice = table ? table->kernel[a->kernel].slice : INT64_MAX / 2;
    float *work = (float *)(((uintptr_t)a->workspace + 63) / 64 * 64);
    int64_t each = a->time ? thread_work(a, method) : 0,
            own = a->state_out ? 0 : heads_per_group(a) * pad16(mn_head_state(a));
    int64_t kv = mn_kv_heads(a), groups = groups_of(a), tasks = sequences(a) * groups;
    int threads = worth_sharing(a) ? (int)mn_min(mn_threads(a->threads), tasks) : 1;
    if (threads == 1) { /* without OpenMP's start and end, which decoding would feel */
        for (int64_t task = 0; task < tasks; task++)
            run_heads(a, kernel, slice, task / groups, task % groups * kv / groups,
                      (task % groups + 1) * kv / groups, work + own, work);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (int64_t task = 0; task < tasks; task++) {
            int64_t me = 0, group = task % groups;
#ifdef _OPENMP
            me = omp_get_thread_num();
#endif
            run_heads(a, kernel, slice, task / groups, group * kv / groups,
                      (group + 1) * kv / groups, work + me * each + own, work + me * each);
        }
    }
    if (a->state_out && has_position(a)) {
        char *in = a->state_in ? (char *)a->state_in + state_floats_bytes(a) : NULL,
             *out = (char *)a->state_out + state_floats_bytes(a);
        for (int64_t n = 0; n < sequences(a); n++) {
            int64_t position = 0;
            if (in)
                memcpy(&position, in + 8 * n, 8);
            position += a->segments ? a->offsets[n + 1] - a->offsets[n] : a->time;
            memcpy(out + 8 * n, &position, 8);
        }
    }
    return MN_OK;
}

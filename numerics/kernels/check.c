/* SPDX-License-Identifier: MIT
 * Every argument is checked before anything is written; what was wrong is said in one line. */
#include <stdio.h>
#include <string.h>

#include "numerics/kernels/internal.h"

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

/* x * y, or -1 when it or a factor is out of [0, 2^62). */
int64_t mn_times(int64_t x, int64_t y) {
    int64_t z;
    return x < 0 || y < 0 || __builtin_mul_overflow(x, y, &z) || z >> 62 ? -1 : z;
}

int64_t mn_head_state(const mn_args *a) {
    int64_t s = mn_times(a->dk, a->dv), z = a->normalise ? a->dk : 0,
            square = mn_times(a->dk, a->dk), modes = mn_times(a->banks, a->modes);
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
        return mn_times(a->levels, s);
    case MN_VORT:
        return mn_times(modes, s + z);
    default:
        return 0;
    }
}

int64_t mn_sequences(const mn_args *a) {
    return a->segments ? a->segments : a->batch;
}
bool mn_has_position(const mn_args *a) {
    return a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR;
}
int64_t mn_state_floats_bytes(const mn_args *a) {
    int64_t floats = mn_times(mn_times(mn_sequences(a), mn_kv_heads(a)), mn_head_state(a));
    int64_t bytes = mn_times(floats, 4);
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

mn_status mn_check_shape(const mn_args *a, mn_error *error) {
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
    int64_t keys, width = mn_times(a->heads, mn_max(a->dk, a->dv)), largest;
    if (__builtin_add_overflow(a->time, a->past, &keys))
        keys = -1;
    largest = mn_times(mn_times(a->batch, keys), width);
    if (largest < 0 || largest > MOST_FLOATS || width > MOST_FLOATS)
        FAIL(MN_BAD_SHAPE, "batch x time x heads x dim", 0, 0);
    if (mn_state_floats_bytes(a) < 0 || mn_state_floats_bytes(a) > MOST_FLOATS)
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
    const char *positions =
        a->state_in ? (const char *)a->state_in + mn_state_floats_bytes(a) : NULL;
    for (int64_t n = 0; n < mn_sequences(a); n++) {
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

mn_status mn_check(const mn_args *a, mn_method method, mn_error *error) {
    mn_status status = mn_check_shape(a, error);
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
    if (mn_has_position(a)) {
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
    if (mn_check_shape(a, NULL) != MN_OK || !(takes[a->kernel] & NEEDS_STATE))
        return 0;
    return (size_t)(mn_state_floats_bytes(a) + (mn_has_position(a) ? 8 * mn_sequences(a) : 0));
}

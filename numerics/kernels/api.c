/* SPDX-License-Identifier: MIT
 * Entry points: each head of each sequence is handed to a thread. */
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

int mn_threads(int threads) {
    if (threads > 0)
        return threads;
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* Work is shared out by sequence and group of heads.  A thread goes through its heads in turn, a
 * slice of time each, so that it reads memory in order; slices do not depend on the number of
 * threads, nor do results. */
static int64_t groups_of(const mn_args *a) {
    int64_t threads = mn_threads(a->threads), n = mn_max(mn_sequences(a), 1);
    return n >= 4 * threads ? 1 : mn_min(mn_kv_heads(a), threads);
}
static int64_t heads_per_group(const mn_args *a) {
    return (mn_kv_heads(a) + groups_of(a) - 1) / groups_of(a);
}
static int64_t pad16(int64_t n) {
    return (n + 15) / 16 * 16;
}

/* Floats of workspace for one thread: states of its own where none go out, and what the kernel
 * needs. */
static int64_t thread_work(const mn_args *a, mn_method method) {
    int64_t own = a->state_out ? 0 : mn_times(heads_per_group(a), pad16(mn_head_state(a))), kernel;
    if (method == MN_REFERENCE)
        kernel = a->kernel == MN_VLA ? 2 * a->dk : a->kernel == MN_SOFTMAX ? a->past + a->time : 0;
    else
        kernel = (int64_t)mn_table_for(a->isa)->kernel[a->kernel].work(a);
    return own + pad16(kernel) + 16;
}

size_t mn_workspace_size(const mn_args *a, mn_method method) {
    if (mn_check_shape(a, NULL) != MN_OK || (unsigned)method > MN_CHUNK ||
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

/* Head i of sequence n at its first token.  Field by field: decoding would feel a cleared and
 * copied struct. */
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
        if (a->state_in && mn_has_position(a))
            memcpy(&h->position, (const char *)a->state_in + mn_state_floats_bytes(a) + 8 * n, 8);
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

/* Whether there is enough to do for threads to start (a microsecond or more): floats touched,
 * about. */
static bool worth_sharing(const mn_args *a) {
    int64_t token = mn_head_state(a) + a->dk + a->dv,
            keys = a->kernel == MN_SOFTMAX ? a->past + a->time : 1;
    return mn_times(mn_times(a->time, mn_kv_heads(a) * mn_sequences(a)), mn_times(keys, token)) >=
           1 << 18;
}

mn_status mn_run(const mn_args *a, mn_method method, mn_error *error) {
    mn_status status = mn_check(a, method, error);
    if (status != MN_OK)
        return status;
    mn_fail(error, MN_OK, "", 0, 0);
    if ((a->time == 0 && !a->state_out) || mn_sequences(a) == 0)
        return MN_OK;
    const mn_table *table = method == MN_REFERENCE ? NULL : mn_table_for(a->isa);
    mn_head_kernel *kernel =
        table ? table->kernel[a->kernel].run[method == MN_CHUNK] : mn_reference[a->kernel];
    int64_t slice = table ? table->kernel[a->kernel].slice : INT64_MAX / 2;
    float *work = (float *)(((uintptr_t)a->workspace + 63) / 64 * 64);
    int64_t each = a->time ? thread_work(a, method) : 0,
            own = a->state_out ? 0 : heads_per_group(a) * pad16(mn_head_state(a));
    int64_t kv = mn_kv_heads(a), groups = groups_of(a), tasks = mn_sequences(a) * groups;
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
    if (a->state_out && mn_has_position(a)) {
        char *in = a->state_in ? (char *)a->state_in + mn_state_floats_bytes(a) : NULL,
             *out = (char *)a->state_out + mn_state_floats_bytes(a);
        for (int64_t n = 0; n < mn_sequences(a); n++) {
            int64_t position = 0;
            if (in)
                memcpy(&position, in + 8 * n, 8);
            position += a->segments ? a->offsets[n + 1] - a->offsets[n] : a->time;
            memcpy(out + 8 * n, &position, 8);
        }
    }
    return MN_OK;
}

/* SPDX-License-Identifier: MIT
 * Entry point of the convolutions: checks, and channels shared out to threads. */
#include <string.h>

#include "numerics/kernels/internal.h"
#ifdef _OPENMP
#include <omp.h>
#endif

enum { PANEL = 64 }; /* channels of a task */

static void reference(const mn_convolution *c, const float *x, int64_t xstep, float *y,
                      int64_t ystep, float *state, int64_t channels, float *work) {
    for (int64_t i = 0; i < channels; i++) {
        float *h = state ? state + i : work;
        int64_t step = state ? c->channels : 1;
        if (!state)
            memset(work, 0, (size_t)c->modes * sizeof(float));
        for (int64_t t = 0; t < c->time; t++) {
            float sum = 0;
            for (int64_t m = 0; m < c->modes; m++) {
                h[m * step] = c->nodes[m] * h[m * step] + x[t * xstep + i];
                sum += c->weights[m] * h[m * step];
            }
            for (int64_t j = 0; c->modes == 0 && j < c->kernel_length && j <= t; j++)
                sum += c->kernel[j] * x[(t - j) * xstep + i];
            y[t * ystep + i] = sum;
        }
    }
}

#define FAIL(status, argument, found, needed) return mn_fail(error, status, argument, found, needed)
static mn_status check(const mn_convolution *c, mn_method method, mn_error *error) {
    int64_t size;
    if (c->batch < 0)
        FAIL(MN_BAD_SHAPE, "batch", c->batch, 0);
    if (c->time < 0)
        FAIL(MN_BAD_SHAPE, "time", c->time, 0);
    if (c->channels < 1)
        FAIL(MN_BAD_SHAPE, "channels", c->channels, 1);
    if (c->modes < 0 || c->modes > 1 << 20)
        FAIL(MN_BAD_SHAPE, "modes", c->modes, c->modes < 0 ? 0 : 1 << 20);
    if (__builtin_mul_overflow(c->batch, c->time, &size) ||
        __builtin_mul_overflow(size, c->channels, &size) || size >> 60)
        FAIL(MN_BAD_SHAPE, "batch x time x channels", 0, 0);
    if (__builtin_mul_overflow(c->batch, c->modes, &size) ||
        __builtin_mul_overflow(size, c->channels, &size) || size >> 60)
        FAIL(MN_BAD_SHAPE, "batch x modes x channels", 0, 0);
    if ((unsigned)method > MN_CHUNK)
        FAIL(MN_BAD_VALUE, "method", (int64_t)method, MN_CHUNK);
    if (method != MN_REFERENCE && !mn_table_for(c->isa))
        FAIL(MN_NO_ISA, "isa", 0, 0);
    if (c->modes == 0) {
        if (c->kernel_length < 0)
            FAIL(MN_BAD_SHAPE, "kernel_length", c->kernel_length, 0);
        if (c->kernel_length && !c->kernel)
            FAIL(MN_BAD_ARGUMENT, "kernel", 0, 0);
        if (c->state_in)
            FAIL(MN_BAD_ARGUMENT, "state_in", 0, 0);
        if (c->state_out)
            FAIL(MN_BAD_ARGUMENT, "state_out", 0, 0);
        if (method == MN_STEP)
            FAIL(MN_BAD_VALUE, "method without modes", MN_STEP, MN_CHUNK);
    } else {
        if (!c->weights)
            FAIL(MN_BAD_ARGUMENT, "weights", 0, 0);
        if (!c->nodes)
            FAIL(MN_BAD_ARGUMENT, "nodes", 0, 0);
        if (c->kernel)
            FAIL(MN_BAD_ARGUMENT, "kernel", 0, 0);
        for (int64_t m = 0; m < c->modes; m++)
            if (!(c->nodes[m] >= 0 && c->nodes[m] <= 1))
                FAIL(MN_BAD_VALUE, "nodes", m, 0);
    }
    uintptr_t in = (uintptr_t)c->state_in, out = (uintptr_t)c->state_out;
    if (in && out && in != out && (in < out ? out - in : in - out) < mn_convolution_state_size(c))
        FAIL(MN_BAD_STATE, "state_out", 0, 0);
    if (c->x.batch < 0 || c->x.time < 0)
        FAIL(MN_BAD_VALUE, "x", mn_min(c->x.batch, c->x.time), 0);
    if (c->y.batch < 0 || c->y.time < 0)
        FAIL(MN_BAD_VALUE, "y", mn_min(c->y.batch, c->y.time), 0);
    if (c->batch == 0 || c->time == 0)
        return MN_OK;
    if (!c->x.data)
        FAIL(MN_BAD_ARGUMENT, "x", 0, 0);
    if (!c->y.data)
        FAIL(MN_BAD_ARGUMENT, "y", 0, 0);
    if (c->x.data == c->y.data)
        FAIL(MN_BAD_ARGUMENT, "y in place of x", 0, 0);
    size_t needed = mn_convolution_workspace_size(c, method);
    if (!c->workspace || c->workspace_size < needed)
        FAIL(MN_SMALL_WORKSPACE, "workspace", c->workspace ? (int64_t)c->workspace_size : 0,
             (int64_t)needed);
    return MN_OK;
}

size_t mn_convolution_state_size(const mn_convolution *c) {
    int64_t size;
    if (c->batch < 0 || c->modes < 0 || c->channels < 1 ||
        __builtin_mul_overflow(c->batch, c->modes, &size) ||
        __builtin_mul_overflow(size, c->channels, &size) || size >> 60)
        return 0;
    return (size_t)size * sizeof(float);
}

static size_t thread_work(const mn_convolution *c, mn_method method) {
    size_t lanes = 16, states = ((size_t)c->modes * lanes + 15) / 16 * 16;
    return states + (method == MN_REFERENCE ? 0 : mn_table_for(c->isa)->convolve_work(c));
}

size_t mn_convolution_workspace_size(const mn_convolution *c, mn_method method) {
    if (c->modes < 0 || c->modes > 1 << 20 || (unsigned)method > MN_CHUNK ||
        (method != MN_REFERENCE && !mn_table_for(c->isa)))
        return 0;
    return thread_work(c, method) * sizeof(float) * (size_t)mn_threads(c->threads) + 64;
}

mn_status mn_convolve(const mn_convolution *c, mn_method method, mn_error *error) {
    mn_status status = check(c, method, error);
    if (status != MN_OK)
        return status;
    mn_fail(error, MN_OK, "", 0, 0);
    size_t each = c->batch && c->time ? thread_work(c, method) : 0;
    float *work = (float *)(((uintptr_t)c->workspace + 63) / 64 * 64);
    if (c->state_out) {
        if (!c->state_in)
            memset(c->state_out, 0, mn_convolution_state_size(c));
        else if (c->state_in != c->state_out)
            memcpy(c->state_out, c->state_in, mn_convolution_state_size(c));
    }
    if (c->batch == 0 || c->time == 0)
        return MN_OK;
    mn_convolve_kernel *kernel =
        method == MN_REFERENCE
            ? reference
            : mn_table_for(c->isa)->convolve[c->modes == 0 ? 2 : method == MN_CHUNK];
    bool x_packed = !c->x.batch && !c->x.time, y_packed = !c->y.batch && !c->y.time;
    int64_t xstep = x_packed ? c->channels : c->x.time,
            xbatch = x_packed ? xstep * c->time : c->x.batch;
    int64_t ystep = y_packed ? c->channels : c->y.time,
            ybatch = y_packed ? ystep * c->time : c->y.batch;
    int64_t panels = (c->channels + PANEL - 1) / PANEL, tasks = c->batch * panels;
    int threads = (int)mn_min(mn_threads(c->threads), tasks);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
    for (int64_t task = 0; task < tasks; task++) {
        size_t me = 0;
#ifdef _OPENMP
        me = (size_t)omp_get_thread_num();
#endif
        int64_t n = task / panels, first = task % panels * PANEL,
                count = mn_min(PANEL, c->channels - first);
        float *state = c->state_out ? c->state_out + n * c->modes * c->channels + first : NULL;
        kernel(c, c->x.data + n * xbatch + first, xstep, c->y.data + n * ybatch + first, ystep,
               state, count, work + me * each);
    }
    return MN_OK;
}

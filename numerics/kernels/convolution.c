/* SPDX-License-Identifier: MIT
 * Causal convolution y_t = sum_j w_j x_{t-j}: with a sum of exponentials w_j = sum_m c_m x_m^j,
 * or directly.
 *
 * In a block of B outputs that starts from the states h_m = sum_j x_m^j x_{t-1-j},
 *     y = T x + V h,   h <- diag(x_m^B) h + W x,   T_ij = w_{i-j} (j <= i),  V_im = c_m
 *         x_m^(i+1),  W_mj = x_m^(B-1-j).
 * Many channels: columns of x, y, h.  Few: one channel at a time, ROWS blocks under one another,
 * and the recurrence of h runs along them, so that all three are products of matrices in both
 * cases. */
#include "numerics/kernels/block.h"

enum { BLOCK = 32, ROWS = 48, CHANNELS = 64 };

typedef struct {
    int64_t modes, mp;
    float *powers; /* [modes][BLOCK + 1] */
    float *kernel, *toeplitz, *out,
        *in; /* w [BLOCK]; T, or T^T; V [BLOCK][modes], or V^T; W^T [BLOCK][mp] */
    float *x, *y, *state,
        *forward; /* [BLOCK][CHANNELS] or [ROWS][BLOCK] x 2; [mp][CHANNELS], [ROWS + 1][mp] x 2 */
    float *last;  /* x_m^B [mp] */
} block_work;

static size_t layout(const mn_convolution *c, block_work *w, float *base) {
    float *p = base;
    int64_t modes = w->modes = c->modes, mp = w->mp = v_pad(c->modes),
            wide = mn_max(BLOCK, CHANNELS);
    w->powers = carve(&p, modes * (BLOCK + 1)), w->kernel = carve(&p, BLOCK),
    w->toeplitz = carve(&p, BLOCK * BLOCK);
    w->out = carve(&p, BLOCK * mp), w->in = carve(&p, BLOCK * mp);
    w->x = carve(&p, ROWS * wide), w->y = carve(&p, ROWS * wide);
    w->state = carve(&p, mn_max(mp * CHANNELS, (ROWS + 1) * mp)), w->forward = carve(&p, ROWS * mp),
    w->last = carve(&p, mp);
    return (size_t)(p - base);
}

size_t MN_FN(mn_convolve_work)(const mn_convolution *c) {
    block_work w;
    return layout(c, &w, NULL);
}

static void tables(const mn_convolution *c, const block_work *w, bool transposed) {
    int64_t modes = w->modes, mp = w->mp;
    memset(w->out, 0, (size_t)(BLOCK * mp) * sizeof(float));
    memset(w->in, 0, (size_t)(BLOCK * mp) * sizeof(float));
    memset(w->last, 0, (size_t)mp * sizeof(float));
    double kernel[BLOCK] = {0}; /* powers and sums in double, one rounding each in the end */
    for (int64_t m = 0; m < modes; m++) {
        double power = 1;
        for (int64_t i = 0; i <= BLOCK; i++) {
            w->powers[m * (BLOCK + 1) + i] = (float)power;
            if (i < BLOCK)
                kernel[i] += (double)c->weights[m] * power,
                    w->in[(BLOCK - 1 - i) * mp + m] = (float)power;
            power *= (double)c->nodes[m];
            if (i < BLOCK)
                w->out[transposed ? m * BLOCK + i : i * modes + m] =
                    (float)((double)c->weights[m] * power);
        }
        w->last[m] = w->powers[m * (BLOCK + 1) + BLOCK];
    }
    for (int64_t i = 0; i < BLOCK; i++)
        w->kernel[i] = (float)kernel[i];
    for (int64_t i = 0; i < BLOCK; i++)
        for (int64_t j = 0; j < BLOCK; j++)
            w->toeplitz[transposed ? j * BLOCK + i : i * BLOCK + j] = j <= i ? w->kernel[i - j] : 0;
}

/* n outputs (fewer than a block) of one channel, by the recurrence. */
static void tail(const mn_convolution *c, const block_work *w, int64_t n, const float *x,
                 int64_t xstep, float *y, int64_t ystep, float *h) {
    for (int64_t t = 0; t < n; t++) {
        float sum = 0;
        for (int64_t m = 0; m < w->modes; m++) {
            h[m] = fmaf(c->nodes[m], h[m], x[t * xstep]);
            sum = fmaf(c->weights[m], h[m], sum);
        }
        y[t * ystep] = sum;
    }
}

/* Whether any of these rows holds a number that is not finite. */
static bool spoilt(int64_t rows, mn_left x) {
    vf sum[BLOCK / VL], all = v_set(0);
    UNROLL for (int j = 0; j < BLOCK / VL; j++) sum[j] = v_set(0);
    for (int64_t r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < BLOCK / VL; j++) sum[j] =
            v_fma(v_load(x.data + r * x.row + j * VL), v_set(0), sum[j]);
    UNROLL for (int j = 0; j < BLOCK / VL; j++) all = all + sum[j];
    return !(v_sum(all) == 0);
}

/* The same sums as the product with T^T gives, without its zeros where a row of x is not finite:
 * 0 times that is not 0. */
static void without_zeros(const block_work *w, int64_t rows, mn_left x, float *y) {
    for (int64_t r = 0; r < rows; r++) {
        const float *in = x.data + r * x.row;
        float *out = y + r * BLOCK, sum[VL];
        if (!spoilt(1, (mn_left){in, x.row, 1}))
            continue;
        memset(out, 0, BLOCK * sizeof *out);
        for (int64_t p = 0; p < BLOCK; p++)
            for (int64_t j = 0; j < BLOCK; j += VL) {
                v_store(sum,
                        v_fma(v_set(in[p]), v_load(w->toeplitz + p * BLOCK + j), v_load(out + j)));
                for (int64_t i = mn_max(p - j, 0); i < VL; i++)
                    out[j + i] = sum[i];
            }
    }
}

/* One channel: rows of x are blocks. */
static void one_channel(const mn_convolution *c, const block_work *w, const float *x, int64_t xstep,
                        float *y, int64_t ystep, float *h, int64_t hstep) {
    int64_t mp = w->mp, time = c->time, t = 0;
    float *state = w->state;
    memset(state, 0, (size_t)mp * sizeof(float));
    for (int64_t m = 0; h && m < w->modes; m++)
        state[m] = h[m * hstep];
    while (time - t >= BLOCK) {
        int64_t rows = mn_min(ROWS, (time - t) / BLOCK);
        const float *in = x + t * xstep;
        mn_left left = {in, BLOCK, 1};
        if (xstep != 1) {
            for (int64_t i = 0; i < rows * BLOCK; i++)
                w->x[i] = in[i * xstep];
            left.data = w->x;
        }
        float *out = ystep == 1 ? y + t : w->y;
        product_set(rows, mp, BLOCK, left, w->in, mp, w->forward, mp, NULL);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t m = 0; m < mp; m += VL)
                v_store(state + (r + 1) * mp + m,
                        v_fma(v_load(w->last + m), v_load(state + r * mp + m),
                              v_load(w->forward + r * mp + m)));
        product_set(rows, BLOCK, BLOCK, left, w->toeplitz, BLOCK, out, BLOCK, NULL);
        if (spoilt(rows, left))
            without_zeros(w, rows, left, out);
        product_add(rows, BLOCK, w->modes, (mn_left){state, mp, 1}, w->out, BLOCK, out, BLOCK,
                    NULL);
        if (ystep != 1)
            for (int64_t i = 0; i < rows * BLOCK; i++)
                y[(t + i) * ystep] = w->y[i];
        for (int64_t m = 0; m < mp; m += VL)
            v_store(state + m, v_load(state + rows * mp + m));
        t += rows * BLOCK;
    }
    tail(c, w, time - t, x + t * xstep, xstep, y + t * ystep, ystep, state);
    for (int64_t m = 0; h && m < w->modes; m++)
        h[m * hstep] = state[m];
}

static void soe_chunk(const mn_convolution *c, const float *x, int64_t xstep, float *y,
                      int64_t ystep, float *state, int64_t channels, float *work) {
    block_work place, *w = &place;
    layout(c, w, work);
    if (channels < VL) {
        tables(c, w, true);
        for (int64_t i = 0; i < channels; i++)
            one_channel(c, w, x + i, xstep, y + i, ystep, state ? state + i : NULL, c->channels);
        return;
    }
    tables(c, w, false);
    for (int64_t first = 0; first < channels; first += CHANNELS) {
        int64_t n = mn_min(CHANNELS, channels - first), np = v_pad(n), modes = w->modes;
        memset(w->state, 0, (size_t)(modes * np) * sizeof(float));
        if (state)
            rows_in(modes, n, state + first, c->channels, w->state, np);
        for (int64_t t = 0; t < c->time; t += BLOCK) {
            int64_t m = mn_min(BLOCK, c->time - t);
            rows_in(m, n, x + t * xstep + first, xstep, w->x, np);
            product_set(m, np, modes, (mn_left){w->out, modes, 1}, w->state, np, w->y, np, NULL);
            product_lower_add(m, np, m, (mn_left){w->toeplitz, BLOCK, 1}, w->x, np, w->y, np, 0,
                              NULL);
            rows_out(m, n, w->y, np, y + t * ystep + first, ystep);
            for (int64_t s = 0; s < modes; s++)
                w->forward[s] = w->powers[s * (BLOCK + 1) + m];
            product_decay(modes, np, m, (mn_left){w->in + (BLOCK - m) * w->mp, 1, w->mp}, w->x, np,
                          w->state, np, w->forward, NULL);
        }
        if (state)
            rows_out(modes, n, w->state, np, state + first, c->channels);
    }
}

static void soe_step(const mn_convolution *c, const float *x, int64_t xstep, float *y,
                     int64_t ystep, float *state, int64_t channels, float *work) {
    for (int64_t i = 0; i < channels; i += VL) {
        int64_t n = mn_min(VL, channels - i);
        float *h = state ? state + i : work;
        int64_t step = state ? c->channels : VL;
        for (int64_t m = 0; !state && m < c->modes; m++)
            v_store(work + m * VL, v_set(0));
        for (int64_t t = 0; t < c->time; t++) {
            vf in = v_load_n(x + t * xstep + i, n), sum = v_set(0);
            for (int64_t m = 0; m < c->modes; m++) {
                vf s = v_fma(v_set(c->nodes[m]), v_load_n(h + m * step, n), in);
                v_store_n(h + m * step, s, n);
                sum = v_fma(v_set(c->weights[m]), s, sum);
            }
            v_store_n(y + t * ystep + i, sum, n);
        }
    }
}

/* y_t = sum_j kernel_j x_{t-j}: lanes are channels, or times where there are fewer channels than
 * lanes. */
static void direct(const mn_convolution *c, const float *x, int64_t xstep, float *y, int64_t ystep,
                   float *state, int64_t channels, float *work) {
    (void)state, (void)work;
    int64_t length = c->kernel_length;
    if (channels == 1 && xstep == 1 && ystep == 1) {
        for (int64_t t = 0; t < c->time; t += VL) {
            int64_t n = mn_min(VL, c->time - t), both = mn_min(length, t + 1);
            vf sum = v_set(0);
            for (int64_t j = 0; j < both; j++)
                sum = v_fma(v_set(c->kernel[j]), v_load_n(x + t - j, n), sum);
            v_store_n(y + t, sum, n);
            for (int64_t i = 1; i < n; i++) /* lags that only the later of these outputs reach */
                for (int64_t j = t + 1; j <= t + i && j < length; j++)
                    y[t + i] = fmaf(c->kernel[j], x[t + i - j], y[t + i]);
        }
        return;
    }
    for (int64_t i = 0; i < channels; i += VL) {
        int64_t n = mn_min(VL, channels - i);
        for (int64_t t = 0; t < c->time; t++) {
            vf sum = v_set(0);
            for (int64_t j = 0; j <= t && j < length; j++)
                sum = v_fma(v_set(c->kernel[j]), v_load_n(x + (t - j) * xstep + i, n), sum);
            v_store_n(y + t * ystep + i, sum, n);
        }
    }
}

mn_convolve_kernel *const MN_FN(mn_convolve)[3] = {soe_step, soe_chunk, direct};

/* Error bound.  Nodes, weights and inputs are exact; a term w_m x_m^j x_{t-j} meets at most t
 * roundings of decays and t of sums in the recurrence, fewer in blocks, modes + 2 BLOCK + 16
 * more:
 *     |y computed - y| <= gamma_N sum_j sum_m |w_m| x_m^j |x_{t-j}| + 2^-146 (t + BLOCK) (modes
 *         + 1) max(1, |w|) max(1, |x|, |h|),
 *     N = 2 t + modes + 2 BLOCK + 16,
 * t the steps since the state h was zero or exact; the last term is underflow, which may leave
 * 2^-150 in every step of every mode. States: without modes and w.  Directly: N = min(t, length)
 * + 2, and |w_j| for the sum over m. */

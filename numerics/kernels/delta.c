/* SPDX-License-Identifier: MIT
 * The delta rule, plain or gated.
 *
 *     S' = c_t S_{t-1},   S_t = S' + k_t e_t^T,   e_t = beta_t (v_t - S'^T k_t),   o_t = scale
 *         S_t^T q_t,   c_t = e^{g_t}.
 *
 * In a chunk that starts from S, with D_ij = c_{j+1} ... c_i and D_i = c_1 ... c_i (WY form):
 *     e_i = beta_i (v_i - D_i S^T k_i - sum_{j<i} D_ij (k_j.k_i) e_j),      a unit triangular
 *         system,
 *     o_i = scale (D_i S^T q_i + sum_{j<=i} D_ij (q_i.k_j) e_j),   S <- D_m S + sum_j D_mj k_j
 *         e_j^T. */
#include "numerics/kernels/gates.h"
#include "numerics/kernels/solve.h"
#include "numerics/kernels/step.h"

enum { CHUNK = 32 };

static void step(const mn_head *h) {
    for (int64_t t = 0; t < h->time; t++) {
        const float *k = h->k.data + t * h->k.step, *q = h->q.data + t * h->q.step;
        float c = h->g.data ? expf(h->g.data[t * h->g.step]) : 1,
              beta = h->beta.data ? h->beta.data[t * h->beta.step] : 1;
        float *o = h->o.data + t * h->o.step;
        step_correct(h->dk, h->dv, h->state, h->dv, c, beta, k, k, h->v.data + t * h->v.step, q,
                     h->scale, o);
        for (int64_t i = 1; i < h->group; i++)
            step_read(h->dk, h->dv, h->state, h->dv, q + i * h->q.head, h->scale,
                      o + i * h->o.head);
    }
}

typedef struct {
    int64_t kp, vp;
    float *s;                                  /* [dk][vp] */
    float *keys, *transposed;                  /* [CHUNK][kp]; [kp][CHUNK] */
    float *errors, *out, *weights, *triangle;  /* [CHUNK][vp] x 2; [CHUNK][CHUNK] x 2 */
    float *decay, *from_start, *to_end, *beta; /* [CHUNK][CHUNK]; [CHUNK] x 3 */
    float *gate;                               /* [kp] */
    mn_ahead *ahead;
} chunk_work;

static size_t layout(const mn_args *a, chunk_work *w, float *base) {
    int64_t kp = w->kp = v_pad(a->dk), vp = w->vp = v_pad(a->dv);
    float *p = base;
    w->s = carve(&p, a->dk * vp);
    w->keys = carve(&p, CHUNK * kp), w->transposed = carve(&p, CHUNK * kp);
    w->errors = carve(&p, CHUNK * vp), w->out = carve(&p, CHUNK * vp);
    w->weights = carve(&p, CHUNK * CHUNK), w->triangle = carve(&p, CHUNK * CHUNK),
    w->decay = carve(&p, CHUNK * CHUNK);
    w->from_start = carve(&p, CHUNK), w->to_end = carve(&p, CHUNK), w->beta = carve(&p, CHUNK);
    w->gate = carve(&p, kp);
    return (size_t)(p - base);
}

size_t MN_FN(mn_delta_work)(const mn_args *a) {
    chunk_work w;
    return layout(a, &w, NULL);
}

static void chunk_tokens(const mn_head *h, const chunk_work *w, int64_t t, int64_t m) {
    int64_t kp = w->kp, vp = w->vp;
    const float *g = h->g.data ? h->g.data + t * h->g.step : NULL;
    mn_left keys = {w->keys, kp, 1};
    rows_in(m, h->dk, h->k.data + t * h->k.step, h->k.step, w->keys, kp);
    rows_in(m, h->dv, h->v.data + t * h->v.step, h->v.step, w->errors, vp);
    transpose(m, h->dk, w->keys, kp, w->transposed, CHUNK);
    float all = decays(m, g, h->g.step, 1, w->decay, CHUNK, w->from_start, w->to_end);
    for (int64_t i = 0; i < m; i++)
        w->beta[i] = h->beta.data ? h->beta.data[(t + i) * h->beta.step] : 1;

    product_set_lower(m, h->dk, keys, w->transposed, CHUNK, w->triangle, CHUNK, w->ahead);
    mask_lower(m, w->decay, w->triangle, CHUNK);
    product_set(m, vp, h->dk, keys, w->s, vp, w->out, vp, w->ahead);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < vp; j += VL)
            v_store(w->errors + i * vp + j,
                    v_fnma(v_set(w->from_start[i]), v_load(w->out + i * vp + j),
                           v_load(w->errors + i * vp + j)));
    solve_lower(m, vp, w->triangle, CHUNK, w->beta, w->errors, vp);

    for (int64_t i = 0; i < m; i++) {
        w->from_start[i] *= h->scale;
        for (int64_t j = 0; j < v_pad(m); j += VL)
            v_store(w->decay + i * CHUNK + j, v_load(w->decay + i * CHUNK + j) * v_set(h->scale));
    }
    for (int64_t i = 0; i < h->group; i++) {
        mn_left queries = {h->q.data + t * h->q.step + i * h->q.head, h->q.step, 1};
        product_set_lower(m, h->dk, queries, w->transposed, CHUNK, w->weights, CHUNK, w->ahead);
        mask_lower(m, w->decay, w->weights, CHUNK);
        product_set(m, vp, h->dk, queries, w->s, vp, w->out, vp, w->ahead);
        product_lower_decay(m, vp, m, (mn_left){w->weights, CHUNK, 1}, w->errors, vp, w->out, vp,
                            w->from_start, w->ahead);
        rows_out(m, h->dv, w->out, vp, h->o.data + t * h->o.step + i * h->o.head, h->o.step);
    }
    mn_left update = {w->keys, 1, kp};
    if (g) {
        rows_scaled_in(m, h->dk, w->keys, kp, w->to_end, w->keys, kp);
        for (int64_t p = 0; p < kp; p++)
            w->gate[p] = all;
        product_decay(h->dk, vp, m, update, w->errors, vp, w->s, vp, w->gate, w->ahead);
    } else {
        product_add(h->dk, vp, m, update, w->errors, vp, w->s, vp, w->ahead);
    }
}

static void chunk(const mn_head *h) {
    chunk_work work, *w = &work;
    mn_ahead ahead;
    layout(h->a, w, h->work);
    w->ahead = &ahead;
    bool direct = h->dv == w->vp;
    if (direct)
        w->s = h->state;
    else
        rows_in(h->dk, h->dv, h->state, h->dv, w->s, w->vp);
    for (int64_t t = 0; t < h->time; t += CHUNK) {
        ahead_start(&ahead, h, t, CHUNK);
        chunk_tokens(h, w, t, mn_min(CHUNK, h->time - t));
    }
    if (!direct)
        rows_out(h->dk, h->dv, w->s, w->vp, h->state, h->dv);
}

mn_head_kernel *const MN_FN(mn_delta)[2] = {step, chunk};

/* Error bound, for any beta and k, method and cut into chunks; ^ marks what is computed.  A
 * chunk of m <= CHUNK tokens after token r stands for the states  S~_t = D_t S^_r + sum_{r<j<=t}
 * D_tj k_j e^_j^T.  Each term of e^_t meets at most dk + 1 roundings in its product over keys, 4
 * CHUNK in its gates and their product, CHUNK in the substitution (which solves each row as the
 * recurrence would), so that e^_t = beta_t (v_t - c_t S~_{t-1}^T k_t) + eta_t,
 *     |eta_t| <= gamma_N beta_t (|v_t| + |k_t| W_{t-1}),   W_t = |S^_r|_F + sum_{r<j<=t} |k_j|
 *         |e^_j|,   N = dk + 5 CHUNK + 16.
 * The sum over the terms counts, not |S_t|: terms decay apart and may cancel.  W grows as the
 * chunk's start moves back, so r = max(0, t - CHUNK) serves every chunk and token by token.
 * Writing S~ to the state rounds each term at most 5 times per token and twice more: zeta_t =
 * gamma_13 W_t per token.  The step S -> c (I - beta k k^T) S has the norm L_t = c_t max(1, |1 -
 * beta_t |k_t|^2|), 1 or less where 0 <= beta |k|^2 <= 2.  So
 *     B_t = L_t B_{t-1} + |k_t| |eta_t| + zeta_t >= |S^_t - S_t|_F,
 *     |e^_t| <= |e_t| + beta_t c_t |k_t| B_{t-1} + |eta_t|,   |S^_t|_F <= |S_t|_F + B_t,
 *     |o^_t - o_t| <= |scale| |q_t| (B_t + gamma_N W_t)   (Euclidean norms),
 * and per token 2^-146 (dk + 2 CHUNK) sqrt(dk dv) (1 + |k|)^2 (1 + beta) (1 + |v| + W) for
 * underflow. */

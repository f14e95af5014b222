/* SPDX-License-Identifier: MIT
 * Linear attention, plain or gated.
 *
 *     S_t = diag(c_t) S_{t-1} + k_t v_t^T,   c_t = e^{g_t} (one per token) or e^{gate_keys_t}
 *         (one per key),
 *     o_t = scale S_t^T q_t   [normalise: / scale q_t.z_t,  z_t = diag(c_t) z_{t-1} + k_t].
 *
 * Decays between two tokens are products of the gates between them, never quotients or
 * differences of logarithms: a gate of 0 (g = -inf) needs no special case, and each factor
 * brings one rounding. */
#include "numerics/kernels/gates.h"
#include "numerics/kernels/step.h"

enum { CHUNK = 32, BLOCK = 16 };

static void step(const mn_head *h) {
    int64_t dk = h->dk, dv = h->dv;
    float *s = h->state, *z = s + dk * dv, *work = h->work, *gates = carve(&work, v_pad(dk));
    for (int64_t t = 0; t < h->time; t++) {
        const float *k = h->k.data + t * h->k.step, *q = h->q.data + t * h->q.step,
                    *v = h->v.data + t * h->v.step;
        float *o = h->o.data + t * h->o.step, c = h->g.data ? expf(h->g.data[t * h->g.step]) : 1;
        if (h->gate_keys.data) {
            exp_row(dk, h->gate_keys.data + t * h->gate_keys.step, gates);
            step_gates_write_read(dk, dv, s, dv, gates, k, v, q, h->scale, o);
        } else if (h->g.data) {
            step_gate_write_read(dk, dv, s, dv, &c, k, v, q, h->scale, o);
        } else {
            step_write_read(dk, dv, s, dv, k, v, q, h->scale, o);
        }
        for (int64_t i = 1; i < h->group; i++)
            step_read(dk, dv, s, dv, q + i * h->q.head, h->scale, o + i * h->o.head);
        if (!h->a->normalise)
            continue;
        for (int64_t p = 0; p < dk; p++)
            z[p] = fmaf(h->gate_keys.data ? gates[p] : c, z[p], k[p]);
        for (int64_t i = 0; i < h->group; i++) {
            float sum = dot(dk, q + i * h->q.head, z) * h->scale;
            for (int64_t j = 0; j < dv; j++)
                o[i * h->o.head + j] = mn_quotient(o[i * h->o.head + j], sum);
        }
    }
}

typedef struct {
    int64_t kp, vp;                   /* dk, dv padded */
    float *s, *z;                     /* S [dk][vp], z [kp] */
    float *keys, *transposed;         /* [CHUNK][kp]; [kp][CHUNK] */
    float *values, *weights, *out;    /* [CHUNK][vp]; [CHUNK][CHUNK]; [CHUNK][vp] */
    float *decay;                     /* [CHUNK][CHUNK] */
    float *from_start, *to_end;       /* [CHUNK] x 2 */
    float *gate;                      /* of the whole chunk [kp] */
    float *queries, *gates, *forward; /* per key only: [BLOCK][kp]; [CHUNK][kp]; [BLOCK][kp] */
    mn_ahead *ahead;
} chunk_work;

static size_t layout(const mn_args *a, chunk_work *w, float *base) {
    int64_t kp = w->kp = v_pad(a->dk), vp = w->vp = v_pad(a->dv);
    float *p = base;
    w->s = carve(&p, a->dk * vp), w->z = carve(&p, kp);
    w->keys = carve(&p, CHUNK * kp), w->transposed = carve(&p, CHUNK * kp);
    w->values = carve(&p, CHUNK * vp), w->weights = carve(&p, CHUNK * CHUNK),
    w->out = carve(&p, CHUNK * vp);
    w->decay = carve(&p, CHUNK * CHUNK), w->from_start = carve(&p, CHUNK),
    w->to_end = carve(&p, CHUNK);
    w->gate = carve(&p, kp);
    if (a->gate_keys.data)
        w->queries = carve(&p, BLOCK * kp), w->gates = carve(&p, CHUNK * kp),
        w->forward = carve(&p, BLOCK * kp);
    return (size_t)(p - base);
}

size_t MN_FN(mn_linear_work)(const mn_args *a) {
    chunk_work w;
    return layout(a, &w, NULL);
}

/* Rows of out over  start_i q_i.z + sum_{j<=first+i} weights_ij. */
static void divide(const mn_head *h, const chunk_work *w, int64_t first, int64_t m, const float *q,
                   int64_t step, const float *start) {
    for (int64_t i = 0; i < m; i++) {
        float sum = 0;
        for (int64_t j = 0; j <= first + i; j++)
            sum += w->weights[i * CHUNK + j];
        sum = fmaf(start ? start[i] : 1, dot(h->dk, q + i * step, w->z), sum);
        for (int64_t j = 0; j < h->dv; j++)
            w->out[i * w->vp + j] = mn_quotient(w->out[i * w->vp + j], sum);
    }
}

/* S <- diag(gate) S + keys^T values,  z likewise. */
static void advance(const mn_head *h, const chunk_work *w, int64_t m) {
    mn_left keys = {w->keys, 1, w->kp};
    if (h->g.data || h->gate_keys.data)
        product_decay(h->dk, w->vp, m, keys, w->values, w->vp, w->s, w->vp, w->gate, w->ahead);
    else
        product_add(h->dk, w->vp, m, keys, w->values, w->vp, w->s, w->vp, w->ahead);
    if (!h->a->normalise)
        return;
    for (int64_t p = 0; p < h->dk; p++) {
        float sum = w->gate[p] * w->z[p];
        for (int64_t j = 0; j < m; j++)
            sum += w->keys[j * w->kp + p];
        w->z[p] = sum;
    }
}

/* out_i = scale (D_i S^T q_i + sum_{j<=i} D_ij (q_i.k_j) v_j),  S <- D_m S + sum_j D_mj k_j v_j^T,
 * D_ij = c_{j+1} ... c_i,  D_i = c_1 ... c_i. */
static void chunk_scalar(const mn_head *h, const chunk_work *w, int64_t t, int64_t m) {
    const float *g = h->g.data ? h->g.data + t * h->g.step : NULL;
    transpose(m, h->dk, w->keys, w->kp, w->transposed, CHUNK);
    float all = decays(m, g, h->g.step, h->scale, w->decay, CHUNK, w->from_start, w->to_end);
    for (int64_t i = 0; i < h->group; i++) {
        const float *q = h->q.data + t * h->q.step + i * h->q.head;
        mn_left queries = {q, h->q.step, 1};
        product_set_lower(m, h->dk, queries, w->transposed, CHUNK, w->weights, CHUNK, w->ahead);
        mask_lower(m, w->decay, w->weights, CHUNK);
        product_set(m, w->vp, h->dk, queries, w->s, w->vp, w->out, w->vp, w->ahead);
        product_lower_decay(m, w->vp, m, (mn_left){w->weights, CHUNK, 1}, w->values, w->vp, w->out,
                            w->vp, w->from_start, w->ahead);
        if (h->a->normalise)
            divide(h, w, 0, m, q, h->q.step, w->from_start);
        rows_out(m, h->dv, w->out, w->vp, h->o.data + t * h->o.step + i * h->o.head, h->o.step);
    }
    if (g)
        rows_scaled_in(m, h->dk, w->keys, w->kp, w->to_end, w->keys, w->kp);
    for (int64_t p = 0; p < w->kp; p++)
        w->gate[p] = all;
    advance(h, w, m);
}

/* weights_ij = scale sum_p q_ip k_jp c_{j+1,p} ... c_ip for the n tokens from first on, j <= i:
 * q_i is decayed as j falls. Zero for j > i. */
static void weights_near(const mn_head *h, const chunk_work *w, int64_t first, int64_t n,
                         const float *q, int64_t step) {
    int64_t whole = h->dk / VL * VL;
    for (int64_t i = 0; i < n; i++) {
        float *row = w->weights + i * CHUNK + first;
        vf sum[BLOCK];
        UNROLL for (int j = 0; j < BLOCK; j++) sum[j] = v_set(0);
        for (int64_t p = 0; p < w->kp; p += VL) {
            const float *query = q + i * step + p, *key = w->keys + (first + i) * w->kp + p,
                        *gate = w->gates + (first + i) * w->kp + p;
            vf x = p < whole ? v_load(query) : v_load_n(query, h->dk - p);
            UNROLL for (int j = 0; j < BLOCK; j++) {
                if (j > i)
                    break;
                sum[j] = v_fma(x, v_load(key - j * w->kp), sum[j]);
                x = x * v_load(gate - j * w->kp);
            }
        }
        for (int j = 0; j < BLOCK; j += VL)
            v_store(row + j, v_set(0));
        UNROLL for (int j = 0; j < BLOCK; j++) {
            if (j > i)
                break;
            row[i - j] = v_sum(sum[j]) * h->scale;
        }
    }
}

/* The same with gates per key.  Blocks of BLOCK tokens: inside one, weights_near; between them
 * through the boundary b in front of the later one, (q_i c_b ... c_i).(k_j c_{j+1} ... c_{b-1}),
 * both factors products of gates. */
static void chunk_per_key(const mn_head *h, const chunk_work *w, int64_t t, int64_t m) {
    int64_t kp = w->kp, vp = w->vp;
    for (int64_t i = 0; i < m; i++)
        exp_row(h->dk, h->gate_keys.data + (t + i) * h->gate_keys.step, w->gates + i * kp);
    for (int64_t p = 0; p < kp; p++)
        w->gate[p] = 1;
    for (int64_t b = 0; b < m; b += BLOCK) {
        int64_t n = mn_min(BLOCK, m - b);
        const float *gates = w->gates + b * kp;
        for (int64_t p = 0; p < kp; p += VL) { /* forward_i = c_b ... c_i */
            vf x = v_set(1);
            for (int64_t i = 0; i < n; i++)
                v_store(w->forward + i * kp + p, x = x * v_load(gates + i * kp + p));
        }
        for (int64_t head = 0; head < h->group; head++) {
            const float *q = h->q.data + (t + b) * h->q.step + head * h->q.head;
            mn_left queries = {w->queries, kp, 1};
            rows_scaled_in(n, h->dk, q, h->q.step, w->from_start, w->queries, kp);
            for (int64_t i = 0; i < n * kp; i += VL)
                v_store(w->queries + i, v_load(w->queries + i) * v_load(w->forward + i));
            product_set(n, b, h->dk, queries, w->transposed, CHUNK, w->weights, CHUNK, w->ahead);
            weights_near(h, w, b, n, q, h->q.step);
            for (int64_t i = 0; i < n; i++)
                for (int64_t p = 0; p < kp; p += VL)
                    v_store(w->queries + i * kp + p,
                            v_load(w->queries + i * kp + p) * v_load(w->gate + p));
            product_set(n, vp, h->dk, queries, w->s, vp, w->out, vp, w->ahead);
            product_lower_add(n, vp, b + n, (mn_left){w->weights, CHUNK, 1}, w->values, vp, w->out,
                              vp, b, w->ahead);
            if (h->a->normalise)
                divide(h, w, b, n, w->queries, kp, NULL);
            rows_out(n, h->dv, w->out, vp, h->o.data + (t + b) * h->o.step + head * h->o.head,
                     h->o.step);
        }
        const float *last = w->forward + (n - 1) * kp;
        for (int64_t p = 0; p < kp; p += VL) { /* keys up to here decay to the end of the block */
            vf all = v_load(last + p), x = v_set(1);
            for (int64_t j = 0; j < b; j++)
                v_store(w->keys + j * kp + p, v_load(w->keys + j * kp + p) * all);
            for (int64_t j = n - 1; j >= 0; j--) {
                v_store(w->keys + (b + j) * kp + p, v_load(w->keys + (b + j) * kp + p) * x);
                x = x * v_load(gates + j * kp + p);
            }
            v_store(w->gate + p, v_load(w->gate + p) * all);
        }
        if (b + n < m)
            transpose(b + n, h->dk, w->keys, kp, w->transposed, CHUNK);
    }
    advance(h, w, m);
}

static void chunk(const mn_head *h) {
    chunk_work work, *w = &work;
    mn_ahead ahead;
    layout(h->a, w, h->work);
    w->ahead = &ahead;
    int64_t dk = h->dk, dv = h->dv;
    float *z = h->state + dk * dv;
    bool direct = dv == w->vp; /* the state's rows are whole vectors as they are */
    if (direct)
        w->s = h->state;
    else
        rows_in(dk, dv, h->state, dv, w->s, w->vp);
    if (h->a->normalise)
        rows_in(1, dk, z, dk, w->z, w->kp);
    for (int64_t i = 0; i < CHUNK; i++)
        w->from_start[i] = h->scale;
    for (int64_t t = 0; t < h->time; t += CHUNK) {
        int64_t m = mn_min(CHUNK, h->time - t);
        rows_in(m, dk, h->k.data + t * h->k.step, h->k.step, w->keys, w->kp);
        rows_in(m, dv, h->v.data + t * h->v.step, h->v.step, w->values, w->vp);
        ahead_start(&ahead, h, t, CHUNK);
        if (h->gate_keys.data)
            chunk_per_key(h, w, t, m);
        else
            chunk_scalar(h, w, t, m);
    }
    if (!direct)
        rows_out(dk, dv, w->s, w->vp, h->state, dv);
    if (h->a->normalise)
        rows_out(1, dk, w->z, w->kp, z, dk);
}

mn_head_kernel *const MN_FN(mn_linear)[2] = {step, chunk};

/* Error bound.  u = 2^-24, gamma_n = n u / (1 - n u).  Every output is a sum of products q_p k_p
 * v_j scale times at most t gates, t the tokens since the state was zero or exact.  On its way a
 * product meets, whatever the method and the instruction set: per gate at most 3 u from e^g and
 * one rounding of a multiplication (4 t); one rounding per addition it goes through, in the
 * state (t), over keys (dk) and in a chunk (2 CHUNK); scale, k_p v_j and the mask (4).  Hence
 *     |o computed - o| <= gamma_N scale sum_{s<=t} D_ts sum_p |q_tp| |k_sp| |v_sj| + tiny,   N
 *         = 5 t + dk + 72,
 * the same sum on absolute values, with an initial state's |S_pj| beside the |k_sp v_sj|.
 * Underflow: every multiplication may leave 2^-150, one per key and token (and per pair of
 * tokens in a chunk) on the way to one output, and what is left is multiplied by some of the
 * other factors: tiny = 2^-146 (t + 100)^2 (dk + 1) x, x the largest product of some of |scale|,
 * |q|, |k|, |v| (|S| in place of |k| |v|) and 1.  The state: likewise without q, N = 5 t + 72.
 * Normalised: with E and F the bounds of numerator and divisor n, |error| <= (1 + 2 u) (E + |o|
 * F) / (|n| - F) + u |o| + 2^-149, and no bound where F >= |n|. */

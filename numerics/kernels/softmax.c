/* SPDX-License-Identifier: MIT
 * Causal softmax attention, the baseline: o_t = sum_{s<=t} e^{x_ts - M_t} v_s / sum_{s<=t}
 * e^{x_ts - M_t},  x_ts = scale q_t.k_s.
 *
 * Blocks of QUERIES x KEYS; the maximum M and both sums are carried from block to block
 * (online): when M rises to M', what has been summed is multiplied by e^{M - M'}. */
#include "numerics/kernels/gates.h"
#include "numerics/kernels/step.h"

enum { QUERIES = 48, KEYS = 128 };

typedef struct {
    int64_t kp, vp;
    float *keys, *transposed, *values, *weights,
        *out; /* [KEYS][kp]; [kp][KEYS]; [KEYS][vp]; [QUERIES][KEYS]; [group][QUERIES][vp] */
    float *top, *sum, *factor; /* [group][QUERIES] x 2; [QUERIES] */
} chunk_work;

static size_t layout(const mn_args *a, chunk_work *w, float *base) {
    int64_t kp = w->kp = v_pad(a->dk), vp = w->vp = v_pad(a->dv), group = a->heads / mn_kv_heads(a);
    float *p = base;
    w->keys = carve(&p, KEYS * kp), w->transposed = carve(&p, KEYS * kp),
    w->values = carve(&p, KEYS * vp);
    w->weights = carve(&p, QUERIES * KEYS), w->out = carve(&p, group * QUERIES * vp);
    w->top = carve(&p, group * QUERIES), w->sum = carve(&p, group * QUERIES),
    w->factor = carve(&p, QUERIES);
    return (size_t)(p - base);
}

size_t MN_FN(mn_softmax_work)(const mn_args *a) {
    chunk_work w;
    return layout(a, &w, NULL);
}

/* Rows of scores x (n of them valid in each row, at least 1) -> e^{scale x - M}, sums, and the
 * factor for what was before. */
static void row_weights(float *x, int64_t n, int64_t padded, float scale, float *top, float *sum,
                        float *factor) {
    vf most = v_set(-INFINITY), s = v_set(scale);
    int64_t whole = n / VL * VL;
    for (int64_t j = 0; j < whole; j += VL) {
        vf y = v_load(x + j) * s;
        v_store(x + j, y);
        most = v_max(most, y);
    }
    float m = fmaxf(*top, v_maximum(most));
    for (int64_t j = whole; j < n; j++) {
        x[j] *= scale;
        m = fmaxf(m, x[j]);
    }
    for (int64_t j = n; j < padded; j++)
        x[j] = -INFINITY;
    vf total = v_set(0), high = v_set(m == -INFINITY ? 0 : m);
    for (int64_t j = 0; j < padded; j += VL) {
        vf y = v_exp(v_load(x + j) - high);
        v_store(x + j, y);
        total = total + y;
    }
    *factor = *top == -INFINITY ? 0 : expf(*top - m);
    *sum = fmaf(*sum, *factor, v_sum(total));
    *top = m;
}

/* Queries t ... t + m - 1 against keys first ... first + n - 1; the last key that query t + i
 * sees is before + t + i. */
static void block(const mn_head *h, const chunk_work *w, int64_t t, int64_t m, int64_t first,
                  int64_t n) {
    int64_t kp = w->kp, vp = w->vp, before = h->before + t + 1 - first;
    /* Query i sees before + i keys: none up to start, some up to all, then all n. */
    int64_t start = mn_min(m, mn_max(0, 1 - before)), all = mn_min(m, mn_max(start, n - before));
    rows_in(n, h->dk, h->k.data + first * h->k.step, h->k.step, w->keys, kp);
    rows_in(n, h->dv, h->v.data + first * h->v.step, h->v.step, w->values, vp);
    transpose(n, h->dk, w->keys, kp, w->transposed, KEYS);
    for (int64_t head = 0; head < h->group; head++) {
        const float *q = h->q.data + t * h->q.step + head * h->q.head;
        float *top = w->top + head * QUERIES, *sum = w->sum + head * QUERIES;
        product_set(m, v_pad(n), h->dk, (mn_left){q, h->q.step, 1}, w->transposed, KEYS, w->weights,
                    KEYS, NULL);
        for (int64_t i = start; i < m; i++)
            row_weights(w->weights + i * KEYS, mn_min(n, before + i), v_pad(n), h->scale, top + i,
                        sum + i, w->factor + i);
        float *out = w->out + head * QUERIES * vp;
        product_decay(all - start, vp, before + start - 1,
                      (mn_left){w->weights + start * KEYS, KEYS, 1}, w->values, vp,
                      out + start * vp, vp, w->factor + start, NULL);
        product_lower_add(all - start, vp, all - start,
                          (mn_left){w->weights + start * KEYS + before + start - 1, KEYS, 1},
                          w->values + (before + start - 1) * vp, vp, out + start * vp, vp, 0, NULL);
        product_decay(m - all, vp, n, (mn_left){w->weights + all * KEYS, KEYS, 1}, w->values, vp,
                      out + all * vp, vp, w->factor + all, NULL);
    }
}

static void run(const mn_head *h) {
    chunk_work work, *w = &work;
    layout(h->a, w, h->work);
    for (int64_t t = 0; t < h->time; t += QUERIES) {
        int64_t m = mn_min(QUERIES, h->time - t), last = h->before + t + m;
        memset(w->out, 0, (size_t)(h->group * QUERIES * w->vp) * sizeof(float));
        for (int64_t i = 0; i < h->group * QUERIES; i++)
            w->top[i] = -INFINITY, w->sum[i] = 0;
        for (int64_t s = 0; s < last; s += KEYS)
            block(h, w, t, m, s, mn_min(KEYS, last - s));
        for (int64_t head = 0; head < h->group; head++)
            for (int64_t i = 0; i < m; i++) {
                float *o = h->o.data + (t + i) * h->o.step + head * h->o.head;
                const float *sum = w->out + (head * QUERIES + i) * w->vp;
                for (int64_t j = 0; j < h->dv; j++)
                    o[j] = sum[j] / w->sum[head * QUERIES + i];
            }
    }
}

/* One query after another: scores as dot products, values by one pass over their rows; nothing
 * is packed. */
static void step(const mn_head *h) {
    chunk_work work, *w = &work;
    layout(h->a, w, h->work);
    for (int64_t t = 0; t < h->time; t++)
        for (int64_t head = 0; head < h->group; head++) {
            const float *q = h->q.data + t * h->q.step + head * h->q.head;
            float *o = h->o.data + t * h->o.step + head * h->o.head, top = -INFINITY, sum = 0,
                  factor;
            int64_t keys = h->before + t + 1;
            memset(w->out, 0, (size_t)w->vp * sizeof(float));
            for (int64_t first = 0; first < keys; first += KEYS) {
                int64_t n = mn_min(KEYS, keys - first);
                const float *k = h->k.data + first * h->k.step, *v = h->v.data + first * h->v.step;
                for (int64_t s = 0; s < n; s++)
                    w->weights[s] = dot(h->dk, q, k + s * h->k.step);
                row_weights(w->weights, n, v_pad(n), h->scale, &top, &sum, &factor);
                row_scale(h->dv, factor, w->out);
                step_add(n, h->dv, (float *)v, h->v.step, w->weights, 1, w->out); /* reads only */
            }
            for (int64_t j = 0; j < h->dv; j++)
                o[j] = w->out[j] / sum;
        }
}

mn_head_kernel *const MN_FN(mn_softmax)[2] = {step, run};

/* Error bound.  A score's error is at most E = gamma_{dk+3} max_s |scale| sum_p |q_p| |k_sp| (+
 * 2^-149 (dk + 1) max(1, |scale|)); the maximum cancels.  Differences from it round once, u R'
 * in all since the rises of M add up to no more than the range (R the range of the exact scores,
 * R' = R + 2 E); e^x has 3 u, a change of M 5 u per block (ceil(n / KEYS) of them for n keys), a
 * sum at most n + 16 additions, the quotient 1.  With h = E + u R' + gamma_{n + 24 + 5 (n / KEYS
 * + 2)}, in numerator and divisor each,
 *     |o computed - o| <= (e^(2 h) - 1) sum_s p_s |v_s| + tiny   (componentwise; the divisor is
 *         at least 1, tiny as for
 * linear attention). */

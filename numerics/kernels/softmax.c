/* SPDX-License-Identifier: MIT
 * Causal softmax attention, the baseline: o_t = sum_{s<=t} e^{x_ts - M_t} v_s / sum_{s<=t} e^{x_ts - M_t},  x_ts = scale q_t.k_s.
 *
 * Blocks of QUERIES x KEYS; the maximum M and both sums are carried from block to block (online): when M rises to M', what
 * has been summed is multiplied by e^{M - M'}. */
#include "numerics/kernels/gates.h"

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

/* Rows of scores x (n of them valid in each row, at least 1) -> e^{scale x - M}, sums, and the factor for what was before. */
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

/* Queries t ... t + m - 1 against keys first ... first + n - 1; the last key that query t + i sees is before + t + i. */
static void block(const mn_head *h, const chunk_work *w, int64_t t, int64_t m, int64_t first,
                  int64_t n) {
    int64_t kp = w->kp, vp = w->vp;
    rows_in(n, h->dk, h->k.data + first * h->k.step, h->k.step, w->keys, kp);
    rows_in(n, h->dv, h->v.data + first * h->v.step, h->v.step, w->values, vp);
    transpose(n, h->dk, w->keys, kp, w->transposed, KEYS);
    for (int64_t head = 0; head < h->group; head++) {
        const float *q = h->q.data + t * h->q.step + head * h->q.head;
        float *top = w->top + head * QUERIES, *sum = w->sum + head * QUERIES;
        product_set(m, v_pad(n), h->dk, (mn_left){q, h->q.step, 1}, w->transposed, KEYS, w->weights,
                    KEYS, NULL);
        for (int64_t i = 0; i < m; i++) {
            int64_t seen = mn_min(n, h->before + t + i + 1 - first);
            if (seen > 0) {
                row_weights(w->weights + i * KEYS, seen, v_pad(n), h->scale, top + i, sum + i,
                            w->factor + i);
            } else {
                memset(w->weights + i * KEYS, 0, (size_t)v_pad(n) * sizeof(float));
                w->factor[i] = 1;
            }
        }
        product_decay(m, vp, n, (mn_left){w->weights, KEYS, 1}, w->values, vp,
                      w->out + head * QUERIES * vp, vp, w->factor, NULL);
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

mn_head_kernel *const MN_FN(mn_softmax)[2] = {run, run};

/* Error bound.  A score's error is at most E = gamma_{dk+3} max_s |scale| sum_p |q_p| |k_sp|, its difference from M rounds once
 * (u R, R the range of the scores), e^x has 3 u, a change of M 5 u per block (n keys: ceil(n / KEYS) + 1 blocks); each sum of
 * weights has at most n + 16 roundings.  With h = 2 (E + u R) + (n + 16 + 8 (n / KEYS + 2)) u,
 *     |o computed - o| <= (e^(2 h) - 1) sum_s p_s |v_s|   (componentwise). */

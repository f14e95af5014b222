/* SPDX-License-Identifier: MIT
 * VORT retention: power-law memory by sums of exponentials, one bank (fractional order) per
 * token.
 *
 *     H_bm <- x_bm H_bm + [bank_t = b] k_t v_t^T,   G_t = sum_bm w_bm H_bm,   o_t = scale G_t^T
 *         q_t.
 *
 * Over a chunk that starts from H, with W^b_j = sum_m w_bm x_bm^j and b_j the bank of token j:
 *     o_i = scale (sum_bm w_bm x_bm^(i+1) H_bm^T q_i + sum_{j<=i} W^{b_j}_{i-j} (q_i.k_j) v_j),
 *     H_bm <- x_bm^m H_bm + sum_{j: b_j = b} x_bm^(m-1-j) k_j v_j^T.
 * The first sum is one product with all states under one another: row i of its left factor is
 * w_bm x_bm^(i+1) q_i. */
#include "numerics/kernels/gates.h"
#include "numerics/kernels/step.h"

enum {
    CHUNK = 96
}; /* a multiple of TILE_ROWS; long, since each chunk goes through all the states twice */

/* The divisor sum_bm w_bm q.z_bm for the query heads of token t. */
static void divide(const mn_head *h, int64_t t, const float *z) {
    int64_t all = h->a->banks * h->a->modes;
    for (int64_t head = 0; head < h->group; head++) {
        const float *q = h->q.data + t * h->q.step + head * h->q.head;
        float *o = h->o.data + t * h->o.step + head * h->o.head, sum = 0;
        for (int64_t m = 0; m < all; m++)
            sum = fmaf(h->a->weights[m], dot(h->dk, q, z + m * h->dk), sum);
        for (int64_t j = 0; j < h->dv; j++)
            o[j] = mn_quotient(o[j], sum * h->scale);
    }
}

static void step(const mn_head *h) {
    int64_t dk = h->dk, dv = h->dv, modes = h->a->modes, all = h->a->banks * modes, size = dk * dv;
    float *z = h->state + all * size;
    for (int64_t t = 0; t < h->time; t++) {
        const float *k = h->k.data + t * h->k.step, *v = h->v.data + t * h->v.step,
                    *q = h->q.data + t * h->q.step;
        float *o = h->o.data + t * h->o.step;
        int64_t bank = h->bank[t * h->bank_step];
        for (int64_t head = 0; head < h->group; head++)
            for (int64_t j = 0; j < dv; j++)
                o[head * h->o.head + j] = 0;
        for (int64_t m = 0; m < all; m++) {
            float *s = h->state + m * size, factor = h->scale * h->a->weights[m];
            const float *node = h->a->nodes + m;
            if (m / modes == bank)
                step_gate_write_add(dk, dv, s, dv, node, k, v, q, factor, o);
            else
                step_gate_add(dk, dv, s, dv, node, q, factor, o);
            for (int64_t i = 1; i < h->group; i++)
                step_add(dk, dv, s, dv, q + i * h->q.head, factor, o + i * h->o.head);
            for (int64_t p = 0; h->a->normalise && p < dk; p++)
                z[m * dk + p] = fmaf(h->a->nodes[m], z[m * dk + p], m / modes == bank ? k[p] : 0);
        }
        if (h->a->normalise)
            divide(h, t, z);
    }
}

typedef struct {
    int64_t kp, vp, lds, size;
    float *states; /* [banks modes][dk][lds] */
    float *keys, *transposed, *values,
        *queries;                /* [CHUNK][kp]; [kp][CHUNK]; [CHUNK][vp]; [CHUNK][kp] */
    float *weights, *out, *sums; /* [CHUNK][CHUNK]; [CHUNK][vp]; [CHUNK] */
    float *powers;               /* [banks modes][CHUNK + 1]: x^i */
    float *kernel;               /* [banks][CHUNK]: scale W_i */
    float *bank_keys, *bank_values, *gate, *mask; /* [CHUNK][kp]; [CHUNK][vp]; [dk]; [CHUNK] */
} chunk_work;

static size_t layout(const mn_args *a, chunk_work *w, float *base) {
    int64_t kp = w->kp = v_pad(a->dk), vp = w->vp = v_pad(a->dv), all = a->banks * a->modes;
    float *p = base;
    w->states = vp == a->dv ? NULL : carve(&p, all * a->dk * vp);
    w->keys = carve(&p, CHUNK * kp), w->transposed = carve(&p, CHUNK * kp);
    w->values = carve(&p, CHUNK * vp), w->queries = carve(&p, CHUNK * kp);
    w->weights = carve(&p, CHUNK * CHUNK), w->out = carve(&p, CHUNK * vp),
    w->sums = carve(&p, CHUNK);
    w->powers = carve(&p, all * (CHUNK + 1)), w->kernel = carve(&p, a->banks * CHUNK);
    w->bank_keys = carve(&p, CHUNK * kp), w->bank_values = carve(&p, CHUNK * vp),
    w->gate = carve(&p, kp), w->mask = carve(&p, CHUNK);
    w->lds = vp, w->size = a->dk * vp;
    return (size_t)(p - base);
}

size_t MN_FN(mn_vort_work)(const mn_args *a) {
    chunk_work w;
    return layout(a, &w, NULL);
}

/* Powers of the nodes, and the kernel of each bank inside a chunk: in double, one rounding each
 * in the end. */
static void tables(const mn_head *h, const chunk_work *w) {
    int64_t modes = h->a->modes;
    for (int64_t b = 0; b < h->a->banks; b++) {
        double kernel[CHUNK] = {0};
        for (int64_t m = b * modes; m < (b + 1) * modes; m++) {
            double power = 1;
            for (int64_t i = 0; i <= CHUNK; i++) {
                w->powers[m * (CHUNK + 1) + i] = (float)power;
                if (i < CHUNK)
                    kernel[i] += (double)h->a->weights[m] * power;
                power *= (double)h->a->nodes[m];
            }
        }
        for (int64_t i = 0; i < CHUNK; i++)
            w->kernel[b * CHUNK + i] = (float)kernel[i] * h->scale;
    }
}

static void chunk_tokens(const mn_head *h, const chunk_work *w, int64_t t, int64_t m) {
    int64_t dk = h->dk, kp = w->kp, vp = w->vp, modes = h->a->modes, all = h->a->banks * modes;
    float *z = h->state + all * dk * h->dv;
    rows_in(m, dk, h->k.data + t * h->k.step, h->k.step, w->keys, kp);
    rows_in(m, h->dv, h->v.data + t * h->v.step, h->v.step, w->values, vp);
    transpose(m, dk, w->keys, kp, w->transposed, CHUNK);
    for (int64_t head = 0; head < h->group; head++) {
        const float *q = h->q.data + t * h->q.step + head * h->q.head;
        product_set_lower(m, dk, (mn_left){q, h->q.step, 1}, w->transposed, CHUNK, w->weights,
                          CHUNK, NULL);
        for (int64_t j = 0; j < m; j++) {
            const float *kernel = w->kernel + h->bank[(t + j) * h->bank_step] * CHUNK;
            for (int64_t i = 0; i < j; i++)
                w->weights[i * CHUNK + j] = 0;
            for (int64_t i = j; i < m; i++)
                w->weights[i * CHUNK + j] *= kernel[i - j];
        }
        for (int64_t i = 0; i < m; i++)
            w->sums[i] = 0;
        for (int64_t i = 0; h->a->normalise && i < m; i++)
            for (int64_t j = 0; j <= i; j++)
                w->sums[i] += w->weights[i * CHUNK + j];
        memset(w->out, 0, (size_t)(m * vp) * sizeof(float));
        product_lower_add(m, vp, m, (mn_left){w->weights, CHUNK, 1}, w->values, vp, w->out, vp, 0,
                          NULL);
        for (int64_t s = 0; s < all; s++) {
            for (int64_t i = 0; i < m; i++)
                w->mask[i] = h->scale * h->a->weights[s] * w->powers[s * (CHUNK + 1) + i + 1];
            rows_scaled_in(m, dk, q, h->q.step, w->mask, w->queries, kp);
            product_add(m, vp, dk, (mn_left){w->queries, kp, 1}, w->states + s * w->size, w->lds,
                        w->out, vp, NULL);
            for (int64_t i = 0; h->a->normalise && i < m; i++)
                w->sums[i] += dot(dk, w->queries + i * kp, z + s * dk);
        }
        for (int64_t i = 0; h->a->normalise && i < m; i++)
            for (int64_t j = 0; j < h->dv; j++)
                w->out[i * vp + j] = mn_quotient(w->out[i * vp + j], w->sums[i]);
        rows_out(m, h->dv, w->out, vp, h->o.data + t * h->o.step + head * h->o.head, h->o.step);
    }
    for (int64_t b = 0; b < h->a->banks; b++) {
        int64_t members[CHUNK], n = 0;
        for (int64_t j = 0; j < m; j++)
            if (h->bank[(t + j) * h->bank_step] == b)
                members[n++] = j;
        for (int64_t i = 0; i < n; i++)
            rows_in(1, vp, w->values + members[i] * vp, vp, w->bank_values + i * vp, vp);
        for (int64_t s = b * modes; s < (b + 1) * modes; s++) {
            const float *powers = w->powers + s * (CHUNK + 1);
            for (int64_t i = 0; i < n; i++)
                rows_scaled_in(1, kp, w->keys + members[i] * kp, kp, powers + m - 1 - members[i],
                               w->bank_keys + i * kp, kp);
            for (int64_t p = 0; p < dk; p++)
                w->gate[p] = powers[m];
            product_decay(dk, vp, n, (mn_left){w->bank_keys, 1, kp}, w->bank_values, vp,
                          w->states + s * w->size, w->lds, w->gate, NULL);
            for (int64_t p = 0; h->a->normalise && p < dk; p++) {
                float sum = powers[m] * z[s * dk + p];
                for (int64_t i = 0; i < n; i++)
                    sum += w->bank_keys[i * kp + p];
                z[s * dk + p] = sum;
            }
        }
    }
}

static void chunk(const mn_head *h) {
    chunk_work work, *w = &work;
    layout(h->a, w, h->work);
    int64_t rows = h->a->banks * h->a->modes * h->dk;
    bool direct = w->vp == h->dv;
    if (direct)
        w->states = h->state;
    else
        rows_in(rows, h->dv, h->state, h->dv, w->states, w->vp);
    tables(h, w);
    for (int64_t t = 0; t < h->time; t += CHUNK)
        chunk_tokens(h, w, t, mn_min(CHUNK, h->time - t));
    if (!direct)
        rows_out(rows, h->dv, w->states, w->vp, h->state, h->dv);
}

mn_head_kernel *const MN_FN(mn_vort)[2] = {step, chunk};

/* Error bound: as for linear attention, with |w_bm| x_bm^(t-s) in place of gates, which are
 * exact inputs.  A term of the state meets at most two roundings per token (decay, addition); a
 * chunk's output goes through dk additions for every state it reads:
 *     |o computed - o| <= gamma_N scale sum_s sum_m |w_m| x_m^(t-s) sum_p |q_tp| |k_sp| |v_sj|
 *         + tiny   (m: the modes of s's bank),
 *     N = 2 t + dk banks modes + 2 CHUNK + 16;   states: N = 2 t + 2 CHUNK + 16.
 * tiny is banks modes times that of linear attention, |w| among the factors; normalised as
 * there. */

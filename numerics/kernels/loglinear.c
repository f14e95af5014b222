/* SPDX-License-Identifier: MIT
 * Log-linear attention on Fenwick states.
 *
 * At position t the past is one block per set bit b of t, of 2^b positions, held as level b + 1;
 * level 0 is t itself:
 *     o_t = scale sum_l lambda_t[l] S_l^T q_t,   S_l = sum_{s in block} D_ts k_s v_s^T,   D_ts
 *         = c_{s+1} ... c_t,  c = e^g.
 * After token t the levels of the trailing ones of t and the token join at the first zero bit: a
 * binary counter's carry.
 *
 * A chunk of C = 2^5 tokens begins where the position is a multiple of C, so that only levels
 * above 5 are in use then:
 *     o_i = scale (D_i sum_{l>5} lambda_i[l] S_l^T q_i + sum_{j<=i} lambda_i[level(i, j)] D_ij
 *         (q_i.k_j) v_j).
 * Tokens in front of the first such position go one by one.  Decays of states are kept as
 * factors until a slice ends. */
#include "numerics/kernels/gates.h"
#include "numerics/kernels/step.h"

enum { LOG_CHUNK = 5, CHUNK = 1 << LOG_CHUNK, MOST_LEVELS = 64 };

typedef struct {
    int64_t kp, vp, lds, size;          /* a state: rows of lds floats, size in all */
    float *states;                      /* [levels][dk][lds] */
    float *keys, *transposed, *queries; /* [CHUNK][kp]; [kp][CHUNK]; [CHUNK][kp] */
    float *values, *weights, *out,
        *lambda;                        /* [CHUNK][vp]; [CHUNK][CHUNK]; [CHUNK][vp]; [CHUNK + VL] */
    float *decay, *from_start, *to_end; /* [CHUNK][CHUNK]; [CHUNK] x 2 */
    float *factor;                      /* [CHUNK] */
    float pending[MOST_LEVELS];         /* S_l stands for pending_l S_l */
    bool used
        [MOST_LEVELS]; /* level l has been in use: what no longer is must be cleared in the end */
    mn_ahead *ahead;
} chunk_work;

static size_t layout(const mn_args *a, chunk_work *w, float *base) {
    int64_t kp = w->kp = v_pad(a->dk), vp = w->vp = v_pad(a->dv);
    float *p = base;
    w->states = vp == a->dv ? NULL : carve(&p, a->levels * a->dk * vp);
    w->keys = carve(&p, CHUNK * kp), w->transposed = carve(&p, CHUNK * kp),
    w->queries = carve(&p, CHUNK * kp);
    w->values = carve(&p, CHUNK * vp), w->weights = carve(&p, CHUNK * CHUNK),
    w->out = carve(&p, CHUNK * vp);
    w->lambda = carve(&p, CHUNK + VL), w->decay = carve(&p, CHUNK * CHUNK);
    w->from_start = carve(&p, CHUNK), w->to_end = carve(&p, CHUNK), w->factor = carve(&p, CHUNK);
    w->lds = vp, w->size = a->dk * vp;
    return (size_t)(p - base);
}

size_t MN_FN(mn_loglinear_work)(const mn_args *a) {
    chunk_work w;
    return layout(a, &w, NULL);
}

static bool in_use(int64_t position, int64_t level) {
    return level > 0 && position >> (level - 1) & 1;
}
static const float *lambda_of(const mn_head *h, int64_t t, int64_t head) {
    return h->lambda.data ? h->lambda.data + t * h->lambda.step + head * h->lambda.head : NULL;
}

/* The first level from `from` on that is not in use: where a carry ends. */
static int64_t carry(int64_t position, int64_t from) {
    while (in_use(position, from))
        from++;
    return from;
}
/* S_target, which holds what is new, takes in the levels below it from `from` on. */
static void join(const mn_head *h, chunk_work *w, int64_t from, int64_t target) {
    if (target >= h->a->levels)
        return; /* the last position there is: nothing can follow it */
    float *sum = w->states + target * w->size;
    for (int64_t l = from; l < target; l++) {
        row_add(w->size, w->pending[l], w->states + l * w->size, sum);
    }
    w->pending[target] = 1, w->used[target] = true;
}

/* n tokens one by one. */
static void tokens(const mn_head *h, chunk_work *w, int64_t first, int64_t n, bool last) {
    int64_t dk = h->dk, dv = h->dv, levels = h->a->levels;
    for (int64_t t = first; t < first + n; t++) {
        int64_t position = h->position + t;
        const float *k = h->k.data + t * h->k.step, *v = h->v.data + t * h->v.step;
        float c = h->g.data ? expf(h->g.data[t * h->g.step]) : 1;
        bool settle =
            last && t + 1 == first + n && c != 1; /* the last read applies what is pending */
        for (int64_t l = 1; l < levels; l++)
            if (in_use(position, l))
                w->pending[l] *= c;
        for (int64_t head = 0; head < h->group; head++) {
            const float *q = h->q.data + t * h->q.step + head * h->q.head,
                        *lambda = lambda_of(h, t, head);
            float *o = h->o.data + t * h->o.step + head * h->o.head,
                  own = (lambda ? lambda[0] : 1) * h->scale * dot(dk, q, k);
            for (int64_t j = 0; j < dv; j++)
                o[j] = own * v[j];
            for (int64_t l = 1; l < levels; l++) {
                if (!in_use(position, l))
                    continue;
                float *s = w->states + l * w->size, factor = h->scale * (lambda ? lambda[l] : 1);
                if (settle && head == 0) {
                    step_gate_add(dk, dv, s, w->lds, &w->pending[l], q, factor, o);
                    w->pending[l] = 1;
                } else {
                    step_add(dk, dv, s, w->lds, q, factor * w->pending[l], o);
                }
            }
        }
        int64_t target = carry(position, 1);
        if (target >= levels)
            continue;
        float *s = w->states + target * w->size;
        for (int64_t p = 0; p < dk; p++)
            for (int64_t j = 0; j < dv; j++)
                s[p * w->lds + j] = k[p] * v[j];
        join(h, w, 1, target);
    }
}

/* A chunk of m <= CHUNK tokens whose first position is a multiple of CHUNK. */
static void chunk_tokens(const mn_head *h, chunk_work *w, int64_t t, int64_t m) {
    int64_t kp = w->kp, vp = w->vp, position = h->position + t, levels = h->a->levels;
    rows_in(m, h->dk, h->k.data + t * h->k.step, h->k.step, w->keys, kp);
    rows_in(m, h->dv, h->v.data + t * h->v.step, h->v.step, w->values, vp);
    transpose(m, h->dk, w->keys, kp, w->transposed, CHUNK);
    float all = decays(m, h->g.data ? h->g.data + t * h->g.step : NULL, h->g.step, h->scale,
                       w->decay, CHUNK, w->from_start, w->to_end);
    for (int64_t head = 0; head < h->group; head++) {
        const float *q = h->q.data + t * h->q.step + head * h->q.head;
        product_set_lower(m, h->dk, (mn_left){q, h->q.step, 1}, w->transposed, CHUNK, w->weights,
                          CHUNK, w->ahead);
        for (int64_t i = 0; i < m; i++) {
            const float *lambda = lambda_of(h, t + i, head);
            float *row = w->weights + i * CHUNK;
            /* lambda of row i, one run per set bit of i from the highest on; each overwrites the
             * excess of the one before. */
            for (int64_t b = LOG_CHUNK - 1, j = 0; lambda && b >= 0; b--) {
                if (!(i >> b & 1))
                    continue;
                for (int64_t x = j; x < j + (1 << b); x += VL)
                    v_store(w->lambda + x, v_set(lambda[b + 1]));
                j += 1 << b;
            }
            if (lambda)
                w->lambda[i] = lambda[0];
            for (int64_t j = 0; j <= i; j += VL) { /* nothing reads beyond the diagonal */
                vf x = v_load(row + j) * v_load(w->decay + i * CHUNK + j);
                if (lambda)
                    x = x * v_load(w->lambda + j);
                v_store(row + j, x);
            }
        }
        memset(w->out, 0, (size_t)(m * vp) * sizeof(float));
        for (int64_t l = LOG_CHUNK + 1; l < levels; l++) {
            if (!in_use(position, l))
                continue;
            for (int64_t i = 0; i < m; i++) {
                const float *lambda = lambda_of(h, t + i, head);
                w->factor[i] = w->from_start[i] * w->pending[l] * (lambda ? lambda[l] : 1);
            }
            rows_scaled_in(m, h->dk, q, h->q.step, w->factor, w->queries, kp);
            product_add(m, vp, h->dk, (mn_left){w->queries, kp, 1}, w->states + l * w->size, w->lds,
                        w->out, vp, w->ahead);
        }
        product_lower_add(m, vp, m, (mn_left){w->weights, CHUNK, 1}, w->values, vp, w->out, vp, 0,
                          w->ahead);
        rows_out(m, h->dv, w->out, vp, h->o.data + t * h->o.step + head * h->o.head, h->o.step);
    }
    for (int64_t l = LOG_CHUNK + 1; l < levels; l++)
        if (in_use(position, l))
            w->pending[l] *= all;
    if (h->g.data)
        rows_scaled_in(m, h->dk, w->keys, kp, w->to_end, w->keys, kp);
    if (m == CHUNK) {
        int64_t target = carry(position, LOG_CHUNK + 1);
        if (target >= levels)
            return;
        product_set(h->dk, vp, m, (mn_left){w->keys, 1, kp}, w->values, vp,
                    w->states + target * w->size, w->lds, w->ahead);
        join(h, w, LOG_CHUNK + 1, target);
        return;
    }
    for (int64_t b = LOG_CHUNK - 1, j = 0; b >= 0; b--) {
        if (!(m >> b & 1) || b + 1 >= levels)
            continue;
        product_set(h->dk, vp, 1 << b, (mn_left){w->keys + j * kp, 1, kp}, w->values + j * vp, vp,
                    w->states + (b + 1) * w->size, w->lds, w->ahead);
        w->pending[b + 1] = 1, w->used[b + 1] = true;
        j += 1 << b;
    }
}

static void run(const mn_head *h, bool chunked) {
    chunk_work work, *w = &work;
    mn_ahead ahead;
    layout(h->a, w, h->work);
    w->ahead = &ahead;
    int64_t levels = h->a->levels, rows = levels * h->dk;
    bool direct = w->vp == h->dv || !chunked;
    if (direct) {
        w->states = h->state, w->lds = h->dv, w->size = h->dk * h->dv;
    } else {
        rows_in(rows, h->dv, h->state, h->dv, w->states, w->vp);
    }
    for (int64_t l = 0; l < levels; l++)
        w->pending[l] = 1, w->used[l] = false;
    for (int64_t l = 1; l < levels; l++)
        w->used[l] = in_use(h->position, l);
    for (int64_t t = 0; t < h->time;) {
        int64_t aside = (CHUNK - (h->position + t) % CHUNK) % CHUNK,
                n = mn_min(chunked && !aside ? CHUNK : aside, h->time - t);
        if (!chunked)
            n = h->time;
        ahead_start(w->ahead, h, t, n);
        if (chunked && !aside)
            chunk_tokens(h, w, t, n);
        else
            tokens(h, w, t, n, t + n == h->time);
        t += n;
    }
    for (int64_t l = 1; l < levels; l++) {
        float *s = w->states + l * w->size;
        if (!in_use(h->position + h->time, l)) {
            if (w->used[l])
                memset(s, 0, (size_t)w->size * sizeof(float));
        } else if (w->pending[l] != 1) {
            row_scale(w->size, w->pending[l], s);
        }
    }
    if (!direct)
        rows_out(rows, h->dv, w->states, w->vp, h->state, h->dv);
}
static void step(const mn_head *h) {
    run(h, false);
}
static void chunk(const mn_head *h) {
    run(h, true);
}

mn_head_kernel *const MN_FN(mn_loglinear)[2] = {step, chunk};

/* Error bound: as for linear attention, with lambda_t[level(t, s)] as one factor more.  Each
 * join of blocks is one multiplication by what is pending and, over all joins, one addition per
 * level (2 levels); reading adds level after level to the same sum, in a chunk dk times for each
 * level above LOG_CHUNK + 1:
 *     N = 5 t + dk max(1, levels - LOG_CHUNK - 1) + 3 levels + 72,   t the tokens since the
 *         states were zero or exact;
 * underflow: levels times as much.  States: N = 5 t + 2 levels + 72. */

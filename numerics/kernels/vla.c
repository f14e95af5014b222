/* SPDX-License-Identifier: MIT
 * Variational linear attention.
 *
 *     A_t = A_{t-1} - y_t y_t^T,   y_t = A_{t-1} u_t / sqrt(1 + u_t.A_{t-1} u_t)
 *         (Sherman-Morrison),
 *     a_t = A_t k_t / |A_t k_t|,   S_t = S_{t-1} + a_t e_t^T,   e_t = v_t - S_{t-1}^T k_t,
 *         o_t = scale S_t^T q_t.
 * Where A_t k_t = 0, nothing is written (a_t = 0).  Refresh: A += refresh I after some tokens.
 *
 * In a chunk that starts from A and S (Woodbury; r_i = refresh times the refreshes in the chunk
 * before token i):
 *     y_i = (A u_i + r_i u_i - sum_{j<i} l_ij y_j) / l_i,   l_ij = y_j.u_i,   l_i^2 = 1 +
 *         u_i.(A u_i + r_i u_i) - sum_{j<i} l_ij^2,
 *     A_i k_i = A k_i + r_i k_i - sum_{j<=i} y_j (y_j.k_i),
 *     e_i = v_i - S^T k_i - sum_{j<i} (a_j.k_i) e_j,
 *     o_i = scale (S^T q_i + sum_{j<=i} (a_j.q_i) e_j),   S <- S + sum_j a_j e_j^T,   A <- A +
 *         r I - sum_j y_j y_j^T:
 * l is the Cholesky factor of I + U A U^T, whose leading blocks serve all tokens of the chunk.
 *
 * Cancellation inside a chunk is measured: where l_i^2 is less than CANCELLED of what it was
 * before elimination, or A_i k_i of A k_i, the chunk is done token by token.  So at most six bits of
 * the products U A U^T are lost, whose roundings are most of a chunk's error where u is long. */
#include "numerics/kernels/gates.h"
#include "numerics/kernels/solve.h"
#include "numerics/kernels/step.h"

enum { CHUNK = 32 };
#define CANCELLED 0x1p-6f

typedef struct {
    int64_t kp, vp;
    float *s, *inverse, *z;                   /* S [dk][vp], A [dk][kp], sum of keys [dk] */
    float *writes, *transposed;               /* [CHUNK][kp]; [kp][CHUNK] */
    float *u, *y, *errors, *out;              /* [CHUNK][kp] x 2; [CHUNK][vp] x 2 */
    float *weights, *triangle, *factor, *row; /* [CHUNK][CHUNK] x 2; [CHUNK]; [2][kp] */
    float *one;                               /* [CHUNK] */
    mn_ahead *ahead;
} chunk_work;

static size_t layout(const mn_args *a, chunk_work *w, float *base) {
    int64_t kp = w->kp = v_pad(a->dk), vp = w->vp = v_pad(a->dv);
    float *p = base;
    w->s = carve(&p, a->dk * vp), w->inverse = carve(&p, a->dk * kp), w->z = NULL;
    w->writes = carve(&p, CHUNK * kp), w->transposed = carve(&p, CHUNK * kp);
    w->u = carve(&p, CHUNK * kp), w->y = carve(&p, CHUNK * kp);
    w->errors = carve(&p, CHUNK * vp), w->out = carve(&p, CHUNK * vp);
    w->weights = carve(&p, CHUNK * CHUNK), w->triangle = carve(&p, CHUNK * CHUNK);
    w->factor = carve(&p, CHUNK), w->row = carve(&p, 2 * kp), w->one = carve(&p, CHUNK);
    return (size_t)(p - base);
}

size_t MN_FN(mn_vla_work)(const mn_args *a) {
    chunk_work w;
    return layout(a, &w, NULL);
}

static bool refreshes(const mn_head *h, int64_t t) {
    return h->a->refresh_every && (h->position + t + 1) % h->a->refresh_every == 0;
}

/* o <- o / (q.z) for the query heads of token t. */
static void divide(const mn_head *h, int64_t t, const float *z) {
    for (int64_t head = 0; head < h->group; head++) {
        float *o = h->o.data + t * h->o.step + head * h->o.head;
        float sum = dot(h->dk, h->q.data + t * h->q.step + head * h->q.head, z) * h->scale;
        for (int64_t j = 0; j < h->dv; j++)
            o[j] = mn_quotient(o[j], sum);
    }
}

static bool is_zero(int64_t n, const float *x) {
    for (int64_t i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* Sums of squares of this size have neither overflowed nor lost anything to underflow. */
static bool safe(float square) {
    return square >= 0x1p-100f && square <= 0x1p100f;
}

/* a <- a / |a|, 0 where a is 0; in double where squares of floats would overflow or vanish. */
static void unit(int64_t n, float *a) {
    float square = dot(n, a, a);
    if (safe(square)) {
        row_scale(n, 1 / sqrtf(square), a);
        return;
    }
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)a[i];
    for (int64_t i = 0; i < n && sum != 0; i++)
        a[i] = (float)((double)a[i] / sqrt(sum));
}

/* n tokens one by one on S (rows lds apart), A (rows lda apart) and z; y, a: dk floats each. */
static void tokens(const mn_head *h, int64_t first, int64_t n, float *s, int64_t lds,
                   float *inverse, int64_t lda, float *z, float *y, float *a) {
    int64_t dk = h->dk;
    for (int64_t t = first; t < first + n; t++) {
        const float *k = h->k.data + t * h->k.step, *u = h->u.data + t * h->u.step,
                    *q = h->q.data + t * h->q.step;
        float *o = h->o.data + t * h->o.step;
        step_read_two(dk, dk, inverse, lda, u, k, y, a); /* A is symmetric, bit for bit */
        row_scale(dk, 1 / sqrtf(1 + dot(dk, u, y)), y);
        row_add(dk, -dot(dk, y, k), y, a);
        unit(dk, a);
        step_subtract(dk, inverse, lda, y);
        step_correct(dk, h->dv, s, lds, 1, 1, k, a, h->v.data + t * h->v.step, q, h->scale, o);
        for (int64_t i = 1; i < h->group; i++)
            step_read(dk, h->dv, s, lds, q + i * h->q.head, h->scale, o + i * h->o.head);
        if (h->a->normalise) {
            row_add(dk, 1, k, z);
            divide(h, t, z);
        }
        if (refreshes(h, t))
            for (int64_t p = 0; p < dk; p++)
                inverse[p * lda + p] += h->a->refresh;
    }
}

static void step(const mn_head *h) {
    float *work = h->work, *y = carve(&work, h->dk), *a = carve(&work, h->dk),
          *inverse = h->state + h->dk * h->dv;
    tokens(h, 0, h->time, h->state, h->dv, inverse, h->dk, inverse + h->dk * h->dk, y, a);
}

/* The upper triangle of g holds w_i.u_j (i <= j); it becomes l_ji, and factor_i 1/l_i.  False if
 * too much cancels. */
static bool factorise(int64_t m, float *g, float *factor) {
    float before[CHUNK];
    for (int64_t i = 0; i < m; i++)
        before[i] = 1 + g[i * CHUNK + i];
    for (int64_t i = 0; i < m; i++) {
        float *row = g + i * CHUNK, pivot = 1 + row[i];
        if (!(pivot >= CANCELLED * before[i]))
            return false;
        factor[i] = 1 / sqrtf(pivot);
        int64_t first = i / VL * VL;
        for (int64_t j = first; j < m; j += VL)
            v_store(row + j, v_load(row + j) * v_set(factor[i]));
        for (int64_t r = i + 1; r < m; r++) {
            vf left = v_set(row[r]);
            for (int64_t j = r / VL * VL; j < m; j += VL)
                v_store(g + r * CHUNK + j,
                        v_fnma(left, v_load(row + j), v_load(g + r * CHUNK + j)));
        }
    }
    return true;
}

/* x_i += r_i times y_i, for the refreshes before token t + i. */
static void add_refreshes(const mn_head *h, int64_t t, int64_t m, float *x, int64_t ldx,
                          const float *y, int64_t step) {
    float r = 0;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t p = 0; r != 0 && p < h->dk; p++)
            x[i * ldx + p] = fmaf(r, y[i * step + p], x[i * ldx + p]);
        if (refreshes(h, t + i))
            r += h->a->refresh;
    }
}

/* writes_i = A_i k_i / |A_i k_i| and y of the chunk; false if too much cancels (nothing else has
 * changed then). */
static bool writes(const mn_head *h, const chunk_work *w, int64_t t, int64_t m) {
    int64_t kp = w->kp;
    const float *u = h->u.data + t * h->u.step, *k = h->k.data + t * h->k.step;
    rows_in(m, h->dk, u, h->u.step, w->u, kp);
    product_set(m, kp, h->dk, (mn_left){w->u, kp, 1}, w->inverse, kp, w->y, kp, w->ahead);
    product_set(m, kp, h->dk, (mn_left){k, h->k.step, 1}, w->inverse, kp, w->writes, kp, w->ahead);
    add_refreshes(h, t, m, w->y, kp, u, h->u.step);
    add_refreshes(h, t, m, w->writes, kp, k, h->k.step);
    transpose(m, h->dk, w->u, kp, w->transposed, CHUNK);
    product_set(m, v_pad(m), h->dk, (mn_left){w->y, kp, 1}, w->transposed, CHUNK, w->weights, CHUNK,
                w->ahead);
    if (!factorise(m, w->weights, w->factor))
        return false;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < i; j++)
            w->triangle[i * CHUNK + j] = w->weights[j * CHUNK + i];
    solve_lower(m, kp, w->triangle, CHUNK, w->factor, w->y, kp);
    transpose(m, h->dk, w->y, kp, w->transposed, CHUNK);
    product_set_lower(m, h->dk, (mn_left){k, h->k.step, 1}, w->transposed, CHUNK, w->triangle,
                      CHUNK, w->ahead);
    keep_lower(m, -1, w->triangle, CHUNK);
    float before[CHUNK];
    for (int64_t i = 0; i < m; i++)
        before[i] = dot(h->dk, w->writes + i * kp, w->writes + i * kp);
    product_lower_add(m, kp, m, (mn_left){w->triangle, CHUNK, 1}, w->y, kp, w->writes, kp, 0,
                      w->ahead);
    for (int64_t i = 0; i < m; i++) {
        float *a = w->writes + i * kp, square = dot(h->dk, a, a);
        if (!(square >= CANCELLED * CANCELLED * before[i]) || (!safe(square) && !is_zero(h->dk, a)))
            return false;
        vf factor = v_set(mn_quotient(1, sqrtf(square)));
        for (int64_t p = 0; p < kp; p += VL)
            v_store(a + p, v_load(a + p) * factor);
    }
    return true;
}

static void chunk_tokens(const mn_head *h, const chunk_work *w, int64_t t, int64_t m) {
    int64_t kp = w->kp, vp = w->vp;
    if (!writes(h, w, t, m)) {
        tokens(h, t, m, w->s, vp, w->inverse, kp, w->z, w->row, w->row + kp);
        return;
    }
    product_subtract(h->dk, kp, m, (mn_left){w->y, 1, kp}, w->y, kp, w->inverse, kp, w->ahead);
    for (int64_t i = 0; i < m; i++)
        for (int64_t p = 0; refreshes(h, t + i) && p < h->dk; p++)
            w->inverse[p * kp + p] += h->a->refresh;

    mn_left keys = {h->k.data + t * h->k.step, h->k.step, 1};
    transpose(m, h->dk, w->writes, kp, w->transposed, CHUNK);
    product_set_lower(m, h->dk, keys, w->transposed, CHUNK, w->triangle, CHUNK, w->ahead);
    rows_in(m, h->dv, h->v.data + t * h->v.step, h->v.step, w->errors, vp);
    product_set(m, vp, h->dk, keys, w->s, vp, w->out, vp, w->ahead);
    for (int64_t i = 0; i < m * vp; i += VL)
        v_store(w->errors + i, v_load(w->errors + i) - v_load(w->out + i));
    solve_lower(m, vp, w->triangle, CHUNK, w->one, w->errors, vp);

    for (int64_t i = 0; i < h->group; i++) {
        mn_left queries = {h->q.data + t * h->q.step + i * h->q.head, h->q.step, 1};
        product_set_lower(m, h->dk, queries, w->transposed, CHUNK, w->weights, CHUNK, w->ahead);
        keep_lower(m, h->scale, w->weights, CHUNK);
        product_set(m, vp, h->dk, queries, w->s, vp, w->out, vp, w->ahead);
        for (int64_t j = 0; j < m * vp; j += VL)
            v_store(w->out + j, v_load(w->out + j) * v_set(h->scale));
        product_lower_add(m, vp, m, (mn_left){w->weights, CHUNK, 1}, w->errors, vp, w->out, vp, 0,
                          w->ahead);
        rows_out(m, h->dv, w->out, vp, h->o.data + t * h->o.step + i * h->o.head, h->o.step);
    }
    product_add(h->dk, vp, m, (mn_left){w->writes, 1, kp}, w->errors, vp, w->s, vp, w->ahead);
    for (int64_t i = 0; h->a->normalise && i < m; i++) {
        const float *k = h->k.data + (t + i) * h->k.step;
        for (int64_t p = 0; p < h->dk; p++)
            w->z[p] += k[p];
        divide(h, t + i, w->z);
    }
}

static void chunk(const mn_head *h) {
    chunk_work work, *w = &work;
    mn_ahead ahead;
    layout(h->a, w, h->work);
    w->ahead = &ahead;
    int64_t dk = h->dk, dv = h->dv;
    float *inverse = h->state + dk * dv;
    bool direct = dk == w->kp && dv == w->vp;
    if (direct) {
        w->s = h->state, w->inverse = inverse;
    } else {
        rows_in(dk, dv, h->state, dv, w->s, w->vp);
        rows_in(dk, dk, inverse, dk, w->inverse, w->kp);
    }
    w->z = inverse + dk * dk;
    for (int64_t i = 0; i < CHUNK; i++)
        w->one[i] = 1;
    for (int64_t t = 0; t < h->time; t += CHUNK) {
        ahead_start(&ahead, h, t, CHUNK);
        chunk_tokens(h, w, t, mn_min(CHUNK, h->time - t));
    }
    if (direct)
        return;
    rows_out(dk, dv, w->s, w->vp, h->state, dv);
    rows_out(dk, dk, w->inverse, w->kp, inverse, dk);
}

mn_head_kernel *const MN_FN(mn_vla)[2] = {step, chunk};

/* Error bound, for any method and cut into chunks; ^ marks what is computed, |.| is the
 * Euclidean or Frobenius norm, n = dk + 2 CHUNK + 16.  M_t = A_t^-1, mu_t >= |M_t| (lambda0 +
 * sum |u|^2; a refresh makes M smaller), alpha_t the largest |A_r| of the last CHUNK tokens,
 * with the refreshes of a chunk, kappa = mu alpha: |M_t| |A_t| alone is too small, since the
 * difference A_{t-1} - y y^T rounds relatively to A_{t-1}.
 * A: eps_t >= |M^(1/2) (A^ - A) M^(1/2)|_2.  (1 - eps) A <= A^ <= (1 + eps) A passes through A'
 * = (A^-1 + u u^T)^-1 and through a refresh, so only roundings add up.  In a chunk the factor's
 * entries l_ij differ from y_j.u_i by L^-1 delta, |delta| <= Delta, the absolute roundings of G
 * = I + U A U^T and of its factors without their diagonal; Y^T L^-1 delta has the M-norm of at
 * most |delta| (Y M Y^T = L^T L - I) and, along u_i, |G^-1 g_i| |delta| <= sqrt(g) |delta|, g =
 * alpha |u|^2.  With |y|_M^2 = u.A u <= g:
 *     Delta = gamma_n (7 kappa + 6 dk^(1/4) sqrt(kappa g)),   g' = min(g, 1),
 *     eps_t = eps_{t-1} + 2 (Delta (2 (2 + sqrt(g)) sqrt(g') + (1 + 2 sqrt(g)) g') + 4 u (1 +
 *         sqrt(dk)) kappa)
 * (token by token is less; the factor 2 holds second orders while eps < 1/8, beyond which there
 * is no bound).
 * a: |a^_t - a_t| <= delta_t = min(2, 2 eps_t sqrt(mu_t |A_t|) + gamma_n (8 + 5 sqrt(dk))
 * kappa): |A^ k - A k| is at most eps |A^(1/2)| |A^(1/2) k|, |A k| >= |A^(1/2) k| / |M|^(1/2),
 * and |A k| >= |k| / mu.
 * S: with W as for the delta rule (|a_j| <= 1.01 in place of |k_j|) and |eta_t| <= gamma_n
 * (|v_t| + |k_t| W_{t-1}), an error added at token t is at most X_t = delta_t |e^_t| + |eta_t| +
 * gamma_6 W_t, and
 *     S^_t - S_t = (I - a_t k_t^T) (S^_{t-1} - S_{t-1}) + X_t.
 * I - a k^T is self-adjoint in the M_t-metric with eigenvalues in [1 - |k|, 1], and has the norm
 * (|k| + sqrt(4 + |k|^2)) / 2 or less; the step from the M_{t-1}- to the M_t-metric stretches by
 * sqrt(1 + u_t.A_{t-1} u_t).  B_t is the smaller of both ways:
 *     b_t = sqrt(1 + u_t.A_{t-1} u_t) max(1, |k_t| - 1) b_{t-1} + sqrt(mu_t) X_t,
 *     B_t = min((|k_t| + sqrt(4 + |k_t|^2)) / 2 B_{t-1} + X_t, sqrt(|A_t|) b_t),   b_t <-
 *         min(b_t, sqrt(mu_t) B_t),
 * and o as for the delta rule.  Where keys and updates have nothing to do with each other B
 * grows with t as products of I - a k^T may: for many tokens the bound says nothing. */

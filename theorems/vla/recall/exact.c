/* vla.recall: what one write does, exact in Q. */
#include "theorems/vla/recall/recall.h"

/* S_t k = c v + (1-c) S_{t-1} k, token after token, for random unit a and k: S_t k = S k + (v - S
   k)(a.k).  parameter: what is added to c (0). */
void recall_check_identity(check_context *ctx, const void *parameter) {
    const slong *shift = parameter;
    exact_random r = {ctx->seed};
    fmpq_t one, c, q, want;
    fmpq_init(one);
    fmpq_init(c);
    fmpq_init(q);
    fmpq_init(want);
    fmpq_one(one);
    for (slong d = 2; d <= 5; d++)
        for (slong m = 1; m <= 3; m++) {
            vla_layer_t l;
            fmpq *k = _fmpq_vec_init(d), *v = _fmpq_vec_init(m), *before = _fmpq_vec_init(m);
            vla_layer_init(l, d, m, one);
            for (int trial = 0; trial < 4; trial++) {
                vla_random_unit(k, &r, d, 4);
                vla_random_unit(l->write, &r, d, 4);
                for (slong i = 0; i < m; i++)
                    exact_random_rational(v + i, &r, 5);
                for (slong i = 0; i < d && trial == 3; i++) /* c = 1 */
                    fmpq_set(l->write + i, k + i);
                vla_dot(c, l->write, k, d);
                fmpq_add_si(c, c, *shift);
                for (slong i = 0; i < m; i++)
                    vla_dot(before + i, fmpq_mat_entry(l->state, i, 0), k, d);
                vla_layer_store(l, k, v);
                for (slong i = 0; i < m; i++) {
                    vla_dot(q, fmpq_mat_entry(l->state, i, 0), k, d);
                    fmpq_sub(want, v + i, before + i);
                    fmpq_mul(want, want, c);
                    fmpq_add(want, want, before + i);
                    claim_decide_fmpq(ctx, "S_t k = c v + (1-c) S_{t-1} k", q, RELATION_EQ, want);
                }
            }
            vla_layer_clear(l);
            _fmpq_vec_clear(k, d);
            _fmpq_vec_clear(v, m);
            _fmpq_vec_clear(before, m);
        }
    fmpq_clear(one);
    fmpq_clear(c);
    fmpq_clear(q);
    fmpq_clear(want);
}

static void token(check_context *ctx, vla_layer_t l, const fmpq *k, const fmpq *v,
                  const fmpq_t factor) {
    layer_status status = vla_layer_absorb(l, k, factor);
    if (status == LAYER_OK)
        status = vla_layer_direct(l, k);
    if (status != LAYER_OK)
        vla_undecidable(ctx, layer_status_text(status));
    vla_layer_store(l, k, v);
}

/* All pairs of an orthonormal basis, u along k: S k_i = v_i for every i.  parameter: tokens of another
   basis that follow (0). */
void recall_check_orthonormal(check_context *ctx, const void *parameter) {
    const slong *more = parameter;
    exact_random r = {ctx->seed};
    fmpq_t lambda0, factor, q;
    fmpq_init(lambda0);
    fmpq_init(factor);
    fmpq_init(q);
    fmpq_set_si(lambda0, 1, 10);
    for (slong d = 2; d <= 6; d++) {
        vla_layer_t l;
        fmpq_mat_t frame, other;
        fmpq *v = _fmpq_vec_init(2 * d);
        fmpq_mat_init(frame, d, d);
        fmpq_mat_init(other, d, d);
        vla_random_frame(frame, &r, 5);
        vla_random_frame(other, &r, 5);
        vla_layer_init(l, d, 1, lambda0);
        fmpq_set_si(factor, 1, (ulong)d);
        for (slong i = 0; i < 2 * d; i++)
            exact_random_rational(v + i, &r, 5);
        for (slong n = 0; n < d; n++) {
            token(ctx, l, fmpq_mat_entry(frame, n, 0), v + n, factor);
            if (n == d - 1)
                for (slong i = 0; i < *more; i++)
                    token(ctx, l, fmpq_mat_entry(other, i, 0), v + d + i, factor);
            for (slong i = 0; i <= n; i++) {
                vla_dot(q, fmpq_mat_entry(l->state, 0, 0), fmpq_mat_entry(frame, i, 0), d);
                claim_decide_fmpq(ctx, "S k_i = v_i", q, RELATION_EQ, v + i);
            }
        }
        vla_layer_clear(l);
        fmpq_mat_clear(frame);
        fmpq_mat_clear(other);
        _fmpq_vec_clear(v, 2 * d);
    }
    fmpq_clear(lambda0);
    fmpq_clear(factor);
    fmpq_clear(q);
}

/* In A's eigenframe with w_i = (k.e_i)^2, sum w = 1: (a.e_i)^2 = mu_i^2 w_i / sum mu_j^2 w_j.  For the
   least mu it is at most w_i.  parameter: 1 takes the largest mu instead (0). */
void recall_check_leaning(check_context *ctx, const void *parameter) {
    const slong *largest = parameter;
    exact_random r = {ctx->seed};
    fmpq_t total, square, q;
    fmpq_init(total);
    fmpq_init(square);
    fmpq_init(q);
    for (slong d = 2; d <= 6; d++)
        for (int trial = 0; trial < 6; trial++) {
            fmpq *mu = _fmpq_vec_init(d), *w = _fmpq_vec_init(d);
            slong at = 0;
            fmpq_zero(total), fmpq_zero(square);
            for (slong i = 0; i < d; i++) {
                fmpq_set_si(mu + i, exact_random_integer(&r, 1, 50), 7);
                fmpq_set_si(w + i, exact_random_integer(&r, 1, 9), 1);
                fmpq_add(total, total, w + i);
                int below = fmpq_cmp(mu + i, mu + at) < 0;
                if (*largest ? !below : below)
                    at = i;
            }
            for (slong i = 0; i < d; i++) {
                fmpq_div(w + i, w + i, total);
                fmpq_mul(q, mu + i, mu + i);
                fmpq_addmul(square, q, w + i);
            }
            fmpq_mul(q, mu + at, mu + at);
            fmpq_mul(q, q, w + at);
            fmpq_div(q, q, square);
            claim_decide_fmpq(ctx, "(a.e)^2 <= (k.e)^2 for the least eigenvalue", q, RELATION_LE,
                              w + at);
            _fmpq_vec_clear(mu, d);
            _fmpq_vec_clear(w, d);
        }
    fmpq_clear(total);
    fmpq_clear(square);
    fmpq_clear(q);
}

/* out := x^T A y */
static void form(fmpq_t out, const vla_layer_t l, const fmpq *x, const fmpq *y) {
    fmpq_t q;
    fmpq_init(q);
    fmpq_zero(out);
    for (slong i = 0; i < l->d; i++) {
        vla_dot(q, fmpq_mat_entry(l->inverse, i, 0), y, l->d);
        fmpq_addmul(out, q, x + i);
    }
    fmpq_clear(q);
}

/* With s = u^T A u before the update: u^T A_t u = s/(1+s), k^T A_t k = k^T A k - (k^T A u)^2/(1+s).
   parameter: what is added to 1+s (0). */
void recall_check_contraction(check_context *ctx, const void *parameter) {
    const slong *shift = parameter;
    exact_random r = {ctx->seed};
    fmpq_t lambda0, one, s, cross, before, after, pivot;
    fmpq *temporary[] = {lambda0, one, s, cross, before, after, pivot};
    for (int i = 0; i < 7; i++)
        fmpq_init(temporary[i]);
    fmpq_one(one);
    fmpq_set_si(lambda0, 1, 10);
    for (slong d = 2; d <= 4; d++) {
        vla_layer_t l;
        fmpq *k = _fmpq_vec_init(d), *u = _fmpq_vec_init(d);
        vla_layer_init(l, d, 1, lambda0);
        for (int t = 0; t < 6; t++) {
            for (slong i = 0; i < d; i++) {
                exact_random_rational(k + i, &r, 5);
                fmpq_set_si(u + i, exact_random_integer(&r, 1, 5), 5);
            }
            form(s, l, u, u);
            form(cross, l, k, u);
            form(before, l, k, k);
            fmpq_add_si(pivot, s, 1 + *shift);
            if (vla_layer_absorb(l, u, one) != LAYER_OK)
                vla_undecidable(ctx, layer_status_text(LAYER_SINGULAR));
            form(after, l, u, u);
            fmpq_div(s, s, pivot);
            claim_decide_fmpq(ctx, "u^T A_t u = s/(1+s)", after, RELATION_EQ, s);
            form(after, l, k, k);
            fmpq_mul(cross, cross, cross);
            fmpq_div(cross, cross, pivot);
            fmpq_sub(before, before, cross);
            claim_decide_fmpq(ctx, "k^T A_t k = k^T A k - (k^T A u)^2/(1+s)", after, RELATION_EQ,
                              before);
        }
        vla_layer_clear(l);
        _fmpq_vec_clear(k, d);
        _fmpq_vec_clear(u, d);
    }
    for (int i = 0; i < 7; i++)
        fmpq_clear(temporary[i]);
}

/* vort.weights: positive, decreasing, completely monotone; the ends alpha = 1 and alpha -> 0. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "theorems/vort/weights/weights.h"

/* ---- positive, decreasing ---- */

void weights_check_decreasing(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    enum { COUNT = 257 };
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq *w = _fmpq_vec_init(COUNT);
    fmpq_t zero, left, right;
    fmpq_init(zero);
    fmpq_init(left);
    fmpq_init(right);
    for (slong n = 0; n < orders; n++) {
        exact_gl_rational_vec(w, alpha + n, COUNT);
        for (slong j = 0; j + 1 < COUNT; j++) {
            claim_decide_fmpq(ctx, "w_j > 0", w + j, RELATION_GT, zero);
            claim_decide_fmpq(ctx, "w_{j+1} < w_j", w + j + 1, RELATION_LT, w + j);
            /* the proof's ratio, in the weights as computed: (w_j - w_{j+1})(j+1) = w_j (1-alpha) */
            fmpq_sub(left, w + j, w + j + 1);
            fmpq_set_si(right, j + 1, 1);
            fmpq_mul(left, left, right);
            vort_one_minus(right, alpha + n);
            fmpq_mul(right, right, w + j);
            claim_decide_fmpq(ctx, "(w_j - w_{j+1})(j+1) = w_j (1-alpha)", left, RELATION_EQ,
                              right);
        }
    }
    fmpq_clear(zero);
    fmpq_clear(left);
    fmpq_clear(right);
    _fmpq_vec_clear(w, COUNT);
    vort_orders_free(alpha);
}

/* ---- completely monotone ---- */

/* out := w_j (1-alpha)_k / (j+1)_k */
static void monotone_formula(fmpq_t out, const fmpq_t w, const fmpq_t alpha, slong j, slong k) {
    fmpq_t f;
    fmpq_init(f);
    fmpq_set(out, w);
    for (slong i = 0; i < k; i++) {
        fmpq_set_si(f, 1 + i, 1);
        fmpq_sub(f, f, alpha);
        fmpq_mul(out, out, f);
        fmpq_set_si(f, j + 1 + i, 1);
        fmpq_div(out, out, f);
    }
    fmpq_clear(f);
}

void weights_check_completely_monotone(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    enum { DEPTH = 24, COUNT = 2 * DEPTH + 1 };
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq *d = _fmpq_vec_init(COUNT), *w = _fmpq_vec_init(COUNT);
    fmpq_t formula, next, zero;
    fmpq_init(formula);
    fmpq_init(next);
    fmpq_init(zero);
    for (slong n = 0; n < orders; n++) {
        exact_gl_rational_vec(w, alpha + n, COUNT);
        for (slong j = 0; j < COUNT; j++)
            fmpq_set(d + j, w + j);
        for (slong k = 0; k <= DEPTH; k++) {
            for (slong j = 0; j <= DEPTH; j++) {
                monotone_formula(formula, w + j, alpha + n, j, k);
                claim_decide_fmpq(ctx, "(-1)^k Delta^k w_j = w_j (1-alpha)_k/(j+1)_k", d + j,
                                  RELATION_EQ, formula);
                claim_decide_fmpq(ctx, "(-1)^k Delta^k w_j > 0", d + j, RELATION_GT, zero);
                /* the step of the induction: D_k(j) - D_k(j+1) = D_{k+1}(j) */
                monotone_formula(next, w + j + 1, alpha + n, j + 1, k);
                fmpq_sub(formula, formula, next);
                monotone_formula(next, w + j, alpha + n, j, k + 1);
                claim_decide_fmpq(ctx, "D_k(j) - D_k(j+1) = D_{k+1}(j)", formula, RELATION_EQ,
                                  next);
            }
            for (slong j = 0; j + 1 < COUNT - k; j++)
                fmpq_sub(d + j, d + j, d + j + 1);
        }
    }
    fmpq_clear(formula);
    fmpq_clear(next);
    fmpq_clear(zero);
    _fmpq_vec_clear(d, COUNT);
    _fmpq_vec_clear(w, COUNT);
    vort_orders_free(alpha);
}

/* ---- alpha = 1 ---- */

void weights_check_unit_order(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq_t w, one;
    fmpq_init(w);
    fmpq_init(one);
    fmpq_one(one);
    for (slong n = 0; n < orders; n++)
        for (ulong j = 0; j < 1000; j += j < 20 ? 1 : 97) {
            exact_gl_rational(w, alpha + n, j);
            claim_decide_fmpq(ctx, "w_j(1) = 1", w, RELATION_EQ, one);
        }
    fmpq_clear(w);
    fmpq_clear(one);
    vort_orders_free(alpha);
}

/* ---- alpha -> 0 ---- */

/* number: factor in front of the bound (1; the control halves it). */
void weights_check_vanishing(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    fmpq_t alpha, w, product, factor, scale, harmonic, one;
    arb_t bound, x, tiny;
    fmpq_init(alpha);
    fmpq_init(w);
    fmpq_init(product);
    fmpq_init(factor);
    fmpq_init(scale);
    fmpq_init(harmonic);
    fmpq_init(one);
    arb_init(bound);
    arb_init(x);
    arb_init(tiny);
    vort_rational(scale, p->number);
    fmpq_one(one);
    for (slong k = 1; k <= 60; k += k < 4 ? 1 : 8) {
        fmpq_one(alpha);
        fmpq_div_2exp(alpha, alpha, (ulong)k);
        exact_gl_rational(w, alpha, 0);
        claim_decide_fmpq(ctx, "w_0 = 1", w, RELATION_EQ, one);
        fmpq_set(product, alpha); /* alpha prod_{i<j} (1+alpha/i), then over j */
        fmpq_zero(harmonic);
        for (slong j = 1; j <= 64; j++) {
            fmpq_set_si(factor, 1, (ulong)j);
            fmpq_t left;
            fmpq_init(left);
            fmpq_mul(left, product, factor);
            exact_gl_rational(w, alpha, (ulong)j);
            claim_decide_fmpq(ctx, "w_j = (alpha/j) prod_{i<j}(1+alpha/i)", w, RELATION_EQ, left);
            fmpq_clear(left);
            /* bound = scale (alpha/j) e^(alpha H_{j-1}) */
            fmpq_mul(factor, factor, alpha);
            fmpq_mul(factor, factor, scale);
            arb_set_fmpq(bound, factor, ctx->prec);
            fmpq_mul(factor, alpha, harmonic);
            arb_set_fmpq(x, factor, ctx->prec);
            arb_exp(x, x, ctx->prec);
            arb_mul(bound, bound, x, ctx->prec);
            if (j > 1) { /* equality at j = 1 is the identity above */
                arb_set_fmpq(x, w, ctx->prec);
                claim_decide_arb(ctx, "w_j <= (alpha/j) e^(alpha H_{j-1})", x, RELATION_LE, bound);
            }
            /* next: (1+alpha/j) and H_j */
            fmpq_set_si(factor, j, 1);
            fmpq_div(factor, alpha, factor);
            fmpq_add(factor, factor, one);
            fmpq_mul(product, product, factor);
            fmpq_set_si(factor, 1, (ulong)j);
            fmpq_add(harmonic, harmonic, factor);
        }
    }
    /* the bound at alpha = 2^-60, j = 64 is already below 2^-60 */
    arb_one(tiny);
    arb_mul_2exp_si(tiny, tiny, -60);
    claim_decide_arb(ctx, "the bound goes to 0 with alpha", bound, RELATION_LE, tiny);
    fmpq_clear(alpha);
    fmpq_clear(w);
    fmpq_clear(product);
    fmpq_clear(factor);
    fmpq_clear(scale);
    fmpq_clear(harmonic);
    fmpq_clear(one);
    arb_clear(bound);
    arb_clear(x);
    arb_clear(tiny);
}

/* vla.sherman-morrison: the formula, and what the refresh makes of it, exact in Q. */
#include "theorems/vla/sherman_morrison/sherman.h"

#include <stdio.h>

static void identity_minus(check_context *ctx, const char *label, const fmpq_mat_t x) {
    fmpq_t want;
    fmpq_init(want);
    for (slong i = 0; i < fmpq_mat_nrows(x); i++)
        for (slong j = 0; j < fmpq_mat_ncols(x); j++) {
            fmpq_set_si(want, i == j, 1);
            claim_decide_fmpq(ctx, label, fmpq_mat_entry(x, i, j), RELATION_EQ, want);
        }
    fmpq_clear(want);
}

/* Leading minors by elimination without exchange: the pivots' signs. */
static void decide_definite(check_context *ctx, const fmpq_mat_t a) {
    slong d = fmpq_mat_nrows(a);
    fmpq_mat_t x;
    fmpq_t f, zero;
    fmpq_mat_init(x, d, d);
    fmpq_init(f);
    fmpq_init(zero);
    fmpq_mat_set(x, a);
    for (slong k = 0; k < d; k++) {
        const fmpq *pivot = fmpq_mat_entry(x, k, k);
        if (claim_decide_fmpq(ctx, "pivots of A > 0", pivot, RELATION_GT, zero) != TRUTH_HOLDS)
            break;
        for (slong i = k + 1; i < d; i++) {
            fmpq_div(f, fmpq_mat_entry(x, i, k), pivot);
            for (slong j = k; j < d; j++)
                fmpq_submul(fmpq_mat_entry(x, i, j), f, fmpq_mat_entry(x, k, j));
        }
    }
    fmpq_mat_clear(x);
    fmpq_clear(f);
    fmpq_clear(zero);
}

/* m += factor u u^T */
static void add_square(fmpq_mat_t m, const fmpq *u, const fmpq_t factor) {
    fmpq_t q;
    fmpq_init(q);
    for (slong i = 0; i < fmpq_mat_nrows(m); i++)
        for (slong j = 0; j < fmpq_mat_nrows(m); j++) {
            fmpq_mul(q, u + i, u + j);
            fmpq_addmul(fmpq_mat_entry(m, i, j), q, factor);
        }
    fmpq_clear(q);
}

static void draw(fmpq *u, exact_random *r, slong d) {
    for (slong i = 0; i < d; i++)
        exact_random_rational(u + i, r, 6);
}

/* A by the formula times lambda0 I + sum u u^T by sums; symmetry; definiteness.  Random rational u. */
void sherman_check_inverse(check_context *ctx, const void *parameter) {
    const sherman_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t lambda0, one, half;
    fmpq_init(lambda0);
    fmpq_init(one);
    fmpq_init(half);
    fmpq_one(one);
    fmpq_set_si(half, 1, 2);
    for (slong d = 1; d <= 5; d++) {
        vla_layer_t l;
        fmpq_mat_t m, product;
        fmpq *u = _fmpq_vec_init(d);
        fmpq_mat_init(m, d, d);
        fmpq_mat_init(product, d, d);
        fmpq_set_si(lambda0, d % 2 ? 1 : 10, d % 2 ? 10 : 1);
        vla_layer_init(l, d, 1, lambda0);
        for (slong i = 0; i < d; i++)
            fmpq_set(fmpq_mat_entry(m, i, i), lambda0);
        for (int t = 0; t < 10; t++) {
            draw(u, &r, d);
            for (slong i = 0; i < d && t == 3; i++) /* u = 0 changes nothing */
                fmpq_zero(u + i);
            layer_status status = vla_layer_absorb(l, u, p->half ? half : one);
            if (status != LAYER_OK)
                vla_undecidable(ctx, layer_status_text(status));
            add_square(m, u, one);
            fmpq_mat_mul(product, m, l->inverse);
            identity_minus(ctx, "(lambda0 I + sum u u^T) A = I", product);
            for (slong i = 0; i < d; i++)
                for (slong j = 0; j < i; j++)
                    claim_decide_fmpq(ctx, "A = A^T", fmpq_mat_entry(l->inverse, i, j), RELATION_EQ,
                                      fmpq_mat_entry(l->inverse, j, i));
            decide_definite(ctx, l->inverse);
        }
        vla_layer_clear(l);
        fmpq_mat_clear(m);
        fmpq_mat_clear(product);
        _fmpq_vec_clear(u, d);
    }
    fmpq_clear(lambda0);
    fmpq_clear(one);
    fmpq_clear(half);
}

/* (A + delta I) M (I + delta M)^-1 = I for random M; delta in the formula is off by p->delta. */
void sherman_check_refresh(check_context *ctx, const void *parameter) {
    const sherman_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t lambda0, one, delta, off;
    fmpq_init(lambda0);
    fmpq_init(one);
    fmpq_init(delta);
    fmpq_init(off);
    fmpq_one(one);
    fmpq_set_si(lambda0, 1, 10);
    vla_rational(off, p->delta);
    for (slong d = 1; d <= 4; d++) {
        vla_layer_t l;
        fmpq_mat_t m, shifted, product;
        fmpq *u = _fmpq_vec_init(d);
        fmpq_mat_init(m, d, d);
        fmpq_mat_init(shifted, d, d);
        fmpq_mat_init(product, d, d);
        vla_layer_init(l, d, 1, lambda0);
        for (slong i = 0; i < d; i++)
            fmpq_set(fmpq_mat_entry(m, i, i), lambda0);
        for (int t = 0; t < 4; t++) {
            draw(u, &r, d);
            add_square(m, u, one);
            if (vla_layer_absorb(l, u, one) != LAYER_OK)
                vla_undecidable(ctx, layer_status_text(LAYER_SINGULAR));
        }
        fmpq_set_si(delta, 1, 1000);
        vla_layer_refresh(l, delta);
        fmpq_add(delta, delta, off);
        fmpq_mat_scalar_mul_fmpq(shifted, m, delta); /* (I + delta M)^-1 */
        for (slong i = 0; i < d; i++)
            fmpq_add_si(fmpq_mat_entry(shifted, i, i), fmpq_mat_entry(shifted, i, i), 1);
        if (!fmpq_mat_inv(shifted, shifted))
            vla_undecidable(ctx, layer_status_text(LAYER_SINGULAR));
        fmpq_mat_mul(product, l->inverse, m);
        fmpq_mat_mul(product, product, shifted);
        identity_minus(ctx, "(A + delta I) M (I + delta M)^-1 = I", product);
        vla_layer_clear(l);
        fmpq_mat_clear(m);
        fmpq_mat_clear(shifted);
        fmpq_mat_clear(product);
        _fmpq_vec_clear(u, d);
    }
    fmpq_clear(lambda0);
    fmpq_clear(one);
    fmpq_clear(delta);
    fmpq_clear(off);
}

/* A's eigenvalue along a direction written at every token: 20 tokens, then + delta, over and over.
   token by token: a -> a/(1+a/d); at once: 1/(1/a + 20/d). */
static void written(arb_t a, slong tokens, slong d, const arb_t delta, int at_once, slong prec) {
    arb_t q;
    arb_init(q);
    for (slong t = 0; t < tokens; t += 20) {
        for (int i = 0; i < (at_once ? 1 : 20); i++) {
            arb_mul_si(q, a, at_once ? 20 : 1, prec);
            arb_div_si(q, q, d, prec);
            arb_add_si(q, q, 1, prec);
            arb_div(a, a, q, prec);
        }
        arb_add(a, a, delta, prec);
    }
    arb_clear(q);
}

/* The published schedule (delta = 1/1000 every 20 tokens, lambda0 = 1/10 and 10), d = 32, T = 1000 and
   10^5: the eigenvalues against their limit a* and against the inverse of lambda0 + T/d. */
void sherman_check_schedule(check_context *ctx, const void *parameter) {
    const sherman_parameter *p = parameter;
    static const char *const lambdas[] = {"1/10", "10"};
    static const slong ends[] = {1000, 100000};
    const slong d = 32, prec = FLINT_MAX(ctx->prec, 128);
    arb_t a, b, delta, limit, q, lambda0;
    arb_struct *balls[] = {a, b, delta, limit, q, lambda0};
    fmpq_t x, off;
    for (int i = 0; i < 6; i++)
        arb_init(balls[i]);
    fmpq_init(x);
    fmpq_init(off);
    fmpq_set_si(x, 1, 1000);
    arb_set_fmpq(delta, x, prec);
    vla_rational(off, p->delta);
    fmpq_add(x, x, off);
    arb_set_fmpq(q, x, prec); /* a* = delta/2 + sqrt(delta^2/4 + delta d/20) */
    arb_mul_2exp_si(b, q, -1);
    arb_mul(limit, b, b, prec);
    arb_mul_si(q, q, d, prec);
    arb_div_si(q, q, 20, prec);
    arb_add(limit, limit, q, prec);
    arb_sqrt(limit, limit, prec);
    arb_add(limit, limit, b, prec);
    for (int l = 0; l < 2; l++)
        for (int e = 0; e < 2; e++) {
            char name[80];
            vla_rational(x, lambdas[l]);
            arb_set_fmpq(lambda0, x, prec);
            arb_inv(a, lambda0, prec);
            arb_set(b, a);
            written(a, ends[e], d, delta, 0, prec);
            written(b, ends[e], d, delta, 1, prec);
            claim_two_paths(ctx, "a_T: token by token, twenty at once", a, b, 48);
            claim_decide_arb(ctx, "a_T > a*", a, RELATION_GT, limit);
            if (e == 1) {
                arb_mul_si(q, limit, 1001, prec);
                arb_div_si(q, q, 1000, prec);
                claim_decide_arb(ctx, "a_T < 1.001 a* at T = 10^5", a, RELATION_LT, q);
            }
            arb_set_si(q, ends[e]); /* what it was to be: lambda0 + T/d */
            arb_div_si(q, q, d, prec);
            arb_add(q, q, lambda0, prec);
            arb_mul(q, q, a, prec);
            snprintf(name, sizeof name, "a_T(lambda0+T/d)/lambda0=%s,T=%ld", lambdas[l],
                     (long)ends[e]);
            claim_number_arb(ctx, name, "1", q);
            arb_mul_si(q, lambda0, ends[e] / 20,
                       prec); /* never written: (1/lambda0 + delta T/20) lambda0 */
            arb_mul(q, q, delta, prec);
            arb_add_si(q, q, 1, prec);
            snprintf(name, sizeof name, "unwritten/lambda0=%s,T=%ld", lambdas[l], (long)ends[e]);
            claim_number_arb(ctx, name, "1", q);
        }
    arb_inv(q, limit, prec);
    claim_number_arb(ctx, "largest-penalty/d=32", "1", q);
    for (int i = 0; i < 6; i++)
        arb_clear(balls[i]);
    fmpq_clear(x);
    fmpq_clear(off);
}

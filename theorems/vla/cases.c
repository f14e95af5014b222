/* Inputs of the published layer, what the recurrences make of them, and published statements that fail
   there. */
#include "theorems/vla/common.h"
#include "numerics/exact/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* out[count] := the rationals spelled in text, separated by blanks. */
static layer_status read_list(fmpq *out, const char *text, slong count) {
    char *copy = flint_malloc(strlen(text) + 1), *rest = NULL;
    slong n = 0;
    layer_status status = LAYER_OK;
    strcpy(copy, text);
    for (char *word = strtok_r(copy, " ", &rest); word != NULL && status == LAYER_OK;
         word = strtok_r(NULL, " ", &rest)) {
        if (n == count)
            status = LAYER_BAD_SIZE;
        else if (exact_parse_rational(out + n++, word) != NULL)
            status = LAYER_NOT_FINITE;
    }
    if (status == LAYER_OK && n < count)
        status = LAYER_BAD_SIZE;
    flint_free(copy);
    return status;
}

layer_status vla_case_init(vla_case_t c, const vla_inputs *in) {
    slong d = in->d, n = in->tokens;
    c->d = d, c->m = in->m, c->tokens = n, c->every = in->every;
    c->refreshed = in->refresh != NULL;
    fmpq_init(c->lambda0);
    fmpq_init(c->refresh);
    c->features = _fmpq_vec_init(n * d);
    c->keys = _fmpq_vec_init(n * d);
    c->directions = _fmpq_vec_init(n * d);
    c->factors = _fmpq_vec_init(n);
    c->values = _fmpq_vec_init(n * in->m);
    c->test = in->test != NULL ? _fmpq_vec_init(d) : NULL;
    layer_status status = read_list(c->lambda0, in->lambda0, 1);
    if (status == LAYER_OK)
        status = read_list(c->features, in->features, n * d);
    if (status == LAYER_OK)
        status = read_list(c->directions, in->directions, n * d);
    if (status == LAYER_OK)
        status = read_list(c->values, in->values, n * in->m);
    if (status == LAYER_OK && in->test != NULL)
        status = read_list(c->test, in->test, d);
    if (status == LAYER_OK && in->refresh != NULL)
        status = read_list(c->refresh, in->refresh, 1);
    for (slong t = 0; t < n && status == LAYER_OK; t++) {
        fmpq *factor = c->factors + t;
        status = vla_unit(c->keys + t * d, c->features + t * d, d);
        vla_dot(factor, c->directions + t * d, c->directions + t * d, d);
        if (!fmpq_is_zero(factor)) {
            fmpz_t width;
            fmpz_init_set_si(width, d);
            fmpq_mul_fmpz(factor, factor, width);
            fmpq_inv(factor, factor);
            fmpz_clear(width);
        }
    }
    if (status == LAYER_OK && fmpq_is_zero(c->lambda0))
        status = LAYER_SINGULAR;
    return status;
}

void vla_case_clear(vla_case_t c) {
    fmpq_clear(c->lambda0);
    fmpq_clear(c->refresh);
    _fmpq_vec_clear(c->features, c->tokens * c->d);
    _fmpq_vec_clear(c->keys, c->tokens * c->d);
    _fmpq_vec_clear(c->directions, c->tokens * c->d);
    _fmpq_vec_clear(c->factors, c->tokens);
    _fmpq_vec_clear(c->values, c->tokens * c->m);
    if (c->test != NULL)
        _fmpq_vec_clear(c->test, c->d);
}

layer_status vla_case_run(vla_layer_t l, const vla_case_t c, slong count, int write) {
    layer_status status = LAYER_OK;
    for (slong t = 0; t < count && status == LAYER_OK; t++) {
        status = vla_layer_absorb(l, c->directions + t * c->d, c->factors + t);
        if (status == LAYER_OK && write)
            status = vla_layer_direct(l, c->keys + t * c->d);
        if (status == LAYER_OK && write)
            vla_layer_store(l, c->keys + t * c->d, c->values + t * c->m);
        if (c->refreshed && (t + 1) % c->every == 0)
            vla_layer_refresh(l, c->refresh);
    }
    return status;
}

/* ---- quantities ---- */

/* x := (I - a k^T) x */
static void jacobian_times(fmpq *x, const fmpq *a, const fmpq *k, slong d) {
    fmpq_t kx;
    fmpq_init(kx);
    vla_dot(kx, k, x, d);
    for (slong i = 0; i < d; i++)
        fmpq_submul(x + i, a + i, kx);
    fmpq_clear(kx);
}

layer_status vla_gain(fmpq_t out, const vla_case_t c) {
    vla_layer_t l;
    fmpq_t before;
    fmpq *x = _fmpq_vec_init(c->d);
    fmpq_init(before);
    vla_layer_init(l, c->d, c->m, c->lambda0);
    layer_status status = c->test == NULL ? LAYER_BAD_SIZE : vla_case_run(l, c, c->tokens, 1);
    if (status == LAYER_OK) {
        vla_dot(before, c->test, c->test, c->d);
        if (fmpq_is_zero(before))
            status = LAYER_ZERO_KEY;
    }
    if (status == LAYER_OK) {
        for (slong i = 0; i < c->d; i++)
            fmpq_set(x + i, c->test + i);
        jacobian_times(x, l->write, c->keys + (c->tokens - 1) * c->d, c->d);
        vla_dot(out, x, x, c->d);
        fmpq_div(out, out, before);
    }
    vla_layer_clear(l);
    fmpq_clear(before);
    _fmpq_vec_clear(x, c->d);
    return status;
}

layer_status vla_product(fmpq_t out, const vla_case_t c) {
    slong d = c->d;
    fmpq *x = _fmpq_vec_init(d * d); /* columns of the product, one after another */
    vla_layer_t l;
    vla_layer_init(l, d, c->m, c->lambda0);
    layer_status status = LAYER_OK;
    for (slong i = 0; i < d; i++)
        fmpq_one(x + i * d + i);
    for (slong t = 0; t < c->tokens && status == LAYER_OK; t++) {
        status = vla_layer_absorb(l, c->directions + t * d, c->factors + t);
        if (status == LAYER_OK)
            status = vla_layer_direct(l, c->keys + t * d);
        for (slong i = 0; i < d && status == LAYER_OK; i++)
            jacobian_times(x + i * d, l->write, c->keys + t * d, d);
    }
    vla_dot(out, x, x, d * d);
    vla_layer_clear(l);
    _fmpq_vec_clear(x, d * d);
    return status;
}

/* The minimiser by recursive least squares with the observations (u_t, 0) and (k_t, v_t): best; the
   excess is tr (S-best) N (S-best)^T, N = sum kk^T + M. */
layer_status vla_excess(fmpq_t out, const vla_case_t c) {
    slong d = c->d, m = c->m;
    vla_layer_t l, best;
    fmpq_mat_t n, product;
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    vla_layer_init(l, d, m, c->lambda0);
    vla_layer_init(best, d, m, c->lambda0);
    fmpq_mat_init(n, d, d);
    fmpq_mat_init(product, m, d);
    fmpq *zero = _fmpq_vec_init(m);
    layer_status status = vla_case_run(l, c, c->tokens, 1);
    for (slong i = 0; i < d; i++)
        fmpq_set(fmpq_mat_entry(n, i, i), c->lambda0);
    for (slong t = 0; t < c->tokens && status == LAYER_OK; t++) {
        for (int what = 0; what < 2 && status == LAYER_OK; what++) { /* u with target 0, k with v */
            const fmpq *x = (what ? c->keys : c->directions) + t * d;
            fmpq *factor = what ? one : c->factors + t;
            status = vla_layer_absorb(best, x, factor);
            for (slong i = 0; i < d; i++) { /* the gain: P x with P after the observation */
                vla_dot(best->write + i, fmpq_mat_entry(best->inverse, i, 0), x, d);
                fmpq_mul(best->write + i, best->write + i, factor);
                for (slong j = 0; j < d; j++) {
                    fmpq_t q;
                    fmpq_init(q);
                    fmpq_mul(q, x + i, x + j);
                    fmpq_addmul(fmpq_mat_entry(n, i, j), q, factor);
                    fmpq_clear(q);
                }
            }
            vla_layer_store(best, x, what ? c->values + t * m : zero);
        }
    }
    fmpq_mat_sub(l->state, l->state, best->state);
    fmpq_mat_mul(product, l->state, n);
    vla_dot(out, fmpq_mat_entry(product, 0, 0), fmpq_mat_entry(l->state, 0, 0), m * d);
    vla_layer_clear(l);
    vla_layer_clear(best);
    fmpq_mat_clear(n);
    fmpq_mat_clear(product);
    fmpq_clear(one);
    _fmpq_vec_clear(zero, m);
    return status;
}

layer_status vla_recall_error(fmpq_t out, const vla_case_t c) {
    vla_layer_t l;
    fmpq_t e;
    fmpq_init(e);
    vla_layer_init(l, c->d, c->m, c->lambda0);
    layer_status status = vla_case_run(l, c, c->tokens, 1);
    fmpq_zero(out);
    for (slong i = 0; i < c->m; i++) {
        vla_dot(e, fmpq_mat_entry(l->state, i, 0), c->keys, c->d);
        fmpq_sub(e, e, c->values + i);
        fmpq_addmul(out, e, e);
    }
    vla_layer_clear(l);
    fmpq_clear(e);
    return status;
}

layer_status vla_overlap(fmpq_t out, const vla_case_t c) {
    vla_layer_t l;
    vla_layer_init(l, c->d, c->m, c->lambda0);
    layer_status status = vla_case_run(l, c, c->tokens, 1);
    vla_dot(out, l->write, c->keys, c->d);
    fmpq_mul(out, out, out);
    vla_layer_clear(l);
    return status;
}

/* k^T A k, A after count tokens */
static layer_status key_form(fmpq_t out, const vla_case_t c, slong count) {
    vla_layer_t l;
    fmpq_t row;
    const fmpq *k = c->keys + (c->tokens - 1) * c->d;
    fmpq_init(row);
    fmpq_zero(out);
    vla_layer_init(l, c->d, c->m, c->lambda0);
    layer_status status = vla_case_run(l, c, count, 0);
    for (slong i = 0; i < c->d; i++) {
        vla_dot(row, fmpq_mat_entry(l->inverse, i, 0), k, c->d);
        fmpq_addmul(out, row, k + i);
    }
    vla_layer_clear(l);
    fmpq_clear(row);
    return status;
}

layer_status vla_contraction(fmpq_t out, const vla_case_t c) {
    fmpq_t after;
    fmpq_init(after);
    layer_status status = key_form(out, c, c->tokens - 1);
    if (status == LAYER_OK)
        status = key_form(after, c, c->tokens);
    fmpq_sub(out, out, after);
    fmpq_clear(after);
    return status;
}

layer_status vla_refresh_gap(fmpq_t out, const vla_case_t c) {
    slong d = c->d;
    vla_layer_t l;
    fmpq_t q, factor;
    fmpq *row = _fmpq_vec_init(d);
    fmpq_init(q);
    fmpq_init(factor);
    vla_layer_init(l, d, c->m, c->lambda0);
    layer_status status = vla_case_run(l, c, c->tokens, 0);
    fmpq_zero(out);
    for (slong i = 0; i < d; i++) { /* row i of A M - I = lambda0 A_i + sum (A_i.u) u - e_i */
        for (slong j = 0; j < d; j++)
            fmpq_mul(row + j, fmpq_mat_entry(l->inverse, i, j), c->lambda0);
        fmpq_sub_si(row + i, row + i, 1);
        for (slong t = 0; t < c->tokens; t++) {
            const fmpq *u = c->directions + t * d;
            vla_dot(q, fmpq_mat_entry(l->inverse, i, 0), u, d);
            fmpq_mul(q, q, c->factors + t);
            for (slong j = 0; j < d; j++)
                fmpq_addmul(row + j, q, u + j);
        }
        vla_dot(q, row, row, d);
        fmpq_add(out, out, q);
    }
    vla_layer_clear(l);
    fmpq_clear(q);
    fmpq_clear(factor);
    _fmpq_vec_clear(row, d);
    return status;
}

/* ---- published statements ---- */

static void add_inputs(witness_struct *w, const vla_case_t c) {
    fmpz_t n;
    fmpz_init_set_si(n, c->tokens);
    witness_add_integer(w, "tokens", n);
    witness_add(w, "lambda0", c->lambda0, 1);
    witness_add(w, "keys", c->features, c->tokens * c->d);
    witness_add(w, "directions", c->directions, c->tokens * c->d);
    witness_add(w, "values", c->values, c->tokens * c->m);
    if (c->test != NULL)
        witness_add(w, "test", c->test, c->d);
    if (c->refreshed) {
        witness_add(w, "refresh", c->refresh, 1);
        fmpz_set_si(n, c->every);
        witness_add_integer(w, "every", n);
    }
    fmpz_clear(n);
}

static relation opposite(relation rel, int sign) {
    return rel == RELATION_LT   ? RELATION_GE
           : rel == RELATION_LE ? RELATION_GT
           : rel == RELATION_GE ? RELATION_LT
           : rel == RELATION_GT ? RELATION_LE
           : sign > 0           ? RELATION_GT
                                : RELATION_LT;
}

void vla_check_published(check_context *ctx, const void *parameter) {
    const vla_published *p = parameter;
    vla_case_t c;
    fmpq_t value, rhs;
    enclosure_t left, right, replayed;
    witness_t w;
    fmpq_init(value);
    fmpq_init(rhs);
    enclosure_init(left);
    enclosure_init(right);
    enclosure_init(replayed);
    witness_init(w, p->witness, p->kind);
    vla_rational(rhs, p->rhs);
    enclosure_set_rational(right, rhs);
    layer_status status = vla_case_init(c, p->inputs);
    if (status == LAYER_OK)
        status = p->quantity(value, c);
    const char *reason = NULL;
    if (status == LAYER_OK) {
        add_inputs(w, c);
        enclosure_set_rational(left, value);
        witness_conclude(w, left, RELATION_EQ, left, 64);
        if (witness_replay(replayed, &reason, w) != REPLAY_HOLDS)
            reason = reason != NULL ? reason : "recurrences and replay differ";
    }
    if (status != LAYER_OK || reason != NULL) {
        vla_undecidable(ctx, reason != NULL ? reason : layer_status_text(status));
    } else if (claim_decide(ctx, p->label, left, p->rel, right) == TRUTH_FAILS) {
        witness_struct *out = claim_witness(ctx, p->witness, p->kind);
        add_inputs(out, c);
        fmpq_sub(rhs, value, rhs);
        witness_conclude(out, left, opposite(p->rel, fmpq_sgn(rhs)), right, 64);
        claim_number_fmpq(ctx, p->kind, "1", value);
    }
    witness_clear(w);
    vla_case_clear(c);
    fmpq_clear(value);
    fmpq_clear(rhs);
    enclosure_clear(left);
    enclosure_clear(right);
    enclosure_clear(replayed);
}

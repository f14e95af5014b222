#include "theorems/loglinear/common.h"

void loglinear_case_init(loglinear_case *c, slong steps, slong keys, slong width, slong levels) {
    c->shape = (fenwick_shape){steps, keys, width, levels};
    c->q = _fmpq_vec_init(FLINT_MAX(steps * keys, 1));
    c->k = _fmpq_vec_init(FLINT_MAX(steps * keys, 1));
    c->v = _fmpq_vec_init(FLINT_MAX(steps * width, 1));
    c->gate = _fmpq_vec_init(FLINT_MAX(steps, 1));
    c->lambda = _fmpq_vec_init(FLINT_MAX(steps * levels, 1));
    c->y = _fmpq_vec_init(FLINT_MAX(steps * width, 1));
    c->z = _fmpq_vec_init(FLINT_MAX(steps * width, 1));
}

void loglinear_case_clear(loglinear_case *c) {
    slong steps = c->shape.steps;
    _fmpq_vec_clear(c->q, FLINT_MAX(steps * c->shape.keys, 1));
    _fmpq_vec_clear(c->k, FLINT_MAX(steps * c->shape.keys, 1));
    _fmpq_vec_clear(c->v, FLINT_MAX(steps * c->shape.width, 1));
    _fmpq_vec_clear(c->gate, FLINT_MAX(steps, 1));
    _fmpq_vec_clear(c->lambda, FLINT_MAX(steps * c->shape.levels, 1));
    _fmpq_vec_clear(c->y, FLINT_MAX(steps * c->shape.width, 1));
    _fmpq_vec_clear(c->z, FLINT_MAX(steps * c->shape.width, 1));
}

static void fill(fmpq *v, slong n, exact_random *r) {
    for (slong i = 0; i < n; i++)
        exact_random_rational(v + i, r, 9);
}

void loglinear_case_random(loglinear_case *c, exact_random *r) {
    slong steps = c->shape.steps;
    fill(c->q, steps * c->shape.keys, r);
    fill(c->k, steps * c->shape.keys, r);
    fill(c->v, steps * c->shape.width, r);
    fill(c->lambda, steps * c->shape.levels, r);
    for (slong t = 0; t < steps; t++) { /* n/8: 0 and 1 come up now and then */
        fmpq_set_si(c->gate + t, exact_random_integer(r, 0, 8), 8);
    }
}

void loglinear_case_lambda(loglinear_case *c, const fmpq_t value) {
    for (slong i = 0; i < c->shape.steps * c->shape.levels; i++)
        fmpq_set(c->lambda + i, value);
}

void loglinear_copy(fmpq *to, const fmpq *from, slong n) {
    for (slong i = 0; i < n; i++)
        fmpq_set(to + i, from + i);
}

void loglinear_zero(fmpq *v, slong n) {
    for (slong i = 0; i < n; i++)
        fmpq_zero(v + i);
}

void loglinear_run_recurrence(check_context *ctx, loglinear_case *c) {
    fenwick_status status =
        fenwick_recurrence(c->y, c->q, c->k, c->v, c->gate, c->lambda, &c->shape, NULL);
    claim_decide_si(ctx, "the recurrence ran", status, RELATION_EQ, FENWICK_OK);
}

void loglinear_run_masked(check_context *ctx, loglinear_case *c, const fmpq *gate,
                          const fmpq *lambda) {
    fenwick_status status = fenwick_masked(c->z, c->q, c->k, c->v, gate, lambda, &c->shape);
    claim_decide_si(ctx, "the masked form ran", status, RELATION_EQ, FENWICK_OK);
}

void loglinear_decide_outputs(check_context *ctx, const char *label, const loglinear_case *c) {
    for (slong i = 0; i < c->shape.steps * c->shape.width; i++)
        claim_decide_fmpq(ctx, label, c->y + i, RELATION_EQ, c->z + i);
}

/* ln(1+e^z) = max(z,0) + log1p(e^-|z|) */
void loglinear_softplus(arb_t x, const arb_t z, slong prec) {
    arb_t e;
    arb_init(e);
    if (arb_is_positive(z)) {
        arb_neg(e, z);
        arb_exp(e, e, prec);
        arb_log1p(e, e, prec);
        arb_add(x, z, e, prec);
    } else {
        arb_exp(e, z, prec);
        arb_log1p(x, e, prec);
    }
    arb_clear(e);
}

/* 1/(1+e^-z) */
void loglinear_softplus_slope(arb_t slope, const arb_t z, slong prec) {
    arb_t e;
    arb_init(e);
    arb_neg(e, z);
    arb_exp(e, e, prec);
    arb_add_ui(e, e, 1, prec);
    arb_inv(slope, e, prec);
    arb_clear(e);
}

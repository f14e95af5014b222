/* vla.state-norm: what bounded inputs reach for every T: the spiral of Theodorus, and the linear cycle. */
#include "numerics/exact/number.h"
#include "theorems/vla/state_norm/norm.h"

/* In Q: a key orthogonal to u_1..u_t has A_t k = k/lambda0 (so a = k), and orthogonal to s it gives |s+k|^2 =
   |s|^2 + |k|^2. */
void norm_check_theodorus(check_context *ctx, const void *parameter) {
    const spiral_parameter *p = parameter;
    enum { D = 3 };
    exact_random r = {ctx->seed};
    fmpq *s = _fmpq_vec_init(D), *k = _fmpq_vec_init(D), *m = _fmpq_vec_init(D);
    fmpq_t x, y, t;
    fmpq_init(x);
    fmpq_init(y);
    fmpq_init(t);
    for (int trial = 0; trial < 20; trial++) {
        for (slong i = 0; i < D; i++) {
            fmpq_set_si(m + i, 1 + trial, 10); /* M = lambda0 I + sum |u|^2 e e^T */
            fmpq_zero(s + i);
        }
        fmpq_set_si(t, 1 + exact_random_integer(&r, 0, 100), D);
        fmpq_add(m + p->axis, m + p->axis, t);
        for (slong i = 1; i < D; i++) {
            do
                exact_random_rational(s + i, &r, 50);
            while (fmpq_is_zero(s + i));
        }
        fmpq_zero(k);
        fmpq_neg(k + 1, s + 2);
        fmpq_set(k + 2, s + 1);
        /* A k parallel to k: (k_1/m_1) k_2 = (k_2/m_2) k_1 */
        fmpq_div(x, k + 1, m + 1);
        fmpq_mul(x, x, k + 2);
        fmpq_div(y, k + 2, m + 2);
        fmpq_mul(y, y, k + 1);
        claim_decide_fmpq(ctx, "A k is parallel to k", x, RELATION_EQ, y);
        /* |s + k|^2 = |s|^2 + |k|^2 */
        fmpq_zero(x);
        fmpq_zero(y);
        for (slong i = 0; i < D; i++) {
            fmpq_addmul(y, s + i, s + i);
            fmpq_addmul(y, k + i, k + i);
            fmpq_add(t, s + i, k + i);
            fmpq_addmul(x, t, t);
        }
        claim_decide_fmpq(ctx, "|s+k|^2 = |s|^2 + |k|^2", x, RELATION_EQ, y);
    }
    _fmpq_vec_clear(s, D);
    _fmpq_vec_clear(k, D);
    _fmpq_vec_clear(m, D);
    fmpq_clear(x);
    fmpq_clear(y);
    fmpq_clear(t);
}

/* A certified run, u != 0, against sqrt(T). */
void norm_check_spiral(check_context *ctx, const void *parameter) {
    const spiral_parameter *p = parameter;
    enum { D = 3, LONGEST = 1000 };
    static const char *const lambdas[] = {"1/10", "10"};
    fmpq_t lambda0;
    arb_ptr k = _arb_vec_init(D), u = _arb_vec_init(D);
    arb_t v, norm, root;
    fmpq_init(lambda0);
    arb_init(v);
    arb_init(norm);
    arb_init(root);
    for (int n = 0; n < 2; n++) {
        vla_run_t run;
        fmpq_set_str(lambda0, lambdas[n], 10);
        if (vla_run_init(run, lambda0, 1, D, FLINT_MAX(ctx->prec, 256)) != VLA_OK)
            continue;
        arb_set_ui(u + p->axis, D);
        arb_rsqrt(u + p->axis, u + p->axis, run->prec);
        vla_status status = VLA_OK;
        for (slong t = 1; t <= LONGEST && status == VLA_OK; t++) {
            if (t == 1) {
                arb_one(k + 1);
            } else {
                arb_neg(k + 1, run->s + 2);
                arb_set(k + 2, run->s + 1);
            }
            arb_set_si(v, t % 2 ? 1 : -1);
            status = vla_run_step(run, k, u, v);
            if (t == 4 || t == 100 || t == LONGEST) {
                vla_run_norm(norm, run);
                arb_sqrt_ui(root, (ulong)t, run->prec);
                claim_two_paths(ctx, "|s_T| = sqrt T", norm, root, 100);
            }
        }
        if (status != VLA_OK)
            growth_undecided(ctx, vla_status_text(status));
        vla_run_clear(run);
        _arb_vec_zero(k, D);
    }
    _arb_vec_clear(k, D);
    _arb_vec_clear(u, D);
    fmpq_clear(lambda0);
    arb_clear(v);
    arb_clear(norm);
    arb_clear(root);
}

void norm_slope(arb_t slope, const fmpq_t lambda0, slong dim, slong prec) {
    arb_t q, x;
    arb_init(q);
    arb_init(x);
    exact_ball_from_rational(q, lambda0, prec);
    arb_mul_si(q, q, dim, prec);
    arb_mul_2exp_si(q, q, -1);
    arb_mul(q, q, q, prec);
    arb_mul_2exp_si(x, q, 2);
    arb_add_ui(x, x, 1, prec);
    arb_sqrt(x, x, prec);
    arb_sub_ui(x, x, 1, prec);
    arb_div(x, x, q, prec);
    arb_mul_2exp_si(x, x, -1); /* gamma^2 = (sqrt(1+4q^2)-1)/(2q^2) */
    arb_sqrt(slope, x, prec);
    arb_clear(q);
    arb_clear(x);
}

/* The cycle, in Q: from (-1, y) the key (y,1) has a_1^2 = 1/(1+rho^2), rho = y m_1/m_0, and leaves s_0 in
   [-1,0). */
void norm_check_cycle(check_context *ctx, const void *parameter) {
    const slope_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t y, m0, m1, rho, a0, a1, x, one;
    fmpq_init(y);
    fmpq_init(m0);
    fmpq_init(m1);
    fmpq_init(rho);
    fmpq_init(a0);
    fmpq_init(a1);
    fmpq_init(x);
    fmpq_init(one);
    fmpq_one(one);
    for (int trial = 0; trial < 40; trial++) {
        exact_random_fraction(y, &r, 0, 1000, 1, 9);
        fmpq_set_si(m1, exact_random_integer(&r, 1, 100), 10);
        fmpq_set_si(m0, exact_random_integer(&r, 0, 1000), 2);
        fmpq_add(m0, m0, m1);
        fmpq_div(a0, y, m0); /* A (y,1) */
        fmpq_inv(a1, m1);
        fmpq_mul(x, a1, a1); /* a_1^2 = x/(a0^2 + x) */
        fmpq_mul(rho, a0, a0);
        fmpq_add(rho, rho, x);
        fmpq_div(x, x, rho);
        fmpq_mul(rho, y, m1);
        fmpq_div(rho, rho, m0);
        fmpq_mul(rho, rho, rho);
        fmpq_mul_si(rho, rho, (slong)p->factor);
        fmpq_add(rho, rho, one);
        fmpq_mul(x, x, rho);
        claim_decide_fmpq(ctx, "a_1^2 (1 + rho^2) = 1", x, RELATION_EQ, one);
    }
    fmpq_clear(y);
    fmpq_clear(m0);
    fmpq_clear(m1);
    fmpq_clear(rho);
    fmpq_clear(a0);
    fmpq_clear(a1);
    fmpq_clear(x);
    fmpq_clear(one);
}

/* The cycle carried out by the layer, features strictly positive: |s_T| >= gamma (T/2-1). */
void norm_check_slope(check_context *ctx, const void *parameter) {
    const slope_parameter *p = parameter;
    static const slong dims[] = {2, 4, 32};
    static const char *const lambdas[] = {"1/10", "1", "10"};
    arb_t norm, slope;
    arb_init(norm);
    arb_init(slope);
    for (int i = 0; i < 9; i++) {
        vla_plan_t plan;
        vla_run_t run;
        slong steps = dims[i / 3] == 32 && ctx->level == LEVEL_QUICK ? 200 : 1000;
        if (!vla_plan_init(plan, dims[i / 3], steps, lambdas[i % 3], 1, 0, "0"))
            continue;
        plan->threshold = 1;
        vla_plan_chain(plan, VLA_CHAIN_CLIMB, 0, 1, 0);
        vla_status status =
            vla_plan_run(run, plan, FLINT_MAX(ctx->prec, 256), NULL, NULL, NULL, NULL, NULL);
        if (status != VLA_OK)
            growth_undecided(ctx, vla_status_text(status));
        if (status == VLA_OK) {
            vla_run_norm(norm, run);
            norm_slope(slope, plan->lambda0, plan->dim, 256);
            arb_mul_si(slope, slope, steps - 2, 256);
            arb_mul_2exp_si(slope, slope, -1);
            arb_mul_ui(slope, slope, p->factor, 256);
            claim_decide_arb(ctx, "|s_T| >= gamma (T/2-1)", norm, RELATION_GE, slope);
            vla_run_clear(run);
        }
        vla_plan_clear(plan);
    }
    arb_clear(norm);
    arb_clear(slope);
}

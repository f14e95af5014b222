/* vla.state-norm: bounds from above. */
#include "numerics/exact/number.h"
#include "theorems/vla/state_norm/norm.h"

/* Random inputs with |v| <= 1, |u| <= 1: v, u and the key with random signs. */
static void draw(arb_ptr key, arb_ptr u, arb_t v, exact_random *r, slong dim, int moving) {
    for (slong i = 0; i < dim; i++) {
        arb_set_si(key + i, exact_random_integer(r, -64, 64));
        arb_set_si(u + i, moving ? exact_random_integer(r, -64, 64) : 0);
        arb_mul_2exp_si(u + i, u + i, -9); /* |u| <= 1 up to dim 64 */
    }
    arb_add_ui(key, key, 65, 64); /* not 0 */
    arb_set_si(v, exact_random_integer(r, -64, 64));
    arb_mul_2exp_si(v, v, -6);
}

/* out := x^T a y */
static void form(arb_t out, arb_mat_t a, arb_srcptr x, arb_srcptr y, slong d, slong prec) {
    arb_t t;
    arb_init(t);
    arb_zero(out);
    for (slong i = 0; i < d; i++) {
        arb_dot(t, NULL, 0, a->rows[i], 1, y, 1, d, prec);
        arb_addmul(out, x + i, t, prec);
    }
    arb_clear(t);
}

/* V_t <= V_{t-1}(1 + u^T A_{t-1} u) + v^2/(|A_t k|(2-c)) along random runs, A by inverting M. */
void norm_check_step(check_context *ctx, const void *parameter) {
    const upper_parameter *p = parameter;
    enum { STEPS = 30 };
    exact_random r = {ctx->seed};
    slong prec = FLINT_MAX(ctx->prec, 256);
    fmpq_t factor;
    arb_t v, before, after, t, c, length;
    fmpq_init(factor);
    fmpq_set_str(factor, p->injection, 10);
    arb_init(v);
    arb_init(before);
    arb_init(after);
    arb_init(t);
    arb_init(c);
    arb_init(length);
    for (slong d = 2; d <= 5; d++) {
        arb_mat_t m, a;
        arb_ptr key = _arb_vec_init(d), u = _arb_vec_init(d), s = _arb_vec_init(d),
                x = _arb_vec_init(d);
        arb_mat_init(m, d, d);
        arb_mat_init(a, d, d);
        for (slong i = 0; i < d; i++)
            arb_set_si(arb_mat_entry(m, i, i), d);
        for (slong step = 0; step < STEPS; step++) {
            draw(key, u, v, &r, d, 1);
            form(before, m, s, s, d, prec);
            arb_mat_inv(a, m, prec);
            form(t, a, u, u, d, prec);
            arb_addmul(before, before, t, prec);
            for (slong i = 0; i < d; i++)
                for (slong j = 0; j < d; j++)
                    arb_addmul(arb_mat_entry(m, i, j), u + i, u + j, prec);
            arb_mat_inv(a, m, prec);
            arb_dot(t, NULL, 0, key, 1, key, 1, d, prec);
            arb_rsqrt(t, t, prec);
            _arb_vec_scalar_mul(key, key, d, t, prec);
            for (slong i = 0; i < d; i++)
                arb_dot(x + i, NULL, 0, a->rows[i], 1, key, 1, d, prec);
            arb_dot(length, NULL, 0, x, 1, x, 1, d, prec);
            arb_sqrt(length, length, prec);
            arb_dot(c, NULL, 0, x, 1, key, 1, d, prec);
            arb_div(c, c, length, prec);
            arb_dot(t, v, 1, s, 1, key, 1, d, prec);
            arb_div(t, t, length, prec);
            _arb_vec_scalar_addmul(s, x, d, t, prec);
            form(after, m, s, s, d, prec);
            arb_sub_ui(c, c, 2, prec);
            arb_neg(c, c);
            arb_mul(c, c, length, prec); /* |A k|(2-c) */
            arb_mul(t, v, v, prec);
            arb_div(t, t, c, prec);
            arb_mul_fmpz(t, t, fmpq_numref(factor), prec);
            arb_div_fmpz(t, t, fmpq_denref(factor), prec);
            arb_add(before, before, t, prec);
            claim_decide_arb(ctx, "V_t <= V_{t-1}(1+u^TAu) + v^2/(|Ak|(2-c))", after, RELATION_LE,
                             before);
        }
        arb_mat_clear(m);
        arb_mat_clear(a);
        _arb_vec_clear(key, d);
        _arb_vec_clear(u, d);
        _arb_vec_clear(s, d);
        _arb_vec_clear(x, d);
    }
    fmpq_clear(factor);
    arb_clear(v);
    arb_clear(before);
    arb_clear(after);
    arb_clear(t);
    arb_clear(c);
    arb_clear(length);
}

/* |S_T| against the bound of its own sum |v|^2, sum |u|^2 and rank, constructed and random. */
void norm_check_upper(check_context *ctx, const void *parameter) {
    const upper_parameter *p = parameter;
    arb_t norm, bound, v;
    arb_init(norm);
    arb_init(bound);
    arb_init(v);
    for (slong d = 2; d <= 4; d++) {
        growth_case g = {d, 300, "1/10", 0, 0, 0, -1};
        vla_run_t run;
        vla_plan_t plan;
        if (growth_run(ctx, run, plan, &g, NULL, NULL) == VLA_OK) {
            vla_run_norm(norm, run);
            vla_bound(bound, run->v_squares, run->u_squares, plan->lambda0,
                      FLINT_MIN(vla_plan_rank(plan), d - 1) - p->less, d, 256);
            claim_decide_arb(ctx, "constructed: |S_T| <= bound", norm, RELATION_LE, bound);
            vla_run_clear(run);
            vla_plan_clear(plan);
        }
        fmpq_t lambda0;
        exact_random r = {ctx->seed + (ulong)d};
        arb_ptr key = _arb_vec_init(d), u = _arb_vec_init(d);
        fmpq_init(lambda0);
        fmpq_set_si(lambda0, 1, 10);
        if (vla_run_init(run, lambda0, 1, d, 256) == VLA_OK) {
            for (slong t = 0; t < 200; t++) {
                draw(key, u, v, &r, d, 1);
                vla_run_step(run, key, u, v);
            }
            vla_run_norm(norm, run);
            vla_bound(bound, run->v_squares, run->u_squares, lambda0, d - 1, d, 256);
            claim_decide_arb(ctx, "random: |S_T| <= bound", norm, RELATION_LE, bound);
            vla_run_clear(run);
        }
        fmpq_clear(lambda0);
        _arb_vec_clear(key, d);
        _arb_vec_clear(u, d);
    }
    arb_clear(norm);
    arb_clear(bound);
    arb_clear(v);
}

/* |S_T| <= sum of residuals, at every step of random runs. */
void norm_check_residuals(check_context *ctx, const void *parameter) {
    const residual_parameter *p = parameter;
    enum { D = 4, STEPS = 60 };
    exact_random r = {ctx->seed};
    fmpq_t lambda0, factor;
    arb_ptr key = _arb_vec_init(D), u = _arb_vec_init(D);
    arb_t v, norm, sum;
    vla_run_t run;
    fmpq_init(lambda0);
    fmpq_init(factor);
    fmpq_set_str(factor, p->factor, 10);
    fmpq_set_si(lambda0, 1, 10);
    arb_init(v);
    arb_init(norm);
    arb_init(sum);
    if (vla_run_init(run, lambda0, 1, D, FLINT_MAX(ctx->prec, 256)) == VLA_OK) {
        for (slong t = 1; t <= STEPS; t++) {
            draw(key, u, v, &r, D, 1);
            vla_run_step(run, key, u, v);
            vla_run_norm(norm, run);
            arb_mul_fmpz(sum, run->residuals, fmpq_numref(factor), run->prec);
            arb_div_fmpz(sum, sum, fmpq_denref(factor), run->prec);
            if (t > 1) /* equality at the first step */
                claim_decide_arb(ctx, "|S_T| <= sum of residuals", norm, RELATION_LE, sum);
        }
        vla_run_clear(run);
    }
    _arb_vec_clear(key, D);
    _arb_vec_clear(u, D);
    fmpq_clear(lambda0);
    fmpq_clear(factor);
    arb_clear(v);
    arb_clear(norm);
    arb_clear(sum);
}

/* a = k (u = 0): |s_T| <= sqrt T max |v|; the control climbs with u != 0. */
void norm_check_equal_gate(check_context *ctx, const void *parameter) {
    const residual_parameter *p = parameter;
    arb_t norm, root;
    arb_init(norm);
    arb_init(root);
    for (slong d = 2; d <= 4; d++) {
        growth_case g = {d, 200, "1/10", 0, 0, 0, 0};
        vla_run_t run;
        vla_plan_t plan;
        arb_sqrt_ui(root, (ulong)g.steps, 256);
        if (p->moving && growth_run(ctx, run, plan, &g, NULL, NULL) == VLA_OK) {
            vla_run_norm(norm, run);
            claim_decide_arb(ctx, "|s_T| <= sqrt T max |v|", norm, RELATION_LE, root);
            vla_run_clear(run);
            vla_plan_clear(plan);
            continue;
        }
        fmpq_t lambda0;
        exact_random r = {ctx->seed + (ulong)d};
        arb_ptr key = _arb_vec_init(d), u = _arb_vec_init(d);
        fmpq_init(lambda0);
        fmpq_set_si(lambda0, 1, 10);
        if (vla_run_init(run, lambda0, 1, d, 256) == VLA_OK) {
            for (slong t = 1; t <= g.steps; t++) {
                draw(key, u, norm, &r, d, 0);
                vla_run_step(run, key, u, norm);
                vla_run_norm(norm, run);
                arb_sqrt_ui(root, (ulong)t, 256);
                if (t > 1) /* equality at the first step when |v| = 1 */
                    claim_decide_arb(ctx, "|s_T| <= sqrt T max |v|", norm, RELATION_LE, root);
            }
            vla_run_clear(run);
        }
        fmpq_clear(lambda0);
        _arb_vec_clear(key, d);
        _arb_vec_clear(u, d);
    }
    arb_clear(norm);
    arb_clear(root);
}

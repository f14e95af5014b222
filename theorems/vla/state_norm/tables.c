/* vla.state-norm: constructed runs, certified. */
#include "numerics/exact/number.h"
#include "theorems/vla/state_norm/norm.h"

#include <stdio.h>

/* norm := |S_T| of the case; 1 on success. */
static int norm_of(check_context *ctx, arb_t norm, const growth_case *g) {
    vla_run_t run;
    vla_plan_t plan;
    if (growth_run(ctx, run, plan, g, NULL, NULL) != VLA_OK)
        return 0;
    vla_run_norm(norm, run);
    vla_run_clear(run);
    vla_plan_clear(plan);
    return 1;
}

void norm_check_constructed(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    arb_t norm;
    arb_init(norm);
    for (slong n = 0; n < GROWTH_CASES; n++) {
        growth_case g;
        char name[80];
        if (!growth_mine(ctx, n))
            continue;
        growth_case_at(&g, n, 0);
        g.links = p->links;
        if (!norm_of(ctx, norm, &g))
            continue;
        if (arb_rel_accuracy_bits(norm) < 20) { /* 10^-6 */
            growth_undecided(ctx, "relative radius above 10^-6");
            continue;
        }
        growth_decide(ctx, norm, &g, p->part);
        snprintf(name, sizeof name, "|S_T|, d = %ld, T = %ld, lambda0 = %s, %s", (long)g.dim,
                 (long)g.steps, g.lambda0, g.layer ? "layer" : "free");
        claim_number_arb(ctx, name, "1", norm);
    }
    growth_sample(ctx);
    arb_clear(norm);
}

/* From T = 10^3 to 10^4: the exponent is at least 0.95 d/2 (d <= 4). */
void norm_check_exponents(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    arb_t early, late, x;
    arb_init(early);
    arb_init(late);
    arb_init(x);
    slong looked = 0;
    for (slong n = 0; n < GROWTH_QUICK; n++) {
        growth_case g;
        growth_case_at(&g, n, 0);
        g.links = p->links;
        if (ctx->level == LEVEL_QUICK && n % 6 != 3) /* lambda0 = 1, the layer */
            continue;
        looked++;
        if (!norm_of(ctx, early, &g))
            continue;
        g.steps *= 10;
        if (!norm_of(ctx, late, &g))
            continue;
        arb_div(x, late, early, 128);
        arb_log(x, x, 128);
        arb_const_log10(early, 128);
        arb_div(x, x, early, 128); /* the exponent */
        arb_set_si(late, 95 * g.dim);
        arb_div_si(late, late, 200, 128);
        claim_decide_arb(ctx, "exponent from 10^3 to 10^4 >= 0.95 d/2", x, RELATION_GE, late);
    }
    claim_sample(ctx, looked, GROWTH_QUICK);
    arb_clear(early);
    arb_clear(late);
    arb_clear(x);
}

/* The certified run against entrywise balls that keep M and solve with it. */
static void two_paths(check_context *ctx, const growth_case *g, const char *stretch) {
    slong d = g->dim, n = g->steps * d, wide = 256 + g->steps * ctx->prec / 32;
    slong prec = g->layer ? wide : FLINT_MAX(ctx->prec, 256); /* free inputs are exact */
    arb_ptr keys = _arb_vec_init(n), us = _arb_vec_init(n), vs = _arb_vec_init(g->steps),
            s = _arb_vec_init(d);
    arb_t norm, other;
    fmpq_t lambda0;
    vla_run_t run;
    vla_plan_t plan;
    arb_init(norm);
    arb_init(other);
    fmpq_init(lambda0);
    if (vla_plan_init(plan, d, g->steps, g->lambda0, g->layer, 0, "0")) {
        vla_plan_search(plan);
        fmpq_set_str(lambda0, stretch, 10);
        fmpq_mul(lambda0, lambda0, plan->lambda0);
        vla_status status = vla_plan_run(run, plan, prec, keys, us, vs, NULL, NULL);
        if (status != VLA_OK)
            growth_undecided(ctx, vla_status_text(status));
        if (status == VLA_OK) {
            vla_run_norm(norm, run);
            vla_run_clear(run);
            status = vla_brute(s, lambda0, g->steps, 1, d, keys, us, vs, NULL, wide);
            arb_dot(other, NULL, 0, s, 1, s, 1, d, wide);
            arb_sqrt(other, other, wide);
            if (status != VLA_OK)
                arb_indeterminate(other);
            claim_two_paths(ctx, "|S_T| on two paths", norm, other, 40);
        }
        vla_plan_clear(plan);
    }
    _arb_vec_clear(keys, n);
    _arb_vec_clear(us, n);
    _arb_vec_clear(vs, g->steps);
    _arb_vec_clear(s, d);
    arb_clear(norm);
    arb_clear(other);
    fmpq_clear(lambda0);
}

void norm_check_two_paths(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    for (slong i = 0; i < 6; i++) {
        growth_case g = {2 + i % 3, 150, i % 2 ? "10" : "1/10", i >= 3, 0, 0, -1};
        two_paths(ctx, &g, p->stretch);
    }
    growth_case large = {32, 100, "1/10", 0, 0, 0, -1};
    if (ctx->level != LEVEL_QUICK)
        large.steps = 500;
    two_paths(ctx, &large, p->stretch);
    for (slong d = 2; d <= 4 && ctx->level != LEVEL_QUICK; d++) {
        growth_case g = {d, 10000, "1/10", 0, 0, 0, -1};
        two_paths(ctx, &g, p->stretch);
    }
}

/* With A + delta I every 20 steps: at T = 10^4 (d = 3), 2 10^4 (d = 4) above what no inputs reach without it, and growing faster than
   any power fitted to the halves: N(T)/N(T/2) >= (N(T/2)/N(T/4))^{3/2}; a power of T has exponent 1, an
   exponential 2. */
void norm_check_refresh(check_context *ctx, const void *parameter) {
    const refresh_parameter *p = parameter;
    arb_t norm[3], bound, x;
    arb_init(bound);
    arb_init(x);
    for (int i = 0; i < 3; i++)
        arb_init(norm[i]);
    for (int n = 0; n < (ctx->level == LEVEL_QUICK ? 1 : 4); n++) {
        growth_case g = {n / 2 + 3, 0, n % 2 ? "10" : "1/10", 1, 0, p->period, -1};
        int ok = 1;
        for (int i = 0; i < 3 && ok; i++) {
            g.steps = (g.dim == 3 ? 2500 : 5000) << i;
            ok = norm_of(ctx, norm[i], &g);
        }
        if (!ok)
            continue;
        growth_bound(bound, &g, 0, 256);
        claim_decide_arb(ctx, "refreshed |S_T| > bound without refresh", norm[2], RELATION_GT,
                         bound);
        arb_div(x, norm[2], norm[1], 256);
        arb_div(bound, norm[1], norm[0], 256);
        arb_pow_ui(x, x, 2, 256);
        arb_pow_ui(bound, bound, 3, 256);
        claim_decide_arb(ctx, "(N(T)/N(T/2))^2 >= (N(T/2)/N(T/4))^3", x, RELATION_GE, bound);
        char name[80];
        snprintf(name, sizeof name, "refreshed |S_T|, d = %ld, T = %ld, lambda0 = %s", (long)g.dim,
                 (long)g.steps, g.lambda0);
        claim_number_arb(ctx, name, "1", norm[2]);
    }
    claim_sample(ctx, ctx->level == LEVEL_QUICK ? 1 : 4, 4);
    for (int i = 0; i < 3; i++)
        arb_clear(norm[i]);
    arb_clear(bound);
    arb_clear(x);
}

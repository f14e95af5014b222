#include "theorems/vla/growth.h"
#include "numerics/exact/number.h"

void growth_undecided(check_context *ctx, const char *what) {
    arb_t nothing;
    arb_init(nothing);
    arb_indeterminate(nothing);
    claim_decide_arb(ctx, what, nothing, RELATION_GE, nothing);
    arb_clear(nothing);
}

vla_status growth_run(check_context *ctx, vla_run_t run, vla_plan_t plan, const growth_case *g,
                      vla_watch watch, void *data) {
    vla_status status = VLA_BAD_ARGUMENT;
    if (vla_plan_init(plan, g->dim, g->steps, g->lambda0, g->layer, g->period,
                      g->period > 0 ? "1/1000" : "0")) {
        plan->product = g->product;
        if (g->links < 0)
            vla_plan_search(plan);
        else
            vla_plan_chain(plan, g->product ? VLA_CHAIN_PRODUCT : VLA_CHAIN_CLIMB, g->links,
                           2.0 / (double)(g->links + 2), 0.3);
        status = vla_plan_run(run, plan, FLINT_MAX(ctx->prec, 256), NULL, NULL, NULL, watch, data);
        if (status != VLA_OK)
            vla_plan_clear(plan);
    }
    if (status != VLA_OK)
        growth_undecided(ctx, vla_status_text(status));
    return status;
}

void growth_bound(arb_t bound, const growth_case *g, slong less, slong prec) {
    arb_t v2, u2;
    fmpq_t lambda0;
    arb_init(v2);
    arb_init(u2);
    fmpq_init(lambda0);
    fmpq_set_str(lambda0, g->lambda0, 10);
    arb_set_si(v2, g->product ? 1 : g->steps);
    arb_set_si(u2, g->steps);
    if (g->layer)
        arb_div_si(u2, u2, g->dim, prec);
    vla_bound(bound, v2, u2, lambda0, g->dim - 1 - less, g->dim, prec);
    arb_clear(v2);
    arb_clear(u2);
    fmpq_clear(lambda0);
}

void growth_case_at(growth_case *g, slong n, int product) {
    static const slong dims[] = {2, 3, 4};
    static const char *const lambdas[] = {"1/10", "1", "10"};
    slong m = n < 36 ? n : n - 36; /* 36 with d <= 4, T = 10^3 first; then d = 32 */
    growth_case c = {n < 36 ? dims[m / 6 % 3] : 32,
                     n < 36 ? (m < 18 ? 1000 : 10000) : (m < 6 ? 1000 : 10000),
                     lambdas[m / 2 % 3],
                     (int)(m % 2),
                     product,
                     0,
                     -1};
    *g = c;
}

int growth_mine(const check_context *ctx, slong n) {
    if (ctx->level == LEVEL_QUICK)
        return n < GROWTH_QUICK;
    return n % check_units(claim_check(ctx->claim, "constructed"), ctx->level) == ctx->index;
}

void growth_sample(check_context *ctx) {
    slong mine = 0;
    for (slong n = 0; n < GROWTH_CASES; n++)
        mine += growth_mine(ctx, n);
    claim_sample(ctx, mine, GROWTH_CASES);
}

void growth_decide(check_context *ctx, const arb_t norm, const growth_case *g, ulong part) {
    arb_t bound, low;
    arb_init(bound);
    arb_init(low);
    growth_bound(bound, g, 0, 256);
    claim_decide_arb(ctx, "norm <= bound", norm, RELATION_LE, bound);
    if (g->dim <= 4)
        arb_div_ui(low, bound, part, 256);
    else
        arb_sqrt(low, bound, 256);
    claim_decide_arb(ctx, g->dim <= 4 ? "norm >= bound/part" : "norm >= sqrt(bound)", norm,
                     RELATION_GE, low);
    arb_clear(bound);
    arb_clear(low);
}

void growth_turn_factor(arb_t factor, const fmpq_t tilt, slong prec) {
    arb_t h, t;
    arb_init(h);
    arb_init(t);
    exact_ball_from_rational(h, tilt, prec);
    arb_tan(t, h, prec);
    arb_cos(factor, h, prec);
    arb_const_pi(h, prec);
    arb_mul(t, t, h, prec);
    arb_mul_2exp_si(t, t, -1);
    arb_neg(t, t);
    arb_exp(t, t, prec);
    arb_mul(factor, factor, t, prec);
    arb_clear(h);
    arb_clear(t);
}

slong growth_turn_steps(const arb_t ratio, const fmpq_t tilt, slong prec) {
    arb_t h, t;
    arf_t up;
    slong steps = 0;
    arb_init(h);
    arb_init(t);
    arf_init(up);
    exact_ball_from_rational(h, tilt, prec);
    arb_mul_2exp_si(h, h, 1);
    arb_sin(h, h, prec);
    arb_sqrt(t, ratio, prec);
    arb_mul_2exp_si(t, t, 2);
    arb_div(t, t, h, prec);
    arb_add_ui(t, t, 1, prec);
    arb_get_ubound_arf(up, t, 30);
    if (arf_is_finite(up) && arf_cmp_2exp_si(up, 40) < 0)
        steps = arf_get_si(up, ARF_RND_CEIL);
    arb_clear(h);
    arb_clear(t);
    arf_clear(up);
    return steps;
}

void growth_chain_lower(arb_t low, slong *turn, const arb_t first, slong links, slong pump,
                        const fmpq_t u2, const fmpq_t lambda0, const fmpq_t tilt, slong prec) {
    arb_t ratio, factor;
    fmpq_t r;
    arb_init(ratio);
    arb_init(factor);
    fmpq_init(r);
    fmpq_div(r, u2, lambda0);
    exact_ball_from_rational(ratio, r, prec);
    arb_mul_si(ratio, ratio, pump, prec);
    arb_add_ui(ratio, ratio, 1, prec);
    *turn = growth_turn_steps(ratio, tilt, prec);
    growth_turn_factor(factor, tilt, prec);
    arb_sqrt(ratio, ratio, prec);
    arb_mul(factor, factor, ratio, prec);
    arb_pow_ui(factor, factor, (ulong)links, prec);
    arb_mul(low, factor, first, prec);
    arb_clear(ratio);
    arb_clear(factor);
    fmpq_clear(r);
}

/* vla.state-norm: data of the figure, lambda0 = 1/10, one row, |v| <= 1. */
#include "theorems/vla/state_norm/norm.h"

/* Curves; plain and spiral are sums that need no run: the same key and value at every step, and sqrt(t),
   which is also what the delta rule (a = k) reaches at most. */
enum { PLAIN, SPIRAL, RANDOM, LINEAR, CHAIN, REFRESHED };

static void put(series *s, slong curve, slong t, const arb_t norm, const arb_t bound) {
    enclosure_struct *cell = series_append(s);
    enclosure_set_integer(cell, curve);
    enclosure_set_integer(cell + 1, t);
    enclosure_set_ball(cell + 2, norm);
    enclosure_set_ball(cell + 3, bound);
}

static slong next(slong t) {
    return t < 10 ? t + 1 : t * 16 / 10;
}

/* Random raw inputs of the layer, W_u as in vla_growth.h, v = +-1. */
static void draw_random(check_context *ctx, series *s, slong dim, slong steps) {
    fmpq_t lambda0;
    vla_run_t run;
    exact_random r = {ctx->seed};
    arb_ptr key = _arb_vec_init(dim), u = _arb_vec_init(dim);
    arb_t v, norm;
    double x[8];
    slong mark = 1;
    fmpq_init(lambda0);
    fmpq_set_si(lambda0, 1, 10);
    arb_init(v);
    arb_init(norm);
    if (vla_run_init(run, lambda0, 1, dim, 256) == VLA_OK) {
        for (slong t = 1; t <= steps; t++) {
            for (slong i = 0; i < dim; i++)
                x[i] = (double)exact_random_integer(&r, -2000, 2000) / 1024 + 1.0 / 4096;
            vla_features(key, x, dim, 256);
            arb_set_si(v, exact_random_integer(&r, 0, 1) ? 1 : -1);
            if (vla_direction(u, x, dim, 256) != VLA_OK || vla_run_step(run, key, u, v) != VLA_OK)
                break;
            if (t == mark) {
                vla_run_norm(norm, run);
                put(s, RANDOM, t, norm, norm);
                mark = next(mark);
            }
        }
        vla_run_clear(run);
    }
    fmpq_clear(lambda0);
    _arb_vec_clear(key, dim);
    _arb_vec_clear(u, dim);
    arb_clear(v);
    arb_clear(norm);
}

/* Constructed runs: each T has a plan of its own. */
static void draw_constructed(check_context *ctx, series *s, slong curve, growth_case g, slong steps,
                             slong less) {
    arb_t norm, bound;
    arb_init(norm);
    arb_init(bound);
    for (slong t = 4; t <= steps; t = next(t)) {
        vla_run_t run;
        vla_plan_t plan;
        g.steps = t;
        if (growth_run(ctx, run, plan, &g, NULL, NULL) != VLA_OK)
            break;
        vla_run_norm(norm, run);
        growth_bound(bound, &g, less, 256);
        if (g.period == 0)
            claim_decide_arb(ctx, "drawn |S_T| <= bound", norm, RELATION_LE, bound);
        put(s, curve, t, norm, bound);
        vla_run_clear(run);
        vla_plan_clear(plan);
    }
    arb_clear(norm);
    arb_clear(bound);
}

void norm_check_drawn(check_context *ctx, const void *parameter) {
    const upper_parameter *p = parameter;
    static const char *const columns[] = {"curve", "1", "t", "steps", "norm", "1", "bound", "1"};
    slong steps = ctx->level == LEVEL_QUICK ? 3000 : 20000;
    series *s = series_new("vla-state-norm", "Norm of the state", 4, columns);
    arb_t x;
    arb_init(x);
    for (slong t = 1; t <= steps; t = next(t)) {
        arb_set_si(x, t);
        put(s, PLAIN, t, x, x);
    }
    for (slong t = 1; t <= steps; t = next(t)) {
        arb_sqrt_ui(x, (ulong)t, 128);
        put(s, SPIRAL, t, x, x);
    }
    arb_clear(x);
    growth_case linear = {2, 0, "1/10", 1, 0, 0, 0}, chain = {4, 0, "1/10", 1, 0, 0, -1},
                refreshed = {4, 0, "1/10", 1, 0, 20, -1};
    draw_random(ctx, s, 4, steps);
    draw_constructed(ctx, s, LINEAR, linear, steps, p->less);
    draw_constructed(ctx, s, CHAIN, chain, steps, p->less);
    draw_constructed(ctx, s, REFRESHED, refreshed, steps, p->less);
    claim_table(ctx, s);
}

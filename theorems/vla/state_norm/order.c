/* vla.state-norm: the order T^{d/2} for every T, and exponential growth with the refresh. */
#include "numerics/exact/number.h"
#include "theorems/vla/state_norm/norm.h"

/* What the proof promises at T = steps: climb first steps (even), then d-2 links. */
static void promise(arb_t low, const growth_case *g, const fmpq_t tilt, slong more) {
    fmpq_t lambda0, u2;
    arb_t first;
    slong links = g->dim - 2, pump = g->steps / (2 * (g->dim - 1)), turn, climb;
    fmpq_init(lambda0);
    fmpq_init(u2);
    arb_init(first);
    arb_one(first);
    fmpq_set_str(lambda0, g->lambda0, 10);
    fmpq_set_si(u2, 1, (ulong)g->dim);
    growth_chain_lower(low, &turn, first, links + more, pump, u2, lambda0, tilt, 256);
    climb = (g->steps - links * (pump + turn)) / 2 * 2;
    norm_slope(first, lambda0, g->dim, 256);
    arb_mul_si(first, first, FLINT_MAX(climb / 2 - 1, 0), 256);
    arb_mul(low, low, first, 256);
    fmpq_clear(lambda0);
    fmpq_clear(u2);
    arb_clear(first);
}

/* The promise against certified runs, which share the steps out better. */
void norm_check_order(check_context *ctx, const void *parameter) {
    const order_parameter *p = parameter;
    arb_t norm, low, early, x;
    fmpq_t tilt;
    arb_init(norm);
    arb_init(low);
    arb_init(early);
    arb_init(x);
    fmpq_init(tilt);
    fmpq_set_si(tilt, 1, 5);
    for (slong n = 0; n < 6; n++) {
        static const char *const lambdas[] = {"1/10", "1", "10"};
        growth_case g = {3 + n / 3, 1000, lambdas[n % 3], 1, 0, 0, -1};
        vla_run_t run;
        vla_plan_t plan;
        if (growth_run(ctx, run, plan, &g, NULL, NULL) == VLA_OK) {
            vla_run_norm(norm, run);
            promise(low, &g, tilt, p->more);
            claim_decide_arb(ctx, "certified |S_T| >= gamma (T_0/2-1)(factor sqrt R)^{d-2}", norm,
                             RELATION_GE, low);
            vla_run_clear(run);
            vla_plan_clear(plan);
        }
        /* the promise grows like T^{d/2} */
        g.steps = 100000000;
        promise(early, &g, tilt, p->more);
        g.steps *= 100;
        promise(low, &g, tilt, p->more);
        arb_div(x, low, early, 256);
        arb_set_ui(early, 100);
        arb_pow_ui(early, early, (ulong)g.dim, 256);
        arb_mul(x, x, x, 256);
        arb_div(x, x, early, 256); /* (ratio)^2/100^d -> 1 */
        arb_sub_ui(x, x, 1, 256);
        arb_abs(x, x);
        arb_set_d(early, 0.0625);
        claim_decide_arb(ctx, "promise(100T)/promise(T) = 10^d up to 1/16 at T = 10^8", x,
                         RELATION_LE, early);
    }
    arb_clear(norm);
    arb_clear(low);
    arb_clear(early);
    arb_clear(x);
    fmpq_clear(tilt);
}

/* m := its value after periods of 20 steps with u along the axis, |u|^2 = 1/d, and a refresh each. */
static void pump(arb_t m, slong dim, slong periods, slong prec) {
    arb_t t;
    arb_init(t);
    for (slong i = 0; i < periods; i++) {
        arb_set_ui(t, 20);
        arb_div_si(t, t, dim, prec);
        arb_add(m, m, t, prec);
        arb_div_ui(t, m, 1000, prec);
        arb_add_ui(t, t, 1, prec);
        arb_div(m, m, t, prec);
    }
    arb_clear(t);
}

/* gain2 := G^2 of one cycle of pump (20 p steps) and turn (20 q steps); the conditions of the proof are
   decided on the way. */
static void cycle_gain(check_context *ctx, arb_t gain2, slong dim, slong p, slong q, slong prec) {
    arb_t low, high, rest, ratio, t;
    fmpq_t tilt;
    arb_init(low);
    arb_init(high);
    arb_init(rest);
    arb_init(ratio);
    arb_init(t);
    fmpq_init(tilt);
    fmpq_set_si(tilt, 1, 5);
    pump(low, dim, p, prec); /* from 0 */
    arb_set_ui(high, 1000);  /* a refresh leaves m < 1/delta */
    pump(high, dim, p, prec);
    /* 1/m of the resting axis: delta p <= 1/m <= 1/low + delta (p + 2q) */
    arb_inv(ratio, low, prec);
    arb_set_si(t, p + 2 * q);
    arb_div_ui(t, t, 1000, prec);
    arb_add(ratio, ratio, t, prec);
    arb_mul(ratio, ratio, high, prec); /* R at most */
    slong turn = growth_turn_steps(ratio, tilt, prec);
    if (turn == 0 || turn > 20 * q)
        growth_undecided(ctx, "the turn has time enough");
    arb_set_si(rest, p);
    arb_div_ui(rest, rest, 1000, prec);
    arb_mul(rest, rest, low, prec); /* R at least */
    arb_div_ui(t, high, 1000, prec);
    arb_add_ui(t, t, 1, prec);
    arb_pow_ui(t, t, (ulong)q, prec); /* (1 + delta m)^q */
    arb_div(rest, rest, t, prec);     /* ... at the end of the turn */
    growth_turn_factor(t, tilt, prec);
    arb_mul(t, t, t, prec);
    arb_mul(gain2, t, rest, prec);
    arb_clear(low);
    arb_clear(high);
    arb_clear(rest);
    arb_clear(ratio);
    arb_clear(t);
    fmpq_clear(tilt);
}

void norm_check_exponential(check_context *ctx, const void *parameter) {
    const cycle_parameter *p = parameter;
    arb_t gain2, one;
    arb_init(gain2);
    arb_init(one);
    arb_one(one);
    for (int i = 0; i < 2; i++) {
        cycle_gain(ctx, gain2, i == 0 ? 4 : 32, p->periods, 3, FLINT_MAX(ctx->prec, 128));
        claim_decide_arb(ctx, "G^2 > 1", gain2, RELATION_GT, one);
        arb_sqrt(gain2, gain2, 128);
        claim_number_arb(ctx, i == 0 ? "G, d = 4" : "G, d = 32", "1", gain2);
    }
    arb_clear(gain2);
    arb_clear(one);
}

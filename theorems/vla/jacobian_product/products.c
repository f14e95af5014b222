/* vla.jacobian-product: the bound, and constructed products. */
#include "numerics/exact/number.h"
#include "numerics/exact/rounded.h"
#include "numerics/exact/vla_witness.h"
#include "theorems/vla/jacobian_product/product.h"

#include <math.h>
#include <stdio.h>

enum { DEPTH = 200 };

/* Rational features, d = 2: the chain of vla_growth.h, rounded to 2^-20.  |u|^2 = 1/2 with lambda0 is |u| = 1
   with 2 lambda0: M is known up to a factor only. */
static void fill_features(fmpq *feature, const char *twice) {
    vla_plan_t plan;
    vla_state state;
    double f[2], s[2] = {1, 0};
    vla_input input = {f, 0, 0};
    if (!vla_plan_init(plan, 2, DEPTH, twice, 0, 0, "0"))
        return;
    plan->product = 1;
    vla_plan_search(plan);
    vla_state_init(&state, plan);
    for (slong t = 0; t < DEPTH; t++) {
        state.s[0] = s[0];
        state.s[1] = s[1];
        vla_control(&input, &state, plan);
        double n = exact_hypot(f[0], f[1]), a[2];
        for (int i = 0; i < 2; i++) {
            slong z = 1 + (slong)(f[i] / n * 1048576);
            fmpq_set_si(feature + 2 * t + i, z, 1048576);
            f[i] = (double)z / 1048576;
        }
        vla_advance(&state, plan, &input);
        a[0] = f[0] / state.m[0];
        a[1] = f[1] / state.m[1];
        double e = -(s[0] * f[0] + s[1] * f[1]) / exact_hypot(f[0], f[1]) / exact_hypot(a[0], a[1]);
        s[0] += e * a[0];
        s[1] += e * a[1];
    }
    vla_state_clear(&state);
    vla_plan_clear(plan);
}

/* "No explosion at any depth": the product of 200 is no longer than the golden ratio, the supremum for one
   factor. */
void product_check_depth(check_context *ctx, const void *parameter) {
    const depth_parameter *p = parameter;
    static const char *const lambdas[] = {"1/10", "10"}, *const twice[] = {"1/5", "20"};
    fmpq *feature = _fmpq_vec_init(2 * DEPTH), *direction = _fmpq_vec_init(2 * DEPTH),
         *start = _fmpq_vec_init(2);
    fmpq_t lambda0, weight, limit;
    arb_t gain, golden;
    fmpq_init(lambda0);
    fmpq_init(weight);
    fmpq_init(limit);
    arb_init(gain);
    arb_init(golden);
    fmpq_set_str(weight, p->weight, 10);
    fmpq_set_si(limit, 16181, 10000);
    exact_ball_from_rational(golden, limit, 64);
    fmpq_one(start);
    for (slong t = 0; t < DEPTH; t++)
        fmpq_one(direction + 2 * t);
    for (int i = 0; i < 2; i++) {
        fill_features(feature, twice[i]);
        fmpq_set_str(lambda0, lambdas[i], 10);
        vla_product_gain(gain, lambda0, weight, start, feature, direction, DEPTH, 2,
                         FLINT_MAX(ctx->prec, 64) * 4 + DEPTH);
        truth t = claim_decide_arb(ctx, "|x J_1...J_200|/|x| <= 1.6181", gain, RELATION_LE, golden);
        if (t != TRUTH_FAILS)
            continue;
        enclosure_t lhs, rhs;
        fmpz_t n;
        enclosure_init(lhs);
        enclosure_init(rhs);
        enclosure_set_ball(lhs, gain);
        enclosure_set_rational(rhs, limit);
        witness_struct *w = claim_witness(
            ctx, i == 0 ? "vla.jacobian-product.tenth" : "vla.jacobian-product.ten", "vla-product");
        witness_add(w, "lambda0", lambda0, 1);
        witness_add(w, "weight", weight, 1);
        fmpz_init_set_ui(n, 2);
        witness_add_integer(w, "dim", n);
        witness_add(w, "start", start, 2);
        witness_add(w, "features", feature, 2 * DEPTH);
        witness_add(w, "directions", direction, 2 * DEPTH);
        witness_conclude(w, lhs, RELATION_GE, rhs, 512);
        fmpz_clear(n);
        enclosure_clear(lhs);
        enclosure_clear(rhs);
        claim_number_arb(ctx,
                         i == 0 ? "gain of 200 factors, d = 2, lambda0 = 1/10"
                                : "gain of 200 factors, d = 2, lambda0 = 10",
                         "1", gain);
    }
    _fmpq_vec_clear(feature, 2 * DEPTH);
    _fmpq_vec_clear(direction, 2 * DEPTH);
    _fmpq_vec_clear(start, 2);
    fmpq_clear(lambda0);
    fmpq_clear(weight);
    fmpq_clear(limit);
    arb_clear(gain);
    arb_clear(golden);
}

/* |s - (s.k)a|_M^2 = |s|_M^2 - 2(s.k)^2/n + (s.k)^2 k.Ak/n^2 for a = A k/n, in Q: the roots only enter as n
   = |A k|, and the identity holds for every n.  less: how many of the two subtracted terms are left out. */
void product_check_step(check_context *ctx, const void *parameter) {
    const bound_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t left, right, sk, kak, t, n;
    fmpq_init(left);
    fmpq_init(right);
    fmpq_init(sk);
    fmpq_init(kak);
    fmpq_init(t);
    fmpq_init(n);
    for (int trial = 0; trial < 30; trial++) {
        enum { D = 3 };
        fmpq *m = _fmpq_vec_init(D), *k = _fmpq_vec_init(D), *s = _fmpq_vec_init(D);
        fmpq_zero(left);
        fmpq_zero(right);
        fmpq_zero(sk);
        fmpq_zero(kak);
        fmpq_set_si(n, exact_random_integer(&r, 1, 60), 7);
        for (slong i = 0; i < D; i++) {
            fmpq_set_si(m + i, exact_random_integer(&r, 1, 60), 7);
            exact_random_rational(k + i, &r, 20);
            exact_random_rational(s + i, &r, 20);
            fmpq_addmul(sk, s + i, k + i);
        }
        for (slong i = 0; i < D; i++) {
            fmpq_div(t, k + i, m + i);
            fmpq_addmul(kak, t, k + i);
            fmpq_div(t, t, n);
            fmpq_mul(t, t, sk);
            fmpq_sub(t, s + i, t);
            fmpq_mul(t, t, t);
            fmpq_addmul(left, t, m + i);
            fmpq_mul(t, s + i, s + i);
            fmpq_addmul(right, t, m + i);
        }
        fmpq_mul(sk, sk, sk);
        fmpq_div(t, sk, n);
        for (slong i = 0; i < 2 - p->less; i++)
            fmpq_sub(right, right, t);
        fmpq_div(t, t, n);
        fmpq_addmul(right, t, kak);
        claim_decide_fmpq(ctx, "|sJ|_M^2 = |s|_M^2 - 2(s.k)^2/n + (s.k)^2 k.Ak/n^2", left,
                          RELATION_EQ, right);
        _fmpq_vec_clear(m, D);
        _fmpq_vec_clear(k, D);
        _fmpq_vec_clear(s, D);
    }
    fmpq_clear(left);
    fmpq_clear(right);
    fmpq_clear(sk);
    fmpq_clear(kak);
    fmpq_clear(t);
    fmpq_clear(n);
}

/* norm := |J_1 ... J_T| of the case, by traces and by pivots; 1 on success. */
static int norms_of(check_context *ctx, arb_t traces, arb_t pivots, arb_t own, const growth_case *g,
                    slong less) {
    vla_run_t run;
    vla_plan_t plan;
    arb_t one;
    slong d = g->dim;
    if (growth_run(ctx, run, plan, g, NULL, NULL) != VLA_OK)
        return 0;
    arb_ptr s = _arb_vec_init(d * d);
    arb_init(one);
    arb_one(one);
    vla_run_state(s, run);
    vla_norm_trace(traces, s, d, d, run->prec);
    if (pivots != NULL)
        vla_norm_pivots(pivots, s, d, d, run->prec);
    vla_bound(own, one, run->u_squares, plan->lambda0, FLINT_MIN(vla_plan_rank(plan), d - 1) - less,
              d, 256);
    _arb_vec_clear(s, d * d);
    arb_clear(one);
    vla_run_clear(run);
    vla_plan_clear(plan);
    return 1;
}

void product_check_bound(check_context *ctx, const void *parameter) {
    const bound_parameter *p = parameter;
    arb_t norm, bound;
    arb_init(norm);
    arb_init(bound);
    for (slong n = 0; n < 6; n++) {
        growth_case g = {2 + n / 2, 300, n % 2 ? "10" : "1/10", 0, 1, 0, -1};
        if (norms_of(ctx, norm, NULL, bound, &g, p->less))
            claim_decide_arb(ctx, "|prod J| <= (1 + sum|u|^2/(r lambda0))^{r/2}", norm, RELATION_LE,
                             bound);
    }
    arb_clear(norm);
    arb_clear(bound);
}

void product_check_constructed(check_context *ctx, const void *parameter) {
    const product_parameter *p = parameter;
    arb_t traces, pivots, bound;
    arb_init(traces);
    arb_init(pivots);
    arb_init(bound);
    for (slong n = 0; n < GROWTH_CASES; n++) {
        growth_case g;
        char name[80];
        if (!growth_mine(ctx, n))
            continue;
        growth_case_at(&g, n, 1);
        g.links = p->links;
        if (!norms_of(ctx, traces, pivots, bound, &g, 0))
            continue;
        claim_two_paths(ctx, "largest singular value by traces and by pivots", traces, pivots, 16);
        growth_decide(ctx, traces, &g, p->part);
        snprintf(name, sizeof name, "|prod J|, d = %ld, T = %ld, lambda0 = %s, %s", (long)g.dim,
                 (long)g.steps, g.lambda0, g.layer ? "layer" : "free");
        claim_number_arb(ctx, name, "1", traces);
    }
    growth_sample(ctx);
    arb_clear(traces);
    arb_clear(pivots);
    arb_clear(bound);
}

/* What the proof promises against certified products, which share the steps out better. */
void product_check_order(check_context *ctx, const void *parameter) {
    const order_parameter *p = parameter;
    arb_t norm, low, one, own;
    fmpq_t lambda0, u2, tilt;
    arb_init(norm);
    arb_init(low);
    arb_init(one);
    arb_init(own);
    fmpq_init(lambda0);
    fmpq_init(u2);
    fmpq_init(tilt);
    arb_one(one);
    fmpq_one(u2);
    fmpq_set_si(tilt, 1, 5);
    for (slong n = 0; n < 6; n++) {
        growth_case g = {2 + n / 2, 0, n % 2 ? "10" : "1/10", 0, 1, 0, -1};
        slong pump = 400, turn;
        fmpq_set_str(lambda0, g.lambda0, 10);
        growth_chain_lower(low, &turn, one, g.dim - 1 + p->more, pump, u2, lambda0, tilt, 256);
        g.steps = (g.dim - 1) * (pump + turn);
        if (norms_of(ctx, norm, NULL, own, &g, 0))
            claim_decide_arb(ctx, "certified |prod J| >= (factor sqrt R)^{d-1}", norm, RELATION_GE,
                             low);
    }
    arb_clear(norm);
    arb_clear(low);
    arb_clear(one);
    arb_clear(own);
    fmpq_clear(lambda0);
    fmpq_clear(u2);
    fmpq_clear(tilt);
}

/* The certified run and its traces against entrywise balls, M kept, and their pivots. */
void product_check_two_paths(check_context *ctx, const void *parameter) {
    const product_parameter *p = parameter;
    enum { STEPS = 120 };
    arb_t traces, pivots;
    fmpq_t lambda0;
    arb_init(traces);
    arb_init(pivots);
    fmpq_init(lambda0);
    for (slong d = 2; d <= 4; d++) {
        slong wide = 256 + STEPS * ctx->prec / 16;
        arb_ptr keys = _arb_vec_init(STEPS * d), us = _arb_vec_init(STEPS * d),
                vs = _arb_vec_init(STEPS * d), s = _arb_vec_init(d * d),
                unit = _arb_vec_init(d * d);
        vla_run_t run;
        vla_plan_t plan;
        for (slong i = 0; i < d; i++)
            arb_one(unit + i * d + i);
        if (vla_plan_init(plan, d, STEPS, "1/10", d % 2 == 0, 0, "0")) {
            plan->product = 1;
            vla_plan_search(plan);
            fmpq_set_str(lambda0, p->stretch, 10);
            fmpq_mul(lambda0, lambda0, plan->lambda0);
            vla_status status = vla_plan_run(run, plan, wide, keys, us, NULL, NULL, NULL);
            if (status != VLA_OK)
                growth_undecided(ctx, vla_status_text(status));
            if (status == VLA_OK) {
                vla_run_state(s, run);
                vla_norm_trace(traces, s, d, d, 256);
                vla_run_clear(run);
                if (vla_brute(s, lambda0, STEPS, d, d, keys, us, vs, unit, wide) == VLA_OK)
                    vla_norm_pivots(pivots, s, d, d, wide);
                claim_two_paths(ctx, "|prod J| on two paths", traces, pivots, 16);
            }
            vla_plan_clear(plan);
        }
        _arb_vec_clear(keys, STEPS * d);
        _arb_vec_clear(us, STEPS * d);
        _arb_vec_clear(vs, STEPS * d);
        _arb_vec_clear(s, d * d);
        _arb_vec_clear(unit, d * d);
    }
    arb_clear(traces);
    arb_clear(pivots);
    fmpq_clear(lambda0);
}

/* The layer's products, lambda0 = 1/10, each T with a plan of its own. */
void product_check_drawn(check_context *ctx, const void *parameter) {
    const bound_parameter *p = parameter;
    static const char *const columns[] = {"d", "1", "t", "steps", "norm", "1", "bound", "1"};
    static const slong dims[] = {2, 3, 4, 32};
    series *table = series_new("vla-products", "Norm of the product of Jacobians", 4, columns);
    arb_t norm, bound, own;
    arb_init(norm);
    arb_init(bound);
    arb_init(own);
    for (int i = 0; i < 4; i++) {
        slong last = ctx->level != LEVEL_QUICK ? 10000 : dims[i] == 32 ? 200 : 3000;
        for (slong t = 10; t <= last; t = t * 16 / 10) {
            growth_case g = {dims[i], t, "1/10", 1, 1, 0, -1};
            if (!norms_of(ctx, norm, NULL, own, &g, 0))
                break;
            growth_bound(bound, &g, p->less, 256);
            claim_decide_arb(ctx, "drawn |prod J| <= bound", norm, RELATION_LE, bound);
            enclosure_struct *cell = series_append(table);
            enclosure_set_integer(cell, dims[i]);
            enclosure_set_integer(cell + 1, t);
            enclosure_set_ball(cell + 2, norm);
            enclosure_set_ball(cell + 3, bound);
        }
    }
    claim_table(ctx, table);
    arb_clear(norm);
    arb_clear(bound);
    arb_clear(own);
}

/* The turn of growth.h: its identities in Q, and certified turns against its promise. */
#include "numerics/exact/number.h"
#include "numerics/exact/rounded.h"
#include "theorems/vla/growth.h"

#include <math.h>

void growth_check_turn(check_context *ctx, const void *parameter) {
    const turn_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t x, y, from, to, left, right, ratio, t;
    fmpq *b = _fmpq_vec_init(2), *s = _fmpq_vec_init(2);
    fmpq_init(x);
    fmpq_init(y);
    fmpq_init(from);
    fmpq_init(to);
    fmpq_init(left);
    fmpq_init(right);
    fmpq_init(ratio);
    fmpq_init(t);
    for (int trial = 0; trial < 40; trial++) {
        /* the part across b: b = (b_0,b_1), across (-b_1,b_0); any c */
        for (slong i = 0; i < 2; i++) {
            exact_random_rational(b + i, &r, 30);
            exact_random_rational(s + i, &r, 30);
        }
        exact_random_rational(t, &r, 30);
        fmpq_mul(left, s, b + 1);
        fmpq_mul(right, s + 1, b);
        fmpq_sub(right, right, left);
        fmpq_mul(x, b, t);
        fmpq_add(x, s, x);
        fmpq_mul(y, b + 1, t);
        fmpq_add(y, s + 1, y);
        fmpq_mul(x, x, b + 1);
        fmpq_mul(y, y, b);
        fmpq_sub(left, y, x);
        claim_decide_fmpq(ctx, "the part across b stays", left, RELATION_EQ, right);
        /* (x f + y t)(x/f + y/t) = 1 + xy(R+1/R-2) <= R, x + y = 1, 4xy = sin^2 */
        fmpq_set_si(x, exact_random_integer(&r, 0, 20), 20);
        fmpq_one(y);
        fmpq_sub(y, y, x);
        fmpq_set_si(to, exact_random_integer(&r, 1, 50), 10);
        fmpq_set_si(ratio, exact_random_integer(&r, 10, 500), 10);
        fmpq_mul(from, to, ratio);
        fmpq_mul(left, x, from);
        fmpq_addmul(left, y, to);
        fmpq_div(right, x, from);
        fmpq_div(t, y, to);
        fmpq_add(right, right, t);
        fmpq_mul(left, left, right);
        fmpq_inv(right, ratio);
        fmpq_add(right, right, ratio);
        fmpq_sub_si(right, right, 2);
        fmpq_mul(right, right, x);
        fmpq_mul(right, right, y);
        fmpq_mul_si(right, right, p->times);
        fmpq_add_si(right, right, 1);
        claim_decide_fmpq(ctx, "c^-2 = 1 + (R+1/R-2) sin^2(2p)/4", left, RELATION_EQ, right);
        claim_decide_fmpq(ctx, "c^-2 <= R", left, RELATION_LE, ratio);
    }
    _fmpq_vec_clear(b, 2);
    _fmpq_vec_clear(s, 2);
    fmpq_clear(x);
    fmpq_clear(y);
    fmpq_clear(from);
    fmpq_clear(to);
    fmpq_clear(left);
    fmpq_clear(right);
    fmpq_clear(ratio);
    fmpq_clear(t);
}

/* One turn, certified: M = diag(R,1) after one step with u = sqrt(R-1) e_0, s = (1,0). */
static void turn(check_context *ctx, slong ratio, const fmpq_t tilt, slong times) {
    fmpq_t one;
    vla_run_t run;
    arb_ptr key = _arb_vec_init(2), u = _arb_vec_init(2);
    arb_t v, low, r;
    double h = fmpz_get_d(fmpq_numref(tilt)) / fmpz_get_d(fmpq_denref(tilt)), m = (double)ratio;
    slong steps = 0, most;
    fmpq_init(one);
    fmpq_one(one);
    arb_init(v);
    arb_init(low);
    arb_init(r);
    if (vla_run_init(run, one, 1, 2, FLINT_MAX(ctx->prec, 256)) == VLA_OK) {
        arb_one(run->s);
        arb_one(key + 1);
        arb_sqrt_ui(u, (ulong)ratio - 1, run->prec);
        vla_run_step(run, key, u, v);
        arb_zero(u);
        arb_set_si(r, ratio);
        most = growth_turn_steps(r, tilt, 128);
        for (;; steps++) {
            double y0 = sqrt(m) * arf_get_d(arb_midref(run->s), ARF_RND_NEAR),
                   y1 = -arf_get_d(arb_midref(run->s + 1), ARF_RND_NEAR),
                   b = exact_atan2(y1, y0) + h;
            if (b > 1.57079632679489661923 || steps > most)
                break;
            arb_set_d(key, sqrt(m) * exact_sin(b));
            arb_set_d(key + 1, exact_cos(b));
            if (vla_run_step(run, key, u, v) != VLA_OK)
                break;
        }
        claim_decide_si(ctx, "steps of a turn <= 4 sqrt(R)/sin 2h + 1", steps, RELATION_LE, most);
        growth_turn_factor(low, tilt, 128);
        arb_sqrt(r, r, 128);
        arb_mul(low, low, r, 128);
        arb_mul_si(low, low, times, 128);
        arb_t s[2];
        arb_init(s[0]);
        arb_init(s[1]);
        vla_run_norm(s[0], run);
        arb_sub(s[1], s[0], s[0], 128); /* the run's radius */
        arb_abs(s[0], run->s + 1);
        arb_add(s[0], s[0], s[1], 128);
        claim_decide_arb(ctx, "|s_t| >= factor sqrt(R)", s[0], RELATION_GE, low);
        arb_clear(s[0]);
        arb_clear(s[1]);
        vla_run_clear(run);
    }
    _arb_vec_clear(key, 2);
    _arb_vec_clear(u, 2);
    fmpq_clear(one);
    arb_clear(v);
    arb_clear(low);
    arb_clear(r);
}

void growth_check_turn_run(check_context *ctx, const void *parameter) {
    const turn_parameter *p = parameter;
    static const char *const tilts[] = {"3/4", "1/5", "1/20"};
    static const slong ratios[] = {2, 30, 1000, 50000};
    fmpq_t tilt;
    fmpq_init(tilt);
    for (int i = 0; i < 12; i++) {
        fmpq_set_str(tilt, tilts[i / 4], 10);
        turn(ctx, ratios[i % 4], tilt, p->times);
    }
    fmpq_clear(tilt);
}

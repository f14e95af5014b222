/* vla.state-norm: the published statement, refuted in Q by inputs of the published layer. */
#include "numerics/exact/rounded.h"
#include "numerics/exact/vla_witness.h"
#include "theorems/vla/state_norm/norm.h"

#include <math.h>

enum { STEPS = 256, GRID = 4096, CHAIN_DIM = 3 };

/* The climb (vla_growth.h) in the plane of two axes, states rounded to the grid, steps and values 2% below
   1; or one key, e_0, with values +-9/10. */
static void fill_path(fmpq *state, double lambda0, int one_key) {
    double s0 = 0, s1 = 0;
    for (slong t = 0; t < STEPS; t++) {
        double m0 = lambda0 + 0.5 * (double)(t + 1), m1 = lambda0;
        if (one_key) {
            s0 = t % 2 ? -0.9 : 0.9;
        } else if (-s0 < 0.3) {
            s0 = -0.98;
            s1 -= 1.0 / GRID;
        } else {
            double a0 = s1 / m0, a1 = -s0 / m1, n = 0.98 / exact_hypot(a0, a1);
            s0 += fmax(n * a0, 1.0 / GRID);
            s1 += n * a1;
        }
        s0 = round(s0 * GRID) / GRID;
        s1 = round(s1 * GRID) / GRID;
        fmpq_set_si(state + 2 * t, (slong)(s0 * GRID), GRID);
        fmpq_set_si(state + 2 * t + 1, (slong)(s1 * GRID), GRID);
    }
}

/* The chain of vla_growth.h for free inputs in three dimensions, |u| = 1: states rounded to 2^-40, values 2%
   below 1; every step moves every coordinate a little, so that every feature is positive. */
static void fill_chain(fmpq *state, fmpq *direction, const char *lambda0, int one_key) {
    const double grid = 1099511627776;
    vla_plan_t plan;
    vla_state at;
    double f[CHAIN_DIM], s[CHAIN_DIM] = {0};
    vla_input input = {f, 0, 0};
    if (!vla_plan_init(plan, CHAIN_DIM, STEPS, lambda0, 1, 0, "0"))
        return;
    plan->layer = 1; /* the chains that start with a climb: nonnegative keys */
    vla_plan_search(plan);
    plan->layer = 0; /* ... with |u| = 1 and keys as they are */
    vla_state_init(&at, plan);
    for (slong t = 0; t < STEPS; t++) {
        double k2 = 0, a2 = 0, sk = 0, sign;
        for (slong i = 0; i < CHAIN_DIM; i++)
            at.s[i] = s[i];
        vla_control(&input, &at, plan);
        if (one_key) {
            f[0] = 1;
            f[1] = f[2] = 0;
            input.v = t % 2 ? -0.9 : 0.9;
        }
        if (f[1] == 0 && f[2] == 0 && input.v == 0) /* a pump may as well write on axis 0 */
            input.v = t % 2 ? 0.5 : -0.5;
        for (slong i = 0; i < CHAIN_DIM; i++)
            fmpq_set_si(direction + CHAIN_DIM * t + i, i == input.axis, 1);
        vla_advance(&at, plan, &input);
        for (slong i = 0; i < CHAIN_DIM; i++) {
            k2 += f[i] * f[i];
            a2 += f[i] / at.m[i] * f[i] / at.m[i];
            sk += f[i] * s[i];
        }
        double e = (one_key || input.v == 0 ? 1 : 0.98) * (input.v - sk / sqrt(k2));
        sign = e < 0 ? -1 : 1;
        for (slong i = 0; i < CHAIN_DIM; i++) {
            double step = e * f[i] / at.m[i] / sqrt(a2) * grid;
            if (!one_key && fabs(step) < 1)
                step = sign;
            s[i] = (round(s[i] * grid) + round(step)) / grid;
            fmpq_set_si(state + CHAIN_DIM * t + i, (slong)(s[i] * grid), (ulong)grid);
        }
    }
    vla_state_clear(&at);
    vla_plan_clear(plan);
}

static void keep_witness(check_context *ctx, const char *id, slong dim, const fmpq_t lambda0,
                         const fmpq_t weight, const fmpq *state, const fmpq *direction,
                         const fmpq_t late, const fmpq_t limit) {
    enclosure_t lhs, rhs;
    fmpz_t n;
    enclosure_init(lhs);
    enclosure_init(rhs);
    enclosure_set_rational(lhs, late);
    enclosure_set_rational(rhs, limit);
    witness_struct *w = claim_witness(ctx, id, "vla-path");
    witness_add(w, "lambda0", lambda0, 1);
    witness_add(w, "weight", weight, 1);
    fmpz_init_set_si(n, dim);
    witness_add_integer(w, "dim", n);
    fmpz_one(n);
    witness_add_integer(w, "positive", n);
    witness_add(w, "states", state, dim * STEPS);
    witness_add(w, "directions", direction, dim * STEPS);
    witness_conclude(w, lhs, RELATION_GT, rhs, 64);
    fmpz_clear(n);
    enclosure_clear(lhs);
    enclosure_clear(rhs);
}

/* Plain linear attention: |s_T| <= T for unit keys and |v| <= 1.  The chain passes it, in Q. */
static void check_chain(check_context *ctx, int one_key) {
    fmpq *state = _fmpq_vec_init(CHAIN_DIM * STEPS), *direction = _fmpq_vec_init(CHAIN_DIM * STEPS);
    fmpq_t lambda0, weight, norm2, limit;
    fmpq_init(lambda0);
    fmpq_init(weight);
    fmpq_init(norm2);
    fmpq_init(limit);
    fmpq_set_si(lambda0, 1, 10);
    fmpq_one(weight);
    fmpq_set_si(limit, STEPS * STEPS, 1);
    fill_chain(state, direction, "1/10", one_key);
    const char *lacks =
        vla_path_norm(norm2, lambda0, weight, !one_key, state, direction, STEPS, CHAIN_DIM);
    if (lacks != NULL)
        growth_undecided(ctx, lacks);
    else if (claim_decide_fmpq(ctx, "|s_256|^2 <= 256^2, as in linear attention", norm2,
                               RELATION_LE, limit) == TRUTH_FAILS) {
        keep_witness(ctx, "vla.state-norm.chain", CHAIN_DIM, lambda0, weight, state, direction,
                     norm2, limit);
        claim_number_fmpq(ctx, "|s_256|^2, chain, d = 3, free u, lambda0 = 1/10", "1", norm2);
    }
    _fmpq_vec_clear(state, CHAIN_DIM * STEPS);
    _fmpq_vec_clear(direction, CHAIN_DIM * STEPS);
    fmpq_clear(lambda0);
    fmpq_clear(weight);
    fmpq_clear(norm2);
    fmpq_clear(limit);
}

/* A plateau: |s_T|^2 at T = 256 is at most twice what it is at T = 64. */
void norm_check_plateau(check_context *ctx, const void *parameter) {
    const plateau_parameter *p = parameter;
    static const char *const lambdas[] = {"1/10", "10"};
    fmpq *state = _fmpq_vec_init(2 * STEPS), *direction = _fmpq_vec_init(2 * STEPS);
    fmpq_t lambda0, weight, early, late;
    fmpq_init(lambda0);
    fmpq_init(weight);
    fmpq_init(early);
    fmpq_init(late);
    fmpq_set_si(weight, 1, 2); /* |u|^2 = 1/d */
    for (slong t = 0; t < STEPS; t++)
        fmpq_one(direction + 2 * t);
    for (int i = 0; i < 2; i++) {
        fmpq_set_str(lambda0, lambdas[i], 10);
        fill_path(state, i == 0 ? 0.1 : 10, p->one_key);
        const char *lacks =
            vla_path_norm(late, lambda0, weight, !p->one_key, state, direction, STEPS, 2);
        vla_path_norm(early, lambda0, weight, !p->one_key, state, direction, STEPS / 4, 2);
        if (lacks != NULL) { /* then nothing is decided: a bad path refutes nothing */
            growth_undecided(ctx, lacks);
            continue;
        }
        fmpq_add(early, early, early);
        truth t = claim_decide_fmpq(ctx, "|s_256|^2 <= 2 |s_64|^2", late, RELATION_LE, early);
        if (t != TRUTH_FAILS)
            continue;
        keep_witness(ctx, i == 0 ? "vla.state-norm.climb-tenth" : "vla.state-norm.climb-ten", 2,
                     lambda0, weight, state, direction, late, early);
        claim_number_fmpq(ctx, i == 0 ? "|s_256|^2, lambda0 = 1/10" : "|s_256|^2, lambda0 = 10",
                          "1", late);
    }
    check_chain(ctx, p->one_key);
    _fmpq_vec_clear(state, 2 * STEPS);
    _fmpq_vec_clear(direction, 2 * STEPS);
    fmpq_clear(lambda0);
    fmpq_clear(weight);
    fmpq_clear(early);
    fmpq_clear(late);
}

/* vla.state-norm: the published statement, refuted in Q by inputs of the published layer. */
#include "numerics/exact/vla_witness.h"
#include "theorems/vla/state_norm/norm.h"

#include <math.h>

enum { STEPS = 256, GRID = 4096 };

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
            double a0 = s1 / m0, a1 = -s0 / m1, n = 0.98 / hypot(a0, a1);
            s0 += fmax(n * a0, 1.0 / GRID);
            s1 += n * a1;
        }
        s0 = round(s0 * GRID) / GRID;
        s1 = round(s1 * GRID) / GRID;
        fmpq_set_si(state + 2 * t, (slong)(s0 * GRID), GRID);
        fmpq_set_si(state + 2 * t + 1, (slong)(s1 * GRID), GRID);
    }
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
        enclosure_t lhs, rhs;
        fmpz_t n;
        enclosure_init(lhs);
        enclosure_init(rhs);
        enclosure_set_rational(lhs, late);
        enclosure_set_rational(rhs, early);
        witness_struct *w = claim_witness(
            ctx, i == 0 ? "vla.state-norm.climb-tenth" : "vla.state-norm.climb-ten", "vla-path");
        witness_add(w, "lambda0", lambda0, 1);
        witness_add(w, "weight", weight, 1);
        fmpz_init_set_ui(n, 2);
        witness_add_integer(w, "dim", n);
        fmpz_one(n);
        witness_add_integer(w, "positive", n);
        witness_add(w, "states", state, 2 * STEPS);
        witness_add(w, "directions", direction, 2 * STEPS);
        witness_conclude(w, lhs, RELATION_GT, rhs, 64);
        fmpz_clear(n);
        enclosure_clear(lhs);
        enclosure_clear(rhs);
        claim_number_fmpq(ctx, i == 0 ? "|s_256|^2, lambda0 = 1/10" : "|s_256|^2, lambda0 = 10",
                          "1", late);
    }
    _fmpq_vec_clear(state, 2 * STEPS);
    _fmpq_vec_clear(direction, 2 * STEPS);
    fmpq_clear(lambda0);
    fmpq_clear(weight);
    fmpq_clear(early);
    fmpq_clear(late);
}

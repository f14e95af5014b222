/* Plans that make the state of variational linear attention grow, the layer's inputs, bounds. */
#include "tests/testing.h"

#include "numerics/exact/vla_growth.h"
#include "theorems/vla/state_norm/norm.h"

#include <math.h>

/* The layer: ELU+1 on both sides of 0; |u|^2 = 1/d; W sends the last axis to the first. */
static void the_layer(void **state) {
    (void)state;
    static const double x[3] = {1.5, -2, 0};
    static const double none[2] = {3, -3};
    arb_ptr f = _arb_vec_init(3);
    arb_t t;
    arb_init(t);
    vla_features(f, x, 3, 128);
    arb_set_d(t, 2.5);
    assert_true(arb_equal(f, t));
    arb_set_si(t, -2);
    arb_exp(t, t, 128);
    assert_true(arb_overlaps(f + 1, t) && arb_is_one(f + 2));
    assert_int_equal(vla_direction(f, x, 3, 128), VLA_OK);
    arb_set_d(t, 0.75); /* W x = (1.5, -2, 0) of length 5/2 */
    arb_mul(t, f + 1, f + 1, 128);
    arb_mul_si(t, t, 75, 128); /* 3 u_1^2 = 16/25 */
    arb_sub_si(t, t, 16, 128);
    assert_true(arb_contains_zero(t));
    assert_true(arb_is_zero(f + 2) && arb_is_positive(f) && arb_is_negative(f + 1));
    assert_int_equal(vla_direction(f, none, 2, 128), VLA_ZERO_KEY); /* x_0 + x_1 = 0 */
    _arb_vec_clear(f, 3);
    arb_clear(t);
}

/* Plans: simulated as certified; the search is deterministic, helps, and its stages add up. */
static void plans(void **state) {
    (void)state;
    for (int n = 0; n < 8; n++) {
        vla_plan_t plan, again;
        vla_run_t run;
        arb_t norm;
        slong d = 2 + n % 3, sum = 0;
        arb_init(norm);
        assert_true(
            vla_plan_init(plan, d, 300, n % 2 ? "10" : "1/10", n >= 4, n == 7 ? 20 : 0, "1/1000"));
        assert_true(
            vla_plan_init(again, d, 300, n % 2 ? "10" : "1/10", n >= 4, n == 7 ? 20 : 0, "1/1000"));
        vla_plan_chain(plan, VLA_CHAIN_CLIMB, 0, 1, 0);
        double first = vla_plan_simulate(plan), best = vla_plan_search(plan);
        assert_true(best >= first);
        assert_true(vla_plan_search(again) == best);
        for (slong i = 0; i < plan->stages; i++)
            sum += plan->stage[i].steps;
        assert_int_equal(sum, 300);
        assert_int_equal(vla_plan_run(run, plan, 256, NULL, NULL, NULL, NULL, NULL), VLA_OK);
        vla_run_norm(norm, run);
        assert_case(fabs(log(exact_double_mid(norm)) - best) < 0.01, "plans", n);
        vla_run_clear(run);
        vla_plan_clear(plan);
        vla_plan_clear(again);
        arb_clear(norm);
    }
    vla_plan_t bad;
    assert_false(vla_plan_init(bad, 1, 10, "1", 0, 0, "0"));
    assert_false(vla_plan_init(bad, 2, 0, "1", 0, 0, "0"));
    assert_false(vla_plan_init(bad, 2, 10, "0", 0, 0, "0"));
    assert_false(vla_plan_init(bad, 2, 10, "x", 0, 0, "0"));
    assert_false(vla_plan_init(bad, 2, 10, "1", 0, 0, "-1"));
}

/* A plan's rank counts the axes of u: those of its own stages, whatever plan stood there before; the
   layer's W has rank d-1.  When the last stage is over, it stays the last. */
static void stages(void **state) {
    (void)state;
    vla_plan_t plan;
    for (slong d = 2; d <= 6; d++) {
        assert_true(vla_plan_init(plan, d, 100, "1", 1, 0, "0"));
        vla_plan_chain(plan, VLA_CHAIN_CLIMB, d - 2, 0.5, 0.5);
        assert_int_equal(vla_plan_rank(plan), d - 1);
        vla_plan_clear(plan);
        assert_true(vla_plan_init(plan, d, 100, "1", 0, 0, "0"));
        for (slong links = d - 2; links >= 0; links--) { /* climb: axis 0; links: 1, 2, ... */
            vla_plan_chain(plan, VLA_CHAIN_CLIMB, links, 0.5, 0.5);
            assert_int_equal(plan->stages, 1 + 2 * links);
            assert_int_equal(vla_plan_rank(plan), 1 + links);
        }
        vla_plan_clear(plan);
    }
    assert_true(vla_plan_init(plan, 4, 100, "1", 0, 0, "0"));
    vla_plan_chain(plan, VLA_CHAIN_CLIMB, 2, 0.5, 0.5);
    plan->stages = 2; /* what follows is of an earlier plan */
    vla_state s;
    vla_input input = {NULL, 0, -1};
    vla_state_init(&s, plan);
    for (slong t = 1; t <= 100; t++) {
        vla_advance(&s, plan, &input);
        assert_int_equal(s.stage, t < plan->stage[0].steps ? 0 : 1);
    }
    vla_state_clear(&s);
    vla_plan_clear(plan);
}

/* The bound's own values. */
static void bounds(void **state) {
    (void)state;
    fmpq_t lambda0;
    arb_t v2, u2, b;
    fmpq_init(lambda0);
    arb_init(v2);
    arb_init(u2);
    arb_init(b);
    set_q(lambda0, "1/2");
    arb_set_si(v2, 4);
    arb_set_si(u2, 3);
    vla_bound(b, v2, u2, lambda0, 5, 3, 128); /* r = 2: 2 (1 + 3/(2/2)) = 8 */
    assert_true(arb_contains_si(b, 8) && arb_rel_accuracy_bits(b) > 100);
    vla_bound(b, v2, u2, lambda0, 1, 3, 128); /* 2 sqrt(1 + 6) */
    arb_mul(b, b, b, 128);
    assert_true(arb_contains_si(b, 28));
    vla_bound(b, v2, u2, lambda0, 0, 3, 128);
    assert_true(arb_contains_si(b, 2));
    fmpq_clear(lambda0);
    arb_clear(v2);
    arb_clear(u2);
    arb_clear(b);
}

/* The published plateau is refuted three times over, each with a witness that replays; a run that cannot be
   carried out would leave one out without changing the verdict. */
static void all_witnesses(void **state) {
    (void)state;
    static const plateau_parameter climb = {0};
    check_context ctx;
    enclosure_t computed;
    const char *reason;
    enclosure_init(computed);
    check_context_init(&ctx);
    ctx.claim = &claim_vla_state_norm;
    ctx.prec = 64;
    norm_check_plateau(&ctx, &climb);
    assert_int_equal(ctx.outcome, TRUTH_FAILS);
    assert_int_equal(ctx.undecided, 0);
    assert_int_equal(ctx.witnesses, 3);
    for (slong n = 0; n < ctx.witnesses; n++)
        assert_int_equal(witness_replay(computed, &reason, ctx.witness + n), REPLAY_HOLDS);
    check_context_clear(&ctx);
    enclosure_clear(computed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_layer), cmocka_unit_test(plans),
                                       cmocka_unit_test(stages), cmocka_unit_test(bounds),
                                       cmocka_unit_test(all_witnesses)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

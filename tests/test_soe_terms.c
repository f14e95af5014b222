/* Best sums and the bounds on the number of terms. */
#include "tests/testing.h"

#include "numerics/exact/gl.h"
#include "numerics/exact/soe_minimax.h"
#include "numerics/exact/soe_theory.h"

/* Sizes that a modeller meets: both certificates, within 1% of each other; nodes in (0,1], sorted;
   weights positive (the kernel is completely monotone). */
static void design_case(const char *alpha_text, const char *horizon_text, slong terms,
                        soe_error error, soe_kernel_kind kind) {
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t m;
    soe_bound_t bound;
    arf_t lower, limit;
    fmpq_init(alpha);
    fmpz_init(horizon);
    soe_minimax_init(m);
    soe_bound_init(bound);
    arf_init(lower);
    arf_init(limit);
    set_q(alpha, alpha_text);
    assert_null(exact_parse_integer(horizon, horizon_text));
    soe_kernel_init(kernel, kind, alpha);
    assert_int_equal(soe_minimax(m, kernel, horizon, error, terms, 1e-3, NULL, NULL), SOE_OK);
    assert_int_equal(m->sum->terms, terms);
    assert_int_equal(m->points, 2 * terms + 1);
    assert_int_equal(soe_certify(bound, kernel, m->sum, horizon, error, 0, 1e-3, 128), SOE_OK);
    soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, error, 1024);
    assert_true(arf_sgn(lower) > 0 && arf_cmp(lower, bound->upper) <= 0);
    arf_mul_ui(limit, lower, 101, 64, ARF_RND_DOWN);
    arf_div_ui(limit, limit, 100, 64, ARF_RND_DOWN);
    assert_true(arf_cmp(bound->upper, limit) <= 0);
    for (slong s = 0; s < terms; s++) {
        assert_true(fmpq_sgn(m->sum->weight + s) > 0);
        assert_true(fmpq_sgn(m->sum->mode + s) >= 0);
        assert_true(s == 0 || fmpq_cmp(m->sum->mode + s - 1, m->sum->mode + s) < 0);
    }
    /* the alternation is found again from the sum alone, which is the best for its own horizon (2S+1 extrema), as for others */
    soe_minimax_set_points(m, m->point, 0);
    assert_int_equal(soe_alternation(m, kernel, horizon, error), SOE_OK);
    soe_alternation_lower(limit, kernel, m->sum, m->point, m->points, error, 1024);
    arf_mul_ui(limit, limit, 101, 64, ARF_RND_DOWN);
    arf_div_ui(limit, limit, 100, 64, ARF_RND_DOWN);
    assert_true(arf_cmp(limit, lower) >= 0);
    /* with a point less (2S points), or two exchanged, alternation proves nothing */
    soe_alternation_lower(limit, kernel, m->sum, m->point, m->points - 1, error, 1024);
    assert_true(arf_is_zero(limit));
    arf_swap(m->point, m->point + 1);
    soe_alternation_lower(limit, kernel, m->sum, m->point, m->points, error, 1024);
    assert_true(arf_is_zero(limit));
    arf_clear(lower);
    arf_clear(limit);
    soe_minimax_clear(m);
    soe_bound_clear(bound);
    soe_kernel_clear(kernel);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
}

/* A best sum for 1000 that is said to be one for another horizon; and one that is none for any. */
static void test_level_horizon(void **state) {
    (void)state;
    static const slong said[] = {15, 400, 999, 1000, 2500, 50000};
    for (int i = 0; i < 12; i++) {
        soe_kernel_kind kind = i < 6 ? SOE_KERNEL_POWER : SOE_KERNEL_GL;
        soe_error error = i < 6 ? SOE_ABSOLUTE : SOE_RELATIVE;
        fmpq_t order;
        fmpz_t horizon, other;
        soe_kernel_t kernel;
        soe_minimax_t m;
        fmpq_init(order), fmpz_init_set_ui(horizon, 1000), fmpz_init(other);
        fmpq_set_si(order, 1, i < 6 ? 1 : 2);
        soe_kernel_init(kernel, kind, order);
        soe_minimax_init(m);
        assert_int_equal(soe_minimax(m, kernel, horizon, error, 5, 1e-5, NULL, NULL), SOE_OK);
        fmpz_set_si(horizon, said[i % 6]);
        /* 1000 is within 64 times what is said, but for the first */
        soe_status want = i % 6 == 0 ? SOE_WIDE : SOE_OK;
        assert_int_equal(soe_level_horizon(other, m, kernel, horizon, error, 1e-3), want);
        if (want == SOE_OK)
            assert_case(labs(fmpz_get_si(other) - 1000) <= 5, "soe.level-horizon", i);
        fmpz_set_si(horizon, 1000);
        fmpq_mul_2exp(m->sum->mode + 2, m->sum->mode + 2, 1);
        assert_int_equal(soe_level_horizon(other, m, kernel, horizon, error, 1e-3), SOE_WIDE);
        fmpz_one(horizon);
        assert_int_equal(soe_level_horizon(other, m, kernel, horizon, error, 1e-3),
                         SOE_BAD_ARGUMENT);
        assert_int_equal(soe_alternation(m, kernel, horizon, error), SOE_BAD_ARGUMENT);
        soe_minimax_clear(m), soe_kernel_clear(kernel);
        fmpq_clear(order), fmpz_clear(horizon), fmpz_clear(other);
    }
}

static void test_designs(void **state) {
    (void)state;
    design_case("1/2", "3", 1, SOE_ABSOLUTE, SOE_KERNEL_GL);
    design_case("1/2", "1000", 1, SOE_RELATIVE, SOE_KERNEL_GL);
    design_case("1/100", "1e6", 8, SOE_RELATIVE, SOE_KERNEL_GL);
    design_case("99/100", "1e6", 8, SOE_ABSOLUTE, SOE_KERNEL_GL);
    design_case("1/2", "25", 12, SOE_ABSOLUTE, SOE_KERNEL_GL); /* as many points as integers */
    design_case("3/10", "1e9", 24, SOE_RELATIVE, SOE_KERNEL_GL);
    design_case("1/2", "1e18", 16, SOE_RELATIVE, SOE_KERNEL_GL);
    design_case("1", "1e6", 10, SOE_ABSOLUTE, SOE_KERNEL_POWER);
    design_case("5/2", "1000", 6, SOE_RELATIVE, SOE_KERNEL_POWER);
}

/* A single term is found to the gap asked for, like more of them. */
static void test_one_term_to_its_gap(void **state) {
    (void)state;
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t m;
    soe_bound_t bound;
    arf_t lower;
    fmpq_init(alpha);
    fmpz_init_set_ui(horizon, 236);
    set_q(alpha, "432/1009");
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_minimax_init(m);
    soe_bound_init(bound);
    arf_init(lower);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, 1, 1e-6, NULL, NULL), SOE_OK);
    soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, SOE_ABSOLUTE, 256);
    assert_int_equal(soe_certify(bound, kernel, m->sum, horizon, SOE_ABSOLUTE, 0, 1e-9, 128),
                     SOE_OK);
    assert_true(arf_get_d(bound->upper, ARF_RND_UP) <
                arf_get_d(lower, ARF_RND_DOWN) * (1 + 1.1e-6));
    arf_clear(lower);
    soe_bound_clear(bound);
    soe_minimax_clear(m);
    soe_kernel_clear(kernel);
    fmpz_clear(horizon);
    fmpq_clear(alpha);
}

/* 1/x on [1,R], absolute: errors of the sums published by Hackbusch and others, to their digits. */
static void test_published_errors(void **state) {
    (void)state;
    static const struct {
        slong terms;
        const char *horizon;
        double error;
    } known[] = {
        {1, "10", 0.08556}, {2, "50", 0.01785}, {5, "1000", 6.385e-4}, {10, "10000", 9.296e-6}};
    for (int i = 0; i < 4; i++) {
        fmpq_t beta;
        fmpz_t horizon;
        soe_kernel_t kernel;
        soe_minimax_t m;
        fmpq_init(beta);
        fmpz_init(horizon);
        fmpq_one(beta);
        exact_parse_integer(horizon, known[i].horizon);
        soe_kernel_init(kernel, SOE_KERNEL_POWER, beta);
        soe_minimax_init(m);
        assert_int_equal(
            soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, known[i].terms, 1e-4, NULL, NULL),
            SOE_OK);
        double level = arf_get_d(m->level, ARF_RND_NEAR);
        assert_case(level > 0.999 * known[i].error && level < 1.001 * known[i].error,
                    "published errors", i);
        soe_minimax_clear(m);
        soe_kernel_clear(kernel);
        fmpq_clear(beta);
        fmpz_clear(horizon);
    }
}

/* No other sum of as many terms beats the alternation bound: random sums and every rule. */
static void test_nothing_beats_it(void **state) {
    (void)state;
    exact_random r = {test_seed("soe_terms/beats")};
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t m;
    soe_bound_t bound;
    soe_design design;
    soe_sum_t sum;
    arf_t lower;
    fmpq_init(alpha);
    fmpz_init(horizon);
    set_q(alpha, "2/5");
    fmpz_set_ui(horizon, 2000);
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_minimax_init(m);
    soe_bound_init(bound);
    soe_sum_init(sum, 5, SOE_RATE);
    arf_init(lower);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, 5, 1e-3, NULL, NULL), SOE_OK);
    soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, SOE_ABSOLUTE, 256);
    for (long n = 0; n < test_count(30); n++) {
        if (n < SOE_METHODS) {
            soe_design_terms(sum, &design, (soe_method)n, alpha, horizon, SOE_ABSOLUTE, 5, 128);
        } else { /* the best one, disturbed by up to 1% */
            soe_sum_set(sum, m->sum);
            for (slong s = 0; s < 5; s++) {
                fmpq_t f;
                fmpq_init(f);
                fmpq_set_si(f, exact_random_integer(&r, 9900, 10100), 10000);
                fmpq_mul(sum->weight + s, sum->weight + s, f);
                fmpq_set_si(f, exact_random_integer(&r, 9900, 10100), 10000);
                fmpq_mul(sum->mode + s, sum->mode + s, f);
                fmpq_clear(f);
            }
        }
        soe_certify(bound, kernel, sum, horizon, SOE_ABSOLUTE, 0, 1e-2, 128);
        assert_case(arf_cmp(bound->upper, lower) >= 0, "soe_terms/beats", n);
    }
    soe_sum_clear(sum);
    soe_minimax_clear(m);
    soe_bound_clear(bound);
    soe_kernel_clear(kernel);
    arf_clear(lower);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
}

/* Lower bounds for any nodes never exceed what a certified sum needs; the explicit construction never
   promises less than the best sum needs. */
static void test_bounds_agree(void **state) {
    (void)state;
    static const struct {
        const char *alpha, *horizon;
        slong digits, terms; /* terms: of a certified relative sum, from the table */
    } cells[] = {{"1/2", "1e6", 6, 22},
                 {"1/10", "10000", 10, 25},
                 {"4/5", "1e9", 4, 20},
                 {"1/2", "100", 14, 16}};
    for (int i = 0; i < 4; i++) {
        fmpq_t alpha, beta;
        fmpz_t horizon;
        arb_t error, length;
        fmpq_init(alpha);
        fmpq_init(beta);
        fmpz_init(horizon);
        arb_init(error);
        arb_init(length);
        set_q(alpha, cells[i].alpha);
        fmpq_one(beta);
        fmpq_sub(beta, beta, alpha);
        exact_parse_integer(horizon, cells[i].horizon);
        arb_set_ui(error, 10);
        arb_pow_ui(error, error, (ulong)cells[i].digits, 128);
        arb_inv(error, error, 128);
        arb_set_fmpz(length, horizon);
        arb_log(length, length, 128);
        slong matrix = soe_terms_gl_matrix_lower(alpha, horizon, error, 128),
              theorem = soe_terms_gl_lower(alpha, length, error, 128),
              real = soe_terms_power_lower(beta, length, error, 128),
              enough = soe_terms_explicit(alpha, horizon, 0, error, 128);
        assert_case(matrix > 1 && matrix <= cells[i].terms, "bounds", i);
        assert_case(theorem <= cells[i].terms && real >= theorem, "bounds", i);
        assert_case(enough >= cells[i].terms && enough < 5 * cells[i].terms, "bounds", i);
        fmpq_clear(alpha);
        fmpq_clear(beta);
        fmpz_clear(horizon);
        arb_clear(error);
        arb_clear(length);
    }
}

/* h halves as epsilon is squared, about: f(pi)/f(0) ~ e^(-pi^2/h); monotone; wider input, wider output. */
static void test_symbol(void **state) {
    (void)state;
    fmpq_t beta;
    arb_t h, ratio, wide, last;
    fmpq_init(beta);
    arb_init(h);
    arb_init(ratio);
    arb_init(wide);
    arb_init(last);
    set_q(beta, "1/2");
    for (int k = 1; k <= 40; k++) {
        arb_set_d(h, 0.1 * k);
        soe_symbol_ratio(ratio, beta, h, 128);
        assert_case(arb_rel_accuracy_bits(ratio) > 80, "symbol", k);
        assert_case(k == 1 || arb_gt(ratio, last), "symbol", k);
        arb_set(last, ratio);
        soe_symbol_ratio(wide, beta, h, 64);
        assert_case(arb_overlaps(wide, ratio), "symbol", k);
    }
    fmpq_clear(beta);
    arb_clear(h);
    arb_clear(ratio);
    arb_clear(wide);
    arb_clear(last);
}

static void test_bad_arguments(void **state) {
    (void)state;
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t m;
    fmpq_init(alpha);
    fmpz_init(horizon);
    soe_minimax_init(m);
    set_q(alpha, "1/2");
    fmpz_set_ui(horizon, 100);
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, 0, 1e-3, NULL, NULL),
                     SOE_BAD_ARGUMENT);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, 50, 1e-3, NULL, NULL),
                     SOE_BAD_ARGUMENT);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, 401, 1e-3, NULL, NULL),
                     SOE_BAD_ARGUMENT);
    fmpz_one(horizon);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, 1, 1e-3, NULL, NULL),
                     SOE_BAD_ARGUMENT);
    fmpz_set_ui(horizon, 100);
    fmpq_one(kernel->order);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, 2, 1e-3, NULL, NULL),
                     SOE_BAD_ARGUMENT);
    soe_kernel_clear(kernel);
    soe_minimax_clear(m);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
}

static int stop_at_once(slong terms) {
    (void)terms;
    return 1;
}

static void test_search(void **state) { /* the fewest: one fewer is certainly not enough */
    (void)state;
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t best, fewer;
    arf_t target, lower;
    fmpq_init(alpha);
    fmpz_init(horizon);
    soe_minimax_init(best);
    soe_minimax_init(fewer);
    arf_init(target);
    arf_init(lower);
    set_q(alpha, "7/20");
    fmpz_set_ui(horizon, 10000);
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    arf_set_d(target, 1e-5);
    assert_int_equal(
        soe_minimax_error(best, fewer, kernel, horizon, SOE_RELATIVE, target, 1e-3, NULL), SOE_OK);
    assert_int_equal(fewer->sum->terms, best->sum->terms - 1);
    soe_alternation_lower(lower, kernel, fewer->sum, fewer->point, fewer->points, SOE_RELATIVE,
                          512);
    assert_true(arf_cmp(lower, target) > 0);
    /* only the exact sum reaches 10^-40 on [1,9] */
    fmpz_set_ui(horizon, 9);
    arf_set_d(target, 1e-40);
    assert_int_equal(
        soe_minimax_error(best, fewer, kernel, horizon, SOE_ABSOLUTE, target, 1e-3, NULL),
        SOE_UNREACHABLE);
    assert_int_equal(fewer->sum->terms, 4);
    fmpz_set_ui(horizon, 10000);
    assert_int_equal(soe_minimax(best, kernel, horizon, SOE_ABSOLUTE, 20, 1e-3, NULL, stop_at_once),
                     SOE_WIDE);
    soe_kernel_clear(kernel);
    soe_minimax_clear(best);
    soe_minimax_clear(fewer);
    arf_clear(target);
    arf_clear(lower);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_designs),
                                       cmocka_unit_test(test_published_errors),
                                       cmocka_unit_test(test_nothing_beats_it),
                                       cmocka_unit_test(test_bounds_agree),
                                       cmocka_unit_test(test_symbol),
                                       cmocka_unit_test(test_bad_arguments),
                                       cmocka_unit_test(test_level_horizon),
                                       cmocka_unit_test(test_search),
                                       cmocka_unit_test(test_one_term_to_its_gap)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

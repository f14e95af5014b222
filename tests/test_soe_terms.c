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
        if (want == SOE_OK) {
            assert_case(labs(fmpz_get_si(other) - 1000) <= 5, "soe.level-horizon", i);
            assert_true(arf_cmp_si(m->point + 2 * m->sum->terms, fmpz_get_si(other)) == 0);
        }
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
    /* nearly flat: one slow mode carries the kernel, the others bend it */
    design_case("999/1000", "10", 4, SOE_ABSOLUTE, SOE_KERNEL_GL);
    design_case("999/1000", "1000", 3, SOE_RELATIVE, SOE_KERNEL_GL);
    design_case("999999/1000000", "1e9", 5, SOE_ABSOLUTE, SOE_KERNEL_GL);
    design_case("1/1000", "1e9", 5, SOE_RELATIVE, SOE_KERNEL_POWER);
}

/* As many terms as leave one exact point less than there are integers: the steps in ln t are below the
   distance of integers then.  The Jacobi sum, exact at 1 .. 70, is the start; 71 integers are its
   reference, and the last one has to be seen. */
static void test_many_terms_for_few_integers(void **state) {
    (void)state;
    enum { TERMS = 35, HORIZON = 72 };
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t start, m;
    soe_bound_t bound;
    arf_t lower;
    arf_struct point[2 * TERMS + 1];
    fmpq_init(alpha);
    fmpz_init_set_ui(horizon, HORIZON);
    set_q(alpha, "1/2");
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_minimax_init(start);
    soe_minimax_init(m);
    soe_bound_init(bound);
    arf_init(lower);
    for (slong i = 0; i <= 2 * TERMS; i++) {
        arf_init(point + i);
        arf_set_si(point + i, i + 1);
    }
    assert_int_equal(soe_from_gauss(start->sum, SOE_JACOBI, alpha, TERMS, 600), SOE_OK);
    soe_minimax_set_points(start, point, 2 * TERMS + 1);
    arf_set_d(start->level, 1e-50);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, TERMS, 1e-3, start, NULL),
                     SOE_OK);
    soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, SOE_ABSOLUTE, 600);
    assert_int_equal(soe_certify(bound, kernel, m->sum, horizon, SOE_ABSOLUTE, 0, 1e-3, 600),
                     SOE_OK);
    assert_true(arf_get_d(bound->upper, ARF_RND_UP) < arf_get_d(lower, ARF_RND_DOWN) * (1 + 1e-2));
    for (slong i = 0; i <= 2 * TERMS; i++)
        arf_clear(point + i);
    arf_clear(lower);
    soe_bound_clear(bound);
    soe_minimax_clear(start);
    soe_minimax_clear(m);
    soe_kernel_clear(kernel);
    fmpz_clear(horizon);
    fmpq_clear(alpha);
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

/* With an error that is next to nothing the matrix needs all of the ceil(T/2) terms that the exact sum on
   the integers of [1,T] has, and not one more. */
static void test_matrix_meets_the_exact_sum(void **state) {
    (void)state;
    fmpq_t alpha;
    fmpz_t horizon;
    arb_t error;
    fmpq_init(alpha);
    fmpz_init(horizon);
    arb_init(error);
    set_q(alpha, "2/5");
    arb_one(error);
    arb_mul_2exp_si(error, error, -200);
    for (slong t = 1; t <= 20; t++) {
        fmpz_set_si(horizon, t);
        assert_case(soe_terms_gl_matrix_lower(alpha, horizon, error, 128) == (t + 1) / 2,
                    "matrix and exact sum", t);
    }
    fmpq_clear(alpha);
    fmpz_clear(horizon);
    arb_clear(error);
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

/* f(0) or f(pi) of the Toeplitz matrix (2 cosh((i-k)h/2))^-beta, summed along a row: the terms fall by
   e^(-beta h/2) or more after the first. */
static void symbol_by_row(arb_t f, const fmpq_t beta, const arb_t h, int at_pi, slong prec) {
    arb_t x, exponent, fall;
    arb_init(x);
    arb_init(exponent);
    arb_init(fall);
    arb_set_fmpq(exponent, beta, prec);
    arb_neg(exponent, exponent);
    arb_mul(fall, exponent, h, prec);
    arb_mul_2exp_si(fall, fall, -1);
    arb_exp(fall, fall, prec); /* e^(-beta h/2) */
    arb_zero(f);
    for (slong k = 0; k < 100000; k++) {
        arb_mul_si(x, h, k, prec);
        arb_mul_2exp_si(x, x, -1);
        arb_cosh(x, x, prec);
        arb_mul_2exp_si(x, x, 1);
        arb_pow(x, x, exponent, prec);
        if (k > 0)
            arb_mul_2exp_si(x, x, 1);
        if (at_pi && k % 2 == 1)
            arb_sub(f, f, x, prec);
        else
            arb_add(f, f, x, prec);
        if (arf_cmpabs_2exp_si(arb_midref(x), -prec) < 0)
            break;
    }
    arb_mul(x, x, fall, prec);
    arb_sub_ui(fall, fall, 1, prec);
    arb_div(x, x, fall, prec);
    arb_add_error(f, x);
    arb_clear(x);
    arb_clear(exponent);
    arb_clear(fall);
}

/* The enclosure holds the truth also where 400 terms leave out a part that counts, nearly all that the
   bound of the rest allows (h = 1000, small beta: f(0) is large and f(pi) takes the rest alone). */
static void test_symbol_by_row(void **state) {
    (void)state;
    static const struct {
        const char *beta;
        double h;
        int bits; /* accuracy at least */
    } cases[] = {{"1/2", 0.5, 80},   {"1", 1, 80},        {"199/100", 2, 80}, {"3/2", 4, 80},
                 {"1/10", 16, 80},   {"1/100", 64, 80},   {"1/2", 1000, 2},   {"199/100", 1000, 2},
                 {"1/500", 1000, 2}, {"1/5000", 1000, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fmpq_t beta;
        arb_t h, ratio, row, other;
        fmpq_init(beta);
        arb_init(h);
        arb_init(ratio);
        arb_init(row);
        arb_init(other);
        set_q(beta, cases[i].beta);
        arb_set_d(h, cases[i].h);
        soe_symbol_ratio(ratio, beta, h, 128);
        symbol_by_row(row, beta, h, 1, 256);
        symbol_by_row(other, beta, h, 0, 256);
        arb_div(row, row, other, 256);
        assert_case(arb_rel_accuracy_bits(row) > 100, "symbol by row", i);
        assert_case(arb_overlaps(ratio, row), "symbol by row", i);
        assert_case(arb_rel_accuracy_bits(ratio) >= cases[i].bits, "symbol by row", i);
        fmpq_clear(beta);
        arb_clear(h);
        arb_clear(ratio);
        arb_clear(row);
        arb_clear(other);
    }
}

/* A step that is known is found, next above it; beyond 64 there is none, and below 1/4096 none is
   looked for. */
static void test_symbol_step(void **state) {
    (void)state;
    static const double known[] = {1, 63.75, 64.25};
    fmpq_t beta;
    arb_t h, error, ratio;
    fmpq_init(beta);
    arb_init(h);
    arb_init(error);
    arb_init(ratio);
    set_q(beta, "1/100");
    for (int i = 0; i < 3; i++) {
        arb_set_d(h, known[i]);
        soe_symbol_ratio(error, beta, h, 128);
        mag_zero(arb_radref(error));
        soe_symbol_step(h, beta, error, 128);
        if (known[i] > 64) {
            assert_case(arb_is_zero(h), "symbol step", i);
            continue;
        }
        double found = arf_get_d(arb_midref(h), ARF_RND_NEAR);
        assert_case(arb_is_exact(h), "symbol step", i);
        assert_case(found >= known[i] && found <= known[i] * (1 + 2e-6) + 2e-6, "symbol step", i);
        soe_symbol_ratio(ratio, beta, h, 128);
        assert_case(arb_gt(ratio, error), "symbol step", i);
    }
    arb_one(error);
    arb_mul_2exp_si(error, error, -70000);
    soe_symbol_step(h, beta, error, 128);
    assert_true(arb_is_exact(h) && arf_cmp_d(arb_midref(h), 1.0 / 4096) == 0);
    fmpq_clear(beta);
    arb_clear(h);
    arb_clear(error);
    arb_clear(ratio);
}

/* alpha = 1/2: |Gamma(1/2+iy)|^2 = pi/cosh(pi y), so the bound is 2 sum cosh(2 pi^2 n/h)^(-1/2). */
static void test_aliasing_closed_form(void **state) {
    (void)state;
    static const double steps[] = {0.25, 1, 4, 8, 12, 14.125, 14.25, 16, 24};
    fmpq_t alpha;
    arb_t h, bound, want, x, y;
    fmpq_init(alpha);
    arb_init(h);
    arb_init(bound);
    arb_init(want);
    arb_init(x);
    arb_init(y);
    set_q(alpha, "1/2");
    for (int i = 0; i < 9; i++) {
        arb_set_d(h, steps[i]);
        soe_aliasing_bound(bound, alpha, h, 128);
        if (steps[i] > 14.24) {
            assert_case(arf_is_pos_inf(arb_midref(bound)), "aliasing", i);
            continue;
        }
        arb_const_pi(y, 256);
        arb_mul(y, y, y, 256);
        arb_mul_2exp_si(y, y, 1);
        arb_div(y, y, h, 256);
        arb_zero(want);
        for (slong n = 1; n <= 600; n++) {
            arb_mul_si(x, y, n, 256);
            arb_cosh(x, x, 256);
            arb_rsqrt(x, x, 256);
            arb_mul_2exp_si(x, x, 1);
            arb_add(want, want, x, 256);
        }
        /* the terms fall by half or more: what is left is below the last one */
        arb_add_error(want, x);
        assert_case(arb_overlaps(bound, want), "aliasing", i);
        assert_case(arb_rel_accuracy_bits(bound) > (steps[i] <= 12 ? 59 : 50), "aliasing", i);
    }
    fmpq_clear(alpha);
    arb_clear(h);
    arb_clear(bound);
    arb_clear(want);
    arb_clear(x);
    arb_clear(y);
}

/* A start of the wanted number of terms is made closer, not handed back. */
static void test_closer(void **state) {
    (void)state;
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t rough, m;
    soe_bound_t bound;
    arf_t lower;
    fmpq_init(alpha);
    fmpz_init_set_ui(horizon, 5000);
    set_q(alpha, "1/2");
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_minimax_init(rough);
    soe_minimax_init(m);
    soe_bound_init(bound);
    arf_init(lower);
    assert_int_equal(soe_minimax(rough, kernel, horizon, SOE_RELATIVE, 4, 0.2, NULL, NULL), SOE_OK);
    assert_int_equal(soe_minimax(m, kernel, horizon, SOE_RELATIVE, 4, 1e-7, rough, NULL), SOE_OK);
    soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, SOE_RELATIVE, 256);
    assert_int_equal(soe_certify(bound, kernel, m->sum, horizon, SOE_RELATIVE, 0, 1e-9, 128),
                     SOE_OK);
    assert_true(arf_get_d(bound->upper, ARF_RND_UP) <
                arf_get_d(lower, ARF_RND_DOWN) * (1 + 1.1e-7));
    arf_clear(lower);
    soe_bound_clear(bound);
    soe_minimax_clear(rough);
    soe_minimax_clear(m);
    soe_kernel_clear(kernel);
    fmpz_clear(horizon);
    fmpq_clear(alpha);
}

/* Every number of the sum has the bits asked for, next to what it was, and nothing else changes. */
static void test_rounding(void **state) {
    (void)state;
    exact_random r = {test_seed("soe_terms/rounding")};
    fmpq_t gap;
    fmpq_init(gap);
    for (long n = 0; n < test_count(20); n++) {
        enum { TERMS = 3 };
        slong bits = exact_random_integer(&r, 2, 60);
        soe_minimax_t m;
        soe_sum_t before;
        soe_minimax_init(m);
        soe_sum_clear(m->sum);
        soe_sum_init(m->sum, TERMS + 1, SOE_RATE);
        for (slong s = 0; s <= TERMS; s++) {
            fmpq_set_si(m->sum->weight + s, exact_random_integer(&r, 1, 1000000), 999983);
            fmpq_set_si(m->sum->mode + s, exact_random_integer(&r, 1, 1000000), 999979);
            fmpq_canonicalise(m->sum->weight + s);
            fmpq_canonicalise(m->sum->mode + s);
        }
        soe_sum_init(before, 0, SOE_RATE);
        soe_sum_set(before, m->sum);
        m->sum->terms = TERMS; /* one more is there, which is none of the sum's */
        soe_minimax_round(m, bits);
        m->sum->terms = TERMS + 1;
        for (slong k = 0; k < 2 * (TERMS + 1); k++) {
            const fmpq *was = k % 2 ? before->mode + k / 2 : before->weight + k / 2,
                       *is = k % 2 ? m->sum->mode + k / 2 : m->sum->weight + k / 2;
            if (k / 2 == TERMS) {
                assert_case(fmpq_equal(is, was), "rounding", n);
                continue;
            }
            fmpz_t odd, den;
            fmpz_init_set(odd, fmpq_numref(is));
            fmpz_init_set(den, fmpq_denref(is));
            while (fmpz_is_even(odd))
                fmpz_fdiv_q_2exp(odd, odd, 1);
            assert_case((slong)fmpz_bits(odd) <= bits, "rounding", n);
            assert_case(fmpz_popcnt(den) == 1, "rounding", n); /* a power of two */
            /* |is - was| <= 2^(1-bits) was: in the last place */
            fmpq_sub(gap, is, was);
            fmpq_div(gap, gap, was);
            fmpq_abs(gap, gap);
            fmpq_mul_2exp(gap, gap, (ulong)bits - 1);
            assert_case(fmpq_cmp_si(gap, 1) <= 0, "rounding", n);
            fmpz_clear(odd);
            fmpz_clear(den);
        }
        soe_sum_clear(before);
        soe_minimax_clear(m);
    }
    fmpq_clear(gap);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_designs),
        cmocka_unit_test(test_published_errors),
        cmocka_unit_test(test_nothing_beats_it),
        cmocka_unit_test(test_bounds_agree),
        cmocka_unit_test(test_matrix_meets_the_exact_sum),
        cmocka_unit_test(test_symbol),
        cmocka_unit_test(test_symbol_by_row),
        cmocka_unit_test(test_symbol_step),
        cmocka_unit_test(test_aliasing_closed_form),
        cmocka_unit_test(test_closer),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_level_horizon),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_one_term_to_its_gap),
        cmocka_unit_test(test_many_terms_for_few_integers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

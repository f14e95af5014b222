/* Gruenwald-Letnikov weights: exact, as balls, as MPFR numbers and at real arguments. */
#include "tests/testing.h"

#include "numerics/exact/gl.h"

#include <math.h>

/* w := w_j by its definition, one factor after the other. */
static void by_definition(fmpq_t w, const fmpq_t alpha, ulong j) {
    fmpq_t factor;
    fmpz_t n;
    fmpq_init(factor);
    fmpz_init(n);
    fmpq_one(w);
    for (ulong i = 0; i < j; i++) {
        fmpz_set_ui(n, i);
        fmpq_add_fmpz(factor, alpha, n);
        fmpz_add_ui(n, n, 1);
        fmpq_div_fmpz(factor, factor, n);
        fmpq_mul(w, w, factor);
    }
    fmpq_clear(factor);
    fmpz_clear(n);
}

/* An accuracy that counts exact zeros as perfect. */
static int accurate(const arb_t w, slong bits) {
    return arb_is_zero(w) || arb_rel_accuracy_bits(w) >= bits;
}

/* Fails if a whole order takes the wrong branch, or does not stop where it vanishes. */
static void whole_orders(void **state) {
    (void)state;
    fmpq_t alpha, w;
    fmpq_init(alpha);
    fmpq_init(w);
    fmpq *vec = _fmpq_vec_init(40);
    for (slong order = -3; order <= 3; order++) {
        fmpq_set_si(alpha, order, 1);
        exact_gl_rational_vec(vec, alpha, 40);
        for (slong j = 0; j < 40; j++) {
            slong want = order == 0    ? j == 0
                         : order == 1  ? 1
                         : order == 2  ? j + 1
                         : order == 3  ? (j + 1) * (j + 2) / 2
                         : order == -1 ? (j == 0) - (j == 1)
                         : order == -2 ? (j == 0) - 2 * (j == 1) + (j == 2)
                                       : (j == 0) - 3 * (j == 1) + 3 * (j == 2) - (j == 3);
            exact_gl_rational(w, alpha, (ulong)j);
            assert_true(fmpq_equal_si(w, want));
            assert_true(fmpq_equal_si(vec + j, want));
        }
    }
    /* 1, -1/2, -1/8, -1/16, -5/128: the binomial series of sqrt(1-x) */
    static const char *const root[] = {"1", "-1/2", "-1/8", "-1/16", "-5/128", "-7/256"};
    set_q(alpha, "-1/2");
    fmpq_t want;
    fmpq_init(want);
    for (ulong j = 0; j < 6; j++) {
        set_q(want, root[j]);
        exact_gl_rational(w, alpha, j);
        assert_true(fmpq_equal(w, want));
    }
    fmpq_clear(want);
    /* order 10^12 at 2 and order 2 at 10^18: (p)(p+1)/2 and j+1 */
    set_q(alpha, "1e12");
    exact_gl_rational(w, alpha, 2);
    fmpz_t big;
    fmpz_init(big);
    fmpz_set_str(big, "500000000000500000000000", 10);
    assert_true(fmpz_equal(fmpq_numref(w), big) && fmpz_is_one(fmpq_denref(w)));
    set_q(alpha, "2");
    exact_gl_rational(w, alpha, UWORD(1000000000000000000));
    fmpz_set_ui(big, UWORD(1000000000000000001));
    assert_true(fmpz_equal(fmpq_numref(w), big) && fmpz_is_one(fmpq_denref(w)));
    /* so large that balls come from log Gamma, which has poles at whole orders <= 0 */
    arb_t ball;
    arb_init(ball);
    fmpz_set_ui(big, 1000000);
    fmpq_set_si(alpha, 1000, 1);
    exact_gl_rational(w, alpha, 1000000);
    exact_gl_ball(ball, alpha, big, 128);
    assert_true(arb_contains_fmpq(ball, w) && arb_rel_accuracy_bits(ball) >= 120);
    fmpq_set_si(alpha, -1000, 1);
    exact_gl_ball(ball, alpha, big, 128);
    assert_true(arb_is_zero(ball));
    fmpq_set_si(alpha, -2000, 1); /* the last index but one that is not 0: -2000 */
    fmpz_set_ui(big, 1999);
    exact_gl_ball(ball, alpha, big, 128);
    assert_true(arb_contains_si(ball, -2000) && arb_rel_accuracy_bits(ball) >= 120);
    arb_clear(ball);
    fmpz_clear(big);
    _fmpq_vec_clear(vec, 40);
    fmpq_clear(alpha);
    fmpq_clear(w);
}

/* Fails if the product tree, the ratio recurrence and the definition part company, if a ball misses
   the exact weight or is wide, or if the announced size is too small. */
static void random_orders(void **state) {
    (void)state;
    exact_random r = {test_seed("random_orders")};
    fmpq_t alpha, w, want;
    fmpz_t index;
    arb_t ball;
    fmpq_init(alpha);
    fmpq_init(w);
    fmpq_init(want);
    fmpz_init(index);
    arb_init(ball);
    fmpq *vec = _fmpq_vec_init(300);
    long n = test_count(150);
    for (long i = 0; i < n; i++) {
        exact_random_rational(alpha, &r, i % 3 == 0 ? 5 : i % 3 == 1 ? 100 : 1000000000000);
        exact_gl_rational_vec(vec, alpha, 300);
        for (int k = 0; k < 6; k++) {
            slong j = exact_random_integer(&r, 0, k < 2 ? 20 : 299);
            slong prec = exact_random_integer(&r, 2, 200);
            fmpz_set_si(index, j);
            exact_gl_rational(w, alpha, (ulong)j);
            by_definition(want, alpha, (ulong)j);
            assert_case(fmpq_equal(w, want) && fmpq_is_canonical(w), "random_orders", i);
            assert_case(fmpq_equal(vec + j, want), "random_orders", i);
            exact_gl_ball(ball, alpha, index, prec);
            assert_case(arb_contains_fmpq(ball, want), "random_orders", i);
            assert_case(accurate(ball, prec - 4), "random_orders", i);
            assert_case(fmpq_is_zero(want) == arb_is_zero(ball), "random_orders", i);
            double bits = exact_gl_rational_bits(alpha, index);
            assert_case(bits >= (double)fmpz_bits(fmpq_numref(w)), "random_orders", i);
            assert_case(bits >= (double)fmpz_bits(fmpq_denref(w)), "random_orders", i);
        }
    }
    _fmpq_vec_clear(vec, 300);
    fmpq_clear(alpha);
    fmpq_clear(w);
    fmpq_clear(want);
    fmpz_clear(index);
    arb_clear(ball);
}

/* Fails if the size of a weight is not a number, or does not grow without bound. */
static void rational_bits(void **state) {
    (void)state;
    static const char *const orders[] = {"0",      "1",       "-1",      "1/2",     "1e400",
                                         "-1e400", "1e400/3", "1/1e400", "-1000000"};
    static const char *const indices[] = {"0", "1", "1000", "1e18", "1e400"};
    fmpq_t alpha;
    fmpz_t j;
    fmpq_init(alpha);
    fmpz_init(j);
    for (size_t a = 0; a < sizeof orders / sizeof *orders; a++)
        for (size_t b = 0; b < sizeof indices / sizeof *indices; b++) {
            set_q(alpha, orders[a]);
            assert_null(exact_parse_integer(j, indices[b]));
            double bits = exact_gl_rational_bits(alpha, j);
            if (isnan(bits))
                print_error("size of w_%s(%s) is not a number\n", indices[b], orders[a]);
            assert_true(!isnan(bits));
        }
    set_q(alpha, "1/2");
    assert_null(exact_parse_integer(j, "1e18"));
    assert_true(exact_gl_rational_bits(alpha, j) > 1e18);
    assert_null(exact_parse_integer(j, "1e400"));
    assert_true(exact_gl_rational_bits(alpha, j) == HUGE_VAL);
    fmpq_clear(alpha);
    fmpz_clear(j);
}

/* Fails if accuracy sinks with j, with precision, or if two precisions exclude each other. */
static void accurate_everywhere(void **state) {
    (void)state;
    static const char *const orders[] = {"1/2",
                                         "1/10",
                                         "99/100",
                                         "1/1000000007",
                                         "-1/2",
                                         "-7/3",
                                         "5/2",
                                         "1e-30",
                                         "-0.999999999999999999999999",
                                         "1001/7",
                                         "1.000000000000000000000001"};
    static const char *const indices[] = {"1", "171", "1e4", "1e8", "1e12", "1e18"};
    static const slong precs[] = {53, 128, 256, 1000};
    fmpq_t alpha;
    fmpz_t j;
    arb_t w[4];
    fmpq_init(alpha);
    fmpz_init(j);
    for (int k = 0; k < 4; k++)
        arb_init(w[k]);
    for (size_t a = 0; a < sizeof orders / sizeof *orders; a++)
        for (size_t b = 0; b < sizeof indices / sizeof *indices; b++) {
            set_q(alpha, orders[a]);
            assert_null(exact_parse_integer(j, indices[b]));
            for (int k = 0; k < 4; k++) {
                exact_gl_ball(w[k], alpha, j, precs[k]);
                if (arb_rel_accuracy_bits(w[k]) < precs[k] - 4)
                    print_error("w_%s(%s) at %ld bits: %ld\n", indices[b], orders[a],
                                (long)precs[k], (long)arb_rel_accuracy_bits(w[k]));
                assert_true(arb_rel_accuracy_bits(w[k]) >= precs[k] - 4);
                for (int l = 0; l < k; l++)
                    assert_true(arb_overlaps(w[k], w[l]));
            }
        }
    fmpq_clear(alpha);
    fmpz_clear(j);
    for (int k = 0; k < 4; k++)
        arb_clear(w[k]);
}

/* Fails if neighbours of the Gamma quotient break (j+1) w_{j+1} = (j+alpha) w_j: wrong branch, sign
   or reflection, far beyond where Q can follow. */
static void ball_recurrence(void **state) {
    (void)state;
    exact_random r = {test_seed("ball_recurrence")};
    fmpq_t alpha, factor;
    fmpz_t j;
    arb_t w, v;
    fmpq_init(alpha);
    fmpq_init(factor);
    fmpz_init(j);
    arb_init(w);
    arb_init(v);
    long n = test_count(200);
    for (long i = 0; i < n; i++) {
        exact_random_rational(alpha, &r, i % 2 ? 1000 : 1000000000);
        if (i % 4 == 0) { /* orders far below 0: sign changes far out */
            fmpq_abs(alpha, alpha);
            fmpq_neg(alpha, alpha);
            fmpz_mul_ui(fmpq_numref(alpha), fmpq_numref(alpha), 1000003);
            fmpq_canonicalise(alpha);
        }
        fmpz_set_si(j, exact_random_integer(&r, 300, i % 3 ? 2000000 : 1000000000000000000));
        slong prec = exact_random_integer(&r, 30, 250);
        exact_gl_ball(w, alpha, j, prec);
        assert_case(accurate(w, prec - 4), "ball_recurrence", i);
        fmpq_add_fmpz(factor, alpha, j);
        fmpz_add_ui(j, j, 1);
        fmpq_div_fmpz(factor, factor, j);
        exact_gl_ball(v, alpha, j, prec);
        assert_case(accurate(v, prec - 4), "ball_recurrence", i);
        arb_t f;
        arb_init(f);
        arb_set_fmpq(f, factor, prec + 20);
        arb_mul(w, w, f, prec + 20);
        assert_case(arb_overlaps(w, v), "ball_recurrence", i);
        arb_clear(f);
    }
    fmpq_clear(alpha);
    fmpq_clear(factor);
    fmpz_clear(j);
    arb_clear(w);
    arb_clear(v);
}

/* Fails if a run of short divisions drifts from the Gamma quotient, wherever it starts, or its
   radius says too little or too much. */
static void ball_runs(void **state) {
    (void)state;
    static const char *const firsts[] = {"0", "1", "171", "1e6", "1e12"};
    static const char *const orders[] = {"1/2",          "1/100",  "999/1000", "-1/2", "-5/2",
                                         "7/3",          "2",      "-3",       "0",    "1",
                                         "1000003/1000", "-200.5", "-180"};
    enum { COUNT = 120 };
    fmpq_t alpha;
    fmpz_t first, j;
    arb_t want;
    arb_ptr w = _arb_vec_init(COUNT);
    fmpq_init(alpha);
    fmpz_init(first);
    fmpz_init(j);
    arb_init(want);
    for (size_t a = 0; a < sizeof orders / sizeof *orders; a++)
        for (size_t b = 0; b < sizeof firsts / sizeof *firsts; b++) {
            static const slong precs[] = {2, 53, 64, 65, 256};
            slong prec = precs[(a + b) % 5];
            set_q(alpha, orders[a]);
            assert_null(exact_parse_integer(first, firsts[b]));
            exact_gl_ball_vec(w, alpha, first, COUNT, prec);
            for (ulong i = 0; i < COUNT; i++) {
                assert_true(accurate(w + i, prec - 4));
                if (i > 40 && i % 13 != 0)
                    continue;
                fmpz_add_ui(j, first, i);
                exact_gl_ball(want, alpha, j, prec + 100);
                if (!arb_overlaps(w + i, want))
                    print_error("w_%s+%lu(%s)\n", firsts[b], (unsigned long)i, orders[a]);
                assert_true(arb_overlaps(w + i, want));
                assert_int_equal(arb_is_zero(w + i), arb_is_zero(want));
            }
        }
    /* far along one run */
    arb_ptr longer = _arb_vec_init(20000);
    set_q(alpha, "3/10");
    fmpz_zero(first);
    exact_gl_ball_vec(longer, alpha, first, 20000, 64);
    for (ulong i = 171; i < 20000; i += 1999) {
        fmpz_set_ui(j, i);
        exact_gl_ball(want, alpha, j, 164);
        assert_true(arb_contains(longer + i, want));
        assert_true(accurate(longer + i, 60));
    }
    _arb_vec_clear(longer, 20000);
    _arb_vec_clear(w, COUNT);
    fmpq_clear(alpha);
    fmpz_clear(first);
    fmpz_clear(j);
    arb_clear(want);
}

/* Fails if numerators or denominators beyond a word wrap round instead of taking the slow path, on
   either side of the border and at precisions that no fixed significand holds. */
static void ball_runs_large(void **state) {
    (void)state;
    static const char *const orders[] = {
        "1/2305843009213693951",  /* q = 2^61-1: fits at j = 0 only */
        "1/1152921504606846977",  /* q = 2^60+1 */
        "1/100000000000000003",   /* crosses 2^61 on the way */
        "2305843009213693951/3",  /* p = 2^61-1 */
        "4611686018427387905/2",  /* p > 2^62 */
        "-2305843009213693951/2", /* sign changes far away */
        "1e30/7",
        "7/1e30",
        "-1e30/7",
        "-123456789012345678901234567890/98765432109876543210987654321",
        "1/2"};
    fmpq_t alpha, exact;
    fmpz_t first;
    fmpq_init(alpha);
    fmpq_init(exact);
    fmpz_init(first);
    arb_ptr w = _arb_vec_init(40);
    for (size_t a = 0; a < sizeof orders / sizeof *orders; a++) {
        set_q(alpha, orders[a]);
        for (ulong start = 0; start < 40; start += 13)
            for (slong prec = 60; prec <= 4100; prec += 4040) {
                fmpz_set_ui(first, start);
                slong count = a == 0 && start == 0 ? 1 : 40;
                exact_gl_ball_vec(w, alpha, first, count, prec);
                for (slong i = 0; i < count; i++) {
                    exact_gl_rational(exact, alpha, start + (ulong)i);
                    assert_case(arb_contains_fmpq(w + i, exact), orders[a], i);
                    assert_case(accurate(w + i, prec - 4), orders[a], i);
                }
            }
    }
    _arb_vec_clear(w, 40);
    fmpq_clear(alpha);
    fmpq_clear(exact);
    fmpz_clear(first);
}

/* Fails if an order that reaches 0 leaves rubble behind it, or a sign is not carried along. */
static void ball_runs_negative(void **state) {
    (void)state;
    exact_random r = {test_seed("ball_runs_negative")};
    fmpq_t alpha, exact;
    fmpz_t first;
    fmpq_init(alpha);
    fmpq_init(exact);
    fmpz_init(first);
    arb_ptr w = _arb_vec_init(60);
    long n = test_count(150);
    for (long i = 0; i < n; i++) {
        fmpq_set_si(alpha, -exact_random_integer(&r, 0, 80), i % 2 ? 1 : 2);
        ulong start = (ulong)exact_random_integer(&r, 0, i % 3 ? 60 : 0);
        slong prec = exact_random_integer(&r, 2, 300);
        fmpz_set_ui(first, start);
        exact_gl_ball_vec(w, alpha, first, 60, prec);
        for (slong k = 0; k < 60; k++) {
            exact_gl_rational(exact, alpha, start + (ulong)k);
            assert_case(arb_contains_fmpq(w + k, exact), "ball_runs_negative", i);
            assert_case(accurate(w + k, prec - 4), "ball_runs_negative", i);
            assert_case(arb_is_zero(w + k) == fmpq_is_zero(exact), "ball_runs_negative", i);
        }
    }
    _arb_vec_clear(w, 60);
    fmpq_clear(alpha);
    fmpq_clear(exact);
    fmpz_clear(first);
}

/* Fails if an MPFR weight is off by more than half an ulp and a sliver, or a zero is not one. */
static void mpfr_runs(void **state) {
    (void)state;
    exact_random r = {test_seed("mpfr_runs")};
    enum { COUNT = 50 };
    fmpq_t alpha, exact, got, ulp;
    fmpz_t first;
    arf_t a;
    fmpq_init(alpha);
    fmpq_init(exact);
    fmpq_init(got);
    fmpq_init(ulp);
    fmpz_init(first);
    arf_init(a);
    mpfr_t w[COUNT];
    long n = test_count(120);
    for (long i = 0; i < n; i++) {
        static const slong precs[] = {2, 24, 53, 63, 64, 65, 113, 128, 200, 4100};
        slong prec = precs[i % 10];
        ulong start = (ulong)exact_random_integer(&r, 0, i % 2 ? 200 : 0);
        if (i % 3 == 0)
            fmpq_set_si(alpha, -exact_random_integer(&r, 0, 60), i % 2 ? 1 : 2);
        else
            exact_random_rational(alpha, &r, i % 3 == 1 ? 100 : 4000000000000000000);
        fmpz_set_ui(first, start);
        for (int k = 0; k < COUNT; k++)
            mpfr_init2(w[k], prec);
        exact_gl_mpfr_vec(w[0], alpha, first, COUNT, prec);
        for (slong k = 0; k < COUNT; k++) {
            exact_gl_rational(exact, alpha, start + (ulong)k);
            if (fmpq_is_zero(exact)) {
                assert_case(mpfr_zero_p(w[k]), "mpfr_runs", i);
                continue;
            }
            assert_case(mpfr_regular_p(w[k]) && mpfr_get_prec(w[k]) == prec, "mpfr_runs", i);
            arf_set_mpfr(a, w[k]);
            exact_rational_from_arf(got, a);
            fmpq_sub(got, got, exact);
            fmpq_abs(got, got);
            /* ulp of the printed number: 2^(exponent - prec) */
            fmpq_one(ulp);
            slong e = (slong)mpfr_get_exp(w[k]) - prec;
            if (e >= 0)
                fmpq_mul_2exp(ulp, ulp, (ulong)e);
            else
                fmpq_div_2exp(ulp, ulp, (ulong)-e);
            fmpq_div(got, got, ulp);
            fmpq_set_si(ulp, 5001, 10000);
            assert_case(fmpq_cmp(got, ulp) <= 0, "mpfr_runs", i);
        }
        for (int k = 0; k < COUNT; k++)
            mpfr_clear(w[k]);
    }
    fmpq_clear(alpha);
    fmpq_clear(exact);
    fmpq_clear(got);
    fmpq_clear(ulp);
    fmpz_clear(first);
    arf_clear(a);
}

/* Fails if the real function misses the weights, breaks w(t+1) = w(t)(t+alpha)/(t+1), is wide, or a
   wider argument excludes what a narrow one found. */
static void real_arguments(void **state) {
    (void)state;
    exact_random r = {test_seed("real_arguments")};
    fmpq_t alpha, exact, q;
    arb_t a, t, w, next, x;
    fmpq_init(alpha);
    fmpq_init(exact);
    fmpq_init(q);
    arb_init(a);
    arb_init(t);
    arb_init(w);
    arb_init(next);
    arb_init(x);
    long n = test_count(300);
    for (long i = 0; i < n; i++) {
        slong prec = exact_random_integer(&r, 20, 200);
        fmpq_set_si(alpha, exact_random_integer(&r, 1, 100), 100);
        fmpq_canonicalise(alpha);
        arb_set_fmpq(a, alpha, prec + 150);
        ulong j = (ulong)exact_random_integer(&r, 0, 200);
        arb_set_ui(t, j);
        exact_gl_real(w, a, t, prec);
        exact_gl_rational(exact, alpha, j);
        assert_case(arb_contains_fmpq(w, exact), "real_arguments", i);
        assert_case(arb_rel_accuracy_bits(w) >= prec - 8, "real_arguments", i);
        exact_random_rational(q, &r, 1000000000);
        fmpq_abs(q, q);
        arb_set_fmpq(t, q, prec + 150);
        if (i % 2)
            arb_mul_2exp_si(t, t, exact_random_integer(&r, 0, 40));
        exact_gl_real(w, a, t, prec);
        assert_case(arb_rel_accuracy_bits(w) >= prec - 8, "real_arguments", i);
        arb_add_ui(x, t, 1, prec + 100);
        exact_gl_real(next, a, x, prec);
        arb_mul(next, next, x, prec + 100);
        arb_add(x, t, a, prec + 100);
        arb_mul(x, x, w, prec + 100);
        assert_case(arb_overlaps(next, x), "real_arguments", i);
        arb_set(x, t);
        mag_set_ui_2exp_si(arb_radref(x), 1, -10);
        if (arb_is_nonnegative(x)) {
            exact_gl_real(next, a, x, prec);
            assert_case(arb_overlaps(next, w), "real_arguments", i);
            arb_set_fmpq(x, q, 10);
        }
    }
    /* outside its range: not a number */
    arb_set_ui(t, 3);
    arb_zero(a);
    exact_gl_real(w, a, t, 64);
    assert_false(arb_is_finite(w));
    mag_set_ui_2exp_si(arb_radref(a), 1, -3);
    exact_gl_real(w, a, t, 64);
    assert_false(arb_is_finite(w));
    arb_set_d(a, 0.5);
    arb_set_si(t, -1);
    exact_gl_real(w, a, t, 64);
    assert_false(arb_is_finite(w));
    arb_zero(t);
    mag_set_ui_2exp_si(arb_radref(t), 1, -30);
    exact_gl_real(w, a, t, 64);
    assert_false(arb_is_finite(w));
    arb_indeterminate(t);
    exact_gl_real(w, a, t, 64);
    assert_false(arb_is_finite(w));
    fmpq_clear(alpha);
    fmpq_clear(exact);
    fmpq_clear(q);
    arb_clear(a);
    arb_clear(t);
    arb_clear(w);
    arb_clear(next);
    arb_clear(x);
}

/* Fails if a coefficient of w(t e^delta) is wrong: the polynomial and its Cauchy tail would miss
   the value itself; also if the first derivative is not t w'(t) = t w (psi(t+alpha) - psi(t+1)). */
static void log_taylor(void **state) {
    (void)state;
    exact_random r = {test_seed("log_taylor")};
    fmpq_t alpha, q;
    arb_poly_t p;
    arb_t a, t, delta, value, direct, tail, x;
    fmpq_init(alpha);
    fmpq_init(q);
    arb_poly_init(p);
    arb_init(a);
    arb_init(t);
    arb_init(delta);
    arb_init(value);
    arb_init(direct);
    arb_init(tail);
    arb_init(x);
    long n = test_count(60);
    for (long i = 0; i < n; i++) {
        slong prec = 128, len = exact_random_integer(&r, 1, 40);
        fmpq_set_si(alpha, exact_random_integer(&r, 1, 99), 100);
        fmpq_canonicalise(alpha);
        arb_set_fmpq(a, alpha, 300);
        arb_set_si(t, exact_random_integer(&r, 10, 1000000));
        arb_mul_2exp_si(t, t, exact_random_integer(&r, 0, 30));
        exact_gl_log_taylor(p, alpha, t, len, prec);
        exact_gl_real(direct, a, t, prec);
        arb_poly_get_coeff_arb(x, p, 0);
        assert_case(arb_overlaps(x, direct), "log_taylor", i);
        assert_case(arb_rel_accuracy_bits(x) >= prec - 10, "log_taylor", i);
        if (len > 1) {
            arb_add(value, t, a, 250);
            arb_digamma(value, value, 250);
            arb_add_ui(x, t, 1, 250);
            arb_digamma(x, x, 250);
            arb_sub(value, value, x, 250);
            arb_mul(value, value, t, 250);
            arb_mul(value, value, direct, 250);
            arb_poly_get_coeff_arb(x, p, 1);
            assert_case(arb_overlaps(x, value), "log_taylor", i);
            assert_case(arb_rel_accuracy_bits(x) >= 60, "log_taylor", i);
        }
        /* on |delta| <= 1: |w| <= w(t cos(1)/e) <= w(t/8); tail B r^len/(1-r) */
        arb_set_si(delta, exact_random_integer(&r, -1000, 1000));
        arb_mul_2exp_si(delta, delta, -14); /* |delta| < 1/16 */
        arb_poly_evaluate(value, p, delta, prec);
        arb_mul_2exp_si(x, t, -3);
        exact_gl_real(tail, a, x, 64);
        arb_mul_2exp_si(tail, tail, 1 - 4 * len);
        arb_add_error(value, tail);
        arb_exp(x, delta, 300);
        arb_mul(x, x, t, 300);
        exact_gl_real(direct, a, x, prec);
        assert_case(arb_overlaps(value, direct), "log_taylor", i);
    }
    fmpq_clear(alpha);
    fmpq_clear(q);
    arb_poly_clear(p);
    arb_clear(a);
    arb_clear(t);
    arb_clear(delta);
    arb_clear(value);
    arb_clear(direct);
    arb_clear(tail);
    arb_clear(x);
}

/* Fails if the ratio is not w_j Gamma(alpha) j^(1-alpha), leaves Wendel's interval, or falls. */
static void power_ratio(void **state) {
    (void)state;
    exact_random r = {test_seed("power_ratio")};
    fmpq_t alpha;
    fmpz_t j;
    arb_t t, ratio, later, want, x, e;
    fmpq_init(alpha);
    fmpz_init(j);
    arb_init(t);
    arb_init(ratio);
    arb_init(later);
    arb_init(want);
    arb_init(x);
    arb_init(e);
    long n = test_count(200);
    for (long i = 0; i < n; i++) {
        slong prec = exact_random_integer(&r, 128, 256);
        fmpq_set_si(alpha, exact_random_integer(&r, 1, 99), 100);
        fmpq_canonicalise(alpha);
        fmpz_set_si(j, exact_random_integer(&r, 1, i % 2 ? 1000 : 1000000000000));
        arb_set_fmpz(t, j);
        exact_gl_power_ratio(ratio, alpha, t, prec);
        assert_case(arb_rel_accuracy_bits(ratio) >= prec - 8, "power_ratio", i);
        exact_gl_ball(want, alpha, j, prec);
        arb_gamma_fmpq(x, alpha, prec);
        arb_mul(want, want, x, prec);
        arb_set_fmpq(e, alpha, prec);
        arb_sub_ui(e, e, 1, prec);
        arb_neg(e, e);
        arb_pow(x, t, e, prec);
        arb_mul(want, want, x, prec);
        assert_case(arb_overlaps(ratio, want), "power_ratio", i);
        /* [(1+alpha/t)^(alpha-1), 1] */
        arb_neg(e, e);
        arb_set_fmpq(x, alpha, prec);
        arb_div(x, x, t, prec);
        arb_add_ui(x, x, 1, prec);
        arb_pow(x, x, e, prec);
        assert_case(arb_lt(x, ratio), "power_ratio", i);
        arb_one(x);
        assert_case(arb_lt(ratio, x), "power_ratio", i);
        arb_mul_ui(t, t, 3, prec);
        arb_mul_2exp_si(t, t, -1);
        exact_gl_power_ratio(later, alpha, t, prec);
        assert_case(arb_lt(ratio, later), "power_ratio", i);
    }
    fmpq_one(alpha);
    exact_gl_power_ratio(ratio, alpha, t, 64);
    assert_true(arb_contains_si(ratio, 1));
    assert_true(arb_rel_accuracy_bits(ratio) >= 56);
    fmpq_clear(alpha);
    fmpz_clear(j);
    arb_clear(t);
    arb_clear(ratio);
    arb_clear(later);
    arb_clear(want);
    arb_clear(x);
    arb_clear(e);
}

/* Whole orders at indices that no machine word holds: j truncated to 64 bits would show. */
static void beyond_a_word(void **state) {
    (void)state;
    fmpq_t alpha;
    fmpz_t j, expected;
    arb_t w;
    fmpq_init(alpha);
    fmpz_init(j);
    fmpz_init(expected);
    arb_init(w);
    fmpz_ui_pow_ui(j, 2, 64);
    fmpz_add_ui(j, j, 1);
    fmpq_set_si(alpha, 2, 1); /* w_j = j+1 */
    exact_gl_ball(w, alpha, j, 128);
    fmpz_add_ui(expected, j, 1);
    assert_true(arb_contains_fmpz(w, expected));
    assert_true(arb_rel_accuracy_bits(w) >= 124);
    fmpq_set_si(alpha, -1, 1); /* 1, -1, 0, 0, ... */
    exact_gl_ball(w, alpha, j, 128);
    assert_true(arb_is_zero(w));
    fmpq_zero(alpha);
    exact_gl_ball(w, alpha, j, 128);
    assert_true(arb_is_zero(w));
    fmpq_clear(alpha);
    fmpz_clear(j);
    fmpz_clear(expected);
    arb_clear(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_a_word),       cmocka_unit_test(whole_orders),
        cmocka_unit_test(random_orders),       cmocka_unit_test(rational_bits),
        cmocka_unit_test(accurate_everywhere), cmocka_unit_test(ball_recurrence),
        cmocka_unit_test(ball_runs),           cmocka_unit_test(ball_runs_large),
        cmocka_unit_test(ball_runs_negative),  cmocka_unit_test(mpfr_runs),
        cmocka_unit_test(real_arguments),      cmocka_unit_test(log_taylor),
        cmocka_unit_test(power_ratio),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

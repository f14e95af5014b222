/* Comparing enclosures: decided only when every pair of numbers agrees. */
#include "tests/testing.h"

#include "numerics/exact/enclosure.h"

#include <math.h>

static const relation relations[] = {RELATION_LT, RELATION_LE, RELATION_EQ, RELATION_GE,
                                     RELATION_GT};

static int accepts(relation rel, int sign) {
    return rel == RELATION_LT   ? sign < 0
           : rel == RELATION_LE ? sign <= 0
           : rel == RELATION_EQ ? sign == 0
           : rel == RELATION_GE ? sign >= 0
                                : sign > 0;
}

/* x := a rational or a dyadic ball with small numbers, [low, high] := its end points. */
static void random_enclosure(enclosure_t x, fmpq_t low, fmpq_t high, exact_random *r) {
    if (exact_random_integer(r, 0, 2) == 0) {
        exact_random_rational(low, r, 8);
        fmpq_set(high, low);
        enclosure_set_rational(x, low);
    } else {
        slong m = exact_random_integer(r, -16, 16), e = exact_random_integer(r, 0, 3);
        slong radius = exact_random_integer(r, 0, 2) ? exact_random_integer(r, 0, 8) : 0;
        arb_t ball;
        arb_init(ball);
        arb_set_si(ball, m);
        mag_set_ui(arb_radref(ball), (ulong)radius);
        arb_mul_2exp_si(ball, ball, -e);
        enclosure_set_ball(x, ball);
        arb_clear(ball);
        fmpq_set_si(low, m - radius, 1);
        fmpq_set_si(high, m + radius, 1);
        fmpq_div_2exp(low, low, (ulong)e);
        fmpq_div_2exp(high, high, (ulong)e);
    }
}

/* Fails if a verdict holds for some pairs only, clear cases stay open, or the margin is too large,
   missing, or useless. */
static void compares_soundly(void **state) {
    (void)state;
    exact_random r = {test_seed("compares_soundly")};
    enclosure_t a, b;
    fmpq_t alow, ahigh, blow, bhigh, gap, margin_q;
    arf_t margin;
    enclosure_init(a);
    enclosure_init(b);
    fmpq_init(alow);
    fmpq_init(ahigh);
    fmpq_init(blow);
    fmpq_init(bhigh);
    fmpq_init(gap);
    fmpq_init(margin_q);
    arf_init(margin);
    long n = test_count(4000);
    for (long i = 0; i < n; i++) {
        random_enclosure(a, alow, ahigh, &r);
        random_enclosure(b, blow, bhigh, &r);
        int least, most; /* signs that a-b takes */
        fmpq_sub(gap, alow, bhigh);
        least = fmpq_sgn(gap);
        fmpq_sub(gap, ahigh, blow);
        most = fmpq_sgn(gap);
        /* the distance between the two */
        if (most < 0)
            fmpq_neg(gap, gap);
        else if (least > 0)
            fmpq_sub(gap, alow, bhigh);
        else
            fmpq_zero(gap);
        for (int k = 0; k < 5; k++) {
            relation rel = relations[k];
            truth t = enclosure_compare(margin, a, rel, b, 128);
            int all = 1, none = 1;
            for (int s = least; s <= most; s++) {
                all = all && accepts(rel, s);
                none = none && !accepts(rel, s);
            }
            assert_case(t != TRUTH_HOLDS || all, "compares_soundly", i);
            assert_case(t != TRUTH_FAILS || none, "compares_soundly", i);
            /* disjoint, or two rationals: always decided; two points that are one: holds (radii
               of wider balls are rounded, which may hide that they only touch) */
            int exact = a->type == ENCLOSURE_RATIONAL && b->type == ENCLOSURE_RATIONAL;
            if (least > 0 || most < 0 || exact)
                assert_case(t == (all ? TRUTH_HOLDS : TRUTH_FAILS), "compares_soundly", i);
            if (all && fmpq_equal(alow, ahigh) && fmpq_equal(blow, bhigh))
                assert_case(t == TRUTH_HOLDS, "compares_soundly", i);
            exact_rational_from_arf(margin_q, margin);
            assert_case(fmpq_sgn(margin_q) >= 0 && fmpq_cmp(margin_q, gap) <= 0, "compares_soundly",
                        i);
            if (t != TRUTH_UNDECIDED && (least > 0 || most < 0)) {
                assert_case(fmpq_sgn(margin_q) > 0, "compares_soundly", i);
                fmpq_mul_2exp(margin_q, margin_q, 20); /* at least gap (1 - 2^-20) */
                fmpq_t floor_q, scaled;
                fmpq_init(floor_q);
                fmpq_init(scaled);
                fmpq_set_si(scaled, (1 << 20) - 1, 1);
                fmpq_mul(floor_q, gap, scaled);
                assert_case(fmpq_cmp(margin_q, floor_q) >= 0, "compares_soundly", i);
                fmpq_clear(floor_q);
                fmpq_clear(scaled);
            }
        }
    }
    enclosure_clear(a);
    enclosure_clear(b);
    fmpq_clear(alow);
    fmpq_clear(ahigh);
    fmpq_clear(blow);
    fmpq_clear(bhigh);
    fmpq_clear(gap);
    fmpq_clear(margin_q);
    arf_clear(margin);
}

/* Fails if nearby rationals are told apart through balls, or equality is missed. */
static void compares_rationals_exactly(void **state) {
    (void)state;
    enclosure_t a, b;
    fmpq_t x, y;
    arf_t margin;
    enclosure_init(a);
    enclosure_init(b);
    fmpq_init(x);
    fmpq_init(y);
    arf_init(margin);
    set_q(x, "1/3");
    set_q(y, "1e-300");
    fmpq_add(y, x, y);
    enclosure_set_rational(a, x);
    enclosure_set_rational(b, y);
    assert_int_equal(enclosure_compare(margin, a, RELATION_LT, b, 2), TRUTH_HOLDS);
    assert_true(arf_sgn(margin) > 0);
    arf_t bound;
    arf_init(bound);
    arf_set_ui_2exp_si(bound, 1, -996); /* 1e-300 = 2^-996.6 */
    assert_true(arf_cmp(margin, bound) < 0);
    arf_clear(bound);
    assert_int_equal(enclosure_compare(margin, a, RELATION_EQ, b, 2), TRUTH_FAILS);
    assert_int_equal(enclosure_compare(margin, a, RELATION_GE, b, 2), TRUTH_FAILS);
    enclosure_set_rational(b, x);
    assert_int_equal(enclosure_compare(margin, a, RELATION_EQ, b, 2), TRUTH_HOLDS);
    assert_true(arf_is_zero(margin));
    assert_int_equal(enclosure_compare(margin, a, RELATION_LT, b, 2), TRUTH_FAILS);
    assert_int_equal(enclosure_compare(margin, a, RELATION_LE, a, 2), TRUTH_HOLDS); /* itself */
    enclosure_clear(a);
    enclosure_clear(b);
    fmpq_clear(x);
    fmpq_clear(y);
    arf_clear(margin);
}

/* Fails if exact balls that touch are not equal, or a strict relation is taken to hold there. */
static void touches(void **state) {
    (void)state;
    enclosure_t a, b;
    arb_t ball;
    arf_t margin;
    enclosure_init(a);
    enclosure_init(b);
    arb_init(ball);
    arf_init(margin);
    arb_set_d(ball, 0.5);
    enclosure_set_ball(a, ball);
    enclosure_set_ball(b, ball);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(enclosure_compare(margin, a, RELATION_EQ, b, 64), TRUTH_HOLDS);
        assert_true(arf_is_zero(margin));
        assert_int_equal(enclosure_compare(margin, a, RELATION_LE, b, 64), TRUTH_HOLDS);
        assert_int_equal(enclosure_compare(margin, a, RELATION_GE, b, 64), TRUTH_HOLDS);
        assert_int_not_equal(enclosure_compare(margin, a, RELATION_LT, b, 64), TRUTH_HOLDS);
        assert_int_not_equal(enclosure_compare(margin, a, RELATION_GT, b, 64), TRUTH_HOLDS);
        fmpq_t half; /* and a ball against the rational */
        fmpq_init(half);
        fmpq_set_si(half, 1, 2);
        enclosure_set_rational(b, half);
        fmpq_clear(half);
    }
    /* [0,1] and [1,2] */
    arb_set_d(ball, 0.5);
    mag_set_ui_2exp_si(arb_radref(ball), 1, -1);
    enclosure_set_ball(a, ball);
    arb_add_ui(ball, ball, 1, 64);
    enclosure_set_ball(b, ball);
    assert_int_equal(enclosure_compare(margin, a, RELATION_LE, b, 64), TRUTH_HOLDS);
    assert_int_equal(enclosure_compare(margin, a, RELATION_LT, b, 64), TRUTH_UNDECIDED);
    assert_int_equal(enclosure_compare(margin, a, RELATION_EQ, b, 64), TRUTH_UNDECIDED);
    assert_int_equal(enclosure_compare(margin, a, RELATION_GE, b, 64), TRUTH_UNDECIDED);
    assert_true(arf_is_zero(margin));
    enclosure_clear(a);
    enclosure_clear(b);
    arb_clear(ball);
    arf_clear(margin);
}

/* Fails if what is infinite, NaN or only measured decides anything. */
static void leaves_open(void **state) {
    (void)state;
    enclosure_t a, b;
    arb_t ball;
    arf_t margin;
    enclosure_init(a);
    enclosure_init(b);
    arb_init(ball);
    arf_init(margin);
    for (int kind = 0; kind < 5; kind++) {
        if (kind == 0)
            arb_indeterminate(ball);
        else if (kind == 1)
            arb_zero_pm_inf(ball);
        else if (kind == 2)
            arb_pos_inf(ball);
        else if (kind == 3)
            arb_neg_inf(ball);
        if (kind < 4)
            enclosure_set_ball(a, ball);
        else
            enclosure_set_measured(a, (enclosure_measurement){1, 0.5, 2, 100, 1});
        for (int other = 0; other < 3; other++) {
            if (other == 0)
                enclosure_set_integer(b, 7);
            else if (other == 1)
                enclosure_set(b, a);
            else
                enclosure_set_ball(b, ball);
            for (int k = 0; k < 5; k++) {
                arf_one(margin);
                assert_int_equal(enclosure_compare(margin, a, relations[k], b, 64),
                                 TRUTH_UNDECIDED);
                assert_true(arf_is_zero(margin));
                arf_one(margin);
                assert_int_equal(enclosure_compare(margin, b, relations[k], a, 64),
                                 TRUTH_UNDECIDED);
                assert_true(arf_is_zero(margin));
            }
        }
    }
    enclosure_clear(a);
    enclosure_clear(b);
    arb_clear(ball);
    arf_clear(margin);
}

/* Fails if alpha = 0.5 +- 1e-3 is taken for 0.5, or widening a ball turns a verdict round. */
static void wide_input(void **state) {
    (void)state;
    exact_random r = {test_seed("wide_input")};
    enclosure_t a, b, wide;
    fmpq_t low, high;
    arb_t ball;
    arf_t margin, wider_margin;
    enclosure_init(a);
    enclosure_init(b);
    enclosure_init(wide);
    fmpq_init(low);
    fmpq_init(high);
    arb_init(ball);
    arf_init(margin);
    arf_init(wider_margin);
    arb_set_d(ball, 0.5);
    mag_set_d(arb_radref(ball), 1e-3);
    enclosure_set_ball(a, ball);
    fmpq_set_si(low, 1, 2);
    enclosure_set_rational(b, low);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(enclosure_compare(margin, a, relations[k], b, 64), TRUTH_UNDECIDED);
        assert_int_equal(enclosure_compare(margin, b, relations[k], a, 64), TRUTH_UNDECIDED);
    }
    long n = test_count(1000);
    for (long i = 0; i < n; i++) {
        random_enclosure(a, low, high, &r);
        random_enclosure(b, low, high, &r);
        relation rel = relations[i % 5];
        truth t = enclosure_compare(margin, a, rel, b, 128);
        enclosure_get_ball(ball, a, 128);
        mag_t more;
        mag_init(more);
        mag_set_ui_2exp_si(more, (ulong)exact_random_integer(&r, 1, 9), -3);
        arb_add_error_mag(ball, more);
        mag_clear(more);
        enclosure_set_ball(wide, ball);
        truth u = enclosure_compare(wider_margin, wide, rel, b, 128);
        assert_case(u == TRUTH_UNDECIDED || u == t, "wide_input", i);
        assert_case(arf_cmp(wider_margin, margin) <= 0, "wide_input", i);
    }
    enclosure_clear(a);
    enclosure_clear(b);
    enclosure_clear(wide);
    fmpq_clear(low);
    fmpq_clear(high);
    arb_clear(ball);
    arf_clear(margin);
    arf_clear(wider_margin);
}

/* Fails if a getter or setter forgets a part, or the ball of a rational misses it. */
static void gets_and_sets(void **state) {
    (void)state;
    enclosure_t a, b;
    fmpq_t q;
    arb_t ball;
    enclosure_init(a);
    enclosure_init(b);
    fmpq_init(q);
    arb_init(ball);
    assert_int_equal(a->type, ENCLOSURE_RATIONAL);
    assert_true(fmpq_is_zero(a->rational));
    set_q(q, "1/3");
    enclosure_set_rational(a, q);
    enclosure_set(b, a);
    enclosure_get_ball(ball, b, 53);
    assert_true(arb_contains_fmpq(ball, q));
    assert_true(arb_rel_accuracy_bits(ball) >= 51);
    assert_true(enclosure_get_double(b) == 1.0 / 3.0);
    enclosure_set_integer(b, -4);
    enclosure_get_ball(ball, b, 53);
    assert_true(arb_equal_si(ball, -4));
    enclosure_set_measured(a, (enclosure_measurement){0.25, 0.125, 1, 10, 3});
    enclosure_set(b, a);
    assert_int_equal(b->type, ENCLOSURE_MEASURED);
    assert_true(enclosure_get_double(b) == 0.25);
    assert_int_equal(b->measured.samples, 10);
    enclosure_get_ball(ball, b, 53);
    set_q(q, "0.125");
    assert_true(arb_contains_fmpq(ball, q));
    set_q(q, "1");
    assert_true(arb_contains_fmpq(ball, q));
    arb_indeterminate(ball);
    enclosure_set_ball(a, ball);
    assert_true(isnan(enclosure_get_double(a)));
    enclosure_clear(a);
    enclosure_clear(b);
    fmpq_clear(q);
    arb_clear(ball);
}

/* Fails if two relations share a symbol, or a text that is none is taken. */
static void names_relations(void **state) {
    (void)state;
    static const char *const symbols[] = {"<", "<=", "=", ">=", ">"};
    relation rel;
    for (int k = 0; k < 5; k++) {
        assert_string_equal(relation_symbol(relations[k]), symbols[k]);
        assert_true(relation_from_symbol(&rel, symbols[k]));
        assert_int_equal(rel, relations[k]);
    }
    static const char *const bad[] = {"", "==", "=>", "=<", "< ", "<<", "!="};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(relation_from_symbol(&rel, bad[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_soundly), cmocka_unit_test(compares_rationals_exactly),
        cmocka_unit_test(touches),          cmocka_unit_test(leaves_open),
        cmocka_unit_test(wide_input),       cmocka_unit_test(gets_and_sets),
        cmocka_unit_test(names_relations),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

/* Decimals that never say more than is known. */
#include "tests/testing.h"
#include "reports/decimal.h"

/* A ball of random size and width, sometimes exact, sometimes across a power of ten. */
static void random_ball(arb_t x, exact_random *r) {
    fmpq_t q;
    fmpq_init(q);
    exact_random_rational(q, r, 1000000);
    arb_set_fmpq(x, q, 30 + (slong)(exact_random_next(r) % 100));
    mag_zero(arb_radref(x));
    if (exact_random_next(r) % 8 == 0)
        arb_set_si(x, 10);
    arb_mul_2exp_si(x, x, (slong)(exact_random_next(r) % 200) - 100);
    if (exact_random_next(r) % 4 != 0) {
        slong e = -(slong)(exact_random_next(r) % 150);
        mag_set_ui_2exp_si(arb_radref(x), exact_random_next(r) % 1000 + 1, e);
    }
    fmpq_clear(q);
}

static void unit_of(fmpq_t unit, slong exponent) { /* 10^exponent */
    decimal d = {1, "1", exponent + 1, 1};
    decimal_value(unit, &d);
}

/* Wrong if a digit is rounded to the wrong side, or by a unit or more. */
static void test_rounding(void **state) {
    (void)state;
    exact_random r = {test_seed("latex rounding")};
    fmpq_t x, shown, unit, gap, zero;
    decimal d;
    fmpq_init(x);
    fmpq_init(shown);
    fmpq_init(unit);
    fmpq_init(gap);
    fmpq_init(zero);
    for (long k = 0; k < test_count(2000); k++) {
        slong digits = 1 + (slong)(exact_random_next(&r) % 20);
        exact_random_rational(x, &r, exact_random_integer(&r, 1, 1000000));
        if (k % 3 == 0)
            fmpq_div_2exp(x, x, exact_random_next(&r) % 200);
        if (k % 50 == 0)
            fmpq_set_si(x, k % 100 ? 999999999 : -999999999, 1000000000);
        if (fmpq_is_zero(x))
            continue;
        for (int mode = 0; mode < 4; mode++) {
            decimal_set(&d, x, digits, (decimal_rounding)mode);
            decimal_value(shown, &d);
            fmpq_sub(gap, x, shown);
            unit_of(unit, d.exponent - digits);
            assert_case((long)strlen(d.digits) <= digits && d.digits[0] != '0', "rounding", k);
            assert_case(d.exact == fmpq_is_zero(gap), "rounding", k);
            if (mode == ROUND_TO_ZERO)
                assert_case(fmpq_sgn(gap) * fmpq_sgn(x) >= 0, "rounding", k);
            else if (mode == ROUND_DOWN)
                assert_case(fmpq_sgn(gap) >= 0, "rounding", k);
            else if (mode == ROUND_UP)
                assert_case(fmpq_sgn(gap) <= 0, "rounding", k);
            fmpq_abs(gap, gap);
            if (mode == ROUND_NEAREST)
                fmpq_mul_2exp(gap, gap, 1);
            assert_case(mode == ROUND_NEAREST ? fmpq_cmp(gap, unit) <= 0 : fmpq_cmp(gap, unit) < 0,
                        "rounding", k);
            /* what is printed is that number */
            text_buffer b;
            text_init(&b);
            decimal_print(&b, &d, DECIMAL_ASCII);
            assert_case(exact_parse_rational(gap, b.data) == NULL && fmpq_equal(gap, shown),
                        "printing", k);
            free(b.data);
        }
    }
    fmpq_clear(x);
    fmpq_clear(shown);
    fmpq_clear(unit);
    fmpq_clear(gap);
    fmpq_clear(zero);
}

/* low <= number <= high as the text says: "d.ddd...", "[a, b]", or exactly. */
static void read_back(fmpq_t low, fmpq_t high, const char *text) {
    char copy[200];
    assert_true(strlen(text) < sizeof copy);
    strcpy(copy, text);
    char *dots = strstr(copy, "...");
    if (copy[0] == '[') {
        char *comma = strchr(copy, ','), *end = strchr(copy, ']');
        assert_true(comma != NULL && end != NULL && end[1] == '\0');
        *comma = *end = '\0';
        set_q(low, copy + 1);
        set_q(high, comma + 2);
    } else if (dots != NULL) { /* away from 0 by less than a unit of the last digit */
        char last[220];
        memmove(dots, dots + 3, strlen(dots + 3) + 1);
        set_q(low, copy);
        strcpy(last, copy);
        char *e = strchr(last, 'e'), *stop = e != NULL ? e : last + strlen(last);
        for (char *p = last; p < stop; p++)
            if (*p >= '0' && *p <= '9')
                *p = p == stop - 1 || (p == stop - 2 && stop[-1] == '.') ? '1' : '0';
        set_q(high, last);
        fmpq_add(high, low, high);
        if (fmpq_sgn(low) < 0)
            fmpq_swap(low, high);
    } else {
        set_q(low, text);
        fmpq_set(high, low);
    }
}

/* The text's interval holds the whole enclosure; certain digits are none that the ball leaves
   open. */
static void test_outwards(void **state) {
    (void)state;
    exact_random r = {test_seed("latex outwards")};
    enclosure_t x;
    arb_t ball;
    fmpq_t low, high, lower, upper;
    long dotted = 0, intervals = 0, exact = 0;
    enclosure_init(x);
    arb_init(ball);
    fmpq_init(low);
    fmpq_init(high);
    fmpq_init(lower);
    fmpq_init(upper);
    for (long k = 0; k < test_count(3000); k++) {
        text_buffer b;
        random_ball(ball, &r);
        enclosure_set_ball(x, ball);
        if (k % 5 == 0) {
            exact_random_rational(lower, &r, 100000);
            enclosure_set_rational(x, lower);
        }
        assert_true(report_enclosure_ends(lower, upper, x));
        text_init(&b);
        report_number_print(&b, x, 3 + k % 10, DECIMAL_ASCII);
        read_back(low, high, b.data);
        if (fmpq_cmp(low, lower) > 0 || fmpq_cmp(upper, high) > 0)
            print_error("%s\n", b.data);
        assert_case(fmpq_cmp(low, lower) <= 0 && fmpq_cmp(upper, high) <= 0, "outwards", k);
        dotted += strstr(b.data, "...") != NULL;
        intervals += b.data[0] == '[';
        exact += b.data[0] != '[' && strstr(b.data, "...") == NULL;
        free(b.data);
    }
    assert_true(dotted > 100 && intervals > 100 && exact > 100);
    enclosure_clear(x);
    arb_clear(ball);
    fmpq_clear(low);
    fmpq_clear(high);
    fmpq_clear(lower);
    fmpq_clear(upper);
}

static void assert_number(const char *wanted, const enclosure_t x, decimal_style style) {
    text_buffer b;
    text_init(&b);
    report_number_print(&b, x, 6, style);
    assert_string_equal(b.data, wanted);
    free(b.data);
}

static void test_number_texts(void **state) {
    (void)state;
    enclosure_t x;
    arb_t ball;
    fmpq_t q;
    static const struct {
        const char *value, *ascii;
    } exact[] = {{"0", "0"},
                 {"85", "85"},
                 {"-7896296018267970", "-7.89629...e15"},
                 {"3/10", "0.3"},
                 {"2/3", "2/3"},
                 {"121/210", "121/210"},
                 {"12345/67891", "0.181835..."},
                 {"-1/30000", "-3.33333...e-5"},
                 {"1e-9", "1e-9"}};
    enclosure_init(x);
    arb_init(ball);
    fmpq_init(q);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        set_q(q, exact[i].value);
        enclosure_set_rational(x, q);
        assert_number(exact[i].ascii, x, DECIMAL_ASCII);
    }
    arb_const_pi(ball, 100);
    enclosure_set_ball(x, ball);
    assert_number("3.14159...", x, DECIMAL_ASCII);
    assert_number("3.14159\\ldots", x, DECIMAL_TEX);
    arb_neg(ball, ball);
    arb_mul_2exp_si(ball, ball, -30);
    enclosure_set_ball(x, ball);
    assert_number("−2.92583…·10⁻⁹", x, DECIMAL_UNICODE);
    /* 3/2 is not known to have the digits 1.50 */
    set_q(q, "1.5");
    arb_set_fmpq(ball, q, 64);
    mag_set_d(arb_radref(ball), 1e-9);
    enclosure_set_ball(x, ball);
    assert_number("[1.49999, 1.50001]", x, DECIMAL_ASCII);
    mag_set_d(arb_radref(ball), 0.04);
    enclosure_set_ball(x, ball);
    assert_number("[1.45, 1.55]", x, DECIMAL_ASCII);
    arb_indeterminate(ball);
    enclosure_set_ball(x, ball);
    assert_number("not finite", x, DECIMAL_ASCII);
    enclosure_measurement m = {0.8199, 0.80291, 0.83693, 1280, 1};
    enclosure_set_measured(x, m);
    assert_number("0.8199\\ [0.80, 0.84]", x, DECIMAL_TEX);
    enclosure_clear(x);
    arb_clear(ball);
    fmpq_clear(q);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rounding),
                                       cmocka_unit_test(test_outwards),
                                       cmocka_unit_test(test_number_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Numbers in and out of text, and the doubles that bound a ball. */
#include "tests/testing.h"
#include "numerics/exact/rounded.h"

#include <float.h>
#include <math.h>

/* Fails if a spelling is misread: sign, point, exponent, fraction, or through a double. */
static void parses_good_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *fraction;
    } cases[] = {
        {"3/10", "3/10"},  {"-1/2", "-1/2"},   {"0.3", "3/10"},     {"1e-8", "1/100000000"},
        {"2.5E3", "2500"}, {"+7", "7"},        {"1.1", "11/10"},    {"0", "0"},
        {"-0", "0"},       {"007", "7"},       {"1e+2", "100"},     {"-2.50", "-5/2"},
        {"6/4", "3/2"},    {"0.1/0.3", "1/3"}, {"1e2/1e3", "1/10"}, {"12.5e-1", "5/4"},
        {"0e100000", "0"}, {"-0.000", "0"}};
    fmpq_t x;
    fmpq_init(x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *reason = exact_parse_rational(x, cases[i].text);
        if (reason != NULL)
            print_error("%s: %s\n", cases[i].text, reason);
        assert_null(reason);
        char *text = exact_fraction(x);
        assert_string_equal(text, cases[i].fraction);
        flint_free(text);
    }
    fmpq_clear(x);
}

/* Fails if a bad text is taken, has no reason, or leaves something behind in the value. */
static void refuses_bad_text(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "abc",
                                      "1/0",
                                      "1/-2",
                                      "0x10",
                                      "1e",
                                      "1..2",
                                      "nan",
                                      "inf",
                                      "1e999999999",
                                      " 1",
                                      "1 ",
                                      "--1",
                                      "1/2/3",
                                      "+-1",
                                      ".",
                                      "-",
                                      "+",
                                      "1/",
                                      "/2",
                                      "1/0.0",
                                      "e5",
                                      "1e+",
                                      "1e-",
                                      "1e5.0",
                                      "1,5",
                                      "1e-999999999",
                                      "1e99999999999999999999999999",
                                      "1/+2",
                                      "1_000",
                                      "\n1",
                                      "1\n",
                                      "1e100001",
                                      "Infinity",
                                      "-inf",
                                      "0/0",
                                      "1/1e999999999"};
    fmpq_t x;
    fmpq_init(x);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fmpq_set_si(x, 5, 7);
        const char *reason = exact_parse_rational(x, bad[i]);
        if (reason == NULL)
            print_error("taken: \"%s\"\n", bad[i]);
        assert_non_null(reason);
        assert_true(strlen(reason) > 0);
        assert_true(fmpq_is_zero(x));
    }
    fmpq_clear(x);
}

/* Fails if the digit limit is missing or off by one, or long strings overrun a buffer. */
static void limits_digits(void **state) {
    (void)state;
    size_t n = 3 * EXACT_MAX_DIGITS;
    char *text = malloc(n + 1);
    assert_non_null(text);
    memset(text, '7', n);
    fmpq_t x;
    fmpz_t want;
    fmpq_init(x);
    fmpz_init(want);
    text[n] = '\0';
    assert_non_null(exact_parse_rational(x, text));
    text[EXACT_MAX_DIGITS + 1] = '\0';
    assert_non_null(exact_parse_rational(x, text));
    text[EXACT_MAX_DIGITS] = '\0';
    assert_null(exact_parse_rational(x, text));
    fmpz_ui_pow_ui(want, 10, EXACT_MAX_DIGITS); /* 77...7 = 7 (10^n - 1)/9 */
    fmpz_sub_ui(want, want, 1);
    fmpz_divexact_ui(want, want, 9);
    fmpz_mul_ui(want, want, 7);
    assert_true(fmpz_equal(want, fmpq_numref(x)));
    assert_true(fmpz_is_one(fmpq_denref(x)));
    text[1] = '.'; /* all but one of them behind the point */
    assert_null(exact_parse_rational(x, text));
    assert_true(fmpq_cmp_si(x, 7) > 0 && fmpq_cmp_si(x, 8) < 0);
    assert_null(exact_parse_rational(x, "1e100000"));
    assert_true(fmpz_sizeinbase(fmpq_numref(x), 10) == 100001);
    assert_null(exact_parse_rational(x, "1e-100000"));
    assert_true(fmpz_sizeinbase(fmpq_denref(x), 10) == 100001);
    /* whatever is taken can be written out and is taken again */
    static const char *const largest[] = {"1e100000", "9e99999/7", "-1e-100000",
                                          "2e50000/1e-50000"};
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        fmpq_t again;
        fmpq_init(again);
        assert_null(exact_parse_rational(x, largest[i]));
        char *fraction = exact_fraction(x);
        assert_null(exact_parse_rational(again, fraction));
        assert_true(fmpq_equal(x, again));
        flint_free(fraction);
        fmpq_clear(again);
    }
    assert_non_null(exact_parse_rational(x, "1e60000/1e-60000"));
    assert_true(fmpq_is_zero(x));
    free(text);
    fmpq_clear(x);
    fmpz_clear(want);
}

/* Fails if fractions pass for whole numbers or big ones are cut to a word. */
static void parses_integers(void **state) {
    (void)state;
    fmpz_t n, want;
    fmpz_init(n);
    fmpz_init(want);
    assert_null(exact_parse_integer(n, "1e6"));
    assert_true(fmpz_equal_si(n, 1000000));
    assert_null(exact_parse_integer(n, "-1000000"));
    assert_true(fmpz_equal_si(n, -1000000));
    assert_null(exact_parse_integer(n, "2.50e1"));
    assert_true(fmpz_equal_si(n, 25));
    assert_null(exact_parse_integer(n, "1e40"));
    fmpz_ui_pow_ui(want, 10, 40);
    assert_true(fmpz_equal(n, want));
    assert_null(exact_parse_integer(n, "10/5"));
    assert_true(fmpz_equal_si(n, 2));
    static const char *const bad[] = {"1.5", "1/2", "1e-1", "", "x", "1e999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fmpz_set_si(n, 9);
        assert_non_null(exact_parse_integer(n, bad[i]));
        assert_true(fmpz_is_zero(n));
    }
    fmpz_clear(n);
    fmpz_clear(want);
}

/* Fails if ties do not go to even, a carry loses its digit, or a notation changes at the wrong
   power of ten. */
static void prints_decimals(void **state) {
    (void)state;
    static const struct {
        const char *x;
        slong digits;
        const char *text;
    } cases[] = {{"1/8", 2, "0.12"},
                 {"3/8", 2, "0.38"},
                 {"5/2", 1, "2"},
                 {"7/2", 1, "4"},
                 {"-5/2", 1, "-2"},
                 {"9.995", 3, "10.0"},
                 {"9.985", 3, "9.98"},
                 {"9.9949", 3, "9.99"},
                 {"99.95", 3, "100"},
                 {"9.5", 1, "10"},
                 {"0.95", 1, "1"},
                 {"0.095", 1, "0.1"},
                 {"-9.995", 3, "-10.0"},
                 {"0", 5, "0"},
                 {"0", 1, "0"},
                 {"1", 5, "1.0000"},
                 {"1/2", 4, "0.5000"},
                 {"10", 2, "10"},
                 {"10", 1, "10"},
                 {"1234", 2, "1200"},
                 {"-1250", 2, "-1200"},
                 {"1350", 2, "1400"},
                 {"1e-6", 3, "0.00000100"},
                 {"1.25e-6", 2, "0.0000012"},
                 {"9e-7", 3, "9.00e-7"},
                 {"9e-7", 1, "9e-7"},
                 {"1e-100", 1, "1e-100"},
                 {"-1.5e-100", 3, "-1.50e-100"},
                 {"1e20", 1, "100000000000000000000"},
                 {"1e21", 1, "1e21"},
                 {"1e21", 21, "1.00000000000000000000e21"},
                 {"1e21", 22, "1000000000000000000000"},
                 {"1e22", 22, "1.000000000000000000000e22"},
                 {"1e22", 3, "1.00e22"},
                 {"1/3", 10, "0.3333333333"},
                 {"2/3", 10, "0.6666666667"},
                 {"1e-8", 2, "1.0e-8"},
                 {"1e1000", 2, "1.0e1000"}};
    fmpq_t x;
    fmpq_init(x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_q(x, cases[i].x);
        char *text = exact_decimal_rational(x, cases[i].digits);
        assert_string_equal(text, cases[i].text);
        flint_free(text);
    }
    fmpq_clear(x);
}

/* value := what a printed decimal says; *lead := the power of ten of its first digit, *last := its
   last significant digit, *count := the digits from the first to the last one that counts. */
static void read_printed(fmpq_t value, slong *lead, int *last, slong digits, const char *text,
                         int *scientific) {
    fmpz_t n, ten;
    fmpz_init(n);
    fmpz_init(ten);
    int negative = *text == '-';
    text += negative;
    slong behind = 0, seen = 0, before = 0;
    int dot = 0;
    *last = 0;
    for (; (*text >= '0' && *text <= '9') || *text == '.'; text++) {
        if (*text == '.') {
            dot = 1;
            continue;
        }
        fmpz_mul_ui(n, n, 10);
        fmpz_add_ui(n, n, (ulong)(*text - '0'));
        behind += dot;
        before += !dot;
        if (seen > 0 || *text != '0') {
            seen++;
            if (seen == 1)
                *lead = dot ? -behind : before; /* mended below for digits before the point */
            if (seen == digits)
                *last = *text - '0';
            else if (seen > digits)
                assert_int_equal(*text, '0'); /* padding up to the point */
        }
    }
    assert_true(seen >= digits);
    if (*lead > 0) /* position of the first digit among those before the point -> power */
        *lead = before - *lead;
    slong exponent = 0;
    *scientific = *text == 'e';
    if (*scientific)
        exponent = strtol(text + 1, NULL, 10);
    else
        assert_int_equal(*text, '\0');
    *lead += exponent;
    fmpq_set_fmpz(value, n);
    exponent -= behind;
    fmpz_ui_pow_ui(ten, 10, (ulong)FLINT_ABS(exponent));
    if (exponent >= 0)
        fmpq_mul_fmpz(value, value, ten);
    else
        fmpq_div_fmpz(value, value, ten);
    if (negative)
        fmpq_neg(value, value);
    fmpz_clear(n);
    fmpz_clear(ten);
}

/* x := random rational times a random power of ten, now and then a tie. */
static void random_decimal(fmpq_t x, exact_random *r) {
    fmpz_t power;
    fmpz_init(power);
    do
        exact_random_rational(x, r, exact_random_integer(r, 0, 1) ? 1000 : 1000000000);
    while (fmpq_is_zero(x));
    if (exact_random_integer(r, 0, 3) == 0)
        fmpz_set_ui(fmpq_denref(x), 8);
    fmpq_canonicalise(x);
    slong e = exact_random_integer(r, -30, 30);
    fmpz_ui_pow_ui(power, 10, (ulong)FLINT_ABS(e));
    if (e >= 0)
        fmpq_mul_fmpz(x, x, power);
    else
        fmpq_div_fmpz(x, x, power);
    fmpz_clear(power);
}

/* Fails if any digit is wrong, a tie is odd, or the notation breaks its own rule. */
static void prints_nearest(void **state) {
    (void)state;
    exact_random r = {test_seed("prints_nearest")};
    fmpq_t x, printed, unit, error, ten;
    fmpq_init(x);
    fmpq_init(printed);
    fmpq_init(unit);
    fmpq_init(error);
    fmpq_init(ten);
    fmpq_set_si(ten, 10, 1);
    long n = test_count(3000);
    for (long i = 0; i < n; i++) {
        random_decimal(x, &r);
        slong digits = exact_random_integer(&r, 1, i % 2 ? 4 : 40), lead = 0;
        int last, scientific;
        char *text = exact_decimal_rational(x, digits);
        read_printed(printed, &lead, &last, digits, text, &scientific);
        fmpq_pow_si(unit, ten, lead - digits + 1);
        fmpq_sub(error, printed, x);
        fmpq_abs(error, error);
        fmpq_mul_2exp(error, error, 1);
        int side = fmpq_cmp(error, unit);
        assert_case(side <= 0, "prints_nearest", i);
        assert_case(side < 0 || last % 2 == 0, "prints_nearest", i);
        assert_case(scientific == (lead < -6 || lead >= FLINT_MAX(digits, 21)), "prints_nearest",
                    i);
        /* and the text reads back as the number that it shows */
        assert_case(exact_parse_rational(error, text) == NULL, "prints_nearest", i);
        assert_case(fmpq_equal(error, printed), "prints_nearest", i);
        flint_free(text);
    }
    fmpq_clear(x);
    fmpq_clear(printed);
    fmpq_clear(unit);
    fmpq_clear(error);
    fmpq_clear(ten);
}

/* Fails if a ball prints digits that it does not know, or refuses those that it does. */
static void prints_balls(void **state) {
    (void)state;
    exact_random r = {test_seed("prints_balls")};
    fmpq_t x;
    arb_t ball;
    mag_t error;
    fmpq_init(x);
    arb_init(ball);
    mag_init(error);
    long n = test_count(1000), shown = 0, kept = 0;
    for (long i = 0; i < n; i++) {
        random_decimal(x, &r);
        slong digits = exact_random_integer(&r, 1, 30);
        arb_set_fmpq(ball, x, 4 * digits + 80);
        char *want = exact_decimal_rational(x, digits), *got = exact_decimal_ball(ball, digits);
        shown += got != NULL;
        assert_case(got == NULL || strcmp(got, want) == 0, "prints_balls", i);
        flint_free(got);
        /* a wider ball shows the same or nothing */
        mag_set_ui_2exp_si(error, 1, arf_abs_bound_lt_2exp_si(arb_midref(ball)) - 3 * digits - 1);
        arb_add_error_mag(ball, error);
        got = exact_decimal_ball(ball, digits);
        kept += got != NULL;
        assert_case(got == NULL || strcmp(got, want) == 0, "prints_balls", i);
        flint_free(got);
        flint_free(want);
    }
    assert_true(shown > n / 2); /* all but ties with a rounding error around them */
    assert_true(kept <= shown);
    fmpq_clear(x);
    arb_clear(ball);
    mag_clear(error);
}

/* Fails if exact balls, balls on a rounding boundary, zero or infinity are mistreated. */
static void prints_special_balls(void **state) {
    (void)state;
    arb_t ball;
    arb_init(ball);
    char *text = exact_decimal_ball(ball, 5); /* exact zero */
    assert_non_null(text);
    assert_string_equal(text, "0");
    flint_free(text);
    arb_set_d(ball, 0.125);
    text = exact_decimal_ball(ball, 2); /* exact tie */
    assert_non_null(text);
    assert_string_equal(text, "0.12");
    flint_free(text);
    arb_set_d(ball, -3.0);
    text = exact_decimal_ball(ball, 4);
    assert_non_null(text);
    assert_string_equal(text, "-3.000");
    flint_free(text);
    arb_set_d(ball, 0.125);
    mag_set_ui_2exp_si(arb_radref(ball), 1, -200);
    assert_null(exact_decimal_ball(ball, 2)); /* straddles the boundary 0.125 */
    text = exact_decimal_ball(ball, 3);
    assert_non_null(text);
    assert_string_equal(text, "0.125");
    flint_free(text);
    arb_zero(ball);
    mag_set_ui_2exp_si(arb_radref(ball), 1, -200);
    assert_null(exact_decimal_ball(ball, 3)); /* contains 0 */
    arb_set_ui(ball, 1);
    mag_set_ui(arb_radref(ball), 1);
    assert_null(exact_decimal_ball(ball, 1)); /* [0, 2] */
    arb_indeterminate(ball);
    assert_null(exact_decimal_ball(ball, 3));
    arb_pos_inf(ball);
    assert_null(exact_decimal_ball(ball, 3));
    arb_zero_pm_inf(ball);
    assert_null(exact_decimal_ball(ball, 3));
    arb_clear(ball);
}

/* Fails if a dyadic number changes on its way to Q, or a ball misses its rational or is wide. */
static void converts_exactly(void **state) {
    (void)state;
    exact_random r = {test_seed("converts_exactly")};
    arf_t a, back;
    fmpq_t q;
    arb_t ball;
    arf_init(a);
    arf_init(back);
    fmpq_init(q);
    arb_init(ball);
    exact_rational_from_arf(q, a);
    assert_true(fmpq_is_zero(q));
    long n = test_count(500);
    for (long i = 0; i < n; i++) {
        slong m = exact_random_integer(&r, -1000000000000, 1000000000000);
        arf_set_si(a, m);
        arf_mul_2exp_si(a, a, exact_random_integer(&r, -300, 300));
        exact_rational_from_arf(q, a);
        arf_fmpz_div_fmpz(back, fmpq_numref(q), fmpq_denref(q), 2000, ARF_RND_NEAR);
        assert_case(arf_equal(a, back), "converts_exactly", i);
        exact_random_rational(q, &r, 1000000);
        slong prec = exact_random_integer(&r, 2, 300);
        exact_ball_from_rational(ball, q, prec);
        assert_case(arb_contains_fmpq(ball, q), "converts_exactly", i);
        assert_case(arb_rel_accuracy_bits(ball) >= prec - 2, "converts_exactly", i);
    }
    arf_clear(a);
    arf_clear(back);
    fmpq_clear(q);
    arb_clear(ball);
}

static void assert_bounds(const arb_t x, long number) {
    arb_t d;
    arb_init(d);
    double low = exact_double_lower(x), high = exact_double_upper(x);
    assert_case(low <= high, "bounds_doubles", number);
    if (isfinite(low)) {
        arb_set_d(d, low);
        assert_case(arb_le(d, x), "bounds_doubles", number);
    } else {
        assert_case(low < 0, "bounds_doubles", number);
    }
    if (isfinite(high)) {
        arb_set_d(d, high);
        assert_case(arb_ge(d, x), "bounds_doubles", number);
    } else {
        assert_case(high > 0, "bounds_doubles", number);
    }
    arb_clear(d);
}

/* Fails if a bound is rounded inwards, also where doubles overflow or underflow, or is loose. */
static void bounds_doubles(void **state) {
    (void)state;
    exact_random r = {test_seed("bounds_doubles")};
    fmpq_t q;
    arb_t x;
    fmpq_init(q);
    arb_init(x);
    long n = test_count(2000);
    for (long i = 0; i < n; i++) {
        exact_random_rational(q, &r, 1000000);
        arb_set_fmpq(x, q, 200);
        slong e = exact_random_integer(&r, -1300, 1300);
        if (i % 2)
            arb_mul_2exp_si(x, x, e);
        assert_bounds(x, i);
        double low = exact_double_lower(x), high = exact_double_upper(x);
        if (i % 2 == 0 && !fmpq_is_zero(q)) { /* neighbours, and the middle is one of them */
            assert_case(high <= nextafter(low, HUGE_VAL), "bounds_doubles", i);
            double mid = exact_double_mid(x);
            assert_case(mid == low || mid == high, "bounds_doubles", i);
        }
        mag_set_ui_2exp_si(arb_radref(x), 3, exact_random_integer(&r, -30, 30));
        assert_bounds(x, i);
        assert_case(exact_double_lower(x) <= low && exact_double_upper(x) >= high, "bounds_doubles",
                    i);
    }
    for (slong e = -1080; e <= 1030; e++) {
        arb_set_ui(x, 3);
        arb_mul_2exp_si(x, x, e);
        assert_bounds(x, e);
        arb_neg(x, x);
        assert_bounds(x, e);
    }
    arb_indeterminate(x);
    assert_true(exact_double_lower(x) == -HUGE_VAL && exact_double_upper(x) == HUGE_VAL);
    assert_true(isnan(exact_double_mid(x)));
    arb_pos_inf(x);
    assert_true(exact_double_lower(x) == -HUGE_VAL && exact_double_upper(x) == HUGE_VAL);
    assert_true(isnan(exact_double_mid(x)));
    fmpq_clear(q);
    arb_clear(x);
}

/* Known nearest doubles, the ends of the range, and against balls everywhere in it. */
static void rounds_to_nearest(void **state) {
    (void)state;
    assert_true(exact_log(10) == 0x1.26bb1bbb55516p+1);
    assert_true(exact_atan2(1, 1) == 0x1.921fb54442d18p-1 && exact_hypot(3, 4) == 5);
    assert_true(exact_log(0) == -HUGE_VAL && isnan(exact_log(-1)));
    assert_true(exact_hypot(0x1p-1074, 0) == 0x1p-1074 && exact_hypot(0x1p1023, 0x1p1023) > 1e308);
    assert_true(exact_atan2(-0.0, -1) == -0x1.921fb54442d18p+1 &&
                exact_sin(0x1p-1074) == 0x1p-1074);
    exact_random r = {test_seed("rounded")};
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    for (long n = 0; n < test_count(2000); n++) {
        double a = (double)exact_random_integer(&r, -700000, 708000) / 1000, b = fabs(a) + 0x1p-30;
        double got[3] = {exact_log(b), exact_sin(a), exact_cos(a)};
        for (int i = 0; i < 3; i++) {
            arb_set_d(x, i == 0 ? b : a);
            (i == 0 ? arb_log : i == 1 ? arb_sin : arb_cos)(x, x, 200);
            assert_case(got[i] == arf_get_d(arb_midref(x), ARF_RND_NEAR), "rounded", n);
        }
        arb_set_d(x, a);
        arb_set_d(y, b - 300);
        arb_atan2(y, y, x, 200);
        assert_case(exact_atan2(b - 300, a) == arf_get_d(arb_midref(y), ARF_RND_NEAR), "atan2", n);
        arb_set_d(y, b);
        arb_hypot(x, x, y, 200);
        assert_case(exact_hypot(a, b) == arf_get_d(arb_midref(x), ARF_RND_NEAR), "hypot", n);
    }
    arb_clear(x);
    arb_clear(y);
}

/* The same inputs whatever compiler: the order of draws is not that of a call's arguments. */
static void draws_in_order(void **state) {
    (void)state;
    exact_random r = {8}, same = {8};
    fmpq_t x;
    fmpq_init(x);
    for (int i = 0; i < 100; i++) {
        exact_random_fraction(x, &r, -5, 7, 10, 1000);
        slong q = exact_random_integer(&same, 10, 1000), p = exact_random_integer(&same, -5, 7);
        assert_true(q >= 10 && q <= 1000 && p >= -5 && p <= 7);
        assert_true(fmpz_cmp_si(fmpq_denref(x), q) <= 0);
        fmpq_mul_si(x, x, q);
        assert_true(fmpq_cmp_si(x, p) == 0);
    }
    fmpq_clear(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_good_text),  cmocka_unit_test(refuses_bad_text),
        cmocka_unit_test(limits_digits),     cmocka_unit_test(parses_integers),
        cmocka_unit_test(prints_decimals),   cmocka_unit_test(prints_nearest),
        cmocka_unit_test(prints_balls),      cmocka_unit_test(prints_special_balls),
        cmocka_unit_test(converts_exactly),  cmocka_unit_test(bounds_doubles),
        cmocka_unit_test(rounds_to_nearest), cmocka_unit_test(draws_in_order),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

/* The ulp counter: signed zero, infinities, NaN, powers of two, denormals, overflow. */
#include "tests/testing.h"

#include <math.h>

#include "numerics/accuracy/arithmetic.h"
#include "numerics/accuracy/ulp.h"

static const array_type types[] = {ARRAY_F64, ARRAY_F32, ARRAY_F16, ARRAY_BF16};
enum { TYPES = sizeof types / sizeof *types };

/* ulp of got against (mantissa + part / 2^10) 2^exponent. */
static double ulp_against(array_type type, double got, long mantissa, long part, long exponent) {
    double error, ulp;
    arb_t x;
    arb_init(x);
    arb_set_si(x, mantissa * 1024 + part);
    arb_mul_2exp_si(x, x, exponent - 10);
    ulp_error(&error, &ulp, type, got, x);
    arb_clear(x);
    return ulp;
}

static void test_zeros(void **state) {
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        assert_true(ulp_against(types[i], -0.0, 0, 0, 0) == 0);
        assert_true(ulp_against(types[i], 0.0, 0, 0, 0) == 0);
        assert_true(isinf(ulp_against(types[i], (double)NAN, 0, 0, 0)));
        assert_true(isinf(ulp_against(types[i], (double)INFINITY, 1, 0, 0)));
        assert_true(isinf(ulp_against(types[i], (double)-INFINITY, 0, 0, 0)));
    }
}

static void test_powers_of_two(void **state) {
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        int bits, least, most;
        assert_true(arithmetic_format(types[i], &bits, &least, &most));
        for (int e = least; e <= most; e += (most - least) / 6) {
            double x = ldexp(1, e), above = x + ldexp(1, e - bits + 1),
                   below = x - ldexp(1, e - bits);
            /* at 2^e the spacing above counts: 1 ulp up, 1/2 down */
            assert_true(ulp_against(types[i], above, 1, 0, e) == 1);
            assert_true(ulp_against(types[i], x, 1, 0, e) == 0);
            if (e == least) /* below it the spacing stays */
                continue;
            assert_true(ulp_against(types[i], below, 1, 0, e) == 0.5);
            /* 2^e against its lower neighbour, whose spacing is half as wide */
            double error, ulp;
            arb_t exact;
            arb_init(exact);
            arb_set_d(exact, below);
            ulp_error(&error, &ulp, types[i], x, exact);
            assert_true(ulp == 1);
            assert_true(error == ldexp(1, e - bits));
            arb_clear(exact);
        }
    }
}

static void test_denormals(void **state) {
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        int bits, least, most;
        arithmetic_format(types[i], &bits, &least, &most);
        int e = least - bits + 1; /* the smallest number is 2^e */
        assert_true(ulp_size(types[i], 0) == ldexp(1, e));
        assert_true(ulp_against(types[i], ldexp(1, e), 1, 0, e) == 0);
        assert_true(ulp_against(types[i], 0, 1, 0, e) == 1);
        assert_true(ulp_against(types[i], 0, 0, 512, e) == 0.5);
        assert_true(ulp_against(types[i], 0, 0, 1, e - 2000) > 0);
        assert_true(ulp_against(types[i], -ldexp(1, e), 1, 0, e) == 2);
        assert_true(ulp_against(types[i], ldexp(3, e), 1, 256, e) == 1.75);
        assert_true(ulp_size(types[i], ldexp(1, least)) == ldexp(1, e));
        assert_true(ulp_size(types[i], ldexp(1, least - 1)) == ldexp(1, e));
        assert_true(ulp_size(types[i], ldexp(1, least + 1)) == ldexp(2, e));
    }
}

static void test_overflow(void **state) {
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        int bits, least, most;
        arithmetic_format(types[i], &bits, &least, &most);
        double greatest = ldexp(2 - ldexp(1, 1 - bits), most), inf = (double)INFINITY;
        /* units of half the last ulp: 2^(bits + 1) - 1 is the threshold, one less is below it */
        long exponent = most - bits;
        double error, ulp;
        arb_t x, step;
        arb_init(x), arb_init(step);
        arb_one(x), arb_mul_2exp_si(x, x, bits + 1);
        arb_sub_ui(x, x, 1, 128);
        arb_mul_2exp_si(x, x, exponent);
        ulp_error(&error, &ulp, types[i], inf, x);
        assert_true(error == 0 && ulp == 0);
        ulp_error(&error, &ulp, types[i], -inf, x);
        assert_true(isinf(error));
        ulp_error(&error, &ulp, types[i], greatest, x);
        assert_true(ulp == 0.5);
        arb_one(step), arb_mul_2exp_si(step, step, exponent - 30);
        arb_sub(x, x, step, 256);
        ulp_error(&error, &ulp, types[i], inf, x);
        assert_true(isinf(error));
        arb_neg(x, x);
        arb_sub(x, x, step, 256);
        ulp_error(&error, &ulp, types[i], -inf, x);
        assert_true(error == 0);
        arb_clear(x), arb_clear(step);
    }
}

/* For numbers rounded to nearest the error is at most half an ulp, and both enclose it. */
static void test_rounding(void **state) {
    (void)state;
    exact_random r = {test_seed("ulp.rounding")};
    for (long n = 0; n < test_count(4000); n++) {
        array_type type = types[exact_random_integer(&r, 0, TYPES - 1)];
        int bits, least, most, spread = 8;
        arithmetic_format(type, &bits, &least, &most);
        double fraction = (double)(exact_random_next(&r) >> 11) * 0x1p-53 - 0.5,
               x = ldexp(fraction, (int)exact_random_integer(&r, least - spread, most - 1)),
               rounded = array_round(type, x), error, ulp;
        arb_t exact;
        arb_init(exact);
        arb_set_d(exact, x);
        ulp_error(&error, &ulp, type, rounded, exact);
        assert_case(ulp <= 0.5 && error == fabs(rounded - x), "ulp.rounding", n);
        /* a ball gives an upper bound */
        mag_set_d(arb_radref(exact), ldexp(1, least - bits));
        double wider;
        ulp_error(&error, &wider, type, rounded, exact);
        assert_case(wider >= ulp, "ulp.rounding", n);
        arb_clear(exact);
    }
}

static void test_bins(void **state) {
    (void)state;
    assert_int_equal(ulp_bin(0), 0);
    assert_int_equal(ulp_bin(0x1p-32), 0);
    assert_int_equal(ulp_bin(0x1.8p-32), 1);
    assert_int_equal(ulp_bin(0.5), 31);
    assert_int_equal(ulp_bin(1), 32);
    assert_int_equal(ulp_bin(nextafter(1, 2)), 33);
    assert_int_equal(ulp_bin(0x1p40), 63);
    assert_int_equal(ulp_bin((double)INFINITY), 63);
    double x[] = {3, 1, (double)INFINITY, 2};
    ulp_sort(x, 4);
    assert_true(ulp_quantile(x, 4, 0.5) == 2 && ulp_quantile(x, 4, 0.75) == 3);
    assert_true(isinf(ulp_quantile(x, 4, 0.99)) && ulp_quantile(x, 0, 0.5) == 0);
}

/* {0,1} against {0,2}: 1/2, which 0/0 does not hide; equal infinities agree; NaN in a reference is an error. */
static void case_relative_error_with_zeros(void **state) {
    (void)state;
    double inf = (double)INFINITY, nan = (double)NAN, largest;
    int64_t at;
    assert_true(ulp_relative_largest(&largest, &at, (double[]){0, 1}, (double[]){0, 2}, 2));
    assert_true(largest == 0.5 && at == 1);
    assert_true(
        ulp_relative_largest(&largest, &at, (double[]){0, inf, -0.0}, (double[]){-0.0, inf, 0}, 3));
    assert_true(largest == 0);
    assert_true(ulp_relative_largest(&largest, &at, (double[]){0, 1}, (double[]){0, 0}, 2));
    assert_true(isinf(largest) && at == 1);
    assert_true(ulp_relative_largest(&largest, &at, (double[]){inf, nan}, (double[]){-inf, 1}, 2));
    assert_true(isinf(largest) && at == 0);
    assert_false(ulp_relative_largest(&largest, &at, (double[]){0, 1}, (double[]){0, nan}, 2));
    assert_int_equal(at, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_denormals),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_bins),
        cmocka_unit_test(case_relative_error_with_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

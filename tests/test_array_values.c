/* Rounding to the 16-bit types, and elements as doubles. */
#include "tests/testing.h"

#include <math.h>

#include "numerics/accuracy/array.h"

typedef struct {
    const char *name;
    int fraction, bias;
    uint16_t (*to)(double);
    double (*from)(uint16_t);
    array_type type;
} narrow_type;

static const narrow_type narrow_types[] = {
    {"float16", 10, 15, array_to_float16, array_from_float16, ARRAY_F16},
    {"bfloat16", 7, 127, array_to_bfloat16, array_from_bfloat16, ARRAY_BF16}};

static uint16_t infinity_bits(const narrow_type *t) {
    return (uint16_t)((2 * t->bias + 1) << t->fraction);
}

/* The value of finite bits, from the definition. */
static double value(const narrow_type *t, uint16_t bits) {
    const int field = (bits & 0x7fff) >> t->fraction, m = bits & ((1 << t->fraction) - 1);
    const double unit = ldexp(1, (field > 0 ? field : 1) - t->bias - t->fraction);
    const double x = unit * (field > 0 ? m + (1 << t->fraction) : m);
    return bits & 0x8000 ? -x : x;
}

/* Fails if one of the 65536 patterns has another value, or does not come back. */
static void every_pattern_is_read_and_comes_back(void **state) {
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        const narrow_type *t = &narrow_types[k];
        for (unsigned b = 0; b < 65536; b++) {
            const uint16_t bits = (uint16_t)b, size = bits & 0x7fff;
            const double x = t->from(bits);
            if (size > infinity_bits(t)) {
                assert_case(isnan(x) && isnan(array_round(t->type, x)), t->name, b);
                assert_case(t->to(x) == (bits | 1 << (t->fraction - 1)), t->name, b);
            } else {
                const double right = size == infinity_bits(t)
                                         ? copysign(INFINITY, bits & 0x8000 ? -1 : 1)
                                         : value(t, bits);
                assert_case(x == right && !signbit(x) == !(bits & 0x8000), t->name, b);
                assert_case(t->to(x) == bits, t->name, b);
            }
        }
    }
}

/* Fails if a double beside a midpoint of two neighbours goes to the wrong one (as it does when it
 * is rounded to float first), or a midpoint not to the even one; overflow counts as a neighbour. */
static void midpoints_and_their_neighbours_are_rounded_once(void **state) {
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        const narrow_type *t = &narrow_types[k];
        for (unsigned b = 0; b < infinity_bits(t); b++) {
            const uint16_t low = (uint16_t)b, high = (uint16_t)(b + 1);
            const double x = value(t, low), y = value(t, high); /* the first beyond: 2^(emax+1) */
            const double middle = x + (y - x) / 2;              /* exact: few bits */
            for (int sign = 0; sign < 2; sign++) {
                const double s = sign ? -1 : 1;
                const uint16_t minus = (uint16_t)(sign << 15);
                const struct {
                    double x;
                    uint16_t bits;
                } cases[] = {{x, low},
                             {nextafter(x, y), low},
                             {nextafter(middle, x), low},
                             {middle, b % 2 == 0 ? low : high},
                             {nextafter(middle, y), high},
                             {nextafter(y, x), high},
                             {y, high}};
                for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                    assert_case(t->to(s * cases[i].x) == (cases[i].bits | minus), t->name,
                                8 * b + i);
                    const double r = array_round(t->type, s * cases[i].x);
                    assert_case(r == s * t->from(cases[i].bits) && !signbit(r) == !sign, t->name,
                                8 * b + i);
                }
            }
        }
    }
}

/* Fails if random doubles of all sizes are not rounded to the nearest of all values. */
static void random_doubles_go_to_the_nearest(void **state) {
    (void)state;
    exact_random random = {test_seed("random_doubles_go_to_the_nearest")};
    for (long i = 0; i < test_count(200000); i++) {
        const narrow_type *t = &narrow_types[i % 2];
        const int reach = t->bias + t->fraction + 4;
        const double fraction = (double)(exact_random_next(&random) >> 12) * 0x1p-52,
                     x = ldexp(1 + fraction, (int)exact_random_integer(&random, -reach, reach));
        const uint16_t bits = t->to(x);
        const double error = fabs(value(t, bits) - x);
        assert_case(bits <= infinity_bits(t), "double", i);
        if (bits < infinity_bits(t))
            assert_case(error <= fabs(value(t, (uint16_t)(bits + 1)) - x), "double", i);
        if (bits > 0)
            assert_case(error <= fabs(value(t, (uint16_t)(bits - 1)) - x), "double", i);
    }
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Fails if rounding truncates instead of going to nearest even, or a NaN whose upper payload is 0
 * becomes an infinity or -0. */
static void case_bfloat16_rounding(void **state) {
    (void)state;
    assert_true(array_round(ARRAY_BF16, 0.2691408770292272) == 0.26953125);
    const uint32_t signalling[] = {0x7f800001, 0xff800001, 0x7f80ffff, 0x7fffffff};
    for (size_t i = 0; i < 4; i++) {
        array a = {.type = ARRAY_F32, .elements = 1, .data = (void *)(uintptr_t)&signalling[i]};
        const double x = array_get(&a, 0);
        assert_true(isnan(x));
        const array_type types[] = {ARRAY_BF16, ARRAY_F16, ARRAY_F32, ARRAY_F64};
        for (size_t k = 0; k < 4; k++)
            assert_true(isnan(array_round(types[k], x)));
        assert_true(isnan(array_from_bfloat16(array_to_bfloat16(x))));
        assert_int_equal(array_to_bfloat16(x) >> 15, signalling[i] >> 31);
    }
    assert_true(isnan(array_from_bfloat16(array_to_bfloat16(from_bits(0x7ff0000000000001)))));
    assert_true(isnan(array_from_float16(array_to_float16(from_bits(0xfff0000000000001)))));
}

/* Fails at the ends of the ranges, where rules are easily missed. */
static void ends_of_the_ranges(void **state) {
    (void)state;
    assert_int_equal(array_to_float16(65504), 0x7bff);
    assert_int_equal(array_to_float16(65519.999999999), 0x7bff);
    assert_int_equal(array_to_float16(65520), 0x7c00);
    assert_int_equal(array_to_float16(-1e300), 0xfc00);
    assert_int_equal(array_to_float16(0x1p-24), 1);
    assert_int_equal(array_to_float16(0x1p-25), 0);
    assert_int_equal(array_to_float16(-0x1.0000000000001p-25), 0x8001);
    assert_int_equal(array_to_float16(0x1.ffffffffffffep-15), 0x0400);
    assert_int_equal(array_to_float16(from_bits(1)), 0);
    assert_int_equal(array_to_float16(-from_bits(1)), 0x8000);
    assert_int_equal(array_to_bfloat16(0x1.fep127), 0x7f7f);
    assert_int_equal(array_to_bfloat16(0x1.ffp127), 0x7f80);
    assert_int_equal(array_to_bfloat16(0x1p-133), 1);
    assert_int_equal(array_to_bfloat16(0x1p-134), 0);
    assert_int_equal(array_to_bfloat16(-0.0), 0x8000);
    /* rounded to float first, this would become the midpoint and then 1 */
    assert_int_equal(array_to_bfloat16(1 + 0x1p-8 + 0x1p-40), 0x3f81);
    assert_int_equal(array_to_float16(1 + 0x1p-11 + 0x1p-40), 0x3c01);
    assert_true(array_round(ARRAY_F32, 1 + 0x1p-24) == 1);
    assert_true(array_round(ARRAY_F32, 1 + 0x1p-24 + 0x1p-52) == 1 + 0x1p-23);
    assert_true(array_round(ARRAY_F32, 1e39) == INFINITY);
    assert_true(array_round(ARRAY_F64, 0.1) == 0.1);
    assert_true(array_round(ARRAY_I64, 0.1) == 0.1);
}

static void types_have_names_and_elements_are_exact(void **state) {
    (void)state;
    for (int t = 0; t < ARRAY_TYPES; t++) {
        array_type back;
        assert_true(array_type_from_name(&back, array_type_name((array_type)t)));
        assert_int_equal(back, t);
    }
    array_type none;
    assert_false(array_type_from_name(&none, "float8"));
    int64_t wide[] = {-((int64_t)1 << 53), INT64_MAX};
    array a = {.type = ARRAY_I64, .elements = 2, .data = wide};
    assert_true(array_get(&a, 0) == -0x1p53 && array_get(&a, 1) == 0x1p63);
    int32_t small[] = {INT32_MIN};
    a = (array){.type = ARRAY_I32, .elements = 1, .data = small};
    assert_true(array_get(&a, 0) == -0x1p31);
    assert_false(array_as_bfloat16(&a));
    uint16_t bits[] = {0x3f80};
    for (int t = ARRAY_U16; t <= ARRAY_V2; t++) {
        a = (array){.type = (array_type)t, .elements = 1, .data = bits};
        assert_true(array_get(&a, 0) == 0x3f80);
        assert_true(array_as_bfloat16(&a));
        assert_true(a.type == ARRAY_BF16 && array_get(&a, 0) == 1);
        assert_false(array_as_bfloat16(&a));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_is_read_and_comes_back),
        cmocka_unit_test(midpoints_and_their_neighbours_are_rounded_once),
        cmocka_unit_test(random_doubles_go_to_the_nearest),
        cmocka_unit_test(case_bfloat16_rounding),
        cmocka_unit_test(ends_of_the_ranges),
        cmocka_unit_test(types_have_names_and_elements_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

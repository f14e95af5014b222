/* Information at a distance: known distributions, a Markov chain, long memory, laws. */
#include "tests/testing.h"
#include "theorems/experiments/texts/mi.h"
#include "theorems/experiments/texts/synthetic.h"

#include <math.h>

static void test_tables_of_known_information(void **state) {
    (void)state;
    const uint32_t equal[] = {50, 0, 0, 50}, independent[] = {25, 25, 25, 25},
                   part[] = {3, 1, 1, 3};
    assert_true(fabs(mi_from_counts(equal, 2, NULL) - 1) < 1e-12);
    assert_true(fabs(mi_from_counts(independent, 2, NULL)) < 1e-12);
    /* 1 - H(1/4) = 1 + (1/4)log2(1/4) + (3/4)log2(3/4) */
    assert_true(fabs(mi_from_counts(part, 2, NULL) - (0.75 * log2(3) - 1)) < 1e-12);
    double miller; /* (4 - 2 - 2 + 1)/(2 N ln 2) less */
    mi_from_counts(part, 2, &miller);
    assert_true(fabs(miller - (0.75 * log2(3) - 1 - 1 / (16 * M_LN2))) < 1e-12);
}

static void test_lags(void **state) {
    (void)state;
    slong lag[100], n = mi_lags(lag, 10000);
    assert_int_equal(n, 32 + 25);
    assert_int_equal(lag[31], 32);
    assert_int_equal(lag[32], 40);
    assert_int_equal(lag[n - 1], 10000);
    assert_int_equal(mi_lags(NULL, 7), 7);
}

/* The estimate lies within 4.5 standard errors of the truth at every lag up to most, and well inside at
   most of them. */
static void expect_curve(const mi_curve *c, double (*truth)(double, double, slong),
                         double parameter, double keep, slong most, const char *name) {
    int wide = 0;
    for (slong i = 0; i < c->lags && c->lag[i] <= most; i++) {
        double off = fabs(c->bits[i] - truth(parameter, keep, c->lag[i])) / c->error[i];
        wide += off > 2.5;
        assert_case(off < 4.5, name, c->lag[i]);
    }
    assert_case(wide <= c->lags / 10, name, wide);
}

static double none(double parameter, double keep, slong lag) {
    (void)parameter, (void)keep, (void)lag;
    return 0;
}

/* Many symbols, few of each pair: the plain estimate is off by hundreds of errors, this one is not. */
static void test_independent_symbols_have_none(void **state) {
    (void)state;
    enum { N = 200000, K = 150 };
    static int32_t x[N];
    exact_random r = {test_seed("independent")};
    for (int i = 0; i < N; i++) {
        slong a = exact_random_integer(&r, 1, K), b = exact_random_integer(&r, 1, K);
        x[i] = (int32_t)FLINT_MIN(a, b) - 1; /* uneven */
    }
    slong lag[100], lags = mi_lags(lag, 2000);
    mi_curve c;
    mi_estimate(&c, x, N, K, lag, lags, 1);
    expect_curve(&c, none, 0, 1, 2000, "independent");
    assert_true(c.excess > 50 * c.error[0]);
    mi_curve_clear(&c);
}

enum { LENGTH = 1 << 20 };
static int32_t sequence[LENGTH];

static void estimate(mi_curve *c, mi_fits *f, slong symbols, slong from) {
    slong lag[100], lags = mi_lags(lag, 10000);
    mi_estimate(c, sequence, LENGTH, symbols, lag, lags, 1);
    assert_true(mi_fit_laws(f, c, from));
}

static void test_a_markov_chain_is_exponential(void **state) {
    (void)state;
    mi_curve c;
    mi_fits f;
    synthetic_markov(sequence, LENGTH, 100, 1, test_seed("markov"));
    estimate(&c, &f, 4, 10);
    expect_curve(&c, synthetic_markov_bits, 100, 1, 10000, "markov");
    assert_true(f.fit[MI_POWER].worse_low > 0);
    assert_true(f.fit[MI_BROKEN].worse > 0);
    /* information falls as the square of the correlation e^(-l/100) */
    assert_true(f.fit[MI_EXPONENTIAL].parameter[1] > 35 && f.fit[MI_EXPONENTIAL].parameter[1] < 65);
    mi_curve_clear(&c);
}

static void test_long_memory_is_a_power_law(void **state) {
    (void)state;
    mi_curve c;
    mi_fits f;
    assert_true(synthetic_long_memory(sequence, LENGTH, 0.3, 0.8, test_seed("long memory")));
    estimate(&c, &f, 2, 10);
    expect_curve(&c, synthetic_long_memory_bits, 0.3, 0.8, 1000, "long memory");
    assert_true(f.fit[MI_EXPONENTIAL].worse_low > 0);
    /* I ~ rho^2 ~ l^(4d-2) = l^-0.8 */
    assert_true(f.fit[MI_POWER].low[1] < 0.8 && f.fit[MI_POWER].high[1] > 0.8);
    assert_true(f.fit[MI_POWER].parameter[1] > 0.6 && f.fit[MI_POWER].parameter[1] < 1);
    mi_curve_clear(&c);
}

/* Each law is found again in its own curve with small errors. */
static void test_laws_find_their_own(void **state) {
    (void)state;
    static const double parameter[MI_LAWS][MI_PARAMETERS] = {
        {1, 0.5}, {1, 300}, {1, 1.5, 0.001}, {1, 30, 0.01}, {0.01, 2, 50, 0.4}, {1, 5, 0.01, 2000}};
    slong lag[100], lags = mi_lags(lag, 10000);
    for (int law = 0; law < MI_LAWS; law++) {
        double bits[100], error[100], left_out[MI_BLOCKS * 100];
        exact_random r = {test_seed("laws")};
        mi_curve c = {lags, lag, bits, NULL, error, left_out, 0};
        mi_fits f;
        for (slong i = 0; i < lags; i++) {
            bits[i] = mi_law_value((mi_law)law, parameter[law], (double)lag[i]);
            error[i] = 0.01 * bits[i] + 1e-7;
        }
        for (int b = 0; b < MI_BLOCKS; b++)
            for (slong i = 0; i < lags; i++)
                left_out[b * lags + i] =
                    bits[i] + 1e-3 * error[i] * (double)exact_random_integer(&r, -100, 100) / 100;
        assert_true(mi_fit_laws(&f, &c, 1));
        assert_case(f.fit[law].misfit < 1e-2, "laws", law);
        for (int i = 0; i < mi_law_parameters((mi_law)law); i++)
            assert_case(law == MI_TWO_EXPONENTIALS /* the two may change places */ ||
                            fabs(f.fit[law].parameter[i] / parameter[law][i] - 1) < 0.05,
                        "laws", law);
        assert_case((int)f.best == law || f.fit[law].worse < 6, "laws",
                    law); /* those with it inside */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_of_known_information),
        cmocka_unit_test(test_lags),
        cmocka_unit_test(test_independent_symbols_have_none),
        cmocka_unit_test(test_a_markov_chain_is_exponential),
        cmocka_unit_test(test_long_memory_is_a_power_law),
        cmocka_unit_test(test_laws_find_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

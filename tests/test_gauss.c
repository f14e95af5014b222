/* Gauss rules: exact on polynomials up to degree 2n-1, and no further. */
#include "tests/testing.h"

#include "numerics/exact/gauss.h"

/* moment[0..n-1] := the moments of w, from their own recurrences:
   Jacobi m_{k+1} = m_k (a+1+k)/(a+b+2+k), Laguerre m_{k+1} = m_k (a+1+k). */
static void moments(fmpq *moment, const gauss_weight_t w, slong n) {
    fmpq_t u, v;
    fmpz_t one;
    fmpq_init(u);
    fmpq_init(v);
    fmpz_init_set_ui(one, 1);
    fmpq_add_fmpz(u, w->a, one);
    fmpq_add(v, u, w->b);
    fmpq_add_fmpz(v, v, one);
    fmpq_one(moment);
    for (slong k = 0; k + 1 < n; k++) {
        fmpq_mul(moment + k + 1, moment + k, u);
        if (w->family == GAUSS_JACOBI)
            fmpq_div(moment + k + 1, moment + k + 1, v);
        fmpq_add_fmpz(u, u, one);
        fmpq_add_fmpz(v, v, one);
    }
    fmpq_clear(u);
    fmpq_clear(v);
    fmpz_clear(one);
}

/* The whole contract of one rule. */
static void check_rule(const gauss_weight_t w, slong n, slong prec, long number) {
    arb_ptr node = _arb_vec_init(n), weight = _arb_vec_init(n), power = _arb_vec_init(n);
    fmpq *moment = _fmpq_vec_init(2 * n + 1);
    fmpq_t norm;
    arb_t sum;
    fmpq_init(norm);
    arb_init(sum);
    assert_case(exact_gauss_rule(node, weight, w, n, prec) == GAUSS_OK, "check_rule", number);
    for (slong i = 0; i < n; i++) {
        assert_case(arb_rel_accuracy_bits(node + i) >= prec - 1, "check_rule", number);
        assert_case(arb_rel_accuracy_bits(weight + i) >= prec - 1, "check_rule", number);
        assert_case(arb_is_positive(node + i) && arb_is_positive(weight + i), "check_rule", number);
        assert_case(i == 0 || arb_lt(node + i - 1, node + i), "check_rule", number);
        arb_set(power + i, weight + i);
    }
    if (w->family == GAUSS_JACOBI) {
        arb_one(sum);
        assert_case(arb_lt(node + n - 1, sum), "check_rule", number);
    }
    moments(moment, w, 2 * n + 1);
    for (slong k = 0; k <= 2 * n; k++) {
        arb_zero(sum);
        for (slong i = 0; i < n; i++) {
            arb_add(sum, sum, power + i, prec + 60);
            arb_mul(power + i, power + i, node + i, prec + 60);
        }
        if (k < 2 * n) {
            assert_case(arb_contains_fmpq(sum, moment + k), "check_rule", number);
            assert_case(arb_rel_accuracy_bits(sum) >= prec - 16, "check_rule", number);
        } else { /* off by exactly h_n */
            assert_case(!arb_contains_fmpq(sum, moment + k), "check_rule", number);
            exact_gauss_norm(norm, w, (ulong)n);
            fmpq_sub(norm, moment + k, norm);
            assert_case(arb_contains_fmpq(sum, norm), "check_rule", number);
        }
    }
    _arb_vec_clear(node, n);
    _arb_vec_clear(weight, n);
    _arb_vec_clear(power, n);
    _fmpq_vec_clear(moment, 2 * n + 1);
    fmpq_clear(norm);
    arb_clear(sum);
}

/* Fails if a node is missing or double, a weight wrong, or the degree of exactness not 2n-1.  At
   2n the rule is off by h_n = (n!)^4/((2n)!^2 (2n+1)) ~ 16^-n: 400 bits show it up to n = 64. */
static void legendre(void **state) {
    (void)state;
    gauss_weight_t w;
    exact_gauss_weight_init(w, GAUSS_JACOBI);
    for (slong n = 1; n <= 64; n++)
        check_rule(w, n, 150 + 4 * n, n);
    exact_gauss_weight_clear(w);
}

/* Fails as above where the weight is singular at an end, or where 0/0 cancels in the recurrence
   (a + b = -1, 0). */
static void jacobi(void **state) {
    (void)state;
    static const char *const ab[][2] = {
        {"1/2", "-1/2"},  {"-1/2", "-1/2"}, {"1/10", "-1/10"}, {"99/100", "-99/100"},
        {"-1/3", "-2/3"}, {"3", "5/2"},     {"-99/100", "0"},  {"-0.999", "-0.999"}};
    gauss_weight_t w;
    exact_gauss_weight_init(w, GAUSS_JACOBI);
    for (size_t i = 0; i < sizeof ab / sizeof *ab; i++) {
        set_q(w->a, ab[i][0]);
        set_q(w->b, ab[i][1]);
        for (slong n = 1; n <= 9; n++)
            check_rule(w, n, 120 + 5 * n, (long)(100 * i) + n);
        check_rule(w, 20, 200, (long)(100 * i) + 20);
    }
    set_q(w->a, "1/2");
    set_q(w->b, "-1/2");
    check_rule(w, 64, 400, 64);
    exact_gauss_weight_clear(w);
}

/* Fails as above on the half line, with small and with large nodes at once. */
static void laguerre(void **state) {
    (void)state;
    static const char *const as[] = {"0", "-1/2", "-9/10", "-0.99", "1/3", "4"};
    gauss_weight_t w;
    exact_gauss_weight_init(w, GAUSS_LAGUERRE);
    for (size_t i = 0; i < sizeof as / sizeof *as; i++) {
        set_q(w->a, as[i]);
        for (slong n = 1; n <= 9; n++)
            check_rule(w, n, 100 + 5 * n, (long)(100 * i) + n);
        check_rule(w, 20, 200, (long)(100 * i) + 20);
    }
    check_rule(w, 64, 300, 64);
    exact_gauss_weight_clear(w);
}

/* Fails if random parameters break what the fixed ones do not. */
static void random_weights(void **state) {
    (void)state;
    exact_random r = {test_seed("random_weights")};
    long count = test_count(40);
    for (long i = 0; i < count; i++) {
        gauss_weight_t w;
        exact_gauss_weight_init(w, i % 2 ? GAUSS_JACOBI : GAUSS_LAGUERRE);
        fmpq_set_si(w->a, exact_random_integer(&r, -49, 100), 50);
        fmpq_set_si(w->b, exact_random_integer(&r, -49, 100), 50);
        fmpq_canonicalise(w->a);
        fmpq_canonicalise(w->b);
        slong n = exact_random_integer(&r, 1, 16);
        check_rule(w, n, 100 + 6 * n, i);
        exact_gauss_weight_clear(w);
    }
}

/* Fails if rules at two precisions exclude each other, or low precision is refused. */
static void overlaps_across_precisions(void **state) {
    (void)state;
    enum { N = 12 };
    static const slong precs[] = {2, 20, 53, 200};
    gauss_weight_t w;
    exact_gauss_weight_init(w, GAUSS_LAGUERRE);
    set_q(w->a, "-1/2");
    arb_ptr node[4], weight[4];
    for (int k = 0; k < 4; k++) {
        node[k] = _arb_vec_init(N);
        weight[k] = _arb_vec_init(N);
        assert_int_equal(exact_gauss_rule(node[k], weight[k], w, N, precs[k]), GAUSS_OK);
        for (int l = 0; l < k; l++)
            for (slong i = 0; i < N; i++) {
                assert_true(arb_overlaps(node[k] + i, node[l] + i));
                assert_true(arb_overlaps(weight[k] + i, weight[l] + i));
            }
    }
    for (int k = 0; k < 4; k++) {
        _arb_vec_clear(node[k], N);
        _arb_vec_clear(weight[k], N);
    }
    exact_gauss_weight_clear(w);
}

/* Fails if a node is off by the last step of its search: where it is tiny, rounding to prec bits
   does not cover that.  The nodes' product is (-1)^n P_n(0). */
static void tiny_nodes(void **state) {
    (void)state;
    static const long depths[] = {20, 60, 200, 1000};
    gauss_weight_t w;
    fmpq_t c, s, p, before;
    arb_t x;
    fmpq_init(c);
    fmpq_init(s);
    fmpq_init(p);
    fmpq_init(before);
    arb_init(x);
    for (long i = 0; i < 40; i++) {
        slong n = 2 + i / 8;
        exact_gauss_weight_init(w, i % 2 ? GAUSS_JACOBI : GAUSS_LAGUERRE);
        fmpq_set_si(w->a, 1, 1);
        fmpq_div_2exp(w->a, w->a, (flint_bitcnt_t)depths[i / 2 % 4]);
        fmpq_sub_si(w->a, w->a, 1);
        fmpq_zero(before);
        fmpq_one(p);
        for (slong k = 0; k < n; k++) { /* -P_{k+1}(0) = centre_k P_k(0) + square_k P_{k-1}(0) */
            exact_gauss_recurrence(c, s, w, (ulong)k);
            fmpq_mul(s, s, before);
            fmpq_set(before, p);
            fmpq_mul(p, p, c);
            fmpq_add(p, p, s);
            fmpq_neg(p, p);
        }
        fmpq_abs(p, p);
        arb_ptr node = _arb_vec_init(n), weight = _arb_vec_init(n);
        for (slong prec = 53; prec <= 212; prec *= 2) {
            assert_case(exact_gauss_rule(node, weight, w, n, prec) == GAUSS_OK, "tiny_nodes", i);
            arb_one(x);
            for (slong k = 0; k < n; k++)
                arb_mul(x, x, node + k, 8000);
            assert_case(arb_contains_fmpq(x, p), "tiny_nodes", i);
            assert_case(arb_rel_accuracy_bits(x) >= prec - 4, "tiny_nodes", i);
        }
        _arb_vec_clear(node, n);
        _arb_vec_clear(weight, n);
        exact_gauss_weight_clear(w);
    }
    fmpq_clear(c);
    fmpq_clear(s);
    fmpq_clear(p);
    fmpq_clear(before);
    arb_clear(x);
}

/* Fails if the recurrence is not that of the moments: int P_k x^l dmu = 0 for l < k,
   h_k for l = k. */
static void recurrence_is_orthogonal(void **state) {
    (void)state;
    exact_random r = {test_seed("recurrence_is_orthogonal")};
    enum { N = 8 };
    long count = test_count(60);
    fmpq_t centre, square, t, norm;
    fmpq_init(centre);
    fmpq_init(square);
    fmpq_init(t);
    fmpq_init(norm);
    fmpq *moment = _fmpq_vec_init(2 * N), *p = _fmpq_vec_init(N + 1),
         *older = _fmpq_vec_init(N + 1), *next = _fmpq_vec_init(N + 1);
    for (long i = 0; i < count; i++) {
        gauss_weight_t w;
        exact_gauss_weight_init(w, i % 2 ? GAUSS_JACOBI : GAUSS_LAGUERRE);
        fmpq_set_si(w->a, exact_random_integer(&r, -9, 20), 10);
        fmpq_set_si(w->b, exact_random_integer(&r, -9, 20), 10);
        fmpq_canonicalise(w->a);
        fmpq_canonicalise(w->b);
        if (i % 5 == 1)
            fmpq_neg(w->b, w->a); /* a + b = 0 */
        if (fmpq_cmp_si(w->b, -1) <= 0)
            fmpq_zero(w->b);
        moments(moment, w, 2 * N);
        for (slong m = 0; m <= N; m++) {
            fmpq_zero(p + m);
            fmpq_zero(older + m);
            fmpq_zero(next + m);
        }
        fmpq_one(p);
        for (slong k = 0; k < N; k++) {
            for (slong l = 0; l <= k; l++) {
                fmpq_zero(t);
                for (slong m = 0; m <= k; m++)
                    fmpq_addmul(t, p + m, moment + m + l);
                exact_gauss_norm(norm, w, (ulong)k);
                assert_case(l < k ? fmpq_is_zero(t) : fmpq_equal(t, norm),
                            "recurrence_is_orthogonal", i);
            }
            exact_gauss_recurrence(centre, square, w, (ulong)k);
            assert_case(k > 0 ? fmpq_sgn(square) > 0 : fmpq_is_zero(square),
                        "recurrence_is_orthogonal", i);
            for (slong m = 0; m <= k + 1; m++) {
                fmpq_zero(next + m);
                if (m > 0)
                    fmpq_set(next + m, p + m - 1);
                fmpq_submul(next + m, centre, p + m);
                fmpq_submul(next + m, square, older + m);
            }
            fmpq *swap = older;
            older = p;
            p = next;
            next = swap;
        }
        exact_gauss_weight_clear(w);
    }
    _fmpq_vec_clear(moment, 2 * N);
    _fmpq_vec_clear(p, N + 1);
    _fmpq_vec_clear(older, N + 1);
    _fmpq_vec_clear(next, N + 1);
    fmpq_clear(centre);
    fmpq_clear(square);
    fmpq_clear(t);
    fmpq_clear(norm);
}

/* Fails if a rule is made up for arguments that have none. */
static void refuses_bad_arguments(void **state) {
    (void)state;
    gauss_weight_t w;
    arb_t node, weight;
    arb_init(node);
    arb_init(weight);
    exact_gauss_weight_init(w, GAUSS_JACOBI);
    assert_int_equal(exact_gauss_rule(node, weight, w, 0, 64), GAUSS_BAD_ARGUMENT);
    assert_int_equal(exact_gauss_rule(node, weight, w, -1, 64), GAUSS_BAD_ARGUMENT);
    assert_int_equal(exact_gauss_rule(node, weight, w, 1, 1), GAUSS_BAD_ARGUMENT);
    assert_int_equal(exact_gauss_rule(node, weight, w, 1, -5), GAUSS_BAD_ARGUMENT);
    set_q(w->a, "-1");
    assert_int_equal(exact_gauss_rule(node, weight, w, 1, 64), GAUSS_BAD_ARGUMENT);
    set_q(w->a, "0");
    set_q(w->b, "-3/2");
    assert_int_equal(exact_gauss_rule(node, weight, w, 1, 64), GAUSS_BAD_ARGUMENT);
    w->family = GAUSS_LAGUERRE; /* b is not used there */
    assert_int_equal(exact_gauss_rule(node, weight, w, 1, 64), GAUSS_OK);
    set_q(w->a, "-1");
    assert_int_equal(exact_gauss_rule(node, weight, w, 1, 64), GAUSS_BAD_ARGUMENT);
    exact_gauss_weight_clear(w);
    arb_clear(node);
    arb_clear(weight);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legendre),
        cmocka_unit_test(jacobi),
        cmocka_unit_test(laguerre),
        cmocka_unit_test(random_weights),
        cmocka_unit_test(overlaps_across_precisions),
        cmocka_unit_test(tiny_nodes),
        cmocka_unit_test(recurrence_is_orthogonal),
        cmocka_unit_test(refuses_bad_arguments),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

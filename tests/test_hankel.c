/* Hankel determinants, the norms behind them, and memories run exactly. */
#include "tests/testing.h"

#include <flint/fmpq_mat.h>

#include "numerics/exact/gl.h"
#include "numerics/exact/hankel.h"
#include "numerics/exact/modes.h"

/* det := the leading minor of size k by FLINT's own determinant. */
static void whole_determinant(fmpq_t det, const fmpq *m, slong k) {
    fmpq_mat_t a;
    fmpq_mat_init(a, k, k);
    for (slong i = 0; i < k; i++)
        for (slong j = 0; j < k; j++)
            fmpq_set(fmpq_mat_entry(a, i, j), m + i + j);
    fmpq_mat_det(det, a);
    fmpq_mat_clear(a);
}

static void check_minors(const fmpq *m, slong n, const char *name, long number) {
    fmpq *det = _fmpq_vec_init(n);
    fmpq_t want;
    fmpq_init(want);
    exact_hankel_minors(det, m, n);
    for (slong k = 0; k < n; k++) {
        whole_determinant(want, m, k + 1);
        assert_case(fmpq_equal(det + k, want), name, number);
    }
    _fmpq_vec_clear(det, n);
    fmpq_clear(want);
}

/* Fails if elimination or its scale is wrong on any sequence at all. */
static void random_sequences(void **state) {
    (void)state;
    exact_random r = {test_seed("random_sequences")};
    fmpq *m = _fmpq_vec_init(19);
    long count = test_count(200);
    for (long i = 0; i < count; i++) {
        slong n = exact_random_integer(&r, 1, i % 10 ? 6 : 10);
        for (slong k = 0; k < 2 * n - 1; k++)
            exact_random_rational(m + k, &r, i % 2 ? 3 : 1000000);
        check_minors(m, n, "random_sequences", i);
    }
    _fmpq_vec_clear(m, 19);
}

/* Fails if a zero pivot ends or falsifies the later minors. */
static void zero_leading_minors(void **state) {
    (void)state;
    exact_random r = {test_seed("zero_leading_minors")};
    enum { N = 7 };
    fmpq *m = _fmpq_vec_init(2 * N - 1), *det = _fmpq_vec_init(N);
    long count = test_count(100);
    for (long i = 0; i < count; i++) {
        slong zeros = exact_random_integer(&r, 1, 2 * N - 1);
        for (slong k = 0; k < 2 * N - 1; k++) {
            if (k < zeros)
                fmpq_zero(m + k);
            else
                exact_random_rational(m + k, &r, 20);
        }
        check_minors(m, N, "zero_leading_minors", i);
        for (slong k = 0; k < 2 * N - 1; k++) /* entries of -1, 0, 1: zeros anywhere */
            fmpq_set_si(m + k, exact_random_integer(&r, -1, 1), 1);
        check_minors(m, N, "zero_leading_minors", i);
    }
    /* 0, 1, 0, ...: minors 0, -1 */
    for (slong k = 0; k < 2 * N - 1; k++)
        fmpq_set_si(m + k, k == 1, 1);
    exact_hankel_minors(det, m, N);
    assert_true(fmpq_is_zero(det) && fmpq_equal_si(det + 1, -1) && fmpq_is_zero(det + 2));
    _fmpq_vec_clear(m, 2 * N - 1);
    _fmpq_vec_clear(det, N);
}

/* Fails if the rank of a mixture of k exponentials is not k: minors beyond k are exactly 0, and the
   k-th is prod c_s prod (x_s - x_t)^2. */
static void mixtures(void **state) {
    (void)state;
    exact_random r = {test_seed("mixtures")};
    enum { N = 7 };
    fmpq *m = _fmpq_vec_init(2 * N), *det = _fmpq_vec_init(N), *norm = _fmpq_vec_init(N),
         *c = _fmpq_vec_init(N), *x = _fmpq_vec_init(N);
    fmpq_t want, t;
    fmpq_init(want);
    fmpq_init(t);
    long count = test_count(100);
    for (long i = 0; i < count; i++) {
        slong k = exact_random_integer(&r, 1, N - 1);
        fmpq_one(want);
        for (slong s = 0; s < k; s++) {
            do
                exact_random_rational(c + s, &r, 9);
            while (fmpq_is_zero(c + s));
            if (i % 2)
                fmpq_abs(c + s, c + s);
            fmpq_set_si(x + s, 3 * s + exact_random_integer(&r, 0, 2), 20); /* distinct */
            fmpq_canonicalise(x + s);
            fmpq_mul(want, want, c + s);
            for (slong u = 0; u < s; u++) {
                fmpq_sub(t, x + s, x + u);
                fmpq_mul(want, want, t);
                fmpq_mul(want, want, t);
            }
        }
        exact_modes_kernel(m, c, x, k, 2 * N);
        check_minors(m, N, "mixtures", i);
        exact_hankel_minors(det, m, N);
        assert_case(fmpq_equal(det + k - 1, want), "mixtures", i);
        for (slong s = k; s < N; s++)
            assert_case(fmpq_is_zero(det + s), "mixtures", i);
        if (i % 2) { /* positive: norms are quotients of minors, then 0 */
            exact_chebyshev_norms(norm, m, N);
            for (slong s = 0; s < N; s++) {
                if (s < k) {
                    assert_case(fmpq_sgn(norm + s) > 0, "mixtures", i);
                    fmpq_mul(t, norm + s, s > 0 ? det + s - 1 : norm + s);
                    if (s > 0)
                        assert_case(fmpq_equal(t, det + s), "mixtures", i);
                } else {
                    assert_case(fmpq_is_zero(norm + s), "mixtures", i);
                }
            }
        }
    }
    _fmpq_vec_clear(m, 2 * N);
    _fmpq_vec_clear(det, N);
    _fmpq_vec_clear(norm, N);
    _fmpq_vec_clear(c, N);
    _fmpq_vec_clear(x, N);
    fmpq_clear(want);
    fmpq_clear(t);
}

/* Fails if the closed norm, Chebyshev's algorithm and the determinants of the weights disagree. */
static void norms_of_weights(void **state) {
    (void)state;
    exact_random r = {test_seed("norms_of_weights")};
    enum { N = 14 };
    fmpq *m = _fmpq_vec_init(2 * N), *det = _fmpq_vec_init(N), *norm = _fmpq_vec_init(N);
    fmpq_t alpha, h, product;
    fmpq_init(alpha);
    fmpq_init(h);
    fmpq_init(product);
    long count = test_count(30);
    for (long i = 0; i < count; i++) {
        slong q = exact_random_integer(&r, 2, i % 2 ? 12 : 1000000);
        fmpq_set_si(alpha, exact_random_integer(&r, 1, q - 1), (ulong)q);
        fmpq_canonicalise(alpha);
        exact_gl_rational_vec(m, alpha, 2 * N);
        exact_chebyshev_norms(norm, m, N);
        exact_hankel_minors(det, m, N);
        fmpq_one(product);
        for (slong k = 0; k < N; k++) {
            exact_hankel_norm(h, alpha, (ulong)k);
            assert_case(fmpq_equal(h, norm + k), "norms_of_weights", i);
            fmpq_mul(product, product, h);
            assert_case(fmpq_equal(product, det + k), "norms_of_weights", i);
        }
    }
    /* alpha = 1/2, m = 1: 2 (1/2)(1/2)/4 = 1/8 */
    fmpq_set_si(alpha, 1, 2);
    exact_hankel_norm(h, alpha, 1);
    fmpq_set_si(product, 1, 8);
    assert_true(fmpq_equal(h, product));
    _fmpq_vec_clear(m, 2 * N);
    _fmpq_vec_clear(det, N);
    _fmpq_vec_clear(norm, N);
    fmpq_clear(alpha);
    fmpq_clear(h);
    fmpq_clear(product);
}

/* Fails if the matrix is transposed, shifted, or cut short: moments against a plain matrix power,
   and against those of the weights (recurrence a = 1/2 - ..., from the Chebyshev norms). */
static void tridiagonal(void **state) {
    (void)state;
    exact_random r = {test_seed("tridiagonal")};
    enum { TERMS = 6, N = 14 };
    fmpq *moment = _fmpq_vec_init(N), *centre = _fmpq_vec_init(TERMS),
         *square = _fmpq_vec_init(TERMS);
    long count = test_count(60);
    for (long i = 0; i < count; i++) {
        slong terms = exact_random_integer(&r, 1, TERMS);
        fmpq_mat_t a, p;
        fmpq_mat_init(a, terms, terms);
        fmpq_mat_init(p, terms, terms);
        for (slong k = 0; k < terms; k++) {
            exact_random_rational(centre + k, &r, 9);
            exact_random_rational(square + k, &r, 9);
            fmpq_set(fmpq_mat_entry(a, k, k), centre + k);
            if (k > 0) {
                fmpq_one(fmpq_mat_entry(a, k - 1, k));
                fmpq_set(fmpq_mat_entry(a, k, k - 1), square + k);
            }
        }
        exact_tridiagonal_moments(moment, centre, square, terms, N);
        fmpq_mat_one(p);
        for (slong j = 0; j < N; j++) {
            assert_case(fmpq_equal(moment + j, fmpq_mat_entry(p, 0, 0)), "tridiagonal", i);
            fmpq_mat_mul(p, p, a);
        }
        if (terms > 1) { /* so many terms give back 2 terms moments, hence their own norms */
            fmpq *norm = _fmpq_vec_init(terms);
            fmpq_t want;
            fmpq_init(want);
            fmpq_one(want);
            exact_chebyshev_norms(norm, moment, terms);
            for (slong k = 0; k < terms; k++) {
                if (k > 0)
                    fmpq_mul(want, want, square + k);
                assert_case(fmpq_equal(norm + k, want), "tridiagonal", i);
                if (fmpq_is_zero(want))
                    break;
            }
            _fmpq_vec_clear(norm, terms);
            fmpq_clear(want);
        }
        fmpq_mat_clear(a);
        fmpq_mat_clear(p);
    }
    _fmpq_vec_clear(moment, N);
    _fmpq_vec_clear(centre, TERMS);
    _fmpq_vec_clear(square, TERMS);
}

static void fill(fmpq *v, slong n, exact_random *r) {
    for (slong i = 0; i < n; i++)
        exact_random_rational(v + i, r, 5);
}

/* Fails if a state is updated after it is read, channels mix, or operations are miscounted. */
static void recurrence_is_convolution(void **state) {
    (void)state;
    exact_random r = {test_seed("recurrence_is_convolution")};
    enum { STEPS = 12, WIDTH = 3, MODES = 4 };
    fmpq *v = _fmpq_vec_init(STEPS * WIDTH), *y = _fmpq_vec_init(STEPS * WIDTH),
         *z = _fmpq_vec_init(STEPS * WIDTH), *c = _fmpq_vec_init(MODES), *x = _fmpq_vec_init(MODES),
         *kernel = _fmpq_vec_init(STEPS);
    fmpq_t want, t;
    fmpq_init(want);
    fmpq_init(t);
    long count = test_count(60);
    for (long i = 0; i < count; i++) {
        slong steps = exact_random_integer(&r, 0, STEPS),
              width = exact_random_integer(&r, 1, WIDTH),
              modes = exact_random_integer(&r, 0, MODES);
        fill(v, STEPS * WIDTH, &r);
        fill(y, STEPS * WIDTH, &r); /* rubble in the output */
        fill(c, MODES, &r);
        fill(x, MODES, &r);
        modes_operations ops = {99, 99};
        exact_modes_recurrence(y, v, c, x, steps, width, modes, &ops);
        assert_case(ops.update == (ulong)(steps * width * modes), "recurrence", i);
        assert_case(ops.read == (ulong)(steps * width * modes), "recurrence", i);
        exact_modes_kernel(kernel, c, x, modes, steps);
        for (slong j = 0; j < steps; j++) {
            fmpq_zero(want);
            for (slong s = 0; s < modes; s++) {
                fmpq_pow_si(t, x + s, j);
                fmpq_addmul(want, c + s, t);
            }
            assert_case(fmpq_equal(kernel + j, want), "recurrence", i);
        }
        exact_modes_convolution(z, v, kernel, steps, width);
        for (slong k = 0; k < steps * width; k++) {
            assert_case(fmpq_equal(y + k, z + k), "recurrence", i);
            fmpq_zero(want); /* and by hand: y_t = sum_j kernel_{t-j} v_j */
            for (slong j = 0; j <= k / width; j++)
                fmpq_addmul(want, kernel + k / width - j, v + j * width + k % width);
            assert_case(fmpq_equal(z + k, want), "recurrence", i);
        }
    }
    _fmpq_vec_clear(v, STEPS * WIDTH);
    _fmpq_vec_clear(y, STEPS * WIDTH);
    _fmpq_vec_clear(z, STEPS * WIDTH);
    _fmpq_vec_clear(c, MODES);
    _fmpq_vec_clear(x, MODES);
    _fmpq_vec_clear(kernel, STEPS);
    fmpq_clear(want);
    fmpq_clear(t);
}

/* Fails if a token decays with the wrong bank, or keys and queries change places. */
static void keyed_is_double_sum(void **state) {
    (void)state;
    exact_random r = {test_seed("keyed_is_double_sum")};
    enum { STEPS = 9, KEYS = 3, WIDTH = 2, BANKS = 3, MODES = 3 };
    fmpq *q = _fmpq_vec_init(STEPS * KEYS), *k = _fmpq_vec_init(STEPS * KEYS),
         *v = _fmpq_vec_init(STEPS * WIDTH), *y = _fmpq_vec_init(STEPS * WIDTH),
         *z = _fmpq_vec_init(STEPS * WIDTH), *c = _fmpq_vec_init(BANKS * MODES),
         *x = _fmpq_vec_init(BANKS * MODES);
    slong bank[STEPS];
    fmpq_t want, t, score;
    fmpq_init(want);
    fmpq_init(t);
    fmpq_init(score);
    long count = test_count(40);
    for (long i = 0; i < count; i++) {
        slong steps = exact_random_integer(&r, 1, STEPS), keys = exact_random_integer(&r, 1, KEYS),
              width = exact_random_integer(&r, 1, WIDTH),
              banks = exact_random_integer(&r, 1, BANKS),
              modes = exact_random_integer(&r, 1, MODES);
        fill(q, STEPS * KEYS, &r);
        fill(k, STEPS * KEYS, &r);
        fill(v, STEPS * WIDTH, &r);
        fill(c, BANKS * MODES, &r);
        fill(x, BANKS * MODES, &r);
        for (slong s = 0; s < steps; s++)
            bank[s] = exact_random_integer(&r, 0, banks - 1);
        modes_operations ops;
        exact_modes_keyed(y, q, k, v, bank, c, x, steps, keys, width, banks, modes, &ops);
        exact_modes_keyed_sum(z, q, k, v, bank, c, x, steps, keys, width, modes);
        ulong each = (ulong)(steps * banks * modes * keys * width);
        assert_case(ops.update == each && ops.read == each, "keyed_is_double_sum", i);
        for (slong s = 0; s < steps * width; s++)
            assert_case(fmpq_equal(y + s, z + s), "keyed_is_double_sum", i);
        /* the last output by hand */
        slong last = steps - 1;
        for (slong w = 0; w < width; w++) {
            fmpq_zero(want);
            for (slong j = 0; j <= last; j++) {
                fmpq_zero(score);
                for (slong a = 0; a < keys; a++)
                    fmpq_addmul(score, q + last * keys + a, k + j * keys + a);
                fmpq_mul(score, score, v + j * width + w);
                for (slong s = 0; s < modes; s++) {
                    fmpq_pow_si(t, x + bank[j] * modes + s, last - j);
                    fmpq_mul(t, t, c + bank[j] * modes + s);
                    fmpq_addmul(want, t, score);
                }
            }
            assert_case(fmpq_equal(y + last * width + w, want), "keyed_is_double_sum", i);
        }
    }
    _fmpq_vec_clear(q, STEPS * KEYS);
    _fmpq_vec_clear(k, STEPS * KEYS);
    _fmpq_vec_clear(v, STEPS * WIDTH);
    _fmpq_vec_clear(y, STEPS * WIDTH);
    _fmpq_vec_clear(z, STEPS * WIDTH);
    _fmpq_vec_clear(c, BANKS * MODES);
    _fmpq_vec_clear(x, BANKS * MODES);
    fmpq_clear(want);
    fmpq_clear(t);
    fmpq_clear(score);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequences),
        cmocka_unit_test(zero_leading_minors),
        cmocka_unit_test(mixtures),
        cmocka_unit_test(norms_of_weights),
        cmocka_unit_test(tridiagonal),
        cmocka_unit_test(recurrence_is_convolution),
        cmocka_unit_test(keyed_is_double_sum),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

/* The weights as a Laplace transform: both quadrature paths against the weights themselves. */
#include "tests/testing.h"

#include "numerics/exact/gl.h"
#include "numerics/exact/laplace.h"

static const char *const orders[] = {"1/2", "1/7", "9/10", "1/3", "99/100", "1/100"};
#define ORDERS ((long)(sizeof orders / sizeof *orders))

/* Fails if either path misses the weight that it integrates to, or is wide. */
static void integrals_are_weights(void **state) {
    (void)state;
    static const ulong indices[] = {0, 1, 2, 7, 50, 1000};
    fmpq_t alpha;
    fmpz_t j;
    arb_t x, y, w;
    fmpq_init(alpha);
    fmpz_init(j);
    arb_init(x);
    arb_init(y);
    arb_init(w);
    for (long a = 0; a < ORDERS; a++)
        for (long k = 0; k < 6; k++) {
            if ((a >= 4 && k % 2) || (a == 5 && k == 0)) /* see long_ranges */
                continue;
            set_q(alpha, orders[a]);
            fmpz_set_ui(j, indices[k]);
            slong prec = k % 2 ? 53 : 80;
            exact_gl_ball(w, alpha, j, 200);
            exact_laplace_integral(x, alpha, indices[k], NULL, prec);
            exact_laplace_integral_sinc(y, alpha, indices[k], prec);
            assert_case(arb_overlaps(x, w), "integrals_are_weights", 10 * a + k);
            assert_case(arb_overlaps(y, w), "integrals_are_weights", 10 * a + k);
            assert_case(arb_rel_accuracy_bits(x) >= prec - 10, "integrals_are_weights", 10 * a + k);
            assert_case(arb_rel_accuracy_bits(y) >= prec - 10, "integrals_are_weights", 10 * a + k);
        }
    fmpq_clear(alpha);
    fmpz_clear(j);
    arb_clear(x);
    arb_clear(y);
    arb_clear(w);
}

/* out := int_0^top by the incomplete Beta function: with x = 1 - e^-lambda it is
   (sin pi alpha/pi) int_0^(1-e^-top) x^-alpha (1-x)^(m+alpha-1) dx. */
static void by_beta(arb_t out, const fmpq_t alpha, ulong m, const arb_t top, slong prec) {
    arb_t a, b, z;
    arb_init(a);
    arb_init(b);
    arb_init(z);
    arb_set_fmpq(b, alpha, prec);
    arb_sub_ui(a, b, 1, prec);
    arb_neg(a, a);
    arb_add_ui(b, b, m, prec);
    arb_neg(z, top);
    arb_expm1(z, z, prec);
    arb_neg(z, z);
    arb_hypgeom_beta_lower(out, a, b, z, 0, prec);
    arb_sin_pi_fmpq(a, alpha, prec);
    arb_mul(out, out, a, prec);
    arb_const_pi(a, prec);
    arb_div(out, out, a, prec);
    arb_clear(a);
    arb_clear(b);
    arb_clear(z);
}

/* Fails if a finite end is mistaken: inside the power series, between, or so far that the rest is
   nothing; also if the end is a ball. */
static void finite_ends(void **state) {
    (void)state;
    exact_random r = {test_seed("finite_ends")};
    fmpq_t alpha, end;
    arb_t top, x, want, wide;
    fmpq_init(alpha);
    fmpq_init(end);
    arb_init(top);
    arb_init(x);
    arb_init(want);
    arb_init(wide);
    long n = test_count(40);
    for (long i = 0; i < n; i++) {
        set_q(alpha, orders[i % 4]);
        ulong m = (ulong)exact_random_integer(&r, 0, i % 3 ? 20 : 0);
        fmpq_set_si(end, exact_random_integer(&r, 1, 1000), 100);
        fmpq_canonicalise(end);
        if (i % 4 == 1)
            fmpq_div_2exp(end, end, 10);
        arb_set_fmpq(top, end, 200);
        slong prec = 64;
        exact_laplace_integral(x, alpha, m, top, prec);
        by_beta(want, alpha, m, top, 200);
        assert_case(arb_overlaps(x, want), "finite_ends", i);
        assert_case(arb_rel_accuracy_bits(x) >= prec - 14, "finite_ends", i);
        /* a wider end contains the narrow one */
        mag_set_ui_2exp_si(arb_radref(top), 1, arf_abs_bound_lt_2exp_si(arb_midref(top)) - 20);
        exact_laplace_integral(wide, alpha, m, top, prec);
        assert_case(arb_overlaps(wide, want), "finite_ends", i);
        for (int end = 0; end < 2; end++) {
            if (end)
                arb_get_ubound_arf(arb_midref(x), top, 64);
            else
                arb_get_lbound_arf(arb_midref(x), top, 64);
            mag_zero(arb_radref(x));
            by_beta(want, alpha, m, x, 200);
            assert_case(arb_overlaps(wide, want), "finite_ends", i);
        }
    }
    for (long i = 0; i < 6; i++) { /* so small that the whole integral is */
        set_q(alpha, orders[i % 3]);
        arb_one(top);
        arb_mul_2exp_si(top, top, i < 3 ? -300 : -2000);
        exact_laplace_integral(x, alpha, 3, top, 64);
        by_beta(want, alpha, 3, top, 200);
        assert_case(arb_overlaps(x, want), "finite_ends", i);
        assert_case(arb_rel_accuracy_bits(x) >= 64 - 14, "finite_ends", i);
    }
    fmpq_clear(alpha);
    fmpq_clear(end);
    arb_clear(top);
    arb_clear(x);
    arb_clear(want);
    arb_clear(wide);
}

/* Fails if [0,s] and the piece from s to t do not make [0,t], or a far end is not infinity: the
   integrand falls, so the piece lies between (t-s) f(t) and (t-s) f(s). */
static void pieces_add_up(void **state) {
    (void)state;
    exact_random r = {test_seed("pieces_add_up")};
    fmpq_t alpha;
    arb_t s, t, x, y, f, length;
    fmpq_init(alpha);
    arb_init(s);
    arb_init(t);
    arb_init(x);
    arb_init(y);
    arb_init(f);
    arb_init(length);
    long n = test_count(20);
    for (long i = 0; i < n; i++) {
        set_q(alpha, orders[i % 4]);
        ulong m = (ulong)exact_random_integer(&r, 0, 8);
        arb_set_si(s, exact_random_integer(&r, 1, 4000));
        arb_mul_2exp_si(s, s, -10);
        arb_set_si(length, exact_random_integer(&r, 1, 500));
        arb_mul_2exp_si(length, length, -10);
        arb_add(t, s, length, 64);
        exact_laplace_integral(x, alpha, m, s, 64);
        exact_laplace_integral(y, alpha, m, t, 64);
        arb_sub(y, y, x, 64);
        for (int end = 0; end < 2; end++) {
            const arb_struct *at = end ? t : s;
            exact_laplace_density(f, alpha, at, 64);
            arb_mul_ui(x, at, m, 64);
            arb_neg(x, x);
            arb_exp(x, x, 64);
            arb_mul(f, f, x, 64);
            arb_mul(f, f, length, 64);
            assert_case(end ? arb_lt(f, y) : arb_lt(y, f), "pieces_add_up", i);
        }
    }
    fmpq_clear(alpha);
    arb_clear(s);
    arb_clear(t);
    arb_clear(x);
    arb_clear(y);
    arb_clear(f);
    arb_clear(length);
}

/* Fails if the integral over thousands of units (m = 0 and a small order) comes out infinite, or a
   far end is not told from infinity. */
static void long_ranges(void **state) {
    (void)state;
    fmpq_t alpha;
    arb_t x, y, t, f;
    fmpq_init(alpha);
    arb_init(x);
    arb_init(y);
    arb_init(t);
    arb_init(f);
    set_q(alpha, "1/100");
    exact_laplace_integral(x, alpha, 0, NULL, 53);
    exact_laplace_integral_sinc(y, alpha, 0, 53);
    assert_true(arb_contains_si(x, 1));
    assert_true(arb_contains_si(y, 1));
    assert_true(arb_rel_accuracy_bits(x) >= 43);
    assert_true(arb_rel_accuracy_bits(y) >= 43);
    /* from 4000 on there is about e^-40 */
    arb_set_ui(t, 4000);
    exact_laplace_integral(y, alpha, 0, t, 53);
    by_beta(f, alpha, 0, t, 300);
    assert_true(arb_overlaps(y, f));
    arb_sub(y, x, y, 64);
    arb_set_d(f, 1e-12);
    assert_true(arb_lt(y, f));
    fmpq_clear(alpha);
    arb_clear(x);
    arb_clear(y);
    arb_clear(t);
    arb_clear(f);
}

/* Fails if the density is not what its integral says: for alpha = 1/2 it is 1/(pi sqrt(e^l - 1))
   with integral (2/pi) atan sqrt(e^top - 1). */
static void density(void **state) {
    (void)state;
    exact_random r = {test_seed("density")};
    fmpq_t alpha, l;
    arb_t lambda, rho, want, pi, wide;
    fmpq_init(alpha);
    fmpq_init(l);
    arb_init(lambda);
    arb_init(rho);
    arb_init(want);
    arb_init(pi);
    arb_init(wide);
    set_q(alpha, "1/2");
    long n = test_count(50);
    for (long i = 0; i < n; i++) {
        slong prec = exact_random_integer(&r, 20, 200);
        fmpq_set_si(l, exact_random_integer(&r, 1, 3000), 300);
        fmpq_canonicalise(l);
        arb_set_fmpq(lambda, l, 300);
        exact_laplace_density(rho, alpha, lambda, prec);
        arb_exp(want, lambda, 300);
        arb_sub_ui(want, want, 1, 300);
        arb_sqrt(want, want, 300);
        arb_const_pi(pi, 300);
        if (i < 12) {
            exact_laplace_integral(wide, alpha, 0, lambda, 64);
            arb_t angle;
            arb_init(angle);
            arb_atan(angle, want, 300);
            arb_mul_2exp_si(angle, angle, 1);
            arb_div(angle, angle, pi, 300);
            assert_case(arb_overlaps(wide, angle), "density", i);
            assert_case(arb_rel_accuracy_bits(wide) >= 50, "density", i);
            arb_clear(angle);
        }
        arb_mul(want, want, pi, 300);
        arb_inv(want, want, 300);
        assert_case(arb_overlaps(rho, want), "density", i);
        assert_case(arb_rel_accuracy_bits(rho) >= prec - 10, "density", i);
        mag_set_ui_2exp_si(arb_radref(lambda), 1, -12);
        exact_laplace_density(wide, alpha, lambda, prec);
        assert_case(arb_overlaps(wide, want), "density", i);
    }
    fmpq_clear(alpha);
    fmpq_clear(l);
    arb_clear(lambda);
    arb_clear(rho);
    arb_clear(want);
    arb_clear(pi);
    arb_clear(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_are_weights),
        cmocka_unit_test(finite_ends),
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(long_ranges),
        cmocka_unit_test(density),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

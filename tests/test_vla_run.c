/* Certified runs of variational linear attention: against Q, against brute force, statuses, singular
   values. */
#include "tests/testing.h"

#include "numerics/exact/vla.h"

static const char *const pythagorean[][2] = {
    {"3/5", "4/5"}, {"-5/13", "12/13"}, {"8/17", "-15/17"}, {"20/29", "21/29"}, {"1", "0"}};

static void set_ball(arb_t x, const fmpq_t q) {
    arb_set_fmpq(x, q, 256);
}

/* u = 0: a = k, everything stays in Q.  Fails if the enclosure misses the exact state or is wide. */
static void exact_delta_rule(void **state) {
    (void)state;
    exact_random r = {test_seed("exact_delta_rule")};
    fmpq_t lambda0, e, v;
    fmpq *s = _fmpq_vec_init(2), *k = _fmpq_vec_init(2);
    arb_ptr key = _arb_vec_init(2), u = _arb_vec_init(2), got = _arb_vec_init(2);
    arb_t value;
    vla_run_t run;
    fmpq_init(lambda0);
    fmpq_init(e);
    fmpq_init(v);
    arb_init(value);
    set_q(lambda0, "1/10");
    assert_int_equal(vla_run_init(run, lambda0, 1, 2, 192), VLA_OK);
    for (long t = 0; t < 40; t++) {
        slong which = exact_random_integer(&r, 0, 4);
        set_q(k, pythagorean[which][0]);
        set_q(k + 1, pythagorean[which][1]);
        exact_random_rational(v, &r, 20);
        set_ball(key, k);
        set_ball(key + 1, k + 1);
        set_ball(value, v);
        assert_int_equal(vla_run_step(run, key, u, value), VLA_OK);
        fmpq_set(e, v);
        fmpq_submul(e, s, k);
        fmpq_submul(e, s + 1, k + 1);
        fmpq_addmul(s, e, k);
        fmpq_addmul(s + 1, e, k + 1);
        vla_run_state(got, run);
        for (slong i = 0; i < 2; i++) {
            assert_case(arb_contains_fmpq(got + i, s + i), "exact_delta_rule", t);
            assert_case(mag_cmp_2exp_si(arb_radref(got + i), -150) < 0, "exact_delta_rule", t);
        }
    }
    vla_run_clear(run);
    fmpq_clear(lambda0);
    fmpq_clear(e);
    fmpq_clear(v);
    _fmpq_vec_clear(s, 2);
    _fmpq_vec_clear(k, 2);
    _arb_vec_clear(key, 2);
    _arb_vec_clear(u, 2);
    _arb_vec_clear(got, 2);
    arb_clear(value);
}

/* u != 0 in Q: the state goes where a rational path says when key = M w and v = |w| + s.k (vla_witness.h).
   Refreshed runs too: then M is inverted back from A + delta I in Q. */
static void exact_paths(void **state) {
    (void)state;
    exact_random r = {test_seed("exact_paths")};
    for (long trial = 0; trial < test_count(20); trial++) {
        enum { STEPS = 12 };
        slong d = 2 + trial % 3;
        fmpq_mat_t m, a;
        fmpq *s = _fmpq_vec_init(d), *w = _fmpq_vec_init(d), *f = _fmpq_vec_init(d);
        fmpq_t lambda0, delta, t;
        arb_ptr key = _arb_vec_init(d), u = _arb_vec_init(d), got = _arb_vec_init(d);
        arb_t v, n;
        vla_run_t run;
        fmpq_mat_init(m, d, d);
        fmpq_mat_init(a, d, d);
        fmpq_init(lambda0);
        fmpq_init(delta);
        fmpq_init(t);
        arb_init(v);
        arb_init(n);
        set_q(lambda0, trial % 2 ? "1/10" : "10");
        set_q(delta, "1/1000");
        assert_int_equal(vla_run_init(run, lambda0, 1, d, 256), VLA_OK);
        for (slong i = 0; i < d; i++)
            fmpq_set(fmpq_mat_entry(m, i, i), lambda0);
        for (slong step = 0; step < STEPS; step++) {
            for (slong i = 0; i < d; i++) { /* u and w short and exact */
                slong x = exact_random_integer(&r, -4, 4);
                arb_set_si(u + i, x);
                arb_mul_2exp_si(u + i, u + i, -2);
                fmpq_set_si(f + i, x, 4);
                fmpq_set_si(w + i, exact_random_integer(&r, -8, 8) * 2 + 1, 16);
            }
            for (slong i = 0; i < d; i++)
                for (slong j = 0; j < d; j++)
                    fmpq_addmul(fmpq_mat_entry(m, i, j), f + i, f + j);
            arb_zero(v);
            arb_zero(n);
            for (slong i = 0; i < d; i++) {
                fmpq_zero(f + i);
                for (slong j = 0; j < d; j++)
                    fmpq_addmul(f + i, fmpq_mat_entry(m, i, j), w + j);
                arb_set_fmpq(key + i, f + i, 256);
                arb_addmul(n, key + i, key + i, 256);
                fmpq_mul(t, s + i, f + i);
                arb_set_fmpq(got, t, 256);
                arb_add(v, v, got, 256);
            }
            arb_rsqrt(n, n, 256);
            arb_mul(v, v, n, 256); /* s.k */
            fmpq_zero(t);
            for (slong i = 0; i < d; i++)
                fmpq_addmul(t, w + i, w + i);
            arb_set_fmpq(n, t, 256);
            arb_sqrt(n, n, 256);
            arb_add(v, v, n, 256);
            assert_int_equal(vla_run_step(run, key, u, v), VLA_OK);
            for (slong i = 0; i < d; i++)
                fmpq_add(s + i, s + i, w + i);
            vla_run_state(got, run);
            for (slong i = 0; i < d; i++) {
                assert_case(arb_contains_fmpq(got + i, s + i), "exact_paths", trial);
                assert_case(mag_cmp_2exp_si(arb_radref(got + i), -180) < 0, "exact_paths", trial);
            }
            if (trial % 4 == 3 && step % 3 == 2) {
                assert_true(fmpq_mat_inv(a, m));
                for (slong i = 0; i < d; i++)
                    fmpq_add(fmpq_mat_entry(a, i, i), fmpq_mat_entry(a, i, i), delta);
                assert_true(fmpq_mat_inv(m, a));
                assert_int_equal(vla_run_refresh(run, delta), VLA_OK);
            }
        }
        vla_run_clear(run);
        fmpq_mat_clear(m);
        fmpq_mat_clear(a);
        _fmpq_vec_clear(s, d);
        _fmpq_vec_clear(w, d);
        _fmpq_vec_clear(f, d);
        fmpq_clear(lambda0);
        fmpq_clear(delta);
        fmpq_clear(t);
        _arb_vec_clear(key, d);
        _arb_vec_clear(u, d);
        _arb_vec_clear(got, d);
        arb_clear(v);
        arb_clear(n);
    }
}

/* Random dense runs against entrywise balls at ten times the precision: contained, not only overlapping, at
   64 bits too; and not wider than it must be. */
static void against_brute(void **state) {
    (void)state;
    exact_random r = {test_seed("against_brute")};
    for (long trial = 0; trial < test_count(24); trial++) {
        slong d = 1 + trial % 5, rows = 1 + trial % 3, steps = 30, prec = trial % 2 ? 64 : 160;
        arb_ptr keys = _arb_vec_init(steps * d), us = _arb_vec_init(steps * d),
                vs = _arb_vec_init(steps * rows), s = _arb_vec_init(rows * d),
                got = _arb_vec_init(rows * d), initial = _arb_vec_init(rows * d);
        fmpq_t lambda0;
        vla_run_t run;
        fmpq_init(lambda0);
        set_q(lambda0, trial % 3 ? "3/7" : "10");
        for (slong i = 0; i < steps * d; i++) {
            arb_set_si(keys + i, exact_random_integer(&r, -1000, 1000) * 2 + 1);
            slong sign = exact_random_integer(&r, -1, 1);
            arb_set_si(us + i, sign * exact_random_integer(&r, 0, 9));
            arb_mul_2exp_si(us + i, us + i, -3);
        }
        for (slong i = 0; i < steps * rows; i++)
            arb_set_si(vs + i, exact_random_integer(&r, -3, 3));
        for (slong i = 0; i < rows * d; i++)
            arb_set_si(initial + i, exact_random_integer(&r, -3, 3));
        assert_int_equal(vla_run_init(run, lambda0, rows, d, prec), VLA_OK);
        assert_int_equal(vla_run_set_state(run, initial), VLA_OK);
        for (slong t = 0; t < steps; t++)
            assert_int_equal(vla_run_step(run, keys + t * d, us + t * d, vs + t * rows), VLA_OK);
        assert_int_equal(vla_brute(s, lambda0, steps, rows, d, keys, us, vs, initial, 1600),
                         VLA_OK);
        vla_run_state(got, run);
        for (slong i = 0; i < rows * d; i++) {
            assert_case(arb_contains(got + i, s + i), "against_brute", trial);
            assert_case(mag_cmp_2exp_si(arb_radref(got + i), 28 - prec) < 0, "against_brute",
                        trial);
        }
        vla_run_clear(run);
        _arb_vec_clear(keys, steps * d);
        _arb_vec_clear(us, steps * d);
        _arb_vec_clear(vs, steps * rows);
        _arb_vec_clear(s, rows * d);
        _arb_vec_clear(got, rows * d);
        _arb_vec_clear(initial, rows * d);
        fmpq_clear(lambda0);
    }
}

/* Wider inputs give enclosures that contain those of narrower ones; a run's sums are what they say. */
static void wider_inputs(void **state) {
    (void)state;
    fmpq_t lambda0;
    arb_ptr key = _arb_vec_init(3), u = _arb_vec_init(3);
    arb_t v, narrow, wide, x;
    vla_run_t a, b;
    exact_random r = {test_seed("wider_inputs")};
    fmpq_init(lambda0);
    arb_init(v);
    arb_init(narrow);
    arb_init(wide);
    arb_init(x);
    set_q(lambda0, "1");
    assert_int_equal(vla_run_init(a, lambda0, 1, 3, 128), VLA_OK);
    assert_int_equal(vla_run_init(b, lambda0, 1, 3, 128), VLA_OK);
    for (slong t = 0; t < 20; t++) {
        for (slong i = 0; i < 3; i++) {
            arb_set_si(key + i, exact_random_integer(&r, 1, 50));
            arb_set_si(u + i, exact_random_integer(&r, 0, 1));
        }
        arb_set_si(v, t % 2 ? 1 : -1);
        assert_int_equal(vla_run_step(a, key, u, v), VLA_OK);
        for (slong i = 0; i < 3; i++) {
            arb_add_error_2exp_si(key + i, -60);
            arb_add_error_2exp_si(u + i, -60);
        }
        assert_int_equal(vla_run_step(b, key, u, v), VLA_OK);
        vla_run_norm(narrow, a);
        vla_run_norm(wide, b);
        assert_true(arb_contains(wide, narrow));
    }
    assert_true(arb_equal_si(a->v_squares, 20));
    assert_int_equal(a->steps, 20);
    /* prod (1 + u^T A u) = det M_T/det M_0, here with u along one axis */
    vla_run_clear(a);
    assert_int_equal(vla_run_init(a, lambda0, 1, 3, 128), VLA_OK);
    _arb_vec_zero(u, 3);
    arb_one(u + 1);
    for (slong t = 0; t < 7; t++)
        assert_int_equal(vla_run_step(a, key, u, v), VLA_OK);
    arb_set_si(x, 8);
    assert_true(arb_overlaps(a->growth, x) && arb_rel_accuracy_bits(a->growth) > 80);
    vla_run_clear(a);
    vla_run_clear(b);
    fmpq_clear(lambda0);
    _arb_vec_clear(key, 3);
    _arb_vec_clear(u, 3);
    arb_clear(v);
    arb_clear(narrow);
    arb_clear(wide);
    arb_clear(x);
}

/* Bad input has a status and leaves the run as it was. */
static void bad_inputs(void **state) {
    (void)state;
    fmpq_t lambda0, q;
    arb_ptr key = _arb_vec_init(2), u = _arb_vec_init(2), before = _arb_vec_init(2),
            after = _arb_vec_init(2);
    arb_t v;
    vla_run_t run;
    fmpq_init(lambda0);
    fmpq_init(q);
    arb_init(v);
    assert_int_equal(vla_run_init(run, lambda0, 1, 2, 128),
                     VLA_BAD_ARGUMENT); /* A would be singular */
    set_q(lambda0, "-1");
    assert_int_equal(vla_run_init(run, lambda0, 1, 2, 128), VLA_BAD_ARGUMENT);
    set_q(lambda0, "1");
    assert_int_equal(vla_run_init(run, lambda0, 0, 2, 128), VLA_BAD_ARGUMENT);
    assert_int_equal(vla_run_init(run, lambda0, 1, 0, 128), VLA_BAD_ARGUMENT);
    assert_int_equal(vla_run_init(run, lambda0, 1, 2, 63), VLA_BAD_ARGUMENT);
    assert_int_equal(vla_run_init(run, lambda0, 1, 2, 128), VLA_OK);
    arb_one(v);
    arb_one(key);
    assert_int_equal(vla_run_step(run, key, u, v), VLA_OK); /* u = 0 is fine */
    vla_run_state(before, run);
    arb_zero(key);
    assert_int_equal(vla_run_step(run, key, u, v), VLA_ZERO_KEY);
    arb_zero_pm_one(key);
    assert_int_equal(vla_run_step(run, key, u, v), VLA_ZERO_KEY); /* may be 0 */
    arb_indeterminate(key);
    assert_int_equal(vla_run_step(run, key, u, v), VLA_BAD_ARGUMENT);
    arb_one(key);
    arb_pos_inf(u);
    assert_int_equal(vla_run_step(run, key, u, v), VLA_BAD_ARGUMENT);
    arb_zero(u);
    arb_indeterminate(v);
    assert_int_equal(vla_run_step(run, key, u, v), VLA_BAD_ARGUMENT);
    set_q(q, "-1/1000");
    assert_int_equal(vla_run_refresh(run, q), VLA_BAD_ARGUMENT);
    vla_run_state(after, run);
    assert_true(arb_equal(before, after) && arb_equal(before + 1, after + 1));
    arb_indeterminate(key);
    assert_int_equal(vla_run_set_state(run, key), VLA_BAD_ARGUMENT);
    arb_one(v);
    arb_one(key);
    arb_set_si(u, 3);
    arb_add_error_2exp_si(u, 3); /* a direction as wide as this leaves nothing of A */
    assert_int_not_equal(vla_run_step(run, key, u, v) + vla_run_step(run, key, u, v), VLA_OK);
    vla_run_clear(run);
    _arb_vec_zero(key, 2);
    assert_int_equal(vla_brute(after, lambda0, 1, 1, 2, key, before, before, NULL, 128),
                     VLA_ZERO_KEY);
    arb_indeterminate(key);
    assert_int_equal(vla_brute(after, lambda0, 1, 1, 2, key, before, before, NULL, 128),
                     VLA_BAD_ARGUMENT);
    fmpq_clear(lambda0);
    fmpq_clear(q);
    _arb_vec_clear(key, 2);
    _arb_vec_clear(u, 2);
    _arb_vec_clear(before, 2);
    _arb_vec_clear(after, 2);
    arb_clear(v);
}

/* The largest singular value, not the spectral radius: nilpotent, rotated, rectangular, known ones. */
static void singular_values(void **state) {
    (void)state;
    static const struct {
        slong rows, dim, entry[9], square; /* square of the norm, 0: not whole */
    } given[] = {{2, 2, {0, 7, 0, 0}, 49},
                 {2, 2, {0, 3, -4, 0}, 16},
                 {2, 2, {3, 4, 0, 0}, 25},
                 {1, 3, {2, 3, 6}, 49},
                 {3, 1, {2, 3, 6}, 49},
                 {3, 3, {5, 0, 0, 0, 5, 0, 0, 0, 5}, 25},
                 {2, 3, {1, 1, 1, 1, 1, 1}, 6},
                 {3, 3, {0, 1, 0, 0, 0, 9, 0, 0, 0}, 81},
                 {3, 3, {1, 0, 0, 0, 2, 0, 0, 0, -8}, 64}};
    arb_ptr s = _arb_vec_init(36);
    arb_t a, b, root;
    arb_init(a);
    arb_init(b);
    arb_init(root);
    for (size_t n = 0; n < sizeof given / sizeof *given; n++) {
        for (slong i = 0; i < given[n].rows * given[n].dim; i++)
            arb_set_si(s + i, given[n].entry[i]);
        vla_norm_trace(a, s, given[n].rows, given[n].dim, 256);
        vla_norm_pivots(b, s, given[n].rows, given[n].dim, 256);
        arb_sqrt_ui(root, (ulong)given[n].square, 256);
        assert_case(arb_overlaps(a, root) && arb_rel_accuracy_bits(a) >= 20, "traces", n);
        assert_case(arb_overlaps(b, root) && arb_rel_accuracy_bits(b) >= 18, "pivots", n);
        arb_mul_ui(root, root, 10001, 256); /* broken: 1 part in 10^4 off */
        arb_div_ui(root, root, 10000, 256);
        assert_case(!arb_overlaps(a, root) && !arb_overlaps(b, root), "both", n);
    }
    exact_random r = {test_seed("singular_values")};
    for (long trial = 0; trial < test_count(20); trial++) { /* the two agree, transposed too */
        slong rows = 1 + trial % 6, dim = 1 + (trial / 2) % 6;
        arb_ptr t = _arb_vec_init(36);
        for (slong i = 0; i < rows * dim; i++) {
            arb_set_si(s + i, exact_random_integer(&r, -99, 99) * 2 + 1);
            arb_set(t + (i % dim) * rows + i / dim, s + i);
        }
        vla_norm_trace(a, s, rows, dim, 256);
        vla_norm_pivots(b, t, dim, rows, 256);
        assert_case(arb_overlaps(a, b) && arb_rel_accuracy_bits(a) >= 20, "agree", trial);
        _arb_vec_clear(t, 36);
    }
    _arb_vec_zero(s, 36);
    vla_norm_trace(a, s, 2, 2, 256);
    vla_norm_pivots(b, s, 2, 2, 256);
    assert_false(arb_is_finite(a) || arb_is_finite(b));
    arb_indeterminate(s);
    vla_norm_trace(a, s, 2, 2, 256);
    vla_norm_pivots(b, s, 2, 2, 256);
    assert_false(arb_is_finite(a) || arb_is_finite(b));
    _arb_vec_clear(s, 36);
    arb_clear(a);
    arb_clear(b);
    arb_clear(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_delta_rule), cmocka_unit_test(exact_paths),
        cmocka_unit_test(against_brute),    cmocka_unit_test(wider_inputs),
        cmocka_unit_test(bad_inputs),       cmocka_unit_test(singular_values)};
    print_message("SEED=%s\n", getenv("SEED") != NULL ? getenv("SEED") : "1");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

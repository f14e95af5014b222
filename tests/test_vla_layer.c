/* The helpers of the claims on VLA: statuses, exact vectors, the layer against inverses by elimination, its
   quantities against the replay, the largest root, drift and recall at points that are known. */
#include "tests/testing.h"
#include "theorems/vla/recall/recall.h"
#include "theorems/vla/sherman_morrison/sherman.h"

#include <math.h>

static uint64_t seed;

/* Fails if a zero or irrational norm passes for a unit vector. */
static void unit_vectors(void **state) {
    (void)state;
    fmpq *x = _fmpq_vec_init(3), *y = _fmpq_vec_init(3);
    fmpq_t s;
    fmpq_init(s);
    assert_int_equal(vla_unit(y, x, 3), LAYER_ZERO_KEY);
    fmpq_set_si(x, 1, 1);
    fmpq_set_si(x + 1, 1, 1);
    assert_int_equal(vla_unit(y, x, 3), LAYER_IRRATIONAL);
    fmpq_set_si(x, 1, 3);
    fmpq_set_si(x + 1, 2, 3);
    fmpq_set_si(x + 2, 2, 3);
    assert_int_equal(vla_unit(y, x, 3), LAYER_OK);
    assert_true(fmpq_equal(y + 1, x + 1));
    exact_random r = {seed};
    for (long n = 0; n < test_count(50); n++) {
        vla_random_unit(x, &r, 3, 7);
        vla_dot(s, x, x, 3);
        assert_case(fmpq_is_one(s), "unit", n);
        fmpq_mat_t q, t;
        fmpq_mat_init(q, 4, 4);
        fmpq_mat_init(t, 4, 4);
        vla_random_frame(q, &r, 7);
        fmpq_mat_transpose(t, q);
        fmpq_mat_mul(t, t, q);
        assert_case(fmpq_mat_is_one(t), "frame", n);
        fmpq_mat_clear(q);
        fmpq_mat_clear(t);
    }
    for (int i = LAYER_OK; i <= LAYER_BAD_SIZE; i++)
        assert_true(strlen(layer_status_text((layer_status)i)) > 0);
    fmpq_clear(s);
    _fmpq_vec_clear(x, 3);
    _fmpq_vec_clear(y, 3);
}

/* Fails if the update is another one, or a pivot of 0 is divided by. */
static void layer_statuses(void **state) {
    (void)state;
    vla_layer_t l;
    fmpq_t lambda0, factor;
    fmpq *u = _fmpq_vec_init(2);
    fmpq_init(lambda0);
    fmpq_init(factor);
    fmpq_set_si(lambda0, 1, 2);
    vla_layer_init(l, 2, 1, lambda0);
    assert_int_equal(vla_layer_direct(l, u), LAYER_ZERO_KEY); /* k = 0 */
    fmpq_one(factor);
    assert_int_equal(vla_layer_absorb(l, u, factor), LAYER_OK); /* u = 0 */
    assert_true(fmpq_equal_si(fmpq_mat_entry(l->inverse, 0, 0), 2));
    fmpq_one(u);
    fmpq_set_si(factor, -1, 2);
    assert_int_equal(vla_layer_absorb(l, u, factor), LAYER_SINGULAR); /* M would be singular */
    assert_true(fmpq_equal_si(fmpq_mat_entry(l->inverse, 0, 0), 2));
    fmpq_one(u + 1);
    assert_int_equal(vla_layer_direct(l, u), LAYER_IRRATIONAL);
    vla_layer_clear(l);
    exact_random r = {seed};
    for (long n = 0; n < test_count(10); n++) {
        fmpq_mat_t m;
        fmpq_mat_init(m, 2, 2);
        vla_layer_init(l, 2, 1, lambda0);
        for (int i = 0; i < 2; i++)
            fmpq_set(fmpq_mat_entry(m, i, i), lambda0);
        for (int t = 0; t < 3; t++) {
            fmpq_set_si(factor, 1, 3);
            for (int i = 0; i < 2; i++)
                exact_random_rational(u + i, &r, 5);
            assert_int_equal(vla_layer_absorb(l, u, factor), LAYER_OK);
            for (int i = 0; i < 4; i++) {
                fmpq_t q;
                fmpq_init(q);
                fmpq_mul(q, u + i / 2, u + i % 2);
                fmpq_addmul(fmpq_mat_entry(m, i / 2, i % 2), q, factor);
                fmpq_clear(q);
            }
        }
        assert_true(fmpq_mat_inv(m, m));
        assert_case(fmpq_mat_equal(m, l->inverse), "inverse", n);
        fmpq_mat_clear(m);
        vla_layer_clear(l);
    }
    fmpq_clear(lambda0);
    fmpq_clear(factor);
    _fmpq_vec_clear(u, 2);
}

static int root_of(arb_t root, const char *text, slong bits) {
    fmpq_poly_t p;
    fmpq_poly_init(p);
    assert_int_equal(fmpq_poly_set_str(p, text), 0);
    int found = vla_largest_root(root, p, bits);
    fmpq_poly_clear(p);
    return found;
}

/* Fails if a double root is missed, a complex one is found, or the enclosure is wide or elsewhere. */
static void largest_roots(void **state) {
    (void)state;
    arb_t root, want;
    arb_init(root);
    arb_init(want);
    assert_false(root_of(root, "0", 64));
    assert_false(root_of(root, "1  5", 64));
    assert_false(root_of(root, "3  1 0 1", 64)); /* x^2+1 */
    assert_true(root_of(root, "3  -2 0 1", 200));
    arb_sqrt_ui(want, 2, 300);
    assert_true(arb_overlaps(root, want) && arb_rel_accuracy_bits(root) >= 195);
    assert_true(root_of(root, "4  -9 15 -7 1", 80)); /* (x-1)(x-3)^2: equal top values */
    assert_true(arb_contains_si(root, 3) && arb_rel_accuracy_bits(root) >= 75);
    assert_true(root_of(root, "2  7 1", 80));
    assert_true(arb_contains_si(root, -7));
    assert_true(root_of(root, "4  0 1 0 1", 80)); /* x^3+x: 0 */
    assert_true(arb_contains_si(root, 0));
    arb_set_si(want, 1);
    vla_norm_squared(root, want, 128);
    assert_true(arb_equal_si(root, 1));
    arb_set_si(want, -1);
    vla_norm_squared(root, want, 128);
    assert_true(arb_equal_si(root, 4));
    arb_indeterminate(want);
    vla_norm_squared(root, want, 128); /* NaN in, NaN out */
    assert_false(arb_is_finite(root));
    arb_clear(root);
    arb_clear(want);
}

/* Spectral radius 1 and a norm of nearly the golden ratio: the norm must not be taken for the radius. */
static void norm_is_not_radius(void **state) {
    (void)state;
    fmpq *a = _fmpq_vec_init(3), *k = _fmpq_vec_init(3);
    fmpq_mat_t gram;
    fmpq_poly_t p;
    arb_t root, want;
    arb_init(root);
    arb_init(want);
    fmpq_poly_init(p);
    fmpq_mat_init(gram, 3, 3);
    fmpq_one(a);
    fmpq_one(k + 1);
    vla_jacobian_gram(gram, a, k);
    fmpq_mat_charpoly(p, gram);
    assert_true(vla_largest_root(root, p, 100));
    arb_sqrt_ui(want, 5, 128); /* (3+sqrt 5)/2 */
    arb_add_si(want, want, 3, 128);
    arb_mul_2exp_si(want, want, -1);
    assert_true(arb_overlaps(root, want));
    fmpq_zero(k + 1), fmpq_one(k); /* a = k: top value 1, twice */
    vla_jacobian_gram(gram, a, k);
    fmpq_mat_charpoly(p, gram);
    assert_true(vla_largest_root(root, p, 100) && arb_contains_si(root, 1));
    _fmpq_vec_clear(a, 3);
    _fmpq_vec_clear(k, 3);
    fmpq_mat_clear(gram);
    fmpq_poly_clear(p);
    arb_clear(root);
    arb_clear(want);
}

static layer_status status_of(const vla_inputs *in) {
    vla_case_t c;
    fmpq_t q;
    fmpq_init(q);
    layer_status status = vla_case_init(c, in);
    if (status == LAYER_OK)
        status = vla_recall_error(q, c);
    vla_case_clear(c);
    fmpq_clear(q);
    return status;
}

/* Fails if inputs that are no numbers, zero keys or wrong lengths reach a verdict. */
static void case_statuses(void **state) {
    (void)state;
    static const struct {
        vla_inputs in;
        layer_status want;
    } list[] = {
        {{2, 1, 1, "1", "3 4", "3 4", "1", NULL, NULL, 0}, LAYER_OK},
        {{2, 1, 1, "1", "3 4", "0 0", "1", NULL, NULL, 0}, LAYER_OK}, /* u = 0 */
        {{2, 1, 1, "0", "3 4", "3 4", "1", NULL, NULL, 0}, LAYER_SINGULAR},
        {{2, 1, 1, "1", "0 0", "3 4", "1", NULL, NULL, 0}, LAYER_ZERO_KEY},
        {{2, 1, 1, "1", "1 1", "3 4", "1", NULL, NULL, 0}, LAYER_IRRATIONAL},
        {{2, 1, 1, "1", "3 4", "1 0", "1", NULL, NULL, 0}, LAYER_IRRATIONAL}, /* |A k| */
        {{2, 1, 1, "1", "nan 4", "3 4", "1", NULL, NULL, 0}, LAYER_NOT_FINITE},
        {{2, 1, 1, "inf", "3 4", "3 4", "1", NULL, NULL, 0}, LAYER_NOT_FINITE},
        {{2, 1, 1, "1", "3", "3 4", "1", NULL, NULL, 0}, LAYER_BAD_SIZE},
        {{2, 1, 1, "1", "3 4", "3 4 5", "1", NULL, NULL, 0}, LAYER_BAD_SIZE},
        {{2, 1, 1, "1", "3 4", "3 4", "", NULL, NULL, 0}, LAYER_BAD_SIZE},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        assert_case(status_of(&list[i].in) == list[i].want, "case", i);
        vla_published p = {&list[i].in,      "label",     "test", "vla-recall",
                           vla_recall_error, RELATION_LE, "0"};
        check_context ctx;
        check_context_init(&ctx);
        ctx.prec = 64;
        vla_check_published(&ctx, &p);
        assert_case(ctx.outcome == (list[i].want == LAYER_OK ? TRUTH_HOLDS : TRUTH_UNDECIDED),
                    "check", i);
        check_context_clear(&ctx);
    }
}

/* Fails if recurrences and replay disagree where they are known to differ in path: vla_check_published
   itself compares them; a quantity under another's name must leave everything undecided. */
static void paths_are_compared(void **state) {
    (void)state;
    static const vla_inputs in = {
        4, 1, 2, "1/10", "1 4 4 4 2 2 3 8", "0 0 0 1 0 0 0 1", "1 1", "-8 -8 -12 51", "1/7", 1};
    static const struct {
        const char *kind;
        vla_quantity quantity;
    } list[] = {{"vla-jacobians", vla_product},       {"vla-excess", vla_excess},
                {"vla-recall", vla_recall_error},     {"vla-overlap", vla_overlap},
                {"vla-contraction", vla_contraction}, {"vla-refresh", vla_refresh_gap}};
    for (int r = 0; r < 2; r++)
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 6; j++) {
                vla_inputs inputs = in;
                if (r == 0)
                    inputs.refresh = NULL;
                if (r == 1 && (i < 4 || j < 4)) /* |A k| is irrational after the refresh */
                    continue;
                if (r == 0 && (i == 5 || j == 5)) /* 0, as others may be */
                    continue;
                vla_published p = {&inputs,          "label",     "test",   list[j].kind,
                                   list[i].quantity, RELATION_LE, "1000000"};
                check_context ctx;
                check_context_init(&ctx);
                ctx.prec = 64;
                vla_check_published(&ctx, &p);
                assert_case(ctx.outcome == (i == j ? TRUTH_HOLDS : TRUTH_UNDECIDED), "paths",
                            10 * i + j);
                check_context_clear(&ctx);
            }
}

/* Fails if the reference is no inverse, a state that is exact has an error, or NaN gets one. */
static void drift(void **state) {
    (void)state;
    enum { COUNT = 40 };
    float u[COUNT * DRIFT_WIDTH];
    exact_random r = {seed};
    arb_mat_t exact;
    drift_state s;
    drift_result x;
    arb_mat_init(exact, DRIFT_WIDTH, DRIFT_WIDTH);
    drift_result_init(&x);
    drift_draw(u, DRIFT_DRAWN, COUNT, &r);
    for (int i = 0; i < COUNT * DRIFT_WIDTH; i++)
        assert_true(u[i] * 4096 == rintf(u[i] * 4096));
    assert_int_equal(drift_reference(exact, u, 0, 128), LAYER_OK);
    assert_true(arb_contains_si(arb_mat_entry(exact, 3, 3), 8));
    for (int form = 0; form < DRIFT_FORMS; form++)
        for (int wide = 0; wide < 2; wide++) {
            drift_start(&s, (drift_form)form, wide);
            assert_int_equal(drift_reference(exact, u, COUNT, 128), LAYER_OK);
            drift_advance(&s, u, COUNT);
            assert_int_equal(drift_compare(&x, &s, exact, 128), LAYER_OK);
            double error = arf_get_d(arb_midref(x.error), ARF_RND_NEAR);
            assert_case(error < (wide ? 1e-13 : 1e-5) && error > (wide ? 1e-18 : 1e-10), "drift",
                        form);
            assert_true(x.definite);
            s.state[5] = NAN;
            assert_int_equal(drift_compare(&x, &s, exact, 128), LAYER_NOT_FINITE);
        }
    drift_start(&s, DRIFT_SYMMETRIC, 1); /* I/lambda0 is exact */
    drift_reference(exact, u, 0, 128);
    assert_int_equal(drift_compare(&x, &s, exact, 128), LAYER_OK);
    assert_true(arb_contains_zero(x.error) && arf_cmp_d(arb_midref(x.error), 1e-30) < 0);
    s.state[0] = -s.state[0];
    drift_compare(&x, &s, exact, 128);
    assert_false(x.definite);
    arb_mat_clear(exact);
    drift_result_clear(&x);
}

/* Fails if orthonormal keys are not recalled by any of the memories, a trial depends on anything but its
   seed, or intervals do not hold their estimate. */
static void recall(void **state) {
    (void)state;
    for (int memory = 0; memory < RECALL_MEMORIES; memory++) {
        recall_setup p = {(recall_memory)memory, PENALTY_ALONG_KEY, KEYS_ORTHONORMAL, FILLER_NONE,
                          RECALL_WIDTH,          RECALL_WIDTH,      RECALL_WIDTH,     0.1};
        exact_random r = {seed};
        recall_result x = recall_trial(&p, &r);
        assert_case(x.recalled == 1 && x.error < 1e-20, "orthonormal", memory);
        p.keys = KEYS_RANDOM;
        enclosure_measurement a[2], b[2];
        recall_measure(a, &p, 5, seed);
        recall_measure(b, &p, 5, seed);
        for (int i = 0; i < 2; i++) {
            assert_true(a[i].estimate == b[i].estimate);
            assert_true(a[i].lower <= a[i].estimate && a[i].estimate <= a[i].upper);
            assert_true(a[i].samples == 5 && a[i].seed == seed);
        }
    }
}

int main(void) {
    seed = test_seed("vla-layer");
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unit_vectors),  cmocka_unit_test(layer_statuses),
        cmocka_unit_test(largest_roots), cmocka_unit_test(norm_is_not_radius),
        cmocka_unit_test(case_statuses), cmocka_unit_test(paths_are_compared),
        cmocka_unit_test(drift),         cmocka_unit_test(recall)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

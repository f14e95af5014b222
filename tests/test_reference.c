/* The certified references against each other and against the definition in rationals; their statuses; the bounds' parts. */
#include "tests/kernels.h"

static const reference_options balls = {.path = REFERENCE_BALLS};

static void whole_numbers(float *x, int64_t n, exact_random *r) {
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)exact_random_integer(r, -4, 4);
}

/* Linear attention on small whole numbers: the double sum in integers; balls are exact, and double-doubles contain it. */
static void linear_in_integers(void **state) {
    (void)state;
    exact_random r = {test_seed("reference.integers")};
    enum { T = 9, DK = 3, DV = 2 };
    float q[T * DK], k[T * DK], v[T * DV];
    _Alignas(8) float in[DK * DV];
    for (long number = 0; number < test_count(20); number++) {
        whole_numbers(q, T * DK, &r), whole_numbers(k, T * DK, &r), whole_numbers(v, T * DV, &r);
        whole_numbers(in, DK * DV, &r);
        mn_args a = {.kernel = MN_LINEAR,
                     .batch = 1,
                     .time = T,
                     .heads = 1,
                     .dk = DK,
                     .dv = DV,
                     .q = {q},
                     .k = {k},
                     .v = {v},
                     .scale = 0.5f,
                     .state_in = in};
        reference_t x, y;
        arb_t want;
        reference_init(x), reference_init(y), arb_init(want);
        assert_int_equal(reference_attention_with(x, &a, &balls), REFERENCE_OK);
        assert_int_equal(reference_attention(y, &a), REFERENCE_OK);
        for (int t = 0; t < T; t++)
            for (int j = 0; j < DV; j++) {
                float sum = 0;
                for (int p = 0; p < DK; p++) {
                    float s = in[p * DV + j];
                    for (int i = 0; i <= t; i++)
                        s += k[i * DK + p] * v[i * DV + j];
                    sum += q[t * DK + p] * s;
                    if (t == T - 1)
                        assert_true(arb_is_exact(x->state + p * DV + j) &&
                                    exact_double_mid(x->state + p * DV + j) == (double)s);
                }
                assert_case(arb_is_exact(x->o + t * DV + j) &&
                                exact_double_mid(x->o + t * DV + j) == 0.5 * (double)sum,
                            "reference.integers", number);
                arb_set_d(want, 0.5 * (double)sum);
                assert_case(arb_contains(y->o + t * DV + j, want), "reference.integers", number);
            }
        reference_clear(x), reference_clear(y), arb_clear(want);
    }
}

static void assert_holds(const arb_t x, double want) {
    arb_t y;
    arb_init(y);
    arb_set_d(y, want);
    assert_true(arb_contains(x, y));
    arb_sub(y, y, x, 200);
    assert_true(fabs(exact_double_upper(y)) < 1e-18);
    arb_clear(y);
}

/* The delta rule and VLA on two tokens, worked out by hand. */
static void two_tokens(void **state) {
    (void)state;
    float k[] = {1, 0, 0.5f, 0.5f}, q[] = {1, 0, 1, 1}, v[] = {1, 2}, u[] = {0, 0, 0, 0},
          beta[] = {0.5f, 1};
    mn_args a = {.kernel = MN_DELTA,
                 .batch = 1,
                 .time = 2,
                 .heads = 1,
                 .dk = 2,
                 .dv = 1,
                 .q = {q},
                 .k = {k},
                 .v = {v},
                 .beta = {beta},
                 .scale = 1};
    reference_t x;
    reference_init(x);
    assert_int_equal(reference_attention(x, &a), REFERENCE_OK);
    /* S_1 = (1/2, 0); e_2 = 2 - 1/4 = 7/4, S_2 = (1/2 + 7/8, 7/8) */
    assert_holds(x->o, 0.5), assert_holds(x->o + 1, 2.25);
    assert_holds(x->state, 1.375), assert_holds(x->state + 1, 0.875);
    assert_true(x->token[1].error >= 1.75 && x->token[1].error < 1.7500001);
    a = (mn_args){.kernel = MN_VLA,
                  .batch = 1,
                  .time = 2,
                  .heads = 1,
                  .dk = 2,
                  .dv = 1,
                  .q = {q},
                  .k = {k},
                  .v = {v},
                  .u = {u},
                  .scale = 1,
                  .lambda0 = 1};
    u[0] = 1; /* A = diag(1/2, 1): a_1 = (1, 0), a_2 = (1, 2) / sqrt(5) */
    assert_int_equal(reference_attention(x, &a), REFERENCE_OK);
    /* S_1 = (1, 0), e_2 = 2 - 1/2 = 3/2, S_2 = (1, 0) + (1, 2) / sqrt(5) 3/2 */
    arb_t want;
    arb_init(want);
    arb_sqrt_ui(want, 5, 200);
    arb_ui_div(want, 9, want, 200);
    arb_mul_2exp_si(want, want, -1);
    arb_add_ui(want, want, 1, 200);
    assert_true(arb_overlaps(want, x->o + 1));
    arb_sub(want, want, x->o + 1, 200);
    assert_true(fabs(exact_double_upper(want)) < 1e-18);
    assert_holds(x->state + 2, 0.5), assert_holds(x->state + 5, 1);
    arb_clear(want), reference_clear(x);
}

static void assert_same(const reference_t x, const reference_t y, const char *name, long number) {
    assert_int_equal(x->rows, y->rows);
    for (slong i = 0; i < x->rows * x->width; i++) {
        assert_case(arb_overlaps(x->o + i, y->o + i), name, number);
        assert_case(mag_cmp_2exp_si(arb_radref(x->o + i), -55) < 0, name, number);
        assert_case(mag_cmp_2exp_si(arb_radref(y->o + i), -55) < 0, name, number);
    }
}

/* Kernels that say the same in different words. */
static void same_by_other_kernels(void **state) {
    (void)state;
    for (long number = 0; number < test_count(10); number++) {
        exact_random r = {test_seed("reference.same") + (uint64_t)number};
        shape s = {.kernel = MN_LINEAR,
                   .batch = 2,
                   .time = 37,
                   .heads = 4,
                   .kv_heads = 2,
                   .dk = 5,
                   .dv = 3,
                   .gate = number % 2 ? GATE_SCALAR : GATE_NONE};
        kernel_case c;
        make_case(&c, &s, &r);
        reference_t x, y;
        reference_init(x), reference_init(y);
        assert_int_equal(reference_attention(x, &c.a), REFERENCE_OK);
        mn_args a = c.a;
        a.kernel = MN_LOGLINEAR, a.levels = 7; /* lambda = 1: linear attention */
        assert_int_equal(reference_attention(y, &a), REFERENCE_OK);
        assert_same(x, y, "reference.same", number);
        if (a.g.data) { /* one gate for all keys, key by key */
            float *g = malloc(2 * 37 * 2 * 5 * sizeof *g);
            for (int i = 0; i < 2 * 37 * 2 * 5; i++)
                g[i] = a.g.data[i / 5];
            a = c.a, a.g.data = NULL, a.gate_keys.data = g;
            assert_int_equal(reference_attention(y, &a), REFERENCE_OK);
            assert_same(x, y, "reference.same", number);
            free(g);
        } else { /* nodes of 1, weights that add up to 1 */
            float weights[] = {0.25f, 0.75f}, nodes[] = {1, 1};
            int32_t bank[2 * 37 * 2] = {0};
            a = c.a, a.kernel = MN_VORT, a.banks = 1, a.modes = 2, a.weights = weights,
            a.nodes = nodes, a.bank.data = bank;
            assert_int_equal(reference_attention(y, &a), REFERENCE_OK);
            assert_same(x, y, "reference.same", number);
        }
        /* VLA that never learns: keys of norm 1 make it the delta rule */
        float *k = (float *)c.a.k.data, *u = calloc(2 * 37 * 2 * 5, sizeof *u);
        memset(k, 0, 2 * 37 * 2 * 5 * sizeof *k);
        for (int i = 0; i < 2 * 37 * 2; i++)
            k[5 * i + exact_random_integer(&r, 0, 4)] = 1;
        a = c.a, a.g.data = NULL, a.kernel = MN_DELTA;
        assert_int_equal(reference_attention(x, &a), REFERENCE_OK);
        a.kernel = MN_VLA, a.lambda0 = 3, a.u.data = u;
        assert_int_equal(reference_attention(y, &a), REFERENCE_OK);
        assert_same(x, y, "reference.same", number);
        free(u), reference_clear(x), reference_clear(y), clear_case(&c);
    }
}

/* No query: softmax is the mean of the values so far. */
static void mean_of_values(void **state) {
    (void)state;
    float q[4] = {0}, k[4] = {1, 2, 3, 4}, v[4] = {1, 2, 6, 7};
    double want[] = {1, 1.5, 3, 4};
    mn_args a = {.kernel = MN_SOFTMAX,
                 .batch = 1,
                 .time = 4,
                 .heads = 1,
                 .dk = 1,
                 .dv = 1,
                 .q = {q},
                 .k = {k},
                 .v = {v}};
    reference_t x;
    reference_init(x);
    assert_int_equal(reference_attention(x, &a), REFERENCE_OK);
    for (int t = 0; t < 4; t++)
        assert_true(arb_contains_si(x->o + t, (slong)want[t]) || want[t] == 1.5);
    assert_true(fabs(exact_double_mid(x->o + 1) - 1.5) < 1e-15);
    reference_clear(x);
}

/* Sums of exponentials against their weights given one by one. */
static void both_convolutions(void **state) {
    (void)state;
    exact_random r = {test_seed("reference.convolution")};
    float x[20], weights[] = {3, -1}, nodes[] = {0.5f, 0.25f}, kernel[20];
    whole_numbers(x, 20, &r);
    for (int j = 0; j < 20; j++)
        kernel[j] = j < 12 ? (float)(3 * ldexp(1, -j) - ldexp(1, -2 * j)) : 0;
    mn_convolution c = {.batch = 1,
                        .time = 12,
                        .channels = 1,
                        .x = {x},
                        .modes = 2,
                        .weights = weights,
                        .nodes = nodes};
    reference_t y, z;
    reference_init(y), reference_init(z);
    assert_int_equal(reference_convolution(y, &c), REFERENCE_OK);
    mn_convolution d = {
        .batch = 1, .time = 12, .channels = 1, .x = {x}, .kernel_length = 20, .kernel = kernel};
    assert_int_equal(reference_convolution(z, &d), REFERENCE_OK);
    for (int t = 0; t < 12; t++)
        assert_true(arb_equal(y->o + t, z->o + t));
    reference_clear(y), reference_clear(z);
}

static void statuses(void **state) {
    (void)state;
    exact_random r = {test_seed("reference.statuses")};
    shape s = {.kernel = MN_LINEAR,
               .batch = 1,
               .time = 5,
               .heads = 1,
               .dk = 2,
               .dv = 2,
               .gate = GATE_SCALAR,
               .normalise = true};
    kernel_case c;
    make_case(&c, &s, &r);
    reference_t x;
    bounds_t b;
    reference_init(x), bounds_init(b);
    float *q = (float *)c.a.q.data, *g = (float *)c.a.g.data, *k = (float *)c.a.k.data;
    q[3] = NAN;
    assert_int_equal(reference_attention(x, &c.a), REFERENCE_NOT_FINITE);
    assert_null(x->o);
    q[3] = 1, g[2] = INFINITY;
    assert_int_equal(reference_attention(x, &c.a), REFERENCE_NOT_FINITE);
    g[2] = -INFINITY;
    assert_int_equal(reference_attention(x, &c.a), REFERENCE_OK);
    assert_int_equal(bounds_attention(b, &c.a, x, NULL), BOUNDS_BAD_ARGUMENT);
    /* e^g (k_1 + ...) with a divisor that is 0 but not seen to be: g = -1, q.k = 0 only as a sum of irrational terms */
    for (int i = 0; i < 10; i++)
        k[i] = 0;
    k[0] = 1, k[1] = -1, q[2] = q[3] = 1, g[1] = -1;
    reference_status status = reference_attention(x, &c.a);
    assert_true(status == REFERENCE_UNDECIDED || status == REFERENCE_OK);
    mn_args a = c.a;
    a.heads = 0;
    assert_int_equal(reference_attention(x, &a), REFERENCE_BAD_ARGUMENT);
    a = c.a, a.kernel = MN_DELTA, a.normalise = false;
    assert_int_equal(reference_scale(x, &a), REFERENCE_BAD_ARGUMENT);
    assert_int_equal(reference_attention(x, &a), REFERENCE_OK);
    assert_string_equal(reference_status_text((reference_status)77), "unknown status");
    assert_true(isinf(bounds_gamma_upper(0x1p24)) && bounds_gamma_upper(1) > 0x1p-24);
    assert_true(bounds_gamma_upper(1) < 0x1.00001p-24);
    reference_clear(x), bounds_clear(b), clear_case(&c);
}

/* The sums on absolute values are no smaller than the outputs, and equal to them where nothing is negative. */
static void scales(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int positive = 0; positive < 2; positive++) {
            if (kernel == MN_DELTA || kernel == MN_VLA)
                continue;
            exact_random r = {test_seed("reference.scales")};
            shape s = {.kernel = (mn_kernel)kernel,
                       .batch = 1,
                       .time = 20,
                       .heads = 1,
                       .dk = 3,
                       .dv = 4,
                       .positive = positive};
            kernel_case c;
            make_case(&c, &s, &r);
            if (positive)
                for (int i = 0; i < 80; i++)
                    ((float *)c.a.v.data)[i] = fabsf(c.a.v.data[i]);
            reference_t x, y;
            reference_init(x), reference_init(y);
            assert_int_equal(reference_attention(x, &c.a), REFERENCE_OK);
            assert_int_equal(reference_scale(y, &c.a), REFERENCE_OK);
            for (slong i = 0; i < x->rows * x->width; i++) {
                assert_true(exact_double_upper(y->o + i) * 1.0000001 >=
                            fabs(exact_double_mid(x->o + i)));
                if (positive)
                    assert_true(arb_overlaps(x->o + i, y->o + i));
            }
            reference_clear(x), reference_clear(y), clear_case(&c);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_in_integers),
        cmocka_unit_test(two_tokens),
        cmocka_unit_test(same_by_other_kernels),
        cmocka_unit_test(mean_of_values),
        cmocka_unit_test(both_convolutions),
        cmocka_unit_test(statuses),
        cmocka_unit_test(scales),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

/* Sequences cut into pieces, calls with nothing to do, and sizes at which float loses or overflows. */
#include "tests/kernels.h"

/* Pieces by any methods: inside the bound of the whole. */
static void cut_anywhere(void **state) {
    (void)state;
    for (long number = 0; number < test_count(60); number++) {
        exact_random r = {test_seed("kernels.cut") + (uint64_t)number};
        int kernel = (int)(number % MN_SOFTMAX);
        shape s = {.kernel = (mn_kernel)kernel,
                   .batch = 1,
                   .time = exact_random_integer(&r, 2, 90),
                   .heads = 2,
                   .kv_heads = 1,
                   .dk = exact_random_integer(&r, 1, 9),
                   .dv = exact_random_integer(&r, 1, 20),
                   .gate = kernel == MN_VLA || kernel == MN_VORT ? GATE_NONE
                           : kernel == MN_LINEAR                 ? (gate_kind)(number / 5 % 4)
                                                                 : GATE_SCALAR,
                   .normalise = number % 2 && kernel != MN_DELTA && kernel != MN_LOGLINEAR,
                   .positive = true,
                   .beta = true,
                   .lambda = number % 2,
                   .u = 0.1,
                   .refresh = 0.01f,
                   .refresh_every = number % 3 ? 5 : 0,
                   .state = number % 3 == 0,
                   .position = number % 3 == 0 ? exact_random_integer(&r, 0, 70) : 0};
        kernel_case c;
        oracle w;
        make_case(&c, &s, &r);
        make_oracle(&w, &c.a);
        results got = run_case(&c.a, MN_REFERENCE, MN_BEST);
        memset(got.o, POISON, got.o_bytes);
        memset(got.state, POISON, got.state_bytes);
        int64_t first = 0;
        for (int n = 0; first < s.time; n++) {
            int64_t end = n == 3 ? s.time : exact_random_integer(&r, first, s.time);
            mn_args a = c.a;
            a.o.data = got.o;
            a = piece(&a, first, end);
            mn_method method = (mn_method)exact_random_integer(&r, MN_REFERENCE, MN_CHUNK);
            if (n > 0)
                a.state_in = got.state;
            a.state_out = got.state; /* in place from the second piece on */
            a.isa = (mn_isa)exact_random_integer(&r, MN_BEST, MN_ISAS - 1);
            if (!mn_isa_usable(a.isa))
                a.isa = MN_GENERIC;
            a.workspace_size = mn_workspace_size(&a, method);
            a.workspace = guarded(a.workspace_size);
            assert_int_equal(mn_run(&a, method, NULL), MN_OK);
            assert_true(guard_whole(a.workspace, a.workspace_size));
            guarded_free(a.workspace);
            first = end;
        }
        long vacuous = 0;
        double ratio = largest_ratio(&c.a, &w, &got, &vacuous);
        if (!(ratio <= 1))
            print_error("%s: %g of the bound\n", mn_kernel_name(s.kernel), ratio);
        assert_case(ratio <= 1, "kernels.cut", number);
        if (kernel == MN_VLA || kernel == MN_LOGLINEAR) {
            int64_t position;
            memcpy(&position, (char *)got.state + got.state_bytes - 8, 8);
            assert_int_equal(position, s.position + s.time);
        }
        clear_results(&got), clear_oracle(&w), clear_case(&c);
    }
}

static void nothing_to_do(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int i = 0; i < 2; i++) {
            mn_args a = {.kernel = (mn_kernel)kernel,
                         .batch = i,
                         .time = 1 - i,
                         .heads = 1,
                         .dk = 2,
                         .dv = 2,
                         .lambda0 = 1,
                         .levels = 1,
                         .banks = 1,
                         .modes = 1};
            for (int method = MN_REFERENCE; method <= MN_CHUNK; method++)
                assert_int_equal(mn_run(&a, (mn_method)method, NULL), MN_OK);
        }
    mn_convolution c = {.channels = 1};
    assert_int_equal(mn_convolve(&c, MN_CHUNK, NULL), MN_OK);
}

/* What chunks of VLA lose by cancellation is measured, and then tokens go one by one: as accurate as those. */
static void cancelling_updates(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        exact_random r = {test_seed("kernels.cancel") + (uint64_t)i};
        shape s = {.kernel = MN_VLA,
                   .batch = 1,
                   .time = 64,
                   .heads = 1,
                   .dk = i % 2 ? 8 : 16,
                   .dv = 8,
                   .lambda0 = i < 4 ? 1e-4f : 1e-6f,
                   .u = i % 4 < 2 ? 1 : 30};
        kernel_case c;
        make_case(&c, &s, &r);
        float *k = (float *)c.a.k.data, *u = (float *)c.a.u.data;
        for (int64_t p = 0; p < s.dk; p++)
            k[5 * s.dk + p] = 0, u[9 * s.dk + p] = 0;
        reference_t exact;
        reference_init(exact);
        assert_int_equal(reference_attention(exact, &c.a), REFERENCE_OK);
        double error[3] = {0}, size = 0;
        for (slong x = 0; x < exact->rows * exact->width; x++)
            size = fmax(size, fabs(exact_double_mid(exact->o + x)));
        EACH_WAY(method, isa) {
            results got = run_case(&c.a, method, isa);
            for (slong x = 0; x < exact->rows * exact->width; x++)
                error[method] = fmax(error[method], error_of(got.o[x], exact->o + x));
            clear_results(&got);
        }
        if (!(error[2] <= 8 * fmax(error[1], error[0]) + 1e-5 * size))
            print_error("VLA: definition %g, step %g, chunk %g of %g\n", error[0], error[1],
                        error[2], size);
        assert_case(error[2] <= 8 * fmax(error[1], error[0]) + 1e-5 * size, "kernels.cancel", i);
        reference_clear(exact), clear_case(&c);
    }
}

/* Sizes at which squares of A k overflow or vanish in float. */
static void far_scales(void **state) {
    (void)state;
    static const float lambda0[] = {1e-24f, 1e24f, 1e-30f, 1e30f};
    for (int i = 0; i < 4; i++) {
        exact_random r = {test_seed("kernels.scales")};
        shape s = {.kernel = MN_VLA,
                   .batch = 1,
                   .time = 40,
                   .heads = 1,
                   .dk = 4,
                   .dv = 3,
                   .lambda0 = lambda0[i]};
        kernel_case c;
        make_case(&c, &s, &r);
        float *u = (float *)c.a.u.data;
        for (int64_t j = 0; j < 160; j++)
            u[j] *= sqrtf(lambda0[i]) * 0.5f;
        reference_t exact;
        reference_init(exact);
        assert_int_equal(reference_attention(exact, &c.a), REFERENCE_OK);
        EACH_WAY(method, isa) {
            results got = run_case(&c.a, method, isa);
            for (slong x = 0; x < exact->rows * exact->width; x++)
                if (!(error_of(got.o[x], exact->o + x) < 1e-3)) {
                    fail_msg("lambda0 %g, %s, method %d, row %ld: %g for %g", (double)lambda0[i],
                             mn_isa_name(isa), method, x / 3, (double)got.o[x],
                             exact_double_mid(exact->o + x));
                }
            clear_results(&got);
        }
        reference_clear(exact), clear_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(cancelling_updates),
        cmocka_unit_test(far_scales),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

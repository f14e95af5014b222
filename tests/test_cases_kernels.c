/* Inputs on which kernels of this kind have failed: stale memory, layouts, strides, tails, levels, long memory, the
 * floating-point environment, threads.  By every method on every instruction set. */
#include <dlfcn.h>
#include <fenv.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "tests/convolutions.h"

/* Every output of head h is h + 1 where all values of that head are. */
static void case_layout(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("kernels.heads")};
        kernel_case c;
        shape s = {.kernel = (mn_kernel)kernel,
                   .batch = 1,
                   .time = 5,
                   .heads = 3,
                   .dk = 4,
                   .dv = 2,
                   .positive = true,
                   .normalise = kernel == MN_LINEAR || kernel == MN_VORT};
        make_case(&c, &s, &r);
        for (int64_t i = 0; i < 5 * 3 * 2; i++)
            ((float *)c.a.v.data)[i] = (float)(i / 2 % 3 + 1);
        EACH_WAY(method, isa) {
            results one = run_case(&c.a, method, isa);
            for (int64_t i = 0; i < 30; i++)
                if (s.normalise || kernel == MN_SOFTMAX)
                    assert_true(fabsf(one.o[i] - (float)(i / 2 % 3 + 1)) < 1e-5f);
            /* another head's values do not matter */
            float *v = (float *)c.a.v.data;
            for (int64_t i = 0; i < 5 * 3 * 2; i++)
                if (i / 2 % 3 == 1)
                    v[i] = NAN;
            results two = run_case(&c.a, method, isa);
            for (int64_t i = 0; i < 30; i++)
                assert_case(i / 2 % 3 == 1 ? isnan(two.o[i])
                                           : memcmp(one.o + i, two.o + i, sizeof(float)) == 0,
                            "kernels.heads", kernel);
            for (int64_t i = 0; i < 5 * 3 * 2; i++)
                v[i] = (float)(i / 2 % 3 + 1);
            clear_results(&one), clear_results(&two);
        }
        clear_case(&c);
    }
}


/* The same call on rows d + 3 apart, heads in front of time, NaN in the padding. */
static void spread(kernel_case *c, mn_args *a) {
    call_array list[8];
    int n = arrays_of(a, list);
    for (int i = 0; i < n; i++) {
        call_array x = list[i];
        int64_t row = x.dim + 3, head = row * x.length + 5, batch = head * x.heads + 1;
        float *y = fill(c, &(exact_random){1}, batch * a->batch, NAN, NAN);
        for (int64_t b = 0; b < a->batch; b++)
            for (int64_t t = 0; t < x.length; t++)
                for (int64_t h = 0; h < x.heads; h++)
                    memcpy(y + b * batch + h * head + t * row,
                           x.input->data + ((b * x.length + t) * x.heads + h) * x.dim,
                           (size_t)x.dim * sizeof *y);
        *x.input = (mn_input){y, batch, row, head};
    }
}


static void case_strides_and_odd_sizes(void **state) {
    (void)state;
    static const int64_t d[][2] = {{1, 8}, {7, 1}, {63, 65}, {16, 16}};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int i = 0; i < 4; i++) {
            exact_random r = {test_seed("kernels.strides") + (uint64_t)i};
            kernel_case c;
            shape s = everything(kernel, 41, d[i][0], d[i][1]);
            make_case(&c, &s, &r);
            mn_args wide = c.a;
            spread(&c, &wide);
            int64_t row = s.dv + 3, head = row * s.time, batch = head * s.heads,
                    floats = batch * s.batch;
            EACH_WAY(method, isa) {
                results packed = run_case(&c.a, method, isa);
                float *o = guarded((size_t)floats * sizeof *o);
                results other = {.state_bytes = packed.state_bytes};
                other.state = packed.state ? guarded(packed.state_bytes) : NULL;
                wide.isa = isa, wide.o = (mn_output){o, batch, row, head},
                wide.state_out = other.state;
                wide.workspace_size = mn_workspace_size(&wide, method);
                wide.workspace = guarded(wide.workspace_size);
                assert_int_equal(mn_run(&wide, method, NULL), MN_OK);
                assert_true(guard_whole(wide.workspace, wide.workspace_size));
                assert_true(guard_whole(o, (size_t)floats * sizeof *o));
                for (int64_t x = 0; x < floats; x++) {
                    int64_t b = x / batch, h = x % batch / head, t = x % head / row, j = x % row;
                    unsigned bits;
                    memcpy(&bits, o + x, sizeof bits);
                    if (j >= s.dv)
                        assert_case(bits == ~0u, "kernels.strides", kernel);
                    else
                        assert_case(memcmp(o + x,
                                           packed.o + ((b * s.time + t) * s.heads + h) * s.dv + j,
                                           sizeof *o) == 0,
                                    "kernels.strides", kernel);
                }
                assert_true(packed.state_bytes == 0 ||
                            memcmp(packed.state, other.state, packed.state_bytes) == 0);
                for (size_t x = 0; x < packed.o_bytes / sizeof *o; x++)
                    assert_case(!isnan(packed.o[x]), "kernels.strides", kernel);
                guarded_free(o), guarded_free(wide.workspace);
                clear_results(&packed), clear_results(&other);
            }
            clear_case(&c);
        }
}


/* Convolution mode and recurrent mode over 2^14 steps, rates from 1e-6 to 10. */
static void case_convolution_and_recurrence(void **state) {
    (void)state;
    exact_random r = {test_seed("convolution.long")};
    convolution_case w;
    convolution_make(&w, &r, 1, test_count(1 << 14), 1, 6, 0);
    convolution_check(&w, "convolution.long", 0);
    convolution_clear(&w);
}

/* Denormal states and inputs; 0 and 1 as nodes. */
static void case_denormal_states(void **state) {
    (void)state;
    exact_random r = {test_seed("convolution.denormal")};
    convolution_case w;
    convolution_make(&w, &r, 1, 70, 20, 4, 0);
    w.nodes[0] = 1, w.nodes[1] = 0, w.nodes[2] = 0.5f;
    w.c.state_in = w.state_in;
    for (size_t i = 0; i < w.states; i++)
        w.state_in[i] *= 0x1p-127f;
    for (size_t i = 0; i < w.outputs; i++)
        w.x[i] *= 0x1p-130f;
    convolution_check(&w, "convolution.denormal", 0);
    bool denormal = false;
    for (size_t i = 0; i < w.states; i++)
        denormal = denormal || fpclassify(w.state_out[i]) == FP_SUBNORMAL;
    assert_true(denormal); /* nothing was flushed to 0 */
    convolution_clear(&w);
}

/* Neither calls nor denormal numbers change or depend on the floating-point environment. */
static void case_ftz(void **state) {
    (void)state;
    fenv_t before, after;
    fegetenv(&before);
#ifdef __x86_64__
    unsigned mxcsr = _mm_getcsr() & ~0x3fu; /* flags apart */
#endif
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("kernels.environment")};
        shape s = {
            .kernel = (mn_kernel)kernel, .batch = 1, .time = 40, .heads = 3, .dk = 5, .dv = 5};
        kernel_case c;
        make_case(&c, &s, &r);
        c.a.threads = 2;
        EACH_WAY(method, isa) {
            results got = run_case(&c.a, method, isa);
            clear_results(&got);
        }
        clear_case(&c);
    }
#ifdef __x86_64__
    assert_int_equal(_mm_getcsr() & ~0x3fu, mxcsr);
    unsigned short x, y;
    fegetenv(&after);
    memcpy(&x, &before, 2), memcpy(&y, &after, 2); /* the x87 control word comes first */
    assert_int_equal(x, y);
#endif
    assert_int_equal(fegetround(), FE_TONEAREST);
}

static void case_isa_and_threads(void **state) {
    (void)state;
    static const int count[] = {1, 3, 8};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("kernels.threads")};
        kernel_case c;
        shape s = everything(kernel, 70, 9, 12);
        s.heads = 10, s.kv_heads = 5;
        make_case(&c, &s, &r);
        EACH_WAY(method, isa) {
            results first = {0};
            for (int i = 0; i < 3; i++) {
                c.a.threads = count[i];
                results got = run_case(&c.a, method, isa);
                if (i == 0) {
                    first = got;
                    continue;
                }
                assert_case(same_results(&first, &got), "kernels.threads", kernel);
                clear_results(&got);
            }
            clear_results(&first);
        }
        clear_case(&c);
    }
}


int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_stale_rows),
        cmocka_unit_test(case_layout),
        cmocka_unit_test(case_strides_and_odd_sizes),
        cmocka_unit_test(case_softplus_tails),
        cmocka_unit_test(case_more_steps_than_levels),
        cmocka_unit_test(case_convolution_and_recurrence),
        cmocka_unit_test(case_ftz),
        cmocka_unit_test(case_denormal_states),
        cmocka_unit_test(case_isa_and_threads),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

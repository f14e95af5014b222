/* Sequences cut into pieces, empty ones, convolutions, and inputs on which kernels of this kind have failed. */
#include <fenv.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "tests/kernels.h"

#define EACH_WAY(method, isa)                                                                      \
    for (mn_method method = MN_REFERENCE; method <= MN_CHUNK; method++)                            \
        for (mn_isa isa = MN_GENERIC; isa < MN_ISAS; isa++)                                        \
            if (mn_isa_usable(isa) && (method != MN_REFERENCE || isa == MN_GENERIC))

static void later(mn_input *x, int64_t n) {
    if (x->data)
        x->data += n * x->time;
}

/* Tokens [first, end) of a packed call of one batch entry. */
static mn_args piece(const mn_args *whole, int64_t first, int64_t end) {
    mn_args a = *whole;
    int64_t kv = a.kv_heads ? a.kv_heads : a.heads;
    mn_input *inputs[] = {&a.q, &a.k, &a.v, &a.g, &a.gate_keys, &a.beta, &a.u, &a.lambda};
    int64_t dims[] = {a.dk, a.dk, a.dv, 1, a.dk, 1, a.dk, a.levels};
    for (int i = 0; i < 8; i++) {
        int64_t heads = i == 0 || i == 7 ? a.heads : kv;
        inputs[i]->head = dims[i], inputs[i]->time = heads * dims[i];
        later(inputs[i], first);
    }
    if (a.bank.data)
        a.bank.data += first * kv, a.bank.head = 1, a.bank.time = kv;
    a.o = (mn_output){a.o.data + first * a.heads * a.dv, 0, a.heads * a.dv, a.dv};
    a.time = end - first;
    return a;
}

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

/* Segments {0,0,5,5,9} and all empty: a segment without tokens keeps its state. */
static void empty_segments(void **state) {
    (void)state;
    static const int64_t offsets[][5] = {{0, 0, 5, 5, 9}, {0, 0, 0, 0, 0}, {0, 9, 9, 9, 9}};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int i = 0; i < 6; i++) {
            exact_random r = {test_seed("kernels.segments")};
            shape s = {.kernel = (mn_kernel)kernel,
                       .batch = 1,
                       .time = offsets[i % 3][4],
                       .heads = 2,
                       .dk = 3,
                       .dv = 5,
                       .levels = 5,
                       .position = 3};
            kernel_case c;
            oracle w;
            make_case(&c, &s, &r);
            c.a.segments = 4, c.a.offsets = offsets[i % 3];
            if (i >= 3 && kernel != MN_SOFTMAX)
                make_state(&c, &s, &r);
            make_oracle(&w, &c.a);
            EACH_WAY(method, isa) {
                results got = run_case(&c.a, method, isa);
                long vacuous = 0;
                assert_case(largest_ratio(&c.a, &w, &got, &vacuous) <= 1, "kernels.segments",
                            kernel);
                size_t each = got.state_bytes / 4 / 4 * 4;
                bool positions = kernel == MN_VLA || kernel == MN_LOGLINEAR;
                if (positions)
                    each = (got.state_bytes - 32) / 4;
                for (int n = 0; n < 4; n++) {
                    int64_t length = offsets[i % 3][n + 1] - offsets[i % 3][n];
                    const char *mine = (char *)got.state + (size_t)n * each;
                    if (length == 0 && c.a.state_in)
                        assert_memory_equal(mine, (const char *)c.a.state_in + (size_t)n * each,
                                            each);
                    for (size_t x = 0; length == 0 && !c.a.state_in && x < each / 4; x++) {
                        float y = ((const float *)mine)[x];
                        int64_t in = (int64_t)x % (3 * 5 + 9) - 15;
                        assert_true(y == (kernel == MN_VLA && in >= 0 && in % 4 == 0 ? 1 : 0));
                    }
                    if (positions) {
                        int64_t position;
                        memcpy(&position, (char *)got.state + 4 * each + 8 * n, 8);
                        assert_int_equal(position, length + (c.a.state_in ? 3 : 0));
                    }
                }
                clear_results(&got);
            }
            clear_oracle(&w), clear_case(&c);
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

/* A log gate of 0 is no gate: the same bits. */
static void open_gate(void **state) {
    (void)state;
    exact_random r = {test_seed("kernels.open")};
    shape s = {
        .kernel = MN_DELTA, .batch = 1, .time = 1024, .heads = 1, .dk = 16, .dv = 16, .beta = true};
    kernel_case c;
    make_case(&c, &s, &r);
    float *zero = calloc(1024, sizeof *zero);
    EACH_WAY(method, isa) {
        results plain = run_case(&c.a, method, isa);
        mn_args a = c.a;
        a.g.data = zero;
        results gated = run_case(&a, method, isa);
        for (size_t i = 0; i < plain.o_bytes / 4; i++)
            assert_true(fabsf(plain.o[i] - gated.o[i]) <=
                        4 * FLT_EPSILON * fabsf(plain.o[i]) + 1e-6f);
        clear_results(&plain), clear_results(&gated);
    }
    free(zero);
    clear_case(&c);
}

/* A chunk whose triangle is -1 below the diagonal (k = 1, beta = -1): the corner of its inverse is 2^62.  The state doubles
 * with each token, and so it comes out, not noise. */
static void growing_triangle(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        exact_random r = {test_seed("kernels.triangle")};
        shape s = {
            .kernel = MN_DELTA, .batch = 1, .time = 64, .heads = 1, .dk = i ? 3 : 1, .dv = 2};
        kernel_case c;
        oracle w;
        make_case(&c, &s, &r);
        float *beta = fill(&c, &r, 64, -1, -1), *k = (float *)c.a.k.data;
        c.a.beta.data = beta;
        for (int64_t t = 0; t < 64 * s.dk; t++)
            k[t] = t % s.dk == 0 ? 1 : 0;
        make_oracle(&w, &c.a);
        EACH_WAY(method, isa) {
            results got = run_case(&c.a, method, isa);
            long vacuous = 0;
            assert_case(largest_ratio(&c.a, &w, &got, &vacuous) <= 1, "kernels.triangle", i);
            for (int64_t j = 0; j < 2; j++) {
                double last = fabs(exact_double_mid(w.exact->state + j));
                assert_true(last > 0x1p50);
                assert_true(error_of(((float *)got.state)[j], w.exact->state + j) < 1e-5 * last);
            }
            clear_results(&got);
        }
        clear_oracle(&w), clear_case(&c);
    }
}

/* S.k = 4098, v = 4096: the residual is -2, so the state becomes 4096 exactly. */
static void exact_residual(void **state) {
    (void)state;
    float one = 1, v = 4096, o, in[2] = {4098, 0}, out[2];
    char workspace[1 << 16];
    _Alignas(8) float state_in[2];
    memcpy(state_in, in, sizeof in);
    _Alignas(8) float state_out[2];
    EACH_WAY(method, isa) {
        mn_args a = {.kernel = MN_DELTA,
                     .batch = 1,
                     .time = 1,
                     .heads = 1,
                     .dk = 1,
                     .dv = 1,
                     .q = {&one},
                     .k = {&one},
                     .v = {&v},
                     .o = {&o},
                     .scale = 1,
                     .isa = isa,
                     .state_in = state_in,
                     .state_out = state_out,
                     .workspace = workspace,
                     .workspace_size = sizeof workspace,
                     .threads = 1};
        assert_int_equal(mn_run(&a, method, NULL), MN_OK);
        memcpy(out, state_out, 4);
        assert_true(o == 4096 && out[0] == 4096);
    }
}

/* Masked tokens in front (k = 0, v = 0) change nothing; q.z = 0 gives 0. */
static void masked_keys(void **state) {
    (void)state;
    static const mn_kernel kernels[] = {MN_LINEAR, MN_VLA, MN_VORT};
    for (int i = 0; i < 3; i++) {
        exact_random r = {test_seed("kernels.masked")};
        shape s = {.kernel = kernels[i],
                   .batch = 1,
                   .time = 20,
                   .heads = 1,
                   .dk = 2,
                   .dv = 3,
                   .normalise = true,
                   .positive = true,
                   .banks = 1,
                   .modes = 2};
        kernel_case c;
        make_case(&c, &s, &r);
        float *k = (float *)c.a.k.data, *v = (float *)c.a.v.data, *q = (float *)c.a.q.data;
        memset(k, 0, 14 * sizeof *k), memset(v, 0, 21 * sizeof *v);
        if (kernels[i] == MN_VLA)
            memset((float *)c.a.u.data, 0, 14 * sizeof *k);
        k[38] = 1, k[39] = -1;
        for (int t = 0; t < 19; t++)
            k[2 * t + 1] = k[2 * t]; /* q.z = 0 for q = (1, -1) before the last token */
        q[36] = 1, q[37] = -1;
        mn_args rest = piece(&c.a, 7, 20);
        EACH_WAY(method, isa) {
            results all = run_case(&c.a, method, isa), part = run_case(&rest, method, isa);
            for (int j = 0; j < 21; j++)
                assert_true(all.o[j] == 0);
            for (int j = 21; j < 60; j++)
                assert_true(isfinite(all.o[j]) &&
                            fabsf(all.o[j] - part.o[j - 21]) <= 1e-5f * (1 + fabsf(all.o[j])));
            for (int j = 54; j < 57; j++)
                assert_case(all.o[j] == 0, "kernels.masked", i);
            clear_results(&all), clear_results(&part);
        }
        clear_case(&c);
    }
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

/* Neither calls nor denormal numbers change or depend on the floating-point environment. */
static void environment(void **state) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere),     cmocka_unit_test(empty_segments),
        cmocka_unit_test(nothing_to_do),    cmocka_unit_test(open_gate),
        cmocka_unit_test(growing_triangle), cmocka_unit_test(exact_residual),
        cmocka_unit_test(masked_keys),      cmocka_unit_test(cancelling_updates),
        cmocka_unit_test(far_scales),       cmocka_unit_test(environment),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

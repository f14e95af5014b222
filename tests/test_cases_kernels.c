/* Inputs on which kernels of this kind have failed: stale memory, layouts, strides, tails, levels, long memory, the
 * floating-point environment, threads.  By every method on every instruction set. */
#include <dlfcn.h>
#include <fenv.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "tests/convolutions.h"

/* ---- stale memory ---- */

/* Outputs, states and workspace full of NaN, of 0 and of a number in front of the call: all is written, and with the same bits;
 * what is given (arrays, states) stays as it was, and so do the bytes around. */
static void case_stale_rows(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("cases.stale")};
        kernel_case c;
        shape s = everything(kernel, 43, 9, 21);
        make_case(&c, &s, &r);
        size_t in_bytes = mn_state_size(&c.a);
        void *kept = malloc(in_bytes + 1);
        if (in_bytes)
            memcpy(kept, c.a.state_in, in_bytes);
        EACH_WAY(method, isa) {
            results first = run_case(&c.a, method, isa);
            for (size_t x = 0; x < first.o_bytes / 4; x++)
                assert_case(!isnan(first.o[x]), "cases.stale", kernel);
            for (int fill = 0; fill < 0x80; fill += 0x4b) { /* 0, and bytes of 0x4b: 13323083 */
                mn_args a = c.a;
                float *o = guarded(first.o_bytes);
                void *out = first.state ? guarded(first.state_bytes) : NULL;
                a.isa = isa, a.o.data = o, a.state_out = out;
                a.workspace_size = mn_workspace_size(&a, method);
                a.workspace = guarded(a.workspace_size);
                memset(o, fill, first.o_bytes);
                memset(a.workspace, fill, a.workspace_size);
                if (out)
                    memset(out, fill, first.state_bytes);
                assert_int_equal(mn_run(&a, method, NULL), MN_OK);
                assert_memory_equal(o, first.o, first.o_bytes);
                if (out)
                    assert_memory_equal(out, first.state, first.state_bytes);
                assert_true(guard_whole(o, first.o_bytes) &&
                            guard_whole(a.workspace, a.workspace_size) &&
                            (!out || guard_whole(out, first.state_bytes)));
                guarded_free(o), guarded_free(out), guarded_free(a.workspace);
            }
            clear_results(&first);
        }
        if (in_bytes)
            assert_memory_equal(kept, c.a.state_in, in_bytes);
        free(kept), clear_case(&c);
    }
}

/* Likewise the convolutions' and the small parts'. */
static void case_stale_rows_elsewhere(void **state) {
    (void)state;
    exact_random r = {test_seed("cases.stale")};
    for (int direct = 0; direct < 2; direct++) {
        convolution_case w;
        convolution_make(&w, &r, 2, 45, 19, direct ? 0 : 3, direct ? 30 : 0);
        w.c.state_in = direct ? NULL : w.state_in;
        EACH_CONVOLUTION(w.c, method, isa) {
            convolution_run(&w, method, isa); /* into NaN */
            for (size_t x = 0; x < w.outputs + w.states; x++)
                assert_true(isfinite(x < w.outputs ? w.y[x] : w.state_out[x - w.outputs]) != 0);
        }
        convolution_clear(&w);
    }
    enum { ROWS = 3, N = 7 };
    float x[ROWS * N], omega[5 * N], w[N * 5], *y = guarded(ROWS * N * sizeof *y);
    for (int i = 0; i < ROWS * N; i++)
        x[i] = uniform(&r, -1, 1);
    for (int i = 0; i < 5 * N; i++)
        omega[i] = w[i] = uniform(&r, -1, 1);
    for (int part = 0; part < 4; part++) {
        size_t n = part == 3 ? ROWS * 5 : ROWS * N;
        memset(y, POISON, ROWS * N * sizeof *y);
        if (part == 0)
            mn_elu1(ROWS * N, x, y);
        else if (part == 1)
            mn_normalise(ROWS, N, x, y);
        else if (part == 2)
            assert_int_equal(mn_lambda_mlp(ROWS, N, 5, x, w, NULL, 1, w, x, y), MN_OK);
        else
            mn_random_features(ROWS, N, 5, omega, x, y);
        for (size_t i = 0; i < n; i++)
            assert_case(isfinite(y[i]), "cases.stale", part);
        for (size_t i = n; i < ROWS * N; i++)
            assert_case(isnan(y[i]), "cases.stale", part);
        assert_true(guard_whole(y, ROWS * N * sizeof *y));
    }
    guarded_free(y);
}

/* ---- layouts and strides ---- */

/* Every output of head h is h + 1 where all values of that head are. */
static void case_layout(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("cases.layout")};
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
                            "cases.layout", kernel);
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
    static const int64_t d[][2] = {{1, 1}, {7, 7}, {63, 63}, {65, 65}, {1, 65}, {65, 7}, {16, 16}};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int i = 0; i < 7; i++) {
            exact_random r = {test_seed("cases.strides") + (uint64_t)i};
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
                        assert_case(bits == ~0u, "cases.strides", kernel);
                    else
                        assert_case(memcmp(o + x,
                                           packed.o + ((b * s.time + t) * s.heads + h) * s.dv + j,
                                           sizeof *o) == 0,
                                    "cases.strides", kernel);
                }
                assert_true(packed.state_bytes == 0 ||
                            memcmp(packed.state, other.state, packed.state_bytes) == 0);
                for (size_t x = 0; x < packed.o_bytes / sizeof *o; x++)
                    assert_case(!isnan(packed.o[x]), "cases.strides", kernel);
                guarded_free(o), guarded_free(wide.workspace);
                clear_results(&packed), clear_results(&other);
            }
            clear_case(&c);
        }
}

/* ---- small parts and levels ---- */

/* ln(1 + e^x) where 1 + e^x is 1 in float, and where e^x overflows; alone, and inside the network of level weights. */
static void case_softplus_tails(void **state) {
    (void)state;
    static const float x[] = {-1e7f, -20, 89, 1e4f}, want[] = {0, 2.0611537e-9f, 89, 1e4f};
    for (int i = 0; i < 4; i++) {
        float zero = 0, lambda;
        assert_true(mn_softplus(x[i]) == want[i]);
        /* softplus(0 w + x), and softplus(softplus(x) 1 + 0) */
        assert_int_equal(mn_lambda_mlp(1, 1, 1, &zero, &zero, NULL, 0, &zero, x + i, &lambda),
                         MN_OK);
        assert_true(lambda == want[i]);
        static const float one = 1;
        assert_int_equal(mn_lambda_mlp(1, 1, 1, &one, x + i, NULL, 1, &one, &zero, &lambda), MN_OK);
        assert_true(lambda == mn_softplus(want[i]));
    }
}

/* T = 129 with lambda for 8 levels: both numbers are named, nothing is read or written. */
static void case_more_steps_than_levels(void **state) {
    (void)state;
    enum { T = 129 };
    mn_args a = {
        .kernel = MN_LOGLINEAR, .batch = 1, .time = T, .heads = 1, .dk = 1, .dv = 1, .levels = 8};
    float *x = calloc(T * 8, sizeof *x), *o = guarded(T * sizeof *o);
    a.q.data = a.k.data = a.v.data = a.lambda.data = x, a.o.data = o;
    EACH_WAY(method, isa) {
        mn_error e;
        char text[200];
        a.time = T, a.workspace = NULL, a.isa = isa;
        assert_int_equal(mn_run(&a, method, &e), MN_TOO_FEW_LEVELS);
        assert_true(e.found == 8 && e.needed == 9);
        assert_string_equal(mn_error_text(&e, text, sizeof text),
                            "lambda: too few levels for the last position: 8 found, 9 needed");
        for (int i = 0; i < T; i++)
            assert_true(isnan(o[i]));
        a.time = T - 1; /* position 127 is the last that 8 levels take */
        a.workspace_size = mn_workspace_size(&a, method);
        a.workspace = guarded(a.workspace_size);
        assert_int_equal(mn_run(&a, method, &e), MN_OK);
        assert_true(guard_whole(a.workspace, a.workspace_size) && isnan(o[T - 1]));
        guarded_free(a.workspace);
        memset(o, POISON, T * sizeof *o);
        /* two sequences of 128 and 1 are short enough, one of 129 behind an empty one is not */
        static const int64_t offsets[][3] = {{0, 128, T}, {0, 0, T}};
        for (int i = 0; i < 2; i++) {
            mn_args b = a;
            b.time = T, b.segments = 2, b.offsets = offsets[i];
            b.workspace_size = mn_workspace_size(&b, method);
            b.workspace = malloc(b.workspace_size + 1);
            assert_int_equal(mn_run(&b, method, &e), i ? MN_TOO_FEW_LEVELS : MN_OK);
            free(b.workspace);
            memset(o, POISON, T * sizeof *o);
        }
    }
    free(x), guarded_free(o);
}

/* ---- long memory ---- */

/* Every stride-th output of a convolution with weights given one by one against the exact sum; the bound of convolution.c. */
static void check_direct(const convolution_case *w, int64_t stride) {
    int64_t n = w->c.time;
    arb_ptr x = _arb_vec_init(2 * n), weight = x + n;
    arb_t exact;
    arb_init(exact);
    for (int64_t t = 0; t < n; t++) {
        arb_set_d(x + t, (double)w->x[t]);
        arb_set_d(weight + t, (double)w->c.kernel[t]);
    }
    for (int64_t t = n - 1; t >= 0; t -= stride) {
        arb_dot(exact, NULL, 0, weight, 1, x + t, -1, t + 1, 128);
        double sum = 0;
        for (int64_t j = 0; j <= t; j++)
            sum += fabs((double)w->c.kernel[j]) * fabs((double)w->x[t - j]);
        double u = (double)(t + 3) * 0x1p-24;
        assert_case(error_of(w->y[t], exact) <= u / (1 - u) * sum + 0x1p-120, "cases.long", t);
    }
    arb_clear(exact);
    _arb_vec_clear(x, 2 * n);
}

/* Over 2^14 steps, rates from 1e-6 to 10: recurrent mode (definition, steps, blocks) and convolution mode (weights one by one,
 * rounded to float), each inside its bound of its own exact result, and both results of one sequence. */
static void case_convolution_and_recurrence(void **state) {
    (void)state;
    enum { T = 1 << 14, MODES = 6 };
    convolution_case w, direct;
    exact_random r = {test_seed("cases.long")}, same = r;
    convolution_make(&w, &r, 1, T, 1, MODES, 0);
    convolution_check(&w, "cases.long", 0);
    convolution_make(&direct, &same, 1, T, 1, 0, T);
    memcpy(direct.x, w.x, T * sizeof *w.x);
    double size = 0;
    for (int j = 0; j < T; j++) {
        double sum = 0;
        for (int m = 0; m < MODES; m++) {
            double term = (double)w.weights[m] * pow((double)w.nodes[m], j);
            sum += term, size += fabs(term);
        }
        direct.weights[j] = (float)sum;
    }
    EACH_CONVOLUTION(direct.c, method, isa) {
        convolution_run(&direct, method, isa);
        check_direct(&direct, 101);
        /* |x| <= 1: both bounds, and weights rounded once */
        for (int t = 0; t < T; t++)
            assert_case(fabs((double)direct.y[t] - (double)w.y[t]) <=
                            1.01 * (3 * T + 300) * 0x1p-24 * size,
                        "cases.long", t);
    }
    convolution_clear(&w), convolution_clear(&direct);
}

/* Denormal states and inputs; 0 and 1 as nodes. */
static void case_denormal_states(void **state) {
    (void)state;
    exact_random r = {test_seed("cases.denormal")};
    convolution_case w;
    convolution_make(&w, &r, 1, 70, 20, 4, 0);
    w.nodes[0] = 1, w.nodes[1] = 0, w.nodes[2] = 0.5f;
    w.c.state_in = w.state_in;
    for (size_t i = 0; i < w.states; i++)
        w.state_in[i] *= 0x1p-127f;
    for (size_t i = 0; i < w.outputs; i++)
        w.x[i] *= 0x1p-130f;
    convolution_check(&w, "cases.denormal", 0);
    bool denormal = false;
    for (size_t i = 0; i < w.states; i++)
        denormal = denormal || fpclassify(w.state_out[i]) == FP_SUBNORMAL;
    assert_true(denormal); /* nothing was flushed to 0 */
    convolution_clear(&w);
}

#ifdef __x86_64__
/* Flags apart. */
static unsigned mxcsr(void) {
    return _mm_getcsr() & ~0x3fu;
}
#endif

/* Neither loading the library nor its calls change the floating-point environment: as a program has it, and with denormal
 * numbers flushed. */
static void case_ftz(void **state) {
    (void)state;
    fenv_t before, after;
    fegetenv(&before);
#ifdef __x86_64__
    unsigned kept = _mm_getcsr();
    for (unsigned ftz = 0; ftz <= 0x8040u; ftz += 0x8040u) {
        _mm_setcsr((kept & ~0x3fu) | ftz);
        unsigned mine = mxcsr();
#endif
        void *library = dlopen("build/lib/libmneme.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == NULL)
            fail_msg("%s", dlerror());
        float (*call)(float);
        *(void **)&call = dlsym(library, "mn_softplus");
        assert_non_null(call);
        assert_true(call(89) == 89);
        for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
            exact_random r = {test_seed("cases.ftz")};
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
        dlclose(library);
#ifdef __x86_64__
        assert_int_equal(mxcsr(), mine);
    }
    _mm_setcsr(kept);
    unsigned short x, y;
    fegetenv(&after);
    memcpy(&x, &before, 2), memcpy(&y, &after, 2); /* the x87 control word comes first */
    assert_int_equal(x, y);
#else
    (void)before, (void)after;
#endif
    assert_int_equal(fegetround(), FE_TONEAREST);
}

/* ---- instruction sets and threads ---- */

/* All instruction sets inside one bound; 1, 3 and 8 threads the same bits. */
static void case_isa_and_threads(void **state) {
    (void)state;
    static const int count[] = {1, 3, 8};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("cases.threads")};
        kernel_case c;
        oracle w;
        shape s = everything(kernel, 70, 9, 12);
        s.heads = 10, s.kv_heads = 5;
        make_case(&c, &s, &r);
        make_oracle(&w, &c.a);
        EACH_WAY(method, isa) {
            results first = {0};
            for (int i = 0; i < 3; i++) {
                c.a.threads = count[i];
                results got = run_case(&c.a, method, isa);
                if (i == 0) {
                    long vacuous = 0;
                    first = got;
                    assert_case(largest_ratio(&c.a, &w, &got, &vacuous) <= 1, "cases.threads",
                                kernel);
                    continue;
                }
                assert_case(same_results(&first, &got), "cases.threads", kernel);
                clear_results(&got);
            }
            clear_results(&first);
        }
        clear_oracle(&w), clear_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_stale_rows),
        cmocka_unit_test(case_stale_rows_elsewhere),
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

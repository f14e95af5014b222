/* Inputs on which recurrences of this kind have failed: empty segments, open gates, growing triangles, cancelling residuals,
 * masked keys.  By every method on every instruction set, by both references and by the plain twins. */
#include "numerics/accuracy/judge.h"
#include "tests/kernels.h"

/* ---- the same call in narrower types: plain twins, token by token ---- */

static const array_type types[] = {ARRAY_F32, ARRAY_F16, ARRAY_BF16};

/* What a judge says of outputs in that type, which are numbers of it. */
static judge_verdict verdict(const mn_args *a, array_type type, const double *o) {
    judge_t j;
    judge_report r;
    int64_t n = a->batch * a->time * a->heads * a->dv;
    char *packed = calloc((size_t)n + 1, array_type_size(type));
    for (int64_t i = 0; i < n; i++) {
        float single = (float)o[i];
        uint16_t half = type == ARRAY_F16 ? array_to_float16(o[i]) : array_to_bfloat16(o[i]);
        memcpy(packed + (size_t)i * array_type_size(type),
               type == ARRAY_F32 ? (const void *)&single : (const void *)&half,
               array_type_size(type));
    }
    assert_int_equal(judge_begin(j, a, arithmetic_of(type), true), JUDGE_DONE);
    j->accept_twin = true;
    assert_int_equal(judge_output(&r, j, type, packed), JUDGE_DONE);
    judge_verdict v = r.verdict;
    judge_report_clear(&r), judge_clear(j);
    free(packed);
    return v;
}

/* ---- empty segments ---- */

/* A segment without tokens keeps its state: of S, A, modes and sums of keys, and of the position. */
static void keeps_states(const mn_args *a, const results *got) {
    size_t each = got->state_bytes / 4 / 4 * 4;
    bool positions = a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR;
    if (positions)
        each = (got->state_bytes - 32) / 4;
    for (int n = 0; n < 4; n++) {
        int64_t length = a->offsets[n + 1] - a->offsets[n];
        const char *mine = (char *)got->state + (size_t)n * each;
        if (length == 0 && a->state_in)
            assert_memory_equal(mine, (const char *)a->state_in + (size_t)n * each, each);
        for (size_t x = 0; length == 0 && !a->state_in && x < each / 4; x++) {
            float y = ((const float *)mine)[x];
            int64_t in = (int64_t)x % (3 * 5 + 9) - 15;
            assert_true(y == (a->kernel == MN_VLA && in >= 0 && in % 4 == 0 ? 1 : 0));
        }
        if (positions) {
            int64_t position;
            memcpy(&position, (char *)got->state + 4 * each + 8 * n, 8);
            assert_int_equal(position, length + (a->state_in ? 3 : 0));
        }
    }
}

/* Segments {0,0,5,5,9} and all empty, from nothing and from a state. */
static void case_empty_segments(void **state) {
    (void)state;
    static const int64_t offsets[][5] = {{0, 0, 5, 5, 9}, {0, 0, 0, 0, 0}, {0, 9, 9, 9, 9}};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int i = 0; i < 6; i++) {
            exact_random r = {test_seed("cases.segments")};
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
                assert_case(largest_ratio(&c.a, &w, &got, &vacuous) <= 1, "cases.segments", kernel);
                keeps_states(&c.a, &got);
                clear_results(&got);
            }
            for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
                arithmetic in = arithmetic_of(types[t]);
                twin_t twin;
                assert_true(twin_run(twin, &c.a, &in));
                for (int64_t x = 0; x < twin->outputs; x++)
                    assert_case(isfinite(twin->o[x]), "cases.segments", kernel);
                int64_t each = twin->states / 4; /* the first segment is empty but in the last */
                for (int64_t x = 0; i % 3 < 2 && c.a.state_in && x < each; x++)
                    assert_case(twin->state[x] == (double)((const float *)c.a.state_in)[x],
                                "cases.segments", kernel);
                twin_clear(twin);
            }
            clear_oracle(&w), clear_case(&c);
        }
}

/* ---- gates ---- */

/* The largest difference of outputs and states, in ulp of the larger number but at least of the row's largest. */
static double apart(const results *x, const results *y, size_t state_floats) {
    double most = 0, size = 0;
    for (size_t i = 0; i < x->o_bytes / 4 + state_floats; i++) {
        bool o = i < x->o_bytes / 4;
        size_t at = o ? i : i - x->o_bytes / 4;
        double p = (double)(o ? x->o : (float *)x->state)[at],
               q = (double)(o ? y->o : (float *)y->state)[at];
        size = fmax(size, fabs(p));
        most = fmax(most, fabs(p - q));
    }
    return most / (size * (double)FLT_EPSILON);
}

/* A log gate of 0 over 1024 tokens is no gate: the same numbers within a few ulp, of a token or of a key. */
static void case_open_gate(void **state) {
    (void)state;
    static const mn_kernel kernels[] = {MN_DELTA, MN_LINEAR, MN_LINEAR, MN_LOGLINEAR};
    static float zero[1024 * 16];
    for (int i = 0; i < 4; i++) {
        exact_random r = {test_seed("cases.open")};
        shape s = {.kernel = kernels[i],
                   .batch = 1,
                   .time = 1024,
                   .heads = 1,
                   .dk = 16,
                   .dv = 16,
                   .beta = true};
        kernel_case c;
        make_case(&c, &s, &r);
        mn_args a = c.a;
        *(i == 2 ? &a.gate_keys : &a.g) = (mn_input){zero, 0, 0, 0};
        EACH_WAY(method, isa) {
            results plain = run_case(&c.a, method, isa), gated = run_case(&a, method, isa);
            double ulps = apart(&plain, &gated,
                                (plain.state_bytes - (kernels[i] == MN_LOGLINEAR ? 8 : 0)) / 4);
            if (!(ulps <= 4))
                print_error("%s, %s, method %d: %g ulp\n", mn_kernel_name(kernels[i]),
                            mn_isa_name(isa), method, ulps);
            assert_case(ulps <= 4, "cases.open", i);
            clear_results(&plain), clear_results(&gated);
        }
        clear_case(&c);
    }
}

/* ---- the delta rule's triangle and residual ---- */

/* A triangle of -1 below the diagonal (k = 1, beta = -1) over 64 tokens: the corner of its inverse is 2^62.  The state doubles
 * with each token, and so it comes out, not noise; noise in the place of outputs is no right output. */
static void case_triangular_inverse(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        exact_random r = {test_seed("cases.triangle")};
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
            assert_case(largest_ratio(&c.a, &w, &got, &vacuous) <= 1, "cases.triangle", i);
            for (int64_t j = 0; j < 2; j++) {
                double last = fabs(exact_double_mid(w.exact->state + j));
                assert_true(last > 0x1p50);
                assert_true(error_of(((float *)got.state)[j], w.exact->state + j) < 1e-5 * last);
            }
            clear_results(&got);
        }
        double o[128];
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            if (types[t] == ARRAY_F16) /* 2^50 is none of its numbers */
                continue;
            for (int64_t j = 0; j < 128; j++)
                o[j] = array_round(types[t], exact_double_mid(w.exact->o + j));
            assert_int_equal(verdict(&c.a, types[t], o), JUDGE_OK);
            for (int64_t j = 64; j < 128; j++) /* as an inverse computed apart leaves them */
                o[j] *= j % 2 ? -0.5 : 3;
            assert_true(verdict(&c.a, types[t], o) >= JUDGE_SUSPECT);
        }
        clear_oracle(&w), clear_case(&c);
    }
}

/* One token on a state of dk numbers. */
static void one_delta(int64_t dk, const float *q, const float *k, float v, const float *in,
                      float *out, float *o, mn_method method, mn_isa isa) {
    char workspace[1 << 16];
    mn_args a = {.kernel = MN_DELTA,
                 .batch = 1,
                 .time = 1,
                 .heads = 1,
                 .dk = dk,
                 .dv = 1,
                 .q = {q},
                 .k = {k},
                 .v = {&v},
                 .o = {o},
                 .scale = 1,
                 .isa = isa,
                 .state_in = in,
                 .state_out = out,
                 .workspace = workspace,
                 .workspace_size = sizeof workspace,
                 .threads = 1};
    assert_int_equal(mn_run(&a, method, NULL), MN_OK);
    if (method != MN_REFERENCE || isa != MN_GENERIC || dk == 1)
        return;
    /* in 16 bits of storage with sums in float32: 0, and not the 2 of a residual of 0 */
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        arithmetic in_type = arithmetic_of(types[t]);
        twin_t twin;
        a.state_out = NULL;
        assert_true(twin_run(twin, &a, &in_type));
        assert_true(twin->o[0] == 0);
        twin_clear(twin);
        assert_int_equal(verdict(&a, types[t], (double[]){0}), JUDGE_OK);
        assert_true(verdict(&a, types[t], (double[]){2}) >= JUDGE_SUSPECT);
    }
}

/* S.k = 4098, v = 4096: the residual is -2.  4098 is no bfloat16 number, but the sum of two: S = (4096, 2), k = (1, 1). */
static void case_cancelling_residual(void **state) {
    (void)state;
    static const float ones[2] = {1, 1}, second[2] = {0, 1};
    _Alignas(8) static const float whole[2] = {4098, 0}, split[2] = {4096, 2};
    _Alignas(8) float out[2];
    float o;
    EACH_WAY(method, isa) {
        one_delta(1, ones, ones, 4096, whole, out, &o, method, isa);
        assert_true(o == 4096 && out[0] == 4096);
        one_delta(2, second, ones, 4096, split, out, &o, method, isa);
        assert_true(o == 0 && out[0] == 4094 && out[1] == 0);
    }
}

/* ---- masked keys ---- */

/* Seven tokens with v = 0 and weight 0 in front change nothing: keys of 0 (and u of 0), rates of 0, a bank of weights 0. */
static void case_masked_keys(void **state) {
    (void)state;
    static const mn_kernel kernels[] = {MN_LINEAR, MN_VLA, MN_VORT, MN_DELTA};
    for (int i = 0; i < 4; i++) {
        exact_random r = {test_seed("cases.masked")};
        shape s = {.kernel = kernels[i],
                   .batch = 1,
                   .time = 20,
                   .heads = 1,
                   .dk = 2,
                   .dv = 3,
                   .normalise = kernels[i] != MN_DELTA,
                   .positive = true,
                   .beta = true,
                   .banks = 2,
                   .modes = 2};
        kernel_case c;
        make_case(&c, &s, &r);
        float *k = (float *)c.a.k.data;
        memset((float *)c.a.v.data, 0, 21 * sizeof *k);
        if (kernels[i] == MN_LINEAR || kernels[i] == MN_VLA)
            memset(k, 0, 14 * sizeof *k);
        if (kernels[i] == MN_VLA)
            memset((float *)c.a.u.data, 0, 14 * sizeof *k);
        if (kernels[i] == MN_DELTA)
            memset((float *)c.a.beta.data, 0, 7 * sizeof *k);
        for (int t = 0; kernels[i] == MN_VORT && t < 20; t++)
            ((int32_t *)c.a.bank.data)[t] = t < 7;
        if (kernels[i] == MN_VORT)
            ((float *)c.a.weights)[2] = ((float *)c.a.weights)[3] = 0;
        mn_args rest = piece(&c.a, 7, 20);
        oracle w;
        make_oracle(&w, &c.a);
        EACH_WAY(method, isa) {
            results all = run_case(&c.a, method, isa), part = run_case(&rest, method, isa);
            long vacuous = 0;
            assert_case(largest_ratio(&c.a, &w, &all, &vacuous) <= 1, "cases.masked", i);
            for (int j = 0; j < 21; j++)
                assert_case(all.o[j] == 0, "cases.masked", i);
            for (int j = 21; j < 60; j++)
                assert_case(isfinite(all.o[j]) &&
                                fabsf(all.o[j] - part.o[j - 21]) <= 1e-5f * (1 + fabsf(all.o[j])),
                            "cases.masked", i);
            clear_results(&all), clear_results(&part);
        }
        clear_oracle(&w), clear_case(&c);
    }
}

/* Keys (1, -1), or (1, 0) and (0, -1), whose features add up to 0, asked for by (1, 1): the divisor is 0, and so is the output;
 * a later token, whose divisor is not, is as exact as any. */
static void case_masked_keys_divisor(void **state) {
    (void)state;
    static const mn_kernel kernels[] = {MN_LINEAR, MN_VLA, MN_VORT};
    static const float ones[] = {1, 1, 1, 1, 1, 1}, weight = 0.5f, node = 1,
                       keys[2][6] = {{1, -1, 0.5f, 0.5f}, {1, 0, 0, -1, 0.5f, 0.5f}};
    for (int i = 0; i < 6; i++) {
        exact_random r = {test_seed("cases.divisor")};
        int zero = i / 3; /* the row whose divisor is 0 */
        shape s = {.kernel = kernels[i % 3],
                   .batch = 1,
                   .time = zero + 2,
                   .heads = 1,
                   .dk = 2,
                   .dv = 3,
                   .normalise = true,
                   .banks = 1,
                   .modes = 1};
        kernel_case c;
        make_case(&c, &s, &r);
        c.a.k.data = keys[zero], c.a.q.data = ones;
        if (s.kernel == MN_VORT)
            c.a.weights = &weight, c.a.nodes = &node;
        if (s.kernel == MN_VLA) /* tokens are kept whole, A stays I */
            memset((float *)c.a.u.data, 0, 2 * (size_t)s.time * sizeof(float));
        reference_t exact;
        reference_init(exact);
        assert_string_equal(reference_status_text(reference_attention(exact, &c.a)), "ok");
        EACH_WAY(method, isa) {
            results got = run_case(&c.a, method, isa);
            for (int j = 0; j < 3 * s.time; j++) {
                assert_case(j / 3 != zero || got.o[j] == 0, "cases.divisor", i);
                assert_case(error_of(got.o[j], exact->o + j) <= 1e-5, "cases.divisor", i);
            }
            for (size_t x = 0; x < (got.state_bytes - (s.kernel == MN_VLA ? 8 : 0)) / 4; x++)
                assert_case(isfinite(((float *)got.state)[x]), "cases.divisor", i);
            clear_results(&got);
        }
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            arithmetic in = arithmetic_of(types[t]);
            twin_t twin;
            assert_true(twin_run(twin, &c.a, &in));
            for (int j = 0; j < 3 * s.time; j++)
                assert_case(isfinite(twin->o[j]) && (j / 3 != zero || twin->o[j] == 0),
                            "cases.divisor", i);
            twin_clear(twin);
        }
        reference_clear(exact), clear_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_empty_segments),     cmocka_unit_test(case_open_gate),
        cmocka_unit_test(case_triangular_inverse), cmocka_unit_test(case_cancelling_residual),
        cmocka_unit_test(case_masked_keys),        cmocka_unit_test(case_masked_keys_divisor),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

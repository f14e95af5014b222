/* mneme check on inputs on which kernels of this kind have failed: what is right is found right, what the fault makes of it is
 * not. */
#define DIR "build/tests/cases_check"
#include "tests/checks.h"

/* An array of one's own, of float32 numbers. */
static void put(array_file *f, const char *name, int dims, const int64_t *shape, const double *x) {
    int64_t n = 1;
    for (int i = 0; i < dims; i++)
        n *= shape[i];
    add(f, name, ARRAY_F32, dims, shape, numbers(ARRAY_F32, x, n));
}

/* The shell's exit status and a word of what is said for in.npz and out.npz. */
static void judged(const char *kernel, const char *more, int status, const char *words) {
    run_result r =
        run(MNEME " check %s --inputs " DIR "/in.npz --output " DIR "/out.npz %s", kernel, more);
    if (r.status != status || !strstr(r.out, words))
        print_error("check %s %s: status %d\n%s%s", kernel, more, r.status, r.out, r.err);
    assert_int_equal(r.status, status);
    assert_non_null(strstr(r.out, words));
    result_clear(&r);
}

static void save_and_clear(array_file *f, const char *path) {
    save(f, path);
    array_file_clear(f);
    *f = (array_file){0, NULL};
}

/* The library's results of what is in in.npz. */
static results run_inputs(judged_call *s) {
    char complaint[CHECK_LINE];
    array_file_clear(&s->inputs), check_call_clear(&s->call);
    memset(&s->inputs, 0, sizeof s->inputs), memset(&s->call, 0, sizeof s->call);
    if (!check_read(&s->inputs, DIR "/in.npz", NULL, complaint) ||
        !check_inputs(&s->call, &s->o, &s->inputs, complaint))
        fail_msg("%s", complaint);
    return run_case(&s->call.args, MN_CHUNK, MN_BEST);
}

static void put_floats(array_file *f, const char *name, int dims, const int64_t *shape,
                       const float *x) {
    int64_t n = 1;
    for (int i = 0; i < dims; i++)
        n *= shape[i];
    float *copy = malloc((size_t)(n + 1) * sizeof *copy);
    memcpy(copy, x, (size_t)n * sizeof *copy);
    add(f, name, ARRAY_F32, dims, shape, copy);
}

/* cu_seqlens = {0,0,5,5,9}: right with the states that empty sequences came with, broken with zeros in their place; and no tokens
 * at all. */
static void case_empty_segments_checked(void **state) {
    (void)state;
    static const char *const kernels[] = {"linear", "simple_gla", "delta_rule", "gated_delta_rule",
                                          "vla",    "loglinear",  "vort"};
    static const int64_t offsets[] = {0, 0, 5, 5, 9};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        judged_call s;
        array_file out = {0, NULL};
        begin(&s, kernels[k],
              strcmp(kernels[k], "loglinear") == 0
                  ? "--shape T=9,H=2,dk=3,dv=5,segments=4,state=1,position=3"
                  : "--shape T=9,H=2,dk=3,dv=5,segments=4,state=1",
              false, false);
        memcpy(array_find(&s.inputs, "cu_seqlens")->data, offsets, sizeof offsets);
        save(&s.inputs, DIR "/in.npz");
        results got = run_inputs(&s);
        const mn_args *a = &s.call.args;
        int64_t blocks = a->kernel == MN_LOGLINEAR ? a->levels
                         : a->kernel == MN_VORT    ? a->banks * a->modes
                                                   : 0,
                o_shape[] = {1, 9, 2, 5}, s_shape[] = {4, 2, a->levels, 3, 5},
                v_shape[] = {4, 2, a->banks, a->modes, 3, 5};
        for (int kind = 0; kind < 2; kind++) {
            put_floats(&out, "o", 4, o_shape, got.o);
            if (a->kernel == MN_LOGLINEAR)
                put_floats(&out, "final_state", 5, s_shape, got.state);
            else if (a->kernel == MN_VORT)
                put_floats(&out, "final_state", 6, v_shape, got.state);
            else
                put_state(&out, &s, got.state);
            int64_t each = 2 * (blocks ? blocks : 1) * 15; /* a sequence's */
            if (kind == 1)
                memset((float *)array_find(&out, "final_state")->data + 2 * each, 0,
                       (size_t)each * sizeof(float));
            save_and_clear(&out, DIR "/out.npz");
            judged(kernels[k], "--accept twin", kind, kind ? "final_state, float32: " : ": ok\n");
        }
        clear_results(&got);
        end(&s);
    }
    /* no tokens: the final states are the initial ones */
    array_file in = {0, NULL}, out = {0, NULL};
    static const int64_t none[5] = {0}, five[] = {5}, qk[] = {1, 0, 2, 3}, st[] = {4, 2, 3, 3};
    double x[72];
    for (int i = 0; i < 72; i++)
        x[i] = i;
    for (int i = 0; i < 3; i++)
        put(&in, (const char *const[]){"q", "k", "v"}[i], 4, qk, NULL);
    int64_t *cu = malloc(sizeof none);
    memcpy(cu, none, sizeof none);
    add(&in, "cu_seqlens", ARRAY_I64, 1, five, cu);
    put(&in, "initial_state", 4, st, x);
    save_and_clear(&in, DIR "/in.npz");
    for (int kind = 0; kind < 2; kind++) {
        put(&out, "o", 4, qk, NULL);
        put(&out, "final_state", 4, st, x);
        x[40]++;
        save_and_clear(&out, DIR "/out.npz");
        judged("linear", "", kind, kind ? "final_state, float32: broken" : "linear: ok");
    }
}

/* A row that was never written: NaN, or what the call before left there. */
static void case_stale_rows_checked(void **state) {
    (void)state;
    judged_call s;
    array_file out = {0, NULL};
    begin(&s, "simple_gla", "--shape 1,40,2,8", false, false);
    results got = run_case(&s.call.args, MN_CHUNK, MN_BEST);
    int64_t shape[] = {1, 40, 2, 8};
    for (int kind = 0; kind < 3; kind++) {
        put_floats(&out, "o", 4, shape, got.o);
        float *row = (float *)out.item[0].data + (17 * 2 + 1) * 8;
        for (int i = 0; kind > 0 && i < 8; i++)
            row[i] = kind == 1 ? NAN : got.o[(16 * 2 + 1) * 8 + i];
        save_and_clear(&out, DIR "/out.npz");
        judged("simple_gla", "", kind > 0,
               kind == 0   ? "simple_gla: ok"
               : kind == 1 ? "8 of 640 elements are not finite"
                           : "[b=0, t=17, h=1, d=");
    }
    clear_results(&got);
    end(&s);
}

/* B = 1, T = 5, H = 3, values constant in each head.  Arrays in the other layout: where T and H differ the shapes tell, and the
 * line names both layouts; where they do not (T = H = 4) the report says so, and which layout would be right. */
static void case_layout_checked(void **state) {
    (void)state;
    judged_call s;
    array_file out = {0, NULL};
    begin(&s, "softmax", "--shape 1,5,3,4", false, false);
    float *v = array_find(&s.inputs, "v")->data;
    for (int i = 0; i < 60; i++)
        v[i] = (float)(i / 4 % 3 + 1);
    save(&s.inputs, DIR "/in.npz");
    double o[64];
    for (int i = 0; i < 60; i++) /* an average of equal values is that value */
        o[i] = i / 4 % 3 + 1;
    put_output(&out, &s, ARRAY_F32, o);
    save_and_clear(&out, DIR "/out.npz");
    judged("softmax", "", 0, "softmax: ok");
    judged("softmax", "--rtol 1e-6", 0, "within the tolerance");
    for (int i = 0; i < 60; i++) /* [B, H, T, D] */
        o[i] = i / 20 + 1;
    put(&out, "o", 4, (const int64_t[]){1, 3, 5, 4}, o);
    save_and_clear(&out, DIR "/out.npz");
    run_result r =
        run(MNEME " check softmax --inputs " DIR "/in.npz --output " DIR "/out.npz --rtol 1e-6");
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, "o: shape [1, 3, 5, 4]"));
    assert_non_null(strstr(r.err, "(layout bthd; --layout bhtd reads [batch, head, time, dim])"));
    result_clear(&r);
    put(&out, "o", 4, (const int64_t[]){1, 5, 3, 4}, o); /* called by the wrong shape */
    save_and_clear(&out, DIR "/out.npz");
    judged("softmax", "", 1, "the output (alone) is [batch, head, time, dim]");
    end(&s);
    /* T = H = 4: nothing in the shapes tells */
    begin(&s, "simple_gla", "--shape 1,4,4,6", true, false);
    results got = run_case(&s.call.args, MN_CHUNK, MN_BEST);
    double all[96];
    for (int i = 0; i < 96; i++)
        all[i] = (double)got.o[i];
    put_output(&out, &s, ARRAY_F32, all);
    save_and_clear(&out, DIR "/out.npz");
    judged("simple_gla", "--layout bhtd", 0, "layout bhtd");
    judged("simple_gla", "--layout bhtd", 0, "time and heads are equal");
    judged("simple_gla", "", 1, "layout bthd = [batch, time, head, dim]");
    judged("simple_gla", "", 1, "all arrays are in the other layout; --layout bhtd reads them so");
    clear_results(&got);
    end(&s);
}

/* Log gates of 0 over 1024 tokens: what the ungated kernel gives is right. */
static void case_open_gate_checked(void **state) {
    (void)state;
    static const char *const kernels[] = {"gated_delta_rule", "simple_gla", "gla"};
    for (int k = 0; k < 3; k++) {
        judged_call s;
        array_file out = {0, NULL};
        begin(&s, kernels[k], "--shape 1,1024,1,16", false, false);
        array *g = array_find(&s.inputs, "g");
        memset(g->data, 0, (size_t)g->elements * sizeof(float));
        save(&s.inputs, DIR "/in.npz");
        mn_args a = s.call.args;
        a.g.data = a.gate_keys.data = NULL;
        results got = run_case(&a, MN_CHUNK, MN_BEST);
        put_floats(&out, "o", 4, (const int64_t[]){1, 1024, 1, 16}, got.o);
        save_and_clear(&out, DIR "/out.npz");
        judged(kernels[k], "--accept twin", 0, ": ok\n");
        clear_results(&got);
        end(&s);
    }
}

/* beta = -1 and equal keys over 64 tokens, one chunk: the triangle's inverse ends in 2^62.  Sums that overflow it are found. */
static void case_triangular_inverse_checked(void **state) {
    (void)state;
    enum { T = 64 };
    double one[T], minus[T], v[T], o[T], noise[T], s = 0;
    for (int t = 0; t < T; t++) {
        one[t] = 1, minus[t] = -1, v[t] = t % 2 ? 1 : 0.5;
        s = s -
            (v[t] -
             s); /* S + beta k (v - S k), exact in 53 bits no longer than the float32 rounding below needs */
        o[t] = s;
        noise[t] = t < 40 ? s : s * (1 + (t % 3 - 1) * 0.25);
    }
    array_file in = {0, NULL}, out = {0, NULL};
    static const int64_t shape[] = {1, T, 1, 1};
    put(&in, "q", 4, shape, one), put(&in, "k", 4, shape, one), put(&in, "v", 4, shape, v);
    put(&in, "beta", 3, shape, minus);
    save_and_clear(&in, DIR "/in.npz");
    for (int kind = 0; kind < 2; kind++) {
        put(&out, "o", 4, shape, kind ? noise : o);
        save_and_clear(&out, DIR "/out.npz");
        judged("delta_rule", "", kind, kind ? "delta_rule: broken" : "delta_rule: ok");
        add(&out, "o", ARRAY_BF16, 4, shape, numbers(ARRAY_BF16, kind ? noise : o, T));
        save_and_clear(&out, DIR "/out.npz");
        judged("delta_rule", "--dtype bfloat16 --accept twin", kind,
               kind ? "o, bfloat16: " : "delta_rule: ok");
    }
}

/* S.k = 4098 and v = 4096 in 16-bit types: S = (4096, 2), k = (1, 1), read by q = (0, 1): 0, where a residual of 0 leaves 2. */
static void case_cancelling_residual_checked(void **state) {
    (void)state;
    static const array_type types[] = {ARRAY_F32, ARRAY_F16, ARRAY_BF16};
    for (int i = 0; i < 3; i++)
        for (int kind = 0; kind < 2; kind++) {
            array_file in = {0, NULL}, out = {0, NULL};
            static const double k[] = {1, 1}, q[] = {0, 1}, v[] = {4096}, s[] = {4096, 2};
            double o[] = {2 * kind};
            static const int64_t two[] = {1, 1, 1, 2}, single[] = {1, 1, 1, 1},
                                 square[] = {1, 1, 2, 1};
            add(&in, "q", types[i], 4, two, numbers(types[i], q, 2));
            add(&in, "k", types[i], 4, two, numbers(types[i], k, 2));
            add(&in, "v", types[i], 4, single, numbers(types[i], v, 1));
            put(&in, "initial_state", 4, square, s);
            save_and_clear(&in, DIR "/in.npz");
            add(&out, "o", types[i], 4, single, numbers(types[i], o, 1));
            put(&out, "final_state", 4, square, kind ? s : (const double[]){4094, 0});
            save_and_clear(&out, DIR "/out.npz");
            judged("delta_rule",
                   types[i] == ARRAY_BF16 ? "--scale 1 --accept twin --dtype bfloat16"
                                          : "--scale 1 --accept twin",
                   kind, kind ? "delta_rule: " : "delta_rule: ok");
        }
}

/* Seven masked tokens in front, and one whose features add up to 0: the normaliser's 0 is no error, and gives 0. */
static void case_masked_keys_checked(void **state) {
    (void)state;
    enum { T = 11 };
    static const double k[2 * T] = {[14] = 1, 0, 0, -1, 1, -1, 0.5, 0.25};
    double q[2 * T], v[2 * T] = {0};
    static const int64_t shape[] = {1, T, 1, 2};
    for (int i = 0; i < 2 * T; i++)
        q[i] = 1, v[i] = i < 14 ? 0 : i;
    array_file in = {0, NULL}, out = {0, NULL};
    put(&in, "q", 4, shape, q), put(&in, "k", 4, shape, k), put(&in, "v", 4, shape, v);
    save_and_clear(&in, DIR "/in.npz");
    /* sums of q.k: 0 seven times, 1, 0, 0, 0.75; of (q.k) v: (14, 15), then less (16, 17), then 0.75 (20, 21) more */
    double o[2 * T] = {[14] = 14, 15, 0, 0, 0, 0, 13.0 / 0.75, 13.75 / 0.75};
    put(&out, "o", 4, shape, o);
    save_and_clear(&out, DIR "/out.npz");
    judged("linear", "--normalise --accept twin", 0, "linear: ok");
    judged("linear", "--normalise", 1, "for 4 of 22 elements the error bound is as large");
    o[16] = (double)NAN;
    put(&out, "o", 4, shape, o);
    save_and_clear(&out, DIR "/out.npz");
    judged("linear", "--normalise", 1, "linear: broken");
}

/* T = 129 with weights for 8 levels: the line names both numbers. */
static void case_more_steps_than_levels_checked(void **state) {
    (void)state;
    enum { T = 129 };
    static const int64_t row[] = {1, T, 1, 1}, levels[] = {1, T, 1, 8};
    static double x[T * 8];
    static const char *const names[] = {"lambda", "level_scales"};
    for (int i = 0; i < 2; i++) {
        array_file in = {0, NULL};
        put(&in, "q", 4, row, x), put(&in, "k", 4, row, x), put(&in, "v", 4, row, x);
        put(&in, names[i], 4, levels, x);
        save_and_clear(&in, DIR "/in.npz");
        put(&in, "o", 4, row, x);
        save_and_clear(&in, DIR "/out.npz");
        run_result r =
            run(MNEME " check loglinear --inputs " DIR "/in.npz --output " DIR "/out.npz");
        char want[100];
        snprintf(want, sizeof want, "%s has 8 levels; position 128 of the longest sequence needs 9",
                 names[i]);
        if (r.status != 2 || !strstr(r.err, want))
            print_error("status %d\n%s%s", r.status, r.out, r.err);
        assert_int_equal(r.status, 2);
        assert_int_equal(line_count(r.err), 1);
        assert_non_null(strstr(r.err, want));
        result_clear(&r);
    }
}

/* {0,1} against {0,2}: the largest relative error is 1/2, whatever stands beside it; an infinite output is right where the exact
 * one is beyond all numbers of the type; NaN among the inputs is an input error. */
static void case_relative_error_with_zeros_checked(void **state) {
    (void)state;
    static const int64_t shape[] = {1, 1, 1, 2}, key[] = {1, 1, 1, 1};
    array_file in = {0, NULL}, out = {0, NULL};
    for (int i = 0; i < 2; i++)
        put(&in, i ? "k" : "q", 4, key, (const double[]){1});
    put(&in, "v", 4, shape, (const double[]){0, 2});
    save_and_clear(&in, DIR "/in.npz");
    put(&out, "o", 4, shape, (const double[]){0, 1});
    save_and_clear(&out, DIR "/out.npz");
    judged("linear", "--scale 1 --rtol 0.5", 0, "within the tolerance");
    judged("linear", "--scale 1 --rtol 0.499", 1, "outside the tolerance");
    judged("linear", "--scale 1 --json " DIR "/r.json", 1, "linear: broken");
    json_t *report = json_load_file(DIR "/r.json", 0, NULL);
    json_t *o = json_array_get(json_object_get(report, "results"), 0);
    assert_true(json_number_value(json_object_get(o, "max_relative_error")) == 0.5);
    assert_true(json_is_null(json_object_get(o, "looks_like"))); /* one token cannot be late */
    json_decref(report);
    /* 3e38^2 is +inf in float32, and so it is beside a zero */
    for (int i = 0; i < 2; i++)
        put(&in, i ? "k" : "q", 4, key, (const double[]){i ? 0x1p100 : 1});
    put(&in, "v", 4, shape, (const double[]){0, 0x1p100});
    save_and_clear(&in, DIR "/in.npz");
    for (int kind = 0; kind < 3; kind++) {
        double got[] = {0, kind == 2 ? -(double)INFINITY : (double)INFINITY};
        if (kind == 1)
            got[0] = (double)NAN;
        put(&out, "o", 4, shape, got);
        save_and_clear(&out, DIR "/out.npz");
        judged("linear", "--scale 1", kind > 0, kind ? "linear: broken" : "linear: ok");
    }
    put(&in, "q", 4, key, (const double[]){1}),
        put(&in, "k", 4, key, (const double[]){(double)NAN});
    put(&in, "v", 4, shape, (const double[]){0, 2});
    save_and_clear(&in, DIR "/in.npz");
    run_result r = run(MNEME " check linear --inputs " DIR "/in.npz --output " DIR "/out.npz");
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, "k[0, 0, 0, 0] is NaN"));
    result_clear(&r);
}

/* A member whose name leads out of the folder is a name: nothing is written anywhere, and the array is not taken for k. */
static void case_npz_names_checked(void **state) {
    (void)state;
    static const int64_t shape[] = {1, 1, 1, 2};
    array_file in = {0, NULL};
    for (int i = 0; i < 3; i++)
        put(&in, (const char *const[]){"q", "../k", "v"}[i], 4, shape, (const double[]){1, 1});
    save_and_clear(&in, DIR "/in.npz");
    run_result r = run("rm -f build/tests/k.npy; " MNEME " check linear --inputs " DIR
                       "/in.npz --output " DIR "/in.npz; ls build/tests/k* " DIR "/k* 2>&1 | "
                       "grep -c 'No such file' >&2");
    assert_non_null(strstr(r.err, "k is missing; linear takes it, and the inputs are: q, ../k, v"));
    assert_non_null(strstr(r.err, "\n2\n"));
    result_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_empty_segments_checked),
        cmocka_unit_test(case_stale_rows_checked),
        cmocka_unit_test(case_layout_checked),
        cmocka_unit_test(case_open_gate_checked),
        cmocka_unit_test(case_triangular_inverse_checked),
        cmocka_unit_test(case_cancelling_residual_checked),
        cmocka_unit_test(case_masked_keys_checked),
        cmocka_unit_test(case_more_steps_than_levels_checked),
        cmocka_unit_test(case_relative_error_with_zeros_checked),
        cmocka_unit_test(case_npz_names_checked),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}

/* mneme check as kernel developers meet it: arrays out, arrays in, what is right, what is wrong and
 * why, and bad input in one line. */
#include <sys/stat.h>

#include "numerics/accuracy/gradient.h"

#define DIR "build/tests/check"
#include "tests/checks.h"

/* libmneme's float32 results of what the command emitted are right, in both layouts. */
static void test_right(void **state) {
    (void)state;
    static const char *const kernels[] = {"linear",     "simple_gla",       "gla",    "retention",
                                          "delta_rule", "gated_delta_rule", "vla",    "vort",
                                          "loglinear",  "log_linear_attn",  "softmax"};
    static const char *const shapes[] = {"--shape 2,30,2,8,5",
                                         "--shape T=40,H=2,d=6,segments=3,state=1",
                                         "--shape B=2,T=20,H=4,KV=2,dk=8,dv=4,state=1"};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t i = 0; i < 3; i++) {
            judged_call s;
            array_file out = {0, NULL};
            bool softmax = strcmp(kernels[k], "softmax") == 0;
            if (softmax && i > 0)
                continue;
            begin(&s, kernels[k], shapes[i], i == 2, false);
            results got = run_case(&s.call.args, MN_CHUNK, MN_BEST);
            int64_t n = (int64_t)got.o_bytes / 4;
            double *o = malloc((size_t)n * sizeof *o);
            for (int64_t j = 0; j < n; j++)
                o[j] = (double)got.o[j];
            put_output(&out, &s, ARRAY_F32, o);
            if (s.call.args.kernel != MN_LOGLINEAR && s.call.args.kernel != MN_VORT && !softmax)
                put_state(&out, &s, got.state);
            save(&out, DIR "/out.npz");
            bool by_row = s.call.args.kernel == MN_DELTA || s.call.args.kernel == MN_VLA;
            expect(&s, by_row ? "--accept twin" : "", 0, ": ok\n");
            if (k == 0)
                expect(&s, "--rtol 1e-3 --atol 1e-4", 0, "within the tolerance");
            o[n / 2] += 1;
            array_file_clear(&out);
            put_output(&out, &s, ARRAY_F32, o);
            save(&out, DIR "/out.npz");
            expect(&s, "", 1, "o, float32: ");
            if (k == 0)
                expect(&s, "--rtol 1e-3 --atol 1e-4", 1, "outside the tolerance");
            array_file_clear(&out);
            clear_results(&got);
            free(o);
            end(&s);
        }
}

/* bfloat16: as raw bytes, and as a float32 dump; what is no bfloat16 number is refused. */
static void test_bfloat16(void **state) {
    (void)state;
    judged_call s;
    begin(&s, "simple_gla", "--shape 1,50,3,16", false, true);
    arithmetic in = arithmetic_of(ARRAY_BF16);
    twin_t twin;
    assert_true(twin_run(twin, &s.call.args, &in));
    for (int type = 0; type < 2; type++) {
        array_file out = {0, NULL};
        put_output(&out, &s, type ? ARRAY_F32 : ARRAY_BF16, twin->o);
        save(&out, DIR "/out.npz");
        expect(&s, "--dtype bfloat16", 0, "o, bfloat16: ok");
        if (type) { /* inputs are V2, and float32 is what the output seems to be */
            run_result r = check(&s, "");
            assert_int_equal(r.status, 2);
            assert_non_null(strstr(r.err, "--dtype bfloat16"));
            result_clear(&r);
            ((float *)out.item[0].data)[7] += 1e-6f;
            save(&out, DIR "/out.npz");
            r = check(&s, "--dtype bfloat16");
            assert_int_equal(r.status, 2);
            assert_non_null(strstr(r.err, "o[0, 0, 0, 7] = "));
            result_clear(&r);
        }
        array_file_clear(&out);
    }
    twin_clear(twin);
    end(&s);
}

/* What a wrong output looks like is found out. */
typedef struct {
    const char *kernel, *more;
    void (*spoil)(mn_args *a); /* the call that the wrong kernel thinks it was given */
    const char *looks_like;
} wrong;

static float scratch[1 << 16];
static void ignore_gate(mn_args *a) {
    a->g.data = a->gate_keys.data = NULL;
}
static void square_decay(mn_args *a) {
    int64_t n = a->batch * a->time * a->kv_heads * (a->gate_keys.data ? a->dk : 1);
    mn_input *g = a->gate_keys.data ? &a->gate_keys : &a->g;
    for (int64_t i = 0; i < n; i++)
        scratch[i] = 2 * g->data[i];
    g->data = scratch;
}
static void unit_scale(mn_args *a) {
    a->scale = 1;
}
static void ignore_beta(mn_args *a) {
    a->beta.data = NULL;
}
static void ignore_lambda(mn_args *a) {
    a->lambda.data = NULL;
}
static void ignore_state(mn_args *a) {
    a->state_in = NULL;
}
static int64_t chunk_offsets[] = {0, 32, 64, 96, 100};
static void forget(mn_args *a) {
    a->segments = 4, a->offsets = chunk_offsets;
}
static void exchange(mn_args *a) {
    const float *q = a->q.data;
    a->q.data = a->k.data, a->k.data = q;
}
static void normalise(mn_args *a) {
    a->normalise = true;
}
/* k e^g: what S = e^g (S + k v^T) comes to */
static void gate_after(mn_args *a) {
    for (int64_t i = 0; i < a->batch * a->time * a->kv_heads * a->dk; i++)
        scratch[i] = a->k.data[i] * expf(a->g.data[i / a->dk]);
    a->k.data = scratch;
}

static void test_wrong(void **state) {
    (void)state;
    static const wrong wrongs[] = {
        {"simple_gla", "--shape 1,100,2,16", ignore_gate, "the gate is ignored"},
        {"gla", "--shape 2,60,2,16", square_decay, "the decay is squared"},
        {"simple_gla", "--shape 1,100,2,16", gate_after, "after the token is added"},
        {"gated_delta_rule", "--shape 1,60,2,16", square_decay, "the decay is squared"},
        {"linear", "--shape 1,100,2,16", unit_scale, "scale is 1"},
        {"delta_rule", "--shape 1,60,2,16", ignore_beta, "beta is ignored"},
        {"loglinear", "--shape 1,60,2,16", ignore_lambda, "lambda is ignored"},
        {"simple_gla", "--shape T=40,d=8,state=1", ignore_state, "the initial state is ignored"},
        {"linear", "--shape 1,100,2,16", forget, "from one chunk of 32 tokens"},
        {"softmax", "--shape 1,60,2,16", exchange, "q and k are exchanged"},
        {"linear", "--shape 1,60,2,16", normalise, "the normaliser"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        judged_call s;
        array_file out = {0, NULL};
        begin(&s, wrongs[i].kernel, wrongs[i].more, false, false);
        mn_args a = s.call.args;
        wrongs[i].spoil(&a);
        results got = run_case(&a, MN_STEP, MN_BEST);
        int64_t n = (int64_t)got.o_bytes / 4;
        double *o = malloc((size_t)n * sizeof *o);
        for (int64_t j = 0; j < n; j++)
            o[j] = (double)got.o[j];
        put_output(&out, &s, ARRAY_F32, o);
        save(&out, DIR "/out.npz");
        expect(&s, "", 1, wrongs[i].looks_like);
        array_file_clear(&out), clear_results(&got), free(o);
        end(&s);
    }
}

/* Layouts, heads, shifts, zeros: of the output alone. */
static void test_wrong_outputs(void **state) {
    (void)state;
    judged_call s;
    begin(&s, "simple_gla", "--shape 1,48,3,8", false, false);
    const mn_args *a = &s.call.args;
    results got = run_case(a, MN_CHUNK, MN_BEST);
    int64_t n = (int64_t)got.o_bytes / 4, row = a->heads * a->dv;
    double *o = calloc((size_t)(n + row), sizeof *o);
    for (int kind = 0; kind < 5; kind++) {
        static const char *const looks_like[] = {
            ("heads are in another order: output head h is "
             "that of 2, 0, 1"),
            "every output is one time step late", "every output is 0",
            "the output (alone) is [batch, head, time, dim]", "1 of 1152 elements are not finite"};
        array_file out = {0, NULL};
        for (int64_t i = 0; i < n; i++) {
            int64_t d = i % a->dv, h = i / a->dv % a->heads, t = i / row;
            double x = (double)got.o[i];
            if (kind == 0)
                o[t * row + (h + 1) % 3 * a->dv + d] = x;
            else if (kind == 1)
                o[i + row] = x, o[i % row] = 0;
            else if (kind == 3)
                o[(h * a->time + t) * a->dv + d] = x;
            else
                o[i] = kind == 2 ? 0 : i == 500 ? (double)NAN : x;
        }
        put_output(&out, &s, ARRAY_F32, o);
        save(&out, DIR "/out.npz");
        expect(&s, "", 1, looks_like[kind]);
        array_file_clear(&out);
    }
    clear_results(&got), free(o);
    end(&s);
}

/* Gradients: the float twins pass; one that is a tenth off does not. */
static void test_gradients(void **state) {
    (void)state;
    static const char *const kernels[] = {"simple_gla", "gla", "gated_delta_rule", "vla",
                                          "softmax"};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        judged_call s;
        begin(&s, kernels[k], "--shape 1,20,2,6,4", false, false);
        const mn_args *a = &s.call.args;
        int64_t n = a->batch * a->time * a->heads * a->dv,
                shape[] = {a->batch, a->time, a->heads, a->dv};
        exact_random r = {test_seed("check.gradients")};
        float *d_o = malloc((size_t)n * sizeof *d_o);
        for (int64_t i = 0; i < n; i++)
            d_o[i] = uniform(&r, -1, 1);
        gradient_twin_t twin;
        gradient_twin_init(twin);
        assert_int_equal(gradient_twin(twin, a, d_o, NULL, NULL), REFERENCE_OK);
        add(&s.inputs, "do", ARRAY_F32, 4, shape, d_o);
        save(&s.inputs, DIR "/in.npz");
        static const gradient_part parts[] = {GRADIENT_Q, GRADIENT_K,         GRADIENT_V,
                                              GRADIENT_G, GRADIENT_GATE_KEYS, GRADIENT_BETA,
                                              GRADIENT_U};
        static const char *const names[] = {"dq", "dk", "dv", "dg", "dg", "dbeta", "du"};
        for (int wrong = 0; wrong < 2; wrong++) {
            array_file out = {0, NULL};
            for (int p = 0; p < 7; p++) {
                slong count = twin->count[parts[p]];
                int64_t dim = count / (a->time * 2), dims[] = {1, a->time, 2, dim};
                bool scalars = parts[p] == GRADIENT_G || parts[p] == GRADIENT_BETA;
                if (count == 0)
                    continue;
                float *x = malloc((size_t)count * sizeof *x);
                memcpy(x, twin->part[parts[p]], (size_t)count * sizeof *x);
                if (wrong && p == 1)
                    for (slong i = count / 2; i < count; i++)
                        x[i] *= 1.1f;
                add(&out, names[p], ARRAY_F32, scalars ? 3 : 4, dims, x);
            }
            save(&out, DIR "/out.npz");
            if (wrong)
                expect(&s, "--grad", 1, "dq, float32: ok");
            else
                expect(&s, "--grad", 0, "dk, float32: ok");
            array_file_clear(&out);
        }
        gradient_twin_clear(twin);
        end(&s);
    }
}

/* ---- bad input ---- */

static void test_refused(void **state) {
    (void)state;
    double inf = (double)INFINITY, nan = (double)NAN;
#define ARRAYS(...) ((const own[]){__VA_ARGS__, {NULL}})
    refused("simple_gla", ARRAYS(QKV, {"g", 3, {1, 4, 2}, -1, 5, 0.5}), "",
            "g at [batch, time, head] = [0, 2, 1] is 0.5");
    refused("simple_gla", ARRAYS(QKV, {"g", 3, {1, 4, 2}, -1, 5, nan}), "", "g[0, 2, 1] is NaN");
    refused("simple_gla", ARRAYS(QKV), "",
            "g is missing; simple_gla takes it, and the inputs are: q, k, v");
    refused("gla", ARRAYS(QKV, {"g", 3, {1, 4, 2}, -1, 0, -1}), "",
            "[batch, time, head, key dim] is wanted");
    refused("simple_gla", ARRAYS(QKV, {"g", 3, {1, 5, 2}, -1, 0, -1}), "",
            "g: shape [1, 5, 2] as [batch, time, head] has time 5; q of shape [1, 4, 2, 3] says 4 "
            "(layout bthd; --layout bhtd");
    refused("linear", ARRAYS({"q", 4, {1, 4, 2, 3}, 1, 9, inf}, {"k", 4, {1, 4, 2, 3}, 1, 0, 1}),
            "", "q[0, 1, 1, 0] is infinite");
    refused("linear", ARRAYS({"q", 4, {1, 4, 2, 3}, 0.1, 0, 1}, {"k", 4, {1, 4, 2, 3}, 1, 0, 1}),
            "", "q[0, 0, 0, 1] = 0.1");
    refused("linear", ARRAYS({"q", 4, {1, 4, 2, 3}, 1, 0, 1}), "", "k is missing");
    refused("linear", ARRAYS({"q", 4, {1, 4, 2, 3}, 1, 0, 1}, {"k", 4, {1, 4, 2, 5}, 1, 0, 1}), "",
            "k: shape [1, 4, 2, 5] as [batch, time, head, key dim] has key dim 5; q of shape");
    refused("linear", ARRAYS({"q", 3, {1, 4, 2}, 1, 0, 1}), "",
            "q: shape [1, 4, 2] has 3 dimensions");
    refused("linear", ARRAYS(QKV, {"cu_seqlens", 1, {3}, 0, 2, 5}), "", "cu_seqlens[2] = 5");
    refused("linear", ARRAYS(QKV, {"cu_seqlens", 1, {3}, 0, 2, 3}), "", "goes from 0 to 3; 0 to 4");
    refused(
        "linear",
        ARRAYS(QKV, {"cu_seqlens", 1, {3}, 4, 0, 0}, {"initial_state", 4, {1, 2, 3, 3}, 0, 0, 0}),
        "", "initial_state: shape [1, 2, 3, 3]");
    refused("delta_rule", ARRAYS(QKV, {"beta", 3, {1, 4, 2}, 1, 0, 1}), "--strict",
            "beta |k|^2 at [batch, time, head] = [0, 0, 0] is 3");
    refused("vla", ARRAYS(QKV, {"u", 4, {1, 4, 2, 3}, 1, 0, 1}), "", "lambda0 is missing");
    refused("vla", ARRAYS(QKV, {"u", 4, {1, 4, 2, 3}, 1, 0, 1}), "--lambda0 0", "lambda0 = 0");
    refused("vla", ARRAYS(QKV, {"u", 4, {1, 4, 2, 3}, 1, 0, 1}), "--lambda0 -1", "lambda0 = -1");
    refused("vla", ARRAYS(QKV, {"u", 4, {1, 4, 2, 3}, 1, 0, 1}), "--lambda0 1 --strict",
            "k at [batch, time, head] = [0, 0, 0] has norm 1.732");
    refused("loglinear", ARRAYS(QKV, {"lambda", 4, {1, 4, 2, 3}, 1, 3, -1}), "",
            "lambda at [batch, time, head, dim] = [0, 0, 1, 0] is -1");
    refused("loglinear", ARRAYS(QKV, {"level_scales", 4, {1, 4, 2, 2}, 1, 0, 1}), "",
            "level_scales has 2 levels; position 3 of the longest sequence needs 3");
    refused("vort",
            ARRAYS(QKV, {"bank", 3, {1, 4, 2}, 0, 3, 2}, {"weights", 2, {2, 1}, 1, 0, 1},
                   {"nodes", 2, {2, 1}, 1, 0, 1}),
            "", "bank[0, 1, 1] = 2; a whole number from 0 to 1 is wanted");
    refused("vort",
            ARRAYS(QKV, {"bank", 3, {1, 4, 2}, 0, 0, 0}, {"weights", 2, {2, 1}, 1, 0, 1},
                   {"nodes", 2, {2, 1}, 1, 1, 1.5}),
            "", "nodes[1, 0] = 1.5");
    refused("delta_rule", ARRAYS(QKV, {"g", 3, {1, 4, 2}, -1, 0, -1}), "", "gated_delta_rule does");
    refused("linear", ARRAYS(QKV, {"qq", 1, {1}, 1, 0, 1}), "--strict",
            "array \"qq\" is not looked at");
    refused("linear", ARRAYS(QKV), "--scale 0", "scale = 0");
    refused("linear", ARRAYS(QKV), "--layout bdht", "bthd or bhtd is wanted");
    refused("linear", ARRAYS(QKV), "--dtype int32", "--dtype: \"int32\" is not a floating type");
    refused("linear", ARRAYS(QKV), "--chunk 0", "--chunk");
    refused("linear", ARRAYS(QKV), "--rtol -1", "--rtol");
    refused("linear", ARRAYS(QKV), "--accept all", "twin is wanted");
    refused("linear", ARRAYS(QKV), "--grad", "the output has no gradient");
    refused("lin", ARRAYS(QKV), "", "\"lin\" is not a kernel");
    /* the file and the member, also where the exact result is what cannot be had */
    refused("vla",
            ARRAYS(QKV, {"u", 4, {1, 4, 2, 3}, 1, 0, 1},
                   {"initial_state", 4, {1, 2, 3, 3}, 0, 0, 0},
                   {"initial_inverse", 4, {1, 2, 3, 3}, 0, 0, -100}),
            "", DIR "/in.npz: initial_inverse[0, 0] is not symmetric and positive definite");
    refused("softmax", ARRAYS(QKV, {"initial_state", 4, {1, 2, 3, 3}, 0, 0, 0}), "",
            "softmax has no state");
    refused("linear", ARRAYS(QKV), "--inputs " DIR "/in.npz", "is given twice");
    refused("linear", ARRAYS(QKV), "--inputs " DIR "/none.npy", "none.npy");
    refused("linear", ARRAYS(QKV), "--json " DIR "/in.npz", "in.npz is read (--inputs)");
    refused("linear", ARRAYS(QKV), "--junit build/tests/../tests/check/out.npz",
            "is read (--output)");
    refused("linear", ARRAYS(QKV), "--json " DIR "/r --junit ./" DIR "/r", "name one file");
    refused("linear", ARRAYS(QKV), "--json /", "cannot write /");
    refused("linear", ARRAYS(QKV), "--json ''", "--json: the value is empty");
    refused("linear", ARRAYS(QKV), "--atol 1e999", "beyond float64");
    refused("linear", ARRAYS(QKV), "--lambda0 1", "--lambda0 goes with vla");
    refused("linear", ARRAYS(QKV), "--position 1", "--position goes with");
    refused("linear", ARRAYS(QKV), "--seed 1", "--seed goes with --emit-inputs");
    refused("vla", ARRAYS(QKV, {"u", 4, {1, 4, 2, 3}, 1, 0, 1}), "--lambda0 1e-60",
            "lambda0 = 1e-60 is no float32");
    refused("vla", ARRAYS(QKV, {"u", 4, {1, 4, 2, 3}, 1, 0, 1}, {"lambda0", 0, {1}, nan, 0, nan}),
            "", "lambda0 is NaN");
    refused("loglinear",
            ARRAYS(QKV, {"lambda", 4, {1, 4, 2, 3}, 1, 0, 1},
                   {"level_scales", 4, {1, 4, 2, 3}, 1, 0, 1}),
            "", "lambda and level_scales are both given");
    refused("loglinear", ARRAYS(QKV, {"level_scales", 4, {1, 4, 2, 3}, 1, 3, -1}), "",
            "level_scales at [batch, time, head, dim] = [0, 0, 1, 0] is -1");
    refused("loglinear",
            ARRAYS(QKV, {"lambda", 4, {1, 4, 2, 3}, 1, 0, 1}, {"position", 0, {1}, 5, 0, 5},
                   {"initial_state", 5, {1, 2, 3, 3, 3}, 0, 0, 0}),
            "", "lambda has 3 levels; position 8 of the longest sequence needs 5");
    refused("vort",
            ARRAYS(QKV, {"bank", 3, {1, 4, 2}, 0, 0, 0}, {"weights", 2, {2, 0}, 1, 0, 1},
                   {"nodes", 2, {2, 0}, 1, 0, 1}),
            "", "at least one bank and one mode are wanted, not [2, 0]");
    /* what does not go with --emit-inputs, and shapes */
    static const char *const emit[][2] = {
        {"--shape 1,4,2,3,3,3", "has 6 numbers"},
        {"--shape 1,4,2,3,", "dv="},
        {"--shape 1,4,2,3 --grad", "--grad does not go with --emit-inputs"},
        {"--shape 1,4,2,3 --scale 2", "--scale does not go with --emit-inputs"},
        {"--shape B=2,T=4,d=3,segments=2", "segments be at least 2 with B=1"}};
    for (size_t i = 0; i < sizeof emit / sizeof *emit; i++) {
        run_result e =
            run(MNEME " check --emit-inputs linear --output " DIR "/none.npz %s", emit[i][0]);
        if (e.status != 2 || line_count(e.err) != 1 || !strstr(e.err, emit[i][1]))
            fail_msg("%s: status %d\n%s%s", emit[i][0], e.status, e.out, e.err);
        result_clear(&e);
    }
    assert_int_not_equal(access(DIR "/none.npz", F_OK), 0);
    /* no tokens: gradients of no elements, and they are right */
    const own none[] = {{"q", 4, {1, 0, 2, 3}, 0, 0, 0},
                        {"k", 4, {1, 0, 2, 3}, 0, 0, 0},
                        {"v", 4, {1, 0, 2, 3}, 0, 0, 0},
                        {"do", 4, {1, 0, 2, 3}, 0, 0, 0},
                        {NULL}},
              dq[] = {{"dq", 4, {1, 0, 2, 3}, 0, 0, 0}, {NULL}};
    write_own(DIR "/in.npz", none), write_own(DIR "/out.npz", dq);
    run_result g =
        run(MNEME " check linear --grad --inputs " DIR "/in.npz --output " DIR "/out.npz");
    if (g.status != 0)
        fail_msg("%s%s", g.out, g.err);
    result_clear(&g);
    write_own(DIR "/out.npz", ARRAYS({"o", 4, {1, 4, 2, 3}, 1, 0, 1}));
    /* a note only */
    write_own(DIR "/in.npz", ARRAYS(QKV, {"qq", 1, {1}, 1, 0, 1}));
    run_result r = run(MNEME " check linear --inputs " DIR "/in.npz --output " DIR "/out.npz");
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "note: array \"qq\" is not looked at"));
    result_clear(&r);
    /* names that are no UTF-8, or that a terminal obeys, in the report */
    write_own(DIR "/in\xff.npz", ARRAYS(QKV, {"q\xfe\x1b", 1, {1}, 1, 0, 1}));
    r = run(MNEME " check linear --inputs " DIR "/in\xff.npz --output " DIR "/out.npz --json " DIR
                  "/odd.json");
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "note: array \"q??\" is not looked at"));
    result_clear(&r);
    json_t *odd = json_load_file(DIR "/odd.json", 0, NULL);
    assert_non_null(odd);
    assert_non_null(strstr(json_string_value(json_object_get(odd, "command")), "in\\xff.npz'"));
    json_decref(odd);
    /* no tolerance at all is one that only exact numbers meet; one that is read is not written */
    r = run(MNEME " check --emit-inputs linear --shape 1,4,2,3 --output " DIR "/in.npz && " MNEME
                  " check linear --inputs " DIR "/in.npz --output " DIR "/out.npz --rtol 0");
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "outside the tolerance"));
    result_clear(&r);
}

/* The reports: JSON by its schema, JUnit as XML; nothing else is written. */
static void test_reports(void **state) {
    (void)state;
    judged_call s;
    begin(&s, "gated_delta_rule", "--shape 2,20,2,6", false, false);
    results got = run_case(&s.call.args, MN_CHUNK, MN_BEST);
    array_file out = {0, NULL};
    int64_t n = (int64_t)got.o_bytes / 4;
    double *o = malloc((size_t)n * sizeof *o);
    for (int64_t i = 0; i < n; i++)
        o[i] = (double)got.o[i];
    o[17] = (double)NAN;
    put_output(&out, &s, ARRAY_F32, o);
    put_state(&out, &s, got.state);
    save(&out, DIR "/out.npz");
    expect(&s, "--json " DIR "/check.json --junit " DIR "/check.xml", 1,
           "gated_delta_rule: broken");
    static const char script[] = "import json, sys, jsonschema\n"
                                 "schema = json.load(open(sys.argv[1]))\n"
                                 "jsonschema.Draft7Validator.check_schema(schema)\n"
                                 "jsonschema.validate(json.load(open(sys.argv[2])), schema)\n";
    FILE *f = fopen(DIR "/validate.py", "w");
    fputs(script, f);
    fclose(f);
    run_result r = run("P=/usr/bin/python3; $P -c 'import jsonschema' 2>/dev/null || P=python3; "
                       "$P " DIR "/validate.py reports/schemas/check.schema.json " DIR
                       "/check.json && xmllint --noout " DIR "/check.xml && ls " DIR);
    if (r.status != 0)
        print_error("%s%s", r.out, r.err);
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "check.json\ncheck.xml\nin.npz\nout.npz\nvalidate.py\n");
    result_clear(&r);
    array_file_clear(&out), clear_results(&got), free(o);
    end(&s);
}

/* The README's examples, as they stand there. */
static void test_readme(void **state) {
    (void)state;
    run_result r =
        run("mkdir -p " DIR
            "/readme && for part in dump pytest; do awk \"/^\\`\\`\\`python $part\\$/{on=1; next} "
            "/^\\`\\`\\`\\$/{on=0} on\" README.md >" DIR "/readme/$part.py; done; "
            "P=/usr/bin/python3; $P -c 'import numpy' 2>/dev/null || P=python3; "
            "PATH=$PWD/build/bin:$PATH; cd " DIR "/readme && $P dump.py && "
            "$P -c 'from importlib.machinery import SourceFileLoader as L; "
            "L(\"example\", \"pytest.py\").load_module().test_simple_gla()' && "
            "mneme check simple_gla --inputs in.npz --output out.npz");
    if (r.status != 0)
        print_error("%s%s", r.out, r.err);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "simple_gla: ok\no, float32: ok"));
    assert_non_null(strstr(r.out, "final_state, float32: ok"));
    result_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports),       cmocka_unit_test(test_right),
        cmocka_unit_test(test_bfloat16),      cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_wrong_outputs), cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_readme),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}

/* What mn_run and mn_convolve refuse, with which status and in which words; what the library exports and needs. */
#include "tests/kernels.h"
#include "tests/process.h"

#ifndef LIBMNEME
#define LIBMNEME "build/lib/libmneme"
#endif

enum { T = 6, H = 2, D = 4 };

/* A correct call, for one thing to be spoilt in it. */
typedef struct {
    mn_args a;
    mn_method method;
    float data[T * H * 64], o[T * H * D], weights[4], nodes[4];
    int32_t bank[T * H];
    int64_t offsets[3];
    _Alignas(8) char state_in[1 << 14], state_out[1 << 14], workspace[1 << 20];
} call;

static call good(mn_kernel kernel) {
    static call c;
    memset(&c, 0, sizeof c);
    memset(c.o, POISON, sizeof c.o), memset(c.state_out, POISON, sizeof c.state_out);
    memset(c.workspace, POISON, sizeof c.workspace);
    c.method = MN_CHUNK;
    for (int m = 0; m < 4; m++)
        c.weights[m] = 1, c.nodes[m] = 0.5f;
    c.offsets[1] = 2, c.offsets[2] = T;
    c.a = (mn_args){.kernel = kernel,
                    .batch = 1,
                    .time = T,
                    .heads = H,
                    .dk = D,
                    .dv = D,
                    .levels = 4,
                    .banks = 2,
                    .modes = 2,
                    .lambda0 = 1,
                    .threads = 1};
    return c;
}

/* Pointers into the call itself, so set where it finally lies. */
static void connect(call *c) {
    mn_args *a = &c->a;
    a->q.data = a->k.data = a->v.data = c->data, a->o.data = c->o;
    a->workspace = c->workspace, a->workspace_size = sizeof c->workspace;
    if (a->kernel == MN_VLA)
        a->u.data = c->data;
    if (a->kernel == MN_VORT)
        a->bank.data = c->bank, a->weights = c->weights, a->nodes = c->nodes;
    if (a->kernel != MN_SOFTMAX)
        a->state_out = c->state_out;
}

/* One clear line: names the argument, no newline, no placeholder. */
static void check_text(const mn_error *error, const char *argument) {
    char text[200];
    assert_ptr_equal(mn_error_text(error, text, sizeof text), text);
    assert_true(strlen(text) > strlen(argument) && strlen(text) < 150);
    assert_null(strchr(text, '\n'));
    assert_null(strstr(text, "(null)"));
    if (strstr(text, argument) == NULL)
        fail_msg("\"%s\" does not name %s", text, argument);
    char small[8];
    mn_error_text(error, small, sizeof small);
    assert_int_equal(strlen(small), 7);
}

/* The call is refused so, and nothing has been written. */
static void refuse_line(call *c, mn_status status, const char *argument, int line) {
    mn_error error = {MN_OK, NULL, 0, 0};
    mn_status got = mn_run(&c->a, c->method, &error);
    char text[200];
    if (got != status || error.status != status)
        fail_msg("line %d: status %d in place of %d (%s)", line, got, status,
                 error.argument ? mn_error_text(&error, text, sizeof text) : "");
    check_text(&error, argument);
    assert_int_equal(mn_run(&c->a, c->method, NULL), status);
    for (size_t i = 0; i < sizeof c->o; i++)
        assert_int_equal(((unsigned char *)c->o)[i], POISON);
    for (size_t i = 0; i < sizeof c->state_out; i++)
        assert_int_equal((unsigned char)c->state_out[i], POISON);
}
/* Spoils a good call of a kernel by some statements on c. */
#define REFUSE(kernel, status, argument, ...)                                                      \
    do {                                                                                           \
        static call spoilt;                                                                        \
        call *c = &spoilt;                                                                         \
        *c = good(kernel);                                                                         \
        connect(c);                                                                                \
        assert_int_equal(mn_run(&c->a, c->method, NULL), MN_OK);                                   \
        *c = good(kernel);                                                                         \
        connect(c);                                                                                \
        __VA_ARGS__;                                                                               \
        refuse_line(c, status, argument, __LINE__);                                                \
    } while (0)

static void shapes(void **state) {
    (void)state;
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "batch", c->a.batch = -1);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "time", c->a.time = -1);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "heads", c->a.heads = 0);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "kv_heads", c->a.kv_heads = -1);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "kv_heads", c->a.kv_heads = 3);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "dk", c->a.dk = 0);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "dv", c->a.dv = -5);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "dk", c->a.dk = (1 << 20) + 1);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "dv", c->a.dv = INT64_MAX);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "segments", c->a.segments = -1);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "batch", c->a.segments = 2, c->a.offsets = c->offsets,
           c->a.batch = 2);
    REFUSE(MN_LOGLINEAR, MN_BAD_SHAPE, "levels", c->a.levels = 0);
    REFUSE(MN_LOGLINEAR, MN_BAD_SHAPE, "levels", c->a.levels = 64);
    REFUSE(MN_VORT, MN_BAD_SHAPE, "banks", c->a.banks = 0);
    REFUSE(MN_VORT, MN_BAD_SHAPE, "modes", c->a.modes = -1);
    REFUSE(MN_SOFTMAX, MN_BAD_SHAPE, "past", c->a.past = -1);
    REFUSE(MN_SOFTMAX, MN_BAD_SHAPE, "past", c->a.past = 1, c->a.segments = 2,
           c->a.offsets = c->offsets);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "batch x time", c->a.batch = INT64_MAX / 2);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "batch x time", c->a.time = INT64_MAX);
    REFUSE(MN_LINEAR, MN_BAD_SHAPE, "batch x time", c->a.heads = INT64_MAX);
    REFUSE(MN_SOFTMAX, MN_BAD_SHAPE, "batch x time", c->a.time = c->a.past = INT64_MAX);
    REFUSE(MN_SOFTMAX, MN_BAD_SHAPE, "batch x time", c->a.time = 0, c->a.heads = (int64_t)1 << 61,
           c->a.kv_heads = 1);
    REFUSE(MN_VORT, MN_BAD_SHAPE, "state", c->a.banks = c->a.modes = 1 << 20,
           c->a.dk = c->a.dv = 1 << 10);
    mn_args huge = {.kernel = MN_VORT,
                    .batch = 1,
                    .time = 1,
                    .heads = 1,
                    .dk = 1 << 20,
                    .dv = 1 << 20,
                    .banks = 1 << 20,
                    .modes = 1 << 20};
    assert_int_equal(mn_state_size(&huge), 0);
    assert_int_equal(mn_workspace_size(&huge, MN_CHUNK), 0);
    assert_int_equal(mn_workspace_size(&huge, (mn_method)7), 0);
    huge.banks = huge.modes = 1, huge.threads = INT32_MAX; /* 2^46 bytes for each thread */
    assert_int_equal(mn_workspace_size(&huge, MN_CHUNK), SIZE_MAX);
}

static void arguments(void **state) {
    (void)state;
    REFUSE(MN_LINEAR, MN_BAD_ARGUMENT, "q", c->a.q.data = NULL);
    REFUSE(MN_DELTA, MN_BAD_ARGUMENT, "k", c->a.k.data = NULL);
    REFUSE(MN_SOFTMAX, MN_BAD_ARGUMENT, "v", c->a.v.data = NULL);
    REFUSE(MN_VORT, MN_BAD_ARGUMENT, "o", c->a.o.data = NULL);
    REFUSE(MN_VLA, MN_BAD_ARGUMENT, "u", c->a.u.data = NULL);
    REFUSE(MN_VORT, MN_BAD_ARGUMENT, "bank", c->a.bank.data = NULL);
    REFUSE(MN_VORT, MN_BAD_ARGUMENT, "weights", c->a.weights = NULL);
    REFUSE(MN_VORT, MN_BAD_ARGUMENT, "nodes", c->a.nodes = NULL);
    REFUSE(MN_LINEAR, MN_BAD_ARGUMENT, "u", c->a.u.data = c->data);
    REFUSE(MN_VLA, MN_BAD_ARGUMENT, "g", c->a.g.data = c->data);
    REFUSE(MN_DELTA, MN_BAD_ARGUMENT, "gate_keys", c->a.gate_keys.data = c->data);
    REFUSE(MN_LINEAR, MN_BAD_ARGUMENT, "beta", c->a.beta.data = c->data);
    REFUSE(MN_DELTA, MN_BAD_ARGUMENT, "lambda", c->a.lambda.data = c->data);
    REFUSE(MN_LINEAR, MN_BAD_ARGUMENT, "gate_keys", c->a.g.data = c->a.gate_keys.data = c->data);
    REFUSE(MN_DELTA, MN_BAD_ARGUMENT, "normalise", c->a.normalise = true);
    REFUSE(MN_SOFTMAX, MN_BAD_ARGUMENT, "state_out", c->a.state_out = c->state_in);
    REFUSE(MN_LINEAR, MN_BAD_ARGUMENT, "offsets", c->a.segments = 2);
}

static void values(void **state) {
    (void)state;
    REFUSE(MN_LINEAR, MN_BAD_VALUE, "kernel", c->a.kernel = MN_KERNELS);
    REFUSE(MN_LINEAR, MN_BAD_VALUE, "kernel", c->a.kernel = (mn_kernel)-1);
    REFUSE(MN_LINEAR, MN_BAD_VALUE, "method", c->method = (mn_method)3);
    REFUSE(MN_LINEAR, MN_BAD_VALUE, "q", c->a.q.time = -8);
    REFUSE(MN_LINEAR, MN_BAD_VALUE, "o", c->a.o.head = -1);
    REFUSE(MN_LINEAR, MN_BAD_VALUE, "v", c->a.v.batch = INT64_MIN);
    REFUSE(MN_VORT, MN_BAD_VALUE, "bank", c->a.bank.time = -1);
    REFUSE(MN_LINEAR, MN_BAD_VALUE, "scale", c->a.scale = NAN);
    REFUSE(MN_LINEAR, MN_BAD_VALUE, "scale", c->a.scale = -INFINITY);
    REFUSE(MN_VLA, MN_BAD_VALUE, "lambda0", c->a.lambda0 = 0);
    REFUSE(MN_VLA, MN_BAD_VALUE, "lambda0", c->a.lambda0 = -1);
    REFUSE(MN_VLA, MN_BAD_VALUE, "lambda0", c->a.lambda0 = NAN);
    REFUSE(MN_VLA, MN_BAD_VALUE, "lambda0", c->a.lambda0 = INFINITY);
    REFUSE(MN_VLA, MN_BAD_VALUE, "refresh_every", c->a.refresh_every = -1);
    REFUSE(MN_VLA, MN_BAD_VALUE, "refresh", c->a.refresh_every = 1, c->a.refresh = -1);
    REFUSE(MN_VLA, MN_BAD_VALUE, "refresh", c->a.refresh_every = 1, c->a.refresh = NAN);
    REFUSE(MN_VORT, MN_BAD_VALUE, "nodes", c->nodes[3] = 1.0000001f);
    REFUSE(MN_VORT, MN_BAD_VALUE, "nodes", c->nodes[0] = -1e-30f);
    REFUSE(MN_VORT, MN_BAD_VALUE, "nodes", c->nodes[1] = NAN);
    REFUSE(MN_VORT, MN_BAD_VALUE, "bank", c->bank[T * H - 1] = 2);
    REFUSE(MN_VORT, MN_BAD_VALUE, "bank", c->bank[0] = -1);
}

static void offsets_states_and_room(void **state) {
    (void)state;
    REFUSE(MN_DELTA, MN_BAD_OFFSETS, "offsets", c->a.segments = 2, c->a.offsets = c->offsets,
           c->offsets[0] = 1);
    REFUSE(MN_DELTA, MN_BAD_OFFSETS, "offsets", c->a.segments = 2, c->a.offsets = c->offsets,
           c->offsets[1] = 7);
    REFUSE(MN_DELTA, MN_BAD_OFFSETS, "offsets", c->a.segments = 2, c->a.offsets = c->offsets,
           c->offsets[2] = T - 1);
    REFUSE(MN_DELTA, MN_BAD_STATE, "state_in", c->a.state_in = c->state_in + 4);
    REFUSE(MN_DELTA, MN_BAD_STATE, "state_out", c->a.state_out = c->state_out + 2);
    REFUSE(MN_DELTA, MN_BAD_STATE, "state_out", c->a.state_in = c->state_out + 8);
    REFUSE(MN_VLA, MN_BAD_STATE, "state_in", c->a.state_in = c->state_in,
           ((int64_t *)(void *)(c->state_in + mn_state_size(&c->a)))[-1] = -1);
    REFUSE(MN_LOGLINEAR, MN_BAD_STATE, "state_in", c->a.state_in = c->state_in,
           ((int64_t *)(void *)(c->state_in + mn_state_size(&c->a)))[-1] = INT64_MAX);
    REFUSE(MN_LINEAR, MN_SMALL_WORKSPACE, "workspace", c->a.workspace = NULL);
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        REFUSE((mn_kernel)kernel, MN_SMALL_WORKSPACE, "workspace",
               c->a.workspace_size = mn_workspace_size(&c->a, c->method) - 1);
    REFUSE(MN_LINEAR, MN_NO_ISA, "isa", c->a.isa = MN_ISAS);
    for (int isa = MN_AVX2; isa < MN_ISAS; isa++)
        if (!mn_isa_usable((mn_isa)isa))
            REFUSE(MN_LINEAR, MN_NO_ISA, "isa", c->a.isa = (mn_isa)isa);
}

static void convolutions(void **state) {
    (void)state;
    static float x[24], y[24], w[4] = {1, 1, 1, 1}, nodes[4] = {0, 1, 0.5f, 0.25f}, s[64];
    static char workspace[1 << 18];
    const mn_convolution right = {.batch = 1,
                                  .time = 6,
                                  .channels = 4,
                                  .x = {x},
                                  .y = {y},
                                  .modes = 4,
                                  .weights = w,
                                  .nodes = nodes,
                                  .threads = 1,
                                  .workspace = workspace,
                                  .workspace_size = sizeof workspace};
    assert_int_equal(mn_convolve(&right, MN_CHUNK, NULL), MN_OK);
#define REFUSE_C(status, argument, ...)                                                            \
    do {                                                                                           \
        mn_convolution c = right;                                                                  \
        mn_method method = MN_CHUNK;                                                               \
        (void)method;                                                                              \
        __VA_ARGS__;                                                                               \
        mn_error error;                                                                            \
        memset(y, POISON, sizeof y);                                                               \
        assert_int_equal(mn_convolve(&c, method, &error), status);                                 \
        check_text(&error, argument);                                                              \
        for (size_t i = 0; i < sizeof y; i++)                                                      \
            assert_int_equal(((unsigned char *)y)[i], POISON);                                     \
    } while (0)
    REFUSE_C(MN_BAD_SHAPE, "batch", c.batch = -1);
    REFUSE_C(MN_BAD_SHAPE, "time", c.time = -1);
    REFUSE_C(MN_BAD_SHAPE, "channels", c.channels = 0);
    REFUSE_C(MN_BAD_SHAPE, "modes", c.modes = -1);
    REFUSE_C(MN_BAD_SHAPE, "batch x time", c.time = INT64_MAX);
    REFUSE_C(MN_BAD_SHAPE, "batch x modes", c.batch = INT64_MAX / 2, c.time = 0);
    REFUSE_C(MN_BAD_SHAPE, "kernel_length", c.modes = 0, c.kernel_length = -1);
    REFUSE_C(MN_BAD_VALUE, "method", method = (mn_method)9);
    REFUSE_C(MN_BAD_VALUE, "method", c.modes = 0, method = MN_STEP);
    REFUSE_C(MN_BAD_VALUE, "x", c.x.time = -1);
    REFUSE_C(MN_BAD_VALUE, "y", c.y.batch = -1);
    REFUSE_C(MN_BAD_ARGUMENT, "x", c.x.data = NULL);
    REFUSE_C(MN_BAD_ARGUMENT, "y", c.y.data = NULL);
    REFUSE_C(MN_BAD_ARGUMENT, "y", c.y.data = x);
    REFUSE_C(MN_BAD_ARGUMENT, "weights", c.weights = NULL);
    REFUSE_C(MN_BAD_ARGUMENT, "nodes", c.nodes = NULL);
    REFUSE_C(MN_BAD_ARGUMENT, "kernel", c.kernel = w);
    REFUSE_C(MN_BAD_ARGUMENT, "kernel", c.modes = 0, c.kernel_length = 2);
    REFUSE_C(MN_BAD_ARGUMENT, "state_in", c.modes = 0, c.state_in = w);
    REFUSE_C(MN_BAD_ARGUMENT, "state_out", c.modes = 0, c.state_out = x);
    REFUSE_C(MN_BAD_STATE, "state_out", c.state_in = s, c.state_out = s + 1);
    REFUSE_C(MN_NO_ISA, "isa", c.isa = MN_ISAS);
    REFUSE_C(MN_SMALL_WORKSPACE, "workspace", c.workspace_size = 63);
    REFUSE_C(MN_SMALL_WORKSPACE, "workspace", c.workspace = NULL);
    nodes[2] = 1.5f;
    REFUSE_C(MN_BAD_VALUE, "nodes", c.modes = 4);
    nodes[2] = NAN;
    REFUSE_C(MN_BAD_VALUE, "nodes", c.modes = 4);
    nodes[2] = 0.5f;
}

static void names(void **state) {
    (void)state;
    for (int k = -1; k <= MN_KERNELS; k++)
        assert_true(strlen(mn_kernel_name((mn_kernel)k)) > 0);
    for (int i = -1; i <= MN_ISAS; i++)
        assert_true(strlen(mn_isa_name((mn_isa)i)) > 0);
    assert_true(mn_isa_usable(MN_BEST) && mn_isa_usable(MN_GENERIC));
    assert_true(mn_isa_usable(mn_isa_best()) && !mn_isa_usable(MN_ISAS));
    char text[100];
    assert_string_equal(mn_error_text(&(mn_error){.status = MN_OK}, text, sizeof text), "no error");
    /* numbers only where they apply: one of them may be 0 */
    static const struct {
        int64_t found, needed;
        const char *text;
    } numbers[] = {{0, 0, "x: value out of range"},
                   {7, 0, "x: value out of range: 7 found, 0 needed"},
                   {0, 7, "x: value out of range: 0 found, 7 needed"},
                   {-1, 7, "x: value out of range: -1 found, 7 needed"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_string_equal(
            mn_error_text(&(mn_error){MN_BAD_VALUE, "x", numbers[i].found, numbers[i].needed}, text,
                          sizeof text),
            numbers[i].text);
    assert_true(strlen(mn_error_text(&(mn_error){.status = (mn_status)99, .argument = "x"}, text,
                                     sizeof text)) > 0);
}

/* The shared library exports what mneme.h declares and needs nothing but libm, libc and OpenMP. */
static void exports(void **state) {
    (void)state;
    if (system("command -v nm >/dev/null && command -v readelf >/dev/null") != 0)
        skip();
    run_result r = run("nm -D --defined-only %s.so.1 | awk '{print $3}' | sort", LIBMNEME);
    run_result want = run("sed -n 's/^[a-z].*[ *]\\(mn_[a-z0-9_]*\\)(.*/\\1/p' "
                          "numerics/kernels/mneme.h | sort");
    assert_int_equal(r.status, 0);
    if (strstr(r.out, "mn_run") == NULL)
        fail_msg("no mn_run among %s", r.out);
    assert_string_equal(r.out, want.out);
    result_clear(&r), result_clear(&want);
    r = run(
        "readelf -d %s.so.1 | sed -n 's/.*(NEEDED).*\\[\\(.*\\)\\]/\\1/p' | "
        "grep -v -E "
        "'^(libm|libc|libgomp|libomp|libpthread|ld-linux.*|lib[a-z]*san|libgcc_s)[.0-9a-z_-]*so'",
        LIBMNEME);
    assert_string_equal(r.out, "");
    result_clear(&r);
}

/* A C++ program uses both libraries. */
static void from_cplusplus(void **state) {
    (void)state;
    run_result r =
        run("command -v \"$CXX\" || command -v c++ || command -v g++ || command -v clang++");
    if (r.status != 0) {
        result_clear(&r);
        skip();
    }
    char compiler[100];
    snprintf(compiler, sizeof compiler, "%.*s", (int)strcspn(r.out, "\n"), r.out);
    result_clear(&r);
    FILE *f = fopen("build/tests/call.cpp", "w");
    assert_non_null(f);
    fputs("#include \"numerics/kernels/mneme.h\"\n#include <cmath>\n"
          "int main() { mn_args a = {}; mn_error e; a.kernel = MN_DELTA;\n"
          "  return mn_run(&a, MN_STEP, &e) == MN_BAD_SHAPE && std::isinf(mn_softplus(INFINITY)) ? "
          "0 : 1; }\n",
          f);
    fclose(f);
    const char *how[] = {"-Lbuild/lib -l:libmneme.a -fopenmp",
                         "-Lbuild/lib -l:libmneme.so.1 -Wl,-rpath,build/lib"};
    for (int i = 0; i < 2; i++) {
        r = run("%s $SANITIZER -std=c++11 -Wall -Wextra -Werror -I. build/tests/call.cpp %s -lm -o "
                "build/tests/call && build/tests/call",
                compiler, how[i]);
        if (r.status != 0)
            fail_msg("%s %s: %s", compiler, how[i], r.err);
        result_clear(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),       cmocka_unit_test(arguments),
        cmocka_unit_test(values),       cmocka_unit_test(offsets_states_and_room),
        cmocka_unit_test(convolutions), cmocka_unit_test(names),
        cmocka_unit_test(exports),      cmocka_unit_test(from_cplusplus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

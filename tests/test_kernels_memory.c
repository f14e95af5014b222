/* Where the kernels read and write: strides, padding, offsets beyond 2^31, heads, threads, what must not spread. */
#include <sys/mman.h>

#include "tests/kernels.h"

/* A call of every kernel with all its inputs. */
static shape everything(int kernel, int64_t time, int64_t dk, int64_t dv) {
    return (shape){.kernel = (mn_kernel)kernel,
                   .batch = 2,
                   .time = time,
                   .heads = 4,
                   .kv_heads = 2,
                   .dk = dk,
                   .dv = dv,
                   .gate = kernel == MN_LINEAR                            ? GATE_KEYS
                           : kernel == MN_DELTA || kernel == MN_LOGLINEAR ? GATE_SCALAR
                                                                          : GATE_NONE,
                   .normalise = kernel == MN_LINEAR || kernel == MN_VLA || kernel == MN_VORT,
                   .positive = true,
                   .beta = true,
                   .lambda = true,
                   .refresh = 0.01f,
                   .refresh_every = 7,
                   .past = kernel == MN_SOFTMAX ? 9 : 0,
                   .state = kernel != MN_SOFTMAX};
}

/* Calls body for every method and instruction set there is. */
#define EACH_WAY(method, isa)                                                                      \
    for (mn_method method = MN_REFERENCE; method <= MN_CHUNK; method++)                            \
        for (mn_isa isa = MN_GENERIC; isa < MN_ISAS; isa++)                                        \
            if (mn_isa_usable(isa) && (method != MN_REFERENCE || isa == MN_GENERIC))

static bool same_results(const results *x, const results *y) {
    return x->o_bytes == y->o_bytes && x->state_bytes == y->state_bytes &&
           memcmp(x->o, y->o, x->o_bytes) == 0 &&
           (x->state_bytes == 0 || memcmp(x->state, y->state, x->state_bytes) == 0);
}

/* The arrays of a call, for one treatment of them all. */
typedef struct {
    mn_input *input;
    int64_t length, heads, dim;
} call_array;
static int arrays_of(mn_args *a, call_array *list) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, keys = a->time + a->past;
    const call_array all[] = {{&a->q, a->time, a->heads, a->dk},
                              {&a->k, keys, kv, a->dk},
                              {&a->v, keys, kv, a->dv},
                              {&a->g, a->time, kv, 1},
                              {&a->gate_keys, a->time, kv, a->dk},
                              {&a->beta, a->time, kv, 1},
                              {&a->u, a->time, kv, a->dk},
                              {&a->lambda, a->time, a->heads, a->levels}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].input->data)
            list[n++] = all[i];
    return n;
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

static void strides_and_padding(void **state) {
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

/* Rows so far apart that the last ones lie more than 2^31 floats from the first. */
static void far_offsets(void **state) {
    (void)state;
    int64_t apart = ((int64_t)1 << 30) + 16, floats = 3 * apart;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("kernels.far")};
        kernel_case c;
        shape s = everything(kernel, 3, 8, 8);
        s.batch = 1, s.past = 0;
        make_case(&c, &s, &r);
        EACH_WAY(method, isa) {
            results packed = run_case(&c.a, method, isa);
            mn_args a = c.a;
            call_array list[9];
            int n = arrays_of(&a, list);
            mn_input out = {NULL, 0, 0, 0};
            list[n] = (call_array){&out, a.time, a.heads, a.dv};
            float *room[9];
            for (int i = 0; i <= n; i++) {
                call_array x = list[i];
                int64_t row = x.heads * x.dim;
                room[i] = mmap(NULL, (size_t)floats * sizeof(float), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
                if (room[i] == MAP_FAILED) { /* a small address space: nothing to test */
                    while (i-- > 0)
                        munmap(room[i], (size_t)floats * sizeof(float));
                    clear_results(&packed), clear_case(&c);
                    skip();
                }
                for (int64_t t = 0; x.input->data && t < a.time; t++)
                    memcpy(room[i] + t * apart, x.input->data + t * row,
                           (size_t)row * sizeof(float));
                *x.input = (mn_input){room[i], 0, apart, x.dim};
            }
            a.o = (mn_output){room[n], 0, apart, a.dv};
            a.isa = isa;
            a.state_out = packed.state_bytes ? malloc(packed.state_bytes) : NULL;
            a.workspace_size = mn_workspace_size(&a, method);
            a.workspace = malloc(a.workspace_size);
            assert_int_equal(mn_run(&a, method, NULL), MN_OK);
            for (int64_t t = 0; t < a.time; t++)
                assert_case(memcmp(room[n] + t * apart, packed.o + t * a.heads * a.dv,
                                   (size_t)(a.heads * a.dv) * sizeof(float)) == 0,
                            "kernels.far", kernel);
            for (int i = 0; i <= n; i++)
                munmap(room[i], (size_t)floats * sizeof(float));
            free(a.state_out), free(a.workspace);
            clear_results(&packed);
        }
        clear_case(&c);
    }
}

/* Every output of head h is h + 1 where all values of that head are. */
static void heads_stay_apart(void **state) {
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

/* NaN or infinity in an input at token t changes no output before t.  VLA may then do a chunk token by token: its earlier
 * outputs stay numbers. */
static void causality(void **state) {
    (void)state;
    static const int64_t tokens[] = {1, 4, 17, 31, 32, 66, 98};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("kernels.causality")};
        kernel_case c;
        shape s = everything(kernel, 99, 5, 19);
        s.batch = 1, s.past = 0;
        make_case(&c, &s, &r);
        call_array list[8];
        int n = arrays_of(&c.a, list);
        EACH_WAY(method, isa) {
            results clean = run_case(&c.a, method, isa);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < 7; j++) {
                    int64_t row = list[i].heads * list[i].dim;
                    float *place = (float *)list[i].input->data + tokens[j] * row, kept = *place;
                    *place = j % 2 ? INFINITY : NAN;
                    results spoilt = run_case(&c.a, method, isa);
                    *place = kept;
                    for (int64_t x = 0; x < tokens[j] * s.heads * s.dv; x++)
                        if (kernel == MN_VLA
                                ? !(fabsf(clean.o[x] - spoilt.o[x]) < 1e-3f)
                                : memcmp(clean.o + x, spoilt.o + x, sizeof(float)) != 0)
                            fail_msg("%s, %s, method %d: array %d at token %ld reaches output %ld",
                                     mn_kernel_name((mn_kernel)kernel), mn_isa_name(isa), method, i,
                                     (long)tokens[j], (long)(x / s.heads / s.dv));
                    clear_results(&spoilt);
                }
            clear_results(&clean);
        }
        clear_case(&c);
    }
}

static void threads(void **state) {
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

/* No state asked for, and in place: the same outputs. */
static void states_in_workspace_and_in_place(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_SOFTMAX; kernel++) {
        exact_random r = {test_seed("kernels.in-place")};
        kernel_case c;
        shape s = everything(kernel, 67, 9, 12);
        make_case(&c, &s, &r);
        EACH_WAY(method, isa) {
            results apart = run_case(&c.a, method, isa);
            for (int in_place = 0; in_place < 2; in_place++) {
                mn_args a = c.a;
                float *o = guarded(apart.o_bytes);
                void *blob = guarded(apart.state_bytes);
                memcpy(blob, a.state_in, apart.state_bytes);
                a.state_in = blob, a.state_out = in_place ? blob : NULL;
                a.isa = isa, a.threads = 2, a.o.data = o;
                a.workspace_size = mn_workspace_size(&a, method);
                a.workspace = (char *)guarded(a.workspace_size + 1) + 1; /* any alignment */
                assert_int_equal(mn_run(&a, method, NULL), MN_OK);
                assert_memory_equal(o, apart.o, apart.o_bytes);
                assert_memory_equal(blob, in_place ? apart.state : c.a.state_in, apart.state_bytes);
                assert_true(guard_whole((char *)a.workspace - 1, a.workspace_size + 1));
                guarded_free((char *)a.workspace - 1), guarded_free(o), guarded_free(blob);
            }
            clear_results(&apart);
        }
        clear_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_and_padding),
        cmocka_unit_test(far_offsets),
        cmocka_unit_test(heads_stay_apart),
        cmocka_unit_test(causality),
        cmocka_unit_test(threads),
        cmocka_unit_test(states_in_workspace_and_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Where the kernels read and write: offsets beyond 2^31, states, what must not spread. */
#include <sys/mman.h>

#include "tests/kernels.h"

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

/* A copy of an array whose end (or beginning) is the end (beginning) of what may be read. */
typedef struct {
    char *map, *data;
    size_t size;
} walled;
static walled wall(const void *data, size_t bytes, bool at_end) {
    size_t page = 4096, room = (bytes + page - 1) / page * page;
    walled x = {.size = room + 2 * page};
    x.map = mmap(NULL, x.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(x.map != MAP_FAILED);
    x.data = x.map + page + (at_end ? room - bytes : 0);
    if (data)
        memcpy(x.data, data, bytes);
    assert_int_equal(mprotect(x.map, page, PROT_NONE), 0);
    assert_int_equal(mprotect(x.map + page + room, page, PROT_NONE), 0);
    return x;
}

/* Nothing outside of the arrays is touched, read or written, at their ends or in front of them: such an
   access would end the program. */
static void stays_inside(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {
        {64, 16, 16}, {67, 5, 19}, {32, 7, 8}, {200, 3, 16}, {1, 9, 33}};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int size = 0; size < 5; size++) {
            exact_random r = {test_seed("kernels.inside")};
            kernel_case c;
            shape s = everything(kernel, sizes[size][0], sizes[size][1], sizes[size][2]);
            s.batch = 1;
            make_case(&c, &s, &r);
            EACH_WAY(method, isa) {
                results want = run_case(&c.a, method, isa);
                for (int at_end = 0; at_end < 2; at_end++) {
                    mn_args a = c.a;
                    call_array list[8];
                    walled x[11];
                    int n = arrays_of(&a, list), used = 0;
                    for (; used < n; used++) {
                        mn_input *in = list[used].input;
                        x[used] =
                            wall(in->data,
                                 (size_t)(list[used].length * list[used].heads * list[used].dim) *
                                     sizeof(float),
                                 at_end);
                        in->data = (float *)(void *)x[used].data;
                    }
                    x[used] = wall(NULL, want.o_bytes, at_end);
                    a.o.data = (float *)(void *)x[used++].data;
                    a.isa = isa, a.workspace_size = mn_workspace_size(&a, method);
                    x[used] = wall(NULL, a.workspace_size, at_end);
                    a.workspace = x[used++].data;
                    if (want.state) { /* in place */
                        x[used] = wall(a.state_in, want.state_bytes, at_end);
                        a.state_in = a.state_out = x[used++].data;
                    }
                    assert_int_equal(mn_run(&a, method, NULL), MN_OK);
                    assert_memory_equal(a.o.data, want.o, want.o_bytes);
                    if (want.state)
                        assert_memory_equal(a.state_out, want.state, want.state_bytes);
                    while (used-- > 0)
                        munmap(x[used].map, x[used].size);
                }
                clear_results(&want);
            }
            clear_case(&c);
        }
}

/* Strides of 0 share rows: the same as copies of them.  All three 0 would be packed. */
static void shared_rows(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("kernels.shared")};
        kernel_case c;
        shape s = everything(kernel, 5, 4, 3);
        make_case(&c, &s, &r);
        for (int kept = 1; kept < 7; kept++) { /* bits: batch, time, head */
            mn_args shared = c.a, copied = c.a;
            call_array list[8], copies[8];
            int n = arrays_of(&shared, list);
            arrays_of(&copied, copies);
            for (int i = 0; i < n; i++) {
                call_array x = list[i];
                int64_t all[3] = {x.length * x.heads * x.dim, x.heads * x.dim, x.dim};
                for (int j = 0; j < 3; j++)
                    all[j] = kept >> j & 1 ? all[j] : 0;
                float *copy = malloc((size_t)(s.batch * x.length * x.heads * x.dim) * sizeof *copy);
                assert_non_null(copy);
                copies[i].input->data = copy;
                for (int64_t b = 0; b < s.batch; b++)
                    for (int64_t t = 0; t < x.length; t++)
                        for (int64_t h = 0; h < x.heads; h++, copy += x.dim)
                            memcpy(copy, x.input->data + b * all[0] + t * all[1] + h * all[2],
                                   (size_t)x.dim * sizeof *copy);
                *x.input = (mn_input){x.input->data, all[0], all[1], all[2]};
            }
            EACH_WAY(method, isa) {
                results one = run_case(&shared, method, isa), two = run_case(&copied, method, isa);
                assert_case(same_results(&one, &two), "kernels.shared", 10 * kernel + kept);
                clear_results(&one), clear_results(&two);
            }
            for (int i = 0; i < n; i++)
                free((float *)copies[i].input->data);
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
        cmocka_unit_test(far_offsets),
        cmocka_unit_test(stays_inside),
        cmocka_unit_test(shared_rows),
        cmocka_unit_test(causality),
        cmocka_unit_test(states_in_workspace_and_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

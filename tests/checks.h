/* Shared by the tests of mneme check, which work in DIR: calls that the command wrote, outputs for it, arrays of one's own. */
#ifndef CHECKS_H
#define CHECKS_H

#include "reports/check.h"
#include "tests/kernels.h"
#include "tests/process.h"

static inline void add(array_file *f, const char *name, array_type type, int dims,
                       const int64_t *shape, void *data) {
    array x = {.name = strdup(name), .type = type, .dims = dims, .elements = 1, .data = data};
    for (int i = 0; i < dims; i++)
        x.shape[i] = shape[i], x.elements *= shape[i];
    f->item = realloc(f->item, (size_t)(f->count + 1) * sizeof *f->item);
    f->item[f->count++] = x;
}

static inline void *numbers(array_type type, const double *x, int64_t n) {
    size_t each = array_type_size(type);
    char *to = calloc((size_t)n + 1, each);
    for (int64_t i = 0; i < n; i++) {
        float single = (float)x[i];
        uint16_t half = type == ARRAY_F16 ? array_to_float16(x[i]) : array_to_bfloat16(x[i]);
        memcpy(to + (size_t)i * each,
               type == ARRAY_F64   ? (const void *)(x + i)
               : type == ARRAY_F32 ? (const void *)&single
                                   : (const void *)&half,
               each);
    }
    return to;
}

static inline void save(const array_file *f, const char *path) {
    char error[ARRAY_ERROR];
    if (array_write_npz(path, f, error) != ARRAY_OK)
        fail_msg("%s", error);
}

/* A call as the command reads it from a file that it wrote. */
typedef struct {
    check_options o;
    check_call call;
    array_file inputs;
} judged_call;

static inline void begin(judged_call *s, const char *kernel, const char *more, bool heads_first,
                         bool bfloat16) {
    char complaint[CHECK_LINE];
    run_result r =
        run(MNEME " check --emit-inputs %s %s --seed 7 --output " DIR "/in.npz%s%s", kernel, more,
            heads_first ? " --layout bhtd" : "", bfloat16 ? " --dtype bfloat16" : "");
    if (r.status != 0)
        fail_msg("%s%s", r.out, r.err);
    result_clear(&r);
    memset(s, 0, sizeof *s);
    s->o = check_defaults(check_find_kernel(kernel));
    s->o.heads_first = heads_first, s->o.bfloat16 = bfloat16;
    if (!check_read(&s->inputs, DIR "/in.npz", NULL, complaint) ||
        !check_inputs(&s->call, &s->o, &s->inputs, complaint))
        fail_msg("%s", complaint);
}
static inline void end(judged_call *s) {
    check_call_clear(&s->call);
    array_file_clear(&s->inputs);
}

/* Outputs in the file's layout. */
static inline void put_output(array_file *f, const judged_call *s, array_type type,
                              const double *o) {
    const mn_args *a = &s->call.args;
    bool swap = s->o.heads_first;
    int64_t n = a->batch * a->time * a->heads * a->dv,
            shape[] = {a->batch, swap ? a->heads : a->time, swap ? a->time : a->heads, a->dv};
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        int64_t d = i % a->dv, h = i / a->dv % a->heads, t = i / a->dv / a->heads % a->time,
                b = i / a->dv / a->heads / a->time;
        x[swap ? ((b * a->heads + h) * a->time + t) * a->dv + d : i] = o[i];
    }
    add(f, "o", type, 4, shape, numbers(type, x, n));
    free(x);
}

/* S of every head. */
static inline void put_state(array_file *f, const judged_call *s, const float *state) {
    const mn_args *a = &s->call.args;
    int64_t size = a->dk * a->dv, sequences = a->segments ? a->segments : a->batch,
            heads = sequences * a->kv_heads, square = a->kernel == MN_VLA ? a->dk * a->dk : 0,
            keys = a->normalise ? a->dk : 0, shape[] = {sequences, a->kv_heads, a->dk, a->dv},
            inverse[] = {sequences, a->kv_heads, a->dk, a->dk},
            sums[] = {sequences, a->kv_heads, a->dk};
    float *x = malloc((size_t)(heads * size + 1) * sizeof *x),
          *y = square ? malloc((size_t)(heads * square) * sizeof *y) : NULL,
          *z = keys ? malloc((size_t)(heads * keys) * sizeof *z) : NULL;
    for (int64_t h = 0; h < heads; h++) {
        const float *from = state + h * (size + square + keys);
        memcpy(x + h * size, from, (size_t)size * sizeof *x);
        if (y)
            memcpy(y + h * square, from + size, (size_t)square * sizeof *y);
        if (z)
            memcpy(z + h * keys, from + size + square, (size_t)keys * sizeof *z);
    }
    add(f, "final_state", ARRAY_F32, 4, shape, x);
    if (y)
        add(f, "final_inverse", ARRAY_F32, 4, inverse, y);
    if (z)
        add(f, "final_keys", ARRAY_F32, 3, sums, z);
}

static inline run_result check(const judged_call *s, const char *more) {
    return run(MNEME " check %s --inputs " DIR "/in.npz --output " DIR "/out.npz%s %s",
               s->o.kernel->name, s->o.heads_first ? " --layout bhtd" : "", more);
}

static inline void expect(const judged_call *s, const char *more, int status, const char *words) {
    run_result r = check(s, more);
    if (r.status != status || !strstr(r.out, words))
        print_error("%s %s: status %d\n%s%s", s->o.kernel->name, more, r.status, r.out, r.err);
    assert_int_equal(r.status, status);
    assert_non_null(strstr(r.out, words));
    result_clear(&r);
}

/* Arrays of one's own: q, k, v and what is in force of the rest. */
typedef struct {
    const char *name;
    int dims;
    int64_t shape[5];
    double value; /* of all, but */
    int64_t at;   /* this one is */
    double other;
} own;

static inline void write_own(const char *path, const own *list) {
    array_file f = {0, NULL};
    for (; list->name; list++) {
        int64_t n = 1;
        for (int i = 0; i < list->dims; i++)
            n *= list->shape[i];
        double *x = malloc((size_t)(n + 1) * sizeof *x);
        for (int64_t i = 0; i < n; i++)
            x[i] = i == list->at ? list->other : list->value;
        bool whole = strcmp(list->name, "cu_seqlens") == 0 || strcmp(list->name, "bank") == 0;
        array_type type = list->value == 0.1 ? ARRAY_F64 : ARRAY_F32;
        if (whole) {
            int64_t *y = malloc((size_t)(n + 1) * sizeof *y);
            for (int64_t i = 0; i < n; i++)
                y[i] = (int64_t)x[i];
            add(&f, list->name, ARRAY_I64, list->dims, list->shape, y);
        } else {
            add(&f, list->name, type, list->dims, list->shape, numbers(type, x, n));
        }
        free(x);
    }
    save(&f, path);
    array_file_clear(&f);
}

#define QKV                                                                                        \
    {"q", 4, {1, 4, 2, 3}, 1, 0, 1}, {"k", 4, {1, 4, 2, 3}, 1, 0, 1}, {                            \
        "v", 4, {1, 4, 2, 3}, 1, 0, 1                                                              \
    }

static inline void refused(const char *kernel, const own *inputs, const char *more,
                           const char *words) {
    write_own(DIR "/in.npz", inputs);
    const own out[] = {{"o", 4, {1, 4, 2, 3}, 1, 0, 1}, {NULL}};
    write_own(DIR "/out.npz", out);
    run_result r =
        run(MNEME " check %s --inputs " DIR "/in.npz --output " DIR "/out.npz %s", kernel, more);
    if (r.status != 2 || line_count(r.err) != 1 || !strstr(r.err, words) || r.out[0])
        print_error("check %s %s: status %d\n%s%s", kernel, more, r.status, r.out, r.err);
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, words));
    assert_string_equal(r.out, "");
    result_clear(&r);
}

static inline int make_folder(void **state) {
    (void)state;
    run_result r = run("rm -rf " DIR " && mkdir -p " DIR);
    int status = r.status;
    result_clear(&r);
    return status;
}

#endif

/* .npy headers on which readers have failed, as mneme check meets them: read rightly, or one clear line. */
#include "tests/array_bytes.h"
#include "tests/process.h"

#define DIR "build/tests/cases_arrays"

static int make_folder(void **state) {
    (void)state;
    run_result r = run("rm -rf " DIR " && mkdir -p " DIR);
    int status = r.status;
    result_clear(&r);
    return status;
}

static void write_bytes(const char *path, byte_string *b, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    free(b->data);
}

static void write_npy(const char *path, int version, const char *dictionary, const void *data,
                      size_t size) {
    byte_string b = npy_of(version, dictionary, data, size);
    write_bytes(path, &b, b.size);
}

#define HEADER(descr, fortran, shape)                                                              \
    "{'descr': '" descr "', 'fortran_order': " fortran ", 'shape': " shape ", }"

/* q = k = v of two tokens and three dimensions, whose output is known in integers. */
static const float rows[6] = {1, 2, 3, 4, 5, 6}, columns[6] = {1, 4, 2, 5, 3, 6};
/* q_0.k_0 = 14, q_1.k_0 = 32, q_1.k_1 = 77 */
static const float output[6] = {14, 28, 42, 340, 449, 558};

static void case_npy_headers(void **state) {
    (void)state;
    float big[6];
    for (int i = 0; i < 6; i++) {
        uint32_t bits;
        memcpy(&bits, rows + i, 4);
        bits = __builtin_bswap32(bits);
        memcpy(big + i, &bits, 4);
    }
    write_npy(DIR "/plain.npy", 1, HEADER("<f4", "False", "(1, 2, 1, 3)") "\n", rows, sizeof rows);
    write_npy(DIR "/o.npy", 1, HEADER("<f4", "False", "(1, 2, 1, 3)") "\n", output, sizeof output);
    static const struct {
        const char *name;
        int version;
        const char *dictionary;
        int order; /* 0: rows, 1: columns, 2: big endian */
    } sound[] = {
        {"fortran", 1, HEADER("<f4", "True", "(1, 2, 1, 3)") "\n", 1},
        {"version 2", 2, HEADER("<f4", "False", "(1, 2, 1, 3)") "\n", 0},
        {"version 3", 3, HEADER("<f4", "False", "(1, 2, 1, 3)") "\n", 0},
        {"big endian", 1, HEADER(">f4", "False", "(1, 2, 1, 3)") "\n", 2},
        {"no newline", 1, HEADER("<f4", "False", "(1, 2, 1, 3)"), 0},
    };
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        const float *data[] = {rows, columns, big};
        write_npy(DIR "/q.npy", sound[i].version, sound[i].dictionary, data[sound[i].order],
                  sizeof rows);
        run_result r =
            run(MNEME " check linear --scale 1 --rtol 0 --inputs q=" DIR "/q.npy --inputs k=" DIR
                      "/plain.npy --inputs v=" DIR "/plain.npy --output " DIR "/o.npy");
        if (r.status != 0)
            print_error("%s: %s%s", sound[i].name, r.out, r.err);
        assert_int_equal(r.status, 0);
        result_clear(&r);
    }
    static const struct {
        int version;
        const char *dictionary;
        size_t cut; /* bytes missing at the end */
        const char *line;
    } refused[] = {
        {1, HEADER("<f4", "False", "()") "\n", 20, "q: shape [] has 0 dimensions"},
        {1, HEADER("<f4", "False", "(0, 3)") "\n", 24, "q: shape [0, 3] has 2 dimensions"},
        {1, HEADER("<f4", "False", "(4611686018427387904, 8)") "\n", 0,
         "q.npy: at byte 59: 'shape' needs 2^63 bytes of data or more"},
        {1, HEADER("<f4", "False", "(1, 2, 1, 3)") "\n", 1,
         "the data end after 23 bytes; the shape needs 24"},
        {1, HEADER("<f4", "False", "(1, 2, 1, 3)") "\n", 24 + 5,
         "ends within the header, which needs 5 bytes more"},
        {2, HEADER("<f4", "False", "(1, 2, 1, 3)") "\n", 0,
         "ends within the header's length; 12 bytes are expected"},
        {1, HEADER("|O", "False", "(1, 2, 1, 3)") "\n", 0, "Python objects"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        byte_string b = npy_of(refused[i].version, refused[i].dictionary, rows, sizeof rows);
        size_t head = (refused[i].version == 1 ? 10 : 12) + strlen(refused[i].dictionary),
               size = refused[i].version == 2 ? 11 : b.size - refused[i].cut;
        assert_true(size <= head + sizeof rows);
        write_bytes(DIR "/q.npy", &b, size);
        run_result r = run(MNEME " check linear --inputs q=" DIR "/q.npy --inputs k=" DIR
                                 "/plain.npy --inputs v=" DIR "/plain.npy --output " DIR "/o.npy");
        if (r.status != 2 || line_count(r.err) != 1 || !strstr(r.err, refused[i].line))
            print_error("%s: status %d\n%s%s", refused[i].line, r.status, r.out, r.err);
        assert_int_equal(r.status, 2);
        assert_int_equal(line_count(r.err), 1);
        assert_non_null(strstr(r.err, refused[i].line));
        assert_string_equal(r.out, "");
        result_clear(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(case_npy_headers)};
    return cmocka_run_group_tests(tests, make_folder, NULL);
}

/* Array files on disk: files of other writers, writing and reading back, paths that cannot be read,
 * and changed files by the thousand. */
#include "tests/array_bytes.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/process.h"

#define SEEDS "tests/fuzz/seeds/"
#define MADE "build/tests/arrays/"

static const char *const formats[FORMATS] = {"npy", "npz", "safetensors"};

static byte_string bytes_of(const char *path) {
    byte_string b = {NULL, 0};
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    for (int c; (c = fgetc(in)) != EOF;)
        add(&b, &(uint8_t){(uint8_t)c}, 1);
    fclose(in);
    return b;
}

/* Fails if a file that Python's zipfile, json and struct wrote is misread: all hold the same six
 * numbers, whichever type and order they have. */
static void files_of_other_writers(void **state) {
    (void)state;
    static const struct {
        const char *file, *name;
        array_type type;
    } cases[] = {{"npy/float64.npy", "", ARRAY_F64},
                 {"npy/float32-big-endian.npy", "", ARRAY_F32},
                 {"npy/float16-fortran.npy", "", ARRAY_F16},
                 {"npy/version2.npy", "", ARRAY_F64},
                 {"npy/version3-compact.npy", "", ARRAY_F32},
                 {"npy/bfloat16.npy", "", ARRAY_V2},
                 {"npy/uint16.npy", "", ARRAY_U16},
                 {"npz/stored.npz", "q", ARRAY_F32},
                 {"npz/stored.npz", "k", ARRAY_F64},
                 {"npz/deflated.npz", "q", ARRAY_F32},
                 {"npz/zip64.npz", "k", ARRAY_F64},
                 {"npz/zip64-deflated.npz", "q", ARRAY_F32},
                 {"npz/descriptors.npz", "k", ARRAY_F64},
                 {"npz/descriptors-zip64.npz", "q", ARRAY_F32},
                 {"npz/paths.npz", "../q", ARRAY_F32},
                 {"npz/paths.npz", "/k", ARRAY_F64},
                 {"safetensors/two.safetensors", "q", ARRAY_F32},
                 {"safetensors/two.safetensors", "k", ARRAY_F64},
                 {"safetensors/small.safetensors", "a", ARRAY_BF16},
                 {"safetensors/small.safetensors", "b", ARRAY_F16}};
    static const double six[] = {0.5, -1, 2, -3.5, 4, -0.0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[128], error[ARRAY_ERROR];
        array_file f;
        snprintf(path, sizeof path, SEEDS "%s", cases[i].file);
        if (array_read(&f, path, error) != ARRAY_OK)
            fail_msg("%s", error);
        array *a = array_find(&f, cases[i].name);
        assert_non_null(a);
        assert_int_equal(a->type, cases[i].type);
        assert_true(a->dims == 2 && a->shape[0] == 2 && a->shape[1] == 3 && a->elements == 6);
        array_as_bfloat16(a);
        for (int k = 0; k < 6; k++)
            assert_memory_equal(&(double){array_get(a, k)}, &six[k], 8);
        array_file_clear(&f);
    }
    char error[ARRAY_ERROR];
    array_file f;
    assert_int_equal(array_read(&f, SEEDS "npz/refused-bzip2.npz", error), ARRAY_UNSUPPORTED);
    assert_non_null(strstr(error, "compressed by method 12"));
}

/* An array of every type and several shapes, of random bits. */
static array_file some_arrays(exact_random *random, bool raw) {
    static const int64_t shapes[][3] = {{2, 3, 5}, {0, 3, 1}, {1, 1, 7}, {4, 2, 1}};
    array_file f = {0, calloc(ARRAY_TYPES, sizeof(array))};
    assert_non_null(f.item);
    for (int t = 0; t < ARRAY_TYPES; t++) {
        if (t == ARRAY_V2 && !raw)
            continue;
        array *a = &f.item[f.count++];
        char name[64];
        snprintf(name, sizeof name, "%s/%d \xc3\xa9 \"", array_type_name((array_type)t), t);
        a->name = strdup(name);
        a->type = (array_type)t;
        a->dims = t % 4;
        a->elements = 1;
        for (int k = 0; k < a->dims; k++) {
            a->shape[k] = shapes[exact_random_integer(random, 0, 3)][k];
            a->elements *= a->shape[k];
        }
        const size_t size = (size_t)a->elements * array_type_size(a->type);
        uint8_t *data = malloc(size + 1);
        for (size_t i = 0; i < size; i++)
            data[i] = (uint8_t)exact_random_next(random);
        a->data = data;
    }
    return f;
}

/* Fails if what was written is not what is read, bit by bit (NaN's included), or if a file differs
 * from the bytes that are written of the same arrays at another time. */
static void what_is_written_is_read(void **state) {
    (void)state;
    exact_random random = {test_seed("what_is_written_is_read")};
    char error[ARRAY_ERROR];
    for (long i = 0; i < test_count(100); i++) {
        const array_format format = (array_format)(i % FORMATS);
        array_file f = some_arrays(&random, format != FORMAT_SAFETENSORS), g;
        for (int64_t k = format == FORMAT_NPY ? f.count : 1; k > 0; k--) {
            if (format == FORMAT_NPY) {
                free(f.item[k - 1].name);
                f.item[k - 1].name = strdup("");
            }
            array_file part = f;
            if (format == FORMAT_NPY)
                part = (array_file){1, &f.item[k - 1]};
            byte_string b;
            array_status status;
            b.data = write_arrays(&part, format, &b.size, &status, error);
            assert_case(b.data != NULL && status == ARRAY_OK, formats[format], i);
            if (i < FORMATS) {
                const char *path = MADE "written";
                status = format == FORMAT_NPY   ? array_write_npy(path, &part.item[0], error)
                         : format == FORMAT_NPZ ? array_write_npz(path, &part, error)
                                                : array_write_safetensors(path, &part, error);
                assert_case(status == ARRAY_OK && error[0] == '\0', formats[format], i);
                byte_string once = bytes_of(path);
                assert_case(once.size == b.size && memcmp(once.data, b.data, b.size) == 0,
                            formats[format], i);
                free(once.data);
            }
            expect_read(&g, &b);
            const char *wrong = different_arrays(&part, &g);
            if (wrong != NULL)
                fail_msg("%s, case %ld: %s", formats[format], i, wrong);
            array_file_clear(&g);
        }
        array_file_clear(&f);
    }
}

/* Fails if Python's zipfile and json disagree with what was written. */
static void other_readers_read_what_is_written(void **state) {
    (void)state;
    float x[] = {1, 2, 3};
    uint16_t y[] = {0x3f80};
    char q[] = "q", k[] = "k", error[ARRAY_ERROR];
    array item[] = {{q, ARRAY_F32, 2, {1, 3}, 3, x}, {k, ARRAY_BF16, 0, {0}, 1, y}};
    array_file f = {2, item}, none = {0, NULL};
    assert_int_equal(array_write_npz(MADE "a.npz", &f, error), ARRAY_OK);
    assert_int_equal(array_write_npz(MADE "none.npz", &none, error), ARRAY_OK);
    assert_int_equal(array_write_safetensors(MADE "a.safetensors", &f, error), ARRAY_OK);
    run_result r =
        run("python3 -c \"import zipfile,struct,json; z=zipfile.ZipFile('" MADE "a.npz'); "
            "assert z.testzip() is None and z.namelist()==['q.npy','k.npy']; "
            "assert zipfile.ZipFile('" MADE "none.npz').namelist()==[]; d=z.read('q.npy'); "
            "n,=struct.unpack('<H',d[8:10]); assert d[:8]==b'\\x93NUMPY\\x01\\x00'; "
            "assert (10+n)%%64==0 and d[9+n]==10; h=eval(d[10:10+n]); "
            "assert h=={'descr':'<f4','fortran_order':False,'shape':(1,3)},h; "
            "assert struct.unpack('<3f',d[10+n:])==(1,2,3); d=z.read('k.npy'); "
            "assert eval(d[10:-2])=={'descr':'|V2','fortran_order':False,'shape':()}; "
            "assert d[-2:]==b'\\x80\\x3f'; d=open('" MADE "a.safetensors','rb').read(); "
            "n,=struct.unpack('<Q',d[:8]); h=json.loads(d[8:8+n]); assert n%%8==0; "
            "assert h['q']=={'dtype':'F32','shape':[1,3],'data_offsets':[0,12]}; "
            "assert h['k']=={'dtype':'BF16','shape':[],'data_offsets':[12,14]}; "
            "assert struct.unpack('<3fH',d[8+n:])==(1,2,3,0x3f80); print('right')\"");
    assert_string_equal(r.err, "");
    assert_string_equal(r.out, "right\n");
    result_clear(&r);
}

/* Fails if what a format cannot say is written all the same, or a failed write changes a file. */
static void what_cannot_be_written_leaves_the_old_file(void **state) {
    (void)state;
    float x[] = {1};
    char q[] = "q", q2[] = "q", meta[] = "__metadata__", bytes[] = "\xff\xfe", error[ARRAY_ERROR];
    array item[] = {{q, ARRAY_F32, 0, {0}, 1, x}, {q2, ARRAY_V2, 0, {0}, 1, x}};
    array_file two = {2, item}, single = {1, item};
    const char *path = MADE "old";
    FILE *out = fopen(path, "w");
    fputs("old", out);
    fclose(out);
    assert_int_equal(array_write_npz(path, &two, error), ARRAY_UNSUPPORTED);
    assert_string_equal(error, MADE "old: two arrays are named 'q'");
    assert_int_equal(array_write_safetensors(path, &two, error), ARRAY_UNSUPPORTED);
    assert_string_equal(error,
                        MADE "old: array 'q' is of type V2, which .safetensors does not have");
    item[1].type = ARRAY_BF16;
    assert_int_equal(array_write_safetensors(path, &two, error), ARRAY_UNSUPPORTED);
    assert_string_equal(error, MADE "old: the array name 'q' is taken");
    item[0].name = meta;
    assert_int_equal(array_write_safetensors(path, &single, error), ARRAY_UNSUPPORTED);
    assert_string_equal(error, MADE "old: the array name '__metadata__' is taken");
    item[0].name = bytes;
    assert_int_equal(array_write_safetensors(path, &single, error), ARRAY_UNSUPPORTED);
    char *longer = malloc(65533);
    memset(longer, 'x', 65532);
    longer[65532] = '\0';
    item[0].name = longer;
    assert_int_equal(array_write_npz(path, &single, error), ARRAY_UNSUPPORTED);
    assert_non_null(strstr(error, "is longer than 65531 bytes"));
    free(longer);
    item[0].name = q;
    char *text = slurp(path);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(array_write_npy(MADE "no/such", item, error), ARRAY_CANNOT_OPEN);
    assert_string_equal(error, MADE "no/such: cannot be written: No such file or directory");
    assert_int_equal(array_write_npy("build", item, error), ARRAY_CANNOT_OPEN);
    assert_string_equal(error, "build: cannot be written: Is a directory");
}

/* Fails if a path that is no array file gets another line. */
static void paths_that_cannot_be_read(void **state) {
    (void)state;
    static const struct {
        const char *path;
        array_status status;
        const char *line;
    } cases[] = {
        {MADE "missing.npy", ARRAY_CANNOT_OPEN,
         MADE "missing.npy: cannot be read: No such file or directory"},
        {"", ARRAY_CANNOT_OPEN, ": cannot be read: No such file or directory"},
        {"tests", ARRAY_CANNOT_OPEN, "tests: is a directory; a file is expected"},
        {"/dev/null", ARRAY_CANNOT_OPEN, "/dev/null: is a device; a file is expected"},
        {"/dev/zero", ARRAY_CANNOT_OPEN, "/dev/zero: is a device; a file is expected"},
        {MADE "empty", ARRAY_MALFORMED,
         MADE "empty: is empty; .npy, .npz or .safetensors is expected"},
        {"README.md", ARRAY_MALFORMED,
         "README.md: at byte 0: the file begins as none that is read; .npy, .npz or .safetensors "
         "is expected"},
        {MADE "pickle", ARRAY_UNSUPPORTED,
         MADE "pickle: at byte 0: a pickle, which can run any program; .npy, .npz or .safetensors "
              "is expected"},
        {MADE "large", ARRAY_MALFORMED,
         MADE "large: at byte 0: the file begins as none that is read; .npy, .npz or "
              ".safetensors is expected"},
        {MADE "unreadable", ARRAY_CANNOT_OPEN,
         MADE "unreadable: cannot be read: Permission denied"},
    };
    fclose(fopen(MADE "empty", "w"));
    FILE *out = fopen(MADE "pickle", "w");
    fputs("\x80\x04N.", out);
    fclose(out);
    fclose(fopen(MADE "large", "w"));
    assert_int_equal(truncate(MADE "large", (off_t)1 << 40), 0); /* all holes: takes no room */
    fclose(fopen(MADE "unreadable", "a"));
    assert_int_equal(chmod(MADE "unreadable", 0), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        array_file f;
        char error[ARRAY_ERROR];
        if (strstr(cases[i].path, "unreadable") != NULL && access(cases[i].path, R_OK) == 0)
            continue; /* nothing is unreadable to root */
        array_status status = array_read(&f, cases[i].path, error);
        assert_string_equal(error, cases[i].line);
        assert_int_equal(status, cases[i].status);
        assert_true(f.count == 0 && f.item == NULL);
    }
    unlink(MADE "large");
    unlink(MADE "unreadable");

    /* a long path is shortened, what went wrong is not; no character of it breaks the line */
    char path[600] = "", error[ARRAY_ERROR];
    array_file f;
    for (int i = 0; i < 50; i++)
        strcat(path, "folder\n//");
    assert_int_equal(array_read(&f, path, error), ARRAY_CANNOT_OPEN);
    assert_memory_equal(error, "...", 3);
    assert_non_null(strstr(error, "folder\\x0a//: cannot be read: No such file or directory"));
}

/* A pipe is read as a file is. */
static void pipes_are_read(void **state) {
    (void)state;
    const char *path = MADE "pipe";
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    run_result r = run("(cat " SEEDS "npz/deflated.npz > " MADE "pipe &)");
    array_file f;
    char error[ARRAY_ERROR];
    if (array_read(&f, path, error) != ARRAY_OK)
        fail_msg("%s", error);
    assert_int_equal(f.count, 2);
    array_file_clear(&f);
    result_clear(&r);
    unlink(path);
}

/* Fails if any of many changed files crashes a reader, is read unsoundly, or is not refused in one
 * line ("make fuzz" tries more, and harder). */
static void changed_files_are_read_soundly_or_refused(void **state) {
    (void)state;
    static const uint64_t edges[] = {0, 1, 0x7f, 0xff, 0xffff, 0xffffffff, UINT64_MAX, INT64_MAX};
    for (int format = 0; format < FORMATS; format++) {
        exact_random random = {test_seed(formats[format])};
        byte_string seed[32];
        char path[300];
        int seeds = 0;
        snprintf(path, sizeof path, SEEDS "%s", formats[format]);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        for (struct dirent *entry; (entry = readdir(folder)) != NULL && seeds < 32;) {
            snprintf(path, sizeof path, SEEDS "%s/%.200s", formats[format], entry->d_name);
            if (entry->d_name[0] != '.')
                seed[seeds++] = bytes_of(path);
        }
        closedir(folder);
        assert_true(seeds >= 5);
        for (long i = 0; i < test_count(20000); i++) {
            const byte_string *from = &seed[exact_random_integer(&random, 0, seeds - 1)];
            size_t size = from->size;
            uint8_t *b = malloc(size + 1);
            memcpy(b, from->data, size);
            for (slong n = exact_random_integer(&random, 1, 4); n > 0; n--) {
                const size_t at = (size_t)exact_random_integer(&random, 0, (slong)size - 1);
                const size_t width = (size_t)1 << exact_random_integer(&random, 0, 3);
                switch (exact_random_integer(&random, 0, 4)) {
                case 0:
                    b[at] ^= (uint8_t)(1 << exact_random_integer(&random, 0, 7));
                    break;
                case 1:
                    b[at] = (uint8_t)exact_random_next(&random);
                    break;
                case 2: /* another digit, sign or bracket */
                    b[at] = (uint8_t) "0123456789-,()[]{}'\":TF<>=|"[exact_random_integer(&random,
                                                                                          0, 26)];
                    break;
                case 3:
                    for (size_t k = 0; k < width && at + k < size; k++)
                        b[at + k] = (uint8_t)(edges[exact_random_integer(&random, 0, 7)] >> 8 * k);
                    break;
                default:
                    if (at > size / 2)
                        size = at;
                }
            }
            uint8_t *exact = malloc(size > 0 ? size : 1);
            memcpy(exact, b, size);
            stamp_format(exact, size, (array_format)format);
            const char *wrong = misread(exact, size, (array_format)format);
            free(exact);
            free(b);
            if (wrong != NULL)
                fail_msg("%s, case %ld of seed %s: %s", formats[format], i,
                         getenv("SEED") ? getenv("SEED") : "1", wrong);
        }
        while (seeds > 0)
            free(seed[--seeds].data);
    }
}

int main(void) {
    mkdir("build/tests/arrays", 0777);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_other_writers),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(other_readers_read_what_is_written),
        cmocka_unit_test(what_cannot_be_written_leaves_the_old_file),
        cmocka_unit_test(paths_that_cannot_be_read),
        cmocka_unit_test(pipes_are_read),
        cmocka_unit_test(changed_files_are_read_soundly_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

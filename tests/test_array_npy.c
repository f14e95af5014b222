/* .npy files: every type, order and version, and what is refused with which line. */
#include "tests/array_bytes.h"

/* One element of that type, kind and size with the value n, least significant byte first. */
static uint64_t element_bits(char kind, size_t size, int n) {
    uint64_t bits = (uint64_t)(int64_t)n;
    const double x = n;
    const float y = (float)n;
    uint32_t narrow;
    if (kind == 'f' && size == 8)
        memcpy(&bits, &x, 8);
    memcpy(&narrow, &y, 4);
    if (kind == 'f' && size == 4)
        bits = narrow;
    if (kind == 'V')
        bits = narrow >> 16;
    if (kind == 'f' && size == 2)
        bits = array_to_float16(x);
    return bits;
}

/* Fails if a byte or axis order is read as the other, for any type, with axes of 1 among them. */
static void every_type_and_order(void **state) {
    (void)state;
    static const struct {
        char kind;
        size_t size;
        array_type type;
    } types[] = {{'f', 8, ARRAY_F64}, {'f', 4, ARRAY_F32}, {'f', 2, ARRAY_F16}, {'i', 8, ARRAY_I64},
                 {'i', 4, ARRAY_I32}, {'u', 2, ARRAY_U16}, {'V', 2, ARRAY_V2}};
    static const int shape[] = {2, 1, 3, 5};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        for (int c = 0; c < 8; c++) {
            const char order = "<>=|"[c % 4];
            const bool fortran = c >= 4, big = order == '>';
            byte_string data = {NULL, 0};
            char text[128];
            for (int i = 0; i < 30; i++) {
                /* i-th in the file; (a, 0, b, d) is element 15 a + 5 b + d in C order */
                const int n = fortran ? i % 2 * 15 + i / 2 % 3 * 5 + i / 6 : i;
                uint64_t bits = element_bits(types[k].kind, types[k].size, n);
                for (size_t s = 0; s < types[k].size; s++)
                    add_number(&data, bits >> 8 * (big ? types[k].size - 1 - s : s), 1);
            }
            snprintf(text, sizeof text,
                     "{'descr': '%c%c%zu', 'fortran_order': %s, 'shape': (2, 1, 3, 5), }\n", order,
                     types[k].kind, types[k].size, fortran ? "True" : "False");
            byte_string b = npy_of(1, text, data.data, data.size);
            free(data.data);
            array_file f;
            expect_read(&f, &b);
            assert_int_equal(f.count, 1);
            array *a = array_find(&f, "");
            assert_ptr_equal(a, &f.item[0]);
            assert_int_equal(a->type, types[k].type);
            assert_int_equal(a->dims, 4);
            assert_int_equal(a->elements, 30);
            for (int i = 0; i < 4; i++)
                assert_int_equal(a->shape[i], shape[i]);
            if (types[k].type == ARRAY_V2)
                assert_true(array_as_bfloat16(a));
            for (int i = 0; i < 30; i++)
                assert_true(array_get(a, i) == i);
            assert_null(array_find(&f, "q"));
            array_file_clear(&f);
        }
    }
}

/* Fails if a sound header that numpy would not write is refused: other order of keys, quotes,
 * blanks, commas, Python 2's long integers, no newline at the end, versions 2 and 3. */
static void every_sound_spelling(void **state) {
    (void)state;
    static const struct {
        int version;
        const char *text;
        int dims;
        int64_t shape[2], elements;
    } cases[] = {
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }    \n", 0, {0}, 1},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 0, {0}, 1},
        {1, "{'shape':(3,),'descr':'<f8','fortran_order':True}", 1, {3}, 3},
        {1, "{'shape':(3L,),'descr':'<f8','fortran_order':False}\n", 1, {3}, 3},
        {2, "{\"descr\": \"f8\", \"shape\": (3, 2,), \"fortran_order\": False,}\n", 2, {3, 2}, 6},
        {3, "  { 'descr' : '<f8' , 'shape' : ( 3 , 2 ) , 'fortran_order' : True }", 2, {3, 2}, 6},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }\n", 2, {0, 3}, 0},
        {1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 0), }\n", 2, {3, 0}, 0},
    };
    static const double data[6] = {1, 2, 3, 4, 5, 6};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        byte_string b =
            npy_of(cases[i].version, cases[i].text, data, 8 * (size_t)cases[i].elements);
        array_file f;
        expect_read(&f, &b);
        const array *a = &f.item[0];
        assert_int_equal(a->type, ARRAY_F64);
        assert_int_equal(a->dims, cases[i].dims);
        assert_int_equal(a->elements, cases[i].elements);
        for (int k = 0; k < a->dims; k++)
            assert_int_equal(a->shape[k], cases[i].shape[k]);
        if (a->elements > 0)
            assert_true(array_get(a, 0) == 1 &&
                        array_get(a, a->elements - 1) == (double)a->elements);
        array_file_clear(&f);
    }
}

#define AXES8 "1, 1, 1, 1, 1, 1, 1, 1"
#define WANTED "; float64, float32, float16, bfloat16, int64, int32 or uint16 is expected"

/* Fails if a header that is wrong, or of a kind that is not read, is taken or gets another line. */
static void every_unsound_header_has_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text; /* %s: where a descr, order or shape goes */
        array_status status;
        const char *line;
    } cases[] = {
        {"", ARRAY_MALFORMED,
         "f: at byte 10: the header has the end; a dictionary '{...}' is expected"},
        {"{}", ARRAY_MALFORMED, "f: at byte 12: the header lacks 'descr'"},
        {"{'descr': '<f8', 'shape': ()}", ARRAY_MALFORMED,
         "f: at byte 39: the header lacks 'fortran_order'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), 'x': 1}", ARRAY_MALFORMED,
         "f: at byte 64: the header has a key 'x'; only 'descr', 'fortran_order' and 'shape' are "
         "expected"},
        {"{'descr': '<f8', 'descr': '<f4'}", ARRAY_MALFORMED,
         "f: at byte 27: the header has 'descr' twice"},
        {"{'descr' '<f8'}", ARRAY_MALFORMED, "f: at byte 19: the header has '''; ':' is expected"},
        {"{'descr': '<f8' 'shape': ()}", ARRAY_MALFORMED,
         "f: at byte 26: the header has '''; ',' or '}' is expected"},
        {"{,}", ARRAY_MALFORMED, "f: at byte 11: the header has ','; a key in quotes is expected"},
        {"{'descr", ARRAY_MALFORMED,
         "f: at byte 11: the header has '''; a key in quotes is expected"},
        {"{'de\\x73cr': '<f8'}", ARRAY_MALFORMED,
         "f: at byte 11: the header has '''; a key in quotes is expected"},
        {"{'descr': f8}", ARRAY_MALFORMED,
         "f: at byte 20: the header has 'f'; a type in quotes, such as '<f8', is expected"},
        {"{'descr': ''}", ARRAY_MALFORMED, "f: at byte 20: 'descr' names no type" WANTED},
        {"{'descr': '|O'}", ARRAY_UNSUPPORTED,
         "f: at byte 20: '|O' is Python objects (a pickle, which can run any program)" WANTED},
        {"{'descr': '<c16'}", ARRAY_UNSUPPORTED, "f: at byte 20: '<c16' is complex numbers" WANTED},
        {"{'descr': '<U3'}", ARRAY_UNSUPPORTED, "f: at byte 20: '<U3' is text" WANTED},
        {"{'descr': '<M8[ns]'}", ARRAY_UNSUPPORTED,
         "f: at byte 20: '<M8[ns]' is dates or times" WANTED},
        {"{'descr': '|b1'}", ARRAY_UNSUPPORTED,
         "f: at byte 20: '|b1' is true and false, or bytes" WANTED},
        {"{'descr': '|V4'}", ARRAY_UNSUPPORTED,
         "f: at byte 20: '|V4' is raw bytes other than two" WANTED},
        {"{'descr': '<f16'}", ARRAY_UNSUPPORTED,
         "f: at byte 20: '<f16' is floating-point numbers longer than float64" WANTED},
        {"{'descr': '<i2'}", ARRAY_UNSUPPORTED,
         "f: at byte 20: '<i2' is integers of another size" WANTED},
        {"{'descr': [('a', '<f4')]}", ARRAY_UNSUPPORTED,
         "f: at byte 20: 'descr' is a structured type" WANTED},
        {"{'fortran_order': 1}", ARRAY_MALFORMED,
         "f: at byte 28: the header has '1'; True or False is expected"},
        {"{'shape': 3}", ARRAY_MALFORMED,
         "f: at byte 20: the header has '3'; a shape in parentheses, such as (3, 4), is expected"},
        {"{'shape': (3)}", ARRAY_MALFORMED,
         "f: at byte 23: 'shape' is a number in parentheses; a tuple such as (3,) is expected"},
        {"{'shape': (3 4)}", ARRAY_MALFORMED,
         "f: at byte 23: the header has '4'; ',' or ')' is expected"},
        {"{'shape': (,)}", ARRAY_MALFORMED,
         "f: at byte 21: the header has ','; an axis of 'shape', a whole number, is expected"},
        {"{'shape': (-1,)}", ARRAY_MALFORMED,
         "f: at byte 21: 'shape' has a negative axis; 0 or more is expected"},
        {"{'shape': (03,)}", ARRAY_MALFORMED,
         "f: at byte 21: an axis of 'shape' begins with 0; a decimal number is expected"},
        {"{'shape': (9223372036854775808,)}", ARRAY_MALFORMED,
         "f: at byte 21: an axis of 'shape' is not below 2^63"},
        {"{'shape': (3, __import__('os'))}", ARRAY_MALFORMED,
         "f: at byte 24: the header has '_'; an axis of 'shape', a whole number, is expected"},
        {"{'shape': (" AXES8 ", 1)}", ARRAY_UNSUPPORTED,
         "f: at byte 45: 'shape' has more than 8 axes, the most that are read"},
        {"{'shape': (3,), 'descr': '<f8', 'fortran_order': False} x", ARRAY_MALFORMED,
         "f: at byte 66: the header has 'x'; nothing but blanks after '}' is expected"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8)}",
         ARRAY_MALFORMED, "f: at byte 59: 'shape' needs 2^63 bytes of data or more"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904, 8)}",
         ARRAY_MALFORMED, "f: at byte 59: 'shape' needs 2^63 bytes of data or more"},
        /* fits in 63 bits, and in no memory: nothing may be allocated by it */
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (288230376151711744, 2)}",
         ARRAY_MALFORMED,
         "f: at byte 84: the data end after 0 bytes; the shape needs 4611686018427387904"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (\x80", ARRAY_MALFORMED,
         "f: at byte 61: the header has \\x80; an axis of 'shape', a whole number, is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        byte_string b = npy_of(1, cases[i].text, NULL, 0);
        expect_refused(&b, cases[i].status, cases[i].line);
    }
}

/* Fails if a file that was cut off anywhere is read, or one that goes on after its data. */
static void cut_off_or_too_long(void **state) {
    (void)state;
    const char *text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    const float data[6] = {1, 2, 3, 4, 5, 6};
    for (int version = 1; version <= 3; version++) {
        byte_string whole = npy_of(version, text, data, sizeof data);
        for (size_t n = 0; n < whole.size; n++) {
            byte_string b = {NULL, 0};
            char line[160];
            const size_t head = version == 1 ? 10 : 12, end = head + strlen(text);
            add(&b, whole.data, n);
            if (n == 0)
                snprintf(line, sizeof line, "f: is empty; .npy, .npz or .safetensors is expected");
            else if (n < 6)
                snprintf(line, sizeof line,
                         "f: at byte 0: the file begins as none that is read; .npy, .npz or "
                         ".safetensors is expected");
            else if (n < head)
                snprintf(line, sizeof line,
                         "f: at byte %zu: ends within the header's length; %d bytes are expected",
                         n, n > 6 ? (int)head : 12);
            else if (n < end)
                snprintf(line, sizeof line,
                         "f: at byte %zu: ends within the header, which needs %zu bytes more", n,
                         end - n);
            else
                snprintf(line, sizeof line,
                         "f: at byte %zu: the data end after %zu bytes; the shape needs 24", n,
                         n - end);
            expect_refused(&b, ARRAY_MALFORMED, line);
        }
        char line[96];
        add(&whole, "more", 4);
        snprintf(line, sizeof line, "f: at byte %zu: 4 bytes follow the data; the shape needs 24",
                 whole.size - 4);
        expect_refused(&whole, ARRAY_MALFORMED, line);
    }
    byte_string b = npy_of(4, text, data, sizeof data);
    expect_refused(&b, ARRAY_UNSUPPORTED, "f: at byte 6: version 4.0; 1.0, 2.0 or 3.0 is expected");
    b = npy_of(2, text, data, sizeof data);
    b.data[11] = 0xff;
    expect_refused(&b, ARRAY_UNSUPPORTED,
                   "f: at byte 8: a header of 4278190140 bytes; at most 65535 are expected");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_order),
        cmocka_unit_test(every_sound_spelling),
        cmocka_unit_test(every_unsound_header_has_its_line),
        cmocka_unit_test(cut_off_or_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

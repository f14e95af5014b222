/* .safetensors files: every type, and what is refused with which line. */
#include "tests/array_bytes.h"

static byte_string safetensors_of(const char *header, const void *data, size_t size) {
    byte_string b = {NULL, 0};
    add_number(&b, strlen(header), 8);
    add(&b, header, strlen(header));
    add(&b, data, size);
    return b;
}

/* Fails if a type, a shape or an offset is misread, or the order of the header is lost. */
static void every_type_at_its_offset(void **state) {
    (void)state;
    static const uint8_t data[] = {0,    0,    0,    0,    0,    0,    0xf0, 0x3f, /* 1.0 */
                                   0,    0,    0,    0xc0,                         /* -2.0f */
                                   0,    0x44, /* 4 in float16 */
                                   0,    0x41, /* 8 in bfloat16 */
                                   0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* -16 */
                                   32,   0,    0,    0,    0xff, 0xff};
    byte_string b = safetensors_of(
        "{\"z\":{\"dtype\":\"U16\",\"shape\":[1,1],\"data_offsets\":[28,30]},"
        "\"__metadata__\":{\"format\":\"pt\",\"x\":\"\"},"
        "\"none\":{\"dtype\":\"F32\",\"shape\":[0,4611686018427],\"data_offsets\":[8,8]},"
        "\"e\":{\"shape\":[1],\"data_offsets\":[16,24],\"dtype\":\"I64\"},"
        "\"d\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[14,16]},"
        "\"c\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[12,14]},"
        "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]},"
        "\"i\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[24,28]},"
        "\"a\\u00e9\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}   ",
        data, sizeof data);
    static const struct {
        const char *name;
        array_type type;
        int dims;
        double value;
    } wanted[] = {{"z", ARRAY_U16, 2, 65535}, {"none", ARRAY_F32, 2, 0},
                  {"e", ARRAY_I64, 1, -16},   {"d", ARRAY_BF16, 1, 8},
                  {"c", ARRAY_F16, 0, 4},     {"b", ARRAY_F32, 1, -2},
                  {"i", ARRAY_I32, 1, 32},    {"a\xc3\xa9", ARRAY_F64, 1, 1}};
    array_file f;
    expect_read(&f, &b);
    assert_int_equal(f.count, 8);
    for (int i = 0; i < 8; i++) {
        const array *a = array_find(&f, wanted[i].name);
        assert_ptr_equal(a, &f.item[i]);
        assert_int_equal(a->type, wanted[i].type);
        assert_int_equal(a->dims, wanted[i].dims);
        assert_int_equal(a->elements, i == 1 ? 0 : 1);
        if (a->elements > 0)
            assert_true(array_get(a, 0) == wanted[i].value);
    }
    array_file_clear(&f);
    b = safetensors_of("{}", NULL, 0);
    expect_read(&f, &b);
    assert_int_equal(f.count, 0);
    array_file_clear(&f);
}

#define FIELDS                                                                                     \
    "f: at byte 8: tensor 'q' should have \"dtype\", \"shape\" and \"data_offsets\": [begin, "     \
    "end], and nothing else"
#define ENTRY(dtype, shape, offsets)                                                               \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define Q(dtype, shape, offsets) "{\"q\":" ENTRY(dtype, shape, offsets) "}"

/* Fails if a header that is wrong, or of a kind that is not read, is taken or gets another line;
 * the data are 8 bytes. */
static void every_unsound_header_has_its_line(void **state) {
    (void)state;
    static const struct {
        const char *header;
        array_status status;
        const char *line;
    } cases[] = {
        {"{\"q\":{}}", ARRAY_MALFORMED, FIELDS},
        {"{\"q\":3}", ARRAY_MALFORMED, FIELDS},
        {Q("F32", "[2]", "[0,8,8]"), ARRAY_MALFORMED, FIELDS},
        {Q("F32", "2", "[0,8]"), ARRAY_MALFORMED, FIELDS},
        {Q("F32", "[2],\"scale\":2", "[0,8]"), ARRAY_MALFORMED, FIELDS},
        {Q("F8_E4M3", "[8]", "[0,8]"), ARRAY_UNSUPPORTED,
         "f: at byte 8: tensor 'q' has dtype F8_E4M3; F64, F32, F16, BF16, I64, I32 or U16 is "
         "expected"},
        {Q("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), ARRAY_UNSUPPORTED,
         "f: at byte 8: tensor 'q' has 9 axes; at most 8 are read"},
        {Q("F32", "[1,-2]", "[0,8]"), ARRAY_MALFORMED,
         "f: at byte 8: axis 1 of tensor 'q' is no whole number from 0 on"},
        {Q("F32", "[2.0]", "[0,8]"), ARRAY_MALFORMED,
         "f: at byte 8: axis 0 of tensor 'q' is no whole number from 0 on"},
        {Q("F32", "[2]", "[-8,8]"), ARRAY_MALFORMED,
         "f: at byte 8: \"data_offsets\" of tensor 'q' are no whole numbers from 0 on"},
        {Q("F32", "[2]", "[8,0]"), ARRAY_MALFORMED,
         "f: at byte 8: tensor 'q' has data_offsets [8, 0]; the file has 8 bytes of data"},
        {Q("F32", "[2]", "[0,9]"), ARRAY_MALFORMED,
         "f: at byte 8: tensor 'q' has data_offsets [0, 9]; the file has 8 bytes of data"},
        {Q("F32", "[4611686018427387904,8]", "[0,8]"), ARRAY_MALFORMED,
         "f: at byte 8: the shape of tensor 'q' needs 2^63 bytes of data or more"},
        {Q("F32", "[3]", "[0,8]"), ARRAY_MALFORMED,
         "f: at byte 8: tensor 'q' has data_offsets for 8 bytes; its shape needs 12"},
        {Q("F32", "[1]", "[0,4]"), ARRAY_MALFORMED,
         "f: at byte 66: 4 bytes follow the last tensor"},
        {Q("F32", "[1]", "[4,8]"), ARRAY_MALFORMED,
         "f: at byte 62: 4 bytes before tensor 'q' belong to none"},
        {"{\"q\":" ENTRY("F32", "[2]", "[0,8]") ",\"k\":" ENTRY("F16", "[2]", "[4,8]") "}",
         ARRAY_MALFORMED, "f: at byte 119: tensor 'k' overlaps another one"},
        {"{\"__metadata__\":{\"x\":1}}", ARRAY_MALFORMED,
         "f: at byte 8: \"__metadata__\" should hold strings, and nothing else"},
        {"{\"__metadata__\":\"x\"}", ARRAY_MALFORMED,
         "f: at byte 8: \"__metadata__\" should hold strings, and nothing else"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        byte_string b = safetensors_of(cases[i].header, "12345678", 8);
        expect_refused(&b, cases[i].status, cases[i].line);
    }
}

/* Fails if what is no JSON is taken, or another place is named; the words are the parser's own. */
static void what_is_no_json_has_its_place(void **state) {
    (void)state;
    static const struct {
        const char *header;
        int at;
    } cases[] = {
        {"{\"q\":", 13},
        {"{} x", 12},
        {"{\"q\":{},\"q\":{}}", 19},
        {"{\"q\\u0000\":{}}", 18},
        {Q("F32", "[9223372036854775808]", "[0,8]"), 56},
    };
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        byte_string b = {NULL, 0};
        char error[ARRAY_ERROR], wanted[64];
        array_file f;
        if (i < sizeof cases / sizeof *cases) {
            b = safetensors_of(cases[i].header, "12345678", 8);
            snprintf(wanted, sizeof wanted, "f: at byte %d: the header is no JSON: ", cases[i].at);
        } else { /* nested deeper than a parser's stack should go */
            add_number(&b, 100000, 8);
            add(&b, "{\"q\":", 5);
            for (int k = 5; k < 100000; k++)
                add(&b, "[", 1);
            snprintf(wanted, sizeof wanted, "f: at byte ");
        }
        assert_int_equal(parse(&f, &b, error), ARRAY_MALFORMED);
        if (strncmp(error, wanted, strlen(wanted)) != 0)
            fail_msg("%s, not %s", error, wanted);
        assert_null(strchr(error, '\n'));
    }
}

/* Fails if a file that was cut off anywhere is read, or a header's length is believed. */
static void cut_off_or_claiming(void **state) {
    (void)state;
    byte_string whole = safetensors_of(Q("F32", "[2]", "[0,8]"), "12345678", 8);
    expect_no_part_is_read(&whole);
    for (size_t k = 0; k < 8; k++)
        whole.data[k] = 0xff;
    expect_refused(&whole, ARRAY_MALFORMED,
                   "f: at byte 0: the header should have 18446744073709551615 bytes; 62 are there");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_at_its_offset),
        cmocka_unit_test(every_unsound_header_has_its_line),
        cmocka_unit_test(what_is_no_json_has_its_place),
        cmocka_unit_test(cut_off_or_claiming),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

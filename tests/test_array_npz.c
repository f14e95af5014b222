/* .npz files: zip files built byte by byte, sound and unsound ones. */
#include "tests/array_bytes.h"

#include <zlib.h>

/* One member; what is wrong with it is put in after zip_of. */
typedef struct {
    const char *name;
    byte_string contents;
    bool deflate, zip64, descriptor;
} member;

/* Where the parts of a finished file are. */
typedef struct {
    size_t local[4], data[4], central[4], directory, end64, end;
} landmarks;

static byte_string floats(int n) {
    char text[80];
    byte_string data = {NULL, 0};
    snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n", n);
    for (int i = 0; i < n; i++) {
        const float x = (float)(i % 100);
        uint32_t bits;
        memcpy(&bits, &x, 4);
        add_number(&data, bits, 4);
    }
    byte_string b = npy_of(1, text, data.data, data.size);
    free(data.data);
    return b;
}

static byte_string deflated(const byte_string *b) {
    z_stream z = {0};
    byte_string out = {malloc(b->size + 64), 0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = b->data;
    z.avail_in = (uInt)b->size;
    z.next_out = out.data;
    z.avail_out = (uInt)b->size + 64;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.size = b->size + 64 - z.avail_out;
    deflateEnd(&z);
    return out;
}

/* A zip file; the members' contents are freed.  zip64: also the directory's end. */
static byte_string zip_of(const member *m, size_t count, bool zip64, landmarks *at) {
    byte_string z = {NULL, 0};
    uint64_t size[4], packed[4], crc[4];
    for (size_t i = 0; i < count; i++) {
        byte_string body = m[i].contents;
        crc[i] = crc32(0, body.data, (uInt)body.size);
        size[i] = body.size;
        if (m[i].deflate) {
            body = deflated(&m[i].contents);
            free(m[i].contents.data);
        }
        packed[i] = body.size;
        const bool later = m[i].descriptor, wide = m[i].zip64;
        at->local[i] = z.size;
        add(&z, "PK\3\4", 4);
        add_number(&z, wide ? 45 : 20, 2);
        add_number(&z, later ? 8 : 0, 2);
        add_number(&z, m[i].deflate ? 8 : 0, 2);
        add_number(&z, 0x6af55f2c, 4);
        add_number(&z, later ? 0 : crc[i], 4);
        add_number(&z, wide ? UINT32_MAX : later ? 0 : packed[i], 4);
        add_number(&z, wide ? UINT32_MAX : later ? 0 : size[i], 4);
        add_number(&z, strlen(m[i].name), 2);
        add_number(&z, wide ? 20 + 9 : 0, 2);
        add(&z, m[i].name, strlen(m[i].name));
        if (wide) { /* another field first, which is skipped */
            add_number(&z, 0x5455, 2);
            add_number(&z, 5, 2);
            add(&z, "\1time", 5);
            add_number(&z, 1, 2);
            add_number(&z, 16, 2);
            add_number(&z, later ? 0 : size[i], 8);
            add_number(&z, later ? 0 : packed[i], 8);
        }
        at->data[i] = z.size;
        add(&z, body.data, body.size);
        free(body.data);
        if (later) {
            add(&z, "PK\7\10", 4);
            add_number(&z, crc[i], 4);
            add_number(&z, packed[i], wide ? 8 : 4);
            add_number(&z, size[i], wide ? 8 : 4);
        }
    }
    at->directory = z.size;
    for (size_t i = 0; i < count; i++) {
        const bool wide = m[i].zip64;
        at->central[i] = z.size;
        add(&z, "PK\1\2", 4);
        add_number(&z, 0x031e, 2);
        add_number(&z, wide ? 45 : 20, 2);
        add_number(&z, m[i].descriptor ? 8 : 0, 2);
        add_number(&z, m[i].deflate ? 8 : 0, 2);
        add_number(&z, 0x6af55f2c, 4);
        add_number(&z, crc[i], 4);
        add_number(&z, wide ? UINT32_MAX : packed[i], 4);
        add_number(&z, wide ? UINT32_MAX : size[i], 4);
        add_number(&z, strlen(m[i].name), 2);
        add_number(&z, wide ? 28 : 0, 2);
        add_number(&z, 2, 2); /* a comment */
        add_number(&z, 0, 8);
        add_number(&z, wide ? UINT32_MAX : at->local[i], 4);
        add(&z, m[i].name, strlen(m[i].name));
        if (wide) {
            add_number(&z, 1, 2);
            add_number(&z, 24, 2);
            add_number(&z, size[i], 8);
            add_number(&z, packed[i], 8);
            add_number(&z, at->local[i], 8);
        }
        add(&z, "so", 2);
    }
    at->end64 = z.size;
    if (zip64) {
        add(&z, "PK\6\6", 4);
        add_number(&z, 44, 8);
        add_number(&z, 0x002d002d, 4);
        add_number(&z, 0, 8);
        add_number(&z, count, 8);
        add_number(&z, count, 8);
        add_number(&z, at->end64 - at->directory, 8);
        add_number(&z, at->directory, 8);
        add(&z, "PK\6\7", 4);
        add_number(&z, 0, 4);
        add_number(&z, at->end64, 8);
        add_number(&z, 1, 4);
    }
    at->end = z.size;
    add(&z, "PK\5\6", 4);
    add_number(&z, 0, 4);
    add_number(&z, zip64 ? UINT16_MAX : count, 2);
    add_number(&z, zip64 ? UINT16_MAX : count, 2);
    add_number(&z, zip64 ? UINT32_MAX : at->end64 - at->directory, 4);
    add_number(&z, zip64 ? UINT32_MAX : at->directory, 4);
    add_number(&z, 4, 2);
    add(&z, "PK\5\6", 4); /* a comment that looks like the end */
    return z;
}

static byte_string one(bool deflate, landmarks *at) {
    const member m = {"q.npy", floats(1000), deflate, false, false};
    return zip_of(&m, 1, false, at);
}

static void set(byte_string *b, size_t at, uint64_t value, size_t size) {
    assert_true(at + size <= b->size);
    for (size_t k = 0; k < size; k++, value >>= 8)
        b->data[at + k] = (uint8_t)value;
}

/* Fails if a way of storing is misread: deflated or not, sizes in a ZIP64 field behind 0xFFFFFFFF,
 * sizes after the data, and all of these together. */
static void case_npz_stored_deflated_zip64(void **state) {
    (void)state;
    for (int c = 0; c < 16; c++) {
        landmarks at;
        const member m[2] = {{"q.npy", floats(1000), c & 1, c & 2, c & 4},
                             {"k.npy", floats(3), c & 4, c & 2, c & 1}};
        byte_string b = zip_of(m, 2, c & 8, &at);
        array_file f;
        expect_read(&f, &b);
        assert_int_equal(f.count, 2);
        const array *q = array_find(&f, "q"), *k = array_find(&f, "k");
        assert_true(q == &f.item[0] && k == &f.item[1]);
        assert_int_equal(q->elements, 1000);
        assert_int_equal(k->elements, 3);
        for (int i = 0; i < 1000; i++)
            assert_true(array_get(q, i) == i % 100);
        array_file_clear(&f);
    }
}

/* Fails if a member's name is taken for more than a name. */
static void case_npz_name_is_never_a_path(void **state) {
    (void)state;
    static const char *const names[] = {"../q.npy", "/q.npy", "a\\..\\q.npy", "C:q"};
    member m[4];
    landmarks at;
    array_file f;
    for (int i = 0; i < 4; i++)
        m[i] = (member){names[i], floats(i), i % 2, false, false};
    byte_string b = zip_of(m, 4, false, &at);
    expect_read(&f, &b);
    assert_int_equal(array_find(&f, "../q")->elements, 0);
    assert_int_equal(array_find(&f, "/q")->elements, 1);
    assert_int_equal(array_find(&f, "a\\..\\q")->elements, 2);
    assert_int_equal(array_find(&f, "C:q")->elements, 3);
    array_file_clear(&f);

    /* a folder's own entry holds no array */
    const member folder[2] = {{"a/", {NULL, 0}, false, false, false},
                              {"a/q.npy", floats(1), false, false, false}};
    b = zip_of(folder, 2, false, &at);
    expect_read(&f, &b);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.item[0].name, "a/q");
    array_file_clear(&f);

    b = one(false, &at);
    set(&b, at.central[0] + 46, 0, 1);
    expect_refused(&b, ARRAY_MALFORMED,
                   "f: at byte 4152: the name of member '\\x00.npy' contains a zero byte");
    const member twice[2] = {{"q.npy", floats(1), false, false, false},
                             {"q", floats(2), false, false, false}};
    b = zip_of(twice, 2, false, &at);
    expect_refused(&b, ARRAY_MALFORMED,
                   "f: two arrays are named 'q'; names of their own are expected");
    const member odd[1] = {{"line\nbreak", floats(1), false, false, false}};
    b = zip_of(odd, 1, false, &at);
    set(&b, at.central[0] + 8, 1, 2);
    expect_refused(&b, ARRAY_UNSUPPORTED,
                   "f: at byte 112: member 'line\\x0abreak' is encrypted; plain ones are expected");
}

/* Fails if a zip file that contradicts itself, or is of a kind that is not read, is taken. */
static void every_unsound_zip_has_its_line(void **state) {
    (void)state;
    enum { NONE, LOCAL, CENTRAL, END, DATA, END64 };
    static const struct {
        bool deflate;
        int base;
        size_t offset, size;
        uint64_t value;
        array_status status;
        const char *line;
    } cases[] = {
        {false, CENTRAL, 8, 2, 1, ARRAY_UNSUPPORTED,
         "f: at byte 4106: member 'q.npy' is encrypted; plain ones are expected"},
        {false, CENTRAL, 10, 2, 12, ARRAY_UNSUPPORTED,
         "f: at byte 4106: member 'q.npy' is compressed by method 12; stored (0) or deflated (8) "
         "is expected"},
        {false, CENTRAL, 0, 4, 0, ARRAY_MALFORMED,
         "f: at byte 4106: no entry of the central directory where one is expected"},
        {false, CENTRAL, 28, 2, 500, ARRAY_MALFORMED,
         "f: at byte 4106: an entry of the central directory is longer than the directory"},
        {false, CENTRAL, 32, 2, 1, ARRAY_MALFORMED,
         "f: at byte 4158: the central directory goes on after its 1 members"},
        {false, CENTRAL, 20, 4, UINT32_MAX, ARRAY_MALFORMED,
         "f: at byte 4106: member 'q.npy' has a size of 0xFFFFFFFF and no ZIP64 field to replace "
         "it"},
        {false, CENTRAL, 20, 4, 4072, ARRAY_MALFORMED,
         "f: at byte 0: member 'q.npy' claims 4072 bytes, more than are before the central "
         "directory"},
        {false, CENTRAL, 24, 4, 4070, ARRAY_MALFORMED,
         "f: at byte 0: the header of member 'q.npy' contradicts the central directory"},
        {false, CENTRAL, 42, 4, 4106, ARRAY_MALFORMED,
         "f: at byte 4148: member 'q.npy' should begin at byte 4106, and does not"},
        {false, CENTRAL, 42, 4, 0xfffffff0, ARRAY_MALFORMED,
         "f: at byte 4148: member 'q.npy' should begin at byte 4294967280, and does not"},
        {false, LOCAL, 8, 2, 8, ARRAY_MALFORMED,
         "f: at byte 0: the header of member 'q.npy' contradicts the central directory"},
        {false, LOCAL, 30, 1, 'p', ARRAY_MALFORMED,
         "f: at byte 0: the header of member 'q.npy' contradicts the central directory"},
        {false, DATA, 100, 1, 0xff, ARRAY_MALFORMED,
         "f: in member 'q.npy': the CRC-32 of the data is wrong"},
        {false, DATA, 0, 1, 0, ARRAY_UNSUPPORTED,
         "f: in member 'q.npy' at byte 0: no .npy array; it would begin with \\x93NUMPY"},
        {false, DATA, 61, 1, '3', ARRAY_MALFORMED,
         "f: in member 'q.npy' at byte 4071: the data end after 4000 bytes; the shape needs 12000"},
        {false, END, 0, 4, 0, ARRAY_MALFORMED,
         "f: at byte 4185: the zip file has no central directory at its end (cut off?)"},
        {false, END, 4, 2, 1, ARRAY_UNSUPPORTED,
         "f: at byte 4159: the zip file is one of several parts; a whole one is expected"},
        {false, END, 12, 4, 54, ARRAY_MALFORMED,
         "f: at byte 4159: the central directory should be the 54 bytes from byte 4106 on, but its "
         "end is at byte 4159"},
        {false, END, 8, 4, 0x00030003, ARRAY_MALFORMED,
         "f: at byte 4159: 3 members are claimed; the central directory has room for 1"},
        {true, DATA, 0, 1, 7, ARRAY_MALFORMED,
         "f: in member 'q.npy' at byte 0: the deflated data are damaged; 4071 bytes are claimed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        landmarks at;
        byte_string b = one(cases[i].deflate, &at);
        const size_t base[] = {0, at.local[0], at.central[0], at.end, at.data[0], at.end64};
        set(&b, base[cases[i].base] + cases[i].offset, cases[i].value, cases[i].size);
        expect_refused(&b, cases[i].status, cases[i].line);
    }
    member m = {"q.npy", floats(10), false, true, false};
    landmarks at;
    byte_string b = zip_of(&m, 1, true, &at);
    set(&b, at.end - 12, 1 << 20, 8);
    expect_refused(&b, ARRAY_MALFORMED,
                   "f: at byte 318: no ZIP64 end of the central directory where it should be, at "
                   "byte 1048576");
    m.contents = floats(10);
    b = zip_of(&m, 1, true, &at);
    set(&b, at.end + 10, 2, 2);
    expect_refused(&b, ARRAY_MALFORMED,
                   "f: at byte 330: the two ends of the central directory contradict each other");
    const member torch = {"m/data.pkl", floats(1), false, false, false};
    b = zip_of(&torch, 1, false, &at);
    expect_refused(&b, ARRAY_UNSUPPORTED,
                   "f: at byte 112: member 'm/data.pkl': a PyTorch file; .npz or .safetensors is "
                   "expected");
}

/* Fails if a file that was cut off anywhere is read. */
static void cut_off_anywhere(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        landmarks at;
        const member m = {"q.npy", floats(10), c, c, c};
        byte_string whole = zip_of(&m, 1, c, &at);
        expect_no_part_is_read(&whole);
        free(whole.data);
    }
}

/* Fails if memory follows a claim: a member of 2^60 bytes, one that unpacks to more or less than
 * is claimed or than its shape needs, members that share their bytes. */
static void claims_are_not_believed(void **state) {
    (void)state;
    landmarks at;
    char line[200];
    /* the directory's ZIP64 field begins with the size */
    const size_t size_in_field = 46 + 5 + 4;
    member m = {"q.npy", floats(1000), true, true, true};
    byte_string b = zip_of(&m, 1, false, &at);
    set(&b, at.central[0] + size_in_field, (uint64_t)1 << 60, 8);
    snprintf(line, sizeof line,
             "f: at byte %zu: member 'q.npy' claims to unpack to 1152921504606846976 bytes, more "
             "than deflate can make of %zu",
             at.central[0] + 24, at.directory - 24 - at.data[0]);
    expect_refused(&b, ARRAY_MALFORMED, line);

    m.contents = floats(1000);
    b = zip_of(&m, 1, false, &at);
    set(&b, at.central[0] + size_in_field, 100000, 8);
    expect_refused(&b, ARRAY_MALFORMED,
                   "f: in member 'q.npy' at byte 4071: the deflated data end; 100000 bytes are "
                   "claimed");

    m.contents = floats(100000);
    b = zip_of(&m, 1, false, &at);
    set(&b, at.central[0] + size_in_field, 400073 + 4, 8);
    expect_refused(&b, ARRAY_MALFORMED,
                   "f: in member 'q.npy' at byte 400073: 4 bytes follow the data; the shape needs "
                   "400000");

    /* a shape of (099999,) would not be one; (11111,) needs less than there is */
    m.contents = floats(100000);
    memcpy(m.contents.data + 61, "11111 ", 6);
    b = zip_of(&m, 1, false, &at);
    expect_refused(&b, ARRAY_MALFORMED,
                   "f: in member 'q.npy' at byte 44517: 355556 bytes follow the data; the shape "
                   "needs 44444");

    m.contents = floats(100000);
    memcpy(m.contents.data + 61, "99999 ", 6);
    b = zip_of(&m, 1, false, &at);
    set(&b, at.central[0] + size_in_field, 400073 - 4, 8);
    expect_refused(&b, ARRAY_MALFORMED,
                   "f: in member 'q.npy' at byte 400069: the deflated data do not end with the "
                   "400069 bytes that are claimed");

    const member two[2] = {{"q.npy", floats(30), false, false, true},
                           {"q.npy", floats(10), false, false, true}};
    b = zip_of(two, 2, false, &at);
    set(&b, at.central[0] + 42, at.local[1], 4);
    set(&b, at.central[0] + 20, 10 + 59 + 40, 4);
    set(&b, at.central[0] + 24, 10 + 59 + 40, 4);
    snprintf(line, sizeof line, "f: at byte %zu: members 'q.npy' and 'q.npy' overlap", at.local[1]);
    expect_refused(&b, ARRAY_MALFORMED, line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_npz_stored_deflated_zip64),
        cmocka_unit_test(case_npz_name_is_never_a_path),
        cmocka_unit_test(every_unsound_zip_has_its_line),
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(claims_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

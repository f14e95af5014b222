/* Array files built byte by byte, and what a reader makes of them. */
#ifndef TESTS_ARRAY_BYTES_H
#define TESTS_ARRAY_BYTES_H

#include "tests/testing.h"

#include "tests/arrays.h"

typedef struct {
    uint8_t *data;
    size_t size;
} byte_string;

static inline void add(byte_string *b, const void *data, size_t size) {
    /* room is the least power of two above the size: known without being kept */
    size_t room = 64;
    while (room <= b->size)
        room *= 2;
    if (b->data == NULL || b->size + size >= room) {
        while (room <= b->size + size)
            room *= 2;
        b->data = realloc(b->data, room);
        assert_non_null(b->data);
    }
    if (size > 0)
        memcpy(b->data + b->size, data, size);
    b->size += size;
}

static inline void add_number(byte_string *b, uint64_t value, size_t size) {
    for (size_t k = 0; k < size; k++, value >>= 8)
        add(b, &(uint8_t){(uint8_t)value}, 1);
}

/* An .npy file with that dictionary. */
static inline byte_string npy_of(int version, const char *dictionary, const void *data,
                                 size_t size) {
    byte_string b = {NULL, 0};
    add(&b, "\x93NUMPY", 6);
    add_number(&b, (uint64_t)version, 2);
    add_number(&b, strlen(dictionary), version == 1 ? 2 : 4);
    add(&b, dictionary, strlen(dictionary));
    add(&b, data, size);
    return b;
}

/* array_parse of an exact copy, so that a sanitizer sees a byte too many; b is freed. */
static inline array_status parse(array_file *f, byte_string *b, char *error) {
    uint8_t *exact = malloc(b->size > 0 ? b->size : 1);
    assert_non_null(exact);
    if (b->size > 0)
        memcpy(exact, b->data, b->size);
    array_status status = array_parse(f, exact, b->size, "f", error);
    free(exact);
    free(b->data);
    *b = (byte_string){NULL, 0};
    return status;
}

#define expect_read(f, b)                                                                          \
    do {                                                                                           \
        char complaint[ARRAY_ERROR];                                                               \
        if (parse(f, b, complaint) != ARRAY_OK)                                                    \
            fail_msg("refused: %s", complaint);                                                    \
        assert_string_equal(complaint, "");                                                        \
    } while (0)

#define expect_refused(b, wanted_status, message)                                                  \
    do {                                                                                           \
        char complaint[ARRAY_ERROR];                                                               \
        array_file refused;                                                                        \
        const array_status found = parse(&refused, b, complaint);                                  \
        assert_string_equal(complaint, message);                                                   \
        assert_int_equal(found, wanted_status);                                                    \
        assert_true(refused.count == 0 && refused.item == NULL);                                   \
    } while (0)

/* Fails if the file is read, or refused as anything but malformed, when cut off anywhere. */
static inline void expect_no_part_is_read(const byte_string *whole) {
    for (size_t n = 0; n < whole->size; n++) {
        byte_string b = {NULL, 0};
        array_file f;
        char error[ARRAY_ERROR];
        add(&b, whole->data, n);
        assert_int_equal(parse(&f, &b, error), ARRAY_MALFORMED);
        assert_true(strlen(error) > 20);
    }
}

#endif

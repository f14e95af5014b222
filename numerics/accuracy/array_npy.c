/* The .npy format, versions 1, 2 and 3 (numpy.lib.format): the magic string, the version, the
 * header's length (2 bytes in version 1, 4 in 2 and 3), the header, the data.  The header is a
 * Python dictionary of the keys 'descr', 'fortran_order' and 'shape'; it is parsed, never
 * evaluated.  In version 3 it is UTF-8; nothing that is read here needs more than ASCII. */
#include "numerics/accuracy/array_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool npy_begins(const uint8_t *bytes, size_t size) {
    return size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

/* ---- the dictionary ---- */

typedef struct {
    const uint8_t *bytes;
    size_t at, end;
    const array_place *place;
} header_text;

/* The next character after blanks, or -1 at the end; it is not consumed. */
static int peek(header_text *t) {
    while (t->at < t->end && memchr(" \t\n\r\f", t->bytes[t->at], 5) != NULL)
        t->at++;
    return t->at < t->end ? t->bytes[t->at] : -1;
}

static bool take(header_text *t, char c) {
    if (peek(t) != c)
        return false;
    t->at++;
    return true;
}

static bool take_word(header_text *t, const char *word) {
    size_t n = strlen(word);
    peek(t);
    if (t->end - t->at < n || memcmp(t->bytes + t->at, word, n) != 0)
        return false;
    t->at += n;
    return true;
}

static array_status expected(header_text *t, const char *what) {
    int c = peek(t);
    char found[16] = "the end";
    if (c >= 33 && c < 127)
        snprintf(found, sizeof found, "'%c'", c);
    else if (c >= 0)
        snprintf(found, sizeof found, "\\x%02x", (unsigned)c);
    return array_fail(t->place, ARRAY_MALFORMED, t->at, "the header has %s; %s is expected", found,
                      what);
}

/* A quoted string without escapes. */
static bool take_string(header_text *t, const char **string, size_t *length) {
    int quote = peek(t);
    if (quote != '\'' && quote != '"')
        return false;
    size_t start = t->at + 1, end = start;
    while (end < t->end && t->bytes[end] != quote && t->bytes[end] != '\\')
        end++;
    if (end == t->end || t->bytes[end] == '\\')
        return false;
    *string = (const char *)t->bytes + start;
    *length = end - start;
    t->at = end + 1;
    return true;
}

/* What numpy's other types are, for the message. */
static const char *other_type(char kind, long size) {
    switch (kind) {
    case 'O':
        return "Python objects (a pickle, which can run any program)";
    case 'c':
        return "complex numbers";
    case 'S':
    case 'a':
    case 'U':
        return "text";
    case 'M':
    case 'm':
        return "dates or times";
    case 'b':
    case '?':
        return "true and false, or bytes";
    case 'V':
        return "raw bytes other than two";
    case 'f':
        return size > 8 ? "floating-point numbers longer than float64" : "an unknown float";
    case 'i':
    case 'u':
        return "integers of another size";
    default:
        return "a type that is not read";
    }
}

#define READ_TYPES "float64, float32, float16, bfloat16, int64, int32 or uint16 is expected"

static array_status parse_descr(npy_header *h, header_text *t) {
    static const struct {
        char kind;
        char size;
        array_type type;
    } known[] = {{'f', '8', ARRAY_F64}, {'f', '4', ARRAY_F32}, {'f', '2', ARRAY_F16},
                 {'i', '8', ARRAY_I64}, {'i', '4', ARRAY_I32}, {'u', '2', ARRAY_U16},
                 {'V', '2', ARRAY_V2}};
    const char *s = NULL;
    size_t n = 0;
    int c = peek(t);
    const size_t start = t->at;
    if (c == '[' || c == '(')
        return array_fail(t->place, ARRAY_UNSUPPORTED, start,
                          "'descr' is a structured type; " READ_TYPES);
    if (!take_string(t, &s, &n))
        return expected(t, "a type in quotes, such as '<f8',");
    char quoted[ARRAY_QUOTED];
    array_quote(quoted, s, n);
    char order = '=';
    if (n > 0 && memchr("<>=|", s[0], 4) != NULL) {
        order = s[0];
        s++, n--;
    }
    /* "=" and "|" are the machine's own order, but raw bytes have none: as little-endian files */
    h->big_endian =
        order == '>' || (order != '<' && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && s[0] != 'V');
    for (size_t i = 0; n == 2 && i < sizeof known / sizeof *known; i++) {
        if (s[0] == known[i].kind && s[1] == known[i].size) {
            h->type = known[i].type;
            return ARRAY_OK;
        }
    }
    if (n == 0)
        return array_fail(t->place, ARRAY_MALFORMED, start, "'descr' names no type; " READ_TYPES);
    char digits[8] = "";
    memcpy(digits, s + 1, n - 1 < sizeof digits - 1 ? n - 1 : sizeof digits - 1);
    return array_fail(t->place, ARRAY_UNSUPPORTED, start, "'%s' is %s; " READ_TYPES, quoted,
                      other_type(s[0], strtol(digits, NULL, 10)));
}

/* 0 or a decimal without leading zeros, Python 2's L after it allowed. */
static array_status parse_axis(int64_t *axis, header_text *t) {
    int c = peek(t);
    const size_t start = t->at;
    int64_t n = 0;
    if (c == '-')
        return array_fail(t->place, ARRAY_MALFORMED, start,
                          "'shape' has a negative axis; 0 or more is expected");
    if (c < '0' || c > '9')
        return expected(t, "an axis of 'shape', a whole number,");
    for (; t->at < t->end && t->bytes[t->at] >= '0' && t->bytes[t->at] <= '9'; t->at++) {
        if (t->at > start && n == 0)
            return array_fail(t->place, ARRAY_MALFORMED, start,
                              "an axis of 'shape' begins with 0; a decimal number is expected");
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, t->bytes[t->at] - '0', &n))
            return array_fail(t->place, ARRAY_MALFORMED, start,
                              "an axis of 'shape' is not below 2^63");
    }
    if (t->at < t->end && t->bytes[t->at] == 'L')
        t->at++;
    *axis = n;
    return ARRAY_OK;
}

static array_status parse_shape(npy_header *h, header_text *t) {
    if (!take(t, '('))
        return expected(t, "a shape in parentheses, such as (3, 4),");
    h->dims = 0;
    bool comma = true;
    while (!take(t, ')')) {
        if (!comma)
            return expected(t, "',' or ')'");
        if (h->dims == ARRAY_DIMS)
            return array_fail(t->place, ARRAY_UNSUPPORTED, t->at,
                              "'shape' has more than %d axes, the most that are read", ARRAY_DIMS);
        array_status status = parse_axis(&h->shape[h->dims], t);
        if (status != ARRAY_OK)
            return status;
        h->dims++;
        comma = take(t, ',');
    }
    if (h->dims == 1 && !comma)
        return array_fail(t->place, ARRAY_MALFORMED, t->at,
                          "'shape' is a number in parentheses; a tuple such as (%lld,) is expected",
                          (long long)h->shape[0]);
    return ARRAY_OK;
}

static array_status parse_dictionary(npy_header *h, header_text *t) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    bool seen[3] = {false}, comma = true;
    size_t shape_at = t->at;
    if (!take(t, '{'))
        return expected(t, "a dictionary '{...}'");
    while (!take(t, '}')) {
        const char *key;
        size_t length, k = 0;
        char quoted[ARRAY_QUOTED];
        if (!comma)
            return expected(t, "',' or '}'");
        peek(t);
        const size_t start = t->at;
        if (!take_string(t, &key, &length))
            return expected(t, "a key in quotes");
        while (k < 3 && (strlen(keys[k]) != length || memcmp(keys[k], key, length) != 0))
            k++;
        if (k == 3)
            return array_fail(t->place, ARRAY_MALFORMED, start,
                              "the header has a key '%s'; only 'descr', 'fortran_order' and "
                              "'shape' are expected",
                              array_quote(quoted, key, length));
        if (seen[k])
            return array_fail(t->place, ARRAY_MALFORMED, start, "the header has '%s' twice",
                              keys[k]);
        seen[k] = true;
        if (!take(t, ':'))
            return expected(t, "':'");
        array_status status = ARRAY_OK;
        if (k == 0) {
            status = parse_descr(h, t);
        } else if (k == 1) {
            h->fortran_order = take_word(t, "True");
            if (!h->fortran_order && !take_word(t, "False"))
                return expected(t, "True or False");
        } else {
            shape_at = t->at;
            status = parse_shape(h, t);
        }
        if (status != ARRAY_OK)
            return status;
        comma = take(t, ',');
    }
    for (size_t k = 0; k < 3; k++)
        if (!seen[k])
            return array_fail(t->place, ARRAY_MALFORMED, t->at, "the header lacks '%s'", keys[k]);
    /* numpy pads with blanks and ends in a newline; one that does not says the same */
    if (peek(t) != -1)
        return expected(t, "nothing but blanks after '}'");
    if (!array_shape_bytes(h->dims, h->shape, h->type, &h->elements, &h->bytes))
        return array_fail(t->place, ARRAY_MALFORMED, shape_at,
                          "'shape' needs 2^63 bytes of data or more");
    return ARRAY_OK;
}

/* ---- the file ---- */

array_status npy_parse_header(npy_header *h, const uint8_t *bytes, size_t size,
                              const array_place *p) {
    if (!npy_begins(bytes, size))
        return array_fail(p, ARRAY_UNSUPPORTED, 0, "no .npy array; it would begin with \\x93NUMPY");
    const size_t width = size > 6 && bytes[6] == 1 ? 2 : 4;
    if (size > 7 && (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0))
        return array_fail(p, ARRAY_UNSUPPORTED, 6, "version %d.%d; 1.0, 2.0 or 3.0 is expected",
                          bytes[6], bytes[7]);
    if (size < 8 + width)
        return array_fail(p, ARRAY_MALFORMED, size,
                          "ends within the header's length; %zu bytes are expected", 8 + width);
    const uint64_t length = array_load(bytes + 8, width);
    header_text t = {bytes, 8 + width, 8 + width + (size_t)length, p};
    if (length > NPY_HEADER_LIMIT - 12)
        return array_fail(p, ARRAY_UNSUPPORTED, 8,
                          "a header of %llu bytes; at most %d are expected",
                          (unsigned long long)length, NPY_HEADER_LIMIT - 12);
    if (t.end > size)
        return array_fail(p, ARRAY_MALFORMED, size,
                          "ends within the header, which needs %zu bytes more", t.end - size);
    memset(h, 0, sizeof *h);
    h->data = t.end;
    return parse_dictionary(h, &t);
}

array_status npy_check_size(const npy_header *h, uint64_t size, const array_place *p) {
    const uint64_t there = size - h->data;
    if (there < h->bytes)
        return array_fail(p, ARRAY_MALFORMED, size,
                          "the data end after %llu bytes; the shape needs %llu",
                          (unsigned long long)there, (unsigned long long)h->bytes);
    if (there > h->bytes)
        return array_fail(p, ARRAY_MALFORMED, h->data + h->bytes,
                          "%llu bytes follow the data; the shape needs %llu",
                          (unsigned long long)(there - h->bytes), (unsigned long long)h->bytes);
    return ARRAY_OK;
}

array_status npy_array(array *a, const npy_header *h, const uint8_t *data, const array_place *p) {
    a->type = h->type;
    a->dims = h->dims;
    a->elements = h->elements;
    memcpy(a->shape, h->shape, sizeof a->shape);
    return array_fill(a, data, h->big_endian, h->fortran_order) ? ARRAY_OK
                                                                : array_no_memory(p, h->bytes);
}

array_status npy_parse(array_file *f, const uint8_t *bytes, size_t size, const array_place *p) {
    npy_header h;
    array a = {0};
    array_status status = npy_parse_header(&h, bytes, size, p);
    if (status == ARRAY_OK)
        status = npy_check_size(&h, size, p);
    if (status == ARRAY_OK)
        status = npy_array(&a, &h, bytes + h.data, p);
    if (status == ARRAY_OK && ((a.name = strdup("")) == NULL || !array_append(f, &a)))
        status = array_no_memory(p, sizeof a);
    if (status != ARRAY_OK)
        array_clear(&a);
    return status;
}

size_t npy_head(uint8_t head[NPY_HEAD_ROOM], const array *a) {
    static const char *const descr[ARRAY_TYPES] = {
        [ARRAY_F64] = "<f8", [ARRAY_F32] = "<f4", [ARRAY_F16] = "<f2", [ARRAY_BF16] = "|V2",
        [ARRAY_I64] = "<i8", [ARRAY_I32] = "<i4", [ARRAY_U16] = "<u2", [ARRAY_V2] = "|V2"};
    char text[80 + 22 * ARRAY_DIMS];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                     descr[a->type]);
    for (int k = 0; k < a->dims; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld%s", k > 0 ? ", " : "",
                      (long long)a->shape[k], a->dims == 1 ? "," : "");
    n += snprintf(text + n, sizeof text - (size_t)n, "), }");
    /* magic, version and header together fill a multiple of 64 bytes, the header ends in '\n' */
    const size_t length = (10 + (size_t)n + 1 + 63) / 64 * 64;
    memset(head, ' ', length);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    array_store(head + 8, length - 10, 2);
    memcpy(head + 10, text, (size_t)n);
    head[length - 1] = '\n';
    return length;
}

uint8_t *array_npy_bytes(const array *a, size_t *length) {
    uint8_t head[NPY_HEAD_ROOM];
    const size_t n = npy_head(head, a);
    const size_t total = n + (size_t)a->elements * array_type_size(a->type);
    uint8_t *bytes = malloc(total);
    *length = 0;
    if (bytes == NULL)
        return NULL;
    *length = total;
    memcpy(bytes, head, n);
    array_dump(bytes + n, a);
    return bytes;
}

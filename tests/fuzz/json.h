/* Changes JSON as JSON: bytes at random nearly always stop at the parser, and never reach what reads
 * the values.  A target that includes this gets changed files of both kinds. */
#ifndef FUZZ_JSON_H
#define FUZZ_JSON_H

#include <jansson.h>

#include "tests/fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

static inline unsigned fuzz_below(unsigned *state, size_t n) {
    *state = *state * 1664525u + 1013904223u;
    return n > 0 ? (unsigned)((*state >> 8) % n) : 0;
}

/* A value somewhere in the tree: its container and which of it. */
typedef struct {
    json_t *in;
    size_t at;
    const char *key; /* in an object */
} fuzz_place;

static inline size_t fuzz_children(const json_t *j) {
    return json_is_array(j) ? json_array_size(j) : json_object_size(j);
}

static inline json_t *fuzz_child(fuzz_place *p, json_t *in, size_t at) {
    *p = (fuzz_place){in, at, NULL};
    if (json_is_array(in))
        return json_array_get(in, at);
    void *i = json_object_iter(in);
    while (at-- > 0)
        i = json_object_iter_next(in, i);
    p->key = json_object_iter_key(i);
    return json_object_iter_value(i);
}

/* A random value below j; NULL if it has none. */
static inline json_t *fuzz_somewhere(fuzz_place *p, json_t *j, unsigned *state) {
    json_t *found = NULL;
    while (fuzz_children(j) > 0 && (found == NULL || fuzz_below(state, 5) > 0))
        j = found = fuzz_child(p, j, fuzz_below(state, fuzz_children(j)));
    return found;
}

static inline void fuzz_put(const fuzz_place *p, json_t *value) { /* steals value */
    if (value == NULL)
        return;
    if (p->key != NULL)
        json_object_set_new(p->in, p->key, value);
    else
        json_array_set_new(p->in, p->at, value);
}

static inline json_t *fuzz_extreme(unsigned *state) {
    static const char *const texts[] = {
        "null",
        "true",
        "[]",
        "{}",
        "0",
        "-1",
        "1",
        "65536",
        "9223372036854775807",
        "1e300",
        "-0.5",
        "\"\"",
        "\"0\"",
        "\"-1\"",
        "\"1/3\"",
        "\"549755813887\"",
        "\"1e100000\"",
        "\"<&\\u001b|\"",
        "[\"1\",\"-30\"]",
        "[\"1\",\"1099511627775\"]",
        "{\"type\":\"rational\",\"num\":\"7\",\"den\":\"2\"}",
        "{\"type\":\"ball\",\"mid\":[\"3\",\"-1\"],\"rad\":[\"1\",\"-9\"]}",
        ("{\"type\":\"measured\",\"estimate\":1,\"lower\":0,\"upper\":2,"
         "\"n\":\"9\",\"seed\":\"1\"}")};
    return json_loads(texts[fuzz_below(state, sizeof texts / sizeof *texts)], JSON_DECODE_ANY,
                      NULL);
}

/* The text with some of its bytes changed. */
static inline json_t *fuzz_other_text(const json_t *j) {
    uint8_t text[512];
    size_t n = json_string_length(j);
    n = n < 256 ? n : 256;
    memcpy(text, json_string_value(j), n);
    return json_stringn((const char *)text, LLVMFuzzerMutate(text, n, sizeof text));
}

static inline void fuzz_change(json_t *root, unsigned *state) {
    fuzz_place p, q;
    json_t *j = fuzz_somewhere(&p, root, state), *other;
    if (j == NULL)
        return;
    switch (fuzz_below(state, 6)) {
    case 0:
        if (p.key != NULL)
            json_object_del(p.in, p.key);
        else
            json_array_remove(p.in, p.at);
        break;
    case 1:
        other = fuzz_somewhere(&q, root, state);
        fuzz_put(&p, json_deep_copy(other));
        break;
    case 2:
        if (json_is_array(p.in))
            json_array_append_new(p.in, json_deep_copy(j));
        break;
    case 3:
        if (json_is_string(j)) {
            fuzz_put(&p, fuzz_other_text(j));
            break;
        }
        /* fall through */
    case 4:
        if (json_is_integer(j)) {
            fuzz_put(&p, json_integer(json_integer_value(j) / 2 + (int)fuzz_below(state, 9) - 4));
            break;
        }
        /* fall through */
    default:
        fuzz_put(&p, fuzz_extreme(state));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    unsigned state = seed;
    json_t *root = fuzz_below(&state, 5) > 0
                       ? json_loadb((const char *)bytes, size, JSON_ALLOW_NUL, NULL)
                       : NULL;
    if (root == NULL)
        return LLVMFuzzerMutate(bytes, size, room);
    for (unsigned i = 0, n = 1 + fuzz_below(&state, 4); i < n; i++)
        fuzz_change(root, &state);
    size_t length = json_dumpb(root, (char *)bytes, room, JSON_COMPACT);
    json_decref(root);
    return length > 0 && length <= room ? length : LLVMFuzzerMutate(bytes, size, room);
}

#endif

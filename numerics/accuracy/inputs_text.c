/* Shapes as text. */
#include "numerics/accuracy/inputs.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    size_t at;
    int64_t usual, low, high;
} size_key;
#define AT(member) offsetof(inputs_shape, member)
static const size_key keys[] = {{"B", AT(batch), 1, 1, 1 << 20},
                                {"T", AT(time), -1, 0, 1 << 24},
                                {"H", AT(heads), 1, 1, 1 << 16},
                                {"KV", AT(kv_heads), 0, 0, 1 << 16},
                                {"dk", AT(dk), -1, 1, 1 << 16},
                                {"dv", AT(dv), -1, 1, 1 << 16},
                                {"segments", AT(segments), 0, 0, 1 << 20},
                                {"past", AT(past), 0, 0, 1 << 24},
                                {"position", AT(position), 0, 0, (int64_t)1 << 40},
                                {"banks", AT(banks), 0, 0, 1 << 10},
                                {"modes", AT(modes), 0, 0, 1 << 10}};
enum { KEYS = sizeof keys / sizeof *keys };

static int64_t *number(inputs_shape *s, const size_key *k) {
    return (int64_t *)(void *)((char *)s + k->at);
}

bool inputs_same_shape(const inputs_shape *a, const inputs_shape *b) {
    inputs_shape x = *a, y = *b;
    bool same = a->state == b->state;
    for (int i = 0; i < KEYS; i++)
        same = same && *number(&x, keys + i) == *number(&y, keys + i);
    return same;
}

char *inputs_shape_text(const inputs_shape *s, char *text) {
    inputs_shape copy = *s;
    int n = 0;
    for (int i = 0; i < KEYS; i++) {
        int64_t x = *number(&copy, keys + i);
        bool both = keys[i].at == AT(dk) && s->dk == s->dv;
        if (x != keys[i].usual && !(keys[i].at == AT(dv) && s->dk == s->dv))
            n += snprintf(text + n, (size_t)(INPUTS_SHAPE_TEXT - n), "%s%s=%lld", n ? "," : "",
                          both ? "d" : keys[i].name, (long long)x);
    }
    if (s->state)
        snprintf(text + n, (size_t)(INPUTS_SHAPE_TEXT - n), ",state=1");
    return text;
}

/* One "name=number" of length n. */
static bool parse_item(inputs_shape *s, const char *item, size_t n, char *complaint) {
    const char *equals = memchr(item, '=', n);
    size_t name = equals ? (size_t)(equals - item) : n;
    char *end = NULL;
    int64_t x = 0;
    bool read = equals && equals[1] >= '0' && equals[1] <= '9';
    if (read)
        x = strtoll(equals + 1, &end, 10);
    bool both = name == 1 && *item == 'd', state = name == 5 && memcmp(item, "state", 5) == 0;
    const size_key *k = NULL;
    for (int i = 0; i < KEYS && !both && !state; i++)
        if (strlen(keys[i].name) == name && memcmp(keys[i].name, item, name) == 0)
            k = keys + i;
    if (both)
        k = keys + 4;
    if (!k && !state) {
        snprintf(complaint, INPUTS_COMPLAINT,
                 "\"%.*s\" is no size; B, T, H, KV, d, dk, dv, segments, past, position, banks, "
                 "modes, state are",
                 name < 40 ? (int)name : 40, item);
        return false;
    }
    int64_t low = state ? 0 : k->low, high = state ? 1 : k->high;
    if (!read || end != item + n || x < low || x > high) {
        snprintf(complaint, INPUTS_COMPLAINT,
                 "\"%.*s\": %.*s=N with a whole number from %lld to %lld is wanted",
                 n < 60 ? (int)n : 60, item, (int)name, item, (long long)low, (long long)high);
        return false;
    }
    if (state)
        s->state = x;
    else
        *number(s, k) = x;
    if (both)
        s->dv = x;
    return true;
}

bool inputs_parse_shape(inputs_shape *s, const char *text, char *complaint) {
    const char *twice = NULL;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < KEYS; i++)
        *number(s, keys + i) = keys[i].usual;
    for (const char *item = text; *item;) {
        size_t n = strcspn(item, ",");
        if (!parse_item(s, item, n, complaint))
            return false;
        for (const char *p = text; p < item; p = strchr(p, ',') + 1)
            if (strncmp(p, item, strcspn(item, "=") + 1) == 0)
                twice = item;
        item += n + (item[n] == ',');
    }
    if (twice) {
        snprintf(complaint, INPUTS_COMPLAINT, "\"%.60s\" gives %.*s twice", text,
                 (int)strcspn(twice, "="), twice);
        return false;
    }
    const char *missing = s->time < 0 ? "T"
                          : s->dk < 0 ? "d (or dk)"
                          : s->dv < 0 ? "d (or dv)"
                                      : NULL;
    if (missing)
        snprintf(complaint, INPUTS_COMPLAINT, "\"%.60s\" lacks %s; T=129,d=64 would do", text,
                 missing);
    return !missing;
}

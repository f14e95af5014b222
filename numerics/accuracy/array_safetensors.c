/* .safetensors: the header's length (8 bytes, little-endian), the header, the tensors.  The header
 * is JSON: {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}, offsets
 * from the header's end; "__metadata__" holds strings.  The tensors fill the rest exactly: they
 * neither overlap nor leave holes. */
#include "numerics/accuracy/array_format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_LIMIT = 100000000 }; /* the format's own */

static const char *const dtypes[ARRAY_TYPES] = {
    [ARRAY_F64] = "F64", [ARRAY_F32] = "F32", [ARRAY_F16] = "F16", [ARRAY_BF16] = "BF16",
    [ARRAY_I64] = "I64", [ARRAY_I32] = "I32", [ARRAY_U16] = "U16"};

typedef struct {
    const char *name;
    array_type type;
    int dims;
    int64_t shape[ARRAY_DIMS], elements;
    uint64_t begin, end;
} tensor;

static bool natural(json_t *value, int64_t *n) {
    *n = json_integer_value(value);
    return json_is_integer(value) && *n >= 0;
}

static array_status parse_tensor(tensor *t, const char *name, json_t *value, uint64_t room,
                                 const array_place *p) {
    json_t *dtype = json_object_get(value, "dtype"), *shape = json_object_get(value, "shape"),
           *offsets = json_object_get(value, "data_offsets");
    char quoted[ARRAY_QUOTED], other[ARRAY_QUOTED];
    array_quote(quoted, name, strlen(name));
    if (!json_is_string(dtype) || !json_is_array(shape) || json_array_size(offsets) != 2 ||
        json_object_size(value) != 3)
        return array_fail(p, ARRAY_MALFORMED, 8,
                          "tensor '%s' should have \"dtype\", \"shape\" and \"data_offsets\": "
                          "[begin, end], and nothing else",
                          quoted);
    t->name = name;
    int type = 0;
    while (type < ARRAY_TYPES &&
           (dtypes[type] == NULL || strcmp(dtypes[type], json_string_value(dtype)) != 0))
        type++;
    if (type == ARRAY_TYPES)
        return array_fail(p, ARRAY_UNSUPPORTED, 8,
                          "tensor '%s' has dtype %s; F64, F32, F16, BF16, I64, I32 or U16 is "
                          "expected",
                          quoted,
                          array_quote(other, json_string_value(dtype), json_string_length(dtype)));
    t->type = (array_type)type;
    if (json_array_size(shape) > ARRAY_DIMS)
        return array_fail(p, ARRAY_UNSUPPORTED, 8, "tensor '%s' has %zu axes; at most %d are read",
                          quoted, json_array_size(shape), ARRAY_DIMS);
    t->dims = (int)json_array_size(shape);
    for (int k = 0; k < t->dims; k++)
        if (!natural(json_array_get(shape, (size_t)k), &t->shape[k]))
            return array_fail(p, ARRAY_MALFORMED, 8,
                              "axis %d of tensor '%s' is no whole number from 0 on", k, quoted);
    int64_t begin, end;
    uint64_t bytes;
    if (!natural(json_array_get(offsets, 0), &begin) || !natural(json_array_get(offsets, 1), &end))
        return array_fail(p, ARRAY_MALFORMED, 8,
                          "\"data_offsets\" of tensor '%s' are no whole numbers from 0 on", quoted);
    if (begin > end || (uint64_t)end > room)
        return array_fail(p, ARRAY_MALFORMED, 8,
                          "tensor '%s' has data_offsets [%lld, %lld]; the file has %llu bytes of "
                          "data",
                          quoted, (long long)begin, (long long)end, (unsigned long long)room);
    if (!array_shape_bytes(t->dims, t->shape, t->type, &t->elements, &bytes))
        return array_fail(p, ARRAY_MALFORMED, 8,
                          "the shape of tensor '%s' needs 2^63 bytes of data or more", quoted);
    if (bytes != (uint64_t)(end - begin))
        return array_fail(p, ARRAY_MALFORMED, 8,
                          "tensor '%s' has data_offsets for %lld bytes; its shape needs %llu",
                          quoted, (long long)(end - begin), (unsigned long long)bytes);
    t->begin = (uint64_t)begin;
    t->end = (uint64_t)end;
    return ARRAY_OK;
}

static int by_begin(const void *a, const void *b) {
    const tensor *x = *(tensor *const *)a, *y = *(tensor *const *)b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end); /* empty ones first */
}

/* That the tensors fill the data, each once. */
static array_status check_cover(const tensor *t, size_t count, size_t data, uint64_t room,
                                const array_place *p) {
    const tensor **sorted = malloc((count + 1) * sizeof *sorted);
    array_status status = ARRAY_OK;
    uint64_t reached = 0;
    char quoted[ARRAY_QUOTED];
    if (sorted == NULL)
        return array_no_memory(p, count * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &t[i];
    qsort(sorted, count, sizeof *sorted, by_begin);
    for (size_t i = 0; i < count && status == ARRAY_OK; i++) {
        const tensor *x = sorted[i];
        if (x->begin < reached)
            status =
                array_fail(p, ARRAY_MALFORMED, data + x->begin, "tensor '%s' overlaps another one",
                           array_quote(quoted, x->name, strlen(x->name)));
        else if (x->begin > reached)
            status = array_fail(p, ARRAY_MALFORMED, data + reached,
                                "%llu bytes before tensor '%s' belong to none",
                                (unsigned long long)(x->begin - reached),
                                array_quote(quoted, x->name, strlen(x->name)));
        reached = x->end;
    }
    if (status == ARRAY_OK && reached != room)
        status = array_fail(p, ARRAY_MALFORMED, data + reached, "%llu bytes follow the last tensor",
                            (unsigned long long)(room - reached));
    free(sorted);
    return status;
}

static array_status check_metadata(json_t *value, const array_place *p) {
    const char *key;
    json_t *text;
    bool right = json_is_object(value);
    json_object_foreach(value, key, text) right = right && json_is_string(text);
    return right ? ARRAY_OK
                 : array_fail(p, ARRAY_MALFORMED, 8,
                              "\"__metadata__\" should hold strings, and nothing else");
}

static array_status parse_header(array_file *f, json_t *header, const uint8_t *bytes, size_t data,
                                 size_t size, const array_place *p) {
    tensor *t = calloc(json_object_size(header) + 1, sizeof *t);
    size_t count = 0;
    array_status status = ARRAY_OK;
    const char *name;
    json_t *value;
    if (t == NULL)
        return array_no_memory(p, json_object_size(header) * sizeof *t);
    json_object_foreach(header, name, value) {
        if (strcmp(name, "__metadata__") == 0)
            status = check_metadata(value, p);
        else
            status = parse_tensor(&t[count++], name, value, size - data, p);
        if (status != ARRAY_OK)
            break;
    }
    if (status == ARRAY_OK)
        status = check_cover(t, count, data, size - data, p);
    for (size_t i = 0; i < count && status == ARRAY_OK; i++) {
        array a = {strdup(t[i].name), t[i].type, t[i].dims, {0}, t[i].elements, NULL};
        memcpy(a.shape, t[i].shape, sizeof a.shape);
        if (a.name == NULL || !array_fill(&a, bytes + data + t[i].begin, false, false)) {
            array_clear(&a);
            status = array_no_memory(p, t[i].end - t[i].begin);
        } else if (!array_append(f, &a)) {
            status = array_no_memory(p, sizeof a);
        }
    }
    free(t);
    return status;
}

array_status safetensors_parse(array_file *f, const uint8_t *bytes, size_t size,
                               const array_place *p) {
    const uint64_t length = size < 8 ? 0 : array_load(bytes, 8);
    if (size < 8 || length > size - 8)
        return array_fail(p, ARRAY_MALFORMED, 0, "the header should have %llu bytes; %zu are there",
                          (unsigned long long)length, size < 8 ? 0 : size - 8);
    if (length > HEADER_LIMIT)
        return array_fail(p, ARRAY_MALFORMED, 0, "the header has %llu bytes; the format allows %d",
                          (unsigned long long)length, HEADER_LIMIT);
    json_error_t wrong;
    json_t *header =
        json_loadb((const char *)bytes + 8, (size_t)length, JSON_REJECT_DUPLICATES, &wrong);
    char quoted[2 * ARRAY_QUOTED];
    if (header == NULL)
        return array_fail(p, ARRAY_MALFORMED, 8 + (uint64_t)(wrong.position),
                          "the header is no JSON: %s",
                          array_quote(quoted, wrong.text, strlen(wrong.text)));
    array_status status = ARRAY_OK;
    if (!json_is_object(header))
        status = array_fail(p, ARRAY_MALFORMED, 8, "the header is no JSON object");
    if (status == ARRAY_OK)
        status = parse_header(f, header, bytes, 8 + (size_t)length, size, p);
    json_decref(header);
    return status;
}

/* ---- writing ---- */

uint8_t *array_safetensors_bytes(const array_file *f, size_t *length, const char *name,
                                 array_status *status, char *error) {
    const array_place p = {name, NULL, error};
    json_t *header = json_object();
    uint64_t *begin = calloc((size_t)f->count + 1, sizeof *begin), total = 0;
    char *text = NULL, quoted[ARRAY_QUOTED];
    uint8_t *bytes = NULL;
    bool memory = header != NULL && begin != NULL;
    *length = 0;
    *status = ARRAY_OK;
    error[0] = '\0';
    /* the widest types first, so that each tensor stands at a multiple of its elements' size */
    for (size_t size = 8; size >= 2 && memory; size /= 2) {
        for (int64_t i = 0; i < f->count; i++) {
            if (array_type_size(f->item[i].type) == size) {
                begin[i] = total;
                total += (uint64_t)f->item[i].elements * size;
            }
        }
    }
    for (int64_t i = 0; i < f->count && memory && *status == ARRAY_OK; i++) {
        const array *a = &f->item[i];
        json_t *shape = json_array();
        for (int k = 0; k < a->dims; k++)
            json_array_append_new(shape, json_integer(a->shape[k]));
        const uint64_t end = begin[i] + (uint64_t)a->elements * array_type_size(a->type);
        array_quote(quoted, a->name, strlen(a->name));
        if (dtypes[a->type] == NULL) {
            *status = array_fail(&p, ARRAY_UNSUPPORTED, ARRAY_NOWHERE,
                                 "array '%s' is of type %s, which .safetensors does not have",
                                 quoted, array_type_name(a->type));
        } else if (json_object_get(header, a->name) != NULL ||
                   strcmp(a->name, "__metadata__") == 0) {
            *status = array_fail(&p, ARRAY_UNSUPPORTED, ARRAY_NOWHERE,
                                 "the array name '%s' is taken", quoted);
        } else {
            json_t *entry = json_pack("{s:s, s:O, s:[I, I]}", "dtype", dtypes[a->type], "shape",
                                      shape, "data_offsets", (json_int_t)begin[i], (json_int_t)end);
            memory = entry != NULL;
            if (memory && json_object_set_new(header, a->name, entry) != 0)
                *status = array_fail(&p, ARRAY_UNSUPPORTED, ARRAY_NOWHERE,
                                     "the array name '%s' is not UTF-8", quoted);
        }
        json_decref(shape);
    }
    if (memory && *status == ARRAY_OK)
        memory = (text = json_dumps(header, JSON_COMPACT)) != NULL;
    if (memory && *status == ARRAY_OK) {
        const size_t n = strlen(text), padded = (n + 7) / 8 * 8;
        memory = (bytes = malloc(8 + padded + total)) != NULL;
        if (memory) {
            array_store(bytes, padded, 8);
            memset(bytes + 8, ' ', padded);
            memcpy(bytes + 8, text, n);
            for (int64_t i = 0; i < f->count; i++)
                array_dump(bytes + 8 + padded + begin[i], &f->item[i]);
            *length = 8 + padded + total;
        }
    }
    if (!memory)
        *status = array_no_memory(&p, total);
    free(text);
    free(begin);
    json_decref(header);
    return bytes;
}

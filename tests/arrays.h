/* What must hold of any bytes that are given to a reader of arrays, sound or not. */
#ifndef TESTS_ARRAYS_H
#define TESTS_ARRAYS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/accuracy/array.h"

typedef enum { FORMAT_NPY, FORMAT_NPZ, FORMAT_SAFETENSORS, FORMATS } array_format;

/* NULL, or what is not as it should be of an array that was read. */
static inline const char *unsound_array(const array *a) {
    int64_t product = 1;
    double sum = 0;
    if (a->name == NULL || a->dims < 0 || a->dims > ARRAY_DIMS || a->type >= ARRAY_TYPES)
        return "an array with impossible fields";
    for (int k = 0; k < a->dims; k++)
        if (a->shape[k] < 0 || __builtin_mul_overflow(product, a->shape[k], &product))
            return "an array with an impossible shape";
    if (product != a->elements || a->data == NULL)
        return "elements that are not those of the shape";
    for (int64_t i = 0; i < a->elements; i++) /* touches them all */
        sum += array_get(a, i);
    return sum > 0 || sum <= 0 || sum != sum ? NULL : "no sum";
}

static inline uint8_t *write_arrays(const array_file *f, array_format format, size_t *length,
                                    array_status *status, char *error) {
    *status = ARRAY_OK;
    switch (format) {
    case FORMAT_NPY:
        return array_npy_bytes(&f->item[0], length);
    case FORMAT_NPZ:
        return array_npz_bytes(f, length, "written", status, error);
    default:
        return array_safetensors_bytes(f, length, "written", status, error);
    }
}

/* NULL, or what differs between arrays and what was read of them after writing. */
static inline const char *different_arrays(const array_file *f, const array_file *g) {
    if (f->count != g->count)
        return "another number of arrays";
    for (int64_t i = 0; i < f->count; i++) {
        const array *a = &f->item[i], *b = &g->item[i];
        const size_t size = array_type_size(a->type);
        if (strcmp(a->name, b->name) != 0)
            return "another name";
        if (a->type != b->type && !(a->type == ARRAY_BF16 && b->type == ARRAY_V2))
            return "another type";
        if (a->dims != b->dims || memcmp(a->shape, b->shape, sizeof a->shape) != 0)
            return "another shape";
        if (memcmp(a->data, b->data, (size_t)a->elements * size) != 0)
            return "other elements";
    }
    return NULL;
}

/* Reads bytes; NULL if that either gives sound arrays, which are the same after being written and
 * read again, or nothing but one line of complaint. */
static inline const char *misread(const uint8_t *bytes, size_t size, array_format format) {
    char error[ARRAY_ERROR];
    array_file f, g;
    array_status status = array_parse(&f, bytes, size, "bytes", error);
    const char *wrong = NULL;
    if (status != ARRAY_OK) {
        if (f.count != 0 || f.item != NULL)
            return "arrays from a file that was refused";
        if (strncmp(error, "bytes: ", 7) != 0 || strlen(error) < 16 || strchr(error, '\n') != NULL)
            return "no line of complaint";
        return status == ARRAY_CANNOT_OPEN ? "no memory for a small file" : NULL;
    }
    for (int64_t i = 0; i < f.count && wrong == NULL; i++)
        wrong = unsound_array(&f.item[i]);
    size_t length;
    uint8_t *written = NULL;
    if (wrong == NULL)
        written = write_arrays(&f, format, &length, &status, error);
    if (written != NULL) {
        if (array_parse(&g, written, length, "bytes", error) != ARRAY_OK)
            wrong = "what was written is refused";
        else
            wrong = different_arrays(&f, &g);
        array_file_clear(&g);
    } else if (wrong == NULL && status != ARRAY_UNSUPPORTED) {
        wrong = "nothing was written";
    }
    free(written);
    array_file_clear(&f);
    return wrong;
}

/* The first bytes that send a file to the format's reader, so that changed files get there. */
static inline void stamp_format(uint8_t *bytes, size_t size, array_format format) {
    if (format == FORMAT_NPY && size >= 6)
        memcpy(bytes, "\x93NUMPY", 6);
    if (format == FORMAT_NPZ && size >= 4 && memcmp(bytes, "PK\5\6", 4) != 0)
        memcpy(bytes, "PK\3\4", 4);
    if (format == FORMAT_SAFETENSORS && size > 8)
        bytes[8] = '{';
}

#endif

/* Types, rounding, and what all formats share. */
#include "numerics/accuracy/array_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { MACHINE_BIG_ENDIAN = 1 };
#else
enum { MACHINE_BIG_ENDIAN = 0 };
#endif

static const struct {
    const char *name;
    size_t size;
} types[ARRAY_TYPES] = {
    [ARRAY_F64] = {"float64", 8},   [ARRAY_F32] = {"float32", 4}, [ARRAY_F16] = {"float16", 2},
    [ARRAY_BF16] = {"bfloat16", 2}, [ARRAY_I64] = {"int64", 8},   [ARRAY_I32] = {"int32", 4},
    [ARRAY_U16] = {"uint16", 2},    [ARRAY_V2] = {"V2", 2},
};

size_t array_type_size(array_type type) {
    return types[type].size;
}

const char *array_type_name(array_type type) {
    return types[type].name;
}

bool array_type_from_name(array_type *type, const char *name) {
    for (int t = 0; t < ARRAY_TYPES; t++) {
        if (strcmp(name, types[t].name) == 0) {
            *type = (array_type)t;
            return true;
        }
    }
    return false;
}

/* ---- rounding ---- */

/* The 16-bit format with so many fraction bits: 1 sign, 15 - fraction exponent bits, bias
 * 2^(14-fraction) - 1.  A double is M 2^(e-52), 2^52 <= M < 2^53; with E = e + bias the result is
 * M / 2^(52-fraction) rounded to an integer for E >= 1, and 1 - E places fewer below; that integer
 * carries the leading 1, which therefore counts as one unit of the exponent field, as does a carry
 * out of the fraction. */
static uint16_t narrow(double x, int fraction) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int bias = (1 << (14 - fraction)) - 1;
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << fraction;
    const uint64_t sign = bits >> 48 & 0x8000, m = bits & (((uint64_t)1 << 52) - 1);
    const int e = (int)(bits >> 52 & 0x7ff);
    if (e == 0x7ff && m != 0) /* the quiet bit, lest the payload's upper bits be all 0 */
        return (uint16_t)(sign | infinity | (uint64_t)1 << (fraction - 1) | m >> (52 - fraction));
    const int field = e - 1023 + bias; /* E */
    if (field > 2 * bias)
        return (uint16_t)(sign | infinity);
    const int drop = 52 - fraction + (field < 1 ? 1 - field : 0);
    if (e == 0 || drop >= 54) /* less than half of the least denormal */
        return (uint16_t)sign;
    const uint64_t whole = m | (uint64_t)1 << 52, half = (uint64_t)1 << (drop - 1);
    const uint64_t rest = whole & (2 * half - 1);
    uint64_t kept = whole >> drop;
    if (rest > half || (rest == half && kept % 2 == 1))
        kept++;
    if (field > 1)
        kept += (uint64_t)(field - 1) << fraction;
    return (uint16_t)(sign | (kept < infinity ? kept : infinity));
}

static double widen(uint16_t bits, int fraction) {
    const int bias = (1 << (14 - fraction)) - 1;
    const int field = (bits & 0x7fff) >> fraction, m = bits & ((1 << fraction) - 1);
    double x;
    if (field == 2 * bias + 1 && m != 0) {
        uint64_t nan = (uint64_t)0x7ff8 << 48 | (uint64_t)m << (52 - fraction);
        memcpy(&x, &nan, sizeof x);
    } else if (field == 2 * bias + 1) {
        x = INFINITY;
    } else if (field == 0) {
        x = ldexp(m, 1 - bias - fraction);
    } else {
        x = ldexp(m + (1 << fraction), field - bias - fraction);
    }
    return bits & 0x8000 ? -x : x;
}

uint16_t array_to_float16(double x) {
    return narrow(x, 10);
}

uint16_t array_to_bfloat16(double x) {
    return narrow(x, 7);
}

double array_from_float16(uint16_t bits) {
    return widen(bits, 10);
}

double array_from_bfloat16(uint16_t bits) {
    return widen(bits, 7);
}

double array_round(array_type type, double x) {
    switch (type) {
    case ARRAY_F32:
        return (double)(float)x;
    case ARRAY_F16:
        return array_from_float16(array_to_float16(x));
    case ARRAY_BF16:
        return array_from_bfloat16(array_to_bfloat16(x));
    default:
        return x;
    }
}

double array_get(const array *a, int64_t i) {
    switch (a->type) {
    case ARRAY_F64:
        return ((const double *)a->data)[i];
    case ARRAY_F32:
        return (double)((const float *)a->data)[i];
    case ARRAY_F16:
        return array_from_float16(((const uint16_t *)a->data)[i]);
    case ARRAY_BF16:
        return array_from_bfloat16(((const uint16_t *)a->data)[i]);
    case ARRAY_I64:
        return (double)((const int64_t *)a->data)[i];
    case ARRAY_I32:
        return (double)((const int32_t *)a->data)[i];
    default:
        return (double)((const uint16_t *)a->data)[i];
    }
}

bool array_as_bfloat16(array *a) {
    if (a->type != ARRAY_U16 && a->type != ARRAY_V2)
        return false;
    a->type = ARRAY_BF16;
    return true;
}

/* ---- lists of arrays ---- */

void array_clear(array *a) {
    free(a->name);
    free(a->data);
    memset(a, 0, sizeof *a);
}

void array_file_clear(array_file *f) {
    for (int64_t i = 0; i < f->count; i++)
        array_clear(&f->item[i]);
    free(f->item);
    f->item = NULL;
    f->count = 0;
}

array *array_find(const array_file *f, const char *name) {
    for (int64_t i = 0; i < f->count; i++)
        if (strcmp(f->item[i].name, name) == 0)
            return &f->item[i];
    return NULL;
}

bool array_append(array_file *f, array *a) {
    /* room doubles whenever count is a power of two */
    if ((f->count & (f->count - 1)) == 0) {
        size_t room = f->count == 0 ? 1 : 2 * (size_t)f->count;
        array *larger = realloc(f->item, room * sizeof *larger);
        if (larger == NULL) {
            array_clear(a);
            return false;
        }
        f->item = larger;
    }
    f->item[f->count++] = *a;
    return true;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

const char *array_name_twice(const array_file *f, bool *memory) {
    const char **names = malloc(((size_t)f->count + 1) * sizeof *names), *twice = NULL;
    *memory = names != NULL;
    if (names == NULL)
        return NULL;
    for (int64_t i = 0; i < f->count; i++)
        names[i] = f->item[i].name;
    qsort(names, (size_t)f->count, sizeof *names, by_name);
    for (int64_t i = 1; i < f->count && twice == NULL; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            twice = names[i];
    free(names);
    return twice;
}

/* ---- bytes ---- */

uint64_t array_load(const uint8_t *bytes, size_t size) {
    uint64_t value = 0;
    for (size_t k = size; k-- > 0;)
        value = value << 8 | bytes[k];
    return value;
}

void array_store(uint8_t *bytes, uint64_t value, size_t size) {
    for (size_t k = 0; k < size; k++, value >>= 8)
        bytes[k] = (uint8_t)value;
}

bool array_shape_bytes(int dims, const int64_t *shape, array_type type, int64_t *elements,
                       uint64_t *bytes) {
    int64_t product = (int64_t)types[type].size;
    bool empty = false;
    for (int k = 0; k < dims; k++) {
        if (shape[k] == 0)
            empty = true;
        else if (__builtin_mul_overflow(product, shape[k], &product))
            return false;
    }
    *bytes = empty ? 0 : (uint64_t)product;
    *elements = (int64_t)(*bytes / types[type].size);
    return true;
}

/* One element, its bytes reversed or not. */
static void copy(uint8_t *to, const uint8_t *from, size_t size, bool reverse) {
    for (size_t k = 0; k < size; k++)
        to[k] = from[reverse ? size - 1 - k : k];
}

bool array_fill(array *a, const uint8_t *data, bool big_endian, bool fortran_order) {
    const size_t size = types[a->type].size, n = (size_t)a->elements;
    const bool reverse = big_endian != MACHINE_BIG_ENDIAN;
    a->data = malloc(n > 0 ? n * size : 1);
    if (a->data == NULL)
        return false;
    uint8_t *to = a->data;
    if (n == 0)
        return true;
    if (!fortran_order || a->dims < 2) {
        if (!reverse)
            memcpy(to, data, n * size);
        for (size_t i = 0; reverse && i < n; i++)
            copy(to + i * size, data + i * size, size, true);
        return true;
    }
    /* element (i_0, ..., i_{D-1}) stands at sum_k i_k prod_{l<k} shape_l */
    size_t stride[ARRAY_DIMS], index[ARRAY_DIMS] = {0}, from = 0;
    stride[0] = 1;
    for (int k = 1; k < a->dims; k++)
        stride[k] = stride[k - 1] * (size_t)a->shape[k - 1];
    for (size_t i = 0; i < n; i++) {
        copy(to + i * size, data + from * size, size, reverse);
        for (int k = a->dims - 1; k >= 0; k--) {
            from += stride[k];
            if (++index[k] < (size_t)a->shape[k])
                break;
            from -= index[k] * stride[k];
            index[k] = 0;
        }
    }
    return true;
}

void array_dump(uint8_t *bytes, const array *a) {
    const size_t size = types[a->type].size;
    if (!MACHINE_BIG_ENDIAN && a->elements > 0)
        memcpy(bytes, a->data, (size_t)a->elements * size);
    for (size_t i = 0; MACHINE_BIG_ENDIAN && i < (size_t)a->elements; i++)
        copy(bytes + i * size, (const uint8_t *)a->data + i * size, size, true);
}

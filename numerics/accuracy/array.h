/* Arrays as other programs leave them: .npy (versions 1 to 3), .npz (stored or deflated, ZIP64)
 * and .safetensors.  Whatever the file's byte order and axis order, an array in memory is packed,
 * the last axis fastest, in the machine's byte order.
 *
 * Readers never allocate by a size that the file only claims, read nothing outside it, follow no
 * path inside it, and on bad input say in one line what, where, and what would be right. */
#ifndef ACCURACY_ARRAY_H
#define ACCURACY_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    ARRAY_F64,
    ARRAY_F32,
    ARRAY_F16,
    ARRAY_BF16,
    ARRAY_I64,
    ARRAY_I32,
    ARRAY_U16, /* integers, or bfloat16 by array_as_bfloat16 */
    ARRAY_V2,  /* two raw bytes: what numpy writes for bfloat16 */
    ARRAY_TYPES
} array_type;

enum { ARRAY_DIMS = 8, ARRAY_ERROR = 320 };

typedef struct {
    char *name; /* "" in an .npy file */
    array_type type;
    int dims;
    int64_t shape[ARRAY_DIMS];
    int64_t elements; /* product of the shape */
    void *data;
} array;

typedef struct {
    int64_t count;
    array *item;
} array_file;

typedef enum {
    ARRAY_OK,
    ARRAY_CANNOT_OPEN, /* or read, or write */
    ARRAY_MALFORMED,   /* not what the format says */
    ARRAY_UNSUPPORTED  /* right, but of a kind that is not read: encrypted, complex, objects ... */
} array_status;

/* f := the arrays of a file, told apart by its first bytes.  error (ARRAY_ERROR bytes): one line,
 * "FILE: at byte N: what; what would be right", empty on ARRAY_OK.  f is empty on any other status.
 *
 * .npy: what follows the data is refused; a header that does not end in a newline is read.
 * .npz: an array's name is its member's without ".npy".  A name is never a path: "../q" is the
 * array "../q"; only a name with a zero byte, or one that is there twice, is refused.
 * .safetensors: as the format says, tensors neither overlap nor leave holes. */
array_status array_read(array_file *f, const char *path, char *error);
/* The same from memory; name stands for the file in messages. */
array_status array_parse(array_file *f, const uint8_t *bytes, size_t size, const char *name,
                         char *error);
void array_file_clear(array_file *f);
/* The array of that name, or NULL. */
array *array_find(const array_file *f, const char *name);

/* ARRAY_U16 and ARRAY_V2 become ARRAY_BF16; false for any other type. */
bool array_as_bfloat16(array *a);

/* Element i as a double: exact for every type but ARRAY_I64 beyond 2^53, which is rounded to
 * nearest; of ARRAY_V2 the two bytes as an integer. */
double array_get(const array *a, int64_t i);
size_t array_type_size(array_type type);
const char *array_type_name(array_type type); /* "float32", ... */
bool array_type_from_name(array_type *type, const char *name);

/* x to the nearest number of a floating type, ties to even; overflow to infinity, NaN stays NaN.
 * Rounded once, from the double itself.  As a double (x itself for the types that are none), and
 * as bits. */
double array_round(array_type type, double x);
uint16_t array_to_float16(double x);
uint16_t array_to_bfloat16(double x);
double array_from_float16(uint16_t bits);
double array_from_bfloat16(uint16_t bits);

/* Write to a temporary name beside path, then rename.  .npy: one array (version 1.0, C order,
 * little-endian; bfloat16 as V2).  .npz: all of f, stored, with fixed dates: same arrays, same
 * bytes. .safetensors likewise, but for V2, which it does not have.  ARRAY_UNSUPPORTED for what
 * the format cannot say: that, a name twice, one that is too long or (.safetensors) no UTF-8. */
array_status array_write_npy(const char *path, const array *a, char *error);
array_status array_write_npz(const char *path, const array_file *f, char *error);
array_status array_write_safetensors(const char *path, const array_file *f, char *error);

/* The same in memory, for the caller to free(); NULL and *length = 0 where that fails (error as
 * above; .npy: only for want of memory). */
uint8_t *array_npy_bytes(const array *a, size_t *length);
uint8_t *array_npz_bytes(const array_file *f, size_t *length, const char *name,
                         array_status *status, char *error);
uint8_t *array_safetensors_bytes(const array_file *f, size_t *length, const char *name,
                                 array_status *status, char *error);

#endif

/* What the readers and writers of the array formats share; not for callers. */
#ifndef ACCURACY_ARRAY_FORMAT_H
#define ACCURACY_ARRAY_FORMAT_H

#include "numerics/accuracy/array.h"

/* Where messages point: a file, and within a zip the member (NULL: the file itself). */
typedef struct {
    const char *file, *member;
    char *error;
} array_place;

/* error := "FILE: [in member 'M' ]at byte N: what"; returns status.  ARRAY_NOWHERE: no offset. */
#define ARRAY_NOWHERE UINT64_MAX
array_status array_fail(const array_place *p, array_status status, uint64_t at, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));
array_status array_no_memory(const array_place *p, uint64_t bytes);

/* text's first length bytes for a message: control characters as \xNN, long ones shortened. */
enum { ARRAY_QUOTED = 64 };
const char *array_quote(char quoted[ARRAY_QUOTED], const char *text, size_t length);

/* Little-endian integers of 1 to 8 bytes. */
uint64_t array_load(const uint8_t *bytes, size_t size);
void array_store(uint8_t *bytes, uint64_t value, size_t size);

/* elements and bytes of a shape; false if the axes that are not 0 need 2^63 bytes or more (so any
 * product of a sound array's axes is an int64_t). */
bool array_shape_bytes(int dims, const int64_t *shape, array_type type, int64_t *elements,
                       uint64_t *bytes);

/* a->data := the elements from data, of a->type, a->shape, a->elements; false for want of memory. */
bool array_fill(array *a, const uint8_t *data, bool big_endian, bool fortran_order);
/* bytes := the elements, little-endian. */
void array_dump(uint8_t *bytes, const array *a);

/* Appends a (which f then owns); false, and a is cleared, for want of memory. */
bool array_append(array_file *f, array *a);
void array_clear(array *a);
/* A name that two arrays have, or NULL; *memory := false if that could not be found out. */
const char *array_name_twice(const array_file *f, bool *memory);

/* ---- .npy ---- */

enum { NPY_HEADER_LIMIT = 12 + 65535 }; /* of the bytes before the data */

typedef struct {
    array_type type;
    bool big_endian, fortran_order;
    int dims;
    int64_t shape[ARRAY_DIMS];
    int64_t elements;
    size_t data;    /* where it begins */
    uint64_t bytes; /* how much it is */
} npy_header;

bool npy_begins(const uint8_t *bytes, size_t size);
/* head := magic, version and header of a as array_npy_bytes writes them; their length. */
enum { NPY_HEAD_ROOM = 384 };
size_t npy_head(uint8_t head[NPY_HEAD_ROOM], const array *a);
/* size: the bytes that are there, as many as there are or NPY_HEADER_LIMIT. */
array_status npy_parse_header(npy_header *h, const uint8_t *bytes, size_t size,
                              const array_place *p);
/* size: of the whole.  That header and shape fill it exactly. */
array_status npy_check_size(const npy_header *h, uint64_t size, const array_place *p);
/* a := header and data; the name is left alone. */
array_status npy_array(array *a, const npy_header *h, const uint8_t *data, const array_place *p);

/* ---- zip files (PKWARE's APPNOTE.TXT 6.3, stored or deflated) ---- */

enum {
    ZIP_LOCAL = 30,
    ZIP_CENTRAL = 46,
    ZIP_END = 22,
    ZIP_END64 = 56,
    ZIP_LOCATOR = 20,
    ZIP_STORED = 0,
    ZIP_DEFLATED = 8,
    ZIP_UTF8 = 1 << 11,
    ZIP_ZIP64 = 1,          /* the extra field that replaces ... */
    ZIP_FULL16 = UINT16_MAX /* ... values of 2^16 - 1 and 2^32 - 1 */
};
#define ZIP_FULL32 UINT32_MAX

typedef struct {
    uint64_t at;      /* of its central directory entry */
    const char *name; /* without a zero byte inside or after it */
    size_t name_length;
    unsigned flags, method;
    uint32_t crc;
    uint64_t packed, size, local; /* bytes in the file, bytes they stand for, local header */
    uint64_t data;                /* where the packed bytes begin */
} zip_member;

typedef struct {
    const uint8_t *bytes;
    size_t size;
    const array_place *place;
    uint64_t count, directory, directory_size;
    zip_member *member;
} zip_file;

/* Sets all that follows place; members are inside the file, before the directory, and share no
 * bytes.  The caller frees member on any status. */
array_status zip_read_directory(zip_file *z);

/* ---- whole files ---- */

array_status npy_parse(array_file *f, const uint8_t *bytes, size_t size, const array_place *p);
array_status npz_parse(array_file *f, const uint8_t *bytes, size_t size, const array_place *p);
array_status safetensors_parse(array_file *f, const uint8_t *bytes, size_t size,
                               const array_place *p);
array_status array_write_bytes(const char *path, uint8_t *bytes, size_t length, char *error);

#endif

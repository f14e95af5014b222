/* Arrays as a zip file of stored .npy files, the same bytes for the same arrays. */
#include "numerics/accuracy/array_format.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Local header and central entry have these 24 bytes in common, from the version needed on; both
 * always have their sizes in a ZIP64 field, so that 4 GiB are no special case. */
static void common_header(uint8_t h[24], uint32_t crc, size_t name) {
    array_store(h, 45, 2); /* version with ZIP64 */
    array_store(h + 2, ZIP_UTF8, 2);
    array_store(h + 4, ZIP_STORED, 2);
    array_store(h + 6, 0, 2);    /* 0:00:00 */
    array_store(h + 8, 0x21, 2); /* 1 January 1980 */
    array_store(h + 10, crc, 4);
    array_store(h + 14, ZIP_FULL32, 4);
    array_store(h + 18, ZIP_FULL32, 4);
    array_store(h + 22, name, 2);
}

enum { EXTRA_LOCAL = 4 + 16, EXTRA_CENTRAL = 4 + 24 };

static uint8_t *put(uint8_t *to, const void *from, size_t n) {
    memcpy(to, from, n);
    return to + n;
}

static uint8_t *put_number(uint8_t *to, uint64_t value, size_t size) {
    array_store(to, value, size);
    return to + size;
}

/* The array as the member NAME.npy. */
static uint8_t *put_local(uint8_t *to, const array *a) {
    const size_t name = strlen(a->name);
    const size_t header = ZIP_LOCAL + name + 4 + EXTRA_LOCAL, length = npy_head(to + header, a);
    const size_t size = length + (size_t)a->elements * array_type_size(a->type);
    array_dump(to + header + length, a);
    put(to, "PK\3\4", 4);
    common_header(to + 4, (uint32_t)crc32_z(0, to + header, size), name + 4);
    put_number(to + 28, EXTRA_LOCAL, 2);
    to = put(put(to + ZIP_LOCAL, a->name, name), ".npy", 4);
    to = put_number(put_number(to, ZIP_ZIP64, 2), EXTRA_LOCAL - 4, 2);
    return put_number(put_number(to, size, 8), size, 8) + size;
}

static uint8_t *put_central(uint8_t *to, const uint8_t *local, uint64_t offset) {
    const size_t name = (size_t)array_load(local + 26, 2);
    to = put(to, "PK\1\2", 4);
    to = put_number(to, 45, 2); /* made by: DOS, version with ZIP64 */
    to = put(to, local + 4, 24);
    to = put_number(to, EXTRA_CENTRAL, 2);
    memset(to, 0, 10); /* no comment, disk 0, no attributes */
    to = put_number(to + 10, ZIP_FULL32, 4);
    to = put(to, local + ZIP_LOCAL, name);
    to = put_number(put_number(to, ZIP_ZIP64, 2), EXTRA_CENTRAL - 4, 2);
    to = put(to, local + ZIP_LOCAL + name + 4, 16);
    return put_number(to, offset, 8);
}

/* Without members it is the old end alone: by its first bytes readers know an empty zip file. */
static uint8_t *put_end(uint8_t *to, uint64_t count, uint64_t offset, uint64_t size) {
    if (count == 0) {
        memset(put(to, "PK\5\6", 4), 0, ZIP_END - 4);
        return to + ZIP_END;
    }
    to = put_number(put(to, "PK\6\6", 4), ZIP_END64 - 12, 8);
    to = put_number(put_number(to, 45, 2), 45, 2);
    to = put_number(put_number(to, 0, 4), 0, 4);
    to = put_number(put_number(to, count, 8), count, 8);
    to = put_number(put_number(to, size, 8), offset, 8);
    to = put_number(put(to, "PK\6\7", 4), 0, 4);
    to = put_number(put_number(to, offset + size, 8), 1, 4);
    to = put_number(put(to, "PK\5\6", 4), 0, 4);
    to = put_number(put_number(to, ZIP_FULL16, 2), ZIP_FULL16, 2);
    to = put_number(put_number(to, ZIP_FULL32, 4), ZIP_FULL32, 4);
    return put_number(to, 0, 2);
}

uint8_t *array_npz_bytes(const array_file *f, size_t *length, const char *name,
                         array_status *status, char *error) {
    const array_place p = {name, NULL, error};
    bool memory;
    char quoted[ARRAY_QUOTED];
    const char *twice = array_name_twice(f, &memory);
    size_t total = ZIP_END64 + ZIP_LOCATOR + ZIP_END,
           *start = calloc((size_t)f->count + 1, sizeof *start);
    uint8_t *bytes = NULL, *to = NULL;
    *length = 0;
    *status = ARRAY_OK;
    error[0] = '\0';
    if (!memory || start == NULL)
        *status = array_no_memory(&p, (uint64_t)f->count * sizeof *start);
    else if (twice != NULL)
        *status = array_fail(&p, ARRAY_UNSUPPORTED, ARRAY_NOWHERE, "two arrays are named '%s'",
                             array_quote(quoted, twice, strlen(twice)));
    for (int64_t i = 0; i < f->count && *status == ARRAY_OK; i++) {
        const array *a = &f->item[i];
        const size_t n = strlen(a->name) + 4;
        uint8_t head[NPY_HEAD_ROOM];
        if (n > ZIP_FULL16)
            *status = array_fail(&p, ARRAY_UNSUPPORTED, ARRAY_NOWHERE,
                                 "the array name '%s' is longer than 65531 bytes",
                                 array_quote(quoted, a->name, n - 4));
        total += ZIP_LOCAL + ZIP_CENTRAL + 2 * n + EXTRA_LOCAL + EXTRA_CENTRAL + npy_head(head, a) +
                 (size_t)a->elements * array_type_size(a->type);
    }
    if (*status == ARRAY_OK && (bytes = to = malloc(total)) == NULL)
        *status = array_no_memory(&p, total);
    if (*status == ARRAY_OK) {
        for (int64_t i = 0; i < f->count; i++) {
            start[i] = (size_t)(to - bytes);
            to = put_local(to, &f->item[i]);
        }
        const size_t directory = (size_t)(to - bytes);
        for (int64_t i = 0; i < f->count; i++)
            to = put_central(to, bytes + start[i], start[i]);
        to = put_end(to, (uint64_t)f->count, directory, (uint64_t)(to - bytes) - directory);
        *length = (size_t)(to - bytes);
    }
    free(start);
    return bytes;
}

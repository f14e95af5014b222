/* The directory of a zip file (PKWARE's APPNOTE.TXT 6.3: 4.3.7 local header, 4.3.12 central
 * directory, 4.3.14 to 4.3.16 its end, 4.5.3 ZIP64).  The central directory
 * rules: data descriptors (sizes after the data) need no reading of their own, and a local header
 * that has sizes must agree with it. */
#include "numerics/accuracy/array_format.h"

#include <stdlib.h>
#include <string.h>

enum { FLAG_ENCRYPTED = 1 | 1 << 6 | 1 << 13, FLAG_DESCRIPTOR = 1 << 3, FLAG_PATCHED = 1 << 5 };

static array_status find_directory(zip_file *z) {
    const uint8_t *b = z->bytes;
    size_t end = z->size < ZIP_END ? 0 : z->size - ZIP_END + 1;
    const size_t last = z->size > ZIP_END + ZIP_FULL16 ? z->size - ZIP_END - ZIP_FULL16 : 0;
    bool found = false;
    while (!found && end > last) {
        end--;
        found = memcmp(b + end, "PK\5\6", 4) == 0 &&
                array_load(b + end + 20, 2) == z->size - end - ZIP_END;
    }
    if (!found)
        return array_fail(z->place, ARRAY_MALFORMED, z->size,
                          "the zip file has no central directory at its end (cut off?)");
    uint64_t disks[2] = {array_load(b + end + 4, 2), array_load(b + end + 6, 2)};
    uint64_t here = array_load(b + end + 8, 2);
    z->count = array_load(b + end + 10, 2);
    z->directory_size = array_load(b + end + 12, 4);
    z->directory = array_load(b + end + 16, 4);
    uint64_t limit = end;
    if (end >= ZIP_LOCATOR && memcmp(b + end - ZIP_LOCATOR, "PK\6\7", 4) == 0) {
        const uint64_t at = array_load(b + end - ZIP_LOCATOR + 8, 8);
        if (end - ZIP_LOCATOR < ZIP_END64 || at > end - ZIP_LOCATOR - ZIP_END64 ||
            memcmp(b + at, "PK\6\6", 4) != 0)
            return array_fail(z->place, ARRAY_MALFORMED, end - ZIP_LOCATOR + 8,
                              "no ZIP64 end of the central directory where it should be, at "
                              "byte %llu",
                              (unsigned long long)at);
        const uint8_t *e = b + at;
        const uint64_t count = array_load(e + 32, 8), bytes = array_load(e + 40, 8),
                       offset = array_load(e + 48, 8);
        if ((z->count != ZIP_FULL16 && z->count != count) ||
            (z->directory_size != ZIP_FULL32 && z->directory_size != bytes) ||
            (z->directory != ZIP_FULL32 && z->directory != offset))
            return array_fail(z->place, ARRAY_MALFORMED, end,
                              "the two ends of the central directory contradict each other");
        disks[0] = array_load(e + 16, 4);
        disks[1] = array_load(e + 20, 4);
        here = array_load(e + 24, 8);
        z->count = count;
        z->directory_size = bytes;
        z->directory = offset;
        limit = at;
    }
    if (disks[0] != 0 || disks[1] != 0 || here != z->count)
        return array_fail(z->place, ARRAY_UNSUPPORTED, end,
                          "the zip file is one of several parts; a whole one is expected");
    if (z->directory > limit || z->directory_size != limit - z->directory)
        return array_fail(z->place, ARRAY_MALFORMED, end,
                          "the central directory should be the %llu bytes from byte %llu on, but "
                          "its end is at byte %llu",
                          (unsigned long long)z->directory_size, (unsigned long long)z->directory,
                          (unsigned long long)limit);
    if (z->count > z->directory_size / ZIP_CENTRAL)
        return array_fail(z->place, ARRAY_MALFORMED, end,
                          "%llu members are claimed; the central directory has room for %llu",
                          (unsigned long long)z->count,
                          (unsigned long long)z->directory_size / ZIP_CENTRAL);
    return ARRAY_OK;
}

/* Replaces those values that are 2^32 - 1 from the ZIP64 field, in its order; false if the field
 * is not there or too short.  Without such values there is nothing to do. */
static bool from_zip64(uint64_t *const *value, int values, const uint8_t *extra, size_t length) {
    const uint8_t *field = NULL;
    size_t room = 0;
    for (size_t i = 0; field == NULL && length - i >= 4;) {
        size_t n = (size_t)array_load(extra + i + 2, 2);
        if (n > length - i - 4)
            break;
        if (array_load(extra + i, 2) == ZIP_ZIP64) {
            field = extra + i + 4;
            room = n;
        }
        i += 4 + n;
    }
    for (int k = 0; k < values; k++) {
        if (*value[k] != ZIP_FULL32)
            continue;
        if (field == NULL || room < 8)
            return false;
        *value[k] = array_load(field, 8);
        field += 8;
        room -= 8;
    }
    return true;
}

static array_status read_entry(zip_file *z, zip_member *m, uint64_t at, uint64_t *next) {
    const uint64_t end = z->directory + z->directory_size;
    const uint8_t *e = z->bytes + at;
    char quoted[ARRAY_QUOTED];
    if (end - at < ZIP_CENTRAL || memcmp(e, "PK\1\2", 4) != 0)
        return array_fail(z->place, ARRAY_MALFORMED, at,
                          "no entry of the central directory where one is expected");
    const size_t extra = (size_t)array_load(e + 30, 2), comment = (size_t)array_load(e + 32, 2);
    m->at = at;
    m->name = (const char *)e + ZIP_CENTRAL;
    m->name_length = (size_t)array_load(e + 28, 2);
    m->flags = (unsigned)array_load(e + 8, 2);
    m->method = (unsigned)array_load(e + 10, 2);
    m->crc = (uint32_t)array_load(e + 16, 4);
    m->packed = array_load(e + 20, 4);
    m->size = array_load(e + 24, 4);
    m->local = array_load(e + 42, 4);
    if (m->name_length + extra + comment > end - at - ZIP_CENTRAL)
        return array_fail(z->place, ARRAY_MALFORMED, at,
                          "an entry of the central directory is longer than the directory");
    *next = at + ZIP_CENTRAL + m->name_length + extra + comment;
    array_quote(quoted, m->name, m->name_length);
    if (memchr(m->name, '\0', m->name_length) != NULL)
        return array_fail(z->place, ARRAY_MALFORMED, at + ZIP_CENTRAL,
                          "the name of member '%s' contains a zero byte", quoted);
    if (m->flags & FLAG_ENCRYPTED)
        return array_fail(z->place, ARRAY_UNSUPPORTED, at,
                          "member '%s' is encrypted; plain ones are expected", quoted);
    if (m->flags & FLAG_PATCHED || (m->method != ZIP_STORED && m->method != ZIP_DEFLATED))
        return array_fail(z->place, ARRAY_UNSUPPORTED, at,
                          "member '%s' is compressed by method %u; stored (0) or deflated (8) is "
                          "expected",
                          quoted, m->method);
    if (!from_zip64((uint64_t *[]){&m->size, &m->packed, &m->local}, 3,
                    e + ZIP_CENTRAL + m->name_length, extra))
        return array_fail(z->place, ARRAY_MALFORMED, at,
                          "member '%s' has a size of 0xFFFFFFFF and no ZIP64 field to replace it",
                          quoted);
    return ARRAY_OK;
}

static array_status check_local(const zip_file *z, zip_member *m) {
    char quoted[ARRAY_QUOTED];
    array_quote(quoted, m->name, m->name_length);
    const uint8_t *l = z->bytes + m->local;
    if (m->local > z->directory || z->directory - m->local < ZIP_LOCAL ||
        memcmp(l, "PK\3\4", 4) != 0)
        return array_fail(z->place, ARRAY_MALFORMED, m->at + 42,
                          "member '%s' should begin at byte %llu, and does not", quoted,
                          (unsigned long long)m->local);
    const size_t name = (size_t)array_load(l + 26, 2), extra = (size_t)array_load(l + 28, 2);
    const uint64_t room = z->directory - m->local - ZIP_LOCAL;
    if (name + extra > room || m->packed > room - name - extra)
        return array_fail(z->place, ARRAY_MALFORMED, m->local,
                          "member '%s' claims %llu bytes, more than are before the central "
                          "directory",
                          quoted, (unsigned long long)m->packed);
    uint64_t packed = array_load(l + 18, 4), size = array_load(l + 22, 4);
    const bool later = array_load(l + 6, 2) & FLAG_DESCRIPTOR;
    const bool sizes =
        later || (from_zip64((uint64_t *[]){&size, &packed}, 2, l + ZIP_LOCAL + name, extra) &&
                  packed == m->packed && size == m->size && array_load(l + 14, 4) == m->crc);
    if (!sizes || name != m->name_length || memcmp(l + ZIP_LOCAL, m->name, name) != 0 ||
        array_load(l + 8, 2) != m->method || (array_load(l + 6, 2) & FLAG_ENCRYPTED))
        return array_fail(z->place, ARRAY_MALFORMED, m->local,
                          "the header of member '%s' contradicts the central directory", quoted);
    m->data = m->local + ZIP_LOCAL + name + extra;
    return ARRAY_OK;
}

static int by_place(const void *a, const void *b) {
    const zip_member *x = a, *y = b;
    return (x->local > y->local) - (x->local < y->local);
}

/* Members that share bytes would let a small file become a very large one. */
static array_status check_overlap(const zip_file *z) {
    zip_member *m = malloc(((size_t)z->count + 1) * sizeof *m);
    array_status status = ARRAY_OK;
    if (m == NULL)
        return array_no_memory(z->place, z->count * sizeof *m);
    if (z->count > 0)
        memcpy(m, z->member, (size_t)z->count * sizeof *m);
    qsort(m, (size_t)z->count, sizeof *m, by_place);
    for (uint64_t i = 1; i < z->count && status == ARRAY_OK; i++) {
        char a[ARRAY_QUOTED], b[ARRAY_QUOTED];
        if (m[i - 1].data + m[i - 1].packed > m[i].local)
            status =
                array_fail(z->place, ARRAY_MALFORMED, m[i].local, "members '%s' and '%s' overlap",
                           array_quote(a, m[i - 1].name, m[i - 1].name_length),
                           array_quote(b, m[i].name, m[i].name_length));
    }
    free(m);
    return status;
}

array_status zip_read_directory(zip_file *z) {
    array_status status = find_directory(z);
    if (status != ARRAY_OK)
        return status;
    z->member = calloc((size_t)z->count + 1, sizeof *z->member);
    if (z->member == NULL)
        return array_no_memory(z->place, z->count * sizeof *z->member);
    uint64_t at = z->directory;
    for (uint64_t i = 0; i < z->count && status == ARRAY_OK; i++) {
        status = read_entry(z, &z->member[i], at, &at);
        if (status == ARRAY_OK)
            status = check_local(z, &z->member[i]);
    }
    if (status == ARRAY_OK && at != z->directory + z->directory_size)
        status = array_fail(z->place, ARRAY_MALFORMED, at,
                            "the central directory goes on after its %llu members",
                            (unsigned long long)z->count);
    return status == ARRAY_OK ? check_overlap(z) : status;
}

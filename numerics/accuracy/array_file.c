/* Array files from and to paths, and the one line that says what is wrong with them. */
#include "numerics/accuracy/array_format.h"
#include "numerics/accuracy/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- messages ---- */

/* text with control characters as \xNN; if longer than room, its end after "...". */
static void escape(char *to, size_t room, const char *text, size_t length) {
    size_t n = 0, skip = 0;
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += (unsigned char)text[i] < 32 || text[i] == 127 ? 4 : 1;
    if (width >= room) {
        for (width += 3; width >= room; skip++)
            width -= (unsigned char)text[skip] < 32 || text[skip] == 127 ? 4 : 1;
        memcpy(to, "...", 3);
        n = 3;
    }
    for (size_t i = skip; i < length; i++) {
        if ((unsigned char)text[i] < 32 || text[i] == 127)
            n += (size_t)snprintf(to + n, room - n, "\\x%02x", (unsigned)text[i]);
        else
            to[n++] = text[i];
    }
    to[n] = '\0';
}

const char *array_quote(char quoted[ARRAY_QUOTED], const char *text, size_t length) {
    escape(quoted, ARRAY_QUOTED, text, length);
    return quoted;
}

array_status array_fail(const array_place *p, array_status status, uint64_t at, const char *format,
                        ...) {
    char file[120], member[ARRAY_QUOTED], where[ARRAY_QUOTED + 64] = "";
    escape(file, sizeof file, p->file, strlen(p->file));
    size_t n = 0;
    if (p->member != NULL)
        n = (size_t)snprintf(where, sizeof where, "in member '%s'%s",
                             array_quote(member, p->member, strlen(p->member)),
                             at == ARRAY_NOWHERE ? ": " : " ");
    if (at != ARRAY_NOWHERE)
        snprintf(where + n, sizeof where - n, "at byte %llu: ", (unsigned long long)at);
    int used = snprintf(p->error, ARRAY_ERROR, "%s: %s", file, where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error + used, ARRAY_ERROR - (size_t)used, format, arguments);
    va_end(arguments);
    return status;
}

array_status array_no_memory(const array_place *p, uint64_t bytes) {
    return array_fail(p, ARRAY_CANNOT_OPEN, ARRAY_NOWHERE, "there is no memory for %llu bytes",
                      (unsigned long long)bytes);
}

/* ---- reading ---- */

typedef array_status reader(array_file *f, const uint8_t *bytes, size_t size, const array_place *p);

/* A file's reader by its first bytes (16 are enough). */
static array_status tell(reader **read, const uint8_t *bytes, size_t size, const array_place *p) {
    const char *wanted = ".npy, .npz or .safetensors is expected";
    if (size == 0)
        return array_fail(p, ARRAY_MALFORMED, ARRAY_NOWHERE, "is empty; %s", wanted);
    if (npy_begins(bytes, size))
        *read = npy_parse;
    else if (size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0))
        *read = npz_parse;
    else if (size > 8 && bytes[8] == '{')
        *read = safetensors_parse;
    else if (bytes[0] == 0x80 && size > 1 && bytes[1] >= 2 && bytes[1] <= 5)
        return array_fail(p, ARRAY_UNSUPPORTED, 0, "a pickle, which can run any program; %s",
                          wanted);
    else
        return array_fail(p, ARRAY_MALFORMED, 0, "the file begins as none that is read; %s",
                          wanted);
    return ARRAY_OK;
}

array_status array_parse(array_file *f, const uint8_t *bytes, size_t size, const char *name,
                         char *error) {
    const array_place p = {name, NULL, error};
    reader *read = NULL;
    f->count = 0;
    f->item = NULL;
    error[0] = '\0';
    array_status status = tell(&read, bytes, size, &p);
    if (status == ARRAY_OK)
        status = read(f, bytes, size, &p);
    if (status != ARRAY_OK)
        array_file_clear(f);
    return status;
}

/* A large file of another kind is not read to its end. */
static array_status tell_early(const char *path, const array_place *p) {
    struct stat s;
    if (stat(path, &s) != 0)
        return array_fail(p, ARRAY_CANNOT_OPEN, ARRAY_NOWHERE, "cannot be read: %s",
                          strerror(errno));
    if (S_ISDIR(s.st_mode))
        return array_fail(p, ARRAY_CANNOT_OPEN, ARRAY_NOWHERE,
                          "is a directory; a file is expected");
    if (!S_ISREG(s.st_mode) && !S_ISFIFO(s.st_mode))
        return array_fail(p, ARRAY_CANNOT_OPEN, ARRAY_NOWHERE, "is a device; a file is expected");
    if (!S_ISREG(s.st_mode)) /* what is taken from a pipe is gone */
        return ARRAY_OK;
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return array_fail(p, ARRAY_CANNOT_OPEN, ARRAY_NOWHERE, "cannot be read: %s",
                          strerror(errno));
    uint8_t first[16];
    size_t n = fread(first, 1, sizeof first, in);
    const int failed = ferror(in) ? errno : 0;
    fclose(in);
    if (failed != 0)
        return array_fail(p, ARRAY_CANNOT_OPEN, ARRAY_NOWHERE, "cannot be read: %s",
                          strerror(failed));
    reader *read;
    return tell(&read, first, n, p);
}

array_status array_read(array_file *f, const char *path, char *error) {
    const array_place p = {path, NULL, error};
    f->count = 0;
    f->item = NULL;
    error[0] = '\0';
    array_status status = tell_early(path, &p);
    if (status != ARRAY_OK)
        return status;
    size_t length;
    int failed;
    char *bytes = input_read(path, SIZE_MAX / 4, &length, &failed);
    if (bytes == NULL)
        return array_fail(&p, ARRAY_CANNOT_OPEN, ARRAY_NOWHERE, "cannot be read: %s",
                          strerror(failed));
    status = array_parse(f, (const uint8_t *)bytes, length, path, error);
    free(bytes);
    return status;
}

/* ---- writing ---- */

array_status array_write_bytes(const char *path, uint8_t *bytes, size_t length, char *error) {
    const array_place p = {path, NULL, error};
    output_file out;
    int failed = output_open(&out, path);
    if (failed == 0)
        failed = output_commit(&out, (const char *)bytes, length);
    free(bytes);
    if (failed != 0)
        return array_fail(&p, ARRAY_CANNOT_OPEN, ARRAY_NOWHERE, "cannot be written: %s",
                          strerror(failed));
    error[0] = '\0';
    return ARRAY_OK;
}

array_status array_write_npy(const char *path, const array *a, char *error) {
    const array_place p = {path, NULL, error};
    size_t length;
    uint8_t *bytes = array_npy_bytes(a, &length);
    return bytes != NULL ? array_write_bytes(path, bytes, length, error)
                         : array_no_memory(&p, (uint64_t)a->elements * array_type_size(a->type));
}

array_status array_write_npz(const char *path, const array_file *f, char *error) {
    size_t length;
    array_status status;
    uint8_t *bytes = array_npz_bytes(f, &length, path, &status, error);
    return bytes != NULL ? array_write_bytes(path, bytes, length, error) : status;
}

array_status array_write_safetensors(const char *path, const array_file *f, char *error) {
    size_t length;
    array_status status;
    uint8_t *bytes = array_safetensors_bytes(f, &length, path, &status, error);
    return bytes != NULL ? array_write_bytes(path, bytes, length, error) : status;
}

#include "reports/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void text_init(text_buffer *b) {
    b->room = 256;
    b->length = 0;
    b->data = malloc(b->room);
    if (b->data == NULL)
        abort();
    b->data[0] = '\0';
}

void text_printf(text_buffer *b, const char *format, ...) {
    for (;;) {
        va_list arguments;
        va_start(arguments, format);
        int n = vsnprintf(b->data + b->length, b->room - b->length, format, arguments);
        va_end(arguments);
        if (n < 0)
            return;
        if ((size_t)n < b->room - b->length) {
            b->length += (size_t)n;
            return;
        }
        b->room = 2 * b->room + (size_t)n;
        b->data = realloc(b->data, b->room);
        if (b->data == NULL)
            abort();
    }
}

char *text_take(text_buffer *b) {
    char *data = b->data;
    b->data = NULL;
    b->length = b->room = 0;
    return data;
}

void text_xml(text_buffer *b, const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            text_printf(b, "&lt;");
        else if (c == '>')
            text_printf(b, "&gt;");
        else if (c == '&')
            text_printf(b, "&amp;");
        else if (c == '"')
            text_printf(b, "&quot;");
        else if (c == '\n' || c == '\t')
            text_printf(b, "&#%d;", c);
        else if (c < 32 || c == 127)
            text_printf(b, "\\x%02x", c);
        else if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0)
            text_printf(b, "?"), text += 2; /* U+FFFE, U+FFFF: no characters of XML */
        else
            text_printf(b, "%c", c);
    }
}

int output_open(output_file *f, const char *path) {
    text_buffer b;
    struct stat s;
    f->path = f->temporary = NULL;
    f->descriptor = -1;
    if (path[0] == '\0')
        return ENOENT;
    /* a link is followed, so that it stays one; devices and pipes are written to as they are */
    char *real = realpath(path, NULL);
    f->path = real != NULL ? real : strdup(path);
    int error = 0;
    if (stat(f->path, &s) == 0 && S_ISDIR(s.st_mode)) {
        error = EISDIR;
    } else if (real != NULL && stat(f->path, &s) == 0 && !S_ISREG(s.st_mode)) {
        f->descriptor = open(f->path, O_WRONLY | O_CLOEXEC);
        error = f->descriptor < 0 ? errno : 0;
    } else {
        text_init(&b);
        text_printf(&b, "%s.tmp-XXXXXX", f->path);
        f->temporary = text_take(&b);
        f->descriptor = mkstemp(f->temporary);
        if (f->descriptor < 0) {
            error = errno;
            free(f->temporary);
            f->temporary = NULL;
        } else {
            fcntl(f->descriptor, F_SETFD, FD_CLOEXEC);
        }
    }
    if (error != 0)
        output_abandon(f);
    return error;
}

void output_abandon(output_file *f) {
    if (f->descriptor >= 0)
        close(f->descriptor);
    if (f->temporary != NULL)
        unlink(f->temporary);
    free(f->temporary);
    free(f->path);
    f->temporary = f->path = NULL;
    f->descriptor = -1;
}

int output_commit(output_file *f, const char *data, size_t length) {
    int error = 0;
    while (length > 0 && error == 0) {
        ssize_t n = write(f->descriptor, data, length);
        if (n < 0 && errno != EINTR)
            error = errno;
        if (n > 0) {
            data += n;
            length -= (size_t)n;
        }
    }
    mode_t mask = umask(0);
    umask(mask);
    if (error == 0 && f->temporary != NULL && fchmod(f->descriptor, 0666 & ~mask) != 0)
        error = errno;
    if (error == 0 && f->temporary != NULL && fsync(f->descriptor) != 0 && errno != EINVAL &&
        errno != EROFS)
        error = errno;
    if (close(f->descriptor) != 0 && error == 0)
        error = errno;
    f->descriptor = -1;
    if (error == 0 && f->temporary != NULL && rename(f->temporary, f->path) != 0)
        error = errno;
    if (error == 0) {
        free(f->temporary);
        f->temporary = NULL;
    }
    output_abandon(f);
    return error;
}

int output_probe(const char *path) {
    output_file f;
    struct stat s;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode))
        return 0;
    int error = output_open(&f, path);
    if (error == 0)
        output_abandon(&f);
    return error;
}

int output_write(const char *what, const char *path, const char *data, size_t length) {
    output_file f;
    int error = output_open(&f, path);
    if (error == 0)
        error = output_commit(&f, data, length);
    if (error != 0)
        fprintf(stderr, "%s: cannot write %s: %s\n", what, path, strerror(error));
    return error == 0;
}

int output_make_directory(const char *path) {
    char *copy = strdup(path);
    int error = 0;
    for (char *p = copy + 1; error == 0; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            error = errno;
        *p = kept;
        if (kept == '\0')
            break;
    }
    struct stat s;
    if (error == 0 && (stat(path, &s) != 0 || !S_ISDIR(s.st_mode)))
        error = ENOTDIR;
    free(copy);
    return error;
}

char *input_read(const char *path, size_t limit, size_t *length, int *error) {
    FILE *in = fopen(path, "rb");
    struct stat s;
    if (in == NULL || fstat(fileno(in), &s) != 0 || S_ISDIR(s.st_mode)) {
        *error = in == NULL ? errno : EISDIR;
        if (in != NULL)
            fclose(in);
        return NULL;
    }
    size_t room = 65536, n = 0;
    char *data = malloc(room + 1);
    while (data != NULL) {
        n += fread(data + n, 1, room - n, in);
        if (n < room || n > limit)
            break;
        room *= 2;
        char *larger = realloc(data, room + 1);
        if (larger == NULL)
            free(data);
        data = larger;
    }
    *error = data == NULL ? ENOMEM : ferror(in) ? EIO : n > limit ? EFBIG : 0;
    fclose(in);
    if (*error != 0) {
        free(data);
        return NULL;
    }
    data[n] = '\0';
    *length = n;
    return data;
}

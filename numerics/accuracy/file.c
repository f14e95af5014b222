#include "numerics/accuracy/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".tmp-mneme-XXXXXX"; /* no name that a user would give */
static output_file *volatile open_files;

/* Beside path: temporary files of its that nobody has locked, left behind by processes that were
   killed.  Without locks (some network file systems) nothing is removed. */
static void remove_left_behind(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const size_t fixed = sizeof suffix - sizeof "XXXXXX", length = strlen(name);
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    DIR *d = folder != NULL ? opendir(folder) : NULL;
    const struct dirent *e;
    while (d != NULL && (e = readdir(d)) != NULL) {
        if (strncmp(e->d_name, name, length) != 0 ||
            strncmp(e->d_name + length, suffix, fixed) != 0 ||
            strlen(e->d_name) != length + sizeof suffix - 1)
            continue;
        int left = openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (left >= 0 && flock(left, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(d), e->d_name, 0);
        if (left >= 0)
            close(left);
    }
    if (d != NULL)
        closedir(d);
    free(folder);
}

/* A new file beside f->path, locked so that nobody takes it for one left behind; 0 or errno's value. */
static int open_temporary(output_file *f) {
    const size_t room = strlen(f->path) + sizeof suffix;
    struct stat s;
    f->temporary = malloc(room);
    if (f->temporary == NULL)
        return ENOMEM;
    for (;;) {
        snprintf(f->temporary, room, "%s%s", f->path, suffix);
        f->descriptor = mkstemp(f->temporary);
        if (f->descriptor < 0)
            break;
        fcntl(f->descriptor, F_SETFD, FD_CLOEXEC);
        /* another run may have taken it for left behind before it was locked */
        if (flock(f->descriptor, LOCK_EX | LOCK_NB) == 0
                ? fstat(f->descriptor, &s) == 0 && s.st_nlink > 0
                : errno != EWOULDBLOCK) {
            f->next = open_files;
            open_files = f;
            return 0;
        }
        close(f->descriptor);
    }
    int error = errno;
    free(f->temporary);
    f->temporary = NULL;
    return error;
}

/* Before its names are freed: a signal's handler may look at any time. */
static void forget(const output_file *f) {
    output_file *volatile *at = &open_files;
    while (*at != NULL && *at != f)
        at = (output_file *volatile *)&(*at)->next;
    if (*at != NULL)
        *at = f->next;
}

void output_remove_all(void) {
    for (const output_file *f = open_files; f != NULL; f = f->next)
        unlink(f->temporary);
}

int output_open(output_file *f, const char *path) {
    struct stat s;
    *f = (output_file){NULL, NULL, -1, NULL};
    if (path[0] == '\0')
        return ENOENT;
    /* a link is followed, so that it stays one; devices and pipes are written to as they are */
    char *real = realpath(path, NULL);
    f->path = real != NULL ? real : strdup(path);
    int error = 0;
    if (f->path == NULL)
        return ENOMEM;
    if (stat(f->path, &s) == 0 && S_ISDIR(s.st_mode)) {
        error = EISDIR;
    } else if (real != NULL && stat(f->path, &s) == 0 && !S_ISREG(s.st_mode)) {
        f->descriptor = open(f->path, O_WRONLY | O_CLOEXEC);
        error = f->descriptor < 0 ? errno : 0;
    } else {
        remove_left_behind(f->path);
        error = open_temporary(f);
    }
    if (error != 0)
        output_abandon(f);
    return error;
}

void output_abandon(output_file *f) {
    if (f->temporary != NULL)
        forget(f);
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
    const int lock = f->temporary != NULL ? dup(f->descriptor) : -1; /* held until it is renamed */
    if (close(f->descriptor) != 0 && error == 0)
        error = errno;
    f->descriptor = -1;
    if (error == 0 && f->temporary != NULL && rename(f->temporary, f->path) != 0)
        error = errno;
    if (lock >= 0)
        close(lock);
    if (error == 0 && f->temporary != NULL) {
        forget(f);
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

int output_make_directory(const char *path) {
    char *copy = strdup(path);
    if (copy == NULL)
        return ENOMEM;
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
    /* one byte more than there should be, to see the end; what grows, or says 0, is doubled */
    size_t room = 65536, n = 0;
    if (S_ISREG(s.st_mode) && s.st_size > 0 && (uintmax_t)s.st_size <= limit)
        room = (size_t)s.st_size + 1;
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

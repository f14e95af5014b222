/* Shared by the fuzz targets: tests/fuzz/fuzz_NAME.c starts from the files of
 * tests/fuzz/seeds/NAME ("make fuzz"). */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A property of what was read; the fuzzer keeps the input that breaks it. */
#define fuzz_demand(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The bytes as a string of its own, so that reading behind its end is seen; free(). */
static inline char *fuzz_string(const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1);
    if (text == NULL)
        abort();
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

/* The path of a file (in memory, the same at every call) that holds the bytes. */
static inline const char *fuzz_file(const uint8_t *bytes, size_t size) {
    static char path[40];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != (ssize_t)size)
        abort();
    return path;
}

/* A complaint is one line that says something. */
static inline int fuzz_is_line(const char *text) {
    if (text == NULL || strlen(text) < 8)
        return 0;
    while (*text != '\0' && (unsigned char)*text >= 32 && *text != 127)
        text++;
    return *text == '\0';
}

#endif

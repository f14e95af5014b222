/* Shared by the fuzz targets: tests/fuzz/fuzz_NAME.c starts from the files of
 * tests/fuzz/seeds/NAME ("make fuzz"). */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>

#include "tests/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline int fuzz_arrays(const uint8_t *bytes, size_t size, array_format format) {
    uint8_t *own = malloc(size > 0 ? size : 1);
    if (size > 0)
        memcpy(own, bytes, size);
    stamp_format(own, size, format);
    const char *wrong = misread(own, size, format);
    free(own);
    if (wrong != NULL) {
        fprintf(stderr, "misread: %s\n", wrong);
        abort();
    }
    return 0;
}

#endif

/* Shared by the fuzz targets of the three formats of array files. */
#ifndef FUZZ_ARRAYS_H
#define FUZZ_ARRAYS_H

#include "tests/arrays.h"
#include "tests/fuzz/fuzz.h"

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

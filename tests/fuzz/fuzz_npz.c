/* A zip file of .npy files from anywhere is read soundly or refused in one line. */
#include "tests/fuzz/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    return fuzz_arrays(bytes, size, FORMAT_NPZ);
}

/* The kernels' committed numbers are read or refused in one line; written, they are read as the same
 * and written as the same text. */
#include "reports/regress.h"
#include "tests/fuzz/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *complaint = NULL;
    json_t *rows = regress_baseline_read(fuzz_file(bytes, size), &complaint);
    fuzz_demand(rows == NULL ? fuzz_is_line(complaint) : complaint == NULL);
    if (rows != NULL) {
        char *text = regress_baseline_write(rows);
        json_t *again = regress_baseline_read(fuzz_file((uint8_t *)text, strlen(text)), &complaint);
        fuzz_demand(again != NULL && json_object_size(again) == json_object_size(rows));
        char *twice = regress_baseline_write(again);
        fuzz_demand(strcmp(text, twice) == 0);
        free(text);
        free(twice);
        json_decref(again);
    }
    json_decref(rows);
    free(complaint);
    return 0;
}

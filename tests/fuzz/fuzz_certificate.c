/* Committed tables are read or refused in one line; written, they are read as the same tables. */
#include "reports/json_codec.h"
#include "reports/runner.h"
#include "tests/fuzz/json.h"

#include <sys/stat.h>

static const claim certified = {.id = "certified"};
const claim *const claim_registry[] = {&certified, NULL};

/* The folder whose baselines/certified.json is the file in memory. */
static const char *folder(const char *file) {
    static char path[64];
    if (path[0] == '\0') {
        char name[100];
        snprintf(path, sizeof path, "/tmp/fuzz-certificate-%ld", (long)getpid());
        snprintf(name, sizeof name, "%s/baselines", path);
        if (mkdir(path, 0700) != 0 || mkdir(name, 0700) != 0)
            abort();
        snprintf(name, sizeof name, "%s/baselines/certified.json", path);
        if (symlink(file, name) != 0)
            abort();
    }
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const char *data = folder(fuzz_file(bytes, size));
    char *complaint = NULL;
    slong count;
    series **list = runner_certificates(&certified, data, &count, &complaint);
    if (list == NULL) {
        fuzz_demand(count == 0 && fuzz_is_line(complaint));
        free(complaint);
        return 0;
    }
    for (slong i = 0; i < count; i++) {
        json_t *written = report_series_to_json(list[i]);
        series *again = report_series_from_json(written);
        fuzz_demand(again != NULL);
        json_t *twice = report_series_to_json(again);
        fuzz_demand(json_equal(written, twice));
        series_free(again);
        json_decref(written);
        json_decref(twice);
    }
    runner_certificates_free(list, count);
    return 0;
}

/* A journal is read, torn or whole, or refused in one line; appended to, it has one entry more. */
#include "reports/journal.h"
#include "tests/fuzz/fuzz.h"

#include <zlib.h>

static const check checks[] = {{.name = "formula", .units = {4}}, {.name = NULL}};
static const control controls[] = {{.name = NULL}};
static const claim swept = {.id = "swept", .checks = checks, .controls = controls};
const claim *const claim_registry[] = {&swept, NULL};

/* {"crc32":"89abcdef", */
enum { DIGITS = 10, PREFIX = 20 };

/* Lines that are whole get the right checksum, mostly: wrong ones stop at it. */
static void stamp(char *text) {
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char digits[9];
        size_t n = (size_t)(end - line);
        if (n <= PREFIX || line[PREFIX - 3] == '0')
            continue;
        snprintf(digits, sizeof digits, "%08lx",
                 crc32(crc32(0, NULL, 0), (Bytef *)line + PREFIX, (uInt)(n - PREFIX)));
        memcpy(line, "{\"crc32\":\"", DIGITS);
        memcpy(line + DIGITS, digits, 8);
        memcpy(line + DIGITS + 8, "\",", 2);
    }
}

static size_t entries(const json_t *j) {
    return json_object_size(json_object_get(j, "entries"));
}

static void append(const char *path, const json_t *before) {
    enum { UNITS = 4 };
    const json_t *identity = json_object_get(before, "identity");
    char *complaint = NULL;
    json_t *entry[UNITS] = {NULL};
    work_unit *unit = NULL;
    slong count = 0, i = 0;
    work_unit_plan(&unit, &count, &swept, LEVEL_QUICK, 1);
    fuzz_demand(count == UNITS);
    journal *j = journal_open(path, identity, unit, count, entry, &complaint);
    if (j == NULL) { /* it has entries of units that are not of this plan */
        fuzz_demand(complaint != NULL && strlen(complaint) > 8);
        free(complaint);
        flint_free(unit);
        return;
    }
    while (i < UNITS - 1 && entry[i] != NULL)
        i++;
    size_t more = entry[i] == NULL;
    json_t *line =
        journal_entry(unit + i, json_pack("{s:f,s:s}", "seconds", 1.5, "crash", "killed"));
    fuzz_demand(journal_append(j, line) == 0);
    journal_close(j);
    json_t *after = journal_read(path, &complaint);
    fuzz_demand(after != NULL &&
                json_equal((json_t *)(uintptr_t)identity, json_object_get(after, "identity")));
    fuzz_demand(entries(after) == entries(before) + more);
    json_decref(after);
    json_decref(line);
    for (i = 0; i < UNITS; i++)
        json_decref(entry[i]);
    flint_free(unit);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = fuzz_string(bytes, size), *complaint = NULL;
    stamp(text);
    const char *path = fuzz_file((uint8_t *)text, size);
    json_t *j = journal_read(path, &complaint);
    fuzz_demand((j == NULL) == (complaint != NULL));
    if (j != NULL) {
        fuzz_demand(journal_difference(json_object_get(j, "identity"),
                                       json_object_get(j, "identity")) == NULL);
        append(path, j);
    } else {
        fuzz_demand(fuzz_is_line(complaint));
    }
    json_decref(j);
    free(complaint);
    free(text);
    return 0;
}

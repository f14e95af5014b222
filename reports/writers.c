#include "reports/writers.h"
#include "numerics/exact/enclosure.h"
#include "reports/json_codec.h"
#include "reports/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long total_of(const json_t *report, const char *key) {
    return (long)json_integer_value(json_object_get(json_object_get(report, "totals"), key));
}

char *report_write_json(const json_t *report) {
    text_buffer b;
    char *text = json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    text_init(&b);
    text_printf(&b, "%s\n", text != NULL ? text : "");
    free(text);
    return text_take(&b);
}

/* ---- JUnit ---- */

static void xml_attribute(text_buffer *b, const char *name, const char *text) {
    text_printf(b, " %s=\"", name);
    text_xml(b, text);
    text_printf(b, "\"");
}

/* "0.160": with a point whatever the locale is. */
static void xml_seconds(text_buffer *b, double seconds) {
    long ms = (long)(seconds * 1000 + 0.5);
    text_printf(b, " time=\"%ld.%03ld\"", ms / 1000, ms % 1000);
}

static void junit_case(text_buffer *b, const char *claim, const json_t *k) {
    const char *status = json_text(k, "status");
    text_buffer name;
    text_init(&name);
    if (strcmp(json_text(k, "kind"), "control") == 0)
        text_printf(&name, "%s~%s", json_text(k, "of"), json_text(k, "name"));
    else
        text_printf(&name, "%s", json_text(k, "name"));
    text_printf(b, "    <testcase");
    xml_attribute(b, "classname", claim);
    xml_attribute(b, "name", name.data);
    xml_seconds(b, json_number_value(json_object_get(k, "seconds")));
    free(name.data);
    if (strcmp(status, "passed") == 0) {
        text_printf(b, "/>\n");
        return;
    }
    text_printf(b, ">\n      <%s", strcmp(status, "failed") == 0 ? "failure" : "skipped");
    xml_attribute(b, "message", json_text(k, "message"));
    if (strcmp(status, "failed") == 0) {
        text_printf(b, ">reproduce: ");
        text_xml(b, json_text(k, "command"));
        text_printf(b, "</failure>\n");
    } else {
        text_printf(b, "/>\n");
    }
    text_printf(b, "    </testcase>\n");
}

char *report_write_junit(const json_t *report) {
    text_buffer b;
    const json_t *claims = json_object_get(report, "claims"), *claim, *k;
    size_t i, n;
    long passed = total_of(report, "passed"), failed = total_of(report, "failed"),
         skipped = total_of(report, "skipped");
    text_init(&b);
    text_printf(
        &b,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mneme\" tests=\"%ld\" "
        "failures=\"%ld\" errors=\"0\" skipped=\"%ld\"",
        passed + failed + skipped, failed, skipped);
    xml_seconds(&b, json_number_value(json_object_get(report, "seconds")));
    text_printf(&b, ">\n");
    json_array_foreach(claims, i, claim) {
        long count[3] = {0, 0, 0};
        double seconds = 0;
        const json_t *checks = json_object_get(claim, "checks");
        json_array_foreach(checks, n, k) {
            char first = json_text(k, "status")[0];
            count[first == 'p' ? 0 : first == 'f' ? 1 : 2]++;
            seconds += json_number_value(json_object_get(k, "seconds"));
        }
        text_printf(&b, "  <testsuite");
        xml_attribute(&b, "name", json_text(claim, "id"));
        text_printf(&b, " tests=\"%ld\" failures=\"%ld\" errors=\"0\" skipped=\"%ld\"",
                    count[0] + count[1] + count[2], count[1], count[2]);
        xml_seconds(&b, seconds);
        text_printf(&b, ">\n");
        json_array_foreach(checks, n, k) {
            junit_case(&b, json_text(claim, "id"), k);
        }
        text_printf(&b, "  </testsuite>\n");
    }
    text_printf(&b, "</testsuites>\n");
    return text_take(&b);
}

/* ---- series ---- */

/* The first column of a row as it is written. */
static void first_cell(char *text, size_t room, const json_t *rows, size_t row) {
    enclosure_t x;
    enclosure_init(x);
    report_enclosure_from_json(x, json_array_get(json_array_get(rows, row), 0));
    snprintf(text, room, "%.12g", enclosure_get_double(x));
    enclosure_clear(x);
}

/* Whether the first column groups rows: two that follow each other share it. */
static int has_groups(const json_t *rows) {
    char before[64], here[64];
    for (size_t i = 1; i < json_array_size(rows); i++) {
        first_cell(before, sizeof before, rows, i - 1);
        first_cell(here, sizeof here, rows, i);
        if (strcmp(before, here) == 0)
            return 1;
    }
    return 0;
}

char *report_write_series(const json_t *table) {
    text_buffer b;
    const json_t *columns = json_object_get(table, "columns"),
                 *rows = json_object_get(table, "rows"), *row, *cell;
    size_t i, c;
    char first[64] = "", text[64];
    int grouped = has_groups(rows);
    text_init(&b);
    text_printf(&b, "# %s\n#", json_text(table, "title"));
    json_array_foreach(columns, c, cell) {
        text_printf(&b, " %s[%s]", json_text(cell, "name"), json_text(cell, "unit"));
    }
    text_printf(&b, "\n");
    json_array_foreach(rows, i, row) {
        first_cell(text, sizeof text, rows, i);
        if (grouped && i > 0 && strcmp(first, text) != 0)
            text_printf(&b, "\n\n");
        snprintf(first, sizeof first, "%s", text);
        json_array_foreach(row, c, cell) {
            enclosure_t x;
            enclosure_init(x);
            report_enclosure_from_json(x, cell);
            text_printf(&b, "%s%.12g", c > 0 ? " " : "", enclosure_get_double(x));
            enclosure_clear(x);
        }
        text_printf(&b, "\n");
    }
    return text_take(&b);
}

/* ---- reading ---- */

static int is_object_with(const json_t *j, const char *const *texts) {
    for (; json_is_object(j) && *texts != NULL; texts++)
        if (!json_is_string(json_object_get(j, *texts)))
            return 0;
    return json_is_object(j);
}

/* Lists and tables of lines: where they are, each is a text. */
static int are_texts(const json_t *lines) {
    const json_t *line;
    const char *key;
    size_t i;
    json_array_foreach(lines, i, line) {
        if (!json_is_string(line))
            return 0;
    }
    json_object_foreach((json_t *)(uintptr_t)lines, key, line) {
        if (!json_is_string(line))
            return 0;
    }
    return 1;
}

static int numbers_are_sound(const json_t *numbers) {
    static const char *const texts[] = {"name", "unit", NULL};
    const json_t *number;
    size_t i;
    int ok = 1;
    json_array_foreach(numbers, i, number) {
        enclosure_t x;
        enclosure_init(x);
        ok &= is_object_with(number, texts) &&
              report_enclosure_from_json(x, json_object_get(number, "value"));
        enclosure_clear(x);
    }
    return ok;
}

static int witnesses_are_sound(const json_t *list) {
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item) {
        witness_t w;
        const char *reason;
        if (!report_witness_from_json(w, item, &reason))
            return 0;
        witness_clear(w);
    }
    return 1;
}

/* What the writers rely on; the whole schema is in schemas/verify.schema.json. */
static const char *report_defect(const json_t *j) {
    static const char *const claim_texts[] = {"id", "title", "source", NULL},
                             *const check_texts[] = {"name",    "kind",    "status",
                                                     "message", "command", NULL},
                             *const statement_texts[] = {"id",    "kind",   "text",
                                                         "found", "pinned", NULL},
                             *const totals[] = {"passed", "failed", "skipped", NULL};
    const json_t *claims = json_object_get(j, "claims"), *claim, *item;
    size_t i, n;
    if (strcmp(json_text(j, "schema"), "mneme-verify-1") != 0)
        return "\"schema\" must be \"mneme-verify-1\"";
    for (int k = 0; totals[k] != NULL; k++) {
        const json_t *total = json_object_get(json_object_get(j, "totals"), totals[k]);
        if (!json_is_integer(total) || json_integer_value(total) < 0 ||
            json_integer_value(total) > 1000000000)
            return "\"totals\" must be counts of passed, failed and skipped";
    }
    double seconds = json_number_value(json_object_get(j, "seconds"));
    if (!json_is_array(claims) || !(seconds >= 0 && seconds < 1e9))
        return "needs an array \"claims\" and a number of \"seconds\"";
    if (!are_texts(json_object_get(j, "provenance")))
        return "\"provenance\" must be texts";
    json_array_foreach(claims, i, claim) {
        if (!is_object_with(claim, claim_texts) || !report_is_plain_name(json_text(claim, "id")))
            return "every claim needs texts \"id\" (letters, digits, dots, dashes), \"title\" and "
                   "\"source\"";
        if (!are_texts(json_object_get(claim, "hypotheses")) ||
            !are_texts(json_object_get(claim, "figures")))
            return "a claim's \"hypotheses\" and \"figures\" must be texts";
        const json_t *list = json_object_get(claim, "checks");
        json_array_foreach(list, n, item) {
            double s = json_number_value(json_object_get(item, "seconds"));
            if (!is_object_with(item, check_texts) || !(s >= 0 && s < 1e9))
                return "every check needs its texts and a number of \"seconds\"";
            if (!numbers_are_sound(json_object_get(item, "numbers")))
                return "every number of a check needs \"name\", \"unit\" and a \"value\" that is "
                       "an enclosure";
        }
        if (!witnesses_are_sound(json_object_get(claim, "witnesses")))
            return "every witness must be one that mneme replay reads";
        list = json_object_get(claim, "statements");
        json_array_foreach(list, n, item) {
            if (!is_object_with(item, statement_texts) ||
                !are_texts(json_object_get(item, "proof")))
                return "every statement needs its texts, and texts as \"proof\"";
        }
    }
    return NULL;
}

json_t *report_read(const char *path, char **complaint) {
    text_buffer b;
    json_error_t where;
    size_t length;
    int error;
    char *text = input_read(path, (size_t)1 << 30, &length, &error);
    json_t *j = text != NULL ? json_loadb(text, length, 0, &where) : NULL;
    free(text);
    const char *defect = j != NULL ? report_defect(j) : NULL;
    if (j != NULL && defect == NULL)
        return j;
    text_init(&b);
    if (error != 0)
        text_printf(&b, "%s: %s; mneme verify --json writes a report", path, strerror(error));
    else if (j == NULL)
        text_printf(&b, "%s:%d:%d: not JSON: %s", path, where.line, where.column, where.text);
    else
        text_printf(&b, "%s: not a report: %s", path, defect);
    json_decref(j);
    *complaint = text_take_line(&b);
    return NULL;
}

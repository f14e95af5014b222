#include "reports/writers.h"
#include "numerics/exact/enclosure.h"
#include "reports/json_codec.h"
#include "reports/tables.h"
#include "reports/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *j, const char *key) {
    const char *text = json_string_value(json_object_get(j, key));
    return text != NULL ? text : "";
}

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

/* XML 1.0 text: the five characters with a meaning, and no control characters. */
static void xml_text(text_buffer *b, const char *text) {
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
        else
            text_printf(b, "%c", c);
    }
}

static void xml_attribute(text_buffer *b, const char *name, const char *text) {
    text_printf(b, " %s=\"", name);
    xml_text(b, text);
    text_printf(b, "\"");
}

/* "0.160": with a point whatever the locale is. */
static void xml_seconds(text_buffer *b, double seconds) {
    long ms = (long)(seconds * 1000 + 0.5);
    text_printf(b, " time=\"%ld.%03ld\"", ms / 1000, ms % 1000);
}

static void junit_case(text_buffer *b, const char *claim, const json_t *k) {
    const char *status = text_of(k, "status");
    text_buffer name;
    text_init(&name);
    if (strcmp(text_of(k, "kind"), "control") == 0)
        text_printf(&name, "%s~%s", text_of(k, "of"), text_of(k, "name"));
    else
        text_printf(&name, "%s", text_of(k, "name"));
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
    xml_attribute(b, "message", text_of(k, "message"));
    if (strcmp(status, "failed") == 0) {
        text_printf(b, ">reproduce: ");
        xml_text(b, text_of(k, "command"));
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
            char first = text_of(k, "status")[0];
            count[first == 'p' ? 0 : first == 'f' ? 1 : 2]++;
            seconds += json_number_value(json_object_get(k, "seconds"));
        }
        text_printf(&b, "  <testsuite");
        xml_attribute(&b, "name", text_of(claim, "id"));
        text_printf(&b, " tests=\"%ld\" failures=\"%ld\" errors=\"0\" skipped=\"%ld\"",
                    count[0] + count[1] + count[2], count[1], count[2]);
        xml_seconds(&b, seconds);
        text_printf(&b, ">\n");
        json_array_foreach(checks, n, k) {
            junit_case(&b, text_of(claim, "id"), k);
        }
        text_printf(&b, "  </testsuite>\n");
    }
    text_printf(&b, "</testsuites>\n");
    return text_take(&b);
}

/* ---- Markdown ---- */

static void markdown_text(text_buffer *b, const char *text) {
    for (; *text != '\0'; text++) {
        if (strchr("|<>*_`\\[]", *text) != NULL)
            text_printf(b, "\\");
        if ((unsigned char)*text >= 32)
            text_printf(b, "%c", *text);
        else
            text_printf(b, " ");
    }
}

static const json_t *find_by(const json_t *array, const char *key, const char *value) {
    size_t i;
    const json_t *item;
    json_array_foreach(array, i, item) {
        if (strcmp(text_of(item, key), value) == 0)
            return item;
    }
    return NULL;
}

/* Statements whose verdict, and checks whose status, differ between two reports. */
static void markdown_changes(text_buffer *b, const json_t *report, const json_t *since) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *item;
    size_t i, n;
    long changes = 0;
    text_printf(b, "## Changed since the report of commit %.12s\n\n",
                text_of(json_object_get(since, "provenance"), "commit"));
    json_array_foreach(claims, i, claim) {
        const json_t *old = find_by(json_object_get(since, "claims"), "id", text_of(claim, "id"));
        const json_t *list = json_object_get(claim, "statements");
        json_array_foreach(list, n, item) {
            const json_t *was =
                find_by(json_object_get(old, "statements"), "id", text_of(item, "id"));
            if (strcmp(text_of(was, "found"), text_of(item, "found")) == 0)
                continue;
            changes++;
            text_printf(b, "- `%s` statement `%s`: %s, was %s\n", text_of(claim, "id"),
                        text_of(item, "id"), text_of(item, "found"),
                        was != NULL ? text_of(was, "found") : "not there");
        }
        list = json_object_get(claim, "checks");
        json_array_foreach(list, n, item) {
            const json_t *was = NULL, *candidate;
            size_t m;
            const json_t *before = json_object_get(old, "checks");
            json_array_foreach(before, m, candidate) {
                if (strcmp(text_of(candidate, "name"), text_of(item, "name")) == 0 &&
                    strcmp(text_of(candidate, "of"), text_of(item, "of")) == 0)
                    was = candidate;
            }
            if (was == NULL || strcmp(text_of(was, "status"), text_of(item, "status")) == 0)
                continue;
            changes++;
            text_printf(b, "- `%s` check `%s`: %s, was %s\n", text_of(claim, "id"),
                        text_of(item, "name"), text_of(item, "status"), text_of(was, "status"));
        }
    }
    const json_t *gone = json_object_get(since, "claims");
    json_array_foreach(gone, i, claim) {
        if (find_by(claims, "id", text_of(claim, "id")) == NULL) {
            changes++;
            text_printf(b, "- `%s` is not in this report\n", text_of(claim, "id"));
        }
    }
    text_printf(b, "%s\n", changes == 0 ? "Nothing.\n" : "");
}

static void markdown_failures(text_buffer *b, const json_t *report) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *k;
    size_t i, n;
    int heading = 0;
    json_array_foreach(claims, i, claim) {
        const json_t *checks = json_object_get(claim, "checks");
        json_array_foreach(checks, n, k) {
            if (strcmp(text_of(k, "status"), "failed") != 0)
                continue;
            if (!heading++)
                text_printf(b, "## Failed\n\n");
            text_printf(b, "- `%s` %s `%s`: ", text_of(claim, "id"), text_of(k, "kind"),
                        text_of(k, "name"));
            markdown_text(b, text_of(k, "message"));
            text_printf(b, " (`%s`)\n", text_of(k, "command"));
        }
    }
    if (heading)
        text_printf(b, "\n");
}

static int is_experiment(const json_t *claim) {
    return strncmp(text_of(claim, "id"), "experiments.", 12) == 0;
}

/* What the texts measured, and what equal footing shows: the statements, then the tables. */
static void markdown_experiments(text_buffer *b, const json_t *claims) {
    const json_t *claim, *item;
    size_t i, n;
    int heading = 0;
    json_array_foreach(claims, i, claim) {
        if (!is_experiment(claim))
            continue;
        if (!heading++)
            text_printf(b, "## The texts' experiments, on equal footing\n\n");
        const json_t *list = json_object_get(claim, "statements");
        text_printf(b, "### ");
        markdown_text(b, text_of(claim, "title"));
        text_printf(b,
                    "\n\n| | verdict | the text | on equal footing |\n| --- | --- | --- | --- |\n");
        json_array_foreach(list, n, item) {
            int said = text_of(item, "instead")[0] != '\0';
            text_printf(b, "| %s | **%s** | ", text_of(item, "id"), text_of(item, "found"));
            markdown_text(b, said ? text_of(item, "text") : "");
            text_printf(b, " | ");
            markdown_text(b, said ? text_of(item, "instead") : text_of(item, "text"));
            text_printf(b, " |\n");
        }
        text_printf(b, "\n");
        list = json_object_get(claim, "hypotheses");
        json_array_foreach(list, n, item) {
            text_printf(b, "- ");
            markdown_text(b, json_string_value(item));
            text_printf(b, "\n");
        }
        char *tables = report_write_tables(claim, 1);
        text_printf(b, "\n%s", tables);
        free(tables);
    }
}

static void markdown_claim(text_buffer *b, const json_t *claim) {
    const json_t *list = json_object_get(claim, "statements"), *item, *line;
    size_t i, n;
    text_printf(b, "### %s\n\n", text_of(claim, "id"));
    markdown_text(b, text_of(claim, "title"));
    text_printf(b, " (");
    markdown_text(b, text_of(claim, "source"));
    text_printf(b, ")\n\n| | statement | verdict |\n| --- | --- | --- |\n");
    json_array_foreach(list, i, item) {
        text_printf(b, "| %s | ", text_of(item, "kind"));
        markdown_text(b, text_of(item, "text"));
        if (text_of(item, "instead")[0] != '\0') {
            text_printf(b, " **Instead:** ");
            markdown_text(b, text_of(item, "instead"));
        }
        text_printf(
            b, " | **%s**%s |\n", text_of(item, "found"),
            strcmp(text_of(item, "found"), text_of(item, "pinned")) == 0 ? "" : " (not as pinned)");
    }
    text_printf(b, "\n| check | status | found | decisions | bits | narrowest decision | s |\n"
                   "| --- | --- | --- | ---: | ---: | --- | ---: |\n");
    list = json_object_get(claim, "checks");
    json_array_foreach(list, i, item) {
        int is_control = strcmp(text_of(item, "kind"), "control") == 0;
        text_printf(b, "| %s", is_control ? "&nbsp;&nbsp;control: " : "");
        markdown_text(b, is_control ? text_of(item, "changed") : text_of(item, "name"));
        text_printf(b, " | %s | %s | %ld | %ld | ", text_of(item, "status"), text_of(item, "found"),
                    (long)json_integer_value(json_object_get(item, "decisions")),
                    (long)json_integer_value(json_object_get(item, "precision")));
        markdown_text(b, text_of(item, "label"));
        double seconds = json_number_value(json_object_get(item, "seconds"));
        long ms = (long)(seconds * 1000 + 0.5);
        text_printf(b, " | %ld.%03ld |\n", ms / 1000, ms % 1000);
    }
    text_printf(b, "\n");
    json_array_foreach(list, i, item) {
        const json_t *numbers = json_object_get(item, "numbers");
        if (is_experiment(claim)) /* in the tables above */
            continue;
        json_array_foreach(numbers, n, line) {
            enclosure_t x;
            enclosure_init(x);
            if (report_enclosure_from_json(x, json_object_get(line, "value"))) {
                char *text = report_enclosure_text(x);
                text_printf(b, "- ");
                markdown_text(b, text_of(line, "name"));
                text_printf(b, ": %s%s%s\n", text, strcmp(text_of(line, "unit"), "1") ? " " : "",
                            strcmp(text_of(line, "unit"), "1") ? text_of(line, "unit") : "");
                free(text);
            }
            enclosure_clear(x);
        }
    }
    list = json_object_get(claim, "witnesses");
    json_array_foreach(list, i, item) {
        text_printf(b, "- witness `%s` (%s)\n", text_of(item, "id"), text_of(item, "kind"));
    }
    text_printf(b, "\n");
}

/* Published statements that are not true, first. */
static void markdown_refuted(text_buffer *b, const json_t *claims) {
    const json_t *claim, *item;
    size_t i, n;
    int heading = 0;
    json_array_foreach(claims, i, claim) {
        const json_t *list = json_object_get(claim, "statements");
        json_array_foreach(list, n, item) {
            if (strcmp(text_of(item, "kind"), "published") != 0 ||
                strcmp(text_of(item, "found"), "refuted") != 0)
                continue;
            if (!heading++)
                text_printf(b, "## Published statements that are refuted\n\n"
                               "| claim | published | true instead |\n| --- | --- | --- |\n");
            text_printf(b, "| `%s` | ", text_of(claim, "id"));
            markdown_text(b, text_of(item, "text"));
            text_printf(b, " | ");
            markdown_text(b, text_of(item, "instead"));
            text_printf(b, " |\n");
        }
    }
    if (heading)
        text_printf(b, "\n");
}

char *report_write_markdown(const json_t *report, const json_t *since) {
    text_buffer b;
    const json_t *claims = json_object_get(report, "claims"), *item, *p;
    size_t i;
    text_init(&b);
    text_printf(
        &b, "# Mneme: what holds\n\nLevel %s%s%s. **%ld passed, %ld failed, %ld skipped.**\n\n",
        text_of(report, "level"),
        json_array_size(json_object_get(report, "patterns")) ? ", selected claims only" : "",
        json_is_true(json_object_get(report, "complete"))
            ? ""
            : " - **interrupted: this report is partial**",
        total_of(report, "passed"), total_of(report, "failed"), total_of(report, "skipped"));
    if (since != NULL)
        markdown_changes(&b, report, since);
    markdown_failures(&b, report);
    markdown_refuted(&b, claims);
    markdown_experiments(&b, claims);
    text_printf(&b, "## Claims\n\n");
    json_array_foreach(claims, i, item) {
        markdown_claim(&b, item);
    }
    text_printf(&b, "## Not covered (skipped)\n\n");
    const json_t *list = json_object_get(report, "not_covered");
    json_array_foreach(list, i, item) {
        text_printf(&b, "- ");
        markdown_text(&b, text_of(item, "what"));
        text_printf(&b, ": ");
        markdown_text(&b, text_of(item, "why"));
        text_printf(&b, "\n");
    }
    p = json_object_get(report, "provenance");
    text_printf(&b, "\nMneme %s, commit %.12s, %s; GMP %s, MPFR %s, FLINT %s, Arb %s.\n",
                text_of(p, "mneme"), text_of(p, "commit"), text_of(p, "compiler"),
                text_of(p, "gmp"), text_of(p, "mpfr"), text_of(p, "flint"), text_of(p, "arb"));
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
    text_printf(&b, "# %s\n#", text_of(table, "title"));
    json_array_foreach(columns, c, cell) {
        text_printf(&b, " %s[%s]", text_of(cell, "name"), text_of(cell, "unit"));
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
    if (strcmp(text_of(j, "schema"), "mneme-verify-1") != 0)
        return "\"schema\" must be \"mneme-verify-1\"";
    for (int k = 0; totals[k] != NULL; k++) {
        const json_t *total = json_object_get(json_object_get(j, "totals"), totals[k]);
        if (!json_is_integer(total) || json_integer_value(total) < 0)
            return "\"totals\" must be counts of passed, failed and skipped";
    }
    double seconds = json_number_value(json_object_get(j, "seconds"));
    if (!json_is_array(claims) || !(seconds >= 0 && seconds < 1e9))
        return "needs an array \"claims\" and a number of \"seconds\"";
    json_array_foreach(claims, i, claim) {
        if (!is_object_with(claim, claim_texts) ||
            strpbrk(text_of(claim, "id"), "|<>`\n\r") != NULL)
            return "every claim needs texts \"id\", \"title\" and \"source\"";
        const json_t *list = json_object_get(claim, "checks");
        json_array_foreach(list, n, item) {
            double s = json_number_value(json_object_get(item, "seconds"));
            if (!is_object_with(item, check_texts) || !(s >= 0 && s < 1e9))
                return "every check needs its texts and a number of \"seconds\"";
        }
        list = json_object_get(claim, "statements");
        json_array_foreach(list, n, item) {
            if (!is_object_with(item, statement_texts))
                return "every statement needs its texts";
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
    *complaint = text_take(&b);
    return NULL;
}

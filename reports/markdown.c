/* The report in Markdown: whole, and as short as a pull request's comment. */
#include "numerics/exact/enclosure.h"
#include "reports/changes.h"
#include "reports/json_codec.h"
#include "reports/tables.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <stdlib.h>
#include <string.h>

/* A comment may have 65536 characters; room for the lines that close it. */
enum { BRIEF_MOST = 64000, BRIEF_CHANGES = 40, BRIEF_FAILURES = 40, BRIEF_MESSAGE = 400 };

static long total_of(const json_t *report, const char *key) {
    return (long)json_integer_value(json_object_get(json_object_get(report, "totals"), key));
}

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

/* `text`, on one line and in one cell */
static void markdown_code(text_buffer *b, const char *text) {
    text_printf(b, "`");
    for (; *text != '\0'; text++)
        text_printf(b, "%c",
                    (unsigned char)*text < 32 || strchr("`|", *text) != NULL ? '?' : *text);
    text_printf(b, "`");
}

static void markdown_change(text_buffer *b, const json_t *change) {
    const char *was = json_text(change, "was"), *now = json_text(change, "now");
    text_printf(b, "- ");
    markdown_code(b, json_text(change, "claim"));
    text_printf(b, " %s",
                strcmp(json_text(change, "kind"), "claim") == 0 ? "" : json_text(change, "kind"));
    if (json_text(change, "item")[0] != '\0') {
        text_printf(b, " ");
        markdown_code(b, json_text(change, "item"));
    }
    text_printf(b, ": ");
    if (strcmp(json_text(change, "kind"), "claim") == 0) {
        text_printf(b, now[0] != '\0' ? "new: " : "not in this report: ");
        markdown_text(b, now[0] != '\0' ? now : was);
    } else if (was[0] == '\0') {
        text_printf(b, "new, ");
        markdown_text(b, now);
    } else if (now[0] == '\0') {
        text_printf(b, "gone, was ");
        markdown_text(b, was);
    } else {
        markdown_text(b, now);
        text_printf(b, ", was ");
        markdown_text(b, was);
    }
    text_printf(b, "\n");
}

/* Everything that differs, at most so many lines; times apart, for they decide nothing. */
static void markdown_changes(text_buffer *b, const json_t *report, const json_t *since, long most) {
    json_t *changes = report_changes(report, since);
    const json_t *change;
    size_t i;
    text_printf(b, "## Changed since the report of commit %.12s (level %s, seed %s%s)\n\n",
                json_text(json_object_get(since, "provenance"), "commit"),
                json_text(since, "level"), json_text(since, "seed"),
                json_array_size(json_object_get(since, "patterns")) ? ", selected claims" : "");
    for (int times = 0; times < 2; times++) {
        long count = 0;
        json_array_foreach(changes, i, change) {
            if ((strcmp(json_text(change, "kind"), "seconds") == 0) != times)
                continue;
            if (times && count == 0)
                text_printf(
                    b, "\nSlower by a factor of two and more (for information; nothing on another "
                       "machine):\n\n");
            if (count++ < most)
                markdown_change(b, change);
        }
        if (count > most)
            text_printf(b, "- and %ld more\n", count - most);
        if (!times && count == 0)
            text_printf(b, "Nothing.\n");
    }
    text_printf(b, "\n");
    json_decref(changes);
}

/* Text cut after so many bytes, never inside a character. */
static void markdown_cut(text_buffer *b, const char *text, size_t most) {
    size_t n = strlen(text);
    if (n <= most) {
        markdown_text(b, text);
        return;
    }
    for (n = most; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    char *part = strndup(text, n);
    markdown_text(b, part);
    text_printf(b, "…");
    free(part);
}

static void markdown_failures(text_buffer *b, const json_t *report, long most, size_t message) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *k;
    size_t i, n;
    long count = 0;
    json_array_foreach(claims, i, claim) {
        const json_t *checks = json_object_get(claim, "checks");
        json_array_foreach(checks, n, k) {
            if (strcmp(json_text(k, "status"), "failed") != 0)
                continue;
            if (count == 0)
                text_printf(b, "## Failed\n\n");
            if (count++ >= most)
                continue;
            text_printf(b, "- ");
            markdown_code(b, json_text(claim, "id"));
            text_printf(b, " %s ", json_text(k, "kind"));
            markdown_code(b, json_text(k, "name"));
            text_printf(b, ": ");
            markdown_cut(b, json_text(k, "message"), message);
            text_printf(b, " (");
            markdown_code(b, json_text(k, "command"));
            text_printf(b, ")\n");
        }
    }
    if (count > most)
        text_printf(b, "- and %ld more\n", count - most);
    if (count > 0)
        text_printf(b, "\n");
}

static int is_experiment(const json_t *claim) {
    return strncmp(json_text(claim, "id"), "experiments.", 12) == 0;
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
        markdown_text(b, json_text(claim, "title"));
        text_printf(b,
                    "\n\n| | verdict | the text | on equal footing |\n| --- | --- | --- | --- |\n");
        json_array_foreach(list, n, item) {
            int said = json_text(item, "instead")[0] != '\0';
            text_printf(b, "| %s | **%s** | ", json_text(item, "id"), json_text(item, "found"));
            markdown_text(b, said ? json_text(item, "text") : "");
            text_printf(b, " | ");
            markdown_text(b, said ? json_text(item, "instead") : json_text(item, "text"));
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
    text_printf(b, "### %s\n\n", json_text(claim, "id"));
    markdown_text(b, json_text(claim, "title"));
    text_printf(b, " (");
    markdown_text(b, json_text(claim, "source"));
    text_printf(b, ")\n\n| | statement | verdict |\n| --- | --- | --- |\n");
    json_array_foreach(list, i, item) {
        text_printf(b, "| %s | ", json_text(item, "kind"));
        markdown_text(b, json_text(item, "text"));
        if (json_text(item, "instead")[0] != '\0') {
            text_printf(b, " **Instead:** ");
            markdown_text(b, json_text(item, "instead"));
        }
        text_printf(b, " | **%s**%s%s |\n", json_text(item, "found"),
                    json_is_true(json_object_get(item, "statistical")) &&
                            strcmp(json_text(item, "found"), "refuted") == 0
                        ? " (by measurement)"
                        : "",
                    strcmp(json_text(item, "found"), json_text(item, "pinned")) == 0
                        ? ""
                        : " (not as pinned)");
    }
    text_printf(b, "\n| check | status | found | decisions | bits | narrowest decision | s |\n"
                   "| --- | --- | --- | ---: | ---: | --- | ---: |\n");
    list = json_object_get(claim, "checks");
    json_array_foreach(list, i, item) {
        int is_control = strcmp(json_text(item, "kind"), "control") == 0;
        text_printf(b, "| %s", is_control ? "&nbsp;&nbsp;control: " : "");
        markdown_text(b, is_control ? json_text(item, "changed") : json_text(item, "name"));
        text_printf(b, " | %s | %s | %ld | %ld | ", json_text(item, "status"),
                    json_text(item, "found"),
                    (long)json_integer_value(json_object_get(item, "decisions")),
                    (long)json_integer_value(json_object_get(item, "precision")));
        markdown_text(b, json_text(item, "label"));
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
                markdown_text(b, json_text(line, "name"));
                text_printf(b, ": %s%s%s\n", text, strcmp(json_text(line, "unit"), "1") ? " " : "",
                            strcmp(json_text(line, "unit"), "1") ? json_text(line, "unit") : "");
                free(text);
            }
            enclosure_clear(x);
        }
    }
    list = json_object_get(claim, "witnesses");
    json_array_foreach(list, i, item) {
        text_printf(b, "- witness `%s` (%s)\n", json_text(item, "id"), json_text(item, "kind"));
    }
    text_printf(b, "\n");
}

/* Published statements that are not true: heading and table, as far as there is room; a folded
   table says how many in its line. */
static void markdown_refuted(text_buffer *b, const json_t *claims, size_t room, int folded) {
    const json_t *claim, *item;
    size_t i, n;
    long count = 0, left = 0;
    text_buffer rows;
    text_init(&rows);
    json_array_foreach(claims, i, claim) {
        const json_t *list = json_object_get(claim, "statements");
        json_array_foreach(list, n, item) {
            if (strcmp(json_text(item, "kind"), "published") != 0 ||
                strcmp(json_text(item, "found"), "refuted") != 0)
                continue;
            text_buffer row;
            text_init(&row);
            text_printf(&row, "| ");
            markdown_code(&row, json_text(claim, "id"));
            text_printf(&row, " | ");
            markdown_text(&row, json_text(item, "text"));
            text_printf(&row, " | ");
            markdown_text(&row, json_text(item, "instead"));
            text_printf(&row, " |\n");
            count++;
            if (rows.length + row.length < room && left == 0)
                text_printf(&rows, "%s", row.data);
            else
                left++;
            free(row.data);
        }
    }
    if (count > 0) {
        if (folded)
            text_printf(
                b, "<details><summary>Published statements that are refuted: %ld</summary>\n\n",
                count);
        else
            text_printf(b, "## Published statements that are refuted\n\n");
        text_printf(b, "| claim | published | true instead |\n| --- | --- | --- |\n%s\n",
                    rows.data);
        if (left > 0)
            text_printf(b, "And %ld more.\n\n", left);
        if (folded)
            text_printf(b, "</details>\n\n");
    }
    free(rows.data);
}

static void markdown_totals(text_buffer *b, const json_t *report) {
    text_printf(
        b, "Level %s%s%s. **%ld passed, %ld failed, %ld skipped.**\n\n", json_text(report, "level"),
        json_array_size(json_object_get(report, "patterns")) ? ", selected claims only" : "",
        json_is_true(json_object_get(report, "complete"))
            ? ""
            : " - **interrupted: this report is partial**",
        total_of(report, "passed"), total_of(report, "failed"), total_of(report, "skipped"));
}

static void markdown_provenance(text_buffer *b, const json_t *report) {
    const json_t *p = json_object_get(report, "provenance");
    text_printf(b, "Mneme %s, commit %.12s, %s; GMP %s, MPFR %s, FLINT %s, Arb %s.\n",
                json_text(p, "mneme"), json_text(p, "commit"), json_text(p, "compiler"),
                json_text(p, "gmp"), json_text(p, "mpfr"), json_text(p, "flint"),
                json_text(p, "arb"));
}

char *report_write_brief(const json_t *report, const json_t *since) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "# Mneme: %s\n\n",
                total_of(report, "failed") == 0 ? "every verdict as pinned" : "checks failed");
    markdown_totals(&b, report);
    markdown_failures(&b, report, BRIEF_FAILURES, BRIEF_MESSAGE);
    if (since != NULL)
        markdown_changes(&b, report, since, BRIEF_CHANGES);
    markdown_refuted(&b, json_object_get(report, "claims"),
                     b.length < BRIEF_MOST ? BRIEF_MOST - b.length : 0, 1);
    markdown_provenance(&b, report);
    return text_take(&b);
}

char *report_write_markdown(const json_t *report, const json_t *since) {
    text_buffer b;
    const json_t *claims = json_object_get(report, "claims"), *item;
    size_t i;
    text_init(&b);
    text_printf(&b, "# Mneme: what holds\n\n");
    markdown_totals(&b, report);
    if (since != NULL)
        markdown_changes(&b, report, since, 1000000);
    markdown_failures(&b, report, 1000000, 1000000);
    markdown_refuted(&b, claims, (size_t)-1, 0);
    markdown_experiments(&b, claims);
    text_printf(&b, "## Claims\n\n");
    json_array_foreach(claims, i, item) {
        markdown_claim(&b, item);
    }
    text_printf(&b, "## Not covered (skipped)\n\n");
    const json_t *list = json_object_get(report, "not_covered");
    json_array_foreach(list, i, item) {
        text_printf(&b, "- ");
        markdown_text(&b, json_text(item, "what"));
        text_printf(&b, ": ");
        markdown_text(&b, json_text(item, "why"));
        text_printf(&b, "\n");
    }
    text_printf(&b, "\n");
    markdown_provenance(&b, report);
    return text_take(&b);
}

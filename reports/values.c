/* Everything exact of a report, one line each: what two runs are compared by. */
#include "numerics/exact/number.h"
#include "numerics/exact/random.h"
#include "reports/json_codec.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 40, DIGITS = 12, RADIUS_DIGITS = 3 };

typedef struct {
    char **line;
    size_t count, room;
} lines;

/* Takes the text; tabs and line ends inside fields are gone already. */
static void add_line(lines *l, text_buffer *b) {
    if (l->count == l->room) {
        l->room = 2 * l->room + 64;
        l->line = realloc(l->line, l->room * sizeof *l->line);
        if (l->line == NULL)
            abort();
    }
    l->line[l->count++] = text_take(b);
}

/* Text as a field: without tabs and line ends. */
static void add_field(text_buffer *b, const char *text) {
    text_printf(b, "\t");
    for (; *text != '\0'; text++)
        text_printf(b, "%c", *text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text);
}

/* ITEM, exact or measured, KIND. */
static void begin(text_buffer *b, const char *claim, const char *item, int measured,
                  const char *kind) {
    text_init(b);
    text_printf(b, "%s/%s\t%s\t%s", claim, item, measured ? "measured" : "exact", kind);
}

/* ---- numbers ---- */

/* m*2^e, or m where e = 0 */
static void add_dyadic(text_buffer *b, const arf_t x) {
    fmpz_t m, e;
    fmpz_init(m);
    fmpz_init(e);
    arf_get_fmpz_2exp(m, e, x);
    char *mantissa = fmpz_get_str(NULL, 10, m), *exponent = fmpz_get_str(NULL, 10, e);
    text_printf(b, "%s", mantissa);
    if (!fmpz_is_zero(e))
        text_printf(b, "*2^%s", exponent);
    flint_free(mantissa);
    flint_free(exponent);
    fmpz_clear(m);
    fmpz_clear(e);
}

/* The number, every bit of it: n/d, m*2^e+/-m*2^e, "estimate [lower, upper] of n, seed s". */
static char *exact_form(const enclosure_t x) {
    text_buffer b;
    text_init(&b);
    if (x->type == ENCLOSURE_RATIONAL) {
        char *text = exact_fraction(x->rational);
        text_printf(&b, "%s", text);
        flint_free(text);
    } else if (x->type == ENCLOSURE_MEASURED) {
        const enclosure_measurement *m = &x->measured;
        text_printf(&b, "%.9g [%.9g, %.9g] of %lu, seed %lu", m->estimate, m->lower, m->upper,
                    (unsigned long)m->samples, (unsigned long)m->seed);
    } else if (!arb_is_finite(x->ball)) {
        text_printf(&b, "not finite");
    } else {
        arf_t radius;
        arf_init(radius);
        arf_set_mag(radius, arb_radref(x->ball));
        add_dyadic(&b, arb_midref(x->ball));
        if (!arf_is_zero(radius)) {
            text_printf(&b, "+/-");
            add_dyadic(&b, radius);
        }
        arf_clear(radius);
    }
    return text_take(&b);
}

/* 12 digits of the number or midpoint, 3 of the radius: for reading; the hash behind them decides. */
static void add_decimal(text_buffer *b, const enclosure_t x) {
    arb_t ball, part;
    arb_init(ball);
    arb_init(part);
    enclosure_get_ball(ball, x, 128);
    arb_set_arf(part, arb_midref(ball));
    char *text = arb_get_str(part, DIGITS, ARB_STR_NO_RADIUS);
    text_printf(b, "%s", text);
    flint_free(text);
    if (x->type == ENCLOSURE_BALL && !arb_is_exact(x->ball)) {
        arf_set_mag(arb_midref(part), arb_radref(x->ball));
        text = arb_get_str(part, RADIUS_DIGITS, ARB_STR_NO_RADIUS);
        text_printf(b, " +/- %s", text);
        flint_free(text);
    }
    arb_clear(ball);
    arb_clear(part);
}

/* Short forms whole; others as "DECIMAL #HASH", the hash that of the exact form. */
static void add_enclosure(text_buffer *b, const json_t *value) {
    enclosure_t x;
    enclosure_init(x);
    if (value == NULL || !report_enclosure_from_json(x, value)) {
        add_field(b, "-");
    } else {
        char *form = exact_form(x);
        text_printf(b, "\t");
        if (x->type == ENCLOSURE_MEASURED || strlen(form) <= WHOLE) {
            text_printf(b, "%s", form);
        } else {
            add_decimal(b, x);
            text_printf(b, " #%016" PRIx64, exact_hash(form, 0));
        }
        free(form);
    }
    enclosure_clear(x);
}

static int is_measured(const json_t *value) {
    return strcmp(json_text(value, "type"), "measured") == 0;
}

/* ---- items ---- */

static void add_statement(lines *l, const char *claim, const json_t *s) {
    text_buffer b;
    begin(&b, claim, json_text(s, "id"), 0, "statement");
    add_field(&b, json_text(s, "kind"));
    add_field(&b, json_text(s, "pinned"));
    add_field(&b, json_text(s, "found"));
    add_field(&b, json_text(s, "scope"));
    add_line(l, &b);
}

static void add_number(lines *l, const char *claim, const char *check, const json_t *number) {
    text_buffer b, item;
    const json_t *value = json_object_get(number, "value");
    text_init(&item);
    text_printf(&item, "%s:%s", check, json_text(number, "name"));
    begin(&b, claim, item.data, is_measured(value), "number");
    add_enclosure(&b, value);
    add_field(&b, json_text(number, "unit"));
    add_line(l, &b);
    free(item.data);
}

static void add_count(text_buffer *b, const json_t *k, const char *key) {
    text_printf(b, " %s %ld", key, (long)json_integer_value(json_object_get(k, key)));
}

/* What came out, and apart from it the comparison that it rests on. */
static void add_check(lines *l, const char *claim, const json_t *k) {
    text_buffer b, item;
    int measured = json_is_true(json_object_get(k, "statistical"));
    const json_t *numbers = json_object_get(k, "numbers"), *number;
    size_t i;
    text_init(&item);
    text_printf(&item, "%s%s%s", json_text(k, "of"), json_text(k, "of")[0] != '\0' ? "~" : "",
                json_text(k, "name"));
    begin(&b, claim, item.data, 0, json_text(k, "kind"));
    add_field(&b, json_text(k, "status"));
    add_field(&b, json_text(k, "found"));
    text_printf(&b, "\t");
    add_count(&b, k, "decisions");
    add_count(&b, k, "precision");
    add_count(&b, k, "units");
    add_count(&b, k, "sampled");
    add_count(&b, k, "cases");
    add_field(&b, json_text(k, "message"));
    add_line(l, &b);
    begin(&b, claim, item.data, measured, "comparison");
    add_field(&b, json_text(k, "label"));
    add_enclosure(&b, json_object_get(k, "lhs"));
    add_field(&b, json_text(k, "relation"));
    add_enclosure(&b, json_object_get(k, "rhs"));
    add_enclosure(&b, json_object_get(k, "margin"));
    add_line(l, &b);
    json_array_foreach(numbers, i, number) {
        add_number(l, claim, item.data, number);
    }
    free(item.data);
}

/* A column as the number of its exact cells and the hash of all their exact forms; each measured cell
   a line of its own. */
static void add_table(lines *l, const char *claim, const json_t *table) {
    const json_t *columns = json_object_get(table, "columns"),
                 *rows = json_object_get(table, "rows"), *column, *row;
    text_buffer b, item;
    size_t c, r;
    json_array_foreach(columns, c, column) {
        long cells = 0;
        uint64_t hash = 0;
        json_array_foreach(rows, r, row) {
            const json_t *value = json_array_get(row, c);
            enclosure_t x;
            text_init(&item);
            if (is_measured(value)) {
                text_printf(&item, "%s.%s[%zu]", json_text(table, "id"), json_text(column, "name"),
                            r);
                begin(&b, claim, item.data, 1, "cell");
                add_enclosure(&b, value);
                add_line(l, &b);
            } else {
                enclosure_init(x);
                int ok = report_enclosure_from_json(x, value);
                char *form = exact_form(x);
                text_printf(&item, "%s;", ok ? form : "?");
                hash = exact_hash(item.data, hash);
                cells++;
                free(form);
                enclosure_clear(x);
            }
            free(item.data);
        }
        if (cells == 0)
            continue;
        text_init(&item);
        text_printf(&item, "%s.%s", json_text(table, "id"), json_text(column, "name"));
        begin(&b, claim, item.data, 0, "column");
        text_printf(&b, "\t%ld rows #%016" PRIx64, cells, hash);
        add_field(&b, json_text(column, "unit"));
        add_line(l, &b);
        free(item.data);
    }
}

static void add_witness(lines *l, const char *claim, const json_t *w) {
    text_buffer b;
    const json_t *conclusion = json_object_get(w, "conclusion");
    char *inputs =
        json_dumps(json_object_get(w, "inputs"), JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    begin(&b, claim, json_text(w, "id"), 0, "witness");
    add_field(&b, json_text(w, "kind"));
    text_printf(&b, "\tinputs #%016" PRIx64, exact_hash(inputs != NULL ? inputs : "", 0));
    add_enclosure(&b, json_object_get(conclusion, "lhs"));
    add_field(&b, json_text(conclusion, "rel"));
    add_enclosure(&b, json_object_get(conclusion, "rhs"));
    add_line(l, &b);
    free(inputs);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What was run: reports that differ here are not to be compared. */
static void add_title(text_buffer *b, const json_t *report) {
    const json_t *patterns = json_object_get(report, "patterns"),
                 *settings = json_object_get(report, "settings"), *value;
    const char *name;
    size_t i;
    text_printf(b, "# mneme-values-1");
    text_printf(b, "\tlevel %s\tseed %s", json_text(report, "level"), json_text(report, "seed"));
    if (!json_is_true(json_object_get(report, "complete")))
        text_printf(b, "\tpartial");
    json_array_foreach(patterns, i, value) {
        add_field(b, json_string_value(value) != NULL ? json_string_value(value) : "?");
    }
    json_object_foreach((json_t *)(uintptr_t)settings, name, value) {
        add_field(b, name);
        text_printf(b, "=%s", json_string_value(value) != NULL ? json_string_value(value) : "?");
    }
    text_printf(b, "\n");
}

char *report_write_values(const json_t *report) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *item;
    lines l = {NULL, 0, 0};
    text_buffer b;
    size_t i, n;
    json_array_foreach(claims, i, claim) {
        const char *id = json_text(claim, "id");
        const json_t *statements = json_object_get(claim, "statements"),
                     *checks = json_object_get(claim, "checks"),
                     *tables = json_object_get(claim, "series"),
                     *witnesses = json_object_get(claim, "witnesses");
        json_array_foreach(statements, n, item) {
            add_statement(&l, id, item);
        }
        json_array_foreach(checks, n, item) {
            add_check(&l, id, item);
        }
        json_array_foreach(tables, n, item) {
            add_table(&l, id, item);
        }
        json_array_foreach(witnesses, n, item) {
            add_witness(&l, id, item);
        }
    }
    if (l.count > 0)
        qsort(l.line, l.count, sizeof *l.line, by_text);
    text_init(&b);
    add_title(&b, report);
    for (i = 0; i < l.count; i++) {
        text_printf(&b, "%s\n", l.line[i]);
        free(l.line[i]);
    }
    free(l.line);
    return text_take(&b);
}

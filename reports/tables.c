#include "reports/tables.h"
#include "reports/json_codec.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96, CELL = 64 };

typedef struct {
    char table[NAME], row[NAME], column[NAME], text[CELL], unit[NAME];
    slong samples; /* 0: not measured */
} cell;

typedef struct {
    cell *list;
    slong count;
} cells;

/* Splits "table/row/column"; 0 if the name has another form. */
static int split(cell *c, const char *name) {
    const char *first = strchr(name, '/'), *second = first ? strchr(first + 1, '/') : NULL;
    if (second == NULL)
        return 0;
    snprintf(c->table, NAME, "%.*s", (int)(first - name), name);
    snprintf(c->row, NAME, "%.*s", (int)(second - first - 1), first + 1);
    snprintf(c->column, NAME, "%s", second + 1);
    return 1;
}

static void fill(cell *c, const json_t *number) {
    enclosure_t x;
    enclosure_init(x);
    c->samples = 0;
    if (!report_enclosure_from_json(x, json_object_get(number, "value"))) {
        snprintf(c->text, CELL, "?");
    } else if (x->type == ENCLOSURE_MEASURED) {
        const enclosure_measurement *m = &x->measured;
        snprintf(c->text, CELL, "%.3f [%.3f, %.3f]", m->estimate, m->lower, m->upper);
        c->samples = (slong)m->samples;
    } else {
        snprintf(c->text, CELL, "%.6g", enclosure_get_double(x));
    }
    enclosure_clear(x);
    snprintf(c->unit, NAME, "%s", json_string_value(json_object_get(number, "unit")));
}

static void gather(cells *all, const json_t *claim) {
    const json_t *checks = json_object_get(claim, "checks"), *check, *number;
    size_t i, n;
    json_array_foreach(checks, i, check) {
        const json_t *numbers = json_object_get(check, "numbers");
        json_array_foreach(numbers, n, number) {
            cell c;
            if (!split(&c, json_string_value(json_object_get(number, "name"))))
                continue;
            fill(&c, number);
            all->list = realloc(all->list, (size_t)(all->count + 1) * sizeof *all->list);
            all->list[all->count++] = c;
        }
    }
}

/* The first cell that has this table, and this row (or column, by offset into cell). */
static int is_first(const cells *all, slong at, size_t member) {
    const char *name = (const char *)(all->list + at) + member;
    for (slong i = 0; i < at; i++)
        if (strcmp(all->list[i].table, all->list[at].table) == 0 &&
            strcmp((const char *)(all->list + i) + member, name) == 0)
            return 0;
    return 1;
}

static const cell *find(const cells *all, const char *table, const char *row, const char *column) {
    for (slong i = 0; i < all->count; i++)
        if (strcmp(all->list[i].table, table) == 0 && strcmp(all->list[i].row, row) == 0 &&
            strcmp(all->list[i].column, column) == 0)
            return all->list + i;
    return NULL;
}

/* Letters, not bytes. */
static int width_of(const char *text) {
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void pad(text_buffer *b, const char *text, int width, int markdown) {
    text_printf(b, "%s%s%*s", markdown ? " " : "  ", text, markdown ? 0 : width - width_of(text),
                "");
    if (markdown)
        text_printf(b, " |");
}

static void write_table(text_buffer *b, const cells *all, slong start, int markdown) {
    const char *table = all->list[start].table;
    slong column[64], columns = 0, least = 0, most = 0;
    int first_width = 0, width[64];
    for (slong i = 0; i < all->count; i++) {
        const cell *c = all->list + i;
        if (strcmp(c->table, table) != 0)
            continue;
        first_width = FLINT_MAX(first_width, width_of(c->row));
        if (columns < 64 && is_first(all, i, offsetof(cell, column)))
            column[columns++] = i;
        if (c->samples > 0) {
            least = least == 0 ? c->samples : FLINT_MIN(least, c->samples);
            most = FLINT_MAX(most, c->samples);
        }
    }
    for (slong k = 0; k < columns; k++) {
        width[k] = width_of(all->list[column[k]].column);
        for (slong i = 0; i < all->count; i++)
            if (strcmp(all->list[i].table, table) == 0 &&
                strcmp(all->list[i].column, all->list[column[k]].column) == 0)
                width[k] = FLINT_MAX(width[k], width_of(all->list[i].text));
    }
    text_printf(b, markdown ? "%s\n\n|" : "%s\n", table);
    pad(b, "", first_width, markdown);
    for (slong k = 0; k < columns; k++)
        pad(b, all->list[column[k]].column, width[k], markdown);
    text_printf(b, "\n");
    for (slong k = 0; markdown && k <= columns; k++)
        text_printf(b, "%s --- |%s", k == 0 ? "|" : "", k == columns ? "\n" : "");
    for (slong i = start; i < all->count; i++) {
        const cell *c = all->list + i;
        if (strcmp(c->table, table) != 0 || !is_first(all, i, offsetof(cell, row)))
            continue;
        text_printf(b, markdown ? "|" : "");
        pad(b, c->row, first_width, markdown);
        for (slong k = 0; k < columns; k++) {
            const cell *at = find(all, table, c->row, all->list[column[k]].column);
            pad(b, at != NULL ? at->text : "", width[k], markdown);
        }
        text_printf(b, "\n");
    }
    const char *unit = all->list[start].unit;
    if (markdown && (most > 0 || strcmp(unit, "1") != 0))
        text_printf(b, "\n");
    if (strcmp(unit, "1") != 0)
        text_printf(b, "%sin %s%s\n", markdown ? "" : "  ", unit, most > 0 ? ";" : "");
    if (most > least)
        text_printf(b, "%s99%% intervals from %ld to %ld independent samples\n",
                    markdown ? "" : "  ", (long)least, (long)most);
    else if (most > 0)
        text_printf(b, "%s99%% intervals from %ld independent samples\n", markdown ? "" : "  ",
                    (long)most);
    text_printf(b, "\n");
}

char *report_write_tables(const json_t *claim, int markdown) {
    text_buffer b;
    cells all = {NULL, 0};
    text_init(&b);
    gather(&all, claim);
    for (slong i = 0; i < all.count; i++)
        if (is_first(&all, i, offsetof(cell, table)))
            write_table(&b, &all, i, markdown);
    free(all.list);
    return text_take(&b);
}

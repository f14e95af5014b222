#include "theorems/series.h"

#include <string.h>

static char *copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(flint_malloc(n), text, n);
}

series *series_new(const char *id, const char *title, slong columns,
                   const char *const *names_units) {
    series *s = flint_malloc(sizeof *s);
    s->id = copy_text(id);
    s->title = copy_text(title);
    s->columns = columns;
    s->rows = 0;
    s->column = flint_malloc((size_t)columns * sizeof *s->column);
    for (slong c = 0; c < columns; c++) {
        s->column[c].name = copy_text(names_units[2 * c]);
        s->column[c].unit = copy_text(names_units[2 * c + 1]);
    }
    s->value = NULL;
    return s;
}

void series_free(series *s) {
    if (s == NULL)
        return;
    for (slong i = 0; i < s->rows * s->columns; i++)
        enclosure_clear(s->value + i);
    for (slong c = 0; c < s->columns; c++) {
        flint_free(s->column[c].name);
        flint_free(s->column[c].unit);
    }
    flint_free(s->value);
    flint_free(s->column);
    flint_free(s->id);
    flint_free(s->title);
    flint_free(s);
}

enclosure_struct *series_append(series *s) {
    if ((s->rows & (s->rows - 1)) == 0) { /* 0, 1, 2, 4, ...: room for twice as many */
        size_t cells = (size_t)(FLINT_MAX(2 * s->rows, 1) * s->columns);
        s->value = flint_realloc(s->value, cells * sizeof *s->value);
    }
    enclosure_struct *row = s->value + s->rows * s->columns;
    for (slong c = 0; c < s->columns; c++)
        enclosure_init(row + c);
    s->rows++;
    return row;
}

int series_join(series *s, const series *more) {
    if (s->columns != more->columns)
        return 0;
    for (slong c = 0; c < s->columns; c++)
        if (strcmp(s->column[c].name, more->column[c].name) != 0)
            return 0;
    for (slong r = 0; r < more->rows; r++) {
        enclosure_struct *row = series_append(s);
        for (slong c = 0; c < s->columns; c++)
            enclosure_set(row + c, more->value + r * more->columns + c);
    }
    return 1;
}

const enclosure_struct *series_cell(const series *s, slong row, const char *column) {
    if (row < 0 || row >= s->rows)
        return NULL;
    for (slong c = 0; c < s->columns; c++)
        if (strcmp(s->column[c].name, column) == 0)
            return s->value + row * s->columns + c;
    return NULL;
}

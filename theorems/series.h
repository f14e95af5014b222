/* A table of enclosures with named columns: the only thing that figures, tables and certificates
   are made of. */
#ifndef SERIES_H
#define SERIES_H

#include "numerics/exact/enclosure.h"

typedef struct {
    char *name, *unit; /* unit "1" for pure numbers */
} series_column;

typedef struct {
    char *id, *title;
    slong columns, rows;
    series_column *column;   /* [columns] */
    enclosure_struct *value; /* [rows][columns] */
} series;

/* An empty table; names and units are alternating strings, 2*columns of them. */
series *series_new(const char *id, const char *title, slong columns,
                   const char *const *names_units);
void series_free(series *s);

/* Appends a row of zeros and returns its first cell, valid until the next append. */
enclosure_struct *series_append(series *s);

/* Appends the rows of more, which must have the same columns; 0 if it has not. */
int series_join(series *s, const series *more);

/* The cell in a row under the column of that name, or NULL. */
const enclosure_struct *series_cell(const series *s, slong row, const char *column);

#endif

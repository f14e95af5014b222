/* Numbers named "table/row/column" as tables: what experiments print. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include <jansson.h>

/* The tables of a claim's checks (controls left out), in the order in which tables, rows and columns
   first appear; measured numbers with their interval and, under the table, their number of samples.
   Numbers with other names are left out.  Aligned text, or Markdown; for free(), "" if there are none. */
char *report_write_tables(const json_t *claim, int markdown);

#endif

/* What people and programs read, all of it made from the report's JSON. */
#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include <jansson.h>

/* Each returns text for free(). */
char *report_write_json(const json_t *report);
char *report_write_junit(const json_t *report);
/* since: an older report, or NULL; then what changed is listed first. */
char *report_write_markdown(const json_t *report, const json_t *since);
/* For a pull request's comment: totals, failures with the commands that reproduce them, what
   changed, and the refuted statements folded; below 65536 characters. */
char *report_write_brief(const json_t *report, const json_t *since);

/* Everything exact of the report, to compare runs by: after a title line ("# mneme-values-1", level,
   seed, patterns, settings) sorted lines of tab-separated fields CLAIM/ITEM, "exact" or "measured",
   KIND, and then by kind
       statement   kind, pinned and found verdict, scope
       check, control   status, found verdict, counts and precision, message
       comparison  label, lhs, relation, rhs, margin (measured where the check is statistical)
       number      value, unit                 (of a check: ITEM is CHECK:NAME)
       column      exact cells with the hash of their exact forms, unit (ITEM is TABLE.COLUMN)
       cell        a measured cell of a table  (ITEM is TABLE.COLUMN[ROW])
       witness     kind, hash of the inputs, lhs, relation, rhs
   Values of up to 40 characters stand whole (n/d, m*2^e+/-m*2^e), others as 12 digits (3 of a radius)
   and the 64-bit FNV-1a hash of that form.  No times, no machine. */
char *report_write_values(const json_t *report);

/* A series as columns for gnuplot: "# name [unit]" on the first line, a pair of empty lines where
   the first column changes if rows come in groups of it; 12 digits, rounded to nearest.  Text
   for free(). */
char *report_write_series(const json_t *series);

/* A report read from JSON text; NULL with a line for the user (free()) if it is not one. */
json_t *report_read(const char *path, char **complaint);

#endif

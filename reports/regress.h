/* Runs cases of the kernels' regression, each in a process of its own, holds what they found
 * against the committed numbers, and writes what people and programs read. */
#ifndef REPORT_REGRESS_H
#define REPORT_REGRESS_H

#include "numerics/accuracy/regress.h"
#include "reports/text.h"

#include <jansson.h>

typedef struct {
    regress_case c;
    bool planned; /* of the plan: its rows have a baseline */
    int rows;
    regress_row row[REGRESS_ROWS];
    double seconds;
    char crash[120];  /* how the process ended instead, or "" */
    bool interrupted; /* before it ended */
} regress_result;

/* Runs results[i].c for all i, jobs at once, and fills in the rest.  limit: seconds a case may
 * take.  Results do not depend on jobs.  0, or errno's value if no process could be started; after
 * a signal to stop some cases are interrupted. */
int regress_execute(regress_result *results, size_t count, regress_selection selection,
                    const regress_library *library, long jobs, double limit);

/* What a case takes, about, in no unit. */
double regress_cost(const regress_case *c);

/* ---- the baseline: {"schema": "mneme-accuracy-1", "rows": {NAME: {verdict, ulp, p99, ratio,
 * rms [, reason]}}} ---- */

/* The object of its rows; NULL with a line for the user (free()) if the file is not one. */
json_t *regress_baseline_read(const char *path, char **complaint);
/* Of one of its rows; null counts as infinity.  False: its verdict is none. */
bool regress_numbers_of(regress_numbers *n, const json_t *row);
/* The whole file, a row a line, sorted by name: text for free(). */
char *regress_baseline_write(const json_t *rows);

typedef struct {
    long added, tightened, loosened, dropped, refused;
} regress_rebased;
/* rows := with what was found.  A number within its factor of the old one leaves the smaller of
 * the two; a row that is worse, or new and suspect, needs a reason (NULL: none is given); a broken
 * one is never taken.  Those that are not are counted in refused and named in messages.
 * whole: the plan was run as a whole, and rows outside it go. */
regress_rebased regress_rebase(json_t *rows, const regress_result *results, size_t count,
                               const char *reason, bool whole, text_buffer *messages);

/* ---- what came out ---- */

typedef struct {
    long passed, failed, skipped, better;
} regress_totals;

/* The report (schemas/regress.schema.json), without provenance.  baseline: rows, or NULL for
 * verdicts alone.  tail: what a command that repeats a run needs besides, as " --baseline F". */
json_t *regress_report(const regress_result *results, size_t count, const json_t *baseline,
                       const char *tail, double seconds);
regress_totals regress_report_totals(const json_t *report);
/* For report_write_junit: a suite a kernel. */
json_t *regress_junit(const json_t *report);
/* Failures with place and command, what is better, a table by kernel. */
char *regress_report_text(const json_t *report);

#endif

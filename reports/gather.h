/* From what the units gave to the report. */
#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include "reports/plan.h"

#include <jansson.h>

/* The report, verify.json as a value, of the units' entries (reports/journal.h; NULL where a unit was not run).
   program: what ran them, as in a journal's identity, or NULL for this one. */
json_t *gather_report(const run_options *o, const work_unit *unit, json_t *const *entry,
                      slong count, const json_t *program, int interrupted, double seconds);

#endif

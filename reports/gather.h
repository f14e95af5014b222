/* From what the units gave to the report. */
#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include "reports/runner.h"

json_t *gather_report(const run_options *o, const work_unit *unit, json_t *const *result,
                      slong count, int interrupted, double seconds);

#endif

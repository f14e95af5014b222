/* One work unit, in this process, and the certificates that it reads. */
#ifndef REPORT_RUNNER_H
#define REPORT_RUNNER_H

#include "reports/plan.h"

#include <jansson.h>

/* The committed tables of a claim, from data/baselines/<claim>.json: *count of them (0 if there is
   no such file).  NULL with a line for the user in *complaint (free()) if the file is damaged. */
series **runner_certificates(const claim *c, const char *data, slong *count, char **complaint);
void runner_certificates_free(series **list, slong count);

/* What one unit found, as JSON; runs in this process.  Precision doubles from 64 bits until the
   outcome is decided or PREC_CAP is reached. */
#define PREC_START 64
#define PREC_CAP 4096
json_t *runner_unit(const work_unit *u, const run_options *o, char **complaint);

#endif

/* Runs work units in processes of their own and gathers what they found into one report. */
#ifndef REPORT_RUNNER_H
#define REPORT_RUNNER_H

#include "theorems/work_unit.h"

#include <jansson.h>

typedef struct {
    const char *name;
    char *text; /* as the user wrote it; checked against the claim's settings */
} run_setting;

typedef struct {
    level level;
    slong jobs;
    ulong seed; /* base seed; 1 unless --seed is given */
    slong patterns;
    const char *const *pattern; /* globs on "claim" or "claim/check"; none: all but experiments */
    slong settings;
    const run_setting *setting;
    const char *data;   /* folder with baselines/ and schemas/ */
    double time_limit;  /* seconds a unit; 0: four times the level's budget */
    slong memory_limit; /* MiB a unit; 0: the default, none under sanitizers */
    int quiet;          /* no progress */
} run_options;

/* Budgets of a whole level, in seconds. */
double runner_budget(level l);

/* NULL if the settings suit the claims that the patterns select and those patterns select something;
   else one line for the user, for free(). */
char *runner_complaint(const run_options *o);

/* The committed tables of a claim, from data/baselines/<claim>.json: *count of them (0 if there is
   no such file).  NULL with a line for the user in *complaint (free()) if the file is damaged. */
series **runner_certificates(const claim *c, const char *data, slong *count, char **complaint);
void runner_certificates_free(series **list, slong count);

/* What one unit found, as JSON; runs in this process.  Precision doubles from 64 bits until the
   outcome is decided or PREC_CAP is reached. */
#define PREC_START 64
#define PREC_CAP 4096
json_t *runner_unit(const work_unit *u, const run_options *o, char **complaint);

/* The report, verify.json as a value.  *interrupted: a signal ended the run early.  self: argv[0]
   for systems without /proc.  NULL with errno set if no process could be started. */
json_t *runner_verify(const run_options *o, const char *self, int *interrupted);

#endif

/* Jobs in forked processes: one that crashes or hangs is that job's failure alone. */
#ifndef REPORT_POOL_H
#define REPORT_POOL_H

#include <stddef.h>

typedef struct {
    size_t room;  /* bytes that a job may return */
    double limit; /* seconds that it may take */
    /* In the job's process: out [room] := the result of job i; how many bytes of it. */
    size_t (*work)(size_t i, void *out, void *data);
    /* In the caller's, job after job as they end: crash is how the process ended instead of returning, or
     * NULL. */
    void (*done)(size_t i, const void *out, size_t bytes, double seconds, const char *crash,
                 void *data);
    void *data;
} pool_jobs;

/* Runs jobs 0 .. count-1, `at_once` at a time, those of the highest cost first; progress on a
 * terminal.  0, or errno's value when no process could be started.  Where stop_wanted() then holds,
 * jobs without a call of done did not run to their end. */
int pool_run(const pool_jobs *p, size_t count, const double *cost, long at_once);

#endif

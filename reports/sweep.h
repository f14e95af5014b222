/* A run of a plan, or of one shard of it: by this process, or by ranks that lease units from the first. */
#ifndef REPORT_SWEEP_H
#define REPORT_SWEEP_H

#include "reports/plan.h"
#include "reports/transport.h"

#include <jansson.h>

typedef struct {
    const char *journal;   /* file, or NULL */
    slong shard, shards;   /* the units of shard 0 .. shards-1; shards 0: all */
    const transport *link; /* NULL: this process alone */
    double lease;          /* seconds after which a silent rank is given up */
} sweep_options;

typedef struct {
    work_unit *unit; /* the plan, [count] */
    slong count;
    char *mine;      /* whether the unit is of the shard, [count] */
    json_t **entry;  /* as in reports/journal.h, or NULL, [count] */
    slong kept, run; /* of the shard's units, how many were in the journal, how many were run */
    int interrupted; /* a signal ended the run early */
    double seconds;
} sweep;

enum {
    SWEEP_DONE,
    SWEEP_REFUSED,
    SWEEP_FAULT
}; /* bad input; a fault of the program or the system */

/* Runs what the journal does not hold; self: argv[0] for systems without /proc.  What is found of a unit does not
   depend on who ran it.  On failure a line for the user in *complaint (free()).  Only for rank 0. */
int sweep_run(sweep *s, const run_options *o, const sweep_options *w, const char *self,
              char **complaint);
void sweep_clear(sweep *s);

/* What the other ranks do: units for rank 0 until it ends the sweep. */
void sweep_work(const run_options *o, const sweep_options *w, const char *self);

#endif

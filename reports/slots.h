/* Work units in processes of their own: fork and exec, limits on time and memory, never dies with them. */
#ifndef REPORT_SLOTS_H
#define REPORT_SLOTS_H

#include "reports/plan.h"

#include <jansson.h>

/* Budgets of a whole level, in seconds. */
double runner_budget(level l);

typedef struct unit_slots unit_slots;

/* Room for so many units at once (1 to 256).  self: argv[0] for systems without /proc. */
unit_slots *slots_new(const run_options *o, slong room, const char *self);
slong slots_running(const unit_slots *s);
int slots_free(const unit_slots *s); /* whether one more may be started */

/* Starts the unit, which done() will know as index.  0, or errno's value. */
int slots_start(unit_slots *s, const work_unit *u, slong index);

/* Waits at most so many seconds for a unit to end (less if a signal comes), and calls done for each that did:
   its JSON, or an object {"crash","seconds"} that says how its process ended instead; done keeps it. */
void slots_wait(unit_slots *s, double seconds,
                void (*done)(slong index, json_t *result, void *data), void *data);

/* Ends what is running. */
void slots_clear(unit_slots *s);

#endif

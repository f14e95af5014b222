/* What a run consists of: known before anything runs, the same on every machine. */
#ifndef REPORT_PLAN_H
#define REPORT_PLAN_H

#include "theorems/work_unit.h"

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

/* NULL if the settings suit the claims that the patterns select and those patterns select something;
   else one line for the user, for free(). */
char *plan_complaint(const run_options *o);

/* The setting of that name, or NULL. */
const setting *plan_setting(const claim *c, const char *name);

/* The selected units, those of the highest cost first, those of equal cost by name; free with
   flint_free. */
work_unit *plan_units(const run_options *o, slong *count);

/* shard[i] := where unit i goes, 0 .. shards-1: unit after unit to the one with the least cost so far,
   the first of those.  None gets more than the mean and one unit (Graham 1966). */
void plan_shards(slong *shard, const work_unit *unit, slong count, slong shards);

/* The index of the unit of that name, or -1. */
slong plan_find(const work_unit *unit, slong count, const char *name);

#endif

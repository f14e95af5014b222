/* What is scheduled, sharded and resumed. */
#ifndef WORK_UNIT_H
#define WORK_UNIT_H

#include "theorems/claim.h"

typedef struct {
    const claim *claim;
    const check *check;
    const control *control; /* NULL for the check itself */
    slong index;
    level level;
    double cost; /* seconds, roughly, with those of its process */
    ulong seed;  /* hash of claim, check, control, index and the base seed: not of rank or clock */
} work_unit;

#define WORK_UNIT_NAME 200

/* name := "claim/check/index" or "claim/check~control/index". */
void work_unit_name(char name[WORK_UNIT_NAME], const work_unit *u);

/* unit := the unit of that name in the registry; 0 if there is none at this level. */
int work_unit_find(work_unit *u, const char *name, level l, ulong base_seed);

/* All units of a claim at a level, appended to list[0..*count-1]; the list grows as needed. */
void work_unit_plan(work_unit **list, slong *count, const claim *c, level l, ulong base_seed);

#endif

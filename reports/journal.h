/* The journal of a sweep: what each unit gave, written when it ends.

   A file of JSON lines.  The first says which plan it belongs to; every other is one unit's result as its process gave
   it, and where it ran.  Each begins with the CRC-32 of the bytes after its first comma, so that no damage
   passes for a result; a last line without its line feed was torn when its run died, and does not count.
   Lines: schemas/units.schema.json. */
#ifndef REPORT_JOURNAL_H
#define REPORT_JOURNAL_H

#include "reports/plan.h"

#include <jansson.h>

/* What has to be the same for results to belong together: level, seed, patterns, settings, versions and flags
   of the program and its libraries, the hash of the plan's units and costs and of the certificates they
   read. */
json_t *journal_identity(const run_options *o, const work_unit *unit, slong count);

/* How b differs from a, "level: quick and full; seed: 1 and 2", for free(); NULL if it does not. */
char *journal_difference(const json_t *a, const json_t *b);

/* What a unit's line says: {"unit","cpu","os","result"}. */
json_t *journal_entry(const work_unit *u, json_t *result);

/* Why a result is none that counts when a run is resumed (its process crashed, or was over its limits): the text, or
   NULL. */
const char *journal_crash(const json_t *entry);

typedef struct journal journal;

/* Opens or begins the journal of that plan, for this run alone; entry[i] := what it holds of unit i, or NULL.
   NULL with a line for the user in *complaint (free()) where that cannot be. */
journal *journal_open(const char *path, const json_t *identity, const work_unit *unit, slong count,
                      json_t **entry, char **complaint);
/* Adds a line, whole and on the disk when this returns; 0, or errno's value, and the file is as it was. */
int journal_append(journal *j, const json_t *entry);
void journal_close(journal *j);

/* A journal as it stands: {"identity","entries":[...]}, the later entry where a unit has two.  NULL with a
   line for the user in *complaint (free()). */
json_t *journal_read(const char *path, char **complaint);

#endif

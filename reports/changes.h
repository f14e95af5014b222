/* What differs between two reports. */
#ifndef REPORT_CHANGES_H
#define REPORT_CHANGES_H

#include <jansson.h>

/* An array of {"kind", "claim", "item", "was", "now"}, in the order of the report.  Kinds:
   "claim", "statement", "check", "control", "number": "was" or "now" is "" where it is new or
   gone; statements change by verdict, checks by status, numbers where their enclosures do not
   meet (measured ones: where their intervals do not); "seconds": a check that takes at least a
   second takes at least twice as long: informational, and nothing on a different machine. */
json_t *report_changes(const json_t *report, const json_t *since);

#endif

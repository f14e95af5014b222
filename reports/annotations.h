/* Workflow commands that a hosted continuous integration shows beside the code. */
#ifndef REPORT_ANNOTATIONS_H
#define REPORT_ANNOTATIONS_H

#include <jansson.h>

/* "::error file=F,line=N,title=T::message" for every failed check, ::warning for every statement
   whose verdict is not the pinned one though no check of it failed, ::notice for every skipped
   check, and a ::notice that counts the checks.  file and line only where the claim's source is
   found beside data (the folder reports/ of a source tree).  Text for free(). */
char *report_write_annotations(const json_t *report, const char *data);

#endif

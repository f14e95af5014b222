/* The figures: which claim each shows, what is drawn in it, and its caption made from the claim. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "reports/text.h"

#include <jansson.h>

typedef struct {
    const char *name;      /* of its data, script and pictures: NAME.dat, NAME.gp, NAME.pdf ... */
    const char *claim;     /* the claim that lists it; NULL: of the kernels */
    const char *statement; /* the claim's statement that it illustrates; NULL without a claim */
    const char *shows;     /* one sentence: what is drawn */
} report_figure;

/* In the order of the reports; ends with an element whose name is NULL. */
extern const report_figure report_figures[];

/* The figure of that name, or NULL. */
const report_figure *report_figure_find(const char *name);

/* claim: the figure's claim as it stands in verify.json ("claims").  "Title (source). What is
   drawn. Published, refuted: the statement. True instead: ..."; the parts that the claim lacks
   are left out. Plain text for free(). */
char *report_figure_caption(const report_figure *f, const json_t *claim);

/* Captions of the figures of every claim in the report.  LaTeX: \mnemecaption{NAME}; JSON: an
   array of objects {"figure","claim","statement","verdict","caption","files"}.  Text for
   free(). */
char *report_write_captions(const json_t *report);
char *report_write_captions_json(const json_t *report);

#endif

/* The report as one page that needs nothing else: no network, no other file. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>

/* What the page is made of besides the report; NULL where there is none. */
typedef struct {
    const char *style, *script; /* texts of html/page.css and html/page.js */
    const char *figures;        /* folder with NAME.svg for each figure */
    const json_t *since;        /* an older report: what changed is said first */
    const json_t *accuracy;     /* the report of mneme regress */
    const json_t *bench;        /* the report of mneme bench */
} html_parts;

/* Text for free(), or NULL with *complaint a line for free(): a formula that is not in the subset of
   mathml.h. */
char *report_write_html(const json_t *report, const html_parts *parts, char **complaint);

/* The published statements at a glance as an SVG picture: a square each, a row a paper.  alone: a
   file of its own, for light and dark pages; else for the page, with links to the claims. */
char *report_write_board(const json_t *report, int alone);

/* The paper that a claim is about: "VORT", "VLA", "Log-linear attention", "Experiments"; other
   prefixes as they stand. */
const char *report_paper(const char *claim_id);

#endif

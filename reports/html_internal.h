/* Parts of the page, shared by html.c and html_claim.c. */
#ifndef REPORT_HTML_INTERNAL_H
#define REPORT_HTML_INTERNAL_H

#include "reports/html.h"
#include "reports/text.h"

/* Appends <span class="verdict V">V</span>. */
void html_verdict(text_buffer *b, const char *verdict);

/* Appends the article of a claim; 0 with *complaint (for free()) if a formula cannot be set. */
int html_claim(text_buffer *b, const json_t *report, const json_t *claim, const html_parts *parts,
               char **complaint);

/* Appends the tables of the kernels' accuracy and speed, where their reports are given. */
void html_tables(text_buffer *b, const html_parts *parts);

/* Appends an SVG file as part of the page: without its prologue, its ids made its own; 0 if
   figures/NAME.svg is not there. */
int html_figure(text_buffer *b, const char *figures, const char *name, const char *label);

#endif

/* Tables and numbers for papers; everything written is ASCII, for plain pdflatex. */
#ifndef REPORT_LATEX_H
#define REPORT_LATEX_H

#include "reports/text.h"

#include <jansson.h>

/* Appends UTF-8 text so that LaTeX prints it in text mode: its special characters escaped, Greek
   letters, raised and lowered digits, signs of mathematics and accented letters as commands;
   and what the claims spell in ASCII: <=, >=, ->, names of Greek letters, x^2, x^(1/2),
   x_{t-1}.  A character that is not known (or a byte that is no UTF-8) becomes a framed U+XXXX.
   Returns how many of those there were. */
long report_latex_text(text_buffer *b, const char *text);

/* Two longtables: what is published or conjectured, false first, with what is true instead; and
   what Mneme states.  Needs the packages amsmath, amssymb, booktabs, longtable, array.  Text
   for free(). */
char *report_write_latex(const json_t *report);

/* Every number of the report: \mneme{KEY}, \mnemelower{KEY}, \mnemeupper{KEY} (rounded outwards),
   \mnemeunit{KEY}, \mnemekind{KEY} (exact, certified or measured).  KEY is CLAIM/NAME, and
   CLAIM/CHECK/NAME where checks of a claim share a name.  Needs amsmath.  Text for free(). */
char *report_write_numbers(const json_t *report);

/* The keys, in the order of the report: an array of {"key", "name", "unit", "value"}.  A number
   that a check gives several times under one name is kept once if it is the same; others get
   /2, /3, ... */
json_t *report_number_keys(const json_t *report);

#endif

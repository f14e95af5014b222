/* Formulas of the claims as MathML. */
#ifndef REPORT_MATHML_H
#define REPORT_MATHML_H

/* The LaTeX that statements use: letters, digits, operators, groups, scripts, primes, \frac,
 * \sqrt, \hat, \text, \mathrm and its kind, \operatorname, Greek letters, relations, functions,
 * large operators, \left-less big delimiters, spaces.  Returns one <math> element for free(), or
 * NULL with *complaint a sentence in a static buffer: an unknown command is an error, not text. */
char *mathml_from_latex(const char *latex, const char **complaint);

#endif

/* Where a result comes from: in every report and witness. */
#ifndef REPORT_PROVENANCE_H
#define REPORT_PROVENANCE_H

#include <jansson.h>

/* {"mneme","commit","compiler","flags","gmp","mpfr","flint","arb","gsl","jansson","zlib","cpu","os"};
   what cannot be found out is "unknown". */
json_t *provenance_json(void);

/* {"name","bytes","crc32"} of a file that was read. */
json_t *provenance_of_input(const char *name, const char *data, size_t length);

#define MNEME_VERSION "0.1.0"
#define MNEME_DATE "2026-11-29" /* of the version: manual pages */

#endif

/* Enclosures, series and witnesses as JSON, whole: integers are strings, balls keep their radius. */
#ifndef REPORT_JSON_CODEC_H
#define REPORT_JSON_CODEC_H

#include "numerics/exact/witness.h"
#include "theorems/series.h"

#include <jansson.h>

/* The text under that key, "" where there is none. */
const char *json_text(const json_t *j, const char *key);
/* 1 to 99 letters, digits, dots, dashes, underscores: a name that means nothing to a shell, Python, a
   page or a terminal. */
int report_is_plain_name(const char *text);
/* The first object of the array with that text under the key, or NULL. */
const json_t *json_find(const json_t *array, const char *key, const char *text);

/* {"type":"rational","num","den"} | {"type":"ball","mid":[m,e],"rad":[m,e]} (value m 2^e; null where
   not finite) | {"type":"measured",...}.  A rational may also be read from a string "n/d". */
json_t *report_enclosure_to_json(const enclosure_t x);
/* 1 on success. */
int report_enclosure_from_json(enclosure_t x, const json_t *j);

/* An exact dyadic number as a ball of radius 0. */
json_t *report_dyadic_to_json(const arf_t x);

json_t *report_series_to_json(const series *s);
/* NULL when j is not a series; free with series_free. */
series *report_series_from_json(const json_t *j);

/* Without provenance. */
json_t *report_witness_to_json(const witness_t w);
/* 1 on success (w then initialised); else reason says what is wrong. */
int report_witness_from_json(witness_t w, const json_t *j, const char **reason);

/* PREFIX + suffix := the witness with provenance, written whole or not at all; on failure one line on
   stderr that begins with what, and 0. */
int report_witness_file(const char *what, const char *prefix, const char *suffix,
                        const witness_t w);

/* A script in Python's fractions that checks the witness without Mneme, or NULL for kinds that
   rational arithmetic cannot settle; free with free(). */
char *report_witness_to_python(const witness_t w);

/* A short decimal for people: 6 digits of the midpoint, "3/10" for small rationals; the caller frees
   it with free(). */
char *report_enclosure_text(const enclosure_t x);

#endif

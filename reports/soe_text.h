/* Sums of exponentials as text, in and out. */
#ifndef REPORT_SOE_TEXT_H
#define REPORT_SOE_TEXT_H

#include "numerics/exact/soe.h"
#include "reports/text.h"

typedef enum { SOE_TABLE, SOE_JSON, SOE_CSV, SOE_C, SOE_NPY } soe_format;

/* 1 if name is table, json, csv, c or npy. */
int soe_format_from_name(soe_format *format, const char *name);

/* Rounds every number of the sum to what the format will show: digits significant decimals, or
   doubles for c and npy.  What is certified afterwards is what is printed. */
void soe_round_for_output(soe_sum_t sum, soe_format format, slong digits);

/* What is said about a sum beside its terms. */
typedef struct {
    const char *alpha, *horizon, *method; /* as the user wrote them */
    int relative;
    const soe_bound_struct *bound;
    const arf_struct *lower;       /* no sum of as many terms does better; 0: not known */
    const arf_struct *fewer_lower; /* nor one of fewer_terms; 0: not known */
    slong fewer_terms;
    const char *paper; /* a sentence on the paper's construction, or "" */
} soe_facts;

/* The sum, already rounded, in that format (not npy). */
void soe_print(text_buffer *out, const soe_sum_t sum, soe_format format, slong digits,
               const soe_facts *facts);

/* An .npy file of version 1.0, float64 [terms][2], C order: columns weight and rate.  The caller
   frees the bytes with free(). */
char *soe_npy(const soe_sum_t sum, size_t *length);

/* x to 6 digits, not below (upper 1) or not above (upper 0) x; "inf" where it is; free(). */
char *soe_bound_text(const arf_t x, int upper);

/* ---- tables of others ---- */

typedef struct {
    char *name; /* "6,10": the values of the group columns, "" without any */
    slong line; /* first line of the group */
    int has_horizon;
    fmpq_t horizon; /* the column R or T or horizon of the group */
    soe_sum_t sum;
} soe_group;

typedef struct {
    slong groups;
    soe_group *group;
} soe_table;

/* Reads CSV with a header that names a weight column (weight, w, c, omega, coefficient) and a rate
   (rate, lambda, a, alpha, exponent) or node (node, x) column; i, s, j or index is ignored; equal
   values in the other columns make a group.  Lines beginning with # are comments.  1 on success;
   else a line for the user (without the file's name) in *complaint, for free(). */
int soe_table_read(soe_table *table, const char *text, char **complaint);
void soe_table_clear(soe_table *table);

#endif

/* Shared by the parts of the claim vla.scan. */
#ifndef VLA_SCAN_H
#define VLA_SCAN_H

#include "theorems/vla/common.h"

typedef struct {
    int swapped;    /* maps composed in the wrong order */
    int transposed; /* a_t.k_s in place of a_s.k_t in the triangle */
    int off;        /* the sign of the inverse's entries turned */
} scan_parameter;

void scan_check_associative(check_context *ctx, const void *parameter);
void scan_check_scan(check_context *ctx, const void *parameter);
void scan_check_chunk(check_context *ctx, const void *parameter);
void scan_check_inverse(check_context *ctx, const void *parameter);

/* How large the triangular system's condition number gets. */
typedef struct {
    int forgetful;          /* u along k wherever there is a choice: a = k (control) */
    const char *low, *high; /* what is said of the condition number, NULL: nothing */
    slong length;           /* chunk length that it is said of */
} condition_parameter;

void scan_check_random(check_context *ctx, const void *parameter);
void scan_check_constructed(check_context *ctx, const void *parameter);
void scan_check_equal(check_context *ctx, const void *parameter);

#endif

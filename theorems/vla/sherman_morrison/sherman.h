/* Shared by the parts of the claim vla.sherman-morrison. */
#ifndef VLA_SHERMAN_MORRISON_H
#define VLA_SHERMAN_MORRISON_H

#include "theorems/vla/common.h"

#ifdef MNEME_FLINT3
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

/* What controls change in the exact checks; 0 where the formula is right. */
typedef struct {
    int half;          /* half of every u u^T is absorbed */
    const char *delta; /* added to the refresh in the formula under test */
} sherman_parameter;

void sherman_check_inverse(check_context *ctx, const void *parameter);
void sherman_check_refresh(check_context *ctx, const void *parameter);
void sherman_check_schedule(check_context *ctx, const void *parameter);

/* ---- drift ---- */

enum { DRIFT_WIDTH = 16, DRIFT_UPDATES = 100000 };
typedef enum {
    DRIFT_TEXTBOOK,
    DRIFT_SYMMETRIC,
    DRIFT_JOSEPH,
    DRIFT_POTTER,
    DRIFT_CHOLESKY,
    DRIFT_FORMS
} drift_form;

/* Two kinds of sequences: directions drawn at random; nearly one direction. */
typedef enum { DRIFT_DRAWN, DRIFT_NARROW, DRIFT_KINDS } drift_kind;

/* A state kept through count updates against the exact inverse: |A - M^-1|_F/|M^-1|_F and |A -
   A^T|_F/|A|_F; definite: A + A^T is certainly positive definite. */
typedef struct {
    arb_t error, asymmetry;
    int definite;
} drift_result;

void drift_result_init(drift_result *x);
void drift_result_clear(drift_result *x);

/* u [count][DRIFT_WIDTH]: directions over sqrt d, rounded to multiples of 2^-12, so that M is exact. */
void drift_draw(float *u, drift_kind kind, slong count, exact_random *r);

/* exact := (lambda0 I + sum u u^T)^-1 enclosed, from the exact sum; lambda0 = 1/8. */
layer_status drift_reference(arb_mat_t exact, const float *u, slong count, slong prec);

/* The state of a form as float or double keeps it, after more updates: call drift_start first. */
typedef struct {
    drift_form form;
    int wide; /* double */
    float narrow[DRIFT_WIDTH * DRIFT_WIDTH];
    double state[DRIFT_WIDTH * DRIFT_WIDTH];
} drift_state;
void drift_start(drift_state *s, drift_form form, int wide);
void drift_advance(drift_state *s, const float *u, slong count);
layer_status drift_compare(drift_result *out, const drift_state *s, const arb_mat_t exact,
                           slong prec);

typedef struct {
    drift_form form;
    int wide;
    drift_kind kind;
    const char *error; /* the relative error is below (above) */
    int above;
    int symmetric; /* 1: |A - A^T| = 0; -1: > 0 */
    int definite;  /* A + A^T is positive definite */
} drift_bound;

/* parameter: a list of bounds, form = DRIFT_FORMS at its end. */
void sherman_check_drift(check_context *ctx, const void *parameter);
/* The figure's data. */
void sherman_check_drawn(check_context *ctx, const void *parameter);

#endif

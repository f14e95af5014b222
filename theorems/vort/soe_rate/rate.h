/* Shared by the files of vort.soe-rate. */
#ifndef VORT_SOE_RATE_H
#define VORT_SOE_RATE_H

#include "numerics/exact/soe.h"
#include "theorems/vort/common.h"

typedef struct {
    const char *alpha;
    double low, high; /* interval in u = ln lambda */
    double
        half_height; /* claimed half height of the strip where the integrand is bounded, < pi/2 */
    int untruncated; /* integrate over all u: nothing is cut off */
} interval_parameter;

typedef struct {
    ulong extra;          /* moments asked for beyond those that are exact */
    const char *exponent; /* the 4 in 4 exp(-4 S^2/T) */
} jacobi_parameter;

typedef struct {
    soe_method method;
    soe_error error;
    fmpq_t alpha;
    fmpz_t horizon;
    slong terms;
    soe_design design;
} design_row;

typedef struct {
    slong less;         /* terms taken away from each design */
    const char *factor; /* of the committed supremum (1), or of the bound beyond T */
} table_parameter;

typedef struct {
    soe_method method;
    const char *horizon;
    slong first, last;
} growth_parameter;

typedef struct {
    const char *factor; /* of the first weight, on one of the two paths (1) */
} path_parameter;

/* x := d, exactly. */
void rate_set_double(fmpq_t x, double d);
/* sup := the ball [lower, upper] of a certified supremum. */
void rate_bound_ball(arb_t sup, const soe_bound_t bound);
/* bound := the certified supremum of |w_j - sum| over the integers of [1,horizon]. */
soe_status rate_certify(soe_bound_t bound, const soe_sum_t sum, const fmpq_t alpha,
                        const fmpz_t horizon, soe_error error, int beyond);

/* The committed table of designs. */
void design_row_init(design_row *r);
void design_row_clear(design_row *r);
/* The table, or NULL after saying that it is missing. */
const series *design_table(check_context *ctx);
void design_row_read(design_row *r, const series *s, slong row);
/* The committed supremum of the same method, order, horizon, error and number of terms, or NULL. */
const enclosure_struct *design_sup(const series *s, const design_row *r);

enum { SWEEP = 9 };
extern const slong sweep_terms[SWEEP]; /* alpha = 1/2, T = 1000, absolute */

void rate_check_fixed_interval(check_context *ctx, const void *parameter);
void rate_check_stall(check_context *ctx, const void *parameter);
void rate_check_published(check_context *ctx, const void *parameter);
void rate_check_jacobi_exact(check_context *ctx, const void *parameter);
void rate_check_jacobi_bound(check_context *ctx, const void *parameter);
void rate_check_sup_errors(check_context *ctx, const void *parameter);
void rate_check_root_exponential(check_context *ctx, const void *parameter);
void rate_check_every_integer(check_context *ctx, const void *parameter);
void rate_check_far_horizon(check_context *ctx, const void *parameter);
void rate_check_beyond(check_context *ctx, const void *parameter);
void rate_check_drawn(check_context *ctx, const void *parameter);

#endif

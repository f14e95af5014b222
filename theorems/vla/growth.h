/* Shared by the claims on how variational linear attention grows. */
#ifndef VLA_GROWTH_H
#define VLA_GROWTH_H

#include "numerics/exact/vla_growth.h"
#include "theorems/claim.h"

/* A constructed run.  links < 0: searched (vla_plan_search). */
typedef struct {
    slong dim, steps;
    const char *lambda0;
    int layer, product;
    slong period; /* refresh every so many steps with delta = 1/1000; 0: none */
    slong links;
} growth_case;

/* A decision that stays open: what went wrong neither confirms nor refutes. */
void growth_undecided(check_context *ctx, const char *what);

/* run, plan := the case carried out with at least 256 bits, more as the context asks; both are to be
   cleared if VLA_OK comes back; else the check is left undecided. */
vla_status growth_run(check_context *ctx, vla_run_t run, vla_plan_t plan, const growth_case *g,
                      vla_watch watch, void *data);

/* bound := what no inputs of the case's kind exceed without refresh: |v| <= 1, |u|^2 = 1 at most (free) or
   1/d (layer, u in a space of d-1 dimensions), r = d-1 - less; for products v plays no part. */
void growth_bound(arb_t bound, const growth_case *g, slong less, slong prec);

/* The finite set of the tables: d = 2, 3, 4, 32, lambda0 = 1/10, 1, 10, free inputs and the layer's,
   T = 10^3, 10^4; the cases with T = 10^3 and d <= 4 come first. */
enum { GROWTH_CASES = 48, GROWTH_QUICK = 18 };
void growth_case_at(growth_case *g, slong n, int product);
/* Whether this unit looks at case n: at quick the first GROWTH_QUICK, later a share of all.  Says so to
   the context. */
int growth_mine(const check_context *ctx, slong n);
void growth_sample(check_context *ctx);

/* Decides what the tables say of a norm: it is below the bound, and for d <= 4 above bound/part, else
   above the square root of the bound. */
void growth_decide(check_context *ctx, const arb_t norm, const growth_case *g, ulong part);

/* ---- the turn, with a constant tilt h, in the plane of two axes with m_f = R m_t, R >= 1, u elsewhere ----

   y = M^{1/2}s at the angle p from the first axis, b = (sin(p+h), cos(p+h)), key M^{1/2}b, v = 0: y' = y - c(y.b)b.
   The part of y across b stays, so |y'| = |y| cos h/cos(h-g) >= |y| exp(-g tan h), g the angle turned, and
   tan g >= c sin h cos h, c^-2 = 1 + (R+1/R-2) sin^2(2(p+h))/4 <= R.  With h <= pi/4, steps while p <= pi/2-h:
   at most 4 sqrt(R)/sin 2h + 1 of them, and at the end |y_t| >= factor |y|, |s_t| >= factor sqrt(R) |s_f|. */
/* factor := cos h exp(-(pi/2) tan h) */
void growth_turn_factor(arb_t factor, const fmpq_t tilt, slong prec);
/* An upper bound of 4 sqrt(R)/sin 2h + 1, rounded up; 0 if it cannot be told. */
slong growth_turn_steps(const arb_t ratio, const fmpq_t tilt, slong prec);
/* low := a lower bound of what a chain of links reaches, each of pump + turn steps, from first:
   first (factor sqrt R)^links, R = 1 + pump u2/lambda0; turn := growth_turn_steps. */
void growth_chain_lower(arb_t low, slong *turn, const arb_t first, slong links, slong pump,
                        const fmpq_t u2, const fmpq_t lambda0, const fmpq_t tilt, slong prec);

typedef struct {
    slong times; /* a factor that is 1 */
} turn_parameter;
void growth_check_turn(check_context *ctx, const void *parameter);
void growth_check_turn_run(check_context *ctx, const void *parameter);

extern const claim claim_vla_jacobian_product, claim_vla_state_norm;

#endif

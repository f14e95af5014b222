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

extern const claim claim_vla_jacobian_product, claim_vla_state_norm;

#endif

/* Shared by the claims on VLA: exact vectors, the layer run in Q by its recurrences, the layer's inputs
   as they are written in a claim, and the check that a published statement fails at one of them. */
#ifndef VLA_COMMON_H
#define VLA_COMMON_H

#include "theorems/claim.h"

#include <flint/fmpq_mat.h>
#include <flint/fmpq_poly.h>

/* What the layer can meet that is no number; never a verdict. */
typedef enum {
    LAYER_OK,
    LAYER_ZERO_KEY,   /* k = 0, or A k = 0: there is nothing to normalise */
    LAYER_IRRATIONAL, /* a norm is not rational */
    LAYER_SINGULAR,   /* 1 + u^T A u = 0, or a matrix without an inverse */
    LAYER_NOT_FINITE, /* NaN or infinite input */
    LAYER_BAD_SIZE    /* lists of numbers that do not fit each other */
} layer_status;
const char *layer_status_text(layer_status s);

/* ---- vectors [n] ---- */

void vla_dot(fmpq_t out, const fmpq *x, const fmpq *y, slong n);
/* out := x/|x|; LAYER_ZERO_KEY or LAYER_IRRATIONAL leave it undefined. */
layer_status vla_unit(fmpq *out, const fmpq *x, slong n);
/* out := a rational unit vector: the inverse stereographic projection of random rationals. */
void vla_random_unit(fmpq *out, exact_random *r, slong n, slong size);
/* out [n][n] := an orthogonal rational matrix: I - 2 w w^T/|w|^2 for a random w. */
void vla_random_frame(fmpq_mat_t out, exact_random *r, slong size);
/* out [d][d] := J^T J, J = I - a k^T. */
void vla_jacobian_gram(fmpq_mat_t out, const fmpq *a, const fmpq *k);

/* ---- numbers ---- */

/* square := (3-2c+sqrt(5-4c))/2: the largest eigenvalue of J^T J for unit a, k with a.k = c. */
void vla_norm_squared(arb_t square, const arb_t c, slong prec);
/* root := the largest real root of p (degree >= 1, with a real root), by bisection on Sturm's count,
   exact in Q; radius <= 2^-bits.  0 if p has no real root or is constant. */
int vla_largest_root(arb_t root, const fmpq_poly_t p, slong bits);

/* ---- the layer in Q, by its recurrences ---- */

typedef struct {
    slong d, m;                /* widths of keys and of values */
    fmpq_mat_t inverse, state; /* A [d][d], S [m][d] */
    fmpq *write;               /* the last a = A k/|A k| [d] */
} vla_layer_struct;
typedef vla_layer_struct vla_layer_t[1];

/* A = I/lambda0, S = 0; lambda0 != 0 */
void vla_layer_init(vla_layer_t l, slong d, slong m, const fmpq_t lambda0);
void vla_layer_clear(vla_layer_t l);
/* A := (A^-1 + factor u u^T)^-1 by the Sherman-Morrison formula. */
layer_status vla_layer_absorb(vla_layer_t l, const fmpq *u, const fmpq_t factor);
/* a := A k/|A k| */
layer_status vla_layer_direct(vla_layer_t l, const fmpq *k);
/* S += (v - S k) a^T */
void vla_layer_store(vla_layer_t l, const fmpq *k, const fmpq *v);
void vla_layer_refresh(vla_layer_t l, const fmpq_t delta);

/* ---- inputs of the published layer ---- */

/* Numbers separated by blanks.  features [tokens][d]: ELU+1 features before normalisation, each of a
   rational norm; directions [tokens][d]: W_u k_raw up to its length, u = direction/(|direction| sqrt d),
   0 for u = 0; values [tokens][m]; test [d] or NULL; refresh: what is added to A's diagonal after every
   every-th token, or NULL. */
typedef struct {
    slong d, m, tokens;
    const char *lambda0, *features, *directions, *values, *test, *refresh;
    slong every;
} vla_inputs;

typedef struct {
    slong d, m, tokens, every;
    fmpq_t lambda0, refresh;
    fmpq *features, *keys, *directions, *factors, *values,
        *test; /* factors [tokens]: |u|^2/|direction|^2 */
    int refreshed;
} vla_case_struct;
typedef vla_case_struct vla_case_t[1];

/* Always to be cleared; the numbers are usable only if LAYER_OK. */
layer_status vla_case_init(vla_case_t c, const vla_inputs *inputs);
void vla_case_clear(vla_case_t c);
/* Runs the first count tokens; write: also directs and stores. */
layer_status vla_case_run(vla_layer_t l, const vla_case_t c, slong count, int write);

/* What a witness of some kind says of a case, by the layer's recurrences. */
typedef layer_status (*vla_quantity)(fmpq_t out, const vla_case_t c);
layer_status vla_gain(fmpq_t out, const vla_case_t c);    /* |J_T x|^2/|x|^2 */
layer_status vla_product(fmpq_t out, const vla_case_t c); /* |J_T ... J_1|_F^2 */
layer_status vla_excess(fmpq_t out, const vla_case_t c);  /* objective at S_T over its minimum */
layer_status vla_recall_error(fmpq_t out, const vla_case_t c); /* |S_T k_1 - v_1|^2 */
layer_status vla_overlap(fmpq_t out, const vla_case_t c);      /* (a_T.k_1)^2 */
layer_status vla_contraction(fmpq_t out, const vla_case_t c);  /* k_T^T(A_{T-1}-A_T)k_T */
layer_status vla_refresh_gap(fmpq_t out, const vla_case_t c);  /* |A_T(lambda0 I+sum uu^T)-I|_F^2 */

typedef struct {
    const vla_inputs *inputs;
    const char *label, *witness, *kind;
    vla_quantity quantity;
    relation rel; /* what the published statement says of the quantity */
    const char *rhs;
} vla_published;

/* Decides the published relation at the inputs; where it fails, a witness goes to the reports.  The
   quantity comes by the recurrences and by the replay, which shares nothing with them; if they differ
   or there is none, nothing is decided. */
void vla_check_published(check_context *ctx, const void *parameter);

/* x := the rational spelled by a constant of the program. */
void vla_rational(fmpq_t x, const char *text);
/* Makes the check undecided: for statuses. */
void vla_undecidable(check_context *ctx, const char *label);

extern const claim claim_vla_jacobian_norm, claim_vla_jacobian_vanishing,
    claim_vla_sherman_morrison, claim_vla_least_squares, claim_vla_recall, claim_vla_deltanet_gate,
    claim_vla_scan, claim_vla_cost;

#endif

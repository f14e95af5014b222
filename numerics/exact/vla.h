/* Variational linear attention, rigorously:

       M_t = M_{t-1} + u u^T,  M_0 = lambda0 I,  A = M^{-1},  k := f/|f|,  a = A_t k/|A_t k|,
       S_t = S_{t-1} + (v - S_{t-1} k) a^T,     S in R^{rows x dim},

   where f is a key of any length (the layer's features), and A + delta I may replace A (refresh). */
#ifndef EXACT_VLA_H
#define EXACT_VLA_H

#include "numerics/exact/flint_arb.h"

typedef enum {
    VLA_OK,
    VLA_BAD_ARGUMENT, /* a shape, a precision, lambda0 <= 0, delta < 0, a NaN or an infinity */
    VLA_ZERO_KEY,     /* the key, or the direction to be normalised, may be 0 */
    VLA_LOST          /* the enclosure of A is too wide: more precision is needed */
} vla_status;
const char *vla_status_text(vla_status status);

/* ---- a run at fixed precision, certified as a whole ----

   Midpoints of A and S are exact dyadic numbers; a step treats them as exact, encloses the exact step,
   and takes the midpoints of what comes out.  The radii, one step's residuals rho_A, rho_S in the
   Frobenius norm, are carried on in norms in which the exact step does not expand.

   A.  With (1-e)A <= A^ <= (1+e)A in Loewner order: inversion reverses the order and adding u u^T keeps
   (1+e)^{-1}M + u u^T >= (1+e)^{-1}(M + u u^T) and its mirror image, so the update keeps e; so does
   A + delta I.  A local error E obeys |E| <= rho_A I <= rho_A |M_t| A_t:  e += rho_A |M_t|, and
   |M_t| <= lambda0 + sum |u|^2.
   S.  D = S^-S obeys D' = D(I - k a^T) + e^(a^-a)^T + local, e^ = v-S^k.  With |D|_M^2 = tr(D M D^T),
   |s(I - k a^T)|_M^2 = |s|_M^2 - (s.k)^2(2-a.k)/|A k| <= |s|_M^2, and going from M_{t-1} to M_t costs a
   factor 1 + u^T A_{t-1} u at most.  With g = k^T A k: |(A^-A)k|_M <= e sqrt g, so
   |a^-a|_M <= e sqrt g/|A^k| (1 + sqrt(|A|g)/|A k|).  Hence
       eta += |e^| |a^-a|_M + sqrt|M_t| rho_S   after   eta *= sqrt(1 + u^T A_{t-1} u),
   and |D|_F <= eta sqrt|A|, |A| <= 1/lambda0 + sum delta.  Every bound is rounded upwards. */
typedef struct {
    slong rows, dim, prec, steps;
    arb_ptr a;       /* [dim][dim] symmetric, radii 0 */
    arb_ptr s;       /* [rows][dim], radii 0 */
    mag_t a_error;   /* e */
    mag_t s_error;   /* eta */
    mag_t m_upper;   /* >= |M_t| */
    mag_t a_upper;   /* >= |A_t| */
    arb_t lambda0;   /* as given */
    arb_t growth;    /* prod (1 + u^T A_{t-1} u) */
    arb_t u_squares; /* sum |u_t|^2 */
    arb_t v_squares; /* sum |v_t|^2 */
    arb_t residuals; /* sum |v_t - S_{t-1} k_t| */
    arb_ptr work;    /* 4 dim + rows + 8 */
} vla_run_struct;
typedef vla_run_struct vla_run_t[1];

/* S = 0, A = I/lambda0; 64 <= prec <= 2^20, 1 <= rows, dim <= 4096.  On failure nothing is to be
   cleared. */
vla_status vla_run_init(vla_run_t run, const fmpq_t lambda0, slong rows, slong dim, slong prec);
void vla_run_clear(vla_run_t run);

/* S := the given matrix [rows][dim], whose radii count as errors. */
vla_status vla_run_set_state(vla_run_t run, arb_srcptr s);

/* One step: key [dim] of any length > 0, u [dim] (0 is allowed), v [rows]; balls.  VLA_BAD_ARGUMENT
   and VLA_ZERO_KEY leave the run as it was; after VLA_LOST it is of no further use. */
vla_status vla_run_step(vla_run_t run, arb_srcptr key, arb_srcptr u, arb_srcptr v);

/* A += delta I, delta >= 0. */
vla_status vla_run_refresh(vla_run_t run, const fmpq_t delta);

/* norm := an enclosure of |S_t|_F; its radius is that of s_error sqrt(a_upper). */
void vla_run_norm(arb_t norm, const vla_run_t run);
/* s := S_t, [rows][dim] with radii. */
void vla_run_state(arb_ptr s, const vla_run_t run);

/* ---- the same by brute force: entrywise balls, M kept and solved with ----

   state := S_T from keys [steps][dim], u [steps][dim], v [steps][rows] and the initial state (NULL: 0).
   Each step may cost a bit or two of the precision (wrapping).  No refresh. */
vla_status vla_brute(arb_ptr state, const fmpq_t lambda0, slong steps, slong rows, slong dim,
                     arb_srcptr keys, arb_srcptr u, arb_srcptr v, arb_srcptr initial, slong prec);

/* ---- bounds ----

   bound := an enclosure of sqrt(v2) (1 + u2/(r lambda0))^{r/2}, r = min(rank, dim-1), (1 when r = 0):
   no smaller than |S_T|_F where v2 = sum |v_t|^2, u2 = sum |u_t|^2, rank = dim span{u_t}; with v2 = 1 no
   smaller than the norm of the product of the Jacobians.  Without refresh.  Proofs: vla.state-norm,
   vla.jacobian-product. */
void vla_bound(arb_t bound, const arb_t v2, const arb_t u2, const fmpq_t lambda0, slong rank,
               slong dim, slong prec);

/* ---- largest singular values, two ways that share nothing ----

   of s [rows][dim].  trace: lambda = |s^T s| obeys (tr G^n/dim)^{1/n} <= lambda <= (tr G^n)^{1/n}, n a
   power of 2, by repeated squaring.  pivots: a Rayleigh quotient below; above, lambda I - G is shown to
   be positive definite by its Cholesky pivots.  Both give relative radii of about 2^-20 if the entries
   are known well enough; a ball that is not finite where the matrix is not, or 0. */
void vla_norm_trace(arb_t norm, arb_srcptr s, slong rows, slong dim, slong prec);
void vla_norm_pivots(arb_t norm, arb_srcptr s, slong rows, slong dim, slong prec);

#endif

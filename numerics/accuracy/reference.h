/* Certified references of the kernels: balls around the exact outputs and final states that
 * mneme.h defines, for the same arguments.  Inputs are exact binary numbers, so the exact result
 * is a number; nothing of the library's code is used.
 *
 * There are two paths, which share nothing but Arb's exponential, root and inverse of scalars.
 * Double-doubles with error bounds carried beside them serve ordinary inputs at ordinary lengths in seconds.  Ball arithmetic of as much
 * precision as it takes serves what they leave open (outputs and states that overflow, underflow
 * or lose too much), head by head, for sums over the past row by row: those as masked sums over
 * s <= t, the delta rule and VLA by their recurrences. */
#ifndef ACCURACY_REFERENCE_H
#define ACCURACY_REFERENCE_H

#include "numerics/exact/flint_arb.h"
#include "numerics/kernels/mneme.h"

/* Balls are at most 2^-REFERENCE_BITS of their row's scale wide, the scale as each function
 * says. */
enum { REFERENCE_BITS = 60, REFERENCE_MAX_PRECISION = 1 << 15 };

typedef enum {
    REFERENCE_OK,
    REFERENCE_BAD_ARGUMENT, /* sizes, offsets, banks or pointers that mn_run refuses too */
    REFERENCE_NOT_FINITE,   /* an input is NaN or infinite (a gate of e^-inf = 0 is fine) */
    REFERENCE_UNDECIDED, /* at the largest precision a ball is still too wide: a divisor or A k may be 0 */
    REFERENCE_STOPPED /* by the caller, see reference_options */
} reference_status;

typedef enum { REFERENCE_EITHER, REFERENCE_DOUBLES, REFERENCE_BALLS } reference_path;

typedef struct {
    reference_path path; /* one only: what double-doubles leave open is REFERENCE_UNDECIDED then */
    /* Called now and then with the share that is done, by one thread at a time; stops the
     * computation by returning false.  NULL: none. */
    bool (*watch)(double done, void *data);
    void *data;
} reference_options;

/* What a token of a key head did, in the order [batch][time][kv_heads]: upper bounds (delta rule
 * and VLA). */
typedef struct {
    double error;   /* |e_t| */
    double state;   /* |S_t|_F */
    double inverse; /* VLA: |A_t|_F after u_t, before a refresh */
    double stretch; /* VLA: u_t.A_{t-1} u_t */
} reference_token;

typedef struct {
    slong rows, width; /* batch x time x heads, dv */
    arb_ptr o;         /* [rows][width] */
    arb_ptr
        divisor; /* [rows] scale times the weights' sum, where the outputs are normalised; or NULL */
    slong states; /* floats in the state blob, in its order */
    arb_ptr state;
    slong tokens;
    reference_token *token;
    slong precision; /* that was enough: bits of balls, 106 where double-doubles were */
} reference_struct;
typedef reference_struct reference_t[1];

void reference_init(reference_t r);
void reference_clear(reference_t r);

/* r := the exact outputs and final state, on args->threads threads (0: OpenMP's default); the
 * result does not depend on their number.  options NULL: the defaults.
 * Widths are at most 2^-REFERENCE_BITS
 *     for sums, of the largest element of the row of reference_scale, or of the row's absolute
 *         weights' sum times the largest |v| (over the divisor's size where normalised), and for
 *         their states of the largest such sum in the head's state;
 *     for the recurrences, of |scale| |q| max_{s<=t} |S_s|_F (likewise), and of that maximum and
 *         |A|_F for their states.
 * r is left empty on any status but REFERENCE_OK. */
reference_status reference_attention(reference_t r, const mn_args *args);

/* The sums that error bounds are made of: the same ones on absolute values of q, k, v, scale,
 * lambda, weights and state_in. Outputs are not divided; r->divisor holds their divisors' sums.
 * Softmax: sum p_s |v_s| with its true weights p.  Known to 30 bits of the largest element of the
 * row, or of the head's state.  Not for the delta rule and VLA (REFERENCE_BAD_ARGUMENT). */
reference_status reference_scale(reference_t r, const mn_args *args);

/* The same with options; NULL: none. */
reference_status reference_attention_with(reference_t r, const mn_args *args,
                                          const reference_options *options);
reference_status reference_scale_with(reference_t r, const mn_args *args,
                                      const reference_options *options);

/* Convolutions: rows batch x time, width channels; state [batch][modes][channels]. */
reference_status reference_convolution(reference_t r, const mn_convolution *c);
reference_status reference_convolution_scale(reference_t r, const mn_convolution *c);

const char *reference_status_text(reference_status status);

#endif

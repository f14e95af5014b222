/* Gradients of the kernels: vector-Jacobian products of the exact functions that mneme.h defines.
 * For cotangents d_o of the outputs and d_state of the final state, the derivative of
 *     sum d_o o + sum d_state state_out
 * by every input that is a number: as certified balls, as sums on absolute values (of which error
 * bounds are made), and in float arithmetic (a twin: what a plain right program attains).
 *
 * All three run the same passes, written once over a table of arithmetic; tests run them in
 * rational numbers too.  Gates are given by their logarithm: dg = e^g d(e^g), 0 at g = -inf.
 * Where the functions have no derivative this is returned:
 *   - a divisor (normalise) that is 0: its row of o is 0 by definition and gives 0;
 *   - VLA, A_t k_t = 0: nothing is written; A_t k_t counts as a constant there. */
#ifndef ACCURACY_GRADIENT_H
#define ACCURACY_GRADIENT_H

#include "numerics/accuracy/reference.h"

/* Gradients have their input's shape, packed (strides of the input do not matter): */
typedef enum {
    GRADIENT_Q,         /* [batch][time][heads][dk] */
    GRADIENT_K,         /* [batch][past + time][kv_heads][dk]; grouped heads add up */
    GRADIENT_V,         /* [batch][past + time][kv_heads][dv] */
    GRADIENT_G,         /* [batch][time][kv_heads] */
    GRADIENT_GATE_KEYS, /* [batch][time][kv_heads][dk] */
    GRADIENT_BETA,      /* [batch][time][kv_heads] */
    GRADIENT_U,         /* [batch][time][kv_heads][dk] */
    GRADIENT_LAMBDA,    /* [batch][time][heads][levels]; levels that no token has: 0 */
    GRADIENT_WEIGHTS,   /* [banks][modes] */
    GRADIENT_NODES,     /* [banks][modes] */
    GRADIENT_SCALE,     /* [1]; 0 with normalise, which scale drops out of */
    GRADIENT_LAMBDA0,   /* [1] VLA; 0 with state_in, which replaces lambda0 */
    GRADIENT_STATE,     /* the floats of state_in, in its layout.  VLA: A counts as symmetric (A +
                           A^T) / 2, and its gradient is symmetric.  Log-linear: 0 for the blocks
                           that the position does not have. */
    GRADIENT_X,         /* convolutions: [batch][time][channels] */
    GRADIENT_KERNEL,    /* convolutions: [kernel_length] */
    GRADIENT_PARTS
} gradient_part;

/* "dq", "dk", ..., "dstate"; the names under which they are read and written. */
const char *gradient_name(gradient_part part);
/* Elements of a part; 0 where the kernel does not have it or the input is absent (g, gate_keys,
 * beta, lambda, state_in).  GRADIENT_SCALE exists for every kernel. */
int64_t gradient_count(const mn_args *args, gradient_part part);
/* Whether the call has that part, be it of no elements where there are no tokens. */
bool gradient_exists(const mn_args *a, gradient_part part);
int64_t gradient_convolution_count(const mn_convolution *c, gradient_part part);

typedef struct {
    slong count[GRADIENT_PARTS];
    arb_ptr part[GRADIENT_PARTS]; /* [count], NULL where count = 0 */
    slong precision;              /* that was enough */
    /* Of gradient_scale only, the largest of: sum |weights| / |divisor| and |d_o| / |divisor|
     * (normalise); |scale| |q|.|k| and keys of a row (softmax).  0 elsewhere. */
    double condition, cotangent, score, keys;
} gradient_struct;
typedef gradient_struct gradient_t[1];

void gradient_init(gradient_t r);
void gradient_clear(gradient_t r);

/* r := the gradients.  d_o packed [batch][time][heads][dv]; d_state: the state blob's floats in
 * its order, NULL: 0 (and for softmax, which has none).
 * Widths: at most 2^-REFERENCE_BITS of the product of the norms that meet in an element's last
 * sum, norms of states and of their gradients taken as the largest so far in their pass: for dq
 * |S| |d_o|; dk |dS| |v|; dv |dS| |k|; dg |dS| |S|, and so on; or, for log-linear, VORT and
 * softmax attention, of that sum on absolute values.  Nothing is said of relative accuracy where
 * an element is much smaller than that.
 * Time O(T dk dv) per head for linear attention, the delta rule and VLA, with O(sqrt(T) dk dv)
 * balls of memory beside inputs and results; O(T^2 (dk + dv)) for the others.  Precision hardly
 * grows with T: see gradient_steps.c.  Heads run on args->threads threads (0: OpenMP's default);
 * the balls do not depend on their number. r is left empty on any status but REFERENCE_OK. */
reference_status gradient_attention(gradient_t r, const mn_args *args, const float *d_o,
                                    const float *d_state);
/* Parts X, WEIGHTS, NODES or KERNEL, STATE.  d_y packed [batch][time][channels], d_state like
 * c->state_out. */
reference_status gradient_convolution(gradient_t r, const mn_convolution *c, const float *d_y,
                                      const float *d_state);

/* The same sums on absolute values of everything, for the kernels that are sums: not for the delta
 * rule and VLA (REFERENCE_BAD_ARGUMENT).  Upper bounds; what they bound is said in
 * gradient_bounds.c. */
reference_status gradient_scale(gradient_t r, const mn_args *args, const float *d_o,
                                const float *d_state);
reference_status gradient_convolution_scale(gradient_t r, const mn_convolution *c, const float *d_y,
                                            const float *d_state);

/* The arithmetic of the program whose gradients are judged. */
typedef struct {
    double unit;  /* unit roundoff: 2^-24 float32, 2^-11 float16, 2^-8 bfloat16; 0: exact */
    double least; /* smallest positive number: 2^-149 float32, 2^-24 float16, 2^-133 bfloat16 */
} gradient_format;
typedef struct {
    gradient_format accumulate; /* of sums and states */
    gradient_format operand;    /* what factors of products are rounded to beside that */
    gradient_format output;     /* what gradients are rounded to in the end */
    /* That a product meets in `accumulate` on its way into a gradient, at most; 0:
     * gradient_roundings.  (In `operand` it meets 8 at most.) */
    double roundings;
} gradient_arithmetic;

/* Roundings for any order of summation: token by token, in chunks, with dg as the reverse
 * cumulative sum of q.dq - k.dk; dweights, dnodes and dscale as a sum over tokens, heads and
 * batches of sums over the past.  Derived in gradient_bounds.c. */
double gradient_roundings(const mn_args *args, gradient_part part);
double gradient_convolution_roundings(const mn_convolution *c, gradient_part part);

/* bound[part]: a priori bounds of |error| per element, freed by gradient_bounds_clear; +inf
 * throughout for the delta rule and VLA (scale: NULL) and where a divisor is not clear of 0. */
typedef struct {
    slong count[GRADIENT_PARTS];
    double *part[GRADIENT_PARTS];
} gradient_bounds_struct;
typedef gradient_bounds_struct gradient_bounds_t[1];
void gradient_bounds_init(gradient_bounds_t b);
void gradient_bounds_clear(gradient_bounds_t b);
void bounds_gradient(gradient_bounds_t b, const mn_args *args, const float *d_o,
                     const float *d_state, const gradient_struct *scale,
                     const gradient_arithmetic *arithmetic);
void bounds_gradient_convolution(gradient_bounds_t b, const mn_convolution *c, const float *d_y,
                                 const float *d_state, const gradient_struct *scale,
                                 const gradient_arithmetic *arithmetic);

/* The twin: the same passes in float32, token after token.  round, if not NULL, is applied to both
 * factors in inner and outer products (float16 or bfloat16 operands; sums, states and their decay
 * stay float32). */
typedef struct {
    slong count[GRADIENT_PARTS];
    float *part[GRADIENT_PARTS];
} gradient_twin_struct;
typedef gradient_twin_struct gradient_twin_t[1];
void gradient_twin_init(gradient_twin_t r);
void gradient_twin_clear(gradient_twin_t r);
reference_status gradient_twin(gradient_twin_t r, const mn_args *args, const float *d_o,
                               const float *d_state, float (*round)(float));
reference_status gradient_twin_convolution(gradient_twin_t r, const mn_convolution *c,
                                           const float *d_y, const float *d_state,
                                           float (*round)(float));

#endif

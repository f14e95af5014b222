/* SPDX-License-Identifier: MIT
 *
 * libmneme: float32 kernels of long-memory sequence models.
 *
 * Every kernel reads queries, keys and values [batch][time][head][dim] and writes outputs of the
 * same layout:
 *
 *     mn_args a = {.kernel = MN_LINEAR, .batch = 1, .time = T, .heads = H, .dk = d, .dv = d,
 *                  .q = {q}, .k = {k}, .v = {v}, .o = {o}, .state_out = state};
 *     a.workspace = malloc(mn_workspace_size(&a, MN_CHUNK)), a.workspace_size = ...;
 *     mn_status s = mn_run(&a, MN_CHUNK, &error);
 *
 * A sequence may be cut anywhere: pass one call's state_out as the next one's state_in. The
 * library allocates nothing, prints nothing, never aborts and leaves the floating-point
 * environment alone. Results do not depend on the number of threads, bit for bit. The error
 * bound of each kernel stands at the end of its source file.
 * */
#ifndef MNEME_H
#define MNEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define MN_VERSION "1.0.0"

/* scale defaults to dk^{-1/2}; a token's S is dk x dv.
 *   linear      S_t = diag(e^{g_t}) S_{t-1} + k_t v_t^T,  o_t = scale S_t^T q_t;
 *               the gate g per token, per key, or absent
 *   delta       S' = e^{g_t} S_{t-1},  S_t = S' + beta_t k_t (v_t - S'^T k_t)^T,
 *               o_t = scale S_t^T q_t
 *   VLA         A_t = (A_{t-1}^{-1} + u_t u_t^T)^{-1},  A_0 = I / lambda0,  a_t = A_t k_t / |A_t k_t|,
 *               S_t = S_{t-1} + a_t (v_t - S_{t-1}^T k_t)^T,  o_t = scale S_t^T q_t
 *   log-linear  o_t = scale sum_{s<=t} lambda_t[level(t,s)] e^{g_{s+1}+...+g_t} (q_t.k_s) v_s,
 *               level(t,s) = bit length of t XOR s, positions counted from the sequence's start
 *   VORT        o_t = scale sum_{s<=t} w^{(bank_s)}_{t-s} (q_t.k_s) v_s,
 *               w^{(b)}_j = sum_m weights[b][m] nodes[b][m]^j
 *   softmax     o_t = sum_{s<=t} p_s v_s,  p = softmax over s of scale q_t.k_s */
typedef enum {
    MN_LINEAR,
    MN_DELTA,
    MN_VLA,
    MN_LOGLINEAR,
    MN_VORT,
    MN_SOFTMAX,
    MN_KERNELS
} mn_kernel;

typedef enum {
    MN_REFERENCE, /* the definition, in plain C */
    MN_STEP,      /* token by token, the state updated in place: decoding */
    MN_CHUNK      /* blocks of tokens through matrix products: prefill */
} mn_method;

typedef enum { MN_BEST, MN_GENERIC, MN_AVX2, MN_AVX512, MN_ISAS } mn_isa;

typedef enum {
    MN_OK,
    MN_BAD_SHAPE,       /* a size is out of range, or sizes do not fit each other */
    MN_BAD_ARGUMENT,    /* a pointer is missing, or one is given that the kernel has no use for */
    MN_BAD_VALUE,       /* a parameter is out of its range */
    MN_BAD_OFFSETS,     /* segment offsets do not rise from 0 to time */
    MN_BAD_STATE,       /* a state blob is misaligned, overlaps, or has an impossible position */
    MN_TOO_FEW_LEVELS,  /* lambda has fewer levels than the last position needs */
    MN_SMALL_WORKSPACE, /* fewer bytes than mn_workspace_size asks for, or none */
    MN_NO_ISA           /* the machine lacks the instruction set asked for */
} mn_status;

/* What was wrong: the argument's name, what was found, what is needed (0 where numbers do not
 * apply). */
typedef struct {
    mn_status status;
    const char *argument;
    int64_t found, needed;
} mn_error;

/* Strides in elements between batches, time steps and heads; the last dimension is contiguous.
 * All three zero: packed in the order [batch][time][head][dim]. */
typedef struct {
    const float *data;
    int64_t batch, time, head;
} mn_input;
typedef struct {
    float *data;
    int64_t batch, time, head;
} mn_output;
typedef struct {
    const int32_t *data;
    int64_t batch, time, head;
} mn_index;

typedef struct {
    mn_kernel kernel;
    int64_t batch, time;
    /* heads of q, o and lambda; kv_heads (0: heads) of everything else and of states, a divisor
     * of heads: query head h reads key head h kv_heads / heads. */
    int64_t heads, kv_heads;
    int64_t dk, dv;

    /* Several sequences one after another along time (batch = 1): sequence n is
     * [offsets[n], offsets[n+1]), segments + 1 offsets from 0 to time.  0: each batch entry is one. */
    int64_t segments;
    const int64_t *offsets;

    mn_input q, k; /* dk */
    mn_input v;    /* dv */
    mn_output o;   /* dv */
    /* Natural logarithm of the gate, <= 0, -inf allowed: one per token (linear, delta,
     * log-linear), or one per key, dk (linear).  Absent: gates of 1. */
    mn_input g, gate_keys;
    mn_input beta;   /* delta: one per token; absent: 1 */
    mn_input u;      /* VLA: dk */
    mn_input lambda; /* log-linear: levels; absent: 1 */
    mn_index bank;   /* VORT: one per token, in [0, banks) */

    float scale; /* 0: dk^{-1/2} */
    /* Linear, VORT: o_t over the sum of the weights that it gives to values; VLA: over
     * q_t.(k_1 + ... + k_t).  0 where the divisor is 0. */
    bool normalise;
    float lambda0; /* VLA: > 0 */
    /* VLA: A += refresh I after every refresh_every-th token of the sequence (0: never). */
    float refresh;
    int64_t refresh_every;
    /* Log-linear: levels of lambda and of the state, 1 ... 63; the sequence's last position p needs
     * the bit length of p, plus 1. */
    int64_t levels;
    /* VORT: weights and nodes [banks][modes], 0 <= node <= 1. */
    int64_t banks, modes;
    const float *weights, *nodes;
    /* Softmax: k and v have this many rows in front of the first query's (no segments then). */
    int64_t past;

    /* One blob for all sequences and key heads: mn_state_size bytes, aligned to 8.  NULL: zero in
     * front, not wanted after.  Layout [sequence][kv_head] of
     *   linear      S [dk][dv], with normalise also the sum of keys [dk]
     *   delta       S [dk][dv]
     *   VLA         S [dk][dv], A [dk][dk], with normalise also the sum of keys [dk]
     *   log-linear  S [levels][dk][dv]: level l is the block of 2^(l-1) positions at its bit of
     *               the position, 0 where that bit is not set
     *   VORT        S [banks][modes][dk][dv], with normalise also [banks][modes][dk]
     * and, for VLA and log-linear, after all of them (at the next multiple of 8 bytes) the
     * sequences' positions, int64_t.  state_in = state_out updates in place; otherwise they must
     * not overlap. */
    const void *state_in;
    void *state_out;

    mn_isa isa;
    int threads; /* 0: OpenMP's default */
    void *workspace;
    size_t workspace_size;
} mn_args;

/* Bytes of the state blob and of the workspace (any alignment) that mn_run needs; 0 also when
 * the shape is wrong. The workspace depends on the number of threads. */
size_t mn_state_size(const mn_args *args);
size_t mn_workspace_size(const mn_args *args, mn_method method);

/* Runs a kernel.  Arguments are checked first: on any status but MN_OK nothing has been written.
 * Values are not inspected: NaN and infinities go where arithmetic takes them, never to an
 * earlier token or another head. */
mn_status mn_run(const mn_args *args, mn_method method, mn_error *error);

/* One line for people: "lambda: 8 levels found, 9 needed (...)".  Returns buffer. */
char *mn_error_text(const mn_error *error, char *buffer, size_t size);
const char *mn_kernel_name(mn_kernel kernel); /* "linear", ... */
const char *mn_isa_name(mn_isa isa);
bool mn_isa_usable(mn_isa isa); /* compiled in, and the machine has it */
mn_isa mn_isa_best(void);

/* Convolution with a sum of exponentials or with weights given one by one, channel by channel:
 *     y_t = sum_{j<=t} w_j x_{t-j},   w_j = sum_m weights[m] nodes[m]^j   or   w_j = kernel[j]
 *         (0 from kernel_length on).
 * x, y [batch][time][channels], strides as above (head unused).  State [batch][modes][channels]:
 * sum_j nodes^j x_{t-j}. */
typedef struct {
    int64_t batch, time, channels;
    mn_input x;
    mn_output y;
    int64_t modes;
    const float *weights, *nodes; /* modes > 0 */
    int64_t kernel_length;
    const float *kernel; /* modes = 0: direct, no state, MN_REFERENCE or MN_CHUNK */
    const float *state_in;
    float *state_out;
    mn_isa isa;
    int threads;
    void *workspace;
    size_t workspace_size;
} mn_convolution;
size_t mn_convolution_state_size(const mn_convolution *c);
size_t mn_convolution_workspace_size(const mn_convolution *c, mn_method method);
mn_status mn_convolve(const mn_convolution *c, mn_method method, mn_error *error);

/* Small parts; rows are contiguous.  In place (x = y) is allowed. */

/* ln(1 + e^x) within 1 ulp + 2^-149; +inf to +inf, -inf to 0, NaN to NaN. */
float mn_softplus(float x);
/* x + 1 for x > 0, e^x otherwise (ELU + 1). */
void mn_elu1(int64_t n, const float *x, float *y);
/* Each row over its Euclidean norm; rows of norm 0 stay 0.  No overflow or underflow inside. */
void mn_normalise(int64_t rows, int64_t dim, const float *x, float *y);
/* Positive random features phi(x)_i = exp(omega_i.x - |x|^2/2) / sqrt(features):
 * E[phi(q).phi(k)] = e^{q.k} for omega_i ~ N(0, I).  omega [features][dim], x [rows][dim], y
 * [rows][features]; x and y apart. */
void mn_random_features(int64_t rows, int64_t dim, int64_t features, const float *omega,
                        const float *x, float *y);
/* Fractional order of a token: alpha = delta + (1 - delta) / (1 + e^z), z = entropy_weight
 * entropy - entity_weight entity - bias. Weights >= 0.  Falls with entropy, rises with entity
 * (in float arithmetic too), and lies in [delta, 1] for every input; infinite entropy with
 * weight 0 counts as 0, a NaN z gives delta. */
float mn_route(float entropy, float entity, float delta, float entropy_weight, float entity_weight,
               float bias);
/* Nearest bank: the i that minimises |alpha - orders[i]|, the first one at a tie; 0 for NaN. */
int32_t mn_nearest_bank(float alpha, int64_t banks, const float *orders);
enum { MN_MLP_LEVELS = 64 };
/* lambda = softplus(act(d W1 + b1) W2 + b2), per row, for at most MN_MLP_LEVELS levels; act =
 * identity or softplus.  Products are summed in double and results saturate at FLT_MAX: finite
 * inputs give finite outputs. d [rows][levels], w1 [levels][width], b1 [width] or NULL, w2
 * [width][levels], b2 [levels], lambda [rows][levels]. */
mn_status mn_lambda_mlp(int64_t rows, int64_t levels, int64_t width, const float *d,
                        const float *w1, const float *b1, int inner_softplus, const float *w2,
                        const float *b2, float *lambda);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

/* Shared by the gradients: arithmetic as a table, one head's arrays, and the passes. */
#ifndef ACCURACY_GRADIENT_PASS_H
#define ACCURACY_GRADIENT_PASS_H

#include "numerics/accuracy/gradient.h"

/* A number of the table's type; vectors are arrays of them. */
typedef void number;

/* Arithmetic: balls, absolute values (balls that hold upper bounds), floats; tests bring rational
 * numbers.  Results may be operands.  In absolute values differences are sums and every operand
 * stands for its largest absolute value. */
typedef struct gradient_field {
    size_t size;
    bool absolute;
    slong prec;            /* of balls */
    float (*round)(float); /* of factors of inner and outer products in floats, or NULL */

    number *(*init)(slong n); /* zeros */
    void (*clear)(number *x, slong n);
    void (*set)(number *z, const number *x, slong n);
    void (*set_si)(number *z, slong x);
    bool (*is_zero)(const number *x); /* surely */
    void (*add)(const struct gradient_field *f, number *z, const number *x, const number *y,
                slong n);
    void (*sub)(const struct gradient_field *f, number *z, const number *x, const number *y,
                slong n);
    /* z := c x,  z += c x. */
    void (*scale)(const struct gradient_field *f, number *z, const number *x, const number *c,
                  slong n);
    void (*addmul)(const struct gradient_field *f, number *z, const number *x, const number *c,
                   slong n);
    /* z := initial (NULL: 0) +- sum x_i y_i, with steps between elements. */
    void (*dot)(const struct gradient_field *f, number *z, const number *initial, int subtract,
                const number *x, slong x_step, const number *y, slong y_step, slong n);
    /* z := x / c; false where c may be 0. */
    bool (*div)(const struct gradient_field *f, number *z, const number *x, const number *c,
                slong n);
    /* z := Euclidean norm of x; false where it may be 0, or is no number of the type. */
    bool (*length)(const struct gradient_field *f, number *z, const number *x, slong n);
    /* z := e^(x_i - m), m near the largest x_i (the sums of softmax do not depend on it). */
    void (*exp)(const struct gradient_field *f, number *z, const number *x, slong n);
    /* An upper bound of the Euclidean norm; whether all are known to 2^-REFERENCE_BITS scale. */
    double (*norm)(const number *x, slong n);
    bool (*narrow)(const number *x, slong n, double scale);

    /* Balls alone, NULL elsewhere; in units of 2^-prec.  An upper bound of the Euclidean norm of
     * the radii, which become 0; z := x with radii larger by error; |X^-1|_F for symmetric X
     * [n][n] (not in those units), +inf where it is not surely positive. */
    double (*strip)(const struct gradient_field *f, number *x, slong n);
    void (*inflate)(const struct gradient_field *f, number *z, const number *x, slong n,
                    double error);
    double (*inverse_norm)(const number *x, slong n);

    /* From floats (false: one is not finite); a gate e^g (false: NaN or +inf); n^(-1/2).  A
     * result into the caller's array. */
    bool (*load)(number *z, const float *x, slong n);
    bool (*gate)(const struct gradient_field *f, number *z, float g);
    void (*rsqrt)(const struct gradient_field *f, number *z, slong n);
    void (*store)(number *z, const number *x, slong n);
} gradient_field;

extern const gradient_field gradient_balls, gradient_absolute, gradient_floats;

static inline number *gradient_at(const gradient_field *f, const number *x, int64_t i) {
    return (char *)x + i * (int64_t)f->size;
}

/* One key head of one sequence: inputs, cotangents, results.  Arrays in the order of mneme.h with
 * this head's part only, query heads [group] where they have one; absent: NULL. */
typedef struct {
    const gradient_field *f;
    const gradient_field *exact; /* of softmax's scores: f, but for absolute values */
    mn_kernel kernel;
    int64_t length, group, dk, dv;
    int64_t past, levels, banks, modes; /* past: softmax's */
    int64_t position, refresh_every;
    bool normalise;
    number *q, *k, *v;                   /* [length][group][dk]; [past + length][dk], [dv] */
    number *gate, *gate_keys, *beta, *u; /* gates as factors: [length], [length][dk] */
    number *lambda, *weights, *nodes;    /* [length][group][levels]; [banks][modes] */
    const int32_t *bank;                 /* [length] */
    number *scale, *lambda0, *refresh;
    number *state_in, *d_o, *d_state;
    number *d[GRADIENT_PARTS]; /* results, zero in front; NULL: not wanted */
    /* [length][group] with normalise: found by exact passes, used by absolute ones. */
    number *divisor;
    double condition, cotangent, score, keys; /* as in gradient_struct, of this head */
} gradient_head;

/* Numbers of state of one head. */
int64_t gradient_head_floats(const gradient_head *h);

/* row := the cotangents of the numerators N [dv] and of the divisor n = N[dv] of o = N / n, for
 * the row at [length][group] and its d_o; 0 where n = 0. */
reference_status gradient_quotient(gradient_head *h, number *row, number *numerators, int64_t at);

/* Linear, delta, VLA; log-linear, VORT, softmax. */
reference_status gradient_recurrence(gradient_head *h);
reference_status gradient_sum(gradient_head *h);

/* One channel of a convolution: y_t = sum_j w_j x_{t-j} + sum_m weights_m nodes_m^(t+1)
 * state_in_m. */
typedef struct {
    const gradient_field *f;
    int64_t length, modes, kernel_length;
    number *x, *d_y, *weights, *nodes, *kernel, *state_in, *d_state;
    number *d_x, *d_weights, *d_nodes, *d_kernel, *d_state_in;
} gradient_channel;
void gradient_convolve(gradient_channel *c);

/* y := powers x^0 ... x^(n-1). */
void gradient_powers(const gradient_field *f, number *y, const number *x, int64_t n);
/* d_node += weight sum_j j x^(j-1) c_j over the powers x^j, j < n. */
void gradient_node(const gradient_field *f, number *d_node, const number *weight,
                   const number *powers, const number *c, int64_t n);

#endif

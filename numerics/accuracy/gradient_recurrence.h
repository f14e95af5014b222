/* Shared by the recurrences' gradients: a pass over one head, and what its formulas are made of. */
#ifndef ACCURACY_GRADIENT_RECURRENCE_H
#define ACCURACY_GRADIENT_RECURRENCE_H

#include <math.h>

#include "numerics/accuracy/gradient_pass.h"

#define GRADIENT_OUTWARD (1 + 0x1p-30) /* more than the rounding of a few operations in double */

/* Errors of a state, in units of 2^-prec: Frobenius norm of S's, in the metric, eps of A. */
typedef struct {
    double s, metric, a;
} carried;

/* What token t does to errors, and |M| and |A| after it. */
typedef struct {
    double growth, stretch, m, a;
} token_sizes;

typedef struct {
    gradient_head *h;
    const gradient_field *f;
    bool carry;         /* errors in norms */
    carried *error;     /* of the state in front of token t [length + 1] */
    token_sizes *token; /* [length + 1]: [t + 1] token t's, [0] the initial state's m and a */
    carried back;       /* of B and, a: |A^(1/2) E A^(1/2)|_F, of F */
    number *wide_s, *wide_after, *wide_a, *wide_b, *wide_f; /* room for balls around midpoints */
    int64_t dk, dv, w; /* w: columns of S: dv, and one for the sum of keys (linear, normalise) */
    int64_t size;      /* of a state: S [dk][w]; VLA: A [dk][dk], sum of keys [dk] */
    number *d_state;   /* B, and the cotangents of A and the sum of keys */
    number *one, *zero, *half, *x;     /* numbers */
    number *value, *q, *row, *numbers; /* v and 1 [w]; q~ [dk]; two rows [dv + 1] */
    number *r, *e, *de, *minus;        /* [dv] */
    number *y, *a, *da, *fy, *vector;  /* [dk]; VLA: A u, A_t k / |A_t k| ... */
    number *c, *norm;                  /* VLA: 1 + u.A u; |A_t k| */
    number *cumulative;                /* absolute values: of q.dq + k.dk, per key [dk] */
    double *largest, *inverse;         /* |S|, |A| so far, after each token [length + 1] */
    double reverse_keys;               /* |d(sum of keys)|, its terms' norms added up */
    double reverse, reverse_inverse;   /* |B| and |dA| so far */
    bool still;                        /* A_t k_t = 0 */
} pass;

static inline number *at(const pass *w, const number *x, int64_t i) {
    return gradient_at(w->f, x, i);
}

/* z [rows][columns] += x y^T. */
static inline void outer(const pass *w, number *z, const number *x, const number *y, int64_t rows,
                         int64_t columns) {
    for (int64_t p = 0; p < rows; p++)
        w->f->addmul(w->f, at(w, z, p * columns), y, at(w, x, p), columns);
}

static inline void negate(const pass *w, number *z, const number *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        w->f->sub(w->f, at(w, z, i), w->zero, at(w, x, i), 1);
}

/* z := X y and z := X^T y for X [rows][columns]. */
static inline void times(const pass *w, number *z, const number *m, const number *y, int64_t rows,
                         int64_t columns) {
    for (int64_t p = 0; p < rows; p++)
        w->f->dot(w->f, at(w, z, p), NULL, 0, at(w, m, p * columns), 1, y, 1, columns);
}

static inline void transposed_times(const pass *w, number *z, const number *m, const number *y,
                                    int64_t rows, int64_t columns, int64_t wanted) {
    for (int64_t j = 0; j < wanted; j++)
        w->f->dot(w->f, at(w, z, j), NULL, 0, at(w, m, j), columns, y, 1, rows);
}

static inline number *key(const pass *w, int64_t t) {
    return at(w, w->h->k, t * w->dk);
}

static inline number *value_of(const pass *w, int64_t t) {
    return at(w, w->h->v, t * w->dv);
}

static inline number *gate(const pass *w, int64_t t, int64_t p) {
    const gradient_head *h = w->h;
    return h->gate ? at(w, h->gate, t) : h->gate_keys ? at(w, h->gate_keys, t * w->dk + p) : w->one;
}

static inline number *part(const pass *w, gradient_part which, int64_t i) {
    return at(w, w->h->d[which], i);
}

static inline bool narrow(const pass *w, gradient_part which, int64_t i, int64_t n, double scale) {
    return !w->h->d[which] || w->f->narrow(part(w, which, i), n, scale);
}

/* x [n] as balls that are wide by error. */
static inline const number *view(const pass *w, number *room, const number *x, int64_t n,
                                 double error) {
    if (!w->carry)
        return x;
    w->f->inflate(w->f, room, x, n, error);
    return room;
}

static inline const number *view_s(const pass *w, number *room, const number *state, int64_t t) {
    return view(w, room, state, w->dk * w->w, w->error[t].s);
}

static inline const number *view_a(const pass *w, const number *state, int64_t t) {
    return view(w, w->wide_a, at(w, state, w->dk * w->w), w->dk * w->dk,
                w->error[t].a * w->token[t].a * GRADIENT_OUTWARD);
}

static inline const number *view_b(const pass *w) {
    return view(w, w->wide_b, w->d_state, w->dk * w->w, w->back.s);
}

/* x more in Frobenius norm: on states after token t - 1, and on their cotangents. */
static inline void add_error(carried *e, double x, double m) {
    e->s = (e->s + x) * GRADIENT_OUTWARD;
    e->metric = (e->metric + sqrt(m) * x) * GRADIENT_OUTWARD;
}

/* |E| <= |A^(1/2)| |M^(1/2) E| and the other way round. */
static inline void smaller_error(carried *e, double a, double m) {
    e->s = fmin(e->s, sqrt(a) * e->metric * GRADIENT_OUTWARD);
    e->metric = fmin(e->metric, sqrt(m) * e->s * GRADIENT_OUTWARD);
}

/* X := (X + X^T) / 2. */
void gradient_symmetrise(pass *w, number *x);
/* Delta rule: r = v - c S^T k, e = beta r.  VLA: e = v - S^T k. */
void gradient_residual(const pass *w, const number *s, int64_t t);
/* VLA: y = A u, c = 1 + u.y, A_t = A - y y^T / c; a = A_t k / |A_t k|, 0 where A_t k = 0. */
reference_status gradient_look(pass *w, const number *inverse, int64_t t);
/* A state after token t from the one before it. */
reference_status gradient_step(pass *w, number *after, const number *before, int64_t t);
/* dk, dv ... of token t, and B_{t-1} from B_t. */
reference_status gradient_reverse(pass *w, const number *before, int64_t t);

#endif

/* Shared by the gradients of the sums over the past: a pass over one head. */
#ifndef ACCURACY_GRADIENT_SUMS_H
#define ACCURACY_GRADIENT_SUMS_H

#include <math.h>

#include "numerics/accuracy/gradient_pass.h"

typedef struct {
    gradient_head *h;
    const gradient_field *f;
    int64_t dk, dv, w, blocks, times; /* w: columns of values; times: length + 1 */
    number *values;                   /* [keys][w]: v, and 1 with normalise */
    number *in, *out;                 /* [blocks][dk][w]: initial state and its cotangent */
    number *end;                      /* the final state's cotangent */
    number *one, *x, *y;              /* numbers */
    number *decay;                    /* [keys]: D_ts */
    number *decay_all;                /* from the start on */
    number *power;                    /* VORT [banks modes][times]: x^j */
    number *kernel;                   /* VORT [banks][times]: sum_m w x^j */
    number *lags;                     /* VORT [banks][times]: dL / dkernel */
    number *lags_in;      /* VORT [banks modes][times]: dL / d(w x^j) by the initial state */
    number *lags_out;     /* VORT [banks modes][times]: dL / d(x^j) by the final state */
    number *c, *g;        /* [keys]: C, G */
    number *alpha, *beta; /* [keys]: what multiplies k and v */
    number *m;            /* [1 + keys]: W C G, the initial state's in front */
    number *q, *row, *numerators, *vector; /* [dk]; [w + 1]; [w + 1]; [max(dk, w)] */
    double *norm_k, *norm_v;               /* [keys] */
    double *size_k, *size_v;               /* [keys]: sums of |alpha| |q~| and |beta| |do| */
    double size_q;
} sums;

static inline number *at(const sums *w, const number *x, int64_t i) {
    return gradient_at(w->f, x, i);
}

static inline int64_t bit_length(int64_t x) {
    int64_t n = 0;
    while (x >> n)
        n++;
    return n;
}

static inline number *key(const sums *w, int64_t s) {
    return at(w, w->h->k, s * w->dk);
}

static inline number *value(const sums *w, int64_t s) {
    return at(w, w->values, s * w->w);
}

static inline number *block(const sums *w, number *state, int64_t b) {
    return at(w, state, b * w->dk * w->w);
}

/* Level of position s (counted from the call's first token) for token t. */
static inline int64_t level(const sums *w, int64_t t, int64_t s) {
    return bit_length((w->h->position + t) ^ (w->h->position + s));
}

/* Position of the first token of the initial state's block b, counted likewise; whether there is
 * such a block. */
static inline int64_t block_start(const sums *w, int64_t b) {
    return (w->h->position >> b << b) - w->h->position;
}

static inline bool has_block(const sums *w, int64_t b) {
    return w->h->kernel == MN_VORT || (b > 0 && w->h->position >> (b - 1) & 1);
}

/* dg_u += sum_{s < u} m_s for u <= last, m[0] the initial state's. */
void gradient_add_gates(sums *w, int64_t last);
/* What the final state's cotangent gives; weights and nodes; absolute values: dg. */
void gradient_final_state(sums *w);
void gradient_finish_vort(sums *w);
void gradient_finish_gates(sums *w);

#endif

/* The definitions of mneme.h in dual numbers x + d e, e^2 = 0: forward mode, sums as they stand,
 * VLA's A by inverting A^-1.  Nothing here is shared with the reverse passes but arithmetic. */
#ifndef GRADIENTS_DUAL_H
#define GRADIENTS_DUAL_H

#include "tests/gradients.h"

/* Dual numbers: value and tangent, one after the other. */
typedef struct {
    const gradient_field *f;
    number *t; /* four numbers */
} duals;

static inline number *part_of(const duals *w, const number *x, slong i, int tangent) {
    return gradient_at(w->f, x, 2 * i + tangent);
}
static inline number *dual(const duals *w, const number *x, slong i) {
    return part_of(w, x, i, 0);
}
static inline void d_set(const duals *w, number *z, const number *x) {
    w->f->set(z, x, 2);
}
static inline void d_add(const duals *w, number *z, const number *x, const number *y) {
    w->f->add(w->f, z, x, y, 2);
}
static inline void d_sub(const duals *w, number *z, const number *x, const number *y) {
    w->f->sub(w->f, z, x, y, 2);
}
static inline void d_mul(const duals *w, number *z, const number *x, const number *y) {
    const gradient_field *f = w->f;
    f->scale(f, w->t, x, y, 1);
    f->dot(f, part_of(w, w->t, 0, 1), NULL, 0, x, 1, part_of(w, y, 0, 1), -1, 2);
    f->set(z, w->t, 2);
}
static inline void d_addmul(const duals *w, number *z, const number *x, const number *y) {
    number *product = dual(w, w->t, 1);
    d_mul(w, product, x, y);
    d_add(w, z, z, product);
}
/* (x / y)' = (x' - (x / y) y') / y. */
static inline void d_div(const duals *w, number *z, const number *x, const number *y) {
    const gradient_field *f = w->f;
    number *ratio = dual(w, w->t, 0), *tangent = part_of(w, w->t, 0, 1);
    assert_true(f->div(f, ratio, x, y, 1));
    f->scale(f, tangent, ratio, part_of(w, y, 0, 1), 1);
    f->sub(f, tangent, part_of(w, x, 0, 1), tangent, 1);
    f->div(f, tangent, tangent, y, 1);
    f->set(z, w->t, 2);
}
/* X := X^-1, [n][n], by elimination (positive definite). */
static inline void d_invert(const duals *w, number *x, slong n) {
    number *y = w->f->init(2 * n * n), *c = w->f->init(4), *product = dual(w, c, 1);
    for (slong i = 0; i < n; i++)
        w->f->set_si(dual(w, y, i * (n + 1)), 1);
    for (slong i = 0; i < n; i++) {
        d_set(w, c, dual(w, x, i * (n + 1)));
        for (slong j = 0; j < n; j++) {
            d_div(w, dual(w, x, i * n + j), dual(w, x, i * n + j), c);
            d_div(w, dual(w, y, i * n + j), dual(w, y, i * n + j), c);
        }
        for (slong p = 0; p < n; p++) {
            if (p == i)
                continue;
            d_set(w, c, dual(w, x, p * n + i));
            for (slong j = 0; j < n; j++) {
                d_mul(w, product, c, dual(w, x, i * n + j));
                d_sub(w, dual(w, x, p * n + j), dual(w, x, p * n + j), product);
                d_mul(w, product, c, dual(w, y, i * n + j));
                d_sub(w, dual(w, y, p * n + j), dual(w, y, p * n + j), product);
            }
        }
    }
    w->f->set(x, y, 2 * n * n);
    w->f->clear(y, 2 * n * n), w->f->clear(c, 4);
}

/* A head's inputs as duals. */
typedef struct {
    duals w;
    const gradient_head *h;
    number *in[GRADIENT_PARTS];
    number *o, *state;
} dual_head;

static inline number *in(const dual_head *d, gradient_part part, slong i) {
    return dual(&d->w, d->in[part], i);
}

/* Level of the positions x and y: bit length of their difference by XOR. */
static inline slong level_of(int64_t x, int64_t y) {
    slong n = 0;
    for (int64_t z = x ^ y; z; z >>= 1)
        n++;
    return n;
}

/* z := the factor with which token s (-1: the initial state) still counts after token t, key p. */
static inline void decay_of(const dual_head *d, number *z, slong s, slong t, slong p) {
    const gradient_head *h = d->h;
    d->w.f->set_si(dual(&d->w, z, 0), 1), d->w.f->set_si(part_of(&d->w, z, 0, 1), 0);
    for (slong u = s + 1; u <= t; u++) {
        if (h->gate)
            d_mul(&d->w, z, z, in(d, GRADIENT_G, u));
        if (h->gate_keys)
            d_mul(&d->w, z, z, in(d, GRADIENT_GATE_KEYS, u * h->dk + p));
    }
}
static inline void power_of(const dual_head *d, number *z, slong m, slong j) {
    d->w.f->set_si(dual(&d->w, z, 0), 1), d->w.f->set_si(part_of(&d->w, z, 0, 1), 0);
    for (slong i = 0; i < j; i++)
        d_mul(&d->w, z, z, in(d, GRADIENT_NODES, m));
}

/* z := sum of weights of v_s in row (t, i): of token s, or of block b of the initial state and its
 * key p where s = -1. */
static inline void weight_of(const dual_head *d, number *z, slong t, slong i, slong s, slong p,
                             slong b) {
    const gradient_head *h = d->h;
    number *x = d->w.f->init(2);
    decay_of(d, z, s, t, p);
    if (h->kernel == MN_LOGLINEAR && h->lambda) {
        int64_t now = h->position + t, then = s >= 0 ? h->position + s : (h->position >> b << b);
        d_mul(&d->w, z, z,
              in(d, GRADIENT_LAMBDA, (t * h->group + i) * h->levels + level_of(now, then)));
    }
    if (h->kernel == MN_VORT && s < 0) {
        power_of(d, z, b, t + 1);
        d_mul(&d->w, z, z, in(d, GRADIENT_WEIGHTS, b));
    } else if (h->kernel == MN_VORT) {
        d->w.f->set_si(dual(&d->w, z, 0), 0);
        for (slong m = 0; m < h->modes; m++) {
            slong mode = h->bank[s] * h->modes + m;
            power_of(d, x, mode, t - s);
            d_addmul(&d->w, z, x, in(d, GRADIENT_WEIGHTS, mode));
        }
    }
    d->w.f->clear(x, 2);
}

/* Blocks of the initial state that count, and where block b's values and sums of keys stand. */
static inline slong blocks_of(const gradient_head *h) {
    return !h->state_in             ? 0
           : h->kernel == MN_LINEAR ? 1
           : h->kernel == MN_VORT   ? h->banks * h->modes
                                    : h->levels;
}
static inline bool counts(const gradient_head *h, slong b) {
    return h->kernel != MN_LOGLINEAR || (b > 0 && h->position >> (b - 1) & 1);
}

/* Sums over the past, term by term. */
static inline void sum_row(const dual_head *d, slong t, slong i) {
    const gradient_head *h = d->h;
    const duals *w = &d->w;
    number *x = w->f->init(6), *divisor = dual(w, x, 1), *weight = dual(w, x, 2);
    slong row = t * h->group + i, dk = h->dk, dv = h->dv, blocks = blocks_of(h);
    for (slong s = -blocks; s <= t; s++) {
        slong b = s < 0 ? -1 - s : -1;
        if (b >= 0 && !counts(h, b))
            continue;
        for (slong p = 0; p < dk; p++) {
            weight_of(d, weight, t, i, s < 0 ? -1 : s, p, b);
            d_mul(w, weight, weight, in(d, GRADIENT_Q, row * dk + p));
            d_mul(w, weight, weight, in(d, GRADIENT_SCALE, 0));
            if (b < 0)
                d_mul(w, weight, weight, in(d, GRADIENT_K, s * dk + p));
            for (slong j = 0; j < dv; j++)
                d_addmul(w, dual(w, d->o, row * dv + j), weight,
                         b < 0 ? in(d, GRADIENT_V, s * dv + j)
                               : in(d, GRADIENT_STATE, (b * dk + p) * dv + j));
            if (b < 0)
                d_add(w, divisor, divisor, weight);
            else if (h->normalise)
                d_addmul(w, divisor, weight, in(d, GRADIENT_STATE, (blocks * dv + b) * dk + p));
        }
    }
    for (slong j = 0; h->normalise && j < dv; j++)
        d_div(w, dual(w, d->o, row * dv + j), dual(w, d->o, row * dv + j), divisor);
    w->f->clear(x, 6);
}

/* The final state's block l: tokens and initial blocks that lie in it. */
static inline void sum_state(const dual_head *d, slong l) {
    const gradient_head *h = d->h;
    const duals *w = &d->w;
    slong dk = h->dk, dv = h->dv, T = h->length,
          all = h->kernel == MN_VORT ? h->banks * h->modes : 1;
    int64_t end = h->position + T, first = INT64_MIN, last = INT64_MAX;
    if (h->kernel == MN_LOGLINEAR) {
        if (l == 0 || !(end >> (l - 1) & 1))
            return;
        first = end >> l << l, last = first + ((int64_t)1 << (l - 1));
    }
    number *x = w->f->init(4), *y = dual(w, x, 1);
    for (slong s = -blocks_of(h); s < T; s++) {
        slong b = s < 0 ? -1 - s : -1;
        int64_t then = b < 0 ? h->position + s : (h->position >> b << b);
        if (h->kernel == MN_LOGLINEAR &&
            (then < first || then >= last || (b >= 0 && !counts(h, b))))
            continue;
        if (h->kernel == MN_VORT && (b < 0 ? h->bank[s] != l / h->modes : b != l))
            continue;
        for (slong p = 0; p < dk; p++) {
            if (h->kernel == MN_VORT)
                power_of(d, x, l, b < 0 ? T - 1 - s : T);
            else
                decay_of(d, x, b < 0 ? s : -1, T - 1, p);
            for (slong j = 0; j < dv; j++) {
                if (b < 0)
                    d_mul(w, y, in(d, GRADIENT_K, s * dk + p), in(d, GRADIENT_V, s * dv + j));
                else
                    d_set(w, y, in(d, GRADIENT_STATE, (b * dk + p) * dv + j));
                d_addmul(w, dual(w, d->state, (l * dk + p) * dv + j), x, y);
            }
            if (h->normalise)
                d_addmul(w, dual(w, d->state, (all * dv + l) * dk + p), x,
                         b < 0 ? in(d, GRADIENT_K, s * dk + p)
                               : in(d, GRADIENT_STATE, (all * dv + b) * dk + p));
        }
    }
    w->f->clear(x, 4);
}

static inline void softmax_row(const dual_head *d, slong t, slong i) {
    const gradient_head *h = d->h;
    const duals *w = &d->w;
    const gradient_field *f = w->f;
    slong row = t * h->group + i, n = h->past + t + 1;
    number *c = f->init(2 * n + 2), *sum = dual(w, c, n), *values = f->init(n);
    for (slong s = 0; s < n; s++) {
        for (slong p = 0; p < h->dk; p++)
            d_addmul(w, dual(w, c, s), in(d, GRADIENT_Q, row * h->dk + p),
                     in(d, GRADIENT_K, s * h->dk + p));
        d_mul(w, dual(w, c, s), dual(w, c, s), in(d, GRADIENT_SCALE, 0));
        f->set(gradient_at(f, values, s), dual(w, c, s), 1);
    }
    f->exp(f, values, values, n);
    for (slong s = 0; s < n; s++) {
        f->set(dual(w, c, s), gradient_at(f, values, s), 1);
        f->scale(f, part_of(w, c, s, 1), part_of(w, c, s, 1), dual(w, c, s), 1);
        d_add(w, sum, sum, dual(w, c, s));
    }
    for (slong j = 0; j < h->dv; j++) {
        number *o = dual(w, d->o, row * h->dv + j);
        for (slong s = 0; s < n; s++)
            d_addmul(w, o, dual(w, c, s), in(d, GRADIENT_V, s * h->dv + j));
        d_div(w, o, o, sum);
    }
    f->clear(c, 2 * n + 2), f->clear(values, n);
}

/* x := x / |x|, 0 where x = 0. */
static inline void d_direction(const duals *w, number *x, slong n) {
    const gradient_field *f = w->f;
    number *values = f->init(n), *length = f->init(2);
    bool zero = true;
    for (slong p = 0; p < n; p++) {
        f->set(gradient_at(f, values, p), dual(w, x, p), 1);
        zero = zero && f->is_zero(dual(w, x, p));
    }
    if (zero) {
        for (slong p = 0; p < n; p++)
            f->set_si(part_of(w, x, p, 1), 0);
    } else {
        assert_true(f->length(f, length, values, n));
        for (slong p = 0; p < n; p++)
            f->addmul(f, part_of(w, length, 0, 1), gradient_at(f, values, p), part_of(w, x, p, 1),
                      1);
        f->div(f, part_of(w, length, 0, 1), part_of(w, length, 0, 1), length, 1);
        for (slong p = 0; p < n; p++)
            d_div(w, dual(w, x, p), dual(w, x, p), length);
    }
    f->clear(values, n), f->clear(length, 2);
}

/* Token t of the delta rule or VLA; m: A^-1 [dk][dk]. */
static inline void recur(const dual_head *d, number *m, slong t) {
    const gradient_head *h = d->h;
    const duals *w = &d->w;
    slong dk = h->dk, dv = h->dv;
    bool vla = h->kernel == MN_VLA;
    number *x = w->f->init(4 + 2 * dk), *sum = dual(w, x, 1), *a = dual(w, x, 2),
           *inverse = dual(w, d->state, dk * dv), *z = dual(w, inverse, dk * dk);
    for (slong p = 0; p < dk; p++)
        d_set(w, dual(w, a, p), in(d, GRADIENT_K, t * dk + p));
    if (vla) {
        for (slong i = 0; i < dk * dk; i++)
            d_addmul(w, dual(w, m, i), in(d, GRADIENT_U, t * dk + i / dk),
                     in(d, GRADIENT_U, t * dk + i % dk));
        w->f->set(inverse, m, 2 * dk * dk);
        d_invert(w, inverse, dk);
        for (slong p = 0; p < dk; p++) {
            w->f->sub(w->f, dual(w, a, p), dual(w, a, p), dual(w, a, p), 2);
            for (slong i = 0; i < dk; i++)
                d_addmul(w, dual(w, a, p), dual(w, inverse, p * dk + i),
                         in(d, GRADIENT_K, t * dk + i));
            if (h->normalise)
                d_add(w, dual(w, z, p), dual(w, z, p), in(d, GRADIENT_K, t * dk + p));
        }
        d_direction(w, a, dk);
    }
    for (slong i = 0; h->gate && i < dk * dv; i++)
        d_mul(w, dual(w, d->state, i), dual(w, d->state, i), in(d, GRADIENT_G, t));
    for (slong j = 0; j < dv; j++) {
        d_set(w, x, in(d, GRADIENT_V, t * dv + j));
        for (slong p = 0; p < dk; p++) {
            d_mul(w, sum, dual(w, d->state, p * dv + j), in(d, GRADIENT_K, t * dk + p));
            d_sub(w, x, x, sum);
        }
        if (h->beta)
            d_mul(w, x, x, in(d, GRADIENT_BETA, t));
        for (slong p = 0; p < dk; p++)
            d_addmul(w, dual(w, d->state, p * dv + j), dual(w, a, p), x);
    }
    for (slong i = 0; i < h->group; i++) {
        slong row = t * h->group + i;
        w->f->sub(w->f, sum, sum, sum, 2);
        for (slong p = 0; p < dk; p++) {
            d_mul(w, x, in(d, GRADIENT_Q, row * dk + p), in(d, GRADIENT_SCALE, 0));
            for (slong j = 0; j < dv; j++)
                d_addmul(w, dual(w, d->o, row * dv + j), x, dual(w, d->state, p * dv + j));
            if (h->normalise)
                d_addmul(w, sum, x, dual(w, z, p));
        }
        for (slong j = 0; h->normalise && j < dv; j++)
            d_div(w, dual(w, d->o, row * dv + j), dual(w, d->o, row * dv + j), sum);
    }
    if (vla && h->refresh_every && (h->position + t + 1) % h->refresh_every == 0) {
        for (slong p = 0; p < dk; p++)
            w->f->add(w->f, dual(w, inverse, p * (dk + 1)), dual(w, inverse, p * (dk + 1)),
                      h->refresh, 1);
        w->f->set(m, inverse, 2 * dk * dk);
        d_invert(w, m, dk);
    }
    w->f->clear(x, 4 + 2 * dk);
}

static inline void recurrence_of(const dual_head *d) {
    const gradient_head *h = d->h;
    const duals *w = &d->w;
    slong dk = h->dk, square = h->kernel == MN_VLA ? dk * dk : 0;
    number *m = w->f->init(2 * square), *inverse = dual(w, d->state, dk * h->dv);
    if (h->state_in) {
        w->f->set(d->state, d->in[GRADIENT_STATE], 2 * gradient_head_floats(h));
    } else if (square) {
        w->f->set_si(w->t, 1), w->f->set_si(part_of(w, w->t, 0, 1), 0);
        number *x = w->f->init(2);
        d_set(w, x, w->t);
        d_div(w, x, x, in(d, GRADIENT_LAMBDA0, 0));
        for (slong p = 0; p < dk; p++)
            d_set(w, dual(w, inverse, p * (dk + 1)), x);
        w->f->clear(x, 2);
    }
    if (square) {
        w->f->set(m, inverse, 2 * square);
        d_invert(w, m, dk);
    }
    for (slong t = 0; t < h->length; t++)
        recur(d, m, t);
    w->f->clear(m, 2 * square);
}

/* c->o, c->state := J direction, or (values) the function itself at the inputs plus by times the
 * direction. */
static inline void definition(test_head *c, const number *by, bool values) {
    const gradient_field *f = &c->f;
    const gradient_head *h = &c->h;
    dual_head d = {.w = {f, f->init(4)}, .h = h};
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++) {
        if (!c->size[i])
            continue;
        d.in[i] = f->init(2 * c->size[i]);
        for (slong n = 0; n < c->size[i]; n++) {
            number *x = in(&d, i, n), *tangent = part_of(&d.w, d.in[i], n, 1);
            f->set(x, gradient_at(f, c->input[i], n), 1);
            f->set(tangent, gradient_at(f, c->direction[i], n), 1);
            if (i == GRADIENT_G || i == GRADIENT_GATE_KEYS) /* the direction is one of log gates */
                f->scale(f, tangent, tangent, x, 1);
            if (by)
                f->addmul(f, x, tangent, by, 1);
        }
    }
    d.o = f->init(2 * c->o_size), d.state = f->init(2 * c->state_size);
    for (slong t = 0; t < h->length; t++)
        for (slong i = 0; i < h->group; i++) {
            if (h->kernel == MN_SOFTMAX)
                softmax_row(&d, t, i);
            else if (h->kernel != MN_DELTA && h->kernel != MN_VLA)
                sum_row(&d, t, i);
        }
    if (h->kernel == MN_DELTA || h->kernel == MN_VLA) {
        recurrence_of(&d);
    } else if (h->kernel != MN_SOFTMAX) {
        slong blocks = h->kernel == MN_LINEAR ? 1
                       : h->kernel == MN_VORT ? h->banks * h->modes
                                              : h->levels;
        for (slong l = 0; l < blocks; l++)
            sum_state(&d, l);
    }
    for (slong i = 0; i < c->o_size; i++)
        f->set(gradient_at(f, c->o, i), part_of(&d.w, d.o, i, !values), 1);
    for (slong i = 0; i < c->state_size; i++)
        f->set(gradient_at(f, c->state, i), part_of(&d.w, d.state, i, !values), 1);
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        if (c->size[i])
            f->clear(d.in[i], 2 * c->size[i]);
    f->clear(d.o, 2 * c->o_size), f->clear(d.state, 2 * c->state_size), f->clear(d.w.t, 4);
}

/* z := sum d_o o + sum d_state state. */
static inline void paired(const test_head *c, number *z) {
    const gradient_field *f = &c->f;
    f->dot(f, z, NULL, 0, c->h.d_o, 1, c->o, 1, c->o_size);
    if (c->h.d_state)
        f->dot(f, z, z, 0, c->h.d_state, 1, c->state, 1, c->state_size);
}
/* z := sum of gradients times the direction. */
static inline void along(const test_head *c, number *z) {
    const gradient_field *f = &c->f;
    f->set_si(z, 0);
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        if (c->size[i])
            f->dot(f, z, z, 0, c->h.d[i], 1, c->direction[i], 1, c->size[i]);
}
static inline reference_status run_pass(test_head *c) {
    return c->h.kernel == MN_LINEAR || c->h.kernel == MN_DELTA || c->h.kernel == MN_VLA
               ? gradient_recurrence(&c->h)
               : gradient_sum(&c->h);
}

#endif

/* Shared by the tests of the gradients: rational numbers as an arithmetic, heads of random
 * numbers. */
#ifndef GRADIENTS_H
#define GRADIENTS_H

#include "numerics/accuracy/gradient_pass.h"
#include "tests/testing.h"

/* Rational numbers. */
static inline number *q_init(slong n) {
    return _fmpq_vec_init(n > 0 ? n : 1);
}
static inline void q_clear(number *x, slong n) {
    if (x)
        _fmpq_vec_clear(x, n > 0 ? n : 1);
}
static inline fmpq *q_at(const number *x, slong i) {
    return (fmpq *)x + i;
}
static inline void q_set(number *z, const number *x, slong n) {
    for (slong i = 0; i < n; i++)
        fmpq_set(q_at(z, i), q_at(x, i));
}
static inline void q_set_si(number *z, slong x) {
    fmpq_set_si(z, x, 1);
}
static inline bool q_is_zero(const number *x) {
    return fmpq_is_zero(x);
}
static inline void q_add(const gradient_field *f, number *z, const number *x, const number *y,
                         slong n) {
    (void)f;
    for (slong i = 0; i < n; i++)
        fmpq_add(q_at(z, i), q_at(x, i), q_at(y, i));
}
static inline void q_sub(const gradient_field *f, number *z, const number *x, const number *y,
                         slong n) {
    (void)f;
    for (slong i = 0; i < n; i++)
        fmpq_sub(q_at(z, i), q_at(x, i), q_at(y, i));
}
static inline void q_scale(const gradient_field *f, number *z, const number *x, const number *c,
                           slong n) {
    (void)f;
    fmpq_t by;
    fmpq_init(by);
    fmpq_set(by, c);
    for (slong i = 0; i < n; i++)
        fmpq_mul(q_at(z, i), q_at(x, i), by);
    fmpq_clear(by);
}
static inline void q_addmul(const gradient_field *f, number *z, const number *x, const number *c,
                            slong n) {
    (void)f;
    fmpq_t by;
    fmpq_init(by);
    fmpq_set(by, c);
    for (slong i = 0; i < n; i++)
        fmpq_addmul(q_at(z, i), q_at(x, i), by);
    fmpq_clear(by);
}
static inline void q_dot(const gradient_field *f, number *z, const number *initial, int subtract,
                         const number *x, slong x_step, const number *y, slong y_step, slong n) {
    (void)f;
    fmpq_t sum;
    fmpq_init(sum);
    for (slong i = 0; i < n; i++)
        fmpq_addmul(sum, q_at(x, i * x_step), q_at(y, i * y_step));
    if (subtract)
        fmpq_neg(sum, sum);
    if (initial)
        fmpq_add(sum, sum, initial);
    fmpq_set(z, sum);
    fmpq_clear(sum);
}
static inline bool q_div(const gradient_field *f, number *z, const number *x, const number *c,
                         slong n) {
    (void)f;
    if (fmpq_is_zero(c))
        return false;
    fmpq_t by;
    fmpq_init(by);
    fmpq_set(by, c);
    for (slong i = 0; i < n; i++)
        fmpq_div(q_at(z, i), q_at(x, i), by);
    fmpq_clear(by);
    return true;
}
static inline bool q_length(const gradient_field *f, number *z, const number *x, slong n) {
    fmpq_t sum;
    fmpq_init(sum);
    q_dot(f, sum, NULL, 0, x, 1, x, 1, n);
    bool root =
        fmpq_sgn(sum) > 0 && fmpz_is_square(fmpq_numref(sum)) && fmpz_is_square(fmpq_denref(sum));
    if (root) {
        fmpz_sqrt(fmpq_numref(q_at(z, 0)), fmpq_numref(sum));
        fmpz_sqrt(fmpq_denref(q_at(z, 0)), fmpq_denref(sum));
    }
    fmpq_clear(sum);
    return root;
}
static inline double q_norm(const number *x, slong n) {
    (void)x, (void)n;
    return 0;
}
static inline bool q_narrow(const number *x, slong n, double scale) {
    (void)x, (void)n, (void)scale;
    return true;
}
static const gradient_field gradient_rationals = {.size = sizeof(fmpq),
                                                  .init = q_init,
                                                  .clear = q_clear,
                                                  .set = q_set,
                                                  .set_si = q_set_si,
                                                  .is_zero = q_is_zero,
                                                  .add = q_add,
                                                  .sub = q_sub,
                                                  .scale = q_scale,
                                                  .addmul = q_addmul,
                                                  .dot = q_dot,
                                                  .div = q_div,
                                                  .length = q_length,
                                                  .norm = q_norm,
                                                  .narrow = q_narrow};

/* Inputs of a head with their sizes, and a direction of each. */
typedef struct {
    gradient_head h;
    gradient_field f;
    int32_t bank[128];
    slong size[GRADIENT_PARTS];
    number *input[GRADIENT_PARTS], *direction[GRADIENT_PARTS];
    number *o, *state; /* tangents of the outputs and of the final state, or values */
    slong o_size, state_size;
} test_head;

typedef struct {
    mn_kernel kernel;
    int64_t length, group, dk, dv, past, position, levels, banks, modes, refresh_every;
    bool gate, gate_keys, beta, lambda, normalise, state_in, d_state;
    bool closed; /* some gates are 0 */
} head_shape;

static inline void random_numbers(const gradient_field *f, number *x, slong n, exact_random *r,
                                  slong low, slong high, slong most) {
    number *d = f->init(1);
    for (slong i = 0; i < n; i++) {
        f->set_si(gradient_at(f, x, i), exact_random_integer(r, low, high));
        f->set_si(d, f->prec ? most : exact_random_integer(r, 1, most));
        f->div(f, gradient_at(f, x, i), gradient_at(f, x, i), d, 1);
    }
    f->clear(d, 1);
}

static inline number **head_input(gradient_head *h, gradient_part part) {
    number **const all[GRADIENT_PARTS] = {[GRADIENT_Q] = &h->q,
                                          [GRADIENT_K] = &h->k,
                                          [GRADIENT_V] = &h->v,
                                          [GRADIENT_G] = &h->gate,
                                          [GRADIENT_GATE_KEYS] = &h->gate_keys,
                                          [GRADIENT_BETA] = &h->beta,
                                          [GRADIENT_U] = &h->u,
                                          [GRADIENT_LAMBDA] = &h->lambda,
                                          [GRADIENT_WEIGHTS] = &h->weights,
                                          [GRADIENT_NODES] = &h->nodes,
                                          [GRADIENT_SCALE] = &h->scale,
                                          [GRADIENT_LAMBDA0] = &h->lambda0,
                                          [GRADIENT_STATE] = &h->state_in};
    return all[part];
}

/* M := M + u u^T; k := M w, w of a rational length. */
static inline void key_of_rational_length(fmpq_mat_t m, const fmpq *u, fmpq *k, slong n,
                                          exact_random *r) {
    fmpq *w = _fmpq_vec_init(n + 1);
    fmpq_t sum, x;
    fmpq_init(sum), fmpq_init(x);
    for (slong p = 0; p + 1 < n; p++) { /* (2 y, |y|^2 - 1) has the length |y|^2 + 1 */
        fmpq_set_si(w + p, exact_random_integer(r, -3, 3), 2);
        fmpq_addmul(sum, w + p, w + p);
        fmpq_add(w + p, w + p, w + p);
    }
    fmpq_sub_si(w + n - 1, sum, 1);
    fmpq_add_si(x, sum, 1);
    for (slong p = 0; p < n; p++)
        fmpq_div(w + p, w + p, x);
    if (n == 1)
        fmpq_set_si(w, exact_random_integer(r, 1, 4), 3);
    for (slong p = 0; p < n; p++)
        for (slong i = 0; i < n; i++)
            fmpq_addmul(fmpq_mat_entry(m, p, i), u + p, u + i);
    for (slong p = 0; p < n; p++) {
        fmpq_zero(k + p);
        for (slong i = 0; i < n; i++)
            fmpq_addmul(k + p, fmpq_mat_entry(m, p, i), w + i);
    }
    fmpq_clear(sum), fmpq_clear(x);
    _fmpq_vec_clear(w, n + 1);
}

/* Keys for which |A_t k_t| is rational. */
static inline void rational_keys(test_head *c, exact_random *r) {
    gradient_head *h = &c->h;
    slong n = h->dk;
    fmpq_mat_t m;
    fmpq_mat_init(m, n, n);
    for (slong i = 0; i < n * n; i++) {
        fmpq *e = fmpq_mat_entry(m, i / n, i % n);
        if (h->state_in)
            fmpq_set(e, q_at(h->state_in, n * h->dv + i));
        else if (i / n == i % n)
            fmpq_inv(e, h->lambda0);
    }
    fmpq_mat_inv(m, m);
    for (slong t = 0; t < h->length; t++) {
        key_of_rational_length(m, q_at(h->u, t * n), q_at(h->k, t * n), n, r);
        if (h->refresh_every && (h->position + t + 1) % h->refresh_every == 0) {
            fmpq_mat_inv(m, m);
            for (slong p = 0; p < n; p++)
                fmpq_add(fmpq_mat_entry(m, p, p), fmpq_mat_entry(m, p, p), h->refresh);
            fmpq_mat_inv(m, m);
        }
    }
    fmpq_mat_clear(m);
}

static inline void make_symmetric(const test_head *c, number *state, bool positive) {
    const gradient_field *f = &c->f;
    slong n = c->h.dk, start = n * c->h.dv;
    number *x = f->init(1);
    f->set_si(x, 2 * n);
    for (slong p = 0; p < n; p++)
        for (slong i = 0; i <= p; i++) {
            number *lower = gradient_at(f, state, start + p * n + i);
            if (positive && i == p)
                f->set_si(lower, 2 + p);
            else if (positive)
                f->div(f, lower, lower, x, 1);
            f->set(gradient_at(f, state, start + i * n + p), lower, 1);
        }
    f->clear(x, 1);
}

static inline void make_head(test_head *c, const gradient_field *field, const head_shape *s,
                             exact_random *r) {
    memset(c, 0, sizeof *c);
    assert_true(s->length <= 128);
    gradient_head *h = &c->h;
    c->f = *field;
    const gradient_field *f = &c->f;
    slong most = f->prec ? 64 : 4, high = f->prec ? 64 : 3, T = s->length, keys = T + s->past,
          all = s->banks * s->modes;
    *h = (gradient_head){.f = f,
                         .exact = f,
                         .kernel = s->kernel,
                         .length = T,
                         .group = s->group,
                         .dk = s->dk,
                         .dv = s->dv,
                         .past = s->past,
                         .levels = s->levels,
                         .banks = s->banks,
                         .modes = s->modes,
                         .position = s->position,
                         .refresh_every = s->refresh_every,
                         .normalise = s->normalise,
                         .bank = c->bank};
    c->state_size = gradient_head_floats(h), c->o_size = T * s->group * s->dv;
    bool vla = s->kernel == MN_VLA;
    const slong size[GRADIENT_PARTS] = {[GRADIENT_Q] = T * s->group * s->dk,
                                        [GRADIENT_K] = keys * s->dk,
                                        [GRADIENT_V] = keys * s->dv,
                                        [GRADIENT_G] = s->gate ? T : 0,
                                        [GRADIENT_GATE_KEYS] = s->gate_keys ? T * s->dk : 0,
                                        [GRADIENT_BETA] = s->beta ? T : 0,
                                        [GRADIENT_U] = vla ? T * s->dk : 0,
                                        [GRADIENT_LAMBDA] =
                                            s->lambda ? T * s->group * s->levels : 0,
                                        [GRADIENT_WEIGHTS] = all,
                                        [GRADIENT_NODES] = all,
                                        [GRADIENT_SCALE] = 1,
                                        [GRADIENT_LAMBDA0] = vla,
                                        [GRADIENT_STATE] = s->state_in ? c->state_size : 0};
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++) {
        c->size[i] = size[i];
        if (!size[i])
            continue;
        h->d[i] = f->init(size[i]);
        bool positive = i == GRADIENT_SCALE || i == GRADIENT_LAMBDA0 || i == GRADIENT_NODES ||
                        (s->normalise && (i == GRADIENT_Q || i == GRADIENT_K)),
             gate = i == GRADIENT_G || i == GRADIENT_GATE_KEYS;
        c->input[i] = f->init(size[i]), c->direction[i] = f->init(size[i]);
        random_numbers(f, c->input[i], size[i], r,
                       positive || gate ? (s->closed && gate ? 0 : 1) : -high, high, most);
        random_numbers(f, c->direction[i], size[i], r, -high, high, most);
        *head_input(h, i) = c->input[i];
    }
    for (slong t = 0; t < T; t++)
        c->bank[t] = (int32_t)exact_random_integer(r, 0, s->banks > 0 ? s->banks - 1 : 0);
    for (slong l = 0; s->kernel == MN_LOGLINEAR && s->state_in && l < s->levels; l++)
        for (slong i = 0; (l == 0 || !(s->position >> (l - 1) & 1)) && i < s->dk * s->dv; i++) {
            f->set_si(gradient_at(f, h->state_in, l * s->dk * s->dv + i), 0);
            f->set_si(gradient_at(f, c->direction[GRADIENT_STATE], l * s->dk * s->dv + i), 0);
        }
    h->d_o = f->init(c->o_size);
    random_numbers(f, h->d_o, c->o_size, r, -high, high, most);
    if (s->d_state) {
        h->d_state = f->init(c->state_size);
        random_numbers(f, h->d_state, c->state_size, r, -high, high, most);
    }
    h->refresh = f->init(1);
    random_numbers(f, h->refresh, 1, r, 1, high, most);
    if (vla && s->state_in) {
        make_symmetric(c, h->state_in, true);
        make_symmetric(c, c->direction[GRADIENT_STATE], false);
    }
    if (vla && !f->prec)
        rational_keys(c, r);
    c->o = f->init(c->o_size), c->state = f->init(c->state_size);
}

static inline void clear_head(test_head *c) {
    const gradient_field *f = &c->f;
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++) {
        f->clear(c->h.d[i], c->size[i]);
        f->clear(c->input[i], c->size[i]), f->clear(c->direction[i], c->size[i]);
    }
    f->clear(c->h.d_o, c->o_size);
    if (c->h.d_state)
        f->clear(c->h.d_state, c->state_size);
    f->clear(c->h.refresh, 1), f->clear(c->o, c->o_size), f->clear(c->state, c->state_size);
}

#endif

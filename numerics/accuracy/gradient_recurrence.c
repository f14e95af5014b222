/* Reverse passes of linear attention, the delta rule and VLA.  States are kept every so many
 * tokens; between two of them they are run again.  B_t is the cotangent of S_t, with that of o_t
 * in it; q~ = scale q.
 *
 * Entrywise balls of S lose about a bit a token to wrapping, so for the delta rule and VLA they are
 * not run on: states are exact midpoints, and an error in a norm goes beside them.  A token's map
 * is applied to the midpoint, what its roundings (and the balls of a_t, y_t) leave is stripped and
 * added to the error, which the map stretches by at most its norm:
 *     delta rule   c max(1, |1 - beta |k|^2|), for S and for B;
 *     VLA          (|k| + sqrt(4 + |k|^2)) / 2; or sqrt(1 + u.A_{t-1} u) max(1, |k| - 1) from the
 *                  M_{t-1}- to the M_t-metric, M = A^-1 (I - a k^T is self-adjoint in the M_t-metric with
 *                  eigenvalues in [1 - |k|, 1]), and for B, with the transposed map, from the
 *                  metric of A_t to that of A_{t-1};
 *     A            (1 - eps) A <= A^ <= (1 + eps) A passes through the update and a refresh, a
 *                  rounding R adds |R| |M|;
 *     F = dA       |A^(1/2) E A^(1/2)|_F does not grow: F_{t-1} = P F P^T, P = M_{t-1} A_t, and
 *                  A_{t-1}^(1/2) P A_t P^T A_{t-1}^(1/2) = A_{t-1}^(-1/2) A_t A_{t-1}^(-1/2) <= 1.
 * Whatever is read off a state is read off balls that are wide by the error.  |M_t| <= |M_0| + sum
 * |u|^2; where the initial A is not surely positive entrywise balls are run on after all. */
#include <math.h>

#include "numerics/accuracy/gradient_pass.h"

#define OUTWARD (1 + 0x1p-30) /* more than the rounding of a few operations in double */

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
    double reverse, reverse_inverse;   /* |B| and |dA| so far */
    bool still;                        /* A_t k_t = 0 */
} pass;

static number *at(const pass *w, const number *x, int64_t i) {
    return gradient_at(w->f, x, i);
}
/* z [rows][columns] +- = x y^T; minus: room for y's negative. */
static void outer(const pass *w, number *z, const number *x, const number *y, int64_t rows,
                  int64_t columns) {
    for (int64_t p = 0; p < rows; p++)
        w->f->addmul(w->f, at(w, z, p * columns), y, at(w, x, p), columns);
}
static void negate(const pass *w, number *z, const number *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        w->f->sub(w->f, at(w, z, i), w->zero, at(w, x, i), 1);
}
/* z := X y and z := X^T y for X [rows][columns]. */
static void times(const pass *w, number *z, const number *m, const number *y, int64_t rows,
                  int64_t columns) {
    for (int64_t p = 0; p < rows; p++)
        w->f->dot(w->f, at(w, z, p), NULL, 0, at(w, m, p * columns), 1, y, 1, columns);
}
static void transposed_times(const pass *w, number *z, const number *m, const number *y,
                             int64_t rows, int64_t columns, int64_t wanted) {
    for (int64_t j = 0; j < wanted; j++)
        w->f->dot(w->f, at(w, z, j), NULL, 0, at(w, m, j), columns, y, 1, rows);
}
static number *key(const pass *w, int64_t t) {
    return at(w, w->h->k, t * w->dk);
}
static number *value_of(const pass *w, int64_t t) {
    return at(w, w->h->v, t * w->dv);
}
static number *gate(const pass *w, int64_t t, int64_t p) {
    const gradient_head *h = w->h;
    return h->gate ? at(w, h->gate, t) : h->gate_keys ? at(w, h->gate_keys, t * w->dk + p) : w->one;
}
static number *part(const pass *w, gradient_part which, int64_t i) {
    return at(w, w->h->d[which], i);
}
static bool narrow(const pass *w, gradient_part which, int64_t i, int64_t n, double scale) {
    return !w->h->d[which] || w->f->narrow(part(w, which, i), n, scale);
}

/* x [n] as balls that are wide by error. */
static const number *view(const pass *w, number *room, const number *x, int64_t n, double error) {
    if (!w->carry)
        return x;
    w->f->inflate(w->f, room, x, n, error);
    return room;
}
static const number *view_s(const pass *w, number *room, const number *state, int64_t t) {
    return view(w, room, state, w->dk * w->w, w->error[t].s);
}
static const number *view_a(const pass *w, const number *state, int64_t t) {
    return view(w, w->wide_a, at(w, state, w->dk * w->w), w->dk * w->dk,
                w->error[t].a * w->token[t].a * OUTWARD);
}
static const number *view_b(const pass *w) {
    return view(w, w->wide_b, w->d_state, w->dk * w->w, w->back.s);
}
/* x more in Frobenius norm: on states after token t - 1, and on their cotangents. */
static void add_error(carried *e, double x, double m) {
    e->s = (e->s + x) * OUTWARD;
    e->metric = (e->metric + sqrt(m) * x) * OUTWARD;
}
/* |E| <= |A^(1/2)| |M^(1/2) E| and the other way round. */
static void smaller_error(carried *e, double a, double m) {
    e->s = fmin(e->s, sqrt(a) * e->metric * OUTWARD);
    e->metric = fmin(e->metric, sqrt(m) * e->s * OUTWARD);
}

/* VLA: y = A u, c = 1 + u.y, A_t = A - y y^T / c; a = A_t k / |A_t k|, 0 where A_t k = 0. */
static reference_status look(pass *w, const number *inverse, int64_t t) {
    const gradient_field *f = w->f;
    int64_t dk = w->dk;
    const number *u = at(w, w->h->u, t * dk);
    times(w, w->y, inverse, u, dk, dk);
    f->dot(f, w->c, w->one, 0, u, 1, w->y, 1, dk);
    times(w, w->a, inverse, key(w, t), dk, dk);
    f->dot(f, w->x, NULL, 1, w->y, 1, key(w, t), 1, dk);
    if (!f->div(f, w->x, w->x, w->c, 1))
        return REFERENCE_UNDECIDED;
    f->addmul(f, w->a, w->y, w->x, dk);
    w->still = true;
    for (int64_t p = 0; p < dk; p++)
        w->still = w->still && f->is_zero(at(w, w->a, p));
    if (w->still)
        return REFERENCE_OK;
    return f->length(f, w->norm, w->a, dk) && f->div(f, w->a, w->a, w->norm, dk)
               ? REFERENCE_OK
               : REFERENCE_UNDECIDED;
}

/* Delta rule: r = v - c S^T k, e = beta r.  VLA: e = v - S^T k. */
static void residual(const pass *w, const number *s, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    transposed_times(w, w->r, s, key(w, t), w->dk, w->dv, w->dv);
    f->scale(f, w->r, w->r, gate(w, t, 0), w->dv);
    f->sub(f, w->r, value_of(w, t), w->r, w->dv);
    f->scale(f, w->e, w->r, h->beta ? at(w, h->beta, t) : w->one, w->dv);
}

/* X := (X + X^T) / 2. */
static void symmetrise(pass *w, number *x) {
    const gradient_field *f = w->f;
    f->set_si(w->x, 2);
    for (int64_t p = 0; p < w->dk; p++)
        for (int64_t r = 0; r < p; r++) {
            number *lower = at(w, x, p * w->dk + r), *upper = at(w, x, r * w->dk + p);
            f->add(f, lower, lower, upper, 1);
            f->div(f, lower, lower, w->x, 1);
            f->set(upper, lower, 1);
        }
}

/* Norms of the map of token t.  c, y of VLA: as look left them. */
static void measure(pass *w, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    token_sizes *now = w->token + t + 1, *last = w->token + t;
    double k = f->norm(key(w, t), w->dk) * OUTWARD;
    if (h->kernel == MN_DELTA) { /* 1 - beta k.k */
        f->dot(f, w->x, NULL, 1, key(w, t), 1, key(w, t), 1, w->dk);
        if (h->beta)
            f->scale(f, w->x, w->x, at(w, h->beta, t), 1);
        f->add(f, w->x, w->x, w->one, 1);
        now->growth = f->norm(gate(w, t, 0), 1) * fmax(1, f->norm(w->x, 1)) * OUTWARD;
    } else {
        double u = f->norm(at(w, h->u, t * w->dk), w->dk) * OUTWARD;
        now->growth = (k + sqrt(4 + k * k)) / 2 * OUTWARD;
        now->stretch = sqrt(f->norm(w->c, 1)) * fmax(1, k - 1) * OUTWARD;
        now->m = (last->m + u * u) * OUTWARD;
    }
}

/* Strips the state after token t and carries its errors on. */
static reference_status carry_on(pass *w, number *after, int64_t t) {
    const gradient_field *f = w->f;
    int64_t square = w->dk * w->w;
    carried *e = w->error + t + 1;
    token_sizes *now = w->token + t + 1;
    *e = w->error[t];
    e->s *= now->growth;
    double x = f->strip(f, after, square);
    if (w->h->kernel == MN_DELTA) {
        e->s = (e->s + x) * OUTWARD;
        return REFERENCE_OK;
    }
    number *inverse = at(w, after, square);
    e->a = (e->a + f->strip(f, inverse, w->dk * w->dk) * now->m) * OUTWARD;
    /* |A| <= |A^| / (1 - eps), eps < 2^-20 */
    now->a = f->norm(inverse, w->dk * w->dk) * (1 + 0x1p-19);
    e->metric *= now->stretch;
    add_error(e, x, now->m);
    smaller_error(e, now->a, now->m);
    return ldexp(e->a, -(int)f->prec) < 0x1p-20 ? REFERENCE_OK : REFERENCE_UNDECIDED;
}

static reference_status step_vla(pass *w, number *after, const number *before, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk, square = dk * w->w;
    reference_status status = look(w, view_a(w, before, t), t);
    if (status != REFERENCE_OK)
        return status;
    if (w->carry)
        measure(w, t);
    outer(w, after, w->a, w->e, dk, w->dv);
    if (w->carry) { /* y and c of the midpoint */
        const number *u = at(w, h->u, t * dk);
        times(w, w->y, at(w, before, square), u, dk, dk);
        f->dot(f, w->c, w->one, 0, u, 1, w->y, 1, dk);
    }
    negate(w, w->vector, w->y, dk);
    if (!f->div(f, w->vector, w->vector, w->c, dk))
        return REFERENCE_UNDECIDED;
    number *inverse = at(w, after, square), *z = at(w, inverse, dk * dk);
    outer(w, inverse, w->vector, w->y, dk, dk);
    if (h->normalise)
        f->add(f, z, z, key(w, t), dk);
    if (h->refresh_every && (h->position + t + 1) % h->refresh_every == 0)
        for (int64_t p = 0; p < dk; p++)
            f->add(f, at(w, inverse, p * (dk + 1)), at(w, inverse, p * (dk + 1)), h->refresh, 1);
    if (w->carry) /* symmetric but for roundings: now exactly */
        symmetrise(w, inverse);
    return REFERENCE_OK;
}

/* A state after token t from the one before it. */
static reference_status step(pass *w, number *after, const number *before, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk, dv = w->dv;
    f->set(after, before, w->size);
    if (h->kernel == MN_LINEAR) {
        f->set(w->value, value_of(w, t), dv);
        for (int64_t p = 0; p < dk; p++)
            f->scale(f, at(w, after, p * w->w), at(w, after, p * w->w), gate(w, t, p), w->w);
        outer(w, after, key(w, t), w->value, dk, w->w);
        return REFERENCE_OK;
    }
    residual(w, before, t);
    if (h->kernel == MN_VLA) {
        reference_status status = step_vla(w, after, before, t);
        return status == REFERENCE_OK && w->carry ? carry_on(w, after, t) : status;
    }
    f->scale(f, after, after, gate(w, t, 0), dk * dv);
    outer(w, after, key(w, t), w->e, dk, dv);
    if (!w->carry)
        return REFERENCE_OK;
    measure(w, t);
    return carry_on(w, after, t);
}

/* The rows of token t: dq and what they add to B and to the cotangent of the sum of keys. */
static reference_status read_rows(pass *w, const number *midpoint, int64_t t) {
    const gradient_field *f = w->f;
    gradient_head *h = w->h;
    int64_t dk = w->dk, dv = w->dv;
    bool vla = h->kernel == MN_VLA;
    number *dz = at(w, w->d_state, dk * w->w + dk * dk);
    const number *z = at(w, midpoint, dk * w->w + dk * dk),
                 *after = view_s(w, w->wide_after, midpoint, t + 1);
    for (int64_t i = 0; i < h->group; i++) {
        int64_t row = t * h->group + i;
        const number *q = at(w, h->q, row * dk);
        number *dq = part(w, GRADIENT_Q, row * dk);
        f->scale(f, w->q, q, h->scale, dk);
        f->set(w->row, at(w, h->d_o, row * dv), dv);
        if (h->normalise) {
            transposed_times(w, w->numbers, after, w->q, dk, w->w, w->w);
            if (vla)
                f->dot(f, at(w, w->numbers, dv), NULL, 0, w->q, 1, z, 1, dk);
            reference_status status = gradient_quotient(h, w->row, w->numbers, row);
            if (status != REFERENCE_OK)
                return status;
        }
        outer(w, w->d_state, w->q, w->row, dk, w->w);
        times(w, dq, after, w->row, dk, w->w);
        if (vla && h->normalise) {
            f->addmul(f, dq, z, at(w, w->row, dv), dk);
            f->addmul(f, dz, w->q, at(w, w->row, dv), dk);
        }
        if (!h->normalise || f->absolute)
            f->dot(f, h->d[GRADIENT_SCALE], h->d[GRADIENT_SCALE], 0, q, 1, dq, 1, dk);
        for (int64_t p = 0; f->absolute && p < dk; p++)
            f->addmul(f, at(w, w->cumulative, p), at(w, dq, p), at(w, w->q, p), 1);
        f->scale(f, dq, dq, h->scale, dk);
        double size = w->largest[t + 1] + (vla && h->normalise ? f->norm(z, dk) : 0);
        if (!narrow(w, GRADIENT_Q, row * dk, dk,
                    size * f->norm(w->row, h->normalise ? dv + 1 : dv) * f->norm(h->scale, 1)))
            return REFERENCE_UNDECIDED;
    }
    if (w->carry) {
        add_error(&w->back, f->strip(f, w->d_state, dk * w->w), w->token[t + 1].a);
        if (vla)
            smaller_error(&w->back, w->token[t + 1].m, w->token[t + 1].a);
    }
    w->reverse = fmax(w->reverse, f->norm(w->d_state, dk * w->w));
    return REFERENCE_OK;
}

/* dg = c <B, S_{t-1}>, all keys together or one by one; B := c B.  Absolute values: what the
 * reverse cumulative sum of q.dq - k.dk is made of. */
static bool reverse_gate(pass *w, const number *before, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk;
    for (int64_t p = 0; (h->gate || h->gate_keys) && p < dk; p++) {
        number *b = at(w, w->d_state, p * w->w);
        f->scale(f, b, b, gate(w, t, p), w->w);
    }
    if (w->carry)
        w->back.s =
            (w->token[t + 1].growth * w->back.s + f->strip(f, w->d_state, dk * w->w)) * OUTWARD;
    if (!h->gate && !h->gate_keys)
        return true;
    const number *b = view_b(w);
    for (int64_t p = 0; p < dk; p++) {
        number *dg = h->gate ? part(w, GRADIENT_G, t) : part(w, GRADIENT_GATE_KEYS, t * dk + p);
        if (!f->absolute)
            f->dot(f, dg, dg, 0, at(w, b, p * w->w), 1, at(w, before, p * w->w), 1, w->w);
        else
            f->add(f, dg, dg, at(w, w->cumulative, p), 1);
    }
    double scale = w->reverse * w->largest[t];
    return narrow(w, GRADIENT_G, t, 1, scale) && narrow(w, GRADIENT_GATE_KEYS, t * dk, dk, scale);
}

static reference_status reverse_linear(pass *w, const number *before, int64_t t) {
    const gradient_field *f = w->f;
    int64_t dk = w->dk, dv = w->dv;
    number *dk_t = part(w, GRADIENT_K, t * dk);
    f->set(w->value, value_of(w, t), dv);
    times(w, dk_t, w->d_state, w->value, dk, w->w);
    transposed_times(w, part(w, GRADIENT_V, t * dv), w->d_state, key(w, t), dk, w->w, dv);
    for (int64_t p = 0; f->absolute && p < dk; p++)
        f->addmul(f, at(w, w->cumulative, p), at(w, dk_t, p), at(w, key(w, t), p), 1);
    return reverse_gate(w, before, t) &&
                   narrow(w, GRADIENT_K, t * dk, dk, w->reverse * f->norm(w->value, w->w)) &&
                   narrow(w, GRADIENT_V, t * dv, dv, w->reverse * f->norm(key(w, t), dk))
               ? REFERENCE_OK
               : REFERENCE_UNDECIDED;
}

/* de = B^T k,  dbeta = de.r,  dr = dv = beta de,  dk = B e - c S dr,  B := c (B - k dr^T). */
static reference_status reverse_delta(pass *w, const number *midpoint, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk, dv = w->dv;
    const number *before = view_s(w, w->wide_s, midpoint, t), *b = view_b(w),
                 *beta_t = h->beta ? at(w, h->beta, t) : w->one;
    number *dk_t = part(w, GRADIENT_K, t * dk), *dr = part(w, GRADIENT_V, t * dv);
    residual(w, before, t);
    transposed_times(w, w->de, b, key(w, t), dk, dv, dv);
    if (h->beta)
        f->dot(f, part(w, GRADIENT_BETA, t), NULL, 0, w->de, 1, w->r, 1, dv);
    f->scale(f, dr, w->de, beta_t, dv);
    negate(w, w->minus, dr, dv);
    times(w, w->vector, before, w->minus, dk, dv);
    f->scale(f, w->vector, w->vector, gate(w, t, 0), dk);
    times(w, dk_t, b, w->e, dk, dv);
    f->add(f, dk_t, dk_t, w->vector, dk);
    if (w->carry) { /* dr of the midpoint */
        transposed_times(w, w->de, w->d_state, key(w, t), dk, dv, dv);
        f->scale(f, w->de, w->de, beta_t, dv);
        negate(w, w->minus, w->de, dv);
    }
    outer(w, w->d_state, key(w, t), w->minus, dk, dv);
    double k = f->norm(key(w, t), dk), r = f->norm(value_of(w, t), dv) + k * w->largest[t],
           beta = h->beta ? f->norm(at(w, h->beta, t), 1) : 1;
    w->reverse = fmax(w->reverse, f->norm(w->d_state, dk * dv));
    return reverse_gate(w, before, t) &&
                   narrow(w, GRADIENT_K, t * dk, dk, beta * w->reverse * (r + k * w->largest[t])) &&
                   narrow(w, GRADIENT_V, t * dv, dv, beta * w->reverse * k) &&
                   narrow(w, GRADIENT_BETA, t, 1, w->reverse * k * r)
               ? REFERENCE_OK
               : REFERENCE_UNDECIDED;
}

/* z += (A - y y^T / c) x. */
static bool add_inverse_times(pass *w, number *z, const number *inverse, const number *x) {
    const gradient_field *f = w->f;
    int64_t dk = w->dk;
    for (int64_t p = 0; p < dk; p++)
        f->dot(f, at(w, z, p), at(w, z, p), 0, at(w, inverse, p * dk), 1, x, 1, dk);
    f->dot(f, w->x, NULL, 1, w->y, 1, x, 1, dk);
    if (!f->div(f, w->x, w->x, w->c, 1))
        return false;
    f->addmul(f, z, w->y, w->x, dk);
    return true;
}

/* z += (x y^T + y x^T) by, z [dk][dk]. */
static void add_symmetric(pass *w, number *z, const number *x, const number *y, const number *by) {
    const gradient_field *f = w->f;
    int64_t dk = w->dk;
    f->scale(f, w->vector, x, by, dk);
    outer(w, z, w->vector, y, dk, dk);
    outer(w, z, y, w->vector, dk, dk);
}

/* f = F y / c of F [dk][dk]. */
static bool mix(pass *w, const number *F) {
    times(w, w->fy, F, w->y, w->dk, w->dk);
    return w->f->div(w->f, w->fy, w->fy, w->c, w->dk);
}

/* du and F_{t-1}, as below. */
static bool reverse_inverse(pass *w, const number *inverse, const number *u, int64_t t) {
    const gradient_field *f = w->f;
    int64_t dk = w->dk;
    number *F = at(w, w->d_state, dk * w->dv), *du = part(w, GRADIENT_U, t * dk);
    w->reverse_inverse = fmax(w->reverse_inverse, f->norm(F, dk * dk));
    const number *wide = view(w, w->wide_f, F, dk * dk, w->back.a * w->token[t + 1].m * OUTWARD);
    if (!mix(w, wide) || !add_inverse_times(w, du, inverse, w->fy))
        return false;
    f->set_si(w->x, -2);
    f->scale(f, du, du, w->x, dk);
    if (w->carry && !mix(w, F))
        return false;
    f->set_si(w->x, -1);
    add_symmetric(w, F, u, w->fy, w->x);
    f->dot(f, w->x, NULL, 0, w->y, 1, w->fy, 1, dk);
    if (!f->div(f, w->x, w->x, w->c, 1))
        return false;
    f->scale(f, w->vector, u, w->x, dk);
    outer(w, F, w->vector, u, dk, dk);
    if (w->carry) {
        symmetrise(w, F);
        w->back.a = (w->back.a + f->strip(f, F, dk * dk) * w->token[t].a) * OUTWARD;
    }
    w->reverse_inverse = fmax(w->reverse_inverse, f->norm(F, dk * dk));
    return true;
}

/* de = B^T a,  da = B e,  dv = de,  dk = -S de + A_t dw,  dw = (da - a (a.da)) / |A_t k|,
 * B := B - k de^T; with F the symmetric cotangent of A_t, F += (dw k^T + k dw^T) / 2, f = F y / c:
 * du = -2 A_t f,  F := F - u f^T - f u^T + u u^T (y.f) / c  (as A_t u = y / c). */
static reference_status reverse_vla(pass *w, const number *midpoint, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk, dv = w->dv;
    const number *u = at(w, h->u, t * dk), *before = view_s(w, w->wide_s, midpoint, t),
                 *inverse = view_a(w, midpoint, t), *b = view_b(w);
    number *dk_t = part(w, GRADIENT_K, t * dk), *de = part(w, GRADIENT_V, t * dv),
           *dz = at(w, w->d_state, dk * dv + dk * dk), *F = at(w, w->d_state, dk * dv);
    residual(w, before, t);
    reference_status status = look(w, inverse, t);
    if (status != REFERENCE_OK)
        return status;
    if (h->normalise)
        f->set(dk_t, dz, dk);
    transposed_times(w, de, b, w->a, dk, dv, dv);
    times(w, w->da, b, w->e, dk, dv);
    negate(w, w->minus, de, dv);
    for (int64_t p = 0; p < dk; p++)
        f->dot(f, at(w, dk_t, p), at(w, dk_t, p), 0, at(w, before, p * dv), 1, w->minus, 1, dv);
    double scale = w->largest[t] * f->norm(de, dv) + (h->normalise ? f->norm(dz, dk) : 0);
    if (!w->still) {
        double top = f->norm(w->da, dk);
        f->dot(f, w->x, NULL, 1, w->a, 1, w->da, 1, dk);
        f->addmul(f, w->da, w->a, w->x, dk);
        if (!f->div(f, w->da, w->da, w->norm, dk) || !add_inverse_times(w, dk_t, inverse, w->da))
            return REFERENCE_UNDECIDED;
        add_symmetric(w, F, w->da, key(w, t), w->half);
        f->div(f, w->x, w->one, w->norm, 1);
        scale += top * f->norm(w->x, 1) * w->inverse[t];
        if (w->carry)
            w->back.a = (w->back.a + f->strip(f, F, dk * dk) * w->token[t + 1].a) * OUTWARD;
    }
    if (w->carry) { /* B's midpoint by a */
        transposed_times(w, w->de, w->d_state, w->a, dk, dv, dv);
        negate(w, w->minus, w->de, dv);
    }
    outer(w, w->d_state, key(w, t), w->minus, dk, dv);
    if (w->carry) {
        const token_sizes *now = w->token + t + 1, *last = w->token + t;
        w->back.s *= now->growth, w->back.metric *= now->stretch;
        add_error(&w->back, f->strip(f, w->d_state, dk * dv), last->a);
        smaller_error(&w->back, last->m, last->a);
    }
    w->reverse = fmax(w->reverse, f->norm(w->d_state, dk * dv));
    if (!reverse_inverse(w, inverse, u, t))
        return REFERENCE_UNDECIDED;
    return narrow(w, GRADIENT_K, t * dk, dk, scale) &&
                   narrow(w, GRADIENT_V, t * dv, dv, w->reverse) &&
                   narrow(w, GRADIENT_U, t * dk, dk,
                          w->inverse[t] * w->reverse_inverse * f->norm(w->y, dk))
               ? REFERENCE_OK
               : REFERENCE_UNDECIDED;
}

/* A state blob's numbers to the layout here, or back; VLA's A, and its cotangent, symmetric. */
static void convert(pass *w, number *state, number *blob, bool back) {
    const gradient_field *f = w->f;
    int64_t dk = w->dk, dv = w->dv, size = gradient_head_floats(w->h);
    if (w->w == dv) {
        f->set(back ? blob : state, back ? state : blob, size);
    } else {
        for (int64_t p = 0; p < dk; p++) {
            number *row = at(w, state, p * w->w), *sum = at(w, row, dv), *s = at(w, blob, p * dv),
                   *z = at(w, blob, dk * dv + p);
            f->set(back ? s : row, back ? row : s, dv);
            f->set(back ? z : sum, back ? sum : z, 1);
        }
    }
    if (!back && w->h->kernel == MN_VLA)
        symmetrise(w, at(w, state, dk * dv));
}

static reference_status begin(pass *w, number *state) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    if (h->state_in) {
        convert(w, state, h->state_in, false);
    } else if (h->kernel == MN_VLA) {
        if (!f->div(f, w->x, w->one, h->lambda0, 1))
            return REFERENCE_UNDECIDED;
        for (int64_t p = 0; p < w->dk; p++)
            f->set(at(w, state, w->dk * w->w + p * (w->dk + 1)), w->x, 1);
    }
    if (!w->carry || h->kernel != MN_VLA)
        return REFERENCE_OK;
    int64_t dk = w->dk;
    number *inverse = at(w, state, dk * w->w);
    w->token[0].m = h->state_in ? f->inverse_norm(inverse, dk) : f->norm(h->lambda0, 1);
    w->token[0].a = f->norm(inverse, dk * dk) * (1 + 0x1p-19);
    w->carry = isfinite(w->token[0].m);
    if (w->carry)
        w->error[0].a = f->strip(f, inverse, dk * dk) * w->token[0].m * OUTWARD;
    return REFERENCE_OK;
}

/* B_0 to d(state_in); d(lambda0) = -tr(dA_0) / lambda0^2. */
static bool finish(pass *w) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t square = w->dk * w->w;
    if (w->carry) {
        f->inflate(f, w->d_state, w->d_state, square, w->back.s);
        f->inflate(f, at(w, w->d_state, square), at(w, w->d_state, square),
                   h->kernel == MN_VLA ? w->dk * w->dk : 0, w->back.a * w->token[0].m * OUTWARD);
    }
    if (h->state_in) {
        convert(w, w->d_state, h->d[GRADIENT_STATE], true);
        if (h->kernel != MN_VLA)
            return narrow(w, GRADIENT_STATE, 0, gradient_head_floats(h), w->reverse);
        number *dz = part(w, GRADIENT_STATE, square + w->dk * w->dk);
        return narrow(w, GRADIENT_STATE, 0, square, w->reverse) &&
               narrow(w, GRADIENT_STATE, square, w->dk * w->dk, w->reverse_inverse) &&
               (!h->normalise || f->narrow(dz, w->dk, f->norm(dz, w->dk)));
    }
    if (h->kernel != MN_VLA)
        return true;
    f->set_si(w->x, 0);
    for (int64_t p = 0; p < w->dk; p++)
        f->sub(f, w->x, w->x, at(w, w->d_state, square + p * (w->dk + 1)), 1);
    f->div(f, w->x, w->x, h->lambda0, 1);
    f->div(f, h->d[GRADIENT_LAMBDA0], w->x, h->lambda0, 1);
    f->div(f, w->x, w->one, h->lambda0, 1);
    double inverse = f->norm(w->x, 1);
    return narrow(w, GRADIENT_LAMBDA0, 0, 1, w->reverse_inverse * inverse * inverse);
}

static reference_status reverse(pass *w, const number *before, const number *after, int64_t t) {
    reference_status status = read_rows(w, after, t);
    if (status != REFERENCE_OK)
        return status;
    return w->h->kernel == MN_LINEAR  ? reverse_linear(w, before, t)
           : w->h->kernel == MN_DELTA ? reverse_delta(w, before, t)
                                      : reverse_vla(w, before, t);
}

/* States after every block of tokens, then block after block from the end. */
static reference_status run(pass *w) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t n = h->length, square = w->dk * w->w, block = (int64_t)ceil(sqrt((double)n)),
            blocks = block ? (n + block - 1) / block : 0;
    number *kept = f->init((blocks + 1) * w->size), *states = f->init((block + 1) * w->size);
    reference_status status = begin(w, kept);
    w->largest[0] = f->norm(kept, square);
    w->inverse[0] = f->norm(at(w, kept, square), w->size - square);
    for (int64_t b = 0; b < blocks && status == REFERENCE_OK; b++) {
        number *now = states, *next = at(w, states, w->size);
        f->set(now, at(w, kept, b * w->size), w->size);
        for (int64_t t = b * block; t < n && t < (b + 1) * block && status == REFERENCE_OK; t++) {
            status = step(w, next, now, t);
            w->largest[t + 1] = fmax(w->largest[t], f->norm(next, square));
            w->inverse[t + 1] = fmax(w->inverse[t], f->norm(at(w, next, square), w->size - square));
            number *swap = now;
            now = next, next = swap;
        }
        f->set(at(w, kept, (b + 1) * w->size), now, w->size);
    }
    if (h->d_state)
        convert(w, w->d_state, h->d_state, false);
    for (int64_t p = 0; f->absolute && h->d_state && p < w->dk; p++)
        f->dot(f, at(w, w->cumulative, p), NULL, 0, at(w, w->d_state, p * w->w), 1,
               at(w, kept, blocks * w->size + p * w->w), 1, w->w);
    if (w->carry) /* halves of floats: nothing to strip but at very low precision */
        add_error(&w->back, f->strip(f, w->d_state, square), w->token[n].a);
    if (w->carry && h->kernel == MN_VLA)
        w->back.a = f->strip(f, at(w, w->d_state, square), w->dk * w->dk) * w->token[n].a;
    w->reverse = f->norm(w->d_state, square);
    w->reverse_inverse = f->norm(at(w, w->d_state, square), w->size - square);
    for (int64_t b = blocks - 1; b >= 0 && status == REFERENCE_OK; b--) {
        int64_t first = b * block, last = n < first + block ? n : first + block;
        f->set(states, at(w, kept, b * w->size), w->size);
        for (int64_t t = first; t < last && status == REFERENCE_OK; t++)
            status = step(w, at(w, states, (t - first + 1) * w->size),
                          at(w, states, (t - first) * w->size), t);
        for (int64_t t = last - 1; t >= first && status == REFERENCE_OK; t--)
            status = reverse(w, at(w, states, (t - first) * w->size),
                             at(w, states, (t - first + 1) * w->size), t);
    }
    f->clear(kept, (blocks + 1) * w->size);
    f->clear(states, (block + 1) * w->size);
    return status == REFERENCE_OK && !finish(w) ? REFERENCE_UNDECIDED : status;
}

reference_status gradient_recurrence(gradient_head *h) {
    const gradient_field *f = h->f;
    int64_t dk = h->dk, dv = h->dv;
    pass w = {.h = h, .f = f, .dk = dk, .dv = dv, .w = dv};
    if (h->kernel == MN_LINEAR && h->normalise)
        w.w++;
    w.size = gradient_head_floats(h);
    w.carry = f->strip != NULL && h->kernel != MN_LINEAR;
    int64_t square = dk * w.w, wide = w.carry ? square : 0,
            wide_a = w.carry && h->kernel == MN_VLA ? dk * dk : 0, total = 0;
    const struct {
        number **to;
        int64_t size;
    } rooms[] = {{&w.d_state, w.size},
                 {&w.one, 1},
                 {&w.zero, 1},
                 {&w.half, 1},
                 {&w.x, 1},
                 {&w.c, 1},
                 {&w.norm, 1},
                 {&w.q, dk},
                 {&w.y, dk},
                 {&w.a, dk},
                 {&w.da, dk},
                 {&w.fy, dk},
                 {&w.vector, dk},
                 {&w.r, dv},
                 {&w.e, dv},
                 {&w.de, dv},
                 {&w.minus, dv},
                 {&w.value, w.w},
                 {&w.row, dv + 1},
                 {&w.numbers, dv + 1},
                 {&w.cumulative, dk},
                 {&w.wide_s, wide},
                 {&w.wide_after, wide},
                 {&w.wide_b, wide},
                 {&w.wide_a, wide_a},
                 {&w.wide_f, wide_a}};
    enum { ROOMS = sizeof rooms / sizeof *rooms };
    for (int i = 0; i < ROOMS; i++)
        total += rooms[i].size;
    number *room = f->init(total), *next = room;
    for (int i = 0; i < ROOMS; i++)
        *rooms[i].to = next, next = gradient_at(f, next, rooms[i].size);
    w.error = flint_calloc((size_t)h->length + 1, sizeof *w.error);
    w.token = flint_calloc((size_t)h->length + 1, sizeof *w.token);
    w.largest = flint_calloc((size_t)h->length + 1, sizeof(double));
    w.inverse = flint_calloc((size_t)h->length + 1, sizeof(double));
    f->set_si(w.one, 1), f->set_si(w.half, 2);
    f->div(f, w.half, w.one, w.half, 1);
    f->set_si(gradient_at(f, w.value, w.w - 1), 1);
    reference_status status = run(&w);
    flint_free(w.largest), flint_free(w.inverse), flint_free(w.error), flint_free(w.token);
    f->clear(room, total);
    return status;
}

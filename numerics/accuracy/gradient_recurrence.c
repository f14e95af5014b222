/* Reverse passes of linear attention, the delta rule and VLA.  States are kept every so many
 * tokens; between two of them they are run again.  B_t is the cotangent of S_t, with that of o_t
 * in it; q~ = scale q. */
#include <math.h>

#include "numerics/accuracy/gradient_pass.h"

typedef struct {
    gradient_head *h;
    const gradient_field *f;
    int64_t dk, dv, w; /* w: columns of S: dv, and one for the sum of keys (linear, normalise) */
    int64_t size;      /* of a state: S [dk][w]; VLA: A [dk][dk], sum of keys [dk] */
    number *d_state;   /* B, and the cotangents of A and the sum of keys */
    number *one, *zero, *x;            /* numbers */
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

/* VLA: y = A u, c = 1 + u.y, A_t = A - y y^T / c; a = A_t k / |A_t k|, 0 where A_t k = 0. */
static reference_status look(pass *w, const number *state, int64_t t) {
    const gradient_field *f = w->f;
    int64_t dk = w->dk;
    const number *inverse = at(w, state, dk * w->w), *u = at(w, w->h->u, t * dk);
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

/* A state after token t from the one before it. */
static reference_status step(pass *w, number *after, const number *before, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk, dv = w->dv, square = dk * w->w;
    f->set(after, before, w->size);
    if (h->kernel == MN_LINEAR) {
        f->set(w->value, value_of(w, t), dv);
        for (int64_t p = 0; p < dk; p++)
            f->scale(f, at(w, after, p * w->w), at(w, after, p * w->w), gate(w, t, p), w->w);
        outer(w, after, key(w, t), w->value, dk, w->w);
        return REFERENCE_OK;
    }
    residual(w, before, t);
    if (h->kernel == MN_DELTA) {
        f->scale(f, after, after, gate(w, t, 0), dk * dv);
        outer(w, after, key(w, t), w->e, dk, dv);
        return REFERENCE_OK;
    }
    reference_status status = look(w, before, t);
    if (status != REFERENCE_OK)
        return status;
    outer(w, after, w->a, w->e, dk, dv);
    negate(w, w->vector, w->y, dk);
    if (!f->div(f, w->vector, w->vector, w->c, dk))
        return REFERENCE_UNDECIDED;
    outer(w, at(w, after, square), w->vector, w->y, dk, dk);
    number *z = at(w, after, square + dk * dk);
    if (h->normalise)
        f->add(f, z, z, key(w, t), dk);
    if (h->refresh_every && (h->position + t + 1) % h->refresh_every == 0)
        for (int64_t p = 0; p < dk; p++) {
            number *x = at(w, after, square + p * (dk + 1));
            f->add(f, x, x, h->refresh, 1);
        }
    return REFERENCE_OK;
}

/* The rows of token t: dq and what they add to B and to the cotangent of the sum of keys. */
static reference_status read_rows(pass *w, const number *after, int64_t t) {
    const gradient_field *f = w->f;
    gradient_head *h = w->h;
    int64_t dk = w->dk, dv = w->dv;
    bool vla = h->kernel == MN_VLA;
    number *dz = at(w, w->d_state, dk * w->w + dk * dk);
    const number *z = at(w, after, dk * w->w + dk * dk);
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
    w->reverse = fmax(w->reverse, f->norm(w->d_state, dk * w->w));
    return REFERENCE_OK;
}

/* dg = c <B, S_{t-1}>, all keys together or one by one; B := c B.  Absolute values: what the
 * reverse cumulative sum of q.dq - k.dk is made of. */
static bool reverse_gate(pass *w, const number *before, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk;
    if (!h->gate && !h->gate_keys)
        return true;
    for (int64_t p = 0; p < dk; p++) {
        number *b = at(w, w->d_state, p * w->w),
               *dg = h->gate ? part(w, GRADIENT_G, t) : part(w, GRADIENT_GATE_KEYS, t * dk + p);
        f->scale(f, b, b, gate(w, t, p), w->w);
        if (!f->absolute)
            f->dot(f, dg, dg, 0, b, 1, at(w, before, p * w->w), 1, w->w);
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
static reference_status reverse_delta(pass *w, const number *before, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk, dv = w->dv;
    number *dk_t = part(w, GRADIENT_K, t * dk), *dr = part(w, GRADIENT_V, t * dv);
    residual(w, before, t);
    transposed_times(w, w->de, w->d_state, key(w, t), dk, dv, dv);
    if (h->beta)
        f->dot(f, part(w, GRADIENT_BETA, t), NULL, 0, w->de, 1, w->r, 1, dv);
    f->scale(f, dr, w->de, h->beta ? at(w, h->beta, t) : w->one, dv);
    negate(w, w->minus, dr, dv);
    times(w, w->vector, before, w->minus, dk, dv);
    f->scale(f, w->vector, w->vector, gate(w, t, 0), dk);
    times(w, dk_t, w->d_state, w->e, dk, dv);
    f->add(f, dk_t, dk_t, w->vector, dk);
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
static bool add_inverse_times(pass *w, number *z, const number *state, const number *x) {
    const gradient_field *f = w->f;
    int64_t dk = w->dk;
    const number *inverse = at(w, state, dk * w->w);
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

/* de = B^T a,  da = B e,  dv = de,  dk = -S de + A_t dw,  dw = (da - a (a.da)) / |A_t k|,
 * B := B - k de^T; with F the symmetric cotangent of A_t, F += (dw k^T + k dw^T) / 2, f = F y / c:
 * du = -2 A_t f,  F := F - u f^T - f u^T + u u^T (y.f) / c  (as A_t u = y / c). */
static reference_status reverse_vla(pass *w, const number *before, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk, dv = w->dv;
    number *dk_t = part(w, GRADIENT_K, t * dk), *de = part(w, GRADIENT_V, t * dv),
           *du = part(w, GRADIENT_U, t * dk), *F = at(w, w->d_state, dk * w->w),
           *dz = at(w, F, dk * dk), *half = w->cumulative;
    const number *u = at(w, h->u, t * dk);
    residual(w, before, t);
    reference_status status = look(w, before, t);
    if (status != REFERENCE_OK)
        return status;
    if (h->normalise)
        f->set(dk_t, dz, dk);
    transposed_times(w, de, w->d_state, w->a, dk, dv, dv);
    times(w, w->da, w->d_state, w->e, dk, dv);
    negate(w, w->minus, de, dv);
    for (int64_t p = 0; p < dk; p++)
        f->dot(f, at(w, dk_t, p), at(w, dk_t, p), 0, at(w, before, p * dv), 1, w->minus, 1, dv);
    double sizes = w->largest[t] * f->norm(de, dv);
    if (!w->still) {
        double top = f->norm(w->da, dk);
        f->dot(f, w->x, NULL, 1, w->a, 1, w->da, 1, dk);
        f->addmul(f, w->da, w->a, w->x, dk);
        if (!f->div(f, w->da, w->da, w->norm, dk) || !add_inverse_times(w, dk_t, before, w->da))
            return REFERENCE_UNDECIDED;
        f->set_si(half, 2);
        if (!f->div(f, half, w->one, half, 1))
            return REFERENCE_UNDECIDED;
        add_symmetric(w, F, w->da, key(w, t), half);
        f->div(f, w->x, w->one, w->norm, 1);
        sizes += top * f->norm(w->x, 1) * w->inverse[t];
    }
    w->reverse_inverse = fmax(w->reverse_inverse, f->norm(F, dk * dk));
    times(w, w->fy, F, w->y, dk, dk);
    if (!f->div(f, w->fy, w->fy, w->c, dk) || !add_inverse_times(w, du, before, w->fy))
        return REFERENCE_UNDECIDED;
    f->set_si(w->x, -2);
    f->scale(f, du, du, w->x, dk);
    f->set_si(w->x, -1);
    add_symmetric(w, F, u, w->fy, w->x);
    f->dot(f, w->x, NULL, 0, w->y, 1, w->fy, 1, dk);
    if (!f->div(f, w->x, w->x, w->c, 1))
        return REFERENCE_UNDECIDED;
    f->scale(f, w->vector, u, w->x, dk);
    outer(w, F, w->vector, u, dk, dk);
    outer(w, w->d_state, key(w, t), w->minus, dk, dv);
    w->reverse = fmax(w->reverse, f->norm(w->d_state, dk * dv));
    w->reverse_inverse = fmax(w->reverse_inverse, f->norm(F, dk * dk));
    double y = f->norm(w->y, dk);
    return narrow(w, GRADIENT_K, t * dk, dk, sizes + (h->normalise ? f->norm(dz, dk) : 0)) &&
                   narrow(w, GRADIENT_V, t * dv, dv, w->reverse) &&
                   narrow(w, GRADIENT_U, t * dk, dk, w->inverse[t] * w->reverse_inverse * y)
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
    if (back || w->h->kernel != MN_VLA)
        return;
    f->set_si(w->x, 2);
    for (int64_t p = 0; p < dk; p++)
        for (int64_t r = 0; r < p; r++) {
            number *lower = at(w, state, dk * dv + p * dk + r),
                   *upper = at(w, state, dk * dv + r * dk + p);
            f->add(f, lower, lower, upper, 1);
            f->div(f, lower, lower, w->x, 1);
            f->set(upper, lower, 1);
        }
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
    return REFERENCE_OK;
}

/* B_0 to d(state_in); d(lambda0) = -tr(dA_0) / lambda0^2. */
static bool finish(pass *w) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t square = w->dk * w->w;
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
    int64_t total = w.size + 5 + 7 * dk + 4 * dv + w.w + 2 * (dv + 1);
    number *room = f->init(total), *next = room;
    number **const parts[] = {&w.d_state, &w.one,    &w.zero,       &w.x,   &w.c,
                              &w.norm,    &w.q,      &w.y,          &w.a,   &w.da,
                              &w.fy,      &w.vector, &w.cumulative, &w.r,   &w.e,
                              &w.de,      &w.minus,  &w.value,      &w.row, &w.numbers};
    const int64_t sizes[] = {w.size, 1,  1,  1,  1,  1,  dk, dk,  dk,     dk,
                             dk,     dk, dk, dv, dv, dv, dv, w.w, dv + 1, dv + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *parts[i] = next, next = gradient_at(f, next, sizes[i]);
    w.largest = flint_calloc((size_t)h->length + 1, sizeof(double));
    w.inverse = flint_calloc((size_t)h->length + 1, sizeof(double));
    f->set_si(w.one, 1), f->set_si(w.zero, 0);
    f->set_si(gradient_at(f, w.value, w.w - 1), 1);
    reference_status status = run(&w);
    flint_free(w.largest), flint_free(w.inverse);
    f->clear(room, total);
    return status;
}

/* What a token of linear attention, the delta rule or VLA gives to its gradients, and the
 * cotangents of the state in front of it. */
#include "numerics/accuracy/gradient_recurrence.h"

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
        w->back.s = (w->token[t + 1].growth * w->back.s + f->strip(f, w->d_state, dk * w->w)) *
                    GRADIENT_OUTWARD;
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
    gradient_residual(w, before, t);
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
    const number *wide =
        view(w, w->wide_f, F, dk * dk, w->back.a * w->token[t + 1].m * GRADIENT_OUTWARD);
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
        gradient_symmetrise(w, F);
        w->back.a = (w->back.a + f->strip(f, F, dk * dk) * w->token[t].a) * GRADIENT_OUTWARD;
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
    gradient_residual(w, before, t);
    reference_status status = gradient_look(w, inverse, t);
    if (status != REFERENCE_OK)
        return status;
    if (h->normalise)
        f->set(dk_t, dz, dk);
    transposed_times(w, de, b, w->a, dk, dv, dv);
    times(w, w->da, b, w->e, dk, dv);
    negate(w, w->minus, de, dv);
    for (int64_t p = 0; p < dk; p++)
        f->dot(f, at(w, dk_t, p), at(w, dk_t, p), 0, at(w, before, p * dv), 1, w->minus, 1, dv);
    double scale = w->largest[t] * f->norm(de, dv) + w->reverse_keys;
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
            w->back.a =
                (w->back.a + f->strip(f, F, dk * dk) * w->token[t + 1].a) * GRADIENT_OUTWARD;
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

reference_status gradient_reverse(pass *w, const number *before, int64_t t) {
    return w->h->kernel == MN_LINEAR  ? reverse_linear(w, before, t)
           : w->h->kernel == MN_DELTA ? reverse_delta(w, before, t)
                                      : reverse_vla(w, before, t);
}

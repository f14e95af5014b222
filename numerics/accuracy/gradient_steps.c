/* States from token to token, and their errors.
 *
 * Entrywise balls of S lose about a bit a token to wrapping, so for the delta rule and VLA they are
 * not run on: states are exact midpoints, and an error in a norm goes beside them.  A token's map
 * is applied to the midpoint, what its roundings (and the balls of a_t, y_t) leave is stripped and
 * added to the error, which the map stretches by at most its norm:
 *   - delta rule: c max(1, |1 - beta |k|^2|), for S and for B;
 *   - VLA: (|k| + sqrt(4 + |k|^2)) / 2; or, from the M_{t-1}- to the M_t-metric, M = A^-1, sqrt(1 +
 *     u.A_{t-1} u) max(1, |k| - 1), since I - a k^T is self-adjoint in the M_t-metric with
 *     eigenvalues in [1 - |k|, 1]; for B, whose map is the transposed one, the same from the metric
 *     of A_t to that of A_{t-1};
 *   - A: (1 - eps) A <= A^ <= (1 + eps) A passes through the update and a refresh; a rounding R adds
 *     |R| |M|;
 *   - F = dA: |A^(1/2) E A^(1/2)|_F does not grow, as F_{t-1} = P F P^T with P = M_{t-1} A_t, and
 *     A_{t-1}^(1/2) P A_t^-1 P^T A_{t-1}^(1/2) = A_{t-1}^(-1/2) A_t A_{t-1}^(-1/2) <= I.
 * Whatever is read off a state is read off balls that are wide by the error.  |M_t| <= |M_0| + sum
 * |u|^2; where the initial A is not surely positive entrywise balls are run on after all. */
#include "numerics/accuracy/gradient_recurrence.h"

void gradient_symmetrise(pass *w, number *x) {
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

void gradient_residual(const pass *w, const number *s, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    transposed_times(w, w->r, s, key(w, t), w->dk, w->dv, w->dv);
    f->scale(f, w->r, w->r, gate(w, t, 0), w->dv);
    f->sub(f, w->r, value_of(w, t), w->r, w->dv);
    f->scale(f, w->e, w->r, h->beta ? at(w, h->beta, t) : w->one, w->dv);
}

reference_status gradient_look(pass *w, const number *inverse, int64_t t) {
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

/* Norms of the map of token t.  c, y of VLA: as look left them. */
static void measure(pass *w, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    token_sizes *now = w->token + t + 1, *last = w->token + t;
    double k = f->norm(key(w, t), w->dk) * GRADIENT_OUTWARD;
    if (h->kernel == MN_DELTA) { /* 1 - beta k.k */
        f->dot(f, w->x, NULL, 1, key(w, t), 1, key(w, t), 1, w->dk);
        if (h->beta)
            f->scale(f, w->x, w->x, at(w, h->beta, t), 1);
        f->add(f, w->x, w->x, w->one, 1);
        now->growth = f->norm(gate(w, t, 0), 1) * fmax(1, f->norm(w->x, 1)) * GRADIENT_OUTWARD;
    } else {
        double u = f->norm(at(w, h->u, t * w->dk), w->dk) * GRADIENT_OUTWARD;
        now->growth = (k + sqrt(4 + k * k)) / 2 * GRADIENT_OUTWARD;
        now->stretch = sqrt(f->norm(w->c, 1)) * fmax(1, k - 1) * GRADIENT_OUTWARD;
        now->m = (last->m + u * u) * GRADIENT_OUTWARD;
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
        e->s = (e->s + x) * GRADIENT_OUTWARD;
        return REFERENCE_OK;
    }
    number *inverse = at(w, after, square);
    e->a = (e->a + f->strip(f, inverse, w->dk * w->dk) * now->m) * GRADIENT_OUTWARD;
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
    reference_status status = gradient_look(w, view_a(w, before, t), t);
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
        gradient_symmetrise(w, inverse);
    return REFERENCE_OK;
}

reference_status gradient_step(pass *w, number *after, const number *before, int64_t t) {
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
    gradient_residual(w, before, t);
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

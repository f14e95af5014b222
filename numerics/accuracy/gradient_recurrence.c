/* Reverse passes of linear attention, the delta rule and VLA.  States are kept every so many
 * tokens; between two of them they are run again.  B_t is the cotangent of S_t, with that of o_t
 * in it; q~ = scale q. */
#include "numerics/accuracy/gradient_recurrence.h"

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
            w->reverse_keys += f->norm(w->q, dk) * f->norm(at(w, w->row, dv), 1);
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
        gradient_symmetrise(w, at(w, state, dk * dv));
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
        w->error[0].a = f->strip(f, inverse, dk * dk) * w->token[0].m * GRADIENT_OUTWARD;
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
                   h->kernel == MN_VLA ? w->dk * w->dk : 0,
                   w->back.a * w->token[0].m * GRADIENT_OUTWARD);
    }
    if (h->state_in) {
        convert(w, w->d_state, h->d[GRADIENT_STATE], true);
        if (h->kernel != MN_VLA)
            return narrow(w, GRADIENT_STATE, 0, gradient_head_floats(h), w->reverse);
        number *dz = part(w, GRADIENT_STATE, square + w->dk * w->dk);
        return narrow(w, GRADIENT_STATE, 0, square, w->reverse) &&
               narrow(w, GRADIENT_STATE, square, w->dk * w->dk, w->reverse_inverse) &&
               (!h->normalise || f->narrow(dz, w->dk, w->reverse_keys));
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
    return gradient_reverse(w, before, t);
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
            status = gradient_step(w, next, now, t);
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
    if (h->kernel == MN_VLA && h->normalise)
        w->reverse_keys = f->norm(at(w, w->d_state, square + w->dk * w->dk), w->dk);
    w->reverse = f->norm(w->d_state, square);
    w->reverse_inverse = f->norm(at(w, w->d_state, square), w->size - square);
    for (int64_t b = blocks - 1; b >= 0 && status == REFERENCE_OK; b--) {
        int64_t first = b * block, last = n < first + block ? n : first + block;
        f->set(states, at(w, kept, b * w->size), w->size);
        for (int64_t t = first; t < last && status == REFERENCE_OK; t++)
            status = gradient_step(w, at(w, states, (t - first + 1) * w->size),
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

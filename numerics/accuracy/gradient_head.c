/* One head of a call: its arrays in the arithmetic's numbers, and its results back. */
#include "numerics/accuracy/gradient_run.h"

int64_t gradient_row_length(const mn_args *a, gradient_part part) {
    switch (part) {
    case GRADIENT_Q:
    case GRADIENT_K:
        return a->dk;
    case GRADIENT_V:
        return a->dv;
    case GRADIENT_G:
        return a->g.data && a->kernel != MN_VLA && a->kernel != MN_VORT && a->kernel != MN_SOFTMAX;
    case GRADIENT_GATE_KEYS:
        return a->gate_keys.data && a->kernel == MN_LINEAR ? a->dk : 0;
    case GRADIENT_BETA:
        return a->beta.data && a->kernel == MN_DELTA;
    case GRADIENT_U:
        return a->kernel == MN_VLA ? a->dk : 0;
    case GRADIENT_LAMBDA:
        return a->lambda.data && a->kernel == MN_LOGLINEAR ? a->levels : 0;
    default:
        return 0;
    }
}

bool gradient_by_query(gradient_part part) {
    return part == GRADIENT_Q || part == GRADIENT_LAMBDA;
}

bool gradient_with_past(const mn_args *a, gradient_part part) {
    return a->kernel == MN_SOFTMAX && (part == GRADIENT_K || part == GRADIENT_V);
}

int64_t gradient_head_floats(const gradient_head *h) {
    mn_args a = {.kernel = h->kernel,
                 .dk = h->dk,
                 .dv = h->dv,
                 .normalise = h->normalise,
                 .levels = h->levels,
                 .banks = h->banks,
                 .modes = h->modes};
    return reference_head_floats(&a);
}

/* dN = do / n, dn = -(do.o) / n.  Absolute values, of what float arithmetic makes of it when n is
 * off by a part of sum |weights|: do / |n| and sum |do| |N| / |n|^2, both times 1 + sum |weights|
 * / |n|. */
reference_status gradient_quotient(gradient_head *h, number *row, number *numerators, int64_t at) {
    const gradient_field *f = h->f;
    int64_t dv = h->dv;
    number *last = gradient_at(f, row, dv), *sum = gradient_at(f, numerators, dv);
    const number *n = f->absolute ? gradient_at(f, h->divisor, at) : sum;
    if (h->divisor && !f->absolute)
        f->set(gradient_at(f, h->divisor, at), sum, 1);
    if (f->is_zero(n)) {
        if (f->absolute && !f->is_zero(sum))
            h->condition = INFINITY;
        f->set_si(last, 0);
        for (int64_t j = 0; j < dv; j++)
            f->set(gradient_at(f, row, j), last, 1);
        return REFERENCE_OK;
    }
    if (!f->div(f, row, row, n, dv))
        return REFERENCE_UNDECIDED;
    f->dot(f, last, NULL, 1, row, 1, numerators, 1, dv);
    f->div(f, last, last, n, 1);
    if (f->absolute) {
        f->div(f, sum, sum, n, 1);
        h->condition = fmax(h->condition, f->norm(sum, 1));
        number *factor = f->init(1);
        f->set_si(factor, 1);
        f->add(f, factor, factor, sum, 1);
        f->scale(f, row, row, factor, dv + 1);
        f->clear(factor, 1);
        h->cotangent = fmax(h->cotangent, f->norm(row, dv + 1));
    }
    return REFERENCE_OK;
}

/* One head's arrays: where they are in the call, and in the head. */
typedef struct {
    gradient_head h;
    gradient_field f, exact;
    int64_t sequence, head, batch, first, state_size;
    int32_t *bank;
    number *owned[40];
    slong owned_size[40];
    int owned_count;
} loaded;

static number *own(loaded *l, slong n) {
    number *x = l->f.init(n);
    l->owned_size[l->owned_count] = n;
    return l->owned[l->owned_count++] = x;
}

/* Rows of one head: [tokens][group or 1][dim]. */
static bool load_rows(loaded *l, const gradient_run *g, number **z, mn_input x, gradient_part part,
                      bool gates) {
    const mn_args *a = g->a;
    int64_t dim = gradient_row_length(a, part), past = gradient_with_past(a, part) ? a->past : 0,
            row = 0, length = l->h.length + past, count = gradient_by_query(part) ? l->h.group : 1,
            heads = gradient_by_query(part) ? a->heads : g->kv_heads;
    if (dim == 0)
        return true;
    *z = own(l, length * count * dim);
    if (part != GRADIENT_SCALE)
        l->h.d[part] = own(l, length * count * dim);
    for (int64_t t = 0; t < length; t++)
        for (int64_t i = 0; i < count; i++, row++) {
            const float *from = reference_row(x, a->time + past, heads, dim, l->batch, l->first + t,
                                              l->head * count + i);
            number *to = gradient_at(&l->f, *z, row * dim);
            if (!gates && !l->f.load(to, from, dim))
                return false;
            for (int64_t p = 0; gates && p < dim; p++)
                if (!l->f.gate(&l->f, gradient_at(&l->f, to, p), from[p]))
                    return false;
        }
    return true;
}

static bool load_some(loaded *l, number **z, const float *x, int64_t n) {
    *z = own(l, n);
    return l->f.load(*z, x, n);
}

static bool load_outputs(loaded *l, const gradient_run *g) {
    const mn_args *a = g->a;
    gradient_head *h = &l->h;
    h->d_o = own(l, h->length * h->group * h->dv);
    for (int64_t t = 0; t < h->length; t++) {
        int64_t row = (l->batch * a->time + l->first + t) * a->heads + l->head * h->group;
        if (!l->f.load(gradient_at(&l->f, h->d_o, t * h->group * h->dv), g->d_o + row * h->dv,
                       h->group * h->dv))
            return false;
        for (int64_t i = 0; h->divisor && l->f.absolute && i < h->group; i++)
            l->f.set(gradient_at(&l->f, h->divisor, t * h->group + i), g->divisor + row + i, 1);
    }
    return true;
}

static bool load_head(loaded *l, const gradient_run *g) {
    const mn_args *a = g->a;
    gradient_head *h = &l->h;
    int64_t start = (l->sequence * g->kv_heads + l->head) * l->state_size,
            all = h->banks * h->modes;
    bool good = load_rows(l, g, &h->q, a->q, GRADIENT_Q, false) &&
                load_rows(l, g, &h->k, a->k, GRADIENT_K, false) &&
                load_rows(l, g, &h->v, a->v, GRADIENT_V, false) &&
                load_rows(l, g, &h->gate, a->g, GRADIENT_G, true) &&
                load_rows(l, g, &h->gate_keys, a->gate_keys, GRADIENT_GATE_KEYS, true) &&
                load_rows(l, g, &h->beta, a->beta, GRADIENT_BETA, false) &&
                load_rows(l, g, &h->u, a->u, GRADIENT_U, false) &&
                load_rows(l, g, &h->lambda, a->lambda, GRADIENT_LAMBDA, false) &&
                load_some(l, &h->lambda0, &a->lambda0, a->kernel == MN_VLA) &&
                load_some(l, &h->refresh, &a->refresh, a->refresh_every != 0) &&
                load_some(l, &h->scale, &a->scale, 1);
    if (good && a->scale == 0)
        l->f.rsqrt(&l->f, h->scale, a->dk);
    if (a->kernel == MN_VORT) {
        good = good && load_some(l, &h->weights, a->weights, all) &&
               load_some(l, &h->nodes, a->nodes, all);
        mn_index b = a->bank;
        if (b.batch == 0 && b.time == 0 && b.head == 0)
            b.head = 1, b.time = g->kv_heads, b.batch = g->kv_heads * a->time;
        l->bank = flint_malloc((size_t)(h->length + 1) * sizeof *l->bank);
        for (int64_t t = 0; t < h->length; t++)
            l->bank[t] = b.data[l->batch * b.batch + (l->first + t) * b.time + l->head * b.head];
        h->bank = l->bank;
    }
    if (a->state_in) {
        h->d[GRADIENT_STATE] = own(l, l->state_size);
        good =
            good && load_some(l, &h->state_in, (const float *)a->state_in + start, l->state_size);
    }
    if (g->d_state && l->state_size)
        good = good && load_some(l, &h->d_state, g->d_state + start, l->state_size);
    if (g->divisor)
        h->divisor = own(l, h->length * h->group);
    number *shared = own(l, g->shared);
    h->d[GRADIENT_SCALE] = shared, h->d[GRADIENT_LAMBDA0] = gradient_at(&l->f, shared, 1);
    h->d[GRADIENT_WEIGHTS] = gradient_at(&l->f, shared, 2);
    h->d[GRADIENT_NODES] = gradient_at(&l->f, shared, 2 + all);
    return good && load_outputs(l, g);
}

/* A head's results to their places. */
static void store_head(const loaded *l, gradient_run *g) {
    const mn_args *a = g->a;
    const gradient_head *h = &l->h;
    const gradient_field *f = &l->f;
    for (gradient_part part = 0; part < GRADIENT_PARTS; part++) {
        int64_t dim = gradient_row_length(a, part),
                past = gradient_with_past(a, part) ? a->past : 0,
                count = (gradient_by_query(part) ? h->group : 1) * dim,
                heads = gradient_by_query(part) ? a->heads / h->group : g->kv_heads;
        for (int64_t t = 0; dim && t < h->length + past; t++)
            f->store(gradient_at(f, g->part[part],
                                 ((l->batch * (a->time + past) + l->first + t) * heads + l->head) *
                                     count),
                     gradient_at(f, h->d[part], t * count), count);
    }
    int64_t at = l->sequence * g->kv_heads + l->head;
    if (a->state_in)
        f->store(gradient_at(f, g->part[GRADIENT_STATE], at * l->state_size), h->d[GRADIENT_STATE],
                 l->state_size);
    f->store(gradient_at(f, g->sums, at * g->shared), h->d[GRADIENT_SCALE], g->shared);
    for (int64_t t = 0; g->divisor && !f->absolute && t < h->length; t++)
        f->store(g->divisor + (l->batch * a->time + l->first + t) * a->heads + l->head * h->group,
                 gradient_at(f, h->divisor, t * h->group), h->group);
}

reference_status gradient_run_head(gradient_run *g, int64_t sequence, int64_t head, slong prec,
                                   double sizes[4]) {
    const mn_args *a = g->a;
    loaded l = {.f = *g->f,
                .exact = *g->f,
                .sequence = sequence,
                .head = head,
                .batch = a->segments ? 0 : sequence,
                .first = a->segments ? a->offsets[sequence] : 0,
                .state_size = reference_head_floats(a)};
    if (l.f.absolute)
        l.exact = gradient_balls;
    l.f.prec = l.exact.prec = prec;
    l.h = (gradient_head){.f = &l.f,
                          .exact = &l.exact,
                          .kernel = a->kernel,
                          .group = a->heads / g->kv_heads,
                          .dk = a->dk,
                          .dv = a->dv,
                          .past = a->kernel == MN_SOFTMAX ? a->past : 0,
                          .levels = a->kernel == MN_LOGLINEAR ? a->levels : 0,
                          .banks = a->kernel == MN_VORT ? a->banks : 0,
                          .modes = a->kernel == MN_VORT ? a->modes : 0,
                          .position = reference_position(a, g->kv_heads, sequence),
                          .refresh_every = a->kernel == MN_VLA ? a->refresh_every : 0,
                          .normalise = a->normalise};
    l.h.length = a->segments ? a->offsets[sequence + 1] - l.first : a->time;
    reference_status status = REFERENCE_NOT_FINITE;
    if (load_head(&l, g))
        status = a->kernel == MN_LINEAR || a->kernel == MN_DELTA || a->kernel == MN_VLA
                     ? gradient_recurrence(&l.h)
                     : gradient_sum(&l.h);
    if (status == REFERENCE_OK)
        store_head(&l, g);
    sizes[0] = l.h.condition, sizes[1] = l.h.score, sizes[2] = l.h.keys, sizes[3] = l.h.cotangent;
    for (int i = 0; i < l.owned_count; i++)
        l.f.clear(l.owned[i], l.owned_size[i]);
    flint_free(l.bank);
    return status;
}

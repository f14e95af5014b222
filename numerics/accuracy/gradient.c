/* Gradients of whole calls: shapes, heads one by one in parallel, precision doubled until the
 * balls are narrow. */
#include "numerics/accuracy/gradient_pass.h"
#include "numerics/accuracy/reference_rows.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* A call, and where its results go: arrays of the field's numbers. */
typedef struct {
    const gradient_field *f;
    const mn_args *a;
    const float *d_o, *d_state;
    int64_t kv_heads, shared; /* numbers that all heads add to */
    number **part;
    number *sums;    /* [sequences][kv_heads][shared]: weights, nodes, scale, lambda0 */
    arb_ptr divisor; /* [rows]: of normalised outputs, or NULL */
    slong precision;
    double condition, cotangent, score, keys;
} gradient_run;

const char *gradient_name(gradient_part part) {
    static const char *const names[GRADIENT_PARTS] = {[GRADIENT_Q] = "dq",
                                                      [GRADIENT_K] = "dk",
                                                      [GRADIENT_V] = "dv",
                                                      [GRADIENT_G] = "dg",
                                                      [GRADIENT_GATE_KEYS] = "dgate_keys",
                                                      [GRADIENT_BETA] = "dbeta",
                                                      [GRADIENT_U] = "du",
                                                      [GRADIENT_LAMBDA] = "dlambda",
                                                      [GRADIENT_WEIGHTS] = "dweights",
                                                      [GRADIENT_NODES] = "dnodes",
                                                      [GRADIENT_SCALE] = "dscale",
                                                      [GRADIENT_LAMBDA0] = "dlambda0",
                                                      [GRADIENT_STATE] = "dstate",
                                                      [GRADIENT_X] = "dx",
                                                      [GRADIENT_KERNEL] = "dkernel"};
    return (unsigned)part < GRADIENT_PARTS ? names[part] : "unknown part";
}

static int64_t kv_heads_of(const mn_args *a) {
    return a->kv_heads ? a->kv_heads : a->heads;
}

/* Arrays with one row per token and head: the row's length, or 0 where the part is absent or of
 * another shape. */
static int64_t row_length(const mn_args *a, gradient_part part) {
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
static bool by_query(gradient_part part) {
    return part == GRADIENT_Q || part == GRADIENT_LAMBDA;
}
static bool with_past(const mn_args *a, gradient_part part) {
    return a->kernel == MN_SOFTMAX && (part == GRADIENT_K || part == GRADIENT_V);
}

int64_t gradient_count(const mn_args *a, gradient_part part) {
    int64_t kv = kv_heads_of(a), rows = a->batch * (by_query(part) ? a->heads : kv),
            time = a->time + (with_past(a, part) ? a->past : 0);
    switch (part) {
    case GRADIENT_WEIGHTS:
    case GRADIENT_NODES:
        return a->kernel == MN_VORT ? a->banks * a->modes : 0;
    case GRADIENT_SCALE:
        return 1;
    case GRADIENT_LAMBDA0:
        return a->kernel == MN_VLA;
    case GRADIENT_STATE:
        return a->state_in ? reference_sequences(a) * kv * reference_head_floats(a) : 0;
    default:
        return rows * time * row_length(a, part);
    }
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
    int64_t dim = row_length(a, part), past = with_past(a, part) ? a->past : 0, row = 0,
            length = l->h.length + past, count = by_query(part) ? l->h.group : 1,
            heads = by_query(part) ? a->heads : g->kv_heads;
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
        if (l->f.absolute)
            h->cotangent =
                fmax(h->cotangent,
                     l->f.norm(gradient_at(&l->f, h->d_o, t * h->group * h->dv), h->group * h->dv));
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
        int64_t dim = row_length(a, part), past = with_past(a, part) ? a->past : 0,
                count = (by_query(part) ? h->group : 1) * dim,
                heads = by_query(part) ? a->heads / h->group : g->kv_heads;
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

static reference_status run_head(gradient_run *g, int64_t sequence, int64_t head, slong prec,
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

/* Positions that a log-linear sequence has no level for, or that no call may have. */
static bool positions_fit(const mn_args *a) {
    for (int64_t n = 0; n < reference_sequences(a); n++) {
        int64_t length = a->segments ? a->offsets[n + 1] - a->offsets[n] : a->time,
                position = reference_position(a, kv_heads_of(a), n);
        if (position < 0 || position > INT64_MAX / 2 ||
            (a->kernel == MN_LOGLINEAR && length > 0 && (position + length - 1) >> (a->levels - 1)))
            return false;
    }
    return true;
}

/* All heads; a head's balls do not depend on the others or on the thread that runs it. */
static reference_status run(gradient_run *g, slong *count, number **part) {
    const mn_args *a = g->a;
    const gradient_field *f = g->f;
    if (!reference_shape_fits(a) || !positions_fit(a) ||
        (a->normalise && a->kernel != MN_LINEAR && a->kernel != MN_VORT && a->kernel != MN_VLA) ||
        (a->g.data && a->gate_keys.data) || (!g->d_o && a->batch * a->time > 0))
        return REFERENCE_BAD_ARGUMENT;
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++) {
        count[i] = gradient_count(a, i);
        part[i] = count[i] ? f->init(count[i]) : NULL;
    }
    g->part = part, g->kv_heads = kv_heads_of(a);
    int64_t all = a->kernel == MN_VORT ? a->banks * a->modes : 0, kv = g->kv_heads,
            heads = reference_sequences(a) * kv;
    g->shared = 2 + 2 * all;
    g->sums = f->init(heads * g->shared);
    struct found {
        reference_status status;
        slong prec;
        double sizes[4];
    } *found = flint_calloc((size_t)heads + 1, sizeof *found);
#ifdef _OPENMP
    int threads = a->threads > 0 ? a->threads : omp_get_max_threads();
#pragma omp parallel num_threads(threads)
#endif
    {
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (int64_t i = 0; i < heads; i++) {
            struct found *x = found + i;
            x->status = REFERENCE_UNDECIDED;
            for (x->prec = f->prec ? f->prec : 128;
                 x->status == REFERENCE_UNDECIDED && x->prec <= REFERENCE_MAX_PRECISION;
                 x->prec *= 2)
                x->status = run_head(g, i / kv, i % kv, x->prec, x->sizes);
        }
#ifdef _OPENMP
        if (omp_get_thread_num() != 0) { /* caches are a thread's own */
            flint_cleanup();
            mpfr_free_cache();
        }
#endif
    }
    reference_status status = REFERENCE_OK;
    gradient_field sum = *f;
    sum.prec = 192;
    for (int64_t i = 0; i < heads; i++) {
        if (status == REFERENCE_OK)
            status = found[i].status;
        g->precision = FLINT_MAX(g->precision, found[i].prec / 2);
        g->condition = fmax(g->condition, found[i].sizes[0]);
        g->score = fmax(g->score, found[i].sizes[1]);
        g->keys = fmax(g->keys, found[i].sizes[2]);
        g->cotangent = fmax(g->cotangent, found[i].sizes[3]);
        const number *x = gradient_at(f, g->sums, i * g->shared);
        const struct {
            gradient_part part;
            int64_t at;
        } to[] = {{GRADIENT_SCALE, 0},
                  {GRADIENT_LAMBDA0, 1},
                  {GRADIENT_WEIGHTS, 2},
                  {GRADIENT_NODES, 2 + all}};
        for (size_t p = 0; p < sizeof to / sizeof *to; p++)
            if (count[to[p].part])
                f->add(&sum, part[to[p].part], part[to[p].part], gradient_at(f, x, to[p].at),
                       count[to[p].part]);
    }
    f->clear(g->sums, heads * g->shared);
    flint_free(found);
    return status;
}

static void clear_parts(const gradient_field *f, slong *count, number **part) {
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++) {
        if (part[i])
            f->clear(part[i], count[i]);
        part[i] = NULL, count[i] = 0;
    }
}

void gradient_init(gradient_t r) {
    memset(r, 0, sizeof *r);
}
void gradient_clear(gradient_t r) {
    number *part[GRADIENT_PARTS];
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        part[i] = r->part[i];
    clear_parts(&gradient_balls, r->count, part);
    gradient_init(r);
}

static reference_status run_balls(gradient_t r, gradient_run *g) {
    number *part[GRADIENT_PARTS] = {NULL};
    gradient_clear(r);
    reference_status status = run(g, r->count, part);
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        r->part[i] = part[i];
    r->precision = g->precision;
    r->condition = g->condition, r->cotangent = g->cotangent;
    r->score = g->score, r->keys = g->keys;
    if (status != REFERENCE_OK)
        gradient_clear(r);
    return status;
}

reference_status gradient_attention(gradient_t r, const mn_args *args, const float *d_o,
                                    const float *d_state) {
    gradient_run g = {.f = &gradient_balls, .a = args, .d_o = d_o, .d_state = d_state};
    return run_balls(r, &g);
}

reference_status gradient_scale(gradient_t r, const mn_args *args, const float *d_o,
                                const float *d_state) {
    gradient_clear(r);
    if (args->kernel == MN_DELTA || args->kernel == MN_VLA)
        return REFERENCE_BAD_ARGUMENT;
    gradient_run g = {.f = &gradient_balls, .a = args, .d_o = d_o, .d_state = d_state};
    slong rows = args->batch * args->time * args->heads;
    reference_status status = REFERENCE_OK;
    if (args->normalise && rows > 0) {
        g.divisor = _arb_vec_init(rows);
        status = run_balls(r, &g);
    }
    if (status == REFERENCE_OK) {
        g.f = &gradient_absolute;
        status = run_balls(r, &g);
    }
    if (g.divisor)
        _arb_vec_clear(g.divisor, rows);
    return status;
}

void gradient_twin_init(gradient_twin_t r) {
    memset(r, 0, sizeof *r);
}
void gradient_twin_clear(gradient_twin_t r) {
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        flint_free(r->part[i]);
    gradient_twin_init(r);
}

reference_status gradient_twin(gradient_twin_t r, const mn_args *args, const float *d_o,
                               const float *d_state, float (*round)(float)) {
    gradient_field f = gradient_floats;
    f.round = round;
    gradient_run g = {.f = &f, .a = args, .d_o = d_o, .d_state = d_state};
    number *part[GRADIENT_PARTS] = {NULL};
    gradient_twin_clear(r);
    reference_status status = run(&g, r->count, part);
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        r->part[i] = part[i];
    if (status != REFERENCE_OK)
        gradient_twin_clear(r);
    return status;
}

/* Gradients of whole calls: shapes, heads one by one in parallel, precision doubled until the
 * balls are narrow. */
#include "numerics/accuracy/gradient_run.h"

#ifdef _OPENMP
#include <omp.h>
#endif

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

int64_t gradient_count(const mn_args *a, gradient_part part) {
    int64_t kv = kv_heads_of(a), rows = a->batch * (gradient_by_query(part) ? a->heads : kv),
            time = a->time + (gradient_with_past(a, part) ? a->past : 0);
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
        return rows * time * gradient_row_length(a, part);
    }
}

bool gradient_exists(const mn_args *a, gradient_part part) {
    mn_args one = *a;
    one.batch = a->batch > 0 ? a->batch : 1, one.time = a->time > 0 ? a->time : 1;
    return gradient_count(&one, part) > 0;
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
                x->status = gradient_run_head(g, i / kv, i % kv, x->prec, x->sizes);
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

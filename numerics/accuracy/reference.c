/* References of whole calls: shapes, heads shared out to threads, double-doubles first, then
 * balls with the precision doubled until they are narrow. */
#include "numerics/accuracy/reference_rows.h"
#ifdef MNEME_FLINT3
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

void reference_init(reference_t r) {
    memset(r, 0, sizeof *r);
}

void reference_clear(reference_t r) {
    if (r->o)
        _arb_vec_clear(r->o, r->rows * r->width);
    if (r->divisor)
        _arb_vec_clear(r->divisor, r->rows);
    if (r->state)
        _arb_vec_clear(r->state, r->states);
    flint_free(r->token);
    reference_init(r);
}

const char *reference_status_text(reference_status status) {
    static const char *const text[] = {"ok", "arguments that the kernels refuse too",
                                       "an input is not finite",
                                       "undecided at the largest precision", "stopped"};
    return (unsigned)status < sizeof text / sizeof *text ? text[status] : "unknown status";
}

int64_t reference_sequences(const mn_args *a) {
    return a->segments ? a->segments : a->batch;
}

int64_t reference_head_floats(const mn_args *a) {
    int64_t s = a->dk * a->dv, z = a->normalise ? a->dk : 0;
    switch (a->kernel) {
    case MN_LINEAR:
        return s + z;
    case MN_DELTA:
        return s;
    case MN_VLA:
        return s + a->dk * a->dk + z;
    case MN_LOGLINEAR:
        return a->levels * s;
    case MN_VORT:
        return a->banks * a->modes * (s + z);
    default:
        return 0;
    }
}

bool reference_gate(arb_t c, float g, slong prec) {
    if (isnan(g) || g == INFINITY)
        return false;
    if (g == -INFINITY) {
        arb_zero(c);
    } else {
        arb_set_d(c, (double)g);
        arb_exp(c, c, prec);
    }
    return true;
}

double reference_inverse_norm(arb_srcptr x, int64_t n) {
    arb_mat_t m, factor;
    arb_mat_init(m, n, n), arb_mat_init(factor, n, n);
    bool good = true;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            good = good && arb_equal(x + i * n + j, x + j * n + i);
            arb_set(arb_mat_entry(m, i, j), x + i * n + j);
        }
    good = good && arb_mat_cho(factor, m, 256);
    mag_t norm;
    mag_init(norm);
    if (good) {
        arb_mat_inv_cho_precomp(m, factor, 256);
        arb_mat_bound_frobenius_norm(norm, m);
    }
    double d = good ? mag_get_d(norm) : INFINITY; /* rounded upwards */
    mag_clear(norm), arb_mat_clear(m), arb_mat_clear(factor);
    return d;
}

double reference_inverse_norm_floats(const float *x, int64_t n) {
    arb_ptr balls = _arb_vec_init(n * n);
    double d = reference_load(balls, x, n * n, false) ? reference_inverse_norm(balls, n) : INFINITY;
    _arb_vec_clear(balls, n * n);
    return d;
}

bool reference_narrow(const arb_t x, const mag_t scale) {
    mag_t most;
    if (!arb_is_finite(x))
        return false;
    mag_init(most);
    mag_mul_2exp_si(most, scale, -REFERENCE_BITS);
    bool narrow = mag_cmp(arb_radref(x), most) <= 0;
    mag_clear(most);
    return narrow;
}

void reference_output_scale(arb_t scale, const mn_args *a, slong prec) {
    if (a->scale != 0) {
        arb_set_d(scale, (double)a->scale);
    } else {
        arb_set_si(scale, a->dk);
        arb_rsqrt(scale, scale, prec);
    }
}

bool reference_goes_on(const reference_head *h, double tokens) {
    reference_progress *p = h->progress;
    if (!p->options || !p->options->watch)
        return true;
    bool stopped;
#pragma omp critical(reference_watch)
    {
        p->done += tokens;
        if (!p->stopped)
            p->stopped = !p->options->watch(fmin(1, p->done / p->all), p->options->data);
        stopped = p->stopped;
    }
    return !stopped;
}

bool reference_shape_fits(const mn_args *a) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads;
    if ((unsigned)a->kernel >= MN_KERNELS || a->batch < 0 || a->time < 0 || a->heads < 1 ||
        kv < 1 || a->heads % kv != 0 || a->dk < 1 || a->dv < 1 || a->past < 0 || a->segments < 0)
        return false;
    if (a->kernel == MN_VORT && (a->banks < 1 || a->modes < 1 || !a->weights || !a->nodes))
        return false;
    if (a->kernel == MN_LOGLINEAR && (a->levels < 1 || a->levels > 63))
        return false;
    if (a->kernel == MN_VLA && !(a->lambda0 > 0 && isfinite(a->lambda0)))
        return false;
    if (a->normalise && a->kernel != MN_LINEAR && a->kernel != MN_VORT && a->kernel != MN_VLA)
        return false;
    if (a->kernel == MN_SOFTMAX && a->past && a->segments)
        return false;
    if (a->segments &&
        (a->batch != 1 || !a->offsets || a->offsets[0] != 0 || a->offsets[a->segments] != a->time))
        return false;
    for (int64_t n = 0; n < a->segments; n++)
        if (a->offsets[n + 1] < a->offsets[n])
            return false;
    if (a->batch == 0 || a->time == 0)
        return true;
    if (!a->q.data || !a->k.data || !a->v.data || (a->kernel == MN_VLA && !a->u.data) ||
        (a->kernel == MN_VORT && !a->bank.data))
        return false;
    mn_index b = a->bank;
    if (b.batch == 0 && b.time == 0 && b.head == 0)
        b.head = 1, b.time = kv, b.batch = kv * a->time;
    for (int64_t n = 0; a->kernel == MN_VORT && n < a->batch; n++)
        for (int64_t t = 0; t < a->time; t++)
            for (int64_t h = 0; h < kv; h++) {
                int32_t bank = b.data[n * b.batch + t * b.time + h * b.head];
                if (bank < 0 || bank >= a->banks)
                    return false;
            }
    return true;
}

int64_t reference_position(const mn_args *a, int64_t kv_heads, int64_t sequence) {
    int64_t position = 0, floats = reference_sequences(a) * kv_heads * reference_head_floats(a) * 4;
    if (a->state_in && (a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR))
        memcpy(&position, (const char *)a->state_in + (floats + 7) / 8 * 8 + 8 * sequence, 8);
    return position;
}

/* All of an input's rows are numbers (gates: -inf is one). */
static bool all_finite(mn_input x, const mn_args *a, int64_t length, int64_t heads, int64_t dim,
                       bool gate) {
    for (int64_t n = 0; x.data && n < a->batch; n++)
        for (int64_t t = 0; t < length; t++)
            for (int64_t h = 0; h < heads; h++) {
                const float *row = reference_row(x, length, heads, dim, n, t, h);
                for (int64_t i = 0; i < dim; i++)
                    if (!isfinite(row[i]) && !(gate && row[i] == -INFINITY))
                        return false;
            }
    return true;
}
static bool floats_finite(const float *x, int64_t n) {
    for (int64_t i = 0; x && i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}
static bool inputs_finite(const mn_args *a) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, T = a->time,
            keys = T + (a->kernel == MN_SOFTMAX ? a->past : 0), modes = a->banks * a->modes;
    mn_input none = {0};
    bool linear = a->kernel == MN_LINEAR, delta = a->kernel == MN_DELTA,
         levels = a->kernel == MN_LOGLINEAR, vort = a->kernel == MN_VORT;
    return isfinite(a->scale) && all_finite(a->q, a, T, a->heads, a->dk, false) &&
           all_finite(a->k, a, keys, kv, a->dk, false) &&
           all_finite(a->v, a, keys, kv, a->dv, false) &&
           all_finite(linear || delta || levels ? a->g : none, a, T, kv, 1, true) &&
           all_finite(linear ? a->gate_keys : none, a, T, kv, a->dk, true) &&
           all_finite(delta ? a->beta : none, a, T, kv, 1, false) &&
           all_finite(a->kernel == MN_VLA ? a->u : none, a, T, kv, a->dk, false) &&
           all_finite(levels ? a->lambda : none, a, T, a->heads, a->levels, false) &&
           (!vort || (floats_finite(a->weights, modes) && floats_finite(a->nodes, modes))) &&
           floats_finite(a->state_in, reference_sequences(a) * kv * reference_head_floats(a));
}

/* Log-linear: are there levels for every position of every sequence? */
static bool levels_suffice(const mn_args *a) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads;
    for (int64_t n = 0; n < reference_sequences(a); n++) {
        int64_t length = a->segments ? a->offsets[n + 1] - a->offsets[n] : a->time,
                first = reference_position(a, kv, n);
        if (first < 0 || first > INT64_MAX - length ||
            (length > 0 && (first + length - 1) >> (a->levels - 1) != 0))
            return false;
    }
    return true;
}

/* The head's arrays as balls. */
static bool load_head(reference_head *h) {
    const mn_args *a = h->a;
    bool signs = h->absolute && a->kernel != MN_SOFTMAX, finite = true;
    reference_output_scale(h->scale, a, h->prec);
    if (signs)
        arb_abs(h->scale, h->scale);
    for (int64_t t = 0; t < h->keys; t++)
        finite =
            finite &&
            reference_load(h->k + t * h->dk, reference_key_row(h, a->k, h->dk, t), h->dk, signs) &&
            reference_load(h->v + t * h->dv, reference_key_row(h, a->v, h->dv, t), h->dv,
                           h->absolute);
    int64_t size = reference_head_floats(a);
    return finite && (!h->state_in ||
                      reference_load(h->state_in, reference_state_in(h, size), size, h->absolute));
}

/* What is not known yet, in balls. */
static reference_status run_balls(reference_t r, reference_head *h, slong *precision) {
    const mn_args *a = h->a;
    bool recurrent = a->kernel == MN_DELTA || a->kernel == MN_VLA;
    int64_t size = reference_head_floats(a);
    slong keys = h->keys * h->dk, values = h->keys * h->dv, states = a->state_in ? size : 0;
    arb_ptr room = _arb_vec_init(keys + values + states + 1);
    h->k = room, h->v = room + keys;
    h->state_in = states ? room + keys + values : NULL;
    arb_init(h->scale);
    reference_status status = REFERENCE_UNDECIDED;
    for (slong prec = 128; status == REFERENCE_UNDECIDED && prec <= REFERENCE_MAX_PRECISION;
         prec *= 2) {
        *precision = h->prec = prec;
        if (h->state && !h->state_known)
            _arb_vec_zero(h->state, size);
        status = !load_head(h) ? REFERENCE_NOT_FINITE
                 : recurrent   ? reference_recurrence(r, h)
                               : reference_sum(r, h);
    }
    arb_clear(h->scale);
    _arb_vec_clear(room, keys + values + states + 1);
    return status;
}

static reference_head head_of(const reference_struct *r, const mn_args *a, int64_t i) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, sequence = i / kv;
    reference_head h = {.a = a,
                        .sequence = sequence,
                        .head = i % kv,
                        .batch = a->segments ? 0 : sequence,
                        .first = a->segments ? a->offsets[sequence] : 0,
                        .kv_heads = kv,
                        .group = a->heads / kv,
                        .dk = a->dk,
                        .dv = a->dv};
    h.length = a->segments ? a->offsets[sequence + 1] - h.first : a->time;
    h.keys = h.length + (a->kernel == MN_SOFTMAX ? a->past : 0);
    h.position = reference_position(a, kv, sequence);
    h.state = r->state ? r->state + i * reference_head_floats(a) : NULL;
    return h;
}

static reference_status run_head(reference_t r, const mn_args *a, bool absolute, int64_t i,
                                 reference_progress *progress, slong *precision) {
    reference_head h = head_of(r, a, i);
    reference_path path = progress->options ? progress->options->path : REFERENCE_EITHER;
    reference_status status = REFERENCE_UNDECIDED;
    h.absolute = absolute, h.progress = progress;
    h.row_known = flint_calloc((size_t)(h.length * h.group) + 1, sizeof *h.row_known);
    *precision = 106;
    if (path != REFERENCE_BALLS)
        status = a->kernel == MN_DELTA || a->kernel == MN_VLA ? reference_double_recurrence(r, &h)
                                                              : reference_double_sum(r, &h);
    if (status == REFERENCE_UNDECIDED && path != REFERENCE_DOUBLES)
        status = run_balls(r, &h, precision);
    flint_free(h.row_known);
    return status;
}

/* Every head for itself; afterwards the worst status counts. */
static reference_status run_heads(reference_t r, const mn_args *a, bool absolute,
                                  const reference_options *options) {
    int64_t heads = reference_sequences(a) * (a->kv_heads ? a->kv_heads : a->heads);
    reference_progress progress = {.options = options};
    for (int64_t i = 0; i < heads; i++) {
        reference_head h = head_of(r, a, i);
        for (int64_t t = 0; t < h.length; t++)
            progress.all += reference_cost(&h, t);
    }
    reference_status status = REFERENCE_OK;
    slong precision = 0;
#ifdef _OPENMP
    int threads = a->threads > 0 ? a->threads : omp_get_max_threads();
    if (threads > heads)
        threads = heads > 0 ? (int)heads : 1;
#pragma omp parallel num_threads(threads)
#endif
    {
#pragma omp for schedule(dynamic) reduction(max : status) reduction(max : precision)
        for (int64_t i = 0; i < heads; i++) {
            slong mine = 0;
            reference_status found = run_head(r, a, absolute, i, &progress, &mine);
            status = found > status ? found : status;
            precision = mine > precision ? mine : precision;
        }
#ifdef _OPENMP
        if (omp_get_thread_num() != 0)
            flint_cleanup(); /* the caches of this thread */
#endif
    }
    r->precision = precision;
    return status;
}

static reference_status run(reference_t r, const mn_args *a, bool absolute,
                            const reference_options *options) {
    reference_clear(r);
    if (!reference_shape_fits(a) || (a->kernel == MN_LOGLINEAR && !levels_suffice(a)))
        return REFERENCE_BAD_ARGUMENT;
    if (!inputs_finite(a))
        return REFERENCE_NOT_FINITE;
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads;
    r->rows = a->batch * a->time * a->heads, r->width = a->dv;
    r->o = _arb_vec_init(r->rows * r->width);
    if (a->normalise)
        r->divisor = _arb_vec_init(r->rows);
    r->states = reference_sequences(a) * kv * reference_head_floats(a);
    if (a->kernel != MN_SOFTMAX)
        r->state = _arb_vec_init(r->states);
    if (a->kernel == MN_DELTA || a->kernel == MN_VLA) {
        r->tokens = a->batch * a->time * kv;
        r->token = flint_calloc((size_t)r->tokens + 1, sizeof *r->token);
    }
    reference_status status = run_heads(r, a, absolute, options);
    if (status != REFERENCE_OK)
        reference_clear(r);
    return status;
}

reference_status reference_attention_with(reference_t r, const mn_args *args,
                                          const reference_options *options) {
    return run(r, args, false, options);
}
reference_status reference_attention(reference_t r, const mn_args *args) {
    return run(r, args, false, NULL);
}

reference_status reference_scale_with(reference_t r, const mn_args *args,
                                      const reference_options *options) {
    if (args->kernel == MN_DELTA || args->kernel == MN_VLA) {
        reference_clear(r);
        return REFERENCE_BAD_ARGUMENT;
    }
    return run(r, args, true, options);
}
reference_status reference_scale(reference_t r, const mn_args *args) {
    return reference_scale_with(r, args, NULL);
}

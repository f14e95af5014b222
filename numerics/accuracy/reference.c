/* References of whole calls: shapes, heads one by one, precision doubled until the balls are
 * narrow. */
#include "numerics/accuracy/reference_rows.h"

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
                                       "undecided at the largest precision"};
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

static reference_status load_head(reference_head *h) {
    const mn_args *a = h->a;
    bool signs = h->absolute && a->kernel != MN_SOFTMAX;
    if (!isfinite(a->scale))
        return REFERENCE_NOT_FINITE;
    if (a->scale != 0) {
        arb_set_d(h->scale, (double)a->scale);
    } else {
        arb_set_si(h->scale, h->dk);
        arb_rsqrt(h->scale, h->scale, h->prec);
    }
    if (signs)
        arb_abs(h->scale, h->scale);
    int64_t length = a->time + (a->kernel == MN_SOFTMAX ? a->past : 0);
    for (int64_t t = 0; t < h->keys; t++)
        if (!reference_load(
                h->k + t * h->dk,
                reference_row(a->k, length, h->kv_heads, h->dk, h->batch, h->first + t, h->head),
                h->dk, signs) ||
            !reference_load(
                h->v + t * h->dv,
                reference_row(a->v, length, h->kv_heads, h->dv, h->batch, h->first + t, h->head),
                h->dv, h->absolute))
            return REFERENCE_NOT_FINITE;
    int64_t size = reference_head_floats(a);
    if (h->state_in &&
        !reference_load(h->state_in,
                        (const float *)a->state_in + (h->sequence * h->kv_heads + h->head) * size,
                        size, h->absolute))
        return REFERENCE_NOT_FINITE;
    return REFERENCE_OK;
}

static reference_status run_head(reference_t r, const mn_args *a, bool absolute, int64_t sequence,
                                 int64_t head) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, size = reference_head_floats(a);
    reference_head h = {.a = a,
                        .absolute = absolute,
                        .prec = r->precision,
                        .sequence = sequence,
                        .head = head,
                        .batch = a->segments ? 0 : sequence,
                        .first = a->segments ? a->offsets[sequence] : 0,
                        .kv_heads = kv,
                        .group = a->heads / kv,
                        .dk = a->dk,
                        .dv = a->dv};
    h.length = a->segments ? a->offsets[sequence + 1] - h.first : a->time;
    h.keys = h.length + (a->kernel == MN_SOFTMAX ? a->past : 0);
    h.position = reference_position(a, kv, sequence);
    slong keys = h.keys * h.dk, values = h.keys * h.dv, states = a->state_in ? size : 0;
    arb_ptr room = _arb_vec_init(keys + values + states + 1);
    h.k = room, h.v = room + keys;
    h.state_in = states ? room + keys + values : NULL;
    h.state = r->state ? r->state + (sequence * kv + head) * size : NULL;
    if (h.state)
        _arb_vec_zero(h.state, size);
    arb_init(h.scale);
    reference_status status = load_head(&h);
    if (status == REFERENCE_OK)
        status = a->kernel == MN_DELTA || a->kernel == MN_VLA ? reference_recurrence(r, &h)
                                                              : reference_sum(r, &h);
    arb_clear(h.scale);
    _arb_vec_clear(room, keys + values + states + 1);
    return status;
}

static reference_status run(reference_t r, const mn_args *a, bool absolute) {
    reference_clear(r);
    if (!reference_shape_fits(a))
        return REFERENCE_BAD_ARGUMENT;
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
    reference_status status = REFERENCE_UNDECIDED;
    for (r->precision = 128; status == REFERENCE_UNDECIDED; r->precision *= 2) {
        if (r->precision > REFERENCE_MAX_PRECISION)
            break;
        status = REFERENCE_OK;
        for (int64_t n = 0; n < reference_sequences(a) && status == REFERENCE_OK; n++)
            for (int64_t i = 0; i < kv && status == REFERENCE_OK; i++)
                status = run_head(r, a, absolute, n, i);
        if (status == REFERENCE_OK)
            break;
    }
    if (status != REFERENCE_OK)
        reference_clear(r);
    return status;
}

reference_status reference_attention(reference_t r, const mn_args *args) {
    return run(r, args, false);
}

reference_status reference_scale(reference_t r, const mn_args *args) {
    if (args->kernel == MN_DELTA || args->kernel == MN_VLA) {
        reference_clear(r);
        return REFERENCE_BAD_ARGUMENT;
    }
    return run(r, args, true);
}

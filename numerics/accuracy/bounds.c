/* Bounds of the sums: linear, log-linear and VORT attention, softmax, convolutions. */
#include "numerics/accuracy/bounds_rows.h"
#include "numerics/exact/number.h"

/* Sizes of the kernels' blocks that enter their bounds. */
enum { VORT_CHUNK = 96, CONVOLUTION_BLOCK = 32, SOFTMAX_KEYS = 128, LOG_CHUNK_LEVELS = 6 };

void bounds_init(bounds_t b) {
    memset(b, 0, sizeof *b);
}
void bounds_clear(bounds_t b) {
    flint_free(b->o);
    flint_free(b->state);
    bounds_init(b);
}

double bounds_gamma_upper(double n) {
    double x = n * BOUNDS_U;
    return x < 1 ? x / (1 - x) * BOUNDS_OUTWARD : INFINITY;
}

static double magnitude(const arb_t x) {
    mag_t m;
    mag_init(m);
    arb_get_mag(m, x);
    double d = mag_get_d(m);
    mag_clear(m);
    return d;
}
static double magnitude_lower(const arb_t x) {
    mag_t m;
    mag_init(m);
    arb_get_mag_lower(m, x);
    double d = mag_get_d(m);
    mag_clear(m);
    return d;
}

/* The largest product of some of the factors that meet in an output. */
static double largest_product(const mn_args *a) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, keys = a->time + a->past;
    double x =
        bounds_largest_row(a->k, a, keys, kv, a->dk) * bounds_largest_row(a->v, a, keys, kv, a->dv);
    if (a->state_in)
        x += bounds_largest(a->state_in, reference_sequences(a) * kv * reference_head_floats(a));
    x *= bounds_largest_row(a->q, a, a->time, a->heads, a->dk) * fmax(1, bounds_scale(a));
    if (a->kernel == MN_LOGLINEAR)
        x *= bounds_largest_row(a->lambda, a, a->time, a->heads, a->levels);
    if (a->kernel == MN_VORT)
        x *= bounds_largest(a->weights, a->banks * a->modes);
    return x;
}

/* Roundings that a product meets on its way into an output, t tokens after the state was exact,
 * and into a state. */
static double output_roundings(const mn_args *a, int64_t t) {
    double n = (double)t, dk = (double)a->dk, levels = (double)a->levels;
    if (a->kernel == MN_LOGLINEAR)
        return 5 * n + dk * fmax(1, levels - LOG_CHUNK_LEVELS) + 3 * levels + 72;
    if (a->kernel == MN_VORT)
        return 2 * n + dk * (double)(a->banks * a->modes) + 2 * VORT_CHUNK + 16;
    return 5 * n + dk + 72;
}
static double state_roundings(const mn_args *a, int64_t t) {
    double n = (double)t;
    return a->kernel == MN_LOGLINEAR ? 5 * n + 2 * (double)a->levels + 72
           : a->kernel == MN_VORT    ? 2 * n + 2 * VORT_CHUNK + 16
                                     : 5 * n + 72;
}

/* What underflow may add: 2^-146 (t + 100)^2 (dk + 1) blocks x. */
static double underflow(const mn_args *a, int64_t t, double x) {
    double blocks = a->kernel == MN_LOGLINEAR ? (double)a->levels
                    : a->kernel == MN_VORT    ? (double)(a->banks * a->modes)
                                              : 1,
           n = (double)t + 100;
    return 8 * BOUNDS_TINY * n * n * (double)(a->dk + 1) * blocks * x;
}

/* e^(2h) - 1 of one row of scores. */
static double softmax_factor(const mn_args *a, int64_t batch, int64_t t, int64_t head) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, keys = a->past + a->time,
            n = a->past + t + 1, first = 0;
    for (int64_t s = 0; s < a->segments; s++)
        if (a->offsets[s] <= t)
            first = a->offsets[s];
    const float *q = reference_row(a->q, a->time, a->heads, a->dk, batch, t, head);
    double most = 0, high = -INFINITY, low = INFINITY,
           scale = a->scale != 0 ? (double)a->scale : 1 / sqrt((double)a->dk);
    for (int64_t s = first; s < n; s++) {
        const float *k = reference_row(a->k, keys, kv, a->dk, batch, s, head / (a->heads / kv));
        double sum = 0, size = 0;
        for (int64_t p = 0; p < a->dk; p++)
            sum += (double)q[p] * (double)k[p], size += fabs((double)q[p] * (double)k[p]);
        most = fmax(most, size), high = fmax(high, scale * sum), low = fmin(low, scale * sum);
    }
    n -= first;
    most *= fabs(scale) * BOUNDS_OUTWARD;
    double score = bounds_gamma_upper((double)a->dk + 3) * most +
                   BOUNDS_TINY * (double)(a->dk + 1) * fmax(1, fabs(scale)),
           range = (high - low) * BOUNDS_OUTWARD + 0x1p-40 * most + 2 * score,
           blocks = (double)(n / SOFTMAX_KEYS + 2),
           h = score + BOUNDS_U * range * (1 + 0x1p-20) +
               bounds_gamma_upper((double)n + 24 + 5 * blocks);
    return expm1(2 * h) * BOUNDS_OUTWARD;
}

/* Index of a token in its sequence. */
static int64_t token_of(const mn_args *a, int64_t t) {
    int64_t first = 0;
    for (int64_t s = 0; s < a->segments; s++)
        if (a->offsets[s] <= t)
            first = a->offsets[s];
    return t - first;
}

static void bound_rows(bounds_t b, const mn_args *a, const reference_t exact,
                       const reference_struct *scale) {
    double x = largest_product(a);
    for (slong row = 0; row < b->rows; row++) {
        int64_t head = row % a->heads, t = row / a->heads % a->time,
                batch = row / a->heads / a->time, n = token_of(a, t) + 1;
        double tiny = underflow(a, n, x), factor, f = 0, least = 0;
        factor = a->kernel == MN_SOFTMAX ? softmax_factor(a, batch, t, head)
                                         : bounds_gamma_upper(output_roundings(a, n));
        if (a->normalise) {
            f = factor * magnitude(scale->divisor + row) + tiny;
            least = magnitude_lower(exact->divisor + row);
        }
        for (int64_t j = 0; j < a->dv; j++) {
            double e = factor * magnitude(scale->o + row * a->dv + j) + tiny;
            b->o[row * a->dv + j] =
                (a->normalise ? bounds_quotient(e, f, magnitude(exact->o + row * a->dv + j), least)
                              : e) *
                BOUNDS_OUTWARD;
        }
    }
    int64_t size = reference_head_floats(a), kv = a->kv_heads ? a->kv_heads : a->heads;
    for (slong i = 0; i < b->states; i++) {
        int64_t sequence = i / size / kv,
                n = a->segments ? a->offsets[sequence + 1] - a->offsets[sequence] : a->time;
        b->state[i] =
            n == 0 ? 0
                   : (bounds_gamma_upper(state_roundings(a, n)) * magnitude(scale->state + i) +
                      underflow(a, n, x)) *
                         BOUNDS_OUTWARD;
    }
}

bounds_status bounds_attention(bounds_t b, const mn_args *a, const reference_t exact,
                               const reference_struct *scale) {
    bounds_clear(b);
    if ((unsigned)a->kernel >= MN_KERNELS)
        return BOUNDS_BAD_ARGUMENT;
    b->by_row = a->kernel == MN_DELTA || a->kernel == MN_VLA;
    b->rows = a->batch * a->time * a->heads, b->width = b->by_row ? 1 : a->dv;
    int64_t heads = reference_sequences(a) * (a->kv_heads ? a->kv_heads : a->heads);
    b->states = heads * (b->by_row ? 3 : reference_head_floats(a));
    if (exact->rows != b->rows || exact->width != a->dv ||
        exact->states != heads * reference_head_floats(a) ||
        (!b->by_row && (!scale || scale->rows != b->rows || scale->width != a->dv ||
                        scale->states != exact->states)) ||
        (a->normalise && (!exact->divisor || (!b->by_row && !scale->divisor)))) {
        bounds_clear(b);
        return BOUNDS_BAD_ARGUMENT;
    }
    b->o = flint_calloc((size_t)(b->rows * b->width + 1), sizeof *b->o);
    b->state = flint_calloc((size_t)b->states + 1, sizeof *b->state);
    if (b->by_row)
        bounds_recurrence(b, a, exact);
    else
        bound_rows(b, a, exact, scale);
    return BOUNDS_OK;
}

bounds_status bounds_convolution(bounds_t b, const mn_convolution *c, const reference_t scale) {
    bounds_clear(b);
    b->rows = c->batch * c->time, b->width = c->channels;
    b->states = c->batch * c->modes * c->channels;
    if (scale->rows != b->rows || scale->width != b->width || scale->states != b->states) {
        bounds_clear(b);
        return BOUNDS_BAD_ARGUMENT;
    }
    b->o = flint_calloc((size_t)(b->rows * b->width + 1), sizeof *b->o);
    b->state = flint_calloc((size_t)b->states + 1, sizeof *b->state);
    bool packed = c->x.batch == 0 && c->x.time == 0;
    int64_t step = packed ? c->channels : c->x.time;
    double x = 1, weight = c->modes ? bounds_largest(c->weights, c->modes)
                                    : bounds_largest(c->kernel, c->kernel_length);
    for (int64_t n = 0; n < c->batch; n++)
        for (int64_t t = 0; t < c->time; t++)
            x = fmax(
                x, bounds_largest(c->x.data + n * (packed ? step * c->time : c->x.batch) + t * step,
                                  c->channels));
    if (c->state_in)
        x += bounds_largest(c->state_in, b->states);
    double modes = (double)c->modes;
    for (slong row = 0; row < b->rows; row++) {
        double t = (double)(row % c->time) + 1,
               n = c->modes ? 2 * t + modes + 2 * CONVOLUTION_BLOCK + 16
                            : fmin(t, (double)c->kernel_length) + 2,
               tiny = 8 * BOUNDS_TINY * (t + CONVOLUTION_BLOCK) * (modes + 1) * weight * x;
        for (int64_t i = 0; i < c->channels; i++)
            b->o[row * c->channels + i] =
                (bounds_gamma_upper(n) * magnitude(scale->o + row * c->channels + i) + tiny) *
                BOUNDS_OUTWARD;
    }
    double t = (double)c->time;
    for (slong i = 0; i < b->states && c->time; i++)
        b->state[i] =
            (bounds_gamma_upper(2 * t + 2 * CONVOLUTION_BLOCK + 16) * magnitude(scale->state + i) +
             8 * BOUNDS_TINY * (t + CONVOLUTION_BLOCK) * x) *
            BOUNDS_OUTWARD;
    return BOUNDS_OK;
}

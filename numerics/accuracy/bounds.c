/* Bounds of the sums: linear, log-linear and VORT attention, softmax, convolutions. */
#include "numerics/accuracy/bounds_rows.h"
#include "numerics/exact/number.h"

/* Sizes of the kernels' blocks that enter their bounds. */
enum {
    CHUNK = 32,
    VORT_CHUNK = 96,
    CONVOLUTION_BLOCK = 32,
    SOFTMAX_KEYS = 128,
    SOFTMAX_LEAST_KEYS = 16, /* of a device's blocks */
    LOG_CHUNK_LEVELS = 6
};

/* Roundings to operands on the way of a product: q and k twice (scale or lambda, gate), v, and the
 * score or the state that is read once; one more where a state is chosen by weights.  Into a
 * state: k twice, v. */
enum { SUM_OPERANDS = 6, WEIGHTED_OPERANDS = 7, STATE_OPERANDS = 4 };

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
 * and into a state: as the kernels' files count them, chunk tokens worked on at once.  A device's
 * e^g has 4 u in place of 3, and any level of log-linear attention may be read alone: one more per
 * token, dk for each level. */
static double output_roundings(const mn_args *a, const bounds_model *m, int64_t t) {
    double n = (double)t, dk = (double)a->dk, levels = (double)a->levels, gated = m->device ? 6 : 5,
           more = 2 * (double)(m->chunk ? m->chunk : CHUNK) + 8;
    if (a->kernel == MN_LOGLINEAR)
        return gated * n + dk * fmax(1, m->device ? levels : levels - LOG_CHUNK_LEVELS) +
               3 * levels + more;
    if (a->kernel == MN_VORT)
        return 2 * n + dk * (double)(a->banks * a->modes) +
               2 * (double)(m->chunk ? m->chunk : VORT_CHUNK) + 16;
    return gated * n + dk + more;
}
static double state_roundings(const mn_args *a, const bounds_model *m, int64_t t) {
    double n = (double)t, gated = m->device ? 6 : 5,
           more = 2 * (double)(m->chunk ? m->chunk : CHUNK) + 8;
    return a->kernel == MN_LOGLINEAR ? gated * n + 2 * (double)a->levels + more
           : a->kernel == MN_VORT    ? 2 * n + 2 * (double)(m->chunk ? m->chunk : VORT_CHUNK) + 16
                                     : gated * n + more;
}

/* What underflow may add: 2^-146 (t + 100)^2 (dk + 1) blocks x; of operands, each of the dk of q
 * and of k's for every token, scores and the state, half its smallest number: 4 tiny (t + chunk)
 * (dk + 1) blocks x. */
static double underflow(const mn_args *a, const bounds_model *m, int64_t t, double x) {
    double blocks = a->kernel == MN_LOGLINEAR ? (double)a->levels
                    : a->kernel == MN_VORT    ? (double)(a->banks * a->modes)
                                              : 1,
           n = (double)t + 100;
    return (8 * m->tiny * n * n + 4 * m->operand_tiny * (n + (double)m->chunk)) *
           (double)(a->dk + 1) * blocks * x;
}

/* A device's gates are e^(G_t - G_s), G sums within a chunk of C tokens: with (C + 4) u of the sum
 * of |g| over a chunk (no more than there are tokens) each exponent is off by (C + 4) u (2 W + L),
 * W the largest such sum so far, L = -sum g over (s, t], at most all of them.  Where L > 110 (750
 * in float64) the term is below an underflow, unless exponents are off by more than 1 (then
 * +inf).  A gate of -inf
 * can only be multiplied.  A table of powers x^j is e^(j ln x): the same with W = 0.
 * error := e^that - 1 for every token of one key head. */
static void exponent_errors(double *error, const mn_args *a, const bounds_model *m, int64_t batch,
                            int64_t head) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, dim = a->gate_keys.data ? a->dk : 1;
    mn_input in = a->gate_keys.data ? a->gate_keys : a->g;
    bool gated = m->device && in.data;
    double most = 0, total = 0, deepest = m->tiny < 0x1p-200 ? 750 : 110;
    int64_t first = 0;
    double *g = gated ? flint_calloc((size_t)(a->time * dim + 1), sizeof *g) : NULL,
           *sum = gated ? flint_calloc((size_t)(2 * dim), sizeof *sum) : NULL, *all = sum + dim;
    for (int64_t t = 0, s = 0; t < a->time; t++) {
        for (; s < a->segments && a->offsets[s] <= t; s++)
            first = a->offsets[s];
        if (t == first) { /* a sequence begins: nothing is behind it */
            most = total = 0;
            for (int64_t i = 0; gated && i < 2 * dim; i++)
                sum[i] = 0;
        }
        for (int64_t i = 0; gated && i < dim; i++) {
            double x = fabs((double)reference_row(in, a->time, kv, dim, batch, t, head)[i]);
            g[t * dim + i] = isfinite(x) ? x : 0;
            sum[i] += g[t * dim + i], all[i] += g[t * dim + i];
            if (t - first >= m->chunk)
                sum[i] = fmax(0, sum[i] - g[(t - m->chunk) * dim + i]);
            most = fmax(most, sum[i] * (1 + 0x1p-20));
            total = fmax(total, all[i] * (1 + 0x1p-20));
        }
        double exponent = 0, step = fmin((double)m->chunk, (double)(t - first + 1)) + 4;
        if (gated || (m->device && a->kernel == MN_VORT))
            exponent = step * m->u * (2 * most + (gated ? fmin(deepest, total) : deepest));
        error[t] = exponent < 1 ? expm1(exponent) * BOUNDS_OUTWARD : INFINITY;
    }
    flint_free(g);
    flint_free(sum);
}

/* (1 + x)(1 + y) - 1. */
static double both(double x, double y) {
    return x + y * (1 + x);
}

/* e^(2h) - 1 of one row of scores. */
static double softmax_factor(const mn_args *a, const bounds_model *m, int64_t batch, int64_t t,
                             int64_t head) {
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
    /* a device: scores times log2 e, e^x with 4 u and its exponent rounded once more; q scaled
     * before the product, as an operand; probabilities as operands in the numerator */
    double score = both(bounds_gamma(m, (double)a->dk + (m->device ? 6 : 3)), m->operand) * most +
                   (m->tiny + m->operand_tiny) * (double)(a->dk + 1) * fmax(1, fabs(scale)),
           range = (high - low) * BOUNDS_OUTWARD + 0x1p-40 * most + 2 * score,
           blocks = (double)(n / (m->device ? SOFTMAX_LEAST_KEYS : SOFTMAX_KEYS) + 2),
           h = score + (m->device ? 2 : 1) * m->u * range * (1 + 0x1p-20) +
               bounds_gamma(m, (double)n + 24 + (m->device ? 7 : 5) * blocks);
    return both(expm1(2 * h) * BOUNDS_OUTWARD, bounds_operand(m, 1));
}

/* Index of a token in its sequence. */
static int64_t token_of(const mn_args *a, int64_t t) {
    int64_t first = 0;
    for (int64_t s = 0; s < a->segments; s++)
        if (a->offsets[s] <= t)
            first = a->offsets[s];
    return t - first;
}

/* The exponents' errors of all tokens [batch][kv_heads][time]. */
static double *all_exponent_errors(const mn_args *a, const bounds_model *m) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads;
    double *e = flint_calloc((size_t)(a->batch * kv * a->time + 1), sizeof *e);
    for (int64_t n = 0; n < a->batch * kv; n++)
        exponent_errors(e + n * a->time, a, m, n / kv, n % kv);
    return e;
}

/* With the roundings' factors f of sums, gates and operands, a sum s of absolute values and an
 * underflow, |error| <= ((1 + f_1)(1 + f_2)(1 + f_3) - 1) s + tiny; then the output's rounding. */
static void bound_rows(bounds_t b, const mn_args *a, const reference_t exact,
                       const reference_struct *scale, const bounds_model *m) {
    double x = largest_product(a), *exponent = all_exponent_errors(a, m),
           operands = bounds_operand(m, a->kernel == MN_VORT || a->kernel == MN_LOGLINEAR
                                            ? WEIGHTED_OPERANDS
                                            : SUM_OPERANDS);
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, group = a->heads / kv;
    for (slong row = 0; row < b->rows; row++) {
        int64_t head = row % a->heads, t = row / a->heads % a->time,
                batch = row / a->heads / a->time, n = token_of(a, t) + 1;
        double tiny = underflow(a, m, n, x), factor, f = 0, least = 0;
        bool nothing = false;
        factor = a->kernel == MN_SOFTMAX
                     ? softmax_factor(a, m, batch, t, head)
                     : both(both(bounds_gamma(m, output_roundings(a, m, n)),
                                 exponent[(batch * kv + head / group) * a->time + t]),
                            operands);
        if (a->normalise) {
            f = factor * bounds_magnitude(scale->divisor + row) + tiny;
            least = magnitude_lower(exact->divisor + row);
            /* masked: of products that are all 0 the divisor is 0 in any order, and so is the output */
            nothing = bounds_magnitude(scale->divisor + row) == 0;
        }
        for (int64_t j = 0; j < a->dv; j++) {
            double e = factor * bounds_magnitude(scale->o + row * a->dv + j) + tiny,
                   o = bounds_magnitude(exact->o + row * a->dv + j);
            if (a->normalise)
                e = bounds_quotient(e, f, o, least, m->u, m->tiny);
            b->o[row * a->dv + j] = nothing ? 0 : bounds_rounded(m, e, o) * BOUNDS_OUTWARD;
        }
    }
    int64_t size = reference_head_floats(a);
    double into = bounds_operand(m, STATE_OPERANDS);
    for (slong i = 0; i < b->states; i++) {
        int64_t sequence = i / size / kv, batch = a->segments ? 0 : sequence,
                end = a->segments ? a->offsets[sequence + 1] : a->time,
                n = a->segments ? end - a->offsets[sequence] : a->time;
        if (n == 0)
            continue;
        double e = exponent[(batch * kv + i / size % kv) * a->time + end - 1];
        b->state[i] = (both(both(bounds_gamma(m, state_roundings(a, m, n)), e), into) *
                           bounds_magnitude(scale->state + i) +
                       underflow(a, m, n, x)) *
                      BOUNDS_OUTWARD;
    }
    flint_free(exponent);
}

static bounds_model model_of(const arithmetic *in) {
    return (bounds_model){arithmetic_accumulate_unit(in),
                          arithmetic_operand_unit(in),
                          arithmetic_output_unit(in),
                          arithmetic_accumulate_tiny(in),
                          arithmetic_operand_tiny(in),
                          arithmetic_output_tiny(in),
                          in->chunk,
                          in->device};
}

double bounds_gate_error(const mn_args *a, const arithmetic *in) {
    bounds_model m = model_of(in);
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads;
    double most = 0, *e = all_exponent_errors(a, &m);
    for (int64_t i = 0; i < a->batch * kv * a->time; i++)
        most = fmax(most, e[i]);
    flint_free(e);
    return most;
}

bounds_status bounds_attention_in(bounds_t b, const mn_args *a, const reference_t exact,
                                  const reference_struct *scale, const arithmetic *in) {
    bounds_clear(b);
    if ((unsigned)a->kernel >= MN_KERNELS || in->chunk < 0 || in->chunk > ARITHMETIC_MAX_CHUNK)
        return BOUNDS_BAD_ARGUMENT;
    bounds_model m = model_of(in);
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
        bounds_recurrence(b, a, exact, &m);
    else
        bound_rows(b, a, exact, scale, &m);
    return BOUNDS_OK;
}

bounds_status bounds_attention(bounds_t b, const mn_args *a, const reference_t exact,
                               const reference_struct *scale) {
    arithmetic library = arithmetic_library();
    return bounds_attention_in(b, a, exact, scale, &library);
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
                (bounds_gamma_upper(n) * bounds_magnitude(scale->o + row * c->channels + i) +
                 tiny) *
                BOUNDS_OUTWARD;
    }
    double t = (double)c->time;
    for (slong i = 0; i < b->states && c->time; i++)
        b->state[i] = (bounds_gamma_upper(2 * t + 2 * CONVOLUTION_BLOCK + 16) *
                           bounds_magnitude(scale->state + i) +
                       8 * BOUNDS_TINY * (t + CONVOLUTION_BLOCK) * x) *
                      BOUNDS_OUTWARD;
    return BOUNDS_OK;
}

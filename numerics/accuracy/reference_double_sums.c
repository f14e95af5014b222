/* Linear and log-linear attention in double-doubles, by their recurrences: an entry of a state
 * or an output is known within N DD_UNIT times the same sum on absolute values, N the roundings
 * that a product meets on its way (derived at the end). */
#include "numerics/accuracy/reference_double.h"

dd reference_double_gate(float g) {
    arb_t c;
    arb_init(c);
    reference_gate(c, g, 128);
    dd x = dd_from_ball(c);
    arb_clear(c);
    return x;
}

static dd by_balls(void (*f)(arb_t, const arb_t, slong), dd x) {
    arb_t y;
    arb_init(y);
    dd_to_ball(y, x, 0);
    f(y, y, 128);
    x = dd_from_ball(y);
    arb_clear(y);
    return x;
}
dd reference_double_inverse(dd x) {
    return by_balls(arb_inv, x);
}
dd reference_double_inverse_root(dd x) {
    return by_balls(arb_rsqrt, x);
}

void reference_put(arb_t y, dd x, double x_abs, bool absolute, double radius) {
    dd_to_ball(y, absolute ? (dd){x_abs, 0} : x, radius);
}

bool reference_put_output(reference_t r, const reference_sums *w, const reference_head *h,
                          int64_t t, int64_t i, double relative, double abs_relative, double tiny) {
    int64_t row = reference_output_row(h, t, i), dv = h->dv;
    bool divides = reference_divides(h), absolute = h->absolute;
    double most = 0, error = absolute ? abs_relative : relative * REFERENCE_OUTWARD, sum = 0;
    for (int64_t j = 0; j < w->columns; j++) {
        sum += w->o.hi[j] + w->o.lo[j] + w->o_abs[j];
        if (j < dv)
            most = fmax(most, w->o_abs[j]);
    }
    if (!isfinite(sum) || !reference_double_narrow(error * most + tiny, most, absolute))
        return false;
    arb_ptr o = r->o + row * dv;
    for (int64_t j = 0; j < dv; j++)
        reference_put(o + j, dd_get(w->o, j), w->o_abs[j], absolute, error * w->o_abs[j] + tiny);
    if (!divides && !r->divisor)
        return true;
    bool known = true;
    arb_t n;
    arb_init(n);
    reference_put(n, dd_get(w->o, dv), w->o_abs[dv], absolute && !divides,
                  (divides ? relative * REFERENCE_OUTWARD : error) * w->o_abs[dv] + tiny);
    if (!divides) {
        known = reference_double_narrow(error * w->o_abs[dv] + tiny, w->o_abs[dv], absolute);
    } else if (arb_is_zero(n)) {
        _arb_vec_zero(o, dv);
    } else if (arb_contains_zero(n)) {
        known = false;
    } else {
        mag_t width, least;
        mag_init(width), mag_init(least);
        arb_get_mag_lower(least, n);
        mag_set_d(width, absolute ? most * 0x1p30 : most); /* 2^-REFERENCE_BITS of this */
        mag_div(width, width, least);
        arb_inv(n, n, 128);
        for (int64_t j = 0; j < dv; j++) {
            arb_mul(o + j, o + j, n, 128);
            known = known && reference_narrow(o + j, width);
        }
        mag_clear(width), mag_clear(least);
        reference_put(n, dd_get(w->o, dv), 0, false,
                      relative * REFERENCE_OUTWARD * w->o_abs[dv] + tiny);
    }
    if (r->divisor)
        arb_set(r->divisor + row, n);
    arb_clear(n);
    return known;
}

/* ---- linear and log-linear attention ---- */

typedef struct {
    reference_sums sums;
    int64_t size;    /* of a block: dk columns */
    int64_t blocks;  /* 1; levels + 1 */
    dd_row s, decay; /* [blocks][dk][columns]; [blocks]: what they are to be multiplied by */
    double *s_abs, *decay_abs;
    dd_row gate; /* [dk], per key */
    dd_row read; /* [columns] */
    double *read_abs;
    double *q, *k, *v; /* [dk], [dk], [columns] with 1 at the end */
    double largest_k, largest_v, largest_state;
    bool gated, something; /* is there any product yet that is not 0? */
} work;

static void layout(work *w, const reference_head *h, reference_room *room) {
    int64_t dk = h->dk, columns = h->dv + (h->a->normalise ? 1 : 0);
    w->sums.columns = columns;
    w->size = dk * columns, w->blocks = h->a->kernel == MN_LOGLINEAR ? h->a->levels + 1 : 1;
    w->s = reference_take_row(room, w->blocks * w->size);
    w->s_abs = reference_take(room, w->blocks * w->size);
    w->decay = reference_take_row(room, w->blocks), w->decay_abs = reference_take(room, w->blocks);
    w->gate = reference_take_row(room, dk);
    w->sums.o = reference_take_row(room, columns), w->sums.o_abs = reference_take(room, columns);
    w->read = reference_take_row(room, columns), w->read_abs = reference_take(room, columns);
    w->q = reference_take(room, dk), w->k = reference_take(room, dk);
    w->v = reference_take(room, columns);
}

static void row_scale_abs(int64_t n, double *restrict y, double c) {
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        y[j] *= c;
}

/* The blocks that hold something at a position: bit b is level b + 1; linear attention has
 * block 0. */
static bool live(const work *w, int64_t position, int64_t block) {
    return w->blocks == 1 || (block > 0 && position >> (block - 1) & 1);
}

static void load_state(work *w, const reference_head *h) {
    int64_t dv = h->dv, size = reference_head_floats(h->a);
    const float *in = reference_state_in(h, size);
    for (int64_t b = 0; b < w->blocks; b++)
        dd_put(w->decay, b, (dd){1, 0}), w->decay_abs[b] = 1;
    for (int64_t b = 0; in && b < (w->blocks == 1 ? 1 : w->blocks - 1); b++)
        for (int64_t p = 0; live(w, h->position, b) && p < h->dk; p++)
            for (int64_t j = 0; j < w->sums.columns; j++) {
                double x = (double)(j < dv ? in[(b * h->dk + p) * dv + j] : in[h->dk * dv + p]);
                int64_t at = b * w->size + p * w->sums.columns + j;
                w->s.hi[at] = x, w->s_abs[at] = fabs(x);
                w->largest_state = fmax(w->largest_state, fabs(x));
                w->something = w->something || x != 0;
            }
}

/* What was written before decays by the gate of token t; false: a gate above 1. */
static bool decay(work *w, const reference_head *h, int64_t t) {
    const mn_args *a = h->a;
    bool scalar = a->g.data != NULL, keys = a->kernel == MN_LINEAR && a->gate_keys.data && !scalar;
    int64_t columns = w->sums.columns;
    if (scalar) {
        float g = *reference_key_row(h, a->g, 1, t);
        if (g > 0)
            return false;
        dd c = reference_double_gate(g);
        if (w->blocks > 1) {
            for (int64_t b = 1; b < w->blocks; b++) {
                dd_put(w->decay, b, dd_mul(dd_get(w->decay, b), c));
                w->decay_abs[b] *= c.hi;
            }
            return true;
        }
        if (!h->absolute)
            dd_row_scale(w->size, w->s, w->s, c);
        row_scale_abs(w->size, w->s_abs, c.hi);
    } else if (keys) {
        const float *g = reference_key_row(h, a->gate_keys, h->dk, t);
        for (int64_t p = 0; p < h->dk; p++) {
            if (g[p] > 0)
                return false;
            dd c = reference_double_gate(g[p]);
            dd_row row = dd_at(w->s, p * columns);
            if (!h->absolute)
                dd_row_scale(columns, row, row, c);
            row_scale_abs(columns, w->s_abs + p * columns, c.hi);
        }
    }
    return true;
}

/* Block b += k v^T. */
static void add_token(work *w, const reference_head *h, int64_t b) {
    int64_t columns = w->sums.columns;
    for (int64_t p = 0; p < h->dk; p++) {
        int64_t at = b * w->size + p * columns;
        if (!h->absolute)
            dd_row_add_exact(columns, dd_at(w->s, at), w->v, w->k[p]);
        reference_row_add_abs(columns, w->s_abs + at, w->v, w->k[p]);
    }
}

/* The token at position p has been read: it and the blocks of p's trailing ones become one. */
static void merge(work *w, const reference_head *h, int64_t p) {
    int64_t target = 1;
    while (p >> (target - 1) & 1)
        target++;
    int64_t at = target * w->size;
    dd_row_zero(w->size, dd_at(w->s, at)), reference_row_zero(w->size, w->s_abs + at);
    dd_put(w->decay, target, (dd){1, 0}), w->decay_abs[target] = 1;
    for (int64_t b = 1; b < target; b++) {
        if (!h->absolute)
            dd_row_add_product(w->size, dd_at(w->s, at), dd_at(w->s, b * w->size),
                               dd_get(w->decay, b));
        reference_row_add_abs(w->size, w->s_abs + at, w->s_abs + b * w->size, w->decay_abs[b]);
    }
    add_token(w, h, target);
}

/* read := q^T block. */
static void read_block(work *w, const reference_head *h, int64_t b) {
    int64_t columns = w->sums.columns;
    dd_row_zero(columns, w->read), reference_row_zero(columns, w->read_abs);
    for (int64_t p = 0; p < h->dk; p++) {
        int64_t at = b * w->size + p * columns;
        if (!h->absolute)
            dd_row_add_short(columns, w->read, dd_at(w->s, at), w->q[p]);
        reference_row_add_abs(columns, w->read_abs, w->s_abs + at, w->q[p]);
    }
}

/* Sums of query head i at token t, without the scale. */
static void output(work *w, const reference_head *h, int64_t t, int64_t i, double *largest) {
    const mn_args *a = h->a;
    reference_sums *o = &w->sums;
    const float *lambda = NULL;
    reference_row_load(h->dk, w->q, reference_query(h, t, i));
    *largest = reference_largest(reference_query(h, t, i), h->dk, 0);
    dd_row_zero(o->columns, o->o), reference_row_zero(o->columns, o->o_abs);
    if (a->kernel == MN_LOGLINEAR && a->lambda.data) {
        lambda = reference_row(a->lambda, a->time, a->heads, a->levels, h->batch, h->first + t,
                               h->head * h->group + i);
        *largest *= reference_largest(lambda, a->levels, 1);
    }
    for (int64_t b = 0; b < w->blocks; b++) {
        if (!live(w, h->position + t, b))
            continue;
        dd f = dd_get(w->decay, b);
        double f_abs = w->decay_abs[b];
        if (lambda)
            f = dd_mul_short(f, (double)lambda[b]), f_abs *= fabs((double)lambda[b]);
        read_block(w, h, b);
        dd_row_add_product(o->columns, o->o, w->read, f);
        reference_row_add_abs(o->columns, o->o_abs, w->read_abs, f_abs);
    }
    if (w->blocks == 1)
        return;
    dd own = {0, 0};
    double own_abs = 0, factor = lambda ? (double)lambda[0] : 1;
    for (int64_t p = 0; p < h->dk; p++) {
        own = dd_add_d(own, w->q[p] * w->k[p]);
        own_abs += fabs(w->q[p] * w->k[p]);
    }
    dd_row_add_scaled(o->columns, o->o, w->v, dd_mul_short(own, factor));
    reference_row_add_abs(o->columns, o->o_abs, w->v, own_abs * factor);
}

static double roundings(const work *w, const reference_head *h, int64_t t) {
    return w->blocks == 1 ? 3 * (double)t + (double)h->dk + 8
                          : 2 * (double)t + (double)h->dk + 6 * (double)w->blocks + 16;
}

static bool put_state(const work *w, const reference_head *h) {
    int64_t dv = h->dv, columns = w->sums.columns, end = h->position + h->length;
    bool absolute = h->absolute;
    int64_t last = w->blocks == 1 ? 1 : w->blocks - 1, blocks = 0;
    double most = 0, sum = 0, n = roundings(w, h, h->length), tiny = 0,
           unit = h->length == 0 ? 0
                  : absolute     ? n * 0x1p-51
                                 : n * DD_UNIT * REFERENCE_OUTWARD;
    for (int64_t b = 0; b < last; b++) {
        blocks += live(w, end, b);
        for (int64_t i = 0; i < w->size && live(w, end, b); i++) {
            double x = w->s_abs[b * w->size + i] * w->decay_abs[b];
            most = fmax(most, x), sum += x;
        }
    }
    if (w->gated && w->something && blocks > 0)
        tiny = reference_tiny(h, h->length, w->blocks, w->sums.factors);
    if (!isfinite(sum) || !reference_double_narrow(unit * most + tiny, most, absolute))
        return false;
    for (int64_t b = 0; b < last; b++)
        for (int64_t i = 0; i < w->size; i++) {
            int64_t p = i / columns, j = i % columns, at = b * w->size + i;
            arb_ptr y = h->state + (j < dv ? (b * h->dk + p) * dv + j : h->dk * dv + p);
            if (!live(w, end, b)) {
                arb_zero(y);
                continue;
            }
            dd x = dd_get(w->s, at);
            double x_abs = w->s_abs[at] * w->decay_abs[b];
            if (w->blocks > 1)
                x = dd_mul(x, dd_get(w->decay, b));
            if (!isfinite(x.hi + x.lo))
                return false;
            reference_put(y, x, x_abs, absolute, unit * x_abs + tiny);
        }
    return true;
}

/* False: something is left to balls. */
static bool recur(reference_t r, reference_head *h, work *w, reference_status *status) {
    const mn_args *a = h->a;
    int64_t reported = 0;
    bool all = true;
    if (roundings(w, h, h->length) > 0x1p24)
        return false;
    load_state(w, h);
    if (w->sums.columns > h->dv)
        w->v[h->dv] = 1;
    w->gated = a->g.data || (a->kernel == MN_LINEAR && a->gate_keys.data);
    for (int64_t t = 0; t < h->length; t++) {
        const float *k = reference_key_row(h, a->k, h->dk, t),
                    *v = reference_key_row(h, a->v, h->dv, t);
        if (!decay(w, h, t))
            return false;
        reference_row_load(h->dk, w->k, k), reference_row_load(h->dv, w->v, v);
        double key = reference_largest(k, h->dk, 0),
               value = reference_largest(v, h->dv, w->sums.columns > h->dv ? 1 : 0);
        w->largest_k = fmax(w->largest_k, key), w->largest_v = fmax(w->largest_v, value);
        w->something = w->something || key * value > 0;
        double written = fmax(1, w->largest_k) * fmax(1, w->largest_v) + w->largest_state;
        w->sums.factors = written;
        if (w->blocks == 1)
            add_token(w, h, 0);
        for (int64_t i = 0; i < h->group; i++) {
            double largest;
            output(w, h, t, i, &largest);
            if (!h->absolute)
                dd_row_scale(w->sums.columns, w->sums.o, w->sums.o, w->sums.scale);
            row_scale_abs(w->sums.columns, w->sums.o_abs, w->sums.scale_abs);
            double n = roundings(w, h, t + 1),
                   tiny =
                       w->gated && w->something && largest > 0
                           ? reference_tiny(h, t, w->blocks,
                                            written * fmax(1, largest) * fmax(1, w->sums.scale_abs))
                           : 0;
            bool known = reference_put_output(r, &w->sums, h, t, i, n * DD_UNIT, n * 0x1p-51, tiny);
            h->row_known[t * h->group + i] = known;
            all = all && known;
        }
        if (w->blocks > 1)
            merge(w, h, h->position + t);
        if (t % 64 == 63 || t + 1 == h->length) {
            if (!reference_goes_on(h, (double)(t + 1 - reported))) {
                *status = REFERENCE_STOPPED;
                return false;
            }
            reported = t + 1;
        }
    }
    h->state_known = put_state(w, h);
    return all && h->state_known;
}

reference_status reference_double_sum(reference_t r, reference_head *h) {
    reference_status status = REFERENCE_UNDECIDED;
    work w = {.gated = false};
    arb_t scale;
    arb_init(scale);
    reference_output_scale(scale, h->a, 128);
    w.sums.scale = dd_from_ball(scale), w.sums.scale_abs = fabs(w.sums.scale.hi);
    arb_clear(scale);
    if (h->a->kernel == MN_VORT || h->a->kernel == MN_SOFTMAX)
        return reference_double_masked(r, h, &w.sums, &status) ? REFERENCE_OK : status;
    reference_room room = {NULL, 0};
    layout(&w, h, &room);
    room.base = flint_calloc((size_t)room.used + 1, sizeof *room.base);
    room.used = 0;
    layout(&w, h, &room);
    if (recur(r, h, &w, &status))
        status = REFERENCE_OK;
    flint_free(room.base);
    return status;
}

/* Bounds.  An output is a sum of products scale lambda c ... c q_p k_p v_j (or with an element of
 * the initial state for k_p v_j); k_p v_j is exact in a double.  Every operation perturbs its
 * operands relatively by DD_UNIT at most, so each product meets a factor within (1 +- DD_UNIT)^N
 * if it passes N operands, and
 *     |error| <= ((1 + DD_UNIT)^N - 1) sum |products| <= N DD_UNIT (1 + 2^-26) sum |products|.
 * The sum on absolute values is computed in double along the same way: relatively within N 2^-53
 * 2 <= N 2^-51; N <= 2^24 keeps that and all second orders below the 2^-26 of
 * REFERENCE_OUTWARD.
 * Linear attention: a token multiplies by its gate (which is off by DD_UNIT itself) and adds k v:
 * 3 t; reading: dk sums, the block's factor 1, the scale and its own rounding: dk + 8 in all.
 * Log-linear: a token multiplies the blocks' factors by its gate: 2 t; merging passes a block on
 * by one product and as many sums as blocks join above it, and levels only rise: 3 levels;
 * reading: dk sums, lambda, the block's factor, a sum per level, the scale: 2 t + dk + 6 (levels +
 * 1) + 16 in all.  (VORT and softmax: reference_double_masked.c.)
 * Underflow.  Without gates and nodes products of at most five floats never underflow: they are
 * multiples of 2^-745, halves of them too.  With them every operation, in double too, adds at
 * most DD_TINY: a gate or its product over n tokens is off by n DD_TINY, times n products of |k|
 * |v| that it multiplies; sums by 2 n DD_TINY; dk + 8 of these are read, per block; lambda, q and
 * the scale multiply all of it: less than 8 DD_TINY (n + 100)^2 (dk + 8) blocks x, x the product
 * of their largest sizes, none taken for less than 1.  Where no product yet was anything but 0
 * there is none. */

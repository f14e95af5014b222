/* VORT attention and softmax in double-doubles, as masked sums: weights of the past, key by key,
 * times values. */
#include "numerics/accuracy/dd_exp.h"
#include "numerics/accuracy/reference_double.h"

enum { KEYS = 256 }; /* whose scores are worked on at once */

typedef struct {
    reference_sums *sums;
    int64_t modes;         /* of all banks */
    double *keys, *values; /* [dk][all keys]; [all keys][columns], with 1 at the end */
    double *q;             /* [dk] */
    dd_row weights;        /* [all keys] */
    double *weights_abs;
    dd_row power, kernel; /* VORT: x^j [modes][length + 1]; W^b_j [banks][length] */
    double *kernel_abs;
    dd_row state, read; /* [dk][columns], one block; [columns] */
    double *state_abs, *read_abs;
    dd_exp_table exp;
    double largest_k, largest_v, largest_weight, largest_state;
    bool state_something;
} work;

static void layout(work *w, const reference_head *h, reference_room *room) {
    int64_t n = h->keys, dk = h->dk, columns = w->sums->columns;
    bool vort = h->a->kernel == MN_VORT;
    int64_t banks = vort ? h->a->banks : 0;
    w->keys = reference_take(room, dk * n), w->values = reference_take(room, n * columns);
    w->q = reference_take(room, dk);
    w->weights = reference_take_row(room, n), w->weights_abs = reference_take(room, n);
    w->power = reference_take_row(room, w->modes * (n + 1));
    w->kernel = reference_take_row(room, banks * n);
    w->kernel_abs = reference_take(room, banks * n);
    w->state = reference_take_row(room, dk * columns);
    w->state_abs = reference_take(room, dk * columns);
    w->read = reference_take_row(room, columns), w->read_abs = reference_take(room, columns);
    w->sums->o = reference_take_row(room, columns);
    w->sums->o_abs = reference_take(room, columns);
}

/* Powers of the nodes, and W^b_j = sum_m weights[b][m] nodes[b][m]^j; false: a node outside
 * [0, 1]. */
static bool tabulate(work *w, const reference_head *h) {
    const mn_args *a = h->a;
    int64_t n = h->length;
    w->largest_weight = reference_largest(a->weights, w->modes, 1);
    for (int64_t m = 0; m < w->modes; m++) {
        double x = (double)a->nodes[m], weight = (double)a->weights[m];
        dd_row power = dd_at(w->power, m * (n + 1)), kernel = dd_at(w->kernel, m / a->modes * n);
        if (!(x >= 0 && x <= 1))
            return false;
        power.hi[0] = 1;
        for (int64_t j = 0; j < n; j++)
            dd_put(power, j + 1, dd_mul_short(dd_get(power, j), x));
        dd_row_add_short(n, kernel, power, weight);
        reference_row_add_abs(n, w->kernel_abs + m / a->modes * n, power.hi, weight);
    }
    return true;
}

static void load(work *w, const reference_head *h) {
    const mn_args *a = h->a;
    int64_t columns = w->sums->columns, size = reference_head_floats(a);
    for (int64_t s = 0; s < h->keys; s++) {
        const float *k = reference_key_row(h, a->k, h->dk, s),
                    *v = reference_key_row(h, a->v, h->dv, s);
        for (int64_t p = 0; p < h->dk; p++)
            w->keys[p * h->keys + s] = (double)k[p];
        reference_row_load(h->dv, w->values + s * columns, v);
        if (columns > h->dv)
            w->values[s * columns + h->dv] = 1;
        w->largest_k = reference_largest(k, h->dk, w->largest_k);
        w->largest_v = reference_largest(v, h->dv, w->largest_v);
    }
    if (a->kernel == MN_VORT) {
        w->largest_state = reference_largest(reference_state_in(h, size), size, 0);
        w->state_something = w->largest_state > 0;
    }
}

/* weights_s = q.k_s for s < n, exactly but for the roundings of dk sums. */
static void scores(work *w, const reference_head *h, int64_t n) {
    dd_row_zero(n, w->weights);
    reference_row_zero(n, w->weights_abs);
    for (int64_t first = 0; first < n; first += KEYS) {
        int64_t m = n - first < KEYS ? n - first : KEYS;
        for (int64_t p = 0; p < h->dk; p++) {
            const double *k = w->keys + p * h->keys + first;
            if (!h->absolute || h->a->kernel == MN_SOFTMAX)
                dd_row_add_exact(m, dd_at(w->weights, first), k, w->q[p]);
            reference_row_add_abs(m, w->weights_abs + first, k, w->q[p]);
        }
    }
}

/* o := sum_{s<n} weights_s v_s, and on absolute values. */
static void mix(work *w, const reference_head *h, int64_t n) {
    reference_sums *o = w->sums;
    dd_row_zero(o->columns, o->o);
    reference_row_zero(o->columns, o->o_abs);
    for (int64_t s = 0; s < n; s++) {
        const double *v = w->values + s * o->columns;
        if (!h->absolute)
            dd_row_add_scaled(o->columns, o->o, v, dd_get(w->weights, s));
        reference_row_add_abs(o->columns, o->o_abs, v, w->weights_abs[s]);
    }
}

/* o += sum_m factor_m q^T S_m of the initial state. */
static void mix_state(work *w, const reference_head *h, int64_t t) {
    const mn_args *a = h->a;
    reference_sums *o = w->sums;
    int64_t size = reference_head_floats(a), dv = h->dv, block = h->dk * dv;
    const float *in = reference_state_in(h, size);
    for (int64_t m = 0; in && m < w->modes; m++) {
        dd f = dd_mul_short(dd_get(w->power, m * (h->length + 1) + t + 1), (double)a->weights[m]);
        if (f.hi == 0)
            continue;
        dd_row_zero(o->columns, w->read);
        reference_row_zero(o->columns, w->read_abs);
        for (int64_t p = 0; p < h->dk; p++) {
            double *row = w->state_abs; /* a row of floats as doubles */
            reference_row_load(dv, row, in + m * block + p * dv);
            if (o->columns > dv)
                row[dv] = (double)in[w->modes * block + m * h->dk + p];
            if (!h->absolute)
                dd_row_add_exact(o->columns, w->read, row, w->q[p]);
            reference_row_add_abs(o->columns, w->read_abs, row, w->q[p]);
        }
        dd_row_add_product(o->columns, o->o, w->read, f);
        reference_row_add_abs(o->columns, o->o_abs, w->read_abs, f.hi);
    }
}

/* Powers of nodes run to 0: is this underflow, and not a product of zeros? */
static bool underflows(const work *w) {
    return (w->largest_k > 0 && w->largest_v > 0) || w->state_something;
}

static bool vort_row(reference_t r, work *w, const reference_head *h, int64_t t, int64_t i) {
    reference_sums *o = w->sums;
    int64_t n = t + 1, length = h->length;
    double largest = reference_largest(reference_query(h, t, i), h->dk, 0);
    scores(w, h, n);
    for (int64_t s = 0; s < n; s++) {
        int64_t at = reference_bank(h, s) * length + t - s;
        if (!h->absolute)
            dd_put(w->weights, s, dd_mul(dd_get(w->weights, s), dd_get(w->kernel, at)));
        w->weights_abs[s] *= w->kernel_abs[at];
    }
    mix(w, h, n);
    mix_state(w, h, t);
    if (!h->absolute)
        dd_row_scale(o->columns, o->o, o->o, o->scale);
    for (int64_t j = 0; j < o->columns; j++)
        o->o_abs[j] *= o->scale_abs;
    double roundings = 2 * (double)n + (double)h->dk + 2 * (double)w->modes + 16,
           factors = fmax(1, w->largest_k) * fmax(1, w->largest_v) + w->largest_state,
           tiny = underflows(w) && largest > 0
                      ? reference_tiny(h, n, w->modes,
                                       factors * fmax(1, largest) * w->largest_weight *
                                           fmax(1, o->scale_abs))
                      : 0;
    return reference_put_output(r, o, h, t, i, roundings * DD_UNIT, roundings * 0x1p-51, tiny);
}

/* p_s = e^(x_s - m), x_s = scale q.k_s, m the largest: known within `relative` and 2^-860. */
static bool softmax_row(reference_t r, work *w, const reference_head *h, int64_t t, int64_t i) {
    reference_sums *o = w->sums;
    int64_t n = h->keys - h->length + t + 1;
    double most = -INFINITY, size = 0, sum = 0;
    scores(w, h, n);
    dd_row_scale(n, w->weights, w->weights, o->scale);
    for (int64_t s = 0; s < n; s++) {
        most = fmax(most, w->weights.hi[s]);
        size = fmax(size, w->weights_abs[s]);
        sum += w->weights.hi[s] + w->weights.lo[s];
    }
    size *= o->scale_abs;
    double off =
        ((double)h->dk + 8) * DD_UNIT * 2 * size; /* an upper bound of |error of x_s - m| */
    if (!isfinite(sum) || !(off < 0x1p-40))
        return false;
    for (int64_t s = 0; s < n; s++) {
        dd x = dd_add_d(dd_get(w->weights, s), -most),
           p = x.hi >= DD_EXP_LEAST ? dd_exp(&w->exp, x) : (dd){0, 0};
        dd_put(w->weights, s, p);
        w->weights_abs[s] = p.hi;
    }
    mix(w, h, n);
    double roundings = (double)n + 8, relative = 2 * off + 2 * DD_EXP_UNIT + roundings * DD_UNIT,
           tiny = (double)n * 0x1p-860 * fmax(1, w->largest_v);
    if (w->largest_v == 0)
        tiny = 0;
    if (h->absolute) /* sums on absolute values in double, over the weights' own */
        for (int64_t s = 0; s < n; s++)
            dd_put(o->o, h->dv, dd_add(dd_get(o->o, h->dv), dd_get(w->weights, s)));
    return reference_put_output(r, o, h, t, i, relative, roundings * 0x1p-51 + 2 * relative, tiny);
}

/* The final state of mode m: sum_s x^(n-1-s) k_s v_s^T over its bank's tokens, + x^n S.  False:
 * not finite.  *most: the largest sum on absolute values. */
static bool put_mode(work *w, const reference_head *h, int64_t m, double tiny, double *most) {
    int64_t n = h->length, dk = h->dk, dv = h->dv, columns = w->sums->columns, block = dk * dv;
    const float *in = reference_state_in(h, reference_head_floats(h->a));
    dd_row power = dd_at(w->power, m * (n + 1));
    for (int64_t p = 0; p < dk; p++)
        for (int64_t j = 0; j < columns; j++) {
            double x = !in      ? 0
                       : j < dv ? (double)in[m * block + p * dv + j]
                                : (double)in[w->modes * block + m * dk + p];
            dd_put(w->state, p * columns + j, dd_mul_short(dd_get(power, n), x));
            w->state_abs[p * columns + j] = fabs(power.hi[n] * x);
        }
    for (int64_t s = 0; s < n; s++) {
        if (reference_bank(h, s) != m / h->a->modes || power.hi[n - 1 - s] == 0)
            continue;
        const double *v = w->values + s * columns;
        for (int64_t p = 0; p < dk; p++) {
            dd f = dd_mul_short(dd_get(power, n - 1 - s), w->keys[p * h->keys + s]);
            if (!h->absolute)
                dd_row_add_scaled(columns, dd_at(w->state, p * columns), v, f);
            reference_row_add_abs(columns, w->state_abs + p * columns, v, f.hi);
        }
    }
    double roundings = 2 * (double)n + 16, unit = n == 0 ? 0
                                                  : h->absolute
                                                      ? roundings * 0x1p-51
                                                      : roundings * DD_UNIT * REFERENCE_OUTWARD;
    for (int64_t p = 0; p < dk; p++)
        for (int64_t j = 0; j < columns; j++) {
            int64_t x = p * columns + j,
                    at = j < dv ? m * block + p * dv + j : w->modes * block + m * dk + p;
            dd value = dd_get(w->state, x);
            if (!isfinite(value.hi + value.lo + w->state_abs[x]))
                return false;
            *most = fmax(*most, w->state_abs[x]);
            reference_put(h->state + at, value, w->state_abs[x], h->absolute,
                          unit * w->state_abs[x] + tiny);
        }
    return true;
}

static bool put_state(work *w, const reference_head *h) {
    double factors = fmax(1, w->largest_k) * fmax(1, w->largest_v) + w->largest_state, most = 0,
           tiny = h->length > 0 && underflows(w) ? reference_tiny(h, h->length, 1, factors) : 0;
    bool finite = true;
    for (int64_t m = 0; m < w->modes; m++)
        finite = finite && put_mode(w, h, m, tiny, &most);
    return finite && reference_double_narrow(tiny, most / 2, h->absolute);
}

bool reference_double_masked(reference_t r, reference_head *h, reference_sums *sums,
                             reference_status *status) {
    bool vort = h->a->kernel == MN_VORT, all = true;
    work w = {.sums = sums, .modes = vort ? h->a->banks * h->a->modes : 0};
    reference_room room = {NULL, 0};
    sums->columns = h->dv + (!vort || h->a->normalise ? 1 : 0);
    layout(&w, h, &room);
    room.base = flint_calloc((size_t)room.used + 1, sizeof *room.base);
    room.used = 0;
    layout(&w, h, &room);
    load(&w, h);
    if (!vort)
        dd_exp_tabulate(&w.exp);
    else
        all = tabulate(&w, h);
    bool usable = all = all && h->keys + w.modes + h->dk < 1 << 22;
    double cost = 0;
    for (int64_t t = 0; t < h->length && usable; t++) {
        for (int64_t i = 0; i < h->group; i++) {
            reference_row_load(h->dk, w.q, reference_query(h, t, i));
            bool known = vort ? vort_row(r, &w, h, t, i) : softmax_row(r, &w, h, t, i);
            h->row_known[t * h->group + i] = known;
            all = all && known;
        }
        cost += reference_cost(h, t);
        if (t % 64 == 63 || t + 1 == h->length) {
            if (!reference_goes_on(h, cost)) {
                *status = REFERENCE_STOPPED;
                usable = all = false;
            }
            cost = 0;
        }
    }
    if (vort && usable)
        h->state_known = put_state(&w, h), all = all && h->state_known;
    flint_free(room.base);
    return all;
}

/* Bounds, continued from reference_double_sums.c.
 * VORT: q.k_s meets dk sums (its products are exact in a double); W^b_j = sum_m w_m x_m^j: at most
 * n products by a node, a product and a sum per mode: n + 2 modes; their product 1, the sum over s
 * n, the scale 3.  What the initial state adds meets dk, n + 1 and a sum per mode: no more.  N = 2 n
 * + dk + 2 modes + 16.  A state of a mode: n, one product, n sums: 2 n + 16.
 * Softmax: |x^_s - x_s| <= (dk + 3) DD_UNIT |scale| sum |q_p k_p|, subtracting the largest, m, adds
 * 2 DD_UNIT |x_s|: off <= (dk + 8) DD_UNIT size, doubled for what rounds in `size`.  With off <
 * 2^-40, e^(x^ - m) differs from e^(x - m) by the factor e^off <= 1 + 2 off and dd_exp's own.  m
 * is a double and the same for all, so that it drops out; the weights' sum is at least (1 -
 * 2^-38), as the largest is e^(x - m) with |x - m| <= 2^-53 |x|.  Weights below e^-600 < 2^-860 count
 * as 0.  Both sums meet n more roundings. */

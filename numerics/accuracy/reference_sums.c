/* The kernels that are sums over the past: linear, log-linear and VORT attention, softmax. */
#include "numerics/accuracy/reference_rows.h"

/* Everything of a head that its tokens share. */
typedef struct {
    arb_ptr decay;              /* [keys] D_ts of the token at hand */
    arb_ptr decay_state;        /* [dk] the same from the start on */
    arb_ptr gate;               /* [dk] c_t */
    arb_ptr kernel, power;      /* VORT: W^b_j [banks][length]; x^j [banks modes][length + 1] */
    arb_ptr q, weights, lambda; /* [dk]; [keys]; [levels] */
    arb_ptr mixed, factors; /* what the initial state gives: sum of its blocks [dk], factors [dk] */
    int64_t blocks;         /* of the state: 1, levels, banks x modes */
} sums;

/* One gate a token. */
static bool has_gate(const mn_args *a) {
    return a->g.data && (a->kernel == MN_LINEAR || a->kernel == MN_LOGLINEAR);
}

static int64_t bit_length(int64_t x) {
    int64_t n = 0;
    while (x >> n)
        n++;
    return n;
}

/* W^b_j = sum_m weights[b][m] nodes[b][m]^j. */
static bool tabulate(sums *w, const reference_head *h) {
    const mn_args *a = h->a;
    int64_t all = a->banks * a->modes, n = h->length + 1;
    arb_ptr x = _arb_vec_init(2), weight = x + 1;
    bool finite = true;
    for (int64_t m = 0; m < all && finite; m++) {
        finite = reference_load(x, a->nodes + m, 1, false) &&
                 reference_load(weight, a->weights + m, 1, h->absolute);
        for (int64_t j = 0; j < n; j++) {
            arb_ptr p = w->power + m * n + j;
            if (j == 0)
                arb_one(p);
            else
                arb_mul(p, p - 1, x, h->prec);
            if (j < h->length)
                arb_addmul(w->kernel + m / a->modes * h->length + j, weight, p, h->prec);
        }
    }
    _arb_vec_clear(x, 2);
    return finite;
}

/* D_ts for s < t, and from the start, take in the gate of token t; 1 for t itself.  With gates
 * per key, keys take it in. */
static bool take_gate(sums *w, const reference_head *h, int64_t t) {
    const mn_args *a = h->a;
    int64_t dk = h->dk;
    arb_one(w->decay + t);
    if (has_gate(a)) {
        if (!reference_gate(w->gate, *reference_key_row(h, a->g, 1, t), h->prec))
            return false;
        for (int64_t s = 0; s < t; s++)
            arb_mul(w->decay + s, w->decay + s, w->gate, h->prec);
        for (int64_t p = 0; p < dk; p++)
            arb_mul(w->decay_state + p, w->decay_state + p, w->gate, h->prec);
    } else if (a->kernel == MN_LINEAR && a->gate_keys.data) {
        const float *g = reference_key_row(h, a->gate_keys, dk, t);
        for (int64_t p = 0; p < dk; p++)
            if (!reference_gate(w->gate + p, g[p], h->prec))
                return false;
        for (int64_t p = 0; p < dk; p++) {
            arb_mul(w->decay_state + p, w->decay_state + p, w->gate + p, h->prec);
            for (int64_t s = 0; s < t; s++)
                arb_mul(h->k + s * dk + p, h->k + s * dk + p, w->gate + p, h->prec);
        }
    }
    return true;
}

/* The factor of the initial state's block b at token t; false: the block does not count. */
static bool block_factor(arb_t f, const sums *w, const reference_head *h, int64_t b, int64_t t) {
    const mn_args *a = h->a;
    arb_one(f);
    if (a->kernel == MN_LOGLINEAR) {
        if (b == 0 || !(h->position >> (b - 1) & 1))
            return false;
        int64_t start = h->position >> b << b; /* first position of the block */
        if (a->lambda.data)
            arb_set(f, w->lambda + bit_length((h->position + t) ^ start));
    } else if (a->kernel == MN_VORT) {
        arb_set_d(f, (double)a->weights[b]);
        if (h->absolute)
            arb_abs(f, f);
        arb_mul(f, f, w->power + b * (h->length + 1) + t + 1, h->prec);
    }
    return true;
}

/* Weights of the past in the output of query head i at token t: what multiplies v_s, but for the
 * scale, which may be irrational: divisors that are 0 must come out as 0. */
static void weigh(sums *w, const reference_head *h, int64_t t) {
    const mn_args *a = h->a;
    int64_t n = h->keys - h->length + t + 1;
    for (int64_t s = 0; s < n; s++) {
        arb_ptr x = w->weights + s;
        arb_dot(x, NULL, 0, w->q, 1, h->k + s * h->dk, 1, h->dk, h->prec);
        if (has_gate(a))
            arb_mul(x, x, w->decay + s, h->prec);
        if (a->kernel == MN_LOGLINEAR && a->lambda.data)
            arb_mul(x, x, w->lambda + bit_length((h->position + t) ^ (h->position + s)), h->prec);
        if (a->kernel == MN_VORT) {
            arb_mul(x, x, w->kernel + reference_bank(h, s) * h->length + t - s, h->prec);
        }
        if (a->kernel == MN_SOFTMAX)
            arb_mul(x, x, h->scale, h->prec);
    }
    if (a->kernel != MN_SOFTMAX)
        return;
    arf_t most;
    arf_init(most);
    for (int64_t s = 0; s < n; s++)
        if (s == 0 || arf_cmp(arb_midref(w->weights + s), most) > 0)
            arf_set(most, arb_midref(w->weights + s));
    for (int64_t s = 0; s < n; s++) {
        arb_sub_arf(w->weights + s, w->weights + s, most, h->prec);
        arb_exp(w->weights + s, w->weights + s, h->prec);
    }
    arf_clear(most);
}

/* largest := the largest |x| of n; sum := the sum of |x|. */
static void sizes(mag_t largest, mag_t sum, arb_srcptr x, int64_t n) {
    mag_t m;
    mag_init(m);
    for (int64_t i = 0; i < n; i++) {
        arb_get_mag(m, x + i);
        if (largest && mag_cmp(m, largest) > 0)
            mag_set(largest, m);
        if (sum)
            mag_add(sum, sum, m);
    }
    mag_clear(m);
}

/* Row o of query head i at token t. */
static reference_status output(reference_t r, sums *w, const reference_head *h, int64_t t,
                               int64_t i, const mag_t largest) {
    const mn_args *a = h->a;
    int64_t n = h->keys - h->length + t + 1, dk = h->dk, dv = h->dv,
            row = reference_output_row(h, t, i);
    arb_ptr o = r->o + row * dv;
    bool signs = h->absolute && a->kernel != MN_SOFTMAX;
    if (!reference_load(w->q, reference_query(h, t, i), dk, signs) ||
        (a->kernel == MN_LOGLINEAR && a->lambda.data &&
         !reference_load(w->lambda,
                         reference_row(a->lambda, a->time, a->heads, a->levels, h->batch,
                                       h->first + t, h->head * h->group + i),
                         a->levels, h->absolute)))
        return REFERENCE_NOT_FINITE;
    weigh(w, h, t);
    arb_t sum, f, x;
    mag_t width;
    arb_init(sum), arb_init(f), arb_init(x), mag_init(width);
    sizes(NULL, width, w->weights, n);
    for (int64_t s = 0; s < n; s++)
        arb_add(sum, sum, w->weights + s, h->prec);
    for (int64_t j = 0; j < dv; j++)
        arb_dot(o + j, NULL, 0, w->weights, 1, h->v + j, dv, n, h->prec);
    for (int64_t b = 0; h->state_in && b < w->blocks; b++) {
        if (!block_factor(f, w, h, b, t))
            continue;
        for (int64_t p = 0; p < dk; p++) {
            arb_mul(w->factors + p, w->q + p, w->decay_state + p, h->prec);
            arb_mul(w->factors + p, w->factors + p, f, h->prec);
        }
        sizes(NULL, width, w->factors, dk);
        for (int64_t j = 0; j < dv; j++)
            arb_dot(o + j, o + j, 0, w->factors, 1, h->state_in + b * dk * dv + j, dv, dk, h->prec);
        if (r->divisor)
            arb_dot(sum, sum, 0, w->factors, 1, h->state_in + w->blocks * dk * dv + b * dk, 1, dk,
                    h->prec);
    }
    mag_mul(width, width, largest);
    if (r->divisor && a->kernel == MN_SOFTMAX)
        arb_set(r->divisor + row, sum);
    else if (r->divisor)
        arb_mul(r->divisor + row, sum, h->scale, h->prec);
    reference_status status = REFERENCE_OK;
    if (reference_divides(h)) {
        if (arb_is_zero(sum)) {
            _arb_vec_zero(o, dv);
        } else if (arb_contains_zero(sum)) {
            status = REFERENCE_UNDECIDED;
        } else {
            _arb_vec_scalar_div(o, o, dv, sum, h->prec);
            mag_t least;
            mag_init(least);
            arb_get_mag_lower(least, sum);
            mag_div(width, width, least);
            mag_clear(least);
        }
    } else if (a->kernel != MN_SOFTMAX) {
        _arb_vec_scalar_mul(o, o, dv, h->scale, h->prec);
        mag_t scale;
        mag_init(scale);
        arb_get_mag(scale, h->scale);
        mag_mul(width, width, scale);
        mag_clear(scale);
    }
    for (int64_t j = 0; j < dv && status == REFERENCE_OK; j++)
        if (!reference_narrow(o + j, width))
            status = REFERENCE_UNDECIDED;
    arb_clear(sum), arb_clear(f), arb_clear(x), mag_clear(width);
    return status;
}

/* state += sum_{s in [first, end)} factor_s k_s v_s^T, factor NULL: 1; z (or NULL) without v. */
static void write_block(arb_ptr state, arb_ptr z, const reference_head *h, arb_srcptr factor,
                        int64_t first, int64_t end) {
    int64_t dk = h->dk, dv = h->dv, n = end - first;
    arb_ptr k = _arb_vec_init(n > 0 ? n : 1);
    for (int64_t p = 0; p < dk && n > 0; p++) {
        for (int64_t s = 0; s < n; s++) {
            arb_set(k + s, h->k + (first + s) * dk + p);
            if (factor)
                arb_mul(k + s, k + s, factor + first + s, h->prec);
            if (z)
                arb_add(z + p, z + p, k + s, h->prec);
        }
        for (int64_t j = 0; j < dv; j++)
            arb_dot(state + p * dv + j, state + p * dv + j, 0, k, 1, h->v + first * dv + j, dv, n,
                    h->prec);
    }
    _arb_vec_clear(k, n > 0 ? n : 1);
}

static void final_linear(const sums *w, const reference_head *h) {
    int64_t size = h->dk * h->dv;
    arb_ptr z = h->a->normalise ? h->state + size : NULL;
    for (int64_t i = 0; h->state_in && i < size; i++)
        arb_mul(h->state + i, h->state_in + i, w->decay_state + i / h->dv, h->prec);
    for (int64_t p = 0; h->state_in && z && p < h->dk; p++)
        arb_mul(z + p, h->state_in + size + p, w->decay_state + p, h->prec);
    write_block(h->state, z, h, has_gate(h->a) ? w->decay : NULL, 0, h->length);
}

static void final_loglinear(const sums *w, const reference_head *h) {
    int64_t size = h->dk * h->dv, end = h->position + h->length;
    for (int64_t l = 1; l < h->a->levels; l++) {
        if (!(end >> (l - 1) & 1))
            continue;
        int64_t first = end >> l << l, last = first + ((int64_t)1 << (l - 1));
        arb_ptr s = h->state + l * size;
        for (int64_t b = 1; h->state_in && b < h->a->levels; b++)
            if (h->position >> (b - 1) & 1 && h->position >> b << b >= first &&
                h->position >> b << b < last)
                for (int64_t i = 0; i < size; i++)
                    arb_addmul(s + i, h->state_in + b * size + i, w->decay_state, h->prec);
        first = first > h->position ? first - h->position : 0;
        write_block(s, NULL, h, has_gate(h->a) ? w->decay : NULL, first, last - h->position);
    }
}

static void final_vort(const sums *w, const reference_head *h) {
    const mn_args *a = h->a;
    int64_t size = h->dk * h->dv, all = a->banks * a->modes, n = h->length;
    arb_ptr factor = _arb_vec_init(n > 0 ? n : 1);
    for (int64_t m = 0; m < all; m++) {
        arb_srcptr power = w->power + m * (n + 1);
        for (int64_t s = 0; s < n; s++) {
            arb_zero(factor + s);
            if (reference_bank(h, s) == m / a->modes)
                arb_set(factor + s, power + n - 1 - s);
        }
        arb_ptr s = h->state + m * size,
                z = a->normalise ? h->state + all * size + m * h->dk : NULL;
        if (h->state_in)
            _arb_vec_scalar_mul(s, h->state_in + m * size, size, power + n, h->prec);
        if (h->state_in && z)
            _arb_vec_scalar_mul(z, h->state_in + all * size + m * h->dk, h->dk, power + n, h->prec);
        write_block(s, z, h, factor, 0, n);
    }
    _arb_vec_clear(factor, n > 0 ? n : 1);
}

reference_status reference_sum(reference_t r, const reference_head *h) {
    const mn_args *a = h->a;
    int64_t dk = h->dk, n = h->keys > 0 ? h->keys : 1,
            levels = a->kernel == MN_LOGLINEAR ? a->levels : 1,
            all = a->kernel == MN_VORT ? a->banks * a->modes : 1,
            banks = a->kernel == MN_VORT ? a->banks : 1, times = h->length + 1;
    sums w = {.blocks = a->kernel == MN_LOGLINEAR ? levels : all};
    int64_t total = 2 * n + 4 * dk + levels + banks * times + all * times;
    arb_ptr room = _arb_vec_init(total);
    w.decay = room, w.weights = room + n, w.decay_state = room + 2 * n, w.gate = w.decay_state + dk,
    w.q = w.gate + dk, w.factors = w.q + dk, w.lambda = w.factors + dk,
    w.kernel = w.lambda + levels, w.power = w.kernel + banks * times;
    for (int64_t p = 0; p < dk; p++)
        arb_one(w.decay_state + p);
    mag_t largest;
    mag_init(largest);
    sizes(largest, NULL, h->v, h->keys * h->dv);
    if (h->state_in)
        sizes(largest, NULL, h->state_in, reference_head_floats(a));
    reference_status status = REFERENCE_OK;
    if (a->kernel == MN_VORT && !tabulate(&w, h))
        status = REFERENCE_NOT_FINITE;
    for (int64_t t = 0; t < h->length && status == REFERENCE_OK; t++) {
        if (!take_gate(&w, h, t))
            status = REFERENCE_NOT_FINITE;
        for (int64_t i = 0; i < h->group && status == REFERENCE_OK; i++)
            if (!h->row_known[t * h->group + i])
                status = output(r, &w, h, t, i, largest);
        if (status == REFERENCE_OK && !reference_goes_on(h, reference_cost(h, t)))
            status = REFERENCE_STOPPED;
    }
    bool end = status == REFERENCE_OK && !h->state_known;
    if (end && a->kernel == MN_LINEAR)
        final_linear(&w, h);
    if (end && a->kernel == MN_LOGLINEAR)
        final_loglinear(&w, h);
    if (end && a->kernel == MN_VORT)
        final_vort(&w, h);
    mag_clear(largest);
    _arb_vec_clear(room, total);
    return status;
}

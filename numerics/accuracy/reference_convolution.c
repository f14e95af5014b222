/* References of the convolutions: y_t = sum_{j<=t} w_j x_{t-j} as it stands, and the states as
 * sums over the past. */
#include "numerics/accuracy/reference_rows.h"

typedef struct {
    arb_ptr kernel, power; /* w_j [time]; node_m^j [modes][time + 1] */
    arb_ptr x, state_in;   /* one channel: [time]; [modes] */
    arb_ptr factors;       /* [modes] */
} convolution;

static bool tabulate(convolution *w, const mn_convolution *c, bool absolute, slong prec) {
    int64_t n = c->time + 1;
    if (c->modes == 0)
        return reference_load(w->kernel, c->kernel,
                              c->kernel_length < c->time ? c->kernel_length : c->time, absolute);
    arb_t x, weight;
    arb_init(x), arb_init(weight);
    bool finite = true;
    for (int64_t m = 0; m < c->modes && finite; m++) {
        finite = reference_load(x, c->nodes + m, 1, absolute) &&
                 reference_load(weight, c->weights + m, 1, absolute);
        for (int64_t j = 0; j < n; j++) {
            arb_ptr p = w->power + m * n + j;
            if (j == 0)
                arb_one(p);
            else
                arb_mul(p, p - 1, x, prec);
            if (j < c->time)
                arb_addmul(w->kernel + j, weight, p, prec);
        }
    }
    arb_clear(x), arb_clear(weight);
    return finite;
}

static reference_status channel(reference_t r, convolution *w, const mn_convolution *c,
                                bool absolute, int64_t batch, int64_t i) {
    int64_t T = c->time, n = T + 1;
    bool packed = c->x.batch == 0 && c->x.time == 0;
    int64_t step = packed ? c->channels : c->x.time,
            start = batch * (packed ? step * T : c->x.batch);
    for (int64_t t = 0; t < T; t++)
        if (!reference_load(w->x + t, c->x.data + start + t * step + i, 1, absolute))
            return REFERENCE_NOT_FINITE;
    for (int64_t m = 0; m < c->modes; m++)
        if (c->state_in &&
            !reference_load(w->state_in + m, c->state_in + (batch * c->modes + m) * c->channels + i,
                            1, absolute))
            return REFERENCE_NOT_FINITE;
    for (int64_t t = 0; t < T; t++) {
        arb_ptr y = r->o + (batch * T + t) * c->channels + i;
        arb_dot(y, NULL, 0, w->kernel, 1, w->x + t, -1, t + 1, r->precision);
        for (int64_t m = 0; c->state_in && m < c->modes; m++) {
            arb_set_d(w->factors + m,
                      absolute ? fabs((double)c->weights[m]) : (double)c->weights[m]);
            arb_mul(w->factors + m, w->factors + m, w->power + m * n + t + 1, r->precision);
        }
        if (c->state_in)
            arb_dot(y, y, 0, w->factors, 1, w->state_in, 1, c->modes, r->precision);
    }
    for (int64_t m = 0; m < c->modes; m++) {
        arb_ptr s = r->state + (batch * c->modes + m) * c->channels + i;
        if (T)
            arb_dot(s, NULL, 0, w->power + m * n, 1, w->x + T - 1, -1, T, r->precision);
        if (c->state_in)
            arb_addmul(s, w->power + m * n + T, w->state_in + m, r->precision);
    }
    return REFERENCE_OK;
}

bool reference_convolution_fits(const mn_convolution *c) {
    return c->batch >= 0 && c->time >= 0 && c->channels >= 1 && c->modes >= 0 &&
           (c->modes ? c->weights && c->nodes
                     : c->kernel_length >= 0 && (!c->kernel_length || c->kernel)) &&
           (!c->batch || !c->time || c->x.data);
}

/* Sums of exact terms, each with a relative error of at most 2 time 2^-precision: nothing to
 * search for. */
static reference_status run(reference_t r, const mn_convolution *c, bool absolute) {
    reference_clear(r);
    if (!reference_convolution_fits(c))
        return REFERENCE_BAD_ARGUMENT;
    r->rows = c->batch * c->time, r->width = c->channels, r->precision = absolute ? 64 : 128;
    r->o = _arb_vec_init(r->rows * r->width);
    r->states = c->batch * c->modes * c->channels;
    r->state = _arb_vec_init(r->states);
    slong n = c->time + 1, total = 2 * n + 2 * c->modes + c->modes * n;
    arb_ptr room = _arb_vec_init(total);
    convolution w = {.kernel = room, .x = room + n, .state_in = room + 2 * n};
    w.factors = w.state_in + c->modes, w.power = w.factors + c->modes;
    reference_status status =
        tabulate(&w, c, absolute, r->precision) ? REFERENCE_OK : REFERENCE_NOT_FINITE;
    for (int64_t b = 0; b < c->batch && status == REFERENCE_OK; b++)
        for (int64_t i = 0; i < c->channels && status == REFERENCE_OK; i++)
            status = channel(r, &w, c, absolute, b, i);
    _arb_vec_clear(room, total);
    if (status != REFERENCE_OK)
        reference_clear(r);
    return status;
}

reference_status reference_convolution(reference_t r, const mn_convolution *c) {
    return run(r, c, false);
}
reference_status reference_convolution_scale(reference_t r, const mn_convolution *c) {
    return run(r, c, true);
}

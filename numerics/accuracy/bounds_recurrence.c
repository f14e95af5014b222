/* Bounds of the delta rule and of variational linear attention, token by token. */
#include "numerics/accuracy/bounds_rows.h"

enum { CHUNK = 32 }; /* the longest chunk of both kernels */

/* What is known of a head's computed states after the tokens so far; slots t % (CHUNK + 1) of
 * the last CHUNK + 1 states. */
typedef struct {
    const mn_args *a;
    int64_t batch, head, kv_heads;
    double b;                  /* |S^ - S|_F */
    double b_metric;           /* VLA: |M^(1/2) (S^ - S)|_F */
    double state[CHUNK + 1];   /* |S^|_F */
    double write[CHUNK + 1];   /* |a_t| |e^_t| of the token before it: k_t for the delta rule */
    double inverse[CHUNK + 1]; /* |A|_F, refreshed */
    double epsilon, mu;        /* relative error of A^ in the M-metric; |M| */
    double keys;               /* sum of |k|, and the initial one */
    double sum; /* |S^_r|_F + sum of writes since r, r the window's start: with token t */
    bool lost;
} progress;

static const float *row(const progress *w, mn_input x, int64_t dim, int64_t t) {
    return reference_row(x, w->a->time, w->kv_heads, dim, w->batch, t, w->head);
}

/* |S^_r|_F + sum_{r < j < t} write_j for r = max(0, t - CHUNK), tokens counted from 1: largest
 * of all chunk starts. */
static double window(const progress *w, int64_t t) {
    int64_t r = t > CHUNK ? t - CHUNK : 0;
    double sum = w->state[r % (CHUNK + 1)];
    for (int64_t j = r + 1; j < t; j++)
        sum += w->write[j % (CHUNK + 1)];
    return sum;
}

/* The largest |A|_F that a chunk with token t may start from, and what refreshes inside it add. */
static double largest_inverse(const progress *w, int64_t t) {
    const mn_args *a = w->a;
    double alpha = 0;
    for (int64_t r = t > CHUNK ? t - CHUNK : 0; r < t; r++)
        alpha = fmax(alpha, w->inverse[r % (CHUNK + 1)]);
    if (a->refresh_every)
        alpha += (double)a->refresh * sqrt((double)a->dk) * (double)(CHUNK / a->refresh_every + 1);
    return alpha;
}

/* What underflow of a token may add to S, and with |q| to o. */
static double underflow(const mn_args *a, double factors) {
    return 8 * BOUNDS_TINY * (double)(a->dk + 2 * CHUNK) * sqrt((double)a->dk * (double)a->dv) *
           factors;
}

static void delta_token(progress *w, int64_t at, int64_t t, const reference_token *did) {
    const mn_args *a = w->a;
    double k = bounds_norm(row(w, a->k, a->dk, at), a->dk),
           v = bounds_norm(row(w, a->v, a->dv, at), a->dv),
           beta = a->beta.data ? fabs((double)*row(w, a->beta, 1, at)) : 1,
           signed_beta = a->beta.data ? (double)*row(w, a->beta, 1, at) : 1,
           c = a->g.data ? exp((double)*row(w, a->g, 1, at)) * BOUNDS_OUTWARD : 1,
           before = window(w, t);
    double growth = c * fmax(1, fabs(1 - signed_beta * k * k) + 0x1p-28 * beta * k * k),
           eta = bounds_gamma_upper((double)a->dk + 5 * CHUNK + 16) * beta * (v + k * before),
           error = did->error + beta * c * k * w->b + eta;
    w->sum = before + k * error;
    w->write[t % (CHUNK + 1)] = k * error;
    w->b = growth * w->b + k * eta + bounds_gamma_upper(13) * w->sum +
           underflow(a, (1 + k) * (1 + k) * (1 + beta) * (1 + v + w->sum));
    w->state[t % (CHUNK + 1)] = did->state + w->b;
}

/* eps_t after A_t = (A_{t-1}^-1 + u u^T)^-1. */
static void renew(progress *w, int64_t at, int64_t t) {
    const mn_args *a = w->a;
    double u = bounds_norm(row(w, a->u, a->dk, at), a->dk), dk = (double)a->dk,
           alpha = largest_inverse(w, t) * (1 + w->epsilon * sqrt(dk));
    w->mu += u * u;
    double kappa = fmax(1, w->mu * alpha), g = alpha * u * u, part = fmin(g, 1),
           error = bounds_gamma_upper(dk + 2 * CHUNK + 16) *
                   (7 * kappa + 6 * pow(dk, 0.25) * sqrt(kappa * g));
    w->epsilon += 2 * (error * (2 * (2 + sqrt(g)) * sqrt(part) + (1 + 2 * sqrt(g)) * part) +
                       4 * BOUNDS_U * (1 + sqrt(dk)) * kappa) +
                  underflow(a, (1 + u) * (1 + u) * (1 + alpha) * (1 + w->mu));
    w->lost = w->lost || !(w->epsilon < 0.125);
}

static void vla_token(progress *w, int64_t at, int64_t t, const reference_token *did) {
    const mn_args *a = w->a;
    renew(w, at, t);
    double k = bounds_norm(row(w, a->k, a->dk, at), a->dk),
           v = bounds_norm(row(w, a->v, a->dv, at), a->dv), before = window(w, t),
           dk = (double)a->dk, gamma = bounds_gamma_upper(dk + 2 * CHUNK + 16);
    double alpha = largest_inverse(w, t);
    double direction = fmin(2, 2 * w->epsilon * sqrt(fmax(1, w->mu * did->inverse)) +
                                   gamma * (8 + 5 * sqrt(dk)) * fmax(1, w->mu * alpha)),
           eta = gamma * (v + k * before), error = did->error + k * w->b + eta;
    if (k == 0)
        direction = 0;
    w->write[t % (CHUNK + 1)] = 1.01 * error;
    w->sum = before + 1.01 * error;
    double added = direction * error + eta + bounds_gamma_upper(6) * w->sum +
                   underflow(a, (1 + k) * (1 + v + w->sum));
    double euclidean = (k + sqrt(4 + k * k)) / 2 * w->b + added;
    w->b_metric = sqrt(1 + did->stretch) * fmax(1, k - 1) * w->b_metric + sqrt(w->mu) * added;
    w->b = fmin(euclidean, sqrt(did->inverse) * w->b_metric) * BOUNDS_OUTWARD;
    w->b_metric = fmin(w->b_metric, sqrt(w->mu) * w->b) * BOUNDS_OUTWARD;
    if (w->lost)
        w->b = w->b_metric = INFINITY;
    w->state[t % (CHUNK + 1)] = did->state + w->b;
    w->keys += k;
    w->inverse[t % (CHUNK + 1)] = did->inverse;
}

static void begin(progress *w, int64_t sequence) {
    const mn_args *a = w->a;
    int64_t size = reference_head_floats(a), dk = a->dk, square = dk * dk;
    bool vla = a->kernel == MN_VLA;
    if (a->state_in) {
        const float *s = (const float *)a->state_in + (sequence * w->kv_heads + w->head) * size,
                    *inverse = s + dk * a->dv;
        w->state[0] = bounds_norm(s, dk * a->dv);
        if (!vla)
            return;
        w->inverse[0] = bounds_norm(inverse, square);
        arb_ptr x = _arb_vec_init(square);
        w->mu =
            reference_load(x, inverse, square, false) ? reference_inverse_norm(x, dk) : INFINITY;
        _arb_vec_clear(x, square);
        w->keys = a->normalise ? bounds_norm(inverse + square, dk) : 0;
        w->lost = !isfinite(w->mu);
    } else if (vla) {
        w->inverse[0] = sqrt((double)dk) / (double)a->lambda0 * BOUNDS_OUTWARD;
        w->mu = (double)a->lambda0, w->epsilon = 2 * BOUNDS_U;
    }
}

static void read_rows(bounds_t b, const progress *w, const reference_t exact, int64_t at,
                      int64_t t) {
    const mn_args *a = w->a;
    int64_t group = a->heads / w->kv_heads;
    for (int64_t i = 0; i < group; i++) {
        int64_t head = w->head * group + i, o = (w->batch * a->time + at) * a->heads + head;
        double q = bounds_norm(reference_row(a->q, a->time, a->heads, a->dk, w->batch, at, head),
                               a->dk) *
                   bounds_scale(a),
               e = q * (w->b + bounds_gamma_upper((double)a->dk + 5 * CHUNK + 16) * w->sum) +
                   underflow(a, (1 + q) * (1 + w->sum) * fmax(1, bounds_scale(a)));
        if (a->normalise) {
            double f = q * bounds_gamma_upper((double)(t + a->dk + 8)) * w->keys +
                       underflow(a, 1 + q),
                   norm = 0;
            mag_t m;
            mag_init(m);
            for (int64_t j = 0; j < a->dv; j++) {
                arb_get_mag(m, exact->o + o * a->dv + j);
                norm += mag_get_d(m) * mag_get_d(m);
            }
            arb_get_mag_lower(m, exact->divisor + o);
            e = bounds_quotient(e, f, sqrt(norm) * BOUNDS_OUTWARD, mag_get_d(m)) +
                BOUNDS_TINY * sqrt((double)a->dv);
            mag_clear(m);
        }
        b->o[o] = e * BOUNDS_OUTWARD;
    }
}

void bounds_recurrence(bounds_t b, const mn_args *a, const reference_t exact) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, size = reference_head_floats(a);
    for (int64_t n = 0; n < reference_sequences(a); n++)
        for (int64_t i = 0; i < kv; i++) {
            progress w = {.a = a, .batch = a->segments ? 0 : n, .head = i, .kv_heads = kv};
            int64_t first = a->segments ? a->offsets[n] : 0,
                    length = a->segments ? a->offsets[n + 1] - first : a->time, position = 0;
            int64_t bytes = reference_sequences(a) * kv * size * 4;
            if (a->state_in && a->kernel == MN_VLA)
                memcpy(&position, (const char *)a->state_in + (bytes + 7) / 8 * 8 + 8 * n, 8);
            begin(&w, n);
            double inverse = w.inverse[0];
            for (int64_t t = 1; t <= length; t++) {
                int64_t at = first + t - 1;
                const reference_token *did = exact->token + (w.batch * a->time + at) * kv + i;
                if (a->kernel == MN_DELTA)
                    delta_token(&w, at, t, did);
                else
                    vla_token(&w, at, t, did);
                read_rows(b, &w, exact, at, t);
                inverse = did->inverse;
                if (a->kernel == MN_VLA && a->refresh_every &&
                    (position + t) % a->refresh_every == 0) {
                    inverse += (double)a->refresh * sqrt((double)a->dk);
                    w.epsilon += 2 * BOUNDS_U * w.mu * inverse;
                    w.inverse[t % (CHUNK + 1)] = inverse;
                }
            }
            double *state = b->state + (n * kv + i) * 3;
            state[0] = w.b;
            if (a->kernel == MN_VLA) {
                state[1] =
                    w.lost ? INFINITY : w.epsilon * inverse * sqrt((double)a->dk) * BOUNDS_OUTWARD;
                state[2] = a->normalise ? bounds_gamma_upper((double)length + 1) * w.keys : 0;
            }
        }
}

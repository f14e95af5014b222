/* Bounds of the delta rule and of variational linear attention, token by token. */
#include "numerics/accuracy/bounds_rows.h"

enum { CHUNK = 32, MOST = ARITHMETIC_MAX_CHUNK + 1 }; /* the longest chunk of both kernels */

/* Narrow operands.  A chunk's residuals are e = T b, T the inverse of its unit triangle, b_j =
 * beta_j (v_j - c_j S^T k_j), |T_tj| <= beta_t |k_t| P |k_j| for j < t, P the product of the
 * steps' norms above 1 since.  Operands on the way: k with beta and gate (2), T, the two parts of
 * T b, the state, e itself:
 *     theta_t = ((1 + u)^7 - 1) (V_t + beta_t |k_t| P sum_j |k_j| V_j),
 *     V_j = beta_j (|v_j| + |k_j| max_r |S^_r|)
 * which the recurrence sees as a residual of theta_t + beta_t |k_t| sum_j |k_j| theta_j; the
 * triangle's entries, rounded twice, as one of ((1 + u)^2 - 1) beta_t |k_t| W_{t-1}.  Writing
 * rounds k and e: (1 + u)^3 - 1; reading q twice, the state or score, and e: (1 + u)^4 - 1.  For
 * VLA a_j in place of beta_j k_j. */
enum { RESIDUAL_OPERANDS = 7, TRIANGLE_OPERANDS = 2, WRITE_OPERANDS = 3, READ_OPERANDS = 4 };

/* What is known of a head's computed states after the tokens so far; slots t % (chunk + 1) of
 * the last chunk + 1 states. */
typedef struct {
    const mn_args *a;
    const bounds_model *m;
    int64_t chunk;
    int64_t batch, head, kv_heads;
    double b;             /* |S^ - S|_F */
    double b_metric;      /* VLA: |M^(1/2) (S^ - S)|_F */
    double state[MOST];   /* |S^|_F */
    double write[MOST];   /* |a_t| |e^_t| of the token before it: k_t for the delta rule */
    double inverse[MOST]; /* |A|_F, refreshed */
    double given[MOST], theta[MOST]; /* |a_t| V_t, |a_t| theta_t */
    double stretch[MOST];            /* the steps' norms, at least 1 */
    double gates[MOST];              /* |g| */
    double gate_error;
    double epsilon, mu; /* relative error of A^ in the M-metric; |M| */
    double keys;        /* sum of |k|, and the initial one */
    double sum;         /* |S^_r|_F + sum of writes since r, r the window's start: with token t */
    bool lost;
} progress;

static const float *row(const progress *w, mn_input x, int64_t dim, int64_t t) {
    return reference_row(x, w->a->time, w->kv_heads, dim, w->batch, t, w->head);
}

/* |S^_r|_F + sum_{r < j < t} write_j for r = max(0, t - chunk), tokens counted from 1: largest
 * of all chunk starts. */
static double window(const progress *w, int64_t t) {
    int64_t r = t > w->chunk ? t - w->chunk : 0;
    double sum = w->state[r % (w->chunk + 1)];
    for (int64_t j = r + 1; j < t; j++)
        sum += w->write[j % (w->chunk + 1)];
    return sum;
}

/* The largest |A|_F that a chunk with token t may start from, and what refreshes inside it add. */
static double largest_inverse(const progress *w, int64_t t) {
    const mn_args *a = w->a;
    double alpha = 0;
    for (int64_t r = t > w->chunk ? t - w->chunk : 0; r < t; r++)
        alpha = fmax(alpha, w->inverse[r % (w->chunk + 1)]);
    if (a->refresh_every)
        alpha +=
            (double)a->refresh * sqrt((double)a->dk) * (double)(w->chunk / a->refresh_every + 1);
    return alpha;
}

/* What underflow of a token may add to S, and with |q| to o. */
static double underflow(const progress *w, double factors) {
    const mn_args *a = w->a;
    return 8 * (w->m->tiny + w->m->operand_tiny) * (double)(a->dk + 2 * w->chunk) *
           sqrt((double)a->dk * (double)a->dv) * factors;
}

/* The residual that narrow operands leave at token t, |k_t| <= k, beta_t <= beta, |a_t| <= write,
 * |v_t| <= v. */
static double operands(progress *w, int64_t t, double k, double v, double beta, double write,
                       double before) {
    if (w->m->operand == 0)
        return 0;
    int64_t first = t > w->chunk ? t - w->chunk : 0;
    double largest = 0, growth = 1, sum = 0, thetas = 0;
    for (int64_t r = first; r < t; r++)
        largest = fmax(largest, w->state[r % (w->chunk + 1)]);
    for (int64_t j = t - 1; j > first; j--) {
        sum += growth * w->given[j % (w->chunk + 1)];
        thetas += w->theta[j % (w->chunk + 1)];
        growth *= w->stretch[j % (w->chunk + 1)];
    }
    double given = beta * (v + k * largest),
           theta = bounds_operand(w->m, RESIDUAL_OPERANDS) * (given + beta * k * sum);
    w->given[t % (w->chunk + 1)] = write * given;
    w->theta[t % (w->chunk + 1)] = write * theta;
    return theta + beta * k * thetas + bounds_operand(w->m, TRIANGLE_OPERANDS) * beta * k * before;
}

/* A device's gates as differences of sums within a chunk: each factor is off by e^(2 (chunk + 4) u
 * sum |g|) - 1, a gate of -inf excepted. */
static double gate_error(progress *w, int64_t at, int64_t t) {
    const mn_args *a = w->a;
    double sum = 0;
    if (!w->m->device || !a->g.data)
        return 0;
    double g = fabs((double)*row(w, a->g, 1, at));
    w->gates[t % (w->chunk + 1)] = isfinite(g) ? g : 0;
    for (int64_t j = t > w->chunk ? t - w->chunk + 1 : 1; j <= t; j++)
        sum += w->gates[j % (w->chunk + 1)];
    double exponent = 2 * (double)(w->chunk + 4) * w->m->u * sum;
    return exponent < 1 ? expm1(exponent) * BOUNDS_OUTWARD : INFINITY;
}

static void delta_token(progress *w, int64_t at, int64_t t, const reference_token *did) {
    const mn_args *a = w->a;
    double k = bounds_norm(row(w, a->k, a->dk, at), a->dk),
           v = bounds_norm(row(w, a->v, a->dv, at), a->dv),
           beta = a->beta.data ? fabs((double)*row(w, a->beta, 1, at)) : 1,
           signed_beta = a->beta.data ? (double)*row(w, a->beta, 1, at) : 1,
           c = a->g.data ? exp((double)*row(w, a->g, 1, at)) * BOUNDS_OUTWARD : 1,
           before = window(w, t), gates = gate_error(w, at, t),
           step = fmax(1, fabs(1 - signed_beta * k * k) + 0x1p-28 * beta * k * k);
    w->stretch[t % (w->chunk + 1)] = step;
    w->gate_error = gates;
    double growth = c * step,
           eta = (bounds_gamma(w->m, (double)a->dk + 5 * (double)w->chunk + 16) + gates) * beta *
                     (v + k * before) +
                 operands(w, t, k, v, beta, k, before),
           error = did->error + beta * c * k * w->b + eta;
    w->sum = before + k * error;
    w->write[t % (w->chunk + 1)] = k * error;
    w->b = growth * w->b + k * eta + (bounds_gamma(w->m, 13) + gates) * w->sum +
           bounds_operand(w->m, WRITE_OPERANDS) * k * error +
           underflow(w, (1 + k) * (1 + k) * (1 + beta) * (1 + v + w->sum));
    w->state[t % (w->chunk + 1)] = did->state + w->b;
}

/* eps_t after A_t = (A_{t-1}^-1 + u u^T)^-1. */
static void renew(progress *w, int64_t at, int64_t t) {
    const mn_args *a = w->a;
    double u = bounds_norm(row(w, a->u, a->dk, at), a->dk), dk = (double)a->dk,
           alpha = largest_inverse(w, t) * (1 + w->epsilon * sqrt(dk));
    w->mu += u * u;
    double kappa = fmax(1, w->mu * alpha), g = alpha * u * u, part = fmin(g, 1),
           error = bounds_gamma(w->m, dk + 2 * (double)w->chunk + 16) *
                   (7 * kappa + 6 * pow(dk, 0.25) * sqrt(kappa * g));
    w->epsilon += 2 * (error * (2 * (2 + sqrt(g)) * sqrt(part) + (1 + 2 * sqrt(g)) * part) +
                       4 * w->m->u * (1 + sqrt(dk)) * kappa) +
                  underflow(w, (1 + u) * (1 + u) * (1 + alpha) * (1 + w->mu));
    w->lost = w->lost || !(w->epsilon < 0.125);
}

static void vla_token(progress *w, int64_t at, int64_t t, const reference_token *did) {
    const mn_args *a = w->a;
    renew(w, at, t);
    double k = bounds_norm(row(w, a->k, a->dk, at), a->dk),
           v = bounds_norm(row(w, a->v, a->dv, at), a->dv), before = window(w, t),
           dk = (double)a->dk, gamma = bounds_gamma(w->m, dk + 2 * (double)w->chunk + 16);
    double alpha = largest_inverse(w, t);
    double direction = fmin(2, 2 * w->epsilon * sqrt(fmax(1, w->mu * did->inverse)) +
                                   gamma * (8 + 5 * sqrt(dk)) * fmax(1, w->mu * alpha)),
           eta = gamma * (v + k * before) + operands(w, t, k, v, 1, 1.01, before),
           error = did->error + k * w->b + eta;
    w->stretch[t % (w->chunk + 1)] = (k + sqrt(4 + k * k)) / 2;
    if (k == 0)
        direction = 0;
    w->write[t % (w->chunk + 1)] = 1.01 * error;
    w->sum = before + 1.01 * error;
    double added = direction * error + eta + bounds_gamma(w->m, 6) * w->sum +
                   bounds_operand(w->m, WRITE_OPERANDS) * 1.01 * error +
                   underflow(w, (1 + k) * (1 + v + w->sum));
    double euclidean = (k + sqrt(4 + k * k)) / 2 * w->b + added;
    w->b_metric = sqrt(1 + did->stretch) * fmax(1, k - 1) * w->b_metric + sqrt(w->mu) * added;
    w->b = fmin(euclidean, sqrt(did->inverse) * w->b_metric) * BOUNDS_OUTWARD;
    w->b_metric = fmin(w->b_metric, sqrt(w->mu) * w->b) * BOUNDS_OUTWARD;
    if (w->lost)
        w->b = w->b_metric = INFINITY;
    w->state[t % (w->chunk + 1)] = did->state + w->b;
    w->keys += k;
    w->inverse[t % (w->chunk + 1)] = did->inverse;
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
        w->mu = reference_inverse_norm_floats(inverse, dk);
        w->keys = a->normalise ? bounds_norm(inverse + square, dk) : 0;
        w->lost = !isfinite(w->mu);
    } else if (vla) {
        w->inverse[0] = sqrt((double)dk) / (double)a->lambda0 * BOUNDS_OUTWARD;
        w->mu = (double)a->lambda0, w->epsilon = 2 * w->m->u;
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
               e = q * (w->b + (bounds_gamma(w->m, (double)a->dk + 5 * (double)w->chunk + 16) +
                                w->gate_error + bounds_operand(w->m, READ_OPERANDS)) *
                                   w->sum) +
                   underflow(w, (1 + q) * (1 + w->sum) * fmax(1, bounds_scale(a)));
        double norm = 0;
        mag_t size;
        mag_init(size);
        for (int64_t j = 0; j < a->dv; j++) {
            arb_get_mag(size, exact->o + o * a->dv + j);
            norm += mag_get_d(size) * mag_get_d(size);
        }
        norm = sqrt(norm) * BOUNDS_OUTWARD;
        if (a->normalise) {
            double f = q *
                           (bounds_gamma(w->m, (double)(t + a->dk + 8)) +
                            bounds_operand(w->m, READ_OPERANDS)) *
                           w->keys +
                       underflow(w, 1 + q);
            arb_get_mag_lower(size, exact->divisor + o);
            e = bounds_quotient(e, f, norm, mag_get_d(size), w->m->u, w->m->tiny) +
                w->m->tiny * sqrt((double)a->dv);
        }
        mag_clear(size);
        if (w->m->output > 0)
            e = bounds_rounded(w->m, e, norm) + w->m->output_tiny * sqrt((double)a->dv);
        bool nothing =
            a->normalise && q * w->keys == 0; /* masked: 0 in any order, see bound_rows */
        b->o[o] = nothing ? 0 : e * BOUNDS_OUTWARD;
    }
}

void bounds_recurrence(bounds_t b, const mn_args *a, const reference_t exact,
                       const bounds_model *m) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, size = reference_head_floats(a);
    for (int64_t n = 0; n < reference_sequences(a); n++)
        for (int64_t i = 0; i < kv; i++) {
            progress w = {.a = a,
                          .m = m,
                          .chunk = m->chunk ? m->chunk : CHUNK,
                          .batch = a->segments ? 0 : n,
                          .head = i,
                          .kv_heads = kv};
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
                    w.epsilon += 2 * m->u * w.mu * inverse;
                    w.inverse[t % (w.chunk + 1)] = inverse;
                }
            }
            double *state = b->state + (n * kv + i) * 3;
            state[0] = w.b;
            if (a->kernel == MN_VLA) {
                state[1] =
                    w.lost ? INFINITY : w.epsilon * inverse * sqrt((double)a->dk) * BOUNDS_OUTWARD;
                state[2] = a->normalise ? bounds_gamma(m, (double)length + 1) * w.keys : 0;
            }
        }
}

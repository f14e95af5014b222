/* A priori bounds of float gradients of the kernels that are sums.
 *
 * Every gradient of linear, log-linear and VORT attention and of the convolutions is a sum of
 * products of inputs, gates and cotangents.  gradient_scale is the same sum on absolute values, A.
 * A program that forms these products and adds them in any order, every product meeting at most N
 * roundings of (1 + delta), |delta| <= u, on its way, errs by at most gamma_N A, gamma_N = N u /
 * (1 - N u), and what underflow adds.
 *
 * dg.  The sum dg_u = sum_{t >= u} sum_{s < u} M_ts, M_ts the term of q_t, k_s, v_s, do_t (s also
 * the initial state, t also the final state's cotangent), is often formed as the reverse
 * cumulative sum of q_t.dq_t - k_t.dk_t, in which every M_ts with s, t >= u comes twice and
 * cancels: each time with its own roundings.  So A of dg_u is the same cumulative sum with a plus,
 * sum_{t >= u} (|q_t|.A(dq_t) + |k_t|.A(dk_t)) + <|d_state|, A(S_T)>, which contains the direct
 * sum, the cumulative one, and any mixture of them over chunks (a chunk's end gives <dS, S>, and
 * its terms are among those of the rows behind it).  Per key likewise.
 *
 * N.  A product meets at most 4 roundings per gate (3 u from e^g, one multiplication) or node
 * power, one per addition in S and in its cotangent (T each), over keys and values (dk + dv, twice
 * in dg), in the cumulative sum (2 T), scale, products, masks, chunks and output (128), over
 * grouped heads (heads):
 *     linear, log-linear: N = 8 T + 2 (dk + dv) + heads + 128, log-linear + levels (dk + dv + 3);
 *     VORT: N = 8 T + (dk + dv + 2) banks modes + 2 (dk + dv) + heads + 128;
 *     dweights, dnodes, dscale: and batch heads T more; convolutions: N = 4 T + 3 modes + 128,
 *     and batch channels more for parameters.
 *
 * normalise: o = N / n.  With kappa = sum |weights| / |n| (the largest of all rows) and gamma
 * (1 + kappa) <= 1/4 the computed n is off by at most gamma kappa |n| <= |n| / 4, and N_j by gamma
 * A(N_j), so that do / n is off by 2 gamma (1 + kappa) of itself at most and do.o / n by 6 gamma
 * (1 + kappa) of sum |do_j| A(N_j) / n^2.  The scale is taken with cotangents |do| / |n| and sum
 * |do_j| A(N_j) / n^2, both times 1 + kappa: then their error is at most 6 gamma times them and
 * the whole error at most (6 gamma + gamma (1 + 6 gamma (1 + kappa))) A <= 9 gamma A.
 *
 * Softmax.  p_ts = e^(x_s - m) / sum, or e^(x_s - L) with L = m + log sum as kept from the forward
 * pass.  With Z the largest |scale| sum_p |q_p| |k_p|, n the most keys of a row: x is off by
 * gamma_{dk+3} Z; shifts, scaling to base 2 and L by 8 u (Z + log n + 1); e^x, rescaling of the
 * running sum and the sum by gamma_{2n + 64}.  With h their sum, p is off by eta = e^(2h) - 1 of
 * itself.  dS_ts = p_ts (G_ts - sum_r p_tr G_tr), whichever way the inner sum is formed (as do.o
 * too), has products with two factors p at most.  So with A made of p_ts (A(G_ts) + sum_r p_tr
 * A(G_tr)), and of p_ts for dv, the error is at most
 *     ((1 + eta)^2 (1 + gamma_N) - 1) A,   N = 4 n + 2 (dk + dv) + heads + 128.
 *
 * Delta rule and VLA: their gradients are not sums of products of inputs; no bound here.
 *
 * Underflow: a multiplication may leave half the smallest number, times what of the other factors
 * is still to come: least (T + 100)^3 (dk + dv + 2)^2 heads blocks X, X the product of the largest
 * of each factor (or 1). */
#include <math.h>

#include "numerics/accuracy/bounds_rows.h"
#include "numerics/accuracy/gradient.h"
#include "numerics/exact/number.h"

void gradient_bounds_init(gradient_bounds_t b) {
    memset(b, 0, sizeof *b);
}
void gradient_bounds_clear(gradient_bounds_t b) {
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        flint_free(b->part[i]);
    gradient_bounds_init(b);
}

/* gamma_n; +inf from n u = 1 on. */
static double gamma_upper(double n, double unit) {
    double x = n * unit;
    return x < 1 ? x / (1 - x) * BOUNDS_OUTWARD : INFINITY;
}
/* (1 + x)(1 + y) - 1. */
static double both(double x, double y) {
    return isinf(x) || isinf(y) ? INFINITY : (x + y + x * y) * BOUNDS_OUTWARD;
}

static bool of_parameters(gradient_part part) {
    return part == GRADIENT_WEIGHTS || part == GRADIENT_NODES || part == GRADIENT_SCALE ||
           part == GRADIENT_LAMBDA0 || part == GRADIENT_KERNEL;
}

double gradient_roundings(const mn_args *a, gradient_part part) {
    double T = (double)a->time, dk = (double)a->dk, dv = (double)a->dv, heads = (double)a->heads,
           n = 8 * T + 2 * (dk + dv) + heads + 128;
    if (a->kernel == MN_SOFTMAX)
        n = 4 * (T + (double)a->past) + 2 * (dk + dv) + heads + 128;
    if (a->kernel == MN_LOGLINEAR)
        n += (double)a->levels * (dk + dv + 3);
    if (a->kernel == MN_VORT)
        n += (dk + dv + 2) * (double)(a->banks * a->modes);
    return of_parameters(part) ? n + (double)a->batch * heads * T : n;
}
double gradient_convolution_roundings(const mn_convolution *c, gradient_part part) {
    double n = 4 * (double)c->time + 3 * (double)c->modes + 128;
    return of_parameters(part) ? n + (double)c->batch * (double)c->channels : n;
}

/* X of a call. */
static double largest_product(const mn_args *a, const float *d_o, const float *d_state,
                              double cotangent) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads,
            keys = a->time + (a->kernel == MN_SOFTMAX ? a->past : 0),
            states = reference_sequences(a) * kv * reference_head_floats(a);
    double x = bounds_largest_row(a->q, a, a->time, a->heads, a->dk) * fmax(1, bounds_scale(a)) *
               (bounds_largest_row(a->k, a, keys, kv, a->dk) *
                    bounds_largest_row(a->v, a, keys, kv, a->dv) +
                bounds_largest(a->state_in, a->state_in ? states : 0)) *
               (fmax(cotangent, bounds_largest(d_o, a->batch * a->time * a->heads * a->dv)) +
                bounds_largest(d_state, states));
    if (a->kernel == MN_LOGLINEAR)
        x *= bounds_largest_row(a->lambda, a, a->time, a->heads, a->levels);
    if (a->kernel == MN_VORT)
        x *= bounds_largest(a->weights, a->banks * a->modes) * (double)(a->time + 1);
    return x;
}

/* Relative to A and absolute, for products that meet `roundings` in the sums. */
static void factors(double *relative, double *absolute, const gradient_arithmetic *m,
                    double roundings, double products, double largest) {
    *relative = both(gamma_upper(roundings, m->accumulate.unit), gamma_upper(8, m->operand.unit));
    *absolute = (m->accumulate.least * products + 8 * m->operand.least * products) * largest * 2;
}
/* The output's rounding on top, of |x| <= size and an error of e; +inf where inf and 0 have met. */
static double rounded(double e, double size, const gradient_arithmetic *m) {
    double more = m->output.unit > 0 ? m->output.unit * (size + e) + m->output.least : 0;
    double x = (e + more) * BOUNDS_OUTWARD;
    return isnan(x) ? INFINITY : x;
}

/* eta of softmax. */
static double softmax_factor(const mn_args *a, const gradient_struct *scale,
                             const gradient_arithmetic *m) {
    double u = m->accumulate.unit,
           z = scale->score * (1 + gamma_upper(8, m->operand.unit)) * BOUNDS_OUTWARD,
           h = both(gamma_upper((double)a->dk + 3, u), gamma_upper(8, m->operand.unit)) * z +
               8 * u * (z + log(fmax(1, scale->keys)) + 1) + gamma_upper(2 * scale->keys + 64, u);
    return expm1(2 * h) * BOUNDS_OUTWARD;
}

static double *fill(gradient_bounds_t b, gradient_part part, slong count) {
    b->count[part] = count;
    b->part[part] = count ? flint_malloc((size_t)count * sizeof(double)) : NULL;
    for (slong i = 0; i < count; i++)
        b->part[part][i] = INFINITY;
    return b->part[part];
}

void bounds_gradient(gradient_bounds_t b, const mn_args *a, const float *d_o, const float *d_state,
                     const gradient_struct *scale, const gradient_arithmetic *arithmetic) {
    gradient_bounds_clear(b);
    double T = (double)a->time + (a->kernel == MN_SOFTMAX ? (double)a->past : 0) + 100,
           d = (double)(a->dk + a->dv + 2),
           blocks = a->kernel == MN_LOGLINEAR ? (double)a->levels
                    : a->kernel == MN_VORT    ? (double)(a->banks * a->modes)
                                              : 1,
           largest = scale ? largest_product(a, d_o, d_state, scale->cotangent) : INFINITY;
    for (gradient_part part = 0; part < GRADIENT_PARTS; part++) {
        slong count = gradient_count(a, part);
        double *to = fill(b, part, count), relative, absolute;
        if (!scale || scale->count[part] != count)
            continue;
        double n = arithmetic->roundings != 0 ? arithmetic->roundings : gradient_roundings(a, part),
               products = T * T * T * d * d * (double)a->heads * blocks *
                          (of_parameters(part) ? (double)a->batch * T : 1);
        factors(&relative, &absolute, arithmetic, n, products, largest);
        if (a->normalise)
            relative = relative * (1 + scale->condition) <= 0.25 ? 9 * relative : INFINITY;
        if (a->kernel == MN_SOFTMAX) {
            double eta = softmax_factor(a, scale, arithmetic);
            relative = both(both(eta, eta), relative);
        }
        for (slong i = 0; i < count; i++) {
            double size = exact_double_upper(scale->part[part] + i);
            /* no product, nothing to round */
            to[i] = size == 0 ? 0 : rounded(relative * size + absolute, size, arithmetic);
        }
    }
}

void bounds_gradient_convolution(gradient_bounds_t b, const mn_convolution *c, const float *d_y,
                                 const float *d_state, const gradient_struct *scale,
                                 const gradient_arithmetic *arithmetic) {
    gradient_bounds_clear(b);
    bool packed = c->x.batch == 0 && c->x.time == 0;
    int64_t step = packed ? c->channels : c->x.time, states = c->batch * c->modes * c->channels;
    double x = 1, T = (double)c->time + 100;
    for (int64_t n = 0; n < c->batch; n++)
        for (int64_t t = 0; t < c->time; t++)
            x = fmax(
                x, bounds_largest(c->x.data + n * (packed ? step * c->time : c->x.batch) + t * step,
                                  c->channels));
    x = (x + bounds_largest(c->state_in, c->state_in ? states : 0)) *
        (bounds_largest(d_y, c->batch * c->time * c->channels) + bounds_largest(d_state, states)) *
        T *
        (c->modes ? bounds_largest(c->weights, c->modes)
                  : bounds_largest(c->kernel, c->kernel_length));
    for (gradient_part part = 0; part < GRADIENT_PARTS; part++) {
        slong count = gradient_convolution_count(c, part);
        double *to = fill(b, part, count), relative, absolute;
        if (scale->count[part] != count)
            continue;
        double n = arithmetic->roundings != 0 ? arithmetic->roundings
                                              : gradient_convolution_roundings(c, part),
               products = T * T * (double)(c->modes + 1) *
                          (of_parameters(part) ? (double)c->batch * (double)c->channels : 1);
        factors(&relative, &absolute, arithmetic, n, products, x);
        for (slong i = 0; i < count; i++) {
            double size = exact_double_upper(scale->part[part] + i);
            to[i] = size == 0 ? 0 : rounded(relative * size + absolute, size, arithmetic);
        }
    }
}

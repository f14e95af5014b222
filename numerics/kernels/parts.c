/* SPDX-License-Identifier: MIT
 * Small parts: activations, feature maps, routing, the network for log-linear attention's level
 * weights. */
#include <float.h>

#include "numerics/kernels/internal.h"

/* softplus(x) = max(x, 0) + log1p(e^{-|x|}), in double: two roundings of 2^-53 and libm's, then
 * one to float. */
static double softplus(double x) {
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}
float mn_softplus(float x) {
    return (float)softplus((double)x);
}

void mn_elu1(int64_t n, const float *x, float *y) {
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] + 1 : expf(x[i]);
}

void mn_normalise(int64_t rows, int64_t dim, const float *x, float *y) {
    for (int64_t r = 0; r < rows; r++, x += dim, y += dim) {
        double sum = 0; /* squares of floats are exact in double and cannot overflow or vanish */
        for (int64_t i = 0; i < dim; i++)
            sum += (double)x[i] * (double)x[i];
        double norm = sqrt(sum);
        for (int64_t i = 0; i < dim; i++)
            y[i] = sum == 0 ? 0 : (float)((double)x[i] / norm);
    }
}

void mn_random_features(int64_t rows, int64_t dim, int64_t features, const float *omega,
                        const float *x, float *y) {
    double factor = -0.5 * log((double)features);
    for (int64_t r = 0; r < rows; r++, x += dim, y += features) {
        double square = 0;
        for (int64_t i = 0; i < dim; i++)
            square += (double)x[i] * (double)x[i];
        for (int64_t f = 0; f < features; f++) {
            double dot = 0;
            for (int64_t i = 0; i < dim; i++)
                dot += (double)omega[f * dim + i] * (double)x[i];
            y[f] = (float)exp(dot - square / 2 + factor);
        }
    }
}

float mn_route(float entropy, float entity, float delta, float entropy_weight, float entity_weight,
               float bias) {
    /* a weight of 0 switches its input off, infinite or not */
    double z = (entropy_weight == 0 ? 0 : (double)entropy_weight * (double)entropy) -
               (entity_weight == 0 ? 0 : (double)entity_weight * (double)entity) - (double)bias;
    if (isnan(z))
        return delta;
    float alpha = (float)((double)delta + (1 - (double)delta) / (1 + exp(z)));
    return alpha < delta ? delta : alpha > 1 ? 1 : alpha;
}

int32_t mn_nearest_bank(float alpha, int64_t banks, const float *orders) {
    int32_t best = 0;
    for (int32_t i = 1; i < banks; i++)
        if (fabs((double)alpha - (double)orders[i]) < fabs((double)alpha - (double)orders[best]))
            best = i;
    return best;
}

static float saturate(double x) {
    return x > FLT_MAX ? FLT_MAX : (float)x;
} /* softplus is not negative; NaN stays */

mn_status mn_lambda_mlp(int64_t rows, int64_t levels, int64_t width, const float *d,
                        const float *w1, const float *b1, int inner_softplus, const float *w2,
                        const float *b2, float *lambda) {
    if (rows < 0 || levels < 1 || width < 0 || levels > MN_MLP_LEVELS)
        return MN_BAD_SHAPE;
    if (rows && (!d || (width && (!w1 || !w2)) || !b2 || !lambda))
        return MN_BAD_ARGUMENT;
    for (int64_t r = 0; r < rows; r++, d += levels, lambda += levels) {
        double z[MN_MLP_LEVELS];
        for (int64_t l = 0; l < levels; l++)
            z[l] = (double)b2[l];
        for (int64_t i = 0; i < width;
             i++) { /* products of floats are exact; no sum here reaches 1e80 */
            double h = b1 ? (double)b1[i] : 0;
            for (int64_t l = 0; l < levels; l++)
                h += (double)d[l] * (double)w1[l * width + i];
            if (inner_softplus)
                h = softplus(h);
            for (int64_t l = 0; l < levels; l++)
                z[l] += h * (double)w2[i * levels + l];
        }
        for (int64_t l = 0; l < levels; l++)
            lambda[l] = saturate(softplus(z[l]));
    }
    return MN_OK;
}

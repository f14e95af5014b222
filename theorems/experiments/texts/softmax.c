#include "theorems/experiments/texts/softmax.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K = SOFTMAX_CLASSES, GROUP = 4, BATCH = 32 };

/* The loops over classes carry no sum from one class to the next, so that they give the same bits in
   vectors of any length. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define FOR_EACH_ISA
#endif

slong softmax_rows(const softmax_data *d) {
    return 1 + d->dense + d->recent * K;
}

/* z[g] += sum_f x[g][f] w[f] for GROUP samples whose features lie in rows of that length */
FOR_EACH_ISA static void forward(float z[GROUP][K], const float *const x[GROUP], const float *w,
                                 slong dense) {
    for (slong f = 0; f < dense; f++)
        for (int g = 0; g < GROUP; g++) {
            float s = x[g][f];
            for (int k = 0; k < K; k++)
                z[g][k] += s * w[f * K + k];
        }
}

/* gradient[f] += sum_g x[g][f] r[g] */
FOR_EACH_ISA static void backward(float *gradient, const float *const x[GROUP],
                                  const float r[GROUP][K], slong dense) {
    for (slong f = 0; f < dense; f++)
        for (int g = 0; g < GROUP; g++) {
            float s = x[g][f];
            for (int k = 0; k < K; k++)
                gradient[f * K + k] += s * r[g][k];
        }
}

FOR_EACH_ISA static void add_row(float *to, const float *row, float scale) {
    for (int k = 0; k < K; k++)
        to[k] += scale * row[k];
}

/* w -= step g / sqrt(sum of squares of g), after g += l2 w; the gradient is then cleared */
FOR_EACH_ISA static void descend(float *w, float *gradient, float *squares, slong n, float mean,
                                 float l2, float step) {
    for (slong i = 0; i < n; i++) {
        float g = gradient[i] * mean + l2 * w[i];
        squares[i] += g * g;
        w[i] -= step * g / (sqrtf(squares[i]) + 1e-12f);
        gradient[i] = 0;
    }
}

static slong past_row(const softmax_data *d, slong i, slong sample, int *c) {
    *c = d->past[sample * SOFTMAX_RECENT + i];
    return 1 + d->dense + i * K + *c;
}

/* r[g] := p - one-hot label for the samples of a group (n of them, the rest are the first again);
   returns the sum of -ln p(label) */
static double residuals(float r[GROUP][K], const float *x[GROUP], const softmax_data *d,
                        const float *w, const slong *sample, int n, float *bits) {
    double loss = 0;
    for (int g = 0; g < GROUP; g++) {
        slong s = sample[g < n ? g : 0];
        x[g] = d->x + s * d->dense;
        memcpy(r[g], w, sizeof r[g]);
        for (slong i = 0; i < d->recent; i++) {
            int c;
            slong row = past_row(d, i, s, &c);
            add_row(r[g], w + row * K, d->scale[i * K + c]);
        }
    }
    forward(r, x, w + K, d->dense);
    for (int g = 0; g < n; g++) {
        float top = r[g][0], sum = 0;
        int label = d->label[sample[g]];
        for (int k = 1; k < K; k++)
            top = r[g][k] > top ? r[g][k] : top;
        float wanted = r[g][label] - top;
        for (int k = 0; k < K; k++) {
            r[g][k] = expf(r[g][k] - top);
            sum += r[g][k];
        }
        for (int k = 0; k < K; k++)
            r[g][k] /= sum;
        r[g][label] -= 1;
        double nats = (double)logf(sum) - (double)wanted;
        loss += nats;
        if (bits != NULL)
            bits[g] = (float)(nats / M_LN2);
    }
    for (int g = n; g < GROUP; g++)
        memset(r[g], 0, sizeof r[g]);
    return loss;
}

static void accumulate(float *gradient, const float *const x[GROUP], const float r[GROUP][K],
                       const softmax_data *d, const slong *sample, int n) {
    backward(gradient + K, x, r, d->dense);
    for (int g = 0; g < n; g++) {
        add_row(gradient, r[g], 1);
        for (slong i = 0; i < d->recent; i++) {
            int c;
            slong row = past_row(d, i, sample[g], &c);
            add_row(gradient + row * K, r[g], d->scale[i * K + c]);
        }
    }
}

double softmax_objective(double *gradient, const softmax_data *d, const float *w, double l2) {
    enum { PART = 1024 }; /* samples summed in single precision */
    slong size = softmax_rows(d) * K, sample[GROUP];
    float *part = flint_calloc((size_t)size, sizeof *part);
    double loss = 0, square = 0;
    if (gradient != NULL)
        memset(gradient, 0, (size_t)size * sizeof *gradient);
    for (slong s = 0; s < d->samples; s += GROUP) {
        float r[GROUP][K];
        const float *x[GROUP];
        int n = (int)FLINT_MIN(GROUP, d->samples - s);
        for (int g = 0; g < n; g++)
            sample[g] = s + g;
        loss += residuals(r, x, d, w, sample, n, NULL);
        if (gradient == NULL)
            continue;
        accumulate(part, x, (const float(*)[K])r, d, sample, n);
        if ((s / GROUP + 1) % (PART / GROUP) == 0 || s + GROUP >= d->samples)
            for (slong i = 0; i < size; i++) {
                gradient[i] += (double)part[i];
                part[i] = 0;
            }
    }
    flint_free(part);
    for (slong i = 0; i < size; i++) {
        square += (double)w[i] * (double)w[i];
        if (gradient != NULL)
            gradient[i] = gradient[i] / (double)d->samples + l2 * (double)w[i];
    }
    return loss / (double)d->samples + l2 / 2 * square;
}

void softmax_bits(float *bits, const softmax_data *d, const float *w) {
    slong sample[GROUP];
    for (slong s = 0; s < d->samples; s += GROUP) {
        float r[GROUP][K];
        const float *x[GROUP];
        int n = (int)FLINT_MIN(GROUP, d->samples - s);
        for (int g = 0; g < n; g++)
            sample[g] = s + g;
        residuals(r, x, d, w, sample, n, bits + s);
    }
}

/* ---- training ---- */

static void stochastic(float *w, const softmax_data *d, double l2, slong epochs, ulong seed) {
    slong size = softmax_rows(d) * K, batches = (d->samples + BATCH - 1) / BATCH, done = 0;
    float *gradient = flint_calloc((size_t)size, sizeof *gradient),
          *squares = flint_calloc((size_t)size, sizeof *squares);
    slong *order = flint_malloc((size_t)(d->samples + 1) * sizeof *order);
    exact_random random = {exact_hash("order of samples", seed)};
    for (slong s = 0; s < d->samples; s++)
        order[s] = s;
    for (slong e = 0; e < epochs; e++) {
        for (slong s = d->samples - 1; s > 0; s--) {
            slong j = exact_random_integer(&random, 0, s), t = order[s];
            order[s] = order[j];
            order[j] = t;
        }
        for (slong b = 0; b < batches; b++, done++) {
            slong from = b * BATCH, to = FLINT_MIN(from + BATCH, d->samples);
            for (slong s = from; s < to; s += GROUP) {
                float r[GROUP][K];
                const float *x[GROUP];
                int n = (int)FLINT_MIN(GROUP, to - s);
                residuals(r, x, d, w, order + s, n, NULL);
                accumulate(gradient, x, (const float(*)[K])r, d, order + s, n);
            }
            double left = 1 - (double)done / (double)(epochs * batches);
            descend(w, gradient, squares, size, 1 / (float)(to - from), (float)l2,
                    0.1f * (float)fmin(1, 2 * left));
        }
    }
    flint_free(gradient);
    flint_free(squares);
    flint_free(order);
}

void softmax_train(float *w, softmax_training *out, const softmax_data *d, double l2, slong epochs,
                   ulong seed) {
    slong size = softmax_rows(d) * K;
    double *gradient = flint_malloc((size_t)size * sizeof *gradient), square = 0;
    memset(w, 0, (size_t)size * sizeof *w);
    stochastic(w, d, l2, epochs, seed);
    out->objective = softmax_objective(gradient, d, w, l2);
    for (slong i = 0; i < size; i++)
        square += gradient[i] * gradient[i];
    out->gradient = sqrt(square);
    out->excess_upper = square / (2 * l2 * M_LN2);
    flint_free(gradient);
}

/* ---- whitening ---- */

FOR_EACH_ISA static void add_scaled(float *to, const float *from, float scale, slong n) {
    for (slong i = 0; i < n; i++)
        to[i] += scale * from[i];
}

void softmax_whiten_fit(softmax_whitening *out, const float *x, slong rows, slong dense) {
    enum { PART = 256 }; /* rows summed in single precision */
    size_t n = (size_t)dense;
    double *mean = flint_calloc(n, sizeof *mean), *deviation = flint_malloc(n * sizeof *deviation);
    float *centred = flint_malloc(n * sizeof *centred), *part = flint_calloc(n * n, sizeof *part);
    gsl_matrix *c = gsl_matrix_calloc(n, n);
    for (slong r = 0; r < rows; r++)
        for (size_t i = 0; i < n; i++)
            mean[i] += (double)x[(size_t)r * n + i] / (double)rows;
    for (slong r = 0; r < rows; r++) {
        for (size_t i = 0; i < n; i++)
            centred[i] = (float)((double)x[(size_t)r * n + i] - mean[i]);
        for (size_t i = 0; i < n; i++)
            add_scaled(part + i * n, centred, centred[i], (slong)i + 1);
        if ((r + 1) % PART == 0 || r + 1 == rows)
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j <= i; j++) {
                    double sum = gsl_matrix_get(c, i, j) + (double)part[i * n + j];
                    gsl_matrix_set(c, i, j, sum);
                    gsl_matrix_set(c, j, i, sum);
                    part[i * n + j] = 0;
                }
    }
    gsl_matrix_scale(c, 1 / (double)rows);
    for (size_t i = 0; i < n; i++)
        deviation[i] = sqrt(gsl_matrix_get(c, i, i)) + 1e-12;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            gsl_matrix_set(
                c, i, j, gsl_matrix_get(c, i, j) / (deviation[i] * deviation[j]) + 1e-4 * (i == j));
    gsl_linalg_cholesky_decomp1(c);
    gsl_linalg_tri_lower_invert(c);
    out->dense = dense;
    out->mean = flint_malloc(n * sizeof(float));
    out->inverse = flint_calloc(n * n, sizeof(float));
    for (size_t i = 0; i < n; i++) {
        out->mean[i] = (float)mean[i];
        for (size_t j = 0; j <= i; j++)
            out->inverse[i * n + j] = (float)(gsl_matrix_get(c, i, j) / deviation[j]);
    }
    gsl_matrix_free(c);
    flint_free(mean);
    flint_free(deviation);
    flint_free(centred);
    flint_free(part);
}

void softmax_whiten(const softmax_whitening *map, float *x, slong rows) {
    slong n = map->dense;
    float *y = flint_malloc((size_t)n * sizeof *y),
          *columns = flint_malloc((size_t)(n * n) * sizeof *columns);
    for (slong i = 0; i < n; i++) /* columns of L^-1, so that each sum runs along memory */
        for (slong j = 0; j < n; j++)
            columns[j * n + i] = map->inverse[i * n + j];
    for (slong r = 0; r < rows; r++) {
        memset(y, 0, (size_t)n * sizeof *y);
        for (slong j = 0; j < n; j++)
            add_scaled(y + j, columns + j * n + j, x[r * n + j] - map->mean[j], n - j);
        memcpy(x + r * n, y, (size_t)n * sizeof *y);
    }
    flint_free(y);
    flint_free(columns);
}

void softmax_whitening_clear(softmax_whitening *map) {
    flint_free(map->mean);
    flint_free(map->inverse);
}

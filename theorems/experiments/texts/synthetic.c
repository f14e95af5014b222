#include "theorems/experiments/texts/synthetic.h"
#include "theorems/statistics.h"

#include <gsl/gsl_fft_complex.h>
#include <math.h>

static void scatter(int32_t *x, slong length, slong symbols, double keep, exact_random *r) {
    for (slong t = 0; t < length; t++)
        if (statistics_uniform(r) >= keep)
            x[t] = (int32_t)exact_random_integer(r, 0, symbols - 1);
}

void synthetic_markov(int32_t *x, slong length, double memory, double keep, ulong seed) {
    exact_random r = {exact_hash("markov", seed)};
    double stay = exp(-1 / memory);
    for (slong t = 0; t < length; t++)
        x[t] = t > 0 && statistics_uniform(&r) < stay ? x[t - 1]
                                                      : (int32_t)exact_random_integer(&r, 0, 3);
    scatter(x, length, 4, keep, &r);
}

double synthetic_markov_bits(double memory, double keep, slong lag) {
    double s = keep * keep * exp(-(double)lag / memory), p = s + (1 - s) / 4, q = 1 - p;
    return (p * log1p(3 * s) + q * log1p(-s)) / M_LN2; /* 4 p = 1 + 3 s, 4 q / 3 = 1 - s */
}

int synthetic_long_memory(int32_t *x, slong length, double d, double keep, ulong seed) {
    if (length < 2 || length > 1 << 24 || (length & (length - 1)) != 0 || !(d > 0 && d < 0.5))
        return 0;
    size_t n = (size_t)length;
    exact_random r = {exact_hash("long memory", seed)};
    double *z = flint_calloc(4 * n, sizeof *z), rho = 1; /* 2 length complex numbers */
    for (size_t l = 0; l <= n; l++) { /* the circulant's first row: rho_0 ... rho_n ... rho_1 */
        z[2 * l] = rho;
        if (l > 0)
            z[2 * (2 * n - l)] = rho;
        rho *= ((double)l + d) / ((double)l + 1 - d);
    }
    gsl_fft_complex_radix2_forward(z, 1, 2 * n);
    /* eigenvalues, >= 0 since the correlations are positive, falling and convex */
    for (size_t k = 0; k < 2 * n; k++) {
        double scale = sqrt(fmax(z[2 * k], 0) / (2 * (double)n));
        z[2 * k] = scale * statistics_normal(&r);
        z[2 * k + 1] = scale * statistics_normal(&r);
    }
    gsl_fft_complex_radix2_forward(z, 1, 2 * n);
    for (slong t = 0; t < length; t++)
        x[t] = z[2 * t] >= 0;
    scatter(x, length, 2, keep, &r);
    flint_free(z);
    return 1;
}

double synthetic_long_memory_bits(double d, double keep, slong lag) {
    double rho = 1;
    for (slong k = 1; k <= lag; k++)
        rho *= ((double)k - 1 + d) / ((double)k - d);
    /* with p = (1+s)/2: 1 - H(p) = ((1+s) ln(1+s) + (1-s) ln(1-s))/(2 ln 2) */
    double s = keep * keep * 2 / M_PI * asin(rho);
    return ((1 + s) * log1p(s) + (s < 1 ? (1 - s) * log1p(-s) : 0)) / (2 * M_LN2);
}

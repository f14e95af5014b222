#include "numerics/accuracy/spread.h"

#include <math.h>

#define U 0x1p-53
#define OUTWARD (1 + 0x1p-30)

int64_t spread_doubles(int64_t n) {
    return n * n + n;
}

static double norm(const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum) * OUTWARD;
}

static double trace(const spread *s) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        sum += s->m[i * (s->n + 1)];
    return sum * OUTWARD;
}

/* work := M y */
static void multiply(const spread *s, const double *y) {
    int64_t n = s->n;
    double *restrict h = s->work;
    for (int64_t j = 0; j < n; j++)
        h[j] = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *restrict row = s->m + i * n;
        double f = y[i];
#pragma omp simd
        for (int64_t j = 0; j < n; j++)
            h[j] += f * row[j];
    }
}

void spread_step(spread *s, const double *a, const double *k, double x) {
    int64_t n = s->n;
    double before = trace(s), b = 0;
    if (!(before <= 0)) {
        double *restrict h = s->work;
        multiply(s, k);
        for (int64_t i = 0; i < n; i++)
            b += h[i] * k[i];
        for (int64_t i = 0; i < n; i++) {
            double *restrict row = s->m + i * n;
            double ai = a[i], hi = h[i];
#pragma omp simd
            for (int64_t j = 0; j < n; j++) /* M stays symmetric to the bit */
                row[j] -= (ai * h[j] + hi * a[j]) - b * (ai * a[j]);
        }
        /* roundings: what makes up for them is a multiple of I */
        double wide = 1 + norm(a, n) * norm(k, n),
               rest = (8 * (double)n + 32) * U * before * wide * wide;
        for (int64_t i = 0; i < n; i++)
            s->m[i * (n + 1)] += rest;
    }
    x = x > 0 || !(before <= 0) ? x * OUTWARD + 0x1p-490 : x;
    if (x != 0) {
        double now = trace(s), ratio = x * sqrt((double)n / now); /* infinite where M = 0 */
        if (now == 0) {
            for (int64_t i = 0; i < n; i++)
                s->m[i * (n + 1)] = x * x * OUTWARD;
            return;
        }
        for (int64_t i = 0; i < n * n; i++)
            s->m[i] *= 1 + ratio;
        double added = ((1 + 1 / ratio) * x * x + 8 * U * (1 + ratio) * now) * OUTWARD;
        for (int64_t i = 0; i < n; i++)
            s->m[i * (n + 1)] += added;
    }
}

void spread_scale(spread *s, double c) {
    for (int64_t i = 0; i < s->n * s->n; i++)
        s->m[i] *= c * c;
    double rest = c > 0 ? 8 * U * trace(s) + 0x1p-980 : 0; /* roundings, underflow */
    for (int64_t i = 0; i < s->n; i++)
        s->m[i * (s->n + 1)] += rest;
}

double spread_norm_upper(const spread *s) {
    return sqrt(trace(s)) * OUTWARD;
}

double spread_along_upper(const spread *s, const double *y) {
    double sum = 0, size = norm(y, s->n);
    multiply(s, y);
    for (int64_t i = 0; i < s->n; i++)
        sum += y[i] * s->work[i];
    sum += (4 * (double)s->n + 16) * U * size * size * trace(s);
    return sum <= 0 ? 0 : sqrt(sum) * OUTWARD; /* NaN stays NaN */
}

/* Why.  (G D + X)(G D + X)^T <= (1 + r) G D D^T G^T + (1 + 1/r) X X^T for every r > 0, X X^T <= x^2
 * I, and G M G^T = M - a h^T - h a^T + (k.h) a a^T with h = M k; r is the one that makes the trace
 * smallest.  It is computed as M_ij - ((a_i h_j + h_i a_j) - (k.h) a_i a_j).
 * Roundings, u = 2^-53, |M| <= tr M as M >= 0: h is off by n u |M|_F |k| in norm, k.h by 2 n u
 * |M| |k|^2; an entry of the update by 6 u (|M_ij| + |a_i| |h_j| + |h_i| |a_j| + |k.h| |a_i
 * a_j|).  In the Frobenius norm all is less than (8 + 6 n) u tr M (1 + |a| |k|)^2 (|M|_F <= tr
 * M), and E >= -|E|_F I.  Scaling by 1 + r rounds entries by 3 u, and the diagonal's sums
 * relatively by 2 u: less than 8 u (1 + r) tr M.
 * Underflow: x >= 2^-490 makes x^2 >= 2^-980, 2^50
 * times larger than what n^2 < 2^40 underflows may add. */

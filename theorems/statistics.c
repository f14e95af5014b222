#include "theorems/statistics.h"
#include "numerics/exact/number.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

enclosure_measurement statistics_mean(const double *x, slong n, double confidence, int bounded,
                                      ulong seed) {
    double sum = 0, squares = 0;
    for (slong i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / (double)n;
    for (slong i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    double half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, (double)(n - 1)) *
                  sqrt(squares / (double)(n - 1) / (double)n);
    if (bounded && squares <= 0)
        half = 1 - pow(1 - confidence, 1 / (double)n);
    enclosure_measurement m = {mean, mean - half, mean + half, (ulong)n, seed};
    if (bounded)
        m.lower = fmax(m.lower, 0), m.upper = fmin(m.upper, 1);
    return m;
}

/* lower: the chance at which hits or more of n have probability (1-confidence)/2; upper likewise. */
enclosure_measurement statistics_share(slong hits, slong n, double confidence, ulong seed) {
    double tail = (1 - confidence) / 2, k = (double)hits, m = (double)(n - hits);
    enclosure_measurement share = {k / (double)n, 0, 1, (ulong)n, seed};
    if (hits > 0)
        share.lower = gsl_cdf_beta_Pinv(tail, k, m + 1);
    if (hits < n)
        share.upper = gsl_cdf_beta_Qinv(tail, k + 1, m);
    return share;
}

double statistics_uniform(exact_random *r) {
    return ((double)(exact_random_next(r) >> 11) + 0.5) * 0x1p-53;
}

double statistics_normal(exact_random *r) {
    double x = statistics_uniform(r), y = (double)(exact_random_next(r) >> 11) * 0x1p-53;
    return sqrt(-2 * log(x)) * cos(2 * 3.141592653589793 * y);
}

void statistics_rational(fmpq_t x, double value) {
    arf_t a;
    arf_init(a);
    arf_set_d(a, value);
    exact_rational_from_arf(x, a);
    arf_clear(a);
}

void statistics_set(enclosure_t x, double value) {
    fmpq_t q;
    fmpq_init(q);
    statistics_rational(q, value);
    enclosure_set_rational(x, q);
    fmpq_clear(q);
}

void statistics_report(check_context *ctx, const char *name, enclosure_measurement m) {
    enclosure_t x;
    enclosure_init(x);
    enclosure_set_measured(x, m);
    claim_number(ctx, name, "1", x);
    enclosure_clear(x);
}

void statistics_cell(check_context *ctx, const char *table, const char *row, const char *column,
                     enclosure_measurement m) {
    char name[4 * CLAIM_TEXT];
    snprintf(name, sizeof name, "%s/%s/%s", table, row, column);
    statistics_report(ctx, name, m);
}

void statistics_cell_exact(check_context *ctx, const char *table, const char *row,
                           const char *column, double value) {
    char name[4 * CLAIM_TEXT];
    fmpq_t x;
    fmpq_init(x);
    statistics_rational(x, value);
    snprintf(name, sizeof name, "%s/%s/%s", table, row, column);
    claim_number_fmpq(ctx, name, "1", x);
    fmpq_clear(x);
}

static void decide(check_context *ctx, const char *label, double end, relation rel, double bound) {
    fmpq_t x, y;
    fmpq_init(x);
    fmpq_init(y);
    if (isfinite(end)) {
        statistics_rational(x, end);
        statistics_rational(y, bound);
        claim_decide_fmpq(ctx, label, x, rel, y);
    }
    fmpq_clear(x);
    fmpq_clear(y);
}

void statistics_decide_above(check_context *ctx, const char *label, enclosure_measurement m,
                             double bound) {
    decide(ctx, label, m.lower, RELATION_GT, bound);
}

void statistics_decide_below(check_context *ctx, const char *label, enclosure_measurement m,
                             double bound) {
    decide(ctx, label, m.upper, RELATION_LT, bound);
}

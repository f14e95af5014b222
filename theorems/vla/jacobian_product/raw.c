/* vla.jacobian-product: keys that are not normalised, a = A k. */
#include "numerics/exact/number.h"
#include "theorems/vla/jacobian_product/product.h"

#include <math.h>
#include <string.h>

/* (I - k k^T/lambda0)k = (1 - |k|^2/lambda0)k in Q; the other eigenvalues are 1. */
void product_check_raw_step(check_context *ctx, const void *parameter) {
    const raw_parameter *p = parameter;
    enum { D = 4 };
    exact_random r = {ctx->seed};
    fmpq *k = _fmpq_vec_init(D);
    fmpq_t lambda0, n2, gain, left, right;
    fmpq_init(lambda0);
    fmpq_init(n2);
    fmpq_init(gain);
    fmpq_init(left);
    fmpq_init(right);
    for (int trial = 0; trial < 20; trial++) {
        fmpq_set_si(lambda0, exact_random_integer(&r, 1, 100), 10);
        fmpq_zero(n2);
        for (slong i = 0; i < D; i++) {
            fmpq_set_si(k + i, exact_random_integer(&r, 1, 50), 8);
            fmpq_addmul(n2, k + i, k + i);
        }
        fmpq_div(gain, n2, lambda0);
        if (p->normalised)
            fmpq_inv(gain, lambda0);
        for (slong i = 0; i < D; i++) { /* k_i - k_i |k|^2/lambda0 */
            fmpq_mul(left, k + i, n2);
            fmpq_div(left, left, lambda0);
            fmpq_sub(left, k + i, left);
            fmpq_mul(right, k + i, gain);
            fmpq_sub(right, k + i, right);
            claim_decide_fmpq(ctx, "J k = (1 - |k|^2/lambda0) k", left, RELATION_EQ, right);
        }
    }
    _fmpq_vec_clear(k, D);
    fmpq_clear(lambda0);
    fmpq_clear(n2);
    fmpq_clear(gain);
    fmpq_clear(left);
    fmpq_clear(right);
}

enum { DIM = 96, STEPS = 25, RUNS = 16 };

static double normal(exact_random *r) { /* Box and Muller */
    double a = ((double)(exact_random_next(r) >> 11) + 0.5) / 9007199254740992.0,
           b = (double)(exact_random_next(r) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

static double a[DIM][DIM], product[DIM][DIM], w[DIM][DIM];

static void apply(double *y, double m[DIM][DIM], const double *x, int transposed) {
    for (int i = 0; i < DIM; i++) {
        y[i] = 0;
        for (int j = 0; j < DIM; j++)
            y[i] += (transposed ? m[j][i] : m[i][j]) * x[j];
    }
}

static double length(const double *x) {
    double sum = 0;
    for (int i = 0; i < DIM; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* log10 of the product's norm: x and W_u standard normal, k = ELU(x)+1, u = W_u x/(|W_u x| sqrt d). */
static double simulate(ulong seed, double lambda0, int normalised) {
    exact_random r = {seed};
    double x[DIM], f[DIM], u[DIM], z[DIM];
    memset(a, 0, sizeof a);
    memset(product, 0, sizeof product);
    for (int i = 0; i < DIM; i++) {
        a[i][i] = 1 / lambda0;
        product[i][i] = 1;
        for (int j = 0; j < DIM; j++)
            w[i][j] = normal(&r);
    }
    for (int t = 0; t < STEPS; t++) {
        for (int i = 0; i < DIM; i++) {
            x[i] = normal(&r);
            f[i] = x[i] > 0 ? x[i] + 1 : exp(x[i]);
        }
        double n = length(f), g = 1;
        for (int i = 0; i < DIM && normalised; i++)
            f[i] /= n;
        apply(u, w, x, 0);
        n = length(u) * sqrt(DIM);
        for (int i = 0; i < DIM; i++)
            u[i] /= n;
        apply(z, a, u, 0);
        for (int i = 0; i < DIM; i++)
            g += u[i] * z[i];
        for (int i = 0; i < DIM; i++)
            for (int j = 0; j < DIM; j++)
                a[i][j] -= z[i] * z[j] / g;
        apply(z, a, f, 0);
        n = normalised ? length(z) : 1;
        apply(u, product, f, 0); /* product (I - f z^T) */
        for (int i = 0; i < DIM; i++)
            for (int j = 0; j < DIM; j++)
                product[i][j] -= u[i] * z[j] / n;
    }
    double norm = 0;
    for (int i = 0; i < DIM; i++)
        x[i] = 1 + 0.1 * normal(&r);
    for (int m = 0; m < 20; m++) { /* largest singular value by power iteration */
        double n = length(x);
        for (int i = 0; i < DIM; i++)
            x[i] /= n;
        apply(u, product, x, 0);
        norm = length(u);
        for (int i = 0; i < DIM; i++)
            u[i] /= norm;
        apply(x, product, u, 1);
    }
    return log10(norm);
}

/* Mean and 99.9% interval (3.3 standard errors). */
static void summary(enclosure_measurement *m, const double *x, ulong seed) {
    double sum = 0, square = 0;
    for (int n = 0; n < RUNS; n++)
        sum += x[n];
    for (int n = 0; n < RUNS; n++)
        square += (x[n] - sum / RUNS) * (x[n] - sum / RUNS);
    double half = 3.3 * sqrt(square / (RUNS - 1) / RUNS);
    m->estimate = sum / RUNS;
    m->lower = sum / RUNS - half;
    m->upper = sum / RUNS + half;
    m->samples = RUNS;
    m->seed = seed;
}

static void measure(enclosure_measurement *m, double *x, ulong seed, double lambda0,
                    int normalised) {
    for (int n = 0; n < RUNS; n++)
        x[n] = simulate(seed + (ulong)n * 1000003, lambda0, normalised);
    summary(m, x, seed);
}

/* Which lambda0 gives 10^32 after 25 steps, and what the layer's own values give. */
void product_check_raw_lambda(check_context *ctx, const void *parameter) {
    const raw_parameter *p = parameter;
    double found[RUNS];
    enclosure_measurement m;
    for (int n = 0; n < RUNS; n++) {
        found[n] = 6;
        for (int i = 0; i < 5; i++)
            found[n] *=
                pow(10, (simulate(ctx->seed + (ulong)n * 1000003, found[n], p->normalised) - 32) /
                            STEPS);
    }
    summary(&m, found, ctx->seed);
    enclosure_t x;
    arb_t low, high, limit;
    enclosure_init(x);
    arb_init(low);
    arb_init(high);
    arb_init(limit);
    enclosure_set_measured(x, m);
    claim_number(ctx, "lambda0 that gives 10^32, d = 96, 25 steps", "1", x);
    arb_set_d(low, m.lower);
    arb_set_d(high, m.upper);
    arb_set_ui(limit, 6);
    claim_decide_arb(ctx, "lambda0 > 6", low, RELATION_GT, limit);
    arb_set_ui(limit, 7);
    claim_decide_arb(ctx, "lambda0 < 7", high, RELATION_LT, limit);
    for (int i = 0; i < 2; i++) { /* the layer's own two */
        measure(&m, found, ctx->seed, i == 0 ? 0.1 : 10, p->normalised);
        enclosure_set_measured(x, m);
        claim_number(
            ctx, i == 0 ? "log10 of the norm, lambda0 = 1/10" : "log10 of the norm, lambda0 = 10",
            "1", x);
        arb_set_d(low, i == 0 ? m.lower : m.upper);
        arb_set_ui(limit, i == 0 ? 70 : 30);
        claim_decide_arb(ctx, i == 0 ? "lambda0 = 1/10: above 10^70" : "lambda0 = 10: below 10^30",
                         low, i == 0 ? RELATION_GT : RELATION_LT, limit);
    }
    enclosure_clear(x);
    arb_clear(low);
    arb_clear(high);
    arb_clear(limit);
}

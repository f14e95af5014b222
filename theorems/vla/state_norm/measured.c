/* vla.state-norm: random inputs, in double: the text's comparison at T = 1000, measured. */
#include "theorems/statistics.h"
#include "theorems/vla/state_norm/norm.h"

#include <math.h>
#include <string.h>

enum { DIM = 32, STEPS = 1000, RUNS = 24 };

/* A standard normal number (Box and Muller). */
static double normal(exact_random *r) {
    double a = ((double)(exact_random_next(r) >> 11) + 0.5) / 9007199254740992.0,
           b = (double)(exact_random_next(r) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

typedef struct {
    double plain, normalised, vla;
} norms;

static double size(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* One run: x and v standard normal, W_u normal; f = ELU(x)+1. */
static norms simulate(exact_random *r, double lambda0, int raw) {
    static double a[DIM][DIM], w[DIM][DIM], plain[DIM][DIM], unit[DIM][DIM], s[DIM][DIM];
    memset(a, 0, sizeof a);
    memset(plain, 0, sizeof plain);
    memset(unit, 0, sizeof unit);
    memset(s, 0, sizeof s);
    for (int i = 0; i < DIM; i++) {
        a[i][i] = 1 / lambda0;
        for (int j = 0; j < DIM; j++)
            w[i][j] = normal(r);
    }
    for (int t = 0; t < STEPS; t++) {
        double x[DIM], f[DIM], k[DIM], v[DIM], u[DIM], z[DIM], g = 1;
        for (int i = 0; i < DIM; i++) {
            x[i] = normal(r);
            v[i] = normal(r);
            f[i] = x[i] > 0 ? x[i] + 1 : exp(x[i]);
        }
        double length = size(f, DIM);
        for (int i = 0; i < DIM; i++) {
            k[i] = f[i] / length;
            u[i] = 0;
            for (int j = 0; j < DIM; j++)
                u[i] += w[i][j] * x[j];
        }
        length = size(u, DIM) * sqrt(DIM);
        for (int i = 0; i < DIM; i++)
            u[i] /= length;
        for (int i = 0; i < DIM; i++) {
            z[i] = 0;
            for (int j = 0; j < DIM; j++)
                z[i] += a[i][j] * u[j];
            g += u[i] * z[i];
        }
        for (int i = 0; i < DIM; i++)
            for (int j = 0; j < DIM; j++)
                a[i][j] -= z[i] * z[j] / g;
        for (int i = 0; i < DIM; i++) {
            z[i] = 0;
            for (int j = 0; j < DIM; j++)
                z[i] += a[i][j] * k[j];
        }
        length = size(z, DIM);
        for (int i = 0; i < DIM; i++) {
            double e = v[i];
            for (int j = 0; j < DIM; j++)
                e -= s[i][j] * k[j];
            for (int j = 0; j < DIM; j++) {
                s[i][j] += e * z[j] / length;
                plain[i][j] += v[i] * f[j];
                unit[i][j] += v[i] * (raw ? f[j] : k[j]);
            }
        }
    }
    norms n = {size(plain[0], DIM * DIM), size(unit[0], DIM * DIM), size(s[0], DIM * DIM)};
    return n;
}

/* Mean and 99.9% interval (normal, 3.3 standard errors). */
static enclosure_measurement mean(const double *x, ulong seed) {
    double sum = 0, square = 0;
    for (int i = 0; i < RUNS; i++)
        sum += x[i];
    for (int i = 0; i < RUNS; i++)
        square += (x[i] - sum / RUNS) * (x[i] - sum / RUNS);
    double half = 3.3 * sqrt(square / (RUNS - 1) / RUNS);
    enclosure_measurement m = {sum / RUNS, sum / RUNS - half, sum / RUNS + half, RUNS, seed};
    return m;
}

static void decide(check_context *ctx, const char *label, double a, relation rel, double b) {
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    arb_set_d(x, a);
    arb_set_d(y, b);
    claim_decide_arb(ctx, label, x, rel, y);
    arb_clear(x);
    arb_clear(y);
}

void norm_check_random(check_context *ctx, const void *parameter) {
    const random_parameter *p = parameter;
    static const double lambdas[] = {0.1, 10};
    double plain[RUNS], vla[RUNS], keys[RUNS], whole[RUNS];
    for (int i = 0; i < 2; i++) {
        for (int n = 0; n < RUNS; n++) {
            exact_random r = {ctx->seed + (ulong)n * 1000003};
            norms x = simulate(&r, lambdas[i], p->raw);
            plain[n] = x.plain;
            vla[n] = x.vla;
            keys[n] = x.plain / x.normalised;
            whole[n] = x.plain / x.vla;
        }
        enclosure_measurement k = mean(keys, ctx->seed), all = mean(whole, ctx->seed);
        statistics_report(ctx, "plain linear attention, |S_1000|", mean(plain, ctx->seed));
        statistics_report(ctx, i ? "VLA, lambda0 = 10" : "VLA, lambda0 = 1/10",
                          mean(vla, ctx->seed));
        statistics_report(ctx, "factor of the normalised keys alone", k);
        statistics_report(ctx, i ? "whole factor, lambda0 = 10" : "whole factor, lambda0 = 1/10",
                          all);
        decide(ctx, "the normalised keys alone divide the norm by more than 7", k.lower,
               RELATION_GT, 7);
        decide(ctx, "they account for less than the whole", k.upper, RELATION_LT, all.lower);
        decide(ctx, "the whole factor is less than the text's 109", all.upper, RELATION_LT, 109);
    }
}

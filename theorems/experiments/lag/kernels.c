/* experiments.lag-retrieval: weights against the lag, and the best ones for a law. */
#include "theorems/experiments/lag/lag.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

static slong bit_length(slong n) {
    slong b = 0;
    for (; n > 0; n >>= 1)
        b++;
    return b;
}

/* Three steps an octave, single lags first. */
static slong step_of(slong lag) {
    return (slong)floor(3 * log2((double)lag) + 1e-9);
}

slong lag_parameters(lag_family f, slong length) {
    switch (f) {
    case FAMILY_NONE:
    case FAMILY_OPTIMUM:
        return 1;
    case FAMILY_FIVE:
        return 10;
    case FAMILY_LEVELS:
        return bit_length(length - 1);
    case FAMILY_FREE:
        return step_of(length - 1) + 1;
    default:
        return 2;
    }
}

int lag_has_scale(lag_family f) {
    return f != FAMILY_FIVE && f != FAMILY_LEVELS && f != FAMILY_FREE;
}

void lag_start(double *theta, lag_family f, slong length) {
    double log_length = log((double)length);
    slong n = lag_parameters(f, length);
    for (slong i = 0; i < n; i++)
        theta[i] = 0;
    if (f == FAMILY_ONE)
        theta[1] = -log_length / 2;
    else if (f == FAMILY_FIVE_TIED || f == FAMILY_LEVELS_TIED)
        theta[1] = 0.5;
    for (slong m = 0; m < 5 && f == FAMILY_FIVE; m++) {
        theta[m] = -log_length * (double)m / 4;
        theta[5 + m] = theta[m] / 2;
    }
    for (slong i = 0; i < n && (f == FAMILY_LEVELS || f == FAMILY_FREE); i++)
        theta[i] = -log_length / 2 * (double)i / (double)n;
}

double lag_order(const double *theta) {
    return 1 / (1 + exp(-theta[1]));
}

/* out := factor e^(-rate j), added */
static void add_exponential(double *w, double factor, double rate, slong length) {
    double node = exp(-rate), x = factor * node;
    for (slong j = 1; j < length; j++, x *= node)
        w[j] += x;
}

void lag_kernel(double *w, lag_family f, const double *theta, slong length) {
    double scale = lag_has_scale(f) ? exp(theta[0]) : 1, x = scale;
    for (slong j = 0; j < length; j++)
        w[j] = 0;
    switch (f) {
    case FAMILY_NONE:
        for (slong j = 1; j < length; j++)
            w[j] = scale;
        break;
    case FAMILY_POWER: /* w_j = w_{j-1} (j-1+alpha)/j */
        for (slong j = 1; j < length; j++)
            w[j] = x *= ((double)j - 1 + lag_order(theta)) / (double)j;
        break;
    case FAMILY_ONE:
        add_exponential(w, scale, exp(theta[1]), length);
        break;
    case FAMILY_FIVE_TIED:
        for (int m = 0; m < 5; m++) {
            double rate = pow((double)length, -m / 4.0);
            add_exponential(w, scale * pow(rate, theta[1]), rate, length);
        }
        break;
    case FAMILY_FIVE:
        for (int m = 0; m < 5; m++)
            add_exponential(w, exp(theta[5 + m]), exp(theta[m]), length);
        break;
    case FAMILY_LEVELS_TIED:
        for (slong j = 1; j < length; j++)
            w[j] = scale * pow(2, -theta[1] * (double)bit_length(j));
        break;
    case FAMILY_LEVELS:
        for (slong j = 1; j < length; j++)
            w[j] = exp(theta[bit_length(j) - 1]);
        break;
    case FAMILY_FREE:
        for (slong j = 1; j < length; j++)
            w[j] = exp(theta[step_of(j)]);
        break;
    case FAMILY_OPTIMUM:
        break;
    }
}

/* ---- the optimum ---- */

double lag_accuracy(double x, slong labels) {
    double sum = 0, step = 1.0 / 32;
    for (int n = -256; n <= 256; n++) { /* trapezoid on [-8,8]: an analytic integrand */
        double z = n * step;
        sum += gsl_ran_ugaussian_pdf(z) * pow(gsl_cdf_ugaussian_P(z + x), (double)(labels - 1));
    }
    return sum * step;
}

enum { GRID = 1200 };
static const double grid_step = 0.01;

/* The grid point that maximises p A(x) - mu x^2. */
static int best_point(const double *accuracy, double p, double mu) {
    int best = 0;
    double most = -INFINITY;
    for (int n = 0; n <= GRID; n++) {
        double x = n * grid_step, value = p * accuracy[n] - mu * x * x;
        if (value > most)
            most = value, best = n;
    }
    return best;
}

/* Points for all lags; returns the sum of squares. */
static double all_points(int *point, const double *accuracy, const lag_task *task, double mu) {
    double energy = 0, before = -1;
    for (slong j = 1; j < task->length; j++) {
        double p = task->chance[j];
        point[j] = p >= before && p <= before ? point[j - 1] : best_point(accuracy, p, mu);
        energy += point[j] * grid_step * point[j] * grid_step;
        before = p;
    }
    return energy;
}

double lag_optimum(double *w, const lag_task *task, slong d) {
    double accuracy[GRID + 1], budget = (double)d * (double)task->labels, low = 1e-12, high = 10;
    int *more = flint_calloc((size_t)task->length, sizeof *more),
        *less = flint_calloc((size_t)task->length, sizeof *less);
    for (int n = 0; n <= GRID; n++)
        accuracy[n] = lag_accuracy(n * grid_step, task->labels);
    for (int i = 0; i < 50; i++) { /* low: spends more than the budget */
        double mu = sqrt(low * high);
        *(all_points(more, accuracy, task, mu) > budget ? &low : &high) = mu;
    }
    all_points(more, accuracy, task, low);
    double energy = all_points(less, accuracy, task, high), sum = 0;
    w[0] = 0;
    for (slong j = 1; j < task->length; j++) {
        double extra = (more[j] * more[j] - less[j] * less[j]) * grid_step * grid_step;
        int n = extra > 0 && energy + extra <= budget ? more[j] : less[j];
        if (n == more[j])
            energy += extra;
        w[j] = n * grid_step;
        sum += task->chance[j] * accuracy[n];
    }
    flint_free(more);
    flint_free(less);
    return sum;
}

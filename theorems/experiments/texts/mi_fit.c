/* Laws of the decay of information, by likelihood. */
#include "theorems/experiments/texts/mi.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <string.h>

enum { MOST_POINTS = 128, STARTS = 4 };

static const struct {
    const char *name, *formula;
    int parameters;
    const char *parameter[MI_PARAMETERS];
} laws[] = {{"power law", "c l^-gamma", 2, {"c", "gamma", NULL, NULL}},
            {"exponential", "c e^(-l/xi)", 2, {"c", "xi", NULL, NULL}},
            {"power law + floor", "c l^-gamma + f", 3, {"c", "gamma", "f", NULL}},
            {"exponential + floor", "c e^(-l/xi) + f", 3, {"c", "xi", "f", NULL}},
            {"broken power law",
             "c (l/b)^-gamma1, l <= b; c (l/b)^-gamma2",
             4,
             {"c", "gamma1", "b", "gamma2"}},
            {"two exponentials", "c e^(-l/xi1) + f e^(-l/xi2)", 4, {"c", "xi1", "f", "xi2"}}};

const char *mi_law_name(mi_law law) {
    return laws[law].name;
}

const char *mi_law_formula(mi_law law) {
    return laws[law].formula;
}

int mi_law_parameters(mi_law law) {
    return laws[law].parameters;
}

const char *mi_law_parameter(mi_law law, int i) {
    return laws[law].parameter[i];
}

double mi_law_value(mi_law law, const double *p, double lag) {
    switch (law) {
    case MI_POWER:
        return p[0] * pow(lag, -p[1]);
    case MI_EXPONENTIAL:
        return p[0] * exp(-lag / p[1]);
    case MI_POWER_FLOOR:
        return p[0] * pow(lag, -p[1]) + p[2];
    case MI_EXPONENTIAL_FLOOR:
        return p[0] * exp(-lag / p[1]) + p[2];
    case MI_BROKEN:
        return p[0] * pow(lag / p[2], lag <= p[2] ? -p[1] : -p[3]);
    default:
        return p[0] * exp(-lag / p[1]) + p[2] * exp(-lag / p[3]);
    }
}

typedef struct {
    mi_law law;
    int n;
    double lag[MOST_POINTS], bits[MOST_POINTS], error[MOST_POINTS];
} problem;

/* Minus the logarithm of the likelihood; v: logarithms of the parameters and of the misfit. */
static double cost(const gsl_vector *v, void *data) {
    const problem *p = data;
    double parameter[MI_PARAMETERS], sum = 0;
    int k = laws[p->law].parameters;
    for (int i = 0; i < k; i++)
        parameter[i] = exp(gsl_vector_get(v, (size_t)i));
    double misfit = exp(gsl_vector_get(v, (size_t)k));
    for (int i = 0; i < p->n; i++) {
        double f = mi_law_value(p->law, parameter, p->lag[i]), r = p->bits[i] - f, off = misfit * f,
               variance = p->error[i] * p->error[i] + off * off;
        sum += 0.5 * (log(2 * M_PI * variance) + r * r / variance);
    }
    return isfinite(sum) ? sum : 1e30;
}

/* Nelder and Mead's simplex from x (logarithms), restarted until it stays; returns the cost. */
static double descend(double *x, const problem *p, double first_step) {
    size_t n = (size_t)laws[p->law].parameters + 1;
    gsl_multimin_function f = {cost, n, (void *)(uintptr_t)p};
    gsl_vector *at = gsl_vector_alloc(n), *step = gsl_vector_alloc(n);
    gsl_multimin_fminimizer *m =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, n);
    double best = INFINITY, last;
    for (size_t i = 0; i < n; i++)
        gsl_vector_set(at, i, x[i]);
    do {
        last = best;
        gsl_vector_set_all(step, first_step);
        gsl_multimin_fminimizer_set(m, &f, at, step);
        for (int i = 0; i < 2000 && gsl_multimin_fminimizer_size(m) > 1e-6; i++)
            if (gsl_multimin_fminimizer_iterate(m) != GSL_SUCCESS)
                break;
        gsl_vector_memcpy(at, m->x);
        best = m->fval;
    } while (best < last - 1e-6);
    for (size_t i = 0; i < n; i++)
        x[i] = gsl_vector_get(at, i);
    gsl_multimin_fminimizer_free(m);
    gsl_vector_free(at);
    gsl_vector_free(step);
    return best;
}

/* Where descents begin: scales spread over the range of lags. */
static void start(double *x, const problem *p, int trial) {
    double first = fmax(fabs(p->bits[0]), 1e-9), last = fmax(fabs(p->bits[p->n - 1]), 1e-9),
           l0 = p->lag[0], l1 = p->lag[p->n - 1], part = (trial + 0.5) / STARTS,
           scale = l0 * pow(l1 / l0, part), misfit = log(0.1), steep = 2.5 * part;
    switch (p->law) {
    case MI_POWER:
    case MI_POWER_FLOOR:
        x[0] = log(first) + steep * log(l0), x[1] = log(steep), x[2] = log(last);
        break;
    case MI_EXPONENTIAL:
    case MI_EXPONENTIAL_FLOOR:
        x[0] = log(first), x[1] = log(scale), x[2] = log(last);
        break;
    case MI_BROKEN:
        x[0] = log(first) - 1.5 * log(scale / l0), x[1] = log(1.5), x[2] = log(scale),
        x[3] = log(0.4);
        break;
    default:
        x[0] = log(first), x[1] = log(scale / 3), x[2] = log(last), x[3] = log(3 * scale);
    }
    x[laws[p->law].parameters] = misfit;
}

typedef struct {
    double x[MI_PARAMETERS + 1], cost;
} optimum;

static optimum maximise(const problem *p) {
    optimum best = {{0}, INFINITY};
    for (int trial = 0; trial < STARTS; trial++) {
        optimum o;
        start(o.x, p, trial);
        o.cost = descend(o.x, p, 0.5);
        if (o.cost < best.cost)
            best = o;
    }
    return best;
}

/* Half the width of the 99% interval of a quantity whose values without each block are given. */
static double half_width(const double *left_out, int stride) {
    double mean = 0, square = 0;
    for (int b = 0; b < MI_BLOCKS; b++)
        mean += left_out[b * stride] / MI_BLOCKS;
    for (int b = 0; b < MI_BLOCKS; b++)
        square += (left_out[b * stride] - mean) * (left_out[b * stride] - mean);
    return MI_STUDENT * sqrt(square * (MI_BLOCKS - 1) / MI_BLOCKS);
}

/* Whether the lag is round 10^(k/10). */
static int on_grid(slong lag) {
    int k = (int)lround(10 * log10((double)lag));
    return lag == (slong)(pow(10, k / 10.0) + 0.5);
}

int mi_fit_laws(mi_fits *out, const mi_curve *c, slong from) {
    problem p;
    slong at[MOST_POINTS];
    double logs[MI_BLOCKS][MI_PARAMETERS], misfits[MI_BLOCKS], costs[MI_LAWS][MI_BLOCKS];
    memset(out, 0, sizeof *out);
    p.n = 0;
    for (slong i = 0; i < c->lags && p.n < MOST_POINTS; i++)
        if (c->lag[i] >= from && on_grid(c->lag[i])) {
            at[p.n] = i;
            p.lag[p.n] = (double)c->lag[i];
            p.error[p.n++] = fmax(c->error[i], 1e-12);
        }
    out->from = from;
    out->points = p.n;
    if (p.n < 8)
        return 0;
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    for (int law = 0; law < MI_LAWS; law++) {
        mi_fit *f = out->fit + law;
        int k = laws[law].parameters;
        p.law = (mi_law)law;
        for (int i = 0; i < p.n; i++)
            p.bits[i] = c->bits[at[i]];
        optimum o = maximise(&p);
        f->log_likelihood = -o.cost;
        f->misfit = exp(o.x[k]);
        f->aic = 2 * (k + 1) + 2 * o.cost;
        f->bic = (k + 1) * log(p.n) + 2 * o.cost;
        for (int b = 0; b < MI_BLOCKS; b++) {
            optimum one = o;
            for (int i = 0; i < p.n; i++)
                p.bits[i] = c->left_out[b * c->lags + at[i]];
            /* small steps: a second maximum elsewhere is no matter of leaving out a block */
            costs[law][b] = 2 * descend(one.x, &p, 0.02);
            memcpy(logs[b], one.x, sizeof logs[b]);
            misfits[b] = exp(one.x[k]);
        }
        f->misfit_least = f->misfit;
        for (int b = 0; b < MI_BLOCKS; b++)
            f->misfit_least = fmin(f->misfit_least, misfits[b]);
        f->misfit_low = fmax(f->misfit - half_width(misfits, 1), 0);
        f->misfit_high = f->misfit + half_width(misfits, 1);
        for (int i = 0; i < k; i++) {
            double half = half_width(&logs[0][i], MI_PARAMETERS);
            f->parameter[i] = exp(o.x[i]);
            f->low[i] = exp(o.x[i] - half);
            f->high[i] = exp(o.x[i] + half);
        }
        if (f->aic < out->fit[out->best].aic)
            out->best = (mi_law)law;
    }
    gsl_set_error_handler(handler);
    for (int law = 0; law < MI_LAWS; law++) {
        double difference[MI_BLOCKS];
        mi_fit *f = out->fit + law;
        for (int b = 0; b < MI_BLOCKS; b++)
            difference[b] = costs[law][b] - costs[out->best][b];
        double half = half_width(difference, 1);
        f->worse = f->aic - out->fit[out->best].aic;
        f->worse_low = f->worse - half;
        f->worse_high = f->worse + half;
    }
    return 1;
}

/* experiments.lag-retrieval: fitting on training sequences.

   Cross-entropy of one read: ln sum_c e^(o_c) - o_answer, o_c = sum of w_lag score over the tokens with
   label c; weighted by the law's mass of the read's bucket over the reads of a bucket. */
#include "theorems/experiments/lag/lag.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <string.h>

typedef struct {
    lag_family family;
    const lag_task *task;
    const lag_sequence *sequence;
    float *score;              /* [training][reads][tokens] */
    double *w, *slope, *other; /* [T]: kernel, derivative of the loss by the kernel, scratch */
} fit_data;

/* p [V] := softmax of o; returns the cross-entropy of the answer. */
static double softmax(double *p, const double *o, slong labels, int answer) {
    double most = -INFINITY, sum = 0;
    for (slong c = 0; c < labels; c++)
        most = fmax(most, o[c]);
    for (slong c = 0; c < labels; c++)
        sum += p[c] = exp(o[c] - most);
    for (slong c = 0; c < labels; c++)
        p[c] /= sum;
    return log(sum) + most - o[answer];
}

static double weight_of(const lag_task *task, slong read) {
    return task->mass[read / task->each] / (double)(task->each * task->training);
}

/* The loss of the kernel f->w; with slope != 0 also its derivative. */
static double loss_of(fit_data *f, int slope) {
    const lag_task *task = f->task;
    double loss = 0, *o = flint_malloc(2 * (size_t)task->labels * sizeof *o), *p = o + task->labels;
    memset(f->slope, 0, (size_t)task->length * sizeof *f->slope);
    for (slong n = 0; n < task->training; n++) {
        const lag_sequence *s = f->sequence + n;
        for (slong i = 0; i < s->reads; i++) {
            const float *score = f->score + (n * s->reads + i) * s->tokens;
            memset(o, 0, (size_t)task->labels * sizeof *o);
            for (slong t = 0; t < s->tokens; t++)
                o[s->label[t]] += f->w[s->tokens - t] * (double)score[t];
            double weight = weight_of(task, i);
            loss += weight * softmax(p, o, task->labels, s->answer[i]);
            if (!slope)
                continue;
            p[s->answer[i]] -= 1;
            for (slong c = 0; c < task->labels; c++)
                p[c] *= weight;
            for (slong t = 0; t < s->tokens; t++)
                f->slope[s->tokens - t] += p[s->label[t]] * (double)score[t];
        }
    }
    flint_free(o);
    return loss;
}

static void theta_of(double *theta, const gsl_vector *x) {
    for (size_t i = 0; i < x->size; i++) /* far out the families stand still */
        theta[i] = fmax(-30, fmin(30, gsl_vector_get(x, i)));
}

static double value(const gsl_vector *x, void *data) {
    fit_data *f = data;
    double theta[LAG_PARAMETERS];
    theta_of(theta, x);
    lag_kernel(f->w, f->family, theta, f->task->length);
    return loss_of(f, 0);
}

/* dw/dtheta by central differences of the kernel, which costs little beside the loss. */
static void both(const gsl_vector *x, void *data, double *loss, gsl_vector *gradient) {
    fit_data *f = data;
    double theta[LAG_PARAMETERS], step = 1e-5;
    theta_of(theta, x);
    lag_kernel(f->w, f->family, theta, f->task->length);
    *loss = loss_of(f, 1);
    for (size_t i = 0; i < x->size; i++) {
        double at = theta[i], sum = 0;
        for (int side = 1; side >= -1; side -= 2) {
            theta[i] = at + side * step;
            lag_kernel(f->other, f->family, theta, f->task->length);
            for (slong j = 1; j < f->task->length; j++)
                sum += side * f->other[j] * f->slope[j];
        }
        theta[i] = at;
        gsl_vector_set(gradient, i, sum / (2 * step));
    }
}

static void gradient_of(const gsl_vector *x, void *data, gsl_vector *gradient) {
    double loss;
    both(x, data, &loss, gradient);
}

/* A common factor for which the logits are of size 1: where BFGS starts. */
static void start_scale(fit_data *f, double *theta, slong parameters) {
    double best = INFINITY, at = 0;
    lag_kernel(f->other, f->family, theta, f->task->length);
    for (double log_scale = -2; log_scale <= 8; log_scale += 0.5) {
        for (slong j = 1; j < f->task->length; j++)
            f->w[j] = exp(log_scale) * f->other[j];
        double loss = loss_of(f, 0);
        if (loss < best)
            best = loss, at = log_scale;
    }
    if (lag_has_scale(f->family))
        theta[0] += at;
    else
        for (slong i = f->family == FAMILY_FIVE ? 5 : 0; i < parameters; i++)
            theta[i] += at;
}

double lag_fit(double *theta, lag_family family, const lag_task *task, const lag_sequence *training,
               slong d) {
    slong n = lag_parameters(family, task->length), reads = training->reads,
          tokens = training->tokens;
    fit_data f = {family, task, training, NULL, NULL, NULL, NULL};
    f.score = flint_malloc((size_t)(task->training * reads * tokens) * sizeof *f.score);
    for (slong i = 0; i < task->training; i++)
        lag_scores(f.score + i * reads * tokens, training + i, d);
    f.w = flint_malloc(3 * (size_t)task->length * sizeof *f.w);
    f.slope = f.w + task->length;
    f.other = f.slope + task->length;
    start_scale(&f, theta, n);
    gsl_multimin_function_fdf function = {value, gradient_of, both, (size_t)n, &f};
    gsl_multimin_fdfminimizer *m =
        gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, (size_t)n);
    gsl_vector *x = gsl_vector_alloc((size_t)n);
    for (slong i = 0; i < n; i++)
        gsl_vector_set(x, (size_t)i, theta[i]);
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_multimin_fdfminimizer_set(m, &function, x, 0.5, 0.1);
    for (int i = 0; i < 60; i++) /* no progress: a minimum to the accuracy of the line search */
        if (gsl_multimin_fdfminimizer_iterate(m) != GSL_SUCCESS ||
            gsl_multimin_test_gradient(m->gradient, 1e-4) == GSL_SUCCESS)
            break;
    gsl_set_error_handler(handler);
    theta_of(theta, gsl_multimin_fdfminimizer_x(m));
    for (slong i = 0; i < n; i++) /* four digits: what is shown is what is used */
        theta[i] = rint(theta[i] * 1e4) / 1e4;
    double loss = gsl_multimin_fdfminimizer_minimum(m);
    gsl_multimin_fdfminimizer_free(m);
    gsl_vector_free(x);
    flint_free(f.score);
    flint_free(f.w);
    return loss;
}

/* ---- one parameter of a memory that libmneme runs ---- */

typedef struct {
    experiments_memory *memory;
    const lag_task *task;
    const lag_sequence *sequence;
    float *out; /* [training][reads][V] */
} memory_fit;

static double scaled_loss(const memory_fit *f, double scale) {
    slong labels = f->task->labels;
    double loss = 0, *o = flint_malloc(2 * (size_t)labels * sizeof *o);
    for (slong n = 0; n < f->task->training; n++)
        for (slong i = 0; i < f->sequence->reads; i++) {
            const float *out = f->out + (n * f->sequence->reads + i) * labels;
            for (slong c = 0; c < labels; c++)
                o[c] = scale * (double)out[c];
            loss +=
                weight_of(f->task, i) * softmax(o + labels, o, labels, f->sequence[n].answer[i]);
        }
    flint_free(o);
    return loss;
}

/* The memory's parameter is e^log_value; the readout's scale is the best of a grid of factors sqrt 2. */
static double memory_loss(double log_value, void *data) {
    memory_fit *f = data;
    float x = (float)exp(log_value);
    if (f->memory->kernel == MN_DELTA)
        f->memory->beta = x;
    else
        f->memory->lambda0 = x;
    slong size = f->sequence->reads * f->task->labels;
    for (slong n = 0; n < f->task->training; n++)
        if (!lag_run_memory(f->out + n * size, f->memory, f->task, f->sequence + n))
            return INFINITY;
    double best = INFINITY;
    for (int n = -4; n <= 16; n++)
        best = fmin(best, scaled_loss(f, pow(2, n / 2.0)));
    return best;
}

double lag_fit_memory(experiments_memory *m, const lag_task *task, const lag_sequence *training) {
    enum { POINTS = 8, STEPS = 5 };
    double low = m->kernel == MN_DELTA ? log(0.005) : log(1e-3),
           high = m->kernel == MN_DELTA ? 0 : log(1e3), x[POINTS], y[POINTS];
    memory_fit f = {m, task, training, NULL};
    int best = 0;
    f.out = flint_malloc((size_t)(task->training * training->reads * task->labels) * sizeof *f.out);
    for (int i = 0; i < POINTS; i++) {
        x[i] = low + (high - low) * i / (POINTS - 1);
        y[i] = memory_loss(x[i], &f);
        if (y[i] < y[best])
            best = i;
    }
    double at = x[best], loss = y[best];
    if (best > 0 && best < POINTS - 1 && y[best - 1] > y[best] && y[best + 1] > y[best]) {
        gsl_function function = {memory_loss, &f};
        gsl_error_handler_t *handler = gsl_set_error_handler_off();
        gsl_min_fminimizer *g = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
        gsl_min_fminimizer_set_with_values(g, &function, x[best], y[best], x[best - 1], y[best - 1],
                                           x[best + 1], y[best + 1]);
        for (int i = 0; i < STEPS && gsl_min_fminimizer_iterate(g) == GSL_SUCCESS; i++)
            continue;
        at = gsl_min_fminimizer_x_minimum(g);
        loss = gsl_min_fminimizer_f_minimum(g);
        gsl_min_fminimizer_free(g);
        gsl_set_error_handler(handler);
    }
    at = rint(at * 1e3) / 1e3;
    if (m->kernel == MN_DELTA)
        m->beta = (float)exp(at);
    else
        m->lambda0 = (float)exp(at);
    flint_free(f.out);
    return loss;
}

/* experiments.selective-copy: log-linear attention level by level, and the fit of its weights. */
#include "theorems/experiments/recall/recall.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRAINING = 32 };

int recall_levels(float *out, const recall_tokens *x, const recall_point *p) {
    experiments_memory m = {.kernel = MN_LINEAR, .dk = p->d, .dv = p->d};
    slong size = p->pairs * p->d;
    int ok = 1;
    memset(out, 0, (size_t)(RECALL_LEVELS * size) * sizeof *out);
    for (slong l = 1; l < RECALL_LEVELS && ok; l++)
        if (p->length >> (l - 1) & 1) { /* read at T: level l holds 2^(l-1) tokens, or none */
            slong first = (p->length >> l << l) * p->d;
            ok = experiments_read(out + l * size, &m, (slong)1 << (l - 1), x->k + first,
                                  x->v + first, p->pairs, x->queries) == MN_OK;
        }
    return ok;
}

/* score [reads][LEVELS][VALUES]: o_l . code_c. */
typedef struct {
    double *score;
    int *answer;
    slong reads;
} fit_data;

static double loss_of(const double *lambda, const fit_data *f, double *slope) {
    double loss = 0, p[RECALL_VALUES];
    memset(slope, 0, RECALL_LEVELS * sizeof *slope);
    for (slong i = 0; i < f->reads; i++) {
        const double *score = f->score + i * RECALL_LEVELS * RECALL_VALUES;
        double most = -INFINITY, sum = 0;
        memset(p, 0, sizeof p);
        for (int l = 0; l < RECALL_LEVELS; l++)
            for (int c = 0; c < RECALL_VALUES; c++)
                p[c] += lambda[l] * score[l * RECALL_VALUES + c];
        for (int c = 0; c < RECALL_VALUES; c++)
            most = fmax(most, p[c]);
        loss += most - p[f->answer[i]];
        for (int c = 0; c < RECALL_VALUES; c++)
            sum += p[c] = exp(p[c] - most);
        loss += log(sum);
        for (int l = 0; l < RECALL_LEVELS; l++) {
            double mean = 0;
            for (int c = 0; c < RECALL_VALUES; c++)
                mean += p[c] * score[l * RECALL_VALUES + c];
            slope[l] += mean / sum - score[l * RECALL_VALUES + f->answer[i]];
        }
    }
    for (int l = 0; l < RECALL_LEVELS; l++)
        slope[l] /= (double)f->reads;
    return loss / (double)f->reads;
}

static void both(const gsl_vector *x, void *data, double *loss, gsl_vector *gradient) {
    double lambda[RECALL_LEVELS], slope[RECALL_LEVELS];
    for (size_t l = 0; l < RECALL_LEVELS; l++)
        lambda[l] = gsl_vector_get(x, l);
    double value = loss_of(lambda, data, slope);
    if (loss != NULL)
        *loss = value;
    for (size_t l = 0; l < RECALL_LEVELS && gradient != NULL; l++)
        gsl_vector_set(gradient, l, slope[l]);
}

static double value_of(const gsl_vector *x, void *data) {
    double loss;
    both(x, data, &loss, NULL);
    return loss;
}

static void gradient_of(const gsl_vector *x, void *data, gsl_vector *gradient) {
    both(x, data, NULL, gradient);
}

static void minimise(double *lambda, fit_data *f) {
    gsl_multimin_function_fdf function = {value_of, gradient_of, both, RECALL_LEVELS, f};
    gsl_multimin_fdfminimizer *m =
        gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, RECALL_LEVELS);
    gsl_vector *x = gsl_vector_alloc(RECALL_LEVELS);
    gsl_vector_set_all(x, 1);
    gsl_error_handler_t *handler =
        gsl_set_error_handler_off(); /* no progress is an end, not an abort */
    gsl_multimin_fdfminimizer_set(m, &function, x, 0.5, 0.1);
    for (int i = 0; i < 100; i++)
        if (gsl_multimin_fdfminimizer_iterate(m) != GSL_SUCCESS ||
            gsl_multimin_test_gradient(m->gradient, 1e-4) == GSL_SUCCESS)
            break;
    gsl_set_error_handler(handler);
    for (size_t l = 0; l < RECALL_LEVELS; l++)
        lambda[l] = gsl_vector_get(gsl_multimin_fdfminimizer_x(m), l);
    gsl_vector_free(x);
    gsl_multimin_fdfminimizer_free(m);
}

int recall_fit(double *lambda, const recall_point *p, ulong seed) {
    slong n = p->pairs, d = p->d;
    fit_data f = {.reads = TRAINING * n};
    f.score = flint_malloc((size_t)(f.reads * RECALL_LEVELS * RECALL_VALUES) * sizeof *f.score);
    f.answer = flint_malloc((size_t)f.reads * sizeof *f.answer);
    float *out = flint_malloc((size_t)(RECALL_LEVELS * n * d) * sizeof *out);
    int ok = 1;
    for (slong t = 0; t < TRAINING && ok; t++) {
        char text[96];
        recall_tokens x;
        snprintf(text, sizeof text, "train %d %ld %ld %ld %ld", (int)p->keys, (long)d, (long)n,
                 (long)p->length, (long)t);
        exact_random r = {exact_hash(text, seed)};
        recall_draw(&x, p, &r);
        ok = recall_levels(out, &x, p);
        for (slong i = 0; i < n && ok; i++) {
            f.answer[t * n + i] = x.value[i];
            for (slong l = 0; l < RECALL_LEVELS; l++)
                for (slong c = 0; c < RECALL_VALUES; c++) {
                    double sum = 0;
                    for (slong j = 0; j < d; j++)
                        sum += (double)out[(l * n + i) * d + j] * (double)x.codes[c * d + j];
                    f.score[((t * n + i) * RECALL_LEVELS + l) * RECALL_VALUES + c] = sum;
                }
        }
        recall_clear(&x);
    }
    if (ok)
        minimise(lambda, &f);
    flint_free(f.score);
    flint_free(f.answer);
    flint_free(out);
    return ok;
}

#include "numerics/accuracy/growth.h"
#include "numerics/accuracy/regress_oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numerics/exact/number.h"

/* Where rows of outputs stand, for attention and convolutions alike. */
typedef struct {
    const reference_struct *exact;
    const bounds_struct *bounds;
    int64_t time, heads;
} rows;

static rows rows_of(const regress_oracle *w) {
    if (w->c->convolves)
        return (rows){w->exact, w->bounds, w->c->convolution.time, 1};
    return (rows){w->judge->exact, w->judge->bounds, w->c->args.time, w->c->args.heads};
}

static int window_of(int64_t t) {
    int i = 0;
    while ((int64_t)16 << i < t + 1)
        i++;
    return i;
}

/* Norms over the window's exact root mean square at the end. */
static void add_errors(growth *g, double *exact, const rows *r, mn_method method, const float *o) {
    double sum[GROWTH_WINDOWS] = {0}, count[GROWTH_WINDOWS] = {0}, size[GROWTH_WINDOWS] = {0};
    slong width = r->exact->width;
    for (slong row = 0; row < r->exact->rows; row++) {
        int i = window_of(row / r->heads % r->time);
        double error = 0, bound = 0;
        for (slong j = 0; j < width; j++) {
            double x = exact_double_mid(r->exact->o + row * width + j),
                   e = (double)o[row * width + j] - x;
            error += e * e, size[i] += x * x;
            if (!r->bounds->by_row)
                bound += r->bounds->o[row * width + j] * r->bounds->o[row * width + j];
        }
        bound = r->bounds->by_row ? r->bounds->o[row] : sqrt(bound);
        sum[i] += error, count[i]++;
        g->window[i].largest[method] = fmax(g->window[i].largest[method], sqrt(error));
        g->window[i].bound = fmax(g->window[i].bound, bound);
    }
    for (int i = 0; i < g->windows; i++) {
        g->window[i].rms[method] = sqrt(sum[i] / count[i]);
        exact[i] = sqrt(size[i] / count[i]);
    }
}

static void measure_method(growth *g, double *exact, const regress_oracle *w, mn_method method,
                           const regress_library *library) {
    mn_isa isa = method == MN_REFERENCE ? MN_GENERIC : mn_isa_best();
    regress_buffers b;
    mn_error error;
    judge_report report;
    if (!regress_has_run(w->c, method, isa))
        return;
    if (regress_call(&b, w->c, method, isa, library, &error) != MN_OK) {
        mn_error_text(&error, g->text, sizeof g->text);
    } else if (regress_judge(&report, w, &b, false) == JUDGE_DONE) {
        rows r = rows_of(w);
        add_errors(g, exact, &r, method, b.o);
        g->has[method] = true, g->elements = report.elements;
        memcpy(g->histogram[method], report.histogram, sizeof report.histogram);
        judge_report_clear(&report);
    }
    regress_buffers_clear(&b);
}

void growth_measure(growth *g, const regress_case *c, const regress_library *library) {
    inputs_case inputs;
    regress_oracle w;
    double exact[GROWTH_WINDOWS] = {0};
    memset(g, 0, sizeof *g);
    g->windows = window_of(c->shape.time - 1) + 1;
    if (c->shape.time < 1 || g->windows > GROWTH_WINDOWS ||
        !inputs_make(&inputs, c->kind, &c->shape, c->family, ARRAY_F32, c->seed)) {
        snprintf(g->text, sizeof g->text, "no such case");
        return;
    }
    const char *why = regress_oracle_make(&w, &inputs);
    if (why) {
        snprintf(g->text, sizeof g->text, "%s", why);
    } else {
        for (int m = 0; m < GROWTH_METHODS; m++)
            measure_method(g, exact, &w, (mn_method)m, library);
        for (int i = 0; i < g->windows; i++) {
            growth_window *x = g->window + i;
            x->last = (int64_t)16 << i;
            x->bound /= exact[i];
            for (int m = 0; m < GROWTH_METHODS; m++)
                x->rms[m] /= exact[i], x->largest[m] /= exact[i];
        }
        regress_oracle_clear(&w);
    }
    inputs_clear(&inputs);
}

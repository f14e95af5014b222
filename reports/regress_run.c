#include "reports/pool.h"
#include "reports/regress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    regress_result *results;
    regress_selection selection;
    const regress_library *library;
} runs;

static size_t work(size_t i, void *out, void *data) {
    const runs *r = data;
    return (size_t)regress_run(out, &r->results[i].c, r->selection, r->library) *
           sizeof(regress_row);
}

static void done(size_t i, const void *out, size_t bytes, double seconds, const char *crash,
                 void *data) {
    regress_result *r = ((const runs *)data)->results + i;
    r->seconds = seconds;
    r->interrupted = false;
    r->rows = (int)(bytes / sizeof *r->row);
    memcpy(r->row, out, bytes);
    snprintf(r->crash, sizeof r->crash, "%s", crash ? crash : "");
}

double regress_cost(const regress_case *c) {
    const inputs_shape *s = &c->shape;
    double t = (double)s->time, d = (double)(s->dk + s->dv),
           heads = (double)s->batch * (double)(s->heads ? s->heads : 1);
    bool recurrence = c->kind->kernel == MN_DELTA || c->kind->kernel == MN_VLA;
    return heads * t * (recurrence ? d * d : (t + (double)s->past) * d);
}

int regress_execute(regress_result *results, size_t count, regress_selection selection,
                    const regress_library *library, long jobs, double limit) {
    runs r = {results, selection, library};
    const pool_jobs p = {sizeof results->row, limit, work, done, &r};
    double *cost = calloc(count + 1, sizeof *cost);
    if (!cost)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        cost[i] = regress_cost(&results[i].c), results[i].interrupted = true;
    int error = pool_run(&p, count, cost, jobs);
    free(cost);
    return error;
}

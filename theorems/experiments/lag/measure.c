/* experiments.lag-retrieval: memories fitted, read on test sequences, compared. */
#include "numerics/exact/soe_minimax.h"
#include "theorems/experiments/lag/lag.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    const char *name;
    lag_family family;
    int fitted, library; /* decoded by libmneme, else by the weights themselves */
    int in_keys, in_state;
} row_kind;

/* in_keys, in_state: rows of the tables of each footing. */
static const row_kind kinds[LAG_ROWS] = {
    [ROW_POWER] = {"power law, exact", FAMILY_POWER, 1, 0, 1, 0},
    [ROW_POWER_SOE] = {"power law, sum for 1%", FAMILY_POWER, 1, 1, 1, 1},
    [ROW_POWER_SOE5] = {"power law, sum of 5", FAMILY_POWER, 1, 1, 1, 0},
    [ROW_ONE] = {"one exponential", FAMILY_ONE, 1, 1, 1, 1},
    [ROW_FIVE] = {"five exponentials", FAMILY_FIVE, 1, 1, 1, 1},
    [ROW_FIVE_TIED] = {"five log-spaced", FAMILY_FIVE_TIED, 1, 1, 1, 1},
    [ROW_NONE] = {"no decay", FAMILY_NONE, 0, 1, 1, 1},
    [ROW_LEVELS_TIED] = {"log-linear, tied levels", FAMILY_LEVELS_TIED, 1, 1, 1, 0},
    [ROW_LEVELS] = {"log-linear, free levels", FAMILY_LEVELS, 1, 1, 1, 1},
    [ROW_DELTA] = {"delta rule", FAMILY_NONE, 1, 1, 1, 1},
    [ROW_VLA] = {"VLA", FAMILY_NONE, 1, 1, 1, 1},
    [ROW_FREE] = {"free kernel", FAMILY_FREE, 1, 0, 1, 0},
    [ROW_OPTIMUM] = {"optimum for the law", FAMILY_OPTIMUM, 0, 0, 1, 0},
    [ROW_POWER_UNTUNED] = {"power law, order 0.5, untuned", FAMILY_POWER, 0, 0, 1, 0},
    [ROW_ONE_UNTUNED] = {"one exponential, time constant 100, untuned", FAMILY_ONE, 0, 0, 1, 0},
    [ROW_FIVE_UNTUNED] = {"five log-spaced, equal weights, untuned", FAMILY_FIVE_TIED, 0, 0, 1, 0},
};

const char *lag_row_name(lag_row row) {
    return kinds[row].name;
}

typedef struct {
    int wanted;
    slong width, parameters, terms;
    double theta[LAG_PARAMETERS], loss, model, sum_error;
    experiments_memory memory;
    double *w;        /* [T] weights by lag, where the memory has them */
    double *accuracy; /* [LAG_BUCKETS+1][test]: buckets, then the whole law */
} row_state;

/* m, terms, bound := the best sum of terms exponentials (0: the fewest for a relative error of 1%) for
   the order rounded to thousandths on lags 1 .. T-1, and its certified error; an order that rounds to 1
   is the constant. */
static int design(row_state *r, const lag_task *task, slong terms) {
    fmpq_t order;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t best, fewer;
    soe_bound_t bound;
    arf_t target;
    slong thousandths = (slong)lrint(1000 * lag_order(r->theta));
    experiments_memory *m = &r->memory;
    m->modes = 1;
    m->weights[0] = m->nodes[0] = 1;
    if (thousandths >= 1000)
        return 1;
    fmpq_init(order);
    fmpz_init(horizon);
    fmpq_set_si(order, FLINT_MAX(thousandths, 1), 1000);
    fmpz_set_si(horizon, task->length - 1);
    soe_kernel_init(kernel, SOE_KERNEL_GL, order);
    soe_minimax_init(best);
    soe_minimax_init(fewer);
    soe_bound_init(bound);
    arf_init(target);
    arf_set_d(target, 0.01);
    soe_status status =
        terms > 0
            ? soe_minimax(best, kernel, horizon, SOE_RELATIVE, terms, 0.01, NULL, NULL)
            : soe_minimax_error(best, fewer, kernel, horizon, SOE_RELATIVE, target, 0.01, NULL);
    if (status == SOE_OK)
        status = soe_certify(bound, kernel, best->sum, horizon, SOE_RELATIVE, 0, 0.1, 64);
    int ok = status == SOE_OK && best->sum->terms <= MEMORY_MODES;
    m->modes = best->sum->terms;
    for (slong i = 0; i < m->modes && ok; i++) {
        m->weights[i] = (float)fmpq_get_d(best->sum->weight + i);
        double mode = fmpq_get_d(best->sum->mode + i);
        m->nodes[i] = (float)(best->sum->form == SOE_RATE ? exp(-mode) : mode);
    }
    if (ok)
        r->sum_error = arf_get_d(bound->upper, ARF_RND_UP);
    soe_kernel_clear(kernel);
    soe_minimax_clear(best);
    soe_minimax_clear(fewer);
    soe_bound_clear(bound);
    arf_clear(target);
    fmpq_clear(order);
    fmpz_clear(horizon);
    return ok;
}

/* libmneme's memory with the family's weights. */
static int equip(row_state *r, lag_row row, const lag_task *task) {
    experiments_memory *m = &r->memory;
    double log_length = log((double)task->length);
    m->dk = r->width;
    m->dv = task->labels;
    m->kernel = MN_VORT;
    switch (row) {
    case ROW_POWER_SOE:
        return design(r, task, 0);
    case ROW_POWER_SOE5:
        return design(r, task, 5);
    case ROW_ONE:
        m->kernel = MN_LINEAR;
        m->log_gate = (float)-exp(r->theta[1]);
        return 1;
    case ROW_FIVE:
    case ROW_FIVE_TIED:
        m->modes = 5;
        for (int i = 0; i < 5; i++) {
            double log_rate = row == ROW_FIVE ? r->theta[i] : -log_length * i / 4;
            m->nodes[i] = (float)exp(-exp(log_rate));
            m->weights[i] = (float)exp(row == ROW_FIVE ? r->theta[5 + i] : r->theta[1] * log_rate);
        }
        return 1;
    case ROW_LEVELS:
    case ROW_LEVELS_TIED:
        m->kernel = MN_LOGLINEAR;
        m->levels = lag_parameters(FAMILY_LEVELS, task->length) + 1;
        for (slong l = 1; l < m->levels; l++)
            m->lambda[l] = (float)(row == ROW_LEVELS ? exp(r->theta[l - 1])
                                                     : pow(2, -r->theta[1] * (double)l));
        return 1;
    case ROW_DELTA:
    case ROW_VLA:
        m->kernel = row == ROW_DELTA ? MN_DELTA : MN_VLA;
        return 1;
    default:
        m->kernel = MN_LINEAR;
        return 1;
    }
}

/* Key width at which the row's state has as many floats as one matrix of the task's width. */
static slong equal_width(lag_row row, const lag_task *task, slong terms) {
    slong all = task->width * task->labels, states = 1;
    if (row == ROW_FIVE || row == ROW_FIVE_TIED || row == ROW_POWER_SOE5)
        states = 5;
    else if (row == ROW_POWER_SOE)
        states = terms;
    else if (row == ROW_LEVELS)
        states = lag_parameters(FAMILY_LEVELS, task->length) + 1;
    slong d = all / (states * task->labels);
    while (row == ROW_VLA && d * (d + task->labels) > all)
        d--;
    return FLINT_MAX(d, 1);
}

/* Fits the row; 0 if libmneme or the design of the sum returned a status. */
static int prepare(row_state *r, lag_row row, const lag_task *task, const lag_sequence *training,
                   lag_footing footing) {
    const row_kind *kind = kinds + row;
    r->width = footing == FOOTING_STATE ? equal_width(row, task, 8) : task->width;
    r->w = flint_calloc((size_t)task->length, sizeof *r->w);
    r->parameters = 0;
    if (row == ROW_DELTA || row == ROW_VLA) {
        equip(r, row, task);
        r->parameters = 1;
        r->loss = lag_fit_memory(&r->memory, task, training);
        return isfinite(r->loss);
    }
    lag_start(r->theta, kind->family, task->length);
    if (row == ROW_ONE_UNTUNED)
        r->theta[1] = -log(100);
    else if (row == ROW_FIVE_UNTUNED)
        r->theta[1] = 0;
    for (int again = 0; again < 4 && kind->fitted; again++) {
        r->loss = lag_fit(r->theta, kind->family, task, training, r->width);
        r->parameters = lag_parameters(kind->family, task->length) - 1; /* the scale is not seen */
        if (!equip(r, row, task))
            return 0;
        slong width = footing == FOOTING_STATE ? equal_width(row, task, r->memory.modes) : r->width;
        if (width == r->width)
            break;
        r->width = width; /* the sum for 1% has another number of terms than was assumed */
    }
    if (kind->family == FAMILY_OPTIMUM)
        r->model = lag_optimum(r->w, task, r->width);
    else
        lag_kernel(r->w, kind->family, r->theta, task->length);
    return !kind->library || equip(r, row, task);
}

static int measure(row_state *r, lag_row row, const lag_task *task, slong test,
                   const lag_sequence *s) {
    int *right = flint_malloc((size_t)s->reads * sizeof *right), ok = 1;
    if (kinds[row].library)
        ok = lag_decode_memory(right, &r->memory, task, s);
    else
        lag_decode_direct(right, r->w, task, s, r->width);
    double all = 0;
    for (int b = 0; b < LAG_BUCKETS && ok; b++) {
        double hits = 0;
        for (slong i = 0; i < task->each; i++)
            hits += right[b * task->each + i];
        r->accuracy[b * task->test + test] = hits / (double)task->each;
        all += task->mass[b] * hits / (double)task->each;
    }
    r->accuracy[LAG_BUCKETS * task->test + test] = all;
    flint_free(right);
    return ok;
}

/* ---- tables ---- */

static void report_row(check_context *ctx, const char *table, const row_state *r, lag_row row,
                       const lag_task *task) {
    static const char *const columns[] = {"lag <= 100", "<= 1000", "> 1000", "all"};
    statistics_cell_exact(ctx, table, kinds[row].name, "fitted", (double)r->parameters);
    statistics_cell_exact(ctx, table, kinds[row].name, "d", (double)r->width);
    if (kinds[row].library) {
        statistics_cell_exact(ctx, table, kinds[row].name, "floats",
                              (double)experiments_state(&r->memory, task->length - 1));
    }
    for (int b = 0; b <= LAG_BUCKETS; b++) {
        statistics_cell(
            ctx, table, kinds[row].name, columns[b],
            statistics_mean(r->accuracy + b * task->test, task->test, 0.99, 1, ctx->seed));
    }
}

/* What was fitted, as numbers of their own. */
static void report_fit(check_context *ctx, const char *law, slong length, const row_state *r,
                       lag_row row) {
    char table[64];
    snprintf(table, sizeof table, "fitted, %s, T = %ld", law, (long)length);
    double shown = row == ROW_POWER || row == ROW_POWER_SOE || row == ROW_POWER_SOE5
                       ? lag_order(r->theta)
                   : row == ROW_ONE   ? exp(-r->theta[1])
                   : row == ROW_DELTA ? (double)r->memory.beta
                   : row == ROW_VLA   ? (double)r->memory.lambda0
                                      : r->theta[1];
    const char *what = row == ROW_ONE                                   ? "time constant"
                       : row == ROW_DELTA                               ? "beta"
                       : row == ROW_VLA                                 ? "lambda0"
                       : row == ROW_FIVE_TIED || row == ROW_LEVELS_TIED ? "exponent"
                                                                        : "order";
    if (r->parameters == 1) {
        statistics_cell_exact(ctx, table, kinds[row].name, what, shown);
    }
    if (r->parameters > 0) {
        statistics_cell_exact(ctx, table, kinds[row].name, "loss (nats)", r->loss);
    }
    if (row == ROW_POWER_SOE || row == ROW_POWER_SOE5) {
        statistics_cell_exact(ctx, table, kinds[row].name, "terms", (double)r->memory.modes);
        statistics_cell_exact(ctx, table, kinds[row].name, "certified error of the sum",
                              r->sum_error);
    }
    if (row == ROW_OPTIMUM) {
        statistics_cell_exact(ctx, table, kinds[row].name, "model accuracy", r->model);
    }
}

static void figure_accuracy(check_context *ctx, const row_state *rows, const lag_task *task,
                            const lag_parameter *p) {
    static const char *const columns[] = {"panel", "1", "row", "1", "bucket", "1",
                                          "share", "1", "low", "1", "high",   "1"};
    series *table = series_new("experiments-lags", "Accuracy by lag", 6, columns);
    for (int row = 0; row < LAG_ROWS; row++)
        for (int b = 0; b <= LAG_BUCKETS && rows[row].wanted; b++) {
            enclosure_measurement m = statistics_mean(rows[row].accuracy + b * task->test,
                                                      task->test, 0.99, 1, ctx->seed);
            enclosure_struct *cell = series_append(table);
            enclosure_set_integer(cell, 2 * (slong)p->footing + (slong)p->law);
            enclosure_set_integer(cell + 1, row);
            enclosure_set_integer(cell + 2, b);
            enclosure_set_measured(cell + 3, m);
            statistics_set(cell + 4, m.lower);
            statistics_set(cell + 5, m.upper);
        }
    claim_table(ctx, table);
}

/* Weights at 12 lags an octave, scaled to |w| = 1. */
static void figure_kernels(check_context *ctx, const row_state *rows, const lag_task *task,
                           const lag_parameter *p) {
    static const char *const columns[] = {"block", "1",   "law", "1",      "row",
                                          "1",     "lag", "1",   "weight", "1"};
    series *table = series_new("experiments-kernels", "Fitted weights by lag", 5, columns);
    for (int row = 0; row < LAG_ROWS; row++) {
        if (!rows[row].wanted || row == ROW_DELTA || row == ROW_VLA || row > ROW_OPTIMUM)
            continue;
        double sum = 0;
        for (slong j = 1; j < task->length; j++)
            sum += rows[row].w[j] * rows[row].w[j];
        slong before = 0;
        for (int n = 0; (slong)lrint(pow(2, n / 12.0)) < task->length; n++) {
            slong j = (slong)lrint(pow(2, n / 12.0));
            if (j == before)
                continue;
            before = j;
            enclosure_struct *cell = series_append(table);
            enclosure_set_integer(cell, LAG_ROWS * (slong)p->law + row);
            enclosure_set_integer(cell + 1, (slong)p->law);
            enclosure_set_integer(cell + 2, row);
            enclosure_set_integer(cell + 3, j);
            statistics_set(cell + 4, rows[row].w[j] / sqrt(sum));
        }
    }
    claim_table(ctx, table);
}

/* ---- the check ---- */

static enclosure_measurement difference(const row_state *rows, const lag_comparison *c,
                                        const lag_task *task, double confidence, ulong seed) {
    double *x = flint_malloc((size_t)task->test * sizeof *x);
    for (slong i = 0; i < task->test; i++) {
        double other = c->second == ROW_CHANCE
                           ? 1 / (double)task->labels
                           : rows[c->second].accuracy[c->bucket * task->test + i];
        x[i] = rows[c->first].accuracy[c->bucket * task->test + i] - other;
    }
    enclosure_measurement m = statistics_mean(x, task->test, confidence, 0, seed);
    flint_free(x);
    return m;
}

static void compare(check_context *ctx, const row_state *rows, const lag_parameter *p,
                    const lag_task *task, const char *law) {
    slong count = 0;
    char table[CLAIM_TEXT];
    snprintf(table, sizeof table, "differences, %s, %s, T = %ld", law,
             p->footing == FOOTING_KEYS ? "equal keys" : "equal state", (long)task->length);
    for (const lag_comparison *c = p->list; c->label != NULL; c++)
        count++;
    for (const lag_comparison *c = p->list; c->label != NULL; c++) {
        enclosure_measurement m = difference(rows, c, task, 1 - 0.01 / (double)count, ctx->seed);
        statistics_cell(ctx, table, c->label, "difference", m);
        if (c->below)
            statistics_decide_below(ctx, c->label, m, c->gap);
        else
            statistics_decide_above(ctx, c->label, m, c->gap);
    }
}

static void choose(row_state *rows, const lag_parameter *p) {
    for (int row = 0; row < LAG_ROWS && p->all; row++)
        rows[row].wanted = p->footing == FOOTING_KEYS ? kinds[row].in_keys : kinds[row].in_state;
    for (const lag_comparison *c = p->list; c->label != NULL; c++) {
        rows[c->first].wanted = 1;
        if (c->second != ROW_CHANCE)
            rows[c->second].wanted = 1;
    }
}

void lag_check(check_context *ctx, const void *parameter) {
    const lag_parameter *p = parameter;
    lag_task task;
    lag_task_init(&task, p->law, p->size);
    row_state *rows = flint_calloc(LAG_ROWS, sizeof *rows);
    lag_sequence *training = flint_calloc((size_t)task.training, sizeof *training);
    const char *law = p->law == LAW_ZIPF ? "Zipf lags" : "uniform lags";
    char table[CLAIM_TEXT], text[64];
    int ok = 1;
    choose(rows, p);
    for (slong i = 0; i < task.training; i++) {
        snprintf(text, sizeof text, "training %ld", (long)i);
        lag_sequence_draw(training + i, &task, 0, exact_hash(text, ctx->seed));
    }
    for (int row = 0; row < LAG_ROWS && ok; row++)
        if (rows[row].wanted) {
            rows[row].accuracy =
                flint_calloc((size_t)((LAG_BUCKETS + 1) * task.test), sizeof *rows[row].accuracy);
            ok = prepare(rows + row, (lag_row)row, &task, training, p->footing);
        }
    for (slong i = 0; i < task.test && ok; i++) {
        lag_sequence s;
        snprintf(text, sizeof text, "test %ld", (long)i);
        lag_sequence_draw(&s, &task, p->shuffled, exact_hash(text, ctx->seed));
        for (int row = 0; row < LAG_ROWS && ok; row++)
            if (rows[row].wanted)
                ok = measure(rows + row, (lag_row)row, &task, i, &s);
        lag_sequence_clear(&s);
    }
    snprintf(table, sizeof table, "accuracy, %s, %s (T = %ld, %ld labels)", law,
             p->footing == FOOTING_KEYS ? "equal keys" : "equal state", (long)task.length,
             (long)task.labels);
    for (int row = 0; row < LAG_ROWS && ok && p->tables; row++)
        if (rows[row].wanted)
            report_row(ctx, table, rows + row, (lag_row)row, &task);
    for (int row = 0; row < LAG_ROWS && ok && p->tables && p->footing == FOOTING_KEYS; row++)
        if (rows[row].wanted)
            report_fit(ctx, law, task.length, rows + row, (lag_row)row);
    if (ok)
        compare(ctx, rows, p, &task, law);
    else
        claim_skip(ctx, "a memory or a sum of exponentials could not be made");
    if (ok && p->all) {
        figure_accuracy(ctx, rows, &task, p);
        if (p->footing == FOOTING_KEYS)
            figure_kernels(ctx, rows, &task, p);
    }
    for (slong i = 0; i < task.training; i++)
        lag_sequence_clear(training + i);
    for (int row = 0; row < LAG_ROWS; row++) {
        flint_free(rows[row].accuracy);
        flint_free(rows[row].w);
    }
    flint_free(training);
    flint_free(rows);
    lag_task_clear(&task);
}

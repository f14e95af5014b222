/* experiments.associative-recall, experiments.selective-copy: shares over trials, tables, decisions. */
#include "theorems/experiments/recall/recall.h"

#include <stdio.h>

static slong trials_of(const check_context *ctx) {
    return ctx->level == LEVEL_QUICK ? 100 : 400;
}

/* share [COPY_ROWS][trials], the last two for selective copy alone; the same trials for the same point, whoever asks. */
static int run(double *share, const recall_point *p, slong trials, int shuffled, ulong seed) {
    double out[COPY_ROWS], lambda[RECALL_LEVELS];
    int rows = p->copy ? COPY_ROWS : RECALL_ROWS;
    char text[96];
    if (p->copy && !recall_fit(lambda, p, seed))
        return 0;
    for (slong n = 0; n < trials; n++) {
        snprintf(text, sizeof text, "%d %ld %ld %ld %ld", (int)p->keys, (long)p->d, (long)p->pairs,
                 (long)p->length, (long)n);
        if (!recall_rows(out, p, p->copy ? lambda : NULL, shuffled, exact_hash(text, seed)))
            return 0;
        for (int row = 0; row < rows; row++)
            share[row * trials + n] = out[row];
    }
    return 1;
}

static const char *const key_names[] = {"random unit keys", "orthonormal keys", "ELU+1 keys"};

/* A column for each kind of key at one (d, n, T), and the text's numbers where it has them. */
static int table(check_context *ctx, slong d, slong pairs, slong length, const double *text) {
    slong trials = trials_of(ctx);
    double *share = flint_malloc((size_t)(RECALL_ROWS * trials) * sizeof *share);
    char title[CLAIM_TEXT];
    int ok = 1;
    snprintf(title, sizeof title, "recall of n = %ld pairs among %ld tokens, d = %ld", (long)pairs,
             (long)length, (long)d);
    for (int keys = 0; keys < 3 && ok; keys++) {
        recall_point p = {(recall_keys)keys, d, pairs, length, 0, 0};
        ok = run(share, &p, trials, 0, ctx->seed);
        for (int row = 0; row < RECALL_ROWS && ok; row++)
            statistics_cell(ctx, title, recall_row_name((recall_row)row), key_names[keys],
                            statistics_mean(share + row * trials, trials, 0.99, 1, ctx->seed));
    }
    for (int row = 0; row < RECALL_ROWS && text != NULL; row++)
        if (text[row] >= 0)
            statistics_cell_exact(ctx, title, recall_row_name((recall_row)row), "the text, trained",
                                  text[row]);
    flint_free(share);
    return ok;
}

/* Selective copy of n = 16: shares of the tokens, and of the trials that give all back. */
static int copy_table(check_context *ctx, recall_keys keys, slong d, slong length) {
    static const char *const columns[2][2] = {
        {"filler written: tokens", "filler written: all 16"},
        {"filler not written: tokens", "filler not written: all 16"}};
    slong trials = trials_of(ctx);
    double *share = flint_malloc((size_t)(COPY_ROWS * trials) * sizeof *share);
    char title[CLAIM_TEXT];
    int ok = 1;
    snprintf(title, sizeof title, "selective copy, n = 16 among %ld tokens, d = %ld, %s",
             (long)length, (long)d, key_names[keys]);
    for (int ignored = 0; ignored < 2 && ok; ignored++) {
        recall_point p = {keys, d, 16, length, 1, ignored};
        ok = run(share, &p, trials, 0, ctx->seed);
        for (int row = 0; row < COPY_ROWS && ok; row++) {
            const double *x = share + row * trials;
            const char *name = recall_row_name((recall_row)row);
            slong all = 0;
            for (slong n = 0; n < trials; n++)
                all += x[n] >= 1;
            statistics_cell(ctx, title, name, columns[ignored][0],
                            statistics_mean(x, trials, 0.99, 1, ctx->seed));
            statistics_cell(ctx, title, name, columns[ignored][1],
                            statistics_share(all, trials, 0.99, ctx->seed));
        }
    }
    flint_free(share);
    return ok;
}

static int copy_tables(check_context *ctx) {
    int ok = copy_table(ctx, KEYS_RANDOM, 32, 511) && copy_table(ctx, KEYS_RANDOM, 32, 512) &&
             copy_table(ctx, KEYS_FEATURES, 32, 511);
    if (ctx->level == LEVEL_QUICK)
        return ok;
    static const slong lengths[] = {1024, 4095, 4096};
    for (int i = 0; i < 3 && ok; i++)
        ok = copy_table(ctx, KEYS_RANDOM, 32, lengths[i]);
    return ok && copy_table(ctx, KEYS_RANDOM, 64, 511) && copy_table(ctx, KEYS_RANDOM, 64, 1024) &&
           copy_table(ctx, KEYS_FEATURES, 64, 511);
}

/* Recall against n (no filler), and against T at n = 8, d = 32. */
static int figure(check_context *ctx) {
    static const slong pairs[] = {4, 8, 12, 16, 24, 32, 48, 64},
                       lengths[] = {8, 16, 32, 64, 128, 256, 512};
    static const char *const columns[] = {"block", "1", "keys",  "1", "row", "1", "n",    "1",
                                          "T",     "1", "share", "1", "low", "1", "high", "1"};
    series *s =
        series_new("experiments-recall", "Recall against pairs and against tokens", 8, columns);
    slong trials = ctx->level == LEVEL_QUICK ? 24 : 200;
    double *share = flint_malloc((size_t)(15 * RECALL_ROWS * trials) * sizeof *share);
    int ok = 1;
    for (int keys = 0; keys < 3 && ok; keys++) {
        for (int i = 0; i < 15 && ok; i++) {
            recall_point p = {(recall_keys)keys,
                              32,
                              i < 8 ? pairs[i] : 8,
                              i < 8 ? pairs[i] : lengths[i - 8],
                              0,
                              0};
            ok = run(share + i * RECALL_ROWS * trials, &p, trials, 0, ctx->seed);
        }
        for (int part = 0; part < 2 && ok; part++)
            for (int row = 0; row < RECALL_ROWS; row++)
                for (int i = part ? 8 : 0; i < (part ? 15 : 8); i++) {
                    enclosure_measurement m = statistics_mean(
                        share + (i * RECALL_ROWS + row) * trials, trials, 0.99, 1, ctx->seed);
                    enclosure_struct *cell = series_append(s);
                    enclosure_set_integer(cell, (keys * 2 + part) * RECALL_ROWS + row);
                    enclosure_set_integer(cell + 1, keys);
                    enclosure_set_integer(cell + 2, row);
                    enclosure_set_integer(cell + 3, i < 8 ? pairs[i] : 8);
                    enclosure_set_integer(cell + 4, i < 8 ? pairs[i] : lengths[i - 8]);
                    enclosure_set_measured(cell + 5, m);
                    statistics_set(cell + 6, m.lower);
                    statistics_set(cell + 7, m.upper);
                }
    }
    claim_table(ctx, s);
    flint_free(share);
    return ok;
}

static int same(const recall_point *a, const recall_point *b) {
    return a->keys == b->keys && a->d == b->d && a->pairs == b->pairs && a->length == b->length &&
           a->copy == b->copy && a->ignored == b->ignored;
}

/* share: the trials at the decision's point; x [trials]: scratch. */
static void decide(check_context *ctx, const recall_decision *c, const double *share, double *x,
                   slong trials, double confidence) {
    for (slong n = 0; n < trials; n++) {
        x[n] = share[c->first * trials + n];
        if (!c->alone)
            x[n] -= c->second == STORE_CHANCE ? 1.0 / RECALL_VALUES : share[c->second * trials + n];
    }
    enclosure_measurement m = statistics_mean(x, trials, confidence, c->alone, ctx->seed);
    statistics_cell(ctx, "decisions", c->label, "measured", m);
    if (c->below)
        statistics_decide_below(ctx, c->label, m, c->gap);
    else
        statistics_decide_above(ctx, c->label, m, c->gap);
}

void recall_check(check_context *ctx, const void *parameter) {
    const recall_parameter *p = parameter;
    static const double load[RECALL_ROWS] = {0.074, -1, 0.010, 1, -1, 1, -1, -1, 0.26},
                        context[RECALL_ROWS] = {-1, -1, 0.01, 1, -1, 1, -1, -1, -1};
    slong count = 0, trials = trials_of(ctx);
    double *share = flint_malloc((size_t)((COPY_ROWS + 1) * trials) * sizeof *share);
    int ok = 1;
    for (const recall_decision *c = p->list; c->label != NULL; c++)
        count++;
    for (const recall_decision *c = p->list; c->label != NULL && ok; c++) {
        if (c == p->list || !same(&c->point, &c[-1].point))
            ok = run(share, &c->point, trials, p->shuffled, ctx->seed);
        if (ok)
            decide(ctx, c, share, share + COPY_ROWS * trials, trials, 1 - 0.01 / (double)count);
    }
    flint_free(share);
    if (ok && p->tables == 2)
        ok = copy_tables(ctx);
    if (ok && p->tables == 1)
        ok = table(ctx, 32, 24, 24, load) && table(ctx, 32, 8, 512, context) &&
             table(ctx, 64, 24, 24, NULL) && table(ctx, 64, 48, 48, NULL) &&
             table(ctx, 64, 8, 512, NULL) && figure(ctx);
    if (!ok)
        claim_skip(ctx, "libmneme returned a status");
}

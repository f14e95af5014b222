/* vla.recall: measured recall.  A decision compares ends of 99% intervals, which are doubles and so
   exact numbers; "above" means that the intervals are disjoint. */
#include "theorems/vla/recall/recall.h"
#include "theorems/statistics.h"

static slong trials(const check_context *ctx) {
    return ctx->level == LEVEL_QUICK ? 40 : 160;
}

void recall_check_compare(check_context *ctx, const void *parameter) {
    fmpq_t end, bound, gap;
    fmpq_init(end);
    fmpq_init(bound);
    fmpq_init(gap);
    for (const recall_comparison *p = parameter; p->label != NULL; p++) {
        enclosure_measurement m[2], other[2];
        recall_measure(m, &p->setup, trials(ctx), ctx->seed);
        statistics_report(ctx, p->name, m[p->error]);
        statistics_rational(end, p->turned ? m[p->error].upper : m[p->error].lower);
        vla_rational(gap, p->gap);
        fmpq_set(bound, gap);
        if (!p->alone) {
            recall_measure(other, &p->other, trials(ctx), ctx->seed);
            statistics_report(ctx, p->other_name, other[p->error]);
            statistics_rational(bound, other[p->error].upper);
            fmpq_add(bound, bound, gap);
        }
        claim_decide_fmpq(ctx, p->label, end, p->turned ? RELATION_LT : RELATION_GT, bound);
    }
    fmpq_clear(end);
    fmpq_clear(bound);
    fmpq_clear(gap);
}

/* Data of the figure; decided: the interval of recall at the least load is above that at the largest.
   parameter: 1 says the opposite (0). */
void recall_check_load(check_context *ctx, const void *parameter) {
    const slong *turned = parameter;
    static const slong loads[] = {8, 16, 24, 32, 48, 64, 96, 128};
    static const struct {
        recall_memory memory;
        recall_penalty penalty;
    } memories[] = {{RECALL_LINEAR, PENALTY_NONE},
                    {RECALL_DELTA, PENALTY_NONE},
                    {RECALL_VLA, PENALTY_ALONG_KEY},
                    {RECALL_VLA, PENALTY_DRAWN}};
    static const char *const columns[] = {"block",  "1", "keys", "1", "memory", "1", "load",  "1",
                                          "recall", "1", "low",  "1", "high",   "1", "error", "1"};
    series *table = series_new("vla-recall", "Recall against load, d = 32", 8, columns);
    fmpq_t first, last;
    fmpq_init(first);
    fmpq_init(last);
    for (int keys = 0; keys < 3; keys++)
        for (int n = 0; n < 4; n++) {
            for (int i = 0; i < 8; i++) {
                slong pairs = loads[i];
                recall_setup p = {memories[n].memory,
                                  memories[n].penalty,
                                  (recall_keys)keys,
                                  FILLER_NONE,
                                  RECALL_WIDTH,
                                  pairs,
                                  pairs,
                                  0.1};
                enclosure_measurement m[2];
                recall_measure(m, &p,
                               FLINT_MAX(10, 1024 / pairs) * (ctx->level == LEVEL_QUICK ? 1 : 8),
                               ctx->seed);
                enclosure_struct *cell = series_append(table);
                enclosure_set_integer(cell, 4 * keys + n);
                enclosure_set_integer(cell + 1, keys);
                enclosure_set_integer(cell + 2, n);
                statistics_rational(last, (double)pairs / RECALL_WIDTH);
                enclosure_set_rational(cell + 3, last);
                enclosure_set_measured(cell + 4, m[0]);
                for (int side = 0; side < 2; side++) {
                    statistics_rational(last, side ? m[0].upper : m[0].lower);
                    enclosure_set_rational(cell + 5 + side, last);
                }
                enclosure_set_measured(cell + 7, m[1]);
                statistics_rational(i == 0 ? first : last, i == 0 ? m[0].lower : m[0].upper);
            }
            if (keys != KEYS_FEATURES) /* with features all but one start near chance */
                claim_decide_fmpq(ctx, "recall at load 1/4 is above recall at load 4", first,
                                  *turned ? RELATION_LT : RELATION_GT, last);
        }
    claim_table(ctx, table);
    fmpq_clear(first);
    fmpq_clear(last);
}

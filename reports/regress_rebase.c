/* The committed numbers, renewed. */
#include "reports/regress.h"

#include <math.h>
#include <stdlib.h>

static json_t *real_or_null(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *row_of(const regress_numbers *n, const char *reason) {
    json_t *row = json_pack("{s:s, s:o, s:o, s:o, s:o}", "verdict", judge_verdict_text(n->verdict),
                            "ulp", real_or_null(n->ulp), "p99", real_or_null(n->p99), "ratio",
                            real_or_null(n->ratio), "rms", real_or_null(n->rms));
    if (reason)
        json_object_set_new(row, "reason", json_string(reason));
    return row;
}

/* One row; what is refused is said in messages. */
static void renew(json_t *rows, regress_rebased *r, const char *name, const regress_row *row,
                  const char *reason, text_buffer *messages) {
    json_t *old = json_object_get(rows, name);
    regress_numbers n = row->found, was;
    char change[160] = "new and suspect";
    if (n.verdict == JUDGE_BROKEN) {
        r->refused++;
        text_printf(messages, "%s: broken, which no baseline accepts\n", name);
        return;
    }
    bool known = old && regress_numbers_of(&was, old);
    regress_change what = known                        ? regress_compare(&n, &was, change)
                          : n.verdict >= JUDGE_SUSPECT ? REGRESS_WORSE
                                                       : REGRESS_SAME;
    if (what == REGRESS_WORSE && !reason) {
        r->refused++;
        text_printf(messages, "%s: %s\n", name, change);
        return;
    }
    const char *kept = what == REGRESS_WORSE ? reason
                       : what == REGRESS_SAME && known
                           ? json_string_value(json_object_get(old, "reason"))
                           : NULL;
    if (known && what != REGRESS_WORSE) {
        n.ulp = fmin(n.ulp, was.ulp), n.p99 = fmin(n.p99, was.p99);
        n.ratio = fmin(n.ratio, was.ratio), n.rms = fmin(n.rms, was.rms);
    }
    r->added += !known && what == REGRESS_SAME;
    r->loosened += what == REGRESS_WORSE;
    r->tightened += what == REGRESS_BETTER;
    json_object_set_new(rows, name, row_of(&n, kept));
}

/* Drops rows whose case is not among the results; those of instruction sets that this machine
 * lacks are results too. */
static long drop_others(json_t *rows, const json_t *found) {
    long dropped = 0;
    const char *name;
    json_t *row;
    void *next;
    json_object_foreach_safe(rows, next, name, row) {
        if (!json_object_get(found, name)) {
            json_object_del(rows, name);
            dropped++;
        }
    }
    return dropped;
}

regress_rebased regress_rebase(json_t *rows, const regress_result *results, size_t count,
                               const char *reason, bool whole, text_buffer *messages) {
    regress_rebased r = {0};
    json_t *found = json_object();
    for (size_t i = 0; i < count; i++) {
        const regress_result *s = results + i;
        if (s->crash[0] != '\0') {
            r.refused++;
            text_printf(messages, "%s, %s: %s\n", s->c.kind->name, inputs_family_names[s->c.family],
                        s->crash);
        }
        for (int k = 0; k < s->rows; k++) {
            char name[REGRESS_NAME];
            regress_name(&s->c, s->row + k, name);
            json_object_set_new(found, name, json_true());
            if (s->row[k].outcome == REGRESS_RUN) {
                renew(rows, &r, name, s->row + k, reason, messages);
            } else if (s->row[k].outcome != REGRESS_NO_ISA) {
                r.refused++;
                text_printf(messages, "%s: %s\n", name, s->row[k].text);
            }
        }
    }
    if (whole)
        r.dropped = drop_others(rows, found);
    json_decref(found);
    return r;
}

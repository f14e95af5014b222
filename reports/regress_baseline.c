/* The committed numbers: read, written, renewed. */
#include "reports/regress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* JSON has no infinity. */
static double number_of(const json_t *row, const char *key) {
    const json_t *x = json_object_get(row, key);
    return json_is_number(x) ? json_number_value(x) : INFINITY;
}

static bool verdict_of(judge_verdict *v, const char *text) {
    for (int i = JUDGE_OK; text && i <= JUDGE_BROKEN; i++)
        if (strcmp(judge_verdict_text((judge_verdict)i), text) == 0) {
            *v = (judge_verdict)i;
            return true;
        }
    return false;
}

bool regress_numbers_of(regress_numbers *n, const json_t *row) {
    n->ulp = number_of(row, "ulp"), n->p99 = number_of(row, "p99");
    n->ratio = number_of(row, "ratio"), n->rms = number_of(row, "rms");
    return verdict_of(&n->verdict, json_string_value(json_object_get(row, "verdict")));
}

/* The first of its numbers that is missing or none, or NULL. */
static const char *wrong_number(const json_t *row) {
    static const char *const keys[] = {"ulp", "p99", "ratio", "rms"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *x = json_object_get(row, keys[i]);
        if (!json_is_null(x) && !(json_is_number(x) && json_number_value(x) >= 0))
            return keys[i];
    }
    return NULL;
}

json_t *regress_baseline_read(const char *path, char **complaint) {
    text_buffer b;
    json_error_t where;
    size_t length;
    int error;
    *complaint = NULL;
    char *data = input_read(path, (size_t)1 << 28, &length, &error);
    text_init(&b);
    if (!data) {
        text_printf(&b, "cannot read %s: %s", path, strerror(error));
        *complaint = text_take(&b);
        return NULL;
    }
    json_t *file = json_loadb(data, length, JSON_REJECT_DUPLICATES, &where), *row,
           *rows = json_object_get(file, "rows");
    const char *schema = json_string_value(json_object_get(file, "schema")), *name;
    free(data);
    if (!file)
        text_printf(&b, "%s: line %d: %s", path, where.line, where.text);
    else if (!schema || strcmp(schema, "mneme-accuracy-1") != 0 || !json_is_object(rows))
        text_printf(&b,
                    "%s is no accuracy baseline: \"schema\": \"mneme-accuracy-1\" and \"rows\" "
                    "are wanted",
                    path);
    else
        json_object_foreach(rows, name, row) {
            regress_numbers n;
            const char *wrong = wrong_number(row);
            if (b.length > 0)
                continue;
            if (!regress_numbers_of(&n, row))
                text_printf(&b, "%s: row %s: \"verdict\" is ok, undecided or suspect", path, name);
            else if (wrong)
                text_printf(&b, "%s: row %s: \"%s\" is a number from 0 on, or null", path, name,
                            wrong);
        }
    if (b.length > 0)
        *complaint = text_take(&b);
    else
        free(b.data);
    json_incref(*complaint ? NULL : rows);
    json_decref(file);
    return *complaint ? NULL : rows;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void number_text(text_buffer *b, const char *key, double x) {
    if (isfinite(x))
        text_printf(b, ",\"%s\":%.3g", key, x);
    else
        text_printf(b, ",\"%s\":null", key);
}

char *regress_baseline_write(const json_t *rows) {
    size_t n = 0;
    const char **names = calloc(json_object_size(rows) + 1, sizeof *names), *name;
    json_t *row;
    text_buffer b;
    json_object_foreach((json_t *)(uintptr_t)rows, name, row) names[n++] = name;
    qsort(names, n, sizeof *names, by_name);
    text_init(&b);
    text_printf(&b, "{\"schema\":\"mneme-accuracy-1\",\n\"rows\":{");
    for (size_t i = 0; i < n; i++) {
        regress_numbers x;
        row = json_object_get(rows, names[i]);
        regress_numbers_of(&x, row);
        text_printf(&b, "%s\n\"%s\":{\"verdict\":\"%s\"", i ? "," : "", names[i],
                    judge_verdict_text(x.verdict));
        number_text(&b, "ulp", x.ulp), number_text(&b, "p99", x.p99);
        number_text(&b, "ratio", x.ratio), number_text(&b, "rms", x.rms);
        char *reason = json_dumps(json_object_get(row, "reason"), JSON_ENCODE_ANY);
        if (reason)
            text_printf(&b, ",\"reason\":%s", reason);
        free(reason);
        text_printf(&b, "}");
    }
    text_printf(&b, "\n}}\n");
    free(names);
    return text_take(&b);
}

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

/* Every row's status, and the report as JSON, as JUnit's suites, and for people. */
#include "reports/regress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BETTER_SHOWN = 10, FAILURES_SHOWN = 10 };

static const char *text_of(const json_t *j, const char *key) {
    const char *text = json_string_value(json_object_get(j, key));
    return text ? text : "";
}
static double number_of(const json_t *j, const char *key) {
    const json_t *x = json_object_get(j, key);
    return json_is_number(x) ? json_number_value(x) : INFINITY;
}
static json_t *real_or_null(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

/* ---- one row ---- */

static json_t *element_json(const judge_element *e) {
    char got[40], exact[40];
    snprintf(got, sizeof got, "%a", e->got);
    snprintf(exact, sizeof exact, "%a", e->exact);
    return json_pack("{s:[I,I,I,I], s:s, s:s, s:o, s:o, s:o}", "index", (json_int_t)e->batch,
                     (json_int_t)e->time, (json_int_t)e->head, (json_int_t)e->dim, "got", got,
                     "exact", exact, "error", real_or_null(e->error), "bound",
                     real_or_null(e->bound), "ulp", real_or_null(e->ulp));
}

/* "o[batch 0][time 31][head 0][dim 5]: got ..., exact ..., error ... (ulp), bound ..." */
static void describe_element(text_buffer *b, const regress_row *row, const judge_element *e) {
    if (row->state)
        text_printf(b, "state[sequence %lld][head %lld][float %lld]", (long long)e->batch,
                    (long long)e->head, (long long)e->dim);
    else
        text_printf(b, "o[batch %lld][time %lld][head %lld][dim %lld]", (long long)e->batch,
                    (long long)e->time, (long long)e->head, (long long)e->dim);
    text_printf(b, ": got %a, exact %a, error %.3g = %.3g ulp, bound %.3g", e->got, e->exact,
                e->error, e->ulp, e->bound);
}

typedef enum { PASSED, FAILED, SKIPPED } row_status;
static const char *const status_names[] = {"passed", "failed", "skipped"};

/* What is said of a row; *better: it passed with less than its baseline. */
static row_status judge_row(const regress_result *r, const regress_row *row, const json_t *baseline,
                            const char *name, text_buffer *message, bool *better) {
    char change[160];
    regress_numbers old;
    *better = false;
    if (row->outcome == REGRESS_NO_ISA) {
        text_printf(message, "this machine has no %s", mn_isa_name(row->isa));
        return SKIPPED;
    }
    if (row->outcome != REGRESS_RUN) {
        text_printf(
            message, "%s%s",
            row->outcome == REGRESS_REFUSED ? "the kernel refused: " : "no reference: ", row->text);
        return FAILED;
    }
    const json_t *known = baseline && r->planned ? json_object_get(baseline, name) : NULL;
    if (row->found.verdict == JUDGE_BROKEN) {
        text_printf(message,
                    "broken: %lld of %lld elements outside their bounds, %lld not finite; first ",
                    (long long)row->outside, (long long)row->elements, (long long)row->nonfinite);
        describe_element(message, row, &row->deciding);
        return FAILED;
    }
    if (!known && row->found.verdict == JUDGE_SUSPECT) {
        text_printf(message, "suspect: %.3g times the error of the plain twin; ", row->twin);
        describe_element(message, row, &row->deciding);
        return FAILED;
    }
    if (!known && baseline && r->planned) {
        text_printf(message, "not in the baseline; mneme regress --kernel %s --rebase FILE adds it",
                    r->c.kind->name);
        return FAILED;
    }
    if (!known || !regress_numbers_of(&old, known))
        return PASSED;
    regress_change what = regress_compare(&row->found, &old, change);
    if (what == REGRESS_SAME)
        return PASSED;
    text_printf(message, "%s", change);
    *better = what == REGRESS_BETTER;
    if (*better)
        return PASSED;
    const judge_element *e = strncmp(change, "largest error / bound", 21) == 0 ? &row->worst
                             : row->found.verdict == JUDGE_SUSPECT             ? &row->deciding
                                                                               : &row->largest;
    text_printf(message, "; ");
    describe_element(message, row, e);
    return FAILED;
}

/* "mneme regress --kernel K --shape S ..." */
static char *command_of(const regress_result *r, const regress_row *row, const char *tail) {
    char shape[INPUTS_SHAPE_TEXT];
    text_buffer b;
    text_init(&b);
    text_printf(&b, "mneme regress --kernel %s --shape %s --family %s --seed %llu", r->c.kind->name,
                inputs_shape_text(&r->c.shape, shape), inputs_family_names[r->c.family],
                (unsigned long long)r->c.seed);
    if (row)
        text_printf(&b, " --method %s --isa %s", regress_method_names[row->method],
                    mn_isa_name(row->isa));
    text_printf(&b, "%s", tail);
    return text_take(&b);
}

static json_t *row_json(const regress_result *r, const regress_row *row, const json_t *baseline,
                        const char *tail) {
    char name[REGRESS_NAME], shape[INPUTS_SHAPE_TEXT];
    text_buffer message;
    bool better;
    text_init(&message);
    regress_name(&r->c, row, name);
    row_status status = judge_row(r, row, baseline, name, &message, &better);
    char *command = command_of(r, row, tail);
    json_t *j =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:s, s:s, s:b, s:s, s:s}", "name", name,
                  "kernel", r->c.kind->name, "shape", inputs_shape_text(&r->c.shape, shape),
                  "family", inputs_family_names[r->c.family], "seed", (json_int_t)r->c.seed,
                  "method", regress_method_names[row->method], "isa", mn_isa_name(row->isa), "part",
                  row->state ? "state" : "o", "status", status_names[status], "better", (int)better,
                  "message", message.data, "command", command);
    if (row->outcome == REGRESS_RUN) {
        const regress_numbers *n = &row->found;
        json_object_set_new(j, "verdict", json_string(judge_verdict_text(n->verdict)));
        json_object_set_new(j, "ulp", real_or_null(n->ulp));
        json_object_set_new(j, "p99", real_or_null(n->p99));
        json_object_set_new(j, "ratio", real_or_null(n->ratio));
        json_object_set_new(j, "rms", real_or_null(n->rms));
        json_object_set_new(j, "twin", real_or_null(row->twin));
        json_object_set_new(j, "elements", json_integer(row->elements));
        json_object_set_new(j, "outside", json_integer(row->outside));
        json_object_set_new(j, "nonfinite", json_integer(row->nonfinite));
        json_object_set_new(j, "vacuous", json_integer(row->vacuous));
        json_object_set_new(j, "most_ulp", element_json(&row->largest));
        json_object_set_new(j, "most_of_bound", element_json(&row->worst));
        if (status == FAILED)
            json_object_set_new(j, "deciding", element_json(&row->deciding));
    }
    free(message.data);
    free(command);
    return j;
}

/* A case whose process ended without rows, or did not run to its end. */
static json_t *rowless_json(const regress_result *r, const char *tail) {
    char shape[INPUTS_SHAPE_TEXT], name[REGRESS_NAME];
    inputs_shape_text(&r->c.shape, shape);
    snprintf(name, sizeof name, "%s/%s/%s", r->c.kind->name, shape,
             inputs_family_names[r->c.family]);
    char *command = command_of(r, NULL, tail);
    json_t *j = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:s, s:b, s:s, s:s}", "name", name, "kernel", r->c.kind->name,
        "shape", shape, "family", inputs_family_names[r->c.family], "seed", (json_int_t)r->c.seed,
        "status", status_names[r->interrupted ? SKIPPED : FAILED], "better", 0, "message",
        r->interrupted ? "not run: the run was interrupted" : r->crash, "command", command);
    free(command);
    return j;
}

/* ---- the report ---- */

json_t *regress_report(const regress_result *results, size_t count, const json_t *baseline,
                       const char *tail, double seconds) {
    json_t *rows = json_array(), *row;
    regress_totals n = {0, 0, 0, 0};
    size_t at;
    bool complete = true;
    for (size_t i = 0; i < count; i++) {
        complete = complete && !results[i].interrupted;
        if (results[i].crash[0] != '\0' || results[i].interrupted)
            json_array_append_new(rows, rowless_json(results + i, tail));
        for (int k = 0; k < results[i].rows; k++)
            json_array_append_new(rows, row_json(results + i, results[i].row + k, baseline, tail));
    }
    json_array_foreach(rows, at, row) {
        const char *status = text_of(row, "status");
        n.passed += *status == 'p', n.failed += *status == 'f', n.skipped += *status == 's';
        n.better += json_is_true(json_object_get(row, "better"));
    }
    return json_pack("{s:s, s:b, s:b, s:f, s:{s:f, s:f}, s:{s:I, s:I, s:I, s:I}, s:I, s:o}",
                     "schema", "mneme-regress-1", "complete", (int)complete, "baseline",
                     baseline != NULL, "seconds", seconds, "factors", "rms", REGRESS_RMS_FACTOR,
                     "max", REGRESS_MAX_FACTOR, "totals", "passed", (json_int_t)n.passed, "failed",
                     (json_int_t)n.failed, "skipped", (json_int_t)n.skipped, "better",
                     (json_int_t)n.better, "cases", (json_int_t)count, "rows", rows);
}

regress_totals regress_report_totals(const json_t *report) {
    const json_t *t = json_object_get(report, "totals");
    return (regress_totals){(long)json_integer_value(json_object_get(t, "passed")),
                            (long)json_integer_value(json_object_get(t, "failed")),
                            (long)json_integer_value(json_object_get(t, "skipped")),
                            (long)json_integer_value(json_object_get(t, "better"))};
}

json_t *regress_junit(const json_t *report) {
    const json_t *rows = json_object_get(report, "rows"), *row;
    json_t *suites = json_array(), *suite = NULL;
    size_t at;
    json_array_foreach(rows, at, row) {
        const char *kernel = text_of(row, "kernel"), *name = text_of(row, "name");
        char id[80];
        snprintf(id, sizeof id, "regress.%s", kernel);
        if (!suite || strcmp(text_of(suite, "id"), id) != 0) {
            suite = json_pack("{s:s, s:[]}", "id", id, "checks");
            json_array_append_new(suites, suite);
        }
        json_array_append_new(json_object_get(suite, "checks"),
                              json_pack("{s:s, s:s, s:s, s:f, s:s, s:s}", "kind", "check", "name",
                                        name + strlen(kernel) + 1, "status", text_of(row, "status"),
                                        "seconds", 0.0, "message", text_of(row, "message"),
                                        "command", text_of(row, "command")));
    }
    return json_pack("{s:O, s:O, s:o}", "totals", json_object_get(report, "totals"), "seconds",
                     json_object_get(report, "seconds"), "claims", suites);
}

/* ---- for people ---- */

typedef struct {
    const char *kernel;
    long rows, undecided, suspect;
    double ratio, rms, p99;
} summary;

/* Errors over bounds of all rows; the others of outputs from standard normal inputs. */
static void add_to(summary *s, const json_t *row) {
    const char *verdict = text_of(row, "verdict");
    s->rows++;
    s->undecided += strcmp(verdict, "undecided") == 0;
    s->suspect += strcmp(verdict, "suspect") == 0;
    s->ratio = fmax(s->ratio, number_of(row, "ratio"));
    if (strcmp(text_of(row, "part"), "o") == 0 && strcmp(text_of(row, "family"), "gaussian") == 0) {
        s->rms = fmax(s->rms, number_of(row, "rms"));
        s->p99 = fmax(s->p99, number_of(row, "p99"));
    }
}

static void print_summary(text_buffer *b, const json_t *rows) {
    summary list[64];
    int n = 0;
    size_t at;
    const json_t *row;
    json_array_foreach(rows, at, row) {
        if (!json_object_get(row, "verdict"))
            continue;
        if ((n == 0 || strcmp(list[n - 1].kernel, text_of(row, "kernel")) != 0) && n < 64)
            list[n++] = (summary){.kernel = text_of(row, "kernel")};
        add_to(list + n - 1, row);
    }
    if (n == 0)
        return;
    text_printf(b, "%-18s %6s %10s %9s %8s   %s\n", "", "runs", "error/", "undecided", "suspect",
                "outputs from normal inputs");
    text_printf(b, "%-18s %6s %10s %9s %8s   %10s %10s\n", "kernel", "", "bound", "", "",
                "rms error", "p99 ulp");
    for (int i = 0; i < n; i++)
        text_printf(b, "%-18s %6ld %10.3g %9ld %8ld   %10.2g %10.3g\n", list[i].kernel,
                    list[i].rows, list[i].ratio, list[i].undecided, list[i].suspect, list[i].rms,
                    list[i].p99);
}

char *regress_report_text(const json_t *report) {
    const json_t *rows = json_object_get(report, "rows"), *row;
    regress_totals n = regress_report_totals(report);
    text_buffer b;
    size_t at;
    long shown = 0;
    text_init(&b);
    print_summary(&b, rows);
    json_array_foreach(rows, at, row) {
        if (json_is_true(json_object_get(row, "better")) && shown++ < BETTER_SHOWN)
            text_printf(&b, "better: %s: %s\n", text_of(row, "name"), text_of(row, "message"));
    }
    if (shown > BETTER_SHOWN)
        text_printf(&b, "better: %ld more\n", shown - BETTER_SHOWN);
    shown = 0;
    json_array_foreach(rows, at, row) {
        if (strcmp(text_of(row, "status"), "failed") == 0 && shown++ < FAILURES_SHOWN)
            text_printf(&b, "FAILED %s\n    %s\n    reproduce: %s\n", text_of(row, "name"),
                        text_of(row, "message"), text_of(row, "command"));
    }
    if (shown > FAILURES_SHOWN)
        text_printf(&b, "%ld more failed (--json F has them all)\n", shown - FAILURES_SHOWN);
    if (!json_is_true(json_object_get(report, "complete")))
        text_printf(&b, "Interrupted: what stands here is partial.\n");
    text_printf(&b, "%ld passed, %ld failed, %ld skipped\n", n.passed, n.failed, n.skipped);
    return text_take(&b);
}

/* What is said of a kernel from outside: for people, as JSON, as cases for JUnit. */
#include "reports/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/provenance.h"

judge_verdict check_verdict(const check_report *r) {
    judge_verdict worst = JUDGE_OK;
    for (int i = 0; i < r->subjects; i++)
        if (r->subject[i].report.verdict > worst)
            worst = r->subject[i].report.verdict;
    return worst;
}

/* Why the verdict is what it is. */
static void reason(text_buffer *b, const check_report *r, const check_subject *s) {
    const judge_report *j = &s->report;
    bool own = r->options->tolerance;
    switch (j->verdict) {
    case JUDGE_BROKEN:
        if (j->nonfinite > 0)
            text_printf(b, "%lld of %lld elements are not finite where the exact ones are",
                        (long long)j->nonfinite, (long long)j->elements);
        if (j->nonfinite > 0 && j->outside > j->nonfinite)
            text_printf(b, ", and ");
        if (j->outside > j->nonfinite || j->nonfinite == 0)
            text_printf(b, "%lld of %lld %s are outside %s", (long long)j->outside,
                        (long long)(s->by_row ? j->rows : j->elements),
                        s->by_row ? "rows" : "elements",
                        own ? "the tolerance given" : "the rigorous error bound");
        break;
    case JUDGE_SUSPECT:
        text_printf(b,
                    "%lld of %lld rows have more than twice the error of a plain program in the "
                    "same arithmetic (%.3g times)",
                    (long long)j->suspect, (long long)j->rows, j->twin);
        break;
    case JUDGE_UNDECIDED:
        text_printf(
            b,
            "for %lld of %lld elements the error bound is as large as the scale and decides "
            "nothing; no row has more than twice the error of a plain program in the same "
            "arithmetic (%.3g times): --accept twin counts that as right",
            (long long)j->vacuous, (long long)j->elements, j->twin);
        break;
    default:
        if (own)
            text_printf(b, "every element is within the tolerance given");
        else if (j->vacuous > 0)
            text_printf(b,
                        "no row has more than twice the error of a plain program in the same "
                        "arithmetic (%.3g times); the bound decides for %lld of %lld elements",
                        j->twin, (long long)(j->elements - j->vacuous), (long long)j->elements);
        else
            text_printf(b,
                        "every element is inside its rigorous error bound (at most %.3g of it), no "
                        "row has more than twice the error of a plain program (%.3g times)",
                        j->ratio, j->twin);
    }
}

static void place(text_buffer *b, const check_subject *s, const judge_element *e) {
    if (s->state)
        text_printf(b, "[sequence %lld, head %lld, %lld]", (long long)e->batch, (long long)e->head,
                    (long long)e->dim);
    else
        text_printf(b, "[b=%lld, t=%lld, h=%lld, d=%lld]", (long long)e->batch, (long long)e->time,
                    (long long)e->head, (long long)e->dim);
}

static bool same(const judge_element *x, const judge_element *y) {
    return x->batch == y->batch && x->time == y->time && x->head == y->head && x->dim == y->dim;
}

static void element(text_buffer *b, const check_subject *s, const char *title,
                    const judge_element *e) {
    text_printf(b, "  %-15s ", title);
    place(b, s, e);
    text_printf(b, "\n    got    %-24.17g %a\n    exact  %-24.17g %a\n", e->got, e->got, e->exact,
                e->exact);
    text_printf(b, "    error  %-12.4g bound %-12.4g%s %.4g ulp\n", e->error, e->bound,
                s->by_row ? " (of the row)" : "", e->ulp);
}

static int by_ratio(const void *x, const void *y, void *head) {
    double a = ((const double *)head)[*(const int64_t *)x],
           c = ((const double *)head)[*(const int64_t *)y];
    return a < c ? 1 : a > c ? -1 : 0;
}
static int64_t *ranked(const judge_report *j) {
    int64_t *order = malloc((size_t)(j->heads + 1) * sizeof *order);
    for (int64_t i = 0; i < j->heads; i++)
        order[i] = i;
    qsort_r(order, (size_t)j->heads, sizeof *order, by_ratio, j->head);
    return order;
}

static void print_subject(text_buffer *b, const check_report *r, const check_subject *s) {
    const judge_report *j = &s->report;
    text_printf(b, "%s, %s: %s: ", s->name, array_type_name(s->type),
                judge_verdict_text(j->verdict));
    reason(b, r, s);
    text_printf(b, "\n");
    if (s->guess[0])
        text_printf(b, "  it looks like this: %s\n", s->guess);
    text_printf(b,
                "  ulp             largest %.4g, 99%% within %.4g, half within %.4g; above 1/2: "
                "%lld, above 1: %lld, above 4: %lld\n",
                j->largest.ulp, j->p99, j->p50, (long long)j->above[0], (long long)j->above[1],
                (long long)j->above[2]);
    text_printf(b,
                "  RMS ratio       %.4g (as flash-linear-attention's tests); largest relative "
                "error %.4g\n",
                j->rms_ratio, j->relative);
    if (j->cancellation > 0)
        text_printf(b, "  cancellation    error at most %.4g of gamma_n sum |a_i b_i|\n",
                    j->cancellation);
    if (j->elements == 0)
        return;
    const judge_element *first = j->outside > 0   ? &j->first
                                 : j->suspect > 0 ? &j->first_suspect
                                                  : NULL;
    if (first)
        element(b, s, j->outside > 0 ? "first outside" : "first suspect", first);
    if (j->ratio > 0 && !(first && same(first, &j->worst)))
        element(b, s, "nearest bound", &j->worst);
    if (j->largest.ulp > 0 && !same(&j->largest, &j->worst) && !(first && same(first, &j->largest)))
        element(b, s, "most ulp", &j->largest);
    if (j->heads > 1) {
        int64_t *order = ranked(j);
        text_printf(b, "  heads by error over bound:");
        for (int64_t i = 0; i < j->heads && i < 16; i++)
            text_printf(b, "%s %lld (%.3g)", i ? "," : "", (long long)order[i], j->head[order[i]]);
        text_printf(b, "%s\n", j->heads > 16 ? ", ..." : "");
        free(order);
    }
    text_printf(b,
                "  elements        %lld: %lld outside, %lld not finite, %lld without a bound that "
                "decides\n",
                (long long)j->elements, (long long)j->outside, (long long)j->nonfinite,
                (long long)j->vacuous);
}

static const char *operand_name(const arithmetic *a) {
    return a->tf32 ? "tf32" : array_type_name(a->operands);
}

void check_print(text_buffer *b, const check_report *r) {
    const mn_args *a = &r->call->args;
    text_printf(b, "%s: %s\n", r->options->kernel->name, judge_verdict_text(check_verdict(r)));
    for (int i = 0; i < r->subjects; i++)
        print_subject(b, r, &r->subject[i]);
    text_printf(
        b, "call: batch %lld, time %lld, heads %lld (keys %lld), dims %lld and %lld%s, layout %s\n",
        (long long)a->batch, (long long)a->time, (long long)a->heads, (long long)a->kv_heads,
        (long long)a->dk, (long long)a->dv, a->segments ? ", several sequences" : "",
        r->options->heads_first ? "bhtd = [batch, head, time, dim]"
                                : "bthd = [batch, time, head, dim]");
    text_printf(b, "assumed: operands %s, sums %s, at most %lld tokens at once\n",
                operand_name(&r->arithmetic), array_type_name(r->arithmetic.accumulate),
                (long long)r->arithmetic.chunk);
    if (r->options->tolerance)
        text_printf(b, "tolerance: |error| <= %g + %g |exact|\n", r->options->atol,
                    r->options->rtol);
    for (int i = 0; i < r->call->notes; i++)
        text_printf(b, "note: %s\n", r->call->note[i]);
    if (a->heads > 1 && a->time == a->heads)
        text_printf(
            b, "note: time and heads are equal: arrays in the other layout would have the same "
               "shape\n");
}

/* ---- JSON ---- */

/* JSON has no infinities: "inf", "nan". */
static json_t *real(double x) {
    return isfinite(x) ? json_real(x) : json_string(isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}
static json_t *element_json(const check_subject *s, const judge_element *e) {
    char got[40], exact[40];
    snprintf(got, sizeof got, "%a", e->got);
    snprintf(exact, sizeof exact, "%a", e->exact);
    json_t *j = s->state ? json_pack("{s:I, s:I, s:I}", "sequence", (json_int_t)e->batch, "head",
                                     (json_int_t)e->head, "index", (json_int_t)e->dim)
                         : json_pack("{s:I, s:I, s:I, s:I}", "batch", (json_int_t)e->batch, "time",
                                     (json_int_t)e->time, "head", (json_int_t)e->head, "dim",
                                     (json_int_t)e->dim);
    json_object_set_new(j, "got", json_string(got));
    json_object_set_new(j, "exact", json_string(exact));
    json_object_set_new(j, "error", real(e->error));
    json_object_set_new(j, "bound", real(e->bound));
    json_object_set_new(j, "ulp", real(e->ulp));
    return j;
}

static json_t *subject_json(const check_report *r, const check_subject *s) {
    const judge_report *j = &s->report;
    text_buffer why;
    text_init(&why);
    reason(&why, r, s);
    json_t *out =
        json_pack("{s:s, s:s, s:s, s:s}", "name", s->name, "type", array_type_name(s->type),
                  "verdict", judge_verdict_text(j->verdict), "reason", why.data);
    free(why.data);
    json_object_set_new(out, "looks_like", s->guess[0] ? json_string(s->guess) : json_null());
    const struct {
        const char *name;
        int64_t n;
    } counts[] = {{"elements", j->elements},    {"rows", j->rows},
                  {"outside", j->outside},      {"nonfinite", j->nonfinite},
                  {"vacuous", j->vacuous},      {"weak", j->weak},
                  {"suspect_rows", j->suspect}, {"above_half_ulp", j->above[0]},
                  {"above_1_ulp", j->above[1]}, {"above_4_ulp", j->above[2]}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(out, counts[i].name, json_integer((json_int_t)counts[i].n));
    const struct {
        const char *name;
        double x;
    } numbers[] = {{"error_over_bound", j->ratio},
                   {"error_over_twin", j->twin},
                   {"max_ulp", j->largest.ulp},
                   {"p99_ulp", j->p99},
                   {"p50_ulp", j->p50},
                   {"rms_ratio", j->rms_ratio},
                   {"max_relative_error", j->relative},
                   {"cancellation", j->cancellation}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(out, numbers[i].name, real(numbers[i].x));
    bool any = j->elements > 0;
    json_object_set_new(out, "first_time_outside",
                        j->first_time >= 0 ? json_integer((json_int_t)j->first_time) : json_null());
    json_object_set_new(out, "first_outside",
                        j->outside > 0 ? element_json(s, &j->first) : json_null());
    json_object_set_new(out, "first_suspect",
                        j->suspect > 0 ? element_json(s, &j->first_suspect) : json_null());
    json_object_set_new(out, "nearest_bound",
                        any && j->ratio > 0 ? element_json(s, &j->worst) : json_null());
    json_object_set_new(out, "most_ulp", any ? element_json(s, &j->largest) : json_null());
    json_t *heads = json_array(), *histogram = json_array();
    int64_t *order = ranked(j);
    for (int64_t i = 0; i < j->heads; i++)
        json_array_append_new(heads, json_pack("{s:I, s:o}", "head", (json_int_t)order[i],
                                               "error_over_bound", real(j->head[order[i]])));
    free(order);
    for (int i = 0; i < JUDGE_HISTOGRAM; i++)
        json_array_append_new(histogram, json_integer((json_int_t)j->histogram[i]));
    json_object_set_new(out, "heads", heads);
    json_object_set_new(out, "ulp_histogram", histogram);
    return out;
}

json_t *check_json(const check_report *r) {
    const mn_args *a = &r->call->args;
    json_t *subjects = json_array(), *notes = json_array();
    for (int i = 0; i < r->subjects; i++)
        json_array_append_new(subjects, subject_json(r, &r->subject[i]));
    for (int i = 0; i < r->call->notes; i++)
        json_array_append_new(notes, json_string(r->call->note[i]));
    json_t *call =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "batch", (json_int_t)a->batch, "time",
                  (json_int_t)a->time, "heads", (json_int_t)a->heads, "kv_heads",
                  (json_int_t)a->kv_heads, "dk", (json_int_t)a->dk, "dv", (json_int_t)a->dv,
                  "sequences", (json_int_t)(a->segments ? a->segments : a->batch), "layout",
                  r->options->heads_first ? "bhtd" : "bthd");
    json_t *assumed = json_pack("{s:s, s:s, s:I}", "operands", operand_name(&r->arithmetic),
                                "accumulate", array_type_name(r->arithmetic.accumulate), "chunk",
                                (json_int_t)r->arithmetic.chunk);
    bool own = r->options->tolerance;
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:o, s:f, s:s, s:o, s:o}", "schema", "mneme-check-1",
        "kernel", r->options->kernel->name, "verdict", judge_verdict_text(check_verdict(r)), "call",
        call, "assumed", assumed, "tolerance",
        own ? json_pack("{s:f, s:f}", "rtol", r->options->rtol, "atol", r->options->atol)
            : json_null(),
        "accept_twin", r->options->accept_twin, "notes", notes, "seconds", r->seconds, "command",
        r->command, "provenance", provenance_json(), "results", subjects);
}

json_t *check_junit(const check_report *r) {
    json_t *checks = json_array();
    int failed = 0;
    for (int i = 0; i < r->subjects; i++) {
        const check_subject *s = &r->subject[i];
        text_buffer why;
        text_init(&why);
        text_printf(&why, "%s: ", judge_verdict_text(s->report.verdict));
        reason(&why, r, s);
        if (s->guess[0])
            text_printf(&why, "; it looks like this: %s", s->guess);
        bool ok = s->report.verdict == JUDGE_OK;
        failed += !ok;
        json_array_append_new(checks, json_pack("{s:s, s:s, s:s, s:s, s:s, s:f}", "kind", "check",
                                                "name", s->name, "status", ok ? "passed" : "failed",
                                                "message", why.data, "command", r->command,
                                                "seconds", i == 0 ? r->seconds : 0.0));
        free(why.data);
    }
    char id[80];
    snprintf(id, sizeof id, "check.%s", r->options->kernel->name);
    return json_pack("{s:{s:i, s:i, s:i}, s:f, s:[{s:s, s:o}]}", "totals", "passed",
                     r->subjects - failed, "failed", failed, "skipped", 0, "seconds", r->seconds,
                     "claims", "id", id, "checks", checks);
}

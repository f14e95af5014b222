/* Verdicts of checks from their units, of statements from their checks. */
#include "reports/gather.h"
#include "reports/json_codec.h"
#include "reports/provenance.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const work_unit *unit;
    json_t *const *entry; /* as in reports/journal.h */
    slong count;
    const run_options *options;
} findings;

/* The result of one unit of a check (or of a control of it), or NULL. */
static const json_t *find_result(const findings *f, const check *k, const control *n, slong index,
                                 int *planned) {
    for (slong i = 0; i < f->count; i++)
        if (f->unit[i].check == k && f->unit[i].control == n && f->unit[i].index == index) {
            *planned = 1;
            return json_object_get(f->entry[i], "result");
        }
    *planned = 0;
    return NULL;
}

static const char *text_of(const json_t *j, const char *key) {
    const char *text = json_string_value(json_object_get(j, key));
    return text != NULL ? text : "";
}

/* How much a unit's outcome weighs: the worst one speaks for the check. */
static int severity(const json_t *r) {
    if (r == NULL)
        return 5;
    if (json_object_get(r, "crash") != NULL)
        return 4;
    if (strcmp(text_of(r, "outcome"), "fails") == 0)
        return 3;
    if (strcmp(text_of(r, "outcome"), "undecided") == 0)
        return 2;
    return text_of(r, "skipped")[0] != '\0' ? 1 : 0;
}

static void copy_keys(json_t *to, const json_t *from) {
    static const char *const keys[] = {"label",  "lhs",       "relation", "rhs",
                                       "margin", "precision", NULL};
    for (int i = 0; keys[i] != NULL; i++) {
        json_t *value = json_object_get(from, keys[i]);
        if (value != NULL)
            json_object_set(to, keys[i], value);
    }
}

static verdict found_verdict(const json_t *worst, evidence e) {
    switch (severity(worst)) {
    case 0:
        return verdict_of_evidence(e);
    case 3:
        return VERDICT_REFUTED;
    default:
        return VERDICT_UNDECIDED;
    }
}

/* What repeats the unit alone. */
static char *unit_command(const findings *f, const work_unit *u) {
    const run_options *o = f->options;
    char name[WORK_UNIT_NAME];
    text_buffer b;
    work_unit_name(name, u);
    text_init(&b);
    text_printf(&b, "mneme verify --level %s", level_name(o->level));
    if (o->seed != 1)
        text_printf(&b, " --seed %lu", (unsigned long)o->seed);
    for (slong i = 0; i < o->settings; i++)
        if (plan_setting(u->claim, o->setting[i].name) != NULL)
            text_printf(&b, " --set %s=%s", o->setting[i].name, o->setting[i].text);
    text_printf(&b, " --unit %s", name);
    return text_take(&b);
}

/* Appends the tables of one unit, joining rows of tables of the same id. */
static void collect_tables(json_t *tables, const json_t *result) {
    const json_t *more = json_object_get(result, "series");
    for (size_t i = 0; i < json_array_size(more); i++) {
        json_t *table = json_array_get(more, i), *same = NULL;
        for (size_t k = 0; k < json_array_size(tables); k++)
            if (strcmp(text_of(json_array_get(tables, k), "id"), text_of(table, "id")) == 0)
                same = json_array_get(tables, k);
        if (same == NULL)
            json_array_append_new(tables, json_deep_copy(table));
        else
            json_array_extend(json_object_get(same, "rows"), json_object_get(table, "rows"));
    }
}

static const char *check_message(char *text, size_t room, const json_t *worst, const check *k,
                                 const control *n, const char *status, int interrupted) {
    text[0] = '\0';
    if (strcmp(status, "failed") != 0 && strcmp(status, "skipped") != 0)
        return text;
    if (worst == NULL)
        snprintf(text, room, "%s", interrupted ? "not run: the run was interrupted" : "not run");
    else if (json_object_get(worst, "crash") != NULL)
        snprintf(text, room, "the unit %s", text_of(worst, "crash"));
    else if (text_of(worst, "skipped")[0] != '\0')
        snprintf(text, room, "%s", text_of(worst, "skipped"));
    else if (n != NULL && k->pinned != VERDICT_REFUTED)
        snprintf(text, room,
                 "with %s the check must be refuted with positive margin, but it %s: %s",
                 n->changed, text_of(worst, "outcome"), text_of(worst, "label"));
    else if (n != NULL)
        snprintf(text, room, "with %s the published statement must hold, but it %s: %s", n->changed,
                 text_of(worst, "outcome"), text_of(worst, "label"));
    else
        snprintf(text, room, "pinned %s, but it %s: %s", verdict_name(k->pinned),
                 text_of(worst, "outcome"), text_of(worst, "label"));
    return text;
}

/* One line of the report: a check, or a control of it. */
static json_t *gather_check(const findings *f, const claim *c, const check *k, const control *n,
                            json_t *tables, json_t *witnesses, int interrupted) {
    char message[700];
    const json_t *worst = NULL;
    int worst_severity = -1, planned;
    slong units = n == NULL ? check_units(k, f->options->level) : 1, decisions = 0, sampled = 0,
          cases = 0, which = 0;
    double seconds = 0;
    json_t *j = json_object(), *numbers = json_array();
    for (slong i = 0; i < units; i++) {
        const json_t *r = find_result(f, k, n, i, &planned);
        if (severity(r) > worst_severity) {
            worst = r;
            worst_severity = severity(r);
            which = i;
        }
        seconds += json_number_value(json_object_get(r, "seconds"));
        decisions += (slong)json_integer_value(json_object_get(r, "decisions"));
        sampled += (slong)json_integer_value(json_object_get(r, "sampled"));
        if (json_integer_value(json_object_get(r, "cases")) > cases)
            cases = (slong)json_integer_value(json_object_get(r, "cases"));
        if (n == NULL && r != NULL) {
            json_array_extend(numbers, json_object_get(r, "numbers"));
            collect_tables(tables, r);
            json_array_extend(witnesses, json_object_get(r, "witnesses"));
        }
    }
    verdict found = found_verdict(worst, k->evidence);
    int passed;
    if (n == NULL)
        passed = found == k->pinned;
    else if (k->pinned != VERDICT_REFUTED)
        passed =
            found == VERDICT_REFUTED && json_is_true(json_object_get(worst, "margin_positive"));
    else
        passed = worst_severity == 0;
    int skipped = worst_severity == 1 || (worst == NULL && interrupted);
    const char *status = skipped ? "skipped" : passed ? "passed" : "failed";
    json_object_set_new(j, "name", json_string(n != NULL ? n->name : k->name));
    json_object_set_new(j, "kind", json_string(n != NULL ? "control" : "check"));
    json_object_set_new(j, "statement", json_string(k->statement));
    if (n != NULL) {
        json_object_set_new(j, "of", json_string(k->name));
        json_object_set_new(j, "changed", json_string(n->changed));
    }
    json_object_set_new(j, "status", json_string(status));
    json_object_set_new(j, "pinned",
                        json_string(verdict_name(n == NULL ? k->pinned
                                                 : k->pinned != VERDICT_REFUTED
                                                     ? VERDICT_REFUTED
                                                     : verdict_of_evidence(k->evidence))));
    json_object_set_new(j, "found", json_string(verdict_name(found)));
    if (worst != NULL)
        copy_keys(j, worst);
    json_object_set_new(j, "decisions", json_integer(decisions));
    if (n == NULL && cases > 0) {
        json_object_set_new(j, "sampled", json_integer(sampled));
        json_object_set_new(j, "cases", json_integer(cases));
    }
    if (k->evidence == EVIDENCE_STATISTIC)
        json_object_set_new(j, "statistical", json_true());
    json_object_set_new(j, "units", json_integer(units));
    json_object_set_new(j, "seconds", json_real(seconds));
    json_object_set_new(
        j, "message",
        json_string(check_message(message, sizeof message, worst, k, n, status, interrupted)));
    json_object_set_new(j, "numbers", numbers);
    char *command = unit_command(f, &(work_unit){c, k, n, which, f->options->level, 0, 0});
    json_object_set_new(j, "command", json_string(command));
    free(command);
    return j;
}

static json_t *strings(const char *const *list) {
    json_t *j = json_array();
    for (; list != NULL && *list != NULL; list++)
        json_array_append_new(j, json_string(*list));
    return j;
}

/* The pinned verdict if every check of the statement ran and passed, and every control of those checks
   did; refuted if a check was refuted against its pin; undecided if something failed otherwise;
   "unchecked" if part of the checks was not selected. */
static const char *statement_verdict(const claim *c, const statement *s, const json_t *checks) {
    slong wanted = 0, passed = 0, failed = 0, refuted = 0;
    for (const check *k = c->checks; k->name != NULL; k++)
        if (strcmp(k->statement, s->id) == 0) {
            wanted++;
            for (const control *n = c->controls; n->name != NULL; n++)
                wanted += strcmp(n->check, k->name) == 0;
        }
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *k = json_array_get(checks, i);
        if (strcmp(text_of(k, "statement"), s->id) != 0)
            continue;
        int is_check = strcmp(text_of(k, "kind"), "check") == 0;
        passed += strcmp(text_of(k, "status"), "passed") == 0;
        failed += strcmp(text_of(k, "status"), "failed") == 0;
        refuted += is_check && strcmp(text_of(k, "status"), "failed") == 0 &&
                   strcmp(text_of(k, "found"), "refuted") == 0;
    }
    if (refuted > 0)
        return verdict_name(VERDICT_REFUTED);
    if (failed > 0)
        return verdict_name(VERDICT_UNDECIDED);
    return passed == wanted ? verdict_name(s->pinned) : "unchecked";
}

/* "22 of 280 cases of check table": what a sampled check of the statement did not look at. */
static void statement_scope(json_t *j, const statement *s, const json_t *checks) {
    char text[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *k = json_array_get(checks, i);
        long part = (long)json_integer_value(json_object_get(k, "sampled")),
             whole = (long)json_integer_value(json_object_get(k, "cases"));
        if (strcmp(text_of(k, "statement"), s->id) == 0 && whole > part && used < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%ld of %ld cases of check %s",
                                 used > 0 ? "; " : "", part, whole, text_of(k, "name"));
    }
    if (text[0] != '\0')
        json_object_set_new(j, "scope", json_string(text));
}

static json_t *gather_statement(const claim *c, const statement *s, const json_t *checks) {
    json_t *j = json_object();
    json_object_set_new(j, "id", json_string(s->id));
    json_object_set_new(j, "kind", json_string(statement_kind_name(s->kind)));
    json_object_set_new(j, "text", json_string(s->text));
    json_object_set_new(j, "latex", json_string(s->latex));
    json_object_set_new(j, "pinned", json_string(verdict_name(s->pinned)));
    json_object_set_new(j, "found", json_string(statement_verdict(c, s, checks)));
    for (const check *k = c->checks; k->name != NULL; k++)
        if (strcmp(k->statement, s->id) == 0 && k->evidence == EVIDENCE_STATISTIC)
            json_object_set_new(j, "statistical", json_true());
    statement_scope(j, s, checks);
    if (s->instead != NULL)
        json_object_set_new(j, "instead", json_string(s->instead));
    json_object_set_new(j, "proof", strings(s->proof));
    return j;
}

static json_t *gather_claim(const findings *f, const claim *c, slong totals[3], int interrupted) {
    json_t *j = json_object(), *statements = json_array(), *checks = json_array(),
           *tables = json_array(), *witnesses = json_array();
    int planned;
    for (const check *k = c->checks; k->name != NULL; k++) {
        find_result(f, k, NULL, 0, &planned);
        if (!planned)
            continue;
        json_array_append_new(checks, gather_check(f, c, k, NULL, tables, witnesses, interrupted));
        for (const control *n = c->controls; n->name != NULL; n++)
            if (strcmp(n->check, k->name) == 0)
                json_array_append_new(checks,
                                      gather_check(f, c, k, n, tables, witnesses, interrupted));
    }
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const char *status = text_of(json_array_get(checks, i), "status");
        totals[status[0] == 'p' ? 0 : status[0] == 'f' ? 1 : 2]++;
    }
    for (const statement *s = c->statements; s->id != NULL; s++)
        json_array_append_new(statements, gather_statement(c, s, checks));
    json_object_set_new(j, "id", json_string(c->id));
    json_object_set_new(j, "title", json_string(c->title));
    json_object_set_new(j, "source", json_string(c->source));
    json_object_set_new(j, "hypotheses", strings(c->hypotheses));
    json_object_set_new(j, "statements", statements);
    json_object_set_new(j, "checks", checks);
    json_object_set_new(j, "series", tables);
    json_object_set_new(j, "witnesses", witnesses);
    json_object_set_new(j, "figures", strings(c->figures));
    return j;
}

/* What no run covers, and why. */
static json_t *not_covered(void) {
    static const char *const list[][2] = {
        {"the trained models that the texts report (accuracies, bits per character, perplexities)",
         "neither models nor training data are available"},
        {"GPU timings (fused kernels, crossing with softmax attention)",
         "no accelerator; timings are never pinned"}};
    json_t *j = json_array();
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "what", json_string(list[i][0]));
        json_object_set_new(item, "why", json_string(list[i][1]));
        json_array_append_new(j, item);
    }
    return j;
}

/* "a; b" of the different texts under the key, in the order of the units. */
static void set_hosts(json_t *provenance, json_t *const *entry, slong count, const char *key) {
    json_t *seen = json_object();
    text_buffer b;
    text_init(&b);
    for (slong i = 0; i < count; i++) {
        const char *text = text_of(entry[i], key);
        if (text[0] == '\0' || json_object_get(seen, text) != NULL)
            continue;
        text_printf(&b, "%s%s", b.length > 0 ? "; " : "", text);
        json_object_set_new(seen, text, json_true());
    }
    if (b.length > 0)
        json_object_set_new(provenance, key, json_string(b.data));
    free(b.data);
    json_decref(seen);
}

json_t *gather_report(const run_options *o, const work_unit *unit, json_t *const *entry,
                      slong count, const json_t *program, int interrupted, double seconds) {
    findings f = {unit, entry, count, o};
    json_t *provenance = provenance_json();
    json_object_update(provenance, (json_t *)(uintptr_t)program);
    set_hosts(provenance, entry, count, "cpu");
    set_hosts(provenance, entry, count, "os");
    slong totals[3] = {0, 0, 0};
    char seed[32];
    json_t *report = json_object(), *claims = json_array(), *sum = json_object(),
           *patterns = json_array(), *settings = json_object();
    for (const claim *const *c = claim_registry; *c != NULL; c++)
        for (slong i = 0; i < count; i++)
            if (unit[i].claim == *c) {
                json_array_append_new(claims, gather_claim(&f, *c, totals, interrupted));
                break;
            }
    for (slong i = 0; i < o->patterns; i++)
        json_array_append_new(patterns, json_string(o->pattern[i]));
    for (slong i = 0; i < o->settings; i++)
        json_object_set_new(settings, o->setting[i].name, json_string(o->setting[i].text));
    json_object_set_new(sum, "passed", json_integer(totals[0]));
    json_object_set_new(sum, "failed", json_integer(totals[1]));
    json_object_set_new(sum, "skipped", json_integer(totals[2]));
    snprintf(seed, sizeof seed, "%lu", (unsigned long)o->seed);
    json_object_set_new(report, "schema", json_string("mneme-verify-1"));
    json_object_set_new(report, "complete", json_boolean(!interrupted));
    json_object_set_new(report, "level", json_string(level_name(o->level)));
    json_object_set_new(report, "seed", json_string(seed));
    json_object_set_new(report, "patterns", patterns);
    json_object_set_new(report, "settings", settings);
    json_object_set_new(report, "seconds", json_real(seconds));
    json_object_set_new(report, "totals", sum);
    json_object_set_new(report, "provenance", provenance);
    json_object_set_new(report, "claims", claims);
    json_object_set_new(report, "not_covered", not_covered());
    return report;
}

/* What continuous integration reads: JUnit against its schema, the pull request's comment and what
   changed, annotations. */
#include "tests/testing.h"
#include "tests/process.h"
#include "reports/annotations.h"
#include "reports/changes.h"
#include "reports/text.h"
#include "reports/writers.h"

#define DIR "build/tests/summaries"
#define ODD "<a> & \"b\" 'c' ]]> %: , \r\n\x1b[31m \x7f é ☃ \xef\xbf\xbf `|x|`"

static int make_report(void **state) {
    (void)state;
    run_result r = run("rm -rf " DIR "; mkdir -p " DIR " && " MNEME " verify -j 2 --json " DIR
                       "/verify.json loglinear.softplus-init vla.deltanet-gate");
    int ok = r.status == 0;
    if (!ok)
        print_error("%s%s", r.out, r.err);
    result_clear(&r);
    return ok ? 0 : -1;
}

static json_t *read_report(void) {
    char *complaint = NULL;
    json_t *report = report_read(DIR "/verify.json", &complaint);
    assert_null(complaint);
    return report;
}

static json_t *item(json_t *report, size_t claim, const char *list, size_t n) {
    return json_array_get(
        json_object_get(json_array_get(json_object_get(report, "claims"), claim), list), n);
}

static void set_text(json_t *j, const char *key, const char *text) {
    json_object_set_new(j, key, json_string(text));
}

/* One failed check with an odd message, one skipped control. */
static json_t *broken_report(void) {
    json_t *report = read_report(), *totals = json_object_get(report, "totals");
    set_text(item(report, 0, "checks", 0), "status", "failed");
    set_text(item(report, 0, "checks", 0), "message", ODD);
    set_text(item(report, 1, "checks", 1), "status", "skipped");
    set_text(item(report, 1, "checks", 1), "message", ODD);
    json_int_t passed = json_integer_value(json_object_get(totals, "passed"));
    json_object_set_new(totals, "passed", json_integer(passed - 2));
    json_object_set_new(totals, "failed", json_integer(1));
    json_object_set_new(totals, "skipped", json_integer(1));
    return report;
}

static void write_text(const char *path, char *text) {
    assert_true(output_write("test", path, text, strlen(text)));
    free(text);
}

/* ---- JUnit ---- */

static int is_valid(const char *edit) {
    run_result r = run("sed '%s' " DIR "/junit.xml > " DIR "/edited.xml; xmllint --noout --schema "
                       "reports/schemas/junit.xsd " DIR "/edited.xml",
                       edit);
    int ok = r.status == 0;
    if (strcmp(edit, "") == 0 && !ok)
        print_error("%s", r.err);
    result_clear(&r);
    return ok;
}

static void test_junit_schema(void **state) {
    (void)state;
    json_t *report = broken_report();
    write_text(DIR "/junit.xml", report_write_junit(report));
    json_decref(report);
    assert_true(is_valid(""));
    run_result r = run("xmllint --xpath 'string(//failure/@message)' " DIR "/junit.xml");
    assert_non_null(strstr(r.out, "<a> & \"b\" 'c' ]]> %: , "));
    assert_non_null(strstr(r.out, "\\x1b[31m \\x7f é ☃ ? `|x|`"));
    result_clear(&r);
    /* broken: a count that is none, a comma in a time, a nameless case, a case twice, an unknown
       element */
    static const char *const edits[] = {
        "s/ tests=\"[0-9]*\"/ tests=\"many\"/", "s/time=\"0\\./time=\"0,/",
        "s/classname=\"[^\"]*\"//", "s/published~decay-gate/published/", "s/<skipped /<missing /"};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        assert_false(is_valid(edits[i]));
}

/* ---- what changed ---- */

static void assert_change(const json_t *changes, size_t n, const char *kind, const char *claim,
                          const char *name, const char *was, const char *now) {
    static const char *const keys[] = {"kind", "claim", "item", "was", "now"};
    const char *const wanted[] = {kind, claim, name, was, now};
    for (int k = 0; k < 5; k++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(changes, n), keys[k])),
                            wanted[k]);
}

static void test_changes(void **state) {
    (void)state;
    json_t *now = read_report(), *old = json_deep_copy(now), *changes = report_changes(now, old);
    assert_int_equal(json_array_size(changes), 0);
    json_decref(changes);
    /* a verdict, a status, a control that is new, a claim gone and one that is new */
    set_text(item(old, 1, "statements", 0), "found", "proved");
    set_text(item(old, 1, "checks", 0), "status", "skipped");
    json_array_remove(json_object_get(json_array_get(json_object_get(old, "claims"), 1), "checks"),
                      1);
    json_t *extra = json_deep_copy(json_array_get(json_object_get(old, "claims"), 1));
    set_text(extra, "id", "vla.gone");
    json_array_append_new(json_object_get(old, "claims"), extra);
    json_array_remove(json_object_get(old, "claims"), 0);
    changes = report_changes(now, old);
    assert_int_equal(json_array_size(changes), 5);
    assert_change(changes, 0, "claim", "loglinear.softplus-init", "", "",
                  "The lambda-MLP at initialisation");
    assert_change(changes, 1, "statement", "vla.deltanet-gate", "uniform-decay", "proved",
                  "refuted");
    assert_change(changes, 2, "check", "vla.deltanet-gate", "published", "skipped", "passed");
    assert_change(changes, 3, "control", "vla.deltanet-gate", "published~decay-gate", "", "passed");
    assert_change(changes, 4, "claim", "vla.gone", "", "The delta rule is selective", "");
    json_decref(changes);
    json_decref(old);
    json_decref(now);
}

/* Numbers move only where their enclosures do not meet; times only from a second on and twofold. */
static void test_numbers_and_times(void **state) {
    (void)state;
    json_t *now = read_report(), *old = json_deep_copy(now), *number = NULL, *k = NULL;
    for (size_t i = 0; number == NULL; i++) {
        k = item(now, 0, "checks", i);
        number = json_array_get(json_object_get(k, "numbers"), 0);
    }
    char *name = strdup(json_string_value(json_object_get(number, "name")));
    assert_string_equal(name, "softplus(0.54)");
    const char *const values[] = {
        ("{\"type\":\"measured\",\"estimate\":1,\"lower\":0.99,\"upper\":1.01,\"n\":\"9\","
         "\"seed\":\"1\"}"),
        "{\"type\":\"rational\",\"num\":\"1\",\"den\":\"1\"}",
        "{\"type\":\"ball\",\"mid\":[\"1\",\"0\"],\"rad\":[\"1\",\"-4\"]}",
        "{\"type\":\"ball\",\"mid\":null,\"rad\":null}"};
    const char *const was[] = {NULL, "1", NULL, NULL};
    for (int v = 0; v < 4; v++) {
        json_t *place = json_array_get(json_object_get(item(old, 0, "checks", 0), "numbers"), 0);
        for (size_t i = 0; place == NULL; i++)
            place = json_array_get(json_object_get(item(old, 0, "checks", i), "numbers"), 0);
        json_object_set_new(place, "value", json_loads(values[v], 0, NULL));
        json_t *changes = report_changes(now, old);
        assert_int_equal(json_array_size(changes), was[v] != NULL);
        if (was[v] != NULL)
            assert_change(changes, 0, "number", "loglinear.softplus-init", "softplus-0.54", was[v],
                          "0.9991627362…");
        json_decref(changes);
    }
    json_decref(old);
    old = json_deep_copy(now);
    json_object_set_new(k, "seconds", json_real(2.5));
    json_object_set_new(item(now, 1, "checks", 0), "seconds", json_real(0.9));
    json_t *changes = report_changes(now, old);
    assert_int_equal(json_array_size(changes), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(changes, 0), "now")),
                        "2.5 s");
    char *text = report_write_brief(now, old);
    assert_non_null(strstr(text, "Nothing.\n\nSlower by a factor of two and more"));
    free(text);
    json_decref(changes);
    free(name);
    json_decref(old);
    json_decref(now);
}

/* ---- the comment ---- */

static void test_brief(void **state) {
    (void)state;
    json_t *report = broken_report(), *old = read_report();
    char *text = report_write_brief(report, old);
    assert_ptr_equal(
        strstr(text, "# Mneme: checks failed\n\nLevel quick, selected claims only. **"), text);
    assert_non_null(strstr(text, " 1 failed, 1 skipped.**"));
    assert_non_null(strstr(text, "## Failed\n\n- `loglinear.softplus-init` check `"));
    assert_non_null(strstr(text, "(`mneme verify --level quick --unit loglinear.softplus-init/"));
    assert_non_null(strstr(text, ": failed, was passed\n"));
    assert_non_null(strstr(
        text, "<details><summary>Published statements that are refuted: 2</summary>\n\n| claim"));
    assert_non_null(strstr(text, "</details>\n"));
    free(text);
    /* thousands of failures and refuted statements: still a comment, still closed */
    json_t *claim = json_array_get(json_object_get(report, "claims"), 1),
           *s = item(report, 1, "statements", 0), *k = item(report, 0, "checks", 0);
    for (int i = 0; i < 3000; i++) {
        json_array_append(json_object_get(claim, "statements"), s);
        json_array_append(json_object_get(claim, "checks"), k);
    }
    text = report_write_brief(report, old);
    assert_true(strlen(text) < 65536 && strlen(text) > 30000);
    assert_non_null(strstr(text, " more.\n\n</details>\n"));
    assert_non_null(strstr(text, "- and "));
    free(text);
    json_decref(report);
    json_decref(old);
}

/* ---- annotations ---- */

static void test_annotations(void **state) {
    (void)state;
    json_t *report = broken_report();
    set_text(item(report, 1, "checks", 0), "status", "failed");
    set_text(item(report, 1, "checks", 0), "message", "50% of 1:2, a\r\nb");
    char *text = report_write_annotations(report, "reports");
    assert_int_equal(line_count(text), 4);
    const char *at = strstr(text, "::error file=theorems/vla/deltanet_gate.c,line=");
    assert_non_null(at);
    assert_non_null(strstr(
        at, ",title=vla.deltanet-gate published::50%25 of 1:2, a%0D%0Ab%0Areproduce: mneme "));
    /* the line names the check */
    int line = atoi(strstr(at, "line=") + 5);
    run_result r = run("sed -n %dp theorems/vla/deltanet_gate.c", line);
    assert_non_null(strstr(r.out, "{\"published\","));
    result_clear(&r);
    assert_non_null(strstr(text, "::notice file=theorems/vla/deltanet_gate.c,line="));
    assert_non_null(strstr(text, "title=vla.deltanet-gate published~decay-gate::skipped: <a> & "));
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "::notice title=mneme verify::"));
    free(text);
    /* a claim in a folder; a claim whose name is no file's */
    set_text(json_array_get(json_object_get(report, "claims"), 0), "id", "vort.weights");
    set_text(json_array_get(json_object_get(report, "claims"), 1), "id", "vort../../../etc/passwd");
    text = report_write_annotations(report, "reports");
    assert_ptr_equal(strstr(text, "::error file=theorems/vort/weights/weights.c,line="), text);
    assert_non_null(strstr(text, "::error title=vort../../../etc/passwd published::"));
    free(text);
    /* no source tree; a name that would end a property; a verdict that is not as pinned */
    json_decref(report);
    report = read_report();
    set_text(item(report, 1, "statements", 0), "found", "undecided");
    set_text(item(report, 1, "statements", 0), "id", "a,b:c%");
    text = report_write_annotations(report, "/nonexistent");
    assert_ptr_equal(
        strstr(text,
               "::warning title=vla.deltanet-gate a%2Cb%3Ac%25::pinned refuted, found undecided\n"),
        text);
    free(text);
    json_decref(report);
}

/* ---- the command ---- */

static void assert_refused(const char *arguments, const char *says) {
    run_result r = run(MNEME " report %s", arguments);
    if (r.status != 2 || line_count(r.err) != 1 || strstr(r.err, says) == NULL)
        print_error("%s: %d, %s", arguments, r.status, r.err);
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, says));
    assert_int_equal(strlen(r.out), 0);
    result_clear(&r);
}

/* A report whose value at that key (of its totals, or of its first claim) is another one. */
static void write_other(const char *name, int in_claim, const char *key, json_t *value) {
    json_t *report = read_report();
    json_object_set_new(in_claim ? json_array_get(json_object_get(report, "claims"), 0)
                                 : json_object_get(report, "totals"),
                        key, value);
    write_text(name, json_dumps(report, 0));
    json_decref(report);
}

/* Fails if a report that no run wrote gets into a page, or adds up beyond what numbers hold. */
static void test_foreign(void **state) {
    (void)state;
    write_other(DIR "/count.json", 0, "passed", json_integer(INT64_MAX));
    write_other(DIR "/quote.json", 1, "id", json_string("a\" onclick=\"b"));
    write_other(DIR "/witness.json", 1, "witnesses", json_pack("[s]", ""));
    write_other(
        DIR "/kind.json", 1, "witnesses",
        json_pack("[{s:s,s:s,s:s}]", "schema", "mneme-witness-1", "id", "a", "kind", "<b>"));
    assert_refused("--format junit " DIR "/count.json", "counts of passed, failed and skipped");
    assert_refused("--format html " DIR "/quote.json", "every claim needs texts \"id\"");
    assert_refused("--format html " DIR "/witness.json", "every witness must be one");
    assert_refused("--format html " DIR "/kind.json", "every witness must be one");
}

static void test_command(void **state) {
    (void)state;
    static const char *const formats[] = {"markdown", "junit",    "annotations",   "latex",
                                          "numbers",  "captions", "captions-json", "values"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        run_result r = run(MNEME " report --format %s " DIR "/verify.json", formats[i]);
        assert_int_equal(r.status, 0);
        assert_true(strlen(r.out) > 2 && r.err[0] == '\0');
        result_clear(&r);
    }
    write_text(DIR "/text.json", strdup("{\"schema\": \"mneme-verify-1\","));
    write_text(DIR "/other.json", strdup("{\"schema\": \"other\"}"));
    run_result r =
        run("sed 's/\"unit\": \"1\"/\"unit\": 1/' " DIR "/verify.json > " DIR "/unit.json; "
            "sed 's/\"rad\":/\"radius\":/' " DIR "/verify.json > " DIR "/radius.json; "
            "sed 's/\"gsl\": \"[^\"]*\"/\"gsl\": 1/' " DIR "/verify.json > " DIR "/gsl.json");
    result_clear(&r);
    assert_refused("--since " DIR "/none.json " DIR "/verify.json", "none.json: No such file");
    assert_refused("--since " DIR "/text.json " DIR "/verify.json", "text.json:1:");
    assert_refused("--since " DIR "/other.json " DIR "/verify.json", "must be \"mneme-verify-1\"");
    assert_refused("--brief --since " DIR "/unit.json " DIR "/verify.json",
                   "unit.json: not a report: every number");
    assert_refused("--since " DIR "/radius.json " DIR "/verify.json",
                   "radius.json: not a report: every number");
    assert_refused("--format html " DIR "/gsl.json", "\"provenance\" must be texts");
    assert_refused("--output " DIR "/text.json " DIR "/text.json", "is read (the report)");
    assert_refused("--format latex --since " DIR "/verify.json " DIR "/verify.json",
                   "--since goes with --format markdown");
    assert_refused("--format numbers --brief " DIR "/verify.json",
                   "--brief goes with --format markdown");
    assert_refused("--format tex " DIR "/verify.json", "\"tex\" is not a format");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_junit_schema),
                                       cmocka_unit_test(test_changes),
                                       cmocka_unit_test(test_numbers_and_times),
                                       cmocka_unit_test(test_brief),
                                       cmocka_unit_test(test_annotations),
                                       cmocka_unit_test(test_foreign),
                                       cmocka_unit_test(test_command)};
    return cmocka_run_group_tests(tests, make_report, NULL);
}

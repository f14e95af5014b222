/* The runner against claims that crash, hang, eat memory, or prove nothing (tests/faulty_registry.c). */
#include "tests/testing.h"
#include "tests/process.h"

#include <jansson.h>
#include <signal.h>
#include <time.h>

#define REPORT "build/tests/faulty.json"

static json_t *load(const char *path) {
    json_error_t e;
    json_t *j = json_load_file(path, 0, &e);
    assert_non_null(j);
    return j;
}

static const json_t *find(const json_t *report, const char *name) {
    const json_t *checks =
        json_object_get(json_array_get(json_object_get(report, "claims"), 0), "checks");
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *k = json_array_get(checks, i);
        if (strcmp(json_string_value(json_object_get(k, "name")), name) == 0)
            return k;
    }
    return NULL;
}

static void expect_within(int seconds, const char *pattern, const char *name, const char *status,
                          const char *message) {
    run_result r =
        run(FAULTY " verify --time-limit %d --memory-limit 400 --json " REPORT " 'faulty/%s'",
            seconds, pattern);
    json_t *report = load(REPORT);
    const json_t *k = find(report, name);
    assert_non_null(k);
    assert_string_equal(json_string_value(json_object_get(k, "status")), status);
    assert_non_null(strstr(json_string_value(json_object_get(k, "message")), message));
    assert_int_equal(r.status, strcmp(status, "failed") == 0 ? 1 : 0);
    json_decref(report);
    result_clear(&r);
}

static void expect(const char *pattern, const char *name, const char *status, const char *message) {
    expect_within(2, pattern, name, status, message);
}

static void test_holds(void **state) { /* a true check would not pass */
    (void)state;
    expect("holds", "holds", "passed", "");
}

static void test_fails(void **state) { /* a false check would pass */
    (void)state;
    expect("fails", "fails", "failed", "pinned certified, but it fails: 2 < 1");
}

static void test_decides_nothing(void **state) { /* an empty check would count as true */
    (void)state;
    expect("decides-nothing", "decides-nothing", "failed", "undecided");
}

static void test_abort(void **state) { /* a crash would end the run, or look like a pass */
    (void)state;
    expect("aborts", "aborts", "failed", "signal 6");
}

static void test_segmentation(void **state) {
    (void)state;
    expect("reads-null", "reads-null", "failed", "signal 11");
}

static void test_silent_exit(void **state) { /* exit 0 without a result would look like a pass */
    (void)state;
    expect("exits-silently", "exits-silently", "failed", "without a complete result");
}

static void test_hang(void **state) { /* a claim that hangs would hang the run */
    (void)state;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    expect("hangs", "hangs", "failed", "over its time limit");
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert_true(b.tv_sec - a.tv_sec < 20);
}

static void test_ignored_signals(void **state) { /* a claim that cannot be asked to end */
    (void)state;
    expect("hangs-ignoring-signals", "hangs-ignoring-signals", "failed", "over its time limit");
}

static void test_closed_output(void **state) { /* waiting for its end would take for ever */
    (void)state;
    expect("hangs-without-output", "hangs-without-output", "failed", "over its time limit");
}

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_LIMITED 0
#else
#define MEMORY_LIMITED 1
#endif

static void test_memory(void **state) { /* one claim would take the machine down */
    (void)state;
    if (!MEMORY_LIMITED)
        skip();
    /* filling 400 MiB takes its time on a busy machine: the memory limit is to come first */
    expect_within(60, "eats-memory", "eats-memory", "failed", "ended for want of memory");
}

static void test_nan(void **state) {
    (void)state;
    expect("not-a-number", "not-a-number", "failed", "undecided");
}

static void test_vacuous(void **state) { /* enclosures of everything would agree */
    (void)state;
    expect("vacuous-paths", "vacuous-paths", "failed", "undecided");
}

static void test_skip(void **state) {
    (void)state;
    expect("skips", "skips", "skipped", "there is no such machine");
}

static void test_controls(void **state) { /* a control that refutes nothing would go unnoticed */
    (void)state;
    expect("blind-control", "blind", "failed",
           "must be refuted with positive margin, but it holds");
    expect("undecided-control", "undecided", "failed", "but it undecided");
    expect("control-without-margin", "without-margin", "failed", "positive margin");
    expect("crashing-control", "crashing", "failed", "signal 6");
    expect("good-control", "good", "passed", "");
}

/* One run of everything: each fault is one failed check, and the rest is not disturbed. */
static void test_all_together(void **state) {
    (void)state;
    run_result r = run(FAULTY " verify -j 2 --time-limit 2 --memory-limit 400 --json " REPORT
                              " --junit build/tests/faulty.xml");
    assert_int_equal(r.status, 1);
    json_t *report = load(REPORT);
    assert_string_equal(json_string_value(json_object_get(find(report, "holds"), "status")),
                        "passed");
    assert_true(json_is_true(json_object_get(report, "complete")));
    const json_t *t = json_object_get(report, "totals");
    assert_int_equal(json_integer_value(json_object_get(t, "passed")), 7);
    assert_int_equal(json_integer_value(json_object_get(t, "failed")), 16);
    assert_int_equal(json_integer_value(json_object_get(t, "skipped")), 1);
    /* the closing line, alone on its line, agrees */
    assert_non_null(strstr(r.out, "\n7 passed, 16 failed, 1 skipped\n"));
    json_decref(report);
    result_clear(&r);
    /* <, &, ", ESC in messages: one parseable root, twice into the same file */
    for (int i = 0; i < 2; i++) {
        r = run("LC_ALL=de_DE.UTF-8 " FAULTY " verify --junit build/tests/faulty.xml faulty/fails; "
                "xmllint --noout build/tests/faulty.xml && grep -c '<testsuites' "
                "build/tests/faulty.xml "
                "&& ! grep -E 'time=\"[0-9]*,' build/tests/faulty.xml && grep -E -q "
                "'time=\"[0-9]+[.][0-9]{3}\"' build/tests/faulty.xml");
        assert_int_equal(r.status, 0);
        assert_non_null(strstr(r.out, "\n1\n"));
        result_clear(&r);
    }
}

/* SIGINT: the partial report says so, exit 130, no process stays behind. */
static void test_interrupt(void **state) {
    (void)state;
    run_result r = run("rm -f " REPORT "; timeout -s INT 1 " FAULTY " verify -j 2 --json " REPORT
                       " faulty/holds faulty/hangs; echo status $?");
    /* timeout(1) itself reports 124 when it had to send the signal */
    assert_non_null(strstr(r.out, "Interrupted"));
    json_t *report = load(REPORT);
    assert_true(json_is_false(json_object_get(report, "complete")));
    assert_string_equal(json_string_value(json_object_get(find(report, "holds"), "status")),
                        "passed");
    assert_string_equal(json_string_value(json_object_get(find(report, "hangs"), "status")),
                        "skipped");
    json_decref(report);
    result_clear(&r);
    r = run("timeout --preserve-status -s INT 1 " FAULTY " verify --seed 8215 faulty/hangs");
    assert_int_equal(r.status, 130);
    result_clear(&r);
    /* kill -9 of the run takes its units along */
    r = run(FAULTY
            " verify --seed 8215 faulty/hangs > /dev/null & p=$!; sleep 1; kill -9 $p; sleep 0.3; "
            "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done 2>/dev/null | "
            "grep -c 'verify --unit [f]aulty/hangs/0 --level quick --seed 8215'");
    assert_int_equal(atoi(r.out), 0);
    result_clear(&r);
}

/* The same verdicts and decisions whatever -j is; two runs at once in one tree. */
static void test_jobs(void **state) {
    (void)state;
    run_result r =
        run(MNEME
            " verify -j 1 --json build/tests/j1.json vort.markov vort.no-finite-recurrence & " MNEME
            " verify -j 3 --json build/tests/j3.json vort.markov vort.no-finite-recurrence; a=$?; "
            "wait $!; echo $a $?");
    assert_non_null(strstr(r.out, "\n0 0\n"));
    result_clear(&r);
    json_t *a = load("build/tests/j1.json"), *b = load("build/tests/j3.json");
    const json_t *x = json_object_get(a, "claims"), *y = json_object_get(b, "claims");
    assert_int_equal(json_array_size(x), json_array_size(y));
    for (size_t i = 0; i < json_array_size(x); i++) {
        const json_t *p = json_object_get(json_array_get(x, i), "checks"),
                     *q = json_object_get(json_array_get(y, i), "checks");
        assert_int_equal(json_array_size(p), json_array_size(q));
        for (size_t k = 0; k < json_array_size(p); k++) {
            json_t *u = json_copy(json_array_get(p, k)), *v = json_copy(json_array_get(q, k));
            json_object_del(u, "seconds");
            json_object_del(v, "seconds");
            assert_true(json_equal(u, v));
            json_decref(u);
            json_decref(v);
        }
    }
    json_decref(a);
    json_decref(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_holds),
                                       cmocka_unit_test(test_fails),
                                       cmocka_unit_test(test_decides_nothing),
                                       cmocka_unit_test(test_abort),
                                       cmocka_unit_test(test_segmentation),
                                       cmocka_unit_test(test_silent_exit),
                                       cmocka_unit_test(test_hang),
                                       cmocka_unit_test(test_ignored_signals),
                                       cmocka_unit_test(test_closed_output),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_nan),
                                       cmocka_unit_test(test_vacuous),
                                       cmocka_unit_test(test_skip),
                                       cmocka_unit_test(test_controls),
                                       cmocka_unit_test(test_all_together),
                                       cmocka_unit_test(test_interrupt),
                                       cmocka_unit_test(test_jobs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

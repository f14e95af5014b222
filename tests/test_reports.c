/* What is written: report, JUnit, Markdown, witnesses, data; and how their JSON is read back. */
#include "tests/testing.h"
#include "tests/process.h"
#include "reports/json_codec.h"
#include "reports/text.h"
#include "reports/writers.h"

#define DIR "build/tests/reports"

static int make_reports(void **state) {
    (void)state;
    return quick_run(DIR);
}

/* The checker itself is missing, or the report strays from its schema. */
static void test_schema(void **state) {
    (void)state;
    static const char script[] = "import json, sys, jsonschema\n"
                                 "schema = json.load(open(sys.argv[1]))\n"
                                 "jsonschema.Draft7Validator.check_schema(schema)\n"
                                 "jsonschema.validate(json.load(open(sys.argv[2])), schema)\n"
                                 "print('valid')\n";
    assert_true(output_write("test", "build/tests/validate.py", script, sizeof script - 1));
    const char *python =
        "P=/usr/bin/python3; $P -c 'import jsonschema' 2>/dev/null || P=python3; $P";
    run_result r =
        run("%s build/tests/validate.py reports/schemas/verify.schema.json " DIR "/verify.json",
            python);
    if (r.status != 0)
        print_error("%s", r.err);
    assert_string_equal(r.out, "valid\n");
    result_clear(&r);
    /* a small one, broken: a status that does not exist; a total that is text; a ball without its
       radius */
    r = run(MNEME " verify --json " DIR "/few.json vort.markov 'vort.weights/s*' && %s "
                  "build/tests/validate.py reports/schemas/verify.schema.json " DIR
                  "/few.json && grep -q '\"rad\":' " DIR "/few.json",
            python);
    assert_int_equal(r.status, 0);
    result_clear(&r);
    static const char *const edits[] = {"s/\"status\": \"passed\"/\"status\": \"fine\"/",
                                        "s/\"passed\": \\([0-9]*\\)/\"passed\": \"\\1\"/",
                                        "s/\"rad\":/\"radius\":/"};
    for (int i = 0; i < 3; i++) {
        r = run("sed '%s' " DIR "/few.json > " DIR "/broken.json; %s build/tests/validate.py "
                "reports/schemas/verify.schema.json " DIR "/broken.json",
                edits[i], python);
        assert_int_not_equal(r.status, 0);
        assert_non_null(strstr(r.err, "ValidationError"));
        result_clear(&r);
    }
}

static void test_junit(void **state) { /* not XML, or its counts differ from the report's */
    (void)state;
    run_result r =
        run("xmllint --xpath 'concat(count(//testcase), \" \", /testsuites/@tests, \" \", "
            "sum(//testsuite/@tests), \" \", count(//failure), \" \", /testsuites/@failures)' " DIR
            "/junit.xml");
    assert_int_equal(r.status, 0);
    long cases = -1, tests = -2, sum = -3, failures = -1, claimed = -2;
    assert_int_equal(
        sscanf(r.out, "%ld %ld %ld %ld %ld", &cases, &tests, &sum, &failures, &claimed), 5);
    assert_true(cases > 50 && cases == tests && tests == sum);
    assert_true(failures == 0 && claimed == 0);
    result_clear(&r);
}

static void test_markdown(void **state) {
    (void)state;
    run_result r = run(MNEME " report --format markdown " DIR "/verify.json");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "## Published statements that are refuted"));
    assert_non_null(
        strstr(r.out, "| `vort.soe-rate` | The error of the Gauss-Legendre construction"));
    assert_non_null(strstr(r.out, "### vort.weights"));
    assert_non_null(strstr(r.out, "sharp constant: \\[0.577215")
                        ? ""
                        : strstr(r.out, "sharp constant: [0.577215"));
    result_clear(&r);
    /* what changed: nothing against itself; a verdict against an edited report */
    r = run(MNEME " report --since " DIR "/verify.json " DIR "/verify.json");
    assert_non_null(strstr(r.out, "Nothing."));
    result_clear(&r);
    r = run("sed '0,/\"found\": \"proved\"/s//\"found\": \"undecided\"/' " DIR "/verify.json > " DIR
            "/old.json; " MNEME " report --since " DIR "/old.json " DIR "/verify.json");
    assert_non_null(strstr(r.out, "statement `decreasing`: proved, was undecided"));
    result_clear(&r);
}

/* Witnesses hold for Mneme and for Python, and not after a change. */
static void test_witnesses(void **state) {
    (void)state;
    run_result r = run("for w in " DIR "/w/*.json; do " MNEME " replay \"$w\" || exit 1; done");
    assert_int_equal(r.status, 0);
    result_clear(&r);
    r = run("for w in " DIR "/w/*.py; do python3 \"$w\" || exit 1; done");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "holds: lhs >= rhs"));
    result_clear(&r);
    /* broken: the order of the Hankel witness is 1/2 */
    r = run("sed 's/\"alpha\": \\[/&\\n\"1\\/2\"],\"was\": [/' " DIR
            "/w/vort.no-finite-recurrence.order-1.json > " DIR "/w2.json && " MNEME " replay " DIR
            "/w2.json");
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "does not hold"));
    result_clear(&r);
    r = run(MNEME " replay --python " DIR "/w2.json > " DIR "/w2.py && python3 " DIR "/w2.py");
    assert_int_equal(r.status, 1);
    result_clear(&r);
    /* broken: cut in the middle; another schema; a fraction that is none */
    r = run("head -c 300 " DIR "/w/vort.soe-rate.fixed-interval.json > " DIR "/cut.json; " MNEME
            " replay " DIR "/cut.json");
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, "not JSON"));
    result_clear(&r);
    r = run("sed 's/mneme-witness-1/other/' " DIR "/w2.json > " DIR "/w3.json; " MNEME
            " replay " DIR "/w3.json");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "must be \"mneme-witness-1\""));
    result_clear(&r);
    r = run("sed 's/\"1\\/2\"/\"half\"/' " DIR "/w2.json > " DIR "/w3.json; " MNEME " replay " DIR
            "/w3.json");
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    result_clear(&r);
}

/* One check of a statement does not stand for all of them. */
static void test_partial_selection(void **state) {
    (void)state;
    run_result r = run(MNEME " verify vort.no-finite-recurrence/norms && " MNEME
                             " verify vort.no-finite-recurrence");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "unchecked  corrected no-recurrence"));
    assert_non_null(strstr(r.out, "proved     corrected no-recurrence"));
    result_clear(&r);
    r = run("cat " DIR "/said");
    assert_non_null(strstr(r.out, "looked at 22 of 280 cases of check table"));
    result_clear(&r);
}

/* Same seed, same data, byte for byte; the columns are as many as the header says. */
static void case_gnuplot_data_are_byte_stable(void **state) {
    (void)state;
    run_result r =
        run(MNEME " verify -j 1 --series " DIR
                  "/again vort.soe-rate vort.weights vort.l2-lower-bound vort.plasticity "
                  "'loglinear.*' vla.jacobian-product vla.recall > /dev/null && cd " DIR
                  "/again && for f in *; do cmp $f ../series/$f || exit 1; done; "
                  "set -- *; echo \"$# same\"");
    assert_true(strtol(r.out, NULL, 10) >= 12 && strstr(r.out, " same\n") != NULL);
    result_clear(&r);
    r = run("for f in " DIR "/series/*.dat; do awk 'NR==2{n=NF-1} NR>2 && NF>0 && NF!=n{print "
            "FILENAME, NR}' \"$f\"; done");
    assert_string_equal(r.out, "");
    result_clear(&r);
}

/* Enclosures survive JSON exactly: rationals, balls, tiny and huge, not finite, measured. */
static void test_enclosures(void **state) {
    (void)state;
    exact_random random = {test_seed("reports/enclosures")};
    for (long n = 0; n < test_count(300); n++) {
        enclosure_t x, y;
        enclosure_init(x);
        enclosure_init(y);
        fmpq_t q;
        fmpq_init(q);
        exact_random_rational(q, &random, 1000000);
        arb_t ball;
        arb_init(ball);
        arb_set_fmpq(ball, q, 64 + (slong)(exact_random_next(&random) % 200));
        arb_mul_2exp_si(ball, ball, exact_random_integer(&random, -5000, 5000));
        if (n % 3 == 0)
            enclosure_set_rational(x, q);
        else if (n % 3 == 1)
            enclosure_set_ball(x, ball);
        else
            enclosure_set_measured(x, (enclosure_measurement){1.5, 1, 2, (ulong)n, 7});
        json_t *j = report_enclosure_to_json(x);
        assert_case(report_enclosure_from_json(y, j), "reports/enclosures", n);
        assert_case(y->type == x->type && fmpq_equal(x->rational, y->rational) &&
                        arb_equal(x->ball, y->ball) && x->measured.samples == y->measured.samples,
                    "reports/enclosures", n);
        json_decref(j);
        arb_clear(ball);
        fmpq_clear(q);
        enclosure_clear(x);
        enclosure_clear(y);
    }
    enclosure_t x, y;
    arb_t nothing;
    enclosure_init(x);
    enclosure_init(y);
    arb_init(nothing);
    arb_indeterminate(nothing);
    enclosure_set_ball(x, nothing);
    json_t *j = report_enclosure_to_json(x);
    assert_true(json_is_null(json_object_get(j, "mid")));
    assert_true(report_enclosure_from_json(y, j));
    assert_false(arb_is_finite(y->ball));
    json_decref(j);
    static const char *const bad[] = {
        "{}",
        "{\"type\":\"ball\"}",
        "{\"type\":\"rational\",\"num\":\"1\",\"den\":\"0\"}",
        "{\"type\":\"rational\",\"num\":\"1\",\"den\":\"-2\"}",
        "{\"type\":\"rational\",\"num\":\"x\",\"den\":\"2\"}",
        "{\"type\":\"rational\",\"num\":1,\"den\":2}",
        "{\"type\":\"ball\",\"mid\":[\"1\"],\"rad\":[\"0\",\"0\"]}",
        "{\"type\":\"ball\",\"mid\":[\"1\",\"0\"],\"rad\":[\"-1\",\"0\"]}",
        "{\"type\":\"ball\",\"mid\":[\"1\",\"99999999999999999999\"],\"rad\":[\"1\",\"0\"]}",
        "[]",
        "{\"type\":\"other\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        j = json_loads(bad[i], 0, NULL);
        assert_case(!report_enclosure_from_json(y, j), "reports/bad enclosures", i);
        json_decref(j);
    }
    arb_clear(nothing);
    enclosure_clear(x);
    enclosure_clear(y);
}

/* Files appear whole or not at all. */
static void test_outputs(void **state) {
    (void)state;
    assert_true(output_write("test", DIR "/kept.txt", "old", 3));
    /* a full disk, as a file size limit of 1 KiB shows it: the old file stays, no temporary is left */
    run_result r =
        run("trap '' XFSZ; ulimit -f 1; " MNEME " verify --json " DIR "/kept.txt vort.markov");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "cannot write " DIR "/kept.txt"));
    assert_int_equal(line_count(r.err), 1);
    result_clear(&r);
    r = run("cat " DIR "/kept.txt; ls " DIR " | grep tmp");
    assert_string_equal(r.out, "old");
    result_clear(&r);
    r = run(MNEME " verify --json " DIR " vort.markov");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "Is a directory"));
    result_clear(&r);
    r = run(MNEME " verify --json /nowhere/x.json vort.markov");
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    result_clear(&r);
    r = run(MNEME " verify --witnesses " DIR "/kept.txt/w vort.markov");
    assert_int_equal(r.status, 2);
    result_clear(&r);
    r = run(MNEME " weights --alpha 1/2 --count 100000 > /dev/full");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "No space left"));
    result_clear(&r);
    r = run("mkdir -p '" DIR "/a b' && " MNEME " verify --json '" DIR
            "/a b/v \xc3\xa9.json' vort.markov && " MNEME " report '" DIR
            "/a b/v \xc3\xa9.json' | head -1");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "# Mneme"));
    result_clear(&r);
}

/* Rows of the kernels' accuracy and speed that the page could not show as they are. */
static void test_wrong_rows(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        {"--accuracy", "7", "rows[0]: an object is wanted"},
        {"--accuracy", "{\"kernel\": 1, \"family\": \"\"}", "rows[0]: \"kernel\" must be a string"},
        {"--accuracy", "{\"kernel\": \"a\", \"family\": \"b\", \"rms\": \"1\"}",
         "rows[0]: \"rms\" must be a number or null"},
        {"--bench", "{\"kernel\": \"a\", \"method\": \"b\", \"time\": true}",
         "kernels[0]: \"time\" must be a number or null"}};
    run_result r = run(MNEME " verify --json " DIR "/rows.json vort.markov > /dev/null");
    result_clear(&r);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int bench = strcmp(rows[i][0], "--bench") == 0;
        r = run("printf '{\"schema\": \"mneme-%s-1\", \"%s\": [%%s]}' '%s' > " DIR
                "/table.json; " MNEME " report --format html %s " DIR "/table.json " DIR
                "/rows.json",
                bench ? "bench" : "regress", bench ? "kernels" : "rows", rows[i][1], rows[i][0]);
        assert_int_equal(r.status, 2);
        assert_int_equal(line_count(r.err), 1);
        assert_non_null(strstr(r.err, rows[i][2]));
        assert_string_equal(r.out, "");
        result_clear(&r);
    }
}

/* Links stay links; pipes are written to; a device is not replaced (a pipe stands for it here). */
static void test_special_files(void **state) {
    (void)state;
    run_result r = run("cd " DIR " && rm -f target link pipe && echo old > target && ln -s target "
                       "link && mkfifo pipe && M=$OLDPWD/" MNEME
                       " && $M soe --alpha 1/2 --horizon 10 --terms 2 --output link && test -h "
                       "link && grep -q certified target && "
                       "{ cat pipe > from_pipe & } && $M soe --alpha 1/2 --horizon 10 --terms 2 "
                       "--output pipe && wait && test -p pipe && "
                       "cmp target from_pipe && echo good");
    assert_string_equal(r.out, "good\n");
    result_clear(&r);
    r = run("cd " DIR " && { timeout -s HUP 1 $OLDPWD/" FAULTY
            " verify --json h.json faulty/hangs; ls | grep -c tmp; }");
    assert_non_null(strstr(r.out, "\n0\n"));
    result_clear(&r);
}

/* The witnesses of log-linear attention replay, also without Mneme; one whose input was changed does not. */
static void test_loglinear_witnesses(void **state) {
    (void)state;
    run_result r = run(MNEME " verify --witnesses " DIR
                             "/ll loglinear.partition/published loglinear.softplus-init/identity "
                             "loglinear.cost/training > " DIR "/ll.txt && ls " DIR
                             "/ll/*.json | wc -l && for w in " DIR "/ll/*; do case $w in *.py) "
                             "python3 $w;; *) " MNEME " replay $w;; esac || exit 1; done");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "3\n"));
    assert_non_null(strstr(r.out, "holds: lhs > rhs"));
    result_clear(&r);
    /* broken: position 4 in place of 1 (2 levels, at most 3) */
    r = run("sed '/position/,/]/s/\"1\"/\"4\"/; /\"rhs\"/,$s/\"num\": \"1\"/\"num\": \"3\"/' " DIR
            "/ll/loglinear.partition.states.json > " DIR "/ll.json; " MNEME " replay " DIR
            "/ll.json; " MNEME " replay --python " DIR "/ll.json > " DIR "/ll.py; python3 " DIR
            "/ll.py || echo refused");
    assert_non_null(strstr(r.out, "does not hold"));
    assert_non_null(strstr(r.out, "refused"));
    result_clear(&r);
}

/* A witness is a stranger's file: nothing of it reaches Python or the terminal as code. */
static void test_hostile_witness(void **state) {
    (void)state;
    static const char *const edits[] = {
        "s/\"id\": \"/&x\\\\nprint(1)#/", "s/\"alpha\": /\"al pha\": /", "s/\"kind\": \"/&../",
        "s/\"size\": \\[/&\"1\\/2\",/", "s/\"schema\"/\"schema\": 1, &/"};
    for (int i = 0; i < 5; i++) {
        run_result r = run("sed '%s' " DIR "/w/vort.no-finite-recurrence.order-1.json > " DIR
                           "/hostile.json; " MNEME " replay --python " DIR "/hostile.json",
                           edits[i]);
        assert_case(r.status == 2 && line_count(r.err) == 1 && r.out[0] == '\0', "hostile witness",
                    i);
        result_clear(&r);
    }
    /* another left side than the inputs give */
    run_result r =
        run("sed 's/\"num\": \"0\"/\"num\": \"7\"/;0,/\"num\": \"7\"/!s/\"num\": \"7\"/\"num\": "
            "\"0\"/' " DIR "/w/vort.no-finite-recurrence.order-1.json > " DIR
            "/hostile.json; " MNEME " replay " DIR "/hostile.json");
    assert_int_equal(r.status, 1);
    result_clear(&r);
}

/* A reader that cannot be fooled into allocating or reading past the end. */
static void test_bad_reports(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "[",
        "{}",
        "null",
        "{\"schema\":\"mneme-verify-1\"}",
        "{\"schema\":\"mneme-verify-2\",\"claims\":[],\"totals\":{}}",
        "{\"schema\":\"mneme-verify-1\",\"claims\":[1,null],\"totals\":{\"passed\":1,\"failed\":-1,"
        "\"skipped\":0},\"seconds\":1}",
        "{\"schema\":\"mneme-verify-1\",\"claims\":[],\"totals\":{\"passed\":1,\"failed\":1,"
        "\"skipped\":0},\"seconds\":1e300}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(output_write("test", DIR "/bad.json", texts[i], strlen(texts[i])));
        run_result r = run(MNEME " report " DIR "/bad.json");
        assert_int_equal(r.status, 2);
        assert_int_equal(line_count(r.err), 1);
        result_clear(&r);
    }
    /* a damaged certificate: said once, before anything runs */
    run_result r = run(
        "mkdir -p " DIR "/data/baselines; head -c 1000 reports/baselines/vort.soe-rate.json > " DIR
        "/data/baselines/vort.soe-rate.json; " MNEME " verify --data " DIR "/data vort.markov");
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, "make baseline rewrites it"));
    result_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_schema),
                                       cmocka_unit_test(test_junit),
                                       cmocka_unit_test(test_markdown),
                                       cmocka_unit_test(test_witnesses),
                                       cmocka_unit_test(case_gnuplot_data_are_byte_stable),
                                       cmocka_unit_test(test_enclosures),
                                       cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_bad_reports),
                                       cmocka_unit_test(test_wrong_rows),
                                       cmocka_unit_test(test_special_files),
                                       cmocka_unit_test(test_partial_selection),
                                       cmocka_unit_test(test_hostile_witness),
                                       cmocka_unit_test(test_loglinear_witnesses)};
    int failed = cmocka_run_group_tests(tests, make_reports, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

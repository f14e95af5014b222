/* mneme regress: broken kernels turn red at the right place, baselines are held, and what is printed can be run. */
#include "tests/testing.h"
#include "reports/regress.h"
#include "reports/writers.h"
#include "tests/process.h"

#include <math.h>
#include <signal.h>

#define DIR "build/tests/regress"

static regress_case case_of(const char *kernel, const char *shape, inputs_family family) {
    char complaint[INPUTS_COMPLAINT];
    regress_case c = {.kind = inputs_find_kind(kernel), .family = family, .seed = REGRESS_SEED};
    assert_non_null(c.kind);
    if (!inputs_parse_shape(&c.shape, shape, complaint))
        fail_msg("%s", complaint);
    return c;
}

static const regress_selection everything = {~0u, ~0u};

/* ---- kernels that are broken on purpose, in chunks only ---- */

static float *element(const mn_args *a, int64_t batch, int64_t t, int64_t head, int64_t i) {
    return a->o.data + ((batch * a->time + t) * a->heads + head) * a->dv + i;
}

typedef enum {
    RIGHT,
    ONE_ELEMENT,
    ZEROS,
    ONE_NAN,
    HALVES,
    STATE,
    NOT_WRITTEN,
    CRASHES,
    HANGS
} fault;
static fault broken;

static mn_status faulty(const mn_args *a, mn_method method, mn_error *error) {
    mn_status status = mn_run(a, method, error);
    int64_t n = a->batch * a->time * a->heads * a->dv;
    if (method != MN_CHUNK || status != MN_OK)
        return status;
    switch (broken) {
    case RIGHT:
        break;
    case ONE_ELEMENT:
        *element(a, 1, 17, 2, 3) *= 1.001f;
        break;
    case ZEROS:
        memset(a->o.data, 0, (size_t)n * sizeof(float));
        break;
    case ONE_NAN:
        *element(a, 0, 30, 1, 4) = NAN;
        break;
    case HALVES: /* errors of 32 roundings: inside the bounds, but no float's */
        for (int64_t i = 0; i < n; i++)
            a->o.data[i] =
                (float)((double)a->o.data[i] + (double)a->o.data[i] * 0x1p-19 * (i % 2 ? 1 : -1));
        break;
    case STATE:
        ((float *)a->state_out)[11] += 1;
        break;
    case NOT_WRITTEN:
        memset(element(a, 1, 5, 0, 0), 0xff, sizeof(float));
        break;
    case CRASHES:
        raise(SIGKILL);
        break;
    case HANGS:
        for (;;)
            pause();
    }
    return status;
}
static const regress_library faulty_library = {faulty, mn_convolve};

static int run_faulty(regress_row *rows, fault f, const char *kernel) {
    regress_case c = case_of(kernel, "B=2,T=31,H=4,KV=2,d=6", INPUTS_GAUSSIAN);
    broken = f;
    return regress_run(rows, &c, everything, &faulty_library);
}

/* Rows of chunks are as bad as that, in outputs or state; the others stay right. */
static void expect(const regress_row *rows, int n, bool state, judge_verdict verdict) {
    int bad = 0;
    for (int i = 0; i < n; i++) {
        if (rows[i].outcome == REGRESS_NO_ISA)
            continue;
        assert_int_equal(rows[i].outcome, REGRESS_RUN);
        bool wrong = rows[i].method == MN_CHUNK && rows[i].state == state;
        assert_int_equal(rows[i].found.verdict, wrong ? verdict : JUDGE_OK);
        bad += wrong;
    }
    assert_true(bad > 0);
}

static void expect_place(const regress_row *rows, int n, int64_t batch, int64_t t, int64_t head,
                         int64_t dim) {
    for (int i = 0; i < n; i++)
        if (rows[i].outcome == REGRESS_RUN && rows[i].found.verdict != JUDGE_OK) {
            const judge_element *e = &rows[i].deciding;
            assert_true(e->batch == batch && e->time == t && e->head == head && e->dim == dim);
        }
}

static void broken_kernels_are_found_where_they_broke(void **state) {
    (void)state;
    static regress_row rows[REGRESS_ROWS];
    int n = run_faulty(rows, RIGHT, "linear-scalar");
    expect(rows, n, false, JUDGE_OK);
    n = run_faulty(rows, ONE_ELEMENT, "linear-scalar");
    expect(rows, n, false, JUDGE_BROKEN);
    expect_place(rows, n, 1, 17, 2, 3);
    for (int i = 0; i < n; i++) /* by how much: a thousandth, and the witness says so */
        if (rows[i].found.verdict == JUDGE_BROKEN) {
            const judge_element *e = &rows[i].deciding;
            assert_true(fabs(e->got / e->exact - 1.001) < 1e-5);
            assert_true(fabs(e->error / fabs(e->exact) - 0.001) < 1e-5 && rows[i].outside == 1);
            assert_true(rows[i].found.ratio > 1);
        }
    n = run_faulty(rows, ZEROS, "linear-scalar");
    expect(rows, n, false, JUDGE_BROKEN);
    n = run_faulty(rows, ONE_NAN, "linear-scalar");
    expect(rows, n, false, JUDGE_BROKEN);
    expect_place(rows, n, 0, 30, 1, 4);
    n = run_faulty(rows, STATE, "linear-scalar");
    expect(rows, n, true, JUDGE_BROKEN);
    n = run_faulty(rows, NOT_WRITTEN, "linear-scalar");
    expect(rows, n, false, JUDGE_BROKEN);
    expect_place(rows, n, 1, 5, 0, 0);
    n = run_faulty(rows, HALVES, "linear-scalar");
    expect(rows, n, false, JUDGE_SUSPECT);
}

/* Threads, too: the same rows whatever the number. */
static mn_status with_threads(const mn_args *a, mn_method method, mn_error *error) {
    mn_args b = *a;
    void *workspace = NULL;
    b.threads = 3, b.workspace_size = mn_workspace_size(&b, method);
    b.workspace = workspace = malloc(b.workspace_size + 1);
    mn_status status = mn_run(&b, method, error);
    free(workspace);
    return status;
}

static json_t *report_of(const regress_library *library, long jobs, const json_t *baseline) {
    static regress_result results[6];
    static const char *const kernels[] = {"linear",          "delta-gated", "vla",
                                          "loglinear-gated", "vort",        "convolution"};
    memset(results, 0, sizeof results);
    for (int i = 0; i < 6; i++) {
        results[i].c = case_of(kernels[i], "T=33,d=8", INPUTS_POSITIVE);
        results[i].planned = true;
        assert_true(regress_planned(&results[i].c));
    }
    assert_int_equal(regress_execute(results, 6, everything, library, jobs, 60), 0);
    return regress_report(results, 6, baseline, "", 0);
}

static void jobs_and_threads_do_not_matter(void **state) {
    (void)state;
    regress_library threaded = {with_threads, mn_convolve};
    json_t *one = report_of(&regress_libmneme, 1, NULL),
           *three = report_of(&regress_libmneme, 3, NULL), *threads = report_of(&threaded, 2, NULL);
    assert_true(json_equal(one, three) && json_equal(one, threads));
    assert_int_equal(regress_report_totals(one).failed, 0);
    assert_true(regress_report_totals(one).passed > 50);
    json_decref(one), json_decref(three), json_decref(threads);
}

static void a_crash_or_a_hang_is_one_failed_case(void **state) {
    (void)state;
    static regress_result results[2];
    results[0].c = case_of("linear", "T=5,d=2", INPUTS_GAUSSIAN);
    results[1].c = case_of("convolution", "T=5,d=2", INPUTS_GAUSSIAN);
    static const struct {
        fault fault;
        const char *says;
    } ends[] = {{CRASHES, "signal 9"}, {HANGS, "stopped after 1 s"}};
    for (int i = 0; i < 2; i++) {
        broken = ends[i].fault;
        assert_int_equal(regress_execute(results, 2, everything, &faulty_library, 2, 1), 0);
        assert_non_null(strstr(results[0].crash, ends[i].says));
        assert_true(results[0].rows == 0 && results[1].rows > 0 && results[1].crash[0] == '\0');
        json_t *report = regress_report(results, 2, NULL, "", 0);
        assert_int_equal(regress_report_totals(report).failed, 1);
        char *text = regress_report_text(report);
        assert_non_null(strstr(
            text, "reproduce: mneme regress --kernel linear --shape T=5,d=2 --family gaussian"));
        free(text);
        json_decref(report);
    }
}

/* ---- comparison and baselines ---- */

static void worse_is_worse_by_the_stated_factor(void **state) {
    (void)state;
    const regress_numbers old = {JUDGE_OK, 100, 10, 0.1, 1e-6};
    static const struct {
        regress_numbers found;
        regress_change change;
        const char *says;
    } cases[] = {{{JUDGE_OK, 100, 10, 0.1, 1e-6}, REGRESS_SAME, ""},
                 {{JUDGE_OK, 199, 19, 0.19, 1.24e-6}, REGRESS_SAME, ""},
                 {{JUDGE_OK, 51, 5.1, 0.051, 0.81e-6}, REGRESS_SAME, ""},
                 {{JUDGE_OK, 100, 10, 0.1, 1.26e-6},
                  REGRESS_WORSE,
                  "rms error over rms output: 1.26e-06, was 1e-06 (x 1.26"},
                 {{JUDGE_OK, 100, 21, 0.1, 1e-6}, REGRESS_WORSE, "99% of errors in ulp"},
                 {{JUDGE_OK, 201, 10, 0.1, 1e-6}, REGRESS_WORSE, "largest error in ulp"},
                 {{JUDGE_OK, 100, 10, 0.21, 1e-6}, REGRESS_WORSE, "largest error / bound"},
                 {{JUDGE_OK, 1, 10, 0.1, 1.3e-6}, REGRESS_WORSE, "rms"},
                 {{JUDGE_UNDECIDED, 1, 1, 0.01, 1e-7}, REGRESS_WORSE, "undecided, was ok"},
                 {{JUDGE_SUSPECT, 1, 1, 0.01, 1e-7}, REGRESS_WORSE, "suspect, was ok"},
                 {{JUDGE_OK, 100, 10, 0.1, 0.7e-6}, REGRESS_BETTER, "rms"},
                 {{JUDGE_OK, 49, 10, 0.1, 1e-6}, REGRESS_BETTER, "largest error in ulp"},
                 {{JUDGE_OK, NAN, 10, 0.1, 1e-6}, REGRESS_WORSE, "largest error in ulp"},
                 {{JUDGE_OK, INFINITY, 10, 0.1, 1e-6}, REGRESS_WORSE, "largest error in ulp"}};
    char text[160];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        regress_change c = regress_compare(&cases[i].found, &old, text);
        if (c != cases[i].change || strncmp(text, cases[i].says, strlen(cases[i].says)) != 0)
            print_error("case %zu: %d \"%s\"\n", i, (int)c, text);
        assert_int_equal(c, cases[i].change);
        assert_true(strncmp(text, cases[i].says, strlen(cases[i].says)) == 0);
    }
    /* a correctly rounded result is no worse than an exact one */
    const regress_numbers exact = {JUDGE_OK, 0, 0, 0, 0},
                          rounded = {JUDGE_OK, 0.5, 0.5, 0x1p-6, 0x1p-25},
                          more = {JUDGE_OK, 0.6, 0.5, 0, 0};
    assert_int_equal(regress_compare(&rounded, &exact, text), REGRESS_SAME);
    assert_int_equal(regress_compare(&exact, &rounded, text), REGRESS_SAME);
    assert_int_equal(regress_compare(&more, &exact, text), REGRESS_WORSE);
}

/* One case with one row of these numbers. */
static regress_result one_row(regress_numbers found) {
    regress_result r = {
        .c = case_of("linear", "T=33,d=8", INPUTS_GAUSSIAN), .planned = true, .rows = 1};
    r.row[0] = (regress_row){.method = MN_CHUNK, .isa = MN_GENERIC, .found = found};
    return r;
}
#define ROW "linear/T=33,d=8/gaussian/chunk/generic/o"

static regress_rebased rebased(json_t *rows, regress_numbers found, const char *reason,
                               bool whole) {
    regress_result r = one_row(found);
    text_buffer b;
    text_init(&b);
    regress_rebased n = regress_rebase(rows, &r, 1, reason, whole, &b);
    assert_true((n.refused > 0) == (b.length > 0 && strstr(b.data, ROW) != NULL));
    free(b.data);
    return n;
}

static void baselines_are_loosened_with_a_reason_only(void **state) {
    (void)state;
    json_t *rows = json_object(), *row;
    regress_numbers good = {JUDGE_OK, 100, 10, 0.1, 1e-6}, worse = {JUDGE_OK, 300, 10, 0.1, 1e-6},
                    noise = {JUDGE_OK, 150, 9, 0.1, 1.1e-6}, better = {JUDGE_OK, 40, 10, 0.1, 1e-6},
                    suspect = {JUDGE_SUSPECT, 300, 10, 0.1, 1e-6},
                    bad = {JUDGE_BROKEN, 1, 1, 2, 1e-6};
    assert_int_equal(rebased(rows, bad, "why not", false).refused, 1);
    assert_int_equal(rebased(rows, suspect, NULL, false).refused, 1);
    assert_int_equal(json_object_size(rows), 0);
    assert_int_equal(rebased(rows, good, NULL, false).added, 1);
    regress_rebased n = rebased(rows, noise, NULL, false); /* the smaller numbers stay */
    assert_true(n.added == 0 && n.loosened == 0 && n.tightened == 0 && n.refused == 0);
    row = json_object_get(rows, ROW);
    assert_true(json_number_value(json_object_get(row, "ulp")) == 100 &&
                json_number_value(json_object_get(row, "p99")) == 9 &&
                json_number_value(json_object_get(row, "rms")) == 1e-6);
    assert_int_equal(rebased(rows, worse, NULL, false).refused, 1);
    assert_true(json_number_value(json_object_get(json_object_get(rows, ROW), "ulp")) == 100);
    assert_int_equal(rebased(rows, worse, "another order \"of\" sums", false).loosened, 1);
    row = json_object_get(rows, ROW);
    assert_true(json_number_value(json_object_get(row, "ulp")) == 300);
    assert_string_equal(json_string_value(json_object_get(row, "reason")),
                        "another order \"of\" sums");
    rebased(rows, worse, "no need", false);
    assert_string_equal(json_string_value(json_object_get(json_object_get(rows, ROW), "reason")),
                        "another order \"of\" sums");
    assert_int_equal(rebased(rows, suspect, NULL, false).refused, 1);
    assert_int_equal(rebased(rows, bad, "why not", false).refused, 1);

    /* the file says it all, and says it the same way again; names are text */
    static const char odd[] = "linear/\\\"\001/gaussian/chunk/generic/o";
    json_object_set_new(rows, odd, json_copy(json_object_get(rows, ROW)));
    char *text = regress_baseline_write(rows), *complaint;
    assert_true(output_write("test", "build/tests/accuracy.json", text, strlen(text)));
    json_t *again = regress_baseline_read("build/tests/accuracy.json", &complaint);
    assert_null(complaint);
    char *second = regress_baseline_write(again);
    assert_string_equal(text, second);
    assert_true(json_equal(json_object_get(again, odd), json_object_get(again, ROW)) &&
                json_object_size(again) == json_object_size(rows));
    json_object_del(rows, odd);
    free(text), free(second);
    json_decref(again);
    unlink("build/tests/accuracy.json");

    assert_int_equal(rebased(rows, better, NULL, false).tightened, 1);
    assert_null(json_object_get(json_object_get(rows, ROW), "reason"));
    json_object_set_new(rows, "linear/T=2,d=1/gaussian/chunk/generic/o",
                        json_copy(json_object_get(rows, ROW)));
    assert_int_equal(rebased(rows, better, NULL, false).dropped, 0);
    assert_int_equal(rebased(rows, better, NULL, true).dropped, 1);
    json_decref(rows);
}

static void rows_of_a_missing_instruction_set_are_skipped(void **state) {
    (void)state;
    json_t *rows = json_object();
    regress_result r = one_row((regress_numbers){JUDGE_OK, 1, 1, 0.1, 1e-7});
    r.row[0].outcome = REGRESS_NO_ISA;
    json_t *report = regress_report(&r, 1, rows, "", 0);
    regress_totals n = regress_report_totals(report);
    assert_true(n.passed == 0 && n.failed == 0 && n.skipped == 1);
    json_decref(report);
    r.row[0].outcome = REGRESS_RUN; /* and one that is there needs its row */
    report = regress_report(&r, 1, rows, "", 0);
    char *text = regress_report_text(report);
    assert_int_equal(regress_report_totals(report).failed, 1);
    assert_non_null(
        strstr(text, "not in the baseline; mneme regress --kernel linear --rebase FILE adds it"));
    assert_non_null(strstr(text, "0 passed, 1 failed, 0 skipped\n"));
    free(text);
    json_decref(report);
    json_decref(rows);
}

/* ---- the command ---- */

static void expect_run(const char *arguments, int status, const char *out, const char *err) {
    run_result r = run(MNEME " regress %s", arguments);
    if (r.status != status || !strstr(r.out, out) || !strstr(r.err, err))
        print_error("mneme regress %s: status %d\n%s%s", arguments, r.status, r.out, r.err);
    assert_int_equal(r.status, status);
    assert_non_null(strstr(r.out, out));
    assert_non_null(strstr(r.err, err));
    result_clear(&r);
}

static void bad_input_is_named(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *says;
    } bad[] = {
        {"--kernel lineer", "--kernel: no kernel matches \"lineer\""},
        {"--isa sse", "--isa: \"sse\"; generic, avx2 or avx512 is wanted"},
        {"--method fast", "--method: \"fast\"; reference, step or chunk is wanted"},
        {"--family odd", "--family: \"odd\"; gaussian, positive, "},
        {"--shape T=4", "--shape: \"T=4\" lacks d"},
        {"--shape T=4,d=2,past=3 --kernel linear", "--shape: no kernel asked for has such a shape"},
        {"--seed -1", "--seed"},
        {"-j 0", "-j"},
        {"--baseline /no/such.json", "cannot read /no/such.json"},
        {"--baseline Makefile", "Makefile: line 1"},
        {"--baseline reports/baselines/vort.soe-rate.json", "is no accuracy baseline"},
        {"--reason x", "--reason goes with --rebase"},
        {"--rebase build/x.json --reason ' '", "--reason: a few words are wanted"},
        {"--rebase build/x.json --seed 3", "--shape and --seed"},
        {"--rebase build/x.json --baseline y", "--rebase goes without"},
        {"--rebase /no/such/place.json", "cannot write /no/such/place.json"},
        {"--json build/x.json --junit ./build/x.json", "--json and --junit name one file"},
        {"--rebase Makefile", "Makefile: line 1"}, /* before anything is run */
        {"--series build/x --json build/x.json", "--series goes without"},
        {"--shape T=4,d=2,T=5", "gives T twice"},
        {"--json ''", "--json: the value is empty"},
        {"--quick linear", "\"linear\" is not expected"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        run_result r = run(MNEME " regress %s", bad[i].arguments);
        if (r.status != 2 || line_count(r.err) != 1 || !strstr(r.err, bad[i].says))
            print_error("mneme regress %s: status %d\n%s%s", bad[i].arguments, r.status, r.out,
                        r.err);
        assert_int_equal(r.status, 2);
        assert_int_equal(line_count(r.err), 1);
        assert_non_null(strstr(r.err, bad[i].says));
        result_clear(&r);
    }
    assert_int_not_equal(access("build/x.json", F_OK), 0);
}

/* The committed numbers hold; with a number in a copy made smaller the row fails, the command that is printed
 * fails likewise, and the copy is not loosened without a reason. */
static void a_regression_is_shown_and_reproduced(void **state) {
    (void)state;
    expect_run("--kernel linear-scalar --quick", 0, " passed, 0 failed, ", "");
    run_result r =
        run("mkdir -p " DIR " && sed '/^\"linear-scalar.T=33,d=8.gaussian.chunk.generic.o\"/"
            "s/\"ulp\":[^,]*/\"ulp\":0.125/' reports/baselines/accuracy.json >" DIR
            "/copy.json && cp " DIR "/copy.json " DIR "/before.json");
    assert_int_equal(r.status, 0);
    result_clear(&r);

    r = run(MNEME " regress --kernel linear-scalar --quick --baseline " DIR "/copy.json --json " DIR
                  "/r.json --junit " DIR "/r.xml");
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, " 1 failed, "));
    assert_non_null(strstr(r.out, "FAILED linear-scalar/T=33,d=8/gaussian/chunk/generic/o\n"));
    assert_non_null(strstr(r.out, "was 0.125 (x "));
    assert_non_null(strstr(r.out, "o[batch 0][time "));
    assert_non_null(strstr(r.out, ": got "));
    char *command = strstr(r.out, "reproduce: mneme regress ");
    assert_non_null(command);
    command += strlen("reproduce: mneme ");
    command[strcspn(command, "\n")] = '\0';
    run_result again = run(MNEME " %s", command);
    assert_int_equal(again.status, 1);
    assert_non_null(strstr(again.out, "was 0.125 (x "));
    assert_non_null(strstr(again.out, "1 passed, 1 failed, 0 skipped\n")); /* its state is right */
    result_clear(&again);
    result_clear(&r);
    r = run("python3 -c \"import xml.dom.minidom as m; t=m.parse('" DIR "/r.xml').documentElement; "
            "assert t.getAttribute('failures')=='1', t.getAttribute('failures'); "
            "f=t.getElementsByTagName('failure'); assert len(f)==1 and 'was 0.125' in "
            "f[0].getAttribute('message')\"");
    assert_string_equal(r.err, "");
    result_clear(&r);

    expect_run("--kernel linear-scalar --quick --rebase " DIR "/copy.json", 1, "",
               "copy.json is as it was: 1 rows would be worse");
    r = run("cmp " DIR "/copy.json " DIR "/before.json");
    assert_int_equal(r.status, 0);
    result_clear(&r);
    expect_run("--kernel linear-scalar --quick --rebase " DIR
               "/copy.json --reason 'a new order of sums'",
               0, " 1 loosened, 0 dropped", "");
    r = run("grep -c 'scalar/T=33,d=8/gaussian/chunk/generic/o.*\"reason\":\"a new order of "
            "sums\"' " DIR "/copy.json");
    assert_string_equal(r.out, "1\n");
    result_clear(&r);
    expect_run("--kernel linear-scalar --quick --baseline " DIR "/copy.json", 0,
               " passed, 0 failed, ", "");
}

static void reports_follow_their_schema(void **state) {
    (void)state;
    run_result r = run(
        "/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || python3 -c 'import jsonschema'");
    int missing = r.status != 0;
    result_clear(&r);
    if (missing)
        skip();
    r = run("P=/usr/bin/python3; $P -c 'import jsonschema' 2>/dev/null || P=python3; $P -c "
            "\"import json, jsonschema; "
            "s=json.load(open('reports/schemas/regress.schema.json')); "
            "jsonschema.Draft7Validator.check_schema(s); "
            "jsonschema.validate(json.load(open('" DIR "/r.json')), s)\"");
    assert_string_equal(r.err, "");
    assert_int_equal(r.status, 0);
    result_clear(&r);
}

/* Other shapes and seeds: verdicts alone. */
static void any_shape_can_be_tried(void **state) {
    (void)state;
    expect_run("--kernel delta --shape B=2,T=19,H=2,dk=5,dv=3 --family gaussian --seed 42", 0,
               "14 passed, 0 failed", "");
    expect_run("--shape T=6,d=3,past=4", 0, " passed, 0 failed", "");
    run_result r = run(MNEME " regress --series " DIR " --shape T=40,d=64 && head -2 " DIR
                             "/kernel-growth.dat");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "# kernel[1] T[tokens] bound[1] largest[1] rms[1] rms_step[1]"));
    result_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_kernels_are_found_where_they_broke),
        cmocka_unit_test(jobs_and_threads_do_not_matter),
        cmocka_unit_test(a_crash_or_a_hang_is_one_failed_case),
        cmocka_unit_test(worse_is_worse_by_the_stated_factor),
        cmocka_unit_test(baselines_are_loosened_with_a_reason_only),
        cmocka_unit_test(rows_of_a_missing_instruction_set_are_skipped),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(a_regression_is_shown_and_reproduced),
        cmocka_unit_test(reports_follow_their_schema),
        cmocka_unit_test(any_shape_can_be_tried),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    run_result r = run("rm -rf " DIR);
    result_clear(&r);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

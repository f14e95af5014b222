/* The exact values of the quick run against the committed ones, and that a change of one is seen. */
#include "tests/testing.h"
#include "tests/process.h"
#include "theorems/work_unit.h"

#include <jansson.h>
#include <stdbool.h>

#define DIR "build/tests/values"
#define BASELINE "reports/baselines/values-quick.tsv"

static int make_values(void **state) {
    (void)state;
    if (quick_run(DIR) != 0)
        return -1;
    run_result r =
        run(MNEME " report --format values --output " DIR "/values.tsv " DIR "/verify.json");
    int ok = r.status == 0;
    if (!ok)
        print_error("%s%s", r.out, r.err);
    result_clear(&r);
    return ok ? 0 : -1;
}

static void test_values_are_the_committed_ones(void **state) {
    (void)state;
    run_result r = run("awk -f tests/values.awk " BASELINE " " DIR "/values.tsv");
    if (r.status != 0)
        print_error("%s%sif this is meant: make baseline WHAT=values, and read its diff\n", r.out,
                    r.err);
    assert_int_equal(r.status, 0);
    result_clear(&r);
}

static const json_t *row_of(const json_t *report, const work_unit *u) {
    const char *name = u->control != NULL ? u->control->name : u->check->name;
    const json_t *claim, *row;
    size_t i, n;
    json_array_foreach(json_object_get(report, "claims"), i, claim) {
        if (strcmp(json_string_value(json_object_get(claim, "id")), u->claim->id) == 0)
            json_array_foreach(json_object_get(claim, "checks"), n, row) {
                const json_t *of = json_object_get(row, "of");
                if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0 &&
                    (u->control == NULL
                         ? of == NULL
                         : of != NULL && strcmp(json_string_value(of), u->check->name) == 0))
                    return row;
            }
    }
    return NULL;
}

/* Every check of every claim finds its pinned verdict and has been seen to fail: its control is
   refuted with positive margin, or, of a refuted statement, holds.  (Claims that run on request take
   no part: make experiments.) */
static void test_pinned_and_broken(void **state) {
    (void)state;
    json_t *report = json_load_file(DIR "/verify.json", 0, NULL);
    assert_non_null(report);
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        work_unit *list = NULL;
        slong count = 0;
        if (!(*c)->on_request)
            work_unit_plan(&list, &count, *c, LEVEL_QUICK, 1);
        for (slong i = 0; i < count; i++) {
            const work_unit *u = list + i;
            const json_t *row = row_of(report, u);
            assert_non_null(row);
            const char *found = json_string_value(json_object_get(row, "found"));
            bool refuted = strcmp(found, "refuted") == 0,
                 wanted = (u->check->pinned == VERDICT_REFUTED) == (u->control == NULL);
            assert_case(refuted == wanted && strcmp(found, "undecided") != 0, u->check->name, i);
            assert_string_equal(json_string_value(json_object_get(row, "status")), "passed");
            const char *mid = json_string_value(
                json_array_get(json_object_get(json_object_get(row, "margin"), "mid"), 0));
            if (u->control != NULL && refuted)
                assert_true(mid != NULL && mid[0] != '-' && mid[0] != '0');
        }
        flint_free(list);
    }
    json_decref(report);
}

/* Every check and control of the run has its line and its comparison. */
static void test_every_check_has_its_lines(void **state) {
    (void)state;
    run_result r =
        run("cut -f 3 " DIR "/values.tsv | sort | uniq -c | tr -s ' '; tail -n 1 " DIR "/said");
    long checks = 0, controls = 0, comparisons = 0, passed = 0;
    for (char *line = strtok(r.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        sscanf(line, " %ld passed", &passed);
        long n = strtol(line, NULL, 10);
        checks = strstr(line, " check") ? n : checks;
        controls = strstr(line, " control") ? n : controls;
        comparisons = strstr(line, " comparison") ? n : comparisons;
    }
    assert_true(passed > 400);
    assert_int_equal(checks + controls, passed);
    assert_int_equal(comparisons, passed);
    result_clear(&r);
}

/* An edit of the report, what the comparison must say, and its exit status. */
static void assert_compared(const char *edit, int status, const char *says) {
    run_result r =
        run("sed '%s' " DIR "/verify.json > " DIR "/edited.json && " MNEME
            " report --format values --output " DIR "/edited.tsv " DIR
            "/edited.json && awk -f tests/values.awk " DIR "/values.tsv " DIR "/edited.tsv",
            edit);
    if (r.status != status || strstr(r.out, says) == NULL)
        print_error("%s: %d, %s%s", edit, r.status, r.out, r.err);
    assert_int_equal(r.status, status);
    assert_non_null(strstr(r.out, says));
    result_clear(&r);
}

static void test_changes_are_seen(void **state) {
    (void)state;
    /* times and machine are no values */
    assert_compared("s/\"seconds\": .*,/\"seconds\": 0.5,/; s/\"cpu\": .*/\"cpu\": \"x\",/; "
                    "s/\"commit\": \"[^\"]*\"/\"commit\": \"x\"/",
                    0, " 0 differ");
    /* the last place of any rational, midpoint, radius */
    assert_compared("s/\\(\"num\": \"[0-9]*\\)7\"/\\18\"/", 1, "\n+ ");
    assert_compared("/\"rad\": \\[/{n;s/[13579]\"/7\"/}", 1, "\n+ ");
    /* verdicts, precision, decisions */
    assert_compared("s/\"status\": \"passed\"/\"status\": \"failed\"/", 1,
                    "\texact\tcheck\tfailed\t");
    assert_compared("s/\"precision\": 128/\"precision\": 64/", 1, " precision 64 ");
    assert_compared("s/\"found\": \"refuted\"/\"found\": \"proved\"/", 1, "\tproved\t");
    /* another level is another run */
    assert_compared("s/\"level\": \"quick\"/\"level\": \"full\"/", 2, "level full");
    /* what is measured: inside the interval it may move, outside not */
    assert_compared("s/\\(\"estimate\": 0\\.[0-9]\\{5\\}\\)[0-9]*/\\11/", 0, " 0 differ");
    assert_compared("s/\"estimate\": 0\\./\"estimate\": 9./", 1, "\tmeasured\tnumber\t9.");
    assert_compared("s/\"lambda0 > 6\"/\"lambda0 > 5\"/", 1, "\tmeasured\tcomparison\tlambda0 > 5");
}

/* One process and thread, and the C library's functions for processors without FMA: nothing changes (all
   of this, with other compilers, is make reproduce). */
static void test_threads_and_library_do_not_matter(void **state) {
    (void)state;
    static const char claims[] =
        "vla.state-norm/constructed vla.jacobian-product/constructed vla.state-norm/turn-run "
        "vort.plasticity vla.jacobian-norm vort.keyed-retrieval";
    run_result r = run(
        MNEME " verify -j 2 --json " DIR "/two.json %s && OMP_NUM_THREADS=1 "
              "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F " MNEME
              " verify -j 1 --json " DIR "/one.json %s && for n in one two; do " MNEME
              " report --format values --output " DIR "/$n.tsv " DIR
              "/$n.json || exit 3; done; awk -f tests/values.awk " DIR "/two.tsv " DIR "/one.tsv",
        claims, claims);
    if (r.status != 0)
        print_error("%s%s", r.out, r.err);
    assert_int_equal(r.status, 0);
    result_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values_are_the_committed_ones),
                                       cmocka_unit_test(test_pinned_and_broken),
                                       cmocka_unit_test(test_every_check_has_its_lines),
                                       cmocka_unit_test(test_changes_are_seen),
                                       cmocka_unit_test(test_threads_and_library_do_not_matter)};
    int failed = cmocka_run_group_tests(tests, make_values, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

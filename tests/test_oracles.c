/* The exact layer against mpmath on random cases, and that wrong or wide answers are seen. */
#include "tests/testing.h"
#include "tests/process.h"

#define DIR "build/tests/oracles"
#define ORACLES "sh tests/oracles/oracles.sh "
#define ANSWERS "build/tests/answers"

/* Skips the test where there is no mpmath. */
static run_result ask(const char *answers, const char *groups) {
    run_result r = run(ORACLES "%s " MNEME " %s", answers, groups);
    if (r.status == 77) {
        print_message("%s", r.out);
        result_clear(&r);
        skip();
    }
    return r;
}

static void test_all_answers_are_right(void **state) {
    (void)state;
    run_result r = ask(ANSWERS, "");
    if (r.status != 0)
        print_error("%s%s", r.out, r.err);
    assert_int_equal(r.status, 0);
    const char *line = strstr(r.out, "oracles: ");
    assert_non_null(line);
    int cases, numbers, wrong;
    assert_int_equal(
        sscanf(line, "oracles: %d cases, %d numbers, %d wrong", &cases, &numbers, &wrong), 3);
    assert_true(cases >= 400 && numbers >= 3000 && wrong == 0);
    result_clear(&r);
}

/* The line that begins with the name, or NULL. */
static const char *line_of(const char *text, const char *name) {
    size_t n = strlen(name);
    while (text != NULL && (strncmp(text, name, n) != 0 || text[n] != ' '))
        text = strchr(text, '\n') != NULL ? strchr(text, '\n') + 1 : NULL;
    return text;
}

/* With every answer changed by a sed script, each of the groups must find something wrong. */
static void assert_seen(const char *script, const char *const *groups) {
    char names[256] = "";
    for (int i = 0; groups[i] != NULL; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", groups[i]);
    run_result r = run("mkdir -p " DIR " && printf '#!/bin/sh\\n" ANSWERS
                       " | sed -u \"%s\"\\n' > " DIR "/changed && chmod +x " DIR "/changed",
                       script);
    assert_int_equal(r.status, 0);
    result_clear(&r);
    r = ask(DIR "/changed", names);
    assert_int_equal(r.status, 1);
    for (int i = 0; groups[i] != NULL; i++) {
        int numbers = 0, wrong = 0;
        const char *line = line_of(r.out, groups[i]);
        assert_non_null(line);
        sscanf(line, "%*s %d numbers %d wrong", &numbers, &wrong);
        if (wrong == 0)
            print_error("%s sees nothing wrong with \"%s\"\n", groups[i], script);
        assert_true(wrong > 0);
    }
    result_clear(&r);
}

static void test_wrong_answers_are_seen(void **state) {
    (void)state;
    static const char *const groups[] = {
        "weights", "laplace", "gauss", "moments", "certificates", "minimax",   "methods", "theory",
        "banks",   "numbers", "gram",  "vla",     "replays",      "loglinear", NULL};
    assert_seen("s/[0-9]/&1/", groups); /* a digit more in the first number */
}

static void test_wide_answers_are_seen(void **state) {
    (void)state;
    static const char *const groups[] = {"weights", "laplace", "gauss", "theory",
                                         "banks",   "gram",    "vla",   NULL};
    /* radii 10^40 times as large, and none that is 0 */
    assert_seen("s/:\\\\(-\\\\{0,1\\\\}[0-9]*\\\\):\\\\([0-9]*\\\\):/:\\\\1:1\\\\2"
                "0000000000000000000000000000000000000000:/g",
                groups);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_answers_are_right),
                                       cmocka_unit_test(test_wrong_answers_are_seen),
                                       cmocka_unit_test(test_wide_answers_are_seen)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

/* Runs that are killed or interrupted: outputs are whole or as they were, nothing piles up, and the
   next run works. */
#include "tests/faults.h"

#define DIR "build/tests/faults_kill"

/* A command and its outputs, in the order in which they are written. */
typedef struct {
    const char *name, *line, *output[3];
    int status;
} victim;

static const victim victims[] = {
    {"verify",
     FAULTY " verify -j 2 --seed 80215 --json " DIR "/v.json --junit " DIR
            "/v.xml faulty/holds faulty/good-control",
     {DIR "/v.json", DIR "/v.xml"},
     0},
    {"soe",
     MNEME " soe --alpha 1/2 --horizon 1000 --error 1e-4 --format csv --output " DIR
           "/s.csv --witness " DIR "/s",
     {DIR "/s.csv", DIR "/s.upper.json", DIR "/s.lower.json"},
     0},
    {"check",
     MNEME " check linear --inputs " DIR "/in.npz --output " DIR "/out.npz --json " DIR
           "/c.json --junit " DIR "/c.xml",
     {DIR "/c.json", DIR "/c.xml"},
     1},
    {"regress",
     MNEME " regress --kernel convolution-direct --quick -j 2 --json " DIR "/r.json --junit " DIR
           "/r.xml",
     {DIR "/r.json", DIR "/r.xml"},
     0},
    {"experiment",
     FAULTY " experiment quick --seed 80215 --json " DIR "/e.json",
     {DIR "/e.json"},
     0},
    {"merge",
     FAULTY " merge --json " DIR "/m.json --junit " DIR "/m.xml " DIR "/journal",
     {DIR "/m.json", DIR "/m.xml"},
     0},
};
enum { VICTIMS = sizeof victims / sizeof *victims, OUTPUTS = 3, KILLS = 54 };

/* Exact comparison is for what has no times in it. */
static int is_whole(const char *path, const char *reference) {
    const char *ending = strrchr(path, '.');
    char *text = slurp(path);
    int whole = strcmp(text, reference) == 0;
    if (strcmp(ending, ".json") == 0) {
        json_t *j = load_json(path);
        whole = j != NULL;
        json_decref(j);
    } else if (strcmp(ending, ".xml") == 0) {
        whole = strstr(text, "</testsuites>\n") != NULL;
    }
    free(text);
    return whole;
}

static double run_whole(const victim *v) {
    double begin = seconds_now();
    run_result r = run("exec %s", v->line);
    if (r.status != v->status)
        print_error("%s: status %d\n%s%s", v->name, r.status, r.out, r.err);
    assert_int_equal(r.status, v->status);
    result_clear(&r);
    for (int i = 0; i < OUTPUTS && v->output[i] != NULL; i++)
        assert_int_equal(temporaries(v->output[i]), 0);
    return seconds_now() - begin;
}

/* kill -9 at random moments. */
static void test_killed_at_any_moment(void **state) {
    (void)state;
    exact_random r = {test_seed("faults/kill")};
    const long kills = test_count(KILLS);
    long landed = 0;
    char *reference[VICTIMS][OUTPUTS] = {{NULL}};
    double seconds[VICTIMS];
    make_folder(DIR);
    make_arrays(DIR, "linear", "1,64,2,16");
    run_result made = run(FAULTY " verify --journal " DIR "/journal faulty/holds");
    assert_int_equal(made.status, 0);
    result_clear(&made);
    for (int k = 0; k < VICTIMS; k++) {
        seconds[k] = run_whole(victims + k);
        for (int i = 0; i < OUTPUTS && victims[k].output[i] != NULL; i++)
            reference[k][i] = slurp(victims[k].output[i]);
    }
    for (long n = 0; n < kills; n++) {
        const int k = (int)(n % VICTIMS);
        const victim *v = victims + k;
        for (int i = 0; i < OUTPUTS && v->output[i] != NULL; i++)
            write_text(v->output[i], OLD);
        started s = start("%s", v->line);
        sleep_seconds(seconds[k] * (double)exact_random_integer(&r, 0, 1100) / 1000);
        kill(s.pid, SIGKILL);
        run_result ended = finish(&s);
        landed += ended.status == 128 + SIGKILL;
        assert_case(ended.status == 128 + SIGKILL || ended.status == v->status, v->name, n);
        result_clear(&ended);
        int old = 0;
        for (int i = 0; i < OUTPUTS && v->output[i] != NULL; i++) {
            const int as_before = is_old(v->output[i]);
            assert_case(as_before || is_whole(v->output[i], reference[k][i]), v->name, n);
            /* nothing is written before what comes first */
            assert_case(as_before || !old, v->name, n);
            old |= as_before;
            /* of this run alone: what an earlier one left is gone */
            assert_case(temporaries(v->output[i]) <= 1, v->name, n);
        }
    }
    assert_true(landed >= kills / 2);
    for (int k = 0; k < VICTIMS; k++) {
        run_whole(victims + k);
        for (int i = 0; i < OUTPUTS && victims[k].output[i] != NULL; i++) {
            assert_true(is_whole(victims[k].output[i], reference[k][i]));
            free(reference[k][i]);
        }
    }
    /* no unit has outlived its run */
    run_result left = run("for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done "
                          "2>/dev/null | grep -c -e '--seed [8]0215'");
    assert_int_equal(atoi(left.out), 0);
    result_clear(&left);
}

/* A run with a journal that is killed again and again goes on each time, and its report is that of a run
   that was not. */
static void test_journal_survives_kills(void **state) {
    (void)state;
    exact_random r = {test_seed("faults/journal")};
    static const char line[] = FAULTY " verify -j 2 --journal " DIR "/j --json " DIR
                                      "/j.json 'faulty/[acdg]*' faulty/holds";
    make_folder(DIR);
    for (int n = 0; n < 10; n++) {
        started s = start("%s", line);
        sleep_seconds((double)exact_random_integer(&r, 1, 120) / 1000);
        kill(s.pid, SIGKILL);
        run_result ended = finish(&s);
        assert_case(ended.status == 128 + SIGKILL || ended.status == 1, "faults/journal", n);
        assert_case(temporaries(DIR "/j.json") <= 1, "faults/journal", n);
        result_clear(&ended);
    }
    run_result all = run("%s", line),
               once = run(FAULTY " verify -j 2 'faulty/[acdg]*' faulty/holds");
    assert_int_equal(all.status, 1);
    assert_string_equal(all.out, once.out);
    assert_int_equal(temporaries(DIR "/j.json"), 0);
    result_clear(&all);
    result_clear(&once);
}

/* A temporary file that a run still writes is not taken for one left behind: the later of two runs on
   one output does not disturb the earlier one. */
static void test_two_runs_on_one_output(void **state) {
    (void)state;
    make_folder(DIR);
    for (int n = 0; n < 8; n++) {
        started s[4];
        for (int i = 0; i < 4; i++)
            s[i] = start(FAULTY " verify --json " DIR "/both.json --junit " DIR
                                "/both.xml faulty/holds");
        for (int i = 0; i < 4; i++) {
            run_result r = finish(s + i);
            if (r.status != 0)
                print_error("%s", r.err);
            assert_int_equal(r.status, 0);
            result_clear(&r);
        }
        assert_true(is_whole(DIR "/both.json", "") && is_whole(DIR "/both.xml", ""));
        assert_int_equal(temporaries(DIR "/both.json") + temporaries(DIR "/both.xml"), 0);
    }
    /* what a killed run left goes, what somebody else put beside it stays */
    write_text(DIR "/both.json.tmp-mneme-abcdef", "left");
    write_text(DIR "/both.json.tmp-mneme-abcdefg", "a user's");
    write_text(DIR "/both.json.tmp-backup", "a user's");
    run_result r = run(FAULTY " verify --json " DIR "/both.json faulty/holds > /dev/null; ls " DIR);
    assert_string_equal(r.out, "both.json\nboth.json.tmp-backup\nboth.json.tmp-mneme-abcdefg\n"
                               "both.xml\n");
    result_clear(&r);
}

/* ---- signals that ask to end ---- */

/* Long enough that the signal comes first; partial: the report says that it is one. */
static const struct {
    const char *line, *output;
    int jobs, partial; /* runs jobs in processes */
} long_lines[] = {
    {FAULTY " verify -j 2 --json " DIR "/o faulty/holds faulty/hangs", DIR "/o", 1, 1},
    {FAULTY " experiment fault -j 2 --json " DIR "/o", DIR "/o", 1, 1},
    {MNEME " regress -j 2 --kernel 'v*' --json " DIR "/o", DIR "/o", 1, 1},
    {MNEME " regress -j 2 --kernel 'v*' --rebase " DIR "/accuracy.json", DIR "/accuracy.json", 1,
     0},
    {MNEME " regress -j 2 --series " DIR, DIR "/kernel-ulp.dat", 1, 0},
    {MNEME " check softmax --inputs " DIR "/in.npz --output " DIR "/out.npz --json " DIR "/o",
     DIR "/o", 0, 0},
    {MNEME " soe --alpha 1/2 --horizon 1e12 --error 1e-60 --output " DIR "/o", DIR "/o", 0, 0},
    {MNEME " banks --delta 1/2000 --horizon 1000000000 --error 1e-4 --output " DIR "/o", DIR "/o",
     0},
    {MNEME " bench --budget 60 --json " DIR "/o", DIR "/o", 0, 0},
    {MNEME " mi --csv " DIR "/o --vocabulary 1000 --unit words " DIR "/text", DIR "/o", 0, 0},
    {MNEME " weights --alpha 1/3 --count 100000000 > /dev/null", NULL, 0, 0},
};
enum { LONG_LINES = sizeof long_lines / sizeof *long_lines };

static void interrupt_one(size_t k, int number) {
    const char *output = long_lines[k].output;
    const int baseline = output != NULL && strstr(output, "accuracy") != NULL;
    const char *before = baseline ? "{\"schema\": \"mneme-accuracy-1\", \"rows\": {}}\n" : OLD;
    if (output != NULL)
        write_text(output, before);
    started s = start("%s", long_lines[k].line);
    wait_for_program(s.pid, long_lines[k].jobs);
    sleep_seconds(0.1);
    kill(s.pid, number);
    double begin = seconds_now();
    run_result r = finish(&s);
    if (r.status != 130)
        print_error("%s: status %d\n%s%s", long_lines[k].line, r.status, r.out, r.err);
    assert_int_equal(r.status, 130);
    assert_true(seconds_now() - begin < 20);
    if (output != NULL) {
        char *now = slurp(output);
        assert_int_equal(temporaries(output), 0);
        if (!long_lines[k].partial) {
            assert_string_equal(now, before);
            assert_int_equal(line_count(r.err), 1);
            assert_non_null(strstr(r.err, ": interrupted"));
        } else {
            json_t *j = load_json(output);
            assert_true(json_is_false(json_object_get(j, "complete")));
            assert_non_null(strstr(r.out, "Interrupted: what "));
            assert_string_equal(r.err, "");
            json_decref(j);
        }
        free(now);
    }
    result_clear(&r);
}

static void test_signals_end_every_long_command(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    FILE *text;
    make_folder(DIR);
    make_arrays(DIR, "softmax", "1,4096,4,64");
    text = fopen(DIR "/text", "w");
    for (long i = 0; i < 400000; i++)
        fprintf(text, "w%ld ", i * i % 1009);
    fclose(text);
    for (size_t k = 0; k < LONG_LINES; k++)
        interrupt_one(k, signals[k % 3]);
}

/* A run that was told to ignore a signal (nohup, a shell's background) goes on; one whose signal comes
   twice at once, as from timeout(1), still writes its partial report. */
static void test_ignored_and_doubled_signals(void **state) {
    (void)state;
    make_folder(DIR);
    run_result r = run("trap '' HUP INT; " FAULTY " verify --time-limit 1 --json " DIR
                       "/n.json faulty/hangs & sleep 0.5; kill -HUP $!; kill -INT $!; wait $!; "
                       "echo status $?");
    assert_non_null(strstr(r.out, "status 1\n"));
    result_clear(&r);
    for (int n = 0; n < 5; n++) {
        started s = start(FAULTY " verify --json " DIR "/d.json faulty/hangs");
        wait_for_program(s.pid, 1);
        for (int i = 0; i < 20; i++)
            kill(s.pid, i % 2 ? SIGINT : SIGTERM);
        r = finish(&s);
        assert_int_equal(r.status, 130);
        assert_true(is_whole(DIR "/d.json", ""));
        result_clear(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed_at_any_moment),
                                       cmocka_unit_test(test_journal_survives_kills),
                                       cmocka_unit_test(test_two_runs_on_one_output),
                                       cmocka_unit_test(test_signals_end_every_long_command),
                                       cmocka_unit_test(test_ignored_and_doubled_signals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a full disk, a size limit, a closed pipe and a lack of memory do to every command that writes:
   one line, a status, the old file as it was. */
#include "tests/faults.h"

#include <sys/resource.h>

#define DIR "build/tests/faults_disk"
#define FULL DIR "/full"

/* Every option that names an output, with %s for a folder; output: the file in it that must not
   change. */
typedef struct {
    const char *line, *output;
} writer;

#define CHECK_LINE " check linear --inputs " DIR "/in.npz --output " DIR "/out.npz"
#define SOE_LINE " soe --alpha 1/2 --horizon 100 --terms 4"
#define BANKS_LINE " banks --delta 1/2 --horizon 10 --error 1e-1"
static const writer writers[] = {
    {FAULTY " verify --json %s/o faulty/holds", "o"},
    {FAULTY " verify --junit %s/o faulty/holds", "o"},
    {FAULTY " merge --json %s/o " DIR "/journal", "o"},
    {FAULTY " merge --junit %s/o " DIR "/journal", "o"},
    {MNEME " verify --series %s vort.weights", "vort-weights.dat"},
    {MNEME " verify --witnesses %s loglinear.partition", "loglinear.partition.states.json"},
    {FAULTY " experiment quick --json %s/o", "o"},
    {MNEME CHECK_LINE " --json %s/o", "o"},
    {MNEME CHECK_LINE " --junit %s/o", "o"},
    {MNEME " check --emit-inputs linear --shape 1,64,1,64 --output %s/o.npz", "o.npz"},
    {MNEME " check --emit-inputs linear --shape 1,64,1,64 --output %s/o.safetensors",
     "o.safetensors"},
    {MNEME " regress --kernel linear --shape T=3,d=2 --json %s/o", "o"},
    {MNEME " regress --kernel linear --shape T=3,d=2 --junit %s/o", "o"},
    {MNEME " regress --series %s --shape T=64,d=64", "kernel-ulp.dat"},
    {MNEME SOE_LINE " --output %s/o", "o"},
    {MNEME SOE_LINE " --witness %s/o", "o.upper.json"},
    {MNEME BANKS_LINE " --output %s/o", "o"},
    {MNEME BANKS_LINE " --witness %s/o", "o.upper.json"},
    {MNEME " report --output %s/o " DIR "/verify.json", "o"},
    {MNEME " report --format html --output %s/o " DIR "/verify.json", "o"},
    {MNEME " bench machine --budget 0.001 --json %s/o", "o"},
    {MNEME " mi --max-lag 20 --csv %s/o " DIR "/text", "o"},
    {MNEME " mi --max-lag 20 --json %s/o " DIR "/text", "o"},
};
enum { WRITERS = sizeof writers / sizeof *writers };

static void expect_refusal(const writer *w, run_result *r, const char *folder, const char *reason) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, w->output);
    const int good = r->status == 2 && line_count(r->err) == 1 &&
                     (strstr(r->err, "cannot write ") || strstr(r->err, "cannot be written")) &&
                     strstr(r->err, reason) != NULL && is_old(path) && temporaries(path) == 0;
    if (!good)
        print_error("%s: status %d, %d temporary files, old %d\n%s", w->line, r->status,
                    temporaries(path), is_old(path), r->err);
    assert_true(good);
    result_clear(r);
}

/* Also what the commands that print read: table.csv, w.upper.json. */
static void make_inputs(void) {
    FILE *text;
    make_folder(DIR);
    make_arrays(DIR, "linear", "1,64,2,16");
    run_result r =
        run(FAULTY " verify --json " DIR "/verify.json faulty/holds faulty/hangs --time-limit 1");
    assert_int_equal(r.status, 1);
    result_clear(&r);
    text = fopen(DIR "/text", "w");
    for (int i = 0; i < 3000; i++)
        fputc('a' + i * i % 7, text);
    fclose(text);
    r = run(FAULTY " verify --journal " DIR "/journal faulty/holds");
    assert_int_equal(r.status, 0);
    result_clear(&r);
    r = run(MNEME SOE_LINE " --format csv --output " DIR "/table.csv --witness " DIR "/w");
    assert_int_equal(r.status, 0);
    result_clear(&r);
}

/* A folder whose name a shell, a make or a format would stumble over. */
static void test_odd_names(void **state) {
    (void)state;
    make_inputs();
    for (size_t k = 0; k < WRITERS; k++) {
        char line[500];
        snprintf(line, sizeof line, writers[k].line, "\"$D\"");
        run_result r =
            run("D='" DIR "/a b'\\''c \"d\" \xc3\xa9 %%s$x;*'; rm -rf \"$D\"; mkdir \"$D\"; "
                "%s > /dev/null; s=$?; test -s \"$D\"/%s && test $s -le 1",
                line, writers[k].output);
        if (r.status != 0 || r.err[0] != '\0')
            print_error("%s\n%s", line, r.err);
        assert_int_equal(r.status, 0);
        assert_string_equal(r.err, "");
        result_clear(&r);
    }
    /* and as inputs */
    run_result r =
        run("cd " DIR "; M=$OLDPWD/" MNEME "; for f in verify.json w.upper.json table.csv "
            "text in.npz out.npz; do cp $f \"q'\\\"\xc3\xa9 $f\"; done; q=\"q'\\\"\xc3\xa9 \"; "
            "$M report \"${q}verify.json\" && $M replay \"${q}w.upper.json\" && $M soe --certify "
            "\"${q}table.csv\" --alpha 1/2 --horizon 10 && $M mi --max-lag 20 \"${q}text\" && "
            "{ $M check linear --inputs \"${q}in.npz\" --output \"${q}out.npz\"; test $? = 1; }");
    if (r.status != 0)
        print_error("%s", r.err);
    assert_int_equal(r.status, 0);
    result_clear(&r);
}

/* write() fails with ENOSPC, on a file system of its own. */
static void test_full_disk(void **state) {
    (void)state;
    run_result r = run("unshare -m mount -t tmpfs none /mnt");
    const int possible = r.status == 0;
    result_clear(&r);
    if (!possible)
        skip(); /* no privilege to mount: test_file_size_limit and test_full_device are without it */
    make_inputs();
    make_folder(FULL);
    for (size_t k = 0; k < WRITERS; k++) {
        char line[500];
        snprintf(line, sizeof line, writers[k].line, FULL);
        r = run("unshare -m sh -c \"mount -t tmpfs -o size=64k none " FULL " && echo old > " FULL
                "/%s && dd if=/dev/zero of=" FULL
                "/fill bs=4k 2>/dev/null; %s > /dev/null; s=\\$?; "
                "ls -A " FULL "; cp " FULL "/%s " DIR "/; exit \\$s\"",
                writers[k].output, line, writers[k].output);
        char listed[100];
        snprintf(listed, sizeof listed,
                 strcmp(writers[k].output, "fill") < 0 ? "%s\nfill\n" : "fill\n%s\n",
                 writers[k].output);
        if (strcmp(r.out, listed) != 0)
            print_error("%s: in the full folder:\n%s", line, r.out);
        assert_string_equal(r.out, listed);
        expect_refusal(writers + k, &r, DIR, "No space left on device");
    }
}

/* write() fails with EFBIG, where SIGXFSZ would end the program. */
static void test_file_size_limit(void **state) {
    (void)state;
    make_inputs();
    for (size_t k = 0; k < WRITERS; k++) {
        char line[500], path[300];
        snprintf(line, sizeof line, writers[k].line, DIR);
        snprintf(path, sizeof path, DIR "/%s", writers[k].output);
        write_text(path, OLD);
        run_result r = run(
            "{ { ulimit -f 0; %s 2>&3 > /dev/null; echo $? >&4; } 4>&1 3>&2 | cat; } 2>&1 | cat",
            line);
        /* the limit holds for the shell's own files too, so status and complaint come by pipes */
        char *last = strrchr(r.out, '2');
        r.status = last != NULL && strcmp(last, "2\n") == 0 ? 2 : -1;
        if (last != NULL)
            *last = '\0';
        free(r.err);
        r.err = strdup(r.out);
        expect_refusal(writers + k, &r, DIR, "File too large");
    }
}

/* Commands that print. */
static const char *const printers[] = {
    MNEME " --help",
    MNEME " --version",
    MNEME " soe --help",
    MNEME " list",
    MNEME " list --checks",
    MNEME " show vort.weights",
    FAULTY " verify faulty/holds",
    FAULTY " verify --unit faulty/holds/0",
    FAULTY " merge " DIR "/journal",
    FAULTY " list --units",
    FAULTY " experiment",
    FAULTY " experiment quick",
    MNEME CHECK_LINE,
    MNEME " check --emit-inputs linear --shape 1,2,1,2 --output " DIR "/e.npz",
    MNEME " regress --kernel linear --shape T=3,d=2",
    MNEME SOE_LINE,
    MNEME SOE_LINE " --format npy",
    MNEME BANKS_LINE,
    MNEME " soe --certify " DIR "/table.csv --alpha 1/2 --horizon 10",
    MNEME " report " DIR "/verify.json",
    MNEME " report --format annotations " DIR "/verify.json",
    MNEME " replay " DIR "/w.upper.json",
    MNEME " weights --alpha 1/3 --count 20000",
    MNEME " weights --alpha 1/3 --count 1000 --exact",
    MNEME " mi --max-lag 20 " DIR "/text",
    MNEME " bench machine --budget 0.001",
};
enum { PRINTERS = sizeof printers / sizeof *printers };

static void test_full_device(void **state) {
    (void)state;
    make_inputs();
    for (size_t k = 0; k < PRINTERS; k++) {
        run_result r = run("%s > /dev/full", printers[k]);
        if (r.status != 2 || line_count(r.err) != 1 || strstr(r.err, "No space left") == NULL)
            print_error("%s > /dev/full: status %d\n%s", printers[k], r.status, r.err);
        assert_int_equal(r.status, 2);
        assert_int_equal(line_count(r.err), 1);
        assert_non_null(strstr(r.err, "cannot write the results: No space left on device"));
        result_clear(&r);
    }
}

/* A reader that has gone: one line, no signal; what goes to files is written all the same. */
static void test_closed_pipe(void **state) {
    (void)state;
    make_inputs();
    for (size_t k = 0; k < PRINTERS; k++) {
        /* cat is gone before anything is written to it */
        run_result r = run("{ { sleep 0.05; %s; echo $? >&3; } | true; } 3>&1", printers[k]);
        if (strcmp(r.out, "2\n") != 0 || line_count(r.err) != 1 || !strstr(r.err, "Broken pipe"))
            print_error("%s | true: status %s\n%s", printers[k], r.out, r.err);
        assert_string_equal(r.out, "2\n");
        assert_int_equal(line_count(r.err), 1);
        assert_non_null(strstr(r.err, "cannot write the results: Broken pipe"));
        result_clear(&r);
    }
    /* it does not go on for nobody */
    double begin = seconds_now();
    run_result r = run(MNEME " weights --alpha 1/3 --count 100000000 | head -n 1");
    assert_non_null(strstr(r.out, "0 1.0000000000000000\n"));
    assert_true(seconds_now() - begin < 20);
    result_clear(&r);
    r = run("{ sleep 0.05; " FAULTY " verify --json " DIR "/p.json --junit " DIR
            "/p.xml faulty/holds; } | true");
    json_t *j = load_json(DIR "/p.json");
    assert_non_null(j);
    json_decref(j);
    result_clear(&r);
}

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_LIMITED 0
#else
#define MEMORY_LIMITED 1
#endif

/* Little memory: the result or one line that says so, never a signal, a damaged output, or a sound file
   called damaged. */
static void test_little_memory(void **state) {
    (void)state;
    static const char *const lines[] = {
        MNEME " weights --alpha 1/3 --from 1000000000 --count 1 --digits 100000",
        MNEME " verify vort.markov --json " DIR "/o",
        MNEME " report --format html --output " DIR "/o " DIR "/verify.json",
        MNEME " mi --max-lag 100 --json " DIR "/o " DIR "/long",
        MNEME " regress --kernel linear --shape T=3,d=2 --json " DIR "/o",
        MNEME " check --emit-inputs linear --shape 1,4096,4,64 --output " DIR "/o",
        MNEME " soe --alpha 1/2 --horizon 1000 --terms 6 --output " DIR "/o",
    };
    if (!MEMORY_LIMITED)
        skip();
    make_inputs();
    run_result r = run("for i in 1 2 3 4 5 6; do cat " DIR "/text; done > " DIR
                       "/six; for i in 1 2 3 4 5 6 7 8 9 "
                       "10 11 12 13 14 15 16 17 18 19 20; do cat " DIR "/six; done > " DIR "/long");
    result_clear(&r);
    /* from where the program just starts to where most is done */
    r = run("v=20000; while ! (ulimit -v $v; " MNEME
            " --version >/dev/null 2>&1); do v=$((v+2000)); done; echo $v");
    const int least = atoi(r.out);
    result_clear(&r);
    assert_true(least > 0);
    int refused = 0;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        for (int more = 0; more <= 8000; more += 4000) {
            write_text(DIR "/o", OLD);
            r = run("ulimit -v %d; timeout 1 %s > /dev/null", least + more, lines[k]);
            const int good = r.status == 0 || r.status == 124 || r.status == 1
                                 ? 1
                                 : (r.status == 3 || r.status == 2) && line_count(r.err) == 1 &&
                                       strstr(r.err, "memory") != NULL && is_old(DIR "/o");
            if (!good)
                print_error("ulimit -v %d; %s: status %d\n%s", least + more, lines[k], r.status,
                            r.err);
            assert_true(good);
            assert_int_equal(temporaries(DIR "/o"), 0);
            refused += r.status > 1 && r.status != 124;
            result_clear(&r);
        }
    assert_true(refused > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_names),       cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_file_size_limit), cmocka_unit_test(test_full_device),
        cmocka_unit_test(test_closed_pipe),     cmocka_unit_test(test_little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

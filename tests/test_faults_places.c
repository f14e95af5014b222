/* Where things are: outputs that are inputs, trees in odd or read-only places, two runs in one tree, another
   locale. */
#include "tests/faults.h"

#define DIR "build/tests/faults_places"

/* ---- no output overwrites an input, whatever it is called ---- */

static void make_files(void) {
    make_folder(DIR);
    make_arrays(DIR, "linear", "1,16,1,4");
    run_result r = run("cd " DIR " && M=$OLDPWD/" MNEME " F=$OLDPWD/" FAULTY
                       " && $F verify --json v.json --journal j faulty/holds >/dev/null && "
                       "$M regress --kernel linear --shape T=2,d=2 --json r.json >/dev/null && "
                       "cp $OLDPWD/reports/baselines/accuracy.json b.json && "
                       "seq 3000 > text && mkdir data data/baselines figures && "
                       "echo '{\"series\": []}' > data/baselines/vort.markov.json && "
                       "for f in v.json j b.json text in.npz out.npz r.json "
                       "data/baselines/vort.markov.json; do ln -s $PWD/$f link-${f##*/} && "
                       "ln $f hard-${f##*/}; done");
    assert_int_equal(r.status, 0);
    result_clear(&r);
}

static void refuse(const char *line, const char *words) {
    run_result r =
        run("cd " DIR "; find . -type f | sort | xargs cksum > ../before; M=$OLDPWD/" MNEME
            " F=$OLDPWD/" FAULTY "; %s; s=$?; find . -type f | sort | xargs cksum | cmp - "
            "../before && exit $s",
            line);
    if (r.status != 2 || line_count(r.err) != 1 || strstr(r.err, words) == NULL)
        print_error("%s: status %d\n%s%s", line, r.status, r.out, r.err);
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, words));
    result_clear(&r);
}

static void test_outputs_are_no_inputs(void **state) {
    (void)state;
    make_files();
    refuse("$M verify --data data --json data/baselines/vort.markov.json vort.markov", "is read");
    refuse("$M verify --data data --junit link-vort.markov.json vort.markov", "is read");
    refuse("$M verify --data data --journal hard-vort.markov.json vort.markov", "is read");
    refuse("$F verify --journal j --json link-j faulty/holds", "name one file");
    refuse("$F verify --json x --junit ../faults_places/x faulty/holds", "name one file");
    refuse("$F merge --json hard-j j", "is read");
    refuse("$F merge j link-j", "are one file");
    refuse("$M experiment mutual-information --text text --json link-text", "is read");
    refuse("$M regress --kernel linear --baseline b.json --json link-b.json", "is read");
    refuse("$M regress --kernel linear --baseline b.json --junit hard-b.json", "is read");
    refuse("$M regress --kernel linear --json $OLDPWD/reports/baselines/../baselines/accuracy.json",
           "is read (the committed numbers)");
    refuse("$M check linear --inputs in.npz --output out.npz --json hard-out.npz", "is read");
    refuse("$M check linear --inputs in.npz --output out.npz --junit link-in.npz", "is read");
    refuse("$M report v.json --output link-v.json", "is read");
    refuse("$M report v.json --format html --accuracy r.json --output ./r.json", "is read");
    refuse("$M report v.json --format html --experiments hard-v.json --output link-v.json",
           "is read");
    refuse("$M report v.json --format html --output $OLDPWD/reports/html/page.css", "is read");
    refuse("$M mi text --max-lag 10 --csv hard-text", "is read");
    refuse("$M soe --certify text --alpha 1/2 --horizon 10 --output text", "no --error");
    refuse("ln -sf w.upper.json o; touch w.upper.json; find . -type f | sort | xargs cksum > "
           "../before; "
           "$M soe --alpha 1/2 --horizon 10 --terms 2 --output o --witness w",
           "--output and --witness name one file");
    refuse("$M banks --delta 1/2 --horizon 10 --error 1e-1 --output ./w.lower.json --witness w",
           "--output and --witness name one file");
}

/* A table of the figures does not overwrite the report beside it. */
static void test_folders_of_outputs(void **state) {
    (void)state;
    make_files();
    run_result r = run("cd " DIR " && $OLDPWD/" MNEME
                       " verify --series figures --json figures/vort-weights.dat vort.weights");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "figures/vort-weights.dat is the file of --json"));
    assert_int_equal(line_count(r.err), 1);
    json_t *j = load_json(DIR "/figures/vort-weights.dat");
    assert_non_null(j);
    json_decref(j);
    result_clear(&r);
}

/* ---- trees ---- */

#define COPY "/tmp/mneme-test-%ld/a b'\\''c \"d\" \xc3\xa9"

/* The tree with what is built, in an odd place: T. */
static run_result in_copy(const char *script) {
    const long id = (long)getpid();
    return run("T='" COPY "'; export LC_ALL=C; %s", id, script);
}

static void expect_success(run_result r, const char *what) {
    if (r.status != 0)
        print_error("%s: status %d\n%s%s", what, r.status, r.out, r.err);
    assert_int_equal(r.status, 0);
    result_clear(&r);
}

static int copy_tree(void **state) {
    (void)state;
    run_result r =
        in_copy("mkdir -p \"$T\"/build && tar --exclude=./build --exclude=./.git -cf - . | "
                "tar -xf - -C \"$T\" && cp -a build/obj build/bin build/lib build/stamp "
                "build/commit \"$T\"/build/");
    expect_success(r, "copy");
    return 0;
}

static int remove_tree(void **state) {
    (void)state;
    run_result r = run("rm -rf /tmp/mneme-test-%ld", (long)getpid());
    expect_success(r, "remove");
    return 0;
}

/* Builds (an object of each kind), verifies twice at once, and is documented, where spaces, quotes and
   letters beyond ASCII are in the path. */
static void test_tree_in_an_odd_place(void **state) {
    (void)state;
    expect_success(in_copy("cd \"$T\" && touch reports/cli/places.c numerics/kernels/table.c && "
                           "make -s J=2 all"),
                   "make all");
    expect_success(
        in_copy("cd \"$T\" && { make -s verify CLAIMS='vort.markov' > one & make -s verify "
                "CLAIMS='vort.markov' > two; a=$?; wait $!; b=$?; test $a = 0 && test $b = 0 && "
                "tail -n 1 one && cmp one two && ls build/reports | grep -c tmp | grep -x 0; }"),
        "make verify, twice at once");
    expect_success(
        in_copy("cd \"$T\" && make -s install PREFIX=\"$T/in\" && "
                "\"$T/in/bin/mneme\" list > /dev/null && grep -q "
                "\"^prefix=/tmp/mneme-test-[0-9]*/a. b..c\" "
                "\"$T/in/lib/pkgconfig/mneme.pc\" && make -s uninstall PREFIX=\"$T/in\" && "
                "find \"$T/in\" -type f | grep -c . | grep -x 0"),
        "make install");
}

/* Test programs have files of fixed names: a second run waits for the first. */
static void test_two_test_runs_in_one_tree(void **state) {
    (void)state;
    expect_success(
        in_copy("cd \"$T\" && mkdir -p build/tests && cat > build/tests/slow <<'END'\n"
                "#!/bin/sh\n"
                "mkdir build/tests/busy || exit 1\nsleep 0.5\nrmdir build/tests/busy\n"
                "echo '[  PASSED  ] 1 test(s).'\nEND\nchmod +x build/tests/slow; unset MAKEFLAGS; "
                "make -s MNEME_STAGE=2 TESTS=build/tests/slow PREFILL= FAULTY= EXAMPLE= test > one "
                "& cd \"$T\"; "
                "make -s MNEME_STAGE=2 TESTS=build/tests/slow PREFILL= FAULTY= EXAMPLE= test > "
                "two; a=$?; "
                "wait $!; b=$?; cat one two; test $a = 0 && test $b = 0"),
        "make test, twice at once");
}

/* A tree that cannot be written to, built elsewhere, used from anywhere. */
static void test_read_only_tree(void **state) {
    (void)state;
    run_result r = run("unshare -m mount -t tmpfs none /mnt");
    const int possible = r.status == 0;
    result_clear(&r);
    if (!possible)
        skip(); /* no privilege to mount */
    expect_success(
        in_copy(
            "B=${T%/*}/out; cp -a \"$T/build\" $B; rm -rf $B/bin; unshare -m sh -c \"mount --bind "
            "\\\"\\$0\\\" "
            "\\\"\\$0\\\" && mount -o remount,bind,ro \\\"\\$0\\\" && cd \\\"\\$0\\\" && ! touch x "
            "2>/dev/null && make -s BUILD=$B J=2 verify CLAIMS=vort.markov && make -s BUILD=$B "
            "docs "
            "&& cd / && $B/bin/mneme verify vort.soe-rate/root-exponential\" \"$T\""),
        "make verify in a read-only tree");
}

/* ---- another locale ---- */

/* Decimal commas are nobody's: neither in numbers that are printed, nor in the awk, sed and gnuplot that
   draw and document. */
static void test_decimal_comma(void **state) {
    (void)state;
    make_files();
    run_result r = run("mkdir " DIR "/locale && localedef -c -i de_DE -f UTF-8 " DIR
                       "/locale/de_DE.UTF-8; LOCPATH=$PWD/" DIR
                       "/locale LC_ALL=de_DE.UTF-8 locale decimal_point");
    const int possible = strcmp(r.out, ",\n") == 0;
    result_clear(&r);
    if (!possible)
        skip(); /* no sources of locales (Debian: locales) */
    static const char script[] =
        "d=" DIR "/$1; mkdir -p $d/figures; M=" MNEME "; "
        "{ $M weights --alpha 0.5 --count 3; $M soe --alpha 0.5 --horizon 100 --error 1e-3; "
        "$M banks --delta 0.5 --horizon 10 --error 0.1; $M mi --max-lag 20 " DIR "/text; "
        "$M check linear --inputs " DIR "/in.npz --output " DIR "/out.npz --rtol 0.25; "
        "$M regress --kernel linear --shape T=2,d=2; $M report " DIR "/v.json; "
        "$M soe --alpha 0.5 --horizon 100 --terms 4 --format csv > $d/t.csv; "
        "$M soe --certify $d/t.csv --alpha 0.5 --horizon 100; } > $d/out 2>&1; "
        "$M verify --series $d/figures --json $d/v.json vort.weights > $d/v.txt; "
        "$M report --format captions --output $d/captions.tex $d/v.json; "
        "sh plots/draw.sh plots $d/figures > $d/drawn; "
        "awk -v version=1 -v date=2000-01-01 -f reports/man/header.awk numerics/kernels/mneme.h > "
        "$d/man; "
        "rm -rf $d/v.json $d/figures/.drawn $d/drawn $d/figures/*.pdf";
    r = run("set -- c; export LC_ALL=C; %s", script);
    result_clear(&r);
    r = run("set -- de; export LOCPATH=$PWD/" DIR "/locale LC_ALL=de_DE.UTF-8; %s", script);
    result_clear(&r);
    r = run("sed -i 's/, [0-9.]* s)*$//; s/[0-9.]* s$//' " DIR "/c/out " DIR
            "/de/out; sed -i 's|/de/|/c/|' " DIR "/de/out; diff -r " DIR "/c " DIR "/de && ls " DIR
            "/de/figures | grep -c svg");
    expect_success(r, "another locale");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outputs_are_no_inputs),
                                       cmocka_unit_test(test_folders_of_outputs),
                                       cmocka_unit_test(test_tree_in_an_odd_place),
                                       cmocka_unit_test(test_two_test_runs_in_one_tree),
                                       cmocka_unit_test(test_read_only_tree),
                                       cmocka_unit_test(test_decimal_comma)};
    return cmocka_run_group_tests(tests, copy_tree, remove_tree);
}

/* The pictures: without gnuplot or its PDF everything else is there; same data, same bytes; only
   what changed is drawn. */
#include "tests/testing.h"
#include "tests/process.h"
#include "reports/figures.h"

#define DIR "build/tests/figures"
#define DRAW "sh plots/draw.sh plots " DIR
#define NAME "vla-jacobian-norm" /* the smallest */

static int make_data(void **state) {
    (void)state;
    run_result r = run("rm -rf " DIR "; mkdir -p " DIR "/one " DIR "/two " DIR "/bin && " MNEME
                       " verify --series " DIR "/one vla.jacobian-norm && rm " DIR
                       "/one/vla-jacobian-growth.dat && cp " DIR "/one/*.dat " DIR "/two");
    int ok = r.status == 0;
    if (!ok)
        print_error("%s%s", r.out, r.err);
    result_clear(&r);
    return ok ? 0 : -1;
}

static int has_gnuplot(void) {
    return system("gnuplot -d -e 'exit status !(strstrt(GPVAL_TERMINALS, \"pdfcairo\") > 0)' "
                  ">/dev/null 2>&1") == 0;
}

/* A PATH on which the tools of draw.sh are, but no gnuplot. */
static void make_path(void) {
    run_result r = run("cd " DIR "/bin && for t in sh cat cmp cp cksum sed mv rm mkdir ls; do "
                       "ln -sf \"$(command -v $t)\" $t; done; rm -f gnuplot");
    result_clear(&r);
}

static void case_gnuplot_not_installed(void **state) {
    (void)state;
    make_path();
    run_result r = run("PATH=\"$PWD/" DIR "/bin\" " DRAW "/one");
    assert_int_equal(r.status, 0);
    assert_int_equal(line_count(r.out), 1);
    assert_non_null(
        strstr(r.out, "gnuplot is not installed, so nothing is drawn: data and scripts"));
    assert_string_equal(r.err, "");
    result_clear(&r);
    r = run("ls " DIR "/one");
    assert_non_null(strstr(r.out, NAME ".dat\n" NAME ".gp\n"));
    assert_non_null(strstr(r.out, "style.gp\n"));
    assert_null(strstr(r.out, ".png"));
    result_clear(&r);
}

/* A gnuplot that does not know pdfcairo: the other formats, and no wide PDF. */
static void case_gnuplot_without_pdfcairo(void **state) {
    (void)state;
    if (!has_gnuplot()) {
        print_message("gnuplot with pdfcairo is not installed: nothing is drawn\n");
        skip();
    }
    make_path();
    run_result r = run(
        "cat > " DIR "/bin/gnuplot <<'E'\n#!/bin/sh\nreal=$(PATH=/usr/local/bin:/usr/bin:/bin "
        "command -v gnuplot)\n"
        "case \"$*\" in *GPVAL_TERMINALS*) echo 'pngcairo svg' ;; *) exec \"$real\" \"$@\" ;; "
        "esac\nE\n"
        "chmod +x " DIR "/bin/gnuplot; PATH=\"$PWD/" DIR "/bin\" " DRAW "/one | grep -v 'no data'");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "this gnuplot has no terminal pdfcairo: no pdf is drawn\n"));
    assert_non_null(strstr(r.out, NAME ": drawn (color, svg png)\n"));
    result_clear(&r);
    r = run("ls " DIR "/one");
    assert_non_null(strstr(r.out, NAME ".png\n" NAME ".svg\n"));
    assert_null(strstr(r.out, ".pdf"));
    result_clear(&r);
}

/* Every format twice, in two folders, seconds apart for the clocks in them. */
static void test_same_bytes(void **state) {
    (void)state;
    if (!has_gnuplot()) {
        print_message("gnuplot with pdfcairo is not installed: nothing is drawn\n");
        skip();
    }
    run_result r = run(
        DRAW "/one >/dev/null && sleep 1.1 && " DRAW "/two >/dev/null && for f in .pdf -wide.pdf "
             ".svg .png; do cmp " DIR "/one/" NAME "$f " DIR "/two/" NAME "$f || exit 1; done");
    if (r.status != 0)
        print_error("%s%s", r.out, r.err);
    assert_int_equal(r.status, 0);
    result_clear(&r);
    /* widths in points: 8.6 and 17.8 cm */
    r = run("for f in " DIR "/two/" NAME ".pdf " DIR "/two/" NAME "-wide.pdf; do "
            "LC_ALL=C sed -n 's/.*MediaBox \\[ *[0-9.]* [0-9.]* \\([0-9]*\\).*/\\1/p' $f | head "
            "-1; done");
    assert_string_equal(r.out, "243\n504\n");
    result_clear(&r);
    /* nothing changed, nothing drawn; then the data, a picture gone, the style */
    r = run(DRAW "/two | grep ': drawn'");
    assert_string_equal(r.out, "");
    result_clear(&r);
    r = run("sed -i '$d' " DIR "/two/" NAME ".dat; " DRAW "/two | grep ': drawn'; rm " DIR
            "/two/" NAME "-wide.pdf; STYLE=gray " DRAW "/two | grep ': drawn'");
    assert_string_equal(r.out,
                        NAME ": drawn (color, pdf svg png)\n" NAME ": drawn (gray, pdf svg png)\n");
    assert_int_equal(access(DIR "/two/" NAME "-wide.pdf", R_OK), 0);
    result_clear(&r);
    r = run("STYLE=blue " DRAW "/two");
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    result_clear(&r);
}

/* Line styles come from style.gp by name: a number in a script would escape the palette. */
static void test_named_styles(void **state) {
    (void)state;
    run_result r =
        run("grep -nE 'linestyle +[0-9]|(ink|hue)\\([0-9]|linecolor rgb .#(0072b2|d55e00)' "
            "$(ls plots/*.gp | grep -v style.gp)");
    assert_string_equal(r.out, "");
    result_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(case_gnuplot_not_installed),
                                       cmocka_unit_test(case_gnuplot_without_pdfcairo),
                                       cmocka_unit_test(test_same_bytes),
                                       cmocka_unit_test(test_named_styles)};
    return cmocka_run_group_tests(tests, make_data, NULL);
}

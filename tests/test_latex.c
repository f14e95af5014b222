/* What papers take: names of numbers, LaTeX text, captions, compiled. */
#include "tests/testing.h"
#include "tests/process.h"
#include "reports/figures.h"
#include "reports/json_codec.h"
#include "reports/latex.h"
#include "reports/provenance.h"
#include "reports/writers.h"
#include "theorems/claim.h"

#define DIR "build/tests/latex"
#define CLAIMS                                                                                     \
    "loglinear.softplus-init loglinear.competition vla.cost vla.jacobian-norm "                    \
    "vla.least-squares vla.scan vort.softmax-decay vort.keyed-retrieval"

static int make_report(void **state) {
    (void)state;
    run_result r = run("rm -rf " DIR "; mkdir -p " DIR " && " MNEME " verify -j 2 --json " DIR
                       "/verify.json " CLAIMS);
    int ok = r.status == 0;
    if (!ok)
        print_error("%s%s", r.out, r.err);
    result_clear(&r);
    return ok ? 0 : -1;
}

/* ---- names of numbers ---- */

static json_t *read_report(void) {
    char *complaint = NULL;
    json_t *report = report_read(DIR "/verify.json", &complaint);
    assert_null(complaint);
    return report;
}

static void test_keys(void **state) {
    (void)state;
    json_t *report = read_report(), *keys = report_number_keys(report), *seen = json_object();
    const json_t *item;
    size_t i;
    json_array_foreach(keys, i, item) {
        const char *key = json_string_value(json_object_get(item, "key"));
        size_t n =
            strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.=+/-");
        assert_true(key[n] == '\0' && strchr(key, '/') != NULL && strstr(key, "--") == NULL);
        assert_null(json_object_get(seen, key));
        json_object_set_new(seen, key, json_true());
    }
    assert_true(json_array_size(keys) > 20);
    assert_non_null(json_object_get(seen, "vla.jacobian-norm/norm/lambda0=10-d=32-T=10-7"));
    assert_non_null(json_object_get(seen, "vla.scan/condition/random-64/4"));
    json_decref(keys);
    json_decref(seen);
    json_decref(report);
    /* a name in two checks; a number twice; two numbers under one name; names of nothing */
    report = json_loads(
        "{\"claims\":[{\"id\":\"p.c\",\"checks\":["
        "{\"name\":\"a\",\"numbers\":[{\"name\":\"|x|, d = 2\",\"unit\":\"1\",\"value\":1},"
        "{\"name\":\"|x|, d = 2\",\"unit\":\"1\",\"value\":1},{\"name\":\"x "
        "d=2\",\"unit\":\"1\",\"value\":2},"
        "{\"name\":\"-ln E / "
        "2\",\"unit\":\"1\",\"value\":3},{\"name\":\"α\",\"unit\":\"1\",\"value\":4}]},"
        "{\"name\":\"b\",\"numbers\":[{\"name\":\"x, d=2\",\"unit\":\"1\",\"value\":1}]}]}]}",
        0, NULL);
    keys = report_number_keys(report);
    static const char *const wanted[] = {"p.c/a/x-d=2", "p.c/a/x-d=2/2", "p.c/ln-E/2", "p.c/number",
                                         "p.c/b/x-d=2"};
    assert_int_equal(json_array_size(keys), 5);
    for (size_t k = 0; k < 5; k++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(keys, k), "key")),
                            wanted[k]);
    json_decref(keys);
    json_decref(report);
}

/* ---- text ---- */

static void assert_latex(const char *text, const char *wanted, long unknown) {
    text_buffer b;
    text_init(&b);
    assert_int_equal(report_latex_text(&b, text), unknown);
    assert_string_equal(b.data, wanted);
    free(b.data);
}

static void test_escapes(void **state) {
    (void)state;
    assert_latex("50% of #1 & $2 {x}", "50\\% of \\#1 \\& \\$2 \\{x\\}", 0);
    assert_latex("\\ ~ ^ _ | < >",
                 "\\textbackslash{} \\textasciitilde{} \\textasciicircum{} \\_ $|$ $<$ $>$", 0);
    assert_latex("10⁻¹⁰ ≤ λ₀ √2", "10$^{-10}$ $\\le$ $\\lambda$$_{0}$ $\\surd$2", 0);
    assert_latex("α̂k̂ᵀ", "$\\hat{\\alpha}$$\\hat{k}$$^{\\top}$", 0);
    assert_latex("Grünwald", "Gr\\\"{u}nwald", 0);
    assert_latex("a <= b -> c >= d - e ...", "a $\\le$ b $\\to$ c $\\ge$ d $-$ e \\ldots{}", 0);
    assert_latex("alpha* = lambda0, alphabet", "$\\alpha$* = $\\lambda_0$, alphabet", 0);
    assert_latex("T^(d/2), x^{k-1}, e^-2, d_v, cu_seqlens",
                 "T\\textsuperscript{(d/2)}, x\\textsuperscript{k-1}, e\\textsuperscript{-2}, "
                 "d\\textsubscript{v}, cu\\_seqlens",
                 0);
    assert_latex("e^(alpha H_{j-1})", "e\\textsuperscript{($\\alpha$ H\\textsubscript{j-1})}", 0);
    assert_latex("^(open", "\\textasciicircum{}(open", 0);
    assert_latex("a☃b\x1b", "a\\fbox{\\texttt{U+2603}}b\\fbox{\\texttt{U+001B}}", 2);
    assert_latex("\xc3(\xff", "\\fbox{\\texttt{U+FFFD}}(\\fbox{\\texttt{U+FFFD}}", 2);
}

/* Every text that a report can show: known characters, and what comes out is ASCII and balanced. */
static void assert_printable(const char *where, const char *text) {
    text_buffer b;
    long depth = 0, dollars = 0;
    if (text == NULL)
        return;
    text_init(&b);
    if (report_latex_text(&b, text) != 0) {
        print_error("%s has a character unknown to reports/latex_characters.h: %s\n", where, text);
        fail();
    }
    for (const char *p = b.data; *p != '\0'; p++) {
        assert_true(*p >= 32 && *p < 127);
        if (*p == '\\' && p[1] != '\0') {
            p++;
            continue;
        }
        depth += (*p == '{') - (*p == '}');
        dollars += *p == '$';
        assert_true(depth >= 0);
    }
    assert_true(depth == 0 && dollars % 2 == 0);
    free(b.data);
}

static void test_registry_texts(void **state) {
    (void)state;
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        assert_printable((*c)->id, (*c)->title);
        assert_printable((*c)->id, (*c)->source);
        for (int i = 0; (*c)->hypotheses[i] != NULL; i++)
            assert_printable((*c)->id, (*c)->hypotheses[i]);
        for (const statement *s = (*c)->statements; s->id != NULL; s++) {
            assert_printable((*c)->id, s->text);
            assert_printable((*c)->id, s->instead);
            for (int i = 0; s->proof != NULL && s->proof[i] != NULL; i++)
                assert_printable((*c)->id, s->proof[i]);
            for (const char *p = s->latex; p != NULL && *p != '\0'; p++)
                assert_true(*p >= 32 && *p < 127);
        }
    }
    for (const report_figure *f = report_figures; f->name != NULL; f++)
        assert_printable(f->name, f->shows);
}

/* ---- figures ---- */

/* A figure that no claim lists, a claim's figure without a caption, a script that is not drawn. */
static void test_figures(void **state) {
    (void)state;
    char *draw = slurp("plots/draw.sh");
    long listed = 0, figures = 0;
    for (const claim *const *c = claim_registry; *c != NULL; c++)
        for (int i = 0; (*c)->figures[i] != NULL; i++) {
            const report_figure *f = report_figure_find((*c)->figures[i]);
            if (f == NULL || f->claim == NULL || strcmp(f->claim, (*c)->id) != 0)
                print_error("%s of %s has no caption in reports/figures.c\n", (*c)->figures[i],
                            (*c)->id);
            assert_true(f != NULL && f->claim != NULL && strcmp(f->claim, (*c)->id) == 0);
            assert_non_null(f->statement);
            assert_non_null(claim_statement(*c, f->statement));
            listed++;
        }
    for (const report_figure *f = report_figures; f->name != NULL; f++) {
        char path[200];
        snprintf(path, sizeof path, "plots/%s.gp", f->name);
        assert_int_equal(access(path, R_OK), 0);
        assert_non_null(strstr(draw, f->name));
        if (f->claim != NULL)
            figures++;
        else /* of the kernels */
            assert_true(strncmp(f->name, "kernel-", 7) == 0 && f->statement == NULL);
    }
    assert_int_equal(listed, figures);
    free(draw);
}

static void test_captions(void **state) {
    (void)state;
    json_t *report = read_report(), *claims = json_object_get(report, "claims");
    char *text = report_write_captions(report), *list = report_write_captions_json(report);
    assert_non_null(strstr(text, "csname mneme:caption:vla-jacobian-norm\\endcsname"));
    assert_non_null(strstr(text, "  #1{loglinear-competition}%"));
    assert_null(strstr(text, "vort-banks")); /* not in this report */
    json_t *j = json_loads(list, 0, NULL);
    assert_int_equal(json_array_size(j), 4 + 3); /* of the claims, of the kernels */
    assert_string_equal(json_string_value(json_object_get(json_array_get(j, 2), "verdict")),
                        "refuted");
    json_decref(j);
    free(text);
    free(list);
    const report_figure *f = report_figure_find("vla-jacobian-norm");
    for (size_t i = 0; i < json_array_size(claims); i++) {
        json_t *c = json_array_get(claims, i);
        if (strcmp(json_string_value(json_object_get(c, "id")), f->claim) != 0)
            continue;
        text = report_figure_caption(f, c);
        assert_non_null(
            strstr(text, "The norm of the Jacobian (VLA, Prop. 2). The norm of I − α̂k̂ᵀ"));
        assert_non_null(strstr(text, "Published, refuted: The spectral norm"));
        assert_non_null(strstr(text, "True instead: "));
        free(text);
    }
    f = report_figure_find("kernel-ulp"); /* without a claim: what is drawn, no more */
    text = report_figure_caption(f, NULL);
    assert_string_equal(text, f->shows);
    free(text);
    json_decref(report);
}

/* ---- compiled ---- */

/* A report of all claims, every verdict as pinned: nothing is run. */
static json_t *pinned_report(void) {
    json_t *report = json_object(), *claims = json_array();
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        json_t *j = json_object(), *list = json_array();
        for (const statement *s = (*c)->statements; s->id != NULL; s++) {
            json_t *item = json_object();
            json_object_set_new(item, "id", json_string(s->id));
            json_object_set_new(item, "kind", json_string(statement_kind_name(s->kind)));
            json_object_set_new(item, "text", json_string(s->text));
            json_object_set_new(item, "latex", json_string(s->latex));
            json_object_set_new(item, "found", json_string(verdict_name(s->pinned)));
            json_object_set_new(item, "pinned", json_string(verdict_name(s->pinned)));
            if (s->instead != NULL)
                json_object_set_new(item, "instead", json_string(s->instead));
            json_array_append_new(list, item);
        }
        json_object_set_new(j, "id", json_string((*c)->id));
        json_object_set_new(j, "title", json_string((*c)->title));
        json_object_set_new(j, "source", json_string((*c)->source));
        json_object_set_new(j, "statements", list);
        json_array_append_new(claims, j);
    }
    json_object_set_new(report, "claims", claims);
    json_object_set_new(report, "provenance", provenance_json());
    return report;
}

static void write_text(const char *path, char *text) {
    assert_true(output_write("test", path, text, strlen(text)));
    free(text);
}

static void test_compiles(void **state) {
    (void)state;
    if (system("command -v pdflatex >/dev/null 2>&1 && kpsewhich booktabs.sty longtable.sty "
               "amssymb.sty >/dev/null 2>&1") != 0) {
        print_message("pdflatex or its packages are not installed: nothing is compiled\n");
        skip();
    }
    static const char document[] =
        "\\documentclass{article}\n\\usepackage[a4paper,textwidth=17.8cm]{geometry}\n"
        "\\usepackage{amsmath,amssymb,array,booktabs,longtable}\n\\input{numbers}\n\\input{"
        "captions}\n"
        "\\begin{document}\n\\mneme{vla.scan/condition/constructed-64} "
        "\\mneme{vla.cost/published/ratio/d=m=64}\n"
        "\\mneme{vort.keyed-retrieval/mean/e-q.k-m=16} "
        "\\section{\\mneme{loglinear.softplus-init/ln-e-1}}\n"
        "\\def\\show#1{\\par #1: \\mnemecaption{#1}}\\mnemefigures\\show\n\\input{claims}\n"
        "%s\\end{document}\n";
    char *complaint = NULL, text[1200];
    json_t *report = pinned_report(), *numbers = report_read(DIR "/verify.json", &complaint);
    write_text(DIR "/claims.tex", report_write_latex(report));
    write_text(DIR "/captions.tex", report_write_captions(report));
    write_text(DIR "/numbers.tex", report_write_numbers(numbers));
    json_decref(report);
    json_decref(numbers);
    snprintf(text, sizeof text, document, "");
    write_text(DIR "/good.tex", strdup(text));
    run_result r = run("cd " DIR " && pdflatex -interaction=nonstopmode -halt-on-error good.tex");
    if (r.status != 0)
        print_error("%s", r.out);
    assert_int_equal(r.status, 0);
    assert_null(strstr(r.out, "Overfull")); /* nothing sticks out of its column */
    assert_null(strstr(r.out, "Missing character"));
    result_clear(&r);
    /* broken: a key that there is not */
    snprintf(text, sizeof text, document, "\\mneme{vla.scan/none}\n");
    write_text(DIR "/bad.tex", strdup(text));
    r = run("cd " DIR " && pdflatex -interaction=nonstopmode -halt-on-error -draftmode bad.tex");
    assert_int_not_equal(r.status, 0);
    assert_non_null(strstr(r.out, "No number of the key vla.scan/none"));
    result_clear(&r);
}

/* The paper's script on a machine without TeX: one line that says what to install, nothing made. */
static void test_paper_needs(void **state) {
    (void)state;
    run_result r = run("PATH=/nonexistent /bin/sh reports/paper/compile.sh reports/paper " DIR
                       " " DIR " " DIR "/paper false");
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, "pdflatex is not installed (Debian: texlive-latex-base"));
    assert_int_not_equal(access(DIR "/paper", F_OK), 0);
    result_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),           cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_registry_texts), cmocka_unit_test(test_figures),
        cmocka_unit_test(test_captions),       cmocka_unit_test(test_compiles),
        cmocka_unit_test(test_paper_needs)};
    return cmocka_run_group_tests(tests, make_report, NULL);
}

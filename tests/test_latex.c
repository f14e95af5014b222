/* What papers take: decimals that never say more than is known, names of numbers, LaTeX text, captions. */
#include "tests/testing.h"
#include "tests/process.h"
#include "reports/decimal.h"
#include "reports/figures.h"
#include "reports/json_codec.h"
#include "reports/latex.h"
#include "reports/provenance.h"
#include "reports/writers.h"
#include "theorems/claim.h"

#define DIR "build/tests/latex"
#define CLAIMS                                                                                     \
    "loglinear.softplus-init loglinear.competition loglinear.cost vla.cost vla.jacobian-norm "     \
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

/* ---- decimals ---- */

/* A ball of random size and width, sometimes exact, sometimes across a power of ten. */
static void random_ball(arb_t x, exact_random *r) {
    fmpq_t q;
    fmpq_init(q);
    exact_random_rational(q, r, 1000000);
    arb_set_fmpq(x, q, 30 + (slong)(exact_random_next(r) % 100));
    mag_zero(arb_radref(x));
    if (exact_random_next(r) % 8 == 0)
        arb_set_si(x, 10);
    arb_mul_2exp_si(x, x, (slong)(exact_random_next(r) % 200) - 100);
    if (exact_random_next(r) % 4 != 0) {
        mag_set_ui_2exp_si(arb_radref(x), exact_random_next(r) % 1000 + 1,
                           -(slong)(exact_random_next(r) % 150));
    }
    fmpq_clear(q);
}

static void unit_of(fmpq_t unit, slong exponent) { /* 10^exponent */
    decimal d = {1, "1", exponent + 1, 1};
    decimal_value(unit, &d);
}

/* Wrong if a digit is rounded to the wrong side, or by a unit or more. */
static void test_rounding(void **state) {
    (void)state;
    exact_random r = {test_seed("latex rounding")};
    fmpq_t x, shown, unit, gap, zero;
    decimal d;
    fmpq_init(x);
    fmpq_init(shown);
    fmpq_init(unit);
    fmpq_init(gap);
    fmpq_init(zero);
    for (long k = 0; k < test_count(2000); k++) {
        slong digits = 1 + (slong)(exact_random_next(&r) % 20);
        exact_random_rational(x, &r, exact_random_integer(&r, 1, 1000000));
        if (k % 3 == 0)
            fmpq_div_2exp(x, x, exact_random_next(&r) % 200);
        if (k % 50 == 0)
            fmpq_set_si(x, k % 100 ? 999999999 : -999999999, 1000000000);
        if (fmpq_is_zero(x))
            continue;
        for (int mode = 0; mode < 4; mode++) {
            decimal_set(&d, x, digits, (decimal_rounding)mode);
            decimal_value(shown, &d);
            fmpq_sub(gap, x, shown);
            unit_of(unit, d.exponent - digits);
            assert_case((long)strlen(d.digits) <= digits && d.digits[0] != '0', "rounding", k);
            assert_case(d.exact == fmpq_is_zero(gap), "rounding", k);
            if (mode == ROUND_TO_ZERO)
                assert_case(fmpq_sgn(gap) * fmpq_sgn(x) >= 0, "rounding", k);
            else if (mode == ROUND_DOWN)
                assert_case(fmpq_sgn(gap) >= 0, "rounding", k);
            else if (mode == ROUND_UP)
                assert_case(fmpq_sgn(gap) <= 0, "rounding", k);
            fmpq_abs(gap, gap);
            if (mode == ROUND_NEAREST)
                fmpq_mul_2exp(gap, gap, 1);
            assert_case(mode == ROUND_NEAREST ? fmpq_cmp(gap, unit) <= 0 : fmpq_cmp(gap, unit) < 0,
                        "rounding", k);
            /* what is printed is that number */
            text_buffer b;
            text_init(&b);
            decimal_print(&b, &d, DECIMAL_ASCII);
            assert_case(exact_parse_rational(gap, b.data) == NULL && fmpq_equal(gap, shown),
                        "printing", k);
            free(b.data);
        }
    }
    fmpq_clear(x);
    fmpq_clear(shown);
    fmpq_clear(unit);
    fmpq_clear(gap);
    fmpq_clear(zero);
}

/* low <= number <= high as the text says: "d.ddd...", "[a, b]", or exactly. */
static void read_back(fmpq_t low, fmpq_t high, const char *text) {
    char copy[200];
    assert_true(strlen(text) < sizeof copy);
    strcpy(copy, text);
    char *dots = strstr(copy, "...");
    if (copy[0] == '[') {
        char *comma = strchr(copy, ','), *end = strchr(copy, ']');
        assert_true(comma != NULL && end != NULL && end[1] == '\0');
        *comma = *end = '\0';
        set_q(low, copy + 1);
        set_q(high, comma + 2);
    } else if (dots != NULL) { /* away from 0 by less than a unit of the last digit */
        char last[220];
        memmove(dots, dots + 3, strlen(dots + 3) + 1);
        set_q(low, copy);
        strcpy(last, copy);
        char *e = strchr(last, 'e'), *stop = e != NULL ? e : last + strlen(last);
        for (char *p = last; p < stop; p++)
            if (*p >= '0' && *p <= '9')
                *p = p == stop - 1 || (p == stop - 2 && stop[-1] == '.') ? '1' : '0';
        set_q(high, last);
        fmpq_add(high, low, high);
        if (fmpq_sgn(low) < 0)
            fmpq_swap(low, high);
    } else {
        set_q(low, text);
        fmpq_set(high, low);
    }
}

/* The text's interval holds the whole enclosure; certain digits are none that the ball leaves open. */
static void test_outwards(void **state) {
    (void)state;
    exact_random r = {test_seed("latex outwards")};
    enclosure_t x;
    arb_t ball;
    fmpq_t low, high, lower, upper;
    long dotted = 0, intervals = 0, exact = 0;
    enclosure_init(x);
    arb_init(ball);
    fmpq_init(low);
    fmpq_init(high);
    fmpq_init(lower);
    fmpq_init(upper);
    for (long k = 0; k < test_count(3000); k++) {
        text_buffer b;
        random_ball(ball, &r);
        enclosure_set_ball(x, ball);
        if (k % 5 == 0) {
            exact_random_rational(lower, &r, 100000);
            enclosure_set_rational(x, lower);
        }
        assert_true(report_enclosure_ends(lower, upper, x));
        text_init(&b);
        report_number_print(&b, x, 3 + k % 10, DECIMAL_ASCII);
        read_back(low, high, b.data);
        if (fmpq_cmp(low, lower) > 0 || fmpq_cmp(upper, high) > 0)
            print_error("%s\n", b.data);
        assert_case(fmpq_cmp(low, lower) <= 0 && fmpq_cmp(upper, high) <= 0, "outwards", k);
        dotted += strstr(b.data, "...") != NULL;
        intervals += b.data[0] == '[';
        exact += b.data[0] != '[' && strstr(b.data, "...") == NULL;
        free(b.data);
    }
    assert_true(dotted > 100 && intervals > 100 && exact > 100);
    enclosure_clear(x);
    arb_clear(ball);
    fmpq_clear(low);
    fmpq_clear(high);
    fmpq_clear(lower);
    fmpq_clear(upper);
}

static void assert_number(const char *wanted, const enclosure_t x, decimal_style style) {
    text_buffer b;
    text_init(&b);
    report_number_print(&b, x, 6, style);
    assert_string_equal(b.data, wanted);
    free(b.data);
}

static void test_number_texts(void **state) {
    (void)state;
    enclosure_t x;
    arb_t ball;
    fmpq_t q;
    static const struct {
        const char *value, *ascii;
    } exact[] = {{"0", "0"},
                 {"85", "85"},
                 {"-7896296018267970", "-7.89629...e15"},
                 {"3/10", "0.3"},
                 {"2/3", "2/3"},
                 {"121/210", "121/210"},
                 {"12345/67891", "0.181835..."},
                 {"-1/30000", "-3.33333...e-5"},
                 {"1e-9", "1e-9"}};
    enclosure_init(x);
    arb_init(ball);
    fmpq_init(q);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        set_q(q, exact[i].value);
        enclosure_set_rational(x, q);
        assert_number(exact[i].ascii, x, DECIMAL_ASCII);
    }
    arb_const_pi(ball, 100);
    enclosure_set_ball(x, ball);
    assert_number("3.14159...", x, DECIMAL_ASCII);
    assert_number("3.14159\\ldots", x, DECIMAL_TEX);
    arb_neg(ball, ball);
    arb_mul_2exp_si(ball, ball, -30);
    enclosure_set_ball(x, ball);
    assert_number("−2.92583…·10⁻⁹", x, DECIMAL_UNICODE);
    /* 3/2 is not known to have the digits 1.50 */
    set_q(q, "1.5");
    arb_set_fmpq(ball, q, 64);
    mag_set_d(arb_radref(ball), 1e-9);
    enclosure_set_ball(x, ball);
    assert_number("[1.49999, 1.50001]", x, DECIMAL_ASCII);
    mag_set_d(arb_radref(ball), 0.04);
    enclosure_set_ball(x, ball);
    assert_number("[1.45, 1.55]", x, DECIMAL_ASCII);
    arb_indeterminate(ball);
    enclosure_set_ball(x, ball);
    assert_number("not finite", x, DECIMAL_ASCII);
    enclosure_measurement m = {0.8199, 0.80291, 0.83693, 1280, 1};
    enclosure_set_measured(x, m);
    assert_number("0.8199\\ [0.80, 0.84]", x, DECIMAL_TEX);
    enclosure_clear(x);
    arb_clear(ball);
    fmpq_clear(q);
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
    /* one name in two checks; the same number twice; two numbers under one name; names of nothing */
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
            if (f == NULL || strcmp(f->claim, (*c)->id) != 0)
                print_error("%s of %s has no caption in reports/figures.c\n", (*c)->figures[i],
                            (*c)->id);
            assert_true(f != NULL && strcmp(f->claim, (*c)->id) == 0);
            assert_non_null(claim_statement(*c, f->statement));
            listed++;
        }
    for (const report_figure *f = report_figures; f->name != NULL; f++) {
        char path[200];
        snprintf(path, sizeof path, "plots/%s.gp", f->name);
        assert_int_equal(access(path, R_OK), 0);
        assert_non_null(strstr(draw, f->name));
        figures++;
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
    assert_int_equal(json_array_size(j), 4);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding),     cmocka_unit_test(test_outwards),
        cmocka_unit_test(test_number_texts), cmocka_unit_test(test_keys),
        cmocka_unit_test(test_escapes),      cmocka_unit_test(test_registry_texts),
        cmocka_unit_test(test_figures),      cmocka_unit_test(test_captions),
        cmocka_unit_test(test_compiles)};
    return cmocka_run_group_tests(tests, make_report, NULL);
}

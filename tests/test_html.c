/* The page: formulas, escaping, figures inside it, and what a browser makes of it. */
#include "tests/testing.h"
#include "tests/process.h"
#include "reports/html.h"
#include "reports/mathml.h"
#include "reports/text.h"
#include "theorems/claim.h"

#include <jansson.h>

#define DIR "build/tests/html"

static void every_formula_is_set(void **state) {
    (void)state;
    long formulas = 0;
    for (const claim *const *c = claim_registry; *c != NULL; c++)
        for (const statement *s = (*c)->statements; s->id != NULL; s++) {
            const char *complaint = NULL;
            char *math = mathml_from_latex(s->latex, &complaint);
            if (math == NULL)
                print_error("%s/%s: %s\n", (*c)->id, s->id, complaint);
            assert_non_null(math);
            free(math);
            formulas++;
        }
    assert_true(formulas > 100);
}

static void formulas_mean_what_they_say(void **state) {
    (void)state;
    static const char *const known[][2] = {
        {"x", "<mi>x</mi>"},
        {"x^10", "<msup><mi>x</mi><mn>1</mn></msup><mn>0</mn>"},
        {"w_{j+1}^2", "<msubsup><mi>w</mi><mrow><mi>j</mi><mo>+</mo><mn>1</mn></mrow><mn>2</mn>"
                      "</msubsup>"},
        {"f'^2", "<msup><mi>f</mi><mrow><mo>′</mo><mn>2</mn></mrow></msup>"},
        {"\\tfrac12<\\frac{a}b",
         "<mfrac><mn>1</mn><mn>2</mn></mfrac><mo>&lt;</mo><mfrac><mrow><mi>a</mi></mrow><mi>b</mi>"
         "</mfrac>"},
        {"\\sum_{i}a_i", "<munder><mo movablelimits=\"false\">∑</mo><mrow><mi>i</mi></mrow>"
                         "</munder><msub><mi>a</mi><mi>i</mi></msub>"},
        {"\\ln T", "<mi>ln</mi><mspace width=\"0.167em\"/><mi>T</mi>"},
        {"\\text{a & b }", "<mtext>a&#160;&amp;&#160;b&#160;</mtext>"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *complaint = NULL;
        char *math = mathml_from_latex(known[i][0], &complaint), wanted[400];
        assert_non_null(math);
        snprintf(wanted, sizeof wanted,
                 "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" displaystyle=\"true\"><mrow>"
                 "%s</mrow></math>",
                 known[i][1]);
        assert_string_equal(math, wanted);
        free(math);
    }
    static const char *const wrong[][2] = {{"a+\\foo b", "\\foo"},
                                           {"\\frac{1", "does not end"},
                                           {"x_", "missing"},
                                           {"a}b", "did not begin"},
                                           {"\\text{a", "does not end"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *complaint = NULL;
        assert_null(mathml_from_latex(wrong[i][0], &complaint));
        assert_non_null(strstr(complaint, wrong[i][1]));
    }
    char deep[200] = "";
    for (int i = 0; i < 90; i++)
        strcat(deep, "{");
    const char *complaint = NULL;
    assert_null(mathml_from_latex(deep, &complaint));
}

/* A report whose texts try to leave their places. */
static json_t *small_report(const char *text) {
    json_t *j = json_pack(
        "{s:s, s:b, s:s, s:s, s:[], s:f, s:{s:i, s:i, s:i}, s:{s:s}, s:[{s:s, s:s}],"
        " s:[{s:s, s:s, s:s, s:[s], s:[{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[s]}],"
        "     s:[{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:i, s:i, s:[]}], s:[], s:[], s:[s]}]}",
        "schema", "mneme-verify-1", "complete", 1, "level", "quick", "seed", "1", "patterns",
        "seconds", 1.5, "totals", "passed", 0, "failed", 1, "skipped", 0, "provenance", "commit",
        text, "not_covered", "what", text, "why", text, "claims", "id", "vort.x", "title", text,
        "source", text, "hypotheses", text, "statements", "id", "s", "kind", "published", "text",
        text, "latex", "x<y", "pinned", "refuted", "found", "refuted", "instead", text, "proof",
        text, "checks", "name", text, "kind", "check", "status", "failed", "message", text, "label",
        text, "command", text, "seconds", 0.5, "decisions", 1, "precision", 64, "numbers", "series",
        "witnesses", "figures", "fig");
    assert_non_null(j);
    return j;
}

static void texts_stay_text(void **state) {
    (void)state;
    json_t *report = small_report("</p><script>alert(\"1\")</script>&amp;\033[31m'");
    run_result r = run("mkdir -p " DIR "/figures");
    result_clear(&r);
    static const char svg[] = "<?xml version=\"1.0\"?>\n<svg width=\"9\" viewBox=\"0 0 9 9\">\n"
                              "<title>Gnuplot</title><g id=\"a\"/><use xlink:href='#a' "
                              "clip-path=\"url(#b)\" grid=\"1\"/></svg>\n";
    assert_true(output_write("test", DIR "/figures/fig.svg", svg, sizeof svg - 1));
    const html_parts parts = {.style = "", .script = "", .figures = DIR "/figures"};
    char *complaint = NULL, *page = report_write_html(report, &parts, &complaint);
    assert_non_null(page);
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "</p><script>a"));
    assert_null(strchr(page, '\033'));
    assert_non_null(strstr(page, "&lt;script&gt;alert(&quot;1&quot;)"));
    assert_non_null(strstr(page, "\\x1b[31m"));
    /* ids in a figure are its own; nothing else changes */
    assert_non_null(strstr(page, "id=\"fig-a\""));
    assert_non_null(strstr(page, "xlink:href='#fig-a'"));
    assert_non_null(strstr(page, "url(#fig-b)"));
    assert_non_null(strstr(page, "grid=\"1\""));
    assert_null(strstr(page, "Gnuplot"));
    free(page);
    /* without figures the page says so; a formula that cannot be set is named */
    const html_parts bare = {.style = "", .script = ""};
    page = report_write_html(report, &bare, &complaint);
    assert_non_null(strstr(page, "Figure fig: not drawn"));
    free(page);
    json_t *s = json_array_get(
        json_object_get(json_array_get(json_object_get(report, "claims"), 0), "statements"), 0);
    /* refuted by statistics is no certificate, and is said to be none */
    json_object_set_new(s, "statistical", json_true());
    page = report_write_html(report, &bare, &complaint);
    assert_non_null(strstr(page, "data-verdict=\"refuted\" data-evidence=\"statistics\""));
    assert_non_null(strstr(page, "by measurement"));
    free(page);
    json_object_set_new(s, "latex", json_string("\\bogus"));
    assert_null(report_write_html(report, &bare, &complaint));
    assert_non_null(strstr(complaint, "vort.x, statement s: unknown command \"\\bogus\""));
    free(complaint);
    json_decref(report);
}

static int make_page(void **state) {
    (void)state;
    run_result r =
        run("mkdir -p " DIR " && " MNEME " verify -j 2 --json " DIR "/verify.json --series " DIR
            "/figures loglinear.competition vla.jacobian-norm vort.weights >/dev/null && " MNEME
            " report --format html --figures " DIR "/figures --output " DIR "/index.html " DIR
            "/verify.json");
    int ok = r.status == 0 && r.out[0] == '\0';
    if (!ok)
        print_error("%s%s", r.out, r.err);
    result_clear(&r);
    return ok ? 0 : -1;
}

/* Nothing is fetched: no address in an attribute but the names of XML's dialects. */
static void nothing_is_fetched(void **state) {
    (void)state;
    char *page = slurp(DIR "/index.html");
    assert_true(strlen(page) < 5 << 20);
    for (const char *at = page; (at = strstr(at, "http")) != NULL; at++)
        assert_true(strncmp(at, "http://www.w3.org/", 18) == 0);
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "@import"));
    free(page);
}

/* In a browser: no error, filters count what they show, links lead somewhere. */
static void a_browser_agrees(void **state) {
    (void)state;
    run_result r = run("command -v chromium || command -v chromium-browser || "
                       "command -v google-chrome");
    char browser[256];
    snprintf(browser, sizeof browser, "%.*s", (int)strcspn(r.out, "\n"), r.out);
    result_clear(&r);
    if (browser[0] == '\0') {
        print_message("no Chromium on this machine: the page is not opened\n");
        skip();
    }
    static const char probe[] =
        "<script>\n"
        "const say = [], errors = window.mnemeErrors;\n"
        "const q = s => [...document.querySelectorAll(s)], f = q('form.filters')[0];\n"
        "const seen = () => q('.statement').filter(s => !s.hidden && !s.closest('[hidden]'));\n"
        "const total = seen().length;\n"
        "const tick = (n, v) => { f.querySelector(`input[name=${n}][value=${v}]`).click(); };\n"
        "tick('verdict', 'refuted');\n"
        "const refuted = seen();\n"
        "say.push(refuted.length > 0 && refuted.length < total &&\n"
        "         refuted.every(s => s.dataset.verdict === 'refuted'));\n"
        "say.push(q('.found')[0].textContent.startsWith(refuted.length + ' '));\n"
        "tick('paper', 'VLA');\n"
        "say.push(seen().length > 0 && seen().every(s => "
        "s.closest('article').id.startsWith('vla.')));\n"
        "f.reset(); f.elements.text.value = 'golden ratio';\n"
        "f.dispatchEvent(new Event('input', {bubbles: true}));\n"
        "say.push(seen().length > 0 && seen().length < total);\n"
        "f.elements.text.value = 'nothing says this'; f.dispatchEvent(new Event('input'));\n"
        "say.push(seen().length === 0);\n"
        "f.elements.text.value = ''; f.dispatchEvent(new Event('input'));\n"
        "say.push(seen().length === total);\n"
        "const ids = q('[id]').map(e => e.id);\n"
        "say.push(new Set(ids).size === ids.length);\n"
        "say.push(q('a[href^=\"#\"]').every(a => "
        "document.getElementById(a.getAttribute('href').slice(1))));\n"
        "say.push(q('math').length === total && q('figure svg').length === q('figure').length);\n"
        "q('button.theme')[0].click();\n"
        "say.push(document.documentElement.dataset.theme !== undefined);\n"
        "say.push(document.documentElement.scrollWidth <= innerWidth);\n"
        "say.push(errors.length === 0);\n"
        "document.title = 'probe ' + say.map(Number).join('') + ' ' + errors.join(' ');\n"
        "</script></body>";
    char *page = slurp(DIR "/index.html"), *end = strstr(page, "</body>"),
         *head = strstr(page, "<head>");
    assert_non_null(end);
    text_buffer b;
    text_init(&b);
    text_printf(&b,
                "%.*s<script>window.mnemeErrors = []; "
                "addEventListener('error', e => mnemeErrors.push(e.message));</script>",
                (int)(head + 6 - page), page);
    text_printf(&b, "%.*s%s</html>\n", (int)(end - head - 6), head + 6, probe);
    assert_true(output_write("test", DIR "/probe.html", b.data, b.length));
    free(text_take(&b));
    free(page);
    for (int phone = 0; phone < 2; phone++) {
        r = run("HOME=$PWD/" DIR " timeout 120 %s --headless --no-sandbox --disable-gpu "
                "--user-data-dir=$PWD/" DIR "/profile --window-size=%s --dump-dom "
                "file://$PWD/" DIR "/probe.html | grep -o '<title>probe[^<]*</title>'",
                browser, phone ? "500,900" : "1280,900");
        assert_string_equal(r.out, "<title>probe 111111111111 </title>\n");
        result_clear(&r);
    }
}

/* The picture of the results: one XML document, a square for every published statement. */
static void the_board_counts(void **state) {
    (void)state;
    run_result r = run(MNEME " report --format svg --output " DIR "/board.svg " DIR
                             "/verify.json && xmllint --noout " DIR
                             "/board.svg && grep -c '<title>' " DIR "/board.svg");
    long published = 0;
    json_t *report = json_load_file(DIR "/verify.json", 0, NULL), *c, *s;
    size_t i, k;
    json_array_foreach(json_object_get(report, "claims"), i, c) {
        json_array_foreach(json_object_get(c, "statements"), k, s) {
            published += strcmp(json_string_value(json_object_get(s, "kind")), "published") == 0;
        }
    }
    assert_int_equal(r.status, 0);
    assert_int_equal(strtol(r.out, NULL, 10), published);
    result_clear(&r);
    json_decref(report);
}

/* The README's picture is that of the claims as they are pinned. */
static void the_committed_board_is_right(void **state) {
    (void)state;
    char *board = slurp("reports/results.svg");
    for (int v = VERDICT_UNDECIDED; v <= VERDICT_MEASURED; v++) {
        char mark[64];
        long squares = 0, pinned = 0;
        snprintf(mark, sizeof mark, "<g class=\"%s\"><title>", verdict_name((verdict)v));
        for (const char *at = board; (at = strstr(at, mark)) != NULL; at++)
            squares++;
        for (const claim *const *c = claim_registry; *c != NULL; c++)
            for (const statement *s = (*c)->statements; s->id != NULL; s++)
                pinned += s->kind == STATEMENT_PUBLISHED && s->pinned == (verdict)v;
        assert_int_equal(squares, pinned);
    }
    free(board);
}

static void bad_calls_are_named(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"--format pdf " DIR "/verify.json", "--format: \"pdf\" is not a format"},
        {"--format html " DIR "/missing.json", "missing.json"},
        {"--format svg --since " DIR "/verify.json " DIR "/verify.json", "--since goes with"},
        {"--format html --output /nowhere/x.html " DIR "/verify.json", "/nowhere/x.html"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        run_result r = run(MNEME " report %s", bad[i][0]);
        assert_int_equal(r.status, 2);
        assert_int_equal(line_count(r.err), 1);
        assert_non_null(strstr(r.err, bad[i][1]));
        result_clear(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_formula_is_set),
        cmocka_unit_test(formulas_mean_what_they_say),
        cmocka_unit_test(texts_stay_text),
        cmocka_unit_test(nothing_is_fetched),
        cmocka_unit_test(a_browser_agrees),
        cmocka_unit_test(the_board_counts),
        cmocka_unit_test(the_committed_board_is_right),
        cmocka_unit_test(bad_calls_are_named),
    };
    return cmocka_run_group_tests(tests, make_page, NULL);
}

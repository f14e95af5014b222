/* A claim as an article of the page. */
#include "reports/decimal.h"
#include "reports/figures.h"
#include "reports/html_internal.h"
#include "reports/json_codec.h"
#include "reports/json_codec.h"
#include "reports/mathml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void html_verdict(text_buffer *b, const char *verdict) {
    text_printf(b, "<span class=\"verdict ");
    text_xml(b, verdict);
    text_printf(b, "\">");
    text_xml(b, verdict);
    text_printf(b, "</span>");
}

/* ---- figures ---- */

/* Where an id or a reference to one begins just after at: the length of the mark, or 0. */
static size_t id_mark(const char *at) {
    static const char *const marks[] = {"id='",          "id=\"", "href='#", "href=\"#",
                                        "xlink:href='#", "url(#", NULL};
    for (int i = 0; marks[i] != NULL; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return strlen(marks[i]);
    return 0;
}

int html_figure(text_buffer *b, const char *figures, const char *name, const char *label) {
    text_buffer path;
    size_t length;
    int error;
    if (figures == NULL)
        return 0;
    text_init(&path);
    text_printf(&path, "%s/%s.svg", figures, name);
    char *text = input_read(path.data, (size_t)1 << 24, &length, &error),
         *svg = text != NULL ? strstr(text, "<svg") : NULL, *body = svg ? strchr(svg, '>') : NULL,
         *box = svg ? strstr(svg, "viewBox=\"") : NULL;
    free(text_take(&path));
    if (body == NULL || box == NULL || box > body) {
        free(text);
        return 0;
    }
    box += strlen("viewBox=\"");
    text_printf(b, "<svg role=\"img\" viewBox=\"%.*s\" aria-label=\"", (int)strcspn(box, "\"<>&"),
                box);
    text_xml(b, label);
    text_printf(b, "\">");
    char *title = strstr(body, "<title>Gnuplot</title>"), *from = body + 1;
    if (title != NULL)
        from = title + strlen("<title>Gnuplot</title>");
    for (char *at = from; *at != '\0'; at++) {
        size_t mark = id_mark(at);
        if (mark == 0 || (at > text && isalpha((unsigned char)at[-1]))) /* not the end of a word */
            continue;
        text_printf(b, "%.*s%s-", (int)(at + mark - from), from, name);
        from = at + mark;
        at += mark - 1;
    }
    text_printf(b, "%s\n", from);
    free(text);
    return 1;
}

static void put_figures(text_buffer *b, const json_t *claim, const html_parts *parts) {
    const json_t *list = json_object_get(claim, "figures"), *item;
    size_t i;
    json_array_foreach(list, i, item) {
        const char *name = json_string_value(item);
        const report_figure *f = report_figure_find(name);
        char *caption = f != NULL ? report_figure_caption(f, claim) : NULL;
        const char *label = f != NULL ? f->shows : json_text(claim, "title");
        text_buffer picture;
        text_init(&picture);
        if (html_figure(&picture, parts->figures, name, label)) {
            text_printf(b, "<figure><div class=\"paper\">%s</div><figcaption>", picture.data);
            text_xml(b, caption != NULL ? caption : label);
            text_printf(b, "</figcaption></figure>\n");
        } else {
            text_printf(b,
                        "<p class=\"soft small\">Figure %s: not drawn; <code>make figures</code> "
                        "draws it.</p>\n",
                        name);
        }
        free(text_take(&picture));
        free(caption);
    }
}

/* ---- statements ---- */

static int is_statistical(const json_t *statement) {
    return json_is_true(json_object_get(statement, "statistical"));
}

static const char *evidence_of(const json_t *statement) {
    const char *verdict = json_text(statement, "found");
    return strcmp(verdict, "undecided") == 0 || strcmp(verdict, "unchecked") == 0 ? "none"
           : is_statistical(statement)                                            ? "statistics"
           : strcmp(verdict, "proved") == 0                                       ? "proof"
                                                                                  : "certificate";
}

static int put_statement(text_buffer *b, const char *id, const json_t *s, char **complaint) {
    const char *found = json_text(s, "found"), *why = NULL;
    const json_t *proof = json_object_get(s, "proof"), *step;
    size_t i;
    text_printf(b,
                "<section class=\"statement %s\" id=\"%s/%s\" data-verdict=\"%s\" "
                "data-evidence=\"%s\" data-kind=\"%s\">\n<div class=\"head\">",
                found, id, json_text(s, "id"), found, evidence_of(s), json_text(s, "kind"));
    html_verdict(b, found);
    if (is_statistical(s) && strcmp(found, "refuted") == 0)
        text_printf(b, "<span class=\"soft small\">by measurement</span>");
    text_printf(b, "<span class=\"soft small\">%s</span>",
                strcmp(json_text(s, "kind"), "corrected") == 0 ? "what Mneme says"
                                                               : json_text(s, "kind"));
    if (strcmp(found, "unchecked") == 0)
        text_printf(b, "<span class=\"soft small\">pinned %s; not checked in this run</span>",
                    json_text(s, "pinned"));
    else if (strcmp(found, json_text(s, "pinned")) != 0)
        text_printf(b, "<span class=\"verdict failed\">pinned %s</span>", json_text(s, "pinned"));
    if (json_text(s, "scope")[0] != '\0') {
        text_printf(b, "<span class=\"soft small\">");
        text_xml(b, json_text(s, "scope"));
        text_printf(b, "</span>");
    }
    text_printf(b, "</div>\n");
    if (json_text(s, "latex")[0] != '\0') {
        char *math = mathml_from_latex(json_text(s, "latex"), &why);
        if (math == NULL) {
            text_buffer t;
            text_init(&t);
            text_printf(&t, "%s, statement %s: %s", id, json_text(s, "id"), why);
            *complaint = text_take(&t);
            return 0;
        }
        text_printf(b, "<div class=\"formula\">%s</div>\n", math);
        free(math);
    }
    text_printf(b, "<p>");
    text_xml(b, json_text(s, "text"));
    text_printf(b, "</p>\n");
    if (json_text(s, "instead")[0] != '\0') {
        text_printf(b, "<p class=\"instead\"><b>True instead:</b> ");
        text_xml(b, json_text(s, "instead"));
        text_printf(b, "</p>\n");
    }
    if (json_array_size(proof) > 0) {
        text_printf(b, "<details><summary>Proof</summary><ol>\n");
        json_array_foreach(proof, i, step) {
            text_printf(b, "<li>");
            text_xml(b, json_string_value(step));
            text_printf(b, "</li>\n");
        }
        text_printf(b, "</ol></details>\n");
    }
    text_printf(b, "</section>\n");
    return 1;
}

/* ---- checks, numbers, witnesses ---- */

static double number_of(const json_t *j, const char *key) {
    return json_number_value(json_object_get(j, key));
}

static void put_checks(text_buffer *b, const json_t *claim) {
    const json_t *list = json_object_get(claim, "checks"), *k;
    size_t i;
    long failed = 0, controls = 0;
    double seconds = 0;
    json_array_foreach(list, i, k) {
        failed += strcmp(json_text(k, "status"), "failed") == 0;
        controls += strcmp(json_text(k, "kind"), "control") == 0;
        seconds += number_of(k, "seconds");
    }
    text_printf(b,
                "<details%s><summary>%ld checks, %ld controls, %.1f s</summary><div class=\"wide\">"
                "<table class=\"stack\"><thead><tr><th>check</th><th>status</th><th>found</th>"
                "<th>narrowest decision</th><th class=\"n\">decisions</th><th class=\"n\">bits</th>"
                "<th class=\"n\">seconds</th></tr></thead><tbody>\n",
                failed ? " open" : "", (long)json_array_size(list) - controls, controls, seconds);
    json_array_foreach(list, i, k) {
        int control = strcmp(json_text(k, "kind"), "control") == 0;
        text_printf(b, "<tr><td>%s", control ? "control: " : "");
        text_xml(b, control ? json_text(k, "changed") : json_text(k, "name"));
        text_printf(b, "</td><td>");
        html_verdict(b, json_text(k, "status"));
        if (json_text(k, "message")[0] != '\0') {
            text_printf(b, "<br>");
            text_xml(b, json_text(k, "message"));
        }
        if (strcmp(json_text(k, "status"), "failed") == 0) {
            text_printf(b, "<br><code>");
            text_xml(b, json_text(k, "command"));
            text_printf(b, "</code>");
        }
        text_printf(b, "</td><td data-name=\"found\">%s</td><td>", json_text(k, "found"));
        text_xml(b, json_text(k, "label"));
        text_printf(b,
                    "</td><td class=\"n\" data-name=\"decisions\">%ld</td><td class=\"n\" "
                    "data-name=\"bits\">%ld</td><td class=\"n\" data-name=\"seconds\">%.2f"
                    "</td></tr>\n",
                    (long)number_of(k, "decisions"), (long)number_of(k, "precision"),
                    number_of(k, "seconds"));
    }
    text_printf(b, "</tbody></table></div></details>\n");
}

static void put_numbers(text_buffer *b, const json_t *claim) {
    const json_t *list = json_object_get(claim, "checks"), *k, *numbers, *n;
    size_t i, m, count = 0;
    json_array_foreach(list, i, k) {
        count += json_array_size(json_object_get(k, "numbers"));
    }
    if (count == 0)
        return;
    text_printf(b,
                "<details><summary>%ld numbers</summary><div class=\"wide\"><table><thead><tr>"
                "<th>number</th><th class=\"n\">value</th><th>unit</th><th>check</th></tr>"
                "</thead><tbody>\n",
                (long)count);
    json_array_foreach(list, i, k) {
        numbers = json_object_get(k, "numbers");
        json_array_foreach(numbers, m, n) {
            enclosure_t x;
            enclosure_init(x);
            if (report_enclosure_from_json(x, json_object_get(n, "value"))) {
                text_printf(b, "<tr><td>");
                text_xml(b, json_text(n, "name"));
                text_printf(b, "</td><td class=\"n\">");
                report_number_print(b, x, 8, DECIMAL_UNICODE);
                text_printf(b, "</td><td>");
                text_xml(b, strcmp(json_text(n, "unit"), "1") == 0 ? "" : json_text(n, "unit"));
                text_printf(b, "</td><td class=\"soft\">");
                text_xml(b, json_text(k, "name"));
                text_printf(b, "</td></tr>\n");
            }
            enclosure_clear(x);
        }
    }
    text_printf(b, "</tbody></table></div></details>\n");
}

/* " <a download=NAME>text</a>" with the file inside the link. */
static void put_download(text_buffer *b, const char *name, const char *ending, const char *type,
                         const char *text) {
    text_printf(b, " <a download=\"%s%s\" href=\"data:%s;charset=utf-8,", name, ending, type);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (isalnum(c) || strchr("-_.~,:/[]{}()*+=!?;@$'", c) != NULL)
            text_printf(b, c == '\'' ? "%%27" : "%c", c);
        else
            text_printf(b, "%%%02X", c);
    }
    text_printf(b, "\">%s%s</a>", name, ending);
}

static void put_witnesses(text_buffer *b, const json_t *report, const json_t *claim) {
    const json_t *list = json_object_get(claim, "witnesses"), *item;
    size_t i;
    if (json_array_size(list) == 0)
        return;
    text_printf(b, "<h4>Witnesses</h4><ul>\n");
    json_array_foreach(list, i, item) {
        witness_t w;
        const char *reason;
        json_t *whole = json_copy((json_t *)item);
        json_object_set(whole, "provenance", json_object_get(report, "provenance"));
        char *text = json_dumps(whole, JSON_INDENT(1));
        text_printf(b, "<li>%s:", json_text(item, "kind"));
        put_download(b, json_text(item, "id"), ".json", "application/json", text);
        free(text);
        json_decref(whole);
        if (report_witness_from_json(w, item, &reason)) {
            char *python = report_witness_to_python(w);
            if (python != NULL)
                put_download(b, json_text(item, "id"), ".py", "text/x-python", python);
            free(python);
            witness_clear(w);
        }
        text_printf(b, "</li>\n");
    }
    text_printf(b, "</ul><p class=\"soft small\"><code>mneme replay FILE.json</code> or "
                   "<code>python3 FILE.py</code> re-checks it.</p>\n");
}

int html_claim(text_buffer *b, const json_t *report, const json_t *claim, const html_parts *parts,
               char **complaint) {
    const char *id = json_text(claim, "id");
    const json_t *list = json_object_get(claim, "statements"), *item;
    size_t i;
    text_printf(b, "<article class=\"claim\" id=\"%s\" data-paper=\"%s\">\n<header><h3>", id,
                report_paper(id));
    text_xml(b, json_text(claim, "title"));
    text_printf(b,
                "</h3><a class=\"small\" href=\"#%s\"><code>%s</code></a>"
                "<span class=\"source soft small\">",
                id, id);
    text_xml(b, json_text(claim, "source"));
    text_printf(b, "</span></header>\n");
    json_array_foreach(list, i, item) {
        if (!put_statement(b, id, item, complaint))
            return 0;
    }
    list = json_object_get(claim, "hypotheses");
    if (json_array_size(list) > 0) {
        text_printf(b, "<details><summary>Hypotheses and notation</summary><ul>\n");
        json_array_foreach(list, i, item) {
            text_printf(b, "<li>");
            text_xml(b, json_string_value(item));
            text_printf(b, "</li>\n");
        }
        text_printf(b, "</ul></details>\n");
    }
    put_figures(b, claim, parts);
    put_numbers(b, claim);
    put_checks(b, claim);
    put_witnesses(b, report, claim);
    text_printf(b, "</article>\n");
    return 1;
}

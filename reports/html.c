#include "reports/html.h"
#include "reports/changes.h"
#include "reports/html_internal.h"
#include "reports/json_codec.h"
#include "reports/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long total_of(const json_t *report, const char *key) {
    return (long)json_integer_value(json_object_get(json_object_get(report, "totals"), key));
}

static void put_head(text_buffer *b, const json_t *report, const html_parts *parts) {
    const json_t *p = json_object_get(report, "provenance");
    text_printf(
        b,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>Mneme: what holds</title>\n<link rel=\"icon\" href=\"data:,\">\n"
        "<style>\n%s</style>\n</head>\n<body>\n"
        "<a class=\"skip\" href=\"#claims\">To the claims</a>\n<header>\n"
        "<h1>What holds, and what does not</h1>\n"
        "<p>Claims about long-memory sequence models, checked by Mneme with rigorous arithmetic: "
        "what passes is proved, certified on the finite set it names, or measured with its "
        "interval; what is false has a witness.</p>\n"
        "<div class=\"totals\"><span><strong>%ld</strong> checks passed</span>"
        "<span%s><strong>%ld</strong> failed</span><span><strong>%ld</strong> skipped</span>"
        "<span class=\"soft\">level %s, seed %s, commit %.12s</span>"
        "<button type=\"button\" class=\"theme\" data-script hidden aria-pressed=\"false\">"
        "Light or dark</button></div>\n",
        parts->style, total_of(report, "passed"),
        total_of(report, "failed") ? " class=\"partial\"" : "", total_of(report, "failed"),
        total_of(report, "skipped"), json_text(report, "level"), json_text(report, "seed"),
        json_text(p, "commit"));
    if (!json_is_true(json_object_get(report, "complete")))
        text_printf(b, "<p class=\"partial\"><strong>Interrupted:</strong> this report is "
                       "partial.</p>\n");
    if (json_array_size(json_object_get(report, "patterns")) > 0)
        text_printf(b, "<p class=\"partial\">Selected claims only.</p>\n");
    text_printf(b, "</header>\n<main>\n");
}

static void put_failures(text_buffer *b, const json_t *report) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *k;
    size_t i, n;
    if (total_of(report, "failed") == 0)
        return;
    text_printf(b, "<h2>Failed</h2>\n<ul>\n");
    json_array_foreach(claims, i, claim) {
        const json_t *checks = json_object_get(claim, "checks");
        json_array_foreach(checks, n, k) {
            if (strcmp(json_text(k, "status"), "failed") != 0)
                continue;
            text_printf(b, "<li><a href=\"#%s\"><code>%s</code></a> %s ", json_text(claim, "id"),
                        json_text(claim, "id"), json_text(k, "kind"));
            text_xml(b, json_text(k, "name"));
            text_printf(b, ": ");
            text_xml(b, json_text(k, "message"));
            text_printf(b, " <code>");
            text_xml(b, json_text(k, "command"));
            text_printf(b, "</code></li>\n");
        }
    }
    text_printf(b, "</ul>\n");
}

static void put_changes(text_buffer *b, const json_t *report, const json_t *since) {
    json_t *changes = report_changes(report, since), *c;
    size_t i;
    text_printf(b, "<h2 id=\"changes\">Changed since the report of commit %.12s</h2>\n",
                json_text(json_object_get(since, "provenance"), "commit"));
    if (json_array_size(changes) == 0)
        text_printf(b, "<p>Nothing.</p>\n");
    else
        text_printf(b, "<table class=\"stack first\"><thead><tr><th>claim</th><th>what</th>"
                       "<th>was</th><th>is</th></tr></thead><tbody>\n");
    json_array_foreach(changes, i, c) {
        text_printf(b, "<tr><td><code>");
        text_xml(b, json_text(c, "claim"));
        text_printf(b, "</code></td><td>");
        text_xml(b, json_text(c, "kind"));
        text_printf(b, " ");
        text_xml(b, json_text(c, "item"));
        text_printf(b, "</td><td data-name=\"was\">");
        text_xml(b, json_text(c, "was"));
        text_printf(b, "</td><td data-name=\"is\">");
        text_xml(b, json_text(c, "now"));
        text_printf(b, "</td></tr>\n");
    }
    if (json_array_size(changes) > 0)
        text_printf(b, "</tbody></table>\n");
    json_decref(changes);
}

static void put_refuted(text_buffer *b, const json_t *report) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *s;
    size_t i, n;
    int heading = 0;
    json_array_foreach(claims, i, claim) {
        const json_t *list = json_object_get(claim, "statements");
        json_array_foreach(list, n, s) {
            if (strcmp(json_text(s, "kind"), "published") != 0 ||
                strcmp(json_text(s, "found"), "refuted") != 0)
                continue;
            if (!heading++)
                text_printf(
                    b, "<h2>Published, and refuted</h2>\n<table class=\"stack first\"><thead><tr>"
                       "<th>claim</th><th>published</th><th>true instead</th></tr></thead>"
                       "<tbody>\n");
            text_printf(b, "<tr><td><a href=\"#%s/%s\"><code>%s</code></a></td><td>",
                        json_text(claim, "id"), json_text(s, "id"), json_text(claim, "id"));
            text_xml(b, json_text(s, "text"));
            if (json_is_true(json_object_get(s, "statistical")))
                text_printf(b, " <span class=\"soft\">(refuted by measurement)</span>");
            text_printf(b, "</td><td data-name=\"true instead\">");
            text_xml(b, json_text(s, "instead"));
            text_printf(b, "</td></tr>\n");
        }
    }
    if (heading)
        text_printf(b, "</tbody></table>\n");
}

static void put_choice(text_buffer *b, const char *name, const char *value, const char *label) {
    text_printf(b, "<label><input type=\"checkbox\" name=\"%s\" value=\"", name);
    text_xml(b, value);
    text_printf(b, "\">");
    text_xml(b, label);
    text_printf(b, "</label>");
}

static void put_filters(text_buffer *b, const json_t *report) {
    static const char *const verdicts[] = {"refuted",  "proved",    "certified",
                                           "measured", "undecided", NULL},
                             *const evidence[] = {"proof", "certificate", "statistics", NULL};
    const json_t *claims = json_object_get(report, "claims"), *claim;
    const char *before = "";
    size_t i;
    text_printf(b, "<form class=\"filters\" role=\"search\" data-script hidden>"
                   "<fieldset><legend>Paper</legend>");
    json_array_foreach(claims, i, claim) { /* the registry keeps papers together */
        const char *paper = report_paper(json_text(claim, "id"));
        if (strcmp(paper, before) != 0)
            put_choice(b, "paper", paper, paper);
        before = paper;
    }
    text_printf(b, "</fieldset><fieldset><legend>Verdict</legend>");
    for (int v = 0; verdicts[v] != NULL; v++)
        put_choice(b, "verdict", verdicts[v], verdicts[v]);
    text_printf(b, "</fieldset><fieldset><legend>Evidence</legend>");
    for (int e = 0; evidence[e] != NULL; e++)
        put_choice(b, "evidence", evidence[e], evidence[e]);
    text_printf(b, "</fieldset><fieldset><legend>Said by</legend>");
    put_choice(b, "kind", "published", "papers");
    put_choice(b, "kind", "conjectured", "conjecture");
    put_choice(b, "kind", "corrected", "Mneme");
    text_printf(b, "</fieldset><label>Words <input type=\"search\" name=\"text\" "
                   "autocomplete=\"off\"></label><button type=\"reset\">All</button>"
                   "<span class=\"found\" role=\"status\" aria-live=\"polite\"></span></form>\n");
}

static void put_foot(text_buffer *b, const json_t *report, const html_parts *parts) {
    const json_t *list = json_object_get(report, "not_covered"), *item, *value;
    const char *key;
    size_t i;
    text_printf(b, "<h2>Not covered</h2>\n<ul>\n");
    json_array_foreach(list, i, item) {
        text_printf(b, "<li>");
        text_xml(b, json_text(item, "what"));
        text_printf(b, ": ");
        text_xml(b, json_text(item, "why"));
        text_printf(b, "</li>\n");
    }
    text_printf(
        b,
        "</ul>\n<h2>What the words mean</h2>\n<table class=\"first\"><tbody>\n"
        "<tr><td><span class=\"verdict proved\">proved</span></td><td>for all parameters of an "
        "infinite or continuous domain: numbered steps, with their computable parts decided in "
        "exact arithmetic</td></tr>\n"
        "<tr><td><span class=\"verdict certified\">certified</span></td><td>a rigorous enclosure "
        "or exact rational at every point of the finite set that the statement names</td></tr>\n"
        "<tr><td><span class=\"verdict refuted\">refuted</span></td><td>one exact or certified "
        "counterexample; its witness can be replayed. Experiments: by measurement, with intervals, "
        "and then no witness</td></tr>\n"
        "<tr><td><span class=\"verdict measured\">measured</span></td><td>statistics with "
        "confidence interval, seed and sample size</td></tr>\n"
        "<tr><td><span class=\"verdict undecided\">undecided</span></td><td>an honest "
        "result</td></tr>\n</tbody></table>\n"
        "<p class=\"small soft\">A control is the same check with one thing changed; it passes "
        "when the change is refuted with positive margin.</p>\n"
        "</main>\n<footer><h2>Provenance</h2><p>");
    int first = 1;
    json_object_foreach((json_t *)json_object_get(report, "provenance"), key, value) {
        text_printf(b, first ? "" : "; ");
        text_xml(b, key);
        text_printf(b, " ");
        text_xml(b, json_string_value(value));
        first = 0;
    }
    text_printf(b, "; %.1f s in all.</p></footer>\n<script>\n%s</script>\n</body>\n</html>\n",
                json_number_value(json_object_get(report, "seconds")), parts->script);
}

char *report_write_html(const json_t *report, const html_parts *parts, char **complaint) {
    const json_t *claims = json_object_get(report, "claims"), *claim;
    size_t i;
    text_buffer b;
    text_init(&b);
    put_head(&b, report, parts);
    char *board = report_write_board(report, 0);
    text_printf(&b, "<h2>At a glance: what the papers say</h2>\n%s", board);
    free(board);
    if (parts->since != NULL)
        put_changes(&b, report, parts->since);
    put_failures(&b, report);
    put_refuted(&b, report);
    text_printf(&b, "<h2 id=\"claims\">Claims</h2>\n");
    put_filters(&b, report);
    json_array_foreach(claims, i, claim) {
        if (!html_claim(&b, report, claim, parts, complaint)) {
            free(text_take(&b));
            return NULL;
        }
    }
    html_tables(&b, parts);
    put_foot(&b, report, parts);
    return text_take(&b);
}

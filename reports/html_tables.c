/* Accuracy and speed of the kernels, from the files of mneme regress and mneme bench. */
#include "reports/html_internal.h"
#include "reports/json_codec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const json_t *j, const char *key) {
    const json_t *x = json_object_get(j, key);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

/* A cell of a number; empty where there is none. */
static void put_number(text_buffer *b, const char *name, const char *format, double x) {
    text_printf(b, "<td class=\"n\" data-name=\"%s\">", name);
    if (isfinite(x)) {
        char digits[64];
        snprintf(digits, sizeof digits, format, x);
        text_printf(b, "%s", digits);
    }
    text_printf(b, "</td>");
}

/* What a kernel's rows of an accuracy report come to. */
typedef struct {
    const char *kernel;
    long rows, skipped, ok, undecided, suspect, broken;
    double ratio, rms, ulp, p99;
} tally;
enum { KERNELS = 64 };

static void put_accuracy(text_buffer *b, const json_t *report) {
    const json_t *rows = json_object_get(report, "rows"), *row;
    tally all[KERNELS];
    size_t i;
    int kernels = 0;
    json_array_foreach(rows, i, row) {
        int k = 0;
        while (k < kernels && strcmp(all[k].kernel, json_text(row, "kernel")) != 0)
            k++;
        if (k == KERNELS)
            continue;
        if (k == kernels)
            all[kernels++] = (tally){.kernel = json_text(row, "kernel")};
        const char *verdict = json_text(row, "verdict");
        all[k].rows++;
        all[k].skipped += verdict[0] == '\0';
        all[k].ok += strcmp(verdict, "ok") == 0;
        all[k].undecided += strcmp(verdict, "undecided") == 0;
        all[k].suspect += strcmp(verdict, "suspect") == 0;
        all[k].broken += strcmp(verdict, "broken") == 0;
        all[k].ratio = fmax(all[k].ratio, number_of(row, "ratio"));
        if (strcmp(json_text(row, "family"), "gaussian") == 0) {
            all[k].rms = fmax(all[k].rms, number_of(row, "rms"));
            all[k].p99 = fmax(all[k].p99, number_of(row, "p99"));
            all[k].ulp = fmax(all[k].ulp, number_of(row, "ulp"));
        }
    }
    text_printf(
        b,
        "<h2 id=\"accuracy\">Accuracy of the kernels</h2>\n<p class=\"soft\">Every kernel, method "
        "and instruction set against the certified reference (<code>make regress</code>). Error "
        "over its proven bound: all inputs; the rest: Gaussian inputs.%s</p>\n<div class=\"wide\">"
        "<table class=\"stack\"><thead><tr><th>kernel</th><th class=\"n\">runs</th>"
        "<th class=\"n\">ok</th><th class=\"n\">undecided</th><th class=\"n\">suspect</th>"
        "<th class=\"n\">broken</th><th class=\"n\">largest error / bound</th>"
        "<th class=\"n\">99%% of elements, ulp</th><th class=\"n\">largest, ulp</th>"
        "<th class=\"n\">rms, relative</th></tr></thead><tbody>\n",
        json_is_false(json_object_get(report, "complete"))
            ? " <strong>The run was interrupted: these numbers are partial.</strong>"
            : "");
    for (int k = 0; k < kernels; k++) {
        text_printf(b, "<tr><td>");
        text_xml(b, all[k].kernel);
        text_printf(b, "</td>");
        put_number(b, "runs", "%.0f", (double)(all[k].rows - all[k].skipped));
        put_number(b, "ok", "%.0f", (double)all[k].ok);
        put_number(b, "undecided", "%.0f", (double)all[k].undecided);
        put_number(b, "suspect", "%.0f", (double)all[k].suspect);
        put_number(b, "broken", "%.0f", (double)all[k].broken);
        put_number(b, "error / bound", "%.2g", all[k].ratio);
        put_number(b, "99%, ulp", "%.3g", all[k].p99);
        put_number(b, "largest, ulp", "%.3g", all[k].ulp);
        put_number(b, "rms", "%.2g", all[k].rms);
        text_printf(b, "</tr>\n");
    }
    text_printf(b, "</tbody></table></div>\n");
}

static void put_bench(text_buffer *b, const json_t *report) {
    const json_t *rows = json_object_get(report, "kernels"), *row;
    size_t i;
    text_printf(
        b,
        "<h2 id=\"speed\">Speed of the kernels</h2>\n<p class=\"soft\">Ratios within one run "
        "(<code>mneme bench</code>), %s, %s.</p>\n<div class=\"wide\"><table class=\"stack\">"
        "<thead><tr><th>kernel</th><th>method</th><th class=\"n\">tokens</th>"
        "<th class=\"n\">d</th><th class=\"n\">threads</th><th class=\"n\">ns a token and head</th>"
        "<th class=\"n\">of peak</th><th class=\"n\">of L2</th><th class=\"n\">speed-up</th></tr>"
        "</thead><tbody>\n",
        json_text(json_object_get(report, "provenance"), "cpu"),
        json_text(json_object_get(report, "machine"), "kernels_for"));
    json_array_foreach(rows, i, row) {
        if (!isfinite(number_of(row, "ns_per_token_and_head")))
            continue;
        text_printf(b, "<tr><td>");
        text_xml(b, json_text(row, "kernel"));
        text_printf(b, "</td><td>");
        text_xml(b, json_text(row, "method"));
        text_printf(b, "</td>");
        put_number(b, "tokens", "%.0f", number_of(row, "time"));
        put_number(b, "d", "%.0f", number_of(row, "dim"));
        put_number(b, "threads", "%.0f", number_of(row, "threads"));
        put_number(b, "ns a token and head", "%.1f", number_of(row, "ns_per_token_and_head"));
        put_number(b, "of peak", "%.3f", number_of(row, "fraction_of_peak"));
        put_number(b, "of L2", "%.3f", number_of(row, "fraction_of_l2"));
        put_number(b, "speed-up", "%.2f", number_of(row, "speedup"));
        text_printf(b, "</tr>\n");
    }
    text_printf(b, "</tbody></table></div>\n");
}

void html_tables(text_buffer *b, const html_parts *parts) {
    if (parts->accuracy != NULL)
        put_accuracy(b, parts->accuracy);
    if (parts->bench != NULL)
        put_bench(b, parts->bench);
}

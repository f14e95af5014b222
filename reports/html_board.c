/* The published statements at a glance. */
#include "reports/html.h"
#include "reports/json_codec.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *report_paper(const char *id) {
    static const char *const names[][2] = {{"vort.", "VORT"},
                                           {"vla.", "VLA"},
                                           {"loglinear.", "Log-linear attention"},
                                           {"experiments.", "Experiments"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(id, names[i][0], strlen(names[i][0])) == 0)
            return names[i][1];
    return id;
}

/* A verdict's sign, for eyes that do not tell the colours apart. */
static const char *sign(const char *verdict) {
    return strcmp(verdict, "refuted") == 0     ? "✗"
           : strcmp(verdict, "proved") == 0    ? "✓"
           : strcmp(verdict, "certified") == 0 ? "≡"
           : strcmp(verdict, "measured") == 0  ? "~"
                                               : "?";
}

enum { LEFT = 160, CELL = 26, STEP = 30, PER_ROW = 16, PAPERS = 16 };

static void cell(text_buffer *b, const char *id, const json_t *s, long n, long y, int alone) {
    long x = LEFT + n % PER_ROW * STEP, top = y + n / PER_ROW * STEP;
    const char *verdict = json_text(s, "found");
    text_printf(b, "<g class=\"%s\">", verdict);
    if (!alone) {
        text_printf(b, "<a href=\"#%s/%s\" aria-label=\"", id, json_text(s, "id"));
        text_xml(b, verdict);
        text_printf(b, ": ");
        text_xml(b, json_text(s, "text"));
        text_printf(b, "\">");
    }
    text_printf(b, "<title>");
    text_xml(b, verdict);
    text_printf(b, ": ");
    text_xml(b, json_text(s, "text"));
    text_printf(b,
                "</title><rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" rx=\"4\"/>"
                "<text class=\"sign\" x=\"%ld\" y=\"%ld\" text-anchor=\"middle\">%s</text>%s</g>\n",
                x, top, CELL, CELL, x + CELL / 2, top + 18, sign(verdict), alone ? "" : "</a>");
}

char *report_write_board(const json_t *report, int alone) {
    static const char *const verdicts[] = {"refuted",  "proved",    "certified",
                                           "measured", "undecided", NULL};
    const json_t *claims = json_object_get(report, "claims"), *claim, *s;
    const char *paper[PAPERS];
    size_t i, k;
    int papers = 0;
    json_array_foreach(claims, i, claim) {
        int known = 0;
        for (int p = 0; p < papers; p++)
            known = known || strcmp(paper[p], report_paper(json_text(claim, "id"))) == 0;
        if (!known && papers < PAPERS)
            paper[papers++] = report_paper(json_text(claim, "id"));
    }
    text_buffer rows, b;
    text_init(&rows);
    long y = 8, total[5] = {0};
    for (int p = 0; p < papers; p++) {
        long n = 0;
        text_printf(&rows, "<text class=\"paper\" x=\"0\" y=\"%ld\">", y + 18);
        text_xml(&rows, paper[p]);
        text_printf(&rows, "</text>\n");
        for (int v = 0; verdicts[v] != NULL; v++)
            json_array_foreach(claims, i, claim) {
                const json_t *list = json_object_get(claim, "statements");
                if (strcmp(report_paper(json_text(claim, "id")), paper[p]) != 0)
                    continue;
                json_array_foreach(list, k, s) {
                    if (strcmp(json_text(s, "kind"), "published") == 0 &&
                        strcmp(json_text(s, "found"), verdicts[v]) == 0) {
                        cell(&rows, json_text(claim, "id"), s, n++, y, alone);
                        total[v]++;
                    }
                }
            }
        if (n == 0)
            text_printf(&rows,
                        "<text class=\"count\" x=\"%d\" y=\"%ld\">nothing published</text>\n", LEFT,
                        y + 18);
        y += (n > PER_ROW ? (n + PER_ROW - 1) / PER_ROW : 1) * STEP + 10;
    }
    /* the legend is the key to colours and signs, with counts */
    long x = LEFT;
    for (int v = 0; verdicts[v] != NULL; v++) {
        if (total[v] == 0)
            continue;
        text_printf(&rows,
                    "<g class=\"%s\"><rect x=\"%ld\" y=\"%ld\" width=\"14\" height=\"14\" "
                    "rx=\"3\"/></g><text class=\"count\" x=\"%ld\" y=\"%ld\">%s %ld %s</text>\n",
                    verdicts[v], x, y + 4, x + 19, y + 15, sign(verdicts[v]), total[v],
                    verdicts[v]);
        x += 110;
    }
    y += 26;
    text_init(&b);
    text_printf(&b,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" viewBox=\"0 0 %d %ld\" "
                "%srole=\"img\" aria-label=\"Published statements by paper and verdict\">\n",
                LEFT + PER_ROW * STEP + 10, y, alone ? "width=\"650\" " : "");
    if (alone)
        text_printf(
            &b, "<style>text{font:14px system-ui,'DejaVu Sans',sans-serif;fill:#1c1e21}"
                ".count{font-size:12px;fill:#5b6068}.sign{font-weight:700;font-size:13px;fill:#fff}"
                ".refuted rect{fill:#b3261e}.proved rect{fill:#00704a}.certified rect{fill:#0b5d96}"
                ".measured rect{fill:#7a4b00}.undecided rect,.unchecked rect{fill:#5b6068}"
                "@media(prefers-color-scheme:dark){text{fill:#e8e6e1}.count{fill:#a7adb6}"
                ".sign{fill:#fff}}</style>\n");
    text_printf(&b, "%s</svg>\n", rows.data);
    free(text_take(&rows));
    return text_take(&b);
}

#include "reports/latex.h"
#include "reports/decimal.h"
#include "reports/json_codec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void provenance_comment(text_buffer *b, const json_t *report) {
    const json_t *p = json_object_get(report, "provenance");
    text_printf(b, "%% Mneme %s, commit %.12s; level %s, seed %s.\n", json_text(p, "mneme"),
                json_text(p, "commit"), json_text(report, "level"), json_text(report, "seed"));
}

/* ---- tables ---- */

/* The ID in typewriter letters, with breaks allowed after its dots and dashes. */
static void print_id(text_buffer *b, const char *id) {
    text_printf(b, "\\texttt{");
    for (; *id != '\0'; id++) {
        char letter[2] = {*id, '\0'};
        report_latex_text(b, letter);
        if (*id == '.' || *id == '-')
            text_printf(b, "\\allowbreak{}");
    }
    text_printf(b, "}");
}

static void print_statement(text_buffer *b, const json_t *s) {
    report_latex_text(b, json_text(s, "text"));
    if (json_text(s, "latex")[0] != '\0')
        text_printf(b, " \\mnemeformula{%s}", json_text(s, "latex"));
    if (json_text(s, "scope")[0] != '\0') {
        text_printf(b, " (Looked at: ");
        report_latex_text(b, json_text(s, "scope"));
        text_printf(b, ".)");
    }
}

static void print_verdict(text_buffer *b, const json_t *s) {
    int as_pinned = strcmp(json_text(s, "found"), json_text(s, "pinned")) == 0;
    text_printf(b, strcmp(json_text(s, "found"), "refuted") == 0 ? "\\textbf{%s}" : "%s",
                json_text(s, "found"));
    if (!as_pinned)
        text_printf(b, " (not as pinned: %s)", json_text(s, "pinned"));
}

static void begin_table(text_buffer *b, const char *columns, const char *caption, const char *label,
                        const char *head) {
    text_printf(
        b,
        "\\begin{longtable}{@{}%s@{}}\n\\caption{%s}\\label{%s}\\\\\n\\toprule\n%s\\\\\n\\midrule\n"
        "\\endfirsthead\n\\toprule\n%s\\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n",
        columns, caption, label, head, head);
}

typedef enum { ROWS_FALSE, ROWS_OTHER, ROWS_CORRECTED } row_kind;

static int belongs(const json_t *s, row_kind kind) {
    int corrected = strcmp(json_text(s, "kind"), "corrected") == 0,
        refuted = strcmp(json_text(s, "found"), "refuted") == 0;
    return kind == ROWS_CORRECTED ? corrected : !corrected && refuted == (kind == ROWS_FALSE);
}

static void print_rows(text_buffer *b, const json_t *report, row_kind kind) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *s;
    size_t i, n;
    json_array_foreach(claims, i, claim) {
        const json_t *list = json_object_get(claim, "statements");
        int first = 1;
        json_array_foreach(list, n, s) {
            if (!belongs(s, kind))
                continue;
            if (first) {
                print_id(b, json_text(claim, "id"));
                text_printf(b, "\\newline ");
                report_latex_text(b, json_text(claim, "source"));
            }
            first = 0;
            text_printf(b, "\n  & ");
            if (strcmp(json_text(s, "kind"), "conjectured") == 0)
                text_printf(b, "Conjectured: ");
            print_statement(b, s);
            text_printf(b, "\n  & ");
            print_verdict(b, s);
            if (kind != ROWS_CORRECTED) {
                text_printf(b, "\n  & ");
                report_latex_text(b, json_text(s, "instead"));
            }
            text_printf(b, "\\\\\\addlinespace\n");
        }
    }
}

char *report_write_latex(const json_t *report) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "%% Claims and verdicts: two longtables.  "
                    "\\usepackage{amsmath,amssymb,array,booktabs,longtable}.\n");
    provenance_comment(&b, report);
    text_printf(
        &b,
        "%% A formula wider than its column is set smaller.\n"
        "\\providecommand\\mnemeformula[1]{%%\n"
        "  \\setbox0\\hbox{$#1$}\\ifdim\\wd0>\\linewidth\\setbox0\\hbox{$\\scriptstyle#1$}\\fi\n"
        "  \\ifdim\\wd0>\\linewidth$\\scriptstyle#1$\\else\\box0\\fi}\n"
        "\\begingroup\\footnotesize\\setlength\\tabcolsep{4pt}\\sloppy\n");
    begin_table(&b,
                ">{\\raggedright\\arraybackslash}p{0.17\\linewidth}"
                ">{\\raggedright\\arraybackslash}p{0.36\\linewidth}"
                ">{\\raggedright\\arraybackslash}p{0.1\\linewidth}"
                ">{\\raggedright\\arraybackslash}p{0.29\\linewidth}",
                "Statements as published or conjectured, false ones first.", "mneme:published",
                "claim, source & statement & verdict & true instead");
    print_rows(&b, report, ROWS_FALSE);
    print_rows(&b, report, ROWS_OTHER);
    text_printf(&b, "\\end{longtable}\n");
    begin_table(&b,
                ">{\\raggedright\\arraybackslash}p{0.19\\linewidth}"
                ">{\\raggedright\\arraybackslash}p{0.64\\linewidth}"
                ">{\\raggedright\\arraybackslash}p{0.12\\linewidth}",
                "What holds: corrected and added statements.", "mneme:corrected",
                "claim, source & statement & verdict");
    print_rows(&b, report, ROWS_CORRECTED);
    text_printf(&b, "\\end{longtable}\n\\endgroup\n");
    return text_take(&b);
}

/* ---- numbers ---- */

/* Letters, digits and . / = + stay; anything else is a dash, once, and none beside = or /. */
static void print_slug(text_buffer *b, const char *name) {
    size_t start = b->length;
    int gap = 0;
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        char last = b->length > start ? b->data[b->length - 1] : '/';
        if (c < 128 && (isalnum(c) || strchr(".=+/-", c) != NULL)) {
            if (c == '-' && (last == '-' || (last == '/' && b->length == start)))
                continue;
            if ((c == '=' || c == '/') && last == '-') /* no dash in front */
                b->data[--b->length] = '\0';
            else if (gap && strchr("-=/", last) == NULL && strchr("-=/", c) == NULL)
                text_printf(b, "-");
            text_printf(b, "%c", c);
            gap = 0;
        } else {
            gap = 1;
        }
    }
    if (b->length == start)
        text_printf(b, "number");
}

static char *make_key(const char *claim, const char *check, const char *name, long copy) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "%s/", claim);
    if (check != NULL)
        text_printf(&b, "%s/", check);
    print_slug(&b, name);
    if (copy > 1)
        text_printf(&b, "/%ld", copy);
    return text_take(&b);
}

/* Another check of the claim has a number of the same key. */
static int is_shared(const json_t *claim, const json_t *check, const char *short_key) {
    const json_t *checks = json_object_get(claim, "checks"), *k, *number;
    size_t i, n;
    int shared = 0;
    json_array_foreach(checks, i, k) {
        const json_t *numbers = json_object_get(k, "numbers");
        if (k == check)
            continue;
        json_array_foreach(numbers, n, number) {
            char *key = make_key(json_text(claim, "id"), NULL, json_text(number, "name"), 1);
            shared |= strcmp(key, short_key) == 0;
            free(key);
        }
    }
    return shared;
}

static void add_key(json_t *keys, const json_t *claim, const json_t *check, const json_t *number) {
    const char *name = json_text(number, "name");
    json_t *value = json_object_get(number, "value");
    char *key = make_key(json_text(claim, "id"), NULL, name, 1);
    const char *part = is_shared(claim, check, key) ? json_text(check, "name") : NULL;
    for (long copy = 1;; copy++) {
        free(key);
        key = make_key(json_text(claim, "id"), part, name, copy);
        const json_t *kept = json_find(keys, "key", key);
        if (kept == NULL)
            break;
        if (strcmp(json_text(kept, "name"), name) == 0 &&
            json_equal(json_object_get(kept, "value"), value)) {
            free(key);
            return;
        }
    }
    json_t *item = json_object();
    json_object_set_new(item, "key", json_string(key));
    json_object_set_new(item, "name", json_string(name));
    json_object_set_new(item, "unit", json_string(json_text(number, "unit")));
    json_object_set(item, "value", value);
    json_array_append_new(keys, item);
    free(key);
}

json_t *report_number_keys(const json_t *report) {
    json_t *keys = json_array();
    const json_t *claims = json_object_get(report, "claims"), *claim, *check, *number;
    size_t i, k, n;
    json_array_foreach(claims, i, claim) {
        const json_t *checks = json_object_get(claim, "checks");
        json_array_foreach(checks, k, check) {
            const json_t *numbers = json_object_get(check, "numbers");
            json_array_foreach(numbers, n, number) {
                add_key(keys, claim, check, number);
            }
        }
    }
    return keys;
}

enum { DIGITS = 6 };

static void print_number(text_buffer *b, const json_t *item) {
    static const char *const kinds[] = {"exact", "certified", "measured"};
    enclosure_t x;
    fmpq_t lower, upper;
    enclosure_init(x);
    fmpq_init(lower);
    fmpq_init(upper);
    if (report_enclosure_from_json(x, json_object_get(item, "value"))) {
        text_printf(b, "\\mnemenumber{%s}{", json_text(item, "key"));
        report_number_print(b, x, DIGITS, DECIMAL_TEX);
        for (int end = 0; end < 2; end++) {
            decimal d;
            text_printf(b, "}{");
            if (report_enclosure_ends(lower, upper, x)) {
                decimal_set(&d, end ? upper : lower, DIGITS, end ? ROUND_UP : ROUND_DOWN);
                decimal_print(b, &d, DECIMAL_TEX);
            } else {
                text_printf(b, end ? "\\infty" : "-\\infty");
            }
        }
        text_printf(b, "}{");
        if (strcmp(json_text(item, "unit"), "1") != 0)
            report_latex_text(b, json_text(item, "unit"));
        text_printf(b, "}{%s} %% ", kinds[x->type]);
        for (const char *p = json_text(item, "name"); *p != '\0'; p++)
            text_printf(b, "%c", (unsigned char)*p < 32 || (unsigned char)*p > 126 ? '?' : *p);
        text_printf(b, "\n");
    }
    fmpq_clear(lower);
    fmpq_clear(upper);
    enclosure_clear(x);
}

char *report_write_numbers(const json_t *report) {
    text_buffer b;
    json_t *keys = report_number_keys(report), *item;
    size_t i;
    text_init(&b);
    text_printf(&b,
                "%% Numbers: \\mneme{KEY}, \\mnemelower{KEY}, \\mnemeupper{KEY}, \\mnemeunit{KEY}, "
                "\\mnemekind{KEY}.  \\usepackage{amsmath}.\n"
                "%% Digits before dots are certain; bounds and intervals are rounded outwards.\n");
    provenance_comment(&b, report);
    text_printf(
        &b, "\\makeatletter\n"
            "\\providecommand\\mnemenumber[6]{%%\n"
            "  "
            "\\@namedef{mneme:value:#1}{\\ensuremath{#2}}\\@namedef{mneme:lower:#1}{\\ensuremath{#"
            "3}}%%\n"
            "  \\@namedef{mneme:upper:#1}{\\ensuremath{#4}}\\@namedef{mneme:unit:#1}{#5}%%\n"
            "  \\@namedef{mneme:kind:#1}{#6}}\n"
            "\\providecommand\\mneme@get[2]{\\@ifundefined{mneme:#1:#2}{\\textbf{??}%%\n"
            "  \\PackageError{mneme}{No number of the key #2}{The keys are in numbers.tex.}}%%\n"
            "  {\\@nameuse{mneme:#1:#2}}}\n"
            "\\DeclareRobustCommand\\mneme[1]{\\mneme@get{value}{#1}}\n"
            "\\DeclareRobustCommand\\mnemelower[1]{\\mneme@get{lower}{#1}}\n"
            "\\DeclareRobustCommand\\mnemeupper[1]{\\mneme@get{upper}{#1}}\n"
            "\\DeclareRobustCommand\\mnemeunit[1]{\\mneme@get{unit}{#1}}\n"
            "\\DeclareRobustCommand\\mnemekind[1]{\\mneme@get{kind}{#1}}\n"
            "\\makeatother\n");
    json_array_foreach(keys, i, item) {
        print_number(&b, item);
    }
    json_decref(keys);
    return text_take(&b);
}

/* mneme report */
#include "reports/annotations.h"
#include "reports/changes.h"
#include "reports/cli/cli.h"
#include "reports/figures.h"
#include "reports/html.h"
#include "reports/latex.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *write_annotations(const json_t *report) {
    return report_write_annotations(report, cli_data_folder());
}
static char *write_board(const json_t *report) {
    return report_write_board(report, 1);
}

enum { MARKDOWN, HTML, FORMATS = 10 };
/* Those without a writer take more than the report. */
static const struct {
    const char *name;
    char *(*write)(const json_t *report);
} formats[FORMATS] = {{"markdown", NULL},
                      {"html", NULL},
                      {"svg", write_board},
                      {"junit", report_write_junit},
                      {"annotations", write_annotations},
                      {"latex", report_write_latex},
                      {"numbers", report_write_numbers},
                      {"captions", report_write_captions},
                      {"captions-json", report_write_captions_json},
                      {"values", report_write_values}};

enum { PAGE_PATH = 4200 };
static void page_path(char path[PAGE_PATH], const char *name) {
    snprintf(path, PAGE_PATH, "%s/html/%s", cli_data_folder(), name);
}

/* The text of FOLDER/html/NAME for free(), or NULL after complaining. */
static char *page_part(const char *name) {
    char path[PAGE_PATH];
    size_t length;
    int error;
    page_path(path, name);
    char *text = input_read(path, (size_t)1 << 20, &length, &error);
    if (text == NULL)
        cli_complain("report", "%s: %s; it belongs to the program", path, strerror(error));
    return text;
}

/* A file that mneme regress or mneme bench wrote: the array of its rows, and what the page shows of
   them.  Names are there, numbers may be null or missing (a row that was skipped). */
typedef struct {
    const char *schema, *rows, *names[4], *numbers[10];
} table_form;
static const table_form accuracy_form = {"mneme-regress-1",
                                         "rows",
                                         {"kernel", "family", NULL},
                                         {"ratio", "rms", "p99", "ulp", NULL}},
                        bench_form = {"mneme-bench-1",
                                      "kernels",
                                      {"kernel", "method", NULL},
                                      {"time", "dim", "threads", "ns_per_token_and_head",
                                       "fraction_of_peak", "fraction_of_l2", "speedup", NULL}};

/* Complains about the first row that is not of that form. */
static int rows_complaint(const char *path, const json_t *rows, const table_form *form) {
    const json_t *row, *x;
    size_t i;
    json_array_foreach(rows, i, row) {
        if (!json_is_object(row))
            return cli_complain("report", "%s: %s[%zu]: an object is wanted", path, form->rows, i);
        for (const char *const *name = form->names; *name != NULL; name++)
            if (!json_is_string(json_object_get(row, *name)))
                return cli_complain("report", "%s: %s[%zu]: \"%s\" must be a string", path,
                                    form->rows, i, *name);
        for (const char *const *name = form->numbers; *name != NULL; name++)
            if ((x = json_object_get(row, *name)) != NULL && !json_is_number(x) && !json_is_null(x))
                return cli_complain("report", "%s: %s[%zu]: \"%s\" must be a number or null", path,
                                    form->rows, i, *name);
    }
    return EXIT_PASS;
}

/* The file, or NULL after complaining. */
static json_t *read_table(const char *path, const table_form *form) {
    json_error_t where;
    size_t length;
    int error = 0;
    char *text = input_read(path, (size_t)1 << 28, &length, &error);
    json_t *j = text != NULL ? json_loadb(text, length, 0, &where) : NULL;
    free(text);
    const char *found = json_string_value(json_object_get(j, "schema"));
    const json_t *rows = json_object_get(j, form->rows);
    if (error != 0)
        cli_complain("report", "%s: %s", path, strerror(error));
    else if (j == NULL)
        cli_complain("report", "%s:%d:%d: not JSON: %s", path, where.line, where.column,
                     where.text);
    else if (found == NULL || strcmp(found, form->schema) != 0 || !json_is_array(rows))
        cli_complain("report", "%s: \"schema\" must be \"%s\", with an array \"%s\"", path,
                     form->schema, form->rows);
    else if (rows_complaint(path, rows, form) == EXIT_PASS)
        return j;
    json_decref(j);
    return NULL;
}

/* Complains if output is a picture that the page of the report takes in. */
static int figures_complaint(const char *output, const json_t *report, const char *figures) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *name;
    size_t i, n;
    int status = EXIT_PASS;
    json_array_foreach(claims, i, claim) {
        const json_t *list = json_object_get(claim, "figures");
        json_array_foreach(list, n, name) {
            text_buffer path;
            text_init(&path);
            text_printf(&path, "%s/%s.svg", figures, json_string_value(name));
            const cli_file outputs[] = {{"--output", output}, {NULL, NULL}},
                           inputs[] = {{"--figures", path.data}, {NULL, NULL}};
            if (status == EXIT_PASS)
                status = cli_places("report", outputs, inputs);
            free(path.data);
        }
    }
    return status;
}

/* The claims of another report, and its counts, go behind the report's own. */
static void join(json_t *report, const json_t *more) {
    static const char *const counts[] = {"passed", "failed", "skipped"};
    json_t *totals = json_object_get(report, "totals");
    json_array_extend(json_object_get(report, "claims"), json_object_get(more, "claims"));
    for (int i = 0; i < 3; i++)
        json_object_set_new(totals, counts[i],
                            json_integer(json_integer_value(json_object_get(totals, counts[i])) +
                                         json_integer_value(json_object_get(
                                             json_object_get(more, "totals"), counts[i]))));
    if (!json_is_true(json_object_get(more, "complete")))
        json_object_set_new(report, "complete", json_false());
}

/* The page for free(); NULL after complaining. */
static char *write_html(const json_t *report, html_parts parts) {
    char *style = page_part("page.css"), *script = style != NULL ? page_part("page.js") : NULL,
         *complaint = NULL, *text = NULL;
    if (script != NULL) {
        parts.style = style, parts.script = script;
        text = report_write_html(report, &parts, &complaint);
        if (text == NULL)
            cli_complain("report", "%s", complaint);
    }
    free(complaint), free(script), free(style);
    return text;
}

const cli_manual manual_report = {
    "Writes a report of mneme verify in another form; nothing is run again.\n"
    "\n"
    "markdown is the whole report; with --brief a pull request's comment: totals,\n"
    "failures with the commands that repeat them, refuted statements folded. With\n"
    "--since either says what changed since an older report: claims, verdicts,\n"
    "checks, numbers whose enclosures do not meet, and, for information, checks\n"
    "that take twice as long.\n"
    "\n"
    "junit is JUnit XML (schemas/junit.xsd), annotations are GitHub's workflow\n"
    "commands, with the line of the claim's source where it is found.\n"
    "\n"
    "latex (claims.tex) is two longtables of statements and verdicts. numbers\n"
    "(numbers.tex) gives every number as \\mneme{CLAIM/NAME}, by its certain digits,\n"
    "and \\mnemelower, \\mnemeupper rounded outwards, \\mnemeunit, \\mnemekind. captions\n"
    "(captions.tex) gives \\mnemecaption{FIGURE}; captions-json is the same as data.\n"
    "\n"
    "values is everything exact, one sorted line each, to compare runs by with diff:\n"
    "verdicts, comparisons, numbers, columns of tables (as hashes), witnesses; what\n"
    "is measured stands in lines that say so. No times, no machine.",
    {{"report --format latex --output claims.tex verify.json", "tables for a paper"},
     {"report --brief --since main.json verify.json", "a comment on a pull request"},
     {"report --format annotations verify.json", "failures beside the code"},
     {NULL, NULL}},
    "Without VERIFY.json: build/reports/verify.json."};

int cmd_report(int argc, char **argv) {
    const char *name = "markdown", *since_path = NULL, *output = NULL, *brief = NULL,
               *figures = "build/figures", *accuracy = NULL, *bench = NULL, *experiments = NULL,
               *path = "build/reports/verify.json";
    const cli_option options[] = {
        {"--format", "FORMAT",
         "markdown (default), html, svg, junit, annotations, latex, numbers, captions, "
         "captions-json or values",
         &name, NULL, NULL},
        {"--since", "OLD.json", "markdown, html: say first what changed since that report",
         &since_path, NULL, NULL},
        {"--brief", NULL, "markdown: a comment's length, for a pull request", &brief, NULL, NULL},
        {"--figures", "DIR", "html: where the figures' SVGs are (default build/figures)", &figures,
         NULL, NULL},
        {"--experiments", "F",
         "html, svg: with the claims of another report, made by make experiments", &experiments,
         NULL, NULL},
        {"--accuracy", "F", "html: with the table of mneme regress --json F", &accuracy, NULL,
         NULL},
        {"--bench", "F", "html: with the table of mneme bench kernels --json F", &bench, NULL,
         NULL},
        {"--output", "F", "write to a file", &output, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status, format = 0;
    char *complaint = NULL;
    if (cli_parse(cli_find("report"), options, &argc, argv, &status))
        return status;
    if (argc > 1)
        return cli_complain("report", "one report is wanted, not %d", argc);
    if (argc == 1)
        path = argv[0];
    while (format < FORMATS && strcmp(name, formats[format].name) != 0)
        format++;
    if (format == FORMATS)
        return cli_complain(
            "report",
            "--format: \"%s\" is not a format; markdown, html, svg, junit, "
            "annotations, latex, numbers, captions, captions-json or values is wanted",
            name);
    if (since_path != NULL && format != MARKDOWN && format != HTML)
        return cli_complain("report", "--since goes with --format markdown or html");
    if (brief != NULL && format != MARKDOWN)
        return cli_complain("report", "--brief goes with --format markdown");
    if ((accuracy != NULL || bench != NULL) && format != HTML)
        return cli_complain("report", "%s goes with --format html",
                            accuracy != NULL ? "--accuracy" : "--bench");
    if (experiments != NULL && format != HTML && formats[format].write != write_board)
        return cli_complain("report", "--experiments goes with --format html or svg");
    char page[2][PAGE_PATH];
    const cli_file outputs[] = {{"--output", output}, {NULL, NULL}},
                   inputs[] = {{"the report", path},
                               {"--since", since_path},
                               {"--accuracy", accuracy},
                               {"--bench", bench},
                               {"--experiments", experiments},
                               {"the page's style", format == HTML ? page[0] : NULL},
                               {"the page's script", format == HTML ? page[1] : NULL},
                               {NULL, NULL}};
    page_path(page[0], "page.css"), page_path(page[1], "page.js");
    if (cli_places("report", outputs, inputs) != EXIT_PASS)
        return EXIT_BAD_INPUT;
    json_t *report = report_read(path, &complaint), *since = NULL, *more = NULL;
    if (report != NULL && since_path != NULL)
        since = report_read(since_path, &complaint);
    if (report != NULL && complaint == NULL && experiments != NULL &&
        (more = report_read(experiments, &complaint)) != NULL)
        join(report, more);
    html_parts parts = {.figures = figures, .since = since};
    status = EXIT_PASS;
    if (complaint != NULL)
        status = cli_complain("report", "%s", complaint);
    if (status == EXIT_PASS && output != NULL && format == HTML)
        status = figures_complaint(output, report, figures);
    if (status == EXIT_PASS && accuracy != NULL &&
        (parts.accuracy = read_table(accuracy, &accuracy_form)) == NULL)
        status = EXIT_BAD_INPUT;
    if (status == EXIT_PASS && bench != NULL &&
        (parts.bench = read_table(bench, &bench_form)) == NULL)
        status = EXIT_BAD_INPUT;
    if (status == EXIT_PASS) {
        char *text = format == HTML                  ? write_html(report, parts)
                     : formats[format].write != NULL ? formats[format].write(report)
                     : brief != NULL                 ? report_write_brief(report, since)
                                                     : report_write_markdown(report, since);
        if (text == NULL)
            status = EXIT_BAD_INPUT;
        else if (output == NULL)
            fputs(text, stdout);
        else if (!output_write("mneme report", output, text, strlen(text)))
            status = EXIT_BAD_INPUT;
        free(text);
    }
    free(complaint);
    json_decref((json_t *)parts.accuracy);
    json_decref((json_t *)parts.bench);
    json_decref(report);
    json_decref(since);
    json_decref(more);
    return status;
}

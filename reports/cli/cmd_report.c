/* mneme report */
#include "reports/cli/cli.h"
#include "reports/html.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of FOLDER/html/NAME for free(), or NULL after complaining. */
static char *page_part(const char *name) {
    char path[4200];
    size_t length;
    int error;
    snprintf(path, sizeof path, "%s/html/%s", cli_data_folder(), name);
    char *text = input_read(path, (size_t)1 << 20, &length, &error);
    if (text == NULL)
        cli_complain("report", "%s: %s; it belongs to the program", path, strerror(error));
    return text;
}

/* A file that mneme regress or mneme bench wrote, or NULL after complaining. */
static json_t *read_table(const char *path, const char *schema, const char *rows) {
    json_error_t where;
    size_t length;
    int error;
    char *text = input_read(path, (size_t)1 << 28, &length, &error);
    json_t *j = text != NULL ? json_loadb(text, length, 0, &where) : NULL;
    free(text);
    const char *found = json_string_value(json_object_get(j, "schema"));
    if (error != 0)
        cli_complain("report", "%s: %s", path, strerror(error));
    else if (j == NULL)
        cli_complain("report", "%s:%d:%d: not JSON: %s", path, where.line, where.column,
                     where.text);
    else if (found == NULL || strcmp(found, schema) != 0 ||
             !json_is_array(json_object_get(j, rows)))
        cli_complain("report", "%s: \"schema\" must be \"%s\", with an array \"%s\"", path, schema,
                     rows);
    else
        return j;
    json_decref(j);
    return NULL;
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

enum { MARKDOWN, JUNIT, HTML, SVG, FORMATS };
static const char *const formats[FORMATS] = {"markdown", "junit", "html", "svg"};

int cmd_report(int argc, char **argv) {
    const char *name = "markdown", *since_path = NULL, *output = NULL, *figures = "build/figures",
               *accuracy = NULL, *bench = NULL, *path = "build/reports/verify.json";
    const cli_option options[] = {
        {"--format", "FORMAT",
         "markdown (default), html (one page that needs nothing else), junit, or svg (the "
         "published "
         "statements at a glance)",
         &name, NULL, NULL},
        {"--since", "OLD.json", "say first what changed since that report", &since_path, NULL,
         NULL},
        {"--figures", "DIR", "where html finds the figures' SVGs (default build/figures)", &figures,
         NULL, NULL},
        {"--accuracy", "F", "html: with the table of mneme regress --json F", &accuracy, NULL,
         NULL},
        {"--bench", "F", "html: with the table of mneme bench kernels --json F", &bench, NULL,
         NULL},
        {"--output", "F", "write to a file", &output, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status, format = 0;
    char *complaint = NULL;
    if (cli_parse(&cli_commands[4], options, &argc, argv, &status))
        return status;
    if (argc > 1)
        return cli_complain("report", "one report is wanted, not %d", argc);
    if (argc == 1)
        path = argv[0];
    while (format < FORMATS && strcmp(name, formats[format]) != 0)
        format++;
    if (format == FORMATS)
        return cli_complain("report",
                            "--format: \"%s\" is not a format; markdown, html, junit or svg is "
                            "wanted",
                            name);
    if (since_path != NULL && format != MARKDOWN && format != HTML)
        return cli_complain("report", "--since goes with --format markdown or html");
    json_t *report = report_read(path, &complaint), *since = NULL;
    if (report != NULL && since_path != NULL)
        since = report_read(since_path, &complaint);
    html_parts parts = {.figures = figures, .since = since};
    status = EXIT_PASS;
    if (complaint == NULL && accuracy != NULL) {
        parts.accuracy = read_table(accuracy, "mneme-regress-1", "rows");
        status = parts.accuracy != NULL ? EXIT_PASS : EXIT_BAD_INPUT;
    }
    if (complaint == NULL && bench != NULL && status == EXIT_PASS) {
        parts.bench = read_table(bench, "mneme-bench-1", "kernels");
        status = parts.bench != NULL ? EXIT_PASS : EXIT_BAD_INPUT;
    }
    if (complaint != NULL) {
        status = cli_complain("report", "%s", complaint);
        free(complaint);
    } else if (status == EXIT_PASS) {
        char *text = format == JUNIT  ? report_write_junit(report)
                     : format == HTML ? write_html(report, parts)
                     : format == SVG  ? report_write_board(report, 1)
                                      : report_write_markdown(report, since);
        if (text == NULL)
            status = EXIT_BAD_INPUT;
        else if (output == NULL)
            fputs(text, stdout);
        else if (!output_write("mneme report", output, text, strlen(text)))
            status = EXIT_BAD_INPUT;
        free(text);
    }
    json_decref((json_t *)parts.accuracy);
    json_decref((json_t *)parts.bench);
    json_decref(report);
    json_decref(since);
    return status;
}

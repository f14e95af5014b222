/* mneme report */
#include "reports/annotations.h"
#include "reports/changes.h"
#include "reports/cli/cli.h"
#include "reports/figures.h"
#include "reports/latex.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *write_annotations(const json_t *report) {
    return report_write_annotations(report, cli_data_folder());
}

/* The formats made from one report alone. */
static const struct {
    const char *name;
    char *(*write)(const json_t *report);
} formats[] = {{"junit", report_write_junit},       {"annotations", write_annotations},
               {"latex", report_write_latex},       {"numbers", report_write_numbers},
               {"captions", report_write_captions}, {"captions-json", report_write_captions_json}};
enum { FORMATS = sizeof formats / sizeof *formats };

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
    "(captions.tex) gives \\mnemecaption{FIGURE}; captions-json is the same as data.",
    {{"report --format latex --output claims.tex verify.json", "tables for a paper"},
     {"report --brief --since main.json verify.json", "a comment on a pull request"},
     {"report --format annotations verify.json", "failures beside the code"},
     {NULL, NULL}},
    "Without VERIFY.json: build/reports/verify.json."};

int cmd_report(int argc, char **argv) {
    const char *format = "markdown", *since_path = NULL, *output = NULL, *brief = NULL,
               *path = "build/reports/verify.json";
    const cli_option options[] = {
        {"--format", "FORMAT",
         "markdown (default), junit, annotations, latex, numbers, captions or captions-json",
         &format, NULL, NULL},
        {"--since", "OLD.json", "markdown: say first what changed since that report", &since_path,
         NULL, NULL},
        {"--brief", NULL, "markdown: a comment's length, for a pull request", &brief, NULL, NULL},
        {"--output", "F", "write to a file", &output, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status, choice = 0;
    char *complaint = NULL;
    if (cli_parse(&cli_commands[4], options, &argc, argv, &status))
        return status;
    if (argc > 1)
        return cli_complain("report", "one report is wanted, not %d", argc);
    if (argc == 1)
        path = argv[0];
    int markdown = strcmp(format, "markdown") == 0;
    while (choice < FORMATS && strcmp(format, formats[choice].name) != 0)
        choice++;
    if (!markdown && choice == FORMATS)
        return cli_complain(
            "report",
            "--format: \"%s\" is not a format; markdown, junit, annotations, latex, "
            "numbers, captions or captions-json is wanted",
            format);
    if (!markdown && (since_path != NULL || brief != NULL))
        return cli_complain("report", "%s goes with --format markdown",
                            since_path != NULL ? "--since" : "--brief");
    json_t *report = report_read(path, &complaint), *since = NULL;
    if (report != NULL && since_path != NULL)
        since = report_read(since_path, &complaint);
    status = EXIT_PASS;
    if (complaint != NULL) {
        status = cli_complain("report", "%s", complaint);
        free(complaint);
    } else {
        char *text = !markdown       ? formats[choice].write(report)
                     : brief != NULL ? report_write_brief(report, since)
                                     : report_write_markdown(report, since);
        if (output == NULL)
            fputs(text, stdout);
        else if (!output_write("mneme report", output, text, strlen(text)))
            status = EXIT_BAD_INPUT;
        free(text);
    }
    json_decref(report);
    json_decref(since);
    return status;
}

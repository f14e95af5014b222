/* mneme report */
#include "reports/cli/cli.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_report(int argc, char **argv) {
    const char *format = "markdown", *since_path = NULL, *output = NULL,
               *path = "build/reports/verify.json";
    const cli_option options[] = {
        {"--format", "FORMAT", "markdown (default) or junit", &format, NULL, NULL},
        {"--since", "OLD.json", "say first what changed since that report", &since_path, NULL,
         NULL},
        {"--output", "F", "write to a file", &output, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    char *complaint = NULL;
    if (cli_parse(&cli_commands[4], options, &argc, argv, &status))
        return status;
    if (argc > 1)
        return cli_complain("report", "one report is wanted, not %d", argc);
    if (argc == 1)
        path = argv[0];
    int junit = strcmp(format, "junit") == 0;
    if (!junit && strcmp(format, "markdown") != 0)
        return cli_complain(
            "report", "--format: \"%s\" is not a format; markdown or junit is wanted", format);
    if (junit && since_path != NULL)
        return cli_complain("report", "--since goes with --format markdown");
    json_t *report = report_read(path, &complaint), *since = NULL;
    if (report != NULL && since_path != NULL)
        since = report_read(since_path, &complaint);
    status = EXIT_PASS;
    if (complaint != NULL) {
        status = cli_complain("report", "%s", complaint);
        free(complaint);
    } else {
        char *text = junit ? report_write_junit(report) : report_write_markdown(report, since);
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

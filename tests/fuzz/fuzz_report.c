/* A report is written in every form, or refused in one line; so are the tables of regress and bench
 * that go into a page. */
#include "reports/cli/cli.h"
#include "reports/json_codec.h"
#include "tests/fuzz/json.h"

const cli_command cli_commands[] = {{"report", "", "", cmd_report, &manual_report}, {NULL}};
const char *cli_self = "mneme";

/* Every way to read one file; FILE and BASE stand for it and for a sound report. */
static const char FILE_READ[] = "file", BASE[] = "base";
static const char *const forms[][6] = {{"--format", "markdown", FILE_READ},
                                       {"--format", "latex", FILE_READ},
                                       {"--format", "numbers", FILE_READ},
                                       {"--format", "captions", FILE_READ},
                                       {"--format", "captions-json", FILE_READ},
                                       {"--format", "junit", FILE_READ},
                                       {"--format", "annotations", FILE_READ},
                                       {"--format", "svg", FILE_READ},
                                       {"--format", "html", "--figures", "/nowhere", FILE_READ},
                                       {"--since", FILE_READ, FILE_READ},
                                       {"--brief", "--since", FILE_READ, FILE_READ}},
                         *const accuracy[6] = {"--format", "html", "--accuracy", FILE_READ, BASE},
                         *const bench[6] = {"--format", "html", "--bench", FILE_READ, BASE};
enum { FORMS = sizeof forms / sizeof *forms };

/* The smallest sound report, in a file of its own. */
static const char *base(void) {
    static char path[40];
    static const char text[] = "{\"schema\":\"mneme-verify-1\",\"claims\":[],\"seconds\":0,"
                               "\"totals\":{\"passed\":0,\"failed\":0,\"skipped\":0}}";
    if (path[0] == '\0') {
        int file = memfd_create("base", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        if (write(file, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
            abort();
    }
    return path;
}

/* The command's status, with what it printed: text for free(). */
static int run(int argc, char **argv, char **out, char **err) {
    FILE *standard[2] = {stdout, stderr};
    size_t length[2];
    stdout = open_memstream(out, length);
    stderr = open_memstream(err, length + 1);
    int status = cmd_report(argc, argv);
    fclose(stdout), fclose(stderr);
    stdout = standard[0], stderr = standard[1];
    return status;
}

static void report(const char *file, const char *const *option) {
    char *argv[8] = {(char *)(uintptr_t) "report"}, *out, *err;
    int argc = 1;
    for (int i = 0; i < 6 && option[i] != NULL; i++)
        argv[argc++] = (char *)(uintptr_t)(option[i] == FILE_READ ? file
                                           : option[i] == BASE    ? base()
                                                                  : option[i]);
    int status = run(argc, argv, &out, &err);
    fuzz_demand(status == EXIT_PASS || status == EXIT_BAD_INPUT);
    if (status == EXIT_PASS)
        fuzz_demand(err[0] == '\0' && (out[0] != '\0' || strcmp(option[1], "annotations") == 0));
    else
        fuzz_demand(out[0] == '\0' && strlen(err) > 8 &&
                    strchr(err, '\n') == err + strlen(err) - 1);
    free(out);
    free(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const char *file = fuzz_file(bytes, size);
    json_t *j = json_loadb((const char *)bytes, size, 0, NULL);
    const char *schema = json_text(j, "schema");
    if (strcmp(schema, "mneme-regress-1") == 0)
        report(file, accuracy);
    else if (strcmp(schema, "mneme-bench-1") == 0)
        report(file, bench);
    else /* one form a file: the fuzzer tries others with others */
        report(file, forms[size % FORMS]);
    json_decref(j);
    return 0;
}

/* mneme replay */
#include "reports/cli/cli.h"
#include "reports/json_codec.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int replay(const char *path, const witness_t w) {
    enclosure_t computed;
    const char *reason;
    enclosure_init(computed);
    replay_status result = witness_replay(computed, &reason, w);
    int status = EXIT_BAD_INPUT;
    if (result == REPLAY_UNKNOWN_KIND) {
        cli_complain("replay", "%s: unknown kind \"%s\"; %s", path, w->kind, reason);
    } else if (result == REPLAY_BAD_INPUT) {
        cli_complain("replay", "%s: kind %s %s", path, w->kind, reason);
    } else {
        char *lhs = report_enclosure_text(computed), *rhs = report_enclosure_text(w->rhs);
        printf("%s (%s)\n  computed: %s\n  claimed:  computed %s %s\n", w->id, w->kind, lhs,
               relation_symbol(w->rel), rhs);
        free(lhs);
        free(rhs);
        status = result == REPLAY_HOLDS ? EXIT_PASS : EXIT_CHECK_FAILED;
        printf("%s\n", result == REPLAY_HOLDS   ? "holds"
                       : result == REPLAY_FAILS ? "does not hold"
                                                : "undecided at this precision");
    }
    enclosure_clear(computed);
    return status;
}

int cmd_replay(int argc, char **argv) {
    const char *python = NULL;
    const cli_option options[] = {
        {"--python", NULL, "print a script in Python's fractions instead", &python, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status, error;
    size_t length;
    json_error_t where;
    if (cli_parse(&cli_commands[3], options, &argc, argv, &status))
        return status;
    if (argc != 1)
        return cli_complain("replay", "one witness file is wanted");
    char *text = input_read(argv[0], (size_t)64 << 20, &length, &error);
    if (text == NULL)
        return cli_complain("replay", "%s: %s", argv[0], strerror(error));
    json_t *j = json_loadb(text, length, 0, &where);
    free(text);
    if (j == NULL)
        return cli_complain("replay", "%s:%d:%d: not JSON: %s", argv[0], where.line, where.column,
                            where.text);
    witness_t w;
    const char *reason;
    if (!report_witness_from_json(w, j, &reason)) {
        json_decref(j);
        return cli_complain("replay", "%s: not a witness: %s", argv[0], reason);
    }
    if (python != NULL) {
        char *script = report_witness_to_python(w);
        if (script != NULL)
            fputs(script, stdout);
        status =
            script != NULL
                ? EXIT_PASS
                : cli_complain("replay", "%s: a witness of kind %s cannot be settled in fractions",
                               argv[0], w->kind);
        free(script);
    } else {
        status = replay(argv[0], w);
    }
    witness_clear(w);
    json_decref(j);
    return status;
}

/* mneme replay */
#include "reports/cli/cli.h"
#include "reports/json_codec.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Complains if the witness cannot be replayed at all. */
static int complaint_about(const char *path, const witness_t w, replay_status result,
                           const char *reason) {
    if (result == REPLAY_UNKNOWN_KIND)
        cli_complain("replay", "%s: unknown kind \"%s\"; %s", path, w->kind, reason);
    else if (result == REPLAY_BAD_INPUT)
        cli_complain("replay", "%s: kind %s %s", path, w->kind, reason);
    return result == REPLAY_UNKNOWN_KIND || result == REPLAY_BAD_INPUT;
}

/* The left side that the witness states, where it is an exact number and so is the computed one. */
static int states_another(const enclosure_t computed, const witness_t w) {
    return strncmp(w->kind, "soe-", 4) != 0 && computed->type == ENCLOSURE_RATIONAL &&
           w->lhs->type == ENCLOSURE_RATIONAL && !fmpq_equal(computed->rational, w->lhs->rational);
}

static int print_verdict(const witness_t w, const enclosure_t computed, replay_status result) {
    char *lhs = report_enclosure_text(computed), *rhs = report_enclosure_text(w->rhs);
    printf("%s (%s)\n  computed: %s\n  claimed:  computed %s %s\n", w->id, w->kind, lhs,
           relation_symbol(w->rel), rhs);
    free(lhs);
    free(rhs);
    if (states_another(computed, w)) {
        printf("does not hold: the witness states another left side\n");
        return EXIT_CHECK_FAILED;
    }
    printf("%s\n", result == REPLAY_HOLDS   ? "holds"
                   : result == REPLAY_FAILS ? "does not hold"
                                            : "undecided at this precision");
    return result == REPLAY_HOLDS ? EXIT_PASS : EXIT_CHECK_FAILED;
}

const cli_manual manual_replay = {
    "Evaluates the conclusion of a witness from its inputs alone, with code that\n"
    "shares nothing with the check that found it. Prints whether it holds; exits\n"
    "with 1 if it does not.\n"
    "\n"
    "Witnesses that rational arithmetic can settle also come as scripts that need\n"
    "Python and nothing of Mneme.",
    {{"replay build/reports/witnesses/vort.soe-rate.fixed-interval.json",
      "re-checks a counterexample"},
     {"replay --python WITNESS.json > witness.py", "the same as a script"},
     {NULL, NULL}},
    NULL};

int cmd_replay(int argc, char **argv) {
    const char *python = NULL;
    const cli_option options[] = {
        {"--python", NULL, "print a script in Python's fractions instead", &python, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status, error;
    size_t length;
    json_error_t where;
    if (cli_parse(cli_find("replay"), options, &argc, argv, &status))
        return status;
    if (argc != 1)
        return cli_complain("replay", "one witness file is wanted");
    char *text = input_read(argv[0], (size_t)64 << 20, &length, &error);
    if (text == NULL)
        return cli_complain("replay", "%s: %s", argv[0], strerror(error));
    json_t *j = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
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
    enclosure_t computed;
    enclosure_init(computed);
    replay_status result = witness_replay(computed, &reason, w);
    status = EXIT_BAD_INPUT;
    if (!complaint_about(argv[0], w, result, reason)) {
        char *script = python != NULL ? report_witness_to_python(w) : NULL;
        if (python == NULL)
            status = print_verdict(w, computed, result);
        else if (script == NULL)
            cli_complain("replay", "%s: a witness of kind %s cannot be settled in fractions",
                         argv[0], w->kind);
        else
            status = fputs(script, stdout) < 0 ? EXIT_BAD_INPUT : EXIT_PASS;
        free(script);
    }
    enclosure_clear(computed);
    witness_clear(w);
    json_decref(j);
    return status;
}

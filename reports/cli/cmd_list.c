/* mneme list, mneme show */
#include "reports/cli/cli.h"
#include "reports/cli/run.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cli_manual manual_list = {
    "Prints the ID, title and source of every claim that is built in, or of those\n"
    "that match the shell patterns, in the order of the reports. --units prints the\n"
    "units of work that mneme verify would run with the same level and patterns (on\n"
    "CLAIM or CLAIM/CHECK), each with its rough cost in seconds, in the order in\n"
    "which they start.",
    {{"list", "all claims"},
     {"list --checks 'loglinear.*'", "with their checks and controls"},
     {"list --units --level extended --shard 2/3", "what the second of three shards runs"},
     {NULL, NULL}},
    NULL};

static int list_units(const char *level_text, const char *shard_text, int argc, char **argv) {
    run_options o = {.seed = 1, .patterns = argc, .pattern = (const char *const *)argv};
    slong count, part = 0, parts = 1, shown = 0;
    double cost = 0;
    if (!level_from_name(&o.level, level_text))
        return cli_complain("list",
                            "--level: \"%s\" is not a level; quick, full or extended is wanted",
                            level_text);
    if (shard_text != NULL && !cli_shard("list", shard_text, &part, &parts))
        return EXIT_BAD_INPUT;
    char *complaint = plan_complaint(&o);
    if (complaint != NULL) {
        cli_complain("list", "%s", complaint);
        free(complaint);
        return EXIT_BAD_INPUT;
    }
    work_unit *unit = plan_units(&o, &count);
    slong *shard = calloc((size_t)count + 1, sizeof *shard);
    plan_shards(shard, unit, count, parts);
    for (slong i = 0; i < count; i++) {
        char name[WORK_UNIT_NAME];
        if (shard[i] != part)
            continue;
        work_unit_name(name, unit + i);
        printf("%8.6g %s\n", unit[i].cost, name);
        shown++;
        cost += unit[i].cost;
    }
    printf("%ld units, %.3g s\n", (long)shown, cost);
    free(shard);
    flint_free(unit);
    return EXIT_PASS;
}

int cmd_list(int argc, char **argv) {
    const char *checks = NULL, *units = NULL, *level_text = NULL, *shard_text = NULL;
    const cli_option options[] = {
        {"--checks", NULL, "the checks and controls too", &checks, NULL, NULL},
        {"--units", NULL, "the units of work and their costs in seconds", &units, NULL, NULL},
        {"--level", "L", "with --units: quick (default), full or extended", &level_text, NULL,
         NULL},
        {"--shard", "I/N", "with --units: those of the I-th of N parts", &shard_text, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("list"), options, &argc, argv, &status))
        return status;
    if (units != NULL && checks != NULL)
        return cli_complain("list", "--checks or --units is wanted, not both");
    if (units != NULL)
        return list_units(level_text != NULL ? level_text : "quick", shard_text, argc, argv);
    if (level_text != NULL || shard_text != NULL)
        return cli_complain("list", "%s goes with --units",
                            level_text != NULL ? "--level" : "--shard");
    for (int i = 0; i < argc; i++) {
        int any = 0;
        for (const claim *const *c = claim_registry; *c != NULL; c++)
            any |= fnmatch(argv[i], (*c)->id, 0) == 0;
        if (!any)
            return cli_complain("list", "no claim matches \"%s\"; mneme list names them all",
                                argv[i]);
    }
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        int match = argc == 0;
        for (int i = 0; i < argc; i++)
            match |= fnmatch(argv[i], (*c)->id, 0) == 0;
        if (!match)
            continue;
        printf("%-28s %s (%s)%s\n", (*c)->id, (*c)->title, (*c)->source,
               (*c)->on_request ? "; on request" : "");
        for (const check *k = (*c)->checks; checks != NULL && k->name != NULL; k++) {
            printf("  %s/%s: %s, from level %s\n", (*c)->id, k->name, verdict_name(k->pinned),
                   level_name(k->level));
            for (const control *n = (*c)->controls; n->name != NULL; n++)
                if (strcmp(n->check, k->name) == 0)
                    printf("    control: %s\n", n->changed);
        }
    }
    return EXIT_PASS;
}

static void show_statement(const statement *s) {
    printf("\n%s, %s: %s\n  %s\n", statement_kind_name(s->kind), s->id, verdict_name(s->pinned),
           s->text);
    if (s->instead != NULL)
        printf("  True instead: %s\n", s->instead);
    for (int i = 0; s->proof != NULL && s->proof[i] != NULL; i++)
        printf("  %d. %s\n", i + 1, s->proof[i]);
}

const cli_manual manual_show = {
    "Prints what a claim says and how it is checked: hypotheses, statements with\n"
    "their pinned verdicts, what is true instead of a refuted one, numbered proofs,\n"
    "checks, controls, settings, figures.",
    {{"show vort.soe-terms", "the claim, its proofs and checks"}, {NULL, NULL}},
    NULL};

int cmd_show(int argc, char **argv) {
    const cli_option options[] = {{NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("show"), options, &argc, argv, &status))
        return status;
    if (argc != 1)
        return cli_complain("show", "one claim's ID is wanted; mneme list names them");
    const claim *c = NULL;
    for (const claim *const *p = claim_registry; *p != NULL; p++)
        if (strcmp((*p)->id, argv[0]) == 0)
            c = *p;
    if (c == NULL)
        return cli_complain("show", "\"%s\" is not a claim; mneme list names them", argv[0]);
    printf("%s: %s\nSource: %s\n", c->id, c->title, c->source);
    for (int i = 0; c->hypotheses[i] != NULL; i++)
        printf("%s %s\n", i == 0 ? "Where:" : "      ", c->hypotheses[i]);
    for (const statement *s = c->statements; s->id != NULL; s++)
        show_statement(s);
    printf("\nChecks\n");
    for (const check *k = c->checks; k->name != NULL; k++) {
        printf("  %s decides %s; pinned %s\n", k->name, k->statement, verdict_name(k->pinned));
        for (const control *n = c->controls; n->name != NULL; n++)
            if (strcmp(n->check, k->name) == 0)
                printf("    control: %s\n", n->changed);
    }
    for (const setting *s = c->settings; s->name != NULL; s++)
        printf("%s --set %s=...: the %s, %s %s %s %s %s\n",
               s == c->settings ? "\nSettings\n " : " ", s->name, s->meaning, s->low,
               s->open_low ? "<" : "<=", s->name, s->open_high ? "<" : "<=", s->high);
    for (int i = 0; c->figures[i] != NULL; i++)
        printf("%s %s\n", i == 0 ? "\nFigures\n " : " ", c->figures[i]);
    return EXIT_PASS;
}

/* mneme merge */
#include "reports/cli/cli.h"
#include "reports/cli/run.h"
#include "reports/gather.h"
#include "reports/journal.h"
#include "reports/json_codec.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cli_manual manual_merge = {
    "Makes one report of the journals that mneme verify --journal wrote, as the single\n"
    "run would have: the same lines, files and exit status; only times and the\n"
    "machines in the provenance differ. The journals must be of one run (level, seed,\n"
    "patterns, settings, program, certificates), by the same version of mneme, and\n"
    "hold every unit of it: a gap is refused, and the units that are missing named.\n"
    "A unit that is in two journals must have the same result in both; one that\n"
    "crashed in one journal and ended in another has ended.",
    {{"merge 1.jsonl 2.jsonl 3.jsonl", "the closing line and the exit status of the run"},
     {"merge --json verify.json --junit junit.xml *.jsonl", "with its reports"},
     {NULL, NULL}},
    NULL};

/* The run that a journal belongs to. */
typedef struct {
    run_options options;
    const char **pattern;
    run_setting *setting;
    work_unit *unit;
    slong count;
    json_t **entry;      /* of each unit, or NULL */
    const char **origin; /* and the file it is from */
    json_t *identity;
    const char *path; /* whose identity it is */
} merged;

static int begin(merged *m, const char *path, const json_t *identity) {
    run_options *o = &m->options;
    const json_t *list = json_object_get(identity, "patterns"), *value;
    json_t *settings = json_object_get(identity, "settings");
    const char *name;
    size_t i;
    m->path = path;
    m->identity = json_deep_copy(identity);
    m->pattern = calloc(json_array_size(list) + 1, sizeof *m->pattern);
    m->setting = calloc(json_object_size(settings) + 1, sizeof *m->setting);
    o->pattern = m->pattern;
    o->setting = m->setting;
    if (!level_from_name(&o->level, json_text(identity, "level")))
        return 0;
    o->seed = strtoul(json_text(identity, "seed"), NULL, 10);
    list = json_object_get(m->identity, "patterns");
    json_array_foreach(list, i, value) {
        const char *text = json_string_value(value);
        if (text == NULL)
            return 0;
        m->pattern[o->patterns++] = text;
    }
    json_object_foreach(json_object_get(m->identity, "settings"), name, value) {
        if (!json_is_string(value))
            return 0;
        m->setting[o->settings++] = (run_setting){name, strdup(json_string_value(value))};
    }
    m->unit = plan_units(o, &m->count);
    m->entry = calloc((size_t)m->count + 1, sizeof *m->entry);
    m->origin = calloc((size_t)m->count + 1, sizeof *m->origin);
    return 1;
}

static void end(merged *m) {
    for (slong i = 0; i < m->count; i++)
        json_decref(m->entry[i]);
    for (slong i = 0; i < m->options.settings; i++)
        free(m->setting[i].text);
    free(m->pattern);
    free(m->setting);
    free(m->entry);
    free(m->origin);
    flint_free(m->unit);
    json_decref(m->identity);
}

/* Whether this program would run that plan: its texts and verdicts go into the report. */
static int foreign(const merged *m) {
    json_t *ours = journal_identity(&(run_options){.level = m->options.level,
                                                   .seed = m->options.seed,
                                                   .patterns = m->options.patterns,
                                                   .pattern = m->options.pattern,
                                                   .settings = m->options.settings,
                                                   .setting = m->options.setting,
                                                   .data = ""},
                                    m->unit, m->count);
    static const char *const keys[] = {"mneme", "commit"};
    int status = EXIT_PASS;
    for (size_t i = 0; i < 2 && status == EXIT_PASS; i++) {
        const char *there = json_text(json_object_get(m->identity, "program"), keys[i]),
                   *here = json_text(json_object_get(ours, "program"), keys[i]);
        if (strcmp(there, here) != 0)
            status =
                cli_complain("merge", "%s: by another version: %s \"%s\", this program's is \"%s\"",
                             m->path, i == 0 ? "mneme" : "commit", there, here);
    }
    if (status == EXIT_PASS && strcmp(json_text(ours, "plan"), json_text(m->identity, "plan")) != 0)
        status = cli_complain("merge", "%s: its plan is not the one of this program", m->path);
    json_decref(ours);
    return status;
}

/* Equal, but for the time that it took. */
static int same_result(const json_t *a, const json_t *b) {
    json_t *x = json_copy(json_object_get(a, "result")),
           *y = json_copy(json_object_get(b, "result"));
    json_object_del(x, "seconds");
    json_object_del(y, "seconds");
    int same = json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return same;
}

static int add_entry(merged *m, const char *path, const char *name, json_t *entry) {
    slong i = plan_find(m->unit, m->count, name);
    if (i < 0)
        return cli_complain("merge", "%s: %s is no unit of its plan", path, name);
    if (m->entry[i] != NULL && journal_crash(entry) != NULL)
        return EXIT_PASS;
    if (m->entry[i] != NULL && journal_crash(m->entry[i]) == NULL &&
        !same_result(m->entry[i], entry))
        return cli_complain("merge", "%s and %s: different results of the unit %s", m->origin[i],
                            path, name);
    json_decref(m->entry[i]);
    m->entry[i] = json_incref(entry);
    m->origin[i] = path;
    return EXIT_PASS;
}

static int add_journal(merged *m, const char *path) {
    char *complaint, *difference;
    const char *name;
    json_t *value, *journal = journal_read(path, &complaint);
    int status = EXIT_PASS;
    if (journal == NULL) {
        status = cli_complain("merge", "%s", complaint);
        free(complaint);
        return status;
    }
    const json_t *identity = json_object_get(journal, "identity");
    if (m->identity == NULL) {
        status = begin(m, path, identity)
                     ? foreign(m)
                     : cli_complain("merge", "%s: its first line names no run", path);
    } else if ((difference = journal_difference(m->identity, identity)) != NULL) {
        status =
            cli_complain("merge", "%s and %s are not of one run: %s", m->path, path, difference);
        free(difference);
    }
    json_object_foreach(json_object_get(journal, "entries"), name, value) {
        if (status == EXIT_PASS)
            status = add_entry(m, path, name, value);
    }
    json_decref(journal);
    return status;
}

static int is_complete(const merged *m, int files) {
    enum { NAMED = 5 };
    text_buffer names;
    slong missing = 0;
    text_init(&names);
    for (slong i = 0; i < m->count; i++) {
        char name[WORK_UNIT_NAME];
        if (m->entry[i] != NULL)
            continue;
        work_unit_name(name, m->unit + i);
        if (missing++ < NAMED)
            text_printf(&names, "%s%s", missing > 1 ? ", " : "", name);
    }
    if (missing > 0)
        cli_complain("merge", "%ld of %ld units are in none of the %d files: %s%s", (long)missing,
                     (long)m->count, files, names.data, missing > NAMED ? ", ..." : "");
    free(names.data);
    return missing == 0 ? EXIT_PASS : EXIT_BAD_INPUT;
}

static int given_twice(int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        for (int k = 0; k < i; k++)
            if (cli_one_file(argv[i], argv[k]))
                return cli_complain("merge", "%s and %s are one file", argv[k], argv[i]);
    return EXIT_PASS;
}

/* Outputs against each other and against every journal. */
static int check_places(const cli_outputs *to) {
    const cli_file outputs[] = {{"--json", to->json}, {"--junit", to->junit}, {NULL, NULL}};
    return cli_places("merge", outputs, to->inputs);
}

int cmd_merge(int argc, char **argv) {
    cli_outputs to = {.command = "merge", .print = cli_print_report};
    const cli_option options[] = {
        {"--json", "F", "write the report (verify.json)", &to.json, NULL, NULL},
        {"--junit", "F", "write JUnit XML", &to.junit, NULL, NULL},
        {"--series", "DIR", "write the data of the figures", &to.series, NULL, NULL},
        {"--witnesses", "DIR", "write witnesses, as JSON and as Python", &to.witnesses, NULL, NULL},
        {"--rebase", "DIR", "write the certificates that the run computed", &to.rebase, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("merge"), options, &argc, argv, &status))
        return status;
    if (argc <= 0)
        return cli_complain("merge",
                            "the journals of a run are wanted; mneme verify --journal writes them");
    merged m;
    memset(&m, 0, sizeof m);
    cli_file *journals = calloc((size_t)argc + 1, sizeof *journals);
    for (int i = 0; i < argc; i++)
        journals[i] = (cli_file){"a journal", argv[i]};
    to.inputs = journals;
    status = given_twice(argc, argv);
    if (status == EXIT_PASS)
        status = check_places(&to);
    for (int i = 0; i < argc && status == EXIT_PASS; i++)
        status = add_journal(&m, argv[i]);
    if (status == EXIT_PASS)
        status = is_complete(&m, argc);
    if (status == EXIT_PASS) {
        double seconds = 0;
        for (slong i = 0; i < m.count; i++)
            seconds += json_number_value(
                json_object_get(json_object_get(m.entry[i], "result"), "seconds"));
        status = cli_put(gather_report(&m.options, m.unit, m.entry, m.count,
                                       json_object_get(m.identity, "program"), 0, seconds),
                         &to);
    }
    end(&m);
    free(journals);
    return status;
}

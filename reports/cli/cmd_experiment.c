/* mneme experiment */
#include "reports/cli/cli.h"
#include "reports/cli/run.h"
#include "reports/tables.h"
#include "reports/text.h"
#include "theorems/experiments/texts/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "experiments.";

static const char *text_of(const json_t *j, const char *key) {
    const char *text = json_string_value(json_object_get(j, key));
    return text != NULL ? text : "";
}

static int list_experiments(void) {
    for (const claim *const *c = claim_registry; *c != NULL; c++)
        if ((*c)->on_request)
            printf("%-20s %s (%s)\n", (*c)->id + strlen(prefix), (*c)->title, (*c)->source);
    return EXIT_PASS;
}

/* What the text says, what was found, the tables, and what did not come out as pinned. */
static void print_experiment(const json_t *c) {
    const json_t *list = json_object_get(c, "statements"), *item;
    size_t i;
    long controls[2] = {0, 0};
    printf("%s: %s (%s)\n", text_of(c, "id"), text_of(c, "title"), text_of(c, "source"));
    const json_t *where = json_object_get(c, "hypotheses");
    json_array_foreach(where, i, item) {
        printf("%s %s\n", i == 0 ? "Where:" : "      ", json_string_value(item));
    }
    char *tables = report_write_tables(c, 0);
    printf("\n%s", tables);
    free(tables);
    json_array_foreach(list, i, item) {
        int as_pinned = strcmp(text_of(item, "found"), text_of(item, "pinned")) == 0;
        printf("%s, %s: %s%s\n  %s\n", text_of(item, "kind"), text_of(item, "id"),
               text_of(item, "found"), as_pinned ? "" : " (not as pinned)", text_of(item, "text"));
        if (text_of(item, "instead")[0] != '\0')
            printf("  Instead: %s\n", text_of(item, "instead"));
    }
    list = json_object_get(c, "checks");
    json_array_foreach(list, i, item) {
        if (strcmp(text_of(item, "kind"), "control") == 0)
            controls[strcmp(text_of(item, "status"), "passed") == 0]++;
        if (strcmp(text_of(item, "status"), "passed") != 0)
            printf("%s: %s %s: %s\n", text_of(item, "status"), text_of(item, "kind"),
                   text_of(item, "name"), text_of(item, "message"));
    }
    printf("%ld of %ld controls came out the other way, as they must.\n\n", controls[1],
           controls[0] + controls[1]);
}

static void print_experiments(const json_t *report) {
    const json_t *claims = json_object_get(report, "claims"), *c;
    const json_t *totals = json_object_get(report, "totals");
    size_t i;
    json_array_foreach(claims, i, c) {
        print_experiment(c);
    }
    if (!json_is_true(json_object_get(report, "complete")))
        printf("Interrupted: what stands here is partial.\n");
    printf("%ld passed, %ld failed, %ld skipped\n",
           (long)json_integer_value(json_object_get(totals, "passed")),
           (long)json_integer_value(json_object_get(totals, "failed")),
           (long)json_integer_value(json_object_get(totals, "skipped")));
}

/* The claim of that name, with or without the prefix, or NULL. */
static const claim *find_experiment(const char *name) {
    for (const claim *const *c = claim_registry; *c != NULL; c++)
        if ((*c)->on_request &&
            (strcmp((*c)->id, name) == 0 || strcmp((*c)->id + strlen(prefix), name) == 0))
            return *c;
    return NULL;
}

/* Files given with --text, one a line, as corpus_read_source wants them; each is read once to see whether
   it is a text. */
static int add_text(const char *path, void *data) {
    text_buffer *b = data;
    char complaint[CORPUS_COMPLAINT];
    corpus t;
    corpus_init(&t);
    int ok = strchr(path, '\n') == NULL && strcmp(path, "-") != 0;
    if (!ok)
        cli_complain("experiment", "--text: a file is wanted, without a line feed in its name");
    else if (!corpus_read(&t, path, complaint))
        ok = cli_complain("experiment", "--text: %s", complaint) == EXIT_PASS;
    else
        text_printf(b, "%s%s", b->length > 0 ? "\n" : "", path);
    corpus_clear(&t);
    return ok;
}

const cli_manual manual_experiment = {
    "Runs one of the texts' experiments again, with everything but the memory equal,\n"
    "and prints its table: accuracies or bits with intervals, sample sizes, the seed.\n"
    "Without a name it lists them. The verdict is the direction of an effect, with\n"
    "the text's number beside ours; a control (shuffled labels, shuffled text) must\n"
    "come out the other way. make experiments runs all of them.",
    {{"experiment", "the list"},
     {"experiment lag-retrieval -j 2", "at level quick"},
     {"experiment associative-recall --level full --json recall.json", "more trials"},
     {NULL, NULL}},
    NULL};

int cmd_experiment(int argc, char **argv) {
    const cli_command *command = cli_find("experiment");
    const char *level_text = "quick", *jobs_text = "1", *seed_text = "1";
    cli_outputs to = {.command = "experiment", .print = print_experiments};
    cli_settings given = {.command = "experiment"};
    text_buffer texts;
    text_init(&texts);
    const cli_option options[] = {
        {"--text", "F", "a text in place of Debian's, for those about texts; repeated: in a row",
         NULL, add_text, &texts},
        {"--level", "L", "quick (default) or full", &level_text, NULL, NULL},
        {"--seed", "N", "base seed of random inputs (default 1)", &seed_text, NULL, NULL},
        {"--set", "NAME=VALUE", "a setting; mneme show experiments.NAME lists them", NULL,
         cli_add_setting, &given},
        {"-j", "N", "parts at once (default 1); results do not depend on it", &jobs_text, NULL,
         NULL},
        {"--json", "F", "write the report, as mneme verify does", &to.json, NULL, NULL},
        {"--series", "DIR", "write the data of the figures", &to.series, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    int parsed = cli_parse(command, options, &argc, argv, &status);
    if (texts.length > 0)
        setenv(CORPUS_VARIABLE, texts.data, 1);
    free(texts.data);
    if (parsed) {
        cli_clear_settings(&given);
        return status;
    }
    run_options o;
    memset(&o, 0, sizeof o);
    long jobs, seed;
    const char **pattern = calloc((size_t)argc + 1, sizeof *pattern);
    status = EXIT_PASS;
    if (!level_from_name(&o.level, level_text))
        status = cli_complain("experiment",
                              "--level: \"%s\" is not a level; quick, full or extended is wanted",
                              level_text);
    else if (!cli_whole("experiment", "-j", jobs_text, 1, 256, &jobs) ||
             !cli_whole("experiment", "--seed", seed_text, 0, WORD_MAX, &seed))
        status = EXIT_BAD_INPUT;
    for (int i = 0; i < argc && status == EXIT_PASS; i++) {
        const claim *c = find_experiment(argv[i]);
        if (c == NULL)
            status = cli_complain(
                "experiment", "\"%s\" is not an experiment; mneme experiment lists them", argv[i]);
        else
            pattern[i] = c->id;
    }
    if (status == EXIT_PASS && argc == 0) {
        status = list_experiments();
    } else if (status == EXIT_PASS) {
        o.jobs = jobs;
        o.seed = (ulong)seed;
        o.patterns = argc;
        o.pattern = pattern;
        o.settings = given.count;
        o.setting = given.list;
        o.data = cli_data_folder();
        status = cli_run(&o, &(sweep_options){NULL, 0, 0, NULL, 0}, &to);
    }
    free(pattern);
    cli_clear_settings(&given);
    return status;
}

/* mneme verify */
#include "reports/cli/cli.h"
#include "reports/cli/run.h"
#include "reports/ranks.h"
#include "reports/runner.h"
#include "reports/writers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void cli_print_report(const json_t *report) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *item;
    size_t i, n;
    json_array_foreach(claims, i, claim) {
        long count[3] = {0, 0, 0};
        const json_t *checks = json_object_get(claim, "checks");
        json_array_foreach(checks, n, item) {
            char first = json_string_value(json_object_get(item, "status"))[0];
            count[first == 'p' ? 0 : first == 'f' ? 1 : 2]++;
        }
        printf("%s: %ld passed, %ld failed, %ld skipped.\n",
               json_string_value(json_object_get(claim, "id")), count[0], count[1], count[2]);
        const json_t *statements = json_object_get(claim, "statements");
        json_array_foreach(statements, n, item) {
            const char *found = json_string_value(json_object_get(item, "found"));
            const char *scope = json_string_value(json_object_get(item, "scope"));
            printf("  %-10s %s %s%s%s%s\n", found, json_string_value(json_object_get(item, "kind")),
                   json_string_value(json_object_get(item, "id")), scope ? " (looked at " : "",
                   scope ? scope : "", scope ? ")" : "");
        }
        json_array_foreach(checks, n, item) {
            const char *status = json_string_value(json_object_get(item, "status"));
            if (status[0] == 'p')
                continue;
            printf("  %s: %s %s: %s\n", status, json_string_value(json_object_get(item, "kind")),
                   json_string_value(json_object_get(item, "name")),
                   json_string_value(json_object_get(item, "message")));
            if (status[0] == 'f')
                printf("    reproduce: %s\n", json_string_value(json_object_get(item, "command")));
        }
    }
    const json_t *totals = json_object_get(report, "totals");
    if (!json_is_true(json_object_get(report, "complete")))
        printf("Interrupted: what follows is partial.\n");
    printf("%ld passed, %ld failed, %ld skipped\n",
           (long)json_integer_value(json_object_get(totals, "passed")),
           (long)json_integer_value(json_object_get(totals, "failed")),
           (long)json_integer_value(json_object_get(totals, "skipped")));
}

static int run_one_unit(const char *name, const run_options *o) {
    work_unit u;
    if (!work_unit_find(&u, name, o->level, o->seed))
        return cli_complain("verify", "--unit: no unit \"%s\" at level %s", name,
                            level_name(o->level));
    char *complaint = NULL;
    signal(SIGABRT, SIG_DFL); /* whoever runs the unit is to see how it ended */
    json_t *j = runner_unit(&u, o, &complaint);
    if (j == NULL) {
        cli_complain("verify", "%s", complaint);
        free(complaint);
        return EXIT_BAD_INPUT;
    }
    char *text = report_write_json(j);
    fputs(text, stdout);
    free(text);
    json_decref(j);
    flint_cleanup();
    mpfr_free_cache();
    return EXIT_PASS;
}

/* The first option given that writes part of a report, or NULL. */
static const char *report_option(const cli_outputs *to) {
    const struct {
        const char *option, *value;
    } report[] = {{"--json", to->json},
                  {"--junit", to->junit},
                  {"--series", to->series},
                  {"--witnesses", to->witnesses},
                  {"--rebase", to->rebase}};
    for (size_t i = 0; i < sizeof report / sizeof *report; i++)
        if (report[i].value != NULL)
            return report[i].option;
    return NULL;
}

/* "2/3", and what goes with it. */
static int read_shard(const char *text, sweep_options *w, const cli_outputs *to) {
    if (!cli_shard("verify", text, &w->shard, &w->shards))
        return EXIT_BAD_INPUT;
    if (report_option(to) != NULL)
        return cli_complain("verify",
                            "%s: a shard has no report; mneme merge writes it from the journals",
                            report_option(to));
    if (w->journal == NULL)
        return cli_complain(
            "verify",
            "--shard: --journal F is wanted, where what the shard finds is kept for mneme merge");
    return EXIT_PASS;
}

static int join_ranks(sweep_options *w) {
    char *complaint;
    w->link = ranks_start(w->lease, cli_self, &complaint);
    if (w->link == NULL)
        cli_complain("verify", "%s", complaint);
    free(complaint);
    return w->link != NULL;
}

const cli_manual manual_verify = {
    "Runs the checks of the claims that match the patterns (shell patterns on CLAIM\n"
    "or CLAIM/CHECK; all of them without one), each unit of work in a process of\n"
    "its own with limits on time and memory. A check passes if the verdict that it\n"
    "finds is the pinned one: proved, certified, refuted or measured. Every check\n"
    "has a control, the same function with one thing changed, which must come out\n"
    "the other way; controls are counted as checks.\n"
    "\n"
    "Quick takes about a minute on two cores, full up to half an hour, extended\n"
    "hours. Results are the same for any number of units at once; only times\n"
    "differ. The closing line counts checks; a failed one is printed with the\n"
    "command that repeats it alone.\n"
    "\n"
    "With --journal each unit's result is on the disk when it ends. The same command\n"
    "goes on with what the journal holds: what crashed or was stopped is run again, a\n"
    "last line that was cut off is dropped; a journal of another run (level, seed,\n"
    "patterns, settings, program, certificates) or a damaged one is refused.\n"
    "--shard 2/3 runs the second of three parts of about equal cost (mneme list\n"
    "--units shows them), each wherever there is a machine; mneme merge makes the\n"
    "report of their journals. The exit status of a shard is 0, or 1 if a unit\n"
    "crashed or was stopped; what holds is for mneme merge to say.\n"
    "\n"
    "With --mpi the ranks of mpirun share the units; rank 0 hands them out, keeps the\n"
    "journal, prints and writes, and its exit status is mpirun's. -j is for each rank.\n"
    "A rank that is silent for --lease seconds is ended and its units are run by\n"
    "others. For mpirun to bear that (Open MPI):\n"
    "\n"
    "mpirun --mca orte_allowed_exit_without_sync 1 -np 8 mneme verify --mpi --journal F\n"
    "\n"
    "If all ranks end, the same command goes on from the journal.",
    {{"verify", "every claim at level quick"},
     {"verify --level extended --shard 2/3 --journal 2.jsonl", "the second of three parts"},
     {"verify -j 2 --json verify.json --junit junit.xml 'vla.*'",
      "the claims on VLA, with both reports"},
     {"verify --set alpha=3/10 vort.weights",
      "at one order; mneme show vort.weights lists settings"},
     {"verify --level full --unit vort.weights/sharp-constant/0", "one unit, in this process"},
     {NULL, NULL}},
    "Certificates are read from PREFIX/share/mneme/baselines, or from\n"
    "reports/baselines of the source tree that the program was built in."};

int cmd_verify(int argc, char **argv) {
    const char *level_text = "quick", *jobs_text = "1", *seed_text = "1", *unit = NULL,
               *data = NULL, *time_text = NULL, *memory_text = NULL, *shard = NULL, *mpi = NULL,
               *lease_text = NULL;
    sweep_options w = {NULL, 0, 0, NULL, 60};
    cli_outputs to = {.command = "verify", .print = cli_print_report};
    cli_settings given = {.command = "verify"};
    const cli_option options[] = {
        {"--level", "L", "quick (default), full or extended", &level_text, NULL, NULL},
        {"-j", "N", "units at once (default 1)", &jobs_text, NULL, NULL},
        {"--json", "F", "write the report (verify.json)", &to.json, NULL, NULL},
        {"--junit", "F", "write JUnit XML", &to.junit, NULL, NULL},
        {"--series", "DIR", "write the data of the figures", &to.series, NULL, NULL},
        {"--witnesses", "DIR", "write witnesses, as JSON and as Python", &to.witnesses, NULL, NULL},
        {"--journal", "F", "record each unit's result in F; go on from what F holds", &w.journal,
         NULL, NULL},
        {"--shard", "I/N", "only the I-th of N parts of the units; with --journal", &shard, NULL,
         NULL},
        {"--mpi", NULL, "share the units among the ranks of mpirun", &mpi, NULL, NULL},
        {"--lease", "S", "with --mpi: give up a rank that is silent for S seconds (60)",
         &lease_text, NULL, NULL},
        {"--set", "NAME=VALUE", "a claim's setting; mneme show ID lists them", NULL,
         cli_add_setting, &given},
        {"--seed", "N", "base seed of random inputs (default 1)", &seed_text, NULL, NULL},
        {"--time-limit", "S", "seconds a unit (default: four times the level's budget)", &time_text,
         NULL, NULL},
        {"--memory-limit", "MIB", "memory a unit (default 2048 at quick, 8192 above)", &memory_text,
         NULL, NULL},
        {"--rebase", "DIR", "write the certificates that this run computed", &to.rebase, NULL,
         NULL},
        {"--data", "DIR", "folder with baselines/", &data, NULL, NULL},
        {"--unit", "U", "run one unit in this process and print its JSON", &unit, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("verify"), options, &argc, argv, &status)) {
        cli_clear_settings(&given);
        return status;
    }
    run_options o;
    memset(&o, 0, sizeof o);
    long jobs, seed, seconds = 0, mib = 0, lease = 60;
    struct stat folder;
    status = EXIT_PASS;
    if (!level_from_name(&o.level, level_text))
        status = cli_complain("verify",
                              "--level: \"%s\" is not a level; quick, full or extended is wanted",
                              level_text);
    else if (data != NULL && (stat(data, &folder) != 0 || !S_ISDIR(folder.st_mode)))
        status = cli_complain("verify", "--data: %s is not a folder", data);
    else if (unit != NULL && (w.journal != NULL || shard != NULL || mpi != NULL))
        status =
            cli_complain("verify", "--unit runs here and now: without --journal, --shard, --mpi");
    else if (unit != NULL && report_option(&to) != NULL)
        status = cli_complain("verify", "%s: --unit has no report; its JSON is printed",
                              report_option(&to));
    else if (unit != NULL && argc > 0)
        status =
            cli_complain("verify", "--unit runs one unit: without the pattern \"%s\"", argv[0]);
    else if (lease_text != NULL && mpi == NULL)
        status = cli_complain("verify", "--lease goes with --mpi");
    else if (shard != NULL)
        status = read_shard(shard, &w, &to);
    if (status != EXIT_PASS) {
        cli_clear_settings(&given);
        return status;
    }
    if (!cli_whole("verify", "-j", jobs_text, 1, 256, &jobs) ||
        !cli_whole("verify", "--seed", seed_text, 0, WORD_MAX, &seed) ||
        (time_text && !cli_whole("verify", "--time-limit", time_text, 1, 1000000, &seconds)) ||
        (lease_text && !cli_whole("verify", "--lease", lease_text, 1, 86400, &lease)) ||
        (memory_text && !cli_whole("verify", "--memory-limit", memory_text, 64, 1 << 20, &mib))) {
        cli_clear_settings(&given);
        return EXIT_BAD_INPUT;
    }
    to.journal = w.journal;
    o.jobs = jobs;
    o.seed = (ulong)seed;
    o.time_limit = (double)seconds;
    o.memory_limit = mib;
    o.patterns = argc;
    o.pattern = (const char *const *)argv;
    o.settings = given.count;
    o.setting = given.list;
    o.data = data != NULL ? data : cli_data_folder();
    if (unit != NULL) {
        o.patterns = 0;
        status = run_one_unit(unit, &o);
    } else {
        w.lease = (double)lease;
        status = mpi != NULL && !join_ranks(&w) ? EXIT_BAD_INPUT : cli_run(&o, &w, &to);
    }
    cli_clear_settings(&given);
    return status;
}

/* mneme regress */
#include "numerics/exact/number.h"
#include "reports/cli/cli.h"
#include "reports/provenance.h"
#include "reports/regress.h"
#include "reports/cli/regress_series.h"
#include "reports/writers.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CASE_LIMIT = 600 /* seconds */, SERIES_TIME = 4096 };

typedef struct {
    const char *kernel, *isa, *method, *shape, *family, *seed, *quick, *jobs, *json, *junit,
        *baseline, *rebase, *reason, *series;
    const char *numbers; /* the baseline's file: as given, or the committed one */
} arguments;

typedef struct {
    regress_selection selection;
    const inputs_shape *shape; /* or NULL: the plan's */
    inputs_shape given;
    int family; /* or -1 */
    uint64_t seed;
    long jobs;
} choice;

/* Index of a word in a list that ends in NULL, or -1 after complaining. */
static int index_of(const char *option, const char *word, const char *const *list) {
    text_buffer b;
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], word) == 0)
            return i;
    text_init(&b);
    for (int i = 0; list[i]; i++)
        text_printf(&b, "%s%s", i == 0 ? "" : list[i + 1] ? ", " : " or ", list[i]);
    cli_complain("regress", "%s: \"%s\"; %s is wanted", option, word, b.data);
    free(b.data);
    return -1;
}

static int choose(choice *c, const arguments *a) {
    char complaint[INPUTS_COMPLAINT];
    const char *isas[MN_ISAS];
    int known = 0, i;
    memset(c, 0, sizeof *c);
    c->selection = (regress_selection){~0u, ~0u};
    c->family = -1, c->seed = REGRESS_SEED;
    for (i = MN_GENERIC; i < MN_ISAS; i++)
        isas[i - 1] = mn_isa_name((mn_isa)i);
    isas[MN_ISAS - 1] = NULL;
    for (const inputs_kind *k = inputs_kinds; a->kernel && k->name; k++)
        known |= fnmatch(a->kernel, k->name, 0) == 0;
    if (a->kernel && !known)
        return cli_complain("regress",
                            "--kernel: no kernel matches \"%s\"; linear, delta-gated, vla ... or a "
                            "pattern is wanted (mneme regress --help lists them)",
                            a->kernel);
    if (a->isa) {
        if ((i = index_of("--isa", a->isa, isas)) < 0)
            return EXIT_BAD_INPUT;
        c->selection.isas = 1u << (i + 1);
    }
    if (a->method) {
        if ((i = index_of("--method", a->method, regress_method_names)) < 0)
            return EXIT_BAD_INPUT;
        c->selection.methods = 1u << i;
    }
    if (a->family && (c->family = index_of("--family", a->family, inputs_family_names)) < 0)
        return EXIT_BAD_INPUT;
    if (a->shape) {
        if (!inputs_parse_shape(&c->given, a->shape, complaint))
            return cli_complain("regress", "--shape: %s", complaint);
        c->shape = &c->given;
    }
    long seed = REGRESS_SEED;
    c->jobs = sysconf(_SC_NPROCESSORS_ONLN);
    if ((a->seed && !cli_whole("regress", "--seed", a->seed, 0, 0x7fffffffffffffff, &seed)) ||
        (a->jobs && !cli_whole("regress", "-j", a->jobs, 1, 256, &c->jobs)))
        return EXIT_BAD_INPUT;
    c->seed = (uint64_t)seed;
    return EXIT_PASS;
}

/* The plan's cases that are wanted; with a shape, that shape in the wanted families. */
static regress_result *cases_of(const choice *c, const arguments *a, size_t *count) {
    size_t planned, n = 0;
    regress_case *plan = regress_plan(&planned);
    regress_result *list = calloc(planned + 16 * INPUTS_FAMILIES, sizeof *list);
    if (!plan || !list) {
        free(plan), free(list);
        return NULL;
    }
    if (c->shape) {
        for (const inputs_kind *k = inputs_kinds; k->name; k++)
            for (int f = 0; f < INPUTS_FAMILIES; f++)
                if ((c->family < 0 || f == c->family) && inputs_possible(k, c->shape) &&
                    (!a->kernel || fnmatch(a->kernel, k->name, 0) == 0))
                    list[n++].c = (regress_case){k, *c->shape, (inputs_family)f, c->seed, false};
    } else {
        for (size_t i = 0; i < planned; i++) {
            if ((a->kernel && fnmatch(a->kernel, plan[i].kind->name, 0) != 0) ||
                (c->family >= 0 && (int)plan[i].family != c->family) ||
                (a->quick && !plan[i].quick))
                continue;
            list[n].c = plan[i];
            list[n++].c.seed = c->seed;
        }
    }
    for (size_t i = 0; i < n; i++)
        list[i].planned = regress_planned(&list[i].c);
    free(plan);
    *count = n;
    return list;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int write_text(const char *path, char *text) {
    int ok = output_write("mneme regress", path, text, strlen(text));
    free(text);
    return ok;
}

/* Rows of a run that the plan has, renewed; nothing is written if one is refused. */
static int rebase(const arguments *a, const regress_result *results, size_t count, bool whole,
                  json_t *rows) {
    text_buffer messages;
    if (stop_wanted()) {
        fprintf(stderr, "mneme regress: interrupted: %s is as it was\n", a->rebase);
        return EXIT_INTERRUPTED;
    }
    text_init(&messages);
    regress_rebased r = regress_rebase(rows, results, count, a->reason, whole, &messages);
    int status = EXIT_PASS;
    if (r.refused > 0) {
        fputs(messages.data, stderr);
        fprintf(stderr,
                "mneme regress: %s is as it was: %ld rows would be worse; --reason TEXT says why "
                "that is right, and is kept with them\n",
                a->rebase, r.refused);
        status = EXIT_CHECK_FAILED;
    } else if (!write_text(a->rebase, regress_baseline_write(rows))) {
        status = EXIT_BAD_INPUT;
    } else {
        printf("%s: %zu rows: %ld added, %ld tightened, %ld loosened, %ld dropped\n", a->rebase,
               json_object_size(rows), r.added, r.tightened, r.loosened, r.dropped);
    }
    free(messages.data);
    return status;
}

static int report(const arguments *a, const regress_result *results, size_t count,
                  const json_t *baseline, double seconds) {
    text_buffer tail;
    text_init(&tail);
    if (a->baseline)
        text_printf(&tail, " --baseline %s", a->baseline);
    json_t *all = regress_report(results, count, baseline, tail.data ? tail.data : "", seconds);
    json_object_set_new(all, "provenance", provenance_json());
    int ok = 1;
    if (a->json)
        ok &= write_text(a->json, report_write_json(all));
    if (a->junit) {
        json_t *suites = regress_junit(all);
        ok &= write_text(a->junit, report_write_junit(suites));
        json_decref(suites);
    }
    char *text = regress_report_text(all);
    fputs(text, stdout);
    int failed = regress_report_totals(all).failed > 0;
    free(text);
    free(tail.data);
    json_decref(all);
    return !ok             ? EXIT_BAD_INPUT
           : stop_wanted() ? EXIT_INTERRUPTED
           : failed        ? EXIT_CHECK_FAILED
                           : EXIT_PASS;
}

static int run(const arguments *a, const choice *c) {
    char *complaint = NULL;
    size_t count = 0;
    json_t *baseline = a->rebase && access(a->rebase, F_OK) != 0
                           ? json_object()
                           : regress_baseline_read(a->numbers, &complaint);
    if (!baseline) {
        cli_complain("regress", "%s", complaint);
        free(complaint);
        return EXIT_BAD_INPUT;
    }
    regress_result *results = cases_of(c, a, &count);
    int status = EXIT_INTERNAL, error;
    double begin = seconds_now();
    bool whole =
        !a->kernel && !a->isa && !a->method && !a->shape && !a->family && !a->seed && !a->quick;
    if (!results)
        fprintf(stderr, "mneme regress: there is not enough memory\n");
    else if (count == 0)
        status = cli_complain("regress",
                              a->shape ? "--shape: no kernel asked for has such a shape"
                                       : "no case of the plan is like this; --shape makes one");
    else if ((error = regress_execute(results, count, c->selection, &regress_libmneme, c->jobs,
                                      CASE_LIMIT)) != 0)
        fprintf(stderr, "mneme regress: cannot start a process: %s\n", strerror(error));
    else
        status = a->rebase ? rebase(a, results, count, whole, baseline)
                           : report(a, results, count, baseline, seconds_now() - begin);
    free(results);
    json_decref(baseline);
    return status;
}

const cli_manual manual_regress = {
    "Runs every kernel of libmneme by every method on every instruction set of this\n"
    "machine, on inputs from plain to hostile, against the certified reference, and\n"
    "compares errors with the committed ones: a worse verdict, 1.25 times the root\n"
    "mean square or twice the largest error is a failure. A failure says by how\n"
    "much and where, and prints the command that repeats it.\n"
    "\n"
    "--rebase renews the numbers; where a row becomes worse it wants --reason, which\n"
    "is kept in the file. Rows of instruction sets that the machine lacks are\n"
    "skipped.",
    {{"regress --quick", "the plan's small shapes: seconds"},
     {"regress --kernel delta --shape T=129,d=64 --family parallel", "one case"},
     {"regress --rebase reports/baselines/accuracy.json --reason 'fewer roundings in the state'",
      "new numbers"},
     {NULL, NULL}},
    "The committed numbers: baselines/accuracy.json."};

int cmd_regress(int argc, char **argv) {
    arguments a = {NULL};
    choice c;
    const cli_option options[] = {
        {"--kernel", "K",
         "kernels of this name or shell pattern: linear, linear-scalar, linear-keys,\n             "
         "                "
         "linear-normalised, delta, delta-gated, vla, vla-refresh, vla-normalised, loglinear,\n    "
         "                         "
         "loglinear-gated, vort, vort-normalised, softmax, convolution, convolution-direct",
         &a.kernel, NULL, NULL},
        {"--isa", "I", "generic, avx2 or avx512 alone", &a.isa, NULL, NULL},
        {"--method", "M", "reference, step or chunk alone", &a.method, NULL, NULL},
        {"--shape", "S",
         "this shape, as T=129,d=64 or B=2,T=31,H=4,KV=2,dk=8,dv=7,state=1; also\n                 "
         "            "
         "segments, past, position, banks, modes",
         &a.shape, NULL, NULL},
        {"--family", "F",
         "gaussian, positive, parallel, large, gates, denormal, cancellation or\n                  "
         "           "
         "growth alone",
         &a.family, NULL, NULL},
        {"--seed", "N", "of the inputs (default 1; others have no baseline, only verdicts)",
         &a.seed, NULL, NULL},
        {"--quick", NULL, "the plan's small shapes", &a.quick, NULL, NULL},
        {"-j", "N", "cases at once (default: as many as processors)", &a.jobs, NULL, NULL},
        {"--json", "F", "write the report to F", &a.json, NULL, NULL},
        {"--junit", "F", "write JUnit XML to F", &a.junit, NULL, NULL},
        {"--baseline", "FILE", "compare with these numbers (default: the committed ones)",
         &a.baseline, NULL, NULL},
        {"--rebase", "FILE", "renew the numbers in FILE instead of comparing", &a.rebase, NULL,
         NULL},
        {"--reason", "TEXT", "with --rebase: why rows that are worse are right", &a.reason, NULL,
         NULL},
        {"--series", "DIR", "measure errors against time and write the figures' data to DIR",
         &a.series, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("regress"), options, &argc, argv, &status))
        return status;
    if (argc > 0)
        return cli_complain("regress", "\"%s\" is not expected; mneme regress --help lists options",
                            argv[0]);
    if ((status = choose(&c, &a)) != EXIT_PASS)
        return status;
    if (a.reason && (!a.rebase || a.reason[strspn(a.reason, " \t\n")] == '\0'))
        return cli_complain("regress", a.rebase ? "--reason: a few words are wanted"
                                                : "--reason goes with --rebase");
    if (a.rebase && (a.baseline || a.json || a.junit))
        return cli_complain("regress", "--rebase goes without --baseline, --json and --junit");
    if (a.rebase && (a.shape || c.seed != REGRESS_SEED))
        return cli_complain("regress",
                            "--rebase renews rows of the plan; --shape and --seed are not of it");
    if (a.series && (a.baseline || a.rebase || a.json || a.junit))
        return cli_complain("regress",
                            "--series goes without --baseline, --rebase, --json and --junit");
    char committed[5000];
    snprintf(committed, sizeof committed, "%s/baselines/accuracy.json", cli_data_folder());
    a.numbers = a.rebase ? a.rebase : a.baseline ? a.baseline : committed;
    const cli_file outputs[] = {{"--json", a.json},
                                {"--junit", a.junit},
                                {"--rebase", a.rebase},
                                {NULL, NULL}},
                   inputs[] = {{a.baseline ? "--baseline" : "the committed numbers",
                                a.rebase || a.series ? NULL : a.numbers},
                               {NULL, NULL}};
    if (cli_places("regress", outputs, inputs) != EXIT_PASS)
        return EXIT_BAD_INPUT;
    return a.series ? regress_series(a.series, c.shape ? (long)c.shape->time : SERIES_TIME, c.jobs)
                    : run(&a, &c);
}

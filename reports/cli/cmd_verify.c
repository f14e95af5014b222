/* mneme verify */
#include "numerics/exact/number.h"
#include "reports/cli/cli.h"
#include "reports/json_codec.h"
#include "reports/provenance.h"
#include "reports/runner.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_SETTINGS = 16 };

typedef struct {
    run_setting list[MAX_SETTINGS];
    slong count;
} settings_given;

static int add_setting(const char *value, void *data) {
    settings_given *g = data;
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value || g->count == MAX_SETTINGS) {
        cli_complain("verify", "--set: \"%s\" is not NAME=VALUE, as in --set alpha=3/10", value);
        return 0;
    }
    char *name = strndup(value, (size_t)(equals - value));
    for (slong i = 0; i < g->count; i++)
        if (strcmp(g->list[i].name, name) == 0) {
            cli_complain("verify", "--set %s is given twice", name);
            free(name);
            return 0;
        }
    g->list[g->count].name = name;
    g->list[g->count++].text = strdup(equals + 1);
    return 1;
}

static void clear_settings(settings_given *g) {
    for (slong i = 0; i < g->count; i++) {
        free((char *)(uintptr_t)g->list[i].name);
        free(g->list[i].text);
    }
    g->count = 0;
}

/* Writes text (freed) through an opened file. */
static int commit(output_file *f, const char *path, char *text) {
    int error = output_commit(f, text, strlen(text));
    free(text);
    if (error != 0)
        cli_complain("verify", "cannot write %s: %s", path, strerror(error));
    return error == 0;
}

/* dir/name.suffix := text (freed) */
static int write_named(const char *dir, const char *name, const char *suffix, char *text) {
    text_buffer path;
    text_init(&path);
    text_printf(&path, "%s/%s%s", dir, name, suffix);
    int ok = output_write("mneme verify", path.data, text, strlen(text));
    free(path.data);
    free(text);
    return ok;
}

static int write_series(const json_t *report, const char *dir) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *table;
    size_t i, n;
    int ok = 1;
    json_array_foreach(claims, i, claim) {
        const json_t *tables = json_object_get(claim, "series");
        json_array_foreach(tables, n, table) {
            ok &= write_named(dir, json_string_value(json_object_get(table, "id")), ".dat",
                              report_write_series(table));
        }
    }
    return ok;
}

static int write_witnesses(const json_t *report, const char *dir) {
    const json_t *claims = json_object_get(report, "claims"), *claim;
    json_t *item;
    size_t i, n;
    int ok = 1;
    json_array_foreach(claims, i, claim) {
        json_t *list = json_object_get(claim, "witnesses");
        json_array_foreach(list, n, item) {
            witness_t w;
            const char *reason;
            json_t *whole = json_copy(item);
            json_object_set_new(whole, "claim", json_copy(json_object_get(claim, "id")));
            json_object_set(whole, "provenance", json_object_get(report, "provenance"));
            const char *id = json_string_value(json_object_get(item, "id"));
            ok &= write_named(dir, id, ".json", report_write_json(whole));
            json_decref(whole);
            if (report_witness_from_json(w, item, &reason)) {
                char *script = report_witness_to_python(w);
                if (script != NULL)
                    ok &= write_named(dir, id, ".py", script);
                witness_clear(w);
            }
        }
    }
    return ok;
}

/* Rationals in their short form, "n/d": a third of the length. */
static void shorten(json_t *table) {
    json_t *rows = json_object_get(table, "rows"), *row, *cell;
    size_t r, c;
    json_array_foreach(rows, r, row) {
        json_array_foreach(row, c, cell) {
            enclosure_t x;
            enclosure_init(x);
            if (report_enclosure_from_json(x, cell) && x->type == ENCLOSURE_RATIONAL) {
                char *text = exact_fraction(x->rational);
                json_array_set_new(row, c, json_string(text));
                flint_free(text);
            }
            enclosure_clear(x);
        }
    }
}

/* dir/<claim>.json for every claim whose run made tables that are certificates. */
static int write_certificates(const json_t *report, const char *dir) {
    const json_t *claims = json_object_get(report, "claims"), *claim;
    json_t *table;
    size_t i, n;
    int ok = 1;
    json_array_foreach(claims, i, claim) {
        json_t *kept = json_array(), *tables = json_object_get(claim, "series");
        json_array_foreach(tables, n, table) {
            const char *id = json_string_value(json_object_get(table, "id"));
            if (strncmp(id, "certificate-", 12) == 0) {
                shorten(table);
                json_array_append(kept, table);
            }
        }
        if (json_array_size(kept) > 0) {
            json_t *file = json_object();
            const char *id = json_string_value(json_object_get(claim, "id"));
            json_object_set_new(file, "schema", json_string("mneme-certificate-1"));
            json_object_set_new(file, "claim", json_string(id));
            json_object_set(file, "series", kept);
            char *text = json_dumps(file, JSON_COMPACT);
            text_buffer b;
            text_init(&b);
            for (const char *p = text; *p != '\0'; p++) /* a row a line: diffs that can be read */
                text_printf(&b, p[0] == '[' && (p[1] == '{' || p[1] == '"') ? "\n%c" : "%c", *p);
            text_printf(&b, "\n");
            free(text);
            ok &= write_named(dir, id, ".json", text_take(&b));
            json_decref(file);
        }
        json_decref(kept);
    }
    return ok;
}

static void print_report(const json_t *report) {
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

/* Damaged certificates are bad input, said once and before anything runs. */
static int certificates_complaint(const run_options *o) {
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        slong count;
        char *complaint = NULL;
        series **list = runner_certificates(*c, o->data, &count, &complaint);
        if (list == NULL) {
            cli_complain("verify", "%s", complaint);
            free(complaint);
            return 1;
        }
        runner_certificates_free(list, count);
    }
    return 0;
}

typedef struct {
    const char *json, *junit, *series, *witnesses, *rebase;
} outputs;

static int make_folder(const char *path) {
    int error = path != NULL ? output_make_directory(path) : 0;
    if (error != 0)
        cli_complain("verify", "cannot make the folder %s: %s", path, strerror(error));
    return error == 0;
}

static int open_file(output_file *f, const char *path) {
    int error = path != NULL ? output_open(f, path) : 0;
    if (error != 0)
        cli_complain("verify", "cannot write %s: %s", path, strerror(error));
    return error == 0;
}

static int run_all(const run_options *o, const outputs *to) {
    output_file json = {NULL, NULL, -1}, junit = {NULL, NULL, -1};
    if (!make_folder(to->series) || !make_folder(to->witnesses) || !make_folder(to->rebase) ||
        !open_file(&json, to->json))
        return EXIT_BAD_INPUT;
    if (!open_file(&junit, to->junit)) {
        output_abandon(&json);
        return EXIT_BAD_INPUT;
    }
    int interrupted = 0, ok = 1;
    json_t *report = runner_verify(o, cli_self, &interrupted);
    if (report == NULL) {
        fprintf(stderr, "mneme verify: cannot start a process: %s\n", strerror(errno));
        output_abandon(&json);
        output_abandon(&junit);
        return EXIT_INTERNAL;
    }
    print_report(report);
    if (to->json != NULL)
        ok &= commit(&json, to->json, report_write_json(report));
    if (to->junit != NULL)
        ok &= commit(&junit, to->junit, report_write_junit(report));
    if (to->series != NULL)
        ok &= write_series(report, to->series);
    if (to->witnesses != NULL)
        ok &= write_witnesses(report, to->witnesses);
    if (to->rebase != NULL && !interrupted)
        ok &= write_certificates(report, to->rebase);
    long failed =
        (long)json_integer_value(json_object_get(json_object_get(report, "totals"), "failed"));
    json_decref(report);
    if (!ok)
        return EXIT_BAD_INPUT;
    return interrupted ? EXIT_INTERRUPTED : failed > 0 ? EXIT_CHECK_FAILED : EXIT_PASS;
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
    "command that repeats it alone.",
    {{"verify", "every claim at level quick"},
     {"verify -j 2 --json verify.json --junit junit.xml 'vla.*'",
      "the claims on VLA, with both reports"},
     {"verify --set alpha=3/10 vort.weights",
      "at one order; mneme show vort.weights lists settings"},
     {"verify --level full --unit vort.weights/sharp-constant", "one unit, in this process"},
     {NULL, NULL}},
    "Certificates are read from PREFIX/share/mneme/baselines, or from\n"
    "reports/baselines of the source tree that the program was built in."};

int cmd_verify(int argc, char **argv) {
    const char *level_text = "quick", *jobs_text = "1", *seed_text = "1", *unit = NULL,
               *data = NULL, *time_text = NULL, *memory_text = NULL;
    outputs to = {NULL, NULL, NULL, NULL, NULL};
    settings_given given = {.count = 0};
    const cli_option options[] = {
        {"--level", "L", "quick (default), full or extended", &level_text, NULL, NULL},
        {"-j", "N", "units at once (default 1)", &jobs_text, NULL, NULL},
        {"--json", "F", "write the report (verify.json)", &to.json, NULL, NULL},
        {"--junit", "F", "write JUnit XML", &to.junit, NULL, NULL},
        {"--series", "DIR", "write the data of the figures", &to.series, NULL, NULL},
        {"--witnesses", "DIR", "write witnesses, as JSON and as Python", &to.witnesses, NULL, NULL},
        {"--set", "NAME=VALUE", "a claim's setting; mneme show ID lists them", NULL, add_setting,
         &given},
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
    if (cli_parse(&cli_commands[0], options, &argc, argv, &status)) {
        clear_settings(&given);
        return status;
    }
    run_options o;
    memset(&o, 0, sizeof o);
    long jobs, seed, seconds = 0, mib = 0;
    struct stat folder;
    status = EXIT_PASS;
    if (!level_from_name(&o.level, level_text))
        status = cli_complain("verify",
                              "--level: \"%s\" is not a level; quick, full or extended is wanted",
                              level_text);
    else if (data != NULL && (stat(data, &folder) != 0 || !S_ISDIR(folder.st_mode)))
        status = cli_complain("verify", "--data: %s is not a folder", data);
    else if (to.json != NULL && to.junit != NULL && strcmp(to.json, to.junit) == 0)
        status = cli_complain("verify", "--json and --junit name one file");
    if (status != EXIT_PASS) {
        clear_settings(&given);
        return status;
    }
    if (!cli_whole("verify", "-j", jobs_text, 1, 256, &jobs) ||
        !cli_whole("verify", "--seed", seed_text, 0, WORD_MAX, &seed) ||
        (time_text && !cli_whole("verify", "--time-limit", time_text, 1, 1000000, &seconds)) ||
        (memory_text && !cli_whole("verify", "--memory-limit", memory_text, 64, 1 << 20, &mib))) {
        clear_settings(&given);
        return EXIT_BAD_INPUT;
    }
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
        char *complaint = runner_complaint(&o);
        if (complaint != NULL) {
            status = cli_complain("verify", "%s", complaint);
            free(complaint);
        } else if (certificates_complaint(&o)) {
            status = EXIT_BAD_INPUT;
        } else {
            status = run_all(&o, &to);
        }
    }
    clear_settings(&given);
    return status;
}

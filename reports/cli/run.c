/* A run of checks from the command line: its settings, and what is written of its report. */
#include "reports/cli/run.h"
#include "numerics/exact/number.h"
#include "reports/cli/cli.h"
#include "reports/gather.h"
#include "reports/journal.h"
#include "reports/json_codec.h"
#include "reports/runner.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_add_setting(const char *value, void *data) {
    cli_settings *g = data;
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value || g->count == CLI_SETTINGS) {
        cli_complain(g->command, "--set: \"%s\" is not NAME=VALUE, as in --set alpha=3/10", value);
        return 0;
    }
    char *name = strndup(value, (size_t)(equals - value));
    for (slong i = 0; i < g->count; i++)
        if (strcmp(g->list[i].name, name) == 0) {
            cli_complain(g->command, "--set %s is given twice", name);
            free(name);
            return 0;
        }
    g->list[g->count].name = name;
    g->list[g->count++].text = strdup(equals + 1);
    return 1;
}

int cli_shard(const char *command, const char *text, slong *shard, slong *shards) {
    char part[32];
    long i, n;
    const char *slash = strchr(text, '/');
    if (slash == NULL || (size_t)(slash - text) >= sizeof part) {
        cli_complain(command, "--shard: \"%s\" is not I/N, as in --shard 2/3", text);
        return 0;
    }
    snprintf(part, sizeof part, "%.*s", (int)(slash - text), text);
    if (!cli_whole(command, "--shard", slash + 1, 1, 100000, &n) ||
        !cli_whole(command, "--shard", part, 1, n, &i))
        return 0;
    *shard = i - 1;
    *shards = n;
    return 1;
}

void cli_clear_settings(cli_settings *g) {
    for (slong i = 0; i < g->count; i++) {
        free((char *)(uintptr_t)g->list[i].name);
        free(g->list[i].text);
    }
    g->count = 0;
}

/* Writes text (freed) through an opened file. */
static int commit(const char *command, output_file *f, const char *path, char *text) {
    int error = output_commit(f, text, strlen(text));
    free(text);
    if (error != 0)
        cli_complain(command, "cannot write %s: %s", path, strerror(error));
    return error == 0;
}

/* Whose file the path is already, "--json", or NULL. */
static const char *taken_by(const cli_outputs *to, const char *path) {
    const cli_file outputs[] = {{"--json", to->json},
                                {"--junit", to->junit},
                                {"--journal", to->journal},
                                {NULL, NULL}},
                   *const lists[] = {outputs, to->inputs};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const cli_file *f = lists[i]; f != NULL && f->option != NULL; f++)
            if (f->path != NULL && cli_one_file(path, f->path))
                return f->option;
    return NULL;
}

/* dir/name.suffix := text (freed), unless that is the report, which is there by now, or what was
   read. */
static int write_named(const cli_outputs *to, const char *dir, const char *name, const char *suffix,
                       char *text) {
    text_buffer path;
    char what[32];
    snprintf(what, sizeof what, "mneme %s", to->command);
    text_init(&path);
    text_printf(&path, "%s/%s%s", dir, name, suffix);
    const char *option = taken_by(to, path.data);
    if (option != NULL)
        cli_complain(to->command, "%s is the file of %s; another one is wanted there", path.data,
                     option);
    int ok = option == NULL && output_write(what, path.data, text, strlen(text));
    free(path.data);
    free(text);
    return ok;
}

static int write_series(const cli_outputs *to, const json_t *report, const char *dir) {
    const json_t *claims = json_object_get(report, "claims"), *claim, *table;
    size_t i, n;
    int ok = 1;
    json_array_foreach(claims, i, claim) {
        const json_t *tables = json_object_get(claim, "series");
        json_array_foreach(tables, n, table) {
            if (ok) /* one complaint for a folder */
                ok = write_named(to, dir, json_string_value(json_object_get(table, "id")), ".dat",
                                 report_write_series(table));
        }
    }
    return ok;
}

static int write_witnesses(const cli_outputs *to, const json_t *report, const char *dir) {
    const json_t *claims = json_object_get(report, "claims"), *claim;
    json_t *item;
    size_t i, n;
    int ok = 1;
    json_array_foreach(claims, i, claim) {
        json_t *list = json_object_get(claim, "witnesses");
        json_array_foreach(list, n, item) {
            if (!ok)
                break;
            witness_t w;
            const char *reason;
            json_t *whole = json_copy(item);
            json_object_set_new(whole, "claim", json_copy(json_object_get(claim, "id")));
            json_object_set(whole, "provenance", json_object_get(report, "provenance"));
            const char *id = json_string_value(json_object_get(item, "id"));
            ok = write_named(to, dir, id, ".json", report_write_json(whole));
            json_decref(whole);
            if (ok && report_witness_from_json(w, item, &reason)) {
                char *script = report_witness_to_python(w);
                if (script != NULL)
                    ok = write_named(to, dir, id, ".py", script);
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
static int write_certificates(const cli_outputs *to, const json_t *report, const char *dir) {
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
        if (ok && json_array_size(kept) > 0) {
            json_t *file = json_object();
            const char *id = json_string_value(json_object_get(claim, "id"));
            json_object_set_new(file, "schema", json_string("mneme-certificate-1"));
            json_object_set_new(file, "claim", json_string(id));
            json_object_set(file, "series", kept);
            char *text = json_dumps(file, JSON_COMPACT);
            text_buffer b;
            text_init(&b);
            for (const char *p = text; *p != '\0'; p++) { /* a row a line: diffs that can be read */
                int row = *p == '[' && p > text && (p[-1] == '[' || p[-1] == ',');
                text_printf(&b, row || (*p == '{' && p > text && p[-1] == '[') ? "\n%c" : "%c", *p);
            }
            text_printf(&b, "\n");
            free(text);
            ok = write_named(to, dir, id, ".json", text_take(&b));
            json_decref(file);
        }
        json_decref(kept);
    }
    return ok;
}

/* Damaged certificates are bad input, said once and before anything runs. */
static int certificates_complaint(const char *command, const run_options *o) {
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        slong count;
        char *complaint = NULL;
        series **list = runner_certificates(*c, o->data, &count, &complaint);
        if (list == NULL) {
            cli_complain(command, "%s", complaint);
            free(complaint);
            return 1;
        }
        runner_certificates_free(list, count);
    }
    return 0;
}

/* No certificate and no other input may be written over. */
static int places_complaint(const run_options *o, const sweep_options *w, const cli_outputs *to) {
    const cli_file outputs[] = {
        {"--journal", w->journal}, {"--json", to->json}, {"--junit", to->junit}, {NULL, NULL}};
    size_t claims = 0, given = 0, n = 0;
    while (claim_registry[claims] != NULL)
        claims++;
    while (to->inputs != NULL && to->inputs[given].option != NULL)
        given++;
    cli_file *inputs = calloc(claims + given + 1, sizeof *inputs);
    char **certificates = calloc(claims, sizeof *certificates);
    for (; n < given; n++)
        inputs[n] = to->inputs[n];
    for (size_t i = 0; i < claims; i++, n++) {
        text_buffer b;
        text_init(&b);
        text_printf(&b, "%s/baselines/%s.json", o->data, claim_registry[i]->id);
        certificates[i] = text_take(&b);
        inputs[n] = (cli_file){"certificates", certificates[i]};
    }
    int status = cli_places(to->command, outputs, inputs);
    for (size_t i = 0; i < claims; i++)
        free(certificates[i]);
    free(certificates);
    free(inputs);
    return status != EXIT_PASS;
}

static int make_folder(const char *command, const char *path) {
    int error = path != NULL ? output_make_directory(path) : 0;
    if (error != 0)
        cli_complain(command, "cannot make the folder %s: %s", path, strerror(error));
    return error == 0;
}

static int open_file(const char *command, output_file *f, const char *path) {
    int error = path != NULL ? output_open(f, path) : 0;
    if (error != 0)
        cli_complain(command, "cannot write %s: %s", path, strerror(error));
    return error == 0;
}

/* What a shard says instead of a report. */
static int print_shard(const sweep *s, const sweep_options *w) {
    slong units = 0, crashed = 0, done = 0;
    double cost = 0, all = 0;
    for (slong i = 0; i < s->count; i++) {
        all += s->unit[i].cost;
        if (!s->mine[i])
            continue;
        units++;
        cost += s->unit[i].cost;
        done += s->entry[i] != NULL;
        if (s->entry[i] != NULL && journal_crash(s->entry[i]) != NULL) {
            char name[WORK_UNIT_NAME];
            work_unit_name(name, s->unit + i);
            printf("%s: the unit %s\n", name, journal_crash(s->entry[i]));
            crashed++;
        }
    }
    if (s->interrupted)
        printf("Interrupted: the same command goes on from here.\n");
    printf("shard %ld/%ld: %ld of %ld units, %.3g of %.3g s; %ld were in %s, %ld were run, %ld are "
           "left\n",
           (long)w->shard + 1, (long)w->shards, (long)units, (long)s->count, cost, all,
           (long)s->kept, w->journal, (long)s->run, (long)(units - done));
    return s->interrupted ? EXIT_INTERRUPTED : crashed > 0 ? EXIT_CHECK_FAILED : EXIT_PASS;
}

/* Folders and files of the outputs, before anything runs. */
static int open_outputs(const cli_outputs *to, output_file *json, output_file *junit) {
    if (!make_folder(to->command, to->series) || !make_folder(to->command, to->witnesses) ||
        !make_folder(to->command, to->rebase) || !open_file(to->command, json, to->json))
        return 0;
    if (open_file(to->command, junit, to->junit))
        return 1;
    output_abandon(json);
    return 0;
}

/* Prints and writes the report (decref'd); the exit status. */
static int put_report(json_t *report, const cli_outputs *to, output_file *json,
                      output_file *junit) {
    int ok = 1, interrupted = !json_is_true(json_object_get(report, "complete"));
    to->print(report);
    if (to->json != NULL)
        ok &= commit(to->command, json, to->json, report_write_json(report));
    if (to->junit != NULL)
        ok &= commit(to->command, junit, to->junit, report_write_junit(report));
    if (to->series != NULL)
        ok &= write_series(to, report, to->series);
    if (to->witnesses != NULL)
        ok &= write_witnesses(to, report, to->witnesses);
    if (to->rebase != NULL && !interrupted)
        ok &= write_certificates(to, report, to->rebase);
    long failed =
        (long)json_integer_value(json_object_get(json_object_get(report, "totals"), "failed"));
    json_decref(report);
    if (!ok)
        return EXIT_BAD_INPUT;
    return interrupted ? EXIT_INTERRUPTED : failed > 0 ? EXIT_CHECK_FAILED : EXIT_PASS;
}

int cli_put(json_t *report, const cli_outputs *to) {
    output_file json = {.descriptor = -1}, junit = {.descriptor = -1};
    if (open_outputs(to, &json, &junit))
        return put_report(report, to, &json, &junit);
    json_decref(report);
    return EXIT_BAD_INPUT;
}

static int run_all(const run_options *o, const sweep_options *w, const cli_outputs *to) {
    output_file json = {.descriptor = -1}, junit = {.descriptor = -1};
    char *complaint;
    sweep s;
    if (!open_outputs(to, &json, &junit))
        return EXIT_BAD_INPUT;
    int how = sweep_run(&s, o, w, cli_self, &complaint), status;
    if (how != SWEEP_DONE) {
        cli_complain(to->command, "%s", complaint);
        free(complaint);
        status = how == SWEEP_FAULT ? EXIT_INTERNAL : EXIT_BAD_INPUT;
    } else if (w->shards > 0) {
        status = print_shard(&s, w);
    } else {
        status =
            put_report(gather_report(o, s.unit, s.entry, s.count, NULL, s.interrupted, s.seconds),
                       to, &json, &junit);
        if (status == EXIT_INTERRUPTED && w->journal != NULL)
            fprintf(stderr, "mneme %s: the same command goes on with what is in %s\n", to->command,
                    w->journal);
    }
    if (how != SWEEP_DONE) {
        output_abandon(&json);
        output_abandon(&junit);
    }
    sweep_clear(&s);
    return status;
}

int cli_run(const run_options *o, const sweep_options *w, const cli_outputs *to) {
    char *complaint;
    if (w->link != NULL && w->link->rank > 0) { /* rank 0 complains, prints and writes */
        sweep_work(o, w, cli_self);
        return EXIT_PASS;
    }
    complaint = plan_complaint(o);
    if (complaint != NULL) {
        cli_complain(to->command, "%s", complaint);
        free(complaint);
        return EXIT_BAD_INPUT;
    }
    return places_complaint(o, w, to) || certificates_complaint(to->command, o) ? EXIT_BAD_INPUT
                                                                                : run_all(o, w, to);
}

/* What the commands that run checks share. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "reports/cli/cli.h"
#include "reports/sweep.h"

enum { CLI_SETTINGS = 16 };

/* --set NAME=VALUE, given several times. */
typedef struct {
    const char *command;
    run_setting list[CLI_SETTINGS];
    slong count;
} cli_settings;

/* For cli_option.each, data a cli_settings; 0 after complaining. */
int cli_add_setting(const char *value, void *data);
void cli_clear_settings(cli_settings *g);

/* Where a run's report goes (NULL: nowhere), and who prints it. */
typedef struct {
    const char *command;
    void (*print)(const json_t *report);
    const char *json, *junit, *series, *witnesses, *rebase;
    const char *journal;    /* that the run keeps, or NULL */
    const cli_file *inputs; /* files read besides the certificates, as for cli_places; or NULL */
} cli_outputs;

/* Runs what the options select; returns the exit status, complaints already printed. */
int cli_run(const run_options *o, const sweep_options *w, const cli_outputs *to);

/* On stdout, as mneme verify does. */
void cli_print_report(const json_t *report);

/* "2/3": *shard 1 of *shards 3; 0 after complaining. */
int cli_shard(const char *command, const char *text, slong *shard, slong *shards);

/* Prints and writes a report (decref'd); the exit status that it means. */
int cli_put(json_t *report, const cli_outputs *to);

#endif

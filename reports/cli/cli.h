/* The command line: one table of options a command, one way to complain. */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>

enum {
    EXIT_PASS = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_BAD_INPUT = 2,
    EXIT_INTERNAL = 3,
    EXIT_INTERRUPTED = 130
};

/* An option; value NULL in the table for flags.  Repeatable options call back each time. */
typedef struct {
    const char *name;  /* "--level" */
    const char *value; /* what stands for its value in the help, or NULL */
    const char *help;
    const char **text;                          /* gets the value, or "" for a flag */
    int (*each)(const char *value, void *data); /* or: called for each; 0 after complaining */
    void *data;
} cli_option;

typedef struct {
    const char *name, *summary, *usage; /* usage: lines after "mneme NAME", '\n' between */
    int (*run)(int argc, char **argv);
} cli_command;

extern const cli_command cli_commands[];
extern const char *cli_self;

/* Parses argv[1..]; positional arguments are gathered at argv[0..*rest-1].  Returns 0 to go on, else
   1 with *status to exit with (--help, --version, or a complaint already printed). */
int cli_parse(const cli_command *command, const cli_option *options, int *argc, char **argv,
              int *status);

/* "mneme NAME: ..." on stderr; returns EXIT_BAD_INPUT. */
int cli_complain(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* *n := the whole number in text, low..high; 1, or 0 after complaining about option. */
int cli_whole(const char *command, const char *option, const char *text, long low, long high,
              long *n);

/* The folder with baselines/, schemas/ and plots/: beside the program's tree when it was built there,
   PREFIX/share/mneme when installed. */
const char *cli_data_folder(void);

/* Flushes stdout; EXIT_BAD_INPUT with a message if it could not be written. */
int cli_finish(const char *command, int status);

int cmd_verify(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_weights(int argc, char **argv);
int cmd_soe(int argc, char **argv);
int cmd_banks(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_experiment(int argc, char **argv);
int cmd_mi(int argc, char **argv);

#endif

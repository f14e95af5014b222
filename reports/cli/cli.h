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

/* A command line with its "mneme " in front, and what it does. */
typedef struct {
    const char *line, *does;
} cli_example;

/* What --help says below the options, and the manual page in full. */
typedef struct {
    const char
        *description; /* paragraphs, "\n\n" between; lines of at most 78 letters, '\n' between */
    cli_example examples[6]; /* ends with {NULL, NULL} */
    const char *files;       /* a paragraph like those, or NULL */
} cli_manual;

typedef struct {
    const char *name, *summary, *usage; /* usage: lines after "mneme NAME", '\n' between */
    int (*run)(int argc, char **argv);
    const cli_manual *manual;
} cli_command;

extern const cli_command cli_commands[];
/* The command of that name; NULL if there is none. */
const cli_command *cli_find(const char *name);
extern const char *cli_self;

/* Parses argv[1..]; positional arguments are gathered at argv[0..*rest-1].  Returns 0 to go on, else
   1 with *status to exit with (--help, --version, or a complaint already printed). */
int cli_parse(const cli_command *command, const cli_option *options, int *argc, char **argv,
              int *status);

/* Manual pages (man macros) on stdout: of a command, and of the program. */
void cli_manual_page(const cli_command *command, const cli_option *options);
void cli_main_page(void);

/* "mneme NAME: ..." on stderr; returns EXIT_BAD_INPUT. */
int cli_complain(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* *n := the whole number in text, low..high; 1, or 0 after complaining about option. */
int cli_whole(const char *command, const char *option, const char *text, long low, long high,
              long *n);

/* A file and the option, or what else, that names it; path NULL: not given. */
typedef struct {
    const char *option, *path;
} cli_file;

/* Before anything is computed: whether the outputs can be written, are different files, and none of
   them is an input.  Lists end with an option of NULL; inputs may be NULL.  EXIT_PASS, or
   EXIT_BAD_INPUT after complaining. */
int cli_places(const char *command, const cli_file *outputs, const cli_file *inputs);

/* The folder with baselines/, schemas/ and plots/: beside the program's tree when it was built there,
   PREFIX/share/mneme when installed. */
const char *cli_data_folder(void);

/* Flushes stdout; EXIT_BAD_INPUT with a message if it could not be written. */
int cli_finish(const char *command, int status);

extern const cli_manual manual_verify, manual_list, manual_show, manual_replay, manual_report,
    manual_weights, manual_soe, manual_banks, manual_bench, manual_check, manual_regress,
    manual_experiment, manual_mi, manual_merge;

int cmd_verify(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_weights(int argc, char **argv);
int cmd_soe(int argc, char **argv);
int cmd_banks(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_regress(int argc, char **argv);
int cmd_experiment(int argc, char **argv);
int cmd_mi(int argc, char **argv);

#endif

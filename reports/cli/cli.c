#include "reports/cli/cli.h"
#include "numerics/exact/number.h"
#include "reports/provenance.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_complain(const char *command, const char *format, ...) {
    va_list arguments;
    char line[1024];
    fflush(stdout);
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *p = line; *p != '\0'; p++) /* one line, and nothing that a terminal obeys */
        if ((unsigned char)*p < 32 || *p == 127)
            *p = '?';
    fprintf(stderr, "mneme %s: %s\n", command, line);
    return EXIT_BAD_INPUT;
}

static void print_usage(const cli_command *command, const cli_option *options) {
    const char *line = command->usage;
    printf("mneme %s: %s\n\n", command->name, command->summary);
    while (*line != '\0') {
        size_t n = strcspn(line, "\n");
        printf("  mneme %s %.*s\n", command->name, (int)n, line);
        line += n + (line[n] == '\n');
    }
    printf("\n");
    for (const cli_option *o = options; o->name != NULL; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        printf("  %-26s %s\n", left, o->help);
    }
    printf("  %-26s %s\n", "--help", "this text");
    if (command->manual == NULL)
        return;
    printf("\n%s\n\nExamples\n\n", command->manual->description);
    for (const cli_example *e = command->manual->examples; e->line != NULL; e++)
        printf("  mneme %s\n      %s\n", e->line, e->does);
    if (command->manual->files != NULL)
        printf("\nFiles\n\n%s\n", command->manual->files);
}

const cli_command *cli_find(const char *name) {
    for (const cli_command *c = cli_commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

int cli_parse(const cli_command *command, const cli_option *options, int *argc, char **argv,
              int *status) {
    int rest = 0, only_positional = 0;
    unsigned long seen = 0; /* bit k: option k was given */
    *status = EXIT_BAD_INPUT;
    for (int i = 1; i < *argc; i++) {
        char *word = argv[i];
        if (only_positional || word[0] != '-' || strcmp(word, "-") == 0) {
            argv[rest++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_positional = 1;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_usage(command, options);
            *status = EXIT_PASS;
            return 1;
        }
        if (strcmp(word, "--help=man") == 0) {
            cli_manual_page(command, options);
            *status = EXIT_PASS;
            return 1;
        }
        if (strcmp(word, "--version") == 0) {
            printf("mneme %s\n", MNEME_VERSION);
            *status = EXIT_PASS;
            return 1;
        }
        size_t length = strcspn(word, "=");
        const cli_option *o = options;
        for (; o->name != NULL; o++)
            if (strlen(o->name) == length && strncmp(word, o->name, length) == 0)
                break;
        const char *value = word[length] == '=' ? word + length + 1 : NULL;
        if (o->name == NULL && word[1] != '-' && word[2] != '\0') { /* -j4 */
            for (o = options; o->name != NULL; o++)
                if (strlen(o->name) == 2 && strncmp(word, o->name, 2) == 0)
                    break;
            value = word + 2;
        }
        if (o->name == NULL) {
            cli_complain(command->name, "%.*s is not an option; mneme %s --help lists them",
                         (int)length, word, command->name);
            return 1;
        }
        if (o->value == NULL && value != NULL) {
            cli_complain(command->name, "%s takes no value", o->name);
            return 1;
        }
        if (o->value != NULL && value == NULL) {
            if (i + 1 >= *argc) {
                cli_complain(command->name, "%s needs a value: %s", o->name, o->value);
                return 1;
            }
            value = argv[++i];
        }
        if (o->value != NULL && value[0] == '\0') {
            cli_complain(command->name, "%s: the value is empty; %s is wanted", o->name, o->value);
            return 1;
        }
        if (o->each == NULL && seen >> (o - options) & 1) {
            cli_complain(command->name, "%s is given twice", o->name);
            return 1;
        }
        seen |= 1UL << (o - options);
        if (o->each != NULL) {
            if (!o->each(value, o->data))
                return 1;
        } else {
            *o->text = value != NULL ? value : "";
        }
    }
    *argc = rest;
    return 0;
}

int cli_whole(const char *command, const char *option, const char *text, long low, long high,
              long *n) {
    fmpz_t z;
    fmpz_init(z);
    const char *reason = exact_parse_integer(z, text);
    int ok = reason == NULL && fmpz_cmp_si(z, low) >= 0 && fmpz_cmp_si(z, high) <= 0;
    if (ok)
        *n = fmpz_get_si(z);
    else if (reason != NULL)
        cli_complain(command, "%s: \"%s\" is %s; a whole number from %ld to %ld is wanted", option,
                     text, reason, low, high);
    else
        cli_complain(command, "%s: %s is out of range; a whole number from %ld to %ld is wanted",
                     option, text, low, high);
    fmpz_clear(z);
    return ok;
}

static int is_folder(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

const char *cli_data_folder(void) {
    static char path[PATH_MAX + 64];
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) {
        if (realpath(cli_self, self) == NULL)
            return "reports";
        n = (ssize_t)strlen(self);
    }
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    static const char *const places[] = {"/../share/mneme", "/../../reports", "/../../../reports"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", self, places[i]);
        if (is_folder(path))
            return path;
    }
    return "reports";
}

int cli_finish(const char *command, int status) {
    errno = 0;
    int failed = fflush(stdout) != 0;
    if (!failed && ferror(stdout)) { /* an earlier write failed: another one says why */
        clearerr(stdout);
        failed = 1;
        errno = fputc('\n', stdout) == EOF || fflush(stdout) != 0 ? errno : 0;
    }
    if (failed) {
        fprintf(stderr, "mneme%s%s: cannot write the results: %s\n", command != NULL ? " " : "",
                command != NULL ? command : "", errno != 0 ? strerror(errno) : "output error");
        return EXIT_BAD_INPUT;
    }
    return status;
}

/* Manual pages, made from the tables of commands and options. */
#include "reports/cli/cli.h"
#include "reports/provenance.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The code point at *text, which moves past it; bytes that are no UTF-8 count as themselves. */
static unsigned next_character(const char **text) {
    const unsigned char *p = (const unsigned char *)*text;
    size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 1;
    unsigned code = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *text += 1;
            return p[0];
        }
        code = code << 6 | (p[i] & 0x3fu);
    }
    *text += n;
    return code;
}

enum { COLUMNS = 62 }; /* lines of the page's source break at the next space */

/* Text as roff prints it: no requests, no escapes, real dashes; fill: lines may break. */
static void print_words(const char *text, size_t length, int fill) {
    const char *end = text + length;
    int column = 0;
    if (length > 0 && (*text == '.' || *text == '\''))
        printf("\\&");
    while (text < end) {
        unsigned code = next_character(&text);
        column++;
        if (fill && code == ' ' && column > COLUMNS && text < end && *text != '.' &&
            *text != '\'') {
            printf("\n");
            column = 0;
        } else if (code == '\\')
            printf("\\e");
        else if (code == '-')
            printf("\\-");
        else if (code == '\'')
            printf("\\(aq");
        else if (code == '^')
            printf("\\(ha");
        else if (code == '~')
            printf("\\(ti");
        else if (code == '`')
            printf("\\(ga");
        else if (code >= 128)
            printf("\\[u%04X]", code);
        else
            printf("%c", (char)code);
    }
}

static void print_text(const char *text, size_t length) {
    print_words(text, length, 1);
}

static void print_all(const char *text) {
    print_words(text, strlen(text), 1);
}

/* Paragraphs as in cli_manual. */
static void print_paragraphs(const char *text) {
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        if (n == 0) {
            printf(".PP\n");
        } else {
            print_text(text, n);
            printf("\n");
        }
        text += n + (text[n] == '\n');
    }
}

static void print_title(const char *name, const char *section) {
    printf(".TH ");
    for (; *name != '\0'; name++)
        printf(*name == '-' ? "\\-" : "%c", toupper((unsigned char)*name));
    printf(" %s %s \"mneme %s\" \"Mneme\"\n", section, MNEME_DATE, MNEME_VERSION);
}

/* .B of a command line: literal words bold. */
static void print_command_line(const char *command, const char *line, size_t length) {
    printf(".B mneme");
    if (command[0] != '\0')
        printf(" ");
    print_all(command);
    printf("\n");
    if (length > 0) {
        print_text(line, length);
        printf("\n");
    }
}

static void print_exit_status(void) {
    static const char *const meaning[][2] = {
        {"0", "as expected: every verdict is as pinned."},
        {"1", "a check failed, a witness does not hold."},
        {"2", "bad usage or input; one line on standard error says what and where."},
        {"3", "a fault of the program itself."},
        {"130", "interrupted; what was written is partial and says so."}};
    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++)
        printf(".TP\n.B %s\n%s\n", meaning[i][0], meaning[i][1]);
}

static void print_option(const char *name, const char *value, const char *help) {
    printf(".TP\n\\fB");
    print_all(name);
    printf("\\fR");
    if (value != NULL) {
        printf(" \\fI");
        print_all(value);
        printf("\\fR");
    }
    printf("\n");
    print_all(help);
    printf("\n");
}

void cli_manual_page(const cli_command *command, const cli_option *options) {
    static const cli_manual none = {"", {{NULL, NULL}}, NULL};
    const cli_manual *m = command->manual != NULL ? command->manual : &none;
    char name[64];
    snprintf(name, sizeof name, "mneme-%s", command->name);
    print_title(name, "1");
    printf(".SH NAME\n");
    print_all(name);
    printf(" \\- ");
    print_all(command->summary);
    printf("\n.SH SYNOPSIS\n");
    for (const char *line = command->usage; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        print_command_line(command->name, line, n);
        line += n + (line[n] == '\n');
        if (*line != '\0')
            printf(".br\n");
    }
    printf(".SH DESCRIPTION\n");
    print_paragraphs(m->description[0] != '\0' ? m->description : command->summary);
    printf(".PP\nNumbers are exact decimals or fractions: 0.3, 3/10, 1e\\-8.\n.SH OPTIONS\n");
    for (const cli_option *o = options; o->name != NULL; o++)
        print_option(o->name, o->value, o->help);
    print_option("--help", NULL, "prints a summary of this page");
    print_option("--version", NULL, "prints the version");
    print_exit_status();
    if (m->examples[0].line != NULL)
        printf(".SH EXAMPLES\n");
    for (const cli_example *e = m->examples; e->line != NULL; e++) {
        printf(".TP\n\\fBmneme ");
        print_words(e->line, strlen(e->line), 0);
        printf("\\fR");
        printf("\n");
        print_all(e->does);
        printf("\n");
    }
    printf(".SH FILES\n");
    print_paragraphs(m->files != NULL ? m->files
                                      : "Output is written under a temporary name and renamed: a "
                                        "file is whole or as it was.");
    printf(".SH SEE ALSO\n.BR mneme (1),\n");
    for (const cli_command *c = cli_commands; c->name != NULL; c++)
        if (c != command && strcmp(c->name, command->name) != 0)
            printf(".BR mneme\\-%s (1),\n", c->name);
    printf(".BR libmneme (3)\n");
}

void cli_main_page(void) {
    print_title("mneme", "1");
    printf(
        ".SH NAME\nmneme \\- certified checking of the theory of long\\-memory sequence models\n"
        ".SH SYNOPSIS\n.B mneme\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n.br\n"
        ".B mneme\n\\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n.SH DESCRIPTION\n");
    print_paragraphs(
        "Papers claim that transformers can have power-law memory at linear cost. Mneme\n"
        "checks such claims with rigorous arithmetic (rationals and balls): a statement\n"
        "that passes is proved, or certified on the finite set it names; a statement\n"
        "that is false gets a witness that anyone can replay, and the true statement\n"
        "beside it.\n\n"
        "Results go to standard output, messages to standard error, progress to a\n"
        "terminal only. Numbers are exact decimals or fractions: 0.3, 3/10, 1e-8.\n"
        "Every command takes --help and --version.");
    printf(".SH COMMANDS\n");
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        printf(".TP\n.BR mneme\\-%s (1)\n", c->name);
        print_all(c->summary);
        printf("\n");
    }
    print_exit_status();
    printf(".SH EXAMPLES\n.TP\n.B mneme verify \\-j 2 \\-\\-json verify.json\nchecks every claim\n"
           ".TP\n.B mneme soe \\-\\-alpha 3/10 \\-\\-horizon 1e6 \\-\\-error 1e\\-8\n"
           "the shortest certified sum of exponentials\n"
           ".SH FILES\n.TP\n.I PREFIX/share/mneme\ncertificates, schemas, scripts of the figures; "
           "in a source tree\n"
           ".I reports\nand\n.I plots\n"
           ".SH SEE ALSO\n");
    for (const cli_command *c = cli_commands; c->name != NULL; c++)
        printf(".BR mneme\\-%s (1),\n", c->name);
    printf(".BR libmneme (3)\n");
}

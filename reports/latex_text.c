/* UTF-8 text as LaTeX. */
#include "reports/latex.h"
#include "reports/latex_characters.h"

#include <ctype.h>
#include <string.h>

/* *code := the next character; returns its bytes, 1 with *code = 0xFFFD where they are no UTF-8. */
static size_t decode(unsigned *code, const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
               : p[0] >= 0xe0                ? 3
               : p[0] >= 0xc2                ? 2
                                             : 0;
    *code = 0xfffd;
    if (n == 0 || p[0] >= 0xf5)
        return 1;
    unsigned c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 1;
        c = c << 6 | (p[i] & 0x3fu);
    }
    *code = c;
    return n;
}

static const latex_character *find(unsigned code) {
    size_t low = 0, high = sizeof latex_characters / sizeof *latex_characters;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (latex_characters[middle].code == code)
            return latex_characters + middle;
        if (latex_characters[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const char *ascii(unsigned char c) {
    static const struct {
        char c;
        const char *latex;
    } specials[] = {{'#', "\\#"},
                    {'$', "\\$"},
                    {'%', "\\%"},
                    {'&', "\\&"},
                    {'_', "\\_"},
                    {'{', "\\{"},
                    {'}', "\\}"},
                    {'~', "\\textasciitilde{}"},
                    {'^', "\\textasciicircum{}"},
                    {'\\', "\\textbackslash{}"},
                    {'<', "$<$"},
                    {'>', "$>$"},
                    {'|', "$|$"},
                    {'"', "{\\char34}"},
                    {'`', "\\textasciigrave{}"},
                    {'\n', " "},
                    {'\t', " "}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].c == (char)c)
            return specials[i].latex;
    return NULL;
}

/* A sign spelled with several ASCII characters; *length := how many. */
static const char *spelled(const char *text, size_t *length) {
    static const char *const signs[][2] = {{"<=", "$\\le$"}, {">=", "$\\ge$"}, {"->", "$\\to$"},
                                           {"!=", "$\\ne$"}, {"+-", "$\\pm$"}, {"...", "\\ldots{}"},
                                           {" - ", " $-$ "}, {"--", "-{}-"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        *length = strlen(signs[i][0]);
        if (strncmp(text, signs[i][0], *length) == 0)
            return signs[i][1];
    }
    return NULL;
}

/* The accent of mathematics that a combining character puts on what precedes it. */
static const char *accent(unsigned code) {
    return code == 0x302   ? "\\hat"
           : code == 0x303 ? "\\tilde"
           : code == 0x304 ? "\\bar"
           : code == 0x307 ? "\\dot"
                           : NULL;
}

static int is_script(const latex_character *c, char mark) {
    return c != NULL && c->mathematics && c->latex[0] == mark;
}

/* Raised or lowered characters that follow each other make one exponent or index; returns the
   bytes. */
static size_t print_script(text_buffer *b, const char *text, char mark) {
    size_t used = 0;
    unsigned code;
    text_printf(b, "$%c{", mark);
    for (;;) {
        size_t n = decode(&code, text + used);
        const latex_character *c = find(code);
        if (!is_script(c, mark))
            break;
        text_printf(b, "%.*s", (int)strlen(c->latex) - 3, c->latex + 2); /* between ^{ and } */
        used += n;
    }
    text_printf(b, "}$");
    return used;
}

/* The Greek letter whose name begins text as a word ("alpha", "lambda0"), or NULL; *length := its
   bytes. */
static const char *greek(const char *text, size_t *length) {
    static const char *const names[] = {"alpha", "beta",  "gamma",  "delta", "epsilon", "eta",
                                        "theta", "kappa", "lambda", "mu",    "pi",      "rho",
                                        "sigma", "tau",   "phi",    "psi",   "omega",   "Gamma",
                                        "Theta", "Delta", "Lambda"};
    for (*length = 0; isalpha((unsigned char)text[*length]);)
        (*length)++;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == *length && strncmp(text, names[i], *length) == 0)
            return names[i];
    return NULL;
}

/* Where an exponent or index that begins at text ends: {...}, (...), or, after an optional sign,
   letters or digits, at most two in an index, so that d_v has one and cu_seqlens none.  0:
   there is none. */
static size_t script_length(const char *text, char mark) {
    size_t n = 0;
    if (text[0] == '{' || (text[0] == '(' && mark == '^')) {
        long depth = 0;
        for (; text[n] != '\0'; n++) {
            depth += (text[n] == '{' || text[n] == '(') - (text[n] == '}' || text[n] == ')');
            if (depth == 0)
                return n + 1;
        }
        return 0;
    }
    n += text[0] == '-' && mark == '^';
    size_t start = n;
    while (isalnum((unsigned char)text[n]))
        n++;
    return n == start || (mark == '_' && n > 2) ? 0 : n;
}

static long print_text(text_buffer *b, const char *text, size_t length);

/* ^... or _..., of so many bytes with the mark; braces are not printed. */
static long print_raised(text_buffer *b, const char *text, size_t length) {
    int braces = text[1] == '{';
    text_printf(b, text[0] == '^' ? "\\textsuperscript{" : "\\textsubscript{");
    long unknown = print_text(b, text + 1 + braces, length - 1 - 2 * (size_t)braces);
    text_printf(b, "}");
    return unknown;
}

static long print_text(text_buffer *b, const char *text, size_t length) {
    const char *start = text, *end = text + length;
    long unknown = 0;
    while (text < end) {
        unsigned code, next;
        size_t n;
        const char *latex = spelled(text, &n);
        int word = text == start || !isalpha((unsigned char)text[-1]);
        if (latex != NULL && n <= (size_t)(end - text)) {
            text_printf(b, "%s", latex);
            text += n;
            continue;
        }
        if (word && (latex = greek(text, &n)) != NULL) {
            text_printf(
                b, text[n] == '0' && !isalnum((unsigned char)text[n + 1]) ? "$\\%s_0$" : "$\\%s$",
                latex);
            text += n + (text[n] == '0' && !isalnum((unsigned char)text[n + 1]));
            continue;
        }
        if ((text[0] == '^' || text[0] == '_') && (n = script_length(text + 1, text[0])) > 0 &&
            n < (size_t)(end - text)) {
            unknown += print_raised(b, text, n + 1);
            text += n + 1;
            continue;
        }
        n = decode(&code, text);
        const latex_character *c = code < 0x80 ? NULL : find(code);
        size_t after = decode(&next, text + n);
        if (accent(next) != NULL && (c != NULL ? c->mathematics : code > 32 && code < 127)) {
            if (c != NULL)
                text_printf(b, "$%s{%s}$", accent(next), c->latex);
            else
                text_printf(b, "$%s{%c}$", accent(next), (char)code);
            n += after;
        } else if (c != NULL && (is_script(c, '^') || is_script(c, '_'))) {
            n = print_script(b, text, c->latex[0]);
        } else if (c != NULL) {
            text_printf(b, c->mathematics ? "$%s$" : "%s", c->latex);
        } else if (code < 0x80 && ascii((unsigned char)code) != NULL) {
            text_printf(b, "%s", ascii((unsigned char)code));
        } else if (code >= 32 && code < 127) {
            text_printf(b, "%c", (char)code);
        } else {
            text_printf(b, "\\fbox{\\texttt{U+%04X}}", code);
            unknown++;
        }
        text += n;
    }
    return unknown;
}

long report_latex_text(text_buffer *b, const char *text) {
    return print_text(b, text, strlen(text));
}

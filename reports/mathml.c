#include "reports/mathml.h"
#include "reports/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a command stands for. */
typedef enum {
    SYMBOL,    /* <mi>: a letter */
    CAPITAL,   /* <mi>, upright */
    OPERATOR,  /* <mo> */
    DELIMITER, /* <mo> as large as its text, or as the size command in front says */
    FUNCTION,  /* <mi> of several letters, upright, with a space before its argument */
    LIMITS,    /* <mo> or function with its scripts below and above */
    SPACE,     /* value: width in em */
    SIZE,      /* of the delimiter that follows: value in em */
    IGNORED    /* styles that MathML chooses itself */
} command_kind;

typedef struct {
    const char *name;
    command_kind kind;
    const char *value;
} command;

static const command commands[] = {
    {"alpha", SYMBOL, "α"},        {"beta", SYMBOL, "β"},      {"gamma", SYMBOL, "γ"},
    {"delta", SYMBOL, "δ"},        {"epsilon", SYMBOL, "ϵ"},   {"varepsilon", SYMBOL, "ε"},
    {"zeta", SYMBOL, "ζ"},         {"eta", SYMBOL, "η"},       {"theta", SYMBOL, "θ"},
    {"kappa", SYMBOL, "κ"},        {"lambda", SYMBOL, "λ"},    {"mu", SYMBOL, "μ"},
    {"nu", SYMBOL, "ν"},           {"xi", SYMBOL, "ξ"},        {"pi", SYMBOL, "π"},
    {"rho", SYMBOL, "ρ"},          {"sigma", SYMBOL, "σ"},     {"tau", SYMBOL, "τ"},
    {"phi", SYMBOL, "ϕ"},          {"varphi", SYMBOL, "φ"},    {"chi", SYMBOL, "χ"},
    {"psi", SYMBOL, "ψ"},          {"omega", SYMBOL, "ω"},     {"Gamma", CAPITAL, "Γ"},
    {"Delta", CAPITAL, "Δ"},       {"Theta", CAPITAL, "Θ"},    {"Lambda", CAPITAL, "Λ"},
    {"Pi", CAPITAL, "Π"},          {"Sigma", CAPITAL, "Σ"},    {"Phi", CAPITAL, "Φ"},
    {"Psi", CAPITAL, "Ψ"},         {"Omega", CAPITAL, "Ω"},    {"ell", SYMBOL, "ℓ"},
    {"infty", SYMBOL, "∞"},        {"partial", SYMBOL, "∂"},   {"top", SYMBOL, "⊤"},
    {"emptyset", SYMBOL, "∅"},     {"le", OPERATOR, "≤"},      {"leq", OPERATOR, "≤"},
    {"ge", OPERATOR, "≥"},         {"geq", OPERATOR, "≥"},     {"ne", OPERATOR, "≠"},
    {"neq", OPERATOR, "≠"},        {"ll", OPERATOR, "≪"},      {"gg", OPERATOR, "≫"},
    {"approx", OPERATOR, "≈"},     {"sim", OPERATOR, "∼"},     {"gtrsim", OPERATOR, "≳"},
    {"lesssim", OPERATOR, "≲"},    {"asymp", OPERATOR, "≍"},   {"equiv", OPERATOR, "≡"},
    {"propto", OPERATOR, "∝"},     {"in", OPERATOR, "∈"},      {"notin", OPERATOR, "∉"},
    {"subset", OPERATOR, "⊂"},     {"cap", OPERATOR, "∩"},     {"cup", OPERATOR, "∪"},
    {"perp", OPERATOR, "⊥"},       {"to", OPERATOR, "→"},      {"mapsto", OPERATOR, "↦"},
    {"Rightarrow", OPERATOR, "⇒"}, {"iff", OPERATOR, "⇔"},     {"cdot", OPERATOR, "⋅"},
    {"cdots", OPERATOR, "⋯"},      {"dots", OPERATOR, "…"},    {"ldots", OPERATOR, "…"},
    {"times", OPERATOR, "×"},      {"pm", OPERATOR, "±"},      {"circ", OPERATOR, "∘"},
    {"bmod", OPERATOR, "mod"},     {"lfloor", DELIMITER, "⌊"}, {"rfloor", DELIMITER, "⌋"},
    {"lceil", DELIMITER, "⌈"},     {"rceil", DELIMITER, "⌉"},  {"langle", DELIMITER, "⟨"},
    {"rangle", DELIMITER, "⟩"},    {"|", DELIMITER, "‖"},      {"{", DELIMITER, "{"},
    {"}", DELIMITER, "}"},         {"#", OPERATOR, "#"},       {"_", OPERATOR, "_"},
    {"%", OPERATOR, "%"},          {"&", OPERATOR, "&amp;"},   {"ln", FUNCTION, "ln"},
    {"log", FUNCTION, "log"},      {"exp", FUNCTION, "exp"},   {"sin", FUNCTION, "sin"},
    {"cos", FUNCTION, "cos"},      {"tanh", FUNCTION, "tanh"}, {"cosh", FUNCTION, "cosh"},
    {"sinh", FUNCTION, "sinh"},    {"arg", FUNCTION, "arg"},   {"det", FUNCTION, "det"},
    {"dim", FUNCTION, "dim"},      {"Pr", FUNCTION, "Pr"},     {"int", OPERATOR, "∫"},
    {"sum", LIMITS, "∑"},          {"prod", LIMITS, "∏"},      {"sup", LIMITS, "sup"},
    {"inf", LIMITS, "inf"},        {"max", LIMITS, "max"},     {"min", LIMITS, "min"},
    {"lim", LIMITS, "lim"},        {",", SPACE, "0.167"},      {":", SPACE, "0.222"},
    {";", SPACE, "0.278"},         {" ", SPACE, "0.25"},       {"quad", SPACE, "1"},
    {"qquad", SPACE, "2"},         {"!", IGNORED, ""},         {"bigl", SIZE, "1.2"},
    {"bigr", SIZE, "1.2"},         {"Bigl", SIZE, "1.8"},      {"Bigr", SIZE, "1.8"},
    {"Big", SIZE, "1.8"},          {"big", SIZE, "1.2"},       {"left", SIZE, "1"},
    {"right", SIZE, "1"},          {"textstyle", IGNORED, ""}, {"displaystyle", IGNORED, ""},
    {"mathrel", IGNORED, ""},
};
enum { COMMANDS = sizeof commands / sizeof *commands, DEPTH = 40 };

typedef struct {
    const char *at;
    int depth;
    const char *size; /* of the next delimiter, in em; NULL: of its text */
    char *complaint;  /* of COMPLAINT bytes; "" while all is well */
} reader;
enum { COMPLAINT = 160 };

static void complain(reader *r, const char *what, const char *name, int length) {
    if (r->complaint[0] == '\0')
        snprintf(r->complaint, COMPLAINT, "%s \"%.*s\"", what, length, name);
}

/* The character at text with a meaning in XML escaped. */
static void put_character(text_buffer *b, unsigned char c) {
    if (c == '<')
        text_printf(b, "&lt;");
    else if (c == '>')
        text_printf(b, "&gt;");
    else if (c == '&')
        text_printf(b, "&amp;");
    else
        text_printf(b, "%c", c);
}

/* "{...}" or one character as plain text; for \text, \mathrm and their kind. */
static char *braced(reader *r, bool keep_spaces) {
    text_buffer b;
    text_init(&b);
    if (*r->at != '{') {
        if (*r->at != '\0')
            put_character(&b, (unsigned char)*r->at++);
        return text_take(&b);
    }
    for (r->at++; *r->at != '\0' && *r->at != '}'; r->at++) {
        if (r->at[0] == '\\' && r->at[1] != '\0')
            r->at++;
        if (*r->at == ' ' && keep_spaces)
            text_printf(&b, "&#160;"); /* others vanish at the ends */
        else
            put_character(&b, (unsigned char)*r->at);
    }
    if (*r->at == '}')
        r->at++;
    else
        complain(r, "a group does not end", "}", 1);
    return text_take(&b);
}

static char *row(reader *r, char stop);
static char *argument(reader *r);

/* A piece of the formula, whether its scripts go below and above, and whether it is a function
 * whose argument wants a space in front. */
typedef struct {
    char *text;
    bool limits, function;
} atom;

/* <tag attributes> with up to three children, which are freed; NULL: none. */
static char *wrap(const char *tag, const char *attributes, char *a, char *b, char *c) {
    text_buffer t;
    text_init(&t);
    text_printf(&t, "<%s%s>%s%s%s</%s>", tag, attributes, a, b != NULL ? b : "", c != NULL ? c : "",
                tag);
    free(a), free(b), free(c);
    return text_take(&t);
}
static char *copy(const char *pattern, const char *value) {
    text_buffer t;
    text_init(&t);
    text_printf(&t, pattern, value);
    return text_take(&t);
}

/* Without the space that <mo> puts around bars and slashes. */
static char *delimiter(reader *r, const char *value) {
    text_buffer t;
    text_init(&t);
    text_printf(&t, "<mo lspace=\"0\" rspace=\"0\" ");
    if (r->size != NULL)
        text_printf(&t, "stretchy=\"true\" symmetric=\"true\" minsize=\"%sem\" maxsize=\"%sem\"",
                    r->size, r->size);
    else
        text_printf(&t, "stretchy=\"false\"");
    text_printf(&t, ">%s</mo>", value);
    r->size = NULL;
    return text_take(&t);
}

static atom read_command(reader *r) {
    const char *name = r->at;
    size_t length = 0;
    while (isalpha((unsigned char)name[length]))
        length++;
    if (length == 0 && name[0] != '\0')
        length = 1;
    r->at += length;
    if (length > 1 || isalpha((unsigned char)name[0]))
        while (*r->at == ' ')
            r->at++;
#define IS(word) (length == strlen(word) && strncmp(name, word, length) == 0)
    if (IS("frac") || IS("tfrac") || IS("dfrac")) {
        char *above = argument(r), *below = argument(r);
        return (atom){.text = wrap("mfrac", "", above, below, NULL)};
    }
    if (IS("sqrt"))
        return (atom){.text = wrap("msqrt", "", argument(r), NULL, NULL)};
    if (IS("hat") || IS("bar") || IS("tilde")) {
        const char *accent = IS("hat") ? "^" : IS("bar") ? "¯" : "~";
        return (atom){.text = wrap("mover", " accent=\"true\"", argument(r),
                                   copy("<mo>%s</mo>", accent), NULL)};
    }
    if (IS("text"))
        return (atom){.text = wrap("mtext", "", braced(r, true), NULL, NULL)};
    if (IS("mathrm") || IS("mathsf") || IS("mathtt") || IS("mathbb") || IS("mathbf") ||
        IS("operatorname")) {
        bool function = IS("operatorname");
        return (atom){.text = wrap("mi", " mathvariant=\"normal\"", braced(r, false), NULL, NULL),
                      .function = function};
    }
#undef IS
    for (int i = 0; i < COMMANDS; i++) {
        const command *c = &commands[i];
        if (strlen(c->name) != length || strncmp(c->name, name, length) != 0)
            continue;
        switch (c->kind) {
        case SYMBOL:
            return (atom){.text = copy("<mi>%s</mi>", c->value)};
        case CAPITAL:
            return (atom){.text = copy("<mi mathvariant=\"normal\">%s</mi>", c->value)};
        case DELIMITER:
            return (atom){.text = delimiter(r, c->value)};
        case SIZE:
            r->size = c->value;
            return (atom){.text = copy("%s", "")};
        case OPERATOR:
            return (atom){.text = copy("<mo>%s</mo>", c->value)};
        case FUNCTION:
            return (atom){.text = copy("<mi>%s</mi>", c->value), .function = true};
        case LIMITS:
            return (atom){.text = copy("<mo movablelimits=\"false\">%s</mo>", c->value),
                          .limits = true};
        case SPACE:
            return (atom){.text = copy("<mspace width=\"%sem\"/>", c->value)};
        case IGNORED:
            return (atom){.text = copy("%s", c->value)};
        }
    }
    complain(r, "unknown command", name - 1, (int)length + 1);
    return (atom){.text = copy("%s", "")};
}

static atom read_atom(reader *r) {
    char c = *r->at;
    if (c == '\\') {
        r->at++;
        return read_command(r);
    }
    if (c == '{') {
        r->at++;
        return (atom){.text = row(r, '}')};
    }
    text_buffer b;
    text_init(&b);
    if (isdigit((unsigned char)c)) {
        text_printf(&b, "<mn>");
        while (isdigit((unsigned char)*r->at) ||
               (*r->at == '.' && isdigit((unsigned char)r->at[1])))
            text_printf(&b, "%c", *r->at++);
        text_printf(&b, "</mn>");
    } else if (isalpha((unsigned char)c)) {
        text_printf(&b, "<mi>%c</mi>", c);
        r->at++;
    } else {
        r->at++;
        if (strchr("()[]|/", c) != NULL) {
            char value[2] = {c, '\0'};
            free(text_take(&b));
            return (atom){.text = delimiter(r, value)};
        }
        text_printf(&b, "<mo>");
        if (c == '-')
            text_printf(&b, "−");
        else if (c == '*')
            text_printf(&b, "∗");
        else
            put_character(&b, (unsigned char)c);
        text_printf(&b, "</mo>");
    }
    return (atom){.text = text_take(&b)};
}

/* What \frac, \hat or a script takes: a group, a command with what it takes, or one character. */
static char *argument(reader *r) {
    while (*r->at == ' ')
        r->at++;
    if (*r->at == '\0') {
        complain(r, "something is missing after", "\\frac, \\hat, _ or ^", 20);
        return copy("%s", "");
    }
    if (isdigit((unsigned char)*r->at)) { /* x^10 is x^1 0 */
        char digit[2] = {*r->at++, '\0'};
        return copy("<mn>%s</mn>", digit);
    }
    return read_atom(r).text;
}

/* The scripts that follow an atom, put around it. */
static char *with_scripts(reader *r, atom a) {
    char *below = NULL, *above = NULL;
    for (;;) {
        while (*r->at == ' ')
            r->at++;
        if (*r->at == '_' && below == NULL) {
            r->at++;
            below = argument(r);
        } else if (*r->at == '^' && above == NULL) {
            r->at++;
            above = argument(r);
        } else if (*r->at == '\'') {
            r->at++;
            char *prime = copy("%s", "<mo>′</mo>");
            above = above == NULL ? prime : wrap("mrow", "", above, prime, NULL);
        } else if (*r->at == '^' && above != NULL && strcmp(above, "<mo>′</mo>") == 0) {
            r->at++;
            above = wrap("mrow", "", above, argument(r), NULL);
        } else {
            break;
        }
    }
    if (below == NULL && above == NULL)
        return a.text;
    if (below != NULL && above != NULL)
        return wrap(a.limits ? "munderover" : "msubsup", "", a.text, below, above);
    if (below != NULL)
        return wrap(a.limits ? "munder" : "msub", "", a.text, below, NULL);
    return wrap(a.limits ? "mover" : "msup", "", a.text, above, NULL);
}

/* Up to stop ('}' or the end), which is passed over. */
static char *row(reader *r, char stop) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "<mrow>");
    if (++r->depth > DEPTH)
        complain(r, "too many groups in one another at", r->at, 8);
    while (*r->at != '\0' && *r->at != stop && r->complaint[0] == '\0') {
        if (*r->at == ' ') {
            r->at++;
            continue;
        }
        if (*r->at == '}') {
            complain(r, "a group ends that did not begin:", r->at, 8);
            break;
        }
        atom a = read_atom(r);
        if (a.text[0] == '\0') { /* an ignored command has no scripts */
            free(a.text);
            continue;
        }
        bool space = a.function;
        char *text = with_scripts(r, a);
        text_printf(&b, "%s", text);
        free(text);
        if (space && (isalnum((unsigned char)*r->at) || *r->at == '\\'))
            text_printf(&b, "<mspace width=\"0.167em\"/>");
    }
    if (stop != '\0') {
        if (*r->at == stop)
            r->at++;
        else
            complain(r, "a group does not end", "}", 1);
    }
    r->depth--;
    text_printf(&b, "</mrow>");
    return text_take(&b);
}

char *mathml_from_latex(const char *latex, const char **complaint) {
    static char sentence[COMPLAINT];
    reader r = {latex, 0, NULL, sentence};
    sentence[0] = '\0';
    char *inside = row(&r, '\0');
    if (sentence[0] != '\0') {
        free(inside);
        *complaint = sentence;
        return NULL;
    }
    return wrap("math", " xmlns=\"http://www.w3.org/1998/Math/MathML\" displaystyle=\"true\"",
                inside, NULL, NULL);
}

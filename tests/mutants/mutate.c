/* mutate TARGET UNIT CHOSEN OUT [compiler arguments]: small faults, compiled in together, one of them
   chosen at run time.

   Parses UNIT with clang, numbers the sites of TARGET (UNIT itself, or a header that it includes)
   1, 2, ... and prints one line for each mutant:
       number, file, line, function, kind, what stands there, what comes instead    (tabs between)
   CHOSEN has lines "file number id".  OUT is the text of TARGET where its chosen sites are wrapped in
   a test of mutant_is(id).  Operands are evaluated once and in their order, so that without a mutant
   the program is the same.  With OUT "-" it only lists.

   Exit 0; 1 with a line on stderr if UNIT cannot be parsed or a file cannot be read or written.

   What is not mutated, because C wants constants there: initialisers of static data, case labels,
   array dimensions, enumerators; what macros expand to and their arguments; loop heads under an
   OpenMP directive; arguments of intrinsics. */
#include <clang-c/Index.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned at;     /* offset in the source */
    int closing;     /* closing text of an inner node comes before that of an outer one */
    unsigned node;   /* order of visit: an outer node comes before its inner ones */
    unsigned length; /* this many bytes of the source are replaced */
    char *text;
} edit;

/* What stands in the arguments of a macro is not touched: the macro may do anything with it. */
typedef struct {
    unsigned from, to;
} span;

typedef struct {
    CXTranslationUnit unit;
    CXFile file;
    const char *path;
    char *text;
    unsigned size, nodes, next_id;
    unsigned *chosen; /* chosen[number]: its id, or 0 */
    unsigned choices;
    int writing; /* the last site was chosen */
    edit *list;
    size_t edits, room;
    span *macro;
    size_t macros;
    char function[128], seen_in[128];
    char *seen; /* what was recorded in the function seen_in */
    size_t seen_length;
} mutator;

/* Names open behind all nodes that begin where they stand. */
#define INNERMOST 0x80000000u

/* What is known above a node. */
typedef struct {
    int in_function, directive; /* directive: an OpenMP directive's statement */
} place;

typedef struct {
    mutator *m;
    place here;
    CXCursor parent;
    unsigned count; /* children seen */
} visit;

/* ---- text ---- */

static char *read_text(const char *path, unsigned *size) {
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return NULL;
    fseek(in, 0, SEEK_END);
    long n = ftell(in);
    rewind(in);
    char *text = calloc((size_t)n + 1, 1);
    *size = (unsigned)fread(text, 1, (size_t)n, in);
    fclose(in);
    return text;
}

static void put(mutator *m, unsigned at, int closing, unsigned node, unsigned length,
                const char *text) {
    if (!m->writing)
        return;
    if (m->edits == m->room) {
        m->room = 2 * m->room + 256;
        m->list = realloc(m->list, m->room * sizeof *m->list);
    }
    m->list[m->edits++] = (edit){at, closing, node, length, strdup(text)};
}

/* At one offset: what closes (inner first), then what opens (outer first). */
static int by_place(const void *a, const void *b) {
    const edit *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->closing != y->closing)
        return x->closing ? -1 : 1;
    if (x->node != y->node)
        return (x->node < y->node) == x->closing ? 1 : -1;
    return 0;
}

/* The source between two offsets, on one line. */
static void excerpt(const mutator *m, unsigned from, unsigned to, char *out, size_t room) {
    size_t n = 0;
    int gap = 0;
    for (unsigned i = from; i < to && n + 2 < room; i++) {
        if (isspace((unsigned char)m->text[i])) {
            gap = n > 0;
        } else {
            if (gap)
                out[n++] = ' ';
            gap = 0;
            out[n++] = m->text[i];
        }
    }
    out[n] = '\0';
}

static unsigned line_of(const mutator *m, unsigned at) {
    unsigned line = 1;
    for (unsigned i = 0; i < at; i++)
        line += m->text[i] == '\n';
    return line;
}

/* How many times the text was recorded before in this function. */
static unsigned times_seen(mutator *m, const char *text) {
    unsigned n = 0;
    if (m->seen != NULL && strcmp(m->seen_in, m->function) != 0)
        m->seen[m->seen_length = 0] = '\0';
    for (const char *p = m->seen; p != NULL && (p = strstr(p, text)) != NULL; p++)
        n++;
    snprintf(m->seen_in, sizeof m->seen_in, "%s", m->function);
    m->seen = realloc(m->seen, m->seen_length + strlen(text) + 1);
    strcpy(m->seen + m->seen_length, text);
    m->seen_length += strlen(text);
    return n;
}

/* The mutant's id if it was chosen, else 0, and then nothing is written for it.  Of several alike in
   a function the second is called "... [2]". */
static unsigned record(mutator *m, unsigned from, unsigned to, const char *kind, const char *was,
                       const char *now) {
    char text[200], whole[400], ordinal[16] = "";
    excerpt(m, from, to, text, sizeof text);
    snprintf(whole, sizeof whole, "\n%s\t%s%s%s\t%s\n", kind, was, was[0] != '\0' ? " in " : "",
             text, now);
    unsigned before = times_seen(m, whole);
    if (before > 0)
        snprintf(ordinal, sizeof ordinal, " [%u]", before + 1);
    printf("%u\t%s\t%u\t%s\t%s\t%s%s%s%s\t%s\n", m->next_id, m->path, line_of(m, from), m->function,
           kind, was, was[0] != '\0' ? " in " : "", text, ordinal, now);
    unsigned number = m->next_id++, id = number < m->choices ? m->chosen[number] : 0;
    m->writing = id != 0;
    return id;
}

/* ---- places ---- */

/* Offsets of the node's text if it stands in the target, outside macros. */
static int extent(const mutator *m, CXCursor c, unsigned *from, unsigned *to) {
    CXSourceRange r = clang_getCursorExtent(c);
    CXFile file, end_file;
    clang_getExpansionLocation(clang_getRangeStart(r), &file, NULL, NULL, from);
    clang_getExpansionLocation(clang_getRangeEnd(r), &end_file, NULL, NULL, to);
    if (file == NULL || end_file == NULL || !clang_File_isEqual(file, m->file) ||
        !clang_File_isEqual(end_file, m->file))
        return 0;
    return *from < *to && *to <= m->size;
}

/* Whether a call of a macro covers the offset. */
static int in_macro(const mutator *m, unsigned at) {
    for (size_t i = 0; i < m->macros; i++)
        if (m->macro[i].from <= at && at < m->macro[i].to)
            return 1;
    return 0;
}

static enum CXChildVisitResult keep_macro(CXCursor c, CXCursor parent, CXClientData data) {
    mutator *m = data;
    unsigned from, to;
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_MacroExpansion && extent(m, c, &from, &to) &&
        memchr(m->text + from, '(', to - from) != NULL) {
        m->macro = realloc(m->macro, (m->macros + 1) * sizeof *m->macro);
        m->macro[m->macros++] = (span){from, to};
    }
    return CXChildVisit_Continue;
}

/* The operator between two operands, without comments; "" if more than one stands there. */
static void operator_between(const mutator *m, unsigned from, unsigned to, char out[4],
                             unsigned *at) {
    unsigned n = 0;
    out[0] = '\0';
    for (unsigned i = from; i < to; i++) {
        if (m->text[i] == '/' && i + 1 < to && m->text[i + 1] == '*') {
            for (i += 2; i + 1 < to && !(m->text[i] == '*' && m->text[i + 1] == '/'); i++)
                continue;
            i++;
        } else if (!isspace((unsigned char)m->text[i])) {
            if (n == 3 || (n > 0 && i != *at + n)) {
                out[0] = '\0';
                return;
            }
            if (n == 0)
                *at = i;
            out[n++] = m->text[i];
            out[n] = '\0';
        }
    }
}

static int is_pointer(CXCursor c) {
    CXType t = clang_getCanonicalType(clang_getCursorType(c));
    return t.kind == CXType_Pointer || t.kind == CXType_ConstantArray ||
           t.kind == CXType_IncompleteArray || t.kind == CXType_VariableArray ||
           t.kind == CXType_FunctionProto;
}

static enum CXChildVisitResult keep_child(CXCursor c, CXCursor parent, CXClientData data) {
    CXCursor **next = data;
    (void)parent;
    *(*next)++ = c;
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult count_child(CXCursor c, CXCursor parent, CXClientData data) {
    (void)c;
    (void)parent;
    ++*(unsigned *)data;
    return CXChildVisit_Continue;
}

static unsigned children(CXCursor c, CXCursor *out, unsigned room) {
    unsigned n = 0;
    clang_visitChildren(c, count_child, &n);
    if (n > room)
        return 0;
    clang_visitChildren(c, keep_child, &out);
    return n;
}

/* ---- the faults ---- */

static const char *const exchanged[][2] = {
    {"+", "-"},   {"-", "+"},   {"*", "/"},   {"/", "*"},   {"%", "*"},   {"<", "<="},
    {"<=", "<"},  {">", ">="},  {">=", ">"},  {"==", "!="}, {"!=", "=="}, {"&", "|"},
    {"|", "&"},   {"^", "&"},   {"<<", ">>"}, {">>", "<<"}, {"+=", "-="}, {"-=", "+="},
    {"*=", "/="}, {"/=", "*="}, {"|=", "&="}, {"&=", "|="}};

static const char *exchange(const char *operator) {
    for (size_t i = 0; i < sizeof exchanged / sizeof *exchanged; i++)
        if (strcmp(exchanged[i][0], operator) == 0)
            return exchanged[i][1];
    return NULL;
}

static void mutate_binary(mutator *m, CXCursor c, unsigned node) {
    CXCursor side[2];
    unsigned from, to, left[2], right[2], at = 0;
    char operator[4], text[160];
    if (children(c, side, 2) != 2 || !extent(m, c, &from, &to) ||
        !extent(m, side[0], &left[0], &left[1]) || !extent(m, side[1], &right[0], &right[1]) ||
        left[0] != from || right[1] != to || left[1] > right[0] || in_macro(m, left[1]))
        return;
    operator_between(m, left[1], right[0], operator, & at);
    if (strcmp(operator, "&&") == 0 || strcmp(operator, "||") == 0) {
        unsigned id = record(m, from, to, "logical", operator, operator[0] == '&' ? "||" : "&&");
        put(m, from, 0, node, 0, "({_Bool mx_ = (");
        snprintf(text, sizeof text,
                 "); mx_ %s mutant_is(%u) ? (_Bool)(", operator[0] == '&' ? "!=" : "==", id);
        put(m, at, 0, node, 2, text);
        put(m, to, 1, node, 0, ") : mx_; })");
        return;
    }
    const char *other = exchange(operator);
    int pointers = is_pointer(side[0]) + 2 * is_pointer(side[1]);
    if (other == NULL || ((operator[0] == '+' || operator[0] == '-') && pointers > 1))
        return;
    int assigns = operator[strlen(operator) - 1] == '=' && strchr("+-*/|&", operator[0]) != NULL;
    const char *kind = assigns || strchr("+-*/%&|^", operator[0]) != NULL ||
                               strcmp(operator, "<<") == 0 || strcmp(operator, ">>") == 0
                           ? "arithmetic"
                           : "relation";
    unsigned id = record(m, from, to, kind, operator, other);
    put(m, from, 0, node, 0, assigns ? "({__auto_type mx_ = &(" : "({__auto_type mx_ = (");
    put(m, at, 0, node, (unsigned)strlen(operator), "); __auto_type my_ = (");
    snprintf(text, sizeof text, "); mutant_is(%u) ? (%smx_ %s my_) : (%smx_ %s my_); })", id,
             assigns ? "*" : "", other, assigns ? "*" : "", operator);
    put(m, to, 1, node, 0, text);
}

static void wrap(mutator *m, unsigned node, unsigned from, unsigned to, const char *before,
                 const char *after) {
    put(m, from, 0, node, 0, before);
    put(m, to, 1, node, 0, after);
}

static void mutate_unary(mutator *m, CXCursor c, unsigned node) {
    unsigned from, to;
    char text[80];
    if (!extent(m, c, &from, &to) || in_macro(m, from))
        return;
    if (m->text[from] == '-' && m->text[from + 1] != '-') {
        snprintf(text, sizeof text, "); mutant_is(%u) ? mx_ : -mx_; })",
                 record(m, from, to, "sign", "-", "no sign"));
        put(m, from, 0, node, 1, "({__auto_type mx_ = (");
        put(m, to, 1, node, 0, text);
    } else if (m->text[from] == '!') {
        snprintf(text, sizeof text, "(mutant_is(%u) ^ (",
                 record(m, from, to, "condition", "!", "no !"));
        wrap(m, node, from, to, text, "))");
    }
}

static void mutate_literal(mutator *m, CXCursor c, CXCursor parent, unsigned node) {
    unsigned from, to;
    char text[96], number[64];
    int real = clang_getCursorKind(c) == CXCursor_FloatingLiteral;
    if (!extent(m, c, &from, &to) || in_macro(m, from) || to - from >= sizeof number ||
        !(isdigit((unsigned char)m->text[from]) || m->text[from] == '.') || is_pointer(parent))
        return;
    excerpt(m, from, to, number, sizeof number);
    if (strchr(number, ' ') != NULL)
        return;
    if (real && strtod(number, NULL) != 0) {
        unsigned id = record(m, from, to, "constant", "", "twice that");
        snprintf(text, sizeof text, "((mutant_is(%u) ? 2 : 1) * ", id);
    } else {
        unsigned id = record(m, from, to, "constant", "", "one more");
        snprintf(text, sizeof text, "(mutant_is(%u) + ", id);
    }
    wrap(m, node, from, to, text, ")");
}

static void mutate_index(mutator *m, CXCursor c, unsigned node) {
    CXCursor side[2];
    unsigned from, to;
    char text[64];
    if (children(c, side, 2) != 2 || !extent(m, side[1], &from, &to) || in_macro(m, from) ||
        is_pointer(side[1]) || isdigit((unsigned char)m->text[from]))
        return;
    snprintf(text, sizeof text, ") + mutant_is(%u)", record(m, from, to, "index", "", "one more"));
    put(m, from, 0, node, 0, "(");
    put(m, to, 1, node, 0, text);
}

static int is_relation_or_logic(const mutator *m, CXCursor c) {
    CXCursor side[2];
    unsigned a[2], b[2], at = 0;
    char operator[4];
    enum CXCursorKind k = clang_getCursorKind(c);
    if ((k == CXCursor_ParenExpr || k == CXCursor_UnexposedExpr) && children(c, side, 1) == 1)
        return is_relation_or_logic(m, side[0]);
    if (k == CXCursor_UnaryOperator)
        return extent(m, c, &a[0], &a[1]) && m->text[a[0]] == '!';
    if (k != CXCursor_BinaryOperator || children(c, side, 2) != 2 ||
        !extent(m, side[0], &a[0], &a[1]) || !extent(m, side[1], &b[0], &b[1]))
        return 0;
    operator_between(m, a[1], b[0], operator, & at);
    return operator[0] != '\0' && strchr("<>=!&|", operator[0]) != NULL;
}

static void mutate_condition(mutator *m, CXCursor condition, unsigned node) {
    unsigned from, to;
    char text[64];
    if (is_relation_or_logic(m, condition) || !extent(m, condition, &from, &to) ||
        in_macro(m, from))
        return;
    snprintf(text, sizeof text, "(mutant_is(%u) ^ !!(",
             record(m, from, to, "condition", "", "its negation"));
    wrap(m, node, from, to, text, "))");
}

static int ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

/* A call whose value nobody takes is left out; constructors and destructors are not. */
static void mutate_statement(mutator *m, CXCursor c, unsigned node) {
    static const char *const kept[] = {"init",    "init2", "clear", "free",   "close",
                                       "cleanup", "abort", "exit",  "printf", "free_cache"};
    unsigned from, to;
    char text[64];
    CXString name = clang_getCursorSpelling(c);
    const char *callee = clang_getCString(name);
    int plain = extent(m, c, &from, &to) && !in_macro(m, from) && callee[0] != '\0' &&
                strncmp(m->text + from, callee, strlen(callee)) == 0;
    for (size_t i = 0; plain && i < sizeof kept / sizeof *kept; i++)
        plain = !ends_with(callee, kept[i]) && strstr(callee, "_init_") == NULL;
    clang_disposeString(name);
    if (!plain)
        return;
    snprintf(text, sizeof text, "(mutant_is(%u) ? (void)0 : (void)(",
             record(m, from, to, "call", "", "not called"));
    wrap(m, node, from, to, text, "))");
}

/* ---- names: roundings, and functions of the same type ---- */

static const char *const names[][2] = {{"ARF_RND_FLOOR", "ARF_RND_CEIL"},
                                       {"ARF_RND_UP", "ARF_RND_DOWN"},
                                       {"ARF_RND_NEAR", "ARF_RND_DOWN"},
                                       {"MPFR_RNDU", "MPFR_RNDD"},
                                       {"MPFR_RNDN", "MPFR_RNDZ"},
                                       {"MPFR_RNDA", "MPFR_RNDZ"},
                                       {"arb_add", "arb_sub"},
                                       {"arb_mul", "arb_div"},
                                       {"arb_addmul", "arb_submul"},
                                       {"arb_min", "arb_max"},
                                       {"arb_add_ui", "arb_sub_ui"},
                                       {"arb_mul_ui", "arb_div_ui"},
                                       {"arb_lt", "arb_le"},
                                       {"arb_gt", "arb_ge"},
                                       {"arb_get_ubound_arf", "arb_get_lbound_arf"},
                                       {"arb_get_abs_ubound_arf", "arb_get_abs_lbound_arf"},
                                       {"arb_lower", "arb_upper"},
                                       {"arb_is_positive", "arb_is_nonnegative"},
                                       {"arb_is_negative", "arb_is_nonpositive"},
                                       {"arb_contains_zero", "arb_contains_negative"},
                                       {"fmpq_add", "fmpq_sub"},
                                       {"fmpq_mul", "fmpq_div"},
                                       {"fmpz_add", "fmpz_sub"},
                                       {"fmpz_fdiv_q", "fmpz_cdiv_q"},
                                       {"fmpz_add_ui", "fmpz_sub_ui"},
                                       {"fmin", "fmax"},
                                       {"fminf", "fmaxf"},
                                       {"floor", "ceil"}};

/* Other name of the pair, in either direction. */
static const char *other_name(const char *name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(names[i][k], name) == 0)
                return names[i][1 - k];
    return NULL;
}

static void mutate_names(mutator *m, unsigned from, unsigned to) {
    for (unsigned i = from; i < to;) {
        const char *p = m->text + i;
        if (p[0] == '/' && (p[1] == '*' || p[1] == '/')) {
            const char *end = strstr(p + 2, p[1] == '*' ? "*/" : "\n");
            i = end != NULL ? (unsigned)(end - m->text) + 2 : to;
        } else if (p[0] == '"' || p[0] == '\'') {
            for (i++; i < to && m->text[i] != p[0]; i++)
                i += m->text[i] == '\\';
            i++;
        } else if (p[0] == '#') {
            while (i < to && m->text[i] != '\n')
                i += m->text[i] == '\\' ? 2 : 1;
        } else if (isalpha((unsigned char)p[0]) || p[0] == '_') {
            char name[64];
            unsigned n = 0;
            while (i + n < to && (isalnum((unsigned char)p[n]) || p[n] == '_'))
                n++;
            const char *other = NULL;
            if (n < sizeof name) {
                memcpy(name, p, n);
                name[n] = '\0';
                other = other_name(name);
            }
            if (other != NULL && !in_macro(m, i)) {
                char text[200];
                int call = islower((unsigned char)name[0]);
                if (!call || p[n] == '(') {
                    unsigned end = i + n;
                    while (call && end < to && m->text[end] != ';' && m->text[end] != '{')
                        end++;
                    unsigned id =
                        record(m, i, end, call ? "function" : "rounding", call ? name : "", other);
                    snprintf(text, sizeof text, "(mutant_is(%u) ? %s : %s)", id, other, name);
                    put(m, i, 0, INNERMOST + m->nodes++, n, text);
                }
            }
            i += n;
        } else {
            i++;
        }
    }
}

/* ---- the walk ---- */

static enum CXChildVisitResult walk(CXCursor c, CXCursor parent, CXClientData data);

static void walk_children(mutator *m, CXCursor c, place here) {
    visit v = {m, here, c, 0};
    clang_visitChildren(c, walk, &v);
}

/* A declared variable: its type holds constants, its initialiser begins behind "=". */
static int before_initialiser(const mutator *m, CXCursor variable, CXCursor child) {
    CXFile file;
    unsigned name, from, to;
    clang_getExpansionLocation(clang_getCursorLocation(variable), &file, NULL, NULL, &name);
    if (file == NULL || !extent(m, child, &from, &to))
        return 1;
    for (unsigned i = name; i < from; i++)
        if (m->text[i] == '=')
            return 0;
    return 1;
}

static int is_intrinsic(CXCursor call) {
    CXString name = clang_getCursorSpelling(call);
    const char *text = clang_getCString(name);
    int is = strncmp(text, "_mm", 3) == 0 || strncmp(text, "__builtin", 9) == 0;
    clang_disposeString(name);
    return is;
}

static enum CXChildVisitResult walk(CXCursor c, CXCursor parent, CXClientData data) {
    visit *v = data;
    mutator *m = v->m;
    place here = v->here;
    enum CXCursorKind kind = clang_getCursorKind(c), above = clang_getCursorKind(parent);
    unsigned from, to, index = v->count++;
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
    if (kind == CXCursor_FunctionDecl) {
        if (!clang_isCursorDefinition(c) || file == NULL || !clang_File_isEqual(file, m->file) ||
            !extent(m, c, &from, &to))
            return CXChildVisit_Continue;
        CXString name = clang_getCursorSpelling(c);
        snprintf(m->function, sizeof m->function, "%s", clang_getCString(name));
        clang_disposeString(name);
        while (from < to && m->text[from] != '{')
            from++;
        mutate_names(m, from, to);
        here.in_function = 1;
        walk_children(m, c, here);
        return CXChildVisit_Continue;
    }
    if (!here.in_function)
        return CXChildVisit_Continue;
    if (kind == CXCursor_ParmDecl || kind == CXCursor_StructDecl || kind == CXCursor_EnumDecl ||
        kind == CXCursor_TypedefDecl || kind == CXCursor_StaticAssert || kind == CXCursor_UnaryExpr)
        return CXChildVisit_Continue; /* UnaryExpr: sizeof, alignof */
    if (above == CXCursor_CaseStmt && index == 0)
        return CXChildVisit_Continue;
    if (above == CXCursor_VarDecl &&
        (before_initialiser(m, parent, c) || clang_Cursor_getStorageClass(parent) == CX_SC_Static))
        return CXChildVisit_Continue;
    if (above == CXCursor_CallExpr && is_intrinsic(parent))
        return CXChildVisit_Continue;
    /* under an OpenMP directive the loop's head keeps its form */
    if (kind >= CXCursor_OMPParallelDirective &&
        kind <= CXCursor_OMPTargetTeamsDistributeSimdDirective)
        here.directive = 1;
    if (kind == CXCursor_ForStmt && here.directive) {
        CXCursor part[4];
        unsigned n = children(c, part, 4);
        here.directive = 0;
        if (n > 0) {
            visit body = {m, here, c, n - 1};
            walk(part[n - 1], c, &body);
        }
        return CXChildVisit_Continue;
    }
    if ((above == CXCursor_IfStmt || above == CXCursor_ConditionalOperator) && index == 0)
        mutate_condition(m, c, m->nodes++);
    unsigned node = m->nodes++;
    if (kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator)
        mutate_binary(m, c, node);
    else if (kind == CXCursor_UnaryOperator)
        mutate_unary(m, c, node);
    else if (kind == CXCursor_IntegerLiteral || kind == CXCursor_FloatingLiteral)
        mutate_literal(m, c, parent, node);
    else if (kind == CXCursor_ArraySubscriptExpr)
        mutate_index(m, c, node);
    else if (kind == CXCursor_CallExpr &&
             (above == CXCursor_CompoundStmt ||
              ((above == CXCursor_IfStmt || above == CXCursor_WhileStmt) && index > 0)))
        mutate_statement(m, c, node);
    walk_children(m, c, here);
    return CXChildVisit_Continue;
}

static int write_out(mutator *m, const char *path) {
    FILE *out = fopen(path, "wb");
    if (out == NULL)
        return 0;
    qsort(m->list, m->edits, sizeof *m->list, by_place);
    fprintf(out, "#include \"tests/mutants/mutant.h\"\n#line 1 \"%s\"\n", m->path);
    unsigned at = 0;
    for (size_t i = 0; i < m->edits; i++) {
        const edit *e = m->list + i;
        if (e->at > at)
            fwrite(m->text + at, 1, e->at - at, out);
        fputs(e->text, out);
        at = e->at + e->length > at ? e->at + e->length : at;
    }
    fwrite(m->text + at, 1, m->size - at, out);
    return fclose(out) == 0;
}

static void read_chosen(mutator *m, const char *path) {
    char file[400];
    unsigned number, id;
    FILE *in = fopen(path, "r");
    while (in != NULL && fscanf(in, "%399s %u %u", file, &number, &id) == 3) {
        if (strcmp(file, m->path) != 0)
            continue;
        if (number >= m->choices) {
            m->chosen = realloc(m->chosen, (number + 1) * sizeof *m->chosen);
            memset(m->chosen + m->choices, 0, (number + 1 - m->choices) * sizeof *m->chosen);
            m->choices = number + 1;
        }
        m->chosen[number] = id;
    }
    if (in != NULL)
        fclose(in);
}

int main(int argc, char **argv) {
    mutator m;
    memset(&m, 0, sizeof m);
    if (argc < 5) {
        fprintf(stderr, "usage: mutate TARGET UNIT CHOSEN OUT [compiler arguments]\n");
        return 1;
    }
    m.path = argv[1];
    m.next_id = 1;
    read_chosen(&m, argv[3]);
    m.text = read_text(argv[1], &m.size);
    CXIndex clang = clang_createIndex(0, 1);
    enum CXErrorCode error =
        clang_parseTranslationUnit2(clang, argv[2], (const char *const *)argv + 5, argc - 5, NULL,
                                    0, CXTranslationUnit_DetailedPreprocessingRecord, &m.unit);
    if (m.text == NULL || error != CXError_Success) {
        fprintf(stderr, "mutate: cannot %s %s\n", m.text == NULL ? "read" : "parse",
                m.text == NULL ? argv[1] : argv[2]);
        return 1;
    }
    m.file = clang_getFile(m.unit, argv[1]);
    for (unsigned i = 0; i < clang_getNumDiagnostics(m.unit); i++)
        if (clang_getDiagnosticSeverity(clang_getDiagnostic(m.unit, i)) >= CXDiagnostic_Error) {
            fprintf(stderr, "mutate: %s does not compile\n", argv[2]);
            return 1;
        }
    clang_visitChildren(clang_getTranslationUnitCursor(m.unit), keep_macro, &m);
    place top = {0, 0};
    walk_children(&m, clang_getTranslationUnitCursor(m.unit), top);
    if (strcmp(argv[4], "-") != 0 && !write_out(&m, argv[4])) {
        fprintf(stderr, "mutate: cannot write %s\n", argv[4]);
        return 1;
    }
    for (size_t i = 0; i < m.edits; i++)
        free(m.list[i].text);
    free(m.list);
    free(m.macro);
    free(m.seen);
    free(m.chosen);
    free(m.text);
    clang_disposeTranslationUnit(m.unit);
    clang_disposeIndex(clang);
    return 0;
}

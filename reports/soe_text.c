#include "reports/soe_text.h"
#include "numerics/accuracy/array.h"
#include "numerics/exact/number.h"
#include "reports/provenance.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int soe_format_from_name(soe_format *format, const char *name) {
    static const char *const names[] = {"table", "json", "csv", "c", "npy"};
    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (soe_format)i;
            return 1;
        }
    return 0;
}

static int is_binary(soe_format format) {
    return format == SOE_C || format == SOE_NPY;
}

/* x to the nearest double. */
static double nearest_double(const fmpq_t x) {
    arf_t a;
    arf_init(a);
    arf_fmpz_div_fmpz(a, fmpq_numref(x), fmpq_denref(x), 53, ARF_RND_NEAR);
    double d = arf_get_d(a, ARF_RND_NEAR);
    arf_clear(a);
    return d;
}

static void round_number(fmpq_t x, soe_format format, slong digits) {
    if (is_binary(format)) {
        arf_t a;
        arf_init(a);
        arf_set_d(a, nearest_double(x));
        exact_rational_from_arf(x, a);
        arf_clear(a);
    } else {
        char *text = exact_decimal_rational(x, digits);
        exact_parse_rational(x, text);
        flint_free(text);
    }
}

void soe_round_for_output(soe_sum_t sum, soe_format format, slong digits) {
    for (slong s = 0; s < sum->terms; s++) {
        round_number(sum->weight + s, format, digits);
        round_number(sum->mode + s, format, digits);
    }
}

char *soe_bound_text(const arf_t x, int upper) {
    text_buffer b;
    text_init(&b);
    if (!arf_is_finite(x)) {
        text_printf(&b, "inf");
        return text_take(&b);
    }
    fmpq_t exact, shown, step;
    fmpq_init(exact);
    fmpq_init(shown);
    fmpq_init(step);
    exact_rational_from_arf(exact, x);
    fmpq_set(shown, exact);
    fmpq_set_si(step, upper ? 1000003 : 999997, 1000000);
    for (;;) {
        char *text = exact_decimal_rational(shown, 6);
        fmpq_t printed;
        fmpq_init(printed);
        exact_parse_rational(printed, text);
        int side = fmpq_cmp(printed, exact);
        fmpq_clear(printed);
        if (upper ? side >= 0 : side <= 0) {
            text_printf(&b, "%s", text);
            flint_free(text);
            break;
        }
        flint_free(text);
        fmpq_mul(shown, shown, step);
    }
    fmpq_clear(exact);
    fmpq_clear(shown);
    fmpq_clear(step);
    return text_take(&b);
}

static char *number_text(const fmpq_t x, soe_format format, slong digits) {
    if (!is_binary(format))
        return exact_decimal_rational(x, digits);
    char *text = flint_malloc(40);
    snprintf(text, 40, "%.17g", nearest_double(x)); /* reads back as the same double */
    return text;
}

static void print_terms(text_buffer *out, const soe_sum_t sum, soe_format format, slong digits,
                        const char *before, const char *between, const char *after,
                        const char *last) {
    for (slong s = 0; s < sum->terms; s++) {
        char *weight = number_text(sum->weight + s, format, digits),
             *mode = number_text(sum->mode + s, format, digits);
        text_printf(out, "%s%s%s%s%s\n", before, weight, between, mode,
                    s + 1 < sum->terms ? after : last);
        flint_free(weight);
        flint_free(mode);
    }
}

/* What is known to be impossible, as comment lines. */
static void print_lower(text_buffer *out, const soe_facts *f, slong terms) {
    char *lower = soe_bound_text(f->lower, 0), *fewer = soe_bound_text(f->fewer_lower, 0);
    if (!arf_is_zero(f->lower))
        text_printf(out,
                    "# certified: no sum of %ld exponentials with real positive nodes has an error "
                    "below %s there\n",
                    (long)terms, lower);
    if (!arf_is_zero(f->fewer_lower))
        text_printf(out, "# certified: nor one of %ld below %s\n", (long)f->fewer_terms, fewer);
    if (f->paper[0] != '\0')
        text_printf(out, "# %s\n", f->paper);
    free(lower);
    free(fewer);
}

void soe_print(text_buffer *out, const soe_sum_t sum, soe_format format, slong digits,
               const soe_facts *f) {
    char *upper = soe_bound_text(f->bound->upper, 1), *lower = soe_bound_text(f->bound->lower, 0),
         *beyond = soe_bound_text(f->bound->beyond_upper, 1);
    const char *kind = f->relative ? "relative" : "absolute";
    slong at_digits = (slong)(arf_abs_bound_lt_2exp_si(f->bound->at) / 3) + 2;
    fmpq_t at;
    fmpq_init(at);
    if (arf_is_finite(f->bound->at))
        exact_rational_from_arf(at, f->bound->at);
    char *at_text = exact_decimal_rational(at, FLINT_MAX(at_digits, 1));
    if (strchr(at_text, '.') != NULL)
        at_text[strcspn(at_text, ".")] = '\0';
    switch (format) {
    case SOE_TABLE:
    case SOE_CSV:
        text_printf(out, "# w_j(%s) ~ sum weight exp(-rate j), %ld terms, method %s\n", f->alpha,
                    (long)sum->terms, f->method);
        text_printf(out,
                    "# certified: the largest %s error over every integer of [1,%s] is in [%s, "
                    "%s], reached at j = %s\n",
                    kind, f->horizon, lower, upper, at_text);
        text_printf(out, "# certified: for every j > %s the %s error is at most %s\n", f->horizon,
                    kind, beyond);
        print_lower(out, f, sum->terms);
        text_printf(out, format == SOE_CSV ? "weight,rate\n" : "# weight rate\n");
        print_terms(out, sum, format, digits, "", format == SOE_CSV ? "," : " ", "", "");
        break;
    case SOE_C:
        text_printf(out,
                    "/* w_j(%s) ~ sum weight exp(-rate j), method %s.\n   Certified for these "
                    "doubles: the largest %s error over every integer of [1,%s]\n   is in [%s, "
                    "%s]; for j > %s it is at most %s. */\n",
                    f->alpha, f->method, kind, f->horizon, lower, upper, f->horizon, beyond);
        text_printf(out, "static const double soe[%ld][2] = { /* weight, rate */\n",
                    (long)sum->terms);
        print_terms(out, sum, format, digits, "    {", ", ", "},", "}");
        text_printf(out, "};\n");
        break;
    case SOE_JSON:
        text_printf(out,
                    "{\"schema\": \"mneme-soe-1\", \"mneme\": \"%s\",\n \"alpha\": \"%s\", "
                    "\"horizon\": \"%s\", \"method\": \"%s\", \"error\": \"%s\",\n",
                    MNEME_VERSION, f->alpha, f->horizon, f->method, kind);
        text_printf(out,
                    " \"sup_lower\": \"%s\", \"sup_upper\": \"%s\", \"at\": \"%s\", "
                    "\"beyond_upper\": \"%s\",\n",
                    lower, upper, at_text, beyond);
        if (!arf_is_zero(f->lower)) {
            char *best = soe_bound_text(f->lower, 0);
            text_printf(out, " \"best_lower\": \"%s\",\n", best);
            free(best);
        }
        text_printf(out, " \"terms\": [\n");
        print_terms(out, sum, format, digits, "  {\"weight\": \"", "\", \"rate\": \"", "\"},",
                    "\"}");
        text_printf(out, " ]}\n");
        break;
    case SOE_NPY:
        break;
    }
    fmpq_clear(at);
    flint_free(at_text);
    free(upper);
    free(lower);
    free(beyond);
}

char *soe_npy(const soe_sum_t sum, size_t *length) {
    array a = {.type = ARRAY_F64, .dims = 2, .shape = {sum->terms, 2}, .elements = 2 * sum->terms};
    double *x = malloc((size_t)a.elements * sizeof *x);
    if (x == NULL)
        abort();
    for (slong s = 0; s < a.elements; s++)
        x[s] = nearest_double(s % 2 == 0 ? sum->weight + s / 2 : sum->mode + s / 2);
    a.data = x;
    char *bytes = (char *)array_npy_bytes(&a, length);
    free(x);
    return bytes;
}

/* ---- reading CSV ---- */

enum { MAX_COLUMNS = 32 };

static int is_one_of(const char *name, const char *const *list) {
    for (; *list != NULL; list++)
        if (strcasecmp(name, *list) == 0)
            return 1;
    return 0;
}

/* Splits a line (changed in place) at commas, trimming blanks; -1 for too many columns. */
static int split(char *line, char **field) {
    int n = 0;
    for (char *p = line; p != NULL;) {
        if (n == MAX_COLUMNS)
            return -1;
        char *comma = strchr(p, ',');
        if (comma != NULL)
            *comma = '\0';
        while (isspace((unsigned char)*p))
            p++;
        size_t len = strlen(p);
        while (len > 0 && isspace((unsigned char)p[len - 1]))
            p[--len] = '\0';
        if (len >= 2 && p[0] == '"' && p[len - 1] == '"') { /* a quoted field */
            p[--len] = '\0';
            p++;
        }
        field[n++] = p;
        p = comma != NULL ? comma + 1 : NULL;
    }
    return n;
}

typedef struct {
    int columns, weight, mode, horizon;
    soe_form form;
    int ignored[MAX_COLUMNS];
} header;

static char *say(const char *format, long line, const char *what) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "line %ld: ", line);
    /* the formats are literals of this file with one %s at the most */
    char message[512];
    snprintf(message, sizeof message, "%s", format);
    char *place = strstr(message, "%s");
    if (place != NULL)
        text_printf(&b, "%.*s%.80s%s", (int)(place - message), message, what, place + 2);
    else
        text_printf(&b, "%s", message);
    return text_take(&b);
}

static char *read_header(header *h, char **field, int n, long line) {
    static const char *const weights[] = {"weight", "weights",     "w", "c",
                                          "omega",  "coefficient", NULL};
    static const char *const rates[] = {"rate", "rates", "lambda", "a", "alpha", "exponent", NULL};
    static const char *const nodes[] = {"node", "nodes", "x", NULL};
    static const char *const horizons[] = {"R", "T", "horizon", NULL};
    static const char *const indices[] = {"i", "s", "j", "index", NULL};
    h->columns = n;
    h->weight = h->mode = h->horizon = -1;
    for (int c = 0; c < n; c++) {
        h->ignored[c] = is_one_of(field[c], indices);
        int *place = is_one_of(field[c], weights)                               ? &h->weight
                     : is_one_of(field[c], rates) || is_one_of(field[c], nodes) ? &h->mode
                     : is_one_of(field[c], horizons)                            ? &h->horizon
                                                                                : NULL;
        if (place != NULL && *place >= 0)
            return say(
                "the header names two weight, rate or node, or horizon columns (%s is the second)",
                line, field[c]);
        if (place != NULL)
            *place = c;
        if (place == &h->mode)
            h->form = is_one_of(field[c], nodes) ? SOE_NODE : SOE_RATE;
    }
    if (h->weight < 0)
        return say("the header names no weight column (weight, w, c, omega or coefficient)", line,
                   "");
    if (h->mode < 0)
        return say(
            "the header names no rate or node column (rate, lambda, a, alpha, exponent; node, x)",
            line, "");
    return NULL;
}

static soe_group *group_of(soe_table *t, const header *h, char **field, long line) {
    text_buffer b;
    text_init(&b);
    for (int c = 0; c < h->columns; c++)
        if (c != h->weight && c != h->mode && !h->ignored[c])
            text_printf(&b, "%s%s", b.length > 0 ? "," : "", field[c]);
    for (slong g = 0; g < t->groups; g++)
        if (strcmp(t->group[g].name, b.data) == 0) {
            free(b.data);
            return t->group + g;
        }
    t->group = realloc(t->group, (size_t)(t->groups + 1) * sizeof *t->group);
    soe_group *g = t->group + t->groups++;
    g->name = text_take(&b);
    g->line = line;
    g->has_horizon = h->horizon >= 0;
    fmpq_init(g->horizon);
    soe_sum_init(g->sum, 0, h->form);
    return g;
}

/* Appends a term to a sum. */
static void append_term(soe_sum_t sum, const fmpq_t weight, const fmpq_t mode) {
    soe_sum_t longer;
    soe_sum_init(longer, sum->terms + 1, sum->form);
    for (slong s = 0; s < sum->terms; s++) {
        fmpq_swap(longer->weight + s, sum->weight + s);
        fmpq_swap(longer->mode + s, sum->mode + s);
    }
    fmpq_set(longer->weight + sum->terms, weight);
    fmpq_set(longer->mode + sum->terms, mode);
    soe_sum_clear(sum);
    *sum = *longer;
}

static char *read_row(soe_table *t, const header *h, char **field, int n, long line) {
    fmpq_t weight, mode;
    char *complaint = NULL;
    fmpq_init(weight);
    fmpq_init(mode);
    const char *bad = NULL;
    if (n != h->columns) {
        complaint = say("the number of columns differs from the header's", line, "");
    } else if (exact_parse_rational(weight, field[h->weight]) != NULL) {
        bad = field[h->weight];
    } else if (exact_parse_rational(mode, field[h->mode]) != NULL) {
        bad = field[h->mode];
    } else if (h->form == SOE_RATE ? fmpq_sgn(mode) < 0
                                   : fmpq_sgn(mode) <= 0 || fmpq_cmp_si(mode, 1) > 0) {
        complaint =
            say(h->form == SOE_RATE ? "the rate %s is negative" : "the node %s is not in (0,1]",
                line, field[h->mode]);
    } else {
        soe_group *g = group_of(t, h, field, line);
        if (h->horizon >= 0 && exact_parse_rational(g->horizon, field[h->horizon]) != NULL)
            bad = field[h->horizon];
        if (g->sum->terms >= SOE_MAX_TERMS)
            complaint = say("more than 400 terms in one group", line, "");
        else
            append_term(g->sum, weight, mode);
    }
    if (bad != NULL)
        complaint = say("\"%s\" is not a number", line, bad);
    fmpq_clear(weight);
    fmpq_clear(mode);
    return complaint;
}

int soe_table_read(soe_table *table, const char *text, char **complaint) {
    char *copy = strdup(text), *field[MAX_COLUMNS];
    header h = {0, -1, -1, -1, SOE_RATE, {0}};
    long line = 0;
    int have_header = 0;
    table->groups = 0;
    table->group = NULL;
    *complaint = NULL;
    for (char *p = copy; p != NULL && *complaint == NULL;) {
        char *end = strchr(p, '\n'), *next = end != NULL ? end + 1 : NULL;
        if (end != NULL)
            *end = '\0';
        line++;
        if (line == 1 && strncmp(p, "\xef\xbb\xbf", 3) == 0)
            p += 3; /* the mark that some programs put in front of UTF-8 */
        p += strspn(p, " \t\r");
        if (*p != '\0' && *p != '#') {
            int n = split(p, field);
            if (n < 0)
                *complaint = say("more than 32 columns", line, "");
            else if (!have_header)
                *complaint = read_header(&h, field, n, line);
            else
                *complaint = read_row(table, &h, field, n, line);
            have_header = 1;
        }
        p = next;
    }
    free(copy);
    if (*complaint == NULL && table->groups == 0)
        *complaint =
            say("no terms; a CSV header with a weight and a rate column, then rows, is wanted",
                line, "");
    if (*complaint != NULL)
        soe_table_clear(table);
    return *complaint == NULL;
}

void soe_table_clear(soe_table *table) {
    for (slong g = 0; g < table->groups; g++) {
        free(table->group[g].name);
        fmpq_clear(table->group[g].horizon);
        soe_sum_clear(table->group[g].sum);
    }
    free(table->group);
    table->group = NULL;
    table->groups = 0;
}

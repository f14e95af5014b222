/* mneme banks */
#include "numerics/exact/banks.h"
#include "numerics/exact/number.h"
#include "numerics/exact/witness.h"
#include "reports/cli/cli.h"
#include "reports/json_codec.h"
#include "reports/provenance.h"
#include "reports/soe_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *delta, *horizon, *error, *norm, *format, *output, *witness;
} banks_arguments;

static int progress(slong banks) {
    if (banks % 64 == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%ld banks ...\033[K", (long)banks);
    return 0;
}

/* x := the option's value, > 0, and below most if that is not 0; returns 0 after
   complaining. */
static int read_positive(fmpq_t x, const char *option, const char *text, slong most) {
    const char *reason = exact_parse_rational(x, text);
    if (reason != NULL)
        cli_complain("banks", "%s: \"%s\" is %s", option, text, reason);
    else if (fmpq_sgn(x) <= 0 || (most > 0 && fmpq_cmp_si(x, most) >= 0))
        cli_complain("banks", "%s: %s is out of range; 0 < %s%s is wanted", option, text,
                     option + 2, most > 0 ? " < 1" : "");
    else if (fmpz_bits(fmpq_numref(x)) > 700 || fmpz_bits(fmpq_denref(x)) > 700)
        cli_complain("banks", "%s: at most 200 digits are wanted", option);
    else
        return 1;
    return 0;
}

static int read_horizon(fmpz_t horizon, const char *text, banks_norm norm) {
    fmpz_t most;
    fmpz_init(most);
    fmpz_ui_pow_ui(most, 10, BANKS_MAX_HORIZON_DIGITS);
    if (norm == BANKS_L2)
        fmpz_set_ui(most, BANKS_MAX_L2_HORIZON);
    const char *reason = exact_parse_integer(horizon, text),
               *range = norm == BANKS_L2 ? "1 to 100000 (norm l2)" : "1 to 1e18";
    int ok = reason == NULL && fmpz_sgn(horizon) > 0 && fmpz_cmp(horizon, most) <= 0;
    if (reason != NULL)
        cli_complain("banks", "--horizon: \"%s\" is %s; a whole number from %s is wanted", text,
                     reason, range);
    else if (!ok)
        cli_complain("banks", "--horizon: %s is out of range; a whole number from %s is wanted",
                     text, range);
    fmpz_clear(most);
    return ok;
}

/* ---- output ---- */

/* x exactly: a decimal where 15 places are enough, else a fraction; flint_free. */
static char *order_text(const fmpq_t x) {
    fmpq_t shown;
    char *text = exact_decimal_rational(x, 15);
    fmpq_init(shown);
    exact_parse_rational(shown, text);
    int exact = fmpq_equal(shown, x);
    fmpq_clear(shown);
    if (exact) {
        size_t n = strlen(text);
        while (strchr(text, '.') != NULL && strchr(text, 'e') == NULL && text[n - 1] == '0')
            text[--n] = '\0';
        if (text[n - 1] == '.')
            text[n - 1] = '\0';
        return text;
    }
    flint_free(text);
    return exact_fraction(x);
}

static void print_rows(text_buffer *out, const banks_design *d, const char *between) {
    for (slong i = 0; i < d->banks; i++) {
        char *order = order_text(d->order + i), *from = order_text(d->edge + i),
             *to = order_text(d->edge + i + 1);
        text_printf(out, "%s%s%s%s%s\n", order, between, from, between, to);
        flint_free(order);
        flint_free(from);
        flint_free(to);
    }
}

static void print_json(text_buffer *out, const banks_design *d, const banks_arguments *a,
                       const char *error, const char *nearest) {
    text_printf(out,
                "{\"schema\": \"mneme-banks-1\", \"mneme\": \"%s\",\n \"delta\": \"%s\", "
                "\"horizon\": \"%s\", \"error\": \"%s\", \"norm\": \"%s\",\n",
                MNEME_VERSION, a->delta, a->horizon, a->error, a->norm);
    text_printf(out,
                " \"banks\": %ld, \"needed\": %ld, \"error_upper\": \"%s\", "
                "\"nearest_error_upper\": \"%s\",\n \"uniform\": %ld, \"uniform_sharp\": %s,\n",
                (long)d->banks, (long)d->needed, error, nearest, (long)d->uniform,
                d->uniform_sharp ? "true" : "false");
    text_printf(out, " \"apart\": [\n");
    for (slong i = 0; i < d->chain; i++) {
        char *order = order_text(d->apart + i);
        text_printf(out, "  \"%s\"%s\n", order, i + 1 < d->chain ? "," : "");
        flint_free(order);
    }
    text_printf(out, " ],\n \"orders\": [\n");
    for (slong i = 0; i < d->banks; i++) {
        char *order = order_text(d->order + i), *from = order_text(d->edge + i),
             *to = order_text(d->edge + i + 1);
        text_printf(out, "  {\"order\": \"%s\", \"from\": \"%s\", \"to\": \"%s\"}%s\n", order, from,
                    to, i + 1 < d->banks ? "," : "");
        flint_free(order);
        flint_free(from);
        flint_free(to);
    }
    text_printf(out, " ]}\n");
}

static void print_text(text_buffer *out, const banks_design *d, const banks_arguments *a, int csv,
                       const char *error, const char *nearest) {
    text_printf(out, "# %ld banks serve every order of [%s,1]: lags 0 to %s, error %s, norm %s\n",
                (long)d->banks, a->delta, a->horizon, a->error, a->norm);
    text_printf(out, "# certified: the largest error inside the edges is at most %s\n", error);
    if (d->needed == d->banks && d->banks > 1)
        text_printf(out,
                    "# certified: %ld banks do not suffice (%ld orders, neighbours further apart "
                    "than %s: --witness, or --format json)\n",
                    (long)d->banks - 1, (long)d->chain, a->error);
    else if (d->needed < d->banks)
        text_printf(out,
                    "# certified: %ld banks do not suffice; %ld could not be told (the error is a "
                    "tie: a slightly different one settles it)\n",
                    (long)d->needed - 1, (long)d->needed);
    text_printf(out,
                "# equal cells with the bank in the middle: %ld are needed%s, for the sake of the "
                "last one\n",
                (long)d->uniform, d->uniform_sharp ? "" : " (or one fewer)");
    text_printf(out,
                "# route by the edges: with the nearest order instead, the error is up to %s\n",
                nearest);
    text_printf(out, csv ? "order,from,to\n" : "# order from to\n");
    print_rows(out, d, csv ? "," : " ");
}

/* ---- witnesses ---- */

/* The chain through edges and orders, in turn (1 more than 2 banks). */
static int write_witnesses(const banks_design *d, const char *prefix, banks_norm norm,
                           const fmpz_t horizon, const fmpq_t tau) {
    witness_t w;
    slong n = 2 * d->banks + 1;
    fmpq *chain = _fmpq_vec_init(n);
    for (slong i = 0; i < n; i++)
        fmpq_set(chain + i, i % 2 ? d->order + i / 2 : d->edge + i / 2);
    if (fmpq_equal(chain + n - 2, chain + n - 1))
        n--; /* the last bank is 1 itself */
    banks_witness(w, "mneme.banks.serve", norm, horizon, chain, n, RELATION_LE, tau);
    int ok = report_witness_file("mneme banks", prefix, ".upper.json", w);
    witness_clear(w);
    if (ok && d->chain > 1) {
        banks_witness(w, "mneme.banks.apart", norm, horizon, d->apart, d->chain, RELATION_GT, tau);
        ok = report_witness_file("mneme banks", prefix, ".lower.json", w);
        witness_clear(w);
    }
    _fmpq_vec_clear(chain, 2 * d->banks + 1);
    return ok ? EXIT_PASS : EXIT_BAD_INPUT;
}

static int finish(const banks_design *d, const banks_arguments *a, soe_format format,
                  banks_norm norm, const fmpz_t horizon, const fmpq_t tau) {
    text_buffer b;
    char *error = soe_bound_text(d->error, 1), *nearest = soe_bound_text(d->nearest_error, 1);
    int status = EXIT_PASS;
    text_init(&b);
    if (format == SOE_JSON)
        print_json(&b, d, a, error, nearest);
    else
        print_text(&b, d, a, format == SOE_CSV, error, nearest);
    if (a->output != NULL)
        status =
            output_write("mneme banks", a->output, b.data, b.length) ? EXIT_PASS : EXIT_BAD_INPUT;
    else
        fwrite(b.data, 1, b.length, stdout);
    if (status == EXIT_PASS && a->witness != NULL)
        status = write_witnesses(d, a->witness, norm, horizon, tau);
    free(b.data);
    free(error);
    free(nearest);
    return status;
}

static int place(const banks_arguments *a, soe_format format, banks_norm norm, const fmpq_t delta,
                 const fmpz_t horizon, const fmpq_t tau) {
    banks_design d;
    banks_design_init(&d);
    banks_status placed = banks_place(&d, norm, delta, horizon, tau, progress);
    int status = EXIT_PASS;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    if (placed == BANKS_TOO_MANY)
        status = cli_complain("banks",
                              "--error: %s takes more banks or more work than is done here (at "
                              "most %d banks, for l2 about 1e7 lags times banks); a larger one is "
                              "wanted",
                              a->error, BANKS_MAX);
    else if (placed != BANKS_OK)
        status = EXIT_INTERNAL;
    else
        status = finish(&d, a, format, norm, horizon, tau);
    banks_design_clear(&d);
    return status;
}

static int run(banks_arguments *a) {
    banks_norm norm;
    soe_format format;
    if (a->delta == NULL || a->horizon == NULL || a->error == NULL)
        return cli_complain("banks", "%s is needed, as in --delta 1/20 --horizon 4096 --error 1e-2",
                            a->delta == NULL     ? "--delta"
                            : a->horizon == NULL ? "--horizon"
                                                 : "--error");
    a->norm = a->norm != NULL ? a->norm : "sup";
    a->format = a->format != NULL ? a->format : "table";
    if (!banks_norm_from_name(&norm, a->norm))
        return cli_complain("banks", "--norm: \"%s\" is not a norm; sup, l1 or l2 is wanted",
                            a->norm);
    if (!soe_format_from_name(&format, a->format) || format > SOE_CSV)
        return cli_complain(
            "banks", "--format: \"%s\" is not a format; table, json or csv is wanted", a->format);
    fmpq_t delta, tau;
    fmpz_t horizon;
    fmpq_init(delta);
    fmpq_init(tau);
    fmpz_init(horizon);
    int status = EXIT_BAD_INPUT;
    if (read_positive(delta, "--delta", a->delta, 1) && read_horizon(horizon, a->horizon, norm) &&
        read_positive(tau, "--error", a->error, 0) &&
        cli_design_places("banks", a->output, a->witness) == EXIT_PASS)
        status = place(a, format, norm, delta, horizon, tau);
    fmpq_clear(delta);
    fmpq_clear(tau);
    fmpz_clear(horizon);
    return status;
}

const cli_manual manual_banks = {
    "Finds the fewest fixed orders that serve every order of [D,1] within an error\n"
    "over the lags 0 to T, and prints them with the edges between them, the\n"
    "certified largest error and a certificate that one fewer does not do. Route by\n"
    "the edges: they are not the midpoints.",
    {{"banks --delta 1/20 --horizon 4096 --error 1e-2", "85 banks, and why 84 are not enough"},
     {"banks --delta 1/10 --horizon 1000 --error 1e-2 --norm l1 --format csv", "in l1, as CSV"},
     {NULL, NULL}},
    NULL};

int cmd_banks(int argc, char **argv) {
    banks_arguments a;
    memset(&a, 0, sizeof a);
    const cli_option options[] = {
        {"--delta", "D", "least order, 0 < D < 1", &a.delta, NULL, NULL},
        {"--horizon", "T", "largest lag, 1 <= T <= 1e18 (l2: 100000)", &a.horizon, NULL, NULL},
        {"--error", "E", "the fewest orders that serve all of [D,1] within E", &a.error, NULL,
         NULL},
        {"--norm", "N", "sup (default), l1 or l2, over the lags 0..T", &a.norm, NULL, NULL},
        {"--format", "F", "table (default), json or csv", &a.format, NULL, NULL},
        {"--output", "F", "write to a file", &a.output, NULL, NULL},
        {"--witness", "PREFIX", "write PREFIX.upper.json and PREFIX.lower.json for mneme replay",
         &a.witness, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("banks"), options, &argc, argv, &status))
        return status;
    if (argc > 0)
        return cli_complain(
            "banks", "\"%s\" is not wanted here; mneme banks --help shows the options", argv[0]);
    status = run(&a);
    flint_cleanup();
    return status;
}

/* mneme soe */
#include "numerics/exact/number.h"
#include "numerics/exact/soe_minimax.h"
#include "reports/cli/cli.h"
#include "reports/json_codec.h"
#include "reports/soe_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *alpha, *horizon, *error, *terms, *relative, *method, *format, *digits, *certify,
        *kernel, *beta, *output, *witness, *best;
} soe_arguments;

static int progress(slong terms) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%ld terms ...\033[K", (long)terms);
    return 0;
}

/* order := the option's value in (0, most]; 1, or 0 after complaining. */
static int read_order(fmpq_t order, const char *option, const char *text, slong most) {
    const char *reason = exact_parse_rational(order, text);
    if (reason != NULL)
        cli_complain("soe", "%s: \"%s\" is %s", option, text, reason);
    else if (fmpz_bits(fmpq_numref(order)) > 700 || fmpz_bits(fmpq_denref(order)) > 700)
        cli_complain("soe", "%s: at most 200 digits are wanted", option);
    else if (fmpq_sgn(order) <= 0 || fmpq_cmp_si(order, most) > 0)
        cli_complain("soe", "%s: %s is out of range; 0 < %s <= %ld is wanted", option, text,
                     option + 2, (long)most);
    else
        return 1;
    return 0;
}

static int read_horizon(fmpz_t horizon, const char *text) {
    fmpz_t most;
    fmpz_init(most);
    fmpz_ui_pow_ui(most, 10, SOE_MAX_HORIZON_DIGITS);
    const char *reason = exact_parse_integer(horizon, text);
    int ok = reason == NULL && fmpz_sgn(horizon) > 0 && fmpz_cmp(horizon, most) <= 0;
    if (reason != NULL)
        cli_complain("soe", "--horizon: \"%s\" is %s; a whole number from 1 to 1e18 is wanted",
                     text, reason);
    else if (!ok)
        cli_complain(
            "soe", "--horizon: %s is out of range; a whole number from 1 to 1e18 is wanted", text);
    fmpz_clear(most);
    return ok;
}

static int write_output(const soe_arguments *a, const char *data, size_t length) {
    if (a->output != NULL)
        return output_write("mneme soe", a->output, data, length) ? EXIT_PASS : EXIT_BAD_INPUT;
    fwrite(data, 1, length, stdout);
    return EXIT_PASS;
}

/* ---- certifying tables ---- */

static void print_best_bounds(slong terms, const arf_t lower, const arf_t upper) {
    char *low = soe_bound_text(lower, 0), *high = soe_bound_text(upper, 1);
    printf(", best of %ld terms in [%s, %s]", (long)terms, low, high);
    free(low);
    free(high);
}

/* Whether upper <= (1 + gap) lower, lower > 0. */
static int is_close(const arf_t lower, const arf_t upper, double gap) {
    arf_t limit;
    arf_init(limit);
    arf_set_d(limit, 1 + gap);
    arf_mul(limit, limit, lower, 64, ARF_RND_DOWN);
    int close = arf_sgn(lower) > 0 && arf_cmp(upper, limit) <= 0;
    arf_clear(limit);
    return close;
}

enum { LOWER_PRECISION = 512 };
/* A sum is as good as the best if both are bounded this close together; the best's own levels are this close. */
#define CLOSE 0.002
#define BEST_GAP 1e-4

/* The horizon for which a sum that is not the best on its own is; 1 if there is one. */
static int best_elsewhere(fmpz_t other, soe_minimax_t m, const soe_kernel_t kernel,
                          const fmpz_t horizon, soe_error error) {
    arf_t lower;
    soe_bound_t sup;
    arf_init(lower);
    soe_bound_init(sup);
    int found = soe_level_horizon(other, m, kernel, horizon, error, CLOSE / 4) == SOE_OK;
    if (found) {
        soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, error, LOWER_PRECISION);
        soe_certify(sup, kernel, m->sum, other, error, 0, 1e-3, 128);
        found = is_close(lower, sup->upper, CLOSE);
    }
    arf_clear(lower);
    soe_bound_clear(sup);
    return found;
}

/* How many times the best error a sum's is, and what it is the best for. */
static void print_factor(soe_minimax_t own, const soe_kernel_t kernel, const fmpz_t horizon,
                         soe_error error, const soe_bound_t bound, const arf_t best) {
    arf_t ratio;
    fmpz_t other;
    arf_init(ratio);
    fmpz_init(other);
    /* certainly so many times what is possible; rounded digits alone explain a few per cent */
    arf_div(ratio, bound->lower, best, 30, ARF_RND_DOWN);
    double factor = arf_get_d(ratio, ARF_RND_DOWN);
    if (factor > 1.001) {
        int elsewhere = best_elsewhere(other, own, kernel, horizon, error);
        printf(": %s%.4g times the best", elsewhere || factor > 1.05 ? "NOT THE BEST SUM, " : "",
               factor);
        if (elsewhere) {
            double t = fmpz_get_d(other);
            printf(t < 1e6 ? "; the best for horizon %.0f" : "; the best for horizon %.3g", t);
        }
    }
    arf_clear(ratio);
    fmpz_clear(other);
}

/* The best sum, from the group's own if that has the right form. */
static soe_status find_best(soe_minimax_t best, const soe_minimax_t own, const soe_kernel_t kernel,
                            const fmpz_t horizon, soe_error error) {
    slong terms = own->sum->terms;
    int usable = own->points > 0 && own->sum->form == SOE_RATE;
    for (slong i = 0; i < terms; i++)
        usable = usable && fmpq_sgn(own->sum->weight + i) > 0 && fmpq_sgn(own->sum->mode + i) > 0;
    if (usable &&
        soe_minimax(best, kernel, horizon, error, terms, BEST_GAP, own, progress) == SOE_OK)
        return SOE_OK;
    return soe_minimax(best, kernel, horizon, error, terms, BEST_GAP, NULL, progress);
}

/* The best error of as many terms, certified from both sides, beside what the group has: by the alternation of the group's own
   error if that says enough, else by the best sum. */
static void print_best(const soe_group *g, const soe_kernel_t kernel, const fmpz_t horizon,
                       soe_error error, const soe_bound_t bound) {
    soe_minimax_t own, best;
    soe_bound_t sup;
    arf_t lower;
    soe_minimax_init(own);
    soe_minimax_init(best);
    soe_bound_init(sup);
    arf_init(lower);
    soe_sum_set(own->sum, g->sum);
    if (soe_alternation(own, kernel, horizon, error) == SOE_OK)
        soe_alternation_lower(lower, kernel, g->sum, own->point, own->points, error,
                              LOWER_PRECISION);
    arf_set(own->level, bound->upper);
    if (is_close(lower, bound->upper, CLOSE)) {
        print_best_bounds(g->sum->terms, lower, bound->upper);
    } else if (find_best(best, own, kernel, horizon, error) != SOE_OK) {
        printf(", best not found");
    } else {
        soe_certify(sup, kernel, best->sum, horizon, error, 0, 1e-3, 128);
        soe_alternation_lower(lower, kernel, best->sum, best->point, best->points, error,
                              LOWER_PRECISION);
        print_best_bounds(g->sum->terms, lower, sup->upper);
        print_factor(own, kernel, horizon, error, bound, sup->upper);
    }
    soe_minimax_clear(own);
    soe_minimax_clear(best);
    soe_bound_clear(sup);
    arf_clear(lower);
}

static void print_group(const soe_group *g, const char *horizon, const soe_bound_t bound,
                        soe_status status) {
    char *lower = soe_bound_text(bound->lower, 0), *upper = soe_bound_text(bound->upper, 1),
         *beyond = soe_bound_text(bound->beyond_upper, 1), *name = g->name;
    printf("%s%sline %ld: %ld terms, horizon %s: sup error in [%s, %s], beyond <= %s%s", name,
           name[0] ? ", " : "", (long)g->line, (long)g->sum->terms, horizon, lower, upper, beyond,
           status == SOE_WIDE ? " (not as narrow as asked)" : "");
    free(lower);
    free(upper);
    free(beyond);
}

/* The horizon of a group: the option's, or the column's, rounded up (which certifies more). */
static void group_horizon(fmpz_t horizon, const soe_group *g, const soe_arguments *a) {
    if (a->horizon != NULL)
        exact_parse_integer(horizon, a->horizon);
    else
        fmpz_cdiv_q(horizon, fmpq_numref(g->horizon), fmpq_denref(g->horizon));
}

/* Complains about the first group that cannot be certified, before any is. */
static int table_complaint(const soe_table *table, const soe_arguments *a) {
    fmpz_t horizon, most;
    int bad = 0;
    fmpz_init(horizon);
    fmpz_init(most);
    fmpz_ui_pow_ui(most, 10, SOE_MAX_HORIZON_DIGITS);
    for (slong i = 0; i < table->groups && !bad; i++) {
        const soe_group *g = table->group + i;
        bad = 1;
        if (a->horizon == NULL && !g->has_horizon) {
            cli_complain("soe", "--horizon is needed: %s has no column R, T or horizon",
                         a->certify);
            break;
        }
        group_horizon(horizon, g, a);
        if (fmpz_sgn(horizon) <= 0 || fmpz_cmp(horizon, most) > 0)
            cli_complain("soe", "%s: line %ld: the horizon is out of range; 1 to 1e18 is wanted",
                         a->certify, (long)g->line);
        else
            bad = 0;
    }
    fmpz_clear(horizon);
    fmpz_clear(most);
    return bad;
}

static void certify_group(const soe_group *g, const soe_arguments *a, const soe_kernel_t kernel,
                          soe_error error) {
    fmpz_t horizon;
    soe_bound_t bound;
    fmpz_init(horizon);
    soe_bound_init(bound);
    group_horizon(horizon, g, a);
    char *shown = fmpz_get_str(NULL, 10, horizon);
    soe_status result = soe_certify(bound, kernel, g->sum, horizon, error, 1, 1e-3, 128);
    print_group(g, shown, bound, result);
    if (a->best != NULL)
        print_best(g, kernel, horizon, error, bound);
    printf("\n");
    fflush(stdout); /* an interrupt takes none of it */
    flint_free(shown);
    fmpz_clear(horizon);
    soe_bound_clear(bound);
}

static int certify_table(const soe_arguments *a, const soe_kernel_t kernel, soe_error error) {
    size_t length;
    int failure;
    char *complaint = NULL, *text = input_read(a->certify, (size_t)64 << 20, &length, &failure);
    soe_table table;
    if (text == NULL)
        return cli_complain("soe", "%s: %s", a->certify, strerror(failure));
    if (strlen(text) != length) {
        free(text);
        return cli_complain("soe", "%s: not text: it has zero bytes", a->certify);
    }
    int ok = soe_table_read(&table, text, &complaint);
    free(text);
    if (!ok) {
        cli_complain("soe", "%s: %s", a->certify, complaint);
        free(complaint);
        return EXIT_BAD_INPUT;
    }
    int status = table_complaint(&table, a) ? EXIT_BAD_INPUT : EXIT_PASS;
    for (slong g = 0; g < table.groups && status == EXIT_PASS && !ferror(stdout); g++)
        certify_group(table.group + g, a, kernel, error);
    soe_table_clear(&table);
    return status;
}

/* ---- designing ---- */

/* What a design is: the sum, and for minimax the points at which its error alternates, and the best
   sum with one term fewer. */
typedef struct {
    soe_minimax_t best, fewer;
    soe_bound_t bound;
    arf_t lower, fewer_lower; /* certified: no sum of as many terms, of one fewer, does better */
    char paper[200];          /* what the paper's construction needs for the same, or "" */
} designed;

static void designed_init(designed *d) {
    soe_minimax_init(d->best);
    soe_minimax_init(d->fewer);
    soe_bound_init(d->bound);
    arf_init(d->lower);
    arf_init(d->fewer_lower);
    d->paper[0] = '\0';
}

static void designed_clear(designed *d) {
    soe_minimax_clear(d->best);
    soe_minimax_clear(d->fewer);
    soe_bound_clear(d->bound);
    arf_clear(d->lower);
    arf_clear(d->fewer_lower);
}

static int read_target(fmpq_t target, const char *text) {
    const char *reason = exact_parse_rational(target, text);
    if (reason != NULL)
        cli_complain("soe", "--error: \"%s\" is %s", text, reason);
    else if (fmpq_sgn(target) <= 0 || fmpq_cmp_si(target, 1) >= 0)
        cli_complain("soe", "--error: %s is out of range; 0 < error < 1 is wanted", text);
    else
        return 1;
    return 0;
}

static soe_status rule(designed *d, const soe_arguments *a, soe_method method,
                       const soe_kernel_t kernel, const fmpz_t horizon, soe_error error,
                       slong terms, const fmpq_t target, slong prec) {
    soe_design interval;
    if (a->terms != NULL)
        return soe_design_terms(d->best->sum, &interval, method, kernel->order, horizon, error,
                                terms, prec);
    return soe_design_error(d->best->sum, d->bound, &interval, method, kernel->order, horizon,
                            error, target, progress);
}

/* Where minimax has nothing to search: alpha = 1, or Gauss-Jacobi exact on all of [1,T]. */
static int is_exact_case(const soe_kernel_t kernel, const fmpz_t horizon, slong terms) {
    return fmpq_is_one(kernel->order) || fmpz_cmp_si(horizon, 2 * terms) <= 0;
}

static soe_status minimax(designed *d, const soe_arguments *a, const soe_kernel_t kernel,
                          const fmpz_t horizon, soe_error error, slong terms, const fmpq_t target,
                          slong prec) {
    soe_design none;
    soe_status status;
    if (a->terms != NULL) {
        if (is_exact_case(kernel, horizon, terms))
            return soe_design_terms(d->best->sum, &none, SOE_JACOBI, kernel->order, horizon, error,
                                    terms, prec);
        return soe_minimax(d->best, kernel, horizon, error, terms, 1e-3, NULL, progress);
    }
    if (is_exact_case(kernel, horizon, 1))
        return soe_design_terms(d->best->sum, &none, SOE_JACOBI, kernel->order, horizon, error, 1,
                                prec);
    arf_t level;
    arf_init(level);
    /* a little below the target, for what rounding and sampling lose */
    arf_fmpz_div_fmpz(level, fmpq_numref(target), fmpq_denref(target), 53, ARF_RND_DOWN);
    arf_mul_ui(level, level, 999, 53, ARF_RND_DOWN);
    arf_div_ui(level, level, 1000, 53, ARF_RND_DOWN);
    status = soe_minimax_error(d->best, d->fewer, kernel, horizon, error, level, 1e-3, progress);
    arf_clear(level);
    if (status == SOE_UNREACHABLE && fmpz_cmp_si(horizon, 2 * SOE_MAX_TERMS) <= 0) {
        slong half = (fmpz_get_si(horizon) + 1) / 2;
        status = soe_design_terms(d->best->sum, &none, SOE_JACOBI, kernel->order, horizon, error,
                                  half, prec);
    }
    return status;
}

static int design(designed *d, const soe_arguments *a, int best, soe_method method,
                  const soe_kernel_t kernel, const fmpz_t horizon, soe_error error, slong digits) {
    fmpq_t target;
    long terms = 0;
    slong prec = 64 + (slong)(3.33 * (double)digits);
    fmpq_init(target);
    int ok = a->terms != NULL ? cli_whole("soe", "--terms", a->terms, 1, SOE_MAX_TERMS, &terms)
                              : read_target(target, a->error);
    soe_status status = SOE_BAD_ARGUMENT;
    if (ok)
        status = best ? minimax(d, a, kernel, horizon, error, terms, target, prec)
                      : rule(d, a, method, kernel, horizon, error, terms, target, prec);
    fmpq_clear(target);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    if (!ok)
        return EXIT_BAD_INPUT;
    if (status == SOE_UNREACHABLE)
        return cli_complain("soe",
                            "--error: %s is not reached with %d terms of method %s; a larger error "
                            "or another method is wanted",
                            a->error, SOE_MAX_TERMS, a->method);
    if (status != SOE_OK) {
        fprintf(stderr,
                "mneme soe: the search did not settle; fewer terms or a larger error may do\n");
        return EXIT_INTERNAL;
    }
    return EXIT_PASS;
}

/* Rounds to the format, certifies what is left, and compares with the target. */
static int certify_design(designed *d, const soe_arguments *a, int best, const soe_kernel_t kernel,
                          const fmpz_t horizon, soe_error error, soe_format format, slong digits) {
    int status = EXIT_PASS;
    soe_round_for_output(d->best->sum, format, digits);
    soe_status certified =
        soe_certify(d->bound, kernel, d->best->sum, horizon, error, 1, 1e-3, 128);
    if (best && d->best->points > 0)
        soe_alternation_lower(d->lower, kernel, d->best->sum, d->best->point, d->best->points,
                              error, 512);
    if (best && d->fewer->points > 0)
        soe_alternation_lower(d->fewer_lower, kernel, d->fewer->sum, d->fewer->point,
                              d->fewer->points, error, 512);
    if (certified == SOE_BAD_ARGUMENT || !arf_is_finite(d->bound->upper)) {
        fprintf(stderr, "mneme soe: the sum could not be certified\n");
        return EXIT_INTERNAL;
    }
    if (a->error != NULL) { /* rounding to few digits can undo what was designed */
        fmpq_t target;
        fmpq_init(target);
        exact_parse_rational(target, a->error);
        if (!soe_bound_meets(d->bound, target)) {
            char *text = soe_bound_text(d->bound->upper, 1);
            status = cli_complain("soe",
                                  "--error: %s is lost by rounding to this format, whose certified "
                                  "error is %s; more --digits are wanted",
                                  a->error, text);
            free(text);
        }
        fmpq_clear(target);
    }
    return status;
}

/* The terms that the paper's construction takes for the same error, where that is soon found. */
enum { PAPER_MOST = 200 };

static void compare_with_paper(designed *d, const soe_arguments *a, const soe_kernel_t kernel,
                               const fmpz_t horizon, soe_error error) {
    fmpq_t target;
    fmpq_init(target);
    exact_parse_rational(target, a->error);
    slong expected = soe_expected_terms(SOE_LEGENDRE, kernel->order, horizon, error, target);
    if (expected > PAPER_MOST) {
        snprintf(d->paper, sizeof d->paper,
                 "the paper's construction was not tried: by its law it takes %s%ld terms",
                 expected > SOE_MAX_TERMS ? "more than " : "about ",
                 (long)FLINT_MIN(expected, SOE_MAX_TERMS));
    } else {
        soe_sum_t sum;
        soe_bound_t bound;
        soe_design interval;
        soe_sum_init(sum, 1, SOE_RATE);
        soe_bound_init(bound);
        if (soe_design_error(sum, bound, &interval, SOE_LEGENDRE, kernel->order, horizon, error,
                             target, progress) == SOE_OK)
            snprintf(
                d->paper, sizeof d->paper,
                "the paper's construction (Gauss-Legendre in ln lambda) takes %ld terms, %ld more",
                (long)sum->terms, (long)(sum->terms - d->best->sum->terms));
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r\033[K");
        soe_sum_clear(sum);
        soe_bound_clear(bound);
    }
    fmpq_clear(target);
}

/* PREFIX.upper.json and PREFIX.lower.json: what mneme replay checks without the designer. */
static int write_witnesses(const designed *d, const char *prefix, const soe_kernel_t kernel,
                           const fmpz_t horizon, soe_error error) {
    witness_t upper, lower;
    soe_witness_upper(upper, kernel, d->best->sum, horizon, error, d->bound->upper);
    int ok = report_witness_file("mneme soe", prefix, ".upper.json", upper);
    witness_clear(upper);
    if (ok && d->best->points > 0 && !arf_is_zero(d->lower)) {
        soe_witness_lower(lower, kernel, d->best->sum, d->best->point, d->best->points, error,
                          d->lower);
        ok = report_witness_file("mneme soe", prefix, ".lower.json", lower);
        witness_clear(lower);
    }
    return ok ? EXIT_PASS : EXIT_BAD_INPUT;
}

static int run_design(const soe_arguments *a, const fmpq_t alpha, const fmpz_t horizon,
                      soe_error error, int best, soe_method method, soe_format format,
                      slong digits) {
    designed d;
    soe_kernel_t kernel;
    designed_init(&d);
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    int status = design(&d, a, best, method, kernel, horizon, error, digits);
    if (status == EXIT_PASS)
        status = certify_design(&d, a, best, kernel, horizon, error, format, digits);
    if (status == EXIT_PASS && best && a->error != NULL && d.fewer->points > 0)
        compare_with_paper(&d, a, kernel, horizon, error);
    if (status == EXIT_PASS && format == SOE_NPY) {
        size_t length;
        char *bytes = soe_npy(d.best->sum, &length), *upper = soe_bound_text(d.bound->upper, 1);
        status = write_output(a, bytes, length);
        if (status == EXIT_PASS && fflush(stdout) == 0)
            fprintf(stderr, "certified for these doubles: %s error <= %s over [1,%s]\n",
                    error == SOE_RELATIVE ? "relative" : "absolute", upper, a->horizon);
        free(bytes);
        free(upper);
    } else if (status == EXIT_PASS) {
        text_buffer b;
        soe_facts facts = {a->alpha, a->horizon, a->method,     error == SOE_RELATIVE,
                           d.bound,  d.lower,    d.fewer_lower, d.fewer->sum->terms,
                           d.paper};
        text_init(&b);
        soe_print(&b, d.best->sum, format, digits, &facts);
        status = write_output(a, b.data, b.length);
        free(b.data);
    }
    if (status == EXIT_PASS && a->witness != NULL)
        status = write_witnesses(&d, a->witness, kernel, horizon, error);
    designed_clear(&d);
    soe_kernel_clear(kernel);
    return status;
}

/* The search works with doubles for starting values: orders very near 0 or 1 are not for it. */
static int order_complaint(const soe_arguments *a, const fmpq_t alpha) {
    fmpq_t low, high;
    fmpq_init(low);
    fmpq_init(high);
    exact_parse_rational(low, "1e-30");
    exact_parse_rational(high, "0.999999999");
    int bad = fmpq_cmp(alpha, low) < 0 || (fmpq_cmp(alpha, high) > 0 && !fmpq_is_one(alpha));
    fmpq_clear(low);
    fmpq_clear(high);
    if (bad)
        cli_complain(
            "soe",
            "--alpha: %s is out of range for method %s; 1e-30 <= alpha <= 1-1e-9, or 1, is wanted",
            a->alpha, a->method);
    return bad;
}

static int run(const soe_arguments *given) {
    soe_method method = SOE_SINC;
    soe_format format;
    long digits;
    soe_arguments filled = *given, *a = &filled;
    int power = a->kernel != NULL && strcmp(a->kernel, "power") == 0;
    soe_error error = a->relative != NULL ? SOE_RELATIVE : SOE_ABSOLUTE;
    if (a->kernel != NULL && !power && strcmp(a->kernel, "gl") != 0)
        return cli_complain("soe", "--kernel: \"%s\" is not a kernel; gl or power is wanted",
                            a->kernel);
    if (power && a->certify == NULL)
        return cli_complain("soe", "--kernel power goes with --certify TABLE");
    if (power ? a->beta == NULL || a->alpha != NULL : a->alpha == NULL || a->beta != NULL)
        return cli_complain("soe", power
                                       ? "--kernel power needs --beta, not --alpha, as in --beta 1"
                                       : "--alpha is needed, as in --alpha 3/10");
    if (a->certify == NULL && a->horizon == NULL)
        return cli_complain("soe", "--horizon is needed, as in --horizon 1e6");
    if (a->certify == NULL && (a->error == NULL) == (a->terms == NULL))
        return cli_complain(
            "soe", "one of --error and --terms is needed, as in --error 1e-8 or --terms 24");
    if (a->certify != NULL &&
        (a->error != NULL || a->terms != NULL || a->output != NULL || a->witness != NULL ||
         a->method != NULL || a->format != NULL || a->digits != NULL))
        return cli_complain(
            "soe", "--certify takes a table as it is: no --error, --terms, --method, --format, "
                   "--digits, --output or --witness");
    if (a->certify == NULL && a->best != NULL)
        return cli_complain("soe", "--best goes with --certify TABLE");
    a->method = a->method != NULL ? a->method : "minimax";
    a->format = a->format != NULL ? a->format : "table";
    a->digits = a->digits != NULL ? a->digits : "25";
    int best = strcmp(a->method, "minimax") == 0;
    if (!best && !soe_method_from_name(&method, a->method))
        return cli_complain("soe",
                            "--method: \"%s\" is not a method; minimax, sinc, trapezoid, legendre, "
                            "laguerre or jacobi is wanted",
                            a->method);
    if (!soe_format_from_name(&format, a->format))
        return cli_complain(
            "soe", "--format: \"%s\" is not a format; table, json, csv, c or npy is wanted",
            a->format);
    if (format == SOE_NPY && a->output == NULL && isatty(STDOUT_FILENO))
        return cli_complain("soe", "--format npy is binary; --output FILE is wanted");
    if (!cli_whole("soe", "--digits", a->digits, 2, 2000, &digits))
        return EXIT_BAD_INPUT;
    fmpq_t order;
    fmpz_t horizon;
    fmpq_init(order);
    fmpz_init(horizon);
    int status = EXIT_BAD_INPUT;
    if ((power ? read_order(order, "--beta", a->beta, 64)
               : read_order(order, "--alpha", a->alpha, 1)) &&
        (a->horizon == NULL || read_horizon(horizon, a->horizon))) {
        if (a->certify != NULL) {
            soe_kernel_t kernel;
            soe_kernel_init(kernel, power ? SOE_KERNEL_POWER : SOE_KERNEL_GL, order);
            status = certify_table(a, kernel, error);
            soe_kernel_clear(kernel);
        } else if (!order_complaint(a, order) &&
                   cli_design_places("soe", a->output, a->witness) == EXIT_PASS) {
            status = run_design(a, order, horizon, error, best, method, format, digits);
        }
    }
    fmpq_clear(order);
    fmpz_clear(horizon);
    return status;
}

const cli_manual manual_soe = {
    "Finds the shortest sum of exponentials with real positive nodes for the\n"
    "weights of order A on the lags 1 to T, and prints its terms with the certified\n"
    "largest error over every whole lag, for the numbers as printed (for the\n"
    "doubles with --format c or npy), a bound for all lags beyond, and what no sum\n"
    "of as many terms, or of one fewer, can reach. Other methods are for comparison.\n"
    "\n"
    "With --certify the sums come from a CSV file whose header names a weight and a\n"
    "rate or node column; other columns make groups.",
    {{"soe --alpha 3/10 --horizon 1e6 --error 1e-8", "the fewest terms for an error"},
     {"soe --alpha 1/2 --horizon 1e9 --terms 40 --relative --format c", "40 terms as C arrays"},
     {"soe --alpha 1/2 --horizon 1e6 --error 1e-10 --witness sum",
      "with certificates for mneme replay"},
     {"soe --certify table.csv --kernel power --beta 1 --best", "somebody else's sums for 1/x"},
     {NULL, NULL}},
    NULL};

int cmd_soe(int argc, char **argv) {
    soe_arguments a;
    memset(&a, 0, sizeof a);
    const cli_option options[] = {
        {"--alpha", "A", "order, 0 < A <= 1", &a.alpha, NULL, NULL},
        {"--horizon", "T", "largest lag, 1 <= T <= 1e18", &a.horizon, NULL, NULL},
        {"--error", "E", "the fewest terms with certified error <= E", &a.error, NULL, NULL},
        {"--terms", "S", "this many terms, 1 to 400", &a.terms, NULL, NULL},
        {"--relative", NULL, "relative instead of absolute error", &a.relative, NULL, NULL},
        {"--method", "M", "minimax (default), sinc, trapezoid, legendre, laguerre or jacobi",
         &a.method, NULL, NULL},
        {"--format", "F", "table (default), json, csv, c or npy", &a.format, NULL, NULL},
        {"--digits", "D", "digits of the numbers printed (default 25)", &a.digits, NULL, NULL},
        {"--output", "F", "write to a file", &a.output, NULL, NULL},
        {"--witness", "PREFIX", "write PREFIX.upper.json and PREFIX.lower.json for mneme replay",
         &a.witness, NULL, NULL},
        {"--certify", "TABLE", "certify the sums of a CSV file instead", &a.certify, NULL, NULL},
        {"--best", NULL, "with --certify: beside the best error of as many terms", &a.best, NULL,
         NULL},
        {"--kernel", "K", "for --certify: gl (default) or power, t^-B on real [1,T]", &a.kernel,
         NULL, NULL},
        {"--beta", "B", "exponent of --kernel power", &a.beta, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("soe"), options, &argc, argv, &status))
        return status;
    if (argc > 0)
        return cli_complain("soe", "\"%s\" is not wanted here; mneme soe --help shows the options",
                            argv[0]);
    status = run(&a);
    flint_cleanup();
    return status;
}

/* mneme weights */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "reports/cli/cli.h"

#include <stdio.h>
#include <string.h>

/* Fractions longer than this are not written out; a ball is not doubled beyond that precision. */
#define MAX_FRACTION_BITS 4e7
#define MAX_BITS 4000000
/* Weights computed together. */
#define BLOCK 4096

/* Orders with longer numerators or denominators, and weights outside 2^+-MAX_EXPONENT, are refused. */
#define MAX_ORDER_BITS 700
#define MAX_EXPONENT 300000

/* Prints w_j correctly rounded; 0 if that was not possible within the limits. */
static int print_rounded(const fmpq_t alpha, const fmpz_t j, const arb_t ball, slong digits) {
    char *text = exact_decimal_ball(ball, digits);
    arb_t finer;
    arb_init(finer);
    slong prec = arb_rel_accuracy_bits(ball) > 0 ? 64 + 4 * digits : 128;
    /* A weight of a fractional order p/q has a factor q^j in its denominator, so beyond
       j = digits + log|w_j| it lies on no rounding boundary and doubling ends.  Before that, and
       for whole orders, the exact number decides. */
    if (!arb_is_zero(ball) && arf_abs_bound_lt_2exp_si(arb_midref(ball)) > MAX_EXPONENT)
        prec = MAX_BITS + 1;
    if (!arb_is_zero(ball) && arf_abs_bound_lt_2exp_si(arb_midref(ball)) < -MAX_EXPONENT)
        prec = MAX_BITS + 1;
    while (text == NULL && prec <= MAX_BITS) {
        if (exact_gl_rational_bits(alpha, j) < 40.0 * (double)(prec + 1000)) {
            fmpq_t exact;
            fmpq_init(exact);
            exact_gl_rational(exact, alpha, fmpz_get_ui(j));
            text = exact_decimal_rational(exact, digits);
            fmpq_clear(exact);
        } else {
            prec *= 2;
            exact_gl_ball(finer, alpha, j, prec);
            text = exact_decimal_ball(finer, digits);
        }
    }
    arb_clear(finer);
    if (text == NULL)
        return 0;
    char *index = fmpz_get_str(NULL, 10, j);
    printf("%s %s\n", index, text);
    flint_free(index);
    flint_free(text);
    return 1;
}

static int print_block(const fmpq_t alpha, const fmpz_t from, slong count, slong digits) {
    slong prec = 64 + (slong)(3.33 * (double)digits);
    arb_ptr w = _arb_vec_init(count);
    fmpz_t j;
    fmpz_init_set(j, from);
    int ok = 1;
    exact_gl_ball_vec(w, alpha, from, count, prec);
    for (slong i = 0; i < count && ok && !ferror(stdout); i++) {
        ok = print_rounded(alpha, j, w + i, digits);
        fmpz_add_ui(j, j, 1);
    }
    _arb_vec_clear(w, count);
    fmpz_clear(j);
    return ok;
}

static int print_exact(const fmpq_t alpha, const fmpz_t from, slong count) {
    fmpz_t j;
    fmpq_t w;
    fmpz_init_set(j, from);
    fmpq_init(w);
    int status = EXIT_PASS;
    for (slong i = 0; i < count; i++) {
        double bits = exact_gl_rational_bits(alpha, j);
        if (bits > MAX_FRACTION_BITS) {
            char *index = fmpz_get_str(NULL, 10, j);
            status = cli_complain(
                "weights",
                "--exact: w_%s may need %.2g bits, more than the limit of %.2g; use --digits",
                index, bits, MAX_FRACTION_BITS);
            flint_free(index);
            break;
        }
        exact_gl_rational(w, alpha, fmpz_get_ui(j));
        char *index = fmpz_get_str(NULL, 10, j), *text = exact_fraction(w);
        printf("%s %s\n", index, text);
        flint_free(index);
        flint_free(text);
        fmpz_add_ui(j, j, 1);
    }
    fmpz_clear(j);
    fmpq_clear(w);
    return status;
}

const cli_manual manual_weights = {
    "Prints the Gruenwald-Letnikov weights w_j = Gamma(j+A)/(Gamma(A) Gamma(j+1)) of\n"
    "the fractional sum of order A, one index a line, correctly rounded or as\n"
    "fractions. Negative orders are differences; whole ones end in zeros.",
    {{"weights --alpha 3/10 --from 1e12 --count 3 --digits 40", "three weights far out"},
     {"weights --alpha=-1/2 --count 5 --exact", "of a half difference, as fractions"},
     {NULL, NULL}},
    NULL};

int cmd_weights(int argc, char **argv) {
    const char *alpha_text = NULL, *from_text = "0", *count_text = "10", *digits_text = NULL,
               *exact = NULL;
    const cli_option options[] = {
        {"--alpha", "A", "order: any rational, negative and whole ones too", &alpha_text, NULL,
         NULL},
        {"--from", "J", "first index (default 0); 1e12 takes no longer than 1", &from_text, NULL,
         NULL},
        {"--count", "N", "how many (default 10)", &count_text, NULL, NULL},
        {"--digits", "D", "significant digits, correctly rounded (default 17)", &digits_text, NULL,
         NULL},
        {"--exact", NULL, "fractions", &exact, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    long count, digits = 17;
    if (cli_parse(cli_find("weights"), options, &argc, argv, &status))
        return status;
    if (argc > 0)
        return cli_complain("weights", "\"%s\" is not wanted here; the order is --alpha", argv[0]);
    if (alpha_text == NULL)
        return cli_complain("weights", "--alpha is needed, as in --alpha 3/10");
    if (exact != NULL && digits_text != NULL)
        return cli_complain("weights", "--exact and --digits exclude each other");
    if (!cli_whole("weights", "--count", count_text, 0, 100000000, &count) ||
        (digits_text && !cli_whole("weights", "--digits", digits_text, 1, 100000, &digits)))
        return EXIT_BAD_INPUT;
    fmpq_t alpha;
    fmpz_t from, most;
    fmpq_init(alpha);
    fmpz_init(from);
    fmpz_init(most);
    fmpz_ui_pow_ui(most, 10, 100);
    const char *reason = exact_parse_rational(alpha, alpha_text);
    if (reason != NULL) {
        status = cli_complain("weights", "--alpha: \"%s\" is %s", alpha_text, reason);
    } else if (fmpz_bits(fmpq_numref(alpha)) > MAX_ORDER_BITS ||
               fmpz_bits(fmpq_denref(alpha)) > MAX_ORDER_BITS) {
        status = cli_complain("weights", "--alpha: at most 200 digits are wanted");
    } else if ((reason = exact_parse_integer(from, from_text)) != NULL) {
        status = cli_complain("weights", "--from: \"%s\" is %s", from_text, reason);
    } else if (fmpz_sgn(from) < 0 || fmpz_cmp(from, most) > 0) {
        status =
            cli_complain("weights", "--from: %s is out of range; 0 to 1e100 is wanted", from_text);
    } else if (exact != NULL) {
        status = print_exact(alpha, from, count);
    } else {
        status = EXIT_PASS;
        while (count > 0 && status == EXIT_PASS) {
            slong n = FLINT_MIN(count, BLOCK);
            if (!print_block(alpha, from, n, digits))
                status = cli_complain("weights", "a weight is too large, too small or too long to "
                                                 "be written with these --digits");
            if (fflush(stdout) != 0 || ferror(stdout))
                break; /* a reader that has gone, a full disk: said at the end */
            fmpz_add_ui(from, from, (ulong)n);
            count -= n;
        }
    }
    fmpq_clear(alpha);
    fmpz_clear(from);
    fmpz_clear(most);
    return status;
}

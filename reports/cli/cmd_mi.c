/* mneme mi */
#include "reports/cli/cli.h"
#include "reports/provenance.h"
#include "reports/text.h"
#include "reports/writers.h"
#include "theorems/experiments/texts/corpus.h"
#include "theorems/experiments/texts/mi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FROM = 3, BLOCK = 1000 };

/* The text as it is and its three shuffles. */
typedef enum { AS_IS, SHUFFLED, BLOCKS_SHUFFLED, WITHIN_BLOCKS, CURVES } curve_kind;
static const char *const curve_names[] = {"text", "shuffled", "blocks", "within"};

typedef struct {
    corpus text;
    corpus_symbols symbols;
    corpus_unit unit;
    mi_curve curve[CURVES];
    mi_fits fits[FROM];
    int fitted;
    double entropy;
    long seed;
} analysis;

static const char *unit_name(corpus_unit unit) {
    return unit == CORPUS_WORDS ? "words" : "characters";
}

static void analyse(analysis *a, slong most, const slong *from, int froms) {
    slong lags = mi_lags(NULL, most), n = a->symbols.length;
    slong *lag = flint_malloc((size_t)(lags + 1) * sizeof *lag);
    int32_t *other = flint_malloc((size_t)n * sizeof *other);
    mi_lags(lag, most);
    for (int k = 0; k < CURVES; k++) {
        exact_random r = {exact_hash(curve_names[k], (ulong)a->seed + 1)};
        memcpy(other, a->symbols.symbol, (size_t)n * sizeof *other);
        if (k == SHUFFLED)
            corpus_shuffle(other, n, &r);
        else if (k == BLOCKS_SHUFFLED)
            corpus_shuffle_blocks(other, n, BLOCK, &r);
        else if (k == WITHIN_BLOCKS)
            corpus_shuffle_within(other, n, BLOCK, &r);
        mi_estimate(a->curve + k, other, n, a->symbols.symbols, lag, lags, (ulong)a->seed);
    }
    for (slong s = 0; s < a->symbols.symbols; s++) {
        double p = (double)a->symbols.count[s] / (double)n;
        a->entropy -= p > 0 ? p * log2(p) : 0;
    }
    for (int i = 0; i < froms; i++)
        a->fitted += mi_fit_laws(a->fits + a->fitted, a->curve, from[i]);
    flint_free(lag);
    flint_free(other);
}

/* ---- output ---- */

static void print_fits(const mi_fits *f, slong most) {
    printf(
        "\nlaws from lag %ld to %ld (%ld lags, ten a decade); misfit: by what fraction the law is "
        "off; worse: its AIC\nless the best one's, as if errors at different lags were "
        "independent, which they are not\n",
        (long)f->from, (long)most, (long)f->points);
    printf("  %-20s %-20s %8s  %-24s parameters with 99%% intervals\n", "", "misfit", "BIC",
           "worse");
    for (int l = 0; l < MI_LAWS; l++) {
        const mi_fit *m = f->fit + l;
        char misfit[64], worse[64] = "the best";
        if ((mi_law)l != f->best)
            snprintf(worse, sizeof worse, "%.1f [%.1f, %.1f]", m->worse, m->worse_low,
                     m->worse_high);
        snprintf(misfit, sizeof misfit, "%.3f [%.3f, %.3f]", m->misfit, m->misfit_low,
                 m->misfit_high);
        printf("  %-20s %-20s %8.1f  %-24s", mi_law_name((mi_law)l), misfit, m->bic, worse);
        for (int i = 0; i < mi_law_parameters((mi_law)l); i++)
            printf(" %s %.3g [%.3g, %.3g]", mi_law_parameter((mi_law)l, i), m->parameter[i],
                   m->low[i], m->high[i]);
        printf("\n");
    }
}

static void print_analysis(const analysis *a) {
    const mi_curve *c = a->curve;
    printf(
        "%ld %s, %ld different, the rarest %ld as one; entropy %.4f bits; %ld bytes, CRC-32 %08x\n",
        (long)a->symbols.length, unit_name(a->unit), (long)a->symbols.distinct,
        (long)(a->symbols.distinct - a->symbols.symbols +
               (a->symbols.distinct > a->symbols.symbols)),
        a->entropy, (long)a->text.bytes, (unsigned)a->text.crc32);
    printf(
        "information in bits between %s at a distance, less %.3g that chance alone gives; +-: 99%% "
        "(jackknife over %d blocks)\nshuffled: all %s; blocks: blocks of %d in random order; "
        "within: "
        "random order inside them\n",
        unit_name(a->unit), c->excess, MI_BLOCKS, unit_name(a->unit), BLOCK);
    printf("%8s %12s %10s %12s %10s %12s %12s\n", "lag", "text", "+-", "shuffled", "+-", "blocks",
           "within");
    for (slong i = 0; i < c->lags; i++)
        printf("%8ld %12.7f %10.7f %12.7f %10.7f %12.7f %12.7f\n", (long)c->lag[i],
               c[AS_IS].bits[i], MI_STUDENT * c[AS_IS].error[i], c[SHUFFLED].bits[i],
               MI_STUDENT * c[SHUFFLED].error[i], c[BLOCKS_SHUFFLED].bits[i],
               c[WITHIN_BLOCKS].bits[i]);
    for (int i = 0; i < a->fitted; i++)
        print_fits(a->fits + i, c->lag[c->lags - 1]);
    if (a->fitted == 0)
        printf("\nno laws: fewer than 8 lags (ten a decade) to fit them to\n");
}

static char *csv_text(const analysis *a) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "lag");
    for (int k = 0; k < CURVES; k++)
        text_printf(&b, ",%s,%s_error", curve_names[k], curve_names[k]);
    text_printf(&b, ",miller_madow\n");
    for (slong i = 0; i < a->curve->lags; i++) {
        text_printf(&b, "%ld", (long)a->curve->lag[i]);
        for (int k = 0; k < CURVES; k++)
            text_printf(&b, ",%.10g,%.10g", a->curve[k].bits[i], a->curve[k].error[i]);
        text_printf(&b, ",%.10g\n", a->curve->miller[i]);
    }
    return text_take(&b);
}

static json_t *fits_json(const mi_fits *f) {
    json_t *laws = json_array();
    for (int l = 0; l < MI_LAWS; l++) {
        const mi_fit *m = f->fit + l;
        json_t *parameters = json_object();
        for (int i = 0; i < mi_law_parameters((mi_law)l); i++)
            json_object_set_new(parameters, mi_law_parameter((mi_law)l, i),
                                json_pack("[f,f,f]", m->parameter[i], m->low[i], m->high[i]));
        json_array_append_new(
            laws,
            json_pack("{s:s, s:s, s:o, s:[f,f,f], s:f, s:f, s:f, s:[f,f,f]}", "law",
                      mi_law_name((mi_law)l), "formula", mi_law_formula((mi_law)l), "parameters",
                      parameters, "misfit", m->misfit, m->misfit_low, m->misfit_high,
                      "log_likelihood", m->log_likelihood, "aic", m->aic, "bic", m->bic,
                      "worse_than_best", m->worse, m->worse_low, m->worse_high));
    }
    return json_pack("{s:I, s:I, s:s, s:o}", "from", (json_int_t)f->from, "points",
                     (json_int_t)f->points, "best", mi_law_name(f->best), "laws", laws);
}

static char *json_text(const analysis *a) {
    json_t *rows = json_array(), *fits = json_array();
    for (slong i = 0; i < a->curve->lags; i++) {
        json_t *row = json_pack("{s:I, s:f}", "lag", (json_int_t)a->curve->lag[i], "miller_madow",
                                a->curve->miller[i]);
        for (int k = 0; k < CURVES; k++)
            json_object_set_new(row, curve_names[k],
                                json_pack("[f,f]", a->curve[k].bits[i], a->curve[k].error[i]));
        json_array_append_new(rows, row);
    }
    for (int i = 0; i < a->fitted; i++)
        json_array_append_new(fits, fits_json(a->fits + i));
    char crc[16];
    snprintf(crc, sizeof crc, "%08x", (unsigned)a->text.crc32);
    json_t *whole = json_pack(
        "{s:s, s:s, s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:i, s:i, s:o, s:o}", "schema",
        "mneme-mi-1", "mneme", MNEME_VERSION, "bytes", (json_int_t)a->text.bytes, "crc32", crc,
        "unit", unit_name(a->unit), "length", (json_int_t)a->symbols.length, "different",
        (json_int_t)a->symbols.distinct, "vocabulary", (json_int_t)a->symbols.symbols, "seed",
        (json_int_t)a->seed, "entropy", a->entropy, "excess", a->curve->excess, "jackknife_blocks",
        MI_BLOCKS, "shuffled_blocks_of", BLOCK, "curve", rows, "fits", fits);
    char *text = report_write_json(whole);
    json_decref(whole);
    return text;
}

/* ---- the command ---- */

typedef struct {
    const char *unit, *lag, *vocabulary, *from, *seed, *csv, *json, *verbatim;
} mi_arguments;

static int read_files(analysis *a, int files, char **file, int verbatim) {
    char complaint[CORPUS_COMPLAINT];
    for (int i = 0; i < files; i++)
        if (!corpus_read(&a->text, file[i], complaint)) {
            cli_complain("mi", "%s", complaint);
            return 0;
        }
    if (!verbatim)
        corpus_fold_space(&a->text);
    return 1;
}

/* No text may be written over. */
static int place_complaint(const mi_arguments *m, int files, char **file) {
    const cli_file outputs[] = {{"--csv", m->csv}, {"--json", m->json}, {NULL, NULL}};
    cli_file *inputs = calloc((size_t)files + 1, sizeof *inputs);
    if (inputs == NULL)
        return cli_complain("mi", "there is not enough memory");
    for (int i = 0; i < files; i++)
        inputs[i] = (cli_file){"the text", file[i]};
    int status = cli_places("mi", outputs, inputs);
    free(inputs);
    return status;
}

static int write_files(const analysis *a, const mi_arguments *m) {
    int ok = 1;
    const struct {
        const char *path;
        char *(*text)(const analysis *);
    } files[] = {{m->csv, csv_text}, {m->json, json_text}};
    for (int i = 0; i < 2; i++) {
        if (files[i].path == NULL)
            continue;
        char *text = files[i].text(a);
        ok &= output_write("mneme mi", files[i].path, text, strlen(text));
        free(text);
    }
    return ok ? EXIT_PASS : EXIT_BAD_INPUT;
}

static int run(const mi_arguments *m, int files, char **file) {
    analysis a;
    long most = 10000, vocabulary, first;
    slong from[FROM] = {1, 10, 100};
    memset(&a, 0, sizeof a);
    if (strcmp(m->unit, "words") != 0 && strcmp(m->unit, "characters") != 0)
        return cli_complain("mi", "--unit: \"%s\" is not a unit; characters or words is wanted",
                            m->unit);
    a.unit = strcmp(m->unit, "words") == 0 ? CORPUS_WORDS : CORPUS_CHARACTERS;
    vocabulary = a.unit == CORPUS_WORDS ? 200 : 256;
    if ((m->lag != NULL && !cli_whole("mi", "--max-lag", m->lag, 1, MI_MAX_LAG, &most)) ||
        (m->vocabulary != NULL &&
         !cli_whole("mi", "--vocabulary", m->vocabulary, 2, MI_MAX_VOCABULARY, &vocabulary)) ||
        (m->from != NULL && !cli_whole("mi", "--from", m->from, 1, MI_MAX_LAG, &first)) ||
        !cli_whole("mi", "--seed", m->seed, 0, WORD_MAX - 1, &a.seed) ||
        place_complaint(m, files, file) != EXIT_PASS)
        return EXIT_BAD_INPUT;
    if (m->from != NULL && first > most)
        return cli_complain("mi", "--from: %ld is beyond the largest lag, %ld (--max-lag)", first,
                            most);
    if (m->from != NULL)
        from[0] = first;
    int status = EXIT_BAD_INPUT;
    if (read_files(&a, files, file, m->verbatim != NULL)) {
        corpus_number(&a.symbols, &a.text, a.unit, vocabulary);
        slong least = FLINT_MAX(most, MI_NULLS) + MI_BLOCKS;
        if (a.symbols.length < least) {
            cli_complain("mi", "%s%s: %ld %s; at least %ld are wanted for lags up to %ld", file[0],
                         files > 1 ? " and the others" : "", (long)a.symbols.length,
                         unit_name(a.unit), (long)least, most);
        } else {
            analyse(&a, most, from, m->from != NULL ? 1 : FROM);
            print_analysis(&a);
            status = write_files(&a, m);
            for (int k = 0; k < CURVES; k++)
                mi_curve_clear(a.curve + k);
        }
        corpus_symbols_clear(&a.symbols);
    }
    corpus_clear(&a.text);
    return status;
}

const cli_manual manual_mi = {
    "Estimates the mutual information I(l) between the characters, or words, of a\n"
    "text at distance l, corrected for bias, with errors by blocks and with shuffled\n"
    "text beside it, and asks by likelihood which law it follows: a power c l^-g, an\n"
    "exponential, a broken power law, each with and without a constant floor.\n"
    "\n"
    "Texts are UTF-8, plain or gzipped; several files are read one after the other.",
    {{"mi book.txt", "characters, distances to 10000"},
     {"mi book.txt --unit words --vocabulary 1000 --json mi.json", "words"},
     {NULL, NULL}},
    NULL};

int cmd_mi(int argc, char **argv) {
    mi_arguments m = {.unit = "characters", .seed = "1"};
    const cli_option options[] = {
        {"--unit", "U", "characters (default) or words", &m.unit, NULL, NULL},
        {"--max-lag", "N", "largest distance (default 10000)", &m.lag, NULL, NULL},
        {"--vocabulary", "N", "the rarest beyond N count as one (256 characters, 200 words)",
         &m.vocabulary, NULL, NULL},
        {"--from", "N", "fit laws from lag N (default: from 1, from 10, from 100)", &m.from, NULL,
         NULL},
        {"--verbatim", NULL, "keep white space as it is; else every run of it is one space",
         &m.verbatim, NULL, NULL},
        {"--seed", "N", "of the shuffles (default 1)", &m.seed, NULL, NULL},
        {"--csv", "F", "write the curves", &m.csv, NULL, NULL},
        {"--json", "F", "write curves and laws", &m.json, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("mi"), options, &argc, argv, &status))
        return status;
    if (argc == 0)
        return cli_complain("mi", "a text is needed: mneme mi FILE... (\"-\" is standard input)");
    return run(&m, argc, argv);
}

#include "reports/figures.h"
#include "reports/json_codec.h"
#include "reports/latex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const report_figure report_figures[] = {
    {"vort-weights", "vort.weights", "two-sided",
     "Above, the weights (points) and their power law (lines); below, the lag times the law's "
     "relative gap, with "
     "the proved bound."},
    {"vort-soe-error", "vort.soe-rate", "sup-errors",
     "The error of sums of 24 exponentials against the lag, α = 1/2; beside each name, the "
     "certified "
     "largest error over all lags of [1,10⁶]."},
    {"vort-soe-terms", "vort.soe-rate", "geometric",
     "The largest error over the lags 1 to 1000 against the number of terms, α = 1/2, for five "
     "constructions, with the root-exponential law and a geometric one for contrast."},
    {"vort-soe-cells", "vort.soe-terms", "table",
     "The least number of exponentials in every cell, absolute and relative error."},
    {"vort-soe-laws", "vort.soe-terms", "joint",
     "The least number of exponentials (points) against the relative error, α = 1/2, with the law "
     "of "
     "the real line and with the published sum of logarithms."},
    {"vort-soe-equioscillation", "vort.soe-terms", "table",
     "The relative error of the best sum of 12 exponentials, α = 1/2, lags 1 to 10⁶: it alternates "
     "between the two bounds, so that no sum of 12 does better than the lower one."},
    {"vort-soe-nodes", "vort.soe-terms", "sufficient",
     "Where six constructions put the rates of 12 exponentials, α = 1/2, T = 10⁶, and their "
     "weights "
     "(heights)."},
    {"vort-banks", "vort.order-quantisation", "equal-cells",
     "The largest error of a weight against the number of banks for the orders of [1/20,1], T = "
     "4096: the fewest "
     "banks, as many equal cells, and the bound."},
    {"vort-l2", "vort.l2-lower-bound", "growth",
     "The L² error of mixtures of exponentials against the horizon, α = 4/5: fixed, with weights "
     "refit, "
     "with rates refit too, and the proved lower bound N − C."},
    {"vort-plasticity", "vort.plasticity", "global",
     "The loss along gradient steps of length 1/L from four starts (thick), and the proved rate "
     "(thin)."},
    {"vort-features", "vort.keyed-retrieval", "unbiased",
     "The variance of scores from positive random features (points, with five standard errors of "
     "20000 draws) "
     "and its formula (line)."},
    {"loglinear-levels", "loglinear.partition", "partition",
     "The level at which each position of log-linear attention sees each lag."},
    {"loglinear-competition", "loglinear.competition", "softmax-competes",
     "The weights of four levels while the logit of one of them moves: softmax above, softplus "
     "below."},
    {"loglinear-memories", "loglinear.memories", "floor",
     "Three memories of the power law j^(−1/2): the relative error at each lag with 21 states, the "
     "largest error against the number of states, and that of one weight a level at each "
     "position."},
    {"vla-jacobian-norm", "vla.jacobian-norm", "unit-norm",
     "The norm of I − α̂k̂ᵀ against the cosine of α̂ and k̂: closed form (line) and matrices "
     "(points)."},
    {"vla-jacobian-growth", "vla.jacobian-norm", "layer",
     "The largest Jacobian norm that the layer reaches after T tokens with u along one direction, "
     "d = 32: "
     "layer (points) and formula (lines)."},
    {"vla-products", "vla.jacobian-product", "any-depth",
     "The norm of products of Jacobians, certified for inputs of the layer, λ₀ = 1/10, against the "
     "number of "
     "factors, with the proved bound for each d."},
    {"vla-state-norm", "vla.state-norm", "plateau",
     "The norm of the state against time, one row, |v| ≤ 1, λ₀ = 1/10: constructed and random "
     "inputs of "
     "variational linear attention, two other memories, and the proved bound."},
    {"vla-drift", "vla.sherman-morrison", "symmetric-form",
     "How far five ways to update A drift from the inverse in float32 and float64, for directions "
     "u drawn at random "
     "and for nearly one direction."},
    {"vla-recall", "vla.recall", "load",
     "The share of pairs that come back against the load n/d, d = 32, without training; bars are "
     "99% intervals."},
    {"experiments-lags", "experiments.lag-retrieval", "zipf-keys",
     "Accuracy of each memory, fitted or as named untuned, T = 2048, at lags of three ranges and "
     "over the whole law, with 99% intervals; crosses: the text's numbers beyond lag 1000."},
    {"experiments-kernels", "experiments.lag-retrieval", "uniform-keys",
     "The fitted weights of five memories against the lag, sum of squares 1, and the best weights "
     "for the law of lags: Zipf above, uniform below; T = 2048, equal keys."},
    {"experiments-recall", "experiments.associative-recall", "features",
     "The share of pairs that come back, d = 32, without training, against the number of pairs for "
     "three kinds of keys, and against the tokens written for 8 pairs; bars are 99% intervals."},
    {"experiments-information", "experiments.mutual-information", "every-distance",
     "Information at a distance between characters and between words of two texts (squares, with "
     "99% intervals), the same for three ways to shuffle them, and three laws fitted from lag 1."},
    {"experiments-bits", "experiments.bits-per-character", "one-exponential",
     "Bits a held-out character saved by each memory, over the last three characters alone, "
     "against "
     "the number of characters that it sees; bars are paired 99% intervals."},
    {"kernel-growth", NULL, NULL,
     "The largest (points) and root mean square (solid lines) error of an output row of eight "
     "float32 "
     "kernels in chunks, over the root mean square row, against the number of tokens, d = 64, "
     "normal inputs; dashed, the proven bound where it is below 30."},
    {"kernel-ulp", NULL, NULL,
     "How far the outputs of eight float32 kernels are from the exact ones, in units in the last "
     "place: shares of the outputs by powers of two, in chunks (boxes) and token by token "
     "(lines)."},
    {"kernel-methods", NULL, NULL,
     "The root mean square error of eight float32 kernels in chunks over that token by token, "
     "against the number of tokens, d = 64, normal inputs."},
    {NULL, NULL, NULL, NULL}};

const report_figure *report_figure_find(const char *name) {
    for (const report_figure *f = report_figures; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

/* The claim of a figure in the report; false if the report has not got it. */
static int figure_claim(const json_t **claim, const json_t *report, const report_figure *f) {
    *claim = f->claim != NULL ? json_find(json_object_get(report, "claims"), "id", f->claim) : NULL;
    return f->claim == NULL || *claim != NULL;
}

static const json_t *figure_statement(const json_t *claim, const report_figure *f) {
    return f->statement != NULL
               ? json_find(json_object_get(claim, "statements"), "id", f->statement)
               : NULL;
}

char *report_figure_caption(const report_figure *f, const json_t *claim) {
    const json_t *s = figure_statement(claim, f);
    const char *kind = json_text(s, "kind"), *instead = json_text(s, "instead");
    text_buffer b;
    text_init(&b);
    if (json_text(claim, "title")[0] != '\0')
        text_printf(&b, "%s (%s). ", json_text(claim, "title"), json_text(claim, "source"));
    text_printf(&b, "%s", f->shows);
    if (s != NULL)
        text_printf(&b, " %c%s, %s: %s", toupper((unsigned char)kind[0]),
                    kind[0] != '\0' ? kind + 1 : "", json_text(s, "found"), json_text(s, "text"));
    if (instead[0] != '\0')
        text_printf(&b, " True instead: %s", instead);
    return text_take(&b);
}

char *report_write_captions(const json_t *report) {
    text_buffer b;
    text_init(&b);
    text_printf(&b,
                "%% Captions of the figures: \\mnemecaption{NAME}, for NAME.pdf.\n"
                "\\DeclareRobustCommand\\mnemecaption[1]{\\csname mneme:caption:#1\\endcsname}\n"
                "%% \\mnemefigures\\COMMAND: \\COMMAND{NAME} for each of them.\n"
                "\\def\\mnemefigures#1{%%\n");
    const json_t *claim;
    for (const report_figure *f = report_figures; f->name != NULL; f++)
        if (figure_claim(&claim, report, f))
            text_printf(&b, "  #1{%s}%%\n", f->name);
    text_printf(&b, "}\n");
    for (const report_figure *f = report_figures; f->name != NULL; f++) {
        if (!figure_claim(&claim, report, f))
            continue;
        char *caption = report_figure_caption(f, claim);
        text_printf(&b, "\\expandafter\\def\\csname mneme:caption:%s\\endcsname{%%\n  ", f->name);
        report_latex_text(&b, caption);
        text_printf(&b, "}\n");
        free(caption);
    }
    return text_take(&b);
}

char *report_write_captions_json(const json_t *report) {
    static const char *const suffixes[] = {".dat", ".gp",  ".pdf", "-wide.pdf",
                                           ".svg", ".png", NULL};
    json_t *list = json_array();
    const json_t *claim;
    for (const report_figure *f = report_figures; f->name != NULL; f++) {
        if (!figure_claim(&claim, report, f))
            continue;
        const json_t *s = figure_statement(claim, f);
        char *caption = report_figure_caption(f, claim);
        json_t *item = json_object(), *files = json_array();
        json_object_set_new(item, "figure", json_string(f->name));
        json_object_set_new(item, "claim", json_string(f->claim != NULL ? f->claim : ""));
        json_object_set_new(item, "statement",
                            json_string(f->statement != NULL ? f->statement : ""));
        json_object_set_new(item, "verdict", json_string(json_text(s, "found")));
        json_object_set_new(item, "caption", json_string(caption));
        for (int i = 0; suffixes[i] != NULL; i++) {
            text_buffer name;
            text_init(&name);
            text_printf(&name, "%s%s", f->name, suffixes[i]);
            json_array_append_new(files, json_string(name.data));
            free(name.data);
        }
        json_object_set_new(item, "files", files);
        json_array_append_new(list, item);
        free(caption);
    }
    char *dump = json_dumps(list, JSON_INDENT(1));
    text_buffer b;
    text_init(&b);
    text_printf(&b, "%s\n", dump != NULL ? dump : "[]");
    free(dump);
    json_decref(list);
    return text_take(&b);
}

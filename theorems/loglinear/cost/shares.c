/* "Less than 0.007% more parameters", as a condition on the model. */
#include "theorems/loglinear/cost/cost.h"

/* The model that is assumed: tied embedding of 50257 tokens, 12 hidden^2 parameters a layer. */
enum { VOCABULARY = 50257, LAYER_SQUARES = 12, LEVELS_512_TOKENS = 10 };

static slong model_size(slong hidden, slong layers) {
    return VOCABULARY * hidden + LAYER_SQUARES * layers * hidden * hidden;
}

/* extra/size < 7/100000, exactly */
static int below(slong extra, slong size) {
    return extra * 100000 < 7 * size;
}

/* The least whole size with extra/size < 7/100000. */
static slong least_size(slong extra) {
    return extra * 100000 / 7 + 1;
}

static void decide_share(check_context *ctx, slong extra, slong size, relation rel) {
    fmpq_t share, limit;
    fmpq_init(share);
    fmpq_init(limit);
    fmpq_set_si(share, extra, (ulong)size);
    fmpq_set_si(limit, 7, 100000);
    claim_decide_fmpq(ctx, "MLP's parameters over the model's, against 0.007%", share, rel, limit);
    fmpq_clear(share);
    fmpq_clear(limit);
}

/* 10 levels (512 tokens): hidden 512 with 1 .. 9 layers, hidden 256 with 1 .. 2; heads: MLPs a
   layer. */
void cost_check_share(check_context *ctx, const void *parameter) {
    const cost_parameter *p = parameter;
    for (slong layers = 1; layers <= 9; layers++) {
        slong extra = layers * p->heads * cost_parameters_printed(LEVELS_512_TOKENS);
        decide_share(ctx, extra, model_size(512, layers), RELATION_LT);
        if (layers <= 2)
            decide_share(ctx, extra, model_size(256, layers), RELATION_LT);
    }
}

/* The most layers for which the share stays below; at most 1000. */
static slong most_layers(slong parameters, slong hidden) {
    slong layers = 0;
    while (layers < 1000 && below((layers + 1) * parameters, model_size(hidden, layers + 1)))
        layers++;
    return layers;
}

/* One more layer than said is too many, as is one MLP a head; the least sizes for L = 10 .. 21,
   both counts, and what they allow.  more: added to the least sizes. */
void cost_check_thresholds(check_context *ctx, const void *parameter) {
    const cost_parameter *p = parameter;
    static const char *const columns[] = {"levels",
                                          "1",
                                          "printed",
                                          "parameters",
                                          "code",
                                          "parameters",
                                          "least_model_printed",
                                          "parameters",
                                          "least_model_code",
                                          "parameters",
                                          "layers_512",
                                          "1",
                                          "layers_256",
                                          "1"};
    slong printed = cost_parameters_printed(LEVELS_512_TOKENS),
          code = cost_parameters_code(LEVELS_512_TOKENS);
    decide_share(ctx, 10 * printed, model_size(512, 10), RELATION_GE);
    decide_share(ctx, 3 * printed, model_size(256, 3), RELATION_GE);
    decide_share(ctx, 9 * code, model_size(512, 9), RELATION_GE);
    decide_share(ctx, 3 * code, model_size(256, 3), RELATION_GE);
    decide_share(ctx, 8 * printed, model_size(512, 1), RELATION_GE);
    series *s = series_new("loglinear-parameters", "Model sizes for which the MLP is below 0.007%",
                           7, columns);
    for (slong levels = 10; levels <= 21; levels++) {
        slong count[2] = {cost_parameters_printed(levels), cost_parameters_code(levels)};
        enclosure_struct *row = series_append(s);
        enclosure_set_integer(row, levels);
        for (int i = 0; i < 2; i++) {
            slong least = least_size(count[i]) + p->more;
            decide_share(ctx, count[i], least, RELATION_LT);
            decide_share(ctx, count[i], least - 1, RELATION_GE);
            enclosure_set_integer(row + 1 + i, count[i]);
            enclosure_set_integer(row + 3 + i, least);
        }
        enclosure_set_integer(row + 5, most_layers(count[0], 512));
        enclosure_set_integer(row + 6, most_layers(count[0], 256));
    }
    claim_table(ctx, s);
}

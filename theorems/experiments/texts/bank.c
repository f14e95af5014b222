#include "theorems/experiments/texts/bank.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe_minimax.h"
#include "numerics/kernels/mneme.h"

#include <math.h>
#include <string.h>

static double as_double(const fmpq_t q) {
    arf_t a;
    arf_init(a);
    arf_set_fmpq(a, q, 53, ARF_RND_NEAR);
    double d = arf_get_d(a, ARF_RND_NEAR);
    arf_clear(a);
    return d;
}

int bank_power(bank_channel *out, double *error_upper, const char *alpha, int terms) {
    fmpq_t order;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t best;
    soe_bound_t bound;
    fmpq_init(order);
    fmpz_init_set_si(horizon, BANK_HORIZON);
    exact_parse_rational(order, alpha);
    soe_kernel_init(kernel, SOE_KERNEL_GL, order);
    soe_minimax_init(best);
    soe_bound_init(bound);
    soe_status status = soe_minimax(best, kernel, horizon, SOE_RELATIVE, terms, 1e-2, NULL, NULL);
    int ok = (status == SOE_OK || status == SOE_WIDE) && best->sum->terms == terms &&
             terms <= BANK_MODES;
    if (ok) {
        status = soe_certify(bound, kernel, best->sum, horizon, SOE_RELATIVE, 0, 1e-2, 128);
        ok = status == SOE_OK || status == SOE_WIDE;
    }
    if (ok) {
        double rest = 1; /* w_0 = 1 */
        *error_upper = fmax(*error_upper, arf_get_d(bound->upper, ARF_RND_UP));
        for (int m = 0; m < terms; m++) {
            double weight = as_double(best->sum->weight + m), mode = as_double(best->sum->mode + m);
            out->weight[m] = (float)weight;
            out->node[m] = (float)(best->sum->form == SOE_RATE ? exp(-mode) : mode);
            rest -= (double)out->weight[m];
        }
        out->weight[terms] = (float)rest;
        out->node[terms] = 0;
        out->modes = terms + 1;
    }
    fmpq_clear(order);
    fmpz_clear(horizon);
    soe_kernel_clear(kernel);
    soe_minimax_clear(best);
    soe_bound_clear(bound);
    return ok;
}

void bank_exponential(bank_channel *out, double half_life) {
    out->modes = 1;
    out->weight[0] = 1;
    out->node[0] = (float)exp2(-1 / half_life);
}

/* y [time][BANK_SYMBOLS] := the channel applied to x, its weights times node^shift */
static int convolve(float *y, const float *x, slong time, const bank_channel *channel, slong shift,
                    void *workspace, size_t size) {
    float weight[BANK_MODES + 1];
    for (int m = 0; m < channel->modes; m++)
        weight[m] =
            (float)((double)channel->weight[m] * pow((double)channel->node[m], (double)shift));
    mn_convolution c = {.batch = 1,
                        .time = time,
                        .channels = BANK_SYMBOLS,
                        .x = {x, 0, 0, 0},
                        .y = {y, 0, 0, 0},
                        .modes = channel->modes,
                        .weights = weight,
                        .nodes = channel->node,
                        .threads = 1,
                        .workspace = workspace,
                        .workspace_size = size};
    mn_error error;
    return mn_convolve(&c, MN_CHUNK, &error) == MN_OK;
}

static size_t workspace_size(slong time) {
    mn_convolution c = {
        .batch = 1, .time = time, .channels = BANK_SYMBOLS, .modes = BANK_MODES + 1, .threads = 1};
    return mn_convolution_workspace_size(&c, MN_CHUNK);
}

slong bank_features(float *out, const bank *b, const int32_t *symbol, slong from, slong to,
                    slong stride, slong context) {
    enum { N = BANK_SYMBOLS };
    slong start = from - (BANK_HORIZON - 1), time = to - start, rows = 0, width = b->channels * N;
    float *x = flint_calloc((size_t)(time * N), sizeof *x),
          *y = flint_malloc((size_t)(time * N) * sizeof *y),
          *old = flint_malloc((size_t)(time * N) * sizeof *old);
    size_t size = workspace_size(time);
    void *workspace = flint_malloc(size + 1);
    int ok = 1;
    for (slong t = 0; t < time; t++)
        x[t * N + symbol[start + t]] = 1;
    for (int c = 0; c < b->channels && ok; c++) {
        slong cut = time - context; /* old[t - context] is what left the window at t */
        ok = convolve(y, x, time, b->channel + c, 0, workspace, size) &&
             (cut <= 0 || convolve(old, x, cut, b->channel + c, context, workspace, size));
        rows = 0;
        for (slong t = BANK_HORIZON - 1; t < time && ok; t += stride, rows++)
            for (int k = 0; k < N; k++)
                out[rows * width + c * N + k] =
                    y[t * N + k] - (t >= context ? old[(t - context) * N + k] : 0);
    }
    flint_free(x);
    flint_free(y);
    flint_free(old);
    flint_free(workspace);
    return ok ? rows : -1;
}

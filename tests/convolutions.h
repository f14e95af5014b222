/* Shared by the tests of convolutions: random calls, runs, and the comparison with the exact result. */
#ifndef CONVOLUTIONS_H
#define CONVOLUTIONS_H

#include "tests/kernels.h"

typedef struct {
    mn_convolution c;
    float *x, *y, *state_in, *state_out, *weights, *nodes;
    size_t outputs, states;
} convolution_case;

static double tightness[3][2]; /* [method][direct] */

static inline void convolution_make(convolution_case *w, exact_random *r, int64_t batch,
                                    int64_t time, int64_t channels, int64_t modes, int64_t length) {
    memset(w, 0, sizeof *w);
    w->outputs = (size_t)(batch * time * channels), w->states = (size_t)(batch * modes * channels);
    int64_t n = modes ? modes : length;
    w->x = malloc((w->outputs + 1) * sizeof(float)), w->y = guarded(w->outputs * sizeof(float));
    w->weights = malloc((size_t)(n + 1) * sizeof(float));
    w->nodes = malloc((size_t)(n + 1) * sizeof(float));
    w->state_in = malloc((w->states + 1) * sizeof(float));
    w->state_out = guarded(w->states * sizeof(float));
    for (size_t i = 0; i < w->outputs; i++)
        w->x[i] = uniform(r, -1, 1);
    for (size_t i = 0; i < w->states; i++)
        w->state_in[i] = uniform(r, -1, 1);
    for (int64_t m = 0; m < n; m++) {
        w->weights[m] = uniform(r, -1, 1);
        /* rates from 1e-6 to 10 */
        w->nodes[m] = (float)exp(-pow(10, -6 + 7 * (double)m / (double)(n > 1 ? n - 1 : 1)));
    }
    w->c = (mn_convolution){.batch = batch,
                            .time = time,
                            .channels = channels,
                            .threads = 1,
                            .x = {w->x},
                            .modes = modes};
    if (modes)
        w->c.weights = w->weights, w->c.nodes = w->nodes;
    else
        w->c.kernel = w->weights, w->c.kernel_length = length;
}
static inline void convolution_clear(convolution_case *w) {
    free(w->x), free(w->weights), free(w->nodes), free(w->state_in);
    guarded_free(w->y), guarded_free(w->state_out);
}

static inline void convolution_run(convolution_case *w, mn_method method, mn_isa isa) {
    mn_convolution *c = &w->c;
    memset(w->y, POISON, w->outputs * sizeof(float));
    memset(w->state_out, POISON, w->states * sizeof(float));
    c->y = (mn_output){w->y, 0, 0, 0}, c->isa = isa;
    c->state_out = c->modes ? w->state_out : NULL;
    assert_int_equal(mn_convolution_state_size(c), w->states * sizeof(float));
    c->workspace_size = mn_convolution_workspace_size(c, method);
    c->workspace = guarded(c->workspace_size);
    assert_int_equal(mn_convolve(c, method, NULL), MN_OK);
    assert_true(guard_whole(c->workspace, c->workspace_size));
    assert_true(guard_whole(w->y, w->outputs * sizeof(float)));
    assert_true(guard_whole(w->state_out, w->states * sizeof(float)));
    guarded_free(c->workspace);
}

#define EACH_CONVOLUTION(c, method, isa)                                                           \
    for (mn_method method = MN_REFERENCE; method <= MN_CHUNK; method++)                            \
        for (mn_isa isa = MN_GENERIC; isa < MN_ISAS; isa++)                                        \
            if (mn_isa_usable(isa) && (method != MN_REFERENCE || isa == MN_GENERIC) &&             \
                (method != MN_STEP || (c).modes))

static inline void convolution_check(convolution_case *w, const char *name, long number) {
    reference_t exact, scale;
    bounds_t b;
    reference_init(exact), reference_init(scale), bounds_init(b);
    assert_int_equal(reference_convolution(exact, &w->c), REFERENCE_OK);
    assert_int_equal(reference_convolution_scale(scale, &w->c), REFERENCE_OK);
    assert_int_equal(bounds_convolution(b, &w->c, scale), BOUNDS_OK);
    EACH_CONVOLUTION(w->c, method, isa) {
        convolution_run(w, method, isa);
        double most = 0;
        for (size_t i = 0; i < w->outputs; i++)
            most = fmax(most, ratio_of(error_of(w->y[i], exact->o + i), b->o[i]));
        for (size_t i = 0; i < w->states; i++)
            most = fmax(most, ratio_of(error_of(w->state_out[i], exact->state + i), b->state[i]));
        tightness[method][w->c.modes == 0] = fmax(tightness[method][w->c.modes == 0], most);
        if (!(most <= 1))
            print_error("%s, method %d: %g of the bound\n", mn_isa_name(isa), method, most);
        assert_case(most <= 1, name, number);
    }
    reference_clear(exact), reference_clear(scale), bounds_clear(b);
}

#endif

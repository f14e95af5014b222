/* Convolutions against the exact result, by every method on every instruction set. */
#include "tests/kernels.h"

typedef struct {
    mn_convolution c;
    float *x, *y, *state_in, *state_out, *weights, *nodes;
    size_t outputs, states;
} convolution_case;

static double tightness[3][2]; /* [method][direct] */

static void make(convolution_case *w, exact_random *r, int64_t batch, int64_t time,
                 int64_t channels, int64_t modes, int64_t length) {
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
static void clear(convolution_case *w) {
    free(w->x), free(w->weights), free(w->nodes), free(w->state_in);
    guarded_free(w->y), guarded_free(w->state_out);
}

static void run(convolution_case *w, mn_method method, mn_isa isa) {
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

#define EACH_WAY(c, method, isa)                                                                   \
    for (mn_method method = MN_REFERENCE; method <= MN_CHUNK; method++)                            \
        for (mn_isa isa = MN_GENERIC; isa < MN_ISAS; isa++)                                        \
            if (mn_isa_usable(isa) && (method != MN_REFERENCE || isa == MN_GENERIC) &&             \
                (method != MN_STEP || (c).modes))

static void check(convolution_case *w, const char *name, long number) {
    reference_t exact, scale;
    bounds_t b;
    reference_init(exact), reference_init(scale), bounds_init(b);
    assert_int_equal(reference_convolution(exact, &w->c), REFERENCE_OK);
    assert_int_equal(reference_convolution_scale(scale, &w->c), REFERENCE_OK);
    assert_int_equal(bounds_convolution(b, &w->c, scale), BOUNDS_OK);
    EACH_WAY(w->c, method, isa) {
        run(w, method, isa);
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

static void shapes(void **state) {
    (void)state;
    static const int64_t sizes[][4] = {{1, 1, 1, 1},    {2, 2, 3, 2},    {1, 31, 5, 4},
                                       {1, 32, 64, 3},  {2, 33, 65, 5},  {1, 65, 7, 17},
                                       {1, 100, 1, 8},  {2, 129, 17, 1}, {1, 129, 66, 3},
                                       {1, 1700, 2, 5}, {1, 1600, 1, 3}};
    for (long i = 0; i < 11; i++)
        for (int direct = 0; direct < 2; direct++) {
            exact_random r = {test_seed("convolution.shapes") + (uint64_t)i};
            convolution_case w;
            make(&w, &r, sizes[i][0], sizes[i][1], sizes[i][2], direct ? 0 : sizes[i][3],
                 direct ? i * 15 : 0);
            if (!direct && i % 2)
                w.c.state_in = w.state_in;
            check(&w, "convolution.shapes", i);
            clear(&w);
        }
}

/* Convolution mode and recurrent mode over 2^14 steps, rates from 1e-6 to 10. */
static void long_memory(void **state) {
    (void)state;
    exact_random r = {test_seed("convolution.long")};
    convolution_case w;
    make(&w, &r, 1, test_count(1 << 14), 1, 6, 0);
    check(&w, "convolution.long", 0);
    clear(&w);
}

/* Denormal states and inputs; 0 and 1 as nodes. */
static void denormal_states(void **state) {
    (void)state;
    exact_random r = {test_seed("convolution.denormal")};
    convolution_case w;
    make(&w, &r, 1, 70, 20, 4, 0);
    w.nodes[0] = 1, w.nodes[1] = 0, w.nodes[2] = 0.5f;
    w.c.state_in = w.state_in;
    for (size_t i = 0; i < w.states; i++)
        w.state_in[i] *= 0x1p-127f;
    for (size_t i = 0; i < w.outputs; i++)
        w.x[i] *= 0x1p-130f;
    check(&w, "convolution.denormal", 0);
    bool denormal = false;
    for (size_t i = 0; i < w.states; i++)
        denormal = denormal || fpclassify(w.state_out[i]) == FP_SUBNORMAL;
    assert_true(denormal); /* nothing was flushed to 0 */
    clear(&w);
}

static void threads_and_pieces(void **state) {
    (void)state;
    exact_random r = {test_seed("convolution.threads")};
    convolution_case w;
    make(&w, &r, 2, 90, 130, 5, 0);
    w.c.state_in = w.state_in;
    EACH_WAY(w.c, method, isa) {
        w.c.threads = 1;
        run(&w, method, isa);
        float *y = malloc(w.outputs * sizeof *y), *s = malloc(w.states * sizeof *s);
        memcpy(y, w.y, w.outputs * sizeof *y), memcpy(s, w.state_out, w.states * sizeof *s);
        for (int n = 3; n <= 8; n += 5) {
            w.c.threads = n;
            run(&w, method, isa);
            assert_memory_equal(y, w.y, w.outputs * sizeof *y);
            assert_memory_equal(s, w.state_out, w.states * sizeof *s);
        }
        free(y), free(s);
    }
    clear(&w);
}

/* NaN in an input reaches neither earlier outputs nor other channels. */
static void causality(void **state) {
    (void)state;
    for (int direct = 0; direct < 2; direct++)
        for (int64_t channels = 1; channels < 40; channels += 19) {
            exact_random r = {test_seed("convolution.causality")};
            convolution_case w;
            int64_t time = 70;
            make(&w, &r, 1, time, channels, direct ? 0 : 3, direct ? 40 : 0);
            EACH_WAY(w.c, method, isa) {
                run(&w, method, isa);
                float *y = malloc(w.outputs * sizeof *y);
                memcpy(y, w.y, w.outputs * sizeof *y);
                for (int64_t t = 3; t < time; t += 22) {
                    int64_t at = t * channels + channels / 2;
                    float kept = w.x[at];
                    w.x[at] = NAN;
                    run(&w, method, isa);
                    w.x[at] = kept;
                    for (int64_t i = 0; i < time * channels; i++)
                        if (i / channels < t || i % channels != channels / 2)
                            assert_case(memcmp(y + i, w.y + i, sizeof *y) == 0,
                                        "convolution.causality", i / channels);
                }
                free(y);
            }
            clear(&w);
        }
}

/* Rows of a wider array; what lies between stays. */
static void strides(void **state) {
    (void)state;
    for (int64_t channels = 1; channels <= 35; channels += 17) {
        exact_random r = {test_seed("convolution.strides")};
        convolution_case w;
        make(&w, &r, 2, 50, channels, 3, 0);
        int64_t step = channels + 3, batch = 50 * step + 2;
        float *x = malloc((size_t)(2 * batch) * sizeof *x),
              *y = guarded((size_t)(2 * batch) * sizeof *y);
        for (int64_t i = 0; i < 2 * batch; i++)
            x[i] = NAN;
        for (int64_t i = 0; i < 100 * channels; i++)
            x[i / channels / 50 * batch + i / channels % 50 * step + i % channels] = w.x[i];
        EACH_WAY(w.c, method, isa) {
            run(&w, method, isa);
            mn_convolution c = w.c;
            c.x = (mn_input){x, batch, step, 0}, c.y = (mn_output){y, batch, step, 0};
            c.state_out = NULL;
            c.workspace = malloc(c.workspace_size);
            memset(y, POISON, (size_t)(2 * batch) * sizeof *y);
            assert_int_equal(mn_convolve(&c, method, NULL), MN_OK);
            for (int64_t i = 0; i < 2 * batch; i++) {
                int64_t b = i / batch, t = i % batch / step, j = i % batch % step;
                unsigned bits;
                memcpy(&bits, y + i, sizeof bits);
                if (t < 50 && j < channels)
                    assert_true(memcmp(y + i, w.y + (b * 50 + t) * channels + j, sizeof *y) == 0);
                else
                    assert_int_equal(bits, ~0u);
            }
            free(c.workspace);
        }
        free(x), guarded_free(y), clear(&w);
    }
}

static void report(void **state) {
    (void)state;
    printf("convolution largest error / bound: definition %.4f, step %.4f, blocks %.4f; "
           "direct: definition %.4f, vectors %.4f\n",
           tightness[0][0], tightness[1][0], tightness[2][0], tightness[0][1], tightness[2][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),          cmocka_unit_test(long_memory),
        cmocka_unit_test(denormal_states), cmocka_unit_test(threads_and_pieces),
        cmocka_unit_test(causality),       cmocka_unit_test(strides),
        cmocka_unit_test(report),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

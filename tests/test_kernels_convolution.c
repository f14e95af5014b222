/* Convolutions against the exact result, by every method on every instruction set. */
#include "tests/convolutions.h"

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
            convolution_make(&w, &r, sizes[i][0], sizes[i][1], sizes[i][2],
                             direct ? 0 : sizes[i][3], direct ? i * 15 : 0);
            if (!direct && i % 2)
                w.c.state_in = w.state_in;
            convolution_check(&w, "convolution.shapes", i);
            convolution_clear(&w);
        }
}

static void threads_and_pieces(void **state) {
    (void)state;
    exact_random r = {test_seed("convolution.threads")};
    convolution_case w;
    convolution_make(&w, &r, 2, 90, 130, 5, 0);
    w.c.state_in = w.state_in;
    EACH_CONVOLUTION(w.c, method, isa) {
        w.c.threads = 1;
        convolution_run(&w, method, isa);
        float *y = malloc(w.outputs * sizeof *y), *s = malloc(w.states * sizeof *s);
        memcpy(y, w.y, w.outputs * sizeof *y), memcpy(s, w.state_out, w.states * sizeof *s);
        for (int n = 3; n <= 8; n += 5) {
            w.c.threads = n;
            convolution_run(&w, method, isa);
            assert_memory_equal(y, w.y, w.outputs * sizeof *y);
            assert_memory_equal(s, w.state_out, w.states * sizeof *s);
        }
        free(y), free(s);
    }
    convolution_clear(&w);
}

/* NaN in an input reaches neither earlier outputs nor other channels. */
static void causality(void **state) {
    (void)state;
    for (int direct = 0; direct < 2; direct++)
        for (int64_t channels = 1; channels < 40; channels += 19) {
            exact_random r = {test_seed("convolution.causality")};
            convolution_case w;
            int64_t time = 70;
            convolution_make(&w, &r, 1, time, channels, direct ? 0 : 3, direct ? 40 : 0);
            EACH_CONVOLUTION(w.c, method, isa) {
                convolution_run(&w, method, isa);
                float *y = malloc(w.outputs * sizeof *y);
                memcpy(y, w.y, w.outputs * sizeof *y);
                for (int64_t t = 3; t < time; t += 22) {
                    int64_t at = t * channels + channels / 2;
                    float kept = w.x[at];
                    w.x[at] = NAN;
                    convolution_run(&w, method, isa);
                    w.x[at] = kept;
                    for (int64_t i = 0; i < time * channels; i++)
                        if (i / channels < t || i % channels != channels / 2)
                            assert_case(memcmp(y + i, w.y + i, sizeof *y) == 0,
                                        "convolution.causality", i / channels);
                }
                free(y);
            }
            convolution_clear(&w);
        }
}

/* Rows of a wider array; what lies between stays. */
static void strides(void **state) {
    (void)state;
    for (int64_t channels = 1; channels <= 35; channels += 17) {
        exact_random r = {test_seed("convolution.strides")};
        convolution_case w;
        convolution_make(&w, &r, 2, 50, channels, 3, 0);
        int64_t step = channels + 3, batch = 50 * step + 2;
        float *x = malloc((size_t)(2 * batch) * sizeof *x),
              *y = guarded((size_t)(2 * batch) * sizeof *y);
        for (int64_t i = 0; i < 2 * batch; i++)
            x[i] = NAN;
        for (int64_t i = 0; i < 100 * channels; i++)
            x[i / channels / 50 * batch + i / channels % 50 * step + i % channels] = w.x[i];
        EACH_CONVOLUTION(w.c, method, isa) {
            convolution_run(&w, method, isa);
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
        free(x), guarded_free(y), convolution_clear(&w);
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
        cmocka_unit_test(shapes),    cmocka_unit_test(threads_and_pieces),
        cmocka_unit_test(causality), cmocka_unit_test(strides),
        cmocka_unit_test(report),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

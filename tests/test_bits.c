/* Bits per character: the readout's gradient and minimum, whitening, memories against their definition,
   and the experiment on a text whose entropy is known. */
#include "tests/process.h"
#include "tests/testing.h"
#include "theorems/experiments/texts/bpc.h"

#include <math.h>

enum { K = SOFTMAX_CLASSES, SAMPLES = 301, DENSE = 7 };

static float x[SAMPLES * DENSE], scale[SOFTMAX_RECENT * K];
static unsigned char past[SAMPLES * SOFTMAX_RECENT], label[SAMPLES];

static softmax_data draw(const char *name, slong dense, slong recent) {
    exact_random r = {test_seed(name)};
    for (int i = 0; i < SAMPLES * DENSE; i++)
        x[i] = (float)exact_random_integer(&r, -100, 100) / 50;
    for (int i = 0; i < SAMPLES * SOFTMAX_RECENT; i++)
        past[i] = (unsigned char)exact_random_integer(&r, 0, K - 1);
    for (int i = 0; i < SAMPLES; i++)
        label[i] = (unsigned char)exact_random_integer(&r, 0, 4);
    for (int i = 0; i < SOFTMAX_RECENT * K; i++)
        scale[i] = 1 + (float)(i % 5);
    return (softmax_data){SAMPLES, dense, recent, x, past, label, scale};
}

/* Central differences of F along single coordinates. */
static void test_gradient_is_the_derivative(void **state) {
    (void)state;
    softmax_data d = draw("gradient", DENSE, SOFTMAX_RECENT);
    slong size = softmax_rows(&d) * K;
    float *w = malloc((size_t)size * sizeof *w);
    double *g = malloc((size_t)size * sizeof *g), l2 = 0.01;
    exact_random r = {test_seed("gradient at")};
    for (slong i = 0; i < size; i++)
        w[i] = (float)exact_random_integer(&r, -100, 100) / 400;
    softmax_objective(g, &d, w, l2);
    for (long n = 0; n < test_count(200); n++) {
        slong i = exact_random_integer(&r, 0, n % 2 ? (1 + DENSE) * K - 1 : size - 1);
        float at = w[i], h = 1.0f / 64; /* exact in single precision */
        w[i] = at + h;
        double above = softmax_objective(NULL, &d, w, l2), step = (double)w[i];
        w[i] = at - h;
        double slope = (above - softmax_objective(NULL, &d, w, l2)) / (step - (double)w[i]);
        w[i] = at;
        /* F in single precision: 1e-6/h; third derivatives: h^2 max |a x|^3 */
        assert_case(fabs(slope - g[i]) < 2e-4 + 2e-3 * fabs(g[i]), "gradient", n);
    }
    free(w), free(g);
}

/* Without features the minimum is the labels' entropy; the bound on the excess holds. */
static void test_training_finds_the_minimum(void **state) {
    (void)state;
    softmax_data d = draw("entropy", 0, 0);
    float w[K];
    softmax_training t, early;
    double entropy = 0, l2 = 1e-6;
    int count[K] = {0};
    for (int i = 0; i < SAMPLES; i++)
        count[label[i] = (unsigned char)((i < 200 ? i * 5 : i) % K)]++; /* all occur */
    for (int c = 0; c < K; c++)
        entropy -= count[c] * log(count[c] / (double)SAMPLES) / SAMPLES;
    softmax_train(w, &early, &d, l2, 10, 1);
    softmax_train(w, &t, &d, l2, 400, 1);
    assert_true(t.objective > entropy && t.objective < entropy + 0.01);
    assert_true(early.objective > t.objective);
    assert_true((early.objective - t.objective) / M_LN2 <= early.excess_upper);
    /* the same, bit for bit, again */
    float again[K];
    softmax_train(again, &t, &d, l2, 400, 1);
    assert_memory_equal(w, again, sizeof w);
}

static void test_whitened_features_are_uncorrelated(void **state) {
    (void)state;
    draw("whitening", DENSE, 0);
    for (int s = 0; s < SAMPLES; s++) {
        x[s * DENSE + 1] = 3 * x[s * DENSE] + 0.5f * x[s * DENSE + 1] + 7;
        x[s * DENSE + 2] *= 1000;
        x[s * DENSE + 3] = 5; /* constant */
    }
    softmax_whitening map;
    softmax_whiten_fit(&map, x, SAMPLES, DENSE);
    softmax_whiten(&map, x, SAMPLES);
    softmax_whitening_clear(&map);
    for (int i = 0; i < DENSE; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int s = 0; s < SAMPLES; s++)
                sum += (double)x[s * DENSE + i] * (double)x[s * DENSE + j] / SAMPLES;
            double want = i == j && i != 3;
            assert_true(fabs(sum - want) < 0.02); /* 1e-4 on the diagonal, correlation near 1 */
        }
}

/* Features against sums over lags, one by one, in double precision. */
static void test_memories_are_what_they_say(void **state) {
    (void)state;
    enum { LENGTH = BANK_HORIZON + 60, STRIDE = 13 };
    static int32_t symbol[LENGTH];
    exact_random r = {test_seed("memories")};
    for (int t = 0; t < LENGTH; t++)
        symbol[t] = (int32_t)exact_random_integer(&r, 0, K - 1) % (1 + (int32_t)(t % K));
    bank b = {.name = "test", .channels = 3};
    bank_exponential(b.channel, 64);
    bank_exponential(b.channel + 1, INFINITY);
    assert_true(bank_power(b.channel + 2, &b.error_upper, "2/5", 5));
    assert_true(b.error_upper > 0 && b.error_upper < 0.1);
    static const slong contexts[] = {1, 7, 1000, BANK_HORIZON};
    for (int c = 0; c < 4; c++) {
        float out[6 * 3 * K];
        slong rows = bank_features(out, &b, symbol, BANK_HORIZON - 1, LENGTH, STRIDE, contexts[c]);
        assert_int_equal(rows, 5);
        for (slong n = 0; n < rows; n++)
            for (int k = 0; k < 3 * K; k++) {
                const bank_channel *channel = b.channel + k / K;
                slong t = BANK_HORIZON - 1 + n * STRIDE;
                double sum = 0, scale_of = 1e-30;
                for (slong j = 0; j < contexts[c]; j++) {
                    double w = 0;
                    for (int m = 0; m < channel->modes; m++)
                        w += (double)channel->weight[m] * pow((double)channel->node[m], (double)j);
                    sum += symbol[t - j] == k % K ? w : 0;
                    scale_of += symbol[t - j] == k % K ? fabs(w) : 0;
                }
                /* two sums of BANK_HORIZON terms in single precision, and their difference */
                assert_case(fabs((double)out[n * 3 * K + k] - sum) < 1e-3 * (scale_of + 1),
                            "memories", n);
            }
    }
    /* w_0 = 1; w_1 = alpha within the certified error */
    double w0 = 0, w1 = 0;
    for (int m = 0; m < b.channel[2].modes; m++) {
        w0 += (double)b.channel[2].weight[m];
        w1 += (double)b.channel[2].weight[m] * (double)b.channel[2].node[m];
    }
    assert_true(fabs(w0 - 1) < 1e-6);
    assert_true(fabs(w1 / 0.4 - 1) < b.error_upper + 1e-6);
}

/* A text from a Markov chain on 26 letters, next one in 3 of 4 cases: counts after one letter, and a readout
   that sees the last letters, come to its entropy rate. */
static void test_a_markov_text_comes_to_its_entropy(void **state) {
    (void)state;
    corpus t;
    exact_random r = {test_seed("markov text")};
    corpus_init(&t);
    t.length = t.room = BPC_LEAST_LENGTH + 1000;
    t.point = flint_malloc((size_t)t.length * sizeof *t.point);
    uint32_t letter = 0;
    for (slong i = 0; i < t.length; i++) {
        letter = exact_random_integer(&r, 0, 3) > 0 ? (letter + 1) % 26
                                                    : (uint32_t)exact_random_integer(&r, 0, 25);
        t.point[i] = 'a' + letter;
    }
    double p = 0.75 + 0.25 / 26, rate = -p * log2(p) - (1 - p) * log2(0.25 / 26);
    bpc_effort effort = {8000, 16, 64, 8, 8};
    bpc_text *text = bpc_text_new(&t, &effort, 0, 1), *shuffled = bpc_text_new(&t, &effort, 1, 1);
    bpc_result counts, readout, even, lost;
    const bpc_result *which[] = {&counts, &readout, &even, &lost};
    static const double one = 1;
    enclosure_measurement m[4];
    bpc_counts(&counts, text, 1);
    assert_true(bpc_run(&readout, text, BPC_NOTHING, 0, 64, 1, 0, 1));
    assert_true(bpc_run(&even, text, BPC_EVEN, 0, 64, 0, 0, 1));
    bpc_counts(&lost, shuffled, 1);
    for (int i = 0; i < 4; i++)
        m[i] = bpc_combine(which + i, &one, 1, 1);
    assert_true(m[0].lower < rate && m[0].upper > rate && m[0].estimate < rate + 0.03);
    assert_true(m[1].estimate > rate - 0.05 && m[1].estimate < rate + 0.15);
    assert_true(m[2].estimate > rate + 1); /* counts alone do not tell the order */
    assert_true(m[3].lower < log2(26) && m[3].estimate > log2(26) - 0.02);
    bpc_text_free(text), bpc_text_free(shuffled);
    t.length = BPC_LEAST_LENGTH - 1;
    assert_null(bpc_text_new(&t, &effort, 0, 1));
    corpus_clear(&t);
}

/* The claims on a text of the user's: the same numbers for any number of jobs; the second text, and
   texts that are not there, are skipped and say why. */
static void test_claims_take_the_users_text(void **state) {
    (void)state;
    exact_random r = {test_seed("text of the user's")};
    FILE *f = fopen("build/tests/words.txt", "w");
    assert_non_null(f);
    long word = 0;
    for (int i = 0; i < 25000; i++) { /* every other word is the next one */
        word = exact_random_integer(&r, 0, 1) ? (word + 1) % 31
                                              : (long)exact_random_integer(&r, 0, 30);
        fprintf(f, "w%ld ", word);
    }
    fclose(f);
    char *seen[2];
    for (int jobs = 1; jobs <= 2; jobs++) {
        run_result a = run("MNEME_TEXT=build/tests/words.txt " MNEME
                           " verify -j %d --json build/tests/words.json "
                           "'experiments.mutual-information/*-shuffled'",
                           jobs);
        assert_int_equal(a.status, 0);
        if (strstr(a.out, "4 passed, 0 failed, 4 skipped") == NULL)
            fail_msg("%s", a.out);
        result_clear(&a);
        run_result b = run("grep -v -e seconds -e jobs -e start build/tests/words.json");
        seen[jobs - 1] = strdup(b.out);
        result_clear(&b);
    }
    assert_string_equal(seen[0], seen[1]);
    assert_non_null(strstr(seen[0], "one text was given, and this is about a second one"));
    free(seen[0]), free(seen[1]);
    run_result c =
        run("MNEME_TEXT=build/tests/absent " MNEME
            " verify --json build/tests/words.json 'experiments.bits-per-character/king-james'");
    assert_non_null(strstr(c.out, "0 passed, 0 failed, 2 skipped"));
    result_clear(&c);
    char *json = slurp("build/tests/words.json");
    assert_non_null(strstr(json, "build/tests/absent: No such file or directory"));
    free(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient_is_the_derivative),
        cmocka_unit_test(test_training_finds_the_minimum),
        cmocka_unit_test(test_whitened_features_are_uncorrelated),
        cmocka_unit_test(test_memories_are_what_they_say),
        cmocka_unit_test(test_a_markov_text_comes_to_its_entropy),
        cmocka_unit_test(test_claims_take_the_users_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

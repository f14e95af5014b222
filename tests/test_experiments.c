/* Experiments: lags, keys, intervals, memories against their definitions, fits, jobs. */
#include "reports/tables.h"
#include "tests/process.h"
#include "tests/testing.h"
#include "theorems/experiments/lag/lag.h"
#include "theorems/experiments/recall/recall.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

static void test_lags(void **state) { /* each bucket by the law, its keys' products by definition */
    (void)state;
    static const lag_law laws[] = {LAW_ZIPF, LAW_UNIFORM};
    for (int n = 0; n < 2; n++) {
        lag_task task;
        lag_sequence s;
        double ones = 0, reads = 0;
        lag_task_init(&task, laws[n], SIZE_SHORT);
        assert_true(fabs(task.mass[0] + task.mass[1] + task.mass[2] - 1) < 1e-12);
        for (int i = 0; i < 40; i++) {
            lag_sequence_draw(&s, &task, 0, test_seed("lags") + (ulong)i);
            for (slong r = 0; r < s.reads; r++) {
                assert_int_equal(lag_bucket(s.lag[r]), r / task.each);
                assert_int_equal(s.answer[r], s.label[s.tokens - s.lag[r]]);
                ones += r < task.each && s.lag[r] <= 10;
                reads += r < task.each;
            }
            if (i < 39)
                lag_sequence_clear(&s);
        }
        double p = 0;
        for (int j = 1; j <= 10; j++)
            p += task.chance[j] / task.mass[0];
        assert_true(fabs(ones / reads - p) < 5 * sqrt(p * (1 - p) / reads));
        static const slong widths[] = {1, 25, 64, 128};
        float *score = malloc((size_t)(s.reads * s.tokens) * sizeof *score);
        for (int w = 0; w < 4; w++) {
            lag_scores(score, &s, widths[w]);
            for (slong r = 0; r < s.reads; r += 17)
                for (slong t = 0; t < s.tokens; t += 101) {
                    const uint64_t *a = s.key + (s.tokens - s.lag[r]) * LAG_WORDS,
                                   *b = s.key + t * LAG_WORDS;
                    int sum = 0;
                    for (slong i = 0; i < widths[w]; i++)
                        sum += (a[i / 64] >> (i % 64) & 1) == (b[i / 64] >> (i % 64) & 1) ? 1 : -1;
                    assert_true(fabs(score[r * s.tokens + t] - (double)sum / (double)widths[w]) <
                                1e-6);
                }
            assert_true(fabs(score[s.tokens - s.lag[0]] - 1) < 1e-6);
        }
        free(score);
        lag_sequence_clear(&s);
        lag_task_clear(&task);
    }
}

/* What libmneme reads is the sum with the family's weights. */
static void test_memories(void **state) {
    (void)state;
    lag_task task;
    lag_sequence s;
    lag_task_init(&task, LAW_ZIPF, SIZE_SHORT);
    lag_sequence_draw(&s, &task, 0, test_seed("memories"));
    slong d = 24, levels = lag_parameters(FAMILY_LEVELS, task.length);
    double *w = malloc((size_t)task.length * sizeof *w), theta[LAG_PARAMETERS], sum[256];
    float *score = malloc((size_t)(s.reads * s.tokens) * sizeof *score),
          *out = malloc((size_t)(s.reads * task.labels) * sizeof *out);
    lag_scores(score, &s, d);
    static const lag_family families[] = {FAMILY_NONE, FAMILY_ONE, FAMILY_FIVE, FAMILY_LEVELS};
    for (int n = 0; n < 4; n++) {
        experiments_memory m = {.dk = d, .dv = task.labels};
        lag_start(theta, families[n], task.length);
        lag_kernel(w, families[n], theta, task.length);
        if (families[n] == FAMILY_ONE)
            m.log_gate = (float)-exp(theta[1]);
        m.kernel = families[n] == FAMILY_FIVE     ? MN_VORT
                   : families[n] == FAMILY_LEVELS ? MN_LOGLINEAR
                                                  : MN_LINEAR;
        m.modes = 5;
        for (int i = 0; i < 5; i++) {
            m.nodes[i] = (float)exp(-exp(theta[i]));
            m.weights[i] = (float)exp(theta[5 + i]);
        }
        m.levels = levels + 1;
        for (slong l = 1; l <= levels; l++)
            m.lambda[l] = (float)exp(theta[l - 1]);
        assert_true(lag_run_memory(out, &m, &task, &s));
        for (slong r = 0; r < s.reads; r += 7) {
            double size = 0;
            for (slong c = 0; c < task.labels; c++)
                sum[c] = 0;
            for (slong t = 0; t < s.tokens; t++) {
                sum[s.label[t]] += w[s.tokens - t] * (double)score[r * s.tokens + t];
                size += fabs(w[s.tokens - t] * (double)score[r * s.tokens + t]);
            }
            for (slong c = 0; c < task.labels; c++)
                assert_case(fabs(sum[c] - (double)out[r * task.labels + c]) < 1e-4 * size,
                            "memories", n);
        }
    }
    free(w);
    free(score);
    free(out);
    lag_sequence_clear(&s);
    lag_task_clear(&task);
}

static void test_optimum(void **state) {
    (void)state;
    assert_true(fabs(lag_accuracy(0, 64) - 1.0 / 64) < 1e-10);
    assert_true(fabs(lag_accuracy(1, 2) - gsl_cdf_ugaussian_P(sqrt(0.5))) < 1e-10);
    static const lag_family families[] = {FAMILY_NONE, FAMILY_POWER, FAMILY_ONE, FAMILY_FIVE_TIED};
    for (int law = 0; law < LAWS; law++) {
        lag_task task;
        lag_task_init(&task, (lag_law)law, SIZE_SHORT);
        double *w = malloc((size_t)task.length * sizeof *w), theta[LAG_PARAMETERS],
               best = lag_optimum(w, &task, task.width), energy = 0;
        for (slong j = 1; j < task.length; j++)
            energy += w[j] * w[j];
        double budget = (double)(task.width * task.labels);
        assert_true(energy <= budget && energy > 0.99 * budget);
        for (int n = 0; n < 4; n++) { /* no family does better in the model */
            double sum = 0, squares = 0;
            lag_start(theta, families[n], task.length);
            lag_kernel(w, families[n], theta, task.length);
            for (slong j = 1; j < task.length; j++)
                squares += w[j] * w[j];
            for (slong j = 1; j < task.length; j += 1 + j / 50) {
                slong next = j + 1 + j / 50;
                double chance = 0;
                for (slong i = j; i < next && i < task.length; i++)
                    chance += task.chance[i];
                sum += chance * lag_accuracy(w[j] * sqrt(budget / squares), task.labels);
            }
            assert_true(sum < best + 0.003);
        }
        free(w);
        lag_task_clear(&task);
    }
}

/* Read at lags <= 100 alone, a short time constant is fitted; with uniform lags a long one. */
static void test_fit(void **state) {
    (void)state;
    double constant[2], loss[2];
    for (int n = 0; n < 2; n++) {
        lag_task task;
        lag_task_init(&task, LAW_UNIFORM, SIZE_SHORT);
        task.training = 2;
        if (n == 0)
            task.mass[0] = 1, task.mass[1] = task.mass[2] = 0;
        lag_sequence s[2];
        double theta[LAG_PARAMETERS];
        for (int i = 0; i < 2; i++)
            lag_sequence_draw(s + i, &task, 0, test_seed("fit") + (ulong)i);
        lag_start(theta, FAMILY_ONE, task.length);
        loss[n] = lag_fit(theta, FAMILY_ONE, &task, s, task.width);
        constant[n] = exp(-theta[1]);
        for (int i = 0; i < 2; i++)
            lag_sequence_clear(s + i);
        lag_task_clear(&task);
    }
    assert_true(constant[0] < 300 && constant[1] > 2000);
    assert_true(loss[0] < loss[1] && loss[1] < log(64));
}

/* S <- S/2 + (v - Sk)k^T through the gated delta rule, against the rule itself. */
static void test_decaying_rule(void **state) {
    (void)state;
    enum { D = 6, T = 9 };
    exact_random r = {test_seed("decaying")};
    float k[T * D], v[T * D], half[T * D], out[T * D];
    double s[D][D] = {{0}};
    for (int i = 0; i < T * D; i++) {
        k[i] = (float)statistics_normal(&r) / 2;
        v[i] = (float)statistics_normal(&r);
        half[i] = v[i] / 2;
    }
    for (int t = 0; t < T; t++)
        for (int i = 0; i < D; i++) {
            double e = (double)v[t * D + i];
            for (int j = 0; j < D; j++)
                e -= s[i][j] * (double)k[t * D + j];
            for (int j = 0; j < D; j++)
                s[i][j] = s[i][j] / 2 + e * (double)k[t * D + j];
        }
    experiments_memory m = {
        .kernel = MN_DELTA, .dk = D, .dv = D, .beta = 2, .log_gate = -0.6931472f};
    assert_int_equal(experiments_read(out, &m, T, k, half, T, k), MN_OK);
    for (int t = 0; t < T; t++) /* the read decays once more: its token has a gate too */
        for (int i = 0; i < D; i++) {
            double sum = 0;
            for (int j = 0; j < D; j++)
                sum += s[i][j] * (double)k[t * D + j] / 2;
            assert_true(fabs(sum - (double)out[t * D + i]) < 1e-4);
        }
}

static void test_recall(void **state) { /* softmax reads every token; shuffled values give chance */
    (void)state;
    double out[RECALL_ROWS], sum = 0;
    recall_point p = {KEYS_ORTHONORMAL, 32, 24, 24};
    assert_true(recall_rows(out, &p, NULL, 0, test_seed("recall")));
    assert_true(out[STORE_LINEAR] >= 1 && out[STORE_VLA_LAYER] >= 1 && out[STORE_SOFTMAX] >= 1);
    assert_true(fabs(out[STORE_LINEAR] - out[STORE_LOGLINEAR]) < 1e-12);
    for (ulong n = 0; n < 20; n++) {
        assert_true(recall_rows(out, &p, NULL, 1, test_seed("recall") + n));
        sum += out[STORE_LINEAR] / 20;
    }
    assert_true(sum < 0.04);
}

/* Level by level, any weights give what the log-linear memory gives; where T = 2^k there is one level. */
static void test_levels(void **state) {
    (void)state;
    static const slong lengths[] = {1, 63, 64, 100, 511};
    exact_random r = {test_seed("levels")};
    for (int n = 0; n < 5; n++) {
        recall_point p = {KEYS_RANDOM, 16, lengths[n] < 8 ? 1 : 8, lengths[n], 1, n % 2};
        recall_tokens x;
        slong size = p.pairs * p.d;
        recall_draw(&x, &p, &r);
        for (slong i = 0; i < p.pairs; i++)
            assert_true(x.place[i] >= (i > 0 ? x.place[i - 1] + 1 : 0) && x.place[i] < p.length);
        float *level = malloc((size_t)((RECALL_LEVELS + 1) * size) * sizeof *level),
              *out = level + RECALL_LEVELS * size;
        experiments_memory m = {
            .kernel = MN_LOGLINEAR, .dk = p.d, .dv = p.d, .levels = RECALL_LEVELS};
        for (int l = 0; l < RECALL_LEVELS; l++)
            m.lambda[l] = (float)statistics_normal(&r);
        assert_true(recall_levels(level, &x, &p));
        assert_int_equal(experiments_read(out, &m, p.length, x.k, x.v, p.pairs, x.queries), MN_OK);
        for (slong i = 0; i < size; i++) {
            double sum = 0;
            for (int l = 0; l < RECALL_LEVELS; l++)
                sum += (double)m.lambda[l] * (double)level[l * size + i];
            assert_case(fabs(sum - (double)out[i]) < 1e-4, "levels", n);
        }
        free(level);
        recall_clear(&x);
    }
}

/* Places are uniform; T = 2^6: one level, of which the fit finds the weight and leaves the others. */
static void test_copy(void **state) {
    (void)state;
    recall_point p = {KEYS_RANDOM, 32, 16, 64, 1, 0};
    double lambda[RECALL_LEVELS], out[COPY_ROWS], place = 0, written = 0, not_written = 0;
    assert_true(recall_fit(lambda, &p, test_seed("copy")));
    for (ulong n = 0; n < 20; n++) {
        exact_random r = {test_seed("copy") + n};
        recall_tokens x;
        recall_draw(&x, &p, &r);
        for (slong i = 0; i < p.pairs; i++)
            place += (double)x.place[i] / (double)(20 * p.pairs);
        recall_clear(&x);
        p.ignored = 0;
        assert_true(recall_rows(out, &p, lambda, 0, test_seed("copy") + n));
        written += out[STORE_LINEAR] / 20;
        assert_true(fabs(out[STORE_FITTED] - out[STORE_LINEAR]) < 1e-12); /* one level: a number */
        assert_true(fabs(out[STORE_ONE_LEVEL] - out[STORE_LINEAR]) < 1e-12);
        p.ignored = 1;
        assert_true(recall_rows(out, &p, lambda, 0, test_seed("copy") + n));
        not_written += out[STORE_LINEAR] / 20;
    }
    assert_true(fabs(place - 31.5) < 5); /* deviation below 1.1 */
    assert_true(written < 0.9 && not_written > 0.98);
    for (int l = 0; l < RECALL_LEVELS; l++)
        assert_true(l == 7 ? lambda[l] > 1 : fabs(lambda[l] - 1) < 1e-12);
}

static void test_tables_text(void **state) {
    (void)state;
    json_t *claim = json_loads(
        "{\"checks\":[{\"numbers\":[{\"name\":\"t/a/x\",\"unit\":\"1\",\"value\":\"1/2\"},"
        "{\"name\":\"t/b/y\",\"unit\":\"1\",\"value\":\"3\"},"
        "{\"name\":\"other\",\"unit\":\"1\",\"value\":\"3\"}]}]}",
        0, NULL);
    char *text = report_write_tables(claim, 1);
    assert_string_equal(text,
                        "t\n\n|  | x | y |\n| --- | --- | --- |\n| a | 0.5 |  |\n| b |  | 3 |\n\n");
    free(text);
    json_decref(claim);
}

static void test_command(void **state) {
    (void)state;
    run_result r = run(MNEME " experiment");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "associative-recall "));
    assert_non_null(strstr(r.out, "selective-copy "));
    result_clear(&r);
    r = run(MNEME " list 'experiments.*'");
    assert_non_null(strstr(r.out, "; on request"));
    result_clear(&r);
    r = run(MNEME " experiment nothing");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "\"nothing\" is not an experiment"));
    result_clear(&r);
    r = run(MNEME " verify 'experiments.associative-recall/features'"); /* and its control */
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "2 passed, 0 failed, 0 skipped"));
    result_clear(&r);
    run_result again;
    const char *unit = " verify --unit experiments.lag-retrieval/zipf-long/0 | grep -v seconds";
    r = run("OMP_NUM_THREADS=1 " MNEME "%s", unit);
    again = run("OMP_NUM_THREADS=3 " MNEME "%s", unit);
    assert_true(strlen(r.out) > 100);
    assert_string_equal(r.out, again.out);
    result_clear(&r);
    result_clear(&again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lags),          cmocka_unit_test(test_memories),
        cmocka_unit_test(test_optimum),       cmocka_unit_test(test_fit),
        cmocka_unit_test(test_decaying_rule), cmocka_unit_test(test_recall),
        cmocka_unit_test(test_levels),        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_tables_text),   cmocka_unit_test(test_command)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

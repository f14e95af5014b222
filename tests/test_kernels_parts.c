/* Small parts: activations, feature maps, routing, the network of level weights; and the gate's exponential. */
#include "tests/kernels.h"

/* Units in the last place of the exact value between x and it. */
static double ulps(float x, const arb_t exact) {
    double y = exact_double_mid(exact), unit;
    int e;
    frexp(y, &e);
    unit = ldexp(1, e - 24 > -149 ? e - 24 : -149);
    return error_of(x, exact) / unit;
}

/* x := ln(1 + e^t), or e^t. */
static void exact_value(arb_t x, float t, bool softplus) {
    arb_set_d(x, (double)t);
    arb_exp(x, x, 300);
    if (softplus)
        arb_log1p(x, x, 300);
}

static void softplus(void **state) {
    (void)state;
    assert_true(mn_softplus(INFINITY) == INFINITY && mn_softplus(-INFINITY) == 0);
    assert_true(isnan(mn_softplus(NAN)));
    assert_true(mn_softplus(FLT_MAX) == FLT_MAX && mn_softplus(-FLT_MAX) == 0);
    exact_random r = {test_seed("parts.softplus")};
    arb_t exact;
    arb_init(exact);
    float before = 0;
    for (long i = 0; i < test_count(20000); i++) {
        float x = uniform(&r, -110, 110);
        exact_value(exact, x, true);
        assert_case(ulps(mn_softplus(x), exact) <= 1, "parts.softplus", i);
        float y = mn_softplus(-110 + 0.01f * (float)i);
        assert_case(y >= before, "parts.softplus", i);
        before = y;
    }
    arb_clear(exact);
}

static void elu1(void **state) {
    (void)state;
    float x[] = {0, -0.0f, 1, -1, 1e30f, -1e30f, INFINITY, -INFINITY, -1e-30f, -103.5f};
    float want[] = {1, 1, 2, 0.36787944f, 1e30f, 0, INFINITY, 0, 1, 0};
    mn_elu1(10, x, x);
    for (int i = 0; i < 9; i++)
        assert_true(x[i] == want[i]);
    assert_true(x[9] > 0 && x[9] < 1e-44f); /* denormal, not flushed */
    float nan = NAN;
    mn_elu1(1, &nan, &nan);
    assert_true(isnan(nan));
    mn_elu1(0, NULL, NULL);
}

static void normalise(void **state) {
    (void)state;
    float x[] = {3e38f, 4e37f,  1e38f,  0, 0,       0, 0x1p-149f, 0,
                 0,     1e-45f, 2e-45f, 0, -1e-30f, 0, 1e-30f};
    mn_normalise(5, 3, x, x);
    for (int row = 0; row < 5; row++) {
        double sum = 0;
        for (int i = 0; i < 3; i++)
            sum += (double)x[3 * row + i] * (double)x[3 * row + i];
        assert_true(row == 1 ? sum == 0 : fabs(sum - 1) < 1e-6);
    }
    assert_true(x[6] == 1 && x[12] == -x[14]);
    exact_random r = {test_seed("parts.normalise")};
    float y[7], z[7];
    for (long i = 0; i < test_count(1000); i++) {
        double size = pow(10, uniform(&r, -44, 38));
        for (int j = 0; j < 7; j++)
            y[j] = (float)(size * (double)uniform(&r, -1, 1));
        mn_normalise(1, 7, y, z);
        arb_t sum, exact;
        arb_init(sum), arb_init(exact);
        for (int j = 0; j < 7; j++) {
            arb_set_d(exact, (double)y[j]);
            arb_addmul(sum, exact, exact, 200);
        }
        arb_sqrt(sum, sum, 200);
        for (int j = 0; j < 7 && arb_is_positive(sum); j++) {
            arb_set_d(exact, (double)y[j]);
            arb_div(exact, exact, sum, 200);
            assert_case(ulps(z[j], exact) <= 0.5001, "parts.normalise", i);
        }
        arb_clear(sum), arb_clear(exact);
    }
}

/* A normal number, from twelve uniform ones' better: Box and Muller. */
static float normal(exact_random *r) {
    double u = ((double)(exact_random_next(r) >> 11) + 1) * 0x1p-53,
           v = (double)(exact_random_next(r) >> 11) * 0x1p-53;
    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

static void random_features(void **state) {
    (void)state;
    enum { DIM = 8, FEATURES = 4096 };
    static float omega[FEATURES * DIM], y[2 * FEATURES];
    exact_random r = {test_seed("parts.features")};
    float x[2 * DIM];
    double mean = 0, square = 0, dot = 0;
    for (int i = 0; i < 2 * DIM; i++)
        x[i] = uniform(&r, -0.4, 0.4);
    for (int i = 0; i < DIM; i++)
        dot += (double)x[i] * (double)x[DIM + i];
    int rounds = 16;
    for (int n = 0; n < rounds; n++) {
        for (int i = 0; i < FEATURES * DIM; i++)
            omega[i] = normal(&r);
        mn_random_features(2, DIM, FEATURES, omega, x, y);
        double sum = 0;
        for (int i = 0; i < FEATURES; i++) {
            assert_true(y[i] > 0 && isfinite(y[i]));
            sum += (double)y[i] * (double)y[FEATURES + i];
        }
        mean += sum / rounds, square += sum * sum / rounds;
    }
    double error = sqrt((square - mean * mean) / (rounds - 1));
    assert_case(fabs(mean - exp(dot)) < 5 * error, "parts.features", 0);
    assert_case(error < 0.05 * exp(dot), "parts.features", 1);
    float zero[DIM] = {0};
    mn_random_features(1, DIM, FEATURES, omega, zero, y);
    assert_true(y[0] == 1.0f / 64); /* 4096^(-1/2) */
}

static void route(void **state) {
    (void)state;
    static const float inputs[] = {-INFINITY, -FLT_MAX, -100, -1,  -1e-40f, 0,
                                   1e-40f,    0.3f,     1,    100, FLT_MAX, INFINITY};
    enum { N = sizeof inputs / sizeof *inputs };
    exact_random r = {test_seed("parts.route")};
    for (long i = 0; i < test_count(400); i++) {
        float delta = uniform(&r, 0.001, 0.999), we = i % 7 ? uniform(&r, 0, 5) : 0,
              wn = i % 5 ? uniform(&r, 0, 5) : 0, bias = uniform(&r, -3, 3);
        for (int e = 0; e < N; e++)
            for (int n = 0; n < N; n++) {
                float a = mn_route(inputs[e], inputs[n], delta, we, wn, bias);
                assert_case(a >= delta && a <= 1, "parts.route", i);
                bool undecided = we > 0 && wn > 0 && isinf(inputs[e]) && isinf(inputs[n]);
                if (e > 0 && !undecided && !(we > 0 && wn > 0 && isinf(inputs[n])))
                    assert_case(a <= mn_route(inputs[e - 1], inputs[n], delta, we, wn, bias),
                                "parts.route", i);
                if (n > 0 && !undecided && !(we > 0 && wn > 0 && isinf(inputs[e])))
                    assert_case(a >= mn_route(inputs[e], inputs[n - 1], delta, we, wn, bias),
                                "parts.route", i);
            }
    }
    assert_true(mn_route(NAN, 0, 0.25f, 1, 1, 0) == 0.25f);
    assert_true(mn_route(0, 0, 0.25f, 1, 1, NAN) == 0.25f);
    assert_true(mn_route(INFINITY, INFINITY, 0.25f, 1, 1, 0) == 0.25f);
    assert_true(mn_route(INFINITY, 0, 0.5f, 0, 1, 0) == 0.75f);
    assert_true(mn_route(0, 0, 0.5f, 1, 1, 0) == 0.75f);
}

static void nearest_bank(void **state) {
    (void)state;
    static const float orders[] = {0.25f, 0.75f, 0.5f, 0.75f, 1};
    assert_int_equal(mn_nearest_bank(0.5f, 5, orders), 2);
    assert_int_equal(mn_nearest_bank(0.375f, 5, orders), 0); /* ties: the first */
    assert_int_equal(mn_nearest_bank(0.625f, 5, orders), 1);
    assert_int_equal(mn_nearest_bank(0.875f, 5, orders), 1);
    assert_int_equal(mn_nearest_bank(-INFINITY, 5, orders), 0);
    assert_int_equal(mn_nearest_bank(2, 5, orders), 4);
    assert_int_equal(mn_nearest_bank(NAN, 5, orders), 0);
    assert_int_equal(mn_nearest_bank(0.1f, 1, orders), 0);
}

static void lambda_mlp(void **state) {
    (void)state;
    enum { L = 7, W = 5 };
    exact_random r = {test_seed("parts.mlp")};
    float d[2 * L], w1[L * W], b1[W], w2[W * L], b2[L], out[2 * L];
    for (int size = 0; size < 4; size++)
        for (int softplus = 0; softplus < 2; softplus++) {
            double s = (double[]){1, 1e10, 1e20, 3e38}[size];
            for (int i = 0; i < L * W; i++)
                w1[i] = (float)(s * (double)uniform(&r, -1, 1)),
                w2[i] = (float)(s * (double)uniform(&r, -1, 1));
            for (int i = 0; i < 2 * L; i++)
                d[i] = (float)(s * (double)uniform(&r, -1, 1));
            for (int i = 0; i < W; i++)
                b1[i] = uniform(&r, -1, 1);
            for (int i = 0; i < L; i++)
                b2[i] = uniform(&r, -1, 1);
            assert_int_equal(
                mn_lambda_mlp(2, L, W, d, w1, size % 2 ? b1 : NULL, softplus, w2, b2, out), MN_OK);
            for (int x = 0; x < 2 * L; x++) {
                assert_true(isfinite(out[x]) && out[x] >= 0);
                if (size)
                    continue;
                double z = (double)b2[x % L];
                for (int i = 0; i < W; i++) {
                    double h = 0;
                    for (int l = 0; l < L; l++)
                        h += (double)d[x / L * L + l] * (double)w1[l * W + i];
                    if (softplus)
                        h = log1p(exp(h));
                    z += h * (double)w2[i * L + x % L];
                }
                assert_true(fabs((double)out[x] - log1p(exp(z))) < 1e-6 * (1 + fabs(z)));
            }
        }
    assert_int_equal(mn_lambda_mlp(-1, L, W, d, w1, b1, 0, w2, b2, out), MN_BAD_SHAPE);
    assert_int_equal(mn_lambda_mlp(1, 65, W, d, w1, b1, 0, w2, b2, out), MN_BAD_SHAPE);
    assert_int_equal(mn_lambda_mlp(1, L, W, d, NULL, b1, 0, w2, b2, out), MN_BAD_ARGUMENT);
    assert_int_equal(mn_lambda_mlp(1, L, W, d, w1, b1, 0, w2, NULL, out), MN_BAD_ARGUMENT);
    assert_int_equal(mn_lambda_mlp(0, L, W, NULL, NULL, NULL, 0, NULL, NULL, NULL), MN_OK);
    assert_int_equal(mn_lambda_mlp(1, L, 0, d, NULL, NULL, 0, NULL, b2, out), MN_OK);
}

/* Gates per key on a state of ones give e^g itself: 1.5 ulp + 2^-149 on vectors, denormal numbers too; e^0 = 1. */
static void gates(void **state) {
    (void)state;
    enum { N = 4096 };
    static float g[N], k[N], q[N], v[1], o[1];
    static _Alignas(8) float in[N], out[N];
    exact_random r = {test_seed("parts.gates")};
    arb_t exact;
    arb_init(exact);
    static char workspace[1 << 23];
    double worst = 0;
    for (long i = 0; i < test_count(8); i++)
        for (mn_isa isa = MN_GENERIC; isa < MN_ISAS; isa++) {
            if (!mn_isa_usable(isa))
                continue;
            for (int j = 0; j < N; j++)
                g[j] = uniform(&r, -106, 0), in[j] = 1;
            g[0] = 0, g[1] = -INFINITY, g[2] = -FLT_MAX, g[3] = -0x1p-149f;
            mn_args a = {.kernel = MN_LINEAR,
                         .batch = 1,
                         .time = 1,
                         .heads = 1,
                         .dk = N,
                         .dv = 1,
                         .q = {q},
                         .k = {k},
                         .v = {v},
                         .o = {o},
                         .gate_keys = {g},
                         .isa = isa,
                         .state_in = in,
                         .state_out = out,
                         .threads = 1,
                         .workspace = workspace,
                         .workspace_size = sizeof workspace};
            assert_int_equal(mn_run(&a, MN_STEP, NULL), MN_OK);
            assert_true(out[0] == 1 && out[1] == 0 && out[2] == 0 && out[3] == 1);
            for (int j = 3; j < N; j++) {
                exact_value(exact, g[j], false);
                double error = (error_of(out[j], exact) - 0x1p-149) / exact_double_mid(exact);
                worst = fmax(worst, error * 0x1p24);
                assert_case(error <= 3 * 0x1p-24, "parts.gates", i);
            }
        }
    printf("e^g: largest error %.2f of 3 u\n", worst);
    arb_clear(exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softplus),        cmocka_unit_test(elu1),  cmocka_unit_test(normalise),
        cmocka_unit_test(random_features), cmocka_unit_test(route), cmocka_unit_test(nearest_bank),
        cmocka_unit_test(lambda_mlp),      cmocka_unit_test(gates),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

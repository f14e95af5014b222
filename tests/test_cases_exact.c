/* Inputs on which exact layers and fits of this kind have failed: cutoff loops at integer orders, wide inputs, threads, GSL's
 * error handler, kernels that no sum of exponentials fits. */
#include <gsl/gsl_errno.h>
#include <math.h>

#include "numerics/exact/enclosure.h"
#include "numerics/exact/gauss.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/soe_refit.h"
#include "tests/kernels.h"
#include "tests/process.h"
#include "theorems/experiments/lag/lag.h"
#include "theorems/experiments/recall/recall.h"
#include "theorems/experiments/texts/mi.h"

/* ---- cutoff loops ---- */

/* w_j of orders at which a loop "until the weight is small" never ends or divides by zero: they end, and are exact. */
static void case_cutoff_loops(void **state) {
    (void)state;
    static const struct {
        const char *order, *weight[5], *far; /* w_0 ... w_4; w_j at j = 10^6 where it is short */
    } cases[] = {{"0", {"1", "0", "0", "0", "0"}, "0"},
                 {"1", {"1", "1", "1", "1", "1"}, "1"},
                 {"2", {"1", "2", "3", "4", "5"}, "1000001"},
                 {"-1/2", {"1", "-1/2", "-1/8", "-1/16", "-5/128"}, NULL},
                 {"-1", {"1", "-1", "0", "0", "0"}, "0"}};
    enum { N = 2000 };
    fmpq_t order, w;
    fmpz_t first;
    arb_t ball;
    fmpq_init(order), fmpq_init(w), fmpz_init(first), arb_init(ball);
    fmpq *vec = _fmpq_vec_init(N);
    arb_ptr run_of = _arb_vec_init(N);
    mpfr_ptr mpfr = malloc(N * sizeof *mpfr);
    for (int j = 0; j < N; j++)
        mpfr_init2(mpfr + j, 53);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_q(order, cases[i].order);
        fmpz_zero(first);
        exact_gl_rational_vec(vec, order, N);
        exact_gl_ball_vec(run_of, order, first, N, 128);
        exact_gl_mpfr_vec(mpfr, order, first, N, 53);
        for (slong j = 0; j < N; j++) {
            if (j < 5) {
                set_q(w, cases[i].weight[j]);
                assert_case(fmpq_equal(w, vec + j), "cases.cutoff", i);
                exact_gl_rational(w, order, (ulong)j);
                assert_case(fmpq_equal(w, vec + j), "cases.cutoff", i);
            }
            fmpz_set_si(first, j);
            exact_gl_ball(ball, order, first, 128);
            assert_case(arb_contains_fmpq(ball, vec + j), "cases.cutoff", i);
            assert_case(arb_contains_fmpq(run_of + j, vec + j), "cases.cutoff", i);
            /* integer orders: weights that vanish are 0, and all are rounded to themselves */
            if (fmpz_is_one(fmpq_denref(order))) {
                assert_case(!fmpq_is_zero(vec + j) ||
                                (arb_is_zero(ball) && arb_is_zero(run_of + j)),
                            "cases.cutoff", i);
                assert_case(mpfr_get_d(mpfr + j, MPFR_RNDN) == fmpq_get_d(vec + j), "cases.cutoff",
                            i);
            }
        }
        if (cases[i].far) {
            exact_gl_rational(w, order, 1000000);
            set_q(vec, cases[i].far);
            assert_case(fmpq_equal(w, vec), "cases.cutoff", i);
        }
        run_result r =
            run("timeout 20 " MNEME " weights --alpha=%s --count 5 --exact | cut -d' ' -f2",
                cases[i].order);
        char want[100] = "";
        for (int j = 0; j < 5; j++)
            strcat(strcat(want, cases[i].weight[j]), "\n");
        assert_int_equal(r.status, 0);
        assert_string_equal(r.out, want);
        result_clear(&r);
        r = run("timeout 20 " MNEME " weights --alpha=%s --from 1e15 --count 3 --digits 20",
                cases[i].order);
        assert_int_equal(r.status, 0);
        assert_int_equal(line_count(r.out), 3);
        result_clear(&r);
    }
    for (int j = 0; j < N; j++)
        mpfr_clear(mpfr + j);
    free(mpfr);
    _arb_vec_clear(run_of, N), _fmpq_vec_clear(vec, N);
    fmpq_clear(order), fmpq_clear(w), fmpz_clear(first), arb_clear(ball);
}

/* ---- wide input ---- */

/* alpha known as 0.5 +- 1e-3: undecided at any precision, in a comparison and in a check, never a pass; 1.1 is 11/10. */
static void case_wide_input(void **state) {
    (void)state;
    enclosure_t alpha, half;
    arb_t ball;
    arf_t margin;
    fmpq_t q, tenths;
    enclosure_init(alpha), enclosure_init(half), arb_init(ball), arf_init(margin);
    fmpq_init(q), fmpq_init(tenths);
    arb_set_d(ball, 0.5);
    mag_set_d(arb_radref(ball), 1e-3);
    enclosure_set_ball(alpha, ball);
    fmpq_set_si(q, 1, 2);
    enclosure_set_rational(half, q);
    for (slong prec = 53; prec <= 4096; prec *= 2)
        for (int rel = RELATION_LT; rel <= RELATION_GT; rel++) {
            assert_int_equal(enclosure_compare(margin, alpha, (relation)rel, half, prec),
                             TRUTH_UNDECIDED);
            assert_int_equal(enclosure_compare(margin, half, (relation)rel, alpha, prec),
                             TRUTH_UNDECIDED);
        }
    set_q(q, "1.1"), fmpq_set_si(tenths, 11, 10);
    assert_true(fmpq_equal(q, tenths));
    enclosure_clear(alpha), enclosure_clear(half), arb_clear(ball), arf_clear(margin);
    fmpq_clear(q), fmpq_clear(tenths);
    run_result r = run(FAULTY " verify --time-limit 20 faulty/wide-input");
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "undecided: alpha < 1/2"));
    assert_non_null(strstr(r.out, "0 passed, 1 failed, 0 skipped"));
    result_clear(&r);
    r = run(MNEME " weights --alpha 1.1 --count 2 --exact");
    assert_string_equal(r.out, "0 1\n1 11/10\n");
    result_clear(&r);
}

/* ---- threads ---- */

/* The references' balls, by double-doubles and by balls alone, on 1 and 8 threads: the same bits.  What threads keep for
 * themselves (constants of MPFR and FLINT) they free: this runs under AddressSanitizer too. */
static void case_threads_and_balls(void **state) {
    (void)state;
    for (int i = 0; i < 2 * MN_KERNELS; i++) {
        exact_random r = {test_seed("cases.balls") + (uint64_t)i};
        kernel_case c;
        reference_t one, eight;
        shape s = everything(i % MN_KERNELS, 30, 5, 4);
        s.heads = 8, s.kv_heads = 4;
        make_case(&c, &s, &r);
        reference_init(one), reference_init(eight);
        const reference_options balls = {.path = REFERENCE_BALLS},
                                *o = i < MN_KERNELS ? NULL : &balls;
        c.a.threads = 1;
        assert_int_equal(reference_attention_with(one, &c.a, o), REFERENCE_OK);
        c.a.threads = 8;
        assert_int_equal(reference_attention_with(eight, &c.a, o), REFERENCE_OK);
        assert_true(one->precision == eight->precision);
        for (slong x = 0; x < one->rows * one->width; x++)
            assert_case(arb_equal(one->o + x, eight->o + x), "cases.balls", i);
        for (slong x = 0; one->divisor && x < one->rows; x++)
            assert_case(arb_equal(one->divisor + x, eight->divisor + x), "cases.balls", i);
        for (slong x = 0; one->state && x < one->states; x++)
            assert_case(arb_equal(one->state + x, eight->state + x), "cases.balls", i);
        reference_clear(one), reference_clear(eight), clear_case(&c);
    }
}

/* ---- GSL's error handler ---- */

static int handled;
static void own_handler(const char *reason, const char *file, int line, int error) {
    (void)reason, (void)file, (void)line, (void)error;
    handled++;
}

static void rule(const char *a, slong n, gauss_status status) {
    gauss_weight_t w;
    arb_ptr node = _arb_vec_init(5), weight = _arb_vec_init(5);
    exact_gauss_weight_init(w, GAUSS_LAGUERRE);
    set_q(w->a, a);
    assert_int_equal(exact_gauss_rule(node, weight, w, n, 64), status);
    exact_gauss_weight_clear(w);
    _arb_vec_clear(node, 5), _arb_vec_clear(weight, 5);
}

/* A curve of mutual information at those lags, 1% of errors, the same in each block. */
typedef struct {
    slong lag[100], lags;
    double bits[100], error[100], left_out[MI_BLOCKS * 100];
    mi_curve c;
} curve;
static void make_curve(curve *x, slong most, double (*value)(double lag)) {
    x->lags = mi_lags(x->lag, most);
    for (slong i = 0; i < x->lags; i++) {
        x->bits[i] = value((double)x->lag[i]);
        x->error[i] = 0.01 * fabs(x->bits[i]) + 1e-7;
    }
    for (int b = 0; b < MI_BLOCKS; b++)
        for (slong i = 0; i < x->lags; i++)
            x->left_out[b * x->lags + i] = x->bits[i] + 1e-5 * x->error[i] * (b % 7 - 3);
    x->c = (mi_curve){x->lags, x->lag, x->bits, NULL, x->error, x->left_out, 0};
}
static double not_a_number(double lag) {
    return lag > 20 ? (double)NAN : 1;
}

/* What fails in GSL is a status, the process lives, and the caller's own handler is neither called nor lost. */
static void case_gsl_error_handler(void **state) {
    (void)state;
    gsl_error_handler_t *before = gsl_set_error_handler(own_handler);
    handled = 0;
    rule("1/2", 5, GAUSS_OK);
    rule("1/2", 0, GAUSS_BAD_ARGUMENT);
    rule("1e100", 5, GAUSS_NOT_SEPARATED); /* one double for all starting values */
    rule("1e400", 5, GAUSS_NOT_SEPARATED); /* none: a matrix of infinities */
    curve x;
    mi_fits fits;
    make_curve(&x, 100, not_a_number);
    assert_true(mi_fit_laws(&fits, &x.c, 1));
    /* a fit on keys without any value: no slope anywhere, "no progress" at the first step */
    double lambda[RECALL_LEVELS];
    recall_point p = {KEYS_RANDOM, 16, 1, 1, 1, 1};
    recall_fit(lambda, &p, test_seed("cases.handler"));
    lag_task task;
    lag_sequence s[2];
    double theta[LAG_PARAMETERS];
    lag_task_init(&task, LAW_UNIFORM, SIZE_SHORT);
    task.training = 1;
    lag_sequence_draw(s, &task, 0, test_seed("cases.handler"));
    lag_start(theta, FAMILY_ONE, task.length);
    assert_true(isfinite(lag_fit(theta, FAMILY_ONE, &task, s, task.width)));
    experiments_memory m = {.kernel = MN_DELTA, .dk = task.width, .dv = task.labels};
    assert_true(isfinite(lag_fit_memory(&m, &task, s)));
    lag_sequence_clear(s), lag_task_clear(&task);
    assert_true(gsl_set_error_handler(before) == own_handler);
    assert_int_equal(handled, 0);
}

/* ---- kernels that no sum of exponentials fits ---- */

static double bump(double t) {
    return exp(-t / 3) + exp(-(t - 40) * (t - 40) / 8);
}

/* k(t) = e^(-t/3) + e^(-(t-40)^2/8), fitted by one and two exponentials, with and without a floor: each law says by what
 * fraction it is off, and that is not small; the best of them is no law either. */
static void case_delayed_bump(void **state) {
    (void)state;
    curve x;
    mi_fits f;
    make_curve(&x, 100, bump);
    assert_true(mi_fit_laws(&f, &x.c, 1));
    for (int law = 0; law < MI_LAWS; law++) {
        double worst = 0;
        for (slong i = 0; i < x.lags; i++)
            worst =
                fmax(worst, fabs(mi_law_value((mi_law)law, f.fit[law].parameter, (double)x.lag[i]) -
                                 x.bits[i]));
        assert_case(worst > 0.3, "cases.bump", law); /* the bump is 1 high */
        assert_case(f.fit[law].misfit > 0.3 && f.fit[law].misfit_low > 0.1, "cases.bump", law);
    }
    /* best weights for rates of which none is slow: the error of t^(-1/2) on [1,1000] is certified to be nearly all of it */
    soe_kernel_t kernel;
    soe_sum_t sum;
    soe_bound_t bound;
    fmpz_t horizon;
    fmpq_t order;
    arf_t lower;
    fmpz_init_set_ui(horizon, 1000);
    fmpq_init(order), arf_init(lower);
    fmpq_set_si(order, 1, 2);
    soe_kernel_init(kernel, SOE_KERNEL_POWER, order);
    soe_sum_init(sum, 2, SOE_RATE);
    soe_bound_init(bound);
    fmpq_set_si(sum->mode, 1, 3), fmpq_set_si(sum->mode + 1, 10, 1);
    soe_status status = soe_refit(sum, lower, kernel, horizon);
    assert_true(status == SOE_OK || status == SOE_WIDE);
    assert_int_equal(soe_certify(bound, kernel, sum, horizon, SOE_RELATIVE, 0, 1e-3, 128), SOE_OK);
    assert_true(arf_cmp_d(bound->lower, 0.9) > 0 && arf_cmp(lower, bound->upper) <= 0);
    soe_bound_clear(bound), soe_sum_clear(sum), soe_kernel_clear(kernel);
    arf_clear(lower), fmpq_clear(order), fmpz_clear(horizon);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_cutoff_loops),      cmocka_unit_test(case_wide_input),
        cmocka_unit_test(case_threads_and_balls), cmocka_unit_test(case_gsl_error_handler),
        cmocka_unit_test(case_delayed_bump),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

/* Sums of exponentials: certified suprema against brute force, and the constructions. */
#include "tests/testing.h"

#include "numerics/exact/gl.h"
#include "numerics/exact/soe.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* [low, high] := what is known of max |error| over a set, one point at a time. */
typedef struct {
    arf_t low, high;
} extremum;

static void extremum_init(extremum *e) {
    arf_init(e->low);
    arf_init(e->high);
}

static void extremum_clear(extremum *e) {
    arf_clear(e->low);
    arf_clear(e->high);
}

static void extremum_note(extremum *e, const arb_t error) {
    arf_t x;
    arf_init(x);
    arb_get_abs_lbound_arf(x, error, 64);
    if (arf_cmp(x, e->low) > 0)
        arf_set(e->low, x);
    arb_get_abs_ubound_arf(x, error, 64);
    if (arf_cmp(x, e->high) > 0)
        arf_set(e->high, x);
    arf_clear(x);
}

/* error := K(t) - sum(t), divided by K(t) when relative, straight from the definition. */
static void error_at(arb_t error, const soe_kernel_t kernel, const soe_sum_t sum, soe_error kind,
                     const arf_t t, slong prec) {
    arb_t k, x, c;
    arb_init(k);
    arb_init(x);
    arb_init(c);
    if (kernel->kind == SOE_KERNEL_GL) {
        fmpz_t j;
        fmpz_init(j);
        arf_get_fmpz(j, t, ARF_RND_DOWN);
        exact_gl_ball(k, kernel->order, j, prec);
        fmpz_clear(j);
    } else {
        arb_set_fmpq(c, kernel->order, prec);
        arb_set_arf(x, t);
        arb_log(x, x, prec);
        arb_mul(x, x, c, prec);
        arb_neg(x, x);
        arb_exp(k, x, prec);
    }
    arb_set(error, k);
    for (slong s = 0; s < sum->terms; s++) {
        arb_set_fmpq(x, sum->mode + s, prec);
        if (sum->form == SOE_NODE) {
            arb_log(x, x, prec);
            arb_neg(x, x);
        }
        arb_mul_arf(x, x, t, prec);
        arb_neg(x, x);
        arb_exp(x, x, prec);
        arb_set_fmpq(c, sum->weight + s, prec);
        arb_submul(error, c, x, prec);
    }
    if (kind == SOE_RELATIVE)
        arb_div(error, error, k, prec);
    arb_clear(k);
    arb_clear(x);
    arb_clear(c);
}

/* The same at every integer of first..last, by products. */
static void brute_force(extremum *e, const soe_kernel_t kernel, const soe_sum_t sum, soe_error kind,
                        ulong first, ulong last, slong prec) {
    slong n = sum->terms;
    arb_ptr node = _arb_vec_init(n), power = _arb_vec_init(n), w = _arb_vec_init((slong)last + 1);
    arb_t x;
    fmpz_t zero;
    arb_init(x);
    fmpz_init(zero);
    exact_gl_ball_vec(w, kernel->order, zero, (slong)last + 1, prec);
    for (slong s = 0; s < n; s++) {
        arb_set_fmpq(node + s, sum->mode + s, prec);
        if (sum->form == SOE_RATE) {
            arb_neg(node + s, node + s);
            arb_exp(node + s, node + s, prec);
        }
        arb_set_fmpq(power + s, sum->weight + s, prec);
    }
    for (ulong j = 0; j <= last; j++) {
        if (j >= first) {
            arb_set(x, w + j);
            for (slong s = 0; s < n; s++)
                arb_sub(x, x, power + s, prec);
            if (kind == SOE_RELATIVE)
                arb_div(x, x, w + j, prec);
            extremum_note(e, x);
        }
        for (slong s = 0; s < n; s++)
            arb_mul(power + s, power + s, node + s, prec);
    }
    _arb_vec_clear(node, n);
    _arb_vec_clear(power, n);
    _arb_vec_clear(w, (slong)last + 1);
    arb_clear(x);
    fmpz_clear(zero);
}

/* upper >= max >= lower, as close together as status says, attained at a point of the domain. */
static void assert_bound(const soe_bound_t bound, soe_status status, double width,
                         const soe_kernel_t kernel, const soe_sum_t sum, soe_error kind,
                         const fmpz_t horizon, const char *name, long number) {
    assert_case(status == SOE_OK || status == SOE_WIDE, name, number);
    assert_case(arf_is_finite(bound->lower) && !arf_is_nan(bound->upper), name, number);
    assert_case(arf_sgn(bound->lower) >= 0, name, number);
    assert_case(arf_cmp(bound->lower, bound->upper) <= 0, name, number);
    arf_t limit;
    arf_init(limit);
    arf_set_d(limit, 1 + width);
    arf_mul(limit, limit, bound->lower, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (status == SOE_OK)
        assert_case(arf_cmp(bound->upper, limit) <= 0, name, number);
    arf_clear(limit);
    if (arf_sgn(bound->lower) > 0) {
        arb_t error;
        arb_init(error);
        assert_case(arf_cmp_si(bound->at, 1) >= 0, name, number);
        fmpz_t at;
        fmpz_init(at);
        arf_get_fmpz(at, bound->at, ARF_RND_CEIL);
        assert_case(fmpz_cmp(at, horizon) <= 0, name, number);
        assert_case(kernel->kind == SOE_KERNEL_POWER || arf_is_int(bound->at), name, number);
        error_at(error, kernel, sum, kind, bound->at, bound->prec + 200);
        arf_t value;
        arf_init(value);
        arb_get_abs_ubound_arf(value, error, 64);
        assert_case(arf_cmp(value, bound->lower) >= 0, name, number);
        arf_clear(value);
        fmpz_clear(at);
        arb_clear(error);
    }
}

/* Certify and compare with all integers of 1..horizon; the precision of the brute force must
   resolve the error. */
static void check_sum(const fmpq_t alpha, const soe_sum_t sum, soe_error kind, ulong horizon,
                      double width, int want_ok, const char *name, long number) {
    soe_kernel_t kernel;
    soe_bound_t bound;
    fmpz_t t;
    extremum e;
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_bound_init(bound);
    fmpz_init_set_ui(t, horizon);
    extremum_init(&e);
    soe_status status = soe_certify(bound, kernel, sum, t, kind, 0, width, 64);
    assert_bound(bound, status, width, kernel, sum, kind, t, name, number);
    if (want_ok)
        assert_case(status == SOE_OK, name, number);
    brute_force(&e, kernel, sum, kind, 1, horizon, 200);
    assert_case(arf_cmp(bound->upper, e.low) >= 0, name, number);
    assert_case(arf_cmp(bound->lower, e.high) <= 0, name, number);
    soe_kernel_clear(kernel);
    soe_bound_clear(bound);
    fmpz_clear(t);
    extremum_clear(&e);
}

static const char *const orders[] = {"1/2", "1/100", "99/100", "3/10", "1"};

/* Fails if any integer exceeds the certified bound, or the bound exceeds all of them. */
static void methods_against_all_integers(void **state) {
    (void)state;
    static const ulong horizons[] = {1, 2, 1023, 1024, 1025, 1026, 3000, 5000};
    fmpq_t alpha;
    fmpz_t t;
    soe_sum_t sum;
    fmpq_init(alpha);
    fmpz_init(t);
    long number = 0;
    for (size_t a = 0; a < 5; a++)
        for (int m = 0; m < SOE_METHODS; m++)
            for (int kind = 0; kind < 2; kind++, number++) {
                soe_design design;
                ulong horizon = horizons[(size_t)number % 8];
                slong terms = 1 + number % 12;
                set_q(alpha, orders[a]);
                fmpz_set_ui(t, horizon);
                soe_sum_init(sum, 0, SOE_RATE);
                soe_error error = kind ? SOE_RELATIVE : SOE_ABSOLUTE;
                assert_case(soe_design_terms(sum, &design, (soe_method)m, alpha, t, error, terms,
                                             100) == SOE_OK,
                            "methods", number);
                if (!fmpq_is_one(alpha))
                    assert_case(sum->terms == terms, "methods", number);
                check_sum(alpha, sum, error, horizon, number % 2 ? 1e-2 : 1e-4, 1, "methods",
                          number);
                soe_sum_clear(sum);
            }
    fmpq_clear(alpha);
    fmpz_clear(t);
}

/* Fails if signs, nodes, a rate of 0, weights of 0, fast modes or an empty sum are mistreated. */
static void random_sums(void **state) {
    (void)state;
    exact_random r = {test_seed("random_sums")};
    fmpq_t alpha;
    soe_sum_t sum;
    fmpq_init(alpha);
    long n = test_count(60);
    for (long i = 0; i < n; i++) {
        slong terms = exact_random_integer(&r, 0, 5);
        soe_sum_init(sum, terms, i % 2 ? SOE_NODE : SOE_RATE);
        for (slong s = 0; s < terms; s++) {
            exact_random_rational(sum->weight + s, &r, i % 3 ? 10 : 1000);
            if (exact_random_integer(&r, 0, 4) == 0)
                fmpq_zero(sum->weight + s);
            slong q = exact_random_integer(&r, 1, i % 4 ? 5000 : 20);
            slong p = exact_random_integer(&r, sum->form == SOE_NODE, q);
            if (exact_random_integer(&r, 0, 3) == 0) /* slow ones: rate 0 or near, node 1 or near */
                p = sum->form == SOE_NODE ? q - exact_random_integer(&r, 0, q > 1)
                                          : exact_random_integer(&r, 0, 1);
            fmpq_set_si(sum->mode + s, p, (ulong)q);
            fmpq_canonicalise(sum->mode + s);
            if (sum->form == SOE_RATE && i % 5 == 0)
                fmpq_mul_2exp(sum->mode + s, sum->mode + s, 8);
        }
        set_q(alpha, orders[exact_random_integer(&r, 0, 4)]);
        ulong horizon = (ulong)exact_random_integer(&r, 1, i % 3 ? 1500 : 5000);
        /* alpha = 1 and a sum that is 1 has error 0, which no width reaches */
        check_sum(alpha, sum, i % 4 < 2 ? SOE_ABSOLUTE : SOE_RELATIVE, horizon, 1e-3,
                  !fmpq_is_one(alpha), "random_sums", i);
        soe_sum_clear(sum);
    }
    /* the empty sum: sup = w_1 = alpha */
    soe_sum_init(sum, 0, SOE_NODE);
    for (int a = 0; a < 5; a++) {
        set_q(alpha, orders[a]);
        check_sum(alpha, sum, SOE_ABSOLUTE, 4000, 1e-6, 1, "empty", a);
        check_sum(alpha, sum, SOE_RELATIVE, 4000, 1e-6, 1, "empty", a);
    }
    soe_sum_clear(sum);
    fmpq_clear(alpha);
}

/* Fails if an error far below the starting precision is taken for 0 or for its rounding. */
static void small_errors(void **state) {
    (void)state;
    fmpq_t alpha;
    soe_sum_t sum;
    fmpq_init(alpha);
    set_q(alpha, "1/2");
    soe_sum_init(sum, 0, SOE_RATE);
    /* 30 Jacobi points: exact up to j = 60 but for rounding to 150 bits */
    assert_int_equal(soe_from_gauss(sum, SOE_JACOBI, alpha, 30, 150), SOE_OK);
    check_sum(alpha, sum, SOE_ABSOLUTE, 60, 1e-2, 1, "small_errors", 0);
    check_sum(alpha, sum, SOE_RELATIVE, 60, 1e-2, 1, "small_errors", 1);
    soe_kernel_t kernel;
    soe_bound_t bound;
    fmpz_t t;
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_bound_init(bound);
    fmpz_init_set_ui(t, 60);
    assert_int_equal(soe_certify(bound, kernel, sum, t, SOE_ABSOLUTE, 0, 1e-2, 64), SOE_OK);
    assert_true(arf_cmpabs_2exp_si(bound->upper, -130) < 0);
    fmpz_set_ui(t, 61); /* one further and the rule is a rule: off by the norm h_30 or so */
    assert_int_equal(soe_certify(bound, kernel, sum, t, SOE_ABSOLUTE, 0, 1e-2, 64), SOE_OK);
    assert_true(arf_cmpabs_2exp_si(bound->lower, -130) > 0);
    soe_kernel_clear(kernel);
    soe_bound_clear(bound);
    fmpz_clear(t);
    soe_sum_clear(sum);
    fmpq_clear(alpha);
}

/* Fails if a real point of [1,T] exceeds the bound for the power kernel. */
static void power_kernel(void **state) {
    (void)state;
    exact_random r = {test_seed("power_kernel")};
    soe_kernel_t kernel;
    soe_bound_t bound;
    soe_sum_t sum;
    fmpq_t order;
    fmpz_t t;
    arb_t error;
    arf_t at;
    fmpq_init(order);
    fmpz_init(t);
    arb_init(error);
    arf_init(at);
    long n = test_count(16);
    for (long i = 0; i < n; i++) {
        fmpq_set_si(order, exact_random_integer(&r, 1, 30), 10);
        fmpq_canonicalise(order);
        soe_kernel_init(kernel, SOE_KERNEL_POWER, order);
        soe_bound_init(bound);
        slong terms = exact_random_integer(&r, 0, 4);
        soe_sum_init(sum, terms, SOE_RATE);
        for (slong s = 0; s < terms; s++) {
            exact_random_rational(sum->weight + s, &r, 8);
            fmpq_set_si(sum->mode + s, exact_random_integer(&r, 0, 400), 100);
            fmpq_canonicalise(sum->mode + s);
        }
        slong horizon = i == 0 ? 1 : exact_random_integer(&r, 2, 1000);
        fmpz_set_si(t, horizon);
        soe_error kind = i % 2 ? SOE_RELATIVE : SOE_ABSOLUTE;
        soe_status status = soe_certify(bound, kernel, sum, t, kind, 0, 1e-3, 64);
        assert_case(status == SOE_OK, "power_kernel", i);
        assert_bound(bound, status, 1e-3, kernel, sum, kind, t, "power_kernel", i);
        double best = 0;
        for (int k = 0; k <= 600; k++) {
            arf_set_d(at, fmin(pow((double)horizon, k / 600.0), (double)horizon));
            if (k == 600)
                arf_set_si(at, horizon);
            error_at(error, kernel, sum, kind, at, 100);
            arf_t low;
            arf_init(low);
            arb_get_abs_lbound_arf(low, error, 64);
            assert_case(arf_cmp(low, bound->upper) <= 0, "power_kernel", i);
            best = fmax(best, arf_get_d(low, ARF_RND_DOWN));
            arf_clear(low);
        }
        /* dense sampling comes within a few per cent of the supremum from below */
        assert_case(best >= 0.9 * arf_get_d(bound->lower, ARF_RND_DOWN), "power_kernel", i);
        soe_kernel_clear(kernel);
        soe_bound_clear(bound);
        soe_sum_clear(sum);
    }
    fmpq_clear(order);
    fmpz_clear(t);
    arb_clear(error);
    arf_clear(at);
}

/* Fails if something beyond the horizon exceeds beyond_upper, or beyond_lower exceeds everything
   there; without modes at rate 0 the absolute error dies out, so a long stretch and a bound of the
   rest are all there is. */
static void beyond_the_horizon(void **state) {
    (void)state;
    exact_random r = {test_seed("beyond_the_horizon")};
    fmpq_t alpha;
    fmpz_t t, j;
    arb_t error;
    arf_t at;
    soe_sum_t sum;
    fmpq_init(alpha);
    fmpz_init(t);
    fmpz_init(j);
    arb_init(error);
    arf_init(at);
    long n = test_count(30);
    for (long i = 0; i < n; i++) {
        soe_kernel_t kernel;
        soe_bound_t bound;
        set_q(alpha, orders[i % 4]);
        soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
        soe_bound_init(bound);
        soe_error kind = i % 2 ? SOE_RELATIVE : SOE_ABSOLUTE;
        slong terms = exact_random_integer(&r, 0, 4);
        int constant = 0;
        soe_sum_init(sum, terms, SOE_RATE);
        for (slong s = 0; s < terms; s++) {
            exact_random_rational(sum->weight + s, &r, 8);
            slong p = exact_random_integer(&r, 0, 100);
            fmpq_set_si(sum->mode + s, p, 20000);
            fmpq_canonicalise(sum->mode + s);
            constant += p == 0;
        }
        ulong horizon = (ulong)exact_random_integer(&r, 1, i % 3 ? 200 : 2000);
        fmpz_set_ui(t, horizon);
        soe_status status = soe_certify(bound, kernel, sum, t, kind, 1, 1e-3, 64);
        assert_bound(bound, status, 1e-3, kernel, sum, kind, t, "beyond", i);
        assert_case(arf_cmp(bound->beyond_lower, bound->beyond_upper) <= 0, "beyond", i);
        extremum e;
        extremum_init(&e);
        ulong last = horizon + 3000;
        brute_force(&e, kernel, sum, kind, horizon + 1, last, 128);
        assert_case(arf_cmp(e.low, bound->beyond_upper) <= 0, "beyond", i);
        for (int k = 0; k < 60; k++) { /* and far away */
            fmpz_set_ui(j, last);
            fmpz_mul_2exp(j, j, (ulong)k);
            fmpz_add_ui(j, j, (ulong)k);
            arf_set_fmpz(at, j);
            error_at(error, kernel, sum, kind, at, 300);
            extremum_note(&e, error);
        }
        assert_case(arf_cmp(e.low, bound->beyond_upper) <= 0, "beyond", i);
        if (kind == SOE_ABSOLUTE && constant == 0) {
            /* past last: at most w_last + sum |c| e^(-lambda last) */
            arb_t rest, x, c;
            arb_init(rest);
            arb_init(x);
            arb_init(c);
            fmpz_set_ui(j, last);
            exact_gl_ball(rest, alpha, j, 64);
            for (slong s = 0; s < terms; s++) {
                arb_set_fmpq(x, sum->mode + s, 64);
                arb_mul_ui(x, x, last, 64);
                arb_neg(x, x);
                arb_exp(x, x, 64);
                arb_set_fmpq(c, sum->weight + s, 64);
                arb_abs(c, c);
                arb_addmul(rest, c, x, 64);
            }
            extremum_note(&e, rest);
            assert_case(arf_cmp(bound->beyond_lower, e.high) <= 0, "beyond", i);
            arb_clear(rest);
            arb_clear(x);
            arb_clear(c);
        }
        if (kind == SOE_RELATIVE && constant == 0) { /* the sum dies out faster than w */
            assert_case(arf_cmp_si(bound->beyond_upper, 1) >= 0, "beyond", i);
            arf_set_d(at, 0.999999);
            assert_case(arf_cmp(bound->beyond_lower, at) >= 0, "beyond", i);
        }
        extremum_clear(&e);
        soe_sum_clear(sum);
        soe_kernel_clear(kernel);
        soe_bound_clear(bound);
    }
    fmpq_clear(alpha);
    fmpz_clear(t);
    fmpz_clear(j);
    arb_clear(error);
    arf_clear(at);
}

/* Fails if the error's limit as t -> infinity, which no point attains, is left out of what lies beyond
   the horizon: kernels and modes so slow that 2^100 times the horizon is far from the limit. */
static void limits_beyond_the_horizon(void **state) {
    (void)state;
    static const struct {
        const char *alpha;
        soe_error error;
        const char *weight[2], *limit; /* weights of the modes e^(-2^-200 t) and 1 */
        double below;                  /* everything up to 2^100 is below that */
    } cases[] = {
        {"999/1000", SOE_ABSOLUTE, {"0", "2"}, "2", 1.5},
        {"1", SOE_ABSOLUTE, {"1/4", "1/4"}, "3/4", 0.6},
        {"1", SOE_RELATIVE, {"1/4", "1/4"}, "3/4", 0.6},
        {"1", SOE_ABSOLUTE, {"-1", "7/2"}, "5/2", 1.6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fmpq_t alpha, limit, end;
        fmpz_t t;
        soe_kernel_t kernel;
        soe_sum_t sum;
        soe_bound_t bound;
        fmpq_init(alpha);
        fmpq_init(limit);
        fmpq_init(end);
        fmpz_init_set_ui(t, 2000);
        set_q(alpha, cases[i].alpha);
        set_q(limit, cases[i].limit);
        soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
        soe_sum_init(sum, 2, SOE_RATE);
        set_q(sum->weight, cases[i].weight[0]);
        set_q(sum->weight + 1, cases[i].weight[1]);
        fmpq_one(sum->mode);
        fmpq_div_2exp(sum->mode, sum->mode, 200);
        soe_bound_init(bound);
        assert_case(soe_certify(bound, kernel, sum, t, cases[i].error, 1, 1e-3, 64) == SOE_OK,
                    "limits beyond", i);
        assert_case(arf_cmp_d(bound->upper, cases[i].below) < 0, "limits beyond", i);
        /* beyond_lower (1 + 2^-50) >= limit >= beyond_lower, beyond_upper >= limit */
        exact_rational_from_arf(end, bound->beyond_upper);
        assert_case(fmpq_cmp(end, limit) >= 0, "limits beyond", i);
        exact_rational_from_arf(end, bound->beyond_lower);
        assert_case(fmpq_cmp(end, limit) <= 0, "limits beyond", i);
        fmpq_sub(end, limit, end);
        fmpq_mul_2exp(end, end, 50);
        assert_case(fmpq_cmp(end, limit) <= 0, "limits beyond", i);
        soe_bound_clear(bound);
        soe_sum_clear(sum);
        soe_kernel_clear(kernel);
        fmpz_clear(t);
        fmpq_clear(alpha);
        fmpq_clear(limit);
        fmpq_clear(end);
    }
}

/* Fails if a peak far beyond the horizon is missed or only bounded: t^(-1/2) and c e^(-lambda t) have the
   relative error 1 - c e^(-lambda t) t^(1/2), whose largest size is c (2 e lambda)^(-1/2) - 1. */
static void a_peak_far_beyond(void **state) {
    (void)state;
    static const ulong places[] = {10, 40, 60, 90}; /* lambda = 2^-place, c = 16 sqrt(lambda) */
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        fmpq_t order;
        fmpz_t t;
        arb_t peak;
        arf_t low, high;
        soe_kernel_t kernel;
        soe_sum_t sum;
        soe_bound_t bound;
        fmpq_init(order);
        fmpz_init_set_ui(t, 3);
        arb_init(peak);
        arf_init(low);
        arf_init(high);
        set_q(order, "1/2");
        soe_kernel_init(kernel, SOE_KERNEL_POWER, order);
        soe_sum_init(sum, 1, SOE_RATE);
        fmpq_one(sum->mode);
        fmpq_div_2exp(sum->mode, sum->mode, places[i]);
        set_q(sum->weight, "16");
        fmpq_div_2exp(sum->weight, sum->weight, places[i] / 2);
        soe_bound_init(bound);
        assert_case(soe_certify(bound, kernel, sum, t, SOE_RELATIVE, 1, 1e-3, 64) == SOE_OK,
                    "peak beyond", i);
        arb_const_e(peak, 128);
        arb_mul_2exp_si(peak, peak, 1);
        arb_rsqrt(peak, peak, 128);
        arb_mul_2exp_si(peak, peak, 4);
        arb_sub_ui(peak, peak, 1, 128);
        arb_get_lbound_arf(low, peak, 128);
        arb_get_ubound_arf(high, peak, 128);
        assert_case(arf_cmp(bound->beyond_lower, high) <= 0, "peak beyond", i);
        assert_case(arf_cmp(bound->beyond_upper, low) >= 0, "peak beyond", i);
        assert_case(arf_get_d(bound->beyond_upper, ARF_RND_UP) <=
                        arf_get_d(bound->beyond_lower, ARF_RND_DOWN) * (1 + 1e-3),
                    "peak beyond", i);
        soe_bound_clear(bound);
        soe_sum_clear(sum);
        soe_kernel_clear(kernel);
        arf_clear(low);
        arf_clear(high);
        arb_clear(peak);
        fmpz_clear(t);
        fmpq_clear(order);
    }
}

/* Fails if a longer horizon has a smaller supremum, if T = 10^9 or 10^18 does not run, or samples
   all over the domain exceed the bound; also if two starting precisions or widths exclude each
   other. */
static void long_horizons(void **state) {
    (void)state;
    static const char *const horizons[] = {"1", "10", "1024", "1025", "1e4", "1e6", "1e9", "1e18"};
    fmpq_t alpha;
    fmpz_t t, j;
    soe_sum_t sum;
    soe_kernel_t kernel;
    arf_t before, at;
    arb_t error;
    soe_design design;
    fmpq_init(alpha);
    fmpz_init(t);
    fmpz_init(j);
    arf_init(before);
    arf_init(at);
    arb_init(error);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 2; k++) {
            soe_error kind = k ? SOE_RELATIVE : SOE_ABSOLUTE;
            set_q(alpha, orders[a]);
            soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
            soe_sum_init(sum, 0, SOE_RATE);
            assert_null(exact_parse_integer(t, "1e9"));
            assert_int_equal(soe_design_terms(sum, &design, SOE_SINC, alpha, t, kind, 12, 100),
                             SOE_OK);
            arf_zero(before);
            for (int h = 0; h < 8; h++) {
                soe_bound_t bound, other;
                soe_bound_init(bound);
                soe_bound_init(other);
                assert_null(exact_parse_integer(t, horizons[h]));
                soe_status status = soe_certify(bound, kernel, sum, t, kind, 0, 1e-3, 192);
                assert_case(status == SOE_OK, "long_horizons", 100 * a + 10 * k + h);
                assert_bound(bound, status, 1e-3, kernel, sum, kind, t, "long_horizons",
                             100 * a + 10 * k + h);
                assert_true(arf_cmp(bound->upper, before) >= 0);
                arf_set(before, bound->lower);
                assert_int_equal(soe_certify(other, kernel, sum, t, kind, 0, 0.2, 256), SOE_OK);
                assert_true(arf_cmp(other->lower, bound->upper) <= 0);
                assert_true(arf_cmp(bound->lower, other->upper) <= 0);
                for (fmpz_one(j); fmpz_cmp(j, t) <= 0;) {
                    arf_set_fmpz(at, j);
                    error_at(error, kernel, sum, kind, at, 200);
                    arb_get_abs_lbound_arf(at, error, 64);
                    assert_true(arf_cmp(at, bound->upper) <= 0);
                    fmpz_mul_ui(j, j, 4);
                    fmpz_fdiv_q_ui(j, j, 3);
                    fmpz_add_ui(j, j, 1);
                }
                soe_bound_clear(bound);
                soe_bound_clear(other);
            }
            soe_sum_clear(sum);
            soe_kernel_clear(kernel);
        }
    fmpq_clear(alpha);
    fmpz_clear(t);
    fmpz_clear(j);
    arf_clear(before);
    arf_clear(at);
    arb_clear(error);
}

/* The status of soe_certify in a process of its own, or -1 when it takes more than some seconds of
   processor time (not of the clock, which runs on when others compute). */
static int certify_in_time(const soe_kernel_t kernel, const soe_sum_t sum, const fmpz_t horizon,
                           soe_error kind, slong prec, unsigned seconds) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        soe_bound_t bound;
        struct rlimit most = {seconds, seconds};
        setrlimit(RLIMIT_CPU, &most);
        soe_bound_init(bound);
        _exit((int)soe_certify(bound, kernel, sum, horizon, kind, 0, 1e-3, prec));
    }
    int how;
    assert_true(waitpid(child, &how, 0) == child);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

/* Fails if 64 bits, too few for the task, are split into ever smaller cells instead of doubled:
   T = 10^18 relative (the divisor at a ball far out), and errors below the kernel's rounding. */
static void low_precision(void **state) {
    (void)state;
    static const struct {
        int power;
        const char *horizon;
        soe_error error;
    } cases[] = {{0, "1e18", SOE_RELATIVE}, {1, "100", SOE_ABSOLUTE}, {1, "100", SOE_RELATIVE}};
    fmpq_t alpha;
    fmpz_t t;
    fmpq_init(alpha);
    fmpz_init(t);
    set_q(alpha, "1/2");
    int late = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soe_kernel_t kernel;
        soe_sum_t sum;
        soe_kernel_init(kernel, cases[i].power ? SOE_KERNEL_POWER : SOE_KERNEL_GL, alpha);
        soe_sum_init(sum, 0, SOE_RATE);
        if (cases[i].power) {
            /* t^(-1/2) = int e^(-t e^u) e^(u/2) du / Gamma(1/2): a trapezoid of step 1/5,
               error about e^(-5 pi^2) */
            arb_t c, u;
            arb_init(c);
            arb_init(u);
            soe_sum_clear(sum);
            soe_sum_init(sum, 530, SOE_RATE);
            for (slong k = 0; k < 530; k++) {
                arb_set_si(u, k - 505);
                arb_div_ui(u, u, 5, 160);
                arb_exp(c, u, 160);
                arf_set_round(arb_midref(c), arb_midref(c), 120, ARF_RND_NEAR);
                exact_rational_from_arf(sum->mode + k, arb_midref(c));
                arb_mul_2exp_si(u, u, -1);
                arb_exp(c, u, 160);
                arb_div_ui(c, c, 5, 160);
                arb_const_pi(u, 160);
                arb_rsqrt(u, u, 160);
                arb_mul(c, c, u, 160);
                arf_set_round(arb_midref(c), arb_midref(c), 120, ARF_RND_NEAR);
                exact_rational_from_arf(sum->weight + k, arb_midref(c));
            }
            arb_clear(c);
            arb_clear(u);
        } else {
            soe_design design;
            assert_null(exact_parse_integer(t, "1e9"));
            assert_int_equal(
                soe_design_terms(sum, &design, SOE_SINC, alpha, t, cases[i].error, 12, 100),
                SOE_OK);
        }
        assert_null(exact_parse_integer(t, cases[i].horizon));
        int status = certify_in_time(kernel, sum, t, cases[i].error, 64, 2);
        if (status != SOE_OK) {
            print_error("case %d: %s\n", (int)i, status < 0 ? "no end" : "not certified");
            late++;
        }
        /* with bits enough it is done at once */
        assert_case(certify_in_time(kernel, sum, t, cases[i].error, 256, 20) == SOE_OK,
                    "low_precision", i);
        soe_sum_clear(sum);
        soe_kernel_clear(kernel);
    }
    assert_int_equal(late, 0);
    fmpq_clear(alpha);
    fmpz_clear(t);
}

/* Fails if bounds are handed out for what has none: every status other than BAD_ARGUMENT promises
   that lower and upper hold. */
static void refuses_bad_arguments(void **state) {
    (void)state;
    static const struct {
        int power;
        const char *order, *horizon;
        int node;
        const char *mode;
        double width;
        int ok;
    } cases[] = {
        {0, "1/2", "10", 0, "1", 1e-2, 1},    {0, "0", "10", 0, "1", 1e-2, 0},
        {0, "2", "10", 0, "1", 1e-2, 0},      {0, "-1/2", "10", 0, "1", 1e-2, 0},
        {0, "1/2", "0", 0, "1", 1e-2, 0},     {0, "1/2", "-1", 0, "1", 1e-2, 0},
        {0, "1/2", "1e19", 0, "1", 1e-2, 0},  {0, "1/2", "1000000000000000001", 0, "1", 1e-2, 0},
        {0, "1/2", "10", 0, "-1", 1e-2, 0},   {0, "1/2", "10", 1, "0", 1e-2, 0},
        {0, "1/2", "10", 1, "1.01", 1e-2, 0}, {0, "1/2", "10", 1, "-1/2", 1e-2, 0},
        {0, "1/2", "10", 1, "1", 1e-2, 1},    {0, "1/2", "10", 0, "1", 0, 0},
        {0, "1/2", "10", 0, "1", 1, 0},       {0, "1/2", "10", 0, "1", -1, 0},
        {0, "1/2", "10", 0, "1", NAN, 0},     {1, "2", "10", 0, "1", 1e-2, 1},
        {1, "0", "10", 0, "1", 1e-2, 0},      {1, "-1", "10", 0, "1", 1e-2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soe_kernel_t kernel;
        soe_bound_t bound;
        soe_sum_t sum;
        fmpq_t order;
        fmpz_t t;
        fmpq_init(order);
        fmpz_init(t);
        set_q(order, cases[i].order);
        assert_null(exact_parse_integer(t, cases[i].horizon));
        soe_kernel_init(kernel, cases[i].power ? SOE_KERNEL_POWER : SOE_KERNEL_GL, order);
        soe_sum_init(sum, 1, cases[i].node ? SOE_NODE : SOE_RATE);
        fmpq_one(sum->weight);
        set_q(sum->mode, cases[i].mode);
        soe_bound_init(bound);
        soe_status status = soe_certify(bound, kernel, sum, t, SOE_ABSOLUTE, 0, cases[i].width, 64);
        assert_case(status == (cases[i].ok ? SOE_OK : SOE_BAD_ARGUMENT), "bad_arguments", i);
        soe_kernel_clear(kernel);
        soe_sum_clear(sum);
        soe_bound_clear(bound);
        fmpq_clear(order);
        fmpz_clear(t);
    }
}

/* Fails if a starting precision beyond the largest one skips the work and reports 0. */
static void high_precision(void **state) {
    (void)state;
    static const slong precs[] = {-1, 0, 2, 3000, 8192, 8193, 20000};
    soe_kernel_t kernel;
    soe_sum_t sum;
    fmpq_t alpha;
    fmpz_t t;
    fmpq_init(alpha);
    fmpz_init_set_ui(t, 3);
    set_q(alpha, "1/3");
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_sum_init(sum, 0, SOE_RATE);
    for (size_t i = 0; i < sizeof precs / sizeof *precs; i++) {
        soe_bound_t bound;
        soe_bound_init(bound);
        soe_status status = soe_certify(bound, kernel, sum, t, SOE_ABSOLUTE, 0, 1e-3, precs[i]);
        if (status != SOE_BAD_ARGUMENT) { /* the supremum is w_1 = 1/3 */
            fmpq_t q;
            fmpq_init(q);
            exact_rational_from_arf(q, bound->upper);
            if (fmpq_cmp(q, alpha) < 0)
                print_error("upper bound %g at %ld bits\n", fmpq_get_d(q), (long)precs[i]);
            assert_true(fmpq_cmp(q, alpha) >= 0);
            exact_rational_from_arf(q, bound->lower);
            assert_true(fmpq_cmp(q, alpha) <= 0);
            fmpq_clear(q);
        }
        soe_bound_clear(bound);
    }
    soe_kernel_clear(kernel);
    soe_sum_clear(sum);
    fmpq_clear(alpha);
    fmpz_clear(t);
}

/* Fails if the tail is below that of the worst series, bound/(1 - delta), or much above it. */
static void taylor_tail(void **state) {
    (void)state;
    exact_random r = {test_seed("taylor_tail")};
    fmpq_t bound, radius, exact, one, got;
    arb_t b, tail;
    fmpq_init(bound);
    fmpq_init(radius);
    fmpq_init(exact);
    fmpq_init(one);
    fmpq_init(got);
    arb_init(b);
    arb_init(tail);
    fmpq_one(one);
    long n = test_count(300);
    for (long i = 0; i < n; i++) {
        slong terms = exact_random_integer(&r, 0, 40), m = exact_random_integer(&r, 1, 63);
        fmpq_set_si(radius, m, 64);
        fmpq_canonicalise(radius);
        exact_random_fraction(bound, &r, 1, 1000, 1, 99);
        fmpq_canonicalise(bound);
        arb_set_fmpq(b, bound, 64);
        soe_taylor_tail_upper(tail, b, (double)m / 64, terms, 64);
        fmpq_pow_si(exact, radius, terms);
        fmpq_mul(exact, exact, bound);
        fmpq_sub(got, one, radius);
        fmpq_div(exact, exact, got);
        assert_case(arb_is_exact(tail), "taylor_tail", i);
        exact_rational_from_arf(got, arb_midref(tail));
        assert_case(fmpq_cmp(got, exact) >= 0, "taylor_tail", i);
        fmpq_div(got, got, exact);
        fmpq_sub(got, got, one);
        fmpq_mul_2exp(got, got, 48);
        assert_case(fmpq_cmp(got, one) < 0, "taylor_tail", i);
        /* a wider bound gives no smaller tail; the result may take the bound's place */
        arb_t wide;
        arb_init(wide);
        arb_set(wide, b);
        mag_set_ui_2exp_si(arb_radref(wide), 1, -3);
        soe_taylor_tail_upper(wide, wide, (double)m / 64, terms, 64);
        assert_case(arf_cmp(arb_midref(wide), arb_midref(tail)) >= 0, "taylor_tail", i);
        arb_clear(wide);
    }
    fmpq_clear(bound);
    fmpq_clear(radius);
    fmpq_clear(exact);
    fmpq_clear(one);
    fmpq_clear(got);
    arb_clear(b);
    arb_clear(tail);
}

/* Fails if a sum's value is off in either form, at 0, at a large or at a broken t. */
static void values(void **state) {
    (void)state;
    exact_random r = {test_seed("values")};
    fmpq_t want, p, order;
    arb_t value, check;
    arf_t t;
    soe_sum_t node, copy;
    soe_kernel_t kernel;
    fmpq_init(want);
    fmpq_init(p);
    fmpq_init(order);
    arb_init(value);
    arb_init(check);
    arf_init(t);
    long n = test_count(60);
    for (long i = 0; i < n; i++) {
        soe_sum_init(node, 3, SOE_NODE);
        soe_sum_init(copy, 1, SOE_RATE);
        ulong j = (ulong)exact_random_integer(&r, 0, 100);
        fmpq_zero(want);
        for (slong s = 0; s < 3; s++) {
            exact_random_rational(node->weight + s, &r, 9);
            fmpq_set_si(node->mode + s, exact_random_integer(&r, 1, 9), 9);
            fmpq_canonicalise(node->mode + s);
            fmpq_pow_si(p, node->mode + s, (slong)j);
            fmpq_addmul(want, p, node->weight + s);
        }
        soe_sum_set(copy, node);
        assert_case(copy->terms == 3 && copy->form == SOE_NODE, "values", i);
        soe_sum_set(copy, copy);
        arf_set_ui(t, j);
        soe_sum_value(value, copy, t, 100);
        assert_case(arb_contains_fmpq(value, want), "values", i);
        assert_case(mag_cmp_2exp_si(arb_radref(value), -90) < 0, "values", i);
        arf_mul_2exp_si(t, t, -2); /* quarters: by logarithms */
        arf_add_ui(t, t, i % 2 ? 0 : 100000, ARF_PREC_EXACT, ARF_RND_DOWN);
        soe_sum_value(value, copy, t, 100);
        arb_t zero;
        arb_init(zero);
        soe_kernel_init(kernel, SOE_KERNEL_POWER, (set_q(order, "1/2"), order));
        if (arf_sgn(t) > 0) {
            error_at(check, kernel, copy, SOE_ABSOLUTE, t, 150); /* K - sum */
            soe_kernel_value(zero, kernel, t, 100);
            assert_case(arb_rel_accuracy_bits(zero) >= 96, "values", i);
            arb_sub(zero, zero, value, 150);
            assert_case(arb_overlaps(zero, check), "values", i);
        }
        soe_kernel_clear(kernel);
        soe_kernel_init(kernel, SOE_KERNEL_GL, order);
        arf_set_ui(t, j + 1);
        soe_kernel_value(zero, kernel, t, 100);
        exact_gl_rational(want, order, j + 1);
        assert_case(arb_contains_fmpq(zero, want), "values", i);
        soe_kernel_clear(kernel);
        arb_clear(zero);
        soe_sum_clear(node);
        soe_sum_clear(copy);
    }
    fmpq_clear(want);
    fmpq_clear(p);
    fmpq_clear(order);
    arb_clear(value);
    arb_clear(check);
    arf_clear(t);
}

/* Fails if Jacobi is not exact at j = 1 .. 2 terms (or is at 2 terms + 1), or Laguerre and the
   intervals lose their points. */
static void constructions(void **state) {
    (void)state;
    fmpq_t alpha;
    soe_sum_t sum;
    soe_kernel_t kernel;
    arb_t error;
    arf_t t;
    fmpq_init(alpha);
    arb_init(error);
    arf_init(t);
    soe_sum_init(sum, 0, SOE_RATE);
    for (int a = 0; a < 4; a++) {
        set_q(alpha, orders[a]);
        soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
        for (slong terms = 1; terms <= 12; terms++) {
            assert_int_equal(soe_from_gauss(sum, SOE_JACOBI, alpha, terms, 200), SOE_OK);
            assert_int_equal(sum->terms, terms);
            for (slong j = 1; j <= 2 * terms + 1; j++) {
                arf_set_si(t, j);
                error_at(error, kernel, sum, SOE_ABSOLUTE, t, 300);
                arf_t size;
                arf_init(size);
                arb_get_abs_ubound_arf(size, error, 64);
                assert_case((arf_cmpabs_2exp_si(size, -180) < 0) == (j <= 2 * terms), "jacobi",
                            100 * terms + j);
                arf_clear(size);
            }
            for (int m = 0; m < SOE_METHODS; m++) {
                soe_method method = (soe_method)m;
                soe_status status =
                    method == SOE_LAGUERRE || method == SOE_JACOBI
                        ? soe_from_gauss(sum, method, alpha, terms, 80)
                        : soe_from_interval(sum, method, alpha, terms, -9.5, 2.5, 80);
                assert_int_equal(status, SOE_OK);
                assert_int_equal(sum->terms, terms);
                assert_int_equal(sum->form, SOE_RATE);
                for (slong s = 0; s < terms; s++) {
                    assert_true(fmpq_sgn(sum->weight + s) > 0 && fmpq_sgn(sum->mode + s) > 0);
                    assert_true(s == 0 || fmpq_cmp(sum->mode + s - 1, sum->mode + s) < 0);
                }
            }
        }
        soe_kernel_clear(kernel);
    }
    /* alpha = 1: one mode, w_j = 1 */
    fmpq_one(alpha);
    assert_int_equal(soe_from_gauss(sum, SOE_LAGUERRE, alpha, 7, 64), SOE_OK);
    assert_true(sum->terms == 1 && fmpq_is_one(sum->weight) && fmpq_is_zero(sum->mode));
    assert_int_equal(soe_from_interval(sum, SOE_SINC, alpha, 7, 0, 1, 64), SOE_OK);
    assert_true(sum->terms == 1 && fmpq_is_one(sum->weight) && fmpq_is_zero(sum->mode));
    /* what is refused */
    set_q(alpha, "1/2");
    assert_int_equal(soe_from_gauss(sum, SOE_SINC, alpha, 3, 64), SOE_BAD_ARGUMENT);
    assert_int_equal(soe_from_gauss(sum, SOE_JACOBI, alpha, 0, 64), SOE_BAD_ARGUMENT);
    assert_int_equal(soe_from_gauss(sum, SOE_JACOBI, alpha, SOE_MAX_TERMS + 1, 64),
                     SOE_BAD_ARGUMENT);
    assert_int_equal(soe_from_interval(sum, SOE_JACOBI, alpha, 3, 0, 1, 64), SOE_BAD_ARGUMENT);
    assert_int_equal(soe_from_interval(sum, SOE_SINC, alpha, 3, 1, 1, 64), SOE_BAD_ARGUMENT);
    assert_int_equal(soe_from_interval(sum, SOE_SINC, alpha, 3, 2, 1, 64), SOE_BAD_ARGUMENT);
    assert_int_equal(soe_from_interval(sum, SOE_SINC, alpha, 3, NAN, 1, 64), SOE_BAD_ARGUMENT);
    assert_int_equal(soe_from_interval(sum, SOE_SINC, alpha, 3, 0, HUGE_VAL, 64), SOE_BAD_ARGUMENT);
    set_q(alpha, "3/2");
    assert_int_equal(soe_from_gauss(sum, SOE_JACOBI, alpha, 3, 64), SOE_BAD_ARGUMENT);
    set_q(alpha, "0");
    assert_int_equal(soe_from_interval(sum, SOE_SINC, alpha, 3, 0, 1, 64), SOE_BAD_ARGUMENT);
    soe_sum_clear(sum);
    fmpq_clear(alpha);
    arb_clear(error);
    arf_clear(t);
}

/* Fails if a design does not keep its promise, or spends a term more than its own method needs. */
static void designs(void **state) {
    (void)state;
    static const struct {
        soe_method method;
        const char *alpha, *horizon, *target;
        soe_error error;
    } cases[] = {
        {SOE_SINC, "1/2", "1000", "1e-4", SOE_ABSOLUTE},
        {SOE_SINC, "1/2", "1e6", "1e-2", SOE_RELATIVE},
        {SOE_SINC, "1/100", "500", "1e-3", SOE_RELATIVE},
        {SOE_TRAPEZOID, "1/2", "1000", "1e-3", SOE_ABSOLUTE},
        {SOE_LEGENDRE, "3/10", "1000", "1e-3", SOE_ABSOLUTE},
        {SOE_LAGUERRE, "1/2", "10", "1e-3", SOE_ABSOLUTE},
        {SOE_JACOBI, "1/2", "30", "1e-6", SOE_ABSOLUTE},
        {SOE_JACOBI, "99/100", "30", "1e-3", SOE_RELATIVE},
        {SOE_SINC, "1", "1e18", "1e-50", SOE_ABSOLUTE},
        {SOE_SINC, "1/2", "1", "1/2", SOE_RELATIVE},
    };
    fmpq_t alpha, target, upper;
    fmpz_t t;
    fmpq_init(alpha);
    fmpq_init(target);
    fmpq_init(upper);
    fmpz_init(t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soe_sum_t sum;
        soe_bound_t bound, again;
        soe_design design;
        soe_kernel_t kernel;
        set_q(alpha, cases[i].alpha);
        set_q(target, cases[i].target);
        assert_null(exact_parse_integer(t, cases[i].horizon));
        soe_sum_init(sum, 0, SOE_RATE);
        soe_bound_init(bound);
        soe_bound_init(again);
        soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
        soe_status status = soe_design_error(sum, bound, &design, cases[i].method, alpha, t,
                                             cases[i].error, target, NULL);
        assert_case(status == SOE_OK, "designs", i);
        exact_rational_from_arf(upper, bound->upper);
        assert_case(fmpq_cmp(upper, target) <= 0, "designs", i);
        /* the bound is that of this very sum */
        soe_status second = soe_certify(again, kernel, sum, t, cases[i].error, 0, 1e-2, 64);
        assert_bound(again, second, 1e-2, kernel, sum, cases[i].error, t, "designs", (long)i);
        assert_case(arf_cmp(again->lower, bound->upper) <= 0, "designs", i);
        assert_case(arf_cmp(bound->lower, again->upper) <= 0, "designs", i);
        if (fmpz_cmp_si(t, 1000) <= 0) {
            extremum e;
            extremum_init(&e);
            brute_force(&e, kernel, sum, cases[i].error, 1, fmpz_get_ui(t), 200);
            assert_case(arf_cmp(e.low, bound->upper) <= 0, "designs", i);
            extremum_clear(&e);
        }
        if (sum->terms > 1) { /* one term less is not enough */
            soe_sum_t fewer;
            soe_design its;
            soe_sum_init(fewer, 0, SOE_RATE);
            assert_case(soe_design_terms(fewer, &its, cases[i].method, alpha, t, cases[i].error,
                                         sum->terms - 1, 150) == SOE_OK,
                        "designs", i);
            soe_certify(again, kernel, fewer, t, cases[i].error, 0, 1e-2, 64);
            exact_rational_from_arf(upper, again->upper);
            assert_case(fmpq_cmp(upper, target) > 0, "designs", i);
            soe_sum_clear(fewer);
        }
        soe_sum_clear(sum);
        soe_bound_clear(bound);
        soe_bound_clear(again);
        soe_kernel_clear(kernel);
    }
    fmpq_clear(alpha);
    fmpq_clear(target);
    fmpq_clear(upper);
    fmpz_clear(t);
}

static slong progress_calls, progress_last;

static int stop_after_three(slong terms) {
    progress_last = terms;
    return ++progress_calls > 3;
}

/* Fails if a target out of reach is said to be met or never given up, if the search cannot be
   stopped, or bad targets are taken. */
static void designs_that_fail(void **state) {
    (void)state;
    fmpq_t alpha, target;
    fmpz_t t;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpq_init(target);
    fmpz_init_set_ui(t, 1);
    soe_sum_init(sum, 0, SOE_RATE);
    soe_bound_init(bound);
    set_q(alpha, "1/2");
    set_q(target, "1e-200"); /* 400 points of the trapezoid give about 1e-16 at T = 1 */
    assert_int_equal(
        soe_design_error(sum, bound, &design, SOE_SINC, alpha, t, SOE_ABSOLUTE, target, NULL),
        SOE_UNREACHABLE);
    assert_null(exact_parse_integer(t, "1e6"));
    set_q(target, "1e-12");
    assert_int_equal(soe_design_error(sum, bound, &design, SOE_LAGUERRE, alpha, t, SOE_ABSOLUTE,
                                      target, stop_after_three),
                     SOE_WIDE);
    assert_int_equal(progress_calls, 4);
    assert_true(progress_last > 1);
    set_q(target, "0");
    assert_int_equal(
        soe_design_error(sum, bound, &design, SOE_SINC, alpha, t, SOE_ABSOLUTE, target, NULL),
        SOE_BAD_ARGUMENT);
    set_q(target, "-1");
    assert_int_equal(
        soe_design_error(sum, bound, &design, SOE_SINC, alpha, t, SOE_ABSOLUTE, target, NULL),
        SOE_BAD_ARGUMENT);
    set_q(target, "1/2");
    set_q(alpha, "3/2");
    assert_int_equal(
        soe_design_error(sum, bound, &design, SOE_SINC, alpha, t, SOE_ABSOLUTE, target, NULL),
        SOE_BAD_ARGUMENT);
    set_q(alpha, "1/2");
    fmpz_zero(t);
    assert_int_equal(
        soe_design_error(sum, bound, &design, SOE_SINC, alpha, t, SOE_ABSOLUTE, target, NULL),
        SOE_BAD_ARGUMENT);
    fmpz_set_ui(t, 10);
    assert_int_equal(soe_design_terms(sum, &design, SOE_SINC, alpha, t, SOE_ABSOLUTE, 0, 64),
                     SOE_BAD_ARGUMENT);
    assert_int_equal(
        soe_design_terms(sum, &design, SOE_SINC, alpha, t, SOE_ABSOLUTE, SOE_MAX_TERMS + 1, 64),
        SOE_BAD_ARGUMENT);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    fmpq_clear(alpha);
    fmpq_clear(target);
    fmpz_clear(t);
}

/* Fails if a horizon that soe_certify refuses lets a design pass as good. */
static void designs_beyond_range(void **state) {
    (void)state;
    fmpq_t alpha, target;
    fmpz_t t;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpq_init(target);
    fmpz_init(t);
    soe_sum_init(sum, 0, SOE_RATE);
    soe_bound_init(bound);
    set_q(alpha, "1/2");
    set_q(target, "1/2");
    assert_null(exact_parse_integer(t, "1e19"));
    assert_int_equal(
        soe_design_error(sum, bound, &design, SOE_SINC, alpha, t, SOE_ABSOLUTE, target, NULL),
        SOE_BAD_ARGUMENT);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    fmpq_clear(alpha);
    fmpq_clear(target);
    fmpz_clear(t);
}

/* Fails if a name is matched by prefix, or a method has lost its own. */
static void names(void **state) {
    (void)state;
    soe_method method;
    for (int m = 0; m < SOE_METHODS; m++) {
        assert_int_equal(soe_method_from_name(&method, soe_method_name((soe_method)m)), 1);
        assert_int_equal(method, m);
    }
    static const char *const bad[] = {"", "sin", "sincc", "Sinc", "jacobi ", "legendre2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(soe_method_from_name(&method, bad[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_against_all_integers),
        cmocka_unit_test(random_sums),
        cmocka_unit_test(small_errors),
        cmocka_unit_test(power_kernel),
        cmocka_unit_test(beyond_the_horizon),
        cmocka_unit_test(limits_beyond_the_horizon),
        cmocka_unit_test(a_peak_far_beyond),
        cmocka_unit_test(long_horizons),
        cmocka_unit_test(low_precision),
        cmocka_unit_test(refuses_bad_arguments),
        cmocka_unit_test(high_precision),
        cmocka_unit_test(taylor_tail),
        cmocka_unit_test(values),
        cmocka_unit_test(constructions),
        cmocka_unit_test(designs),
        cmocka_unit_test(designs_that_fail),
        cmocka_unit_test(designs_beyond_range),
        cmocka_unit_test(names),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

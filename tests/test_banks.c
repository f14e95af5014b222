/* Banks: distances of orders against their definition in Q, chains against both certificates, and
   the command as its users meet it. */
#include "tests/testing.h"

#include "numerics/exact/banks.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/gl_order.h"
#include "numerics/exact/witness.h"
#include "tests/process.h"

/* d := the distance (l2: its square) in Q, by the definition; worst: a lag of the supremum. */
static void distance_by_definition(fmpq_t d, slong *worst, banks_norm norm, const fmpq_t a,
                                   const fmpq_t b, slong T) {
    fmpq *w = _fmpq_vec_init(T + 1), *v = _fmpq_vec_init(T + 1);
    exact_gl_rational_vec(w, a, T + 1);
    exact_gl_rational_vec(v, b, T + 1);
    fmpq_zero(d);
    *worst = 0;
    for (slong j = 0; j <= T; j++) {
        fmpq_sub(v + j, v + j, w + j);
        if (norm == BANKS_L1)
            fmpq_add(d, d, v + j);
        else if (norm == BANKS_L2)
            fmpq_addmul(d, v + j, v + j);
        else if (fmpq_cmp(v + j, d) > 0)
            fmpq_set(d, v + j), *worst = j;
    }
    _fmpq_vec_clear(w, T + 1);
    _fmpq_vec_clear(v, T + 1);
}

/* Fails if a closed form, the top's bisection or an end of the range of lags is off; two precisions
   overlap, and the balls are narrow. */
static void test_distance(void **state) {
    (void)state;
    exact_random r = {test_seed("banks-distance")};
    fmpq_t a, b, exact;
    fmpz_t horizon, lag;
    arb_t d, low;
    fmpq_init(a);
    fmpq_init(b);
    fmpq_init(exact);
    fmpz_init(horizon);
    fmpz_init(lag);
    arb_init(d);
    arb_init(low);
    for (long n = 0; n < test_count(200); n++) {
        slong scale = n % 3 == 0 ? 1000000 : 40, T = exact_random_integer(&r, 1, n % 2 ? 8 : 90),
              worst;
        slong high = n % 5 == 0 ? scale : exact_random_integer(&r, 2, scale);
        fmpq_set_si(b, high, (ulong)scale);
        fmpq_set_si(a, exact_random_integer(&r, 1, high - 1), (ulong)scale);
        fmpz_set_si(horizon, T);
        for (int norm = 0; norm < 3; norm++) {
            distance_by_definition(exact, &worst, (banks_norm)norm, a, b, T);
            banks_distance(d, lag, (banks_norm)norm, a, b, horizon, 128);
            banks_distance(low, NULL, (banks_norm)norm, a, b, horizon, 64);
            assert_case(arb_overlaps(d, low), "two precisions", n);
            assert_case(arb_rel_accuracy_bits(d) >= 90 && arb_rel_accuracy_bits(low) >= 25,
                        "narrow", n);
            if (norm == BANKS_L2)
                arb_mul(d, d, d, 128);
            assert_case(arb_contains_fmpq(d, exact), "distance by definition", n);
            if (norm == BANKS_SUP) { /* a lag of the same value: ties are possible */
                slong at = fmpz_get_si(lag), ignored;
                fmpq_t x, y;
                fmpq_init(x);
                fmpq_init(y);
                exact_gl_rational(x, b, (ulong)at);
                exact_gl_rational(y, a, (ulong)at);
                fmpq_sub(x, x, y);
                distance_by_definition(y, &ignored, BANKS_SUP, a, b, T);
                assert_case(fmpq_equal(x, y), "worst lag", n);
                fmpq_clear(x);
                fmpq_clear(y);
            }
        }
    }
    set_q(a, "1/3");
    banks_distance(d, lag, BANKS_SUP, a, a, horizon, 64);
    assert_true(arb_is_zero(d));
    fmpq_clear(a);
    fmpq_clear(b);
    fmpq_clear(exact);
    fmpz_clear(horizon);
    fmpz_clear(lag);
    arb_clear(d);
    arb_clear(low);
}

/* At few bits most slopes near the top are uncertain: none of the lags that may be the top is left
   out. */
static void test_few_bits(void **state) {
    (void)state;
    exact_random r = {test_seed("banks-few-bits")};
    fmpq_t a, b, exact;
    fmpz_t horizon;
    arb_t d;
    long finite = 0, count = test_count(300);
    fmpq_init(a);
    fmpq_init(b);
    fmpq_init(exact);
    fmpz_init(horizon);
    arb_init(d);
    for (long n = 0; n < count; n++) {
        slong T = exact_random_integer(&r, 1, 60), high = exact_random_integer(&r, 2, 40), worst;
        fmpq_set_si(b, high, 40);
        fmpq_set_si(a, exact_random_integer(&r, 1, high - 1), 40);
        fmpz_set_si(horizon, T);
        distance_by_definition(exact, &worst, BANKS_SUP, a, b, T);
        banks_distance(d, NULL, BANKS_SUP, a, b, horizon, 6 + n % 10);
        finite += arb_is_finite(d);
        assert_case(arb_contains_fmpq(d, exact), "the supremum at few bits", n);
    }
    assert_true(finite > count / 2);
    fmpq_clear(a);
    fmpq_clear(b);
    fmpq_clear(exact);
    fmpz_clear(horizon);
    arb_clear(d);
}

/* The top far out: at T = 10^18 the supremum is that of any larger power below it once the top is
   passed. */
static void test_far(void **state) {
    (void)state;
    fmpq_t a, b;
    fmpz_t near, far, lag, again;
    arb_t d, e;
    fmpq_init(a);
    fmpq_init(b);
    fmpz_init(near);
    fmpz_init(far);
    fmpz_init(lag);
    fmpz_init(again);
    arb_init(d);
    arb_init(e);
    set_q(a, "97/100");
    set_q(b, "98/100");
    assert_null(exact_parse_integer(far, "1e18"));
    banks_distance(d, lag, BANKS_SUP, a, b, far, 128);
    assert_true(fmpz_cmp(lag, far) < 0 && fmpz_cmp_ui(lag, 1000) > 0);
    banks_distance(e, again, BANKS_SUP, a, b, lag, 128); /* cut at the top: the same */
    assert_true(arb_overlaps(d, e) && fmpz_equal(lag, again));
    fmpz_sub_ui(near, lag, fmpz_get_ui(lag) / 10);
    banks_distance(e, again, BANKS_SUP, a, b, near, 128); /* cut before: less */
    assert_true(arb_lt(e, d) && fmpz_equal(near, again));
    fmpq_clear(a);
    fmpq_clear(b);
    fmpz_clear(near);
    fmpz_clear(far);
    fmpz_clear(lag);
    fmpz_clear(again);
    arb_clear(d);
    arb_clear(e);
}

/* most := the largest distance of an order in the cells to its bank; nearest: cells that end half
   way between banks, and not at the edges.  l2: its square. */
static void largest_distance(fmpq_t most, const banks_design *d, banks_norm norm, int nearest,
                             slong T) {
    fmpq_t low, high, x;
    slong ignored;
    fmpq_init(low);
    fmpq_init(high);
    fmpq_init(x);
    fmpq_zero(most);
    for (slong i = 0; i < d->banks; i++) {
        fmpq_set(low, d->edge + i);
        fmpq_set(high, d->edge + i + 1);
        if (nearest && i > 0) {
            fmpq_add(low, d->order + i - 1, d->order + i);
            fmpq_div_2exp(low, low, 1);
        }
        if (nearest && i + 1 < d->banks) {
            fmpq_add(high, d->order + i, d->order + i + 1);
            fmpq_div_2exp(high, high, 1);
        }
        for (int side = 0; side < 2; side++) {
            distance_by_definition(x, &ignored, norm, side ? d->order + i : low,
                                   side ? high : d->order + i, T);
            if (fmpq_cmp(x, most) > 0)
                fmpq_set(most, x);
        }
    }
    fmpq_clear(low);
    fmpq_clear(high);
    fmpq_clear(x);
}

/* Whether bound (l2: its square) is at least x and little more. */
static int bounds_tightly(const arf_t bound, const fmpq_t x, banks_norm norm) {
    fmpq_t b, slack;
    fmpq_init(b);
    fmpq_init(slack);
    exact_rational_from_arf(b, bound);
    if (norm == BANKS_L2)
        fmpq_mul(b, b, b);
    set_q(slack, "1.000000001");
    fmpq_mul(slack, slack, x);
    int ok = fmpq_cmp(b, x) >= 0 && fmpq_cmp(b, slack) <= 0;
    fmpq_clear(b);
    fmpq_clear(slack);
    return ok;
}

/* Both chains of random designs, by the definition in Q: within tau, further apart than tau, as
   many as they must be, from delta to 1; both largest errors. */
static void test_place(void **state) {
    (void)state;
    exact_random r = {test_seed("banks-place")};
    fmpq_t delta, tau, d;
    fmpz_t horizon;
    fmpq_init(delta);
    fmpq_init(tau);
    fmpq_init(d);
    fmpz_init(horizon);
    for (long n = 0; n < test_count(24); n++) {
        banks_design design;
        banks_norm norm = (banks_norm)(n % 3);
        slong T = exact_random_integer(&r, 2, 24), ignored;
        fmpq_set_si(delta, exact_random_integer(&r, 1, 60), 97);
        fmpq_set_si(tau, exact_random_integer(&r, 20, 300), 1009);
        fmpz_set_si(horizon, T);
        banks_design_init(&design);
        assert_case(banks_place(&design, norm, delta, horizon, tau, NULL) == BANKS_OK, "place", n);
        assert_case(design.needed == design.banks && design.chain >= 2 * design.banks - 1, "sharp",
                    n);
        assert_case(fmpq_equal(design.edge, delta) && fmpq_is_one(design.edge + design.banks),
                    "ends", n);
        assert_case(design.uniform >= design.banks && design.uniform_sharp, "equal cells", n);
        if (norm == BANKS_L2)
            fmpq_mul(tau, tau, tau);
        for (slong i = 0; i < design.banks; i++)
            for (int side = 0; side < 2; side++) {
                distance_by_definition(d, &ignored, norm, side ? design.order + i : design.edge + i,
                                       side ? design.edge + i + 1 : design.order + i, T);
                assert_case(fmpq_cmp(d, tau) <= 0, "within tau", n);
            }
        for (slong i = 0; i + 1 < design.chain; i++) {
            distance_by_definition(d, &ignored, norm, design.apart + i, design.apart + i + 1, T);
            assert_case(fmpq_cmp(d, tau) > 0, "further apart", n);
        }
        largest_distance(d, &design, norm, 0, T);
        assert_case(bounds_tightly(design.error, d, norm), "largest error", n);
        largest_distance(d, &design, norm, 1, T);
        assert_case(bounds_tightly(design.nearest_error, d, norm), "to the nearest bank", n);
        banks_design_clear(&design);
    }
    fmpq_clear(delta);
    fmpq_clear(tau);
    fmpq_clear(d);
    fmpz_clear(horizon);
}

static int stop(slong banks) {
    return banks >= 3;
}

/* Refused: what is out of range; too many; a tie, said to be one; and an interruption. */
static void test_statuses(void **state) {
    (void)state;
    static const struct {
        const char *delta, *horizon, *tau;
        banks_norm norm;
        banks_status status;
    } cases[] = {{"0", "9", "1/10", BANKS_SUP, BANKS_BAD_ARGUMENT},
                 {"1", "9", "1/10", BANKS_SUP, BANKS_BAD_ARGUMENT},
                 {"1/2", "0", "1/10", BANKS_SUP, BANKS_BAD_ARGUMENT},
                 {"1/2", "9", "0", BANKS_SUP, BANKS_BAD_ARGUMENT},
                 {"1/2", "1e19", "1/10", BANKS_SUP, BANKS_BAD_ARGUMENT},
                 {"1/2", "100001", "1/10", BANKS_L2, BANKS_BAD_ARGUMENT},
                 {"1/2", "9", "1e-9", BANKS_SUP, BANKS_TOO_MANY},
                 {"1/2", "1e9", "1e-2", BANKS_L1, BANKS_TOO_MANY},
                 {"1/40", "1", "1/80", BANKS_SUP, BANKS_OK}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        banks_design d;
        fmpq_t delta, tau;
        fmpz_t horizon;
        fmpq_init(delta);
        fmpq_init(tau);
        fmpz_init(horizon);
        set_q(delta, cases[n].delta);
        set_q(tau, cases[n].tau);
        assert_null(exact_parse_integer(horizon, cases[n].horizon));
        banks_design_init(&d);
        banks_status status = banks_place(&d, cases[n].norm, delta, horizon, tau, NULL);
        assert_case(status == cases[n].status, "status", n);
        if (status ==
            BANKS_OK) /* 39 banks by arithmetic, with nothing to spare: certified up to one */
            assert_true((d.banks == 39 || d.banks == 40) && d.needed <= 39 &&
                        d.needed >= d.banks - 1);
        banks_design_clear(&d);
        if (status == BANKS_OK) {
            banks_design_init(&d);
            assert_int_equal(banks_place(&d, cases[n].norm, delta, horizon, tau, stop),
                             BANKS_STOPPED);
            banks_design_clear(&d);
        }
        fmpq_clear(delta);
        fmpq_clear(tau);
        fmpz_clear(horizon);
    }
}

/* Weights, slopes and bends at a rational order: balls against Q and against the polynomial. */
static void test_orders(void **state) {
    (void)state;
    enum { N = 30 };
    exact_random r = {test_seed("gl-order")};
    fmpq *w = _fmpq_vec_init(N), *first = _fmpq_vec_init(N), *c = _fmpq_vec_init(N),
         *s = _fmpq_vec_init(3);
    arb_ptr x = _arb_vec_init(N), y = _arb_vec_init(N), z = _arb_vec_init(N);
    arb_t alpha;
    arb_init(alpha);
    for (long n = 0; n < test_count(20); n++) {
        fmpq_set_si(s, exact_random_integer(&r, 1, 60), 60);
        exact_gl_order_rational_vec(w, first, s, N);
        arb_set_fmpq(alpha, s, 128);
        exact_gl_order_vec(x, y, z, alpha, N, 128);
        for (slong j = 0; j < N; j++) {
            assert_case(arb_contains_fmpq(x + j, w + j) && arb_contains_fmpq(y + j, first + j),
                        "slopes", n);
            exact_gl_order_polynomial(c, j);
            fmpq_zero(s + 1);
            for (slong k = j; k >= 2; k--) { /* second derivative by Horner */
                fmpq_mul(s + 1, s + 1, s);
                fmpq_set_si(s + 2, k * (k - 1), 1);
                fmpq_addmul(s + 1, s + 2, c + k);
            }
            assert_case(arb_contains_fmpq(z + j, s + 1), "bends", n);
            assert_case(arb_rel_accuracy_bits(y + j) > 100 || fmpq_is_zero(first + j), "narrow", n);
        }
    }
    fmpq_zero(s + 1);
    for (slong j = 0; j <= 50; j++) {
        exact_harmonic(s, (ulong)j);
        assert_true(fmpq_equal(s, s + 1));
        fmpq_set_si(s + 2, 1, (ulong)j + 1);
        fmpq_add(s + 1, s + 1, s + 2);
    }
    arb_clear(alpha);
    _fmpq_vec_clear(w, N);
    _fmpq_vec_clear(first, N);
    _fmpq_vec_clear(c, N);
    _fmpq_vec_clear(s, 3);
    _arb_vec_clear(x, N);
    _arb_vec_clear(y, N);
    _arb_vec_clear(z, N);
}

/* ---- the command ---- */

static void expect_complaint(const char *arguments, const char *words) {
    run_result r = run(MNEME " banks %s", arguments);
    if (r.status != 2 || line_count(r.err) != 1 || strstr(r.err, words) == NULL || r.out[0] != '\0')
        print_error("mneme banks %s: status %d\n%s%s", arguments, r.status, r.out, r.err);
    assert_true(r.status == 2 && line_count(r.err) == 1 && strstr(r.err, words) != NULL);
    assert_string_equal(r.out, "");
    result_clear(&r);
}

static void test_command(void **state) {
    (void)state;
    run_result r = run(MNEME " banks --delta 1/20 --horizon 4096 --error 1e-2");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "# 85 banks serve every order of [1/20,1]"));
    assert_non_null(strstr(r.out, "certified: 84 banks do not suffice (169 orders"));
    assert_non_null(strstr(r.out, "421 are needed"));
    result_clear(&r);
    r = run(MNEME " banks --delta 1/3 --horizon 64 --error 1/4 --norm l1 --format csv | grep -v "
                  "'^#' | head -2");
    assert_true(strncmp(r.out, "order,from,to\n0.", 16) == 0);
    assert_non_null(strstr(r.out, ",1/3,0."));
    result_clear(&r);
    r = run(MNEME " banks --delta 0.3 --horizon 20 --error 1/5 --norm l2 --format json --output "
                  "build/tests/b.json "
                  "--witness build/tests/bank && python3 -c \"import json; "
                  "d=json.load(open('build/tests/b.json')); "
                  "assert d['banks'] == d['needed'] == len(d['orders']) and len(d['apart']) >= "
                  "2*d['banks']-1\" && " MNEME " replay build/tests/bank.upper.json && " MNEME
                  " replay build/tests/bank.lower.json && "
                  "for k in upper lower; do " MNEME
                  " replay --python build/tests/bank.$k.json > build/tests/bank.py && "
                  "python3 build/tests/bank.py || exit 1; done");
    if (r.status != 0)
        print_error("%s%s", r.out, r.err);
    assert_int_equal(r.status, 0);
    result_clear(&r);
    /* a spoiled chain does not replay: one order is left out, so two neighbours are too far
       apart */
    r = run("python3 -c \"import json; p='build/tests/bank.upper.json'; w=json.load(open(p)); "
            "x=w['inputs']['orders']; del x[1]; json.dump(w, open(p,'w'))\" && " MNEME
            " replay build/tests/bank.upper.json");
    assert_int_equal(r.status, 1);
    result_clear(&r);
}

static void test_bad_input(void **state) {
    (void)state;
    expect_complaint("", "--delta is needed");
    expect_complaint("--delta 1/20", "--horizon is needed");
    expect_complaint("--delta 1/20 --horizon 10", "--error is needed");
    expect_complaint("--delta 0 --horizon 10 --error 1/10", "0 < delta < 1 is wanted");
    expect_complaint("--delta 1 --horizon 10 --error 1/10", "0 < delta < 1 is wanted");
    expect_complaint("--delta x --horizon 10 --error 1/10", "\"x\" is not a number");
    expect_complaint("--delta 1/2 --horizon 0 --error 1/10",
                     "a whole number from 1 to 1e18 is wanted");
    expect_complaint("--delta 1/2 --horizon 1.5 --error 1/10", "not a whole number");
    expect_complaint("--delta 1/2 --horizon 1e6 --error 1/10 --norm l2", "1 to 100000 (norm l2)");
    expect_complaint("--delta 1/2 --horizon 10 --error 0", "0 < error is wanted");
    expect_complaint("--delta 1/2 --horizon 10 --error nan", "not a number");
    expect_complaint("--delta 1/2 --horizon 10 --error 1e-12", "a larger one is wanted");
    expect_complaint("--delta 1/2 --horizon 10 --error 1/10 --norm l3", "sup, l1 or l2 is wanted");
    expect_complaint("--delta 1/2 --horizon 10 --error 1/10 --format npy",
                     "table, json or csv is wanted");
    expect_complaint("--delta 1/2 --horizon 10 --error 1/10 --output /nowhere/x", "cannot write");
    expect_complaint("--delta 1/2 --horizon 10 --error 1/10 --witness /nowhere/x", "cannot write");
    expect_complaint("--delta 1/2 --horizon 10 --error 1/10 more", "is not wanted here");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance), cmocka_unit_test(test_few_bits),
        cmocka_unit_test(test_far),      cmocka_unit_test(test_place),
        cmocka_unit_test(test_statuses), cmocka_unit_test(test_orders),
        cmocka_unit_test(test_command),  cmocka_unit_test(test_bad_input)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

/* Log-linear attention's exact helpers, softplus in balls, and best weights for given rates. */
#include "tests/testing.h"

#include "numerics/exact/soe_refit.h"
#include "theorems/loglinear/common.h"
#include "theorems/loglinear/memories/memories.h"

static slong naive_level(ulong t, ulong s) {
    slong level = 0;
    for (; t != s; t >>= 1, s >>= 1)
        level++;
    return level;
}

/* Fails if a level is off by one, or an interval includes a source of another level. */
static void levels_and_intervals(void **state) {
    (void)state;
    assert_int_equal(fenwick_bit_length(0), 0);
    assert_int_equal(fenwick_bit_length(1), 1);
    assert_int_equal(fenwick_bit_length(~UWORD(0)), 64);
    exact_random r = {test_seed("levels")};
    for (long n = 0; n < test_count(2000); n++) {
        ulong t = exact_random_next(&r);
        t >>= exact_random_integer(&r, 0, 63);
        ulong s = t == ~UWORD(0) ? exact_random_next(&r) : exact_random_next(&r) % (t + 1);
        slong level = fenwick_level(t, s), live = 0;
        assert_case(level == naive_level(t, s), "level", n);
        ulong covered = 0;
        for (slong l = -2; l <= 66; l++) {
            ulong first, count;
            int any = fenwick_interval(&first, &count, t, l);
            assert_case(any || (first == 0 && count == 0), "empty level", n);
            assert_case(!any || (l >= 0 && l <= 64), "level out of range", n);
            assert_case((any && s >= first && s - first < count) == (l == level), "membership", n);
            live += any;
            covered += count;
        }
        assert_case(live == fenwick_live(t), "live levels", n);
        assert_case(covered == t + 1, "intervals cover [0,t]", n);
    }
}

/* Fails at the edges: no token, one token, powers of two, the last 64-bit position. */
static void slots_and_merges(void **state) {
    (void)state;
    static const struct {
        ulong steps;
        slong slots;
    } known[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3},   {4, 3},
                 {5, 4}, {8, 4}, {9, 5}, {128, 8}, {129, 9}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(fenwick_slots(known[i].steps), known[i].slots);
    assert_int_equal(fenwick_slots(~UWORD(0)), 65);
    assert_int_equal(fenwick_merges(0), 0);
    assert_int_equal(fenwick_merges(1), 1);
    assert_int_equal(fenwick_merges(11), 2);
    assert_int_equal(fenwick_merges(~UWORD(0)), 64);
    fenwick_counter c;
    fenwick_counter_start(&c);
    assert_int_equal(c.live, 1);
    for (ulong t = 0; t < 5; t++)
        fenwick_counter_step(&c);
    assert_int_equal(c.position, 5); /* 101: {5}, {4}, [0,4) */
    assert_int_equal(c.live, 3);
    assert_int_equal(c.merges, 3);
    assert_true(c.first[1] == 4 && c.count[1] == 1 && c.count[2] == 0);
    assert_true(c.first[3] == 0 && c.count[3] == 4);
}

/* Fails if the sum of popcounts is off at small, random or very large T. */
static void popcount_sums(void **state) {
    (void)state;
    fmpz_t steps, sum, want;
    fmpz_init(steps);
    fmpz_init(sum);
    fmpz_init(want);
    for (slong t = 0; t < 300; t++) {
        fmpz_set_si(steps, t);
        fenwick_popcount_sum(sum, steps);
        assert_true(fmpz_equal(sum, want));
        fmpz_add_si(want, want, fenwick_live((ulong)t) - 1);
    }
    fmpz_one(steps);
    fmpz_mul_2exp(steps, steps, 500);
    fenwick_popcount_sum(sum, steps);
    fmpz_mul_ui(want, steps, 250);
    assert_true(fmpz_equal(sum, want));
    fmpz_clear(steps);
    fmpz_clear(sum);
    fmpz_clear(want);
}

/* Fails if too few columns are read past, or outputs are touched: 129 tokens need 9 columns, not
   8. */
static void few_levels(void **state) {
    (void)state;
    for (slong levels = 8; levels <= 10; levels++) {
        loglinear_case c;
        loglinear_case_init(&c, 129, 1, 1, levels);
        for (slong t = 0; t < 129; t++) {
            fmpq_set_si(c.y + t, -7, 1);
            fmpq_set_si(c.z + t, -7, 1);
            fmpq_one(c.gate + t);
            fmpq_one(c.q + t);
            fmpq_one(c.k + t);
            fmpq_one(c.v + t);
            for (slong l = 0; l < levels; l++)
                fmpq_one(c.lambda + t * levels + l);
        }
        fenwick_status want = levels == 8 ? FENWICK_FEW_LEVELS : FENWICK_OK;
        assert_int_equal(fenwick_recurrence(c.y, c.q, c.k, c.v, c.gate, c.lambda, &c.shape, NULL),
                         want);
        assert_int_equal(fenwick_masked(c.z, c.q, c.k, c.v, c.gate, c.lambda, &c.shape), want);
        for (slong t = 0; t < 129; t++) { /* all ones: the output counts the tokens */
            slong value = levels == 8 ? -7 : t + 1;
            assert_int_equal(fmpq_cmp_si(c.y + t, value), 0);
            assert_int_equal(fmpq_cmp_si(c.z + t, value), 0);
        }
        loglinear_case_clear(&c);
    }
    fenwick_shape bad[] = {{-1, 1, 1, 1}, {1, -1, 1, 1}, {1, 1, -1, 1}, {1, 1, 1, -1}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(fenwick_recurrence(NULL, NULL, NULL, NULL, NULL, NULL, bad + i, NULL),
                         FENWICK_BAD_SHAPE);
        assert_int_equal(fenwick_masked(NULL, NULL, NULL, NULL, NULL, NULL, bad + i),
                         FENWICK_BAD_SHAPE);
    }
    fenwick_shape empty = {0, 2, 3, 0};
    fenwick_operations ops = {9, 9, 9, 9, 9};
    assert_int_equal(fenwick_recurrence(NULL, NULL, NULL, NULL, NULL, NULL, &empty, &ops),
                     FENWICK_OK);
    assert_true(ops.gate == 0 && ops.merge == 0 && ops.write == 0 && ops.read == 0 &&
                ops.live == 0);
}

/* Fails if a gate or lambda is applied at the wrong token: three tokens by hand. */
static void three_tokens(void **state) {
    (void)state;
    static const slong lambda[] = {2, 3, 5, 7, 11, 13, 17, 19, 23}, gate[] = {29, 31, 37};
    loglinear_case c;
    loglinear_case_init(&c, 3, 1, 1, 3);
    for (slong t = 0; t < 3; t++) {
        fmpq_one(c.q + t);
        fmpq_one(c.k + t);
        fmpq_set_si(c.v + t, t == 0 ? 1 : t == 1 ? 100 : 10000, 1);
        fmpq_set_si(c.gate + t, gate[t], 1);
        for (slong l = 0; l < 3; l++)
            fmpq_set_si(c.lambda + 3 * t + l, lambda[3 * t + l], 1);
    }
    /* levels: t=0: {0}; t=1: 1 at level 0, 0 at level 1; t=2: 2 at level 0, 0 and 1 at level 2 */
    slong want[] = {2, 7 * 100 + 11 * 31, 17 * 10000 + 23 * 37 * (100 + 31)};
    assert_int_equal(fenwick_recurrence(c.y, c.q, c.k, c.v, c.gate, c.lambda, &c.shape, NULL),
                     FENWICK_OK);
    assert_int_equal(fenwick_masked(c.z, c.q, c.k, c.v, c.gate, c.lambda, &c.shape), FENWICK_OK);
    for (slong t = 0; t < 3; t++) {
        assert_int_equal(fmpq_cmp_si(c.y + t, want[t]), 0);
        assert_int_equal(fmpq_cmp_si(c.z + t, want[t]), 0);
    }
    loglinear_case_clear(&c);
}

/* Fails if recurrence and mask differ anywhere; random shapes, gates 0 among them. */
static void recurrence_is_mask(void **state) {
    (void)state;
    exact_random r = {test_seed("mask")};
    for (long n = 0; n < test_count(20); n++) {
        slong steps = exact_random_integer(&r, 1, 40), keys = exact_random_integer(&r, 1, 3),
              values = exact_random_integer(&r, 1, 3),
              slots = fenwick_slots((ulong)steps) + exact_random_integer(&r, 0, 2);
        loglinear_case c;
        loglinear_case_init(&c, steps, keys, values, slots);
        loglinear_case_random(&c, &r);
        assert_case(fenwick_recurrence(c.y, c.q, c.k, c.v, c.gate, c.lambda, &c.shape, NULL) ==
                        FENWICK_OK,
                    "recurrence", n);
        assert_case(fenwick_masked(c.z, c.q, c.k, c.v, c.gate, c.lambda, &c.shape) == FENWICK_OK,
                    "mask", n);
        for (slong i = 0; i < steps * c.shape.width; i++)
            assert_case(fmpq_equal(c.y + i, c.z + i), "outputs", n);
        loglinear_case_clear(&c);
    }
}

/* Fails if softplus loses its tails, or widens a ball that contains 0 to nothing. */
static void softplus_tails(void **state) {
    (void)state;
    arb_t z, x, want;
    arb_init(z);
    arb_init(x);
    arb_init(want);
    arb_zero(z); /* ln 2 */
    loglinear_softplus(x, z, 128);
    arb_const_log2(want, 128);
    assert_true(arb_overlaps(x, want) && arb_rel_accuracy_bits(x) > 110);
    arb_set_si(z, -20); /* 2.0611537e-9 */
    loglinear_softplus(x, z, 128);
    arb_set_str(want, "2.0611536e-9 +/- 1e-16", 128);
    assert_true(arb_contains(want, x) && arb_rel_accuracy_bits(x) > 110);
    arb_set_si(z, 10000);
    loglinear_softplus(x, z, 128);
    assert_true(arb_contains_si(x, 10000) && arb_rel_accuracy_bits(x) > 110);
    arb_set_si(z, -10000000);
    loglinear_softplus(x, z, 128);
    assert_true(arb_is_positive(x) && arb_rel_accuracy_bits(x) > 90);
    arb_set_d(z, 0.25); /* wider input, wider output, which still contains what it should */
    loglinear_softplus(want, z, 128);
    arb_set_d(z, 0);
    mag_set_d(arb_radref(z), 0.5);
    loglinear_softplus(x, z, 128);
    assert_true(arb_contains(x, want) && arb_is_finite(x));
    loglinear_softplus_slope(x, z, 128);
    arb_set_d(want, 0.5);
    assert_true(arb_contains(x, want) && arb_is_positive(x));
    arb_clear(z);
    arb_clear(x);
    arb_clear(want);
}

/* Fails if sums of powers by zeta functions differ from the terms, at the pole of zeta too; or if
   the worst block is missed at large positions. */
static void memories_helpers(void **state) {
    (void)state;
    static const char *const orders[] = {"1/2", "1", "3/5", "7/5"};
    fmpq_t q;
    arb_t x, y;
    fmpq_init(q);
    arb_init(x);
    arb_init(y);
    for (int i = 0; i < 4; i++)
        for (ulong first = 1; first <= 64; first *= 8) {
            set_q(q, orders[i]);
            memories_power_sum(x, q, first, 3 * first, 128);
            memories_power_sum_direct(y, q, first, 3 * first, 128);
            assert_true(arb_overlaps(x, y));
            assert_true(arb_rel_accuracy_bits(x) > 90 && arb_rel_accuracy_bits(y) > 90);
        }
    set_q(q, "1/2");
    memories_block_error(x, q, 5, 5, 64); /* one lag: exact */
    assert_true(arb_contains_zero(x));
    memories_block_error(x, q, 1, 9, 64); /* r = 3: 1/2 */
    arb_set_d(y, 0.5);
    assert_true(arb_overlaps(x, y) && arb_rel_accuracy_bits(x) > 50);
    memories_position_error(x, q, UWORD(1) << 60, 64); /* ratio 2^60: (2^30-1)/(2^30+1) */
    memories_block_error(y, q, 1, UWORD(1) << 60, 64);
    assert_true(arb_overlaps(x, y));
    memories_position_error(x, q, ~UWORD(0) >> 1, 64); /* 2^63 - 1: near (sqrt 2-1)/(sqrt 2+1) */
    arb_set_str(y, "0.171572875 +/- 1e-9", 64);
    assert_true(arb_contains(y, x));
    fmpq_clear(q);
    arb_clear(x);
    arb_clear(y);
}

/* Fails if the weights are not the best for their rates (upper and lower bound apart), or bad
   arguments are taken. */
static void best_weights(void **state) {
    (void)state;
    static const char *const betas[] = {"3/10", "1/2", "7/10", "2"};
    fmpq_t beta;
    fmpz_t horizon;
    arf_t lower;
    soe_bound_t bound;
    soe_sum_t sum;
    soe_kernel_t kernel;
    fmpq_init(beta);
    fmpz_init(horizon);
    arf_init(lower);
    soe_bound_init(bound);
    for (int i = 0; i < 4; i++)
        for (slong terms = 2; terms <= 17; terms += 5) {
            set_q(beta, betas[i]);
            fmpz_set_ui(horizon, terms == 2 ? 2 : 100000);
            soe_kernel_init(kernel, SOE_KERNEL_POWER, beta);
            soe_sum_init(sum, terms, SOE_RATE);
            soe_log_spaced_rates(sum, horizon);
            assert_int_equal(fmpq_cmp_si(sum->mode, 1), 0);
            assert_int_equal(soe_refit(sum, lower, kernel, horizon), SOE_OK);
            assert_int_equal(soe_certify(bound, kernel, sum, horizon, SOE_RELATIVE, 0, 1e-2, 64),
                             SOE_OK);
            double low = arf_get_d(lower, ARF_RND_DOWN), high = arf_get_d(bound->upper, ARF_RND_UP);
            assert_true(low > 0 && low <= high && high < 1.05 * low);
            soe_sum_clear(sum);
            soe_kernel_clear(kernel);
        }
    soe_sum_init(sum, 2, SOE_RATE); /* equal rates */
    soe_kernel_init(kernel, SOE_KERNEL_POWER, beta);
    assert_int_equal(soe_refit(sum, lower, kernel, horizon), SOE_BAD_ARGUMENT);
    soe_log_spaced_rates(sum, horizon);
    fmpz_set_ui(horizon, 1);
    assert_int_equal(soe_refit(sum, lower, kernel, horizon), SOE_BAD_ARGUMENT);
    kernel->kind = SOE_KERNEL_GL;
    fmpz_set_ui(horizon, 100);
    assert_int_equal(soe_refit(sum, lower, kernel, horizon), SOE_BAD_ARGUMENT);
    soe_sum_clear(sum);
    soe_kernel_clear(kernel);
    fmpq_clear(beta);
    fmpz_clear(horizon);
    arf_clear(lower);
    soe_bound_clear(bound);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_and_intervals), cmocka_unit_test(slots_and_merges),
        cmocka_unit_test(popcount_sums),        cmocka_unit_test(few_levels),
        cmocka_unit_test(three_tokens),         cmocka_unit_test(recurrence_is_mask),
        cmocka_unit_test(softplus_tails),       cmocka_unit_test(memories_helpers),
        cmocka_unit_test(best_weights)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

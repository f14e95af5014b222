/* The claims' own form, and their certificates: broken ones are found. */
#include "tests/testing.h"
#include "reports/runner.h"
#include "theorems/statistics.h"
#include "theorems/work_unit.h"

#include <math.h>

static void test_well_formed(void **state) { /* a claim without controls, proof or correction */
    (void)state;
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        const char *defect = claim_defect(*c);
        if (defect != NULL)
            print_error("%s\n", defect);
        assert_null(defect);
        for (const claim *const *other = claim_registry; other != c; other++)
            assert_string_not_equal((*other)->id, (*c)->id); /* registered twice */
    }
}

/* The certificate itself is broken: a digit of a supremum, a missing table. */
static void run_with_table(check_context *ctx, const check *k, series **table, slong count) {
    check_context_init(ctx);
    ctx->claim = claim_registry[4];
    ctx->prec = 128;
    ctx->certificates = count;
    ctx->certificate = table;
    k->run(ctx, k->parameter);
}

static void test_broken_certificate(void **state) {
    (void)state;
    slong count;
    char *complaint = NULL;
    check_context ctx;
    const check *k = claim_check(claim_registry[4], "sup-errors");
    series **tables = runner_certificates(claim_registry[4], "reports", &count, &complaint);
    assert_int_equal(count, 1);
    run_with_table(&ctx, k, tables, count);
    assert_int_equal(ctx.outcome, TRUTH_HOLDS);
    check_context_clear(&ctx);
    run_with_table(&ctx, k, NULL, 0); /* broken: no table */
    assert_int_equal(ctx.outcome, TRUTH_FAILS);
    check_context_clear(&ctx);
    enclosure_struct *sup = (enclosure_struct *)(uintptr_t)series_cell(tables[0], 0, "sup");
    arb_mul_ui(sup->ball, sup->ball, 101, 128); /* broken: the first supremum is 1% larger */
    arb_div_ui(sup->ball, sup->ball, 100, 128);
    run_with_table(&ctx, k, tables, count);
    assert_int_equal(ctx.outcome, TRUTH_FAILS);
    check_context_clear(&ctx);
    runner_certificates_free(tables, count);
}

static const claim *claim_named(const char *id) {
    const claim *const *c = claim_registry;
    while (strcmp((*c)->id, id) != 0)
        c++;
    return *c;
}

/* What level extended computes is what is committed, but for the last digits: the first unit of each table,
   which is its first rows. */
static void test_computed_certificates(void **state) {
    (void)state;
    static const char *const computed[][2] = {{"vort.soe-rate", "sup-errors"},
                                              {"vort.soe-terms", "table"}};
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    for (int n = 0; n < 2; n++) {
        slong count;
        char *complaint = NULL;
        check_context ctx;
        const claim *c = claim_named(computed[n][0]);
        const check *k = claim_check(c, computed[n][1]);
        series **tables = runner_certificates(c, "reports", &count, &complaint);
        check_context_init(&ctx);
        ctx.claim = c;
        ctx.level = LEVEL_EXTENDED;
        ctx.prec = 128;
        ctx.certificates = count;
        ctx.certificate = tables;
        k->run(&ctx, k->parameter);
        assert_case(ctx.outcome == TRUTH_HOLDS, ctx.label, n);
        assert_int_equal(ctx.tables, count);
        for (slong t = 0; t < count; t++) {
            const series *found = ctx.table[t], *committed = claim_certificate(&ctx, found->id);
            assert_non_null(committed);
            assert_int_equal(found->columns, committed->columns);
            assert_case(found->rows >= 7 && found->rows < committed->rows, found->id, found->rows);
            for (slong i = 0; i < found->rows * found->columns; i++) {
                enclosure_get_ball(x, found->value + i, 128);
                enclosure_get_ball(y, committed->value + i, 128);
                arb_sub(x, x, y, 128);
                arb_mul_2exp_si(y, y, -30);
                arb_add_error(x, y);
                assert_case(arb_contains_zero(x), found->id, i);
            }
        }
        check_context_clear(&ctx);
        runner_certificates_free(tables, count);
    }
    arb_clear(x);
    arb_clear(y);
}

/* The table of the least numbers of terms: every way of spoiling a cell that is looked at. */
static void test_broken_table(void **state) {
    (void)state;
    const claim *c = claim_named("vort.soe-terms");
    const check *k = claim_check(c, "table");
    for (int how = 0; how < 8; how++) {
        slong count, first = 0, last = 0;
        char *complaint = NULL;
        check_context ctx;
        series **tables = runner_certificates(c, "reports", &count, &complaint);
        assert_int_equal(count, 2);
        series *cells = strcmp(tables[0]->id, "certificate-cells") == 0 ? tables[0] : tables[1],
               *numbers = tables[0] == cells ? tables[1] : tables[0];
        while (fmpq_sgn(numbers->value[first * 4].rational) != 0) /* a row of cell 0, looked at */
            first++;
        enclosure_struct *row = numbers->value + first * 4;
        while (fmpq_cmp_si(numbers->value[last * 4].rational, 26) <=
               0) /* the last point of cell 26 */
            last++;
        enclosure_struct *end = numbers->value + (last - 1) * 4 + 2;
        assert_int_equal(fmpq_cmp_si(end->rational, 100), 0); /* at its horizon */
        if (how == 1) /* broken: one term is claimed to be enough in cell 0 less than there are */
            fmpq_set_si(cells->value[5].rational, 40, 1);
        if (how == 2) /* broken: the cell's order */
            fmpq_set_si(cells->value[1].rational, 1, 3);
        if (how == 3) /* broken: a rate below 0 (no bound at all) */
            fmpq_set_si(row[3].rational, -1, 1);
        if (how == 4) /* broken: a weight ten times as large */
            fmpq_set_si(row[2].rational, 10, 1);
        if (how == 5) /* broken: a row is missing */
            cells->rows--;
        if (how == 6) /* broken: the point beyond the horizon, where the bound is none for [1,T] */
            fmpq_set_si(end->rational, 101, 1);
        if (how == 7) /* broken: it came before the last but one */
            fmpq_set_si(end->rational, 1, 1);
        check_context_init(&ctx);
        ctx.claim = c;
        ctx.prec = 128;
        ctx.certificates = count;
        ctx.certificate = tables;
        k->run(&ctx, k->parameter);
        assert_case(how == 0 ? ctx.outcome == TRUTH_HOLDS : ctx.outcome != TRUTH_HOLDS,
                    "broken table", how);
        check_context_clear(&ctx);
        if (how == 5)
            cells->rows++;
        runner_certificates_free(tables, count);
    }
}

/* claim_defect finds each kind of malformed claim. */
static void test_defects(void **state) {
    (void)state;
    static const char *const steps[] = {"one step", NULL}, *const none[] = {NULL};
    statement s[] = {{"s", STATEMENT_PUBLISHED, VERDICT_PROVED, "t", "t", NULL, steps}, {NULL}};
    check k[] = {{"k", "s", VERDICT_PROVED, EVIDENCE_PROOF, LEVEL_QUICK, NULL, NULL, {1, 1, 1}, 0},
                 {NULL}};
    control n[] = {{"n", "k", "something", NULL}, {NULL}};
    static const setting no_settings[] = {{NULL}};
    claim c = {"c", "t", "s", none, s, k, n, no_settings, none};
    assert_null(claim_defect(&c));
    n[0].check = "other"; /* broken: the control belongs to no check */
    assert_non_null(claim_defect(&c));
    n[0].check = "k";
    k[0].evidence = EVIDENCE_FINITE; /* broken: a finite set "proves" */
    assert_non_null(claim_defect(&c));
    k[0].evidence = EVIDENCE_PROOF;
    s[0].proof = NULL; /* broken: proved without a proof */
    assert_non_null(claim_defect(&c));
    s[0].proof = steps;
    s[0].pinned = k[0].pinned = VERDICT_REFUTED; /* broken: refuted, and nothing said instead */
    assert_non_null(claim_defect(&c));
    s[0].instead = "the opposite";
    assert_null(claim_defect(&c));
    k[0].statement = "other"; /* broken: the statement has no check */
    assert_non_null(claim_defect(&c));
}

/* Seeds depend on claim, check, index and base seed, and on nothing else. */
static void test_seeds(void **state) {
    (void)state;
    work_unit a, b;
    assert_true(work_unit_find(&a, "vort.markov/recurrence/0", LEVEL_QUICK, 1));
    assert_true(work_unit_find(&b, "vort.markov/recurrence/0", LEVEL_FULL, 1));
    assert_int_equal(a.seed, b.seed);
    assert_true(work_unit_find(&b, "vort.markov/recurrence~one-lag-late/0", LEVEL_QUICK, 1));
    assert_int_equal(a.seed, b.seed);
    assert_true(work_unit_find(&b, "vort.markov/recurrence/0", LEVEL_QUICK, 2));
    assert_int_not_equal(a.seed, b.seed);
    assert_true(work_unit_find(&b, "vort.markov/keyed/0", LEVEL_QUICK, 1));
    assert_int_not_equal(a.seed, b.seed);
    assert_false(work_unit_find(&b, "vort.markov/recurrence/1", LEVEL_QUICK, 1));
    assert_false(work_unit_find(&b, "nothing", LEVEL_QUICK, 1));
}

static void test_shares(void **state) { /* Clopper and Pearson's tables; Student's */
    (void)state;
    enclosure_measurement m = statistics_share(5, 10, 0.95, 1);
    assert_true(fabs(m.lower - 0.187086) < 1e-6 && fabs(m.upper - 0.812914) < 1e-6);
    m = statistics_share(0, 10, 0.95, 1);
    assert_true(m.lower <= 0 && fabs(m.upper - 0.308497) < 1e-6);
    m = statistics_share(10, 10, 0.95, 1);
    assert_true(fabs(m.lower - 0.691503) < 1e-6 && m.upper >= 1);
    const double x[4] = {1, 2, 3, 4}; /* mean 5/2, s = 1.290994, t_3(0.995) = 5.840909 */
    m = statistics_mean(x, 4, 0.99, 0, 1);
    assert_true(fabs(m.estimate - 2.5) < 1e-12 && fabs(m.upper - 2.5 - 3.770290) < 1e-5);
    const double all[3] = {1, 1, 1};
    m = statistics_mean(all, 3, 0.99, 1, 1);
    assert_true(fabs(m.lower - pow(0.01, 1 / 3.0)) < 1e-12 && m.upper >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_well_formed),
                                       cmocka_unit_test(test_broken_certificate),
                                       cmocka_unit_test(test_computed_certificates),
                                       cmocka_unit_test(test_broken_table),
                                       cmocka_unit_test(test_defects),
                                       cmocka_unit_test(test_seeds),
                                       cmocka_unit_test(test_shares)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

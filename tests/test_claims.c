/* Every check of every claim, in this process: it finds its pinned verdict, and it has been seen to
   fail.  What is broken each time is the control's own sentence, printed as it goes. */
#include "tests/testing.h"
#include "reports/runner.h"
#include "theorems/work_unit.h"

/* The committed tables of a claim, read once. */
static truth outcome_of(const work_unit *u, int *positive_margin) {
    check_context ctx;
    slong count;
    char *complaint = NULL;
    series **tables = runner_certificates(u->claim, "reports", &count, &complaint);
    assert_non_null(tables);
    check_context_init(&ctx);
    ctx.claim = u->claim;
    ctx.level = u->level;
    ctx.index = u->index;
    ctx.seed = u->seed;
    ctx.certificates = count;
    ctx.certificate = tables;
    for (ctx.prec = PREC_START; ctx.prec <= PREC_CAP; ctx.prec *= 2) {
        check_context_reset(&ctx);
        u->check->run(&ctx, u->control != NULL ? u->control->parameter : u->check->parameter);
        if (ctx.outcome != TRUTH_UNDECIDED)
            break;
    }
    truth t = ctx.decisions > 0 ? ctx.outcome : TRUTH_UNDECIDED;
    *positive_margin = arf_sgn(ctx.margin) > 0;
    check_context_clear(&ctx);
    runner_certificates_free(tables, count);
    return t;
}

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

/* Claims that run on request take minutes, controls and all: make experiments runs them. */
static void test_pinned_and_broken(void **state) {
    (void)state;
    const char *seed = getenv("SEED");
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        if ((*c)->on_request)
            continue;
        work_unit *list = NULL;
        slong count = 0;
        work_unit_plan(&list, &count, *c, LEVEL_QUICK, seed != NULL ? strtoul(seed, NULL, 10) : 1);
        for (slong i = 0; i < count; i++) {
            char name[WORK_UNIT_NAME];
            int margin;
            work_unit_name(name, list + i);
            truth t = outcome_of(list + i, &margin);
            int refuted = list[i].check->pinned == VERDICT_REFUTED;
            if (list[i].control != NULL) {
                print_message("%s: broken: %s\n", name, list[i].control->changed);
                assert_case(t == (refuted ? TRUTH_HOLDS : TRUTH_FAILS) && (refuted || margin), name,
                            i);
            } else {
                assert_case(t == (refuted ? TRUTH_FAILS : TRUTH_HOLDS), name, i);
            }
        }
        flint_free(list);
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

/* The table of the least numbers of terms: every way of spoiling a cell that is looked at. */
static void test_broken_table(void **state) {
    (void)state;
    const claim *c = NULL;
    for (const claim *const *p = claim_registry; *p != NULL; p++)
        if (strcmp((*p)->id, "vort.soe-terms") == 0)
            c = *p;
    const check *k = claim_check(c, "table");
    for (int how = 0; how < 6; how++) {
        slong count, first = 0;
        char *complaint = NULL;
        check_context ctx;
        series **tables = runner_certificates(c, "reports", &count, &complaint);
        assert_int_equal(count, 2);
        series *cells = strcmp(tables[0]->id, "certificate-cells") == 0 ? tables[0] : tables[1],
               *numbers = tables[0] == cells ? tables[1] : tables[0];
        while (fmpq_sgn(numbers->value[first * 4].rational) != 0) /* a row of cell 0, looked at */
            first++;
        enclosure_struct *row = numbers->value + first * 4;
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_well_formed),
                                       cmocka_unit_test(test_pinned_and_broken),
                                       cmocka_unit_test(test_broken_certificate),
                                       cmocka_unit_test(test_broken_table),
                                       cmocka_unit_test(test_defects),
                                       cmocka_unit_test(test_seeds)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

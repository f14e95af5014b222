/* Every cell of the table between its bounds, and beside what the constructions of the text need. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe_theory.h"
#include "theorems/vort/soe_terms/bounds.h"
#include "theorems/vort/soe_terms/table.h"

/* ---- every cell between its bounds ---- */

/* lower bound for any nodes (relative: power kernel and one certified matrix; absolute: the relative
   bound on [1,T'] for T' <= T with epsilon/w_T') <= S* <= explicit construction. */
void check_bounds(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter; /* number: factor of the explicit bound */
    static const char *const columns[] = {"relative", "1",      "horizon",  "1",     "alpha",
                                          "1",        "digits", "1",        "terms", "1",
                                          "lower",    "1",      "explicit", "1"};
    series *table =
        series_new("vort-soe-bounds", "Least number of terms between its bounds", 7, columns);
    slong count = table_cells(ctx), looked_at = 0;
    fmpq_t factor;
    fmpq_init(factor);
    vort_rational(factor, p->number);
    for (slong i = 0; i < count; i++) {
        /* quick: one cell in 19 (no period of the table); full: all, in eight units */
        if (ctx->level == LEVEL_QUICK ? i % 19 != 7 : i % 8 != ctx->index)
            continue;
        looked_at++;
        table_cell c;
        arb_t error, upper, terms, x;
        table_cell_init(&c);
        arb_init(error);
        arb_init(upper);
        arb_init(terms);
        arb_init(x);
        table_read(ctx, &c, i);
        table_log_target(error, &c, 128);
        arb_exp(error, error, 128);
        slong lower = 0;
        if (c.error == SOE_RELATIVE) {
            lower = soe_terms_gl_matrix_lower(c.alpha, c.horizon, error, 128);
        } else { /* absolute epsilon on [1,T] is relative epsilon/w_T' on [1,T'] */
            fmpz_t shorter;
            fmpz_init_set_ui(shorter, 10);
            for (; fmpz_cmp(shorter, c.horizon) <= 0; fmpz_mul_ui(shorter, shorter, 10)) {
                exact_gl_ball(x, c.alpha, shorter, 128);
                arb_div(x, error, x, 128);
                arb_sub_ui(terms, x, 1, 128);
                if (arb_is_negative(terms))
                    lower = FLINT_MAX(lower, soe_terms_gl_matrix_lower(c.alpha, shorter, x, 128));
            }
            fmpz_clear(shorter);
        }
        slong enough = soe_terms_explicit(c.alpha, c.horizon, c.error == SOE_ABSOLUTE, error, 128);
        claim_decide_si(ctx, "lower bound for any nodes <= S*", lower, RELATION_LE, c.terms);
        claim_decide_si(ctx, "the explicit construction exists", enough > 0, RELATION_EQ, 1);
        arb_set_si(upper, enough);
        arb_mul_fmpz(upper, upper, fmpq_numref(factor), 64);
        arb_div_fmpz(upper, upper, fmpq_denref(factor), 64);
        arb_set_si(terms, c.terms);
        claim_decide_arb(ctx, "S* <= terms of the explicit construction", terms, RELATION_LE,
                         upper);
        enclosure_struct *row = series_append(table);
        fmpq_t q;
        fmpq_init(q);
        fmpq_set_fmpz(q, c.horizon);
        enclosure_set_integer(row, c.error == SOE_RELATIVE);
        enclosure_set_rational(row + 1, q);
        enclosure_set_rational(row + 2, c.alpha);
        enclosure_set_integer(row + 3, c.digits);
        enclosure_set_integer(row + 4, c.terms);
        enclosure_set_integer(row + 5, lower);
        enclosure_set_integer(row + 6, enough);
        fmpq_clear(q);
        table_cell_clear(&c);
        arb_clear(error);
        arb_clear(upper);
        arb_clear(terms);
        arb_clear(x);
    }
    claim_sample(ctx, looked_at, count);
    claim_table(ctx, table);
    fmpq_clear(factor);
}

/* ---- what the constructions of the text need ---- */

/* terms := the fewest found for the method with certified error <= the cell's target, or 0 where its
   law asks for more than 200. */
static slong method_terms(const table_cell *c, soe_method method) {
    fmpq_t target;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    slong terms = 0;
    fmpq_init(target);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    fmpq_set_si(target, 10, 1);
    fmpq_pow_si(target, target, -c->digits);
    if (soe_expected_terms(method, c->alpha, c->horizon, c->error, target) <= 200 &&
        soe_design_error(sum, bound, &design, method, c->alpha, c->horizon, c->error, target,
                         NULL) == SOE_OK)
        terms = sum->terms;
    fmpq_clear(target);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    return terms;
}

/* alpha = 1/2: the paper's construction and the trapezoid beside the least number.  quick: targets 10^-2
   and 10^-4, T = 100; full: all of them whose law asks for at most 200 terms.  number: factor of
   their terms (1; the control takes 1/10). */
void check_paper(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const char *const columns[] = {"relative", "1", "horizon",  "1", "digits",    "1",
                                          "terms",    "1", "legendre", "1", "trapezoid", "1"};
    series *table = series_new("vort-soe-paper", "Terms of the text's constructions (0: not tried)",
                               6, columns);
    slong count = table_cells(ctx);
    fmpq_t factor, some, least;
    fmpq_init(factor);
    fmpq_init(some);
    fmpq_init(least);
    vort_rational(factor, p->number);
    for (slong i = 0, taken = 0; i < count; i++) {
        table_cell c;
        table_cell_init(&c);
        table_read(ctx, &c, i);
        int wanted = fmpz_cmp_si(fmpq_denref(c.alpha), 2) == 0;
        if (ctx->level == LEVEL_QUICK)
            wanted = wanted && c.digits <= 4 && fmpz_cmp_si(c.horizon, 100) <= 0;
        else
            wanted = wanted && taken++ % 8 == ctx->index;
        if (wanted) {
            slong legendre = method_terms(&c, SOE_LEGENDRE),
                  trapezoid = method_terms(&c, SOE_TRAPEZOID);
            fmpq_set_si(least, c.terms, 1);
            if (legendre > 0) {
                fmpq_set_si(some, legendre, 1);
                fmpq_mul(some, some, factor);
                claim_decide_fmpq(ctx, "S* <= terms of the paper's construction", least,
                                  RELATION_LE, some);
            }
            if (trapezoid > 0) {
                fmpq_set_si(some, trapezoid, 1);
                fmpq_mul(some, some, factor);
                claim_decide_fmpq(ctx, "S* <= terms of the trapezoid", least, RELATION_LE, some);
            }
            enclosure_struct *row = series_append(table);
            fmpq_set_fmpz(some, c.horizon);
            enclosure_set_integer(row, c.error == SOE_RELATIVE);
            enclosure_set_rational(row + 1, some);
            enclosure_set_integer(row + 2, c.digits);
            enclosure_set_integer(row + 3, c.terms);
            enclosure_set_integer(row + 4, legendre);
            enclosure_set_integer(row + 5, trapezoid);
        }
        table_cell_clear(&c);
    }
    claim_table(ctx, table);
    fmpq_clear(factor);
    fmpq_clear(some);
    fmpq_clear(least);
}

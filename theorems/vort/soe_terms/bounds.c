/* The theorems around the table: necessity for any nodes, sufficiency by an explicit construction, and
   what they say of "S = O(log(T/epsilon))". */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe_theory.h"
#include "theorems/vort/soe_terms/bounds.h"
#include "theorems/vort/soe_terms/table.h"

/* ---- aliasing: the infinite trapezoid ---- */

/* number: factor of the bound (1).  The rule's value at j, all of it but e^-wp of both tails. */
void check_aliasing(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const char *const steps[] = {"1/2", "1", "3/2", "2", NULL};
    static const ulong indices[] = {0, 1, 2, 10, 1000, 100000};
    slong orders, prec = ctx->prec + 64;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpq_t step, factor;
    fmpz_t j;
    arb_t h, bound, value, w, v, beta, x, y, s;
    fmpq_init(step);
    fmpq_init(factor);
    fmpz_init(j);
    arb_init(h);
    arb_init(bound);
    arb_init(value);
    arb_init(w);
    arb_init(v);
    arb_init(beta);
    arb_init(x);
    arb_init(y);
    arb_init(s);
    vort_rational(factor, p->number);
    for (slong n = 1; n < orders; n += 2)
        for (int k = 0; steps[k] != NULL; k++) {
            vort_rational(step, steps[k]);
            arb_set_fmpq(h, step, prec);
            soe_aliasing_bound(bound, alpha + n, h, prec);
            arb_mul_fmpz(bound, bound, fmpq_numref(factor), prec);
            arb_div_fmpz(bound, bound, fmpq_denref(factor), prec);
            arb_set_fmpq(beta, alpha + n, prec);
            arb_sub_ui(beta, beta, 1, prec);
            arb_neg(beta, beta);
            for (int i = 0; i < 6; i++) {
                /* sum over v = kh, |v| <= 64/beta: tails e^(beta v)/(1-e^(-beta h)), e^(-alpha v)/(...) */
                slong reach = 200 * fmpz_get_si(fmpq_denref(step)) /
                              fmpz_get_si(fmpq_numref(step)) *
                              FLINT_MAX(fmpz_get_si(fmpq_denref(alpha + n)), 2);
                arb_zero(value);
                for (slong m = -reach; m <= reach; m++) {
                    arb_mul_si(v, h, m, prec);
                    arb_exp(x, v, prec);
                    arb_log1p(x, x, prec);
                    arb_mul_ui(x, x, indices[i] + 1, prec);
                    arb_mul(y, beta, v, prec);
                    arb_sub(y, y, x, prec);
                    arb_exp(y, y, prec);
                    arb_add(value, value, y, prec);
                }
                for (int side = 0; side < 2; side++) { /* geometric tails */
                    arb_set(s, beta);
                    if (side) {
                        arb_sub_ui(s, s, 1, prec);
                        arb_neg(s, s); /* alpha <= alpha + j */
                    }
                    arb_mul(x, s, h, prec);
                    arb_neg(x, x);
                    arb_mul_si(y, x, reach + 1, prec);
                    arb_exp(y, y, prec);
                    arb_expm1(x, x, prec);
                    arb_neg(x, x);
                    arb_div(y, y, x, prec);
                    arb_add_error(value, y);
                }
                arb_mul(value, value, h, prec);
                arb_sin_pi_fmpq(s, alpha + n, prec);
                arb_mul(value, value, s, prec);
                arb_const_pi(s, prec);
                arb_div(value, value, s, prec);
                fmpz_set_ui(j, indices[i]);
                exact_gl_ball(w, alpha + n, j, prec);
                arb_div(value, value, w, prec);
                arb_sub_ui(value, value, 1, prec);
                arb_abs(value, value);
                claim_decide_arb(ctx,
                                 "relative error of the infinite trapezoid <= its aliasing bound",
                                 value, RELATION_LE, bound);
            }
        }
    fmpq_clear(step);
    fmpq_clear(factor);
    fmpz_clear(j);
    arb_clear(h);
    arb_clear(bound);
    arb_clear(value);
    arb_clear(w);
    arb_clear(v);
    arb_clear(beta);
    arb_clear(x);
    arb_clear(y);
    arb_clear(s);
    vort_orders_free(alpha);
}

/* ---- the symbol ---- */

/* f(pi)/f(0) by its Gamma series against the alternating and plain sums of (2 cosh(kh/2))^-beta, which
   are the symbol's values at pi and 0 by definition.  number: what is added to beta there (0). */
void check_symbol(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const char *const steps[] = {"1/2", "1", "2", "4", NULL};
    static const char *const betas[] = {"1/20", "1/2", "9/10", "1", "3/2", NULL};
    slong prec = ctx->prec + 64;
    fmpq_t beta, step, shift;
    arb_t h, ratio, plus, minus, term, x, exponent;
    fmpq_init(beta);
    fmpq_init(step);
    fmpq_init(shift);
    arb_init(h);
    arb_init(ratio);
    arb_init(plus);
    arb_init(minus);
    arb_init(term);
    arb_init(x);
    arb_init(exponent);
    vort_rational(shift, p->number);
    for (int b = 0; betas[b] != NULL; b++)
        for (int k = 0; steps[k] != NULL; k++) {
            vort_rational(beta, betas[b]);
            vort_rational(step, steps[k]);
            arb_set_fmpq(h, step, prec);
            soe_symbol_ratio(ratio, beta, h, prec);
            fmpq_add(beta, beta, shift);
            arb_set_fmpq(exponent, beta, prec);
            arb_neg(exponent, exponent);
            arb_zero(plus);
            arb_zero(minus);
            slong most = 0;
            for (slong i = 0; i < 20000; i++) {
                arb_mul_si(x, h, i, prec);
                arb_mul_2exp_si(x, x, -1);
                arb_cosh(x, x, prec);
                arb_mul_2exp_si(x, x, 1);
                arb_pow(term, x, exponent, prec);
                if (i > 0)
                    arb_mul_2exp_si(term, term, 1);
                arb_add(plus, plus, term, prec);
                if (i % 2)
                    arb_sub(minus, minus, term, prec);
                else
                    arb_add(minus, minus, term, prec);
                most = i;
                arb_mul_2exp_si(x, minus, -100);
                if (i > 8 && arb_lt(term, x))
                    break;
            }
            /* tails: geometric for the plain sum, below the last term for the alternating one */
            arb_add_error(minus, term);
            arb_mul(x, exponent, h, prec);
            arb_mul_2exp_si(x, x, -1);
            arb_expm1(x, x, prec);
            arb_neg(x, x);
            arb_div(x, term, x, prec);
            arb_mul_2exp_si(x, x, 1);
            arb_add_error(plus, x);
            (void)most;
            arb_div(plus, minus, plus, prec);
            claim_two_paths(ctx, "f(pi)/f(0) by Gamma functions = by the matrix entries", ratio,
                            plus, 40);
        }
    fmpq_clear(beta);
    fmpq_clear(step);
    fmpq_clear(shift);
    arb_clear(h);
    arb_clear(ratio);
    arb_clear(plus);
    arb_clear(minus);
    arb_clear(term);
    arb_clear(x);
    arb_clear(exponent);
}

/* ---- the joint claim ---- */

/* "S <= C ln(T/epsilon) suffices for every T and epsilon".  number: the exponent m in T = epsilon^-m
   (relative), with the lower bound for any nodes; the control takes an S that grows as the square. */
void check_joint(check_context *ctx, const void *parameter) {
    const joint_parameter *p = parameter;
    static const slong constants[] = {1, 10, 100};
    fmpq_t alpha, beta;
    arb_t log_horizon, error, x, needed, allowed, lambda;
    fmpq_init(alpha);
    fmpq_init(beta);
    arb_init(log_horizon);
    arb_init(error);
    arb_init(x);
    arb_init(needed);
    arb_init(allowed);
    arb_init(lambda);
    vort_rational(alpha, "1/2");
    vort_one_minus(beta, alpha);
    for (int i = 0; i < 3; i++) {
        /* with T = epsilon^-3, k >= about 2 Lambda^2/pi^2 against C 4 Lambda: Lambda = 40 C is enough;
           absolute: T = epsilon^(-1/(2 beta)), here epsilon^-1: Lambda^2/(8 pi^2) against 2 C Lambda */
        arb_set_si(lambda, p->absolute ? 250 * constants[i] : 40 * constants[i]);
        if (p->absolute) {
            /* relative to the smallest weight on [1,T]: epsilon/w_T <= epsilon Gamma(alpha) T^beta (1+alpha/T)^beta,
               T = epsilon^-1: epsilon^(1/2) Gamma(1/2) 2^(1/2) */
            arb_set(log_horizon, lambda);
            arb_mul_2exp_si(error, lambda, -1);
            arb_neg(error, error);
            arb_exp(error, error, 128);
            arb_mul_ui(error, error, 3, 128);
            arb_mul_2exp_si(allowed, lambda, 1);
        } else {
            arb_mul_ui(log_horizon, lambda, 3, 128);
            arb_neg(error, lambda);
            arb_exp(error, error, 128);
            arb_mul_2exp_si(allowed, lambda, 2);
        }
        slong k = soe_terms_gl_lower(alpha, log_horizon, error, 128);
        arb_mul_si(allowed, allowed, constants[i], 128);
        if (p->square) { /* the control: C ln(T/epsilon)^2, which does suffice */
            arb_mul(allowed, allowed, allowed, 128);
        }
        arb_set_si(needed, k);
        claim_decide_arb(ctx, "terms needed for any nodes <= C ln(T/epsilon), C = 1, 10, 100",
                         needed, RELATION_LE, allowed);
    }
    fmpq_clear(alpha);
    fmpq_clear(beta);
    arb_clear(log_horizon);
    arb_clear(error);
    arb_clear(x);
    arb_clear(needed);
    arb_clear(allowed);
    arb_clear(lambda);
}

/* A cell of the table itself, small enough to be replayed by hand, refutes C = 1. */
void check_joint_witness(check_context *ctx, const void *parameter) {
    const joint_parameter *p = parameter;
    slong count = table_cells(ctx);
    int found = 0;
    for (slong i = count - 1; i >= 0 && !found; i--) {
        table_cell c;
        arb_t allowed, terms;
        table_cell_init(&c);
        arb_init(allowed);
        arb_init(terms);
        if (table_read(ctx, &c, i) && c.error == SOE_RELATIVE &&
            fmpz_cmp_si(c.horizon, 1000000000) == 0 && c.digits == 14 &&
            fmpz_cmp_si(fmpq_denref(c.alpha), 2) == 0) {
            found = 1;
            table_log_target(allowed, &c, 128);
            arb_neg(allowed, allowed);
            arb_set_fmpz(terms, c.horizon);
            arb_log(terms, terms, 128);
            arb_add(allowed, allowed, terms, 128);
            if (p->square)
                arb_mul(allowed, allowed, allowed, 128);
            arb_set_si(terms, c.terms);
            if (claim_decide_arb(ctx, "S*(1/2, 10^9, 10^-14, relative) <= ln(T/epsilon)", terms,
                                 RELATION_LE, allowed) == TRUTH_FAILS) {
                soe_kernel_t kernel;
                arf_t lower;
                fmpq_t bound;
                soe_kernel_init(kernel, SOE_KERNEL_GL, c.alpha);
                arf_init(lower);
                fmpq_init(bound);
                fmpq_set_si(bound, 10, 1);
                fmpq_pow_si(bound, bound, -c.digits);
                arf_fmpz_div_fmpz(lower, fmpq_numref(bound), fmpq_denref(bound), 64, ARF_RND_UP);
                witness_struct *w = claim_witness(ctx, "vort.soe-terms.joint", "soe-alternation");
                witness_clear(w);
                soe_witness_lower(w, kernel, c.fewer->sum, c.fewer->point, c.fewer->points, c.error,
                                  lower);
                flint_free(w->id);
                w->id = flint_malloc(24);
                flint_sprintf(w->id, "vort.soe-terms.joint");
                soe_kernel_clear(kernel);
                arf_clear(lower);
                fmpq_clear(bound);
            }
        }
        table_cell_clear(&c);
        arb_clear(allowed);
        arb_clear(terms);
    }
    claim_decide_si(ctx, "the table has the cell", found, RELATION_EQ, 1);
}

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
    slong count = table_cells(ctx);
    fmpq_t factor;
    fmpq_init(factor);
    vort_rational(factor, p->number);
    for (slong i = 0; i < count; i++) {
        /* quick: one cell in 19 (no period of the table); full: all, in eight units */
        if (ctx->level == LEVEL_QUICK ? i % 19 != 7 : i % 8 != ctx->index)
            continue;
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
   and 10^-4 up to T = 10^6; full: all of them whose law asks for at most 200 terms.  number: factor of
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
            wanted = wanted && c.digits <= 4 && fmpz_cmp_si(c.horizon, 1000000) <= 0;
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

/* ---- the conjectured law ---- */

/* For relative error S* = ln(4T)(Lambda + C)/pi^2 would grow, between two targets of one curve, by
   ln(4T) (difference of Lambda)/pi^2: allowed are the roundings of two whole numbers and a tenth. */
void check_law(check_context *ctx, const void *parameter) {
    const law_parameter *p = parameter;
    slong count = table_cells(ctx);
    arb_t slope, x, observed, slack, expected;
    arb_init(slope);
    arb_init(x);
    arb_init(observed);
    arb_init(slack);
    arb_init(expected);
    table_cell previous;
    table_cell_init(&previous);
    int have = 0;
    for (slong i = 0; i < count; i++) {
        table_cell c;
        table_cell_init(&c);
        table_read(ctx, &c, i);
        int wanted = c.error == SOE_RELATIVE && (c.digits == 6 || c.digits == 14);
        if (wanted && c.digits == 14 && have && fmpz_equal(previous.horizon, c.horizon) &&
            fmpq_equal(previous.alpha, c.alpha)) {
            arb_set_fmpz(x, c.horizon);
            arb_mul_2exp_si(x, x, 2);
            arb_log(slope, x, 128);
            arb_mul_si(slope, slope, p->slope, 128);
            arb_div_si(slope, slope, p->slope_divisor, 128);
            arb_const_pi(x, 128);
            arb_mul(x, x, x, 128);
            arb_div(slope, slope, x, 128);
            arb_const_log10(x, 128);
            arb_mul_si(x, x, c.digits - previous.digits, 128);
            arb_mul(expected, slope, x, 128);
            arb_set_si(observed, c.terms - previous.terms);
            arb_sub(observed, observed, expected, 128);
            arb_abs(observed, observed);
            arb_mul_ui(slack, expected, p->percent, 128);
            arb_div_ui(slack, slack, 100, 128);
            arb_add_ui(slack, slack, 1, 128);
            claim_decide_arb(ctx,
                             "S* from 10^-6 to 10^-14 grows by ln(4T) 8 ln 10/pi^2, +- 1 +- 10%",
                             observed, RELATION_LE, slack);
        }
        if (wanted && c.digits == 6) {
            fmpz_set(previous.horizon, c.horizon);
            fmpq_set(previous.alpha, c.alpha);
            previous.terms = c.terms;
            previous.digits = c.digits;
            have = 1;
        }
        table_cell_clear(&c);
    }
    table_cell_clear(&previous);
    arb_clear(slope);
    arb_clear(x);
    arb_clear(observed);
    arb_clear(slack);
    arb_clear(expected);
}

/* On the reals, for the kernel t^(-1/2): ln(E_S/E_{S+4})/4 against pi^2/ln(4T), within 1%. */
void check_real_rate(check_context *ctx, const void *parameter) {
    const law_parameter *p = parameter;
    static const char *const horizons[] = {"100", "10000", "1e6", NULL};
    fmpq_t beta;
    fmpz_t horizon;
    arb_t rate, observed, x, slack;
    soe_kernel_t kernel;
    fmpq_init(beta);
    fmpz_init(horizon);
    arb_init(rate);
    arb_init(observed);
    arb_init(x);
    arb_init(slack);
    vort_rational(beta, "1/2");
    soe_kernel_init(kernel, SOE_KERNEL_POWER, beta);
    for (int h = 0; horizons[h] != NULL; h++) {
        soe_minimax_t m;
        soe_minimax_init(m);
        exact_parse_integer(horizon, horizons[h]);
        arb_set_fmpz(x, horizon);
        arb_mul_2exp_si(x, x, 2);
        arb_log(x, x, 128);
        arb_const_pi(rate, 128);
        arb_mul(rate, rate, rate, 128);
        arb_div(rate, rate, x, 128);
        arb_mul_si(rate, rate, p->slope, 128);
        arb_div_si(rate, rate, p->slope_divisor, 128);
        for (slong terms = 8; terms <= 16; terms += 4) {
            soe_bound_t bound;
            arf_t lower;
            soe_bound_init(bound);
            arf_init(lower);
            soe_status status = soe_minimax(m, kernel, horizon, SOE_RELATIVE, terms, 1e-4,
                                            terms > 8 ? m : NULL, NULL);
            claim_decide_si(ctx, "the search settles", status == SOE_OK, RELATION_EQ, 1);
            soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, SOE_RELATIVE, 512);
            soe_certify(bound, kernel, m->sum, horizon, SOE_RELATIVE, 0, 1e-3, 128);
            arb_set_interval_arf(x, lower, bound->upper, 128); /* the best error lies in here */
            arb_log(x, x, 128);
            if (terms > 8) {
                arb_sub(observed, observed, x, 128);
                arb_mul_2exp_si(observed, observed, -2);
                arb_sub(observed, observed, rate, 128);
                arb_abs(observed, observed);
                arb_mul_ui(slack, rate, p->percent, 128);
                arb_div_ui(slack, slack, 100, 128);
                claim_decide_arb(ctx, "ln(E_S/E_{S+4})/4 = pi^2/ln(4T) within 1%", observed,
                                 RELATION_LE, slack);
            }
            arb_set(observed, x);
            soe_bound_clear(bound);
            arf_clear(lower);
        }
        soe_minimax_clear(m);
    }
    soe_kernel_clear(kernel);
    fmpq_clear(beta);
    fmpz_clear(horizon);
    arb_clear(rate);
    arb_clear(observed);
    arb_clear(x);
    arb_clear(slack);
}

/* ---- absolute error without a horizon, as alpha -> 1 ---- */

/* At T = infinity the best S-term error is below 1/(2S+1) and comes near as alpha -> 1.  Best sums on
   [1,10^18]: their alternation bounds every horizon from below, their error beyond it from above.
   percent: how near, at alpha = 19/20, S = 1. */
void check_no_horizon(check_context *ctx, const void *parameter) {
    const limit_parameter *p = parameter;
    static const char *const orders[] = {"4/5", "9/10", "19/20", NULL};
    fmpq_t alpha;
    fmpz_t horizon;
    arb_t last, lower, limit, near;
    fmpq_init(alpha);
    fmpz_init(horizon);
    arb_init(last);
    arb_init(lower);
    arb_init(limit);
    arb_init(near);
    exact_parse_integer(horizon, "1e18");
    for (slong terms = 1; terms <= 2; terms++) {
        arb_zero(last);
        arb_set_ui(limit, 1);
        arb_div_ui(limit, limit, (ulong)(2 * terms + 1), 128);
        for (int i = 0; orders[i] != NULL; i++) {
            soe_minimax_t m;
            soe_kernel_t kernel;
            soe_bound_t bound;
            arf_t low;
            soe_minimax_init(m);
            soe_bound_init(bound);
            arf_init(low);
            vort_rational(alpha, orders[i]);
            soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
            soe_status status =
                soe_minimax(m, kernel, horizon, SOE_ABSOLUTE, terms, 1e-4, NULL, NULL);
            claim_decide_si(ctx, "the search settles", status == SOE_OK, RELATION_EQ, 1);
            if (status == SOE_OK) {
                soe_alternation_lower(low, kernel, m->sum, m->point, m->points, SOE_ABSOLUTE, 256);
                arb_set_arf(lower, low);
                soe_certify(bound, kernel, m->sum, horizon, SOE_ABSOLUTE, 1, 1e-3, 128);
                claim_decide_arb(ctx, "the best error grows with alpha", lower, RELATION_GT, last);
                arb_set_arf(last, bound->upper);
                claim_decide_arb(ctx, "and stays below 1/(2S+1)", last, RELATION_LT, limit);
                if (i == 2 && terms == 1) {
                    arb_mul_ui(near, limit, p->percent, 128);
                    arb_div_ui(near, near, 100, 128);
                    claim_decide_arb(ctx, "alpha = 19/20, S = 1: it comes near 1/3", lower,
                                     RELATION_GE, near);
                    claim_number_arb(ctx, "best absolute error of 1 term, alpha = 19/20", "1",
                                     lower);
                }
            }
            soe_minimax_clear(m);
            soe_kernel_clear(kernel);
            soe_bound_clear(bound);
            arf_clear(low);
        }
    }
    fmpq_clear(alpha);
    fmpz_clear(horizon);
    arb_clear(last);
    arb_clear(lower);
    arb_clear(limit);
    arb_clear(near);
}

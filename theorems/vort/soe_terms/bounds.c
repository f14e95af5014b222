/* The theorems: the aliasing bound, the symbol, and what the lower bound says of "S = O(log(T/epsilon))". */
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
           absolute: T = epsilon^(-1/(2 beta)), here epsilon^-1: Lambda^2/(4 pi^2) against 2 C Lambda */
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
        if (p->square) { /* the control: C ln(T/epsilon)^2, which this bound does not exceed */
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
            table_decide(ctx, &c);
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

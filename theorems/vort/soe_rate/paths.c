/* vort.soe-rate: second paths to the suprema, and the bound beyond the horizon. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "theorems/vort/soe_rate/rate.h"

/* ---- second paths ---- */

static void scale_first_weight(soe_sum_t sum, const char *factor) {
    fmpq_t f;
    fmpq_init(f);
    vort_rational(f, factor);
    fmpq_mul(sum->weight, sum->weight, f);
    fmpq_clear(f);
}

/* sup |w_j - sum| over 1..n by taking every integer, with plain ball recurrences. */
static void brute_force_sup(arb_t sup, const soe_sum_t sum, const fmpq_t alpha, slong n) {
    slong prec = 192, terms = sum->terms;
    arb_ptr power = _arb_vec_init(terms), x = _arb_vec_init(terms);
    arb_t w, e;
    fmpz_t num, den;
    arb_init(w);
    arb_init(e);
    fmpz_init(num);
    fmpz_init(den);
    for (slong s = 0; s < terms; s++) {
        arb_set_fmpq(x + s, sum->mode + s, prec);
        arb_neg(x + s, x + s);
        arb_exp(x + s, x + s, prec);
        arb_set_fmpq(power + s, sum->weight + s, prec);
    }
    arb_one(w);
    arb_zero(sup);
    for (slong j = 0; j < n; j++) {
        fmpz_set(num, fmpq_numref(alpha));
        fmpz_addmul_ui(num, fmpq_denref(alpha), (ulong)j);
        fmpz_mul_ui(den, fmpq_denref(alpha), (ulong)j + 1);
        arb_mul_fmpz(w, w, num, prec);
        arb_div_fmpz(w, w, den, prec);
        arb_set(e, w);
        for (slong s = 0; s < terms; s++) {
            arb_mul(power + s, power + s, x + s, prec);
            arb_sub(e, e, power + s, prec);
        }
        arb_abs(e, e);
        arb_max(sup, sup, e, prec);
    }
    _arb_vec_clear(power, terms);
    _arb_vec_clear(x, terms);
    arb_clear(w);
    arb_clear(e);
    fmpz_clear(num);
    fmpz_clear(den);
}

void rate_check_every_integer(check_context *ctx, const void *parameter) {
    const path_parameter *p = parameter;
    static const soe_method methods[] = {SOE_SINC, SOE_LEGENDRE, SOE_JACOBI};
    fmpq_t alpha;
    fmpz_t horizon;
    arb_t a, b;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpz_init_set_ui(horizon, 20000);
    arb_init(a);
    arb_init(b);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, "7/20");
    for (int m = 0; m < 3; m++) {
        soe_design_terms(sum, &design, methods[m], alpha, horizon, SOE_ABSOLUTE, 10, 128);
        rate_certify(bound, sum, alpha, horizon, SOE_ABSOLUTE, 0);
        rate_bound_ball(a, bound);
        scale_first_weight(sum, p->factor);
        brute_force_sup(b, sum, alpha, 20000);
        claim_two_paths(ctx, "supremum by cells = maximum over all 20000 integers", a, b, 8);
    }
    fmpq_clear(alpha);
    fmpz_clear(horizon);
    arb_clear(a);
    arb_clear(b);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* sup |1 - sum/w| over real t in [1,T] from monotonicity alone: on [a,b] the quotient lies between
   sum(b)/w(a) and sum(a)/w(b). */
static void monotone_sup(arb_t sup, const soe_sum_t sum, const fmpq_t alpha, const fmpz_t horizon,
                         double step) {
    slong prec = 64, terms = sum->terms;
    arb_ptr rate = _arb_vec_init(terms), c = _arb_vec_init(terms);
    arb_t t, w0, w1, s0, s1, x, a, top, end;
    arf_t low, high, best;
    arb_init(t);
    arb_init(w0);
    arb_init(w1);
    arb_init(s0);
    arb_init(s1);
    arb_init(x);
    arb_init(a);
    arb_init(top);
    arb_init(end);
    arf_init(low);
    arf_init(high);
    arf_init(best);
    arb_set_fmpq(a, alpha, 128);
    arb_set_fmpz(end, horizon);
    for (slong s = 0; s < terms; s++) {
        arb_set_fmpq(rate + s, sum->mode + s, prec);
        arb_neg(rate + s, rate + s);
        arb_set_fmpq(c + s, sum->weight + s, prec);
    }
    arb_one(t);
    for (int first = 1;; first = 0) {
        exact_gl_real(w1, a, t, prec);
        arb_zero(s1);
        for (slong s = 0; s < terms; s++) {
            arb_mul(x, rate + s, t, prec);
            arb_exp(x, x, prec);
            arb_addmul(s1, c + s, x, prec);
        }
        arb_div(x, s1, w1, prec); /* attained at t, an integer or not: t real here */
        arb_sub_ui(x, x, 1, prec);
        arb_get_abs_lbound_arf(low, x, prec);
        if (arf_cmp(low, best) > 0)
            arf_set(best, low);
        if (!first) {
            arb_div(x, s1, w0, prec);
            arb_div(top, s0, w1, prec);
            arb_union(x, x, top, prec);
            arb_sub_ui(x, x, 1, prec);
            arb_get_abs_ubound_arf(low, x, prec);
            if (arf_cmp(low, high) > 0)
                arf_set(high, low);
        }
        if (arb_equal(t, end))
            break;
        arb_swap(w0, w1);
        arb_swap(s0, s1);
        arb_set_d(x, step);
        arb_mul(t, t, x, prec);
        mag_zero(arb_radref(t));
        if (arb_ge(t, end))
            arb_set(t, end);
    }
    arb_set_interval_arf(sup, best, high, prec);
    _arb_vec_clear(rate, terms);
    _arb_vec_clear(c, terms);
    arb_clear(t);
    arb_clear(w0);
    arb_clear(w1);
    arb_clear(s0);
    arb_clear(s1);
    arb_clear(x);
    arb_clear(a);
    arb_clear(top);
    arb_clear(end);
    arf_clear(low);
    arf_clear(high);
    arf_clear(best);
}

void rate_check_far_horizon(check_context *ctx, const void *parameter) {
    const path_parameter *p = parameter;
    fmpq_t alpha;
    fmpz_t horizon;
    arb_t a, b;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpz_init(horizon);
    arb_init(a);
    arb_init(b);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, "1/2");
    exact_parse_integer(horizon, "1e9");
    soe_design_terms(sum, &design, SOE_LEGENDRE, alpha, horizon, SOE_RELATIVE, 14, 128);
    rate_certify(bound, sum, alpha, horizon, SOE_RELATIVE, 0);
    rate_bound_ball(a, bound);
    scale_first_weight(sum, p->factor);
    monotone_sup(b, sum, alpha, horizon, 1 + 0x1p-10);
    /* the second path sees all reals of [1,T], the first the integers: 5 bits are what both give */
    claim_two_paths(ctx, "relative supremum to T = 10^9 by cells = by monotone brackets", a, b, 5);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
    arb_clear(a);
    arb_clear(b);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* ---- beyond the horizon ---- */

void rate_check_beyond(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    fmpq_t alpha, factor;
    fmpz_t horizon, j;
    arb_t limit, x, w, low, high;
    arf_t t;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpq_init(factor);
    fmpz_init(horizon);
    fmpz_init(j);
    arb_init(limit);
    arb_init(x);
    arb_init(w);
    arb_init(low);
    arb_init(high);
    arf_init(t);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, "1/2");
    vort_rational(factor, p->factor);
    for (int m = 0; m < SOE_METHODS; m++)
        for (int e = 0; e < 2; e++) {
            soe_error error = e ? SOE_RELATIVE : SOE_ABSOLUTE;
            fmpz_set_ui(horizon, 1000);
            soe_design_terms(sum, &design, (soe_method)m, alpha, horizon, error, 12, 128);
            rate_certify(bound, sum, alpha, horizon, error, 1);
            arb_set_arf(limit, bound->beyond_upper);
            arb_mul_fmpz(limit, limit, fmpq_numref(factor), 64);
            arb_div_fmpz(limit, limit, fmpq_denref(factor), 64);
            for (int k = 0; k < 60; k++) { /* 1001, 1002, 1004, ... */
                fmpz_one(j);
                fmpz_mul_2exp(j, j, (ulong)k);
                fmpz_add(j, j, horizon);
                arf_set_fmpz(t, j);
                exact_gl_ball(w, alpha, j, 192);
                soe_sum_value(x, sum, t, 192);
                if (error == SOE_RELATIVE) { /* sum/w against 1 +- bound, without cancellation */
                    arb_div(x, x, w, 192);
                    arb_one(w);
                }
                arb_sub(low, w, limit, 192);
                arb_add(high, w, limit, 192);
                claim_decide_arb(ctx, "error at j > T >= -bound", x, RELATION_LE, high);
                claim_decide_arb(ctx, "error at j > T <= bound", x, RELATION_GE, low);
            }
            if (error ==
                SOE_ABSOLUTE) { /* and it is not idle: a value beyond T comes to 1 - 10^-3 of it */
                arb_set_arf(x, bound->beyond_lower);
                arb_mul_ui(x, x, 1002, 64);
                arb_div_ui(x, x, 1000, 64);
                claim_decide_arb(ctx, "the bound beyond T is nearly attained", limit, RELATION_LE,
                                 x);
            }
        }
    fmpq_clear(alpha);
    fmpq_clear(factor);
    fmpz_clear(horizon);
    fmpz_clear(j);
    arb_clear(limit);
    arb_clear(x);
    arb_clear(w);
    arb_clear(low);
    arb_clear(high);
    arf_clear(t);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* vort.soe-rate: Gauss-Legendre on a fixed interval. */
#include "numerics/exact/gl.h"
#include "numerics/exact/laplace.h"
#include "numerics/exact/number.h"
#include "theorems/vort/soe_rate/rate.h"

/* ---- a fixed interval ---- */

enum { FIXED_PREC = 320, STALL_TERMS = 48 };

/* out := int over [e^low, e^high] of e^(-j lambda) rho. */
static void truncated_integral(arb_t out, const interval_parameter *p, const fmpq_t alpha, ulong j,
                               slong prec) {
    arb_t end, head;
    arb_init(end);
    arb_init(head);
    if (p->untruncated) {
        fmpz_t z;
        fmpz_init_set_ui(z, j);
        exact_gl_ball(out, alpha, z, prec);
        fmpz_clear(z);
    } else {
        arb_set_d(end, p->high);
        arb_exp(end, end, prec + 64);
        exact_laplace_integral(out, alpha, j, end, prec);
        arb_set_d(end, p->low);
        arb_exp(end, end, prec + 64);
        exact_laplace_integral(head, alpha, j, end, prec);
        arb_sub(out, out, head, prec);
    }
    arb_clear(end);
    arb_clear(head);
}

/* rest := w_j - truncated integral. */
static void truncation(arb_t rest, const interval_parameter *p, const fmpq_t alpha, ulong j,
                       slong prec) {
    fmpq_t w;
    fmpq_init(w);
    if (p->untruncated) {
        arb_zero(rest);
    } else {
        truncated_integral(rest, p, alpha, j, prec);
        arb_neg(rest, rest);
        exact_gl_rational(w, alpha, j);
        arb_t x;
        arb_init(x);
        arb_set_fmpq(x, w, prec);
        arb_add(rest, rest, x, prec);
        arb_clear(x);
    }
    fmpq_clear(w);
}

/* bound := 4 (high-low) M rho^(1-2S)/(rho-1): S-point Gauss-Legendre on [low,high] against the
   integral of a function bounded by M on the ellipse with foci low, high and half axes of sum
   rho (high-low)/2 (weights positive, of sum high-low; best polynomial of degree 2S-1 within
   2M rho^(1-2S)/(rho-1)).  With half height b < pi/2: Re lambda >= e^x cos b > 0 and
   |e^lambda-1| >= e^(Re lambda)-1 >= Re lambda, so
   M <= (sin pi alpha/pi) cos(b)^-alpha sup_z z^beta e^(-j cos(b) z)
      = (sin pi alpha/pi) cos(b)^-alpha (beta/(e j cos b))^beta. */
static void gauss_error_upper(arb_t bound, const interval_parameter *p, const fmpq_t alpha, ulong j,
                              slong terms, slong prec) {
    arb_t b, a, beta, m, rho, x, length;
    arb_init(b);
    arb_init(a);
    arb_init(beta);
    arb_init(m);
    arb_init(rho);
    arb_init(x);
    arb_init(length);
    arb_set_d(b, p->half_height);
    arb_set_d(length, p->high - p->low); /* exact for the intervals used here */
    arb_set_fmpq(a, alpha, prec);
    arb_sub_ui(beta, a, 1, prec);
    arb_neg(beta, beta);
    /* rho = h + sqrt(1+h^2), h = 2b/length */
    arb_div(x, b, length, prec);
    arb_mul_2exp_si(x, x, 1);
    arb_mul(rho, x, x, prec);
    arb_add_ui(rho, rho, 1, prec);
    arb_sqrt(rho, rho, prec);
    arb_add(rho, rho, x, prec);
    /* M; |cos b| keeps the control, whose strip is too wide, a number */
    arb_cos(b, b, prec);
    arb_abs(b, b);
    arb_const_e(m, prec);
    arb_mul_ui(m, m, j, prec);
    arb_mul(m, m, b, prec);
    arb_div(m, beta, m, prec);
    arb_pow(m, m, beta, prec);
    arb_neg(x, a);
    arb_pow(x, b, x, prec);
    arb_mul(m, m, x, prec);
    arb_sin_pi_fmpq(x, alpha, prec);
    arb_mul(m, m, x, prec);
    arb_const_pi(x, prec);
    arb_div(m, m, x, prec);
    /* 4 length M rho^(1-2S)/(rho-1) */
    arb_mul(bound, m, length, prec);
    arb_mul_2exp_si(bound, bound, 2);
    arb_set_si(x, 1 - 2 * terms);
    arb_pow(x, rho, x, prec);
    arb_mul(bound, bound, x, prec);
    arb_sub_ui(x, rho, 1, prec);
    arb_div(bound, bound, x, prec);
    arb_clear(b);
    arb_clear(a);
    arb_clear(beta);
    arb_clear(m);
    arb_clear(rho);
    arb_clear(x);
    arb_clear(length);
}

/* x := |value of the Legendre sum at j - target|, from the sum rounded to FIXED_PREC bits. */
static void legendre_error(arb_t x, const soe_sum_t sum, ulong j, const arb_t target) {
    arf_t t;
    arf_init_set_ui(t, j);
    soe_sum_value(x, sum, t, FIXED_PREC);
    arb_sub(x, x, target, FIXED_PREC);
    arb_abs(x, x);
    arf_clear(t);
}

/* The rule converges to the truncated integral within the bound, at every order, S and j tried: orders at
   which alpha is not 1-alpha, nor sin(pi alpha) 1. */
void rate_check_fixed_interval(check_context *ctx, const void *parameter) {
    const interval_parameter *p = parameter;
    static const char *const orders[] = {"1/5", "4/5", NULL};
    static const ulong indices[] = {1, 10, 100, 1000};
    fmpq_t alpha;
    arb_t integral, x, bound, rounding;
    soe_sum_t sum;
    fmpq_init(alpha);
    arb_init(integral);
    arb_init(x);
    arb_init(bound);
    arb_init(rounding);
    soe_sum_init(sum, 1, SOE_RATE);
    arb_one(rounding); /* the rule's numbers carry FIXED_PREC bits */
    arb_mul_2exp_si(rounding, rounding, -FIXED_PREC / 2);
    for (int n = 0; orders[n] != NULL; n++) {
        vort_rational(alpha, orders[n]);
        for (slong terms = 4; terms <= 64; terms *= 2) {
            soe_from_interval(sum, SOE_LEGENDRE, alpha, terms, p->low, p->high, FIXED_PREC);
            for (int i = 0; i < 4; i++) {
                truncated_integral(integral, p, alpha, indices[i], 192);
                legendre_error(x, sum, indices[i], integral);
                gauss_error_upper(bound, p, alpha, indices[i], terms, 128);
                arb_add(bound, bound, rounding, 128);
                claim_decide_arb(ctx, "|rule - truncated integral| <= 4 l M rho^(1-2S)/(rho-1)", x,
                                 RELATION_LE, bound);
                if (i == 0 && n == 0 && terms == 64) {
                    claim_number_arb(ctx, "error of the rule, alpha = 1/5, j = 1, S = 64", "1", x);
                    claim_number_arb(ctx, "bound of that error, alpha = 1/5, j = 1, S = 64", "1",
                                     bound);
                }
            }
        }
    }
    fmpq_clear(alpha);
    arb_clear(integral);
    arb_clear(x);
    arb_clear(bound);
    arb_clear(rounding);
    soe_sum_clear(sum);
}

/* The sup error over [1,1000] with 48 and 96 terms is the truncation at j = 1, its worst index. */
void rate_check_stall(check_context *ctx, const void *parameter) {
    const interval_parameter *p = parameter;
    fmpq_t alpha;
    fmpz_t horizon;
    arb_t rest, sup, rule, limit;
    soe_sum_t sum;
    soe_bound_t bound;
    fmpq_init(alpha);
    fmpz_init_set_ui(horizon, 1000);
    arb_init(rest);
    arb_init(sup);
    arb_init(rule);
    arb_init(limit);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, p->alpha);
    truncation(rest, p, alpha, 1, 192);
    for (slong terms = STALL_TERMS; terms <= 2 * STALL_TERMS; terms *= 2) {
        /* the control's rest belongs to another interval: the sum is that of the main one */
        soe_from_interval(sum, SOE_LEGENDRE, alpha, terms, -8, 3, 192);
        rate_certify(bound, sum, alpha, horizon, SOE_ABSOLUTE, 0);
        rate_bound_ball(sup, bound);
        /* the truncation and the rule's own error bound both decrease with j: j = 1 is the worst */
        gauss_error_upper(rule, p, alpha, 1, terms, 128);
        arb_set(limit, rest);
        arb_add_error(limit, rule);
        claim_two_paths(ctx, "sup error = truncation at j = 1, up to the rule's own error", sup,
                        limit, 9);
    }
    claim_number_arb(ctx, "error at which the fixed interval stalls", "1", rest);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
    arb_clear(rest);
    arb_clear(sup);
    arb_clear(rule);
    arb_clear(limit);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* Geometric convergence to the weights would leave nothing of the limit of the error. */
void rate_check_published(check_context *ctx, const void *parameter) {
    const interval_parameter *p = parameter;
    fmpq_t alpha, nine_tenths;
    arb_t rest, zero, x, lower;
    fmpq_init(alpha);
    fmpq_init(nine_tenths);
    arb_init(rest);
    arb_init(zero);
    arb_init(x);
    arb_init(lower);
    vort_rational(alpha, p->alpha);
    truncation(rest, p, alpha, 1, 192);
    truth t = claim_decide_arb(ctx, "limit of the error at j = 1 as S grows <= 0", rest,
                               RELATION_LE, zero);
    if (t == TRUTH_FAILS) { /* the same, visible at 48 terms in exact arithmetic */
        soe_sum_t sum;
        soe_sum_init(sum, 1, SOE_RATE);
        soe_from_interval(sum, SOE_LEGENDRE, alpha, STALL_TERMS, p->low, p->high, 192);
        fmpq *node = _fmpq_vec_init(STALL_TERMS), *weight = _fmpq_vec_init(STALL_TERMS);
        fmpq_t e, shortened;
        fmpq_init(e);
        fmpq_init(shortened);
        exact_gl_rational(e, alpha, 1);
        for (slong s = 0; s < STALL_TERMS; s++) { /* 64 bits a number keep the witness readable */
            arf_t m;
            arf_init(m);
            arb_set_fmpq(x, sum->mode + s, 192);
            arb_neg(x, x);
            arb_exp(x, x, 192);
            arf_set_round(m, arb_midref(x), 64, ARF_RND_NEAR);
            exact_rational_from_arf(node + s, m);
            arb_set_fmpq(x, sum->weight + s, 192);
            arf_set_round(m, arb_midref(x), 64, ARF_RND_NEAR);
            exact_rational_from_arf(weight + s, m);
            arf_clear(m);
            fmpq_submul(e, weight + s, node + s);
        }
        fmpq_abs(e, e);
        /* nine tenths of the limit, rounded down to 20 bits */
        arf_t low;
        arf_init(low);
        arb_mul_ui(lower, rest, 9, 64);
        arb_div_ui(lower, lower, 10, 64);
        arb_get_lbound_arf(low, lower, 20);
        exact_rational_from_arf(nine_tenths, low);
        arf_clear(low);
        enclosure_t lhs, rhs;
        enclosure_init(lhs);
        enclosure_init(rhs);
        enclosure_set_rational(lhs, e);
        enclosure_set_rational(rhs, nine_tenths);
        fmpz_t one;
        fmpz_init_set_ui(one, 1);
        witness_struct *w = claim_witness(ctx, "vort.soe-rate.fixed-interval", "soe-error-at");
        witness_add(w, "alpha", alpha, 1);
        witness_add_integer(w, "j", one);
        witness_add(w, "weights", weight, STALL_TERMS);
        witness_add(w, "nodes", node, STALL_TERMS);
        witness_conclude(w, lhs, RELATION_GE, rhs, 64);
        fmpz_clear(one);
        enclosure_clear(lhs);
        enclosure_clear(rhs);
        fmpq_clear(e);
        fmpq_clear(shortened);
        _fmpq_vec_clear(node, STALL_TERMS);
        _fmpq_vec_clear(weight, STALL_TERMS);
        soe_sum_clear(sum);
    }
    fmpq_clear(alpha);
    fmpq_clear(nine_tenths);
    arb_clear(rest);
    arb_clear(zero);
    arb_clear(x);
    arb_clear(lower);
}

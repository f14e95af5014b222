/* vort.weights: the sharp constant of the power law. */
#include "numerics/exact/number.h"
#include "theorems/vort/weights/weights.h"

#include <string.h>

/* ---- the sharp constant gamma_Euler ---- */

enum { GAP_TAYLOR = 5 };

/* F_j(alpha) = c alpha(1-alpha)/j - 1 + psi_j(alpha), psi_j = Gamma(j+alpha)/(Gamma(j) j^alpha):
   its first Taylor coefficients at the ball alpha. */
static void gap_taylor(arb_ptr f, const arb_t c, ulong j, const arb_t alpha, slong prec) {
    arb_poly_t x, g;
    arb_t t;
    arb_poly_init(x);
    arb_poly_init(g);
    arb_init(t);
    arb_add_ui(t, alpha, j, prec);
    arb_poly_set_coeff_arb(x, 0, t);
    arb_poly_set_coeff_si(x, 1, 1);
    arb_poly_lgamma_series(g, x, GAP_TAYLOR, prec);
    arb_set_ui(t, j);
    arb_log(t, t, prec);
    arb_poly_get_coeff_arb(f, g, 1);
    arb_sub(f, f, t, prec);
    arb_poly_set_coeff_arb(g, 1, f); /* - ln j per unit of alpha */
    arb_mul(t, t, alpha, prec);
    arb_poly_get_coeff_arb(f, g, 0);
    arb_sub(f, f, t, prec);
    arb_fac_ui(t, j - 1, prec);
    arb_log(t, t, prec);
    arb_sub(f, f, t, prec);
    arb_poly_set_coeff_arb(g, 0, f);
    arb_poly_exp_series(g, g, GAP_TAYLOR, prec);
    for (slong i = 0; i < GAP_TAYLOR; i++)
        arb_poly_get_coeff_arb(f + i, g, i);
    arb_sub_ui(f, f, 1, prec);
    /* + (c/j)(alpha - alpha^2): value, slope, half the second derivative */
    arb_div_ui(t, c, j, prec);
    arb_t u;
    arb_init(u);
    arb_mul(u, alpha, alpha, prec);
    arb_sub(u, alpha, u, prec);
    arb_addmul(f, t, u, prec);
    arb_mul_2exp_si(u, alpha, 1);
    arb_sub_ui(u, u, 1, prec);
    arb_submul(f + 1, t, u, prec);
    arb_sub(f + 2, f + 2, t, prec);
    arb_clear(u);
    arb_clear(t);
    arb_poly_clear(x);
    arb_poly_clear(g);
}

/* The coefficient a_i of that order is > 0 (sign 1) or < 0 (sign -1) on [k/parts, (k+1)/parts]: with
   the part's middle m and half width r,
       a_i(m +- r) in a_i(m) +- (i+1) a_{i+1}(m) r +- (i+1)(i+2)/2 a_{i+2}([m +- r]) r^2.
   least := min(least, sign a_i) over the part. */
static void sign_on_part(check_context *ctx, const char *label, arb_t least, const arb_t c, ulong j,
                         slong k, slong parts, int order, int sign) {
    arb_ptr middle = _arb_vec_init(GAP_TAYLOR), wide = _arb_vec_init(GAP_TAYLOR);
    arb_t alpha, r, term, zero;
    slong i = order;
    arb_init(alpha);
    arb_init(r);
    arb_init(term);
    arb_init(zero);
    arb_set_si(alpha, 2 * k + 1); /* parts is a power of two: exact */
    arb_div_si(alpha, alpha, 2 * parts, ctx->prec);
    arb_one(r);
    arb_div_si(r, r, 2 * parts, ctx->prec);
    gap_taylor(middle, c, j, alpha, ctx->prec);
    arb_add_error(alpha, r);
    gap_taylor(wide, c, j, alpha, ctx->prec);
    arb_mul_si(term, middle + i + 1, i + 1, ctx->prec);
    arb_mul(term, term, r, ctx->prec);
    arb_add_error(middle + i, term);
    arb_mul_si(term, wide + i + 2, (i + 1) * (i + 2) / 2, ctx->prec);
    arb_mul(term, term, r, ctx->prec);
    arb_mul(term, term, r, ctx->prec);
    arb_add_error(middle + i, term);
    arb_mul_si(middle + i, middle + i, sign, ctx->prec);
    claim_decide_arb(ctx, label, middle + i, RELATION_GT, zero);
    arb_min(least, least, middle + i, ctx->prec);
    _arb_vec_clear(middle, GAP_TAYLOR);
    _arb_vec_clear(wide, GAP_TAYLOR);
    arb_clear(alpha);
    arb_clear(r);
    arb_clear(term);
    arb_clear(zero);
}

/* F_j(1/2) = c/(4j) - 1 + psi and F_j'(1/2) = psi (digamma(j+1/2) - ln j), without power series. */
static void values_at_half(check_context *ctx, const arb_t c, ulong j) {
    arb_ptr f = _arb_vec_init(GAP_TAYLOR);
    arb_t half, psi, x, y;
    slong prec = ctx->prec;
    arb_init(half);
    arb_init(psi);
    arb_init(x);
    arb_init(y);
    arb_one(half);
    arb_mul_2exp_si(half, half, -1);
    gap_taylor(f, c, j, half, prec);
    arb_add_ui(x, half, j, prec);
    arb_gamma(psi, x, prec);
    arb_digamma(x, x, prec);
    arb_set_ui(y, j);
    arb_gamma(half, y, prec);
    arb_div(psi, psi, half, prec);
    arb_log(half, y, prec);
    arb_sub(x, x, half, prec);
    arb_sqrt(half, y, prec);
    arb_div(psi, psi, half, prec);
    arb_mul(x, x, psi, prec);
    claim_two_paths(ctx, "F_j'(1/2) = psi (digamma(j+1/2) - ln j)", f + 1, x, 40);
    arb_div(x, c, y, prec);
    arb_mul_2exp_si(x, x, -2);
    arb_sub_ui(x, x, 1, prec);
    arb_add(x, x, psi, prec);
    claim_two_paths(ctx, "F_j(1/2) = c/(4j) - 1 + psi", f, x, 40);
    _arb_vec_clear(f, GAP_TAYLOR);
    arb_clear(half);
    arb_clear(psi);
    arb_clear(x);
    arb_clear(y);
}

/* number: the constant c, or "gamma" for Euler's constant. */
void weights_check_sharp_constant(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    int euler = strcmp(p->number, "gamma") == 0;
    enum { PARTS = 1024, CURVATURE = 0, RISE, GAP, FALL, MARGINS };
    static const char *const names[MARGINS] = {"least F_1''/2 on [0,3/16]",
                                               "least F_j' on [0,3/16], j = 2, 3",
                                               "least F_j on [3/16,3/4]", "least -F_j' on [3/4,1]"};
    arb_t c, x, y, zero;
    arb_ptr f = _arb_vec_init(GAP_TAYLOR), least = _arb_vec_init(MARGINS);
    fmpq_t q;
    arb_init(c);
    arb_init(x);
    arb_init(y);
    arb_init(zero);
    fmpq_init(q);
    if (euler) {
        arb_const_euler(c, ctx->prec);
    } else {
        vort_rational(q, p->number);
        arb_set_fmpq(c, q, ctx->prec);
    }
    /* steps 1, 2: j = 4 in trigamma(j) <= 1/j + 1/(2j^2) + 1/(6j^3); the right side times j decreases */
    arb_set_ui(x, 109);
    arb_div_ui(x, x, 192, ctx->prec); /* (1 + 1/8 + 1/96)/2 */
    claim_decide_arb(ctx, "j >= 4: (1 + 1/(2j) + 1/(6j^2))/2 <= c", x, RELATION_LE, c);
    /* steps 3-5: j = 1, 2, 3 on [0, 3/16], [3/16, 3/4], [3/4, 1] */
    for (int i = 0; i < MARGINS; i++)
        arb_pos_inf(least + i);
    for (ulong j = 1; j <= 3; j++) {
        values_at_half(ctx, c, j);
        for (slong k = 0; k < 3 * PARTS / 16; k++) {
            if (j == 1)
                sign_on_part(ctx, "F_1'' > 0 on [0,3/16]", least + CURVATURE, c, j, k, PARTS, 2, 1);
            else
                sign_on_part(ctx, "F_j' > 0 on [0,3/16], j = 2, 3", least + RISE, c, j, k, PARTS, 1,
                             1);
        }
        for (slong k = 3 * PARTS / 16; k < 3 * PARTS / 4; k++)
            sign_on_part(ctx, "F_j > 0 on [3/16,3/4]", least + GAP, c, j, k, PARTS, 0, 1);
        for (slong k = 3 * PARTS / 4; k < PARTS; k++)
            sign_on_part(ctx, "F_j' < 0 on [3/4,1]", least + FALL, c, j, k, PARTS, 1, -1);
    }
    /* F_1'(0) = c - gamma must not be negative: exactly 0 for Euler's constant (Gamma'(1) = -gamma) */
    if (!euler) {
        arb_const_euler(y, ctx->prec);
        claim_decide_arb(ctx, "F_1'(0) = c - gamma >= 0", c, RELATION_GE, y);
        for (slong k = 1; k < 40; k++) { /* and a value of alpha where it shows */
            arb_one(x);
            arb_mul_2exp_si(x, x, -k);
            gap_taylor(f, c, 1, x, ctx->prec + 2 * k);
            claim_decide_arb(ctx, "1 - w_1 Gamma(alpha) <= c alpha(1-alpha), alpha = 2^-k", zero,
                             RELATION_LE, f);
        }
    } else {
        claim_number_arb(ctx, "sharp constant", "1", c);
        for (int i = 0; i < MARGINS; i++)
            claim_number_arb(ctx, names[i], "1", least + i);
    }
    _arb_vec_clear(f, GAP_TAYLOR);
    _arb_vec_clear(least, MARGINS);
    arb_clear(c);
    arb_clear(x);
    arb_clear(y);
    arb_clear(zero);
    fmpq_clear(q);
}

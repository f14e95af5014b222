/* vort.weights: the two-sided bound of the power law, and the data of its figure. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "theorems/vort/weights/weights.h"

/* ---- two-sided bound ---- */

static const char *const bound_indices[] = {"1",   "2",   "3",   "10",   "171", "1000",
                                            "1e5", "1e8", "1e9", "1e12", NULL};

/* psi = w_j Gamma(alpha) j^(1-alpha) by the weight itself, not by exact_gl_power_ratio. */
static void normalised_weight(arb_t psi, const fmpq_t alpha, const fmpz_t j, slong prec) {
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    exact_gl_ball(psi, alpha, j, prec);
    arb_gamma_fmpq(x, alpha, prec);
    arb_mul(psi, psi, x, prec);
    arb_set_fmpq(y, alpha, prec + 64);
    arb_sub_ui(y, y, 1, prec + 64);
    arb_neg(y, y);
    arb_set_fmpz(x, j);
    arb_pow(x, x, y, prec);
    arb_mul(psi, psi, x, prec);
    arb_clear(x);
    arb_clear(y);
}

/* number: factor of the exponent alpha-1 in the lower bound (1; the control takes 1/4). */
void weights_check_two_sided(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    slong orders, prec = ctx->prec + 64;
    fmpq *alpha = vort_orders(ctx, p, &orders);
    fmpz_t j;
    fmpq_t factor;
    arb_t psi, low, one, x, e, gap, law;
    fmpz_init(j);
    fmpq_init(factor);
    arb_init(psi);
    arb_init(low);
    arb_init(one);
    arb_init(x);
    arb_init(e);
    arb_init(gap);
    arb_init(law);
    vort_rational(factor, p->number);
    arb_one(one);
    for (slong n = 0; n < orders; n++)
        for (slong i = 0; bound_indices[i] != NULL; i++) {
            exact_parse_integer(j, bound_indices[i]);
            normalised_weight(psi, alpha + n, j, prec);
            /* low = (1+alpha/j)^(alpha-1) */
            arb_set_fmpq(e, alpha + n, prec);
            arb_div_fmpz(x, e, j, prec);
            arb_sub_ui(e, e, 1, prec);
            arb_mul_fmpz(e, e, fmpq_numref(factor), prec);
            arb_div_fmpz(e, e, fmpq_denref(factor), prec);
            arb_add_ui(low, x, 1, prec);
            arb_pow(low, low, e, prec);
            claim_decide_arb(ctx, "(1+alpha/j)^(alpha-1) <= w_j Gamma(alpha) j^(1-alpha)", low,
                             RELATION_LE, psi);
            claim_decide_arb(ctx, "w_j Gamma(alpha) j^(1-alpha) <= 1", psi, RELATION_LE, one);
            /* relative error of the law, against the law and against the weight */
            arb_sub(gap, one, psi, prec);
            arb_set_fmpq(law, alpha + n, prec);
            arb_sub_ui(e, law, 1, prec);
            arb_mul(law, law, e, prec);
            arb_neg(law, law);
            arb_div_fmpz(law, law, j, prec);
            claim_decide_arb(ctx, "1 - psi <= alpha(1-alpha)/j", gap, RELATION_LE, law);
            arb_div(gap, gap, psi, prec);
            claim_decide_arb(ctx, "1/psi - 1 <= alpha(1-alpha)/j", gap, RELATION_LE, law);
        }
    fmpz_clear(j);
    fmpq_clear(factor);
    arb_clear(psi);
    arb_clear(low);
    arb_clear(one);
    arb_clear(x);
    arb_clear(e);
    arb_clear(gap);
    arb_clear(law);
    vort_orders_free(alpha);
}

/* ---- the figure's data ---- */

static const char *const orders_drawn[] = {"1/10", "7/20", "1/2", "4/5", "19/20", NULL};

/* number: factor of the upper bound that is drawn (1).  Decides that what is drawn lies between. */
void weights_check_drawn(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const char *const columns[] = {"alpha", "1", "j",   "1", "weight",    "1",
                                          "law",   "1", "gap", "1", "gap_bound", "1"};
    series *table = series_new("vort-weights", "Weights against their power law", 6, columns);
    slong prec = ctx->prec + 32;
    fmpq_t alpha, factor;
    fmpz_t j, step;
    arb_t psi, w, law, gap, bound, x, e;
    fmpq_init(alpha);
    fmpq_init(factor);
    fmpz_init(j);
    fmpz_init(step);
    arb_init(psi);
    arb_init(w);
    arb_init(law);
    arb_init(gap);
    arb_init(bound);
    arb_init(x);
    arb_init(e);
    vort_rational(factor, p->number);
    for (slong n = 0; orders_drawn[n] != NULL; n++) {
        vort_rational(alpha, orders_drawn[n]);
        for (fmpz_one(j); fmpz_cmp_si(j, 1000000) <= 0;) {
            exact_gl_ball(w, alpha, j, prec);
            normalised_weight(psi, alpha, j, prec);
            arb_div(law, w, psi, prec);
            arb_sub_ui(gap, psi, 1, prec);
            arb_neg(gap, gap);
            arb_set_fmpq(e, alpha, prec);
            arb_div_fmpz(x, e, j, prec);
            arb_add_ui(x, x, 1, prec);
            arb_sub_ui(e, e, 1, prec);
            arb_pow(bound, x, e, prec);
            arb_sub_ui(bound, bound, 1, prec);
            arb_neg(bound, bound);
            arb_mul_fmpz(bound, bound, fmpq_numref(factor), prec);
            arb_div_fmpz(bound, bound, fmpq_denref(factor), prec);
            claim_decide_arb(ctx, "gap of the law <= 1-(1+alpha/j)^(alpha-1)", gap, RELATION_LE,
                             bound);
            enclosure_struct *row = series_append(table);
            enclosure_set_rational(row, alpha);
            fmpq_t q;
            fmpq_init(q);
            fmpq_set_fmpz(q, j);
            enclosure_set_rational(row + 1, q);
            fmpq_clear(q);
            enclosure_set_ball(row + 2, w);
            enclosure_set_ball(row + 3, law);
            enclosure_set_ball(row + 4, gap);
            enclosure_set_ball(row + 5, bound);
            fmpz_fdiv_q_2exp(step, j, 2);
            fmpz_add_ui(step, step, 1);
            fmpz_add(j, j, step);
        }
    }
    claim_table(ctx, table);
    fmpq_clear(alpha);
    fmpq_clear(factor);
    fmpz_clear(j);
    fmpz_clear(step);
    arb_clear(psi);
    arb_clear(w);
    arb_clear(law);
    arb_clear(gap);
    arb_clear(bound);
    arb_clear(x);
    arb_clear(e);
}

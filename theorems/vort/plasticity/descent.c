/* vort.plasticity: gradient steps of length 1/L, how the rate degrades, and the same for sums of
   exponentials. */
#include "numerics/exact/number.h"
#include "theorems/vort/plasticity/plasticity.h"

#include <stdio.h>

/* alpha := the dyadic number of 80 bits nearest to the middle of x. */
static void round_order(fmpq_t alpha, const arb_t x) {
    arf_t a;
    arf_init(a);
    arf_set_round(a, arb_midref(x), 80, ARF_RND_NEAR);
    exact_rational_from_arf(alpha, a);
    arf_clear(a);
}

typedef struct {
    const char *star, *start;
    slong lags;
} run_parameter;
static const run_parameter runs[] = {
    {"4/5", "1/20", 64}, {"4/5", "1", 64}, {"7/20", "1", 64}, {"4/5", "1", 512}, {"1", "1/20", 64}};
enum { RUNS = 5, STEPS = 48 };

/* From each exact alpha_k one step alpha - f'/L: it stays on its side of alpha*, does not leave
   [start, alpha*], and f falls by 1 - mu/L at least, mu being that of the start for all steps.  The
   next alpha_k is the step's, rounded to 80 bits: each step is certified from
   where it starts. */
void plasticity_check_descent(check_context *ctx, const void *parameter) {
    const plasticity_parameter *p = parameter;
    static const char *const columns[] = {"run", "1", "step", "steps", "loss", "1", "bound", "1"};
    series *figure = series_new("vort-plasticity", "Loss along gradient steps", 4, columns);
    slong prec = ctx->prec + 64;
    fmpq *s = _fmpq_vec_init(4);
    arb_ptr t = _arb_vec_init(9);
    arb_ptr f = t, slope = t + 1, bend = t + 2, L = t + 3, mu = t + 4, x = t + 5, bound = t + 6,
            next = t + 7, target = t + 8;
    for (int n = 0; n < RUNS; n++) {
        weight_jet star, at;
        jet_init(&star, runs[n].lags);
        jet_init(&at, runs[n].lags);
        vort_rational(s, runs[n].star);
        vort_rational(s + 1, runs[n].start);
        int below = fmpq_cmp(s + 1, s) < 0;
        jet_weights(&star, s, prec);
        fmpq_one(s + 2);
        jet_weights(&at, s + 2, prec);
        loss(f, slope, L, &at, &star, 0, prec); /* L = f''(1) */
        arb_set_fmpq(target, s, prec);
        jet_weights(&at, s + 1, prec);
        polyak(mu, &at, &star, below, 1, prec); /* the least of the run: it rises towards alpha* */
        vort_rational(s + 3, p->rate);
        arb_set_fmpq(x, s + 3, prec);
        arb_mul(mu, mu, x, prec);
        if (n < 2) {
            char name[80];
            arb_div(x, mu, L, prec);
            snprintf(name, sizeof name, "mu/L, alpha* = %s, from %s, T = 64", runs[n].star,
                     runs[n].start);
            claim_number_arb(ctx, name, "1", x);
        }
        for (slong k = 0; k < STEPS; k++) {
            loss(f, slope, bend, &at, &star, 0, prec);
            if (k == 0)
                arb_set(bound, f);
            enclosure_struct *row = series_append(figure);
            enclosure_set_integer(row, n);
            enclosure_set_integer(row + 1, k);
            enclosure_set_ball(row + 2, f);
            enclosure_set_ball(row + 3, bound);
            arb_div(next, slope, L, prec);
            arb_set_fmpq(x, s + 1, prec);
            arb_sub(next, x, next, prec);
            claim_decide_arb(ctx, "the step goes towards alpha*", next,
                             below ? RELATION_GT : RELATION_LT, x);
            claim_decide_arb(ctx, "and not beyond it", next, below ? RELATION_LE : RELATION_GE,
                             target);
            round_order(s + 1, next);
            jet_weights(&at, s + 1, prec);
            arb_div(x, mu, L, prec);
            arb_sub_ui(x, x, 1, prec);
            arb_neg(x, x);
            arb_mul(bound, bound, x, prec);
            arb_mul(x, f, x, prec);
            loss(f, slope, bend, &at, &star, 0, prec);
            claim_decide_arb(ctx, "f falls by 1 - mu/L", f, RELATION_LE, x);
            arb_set_ui(x, 1);
            arb_mul_2exp_si(x, x, -90); /* rounding of alpha is 2^-81: leave well before it shows */
            if (arb_lt(f, x))
                break;
        }
        jet_clear(&star);
        jet_clear(&at);
    }
    claim_table(ctx, figure);
    _fmpq_vec_clear(s, 4);
    _arb_vec_clear(t, 9);
}

/* L/mu near alpha* at T = 2^6, 2^8, 2^10, 2^12: it grows by T^min(1, 2-2 alpha*) and more; rate:
   factor of the growth that is claimed. */
void plasticity_check_degrades(check_context *ctx, const void *parameter) {
    const plasticity_parameter *p = parameter;
    static const char *const stars[] = {"7/20", "4/5", "19/20", NULL};
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(3);
    arb_ptr t = _arb_vec_init(7);
    arb_ptr f = t, slope = t + 1, L = t + 2, mu = t + 3, before = t + 4, x = t + 5, y = t + 6;
    for (int a = 0; stars[a] != NULL; a++) {
        vort_rational(s, stars[a]);
        fmpq_one(s + 1);
        for (slong T = 64; T <= 4096; T *= 4) {
            weight_jet star, at;
            char name[64];
            jet_init(&star, T);
            jet_init(&at, T);
            jet_weights(&star, s, prec);
            jet_weights(&at, s + 1, prec);
            loss(f, slope, L, &at, &star, 0, prec);
            loss(f, slope, mu, &star, &star, 0, prec);
            arb_div(x, L, mu, prec);
            if (T > 64) { /* ratio of two T a factor 4 apart */
                arb_div(y, x, before, prec);
                vort_one_minus(s + 2, s);
                arb_set_ui(f, 16);
                arb_pow_fmpq(f, f, s + 2, prec);
                arb_set_ui(slope, 4);
                arb_min(f, f, slope, prec);
                vort_rational(s + 2, p->rate);
                arb_set_fmpq(slope, s + 2, prec);
                arb_mul(f, f, slope, prec);
                claim_decide_arb(
                    ctx, "L/mu grows by more than 4^min(1, 2-2 alpha*) when T is quadrupled", y,
                    RELATION_GT, f);
            }
            arb_set(before, x);
            snprintf(name, sizeof name, "L/mu at alpha* = %s, T = %ld", stars[a], (long)T);
            claim_number_arb(ctx, name, "1", x);
            jet_clear(&star);
            jet_clear(&at);
        }
    }
    _fmpq_vec_clear(s, 3);
    _arb_vec_clear(t, 7);
}

/* ---- sums of exponentials ---- */

/* jet := those of the trapezoid sum in v = ln(e^lambda - 1), step h, |n| <= N:
       w_j = sum_n c_n x_n^j,  x_n = 1/(1+e^(nh)),  c_n = h (sin pi alpha/pi) e^((1-alpha) n h) x_n,
   its nodes do not depend on alpha, and dc_n/dalpha = c_n (pi cot(pi alpha) - n h). */
static void jet_sum(weight_jet *jet, const arb_t alpha, slong N, slong prec) {
    arb_ptr c = _arb_vec_init(9);
    arb_ptr x = c + 3, nh = c + 4, sine = c + 5, cot = c + 6, power = c + 7, y = c + 8;
    for (slong j = 0; j <= jet->lags; j++) {
        arb_zero(jet->w + j);
        arb_zero(jet->first + j);
        arb_zero(jet->second + j);
    }
    arb_sin_pi(sine, alpha, prec);
    arb_cot_pi(cot, alpha, prec);
    arb_const_pi(y, prec);
    arb_div(sine, sine, y, prec);
    arb_mul(cot, cot, y, prec);
    for (slong n = -N; n <= N; n++) {
        arb_set_si(nh, n);
        arb_mul_2exp_si(nh, nh, -1); /* h = 1/2 */
        arb_exp(x, nh, prec);
        arb_add_ui(x, x, 1, prec);
        arb_inv(x, x, prec);
        arb_sub_ui(y, alpha, 1, prec);
        arb_mul(y, y, nh, prec);
        arb_neg(y, y);
        arb_exp(c, y, prec);
        arb_mul(c, c, x, prec);
        arb_mul(c, c, sine, prec);
        arb_mul_2exp_si(c, c, -1);
        /* c'/c = pi cot(pi alpha) - nh, c''/c = nh^2 - pi^2 - 2 nh pi cot(pi alpha) */
        arb_sub(c + 1, cot, nh, prec);
        arb_mul(c + 1, c + 1, c, prec);
        arb_mul(c + 2, nh, nh, prec);
        arb_const_pi(y, prec);
        arb_submul(c + 2, y, y, prec);
        arb_mul(y, nh, cot, prec);
        arb_submul_ui(c + 2, y, 2, prec);
        arb_mul(c + 2, c + 2, c, prec);
        arb_one(power);
        for (slong j = 0; j <= jet->lags; j++) {
            arb_addmul(jet->w + j, c, power, prec);
            arb_addmul(jet->first + j, c + 1, power, prec);
            arb_addmul(jet->second + j, c + 2, power, prec);
            arb_mul(power, power, x, prec);
        }
    }
    _arb_vec_clear(c, 9);
}

enum { LAGS = 32, SIDE = 120, CELLS = 136 };

/* least[j] <= dw_j/dalpha <= most[j], |d2w_j/dalpha2| <= bend[j] for the sum on [1/20, 9/10], cell
   by cell; only what the balls give. */
static void slopes_of_sum(arb_ptr least, arb_ptr most, arb_ptr bend, slong prec) {
    weight_jet at;
    arb_t x, y;
    jet_init(&at, LAGS);
    arb_init(x);
    arb_init(y);
    for (slong i = 0; i < CELLS; i++) { /* middle 1/20 + (2i+1)/320, half width 1/320 */
        arb_set_si(x, 16 + 2 * i + 1);
        arb_div_si(x, x, 320, prec);
        arb_set_si(y, 1);
        arb_div_si(y, y, 320, prec);
        arb_add_error(x, y);
        jet_sum(&at, x, SIDE, prec);
        for (slong j = 1; j <= LAGS; j++) {
            arb_abs(y, at.second + j);
            if (i == 0) {
                arb_set(least + j, at.first + j);
                arb_set(most + j, at.first + j);
                arb_set(bend + j, y);
            } else {
                arb_min(least + j, least + j, at.first + j, prec);
                arb_max(most + j, most + j, at.first + j, prec);
                arb_max(bend + j, bend + j, y, prec);
            }
        }
    }
    for (slong j = 1; j <= LAGS; j++) { /* from here on numbers: the ends */
        arb_get_lbound_arf(arb_midref(least + j), least + j, prec);
        arb_get_ubound_arf(arb_midref(most + j), most + j, prec);
        arb_get_ubound_arf(arb_midref(bend + j), bend + j, prec);
        mag_zero(arb_radref(least + j));
        mag_zero(arb_radref(most + j));
        mag_zero(arb_radref(bend + j));
    }
    jet_clear(&at);
    arb_clear(x);
    arb_clear(y);
}

/* The trapezoid sum with 241 terms, T = 32: dw_j/dalpha >= m_j > 0 on every cell of [1/20, 9/10],
   so mu = (sum m_j^2)^2/sum M_j^2 > 0 and L = sum M_j^2 + sum 17/20 M_j B_j; then the inequality at
   points and steps of 1/L.  quartic: the loss with fourth powers. */
void plasticity_check_sums(check_context *ctx, const void *parameter) {
    const plasticity_parameter *p = parameter;
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(2);
    arb_ptr t = _arb_vec_init(9), m = _arb_vec_init(LAGS + 1), M = _arb_vec_init(LAGS + 1),
            B = _arb_vec_init(LAGS + 1);
    arb_ptr f = t, slope = t + 1, bend = t + 2, mu = t + 3, x = t + 4, L = t + 5, zero = t + 6,
            least = t + 7, most = t + 8;
    weight_jet at, star;
    jet_init(&at, LAGS);
    jet_init(&star, LAGS);
    slopes_of_sum(m, M, B, prec);
    for (slong j = 1; j <= LAGS; j++) {
        claim_decide_arb(ctx, "dw_j/dalpha > 0 on every cell", m + j, RELATION_GT, zero);
        arb_addmul(least, m + j, m + j, prec);
        arb_addmul(most, M + j, M + j, prec);
        arb_mul(x, M + j, B + j, prec);
        arb_mul_ui(x, x, 17, prec);
        arb_div_ui(x, x, 20, prec);
        arb_add(L, L, x, prec);
    }
    arb_add(L, L, most, prec);
    arb_mul(mu, least, least, prec);
    arb_div(mu, mu, most, prec);
    claim_number_arb(ctx, "mu of the sum", "1", mu);
    claim_number_arb(ctx, "L of the sum", "1", L);
    for (int a = 0; a < 2; a++) {
        vort_rational(s, a ? "4/5" : "7/20");
        arb_set_fmpq(x, s, prec);
        jet_sum(&star, x, SIDE, prec);
        for (slong i = 1; i <= 34; i++) { /* every point: the inequality, and one step */
            if (i <= 18) {
                fmpq_set_si(s + 1, i, 20);
            } else { /* towards alpha* */
                fmpq_set_si(s + 1, 1, 1UL << (i - 14));
                fmpq_sub(s + 1, s, s + 1);
            }
            if (fmpq_equal(s, s + 1))
                continue;
            arb_set_fmpq(x, s + 1, prec);
            jet_sum(&at, x, SIDE, prec);
            loss(f, slope, bend, &at, &star, p->quartic, prec);
            arb_div(bend, slope, L, prec);
            arb_sub(bend, x, bend, prec);
            arb_mul(x, slope, slope, prec);
            arb_mul_2exp_si(x, x, -1);
            arb_mul(slope, f, mu, prec);
            claim_decide_arb(ctx, "f'^2/2 >= mu f for the sum", x, RELATION_GE, slope);
            arb_div(x, mu, L, prec);
            arb_sub_ui(x, x, 1, prec);
            arb_neg(x, x);
            arb_mul(f, f, x, prec);
            jet_sum(&at, bend, SIDE, prec);
            loss(x, slope, bend, &at, &star, p->quartic, prec);
            claim_decide_arb(ctx, "one step: f falls by 1 - mu/L", x, RELATION_LE, f);
        }
    }
    jet_clear(&at);
    jet_clear(&star);
    _fmpq_vec_clear(s, 2);
    _arb_vec_clear(t, 9);
    _arb_vec_clear(m, LAGS + 1);
    _arb_vec_clear(M, LAGS + 1);
    _arb_vec_clear(B, LAGS + 1);
}

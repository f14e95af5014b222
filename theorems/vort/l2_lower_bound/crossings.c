/* vort.l2-lower-bound: where fixed mixtures lose the weights, and the data of the figure. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"
#include "theorems/vort/l2_lower_bound/l2.h"

#include <stdio.h>

/* Modes that run along with the weights, in balls. */
typedef struct {
    slong terms;
    arb_ptr value, node; /* c_s x_s^j at the present j, x_s */
} running;

static void running_init(running *r, slong terms) {
    r->terms = terms;
    r->value = _arb_vec_init(terms);
    r->node = _arb_vec_init(terms);
}

static void running_clear(running *r) {
    _arb_vec_clear(r->value, r->terms);
    _arb_vec_clear(r->node, r->terms);
}

static void running_mixture(running *r, const mixture *m, slong prec) {
    running_init(r, m->terms);
    for (slong s = 0; s < m->terms; s++) {
        arb_set_fmpq(r->value + s, m->c + s, prec);
        arb_set_fmpq(r->node + s, m->x + s, prec);
    }
}

/* error += (w_j - sum c_s x_s^j)^2, where j is the next lag */
static void running_step(arb_t error, running *r, const arb_t w, arb_t x, slong prec) {
    arb_set(x, w);
    for (slong s = 0; s < r->terms; s++) {
        arb_mul(r->value + s, r->value + s, r->node + s, prec);
        arb_sub(x, x, r->value + s, prec);
    }
    arb_addmul(error, x, x, prec);
}

/* w := the next weight, j -> j+1 */
static void weight_step(arb_t w, const arb_t alpha, slong j, arb_t x, slong prec) {
    arb_add_si(x, alpha, j, prec);
    arb_mul(w, w, x, prec);
    arb_div_si(w, w, j + 1, prec);
}

/* ---- relative errors of one half and nine tenths ---- */

/* Fitted on [1,256], one exponential of rate 1/256 or five log-spaced in [1/256,1]; what is
   claimed: the first T >= 256 with relative l2 error above 1/2 and above 9/10. */
static const struct {
    const char *alpha;
    slong terms, span, half, most;
} table[] = {{"4/5", 1, 65536, 821, 8544},
             {"4/5", 5, 256, 645, 6419},
             {"19/20", 1, 65536, 559, 3107},
             {"19/20", 5, 256, 522, 2588}};
enum { ROWS = sizeof table / sizeof *table, FIT = 256 };

/* error^2 by N^2 - 2 c.b + c'Gc, another path: b and N by projections, G lag by lag. */
static void error_by_parts(arb_t e, const mixture *m, const fmpq_t alpha, slong T, slong prec) {
    arb_ptr b = _arb_vec_init(m->terms);
    arb_t x, y;
    fmpq_t q, power;
    arb_init(x);
    arb_init(y);
    fmpq_init(q);
    fmpq_init(power);
    l2_projections(e, b, alpha, m->x, m->terms, T, prec);
    for (slong r = 0; r < m->terms; r++) {
        arb_set_fmpq(x, m->c + r, prec);
        arb_mul(y, x, b + r, prec);
        arb_submul_ui(e, y, 2, prec);
        for (slong s = 0; s < m->terms; s++) { /* c_r c_s y (1-y^T)/(1-y) */
            fmpq_mul(q, m->x + r, m->x + s);
            vort_one_minus(power, q);
            fmpq_div(power, q, power);
            fmpq_mul(power, power, m->c + r);
            fmpq_mul(power, power, m->c + s);
            arb_set_fmpq(y, q, prec);
            arb_pow_ui(y, y, (ulong)T, prec);
            arb_sub_ui(y, y, 1, prec);
            arb_set_fmpq(x, power, prec);
            arb_submul(e, x, y, prec);
        }
    }
    arb_clear(x);
    arb_clear(y);
    fmpq_clear(q);
    fmpq_clear(power);
    _arb_vec_clear(b, m->terms);
}

/* factor: of the two thresholds (1). */
void l2_check_crossings(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(2);
    arb_ptr t = _arb_vec_init(8);
    arb_ptr w = t, alpha = t + 1, energy = t + 2, error = t + 3, x = t + 4, limit = t + 5,
            factor = t + 6, parts = t + 7;
    vort_rational(s, p->factor);
    arb_set_fmpq(factor, s, prec);
    for (int n = 0; n < ROWS; n++) {
        mixture m;
        running r;
        mixture_init(&m, table[n].terms);
        vort_rational(s, table[n].alpha);
        mixture_fit(&m, s, FIT, table[n].span);
        running_mixture(&r, &m, prec);
        arb_set_fmpq(alpha, s, prec);
        arb_one(w);
        arb_zero(energy);
        arb_zero(error);
        slong stop[2] = {table[n].half, table[n].most}, last = stop[1];
        for (slong j = 1; j <= last; j++) {
            weight_step(w, alpha, j - 1, x, prec);
            arb_addmul(energy, w, w, prec);
            running_step(error, &r, w, x, prec);
            for (int k = 0; k < 2; k++) {
                if (j < FIT || j > stop[k])
                    continue;
                arb_mul_ui(limit, energy, k ? 81 : 25, prec);
                arb_div_ui(limit, limit, 100, prec);
                arb_mul(limit, limit, factor, prec);
                claim_decide_arb(ctx,
                                 j < stop[k] ? "relative error below the threshold up to T-1"
                                 : k         ? "relative error above 9/10 at T"
                                             : "relative error above 1/2 at T",
                                 error, j == stop[k] ? RELATION_GT : RELATION_LE, limit);
                if (j == stop[k]) {
                    error_by_parts(parts, &m, s, j, 2 * prec);
                    claim_two_paths(ctx, "error lag by lag = N^2 - 2 c.b + c'Gc", error, parts, 50);
                }
            }
        }
        running_clear(&r);
        mixture_clear(&m);
    }
    _fmpq_vec_clear(s, 2);
    _arb_vec_clear(t, 8);
}

/* ---- the figure ---- */

enum { CURVES = 5, LAST = 65536 };

/* alpha = 4/5, T = 1, 2, 4, ..., 65536: N - C of the five-term fit; errors of one fixed
   exponential, of five, of five with weights refit for each T, of five with rates too, and of a
   24-term sum for T = 65536.  Decided: the fixed one is above its bound, refitting helps, as far as
   it goes; factor: of N - C. */
void l2_check_drawn(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    static const char *const columns[] = {"T",    "steps", "energy", "1", "bound", "1", "one", "1",
                                          "five", "1",     "refit",  "1", "rates", "1", "sum", "1"};
    series *figure = series_new("vort-l2", "L2 error against the horizon", 8, columns);
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(2);
    arb_ptr t = _arb_vec_init(12);
    arb_ptr w = t, alpha = t + 1, energy = t + 2, x = t + 3, norm = t + 4, error = t + 5 /* [3] */,
            factor = t + 8, best = t + 9, d = t + 10, y = t + 11;
    mixture one, five, moving;
    running run[3];
    soe_sum_t sum;
    soe_design design;
    fmpz_t T;
    mixture_init(&one, 1);
    mixture_init(&five, 5);
    mixture_init(&moving, 5);
    soe_sum_init(sum, 1, SOE_RATE);
    fmpz_init_set_ui(T, LAST);
    vort_rational(s, p->factor);
    arb_set_fmpq(factor, s, prec);
    vort_rational(s, "4/5");
    arb_set_fmpq(alpha, s, prec);
    mixture_fit(&one, s, FIT, FIT * FIT);
    mixture_fit(&five, s, FIT, FIT);
    running_mixture(run, &one, prec);
    running_mixture(run + 1, &five, prec);
    soe_design_terms(sum, &design, SOE_SINC, s, T, SOE_ABSOLUTE, 24, 128);
    running_init(run + 2, sum->terms);
    for (slong i = 0; i < sum->terms; i++) {
        arb_set_fmpq(run[2].value + i, sum->weight + i, prec);
        arb_set_fmpq(x, sum->mode + i, prec);
        arb_neg(x, x);
        arb_exp(run[2].node + i, x, prec);
    }
    for (slong i = 0; i < 5; i++) /* C^2, lags 1 to infinity */
        for (slong k = 0; k < 5; k++) {
            fmpq_mul(s, five.x + i, five.x + k);
            vort_one_minus(s + 1, s);
            fmpq_div(s, s, s + 1);
            fmpq_mul(s, s, five.c + i);
            fmpq_mul(s, s, five.c + k);
            arb_set_fmpq(x, s, prec);
            arb_add(norm, norm, x, prec);
        }
    arb_sqrt(norm, norm, prec);
    vort_rational(s, "4/5");
    arb_one(w);
    for (slong j = 1; j <= LAST; j++) {
        weight_step(w, alpha, j - 1, x, prec);
        arb_addmul(energy, w, w, prec);
        for (int k = 0; k < 3; k++)
            running_step(error + k, run + k, w, x, prec);
        if ((j & (j - 1)) != 0)
            continue;
        enclosure_struct *row = series_append(figure);
        enclosure_set_integer(row, j);
        arb_sqrt(x, energy, prec);
        enclosure_set_ball(row + 1, x);
        arb_sub(x, x, norm, prec);
        enclosure_set_ball(row + 2, x);
        arb_mul(y, x, factor, prec);
        arb_sqrt(d, error + 1, prec);
        claim_decide_arb(ctx, "five fixed exponentials: error >= N - C", d, RELATION_GE, y);
        enclosure_set_ball(row + 4, d);
        arb_sqrt(x, error, prec);
        enclosure_set_ball(row + 3, x);
        arb_sqrt(x, error + 2, prec);
        enclosure_set_ball(row + 7, x);
        if (j >= 16) { /* five modes on fewer lags: nothing is left to see */
            l2_distance(d, s, five.x, 5, j);
            if (j != FIT)
                claim_decide_arb(ctx, "refit weights do better than fixed ones", d, RELATION_LE,
                                 error + 1);
            arb_set(best, d);
            for (slong span = j / 2; span <= 4 * j; span *= 2) {
                mixture_nodes(&moving, span);
                l2_distance(d, s, moving.x, 5, j);
                arb_min(best, best, d, prec);
            }
            l2_distance(d, s, five.x, 5, j);
            arb_sqrt(x, d, prec);
            enclosure_set_ball(row + 5, x);
            arb_sqrt(x, best, prec);
            enclosure_set_ball(row + 6, x);
        }
    }
    claim_table(ctx, figure);
    for (int k = 0; k < 3; k++)
        running_clear(run + k);
    mixture_clear(&one);
    mixture_clear(&five);
    mixture_clear(&moving);
    soe_sum_clear(sum);
    fmpz_clear(T);
    _fmpq_vec_clear(s, 2);
    _arb_vec_clear(t, 12);
}

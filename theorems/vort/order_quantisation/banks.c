/* vort.order-quantisation: how many banks, and how orders are sent to them. */
#include "numerics/exact/banks.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/gl_order.h"
#include "numerics/exact/number.h"
#include "theorems/vort/order_quantisation/quantisation.h"

#include <stdio.h>

/* delta = 1/20, tau = 1/100, sup norm; T and what is claimed: fewest banks, fewest equal cells. */
static const struct {
    const char *horizon;
    slong banks, uniform;
} table[] = {
    {"64", 74, 225}, {"256", 78, 290}, {"4096", 85, 421}, {"65536", 90, 552}, {"1e9", 101, 1007}};
enum { TABLE = sizeof table / sizeof *table, DIRECT = 4096 };

static void place(banks_design *d, const char *horizon, const char *tau) {
    fmpq *s = _fmpq_vec_init(2);
    fmpz_t T;
    fmpz_init(T);
    vort_rational(s, "1/20");
    vort_rational(s + 1, tau);
    exact_parse_integer(T, horizon);
    banks_design_init(d);
    banks_place(d, BANKS_SUP, s, T, s + 1, NULL);
    fmpz_clear(T);
    _fmpq_vec_clear(s, 2);
}

/* D(a,b) lag by lag, by the recurrence in balls: the other path. */
static void direct_distance(arb_t d, const fmpq_t a, const fmpq_t b, slong T, slong prec) {
    arb_ptr w = _arb_vec_init(T + 1), v = _arb_vec_init(T + 1);
    arb_t x;
    arb_init(x);
    arb_set_fmpq(x, a, prec);
    exact_gl_order_vec(w, NULL, NULL, x, T + 1, prec);
    arb_set_fmpq(x, b, prec);
    exact_gl_order_vec(v, NULL, NULL, x, T + 1, prec);
    arb_zero(d);
    for (slong j = 1; j <= T; j++) {
        arb_sub(x, v + j, w + j, prec);
        arb_max(d, d, x, prec);
    }
    arb_clear(x);
    _arb_vec_clear(w, T + 1);
    _arb_vec_clear(v, T + 1);
}

/* In Q: the differences of two orders' weights rise to one top and fall, and D grows with the upper
   order and falls with the lower one. */
void quantisation_check_chains(check_context *ctx, const void *parameter) {
    const banks_parameter *p = parameter;
    enum { LAGS = 100, TRIALS = 12 };
    fmpq *w[3], *s = _fmpq_vec_init(9);
    for (int i = 0; i < 3; i++)
        w[i] = _fmpq_vec_init(LAGS + 1);
    fmpq *order = s, *d = s + 3, *last = s + 6, *x = s + 7, *zero = s + 8;
    exact_random r = {ctx->seed};
    for (slong n = 0; n < TRIALS; n++) {
        slong at = exact_random_integer(&r, 10, 200);
        for (int i = 0; i < 3; i++) {
            fmpq_set_si(order + i, at, 1000);
            at += exact_random_integer(&r, 5, 250);
            exact_gl_rational_vec(w[i], order + i, LAGS + 1);
        }
        int falling = 0;
        for (int k = 0; k < 3; k++)
            fmpq_zero(d + k); /* d[0] = D(o0,o1), d[1] = D(o0,o2), d[2] = D(o1,o2) */
        for (slong j = 1; j <= LAGS; j++) {
            for (int k = 0; k < 3; k++) {
                fmpq_sub(x, w[k == 0 ? 1 : 2] + j, w[k == 2 ? 1 : 0] + j);
                if (fmpq_cmp(x, d + k) > 0)
                    fmpq_set(d + k, x);
            }
            fmpq_sub(x, w[1] + j, w[0] + j);
            fmpq_sub(last, w[1] + j - 1, w[0] + j - 1); /* lag 0: 1 - 1 */
            if (fmpq_cmp(x, last) < 0)
                falling = 1;
            claim_decide_fmpq(ctx,
                              falling && !p->at_horizon ? "differences fall after their top"
                                                        : "differences rise before their top",
                              x, falling && !p->at_horizon ? RELATION_LE : RELATION_GE, last);
        }
        claim_decide_fmpq(ctx, "D(a,b) > 0", d, RELATION_GT, zero);
        claim_decide_fmpq(ctx, "D grows with its upper order", d, RELATION_LT, d + 1);
        claim_decide_fmpq(ctx, "D falls with its lower order", d + 2, RELATION_LT, d + 1);
    }
    for (int i = 0; i < 3; i++)
        _fmpq_vec_clear(w[i], LAGS + 1);
    _fmpq_vec_clear(s, 9);
}

/* Both chains of each row of the table: every neighbouring distance, and the counts. */
void quantisation_check_banks(check_context *ctx, const void *parameter) {
    const banks_parameter *p = parameter;
    slong prec = ctx->prec;
    fmpz_t T, worst;
    fmpq_t tau, one;
    arb_t x, limit, y;
    fmpz_init(T);
    fmpz_init(worst);
    fmpq_init(tau);
    fmpq_init(one);
    arb_init(x);
    arb_init(y);
    arb_init(limit);
    fmpq_one(one);
    vort_rational(tau, "1/100");
    arb_set_fmpq(limit, tau, prec);
    for (int n = 0; n < TABLE; n++) {
        banks_design d;
        slong wanted = table[n].banks - p->fewer;
        place(&d, table[n].horizon, "1/100");
        exact_parse_integer(T, table[n].horizon);
        int all = fmpz_cmp_si(T, DIRECT) <= 0;
        claim_decide_si(ctx, "banks that suffice", d.banks, RELATION_LE, wanted);
        claim_decide_si(ctx, "2K-1 orders that no K-1 banks serve", d.chain, RELATION_GE,
                        2 * wanted - 1);
        claim_decide_fmpq(ctx, "the last edge is 1", d.edge + d.banks, RELATION_EQ, one);
        for (slong i = 0; i < d.banks; i++)
            for (int side = 0; side < 2; side++) {
                const fmpq *low = side ? d.order + i : d.edge + i,
                           *high = side ? d.edge + i + 1 : d.order + i;
                banks_distance(x, worst, BANKS_SUP, low, high, T, prec);
                claim_decide_arb(ctx, "neighbours of the chain of banks within tau", x, RELATION_LE,
                                 limit);
                if (all && (2 * i + side) % (4 * n + 3) == 0) {
                    direct_distance(y, low, high, fmpz_get_si(T), prec);
                    claim_two_paths(ctx, "D by its top = D lag by lag", x, y, 60);
                }
                if (i == 0 && side == 0)
                    claim_decide_si(ctx, "the first bank's worst lag is 1", fmpz_get_si(worst),
                                    RELATION_EQ, 1);
            }
        for (slong i = 0; i + 1 < d.chain; i++) {
            banks_distance(x, worst, BANKS_SUP, d.apart + i, d.apart + i + 1, T, prec);
            claim_decide_arb(ctx, "neighbours of the other chain further apart than tau", x,
                             RELATION_GT, limit);
            if (i + 2 == d.chain)
                claim_decide_si(ctx, "near order 1 the worst lag is T", fmpz_cmp(worst, T),
                                RELATION_EQ, 0);
        }
        claim_decide_si(ctx, "fewest equal cells", d.uniform, RELATION_EQ, table[n].uniform);
        claim_decide_si(ctx, "one equal cell fewer does not suffice", d.uniform_sharp, RELATION_EQ,
                        1);
        enclosure_t k;
        char name[64];
        enclosure_init(k);
        enclosure_set_integer(k, d.banks);
        snprintf(name, sizeof name, "banks, T = %s", table[n].horizon);
        claim_number(ctx, name, "1", k);
        enclosure_set_integer(k, d.uniform);
        snprintf(name, sizeof name, "equal cells, T = %s", table[n].horizon);
        claim_number(ctx, name, "1", k);
        enclosure_clear(k);
        if (n == 0 && p->fewer == 0) {
            witness_struct *w = claim_witness(ctx, "vort.order-quantisation.apart", "bank-chain");
            witness_clear(w);
            banks_witness(w, "vort.order-quantisation.apart", BANKS_SUP, T, d.apart, d.chain,
                          RELATION_GT, tau);
        }
        banks_design_clear(&d);
    }
    fmpz_clear(T);
    fmpz_clear(worst);
    fmpq_clear(tau);
    fmpq_clear(one);
    arb_clear(x);
    arb_clear(y);
    arb_clear(limit);
}

/* T = 4096: orders half way between two neighbouring banks go to the upper one and err by more than
   tau: the largest of those errors against excess * tau. */
void quantisation_check_nearest(check_context *ctx, const void *parameter) {
    const banks_parameter *p = parameter;
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(2);
    fmpz_t T, two, worst;
    arb_t x, most, limit;
    banks_design d;
    fmpz_init_set_ui(T, 4096);
    fmpz_init_set_ui(two, 2);
    fmpz_init(worst);
    arb_init(x);
    arb_init(most);
    arb_init(limit);
    place(&d, "4096", "1/100");
    for (slong i = 0; i + 1 < d.banks; i++) {
        fmpq_add(s, d.order + i, d.order + i + 1);
        fmpq_div_fmpz(s, s, two);
        banks_distance(x, worst, BANKS_SUP, d.edge + i + 1, d.order + i + 1, T, prec);
        if (fmpz_cmp_ui(worst, 1) > 0) /* else w_1 = alpha decides, which is linear */
            claim_decide_fmpq(ctx, "the edge lies above the midpoint", d.edge + i + 1, RELATION_GT,
                              s);
        banks_distance(x, NULL, BANKS_SUP, s, d.order + i + 1, T, prec);
        arb_max(most, most, x, prec);
    }
    vort_rational(s, p->excess);
    vort_rational(s + 1, "1/100");
    fmpq_mul(s, s, s + 1);
    arb_set_fmpq(limit, s, prec);
    claim_decide_arb(ctx, "error at the midpoint of two banks > tau", most, RELATION_GT, limit);
    claim_number_arb(ctx, "error of nearest routing, tau = 1/100", "1", most);
    banks_design_clear(&d);
    fmpz_clear(T);
    fmpz_clear(two);
    fmpz_clear(worst);
    arb_clear(x);
    arb_clear(most);
    arb_clear(limit);
    _fmpq_vec_clear(s, 2);
}

/* The figure: tau against the fewest banks for it, the error of as many equal cells, and the bound
   H_T (1-delta)/(2K), T = 4096. */
void quantisation_check_drawn(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const char *const targets[] = {"1/3",   "1/5",   "1/10",  "1/20", "1/50",
                                          "1/100", "1/200", "1/500", NULL};
    static const char *const columns[] = {"banks", "1", "error", "1", "uniform", "1", "bound", "1"};
    series *figure = series_new("vort-banks", "Error against the number of banks", 4, columns);
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(3);
    fmpz_t T;
    arb_t error, uniform, bound;
    fmpz_init_set_ui(T, 4096);
    arb_init(error);
    arb_init(uniform);
    arb_init(bound);
    for (int n = 0; targets[n] != NULL; n++) {
        banks_design d;
        place(&d, "4096", targets[n]);
        vort_rational(s, "1/20");
        banks_uniform_error(uniform, BANKS_SUP, s, T, d.banks, prec);
        exact_harmonic(s + 1, 4096);
        vort_one_minus(s + 2, s);
        fmpq_mul(s + 1, s + 1, s + 2);
        vort_rational(s + 2, p->number);
        fmpq_mul(s + 1, s + 1, s + 2);
        arb_set_fmpq(bound, s + 1, prec);
        arb_div_si(bound, bound, 2 * d.banks, prec);
        arb_set_arf(error, d.error);
        claim_decide_arb(ctx, "error of the fewest banks < error of as many equal cells", error,
                         RELATION_LT, uniform);
        claim_decide_arb(ctx, "error of equal cells <= H_T (1-delta)/(2K)", uniform, RELATION_LE,
                         bound);
        enclosure_struct *row = series_append(figure);
        enclosure_set_integer(row, d.banks);
        enclosure_set_ball(row + 1, error);
        enclosure_set_ball(row + 2, uniform);
        enclosure_set_ball(row + 3, bound);
        banks_design_clear(&d);
    }
    claim_table(ctx, figure);
    fmpz_clear(T);
    arb_clear(error);
    arb_clear(uniform);
    arb_clear(bound);
    _fmpq_vec_clear(s, 3);
}

/* vort.soe-rate: Gauss-Jacobi. */
#include "numerics/exact/gauss.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/hankel.h"
#include "numerics/exact/number.h"
#include "theorems/vort/soe_rate/rate.h"

/* ---- Gauss-Jacobi ---- */

/* The S-point rule's moments are (J^j)_{00} w_0; for dmu they are w_j up to j = 2S-1, for x dmu they
   are w_{j+1}, so that weights divided by x give w_1 .. w_{2S}.  The first one missed is off by h_S. */
void rate_check_jacobi_exact(check_context *ctx, const void *parameter) {
    const jacobi_parameter *p = parameter;
    vort_parameter list = {vort_orders_open, NULL};
    slong orders;
    fmpq *alpha = vort_orders(ctx, &list, &orders);
    enum { MOST = 16 };
    fmpq *centre = _fmpq_vec_init(MOST + 1), *square = _fmpq_vec_init(MOST + 1),
         *moment = _fmpq_vec_init(2 * MOST + 2);
    fmpq_t w, gap, h;
    gauss_weight_t weight;
    fmpq_init(w);
    fmpq_init(gap);
    fmpq_init(h);
    exact_gauss_weight_init(weight, GAUSS_JACOBI);
    for (slong n = 0; n < orders; n++)
        for (int times_x = 0; times_x <= 1; times_x++) {
            /* dmu: x^(alpha-1)(1-x)^-alpha, mass 1; x dmu: x^alpha (1-x)^-alpha, mass w_1 = alpha */
            fmpq_set_si(gap, times_x - 1, 1);
            fmpq_add(weight->a, alpha + n, gap);
            fmpq_neg(weight->b, alpha + n);
            for (slong k = 0; k <= MOST; k++)
                exact_gauss_recurrence(centre + k, square + k, weight, (ulong)k);
            for (slong terms = 1; terms <= MOST; terms += 5) {
                exact_tridiagonal_moments(moment, centre, square, terms, 2 * terms + 2);
                for (ulong j = 0; j < 2 * (ulong)terms + p->extra; j++) {
                    exact_gl_rational(w, alpha + n, j + (ulong)times_x);
                    if (times_x)
                        fmpq_mul(moment + j, moment + j, alpha + n);
                    claim_decide_fmpq(ctx,
                                      times_x ? "x dmu: exact for w_1 .. w_{2S}"
                                              : "dmu: exact for w_0 .. w_{2S-1}",
                                      moment + j, RELATION_EQ, w);
                }
                if (p->extra == 0) { /* the next one misses by the norm h_S times the mass */
                    exact_gl_rational(w, alpha + n, 2 * (ulong)terms + (ulong)times_x);
                    if (times_x)
                        fmpq_mul(moment + 2 * terms, moment + 2 * terms, alpha + n);
                    fmpq_sub(gap, w, moment + 2 * terms);
                    exact_gauss_norm(h, weight, (ulong)terms);
                    if (times_x)
                        fmpq_mul(h, h, alpha + n);
                    claim_decide_fmpq(ctx, "the first moment missed is off by h_S", gap,
                                      RELATION_EQ, h);
                }
            }
        }
    exact_gauss_weight_clear(weight);
    fmpq_clear(w);
    fmpq_clear(gap);
    fmpq_clear(h);
    _fmpq_vec_clear(centre, MOST + 1);
    _fmpq_vec_clear(square, MOST + 1);
    _fmpq_vec_clear(moment, 2 * MOST + 2);
    vort_orders_free(alpha);
}

/* sup over [1,T] <= 4 alpha exp(-4 S^2/T) for the rule of x dmu. */
void rate_check_jacobi_bound(check_context *ctx, const void *parameter) {
    const jacobi_parameter *p = parameter;
    static const slong cases[][2] = {{4, 64},    {8, 64},    {16, 64},
                                     {16, 1000}, {40, 1000}, {40, 10000}};
    vort_parameter list = {vort_orders_open, NULL};
    slong orders;
    fmpq *alpha = vort_orders(ctx, &list, &orders);
    fmpz_t horizon;
    fmpq_t e;
    arb_t sup, bound;
    soe_sum_t sum;
    soe_bound_t certified;
    fmpz_init(horizon);
    fmpq_init(e);
    arb_init(sup);
    arb_init(bound);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(certified);
    for (slong n = 0; n < orders; n += 2)
        for (int i = 0; i < 6; i++) {
            soe_from_gauss(sum, SOE_JACOBI, alpha + n, cases[i][0], 192);
            fmpz_set_si(horizon, cases[i][1]);
            rate_certify(certified, sum, alpha + n, horizon, SOE_ABSOLUTE, 0);
            rate_bound_ball(sup, certified);
            vort_rational(e, p->exponent);
            arb_set_fmpq(bound, e, 128);
            arb_mul_si(bound, bound, -cases[i][0] * cases[i][0], 128);
            arb_div_si(bound, bound, cases[i][1], 128);
            arb_exp(bound, bound, 128);
            arb_mul_ui(bound, bound, 4, 128);
            arb_mul_fmpz(bound, bound, fmpq_numref(alpha + n), 128);
            arb_div_fmpz(bound, bound, fmpq_denref(alpha + n), 128);
            claim_decide_arb(ctx, "sup error <= 4 alpha exp(-4 S^2/T)", sup, RELATION_LE, bound);
        }
    fmpz_clear(horizon);
    fmpq_clear(e);
    arb_clear(sup);
    arb_clear(bound);
    soe_sum_clear(sum);
    soe_bound_clear(certified);
    vort_orders_free(alpha);
}

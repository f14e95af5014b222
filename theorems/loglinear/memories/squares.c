/* The mean-square error of one weight a level, by sums of powers. */
#include "theorems/loglinear/memories/memories.h"
#include "numerics/exact/number.h"

/* zeta(order, first) - zeta(order, last+1); psi(last+1) - psi(first) for order 1 */
void memories_power_sum(arb_t sum, const fmpq_t order, ulong first, ulong last, slong prec) {
    arb_t s, a, x;
    arb_init(s);
    arb_init(a);
    arb_init(x);
    arb_set_fmpq(s, order, prec);
    for (int end = 0; end < 2; end++) {
        arb_set_ui(a, end ? last + 1 : first);
        if (fmpq_is_one(order)) {
            arb_digamma(x, a, prec);
            arb_neg(x, x);
        } else {
            arb_hurwitz_zeta(x, s, a, prec);
        }
        if (end)
            arb_sub(sum, sum, x, prec);
        else
            arb_set(sum, x);
    }
    arb_clear(s);
    arb_clear(a);
    arb_clear(x);
}

void memories_power_sum_direct(arb_t sum, const fmpq_t order, ulong first, ulong last, slong prec) {
    arb_t s, x;
    arb_init(s);
    arb_init(x);
    arb_set_fmpq(s, order, prec);
    arb_neg(s, s);
    arb_zero(sum);
    for (ulong j = first; j <= last; j++) {
        arb_set_ui(x, j);
        arb_pow(x, x, s, prec);
        arb_add(sum, sum, x, prec);
    }
    arb_clear(s);
    arb_clear(x);
}

/* (sum over the blocks of (sum p^2 - (sum p)^2/2^b) + sum p^2 beyond) / sum p^2, and its root */
void memories_square_error(arb_t error, const fmpq_t alpha, slong blocks, slong top, int direct,
                           slong prec) {
    void (*power_sum)(arb_t, const fmpq_t, ulong, ulong, slong) =
        direct ? memories_power_sum_direct : memories_power_sum;
    fmpq_t beta, twice;
    arb_t sum, squares, whole;
    fmpq_init(beta);
    fmpq_init(twice);
    arb_init(sum);
    arb_init(squares);
    arb_init(whole);
    fmpq_set_si(beta, 1, 1);
    fmpq_sub(beta, beta, alpha);
    fmpq_add(twice, beta, beta);
    arb_zero(error);
    for (slong b = 0; b < top; b++) {
        ulong first = UWORD(1) << b, last = 2 * first - 1;
        power_sum(squares, twice, first, last, prec);
        arb_add(whole, whole, squares, prec);
        if (b < blocks) {
            power_sum(sum, beta, first, last, prec);
            arb_mul(sum, sum, sum, prec);
            arb_mul_2exp_si(sum, sum, -b);
            arb_sub(squares, squares, sum, prec);
        }
        arb_add(error, error, squares, prec);
    }
    arb_div(error, error, whole, prec);
    arb_sqrt(error, error, prec);
    fmpq_clear(beta);
    fmpq_clear(twice);
    arb_clear(sum);
    arb_clear(squares);
    arb_clear(whole);
}

/* Both paths to the l2 error at T = 2^10 - 1 and (above quick, one order a unit) 2^20 - 1; and
   every level kept lowers it.  shift: blocks left out of the direct path. */
void memories_check_squares(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    fmpq *alpha = _fmpq_vec_init(MEMORIES_ORDERS);
    slong orders = memories_orders(ctx, alpha), prec = ctx->prec + 64, cases = 0;
    slong longest = ctx->level == LEVEL_QUICK ? 10 : MEMORIES_TOP;
    arb_t x, y, before;
    arb_init(x);
    arb_init(y);
    arb_init(before);
    for (slong a = 0; a < orders; a++) {
        if (ctx->level != LEVEL_QUICK && a != ctx->index % orders)
            continue;
        for (slong top = 10; top <= longest; top += 10, cases++) {
            memories_square_error(x, alpha + a, top, top, 0, prec);
            memories_square_error(y, alpha + a, top - (slong)p->shift, top, 1, prec);
            claim_two_paths(ctx, "l2 error by zeta functions and term by term", x, y,
                            ctx->prec / 2);
        }
        arb_one(before);
        for (slong blocks = 1; blocks <= MEMORIES_TOP; blocks++) {
            memories_square_error(x, alpha + a, blocks, MEMORIES_TOP, 0, prec);
            claim_decide_arb(ctx, "a level more, a smaller error", x, RELATION_LT, before);
            arb_set(before, x);
        }
    }
    /* where one order was given, the units repeat it */
    claim_sample(ctx, ctx->index < orders ? cases : 0, 2 * orders);
    _fmpq_vec_clear(alpha, MEMORIES_ORDERS);
    arb_clear(x);
    arb_clear(y);
    arb_clear(before);
}

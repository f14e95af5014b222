/* What one weight a level can do for the profile j^(alpha-1). */
#include "theorems/loglinear/memories/memories.h"
#include "numerics/exact/number.h"

#include <flint/longlong.h>

enum { POSITIONS = 1 << 12, BLOCK = 6 };

slong memories_orders(check_context *ctx, fmpq *alpha) {
    static const char *const list[] = {"3/10", "1/2", "7/10", NULL};
    return claim_orders(ctx, alpha, MEMORIES_ORDERS, list);
}

/* x := base^(1-alpha) for a ratio base = num/den */
static void power_of_ratio(arb_t x, ulong num, ulong den, const fmpq_t alpha, slong prec) {
    arb_t beta;
    arb_init(beta);
    arb_set_fmpq(beta, alpha, prec);
    arb_sub_ui(beta, beta, 1, prec);
    arb_neg(beta, beta);
    arb_set_ui(x, num);
    arb_div_ui(x, x, den, prec);
    arb_pow(x, x, beta, prec);
    arb_clear(beta);
}

void memories_block_error(arb_t error, const fmpq_t alpha, ulong first, ulong last, slong prec) {
    arb_t r;
    arb_init(r);
    power_of_ratio(r, last, first, alpha, prec);
    arb_sub_ui(error, r, 1, prec);
    arb_add_ui(r, r, 1, prec);
    arb_div(error, error, r, prec);
    arb_clear(r);
}

/* Lags of the sources that level l >= 1 holds at t. */
static int lags_of_level(ulong *first, ulong *last, ulong t, slong level) {
    ulong source, count;
    if (!fenwick_interval(&source, &count, t, level))
        return 0;
    *last = t - source;
    *first = *last - (count - 1);
    return 1;
}

/* a/b > c/d for positive numbers, by products of two words */
static int exceeds(ulong a, ulong b, ulong c, ulong d) {
    ulong high, low, other_high, other_low;
    umul_ppmm(high, low, a, d);
    umul_ppmm(other_high, other_low, c, b);
    return high > other_high || (high == other_high && low > other_low);
}

/* The block with the largest ratio last/first, found in integers. */
static void worst_block(ulong *first, ulong *last, ulong t) {
    *first = *last = 1;
    for (slong l = 1; l < FENWICK_LEVELS; l++) {
        ulong a, b;
        if (lags_of_level(&a, &b, t, l) && exceeds(b, a, *last, *first)) {
            *first = a;
            *last = b;
        }
    }
}

void memories_position_error(arb_t error, const fmpq_t alpha, ulong t, slong prec) {
    ulong first, last;
    worst_block(&first, &last, t);
    memories_block_error(error, alpha, first, last, prec);
}

/* Level b+1 of t holds the lags r+1 .. r+2^b, r = t mod 2^b, for every t < 2^12; shift: r of
   t+shift. */
void memories_check_lags(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    slong wrong_first = 0, wrong_last = 0;
    for (ulong t = 0; t < POSITIONS; t++)
        for (slong b = 0; b < 12; b++) {
            ulong first, last, r = (t + p->shift) % (UWORD(1) << b);
            if (lags_of_level(&first, &last, t, b + 1)) {
                wrong_first += first != r + 1;
                wrong_last += last != r + (UWORD(1) << b);
            }
        }
    claim_decide_si(ctx, "levels whose first lag is not r+1", wrong_first, RELATION_EQ, 0);
    claim_decide_si(ctx, "levels whose last lag is not r+2^b", wrong_last, RELATION_EQ, 0);
}

/* c := the constant 2Mm/(M+m) times factor; the larger of |1 - c/M|, |1 - c/m| against (M-m)/(M+m),
   and against that of constants a little above and below; and the l2 error around the mean. */
void memories_check_constant(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq *value = _fmpq_vec_init(BLOCK);
    fmpq_t c, other, best, x, y, sum, squares;
    fmpq_t *all[] = {&c, &other, &best, &x, &y, &sum, &squares};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        fmpq_init(*all[i]);
    for (int n = 0; n < 20; n++) {
        slong low = exact_random_integer(&r, 1, 99), high = low + exact_random_integer(&r, 1, 99);
        fmpq_set_si(best, high - low, (ulong)(high + low)); /* M = high, m = low */
        for (slong move = -1; move <= 1; move++) {
            /* c = 2Mm/(M+m) (1 + move/1000) */
            fmpq_set_si(c, 2 * high * low, (ulong)(high + low));
            fmpq_set_si(other, 1000 + move, 1000);
            fmpq_mul(c, c, other);
            exact_parse_rational(other, p->factor);
            fmpq_mul(c, c, other);
            fmpq_set_si(x, 1, (ulong)high);
            fmpq_mul(x, x, c);
            fmpq_sub_si(x, x, 1);
            fmpq_abs(x, x);
            fmpq_set_si(y, 1, (ulong)low);
            fmpq_mul(y, y, c);
            fmpq_sub_si(y, y, 1);
            fmpq_abs(y, y);
            if (fmpq_cmp(y, x) > 0)
                fmpq_set(x, y);
            claim_decide_fmpq(ctx, "max |1 - c/p| = (M-m)/(M+m) at c = 2Mm/(M+m), more elsewhere",
                              x, move == 0 ? RELATION_EQ : RELATION_GT, best);
        }
        /* sum (p - c)^2 = sum p^2 - (sum p)^2/n + n (c - mean)^2 */
        fmpq_zero(sum);
        fmpq_zero(squares);
        fmpq_zero(x);
        for (slong i = 0; i < BLOCK; i++) {
            exact_random_rational(value + i, &r, 9);
            fmpq_add(sum, sum, value + i);
            fmpq_addmul(squares, value + i, value + i);
            fmpq_sub(y, value + i, c);
            fmpq_addmul(x, y, y);
        }
        fmpq_set_si(y, 1, BLOCK);
        fmpq_mul(y, y, sum); /* mean */
        fmpq_submul(squares, sum, y);
        fmpq_sub(y, y, c);
        fmpq_mul(y, y, y);
        fmpq_mul_si(y, y, BLOCK);
        fmpq_add(squares, squares, y);
        claim_decide_fmpq(ctx, "sum (p-c)^2 = sum (p-mean)^2 + n (c-mean)^2", x, RELATION_EQ,
                          squares);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        fmpq_clear(*all[i]);
    _fmpq_vec_clear(value, BLOCK);
}

/* x := tanh(octaves (1-alpha) ln(ratio) / 2) */
static void tanh_half(arb_t x, ulong num, ulong den, slong times, const fmpq_t alpha, slong prec) {
    arb_t beta;
    arb_init(beta);
    arb_set_fmpq(beta, alpha, prec);
    arb_sub_ui(beta, beta, 1, prec);
    arb_neg(beta, beta);
    arb_set_ui(x, num);
    arb_div_ui(x, x, den, prec);
    arb_log(x, x, prec);
    arb_mul(x, x, beta, prec);
    arb_mul_si(x, x, times, prec);
    arb_mul_2exp_si(x, x, -1);
    arb_tanh(x, x, prec);
    arb_clear(beta);
}

/* At t = 2^n - 1 the error is tanh(beta/2 ln((2^n-1)/2^(n-1))), above factor (1 - 2^(1-n)) times
   its limit tanh(beta/2 ln 2) and below the limit; at t = 2^n it is tanh(n beta/2 ln 2).  n = 2 ..
   40. */
void memories_check_floor(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    fmpq *alpha = _fmpq_vec_init(MEMORIES_ORDERS);
    fmpq_t factor;
    arb_t error, formula, limit, scaled;
    slong orders = memories_orders(ctx, alpha), prec = ctx->prec + 64;
    fmpq_init(factor);
    arb_init(error);
    arb_init(formula);
    arb_init(limit);
    arb_init(scaled);
    exact_parse_rational(factor, p->factor);
    for (slong a = 0; a < orders; a++) {
        tanh_half(limit, 2, 1, 1, alpha + a, prec);
        arb_mul_fmpz(limit, limit, fmpq_numref(factor), prec);
        arb_div_fmpz(limit, limit, fmpq_denref(factor), prec);
        for (slong n = 2; n <= 40; n++) {
            ulong t = UWORD(1) << n;
            memories_position_error(error, alpha + a, t - 1, prec);
            tanh_half(formula, t - 1, t / 2, 1, alpha + a, prec);
            claim_two_paths(ctx, "error at 2^n - 1 = tanh(beta/2 ln((2^n-1)/2^(n-1)))", error,
                            formula, ctx->prec / 2);
            claim_decide_arb(ctx, "error at 2^n - 1 < tanh(beta/2 ln 2)", error, RELATION_LT,
                             limit);
            arb_one(scaled);
            arb_mul_2exp_si(scaled, scaled, 1 - n);
            arb_sub_ui(scaled, scaled, 1, prec);
            arb_neg(scaled, scaled);
            arb_mul(scaled, scaled, limit, prec);
            claim_decide_arb(ctx, "error at 2^n - 1 > (1 - 2^(1-n)) tanh(beta/2 ln 2)", error,
                             RELATION_GT, scaled);
            memories_position_error(error, alpha + a, t, prec);
            tanh_half(formula, 2, 1, n, alpha + a, prec);
            claim_two_paths(ctx, "error at 2^n = tanh(n beta/2 ln 2)", error, formula,
                            ctx->prec / 2);
        }
    }
    fmpq_set_si(alpha, 1, 2);
    tanh_half(limit, 2, 1, 1, alpha, prec);
    claim_number_arb(ctx, "error that no number of levels gets below, alpha = 1/2", "1", limit);
    tanh_half(limit, 2, 1, MEMORIES_TOP - 1, alpha, prec);
    claim_number_arb(ctx, "error at position 2^19, alpha = 1/2", "1", limit);
    _fmpq_vec_clear(alpha, MEMORIES_ORDERS);
    fmpq_clear(factor);
    arb_clear(error);
    arb_clear(formula);
    arb_clear(limit);
    arb_clear(scaled);
}

/* A constant gate e^-rate makes the level's part of the profile c e^(-rate j).  On the block [2^b,
   2^(b+1)) the values j^beta e^(-rate j) differ at its ends by the factor e^d, d = beta
   ln((2^(b+1)-1)/2^b) - rate (2^b - 1), so no c has an error below tanh(|d|/2).  range := the
   largest |d| of the blocks b < n; own: the rate beta ln 2/2^b for block b. */
static void largest_range(arb_t range, const arb_t beta, const arb_t rate, slong n, int own,
                          slong prec) {
    arb_t d, x;
    arb_init(d);
    arb_init(x);
    arb_zero(range);
    for (slong b = 0; b < n; b++) {
        arb_set_ui(d, (UWORD(2) << b) - 1);
        arb_mul_2exp_si(d, d, -b);
        arb_log(d, d, prec);
        arb_mul(d, d, beta, prec);
        if (own) {
            arb_const_log2(x, prec);
            arb_mul(x, x, beta, prec);
            arb_mul_2exp_si(x, x, -b);
        } else {
            arb_set(x, rate);
        }
        arb_submul_ui(d, x, (UWORD(1) << b) - 1, prec);
        arb_abs(d, d);
        arb_max(range, range, d, prec);
    }
    arb_clear(d);
    arb_clear(x);
}

/* tanh(range/2) >= (1 - 2^-m - 2^(m+2-n)) tanh(beta/2 ln 2), m = floor(n/2), for n = 6, 8, .., 40
   at the rates 0 and beta ln 2 2^(e/2-n-2), e = 1 .. 2n+8: from far below the longest lag's to far
   above the shortest's. */
void memories_check_gate(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    fmpq *alpha = _fmpq_vec_init(MEMORIES_ORDERS);
    slong orders = memories_orders(ctx, alpha), prec = ctx->prec + 64;
    arb_t beta, unit, rate, range, bound, x;
    arb_init(beta);
    arb_init(unit);
    arb_init(rate);
    arb_init(range);
    arb_init(bound);
    arb_init(x);
    for (slong a = 0; a < orders; a++) {
        arb_set_fmpq(beta, alpha + a, prec);
        arb_sub_ui(beta, beta, 1, prec);
        arb_neg(beta, beta);
        arb_const_log2(unit, prec);
        arb_mul(unit, unit, beta, prec);
        for (slong n = 6; n <= 40; n += 2) {
            slong m = n / 2;
            arb_one(x); /* 1 - 2^-m - 2^(m+2-n) */
            arb_mul_2exp_si(x, x, -m);
            arb_set_si(bound, 1);
            arb_sub(bound, bound, x, prec);
            arb_one(x);
            arb_mul_2exp_si(x, x, m + 2 - n);
            arb_sub(bound, bound, x, prec);
            arb_mul_2exp_si(x, unit, -1);
            arb_tanh(x, x, prec);
            arb_mul(bound, bound, x, prec);
            for (slong e = 0; e <= 2 * n + 8; e++) {
                arb_sqrt_ui(rate, 2, prec);
                arb_pow_ui(rate, rate, (ulong)e, prec);
                arb_mul_2exp_si(rate, rate, -n - 2);
                arb_mul(rate, rate, unit, prec);
                if (e == 0)
                    arb_zero(rate);
                largest_range(range, beta, rate, n, p->own_gates, prec);
                arb_mul_2exp_si(range, range, -1);
                arb_tanh(range, range, prec);
                if (e == 0 && !p->own_gates) { /* no gate: one weight a level */
                    memories_position_error(x, alpha + a, (UWORD(1) << n) - 1, prec);
                    claim_two_paths(ctx, "rate 0: the error of one weight a level", range, x,
                                    ctx->prec / 2);
                }
                claim_decide_arb(ctx,
                                 "error with a constant gate >= (1 - 2^-m - 2^(m+2-n)) "
                                 "tanh(beta/2 ln 2)",
                                 range, RELATION_GE, bound);
            }
        }
    }
    _fmpq_vec_clear(alpha, MEMORIES_ORDERS);
    arb_clear(beta);
    arb_clear(unit);
    arb_clear(rate);
    arb_clear(range);
    arb_clear(bound);
    arb_clear(x);
}

/* No t in [2^(n-1), 2^n) has a worst block with a smaller ratio last/first than 2^n - 1 has, and t
   = 2^(n-1) has the largest; every t < 2^14, in integers.  shift: added to the t whose worst block
   is looked at. */
void memories_check_positions(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    slong better = 0, worse = 0;
    for (slong n = 2; n <= 14; n++) {
        ulong low = UWORD(1) << (n - 1), top = 2 * low - 1, first, last, a, b;
        worst_block(&first, &last, top + p->shift);
        for (ulong t = low; t <= top; t++) {
            worst_block(&a, &b, t);
            better += exceeds(last, first, b, a);
            worse += exceeds(b, a, low, 1); /* at t = 2^(n-1): lags 1 .. 2^(n-1) */
        }
    }
    claim_decide_si(ctx, "positions better than the last one with as many bits", better,
                    RELATION_EQ, 0);
    claim_decide_si(ctx, "positions worse than the first one with as many bits", worse, RELATION_EQ,
                    0);
}

/* Three memories with as many states: one weight a level, the best exponential modes, and modes
   whose rates are fixed beforehand. */
#include "theorems/loglinear/memories/memories.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe_minimax.h"
#include "numerics/exact/soe_refit.h"

enum { LEAST = 4, MOST = 32, PROFILE = 21, DRAWN_POSITIONS = 1 << 11 };

/* An order a unit; where one order was given, the three units share the numbers of states. */
static int mine(const check_context *ctx, slong orders, slong states) {
    return orders > 1 || states % 3 == ctx->index;
}

/* quick: some numbers of states, among them the 21 that log-linear attention holds at 2^20 - 1. */
static int wanted(const check_context *ctx, slong states) {
    return ctx->level != LEVEL_QUICK || states % 8 == 0 || states == LEAST ||
           states == PROFILE - 1 || states == PROFILE;
}

typedef struct {
    soe_kernel_t kernel;
    fmpz_t horizon;
    soe_minimax_t best, before; /* before: a smaller number of terms, or none */
    soe_sum_t fixed;
    arb_t best_error, fixed_error; /* [lower bound for any, certified supremum of this one] */
} memories_struct;
typedef memories_struct memories_t[1];

/* The kernel t^(alpha-1) on the reals of [1,horizon]. */
static void memories_init(memories_t m, const fmpq_t alpha, slong log_horizon) {
    fmpq_t beta;
    fmpq_init(beta);
    fmpq_set_si(beta, 1, 1);
    fmpq_sub(beta, beta, alpha);
    soe_kernel_init(m->kernel, SOE_KERNEL_POWER, beta);
    fmpz_init_set_ui(m->horizon, 1);
    fmpz_mul_2exp(m->horizon, m->horizon, (ulong)log_horizon);
    fmpz_sub_ui(m->horizon, m->horizon, 1);
    soe_minimax_init(m->best);
    soe_minimax_init(m->before);
    soe_sum_init(m->fixed, 0, SOE_RATE);
    arb_init(m->best_error);
    arb_init(m->fixed_error);
    fmpq_clear(beta);
}

static void memories_clear(memories_t m) {
    soe_kernel_clear(m->kernel);
    fmpz_clear(m->horizon);
    soe_minimax_clear(m->best);
    soe_minimax_clear(m->before);
    soe_sum_clear(m->fixed);
    arb_clear(m->best_error);
    arb_clear(m->fixed_error);
}

/* error := [lower, certified supremum of the sum]; both must be found, and be within 5%. */
static void certify(check_context *ctx, arb_t error, const memories_t m, const soe_sum_t sum,
                    const arf_t lower) {
    soe_bound_t bound;
    arb_t low, high;
    soe_bound_init(bound);
    arb_init(low);
    arb_init(high);
    soe_status status = soe_certify(bound, m->kernel, sum, m->horizon, SOE_RELATIVE, 0, 1e-2, 64);
    claim_decide_si(ctx, "supremum certified", status, RELATION_EQ, SOE_OK);
    arb_set_arf(low, lower);
    arb_set_arf(high, bound->upper);
    claim_decide_arb(ctx, "what no other can do < certified supremum", low, RELATION_LT, high);
    arb_set_interval_arf(error, lower, bound->upper, 128);
    arb_mul_ui(low, low, 21, 64);
    arb_div_ui(low, low, 20, 64);
    claim_decide_arb(ctx, "certified supremum within 5% of what no other can do", high, RELATION_LT,
                     low);
    soe_bound_clear(bound);
    arb_clear(low);
    arb_clear(high);
}

/* The best sum of so many exponentials. */
static void design_best(check_context *ctx, memories_t m, slong terms) {
    arf_t lower;
    arf_init(lower);
    soe_status status = soe_minimax(m->best, m->kernel, m->horizon, SOE_RELATIVE, terms, 1e-2,
                                    m->before->sum->terms > 0 ? m->before : NULL, NULL);
    claim_decide_si(ctx, "best sum found", status, RELATION_EQ, SOE_OK);
    soe_alternation_lower(lower, m->kernel, m->best->sum, m->best->point, m->best->points,
                          SOE_RELATIVE, 256);
    certify(ctx, m->best_error, m, m->best->sum, lower);
    soe_minimax_set(m->before, m->best);
    arf_clear(lower);
}

/* The best weights for rates even in the logarithm. */
static void design_fixed(check_context *ctx, memories_t m, slong terms) {
    arf_t lower;
    arf_init(lower);
    soe_sum_clear(m->fixed);
    soe_sum_init(m->fixed, terms, SOE_RATE);
    soe_log_spaced_rates(m->fixed, m->horizon);
    soe_status status = soe_refit(m->fixed, lower, m->kernel, m->horizon);
    claim_decide_si(ctx, "best weights found", status, RELATION_EQ, SOE_OK);
    certify(ctx, m->fixed_error, m, m->fixed, lower);
    arf_clear(lower);
}

/* ---- the figure's data, alpha = 1/2 ---- */

/* x := |1 - lag^(1-alpha) f(lag)| for f the sum. */
static void relative_error(arb_t x, const memories_t m, const soe_sum_t sum, ulong lag) {
    arf_t t;
    arb_t value;
    arf_init(t);
    arb_init(value);
    arf_set_ui(t, lag);
    soe_sum_value(x, sum, t, 128);
    soe_kernel_value(value, m->kernel, t, 128);
    arb_div(x, x, value, 128);
    arb_sub_ui(x, x, 1, 128);
    arb_abs(x, x);
    arf_clear(t);
    arb_clear(value);
}

/* x := |1 - c/p(lag)|, c the best constant 2Mm/(M+m) of the lag's block [2^b, 2^(b+1)). */
static void level_error(arb_t x, const memories_t m, ulong lag) {
    arf_t t;
    arb_t low, high;
    arf_init(t);
    arb_init(low);
    arb_init(high);
    slong b = fenwick_bit_length(lag) - 1;
    arf_set_ui(t, UWORD(1) << b);
    soe_kernel_value(high, m->kernel, t, 128);
    arf_set_ui(t, (UWORD(2) << b) - 1);
    soe_kernel_value(low, m->kernel, t, 128);
    arb_mul(x, low, high, 128);
    arb_mul_2exp_si(x, x, 1);
    arb_add(low, low, high, 128);
    arb_div(x, x, low, 128);
    arf_set_ui(t, lag);
    soe_kernel_value(low, m->kernel, t, 128);
    arb_div(x, x, low, 128);
    arb_sub_ui(x, x, 1, 128);
    arb_abs(x, x);
    arf_clear(t);
    arb_clear(low);
    arb_clear(high);
}

static void draw_lag(series *s, const memories_t m, ulong lag) {
    arb_t x;
    arb_init(x);
    enclosure_struct *row = series_append(s); /* panel 0 */
    enclosure_set_integer(row + 1, (slong)lag);
    level_error(x, m, lag);
    enclosure_set_ball(row + 2, x);
    relative_error(x, m, m->best->sum, lag);
    enclosure_set_ball(row + 3, x);
    relative_error(x, m, m->fixed, lag);
    enclosure_set_ball(row + 4, x);
    arb_clear(x);
}

/* Errors at lags: all up to 16, then 24 in each octave and its last one. */
static void draw_profile(series *s, const memories_t m) {
    for (ulong lag = 1; lag < 16; lag++)
        draw_lag(s, m, lag);
    for (slong b = 4; b < MEMORIES_TOP; b++) {
        ulong step = FLINT_MAX((UWORD(1) << b) / 24, 1);
        for (ulong lag = UWORD(1) << b; lag < (UWORD(2) << b) - 1; lag += step)
            draw_lag(s, m, lag);
        draw_lag(s, m, (UWORD(2) << b) - 1);
    }
}

/* Log-linear attention's error at every position up to 2^11. */
static void draw_positions(series *s, const fmpq_t alpha, slong prec) {
    arb_t x;
    arb_init(x);
    for (ulong t = 1; t <= DRAWN_POSITIONS; t++) {
        enclosure_struct *row = series_append(s);
        enclosure_set_integer(row, 2);
        enclosure_set_integer(row + 1, (slong)t);
        memories_position_error(x, alpha, t, prec);
        enclosure_set_ball(row + 2, x);
    }
    arb_clear(x);
}

/* ---- the comparison ---- */

/* For N = 4 .. 32 states (quick: the wanted ones) at T = 2^20 - 1, one order a unit: best sum <
   fixed rates < log-linear attention in the relative sup error, and both below its l2 error (a
   relative error everywhere at most e is one of at most e in l2).  swap: the other way round. */
void memories_check_budget(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    static const char *const columns[] = {"alpha",        "1", "states", "1", "loglinear", "1",
                                          "loglinear_l2", "1", "best",   "1", "fixed",     "1"},
                             *const drawn_columns[] = {"panel",     "1", "x",    "1",
                                                       "loglinear", "1", "best", "1",
                                                       "fixed",     "1", "l2",   "1"};
    series *table = series_new("loglinear-budgets", "Errors of three memories for j^(alpha-1)", 6,
                               columns),
           *drawn = series_new("loglinear-memories", "Three memories for j^(-1/2), T = 2^20 - 1", 6,
                               drawn_columns);
    fmpq *alpha = _fmpq_vec_init(MEMORIES_ORDERS);
    slong orders = memories_orders(ctx, alpha), prec = ctx->prec + 64;
    const fmpq *order = alpha + ctx->index % orders;
    int half =
        orders > 1 && fmpz_is_one(fmpq_numref(order)) && fmpz_equal_si(fmpq_denref(order), 2);
    memories_t m;
    arb_t sup, square;
    series *budgets = series_new("loglinear-memories", "", 6, drawn_columns);
    memories_init(m, order, MEMORIES_TOP);
    arb_init(sup);
    arb_init(square);
    for (slong states = LEAST; states <= MOST; states++) {
        if (!wanted(ctx, states) || !mine(ctx, orders, states))
            continue;
        design_best(ctx, m, states);
        design_fixed(ctx, m, states);
        if (states <= MEMORIES_TOP) /* lags beyond 2^(states-1) - 1 have weight 0 */
            arb_one(sup);
        else
            memories_position_error(sup, order, (UWORD(1) << MEMORIES_TOP) - 1, prec);
        memories_square_error(square, order, FLINT_MIN(states - 1, MEMORIES_TOP), MEMORIES_TOP, 0,
                              prec);
        claim_decide_arb(ctx, "best sum < fixed rates", m->best_error,
                         p->swap ? RELATION_GT : RELATION_LT, m->fixed_error);
        claim_decide_arb(ctx, "fixed rates < one weight a level", m->fixed_error,
                         p->swap ? RELATION_GT : RELATION_LT, sup);
        claim_decide_arb(ctx, "fixed rates < one weight a level, in l2", m->fixed_error,
                         p->swap ? RELATION_GT : RELATION_LT, square);
        enclosure_struct *row = series_append(table);
        enclosure_set_rational(row, order);
        enclosure_set_integer(row + 1, states);
        enclosure_set_ball(row + 2, sup);
        enclosure_set_ball(row + 3, square);
        enclosure_set_ball(row + 4, m->best_error);
        enclosure_set_ball(row + 5, m->fixed_error);
        row = series_append(budgets);
        enclosure_set_integer(row, 1);
        enclosure_set_integer(row + 1, states);
        enclosure_set_ball(row + 2, sup);
        enclosure_set_ball(row + 3, m->best_error);
        enclosure_set_ball(row + 4, m->fixed_error);
        enclosure_set_ball(row + 5, square);
        if (half && states == PROFILE) {
            draw_profile(drawn, m);
            claim_number_arb(ctx, "21 states, alpha = 1/2: one weight a level", "1", sup);
            claim_number_arb(ctx, "21 states, alpha = 1/2: one weight a level, l2", "1", square);
            claim_number_arb(ctx, "21 states, alpha = 1/2: fixed rates", "1", m->fixed_error);
            claim_number_arb(ctx, "21 states, alpha = 1/2: best sum", "1", m->best_error);
        }
    }
    claim_sample(ctx, table->rows, (MOST - LEAST + 1) * orders);
    claim_table(ctx, table);
    if (half) {
        series_join(drawn, budgets);
        draw_positions(drawn, order, prec);
        claim_table(ctx, drawn);
    } else {
        series_free(drawn);
    }
    series_free(budgets);
    memories_clear(m);
    arb_clear(sup);
    arb_clear(square);
    _fmpq_vec_clear(alpha, MEMORIES_ORDERS);
}

/* N = 4 .. 32 (quick: 4, 8, 12, 16) at log-linear attention's own horizon T = 2^(N-1) - 1, one
   order a unit: N exponentials have less than factor times its error. */
void memories_check_own_horizon(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    static const char *const columns[] = {"alpha",     "1", "states", "1",
                                          "loglinear", "1", "best",   "1"};
    series *table =
        series_new("loglinear-own-horizon",
                   "N states at T = 2^(N-1) - 1: one weight a level, N exponentials", 4, columns);
    fmpq *alpha = _fmpq_vec_init(MEMORIES_ORDERS);
    slong orders = memories_orders(ctx, alpha), prec = ctx->prec + 64;
    const fmpq *order = alpha + ctx->index % orders;
    fmpq_t factor;
    arb_t sup, limit;
    fmpq_init(factor);
    arb_init(sup);
    arb_init(limit);
    exact_parse_rational(factor, p->factor);
    for (slong states = LEAST; states <= MOST; states++) {
        if ((ctx->level == LEVEL_QUICK && (states % 4 != 0 || states > 16)) ||
            !mine(ctx, orders, states))
            continue;
        memories_t m;
        memories_init(m, order, states - 1);
        design_best(ctx, m, states);
        memories_position_error(sup, order, (UWORD(1) << (states - 1)) - 1, prec);
        arb_mul_fmpz(limit, sup, fmpq_numref(factor), prec);
        arb_div_fmpz(limit, limit, fmpq_denref(factor), prec);
        claim_decide_arb(ctx, "N exponentials < factor times one weight a level", m->best_error,
                         RELATION_LT, limit);
        enclosure_struct *row = series_append(table);
        enclosure_set_rational(row, order);
        enclosure_set_integer(row + 1, states);
        enclosure_set_ball(row + 2, sup);
        enclosure_set_ball(row + 3, m->best_error);
        memories_clear(m);
    }
    claim_sample(ctx, table->rows, (MOST - LEAST + 1) * orders);
    claim_table(ctx, table);
    _fmpq_vec_clear(alpha, MEMORIES_ORDERS);
    fmpq_clear(factor);
    arb_clear(sup);
    arb_clear(limit);
}

/* error := the relative l2 error of the sum over the lags 1 .. horizon, lag by lag; each mode's
   c_s x_s^j is the one before times x_s, which loses about a bit a doubling of j. */
static void sum_square_error(arb_t error, const memories_t m, const soe_sum_t sum, slong prec) {
    ulong horizon = fmpz_get_ui(m->horizon);
    arb_ptr node = _arb_vec_init(sum->terms), term = _arb_vec_init(sum->terms);
    arb_t p, beta;
    fmpq_t twice;
    arb_init(p);
    arb_init(beta);
    fmpq_init(twice);
    for (slong s = 0; s < sum->terms; s++) {
        arb_set_fmpq(node + s, sum->mode + s, prec);
        arb_neg(node + s, node + s);
        arb_exp(node + s, node + s, prec);
        arb_set_fmpq(term + s, sum->weight + s, prec);
    }
    arb_set_fmpq(beta, m->kernel->order, prec);
    arb_neg(beta, beta);
    arb_zero(error);
    for (ulong j = 1; j <= horizon; j++) {
        arb_set_ui(p, j);
        arb_pow(p, p, beta, prec);
        for (slong s = 0; s < sum->terms; s++) {
            arb_mul(term + s, term + s, node + s, prec);
            arb_sub(p, p, term + s, prec);
        }
        arb_addmul(error, p, p, prec);
    }
    fmpq_add(twice, m->kernel->order, m->kernel->order);
    memories_power_sum(p, twice, 1, horizon, prec);
    arb_div(error, error, p, prec);
    arb_sqrt(error, error, prec);
    _arb_vec_clear(node, sum->terms);
    _arb_vec_clear(term, sum->terms);
    arb_clear(p);
    arb_clear(beta);
    fmpq_clear(twice);
}

/* In l2, one order a unit: 11 states at T = 2^10 - 1 and (above quick) 21 at 2^20 - 1.  factor: of
   one weight a level's error, above the best sum's; l2 <= sup for both sums. */
void memories_check_sum_squares(check_context *ctx, const void *parameter) {
    const memories_parameter *p = parameter;
    enum { SMALL_TOP = 10 };
    static const char *const columns[] = {"alpha", "1",    "states", "1",     "loglinear",
                                          "1",     "best", "1",      "fixed", "1"};
    series *table =
        series_new("loglinear-mean-square", "Mean-square errors of three memories", 5, columns);
    fmpq *alpha = _fmpq_vec_init(MEMORIES_ORDERS);
    slong orders = memories_orders(ctx, alpha), prec = ctx->prec + 64;
    const fmpq *order = alpha + ctx->index % orders;
    fmpq_t factor;
    arb_t level, best, fixed;
    fmpq_init(factor);
    arb_init(level);
    arb_init(best);
    arb_init(fixed);
    exact_parse_rational(factor, p->factor);
    for (int large = 0; large <= (ctx->level > LEVEL_QUICK); large++) {
        slong top = large ? MEMORIES_TOP : SMALL_TOP;
        memories_t m;
        memories_init(m, order, top);
        design_best(ctx, m, top + 1);
        design_fixed(ctx, m, top + 1);
        sum_square_error(best, m, m->best->sum, prec);
        sum_square_error(fixed, m, m->fixed, prec);
        memories_square_error(level, order, top, top, 0, prec);
        claim_decide_arb(ctx, "best sum: l2 <= sup", best, RELATION_LE, m->best_error);
        claim_decide_arb(ctx, "fixed rates: l2 <= sup", fixed, RELATION_LE, m->fixed_error);
        claim_decide_arb(ctx, "best sum < fixed rates, in l2", best, RELATION_LT, fixed);
        claim_decide_arb(ctx, "fixed rates < one weight a level, in l2", fixed, RELATION_LT, level);
        enclosure_struct *row = series_append(table);
        enclosure_set_rational(row, order);
        enclosure_set_integer(row + 1, top + 1);
        enclosure_set_ball(row + 2, level);
        enclosure_set_ball(row + 3, best);
        enclosure_set_ball(row + 4, fixed);
        arb_mul_fmpz(level, level, fmpq_numref(factor), prec);
        arb_div_fmpz(level, level, fmpq_denref(factor), prec);
        claim_decide_arb(ctx, "best sum < factor times one weight a level, in l2", best,
                         RELATION_LT, level);
        memories_clear(m);
    }
    /* where one order was given, the units repeat it */
    claim_sample(ctx, ctx->index < orders ? table->rows : 0, 2 * orders);
    claim_table(ctx, table);
    _fmpq_vec_clear(alpha, MEMORIES_ORDERS);
    fmpq_clear(factor);
    arb_clear(level);
    arb_clear(best);
    arb_clear(fixed);
}

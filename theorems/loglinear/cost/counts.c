/* Operations and states: counted by the code that runs, and by formula. */
#include "theorems/loglinear/cost/cost.h"

enum { LONG_RUN = 1 << 16 };

/* sum_{t<T} popcount(t): a running sum for T <= 2^16, m 2^(m-1) at T = 2^m for m <= 200, and A(2T)
   = 2A(T) + T, A(2T+1) = A(2T) + popcount(T) at random T < 2^60.  more: added to T in the
   formula. */
void cost_check_popcount(check_context *ctx, const void *parameter) {
    const cost_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpz_t steps, sum, twice;
    fmpq_t lhs, rhs;
    slong wrong = 0, running = 0;
    fmpz_init(steps);
    fmpz_init(sum);
    fmpz_init(twice);
    fmpq_init(lhs);
    fmpq_init(rhs);
    for (slong t = 0; t <= LONG_RUN; t++) {
        fmpz_set_si(steps, t + p->more);
        fenwick_popcount_sum(sum, steps);
        wrong += !fmpz_equal_si(sum, running);
        running += fenwick_live((ulong)t) - 1;
    }
    claim_decide_si(ctx, "T <= 2^16 where the formula is not the running sum", wrong, RELATION_EQ,
                    0);
    for (slong m = 1; m <= 200; m++) {
        fmpz_one(steps);
        fmpz_mul_2exp(steps, steps, (ulong)m);
        fmpz_divexact_ui(twice, steps, 2);
        fmpz_mul_si(twice, twice, m);
        fmpz_add_si(steps, steps, p->more);
        fenwick_popcount_sum(sum, steps);
        fmpq_set_fmpz(lhs, sum);
        fmpq_set_fmpz(rhs, twice);
        claim_decide_fmpq(ctx, "A(2^m) = m 2^(m-1)", lhs, RELATION_EQ, rhs);
    }
    claim_number_fmpq(ctx, "A(2^200) = 100 2^200", "1", lhs);
    for (int n = 0; n < 200; n++) {
        ulong t = exact_random_next(&r) >> 4;
        fmpz_set_ui(steps, t);
        fenwick_popcount_sum(sum, steps);
        fmpz_mul_ui(sum, sum, 2);
        fmpz_add_ui(sum, sum, t);
        fmpz_mul_ui(steps, steps, 2);
        fmpz_add_si(steps, steps, p->more);
        fenwick_popcount_sum(twice, steps);
        fmpq_set_fmpz(lhs, twice);
        fmpq_set_fmpz(rhs, sum);
        claim_decide_fmpq(ctx, "A(2T) = 2 A(T) + T", lhs, RELATION_EQ, rhs);
        fmpz_add_si(sum, sum, fenwick_live(t) - 1);
        fmpz_add_ui(steps, steps, 1);
        fenwick_popcount_sum(twice, steps);
        fmpq_set_fmpz(lhs, twice);
        fmpq_set_fmpz(rhs, sum);
        claim_decide_fmpq(ctx, "A(2T+1) = 2 A(T) + T + popcount(T)", lhs, RELATION_EQ, rhs);
    }
    fmpz_clear(steps);
    fmpz_clear(sum);
    fmpz_clear(twice);
    fmpq_clear(lhs);
    fmpq_clear(rhs);
}

/* The counts of the recurrence in Q against the formulas; more: added to the states of each
   read. */
void cost_check_operations(check_context *ctx, const void *parameter) {
    const cost_parameter *p = parameter;
    static const slong shapes[][3] = {{1, 1, 1}, {2, 2, 1},  {3, 1, 3},  {8, 2, 3},
                                      {9, 3, 2}, {31, 1, 2}, {32, 2, 1}, {50, 2, 2}};
    exact_random r = {ctx->seed};
    fmpz_t steps, sum;
    fmpz_init(steps);
    fmpz_init(sum);
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        slong t = shapes[n][0], size = shapes[n][1] * shapes[n][2];
        loglinear_case c;
        fenwick_operations ops = {0};
        loglinear_case_init(&c, t, shapes[n][1], shapes[n][2], fenwick_slots((ulong)t));
        loglinear_case_random(&c, &r);
        fenwick_status status =
            fenwick_recurrence(c.y, c.q, c.k, c.v, c.gate, c.lambda, &c.shape, &ops);
        claim_decide_si(ctx, "the recurrence ran", status, RELATION_EQ, FENWICK_OK);
        fmpz_set_si(steps, t);
        fenwick_popcount_sum(sum, steps);
        slong a = fmpz_get_si(sum);
        claim_decide_si(ctx, "gates: A(T) d_k d_v", (slong)ops.gate, RELATION_EQ, a * size);
        claim_decide_si(ctx, "merges: (T-1 - popcount(T-1)) d_k d_v", (slong)ops.merge, RELATION_EQ,
                        (t - 1 - (fenwick_live((ulong)t - 1) - 1)) * size);
        claim_decide_si(ctx, "writes: T d_k d_v", (slong)ops.write, RELATION_EQ, t * size);
        claim_decide_si(ctx, "reads: (A(T) + T) d_k d_v", (slong)ops.read, RELATION_EQ,
                        (a + t * (1 + p->more)) * size);
        loglinear_case_clear(&c);
    }
    fmpz_clear(steps);
    fmpz_clear(sum);
}

/* The most states that the counter holds within T tokens, T <= 2^16: floor(log2 T) + 1 + more. */
void cost_check_memory(check_context *ctx, const void *parameter) {
    const cost_parameter *p = parameter;
    fenwick_counter c;
    slong most = 0, wrong = 0;
    fenwick_counter_start(&c);
    for (ulong tokens = 1; tokens <= LONG_RUN; tokens++) { /* position tokens-1 */
        most = FLINT_MAX(most, c.live);
        wrong += most != fenwick_bit_length(tokens) + p->more;
        fenwick_counter_step(&c);
    }
    claim_decide_si(ctx, "T <= 2^16 whose largest number of states is not floor(log2 T) + 1", wrong,
                    RELATION_EQ, 0);
}

/* Multiply-adds that the MLP spends on one token of one head, by its loops. */
static slong count_mlp(slong levels, slong width) {
    slong n = 0;
    for (slong h = 0; h < width; h++)
        for (slong l = 0; l < levels; l++)
            n++; /* h += d_l W1[l][h] */
    for (slong l = 0; l < levels; l++)
        for (slong h = 0; h < width; h++)
            n++; /* z_l += h W2[h][l] */
    return n;
}

slong cost_parameters_printed(slong levels) {
    return 4 * levels * levels + levels;
}

slong cost_parameters_code(slong levels) {
    return 4 * levels * levels + 3 * levels;
}

/* Parameters and multiply-adds for L = 1 .. 64: 4L^2 + L, 4L^2 + 3L (+ more) and 4L^2. */
void cost_check_mlp(check_context *ctx, const void *parameter) {
    const cost_parameter *p = parameter;
    for (slong levels = 1; levels <= 64; levels++) {
        slong width = 2 * levels, matrices = levels * width + width * levels;
        claim_decide_si(ctx, "W1, W2 and the bias: 4L^2 + L", matrices + levels, RELATION_EQ,
                        cost_parameters_printed(levels) + p->more);
        claim_decide_si(ctx, "with the inner bias: 4L^2 + 3L", matrices + width + levels,
                        RELATION_EQ, cost_parameters_code(levels) + p->more);
        claim_decide_si(ctx, "multiply-adds a token and head: 4L^2", count_mlp(levels, width),
                        RELATION_EQ, 4 * levels * levels + p->more);
    }
}

/* MLP multiply-adds a token and head <= C log2 T at T = 2^(C/4), for C = 100, 1000, 10^6; width:
   reads 2L where it is 0. */
void cost_check_training(check_context *ctx, const void *parameter) {
    const cost_parameter *p = parameter;
    static const slong constants[] = {100, 1000, 1000000};
    fmpq_t work, bound;
    fmpq_init(work);
    fmpq_init(bound);
    for (int i = 0; i < 3; i++) {
        slong m = constants[i] / 4, levels = m + 1; /* log2 T, columns */
        slong width = p->width > 0 ? p->width : 2 * levels;
        fmpq_set_si(work, 2 * levels * width, (ulong)m);
        fmpq_set_si(bound, constants[i], 1);
        truth t = claim_decide_fmpq(ctx, "MLP multiply-adds over T tokens / (T log2 T) <= C", work,
                                    RELATION_LE, bound);
        if (t == TRUTH_FAILS && constants[i] == 1000) {
            enclosure_t lhs, rhs;
            fmpz_t tokens;
            enclosure_init(lhs);
            enclosure_init(rhs);
            fmpz_init_set_ui(tokens, 1);
            fmpz_mul_2exp(tokens, tokens, (ulong)m);
            enclosure_set_rational(lhs, work);
            enclosure_set_rational(rhs, bound);
            witness_struct *w = claim_witness(ctx, "loglinear.cost.training", "loglinear-mlp-work");
            witness_add_integer(w, "tokens", tokens);
            witness_conclude(w, lhs, RELATION_GT, rhs, 64);
            enclosure_clear(lhs);
            enclosure_clear(rhs);
            fmpz_clear(tokens);
        }
    }
    fmpq_clear(work);
    fmpq_clear(bound);
}

/* work := gate, merge, write and read of T = 2^m tokens, in states of d_k d_v:
   2 A(T) + (T-1-m) + 2T = (m+3) T - 1 - m. */
static void attention_work(fmpz_t work, slong m) {
    fmpz_t steps;
    fmpz_init_set_ui(steps, 1);
    fmpz_mul_2exp(steps, steps, (ulong)m);
    fenwick_popcount_sum(work, steps);
    fmpz_mul_ui(work, work, 2);
    fmpz_addmul_ui(work, steps, 3);
    fmpz_sub_ui(work, work, (ulong)(m + 1));
    fmpz_clear(steps);
}

/* The MLP's 4 (m+1)^2 T against attention's own work at T = 2^m, d_k d_v = factor (m+1), m = 0 ..
   200. */
void cost_check_comparison(check_context *ctx, const void *parameter) {
    const cost_parameter *p = parameter;
    fmpz_t own;
    fmpq_t mlp, attention, step;
    fmpz_init(own);
    fmpq_init(mlp);
    fmpq_init(attention);
    fmpq_init(step);
    for (slong m = 0; m <= 200; m++) {
        attention_work(own, m);
        fmpz_one(fmpq_numref(mlp));
        fmpz_mul_2exp(fmpq_numref(mlp), fmpq_numref(mlp), (ulong)m);
        fmpq_mul_si(step, mlp, m + 3); /* (m+3) T - 1 - m: the formula */
        fmpq_sub_si(step, step, m + 1);
        fmpq_set_fmpz(attention, own);
        claim_decide_fmpq(ctx, "attention's work = ((m+3) T - 1 - m) d_k d_v", attention,
                          RELATION_EQ, step);
        fmpq_mul_si(attention, attention, p->factor * (m + 1));
        fmpq_mul_si(mlp, mlp, 4 * (m + 1) * (m + 1));
        claim_decide_fmpq(ctx, "MLP < attention where d_k d_v >= 4 (log2 T + 1)", mlp, RELATION_LT,
                          attention);
        if (m == 20) { /* d_k = d_v = 64 instead */
            fmpq_mul_si(attention, attention, 4096);
            fmpq_set_si(step, p->factor * (m + 1), 1);
            fmpq_div(attention, attention, step);
            fmpq_div(step, mlp, attention);
            claim_number_fmpq(ctx, "MLP's work over attention's, T = 2^20, d_k = d_v = 64", "1",
                              step);
        }
    }
    fmpz_clear(own);
    fmpq_clear(mlp);
    fmpq_clear(attention);
    fmpq_clear(step);
}

/* loglinear.recurrence: the recurrence of log-linear attention is its masked matrix form.

   Both sides are polynomials with integer coefficients in the entries of q, k, v, lambda and the
   gates: they agree as polynomials by the induction below, and are compared in Q on random
   inputs. */
#include "theorems/loglinear/common.h"

typedef struct {
    int gate_shift;      /* the masked form takes g_{i+shift} for g_i */
    slong level_shift;   /* the masked form takes lambda of the level so much higher */
    slong unequal_level; /* this level's lambda is 2 where all are said to be 1; -1: none */
} recurrence_parameter;

/* {T, d_k, d_v}: powers of two and their neighbours, odd lengths, d_k != d_v, and one token. */
static const slong shapes[][3] = {{1, 1, 1},  {2, 1, 2},  {3, 2, 1}, {4, 3, 2},
                                  {5, 2, 3},  {7, 1, 4},  {8, 2, 2}, {9, 3, 1},
                                  {16, 2, 3}, {17, 3, 2}, {31, 2, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The case of shape i; extra columns of lambda beyond those that are needed. */
static void start(loglinear_case *c, int i, slong extra, exact_random *r) {
    slong steps = shapes[i][0];
    loglinear_case_init(c, steps, shapes[i][1], shapes[i][2], fenwick_slots((ulong)steps) + extra);
    loglinear_case_random(c, r);
}

/* Recurrence = masked form, 3 random inputs a shape. */
static void check_masked(check_context *ctx, const void *parameter) {
    const recurrence_parameter *p = parameter;
    exact_random r = {ctx->seed};
    for (int n = 0; n < 3 * SHAPES; n++) {
        loglinear_case c;
        start(&c, n / 3, 1, &r);
        loglinear_run_recurrence(ctx, &c);
        slong steps = c.shape.steps, levels = c.shape.levels;
        fmpq *gate = _fmpq_vec_init(steps), *lambda = _fmpq_vec_init(steps * levels);
        for (slong t = 0; t < steps; t++) {
            fmpq_set(gate + t, c.gate + (t + p->gate_shift) % steps);
            for (slong l = 0; l + p->level_shift < levels; l++)
                fmpq_set(lambda + t * levels + l, c.lambda + t * levels + l + p->level_shift);
        }
        loglinear_run_masked(ctx, &c, gate, lambda);
        loglinear_decide_outputs(ctx, "recurrence = masked form", &c);
        _fmpq_vec_clear(gate, steps);
        _fmpq_vec_clear(lambda, steps * levels);
        loglinear_case_clear(&c);
    }
}

/* lambda = 1: both forms are gated linear attention; gates 1 as well: plain linear attention. */
static void check_linear(check_context *ctx, const void *parameter) {
    const recurrence_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t one, two;
    fmpq_init(one);
    fmpq_init(two);
    fmpq_set_si(one, 1, 1);
    fmpq_set_si(two, 2, 1);
    for (int n = 0; n < SHAPES; n++)
        for (int plain = 0; plain < 2; plain++) {
            loglinear_case c;
            start(&c, n, 0, &r);
            loglinear_case_lambda(&c, one);
            for (slong t = 0; p->unequal_level >= 0 && t < c.shape.steps; t++)
                if (p->unequal_level < c.shape.levels)
                    fmpq_set(c.lambda + t * c.shape.levels + p->unequal_level, two);
            for (slong t = 0; plain && t < c.shape.steps; t++)
                fmpq_one(c.gate + t);
            fenwick_linear(c.z, c.q, c.k, c.v, c.gate, &c.shape);
            loglinear_run_recurrence(ctx, &c);
            loglinear_decide_outputs(ctx, "lambda = 1: recurrence = linear attention", &c);
            fenwick_linear(c.y, c.q, c.k, c.v, c.gate, &c.shape);
            loglinear_run_masked(ctx, &c, c.gate, c.lambda);
            loglinear_decide_outputs(ctx, "lambda = 1: masked form = linear attention", &c);
            loglinear_case_clear(&c);
        }
    fmpq_clear(one);
    fmpq_clear(two);
}

/* T' < T: the first T' outputs are those of the first T' tokens alone, with the columns they
   need. */
static void check_prefix(check_context *ctx, const void *parameter) {
    const recurrence_parameter *p = parameter;
    exact_random r = {ctx->seed};
    for (int n = 3; n < SHAPES; n++) {
        loglinear_case c, part;
        start(&c, n, 1, &r);
        slong steps = c.shape.steps / 2 + 1, levels = fenwick_slots((ulong)steps);
        loglinear_run_recurrence(ctx, &c);
        loglinear_case_init(&part, steps, c.shape.keys, c.shape.width, levels);
        loglinear_copy(part.q, c.q, steps * c.shape.keys);
        loglinear_copy(part.k, c.k, steps * c.shape.keys);
        loglinear_copy(part.v, c.v, steps * c.shape.width);
        loglinear_copy(part.gate, c.gate, steps);
        for (slong t = 0; t < steps; t++)
            for (slong l = 0; l < levels; l++)
                fmpq_set(part.lambda + t * levels + l,
                         c.lambda + t * c.shape.levels + l + p->level_shift);
        loglinear_run_recurrence(ctx, &part);
        loglinear_copy(part.z, c.y, steps * c.shape.width);
        loglinear_decide_outputs(ctx, "outputs of a prefix", &part);
        loglinear_case_clear(&part);
        loglinear_case_clear(&c);
    }
}

static const char *const hypotheses[] = {
    "q_t, k_t in R^(d_k), v_t in R^(d_v), lambda_t^(l) and gates g_t any real numbers (0 included)",
    "between t-1 and t: levels 0 .. m merge into m+1 (m trailing ones of t-1), every state is "
    "multiplied by g_t, level 0 becomes k_t v_t^T",
    "o_t = sum_l lambda_t^(l) S_t^(l)T q_t; M_ts = lambda_t^(level(t,s)) g_{s+1} ... g_t for s <= "
    "t",
    NULL};

static const char *const proof_masked[] = {
    "Claim: S_t^(l) = sum over the s with level(t,s) = l of (g_{s+1} ... g_t) k_s v_s^T.  At t = "
    "0: S_0^(0) = k_0 v_0^T.",
    "From t-1 to t: merging takes the sum over the union of the merged levels, which is the new "
    "level's interval (loglinear.partition, online); the gate multiplies each product by g_t; "
    "level 0 gets s = t with the empty product.",
    "So o_t = sum_l lambda_t^(l) sum_{level(t,s)=l} (g_{s+1} ... g_t)(q_t . k_s) v_s, and the "
    "levels partition [0,t]: o_t = sum_{s<=t} M_ts (q_t . k_s) v_s.",
    "No step divides: g_t = 0 is allowed and forgets everything before t.", NULL};
static const char *const proof_linear[] = {"With lambda = 1, M_ts = g_{s+1} ... g_t, the mask of "
                                           "S_t = g_t S_{t-1} + k_t v_t^T, whatever the levels "
                                           "are.",
                                           "With g = 1 as well, M_ts = 1: linear attention.", NULL};
static const char *const proof_prefix[] = {
    "o_t depends on the tokens s <= t and on lambda_t^(level(t,s)) alone, and for t < T' no level "
    "exceeds ceil(log2 T') (loglinear.partition, columns).",
    NULL};

static const statement statements[] = {
    {"masked-form", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "The recurrence over merging states gives the same outputs as the masked matrix form, for "
     "any gates (0 included) and any lambda.",
     "o_t = \\sum_{s\\le "
     "t}\\lambda_t^{(\\mathrm{level}(t,s))}\\Bigl(\\prod_{i=s+1}^{t}g_i\\Bigr)(q_t\\cdot "
     "k_s)\\,v_s",
     NULL, proof_masked},
    {"linear-attention", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "With lambda = 1 it is exactly (gated) linear attention.",
     "\\lambda\\equiv1 \\;\\Rightarrow\\; o_t = S_t^{\\mathsf T}q_t,\\ "
     "S_t=g_tS_{t-1}+k_tv_t^{\\mathsf T}",
     NULL, proof_linear},
    {"causal", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The outputs of a prefix of T' tokens do not depend on what follows, nor on the columns of "
     "lambda beyond the first ceil(log2 T') + 1.",
     "o_t = o_t(\\text{tokens } 0..t,\\ \\lambda_t^{(0)},\\dots,\\lambda_t^{(\\lceil\\log_2 "
     "T'\\rceil)}),\\ t<T'",
     NULL, proof_prefix},
    {NULL}};

static const recurrence_parameter exact = {0, 0, -1};
static const recurrence_parameter gate_of_next = {1, 0, -1};
static const recurrence_parameter next_level = {0, 1, -1};
static const recurrence_parameter one_level_doubled = {0, 0, 1};

static const check checks[] = {{"masked",
                                "masked-form",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_masked,
                                &exact,
                                {1, 1, 1},
                                0.05},
                               {"linear",
                                "linear-attention",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_linear,
                                &exact,
                                {1, 1, 1},
                                0.05},
                               {"prefix",
                                "causal",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_prefix,
                                &exact,
                                {1, 1, 1},
                                0.05},
                               {NULL}};

static const control controls[] = {
    {"gate-of-next-token", "masked", "each gate one token early", &gate_of_next},
    {"next-level", "masked", "lambda of the next level", &next_level},
    {"one-level-doubled", "linear", "lambda = 2 at level 1", &one_level_doubled},
    {"next-level", "prefix", "lambda of the next level", &next_level},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_loglinear_recurrence = {"loglinear.recurrence",
                                          "Recurrence and masked form",
                                          "Log-linear attention, Sec. 3",
                                          hypotheses,
                                          statements,
                                          checks,
                                          controls,
                                          settings,
                                          figures};

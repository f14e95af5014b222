/* vla.least-squares: is the recurrence the minimiser of sum |v_s - S k_s|^2 + tr(S M_t S^T) (VLA, Secs.
   2.1, 2.3)?  The minimiser has an exact recurrence of its own, with two observations a token. */
#include "numerics/exact/number.h"
#include "theorems/vla/common.h"

typedef struct {
    int without_u; /* the observation (u_t, 0) is left out */
} rls_parameter;

enum { TOKENS = 8 };

/* One observation: P by Sherman-Morrison, then S += (v - S x) (P x)^T factor. */
static layer_status observe(vla_layer_t l, const fmpq *x, const fmpq_t factor, const fmpq *v) {
    layer_status status = vla_layer_absorb(l, x, factor);
    for (slong i = 0; i < l->d; i++) {
        vla_dot(l->write + i, fmpq_mat_entry(l->inverse, i, 0), x, l->d);
        fmpq_mul(l->write + i, l->write + i, factor);
    }
    vla_layer_store(l, x, v);
    return status;
}

/* x += factor y z^T for rows y, z */
static void add_outer(fmpq_mat_t x, const fmpq *y, const fmpq *z, const fmpq_t factor) {
    fmpq_t q;
    fmpq_init(q);
    for (slong i = 0; i < fmpq_mat_nrows(x); i++)
        for (slong j = 0; j < fmpq_mat_ncols(x); j++) {
            fmpq_mul(q, y + i, z + j);
            fmpq_addmul(fmpq_mat_entry(x, i, j), q, factor);
        }
    fmpq_clear(q);
}

/* The recursion against (sum v k^T)(sum k k^T + M_t)^-1 by elimination, after every token. */
static void check_recursion(check_context *ctx, const void *parameter) {
    const rls_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t lambda0, one, factor;
    fmpq_init(lambda0);
    fmpq_init(one);
    fmpq_init(factor);
    fmpq_one(one);
    for (slong d = 1; d <= 4; d++)
        for (slong m = 1; m <= 2; m++) {
            fmpq *k = _fmpq_vec_init(d), *u = _fmpq_vec_init(d), *v = _fmpq_vec_init(m),
                 *zero = _fmpq_vec_init(m);
            fmpq_mat_t normal, cross, inverse, best;
            vla_layer_t l;
            fmpq_mat_init(normal, d, d);
            fmpq_mat_init(inverse, d, d);
            fmpq_mat_init(cross, m, d);
            fmpq_mat_init(best, m, d);
            fmpq_set_si(lambda0, 1, (ulong)exact_random_integer(&r, 1, 10));
            fmpq_set_si(factor, 1, (ulong)d);
            vla_layer_init(l, d, m, lambda0);
            for (slong i = 0; i < d; i++)
                fmpq_set(fmpq_mat_entry(normal, i, i), lambda0);
            for (slong t = 0; t < TOKENS; t++) {
                for (slong i = 0; i < d; i++) {
                    exact_random_rational(k + i, &r, 5);
                    exact_random_rational(u + i, &r, 5);
                }
                for (slong i = 0; i < m; i++)
                    exact_random_rational(v + i, &r, 5);
                add_outer(normal, k, k, one);
                add_outer(normal, u, u, factor);
                add_outer(cross, v, k, one);
                layer_status status = LAYER_OK;
                if (!p->without_u)
                    status = observe(l, u, factor, zero);
                if (status == LAYER_OK)
                    status = observe(l, k, one, v);
                if (status != LAYER_OK || !fmpq_mat_inv(inverse, normal)) {
                    vla_undecidable(ctx, layer_status_text(status));
                    continue;
                }
                fmpq_mat_mul(best, cross, inverse);
                for (slong i = 0; i < m; i++)
                    for (slong j = 0; j < d; j++)
                        claim_decide_fmpq(ctx, "S by the recursion = the minimiser",
                                          fmpq_mat_entry(l->state, i, j), RELATION_EQ,
                                          fmpq_mat_entry(best, i, j));
            }
            vla_layer_clear(l);
            fmpq_mat_clear(normal);
            fmpq_mat_clear(inverse);
            fmpq_mat_clear(cross);
            fmpq_mat_clear(best);
            _fmpq_vec_clear(k, d);
            _fmpq_vec_clear(u, d);
            _fmpq_vec_clear(v, m);
            _fmpq_vec_clear(zero, m);
        }
    fmpq_clear(lambda0);
    fmpq_clear(one);
    fmpq_clear(factor);
}

/* After one token: S_1 k = c v, the minimiser's S k = v s/(1+s), s = k^T A_1 k; equal only if c(1+s) = s.
   With u = 0: c = 1, s = 1/lambda0, so the minimiser's is v/(1+lambda0).  shift: of lambda0. */
typedef struct {
    const char *shift;
} first_parameter;

static void check_first_token(check_context *ctx, const void *parameter) {
    const first_parameter *p = parameter;
    static const char *const list[] = {"1/10", "10", "1", "1/1000", NULL};
    exact_random r = {ctx->seed};
    fmpq_t lambda0, one, q, shift;
    fmpq_init(lambda0);
    fmpq_init(one);
    fmpq_init(q);
    fmpq_init(shift);
    fmpq_one(one);
    vla_rational(shift, p->shift);
    for (int n = 0; list[n] != NULL; n++)
        for (slong d = 1; d <= 4; d++) {
            fmpq *k = _fmpq_vec_init(d);
            vla_layer_t l, best;
            vla_rational(lambda0, list[n]);
            vla_layer_init(l, d, 1, lambda0);
            vla_layer_init(best, d, 1, lambda0);
            if (d == 1)
                fmpq_one(k);
            else
                vla_random_unit(k, &r, d, 6);
            layer_status status = vla_layer_direct(l, k);
            vla_layer_store(l, k, one);
            if (status == LAYER_OK)
                status = observe(best, k, one, one);
            if (status != LAYER_OK)
                vla_undecidable(ctx, layer_status_text(status));
            vla_dot(q, fmpq_mat_entry(l->state, 0, 0), k, d);
            claim_decide_fmpq(ctx, "u = 0: S_1 k = v", q, RELATION_EQ, one);
            vla_dot(q, fmpq_mat_entry(best->state, 0, 0), k, d);
            fmpq_add(lambda0, lambda0, shift);
            fmpq_add_si(lambda0, lambda0, 1);
            fmpq_inv(lambda0, lambda0);
            claim_decide_fmpq(ctx, "u = 0: the minimiser's S k = v/(1+lambda0)", q, RELATION_EQ,
                              lambda0);
            vla_layer_clear(l);
            vla_layer_clear(best);
            _fmpq_vec_clear(k, d);
        }
    fmpq_clear(lambda0);
    fmpq_clear(one);
    fmpq_clear(q);
    fmpq_clear(shift);
}

static const char *const hypotheses[] = {
    "F_t(S) = sum_{s<=t} |v_s - S k_s|^2 + tr(S M_t S^T), M_t = lambda0 I + sum_{s<=t} u_s u_s^T, "
    "lambda0 > 0",
    "published layer as in vla.jacobian-norm", NULL};

static const char *const proof_recursion[] = {
    "F_t(S) = lambda0 |S|_F^2 + sum_s |v_s - S k_s|^2 + sum_s |0 - S u_s|^2: a ridge regression on "
    "the observations (k_s, v_s) and (u_s, 0).",
    "It is strictly convex; its gradient vanishes at S = B P, B = sum v k^T, P = (lambda0 I + sum "
    "(k k^T + u u^T))^-1.",
    "An observation (x, y): P' = P - P x x^T P/(1+x^T P x) (Sherman-Morrison), P' x = P x/(1+x^T P "
    "x), B' = B + y x^T, and B' P' = B P + (y - B P x)(P' x)^T.",
    "So each token is two such steps, (u_t, 0) and (k_t, v_t), from P_0 = I/lambda0 and S_0 = 0.",
    NULL};
static const char *const proof_first[] = {
    "u_1 = 0: A_1 = I/lambda0, a_1 = k_1, S_1 = v_1 k_1^T.",
    "The minimiser is v_1 k_1^T/(|k_1|^2+lambda0) = v_1 k_1^T/(1+lambda0).",
    "For v_1 != 0 they differ for every lambda0 > 0 and every d >= 1.", NULL};

static const statement statements[] = {
    {"derived", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "The recurrence is the exact recursive form of the regularised least-squares problem.",
     "S_t = \\arg\\min_S \\sum_{s\\le t}\\|v_s-S\\hat k_s\\|^2+\\mathrm{tr}(SM_tS^\\top)",
     "The minimiser obeys recursive least squares with two observations a token, (k_t, v_t) and "
     "(u_t, 0); the layer's S_t is another matrix from the first token on.",
     NULL},
    {"recursion", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The minimiser (sum v k^T)(sum k k^T + M_t)^-1 is given exactly by recursive least squares "
     "with the observations (u_t, 0) and (k_t, v_t).",
     "S_t^* = \\Bigl(\\sum v_s\\hat k_s^\\top\\Bigr)\\Bigl(\\sum\\hat k_s\\hat "
     "k_s^\\top+M_t\\Bigr)^{-1}",
     NULL, proof_recursion},
    {"first-token", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Already at T = 1, d = 1, u = 0 they differ: S_1 k_1 = v_1 against v_1/(1+lambda0), for every "
     "d >= 1.",
     "S_1\\hat k_1 = v_1,\\quad S_1^*\\hat k_1 = v_1/(1+\\lambda_0)", NULL, proof_first},
    {NULL}};

#define EXCESS "objective at S_T <= its minimum"
static const vla_inputs layer_token = {4, 1, 1, "1/10", "1 4 4 4", "0 0 0 1", "1", NULL, NULL, 0};
static const vla_inputs no_value = {4, 1, 1, "1/10", "1 4 4 4", "0 0 0 1", "0", NULL, NULL, 0};
static const vla_inputs smallest = {1, 1, 1, "1/10", "1", "1", "1", NULL, NULL, 0};
static const vla_inputs two_tokens = {
    4, 2, 2, "1/10", "1 4 4 4 2 2 3 8", "0 0 0 1 0 0 0 1", "1 0 0 1", NULL, NULL, 0};
static const vla_published published = {
    &layer_token, EXCESS, "vla.least-squares.layer", "vla-excess", vla_excess, RELATION_LE, "0"};
static const vla_published published_small = {
    &smallest, EXCESS, "vla.least-squares.smallest", "vla-excess", vla_excess, RELATION_LE, "0"};
static const vla_published published_two = {
    &two_tokens, EXCESS, "vla.least-squares.two", "vla-excess", vla_excess, RELATION_LE, "0"};
static const vla_published nothing_written = {
    &no_value, EXCESS, "vla.least-squares.nothing", "vla-excess", vla_excess, RELATION_LE, "0"};
static const rls_parameter both = {0}, one_only = {1};
static const first_parameter right = {"0"}, off = {"1/100"};

static const check checks[] = {{"published",
                                "derived",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                vla_check_published,
                                &published,
                                {1, 1, 1},
                                0.01},
                               {"published-smallest",
                                "derived",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                vla_check_published,
                                &published_small,
                                {1, 1, 1},
                                0.01},
                               {"published-two",
                                "derived",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                vla_check_published,
                                &published_two,
                                {1, 1, 1},
                                0.01},
                               {"recursion",
                                "recursion",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_recursion,
                                &both,
                                {1, 1, 1},
                                0.1},
                               {"first-token",
                                "first-token",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_first_token,
                                &right,
                                {1, 1, 1},
                                0.02},
                               {NULL}};

static const control controls[] = {
    {"nothing-written", "published", "v = 0", &nothing_written},
    {"nothing-written", "published-smallest", "v = 0 (d = 4)", &nothing_written},
    {"nothing-written", "published-two", "v = 0 (one token)", &nothing_written},
    {"one-observation", "recursion", "without the observation (u_t, 0)", &one_only, 0.01},
    {"lambda0-off", "first-token", "lambda0 + 1/100 in the formula", &off},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_vla_least_squares = {"vla.least-squares",
                                       "What the recurrence minimises",
                                       "VLA, Secs. 2.1, 2.3",
                                       hypotheses,
                                       statements,
                                       checks,
                                       controls,
                                       settings,
                                       figures};

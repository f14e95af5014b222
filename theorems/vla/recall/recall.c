/* vla.recall: what the state gives back (VLA, Secs. 2.2, 3.2, 4).

   One write gives S_t k = c v + (1-c) S_{t-1} k; all that follows writes along a_t, and changes what is
   read with an older key by (a_t.k) times the residual. */
#include "theorems/vla/recall/frames.h"
#include "theorems/vla/recall/recall.h"

static const char *const hypotheses[] = {
    "S_t = S_{t-1} + (v_t - S_{t-1} k_t) a_t^T, |k| = |a| = 1, c = a.k",
    "published layer as in vla.jacobian-norm; trained models are not checked: what is measured is "
    "the recurrence alone",
    "measured: d = d_v = 32, lambda0 = 1/10, random unit values, double precision; a pair is "
    "recalled if its value has the largest inner product with S k among all pairs' values; 99% "
    "Student intervals over 40 trials (quick) or 160, and 1 - 0.01^(1/trials) wide where all "
    "trials recall everything; W_u drawn: Gaussian, once a trial",
    NULL};

static const char *const proof_identity[] = {
    "S_t k = S_{t-1} k + (v - S_{t-1} k)(a.k).",
    "So S_t k - v = (1-c)(S_{t-1} k - v): zero iff c = 1 or the residual was zero.", NULL};
static const char *const proof_orthonormal[] = {
    "u_t along k_t and orthonormal keys: a_t = k_t (vla.jacobian-vanishing), so c = 1 and S_t k_t "
    "= v_t.",
    "A later write adds (v - S k_t) k_t^T, which does not change S k_i for k_i orthogonal to k_t.",
    NULL};
static const char *const proof_leaning[] = {"A e = mu e: a.e = e^T A k/|A k| = mu (k.e)/|A k|.",
                                            "|A k| >= mu_min |k| = mu_min.", NULL};
static const char *const proof_contraction[] = {
    "Sherman-Morrison: x^T A_t y = x^T A y - (x^T A u)(u^T A y)/(1+s), s = u^T A u.",
    "x = y = u: s - s^2/(1+s) = s/(1+s). x = y = k: unchanged iff k^T A u = 0.", NULL};

static const statement statements[] = {
    {"exact-within-capacity", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "Within the capacity of n <= d associations recall is exact.",
     "S_n\\hat k_i = v_i,\\quad i\\le n\\le d",
     "S_t k = c v + (1-c) S_{t-1} k: exact for the newest pair iff a = k or there was nothing to "
     "correct, and for all n <= d pairs if the keys are orthonormal with u along k.",
     NULL},
    {"write", STATEMENT_CORRECTED, VERDICT_PROVED,
     "S_t k = c v + (1-c) S_{t-1} k: the newest pair is exact iff c = 1 or the residual is 0.",
     "S_t\\hat k = cv+(1-c)S_{t-1}\\hat k", NULL, proof_identity},
    {"orthonormal", STATEMENT_CORRECTED, VERDICT_PROVED,
     "n <= d orthonormal keys with u along k: all n pairs are recalled exactly, for every lambda0.",
     "S_n\\hat k_i = v_i", NULL, proof_orthonormal},
    {"orthogonal-writes", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "New writes go orthogonal to recently used directions.", "\\hat\\alpha_t\\cdot\\hat k_s = 0",
     "A write leans away from penalised directions, it is not orthogonal to them: along the most "
     "penalised eigenvector e, (a.e)^2 <= (k.e)^2; with one key repeated it goes along the very "
     "key used last.",
     NULL},
    {"leaning", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For the eigenvector e of A with the least eigenvalue (the most penalised direction), (a.e)^2 "
     "<= (k.e)^2.",
     "(\\hat\\alpha\\cdot e)^2 \\le (\\hat k\\cdot e)^2", NULL, proof_leaning},
    {"contracts-where-written", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "A contracts in the directions recently written.",
     "\\hat k_t^\\top A_t\\hat k_t < \\hat k_t^\\top A_{t-1}\\hat k_t",
     "A contracts along u, not along the key written: k^T A k stays as it is where k^T A u = 0.",
     NULL},
    {"contraction", STATEMENT_CORRECTED, VERDICT_PROVED,
     "With s = u^T A_{t-1} u: u^T A_t u = s/(1+s), and k^T A k falls by (k^T A_{t-1} u)^2/(1+s).",
     "\\hat k^\\top A_t\\hat k = \\hat k^\\top A_{t-1}\\hat k-\\frac{(\\hat k^\\top "
     "A_{t-1}u)^2}{1+s}",
     NULL, proof_contraction},
    {"graceful", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "Beyond d pairs VLA degrades more mildly than plain linear attention and keeps part of the "
     "old associations.",
     "\\|S_n\\hat k_1-v_1\\|^2 \\le \\|S^{lin}_n\\hat k_1-v_1\\|^2",
     "It depends on keys and on W_u: with the axes of R^4 and then (1,1,1,1)/2, u along k, VLA has "
     "twice linear attention's squared error on the first pair; two frames one after the other "
     "leave nothing of the first; with random unit keys VLA recalls fewer pairs at less squared "
     "error; with ELU+1 keys and u along k it recalls more.",
     NULL},
    {"linear-frames", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "Linear attention, orthonormal values: the axes of R^4 and (1,1,1,1)/2 as keys: the first "
     "four pairs have squared error 1/4; the axes and the signs +-1/2: all eight have 1; each "
     "pair's own value is the nearest.",
     "\\|S^{lin}\\hat k_i-v_i\\|^2", NULL, NULL},
    {"long-context", STATEMENT_CONJECTURED, VERDICT_REFUTED,
     "The recurrence keeps n = 8 pairs exactly as the context grows to T = 512, whatever else is "
     "written.",
     "S_T\\hat k_1 = v_1,\\ T\\le512",
     "Every token writes, and one key that overlaps disturbs; a further orthonormal frame of d "
     "keys that repeats none of theirs leaves nothing of them; filler that repeats one token "
     "leaves them alone (measured).",
     NULL},
    {"load", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "Recall falls with the load n/d for linear attention, delta rule and VLA: random unit or "
     "orthonormal keys, n/d from 1/4 to 4 (1024/n trials a point, at least 10, at quick; else 8 "
     "times as many).",
     "n/d", NULL, NULL},
    {"full-load", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "n = d, random unit keys: linear attention recalls more pairs than VLA with u along k, and "
     "that more than the delta rule.",
     "n = d", NULL, NULL},
    {"overload", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "n = 2d, random unit keys: linear attention recalls more pairs than VLA with u along k, at a "
     "larger squared error.",
     "n = 2d", NULL, NULL},
    {"features", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "n = 2d, ELU+1 keys: VLA with u along k recalls more pairs than linear attention, the delta "
     "rule and VLA with W_u drawn, by 0.3 and more.",
     "n = 2d", NULL, NULL},
    {"filler", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "n = 8, T = 512, random unit keys, VLA with u along k: recall is above 0.85 if the other "
     "tokens are one token repeated, and below 0.3 if they are random.",
     "n = 8,\\ T = 512", NULL, NULL},
    {NULL}};

#define FIRST_ONE                                                                                  \
    "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "                                                             \
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
#define FOUR_AXES "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1  "
#define FOUR_SIGNS "1 1 1 1  1 -1 1 -1  1 1 -1 -1  1 -1 -1 1"
#define FIVE_VALUES "1 0 0 0 0  0 1 0 0 0  0 0 1 0 0  0 0 0 1 0  0 0 0 0 1"
#define EIGHT_VALUES                                                                               \
    "1 0 0 0 0 0 0 0  0 1 0 0 0 0 0 0  0 0 1 0 0 0 0 0  0 0 0 1 0 0 0 0  "                         \
    "0 0 0 0 1 0 0 0  0 0 0 0 0 1 0 0  0 0 0 0 0 0 1 0  0 0 0 0 0 0 0 1"

static const vla_inputs two_tokens = {
    4, 2, 2, "1/10", "1 4 4 4 2 2 3 8", "0 0 0 1 0 0 0 1", "1 0 0 1", NULL, NULL, 0};
static const vla_inputs two_axes = {
    4, 2, 2, "1/10", "1 0 0 0 0 1 0 0", "1 0 0 0 0 1 0 0", "1 0 0 1", NULL, NULL, 0};
static const vla_inputs one_key = {
    4, 2, 2, "1/10", "2 2 3 8 2 2 3 8", "2 2 3 8 2 2 3 8", "1 0 0 1", NULL, NULL, 0};
static const vla_inputs across = {4, 1, 1, "1/10", "2 2 2 2", "1 1 -1 -1", "1", NULL, NULL, 0};
static const vla_inputs along = {4, 1, 1, "1/10", "2 2 2 2", "1 1 1 1", "1", NULL, NULL, 0};
static const vla_inputs two_frames = {
    4, 8, 8, "1/10", FOUR_AXES FOUR_SIGNS, FOUR_AXES FOUR_SIGNS, EIGHT_VALUES, NULL, NULL, 0};
static const vla_inputs one_frame = {
    4,
    8,
    4,
    "1/10",
    FOUR_AXES,
    FOUR_AXES,
    "1 0 0 0 0 0 0 0  0 1 0 0 0 0 0 0  0 0 1 0 0 0 0 0  0 0 0 1 0 0 0 0",
    NULL,
    NULL,
    0};
static const vla_inputs long_context = {
    16,        1,    32,   "1/10", SIXTEEN_AXES SIXTEEN_SIGNS, SIXTEEN_AXES SIXTEEN_SIGNS,
    FIRST_ONE, NULL, NULL, 0};
#define FIRST_OF_17 "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
#define FOUR_ONES "1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0"
static const vla_inputs one_overlap = {
    16, 1, 17, "1/10", SIXTEEN_AXES FOUR_ONES, SIXTEEN_AXES FOUR_ONES, FIRST_OF_17, NULL, NULL, 0};
static const vla_inputs five_keys = {
    4, 5, 5, "1/10", FOUR_AXES "1 1 1 1", FOUR_AXES "1 1 1 1", FIVE_VALUES, NULL, NULL, 0};
static const vla_inputs idle_context = {
    16,
    1,
    2,
    "1/10",
    "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "1 0",
    NULL,
    NULL,
    0};

#define PUBLISHED(name, inputs, label, id, kind, quantity, rel, rhs)                               \
    static const vla_published name = {&inputs, label, "vla.recall." id, kind, quantity, rel, rhs}
PUBLISHED(inexact, two_tokens, "|S_2 k_1 - v_1|^2 <= 0", "within-capacity", "vla-recall",
          vla_recall_error, RELATION_LE, "0");
PUBLISHED(exact, two_axes, "|S_2 k_1 - v_1|^2 <= 0", "axes", "vla-recall", vla_recall_error,
          RELATION_LE, "0");
PUBLISHED(overlapping, two_tokens, "(a_2.k_1)^2 <= 0", "overlap", "vla-overlap", vla_overlap,
          RELATION_LE, "0");
PUBLISHED(repeated, one_key, "(a_2.k_1)^2 <= 0", "repeated-key", "vla-overlap", vla_overlap,
          RELATION_LE, "0");
PUBLISHED(apart, two_axes, "(a_2.k_1)^2 <= 0", "apart", "vla-overlap", vla_overlap, RELATION_LE,
          "0");
PUBLISHED(not_contracting, across, "k^T (A_0 - A_1) k > 0", "contraction", "vla-contraction",
          vla_contraction, RELATION_GT, "0");
PUBLISHED(contracting, along, "k^T (A_0 - A_1) k > 0", "along", "vla-contraction", vla_contraction,
          RELATION_GT, "0");
PUBLISHED(overwritten, two_frames, "|S_8 k_1 - v_1|^2 <= 1, linear attention's", "two-frames",
          "vla-recall", vla_recall_error, RELATION_LE, "1");
PUBLISHED(kept, one_frame, "|S_4 k_1 - v_1|^2 <= 1", "one-frame", "vla-recall", vla_recall_error,
          RELATION_LE, "1");
PUBLISHED(overwritten_five, five_keys, "|S_5 k_1 - v_1|^2 <= 1/4, linear attention's", "five-keys",
          "vla-recall", vla_recall_error, RELATION_LE, "1/4");
PUBLISHED(kept_four, one_frame, "|S_4 k_1 - v_1|^2 <= 1/4", "one-frame", "vla-recall",
          vla_recall_error, RELATION_LE, "1/4");
PUBLISHED(disturbed, one_overlap, "|S_17 k_1 - v_1|^2 <= 0", "one-overlap", "vla-recall",
          vla_recall_error, RELATION_LE, "0");
PUBLISHED(forgotten, long_context, "|S_32 k_1 - v_1|^2 <= 0", "long-context", "vla-recall",
          vla_recall_error, RELATION_LE, "0");
PUBLISHED(remembered, idle_context, "|S_2 k_1 - v_1|^2 <= 0", "idle", "vla-recall",
          vla_recall_error, RELATION_LE, "0");

/* Linear attention on inputs with orthonormal values: S k_i.v_j = k_j.k_i.  The squared error of the first
   pairs, and that each one's own value is the nearest; factor: of the keys after the fourth (1). */
typedef struct {
    const vla_inputs *inputs;
    slong pairs, factor;
    const char *error;
} linear_parameter;

static void check_linear(check_context *ctx, const void *parameter) {
    const linear_parameter *p = parameter;
    vla_case_t c;
    fmpq_t q, square, one, error;
    fmpq_init(q);
    fmpq_init(square);
    fmpq_init(one);
    fmpq_init(error);
    fmpq_one(one);
    vla_rational(error, p->error);
    layer_status status = vla_case_init(c, p->inputs);
    if (status != LAYER_OK)
        vla_undecidable(ctx, layer_status_text(status));
    for (slong i = 4 * c->d; i < c->tokens * c->d; i++)
        fmpq_mul_si(c->keys + i, c->keys + i, p->factor);
    for (slong i = 0; i < p->pairs; i++) {
        fmpq_zero(square);
        for (slong j = 0; j < c->tokens; j++) {
            vla_dot(q, c->keys + i * c->d, c->keys + j * c->d, c->d);
            if (i != j)
                claim_decide_fmpq(ctx, "S k_i.v_j < 1", q, RELATION_LT, one);
            else
                fmpq_sub(q, q, one);
            fmpq_addmul(square, q, q);
        }
        claim_decide_fmpq(ctx, "|S k_i - v_i|^2", square, RELATION_EQ, error);
        vla_dot(q, c->keys + i * c->d, c->keys + i * c->d, c->d);
        claim_decide_fmpq(ctx, "S k_i.v_i = 1", q, RELATION_EQ, one);
    }
    vla_case_clear(c);
    fmpq_clear(q);
    fmpq_clear(square);
    fmpq_clear(one);
    fmpq_clear(error);
}

static const linear_parameter linear_frames = {&two_frames, 8, 1, "1"},
                              linear_longer = {&two_frames, 8, 2, "1"},
                              linear_five = {&five_keys, 4, 1, "1/4"},
                              linear_five_longer = {&five_keys, 4, 2, "1/4"};

#define SETUP(memory, penalty, keys, filler, pairs, length)                                        \
    {                                                                                              \
        RECALL_##memory, PENALTY_##penalty, KEYS_##keys, FILLER_##filler, RECALL_WIDTH, pairs,     \
            length, 0.1                                                                            \
    }
#define LINEAR(keys, n) SETUP(LINEAR, NONE, keys, NONE, n, n)
#define DELTA(keys, n) SETUP(DELTA, NONE, keys, NONE, n, n)
#define ALONG(keys, n) SETUP(VLA, ALONG_KEY, keys, NONE, n, n)
#define DRAWN(keys, n) SETUP(VLA, DRAWN, keys, NONE, n, n)
#define MORE "recall: the first interval is above the second"
#define LESS "squared error: the first interval is above the second"
#define ENDS                                                                                       \
    { NULL, NULL, NULL, LINEAR(RANDOM, 8), LINEAR(RANDOM, 8), 0, 0, NULL, 0 }
#define PAIR(label, name, setup, other_name, other, gap, error)                                    \
    { label, name, other_name, setup, other, 0, 0, gap, error }
#define ALONE(label, name, setup, number, turned)                                                  \
    { label, name, NULL, setup, setup, 1, turned, number, 0 }

static const recall_comparison full_load[] = {
    PAIR(MORE, "recall/linear,n=d", LINEAR(RANDOM, 32), "recall/vla,n=d", ALONG(RANDOM, 32), "0",
         0),
    PAIR(MORE, "recall/vla,n=d", ALONG(RANDOM, 32), "recall/delta,n=d", DELTA(RANDOM, 32), "0", 0),
    ENDS};
static const recall_comparison full_load_drawn[] = {
    PAIR(MORE, "vla-drawn", DRAWN(RANDOM, 32), "vla", ALONG(RANDOM, 32), "0", 0), ENDS};
static const recall_comparison overload[] = {PAIR(MORE, "recall/linear,n=2d", LINEAR(RANDOM, 64),
                                                  "recall/vla,n=2d", ALONG(RANDOM, 64), "0", 0),
                                             PAIR(LESS, "error/linear,n=2d", LINEAR(RANDOM, 64),
                                                  "error/vla,n=2d", ALONG(RANDOM, 64), "0", 1),
                                             ENDS};
static const recall_comparison overload_turned[] = {
    PAIR(MORE, "vla", ALONG(RANDOM, 64), "linear", LINEAR(RANDOM, 64), "0", 0), ENDS};
static const recall_comparison features[] = {
    PAIR(MORE, "recall/vla,ELU+1,n=2d", ALONG(FEATURES, 64), "recall/linear,ELU+1,n=2d",
         LINEAR(FEATURES, 64), "3/10", 0),
    PAIR(MORE, "recall/vla,ELU+1,n=2d", ALONG(FEATURES, 64), "recall/delta,ELU+1,n=2d",
         DELTA(FEATURES, 64), "3/10", 0),
    PAIR(MORE, "recall/vla,ELU+1,n=2d", ALONG(FEATURES, 64), "recall/vla-drawn,ELU+1,n=2d",
         DRAWN(FEATURES, 64), "3/10", 0),
    ENDS};
static const recall_comparison features_drawn[] = {
    PAIR(MORE, "vla-drawn", DRAWN(FEATURES, 64), "linear", LINEAR(FEATURES, 64), "3/10", 0), ENDS};
static const recall_comparison filler[] = {
    ALONE("recall > 0.85: one token repeated", "recall/vla,one-filler,T=512",
          SETUP(VLA, ALONG_KEY, RANDOM, ONE, 8, 512), "85/100", 0),
    ALONE("recall < 0.3: random tokens", "recall/vla,random-filler,T=512",
          SETUP(VLA, ALONG_KEY, RANDOM, RANDOM, 8, 512), "3/10", 1),
    ENDS};
static const recall_comparison filler_turned[] = {
    ALONE("recall > 0.85: random tokens", "recall", SETUP(VLA, ALONG_KEY, RANDOM, RANDOM, 8, 512),
          "85/100", 0),
    ENDS};
static const slong none = 0, one = 1;

#define CHECK(name, statement, verdict, evidence, run, parameter, ...)                             \
    {                                                                                              \
        name, statement, VERDICT_##verdict, EVIDENCE_##evidence, LEVEL_QUICK, run, parameter,      \
            {1, 1, 1}, __VA_ARGS__                                                                 \
    }
static const check checks[] = {
    CHECK("within-capacity", "exact-within-capacity", REFUTED, FINITE, vla_check_published,
          &inexact, 0.01),
    CHECK("write", "write", PROVED, PROOF, recall_check_identity, &none, 0.02),
    CHECK("orthonormal", "orthonormal", PROVED, PROOF, recall_check_orthonormal, &none, 0.05),
    CHECK("overlap", "orthogonal-writes", REFUTED, FINITE, vla_check_published, &overlapping, 0.01),
    CHECK("repeated-key", "orthogonal-writes", REFUTED, FINITE, vla_check_published, &repeated,
          0.01),
    CHECK("leaning", "leaning", PROVED, PROOF, recall_check_leaning, &none, 0.02),
    CHECK("contracts", "contracts-where-written", REFUTED, FINITE, vla_check_published,
          &not_contracting, 0.01),
    CHECK("contraction", "contraction", PROVED, PROOF, recall_check_contraction, &none, 0.05),
    CHECK("graceful", "graceful", REFUTED, FINITE, vla_check_published, &overwritten, 0.02),
    CHECK("linear-frames", "linear-frames", CERTIFIED, FINITE, check_linear, &linear_frames, 0.01),
    CHECK("linear-five", "linear-frames", CERTIFIED, FINITE, check_linear, &linear_five, 0.01),
    CHECK("graceful-five", "graceful", REFUTED, FINITE, vla_check_published, &overwritten_five,
          0.02),
    CHECK("one-overlap", "long-context", REFUTED, FINITE, vla_check_published, &disturbed, 0.05),
    CHECK("long-context", "long-context", REFUTED, FINITE, vla_check_published, &forgotten, 0.01),
    CHECK("load", "load", MEASURED, STATISTIC, recall_check_load, &none, 1.5),
    CHECK("full-load", "full-load", MEASURED, STATISTIC, recall_check_compare, full_load, 0.02,
          0.1),
    CHECK("overload", "overload", MEASURED, STATISTIC, recall_check_compare, overload, 0.05, 0.3),
    CHECK("features", "features", MEASURED, STATISTIC, recall_check_compare, features, 0.4),
    CHECK("filler", "filler", MEASURED, STATISTIC, recall_check_compare, filler, 0.4),
    {NULL}};

static const control controls[] = {
    {"axes", "within-capacity", "two axes as keys, u along them", &exact},
    {"one-more", "write", "c+1 in place of c", &one},
    {"second-frame", "orthonormal", "one token of another frame afterwards", &one},
    {"axes", "overlap", "two axes as keys, u along them", &apart},
    {"axes", "repeated-key", "two axes as keys, u along them", &apart},
    {"largest-eigenvalue", "leaning", "the largest eigenvalue in place of the least", &one},
    {"u-along-k", "contracts", "u along k", &contracting},
    {"pivot-off", "contraction", "2+s in place of 1+s", &one},
    {"one-frame", "graceful", "the first frame alone, n = d", &kept},
    {"longer-keys", "linear-frames", "keys of the second frame twice as long", &linear_longer},
    {"longer-keys", "linear-five", "the fifth key twice as long", &linear_five_longer},
    {"one-frame", "graceful-five", "the first four tokens alone, n = d", &kept_four},
    {"one-token", "one-overlap", "one more token, its key orthogonal", &remembered},
    {"one-token", "long-context", "one more token, its key orthogonal", &remembered},
    {"turned", "load", "recall said to rise with the load", &one},
    {"W_u-drawn", "full-load", "W_u drawn against u along k", full_load_drawn},
    {"turned", "overload", "VLA and linear attention exchanged", overload_turned},
    {"W_u-drawn", "features", "W_u drawn in place of u along k", features_drawn, 0.1},
    {"random-filler", "filler", "random tokens in place of one repeated", filler_turned},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"vla-recall", NULL};

const claim claim_vla_recall = {"vla.recall",
                                "What the state gives back",
                                "VLA, Secs. 2.2-4",
                                hypotheses,
                                statements,
                                checks,
                                controls,
                                settings,
                                figures};

/* loglinear.cost: what log-linear attention and its lambda-MLP cost, counted. */
#include "theorems/loglinear/cost/cost.h"

static const char *const hypotheses[] = {
    "one head, T tokens, states of d_k x d_v; A(T) = sum_{t<T} popcount(t)",
    "lambda-MLP with L = ceil(log2 T) + 1 levels and hidden width 2L, once a token and head",
    "operations: multiplications by gates, additions of merging, k v^T, multiply-adds of reading",
    NULL};

static const char *const proof_popcount[] = {
    "Bit b is set in the upper half of each period of 2^(b+1) numbers: floor(T/2^(b+1)) 2^b times "
    "in the whole periods, and max(0, (T mod 2^(b+1)) - 2^b) times in the last.",
    "Summed over b.  At T = 2^m each of the m bits is set in half of the numbers: m 2^(m-1).",
    "Checked against a running sum for T <= 2^16, and by A(2T) = 2A(T) + T and A(2T+1) = 2A(T) + "
    "T + popcount(T) up to 2^61.",
    NULL};
static const char *const proof_operations[] = {
    "At t the popcount(t) states above level 0 are gated, popcount(t) + 1 are read, one is "
    "written (loglinear.partition); summed over t < T.",
    "The T-1 steps between the positions make T-1 - popcount(T-1) merges.", NULL};
static const char *const proof_memory[] = {"popcount(t) + 1 for t < T is largest at t = 2^p - 1 "
                                           "with the largest p such that 2^p <= T: p + 1 = "
                                           "floor(log2 T) + 1.",
                                           NULL};
static const char *const proof_mlp[] = {
    "W1 has L 2L entries, W2 has 2L L, the outer bias L, the inner one, if there is one, 2L.",
    "Each entry of W1 and W2 is used in one multiply-add a token and head: 4L^2.",
    "L = ceil(log2 T) + 1: over T tokens 4 T L^2 > 4 T ceil(log2 T)^2, which exceeds C T "
    "ceil(log2 T) as soon as ceil(log2 T) >= C/4, whatever C.",
    NULL};
static const char *const proof_comparison[] = {
    "At T = 2^m attention's own work is (A + (T-1-m) + T + (A+T)) d_k d_v = ((m+3) T - 1 - m) d_k "
    "d_v.",
    "With d_k d_v >= 4(m+1) it is at least 4(m+1)((m+3) T - 1 - m) > 4 (m+1)^2 T, since 2T > m+1.",
    "Checked in Q at d_k d_v = 4(m+1), m = 0 .. 200.", NULL};

static const statement statements[] = {
    {"popcount-sum", STATEMENT_CORRECTED, VERDICT_PROVED,
     "A(T) = sum_b (floor(T/2^(b+1)) 2^b + max(0, (T mod 2^(b+1)) - 2^b)); at T = 2^m it is m "
     "2^(m-1).",
     "A(T)=\\sum_b\\lfloor T/2^{b+1}\\rfloor2^b+\\max(0,(T\\bmod2^{b+1})-2^b)", NULL,
     proof_popcount},
    {"operations", STATEMENT_CORRECTED, VERDICT_PROVED,
     "T tokens of one head take A(T) d_k d_v multiplications by gates, (T-1 - popcount(T-1)) d_k "
     "d_v additions of merging, T d_k d_v of writing, (A(T)+T) d_k d_v multiply-adds of reading: "
     "Theta(T log T).",
     "\\bigl(2A(T)+3T-1-\\mathrm{popcount}(T-1)\\bigr)d_kd_v", NULL, proof_operations},
    {"decoding-memory", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "Decoding T tokens holds at most floor(log2 T) + 1 states at a time, and so many at one "
     "position: O(log T).",
     "\\max_{t<T}(\\mathrm{popcount}(t)+1)=\\lfloor\\log_2T\\rfloor+1", NULL, proof_memory},
    {"mlp", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The MLP of hidden width 2L has 4L^2 + L parameters as printed (no inner bias), 4L^2 + 3L "
     "with the inner bias of the authors' code, and takes 4L^2 multiply-adds a token and head; "
     "over T tokens that is Theta(T log^2 T).",
     "4L^2+L,\\quad 4L^2+3L,\\quad 4TL^2", NULL, proof_mlp},
    {"training", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "Training with the MLP stays O(T log T): at fixed d its multiply-adds over T tokens are at "
     "most C T log2 T for some C.",
     "4TL^2 \\le C\\,T\\log_2T",
     "The MLP's 4L^2 multiply-adds a token and head, L = ceil(log2 T) + 1, make it Theta(T log^2 "
     "T); they stay below attention's own work as long as 4(log2 T + 1) <= d_k d_v, at T = 2^m.",
     NULL},
    {"below-attention", STATEMENT_CORRECTED, VERDICT_PROVED,
     "At T = 2^m the MLP takes fewer operations than the head's own recurrence wherever d_k d_v "
     ">= 4(m+1).",
     "4(m+1)^2T < \\bigl((m+3)T-1-m\\bigr)d_kd_v", NULL, proof_comparison},
    {"share", STATEMENT_PUBLISHED, VERDICT_CERTIFIED,
     "The MLP adds less than 0.007% to the whole model: for 10 levels (512 tokens), one MLP of "
     "4L^2 + L parameters a layer for all heads, tied embedding of 50257 tokens, 12 hidden^2 a "
     "layer: hidden 512 with 1 to 9 layers, hidden 256 with 1 or 2.",
     "n(4L^2+L)/P < 7\\cdot10^{-5}", NULL, NULL},
    {"share-limits", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "n MLPs of c parameters add less than 0.007% exactly if the model has more than n c 10^5/7 "
     "of its own (least sizes in the table, L = 10 .. 21, n = 1): with the model above it is no "
     "longer so at hidden 512 with 10 layers (9 with the inner bias), at hidden 256 with 3, nor "
     "at hidden 512 with one layer if each of 8 heads has an MLP.",
     "P > n\\,c\\cdot10^5/7", NULL, NULL},
    {NULL}};

static const cost_parameter exact = {0, 0, 4, 1};
static const cost_parameter one_more = {1, 0, 4, 1};
static const cost_parameter one_less = {-1, 0, 4, 1};
static const cost_parameter fixed_width = {0, 22, 4, 1};
static const cost_parameter narrow_states = {0, 0, 1, 1};
static const cost_parameter each_head = {0, 0, 4, 8};

static const check checks[] = {{"popcount-sum",
                                "popcount-sum",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                cost_check_popcount,
                                &exact,
                                {1, 1, 1},
                                0.1},
                               {"operations",
                                "operations",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                cost_check_operations,
                                &exact,
                                {1, 1, 1},
                                0.05},
                               {"memory",
                                "decoding-memory",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                cost_check_memory,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"mlp",
                                "mlp",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                cost_check_mlp,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"training",
                                "training",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                cost_check_training,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"comparison",
                                "below-attention",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                cost_check_comparison,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"share",
                                "share",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                cost_check_share,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"share-limits",
                                "share-limits",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                cost_check_thresholds,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {NULL}};

static const control controls[] = {
    {"one-token-more", "popcount-sum", "T+1 in place of T", &one_more},
    {"one-state-more", "operations", "popcount(t) + 2 states read", &one_more},
    {"one-less", "memory", "floor(log2 T) in place of floor(log2 T) + 1", &one_less},
    {"one-more", "mlp", "one parameter and one operation more", &one_more},
    {"fixed-width", "training", "hidden width 22 whatever T is", &fixed_width},
    {"narrow-states", "comparison", "d_k d_v = log2 T + 1", &narrow_states},
    {"one-mlp-a-head", "share", "an MLP for each of 8 heads", &each_head},
    {"one-less", "share-limits", "least sizes one lower", &one_less},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_loglinear_cost = {"loglinear.cost",
                                    "Operations, memory and parameters",
                                    "Adaptive memory decay, complexity",
                                    hypotheses,
                                    statements,
                                    checks,
                                    controls,
                                    settings,
                                    figures};

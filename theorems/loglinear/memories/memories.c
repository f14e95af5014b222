/* loglinear.memories: what N states can remember of a power law, with one weight a level, with N
   best exponentials, and with N exponentials of fixed rates.

   The profile is p_j = j^(alpha-1) on the lags j = 1 .. T.  One weight a level makes a step
   function on the blocks of lags that the position's levels hold; the best steps are known in
   closed form.  The sums of exponentials are certified on the reals of [1,T], from above (every
   real of the interval) and from below (alternation), with numerics/exact. */
#include "theorems/loglinear/memories/memories.h"

static const char *const hypotheses[] = {
    "profile p_j = j^(alpha-1) on the lags 1 .. T, 0 < alpha < 1; errors relative to p_j (sup) or "
    "to the profile's norm (l2)",
    "log-linear attention: one real weight a level, gates 1 unless said otherwise; N states at "
    "position T = 2^(N-1) - 1; at a longer horizon, with states for fewer levels than there are, "
    "the coarsest are left out (weight 0)",
    "exponential modes: N states c_s x_s^j, any real weights, for all positions alike", NULL};

static const char *const proof_lags[] = {
    "Level b+1 of t holds the sources from t - r - 2^b to t - r - 1 with r = t mod 2^b "
    "(loglinear.partition); lag = t - source.",
    "At t = 2^n - 1, r = 2^b - 1: lags 2^b .. 2^(b+1) - 1.  At t = 2^n: r = 0, one level, lags 1 "
    ".. 2^n.",
    NULL};
static const char *const proof_constant[] = {
    "On a block let M and m be the largest and least p_j > 0.  max(c/m - 1, 1 - c/M) is least "
    "where both are equal, c = 2Mm/(M+m) > 0, and is (M-m)/(M+m) there; any smaller c makes the "
    "second larger, any larger c the first.",
    "sum (p_j - c)^2 = sum (p_j - mean)^2 + n (c - mean)^2: the mean, also positive, is best in "
    "l2.",
    "So the best real weights are positive, as softplus makes them.", NULL};
static const char *const proof_floor[] = {
    "With r = (last/first)^beta the best error on a block is (r-1)/(r+1) = tanh(beta/2 "
    "ln(last/first)), increasing in last/first.",
    "At t = 2^n - 1 the ratios are (2^(b+1)-1)/2^b, largest at b = n-1: below 2, so below "
    "tanh(beta/2 ln 2).",
    "ln(2 - 2^(1-n)) >= (1 - 2^(1-n)) ln 2 for n >= 2, since -ln(1-u) <= 4u/3 < 2u ln 2 at u = "
    "2^-n <= 1/4; tanh is concave on [0,infinity) with tanh 0 = 0, so the error is at least (1 - "
    "2^(1-n)) tanh(beta/2 ln 2).",
    "At t = 2^n there is one block, 1 .. 2^n, with ratio 2^n.", NULL};
static const char *const proof_gate[] = {
    "Level b+1 at t = 2^n - 1 carries c g^j, g = e^-rate, on [2^b, 2^(b+1)); the best c makes the "
    "error tanh(R_b/2), R_b the range of beta ln j - rate j there; R_b >= |d_b|, d_b = beta "
    "ln((2^(b+1)-1)/2^b) - rate (2^b - 1) the difference at the ends.  Let M = beta ln 2.",
    "If rate (2^(n-1) - 1) >= 2M the block b = n-1 has |d_b| >= 2M - M = M.",
    "Otherwise rate (2^m - 1) < 2M (2^m - 1)/(2^(n-1) - 1) <= 2^(m+2-n) M for m = floor(n/2) <= "
    "n-1, and d_m >= (1 - 2^-m) M - 2^(m+2-n) M by the inequality of the floor.",
    "tanh(k M/2) >= k tanh(M/2) for 0 <= k <= 1.  Evaluated at alpha = 3/10, 1/2, 7/10 for n = 6, "
    "8, .., 40 and 2n+9 rates each.",
    NULL};
static const char *const proof_positions[] = {
    "For 2^(n-1) <= t < 2^n the highest level holds the lags r+1 .. r+2^(n-1), r = t - 2^(n-1); "
    "its ratio 1 + (2^(n-1)-1)/(r+1) falls with r, to that of 2^n - 1 at the last t.",
    "So no such t has a better worst block than 2^n - 1; and every block of every such t has a "
    "ratio of at most 2^b <= 2^(n-1), which t = 2^(n-1) reaches.",
    NULL};

static const statement statements[] = {
    {"lags", STATEMENT_CORRECTED, VERDICT_PROVED,
     "At position t level b+1 holds the lags r+1 .. r+2^b, r = t mod 2^b: the octaves [2^b, "
     "2^(b+1)) at t = 2^n - 1, but all lags 1 .. 2^n in one level at t = 2^n.",
     "\\{t \\bmod 2^b+1,\\dots,t\\bmod 2^b+2^b\\}", NULL, proof_lags},
    {"best-weights", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The best weight for a block is the harmonic mean 2Mm/(M+m) of its largest and least value "
     "in the relative sup error, which is (M-m)/(M+m) then, and the mean in l2: both positive.",
     "c=\\frac{2Mm}{M+m},\\quad \\frac{M-m}{M+m}", NULL, proof_constant},
    {"floor", STATEMENT_CORRECTED, VERDICT_PROVED,
     "With one weight a level, more levels do not help against a power law: at t = 2^n - 1 the "
     "least relative sup error is tanh(beta/2 ln((2^n-1)/2^(n-1))), which grows with n to "
     "tanh(beta/2 ln 2), beta = 1 - alpha; at t = 2^n it is tanh(n beta/2 ln 2), which tends to 1.",
     "\\tanh\\Bigl(\\tfrac\\beta2\\ln\\tfrac{2^n-1}{2^{n-1}}\\Bigr)\\to\\tanh(\\tfrac\\beta2\\ln2)",
     NULL, proof_floor},
    {"constant-gate", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Nor does a gate that is the same at all steps help: for every g in (0,1] the least error of "
     "one weight a level at t = 2^n - 1 is at least (1 - 2^-m - 2^(m+2-n)) tanh(beta/2 ln 2), m = "
     "floor(n/2).",
     "e \\ge (1-2^{-m}-2^{m+2-n})\\tanh(\\tfrac\\beta2\\ln2),\\ m=\\lfloor n/2\\rfloor", NULL,
     proof_gate},
    {"positions", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Among the positions with n bits 2^n - 1 is the best and 2^(n-1) the worst for a power law.",
     "e(2^n-1)\\le e(t)\\le e(2^{n-1}),\\quad 2^{n-1}\\le t<2^n", NULL, proof_positions},
    {"mean-square", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "The least l2 error of one weight a level is the same by zeta functions and term by term, "
     "for alpha = 3/10, 1/2, 7/10 at T = 2^10 - 1 and 2^20 - 1, and at T = 2^20 - 1 falls with "
     "every level kept, 1 .. 20.",
     "\\sum_b\\Bigl(\\sum p^2-2^{-b}(\\sum p)^2\\Bigr)\\Big/\\sum p^2", NULL, NULL},
    {"equal-footing", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "With N states each at T = 2^20 - 1, alpha = 3/10, 1/2, 7/10, N = 4 .. 32: the best N "
     "exponentials have a smaller relative sup error than the best weights for N fixed rates "
     "(even in the logarithm from 1 to 1/T), and these a smaller one than one weight a level, in "
     "sup and in l2.",
     "e_{\\mathrm{best}}(N) < e_{\\mathrm{fixed}}(N) < e_{\\mathrm{level}}(N)", NULL, NULL},
    {"sums-mean-square", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "In l2, summed lag by lag: with 11 states at T = 2^10 - 1 and 21 at 2^20 - 1, alpha = 3/10, "
     "1/2, 7/10, the best sum (for the sup error) is below the fixed rates, these below one "
     "weight a level, and the best sum below 1/1000 of one weight a level.",
     "\\|p-\\hat p\\|_2/\\|p\\|_2", NULL, NULL},
    {"own-horizon", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "At T = 2^(N-1) - 1, where log-linear attention holds N states, N exponentials have less "
     "than 1/2000 of its relative sup error: alpha = 3/10, 1/2, 7/10, N = 4 .. 32.",
     "e_{\\mathrm{best}}(N,2^{N-1}-1) < e_{\\mathrm{level}}/2000", NULL, NULL},
    {NULL}};

static const memories_parameter exact = {0, "1", 0, 0};
static const memories_parameter shifted = {1, "1", 0, 0};
static const memories_parameter nine_tenths = {0, "9/10", 0, 0};
static const memories_parameter swapped = {0, "1", 1, 0};
static const memories_parameter own_gates = {0, "1", 0, 1};
static const memories_parameter by_1000 = {0, "1/1000", 0, 0};
static const memories_parameter by_2000 = {0, "1/2000", 0, 0};
static const memories_parameter by_billion = {0, "1e-9", 0, 0};

static const check checks[] = {{"lags",
                                "lags",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                memories_check_lags,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"constant",
                                "best-weights",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                memories_check_constant,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"floor",
                                "floor",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                memories_check_floor,
                                &exact,
                                {1, 1, 1},
                                0.05},
                               {"gate",
                                "constant-gate",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                memories_check_gate,
                                &exact,
                                {1, 1, 1},
                                0.05},
                               {"positions",
                                "positions",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                memories_check_positions,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"mean-square",
                                "mean-square",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                memories_check_squares,
                                &exact,
                                {1, 3, 3},
                                0.07,
                                1},
                               {"budget",
                                "equal-footing",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                memories_check_budget,
                                &exact,
                                {3, 3, 3},
                                0.6},
                               {"sum-squares",
                                "sums-mean-square",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                memories_check_sum_squares,
                                &by_1000,
                                {3, 3, 3},
                                0.04,
                                6},
                               {"own-horizon",
                                "own-horizon",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                memories_check_own_horizon,
                                &by_2000,
                                {3, 3, 3},
                                0.1,
                                4},
                               {NULL}};

static const control controls[] = {
    {"next-position", "lags", "r = (t+1) mod 2^b", &shifted},
    {"nine-tenths", "constant", "nine tenths of the harmonic mean", &nine_tenths},
    {"nine-tenths", "floor", "nine tenths of the limit", &nine_tenths},
    {"own-gates", "gate", "a gate for each level, fitted to its octave", &own_gates},
    {"next-position", "positions", "2^n in place of 2^n - 1", &shifted},
    {"level-left-out", "mean-square", "one path without the coarsest level", &shifted},
    {"swapped", "budget", "the other way round", &swapped},
    {"a-billionth", "sum-squares", "10^-9 in place of 1/1000", &by_billion},
    {"a-billionth", "own-horizon", "10^-9 in place of 1/2000", &by_billion},
    {NULL}};

static const setting settings[] = {{"alpha", "order of the profile", "0", "1", 1, 1, 0}, {NULL}};
static const char *const figures[] = {"loglinear-memories", NULL};

const claim claim_loglinear_memories = {"loglinear.memories",
                                        "Three memories with as many states",
                                        "Mneme",
                                        hypotheses,
                                        statements,
                                        checks,
                                        controls,
                                        settings,
                                        figures};

/* vort.plasticity: gradient steps on the order converge linearly (VORT, Thm. 5.1).

   loss.c: the Polyak-Lojasiewicz inequality and smoothness.  descent.c: steps, rates, sums of
   exponentials. */
#include "theorems/vort/plasticity/plasticity.h"

static const char *const hypotheses[] = {
    "0 < delta < 1, alpha, alpha* in [delta,1], T >= 1; f(alpha) = 1/2 sum_{1<=j<=T} (w_j(alpha) - "
    "w_j(alpha*))^2",
    "gradient steps alpha <- alpha - f'(alpha)/L", NULL};

static const char *const proof_global[] = {
    "Each w_j, j >= 1, is increasing and convex in alpha (vort.order-quantisation), so the "
    "residuals r_j = "
    "w_j(alpha)-w_j(alpha*) all have the sign of alpha-alpha*, and f' = sum r_j w_j'(alpha) is a "
    "sum of one "
    "sign. Let e = |alpha-alpha*|.",
    "alpha > alpha*: e w_j'(alpha*) <= r_j <= e w_j'(alpha), so f' >= (1/e) sum r_j^2 = 2f/e and "
    "f' >= e "
    "sum w_j'(alpha*)^2 (w_j'(alpha) >= w_j'(alpha*)). The product: f'^2 >= 2 f sum "
    "w_j'(alpha*)^2.",
    "alpha < alpha*: e w_j'(alpha) <= |r_j| <= e w_j'(alpha*). With gamma = min_j "
    "w_j'(alpha)/w_j'(alpha*), "
    "|f'| >= gamma sum |r_j| w_j'(alpha*) >= 2 gamma f/e and |f'| >= e sum w_j'(alpha)^2. The "
    "product: "
    "f'^2 >= 2 f gamma sum w_j'(alpha)^2.",
    "w_j'(alpha), and w_j'(alpha)/w_j'(alpha*) with it, increase with alpha: on [delta,1] the "
    "least mu is "
    "the smaller of the one above alpha* and the one at delta, and it is positive.",
    NULL};
static const char *const proof_smooth[] = {
    "f'' = sum w_j'^2 + sum r_j w_j''. For alpha >= alpha* every factor increases with alpha: 0 < "
    "f'' <= "
    "f''(1) = L; at 1: w_j = 1, w_j' = H_j, w_j'' = H_j^2 - H_j^(2).",
    "alpha < alpha*: f'' <= sum w_j'(alpha*)^2 <= L, and -f'' <= sum w_j(alpha*) w_j''(alpha*).",
    "ln w_j is concave in alpha ((ln w_j)'' = -sum 1/(alpha+i)^2), so w_j w_j'' <= w_j'^2, and "
    "-f'' <= sum "
    "w_j'(alpha*)^2 <= L too.",
    NULL};
static const char *const proof_linear[] = {
    "|f'(alpha)| = |integral of f'' from alpha* to alpha| <= L |alpha-alpha*|: a step 1/L goes "
    "towards "
    "alpha* and not beyond it, so it stays in [delta,1].",
    "f(alpha - f'/L) <= f - f'^2/(2L) (|f''| <= L between the two) <= (1-mu/L) f (Polyak 1963).",
    "mu at the start serves the whole run: it increases towards alpha*.", NULL};
static const char *const proof_sums[] = {
    "If 0 < m_j <= dw_j/dalpha <= M_j on an interval, the residuals share a sign, e m_j <= |r_j| "
    "<= e M_j, so "
    "|f'| >= e sum m_j^2 and f <= e^2/2 sum M_j^2: f'^2/2 >= mu f with mu = (sum m_j^2)^2/sum "
    "M_j^2.",
    "|f''| <= sum M_j^2 + sum e M_j B_j, B_j >= |d2w_j/dalpha2|, e <= 17/20: L. Steps as in "
    "\"linear\".",
    "The nodes of the trapezoid in v = ln(e^lambda-1) do not depend on alpha: derivatives of its "
    "coefficients in closed form; m_j, M_j, B_j by balls on 136 cells that cover [1/20,9/10], lags "
    "1 to 32, h "
    "= 1/2, 241 terms. (Convexity is not to be had: the first weight is linear, w_1 = alpha, and a "
    "sum is off "
    "it both ways.)",
    NULL};

static const statement statements[] = {
    {"linear", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "Under the Polyak-Lojasiewicz condition gradient steps on the order converge linearly: steps "
     "of length "
     "1/L do not overshoot and f falls by 1-mu/L each.",
     "f(\\alpha_{k+1}) \\le (1-\\mu/L) f(\\alpha_k)", NULL, proof_linear},
    {"global", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For the least-squares loss of the weights the condition is not local but holds on all of "
     "[delta,1]: "
     "f'^2/2 >= mu f with mu = sum w_j'(alpha*)^2 for alpha >= alpha*, mu = gamma sum "
     "w_j'(alpha)^2, gamma = "
     "min_j w_j'(alpha)/w_j'(alpha*), below.",
     "\\tfrac12 f'^2 \\ge \\mu f", NULL, proof_global},
    {"smooth", STATEMENT_CORRECTED, VERDICT_PROVED,
     "|f''| <= L = f''(1) = sum H_j^2 + sum (1-w_j(alpha*))(H_j^2-H_j^(2)) on (0,1], j <= T, "
     "attained at 1.",
     "L = \\sum H_j^2 + \\sum(1-w_j(\\alpha^*))(H_j^2-H_j^{(2)})", NULL, proof_smooth},
    {"degrades", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "The rate is not uniform in the horizon: at alpha* = 7/20, 4/5, 19/20 the condition number "
     "L/mu at "
     "alpha* grows by more than 4^min(1,2-2 alpha*) each time T is quadrupled from 64 to 4096.",
     "L/\\mu \\gtrsim T^{\\min(1,2-2\\alpha^*)}", NULL, NULL},
    {"sums", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The same with the weights replaced by the trapezoid sum of 241 exponentials, T = 32: for all "
     "alpha, "
     "alpha* in [1/20,9/10] the inequality holds with a positive mu of its own, and steps of 1/L "
     "converge "
     "linearly.",
     "\\tfrac12\\hat f'^2 \\ge \\hat\\mu\\hat f", NULL, proof_sums},
    {NULL}};

static const plasticity_parameter plain = {0, 1, "1", "1"}, quartic = {1, 1, "1", "1"},
                                  no_gamma = {0, 0, "1", "1"}, half = {0, 1, "1/2", "1"},
                                  faster = {0, 1, "1", "4"}, steeper = {0, 1, "1", "3"};

static const check checks[] = {{"descent",
                                "linear",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                plasticity_check_descent,
                                &plain,
                                {1, 1, 1},
                                0.04},
                               {"inequality",
                                "global",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                plasticity_check_inequality,
                                &plain,
                                {1, 1, 1},
                                0.01},
                               {"smooth",
                                "smooth",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                plasticity_check_smooth,
                                &plain,
                                {1, 1, 1},
                                0.02},
                               {"degrades",
                                "degrades",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                plasticity_check_degrades,
                                &plain,
                                {1, 1, 1},
                                0.03},
                               {"sums",
                                "sums",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                plasticity_check_sums,
                                &plain,
                                {1, 1, 1},
                                0.8},
                               {NULL}};

static const control controls[] = {
    {"faster", "descent", "four times mu", &faster},
    {"quartic", "inequality", "residuals to the fourth power: no PL function", &quartic},
    {"without-gamma", "inequality", "mu without gamma below alpha*", &no_gamma},
    {"half-of-l", "smooth", "half of L", &half},
    {"three-times", "degrades", "three times the growth", &steeper},
    {"quartic", "sums", "residuals to the fourth power: no PL function", &quartic},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"vort-plasticity", NULL};

const claim claim_vort_plasticity = {"vort.plasticity",
                                     "Gradient steps on the order",
                                     "VORT, Thm. 5.1",
                                     hypotheses,
                                     statements,
                                     checks,
                                     controls,
                                     settings,
                                     figures};

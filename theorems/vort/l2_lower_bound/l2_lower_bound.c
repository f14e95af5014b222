/* vort.l2-lower-bound: mixtures of finitely many exponentials lose power-law weights in the mean
   square (VORT, Prop. 4.2).

   energy.c: the weights' own norm, fixed mixtures.  mixture.c: least-squares tools.  refit.c:
   weights or rates refit for each horizon.  crossings.c: where the error passes one half. */
#include "theorems/vort/l2_lower_bound/l2.h"

static const char *const hypotheses[] = {
    "|.|: l2 over the lags 1..T; N = N_alpha(T) = |w|; beta = 1-alpha",
    "a mixture: sum_{s<=M} c_s x_s^j, x_s = e^(-lambda_s), lambda_s >= Lambda0 > 0 unless said "
    "otherwise",
    NULL};

static const char *const proof_energy[] = {
    "(j+alpha)^(alpha-1) <= w_j Gamma(alpha) <= j^(alpha-1) for real j > 0 (vort.weights), both "
    "sides "
    "decreasing in j.",
    "Compare the sum of squares with integrals over [1,T+1] and [1,T]: both bounds are T^(2 "
    "alpha-1)/((2 alpha-1) Gamma(alpha)^2) up to O(1), (ln T)/pi up to O(1) at alpha = 1/2. The "
    "integral of "
    "w(t)^2 lies between the same expressions.",
    NULL};
static const char *const proof_growth[] = {
    "Triangle inequality on [1,T]: |w - mixture| >= |w| - |mixture| >= N - C, C the mixture's norm "
    "over all "
    "lags: C^2 = sum c_r c_s x_r x_s/(1-x_r x_s) < infinity.",
    "N -> infinity for alpha >= 1/2 (statement energy); the mixture and so C do not depend on T. "
    "The same "
    "with integrals.",
    NULL};
static const char *const proof_bounded[] = {
    "sum_{j>=0} w_j^2 = Gamma(1-2 alpha)/Gamma(1-alpha)^2 for alpha < 1/2 (Gauss; vort.weights), "
    "w_0 = 1.",
    "The mixture 0 errs by N, which stays below the square root of that minus 1.", NULL};
static const char *const proof_refit[] = {
    "The best weights for fixed nodes leave N^2 - b'G^-1 b, G the Gram matrix over 1..T, b_s = sum "
    "w_j x_s^j.",
    "b_s <= sum_{j>=1} w_j x_s^j = (1-x_s)^-alpha - 1 for every T.",
    "G grows with T in the order of symmetric matrices, and G_64 is positive definite (distinct "
    "nodes): b'G^-1 "
    "b <= |b|^2/lambda_min(G_64) <= |b|^2 tr(G_64^-1), T >= 64.",
    "So the best error is N^2 - O(1), and N -> infinity for alpha >= 1/2.", NULL};
static const char *const proof_any_rates[] = {
    "Let n = floor(T/(2M+1)), 1 <= a <= n. The lags a + n l, l = 0..2M, lie in [1,T], each once. A "
    "mixture of M "
    "modes, any complex ones, makes [m_{a+n(i+k)}], 0 <= i,k <= M, a matrix of rank <= M.",
    "So the errors e_l at these lags obey sum_{i,k} |e_{i+k}|^2 >= lambda_min(W_a)^2, W_a = "
    "[w_{a+n(i+k)}] "
    "(Eckart and Young), and each l occurs at most M+1 times: sum_l |e_l|^2 >= "
    "lambda_min(W_a)^2/(M+1).",
    "e^lambda - 1 <= lambda e^lambda in the density of vort.laplace-density: W_a - "
    "(n^-beta/Gamma(alpha)) [((a+alpha)/n+i+k)^-beta] is positive semidefinite.",
    "[(theta+i+k)^-beta] is an integral of e^(-lambda theta) times positive semidefinite matrices "
    "of rank one: "
    "it falls with theta, and (a+alpha)/n <= 2; for beta > 0 it is positive definite (infinitely "
    "many lambda). "
    "Let lambda_M > 0 be its least eigenvalue at theta = 2.",
    "Sum over a = 1..n: error^2 >= n n^(-2 beta) lambda_M^2/(Gamma(alpha)^2 (M+1)) = n^(2 alpha-1) "
    "e^2.",
    "alpha = 1/2: the same for lags a + n(l+1), theta <= 3, with n = (2M+2)^p, p = 0, 1, ...: "
    "disjoint blocks, "
    "each contributes a constant, so error^2 >= e'^2 floor(ln T/ln(2M+2)).",
    NULL};
static const char *const proof_unit[] = {"w_j(1) = 1 = 1^j.", NULL};

static const statement statements[] = {
    {"growth", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "For alpha > 1/2 the L2([1,T]) error of any fixed mixture of M exponentials with least rate "
     "Lambda0 > 0 grows "
     "without bound as T -> infinity: it is at least N - C.",
     "\\|w-\\hat w\\|_{[1,T]} \\ge N_\\alpha(T) - C \\to \\infty", NULL, proof_growth},
    {"energy", STATEMENT_CORRECTED, VERDICT_PROVED,
     "N^2 = T^(2 alpha-1)/(Gamma(alpha)^2(2 alpha-1)) up to O(1) for alpha > 1/2, and (ln T)/pi up "
     "to O(1) at "
     "alpha = 1/2, where it diverges too; sums and integrals.",
     "N_\\alpha(T)^2 \\sim \\frac{T^{2\\alpha-1}}{\\Gamma(\\alpha)^2(2\\alpha-1)}", NULL,
     proof_energy},
    {"below-half", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For alpha < 1/2 nothing diverges: N^2 < Gamma(1-2 alpha)/Gamma(1-alpha)^2 - 1 for every T, "
     "so the empty "
     "mixture has a bounded error.",
     "N_\\alpha(T)^2 < \\Gamma(1-2\\alpha)/\\Gamma(1-\\alpha)^2 - 1", NULL, proof_bounded},
    {"uniform-constant", STATEMENT_CONJECTURED, VERDICT_REFUTED,
     "C depends on Lambda0 alone: one C serves every mixture with rates >= Lambda0, however many "
     "terms.",
     "\\|w-\\hat w\\| \\ge N_\\alpha(T) - C(\\Lambda_0)",
     "C is the mixture's own norm: T exponentials with rates >= Lambda0 interpolate w_1, ..., w_T "
     "exactly, so for "
     "every T some mixture has error 0.",
     NULL},
    {"refit-weights", STATEMENT_CORRECTED, VERDICT_PROVED,
     "With the rates fixed and the weights refit for every T the error still diverges for alpha >= "
     "1/2: all that M "
     "modes explain of N^2 is at most |b|^2 tr(G^-1), whatever T.",
     "N^2 - b^\\top G^{-1}b \\ge N^2 - O(1)", NULL, proof_refit},
    {"refit-rates", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Even with rates refit for every T, complex or 0, M modes leave an error of at least e "
     "floor(T/(2M+1))^(alpha-1/2), e = lambda_M/(Gamma(alpha)(M+1)^(1/2)) > 0, for 1/2 < alpha < "
     "1, and it grows "
     "like (ln T)^(1/2) at alpha = 1/2.",
     "\\|w-\\hat w\\| \\ge e_{M,\\alpha}\\lfloor T/(2M+1)\\rfloor^{\\alpha-1/2}", NULL,
     proof_any_rates},
    {"unit-order", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Not so at alpha = 1: without a least rate one mode, x = 1, is exact.", "w_j(1) = 1^j", NULL,
     proof_unit},
    {"crossings", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "Fitted on [1,256], the relative error first passes 1/2 and 9/10 at T = 821 and 8544 (alpha = "
     "4/5, one exponential "
     "of rate 1/256), 645 and 6419 (five, rates log-spaced in [1/256,1]), 559 and 3107 (alpha = "
     "19/20, one), 522 and "
     "2588 (five).",
     "T_{1/2},\\ T_{9/10}", NULL, NULL},
    {"drawn", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "alpha = 4/5, T = 1, 2, 4, ..., 65536: five exponentials fitted on [1,256] are never below N "
     "- C, and refitting "
     "their weights helps at every T from 16 on.",
     "T = 2^k", NULL, NULL},
    {NULL}};

static const l2_parameter plain = {"1", "1", 0}, half = {"1/2", "4/5", 0}, twice = {"2", "1", 0},
                          all = {"1", NULL, 16}, one_term = {"1", NULL, 1},
                          tiny = {"1/10000", NULL, 0}, fewer = {"1", NULL, -1},
                          nearly = {"99/100", "1", 0}, hundredth = {"1.01", "1", 0};

static const check checks[] = {{"fixed",
                                "growth",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                l2_check_fixed,
                                &plain,
                                {1, 1, 1},
                                0.1},
                               {"energy",
                                "energy",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                l2_check_energy,
                                &plain,
                                {1, 1, 1},
                                0.3},
                               {"bounded",
                                "below-half",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                l2_check_bounded,
                                &plain,
                                {1, 1, 1},
                                0.05},
                               {"interpolate",
                                "uniform-constant",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                l2_check_interpolate,
                                &all,
                                {1, 1, 1},
                                0.01},
                               {"refit",
                                "refit-weights",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                l2_check_refit,
                                &plain,
                                {1, 1, 1},
                                0.03},
                               {"any-rates",
                                "refit-rates",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                l2_check_any_rates,
                                &plain,
                                {1, 1, 1},
                                0.03},
                               {"unit-order",
                                "unit-order",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                l2_check_unit_order,
                                &plain,
                                {1, 1, 1},
                                0.01},
                               {"crossings",
                                "crossings",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                l2_check_crossings,
                                &plain,
                                {1, 1, 1},
                                0.1},
                               {"drawn",
                                "drawn",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                l2_check_drawn,
                                &plain,
                                {1, 1, 1},
                                1.0},
                               {NULL}};

static const control controls[] = {
    {"twice-the-bound", "fixed", "twice N - C", &twice},
    {"half-the-bound", "energy", "half the upper bound", &half},
    {"hundredth-less", "bounded", "1% less than the limit", &nearly},
    {"one-term", "interpolate", "one exponential", &one_term},
    {"ten-thousandth", "refit", "a ten-thousandth of the bound", &tiny},
    {"matrix-of-m", "any-rates", "the matrix of M-1 modes", &fewer},
    {"order-four-fifths", "unit-order", "alpha = 4/5", &half},
    {"hundredth-more", "crossings", "thresholds 1% higher in the square", &hundredth},
    {"twice-the-bound", "drawn", "twice N - C", &twice},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"vort-l2", NULL};

const claim claim_vort_l2_lower_bound = {"vort.l2-lower-bound",
                                         "Finitely many exponentials in the mean square",
                                         "VORT, Prop. 4.2",
                                         hypotheses,
                                         statements,
                                         checks,
                                         controls,
                                         settings,
                                         figures};

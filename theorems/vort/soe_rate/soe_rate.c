/* vort.soe-rate: how fast sums of exponentials converge to the weights (VORT, Thm. 3.1, "geometric
   convergence in S").

   The paper's construction is Gauss-Legendre in u = ln lambda on a truncated interval.  On a fixed
   interval it converges geometrically to the truncated integral, not to the weights. */
#include "theorems/vort/soe_rate/rate.h"

static const char *const hypotheses[] = {
    "0 < alpha < 1, beta = 1-alpha; E_S = sup over the integers of [1,T] of |w_j - sum of S "
    "exponentials|",
    "the paper's construction: Gauss-Legendre in u = ln lambda on a truncated interval", NULL};

static const char *const proof_fixed[] = {
    "For |Im u| <= b < pi/2, lambda = e^u has Re lambda >= |lambda| cos b > 0 and |e^lambda-1| >= "
    "Re lambda, so |e^(-j lambda) rho(lambda) lambda| <= M = (sin(pi alpha)/pi) cos(b)^(-alpha) "
    "(beta/(e j cos b))^beta, for every j >= 1.",
    "The Chebyshev series of a function bounded by M on the ellipse rho, cut at degree 2S-1, is "
    "off by at most 2M rho^(1-2S)/(rho-1); Gauss-Legendre is exact for it and has positive weights "
    "of sum l: |rule - truncated integral| <= 4 l M rho^(1-2S)/(rho-1).",
    "The truncated integral misses w_j by the integral over both tails, which is positive and "
    "decreases with j: the limit of E_S is its value at j = 1, not 0.",
    NULL};
static const char *const proof_jacobi[] = {
    "Gauss's rule with S nodes is exact for polynomials of degree <= 2S-1: for dmu that gives "
    "w_0..w_{2S-1}, for x dmu (weights then divided by the node) w_1..w_{2S}; checked as "
    "(J^j)_{00} in Q, with the error h_S at the next one. So E_S = 0 for S >= T/2.",
    "With x = cos^2(theta/2), x^j is the generating function of a binomial(2j,1/2) variable: cut "
    "at degree n it is off by at most 2 P(X-j > n) <= 2 exp(-(n+1)^2/j) (Hoeffding).",
    "The rule and the measure both have mass alpha and are exact to degree 2S-1: |error at j| <= 2 "
    "alpha 2 exp(-(2S)^2/(j-1)) <= 4 alpha exp(-4S^2/T).",
    "The best S-term sum is no worse, so minimax errors at fixed T also fall at least this fast.",
    NULL};

static const statement statements[] = {
    {"geometric", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "The error of the Gauss-Legendre construction, on a truncated interval in ln lambda, falls "
     "geometrically with the number of terms S, uniformly on [1,T].",
     "E_S \\le C\\rho^S",
     "On a fixed interval it converges geometrically to the truncated integral and stalls at the "
     "truncation error; with the interval chosen anew for each S it was found (alpha = 1/2, T "
     "= 1000, S to 64) to fall about like exp(-sqrt(2 pi beta S)). Gauss-Jacobi and minimax sums "
     "are at least geometric at fixed T.",
     NULL},
    {"fixed-interval", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every 0 < alpha < 1, every interval, every S and every j >= 1 the rule is within 4 l M "
     "rho^(1-2S)/(rho-1) of the truncated integral, and E_S tends to the truncation error at j = "
     "1, which is positive (evaluated for alpha = 1/2 on [-8,3]).",
     "|Q_S-I| \\le 4\\ell M\\rho^{1-2S}/(\\rho-1)", NULL, proof_fixed},
    {"root-exponential", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "For alpha = 1/2, T = 1000, S = 8, 16, 32, 64 and the best intervals found, doubling S "
     "multiplies -ln E_S by less than 1.7: sqrt 2 is root-exponential, 2 would be geometric.",
     "-\\ln E_{2S} \\le 1.7\\,(-\\ln E_S)", NULL, NULL},
    {"gauss-jacobi", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Gauss-Jacobi is exact at j <= 2S-1, on x dmu at 1 <= j <= 2S; E_S <= 4 alpha exp(-4S^2/T), "
     "and E_S = 0 for S >= T/2: at fixed T faster than geometric. The same then holds for the best "
     "sums.",
     "E_S \\le 4\\alpha e^{-4S^2/T}", NULL, proof_jacobi},
    {"sup-errors", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "For the committed designs (five methods, alpha = 1/10, 1/2, 19/20, T = 10^3, 10^6, 10^9, S = "
     "20, 40, absolute and relative) the supremum of the error over every integer of [1,T] is "
     "enclosed to 10^-3; two further algorithms agree on smaller cases.",
     "\\sup_{1\\le j\\le T}|w_j-\\hat w_j|", NULL, NULL},
    {"beyond", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "For 12 terms of each method at alpha = 1/2, T = 1000, one bound holds for all j > T; in "
     "absolute terms it is attained to 2 parts in 1000.",
     "\\sup_{j>T}|w_j-\\hat w_j|", NULL, NULL},
    {NULL}};

static const interval_parameter interval = {"1/2", -8, 3, 1.4, 0};
static const interval_parameter whole_line = {"1/2", -8, 3, 1.4, 1};
static const interval_parameter wide_strip = {"1/2", -8, 3, 14, 0};
static const interval_parameter other_interval = {"1/2", -8.25, 3, 1.4, 0};
static const jacobi_parameter jacobi = {0, "4"};
static const jacobi_parameter one_moment_more = {1, "4"};
static const jacobi_parameter tenfold_exponent = {0, "40"};
static const table_parameter as_committed = {0, "1"};
static const table_parameter one_term_less = {1, "1"};
static const table_parameter half_the_bound = {0, "1/2"};
static const growth_parameter legendre_growth = {SOE_LEGENDRE, "1000", 8, 64};
static const growth_parameter jacobi_growth = {SOE_JACOBI, "64", 4, 16};
static const path_parameter same_sum = {"1"};
static const path_parameter other_sum = {"11/10"};

static const check checks[] = {{"geometric",
                                "geometric",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                rate_check_published,
                                &interval,
                                {1, 1, 1},
                                0.02},
                               {"fixed-interval",
                                "fixed-interval",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                rate_check_fixed_interval,
                                &interval,
                                {1, 1, 1},
                                0.6},
                               {"stall",
                                "fixed-interval",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                rate_check_stall,
                                &interval,
                                {1, 1, 1},
                                0.08},
                               {"root-exponential",
                                "root-exponential",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                rate_check_root_exponential,
                                &legendre_growth,
                                {1, 1, 1},
                                0.04},
                               {"jacobi-exact",
                                "gauss-jacobi",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                rate_check_jacobi_exact,
                                &jacobi,
                                {1, 1, 1},
                                0.01},
                               {"jacobi-bound",
                                "gauss-jacobi",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                rate_check_jacobi_bound,
                                &jacobi,
                                {1, 1, 1},
                                0.4},
                               {"sup-errors",
                                "sup-errors",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                rate_check_sup_errors,
                                &as_committed,
                                {2, 8, 8},
                                0.2},
                               {"every-integer",
                                "sup-errors",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                rate_check_every_integer,
                                &same_sum,
                                {1, 1, 1},
                                0.08},
                               {"far-horizon",
                                "sup-errors",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                rate_check_far_horizon,
                                &same_sum,
                                {1, 1, 1},
                                0.2},
                               {"drawn",
                                "sup-errors",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                rate_check_drawn,
                                &as_committed,
                                {1, 1, 1},
                                0.5},
                               {"beyond",
                                "beyond",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                rate_check_beyond,
                                &as_committed,
                                {1, 1, 1},
                                0.07},
                               {NULL}};

static const control controls[] = {
    {"nothing-cut-off", "geometric", "the whole line in place of the interval", &whole_line},
    {"strip-too-wide", "fixed-interval", "a strip ten times as wide", &wide_strip},
    {"other-interval", "stall", "the truncation of another interval", &other_interval},
    {"gauss-jacobi", "root-exponential", "Gauss-Jacobi at T = 64", &jacobi_growth},
    {"one-moment-more", "jacobi-exact", "one moment more", &one_moment_more},
    {"tenfold-exponent", "jacobi-bound", "40 in place of 4 in the exponent", &tenfold_exponent},
    {"one-term-less", "sup-errors", "one term less than committed", &one_term_less},
    {"other-weight", "every-integer", "first weight 10% larger on one path", &other_sum},
    {"other-weight", "far-horizon", "first weight 10% larger on one path", &other_sum},
    {"half-the-supremum", "drawn", "half the supremum", &half_the_bound},
    {"half-the-bound", "beyond", "half the bound", &half_the_bound},
    {NULL}};

static const setting settings[] = {{"alpha", "fractional order", "0", "1", 1, 0, 0},
                                   {"horizon", "horizon T", "1", "1e18", 0, 0, 1},
                                   {"terms", "number of terms S", "1", "400", 0, 0, 1},
                                   {NULL}};

static const char *const figures[] = {"vort-soe-error", "vort-soe-terms", NULL};

const claim claim_vort_soe_rate = {"vort.soe-rate",
                                   "How fast sums of exponentials converge",
                                   "VORT, Theorem 3.1 (first half)",
                                   hypotheses,
                                   statements,
                                   checks,
                                   controls,
                                   settings,
                                   figures};

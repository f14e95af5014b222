/* vort.weights: the Gruenwald-Letnikov weights w_j(alpha) = (alpha)_j/j! themselves (VORT, Eqs. 2-4).

   Everything is either an identity between rational functions of j and alpha, checked in Q at more
   points than its degree allows it to be wrong at, or an inequality evaluated in balls. */
#include "theorems/vort/weights/weights.h"

static const char *const hypotheses[] = {"w_0 = 1, w_{j+1} = w_j (j+alpha)/(j+1)",
                                         "0 < alpha <= 1 unless said otherwise", NULL};

static const char *const proof_decreasing[] = {
    "w_0 = 1 > 0, and w_{j+1}/w_j = (j+alpha)/(j+1) > 0 for alpha > 0: positive by induction.",
    "(j+1) - (j+alpha) = 1 - alpha, so for alpha < 1 the ratio is below 1.", NULL};
static const char *const proof_monotone[] = {
    "Let D_k(j) = w_j (1-alpha)_k/(j+1)_k; D_0(j) = w_j.",
    "D_k(j) - D_k(j+1) = D_k(j) (1 - (j+alpha)/(j+k+1)) = D_k(j) (k+1-alpha)/(j+k+1) = D_{k+1}(j).",
    "So (-1)^k Delta^k w_j = D_k(j), and every factor of it is positive for alpha < 1.", NULL};
static const char *const proof_unit[] = {"At alpha = 1 the ratio (j+1)/(j+1) is 1.", NULL};
static const char *const proof_vanishing[] = {
    "w_j = (alpha)_j/j! = (alpha/j) prod_{i=1}^{j-1} (1+alpha/i), an identity in Q(alpha).",
    "1+x <= e^x for each factor.",
    "For fixed j the bound is alpha times a bounded quantity; w_0 = 1 whatever alpha is.", NULL};
static const char *const proof_two_sided[] = {
    "Wendel (1948): (x/(x+a))^(1-a) <= Gamma(x+a)/(x^a Gamma(x)) <= 1 for x > 0, 0 <= a <= 1; here "
    "x = j, a = alpha.",
    "w_j Gamma(alpha) j^(1-alpha) = Gamma(j+alpha)/(j^alpha Gamma(j)).",
    "Bernoulli: 1-(1+x)^(alpha-1) <= (1-alpha) x and (1+x)^(1-alpha)-1 <= (1-alpha) x for x = "
    "alpha/j.",
    NULL};
static const char *const proof_sharp[] = {
    "phi(alpha) = ln psi_j(alpha) has phi(0) = phi(1) = 0 and phi'' = trigamma(j+alpha) <= "
    "trigamma(j): so 1-psi_j <= -phi <= trigamma(j) alpha(1-alpha)/2.",
    "trigamma(j) <= 1/j + 1/(2j^2) + 1/(6j^3), and j times the right side decreases: for j >= 4 "
    "the claim follows from (1+1/8+1/96)/2 = 109/192 < gamma.",
    "j = 1 on [0,3/16]: F_1(0) = 0, F_1'(0) = gamma + Gamma'(1) = 0 exactly, F_1'' > 0 in balls.",
    "j = 2, 3 on [0,3/16]: F_j(0) = 0 and F_j' > 0 in balls; j = 1, 2, 3 on [3/16,3/4]: F_j > 0 in "
    "balls.",
    "j = 1, 2, 3 on [3/4,1]: F_j(1) = 0 and F_j' < 0 in balls.",
    "No smaller constant will do: (1 - w_1 Gamma(alpha))/(alpha(1-alpha)) -> -Gamma'(1) = gamma as "
    "alpha -> 0.",
    NULL};
static const char *const proof_inverse[] = {
    "sum_j w_j(a) z^j = (1-z)^(-a) as formal power series (binomial series), for every rational a.",
    "(1-z)^(-a) (1-z)^(-b) = (1-z)^(-a-b): both sides solve (1-z) f' = (a+b) f, f(0) = 1, whose "
    "coefficients are determined one by one.",
    NULL};
static const char *const proof_sums[] = {
    "Let P_T = w_T T/alpha = Gamma(T+alpha)/(Gamma(alpha+1)Gamma(T)); P_0 = 0.",
    "P_T + w_T = w_T (T+alpha)/alpha = w_{T+1} (T+1)/alpha = P_{T+1}.",
    "P_T >= (1+alpha/T)^(alpha-1) T^alpha/Gamma(alpha+1) -> infinity, by the two-sided bound.",
    NULL};
static const char *const proof_squares[] = {"sum_j ((alpha)_j/j!)^2 = 2F1(alpha,alpha;1;1).",
                                            "Gauss's theorem, hypothesis 1-2alpha > 0: the value "
                                            "is Gamma(1)Gamma(1-2alpha)/Gamma(1-alpha)^2.",
                                            NULL};

static const statement statements[] = {
    {"decreasing", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "For 0 < alpha < 1 the weights are positive and strictly decreasing.",
     "0 < w_{j+1}(\\alpha) < w_j(\\alpha)", NULL, proof_decreasing},
    {"completely-monotone", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For 0 < alpha < 1 the weights are completely monotone: (-1)^k Delta^k w_j = w_j "
     "(1-alpha)_k/(j+1)_k > 0.",
     "(-1)^k\\Delta^k w_j = w_j\\,(1-\\alpha)_k/(j+1)_k > 0", NULL, proof_monotone},
    {"unit-order", STATEMENT_PUBLISHED, VERDICT_PROVED, "At alpha = 1 all weights are 1.",
     "w_j(1) = 1", NULL, proof_unit},
    {"vanishing", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "For each j >= 1, w_j(alpha) -> 0 as alpha -> 0: w_j <= (alpha/j) e^(alpha H_{j-1}); w_0 = 1 "
     "always.",
     "w_j \\le \\frac{\\alpha}{j}e^{\\alpha H_{j-1}},\\ j\\ge1", NULL, proof_vanishing},
    {"two-sided", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every j >= 1 and 0 < alpha <= 1: (1+alpha/j)^(alpha-1) <= w_j Gamma(alpha) j^(1-alpha) "
     "<= 1, so the power law is an upper bound, off by at most alpha(1-alpha)/j (relative to "
     "either).",
     "(1+\\alpha/j)^{\\alpha-1} \\le w_j\\Gamma(\\alpha)j^{1-\\alpha} \\le 1", NULL,
     proof_two_sided},
    {"sharp-constant", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every j >= 1 and 0 < alpha < 1: 1 - w_j Gamma(alpha) j^(1-alpha) <= gamma "
     "alpha(1-alpha)/j with Euler's constant gamma, and no smaller constant will do.",
     "1-w_j\\Gamma(\\alpha)j^{1-\\alpha} \\le \\gamma\\,\\alpha(1-\\alpha)/j", NULL, proof_sharp},
    {"convolution", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "w(a)*w(b) = w(a+b) for all orders; in particular (1-z)^(-alpha) (1-z)^alpha = 1.",
     "w(\\alpha_1)*w(\\alpha_2) = w(\\alpha_1+\\alpha_2)", NULL, proof_inverse},
    {"partial-sums", STATEMENT_CORRECTED, VERDICT_PROVED,
     "sum_{j<T} w_j = Gamma(T+alpha)/(Gamma(alpha+1)Gamma(T)), which grows without bound.",
     "\\sum_{j<T}w_j = \\frac{\\Gamma(T+\\alpha)}{\\Gamma(\\alpha+1)\\Gamma(T)}\\to\\infty", NULL,
     proof_sums},
    {"square-sum", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For 0 < alpha < 1/2: sum_j w_j^2 = Gamma(1-2alpha)/Gamma(1-alpha)^2.",
     "\\sum_j w_j^2 = \\Gamma(1-2\\alpha)/\\Gamma(1-\\alpha)^2", NULL, proof_squares},
    {"far-indices", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "The Gamma quotient and the recurrence give the same weights, to the full working precision, "
     "around j = 0, 171, 10^5, 10^8 and 10^12.",
     "w_{j+171}", NULL, NULL},
    {NULL}};

static const char *const too_large[] = {"3/2", NULL};
static const char *const unit[] = {"1", NULL};
static const char *const half[] = {"1/2", NULL};

static const vort_parameter open_orders = {vort_orders_open, "0"};
static const vort_parameter open_orders_one = {vort_orders_open, "1"};
static const vort_parameter open_orders_quarter = {vort_orders_open, "1/4"};
static const vort_parameter open_orders_half = {vort_orders_open, "1/2"};
static const vort_parameter open_orders_seventh = {vort_orders_open, "1/7"};
static const vort_parameter beyond_unit = {too_large, "0"};
static const vort_parameter at_unit = {unit, "0"};
static const vort_parameter at_half = {half, "0"};
static const vort_parameter euler = {vort_orders_open, "gamma"};
static const vort_parameter below_euler = {vort_orders_open, "0.577"};
static const vort_parameter shift_hundredth = {vort_orders_open, "1/100"};

static const check checks[] = {{"decreasing",
                                "decreasing",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_decreasing,
                                &open_orders,
                                {1, 1, 1},
                                0.02},
                               {"completely-monotone",
                                "completely-monotone",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_completely_monotone,
                                &open_orders,
                                {1, 1, 1},
                                0.1},
                               {"unit-order",
                                "unit-order",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_unit_order,
                                &at_unit,
                                {1, 1, 1},
                                0.05},
                               {"vanishing",
                                "vanishing",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_vanishing,
                                &open_orders_one,
                                {1, 1, 1},
                                0.1},
                               {"two-sided",
                                "two-sided",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_two_sided,
                                &open_orders_one,
                                {1, 1, 1},
                                0.1},
                               {"drawn",
                                "two-sided",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                weights_check_drawn,
                                &open_orders_one,
                                {1, 1, 1},
                                0.1},
                               {"sharp-constant",
                                "sharp-constant",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_sharp_constant,
                                &euler,
                                {1, 1, 1},
                                0.08},
                               {"inverse",
                                "convolution",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_inverse,
                                &open_orders,
                                {1, 1, 1},
                                0.02},
                               {"semigroup",
                                "convolution",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_semigroup,
                                &open_orders,
                                {1, 1, 1},
                                0.01},
                               {"partial-sums",
                                "partial-sums",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_partial_sums,
                                &open_orders,
                                {1, 1, 1},
                                0.01},
                               {"square-sum",
                                "square-sum",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                weights_check_square_sum,
                                &open_orders,
                                {1, 1, 1},
                                0.01},
                               {"far-indices",
                                "far-indices",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                weights_check_far,
                                &open_orders,
                                {1, 1, 1},
                                0.1},
                               {NULL}};

static const control controls[] = {
    {"order-above-1", "decreasing", "alpha = 3/2", &beyond_unit},
    {"order-above-1", "completely-monotone", "alpha = 3/2", &beyond_unit},
    {"order-one-half", "unit-order", "alpha = 1/2", &at_half},
    {"half-the-bound", "vanishing", "half the bound", &open_orders_half},
    {"quarter-exponent", "two-sided", "a quarter of the lower bound's exponent",
     &open_orders_quarter},
    {"half-the-bound", "drawn", "half the bound", &open_orders_half},
    {"constant-0.577", "sharp-constant", "0.577 in place of gamma = 0.5772...", &below_euler},
    {"order-off", "inverse", "order of the product off by 1/7", &open_orders_seventh},
    {"order-off", "semigroup", "order of the product off by 1/7", &open_orders_seventh},
    {"one-more-term", "partial-sums", "T+1 in place of T", &open_orders_one},
    {"order-off", "square-sum", "alpha + 1/100 in the closed form", &shift_hundredth},
    {"next-index", "far-indices", "the weight one index further", &open_orders_one},
    {NULL}};

static const setting settings[] = {{"alpha", "fractional order", "0", "1", 1, 1, 0}, {NULL}};

static const char *const figures[] = {"vort-weights", NULL};

const claim claim_vort_weights = {"vort.weights",   "The Grünwald-Letnikov weights",
                                  "VORT, Eqs. 2-4", hypotheses,
                                  statements,       checks,
                                  controls,         settings,
                                  figures};

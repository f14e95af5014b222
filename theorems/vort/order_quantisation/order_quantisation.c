/* vort.order-quantisation: what it costs to replace an order by one of finitely many (VORT, Thm.
   4.1).

   bounds.c: how fast the weights move with the order.  banks.c: how many orders are enough. */
#include "theorems/vort/order_quantisation/quantisation.h"

static const char *const hypotheses[] = {"0 < delta < 1; orders alpha, alpha' in [delta,1]; T >= 1 "
                                         "the horizon; H_T = 1 + 1/2 + ... + 1/T",
                                         "D(a,b) = |w(b)-w(a)| over the lags 0..T, a <= b; a bank "
                                         "c serves alpha within tau if their D is "
                                         "<= tau",
                                         NULL};

static const char *const proof_lipschitz[] = {
    "w_j = alpha(alpha+1)...(alpha+j-1)/j! is a polynomial in alpha with coefficients >= 0 "
    "(unsigned "
    "Stirling numbers over j!): on alpha > 0 it and all its derivatives increase.",
    "dw_j/dalpha = w_j sum_{i<j} 1/(alpha+i), which is H_j at alpha = 1: so 0 < dw_j/dalpha <= H_j "
    "<= "
    "H_T on (0,1] for 1 <= j <= T, with equality at alpha = 1, j = T.",
    "Mean value theorem: 0 <= w_j(alpha')-w_j(alpha) <= H_T (alpha'-alpha) for alpha < alpha'. "
    "Quantising to a bank at distance eta errs by at most H_T eta, whatever delta.",
    NULL};
static const char *const proof_sharp[] = {"w_j is convex in alpha, so (1-w_j(1-h))/h >= "
                                          "dw_j/dalpha (1-h) = w_j(1-h) sum_{i<j} 1/(1-h+i) >= "
                                          "w_j(1-h) H_j.",
                                          "w_j(1-h) >= 1 - h H_j >= 1 - h H_T. With h = e/H_T "
                                          "every quotient is at least (1-e) H_j, j <= T.",
                                          "Take norms over the lags: for each e > 0 the quotient "
                                          "of the distances comes within 1-e of H_T, of "
                                          "sum H_j and of (sum H_j^2)^(1/2).",
                                          NULL};
static const char *const proof_l1_l2[] = {"0 <= w_j(alpha')-w_j(alpha) <= H_j (alpha'-alpha) for "
                                          "each j; add them, or their squares, over j < "
                                          "T.",
                                          "Summation by parts: sum_{j<T} H_j = T(H_T-1), sum_{j<T} "
                                          "H_j^2 = T H^2 - (2T-1) H + 2T-2 with H = "
                                          "H_{T-1}; induction on T.",
                                          "No smaller constants will do: statement sharp.", NULL};
static const char *const proof_vanishing[] = {
    "w_{j+1}/w_j = (j+alpha)/(j+1) <= 1, so sup_{j>=1} w_j = w_1 = alpha.",
    "1 + sum_{1<=j<T} w_j = prod_{1<=i<T} (1+alpha/i) <= e^(alpha H_{T-1}).",
    "Both tend to 0 with alpha (the sum for fixed T).", NULL};
static const char *const proof_impulse[] = {
    "w_0 = 1 is the empty product, whatever the order.",
    "sum_{j<=T} w_j = w_T(1+alpha) >= (1+alpha/T)^(alpha-1) T^alpha/Gamma(1+alpha) (vort.weights), "
    "which "
    "grows without bound for every alpha > 0.",
    NULL};
static const char *const proof_chains[] = {
    "D(a,b) increases with b and decreases with a, strictly: every w_j with j >= 1 does, in each "
    "norm. So "
    "what a bank serves is an interval, whose ends increase with the bank.",
    "Greedy is optimal: let the banks c_1 < c_2 < ... each be as high as serving the first "
    "unserved order "
    "allows. By induction no i banks serve [delta,y] with y beyond what the greedy ones serve.",
    "So K banks suffice iff some chain delta = y_0 <= c_1 <= y_1 <= ... <= c_K <= y_K = 1 has "
    "every D of "
    "neighbours <= tau.",
    "If 2K-1 orders x_0 < ... < x_{2K-2} have every D of neighbours > tau, one bank cannot serve "
    "both "
    "x_{2i} and x_{2i+2}: it is <= x_{2i+1} and misses the latter, or above it and misses the "
    "former. K "
    "banks at least.",
    "The supremum in D is found without looking at every lag: w_{j+1}-w_j = -(1-alpha)w_j/(j+1), "
    "so the "
    "differences rise at j iff w_j(b)/w_j(a) < (1-a)/(1-b), and that quotient increases with j by "
    "(j+b)/(j+a): one top.",
    "Equal cells: D(c,c+eta) increases with c by convexity and is >= D(c-eta,c), so the last half "
    "cell "
    "decides: K of them suffice iff D(1-(1-delta)/(2K), 1) <= tau.",
    NULL};

static const statement statements[] = {
    {"bound", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "Quantising the order on [delta,1] has a uniform error bound: |w_j(alpha)-w_j(alpha')| <= H_T "
     "|alpha-alpha'| for every lag j <= T.",
     "|w_j(\\alpha)-w_j(\\alpha')| \\le H_T|\\alpha-\\alpha'|", NULL, proof_lipschitz},
    {"near-zero", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "As alpha -> 0 the kernel shrinks to 0 rather than diverging, at the lags j >= 1: sup_j w_j = "
     "alpha, "
     "and over j < T the sum is at most e^(alpha H_{T-1}) - 1.",
     "\\sup_{j\\ge1} w_j = \\alpha,\\quad \\sum_{1\\le j<T} w_j \\le e^{\\alpha H_{T-1}}-1", NULL,
     proof_vanishing},
    {"impulse", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The limit of the whole kernel is not 0 but the unit impulse (w_0 = 1 for every order), and "
     "over all "
     "lags its sum stays infinite for every alpha > 0.",
     "w_0 = 1,\\quad \\sum_j w_j = \\infty", NULL, proof_impulse},
    {"sharp", STATEMENT_CORRECTED, VERDICT_PROVED,
     "H_T is the best constant on [delta,1] for every delta < 1, whatever the horizon: it is "
     "approached at "
     "alpha, alpha' -> 1, j = T; and so are those of l1 and l2.",
     "\\sup\\frac{|w_j(\\alpha)-w_j(\\alpha')|}{|\\alpha-\\alpha'|} = H_T", NULL, proof_sharp},
    {"l1-l2", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Over the lags j < T the constant is T(H_T-1) in l1 and (T H^2 - (2T-1) H + 2T-2)^(1/2), H = "
     "H_{T-1}, in l2.",
     "\\sum_{j<T}H_j = T(H_T-1),\\quad \\sum_{j<T}H_j^2 = TH_{T-1}^2-(2T-1)H_{T-1}+2T-2", NULL,
     proof_l1_l2},
    {"chains", STATEMENT_CORRECTED, VERDICT_PROVED,
     "K banks serve [delta,1] within tau iff a chain of 2K+1 orders has neighbours within tau, and "
     "none "
     "fewer do if 2K-1 orders have neighbours further apart; in sup, l1 and l2.",
     "D(y_{k-1},c_k),\\,D(c_k,y_k) \\le \\tau", NULL, proof_chains},
    {"banks", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "delta = 1/20, tau = 1/100, sup norm, T = 64, 256, 4096, 65536, 10^9: the fewest banks are "
     "74, 78, "
     "85, 90, 101, and equal cells take 225, 290, 421, 552, 1007. The worst lag of the first bank "
     "is 1, "
     "that of the last ones T.",
     "K^*(T)", NULL, NULL},
    {"nearest", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "Sending an order to the nearest bank is not best: with the 85 banks for tau = 1/100, T = "
     "4096, some order errs by "
     "more than tau. The edge below each bank whose worst lag there is not 1 lies above the "
     "midpoint.",
     "D\\bigl(\\tfrac{c_k+c_{k+1}}2,c_{k+1}\\bigr) > \\tau", NULL, NULL},
    {"equal-cells", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "T = 4096, delta = 1/20: at the fewest banks for tau = 1/3, 1/5, 1/10, 1/20, 1/50, 1/100, "
     "1/200, "
     "1/500 the error is below that of as many equal cells, and that is within H_T (1-delta)/(2K).",
     "\\tau_K < D(1-\\eta,1) \\le H_T\\eta,\\ \\eta=\\tfrac{1-\\delta}{2K}", NULL, NULL},
    {NULL}};

static const vort_parameter whole = {vort_orders_open, "1"}, half = {vort_orders_open, "1/2"},
                            more = {vort_orders_open, "1.002"}, off = {vort_orders_open, "100/101"},
                            from_zero = {vort_orders_open, "0"}, tenth = {vort_orders_open, "1/10"};
static const banks_parameter as_stated = {0, "1", 0}, one_fewer = {1, "1", 0},
                             further = {0, "21/20", 0}, at_horizon = {0, "1", 1};

static const check checks[] = {{"lipschitz",
                                "bound",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                quantisation_check_lipschitz,
                                &whole,
                                {1, 1, 1},
                                0.02},
                               {"vanishing",
                                "near-zero",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                quantisation_check_vanishing,
                                &whole,
                                {1, 1, 1},
                                0.1},
                               {"impulse",
                                "impulse",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                quantisation_check_impulse,
                                &whole,
                                {1, 1, 1},
                                0.05},
                               {"sharp",
                                "sharp",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                quantisation_check_sharp,
                                &whole,
                                {1, 1, 1},
                                0.1},
                               {"l1-l2",
                                "l1-l2",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                quantisation_check_l1_l2,
                                &whole,
                                {1, 1, 1},
                                0.1},
                               {"chains",
                                "chains",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                quantisation_check_chains,
                                &as_stated,
                                {1, 1, 1},
                                0.1},
                               {"banks",
                                "banks",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                quantisation_check_banks,
                                &as_stated,
                                {1, 1, 1},
                                1.0},
                               {"nearest",
                                "nearest",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                quantisation_check_nearest,
                                &as_stated,
                                {1, 1, 1},
                                0.2},
                               {"drawn",
                                "equal-cells",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                quantisation_check_drawn,
                                &whole,
                                {1, 1, 1},
                                0.8},
                               {NULL}};

static const control controls[] = {
    {"half-the-bound", "lipschitz", "half the bound", &half},
    {"from-lag-0", "vanishing", "from lag 0", &from_zero},
    {"zero-at-lag-0", "impulse", "0 at lag 0", &from_zero},
    {"larger-constant", "sharp", "0.2% more than the constants", &more},
    {"closed-form-off", "l1-l2", "1% less in the closed forms", &off},
    {"worst-at-horizon", "chains", "differences that rise up to the horizon", &at_horizon},
    {"one-bank-fewer", "banks", "one bank fewer", &one_fewer},
    {"twentieth-more", "nearest", "an error above 21/20 of tau", &further},
    {"tenth-of-the-bound", "drawn", "a tenth of the bound", &tenth},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"vort-banks", NULL};

const claim claim_vort_order_quantisation = {"vort.order-quantisation",
                                             "Finitely many orders in place of all",
                                             "VORT, Thm. 4.1",
                                             hypotheses,
                                             statements,
                                             checks,
                                             controls,
                                             settings,
                                             figures};

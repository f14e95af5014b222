/* vla.jacobian-product: how far a product of Jacobians J_t = I - k_t a_t^T can stretch (VLA, Prop. 2: "the
   spectral norm is exactly 1 for all sequence lengths and head dimensions: no explosion at any depth").

   Each J_t does not expand in the metric of M_t, which is not the Euclidean one and changes with t: products
   grow, up to (1 + sum|u|^2/(r lambda0))^{r/2}. */
#include "theorems/vla/jacobian_product/product.h"

static const char *const hypotheses[] = {"s -> s J_t = s (I - k a^T), |k| = 1, a = A_t k/|A_t k|, "
                                         "A_t^{-1} = M_t = lambda0 I + sum_{i<=t} u u^T",
                                         "free inputs: any unit k, |u| <= 1; the layer: k = f/|f|, "
                                         "f = ELU(x)+1 > 0, u = W_u x/(|W_u x| sqrt d); no refresh",
                                         NULL};

static const char *const proof_bound[] = {
    "M a = k/|Ak|, so |sJ|_M^2 = |s|_M^2 - 2(s.k)^2/|Ak| + (s.k)^2 c/|Ak| = |s|_M^2 - "
    "(s.k)^2(2-c)/|Ak| <= |s|_M^2, c = a.k <= 1, M after u.",
    "M_{t-1} -> M_t costs 1 + u^T A_{t-1} u at most (Cauchy-Schwarz), and the product of these is "
    "det M_T/det M_0.",
    "lambda0 |s|^2 = |s|_{M_0}^2 and |.|_{M_T}^2 >= mu_d |.|^2, mu_d the least eigenvalue of M_T: "
    "|prod J|^2 <= prod_{i<d} mu_i/lambda0.",
    "At most r = min(dim span u, d-1) of these factors exceed 1, and their sum is at most r + sum "
    "|u|^2/lambda0: AM-GM.",
    NULL};
static const char *const proof_order[] = {
    "Free inputs, M diagonal, s_0 = e_0. Pump axis j = 0, ..., d-2: n steps with u = e_j, k along "
    "another axis, v = 0: s_j stays, m_j = lambda0 + n, R = 1 + n/lambda0.",
    "Turn j -> j+1 with u = 0, keys M^{1/2}b, b = (sin(p+h), cos(p+h)), p the angle of y = "
    "M^{1/2}s from axis j: y' = y - c(y.b)b keeps the part across b, so |y'| >= |y|exp(-g tan h), "
    "g the angle turned.",
    "tan g >= c sin(2h)/2, c^-2 <= R, g >= (pi/4)tan g: after at most 4 sqrt(R)/sin 2h + 1 steps p "
    "> pi/2-h, and |s_{j+1}| >= K sqrt(R)|s_j|, K = cos h exp(-(pi/2)tan h).",
    "d-1 links: |prod J| >= (K sqrt R)^{d-1} after (d-1)(n + 4 sqrt(R)/sin 2h + 1) steps: of the "
    "order T^{(d-1)/2}, as is the bound with r = d-1.",
    NULL};
static const char *const proof_raw[] = {
    "With a = A k and A = I/lambda0, J = I - k k^T/lambda0 is symmetric with eigenvalue 1 - "
    "|k|^2/lambda0 on k, 1 on k^perp.",
    "Its norm is max(1, |1 - |k|^2/lambda0|): about |k|^2/lambda0. (A product of such steps gains "
    "k_t.k_{t+1}/lambda0 a step, which is less.)",
    NULL};

static const statement statements[] = {
    {"any-depth", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "The Jacobian's spectral norm is exactly 1 for all sequence lengths and head dimensions: "
     "gradients flow without explosion at any depth.",
     "\\Bigl\\|\\prod_t J_t\\Bigr\\| \\le 1",
     "|prod J|^2 <= (1 + sum|u|^2/(r lambda0))^r, r = min(dim span u, d-1), without refresh; "
     "T^{(d-1)/2} is the exact order of the supremum (free inputs), and products of the published "
     "layer come within a factor 4 of the bound for d <= 4 in the runs certified.",
     NULL},
    {"bound", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For any d >= 2, lambda0 > 0, unit k and any u: |prod J|^2 <= (1 + sum|u|^2/(r lambda0))^r, r "
     "= min(dim span u, d-1); 1 if u = 0.",
     "\\Bigl\\|\\prod_t J_t\\Bigr\\|^2 \\le (1+\\textstyle\\sum\\|u_t\\|^2/(r\\lambda_0))^r", NULL,
     proof_bound},
    {"order", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every d >= 2, lambda0 > 0 free inputs reach |prod J| >= (K sqrt R)^{d-1} after T = "
     "(d-1)(n + 4 sqrt(R)/sin 2h + 1) steps, R = 1 + n/lambda0, K = cos h exp(-(pi/2)tan h), 0 < h "
     "<= pi/4: with the bound, the supremum is of the exact order T^{(d-1)/2}.",
     "\\sup\\Bigl\\|\\prod_{t\\le T}J_t\\Bigr\\| \\asymp T^{(d-1)/2}", NULL, proof_order},
    {"constructed", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "For d = 2, 3, 4, 32, lambda0 = 1/10, 1, 10, T = 10^3, 10^4, free inputs and the layer's: "
     "products found by construction and search reach a quarter of the bound for all such inputs "
     "(d <= 4), its square root (d = 32); largest singular values by two paths. No supremum is "
     "claimed.",
     "\\Bigl\\|\\prod_t J_t\\Bigr\\| \\ge "
     "\\tfrac14(1+\\textstyle\\sum\\|u\\|^2/(r\\lambda_0))^{r/2}",
     NULL, NULL},
    {"raw-step", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Without normalisation (a = A k) a step with A = I/lambda0 has norm max(1, |1 - "
     "|k|^2/lambda0|).",
     "\\|I-kk^\\top/\\lambda_0\\| = \\max(1,|1-\\|k\\|^2/\\lambda_0|)", NULL, proof_raw},
    {"raw-example", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "The text's 10^32 (without normalisation, d = 96, 25 steps) is what lambda0 between 6 and 7 "
     "gives for random keys (x and W_u standard normal, k = ELU(x)+1; 16 runs); lambda0 = 1/10 "
     "gives more than 10^70, 10 less than 10^30.",
     "10^{32}", NULL, NULL},
    {NULL}};

static const depth_parameter layer = {"1/2"}, no_directions = {"0"};
static const bound_parameter as_proved = {0}, less_one = {1};
static const product_parameter searched = {-1, 4, "1"}, one_link = {1, 4, "1"},
                               stretched = {-1, 4, "11/10"};
static const turn_parameter turn = {1}, twice = {2};
static const order_parameter links = {0}, link_more = {1};
static const raw_parameter raw = {0}, normalised = {1};

#define QUICK(name, statement, verdict, evidence, run, parameter, ...)                             \
    { name, statement, verdict, evidence, LEVEL_QUICK, run, parameter, {1, 1, 1}, __VA_ARGS__ }

static const check checks[] = {
    QUICK("any-depth", "any-depth", VERDICT_REFUTED, EVIDENCE_FINITE, product_check_depth, &layer,
          0.05),
    QUICK("step", "bound", VERDICT_PROVED, EVIDENCE_PROOF, product_check_step, &as_proved, 0.01),
    QUICK("bound", "bound", VERDICT_PROVED, EVIDENCE_PROOF, product_check_bound, &as_proved, 0.1),
    QUICK("drawn", "bound", VERDICT_CERTIFIED, EVIDENCE_FINITE, product_check_drawn, &as_proved,
          0.5, 7),
    QUICK("turn", "order", VERDICT_PROVED, EVIDENCE_PROOF, growth_check_turn, &turn, 0.01),
    QUICK("turn-run", "order", VERDICT_CERTIFIED, EVIDENCE_FINITE, growth_check_turn_run, &turn,
          0.1),
    QUICK("order", "order", VERDICT_PROVED, EVIDENCE_PROOF, product_check_order, &links, 0.2),
    {"constructed",
     "constructed",
     VERDICT_CERTIFIED,
     EVIDENCE_FINITE,
     LEVEL_QUICK,
     product_check_constructed,
     &searched,
     {1, 6, 6},
     0.2,
     3},
    QUICK("two-paths", "constructed", VERDICT_CERTIFIED, EVIDENCE_FINITE, product_check_two_paths,
          &searched, 0.1),
    QUICK("raw-step", "raw-step", VERDICT_PROVED, EVIDENCE_PROOF, product_check_raw_step, &raw,
          0.01),
    QUICK("raw-example", "raw-example", VERDICT_MEASURED, EVIDENCE_STATISTIC,
          product_check_raw_lambda, &raw, 0.4),
    {NULL}};

static const control controls[] = {
    {"u-zero", "any-depth", "u = 0: A stays a multiple of the identity", &no_directions},
    {"one-term-left-out", "step", "(s.k)^2/n subtracted once", &less_one},
    {"rank-less-one", "bound", "r-1 in place of r", &less_one},
    {"rank-less-one", "drawn", "r-1 in place of r", &less_one},
    {"twice", "turn", "twice (R+1/R-2)xy", &twice},
    {"twice", "turn-run", "twice the factor", &twice},
    {"link-more", "order", "d links in place of d-1", &link_more},
    {"one-link", "constructed", "one pump and one turn alone", &one_link, 0.5},
    {"other-lambda", "two-paths", "lambda0 10% larger on the second path", &stretched},
    {"normalised", "raw-step", "1/lambda0 in place of |k|^2/lambda0", &normalised},
    {"normalised", "raw-example", "keys and gates normalised", &normalised},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"vla-products", NULL};

const claim claim_vla_jacobian_product = {"vla.jacobian-product",
                                          "How far products of Jacobians stretch",
                                          "VLA, Prop. 2",
                                          hypotheses,
                                          statements,
                                          checks,
                                          controls,
                                          settings,
                                          figures};

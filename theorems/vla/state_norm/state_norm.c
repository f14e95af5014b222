/* vla.state-norm: how large the state of variational linear attention becomes (VLA, Prop. 1: "||S_t||_F is
   self-limiting under bounded inputs; it converges to a finite plateau").

   It does not: bounded inputs that the published layer can produce make it grow like T (rank-one W_u), like
   T^{d/2}, which is the exact order, and exponentially with the layer's refresh. */
#include "theorems/vla/state_norm/norm.h"

static const char *const hypotheses[] = {"|k| = 1, M_t = M_{t-1} + u u^T, M_0 = lambda0 I, A = "
                                         "M^{-1}, a = A k/|A k|, S_t = S_{t-1} + (v - S_{t-1} k) "
                                         "a^T, S_0 = 0",
                                         "free inputs: any unit k, |u| <= 1, |v| <= 1 (one row)",
                                         "the layer: k = f/|f|, f = ELU(x)+1 > 0, u = W_u x/(|W_u "
                                         "x| sqrt d), |v| <= 1; refresh: A += I/1000 every 20 "
                                         "steps, where it is said",
                                         "real arithmetic: the layer's witnesses steer u by raw "
                                         "inputs of -2^22, whose features floats round to 0",
                                         NULL};

static const char *const proof_spiral[] = {
    "Let A_t k = mu k for the keys used (all u orthogonal to them: mu = 1/lambda0). Then a = k.",
    "If k is orthogonal to s_{t-1} and |v| = 1, s_t = s_{t-1} + v k and |s_t|^2 = |s_{t-1}|^2 + 1 "
    "(Pythagoras); such k exists in any plane.",
    "So |s_T| = sqrt T for every T; with u = e_0/sqrt d, d >= 3, keys in e_0^perp.", NULL};
static const char *const proof_linear[] = {
    "Take W_u = e_0 w^T, so u = +-e_0/sqrt d and M_t = diag(m_0, lambda0, ...), m_0 = lambda0 + "
    "t/d.",
    "Odd steps: k = a = e_0, v = -1 puts s_0 = -1 and leaves s_1 = y >= 0. Even steps: k = (y, "
    "1)/sqrt(1+y^2), orthogonal to s, v = 1: s += a, a_1 = (1+rho^2)^{-1/2}, rho = y lambda0/m_0, "
    "so s_0 stays in [-1,0).",
    "At step 2n, m_0 >= 2n/d, so with q = lambda0 d/2: y grows by at least g(y/n), g(r) = "
    "(1+r^2q^2)^{-1/2}, which decreases in r. Let gamma = g(gamma).",
    "y_n >= gamma(n-1) by induction, n = 1 being clear: if y_n <= gamma n, y grows by g(gamma) = "
    "gamma; else y_{n+1} >= y_n > gamma n.",
    "The keys are nonnegative; S_T is continuous in the keys, so features that are strictly "
    "positive come as near as one likes (e^x for x -> -infinity).",
    NULL};
static const char *const proof_upper[] = {
    "Per row let V = s M s^T, M after u. M_{t-1} -> M_t adds (s.u)^2 <= V u^T A_{t-1} u "
    "(Cauchy-Schwarz in the metric of M).",
    "With x = s.k, e = v-x: M a = k/|Ak|, so V becomes V + (2ex + c e^2)/|Ak|, and 2ex + c e^2 = c "
    "v^2 + 2(1-c)vx - (2-c)x^2 <= v^2/(2-c), c = a.k in (0,1].",
    "|A_t k| >= 1/mu_1, mu_1 >= ... >= mu_d the eigenvalues of M_t; prod (1+u^T A u) from t to T "
    "is det M_T/det M_t. So V_T <= sum_t |v_t|^2 mu_1(M_t) det M_T/det M_t.",
    "mu_1(M_t)/det M_t <= lambda0^{1-d}, and |S_T|_F^2 <= V_T/mu_d(M_T): |S_T|_F^2 <= sum |v|^2 "
    "prod_{i<d} mu_i(M_T)/lambda0.",
    "At most r = min(dim span u, d-1) of these factors exceed 1, and their sum is at most r + sum "
    "|u|^2/lambda0: AM-GM gives (1 + sum|u|^2/(r lambda0))^r.",
    NULL};
static const char *const proof_residuals[] = {
    "S_t - S_{t-1} = (v - S_{t-1}k) a^T with |a| = 1: the triangle inequality gives |S_T| <= sum "
    "|v - S k|.",
    "If a = k, |s_t|^2 = |s_{t-1}|^2 + v^2 - (s_{t-1}.k)^2 <= |s_{t-1}|^2 + v^2.", NULL};

static const char *const proof_order[] = {
    "W_u = I on the axes before the last, W_u e_last = e_0; raw inputs x_j -> -infinity have "
    "features -> 0 and steer u to any axis but the last; S_T is continuous in k and u, so axes and "
    "nonnegative keys will do. M is diagonal.",
    "Climb (statement linear) for T_0 steps, T_0 even, u along e_0: s_1 >= gamma (T_0/2-1).",
    "Pump axis j = 1, ..., d-2: n steps, u along e_j, k = e_0, v = 0: s_j stays, m_j = lambda0 + "
    "n/d, m_{j+1} = lambda0, R = 1 + n/(d lambda0).",
    "Turn j -> j+1, u along e_0, v = 0, y = M^{1/2}s at the angle p from axis j, b = (sin(p+h), "
    "cos(p+h)), key M^{1/2}b >= 0: y' = y - c(y.b)b. The part across b stays: |y'| = |y| cos "
    "h/cos(h-g) >= |y|exp(-g tan h), g the angle turned (ln cos has slope -tan).",
    "tan g = c sin h cos h/(1 - c sin^2 h) >= c sin(2h)/2, c^-2 = 1 + (R+1/R-2)sin^2(2(p+h))/4 <= "
    "R, and g >= (pi/4)tan g for g <= h <= pi/4: at most 4 sqrt(R)/sin 2h + 1 steps until p > "
    "pi/2-h.",
    "Then |s_{j+1}| >= K sqrt(R) |s_j|, K = cos h exp(-(pi/2)tan h). The signs of s_j alternate; "
    "what stays on axis j is read no more.",
    "T = T_0 + (d-2)(n + 4 sqrt(R)/sin 2h + 1) and |s_T| >= gamma(T_0/2-1)(K sqrt R)^{d-2}, n ~ "
    "T/(2(d-1)): of the order T^{d/2}, as is the upper bound with r = d-1.",
    NULL};
static const char *const proof_exponential[] = {
    "As in statement order, round and round: pump axis 1 for 20p steps, turn 1 -> 2 (20q steps, "
    "idle when done), pump axis 2, turn 2 -> 1; u along e_0 in the turns; d >= 4; what a turn "
    "leaves behind has the sign that the next one gives. A refresh is m -> m/(1 + m/1000).",
    "m -> (m + 20/d)/(1 + ...) is increasing: after a pump m lies between H_-, from 0, and H_+, "
    "from 1000, whatever lambda0. The axis that rests has p/1000 <= 1/m <= 1/H_- + (p+2q)/1000 "
    "from the second cycle on.",
    "In a turn a refresh multiplies y_f and y_t by at least (1 + H_+/1000)^{-1/2}, y_f by less "
    "than y_t: p only gains; R falls and stays >= 1. So a turn ends within 4 sqrt(R_+)/sin 2h + 1 "
    "<= 20q steps, R_+ = H_+(1/H_- + (p+2q)/1000).",
    "|s_t|^2 >= G^2 |s_f|^2, G^2 = K^2 (1 + H_+/1000)^{-q} H_- p/1000, K = cos h exp(-(pi/2)tan "
    "h), h = 1/5.",
    "G > 1 for p = 200, q = 3, d = 4 and 32, in balls: |s_T| >= const G^{T/(20(p+q))}.",
    NULL};

static const statement statements[] = {
    {"plateau", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "Under bounded inputs the Frobenius norm of the state is self-limiting: unlike linear "
     "attention's O(T) it converges to a finite plateau.",
     "\\|S_T\\|_F \\to \\text{const}",
     "Bounded inputs of the published layer reach gamma (T/2-1) for every even T with a rank-one "
     "W_u, the exact order T^{d/2} for d >= 3, and exponential growth with its refresh. True: "
     "|S_T| <= sum of the residuals; <= sqrt T max|v| when a = k; |S_T|_F^2 <= sum|v|^2 (1 + "
     "sum|u|^2/(r lambda0))^r, r = min(dim span u, d-1), without refresh.",
     NULL},
    {"spiral", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Keys orthogonal to the state on which A is a multiple of the identity give |s_T| = sqrt T "
     "exactly, for every T; with u != 0 for d >= 3.",
     "\\|s_T\\| = \\sqrt T", NULL, proof_spiral},
    {"linear", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every d >= 2, lambda0 > 0 and even T the layer with a rank-one W_u, nonnegative keys and "
     "|v| = 1 reaches |s_T| >= gamma (T/2-1), gamma^2(1 + gamma^2 q^2) = 1, q = lambda0 d/2.",
     "\\|s_T\\| \\ge \\gamma\\,(T/2-1)", NULL, proof_linear},
    {"order", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every d >= 3, lambda0 > 0 the layer's inputs (no refresh, |v| <= 1) reach |s_T| >= "
     "gamma(T_0/2-1)(K sqrt R)^{d-2}, R = 1 + n/(d lambda0), T = T_0 + (d-2)(n + 4 sqrt(R)/sin 2h "
     "+ 1), K = cos h exp(-(pi/2)tan h), any 0 < h <= pi/4: with the upper bound, sup |S_T| is of "
     "the exact order T^{d/2}.",
     "\\sup\\|S_T\\| \\asymp T^{d/2}", NULL, proof_order},
    {"exponential", STATEMENT_CORRECTED, VERDICT_PROVED,
     "With the refresh A += I/1000 every 20 steps and d = 4 or 32, for every lambda0 > 0, the "
     "layer's inputs make |s_T| >= const G^{T/4060} for all T, G > 1.",
     "\\|S_T\\| \\ge C\\,G^{T/4060}", NULL, proof_exponential},
    {"upper-bound", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Without refresh |S_T|_F^2 <= sum|v|^2 (1 + sum|u|^2/(r lambda0))^r, r = min(dim span u, "
     "d-1): O(T^{(r+1)/2}), and O(T) if r = 1.",
     "\\|S_T\\|_F^2 \\le \\sum\\|v_t\\|^2\\,(1+\\textstyle\\sum\\|u_t\\|^2/(r\\lambda_0))^r", NULL,
     proof_upper},
    {"residuals", STATEMENT_CORRECTED, VERDICT_PROVED,
     "|S_T|_F <= the sum of the residuals' norms, always; <= sqrt T max|v| when a_t = k_t.",
     "\\|S_T\\|_F \\le \\sum\\|v_t-S_{t-1}k_t\\|", NULL, proof_residuals},
    {"constructed", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "For d = 2, 3, 4, 32, lambda0 = 1/10, 1, 10, T = 10^3, 10^4, free inputs and the layer's: "
     "constructed runs reach a twelfth of the upper bound for all such inputs (d <= 4), its square "
     "root (d = 32); from T = 10^3 to 10^4 they grow at least like T^{0.95 d/2} for d <= 4.",
     "\\|S_T\\| \\ge \\tfrac1{12}\\sqrt T\\,(1+\\textstyle\\sum\\|u\\|^2/(r\\lambda_0))^{r/2}",
     NULL, NULL},
    {"refresh", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "With the layer's refresh, lambda0 = 1/10, 10, d = 3 with T = 10^4, d = 4 with T = 2 10^4: a "
     "constructed run is above what no inputs reach without it, and N(T)/N(T/2) >= "
     "(N(T/2)/N(T/4))^{3/2}: faster than a power.",
     "\\frac{N(T)}{N(T/2)} \\ge \\Bigl(\\frac{N(T/2)}{N(T/4)}\\Bigr)^{3/2}", NULL, NULL},
    {"random", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "Random inputs (standard normal x, v, W_u; d = d_v = 32, T = 1000, lambda0 = 1/10, 10; 24 "
     "runs): the normalised keys alone divide the norm of plain linear attention by more than 7; "
     "the whole factor, with VLA's rule, is larger than that and below the text's 109.",
     "\\|S_{1000}\\|", NULL, NULL},
    {NULL}};

static const plateau_parameter climb = {0}, one_key = {1};
static const spiral_parameter across = {0}, along = {1};
static const slope_parameter slope = {1}, double_slope = {2};
static const upper_parameter as_proved = {0, "1"}, half_injection = {0, "1/2"},
                             rank_less = {1, "1"};
static const residual_parameter residuals = {"1", 0}, half_residuals = {"1/2", 0},
                                moving_gate = {"1", 1};
static const table_parameter searched = {-1, 12, "1"}, unchained = {0, 12, "1"},
                             stretched = {-1, 12, "11/10"};
static const refresh_parameter refreshed = {20}, never = {0};
static const turn_parameter turn = {1}, twice = {2};
static const order_parameter links = {0}, link_more = {1};
static const cycle_parameter long_cycle = {200}, short_cycle = {2};
static const random_parameter normalised = {0}, raw_keys = {1};

#define QUICK(name, statement, verdict, evidence, run, parameter, ...)                             \
    { name, statement, verdict, evidence, LEVEL_QUICK, run, parameter, {1, 1, 1}, __VA_ARGS__ }

static const check checks[] = {
    QUICK("plateau", "plateau", VERDICT_REFUTED, EVIDENCE_FINITE, norm_check_plateau, &climb, 0.05),
    QUICK("theodorus", "spiral", VERDICT_PROVED, EVIDENCE_PROOF, norm_check_theodorus, &across,
          0.01),
    QUICK("spiral-run", "spiral", VERDICT_CERTIFIED, EVIDENCE_FINITE, norm_check_spiral, &across,
          0.05),
    QUICK("cycle", "linear", VERDICT_PROVED, EVIDENCE_PROOF, norm_check_cycle, &slope, 0.01),
    QUICK("slope", "linear", VERDICT_CERTIFIED, EVIDENCE_FINITE, norm_check_slope, &slope, 0.3),
    QUICK("turn", "order", VERDICT_PROVED, EVIDENCE_PROOF, growth_check_turn, &turn, 0.01),
    QUICK("turn-run", "order", VERDICT_CERTIFIED, EVIDENCE_FINITE, growth_check_turn_run, &turn,
          0.1),
    QUICK("order", "order", VERDICT_PROVED, EVIDENCE_PROOF, norm_check_order, &links, 0.2),
    QUICK("exponential", "exponential", VERDICT_PROVED, EVIDENCE_PROOF, norm_check_exponential,
          &long_cycle, 0.01),
    QUICK("step", "upper-bound", VERDICT_PROVED, EVIDENCE_PROOF, norm_check_step, &as_proved, 0.05),
    QUICK("upper-bound", "upper-bound", VERDICT_PROVED, EVIDENCE_PROOF, norm_check_upper,
          &as_proved, 0.1),
    QUICK("residuals", "residuals", VERDICT_PROVED, EVIDENCE_PROOF, norm_check_residuals,
          &residuals, 0.05),
    QUICK("equal-gate", "residuals", VERDICT_PROVED, EVIDENCE_PROOF, norm_check_equal_gate,
          &residuals, 0.05),
    {"constructed",
     "constructed",
     VERDICT_CERTIFIED,
     EVIDENCE_FINITE,
     LEVEL_QUICK,
     norm_check_constructed,
     &searched,
     {1, 6, 6},
     0.5},
    QUICK("exponents", "constructed", VERDICT_CERTIFIED, EVIDENCE_FINITE, norm_check_exponents,
          &searched, 0.5),
    QUICK("two-paths", "constructed", VERDICT_CERTIFIED, EVIDENCE_FINITE, norm_check_two_paths,
          &searched, 0.04, 10),
    QUICK("drawn", "upper-bound", VERDICT_CERTIFIED, EVIDENCE_FINITE, norm_check_drawn, &as_proved,
          1),
    QUICK("refresh", "refresh", VERDICT_CERTIFIED, EVIDENCE_FINITE, norm_check_refresh, &refreshed,
          0.6, 5),
    QUICK("random", "random", VERDICT_MEASURED, EVIDENCE_STATISTIC, norm_check_random, &normalised,
          0.5),
    {NULL}};

static const control controls[] = {
    {"one-key", "plateau", "the same key at every step", &one_key},
    {"u-among-the-keys", "theodorus", "u in the keys' plane", &along},
    {"u-among-the-keys", "spiral-run", "u in the keys' plane", &along},
    {"twice-rho", "cycle", "2 rho^2 in place of rho^2", &double_slope},
    {"twice-the-slope", "slope", "2 gamma in place of gamma", &double_slope},
    {"twice", "turn", "twice (R+1/R-2)xy", &twice},
    {"twice", "turn-run", "twice the factor", &twice},
    {"link-more", "order", "d-1 links in place of d-2", &link_more},
    {"short-cycle", "exponential", "pumps of 40 steps", &short_cycle},
    {"half-the-injection", "step", "half of v^2/(|Ak|(2-c))", &half_injection},
    {"rank-less-one", "upper-bound", "r-1 in place of r", &rank_less},
    {"half-the-sum", "residuals", "half the sum of residuals", &half_residuals},
    {"u-not-zero", "equal-gate", "u along an axis, keys that climb: a is not k", &moving_gate},
    {"no-links", "constructed", "the linear climb alone, no chaining", &unchained, 0.1},
    {"no-links", "exponents", "the linear climb alone, no chaining", &unchained},
    {"other-lambda", "two-paths", "lambda0 10% larger on the second path", &stretched},
    {"rank-less-one", "drawn", "r-1 in place of r", &rank_less},
    {"no-refresh", "refresh", "no refresh", &never, 0.6},
    {"raw-keys", "random", "keys not normalised in the second sum", &raw_keys},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"vla-state-norm", NULL};

const claim claim_vla_state_norm = {"vla.state-norm", "How large the state becomes",
                                    "VLA, Prop. 1",   hypotheses,
                                    statements,       checks,
                                    controls,         settings,
                                    figures};

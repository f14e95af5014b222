/* vla.jacobian-norm: the largest singular value of J = I - a k^T (VLA, Prop. 2: "exactly 1").

   J^T J is the identity on span{a,k}^perp, and on the span a 2x2 matrix whose trace and determinant
   depend on c = a.k alone.  So everything follows from one quadratic, p_c(x) = x^2-(3-2c)x+(1-c)^2. */
#include "theorems/vla/jacobian_norm/norm.h"

static const char *const hypotheses[] = {
    "a and k unit vectors of R^d, d >= 2, c = a.k; a = A k/|A k| with A symmetric, positive "
    "definite",
    "published layer: k normalised ELU+1 features (positive), u = normalise(W_u k_raw)/sqrt d, "
    "lambda0 in {1/10, 10}",
    NULL};

static const char *const proof_norm[] = {
    "J x = x for x orthogonal to k, and J^T x = x for x orthogonal to a: J^T J is the identity on "
    "span{a,k}^perp and maps span{a,k} into itself.",
    "J^T J = I - k a^T - a k^T + k k^T (|a| = 1): its trace is d - 2c + 1, so 3 - 2c on a plane "
    "that contains a and k; det J = 1 - c, so its determinant there is (1-c)^2.",
    "The eigenvalues on the plane are the zeros of p_c(x) = x^2-(3-2c)x+(1-c)^2, discriminant "
    "(3-2c)^2-4(1-c)^2 = 5-4c > 0; p_c(1) = c^2-1 <= 0, so the larger one is >= 1 and is |J|^2.",
    "If a = k or a = -k the plane may be any that contains k: the same eigenvalues, by continuity "
    "in a.",
    NULL};
static const char *const proof_range[] = {
    "A positive definite: c = k^T A k/|A k| > 0.",
    "p_c(1) = c^2-1 < 0 for 0 < c < 1: 1 lies strictly between the zeros, |J| > 1; at c = 1, which "
    "for unit vectors is a = k, the zeros are 0 and 1.",
    "phi^2 = (3+sqrt 5)/2 is a zero of x^2-3x+1, so p_c(phi^2) = 2c(phi^2-1)+c^2 > 0 for c > 0, "
    "and phi^2 > (3-2c)/2: phi^2 is above both zeros, |J| < phi.",
    "|J| falls in c and tends to phi as c -> 0, and c = 2 sqrt(kappa)/(1+kappa) is reached with "
    "kappa -> infinity (the statements kantorovich and layer).",
    "Without positive definiteness c may be negative, and then p_c(phi^2) = c(c+2phi) < 0: |J| > "
    "phi, up to 2 at a = -k.",
    NULL};
static const char *const proof_kantorovich[] = {
    "Let mu_1 <= mu_2 be the ends of A's spectrum. (A-mu_1)(A-mu_2) <= 0 gives |Ak|^2 + mu_1 mu_2 "
    "<= (mu_1+mu_2) k^T A k.",
    "|Ak|^2 + mu_1 mu_2 >= 2 sqrt(mu_1 mu_2) |Ak|: so c >= 2 sqrt(mu_1 mu_2)/(mu_1+mu_2) = 2 "
    "sqrt(kappa)/(1+kappa) (Kantorovich 1948).",
    "Both are equalities for k = (sqrt(mu_2) e_1 + sqrt(mu_1) e_2)/sqrt(mu_1+mu_2), e_i the unit "
    "eigenvectors of mu_i.",
    NULL};
static const char *const proof_layer[] = {
    "W_u = e g^T with e = (1,...,1)/sqrt d and g.k_raw > 0 gives u_t = e/sqrt d for every token: "
    "A_T has the eigenvalues 1/(lambda0+T/d) (e) and 1/lambda0, kappa = 1+T/(d lambda0).",
    "The key of the equality is k = (sqrt(kappa) e + f)/sqrt(1+kappa), f = (1,..,1,-1,..,-1)/sqrt "
    "d (d even): every entry is positive, so k is a vector of normalised ELU+1 features.",
    NULL};
static const char *const proof_radius[] = {
    "det(x-J) = (x-1)^(d-1) (x-1+c) (matrix determinant lemma): eigenvalues 1 (d-1 times) and 1-c.",
    "0 < c <= 1, so |1-c| < 1 and the spectral radius is 1, the eigenvalue 1 having d-1 >= 1 "
    "eigenvectors.",
    NULL};

static const statement statements[] = {
    {"unit-norm", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "The spectral norm of the recurrence's Jacobian I - a k^T is exactly 1 for every sequence.",
     "\\|I-\\hat\\alpha_t\\hat k_t^\\top\\|_2 = 1",
     "|J|^2 = (3-2c+sqrt(5-4c))/2 with c = a.k: 1 iff a = k, else above 1 and below the golden "
     "ratio squared; exactly 1 is the spectral radius.",
     NULL},
    {"norm", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For unit a, k in R^d, d >= 2, c = a.k: |I - a k^T|^2 = (3-2c+sqrt(5-4c))/2.",
     "\\|I-ak^\\top\\|_2^2 = \\tfrac12\\bigl(3-2c+\\sqrt{5-4c}\\bigr)", NULL, proof_norm},
    {"range", STATEMENT_CORRECTED, VERDICT_PROVED,
     "With A positive definite 1 <= |J| < (1+sqrt 5)/2; 1 iff a = k; the upper end is the supremum "
     "and is not attained.",
     "1 \\le \\|J\\|_2 < \\tfrac{1+\\sqrt5}2", NULL, proof_range},
    {"kantorovich", STATEMENT_CORRECTED, VERDICT_PROVED,
     "c >= 2 sqrt(kappa)/(1+kappa), kappa the condition number of A; sharp for every kappa.",
     "c \\ge \\frac{2\\sqrt\\kappa}{1+\\kappa}", NULL, proof_kantorovich},
    {"layer", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The published layer reaches this bound after T tokens with kappa = 1+T/(d lambda0), for "
     "every T and even d: its |J| comes as close to the golden ratio as one likes.",
     "\\kappa = 1+\\frac{T}{d\\lambda_0}", NULL, proof_layer},
    {"radius", STATEMENT_CORRECTED, VERDICT_PROVED,
     "The spectral radius of J is exactly 1: its eigenvalues are 1 (d-1 times) and 1-c.",
     "\\rho(J) = 1", NULL, proof_radius},
    {NULL}};

static const vla_inputs small_penalty = {
    4, 1, 2, "1/10", "1 4 4 4 2 2 3 8", "0 0 0 1 0 0 0 1", "1 1", "-8 -8 -12 51", NULL, 0};
static const vla_inputs large_penalty = {
    4, 1, 1, "10", "2 2 3 8", "4 9 6 6", "1", "38692 149249 58038 -66346", NULL, 0};
static const vla_inputs along_keys = {4,    1, 1, "1/10", "2 2 3 8", "2 2 3 8", "1", "-8 -8 -12 51",
                                      NULL, 0};

#define GAIN "|J x|^2/|x|^2 <= 1"
static const vla_published published = {
    &small_penalty, GAIN, "vla.jacobian-norm.lambda0-tenth", "vla-gain", vla_gain,
    RELATION_LE,    "1"};
static const vla_published published_ten = {
    &large_penalty, GAIN, "vla.jacobian-norm.lambda0-ten", "vla-gain", vla_gain, RELATION_LE, "1"};
static const vla_published parallel = {
    &along_keys, GAIN, "vla.jacobian-norm.parallel", "vla-gain", vla_gain, RELATION_LE, "1"};
static const norm_parameter right = {"0"}, off = {"1/1000"}, golden_off = {"-1/10"};
static const norm_parameter kappa_off = {"1/10"};

static const check checks[] = {{"published",
                                "unit-norm",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                vla_check_published,
                                &published,
                                {1, 1, 1},
                                0.01},
                               {"published-ten",
                                "unit-norm",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                vla_check_published,
                                &published_ten,
                                {1, 1, 1},
                                0.01},
                               {"closed-form",
                                "norm",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                jacobian_norm_check_closed_form,
                                &right,
                                {1, 1, 1},
                                0.01},
                               {"drawn",
                                "norm",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                jacobian_norm_check_drawn,
                                &right,
                                {1, 1, 1},
                                0.02},
                               {"range",
                                "range",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                jacobian_norm_check_range,
                                &right,
                                {1, 1, 1},
                                0.05},
                               {"kantorovich",
                                "kantorovich",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                jacobian_norm_check_kantorovich,
                                &right,
                                {1, 1, 1},
                                0.05},
                               {"growth",
                                "layer",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                jacobian_norm_check_growth,
                                &right,
                                {1, 1, 1},
                                0.1},
                               {"radius",
                                "radius",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                jacobian_norm_check_radius,
                                &right,
                                {1, 1, 1},
                                0.01},
                               {NULL}};

static const control controls[] = {
    {"u-along-k", "published", "u along k, so a = k", &parallel},
    {"u-along-k", "published-ten", "u along k, so a = k", &parallel},
    {"trace-off", "closed-form", "3.001 in place of 3 in the formula", &off},
    {"norm-off", "drawn", "the closed form plus 1/1000", &off},
    {"golden-ratio-off", "range", "the square of the golden ratio less 1/10", &golden_off},
    {"constant-off", "kantorovich", "4.001 in place of 4", &off},
    {"kappa-off", "growth", "kappa larger by 1/10 in the formula", &kappa_off},
    {"eigenvalue-off", "radius", "c + 1/1000 in place of c", &off},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"vla-jacobian-norm", "vla-jacobian-growth", NULL};

const claim claim_vla_jacobian_norm = {"vla.jacobian-norm",
                                       "The norm of the Jacobian",
                                       "VLA, Prop. 2",
                                       hypotheses,
                                       statements,
                                       checks,
                                       controls,
                                       settings,
                                       figures};

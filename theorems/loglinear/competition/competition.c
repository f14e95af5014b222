/* loglinear.competition: softmax over the levels makes them compete, softplus does not.

   Softmax is a rational function of x_i = e^(z_i) > 0, so what it does is an identity or an
   inequality between rational numbers, checked on random positive rationals; only softplus itself
   needs balls. */
#include "theorems/loglinear/competition/competition.h"

static const char *const hypotheses[] = {"softmax: p_i = e^(z_i) / sum_k e^(z_k) over L >= 2 "
                                         "levels; softplus: lambda_i = ln(1 + e^(z_i))",
                                         "logits z_i: any real numbers", NULL};

static const char *const proof_competition[] = {
    "With x = e^z, p_i = x_i/X.  Multiplying x_j by 1+h: p_i becomes (x_i + delta_ij h x_i)/(X + "
    "h x_j), and the secant is p_i (delta_ij - p_j)/(1 + h p_j), an identity in Q(x,h).",
    "h -> 0 with dz_j = ln(1+h): dp_i/dz_j = p_i (delta_ij - p_j), negative for i != j.",
    "For a finite step too: h > 0 enlarges the denominator of every p_i with i != j and nothing "
    "else.",
    NULL};
static const char *const proof_few[] = {
    "The weights are positive and add up to 1: k of them above c give k c < 1, so k < 1/c.",
    "If k c < 1, k equal large logits (the others -> -infinity) give k weights that tend to 1/k > "
    "c.",
    NULL};
static const char *const proof_independent[] = {
    "lambda_i depends on z_i alone: the Jacobian is diagonal, with entries 1/(1+e^(-z_i)) > 0.",
    "softplus maps the real line onto (0, infinity), inverse ln(e^lambda - 1): any positive "
    "weights, level by level.",
    NULL};
static const char *const proof_saturation[] = {"With x = e^z: softplus' = x/(1+x) <= min(1,x), and "
                                               "x/(1+x) >= x(1-x) = x - x^2 since (1-x)(1+x) <= "
                                               "1; for x >= 1, 1 - 1/(1+x) >= 1 - 1/x.",
                                               "p(1-p) = xy/(x+y)^2 with y the sum of the others: "
                                               "at most xy/x^2 = y/x, xy/y^2 = x/y, and 1/4.",
                                               "Tested at x = 10^-9 .. 10^9 and y = 1, 20 in Q.",
                                               NULL};
static const char *const proof_start[] = {
    "Equal logits give p_i = 1/L for every column, and lambda = 1/L scales the outputs of linear "
    "attention by 1/L (loglinear.recurrence).",
    NULL};

static const statement statements[] = {
    {"softmax-competes", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "With softmax, raising one level's logit lowers the weight of every other level: dp_i/dz_j = "
     "-p_i p_j for i != j, dp_j/dz_j = p_j (1-p_j).",
     "\\partial p_i/\\partial z_j = p_i(\\delta_{ij}-p_j)", NULL, proof_competition},
    {"few-above", STATEMENT_CORRECTED, VERDICT_PROVED,
     "With softmax fewer than 1/c levels have a weight above c, and every number of levels below "
     "1/c is possible.",
     "\\#\\{i: p_i>c\\} < 1/c", NULL, proof_few},
    {"softplus-independent", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "Softplus imposes no such constraint: each level scales on its own, and any positive weights "
     "are reached.",
     "\\lambda_i=\\ln(1+e^{z_i}),\\quad z_i=\\ln(e^{\\lambda_i}-1)", NULL, proof_independent},
    {"saturation", STATEMENT_CORRECTED, VERDICT_PROVED,
     "softplus' -> 1 as z -> +infinity and behaves as e^z as z -> -infinity: "
     "min(1,e^z)(1-e^(-|z|)) <= softplus'(z) <= min(1,e^z); softmax's own slope vanishes at both "
     "ends: p(1-p) <= min(x/y, y/x, 1/4), x = e^z, y the sum of the others.",
     "p(1-p)\\le\\min(x/y,\\,y/x,\\,1/4)", NULL, proof_saturation},
    {"start", STATEMENT_CORRECTED, VERDICT_PROVED,
     "At equal logits softmax gives each of L levels 1/L, so its first outputs are those of "
     "linear attention over L, where softplus with its bias gives linear attention itself.",
     "p_i=1/L \\;\\Rightarrow\\; o_t = o_t^{\\mathrm{lin}}/L", NULL, proof_start},
    {"drawn", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "In the table of four levels, one logit at -6, -5.75, ..., 6 and three at -2, 0, 2, the "
     "softmax weights add up to 1.",
     "\\sum_i p_i = 1", NULL, NULL},
    {NULL}};

static const competition_parameter exact = {-1, "1/3", 1, "1", 0};
static const competition_parameter softplus = {-1, "1/3", 0, "1", 0};
static const competition_parameter other_sign = {1, "1/3", 1, "1", 0};
static const competition_parameter lowered = {-1, "-1/3", 1, "1", 0};
static const competition_parameter half = {-1, "1/3", 1, "1/2", 0};
static const competition_parameter uneven = {-1, "1/3", 1, "1", 1};

static const check checks[] = {{"jacobian",
                                "softmax-competes",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                competition_check_jacobian,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"raise",
                                "softmax-competes",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                competition_check_raise,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"few",
                                "few-above",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                competition_check_few,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"independent",
                                "softplus-independent",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                competition_check_independent,
                                &softplus,
                                {1, 1, 1},
                                0.01},
                               {"saturation",
                                "saturation",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                competition_check_saturation,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"start",
                                "start",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                competition_check_start,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"drawn",
                                "drawn",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                competition_check_drawn,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {NULL}};

static const control controls[] = {
    {"other-sign", "jacobian", "+p_i p_j in place of -p_i p_j", &other_sign},
    {"lowered", "raise", "the level is lowered", &lowered},
    {"not-normalised", "few", "weights not divided by their sum", &softplus},
    {"softmax", "independent", "softmax in place of softplus", &exact},
    {"half-the-bound", "saturation", "half the bound of p(1-p)", &half},
    {"one-logit-differs", "start", "one logit ln 2 in place of 0", &uneven},
    {"one-level-left-out", "drawn", "the sum of three of the four weights", &uneven},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"loglinear-competition", NULL};

const claim claim_loglinear_competition = {"loglinear.competition",
                                           "Softmax competes, softplus does not",
                                           "Adaptive memory decay, activation",
                                           hypotheses,
                                           statements,
                                           checks,
                                           controls,
                                           settings,
                                           figures};

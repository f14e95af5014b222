/* experiments.lag-retrieval: does a power-law memory win by its shape, by tuning, or by the law of lags?

   A memory sum_lag w_lag k v^T gives the label at lag l back with signal w_l against interference of
   variance |w|^2/(dV): the best w depends on the law p of the lags (lag_optimum).  Under Zipf lags it is
   nearly level and then cut off, not a power law; for uniform lags no lag is to be preferred. */
#include "theorems/experiments/experiments.h"
#include "theorems/experiments/lag/lag.h"

static const char *const hypotheses[] = {
    "every token: a key of random signs +-1/sqrt(d) and one of V labels (one-hot values); the last "
    "position reads with the key of the token at a random lag, arg max over the labels (chance "
    "1/V)",
    "lags 1 to T-1, chance proportional to 1/lag (Zipf) or all alike (uniform); as many reads from "
    "lags <= 100, <= 1000 and beyond, weighted by the law for the whole",
    "T = 2048, V = 64, d = 128; at level full also T = 16384, V = 128, d = 256; equal state: d "
    "such that "
    "the state has no more floats than one matrix of that size",
    "each memory's numbers fitted by the cross-entropy of the reads on training sequences (BFGS; "
    "for the "
    "delta rule and VLA Brent's method), the readout's scale with them; then measured on others",
    "the sequence is the observation; Student's 99% intervals, decisions of one check together 99% "
    "(Bonferroni), with confidence fixed beforehand and directions from a pilot with other draws; "
    "differences on the same sequences",
    "the text trained whole models; its label alphabet, widths and time constants are not known",
    NULL};

#define LIST(name) static const lag_comparison name[]
#define ABOVE(label, first, second, bucket, gap)                                                   \
    { label, ROW_##first, ROW_##second, bucket, gap, 0 }
#define BELOW(label, first, second, bucket, gap)                                                   \
    { label, ROW_##first, ROW_##second, bucket, gap, 1 }
#define LAST                                                                                       \
    { NULL }
enum { FAR = 2, ALL = LAG_BUCKETS };

LIST(zipf_long) = {ABOVE("lag > 1000: power law above one exponential", POWER, ONE, FAR, 0.02),
                   LAST};
LIST(zipf_keys) = {
    ABOVE("all lags: five exponentials (9 numbers) above the power law", FIVE, POWER, ALL, 0),
    ABOVE("all lags: five log-spaced (1 number) above the power law", FIVE_TIED, POWER, ALL, 0),
    ABOVE("all lags: the optimum for the law above the power law", OPTIMUM, POWER, ALL, 0),
    ABOVE("all lags: power law above order 0.5, untuned", POWER, POWER_UNTUNED, ALL, 0),
    ABOVE("lag > 1000: no decay above the power law", NONE, POWER, FAR, 0),
    LAST};
LIST(gap) = {ABOVE("lag > 1000: power law above a sum of five exponentials by 0.02", POWER,
                   POWER_SOE5, FAR, 0.02),
             LAST};
LIST(gap_one) = {
    ABOVE("lag > 1000: power law above one exponential by 0.02", POWER, ONE, FAR, 0.02), LAST};
LIST(structural) = {
    ABOVE("lag > 1000: power law above one exponential by 0.02", POWER, ONE, FAR, 0.02), LAST};
LIST(structural_untuned) = {ABOVE("lag > 1000: power law above an exponential of time constant 100 "
                                  "by 0.02",
                                  POWER, ONE_UNTUNED, FAR, 0.02),
                            LAST};
LIST(uniform_keys) = {
    BELOW("all lags: power law above one exponential by less than 0.02", POWER, ONE, ALL, 0.02),
    BELOW("all lags: one exponential above the power law by less than 0.02", ONE, POWER, ALL, 0.02),
    BELOW("all lags: power law above no decay by less than 0.02", POWER, NONE, ALL, 0.02),
    BELOW("all lags: the optimum above no decay by less than 0.02", OPTIMUM, NONE, ALL, 0.02),
    ABOVE("lag > 1000: one exponential above one of time constant 100", ONE, ONE_UNTUNED, FAR,
          0.02),
    ABOVE("all lags: no decay above chance by 0.02", NONE, CHANCE, ALL, 0.02),
    LAST};
LIST(zipf_state) = {
    ABOVE("all lags: one exponential above the power law's sum", ONE, POWER_SOE, ALL, 0.05),
    ABOVE("all lags: one exponential above five exponentials", ONE, FIVE, ALL, 0.05),
    ABOVE("all lags: one exponential above log-linear attention", ONE, LEVELS, ALL, 0.05), LAST};
LIST(uniform_state) = {
    ABOVE("all lags: one exponential above five log-spaced", ONE, FIVE_TIED, ALL, 0.02),
    ABOVE("all lags: no decay above log-linear attention", NONE, LEVELS, ALL, 0.02), LAST};

LIST(zipf_far) = {
    ABOVE("lag > 1000: one exponential above the power law", ONE, POWER, FAR, 0),
    ABOVE("all lags: one exponential above the power law", ONE, POWER, ALL, 0),
    ABOVE("lag > 1000: power law above one of order 0.5, untuned", POWER, POWER_UNTUNED, FAR, 0),
    LAST};
LIST(uniform_far) = {
    BELOW("lag > 1000: power law above one exponential by less than 0.02", POWER, ONE, FAR, 0.02),
    BELOW("lag > 1000: one exponential above the power law by less than 0.02", ONE, POWER, FAR,
          0.02),
    BELOW("lag > 1000: power law above no decay by less than 0.02", POWER, NONE, FAR, 0.02),
    ABOVE("lag > 1000: one exponential above one of time constant 100", ONE, ONE_UNTUNED, FAR,
          0.02),
    LAST};

/* A check's parameter, and its control's: answers drawn anew. */
#define PARAMETERS(list, law, footing, size, all)                                                  \
    static const lag_parameter list##_parameter = {LAW_##law, FOOTING_##footing,                   \
                                                   list,      SIZE_##size,                         \
                                                   all,       1,                                   \
                                                   0},                                             \
                               list##_shuffled = {                                                 \
                                   LAW_##law, FOOTING_##footing, list, SIZE_##size, 0, 0, 1}
static const lag_parameter zipf_long_parameter = {LAW_ZIPF,  FOOTING_KEYS,
                                                  zipf_long, SIZE_SHORT,
                                                  0,         0,
                                                  0},
                           zipf_long_shuffled = {
                               LAW_ZIPF, FOOTING_KEYS, zipf_long, SIZE_SHORT, 0, 0, 1};
PARAMETERS(zipf_keys, ZIPF, KEYS, SHORT, 1);
PARAMETERS(zipf_state, ZIPF, STATE, SHORT, 1);
PARAMETERS(zipf_far, ZIPF, KEYS, LONG, 0);
PARAMETERS(uniform_keys, UNIFORM, KEYS, SHORT, 1);
PARAMETERS(uniform_state, UNIFORM, STATE, SHORT, 1);
PARAMETERS(uniform_far, UNIFORM, KEYS, LONG, 0);
static const lag_parameter
    gap_parameter = {LAW_ZIPF, FOOTING_KEYS, gap, SIZE_SHORT, 0, 0, 0},
    gap_elsewhere = {LAW_ZIPF, FOOTING_KEYS, gap_one, SIZE_SHORT, 0, 0, 0},
    structural_parameter = {LAW_UNIFORM, FOOTING_KEYS, structural, SIZE_SHORT, 0, 0, 0},
    structural_elsewhere = {LAW_UNIFORM, FOOTING_KEYS, structural_untuned, SIZE_SHORT, 0, 0, 0};

static const statement statements[] = {
    {"zipf-long", STATEMENT_PUBLISHED, VERDICT_MEASURED,
     "Zipf lags, beyond 1000: the power law is above the exponential (the text: 79.4% against "
     "52.3%).",
     "p_\\ell\\propto 1/\\ell",
     "So it is for T = 2048 between memories fitted to the whole law, one number each, equal keys "
     "(0.19 "
     "against 0.06): a trade, not a gain, for no decay has 0.36 there and over the whole law the "
     "power law "
     "is below (zipf-keys). For T = 16384 it is the other way round: 0.13 against 0.18 (zipf-far).",
     NULL},
    {"zipf-gap", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "A mixture of five exponentials does not close the gap to the power law at lags beyond 1000 "
     "(61.8% "
     "against 79.4%), in accordance with the lower bound on mixtures.",
     "T\\to\\infty",
     "The best sum of five exponentials is within 1% of the fitted power law at every lag "
     "(certified; see the table) and reads the same labels. The lower bound is about T to "
     "infinity. Five exponentials "
     "fitted to the task depart from the power law because that is better for the whole law.",
     NULL},
    {"zipf-keys", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "T = 2048, Zipf lags, equal keys: over the whole law five exponentials, with nine fitted "
     "numbers and "
     "with one, "
     "are above the fitted power law, and so is the optimum for the law; the fitted power law is "
     "above "
     "the untuned one of order 1/2; beyond lag 1000 no decay is above them.",
     "p_\\ell\\propto 1/\\ell", NULL, NULL},
    {"structural", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "With uniform lags the power law is above the exponential at lags beyond 1000 (82.7% against "
     "58.4%): its advantage is structural, not of the lags' law.",
     "p_\\ell = 1/(T-1)",
     "Fitted, both become no decay (order 1, time constant infinite) and are the same; an "
     "exponential left at time constant 100 is far below: that gap is tuning.",
     NULL},
    {"uniform-keys", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "T = 2048, uniform lags, equal keys: the fitted power law, the fitted exponential, no decay "
     "and the "
     "optimum for "
     "the law are within 0.02 of each other; a time constant of 100 is below the fitted one.",
     "p_\\ell = 1/(T-1)", NULL, NULL},
    {"zipf-state", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "T = 2048, Zipf lags, equal state: one exponential, with keys as long as the state allows, is "
     "above the "
     "power "
     "law's sum of exponentials, five exponentials and log-linear attention by 0.05: each further "
     "mode "
     "costs the keys their length.",
     "S\\,d\\,V", NULL, NULL},
    {"uniform-state", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "T = 2048, uniform lags, equal state: one exponential is above five log-spaced ones, and no "
     "decay above "
     "log-linear attention, by 0.02.",
     "S\\,d\\,V", NULL, NULL},
    {"zipf-far", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "T = 16384, Zipf lags, equal keys: the fitted exponential is above the fitted power law over "
     "the "
     "whole law and at lags beyond 1000; the fitted power law is above the untuned one of order "
     "1/2 there.",
     "T = 16384", NULL, NULL},
    {"uniform-far", STATEMENT_CORRECTED, VERDICT_MEASURED,
     "T = 16384, uniform lags, equal keys, lags beyond 1000: the fitted power law is within 0.02 "
     "of the "
     "fitted exponential and not 0.02 above no decay; a time constant of 100 is below the fitted "
     "one.",
     "T = 16384", NULL, NULL},
    {NULL}};

#define CHECK(name, verdict, parameter, from, cost)                                                \
    {                                                                                              \
        name, name, VERDICT_##verdict, EVIDENCE_STATISTIC, LEVEL_##from, lag_check, parameter,     \
            {1, 1, 1}, cost                                                                        \
    }
static const check checks[] = {
    CHECK("zipf-long", MEASURED, &zipf_long_parameter, QUICK, 2),
    CHECK("zipf-gap", REFUTED, &gap_parameter, QUICK, 2),
    CHECK("zipf-keys", MEASURED, &zipf_keys_parameter, QUICK, 12),
    CHECK("structural", REFUTED, &structural_parameter, QUICK, 3),
    CHECK("uniform-keys", MEASURED, &uniform_keys_parameter, QUICK, 12),
    CHECK("zipf-state", MEASURED, &zipf_state_parameter, QUICK, 10),
    CHECK("uniform-state", MEASURED, &uniform_state_parameter, QUICK, 10),
    CHECK("zipf-far", MEASURED, &zipf_far_parameter, FULL, 200),
    CHECK("uniform-far", MEASURED, &uniform_far_parameter, FULL, 200),
    {NULL}};

#define SHUFFLED(check) "labels-shuffled", check, "the answers drawn anew before they are compared"
static const control controls[] = {
    {SHUFFLED("zipf-long"), &zipf_long_shuffled},
    {"one-exponential", "zipf-gap", "one fitted exponential in place of the sum of five",
     &gap_elsewhere},
    {SHUFFLED("zipf-keys"), &zipf_keys_shuffled},
    {"untuned", "structural", "an exponential of time constant 100, not fitted",
     &structural_elsewhere},
    {SHUFFLED("uniform-keys"), &uniform_keys_shuffled},
    {SHUFFLED("zipf-state"), &zipf_state_shuffled},
    {SHUFFLED("uniform-state"), &uniform_state_shuffled},
    {SHUFFLED("zipf-far"), &zipf_far_shuffled},
    {SHUFFLED("uniform-far"), &uniform_far_shuffled},
    {NULL}};
static const setting settings[] = {{NULL}};
static const char *const figures[] = {"experiments-lags", "experiments-kernels", NULL};

const claim claim_experiments_lag_retrieval = {
    "experiments.lag-retrieval",
    "Zipf-lag retrieval, and label copy with uniform lags",
    "VORT, experiments 1 and 2",
    hypotheses,
    statements,
    checks,
    controls,
    settings,
    figures,
    1};

/* vort.softmax-decay: does attention itself decay with distance (VORT's premise)?

   Weights of a query q on keys k_0, k_1, ... by lag: p_j = e^(q.k_j) / sum_i e^(q.k_i).  Scores are
   taken in Q, so that "equal" means equal. */
#include "numerics/exact/number.h"
#include "theorems/vort/common.h"

enum { KEYS = 12, DIM = 3 };

typedef struct {
    const char *bias;  /* score of lag j is lowered by bias * j (0) */
    const char *scale; /* the profile that is wanted, times this (1) */
} softmax_parameter;

/* score[j] = q.k_j - bias j */
static void scores(fmpq *score, const fmpq *q, const fmpq *k, const char *bias) {
    fmpq_t b;
    fmpz_t lag;
    fmpq_init(b);
    fmpz_init(lag);
    for (slong j = 0; j < KEYS; j++) {
        vort_rational(b, bias);
        fmpz_set_si(lag, j);
        fmpq_mul_fmpz(b, b, lag);
        fmpq_neg(score + j, b);
        for (slong i = 0; i < DIM; i++)
            fmpq_addmul(score + j, q + i, k + j * DIM + i);
    }
    fmpq_clear(b);
    fmpz_clear(lag);
}

static void softmax(arb_ptr p, arb_srcptr score, slong n, slong prec) {
    arb_t sum;
    arb_init(sum);
    for (slong j = 0; j < n; j++) {
        arb_exp(p + j, score + j, prec);
        arb_add(sum, sum, p + j, prec);
    }
    for (slong j = 0; j < n; j++)
        arb_div(p + j, p + j, sum, prec);
    arb_clear(sum);
}

/* Equal keys: "the weight at lag j is at most (99/100)^j of that at lag 0". */
static void check_decay(check_context *ctx, const void *parameter) {
    const softmax_parameter *p = parameter;
    fmpq *q = _fmpq_vec_init(DIM), *k = _fmpq_vec_init(KEYS * DIM), *score = _fmpq_vec_init(KEYS);
    fmpq_t difference;
    enclosure_t ratio, limit;
    arb_t x;
    fmpq_init(difference);
    enclosure_init(ratio);
    enclosure_init(limit);
    arb_init(x);
    for (slong i = 0; i < DIM; i++) {
        fmpq_set_si(q + i, i + 1, 2);
        for (slong j = 0; j < KEYS; j++)
            fmpq_set_si(k + j * DIM + i, 2 * i - 1, 3);
    }
    scores(score, q, k, p->bias);
    for (slong j = 1; j < KEYS; j++) {
        fmpq_sub(difference, score + j, score);
        if (fmpq_is_zero(difference)) {
            enclosure_set_integer(ratio, 1);
        } else {
            arb_set_fmpq(x, difference, ctx->prec);
            arb_exp(x, x, ctx->prec);
            enclosure_set_ball(ratio, x);
        }
        fmpq_set_si(difference, 99, 100);
        fmpq_pow_si(difference, difference, j);
        enclosure_set_rational(limit, difference);
        truth t = claim_decide(ctx, "p_j <= (99/100)^j p_0", ratio, RELATION_LE, limit);
        if (t == TRUTH_FAILS && j == KEYS - 1) {
            witness_struct *w =
                claim_witness(ctx, "vort.softmax-decay.equal-keys", "softmax-ratio");
            enclosure_set_integer(limit, 1);
            witness_add(w, "query", q, DIM);
            witness_add(w, "near", k, DIM);
            witness_add(w, "far", k + j * DIM, DIM);
            witness_conclude(w, ratio, RELATION_EQ, limit, 64);
        }
    }
    fmpq_clear(difference);
    enclosure_clear(ratio);
    enclosure_clear(limit);
    arb_clear(x);
    _fmpq_vec_clear(q, DIM);
    _fmpq_vec_clear(k, KEYS * DIM);
    _fmpq_vec_clear(score, KEYS);
}

/* Random keys in random order: a key's score, and with it e^score over the same sum, is the same at
   every lag that the order gives it. */
static void check_key_alone(check_context *ctx, const void *parameter) {
    const softmax_parameter *p = parameter;
    fmpq *q = _fmpq_vec_init(DIM), *k = _fmpq_vec_init(KEYS * DIM),
         *moved = _fmpq_vec_init(KEYS * DIM), *score = _fmpq_vec_init(KEYS),
         *again = _fmpq_vec_init(KEYS);
    exact_random r = {ctx->seed};
    for (int trial = 0; trial < 20; trial++) {
        slong at[KEYS];
        for (slong i = 0; i < DIM; i++)
            exact_random_rational(q + i, &r, 9);
        for (slong i = 0; i < KEYS * DIM; i++)
            exact_random_rational(k + i, &r, 9);
        for (slong j = 0; j < KEYS; j++) { /* Fisher and Yates */
            slong i = exact_random_integer(&r, 0, j);
            at[j] = at[i];
            at[i] = j;
        }
        for (slong j = 0; j < KEYS; j++)
            for (slong i = 0; i < DIM; i++)
                fmpq_set(moved + at[j] * DIM + i, k + j * DIM + i);
        scores(score, q, k, p->bias);
        scores(again, q, moved, p->bias);
        for (slong j = 0; j < KEYS; j++)
            claim_decide_fmpq(ctx, "a key's score does not depend on its lag", again + at[j],
                              RELATION_EQ, score + j);
    }
    _fmpq_vec_clear(q, DIM);
    _fmpq_vec_clear(k, KEYS * DIM);
    _fmpq_vec_clear(moved, KEYS * DIM);
    _fmpq_vec_clear(score, KEYS);
    _fmpq_vec_clear(again, KEYS);
}

/* Scores ln p_j give the weights p_j: rising, power-law, and exponential profiles of sum 1. */
static void check_profile(check_context *ctx, const void *parameter) {
    const softmax_parameter *p = parameter;
    slong prec = ctx->prec;
    fmpq *profile = _fmpq_vec_init(KEYS);
    fmpq_t sum, scale;
    arb_ptr score = _arb_vec_init(KEYS), weight = _arb_vec_init(KEYS);
    arb_t wanted;
    fmpq_init(sum);
    fmpq_init(scale);
    arb_init(wanted);
    for (int kind = 0; kind < 3; kind++) {
        fmpq_zero(sum);
        for (slong j = 0; j < KEYS; j++) {
            if (kind == 0)
                fmpq_set_si(profile + j, j + 1, 1);
            else if (kind == 1)
                fmpq_set_si(profile + j, 1, (ulong)j + 1);
            else
                fmpq_set_si(profile + j, 1, 1UL << j);
            fmpq_add(sum, sum, profile + j);
        }
        vort_rational(scale, p->scale);
        for (slong j = 0; j < KEYS; j++) {
            fmpq_div(profile + j, profile + j, sum);
            arb_set_fmpq(score + j, profile + j, prec);
            arb_log(score + j, score + j, prec);
        }
        softmax(weight, score, KEYS, prec);
        for (slong j = 0; j < KEYS; j++) {
            fmpq_mul(sum, profile + j, scale);
            arb_set_fmpq(wanted, sum, prec);
            claim_two_paths(ctx, "weights of scores ln p_j = p_j", weight + j, wanted, 60);
        }
    }
    fmpq_clear(sum);
    fmpq_clear(scale);
    arb_clear(wanted);
    _fmpq_vec_clear(profile, KEYS);
    _arb_vec_clear(score, KEYS);
    _arb_vec_clear(weight, KEYS);
}

/* The mean weight at each lag over all shifts of a random set of keys is 1/n. */
static void check_mean(check_context *ctx, const void *parameter) {
    const softmax_parameter *p = parameter;
    enum { TWICE_AROUND = 2 * KEYS * DIM };
    slong prec = ctx->prec;
    fmpq *q = _fmpq_vec_init(DIM), *k = _fmpq_vec_init(TWICE_AROUND), *score = _fmpq_vec_init(KEYS);
    arb_ptr ball = _arb_vec_init(KEYS), weight = _arb_vec_init(KEYS), mean = _arb_vec_init(KEYS);
    arb_t wanted;
    exact_random r = {ctx->seed};
    arb_init(wanted);
    arb_one(wanted);
    arb_div_si(wanted, wanted, KEYS, prec);
    for (slong i = 0; i < DIM; i++)
        exact_random_rational(q + i, &r, 5);
    for (slong i = 0; i < KEYS * DIM; i++) {
        exact_random_rational(k + i, &r, 5);
        fmpq_set(k + KEYS * DIM + i, k + i);
    }
    for (slong shift = 0; shift < KEYS; shift++) {
        scores(score, q, k + shift * DIM, p->bias);
        for (slong j = 0; j < KEYS; j++)
            arb_set_fmpq(ball + j, score + j, prec);
        softmax(weight, ball, KEYS, prec);
        for (slong j = 0; j < KEYS; j++)
            arb_add(mean + j, mean + j, weight + j, prec);
    }
    for (slong j = 0; j < KEYS; j++) {
        arb_div_si(mean + j, mean + j, KEYS, prec);
        claim_two_paths(ctx, "mean weight at each lag = 1/n", mean + j, wanted, 60);
    }
    arb_clear(wanted);
    _fmpq_vec_clear(q, DIM);
    _fmpq_vec_clear(k, TWICE_AROUND);
    _fmpq_vec_clear(score, KEYS);
    _arb_vec_clear(ball, KEYS);
    _arb_vec_clear(weight, KEYS);
    _arb_vec_clear(mean, KEYS);
}

static const char *const hypotheses[] = {
    "softmax attention without positional terms: p_j = e^(q.k_j)/sum_i e^(q.k_i), j the lag", NULL};

static const char *const proof_key_alone[] = {"The score q.k_j is a function of the query and the "
                                              "key; the sum over all keys does not depend on "
                                              "their order.",
                                              "So permuting the past permutes the weights with the "
                                              "keys: equal keys have equal weights at every "
                                              "lag.",
                                              NULL};
static const char *const proof_profile[] = {
    "Take q = e_1 and keys with first coordinate ln p_j: e^(q.k_j) = p_j, and the sum is 1.", NULL};
static const char *const proof_mean[] = {"If the keys are exchangeable given the query, permuting "
                                         "them leaves their law as it is, and permutes "
                                         "the weights: E p_j is the same for every j.",
                                         "The weights sum to 1, so E p_j = 1/n. For a fixed set of "
                                         "keys the mean over its cyclic shifts is "
                                         "already 1/n: every key visits every lag once.",
                                         NULL};

static const statement statements[] = {
    {"decay", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "Attention imposes a near-exponential decay with distance on the influence of a token.",
     "p_j \\le C r^j,\\ r<1",
     "Softmax attention decays with distance only as far as its positional terms make it: without "
     "them a "
     "token's weight depends on its key alone, and equal keys weigh the same at every lag.",
     NULL},
    {"key-alone", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Without positional terms the softmax weights follow the keys under every permutation of the "
     "past.",
     "p_{\\pi(j)}(k\\circ\\pi^{-1}) = p_j(k)", NULL, proof_key_alone},
    {"any-profile", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Every positive profile of weights over the lags with sum 1, rising ones included, is the "
     "softmax of "
     "some keys.",
     "q\\cdot k_j = \\ln p_j", NULL, proof_profile},
    {"mean", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For exchangeable keys the mean weight is 1/n at every one of the n lags: no decay at all.",
     "E\\,p_j = 1/n", NULL, proof_mean},
    {NULL}};

static const softmax_parameter plain = {"0", "1"}, biased = {"1/10", "1"}, doubled = {"0", "11/10"};

static const check checks[] = {{"equal-keys",
                                "decay",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_decay,
                                &plain,
                                {1, 1, 1},
                                0.01},
                               {"permuted",
                                "key-alone",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_key_alone,
                                &plain,
                                {1, 1, 1},
                                0.01},
                               {"profile",
                                "any-profile",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_profile,
                                &plain,
                                {1, 1, 1},
                                0.01},
                               {"mean",
                                "mean",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_mean,
                                &plain,
                                {1, 1, 1},
                                0.01},
                               {NULL}};

static const control controls[] = {
    {"linear-bias", "equal-keys", "a positional term: a tenth less score a lag", &biased},
    {"linear-bias", "permuted", "a positional term: a tenth less score a lag", &biased},
    {"tenth-more", "profile", "weights a tenth larger", &doubled},
    {"linear-bias", "mean", "a positional term: a tenth less score a lag", &biased},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_vort_softmax_decay = {"vort.softmax-decay",
                                        "Attention and distance",
                                        "VORT, Sec. 1",
                                        hypotheses,
                                        statements,
                                        checks,
                                        controls,
                                        settings,
                                        figures};

/* vla.deltanet-gate: what the delta rule does to its state, S' = S (I - beta k k^T) + beta v k^T ("a
   scalar gate decays the state uniformly"). */
#include "numerics/exact/number.h"
#include "theorems/vla/common.h"

typedef struct {
    const char *gate; /* S' = gate S (I - beta k k^T) + beta v k^T; 1 is the delta rule */
    const char *beta;
} gate_parameter;

/* after := S' x for S [m][d] by its rows */
static void read_after(fmpq *after, const fmpq *s, const fmpq *k, const fmpq *v, const fmpq *x,
                       const fmpq_t gate, const fmpq_t beta, slong m, slong d) {
    fmpq_t kx, sk;
    fmpq_init(kx);
    fmpq_init(sk);
    vla_dot(kx, k, x, d);
    fmpq_mul(kx, kx, beta);
    for (slong i = 0; i < m; i++) {
        vla_dot(sk, s + i * d, k, d);
        vla_dot(after + i, s + i * d, x, d);
        fmpq_submul(after + i, sk, kx);
        fmpq_mul(after + i, after + i, gate);
        fmpq_addmul(after + i, v + i, kx);
    }
    fmpq_clear(kx);
    fmpq_clear(sk);
}

/* The published decay at S = ((3,1),(1,2)), k = (3,4)/5 (strictly positive), beta = 1/2, x = (4,-3). */
static void check_uniform(check_context *ctx, const void *parameter) {
    const gate_parameter *p = parameter;
    enum { D = 2 };
    static const int entries[] = {3, 1, 1, 2}, test[] = {4, -3}, features[] = {3, 4};
    fmpq *s = _fmpq_vec_init(4), *k = _fmpq_vec_init(2), *v = _fmpq_vec_init(2),
         *x = _fmpq_vec_init(2), *y = _fmpq_vec_init(2), *w = _fmpq_vec_init(2);
    fmpq_t gate, beta, before, after, zero;
    enclosure_t lhs, rhs;
    fmpq *temporary[] = {gate, beta, before, after, zero};
    for (int i = 0; i < 5; i++)
        fmpq_init(temporary[i]);
    enclosure_init(lhs);
    enclosure_init(rhs);
    for (int i = 0; i < 4; i++)
        fmpq_set_si(s + i, entries[i], 1);
    for (int i = 0; i < D; i++) {
        fmpq_set_si(x + i, test[i], 1);
        fmpq_set_si(w + i, features[i], 1);
        fmpq_set_si(k + i, features[i], 5);
        fmpq_set_si(v + i, 1, 1);
    }
    vla_rational(gate, p->gate);
    vla_rational(beta, p->beta);
    for (int i = 0; i < D; i++) {
        vla_dot(y + i, s + i * D, x, D);
        fmpq_addmul(before, y + i, y + i);
    }
    read_after(y, s, k, v, x, gate, beta, D, D);
    vla_dot(after, y, y, D);
    if (claim_decide_fmpq(ctx, "|S' x| < |S x|", after, RELATION_LT, before) == TRUTH_FAILS) {
        witness_struct *out = claim_witness(ctx, "vla.deltanet-gate.orthogonal", "delta-gate");
        witness_add(out, "keys", w, D);
        witness_add(out, "state", s, D * D);
        witness_add(out, "values", v, D);
        witness_add(out, "beta", beta, 1);
        witness_add(out, "test", x, D);
        fmpq_sub(after, after, before);
        enclosure_set_rational(lhs, after);
        enclosure_set_rational(rhs, zero);
        witness_conclude(out, lhs, RELATION_EQ, rhs, 64);
    }
    for (int i = 0; i < 5; i++)
        fmpq_clear(temporary[i]);
    enclosure_clear(lhs);
    enclosure_clear(rhs);
    _fmpq_vec_clear(s, 4);
    _fmpq_vec_clear(k, 2);
    _fmpq_vec_clear(v, 2);
    _fmpq_vec_clear(x, 2);
    _fmpq_vec_clear(y, 2);
    _fmpq_vec_clear(w, 2);
}

/* Random S, k, v, beta: S' x = S x for x orthogonal to k, S' k = (1-beta) S k + beta v. */
static void check_directions(check_context *ctx, const void *parameter) {
    const gate_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t gate, beta, q;
    fmpq_init(gate);
    fmpq_init(beta);
    fmpq_init(q);
    vla_rational(gate, p->gate);
    for (slong d = 2; d <= 5; d++)
        for (slong m = 1; m <= 3; m++) {
            fmpq *s = _fmpq_vec_init(m * d), *v = _fmpq_vec_init(m), *after = _fmpq_vec_init(m);
            fmpq_mat_t frame;
            fmpq_mat_init(frame, d, d);
            vla_random_frame(frame, &r, 6);
            for (slong i = 0; i < m * d; i++)
                exact_random_rational(s + i, &r, 9);
            for (slong i = 0; i < m; i++)
                exact_random_rational(v + i, &r, 9);
            exact_random_rational(beta, &r, 9);
            const fmpq *k = fmpq_mat_entry(frame, 0, 0);
            for (slong j = 0; j < d; j++) {
                const fmpq *x = fmpq_mat_entry(frame, j, 0);
                read_after(after, s, k, v, x, gate, beta, m, d);
                for (slong i = 0; i < m; i++) {
                    vla_dot(q, s + i * d, x, d);
                    if (j == 0) { /* q - beta (q - v) */
                        fmpq_t change;
                        fmpq_init(change);
                        fmpq_sub(change, v + i, q);
                        fmpq_addmul(q, beta, change);
                        fmpq_clear(change);
                    }
                    claim_decide_fmpq(ctx,
                                      j == 0 ? "S' k = (1-beta) S k + beta v"
                                             : "S' x = S x for x orthogonal to k",
                                      after + i, RELATION_EQ, q);
                }
            }
            fmpq_mat_clear(frame);
            _fmpq_vec_clear(s, m * d);
            _fmpq_vec_clear(v, m);
            _fmpq_vec_clear(after, m);
        }
    fmpq_clear(gate);
    fmpq_clear(beta);
    fmpq_clear(q);
}

static const char *const hypotheses[] = {
    "DeltaNet without a decay gate: S' = S (I - beta k k^T) + beta v k^T, |k| = 1",
    "uniform decay: |S' x| < |S x| wherever S x is not 0 and nothing is written along x", NULL};

static const char *const proof_directions[] = {
    "(I - beta k k^T) x = x - beta k (k.x) and beta v k^T x = beta v (k.x): both changes vanish "
    "for k.x = 0.",
    "At x = k with |k| = 1: S' k = (1-beta) S k + beta v.",
    "With a gate g in front of S, S' x = g S x there: only that gate (gated DeltaNet) is uniform.",
    NULL};

static const statement statements[] = {
    {"uniform-decay", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "DeltaNet's scalar gate decays the state uniformly, without directional selectivity.",
     "\\|S'x\\| < \\|Sx\\| \\text{ for every } x \\text{ with } Sx\\ne0",
     "The delta rule changes the state along k alone and leaves the whole of k's orthogonal "
     "complement as it was.",
     NULL},
    {"directions", STATEMENT_CORRECTED, VERDICT_PROVED,
     "S' x = S x for every x orthogonal to k, and S' k = (1-beta) S k + beta v.",
     "S'x = Sx\\ (x\\perp k),\\quad S'k = (1-\\beta)Sk+\\beta v", NULL, proof_directions},
    {NULL}};

static const gate_parameter delta = {"1", "1/2"}, gated = {"9/10", "1/2"};

static const check checks[] = {{"published",
                                "uniform-decay",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_uniform,
                                &delta,
                                {1, 1, 1},
                                0.01},
                               {"directions",
                                "directions",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_directions,
                                &delta,
                                {1, 1, 1},
                                0.02},
                               {NULL}};

static const control controls[] = {
    {"decay-gate", "published", "a gate 9/10 in front of the state (gated DeltaNet)", &gated},
    {"decay-gate", "directions", "a gate 9/10 in front of the state", &gated},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_vla_deltanet_gate = {"vla.deltanet-gate",
                                       "The delta rule is selective",
                                       "VLA, Secs. 1, 4",
                                       hypotheses,
                                       statements,
                                       checks,
                                       controls,
                                       settings,
                                       figures};

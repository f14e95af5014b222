/* vort.markov: each exponential mode has an exact one-step recurrence (VORT, Sec. 3), and what it
   costs. */
#include "numerics/exact/modes.h"
#include "numerics/exact/number.h"
#include "theorems/vort/common.h"

typedef struct {
    int late;          /* the control reads the kernel one lag too far: sum c x^(j+1) */
    slong extra_modes; /* added to S in the count that is claimed */
    int rotate_banks;  /* the double sum takes the next token's bank */
} markov_parameter;

enum { STEPS = 24, WIDTH = 3, MODES = 4, KEYS = 3, BANKS = 2 };

static void fill(fmpq *v, slong n, exact_random *r) {
    for (slong i = 0; i < n; i++)
        exact_random_rational(v + i, r, 9);
}

static void decide_equal(check_context *ctx, const char *label, const fmpq *a, const fmpq *b,
                         slong n) {
    for (slong i = 0; i < n; i++)
        claim_decide_fmpq(ctx, label, a + i, RELATION_EQ, b + i);
}

/* y by its recurrence against the convolution with sum_s c_s x_s^j: random modes, weights, inputs.
   Then the step that makes it a proof: one mode, one impulse, x in more points than the degree. */
static void check_recurrence(check_context *ctx, const void *parameter) {
    const markov_parameter *p = parameter;
    fmpq *v = _fmpq_vec_init(STEPS * WIDTH), *y = _fmpq_vec_init(STEPS * WIDTH),
         *z = _fmpq_vec_init(STEPS * WIDTH), *c = _fmpq_vec_init(MODES), *x = _fmpq_vec_init(MODES),
         *kernel = _fmpq_vec_init(STEPS + 1);
    modes_operations ops;
    exact_random r = {ctx->seed};
    for (int trial = 0; trial < 4; trial++) {
        fill(v, STEPS * WIDTH, &r);
        fill(c, MODES, &r);
        fill(x, MODES, &r);
        exact_modes_recurrence(y, v, c, x, STEPS, WIDTH, MODES, &ops);
        exact_modes_kernel(kernel, c, x, MODES, STEPS + 1);
        exact_modes_convolution(z, v, kernel + p->late, STEPS, WIDTH);
        decide_equal(ctx, "recurrence = convolution", y, z, STEPS * WIDTH);
    }
    for (slong i = 0; i < STEPS * WIDTH; i++)
        fmpq_zero(v + i);
    fmpq_one(v);
    fmpq_one(c);
    for (slong n = 0; n <= STEPS; n++) { /* both sides: polynomials of degree < STEPS in x */
        fmpq_set_si(x, n, 1);
        exact_modes_recurrence(y, v, c, x, STEPS, 1, 1, &ops);
        exact_modes_kernel(kernel, c, x, 1, STEPS + 1);
        exact_modes_convolution(z, v, kernel + p->late, STEPS, 1);
        decide_equal(ctx, "one mode, one impulse: x^t", y, z, STEPS);
    }
    _fmpq_vec_clear(v, STEPS * WIDTH);
    _fmpq_vec_clear(y, STEPS * WIDTH);
    _fmpq_vec_clear(z, STEPS * WIDTH);
    _fmpq_vec_clear(c, MODES);
    _fmpq_vec_clear(x, MODES);
    _fmpq_vec_clear(kernel, STEPS + 1);
}

/* Operations counted by the code that runs the recurrences, against S d_v and K S d_phi d_v. */
static void check_operations(check_context *ctx, const void *parameter) {
    const markov_parameter *p = parameter;
    static const slong shapes[][4] = {{1, 1, 1, 1}, {2, 3, 4, 5}, {3, 2, 5, 4}, {4, 7, 2, 3}};
    for (int i = 0; i < 4; i++) {
        slong banks = shapes[i][0], modes = shapes[i][1], keys = shapes[i][2], width = shapes[i][3];
        slong steps = 5, claimed = modes + p->extra_modes;
        fmpq *y = _fmpq_vec_init(steps * width), *v = _fmpq_vec_init(steps * width),
             *q = _fmpq_vec_init(steps * keys), *k = _fmpq_vec_init(steps * keys),
             *c = _fmpq_vec_init(banks * modes), *x = _fmpq_vec_init(banks * modes);
        slong bank[5];
        exact_random r = {ctx->seed + (ulong)i};
        for (slong t = 0; t < steps; t++)
            bank[t] = exact_random_integer(&r, 0, banks - 1);
        fill(v, steps * width, &r);
        fill(q, steps * keys, &r);
        fill(k, steps * keys, &r);
        fill(c, banks * modes, &r);
        fill(x, banks * modes, &r);
        modes_operations ops;
        exact_modes_recurrence(y, v, c, x, steps, width, modes, &ops);
        claim_decide_si(ctx, "update: S d_v a step", (slong)ops.update, RELATION_EQ,
                        steps * claimed * width);
        claim_decide_si(ctx, "read: S d_v a step", (slong)ops.read, RELATION_EQ,
                        steps * claimed * width);
        exact_modes_keyed(y, q, k, v, bank, c, x, steps, keys, width, banks, modes, &ops);
        claim_decide_si(ctx, "keyed update: K S d_phi d_v a step", (slong)ops.update, RELATION_EQ,
                        steps * banks * claimed * keys * width);
        claim_decide_si(ctx, "keyed read: K S d_phi d_v a step", (slong)ops.read, RELATION_EQ,
                        steps * banks * claimed * keys * width);
        _fmpq_vec_clear(y, steps * width);
        _fmpq_vec_clear(v, steps * width);
        _fmpq_vec_clear(q, steps * keys);
        _fmpq_vec_clear(k, steps * keys);
        _fmpq_vec_clear(c, banks * modes);
        _fmpq_vec_clear(x, banks * modes);
    }
}

/* The keyed memory with banks: recurrence against double sum. */
static void check_keyed(check_context *ctx, const void *parameter) {
    const markov_parameter *p = parameter;
    fmpq *y = _fmpq_vec_init(STEPS * WIDTH), *z = _fmpq_vec_init(STEPS * WIDTH),
         *v = _fmpq_vec_init(STEPS * WIDTH), *q = _fmpq_vec_init(STEPS * KEYS),
         *k = _fmpq_vec_init(STEPS * KEYS), *c = _fmpq_vec_init(BANKS * MODES),
         *x = _fmpq_vec_init(BANKS * MODES);
    slong bank[STEPS], other[STEPS];
    modes_operations ops;
    exact_random r = {ctx->seed};
    for (int trial = 0; trial < 2; trial++) {
        for (slong t = 0; t < STEPS; t++)
            bank[t] = exact_random_integer(&r, 0, BANKS - 1);
        for (slong t = 0; t < STEPS; t++)
            other[t] = p->rotate_banks ? bank[(t + 1) % STEPS] : bank[t];
        fill(v, STEPS * WIDTH, &r);
        fill(q, STEPS * KEYS, &r);
        fill(k, STEPS * KEYS, &r);
        fill(c, BANKS * MODES, &r);
        fill(x, BANKS * MODES, &r);
        exact_modes_keyed(y, q, k, v, bank, c, x, STEPS, KEYS, WIDTH, BANKS, MODES, &ops);
        exact_modes_keyed_sum(z, q, k, v, other, c, x, STEPS, KEYS, WIDTH, MODES);
        decide_equal(ctx, "keyed recurrence = double sum", y, z, STEPS * WIDTH);
    }
    _fmpq_vec_clear(y, STEPS * WIDTH);
    _fmpq_vec_clear(z, STEPS * WIDTH);
    _fmpq_vec_clear(v, STEPS * WIDTH);
    _fmpq_vec_clear(q, STEPS * KEYS);
    _fmpq_vec_clear(k, STEPS * KEYS);
    _fmpq_vec_clear(c, BANKS * MODES);
    _fmpq_vec_clear(x, BANKS * MODES);
}

static const char *const hypotheses[] = {"modes x_s, weights c_s, inputs v_t: any real numbers",
                                         "G_s <- x_s G_s + v_t, y_t = sum_s c_s G_s", NULL};

static const char *const proof_recurrence[] = {
    "G_{s,t} = sum_{i<=t} x_s^(t-i) v_i by induction on t: x_s sum_{i<t} x_s^(t-1-i) v_i + v_t.",
    "So y_t = sum_{i<=t} (sum_s c_s x_s^(t-i)) v_i: linear in v and in c, a polynomial in x_s; "
    "checked mode by mode at more points than its degree.",
    NULL};
static const char *const proof_cost[] = {
    "Every one of the S d_v (keyed: K S d_phi d_v) state entries is multiplied once by its x_s and "
    "read once with its c_s; nothing else depends on the state.",
    NULL};

static const statement statements[] = {
    {"one-step", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "A sum of S exponentials is an exact one-step recurrence per mode: recurrence = convolution, "
     "with banks and keys too.",
     "G_{s,t} = x_s G_{s,t-1} + v_t \\;\\Rightarrow\\; y_t = \\sum_{i\\le t}\\hat w_{t-i}v_i", NULL,
     proof_recurrence},
    {"cost", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "A step costs S d_v operations for the update and S d_v for the read; keyed with K banks, K S "
     "d_phi d_v each.",
     "S d_v + S d_v;\\quad K S d_\\phi d_v + K S d_\\phi d_v", NULL, proof_cost},
    {NULL}};

static const markov_parameter exact = {0, 0, 0};
static const markov_parameter late = {1, 0, 0};
static const markov_parameter one_less = {0, -1, 0};
static const markov_parameter rotated = {0, 0, 1};

static const check checks[] = {{"recurrence",
                                "one-step",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_recurrence,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"keyed",
                                "one-step",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_keyed,
                                &exact,
                                {1, 1, 1},
                                0.01},
                               {"operations",
                                "cost",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_operations,
                                &exact,
                                {1, 1, 1},
                                0.05},
                               {NULL}};

static const control controls[] = {
    {"one-lag-late", "recurrence", "kernel read one lag late", &late},
    {"bank-of-the-next-token", "keyed", "each token in the next one's bank", &rotated},
    {"one-mode-less", "operations", "S-1 in place of S", &one_less},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_vort_markov = {"vort.markov",  "One exact recurrence per mode",
                                 "VORT, Sec. 3", hypotheses,
                                 statements,     checks,
                                 controls,       settings,
                                 figures};

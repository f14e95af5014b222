/* vla.jacobian-vanishing: products of Jacobians J_t = I - a_t k_t^T (VLA, Prop. 2: gradients neither
   explode nor vanish).

   Where a_t = k_t, J_t is a projection that forgets k_t at once; d of them along an orthonormal basis
   leave nothing.  With strictly positive keys, which are never orthogonal, the product still decays. */
#include "numerics/exact/number.h"
#include "numerics/kernels/mneme.h"
#include "theorems/vla/common.h"

#include <math.h>

/* ---- orthonormal keys ---- */

typedef struct {
    slong missing; /* tokens left out of the basis (0) */
    int tilted;    /* u_t along the next key in place of k_t */
} basis_parameter;

/* The product over a random orthonormal basis, u_t along k_t: a_t = k_t and the product is 0. */
static void check_basis(check_context *ctx, const void *parameter) {
    const basis_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t zero, tenth, factor;
    fmpq_init(zero);
    fmpq_init(tenth);
    fmpq_init(factor);
    fmpq_set_si(tenth, 1, 10);
    for (slong d = 2; d <= 6; d++) {
        fmpq_mat_t frame, product;
        vla_layer_t l;
        fmpq_t kx;
        fmpq_init(kx);
        fmpq_mat_init(frame, d, d);
        fmpq_mat_init(product, d, d); /* rows: J_t ... J_1 e_i */
        vla_random_frame(frame, &r, 6);
        fmpq_mat_one(product);
        vla_layer_init(l, d, 1, tenth);
        fmpq_set_si(factor, 1, (ulong)d);
        for (slong t = 0; t < d - p->missing; t++) {
            const fmpq *k = fmpq_mat_entry(frame, t, 0),
                       *u = fmpq_mat_entry(frame, p->tilted ? (t + 1) % d : t, 0);
            fmpq *mixed = _fmpq_vec_init(d);
            for (slong i = 0; i < d; i++)
                p->tilted ? fmpq_add(mixed + i, k + i, u + i) : fmpq_set(mixed + i, u + i);
            layer_status status = vla_layer_absorb(l, mixed, factor);
            if (status == LAYER_OK)
                status = vla_layer_direct(l, k);
            if (status == LAYER_IRRATIONAL && p->tilted) { /* any multiple of a will do for a = k */
                for (slong i = 0; i < d; i++)
                    vla_dot(l->write + i, fmpq_mat_entry(l->inverse, i, 0), k, d);
                status = LAYER_OK;
            }
            if (status != LAYER_OK)
                vla_undecidable(ctx, layer_status_text(status));
            for (slong i = 0; i < d; i++) {
                claim_decide_fmpq(ctx, "a_t = k_t", l->write + i, RELATION_EQ, k + i);
                vla_dot(kx, k, fmpq_mat_entry(product, i, 0), d);
                for (slong j = 0; j < d; j++)
                    fmpq_submul(fmpq_mat_entry(product, i, j), l->write + j, kx);
            }
            _fmpq_vec_clear(mixed, d);
        }
        for (slong i = 0; i < d; i++)
            for (slong j = 0; j < d; j++)
                claim_decide_fmpq(ctx, "J_d ... J_1 = 0", fmpq_mat_entry(product, i, j),
                                  RELATION_EQ, zero);
        fmpq_mat_clear(frame);
        fmpq_mat_clear(product);
        vla_layer_clear(l);
        fmpq_clear(kx);
    }
    fmpq_clear(zero);
    fmpq_clear(tenth);
    fmpq_clear(factor);
}

/* ---- in float32 the layer's keys are orthogonal ---- */

typedef struct {
    float large, small; /* entries of k_raw */
} raw_parameter;

/* k_raw = large e_t, small elsewhere: ELU+1 and the norm in float32 give exactly e_t. */
static void check_float_keys(check_context *ctx, const void *parameter) {
    const raw_parameter *p = parameter;
    enum { D = 4 };
    for (slong t = 0; t < D; t++) {
        float raw[D], key[D];
        fmpq_t x, want;
        arf_t value;
        fmpq_init(x);
        fmpq_init(want);
        arf_init(value);
        for (slong i = 0; i < D; i++)
            raw[i] = i == t ? p->large : p->small;
        mn_elu1(D, raw, key);
        mn_normalise(1, D, key, key);
        for (slong i = 0; i < D; i++) {
            arf_set_d(value, (double)key[i]);
            exact_rational_from_arf(x, value);
            fmpq_set_si(want, i == t, 1);
            claim_decide_fmpq(ctx, "normalised ELU+1 of k_raw in float32 = e_t", x, RELATION_EQ,
                              want);
        }
        fmpq_clear(x);
        fmpq_clear(want);
        arf_clear(value);
    }
}

/* ---- strictly positive keys ---- */

typedef struct {
    slong tokens;
    int repeat; /* one key over and over */
} positive_parameter;

enum { WIDTH = 4 };

/* The layer with d = 4, lambda0 = 1/10, features the cyclic shifts of (5,1,1,3) and one W_u that takes
   every k_raw = features - 1 to its features, so u_t along k_t; a_t in balls.  The squared Frobenius
   norm of the product. */
static void positive_product(arb_t square, slong tokens, int repeat, slong prec) {
    static const int shape[WIDTH] = {5, 1, 1, 3};
    arb_t inverse[WIDTH][WIDTH], product[WIDTH][WIDTH], k[WIDTH], z[WIDTH], a[WIDTH], pivot, s;
    arb_init(pivot);
    arb_init(s);
    for (int i = 0; i < WIDTH; i++) {
        arb_init(k[i]), arb_init(z[i]), arb_init(a[i]);
        for (int j = 0; j < WIDTH; j++) {
            arb_init(inverse[i][j]), arb_init(product[i][j]);
            arb_set_si(inverse[i][j], i == j ? 10 : 0);
            arb_set_si(product[i][j], i == j);
        }
    }
    for (slong t = 0; t < tokens; t++) {
        for (int i = 0; i < WIDTH; i++) {
            arb_set_si(k[i], shape[(i + (repeat ? 0 : t)) % WIDTH]);
            arb_div_si(k[i], k[i], 6, prec); /* 25+1+1+9 = 36 */
        }
        arb_set_si(pivot, WIDTH); /* A -= z z^T/(d + k.z), z = A k */
        for (int i = 0; i < WIDTH; i++) {
            arb_zero(z[i]);
            for (int j = 0; j < WIDTH; j++)
                arb_addmul(z[i], inverse[i][j], k[j], prec);
        }
        for (int i = 0; i < WIDTH; i++)
            arb_addmul(pivot, k[i], z[i], prec);
        for (int i = 0; i < WIDTH; i++) {
            arb_div(s, z[i], pivot, prec);
            for (int j = 0; j < WIDTH; j++)
                arb_submul(inverse[i][j], s, z[j], prec);
        }
        arb_zero(s);
        for (int i = 0; i < WIDTH; i++) {
            arb_zero(a[i]);
            for (int j = 0; j < WIDTH; j++)
                arb_addmul(a[i], inverse[i][j], k[j], prec);
            arb_addmul(s, a[i], a[i], prec);
        }
        arb_rsqrt(s, s, prec);
        for (int j = 0; j < WIDTH; j++) { /* columns of the product */
            arb_zero(pivot);
            for (int i = 0; i < WIDTH; i++)
                arb_addmul(pivot, k[i], product[i][j], prec);
            arb_mul(pivot, pivot, s, prec);
            for (int i = 0; i < WIDTH; i++)
                arb_submul(product[i][j], a[i], pivot, prec);
        }
    }
    arb_zero(square);
    for (int i = 0; i < WIDTH; i++) {
        for (int j = 0; j < WIDTH; j++) {
            arb_addmul(square, product[i][j], product[i][j], prec);
            arb_clear(inverse[i][j]), arb_clear(product[i][j]);
        }
        arb_clear(k[i]), arb_clear(z[i]), arb_clear(a[i]);
    }
    arb_clear(pivot);
    arb_clear(s);
}

static void check_positive(check_context *ctx, const void *parameter) {
    const positive_parameter *p = parameter;
    arb_t square, bound;
    arb_init(square);
    arb_init(bound);
    positive_product(square, p->tokens, p->repeat, ctx->prec);
    arb_set_si(bound, 10);
    arb_pow_ui(bound, bound, 12, ctx->prec);
    arb_inv(bound, bound, ctx->prec);
    arb_sqrt(square, square, ctx->prec);
    claim_decide_arb(ctx, "|J_T ... J_1|_F < 10^-12", square, RELATION_LT, bound);
    claim_number_arb(ctx, "product-norm", "1", square);
    arb_clear(square);
    arb_clear(bound);
}

/* W_u exists: the k_raw = features - 1 are linearly independent (circulant of (4,0,0,2)). */
static void check_weights(check_context *ctx, const void *parameter) {
    const slong *last = parameter;
    slong first_row[WIDTH] = {4, 0, 0, *last};
    fmpq_mat_t m;
    fmpq_t det, one;
    fmpq_mat_init(m, WIDTH, WIDTH);
    fmpq_init(det);
    fmpq_init(one);
    fmpq_one(one);
    for (slong i = 0; i < WIDTH; i++)
        for (slong j = 0; j < WIDTH; j++)
            fmpq_set_si(fmpq_mat_entry(m, i, j), first_row[(i + j) % WIDTH], 1);
    fmpq_mat_det(det, m);
    fmpq_abs(det, det);
    claim_decide_fmpq(ctx, "|det [k_raw]| >= 1", det, RELATION_GE, one);
    fmpq_mat_clear(m);
    fmpq_clear(det);
    fmpq_clear(one);
}

/* det J = 1 - c, by elimination; shift: of c. */
static void check_rank(check_context *ctx, const void *parameter) {
    const slong *shift = parameter;
    exact_random r = {ctx->seed};
    fmpq_t det, c, zero;
    fmpq_init(det);
    fmpq_init(c);
    fmpq_init(zero);
    for (slong d = 2; d <= 6; d++)
        for (int trial = 0; trial < 4; trial++) {
            fmpq *a = _fmpq_vec_init(d), *k = _fmpq_vec_init(d);
            fmpq_mat_t j;
            fmpq_mat_init(j, d, d);
            vla_random_unit(k, &r, d, 5);
            vla_random_unit(a, &r, d, 5);
            if (trial == 0)
                for (slong i = 0; i < d; i++)
                    fmpq_set(a + i, k + i);
            fmpq_mat_one(j);
            for (slong i = 0; i < d; i++)
                for (slong l = 0; l < d; l++)
                    fmpq_submul(fmpq_mat_entry(j, i, l), a + i, k + l);
            vla_dot(c, a, k, d);
            fmpq_sub_si(c, c, 1 + *shift);
            fmpq_neg(c, c);
            fmpq_mat_det(det, j);
            claim_decide_fmpq(ctx, "det J = 1-c", det, RELATION_EQ, c);
            for (slong i = 0; i < d && trial == 0; i++) {
                vla_dot(det, fmpq_mat_entry(j, i, 0), k, d);
                claim_decide_fmpq(ctx, "a = k: J k = 0", det, RELATION_EQ, zero);
            }
            fmpq_mat_clear(j);
            _fmpq_vec_clear(a, d);
            _fmpq_vec_clear(k, d);
        }
    fmpq_clear(det);
    fmpq_clear(c);
    fmpq_clear(zero);
}

static const char *const hypotheses[] = {
    "J_t = I - a_t k_t^T, a_t = A_t k_t/|A_t k_t|, gradients are multiplied by J_T ... J_1",
    "published layer as in vla.jacobian-norm; d = 4, lambda0 = 1/10 where numbers are given", NULL};

static const char *const proof_basis[] = {
    "u_t along k_t, keys orthonormal: M_t = lambda0 I + sum k_s k_s^T |u_s|^2 has k_t as an "
    "eigenvector, so A_t k_t is a positive multiple of k_t and a_t = k_t.",
    "J_t = I - k_t k_t^T; the J_t commute and prod_{t<=d} (I - k_t k_t^T) = I - sum k_t k_t^T = 0 "
    "for an orthonormal basis.",
    NULL};
static const char *const proof_rank[] = {
    "det J = 1 - c (matrix determinant lemma); c = 1 iff a = k, for unit vectors.",
    "a = k iff k is an eigenvector of A. Then J k = 0: one step forgets k and loses one rank.",
    NULL};

static const statement statements[] = {
    {"no-vanishing", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "The unit Jacobian norm guarantees stable gradients at any depth: no vanishing.",
     "\\Bigl\\|\\prod_t(I-\\hat\\alpha_t\\hat k_t^\\top)\\Bigr\\| > 0",
     "A step with u_t along k_t erases k_t, strictly positive keys too; d of them along an "
     "orthonormal basis make the product exactly 0.",
     NULL},
    {"basis", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Over an orthonormal basis of keys with u_t along k_t the product of the d Jacobians is 0, "
     "for every d and lambda0.",
     "\\prod_{t\\le d}(I-\\hat k_t\\hat k_t^\\top) = 0", NULL, proof_basis},
    {"rank", STATEMENT_CORRECTED, VERDICT_PROVED,
     "det J_t = 1-c_t: a step is singular iff a_t = k_t, and then J_t k_t = 0.",
     "\\det J_t = 1-c_t", NULL, proof_rank},
    {"float-keys", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "In float32 the published layer has such keys: ELU+1 of k_raw = 8 e_t - 200 (1 - e_t), d = 4, "
     "normalised, is exactly e_t.",
     "\\mathrm{fl}(\\mathrm{ELU}(-200)+1) = 0", NULL, NULL},
    {"positive-keys", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "With strictly positive keys, d = 4, lambda0 = 1/10, features the cyclic shifts of (5,1,1,3), "
     "one W_u with u_t along k_t: after 256 tokens |J_256 ... J_1|_F < 10^-12.",
     "\\|J_{256}\\cdots J_1\\|_F < 10^{-12}", NULL, NULL},
    {NULL}};

static const vla_inputs four_axes = {4,
                                     1,
                                     4,
                                     "1/10",
                                     "1 1 1 1  1 1 -1 -1  1 -1 1 -1  1 -1 -1 1",
                                     "1 1 1 1  1 1 -1 -1  1 -1 1 -1  1 -1 -1 1",
                                     "1 1 1 1",
                                     NULL,
                                     NULL,
                                     0};
static const vla_inputs nonnegative_axes = {4,
                                            1,
                                            4,
                                            "1/10",
                                            "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1",
                                            "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1",
                                            "1 1 1 1",
                                            NULL,
                                            NULL,
                                            0};
static const vla_inputs three_axes = {
    4,       1,    3,    "1/10", "1 0 0 0  0 1 0 0  0 0 1 0", "1 0 0 0  0 1 0 0  0 0 1 0",
    "1 1 1", NULL, NULL, 0};
static const vla_inputs along_key = {4,         1,   1,         "1/10", "2 2 3 8",
                                     "2 2 3 8", "1", "2 2 3 8", NULL,   0};
static const vla_inputs across_key = {
    4, 1, 2, "1/10", "1 4 4 4 2 2 3 8", "0 0 0 1 0 0 0 1", "1 1", "2 2 3 8", NULL, 0};
#define STEP "|J k|^2/|k|^2 > 0"
static const vla_published one_step = {
    &along_key, STEP, "vla.jacobian-vanishing.one-step", "vla-gain", vla_gain, RELATION_GT, "0"};
static const vla_published other_step = {
    &across_key, STEP, "vla.jacobian-vanishing.other-step", "vla-gain", vla_gain, RELATION_GT, "0"};
#define PRODUCT "|J_T ... J_1|_F^2 > 0"
static const vla_published axes = {
    &nonnegative_axes, PRODUCT, "vla.jacobian-vanishing.axes", "vla-jacobians", vla_product,
    RELATION_GT,       "0"};
static const vla_published signs = {
    &four_axes,  PRODUCT, "vla.jacobian-vanishing.signs", "vla-jacobians", vla_product,
    RELATION_GT, "0"};
static const vla_published fewer = {
    &three_axes, PRODUCT, "vla.jacobian-vanishing.three", "vla-jacobians", vla_product,
    RELATION_GT, "0"};
static const basis_parameter whole = {0, 0}, one_missing = {1, 0}, tilted = {0, 1};
static const raw_parameter far_below = {8, -200}, near_below = {8, -8};
static const positive_parameter positive = {256, 0}, repeated = {256, 1};
static const slong circulant = 2, singular = 4;

static const slong no_shift = 0, shift_one = 1;

static const check checks[] = {{"published-step",
                                "no-vanishing",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                vla_check_published,
                                &one_step,
                                {1, 1, 1},
                                0.01},
                               {"published",
                                "no-vanishing",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                vla_check_published,
                                &axes,
                                {1, 1, 1},
                                0.01},
                               {"published-signs",
                                "no-vanishing",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                vla_check_published,
                                &signs,
                                {1, 1, 1},
                                0.01},
                               {"basis",
                                "basis",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_basis,
                                &whole,
                                {1, 1, 1},
                                0.05},
                               {"rank",
                                "rank",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_rank,
                                &no_shift,
                                {1, 1, 1},
                                0.05},
                               {"float-keys",
                                "float-keys",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_float_keys,
                                &far_below,
                                {1, 1, 1},
                                0.01},
                               {"positive-keys",
                                "positive-keys",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_positive,
                                &positive,
                                {1, 1, 1},
                                0.05},
                               {"weights",
                                "positive-keys",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_weights,
                                &circulant,
                                {1, 1, 1},
                                0.01},
                               {NULL}};

static const control controls[] = {
    {"u-elsewhere", "published-step", "u along e_4 for two tokens", &other_step},
    {"three-of-four", "published", "three of the four tokens", &fewer},
    {"three-of-four", "published-signs", "three of the four tokens", &fewer},
    {"one-missing", "basis", "d-1 tokens", &one_missing},
    {"u-tilted", "basis", "u_t along k_t plus the next key", &tilted},
    {"one-more", "rank", "c+1 in place of c", &shift_one},
    {"features-visible", "float-keys", "-8 in place of -200", &near_below},
    {"one-key", "positive-keys", "one key over and over", &repeated},
    {"dependent", "weights", "(4,0,0,4) in place of (4,0,0,2)", &singular},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_vla_jacobian_vanishing = {"vla.jacobian-vanishing",
                                            "Products of Jacobians vanish",
                                            "VLA, Prop. 2",
                                            hypotheses,
                                            statements,
                                            checks,
                                            controls,
                                            settings,
                                            figures};

/* vla.scan: affine maps S -> S J^T + b, their scan, and the chunked form, exact in Q. */
#include "theorems/vla/scan/scan.h"

enum { D = 3, M = 2, TOKENS = 13 };

typedef struct {
    fmpq_mat_t j, b; /* J^T [D][D], b [M][D] */
} affine;

static void affine_init(affine *f) {
    fmpq_mat_init(f->j, D, D);
    fmpq_mat_init(f->b, M, D);
    fmpq_mat_one(f->j);
}

static void affine_clear(affine *f) {
    fmpq_mat_clear(f->j);
    fmpq_mat_clear(f->b);
}

/* f := later after earlier: S -> (S J1^T + b1) J2^T + b2; f apart from both */
static void compose(affine *f, const affine *later, const affine *earlier) {
    fmpq_mat_mul(f->j, earlier->j, later->j);
    fmpq_mat_mul(f->b, earlier->b, later->j);
    fmpq_mat_add(f->b, f->b, later->b);
}

/* One token's map: J^T = I - k a^T, b = v a^T. */
static void token_map(affine *f, const fmpq *a, const fmpq *k, const fmpq *v) {
    fmpq_mat_one(f->j);
    for (slong i = 0; i < D; i++)
        for (slong l = 0; l < D; l++) {
            fmpq_submul(fmpq_mat_entry(f->j, i, l), k + i, a + l);
            if (i < M)
                fmpq_mul(fmpq_mat_entry(f->b, i, l), v + i, a + l);
        }
}

typedef struct {
    fmpq *a, *k, *v; /* [n][D], [n][D], [n][M] */
    slong n;
} tokens;

/* Random unit keys and directions; any a will do for these identities. */
static tokens draw(exact_random *r, slong n) {
    tokens t = {_fmpq_vec_init(n * D), _fmpq_vec_init(n * D), _fmpq_vec_init(n * M), n};
    for (slong i = 0; i < n; i++) {
        vla_random_unit(t.a + i * D, r, D, 3);
        vla_random_unit(t.k + i * D, r, D, 3);
    }
    for (slong i = 0; i < n * M; i++)
        exact_random_rational(t.v + i, r, 5);
    return t;
}

static void forget(tokens *t) {
    _fmpq_vec_clear(t->a, t->n * D);
    _fmpq_vec_clear(t->k, t->n * D);
    _fmpq_vec_clear(t->v, t->n * M);
}

static void decide_equal(check_context *ctx, const char *label, const fmpq_mat_t x,
                         const fmpq_mat_t y) {
    for (slong i = 0; i < fmpq_mat_nrows(x); i++)
        for (slong j = 0; j < fmpq_mat_ncols(x); j++)
            claim_decide_fmpq(ctx, label, fmpq_mat_entry(x, i, j), RELATION_EQ,
                              fmpq_mat_entry(y, i, j));
}

/* S += (v - S k) a^T, token by token */
static void sequential(fmpq_mat_t s, const tokens *t, slong first, slong end) {
    vla_layer_t l;
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    vla_layer_init(l, D, M, one);
    fmpq_mat_set(l->state, s);
    for (slong n = first; n < end; n++) {
        for (slong i = 0; i < D; i++)
            fmpq_set(l->write + i, t->a + n * D + i);
        vla_layer_store(l, t->k + n * D, t->v + n * M);
    }
    fmpq_mat_set(s, l->state);
    vla_layer_clear(l);
    fmpq_clear(one);
}

void scan_check_associative(check_context *ctx, const void *parameter) {
    const scan_parameter *p = parameter;
    exact_random r = {ctx->seed};
    affine f[7];
    for (int i = 0; i < 7; i++)
        affine_init(f + i);
    for (int trial = 0; trial < 6; trial++) {
        tokens t = draw(&r, 3);
        for (int i = 0; i < 3; i++)
            token_map(f + i, t.a + i * D, t.k + i * D, t.v + i * M);
        compose(f + 3, f + 2, f + 1);
        compose(f + 4, f + 3, f);
        compose(f + 5, p->swapped ? f : f + 1, p->swapped ? f + 1 : f);
        compose(f + 6, f + 2, f + 5);
        decide_equal(ctx, "(f g) h = f (g h): J", f[4].j, f[6].j);
        decide_equal(ctx, "(f g) h = f (g h): b", f[4].b, f[6].b);
        forget(&t);
    }
    for (int i = 0; i < 7; i++)
        affine_clear(f + i);
}

/* prefix[first..end) := the maps of the tokens from first on: both halves, then the first half's total
   under the second half (depth log2 n). */
static void scan(affine *prefix, const affine *map, slong first, slong end, int swapped) {
    slong middle = (first + end) / 2;
    if (end - first == 1) {
        fmpq_mat_set(prefix[first].j, map[first].j);
        fmpq_mat_set(prefix[first].b, map[first].b);
        return;
    }
    scan(prefix, map, first, middle, swapped);
    scan(prefix, map, middle, end, swapped);
    affine f;
    affine_init(&f);
    for (slong n = middle; n < end; n++) {
        if (swapped)
            compose(&f, prefix + middle - 1, prefix + n);
        else
            compose(&f, prefix + n, prefix + middle - 1);
        fmpq_mat_set(prefix[n].j, f.j);
        fmpq_mat_set(prefix[n].b, f.b);
    }
    affine_clear(&f);
}

void scan_check_scan(check_context *ctx, const void *parameter) {
    const scan_parameter *p = parameter;
    exact_random r = {ctx->seed};
    affine map[TOKENS], prefix[TOKENS];
    fmpq_mat_t start, s, product;
    tokens t = draw(&r, TOKENS);
    fmpq_mat_init(start, M, D);
    fmpq_mat_init(s, M, D);
    fmpq_mat_init(product, M, D);
    for (slong i = 0; i < M; i++)
        for (slong j = 0; j < D; j++)
            exact_random_rational(fmpq_mat_entry(start, i, j), &r, 5);
    for (slong n = 0; n < TOKENS; n++) {
        affine_init(map + n), affine_init(prefix + n);
        token_map(map + n, t.a + n * D, t.k + n * D, t.v + n * M);
    }
    scan(prefix, map, 0, TOKENS, p->swapped);
    fmpq_mat_set(s, start);
    for (slong n = 0; n < TOKENS; n++) {
        sequential(s, &t, n, n + 1);
        fmpq_mat_mul(product, start, prefix[n].j);
        fmpq_mat_add(product, product, prefix[n].b);
        decide_equal(ctx, "scan = token by token", product, s);
        affine_clear(map + n), affine_clear(prefix + n);
    }
    forget(&t);
    fmpq_mat_clear(start);
    fmpq_mat_clear(s);
    fmpq_mat_clear(product);
}

/* out [n][n] := I + L, L_ts = a_s.k_t for s < t */
static void triangle(fmpq_mat_t out, const tokens *t, slong first, int transposed) {
    fmpq_mat_one(out);
    for (slong i = 0; i < fmpq_mat_nrows(out); i++)
        for (slong j = 0; j < i; j++)
            vla_dot(fmpq_mat_entry(out, i, j), t->a + (first + (transposed ? i : j)) * D,
                    t->k + (first + (transposed ? j : i)) * D, D);
}

/* (I + L) E = V - K S^T, S += E^T A over chunks of 1, 2, ..., 5 tokens, against token by token. */
void scan_check_chunk(check_context *ctx, const void *parameter) {
    const scan_parameter *p = parameter;
    exact_random r = {ctx->seed};
    tokens t = draw(&r, TOKENS);
    fmpq_mat_t s, chunked;
    fmpq_t q;
    fmpq_init(q);
    fmpq_mat_init(s, M, D);
    fmpq_mat_init(chunked, M, D);
    for (slong length = 1; length <= 5; length++) {
        fmpq_mat_zero(s);
        fmpq_mat_zero(chunked);
        for (slong first = 0; first < TOKENS; first += length) {
            slong n = FLINT_MIN(length, TOKENS - first);
            fmpq_mat_t l, e;
            fmpq_mat_init(l, n, n);
            fmpq_mat_init(e, n, M);
            triangle(l, &t, first, p->transposed);
            for (slong i = 0; i < n; i++)
                for (slong c = 0; c < M; c++) {
                    fmpq *x = fmpq_mat_entry(e, i, c);
                    vla_dot(q, fmpq_mat_entry(chunked, c, 0), t.k + (first + i) * D, D);
                    fmpq_sub(x, t.v + (first + i) * M + c, q);
                    for (slong j = 0; j < i; j++)
                        fmpq_submul(x, fmpq_mat_entry(l, i, j), fmpq_mat_entry(e, j, c));
                }
            for (slong i = 0; i < n; i++)
                for (slong c = 0; c < M; c++)
                    for (slong j = 0; j < D; j++)
                        fmpq_addmul(fmpq_mat_entry(chunked, c, j), fmpq_mat_entry(e, i, c),
                                    t.a + (first + i) * D + j);
            sequential(s, &t, first, first + n);
            decide_equal(ctx, "chunked = token by token", chunked, s);
            fmpq_mat_clear(l);
            fmpq_mat_clear(e);
        }
    }
    forget(&t);
    fmpq_clear(q);
    fmpq_mat_clear(s);
    fmpq_mat_clear(chunked);
}

/* ((I+L)^-1)_{ts} = -k_t^T J_{t-1} ... J_{s+1} a_s for s < t, by elimination; det (I+L) = 1. */
void scan_check_inverse(check_context *ctx, const void *parameter) {
    const scan_parameter *p = parameter;
    enum { LENGTH = 7 };
    exact_random r = {ctx->seed};
    tokens t = draw(&r, LENGTH);
    fmpq_mat_t l, inverse;
    fmpq_t q, one;
    fmpq *x = _fmpq_vec_init(D);
    fmpq_init(q);
    fmpq_init(one);
    fmpq_one(one);
    fmpq_mat_init(l, LENGTH, LENGTH);
    fmpq_mat_init(inverse, LENGTH, LENGTH);
    triangle(l, &t, 0, 0);
    fmpq_mat_det(q, l);
    claim_decide_fmpq(ctx, "det (I+L) = 1", q, RELATION_EQ, one);
    if (!fmpq_mat_inv(inverse, l))
        vla_undecidable(ctx, layer_status_text(LAYER_SINGULAR));
    for (slong s = 0; s < LENGTH; s++) {
        for (slong i = 0; i < D; i++)
            fmpq_set(x + i, t.a + s * D + i);
        for (slong n = s + 1; n < LENGTH; n++) {
            vla_dot(q, t.k + n * D, x, D);
            for (slong i = 0; i < D; i++)
                fmpq_submul(x + i, t.a + n * D + i, q);
            if (!p->off)
                fmpq_neg(q, q);
            claim_decide_fmpq(ctx, "(I+L)^-1_ts = -k_t^T J_{t-1} ... J_{s+1} a_s",
                              fmpq_mat_entry(inverse, n, s), RELATION_EQ, q);
        }
    }
    triangle(l, &(tokens){t.k, t.k, t.v, t.n}, 0, 0); /* a = k: no entry above 1 */
    if (!fmpq_mat_inv(inverse, l))
        vla_undecidable(ctx, layer_status_text(LAYER_SINGULAR));
    for (slong n = 0; n < LENGTH * LENGTH; n++) {
        fmpq_abs(q, fmpq_mat_entry(inverse, n / LENGTH, n % LENGTH));
        claim_decide_fmpq(ctx, "a = k: entries of (I+L)^-1 at most 1", q, RELATION_LE, one);
    }
    forget(&t);
    fmpq_clear(q);
    fmpq_clear(one);
    _fmpq_vec_clear(x, D);
    fmpq_mat_clear(l);
    fmpq_mat_clear(inverse);
}

/* Every quantity here comes from M_t and its inverse by elimination: no Sherman-Morrison formula. */
#include "numerics/exact/replay_vla.h"

#include <flint/fmpq_mat.h>
#include <string.h>

enum { MAX_TOKENS = 64, MAX_WIDTH = 16, MAX_BITS = 128 };

typedef struct {
    slong tokens, d, m;
    fmpq_mat_t penalty, refreshed; /* lambda0 I + sum u u^T; the same with refreshes, A^-1 */
    fmpq_mat_t inverse, before;    /* A_t, A_{t-1} */
    fmpq_mat_t key, write, state;  /* k_t, a_t [d][1]; S [m][d] */
} replay_layer;

static const fmpq *find(slong *count, const witness_t w, const char *name) {
    const witness_input *in = witness_find(w, name);
    *count = in != NULL ? in->count : 0;
    return in != NULL ? in->value : NULL;
}

/* The number of that name if it is one, whole, and in low..high; else low-1. */
static slong whole(const witness_t w, const char *name, slong low, slong high) {
    slong n;
    const fmpq *q = find(&n, w, name);
    if (n != 1 || !fmpz_is_one(fmpq_denref(q)) || fmpz_cmp_si(fmpq_numref(q), low) < 0 ||
        fmpz_cmp_si(fmpq_numref(q), high) > 0)
        return low - 1;
    return fmpz_get_si(fmpq_numref(q));
}

static int too_long(const witness_t w) {
    for (slong i = 0; i < w->inputs; i++)
        for (slong j = 0; j < w->input[i].count; j++)
            if (fmpz_bits(fmpq_numref(w->input[i].value + j)) > MAX_BITS ||
                fmpz_bits(fmpq_denref(w->input[i].value + j)) > MAX_BITS)
                return 1;
    return 0;
}

static void column(fmpq_mat_t out, const fmpq *values) {
    for (slong i = 0; i < fmpq_mat_nrows(out); i++)
        fmpq_set(fmpq_mat_entry(out, i, 0), values + i);
}

/* out := the squared Frobenius norm. */
static void square_norm(fmpq_t out, const fmpq_mat_t x) {
    fmpq_t s;
    fmpq_init(s);
    for (slong i = 0; i < fmpq_mat_nrows(x); i++)
        for (slong j = 0; j < fmpq_mat_ncols(x); j++)
            fmpq_addmul(s, fmpq_mat_entry(x, i, j), fmpq_mat_entry(x, i, j));
    fmpq_set(out, s);
    fmpq_clear(s);
}

/* x := x/|x|; 0 if |x| is 0 or irrational. */
static int normalise(fmpq_mat_t x) {
    fmpq_t s;
    fmpq_init(s);
    square_norm(s, x);
    int ok = fmpq_sgn(s) > 0 && fmpz_is_square(fmpq_numref(s)) && fmpz_is_square(fmpq_denref(s));
    if (ok) {
        fmpz_sqrt(fmpq_numref(s), fmpq_numref(s));
        fmpz_sqrt(fmpq_denref(s), fmpq_denref(s));
        fmpq_inv(s, s);
        fmpq_mat_scalar_mul_fmpq(x, x, s);
    }
    fmpq_clear(s);
    return ok;
}

/* out (n x p) := x^T y */
static void transposed_mul(fmpq_mat_t out, const fmpq_mat_t x, const fmpq_mat_t y) {
    fmpq_mat_t t;
    fmpq_mat_init(t, fmpq_mat_ncols(x), fmpq_mat_nrows(x));
    fmpq_mat_transpose(t, x);
    fmpq_mat_mul(out, t, y);
    fmpq_mat_clear(t);
}

/* x += factor y z^T */
static void add_outer(fmpq_mat_t x, const fmpq_t factor, const fmpq_mat_t y, const fmpq_mat_t z) {
    fmpq_t q;
    fmpq_init(q);
    for (slong i = 0; i < fmpq_mat_nrows(x); i++)
        for (slong j = 0; j < fmpq_mat_ncols(x); j++) {
            fmpq_mul(q, fmpq_mat_entry(y, i, 0), fmpq_mat_entry(z, j, 0));
            fmpq_addmul(fmpq_mat_entry(x, i, j), factor, q);
        }
    fmpq_clear(q);
}

/* One token: penalties and inverses; 0 if A^-1 is singular. */
static int absorb(replay_layer *l, const fmpq *direction) {
    fmpq_mat_t p;
    fmpq_t s;
    fmpq_mat_init(p, l->d, 1);
    fmpq_init(s);
    column(p, direction);
    square_norm(s, p);
    if (!fmpq_is_zero(s)) {
        fmpz_t d;
        fmpz_init_set_si(d, l->d);
        fmpq_mul_fmpz(s, s, d);
        fmpq_inv(s, s);
        add_outer(l->penalty, s, p, p);
        add_outer(l->refreshed, s, p, p);
        fmpz_clear(d);
    }
    fmpq_mat_set(l->before, l->inverse);
    int ok = fmpq_mat_inv(l->inverse, l->refreshed);
    fmpq_mat_clear(p);
    fmpq_clear(s);
    return ok;
}

/* S += (v - S k) a^T */
static void store(replay_layer *l, const fmpq *value) {
    fmpq_mat_t r, v;
    fmpq_t one;
    fmpq_mat_init(r, l->m, 1);
    fmpq_mat_init(v, l->m, 1);
    fmpq_init(one);
    fmpq_one(one);
    column(v, value);
    fmpq_mat_mul(r, l->state, l->key);
    fmpq_mat_sub(r, v, r);
    add_outer(l->state, one, r, l->write);
    fmpq_mat_clear(r);
    fmpq_mat_clear(v);
    fmpq_clear(one);
}

/* x := J x = x - a (k^T x), x [d][n] */
static void apply(const replay_layer *l, fmpq_mat_t x) {
    fmpq_mat_t row, back;
    fmpq_mat_init(row, 1, fmpq_mat_ncols(x));
    fmpq_mat_init(back, l->d, fmpq_mat_ncols(x));
    transposed_mul(row, l->key, x);
    fmpq_mat_mul(back, l->write, row);
    fmpq_mat_sub(x, x, back);
    fmpq_mat_clear(row);
    fmpq_mat_clear(back);
}

/* out := tr(S M S^T) + sum |v_s - S k_s|^2 */
static void objective(fmpq_t out, const replay_layer *l, const fmpq_mat_t s, const fmpq_mat_t keys,
                      const fmpq_mat_t values) {
    fmpq_mat_t sm, st, r, total;
    fmpq_mat_init(sm, l->m, l->d);
    fmpq_mat_init(st, l->d, l->m);
    fmpq_mat_init(r, l->m, l->tokens);
    fmpq_mat_init(total, l->m, l->m);
    fmpq_mat_mul(sm, s, l->penalty);
    fmpq_mat_transpose(st, s);
    fmpq_mat_mul(total, sm, st);
    fmpq_mat_mul(r, s, keys);
    fmpq_mat_sub(r, values, r);
    square_norm(out, r);
    for (slong i = 0; i < l->m; i++)
        fmpq_add(out, out, fmpq_mat_entry(total, i, i));
    fmpq_mat_clear(sm);
    fmpq_mat_clear(st);
    fmpq_mat_clear(r);
    fmpq_mat_clear(total);
}

/* out := objective(S_T) - objective(V K^T (K K^T + M)^-1); keys [d][T], values [m][T] */
static int excess(fmpq_t out, const replay_layer *l, const fmpq_mat_t keys,
                  const fmpq_mat_t values) {
    fmpq_mat_t kt, gram, cross, best;
    fmpq_t least;
    fmpq_mat_init(kt, l->tokens, l->d);
    fmpq_mat_init(gram, l->d, l->d);
    fmpq_mat_init(cross, l->m, l->d);
    fmpq_mat_init(best, l->m, l->d);
    fmpq_init(least);
    fmpq_mat_transpose(kt, keys);
    fmpq_mat_mul(gram, keys, kt);
    fmpq_mat_add(gram, gram, l->penalty);
    fmpq_mat_mul(cross, values, kt);
    int ok = fmpq_mat_inv(gram, gram);
    if (ok) {
        fmpq_mat_mul(best, cross, gram);
        objective(least, l, best, keys, values);
        objective(out, l, l->state, keys, values);
        fmpq_sub(out, out, least);
    }
    fmpq_mat_clear(kt);
    fmpq_mat_clear(gram);
    fmpq_mat_clear(cross);
    fmpq_mat_clear(best);
    fmpq_clear(least);
    return ok;
}

/* out := A_T (lambda0 I + sum u u^T) - I, squared */
static void drift(fmpq_t out, const replay_layer *l) {
    fmpq_mat_t e;
    fmpq_mat_init(e, l->d, l->d);
    fmpq_mat_mul(e, l->inverse, l->penalty);
    for (slong i = 0; i < l->d; i++)
        fmpq_sub_si(fmpq_mat_entry(e, i, i), fmpq_mat_entry(e, i, i), 1);
    square_norm(out, e);
    fmpq_mat_clear(e);
}

static const char *const kinds[] = {"vla-gain",    "vla-jacobians",   "vla-excess",  "vla-recall",
                                    "vla-overlap", "vla-contraction", "vla-refresh", "delta-gate"};
enum { GAIN, PRODUCT, EXCESS, RECALL, OVERLAP, CONTRACTION, REFRESH, GATE, KINDS };

static int kind_of(const char *kind) {
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return i;
    return KINDS;
}

int vla_replay_knows(const char *kind) {
    return kind_of(kind) < KINDS;
}

/* J applied to x and the squared norms' quotient; 0 if x = 0. */
static int gain(fmpq_t out, const replay_layer *l, const fmpq *test) {
    fmpq_mat_t x;
    fmpq_t s;
    fmpq_mat_init(x, l->d, 1);
    fmpq_init(s);
    column(x, test);
    square_norm(s, x);
    int ok = !fmpq_is_zero(s);
    if (ok) {
        apply(l, x);
        square_norm(out, x);
        fmpq_div(out, out, s);
    }
    fmpq_mat_clear(x);
    fmpq_clear(s);
    return ok;
}

/* out := x^T a y */
static void quadratic(fmpq_t out, const fmpq_mat_t x, const fmpq_mat_t a, const fmpq_mat_t y) {
    fmpq_t xy;
    fmpq_init(xy);
    fmpq_zero(out);
    for (slong i = 0; i < fmpq_mat_nrows(a); i++)
        for (slong j = 0; j < fmpq_mat_ncols(a); j++) {
            fmpq_mul(xy, fmpq_mat_entry(x, i, 0), fmpq_mat_entry(y, j, 0));
            fmpq_addmul(out, xy, fmpq_mat_entry(a, i, j));
        }
    fmpq_clear(xy);
}

/* The number of that kind once all tokens are in. */
static const char *conclude(fmpq_t out, replay_layer *l, int kind, const witness_t w,
                            const fmpq_mat_t product, const fmpq_mat_t keys,
                            const fmpq_mat_t values) {
    fmpq_mat_t first, e, change;
    slong n;
    const char *reason = NULL;
    const fmpq *test = find(&n, w, "test");
    fmpq_mat_init(first, l->d, 1);
    fmpq_mat_init(e, l->m, 1);
    fmpq_mat_init(change, l->d, l->d);
    for (slong i = 0; i < l->d; i++)
        fmpq_set(fmpq_mat_entry(first, i, 0), fmpq_mat_entry(keys, i, 0));
    switch (kind) {
    case GAIN:
        if (n != l->d || !gain(out, l, test))
            reason = "needs \"test\", d numbers that are not all 0";
        break;
    case PRODUCT:
        square_norm(out, product);
        break;
    case EXCESS:
        if (!excess(out, l, keys, values))
            reason = "needs a sum of kk^T and M that is not singular";
        break;
    case RECALL:
        fmpq_mat_mul(e, l->state, first);
        for (slong i = 0; i < l->m; i++)
            fmpq_sub(fmpq_mat_entry(e, i, 0), fmpq_mat_entry(e, i, 0),
                     fmpq_mat_entry(values, i, 0));
        square_norm(out, e);
        break;
    case OVERLAP:
        fmpq_mat_one(change);
        quadratic(out, l->write, change, first);
        fmpq_mul(out, out, out);
        break;
    case CONTRACTION:
        fmpq_mat_sub(change, l->before, l->inverse);
        quadratic(out, l->key, change, l->key);
        break;
    default:
        drift(out, l);
    }
    fmpq_mat_clear(first), fmpq_mat_clear(e), fmpq_mat_clear(change);
    return reason;
}

/* A += refresh I, kept as the inverse of it. */
static int refresh_now(replay_layer *l, const fmpq_t refresh) {
    for (slong i = 0; i < l->d; i++)
        fmpq_add(fmpq_mat_entry(l->inverse, i, i), fmpq_mat_entry(l->inverse, i, i), refresh);
    return fmpq_mat_inv(l->refreshed, l->inverse);
}

static const char *run(fmpq_t out, replay_layer *l, int kind, const witness_t w, const fmpq *key,
                       const fmpq *direction, const fmpq *value) {
    int writes = kind != CONTRACTION && kind != REFRESH;
    slong n, every = 0;
    const fmpq *refresh = find(&n, w, "refresh");
    if (n > 0) {
        every = whole(w, "every", 1, 1000);
        if (n != 1 || every < 1)
            return "needs one \"refresh\" with a whole number \"every\" from 1 to 1000";
    }
    const char *reason = NULL;
    fmpq_mat_t product, keys, values;
    fmpq_mat_init(product, l->d, l->d);
    fmpq_mat_init(keys, l->d, l->tokens);
    fmpq_mat_init(values, l->m, l->tokens);
    fmpq_mat_one(product);
    for (slong t = 0; t < l->tokens && reason == NULL; t++) {
        column(l->key, key + t * l->d);
        if (!normalise(l->key))
            reason = "needs \"keys\" with norms that are rational and not 0";
        else if (!absorb(l, direction + t * l->d))
            reason = "needs a matrix M that is not singular";
        if (reason != NULL)
            break;
        for (slong i = 0; i < l->d; i++)
            fmpq_set(fmpq_mat_entry(keys, i, t), fmpq_mat_entry(l->key, i, 0));
        for (slong i = 0; i < l->m; i++)
            fmpq_set(fmpq_mat_entry(values, i, t), value + t * l->m + i);
        if (writes) {
            fmpq_mat_mul(l->write, l->inverse, l->key);
            if (normalise(l->write)) {
                store(l, value + t * l->m);
                apply(l, product);
            } else {
                reason = "needs inputs for which every |A k| is rational and not 0";
            }
        }
        if (every > 0 && (t + 1) % every == 0 && !refresh_now(l, refresh))
            reason = "needs a refresh that leaves A regular";
    }
    if (reason == NULL)
        reason = conclude(out, l, kind, w, product, keys, values);
    fmpq_mat_clear(product), fmpq_mat_clear(keys), fmpq_mat_clear(values);
    return reason;
}

/* The delta rule: one step on a given state, read with x before and after. */
static const char *gate(fmpq_t out, const witness_t w) {
    slong betas, d, states, m, tests;
    const fmpq *beta = find(&betas, w, "beta"), *key = find(&d, w, "keys"),
               *state = find(&states, w, "state"), *value = find(&m, w, "values"),
               *test = find(&tests, w, "test");
    if (betas != 1)
        return "needs one \"beta\"";
    if (d < 1 || d > MAX_WIDTH || tests != d)
        return "needs \"keys\" and \"test\" of one length, 1 to 16";
    if (m < 1 || m > MAX_WIDTH || states != m * d)
        return "needs \"values\" of 1 to 16 numbers and as many rows in \"state\"";
    fmpq_t sk, sx, kx;
    fmpq_mat_t k;
    fmpq_init(sk);
    fmpq_init(sx);
    fmpq_init(kx);
    fmpq_mat_init(k, d, 1);
    column(k, key);
    const char *reason = normalise(k) ? NULL : "needs \"keys\" of a rational norm, not 0";
    for (slong j = 0; j < d; j++)
        fmpq_addmul(kx, fmpq_mat_entry(k, j, 0), test + j);
    fmpq_mul(kx, kx, beta);
    fmpq_zero(out);
    for (slong i = 0; i < m && reason == NULL; i++) { /* S'x = S x + beta (v - S k)(k.x) */
        fmpq_zero(sk);
        fmpq_zero(sx);
        for (slong j = 0; j < d; j++) {
            fmpq_addmul(sk, state + i * d + j, fmpq_mat_entry(k, j, 0));
            fmpq_addmul(sx, state + i * d + j, test + j);
        }
        fmpq_submul(out, sx, sx);
        fmpq_sub(sk, value + i, sk);
        fmpq_addmul(sx, sk, kx);
        fmpq_addmul(out, sx, sx);
    }
    fmpq_clear(sk);
    fmpq_clear(sx);
    fmpq_clear(kx);
    fmpq_mat_clear(k);
    return reason;
}

int vla_replay_value(fmpq_t out, const char **reason, const witness_t w) {
    replay_layer l;
    slong lambdas, keys, directions, values;
    int kind = kind_of(w->kind);
    const fmpq *lambda0 = find(&lambdas, w, "lambda0"), *key = find(&keys, w, "keys"),
               *direction = find(&directions, w, "directions"), *value = find(&values, w, "values");
    *reason = NULL;
    if (too_long(w)) {
        *reason = "needs numbers of at most 128 bits";
        return 0;
    }
    if (kind == GATE) {
        *reason = gate(out, w);
        return *reason == NULL;
    }
    l.tokens = whole(w, "tokens", 1, MAX_TOKENS);
    if (l.tokens < 1)
        *reason = "needs a whole number \"tokens\" from 1 to 64";
    else if (lambdas != 1 || fmpq_sgn(lambda0) <= 0)
        *reason = "needs one \"lambda0\" > 0";
    else if (keys == 0 || keys % l.tokens != 0 || keys / l.tokens > MAX_WIDTH)
        *reason = "needs \"keys\" for every token, each of 1 to 16 numbers";
    else if (directions != keys)
        *reason = "needs \"directions\", as many numbers as \"keys\"";
    else if (values == 0 || values % l.tokens != 0 || values / l.tokens > MAX_WIDTH)
        *reason = "needs \"values\" for every token, each of 1 to 16 numbers";
    if (*reason != NULL)
        return 0;
    l.d = keys / l.tokens;
    l.m = values / l.tokens;
    fmpq_mat_struct *square[] = {l.penalty, l.refreshed, l.inverse, l.before};
    for (int i = 0; i < 4; i++) {
        fmpq_mat_init(square[i], l.d, l.d);
        fmpq_mat_one(square[i]);
        if (i < 2)
            fmpq_mat_scalar_mul_fmpq(square[i], square[i], lambda0);
        else
            fmpq_mat_scalar_div_fmpz(square[i], square[i], fmpq_numref(lambda0)),
                fmpq_mat_scalar_mul_fmpz(square[i], square[i], fmpq_denref(lambda0));
    }
    fmpq_mat_init(l.key, l.d, 1);
    fmpq_mat_init(l.write, l.d, 1);
    fmpq_mat_init(l.state, l.m, l.d);
    *reason = run(out, &l, kind, w, key, direction, value);
    for (int i = 0; i < 4; i++)
        fmpq_mat_clear(square[i]);
    fmpq_mat_clear(l.key);
    fmpq_mat_clear(l.write);
    fmpq_mat_clear(l.state);
    return *reason == NULL;
}

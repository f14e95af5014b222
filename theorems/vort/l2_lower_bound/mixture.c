/* vort.l2-lower-bound: mixtures, their projections and least-squares distances. */
#include "numerics/exact/gl_order.h"
#include "numerics/exact/number.h"
#include "theorems/vort/l2_lower_bound/l2.h"

void mixture_init(mixture *m, slong terms) {
    m->terms = terms;
    m->c = _fmpq_vec_init(terms);
    m->x = _fmpq_vec_init(terms);
}

void mixture_clear(mixture *m) {
    _fmpq_vec_clear(m->c, m->terms);
    _fmpq_vec_clear(m->x, m->terms);
}

void l2_projections(arb_t energy, arb_ptr b, const fmpq_t alpha, const fmpq *x, slong terms,
                    slong lags, slong prec) {
    arb_ptr t = _arb_vec_init(3), power = _arb_vec_init(2 * terms), node = power + terms;
    arb_ptr w = t, a = t + 1, f = t + 2;
    arb_set_fmpq(a, alpha, prec);
    arb_one(w);
    arb_zero(energy);
    for (slong s = 0; s < terms; s++) {
        arb_zero(b + s);
        arb_one(power + s);
        arb_set_fmpq(node + s, x + s, prec);
    }
    for (slong j = 1; j <= lags; j++) {
        arb_add_si(f, a, j - 1, prec);
        arb_mul(w, w, f, prec);
        arb_div_si(w, w, j, prec);
        arb_addmul(energy, w, w, prec);
        for (slong s = 0; s < terms; s++) {
            arb_mul(power + s, power + s, node + s, prec);
            arb_addmul(b + s, w, power + s, prec);
        }
    }
    _arb_vec_clear(t, 3);
    _arb_vec_clear(power, 2 * terms);
}

/* g := sum_{1<=j<=T} y^j = y (1-y^T)/(1-y), y = x_s x_t */
static void gram_entry(arb_t g, const fmpq_t x, const fmpq_t y, slong lags, slong prec) {
    fmpq_t q;
    arb_t u, v;
    fmpq_init(q);
    arb_init(u);
    arb_init(v);
    fmpq_mul(q, x, y);
    if (fmpq_is_one(q)) {
        arb_set_si(g, lags);
    } else {
        arb_set_fmpq(u, q, prec);
        arb_pow_ui(v, u, (ulong)lags, prec);
        arb_sub_ui(v, v, 1, prec);
        arb_neg(v, v);
        arb_mul(g, u, v, prec);
        vort_one_minus(q, q);
        arb_set_fmpq(u, q, prec);
        arb_div(g, g, u, prec);
    }
    fmpq_clear(q);
    arb_clear(u);
    arb_clear(v);
}

/* Eliminates the augmented matrix [G b; b' N^2]; c, if not NULL, := G^-1 b.  d := the last
   pivot. */
static void schur(arb_t d, arb_ptr c, const fmpq_t alpha, const fmpq *x, slong terms, slong lags,
                  slong prec) {
    slong n = terms + 1;
    arb_ptr a = _arb_vec_init(n * n), b = _arb_vec_init(terms);
    arb_t f;
    arb_init(f);
    l2_projections(a + n * n - 1, b, alpha, x, terms, lags, prec);
    for (slong i = 0; i < terms; i++) {
        for (slong k = 0; k < terms; k++)
            gram_entry(a + i * n + k, x + i, x + k, lags, prec);
        arb_set(a + i * n + terms, b + i);
        arb_set(a + terms * n + i, b + i);
    }
    for (slong k = 0; k < terms; k++)
        for (slong i = k + 1; i < n; i++) {
            arb_div(f, a + i * n + k, a + k * n + k, prec);
            for (slong l = k; l < n; l++)
                arb_submul(a + i * n + l, f, a + k * n + l, prec);
        }
    arb_set(d, a + n * n - 1);
    for (slong i = terms - 1; c != NULL && i >= 0; i--) {
        arb_set(c + i, a + i * n + terms);
        for (slong l = i + 1; l < terms; l++)
            arb_submul(c + i, a + i * n + l, c + l, prec);
        arb_div(c + i, c + i, a + i * n + i, prec);
    }
    arb_clear(f);
    _arb_vec_clear(a, n * n);
    _arb_vec_clear(b, terms);
}

void l2_distance(arb_t d, const fmpq_t alpha, const fmpq *x, slong terms, slong lags) {
    for (slong prec = 128; prec <= 4096; prec *= 2) {
        schur(d, NULL, alpha, x, terms, lags, prec);
        if (arb_rel_accuracy_bits(d) >= 20)
            break;
    }
}

/* q := the middle of the ball, to bits. */
static void rounded(fmpq_t q, const arb_t x, slong bits) {
    arf_t a;
    arf_init(a);
    arf_set_round(a, arb_midref(x), bits, ARF_RND_NEAR);
    exact_rational_from_arf(q, a);
    arf_clear(a);
}

void mixture_nodes(mixture *m, slong span) {
    arb_t x;
    arb_init(x);
    for (slong s = 0; s < m->terms; s++) { /* lambda = span^(-(2s+1)/(2 terms)) */
        arb_set_si(x, span);
        arb_log(x, x, 128);
        arb_mul_si(x, x, -(2 * s + 1), 128);
        arb_div_si(x, x, 2 * m->terms, 128);
        arb_exp(x, x, 128);
        arb_neg(x, x);
        arb_exp(x, x, 128);
        rounded(m->x + s, x, 40);
    }
    arb_clear(x);
}

void mixture_fit(mixture *m, const fmpq_t alpha, slong lags, slong span) {
    arb_ptr c = _arb_vec_init(m->terms);
    arb_t d;
    arb_init(d);
    mixture_nodes(m, span);
    schur(d, c, alpha, m->x, m->terms, lags, 512);
    for (slong s = 0; s < m->terms; s++)
        rounded(m->c + s, c + s, 60);
    arb_clear(d);
    _arb_vec_clear(c, m->terms);
}

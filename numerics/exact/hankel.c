#include "numerics/exact/hankel.h"

/* num := the integer matrix [D_i m_{i+j} E_j] with D_i, E_j clearing denominators; the scale of the
   leading minors is prod D_i E_i. */
static void clear_denominators(fmpz_mat_t num, fmpz *row_scale, const fmpq *m, slong n) {
    for (slong i = 0; i < n; i++) {
        fmpz_one(row_scale + i);
        for (slong j = 0; j < n; j++)
            fmpz_lcm(row_scale + i, row_scale + i, fmpq_denref(m + i + j));
        for (slong j = 0; j < n; j++) {
            fmpz *entry = fmpz_mat_entry(num, i, j);
            fmpz_divexact(entry, row_scale + i, fmpq_denref(m + i + j));
            fmpz_mul(entry, entry, fmpq_numref(m + i + j));
        }
    }
}

void exact_hankel_minors(fmpq *det, const fmpq *m, slong n) {
    fmpz_mat_t a, window;
    fmpz_mat_init(a, n, n);
    fmpz *scale = _fmpz_vec_init(n);
    fmpz_t previous, t, product;
    fmpz_init_set_ui(previous, 1);
    fmpz_init(t);
    fmpz_init_set_ui(product, 1);
    clear_denominators(a, scale, m, n);
    int singular = 0;
    for (slong k = 0; k < n; k++) {
        fmpz_mul(product, product, scale + k);
        if (singular) {
            fmpz_mat_t whole;
            fmpz_mat_init(whole, n, n);
            clear_denominators(whole, scale, m, n);
            fmpz_mat_window_init(window, whole, 0, 0, k + 1, k + 1);
            fmpz_mat_det(t, window);
            fmpz_mat_window_clear(window);
            fmpz_mat_clear(whole);
        } else {
            fmpz_set(t, fmpz_mat_entry(a, k, k));
        }
        fmpq_set_fmpz_frac(det + k, t, product);
        if (singular || fmpz_is_zero(t)) {
            singular = 1;
            continue;
        }
        /* a_ij := (a_kk a_ij - a_ik a_kj) / previous pivot */
        for (slong i = k + 1; i < n; i++)
            for (slong j = k + 1; j < n; j++) {
                fmpz *entry = fmpz_mat_entry(a, i, j);
                fmpz_mul(entry, entry, fmpz_mat_entry(a, k, k));
                fmpz_submul(entry, fmpz_mat_entry(a, i, k), fmpz_mat_entry(a, k, j));
                fmpz_divexact(entry, entry, previous);
            }
        fmpz_set(previous, fmpz_mat_entry(a, k, k));
    }
    fmpz_mat_clear(a);
    _fmpz_vec_clear(scale, n);
    fmpz_clear(previous);
    fmpz_clear(t);
    fmpz_clear(product);
}

/* out := out (u)_m */
static void multiply_rising(fmpq_t out, const fmpq_t u, ulong m) {
    fmpq_t factor;
    fmpz_t one;
    fmpq_init(factor);
    fmpz_init_set_ui(one, 1);
    fmpq_set(factor, u);
    for (ulong i = 0; i < m; i++) {
        fmpq_mul(out, out, factor);
        fmpq_add_fmpz(factor, factor, one);
    }
    fmpq_clear(factor);
    fmpz_clear(one);
}

void exact_hankel_norm(fmpq_t h, const fmpq_t alpha, ulong m) {
    fmpq_one(h);
    if (m == 0)
        return;
    fmpq_t u;
    fmpz_t f;
    fmpq_init(u);
    fmpz_init(f);
    multiply_rising(h, alpha, m);
    fmpq_one(u);
    fmpq_sub(u, u, alpha);
    multiply_rising(h, u, m);
    fmpz_fac_ui(f, m);
    fmpq_mul_fmpz(h, h, f);
    fmpq_mul_fmpz(h, h, f);
    fmpz_fac_ui(f, 2 * m);
    fmpq_div_fmpz(h, h, f);
    fmpq_div_fmpz(h, h, f);
    fmpq_mul_2exp(h, h, 1);
    fmpq_clear(u);
    fmpz_clear(f);
}

void exact_chebyshev_norms(fmpq *norm, const fmpq *m, slong n) {
    /* sigma_{k,l} = int P_k x^l dmu:  sigma_{k+1,l} = sigma_{k,l+1} - a_k sigma_{k,l} - b_k sigma_{k-1,l};
       h_k = sigma_{k,k}, a_k = sigma_{k,k+1}/sigma_{k,k} - sigma_{k-1,k}/sigma_{k-1,k-1}. */
    fmpq *older = _fmpq_vec_init(2 * n), *row = _fmpq_vec_init(2 * n),
         *next = _fmpq_vec_init(2 * n);
    fmpq_t a, b, t;
    fmpq_init(a);
    fmpq_init(b);
    fmpq_init(t);
    for (slong l = 0; l < 2 * n; l++)
        fmpq_set(row + l, m + l);
    for (slong k = 0; k < n; k++)
        fmpq_zero(norm + k);
    for (slong k = 0; k < n; k++) {
        fmpq_set(norm + k, row + k);
        if (fmpq_is_zero(norm + k))
            break;
        fmpq_div(a, row + k + 1, row + k);
        fmpq_zero(b);
        if (k > 0) {
            fmpq_div(t, older + k, older + k - 1);
            fmpq_sub(a, a, t);
            fmpq_div(b, row + k, older + k - 1);
        }
        for (slong l = k + 1; l < 2 * n - k - 1; l++) {
            fmpq_mul(t, a, row + l);
            fmpq_sub(next + l, row + l + 1, t);
            fmpq_mul(t, b, older + l);
            fmpq_sub(next + l, next + l, t);
        }
        fmpq *swap = older;
        older = row;
        row = next;
        next = swap;
    }
    _fmpq_vec_clear(older, 2 * n);
    _fmpq_vec_clear(row, 2 * n);
    _fmpq_vec_clear(next, 2 * n);
    fmpq_clear(a);
    fmpq_clear(b);
    fmpq_clear(t);
}

void exact_tridiagonal_moments(fmpq *moment, const fmpq *centre, const fmpq *square, slong terms,
                               slong n) {
    /* v := J^T v with x P_k = P_{k+1} + centre_k P_k + square_k P_{k-1}: the coefficients of x^j in
       the basis P_0..P_{terms-1}, modulo P_terms */
    fmpq *v = _fmpq_vec_init(terms), *u = _fmpq_vec_init(terms);
    fmpq_t t;
    fmpq_init(t);
    fmpq_one(v);
    for (slong j = 0; j < n; j++) {
        fmpq_set(moment + j, v);
        for (slong k = 0; k < terms; k++) {
            fmpq_mul(u + k, centre + k, v + k);
            if (k > 0)
                fmpq_add(u + k, u + k, v + k - 1);
            if (k + 1 < terms) {
                fmpq_mul(t, square + k + 1, v + k + 1);
                fmpq_add(u + k, u + k, t);
            }
        }
        fmpq *swap = v;
        v = u;
        u = swap;
    }
    _fmpq_vec_clear(v, terms);
    _fmpq_vec_clear(u, terms);
    fmpq_clear(t);
}

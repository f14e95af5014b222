/* Brute force, bounds and singular values: what a certified run is held against. */
#include "numerics/exact/number.h"
#include "numerics/exact/vla.h"

vla_status vla_brute(arb_ptr state, const fmpq_t lambda0, slong steps, slong rows, slong dim,
                     arb_srcptr keys, arb_srcptr u, arb_srcptr v, arb_srcptr initial, slong prec) {
    arb_mat_t m, k, x;
    arb_t norm, e;
    vla_status status = VLA_OK;
    if (steps < 0 || rows < 1 || dim < 1 || prec < 2 || fmpq_sgn(lambda0) <= 0 ||
        !_arb_vec_is_finite(keys, steps * dim) || !_arb_vec_is_finite(u, steps * dim) ||
        !_arb_vec_is_finite(v, steps * rows))
        return VLA_BAD_ARGUMENT;
    arb_mat_init(m, dim, dim);
    arb_mat_init(k, dim, 1);
    arb_mat_init(x, dim, 1);
    arb_init(norm);
    arb_init(e);
    for (slong i = 0; i < dim; i++)
        exact_ball_from_rational(arb_mat_entry(m, i, i), lambda0, prec);
    for (slong i = 0; i < rows * dim; i++)
        initial != NULL ? arb_set(state + i, initial + i) : arb_zero(state + i);
    for (slong t = 0; t < steps && status == VLA_OK; t++) {
        for (slong i = 0; i < dim; i++)
            for (slong j = 0; j < dim; j++)
                arb_addmul(arb_mat_entry(m, i, j), u + t * dim + i, u + t * dim + j, prec);
        for (slong i = 0; i < dim; i++)
            arb_set(arb_mat_entry(k, i, 0), keys + t * dim + i);
        arb_mat_frobenius_norm(norm, k, prec);
        if (!arb_is_positive(norm)) {
            status = VLA_ZERO_KEY;
            break;
        }
        arb_mat_scalar_div_arb(k, k, norm, prec);
        if (!arb_mat_spd_solve(x, m, k, prec)) {
            status = VLA_LOST;
            break;
        }
        arb_mat_frobenius_norm(norm, x, prec);
        arb_mat_scalar_div_arb(x, x, norm, prec);
        for (slong n = 0; n < rows; n++) {
            arb_set(e, v + t * rows + n);
            for (slong i = 0; i < dim; i++)
                arb_submul(e, state + n * dim + i, arb_mat_entry(k, i, 0), prec);
            for (slong i = 0; i < dim; i++)
                arb_addmul(state + n * dim + i, e, arb_mat_entry(x, i, 0), prec);
        }
    }
    arb_mat_clear(m);
    arb_mat_clear(k);
    arb_mat_clear(x);
    arb_clear(norm);
    arb_clear(e);
    return status;
}

void vla_bound(arb_t bound, const arb_t v2, const arb_t u2, const fmpq_t lambda0, slong rank,
               slong dim, slong prec) {
    slong r = FLINT_MIN(rank, dim - 1);
    arb_t x;
    arb_init(x);
    arb_one(x);
    if (r > 0) {
        exact_ball_from_rational(x, lambda0, prec);
        arb_mul_si(x, x, r, prec);
        arb_div(x, u2, x, prec);
        arb_add_ui(x, x, 1, prec);
        arb_pow_ui(x, x, (ulong)r, prec);
    }
    arb_mul(x, x, v2, prec);
    arb_sqrtpos(bound, x, prec);
    arb_clear(x);
}

/* g := s^T s or s s^T, whichever is smaller; scale := its trace, by which g is divided. */
static void gram(arb_mat_t g, arb_t scale, arb_srcptr s, slong rows, slong dim, slong prec) {
    slong n = arb_mat_nrows(g), wide = n == rows;
    arb_zero(scale);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            if (wide)
                arb_dot(arb_mat_entry(g, i, j), NULL, 0, s + i * dim, 1, s + j * dim, 1, dim, prec);
            else
                arb_dot(arb_mat_entry(g, i, j), NULL, 0, s + i, dim, s + j, dim, rows, prec);
    arb_mat_trace(scale, g, prec);
    arb_mat_scalar_div_arb(g, g, scale, prec);
}

void vla_norm_trace(arb_t norm, arb_srcptr s, slong rows, slong dim, slong prec) {
    enum { SQUARINGS = 26 };
    slong n = FLINT_MIN(rows, dim);
    arb_mat_t g;
    arb_t scale, log, x, low, high;
    arb_mat_init(g, n, n);
    arb_init(scale);
    arb_init(log);
    arb_init(x);
    arb_init(low);
    arb_init(high);
    gram(g, scale, s, rows, dim, prec);
    /* ln tr G^(2^m) = log 2^m after m squarings, each divided by its trace */
    for (slong m = 1; m <= SQUARINGS; m++) {
        arb_mat_mul(g, g, g, prec);
        arb_mat_trace(x, g, prec);
        arb_mat_scalar_div_arb(g, g, x, prec);
        arb_log(x, x, prec);
        arb_mul_2exp_si(x, x, -m);
        arb_add(log, log, x, prec);
    }
    arb_set_si(x, n);
    arb_log(x, x, prec);
    arb_mul_2exp_si(x, x, -SQUARINGS);
    arb_sub(low, log, x, prec);
    arb_union(log, low, log, prec);
    arb_mul_2exp_si(log, log, -1);
    arb_exp(log, log, prec);
    arb_sqrt(scale, scale, prec);
    arb_mul(norm, log, scale, prec);
    arb_mat_clear(g);
    arb_clear(scale);
    arb_clear(log);
    arb_clear(x);
    arb_clear(low);
    arb_clear(high);
}

void vla_norm_pivots(arb_t norm, arb_srcptr s, slong rows, slong dim, slong prec) {
    enum { POWERS = 400 };
    slong n = FLINT_MIN(rows, dim);
    arb_mat_t g, l, c;
    arb_ptr x = _arb_vec_init(n), y = _arb_vec_init(n);
    arb_t scale, low, high, t;
    arb_mat_init(g, n, n);
    arb_mat_init(l, n, n);
    arb_mat_init(c, n, n);
    arb_init(scale);
    arb_init(low);
    arb_init(high);
    arb_init(t);
    gram(g, scale, s, rows, dim, prec);
    for (slong i = 0; i < n; i++) /* no symmetry that a matrix is likely to share */
        arb_set_si(x + i, 97 + (i * i * 31 + i * 17) % 89);
    for (int m = 0; m < POWERS; m++) { /* towards the first singular vector; any vector will do */
        for (slong i = 0; i < n; i++) {
            arb_dot(y + i, NULL, 0, g->rows[i], 1, x, 1, n, prec);
            mag_zero(arb_radref(y + i));
        }
        arb_dot(t, NULL, 0, y, 1, y, 1, n, prec);
        arb_rsqrt(t, t, prec);
        for (slong i = 0; i < n; i++) {
            arb_mul(x + i, y + i, t, prec);
            mag_zero(arb_radref(x + i));
        }
    }
    for (slong i = 0; i < n; i++)
        arb_dot(y + i, NULL, 0, g->rows[i], 1, x, 1, n, prec);
    arb_dot(low, NULL, 0, x, 1, y, 1, n, prec);
    arb_dot(t, NULL, 0, x, 1, x, 1, n, prec);
    arb_div(low, low, t, prec); /* x^T G x/x^T x <= lambda */
    /* above: low (1 + 2^-m) for the largest m that Cholesky accepts */
    arb_pos_inf(high);
    for (slong m = 24; m >= 0; m -= 2) {
        arb_one(t);
        arb_mul_2exp_si(t, t, -m);
        arb_add_ui(t, t, 1, prec);
        arb_mul(t, t, low, prec);
        arb_get_ubound_arf(arb_midref(t), t, prec);
        mag_zero(arb_radref(t));
        arb_mat_neg(l, g);
        for (slong i = 0; i < n; i++)
            arb_add(arb_mat_entry(l, i, i), arb_mat_entry(l, i, i), t, prec);
        if (arb_mat_cho(c, l, prec)) {
            arb_set(high, t);
            break;
        }
    }
    arb_union(t, low, high, prec);
    arb_mul(t, t, scale, prec);
    arb_sqrtpos(norm, t, prec);
    _arb_vec_clear(x, n);
    _arb_vec_clear(y, n);
    arb_mat_clear(g);
    arb_mat_clear(l);
    arb_mat_clear(c);
    arb_clear(scale);
    arb_clear(low);
    arb_clear(high);
    arb_clear(t);
}

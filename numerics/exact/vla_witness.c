/* State paths in Q and products of Jacobians in balls. */
#include "numerics/exact/vla_witness.h"
#include "numerics/exact/number.h"

static void dot(fmpq_t out, const fmpq *x, const fmpq *y, slong n) {
    fmpq_zero(out);
    for (slong i = 0; i < n; i++)
        fmpq_addmul(out, x + i, y + i);
}

static void add_outer(fmpq *m, const fmpq_t weight, const fmpq *g, slong d) {
    fmpq_t t;
    fmpq_init(t);
    for (slong i = 0; i < d; i++)
        for (slong j = 0; j < d; j++) {
            if (fmpq_is_zero(g + i) || fmpq_is_zero(g + j))
                continue;
            fmpq_mul(t, g + i, g + j);
            fmpq_addmul(m + i * d + j, weight, t);
        }
    fmpq_clear(t);
}

/* (X + Y)^2 <= 1 for X = sqrt(x2) >= 0, Y^2 = y2, sign = sign of Y. */
static int value_bounded(const fmpq_t x2, const fmpq_t y2, int sign) {
    fmpq_t rest, cross;
    fmpq_init(rest);
    fmpq_init(cross);
    fmpq_one(rest);
    fmpq_sub(rest, rest, x2);
    fmpq_sub(rest, rest, y2); /* 2XY <= rest? */
    fmpq_mul(cross, x2, y2);
    fmpq_mul_si(cross, cross, 4);
    int nonnegative = fmpq_sgn(rest) >= 0;
    fmpq_mul(rest, rest, rest);
    int order = fmpq_cmp(cross, rest), ok;
    ok = sign > 0 ? nonnegative && order <= 0 : nonnegative || order >= 0;
    fmpq_clear(rest);
    fmpq_clear(cross);
    return ok;
}

const char *vla_path_norm(fmpq_t norm2, const fmpq_t lambda0, const fmpq_t weight, int positive,
                          const fmpq *states, const fmpq *directions, slong steps, slong dim) {
    const char *lacks = NULL;
    if (fmpq_sgn(lambda0) <= 0 || fmpq_sgn(weight) < 0 || steps < 1 || dim < 1)
        return "needs lambda0 > 0, weight >= 0 and at least one step";
    fmpq *m = _fmpq_vec_init(dim * dim), *w = _fmpq_vec_init(dim), *f = _fmpq_vec_init(dim),
         *zero = _fmpq_vec_init(dim);
    fmpq_t w2, f2, sf;
    fmpq_init(w2);
    fmpq_init(f2);
    fmpq_init(sf);
    for (slong i = 0; i < dim; i++)
        fmpq_set(m + i * dim + i, lambda0);
    for (slong t = 0; t < steps && lacks == NULL; t++) {
        const fmpq *s = t > 0 ? states + (t - 1) * dim : zero;
        add_outer(m, weight, directions + t * dim, dim);
        for (slong i = 0; i < dim; i++)
            fmpq_sub(w + i, states + t * dim + i, s + i);
        for (slong i = 0; i < dim; i++)
            dot(f + i, m + i * dim, w, dim);
        dot(w2, w, w, dim);
        dot(f2, f, f, dim);
        dot(sf, s, f, dim);
        if (fmpq_is_zero(w2)) {
            lacks = "needs a path that moves at every step";
            break;
        }
        for (slong i = 0; i < dim && positive; i++)
            if (fmpq_sgn(f + i) == 0 || fmpq_sgn(f + i) != fmpq_sgn(f))
                lacks = "needs a path whose features are positive";
        int sign = fmpq_sgn(sf);
        fmpq_mul(sf, sf, sf);
        fmpq_div(sf, sf, f2);
        if (!value_bounded(w2, sf, sign))
            lacks = "needs a path whose values v_t are at most 1 in size";
    }
    dot(norm2, states + (steps - 1) * dim, states + (steps - 1) * dim, dim);
    _fmpq_vec_clear(m, dim * dim);
    _fmpq_vec_clear(w, dim);
    _fmpq_vec_clear(f, dim);
    _fmpq_vec_clear(zero, dim);
    fmpq_clear(w2);
    fmpq_clear(f2);
    fmpq_clear(sf);
    return lacks;
}

const char *vla_product_gain(arb_t gain, const fmpq_t lambda0, const fmpq_t weight, const fmpq *x,
                             const fmpq *features, const fmpq *directions, slong steps, slong dim,
                             slong prec) {
    const char *wrong = NULL;
    if (fmpq_sgn(lambda0) <= 0 || fmpq_sgn(weight) < 0 || steps < 1 || dim < 1)
        return "needs lambda0 > 0, weight >= 0 and at least one step";
    fmpq *m = _fmpq_vec_init(dim * dim);
    arb_mat_t a, f, y, s;
    arb_t t, n;
    arb_mat_init(a, dim, dim);
    arb_mat_init(f, dim, 1);
    arb_mat_init(y, dim, 1);
    arb_mat_init(s, dim, 1);
    arb_init(t);
    arb_init(n);
    for (slong i = 0; i < dim; i++) {
        fmpq_set(m + i * dim + i, lambda0);
        exact_ball_from_rational(arb_mat_entry(s, i, 0), x + i, prec);
    }
    arb_mat_frobenius_norm(gain, s, prec);
    for (slong step = 0; step < steps; step++) {
        add_outer(m, weight, directions + step * dim, dim);
        for (slong i = 0; i < dim * dim; i++)
            exact_ball_from_rational(arb_mat_entry(a, i / dim, i % dim), m + i, prec);
        arb_zero(t);
        for (slong i = 0; i < dim; i++) {
            exact_ball_from_rational(arb_mat_entry(f, i, 0), features + step * dim + i, prec);
            arb_addmul(t, arb_mat_entry(s, i, 0), arb_mat_entry(f, i, 0), prec);
        }
        arb_mat_frobenius_norm(n, f, prec);
        if (!arb_is_positive(n)) {
            wrong = "needs features that are not all 0";
            break;
        }
        arb_div(t, t, n, prec);
        if (!arb_mat_spd_solve(y, a, f, prec)) {
            arb_indeterminate(gain);
            break;
        }
        arb_mat_frobenius_norm(n, y, prec);
        arb_div(t, t, n, prec);
        for (slong i = 0; i < dim; i++)
            arb_submul(arb_mat_entry(s, i, 0), arb_mat_entry(y, i, 0), t, prec);
    }
    arb_mat_frobenius_norm(n, s, prec);
    arb_div(gain, n, gain, prec);
    _fmpq_vec_clear(m, dim * dim);
    arb_mat_clear(a);
    arb_mat_clear(f);
    arb_mat_clear(y);
    arb_mat_clear(s);
    arb_clear(t);
    arb_clear(n);
    return wrong;
}

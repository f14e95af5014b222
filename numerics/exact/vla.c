/* A certified run of the recurrence; the derivation stands in vla.h. */
#include "numerics/exact/vla.h"
#include "numerics/exact/number.h"

const char *vla_status_text(vla_status status) {
    static const char *const text[] = {
        "ok", "a shape, a precision, lambda0, delta or a number that is not finite",
        "a key or direction that may be zero", "too little precision"};
    return text[status];
}

vla_status vla_run_init(vla_run_t run, const fmpq_t lambda0, slong rows, slong dim, slong prec) {
    if (rows < 1 || dim < 1 || rows > 4096 || dim > 4096 || prec < 64 || prec > (1 << 20) ||
        fmpq_sgn(lambda0) <= 0)
        return VLA_BAD_ARGUMENT;
    run->rows = rows;
    run->dim = dim;
    run->prec = prec;
    run->steps = 0;
    run->a = _arb_vec_init(dim * dim);
    run->s = _arb_vec_init(rows * dim);
    run->work = _arb_vec_init(4 * dim + rows + 8);
    mag_init(run->a_error);
    mag_init(run->s_error);
    mag_init(run->m_upper);
    mag_init(run->a_upper);
    arb_init(run->lambda0);
    arb_init(run->growth);
    arb_init(run->u_squares);
    arb_init(run->v_squares);
    arb_init(run->residuals);
    arb_one(run->growth);
    exact_ball_from_rational(run->lambda0, lambda0, prec);
    arb_get_mag(run->m_upper, run->lambda0);
    arb_t x;
    arb_init(x);
    arb_inv(x, run->lambda0, prec);
    arb_get_mag(run->a_upper, x);
    mag_set(run->a_error, arb_radref(x)); /* |A^ - 1/lambda0| lambda0 */
    mag_mul(run->a_error, run->a_error, run->m_upper);
    mag_zero(arb_radref(x));
    for (slong i = 0; i < dim; i++)
        arb_set(run->a + i * dim + i, x);
    arb_clear(x);
    return VLA_OK;
}

void vla_run_clear(vla_run_t run) {
    _arb_vec_clear(run->a, run->dim * run->dim);
    _arb_vec_clear(run->s, run->rows * run->dim);
    _arb_vec_clear(run->work, 4 * run->dim + run->rows + 8);
    mag_clear(run->a_error);
    mag_clear(run->s_error);
    mag_clear(run->m_upper);
    mag_clear(run->a_upper);
    arb_clear(run->lambda0);
    arb_clear(run->growth);
    arb_clear(run->u_squares);
    arb_clear(run->v_squares);
    arb_clear(run->residuals);
}

/* x := its midpoint; square += radius^2 times weight. */
static void take_midpoint(arb_t x, mag_t square, ulong weight) {
    mag_t r;
    if (mag_is_zero(arb_radref(x)))
        return;
    mag_init(r);
    mag_mul(r, arb_radref(x), arb_radref(x));
    mag_mul_ui(r, r, weight);
    mag_add(square, square, r);
    mag_zero(arb_radref(x));
    mag_clear(r);
}

vla_status vla_run_set_state(vla_run_t run, arb_srcptr s) {
    mag_t rho, root;
    if (!_arb_vec_is_finite(s, run->rows * run->dim))
        return VLA_BAD_ARGUMENT;
    mag_init(rho);
    mag_init(root);
    for (slong i = 0; i < run->rows * run->dim; i++) {
        arb_set_round(run->s + i, s + i, run->prec);
        take_midpoint(run->s + i, rho, 1);
    }
    mag_sqrt(rho, rho);
    mag_sqrt(root, run->m_upper);
    mag_mul(run->s_error, rho, root);
    mag_clear(rho);
    mag_clear(root);
    return VLA_OK;
}

/* low := a lower bound of |x|. */
static void mag_below(mag_t low, const arb_t x) {
    arb_get_mag_lower(low, x);
}

/* A := A - z z^T/(1 + u.z), z = A u, with the error that this step adds; growth := 1 + u^T A_{t-1} u for
   the true A.  Before anything changes: VLA_LOST if 1 + u.z may be 0. */
static vla_status update_inverse(vla_run_t run, arb_srcptr u, arb_t growth) {
    slong d = run->dim, prec = run->prec;
    arb_ptr z = run->work, w = run->work + d;
    mag_t rho, t;
    for (slong i = 0; i < d; i++)
        arb_dot(z + i, NULL, 0, run->a + i * d, 1, u, 1, d, prec);
    arb_dot(growth, NULL, 0, u, 1, z, 1, d, prec);
    arb_add_ui(w, growth, 1, prec);
    if (!arb_is_positive(w))
        return VLA_LOST;
    mag_init(rho);
    mag_init(t);
    /* u^T A u is within a_error u^T A u of what A^ gives */
    arb_get_mag(t, growth);
    mag_mul(t, t, run->a_error);
    mag_mul_2exp_si(t, t, 1); /* 1/(1-e) <= 2 */
    arb_add_ui(growth, growth, 1, prec);
    arb_add_error_mag(growth, t);
    arb_set(run->work + 2 * d, w);
    for (slong i = 0; i < d; i++)
        arb_div(w + i, z + i, run->work + 2 * d, prec);
    for (slong i = 0; i < d; i++) {
        if (arb_is_zero(z + i))
            continue;
        for (slong j = i; j < d; j++) {
            if (arb_is_zero(z + j))
                continue;
            arb_ptr x = run->a + i * d + j;
            arb_submul(x, z + i, w + j, prec);
            take_midpoint(x, rho, i == j ? 1 : 2);
            if (i != j)
                arb_set(run->a + j * d + i, x);
        }
    }
    arb_dot(run->work + 2 * d, NULL, 0, u, 1, u, 1, d, prec);
    arb_add(run->u_squares, run->u_squares, run->work + 2 * d, prec);
    arb_get_mag(t, run->work + 2 * d);
    mag_add(run->m_upper, run->m_upper, t);
    mag_sqrt(rho, rho);
    mag_addmul(run->a_error, rho, run->m_upper);
    mag_clear(rho);
    mag_clear(t);
    return VLA_OK;
}

/* bound := an upper bound of |a^-a|_M, from x = A^k (|x| = length) and k. */
static void gate_error(mag_t bound, const vla_run_t run, arb_srcptr x, const arb_t length,
                       arb_srcptr k) {
    arb_t dot;
    mag_t g, low, other;
    arb_init(dot);
    mag_init(g);
    mag_init(low);
    mag_init(other);
    arb_dot(dot, NULL, 0, x, 1, k, 1, run->dim, run->prec);
    arb_get_mag(g, dot);
    mag_mul_2exp_si(g, g, 1); /* k^T A k <= k^T A^ k/(1-e), e <= 1/2 */
    mag_mul(other, g, run->a_upper);
    mag_sqrt(g, g);
    mag_sqrt(other, other); /* sqrt(|A| g) */
    mag_below(low, length);
    mag_mul(bound, g, run->a_error);
    mag_div(bound, bound, low);
    /* |A k| >= |A^k| - e sqrt(|A| g) */
    arb_set_round(dot, length, 64);
    mag_mul(g, other, run->a_error);
    arb_add_error_mag(dot, g);
    arb_get_mag_lower(low, dot);
    mag_div(other, other, low); /* infinite if low is 0: the caller sees that */
    mag_addmul(bound, bound, other);
    arb_clear(dot);
    mag_clear(g);
    mag_clear(low);
    mag_clear(other);
}

vla_status vla_run_step(vla_run_t run, arb_srcptr key, arb_srcptr u, arb_srcptr v) {
    slong d = run->dim, prec = run->prec;
    arb_ptr x = run->work + 2 * d, k = run->work + 3 * d, e = run->work + 4 * d,
            scalar = run->work + 4 * d + run->rows;
    if (!_arb_vec_is_finite(key, d) || !_arb_vec_is_finite(u, d) ||
        !_arb_vec_is_finite(v, run->rows))
        return VLA_BAD_ARGUMENT;
    arb_dot(scalar, NULL, 0, key, 1, key, 1, d, prec);
    if (!arb_is_positive(scalar))
        return VLA_ZERO_KEY;
    if (mag_cmp_2exp_si(run->a_error, -4) > 0)
        return VLA_LOST;
    arb_one(scalar + 1);
    if (!_arb_vec_is_zero(u, d)) {
        vla_status status = update_inverse(run, u, scalar + 1);
        if (status != VLA_OK)
            return status;
    }
    mag_t rho, t;
    mag_init(rho);
    mag_init(t);
    arb_mul(run->growth, run->growth, scalar + 1, prec);
    arb_get_mag(t, scalar + 1);
    mag_sqrt(t, t);
    mag_mul(run->s_error, run->s_error, t);

    arb_rsqrt(scalar, scalar, prec);
    _arb_vec_scalar_mul(k, key, d, scalar, prec);
    for (slong i = 0; i < d; i++)
        arb_dot(x + i, NULL, 0, run->a + i * d, 1, k, 1, d, prec);
    arb_dot(scalar, NULL, 0, x, 1, x, 1, d, prec);
    arb_sqrt(scalar, scalar, prec);
    gate_error(t, run, x, scalar, k);

    arb_zero(scalar + 2);
    for (slong n = 0; n < run->rows; n++) {
        arb_dot(e + n, v + n, 1, run->s + n * d, 1, k, 1, d, prec);
        arb_addmul(scalar + 2, e + n, e + n, prec);
        arb_addmul(run->v_squares, v + n, v + n, prec);
    }
    arb_sqrtpos(scalar + 2, scalar + 2, prec);
    _arb_vec_scalar_div(x, x, d, scalar, prec);
    for (slong n = 0; n < run->rows; n++)
        for (slong i = 0; i < d; i++) {
            arb_ptr y = run->s + n * d + i;
            arb_addmul(y, e + n, x + i, prec);
            take_midpoint(y, rho, 1);
        }
    /* the true residual: |e| = |e^ + D k| <= |e^| + |D|_F, from the state before */
    mag_t size;
    mag_init(size);
    mag_sqrt(size, run->a_upper);
    mag_mul(size, size, run->s_error);
    arb_add(run->residuals, run->residuals, scalar + 2, prec);
    arb_add_error_mag(run->residuals, size);
    arb_get_mag(size, scalar + 2);
    mag_addmul(run->s_error, size, t);
    mag_sqrt(rho, rho);
    mag_sqrt(t, run->m_upper);
    mag_addmul(run->s_error, rho, t);
    mag_clear(size);
    mag_clear(rho);
    mag_clear(t);
    run->steps++;
    return mag_is_inf(run->s_error) ? VLA_LOST : VLA_OK;
}

vla_status vla_run_refresh(vla_run_t run, const fmpq_t delta) {
    slong d = run->dim;
    arb_t x;
    mag_t rho, t;
    if (fmpq_sgn(delta) < 0)
        return VLA_BAD_ARGUMENT;
    arb_init(x);
    mag_init(rho);
    mag_init(t);
    exact_ball_from_rational(x, delta, run->prec);
    for (slong i = 0; i < d; i++) {
        arb_add(run->a + i * d + i, run->a + i * d + i, x, run->prec);
        take_midpoint(run->a + i * d + i, rho, 1);
    }
    mag_sqrt(rho, rho);
    mag_addmul(run->a_error, rho, run->m_upper); /* M falls: m_upper still bounds it */
    arb_get_mag(t, x);
    mag_add(run->a_upper, run->a_upper, t);
    arb_clear(x);
    mag_clear(rho);
    mag_clear(t);
    return VLA_OK;
}

void vla_run_norm(arb_t norm, const vla_run_t run) {
    mag_t t;
    mag_init(t);
    arb_dot(norm, NULL, 0, run->s, 1, run->s, 1, run->rows * run->dim, run->prec);
    arb_sqrtpos(norm, norm, run->prec);
    mag_sqrt(t, run->a_upper);
    mag_mul(t, t, run->s_error);
    arb_add_error_mag(norm, t);
    mag_clear(t);
}

void vla_run_state(arb_ptr s, const vla_run_t run) {
    mag_t t;
    mag_init(t);
    mag_sqrt(t, run->a_upper);
    mag_mul(t, t, run->s_error);
    for (slong i = 0; i < run->rows * run->dim; i++) {
        arb_set(s + i, run->s + i);
        arb_add_error_mag(s + i, t);
    }
    mag_clear(t);
}

/* Weights, Laplace transform, Gauss rules, moments. */
#include "tests/oracles/answers.h"
#include "numerics/exact/gauss.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/gl_order.h"
#include "numerics/exact/hankel.h"
#include "numerics/exact/laplace.h"

/* ---- weights ---- */

void answer_weights(const char *name) {
    fmpq_t alpha, w;
    fmpz_t j;
    arb_t x, t;
    fmpq_init(alpha);
    fmpq_init(w);
    fmpz_init(j);
    arb_init(x);
    arb_init(t);
    get_q(alpha);
    if (strcmp(name, "gl-rational") == 0) {
        exact_gl_rational(w, alpha, (ulong)get_si());
        put_q(w);
    } else if (strcmp(name, "gl-rational-vec") == 0 || strcmp(name, "gl-polynomial") == 0) {
        slong n = get_si();
        fmpq *list = _fmpq_vec_init(n + 1);
        if (name[3] == 'r')
            exact_gl_rational_vec(list, alpha, n);
        else
            exact_gl_order_polynomial(list, n - 1);
        put_list(list, n);
        _fmpq_vec_clear(list, n + 1);
    } else if (strcmp(name, "gl-ball") == 0) {
        get_z(j);
        exact_gl_ball(x, alpha, j, get_si());
        put_ball(x);
    } else if (strcmp(name, "gl-ball-vec") == 0) {
        get_z(j);
        slong n = get_si();
        arb_ptr list = _arb_vec_init(n);
        exact_gl_ball_vec(list, alpha, j, n, get_si());
        put_balls(list, n);
        _arb_vec_clear(list, n);
    } else if (strcmp(name, "gl-order") == 0) {
        slong n = get_si(), prec = get_si();
        arb_ptr list = _arb_vec_init(3 * n);
        arb_set_fmpq(x, alpha, prec);
        exact_gl_order_vec(list, list + n, list + 2 * n, x, n, prec);
        put_ball(list + n - 1);
        put_ball(list + 2 * n - 1);
        put_ball(list + 3 * n - 1);
        _arb_vec_clear(list, 3 * n);
    } else { /* at a real t: gl-real, gl-ratio, gl-taylor */
        slong prec = 200;
        get_q(w);
        arb_set_fmpq(t, w, prec);
        arb_set_fmpq(x, alpha, prec);
        if (strcmp(name, "gl-real") == 0) {
            exact_gl_real(x, x, t, prec);
            put_ball(x);
        } else if (strcmp(name, "gl-ratio") == 0) {
            exact_gl_power_ratio(x, alpha, t, prec);
            put_ball(x);
        } else {
            slong n = get_si();
            arb_poly_t p;
            arb_poly_init(p);
            exact_gl_log_taylor(p, alpha, t, n, prec);
            for (slong i = 0; i < n; i++) {
                arb_poly_get_coeff_arb(x, p, i);
                put_ball(x);
            }
            arb_poly_clear(p);
        }
    }
    arb_clear(t);
    arb_clear(x);
    fmpz_clear(j);
    fmpq_clear(w);
    fmpq_clear(alpha);
}

void answer_harmonic(const char *name) {
    (void)name;
    fmpq_t h;
    fmpq_init(h);
    exact_harmonic(h, (ulong)get_si());
    put_q(h);
    fmpq_clear(h);
}

/* alpha lambda: the density; alpha m top|0: the integral over (0,top), or (0,inf) by both paths. */
void answer_laplace(const char *name) {
    enum { PREC = 170 };
    fmpq_t alpha, q;
    arb_t x, y;
    fmpq_init(alpha);
    fmpq_init(q);
    arb_init(x);
    arb_init(y);
    get_q(alpha);
    if (strcmp(name, "density") == 0) {
        get_q(q);
        arb_set_fmpq(y, q, PREC);
        exact_laplace_density(x, alpha, y, PREC);
        put_ball(x);
    } else {
        ulong m = (ulong)get_si();
        get_q(q);
        arb_set_fmpq(y, q, PREC);
        exact_laplace_integral(x, alpha, m, fmpq_is_zero(q) ? NULL : y, PREC);
        put_ball(x);
        if (fmpq_is_zero(q)) {
            exact_laplace_integral_sinc(x, alpha, m, PREC);
            put_ball(x);
        }
    }
    arb_clear(x);
    arb_clear(y);
    fmpq_clear(q);
    fmpq_clear(alpha);
}

/* ---- quadrature, moments, determinants ---- */

void answer_gauss(const char *name) {
    gauss_weight_t w;
    exact_gauss_weight_init(w, strcmp(name, "jacobi") == 0 ? GAUSS_JACOBI : GAUSS_LAGUERRE);
    get_q(w->a);
    get_q(w->b);
    slong n = get_si(), prec = get_si();
    arb_ptr x = _arb_vec_init(2 * n);
    if (exact_gauss_rule(x, x + n, w, n, prec) != GAUSS_OK)
        printf(" failed");
    put_balls(x, 2 * n);
    _arb_vec_clear(x, 2 * n);
    exact_gauss_weight_clear(w);
}

void answer_moments(const char *name) {
    if (strcmp(name, "hankel-norm") == 0) {
        fmpq_t alpha, h;
        fmpq_init(alpha);
        fmpq_init(h);
        get_q(alpha);
        exact_hankel_norm(h, alpha, (ulong)get_si());
        put_q(h);
        fmpq_clear(alpha);
        fmpq_clear(h);
        return;
    }
    slong n, more;
    fmpq *m = get_list(&n), *other = NULL;
    if (strcmp(name, "hankel-minors") == 0) { /* m[0 .. 2n-2] */
        slong size = (n + 1) / 2;
        other = _fmpq_vec_init(size);
        exact_hankel_minors(other, m, size);
        put_list(other, size);
        _fmpq_vec_clear(other, size);
    } else if (strcmp(name, "chebyshev") == 0) { /* m[0 .. 2n-1] */
        other = _fmpq_vec_init(n / 2);
        exact_chebyshev_norms(other, m, n / 2);
        put_list(other, n / 2);
        _fmpq_vec_clear(other, n / 2);
    } else { /* tridiagonal-moments: centres, squares, how many */
        other = get_list(&more);
        slong count = get_si();
        fmpq *out = _fmpq_vec_init(count);
        exact_tridiagonal_moments(out, m, other, n, count);
        put_list(out, count);
        _fmpq_vec_clear(out, count);
        _fmpq_vec_clear(other, more);
    }
    _fmpq_vec_clear(m, n > 0 ? n : 1);
}

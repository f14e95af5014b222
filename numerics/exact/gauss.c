#include "numerics/exact/gauss.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <math.h>

void exact_gauss_weight_init(gauss_weight_t w, gauss_family family) {
    w->family = family;
    fmpq_init(w->a);
    fmpq_init(w->b);
}

void exact_gauss_weight_clear(gauss_weight_t w) {
    fmpq_clear(w->a);
    fmpq_clear(w->b);
}

/* out := u + n */
static void add_integer(fmpq_t out, const fmpq_t u, slong n) {
    fmpz_t z;
    fmpz_init_set_si(z, n);
    fmpq_add_fmpz(out, u, z);
    fmpz_clear(z);
}

static void jacobi_recurrence(fmpq_t centre, fmpq_t square, const fmpq_t a, const fmpq_t b,
                              slong k) {
    fmpq_t s, t, one;
    fmpq_init(s);
    fmpq_init(t);
    fmpq_init(one);
    fmpq_one(one);
    fmpq_add(s, a, b);
    if (k == 0) {
        /* centre_0 = (a+1)/(a+b+2) */
        add_integer(centre, a, 1);
        add_integer(t, s, 2);
        fmpq_div(centre, centre, t);
        fmpq_zero(square);
    } else {
        /* c = 2k+a+b; centre = (1 + (a^2-b^2)/(c(c+2)))/2 */
        fmpq_t c, u;
        fmpq_init(c);
        fmpq_init(u);
        add_integer(c, s, 2 * k);
        fmpq_mul(centre, a, a);
        fmpq_mul(t, b, b);
        fmpq_sub(centre, centre, t);
        fmpq_div(centre, centre, c);
        add_integer(t, c, 2);
        fmpq_div(centre, centre, t);
        fmpq_add(centre, centre, one);
        fmpq_div_2exp(centre, centre, 1);
        /* square = k(k+a)(k+b)(k+a+b)/(c^2(c+1)(c-1)); at k = 1 the factor k+a+b = c-1 cancels */
        add_integer(square, a, k);
        add_integer(t, b, k);
        fmpq_mul(square, square, t);
        if (k > 1) {
            fmpq_set_si(t, k, 1);
            fmpq_mul(square, square, t);
            add_integer(t, s, k);
            fmpq_mul(square, square, t);
            add_integer(t, c, -1);
            fmpq_div(square, square, t);
        }
        add_integer(u, c, 1);
        fmpq_mul(t, c, c);
        fmpq_mul(t, t, u);
        fmpq_div(square, square, t);
        fmpq_clear(c);
        fmpq_clear(u);
    }
    fmpq_clear(s);
    fmpq_clear(t);
    fmpq_clear(one);
}

void exact_gauss_recurrence(fmpq_t centre, fmpq_t square, const gauss_weight_t w, ulong k) {
    if (w->family == GAUSS_JACOBI) {
        jacobi_recurrence(centre, square, w->a, w->b, (slong)k);
        return;
    }
    /* Laguerre: centre = 2k+1+a, square = k(k+a) */
    fmpq_t t;
    fmpq_init(t);
    add_integer(centre, w->a, 2 * (slong)k + 1);
    add_integer(square, w->a, (slong)k);
    fmpq_set_si(t, (slong)k, 1);
    fmpq_mul(square, square, t);
    fmpq_clear(t);
}

void exact_gauss_norm(fmpq_t norm, const gauss_weight_t w, ulong k) {
    fmpq_t centre, square;
    fmpq_init(centre);
    fmpq_init(square);
    fmpq_one(norm);
    for (ulong i = 1; i <= k; i++) {
        exact_gauss_recurrence(centre, square, w, i);
        fmpq_mul(norm, norm, square);
    }
    fmpq_clear(centre);
    fmpq_clear(square);
}

/* Golub-Welsch in doubles: starting values only. */
static int starting_nodes(double *x, const gauss_weight_t w, slong n) {
    gsl_error_handler_t *previous = gsl_set_error_handler_off();
    gsl_matrix *m = gsl_matrix_calloc((size_t)n, (size_t)n);
    gsl_vector *values = gsl_vector_alloc((size_t)n);
    gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc((size_t)n);
    fmpq_t centre, square;
    fmpq_init(centre);
    fmpq_init(square);
    int status = m && values && work ? GSL_SUCCESS : GSL_ENOMEM;
    for (slong k = 0; k < n && status == GSL_SUCCESS; k++) {
        exact_gauss_recurrence(centre, square, w, (ulong)k);
        gsl_matrix_set(m, (size_t)k, (size_t)k, fmpq_get_d(centre));
        if (k > 0) {
            double off = sqrt(fmpq_get_d(square));
            gsl_matrix_set(m, (size_t)k, (size_t)k - 1, off);
            gsl_matrix_set(m, (size_t)k - 1, (size_t)k, off);
        }
    }
    if (status == GSL_SUCCESS)
        status = gsl_eigen_symm(m, values, work);
    for (slong i = 0; i < n && status == GSL_SUCCESS; i++)
        x[i] = gsl_vector_get(values, (size_t)i);
    for (slong i = 1; i < n && status == GSL_SUCCESS; i++) { /* insertion sort */
        double v = x[i];
        slong k = i;
        for (; k > 0 && x[k - 1] > v; k--)
            x[k] = x[k - 1];
        x[k] = v;
    }
    if (m)
        gsl_matrix_free(m);
    if (values)
        gsl_vector_free(values);
    if (work)
        gsl_eigen_symm_free(work);
    fmpq_clear(centre);
    fmpq_clear(square);
    gsl_set_error_handler(previous);
    return status == GSL_SUCCESS;
}

/* value, slope, previous := P_n(x), P_n'(x), P_{n-1}(x). */
static void evaluate(arb_t value, arb_t slope, arb_t previous, arb_srcptr centre, arb_srcptr square,
                     slong n, const arb_t x, slong prec) {
    arb_t p0, d0, p2, d2, shift;
    arb_init(p0);
    arb_init(d0);
    arb_init(p2);
    arb_init(d2);
    arb_init(shift);
    arb_zero(p0);
    arb_zero(d0);
    arb_one(value);
    arb_zero(slope);
    for (slong k = 0; k < n; k++) {
        arb_sub(shift, x, centre + k, prec);
        arb_mul(p2, shift, value, prec);
        arb_submul(p2, square + k, p0, prec);
        arb_mul(d2, shift, slope, prec);
        arb_add(d2, d2, value, prec);
        arb_submul(d2, square + k, d0, prec);
        arb_swap(p0, value);
        arb_swap(value, p2);
        arb_swap(d0, slope);
        arb_swap(slope, d2);
    }
    arb_set(previous, p0);
    arb_clear(p0);
    arb_clear(d0);
    arb_clear(p2);
    arb_clear(d2);
    arb_clear(shift);
}

/* x := the zero of P_n next to the double start, enclosed by interval Newton; 1 on success. */
static int isolate(arb_t x, arb_srcptr centre, arb_srcptr square, slong n, double start, slong prec,
                   slong wp) {
    arb_t m, value, slope, previous, step, wide;
    arb_init(m);
    arb_init(value);
    arb_init(slope);
    arb_init(previous);
    arb_init(step);
    arb_init(wide);
    arb_set_d(m, start);
    for (int i = 0; i < 64; i++) {
        evaluate(value, slope, previous, centre, square, n, m, wp);
        mag_zero(arb_radref(value));
        mag_zero(arb_radref(slope));
        arb_div(step, value, slope, wp);
        mag_zero(arb_radref(step));
        if (!arb_is_finite(step))
            break;
        arb_sub(m, m, step, wp);
        mag_zero(arb_radref(m));
        if (arb_is_zero(step) || arf_cmpabs_2exp_si(arb_midref(step), -(prec + 2 * n) - 40) < 0)
            break;
    }
    /* X = m +- r, N(X) = m - P(m)/P'(X) inside X */
    arb_set(wide, m);
    mag_set_ui_2exp_si(arb_radref(wide), 1, -(prec + 2 * n) - 20);
    evaluate(value, slope, previous, centre, square, n, m, wp);
    arb_set(step, value);
    evaluate(value, slope, previous, centre, square, n, wide, wp);
    arb_div(step, step, slope, wp);
    arb_sub(x, m, step, wp);
    int ok = arb_is_finite(x) && !arb_contains_zero(slope) && arb_contains(wide, x);
    arb_clear(m);
    arb_clear(value);
    arb_clear(slope);
    arb_clear(previous);
    arb_clear(step);
    arb_clear(wide);
    return ok;
}

gauss_status exact_gauss_rule(arb_ptr node, arb_ptr weight, const gauss_weight_t w, slong n,
                              slong prec) {
    if (n < 1 || prec < 2 || fmpq_cmp_si(w->a, -1) <= 0 ||
        (w->family == GAUSS_JACOBI && fmpq_cmp_si(w->b, -1) <= 0))
        return GAUSS_BAD_ARGUMENT;
    /* Balls lose up to log2(1+sqrt 2) < 1.3 bits a step of the recurrence: pay for them here. */
    slong wp = prec + 6 * n + 128;
    double *start = flint_malloc((size_t)n * sizeof *start);
    arb_ptr centre = _arb_vec_init(n), square = _arb_vec_init(n);
    fmpq_t c, s;
    fmpq_init(c);
    fmpq_init(s);
    for (slong k = 0; k < n; k++) {
        exact_gauss_recurrence(c, s, w, (ulong)k);
        arb_set_fmpq(centre + k, c, wp);
        arb_set_fmpq(square + k, s, wp);
    }
    gauss_status status = starting_nodes(start, w, n) ? GAUSS_OK : GAUSS_NOT_SEPARATED;
    for (slong i = 0; i < n && status == GAUSS_OK; i++)
        if (!isolate(node + i, centre, square, n, start[i], prec, wp))
            status = GAUSS_NOT_SEPARATED;
    for (slong i = 1; i < n && status == GAUSS_OK; i++)
        if (!arb_lt(node + i - 1, node + i))
            status = GAUSS_NOT_SEPARATED;
    if (status == GAUSS_OK) {
        /* Christoffel: weight_i = h_{n-1} / (P_n'(x_i) P_{n-1}(x_i)) */
        arb_t value, slope, previous, norm;
        arb_init(value);
        arb_init(slope);
        arb_init(previous);
        arb_init(norm);
        exact_gauss_norm(c, w, (ulong)n - 1);
        arb_set_fmpq(norm, c, wp);
        for (slong i = 0; i < n; i++) {
            evaluate(value, slope, previous, centre, square, n, node + i, wp);
            arb_mul(slope, slope, previous, wp);
            arb_div(weight + i, norm, slope, wp);
            if (arb_rel_accuracy_bits(weight + i) < prec || arb_rel_accuracy_bits(node + i) < prec)
                status = GAUSS_NOT_SEPARATED;
            arb_set_round(weight + i, weight + i, prec + 2);
            arb_set_round(node + i, node + i, prec + 2);
        }
        arb_clear(value);
        arb_clear(slope);
        arb_clear(previous);
        arb_clear(norm);
    }
    flint_free(start);
    _arb_vec_clear(centre, n);
    _arb_vec_clear(square, n);
    fmpq_clear(c);
    fmpq_clear(s);
    return status;
}

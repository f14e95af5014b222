/* Answers requests for what the exact layer computes: a line "NAME ARGUMENT..." on standard input, a
   line of numbers on standard output, each n/d, or m:e:M:E for the ball of midpoint m 2^e and radius
   M 2^E.  Arguments are rationals; a list is its length and its elements.  tests/oracles/oracles.py
   asks, and knows the right answers from elsewhere. */
#include "numerics/exact/banks.h"
#include "numerics/exact/fenwick.h"
#include "numerics/exact/gauss.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/gl_order.h"
#include "numerics/exact/hankel.h"
#include "numerics/exact/laplace.h"
#include "numerics/exact/modes.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"
#include "numerics/exact/soe_minimax.h"
#include "numerics/exact/soe_refit.h"
#include "numerics/exact/soe_theory.h"
#include "numerics/exact/vla.h"
#include "numerics/exact/vla_growth.h"
#include "numerics/exact/witness.h"

#include "theorems/vort/l2_lower_bound/l2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments and answers ---- */

static const char *word(void) {
    const char *w = strtok(NULL, " \n");
    if (w == NULL) {
        printf("too few arguments\n");
        exit(2);
    }
    return w;
}

static void get_q(fmpq_t x) {
    const char *w = word(), *reason = exact_parse_rational(x, w);
    if (reason != NULL) {
        printf("%s: %s\n", w, reason);
        exit(2);
    }
}

static void get_z(fmpz_t x) {
    if (exact_parse_integer(x, word()) != NULL) {
        printf("a whole number is wanted\n");
        exit(2);
    }
}

static slong get_si(void) {
    fmpz_t x;
    fmpz_init(x);
    get_z(x);
    slong n = fmpz_get_si(x);
    fmpz_clear(x);
    return n;
}

/* The list; free with _fmpq_vec_clear. */
static fmpq *get_list(slong *n) {
    *n = get_si();
    fmpq *x = _fmpq_vec_init(*n > 0 ? *n : 1);
    for (slong i = 0; i < *n; i++)
        get_q(x + i);
    return x;
}

static void put_q(const fmpq_t x) {
    char *text = exact_fraction(x);
    printf(" %s", text);
    flint_free(text);
}

static void put_list(const fmpq *x, slong n) {
    for (slong i = 0; i < n; i++)
        put_q(x + i);
}

static void put_dyadic(const arf_t x) {
    fmpz_t m, e;
    fmpz_init(m);
    fmpz_init(e);
    arf_get_fmpz_2exp(m, e, x);
    fmpz_print(m);
    printf(":");
    fmpz_print(e);
    fmpz_clear(m);
    fmpz_clear(e);
}

static void put_ball(const arb_t x) {
    if (!arb_is_finite(x)) {
        printf(" infinite");
        return;
    }
    arf_t r;
    arf_init(r);
    arf_set_mag(r, arb_radref(x));
    printf(" ");
    put_dyadic(arb_midref(x));
    printf(":");
    put_dyadic(r);
    arf_clear(r);
}

static void put_balls(arb_srcptr x, slong n) {
    for (slong i = 0; i < n; i++)
        put_ball(x + i);
}

static void put_arf(const arf_t x) {
    arb_t ball;
    arb_init(ball);
    arb_set_arf(ball, x);
    put_ball(ball);
    arb_clear(ball);
}

static arb_ptr balls_of(const fmpq *x, slong n, slong prec) {
    arb_ptr b = _arb_vec_init(n > 0 ? n : 1);
    for (slong i = 0; i < n; i++)
        arb_set_fmpq(b + i, x + i, prec);
    return b;
}

/* ---- weights ---- */

static void answer_weights(const char *name) {
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

static void answer_harmonic(const char *name) {
    (void)name;
    fmpq_t h;
    fmpq_init(h);
    exact_harmonic(h, (ulong)get_si());
    put_q(h);
    fmpq_clear(h);
}

/* alpha lambda: the density; alpha m top|0: the integral over (0,top), or (0,inf) by both paths. */
static void answer_laplace(const char *name) {
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

static void answer_gauss(const char *name) {
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

static void answer_moments(const char *name) {
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

/* ---- sums of exponentials ---- */

static void put_sum(const soe_sum_t sum) {
    put_list(sum->weight, sum->terms);
    put_list(sum->mode, sum->terms);
}

/* gl|power order */
static void get_kernel(soe_kernel_t kernel) {
    fmpq_t order;
    fmpq_init(order);
    const char *kind = word();
    get_q(order);
    soe_kernel_init(kernel, strcmp(kind, "gl") == 0 ? SOE_KERNEL_GL : SOE_KERNEL_POWER, order);
    fmpq_clear(order);
}

/* rate|node, weights, modes */
static void get_sum(soe_sum_t sum) {
    slong n, m;
    soe_form form = strcmp(word(), "rate") == 0 ? SOE_RATE : SOE_NODE;
    fmpq *weight = get_list(&n), *mode = get_list(&m);
    soe_sum_init(sum, n, form);
    for (slong i = 0; i < n; i++) {
        fmpq_set(sum->weight + i, weight + i);
        fmpq_set(sum->mode + i, mode + i);
    }
    _fmpq_vec_clear(weight, n);
    _fmpq_vec_clear(mode, m);
}

static void answer_soe(const char *name) {
    soe_kernel_t kernel;
    soe_sum_t sum;
    fmpz_t horizon;
    fmpz_init(horizon);
    get_kernel(kernel);
    get_z(horizon);
    soe_error error = strcmp(word(), "relative") == 0 ? SOE_RELATIVE : SOE_ABSOLUTE;
    if (strcmp(name, "certify") == 0) { /* lower, upper, at; beyond lower, upper if wanted */
        soe_bound_t b;
        soe_bound_init(b);
        int beyond = (int)get_si();
        get_sum(sum);
        if (soe_certify(b, kernel, sum, horizon, error, beyond, 1e-9, 128) != SOE_OK)
            printf(" failed");
        put_arf(b->lower);
        put_arf(b->upper);
        put_arf(b->at);
        if (beyond) {
            put_arf(b->beyond_lower);
            put_arf(b->beyond_upper);
        }
        soe_bound_clear(b);
        soe_sum_clear(sum);
    } else if (strcmp(name, "minimax") == 0) { /* terms: weights, rates, lower, points */
        soe_minimax_t m;
        arf_t lower;
        soe_minimax_init(m);
        arf_init(lower);
        if (soe_minimax(m, kernel, horizon, error, get_si(), 1e-6, NULL, NULL) != SOE_OK)
            printf(" failed");
        soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, error, 256);
        put_sum(m->sum);
        put_arf(lower);
        for (slong i = 0; i < m->points; i++)
            put_arf(m->point + i);
        arf_clear(lower);
        soe_minimax_clear(m);
    } else { /* refit: a sum in rate form; weights, lower */
        arf_t lower;
        arf_init(lower);
        get_sum(sum);
        if (soe_refit(sum, lower, kernel, horizon) != SOE_OK)
            printf(" failed");
        put_list(sum->weight, sum->terms);
        put_arf(lower);
        arf_clear(lower);
        soe_sum_clear(sum);
    }
    soe_kernel_clear(kernel);
    fmpz_clear(horizon);
}

/* method alpha terms, for the methods with an interval also low high (doubles) */
static void answer_method(const char *name) {
    soe_method method;
    soe_sum_t sum;
    fmpq_t alpha, q;
    fmpq_init(alpha);
    fmpq_init(q);
    if (!soe_method_from_name(&method, word()))
        exit(2);
    get_q(alpha);
    slong terms = get_si();
    soe_sum_init(sum, terms, SOE_RATE);
    int ok;
    if (strcmp(name, "interval") == 0) {
        get_q(q);
        double low = fmpz_get_d(fmpq_numref(q)) / fmpz_get_d(fmpq_denref(q));
        get_q(q);
        double high = fmpz_get_d(fmpq_numref(q)) / fmpz_get_d(fmpq_denref(q));
        ok = soe_from_interval(sum, method, alpha, terms, low, high, 200) == SOE_OK;
    } else {
        ok = soe_from_gauss(sum, method, alpha, terms, 200) == SOE_OK;
    }
    printf(ok ? sum->form == SOE_RATE ? " rate" : " node" : " failed");
    put_sum(sum);
    soe_sum_clear(sum);
    fmpq_clear(q);
    fmpq_clear(alpha);
}

static void answer_theory(const char *name) {
    enum { PREC = 170 };
    fmpq_t order, q;
    fmpz_t T;
    arb_t x, y;
    fmpq_init(order);
    fmpq_init(q);
    fmpz_init(T);
    arb_init(x);
    arb_init(y);
    get_q(order);
    if (name[0] == 't') { /* T error: terms-power, terms-gl, terms-matrix, terms-explicit */
        get_z(T);
        get_q(q);
        arb_set_fmpq(y, q, PREC);
        arb_log_fmpz(x, T, PREC);
        slong n = strcmp(name, "terms-power") == 0 ? soe_terms_power_lower(order, x, y, PREC)
                  : strcmp(name, "terms-gl") == 0  ? soe_terms_gl_lower(order, x, y, PREC)
                  : strcmp(name, "terms-matrix") == 0
                      ? soe_terms_gl_matrix_lower(order, T, y, 64)
                      : soe_terms_explicit(order, T, (int)get_si(), y, PREC);
        printf(" %ld", (long)n);
    } else { /* h: symbol, aliasing */
        get_q(q);
        arb_set_fmpq(y, q, PREC);
        if (strcmp(name, "symbol") == 0)
            soe_symbol_ratio(x, order, y, PREC);
        else
            soe_aliasing_bound(x, order, y, PREC);
        put_ball(x);
    }
    arb_clear(x);
    arb_clear(y);
    fmpz_clear(T);
    fmpq_clear(q);
    fmpq_clear(order);
}

/* ---- banks ---- */

static void answer_banks(const char *name) {
    banks_norm norm;
    fmpq_t a, b;
    fmpz_t T, worst;
    arb_t d;
    fmpq_init(a);
    fmpq_init(b);
    fmpz_init(T);
    fmpz_init(worst);
    arb_init(d);
    if (!banks_norm_from_name(&norm, word()))
        exit(2);
    get_q(a);
    get_z(T);
    if (strcmp(name, "distance") == 0) {
        get_q(b);
        banks_distance(d, worst, norm, a, b, T, 170);
        put_ball(d);
        printf(" ");
        fmpz_print(worst);
    } else if (strcmp(name, "uniform") == 0) {
        banks_uniform_error(d, norm, a, T, get_si(), 170);
        put_ball(d);
    } else { /* place: banks, orders, edges, error, nearest error, chain */
        banks_design p;
        banks_design_init(&p);
        get_q(b);
        if (banks_place(&p, norm, a, T, b, NULL) != BANKS_OK)
            printf(" failed");
        printf(" %ld %ld %ld", (long)p.banks, (long)p.needed, (long)p.uniform);
        put_list(p.order, p.banks);
        put_list(p.edge, p.banks + 1);
        put_arf(p.error);
        put_arf(p.nearest_error);
        put_list(p.apart, p.chain);
        banks_design_clear(&p);
    }
    arb_clear(d);
    fmpz_clear(worst);
    fmpz_clear(T);
    fmpq_clear(b);
    fmpq_clear(a);
}

/* alpha lags nodes: N^2, projections; squared distance from the span of x_s^j on 1 .. lags */
static void answer_l2(const char *name) {
    (void)name;
    fmpq_t alpha;
    arb_t x;
    slong n;
    fmpq_init(alpha);
    arb_init(x);
    get_q(alpha);
    slong lags = get_si();
    fmpq *node = get_list(&n);
    arb_ptr b = _arb_vec_init(n);
    l2_projections(x, b, alpha, node, n, lags, 200);
    put_ball(x);
    put_balls(b, n);
    l2_distance(x, alpha, node, n, lags);
    put_ball(x);
    _arb_vec_clear(b, n);
    _fmpq_vec_clear(node, n > 0 ? n : 1);
    arb_clear(x);
    fmpq_clear(alpha);
}

/* ---- memories ---- */

static void answer_fenwick(const char *name) {
    if (strcmp(name, "levels") == 0) { /* t: slots of t+1, live, merges, levels of 0..t */
        ulong t = (ulong)get_si();
        printf(" %ld %ld %ld", (long)fenwick_slots(t + 1), (long)fenwick_live(t),
               (long)fenwick_merges(t));
        for (ulong s = 0; s <= t; s++)
            printf(" %ld", (long)fenwick_level(t, s));
    } else if (strcmp(name, "popcounts") == 0) {
        fmpz_t sum, steps;
        fmpz_init(sum);
        fmpz_init(steps);
        get_z(steps);
        fenwick_popcount_sum(sum, steps);
        printf(" ");
        fmpz_print(sum);
        fmpz_clear(sum);
        fmpz_clear(steps);
    } else { /* q k v gate lambda: y by both ways */
        slong n[5];
        fmpq *x[5];
        fenwick_shape shape;
        shape.steps = get_si();
        shape.keys = get_si();
        shape.width = get_si();
        shape.levels = get_si();
        for (int i = 0; i < 5; i++)
            x[i] = get_list(n + i);
        slong size = shape.steps * shape.width;
        fmpq *y = _fmpq_vec_init(size);
        int ok = fenwick_recurrence(y, x[0], x[1], x[2], x[3], x[4], &shape, NULL) == FENWICK_OK;
        put_list(y, size);
        ok &= fenwick_masked(y, x[0], x[1], x[2], x[3], x[4], &shape) == FENWICK_OK;
        put_list(y, size);
        if (!ok)
            printf(" failed");
        _fmpq_vec_clear(y, size);
        for (int i = 0; i < 5; i++)
            _fmpq_vec_clear(x[i], n[i] > 0 ? n[i] : 1);
    }
}

/* steps keys width modes, q k v bank c x: y of the keyed memory; its plain one for v[.][0] with bank 0 */
static void answer_modes(const char *name) {
    (void)name;
    slong steps = get_si(), keys = get_si(), width = get_si(), banks = get_si(), modes = get_si(),
          n[6];
    fmpq *x[6];
    for (int i = 0; i < 6; i++)
        x[i] = get_list(n + i);
    slong *bank = malloc((size_t)steps * sizeof *bank);
    for (slong t = 0; t < steps; t++)
        bank[t] = fmpz_get_si(fmpq_numref(x[3] + t));
    fmpq *y = _fmpq_vec_init(steps * width);
    modes_operations ops = {0, 0};
    exact_modes_keyed(y, x[0], x[1], x[2], bank, x[4], x[5], steps, keys, width, banks, modes,
                      &ops);
    put_list(y, steps * width);
    exact_modes_recurrence(y, x[2], x[4], x[5], steps, width, modes, &ops);
    put_list(y, steps * width);
    _fmpq_vec_clear(y, steps * width);
    free(bank);
    for (int i = 0; i < 6; i++)
        _fmpq_vec_clear(x[i], n[i] > 0 ? n[i] : 1);
}

/* ---- VLA ---- */

static void answer_vla(const char *name) {
    if (strcmp(name, "vla-bound") == 0) { /* v2 u2 lambda0 rank dim */
        fmpq_t q, lambda0;
        arb_t v2, u2;
        fmpq_init(q);
        fmpq_init(lambda0);
        arb_init(v2);
        arb_init(u2);
        get_q(q);
        arb_set_fmpq(v2, q, 200);
        get_q(q);
        arb_set_fmpq(u2, q, 200);
        get_q(lambda0);
        slong rank = get_si();
        vla_bound(v2, v2, u2, lambda0, rank, get_si(), 200);
        put_ball(v2);
        arb_clear(v2);
        arb_clear(u2);
        fmpq_clear(q);
        fmpq_clear(lambda0);
        return;
    }
    if (strcmp(name, "norms") == 0) { /* rows dim matrix: trace, pivots */
        slong rows = get_si(), dim = get_si(), n;
        fmpq *q = get_list(&n);
        arb_ptr s = balls_of(q, n, 300);
        arb_t x;
        arb_init(x);
        vla_norm_trace(x, s, rows, dim, 300);
        put_ball(x);
        vla_norm_pivots(x, s, rows, dim, 300);
        put_ball(x);
        arb_clear(x);
        _arb_vec_clear(s, n);
        _fmpq_vec_clear(q, n);
        return;
    }
    /* lambda0 rows dim steps every delta keys u v: state and norm of the run; by brute force (every 0) */
    fmpq_t lambda0, delta;
    slong n[3];
    fmpq *q[3];
    arb_ptr x[3];
    vla_run_t run;
    fmpq_init(lambda0);
    fmpq_init(delta);
    get_q(lambda0);
    slong rows = get_si(), dim = get_si(), steps = get_si(), every = get_si();
    get_q(delta);
    for (int i = 0; i < 3; i++) {
        q[i] = get_list(n + i);
        x[i] = balls_of(q[i], n[i], 300);
    }
    arb_ptr state = _arb_vec_init(rows * dim);
    int ok = vla_run_init(run, lambda0, rows, dim, 300) == VLA_OK;
    for (slong t = 0; t < steps && ok; t++) {
        ok = vla_run_step(run, x[0] + t * dim, x[1] + t * dim, x[2] + t * rows) == VLA_OK;
        if (ok && every > 0 && (t + 1) % every == 0)
            ok = vla_run_refresh(run, delta) == VLA_OK;
    }
    vla_run_state(state, run);
    put_balls(state, rows * dim);
    vla_run_norm(state, run);
    put_ball(state);
    if (every == 0) {
        ok &= vla_brute(state, lambda0, steps, rows, dim, x[0], x[1], x[2], NULL, 300) == VLA_OK;
        put_balls(state, rows * dim);
    }
    if (!ok)
        printf(" failed");
    vla_run_clear(run);
    _arb_vec_clear(state, rows * dim);
    for (int i = 0; i < 3; i++) {
        _arb_vec_clear(x[i], n[i] > 0 ? n[i] : 1);
        _fmpq_vec_clear(q[i], n[i] > 0 ? n[i] : 1);
    }
    fmpq_clear(delta);
    fmpq_clear(lambda0);
}

/* x in floats' range, as a double: ELU(x)+1 */
static void answer_features(const char *name) {
    (void)name;
    fmpq_t q;
    arb_t f;
    fmpq_init(q);
    arb_init(f);
    get_q(q);
    arf_t x;
    arf_init(x);
    arf_set_fmpq(x, q, 53, ARF_RND_NEAR);
    double d = arf_get_d(x, ARF_RND_NEAR);
    vla_features(f, &d, 1, 200);
    put_ball(f);
    arf_clear(x);
    arb_clear(f);
    fmpq_clear(q);
}

/* kind, then (name list)...: the value that the inputs give */
static void answer_replay(const char *name) {
    (void)name;
    witness_t w;
    enclosure_t value, zero;
    const char *reason = NULL, *input;
    enclosure_init(value);
    enclosure_init(zero);
    witness_init(w, "case", word());
    while ((input = strtok(NULL, " \n")) != NULL) {
        slong n;
        fmpq *list = get_list(&n);
        witness_add(w, input, list, n);
        _fmpq_vec_clear(list, n > 0 ? n : 1);
    }
    witness_conclude(w, zero, RELATION_GE, zero, 128);
    replay_status status = witness_replay(value, &reason, w);
    if (status == REPLAY_BAD_INPUT || status == REPLAY_UNKNOWN_KIND)
        printf(" refused: %s", reason != NULL ? reason : "unknown kind");
    else if (value->type == ENCLOSURE_RATIONAL)
        put_q(value->rational);
    else
        put_ball(value->ball);
    enclosure_clear(value);
    enclosure_clear(zero);
    witness_clear(w);
}

/* ---- text ---- */

/* text: the number; digits text: to so many digits, and from a ball of 2^-200 around it */
static void answer_number(const char *name) {
    fmpq_t q;
    fmpq_init(q);
    if (strcmp(name, "parse") == 0) {
        get_q(q);
        put_q(q);
    } else {
        slong digits = get_si();
        arb_t x;
        arb_init(x);
        get_q(q);
        char *text = exact_decimal_rational(q, digits);
        printf(" %s", text);
        flint_free(text);
        arb_set_fmpq(x, q, 300);
        text = exact_decimal_ball(x, digits);
        printf(" %s", text != NULL ? text : "unknown");
        flint_free(text);
        arb_clear(x);
    }
    fmpq_clear(q);
}

static const struct {
    const char *name;
    void (*answer)(const char *name);
} answers[] = {{"gl-rational", answer_weights},
               {"gl-rational-vec", answer_weights},
               {"gl-polynomial", answer_weights},
               {"gl-ball", answer_weights},
               {"gl-ball-vec", answer_weights},
               {"gl-order", answer_weights},
               {"gl-real", answer_weights},
               {"gl-ratio", answer_weights},
               {"gl-taylor", answer_weights},
               {"harmonic", answer_harmonic},
               {"density", answer_laplace},
               {"laplace", answer_laplace},
               {"jacobi", answer_gauss},
               {"laguerre", answer_gauss},
               {"hankel-norm", answer_moments},
               {"hankel-minors", answer_moments},
               {"chebyshev", answer_moments},
               {"tridiagonal", answer_moments},
               {"certify", answer_soe},
               {"minimax", answer_soe},
               {"refit", answer_soe},
               {"interval", answer_method},
               {"gauss-sum", answer_method},
               {"terms-power", answer_theory},
               {"terms-gl", answer_theory},
               {"terms-matrix", answer_theory},
               {"terms-explicit", answer_theory},
               {"symbol", answer_theory},
               {"aliasing", answer_theory},
               {"distance", answer_banks},
               {"uniform", answer_banks},
               {"place", answer_banks},
               {"l2", answer_l2},
               {"levels", answer_fenwick},
               {"popcounts", answer_fenwick},
               {"fenwick", answer_fenwick},
               {"modes", answer_modes},
               {"vla-bound", answer_vla},
               {"norms", answer_vla},
               {"vla", answer_vla},
               {"features", answer_features},
               {"replay", answer_replay},
               {"parse", answer_number},
               {"digits", answer_number}};

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *name = strtok(line, " \n");
        if (name == NULL)
            continue;
        size_t i = 0, n = sizeof answers / sizeof *answers;
        while (i < n && strcmp(answers[i].name, name) != 0)
            i++;
        if (i == n) {
            printf("%s is not known\n", name);
            return 2;
        }
        answers[i].answer(name);
        printf("\n");
        fflush(stdout);
    }
    free(line);
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}

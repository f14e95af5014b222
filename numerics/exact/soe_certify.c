/* soe_certify: see soe.h for the method. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"

#include <math.h>

/* Half width of a cell in delta = ln(t/t_c), as a power of two: 2^-4. */
#define CELL_LOG2 (-4)
#define CELL_HALF 0.0625
/* Integers up to here are taken one by one, and cells begin here. */
#define SINGLE_INTEGERS 1024
/* Longest Taylor polynomial, and the most cells that are spent beyond the horizon. */
#define MAX_TAYLOR 512
#define MAX_CELLS_BEYOND 600
#define MAX_PREC 8192

void soe_bound_init(soe_bound_t bound) {
    arf_init(bound->lower);
    arf_init(bound->upper);
    arf_init(bound->at);
    arf_init(bound->beyond_lower);
    arf_init(bound->beyond_upper);
    bound->cells = bound->points = bound->prec = 0;
}

void soe_bound_clear(soe_bound_t bound) {
    arf_clear(bound->lower);
    arf_clear(bound->upper);
    arf_clear(bound->at);
    arf_clear(bound->beyond_lower);
    arf_clear(bound->beyond_upper);
}

void soe_taylor_tail_upper(arb_t tail, const arb_t bound, double radius, slong terms, slong prec) {
    arb_t r, rest;
    arb_init(r);
    arb_init(rest);
    arb_set_d(r, radius);
    arb_sub_ui(rest, r, 1, prec);
    arb_neg(rest, rest);
    arb_pow_ui(r, r, (ulong)terms, prec);
    arb_mul(tail, bound, r, prec);
    arb_div(tail, tail, rest, prec);
    arb_get_ubound_arf(arb_midref(tail), tail, prec);
    mag_zero(arb_radref(tail));
    arb_clear(r);
    arb_clear(rest);
}

/* The sum and kernel as balls at one precision, and what has been found on one domain. */
typedef struct {
    const soe_kernel_struct *kernel;
    const soe_sum_struct *sum;
    soe_error error;
    slong prec;
    arb_ptr weight, rate, node, inverse_factorial;
    arb_t beta;   /* order of the decay t^-beta */
    arb_t shrink; /* cos(1)/e: Re e^delta >= shrink on |delta| <= 1 */
    double width;
    arf_t best, best_at, top; /* |error| attained and where; bound of everything seen so far */
    slong cells, points;
} search;

static void search_init(search *s, const soe_kernel_t kernel, const soe_sum_t sum, soe_error error,
                        double width, slong prec) {
    slong n = sum->terms;
    s->kernel = kernel;
    s->sum = sum;
    s->error = error;
    s->prec = prec;
    s->width = width;
    s->weight = _arb_vec_init(n);
    s->rate = _arb_vec_init(n);
    s->node = _arb_vec_init(n);
    s->inverse_factorial = _arb_vec_init(MAX_TAYLOR);
    arb_init(s->beta);
    arb_init(s->shrink);
    arf_init(s->best);
    arf_init(s->best_at);
    arf_init(s->top);
    s->cells = s->points = 0;
    for (slong i = 0; i < n; i++) {
        arb_set_fmpq(s->weight + i, sum->weight + i, prec);
        arb_set_fmpq(s->rate + i, sum->mode + i, prec + 64);
        if (sum->form == SOE_NODE) {
            arb_set_round(s->node + i, s->rate + i, prec + 64);
            arb_log(s->rate + i, s->rate + i, prec + 64);
            arb_neg(s->rate + i, s->rate + i);
        } else {
            arb_neg(s->node + i, s->rate + i);
            arb_exp(s->node + i, s->node + i, prec + 64);
        }
    }
    arb_one(s->inverse_factorial);
    for (slong k = 1; k < MAX_TAYLOR; k++)
        arb_div_ui(s->inverse_factorial + k, s->inverse_factorial + k - 1, (ulong)k, prec);
    arb_set_fmpq(s->beta, kernel->order, prec);
    if (kernel->kind == SOE_KERNEL_GL) {
        arb_sub_ui(s->beta, s->beta, 1, prec);
        arb_neg(s->beta, s->beta);
    }
    arb_one(s->shrink);
    arb_cos(s->shrink, s->shrink, 64);
    arb_t e;
    arb_init(e);
    arb_const_e(e, 64);
    arb_div(s->shrink, s->shrink, e, 64);
    arb_clear(e);
}

static void search_clear(search *s) {
    slong n = s->sum->terms;
    _arb_vec_clear(s->weight, n);
    _arb_vec_clear(s->rate, n);
    _arb_vec_clear(s->node, n);
    _arb_vec_clear(s->inverse_factorial, MAX_TAYLOR);
    arb_clear(s->beta);
    arb_clear(s->shrink);
    arf_clear(s->best);
    arf_clear(s->best_at);
    arf_clear(s->top);
}

/* x := K at a ball t (real argument). */
static void kernel_real(arb_t x, const search *s, const arb_t t, slong prec) {
    if (s->kernel->kind == SOE_KERNEL_GL) {
        if (fmpq_is_one(s->kernel->order)) {
            arb_one(x);
        } else {
            arb_t a;
            arb_init(a);
            arb_set_fmpq(a, s->kernel->order, prec + 128);
            exact_gl_real(x, a, t, prec);
            arb_clear(a);
        }
    } else {
        arb_neg(x, s->beta);
        arb_pow(x, t, x, prec);
    }
}

/* Take note of the error ball value attained at the point t of the domain. */
static void note_value(search *s, const arb_t value, const arf_t t) {
    arf_t low, high;
    arf_init(low);
    arf_init(high);
    s->points++;
    if (arb_is_finite(value)) {
        arb_get_abs_lbound_arf(low, value, 64);
        arb_get_abs_ubound_arf(high, value, 64);
    } else {
        arf_pos_inf(high);
    }
    if (arf_cmp(low, s->best) > 0) {
        arf_set(s->best, low);
        arf_set(s->best_at, t);
    }
    if (arf_cmp(high, s->top) > 0)
        arf_set(s->top, high);
    arf_clear(low);
    arf_clear(high);
}

/* The error at one exact point t of the domain. */
static void evaluate_point(search *s, const arf_t t) {
    arb_t k, x, total;
    arb_init(k);
    arb_init(x);
    arb_init(total);
    soe_kernel_value(k, s->kernel, t, s->prec);
    for (slong i = 0; i < s->sum->terms; i++) {
        arb_mul_arf(x, s->rate + i, t, s->prec + 32);
        arb_neg(x, x);
        arb_exp(x, x, s->prec);
        arb_addmul(total, s->weight + i, x, s->prec);
    }
    arb_sub(x, k, total, s->prec);
    if (s->error == SOE_RELATIVE)
        arb_div(x, x, k, s->prec);
    note_value(s, x, t);
    arb_clear(k);
    arb_clear(x);
    arb_clear(total);
}

/* The integers first..last one by one: powers by one multiplication a mode. */
static void evaluate_integers(search *s, const fmpz_t first, slong count) {
    slong n = s->sum->terms;
    arb_ptr power = _arb_vec_init(n), w = _arb_vec_init(count);
    arb_t x;
    arf_t t;
    fmpz_t j;
    arb_init(x);
    arf_init(t);
    fmpz_init_set(j, first);
    exact_gl_ball_vec(w, s->kernel->order, first, count, s->prec);
    for (slong i = 0; i < n; i++) {
        arb_mul_fmpz(power + i, s->rate + i, first, s->prec + 64);
        arb_neg(power + i, power + i);
        arb_exp(power + i, power + i, s->prec + 32);
        arb_mul(power + i, power + i, s->weight + i, s->prec + 32);
    }
    for (slong k = 0; k < count; k++) {
        arb_set(x, w + k);
        for (slong i = 0; i < n; i++) {
            arb_sub(x, x, power + i, s->prec);
            arb_mul(power + i, power + i, s->node + i, s->prec + 32);
        }
        if (s->error == SOE_RELATIVE)
            arb_div(x, x, w + k, s->prec);
        arf_set_fmpz(t, j);
        note_value(s, x, t);
        fmpz_add_ui(j, j, 1);
    }
    _arb_vec_clear(power, n);
    _arb_vec_clear(w, count);
    arb_clear(x);
    arf_clear(t);
    fmpz_clear(j);
}

/* coeff[0..len-1] += sign * weight * Taylor coefficients of delta -> exp(-a e^delta):
       f_0 = e^-a,  (m+1) f_{m+1} = -a sum_{i<=m} f_i/(m-i)!. */
static void add_mode_taylor(arb_ptr coeff, const search *s, slong mode, const arb_t a, arb_ptr f,
                            slong len) {
    arb_t minus_a;
    arb_init(minus_a);
    arb_neg(minus_a, a);
    arb_exp(f, minus_a, s->prec);
    arb_mul(f, f, s->weight + mode, s->prec);
    for (slong m = 0; m + 1 < len; m++) {
        arb_dot(f + m + 1, NULL, 0, f, 1, s->inverse_factorial + m, -1, m + 1, s->prec);
        arb_mul(f + m + 1, f + m + 1, minus_a, s->prec);
        arb_div_ui(f + m + 1, f + m + 1, (ulong)m + 1, s->prec);
    }
    _arb_vec_sub(coeff, coeff, f, len, s->prec);
    arb_clear(minus_a);
}

/* A cell: error(t_c e^delta) (times t^beta Gamma(alpha) for RELATIVE) = P(delta) + [-rest, rest]
   for |delta| <= 1/16, and the divisor that turns the latter into the relative error. */
typedef struct {
    slong len;
    arb_ptr p, dp;
    arb_t centre, rest, curvature, divisor;
} cell;

static void cell_init(cell *c, slong len) {
    c->len = len;
    c->p = _arb_vec_init(len);
    c->dp = _arb_vec_init(len);
    arb_init(c->centre);
    arb_init(c->rest);
    arb_init(c->curvature);
    arb_init(c->divisor);
}

static void cell_clear(cell *c) {
    _arb_vec_clear(c->p, c->len);
    _arb_vec_clear(c->dp, c->len);
    arb_clear(c->centre);
    arb_clear(c->rest);
    arb_clear(c->curvature);
    arb_clear(c->divisor);
}

/* scale := Gamma(alpha) t_c^beta, the factor in front of e^(beta delta) for RELATIVE; else 1. */
static void relative_scale(arb_t scale, const search *s, const arb_t centre) {
    if (s->error == SOE_ABSOLUTE) {
        arb_one(scale);
        return;
    }
    arb_pow(scale, centre, s->beta, s->prec);
    if (s->kernel->kind == SOE_KERNEL_GL) {
        arb_t g;
        arb_init(g);
        arb_gamma_fmpq(g, s->kernel->order, s->prec);
        arb_mul(scale, scale, g, s->prec);
        arb_clear(g);
    }
}

/* bound := sup over |delta| <= 1 of |K(t)| + sum |weight_i| |e^(-lambda_i t)|, weighted. */
static void cauchy_bound(arb_t bound, const search *s, const arb_t centre, const arb_t scale) {
    arb_t t, x, w;
    arb_init(t);
    arb_init(x);
    arb_init(w);
    arb_mul(t, centre, s->shrink, 64);
    arb_get_lbound_arf(arb_midref(t), t, 64);
    mag_zero(arb_radref(t));
    if (s->kernel->kind ==
        SOE_KERNEL_POWER) { /* |t^-beta| = |t_c e^delta|^-beta <= (t_c/e)^-beta */
        arb_const_e(x, 64);
        arb_div(x, centre, x, 64);
        kernel_real(bound, s, x, 64);
    } else {
        kernel_real(bound, s, t, 64);
    }
    for (slong i = 0; i < s->sum->terms; i++) {
        arb_mul(x, s->rate + i, t, 64);
        arb_neg(x, x);
        arb_exp(x, x, 64);
        arb_abs(w, s->weight + i);
        arb_addmul(bound, w, x, 64);
    }
    if (s->error == SOE_RELATIVE) {
        arb_exp(x, s->beta, 64); /* |e^(beta delta)| <= e^beta */
        arb_mul(bound, bound, x, 64);
        arb_mul(bound, bound, scale, 64);
    }
    arb_clear(t);
    arb_clear(x);
    arb_clear(w);
}

/* Coefficients needed so that the Taylor tail is below width/64 of the best value found. */
static slong taylor_length(const search *s, const arb_t bound) {
    arf_t b;
    arf_init(b);
    arb_get_ubound_arf(b, bound, 30);
    slong bits = arf_abs_bound_lt_2exp_si(b);
    slong best = arf_is_zero(s->best) ? -s->prec : arf_abs_bound_lt_2exp_si(s->best);
    arf_clear(b);
    slong need = bits - best + 8 - (slong)floor(log2(s->width));
    slong len = need / -CELL_LOG2 + 2;
    return FLINT_MIN(FLINT_MAX(len, 6), MAX_TAYLOR);
}

static void build_cell(cell *c, search *s, const arb_t centre) {
    arb_t bound, scale, a, x;
    arb_init(bound);
    arb_init(scale);
    arb_init(a);
    arb_init(x);
    relative_scale(scale, s, centre);
    cauchy_bound(bound, s, centre, scale);
    slong len = taylor_length(s, bound), n = s->sum->terms;
    cell_init(c, len);
    arb_set(c->centre, centre);
    soe_taylor_tail_upper(c->rest, bound, CELL_HALF, len, 64);
    arb_poly_t taylor;
    arb_poly_init(taylor);
    if (s->kernel->kind == SOE_KERNEL_GL && fmpq_is_one(s->kernel->order)) {
        arb_one(c->p);
    } else if (s->kernel->kind == SOE_KERNEL_GL) {
        exact_gl_log_taylor(taylor, s->kernel->order, centre, len, s->prec);
        for (slong m = 0; m < len; m++)
            arb_poly_get_coeff_arb(c->p + m, taylor, m);
    } else { /* t^-beta = t_c^-beta e^(-beta delta) */
        arb_neg(a, s->beta);
        arb_pow(c->p, centre, a, s->prec);
        for (slong m = 1; m < len; m++) {
            arb_mul(c->p + m, c->p + m - 1, a, s->prec);
            arb_div_ui(c->p + m, c->p + m, (ulong)m, s->prec);
        }
    }
    arb_ptr f = _arb_vec_init(len);
    for (slong i = 0; i < n; i++) {
        arb_mul(a, s->rate + i, centre, s->prec + 32);
        /* a mode below 2^-(2 prec) at the nearest point of the disk: all of it goes into rest */
        arb_mul(x, a, s->shrink, 64);
        if (arf_cmp_si(arb_midref(x), 2 * s->prec) > 0) {
            arb_neg(x, x);
            arb_exp(x, x, 64);
            arb_abs(a, s->weight + i);
            arb_mul(x, x, a, 64);
            if (s->error == SOE_RELATIVE) {
                arb_exp(a, s->beta, 64);
                arb_mul(x, x, a, 64);
                arb_mul(x, x, scale, 64);
            }
            arb_add(c->rest, c->rest, x, 64);
        } else {
            add_mode_taylor(c->p, s, i, a, f, len);
        }
    }
    if (s->error == SOE_RELATIVE) {
        /* times scale e^(beta delta), truncated: the tail is in rest already */
        arb_poly_t weight, product;
        arb_poly_init(weight);
        arb_poly_init(product);
        arb_poly_set_coeff_arb(weight, 1, s->beta);
        arb_poly_exp_series(weight, weight, len, s->prec);
        arb_poly_scalar_mul(weight, weight, scale, s->prec);
        for (slong m = len - 1; m >= 0; m--)
            arb_poly_set_coeff_arb(product, m, c->p + m);
        arb_poly_mullow(product, product, weight, len, s->prec);
        for (slong m = 0; m < len; m++)
            arb_poly_get_coeff_arb(c->p + m, product, m);
        arb_poly_clear(weight);
        arb_poly_clear(product);
    }
    /* divisor: w t^beta Gamma(alpha) increases, so its value at the left end bounds it below */
    arb_one(c->divisor);
    if (s->error == SOE_RELATIVE && s->kernel->kind == SOE_KERNEL_GL) {
        arb_set_d(x, -CELL_HALF);
        arb_exp(x, x, s->prec);
        arb_mul(x, x, centre, s->prec);
        arb_get_lbound_arf(arb_midref(x), x, 64);
        mag_zero(arb_radref(x));
        exact_gl_power_ratio(c->divisor, s->kernel->order, x, 64);
    }
    /* derivative, and max |P''| <= sum m(m-1)|p_m| h^(m-2) */
    arb_zero(c->curvature);
    for (slong m = len - 1; m >= 0; m--) {
        arb_set_round(c->p + m, c->p + m, 96);
        if (m > 0)
            arb_mul_ui(c->dp + m - 1, c->p + m, (ulong)m, 96);
        if (m > 1) {
            arb_abs(x, c->p + m);
            arb_mul_ui(x, x, (ulong)(m * (m - 1)), 64);
            arb_mul_2exp_si(x, x, CELL_LOG2 * (m - 2));
            arb_add(c->curvature, c->curvature, x, 64);
        }
    }
    _arb_vec_clear(f, len);
    arb_poly_clear(taylor);
    arb_clear(bound);
    arb_clear(scale);
    arb_clear(a);
    arb_clear(x);
    s->cells++;
}

/* t := the point of the domain nearest to centre * e^delta within [first, last]. */
static void nearest_point(arf_t t, const search *s, const cell *c, double delta, const arf_t first,
                          const arf_t last) {
    arb_t x;
    arb_init(x);
    arb_set_d(x, delta);
    arb_exp(x, x, 128);
    arb_mul(x, x, c->centre, 128);
    if (s->kernel->kind == SOE_KERNEL_GL) {
        fmpz_t j;
        fmpz_init(j);
        arf_get_fmpz(j, arb_midref(x), ARF_RND_NEAR);
        arf_set_fmpz(t, j);
        fmpz_clear(j);
    } else {
        arf_set_round(t, arb_midref(x), 53, ARF_RND_NEAR);
    }
    if (arf_cmp(t, first) < 0)
        arf_set(t, first);
    if (arf_cmp(t, last) > 0)
        arf_set(t, last);
    arb_clear(x);
}

/* Bound |error| for delta in [low, high] (doubles, exact), halving until the bound is close to a
   value attained. */
static void bound_interval(search *s, const cell *c, double low, double high, const arf_t first,
                           const arf_t last, int depth) {
    double m = 0.5 * (low + high), r = nextafter(fmax(high - m, m - low), 1.0); /* r rounded up */
    arb_t x, v, d, bound;
    arf_t top, limit, t;
    arb_init(x);
    arb_init(v);
    arb_init(d);
    arb_init(bound);
    arf_init(top);
    arf_init(limit);
    arf_init(t);
    arb_set_d(x, m);
    _arb_poly_evaluate(v, c->p, c->len, x, 96);
    _arb_poly_evaluate(d, c->dp, FLINT_MAX(c->len - 1, 1), x, 64);
    /* |P(m)| + |P'(m)| r + curvature r^2/2 + rest */
    arb_set_d(x, r);
    arb_abs(d, d);
    arb_mul(bound, d, x, 64);
    arb_mul(x, x, x, 64);
    arb_mul_2exp_si(x, x, -1);
    arb_addmul(bound, c->curvature, x, 64);
    arb_add(bound, bound, c->rest, 64);
    arb_abs(v, v);
    arb_add(bound, bound, v, 64);
    arb_div(bound, bound, c->divisor, 64);
    if (arb_is_finite(bound))
        arb_get_ubound_arf(top, bound, 64);
    else
        arf_pos_inf(top);
    /* limit = best (1 + width/2) */
    arf_set_d(limit, 1 + 0.5 * s->width);
    arf_mul(limit, limit, s->best, 64, ARF_RND_DOWN);
    int accept = arf_cmp(top, limit) <= 0;
    if (!accept) {
        /* what halving cannot reduce: the tail and the coefficients' radii; above half, stop */
        arb_get_rad_arb(x, v);
        arb_add(x, x, c->rest, 64);
        arb_div(x, x, c->divisor, 64);
        arb_mul_2exp_si(x, x, 1);
        arb_get_lbound_arf(limit, x, 64);
        accept = arf_cmp(limit, top) >= 0;
    }
    if (!accept) {
        /* is a value here above the best so far? then take it, and ask again */
        arb_div(v, v, c->divisor, 64);
        if (arf_cmp(arb_midref(v), s->best) > 0) {
            nearest_point(t, s, c, m, first, last);
            evaluate_point(s, t);
            arf_set_d(limit, 1 + 0.5 * s->width);
            arf_mul(limit, limit, s->best, 64, ARF_RND_DOWN);
            accept = arf_cmp(top, limit) <= 0;
        }
    }
    if (!accept && s->kernel->kind == SOE_KERNEL_GL) {
        /* few integers left: take them themselves */
        arf_t from, to;
        arf_init(from);
        arf_init(to);
        arb_set_d(x, low);
        arb_exp(x, x, 128);
        arb_mul(x, x, c->centre, 128);
        arb_get_lbound_arf(from, x, 128);
        arb_set_d(x, high);
        arb_exp(x, x, 128);
        arb_mul(x, x, c->centre, 128);
        arb_get_ubound_arf(to, x, 128);
        arf_ceil(from, from);
        arf_floor(to, to);
        if (arf_cmp(from, first) < 0)
            arf_set(from, first);
        if (arf_cmp(to, last) > 0)
            arf_set(to, last);
        arf_sub(limit, to, from, 64, ARF_RND_NEAR);
        if (arf_cmp_si(limit, 4) <= 0) {
            for (arf_set(t, from); arf_cmp(t, to) <= 0;
                 arf_add_ui(t, t, 1, ARF_PREC_EXACT, ARF_RND_DOWN))
                evaluate_point(s, t);
            arf_zero(top);
            accept = 1;
        }
        arf_clear(from);
        arf_clear(to);
    }
    if (accept || depth >= 40) {
        if (arf_cmp(top, s->top) > 0)
            arf_set(s->top, top);
    } else {
        bound_interval(s, c, low, m, first, last, depth + 1);
        bound_interval(s, c, m, high, first, last, depth + 1);
    }
    arb_clear(x);
    arb_clear(v);
    arb_clear(d);
    arb_clear(bound);
    arf_clear(top);
    arf_clear(limit);
    arf_clear(t);
}

/* ln(t/centre), rounded up. */
static double delta_upper(const arb_t centre, const arf_t t) {
    arb_t x;
    arb_init(x);
    arb_set_arf(x, t);
    arb_div(x, x, centre, 128);
    arb_log(x, x, 128);
    double d = exact_double_upper(x);
    arb_clear(x);
    return d;
}

/* Cells from first to last. */
static void cover(search *s, const arf_t first, const arf_t last) {
    arf_t covered;
    arf_init(covered);
    arb_t centre, step, half;
    arb_init(centre);
    arb_init(step);
    arb_init(half);
    arb_set_d(half, CELL_HALF);
    arb_exp(half, half, 128); /* e^h */
    arb_mul(step, half, half, 128);
    /* the first cell begins at or below first; each next one at or below the end of the last */
    arb_mul_arf(centre, half, first, 128);
    arb_get_lbound_arf(arb_midref(centre), centre, 64);
    mag_zero(arb_radref(centre));
    for (;;) {
        cell c;
        build_cell(&c, s, centre);
        double high = fmin(CELL_HALF, delta_upper(centre, last));
        if (high > -CELL_HALF)
            bound_interval(s, &c, -CELL_HALF, high, first, last, 0);
        cell_clear(&c);
        arb_t end;
        arb_init(end);
        arb_mul(end, centre, half, 128);
        arb_get_lbound_arf(covered, end, 128);
        arb_clear(end);
        if (arf_cmp(covered, last) >= 0)
            break;
        arb_mul(centre, centre, step, 128);
        arb_get_lbound_arf(arb_midref(centre), centre, 64);
        mag_zero(arb_radref(centre));
    }
    arf_clear(covered);
    arb_clear(centre);
    arb_clear(step);
    arb_clear(half);
}

/* A few values per octave, so that the bounds know early what they are compared with. */
static void sample(search *s, const arf_t first, const arf_t last) {
    arf_t t;
    fmpz_t j;
    arf_init(t);
    fmpz_init(j);
    arf_set(t, first);
    while (arf_cmp(t, last) < 0) {
        evaluate_point(s, t);
        arf_mul_ui(t, t, 9, 64, ARF_RND_UP);
        arf_mul_2exp_si(t, t, -3);
        arf_get_fmpz(j, t, ARF_RND_CEIL);
        if (s->kernel->kind == SOE_KERNEL_GL)
            arf_set_fmpz(t, j);
    }
    evaluate_point(s, last);
    arf_clear(t);
    fmpz_clear(j);
}

/* rest := a bound of |error| at every point >= t.  K and every mode decrease, and for RELATIVE so
   does each e^(-lambda t) t^beta from beta/lambda on, below which it is at most its maximum. */
static void bound_from(arf_t rest, const search *s, const arf_t t) {
    arb_t k, x, plus, minus, at, peak;
    arb_init(k);
    arb_init(x);
    arb_init(plus);
    arb_init(minus);
    arb_init(at);
    arb_init(peak);
    arb_set_arf(at, t);
    if (s->error == SOE_ABSOLUTE)
        kernel_real(k, s, at, 64);
    else
        arb_one(k);
    for (slong i = 0; i < s->sum->terms; i++) {
        if (s->error == SOE_ABSOLUTE) {
            arb_mul(x, s->rate + i, at, 64);
            arb_neg(x, x);
            arb_exp(x, x, 64);
        } else if (arb_is_zero(s->rate + i)) {
            if (arb_is_zero(s->beta))
                arb_one(x);
            else
                arb_zero_pm_inf(x);
        } else {
            /* tau = max(t, beta/lambda): e^(-lambda tau) tau^beta Gamma(alpha) / ratio(t) */
            arb_div(peak, s->beta, s->rate + i, 64);
            arb_max(peak, peak, at, 64);
            arb_mul(x, s->rate + i, peak, 64);
            arb_neg(x, x);
            arb_exp(x, x, 64);
            arb_pow(peak, peak, s->beta, 64);
            arb_mul(x, x, peak, 64);
        }
        if (arb_is_nonnegative(s->weight + i))
            arb_addmul(plus, s->weight + i, x, 64);
        else
            arb_submul(minus, s->weight + i, x, 64);
    }
    if (s->error == SOE_RELATIVE && s->kernel->kind == SOE_KERNEL_GL) {
        arb_gamma_fmpq(x, s->kernel->order, 64);
        exact_gl_power_ratio(peak, s->kernel->order, at, 64);
        arb_div(x, x, peak, 64);
        arb_mul(plus, plus, x, 64);
        arb_mul(minus, minus, x, 64);
    }
    /* K - sum <= K + minus, and sum - K <= plus (ABSOLUTE) or plus - 1 (RELATIVE, K = 1) */
    arb_add(minus, minus, k, 64);
    if (s->error == SOE_RELATIVE)
        arb_sub_ui(plus, plus, 1, 64);
    arb_max(x, plus, minus, 64);
    if (arb_is_finite(x))
        arb_get_ubound_arf(rest, x, 64);
    else
        arf_pos_inf(rest);
    arb_clear(k);
    arb_clear(x);
    arb_clear(plus);
    arb_clear(minus);
    arb_clear(at);
    arb_clear(peak);
}

/* |limit of the error as t -> inf|, a value that the supremum beyond any horizon reaches. */
static void note_limit(search *s) {
    arb_t x, k;
    arf_t infinity;
    arb_init(x);
    arb_init(k);
    arf_init(infinity);
    arf_pos_inf(infinity);
    for (slong i = 0; i < s->sum->terms; i++)
        if (arb_is_zero(s->rate + i))
            arb_add(x, x, s->weight + i, s->prec);
    if (s->kernel->kind == SOE_KERNEL_GL && fmpq_is_one(s->kernel->order)) {
        arb_sub_ui(x, x, 1, s->prec);
        note_value(s, x, infinity);
    } else if (s->error == SOE_ABSOLUTE) {
        note_value(s, x, infinity);
    } else if (arb_is_zero(x)) {
        arb_one(x);
        note_value(s, x, infinity);
    }
    arb_clear(x);
    arb_clear(k);
    arf_clear(infinity);
}

static void search_domain(search *s, const fmpz_t horizon) {
    arf_t first, last;
    fmpz_t one;
    arf_init(first);
    arf_init(last);
    fmpz_init_set_ui(one, 1);
    arf_set_fmpz(last, horizon);
    slong singles = 0;
    if (s->kernel->kind == SOE_KERNEL_GL) {
        singles =
            fmpz_cmp_si(horizon, SINGLE_INTEGERS) < 0 ? fmpz_get_si(horizon) : SINGLE_INTEGERS;
        evaluate_integers(s, one, singles);
    }
    if (fmpz_cmp_si(horizon, singles) > 0) {
        arf_set_si(first, singles + 1);
        sample(s, first, last);
        cover(s, first, last);
    }
    arf_clear(first);
    arf_clear(last);
    fmpz_clear(one);
}

static void search_beyond(search *s, const fmpz_t horizon) {
    arf_t first, last, rest, limit;
    fmpz_t j;
    arf_init(first);
    arf_init(last);
    arf_init(rest);
    arf_init(limit);
    fmpz_init(j);
    note_limit(s);
    fmpz_set(j, horizon);
    if (s->kernel->kind == SOE_KERNEL_GL) {
        fmpz_add_ui(j, j, 1);
        if (fmpz_cmp_si(j, SINGLE_INTEGERS) <= 0) {
            evaluate_integers(s, j, SINGLE_INTEGERS + 1 - fmpz_get_si(j));
            fmpz_set_si(j, SINGLE_INTEGERS + 1);
        }
    }
    arf_set_fmpz(first, j);
    /* the first power of two times first from which on nothing exceeds what was attained before */
    arf_set(last, first);
    slong octaves = 0, most = (slong)(MAX_CELLS_BEYOND * 2 * CELL_HALF / log(2.0));
    for (; octaves < most; octaves++) {
        evaluate_point(s, last);
        bound_from(rest, s, last);
        arf_set_d(limit, 1 + 0.5 * s->width);
        arf_mul(limit, limit, s->best, 64, ARF_RND_DOWN);
        if (arf_cmp(rest, limit) <= 0)
            break;
        arf_mul_2exp_si(last, last, 1);
    }
    if (octaves > 0)
        cover(s, first, last);
    if (arf_cmp(rest, s->top) > 0)
        arf_set(s->top, rest);
    arf_clear(first);
    arf_clear(last);
    arf_clear(rest);
    arf_clear(limit);
    fmpz_clear(j);
}

/* Whether top <= best (1+width). */
static int narrow(const search *s) {
    arf_t limit;
    arf_init(limit);
    arf_set_d(limit, 1 + s->width);
    arf_mul(limit, limit, s->best, 64, ARF_RND_DOWN);
    int ok = arf_cmp(s->top, limit) <= 0;
    arf_clear(limit);
    return ok;
}

static int arguments_ok(const soe_kernel_t kernel, const soe_sum_t sum, const fmpz_t horizon,
                        double width) {
    fmpz_t most;
    fmpz_init(most);
    fmpz_ui_pow_ui(most, 10, SOE_MAX_HORIZON_DIGITS);
    int ok = fmpz_sgn(horizon) > 0 && fmpz_cmp(horizon, most) <= 0 && width > 0 && width < 1 &&
             sum->terms >= 0 && fmpq_sgn(kernel->order) > 0;
    if (kernel->kind == SOE_KERNEL_GL)
        ok = ok && fmpq_cmp_si(kernel->order, 1) <= 0;
    for (slong i = 0; ok && i < sum->terms; i++) {
        if (sum->form == SOE_RATE)
            ok = fmpq_sgn(sum->mode + i) >= 0;
        else
            ok = fmpq_sgn(sum->mode + i) > 0 && fmpq_cmp_si(sum->mode + i, 1) <= 0;
    }
    fmpz_clear(most);
    return ok;
}

/* alpha = 1 and every mode is 1^t: the error is the constant |1 - sum of the weights|. */
static int constant_error(soe_bound_t bound, const soe_kernel_t kernel, const soe_sum_t sum) {
    if (kernel->kind != SOE_KERNEL_GL || !fmpq_is_one(kernel->order))
        return 0;
    for (slong i = 0; i < sum->terms; i++)
        if (sum->form == SOE_RATE ? !fmpq_is_zero(sum->mode + i) : !fmpq_is_one(sum->mode + i))
            return 0;
    fmpq_t gap;
    arb_t ball;
    fmpq_init(gap);
    arb_init(ball);
    fmpq_one(gap);
    for (slong i = 0; i < sum->terms; i++)
        fmpq_sub(gap, gap, sum->weight + i);
    arb_set_fmpq(ball, gap, 64);
    arb_get_abs_lbound_arf(bound->lower, ball, 64);
    arb_get_abs_ubound_arf(bound->upper, ball, 64);
    arf_set(bound->beyond_lower, bound->lower);
    arf_set(bound->beyond_upper, bound->upper);
    arf_one(bound->at);
    bound->points = 1;
    bound->prec = 64;
    fmpq_clear(gap);
    arb_clear(ball);
    return 1;
}

int soe_bound_meets(const soe_bound_t bound, const fmpq_t target) {
    if (!arf_is_finite(bound->upper))
        return 0;
    fmpq_t upper;
    fmpq_init(upper);
    exact_rational_from_arf(upper, bound->upper);
    int meets = fmpq_cmp(upper, target) <= 0;
    fmpq_clear(upper);
    return meets;
}

soe_status soe_certify(soe_bound_t bound, const soe_kernel_t kernel, const soe_sum_t sum,
                       const fmpz_t horizon, soe_error error, int beyond, double width,
                       slong prec) {
    /* nothing is known until something is: whoever overlooks the status sees no bound */
    arf_zero(bound->lower);
    arf_pos_inf(bound->upper);
    arf_zero(bound->beyond_lower);
    arf_pos_inf(bound->beyond_upper);
    if (!arguments_ok(kernel, sum, horizon, width))
        return SOE_BAD_ARGUMENT;
    soe_status status = SOE_WIDE;
    bound->cells = bound->points = 0;
    prec = FLINT_MIN(FLINT_MAX(prec, 64), MAX_PREC);
    if (constant_error(bound, kernel, sum))
        return SOE_OK;
    for (;; prec = FLINT_MIN(2 * prec, MAX_PREC)) {
        search s;
        search_init(&s, kernel, sum, error, width, prec);
        search_domain(&s, horizon);
        arf_set(bound->lower, s.best);
        arf_set(bound->upper, s.top);
        arf_set(bound->at, s.best_at);
        bound->cells += s.cells;
        bound->points += s.points;
        bound->prec = prec;
        int good = narrow(&s);
        search_clear(&s);
        if (good)
            status = SOE_OK;
        if (good || prec == MAX_PREC)
            break;
    }
    if (beyond) {
        search s;
        search_init(&s, kernel, sum, error, width, prec);
        search_beyond(&s, horizon);
        arf_set(bound->beyond_lower, s.best);
        arf_set(bound->beyond_upper, s.top);
        bound->cells += s.cells;
        bound->points += s.points;
        search_clear(&s);
    }
    return status;
}

/* Remez exchange for sums of exponentials: see soe_minimax.h.

   Unknowns: ln c_s, ln lambda_s, E.  On a reference t_0 < ... < t_2S the equations are
       K(t_i) - sum_s c_s e^(-lambda_s t_i) = (-1)^i E W(t_i),      W = 1 or K;
   Newton solves them, then the reference moves to the extrema of the error, one in each run of one
   sign.  Nothing in this file is rigorous except soe_alternation_lower. */
#include "numerics/exact/soe_minimax.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"

#include <math.h>
#include <string.h>

#ifdef MNEME_FLINT3
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

void soe_minimax_init(soe_minimax_t m) {
    soe_sum_init(m->sum, 0, SOE_RATE);
    m->points = 0;
    m->point = NULL;
    arf_init(m->level);
}

static void clear_points(soe_minimax_t m) {
    for (slong i = 0; i < m->points; i++)
        arf_clear(m->point + i);
    flint_free(m->point);
    m->point = NULL;
    m->points = 0;
}

void soe_minimax_clear(soe_minimax_t m) {
    soe_sum_clear(m->sum);
    clear_points(m);
    arf_clear(m->level);
}

void soe_minimax_set_points(soe_minimax_t m, const arf_struct *point, slong n) {
    clear_points(m);
    m->points = n;
    m->point = flint_malloc((size_t)FLINT_MAX(n, 1) * sizeof *m->point);
    for (slong i = 0; i < n; i++) {
        arf_init(m->point + i);
        arf_set(m->point + i, point + i);
    }
}

void soe_minimax_set(soe_minimax_t to, const soe_minimax_t from) {
    if (to == from)
        return;
    soe_sum_set(to->sum, from->sum);
    soe_minimax_set_points(to, from->point, from->points);
    arf_set(to->level, from->level);
}

void soe_minimax_round(soe_minimax_t m, slong bits) {
    arb_t x;
    arb_init(x);
    for (slong s = 0; s < 2 * m->sum->terms; s++) {
        fmpq *q = s % 2 == 0 ? m->sum->weight + s / 2 : m->sum->mode + s / 2;
        arb_set_fmpq(x, q, bits);
        exact_rational_from_arf(q, arb_midref(x));
    }
    arb_clear(x);
}

void soe_alternation_lower(arf_t lower, const soe_kernel_t kernel, const soe_sum_t sum,
                           const arf_struct *point, slong points, soe_error error, slong prec) {
    arb_t k, x;
    arf_t size;
    int last = 0;
    arb_init(k);
    arb_init(x);
    arf_init(size);
    arf_pos_inf(lower);
    if (points < 2 * sum->terms + 1)
        arf_zero(lower);
    for (slong i = 0; i < points && !arf_is_zero(lower); i++) {
        int ordered = arf_sgn(point + i) > 0 && (i == 0 || arf_cmp(point + i - 1, point + i) < 0) &&
                      (kernel->kind != SOE_KERNEL_GL || arf_is_int(point + i));
        if (ordered) {
            soe_kernel_value(k, kernel, point + i, prec);
            soe_sum_value(x, sum, point + i, prec);
            arb_sub(x, k, x, prec);
            if (error == SOE_RELATIVE)
                arb_div(x, x, k, prec);
        }
        int sign = !ordered ? 0 : arb_is_positive(x) ? 1 : arb_is_negative(x) ? -1 : 0;
        if (sign == 0 || sign == last) {
            arf_zero(lower);
            break;
        }
        last = sign;
        arb_get_abs_lbound_arf(size, x, 64);
        if (arf_cmp(size, lower) < 0)
            arf_set(lower, size);
    }
    arb_clear(k);
    arb_clear(x);
    arf_clear(size);
}

/* ---- the problem, sampled ---- */

typedef struct {
    const soe_kernel_struct *kernel;
    soe_error error;
    int integers;
    double log_horizon;
    arf_t horizon;
    slong prec;
    slong grid; /* points at which the error is looked at */
    arf_struct *t;
    arb_ptr value; /* K there */
} problem;

/* t := the domain's point nearest to e^y. */
static void point_at(arf_t t, const problem *p, double y) {
    if (y <= 0) {
        arf_one(t);
    } else if (y >= p->log_horizon) {
        arf_set(t, p->horizon);
    } else {
        arb_t x;
        arb_init(x);
        arb_set_d(x, y);
        arb_exp(x, x, 64);
        if (p->integers)
            arf_floor(t, arb_midref(x));
        else
            arf_set_round(t, arb_midref(x), 40, ARF_RND_DOWN); /* not past the horizon */
        if (p->integers) {
            arf_t half;
            arf_init(half);
            arf_sub(half, arb_midref(x), t, 64, ARF_RND_NEAR);
            if (arf_cmp_d(half, 0.5) >= 0)
                arf_add_ui(t, t, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_clear(half);
        }
        arb_clear(x);
    }
}

/* A grid with about this many points for each of the 2S+1 extrema. */
enum { PER_EXTREMUM = 8, SINGLES = 64 };

static void problem_init(problem *p, const soe_kernel_t kernel, const fmpz_t horizon,
                         soe_error error, slong terms, slong prec) {
    p->kernel = kernel;
    p->error = error;
    p->integers = kernel->kind == SOE_KERNEL_GL;
    p->prec = prec;
    arf_init(p->horizon);
    arf_set_fmpz(p->horizon, horizon);
    p->log_horizon = log(fmpz_get_d(horizon));
    slong room = PER_EXTREMUM * (2 * terms + 1) + 4 * SINGLES;
    p->t = flint_malloc((size_t)room * sizeof *p->t);
    p->value = _arb_vec_init(room);
    p->grid = 0;
    double step = p->log_horizon / (double)(PER_EXTREMUM * (2 * terms + 1)), y = 0;
    arf_t t;
    arf_init(t);
    while (p->grid < room && (p->grid == 0 || !arf_equal(t, p->horizon))) {
        point_at(t, p, y);
        arf_init(p->t + p->grid);
        arf_set(p->t + p->grid, t);
        soe_kernel_value(p->value + p->grid, kernel, t, prec);
        p->grid++;
        /* all of the first integers; then steps in ln t, to another integer at least */
        double here = arf_get_d(t, ARF_RND_NEAR);
        y = log(here) + (p->integers && here < SINGLES ? 0 : step);
        if (p->integers)
            y = fmax(y, log(here + 1));
    }
    arf_clear(t);
}

static void problem_clear(problem *p) {
    for (slong k = 0; k < p->grid; k++)
        arf_clear(p->t + k);
    flint_free(p->t);
    _arb_vec_clear(p->value, p->grid);
    arf_clear(p->horizon);
}

/* An approximation and its reference. */
typedef struct {
    slong terms, prec;
    arb_ptr log_c, log_rate; /* [terms], radius 0 */
    arb_t level;
    arf_t most;        /* the largest error that the last exchange saw */
    arf_struct *point; /* [2 terms + 1] */
} state;

static void state_init(state *s, slong terms) {
    s->terms = terms;
    s->log_c = _arb_vec_init(terms);
    s->log_rate = _arb_vec_init(terms);
    arb_init(s->level);
    arf_init(s->most);
    s->point = flint_malloc((size_t)(2 * terms + 1) * sizeof *s->point);
    for (slong i = 0; i <= 2 * terms; i++)
        arf_init(s->point + i);
}

static void state_clear(state *s) {
    _arb_vec_clear(s->log_c, s->terms);
    _arb_vec_clear(s->log_rate, s->terms);
    arb_clear(s->level);
    arf_clear(s->most);
    for (slong i = 0; i <= 2 * s->terms; i++)
        arf_clear(s->point + i);
    flint_free(s->point);
}

static void strip(arb_t x) {
    mag_zero(arb_radref(x));
}

/* c, rate := exp of the unknowns. */
static void exponentials(arb_ptr c, arb_ptr rate, const state *s, slong prec) {
    for (slong i = 0; i < s->terms; i++) {
        arb_exp(c + i, s->log_c + i, prec);
        arb_exp(rate + i, s->log_rate + i, prec);
        strip(c + i);
        strip(rate + i);
    }
}

/* e := (K - sum)/W at t, where K is k. */
static void weighted_error(arb_t e, const problem *p, arb_srcptr c, arb_srcptr rate, slong terms,
                           const arf_t t, const arb_t k) {
    arb_t x;
    arb_init(x);
    arb_set(e, k);
    for (slong i = 0; i < terms; i++) {
        arb_mul_arf(x, rate + i, t, p->prec);
        arb_neg(x, x);
        strip(x);
        arb_exp(x, x, p->prec);
        arb_submul(e, c + i, x, p->prec);
    }
    if (p->error == SOE_RELATIVE)
        arb_div(e, e, k, p->prec);
    strip(e);
    arb_clear(x);
}

/* One Newton step, damped so that no rate passes another; size := the largest undamped relative
   change.  0 if the linear system could not be solved. */
static int newton_step(state *s, const problem *p, double *size) {
    slong n = 2 * s->terms + 1, prec = p->prec;
    arb_mat_t a, b;
    arb_t x, k;
    arb_ptr c = _arb_vec_init(s->terms), rate = _arb_vec_init(s->terms);
    arb_mat_init(a, n, n);
    arb_mat_init(b, n, 1);
    arb_init(x);
    arb_init(k);
    exponentials(c, rate, s, prec);
    for (slong i = 0; i < n; i++) {
        arb_ptr rest = arb_mat_entry(b, i, 0);
        soe_kernel_value(k, p->kernel, s->point + i, prec);
        strip(k);
        arb_set(rest, k);
        for (slong m = 0; m < s->terms; m++) {
            arb_ptr dc = arb_mat_entry(a, i, m), dl = arb_mat_entry(a, i, s->terms + m);
            arb_mul_arf(x, rate + m, s->point + i, prec);
            strip(x);
            arb_neg(dc, x);
            arb_exp(dc, dc, prec);
            arb_mul(dc, dc, c + m, prec);
            arb_sub(rest, rest, dc, prec);
            arb_mul(dl, dc, x, prec);
            arb_neg(dl, dl);
        }
        arb_ptr de = arb_mat_entry(a, i, n - 1);
        if (p->error == SOE_RELATIVE)
            arb_set(de, k);
        else
            arb_one(de);
        if (i % 2 == 1)
            arb_neg(de, de);
        /* rows are scaled by W so that all matter alike */
        if (p->error == SOE_RELATIVE) {
            for (slong m = 0; m < n; m++)
                arb_div(arb_mat_entry(a, i, m), arb_mat_entry(a, i, m), k, prec);
            arb_div(rest, rest, k, prec);
        }
        for (slong m = 0; m < n; m++)
            strip(arb_mat_entry(a, i, m));
        strip(rest);
    }
    int ok = arb_mat_approx_solve(b, a, b, prec);
    double worst = 0, damping = 1;
    for (slong m = 0; m < s->terms && ok; m++) {
        double dc = arf_get_d(arb_midref(arb_mat_entry(b, m, 0)), ARF_RND_NEAR),
               dl = arf_get_d(arb_midref(arb_mat_entry(b, s->terms + m, 0)), ARF_RND_NEAR);
        ok = isfinite(dc) && isfinite(dl);
        worst = fmax(worst, fmax(fabs(dc), fabs(dl)));
        double here = arf_get_d(arb_midref(s->log_rate + m), ARF_RND_NEAR), room = 1;
        if (m > 0)
            room = fmin(room, here - arf_get_d(arb_midref(s->log_rate + m - 1), ARF_RND_NEAR));
        if (m + 1 < s->terms)
            room = fmin(room, arf_get_d(arb_midref(s->log_rate + m + 1), ARF_RND_NEAR) - here);
        if (fabs(dl) > 0.4 * room)
            damping = fmin(damping, 0.4 * room / fabs(dl));
        if (fabs(dc) > 1)
            damping = fmin(damping, 1 / fabs(dc));
    }
    if (ok) {
        arb_set_d(x, damping);
        for (slong m = 0; m < s->terms; m++) {
            arb_addmul(s->log_c + m, arb_mat_entry(b, m, 0), x, prec);
            arb_addmul(s->log_rate + m, arb_mat_entry(b, s->terms + m, 0), x, prec);
            strip(s->log_c + m);
            strip(s->log_rate + m);
        }
        arb_set(s->level, arb_mat_entry(b, n - 1, 0));
        strip(s->level);
    }
    *size = worst;
    arb_mat_clear(a);
    arb_mat_clear(b);
    arb_clear(x);
    arb_clear(k);
    _arb_vec_clear(c, s->terms);
    _arb_vec_clear(rate, s->terms);
    return ok;
}

/* value := the weighted error at t. */
static void error_at(arb_t value, const problem *p, arb_srcptr c, arb_srcptr rate, slong terms,
                     const arf_t t) {
    arb_t k;
    arb_init(k);
    soe_kernel_value(k, p->kernel, t, p->prec);
    strip(k);
    weighted_error(value, p, c, rate, terms, t, k);
    arb_clear(k);
}

/* Takes w, e_w for t, e if the error there is larger. */
static void take_larger(arf_t t, arb_t e, const arf_t w, const arb_t e_w) {
    if (arf_cmpabs(arb_midref(e_w), arb_midref(e)) > 0 &&
        arf_sgn(arb_midref(e_w)) == arf_sgn(arb_midref(e))) {
        arf_set(t, w);
        arb_set(e, e_w);
    }
}

/* t, e := the extremum near point k of the n sampled ones: parabolas in ln t through three points,
   twice, the second time closer; for integers then both neighbours. */
static void refine(arf_t t, arb_t e, const problem *p, arb_srcptr c, arb_srcptr rate, slong terms,
                   const arf_struct *at, arb_srcptr sample, slong n, slong k) {
    arf_set(t, at + k);
    arb_set(e, sample + k);
    if (n < 3)
        return;
    arb_t x, value[3];
    arf_t u[3], w;
    double y[3], v[3];
    arb_init(x);
    arf_init(w);
    for (int i = 0; i < 3; i++) {
        arb_init(value[i]);
        arf_init(u[i]);
        slong near = k - 1 + i;
        if (near < 0 ||
            near >= n) { /* at an end: halfway to the inner neighbour takes the middle */
            arf_set(u[i], at + k);
            arb_set(value[i], sample + k);
        } else {
            arf_set(u[i], at + near);
            arb_set(value[i], sample + near);
        }
    }
    if (k == 0 || k + 1 == n) {
        double inner = log(arf_get_d(at + (k == 0 ? 1 : n - 2), ARF_RND_NEAR)),
               end = log(arf_get_d(at + k, ARF_RND_NEAR));
        point_at(u[1], p, 0.5 * (inner + end));
        error_at(value[1], p, c, rate, terms, u[1]);
        take_larger(t, e, u[1], value[1]);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 3; i++) {
            y[i] = log(arf_get_d(u[i], ARF_RND_NEAR));
            arb_div(x, value[i], value[1], 64);
            v[i] = arf_get_d(arb_midref(x), ARF_RND_NEAR);
        }
        if (!(y[0] < y[1] && y[1] < y[2]))
            break;
        double left = (v[1] - v[0]) / (y[1] - y[0]), right = (v[2] - v[1]) / (y[2] - y[1]);
        if (!(right < left))
            break;
        double vertex = 0.5 * (y[0] + y[1]) - left * 0.5 * (y[2] - y[0]) / (right - left),
               width = 0.1 * (y[2] - y[0]);
        if (!isfinite(vertex))
            break;
        for (int i = 0; i < 3; i++) {
            point_at(u[i], p, fmin(fmax(vertex, y[0]), y[2]) + (i - 1) * width);
            error_at(value[i], p, c, rate, terms, u[i]);
            take_larger(t, e, u[i], value[i]);
        }
    }
    for (int shift = -1; shift <= 1 && p->integers; shift += 2) {
        arf_add_si(w, t, shift, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (arf_cmp_si(w, 1) >= 0 && arf_cmp(w, p->horizon) <= 0) {
            error_at(x, p, c, rate, terms, w);
            take_larger(t, e, w, x);
        }
    }
    for (int i = 0; i < 3; i++) {
        arb_clear(value[i]);
        arf_clear(u[i]);
    }
    arf_clear(w);
    arb_clear(x);
}

/* Grid and reference together, in order: the points at which an exchange looks, and the error there. */
static slong sample_error(arf_struct *at, arb_ptr e, const state *s, const problem *p, arb_srcptr c,
                          arb_srcptr rate) {
    slong n = 0;
    for (slong g = 0, r = 0; g < p->grid || r <= 2 * s->terms;) {
        int from_grid = r > 2 * s->terms || (g < p->grid && arf_cmp(p->t + g, s->point + r) <= 0);
        const arf_struct *t = from_grid ? p->t + g : s->point + r;
        if (n == 0 || arf_cmp(t, at + n - 1) > 0) {
            arf_init(at + n);
            arf_set(at + n, t);
            if (from_grid)
                weighted_error(e + n, p, c, rate, s->terms, t, p->value + g);
            else
                error_at(e + n, p, c, rate, s->terms, t);
            n++;
        }
        g += from_grid;
        r += !from_grid;
    }
    return n;
}

/* Moves the reference to the extrema of the error.  least, most := the smallest and largest of the
   2S+1 chosen.  0 if there are fewer than 2S+1 runs of one sign. */
static int exchange(state *s, const problem *p, arf_t least, arf_t most) {
    slong wanted = 2 * s->terms + 1, runs = 0, room = p->grid + wanted;
    arb_ptr c = _arb_vec_init(s->terms), rate = _arb_vec_init(s->terms), e = _arb_vec_init(room),
            top = _arb_vec_init(room);
    arf_struct *at = flint_malloc((size_t)room * sizeof *at),
               *t = flint_malloc((size_t)room * sizeof *t);
    exponentials(c, rate, s, p->prec);
    slong n = sample_error(at, e, s, p, c, rate);
    for (slong k = 0; k < n;) {
        slong best = k, end = k;
        int sign = arf_sgn(arb_midref(e + k));
        for (; end < n && arf_sgn(arb_midref(e + end)) == sign; end++)
            if (arf_cmpabs(arb_midref(e + end), arb_midref(e + best)) > 0)
                best = end;
        if (sign != 0) {
            arf_init(t + runs);
            refine(t + runs, top + runs, p, c, rate, s->terms, at, e, n, best);
            runs++;
        }
        k = end > k ? end : k + 1;
    }
    /* too many: drop the smaller end */
    slong first = 0, last = runs;
    while (last - first > wanted) {
        if (arf_cmpabs(arb_midref(top + first), arb_midref(top + last - 1)) < 0)
            first++;
        else
            last--;
    }
    int ok = last - first == wanted;
    arf_pos_inf(least);
    arf_zero(most);
    for (slong i = 0; i < wanted && ok; i++) {
        arf_t size;
        arf_init(size);
        arf_set(s->point + i, t + first + i);
        arf_abs(size, arb_midref(top + first + i));
        if (arf_cmp(size, least) < 0)
            arf_set(least, size);
        if (arf_cmp(size, most) > 0)
            arf_set(most, size);
        arf_clear(size);
    }
    for (slong i = 0; i < runs; i++)
        arf_clear(t + i);
    for (slong i = 0; i < n; i++)
        arf_clear(at + i);
    flint_free(t);
    flint_free(at);
    _arb_vec_clear(c, s->terms);
    _arb_vec_clear(rate, s->terms);
    _arb_vec_clear(e, room);
    _arb_vec_clear(top, room);
    return ok;
}

/* Newton and exchange from the state given until the levels meet. */
static soe_status iterate(state *s, const problem *p, double gap) {
    arf_t least, most, limit;
    soe_status status = SOE_WIDE;
    arf_init(least);
    arf_init(most);
    arf_init(limit);
    for (int round = 0; round < 60 && status != SOE_OK; round++) {
        /* a step of size d leaves a residual of about d^2: it must be small beside the level */
        double size = HUGE_VAL, enough = 1e-3;
        for (int i = 0; i < 100 && size > enough; i++) {
            if (!newton_step(s, p, &size))
                goto done;
            slong exponent = arf_is_zero(arb_midref(s->level))
                                 ? -s->terms
                                 : arf_abs_bound_lt_2exp_si(arb_midref(s->level));
            enough = fmin(1e-3, 0.02 * pow(2.0, 0.5 * (double)exponent));
        }
        if (!exchange(s, p, least, most))
            goto done;
        arf_set(s->most, most);
        arf_set_d(limit, 1 + gap);
        arf_mul(limit, limit, least, 64, ARF_RND_NEAR);
        if (arf_cmp(most, limit) <= 0)
            status = SOE_OK;
    }
done:
    arf_clear(least);
    arf_clear(most);
    arf_clear(limit);
    return status;
}

/* value of the piecewise linear function through (i+1/2)/n -> y[i], continued linearly, at u. */
static double quantile(const double *y, slong n, double u) {
    if (n == 1) /* one rate says nothing of the spread of two */
        return y[0] + 4 * (u - 0.5);
    double position = u * (double)n - 0.5;
    slong i = (slong)floor(position);
    i = i < 0 ? 0 : i > n - 2 ? n - 2 : i;
    return y[i] + (position - (double)i) * (y[i + 1] - y[i]);
}

/* A start with more terms: rates, weights per spacing, and reference as functions of their rank. */
static void stretch(state *to, const state *from, const problem *p) {
    slong m = from->terms, n = to->terms;
    double *rate = flint_malloc((size_t)m * sizeof *rate), *c = flint_malloc((size_t)m * sizeof *c),
           *t = flint_malloc((size_t)(2 * m + 1) * sizeof *t);
    for (slong i = 0; i < m; i++) {
        rate[i] = arf_get_d(arb_midref(from->log_rate + i), ARF_RND_NEAR);
        c[i] = arf_get_d(arb_midref(from->log_c + i), ARF_RND_NEAR);
    }
    for (slong i = 0; i <= 2 * m; i++)
        t[i] = log(arf_get_d(from->point + i, ARF_RND_NEAR));
    /* a nearly flat kernel has one slow mode that carries it and small ones that bend it: the slow one
       stays, and from one term on the first small one begins halfway to rate 1 */
    double level = arf_is_zero(arb_midref(from->level))
                       ? -1
                       : log(fabs(arf_get_d(arb_midref(from->level), ARF_RND_NEAR)));
    int carried = m >= 2 ? c[0] - c[1] > 3 : c[0] - level > 4;
    if (carried) {
        arb_set(to->log_rate, from->log_rate);
        arb_set(to->log_c, from->log_c);
    }
    if (carried && m == 1) {
        rate[0] *= 0.5;
        c[0] = level;
    }
    slong kept = carried && m >= 2; /* modes of from that are not stretched */
    double scale = log((double)(m - kept) / (double)(n - carried));
    for (slong i = carried; i < n; i++) {
        double u = ((double)(i - carried) + 0.5) / (double)(n - carried);
        arb_set_d(to->log_rate + i, quantile(rate + kept, m - kept, u));
        arb_set_d(to->log_c + i, quantile(c + kept, m - kept, u) + scale);
    }
    for (slong i = 0; i <= 2 * n; i++) {
        double u = (double)i / (double)(2 * n), position = u * (double)(2 * m);
        slong k = FLINT_MIN((slong)position, 2 * m - 1);
        point_at(to->point + i, p, t[k] + (position - (double)k) * (t[k + 1] - t[k]));
    }
    if (p->integers) /* distinct integers within [1,T] */
        for (slong i = 0; i <= 2 * n; i++)
            if (i > 0 && arf_cmp(to->point + i, to->point + i - 1) <= 0)
                arf_add_ui(to->point + i, to->point + i - 1, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    for (slong i = 2 * n; i >= 0 && p->integers; i--) {
        arf_t most;
        arf_init(most);
        arf_sub_si(most, p->horizon, 2 * n - i, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (arf_cmp(to->point + i, most) > 0)
            arf_set(to->point + i, most);
        arf_clear(most);
    }
    arb_set(to->level, from->level);
    flint_free(rate);
    flint_free(c);
    flint_free(t);
}

/* The decay exponent of the kernel as a double: beta = 1-alpha, or the power. */
static void decay(arb_t beta, const soe_kernel_struct *kernel, slong prec) {
    arb_set_fmpq(beta, kernel->order, prec);
    if (kernel->kind == SOE_KERNEL_GL) {
        arb_sub_ui(beta, beta, 1, prec);
        arb_neg(beta, beta);
    }
}

/* One term for a kernel that hardly falls, K ~ c (1 - beta ln t): the error A - beta ln t + lambda t has
   equal ends for lambda = beta ln T/(T-1) and its third extremum at beta/lambda. */
static void start_flat(state *s, const problem *p, const arb_t beta) {
    arb_t x;
    arb_init(x);
    arb_set_arf(x, p->horizon);
    arb_log(s->log_rate, x, p->prec);
    arb_sub_ui(x, x, 1, p->prec);
    arb_div(s->log_rate, s->log_rate, x, p->prec); /* ln T/(T-1) */
    arb_inv(x, s->log_rate, 64);
    point_at(s->point + 1, p, log(arf_get_d(arb_midref(x), ARF_RND_NEAR)));
    arf_one(s->point);
    arf_set(s->point + 2, p->horizon);
    arb_mul(s->log_rate, s->log_rate, beta, p->prec);
    arb_log(s->log_rate, s->log_rate, p->prec);
    arb_log(s->log_c, p->value, p->prec);
    arb_set(s->level, beta);
    strip(s->log_rate);
    strip(s->log_c);
    strip(s->level);
    arb_clear(x);
}

/* One term: the best of a grid of rates, each with the weight that balances the extreme errors. */
static void start_steep(state *s, const problem *p) {
    double best = HUGE_VAL, best_rate = 1, best_c = 1;
    double *k = flint_malloc((size_t)p->grid * sizeof *k),
           *t = flint_malloc((size_t)p->grid * sizeof *t);
    for (slong i = 0; i < p->grid; i++) {
        k[i] = arf_get_d(arb_midref(p->value + i), ARF_RND_NEAR);
        t[i] = arf_get_d(p->t + i, ARF_RND_NEAR);
    }
    for (double y = -p->log_horizon - 5; y < 2; y += 0.02) {
        double rate = exp(y), low = 0, high = 4 * k[0];
        for (int step = 0; step < 40; step++) { /* largest error of either sign equal */
            double c = 0.5 * (low + high), over = 0, under = 0;
            for (slong i = 0; i < p->grid; i++) {
                double e = (k[i] - c * exp(-rate * t[i])) / (p->error == SOE_RELATIVE ? k[i] : 1);
                over = fmax(over, -e);
                under = fmax(under, e);
            }
            if (over > under)
                high = c;
            else
                low = c;
            if (step == 39 && fmax(over, under) < best) {
                best = fmax(over, under);
                best_rate = rate;
                best_c = c;
            }
        }
    }
    arb_set_d(s->log_rate, log(best_rate));
    arb_set_d(s->log_c, log(best_c));
    arb_set_d(s->level, best);
    for (slong i = 0; i < 3; i++) /* any reference: the exchange that follows replaces it */
        arf_set(s->point + i, p->t + (p->grid - 1) * i / 2);
    flint_free(k);
    flint_free(t);
}

/* Bits for a sum of that many terms, given the level of a smaller one: twice the bits of the level
   expected (it falls at most geometrically in the number of terms here) and a reserve. */
static slong working_precision(const state *from, slong terms) {
    slong bits = 0;
    if (from != NULL && !arf_is_zero(from->most))
        bits = FLINT_MAX(0, -arf_abs_bound_lt_2exp_si(from->most)) * terms / from->terms;
    return 160 + 2 * bits;
}

static soe_status solve(state *s, const state *from, const soe_kernel_t kernel,
                        const fmpz_t horizon, soe_error error, double gap) {
    problem p;
    arf_t least, most;
    arb_t beta;
    arb_init(beta);
    decay(beta, kernel, 64);
    s->prec = working_precision(from, s->terms);
    if (from == NULL) /* the level may be as small as beta */
        s->prec += 2 * FLINT_MAX(0, -arf_abs_bound_lt_2exp_si(arb_midref(beta)));
    decay(beta, kernel, s->prec);
    problem_init(&p, kernel, horizon, error, s->terms, s->prec);
    soe_status status;
    if (from != NULL) {
        stretch(s, from, &p);
        status = iterate(s, &p, gap);
    } else if (arf_get_d(arb_midref(beta), ARF_RND_NEAR) * p.log_horizon < 0.5) {
        start_flat(s, &p, beta);
        status = iterate(s, &p, gap);
    } else {
        start_steep(s, &p);
        arf_init(least);
        arf_init(most);
        status = exchange(s, &p, least, most) ? iterate(s, &p, gap) : SOE_WIDE;
        arf_clear(least);
        arf_clear(most);
    }
    problem_clear(&p);
    arb_clear(beta);
    return status;
}

static void export_sum(soe_minimax_t m, const state *s) {
    arb_ptr c = _arb_vec_init(s->terms), rate = _arb_vec_init(s->terms);
    exponentials(c, rate, s, s->prec);
    soe_sum_clear(m->sum);
    soe_sum_init(m->sum, s->terms, SOE_RATE);
    for (slong i = 0; i < s->terms; i++) {
        exact_rational_from_arf(m->sum->weight + i, arb_midref(c + i));
        exact_rational_from_arf(m->sum->mode + i, arb_midref(rate + i));
    }
    arf_set(m->level, s->most);
    soe_minimax_set_points(m, s->point, 2 * s->terms + 1);
    _arb_vec_clear(c, s->terms);
    _arb_vec_clear(rate, s->terms);
}

static void import_sum(state *s, const soe_minimax_struct *m) {
    arf_set(s->most, m->level);
    slong prec = s->prec = working_precision(s, s->terms);
    for (slong i = 0; i < s->terms; i++) {
        arb_set_fmpq(s->log_c + i, m->sum->weight + i, prec);
        arb_log(s->log_c + i, s->log_c + i, prec);
        arb_set_fmpq(s->log_rate + i, m->sum->mode + i, prec);
        arb_log(s->log_rate + i, s->log_rate + i, prec);
        strip(s->log_c + i);
        strip(s->log_rate + i);
    }
    for (slong i = 0; i < m->points; i++)
        arf_set(s->point + i, m->point + i);
    arb_set_arf(s->level, m->level);
}

soe_status soe_minimax(soe_minimax_t m, const soe_kernel_t kernel, const fmpz_t horizon,
                       soe_error error, slong terms, double gap, const soe_minimax_struct *start,
                       int (*progress)(slong terms)) {
    if (terms < 1 || terms > SOE_MAX_TERMS || fmpq_sgn(kernel->order) <= 0 ||
        fmpz_cmp_si(horizon, 2) < 0 ||
        (kernel->kind == SOE_KERNEL_GL &&
         (fmpq_cmp_si(kernel->order, 1) >= 0 || fmpz_cmp_si(horizon, 2 * terms + 1) < 0)))
        return SOE_BAD_ARGUMENT;
    state current;
    soe_status status = SOE_OK;
    if (start != NULL && start->sum->terms >= 1 && start->sum->terms <= terms) {
        state_init(&current, start->sum->terms);
        import_sum(&current, start);
    } else {
        state_init(&current, 1);
        status = solve(&current, NULL, kernel, horizon, error, terms == 1 ? gap : 0.01);
    }
    if (status == SOE_OK && current.terms == terms && start != NULL) { /* the same, closer */
        problem p;
        problem_init(&p, kernel, horizon, error, terms, current.prec);
        status = iterate(&current, &p, gap);
        problem_clear(&p);
    }
    slong step = FLINT_MAX(1, current.terms / 3);
    while (status == SOE_OK && current.terms < terms) {
        if (progress != NULL && progress(current.terms)) {
            status = SOE_WIDE;
            break;
        }
        state next;
        slong target = FLINT_MIN(current.terms + step, terms);
        state_init(&next, target);
        soe_status tried =
            solve(&next, &current, kernel, horizon, error, target == terms ? gap : 0.05);
        if (tried == SOE_OK) {
            state_clear(&current);
            current = next;
            step = FLINT_MAX(1, current.terms / 3);
        } else {
            state_clear(&next);
            if (step == 1)
                status = SOE_WIDE;
            step = FLINT_MAX(1, step / 2);
        }
    }
    if (status == SOE_OK)
        export_sum(m, &current);
    state_clear(&current);
    return status;
}

/* ln of a level, which may be far below the range of doubles. */
static double log_level(const arf_t level) {
    arb_t x;
    arb_init(x);
    arb_set_arf(x, level);
    arb_log(x, x, 53);
    double d = exact_double_mid(x);
    arb_clear(x);
    return d;
}

soe_status soe_minimax_error(soe_minimax_t best, soe_minimax_t fewer, const soe_kernel_t kernel,
                             const fmpz_t horizon, soe_error error, const arf_t target, double gap,
                             int (*progress)(slong terms)) {
    slong failing = 0, meeting = 0, terms = 1, most = SOE_MAX_TERMS;
    soe_minimax_t current;
    arf_t ratio;
    soe_status status = SOE_OK;
    /* the level falls about geometrically: the last two failing sums say how far it is */
    double wanted = log_level(target), last = 0, rate = 0;
    arf_init(ratio);
    if (kernel->kind == SOE_KERNEL_GL && fmpz_cmp_si(horizon, 2 * most + 1) < 0)
        most = (fmpz_get_si(horizon) - 1) / 2;
    soe_minimax_init(current);
    if (most < 1)
        status = SOE_UNREACHABLE;
    while (status == SOE_OK && (meeting == 0 || meeting - failing > 1)) {
        status = soe_minimax(current, kernel, horizon, error, terms, fmax(gap, 0.05),
                             failing ? fewer : NULL, progress);
        /* close to the target: as exactly as asked */
        arf_div(ratio, current->level, target, 53, ARF_RND_NEAR);
        if (status == SOE_OK && gap < 0.05 && arf_cmp_d(ratio, 0.9) > 0 &&
            arf_cmp_d(ratio, 1.1) < 0)
            status = soe_minimax(current, kernel, horizon, error, terms, gap, current, progress);
        if (status != SOE_OK)
            break;
        if (arf_cmp(current->level, target) <= 0) {
            meeting = terms;
            soe_minimax_set(best, current);
        } else {
            double here = log_level(current->level);
            if (failing > 0 && here < last)
                rate = (last - here) / (double)(terms - failing);
            last = here;
            failing = terms;
            soe_minimax_set(fewer, current);
        }
        if (meeting == 0 && failing == most)
            status = SOE_UNREACHABLE;
        slong ahead = rate > 0 ? (slong)fmin(1000, ceil(1.02 * (last - wanted) / rate)) : 1;
        terms = failing + FLINT_MIN(FLINT_MAX(ahead, 1), FLINT_MAX(1, failing / 3));
        terms = meeting ? FLINT_MIN(terms, meeting - 1) : FLINT_MIN(terms, most);
    }
    if (status == SOE_OK)
        status = soe_minimax(best, kernel, horizon, error, meeting, gap, best, progress);
    if (status == SOE_OK && failing > 0)
        status = soe_minimax(fewer, kernel, horizon, error, failing, gap, fewer, progress);
    soe_minimax_clear(current);
    arf_clear(ratio);
    return status;
}

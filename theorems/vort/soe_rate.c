/* vort.soe-rate: how fast sums of exponentials converge to the weights (VORT, Thm. 3.1, "geometric
   convergence in S").

   The paper's construction is Gauss-Legendre in u = ln lambda on a truncated interval.  On a fixed
   interval it converges geometrically to the truncated integral, not to the weights. */
#include "numerics/exact/gauss.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/hankel.h"
#include "numerics/exact/laplace.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"
#include "theorems/vort/common.h"

#include <string.h>

static void set_double(fmpq_t x, double d) {
    arf_t a;
    arf_init_set_ui(a, 0);
    arf_set_d(a, d);
    exact_rational_from_arf(x, a);
    arf_clear(a);
}

/* sup := the ball [lower, upper] of a certified supremum. */
static void bound_ball(arb_t sup, const soe_bound_t bound) {
    arb_set_interval_arf(sup, bound->lower, bound->upper, 128);
}

/* bound := the certified supremum of |w_j - sum| over the integers of [1,horizon]. */
static soe_status certify(soe_bound_t bound, const soe_sum_t sum, const fmpq_t alpha,
                          const fmpz_t horizon, soe_error error, int beyond) {
    soe_kernel_t kernel;
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_status status = soe_certify(bound, kernel, sum, horizon, error, beyond, 1e-3, 128);
    soe_kernel_clear(kernel);
    return status;
}

/* ---- a fixed interval ---- */

typedef struct {
    const char *alpha;
    double low, high; /* interval in u = ln lambda */
    double
        half_height; /* claimed half height of the strip where the integrand is bounded, < pi/2 */
    int untruncated; /* integrate over all u: nothing is cut off */
} interval_parameter;

enum { FIXED_PREC = 320, STALL_TERMS = 48 };

/* out := int over [e^low, e^high] of e^(-j lambda) rho. */
static void truncated_integral(arb_t out, const interval_parameter *p, const fmpq_t alpha, ulong j,
                               slong prec) {
    arb_t end, head;
    arb_init(end);
    arb_init(head);
    if (p->untruncated) {
        fmpz_t z;
        fmpz_init_set_ui(z, j);
        exact_gl_ball(out, alpha, z, prec);
        fmpz_clear(z);
    } else {
        arb_set_d(end, p->high);
        arb_exp(end, end, prec + 64);
        exact_laplace_integral(out, alpha, j, end, prec);
        arb_set_d(end, p->low);
        arb_exp(end, end, prec + 64);
        exact_laplace_integral(head, alpha, j, end, prec);
        arb_sub(out, out, head, prec);
    }
    arb_clear(end);
    arb_clear(head);
}

/* rest := w_j - truncated integral. */
static void truncation(arb_t rest, const interval_parameter *p, const fmpq_t alpha, ulong j,
                       slong prec) {
    fmpq_t w;
    fmpq_init(w);
    if (p->untruncated) {
        arb_zero(rest);
    } else {
        truncated_integral(rest, p, alpha, j, prec);
        arb_neg(rest, rest);
        exact_gl_rational(w, alpha, j);
        arb_t x;
        arb_init(x);
        arb_set_fmpq(x, w, prec);
        arb_add(rest, rest, x, prec);
        arb_clear(x);
    }
    fmpq_clear(w);
}

/* bound := 4 (high-low) M rho^(1-2S)/(rho-1): S-point Gauss-Legendre on [low,high] against the
   integral of a function bounded by M on the ellipse with foci low, high and half axes of sum
   rho (high-low)/2 (weights positive, of sum high-low; best polynomial of degree 2S-1 within
   2M rho^(1-2S)/(rho-1)).  With half height b < pi/2: Re lambda >= e^x cos b > 0 and
   |e^lambda-1| >= e^(Re lambda)-1 >= Re lambda, so
   M <= (sin pi alpha/pi) cos(b)^-alpha sup_z z^beta e^(-j cos(b) z)
      = (sin pi alpha/pi) cos(b)^-alpha (beta/(e j cos b))^beta. */
static void gauss_error_upper(arb_t bound, const interval_parameter *p, const fmpq_t alpha, ulong j,
                              slong terms, slong prec) {
    arb_t b, a, beta, m, rho, x, length;
    arb_init(b);
    arb_init(a);
    arb_init(beta);
    arb_init(m);
    arb_init(rho);
    arb_init(x);
    arb_init(length);
    arb_set_d(b, p->half_height);
    arb_set_d(length, p->high - p->low); /* exact for the intervals used here */
    arb_set_fmpq(a, alpha, prec);
    arb_sub_ui(beta, a, 1, prec);
    arb_neg(beta, beta);
    /* rho = h + sqrt(1+h^2), h = 2b/length */
    arb_div(x, b, length, prec);
    arb_mul_2exp_si(x, x, 1);
    arb_mul(rho, x, x, prec);
    arb_add_ui(rho, rho, 1, prec);
    arb_sqrt(rho, rho, prec);
    arb_add(rho, rho, x, prec);
    /* M; |cos b| keeps the control, whose strip is too wide, a number */
    arb_cos(b, b, prec);
    arb_abs(b, b);
    arb_const_e(m, prec);
    arb_mul_ui(m, m, j, prec);
    arb_mul(m, m, b, prec);
    arb_div(m, beta, m, prec);
    arb_pow(m, m, beta, prec);
    arb_neg(x, a);
    arb_pow(x, b, x, prec);
    arb_mul(m, m, x, prec);
    arb_sin_pi_fmpq(x, alpha, prec);
    arb_mul(m, m, x, prec);
    arb_const_pi(x, prec);
    arb_div(m, m, x, prec);
    /* 4 length M rho^(1-2S)/(rho-1) */
    arb_mul(bound, m, length, prec);
    arb_mul_2exp_si(bound, bound, 2);
    arb_set_si(x, 1 - 2 * terms);
    arb_pow(x, rho, x, prec);
    arb_mul(bound, bound, x, prec);
    arb_sub_ui(x, rho, 1, prec);
    arb_div(bound, bound, x, prec);
    arb_clear(b);
    arb_clear(a);
    arb_clear(beta);
    arb_clear(m);
    arb_clear(rho);
    arb_clear(x);
    arb_clear(length);
}

/* x := |value of the Legendre sum at j - target|, from the sum rounded to FIXED_PREC bits. */
static void legendre_error(arb_t x, const soe_sum_t sum, ulong j, const arb_t target) {
    arf_t t;
    arf_init_set_ui(t, j);
    soe_sum_value(x, sum, t, FIXED_PREC);
    arb_sub(x, x, target, FIXED_PREC);
    arb_abs(x, x);
    arf_clear(t);
}

/* The rule converges to the truncated integral within the bound, at every S tried and j tried. */
static void check_fixed_interval(check_context *ctx, const void *parameter) {
    const interval_parameter *p = parameter;
    static const ulong indices[] = {1, 10, 100, 1000};
    fmpq_t alpha;
    arb_t integral, x, bound, rounding;
    soe_sum_t sum;
    fmpq_init(alpha);
    arb_init(integral);
    arb_init(x);
    arb_init(bound);
    arb_init(rounding);
    soe_sum_init(sum, 1, SOE_RATE);
    vort_rational(alpha, p->alpha);
    arb_one(rounding); /* the rule's numbers carry FIXED_PREC bits */
    arb_mul_2exp_si(rounding, rounding, -FIXED_PREC / 2);
    for (slong terms = 4; terms <= 64; terms *= 2) {
        soe_from_interval(sum, SOE_LEGENDRE, alpha, terms, p->low, p->high, FIXED_PREC);
        for (int i = 0; i < 4; i++) {
            truncated_integral(integral, p, alpha, indices[i], 192);
            legendre_error(x, sum, indices[i], integral);
            gauss_error_upper(bound, p, alpha, indices[i], terms, 128);
            arb_add(bound, bound, rounding, 128);
            claim_decide_arb(ctx, "|rule - truncated integral| <= 4 l M rho^(1-2S)/(rho-1)", x,
                             RELATION_LE, bound);
        }
    }
    fmpq_clear(alpha);
    arb_clear(integral);
    arb_clear(x);
    arb_clear(bound);
    arb_clear(rounding);
    soe_sum_clear(sum);
}

/* The sup error over [1,1000] with 48 and 96 terms is the truncation at j = 1, its worst index. */
static void check_stall(check_context *ctx, const void *parameter) {
    const interval_parameter *p = parameter;
    fmpq_t alpha;
    fmpz_t horizon;
    arb_t rest, sup, rule, limit;
    soe_sum_t sum;
    soe_bound_t bound;
    fmpq_init(alpha);
    fmpz_init_set_ui(horizon, 1000);
    arb_init(rest);
    arb_init(sup);
    arb_init(rule);
    arb_init(limit);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, p->alpha);
    truncation(rest, p, alpha, 1, 192);
    for (slong terms = STALL_TERMS; terms <= 2 * STALL_TERMS; terms *= 2) {
        /* the control's rest belongs to another interval: the sum is that of the main one */
        soe_from_interval(sum, SOE_LEGENDRE, alpha, terms, -8, 3, 192);
        certify(bound, sum, alpha, horizon, SOE_ABSOLUTE, 0);
        bound_ball(sup, bound);
        /* the truncation and the rule's own error bound both decrease with j: j = 1 is the worst */
        gauss_error_upper(rule, p, alpha, 1, terms, 128);
        arb_set(limit, rest);
        arb_add_error(limit, rule);
        claim_two_paths(ctx, "sup error = truncation at j = 1, up to the rule's own error", sup,
                        limit, 9);
    }
    claim_number_arb(ctx, "error at which the fixed interval stalls", "1", rest);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
    arb_clear(rest);
    arb_clear(sup);
    arb_clear(rule);
    arb_clear(limit);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* Geometric convergence to the weights would leave nothing of the limit of the error. */
static void check_published(check_context *ctx, const void *parameter) {
    const interval_parameter *p = parameter;
    fmpq_t alpha, nine_tenths;
    arb_t rest, zero, x, lower;
    fmpq_init(alpha);
    fmpq_init(nine_tenths);
    arb_init(rest);
    arb_init(zero);
    arb_init(x);
    arb_init(lower);
    vort_rational(alpha, p->alpha);
    truncation(rest, p, alpha, 1, 192);
    truth t = claim_decide_arb(ctx, "limit of the error at j = 1 as S grows <= 0", rest,
                               RELATION_LE, zero);
    if (t == TRUTH_FAILS) { /* the same, visible at 48 terms in exact arithmetic */
        soe_sum_t sum;
        soe_sum_init(sum, 1, SOE_RATE);
        soe_from_interval(sum, SOE_LEGENDRE, alpha, STALL_TERMS, p->low, p->high, 192);
        fmpq *node = _fmpq_vec_init(STALL_TERMS), *weight = _fmpq_vec_init(STALL_TERMS);
        fmpq_t e, shortened;
        fmpq_init(e);
        fmpq_init(shortened);
        exact_gl_rational(e, alpha, 1);
        for (slong s = 0; s < STALL_TERMS; s++) { /* 64 bits a number keep the witness readable */
            arf_t m;
            arf_init(m);
            arb_set_fmpq(x, sum->mode + s, 192);
            arb_neg(x, x);
            arb_exp(x, x, 192);
            arf_set_round(m, arb_midref(x), 64, ARF_RND_NEAR);
            exact_rational_from_arf(node + s, m);
            arb_set_fmpq(x, sum->weight + s, 192);
            arf_set_round(m, arb_midref(x), 64, ARF_RND_NEAR);
            exact_rational_from_arf(weight + s, m);
            arf_clear(m);
            fmpq_submul(e, weight + s, node + s);
        }
        fmpq_abs(e, e);
        /* nine tenths of the limit, rounded down to 20 bits */
        arf_t low;
        arf_init(low);
        arb_mul_ui(lower, rest, 9, 64);
        arb_div_ui(lower, lower, 10, 64);
        arb_get_lbound_arf(low, lower, 20);
        exact_rational_from_arf(nine_tenths, low);
        arf_clear(low);
        enclosure_t lhs, rhs;
        enclosure_init(lhs);
        enclosure_init(rhs);
        enclosure_set_rational(lhs, e);
        enclosure_set_rational(rhs, nine_tenths);
        fmpz_t one;
        fmpz_init_set_ui(one, 1);
        witness_struct *w = claim_witness(ctx, "vort.soe-rate.fixed-interval", "soe-error-at");
        witness_add(w, "alpha", alpha, 1);
        witness_add_integer(w, "j", one);
        witness_add(w, "weights", weight, STALL_TERMS);
        witness_add(w, "nodes", node, STALL_TERMS);
        witness_conclude(w, lhs, RELATION_GE, rhs, 64);
        fmpz_clear(one);
        enclosure_clear(lhs);
        enclosure_clear(rhs);
        fmpq_clear(e);
        fmpq_clear(shortened);
        _fmpq_vec_clear(node, STALL_TERMS);
        _fmpq_vec_clear(weight, STALL_TERMS);
        soe_sum_clear(sum);
    }
    fmpq_clear(alpha);
    fmpq_clear(nine_tenths);
    arb_clear(rest);
    arb_clear(zero);
    arb_clear(x);
    arb_clear(lower);
}

/* ---- Gauss-Jacobi ---- */

typedef struct {
    ulong extra;          /* moments asked for beyond those that are exact */
    const char *exponent; /* the 4 in 4 exp(-4 S^2/T) */
} jacobi_parameter;

/* The S-point rule's moments are (J^j)_{00} w_0; for dmu they are w_j up to j = 2S-1, for x dmu they
   are w_{j+1}, so that weights divided by x give w_1 .. w_{2S}.  The first one missed is off by h_S. */
static void check_jacobi_exact(check_context *ctx, const void *parameter) {
    const jacobi_parameter *p = parameter;
    vort_parameter list = {vort_orders_open, NULL};
    slong orders;
    fmpq *alpha = vort_orders(ctx, &list, &orders);
    enum { MOST = 16 };
    fmpq *centre = _fmpq_vec_init(MOST + 1), *square = _fmpq_vec_init(MOST + 1),
         *moment = _fmpq_vec_init(2 * MOST + 2);
    fmpq_t w, gap, h;
    gauss_weight_t weight;
    fmpq_init(w);
    fmpq_init(gap);
    fmpq_init(h);
    exact_gauss_weight_init(weight, GAUSS_JACOBI);
    for (slong n = 0; n < orders; n++)
        for (int times_x = 0; times_x <= 1; times_x++) {
            /* dmu: x^(alpha-1)(1-x)^-alpha, mass 1; x dmu: x^alpha (1-x)^-alpha, mass w_1 = alpha */
            fmpq_set_si(gap, times_x - 1, 1);
            fmpq_add(weight->a, alpha + n, gap);
            fmpq_neg(weight->b, alpha + n);
            for (slong k = 0; k <= MOST; k++)
                exact_gauss_recurrence(centre + k, square + k, weight, (ulong)k);
            for (slong terms = 1; terms <= MOST; terms += 5) {
                exact_tridiagonal_moments(moment, centre, square, terms, 2 * terms + 2);
                for (ulong j = 0; j < 2 * (ulong)terms + p->extra; j++) {
                    exact_gl_rational(w, alpha + n, j + (ulong)times_x);
                    if (times_x)
                        fmpq_mul(moment + j, moment + j, alpha + n);
                    claim_decide_fmpq(ctx,
                                      times_x ? "x dmu: exact for w_1 .. w_{2S}"
                                              : "dmu: exact for w_0 .. w_{2S-1}",
                                      moment + j, RELATION_EQ, w);
                }
                if (p->extra == 0) { /* the next one misses by the norm h_S times the mass */
                    exact_gl_rational(w, alpha + n, 2 * (ulong)terms + (ulong)times_x);
                    if (times_x)
                        fmpq_mul(moment + 2 * terms, moment + 2 * terms, alpha + n);
                    fmpq_sub(gap, w, moment + 2 * terms);
                    exact_gauss_norm(h, weight, (ulong)terms);
                    if (times_x)
                        fmpq_mul(h, h, alpha + n);
                    claim_decide_fmpq(ctx, "the first moment missed is off by h_S", gap,
                                      RELATION_EQ, h);
                }
            }
        }
    exact_gauss_weight_clear(weight);
    fmpq_clear(w);
    fmpq_clear(gap);
    fmpq_clear(h);
    _fmpq_vec_clear(centre, MOST + 1);
    _fmpq_vec_clear(square, MOST + 1);
    _fmpq_vec_clear(moment, 2 * MOST + 2);
    vort_orders_free(alpha);
}

/* sup over [1,T] <= 4 alpha exp(-4 S^2/T) for the rule of x dmu. */
static void check_jacobi_bound(check_context *ctx, const void *parameter) {
    const jacobi_parameter *p = parameter;
    static const slong cases[][2] = {{4, 64},    {8, 64},    {16, 64},
                                     {16, 1000}, {40, 1000}, {40, 10000}};
    vort_parameter list = {vort_orders_open, NULL};
    slong orders;
    fmpq *alpha = vort_orders(ctx, &list, &orders);
    fmpz_t horizon;
    fmpq_t e;
    arb_t sup, bound;
    soe_sum_t sum;
    soe_bound_t certified;
    fmpz_init(horizon);
    fmpq_init(e);
    arb_init(sup);
    arb_init(bound);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(certified);
    for (slong n = 0; n < orders; n += 2)
        for (int i = 0; i < 6; i++) {
            soe_from_gauss(sum, SOE_JACOBI, alpha + n, cases[i][0], 192);
            fmpz_set_si(horizon, cases[i][1]);
            certify(certified, sum, alpha + n, horizon, SOE_ABSOLUTE, 0);
            bound_ball(sup, certified);
            vort_rational(e, p->exponent);
            arb_set_fmpq(bound, e, 128);
            arb_mul_si(bound, bound, -cases[i][0] * cases[i][0], 128);
            arb_div_si(bound, bound, cases[i][1], 128);
            arb_exp(bound, bound, 128);
            arb_mul_ui(bound, bound, 4, 128);
            arb_mul_fmpz(bound, bound, fmpq_numref(alpha + n), 128);
            arb_div_fmpz(bound, bound, fmpq_denref(alpha + n), 128);
            claim_decide_arb(ctx, "sup error <= 4 alpha exp(-4 S^2/T)", sup, RELATION_LE, bound);
        }
    fmpz_clear(horizon);
    fmpq_clear(e);
    arb_clear(sup);
    arb_clear(bound);
    soe_sum_clear(sum);
    soe_bound_clear(certified);
    vort_orders_free(alpha);
}

/* ---- the committed table of designs ---- */

static const char certificate_id[] = "certificate-sup-errors";
static const char *const certificate_columns[] = {"method",   "1", "alpha", "1", "horizon", "1",
                                                  "relative", "1", "terms", "1", "low",     "1",
                                                  "high",     "1", "sup",   "1"};
enum { COLUMNS = 8 };

typedef struct {
    soe_method method;
    soe_error error;
    fmpq_t alpha;
    fmpz_t horizon;
    slong terms;
    soe_design design;
} design_row;

static void row_init(design_row *r) {
    fmpq_init(r->alpha);
    fmpz_init(r->horizon);
    r->method = SOE_SINC;
    r->error = SOE_ABSOLUTE;
    r->terms = 1;
    r->design.low = r->design.high = 0;
}

static void row_clear(design_row *r) {
    fmpq_clear(r->alpha);
    fmpz_clear(r->horizon);
}

static slong cell_integer(const series *s, slong row, const char *column) {
    return fmpz_get_si(fmpq_numref(series_cell(s, row, column)->rational));
}

static void row_read(design_row *r, const series *s, slong row) {
    r->method = (soe_method)(cell_integer(s, row, "method") % SOE_METHODS);
    r->error = cell_integer(s, row, "relative") ? SOE_RELATIVE : SOE_ABSOLUTE;
    r->terms = cell_integer(s, row, "terms");
    fmpq_set(r->alpha, series_cell(s, row, "alpha")->rational);
    fmpz_set(r->horizon, fmpq_numref(series_cell(s, row, "horizon")->rational));
    r->design.low = fmpq_get_d(series_cell(s, row, "low")->rational);
    r->design.high = fmpq_get_d(series_cell(s, row, "high")->rational);
}

static void row_write(series *s, const design_row *r, const arb_t sup) {
    enclosure_struct *cell = series_append(s);
    fmpq_t q;
    fmpq_init(q);
    enclosure_set_integer(cell, (slong)r->method);
    enclosure_set_rational(cell + 1, r->alpha);
    fmpq_set_fmpz(q, r->horizon);
    enclosure_set_rational(cell + 2, q);
    enclosure_set_integer(cell + 3, r->error == SOE_RELATIVE);
    enclosure_set_integer(cell + 4, r->terms);
    set_double(q, r->design.low);
    enclosure_set_rational(cell + 5, q);
    set_double(q, r->design.high);
    enclosure_set_rational(cell + 6, q);
    enclosure_set_ball(cell + 7, sup);
    fmpq_clear(q);
}

/* The committed supremum of the same method, order, horizon, error and number of terms, or NULL. */
static const enclosure_struct *committed_sup(const series *s, const design_row *r) {
    design_row other;
    const enclosure_struct *found = NULL;
    row_init(&other);
    for (slong i = 0; s != NULL && i < s->rows && found == NULL; i++) {
        row_read(&other, s, i);
        if (other.method == r->method && other.error == r->error && other.terms == r->terms &&
            fmpq_equal(other.alpha, r->alpha) && fmpz_equal(other.horizon, r->horizon))
            found = series_cell(s, i, "sup");
    }
    row_clear(&other);
    return found;
}

/* sum := the row's design, with terms fewer by less. */
static soe_status row_sum(soe_sum_t sum, const design_row *r, slong less) {
    slong terms = FLINT_MAX(r->terms - less, 1);
    if (r->method == SOE_LAGUERRE || r->method == SOE_JACOBI)
        return soe_from_gauss(sum, r->method, r->alpha, terms, 192);
    return soe_from_interval(sum, r->method, r->alpha, terms, r->design.low, r->design.high, 192);
}

enum { SWEEP = 9 };
static const slong sweep_terms[SWEEP] = {4, 6, 8, 12, 16, 24, 32, 48, 64};

/* The rows that the table has: every method on a grid, and a sweep in S for the figure. */
static slong grid_rows(design_row **rows) {
    static const char *const alphas[] = {"1/10", "1/2", "19/20"};
    static const char *const horizons[] = {"1000", "1e6", "1e9"};
    slong n = 0, room = SOE_METHODS * (3 * 3 * 2 * 2 + SWEEP);
    *rows = flint_malloc((size_t)room * sizeof **rows);
    for (int m = 0; m < SOE_METHODS; m++) {
        for (int a = 0; a < 3; a++)
            for (int t = 0; t < 3; t++)
                for (int e = 0; e < 2; e++)
                    for (slong terms = 20; terms <= 40; terms += 20, n++) {
                        design_row *r = *rows + n;
                        row_init(r);
                        r->method = (soe_method)m;
                        r->error = e ? SOE_RELATIVE : SOE_ABSOLUTE;
                        r->terms = terms;
                        vort_rational(r->alpha, alphas[a]);
                        exact_parse_integer(r->horizon, horizons[t]);
                    }
        for (int s = 0; s < SWEEP; s++, n++) {
            design_row *r = *rows + n;
            row_init(r);
            r->method = (soe_method)m;
            r->terms = sweep_terms[s];
            vort_rational(r->alpha, "1/2");
            exact_parse_integer(r->horizon, "1000");
        }
    }
    return n;
}

/* The committed table, or NULL after saying that it is missing. */
static const series *committed(check_context *ctx) {
    const series *s = claim_certificate(ctx, certificate_id);
    claim_decide_si(ctx, "the committed table of designs is there (make baseline writes it)",
                    s != NULL && s->columns == COLUMNS && s->rows > 0, RELATION_EQ, 1);
    return s != NULL && s->columns == COLUMNS && s->rows > 0 ? s : NULL;
}

typedef struct {
    slong less;         /* terms taken away from each design */
    const char *factor; /* of the committed supremum (1), or of the bound beyond T */
} table_parameter;

/* One design: its supremum over every integer of [1,T] is known to 10^-3 and is the committed one. */
static void decide_row(check_context *ctx, const design_row *r, const enclosure_struct *pinned,
                       const table_parameter *p, series *table) {
    soe_sum_t sum;
    soe_bound_t bound;
    arb_t sup, before, width;
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    arb_init(sup);
    arb_init(before);
    arb_init(width);
    soe_status status = row_sum(sum, r, p->less);
    claim_decide_si(ctx, "the design can be built", status == SOE_OK, RELATION_EQ, 1);
    if (status == SOE_OK) {
        status = certify(bound, sum, r->alpha, r->horizon, r->error, 0);
        bound_ball(sup, bound);
        claim_decide_si(ctx, "supremum enclosed to 10^-3", status == SOE_OK, RELATION_EQ, 1);
        if (pinned != NULL) {
            enclosure_get_ball(before, pinned, 128);
            claim_two_paths(ctx, "supremum = the committed one", sup, before, 8);
        }
        if (table != NULL)
            row_write(table, r, sup);
    }
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    arb_clear(sup);
    arb_clear(before);
    arb_clear(width);
}

/* quick: every 7th committed row; full: all; extended: the designs are searched again.  With --set,
   every method for the order, horizon and number of terms given. */
static void check_sup_errors(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    const fmpq *alpha = claim_setting(ctx, "alpha"), *horizon = claim_setting(ctx, "horizon"),
               *terms = claim_setting(ctx, "terms");
    design_row row;
    if (alpha != NULL || horizon != NULL || terms != NULL) {
        series *table =
            series_new("vort-soe-given", "Suprema for the order, horizon and terms given", COLUMNS,
                       certificate_columns);
        for (int m = 0; m < SOE_METHODS; m++) {
            soe_sum_t sum;
            soe_sum_init(sum, 1, SOE_RATE);
            row_init(&row);
            row.method = (soe_method)m;
            row.terms = terms ? fmpz_get_si(fmpq_numref(terms)) : 20;
            fmpz_set_ui(row.horizon, 1000);
            if (horizon)
                fmpz_set(row.horizon, fmpq_numref(horizon));
            vort_rational(row.alpha, "1/2");
            if (alpha)
                fmpq_set(row.alpha, alpha);
            soe_design_terms(sum, &row.design, row.method, row.alpha, row.horizon, row.error,
                             row.terms, 192);
            decide_row(ctx, &row, NULL, p, table);
            row_clear(&row);
            soe_sum_clear(sum);
        }
        claim_decide_si(ctx, "all methods were tried", table->rows + p->less, RELATION_EQ,
                        SOE_METHODS);
        claim_table(ctx, table);
        return;
    }
    const series *s = committed(ctx);
    slong units = ctx->level == LEVEL_QUICK ? 2 : 8;
    if (ctx->level == LEVEL_EXTENDED) {
        series *table = series_new(certificate_id, "Certified suprema of sums of exponentials",
                                   COLUMNS, certificate_columns);
        design_row *rows;
        slong n = grid_rows(&rows);
        for (slong i = 0; i < n; i++) {
            if (i % units == ctx->index) {
                soe_sum_t sum;
                soe_sum_init(sum, 1, SOE_RATE);
                soe_design_terms(sum, &rows[i].design, rows[i].method, rows[i].alpha,
                                 rows[i].horizon, rows[i].error, rows[i].terms, 192);
                decide_row(ctx, rows + i, committed_sup(s, rows + i), p, table);
                soe_sum_clear(sum);
            }
            row_clear(rows + i);
        }
        flint_free(rows);
        claim_table(ctx, table);
        return;
    }
    for (slong i = 0; s != NULL && i < s->rows; i++) {
        if (ctx->level == LEVEL_QUICK ? i % 14 != 7 * ctx->index : i % units != ctx->index)
            continue;
        row_init(&row);
        row_read(&row, s, i);
        decide_row(ctx, &row, series_cell(s, i, "sup"), p, NULL);
        row_clear(&row);
    }
}

/* ---- root-exponential ---- */

typedef struct {
    soe_method method;
    const char *horizon;
    slong first, last;
} growth_parameter;

/* out := -ln sup of the method at alpha = 1/2 with that many terms. */
static int log_error(check_context *ctx, arb_t out, const growth_parameter *p, slong terms,
                     const series *s) {
    design_row row;
    soe_sum_t sum;
    soe_bound_t bound;
    int found = 0;
    row_init(&row);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    if (p->method == SOE_JACOBI) {
        row.method = SOE_JACOBI;
        row.terms = terms;
        vort_rational(row.alpha, "1/2");
        exact_parse_integer(row.horizon, p->horizon);
        found = 1;
    } else { /* the committed sweep: alpha = 1/2, T = 1000, absolute; the best interval found */
        for (slong i = 0; s != NULL && i < s->rows && !found; i++) {
            row_read(&row, s, i);
            found = row.method == p->method && row.terms == terms && row.error == SOE_ABSOLUTE &&
                    fmpz_cmp_si(row.horizon, 1000) == 0 &&
                    fmpz_cmp_si(fmpq_denref(row.alpha), 2) == 0;
        }
    }
    if (found && row_sum(sum, &row, 0) == SOE_OK) {
        certify(bound, sum, row.alpha, row.horizon, SOE_ABSOLUTE, 0);
        bound_ball(out, bound);
        arb_log(out, out, 128);
        arb_neg(out, out);
    } else {
        arb_indeterminate(out);
    }
    claim_decide_si(ctx, "the sweep has a row for every S", found, RELATION_EQ, 1);
    row_clear(&row);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    return found;
}

/* Doubling S multiplies -ln E by sqrt 2 under exp(-c sqrt S), by 2 under rho^S: the line between is
   drawn at 1.7. */
static void check_root_exponential(check_context *ctx, const void *parameter) {
    const growth_parameter *p = parameter;
    const series *s = p->method == SOE_JACOBI ? NULL : committed(ctx);
    arb_t before, after, limit;
    arb_init(before);
    arb_init(after);
    arb_init(limit);
    for (slong terms = p->first; 2 * terms <= p->last; terms *= 2) {
        log_error(ctx, before, p, terms, s);
        log_error(ctx, after, p, 2 * terms, s);
        arb_mul_ui(limit, before, 17, 128);
        arb_div_ui(limit, limit, 10, 128);
        claim_decide_arb(ctx, "-ln E(2S) <= 1.7 (-ln E(S))", after, RELATION_LE, limit);
    }
    /* the law exp(-sqrt(2 pi beta S)), beta = 1/2, beside the last error */
    arb_const_pi(limit, 128);
    arb_mul_si(limit, limit, p->last, 128);
    arb_sqrt(limit, limit, 128);
    arb_div(after, after, limit, 128);
    claim_number_arb(ctx, "-ln E / sqrt(2 pi beta S) at the largest S", "1", after);
    arb_clear(before);
    arb_clear(after);
    arb_clear(limit);
}

/* ---- second paths ---- */

typedef struct {
    const char *factor; /* of the first weight, on one of the two paths (1) */
} path_parameter;

static void scale_first_weight(soe_sum_t sum, const char *factor) {
    fmpq_t f;
    fmpq_init(f);
    vort_rational(f, factor);
    fmpq_mul(sum->weight, sum->weight, f);
    fmpq_clear(f);
}

/* sup |w_j - sum| over 1..n by taking every integer, with plain ball recurrences. */
static void brute_force_sup(arb_t sup, const soe_sum_t sum, const fmpq_t alpha, slong n) {
    slong prec = 192, terms = sum->terms;
    arb_ptr power = _arb_vec_init(terms), x = _arb_vec_init(terms);
    arb_t w, e;
    fmpz_t num, den;
    arb_init(w);
    arb_init(e);
    fmpz_init(num);
    fmpz_init(den);
    for (slong s = 0; s < terms; s++) {
        arb_set_fmpq(x + s, sum->mode + s, prec);
        arb_neg(x + s, x + s);
        arb_exp(x + s, x + s, prec);
        arb_set_fmpq(power + s, sum->weight + s, prec);
    }
    arb_one(w);
    arb_zero(sup);
    for (slong j = 0; j < n; j++) {
        fmpz_set(num, fmpq_numref(alpha));
        fmpz_addmul_ui(num, fmpq_denref(alpha), (ulong)j);
        fmpz_mul_ui(den, fmpq_denref(alpha), (ulong)j + 1);
        arb_mul_fmpz(w, w, num, prec);
        arb_div_fmpz(w, w, den, prec);
        arb_set(e, w);
        for (slong s = 0; s < terms; s++) {
            arb_mul(power + s, power + s, x + s, prec);
            arb_sub(e, e, power + s, prec);
        }
        arb_abs(e, e);
        arb_max(sup, sup, e, prec);
    }
    _arb_vec_clear(power, terms);
    _arb_vec_clear(x, terms);
    arb_clear(w);
    arb_clear(e);
    fmpz_clear(num);
    fmpz_clear(den);
}

static void check_every_integer(check_context *ctx, const void *parameter) {
    const path_parameter *p = parameter;
    static const soe_method methods[] = {SOE_SINC, SOE_LEGENDRE, SOE_JACOBI};
    fmpq_t alpha;
    fmpz_t horizon;
    arb_t a, b;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpz_init_set_ui(horizon, 20000);
    arb_init(a);
    arb_init(b);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, "7/20");
    for (int m = 0; m < 3; m++) {
        soe_design_terms(sum, &design, methods[m], alpha, horizon, SOE_ABSOLUTE, 10, 128);
        certify(bound, sum, alpha, horizon, SOE_ABSOLUTE, 0);
        bound_ball(a, bound);
        scale_first_weight(sum, p->factor);
        brute_force_sup(b, sum, alpha, 20000);
        claim_two_paths(ctx, "supremum by cells = maximum over all 20000 integers", a, b, 8);
    }
    fmpq_clear(alpha);
    fmpz_clear(horizon);
    arb_clear(a);
    arb_clear(b);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* sup |1 - sum/w| over real t in [1,T] from monotonicity alone: on [a,b] the quotient lies between
   sum(b)/w(a) and sum(a)/w(b). */
static void monotone_sup(arb_t sup, const soe_sum_t sum, const fmpq_t alpha, const fmpz_t horizon,
                         double step) {
    slong prec = 64, terms = sum->terms;
    arb_ptr rate = _arb_vec_init(terms), c = _arb_vec_init(terms);
    arb_t t, w0, w1, s0, s1, x, a, top, end;
    arf_t low, high, best;
    arb_init(t);
    arb_init(w0);
    arb_init(w1);
    arb_init(s0);
    arb_init(s1);
    arb_init(x);
    arb_init(a);
    arb_init(top);
    arb_init(end);
    arf_init(low);
    arf_init(high);
    arf_init(best);
    arb_set_fmpq(a, alpha, 128);
    arb_set_fmpz(end, horizon);
    for (slong s = 0; s < terms; s++) {
        arb_set_fmpq(rate + s, sum->mode + s, prec);
        arb_neg(rate + s, rate + s);
        arb_set_fmpq(c + s, sum->weight + s, prec);
    }
    arb_one(t);
    for (int first = 1;; first = 0) {
        exact_gl_real(w1, a, t, prec);
        arb_zero(s1);
        for (slong s = 0; s < terms; s++) {
            arb_mul(x, rate + s, t, prec);
            arb_exp(x, x, prec);
            arb_addmul(s1, c + s, x, prec);
        }
        arb_div(x, s1, w1, prec); /* attained at t, an integer or not: t real here */
        arb_sub_ui(x, x, 1, prec);
        arb_get_abs_lbound_arf(low, x, prec);
        if (arf_cmp(low, best) > 0)
            arf_set(best, low);
        if (!first) {
            arb_div(x, s1, w0, prec);
            arb_div(top, s0, w1, prec);
            arb_union(x, x, top, prec);
            arb_sub_ui(x, x, 1, prec);
            arb_get_abs_ubound_arf(low, x, prec);
            if (arf_cmp(low, high) > 0)
                arf_set(high, low);
        }
        if (arb_equal(t, end))
            break;
        arb_swap(w0, w1);
        arb_swap(s0, s1);
        arb_set_d(x, step);
        arb_mul(t, t, x, prec);
        mag_zero(arb_radref(t));
        if (arb_ge(t, end))
            arb_set(t, end);
    }
    arb_set_interval_arf(sup, best, high, prec);
    _arb_vec_clear(rate, terms);
    _arb_vec_clear(c, terms);
    arb_clear(t);
    arb_clear(w0);
    arb_clear(w1);
    arb_clear(s0);
    arb_clear(s1);
    arb_clear(x);
    arb_clear(a);
    arb_clear(top);
    arb_clear(end);
    arf_clear(low);
    arf_clear(high);
    arf_clear(best);
}

static void check_far_horizon(check_context *ctx, const void *parameter) {
    const path_parameter *p = parameter;
    fmpq_t alpha;
    fmpz_t horizon;
    arb_t a, b;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpz_init(horizon);
    arb_init(a);
    arb_init(b);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, "1/2");
    exact_parse_integer(horizon, "1e9");
    soe_design_terms(sum, &design, SOE_LEGENDRE, alpha, horizon, SOE_RELATIVE, 14, 128);
    certify(bound, sum, alpha, horizon, SOE_RELATIVE, 0);
    bound_ball(a, bound);
    scale_first_weight(sum, p->factor);
    monotone_sup(b, sum, alpha, horizon, 1 + 0x1p-10);
    /* the second path sees all reals of [1,T], the first the integers: 5 bits are what both give */
    claim_two_paths(ctx, "relative supremum to T = 10^9 by cells = by monotone brackets", a, b, 5);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
    arb_clear(a);
    arb_clear(b);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* ---- beyond the horizon ---- */

static void check_beyond(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    fmpq_t alpha, factor;
    fmpz_t horizon, j;
    arb_t limit, x, w, low, high;
    arf_t t;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpq_init(factor);
    fmpz_init(horizon);
    fmpz_init(j);
    arb_init(limit);
    arb_init(x);
    arb_init(w);
    arb_init(low);
    arb_init(high);
    arf_init(t);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, "1/2");
    vort_rational(factor, p->factor);
    for (int m = 0; m < SOE_METHODS; m++)
        for (int e = 0; e < 2; e++) {
            soe_error error = e ? SOE_RELATIVE : SOE_ABSOLUTE;
            fmpz_set_ui(horizon, 1000);
            soe_design_terms(sum, &design, (soe_method)m, alpha, horizon, error, 12, 128);
            certify(bound, sum, alpha, horizon, error, 1);
            arb_set_arf(limit, bound->beyond_upper);
            arb_mul_fmpz(limit, limit, fmpq_numref(factor), 64);
            arb_div_fmpz(limit, limit, fmpq_denref(factor), 64);
            for (int k = 0; k < 60; k++) { /* 1001, 1002, 1004, ... */
                fmpz_one(j);
                fmpz_mul_2exp(j, j, (ulong)k);
                fmpz_add(j, j, horizon);
                arf_set_fmpz(t, j);
                exact_gl_ball(w, alpha, j, 192);
                soe_sum_value(x, sum, t, 192);
                if (error == SOE_RELATIVE) { /* sum/w against 1 +- bound, without cancellation */
                    arb_div(x, x, w, 192);
                    arb_one(w);
                }
                arb_sub(low, w, limit, 192);
                arb_add(high, w, limit, 192);
                claim_decide_arb(ctx, "error at j > T >= -bound", x, RELATION_LE, high);
                claim_decide_arb(ctx, "error at j > T <= bound", x, RELATION_GE, low);
            }
            if (error ==
                SOE_ABSOLUTE) { /* and it is not idle: a value beyond T comes to 1 - 10^-3 of it */
                arb_set_arf(x, bound->beyond_lower);
                arb_mul_ui(x, x, 1002, 64);
                arb_div_ui(x, x, 1000, 64);
                claim_decide_arb(ctx, "the bound beyond T is nearly attained", limit, RELATION_LE,
                                 x);
            }
        }
    fmpq_clear(alpha);
    fmpq_clear(factor);
    fmpz_clear(horizon);
    fmpz_clear(j);
    arb_clear(limit);
    arb_clear(x);
    arb_clear(w);
    arb_clear(low);
    arb_clear(high);
    arf_clear(t);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* ---- data of the figures ---- */

/* Error against t for each method at 24 terms, alpha = 1/2, T = 10^6; decided: below the supremum.
   factor: of that supremum (1). */
static void check_drawn(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    static const char *const columns[] = {"method", "1", "t", "steps", "error", "1", "sup", "1"};
    static const char *const sweep_columns[] = {"method", "1", "terms", "1", "sup", "1"};
    series *curve = series_new("vort-soe-error", "Error of 24-term sums against lag", 4, columns);
    series *sweep =
        series_new("vort-soe-terms", "Error against the number of terms", 3, sweep_columns);
    fmpq_t alpha, factor, q;
    fmpz_t horizon, j;
    arb_t x, w, sup, limit;
    arf_t t;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpq_init(factor);
    fmpq_init(q);
    fmpz_init(horizon);
    fmpz_init(j);
    arb_init(x);
    arb_init(w);
    arb_init(sup);
    arb_init(limit);
    arf_init(t);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, "1/2");
    vort_rational(factor, p->factor);
    exact_parse_integer(horizon, "1e6");
    for (int m = 0; m < SOE_METHODS; m++) {
        soe_design_terms(sum, &design, (soe_method)m, alpha, horizon, SOE_ABSOLUTE, 24, 128);
        certify(bound, sum, alpha, horizon, SOE_ABSOLUTE, 0);
        bound_ball(sup, bound);
        arb_mul_fmpz(limit, sup, fmpq_numref(factor), 64);
        arb_div_fmpz(limit, limit, fmpq_denref(factor), 64);
        arb_get_ubound_arf(arb_midref(limit), limit, 64);
        mag_zero(arb_radref(limit));
        fmpz_one(j);
        for (int last = 0; !last;) {
            if (fmpz_cmp(j, horizon) >= 0) {
                fmpz_set(j, horizon);
                last = 1;
            }
            arf_set_fmpz(t, j);
            exact_gl_ball(w, alpha, j, 128);
            soe_sum_value(x, sum, t, 128);
            arb_sub(x, w, x, 128);
            arb_abs(x, x);
            claim_decide_arb(ctx, "|error| <= supremum at every point drawn", x, RELATION_LE,
                             limit);
            enclosure_struct *cell = series_append(curve);
            enclosure_set_integer(cell, m);
            fmpq_set_fmpz(q, j);
            enclosure_set_rational(cell + 1, q);
            enclosure_set_ball(cell + 2, x);
            enclosure_set_ball(cell + 3, sup);
            fmpz_t step;
            fmpz_init(step);
            fmpz_fdiv_q_2exp(step, j, 5);
            fmpz_add_ui(step, step, 1);
            fmpz_add(j, j, step);
            fmpz_clear(step);
        }
    }
    const series *s = committed(ctx);
    design_row row;
    row_init(&row);
    for (int m = 0; m < SOE_METHODS; m++)
        for (slong k = 0; k < SWEEP; k++) {
            row.method = (soe_method)m;
            row.error = SOE_ABSOLUTE;
            row.terms = sweep_terms[k];
            vort_rational(row.alpha, "1/2");
            fmpz_set_ui(row.horizon, 1000);
            const enclosure_struct *found = committed_sup(s, &row);
            claim_decide_si(ctx, "the sweep has a row for every method and S", found != NULL,
                            RELATION_EQ, 1);
            if (found == NULL)
                continue;
            enclosure_struct *cell = series_append(sweep);
            enclosure_set_integer(cell, m);
            enclosure_set_integer(cell + 1, row.terms);
            enclosure_set(cell + 2, found);
        }
    row_clear(&row);
    claim_table(ctx, curve);
    claim_table(ctx, sweep);
    fmpq_clear(alpha);
    fmpq_clear(factor);
    fmpq_clear(q);
    fmpz_clear(horizon);
    fmpz_clear(j);
    arb_clear(x);
    arb_clear(w);
    arb_clear(sup);
    arb_clear(limit);
    arf_clear(t);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

/* ---- statements ---- */

static const char *const hypotheses[] = {
    "0 < alpha < 1, beta = 1-alpha; E_S = sup over the integers of [1,T] of |w_j - sum of S "
    "exponentials|",
    "the paper's construction: Gauss-Legendre in u = ln lambda on a truncated interval", NULL};

static const char *const proof_fixed[] = {
    "For |Im u| <= b < pi/2, lambda = e^u has Re lambda >= |lambda| cos b > 0 and |e^lambda-1| >= "
    "Re lambda, so |e^(-j lambda) rho(lambda) lambda| <= M = (sin(pi alpha)/pi) cos(b)^(-alpha) "
    "(beta/(e j cos b))^beta, for every j >= 1.",
    "The Chebyshev series of a function bounded by M on the ellipse rho, cut at degree 2S-1, is "
    "off by at most 2M rho^(1-2S)/(rho-1); Gauss-Legendre is exact for it and has positive weights "
    "of sum l: |rule - truncated integral| <= 4 l M rho^(1-2S)/(rho-1).",
    "The truncated integral misses w_j by the integral over both tails, which is positive and "
    "decreases with j: the limit of E_S is its value at j = 1, not 0.",
    NULL};
static const char *const proof_jacobi[] = {
    "Gauss's rule with S nodes is exact for polynomials of degree <= 2S-1: for dmu that gives "
    "w_0..w_{2S-1}, for x dmu (weights then divided by the node) w_1..w_{2S}; checked as "
    "(J^j)_{00} in Q, with the error h_S at the next one. So E_S = 0 for S >= T/2.",
    "With x = cos^2(theta/2), x^j is the generating function of a binomial(2j,1/2) variable: cut "
    "at degree n it is off by at most 2 P(X-j > n) <= 2 exp(-(n+1)^2/j) (Hoeffding).",
    "The rule and the measure both have mass alpha and are exact to degree 2S-1: |error at j| <= 2 "
    "alpha 2 exp(-(2S)^2/(j-1)) <= 4 alpha exp(-4S^2/T).",
    "The best S-term sum is no worse, so minimax errors at fixed T also fall at least this fast.",
    NULL};

static const statement statements[] = {
    {"geometric", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "The error of the Gauss-Legendre construction in ln lambda falls geometrically with the "
     "number of terms S, uniformly on [1,T].",
     "E_S \\le C\\rho^S",
     "On a fixed interval it converges geometrically to the truncated integral and stalls at the "
     "truncation error; with the interval chosen anew for each S it was found to fall like "
     "exp(-sqrt(2 pi beta S)). Gauss-Jacobi and minimax sums are at least geometric at fixed T.",
     NULL},
    {"fixed-interval", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For every 0 < alpha < 1, every interval, every S and every j >= 1 the rule is within 4 l M "
     "rho^(1-2S)/(rho-1) of the truncated integral, and E_S tends to the truncation error at j = "
     "1, which is positive (evaluated for alpha = 1/2 on [-8,3]).",
     "|Q_S-I| \\le 4\\ell M\\rho^{1-2S}/(\\rho-1)", NULL, proof_fixed},
    {"root-exponential", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "For alpha = 1/2, T = 1000, S = 8, 16, 32, 64 and the best intervals found, doubling S "
     "multiplies -ln E_S by less than 1.7: sqrt 2 is root-exponential, 2 would be geometric.",
     "-\\ln E_{2S} \\le 1.7\\,(-\\ln E_S)", NULL, NULL},
    {"gauss-jacobi", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Gauss-Jacobi is exact at j <= 2S-1, on x dmu at 1 <= j <= 2S; E_S <= 4 alpha exp(-4S^2/T), "
     "and E_S = 0 for S >= T/2: at fixed T faster than geometric. The same then holds for the best "
     "sums.",
     "E_S \\le 4\\alpha e^{-4S^2/T}", NULL, proof_jacobi},
    {"sup-errors", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "For the committed designs (five methods, alpha = 1/10, 1/2, 19/20, T = 10^3, 10^6, 10^9, S = "
     "20, 40, absolute and relative) the supremum of the error over every integer of [1,T] is "
     "enclosed to 10^-3; two further algorithms agree on smaller cases.",
     "\\sup_{1\\le j\\le T}|w_j-\\hat w_j|", NULL, NULL},
    {"beyond", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "For 12 terms of each method at alpha = 1/2, T = 1000, one bound holds for all j > T; in "
     "absolute terms it is attained to 2 parts in 1000.",
     "\\sup_{j>T}|w_j-\\hat w_j|", NULL, NULL},
    {NULL}};

static const interval_parameter interval = {"1/2", -8, 3, 1.4, 0};
static const interval_parameter whole_line = {"1/2", -8, 3, 1.4, 1};
static const interval_parameter wide_strip = {"1/2", -8, 3, 14, 0};
static const interval_parameter other_interval = {"1/2", -8.25, 3, 1.4, 0};
static const jacobi_parameter jacobi = {0, "4"};
static const jacobi_parameter one_moment_more = {1, "4"};
static const jacobi_parameter tenfold_exponent = {0, "40"};
static const table_parameter as_committed = {0, "1"};
static const table_parameter one_term_less = {1, "1"};
static const table_parameter half_the_bound = {0, "1/2"};
static const growth_parameter legendre_growth = {SOE_LEGENDRE, "1000", 8, 64};
static const growth_parameter jacobi_growth = {SOE_JACOBI, "64", 4, 16};
static const path_parameter same_sum = {"1"};
static const path_parameter other_sum = {"11/10"};

static const check checks[] = {{"geometric",
                                "geometric",
                                VERDICT_REFUTED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_published,
                                &interval,
                                {1, 1, 1},
                                0.2},
                               {"fixed-interval",
                                "fixed-interval",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_fixed_interval,
                                &interval,
                                {1, 1, 1},
                                0.6},
                               {"stall",
                                "fixed-interval",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_stall,
                                &interval,
                                {1, 1, 1},
                                0.5},
                               {"root-exponential",
                                "root-exponential",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_root_exponential,
                                &legendre_growth,
                                {1, 1, 1},
                                0.4},
                               {"jacobi-exact",
                                "gauss-jacobi",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_jacobi_exact,
                                &jacobi,
                                {1, 1, 1},
                                0.4},
                               {"jacobi-bound",
                                "gauss-jacobi",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                check_jacobi_bound,
                                &jacobi,
                                {1, 1, 1},
                                0.4},
                               {"sup-errors",
                                "sup-errors",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_sup_errors,
                                &as_committed,
                                {2, 8, 8},
                                1.0},
                               {"every-integer",
                                "sup-errors",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_every_integer,
                                &same_sum,
                                {1, 1, 1},
                                0.5},
                               {"far-horizon",
                                "sup-errors",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_far_horizon,
                                &same_sum,
                                {1, 1, 1},
                                1.0},
                               {"drawn",
                                "sup-errors",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_drawn,
                                &as_committed,
                                {1, 1, 1},
                                0.5},
                               {"beyond",
                                "beyond",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                check_beyond,
                                &as_committed,
                                {1, 1, 1},
                                0.4},
                               {NULL}};

static const control controls[] = {
    {"nothing-cut-off", "geometric", "the whole line in place of the interval", &whole_line},
    {"strip-too-wide", "fixed-interval", "a strip ten times as wide", &wide_strip},
    {"other-interval", "stall", "the truncation of another interval", &other_interval},
    {"gauss-jacobi", "root-exponential", "Gauss-Jacobi at T = 64", &jacobi_growth},
    {"one-moment-more", "jacobi-exact", "one moment more", &one_moment_more},
    {"tenfold-exponent", "jacobi-bound", "40 in place of 4 in the exponent", &tenfold_exponent},
    {"one-term-less", "sup-errors", "one term less than committed", &one_term_less},
    {"other-weight", "every-integer", "first weight 10% larger on one path", &other_sum},
    {"other-weight", "far-horizon", "first weight 10% larger on one path", &other_sum},
    {"half-the-supremum", "drawn", "half the supremum", &half_the_bound},
    {"half-the-bound", "beyond", "half the bound", &half_the_bound},
    {NULL}};

static const setting settings[] = {{"alpha", "fractional order", "0", "1", 1, 0, 0},
                                   {"horizon", "horizon T", "1", "1e18", 0, 0, 1},
                                   {"terms", "number of terms S", "1", "400", 0, 0, 1},
                                   {NULL}};

static const char *const figures[] = {"vort-soe-error", "vort-soe-terms", NULL};

const claim claim_vort_soe_rate = {"vort.soe-rate",
                                   "How fast sums of exponentials converge",
                                   "VORT, Theorem 3.1 (first half)",
                                   hypotheses,
                                   statements,
                                   checks,
                                   controls,
                                   settings,
                                   figures};

/* vort.keyed-retrieval: positive random features phi(x)_i = exp(omega_i.x - |x|^2/2)/sqrt(m). */
#include "numerics/exact/number.h"
#include "numerics/kernels/mneme.h"
#include "theorems/vort/keyed_retrieval/keyed.h"

#include <math.h>
#include <stdlib.h>

/* ---- the Gaussian integral: E e^(s omega) = e^(s^2/2) ---- */

typedef struct {
    const arb_struct *shift;
} gaussian;

/* exp(s z - z^2/2); entire. */
static int integrand(acb_ptr out, const acb_t z, void *parameter, slong order, slong prec) {
    const gaussian *g = parameter;
    acb_t square;
    (void)order;
    acb_init(square);
    acb_mul(square, z, z, prec);
    acb_mul_2exp_si(square, square, -1);
    acb_mul_arb(out, z, g->shift, prec);
    acb_sub(out, out, square, prec);
    acb_exp(out, out, prec);
    acb_clear(square);
    return 0;
}

/* e := E e^(s omega), omega ~ N(0,1), |s| <= 4, by integration over [-R,R], R = 40; beyond it the
   density is at most exp(4|x| - x^2/2) <= exp(-x^2/4) for |x| >= 16, both tails together at most
   (4/R) exp(-R^2/4). */
static void expectation(arb_t e, const arb_t s, slong prec) {
    enum { R = 40 };
    acb_t a, b, value;
    arb_t tail;
    mag_t tol;
    gaussian g = {s};
    acb_init(a);
    acb_init(b);
    acb_init(value);
    arb_init(tail);
    mag_init(tol);
    acb_set_si(a, -R);
    acb_set_si(b, R);
    mag_set_ui_2exp_si(tol, 1, -prec);
    acb_calc_integrate(value, integrand, &g, a, b, prec, tol, NULL, prec);
    arb_set_si(tail, -R * R / 4);
    arb_exp(tail, tail, prec);
    arb_mul_ui(tail, tail, 4, prec);
    arb_div_ui(tail, tail, R, prec);
    arb_add_error(acb_realref(value), tail);
    arb_const_pi(tail, prec);
    arb_mul_2exp_si(tail, tail, 1);
    arb_sqrt(tail, tail, prec);
    arb_div(e, acb_realref(value), tail, prec);
    acb_clear(a);
    acb_clear(b);
    acb_clear(value);
    arb_clear(tail);
    mag_clear(tol);
}

/* d = 2: E of one feature's product and of its square, coordinate by coordinate by integration,
   against e^(q.k) and e^(2 q.k + |q+k|^2).  square: coefficient of |q|^2+|k|^2 in the exponent
   (-1/2). */
void keyed_check_moments(check_context *ctx, const void *parameter) {
    const keyed_parameter *p = parameter;
    enum { DIM = 2, TRIALS = 5 };
    slong prec = ctx->prec;
    exact_random r = {ctx->seed};
    fmpq *s = _fmpq_vec_init(7);
    fmpq *dot = s, *sum = s + 1, *squares = s + 2, *q = s + 3, *k = s + 4, *c = s + 5, *e = s + 6;
    arb_t x, y, z, f;
    arb_init(x);
    arb_init(y);
    arb_init(z);
    arb_init(f);
    vort_rational(c, p->factor);
    arb_set_fmpq(f, c, prec);
    vort_rational(c, p->square);
    for (int trial = 0; trial < TRIALS; trial++)
        for (slong power = 1; power <= 2; power++) {
            fmpq_zero(dot);
            fmpq_zero(sum);
            fmpq_zero(squares);
            arb_one(x);
            for (int i = 0; i < DIM; i++) {
                fmpq_set_si(q, exact_random_integer(&r, -8, 8), 8);
                fmpq_set_si(k, exact_random_integer(&r, -8, 8), 8);
                fmpq_addmul(dot, q, k);
                fmpq_addmul(squares, q, q);
                fmpq_addmul(squares, k, k);
                fmpq_add(e, q, k);
                fmpq_addmul(sum, e, e);
                arb_set_fmpq(y, e, prec);
                arb_mul_si(y, y, power, prec); /* |s| <= 4 */
                expectation(z, y, prec);
                arb_mul(x, x, z, prec);
            }
            arb_set_fmpq(y, squares, prec);
            arb_set_fmpq(z, c, prec);
            arb_mul(y, y, z, prec);
            arb_mul_si(y, y, power, prec);
            arb_exp(y, y, prec);
            arb_mul(x, x, y, prec);
            arb_set_fmpq(y, dot, prec);
            arb_mul_si(y, y, power, prec);
            if (power == 2) {
                arb_set_fmpq(z, sum, prec);
                arb_add(y, y, z, prec);
            }
            arb_exp(y, y, prec);
            arb_mul(y, y, f, prec);
            claim_two_paths(ctx,
                            power == 1 ? "E phi(q).phi(k) = e^(q.k)"
                                       : "E of its square, m = 1, = e^(2 q.k + |q+k|^2)",
                            x, y, 60);
        }
    arb_clear(x);
    arb_clear(y);
    arb_clear(z);
    arb_clear(f);
    _fmpq_vec_clear(s, 7);
}

/* ---- measured: libmneme's features with drawn omega ---- */

enum { WIDE = 4, DRAWS = 20000 };

/* A standard normal number (Box and Muller) from 53-bit uniforms. */
static double normal(exact_random *r) {
    double u = ((double)(exact_random_next(r) >> 11) + 0.5) / 9007199254740992.0,
           v = (double)(exact_random_next(r) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* fourth := mu_4, variance := sigma^2 of X = exp(omega.z - (|q|^2+|k|^2)/2) with E X = 1, |z|^2 = t
   (scaled by e^(-q.k)): E X^n = e^(n(n-1)t/2). */
static void central_moments(arb_t variance, arb_t fourth, const arb_t t, slong prec) {
    arb_t a, b;
    arb_init(a);
    arb_init(b);
    arb_expm1(variance, t, prec);
    arb_mul_ui(a, t, 6, prec); /* mu_4 = e^(6t) - 4 e^(3t) + 6 e^t - 3 */
    arb_exp(fourth, a, prec);
    arb_mul_ui(a, t, 3, prec);
    arb_exp(b, a, prec);
    arb_submul_ui(fourth, b, 4, prec);
    arb_exp(b, t, prec);
    arb_addmul_ui(fourth, b, 6, prec);
    arb_sub_ui(fourth, fourth, 3, prec);
    arb_clear(a);
    arb_clear(b);
}

/* For m = 1, 4, 16, 64: DRAWS estimates of e^(q.k) each; their mean and variance, against the
   formulas times factor, within five standard errors (computed from the exact moments). */
void keyed_check_measured(check_context *ctx, const void *parameter) {
    const keyed_parameter *p = parameter;
    static const char *const columns[] = {"features", "1",   "variance", "1",    "law",
                                          "1",        "low", "1",        "high", "1"};
    static const float q[WIDE] = {0.25f, -0.125f, 0.5f, 0.0625f},
                       k[WIDE] = {0.125f, 0.25f, 0.25f, -0.5f};
    series *figure = series_new("vort-features", "Variance of random features", 5, columns);
    slong prec = ctx->prec;
    exact_random r = {ctx->seed};
    fmpq_t f;
    arb_t t, variance, fourth, x, y, factor;
    fmpq_init(f);
    arb_init(t);
    arb_init(variance);
    arb_init(fourth);
    arb_init(x);
    arb_init(y);
    arb_init(factor);
    vort_rational(f, p->factor);
    arb_set_fmpq(factor, f, prec);
    double dot = 0, square = 0;
    for (int i = 0; i < WIDE; i++) { /* exact: few bits */
        dot += (double)q[i] * (double)k[i];
        square += (double)(q[i] + k[i]) * (double)(q[i] + k[i]);
    }
    arb_set_d(t, square);
    central_moments(variance, fourth, t, prec);
    for (slong m = 1; m <= 64; m *= 4) {
        float *omega = malloc((size_t)(m * WIDE) * sizeof *omega),
              *fq = malloc((size_t)m * sizeof *fq), *fk = malloc((size_t)m * sizeof *fk);
        double mean = 0, second = 0;
        for (slong n = 0; n < DRAWS; n++) {
            double estimate = 0;
            for (slong i = 0; i < m * WIDE; i++)
                omega[i] = (float)normal(&r);
            mn_random_features(1, WIDE, m, omega, q, fq);
            mn_random_features(1, WIDE, m, omega, k, fk);
            for (slong i = 0; i < m; i++)
                estimate += (double)fq[i] * (double)fk[i];
            estimate = estimate / exp(dot) - 1;
            mean += estimate;
            second += estimate * estimate;
        }
        free(omega);
        free(fq);
        free(fk);
        mean = mean / DRAWS + 1;
        second = second / DRAWS; /* about the true mean: unbiased for the variance */
        /* standard errors: (sigma^2/(m n))^(1/2) and ((mu_4 - sigma^4)/m^3 + 2
           sigma^4/m^2)/n)^(1/2), since an average of m has fourth moment mu_4/m^3 +
           3(m-1)sigma^4/m^3 */
        arb_div_si(x, variance, m * DRAWS, prec);
        arb_sqrt(x, x, prec);
        double mean_error = 5 * exact_double_upper(x);
        arb_mul(x, variance, variance, prec);
        arb_mul_si(y, x, 2 * m - 3, prec);
        arb_add(y, y, fourth, prec);
        arb_div_si(y, y, m * m * m, prec);
        arb_div_si(y, y, DRAWS, prec);
        arb_sqrt(y, y, prec);
        double second_error = 5 * exact_double_upper(y);
        for (int side = 0; side < 2; side++) {
            if (side)
                arb_div_si(y, variance, m, prec);
            else
                arb_one(y);
            arb_mul(y, y, factor, prec);
            arb_t low, high;
            arb_init(low);
            arb_init(high);
            arb_set_d(low, side ? second - second_error : mean - mean_error);
            arb_set_d(high, side ? second + second_error : mean + mean_error);
            claim_decide_arb(ctx, side ? "variance above its interval" : "mean above its interval",
                             low, RELATION_LE, y);
            claim_decide_arb(ctx, side ? "variance below its interval" : "mean below its interval",
                             y, RELATION_LE, high);
            enclosure_t e;
            enclosure_init(e);
            enclosure_set_measured(
                e, (enclosure_measurement){side ? second : mean, exact_double_lower(low),
                                           exact_double_upper(high), DRAWS, ctx->seed});
            if (m == 16)
                claim_number(ctx, side ? "variance/e^(2 q.k), m = 16" : "mean/e^(q.k), m = 16", "1",
                             e);
            if (side) {
                enclosure_struct *row = series_append(figure);
                enclosure_set_integer(row, m);
                enclosure_set(row + 1, e);
                enclosure_set_ball(row + 2, y);
                enclosure_set_ball(row + 3, low);
                enclosure_set_ball(row + 4, high);
            }
            enclosure_clear(e);
            arb_clear(low);
            arb_clear(high);
        }
    }
    claim_table(ctx, figure);
    fmpq_clear(f);
    arb_clear(t);
    arb_clear(variance);
    arb_clear(fourth);
    arb_clear(x);
    arb_clear(y);
    arb_clear(factor);
}

/* Fewest features for a relative standard deviation of 1/10: m >= 100 (e^(|q+k|^2)-1). */
static const struct {
    slong square;
    const char *needed;
} needed[] = {{1, "172"}, {4, "5360"}, {16, "888610953"}, {32, "7896296018267970"}};

void keyed_check_needed(check_context *ctx, const void *parameter) {
    const keyed_parameter *p = parameter;
    slong prec = ctx->prec + 64;
    fmpz_t m;
    fmpq_t f, n;
    arb_t x, y;
    fmpz_init(m);
    fmpq_init(f);
    fmpq_init(n);
    arb_init(x);
    arb_init(y);
    vort_rational(f, p->factor);
    for (int i = 0; i < 4; i++) {
        exact_parse_integer(m, needed[i].needed);
        arb_set_si(x, needed[i].square);
        arb_expm1(x, x, prec);
        arb_mul_ui(x, x, 100, prec);
        fmpq_set_fmpz(n, m);
        fmpq_mul(n, n, f);
        arb_set_fmpq(y, n, prec);
        claim_decide_arb(ctx, "m features suffice: 100(e^(|q+k|^2)-1) <= m", x, RELATION_LE, y);
        arb_sub_ui(y, y, 1, prec);
        claim_decide_arb(ctx, "m-1 do not", x, RELATION_GT, y);
    }
    fmpz_clear(m);
    fmpq_clear(f);
    fmpq_clear(n);
    arb_clear(x);
    arb_clear(y);
}

/* Choosing the interval and the number of terms.  Nothing here is certified: it proposes sums, and
   soe_certify says what they are worth. */
#include "numerics/exact/gauss.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"

#include <math.h>

/* Points at which a proposal is sampled, and the kernel there. */
typedef struct {
    slong count;
    arf_struct *t;
    arb_ptr w;
    soe_error error;
    slong prec;
} samples;

#define MAX_SAMPLES 400
#define PI 3.14159265358979323846

static void samples_init(samples *g, const fmpq_t alpha, const fmpz_t horizon, soe_error error,
                         slong prec) {
    g->count = 0;
    g->error = error;
    g->prec = prec;
    g->t = flint_malloc(MAX_SAMPLES * sizeof *g->t);
    g->w = _arb_vec_init(MAX_SAMPLES);
    fmpz_t j, step;
    fmpz_init_set_ui(j, 1);
    fmpz_init(step);
    for (int done = 0; !done && g->count < MAX_SAMPLES; g->count++) {
        if (fmpz_cmp(j, horizon) >= 0) {
            fmpz_set(j, horizon);
            done = 1;
        }
        arf_init(g->t + g->count);
        arf_set_fmpz(g->t + g->count, j);
        exact_gl_ball(g->w + g->count, alpha, j, prec);
        fmpz_fdiv_q_2exp(step, j, 3);
        fmpz_add_ui(step, step, 1);
        fmpz_add(j, j, step);
    }
    fmpz_clear(j);
    fmpz_clear(step);
}

static void samples_clear(samples *g) {
    for (slong i = 0; i < g->count; i++)
        arf_clear(g->t + i);
    flint_free(g->t);
    _arb_vec_clear(g->w, MAX_SAMPLES);
}

/* ln of the largest sampled error; -inf if all samples are 0. */
static double sampled_log_error(const samples *g, const soe_sum_t sum) {
    arb_t x, e, total;
    arf_t top;
    arb_ptr rate = _arb_vec_init(sum->terms), c = _arb_vec_init(sum->terms);
    arb_init(x);
    arb_init(e);
    arb_init(total);
    arf_init(top);
    for (slong s = 0; s < sum->terms; s++) {
        arb_set_fmpq(rate + s, sum->mode + s, g->prec);
        arb_neg(rate + s, rate + s);
        arb_set_fmpq(c + s, sum->weight + s, g->prec);
    }
    for (slong i = 0; i < g->count; i++) {
        arb_set(total, g->w + i);
        for (slong s = 0; s < sum->terms; s++) {
            arb_mul_arf(x, rate + s, g->t + i, g->prec);
            arb_exp(e, x, g->prec);
            arb_submul(total, c + s, e, g->prec);
        }
        if (g->error == SOE_RELATIVE)
            arb_div(total, total, g->w + i, g->prec);
        arf_abs(arb_midref(total), arb_midref(total));
        if (arf_cmp(arb_midref(total), top) > 0)
            arf_set(top, arb_midref(total));
    }
    arb_set_arf(x, top);
    double result = -HUGE_VAL;
    if (!arf_is_zero(top)) {
        arb_log(x, x, 64);
        result = exact_double_mid(x);
    }
    _arb_vec_clear(rate, sum->terms);
    _arb_vec_clear(c, sum->terms);
    arb_clear(x);
    arb_clear(e);
    arb_clear(total);
    arf_clear(top);
    return result;
}

/* The interval outside which the integral at j = 1 (right end) and at every j (left end) is about
   e^-x of the scale that the error is measured in. */
static void cut_tails(double *low, double *high, soe_method method, double alpha,
                      double log_horizon, soe_error error, double x) {
    double beta = 1 - alpha, s = sin(PI * alpha) / PI;
    double left = x, right = x;
    if (error == SOE_RELATIVE) { /* against w_T ~ T^-beta/Gamma(alpha) and w_1 = alpha */
        left += beta * log_horizon + lgamma(alpha);
        right -= log(alpha);
    }
    /* s e^(beta low)/beta = e^-left,  s e^(-(1+alpha) top)/(1+alpha) = e^-right */
    *low = (-left - log(s / beta)) / beta;
    double top = (right + log(s / (1 + alpha))) / (1 + alpha);
    if (method == SOE_SINC)
        *high = fmax(top, *low + 1);
    else
        *high = fmax(log(fmax(top, 0.5)), *low + 1);
}

/* The level x at which cutting and discretisation are about equal: decay exp(-pi^2 terms/length)
   for the trapezoids, exp(-2 pi terms/length) for Legendre. */
static double balanced_level(soe_method method, double alpha, double log_horizon, soe_error error,
                             double terms) {
    double x = 1, rate = method == SOE_LEGENDRE ? 2 * PI : PI * PI;
    for (int i = 0; i < 60; i++) {
        double low, high;
        cut_tails(&low, &high, method, alpha, log_horizon, error, x);
        x = 0.5 * (x + fmax(0.05, rate * terms / (high - low)));
    }
    return x;
}

slong soe_expected_terms(soe_method method, const fmpq_t alpha, const fmpz_t horizon,
                         soe_error error, const fmpq_t target) {
    double a = fmpq_get_d(alpha), log_horizon = log(fmpz_get_d(horizon));
    double level =
        ((double)fmpz_bits(fmpq_denref(target)) - (double)fmpz_bits(fmpq_numref(target))) *
        log(2.0);
    slong terms = 1;
    while (terms <= SOE_MAX_TERMS &&
           balanced_level(method, a, log_horizon, error, (double)terms) < level)
        terms++;
    return terms;
}

soe_status soe_design_terms(soe_sum_t sum, soe_design *design, soe_method method,
                            const fmpq_t alpha, const fmpz_t horizon, soe_error error, slong terms,
                            slong prec) {
    design->low = design->high = 0;
    if (fmpq_sgn(alpha) <= 0 || fmpq_cmp_si(alpha, 1) > 0 || terms < 1 || terms > SOE_MAX_TERMS ||
        fmpz_sgn(horizon) <= 0)
        return SOE_BAD_ARGUMENT;
    if (method == SOE_LAGUERRE || method == SOE_JACOBI || fmpq_is_one(alpha))
        return fmpq_is_one(alpha) ? soe_from_interval(sum, SOE_SINC, alpha, terms, 0, 1, prec)
                                  : soe_from_gauss(sum, method, alpha, terms, prec);
    double a = fmpq_get_d(alpha), log_horizon = log(fmpz_get_d(horizon));
    double x = balanced_level(method, a, log_horizon, error, (double)terms);
    /* 15 significant bits beyond the expected error are enough to compare proposals */
    slong search_prec = 64 + (slong)(2 * x / log(2.0));
    samples grid;
    samples_init(&grid, alpha, horizon, error, search_prec);
    double left = 0.3 * x, right = 1.8 * x + 1, golden = 0.6180339887498949;
    double p = right - golden * (right - left), q = left + golden * (right - left), low, high;
    double fp = 0, fq = 0;
    arb_ptr node = _arb_vec_init(terms), omega = _arb_vec_init(terms);
    soe_status status = soe_interval_rule(node, omega, method, terms, FLINT_MAX(search_prec, prec));
    for (int i = 0, have_p = 0, have_q = 0; i < 18 && status == SOE_OK; i++) {
        if (!have_p) {
            cut_tails(&low, &high, method, a, log_horizon, error, p);
            status = soe_from_interval_rule(sum, method, alpha, terms, low, high, node, omega,
                                            search_prec);
            fp = sampled_log_error(&grid, sum);
        }
        if (!have_q && status == SOE_OK) {
            cut_tails(&low, &high, method, a, log_horizon, error, q);
            status = soe_from_interval_rule(sum, method, alpha, terms, low, high, node, omega,
                                            search_prec);
            fq = sampled_log_error(&grid, sum);
        }
        if (fp < fq) {
            right = q;
            q = p;
            fq = fp;
            p = right - golden * (right - left);
            have_p = 0;
            have_q = 1;
        } else {
            left = p;
            p = q;
            fp = fq;
            q = left + golden * (right - left);
            have_p = 1;
            have_q = 0;
        }
    }
    samples_clear(&grid);
    cut_tails(&low, &high, method, a, log_horizon, error, fp < fq ? p : q);
    /* a short interval end reads better and is as good */
    low = nearbyint(low * 1024) / 1024;
    high = nearbyint(high * 1024) / 1024;
    if (status == SOE_OK)
        status = soe_from_interval_rule(sum, method, alpha, terms, low, high, node, omega, prec);
    _arb_vec_clear(node, terms);
    _arb_vec_clear(omega, terms);
    design->low = low;
    design->high = high;
    return status;
}

/* Whether the method with this many terms meets the target; sum, bound and design are filled. */
static soe_status try_terms(int *meets, soe_sum_t sum, soe_bound_t bound, soe_design *design,
                            soe_method method, const fmpq_t alpha, const fmpz_t horizon,
                            soe_error error, const fmpq_t target, slong terms) {
    slong bits = (slong)fmpz_bits(fmpq_denref(target)) - (slong)fmpz_bits(fmpq_numref(target));
    slong prec = 64 + FLINT_MAX(bits, 0);
    *meets = 0;
    soe_status status = soe_design_terms(sum, design, method, alpha, horizon, error, terms, prec);
    if (status != SOE_OK)
        return status;
    /* a sample above the target settles it without a certificate */
    samples grid;
    samples_init(&grid, alpha, horizon, error, prec);
    double sampled = sampled_log_error(&grid, sum);
    samples_clear(&grid);
    double log_target = -(double)bits * log(2.0) + 1.0;
    if (sampled > log_target)
        return SOE_OK;
    soe_kernel_t kernel;
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    status = soe_certify(bound, kernel, sum, horizon, error, 1, 1e-3, prec);
    soe_kernel_clear(kernel);
    if (status == SOE_BAD_ARGUMENT)
        return status;
    *meets = soe_bound_meets(bound, target);
    return SOE_OK;
}

soe_status soe_design_error(soe_sum_t sum, soe_bound_t bound, soe_design *design, soe_method method,
                            const fmpq_t alpha, const fmpz_t horizon, soe_error error,
                            const fmpq_t target, int (*progress)(slong terms)) {
    if (fmpq_sgn(target) <= 0)
        return SOE_BAD_ARGUMENT;
    slong failing = 0, terms = 1, meeting = 0;
    int meets = 0;
    soe_status status = SOE_OK;
    /* double until it works, then halve the gap; the last success is computed again at the end */
    while (status == SOE_OK && (meeting == 0 || meeting - failing > 1)) {
        if (progress != NULL && progress(terms))
            return SOE_WIDE;
        status =
            try_terms(&meets, sum, bound, design, method, alpha, horizon, error, target, terms);
        if (status != SOE_OK)
            break;
        if (meets)
            meeting = terms;
        else
            failing = terms;
        if (meeting == 0 && failing == SOE_MAX_TERMS)
            return SOE_UNREACHABLE;
        terms = meeting == 0 ? FLINT_MIN(2 * failing, SOE_MAX_TERMS) : (meeting + failing) / 2;
    }
    if (status == SOE_OK && !meets)
        status =
            try_terms(&meets, sum, bound, design, method, alpha, horizon, error, target, meeting);
    return status;
}

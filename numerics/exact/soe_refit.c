#include "numerics/exact/soe_refit.h"
#include "numerics/exact/number.h"

#include <math.h>
#ifdef MNEME_FLINT3
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

enum { PREC = 224, WEIGHT_BITS = 160, POINTS_PER_TERM = 24, EXCHANGES = 60 };

typedef struct {
    slong terms, points; /* S, grid points */
    arb_ptr phi;         /* [points][terms]: t^beta e^(-rate t) */
    arb_ptr weight;      /* [terms] */
    arb_ptr error;       /* [points]: 1 - sum_s weight_s phi_s */
    slong *reference;    /* [terms + 1] */
} exchange;

static double grid_point(const fmpz_t horizon, slong g, slong points) {
    double top = fmpz_get_d(horizon);
    return g == 0 ? 1 : g == points - 1 ? top : exp(log(top) * (double)g / (double)(points - 1));
}

/* phi[g][s] = t^beta e^(-rate_s t) at the exact doubles t of the grid */
static void tabulate(exchange *x, const soe_sum_t sum, const soe_kernel_t kernel,
                     const fmpz_t horizon) {
    arb_t t, power, e;
    arb_init(t);
    arb_init(power);
    arb_init(e);
    for (slong g = 0; g < x->points; g++) {
        arb_set_d(t, grid_point(horizon, g, x->points));
        arb_set_fmpq(e, kernel->order, PREC);
        arb_pow(power, t, e, PREC);
        for (slong s = 0; s < x->terms; s++) {
            arb_set_fmpq(e, sum->mode + s, PREC);
            arb_mul(e, e, t, PREC);
            arb_neg(e, e);
            arb_exp(e, e, PREC);
            arb_mul(x->phi + g * x->terms + s, e, power, PREC);
        }
    }
    arb_clear(t);
    arb_clear(power);
    arb_clear(e);
}

/* Weights and level with sum_s weight_s phi_s(t_i) + (-1)^i level = 1 at the reference:
   approximately. */
static int solve(exchange *x, arf_t level) {
    slong n = x->terms + 1;
    arb_mat_t a, b;
    arb_mat_init(a, n, n);
    arb_mat_init(b, n, 1);
    for (slong i = 0; i < n; i++) {
        for (slong s = 0; s < x->terms; s++)
            arb_get_mid_arb(arb_mat_entry(a, i, s), x->phi + x->reference[i] * x->terms + s);
        arb_set_si(arb_mat_entry(a, i, n - 1), i % 2 ? -1 : 1);
        arb_one(arb_mat_entry(b, i, 0));
    }
    int ok = arb_mat_approx_solve(b, a, b, PREC);
    for (slong s = 0; ok && s < x->terms;
         s++) { /* rounded here, so that all that follows is exact */
        arf_set_round(arb_midref(x->weight + s), arb_midref(arb_mat_entry(b, s, 0)), WEIGHT_BITS,
                      ARF_RND_NEAR);
        mag_zero(arb_radref(x->weight + s));
        ok = arf_is_finite(arb_midref(x->weight + s));
    }
    arf_abs(level, arb_midref(arb_mat_entry(b, n - 1, 0)));
    arb_mat_clear(a);
    arb_mat_clear(b);
    return ok;
}

/* error_g = 1 - sum_s weight_s phi_s(t_g) */
static void evaluate(exchange *x) {
    arb_t one;
    arb_init(one);
    arb_one(one);
    for (slong g = 0; g < x->points; g++)
        arb_dot(x->error + g, one, 1, x->weight, 1, x->phi + g * x->terms, 1, x->terms, PREC);
    arb_clear(one);
}

static const arf_struct *size_of(const exchange *x, slong g) {
    return arb_midref(x->error + g);
}

/* Take `many` entries from place `at` on out of the list. */
static void take_out(slong *list, slong *count, slong at, slong many) {
    for (slong i = at; i + many < *count; i++)
        list[i] = list[i + many];
    *count -= many;
}

/* Leaves wanted of the peaks, which alternate in sign and go on doing so: the smallest goes,
   together with its smaller neighbour where it has two; with one too many, the smaller end. */
static void thin_out(const exchange *x, slong *peak, slong *count, slong wanted) {
    while (*count > wanted) {
        slong least = 0, last = *count - 1;
        for (slong i = 1; i <= last; i++)
            if (arf_cmpabs(size_of(x, peak[i]), size_of(x, peak[least])) < 0)
                least = i;
        if (least == 0 || least == last) {
            take_out(peak, count, least, 1);
        } else if (*count == wanted + 1) {
            int first_smaller = arf_cmpabs(size_of(x, peak[0]), size_of(x, peak[last])) < 0;
            take_out(peak, count, first_smaller ? 0 : last, 1);
        } else {
            int before = arf_cmpabs(size_of(x, peak[least - 1]), size_of(x, peak[least + 1])) < 0;
            take_out(peak, count, before ? least - 1 : least, 2);
        }
    }
}

/* reference := the largest point of each run of one sign, thinned out to S+1; 0 if there are fewer.
   most := the largest |error| on the grid. */
static int pick(exchange *x, arf_t most) {
    slong *peak = flint_malloc((size_t)x->points * sizeof *peak), runs = 0;
    arf_zero(most);
    for (slong g = 0; g < x->points; g++) {
        int sign = arf_sgn(size_of(x, g));
        if (sign == 0)
            continue;
        if (arf_cmpabs(size_of(x, g), most) > 0)
            arf_abs(most, size_of(x, g));
        if (runs > 0 && arf_sgn(size_of(x, peak[runs - 1])) == sign) {
            if (arf_cmpabs(size_of(x, g), size_of(x, peak[runs - 1])) > 0)
                peak[runs - 1] = g;
        } else {
            peak[runs++] = g;
        }
    }
    int enough = runs > x->terms;
    if (enough)
        thin_out(x, peak, &runs, x->terms + 1);
    for (slong i = 0; enough && i <= x->terms; i++)
        x->reference[i] = peak[i];
    flint_free(peak);
    return enough;
}

/* lower := the least |error| at the reference if the signs alternate there, else 0: in balls. */
static void alternation_lower(arf_t lower, const exchange *x) {
    arf_t here;
    arf_init(here);
    int sign = 0;
    for (slong i = 0; i <= x->terms; i++) {
        const arb_struct *e = x->error + x->reference[i];
        int now = arb_is_positive(e) ? 1 : arb_is_negative(e) ? -1 : 0;
        if (now == 0 || now == sign) {
            arf_zero(lower);
            break;
        }
        sign = now;
        arb_get_abs_lbound_arf(here, e, 64);
        if (i == 0 || arf_cmp(here, lower) < 0)
            arf_set(lower, here);
    }
    arf_clear(here);
}

static int arguments_ok(const soe_sum_t sum, const soe_kernel_t kernel, const fmpz_t horizon) {
    int ok = kernel->kind == SOE_KERNEL_POWER && fmpq_sgn(kernel->order) > 0 &&
             fmpz_cmp_si(horizon, 2) >= 0 &&
             fmpz_sizeinbase(horizon, 10) <= SOE_MAX_HORIZON_DIGITS && sum->terms >= 1 &&
             sum->terms <= SOE_MAX_TERMS && sum->form == SOE_RATE;
    for (slong s = 0; ok && s < sum->terms; s++) {
        ok = fmpq_sgn(sum->mode + s) >= 0;
        for (slong m = 0; ok && m < s; m++)
            ok = !fmpq_equal(sum->mode + s, sum->mode + m);
    }
    return ok;
}

soe_status soe_refit(soe_sum_t sum, arf_t lower, const soe_kernel_t kernel, const fmpz_t horizon) {
    if (!arguments_ok(sum, kernel, horizon))
        return SOE_BAD_ARGUMENT;
    exchange x = {.terms = sum->terms, .points = POINTS_PER_TERM * sum->terms + 1};
    arf_t level, most;
    x.phi = _arb_vec_init(x.points * x.terms);
    x.weight = _arb_vec_init(x.terms);
    x.error = _arb_vec_init(x.points);
    x.reference = flint_malloc((size_t)(x.terms + 1) * sizeof *x.reference);
    arf_init(level);
    arf_init(most);
    tabulate(&x, sum, kernel, horizon);
    for (slong i = 0; i <= x.terms; i++)
        x.reference[i] = i * (x.points - 1) / x.terms;
    soe_status status = SOE_WIDE;
    arf_zero(lower);
    for (int n = 0; n < EXCHANGES && status == SOE_WIDE; n++) {
        if (!solve(&x, level))
            break;
        evaluate(&x);
        alternation_lower(lower, &x); /* before the reference moves on: |error| = level there */
        if (!pick(&x, most))
            break;
        arf_mul_ui(level, level, 101, 64, ARF_RND_NEAR);
        arf_mul_ui(most, most, 100, 64, ARF_RND_NEAR);
        if (arf_cmp(most, level) <= 0)
            status = SOE_OK;
    }
    for (slong s = 0; s < x.terms; s++)
        exact_rational_from_arf(sum->weight + s, arb_midref(x.weight + s));
    _arb_vec_clear(x.phi, x.points * x.terms);
    _arb_vec_clear(x.weight, x.terms);
    _arb_vec_clear(x.error, x.points);
    flint_free(x.reference);
    arf_clear(level);
    arf_clear(most);
    return status;
}

void soe_log_spaced_rates(soe_sum_t sum, const fmpz_t horizon) {
    arb_t log, x;
    arf_t rate;
    arb_init(log);
    arb_init(x);
    arf_init(rate);
    arb_set_fmpz(log, horizon);
    arb_log(log, log, 128);
    for (slong s = 0; s < sum->terms; s++) {
        arb_mul_si(x, log, -s, 128);
        arb_div_si(x, x, FLINT_MAX(sum->terms - 1, 1), 128);
        arb_exp(x, x, 128);
        arf_set_round(rate, arb_midref(x), 64, ARF_RND_NEAR);
        exact_rational_from_arf(sum->mode + s, rate);
    }
    arb_clear(log);
    arb_clear(x);
    arf_clear(rate);
}

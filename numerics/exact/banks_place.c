/* The fewest banks: a search in doubles, every step of it certified in balls. */
#include "numerics/exact/banks.h"
#include "numerics/exact/number.h"

#include <math.h>

enum { PREC = 96, DIGITS = 15 };

void banks_design_init(banks_design *d) {
    *d = (banks_design){0};
    arf_init(d->error);
    arf_init(d->nearest_error);
}

void banks_design_clear(banks_design *d) {
    if (d->order != NULL)
        _fmpq_vec_clear(d->order, BANKS_MAX);
    if (d->edge != NULL)
        _fmpq_vec_clear(d->edge, BANKS_MAX + 1);
    if (d->apart != NULL)
        _fmpq_vec_clear(d->apart, 2 * BANKS_MAX + 2);
    arf_clear(d->error);
    arf_clear(d->nearest_error);
}

/* About the b in [a,1] with D(a,b) = tau, or 2 where D(a,1) < tau: regula falsi (Illinois). */
static double reach(banks_norm norm, double a, double horizon, double tau, double guess) {
    double low = a, high = fmin(1, a + 2 * guess), f = -tau, g, worst;
    while ((g = banks_distance_estimate(&worst, norm, a, high, horizon) - tau) < 0) {
        if (high >= 1)
            return 2;
        low = high, f = g;
        high = fmin(1, a + 2 * (high - a));
    }
    for (int i = 0; i < 100 && high - low > 2e-16; i++) {
        double x = low - f * (high - low) / (g - f);
        if (!(x > low && x < high)) /* a rounding from one of the ends */
            return x >= high ? high : low;
        double y = banks_distance_estimate(&worst, norm, a, x, horizon) - tau;
        if (fabs(y) <= 1e-14 * tau)
            return x;
        if (y < 0) {
            low = x, f = y;
            g /= 2;
        } else {
            high = x, g = y;
            f /= 2;
        }
    }
    return low;
}

/* ---- certified steps ---- */

typedef struct {
    banks_norm norm;
    const fmpz *horizon;
    const fmpq *tau;
    double tau_near, horizon_near;
    fmpz_t scale; /* 10^DIGITS */
    arb_t d, t;
} placing;

/* Whether D(a,b) <= tau (sign 1) or D(a,b) > tau (sign -1) is certain. */
static int certain(placing *p, const fmpq_t a, const fmpq_t b, int sign) {
    banks_distance(p->d, NULL, p->norm, a, b, p->horizon, PREC);
    return sign > 0 ? arb_le(p->d, p->t) : arb_gt(p->d, p->t);
}

static double near(const fmpq_t x) {
    arb_t ball;
    arb_init(ball);
    arb_set_fmpq(ball, x, 64);
    double d = exact_double_mid(ball);
    arb_clear(ball);
    return d;
}

/* b := a decimal in (a,1], as large as certain(1) allows (1 if it is), or as small as certain(-1)
   does; 0 if there is none. */
static int place_one(fmpq_t b, placing *p, const fmpq_t a, int sign, double *guess) {
    fmpz_t n, step;
    double from = near(a), x = reach(p->norm, from, p->horizon_near, p->tau_near, *guess);
    fmpq_one(b);
    if (x >= 1 - 1e-12 && certain(p, a, b, sign))
        return 1;
    if (x > 1 && sign < 0)
        return 0;
    x = fmin(x, 1);
    int found = 0;
    *guess = fmax(x - from, 1e-14);
    fmpz_init(n);
    fmpz_init_set_si(step, 64);
    fmpz_set_d(n, x * 1e15);
    for (int tries = 0; tries < 40 && !found; tries++) {
        if (sign > 0)
            fmpz_sub(n, n, step);
        else
            fmpz_add(n, n, step);
        fmpz_mul_2exp(step, step, 1);
        fmpq_set_fmpz_frac(b, n, p->scale);
        if (fmpq_cmp(b, a) <= 0 || fmpq_cmp_si(b, 1) > 0)
            break;
        found = certain(p, a, b, sign);
    }
    fmpz_clear(n);
    fmpz_clear(step);
    return found;
}

/* The banks from delta upwards, each as high as its lower edge allows. */
static banks_status place_banks(banks_design *d, placing *p, const fmpq_t delta,
                                int (*progress)(slong)) {
    double guess = 0.01;
    fmpq_set(d->edge, delta);
    while (!fmpq_is_one(d->edge + d->banks)) {
        slong i = d->banks;
        if (i >= BANKS_MAX || !place_one(d->order + i, p, d->edge + i, 1, &guess) ||
            (fmpq_is_one(d->order + i) ? (fmpq_one(d->edge + i + 1), 0)
                                       : !place_one(d->edge + i + 1, p, d->order + i, 1, &guess)))
            return BANKS_TOO_MANY;
        d->banks++;
        if (progress != NULL && progress(d->banks))
            return BANKS_STOPPED;
    }
    return BANKS_OK;
}

/* Orders that are pairwise too far apart for a common bank. */
static banks_status place_apart(banks_design *d, placing *p, const fmpq_t delta,
                                int (*progress)(slong)) {
    double guess = 0.01;
    fmpq_set(d->apart, delta);
    for (d->chain = 1; d->chain < 2 * BANKS_MAX + 2; d->chain++) {
        if (!place_one(d->apart + d->chain, p, d->apart + d->chain - 1, -1, &guess))
            break;
        if (progress != NULL && progress(d->banks))
            return BANKS_STOPPED;
    }
    d->needed = (d->chain - 1) / 2 + 1;
    return BANKS_OK;
}

/* Certified largest errors: inside the edges, and when each order goes to the nearest bank. */
static void measure(banks_design *d, placing *p) {
    arf_t e;
    fmpq_t middle;
    fmpz_t two;
    arf_init(e);
    fmpq_init(middle);
    fmpz_init_set_ui(two, 2);
    for (slong i = 0; i < d->banks; i++)
        for (int side = 0; side < 4; side++) {
            const fmpq *low = side & 1 ? d->order + i : d->edge + i,
                       *high = side & 1 ? d->edge + i + 1 : d->order + i;
            if (side >= 2 && (side & 1) && i + 1 < d->banks) {
                fmpq_add(middle, d->order + i, d->order + i + 1);
                fmpq_div_fmpz(middle, middle, two);
                high = middle;
            }
            if (side >= 2 && !(side & 1) && i > 0) {
                fmpq_add(middle, d->order + i, d->order + i - 1);
                fmpq_div_fmpz(middle, middle, two);
                low = middle;
            }
            banks_distance(p->d, NULL, p->norm, low, high, p->horizon, PREC);
            arb_get_ubound_arf(e, p->d, 64);
            arf_struct *most = side >= 2 ? d->nearest_error : d->error;
            if (arf_cmp(e, most) > 0)
                arf_set(most, e);
        }
    arf_clear(e);
    fmpq_clear(middle);
    fmpz_clear(two);
}

/* The fewest equal cells: the last half cell has length 1 - a with D(a,1) = tau. */
static void count_uniform(banks_design *d, placing *p, const fmpq_t delta) {
    double low = 0, high = 1 - near(delta), worst;
    for (int i = 0; i < 60; i++) {
        double x = (low + high) / 2;
        if (banks_distance_estimate(&worst, p->norm, 1 - x, 1, p->horizon_near) < p->tau_near)
            low = x;
        else
            high = x;
    }
    d->uniform = (slong)fmax(1, floor((1 - near(delta)) / (2 * fmax(low, 1e-15))));
    for (;; d->uniform++) {
        banks_uniform_error(p->d, p->norm, delta, p->horizon, d->uniform, PREC);
        if (arb_le(p->d, p->t))
            break;
    }
    d->uniform_sharp = 1;
    if (d->uniform > 1) {
        banks_uniform_error(p->d, p->norm, delta, p->horizon, d->uniform - 1, PREC);
        d->uniform_sharp = arb_gt(p->d, p->t);
    }
}

banks_status banks_place(banks_design *d, banks_norm norm, const fmpq_t delta, const fmpz_t horizon,
                         const fmpq_t tau, int (*progress)(slong banks)) {
    fmpz_t most;
    fmpz_init(most);
    fmpz_ui_pow_ui(most, 10, BANKS_MAX_HORIZON_DIGITS);
    if (norm == BANKS_L2)
        fmpz_set_ui(most, BANKS_MAX_L2_HORIZON);
    int bad = fmpq_sgn(delta) <= 0 || fmpq_cmp_si(delta, 1) >= 0 || fmpq_sgn(tau) <= 0 ||
              fmpz_sgn(horizon) <= 0 || fmpz_cmp(horizon, most) > 0;
    fmpz_clear(most);
    if (bad)
        return BANKS_BAD_ARGUMENT;
    placing p = {norm, horizon, tau, near(tau), fmpz_get_d(horizon)};
    double worst, least = banks_distance_estimate(&worst, norm, near(delta), 1, p.horizon_near) /
                          p.tau_near / 2;
    /* the triangle inequality: at least so many */
    if (!(least < BANKS_MAX) || (norm == BANKS_L2 && least * p.horizon_near > 1e7))
        return BANKS_TOO_MANY;
    fmpz_init(p.scale);
    arb_init(p.d);
    arb_init(p.t);
    fmpz_ui_pow_ui(p.scale, 10, DIGITS);
    arb_set_fmpq(p.t, tau, PREC);
    d->order = _fmpq_vec_init(BANKS_MAX);
    d->edge = _fmpq_vec_init(BANKS_MAX + 1);
    d->apart = _fmpq_vec_init(2 * BANKS_MAX + 2);
    banks_status status = place_banks(d, &p, delta, progress);
    if (status == BANKS_OK)
        status = place_apart(d, &p, delta, progress);
    if (status == BANKS_OK) {
        measure(d, &p);
        count_uniform(d, &p, delta);
    }
    fmpz_clear(p.scale);
    arb_clear(p.d);
    arb_clear(p.t);
    return status;
}

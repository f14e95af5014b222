#include "numerics/exact/banks.h"
#include "numerics/exact/gl.h"

#include "numerics/exact/number.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"sup", "l1", "l2"};

const char *banks_norm_name(banks_norm norm) {
    return names[norm];
}

int banks_norm_from_name(banks_norm *norm, const char *name) {
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *norm = (banks_norm)i;
            return 1;
        }
    return 0;
}

/* ---- estimates in doubles: where to look ---- */

/* w_j(alpha) to about 1e-13: the product up to 32, then Tricomi and Erdelyi's expansion of the
   Gamma quotient in j + alpha/2. */
static double weight(double j, double alpha) {
    double w = 1, last = fmin(j, 32);
    for (double i = 0; i < last; i++)
        w *= (i + alpha) / (i + 1);
    if (j <= 32)
        return w;
    double low = 32 + alpha / 2, high = j + alpha / 2, a = alpha - 1;
    double c1 = -a * (a - 1) * alpha / 24,
           c2 = a * (a - 1) * (a - 2) * (a - 3) / 24 * alpha * (5 * alpha + 2) / 240;
    double expansion_low = 1 + (c1 + c2 / (low * low)) / (low * low),
           expansion_high = 1 + (c1 + c2 / (high * high)) / (high * high);
    return w * pow(high / low, a) * expansion_high / expansion_low;
}

double banks_distance_estimate(double *worst, banks_norm norm, double a, double b, double horizon) {
    *worst = 0;
    if (norm == BANKS_L1)
        return weight(horizon, b) * (horizon + b) / b - weight(horizon, a) * (horizon + a) / a;
    if (norm == BANKS_L2) {
        double x = 1, y = 1, sum = 0;
        for (double j = 0; j < horizon; j++) {
            x *= (j + a) / (j + 1);
            y *= (j + b) / (j + 1);
            sum += (y - x) * (y - x);
        }
        return sqrt(sum);
    }
    double low = 0, high = horizon; /* the steps rise at low; the top is in (low, high] */
    while (high - low > 1) {
        double j = low + floor((high - low) / 2);
        if (j <= low || j >= high) /* neighbouring doubles */
            break;
        if ((1 - a) * weight(j, a) > (1 - b) * weight(j, b))
            low = j;
        else
            high = j;
    }
    *worst = high;
    return weight(high, b) - weight(high, a);
}

/* ---- enclosures ---- */

/* sum over lags 0..T of w_j(b) - w_j(a) = w_T(1+b) - w_T(1+a) */
static void distance_l1(arb_t d, const fmpq_t a, const fmpq_t b, const fmpz_t horizon, slong prec) {
    fmpq_t order;
    fmpz_t one;
    arb_t x;
    fmpq_init(order);
    fmpz_init_set_ui(one, 1);
    arb_init(x);
    fmpq_add_fmpz(order, b, one);
    exact_gl_ball(d, order, horizon, prec);
    fmpq_add_fmpz(order, a, one);
    exact_gl_ball(x, order, horizon, prec);
    arb_sub(d, d, x, prec);
    fmpq_clear(order);
    fmpz_clear(one);
    arb_clear(x);
}

/* By w_{j+1} = w_j (j+alpha)/(j+1) in balls, for both orders at once. */
static void distance_l2(arb_t d, const fmpq_t a, const fmpq_t b, const fmpz_t horizon, slong prec) {
    arb_ptr t = _arb_vec_init(5);
    arb_ptr low = t, high = t + 1, x = t + 2, y = t + 3, f = t + 4;
    slong last = fmpz_get_si(horizon);
    arb_set_fmpq(low, a, prec);
    arb_set_fmpq(high, b, prec);
    arb_one(x);
    arb_one(y);
    arb_zero(d);
    for (slong j = 0; j < last; j++) {
        arb_add_si(f, low, j, prec);
        arb_mul(x, x, f, prec);
        arb_div_si(x, x, j + 1, prec);
        arb_add_si(f, high, j, prec);
        arb_mul(y, y, f, prec);
        arb_div_si(y, y, j + 1, prec);
        arb_sub(f, y, x, prec);
        arb_addmul(d, f, f, prec);
    }
    arb_sqrt(d, d, prec);
    _arb_vec_clear(t, 5);
}

/* ---- sup ---- */

typedef struct {
    const fmpq *a, *b;
    slong prec;
    arb_t low, high, x, y; /* 1-a, 1-b */
} slope_context;

/* The sign of w_{j+1}(b)-w_{j+1}(a) - (w_j(b)-w_j(a)), which is that of (1-a)w_j(a) - (1-b)w_j(b):
   1, -1, or 0 where it is not certain. */
static int slope(slope_context *s, const fmpz_t j) {
    exact_gl_ball(s->x, s->a, j, s->prec);
    exact_gl_ball(s->y, s->b, j, s->prec);
    arb_mul(s->x, s->x, s->low, s->prec);
    arb_mul(s->y, s->y, s->high, s->prec);
    arb_sub(s->x, s->x, s->y, s->prec);
    return arb_is_positive(s->x) ? 1 : arb_is_negative(s->x) ? -1 : 0;
}

/* edge := the last j in [low, high) with a slope that satisfies sign*slope > 0 for sign 1 (rising),
   or the last j whose slope is not certainly falling for sign -1; low itself is known to be one. */
static void last_with(fmpz_t edge, slope_context *s, int sign, const fmpz_t low,
                      const fmpz_t high) {
    fmpz_t top, middle;
    fmpz_init_set(top, high);
    fmpz_init(middle);
    fmpz_set(edge, low);
    for (;;) {
        fmpz_sub(middle, top, edge);
        if (fmpz_cmp_ui(middle, 1) <= 0)
            break;
        fmpz_fdiv_q_2exp(middle, middle, 1);
        fmpz_add(middle, middle, edge);
        int found = slope(s, middle);
        if (sign > 0 ? found > 0 : found >= 0)
            fmpz_set(edge, middle);
        else
            fmpz_set(top, middle);
    }
    fmpz_clear(top);
    fmpz_clear(middle);
}

static double nearest(const fmpq_t x) {
    arb_t ball;
    arb_init(ball);
    arb_set_fmpq(ball, x, 64);
    double d = exact_double_mid(ball);
    arb_clear(ball);
    return d;
}

/* Narrows [bottom, top] = [0, horizon] around the estimated top of the differences: the slope is
   certainly positive at the new bottom (or it is 0), certainly negative at the new top (or it is
   the horizon). */
static void around_estimate(fmpz_t bottom, fmpz_t top, slope_context *s, const fmpz_t horizon) {
    double worst, margin;
    fmpz_t j;
    fmpz_init(j);
    banks_distance_estimate(&worst, BANKS_SUP, nearest(s->a), nearest(s->b), fmpz_get_d(horizon));
    for (margin = 2 + worst * 1e-11; margin < worst; margin *= 16) {
        fmpz_set_d(j, worst - margin);
        if (slope(s, j) > 0) {
            fmpz_set(bottom, j);
            break;
        }
    }
    for (margin = 1 + worst * 1e-11; worst + margin < fmpz_get_d(horizon); margin *= 16) {
        fmpz_set_d(j, worst + margin);
        if (slope(s, j) < 0) {
            fmpz_set(top, j);
            break;
        }
    }
    fmpz_clear(j);
}

static void distance_sup(arb_t d, fmpz_t worst, const fmpq_t a, const fmpq_t b,
                         const fmpz_t horizon, slong prec) {
    slope_context s = {a, b, prec};
    fmpz_t j, rising, level, bottom, top;
    arb_t x, y;
    fmpz_init(j);
    fmpz_init(rising);
    fmpz_init(level);
    arb_init(x);
    arb_init(y);
    arb_init(s.low);
    arb_init(s.high);
    arb_init(s.x);
    arb_init(s.y);
    arb_set_fmpq(s.low, a, prec + 32);
    arb_sub_ui(s.low, s.low, 1, prec + 32);
    arb_neg(s.low, s.low);
    arb_set_fmpq(s.high, b, prec + 32);
    arb_sub_ui(s.high, s.high, 1, prec + 32);
    arb_neg(s.high, s.high);
    /* rising: every step before it goes up (the slope at 0 is b-a > 0); level: every step after it
       goes down.  The top is one of rising+1 .. level+1, and those are few: slopes that are not
       certain are within a rounding of 0. */
    fmpz_init(bottom);
    fmpz_init_set(top, horizon);
    around_estimate(bottom, top, &s, horizon);
    last_with(rising, &s, 1, bottom, top);
    last_with(level, &s, -1, rising, top);
    arb_zero(d);
    fmpz_add_ui(j, rising, 1);
    fmpz_sub(level, level, rising);
    if (fmpz_cmp_ui(level, 64) > 0) {
        arb_indeterminate(d);
    } else {
        fmpz_add(level, level, j);
        for (; fmpz_cmp(j, level) <= 0 && fmpz_cmp(j, horizon) <= 0; fmpz_add_ui(j, j, 1)) {
            exact_gl_ball(x, b, j, prec);
            exact_gl_ball(y, a, j, prec);
            arb_sub(x, x, y, prec);
            if (worst != NULL && arf_cmp(arb_midref(x), arb_midref(d)) > 0)
                fmpz_set(worst, j);
            arb_max(d, d, x, prec);
        }
    }
    fmpz_clear(j);
    fmpz_clear(rising);
    fmpz_clear(level);
    fmpz_clear(bottom);
    fmpz_clear(top);
    arb_clear(x);
    arb_clear(y);
    arb_clear(s.low);
    arb_clear(s.high);
    arb_clear(s.x);
    arb_clear(s.y);
}

void banks_distance(arb_t d, fmpz_t worst, banks_norm norm, const fmpq_t a, const fmpq_t b,
                    const fmpz_t horizon, slong prec) {
    if (worst != NULL)
        fmpz_zero(worst);
    if (fmpq_equal(a, b))
        arb_zero(d);
    else if (norm == BANKS_SUP)
        distance_sup(d, worst, a, b, horizon, prec);
    else if (norm == BANKS_L1)
        distance_l1(d, a, b, horizon, prec);
    else
        distance_l2(d, a, b, horizon, prec);
}

void banks_uniform_error(arb_t d, banks_norm norm, const fmpq_t delta, const fmpz_t horizon,
                         slong cells, slong prec) {
    fmpq_t a, one;
    fmpz_t n;
    fmpq_init(a);
    fmpq_init(one);
    fmpz_init_set_si(n, 2 * cells);
    fmpq_one(one);
    fmpq_sub(a, one, delta);
    fmpq_div_fmpz(a, a, n);
    fmpq_sub(a, one, a);
    banks_distance(d, NULL, norm, a, one, horizon, prec);
    fmpq_clear(a);
    fmpq_clear(one);
    fmpz_clear(n);
}

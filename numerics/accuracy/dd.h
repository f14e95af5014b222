/* Double-double arithmetic: hi + lo with |lo| <= u |hi|, u = 2^-53.
 * Every operation perturbs each of its operands by at most DD_UNIT relatively and adds at most
 * DD_TINY, as derived at the end, where nothing overflows (2^996 in a factor does already); what
 * overflows becomes NaN or infinite and stays so.  "Short" factors have at most 26 bits, as
 * floats do: their products with halves of a double are exact. */
#ifndef ACCURACY_DD_H
#define ACCURACY_DD_H

#include <float.h>
#include <stdint.h>

#include "numerics/exact/flint_arb.h"

_Static_assert(FLT_EVAL_METHOD == 0, "doubles are rounded after each operation");

#define DD_UNIT 0x1p-101
#define DD_TINY 0x1p-1068

typedef struct {
    double hi, lo;
} dd;

/* a + b, exactly; |lo| <= u |hi|. */
static inline dd dd_two_sum(double a, double b) {
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

/* x = hi + lo, 26 bits each. */
static inline dd dd_split(double x) {
    double t = x * 0x1.0000002p27, high = t - (t - x);
    return (dd){high, x - high};
}

/* x f, exactly but for underflow: x in halves, f short; and x y. */
static inline dd dd_product_short(double x, dd halves, double f) {
    double p = x * f;
    return (dd){p, (halves.hi * f - p) + halves.lo * f};
}
static inline dd dd_product(double x, dd xs, double y, dd ys) {
    double p = x * y;
    return (dd){p, ((xs.hi * ys.hi - p) + xs.hi * ys.lo + xs.lo * ys.hi) + xs.lo * ys.lo};
}

/* x + y */
static inline dd dd_add_d(dd x, double y) {
    dd s = dd_two_sum(x.hi, y);
    return dd_two_sum(s.hi, s.lo + x.lo);
}
static inline dd dd_add(dd x, dd y) {
    dd s = dd_two_sum(x.hi, y.hi);
    return dd_two_sum(s.hi, s.lo + (x.lo + y.lo));
}

/* x f, f short; x y */
static inline dd dd_mul_short(dd x, double f) {
    dd p = dd_product_short(x.hi, dd_split(x.hi), f);
    return dd_two_sum(p.hi, p.lo + x.lo * f);
}
static inline dd dd_mul(dd x, dd y) {
    dd p = dd_product(x.hi, dd_split(x.hi), y.hi, dd_split(y.hi));
    return dd_two_sum(p.hi, p.lo + (x.hi * y.lo + x.lo * y.hi));
}

/* s + x f, f short; s + x y with halves of x */
static inline dd dd_add_product_short(dd s, dd x, dd halves, double f) {
    dd p = dd_product_short(x.hi, halves, f), t = dd_two_sum(s.hi, p.hi);
    return dd_two_sum(t.hi, t.lo + (s.lo + (p.lo + x.lo * f)));
}
static inline dd dd_add_product(dd s, dd x, dd halves, dd y) {
    dd p = dd_product(x.hi, halves, y.hi, dd_split(y.hi)), t = dd_two_sum(s.hi, p.hi);
    return dd_two_sum(t.hi, t.lo + (s.lo + (p.lo + (x.hi * y.lo + x.lo * y.hi))));
}

/* The midpoint of a ball of relative radius 2^-106 or less, within DD_UNIT and DD_TINY. */
static inline dd dd_from_ball(const arb_t x) {
    arf_t rest;
    arf_init(rest);
    dd y = {arf_get_d(arb_midref(x), ARF_RND_NEAR), 0};
    arf_set_d(rest, y.hi);
    arf_sub(rest, arb_midref(x), rest, ARF_PREC_EXACT, ARF_RND_DOWN);
    y.lo = arf_get_d(rest, ARF_RND_NEAR);
    arf_clear(rest);
    return y;
}

/* y := x +- radius; all of it finite. */
static inline void dd_to_ball(arb_t y, dd x, double radius) {
    arf_t low;
    mag_t r;
    arf_init(low), mag_init(r);
    arb_set_d(y, x.hi);
    arf_set_d(low, x.lo);
    arb_add_arf(y, y, low, 128);
    mag_set_d(r, radius);
    arb_add_error_mag(y, r);
    arf_clear(low), mag_clear(r);
}

/* Bounds.  u = 2^-53; factors 1 + O(u) are left out below, for which 32 u^2 = DD_UNIT over the 16
 * u^2 that are found has room.  TwoSum is exact, and its lo at most u |hi|: every result is
 * normalised by one.
 * Product x y of doubles: hi = RN(x y), and lo is the rest exactly, if no partial product
 * underflows (Dekker; Veltkamp's halves have 26 bits; a short factor needs no halves).
 * dd_add_product, s + x y, r the product's rest, |r| <= u |x y|:
 *     x.hi y.lo + x.lo y.hi: two products 2 u^2, their sum 2 u^2, x.lo y.lo is left out, u^2;
 *     c = r + that: |c| <= 3 u |x y|, rounded 3 u^2;                      so far 8 u^2 |x y|
 *     f = s.lo + c: rounded u^2 |s| + 3 u^2 |x y|;
 *     t = s.hi + hi: the rest d is exact, |d| <= u |s| + u |x y|;
 *     d + f: rounded u^2 (|s| + |x y| + |s| + 3 |x y|):          in all 15 u^2 |x y| + 3 u^2 |s|.
 * dd_add_product_short: x.lo f u^2, c 2 u^2, f u^2 |s| + 2 u^2 |x f|, the last u^2 (2 |s| + 3 |x
 * f|): 8 u^2 |x f| + 3 u^2 |s|.
 * dd_mul: 8 u^2 as in the first two lines.  dd_mul_short: 3 u^2.
 * dd_add: x.lo + y.lo: u^2 (|x| + |y|), the last u^2 (2 |x| + 2 |y|): 3 u^2 (|x| + |y|).
 * dd_add_d: u^2 (2 |x| + |y|).
 * Underflow.  A partial product that underflows is off by at most 2^-1075.  Sums never are where
 * they underflow; without it each of Dekker's sums is a double R, and RN(R + eta) is within 2
 * eta of R.  So the rest is off by at most 2^-1075 (16 + 8 + 4 + 2 + 1), each other product by
 * 2^-1075, and rounding what is so small in the later sums is a part of the 16 u^2 or of these:
 * less than 2^-1069 in all. */

#endif

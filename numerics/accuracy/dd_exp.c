/* e^x = 2^k 2^(i/256) e^r, n = 256 k + i the integer nearest to 256 x / ln 2. */
#include "numerics/accuracy/dd_exp.h"

#include <string.h>

/* The first bits of the midpoint of x, and what remains. */
static double first_bits(arb_t x, slong bits) {
    arf_t part;
    arf_init(part);
    arf_set_round(part, arb_midref(x), bits, ARF_RND_DOWN);
    double y = arf_get_d(part, ARF_RND_NEAR);
    arb_sub_arf(x, x, part, 256);
    arf_clear(part);
    return y;
}

void dd_exp_tabulate(dd_exp_table *table) {
    arb_t x;
    arb_init(x);
    for (int i = 0; i < DD_EXP_CELLS; i++) {
        arb_const_log2(x, 256);
        arb_mul_si(x, x, i, 256);
        arb_div_si(x, x, DD_EXP_CELLS, 256);
        arb_exp(x, x, 256);
        table->power[i] = dd_from_ball(x);
    }
    arb_const_log2(x, 256);
    arb_div_si(x, x, DD_EXP_CELLS, 256);
    for (int i = 0; i < 3; i++)
        table->step[i] = first_bits(x, i < 2 ? 32 : 53);
    arb_const_log2(x, 256);
    arb_ui_div(x, DD_EXP_CELLS, x, 256);
    table->per_step = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    arb_clear(x);
}

dd dd_exp(const dd_exp_table *table, dd x) {
    double n = (x.hi * table->per_step + 0x1.8p52) - 0x1.8p52; /* the nearest integer */
    int64_t whole = (int64_t)n, i = whole & (DD_EXP_CELLS - 1), k = (whole - i) / DD_EXP_CELLS;
    dd r = dd_add_d(dd_add_d(dd_add_d(x, -n * table->step[0]), -n * table->step[1]),
                    -n * table->step[2]);
    /* e^r - 1 = r + r^2 / 2 + r^3 (1/6 + ... + r^4 / 5040), the last term in double */
    double y = r.hi,
           tail = y * y * y * (1. / 6 + y * (1. / 24 + y * (1. / 120 + y * (1. / 720 + y / 5040))));
    dd half = dd_mul(r, r), e;
    half.hi /= 2, half.lo /= 2;
    e = dd_add_d(dd_add_d(dd_add(r, half), tail), 1);
    e = dd_mul(e, table->power[i]);
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return (dd){e.hi * power, e.lo * power};
}

/* Bound, u = 2^-53, for -600 <= x <= 1.  |n| < 2^17.8, so n step[0] and n step[1] are exact; what
 * the three parts leave out is below 2^-125, times n 2^-107; n step[2] rounds by 2^-107; three
 * sums of terms up to 601 by 3 DD_UNIT 2 2^9.3 < 2^-89.  So r is off by less than 2^-88, and |r| <=
 * (1/2 + 2^-33) ln 2 / 256 < 0.00136 = 2^-9.5.
 * Left out of the series: r^8 / 8! (1 + |r|) < 2^-91.
 * tail: |r|^3 / 6 (1 + |r|) < 2^-31; taking r.hi for r changes it by 3 u, products, sums and
 * constants by less than 13 u: 2^-80 in all.
 * r^2 / 2, three sums, the product and the table: 8 DD_UNIT times 1.01.
 * Together less than 2^-79 of e^r, and DD_EXP_UNIT is twice that.  The scaling by 2^k, k >= -866, is
 * exact but for an lo below 2^-1022, which is off by 2^-1075: less than 2^-200 of the result. */

#include "numerics/accuracy/ulp.h"

#include <math.h>
#include <stdlib.h>

#include "numerics/accuracy/arithmetic.h"
#include "numerics/exact/number.h"

double ulp_overflow(array_type type) {
    int bits, least, most;
    if (!arithmetic_format(type, &bits, &least, &most))
        return 0;
    /* of float64: 2^1024 - 2^970, which no double is: the largest one, which rounds to itself, is
     * below it, so that infinity serves */
    return type == ARRAY_F64 ? INFINITY : ldexp(2 - ldexp(1, -bits), most);
}

/* Exponent of the ulp. */
static int ulp_exponent(array_type type, double lower) {
    int bits, least, most, e;
    if (!arithmetic_format(type, &bits, &least, &most))
        return 0;
    if (lower == 0)
        return least - bits + 1;
    if (isinf(lower))
        return most - bits + 1;
    frexp(lower, &e);
    e = e - 1 < least ? least : e - 1 > most ? most : e - 1;
    return e - bits + 1;
}

double ulp_size(array_type type, double lower) {
    return ldexp(1, ulp_exponent(type, lower));
}

/* Whether |exact| may be at or beyond the threshold. */
static bool overflows(array_type type, const arb_t exact) {
    int bits, least, most;
    if (!arithmetic_format(type, &bits, &least, &most))
        return false;
    arf_t upper, threshold;
    arf_init(upper), arf_init(threshold);
    arb_get_abs_ubound_arf(upper, exact, 128);
    arf_set_si_2exp_si(threshold, 1, bits + 1); /* (2 - 2^-p) 2^most */
    arf_sub_ui(threshold, threshold, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_2exp_si(threshold, threshold, most - bits);
    bool beyond = arf_cmp(upper, threshold) >= 0;
    arf_clear(upper), arf_clear(threshold);
    return beyond;
}

void ulp_error(double *error, double *ulp, array_type type, double got, const arb_t exact) {
    *error = *ulp = INFINITY;
    if (isinf(got) && overflows(type, exact) &&
        (got > 0 ? !arb_is_nonpositive(exact) : !arb_is_nonnegative(exact))) {
        *error = *ulp = 0;
        return;
    }
    if (!isfinite(got))
        return;
    arb_t difference;
    arf_t size;
    arb_init(difference), arf_init(size);
    arb_get_abs_lbound_arf(size, exact, 128);
    int exponent = ulp_exponent(type, arf_get_d(size, ARF_RND_DOWN));
    arb_set_d(difference, got);
    arb_sub(difference, difference, exact, 128);
    arb_get_abs_ubound_arf(size, difference, 64);
    *error = arf_get_d(size, ARF_RND_UP);
    arf_mul_2exp_si(size, size, -exponent);
    *ulp = arf_get_d(size, ARF_RND_UP);
    arb_clear(difference), arf_clear(size);
}

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}
void ulp_sort(double *ulp, int64_t n) {
    qsort(ulp, (size_t)n, sizeof *ulp, ascending);
}
double ulp_quantile(const double *sorted, int64_t n, double share) {
    if (n == 0)
        return 0;
    int64_t i = (int64_t)ceil(share * (double)n) - 1;
    return sorted[i < 0 ? 0 : i >= n ? n - 1 : i];
}

int ulp_bin(double ulp) {
    if (!(ulp > 0x1p-32))
        return 0;
    if (isinf(ulp))
        return 63;
    int e;
    double part = frexp(ulp, &e); /* ulp = part 2^e, part in [1/2, 1) */
    int bin = (part == 0.5 ? e - 1 : e) + 32;
    return bin > 63 ? 63 : bin;
}

double ulp_relative(double x, double y) {
    if (x == y)
        return 0;
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y) || y == 0)
        return INFINITY;
    return fabs(x - y) / fabs(y);
}

bool ulp_relative_largest(double *largest, int64_t *at, const double *x, const double *y,
                          int64_t n) {
    *largest = 0, *at = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(y[i])) {
            *at = i;
            return false;
        }
        double r = ulp_relative(x[i], y[i]);
        if (r > *largest)
            *largest = r, *at = i;
    }
    return true;
}

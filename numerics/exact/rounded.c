#include "numerics/exact/rounded.h"
#include "numerics/exact/flint_arb.h"

/* MPFR rounds correctly; 53 bits and, where the result is below 2^-1022, those that a double has left:
   mpfr_subnormalize rounds once more with the ternary value, so not twice. */
static double rounded(double x, double y, int (*one)(mpfr_t, const mpfr_t, mpfr_rnd_t),
                      int (*two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t)) {
    mpfr_t a, b, r;
    mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_init2(a, 53);
    mpfr_init2(b, 53);
    mpfr_init2(r, 53);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    int ternary = one != NULL ? one(r, a, MPFR_RNDN) : two(r, a, b, MPFR_RNDN);
    mpfr_subnormalize(r, mpfr_check_range(r, ternary, MPFR_RNDN), MPFR_RNDN);
    double value = mpfr_get_d(r, MPFR_RNDN);
    mpfr_set_emin(low);
    mpfr_set_emax(high);
    mpfr_clear(a);
    mpfr_clear(b);
    mpfr_clear(r);
    return value;
}

double exact_log(double x) {
    return rounded(x, 0, mpfr_log, NULL);
}
double exact_sin(double x) {
    return rounded(x, 0, mpfr_sin, NULL);
}
double exact_cos(double x) {
    return rounded(x, 0, mpfr_cos, NULL);
}
double exact_atan2(double y, double x) {
    return rounded(y, x, NULL, mpfr_atan2);
}
double exact_hypot(double x, double y) {
    return rounded(x, y, NULL, mpfr_hypot);
}

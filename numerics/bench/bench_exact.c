#include "numerics/bench/bench.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 9 };

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t, int n) {
    qsort(t, (size_t)n, sizeof *t, ascending);
    return t[n / 2];
}

/* w_{j+1} = w_j (p+jq)/(q(j+1)): one short multiplication, one correctly rounded division. */
static void plain_loop(mpfr_t *w, ulong p, ulong q, long n) {
    mpfr_set_ui(w[0], 1, MPFR_RNDN);
    for (long j = 0; j + 1 < n; j++) {
        mpfr_mul_ui(w[j + 1], w[j], p + (ulong)j * q, MPFR_RNDN);
        mpfr_div_ui(w[j + 1], w[j + 1], q * ((ulong)j + 1), MPFR_RNDN);
    }
}

void bench_weights(void) {
    enum { COUNT = 100000, BITS = 256 };
    fmpq_t alpha;
    fmpz_t zero;
    fmpq_init(alpha);
    fmpz_init(zero);
    fmpq_set_si(alpha, 3, 10);
    arb_ptr balls = _arb_vec_init(COUNT);
    mpfr_t *numbers = malloc(COUNT * sizeof *numbers), *plain = malloc(COUNT * sizeof *plain);
    double ball_time[REPEATS], number_time[REPEATS], plain_time[REPEATS];
    for (long i = 0; i < COUNT; i++) {
        mpfr_init2(numbers[i], BITS);
        mpfr_init2(plain[i], BITS);
    }
    for (int r = -1; r < REPEATS; r++) { /* the first round warms up */
        double t0 = seconds_now();
        plain_loop(plain, 3, 10, COUNT);
        double t1 = seconds_now();
        exact_gl_ball_vec(balls, alpha, zero, COUNT, BITS);
        double t2 = seconds_now();
        exact_gl_mpfr_vec(numbers[0], alpha, zero, COUNT, BITS);
        double t3 = seconds_now();
        if (r >= 0) {
            plain_time[r] = t1 - t0;
            ball_time[r] = t2 - t1;
            number_time[r] = t3 - t2;
        }
    }
    double base = median(plain_time, REPEATS) / COUNT * 1e9, ball = median(ball_time, REPEATS) / COUNT * 1e9,
           number = median(number_time, REPEATS) / COUNT * 1e9;
    printf("weights, alpha = 3/10, T = %d, %d bits, median of %d\n", COUNT, BITS, REPEATS);
    printf("  plain MPFR loop    %7.1f ns a weight\n", base);
    printf("  certified balls    %7.1f ns  ratio %.2f\n", ball, ball / base);
    printf("  MPFR, 0.5+ ulp     %7.1f ns  ratio %.2f\n", number, number / base);
    static const char *const far[] = {"1", "171", "1e8", "1e12", NULL};
    arb_t w;
    fmpz_t j;
    arb_init(w);
    fmpz_init(j);
    for (int i = 0; far[i] != NULL; i++) {
        exact_parse_integer(j, far[i]);
        double t0 = seconds_now();
        exact_gl_ball(w, alpha, j, BITS);
        printf("  one weight, j = %-5s %8.1f us, %ld bits\n", far[i], (seconds_now() - t0) * 1e6,
               (long)arb_rel_accuracy_bits(w));
    }
    arb_clear(w);
    fmpz_clear(j);
    for (long i = 0; i < COUNT; i++) {
        mpfr_clear(numbers[i]);
        mpfr_clear(plain[i]);
    }
    free(numbers);
    free(plain);
    _arb_vec_clear(balls, COUNT);
    fmpq_clear(alpha);
    fmpz_clear(zero);
}

void bench_certify(void) {
    enum { TERMS = 40, RUNS = 3 };
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpz_init(horizon);
    fmpq_set_si(alpha, 1, 2);
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    printf("certify, %d terms, alpha = 1/2, relative error, median of %d\n", TERMS, RUNS);
    printf("  %-6s %10s %8s %8s %12s %12s\n", "T", "ms", "cells", "points", "sup", "width");
    for (ulong digits = 3; digits <= 18; digits += 3) {
        double time[RUNS];
        fmpz_ui_pow_ui(horizon, 10, digits);
        soe_design_terms(sum, &design, SOE_LEGENDRE, alpha, horizon, SOE_RELATIVE, TERMS, 192);
        for (int r = 0; r < RUNS; r++) {
            double t0 = seconds_now();
            soe_certify(bound, kernel, sum, horizon, SOE_RELATIVE, 0, 1e-3, 128);
            time[r] = seconds_now() - t0;
        }
        double low = arf_get_d(bound->lower, ARF_RND_NEAR), high = arf_get_d(bound->upper, ARF_RND_NEAR);
        printf("  1e%-4lu %10.2f %8ld %8ld %12.4e %12.2e\n", (unsigned long)digits,
               median(time, RUNS) * 1e3, (long)bound->cells, (long)bound->points, high, high / low - 1);
    }
    soe_kernel_clear(kernel);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
}

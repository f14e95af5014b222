#include "numerics/bench/bench.h"
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"
#include "numerics/exact/soe_minimax.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { REPEATS = 9 };

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
        double t0 = bench_seconds();
        plain_loop(plain, 3, 10, COUNT);
        double t1 = bench_seconds();
        exact_gl_ball_vec(balls, alpha, zero, COUNT, BITS);
        double t2 = bench_seconds();
        exact_gl_mpfr_vec(numbers[0], alpha, zero, COUNT, BITS);
        double t3 = bench_seconds();
        if (r >= 0) {
            plain_time[r] = t1 - t0;
            ball_time[r] = t2 - t1;
            number_time[r] = t3 - t2;
        }
    }
    double base = bench_median(plain_time, REPEATS) / COUNT * 1e9,
           ball = bench_median(ball_time, REPEATS) / COUNT * 1e9,
           number = bench_median(number_time, REPEATS) / COUNT * 1e9;
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
        double t0 = bench_seconds();
        exact_gl_ball(w, alpha, j, BITS);
        printf("  one weight, j = %-5s %8.1f us, %ld bits\n", far[i], (bench_seconds() - t0) * 1e6,
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
            double t0 = bench_seconds();
            soe_certify(bound, kernel, sum, horizon, SOE_RELATIVE, 0, 1e-3, 128);
            time[r] = bench_seconds() - t0;
        }
        double low = arf_get_d(bound->lower, ARF_RND_NEAR),
               high = arf_get_d(bound->upper, ARF_RND_NEAR);
        printf("  1e%-4lu %10.2f %8ld %8ld %12.4e %12.2e\n", (unsigned long)digits,
               bench_median(time, RUNS) * 1e3, (long)bound->cells, (long)bound->points, high,
               high / low - 1);
    }
    soe_kernel_clear(kernel);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
}

/* Both certificates of a sum; returns seconds. */
static double both_certificates(const soe_minimax_t m, const soe_kernel_t kernel,
                                const fmpz_t horizon, soe_error error, double *gap) {
    soe_bound_t bound;
    arf_t lower;
    soe_bound_init(bound);
    arf_init(lower);
    double t0 = bench_seconds();
    soe_certify(bound, kernel, m->sum, horizon, error, 1, 1e-3, 128);
    soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, error, 512);
    double t = bench_seconds() - t0;
    *gap = arf_get_d(bound->upper, ARF_RND_UP) / arf_get_d(lower, ARF_RND_DOWN) - 1;
    soe_bound_clear(bound);
    arf_clear(lower);
    return t;
}

void bench_soe(void) {
    fmpq_t alpha;
    fmpz_t horizon;
    soe_kernel_t kernel;
    soe_minimax_t m, fewer;
    arf_t target;
    double gap;
    struct rusage usage;
    fmpq_init(alpha);
    fmpz_init(horizon);
    fmpq_set_si(alpha, 1, 2);
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_minimax_init(m);
    soe_minimax_init(fewer);
    arf_init(target);
    arf_set_d(target, 1e-10);
    exact_parse_integer(horizon, "1e6");
    double t0 = bench_seconds();
    soe_minimax_error(m, fewer, kernel, horizon, SOE_ABSOLUTE, target, 1e-3, NULL);
    double t1 = bench_seconds(),
           certificates = both_certificates(m, kernel, horizon, SOE_ABSOLUTE, &gap);
    printf("best sums, alpha = 1/2, one core\n");
    printf(
        "  fewest terms for 10^-10, T = 10^6: %ld terms, %.2f s, certificates %.3f s, gap %.1e\n",
        (long)m->sum->terms, t1 - t0, certificates, gap);
    exact_parse_integer(horizon, "1e9");
    printf("  T = 10^9, relative error\n  %4s %9s %12s %12s %9s\n", "S", "s", "error", "s/S^3",
           "gap");
    for (slong terms = 10; terms <= 80; terms *= 2) {
        t0 = bench_seconds();
        soe_minimax(m, kernel, horizon, SOE_RELATIVE, terms, 1e-3, NULL, NULL);
        t1 = bench_seconds();
        both_certificates(m, kernel, horizon, SOE_RELATIVE, &gap);
        printf("  %4ld %9.2f %12.3e %12.2e %9.1e\n", (long)terms, t1 - t0,
               arf_get_d(m->level, ARF_RND_NEAR),
               (t1 - t0) / ((double)terms * (double)terms * (double)terms), gap);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("  largest memory %.0f MiB\n", (double)usage.ru_maxrss / 1024);
    soe_kernel_clear(kernel);
    soe_minimax_clear(m);
    soe_minimax_clear(fewer);
    arf_clear(target);
    fmpq_clear(alpha);
    fmpz_clear(horizon);
}

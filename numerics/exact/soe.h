/* Sums of exponentials, their construction for the Gruenwald-Letnikov weights, and certified bounds
   of their error.  All of VORT's Theorem 3.1 is said in these terms. */
#ifndef EXACT_SOE_H
#define EXACT_SOE_H

#include "numerics/exact/flint_arb.h"

/* What is approximated. */
typedef enum {
    SOE_KERNEL_GL,   /* w_j(order) at integers, 0 < order <= 1 */
    SOE_KERNEL_POWER /* t^(-order) at real t >= 1, 0 < order */
} soe_kernel_kind;

typedef struct {
    soe_kernel_kind kind;
    fmpq_t order;
} soe_kernel_struct;
typedef soe_kernel_struct soe_kernel_t[1];

/* sum_s weight_s x_s^t with exact numbers; mode_s is the rate lambda_s >= 0 (x_s = e^-lambda_s) or
   the node x_s in (0,1]. */
typedef enum { SOE_RATE, SOE_NODE } soe_form;

typedef struct {
    slong terms;
    soe_form form;
    fmpq *weight, *mode; /* [terms] */
} soe_sum_struct;
typedef soe_sum_struct soe_sum_t[1];

void soe_kernel_init(soe_kernel_t kernel, soe_kernel_kind kind, const fmpq_t order);
void soe_kernel_clear(soe_kernel_t kernel);
void soe_sum_init(soe_sum_t sum, slong terms, soe_form form); /* zeros */
void soe_sum_clear(soe_sum_t sum);
void soe_sum_set(soe_sum_t to, const soe_sum_t from);

typedef enum { SOE_ABSOLUTE, SOE_RELATIVE } soe_error;

typedef enum {
    SOE_OK,
    SOE_BAD_ARGUMENT, /* outside the documented ranges */
    SOE_WIDE,         /* valid bounds, but not as close together as asked */
    SOE_UNREACHABLE   /* no number of terms up to SOE_MAX_TERMS reaches the error */
} soe_status;

/* Upper limits of what the functions here accept. */
#define SOE_MAX_TERMS 400
#define SOE_MAX_HORIZON_DIGITS 18 /* T <= 10^18 */

/* ---- values ---- */

/* value := K(t) for the kernel, t > 0 an exact integer (GL) or an exact dyadic (power). */
void soe_kernel_value(arb_t value, const soe_kernel_t kernel, const arf_t t, slong prec);
/* value := sum_s weight_s x_s^t, t >= 0 an exact dyadic number. */
void soe_sum_value(arb_t value, const soe_sum_t sum, const arf_t t, slong prec);

/* ---- certification ---- */

typedef struct {
    arf_t lower, upper; /* sup |error| over the domain lies in [lower, upper] */
    arf_t at;           /* a point of the domain where |error| >= lower */
    arf_t beyond_lower,
        beyond_upper;          /* the same for everything beyond the horizon; +inf possible */
    slong cells, points, prec; /* work done: Taylor cells, single evaluations, precision used */
} soe_bound_struct;
typedef soe_bound_struct soe_bound_t[1];

void soe_bound_init(soe_bound_t bound);
void soe_bound_clear(soe_bound_t bound);

/* Whether the certified upper bound is finite and <= target. */
int soe_bound_meets(const soe_bound_t bound, const fmpq_t target);

/* Certified supremum of |K - sum| (ABSOLUTE) or |K - sum|/K (RELATIVE) over every integer of
   [1,horizon] (GL) or every real of [1,horizon] (power), and, if beyond is not 0, over everything
   past the horizon.

   Small integers are taken one by one.  After that t = t_c e^delta, |delta| <= 1/16, and the error
   (for RELATIVE times t^beta) is its Taylor polynomial in delta with balls as coefficients; with
   |delta| = 1 each mode obeys |e^(-lambda t)| <= e^(-lambda t_c cos(1)/e) and, being a Laplace
   transform of a positive measure, |w(t)| <= w(t_c cos(1)/e), so the tail after M coefficients is at
   most B 16^-M/(1-1/16) (Cauchy).  The polynomial is bounded on halving intervals by
   |P(m)| + |P'(m)| r + max|P''| r^2/2 until the bound is within the wanted width of a value actually
   attained.  The work grows with log(horizon).

   width: wanted (upper-lower)/lower, 0 < width < 1.  prec: starting precision, taken into [64, 8192] and
   doubled as needed.
   Returns OK, WIDE (bounds valid all the same; upper may be +inf) or BAD_ARGUMENT (a rate below 0, a node outside
   (0,1], order or horizon out of range). */
soe_status soe_certify(soe_bound_t bound, const soe_kernel_t kernel, const soe_sum_t sum,
                       const fmpz_t horizon, soe_error error, int beyond, double width, slong prec);

/* An upper bound of sum_{k>=terms} |a_k| radius^k for a function bounded by bound on |delta| <= 1:
   bound radius^terms / (1-radius), 0 < radius < 1 (Cauchy's estimate).  Rounded up. */
void soe_taylor_tail_upper(arb_t tail, const arb_t bound, double radius, slong terms, slong prec);

/* ---- construction for the GL weights, 0 < alpha <= 1 (alpha = 1: the single mode x = 1) ---- */

typedef enum {
    SOE_SINC,      /* trapezoid in v = ln(e^lambda - 1) */
    SOE_TRAPEZOID, /* trapezoid in u = ln lambda */
    SOE_LEGENDRE,  /* Gauss-Legendre in u = ln lambda on a truncated interval (the paper's) */
    SOE_LAGUERRE,  /* generalised Gauss-Laguerre in lambda, weight lambda^-alpha e^-lambda */
    SOE_JACOBI     /* Gauss-Jacobi in x for x dmu: exact at j = 1 .. 2 terms */
} soe_method;
#define SOE_METHODS 5

const char *soe_method_name(soe_method method);
int soe_method_from_name(soe_method *method, const char *name); /* 1 if name is one of them */

/* sum := the method's sum with rule points on [low, high] in its own variable (u or v); the
   trapezoid methods put their first and last point at the ends.  Numbers are rounded to prec bits
   and from then on exact.  Only for the three methods with an interval. */
soe_status soe_from_interval(soe_sum_t sum, soe_method method, const fmpq_t alpha, slong terms,
                             double low, double high, slong prec);

/* The same with the points and weights of the rule on [0,1] given, as soe_interval_rule computes them:
   for trying many intervals with one number of terms.  Only SOE_LEGENDRE uses them. */
soe_status soe_interval_rule(arb_ptr node, arb_ptr omega, soe_method method, slong terms,
                             slong prec);
soe_status soe_from_interval_rule(soe_sum_t sum, soe_method method, const fmpq_t alpha, slong terms,
                                  double low, double high, arb_srcptr node, arb_srcptr omega,
                                  slong prec);

/* sum := the Laguerre or Jacobi rule, which have no interval to choose. */
soe_status soe_from_gauss(soe_sum_t sum, soe_method method, const fmpq_t alpha, slong terms,
                          slong prec);

typedef struct {
    double low, high; /* interval used; 0, 0 for methods without one */
} soe_design;

/* sum := the method with this many terms for the integers of [1,horizon]; where there is an
   interval, the one that gives the least sampled error in the family of intervals that cut both
   tails at one level (a search by golden section: the best found, not a proven optimum). */
soe_status soe_design_terms(soe_sum_t sum, soe_design *design, soe_method method,
                            const fmpq_t alpha, const fmpz_t horizon, soe_error error, slong terms,
                            slong prec);

/* Number of terms at which the method's two errors, cutting and discretisation, balance at the target:
   an estimate from their laws, for the methods with an interval; SOE_MAX_TERMS + 1 where they do not. */
slong soe_expected_terms(soe_method method, const fmpq_t alpha, const fmpz_t horizon,
                         soe_error error, const fmpq_t target);

/* sum := the fewest terms found with certified error <= target, and its bound.  progress, if not
   NULL, is called with each number of terms tried; a result != 0 stops the search (WIDE). */
soe_status soe_design_error(soe_sum_t sum, soe_bound_t bound, soe_design *design, soe_method method,
                            const fmpq_t alpha, const fmpz_t horizon, soe_error error,
                            const fmpq_t target, int (*progress)(slong terms));

#endif

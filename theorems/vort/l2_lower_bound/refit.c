/* vort.l2-lower-bound: what refitting the weights, or the rates too, can and cannot do. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "theorems/vort/l2_lower_bound/l2.h"

#include <stdio.h>

static const char *const steep_orders[] = {"51/100", "3/5", "4/5", "19/20", NULL};

/* solution of the n x n system a (rows of n+1, right side last), in place; in Q. */
static void eliminate(fmpq *a, slong n) {
    fmpq_t f;
    fmpq_init(f);
    for (slong k = 0; k < n; k++) { /* positive definite or Vandermonde: pivots do not vanish */
        for (slong i = 0; i < n; i++) {
            if (i == k)
                continue;
            fmpq_div(f, a + i * (n + 1) + k, a + k * (n + 1) + k);
            for (slong l = k; l <= n; l++)
                fmpq_submul(a + i * (n + 1) + l, f, a + k * (n + 1) + l);
        }
    }
    for (slong k = 0; k < n; k++)
        fmpq_div(a + k * (n + 1) + n, a + k * (n + 1) + n, a + k * (n + 1) + k);
    fmpq_clear(f);
}

/* alpha = 3/4, T = 16, Lambda0 = ln 2: modes x_i <= 1/2 that interpolate w_1, ..., w_terms; the
   error on [1,T] is said to exceed N - C with C = 1.  terms = 16: it is 0. */
void l2_check_interpolate(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    enum { T = 16 };
    slong n = p->terms, prec = ctx->prec;
    fmpq *a = _fmpq_vec_init(n * (n + 1)), *w = _fmpq_vec_init(T + 1), *x = _fmpq_vec_init(n),
         *s = _fmpq_vec_init(4), *c = _fmpq_vec_init(n);
    fmpq *error = s, *energy = s + 1, *r = s + 2, *power = s + 3;
    arb_t left, right;
    arb_init(left);
    arb_init(right);
    vort_rational(r, "3/4");
    exact_gl_rational_vec(w, r, T + 1);
    for (slong i = 0; i < n; i++) {
        fmpq_set_si(x + i, i + 1, 2 * (ulong)n);
        for (slong j = 1; j <= n; j++) {
            fmpq_pow_si(a + (j - 1) * (n + 1) + i, x + i, j);
            fmpq_set(a + (j - 1) * (n + 1) + n, w + j);
        }
    }
    eliminate(a, n);
    for (slong i = 0; i < n; i++)
        fmpq_set(c + i, a + i * (n + 1) + n);
    for (slong j = 1; j <= T; j++) {
        fmpq_addmul(energy, w + j, w + j);
        fmpq_set(r, w + j);
        for (slong i = 0; i < n; i++) {
            fmpq_pow_si(power, x + i, j);
            fmpq_submul(r, c + i, power);
        }
        fmpq_addmul(error, r, r);
    }
    arb_set_fmpq(left, error, prec);
    arb_sqrt(left, left, prec);
    arb_set_fmpq(right, energy, prec);
    arb_sqrt(right, right, prec);
    arb_sub_ui(right, right, 1, prec);
    truth t =
        claim_decide_arb(ctx, "|w - mixture| >= N - C, C = 1 for every mixture of rates >= ln 2",
                         left, RELATION_GE, right);
    if (t == TRUTH_FAILS) {
        fmpz_t j;
        enclosure_t zero;
        fmpz_init_set_ui(j, T);
        enclosure_init(zero);
        witness_struct *witness =
            claim_witness(ctx, "vort.l2-lower-bound.interpolation", "soe-error-at");
        vort_rational(r, "3/4");
        witness_add(witness, "alpha", r, 1);
        witness_add_integer(witness, "j", j);
        witness_add(witness, "weights", c, n);
        witness_add(witness, "nodes", x, n);
        witness_conclude(witness, zero, RELATION_EQ, zero, 64);
        fmpz_clear(j);
        enclosure_clear(zero);
    }
    arb_clear(left);
    arb_clear(right);
    _fmpq_vec_clear(a, n * (n + 1));
    _fmpq_vec_clear(w, T + 1);
    _fmpq_vec_clear(x, n);
    _fmpq_vec_clear(c, n);
    _fmpq_vec_clear(s, 4);
}

/* Three fixed nodes.  In Q, T = 24: weights from the normal equations, residual orthogonal to every
   mode, its square = the last pivot of the augmented Gram matrix.  In balls, T = 10^4: distance^2
   >= N^2 - |b|^2 tr(G_64^-1), b_s = (1-x_s)^-alpha - 1. */
void l2_check_refit(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    enum { M = 3, T = 24, FAR = 10000 };
    slong prec = ctx->prec;
    fmpq *x = _fmpq_vec_init(M), *w = _fmpq_vec_init(T + 1), *a = _fmpq_vec_init(M * (M + 1)),
         *s = _fmpq_vec_init(5);
    fmpq *alpha = s, *power = s + 1, *error = s + 2, *product = s + 3, *zero = s + 4;
    arb_ptr t = _arb_vec_init(6);
    arb_ptr d = t, energy = t + 1, bound = t + 2, y = t + 3, b = t + 4, factor = t + 5;
    for (slong i = 0; i < M; i++)
        fmpq_set_si(x + i, (2L << i) - 1, 2UL << i); /* 1/2, 3/4, 7/8: (2^(i+1)-1)/2^(i+1) */
    vort_rational(alpha, p->factor);
    arb_set_fmpq(factor, alpha, prec);
    for (int n = 0; steep_orders[n] != NULL; n++) {
        vort_rational(alpha, steep_orders[n]);
        exact_gl_rational_vec(w, alpha, T + 1);
        for (slong i = 0; i < M; i++) {
            for (slong k = 0; k <= M; k++)
                fmpq_zero(a + i * (M + 1) + k);
            for (slong j = 1; j <= T; j++) {
                for (slong k = 0; k < M; k++) {
                    fmpq_mul(product, x + i, x + k);
                    fmpq_pow_si(power, product, j);
                    fmpq_add(a + i * (M + 1) + k, a + i * (M + 1) + k, power);
                }
                fmpq_pow_si(power, x + i, j);
                fmpq_addmul(a + i * (M + 1) + M, power, w + j);
            }
        }
        eliminate(a, M);
        fmpq_zero(error);
        for (slong i = -1; i < M; i++) {
            fmpq_zero(product);
            for (slong j = 1; j <= T; j++) {
                fmpq *r = w; /* w_0 is not used: room for the residual */
                fmpq_set(r, w + j);
                for (slong k = 0; k < M; k++) {
                    fmpq_pow_si(power, x + k, j);
                    fmpq_submul(r, a + k * (M + 1) + M, power);
                }
                if (i < 0) {
                    fmpq_addmul(error, r, r);
                } else {
                    fmpq_pow_si(power, x + i, j);
                    fmpq_addmul(product, r, power);
                }
            }
            if (i >= 0)
                claim_decide_fmpq(ctx, "residual orthogonal to each mode", product, RELATION_EQ,
                                  zero);
        }
        l2_distance(d, alpha, x, M, T);
        arb_set_fmpq(y, error, prec);
        claim_two_paths(ctx, "its square = last pivot of the augmented Gram matrix", y, d, 20);
        /* tr(G^-1) = sum over i of 1/distance^2 of mode i from the others, here by solving for unit
           vectors */
        arb_zero(bound);
        arb_zero(b);
        for (slong i = 0; i < M; i++) {
            for (slong r = 0; r < M; r++) {
                for (slong k = 0; k < M; k++) { /* G over 64 lags, in Q */
                    fmpq_mul(product, x + r, x + k);
                    fmpq_pow_si(power, product, 65);
                    fmpq_sub(power, product, power);
                    vort_one_minus(product, product);
                    fmpq_div(a + r * (M + 1) + k, power, product);
                }
                fmpq_set_si(a + r * (M + 1) + M, r == i, 1);
            }
            eliminate(a, M);
            arb_set_fmpq(y, a + i * (M + 1) + M, prec);
            arb_add(bound, bound, y, prec);
            vort_one_minus(product, x + i);
            fmpq_inv(product, product);
            arb_set_fmpq(y, product, prec);
            arb_pow_fmpq(y, y, alpha, prec);
            arb_sub_ui(y, y, 1, prec);
            arb_addmul(b, y, y, prec);
        }
        arb_mul(bound, bound, b, prec);
        l2_distance(d, alpha, x, M, FAR);
        arb_ptr projection = _arb_vec_init(M);
        l2_projections(energy, projection, alpha, x, M, FAR, prec);
        _arb_vec_clear(projection, M);
        arb_sub(energy, energy, d, prec); /* what the modes explain */
        arb_mul(bound, bound, factor, prec);
        claim_decide_arb(ctx, "N^2 - distance^2 <= |b|^2 tr(G^-1), whatever T", energy, RELATION_LE,
                         bound);
        if (n == 2) {
            claim_number_arb(ctx, "N^2 - distance^2, alpha = 4/5, T = 10^4", "1", energy);
            claim_number_arb(ctx, "|b|^2 tr(G^-1), its bound for every T", "1", bound);
        }
    }
    _fmpq_vec_clear(x, M);
    _fmpq_vec_clear(w, T + 1);
    _fmpq_vec_clear(a, M * (M + 1));
    _fmpq_vec_clear(s, 5);
    _arb_vec_clear(t, 6);
}

/* ---- rates refit too ---- */

enum { MOST = 6 };

/* out := [(shift+i+k)^-beta], i, k < n */
static void power_hankel(arb_ptr out, const fmpq_t shift, const fmpq_t beta, slong n, slong prec) {
    arb_t x;
    fmpq_t q, at;
    fmpz_t l;
    arb_init(x);
    fmpq_init(q);
    fmpq_init(at);
    fmpz_init(l);
    fmpq_neg(q, beta);
    for (slong i = 0; i < n; i++)
        for (slong k = 0; k < n; k++) {
            fmpz_set_si(l, i + k);
            fmpq_add_fmpz(at, shift, l);
            arb_set_fmpq(x, at, prec);
            arb_pow_fmpq(out + i * n + k, x, q, prec);
        }
    arb_clear(x);
    fmpq_clear(q);
    fmpq_clear(at);
    fmpz_clear(l);
}

/* least := the smallest pivot of elimination without exchange, which is > 0 iff a symmetric matrix
   is positive definite; a is overwritten. */
static void least_pivot(arb_t least, arb_ptr a, slong n, slong prec) {
    arb_t f;
    arb_init(f);
    for (slong k = 0; k < n; k++) {
        if (k == 0)
            arb_set(least, a);
        else
            arb_min(least, least, a + k * n + k, prec);
        for (slong i = k + 1; i < n; i++) {
            arb_div(f, a + i * n + k, a + k * n + k, prec);
            for (slong l = k; l < n; l++)
                arb_submul(a + i * n + l, f, a + k * n + l, prec);
        }
    }
    arb_clear(f);
}

/* low := 1/tr(K^-1) <= least eigenvalue of the positive definite n x n matrix K. */
static void least_eigenvalue_lower(arb_t low, arb_srcptr K, slong n, slong prec) {
    arb_ptr a = _arb_vec_init(n * 2 * n);
    arb_t f;
    arb_init(f);
    for (slong i = 0; i < n; i++)
        for (slong k = 0; k < n; k++) {
            arb_set(a + i * 2 * n + k, K + i * n + k);
            arb_set_si(a + i * 2 * n + n + k, i == k);
        }
    for (slong k = 0; k < n; k++)
        for (slong i = 0; i < n; i++) {
            if (i == k)
                continue;
            arb_div(f, a + i * 2 * n + k, a + k * 2 * n + k, prec);
            for (slong l = k; l < 2 * n; l++)
                arb_submul(a + i * 2 * n + l, f, a + k * 2 * n + l, prec);
        }
    arb_zero(low);
    for (slong k = 0; k < n; k++) {
        arb_div(f, a + k * 2 * n + n + k, a + k * 2 * n + k, prec);
        arb_add(low, low, f, prec);
    }
    arb_inv(low, low, prec);
    arb_clear(f);
    _arb_vec_clear(a, n * 2 * n);
}

/* e := lambda/(Gamma(alpha) (M+1)^(1/2)), so that error^2 >= floor(T/(2M+1))^(2 alpha-1) e^2; size:
   of the matrix (M+1; the control takes M). */
static void any_rates_constant(arb_t e, arb_t lambda, const fmpq_t alpha, slong M, slong size,
                               slong prec) {
    arb_ptr K = _arb_vec_init(size * size);
    fmpq_t beta, two;
    arb_t g;
    fmpq_init(beta);
    fmpq_init(two);
    arb_init(g);
    fmpq_set_si(two, 2, 1);
    vort_one_minus(beta, alpha);
    power_hankel(K, two, beta, size, prec);
    least_eigenvalue_lower(lambda, K, size, prec);
    arb_gamma_fmpq(g, alpha, prec);
    arb_div(e, lambda, g, prec);
    arb_sqrt_ui(g, (ulong)M + 1, prec);
    arb_div(e, e, g, prec);
    fmpq_clear(beta);
    fmpq_clear(two);
    arb_clear(g);
    _arb_vec_clear(K, size * size);
}

/* The two matrix inequalities at drawn a <= n, and the bound against the best error that a search
   over rates found; terms: added to the size of the matrix (0). */
void l2_check_any_rates(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    slong prec = 4 * ctx->prec;
    exact_random r = {ctx->seed};
    fmpq *s = _fmpq_vec_init(4);
    arb_ptr t = _arb_vec_init(7), W = _arb_vec_init((MOST + 1) * (MOST + 1)),
            V = _arb_vec_init((MOST + 1) * (MOST + 1));
    arb_ptr e = t, lambda = t + 1, zero = t + 2, best = t + 3, d = t + 4, g = t + 5, x = t + 6;
    fmpz_t j;
    fmpz_init(j);
    for (int n = 0; steep_orders[n] != NULL; n++)
        for (slong M = 1; M <= MOST - 1; M++) {
            slong size = M + 1;
            vort_rational(s, steep_orders[n]);
            vort_one_minus(s + 1, s);
            any_rates_constant(e, lambda, s, M, size + p->terms, prec);
            slong step = exact_random_integer(&r, 1, 40), a = exact_random_integer(&r, 1, step);
            fmpq_set_si(s + 2, a, 1); /* (a+alpha)/n */
            fmpq_add(s + 2, s + 2, s);
            fmpz_set_si(j, step);
            fmpq_div_fmpz(s + 2, s + 2, j);
            power_hankel(V, s + 2, s + 1, size, prec);
            arb_set_si(x, step);
            fmpq_neg(s + 3, s + 1);
            arb_pow_fmpq(x, x, s + 3, prec);
            arb_gamma_fmpq(g, s, prec);
            arb_div(x, x, g, prec); /* n^-beta/Gamma(alpha) */
            for (slong i = 0; i < size; i++)
                for (slong k = 0; k < size; k++) {
                    fmpz_set_si(j, a + step * (i + k));
                    exact_gl_ball(W + i * size + k, s, j, prec);
                    arb_submul(W + i * size + k, x, V + i * size + k, prec);
                }
            least_pivot(d, W, size, prec);
            claim_decide_arb(ctx, "[w_{a+n(i+k)}] > n^-beta/Gamma [((a+alpha)/n+i+k)^-beta]", d,
                             RELATION_GT, zero);
            for (slong i = 0; i < size; i++)
                arb_sub(V + i * size + i, V + i * size + i, lambda, prec);
            least_pivot(d, V, size, prec);
            claim_decide_arb(ctx, "[((a+alpha)/n+i+k)^-beta] > lambda", d, RELATION_GT, zero);
            if (n == 2 && p->terms == 0) {
                char name[64];
                snprintf(name, sizeof name, "e, alpha = 4/5, %ld modes", (long)M);
                claim_number_arb(ctx, name, "1", e);
            }
            if (M > 3)
                continue;
            mixture m;
            mixture_init(&m, M);
            arb_pos_inf(best);
            for (slong span = 16; span <= 8192; span *= 2) {
                mixture_nodes(&m, span);
                l2_distance(d, s, m.x, M, 512);
                arb_min(best, best, d, prec);
            }
            arb_set_si(x, 512 / (2 * M + 1));
            fmpq_add(s + 3, s, s);
            vort_one_minus(s + 3, s + 3);
            fmpq_neg(s + 3, s + 3);
            arb_pow_fmpq(x, x, s + 3, prec);
            arb_mul(e, e, e, prec);
            arb_mul(x, x, e, prec);
            claim_decide_arb(ctx, "the bound <= the best error^2 found, T = 512", x, RELATION_LE,
                             best);
            mixture_clear(&m);
        }
    fmpz_clear(j);
    _fmpq_vec_clear(s, 4);
    _arb_vec_clear(t, 7);
    _arb_vec_clear(W, (MOST + 1) * (MOST + 1));
    _arb_vec_clear(V, (MOST + 1) * (MOST + 1));
}

/* alpha = 1: w_j = 1 = 1^j, one mode of rate 0, on every lag. */
void l2_check_unit_order(check_context *ctx, const void *parameter) {
    const l2_parameter *p = parameter;
    enum { T = 64, SCRATCH = 3 };
    fmpq *w = _fmpq_vec_init(T + 1), *s = _fmpq_vec_init(SCRATCH);
    vort_rational(s, p->order);
    exact_gl_rational_vec(w, s, T + 1);
    fmpq_one(s + 1);
    for (slong j = 1; j <= T; j++) {
        fmpq_sub(w + j, w + j, s + 1);
        fmpq_addmul(s + 2, w + j, w + j);
    }
    fmpq_zero(s);
    claim_decide_fmpq(ctx, "error of the single mode x = 1", s + 2, RELATION_EQ, s);
    _fmpq_vec_clear(w, T + 1);
    _fmpq_vec_clear(s, SCRATCH);
}

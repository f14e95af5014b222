/* vort.plasticity: the loss, its Polyak-Lojasiewicz constant and its smoothness. */
#include "numerics/exact/gl.h"
#include "numerics/exact/gl_order.h"
#include "numerics/exact/number.h"
#include "theorems/vort/plasticity/plasticity.h"

void jet_init(weight_jet *jet, slong lags) {
    jet->lags = lags;
    jet->w = _arb_vec_init(lags + 1);
    jet->first = _arb_vec_init(lags + 1);
    jet->second = _arb_vec_init(lags + 1);
}

void jet_clear(weight_jet *jet) {
    _arb_vec_clear(jet->w, jet->lags + 1);
    _arb_vec_clear(jet->first, jet->lags + 1);
    _arb_vec_clear(jet->second, jet->lags + 1);
}

void jet_weights(weight_jet *jet, const fmpq_t alpha, slong prec) {
    arb_t x;
    arb_init(x);
    arb_set_fmpq(x, alpha, prec);
    exact_gl_order_vec(jet->w, jet->first, jet->second, x, jet->lags + 1, prec);
    arb_clear(x);
}

void loss(arb_t f, arb_t slope, arb_t bend, const weight_jet *at, const weight_jet *star,
          int quartic, slong prec) {
    arb_t r, x, y;
    arb_init(r);
    arb_init(x);
    arb_init(y);
    arb_zero(f);
    arb_zero(slope);
    arb_zero(bend);
    for (slong j = 1; j <= at->lags; j++) {
        arb_sub(r, at->w + j, star->w + j, prec);
        arb_mul(x, at->first + j, at->first + j, prec);
        if (quartic) { /* r^4/4: r^3 w', 3 r^2 w'^2 + r^3 w'' */
            arb_mul(y, r, r, prec);
            arb_mul(x, x, y, prec);
            arb_addmul_ui(bend, x, 3, prec);
            arb_mul(x, y, y, prec);
            arb_mul_2exp_si(x, x, -1);
            arb_mul(r, r, y, prec);
        } else {
            arb_add(bend, bend, x, prec);
            arb_mul(x, r, r, prec);
        }
        arb_addmul(slope, r, at->first + j, prec);
        arb_addmul(bend, r, at->second + j, prec);
        arb_add(f, f, x, prec);
    }
    arb_mul_2exp_si(f, f, -1);
    arb_clear(r);
    arb_clear(x);
    arb_clear(y);
}

void polyak(arb_t mu, const weight_jet *at, const weight_jet *star, int below, int power,
            slong prec) {
    const weight_jet *squared = below ? at : star;
    arb_t gamma, x;
    arb_init(gamma);
    arb_init(x);
    arb_zero(mu);
    arb_one(gamma);
    for (slong j = 1; j <= at->lags; j++) {
        arb_addmul(mu, squared->first + j, squared->first + j, prec);
        arb_div(x, at->first + j, star->first + j, prec);
        arb_min(gamma, gamma, x, prec);
    }
    if (below && power)
        arb_mul(mu, mu, gamma, prec);
    arb_clear(gamma);
    arb_clear(x);
}

static const char *const stars[] = {"7/20", "4/5", "1", NULL};
static const char *const starts[] = {"1/20", "1/5",   "1/3",  "2/5", "3/5",
                                     "3/4",  "41/50", "9/10", "1",   NULL};

/* f and f' in Q, the weights and their slopes by recurrences of their own. */
static void loss_rational(fmpq_t f, fmpq_t slope, const fmpq_t alpha, const fmpq_t star, slong T) {
    fmpq *w = _fmpq_vec_init(T + 1), *first = _fmpq_vec_init(T + 1),
         *target = _fmpq_vec_init(T + 1);
    fmpq_t half;
    fmpq_init(half);
    fmpq_set_si(half, 1, 2);
    exact_gl_order_rational_vec(w, first, alpha, T + 1);
    exact_gl_rational_vec(target, star, T + 1);
    fmpq_zero(f);
    fmpq_zero(slope);
    for (slong j = 1; j <= T; j++) {
        fmpq_sub(w + j, w + j, target + j);
        fmpq_addmul(f, w + j, w + j);
        fmpq_addmul(slope, w + j, first + j);
    }
    fmpq_mul(f, f, half);
    fmpq_clear(half);
    _fmpq_vec_clear(w, T + 1);
    _fmpq_vec_clear(first, T + 1);
    _fmpq_vec_clear(target, T + 1);
}

/* 1/2 f'^2 >= mu f at orders on both sides of alpha*, T = 8, 64, 512; f and f' also in Q (T =
   8). */
void plasticity_check_inequality(check_context *ctx, const void *parameter) {
    const plasticity_parameter *p = parameter;
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(4);
    arb_ptr t = _arb_vec_init(5);
    arb_ptr f = t, slope = t + 1, bend = t + 2, mu = t + 3, x = t + 4;
    for (slong T = 8; T <= 512; T *= 8)
        for (int a = 0; stars[a] != NULL; a++) {
            weight_jet star, at;
            jet_init(&star, T);
            jet_init(&at, T);
            vort_rational(s, stars[a]);
            jet_weights(&star, s, prec);
            for (int b = 0; starts[b] != NULL; b++) {
                vort_rational(s + 1, starts[b]);
                int below = fmpq_cmp(s + 1, s) < 0;
                if (fmpq_equal(s, s + 1))
                    continue;
                jet_weights(&at, s + 1, prec);
                loss(f, slope, bend, &at, &star, p->quartic, prec);
                if (T == 8 && !p->quartic) {
                    loss_rational(s + 2, s + 3, s + 1, s, T);
                    arb_set_fmpq(x, s + 2, prec);
                    claim_two_paths(ctx, "f in balls = f in Q", f, x, 50);
                    arb_set_fmpq(x, s + 3, prec);
                    claim_two_paths(ctx, "f' in balls = f' in Q", slope, x, 50);
                }
                polyak(mu, &at, &star, below, p->gamma, prec);
                arb_mul(x, slope, slope, prec);
                arb_mul_2exp_si(x, x, -1);
                arb_mul(f, f, mu, prec);
                claim_decide_arb(ctx, "f'^2/2 >= mu f", x, RELATION_GE, f);
            }
            jet_clear(&star);
            jet_clear(&at);
        }
    _fmpq_vec_clear(s, 4);
    _arb_vec_clear(t, 5);
}

/* out := L = sum H_j^2 + sum (1-w_j(alpha*)) (H_j^2 - H_j^(2)), j <= T, by harmonic numbers in
   balls. */
static void smoothness(arb_t out, const fmpq_t star, slong T, slong prec) {
    arb_t h, h2, x, y;
    fmpz_t j;
    arb_init(h);
    arb_init(h2);
    arb_init(x);
    arb_init(y);
    fmpz_init(j);
    arb_zero(out);
    for (slong i = 1; i <= T; i++) {
        arb_one(x);
        arb_div_si(x, x, i, prec);
        arb_add(h, h, x, prec);
        arb_addmul(h2, x, x, prec);
        fmpz_set_si(j, i);
        exact_gl_ball(y, star, j, prec);
        arb_sub_ui(y, y, 1, prec);
        arb_mul(x, h, h, prec);
        arb_add(out, out, x, prec);
        arb_sub(x, x, h2, prec);
        arb_submul(out, y, x, prec);
    }
    arb_clear(h);
    arb_clear(h2);
    arb_clear(x);
    arb_clear(y);
    fmpz_clear(j);
}

/* |f''| <= L on [delta,1], with equality at 1; and log-concavity w w'' <= w'^2, which the lower
   side needs. */
void plasticity_check_smooth(check_context *ctx, const void *parameter) {
    const plasticity_parameter *p = parameter;
    slong prec = ctx->prec;
    fmpq *s = _fmpq_vec_init(3);
    arb_ptr t = _arb_vec_init(6);
    arb_ptr f = t, slope = t + 1, bend = t + 2, L = t + 3, x = t + 4, y = t + 5;
    vort_rational(s + 2, p->smooth);
    for (slong T = 8; T <= 512; T *= 8)
        for (int a = 0; stars[a] != NULL; a++) {
            weight_jet star, at;
            jet_init(&star, T);
            jet_init(&at, T);
            vort_rational(s, stars[a]);
            jet_weights(&star, s, prec);
            smoothness(L, s, T, prec);
            arb_set_fmpq(x, s + 2, prec);
            arb_mul(L, L, x, prec);
            for (int b = 0; starts[b] != NULL; b++) {
                vort_rational(s + 1, starts[b]);
                jet_weights(&at, s + 1, prec);
                loss(f, slope, bend, &at, &star, 0, prec);
                if (fmpq_is_one(s + 1)) {
                    claim_two_paths(ctx, "f''(1) = L", bend, L, 50);
                } else {
                    arb_abs(bend, bend);
                    claim_decide_arb(ctx, "|f''| <= L", bend, RELATION_LE, L);
                }
                for (slong j = 1; j <= T; j += 1 + T / 16) {
                    arb_mul(x, at.w + j, at.second + j, prec);
                    arb_mul(y, at.first + j, at.first + j, prec);
                    claim_decide_arb(ctx, "w w'' < w'^2", x, RELATION_LT, y);
                }
            }
            jet_clear(&star);
            jet_clear(&at);
        }
    _fmpq_vec_clear(s, 3);
    _arb_vec_clear(t, 6);
}

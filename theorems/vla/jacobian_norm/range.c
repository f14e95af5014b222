/* vla.jacobian-norm: the range of the norm, Kantorovich's inequality, and the layer that reaches it. */
#include "theorems/vla/jacobian_norm/norm.h"

enum { LARGEST = 5, TRIALS = 6 };

/* p_c(x) = (x^2-3x+1) + 2c(x-1) + c^2 and p_c(1) = c^2 - 1, of degree <= 2 in c and x: decided at 3 x 3
   points.  Then 1 <= |J| < phi at c = j/64, with equality at c = 1.  shift: of phi. */
void jacobian_norm_check_range(check_context *ctx, const void *parameter) {
    const norm_parameter *p = parameter;
    fmpq_t c, x, left, right, q;
    fmpq *temporary[] = {c, x, left, right, q};
    for (int i = 0; i < 5; i++)
        fmpq_init(temporary[i]);
    for (slong i = -1; i <= 1; i++)
        for (slong j = -1; j <= 1; j++) {
            fmpq_set_si(c, i, 1);
            fmpq_set_si(x, j, 1);
            fmpq_set_si(left, 3 - 2 * i, 1); /* x^2 - (3-2c) x + (1-c)^2 */
            fmpq_sub(left, x, left);
            fmpq_mul(left, left, x);
            fmpq_sub_si(q, c, 1);
            fmpq_addmul(left, q, q);
            fmpq_sub_si(right, x, 3); /* (x-3)x + 1 + 2c(x-1) + c^2 */
            fmpq_mul(right, right, x);
            fmpq_add_si(right, right, 1 + 2 * i * (j - 1) + i * i);
            claim_decide_fmpq(ctx, "p_c(x) = (x^2-3x+1) + 2c(x-1) + c^2", left, RELATION_EQ, right);
        }
    arb_t golden, norm, ball, one;
    arb_init(golden);
    arb_init(norm);
    arb_init(ball);
    arb_init(one);
    vla_rational(q, p->shift);
    arb_sqrt_ui(golden, 5, ctx->prec);
    arb_add_si(golden, golden, 3, ctx->prec);
    arb_mul_2exp_si(golden, golden, -1);
    arb_set_fmpq(ball, q, ctx->prec);
    arb_add(golden, golden, ball, ctx->prec);
    arb_one(one);
    for (slong j = 1; j <= 64; j++) {
        arb_set_si(ball, j);
        arb_mul_2exp_si(ball, ball, -6);
        vla_norm_squared(norm, ball, ctx->prec);
        claim_decide_arb(ctx, "|J|^2 < ((1+sqrt 5)/2)^2", norm, RELATION_LT, golden);
        claim_decide_arb(ctx, j < 64 ? "|J|^2 > 1 for c < 1" : "|J|^2 >= 1 at c = 1", norm,
                         j < 64 ? RELATION_GT : RELATION_EQ, one);
    }
    for (int i = 0; i < 5; i++)
        fmpq_clear(temporary[i]);
    arb_clear(golden);
    arb_clear(norm);
    arb_clear(ball);
    arb_clear(one);
}

/* c^2 (1+kappa)^2 >= 4 kappa in the eigenframe of A, c^2 = (sum mu_i w_i)^2 / (sum mu_i^2 w_i sum w_i)
   with w_i = k_i^2; equality for w = (kappa, 0, ..., 0, 1).  shift: of the 4. */
void jacobian_norm_check_kantorovich(check_context *ctx, const void *parameter) {
    const norm_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t form, square, total, left, right, kappa, mu, w;
    fmpq *temporary[] = {form, square, total, left, right, kappa, mu, w};
    for (int i = 0; i < 8; i++)
        fmpq_init(temporary[i]);
    for (slong d = 2; d <= LARGEST; d++)
        for (int trial = 0; trial < 2 * TRIALS; trial++) {
            int sharp = trial % 2;
            fmpq_set_si(kappa, exact_random_integer(&r, 2, 400), 1);
            fmpq_set_si(left, (slong)exact_random_integer(&r, 1, 9), 9);
            fmpq_add(kappa, kappa, left);
            fmpq_zero(form), fmpq_zero(square), fmpq_zero(total);
            for (slong i = 0; i < d; i++) { /* mu_i = 1 + s_i (kappa - 1), s_0 = 0, s_{d-1} = 1 */
                fmpq_set_si(mu, i == 0 ? 0 : i == d - 1 ? 9 : exact_random_integer(&r, 0, 9), 9);
                fmpq_sub_si(left, kappa, 1);
                fmpq_mul(mu, mu, left);
                fmpq_add_si(mu, mu, 1);
                fmpq_set_si(w, exact_random_integer(&r, 1, 9), 9);
                if (sharp && i == 0)
                    fmpq_set(w, kappa);
                else if (sharp)
                    fmpq_set_si(w, i == d - 1, 1);
                fmpq_add(total, total, w);
                fmpq_mul(w, w, mu);
                fmpq_add(form, form, w);
                fmpq_addmul(square, w, mu);
            }
            fmpq_add_si(w, kappa, 1);
            fmpq_mul(left, form, w);
            fmpq_mul(left, left, left);
            fmpq_div(left, left, square);
            fmpq_div(left, left, total);
            vla_rational(right, p->shift);
            fmpq_add_si(right, right, 4);
            fmpq_mul(right, right, kappa);
            claim_decide_fmpq(ctx, "c^2 (1+kappa)^2 >= 4 kappa", left, RELATION_GE, right);
            if (sharp)
                claim_decide_fmpq(ctx, "equality at k^2 = (kappa, 0, 1)/(1+kappa)", left,
                                  RELATION_EQ, right);
        }
    for (int i = 0; i < 8; i++)
        fmpq_clear(temporary[i]);
}

/* The layer with d features, u_t = e/sqrt d for one unit vector e, after T tokens and the key that
   Kantorovich's inequality is sharp for: c from k^T A k/|A k| against 2 sqrt(kappa)/(1+kappa),
   kappa = 1 + T/(d lambda0). */
static void key_cosine(arb_t c, const arb_t kappa, slong prec) {
    arb_t t;
    arb_init(t);
    arb_sqrt(c, kappa, prec);
    arb_mul_2exp_si(c, c, 1);
    arb_add_si(t, kappa, 1, prec);
    arb_div(c, c, t, prec);
    arb_clear(t);
}

/* c := k^T A k/|A k| for A = diag(1/(lambda0+T/d), 1/lambda0) and k = (x, y). */
static void layer_cosine(arb_t c, const fmpq_t lambda0, slong tokens, slong d, const arb_t x,
                         const arb_t y, slong prec) {
    arb_t m, ax, ay, s;
    arb_init(m);
    arb_init(ax);
    arb_init(ay);
    arb_init(s);
    arb_set_fmpq(m, lambda0, prec);
    arb_div(ay, y, m, prec);
    arb_set_si(s, tokens);
    arb_div_si(s, s, d, prec);
    arb_add(m, m, s, prec);
    arb_div(ax, x, m, prec);
    arb_mul(c, ax, x, prec);
    arb_addmul(c, ay, y, prec);
    arb_mul(s, ax, ax, prec);
    arb_addmul(s, ay, ay, prec);
    arb_sqrt(s, s, prec);
    arb_div(c, c, s, prec);
    arb_clear(m);
    arb_clear(ax);
    arb_clear(ay);
    arb_clear(s);
}

void jacobian_norm_check_growth(check_context *ctx, const void *parameter) {
    const norm_parameter *p = parameter;
    static const char *const columns[] = {"lambda0", "1",      "tokens", "steps", "kappa",
                                          "1",       "cosine", "1",      "norm",  "1"};
    series *table = series_new("vla-jacobian-growth",
                               "Largest |J| at the key of least cosine, d = 32", 5, columns);
    static const char *const lambdas[] = {"1/10", "10", NULL};
    const slong d = 32, prec = ctx->prec;
    fmpq_t lambda0, shift;
    arb_t kappa, c, other, x, y, norm, golden;
    arb_struct *balls[] = {kappa, c, other, x, y, norm, golden};
    fmpq_init(lambda0);
    fmpq_init(shift);
    for (int i = 0; i < 7; i++)
        arb_init(balls[i]);
    vla_rational(shift, p->shift);
    arb_sqrt_ui(golden, 5, prec);
    arb_add_si(golden, golden, 1, prec);
    arb_mul_2exp_si(golden, golden, -1);
    for (int l = 0; lambdas[l] != NULL; l++)
        for (slong tokens = 1; tokens <= 10000000; tokens = FLINT_MAX(tokens + 1, tokens * 5 / 4)) {
            vla_rational(lambda0, lambdas[l]);
            arb_set_si(kappa, tokens);
            arb_div_si(kappa, kappa, d, prec);
            arb_set_fmpq(x, lambda0, prec);
            arb_div(kappa, kappa, x, prec);
            arb_add_si(kappa, kappa, 1, prec);
            arb_add_si(y, kappa, 1, prec); /* k = (sqrt(kappa), 1)/sqrt(1+kappa) */
            arb_div(x, kappa, y, prec);
            arb_sqrt(x, x, prec);
            arb_rsqrt(y, y, prec);
            layer_cosine(other, lambda0, tokens, d, x, y, prec);
            arb_set_fmpq(y, shift, prec);
            arb_add(y, y, kappa, prec);
            key_cosine(c, y, prec);
            claim_two_paths(ctx, "k.a of the layer = 2 sqrt(kappa)/(1+kappa)", other, c, 64);
            vla_norm_squared(norm, other, prec);
            arb_sqrt(norm, norm, prec);
            claim_decide_arb(ctx, "|J| < (1+sqrt 5)/2", norm, RELATION_LT, golden);
            enclosure_struct *cell = series_append(table);
            enclosure_set_rational(cell, lambda0);
            enclosure_set_integer(cell + 1, tokens);
            enclosure_set_ball(cell + 2, kappa);
            enclosure_set_ball(cell + 3, other);
            enclosure_set_ball(cell + 4, norm);
        }
    claim_number_arb(ctx, "norm/lambda0=10,d=32,T=10^7", "1", norm);
    claim_table(ctx, table);
    fmpq_clear(lambda0);
    fmpq_clear(shift);
    for (int i = 0; i < 7; i++)
        arb_clear(balls[i]);
}

/* The checks of loglinear.competition. */
#include "theorems/loglinear/competition/competition.h"
#include "numerics/exact/number.h"

enum { LEVELS_TRIED = 6, TRIALS = 8, CURVES = 4 };

/* x [n] random positive rationals, total := their sum */
static void draw(fmpq *x, fmpq_t total, slong n, exact_random *r) {
    fmpq_zero(total);
    for (slong i = 0; i < n; i++) {
        exact_random_fraction(x + i, r, 1, 99, 1, 99);
        fmpq_add(total, total, x + i);
    }
}

/* Raising x_j by the factor 1+h: (p_i(h) - p_i)/h = p_i (delta_ij - p_j)/(1 + h p_j), whose limit h
   -> 0 is dp_i/dz_j. */
void competition_check_jacobian(check_context *ctx, const void *parameter) {
    const competition_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq *x = _fmpq_vec_init(LEVELS_TRIED);
    fmpq_t total, h, secant, claimed, pi, pj;
    fmpq_init(total);
    fmpq_init(h);
    fmpq_init(secant);
    fmpq_init(claimed);
    fmpq_init(pi);
    fmpq_init(pj);
    for (int n = 0; n < TRIALS; n++) {
        draw(x, total, LEVELS_TRIED, &r);
        exact_random_fraction(h, &r, 1, 9, 10, 1000);
        slong j = exact_random_integer(&r, 0, LEVELS_TRIED - 1);
        fmpq_div(pj, x + j, total);
        for (slong i = 0; i < LEVELS_TRIED; i++) {
            fmpq_div(pi, x + i, total);
            fmpq_mul(claimed, h, x + j); /* p_i(h) = x_i (1 + delta h)/(total + h x_j) */
            fmpq_add(claimed, total, claimed);
            fmpq_set(secant, x + i);
            if (i == j)
                fmpq_addmul(secant, h, x + i);
            fmpq_div(secant, secant, claimed);
            fmpq_sub(secant, secant, pi);
            fmpq_div(secant, secant, h);
            fmpq_mul(claimed, h, pj); /* p_i (delta - p_j)/(1 + h p_j) */
            fmpq_add_si(claimed, claimed, 1);
            fmpq_div(pi, pi, claimed);
            fmpq_mul_si(claimed, pj, p->cross);
            if (i == j)
                fmpq_add_si(claimed, claimed, 1);
            fmpq_mul(claimed, claimed, pi);
            claim_decide_fmpq(ctx, "secant of softmax = p_i (delta_ij - p_j)/(1 + h p_j)", secant,
                              RELATION_EQ, claimed);
        }
    }
    _fmpq_vec_clear(x, LEVELS_TRIED);
    fmpq_clear(total);
    fmpq_clear(h);
    fmpq_clear(secant);
    fmpq_clear(claimed);
    fmpq_clear(pi);
    fmpq_clear(pj);
}

/* x_j grows: every other p_i falls, p_j rises. */
void competition_check_raise(check_context *ctx, const void *parameter) {
    const competition_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq *x = _fmpq_vec_init(LEVELS_TRIED);
    fmpq_t total, raised, before, after, h;
    fmpq_init(total);
    fmpq_init(raised);
    fmpq_init(before);
    fmpq_init(after);
    fmpq_init(h);
    exact_parse_rational(h, p->raise);
    for (int n = 0; n < TRIALS; n++) {
        draw(x, total, LEVELS_TRIED, &r);
        slong j = exact_random_integer(&r, 0, LEVELS_TRIED - 1);
        fmpq_set(raised, total);
        fmpq_addmul(raised, h, x + j);
        for (slong i = 0; i < LEVELS_TRIED; i++) {
            fmpq_div(before, x + i, total);
            fmpq_set(after, x + i);
            if (i == j)
                fmpq_addmul(after, h, x + i);
            fmpq_div(after, after, raised);
            claim_decide_fmpq(ctx, "raising level j lowers all others and raises j", after,
                              i == j ? RELATION_GT : RELATION_LT, before);
        }
    }
    _fmpq_vec_clear(x, LEVELS_TRIED);
    fmpq_clear(total);
    fmpq_clear(raised);
    fmpq_clear(before);
    fmpq_clear(after);
    fmpq_clear(h);
}

/* k levels above c: k c < 1; and 1/k > c for every k with k c < 1, so it cannot be bettered. */
void competition_check_few(check_context *ctx, const void *parameter) {
    const competition_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq *x = _fmpq_vec_init(2 * LEVELS_TRIED);
    fmpq_t total, weight, c, one;
    fmpq_init(total);
    fmpq_init(weight);
    fmpq_init(c);
    fmpq_init(one);
    fmpq_one(one);
    for (slong n = 0; n < 4 * TRIALS; n++) {
        draw(x, total, 2 * LEVELS_TRIED, &r);
        fmpq_set_si(c, 1, (ulong)exact_random_integer(&r, 2, 2 * LEVELS_TRIED));
        slong above = 0;
        for (slong i = 0; i < 2 * LEVELS_TRIED; i++) {
            fmpq_set(weight, x + i);
            if (p->softmax)
                fmpq_div(weight, weight, total);
            above += fmpq_cmp(weight, c) > 0;
        }
        fmpq_mul_si(weight, c, above);
        claim_decide_fmpq(ctx, "(levels above c) c < 1", weight, RELATION_LT, one);
        for (slong k = 1; fmpq_cmp_si(c, 1) < 0; k++) {
            fmpq_mul_si(weight, c, k);
            if (fmpq_cmp_si(weight, 1) >= 0)
                break;
            fmpq_set_si(weight, 1, (ulong)k);
            claim_decide_fmpq(ctx, "k equal levels exceed c where k c < 1", weight, RELATION_GT, c);
        }
    }
    _fmpq_vec_clear(x, 2 * LEVELS_TRIED);
    fmpq_clear(total);
    fmpq_clear(weight);
    fmpq_clear(c);
    fmpq_clear(one);
}

/* Logits z_l = ln(e^lambda_l - 1) give each level its wanted weight, whatever the others want. */
void competition_check_independent(check_context *ctx, const void *parameter) {
    const competition_parameter *p = parameter;
    static const char *const wanted[] = {"1/1000", "1", "7", "100"};
    enum { TOGETHER = 3 };      /* levels */
    slong prec = 4 * ctx->prec; /* e^100 - 1 and e^(1/1000) - 1 cancel at most 155 bits */
    fmpq_t q;
    arb_t target, got, total;
    arb_ptr z = _arb_vec_init(TOGETHER);
    fmpq_init(q);
    arb_init(target);
    arb_init(got);
    arb_init(total);
    for (int n = 0; n < 64; n++) {
        const char *const text[] = {wanted[n % 4], wanted[n / 4 % 4], wanted[n / 16]};
        arb_zero(total);
        for (slong l = 0; l < TOGETHER; l++) {
            exact_parse_rational(q, text[l]);
            exact_ball_from_rational(z + l, q, prec);
            arb_expm1(z + l, z + l, prec);
            arb_add(total, total, z + l, prec); /* e^(z_l) = e^lambda - 1 */
            arb_log(z + l, z + l, prec);
        }
        for (slong l = 0; l < TOGETHER; l++) {
            exact_parse_rational(q, text[l]);
            exact_ball_from_rational(target, q, prec);
            if (p->softmax) {
                arb_exp(got, z + l, prec);
                arb_div(got, got, total, prec);
            } else {
                loglinear_softplus(got, z + l, prec);
            }
            claim_two_paths(ctx, "each level gets the weight it wants", got, target, ctx->prec / 2);
        }
    }
    fmpq_clear(q);
    arb_clear(target);
    arb_clear(got);
    arb_clear(total);
    _arb_vec_clear(z, TOGETHER);
}

/* With x = e^z, y = the sum of the others' exponentials: softplus' = x/(1+x) lies in [1-1/x, 1] for
   z >= 0 and in [x(1-x), x] for z <= 0; softmax's own slope p(1-p) = xy/(x+y)^2 <= factor min(x/y,
   y/x, 1/4). */
void competition_check_saturation(check_context *ctx, const void *parameter) {
    const competition_parameter *p = parameter;
    fmpq_t x, y, slope, bound, factor, limit;
    fmpq_init(x);
    fmpq_init(y);
    fmpq_init(slope);
    fmpq_init(bound);
    fmpq_init(factor);
    fmpq_init(limit);
    exact_parse_rational(factor, p->factor);
    for (slong e = -9; e <= 9; e++) { /* x = 10^e */
        fmpq_set_si(x, 10, 1);
        fmpq_pow_si(x, x, e);
        fmpq_add_si(slope, x, 1);
        fmpq_div(slope, x, slope); /* x/(1+x) */
        fmpq_set_si(bound, 1, 1);
        if (e < 0)
            fmpq_set(bound, x);
        claim_decide_fmpq(ctx, "softplus' <= min(1, e^z)", slope, RELATION_LE, bound);
        fmpq_inv(limit, x);
        if (e < 0)
            fmpq_set(limit, x);
        fmpq_neg(limit, limit);
        fmpq_add_si(limit, limit, 1);
        fmpq_mul(bound, bound, limit);
        claim_decide_fmpq(ctx, "softplus' >= min(1, e^z) (1 - e^-|z|)", slope, RELATION_GE, bound);
        for (slong others = 1; others <= 20; others += 19) { /* logits of the others: 0 */
            fmpq_set_si(y, others, 1);
            fmpq_add(slope, x, y);
            fmpq_div(slope, x, slope); /* p */
            fmpq_neg(bound, slope);
            fmpq_add_si(bound, bound, 1);
            fmpq_mul(slope, slope, bound);
            fmpq_div(bound, x, y);
            if (fmpq_cmp_si(bound, 1) > 0)
                fmpq_inv(bound, bound);
            fmpq_set_si(limit, 1, 4);
            if (fmpq_cmp(bound, limit) > 0)
                fmpq_set(bound, limit);
            fmpq_mul(bound, bound, factor);
            claim_decide_fmpq(ctx, "p(1-p) <= min(x/y, y/x, 1/4)", slope, RELATION_LE, bound);
        }
    }
    fmpq_clear(x);
    fmpq_clear(y);
    fmpq_clear(slope);
    fmpq_clear(bound);
    fmpq_clear(factor);
    fmpq_clear(limit);
}

/* Equal logits: softmax gives 1/L to each of L levels; the outputs are linear attention's over
   L. */
void competition_check_start(check_context *ctx, const void *parameter) {
    const competition_parameter *p = parameter;
    exact_random r = {ctx->seed};
    static const slong lengths[] = {1, 2, 9, 16, 23};
    fmpq_t weight, total;
    fmpq_init(weight);
    fmpq_init(total);
    for (int n = 0; n < 5; n++) {
        loglinear_case c;
        slong steps = lengths[n], levels = fenwick_slots((ulong)steps);
        loglinear_case_init(&c, steps, 2, 2, levels);
        loglinear_case_random(&c, &r);
        fmpq_set_si(total, levels + p->uneven, 1); /* e^z = 1, and one of them 2 */
        for (slong i = 0; i < steps * levels; i++) {
            fmpq_set_si(weight, 1 + (p->uneven && i % levels == 0), 1);
            fmpq_div(c.lambda + i, weight, total);
        }
        loglinear_run_recurrence(ctx, &c);
        fenwick_linear(c.z, c.q, c.k, c.v, c.gate, &c.shape);
        fmpq_set_si(weight, 1, (ulong)levels);
        for (slong i = 0; i < steps * 2; i++)
            fmpq_mul(c.z + i, c.z + i, weight);
        loglinear_decide_outputs(ctx, "softmax at equal logits: linear attention over L", &c);
        loglinear_case_clear(&c);
    }
    fmpq_clear(weight);
    fmpq_clear(total);
}

/* Slopes at z = -20, 20: softplus's, and softmax's own with 20 other levels at 0. */
static void slopes_far_out(check_context *ctx) {
    static const char *const names[] = {"softplus' at z = -20", "1 - softplus' at z = 20",
                                        "softmax p(1-p) at z = -20, 20 others at 0",
                                        "softmax p(1-p) at z = 20, 20 others at 0"};
    arb_t z, x;
    arb_init(z);
    arb_init(x);
    for (int i = 0; i < 4; i++) {
        arb_set_si(z, i % 2 ? 20 : -20);
        if (i < 2) {
            arb_set_si(z, -20); /* 1 - softplus'(z) = softplus'(-z) */
            loglinear_softplus_slope(x, z, ctx->prec);
        } else { /* p = e^z/(e^z + 20) */
            arb_exp(x, z, ctx->prec);
            arb_add_ui(z, x, 20, ctx->prec);
            arb_div(x, x, z, ctx->prec);
            arb_sub_ui(z, x, 1, ctx->prec);
            arb_neg(z, z);
            arb_mul(x, x, z, ctx->prec);
        }
        claim_number_arb(ctx, names[i], "1", x);
    }
    arb_clear(z);
    arb_clear(x);
}

/* One logit from -6 to 6 beside three that stay at -2, 0, 2; slope: of the moving
   level's own weight.  Decided: the four softmax weights add up to 1 (uneven: three of them). */
void competition_check_drawn(check_context *ctx, const void *parameter) {
    const competition_parameter *p = parameter;
    static const char *const columns[] = {"softplus", "1",          "logit", "1",    "raised",
                                          "1",        "at_minus_2", "1",     "at_0", "1",
                                          "at_2",     "1",          "slope", "1"};
    series *s = series_new("loglinear-competition", "Weights of four levels while one logit moves",
                           7, columns);
    arb_ptr x = _arb_vec_init(CURVES), w = _arb_vec_init(CURVES);
    arb_t z, total, slope, one;
    arb_init(z);
    arb_init(total);
    arb_init(slope);
    arb_init(one);
    for (int softplus = 0; softplus < 2; softplus++)
        for (slong step = -24; step <= 24; step++) {
            arb_zero(total);
            for (slong i = 0; i < CURVES; i++) {
                arb_set_si(z, 2 * (i - 2));
                if (i == 0) {
                    arb_set_si(z, step);
                    arb_mul_2exp_si(z, z, -2);
                }
                arb_exp(x + i, z, ctx->prec);
                arb_add(total, total, x + i, ctx->prec);
                loglinear_softplus(w + i, z, ctx->prec);
                if (i == 0)
                    loglinear_softplus_slope(slope, z, ctx->prec);
            }
            for (slong i = 0; !softplus && i < CURVES; i++)
                arb_div(w + i, x + i, total, ctx->prec);
            if (!softplus) { /* p(1-p) */
                arb_sub_ui(slope, w, 1, ctx->prec);
                arb_neg(slope, slope);
                arb_mul(slope, slope, w, ctx->prec);
                arb_one(one);
                arb_zero(z);
                for (slong i = p->uneven; i < CURVES; i++)
                    arb_add(z, z, w + i, ctx->prec);
                claim_two_paths(ctx, "softmax weights add up to 1", z, one, ctx->prec - 8);
            }
            enclosure_struct *row = series_append(s);
            enclosure_set_integer(row, softplus);
            arb_set_si(z, step);
            arb_mul_2exp_si(z, z, -2);
            enclosure_set_ball(row + 1, z);
            for (slong i = 0; i < CURVES; i++)
                enclosure_set_ball(row + 2 + i, w + i);
            enclosure_set_ball(row + 6, slope);
        }
    claim_table(ctx, s);
    slopes_far_out(ctx);
    _arb_vec_clear(x, CURVES);
    _arb_vec_clear(w, CURVES);
    arb_clear(z);
    arb_clear(total);
    arb_clear(slope);
    arb_clear(one);
}

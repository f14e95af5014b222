/* vla.jacobian-norm: characteristic polynomials of J^T J and J, exact, against their formulas. */
#include "theorems/vla/jacobian_norm/norm.h"

enum { LARGEST = 5, TRIALS = 6 };

/* out := prod (x - 1)^ones * (x^2 + b x + e) or, with linear, (x + e) */
static void expected(fmpq_poly_t out, slong ones, const fmpq_t b, const fmpq_t e, int linear) {
    fmpq_poly_t one;
    fmpq_poly_init(one);
    fmpq_poly_set_coeff_si(one, 1, 1);
    fmpq_poly_set_coeff_si(one, 0, -1);
    fmpq_poly_zero(out);
    fmpq_poly_set_coeff_fmpq(out, 0, e);
    if (linear) {
        fmpq_poly_set_coeff_si(out, 1, 1);
    } else {
        fmpq_poly_set_coeff_fmpq(out, 1, b);
        fmpq_poly_set_coeff_si(out, 2, 1);
    }
    for (slong i = 0; i < ones; i++)
        fmpq_poly_mul(out, out, one);
    fmpq_poly_clear(one);
}

static void decide_equal(check_context *ctx, const char *label, const fmpq_poly_t p,
                         const fmpq_poly_t q) {
    fmpq_t x, y;
    fmpq_init(x);
    fmpq_init(y);
    for (slong i = 0; i <= FLINT_MAX(fmpq_poly_degree(p), fmpq_poly_degree(q)); i++) {
        fmpq_poly_get_coeff_fmpq(x, p, i);
        fmpq_poly_get_coeff_fmpq(y, q, i);
        claim_decide_fmpq(ctx, label, x, RELATION_EQ, y);
    }
    fmpq_clear(x);
    fmpq_clear(y);
}

/* Pairs of unit vectors: a = k, a = -k, a.k = 0, then random ones. */
static void draw_pair(fmpq *a, fmpq *k, exact_random *r, slong d, int trial) {
    vla_random_unit(k, r, d, 5);
    vla_random_unit(a, r, d, 5);
    fmpq_mat_t frame;
    fmpq_mat_init(frame, d, d);
    vla_random_frame(frame, r, 5);
    for (slong i = 0; i < d && trial < 3; i++) {
        if (trial == 2)
            fmpq_set(k + i, fmpq_mat_entry(frame, 1, i));
        fmpq_set(a + i, trial == 2 ? fmpq_mat_entry(frame, 0, i) : k + i);
        if (trial == 1)
            fmpq_neg(a + i, a + i);
    }
    fmpq_mat_clear(frame);
}

/* The characteristic polynomial of J^T J against (x-1)^(d-2) p_c; its largest root by Sturm's count
   against the closed form.  shift: of the 3 in the formula. */
void jacobian_norm_check_closed_form(check_context *ctx, const void *parameter) {
    const norm_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t c, b, e, shift;
    fmpq_poly_t poly, formula;
    arb_t closed, root, x;
    fmpq_init(c);
    fmpq_init(b);
    fmpq_init(e);
    fmpq_init(shift);
    fmpq_poly_init(poly);
    fmpq_poly_init(formula);
    arb_init(closed);
    arb_init(root);
    arb_init(x);
    vla_rational(shift, p->shift);
    for (slong d = 2; d <= LARGEST; d++)
        for (int trial = 0; trial < TRIALS; trial++) {
            fmpq *a = _fmpq_vec_init(d), *k = _fmpq_vec_init(d);
            fmpq_mat_t gram;
            fmpq_mat_init(gram, d, d);
            draw_pair(a, k, &r, d, trial);
            vla_dot(c, a, k, d);
            vla_jacobian_gram(gram, a, k);
            fmpq_mat_charpoly(poly, gram);
            fmpq_set_si(b, -3, 1);
            fmpq_sub(b, b, shift); /* b = -3 - shift + 2c */
            fmpq_add(b, b, c);
            fmpq_add(b, b, c);
            fmpq_sub_si(e, c, 1);
            fmpq_mul(e, e, e);
            expected(formula, d - 2, b, e, 0);
            decide_equal(ctx, "det(x - J^T J) = (x-1)^(d-2) (x^2-(3-2c)x+(1-c)^2)", poly, formula);
            arb_set_fmpq(x, c, ctx->prec);
            vla_norm_squared(closed, x, ctx->prec);
            if (!vla_largest_root(root, poly, 96))
                vla_undecidable(ctx, "the characteristic polynomial has no real root");
            claim_two_paths(ctx, "|J|^2: closed form, Sturm's count", closed, root, 64);
            fmpq_mat_clear(gram);
            _fmpq_vec_clear(a, d);
            _fmpq_vec_clear(k, d);
        }
    fmpq_clear(c);
    fmpq_clear(b);
    fmpq_clear(e);
    fmpq_clear(shift);
    fmpq_poly_clear(poly);
    fmpq_poly_clear(formula);
    arb_clear(closed);
    arb_clear(root);
    arb_clear(x);
}

/* det(x - J) = (x-1)^(d-1) (x-1+c): the spectral radius is 1 for 0 <= c <= 2.  shift: of c. */
void jacobian_norm_check_radius(check_context *ctx, const void *parameter) {
    const norm_parameter *p = parameter;
    exact_random r = {ctx->seed};
    fmpq_t c, e;
    fmpq_poly_t poly, formula;
    fmpq_init(c);
    fmpq_init(e);
    fmpq_poly_init(poly);
    fmpq_poly_init(formula);
    for (slong d = 2; d <= LARGEST; d++)
        for (int trial = 0; trial < TRIALS; trial++) {
            fmpq *a = _fmpq_vec_init(d), *k = _fmpq_vec_init(d);
            fmpq_mat_t j;
            fmpq_mat_init(j, d, d);
            draw_pair(a, k, &r, d, trial);
            vla_dot(c, a, k, d);
            fmpq_mat_one(j);
            for (slong i = 0; i < d; i++)
                for (slong l = 0; l < d; l++)
                    fmpq_submul(fmpq_mat_entry(j, i, l), a + i, k + l);
            fmpq_mat_charpoly(poly, j);
            vla_rational(e, p->shift);
            fmpq_add(e, e, c);
            fmpq_sub_si(e, e, 1);
            expected(formula, d - 1, e, e, 1);
            decide_equal(ctx, "det(x - J) = (x-1)^(d-1) (x-1+c)", poly, formula);
            fmpq_mat_clear(j);
            _fmpq_vec_clear(a, d);
            _fmpq_vec_clear(k, d);
        }
    fmpq_clear(c);
    fmpq_clear(e);
    fmpq_poly_clear(poly);
    fmpq_poly_clear(formula);
}

/* Data of the figure: J of random rational unit vectors, its norm by Sturm's count from J^T J. */
void jacobian_norm_check_drawn(check_context *ctx, const void *parameter) {
    const norm_parameter *p = parameter;
    static const char *const columns[] = {"block", "1", "cosine", "1", "norm", "1"};
    series *table = series_new("vla-jacobian-norm", "Norm of I - a k^T against a.k", 3, columns);
    exact_random r = {ctx->seed};
    arb_t c, norm, closed, shift;
    fmpq_t q;
    fmpq_poly_t poly;
    arb_init(c);
    arb_init(norm);
    arb_init(closed);
    arb_init(shift);
    fmpq_init(q);
    fmpq_poly_init(poly);
    vla_rational(q, p->shift);
    arb_set_fmpq(shift, q, ctx->prec);
    for (slong j = 0; j <= 128; j++) { /* block 0: the closed form */
        fmpq_set_si(q, j, 128);
        arb_set_fmpq(c, q, ctx->prec);
        vla_norm_squared(norm, c, ctx->prec);
        arb_sqrt(norm, norm, ctx->prec);
        enclosure_struct *cell = series_append(table);
        enclosure_set_rational(cell + 1, q);
        enclosure_set_ball(cell + 2, norm);
    }
    for (slong n = 0; n < 40;) { /* block 1: matrices */
        slong d = 2 + n % (LARGEST - 1);
        fmpq *a = _fmpq_vec_init(d), *k = _fmpq_vec_init(d);
        fmpq_mat_t gram;
        fmpq_mat_init(gram, d, d);
        vla_random_unit(a, &r, d, 4);
        vla_random_unit(k, &r, d, 4);
        vla_dot(q, a, k, d);
        if (fmpq_sgn(q) > 0) {
            n++;
            vla_jacobian_gram(gram, a, k);
            fmpq_mat_charpoly(poly, gram);
            if (!vla_largest_root(norm, poly, 96))
                vla_undecidable(ctx, "the characteristic polynomial has no real root");
            arb_sqrt(norm, norm, ctx->prec);
            arb_set_fmpq(c, q, ctx->prec);
            vla_norm_squared(closed, c, ctx->prec);
            arb_sqrt(closed, closed, ctx->prec);
            arb_add(closed, closed, shift, ctx->prec);
            claim_two_paths(ctx, "|J| at every point drawn: closed form, Sturm's count", closed,
                            norm, 64);
            enclosure_struct *cell = series_append(table);
            enclosure_set_integer(cell, 1);
            enclosure_set_rational(cell + 1, q);
            enclosure_set_ball(cell + 2, norm);
        }
        fmpq_mat_clear(gram);
        _fmpq_vec_clear(a, d);
        _fmpq_vec_clear(k, d);
    }
    claim_table(ctx, table);
    arb_clear(c);
    arb_clear(norm);
    arb_clear(closed);
    arb_clear(shift);
    fmpq_clear(q);
    fmpq_poly_clear(poly);
}

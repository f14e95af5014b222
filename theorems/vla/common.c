#include "theorems/vla/common.h"
#include "numerics/exact/number.h"

const char *layer_status_text(layer_status s) {
    static const char *const texts[] = {
        "no fault",        "a zero key, or A k = 0", "a norm that is not rational",
        "singular matrix", "NaN or infinite input",  "lists of numbers of the wrong length"};
    return texts[s];
}

void vla_rational(fmpq_t x, const char *text) {
    exact_parse_rational(x, text);
}

void vla_undecidable(check_context *ctx, const char *label) {
    arb_t nan, zero;
    arb_init(nan);
    arb_init(zero);
    arb_indeterminate(nan);
    claim_decide_arb(ctx, label, nan, RELATION_EQ, zero);
    arb_clear(nan);
    arb_clear(zero);
}

/* ---- vectors ---- */

void vla_dot(fmpq_t out, const fmpq *x, const fmpq *y, slong n) {
    fmpq_t s;
    fmpq_init(s);
    for (slong i = 0; i < n; i++)
        fmpq_addmul(s, x + i, y + i);
    fmpq_set(out, s);
    fmpq_clear(s);
}

layer_status vla_unit(fmpq *out, const fmpq *x, slong n) {
    fmpq_t s;
    fmpz_t root, rest;
    fmpq_init(s);
    fmpz_init(root);
    fmpz_init(rest);
    vla_dot(s, x, x, n);
    layer_status status = fmpq_is_zero(s) ? LAYER_ZERO_KEY : LAYER_OK;
    fmpz *part[] = {fmpq_numref(s), fmpq_denref(s)};
    for (int i = 0; i < 2 && status == LAYER_OK; i++) {
        fmpz_sqrtrem(root, rest, part[i]);
        if (!fmpz_is_zero(rest))
            status = LAYER_IRRATIONAL;
        fmpz_set(part[i], root);
    }
    for (slong i = 0; i < n && status == LAYER_OK; i++)
        fmpq_div(out + i, x + i, s);
    fmpq_clear(s);
    fmpz_clear(root);
    fmpz_clear(rest);
    return status;
}

/* (2y, |y|^2-1)/(|y|^2+1) */
void vla_random_unit(fmpq *out, exact_random *r, slong n, slong size) {
    fmpq_t s, t;
    fmpq_init(s);
    fmpq_init(t);
    for (slong i = 0; i + 1 < n; i++) {
        exact_random_rational(out + i, r, size);
        fmpq_addmul(s, out + i, out + i);
    }
    fmpq_sub_si(out + n - 1, s, 1);
    fmpq_add_si(s, s, 1);
    fmpq_set_si(t, 2, 1);
    for (slong i = 0; i + 1 < n; i++)
        fmpq_mul(out + i, out + i, t);
    for (slong i = 0; i < n; i++)
        fmpq_div(out + i, out + i, s);
    fmpq_clear(s);
    fmpq_clear(t);
}

void vla_random_frame(fmpq_mat_t out, exact_random *r, slong size) {
    slong n = fmpq_mat_nrows(out);
    fmpq *w = _fmpq_vec_init(n);
    fmpq_t s, t;
    fmpq_init(s);
    fmpq_init(t);
    for (slong i = 0; i < n; i++)
        exact_random_rational(w + i, r, size);
    if (fmpq_is_zero(w))
        fmpq_one(w);
    vla_dot(s, w, w, n);
    fmpq_mat_one(out);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++) {
            fmpq_mul(t, w + i, w + j);
            fmpq_div(t, t, s);
            fmpq_sub(fmpq_mat_entry(out, i, j), fmpq_mat_entry(out, i, j), t);
            fmpq_sub(fmpq_mat_entry(out, i, j), fmpq_mat_entry(out, i, j), t);
        }
    fmpq_clear(s);
    fmpq_clear(t);
    _fmpq_vec_clear(w, n);
}

void vla_jacobian_gram(fmpq_mat_t out, const fmpq *a, const fmpq *k) {
    slong d = fmpq_mat_nrows(out);
    fmpq_mat_t j, t;
    fmpq_mat_init(j, d, d);
    fmpq_mat_init(t, d, d);
    fmpq_mat_one(j);
    for (slong i = 0; i < d; i++)
        for (slong l = 0; l < d; l++)
            fmpq_submul(fmpq_mat_entry(j, i, l), a + i, k + l);
    fmpq_mat_transpose(t, j);
    fmpq_mat_mul(out, t, j);
    fmpq_mat_clear(j);
    fmpq_mat_clear(t);
}

/* ---- numbers ---- */

void vla_norm_squared(arb_t square, const arb_t c, slong prec) {
    arb_t root;
    arb_init(root);
    arb_mul_si(root, c, -4, prec);
    arb_add_si(root, root, 5, prec);
    arb_sqrt(root, root, prec);
    arb_mul_si(square, c, -2, prec);
    arb_add_si(square, square, 3, prec);
    arb_add(square, square, root, prec);
    arb_mul_2exp_si(square, square, -1);
    arb_clear(root);
}

/* Changes of sign of the Sturm chain at x, zeros left out. */
static slong sign_changes(const fmpq_poly_struct *chain, slong length, const fmpq_t x) {
    fmpq_t y;
    fmpq_init(y);
    slong changes = 0;
    int last = 0;
    for (slong i = 0; i < length; i++) {
        fmpq_poly_evaluate_fmpq(y, chain + i, x);
        int sign = fmpq_sgn(y);
        changes += sign != 0 && last != 0 && sign != last;
        last = sign != 0 ? sign : last;
    }
    fmpq_clear(y);
    return changes;
}

/* Halves (low, high], which holds the largest root, until it is 2^-bits wide. */
static void bisect(fmpq_t low, fmpq_t high, const fmpq_poly_struct *chain, slong length,
                   slong bits) {
    fmpq_t middle, width;
    fmpq_init(middle);
    fmpq_init(width);
    slong above = sign_changes(chain, length, high);
    for (;;) {
        fmpq_sub(width, high, low);
        if (fmpz_is_zero(fmpq_numref(width)) ||
            (slong)fmpz_bits(fmpq_numref(width)) - (slong)fmpz_bits(fmpq_denref(width)) < -bits)
            break;
        fmpq_add(middle, low, high);
        fmpq_div_2exp(middle, middle, 1);
        if (sign_changes(chain, length, middle) > above)
            fmpq_set(low, middle);
        else
            fmpq_set(high, middle);
    }
    fmpq_clear(middle);
    fmpq_clear(width);
}

/* Cauchy: every root is below 1 + max |p_i/p_n| in size. */
static void root_bound(fmpq_t bound, const fmpq_poly_t p) {
    fmpq_t lead, q;
    fmpq_init(lead);
    fmpq_init(q);
    fmpq_zero(bound);
    slong n = fmpq_poly_degree(p);
    fmpq_poly_get_coeff_fmpq(lead, p, n);
    for (slong i = 0; i < n; i++) {
        fmpq_poly_get_coeff_fmpq(q, p, i);
        fmpq_div(q, q, lead);
        fmpq_abs(q, q);
        if (fmpq_cmp(q, bound) > 0)
            fmpq_set(bound, q);
    }
    fmpq_add_si(bound, bound, 1);
    fmpq_clear(lead);
    fmpq_clear(q);
}

int vla_largest_root(arb_t root, const fmpq_poly_t p, slong bits) {
    slong n = fmpq_poly_degree(p), length = 2;
    if (n < 1)
        return 0;
    fmpq_poly_struct *chain = flint_malloc((size_t)(n + 2) * sizeof *chain);
    fmpq_t low, high;
    for (slong i = 0; i < n + 2; i++)
        fmpq_poly_init(chain + i);
    fmpq_init(low);
    fmpq_init(high);
    fmpq_poly_derivative(chain + 1, p); /* square-free part: p / gcd(p, p') */
    fmpq_poly_gcd(chain + 2, p, chain + 1);
    fmpq_poly_div(chain, p, chain + 2);
    fmpq_poly_derivative(chain + 1, chain);
    for (; length < n + 2; length++) {
        fmpq_poly_rem(chain + length, chain + length - 2, chain + length - 1);
        fmpq_poly_neg(chain + length, chain + length);
        if (fmpq_poly_is_zero(chain + length))
            break;
    }
    root_bound(high, p);
    fmpq_neg(low, high);
    int real = sign_changes(chain, length, low) > sign_changes(chain, length, high);
    if (real) {
        arb_t end;
        arb_init(end);
        bisect(low, high, chain, length, bits);
        arb_set_fmpq(root, low, bits + 64);
        arb_set_fmpq(end, high, bits + 64);
        arb_union(root, root, end, bits + 64);
        arb_clear(end);
    }
    for (slong i = 0; i < n + 2; i++)
        fmpq_poly_clear(chain + i);
    flint_free(chain);
    fmpq_clear(low);
    fmpq_clear(high);
    return real;
}

/* ---- the layer ---- */

void vla_layer_init(vla_layer_t l, slong d, slong m, const fmpq_t lambda0) {
    l->d = d;
    l->m = m;
    fmpq_mat_init(l->inverse, d, d);
    fmpq_mat_init(l->state, m, d);
    l->write = _fmpq_vec_init(d);
    for (slong i = 0; i < d; i++)
        fmpq_inv(fmpq_mat_entry(l->inverse, i, i), lambda0);
}

void vla_layer_clear(vla_layer_t l) {
    fmpq_mat_clear(l->inverse);
    fmpq_mat_clear(l->state);
    _fmpq_vec_clear(l->write, l->d);
}

/* out := A x */
static void inverse_times(fmpq *out, const vla_layer_t l, const fmpq *x) {
    for (slong i = 0; i < l->d; i++)
        vla_dot(out + i, fmpq_mat_entry(l->inverse, i, 0), x, l->d);
}

layer_status vla_layer_absorb(vla_layer_t l, const fmpq *u, const fmpq_t factor) {
    fmpq *z = _fmpq_vec_init(l->d);
    fmpq_t pivot, q;
    fmpq_init(pivot);
    fmpq_init(q);
    inverse_times(z, l, u);
    vla_dot(pivot, u, z, l->d);
    fmpq_mul(pivot, pivot, factor);
    fmpq_add_si(pivot, pivot, 1);
    layer_status status = fmpq_is_zero(pivot) ? LAYER_SINGULAR : LAYER_OK;
    if (status == LAYER_OK) {
        fmpq_div(pivot, factor, pivot);
        for (slong i = 0; i < l->d; i++)
            for (slong j = 0; j < l->d; j++) {
                fmpq_mul(q, z + i, z + j);
                fmpq_submul(fmpq_mat_entry(l->inverse, i, j), pivot, q);
            }
    }
    fmpq_clear(pivot);
    fmpq_clear(q);
    _fmpq_vec_clear(z, l->d);
    return status;
}

layer_status vla_layer_direct(vla_layer_t l, const fmpq *k) {
    fmpq *z = _fmpq_vec_init(l->d);
    inverse_times(z, l, k);
    layer_status status = vla_unit(l->write, z, l->d);
    _fmpq_vec_clear(z, l->d);
    return status;
}

void vla_layer_store(vla_layer_t l, const fmpq *k, const fmpq *v) {
    fmpq_t r;
    fmpq_init(r);
    for (slong i = 0; i < l->m; i++) {
        vla_dot(r, fmpq_mat_entry(l->state, i, 0), k, l->d);
        fmpq_sub(r, v + i, r);
        for (slong j = 0; j < l->d; j++)
            fmpq_addmul(fmpq_mat_entry(l->state, i, j), r, l->write + j);
    }
    fmpq_clear(r);
}

void vla_layer_refresh(vla_layer_t l, const fmpq_t delta) {
    for (slong i = 0; i < l->d; i++)
        fmpq_add(fmpq_mat_entry(l->inverse, i, i), fmpq_mat_entry(l->inverse, i, i), delta);
}

/* vla.scan: the condition number of a chunk's triangular system, in balls. */
#include "theorems/vla/scan/scan.h"

#include <math.h>
#include <string.h>

enum { LENGTHS = 6, LONGEST = 64 };

/* A chunk from the layer's start: integer features and directions [LONGEST][d]; lambda0 = 1/10. */
typedef struct {
    slong d;
    int feature[LONGEST][16], direction[LONGEST][16];
} chunk;

static arb_ptr row(arb_ptr x, slong i, slong d) {
    return x + i * d;
}

static void dot(arb_t out, arb_srcptr x, arb_srcptr y, slong d, slong prec) {
    arb_dot(out, NULL, 0, x, 1, y, 1, d, prec);
}

/* k, a [LONGEST][d] := keys and write directions of the chunk */
static void directions(arb_ptr k, arb_ptr a, const chunk *c, slong prec) {
    slong d = c->d;
    arb_ptr inverse = _arb_vec_init(d * d), u = _arb_vec_init(d), z = _arb_vec_init(d);
    arb_t pivot, s;
    arb_init(pivot);
    arb_init(s);
    for (slong i = 0; i < d; i++)
        arb_set_si(inverse + i * d + i, 10);
    for (slong t = 0; t < LONGEST; t++) {
        slong squares = 0, length = 0;
        for (slong i = 0; i < d; i++) {
            squares += (slong)c->feature[t][i] * c->feature[t][i];
            length += (slong)c->direction[t][i] * c->direction[t][i];
            arb_set_si(u + i, c->direction[t][i]);
        }
        arb_set_si(s, squares);
        arb_rsqrt(s, s, prec);
        for (slong i = 0; i < d; i++)
            arb_mul_si(k + t * d + i, s, c->feature[t][i], prec);
        for (slong i = 0; i < d; i++) /* A -= z z^T/(d |p|^2 + p.z), z = A p */
            dot(z + i, inverse + i * d, u, d, prec);
        dot(pivot, u, z, d, prec);
        arb_add_si(pivot, pivot, d * length, prec);
        for (slong i = 0; i < d; i++) {
            arb_div(s, z + i, pivot, prec);
            for (slong j = 0; j < d; j++)
                arb_submul(inverse + i * d + j, s, z + j, prec);
        }
        for (slong i = 0; i < d; i++)
            dot(row(a, t, d) + i, inverse + i * d, row(k, t, d), d, prec);
        dot(s, row(a, t, d), row(a, t, d), d, prec);
        arb_rsqrt(s, s, prec);
        for (slong i = 0; i < d; i++)
            arb_mul(row(a, t, d) + i, row(a, t, d) + i, s, prec);
    }
    _arb_vec_clear(inverse, d * d);
    _arb_vec_clear(u, d);
    _arb_vec_clear(z, d);
    arb_clear(pivot);
    arb_clear(s);
}

/* best := max(best, sum |x_i| + 1) */
static void row_sum(arb_t best, arb_srcptr x, slong n, slong prec) {
    arb_t s, y;
    arb_init(s);
    arb_init(y);
    arb_one(s);
    for (slong i = 0; i < n; i++) {
        arb_abs(y, x + i);
        arb_add(s, s, y, prec);
    }
    arb_max(best, best, s, prec);
    arb_clear(s);
    arb_clear(y);
}

/* condition, other: the condition number of I+L in the maximum norm, the inverse by substitution and by
   products of Jacobians. */
static void condition(arb_t number, arb_t other, arb_ptr k, arb_ptr a, slong d, slong n,
                      slong prec) {
    arb_ptr l = _arb_vec_init(n * n), inverse = _arb_vec_init(n * n), x = _arb_vec_init(d),
            product = _arb_vec_init(n * n);
    arb_t size, by_substitution, by_products, q;
    arb_init(size);
    arb_init(by_substitution);
    arb_init(by_products);
    arb_init(q);
    for (slong t = 0; t < n; t++) {
        for (slong s = 0; s < t; s++)
            dot(l + t * n + s, row(a, s, d), row(k, t, d), d, prec);
        for (slong s = 0; s < t; s++) { /* row t of the inverse: -l_ts - sum_j l_tj inverse_js */
            arb_ptr y = inverse + t * n + s;
            arb_neg(y, l + t * n + s);
            for (slong j = s + 1; j < t; j++)
                arb_submul(y, l + t * n + j, inverse + j * n + s, prec);
        }
    }
    for (slong s = 0; s < n; s++) {
        _arb_vec_set(x, row(a, s, d), d);
        for (slong t = s + 1; t < n; t++) {
            dot(q, row(k, t, d), x, d, prec);
            arb_set(product + t * n + s, q);
            for (slong i = 0; i < d; i++)
                arb_submul(x + i, row(a, t, d) + i, q, prec);
        }
    }
    for (slong t = 0; t < n; t++) {
        row_sum(size, l + t * n, t, prec);
        row_sum(by_substitution, inverse + t * n, t, prec);
        row_sum(by_products, product + t * n, t, prec);
    }
    arb_mul(number, size, by_substitution, prec);
    arb_mul(other, size, by_products, prec);
    _arb_vec_clear(l, n * n);
    _arb_vec_clear(inverse, n * n);
    _arb_vec_clear(product, n * n);
    _arb_vec_clear(x, d);
    arb_clear(size);
    arb_clear(by_substitution);
    arb_clear(by_products);
    arb_clear(q);
}

/* Condition numbers at chunk lengths 2, 4, ..., 64 to the table; the bounds of p decided at its length. */
static void examine(check_context *ctx, series *table, int kind, const chunk *c,
                    const condition_parameter *p, const char *name) {
    slong prec = 4 * ctx->prec; /* substitution loses about two bits a step */
    arb_ptr k = _arb_vec_init(LONGEST * c->d), a = _arb_vec_init(LONGEST * c->d);
    arb_t number, other, bound;
    fmpq_t q;
    arb_init(number);
    arb_init(other);
    arb_init(bound);
    fmpq_init(q);
    directions(k, a, c, prec);
    for (slong n = 2; n <= LONGEST; n *= 2) {
        condition(number, other, k, a, c->d, n, prec);
        claim_two_paths(ctx, "the condition number: substitution, products of Jacobians", number,
                        other, 64);
        enclosure_struct *cell = series_append(table);
        enclosure_set_integer(cell, kind);
        enclosure_set_integer(cell + 1, n);
        enclosure_set_ball(cell + 2, number);
        if (n != p->length)
            continue;
        claim_number_arb(ctx, name, "1", number);
        if (p->low != NULL) {
            vla_rational(q, p->low);
            arb_set_fmpq(bound, q, prec);
            claim_decide_arb(ctx, "condition number > lower figure", number, RELATION_GT, bound);
        }
        if (p->high != NULL) {
            vla_rational(q, p->high);
            arb_set_fmpq(bound, q, prec);
            claim_decide_arb(ctx, "condition number < upper figure", number, RELATION_LT, bound);
        }
    }
    _arb_vec_clear(k, LONGEST * c->d);
    _arb_vec_clear(a, LONGEST * c->d);
    arb_clear(number);
    arb_clear(other);
    arb_clear(bound);
    fmpq_clear(q);
}

static series *new_table(const char *id) {
    static const char *const columns[] = {"kind", "1", "length", "tokens", "condition", "1"};
    return series_new(id, "Condition number of a chunk's triangular system", 3, columns);
}

/* Random features 1..9 and directions -9..9, d = 16. */
void scan_check_random(check_context *ctx, const void *parameter) {
    const condition_parameter *p = parameter;
    exact_random r = {ctx->seed};
    series *table = new_table("vla-chunk-random");
    for (int draw = 0; draw < 4; draw++) {
        chunk c = {.d = 16};
        for (slong t = 0; t < LONGEST; t++)
            for (slong i = 0; i < c.d; i++) {
                c.feature[t][i] = (int)exact_random_integer(&r, 1, 9);
                c.direction[t][i] = (int)exact_random_integer(&r, -9, 9);
                if (p->forgetful)
                    c.feature[t][i] = t % c.d == i ? 1 : 0;
            }
        if (p->forgetful)
            memcpy(c.direction, c.feature, sizeof c.direction);
        examine(ctx, table, draw, &c, p, "condition/random,64");
    }
    claim_table(ctx, table);
}

/* One key over and over, u along it: L is all ones, the condition number 2 length. */
void scan_check_equal(check_context *ctx, const void *parameter) {
    const condition_parameter *p = parameter;
    series *table = new_table("vla-chunk-equal");
    chunk c = {.d = 2};
    for (slong t = 0; t < LONGEST; t++) {
        c.feature[t][0] = 3;
        c.feature[t][1] = p->forgetful && t % 2 ? 1 : 4;
        memcpy(c.direction[t], c.feature[t], sizeof c.direction[t]);
    }
    examine(ctx, table, 0, &c, p, "condition/equal-keys,64");
    claim_table(ctx, table);
}

/* The condition number in doubles, by products of Jacobians: for searching only. */
static double estimate(const chunk *c) {
    int d = (int)c->d;
    double inverse[16][16] = {{0}}, k[LONGEST][16], a[LONGEST][16], size = 1, reach[LONGEST];
    for (int i = 0; i < d; i++)
        inverse[i][i] = 10;
    for (int t = 0; t < LONGEST; t++) {
        double z[16], pivot = 0, norm = 0, write = 0, sum = 1;
        for (int i = 0; i < d; i++) {
            norm += c->feature[t][i] * c->feature[t][i];
            pivot += d * c->direction[t][i] * c->direction[t][i];
            z[i] = 0;
            for (int j = 0; j < d; j++)
                z[i] += inverse[i][j] * c->direction[t][j];
        }
        for (int i = 0; i < d; i++)
            pivot += z[i] * c->direction[t][i];
        for (int i = 0; i < d; i++) {
            k[t][i] = c->feature[t][i] / sqrt(norm);
            for (int j = 0; j < d; j++)
                inverse[i][j] -= z[i] * z[j] / pivot;
        }
        for (int i = 0; i < d; i++) {
            a[t][i] = 0;
            for (int j = 0; j < d; j++)
                a[t][i] += inverse[i][j] * k[t][j];
            write += a[t][i] * a[t][i];
        }
        for (int i = 0; i < d; i++)
            a[t][i] /= sqrt(write);
        for (int s = 0; s < t; s++) {
            double l = 0;
            for (int i = 0; i < d; i++)
                l += a[s][i] * k[t][i];
            sum += fabs(l);
        }
        size = fmax(size, sum);
        reach[t] = 1;
    }
    double most = 1;
    for (int s = 0; s < LONGEST; s++) {
        double x[16];
        memcpy(x, a[s], sizeof x);
        for (int t = s + 1; t < LONGEST; t++) {
            double q = 0;
            for (int i = 0; i < d; i++)
                q += k[t][i] * x[i];
            for (int i = 0; i < d; i++)
                x[i] -= a[t][i] * q;
            reach[t] += fabs(q);
            most = fmax(most, reach[t]);
        }
    }
    return size * most;
}

/* One token after another is changed at random, and the change kept where the estimate grows: positive
   features to 9, directions to 9 in size, d = 8.  What it finds is certified afterwards. */
static void construct(chunk *c, exact_random *r, int trials, int forgetful) {
    double best = 0;
    c->d = 8;
    for (int n = -LONGEST; n < trials; n++) {
        chunk other = *c;
        slong t = n < 0 ? n + LONGEST : exact_random_integer(r, 0, LONGEST - 1);
        for (slong i = 0; i < c->d; i++) {
            int axis = i == t % c->d;
            other.feature[t][i] = forgetful ? axis : (int)exact_random_integer(r, 1, 9);
            other.direction[t][i] = forgetful ? axis : (int)exact_random_integer(r, -9, 9);
        }
        double value = n < 0 ? 0 : estimate(&other);
        if (value >= best) {
            best = value;
            *c = other;
        }
    }
}

/* The chunk that the search finds. */
void scan_check_constructed(check_context *ctx, const void *parameter) {
    const condition_parameter *p = parameter;
    series *table = new_table("vla-chunk-constructed");
    exact_random r = {ctx->seed};
    chunk c = {.d = 8};
    construct(&c, &r, 4000, p->forgetful);
    examine(ctx, table, 0, &c, p, "condition/constructed,64");
    claim_table(ctx, table);
}

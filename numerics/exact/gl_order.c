#include "numerics/exact/gl_order.h"

void exact_gl_order_vec(arb_ptr w, arb_ptr first, arb_ptr second, const arb_t alpha, slong n,
                        slong prec) {
    arb_t w0, w1, w2, a;
    arb_init(w0);
    arb_init(w1);
    arb_init(w2);
    arb_init(a);
    arb_one(w0);
    for (slong j = 0; j < n; j++) {
        if (w != NULL)
            arb_set(w + j, w0);
        if (first != NULL)
            arb_set(first + j, w1);
        if (second != NULL)
            arb_set(second + j, w2);
        arb_add_si(a, alpha, j, prec); /* (w a)'' = w'' a + 2 w', (w a)' = w' a + w */
        if (second != NULL) {
            arb_mul(w2, w2, a, prec);
            arb_addmul_ui(w2, w1, 2, prec);
            arb_div_si(w2, w2, j + 1, prec);
        }
        if (first != NULL || second != NULL) {
            arb_mul(w1, w1, a, prec);
            arb_add(w1, w1, w0, prec);
            arb_div_si(w1, w1, j + 1, prec);
        }
        arb_mul(w0, w0, a, prec);
        arb_div_si(w0, w0, j + 1, prec);
    }
    arb_clear(w0);
    arb_clear(w1);
    arb_clear(w2);
    arb_clear(a);
}

void exact_gl_order_rational_vec(fmpq *w, fmpq *first, const fmpq_t alpha, slong n) {
    fmpq_t a;
    fmpz_t next;
    fmpq_init(a);
    fmpz_init(next);
    for (slong j = 0; j < n; j++) {
        if (j == 0) {
            fmpq_one(w);
            fmpq_zero(first);
            continue;
        }
        fmpz_set_si(next, j - 1);
        fmpq_add_fmpz(a, alpha, next);
        fmpz_set_si(next, j);
        fmpq_mul(first + j, first + j - 1, a);
        fmpq_add(first + j, first + j, w + j - 1);
        fmpq_div_fmpz(first + j, first + j, next);
        fmpq_mul(w + j, w + j - 1, a);
        fmpq_div_fmpz(w + j, w + j, next);
    }
    fmpq_clear(a);
    fmpz_clear(next);
}

void exact_gl_order_polynomial(fmpq *coefficient, slong j) {
    fmpz_t z;
    fmpz_init(z);
    for (slong i = 1; i <= j; i++)
        fmpq_zero(coefficient + i);
    fmpq_one(coefficient);
    for (slong k = 0; k < j; k++) { /* times (alpha+k)/(k+1) */
        for (slong i = k + 1; i >= 0; i--) {
            fmpz_set_si(z, k);
            fmpq_mul_fmpz(coefficient + i, coefficient + i, z);
            if (i > 0)
                fmpq_add(coefficient + i, coefficient + i, coefficient + i - 1);
            fmpz_set_si(z, k + 1);
            fmpq_div_fmpz(coefficient + i, coefficient + i, z);
        }
    }
    fmpz_clear(z);
}

static void harmonic_between(fmpz_t p, fmpz_t q, ulong low, ulong high) {
    if (high - low == 1) {
        fmpz_one(p);
        fmpz_set_ui(q, high);
        return;
    }
    fmpz_t r, s;
    fmpz_init(r);
    fmpz_init(s);
    ulong middle = low + (high - low) / 2;
    harmonic_between(p, q, low, middle);
    harmonic_between(r, s, middle, high);
    fmpz_mul(p, p, s);
    fmpz_addmul(p, r, q);
    fmpz_mul(q, q, s);
    fmpz_clear(r);
    fmpz_clear(s);
}

void exact_harmonic(fmpq_t h, ulong n) {
    fmpq_zero(h);
    if (n == 0)
        return;
    harmonic_between(fmpq_numref(h), fmpq_denref(h), 0, n);
    fmpq_canonicalise(h);
}

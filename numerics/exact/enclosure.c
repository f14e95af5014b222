#include "numerics/exact/enclosure.h"
#include "numerics/exact/number.h"

#include <string.h>

void enclosure_init(enclosure_t x) {
    x->type = ENCLOSURE_RATIONAL;
    fmpq_init(x->rational);
    arb_init(x->ball);
    memset(&x->measured, 0, sizeof x->measured);
}

void enclosure_clear(enclosure_t x) {
    fmpq_clear(x->rational);
    arb_clear(x->ball);
}

void enclosure_set(enclosure_t x, const enclosure_t y) {
    x->type = y->type;
    fmpq_set(x->rational, y->rational);
    arb_set(x->ball, y->ball);
    x->measured = y->measured;
}

void enclosure_set_rational(enclosure_t x, const fmpq_t q) {
    x->type = ENCLOSURE_RATIONAL;
    fmpq_set(x->rational, q);
}

void enclosure_set_integer(enclosure_t x, slong n) {
    x->type = ENCLOSURE_RATIONAL;
    fmpq_set_si(x->rational, n, 1);
}

void enclosure_set_ball(enclosure_t x, const arb_t ball) {
    x->type = ENCLOSURE_BALL;
    arb_set(x->ball, ball);
}

void enclosure_set_measured(enclosure_t x, enclosure_measurement measured) {
    x->type = ENCLOSURE_MEASURED;
    x->measured = measured;
}

void enclosure_get_ball(arb_t ball, const enclosure_t x, slong prec) {
    switch (x->type) {
    case ENCLOSURE_RATIONAL:
        arb_set_fmpq(ball, x->rational, prec);
        break;
    case ENCLOSURE_BALL:
        arb_set(ball, x->ball);
        break;
    case ENCLOSURE_MEASURED: {
        arf_t low, high;
        arf_init(low);
        arf_init(high);
        arf_set_d(low, x->measured.lower);
        arf_set_d(high, x->measured.upper);
        arb_set_interval_arf(ball, low, high, prec);
        arf_clear(low);
        arf_clear(high);
        break;
    }
    }
}

double enclosure_get_double(const enclosure_t x) {
    if (x->type == ENCLOSURE_MEASURED)
        return x->measured.estimate;
    arb_t ball;
    arb_init(ball);
    enclosure_get_ball(ball, x, 64);
    double d = exact_double_mid(ball);
    arb_clear(ball);
    return d;
}

/* sign -1, 0, 1 of a-b -> whether a rel b. */
static int relation_accepts(relation rel, int sign) {
    switch (rel) {
    case RELATION_LT:
        return sign < 0;
    case RELATION_LE:
        return sign <= 0;
    case RELATION_EQ:
        return sign == 0;
    case RELATION_GE:
        return sign >= 0;
    case RELATION_GT:
        break;
    }
    return sign > 0;
}

static truth compare_rationals(arf_t margin, const fmpq_t a, relation rel, const fmpq_t b) {
    fmpq_t difference;
    fmpq_init(difference);
    fmpq_sub(difference, a, b);
    int sign = fmpq_sgn(difference);
    fmpq_abs(difference, difference);
    arf_fmpz_div_fmpz(margin, fmpq_numref(difference), fmpq_denref(difference), 53, ARF_RND_DOWN);
    fmpq_clear(difference);
    return relation_accepts(rel, sign) ? TRUTH_HOLDS : TRUTH_FAILS;
}

truth enclosure_compare(arf_t margin, const enclosure_t a, relation rel, const enclosure_t b,
                        slong prec) {
    arf_zero(margin);
    if (a->type == ENCLOSURE_MEASURED || b->type == ENCLOSURE_MEASURED)
        return TRUTH_UNDECIDED;
    if (a->type == ENCLOSURE_RATIONAL && b->type == ENCLOSURE_RATIONAL)
        return compare_rationals(margin, a->rational, rel, b->rational);
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    enclosure_get_ball(x, a, prec);
    enclosure_get_ball(y, b, prec);
    truth result = TRUTH_UNDECIDED;
    if (arb_is_finite(x) && arb_is_finite(y)) {
        arb_sub(x, x, y, prec);
        if (arb_is_nonzero(x)) {
            int sign = arb_is_positive(x) ? 1 : -1;
            arb_get_abs_lbound_arf(margin, x, 53);
            result = relation_accepts(rel, sign) ? TRUTH_HOLDS : TRUTH_FAILS;
        } else if (arb_is_zero(x)) {
            result = relation_accepts(rel, 0) ? TRUTH_HOLDS : TRUTH_FAILS;
        } else if ((rel == RELATION_LE && arb_is_nonpositive(x)) ||
                   (rel == RELATION_GE && arb_is_nonnegative(x))) {
            result = TRUTH_HOLDS;
        } else if ((rel == RELATION_LT && arb_is_nonnegative(x)) ||
                   (rel == RELATION_GT && arb_is_nonpositive(x))) {
            result = TRUTH_FAILS;
        }
    }
    arb_clear(x);
    arb_clear(y);
    return result;
}

static const char *const symbols[] = {"<", "<=", "=", ">=", ">"};

const char *relation_symbol(relation rel) {
    return symbols[rel];
}

int relation_from_symbol(relation *rel, const char *text) {
    for (int i = 0; i < 5; i++)
        if (strcmp(text, symbols[i]) == 0) {
            *rel = (relation)i;
            return 1;
        }
    return 0;
}

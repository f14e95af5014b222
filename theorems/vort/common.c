#include "theorems/vort/common.h"
#include "numerics/exact/number.h"

const char *const vort_orders_open[] = {"1/100", "1/10", "3/10",  "7/20", "1/2",
                                        "2/3",   "4/5",  "19/20", NULL};

void vort_rational(fmpq_t x, const char *text) {
    exact_parse_rational(x, text);
}

void vort_one_minus(fmpq_t out, const fmpq_t x) {
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    fmpq_sub(out, one, x);
    fmpq_clear(one);
}

fmpq *vort_orders(check_context *ctx, const vort_parameter *p, slong *count) {
    fmpq *list = _fmpq_vec_init(VORT_MAX_ORDERS);
    if (p->orders == vort_orders_open) {
        *count = claim_orders(ctx, list, VORT_MAX_ORDERS, p->orders);
    } else {
        for (*count = 0; p->orders[*count] != NULL; (*count)++)
            vort_rational(list + *count, p->orders[*count]);
    }
    return list;
}

void vort_orders_free(fmpq *orders) {
    _fmpq_vec_clear(orders, VORT_MAX_ORDERS);
}

#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "numerics/exact/soe.h"

void soe_kernel_init(soe_kernel_t kernel, soe_kernel_kind kind, const fmpq_t order) {
    kernel->kind = kind;
    fmpq_init(kernel->order);
    fmpq_set(kernel->order, order);
}

void soe_kernel_clear(soe_kernel_t kernel) {
    fmpq_clear(kernel->order);
}

void soe_sum_init(soe_sum_t sum, slong terms, soe_form form) {
    sum->terms = terms;
    sum->form = form;
    sum->weight = _fmpq_vec_init(FLINT_MAX(terms, 1));
    sum->mode = _fmpq_vec_init(FLINT_MAX(terms, 1));
}

void soe_sum_clear(soe_sum_t sum) {
    _fmpq_vec_clear(sum->weight, FLINT_MAX(sum->terms, 1));
    _fmpq_vec_clear(sum->mode, FLINT_MAX(sum->terms, 1));
}

void soe_sum_set(soe_sum_t to, const soe_sum_t from) {
    if (to == from)
        return;
    soe_sum_clear(to);
    soe_sum_init(to, from->terms, from->form);
    for (slong s = 0; s < from->terms; s++) {
        fmpq_set(to->weight + s, from->weight + s);
        fmpq_set(to->mode + s, from->mode + s);
    }
}

void soe_kernel_value(arb_t value, const soe_kernel_t kernel, const arf_t t, slong prec) {
    if (kernel->kind == SOE_KERNEL_GL) {
        fmpz_t j;
        fmpz_init(j);
        arf_get_fmpz(j, t, ARF_RND_NEAR);
        exact_gl_ball(value, kernel->order, j, prec);
        fmpz_clear(j);
    } else {
        arb_t x, e;
        arb_init(x);
        arb_init(e);
        arb_set_arf(x, t);
        arb_set_fmpq(e, kernel->order, prec + 32);
        arb_neg(e, e);
        arb_pow(value, x, e, prec);
        arb_clear(x);
        arb_clear(e);
    }
}

void soe_sum_value(arb_t value, const soe_sum_t sum, const arf_t t, slong prec) {
    arb_t rate, x, c;
    fmpz_t j;
    arb_init(rate);
    arb_init(x);
    arb_init(c);
    fmpz_init(j);
    arb_zero(value);
    int small_integer = arf_is_int(t) && arf_cmpabs_2exp_si(t, 16) <= 0;
    for (slong s = 0; s < sum->terms; s++) {
        arb_set_fmpq(rate, sum->mode + s, prec + 32);
        if (sum->form == SOE_NODE && small_integer) {
            arf_get_fmpz(j, t, ARF_RND_NEAR);
            arb_pow_ui(x, rate, fmpz_get_ui(j), prec);
        } else {
            if (sum->form == SOE_NODE) {
                arb_log(rate, rate, prec + 32);
                arb_neg(rate, rate);
            }
            arb_mul_arf(x, rate, t, prec + 32);
            arb_neg(x, x);
            arb_exp(x, x, prec);
        }
        arb_set_fmpq(c, sum->weight + s, prec);
        arb_addmul(value, c, x, prec);
    }
    arb_clear(rate);
    arb_clear(x);
    arb_clear(c);
    fmpz_clear(j);
}

static const char *const method_names[SOE_METHODS] = {"sinc", "trapezoid", "legendre", "laguerre",
                                                      "jacobi"};

const char *soe_method_name(soe_method method) {
    return method_names[method];
}

int soe_method_from_name(soe_method *method, const char *name) {
    for (int i = 0; i < SOE_METHODS; i++) {
        const char *a = method_names[i], *b = name;
        while (*a != '\0' && *a == *b) {
            a++;
            b++;
        }
        if (*a == *b) {
            *method = (soe_method)i;
            return 1;
        }
    }
    return 0;
}

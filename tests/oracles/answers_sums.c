/* Sums of exponentials, banks, Gram matrices. */
#include "tests/oracles/answers.h"
#include "numerics/exact/banks.h"
#include "numerics/exact/soe.h"
#include "numerics/exact/soe_minimax.h"
#include "numerics/exact/soe_refit.h"
#include "numerics/exact/soe_theory.h"
#include "theorems/vort/l2_lower_bound/l2.h"

/* ---- sums of exponentials ---- */

static void put_sum(const soe_sum_t sum) {
    put_list(sum->weight, sum->terms);
    put_list(sum->mode, sum->terms);
}

/* gl|power order */
static void get_kernel(soe_kernel_t kernel) {
    fmpq_t order;
    fmpq_init(order);
    const char *kind = word();
    get_q(order);
    soe_kernel_init(kernel, strcmp(kind, "gl") == 0 ? SOE_KERNEL_GL : SOE_KERNEL_POWER, order);
    fmpq_clear(order);
}

/* rate|node, weights, modes */
static void get_sum(soe_sum_t sum) {
    slong n, m;
    soe_form form = strcmp(word(), "rate") == 0 ? SOE_RATE : SOE_NODE;
    fmpq *weight = get_list(&n), *mode = get_list(&m);
    soe_sum_init(sum, n, form);
    for (slong i = 0; i < n; i++) {
        fmpq_set(sum->weight + i, weight + i);
        fmpq_set(sum->mode + i, mode + i);
    }
    _fmpq_vec_clear(weight, n);
    _fmpq_vec_clear(mode, m);
}

void answer_soe(const char *name) {
    soe_kernel_t kernel;
    soe_sum_t sum;
    fmpz_t horizon;
    fmpz_init(horizon);
    get_kernel(kernel);
    get_z(horizon);
    soe_error error = strcmp(word(), "relative") == 0 ? SOE_RELATIVE : SOE_ABSOLUTE;
    if (strcmp(name, "certify") == 0) { /* lower, upper, at; beyond lower, upper if wanted */
        soe_bound_t b;
        soe_bound_init(b);
        int beyond = (int)get_si();
        get_sum(sum);
        if (soe_certify(b, kernel, sum, horizon, error, beyond, 1e-9, 128) != SOE_OK)
            printf(" failed");
        put_arf(b->lower);
        put_arf(b->upper);
        put_arf(b->at);
        if (beyond) {
            put_arf(b->beyond_lower);
            put_arf(b->beyond_upper);
        }
        soe_bound_clear(b);
        soe_sum_clear(sum);
    } else if (strcmp(name, "minimax") == 0) { /* terms: weights, rates, lower, points */
        soe_minimax_t m;
        arf_t lower;
        soe_minimax_init(m);
        arf_init(lower);
        if (soe_minimax(m, kernel, horizon, error, get_si(), 1e-6, NULL, NULL) != SOE_OK)
            printf(" failed");
        soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, error, 256);
        put_sum(m->sum);
        put_arf(lower);
        for (slong i = 0; i < m->points; i++)
            put_arf(m->point + i);
        arf_clear(lower);
        soe_minimax_clear(m);
    } else { /* refit: a sum in rate form; weights, lower */
        arf_t lower;
        arf_init(lower);
        get_sum(sum);
        if (soe_refit(sum, lower, kernel, horizon) != SOE_OK)
            printf(" failed");
        put_list(sum->weight, sum->terms);
        put_arf(lower);
        arf_clear(lower);
        soe_sum_clear(sum);
    }
    soe_kernel_clear(kernel);
    fmpz_clear(horizon);
}

/* method alpha terms, for the methods with an interval also low high (doubles) */
void answer_method(const char *name) {
    soe_method method;
    soe_sum_t sum;
    fmpq_t alpha, q;
    fmpq_init(alpha);
    fmpq_init(q);
    if (!soe_method_from_name(&method, word()))
        exit(2);
    get_q(alpha);
    slong terms = get_si();
    soe_sum_init(sum, terms, SOE_RATE);
    int ok;
    if (strcmp(name, "interval") == 0) {
        get_q(q);
        double low = fmpz_get_d(fmpq_numref(q)) / fmpz_get_d(fmpq_denref(q));
        get_q(q);
        double high = fmpz_get_d(fmpq_numref(q)) / fmpz_get_d(fmpq_denref(q));
        ok = soe_from_interval(sum, method, alpha, terms, low, high, 200) == SOE_OK;
    } else {
        ok = soe_from_gauss(sum, method, alpha, terms, 200) == SOE_OK;
    }
    printf(ok ? sum->form == SOE_RATE ? " rate" : " node" : " failed");
    put_sum(sum);
    soe_sum_clear(sum);
    fmpq_clear(q);
    fmpq_clear(alpha);
}

void answer_theory(const char *name) {
    enum { PREC = 170 };
    fmpq_t order, q;
    fmpz_t T;
    arb_t x, y;
    fmpq_init(order);
    fmpq_init(q);
    fmpz_init(T);
    arb_init(x);
    arb_init(y);
    get_q(order);
    if (name[0] == 't') { /* T error: terms-power, terms-gl, terms-matrix, terms-explicit */
        get_z(T);
        get_q(q);
        arb_set_fmpq(y, q, PREC);
        arb_log_fmpz(x, T, PREC);
        slong n = strcmp(name, "terms-power") == 0 ? soe_terms_power_lower(order, x, y, PREC)
                  : strcmp(name, "terms-gl") == 0  ? soe_terms_gl_lower(order, x, y, PREC)
                  : strcmp(name, "terms-matrix") == 0
                      ? soe_terms_gl_matrix_lower(order, T, y, 64)
                      : soe_terms_explicit(order, T, (int)get_si(), y, PREC);
        printf(" %ld", (long)n);
    } else { /* h: symbol, aliasing */
        get_q(q);
        arb_set_fmpq(y, q, PREC);
        if (strcmp(name, "symbol") == 0)
            soe_symbol_ratio(x, order, y, PREC);
        else
            soe_aliasing_bound(x, order, y, PREC);
        put_ball(x);
    }
    arb_clear(x);
    arb_clear(y);
    fmpz_clear(T);
    fmpq_clear(q);
    fmpq_clear(order);
}

/* ---- banks ---- */

void answer_banks(const char *name) {
    banks_norm norm;
    fmpq_t a, b;
    fmpz_t T, worst;
    arb_t d;
    fmpq_init(a);
    fmpq_init(b);
    fmpz_init(T);
    fmpz_init(worst);
    arb_init(d);
    if (!banks_norm_from_name(&norm, word()))
        exit(2);
    get_q(a);
    get_z(T);
    if (strcmp(name, "distance") == 0) {
        get_q(b);
        banks_distance(d, worst, norm, a, b, T, 170);
        put_ball(d);
        printf(" ");
        fmpz_print(worst);
    } else if (strcmp(name, "uniform") == 0) {
        banks_uniform_error(d, norm, a, T, get_si(), 170);
        put_ball(d);
    } else { /* place: banks, orders, edges, error, nearest error, chain */
        banks_design p;
        banks_design_init(&p);
        get_q(b);
        if (banks_place(&p, norm, a, T, b, NULL) != BANKS_OK)
            printf(" failed");
        printf(" %ld %ld %ld", (long)p.banks, (long)p.needed, (long)p.uniform);
        put_list(p.order, p.banks);
        put_list(p.edge, p.banks + 1);
        put_arf(p.error);
        put_arf(p.nearest_error);
        put_list(p.apart, p.chain);
        banks_design_clear(&p);
    }
    arb_clear(d);
    fmpz_clear(worst);
    fmpz_clear(T);
    fmpq_clear(b);
    fmpq_clear(a);
}

/* alpha lags nodes: N^2, projections; squared distance from the span of x_s^j on 1 .. lags */
void answer_l2(const char *name) {
    (void)name;
    fmpq_t alpha;
    arb_t x;
    slong n;
    fmpq_init(alpha);
    arb_init(x);
    get_q(alpha);
    slong lags = get_si();
    fmpq *node = get_list(&n);
    arb_ptr b = _arb_vec_init(n);
    l2_projections(x, b, alpha, node, n, lags, 200);
    put_ball(x);
    put_balls(b, n);
    l2_distance(x, alpha, node, n, lags);
    put_ball(x);
    _arb_vec_clear(b, n);
    _fmpq_vec_clear(node, n > 0 ? n : 1);
    arb_clear(x);
    fmpq_clear(alpha);
}

/* Data of the figures: the error of a best sum between its two bounds, and where each method puts its
   modes. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "theorems/vort/soe_terms/bounds.h"
#include "theorems/vort/soe_terms/table.h"

enum { TERMS = 12 };

static void write_modes(series *s, slong method, const soe_sum_t sum) {
    for (slong i = 0; i < sum->terms; i++) {
        enclosure_struct *cell = series_append(s);
        enclosure_set_integer(cell, method);
        enclosure_set_rational(cell + 1, sum->mode + i);
        enclosure_set_rational(cell + 2, sum->weight + i);
    }
}

/* The whole table, with S* / ln(T/epsilon): "S <= C ln(T/epsilon)" is refuted by the cell for any C
   below that. */
static series *all_cells(check_context *ctx) {
    static const char *const columns[] = {"relative", "1", "horizon", "1", "alpha",    "1",
                                          "digits",   "1", "terms",   "1", "constant", "1"};
    series *s = series_new("vort-soe-cells", "Least number of terms", 6, columns);
    slong count = table_cells(ctx);
    fmpq_t q;
    arb_t x, t;
    fmpq_init(q);
    arb_init(x);
    arb_init(t);
    for (slong i = 0; i < count; i++) {
        table_cell c;
        table_cell_init(&c);
        table_read(ctx, &c, i);
        enclosure_struct *row = series_append(s);
        fmpq_set_fmpz(q, c.horizon);
        enclosure_set_integer(row, c.error == SOE_RELATIVE);
        enclosure_set_rational(row + 1, q);
        enclosure_set_rational(row + 2, c.alpha);
        enclosure_set_integer(row + 3, c.digits);
        enclosure_set_integer(row + 4, c.terms);
        table_log_target(x, &c, 64);
        arb_neg(x, x);
        arb_set_fmpq(t, q, 64);
        arb_log(t, t, 64);
        arb_add(x, x, t, 64);
        arb_set_si(t, c.terms);
        arb_div(x, t, x, 64);
        enclosure_set_ball(row + 5, x);
        table_cell_clear(&c);
    }
    fmpq_clear(q);
    arb_clear(x);
    arb_clear(t);
    return s;
}

/* One curve a horizon: alpha = 1/2, relative error. */
static series *curves(check_context *ctx) {
    static const char *const columns[] = {"horizon", "1", "digits", "1", "terms", "1"};
    series *s = series_new("vort-soe-laws", "Least number of terms against accuracy", 3, columns);
    slong count = table_cells(ctx);
    fmpz_t horizon;
    fmpq_t q;
    fmpz_init_set_ui(horizon, 100);
    fmpq_init(q);
    for (int h = 0; h < 4; h++) {
        for (slong i = 0; i < count; i++) {
            table_cell c;
            table_cell_init(&c);
            table_read(ctx, &c, i);
            if (c.error == SOE_RELATIVE && fmpz_equal(c.horizon, horizon) &&
                fmpz_cmp_si(fmpq_denref(c.alpha), 2) == 0) {
                enclosure_struct *row = series_append(s);
                fmpq_set_fmpz(q, horizon);
                enclosure_set_rational(row, q);
                enclosure_set_integer(row + 1, c.digits);
                enclosure_set_integer(row + 2, c.terms);
            }
            table_cell_clear(&c);
        }
        fmpz_mul_ui(horizon, horizon, h == 2 ? 1000 : 100);
    }
    fmpz_clear(horizon);
    fmpq_clear(q);
    return s;
}

/* alpha = 1/2, T = 10^6, relative error, 12 terms.  number: factor of the supremum (1). */
void check_drawn_terms(check_context *ctx, const void *parameter) {
    const vort_parameter *p = parameter;
    static const char *const columns[] = {"t", "steps", "error", "1", "upper", "1", "lower", "1"};
    static const char *const mode_columns[] = {"method", "1", "rate", "1/step", "weight", "1"};
    series *curve = series_new("vort-soe-equioscillation", "Relative error of the best 12-term sum",
                               4, columns),
           *modes =
               series_new("vort-soe-nodes", "Rates and weights of 12-term sums", 3, mode_columns);
    fmpq_t alpha, factor, q;
    fmpz_t horizon, j;
    arb_t x, w, upper, lower, limit, size;
    arf_t t, low;
    soe_minimax_t best;
    soe_kernel_t kernel;
    soe_bound_t bound;
    soe_sum_t sum;
    soe_design design;
    fmpq_init(alpha);
    fmpq_init(factor);
    fmpq_init(q);
    fmpz_init(horizon);
    fmpz_init(j);
    arb_init(x);
    arb_init(w);
    arb_init(upper);
    arb_init(lower);
    arb_init(limit);
    arb_init(size);
    arf_init(t);
    arf_init(low);
    soe_minimax_init(best);
    soe_bound_init(bound);
    soe_sum_init(sum, 1, SOE_RATE);
    vort_rational(alpha, "1/2");
    vort_rational(factor, p->number);
    exact_parse_integer(horizon, "1e6");
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_status status = soe_minimax(best, kernel, horizon, SOE_RELATIVE, TERMS, 1e-4, NULL, NULL);
    claim_decide_si(ctx, "the search settles", status == SOE_OK, RELATION_EQ, 1);
    soe_alternation_lower(low, kernel, best->sum, best->point, best->points, SOE_RELATIVE, 256);
    soe_certify(bound, kernel, best->sum, horizon, SOE_RELATIVE, 0, 1e-3, 128);
    arb_set_arf(lower, low);
    arb_set_arf(upper, bound->upper);
    arb_mul_fmpz(limit, upper, fmpq_numref(factor), 128);
    arb_div_fmpz(limit, limit, fmpq_denref(factor), 128);
    /* the two bounds are 1% apart at most, and every point drawn is below the upper one */
    arb_mul_ui(x, lower, 101, 128);
    arb_div_ui(x, x, 100, 128);
    claim_decide_arb(ctx, "upper bound <= 1.01 lower bound", upper, RELATION_LE, x);
    fmpz_one(j);
    for (int last = 0; !last;) {
        if (fmpz_cmp(j, horizon) >= 0) {
            fmpz_set(j, horizon);
            last = 1;
        }
        arf_set_fmpz(t, j);
        exact_gl_ball(w, alpha, j, 128);
        soe_sum_value(x, best->sum, t, 128);
        arb_sub(x, w, x, 128);
        arb_div(x, x, w, 128);
        arb_abs(size, x);
        claim_decide_arb(ctx, "|relative error| <= supremum at every point drawn", size,
                         RELATION_LE, limit);
        enclosure_struct *cell = series_append(curve);
        fmpq_set_fmpz(q, j);
        enclosure_set_rational(cell, q);
        enclosure_set_ball(cell + 1, x);
        enclosure_set_ball(cell + 2, upper);
        enclosure_set_ball(cell + 3, lower);
        fmpz_t step;
        fmpz_init(step);
        fmpz_fdiv_q_2exp(step, j, 6);
        fmpz_add_ui(step, step, 1);
        fmpz_add(j, j, step);
        fmpz_clear(step);
    }
    for (int m = 0; m < SOE_METHODS; m++) {
        soe_design_terms(sum, &design, (soe_method)m, alpha, horizon, SOE_RELATIVE, TERMS, 128);
        write_modes(modes, m, sum);
    }
    write_modes(modes, SOE_METHODS, best->sum);
    claim_table(ctx, curve);
    claim_table(ctx, modes);
    claim_table(ctx, all_cells(ctx));
    claim_table(ctx, curves(ctx));
    fmpq_clear(alpha);
    fmpq_clear(factor);
    fmpq_clear(q);
    fmpz_clear(horizon);
    fmpz_clear(j);
    arb_clear(x);
    arb_clear(w);
    arb_clear(upper);
    arb_clear(lower);
    arb_clear(limit);
    arb_clear(size);
    arf_clear(t);
    arf_clear(low);
    soe_minimax_clear(best);
    soe_kernel_clear(kernel);
    soe_bound_clear(bound);
    soe_sum_clear(sum);
}

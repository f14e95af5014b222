/* vort.soe-rate: data of the figures. */
#include "numerics/exact/gl.h"
#include "numerics/exact/number.h"
#include "theorems/vort/soe_rate/rate.h"

/* ---- data of the figures ---- */

/* Error against t for each method at 24 terms, alpha = 1/2, T = 10^6; decided: below the supremum.
   factor: of that supremum (1). */
void rate_check_drawn(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    static const char *const columns[] = {"method", "1", "t", "steps", "error", "1", "sup", "1"};
    static const char *const sweep_columns[] = {"method", "1", "terms", "1", "sup", "1"};
    series *curve = series_new("vort-soe-error", "Error of 24-term sums against lag", 4, columns);
    series *sweep =
        series_new("vort-soe-terms", "Error against the number of terms", 3, sweep_columns);
    fmpq_t alpha, factor, q;
    fmpz_t horizon, j;
    arb_t x, w, sup, limit;
    arf_t t;
    soe_sum_t sum;
    soe_bound_t bound;
    soe_design design;
    fmpq_init(alpha);
    fmpq_init(factor);
    fmpq_init(q);
    fmpz_init(horizon);
    fmpz_init(j);
    arb_init(x);
    arb_init(w);
    arb_init(sup);
    arb_init(limit);
    arf_init(t);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    vort_rational(alpha, "1/2");
    vort_rational(factor, p->factor);
    exact_parse_integer(horizon, "1e6");
    for (int m = 0; m < SOE_METHODS; m++) {
        soe_design_terms(sum, &design, (soe_method)m, alpha, horizon, SOE_ABSOLUTE, 24, 128);
        rate_certify(bound, sum, alpha, horizon, SOE_ABSOLUTE, 0);
        rate_bound_ball(sup, bound);
        arb_mul_fmpz(limit, sup, fmpq_numref(factor), 64);
        arb_div_fmpz(limit, limit, fmpq_denref(factor), 64);
        arb_get_ubound_arf(arb_midref(limit), limit, 64);
        mag_zero(arb_radref(limit));
        fmpz_one(j);
        for (int last = 0; !last;) {
            if (fmpz_cmp(j, horizon) >= 0) {
                fmpz_set(j, horizon);
                last = 1;
            }
            arf_set_fmpz(t, j);
            exact_gl_ball(w, alpha, j, 128);
            soe_sum_value(x, sum, t, 128);
            arb_sub(x, w, x, 128);
            arb_abs(x, x);
            claim_decide_arb(ctx, "|error| <= supremum at every point drawn", x, RELATION_LE,
                             limit);
            enclosure_struct *cell = series_append(curve);
            enclosure_set_integer(cell, m);
            fmpq_set_fmpz(q, j);
            enclosure_set_rational(cell + 1, q);
            enclosure_set_ball(cell + 2, x);
            enclosure_set_ball(cell + 3, sup);
            fmpz_t step;
            fmpz_init(step);
            fmpz_fdiv_q_2exp(step, j, 5);
            fmpz_add_ui(step, step, 1);
            fmpz_add(j, j, step);
            fmpz_clear(step);
        }
    }
    const series *s = design_table(ctx);
    design_row row;
    design_row_init(&row);
    for (int m = 0; m < SOE_METHODS; m++)
        for (slong k = 0; k < SWEEP; k++) {
            row.method = (soe_method)m;
            row.error = SOE_ABSOLUTE;
            row.terms = sweep_terms[k];
            vort_rational(row.alpha, "1/2");
            fmpz_set_ui(row.horizon, 1000);
            const enclosure_struct *found = design_sup(s, &row);
            claim_decide_si(ctx, "the sweep has a row for every method and S", found != NULL,
                            RELATION_EQ, 1);
            if (found == NULL)
                continue;
            enclosure_struct *cell = series_append(sweep);
            enclosure_set_integer(cell, m);
            enclosure_set_integer(cell + 1, row.terms);
            enclosure_set(cell + 2, found);
        }
    design_row_clear(&row);
    claim_table(ctx, curve);
    claim_table(ctx, sweep);
    fmpq_clear(alpha);
    fmpq_clear(factor);
    fmpq_clear(q);
    fmpz_clear(horizon);
    fmpz_clear(j);
    arb_clear(x);
    arb_clear(w);
    arb_clear(sup);
    arb_clear(limit);
    arf_clear(t);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
}

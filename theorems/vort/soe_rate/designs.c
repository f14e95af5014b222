/* vort.soe-rate: the committed table of designs, and how their errors fall. */
#include "numerics/exact/number.h"
#include "theorems/vort/soe_rate/rate.h"

void rate_set_double(fmpq_t x, double d) {
    arf_t a;
    arf_init_set_ui(a, 0);
    arf_set_d(a, d);
    exact_rational_from_arf(x, a);
    arf_clear(a);
}

/* sup := the ball [lower, upper] of a certified supremum. */
void rate_bound_ball(arb_t sup, const soe_bound_t bound) {
    arb_set_interval_arf(sup, bound->lower, bound->upper, 128);
}

/* bound := the certified supremum of |w_j - sum| over the integers of [1,horizon]. */
soe_status rate_certify(soe_bound_t bound, const soe_sum_t sum, const fmpq_t alpha,
                        const fmpz_t horizon, soe_error error, int beyond) {
    soe_kernel_t kernel;
    soe_kernel_init(kernel, SOE_KERNEL_GL, alpha);
    soe_status status = soe_certify(bound, kernel, sum, horizon, error, beyond, 1e-3, 128);
    soe_kernel_clear(kernel);
    return status;
}

/* ---- the committed table of designs ---- */

static const char certificate_id[] = "certificate-sup-errors";
static const char *const certificate_columns[] = {"method",   "1", "alpha", "1", "horizon", "1",
                                                  "relative", "1", "terms", "1", "low",     "1",
                                                  "high",     "1", "sup",   "1"};
enum { COLUMNS = 8 };

void design_row_init(design_row *r) {
    fmpq_init(r->alpha);
    fmpz_init(r->horizon);
    r->method = SOE_SINC;
    r->error = SOE_ABSOLUTE;
    r->terms = 1;
    r->design.low = r->design.high = 0;
}

void design_row_clear(design_row *r) {
    fmpq_clear(r->alpha);
    fmpz_clear(r->horizon);
}

static slong cell_integer(const series *s, slong row, const char *column) {
    return fmpz_get_si(fmpq_numref(series_cell(s, row, column)->rational));
}

void design_row_read(design_row *r, const series *s, slong row) {
    r->method = (soe_method)(cell_integer(s, row, "method") % SOE_METHODS);
    r->error = cell_integer(s, row, "relative") ? SOE_RELATIVE : SOE_ABSOLUTE;
    r->terms = cell_integer(s, row, "terms");
    fmpq_set(r->alpha, series_cell(s, row, "alpha")->rational);
    fmpz_set(r->horizon, fmpq_numref(series_cell(s, row, "horizon")->rational));
    r->design.low = fmpq_get_d(series_cell(s, row, "low")->rational);
    r->design.high = fmpq_get_d(series_cell(s, row, "high")->rational);
}

static void row_write(series *s, const design_row *r, const arb_t sup) {
    enclosure_struct *cell = series_append(s);
    fmpq_t q;
    fmpq_init(q);
    enclosure_set_integer(cell, (slong)r->method);
    enclosure_set_rational(cell + 1, r->alpha);
    fmpq_set_fmpz(q, r->horizon);
    enclosure_set_rational(cell + 2, q);
    enclosure_set_integer(cell + 3, r->error == SOE_RELATIVE);
    enclosure_set_integer(cell + 4, r->terms);
    rate_set_double(q, r->design.low);
    enclosure_set_rational(cell + 5, q);
    rate_set_double(q, r->design.high);
    enclosure_set_rational(cell + 6, q);
    enclosure_set_ball(cell + 7, sup);
    fmpq_clear(q);
}

/* The committed supremum of the same method, order, horizon, error and number of terms, or NULL. */
const enclosure_struct *design_sup(const series *s, const design_row *r) {
    design_row other;
    const enclosure_struct *found = NULL;
    design_row_init(&other);
    for (slong i = 0; s != NULL && i < s->rows && found == NULL; i++) {
        design_row_read(&other, s, i);
        if (other.method == r->method && other.error == r->error && other.terms == r->terms &&
            fmpq_equal(other.alpha, r->alpha) && fmpz_equal(other.horizon, r->horizon))
            found = series_cell(s, i, "sup");
    }
    design_row_clear(&other);
    return found;
}

/* sum := the row's design, with terms fewer by less. */
static soe_status row_sum(soe_sum_t sum, const design_row *r, slong less) {
    slong terms = FLINT_MAX(r->terms - less, 1);
    if (r->method == SOE_LAGUERRE || r->method == SOE_JACOBI)
        return soe_from_gauss(sum, r->method, r->alpha, terms, 192);
    return soe_from_interval(sum, r->method, r->alpha, terms, r->design.low, r->design.high, 192);
}

const slong sweep_terms[SWEEP] = {4, 6, 8, 12, 16, 24, 32, 48, 64};

/* The rows that the table has: every method on a grid, and a sweep in S for the figure. */
static slong grid_rows(design_row **rows) {
    static const char *const alphas[] = {"1/10", "1/2", "19/20"};
    static const char *const horizons[] = {"1000", "1e6", "1e9"};
    slong n = 0, room = SOE_METHODS * (3 * 3 * 2 * 2 + SWEEP);
    *rows = flint_malloc((size_t)room * sizeof **rows);
    for (int m = 0; m < SOE_METHODS; m++) {
        for (int a = 0; a < 3; a++)
            for (int t = 0; t < 3; t++)
                for (int e = 0; e < 2; e++)
                    for (slong terms = 20; terms <= 40; terms += 20, n++) {
                        design_row *r = *rows + n;
                        design_row_init(r);
                        r->method = (soe_method)m;
                        r->error = e ? SOE_RELATIVE : SOE_ABSOLUTE;
                        r->terms = terms;
                        vort_rational(r->alpha, alphas[a]);
                        exact_parse_integer(r->horizon, horizons[t]);
                    }
        for (int s = 0; s < SWEEP; s++, n++) {
            design_row *r = *rows + n;
            design_row_init(r);
            r->method = (soe_method)m;
            r->terms = sweep_terms[s];
            vort_rational(r->alpha, "1/2");
            exact_parse_integer(r->horizon, "1000");
        }
    }
    return n;
}

/* The committed table, or NULL after saying that it is missing. */
const series *design_table(check_context *ctx) {
    const series *s = claim_certificate(ctx, certificate_id);
    claim_decide_si(ctx, "the committed table of designs is there (make baseline writes it)",
                    s != NULL && s->columns == COLUMNS && s->rows > 0, RELATION_EQ, 1);
    return s != NULL && s->columns == COLUMNS && s->rows > 0 ? s : NULL;
}

/* One design: its supremum over every integer of [1,T] is known to 10^-3 and is the committed one. */
static void decide_row(check_context *ctx, const design_row *r, const enclosure_struct *pinned,
                       const table_parameter *p, series *table) {
    soe_sum_t sum;
    soe_bound_t bound;
    arb_t sup, before, width;
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    arb_init(sup);
    arb_init(before);
    arb_init(width);
    soe_status status = row_sum(sum, r, p->less);
    claim_decide_si(ctx, "the design can be built", status == SOE_OK, RELATION_EQ, 1);
    if (status == SOE_OK) {
        status = rate_certify(bound, sum, r->alpha, r->horizon, r->error, 0);
        rate_bound_ball(sup, bound);
        claim_decide_si(ctx, "supremum enclosed to 10^-3", status == SOE_OK, RELATION_EQ, 1);
        if (pinned != NULL) {
            enclosure_get_ball(before, pinned, 128);
            claim_two_paths(ctx, "supremum = the committed one", sup, before, 8);
        }
        if (table != NULL)
            row_write(table, r, sup);
    }
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    arb_clear(sup);
    arb_clear(before);
    arb_clear(width);
}

/* quick: every 7th committed row; full: all; extended: the designs are searched again.  With --set,
   every method for the order, horizon and number of terms given. */
void rate_check_sup_errors(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    const fmpq *alpha = claim_setting(ctx, "alpha"), *horizon = claim_setting(ctx, "horizon"),
               *terms = claim_setting(ctx, "terms");
    design_row row;
    if (alpha != NULL || horizon != NULL || terms != NULL) {
        series *table =
            series_new("vort-soe-given", "Suprema for the order, horizon and terms given", COLUMNS,
                       certificate_columns);
        for (int m = 0; m < SOE_METHODS; m++) {
            soe_sum_t sum;
            soe_sum_init(sum, 1, SOE_RATE);
            design_row_init(&row);
            row.method = (soe_method)m;
            row.terms = terms ? fmpz_get_si(fmpq_numref(terms)) : 20;
            fmpz_set_ui(row.horizon, 1000);
            if (horizon)
                fmpz_set(row.horizon, fmpq_numref(horizon));
            vort_rational(row.alpha, "1/2");
            if (alpha)
                fmpq_set(row.alpha, alpha);
            soe_design_terms(sum, &row.design, row.method, row.alpha, row.horizon, row.error,
                             row.terms, 192);
            decide_row(ctx, &row, NULL, p, table);
            design_row_clear(&row);
            soe_sum_clear(sum);
        }
        claim_decide_si(ctx, "all methods were tried", table->rows + p->less, RELATION_EQ,
                        SOE_METHODS);
        claim_table(ctx, table);
        return;
    }
    const series *s = design_table(ctx);
    slong units = ctx->level == LEVEL_QUICK ? 2 : 8;
    if (ctx->level == LEVEL_EXTENDED) {
        series *table = series_new(certificate_id, "Certified suprema of sums of exponentials",
                                   COLUMNS, certificate_columns);
        design_row *rows;
        slong n = grid_rows(&rows);
        for (slong i = 0; i < n; i++) {
            if (i % units == ctx->index) {
                soe_sum_t sum;
                soe_sum_init(sum, 1, SOE_RATE);
                soe_design_terms(sum, &rows[i].design, rows[i].method, rows[i].alpha,
                                 rows[i].horizon, rows[i].error, rows[i].terms, 192);
                decide_row(ctx, rows + i, design_sup(s, rows + i), p, table);
                soe_sum_clear(sum);
            }
            design_row_clear(rows + i);
        }
        flint_free(rows);
        claim_table(ctx, table);
        return;
    }
    slong looked_at = 0;
    for (slong i = 0; s != NULL && i < s->rows; i++) {
        if (ctx->level == LEVEL_QUICK ? i % 14 != 7 * ctx->index : i % units != ctx->index)
            continue;
        design_row_init(&row);
        design_row_read(&row, s, i);
        decide_row(ctx, &row, series_cell(s, i, "sup"), p, NULL);
        design_row_clear(&row);
        looked_at++;
    }
    claim_sample(ctx, looked_at, s != NULL ? s->rows : 0);
}

/* ---- root-exponential ---- */

/* out := -ln sup of the method at alpha = 1/2 with that many terms. */
static int log_error(check_context *ctx, arb_t out, const growth_parameter *p, slong terms,
                     const series *s) {
    design_row row;
    soe_sum_t sum;
    soe_bound_t bound;
    int found = 0;
    design_row_init(&row);
    soe_sum_init(sum, 1, SOE_RATE);
    soe_bound_init(bound);
    if (p->method == SOE_JACOBI) {
        row.method = SOE_JACOBI;
        row.terms = terms;
        vort_rational(row.alpha, "1/2");
        exact_parse_integer(row.horizon, p->horizon);
        found = 1;
    } else { /* the committed sweep: alpha = 1/2, T = 1000, absolute; the best interval found */
        for (slong i = 0; s != NULL && i < s->rows && !found; i++) {
            design_row_read(&row, s, i);
            found = row.method == p->method && row.terms == terms && row.error == SOE_ABSOLUTE &&
                    fmpz_cmp_si(row.horizon, 1000) == 0 &&
                    fmpz_cmp_si(fmpq_denref(row.alpha), 2) == 0;
        }
    }
    if (found && row_sum(sum, &row, 0) == SOE_OK) {
        rate_certify(bound, sum, row.alpha, row.horizon, SOE_ABSOLUTE, 0);
        rate_bound_ball(out, bound);
        arb_log(out, out, 128);
        arb_neg(out, out);
    } else {
        arb_indeterminate(out);
    }
    claim_decide_si(ctx, "the sweep has a row for every S", found, RELATION_EQ, 1);
    design_row_clear(&row);
    soe_sum_clear(sum);
    soe_bound_clear(bound);
    return found;
}

/* Doubling S multiplies -ln E by sqrt 2 under exp(-c sqrt S), by 2 under rho^S: the line between is
   drawn at 1.7. */
void rate_check_root_exponential(check_context *ctx, const void *parameter) {
    const growth_parameter *p = parameter;
    const series *s = p->method == SOE_JACOBI ? NULL : design_table(ctx);
    arb_t before, after, limit;
    arb_init(before);
    arb_init(after);
    arb_init(limit);
    for (slong terms = p->first; 2 * terms <= p->last; terms *= 2) {
        log_error(ctx, before, p, terms, s);
        log_error(ctx, after, p, 2 * terms, s);
        arb_mul_ui(limit, before, 17, 128);
        arb_div_ui(limit, limit, 10, 128);
        claim_decide_arb(ctx, "-ln E(2S) <= 1.7 (-ln E(S))", after, RELATION_LE, limit);
    }
    /* the law exp(-sqrt(2 pi beta S)), beta = 1/2, beside the last error */
    arb_const_pi(limit, 128);
    arb_mul_si(limit, limit, p->last, 128);
    arb_sqrt(limit, limit, 128);
    arb_div(after, after, limit, 128);
    claim_number_arb(ctx, "-ln E / sqrt(2 pi beta S) at the largest S", "1", after);
    arb_clear(before);
    arb_clear(after);
    arb_clear(limit);
}

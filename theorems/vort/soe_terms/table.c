/* The table S*(alpha, T, epsilon): computed curve by curve at extended, replayed below that. */
#include "theorems/vort/soe_terms/table.h"
#include "numerics/exact/number.h"

#include <string.h>

static const char cells_id[] = "certificate-cells", numbers_id[] = "certificate-numbers";
static const char *const cell_columns[] = {"cell",     "1", "alpha",  "1", "horizon", "1",
                                           "relative", "1", "digits", "1", "terms",   "1"};
/* part 0: best sum, a weight, b rate; part 1: the sum with one term fewer; part 2: its points, in a */
static const char *const number_columns[] = {"cell", "1", "part", "1", "a", "1", "b", "1"};

static const char *const alphas[] = {"1/10", "7/20", "1/2", "4/5", "19/20"};
static const char *const horizons[] = {"100", "10000", "1e6", "1e9"};
enum { ALPHAS = 5, HORIZONS = 4, FIRST_DIGITS = 2, LAST_DIGITS = 14, DIGIT_STEP = 2, TARGETS = 7 };

void table_cell_init(table_cell *c) {
    memset(c, 0, sizeof *c);
    fmpq_init(c->alpha);
    fmpz_init(c->horizon);
    soe_minimax_init(c->best);
    soe_minimax_init(c->fewer);
}

void table_cell_clear(table_cell *c) {
    fmpq_clear(c->alpha);
    fmpz_clear(c->horizon);
    soe_minimax_clear(c->best);
    soe_minimax_clear(c->fewer);
}

void table_log_target(arb_t x, const table_cell *c, slong prec) {
    arb_const_log10(x, prec);
    arb_mul_si(x, x, -c->digits, prec);
}

static slong integer_at(const series *s, slong row, slong column) {
    return fmpz_get_si(fmpq_numref(s->value[row * s->columns + column].rational));
}

/* Order, horizon, kind of error and target of the cell of that index. */
static void grid_cell(table_cell *c, slong index) {
    slong curve = index / TARGETS;
    c->index = index;
    vort_rational(c->alpha, alphas[curve % ALPHAS]);
    exact_parse_integer(c->horizon, horizons[curve / ALPHAS % HORIZONS]);
    c->error = curve / (ALPHAS * HORIZONS) ? SOE_RELATIVE : SOE_ABSOLUTE;
    c->digits = FIRST_DIGITS + DIGIT_STEP * (index % TARGETS);
}

slong table_cells(check_context *ctx) {
    const series *cells = claim_certificate(ctx, cells_id),
                 *numbers = claim_certificate(ctx, numbers_id);
    int there = cells != NULL && numbers != NULL && cells->columns == 6 && numbers->columns == 4 &&
                cells->rows == 2 * ALPHAS * HORIZONS * TARGETS;
    claim_decide_si(ctx, "the committed table is there, all of it (make baseline writes it)", there,
                    RELATION_EQ, 1);
    return there ? cells->rows : 0;
}

/* sum := the rows of that cell and part, or the points of the reference. */
static void read_part(soe_minimax_t m, const series *s, slong cell, int part, int points) {
    slong count = 0, n = 0;
    for (slong r = 0; r < s->rows; r++)
        count += integer_at(s, r, 0) == cell && integer_at(s, r, 1) == part;
    if (points) {
        m->point = flint_malloc((size_t)(count + 1) * sizeof *m->point);
        m->points = count;
    } else {
        soe_sum_clear(m->sum);
        soe_sum_init(m->sum, count, SOE_RATE);
    }
    for (slong r = 0; r < s->rows && n < count; r++) {
        if (integer_at(s, r, 0) != cell || integer_at(s, r, 1) != part)
            continue;
        const fmpq *a = s->value[r * 4 + 2].rational, *b = s->value[r * 4 + 3].rational;
        if (points) {
            arf_init(m->point + n);
            arf_set_fmpz(m->point + n, fmpq_numref(a));
        } else {
            fmpq_set(m->sum->weight + n, a);
            fmpq_set(m->sum->mode + n, b);
        }
        n++;
    }
}

int table_read(check_context *ctx, table_cell *c, slong i) {
    const series *cells = claim_certificate(ctx, cells_id),
                 *numbers = claim_certificate(ctx, numbers_id);
    const enclosure_struct *row = cells->value + 6 * i;
    /* row i is cell i of the grid, and says so */
    grid_cell(c, i);
    c->terms = integer_at(cells, i, 5);
    read_part(c->best, numbers, i, 0, 0);
    read_part(c->fewer, numbers, i, 1, 0);
    read_part(c->fewer, numbers, i, 2, 1);
    int whole = integer_at(cells, i, 0) == i && fmpq_equal(row[1].rational, c->alpha) &&
                fmpz_equal(fmpq_numref(row[2].rational), c->horizon) &&
                integer_at(cells, i, 3) == (c->error == SOE_RELATIVE) &&
                integer_at(cells, i, 4) == c->digits && c->best->sum->terms == c->terms &&
                c->fewer->sum->terms == c->terms - 1;
    claim_decide_si(ctx, "the cell is the grid's, and whole", whole, RELATION_EQ, 1);
    return whole;
}

/* ---- extended: compute ---- */

static void write_numbers(series *s, slong cell, int part, const soe_minimax_t m, int points) {
    slong n = points ? m->points : m->sum->terms;
    fmpq_t q;
    fmpq_init(q);
    for (slong i = 0; i < n; i++) {
        enclosure_struct *row = series_append(s);
        enclosure_set_integer(row, cell);
        enclosure_set_integer(row + 1, part);
        if (points) {
            exact_rational_from_arf(q, m->point + i);
            enclosure_set_rational(row + 2, q);
            enclosure_set_integer(row + 3, 0);
        } else {
            enclosure_set_rational(row + 2, m->sum->weight + i);
            enclosure_set_rational(row + 3, m->sum->mode + i);
        }
    }
    fmpq_clear(q);
}

static void write_cell(series *cells, series *numbers, const table_cell *c) {
    enclosure_struct *row = series_append(cells);
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_fmpz(q, c->horizon);
    enclosure_set_integer(row, c->index);
    enclosure_set_rational(row + 1, c->alpha);
    enclosure_set_rational(row + 2, q);
    enclosure_set_integer(row + 3, c->error == SOE_RELATIVE);
    enclosure_set_integer(row + 4, c->digits);
    enclosure_set_integer(row + 5, c->terms);
    fmpq_clear(q);
    write_numbers(numbers, c->index, 0, c->best, 0);
    write_numbers(numbers, c->index, 1, c->fewer, 0);
    write_numbers(numbers, c->index, 2, c->fewer, 1);
}

/* Spoils as the control says. */
static void spoil(table_cell *c, table_spoil how) {
    soe_sum_struct *s = c->best->sum;
    fmpq_t t;
    fmpq_init(t);
    if (how == SPOIL_DIGIT) { /* the third significant digit of the middle weight */
        fmpq *w = s->weight + s->terms / 2;
        fmpq_set_si(t, 1005, 1000);
        fmpq_mul(w, w, t);
    } else if (how == SPOIL_ROTATE) {
        for (slong i = 0; i + 1 < s->terms; i++)
            fmpq_swap(s->weight + i, s->weight + i + 1);
    } else if (how == SPOIL_POINTS && c->fewer->points > 0) {
        arf_clear(c->fewer->point + --c->fewer->points);
    }
    fmpq_clear(t);
}

/* error := the ball in which the best error of as many terms as m has lies, from its alternation (below)
   and its supremum (above); all of [0, inf) where either is missing. */
static void best_error(arb_t error, const table_cell *c, const soe_minimax_t m,
                       const soe_kernel_t kernel) {
    soe_bound_t bound;
    arf_t lower;
    soe_bound_init(bound);
    arf_init(lower);
    soe_certify(bound, kernel, m->sum, c->horizon, c->error, 0, 1e-3, 128);
    if (m->points > 0)
        soe_alternation_lower(lower, kernel, m->sum, m->point, m->points, c->error, 512);
    arb_set_interval_arf(error, lower, bound->upper, 256);
    soe_bound_clear(bound);
    arf_clear(lower);
}

void table_decide(check_context *ctx, const table_cell *c) {
    soe_kernel_t kernel;
    soe_bound_t bound;
    fmpq_t target;
    arb_t error, limit;
    soe_kernel_init(kernel, SOE_KERNEL_GL, c->alpha);
    soe_bound_init(bound);
    fmpq_init(target);
    arb_init(error);
    arb_init(limit);
    fmpq_set_si(target, 10, 1);
    fmpq_pow_si(target, target, -c->digits);
    arb_set_fmpq(limit, target, 256);
    /* the sum's own supremum, enclosed from both sides */
    soe_status status =
        soe_certify(bound, kernel, c->best->sum, c->horizon, c->error, 0, 1e-3, 128);
    claim_decide_si(ctx, "the supremum is certified", status == SOE_OK, RELATION_EQ, 1);
    if (soe_bound_meets(bound, target)) { /* the upper end itself: a ball would round it outwards */
        fmpq_t upper;
        fmpq_init(upper);
        exact_rational_from_arf(upper, bound->upper);
        claim_decide_fmpq(ctx, "S* terms: certified error <= target", upper, RELATION_LE, target);
        fmpq_clear(upper);
    } else { /* refuted only if some error that was attained is above */
        arb_set_interval_arf(error, bound->lower, bound->upper, 256);
        claim_decide_arb(ctx, "S* terms: certified error <= target", error, RELATION_LE, limit);
    }
    if (c->terms > 1) {
        slong points = c->fewer->points;
        claim_decide_si(ctx, "2S+1 points of alternation", points, RELATION_EQ, 2 * c->terms - 1);
        if (points > 0) {
            arf_t end;
            arf_init(end);
            arf_set_fmpz(end, c->horizon);
            claim_decide_si(ctx, "the points lie in [1,T]",
                            arf_cmp(c->fewer->point + points - 1, end) <= 0 &&
                                arf_cmp_si(c->fewer->point, 1) >= 0,
                            RELATION_EQ, 1);
            arf_clear(end);
        }
        best_error(error, c, c->fewer, kernel);
        claim_decide_arb(ctx, "S*-1 terms: the error of the best sum is > target", error,
                         RELATION_GT, limit);
    }
    soe_kernel_clear(kernel);
    soe_bound_clear(bound);
    fmpq_clear(target);
    arb_clear(error);
    arb_clear(limit);
}

/* Designs the cell: best and fewer, rounded to what the target needs. */
static soe_status design_cell(table_cell *c) {
    soe_kernel_t kernel;
    arf_t target;
    fmpq_t q;
    soe_kernel_init(kernel, SOE_KERNEL_GL, c->alpha);
    arf_init(target);
    fmpq_init(q);
    fmpq_set_si(q, 10, 1);
    fmpq_pow_si(q, q, -c->digits);
    arf_fmpz_div_fmpz(target, fmpq_numref(q), fmpq_denref(q), 64, ARF_RND_DOWN);
    soe_status status =
        soe_minimax_error(c->best, c->fewer, kernel, c->horizon, c->error, target, 1e-3, NULL);
    slong bits = 36 + (slong)(3.33 * (double)c->digits);
    if (status == SOE_OK) {
        soe_minimax_round(c->best, bits);
        soe_minimax_round(c->fewer, bits);
        c->terms = c->best->sum->terms;
    }
    soe_kernel_clear(kernel);
    arf_clear(target);
    fmpq_clear(q);
    return status;
}

/* One curve (order, horizon, kind of error) a unit. */
static void compute_curve(check_context *ctx) {
    series *cells = series_new(cells_id, "Least number of terms", 6, cell_columns),
           *numbers = series_new(numbers_id, "Sums and alternation points of the cells", 4,
                                 number_columns);
    slong curve = ctx->index;
    for (slong k = 0; k < TARGETS; k++) {
        table_cell c;
        table_cell_init(&c);
        grid_cell(&c, curve * TARGETS + k);
        soe_status status = design_cell(&c);
        claim_decide_si(ctx, "the search settles", status == SOE_OK, RELATION_EQ, 1);
        if (status == SOE_OK) {
            table_decide(ctx, &c);
            write_cell(cells, numbers, &c);
        }
        table_cell_clear(&c);
    }
    claim_table(ctx, cells);
    claim_table(ctx, numbers);
}

void check_table(check_context *ctx, const void *parameter) {
    const table_parameter *p = parameter;
    if (ctx->level == LEVEL_EXTENDED && p->spoil == SPOIL_NOTHING) {
        compute_curve(ctx);
        return;
    }
    slong count = table_cells(ctx), taken = 0;
    for (slong i = 0; i < count; i++) {
        /* quick: one in 13 (no period of the table); full: all, in eight units */
        if (p->spoil != SPOIL_NOTHING   ? i != 17 && i != 100
            : ctx->level == LEVEL_QUICK ? i % 26 != 13 * ctx->index
                                        : i % 8 != ctx->index)
            continue;
        table_cell c;
        table_cell_init(&c);
        table_read(ctx, &c, i);
        spoil(&c, p->spoil);
        taken++;
        table_decide(ctx, &c);
        table_cell_clear(&c);
    }
    claim_sample(ctx, taken, count);
}

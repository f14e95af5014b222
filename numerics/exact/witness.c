#include "numerics/exact/witness.h"
#include "numerics/exact/number.h"

#include <string.h>

static char *copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(flint_malloc(n), text, n);
}

void witness_init(witness_t w, const char *id, const char *kind) {
    w->id = copy_text(id);
    w->kind = copy_text(kind);
    w->inputs = 0;
    w->input = NULL;
    enclosure_init(w->lhs);
    enclosure_init(w->rhs);
    w->rel = RELATION_EQ;
    w->min_precision = 64;
}

void witness_clear(witness_t w) {
    for (slong i = 0; i < w->inputs; i++) {
        flint_free(w->input[i].name);
        _fmpq_vec_clear(w->input[i].value, FLINT_MAX(w->input[i].count, 1));
    }
    flint_free(w->input);
    flint_free(w->id);
    flint_free(w->kind);
    enclosure_clear(w->lhs);
    enclosure_clear(w->rhs);
}

void witness_add(witness_t w, const char *name, const fmpq *value, slong count) {
    w->input = flint_realloc(w->input, (size_t)(w->inputs + 1) * sizeof *w->input);
    witness_input *in = w->input + w->inputs++;
    in->name = copy_text(name);
    in->count = count;
    in->value = _fmpq_vec_init(FLINT_MAX(count, 1));
    for (slong i = 0; i < count; i++)
        fmpq_set(in->value + i, value + i);
}

void witness_add_integer(witness_t w, const char *name, const fmpz_t value) {
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_fmpz(q, value);
    witness_add(w, name, q, 1);
    fmpq_clear(q);
}

const witness_input *witness_find(const witness_t w, const char *name) {
    for (slong i = 0; i < w->inputs; i++)
        if (strcmp(w->input[i].name, name) == 0)
            return w->input + i;
    return NULL;
}

void witness_conclude(witness_t w, const enclosure_t lhs, relation rel, const enclosure_t rhs,
                      slong min_precision) {
    enclosure_set(w->lhs, lhs);
    enclosure_set(w->rhs, rhs);
    w->rel = rel;
    w->min_precision = min_precision;
}

/* The inputs that both kinds share. */
static void add_sum(witness_t w, const soe_kernel_t kernel, const soe_sum_t sum, soe_error error) {
    fmpz_t relative;
    fmpz_init_set_ui(relative, error == SOE_RELATIVE);
    witness_add(w, kernel->kind == SOE_KERNEL_GL ? "alpha" : "beta", kernel->order, 1);
    witness_add_integer(w, "relative", relative);
    witness_add(w, "weights", sum->weight, sum->terms);
    witness_add(w, "rates", sum->mode, sum->terms);
    fmpz_clear(relative);
}

static void conclude_with(witness_t w, relation rel, const arf_t bound) {
    enclosure_t side;
    fmpq_t q;
    fmpq_init(q);
    enclosure_init(side);
    exact_rational_from_arf(q, bound);
    enclosure_set_rational(side, q);
    witness_conclude(w, side, rel, side, 512);
    enclosure_clear(side);
    fmpq_clear(q);
}

void soe_witness_upper(witness_t w, const soe_kernel_t kernel, const soe_sum_t sum,
                       const fmpz_t horizon, soe_error error, const arf_t upper) {
    witness_init(w, "soe.upper", "soe-sup-error");
    add_sum(w, kernel, sum, error);
    witness_add_integer(w, "horizon", horizon);
    conclude_with(w, RELATION_LE, upper);
}

void soe_witness_lower(witness_t w, const soe_kernel_t kernel, const soe_sum_t sum,
                       const arf_struct *point, slong points, soe_error error, const arf_t lower) {
    fmpq *list = _fmpq_vec_init(FLINT_MAX(points, 1));
    witness_init(w, "soe.lower", "soe-alternation");
    add_sum(w, kernel, sum, error);
    for (slong i = 0; i < points; i++)
        exact_rational_from_arf(list + i, point + i);
    witness_add(w, "points", list, points);
    conclude_with(w, RELATION_GE, lower);
    _fmpq_vec_clear(list, FLINT_MAX(points, 1));
}

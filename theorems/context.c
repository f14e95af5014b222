/* What a check has found so far. */
#include "numerics/exact/number.h"
#include "theorems/claim.h"

#include <stdio.h>
#include <string.h>

static char *copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(flint_malloc(n), text, n);
}

void check_context_init(check_context *ctx) {
    memset(ctx, 0, sizeof *ctx);
    enclosure_init(ctx->lhs);
    enclosure_init(ctx->rhs);
    arf_init(ctx->margin);
    arf_init(ctx->relative_margin);
    ctx->outcome = TRUTH_HOLDS;
}

void check_context_reset(check_context *ctx) {
    for (slong i = 0; i < ctx->numbers; i++) {
        flint_free(ctx->number[i].name);
        flint_free(ctx->number[i].unit);
        enclosure_clear(ctx->number[i].value);
    }
    for (slong i = 0; i < ctx->tables; i++)
        series_free(ctx->table[i]);
    for (slong i = 0; i < ctx->witnesses; i++)
        witness_clear(ctx->witness + i);
    flint_free(ctx->number);
    flint_free(ctx->table);
    flint_free(ctx->witness);
    ctx->number = NULL;
    ctx->table = NULL;
    ctx->witness = NULL;
    ctx->numbers = ctx->tables = ctx->witnesses = 0;
    ctx->decisions = ctx->undecided = 0;
    ctx->sampled = ctx->cases = 0;
    ctx->label[0] = ctx->skipped[0] = '\0';
    ctx->outcome = TRUTH_HOLDS;
    arf_zero(ctx->margin);
    arf_zero(ctx->relative_margin);
}

void check_context_clear(check_context *ctx) {
    check_context_reset(ctx);
    enclosure_clear(ctx->lhs);
    enclosure_clear(ctx->rhs);
    arf_clear(ctx->margin);
    arf_clear(ctx->relative_margin);
}

/* Relative size of margin against the larger side; 0 if both are 0. */
static void relative_margin(arf_t out, const arf_t margin, const enclosure_t a,
                            const enclosure_t b) {
    arb_t x, y;
    arf_t scale, other;
    arb_init(x);
    arb_init(y);
    arf_init(scale);
    arf_init(other);
    enclosure_get_ball(x, a, 64);
    enclosure_get_ball(y, b, 64);
    arb_get_abs_ubound_arf(scale, x, 53);
    arb_get_abs_ubound_arf(other, y, 53);
    if (arf_cmp(other, scale) > 0)
        arf_set(scale, other);
    if (arf_is_zero(scale) || !arf_is_finite(scale))
        arf_zero(out);
    else
        arf_div(out, margin, scale, 53, ARF_RND_DOWN);
    arb_clear(x);
    arb_clear(y);
    arf_clear(scale);
    arf_clear(other);
}

static void keep(check_context *ctx, const char *label, const enclosure_t lhs, relation rel,
                 const enclosure_t rhs, const arf_t margin, const arf_t relative) {
    snprintf(ctx->label, sizeof ctx->label, "%s", label);
    enclosure_set(ctx->lhs, lhs);
    enclosure_set(ctx->rhs, rhs);
    ctx->rel = rel;
    arf_set(ctx->margin, margin);
    arf_set(ctx->relative_margin, relative);
}

/* Exact equality has no margin to speak of: it is kept only if nothing else is. */
static void record(check_context *ctx, const char *label, const enclosure_t lhs, relation rel,
                   const enclosure_t rhs, truth t, const arf_t margin) {
    arf_t relative;
    arf_init(relative);
    relative_margin(relative, margin, lhs, rhs);
    ctx->decisions++;
    if (t == TRUTH_FAILS) {
        if (ctx->outcome != TRUTH_FAILS || arf_cmp(relative, ctx->relative_margin) > 0)
            keep(ctx, label, lhs, rel, rhs, margin, relative);
        ctx->outcome = TRUTH_FAILS;
    } else if (t == TRUTH_UNDECIDED) {
        ctx->undecided++;
        if (ctx->outcome == TRUTH_HOLDS) {
            keep(ctx, label, lhs, rel, rhs, margin, relative);
            ctx->outcome = TRUTH_UNDECIDED;
        }
    } else if (ctx->outcome == TRUTH_HOLDS) {
        int first = ctx->label[0] == '\0', exact = arf_is_zero(margin);
        if (first ||
            (!exact && (arf_is_zero(ctx->margin) || arf_cmp(relative, ctx->relative_margin) < 0)))
            keep(ctx, label, lhs, rel, rhs, margin, relative);
    }
    arf_clear(relative);
}

truth claim_decide(check_context *ctx, const char *label, const enclosure_t lhs, relation rel,
                   const enclosure_t rhs) {
    arf_t margin;
    arf_init(margin);
    truth t = enclosure_compare(margin, lhs, rel, rhs, ctx->prec);
    record(ctx, label, lhs, rel, rhs, t, margin);
    arf_clear(margin);
    return t;
}

truth claim_decide_arb(check_context *ctx, const char *label, const arb_t lhs, relation rel,
                       const arb_t rhs) {
    enclosure_t a, b;
    enclosure_init(a);
    enclosure_init(b);
    enclosure_set_ball(a, lhs);
    enclosure_set_ball(b, rhs);
    truth t = claim_decide(ctx, label, a, rel, b);
    enclosure_clear(a);
    enclosure_clear(b);
    return t;
}

truth claim_decide_fmpq(check_context *ctx, const char *label, const fmpq_t lhs, relation rel,
                        const fmpq_t rhs) {
    enclosure_t a, b;
    enclosure_init(a);
    enclosure_init(b);
    enclosure_set_rational(a, lhs);
    enclosure_set_rational(b, rhs);
    truth t = claim_decide(ctx, label, a, rel, b);
    enclosure_clear(a);
    enclosure_clear(b);
    return t;
}

truth claim_decide_si(check_context *ctx, const char *label, slong lhs, relation rel, slong rhs) {
    enclosure_t a, b;
    enclosure_init(a);
    enclosure_init(b);
    enclosure_set_integer(a, lhs);
    enclosure_set_integer(b, rhs);
    truth t = claim_decide(ctx, label, a, rel, b);
    enclosure_clear(a);
    enclosure_clear(b);
    return t;
}

truth claim_two_paths(check_context *ctx, const char *label, const arb_t a, const arb_t b,
                      slong bits) {
    enclosure_t x, y;
    arf_t margin;
    enclosure_init(x);
    enclosure_init(y);
    arf_init(margin);
    enclosure_set_ball(x, a);
    enclosure_set_ball(y, b);
    truth t = TRUTH_UNDECIDED;
    if (arb_is_finite(a) && arb_is_finite(b)) {
        if (!arb_overlaps(a, b)) {
            enclosure_compare(margin, x, RELATION_EQ, y, ctx->prec);
            t = TRUTH_FAILS;
        } else if (arb_rel_accuracy_bits(a) >= bits && arb_rel_accuracy_bits(b) >= bits) {
            t = TRUTH_HOLDS;
        }
    }
    record(ctx, label, x, RELATION_EQ, y, t, margin);
    enclosure_clear(x);
    enclosure_clear(y);
    arf_clear(margin);
    return t;
}

void claim_sample(check_context *ctx, slong part, slong whole) {
    ctx->sampled = part;
    ctx->cases = whole;
}

void claim_skip(check_context *ctx, const char *reason) {
    snprintf(ctx->skipped, sizeof ctx->skipped, "%s", reason);
}

void claim_number(check_context *ctx, const char *name, const char *unit, const enclosure_t value) {
    ctx->number = flint_realloc(ctx->number, (size_t)(ctx->numbers + 1) * sizeof *ctx->number);
    claim_number_result *n = ctx->number + ctx->numbers++;
    n->name = copy_text(name);
    n->unit = copy_text(unit);
    enclosure_init(n->value);
    enclosure_set(n->value, value);
}

void claim_number_arb(check_context *ctx, const char *name, const char *unit, const arb_t value) {
    enclosure_t x;
    enclosure_init(x);
    enclosure_set_ball(x, value);
    claim_number(ctx, name, unit, x);
    enclosure_clear(x);
}

void claim_number_fmpq(check_context *ctx, const char *name, const char *unit, const fmpq_t value) {
    enclosure_t x;
    enclosure_init(x);
    enclosure_set_rational(x, value);
    claim_number(ctx, name, unit, x);
    enclosure_clear(x);
}

void claim_table(check_context *ctx, series *table) {
    ctx->table = flint_realloc(ctx->table, (size_t)(ctx->tables + 1) * sizeof *ctx->table);
    ctx->table[ctx->tables++] = table;
}

witness_struct *claim_witness(check_context *ctx, const char *id, const char *kind) {
    ctx->witness = flint_realloc(ctx->witness, (size_t)(ctx->witnesses + 1) * sizeof *ctx->witness);
    witness_struct *w = ctx->witness + ctx->witnesses++;
    witness_init(w, id, kind);
    return w;
}

const fmpq *claim_setting(const check_context *ctx, const char *name) {
    for (slong i = 0; i < ctx->settings; i++)
        if (strcmp(ctx->setting[i].name, name) == 0)
            return ctx->setting[i].value;
    return NULL;
}

const series *claim_certificate(const check_context *ctx, const char *id) {
    for (slong i = 0; i < ctx->certificates; i++)
        if (strcmp(ctx->certificate[i]->id, id) == 0)
            return ctx->certificate[i];
    return NULL;
}

slong claim_orders(check_context *ctx, fmpq *orders, slong room, const char *const *list) {
    const fmpq *given = claim_setting(ctx, "alpha");
    if (given != NULL) {
        fmpq_set(orders, given);
        return 1;
    }
    slong n = 0;
    for (; list[n] != NULL && n < room; n++)
        exact_parse_rational(orders + n, list[n]);
    return n;
}

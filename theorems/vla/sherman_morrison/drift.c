/* vla.sherman-morrison: how far float32 and float64 drift from the exact inverse. */
#include "theorems/vla/sherman_morrison/sherman.h"
#include "numerics/exact/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REAL float
#define ROOT sqrtf
#define NAME(x) x##_float
#include "theorems/vla/sherman_morrison/forms.h"
#undef REAL
#undef ROOT
#undef NAME
#define REAL double
#define ROOT sqrt
#define NAME(x) x##_double
#include "theorems/vla/sherman_morrison/forms.h"
#undef REAL
#undef ROOT
#undef NAME

#define LAMBDA0 0.125

void drift_result_init(drift_result *x) {
    arb_init(x->error);
    arb_init(x->asymmetry);
    x->definite = 0;
}

void drift_result_clear(drift_result *x) {
    arb_clear(x->error);
    arb_clear(x->asymmetry);
}

void drift_draw(float *u, drift_kind kind, slong count, exact_random *r) {
    for (slong t = 0; t < count; t++) {
        double x[DRIFT_WIDTH], s = 0;
        for (int i = 0; i < DRIFT_WIDTH; i++) {
            x[i] = (double)(exact_random_next(r) >> 11) * 0x1p-52 - 1;
            if (kind == DRIFT_NARROW)
                x[i] = (i == 0) + x[i] / 64;
            s += x[i] * x[i];
        }
        for (int i = 0; i < DRIFT_WIDTH; i++)
            u[t * DRIFT_WIDTH + i] = (float)(rint(x[i] / sqrt(s * DRIFT_WIDTH) * 4096) / 4096);
    }
}

layer_status drift_reference(arb_mat_t exact, const float *u, slong count, slong prec) {
    arb_mat_t m;
    int64_t sum[DRIFT_WIDTH][DRIFT_WIDTH]; /* of 2^24 u u^T: count 2^24 fits up to count = 2^38 */
    memset(sum, 0, sizeof sum);
    for (slong t = 0; t < count; t++)
        for (int i = 0; i < DRIFT_WIDTH; i++)
            for (int j = 0; j <= i; j++)
                sum[i][j] += (int64_t)(u[t * DRIFT_WIDTH + i] * 4096) *
                             (int64_t)(u[t * DRIFT_WIDTH + j] * 4096);
    arb_mat_init(m, DRIFT_WIDTH, DRIFT_WIDTH);
    for (int i = 0; i < DRIFT_WIDTH; i++)
        for (int j = 0; j < DRIFT_WIDTH; j++) {
            int64_t entry = sum[i > j ? i : j][i > j ? j : i] + (i == j ? (int64_t)1 << 21 : 0);
            arb_set_si(arb_mat_entry(m, i, j), (slong)entry);
            arb_mul_2exp_si(arb_mat_entry(m, i, j), arb_mat_entry(m, i, j), -24);
        }
    layer_status status = arb_mat_spd_inv(exact, m, prec) ? LAYER_OK : LAYER_SINGULAR;
    arb_mat_clear(m);
    return status;
}

void drift_start(drift_state *s, drift_form form, int wide) {
    s->form = form;
    s->wide = wide;
    start_float(s->narrow, form, LAMBDA0);
    start_double(s->state, form, LAMBDA0);
}

void drift_advance(drift_state *s, const float *u, slong count) {
    if (s->wide) {
        run_double(s->state, s->form, u, count);
    } else {
        run_float(s->narrow, s->form, u, count);
        for (int i = 0; i < DRIFT_WIDTH * DRIFT_WIDTH; i++)
            s->state[i] = (double)s->narrow[i];
    }
}

/* a := the A that the kept numbers stand for. */
static int expand(arb_mat_t a, const drift_state *s, slong prec) {
    arb_mat_t x, y;
    int ok = 1;
    arb_mat_init(x, DRIFT_WIDTH, DRIFT_WIDTH);
    arb_mat_init(y, DRIFT_WIDTH, DRIFT_WIDTH);
    for (int i = 0; i < DRIFT_WIDTH * DRIFT_WIDTH; i++) {
        ok &= isfinite(s->state[i]);
        arb_set_d(arb_mat_entry(x, i / DRIFT_WIDTH, i % DRIFT_WIDTH), s->state[i]);
    }
    arb_mat_transpose(y, x);
    if (s->form == DRIFT_POTTER || s->form == DRIFT_CHOLESKY)
        arb_mat_mul(a, x, y, prec);
    else
        arb_mat_set(a, x);
    if (s->form == DRIFT_CHOLESKY)
        ok = ok && arb_mat_spd_inv(a, a, prec);
    arb_mat_clear(x);
    arb_mat_clear(y);
    return ok;
}

layer_status drift_compare(drift_result *out, const drift_state *s, const arb_mat_t exact,
                           slong prec) {
    arb_mat_t a, b;
    arb_t size;
    arb_init(size);
    arb_mat_init(a, DRIFT_WIDTH, DRIFT_WIDTH);
    arb_mat_init(b, DRIFT_WIDTH, DRIFT_WIDTH);
    layer_status status = expand(a, s, prec) ? LAYER_OK : LAYER_NOT_FINITE;
    if (status == LAYER_OK) {
        arb_mat_sub(b, a, exact, prec);
        arb_mat_frobenius_norm(out->error, b, prec);
        arb_mat_frobenius_norm(size, exact, prec);
        arb_div(out->error, out->error, size, prec);
        arb_mat_transpose(b, a);
        if (s->form == DRIFT_POTTER || s->form == DRIFT_CHOLESKY) {
            arb_zero(out->asymmetry); /* S S^T and its inverse */
        } else {
            arb_mat_sub(b, a, b, prec);
            arb_mat_frobenius_norm(out->asymmetry, b, prec);
            arb_mat_frobenius_norm(size, a, prec);
            arb_div(out->asymmetry, out->asymmetry, size, prec);
        }
        arb_mat_transpose(b, a);
        arb_mat_add(a, a, b, prec);
        arb_mat_get_mid(a, a); /* exact for the forms that keep A; S S^T needs no test */
        out->definite = arb_mat_cho(b, a, prec);
    }
    arb_mat_clear(a);
    arb_mat_clear(b);
    arb_clear(size);
    return status;
}

void sherman_check_drift(check_context *ctx, const void *parameter) {
    static const char *const names[] = {"textbook", "symmetric", "joseph", "potter", "cholesky"};
    slong count = DRIFT_UPDATES, prec = FLINT_MAX(ctx->prec, 128);
    float *u = flint_malloc((size_t)(count * DRIFT_WIDTH) * sizeof *u);
    arb_mat_t exact;
    arb_t bound, zero;
    fmpq_t q;
    arb_init(bound);
    arb_init(zero);
    fmpq_init(q);
    arb_mat_init(exact, DRIFT_WIDTH, DRIFT_WIDTH);
    for (int kind = 0; kind < DRIFT_KINDS; kind++) {
        exact_random r = {ctx->seed + (ulong)kind};
        drift_draw(u, (drift_kind)kind, count, &r);
        if (drift_reference(exact, u, count, prec) != LAYER_OK)
            vla_undecidable(ctx, layer_status_text(LAYER_SINGULAR));
        for (const drift_bound *p = parameter; p->form != DRIFT_FORMS; p++) {
            drift_state s;
            drift_result x;
            char name[80];
            if ((int)p->kind != kind)
                continue;
            drift_result_init(&x);
            drift_start(&s, p->form, p->wide);
            drift_advance(&s, u, count);
            if (drift_compare(&x, &s, exact, prec) != LAYER_OK)
                vla_undecidable(ctx, layer_status_text(LAYER_NOT_FINITE));
            snprintf(name, sizeof name, "error/%s,%s,%s", names[p->form],
                     p->wide ? "float64" : "float32", kind == DRIFT_DRAWN ? "drawn" : "narrow");
            claim_number_arb(ctx, name, "1", x.error);
            vla_rational(q, p->error);
            arb_set_fmpq(bound, q, prec);
            claim_decide_arb(ctx,
                             p->above ? "|A - M^-1|/|M^-1| above the figure"
                                      : "|A - M^-1|/|M^-1| below the figure",
                             x.error, p->above ? RELATION_GT : RELATION_LT, bound);
            if (p->symmetric != 0)
                claim_decide_arb(ctx, p->symmetric > 0 ? "|A - A^T| = 0" : "|A - A^T| > 0",
                                 x.asymmetry, p->symmetric > 0 ? RELATION_EQ : RELATION_GT, zero);
            if (p->definite)
                claim_decide_si(ctx, "A + A^T positive definite", x.definite != 0, RELATION_EQ, 1);
            drift_result_clear(&x);
        }
    }
    flint_free(u);
    arb_clear(bound);
    arb_clear(zero);
    fmpq_clear(q);
    arb_mat_clear(exact);
}

/* 10, 32, 100, 316, ...: 10^(1+i/2), rounded. */
static slong mark(slong i) {
    static const slong list[] = {10, 32, 100, 316, 1000, 3162, 10000, 31623, 100000};
    return i < 9 ? list[i] : WORD_MAX;
}

/* Error and asymmetry of every form at t = 10, 10^(1.5), ..., in both precisions and for both kinds;
   decided: every error is finite and below the number.  parameter: that number. */
void sherman_check_drawn(check_context *ctx, const void *parameter) {
    const char *const *most = parameter;
    static const char *const columns[] = {"block", "1",    "kind",      "1",     "form",
                                          "1",     "bits", "1",         "steps", "steps",
                                          "error", "1",    "asymmetry", "1"};
    series *table = series_new("vla-drift", "Drift of A, d = 16, lambda0 = 1/8", 7, columns);
    slong count = DRIFT_UPDATES, prec = FLINT_MAX(ctx->prec, 128);
    float *u = flint_malloc((size_t)(count * DRIFT_WIDTH) * sizeof *u);
    arb_mat_t exact[16];
    arb_t bound;
    fmpq_t q;
    arb_init(bound);
    fmpq_init(q);
    vla_rational(q, *most);
    arb_set_fmpq(bound, q, prec);
    for (int kind = 0; kind < DRIFT_KINDS; kind++) {
        exact_random r = {ctx->seed + (ulong)kind};
        slong at[16], points = 0;
        drift_draw(u, (drift_kind)kind, count, &r);
        for (slong t; points < 16 && (t = mark(points)) <= count; points++) {
            at[points] = t;
            arb_mat_init(exact[points], DRIFT_WIDTH, DRIFT_WIDTH);
            if (drift_reference(exact[points], u, t, prec) != LAYER_OK)
                vla_undecidable(ctx, layer_status_text(LAYER_SINGULAR));
        }
        for (int form = 0; form < DRIFT_FORMS; form++)
            for (int wide = 0; wide < 2; wide++) {
                drift_state s;
                drift_result x;
                drift_result_init(&x);
                drift_start(&s, (drift_form)form, wide);
                for (slong i = 0; i < points; i++) {
                    slong from = i > 0 ? at[i - 1] : 0;
                    drift_advance(&s, u + from * DRIFT_WIDTH, at[i] - from);
                    if (drift_compare(&x, &s, exact[i], prec) != LAYER_OK)
                        vla_undecidable(ctx, layer_status_text(LAYER_NOT_FINITE));
                    claim_decide_arb(ctx, "relative error at every point drawn below the figure",
                                     x.error, RELATION_LT, bound);
                    enclosure_struct *cell = series_append(table);
                    enclosure_set_integer(cell, (kind * DRIFT_FORMS + form) * 2 + wide);
                    enclosure_set_integer(cell + 1, kind);
                    enclosure_set_integer(cell + 2, form);
                    enclosure_set_integer(cell + 3, wide ? 64 : 32);
                    enclosure_set_integer(cell + 4, at[i]);
                    enclosure_set_ball(cell + 5, x.error);
                    enclosure_set_ball(cell + 6, x.asymmetry);
                }
                drift_result_clear(&x);
            }
        for (slong i = 0; i < points; i++)
            arb_mat_clear(exact[i]);
    }
    claim_table(ctx, table);
    flint_free(u);
    arb_clear(bound);
    fmpq_clear(q);
}

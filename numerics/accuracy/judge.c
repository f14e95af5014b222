/* Judging rows of numbers against balls, bounds and a twin. */
#include "numerics/accuracy/judge.h"

#include <math.h>
#include <stdlib.h>

#include "numerics/accuracy/bounds_rows.h"
#include "numerics/accuracy/ulp.h"
#include "numerics/exact/number.h"

enum { WINDOW = 32 /* tokens either way whose twins count */ };

/* Numbers that belong together: an output of one token and head, a part of a state. */
typedef struct {
    int64_t data, at, width;        /* elements [data, data + width); exact ones from at */
    int64_t batch, time, head, dim; /* of the first */
    double bound;                   /* of the norm of the error, or NAN: per element */
    double scale, norm;             /* a priori: largest element, Euclidean norm; 0: not known */
    int64_t terms;                  /* products in the sum; 0: no such sum */
    double error, twin, size,
        most; /* found: norms of the errors and of the exact row, largest bound */
} judged_row;

typedef struct {
    judge_report *report;
    const judge_struct *judge;
    array values;
    arb_srcptr exact;
    const double *bound; /* per element */
    arb_srcptr scale;    /* per element, or NULL */
    const double *twin;
    double *ulp;
    double squares, exact_squares;
    double least; /* bounds up to this are underflow */
    int64_t heads;
} judged;

void judge_report_clear(judge_report *r) {
    free(r->head);
    memset(r, 0, sizeof *r);
}

/* A lower bound of an error, from an upper one and the ball. */
static double surely(double error, const arb_t exact) {
    double radius = mag_get_d(arb_radref(exact));
    return radius == 0 ? error : fmax(0, error * (1 - 0x1p-40) - 2 * radius);
}

/* Infinity is right where the exact number and the error that is allowed reach the overflow. */
static bool may_overflow(array_type type, double got, double exact, double bound) {
    return isinf(got) && isfinite(bound) && got * exact > 0 &&
           fabs(exact) + bound >= ulp_overflow(type);
}

/* As large as the scale; what underflow leaves is no scale to speak of. */
static bool vacuous(const judged *w, double bound, double scale) {
    return isinf(bound) || (scale > 0 && bound >= scale && bound > w->least);
}

/* Surely |got - exact| > atol + rtol |exact|; what is 2^4096 times smaller than the rest may vanish. */
static bool beyond_tolerance(const judge_struct *j, double got, const arb_t exact) {
    arb_t error, allowed, x;
    arb_init(error), arb_init(allowed), arb_init(x);
    arb_set_d(error, got);
    arb_sub(error, error, exact, 4096);
    arb_abs(error, error);
    arb_set_d(allowed, j->atol);
    arb_set_d(x, j->rtol);
    arb_mul(x, x, exact, 4096);
    arb_abs(x, x);
    arb_add(allowed, allowed, x, 4096);
    bool beyond = arb_gt(error, allowed);
    arb_clear(error), arb_clear(allowed), arb_clear(x);
    return beyond;
}

static void judge_element_of(judged *w, judged_row *row, int64_t i, judge_element *worst,
                             bool *zeros_pass) {
    judge_report *r = w->report;
    const judge_struct *j = w->judge;
    arb_srcptr exact = w->exact + row->at + i;
    judge_element e = {row->batch, row->time, row->head, row->dim + i};
    e.got = array_get(&w->values, row->data + i), e.exact = exact_double_mid(exact);
    bool tolerance = j->tolerance, own = isnan(row->bound);
    e.bound = tolerance ? j->atol + j->rtol * fabs(e.exact)
              : own     ? w->bound ? w->bound[row->at + i] : INFINITY
                        : row->bound;
    ulp_error(&e.error, &e.ulp, w->values.type, e.got, exact);
    if (isinf(e.error) && may_overflow(w->values.type, e.got, e.exact, e.bound))
        e.error = e.ulp = 0;
    w->ulp[row->data + i] = e.ulp;
    r->histogram[ulp_bin(e.ulp)]++;
    r->above[0] += e.ulp > 0.5, r->above[1] += e.ulp > 1, r->above[2] += e.ulp > 4;
    r->relative =
        fmax(r->relative, isinf(e.got) && e.error == 0 ? 0 : ulp_relative(e.got, e.exact));
    double size = bounds_magnitude(exact);
    row->error += e.error * e.error, row->size += size * size;
    w->squares += e.error * e.error, w->exact_squares += e.exact * e.exact;
    if (w->twin) {
        double twin, unused;
        ulp_error(&twin, &unused, ARRAY_F64, w->twin[row->at + i], exact);
        row->twin += twin * twin;
    }
    if (row->terms > 0 && w->scale) {
        bounds_model m = {.u = arithmetic_accumulate_unit(&j->arithmetic)};
        double all =
            bounds_gamma(&m, (double)row->terms) * bounds_magnitude(w->scale + row->at + i);
        if (all > 0 && isfinite(all) && isfinite(e.error))
            r->cancellation = fmax(r->cancellation, e.error / all);
    }
    bool infinite = isinf(e.error);
    r->nonfinite += infinite;
    if (e.ulp >= r->largest.ulp)
        r->largest = e;
    if (own || tolerance) {
        double lower = tolerance ? e.error : surely(e.error, exact), ratio;
        bool outside = infinite || (tolerance ? lower > 0 && beyond_tolerance(j, e.got, exact)
                                              : lower > e.bound);
        ratio = infinite ? INFINITY : lower == 0 || isinf(e.bound) ? 0 : lower / e.bound;
        if (tolerance && !outside) /* not by what its display is rounded */
            ratio = fmin(ratio, 1);
        if (outside && (r->outside++ == 0 || e.time < r->first_time))
            r->first_time = e.time, r->first = e;
        if (ratio >= r->ratio)
            r->ratio = ratio, r->worst = e;
        r->head[e.head] = fmax(r->head[e.head], ratio);
        if (!tolerance && vacuous(w, e.bound, row->scale))
            r->vacuous++;
        *zeros_pass = *zeros_pass && (size == 0 || e.bound >= fabs(e.exact));
        row->most = fmax(row->most, e.bound);
    }
    if (i == 0 || e.error > worst->error)
        *worst = e;
}

/* A row whose error has a bound as a vector. */
static void judge_norm(judged *w, const judged_row *row, const judge_element *worst) {
    judge_report *r = w->report;
    double lower = isinf(row->error) ? row->error : fmax(0, row->error - 0x1p-56 * row->norm);
    bool outside = isinf(row->error) || lower > row->bound;
    double ratio = isinf(row->error)                 ? INFINITY
                   : lower == 0 || isinf(row->bound) ? 0
                                                     : lower / row->bound;
    if (outside && (r->outside++ == 0 || worst->time < r->first_time))
        r->first_time = worst->time, r->first = *worst;
    if (ratio >= r->ratio)
        r->ratio = ratio, r->worst = *worst;
    r->head[row->head] = fmax(r->head[row->head], ratio);
    if (vacuous(w, row->bound, row->norm))
        r->vacuous += row->width;
}

static void judge_row(judged *w, judged_row *row) {
    judge_element worst = {0};
    bool zeros_pass = true, tolerance = w->judge->tolerance;
    for (int64_t i = 0; i < row->width; i++)
        judge_element_of(w, row, i, &worst, &zeros_pass);
    row->error = sqrt(row->error), row->twin = sqrt(row->twin), row->size = sqrt(row->size);
    if (!isnan(row->bound) && !tolerance) {
        judge_norm(w, row, &worst);
        zeros_pass = row->bound >= row->size, row->most = row->bound;
    }
    if (!tolerance && zeros_pass && row->size > 0 && row->most > w->least)
        w->report->weak += row->width;
}

/* The row's error over the yardstick that its twins give. */
static double over_twin(const judged *w, const judged_row *row, int64_t n, int64_t i) {
    const arithmetic *a = &w->judge->arithmetic;
    double most = arithmetic_operand_unit(a) * row[i].size +
                  4 * arithmetic_accumulate_unit(a) * fmax(row[i].norm, row[i].size);
    for (int sign = -1; sign <= 1; sign += 2)
        for (int64_t k = 0, s = i; k <= WINDOW && s >= 0 && s < n; k++, s += sign * w->heads)
            if (row[s].batch == row[i].batch && row[s].head == row[i].head &&
                (row[s].time >= 0 || s == i) && isfinite(row[s].twin))
                most = fmax(most, row[s].twin);
    return row[i].error == 0 ? 0 : row[i].error / most;
}

static void judge_twins(judged *w, judged_row *row, int64_t n) {
    judge_report *r = w->report;
    for (int64_t i = 0; i < n; i++) {
        double ratio = over_twin(w, row, n, i);
        r->twin = fmax(r->twin, ratio);
        if (!(ratio > JUDGE_SUSPECT_FACTOR))
            continue;
        if (r->suspect++ > 0 && row[i].time >= r->first_suspect.time)
            continue;
        double most = -1;
        for (int64_t k = 0; k < row[i].width; k++) {
            arb_srcptr exact = w->exact + row[i].at + k;
            judge_element e = {row[i].batch, row[i].time, row[i].head, row[i].dim + k};
            e.got = array_get(&w->values, row[i].data + k), e.exact = exact_double_mid(exact);
            ulp_error(&e.error, &e.ulp, w->values.type, e.got, exact);
            e.bound =
                isnan(row[i].bound) ? w->bound ? w->bound[row[i].at + k] : INFINITY : row[i].bound;
            if (e.error > most)
                most = e.error, r->first_suspect = e;
        }
    }
}

static void decide(const judged *w) {
    judge_report *r = w->report;
    const judge_struct *j = w->judge;
    bool twin = w->twin != NULL;
    if (r->nonfinite > 0 || r->outside > 0)
        r->verdict = JUDGE_BROKEN;
    else if (j->tolerance)
        r->verdict = JUDGE_OK;
    else if (r->suspect > 0)
        r->verdict = JUDGE_SUSPECT;
    else if ((r->vacuous > 0 && !(j->accept_twin && twin)) || (r->weak > 0 && !twin))
        r->verdict = JUDGE_UNDECIDED;
    else
        r->verdict = JUDGE_OK;
}

static judge_status judge_rows(judged *w, judged_row *row, int64_t rows, int64_t elements) {
    judge_report *r = w->report;
    r->elements = elements, r->rows = rows, r->heads = w->heads, r->first_time = -1;
    r->head = calloc((size_t)w->heads + 1, sizeof *r->head);
    w->ulp = calloc((size_t)elements + 1, sizeof *w->ulp);
    if (!r->head || !w->ulp) {
        free(w->ulp);
        judge_report_clear(r);
        return JUDGE_NO_MEMORY;
    }
    for (int64_t i = 0; i < rows; i++)
        judge_row(w, row + i);
    if (w->twin)
        judge_twins(w, row, rows);
    r->rms_ratio = w->squares == 0 ? 0 : sqrt(w->squares) / sqrt(w->exact_squares);
    ulp_sort(w->ulp, elements);
    r->p50 = ulp_quantile(w->ulp, elements, 0.5), r->p99 = ulp_quantile(w->ulp, elements, 0.99);
    free(w->ulp);
    decide(w);
    return JUDGE_DONE;
}

static judged begin(judge_report *r, const judge_struct *j, array_type type, const void *x) {
    memset(r, 0, sizeof *r);
    return (judged){.report = r,
                    .judge = j,
                    .values = {.type = type, .data = (void *)(uintptr_t)x},
                    .least = 0x1p30 * arithmetic_accumulate_tiny(&j->arithmetic)};
}

/* The largest of n sums on absolute values, and their norm; over |divisor| where there is one. */
static void a_priori(judged_row *row, arb_srcptr scale, arb_srcptr divisor) {
    double by = 1;
    if (divisor) {
        mag_t m;
        mag_init(m);
        arb_get_mag_lower(m, divisor);
        by = mag_get_d(m);
        mag_clear(m);
    }
    for (int64_t i = 0; scale && i < row->width; i++) {
        double x = bounds_magnitude(scale + i);
        row->scale = fmax(row->scale, x), row->norm += x * x;
    }
    row->norm = sqrt(row->norm);
    if (divisor)
        row->scale = by > 0 ? row->scale / by : 0, row->norm = by > 0 ? row->norm / by : 0;
}

/* |scale| |q_t| max_{s<=t} |S_s|_F, most: that maximum so far. */
static double recurrence_scale(const mn_args *a, const judged_row *row, const double *most) {
    return bounds_scale(a) * most[row->head] *
           bounds_norm(
               reference_row(a->q, a->time, a->heads, a->dk, row->batch, row->time, row->head),
               a->dk);
}

judge_status judge_output(judge_report *r, const judge_t j, array_type type, const void *o) {
    const mn_args *a = j->args;
    judged w = begin(r, j, type, o);
    int64_t rows = j->exact->rows, kv = a->kv_heads ? a->kv_heads : a->heads, group = a->heads / kv;
    judged_row *row = calloc((size_t)rows + 1, sizeof *row);
    double *most = calloc((size_t)a->heads, sizeof *most);
    if (!row || !most) {
        free(row);
        free(most);
        return JUDGE_NO_MEMORY;
    }
    w.exact = j->exact->o, w.heads = a->heads, w.twin = j->with_twin ? j->twin->o : NULL;
    w.bound = j->bounds->by_row ? NULL : j->bounds->o;
    w.scale = a->normalise ? NULL : j->scale->o;
    for (int64_t i = 0; i < rows; i++) {
        judged_row *x = row + i;
        *x = (judged_row){.data = i * a->dv,
                          .at = i * a->dv,
                          .width = a->dv,
                          .head = i % a->heads,
                          .time = i / a->heads % a->time,
                          .batch = i / a->heads / a->time,
                          .bound = j->bounds->by_row ? j->bounds->o[i] : NAN};
        if (!j->bounds->by_row) {
            a_priori(x, j->scale->o + x->at,
                     a->normalise && a->kernel != MN_SOFTMAX ? j->exact->divisor + i : NULL);
            x->terms = (x->time + 1 + a->past) * a->dk;
            continue;
        }
        const reference_token *did =
            j->exact->token + (x->batch * a->time + x->time) * kv + x->head / group;
        most[x->head] = x->time == 0 ? did->state : fmax(most[x->head], did->state);
        x->scale = x->norm = recurrence_scale(a, x, most);
    }
    judge_status status = judge_rows(&w, row, rows, rows * a->dv);
    free(row);
    free(most);
    return status;
}

/* Parts of a head's state, in its order: blocks of S, then the others. */
static int state_parts(const mn_args *a, int64_t width[], int64_t count[], judge_part kind[]) {
    int parts = 1;
    width[0] = a->dk * a->dv, kind[0] = JUDGE_STATE;
    count[0] = a->kernel == MN_LOGLINEAR ? a->levels
               : a->kernel == MN_VORT    ? a->banks * a->modes
                                         : 1;
    if (a->kernel == MN_VLA)
        width[parts] = a->dk * a->dk, kind[parts] = JUDGE_INVERSE, count[parts++] = 1;
    if (a->normalise)
        width[parts] = a->dk, kind[parts] = JUDGE_KEYS, count[parts++] = count[0];
    return parts;
}

/* The rounding of a state to the type that it is handed over in. */
static double handed_over(const judge_struct *j, array_type type, double bound, double size) {
    arithmetic as = j->arithmetic;
    as.output = type;
    bounds_model m = {.output = arithmetic_output_unit(&as),
                      .output_tiny = arithmetic_output_tiny(&as)};
    return bounds_rounded(&m, bound, size);
}

/* Of the parts of the state, only one, or all (-1). */
static judge_status judge_parts(judge_report *r, const judge_struct *j, int only, array_type type,
                                const void *state) {
    const mn_args *a = j->args;
    judged w = begin(r, j, type, state);
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, n = j->exact->states, width[3], count[3],
            size = reference_head_floats(a), heads = size > 0 ? n / size : 0, rows = 0;
    judge_part kind[3];
    int parts = state_parts(a, width, count, kind);
    judged_row *row = calloc((size_t)n + 1, sizeof *row);
    double *bound = calloc((size_t)n + 1, sizeof *bound),
           *twin = calloc((size_t)n + 1, sizeof *twin);
    if (!row || !bound || !twin) {
        free(row), free(bound), free(twin);
        return JUDGE_NO_MEMORY;
    }
    bool by_row = j->bounds->by_row;
    w.exact = j->exact->state, w.heads = kv, w.bound = by_row ? NULL : bound;
    for (int64_t i = 0; i < n; i++) {
        if (!by_row)
            bound[i] = handed_over(j, type, j->bounds->state[i], bounds_magnitude(w.exact + i));
        if (j->with_twin)
            twin[i] = array_round(type, j->twin->state[i]);
    }
    w.twin = j->with_twin ? twin : NULL;
    int64_t at = 0, data = 0;
    for (int64_t h = 0; h < heads; h++)
        for (int p = 0; p < parts; p++)
            for (int64_t b = 0; b < count[p]; b++, at += width[p]) {
                if (only >= 0 && (int)kind[p] != only)
                    continue;
                judged_row *x = row + rows++;
                *x = (judged_row){.data = data,
                                  .at = at,
                                  .width = width[p],
                                  .batch = h / kv,
                                  .time = -1,
                                  .head = h % kv,
                                  .dim = only >= 0 ? b * width[p] : at - h * size,
                                  .bound = NAN};
                data += width[p];
                a_priori(x, (by_row ? w.exact : j->scale->state) + at, NULL);
                if (by_row)
                    x->bound =
                        handed_over(j, type, j->bounds->state[3 * h + (int)kind[p]], x->norm);
            }
    judge_status status = judge_rows(&w, row, rows, data);
    free(row), free(bound), free(twin);
    return status;
}

judge_status judge_state(judge_report *r, const judge_t j, array_type type, const void *state) {
    return judge_parts(r, j, -1, type, state);
}
judge_status judge_state_part(judge_report *r, const judge_t j, judge_part part, array_type type,
                              const void *state) {
    return judge_parts(r, j, (int)part, type, state);
}

judge_status judge_values(judge_report *r, const judge_t j, array_type type, const void *x,
                          const judge_target *target) {
    judged w = begin(r, j, type, x);
    const int64_t *n = target->shape;
    int64_t rows = n[0] * n[1] * n[2];
    judged_row *row = calloc((size_t)rows + 1, sizeof *row);
    if (!row)
        return JUDGE_NO_MEMORY;
    w.exact = target->exact, w.heads = n[2], w.twin = target->twin, w.bound = target->bound;
    for (int64_t i = 0; i < rows; i++) {
        row[i] = (judged_row){.data = i * n[3],
                              .at = i * n[3],
                              .width = n[3],
                              .head = i % n[2],
                              .time = i / n[2] % n[1],
                              .batch = i / n[2] / n[1],
                              .bound = NAN};
        a_priori(row + i, target->scale ? target->scale + row[i].at : NULL, NULL);
    }
    judge_status status = judge_rows(&w, row, rows, rows * n[3]);
    free(row);
    return status;
}

judge_status judge_begin(judge_t j, const mn_args *args, arithmetic arithmetic, bool with_twin) {
    return judge_begin_with(j, args, arithmetic, with_twin, NULL);
}

judge_status judge_begin_with(judge_t j, const mn_args *args, arithmetic arithmetic, bool with_twin,
                              const reference_options *options) {
    memset(j, 0, sizeof *j);
    bool sums = args->kernel != MN_DELTA && args->kernel != MN_VLA;
    j->args = args, j->arithmetic = arithmetic, j->with_twin = with_twin;
    reference_init(j->exact), reference_init(j->scale), bounds_init(j->bounds);
    judge_status status = JUDGE_DONE;
    j->reference = reference_attention_with(j->exact, args, options);
    if (j->reference == REFERENCE_OK && sums)
        j->reference = reference_scale_with(j->scale, args, options);
    if (j->reference != REFERENCE_OK)
        status = JUDGE_REFERENCE;
    else if (bounds_attention_in(j->bounds, args, j->exact, sums ? j->scale : NULL, &arithmetic) !=
             BOUNDS_OK)
        status = JUDGE_BAD_ARGUMENT;
    else if (with_twin && !twin_run(j->twin, args, &arithmetic))
        status = JUDGE_NO_MEMORY;
    if (status != JUDGE_DONE) {
        reference_status kept = j->reference;
        judge_clear(j);
        j->reference = kept;
    }
    return status;
}

void judge_clear(judge_t j) {
    reference_clear(j->exact), reference_clear(j->scale), bounds_clear(j->bounds);
    twin_clear(j->twin);
    memset(j, 0, sizeof *j);
}

/* Judging outputs, final states and gradients of kernels from outside. */
#include "reports/check_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/accuracy/gradient.h"
#include "numerics/accuracy/reference_rows.h"
#include "numerics/exact/number.h"

void check_report_clear(check_report *r) {
    for (int i = 0; i < r->subjects; i++)
        judge_report_clear(&r->subject[i].report);
    r->subjects = 0;
}

/* Why there is no exact result: for VLA that goes on from a state, the first A that is no inverse of a
 * positive definite matrix is named. */
static bool no_reference(const mn_args *a, reference_status status, char *complaint) {
    int64_t n[3], heads = (a->segments ? a->segments : a->batch) * a->kv_heads;
    const float *state = a->state_in;
    check_state_parts(a, n);
    for (int64_t i = 0; status == REFERENCE_UNDECIDED && n[1] > 0 && state && i < heads; i++)
        if (isinf(reference_inverse_norm_floats(state + i * (n[0] + n[1] + n[2]) + n[0], a->dk)))
            return check_refuse(complaint,
                                "initial_inverse[%lld, %lld] is not symmetric and positive "
                                "definite, and 1 + u.A u or A k may be 0: no state is exact",
                                (long long)(i / a->kv_heads), (long long)(i % a->kv_heads));
    return check_refuse(complaint, "there is no reference: %s", reference_status_text(status));
}

static const char no_memory[] = "there is not enough memory";

/* Arrays that no result or gradient is called. */
static bool note_strangers(check_report *r, const array_file *outputs, char *complaint) {
    check_loader l = {.call = (check_call *)(uintptr_t)r->call, .o = r->options};
    for (int64_t i = 0; i < outputs->count; i++) {
        char barred[80];
        snprintf(barred, sizeof barred, "|%.60s|", outputs->item[i].name);
        if (strstr(check_names, barred))
            continue;
        if (r->options->strict)
            return check_refuse(complaint, "output \"%.60s\": no result has that name",
                                outputs->item[i].name);
        check_note(&l, "output \"%.60s\" is not looked at: no result has that name",
                   outputs->item[i].name);
    }
    return true;
}

/* One result with a reference; true also where it is not there. */
static bool judge_result(check_report *r, judge_t j, check_what what, const array_file *inputs,
                         const array_file *outputs, char *complaint) {
    static const judge_part parts[] = {JUDGE_STATE, JUDGE_STATE, JUDGE_INVERSE, JUDGE_KEYS};
    const array *found = check_result(outputs, what);
    const char *name = check_what_name(what), *dims = check_dims(&r->call->args, what);
    check_options o = *r->options;
    void *packed;
    if (!found)
        return true;
    if (!dims)
        return check_refuse(complaint, "%s: this kernel%s has none", name,
                            what == CHECK_KEYS ? " without --normalise" : "");
    check_subject *s = &r->subject[r->subjects];
    *s = (check_subject){.name = name, .state = what != CHECK_O, .by_row = j->bounds->by_row};
    if (s->state)
        o.dtype = CHECK_NOT_GIVEN; /* states are handed over in wider types */
    if (!check_held(&packed, &s->type, r->call, &o, found, name, dims, complaint))
        return false;
    judge_status status = s->state ? judge_state_part(&s->report, j, parts[what], s->type, packed)
                                   : judge_output(&s->report, j, s->type, packed);
    r->subjects += status == JUDGE_DONE;
    if (status == JUDGE_DONE && !s->state && s->report.verdict >= JUDGE_SUSPECT)
        check_guess(s->guess, r->call, r->options, inputs, found, &j->arithmetic, s->type, packed,
                    &s->report);
    free(packed);
    return status == JUDGE_DONE || check_refuse(complaint, no_memory);
}

static void set_tolerances(judge_t j, const check_options *o) {
    j->rtol = o->rtol, j->atol = o->atol, j->tolerance = o->tolerance;
    j->accept_twin = o->accept_twin;
}

bool check_outputs(check_report *r, const array_file *inputs, const array_file *outputs,
                   char *complaint) {
    const array *o = check_result(outputs, CHECK_O);
    array_type type = ARRAY_F32;
    judge_t j;
    bool any = false, good = true;
    for (int what = CHECK_O; what <= CHECK_KEYS; what++)
        any = any || check_result(outputs, (check_what)what);
    if (!any)
        return check_refuse(complaint, "the output has neither o nor final_state (nor "
                                       "final_inverse, final_keys)");
    if (!check_no_twice(outputs, complaint) || !note_strangers(r, outputs, complaint))
        return false;
    if (o) { /* before the long computation */
        void *packed;
        if (!check_held(&packed, &type, r->call, r->options, o, "o", "BTHV", complaint))
            return false;
        free(packed);
    }
    r->arithmetic = check_arithmetic(r->options, type);
    const reference_options watched = {.watch = r->watch};
    judge_status began = judge_begin_with(j, &r->call->args, r->arithmetic, true, &watched);
    if (began == JUDGE_REFERENCE)
        return no_reference(&r->call->args, j->reference, complaint);
    if (began != JUDGE_DONE)
        return check_refuse(complaint, no_memory);
    set_tolerances(j, r->options);
    for (int what = CHECK_O; what <= CHECK_KEYS && good; what++)
        good = judge_result(r, j, (check_what)what, inputs, outputs, complaint);
    judge_clear(j);
    return good;
}

/* ---- gradients ---- */

static const struct {
    gradient_part part;
    const char *names, *dims;
} gradients[] = {{GRADIENT_Q, "dq", "BTHK"},
                 {GRADIENT_K, "dk", "BNWK"},
                 {GRADIENT_V, "dv", "BNWV"},
                 {GRADIENT_G, "dg", "BTW"},
                 {GRADIENT_GATE_KEYS, "dg|dgk", "BTWK"},
                 {GRADIENT_BETA, "dbeta", "BTW"},
                 {GRADIENT_U, "du", "BTWK"},
                 {GRADIENT_LAMBDA, "dlambda|dlevel_scales", "BTHL"},
                 {GRADIENT_WEIGHTS, "dweights", "bm"},
                 {GRADIENT_NODES, "dnodes", "bm"},
                 {GRADIENT_STATE, "dh0|dinitial_state", NULL}};
enum { GRADIENTS = sizeof gradients / sizeof *gradients };

typedef struct {
    gradient_t exact, scale;
    gradient_twin_t twin;
    bool sums, has_twin;
    const float *d_o;
    float *d_state;
} gradient_set;

static arithmetic rounding_to; /* gradient_twin's callback has no room for it */
static float round_operand(float x) {
    return (float)arithmetic_operand(&rounding_to, (double)x);
}

/* The cotangents: do and, of the final state, dht. */
static bool load_cotangents(check_loader *l, gradient_set *g) {
    const mn_args *a = &l->call->args;
    const float *dht = NULL;
    if (!check_find(l, "do|d_o"))
        return check_missing(l, "do|d_o");
    if (!check_floats(l, &g->d_o, "do|d_o", "BTHV", true))
        return false;
    const char *dims = check_dims(a, CHECK_STATE);
    if (!dims || !check_find(l, "dht"))
        return true;
    if (!check_floats(l, &dht, "dht", dims, true))
        return false;
    int64_t n[3], heads = l->size['S'] * a->kv_heads;
    check_state_parts(a, n);
    int64_t own = n[0], size = n[0] + n[1] + n[2];
    g->d_state = check_keep(l, (size_t)(heads * size) * sizeof *g->d_state);
    for (int64_t h = 0; g->d_state && h < heads; h++)
        memcpy(g->d_state + h * size, dht + h * own, (size_t)own * sizeof *dht);
    return g->d_state != NULL;
}

static gradient_format format(double unit, double least) {
    return (gradient_format){unit, least};
}

/* Bounds of a part in that arithmetic; a device's exponents count as roundings of sums. */
static void bound_part(gradient_bounds_t b, const mn_args *a, const gradient_set *g,
                       gradient_part part, const arithmetic *m) {
    double u = arithmetic_accumulate_unit(m);
    gradient_arithmetic in = {
        .accumulate = format(u, arithmetic_accumulate_tiny(m)),
        .operand = format(arithmetic_operand_unit(m), arithmetic_operand_tiny(m)),
        .output = format(arithmetic_output_unit(m), arithmetic_output_tiny(m)),
        .roundings = 1.25 * gradient_roundings(a, part) + 4 * (double)m->chunk +
                     bounds_gate_error(a, m) / u};
    gradient_bounds_init(b);
    bounds_gradient(b, a, g->d_o, g->d_state, g->sums ? g->scale : NULL, &in);
}

/* Of the state only S, which is what comes first of each head. */
static bool judge_gradient(check_report *r, const gradient_set *g, int which,
                           const array_file *outputs, char *complaint) {
    const mn_args *a = &r->call->args;
    gradient_part part = gradients[which].part;
    array_file none = *outputs;
    check_loader l = {.o = r->options, .file = &none};
    const array *found = check_find(&l, gradients[which].names);
    slong count = g->exact->count[part];
    bool exists = gradient_exists(a, part);
    if (!found || (!exists && (part == GRADIENT_G || part == GRADIENT_GATE_KEYS)))
        return true;
    const char *name = found->name,
               *dims = gradients[which].dims ? gradients[which].dims : check_dims(a, CHECK_STATE);
    if (!exists || !dims)
        return check_refuse(complaint, "%s: the inputs have nothing that it is the gradient by",
                            name);
    check_subject *s = &r->subject[r->subjects];
    void *packed;
    *s = (check_subject){.name = name, .state = part == GRADIENT_STATE || dims[0] == 'b'};
    if (!check_held(&packed, &s->type, r->call, r->options, found, name, dims, complaint))
        return false;
    check_know(&l, a);
    int64_t n = found->elements, kv = a->kv_heads, time = a->time,
            heads = part == GRADIENT_STATE ? l.size['S'] * kv : 0,
            width = heads ? count / heads : 0, own = heads ? n / heads : 0;
    if (part == GRADIENT_K || part == GRADIENT_V)
        time += a->past;
    arb_ptr exact = _arb_vec_init(n), scale = _arb_vec_init(n);
    double *bound = calloc((size_t)n + 1, sizeof *bound),
           *twin = calloc((size_t)n + 1, sizeof *twin);
    gradient_bounds_t b;
    r->arithmetic = check_arithmetic(r->options, s->type);
    bound_part(b, a, g, part, &r->arithmetic);
    for (int64_t i = 0; bound && twin && i < n; i++) {
        int64_t at = own ? i / own * width + i % own : i;
        arb_set(exact + i, g->exact->part[part] + at);
        if (g->sums)
            arb_set(scale + i, g->scale->part[part] + at);
        bound[i] = b->part[part] ? b->part[part][at] : INFINITY;
        if (g->has_twin)
            twin[i] = array_round(s->type, (double)g->twin->part[part][at]);
    }
    judge_target t = {
        .shape = {a->batch, time, part == GRADIENT_Q || part == GRADIENT_LAMBDA ? a->heads : kv, 1},
        .exact = exact,
        .scale = g->sums ? scale : NULL,
        .bound = g->sums ? bound : NULL,
        .twin = g->has_twin ? twin : NULL};
    if (part == GRADIENT_STATE)
        t.shape[0] = l.size['S'], t.shape[1] = 1, t.shape[3] = own;
    else if (dims[0] == 'b')
        t.shape[0] = t.shape[1] = t.shape[2] = 1, t.shape[3] = n;
    else
        t.shape[3] = n ? n / (t.shape[0] * t.shape[1] * t.shape[2]) : 1;
    judge_t j = {{.args = a, .arithmetic = r->arithmetic, .with_twin = g->has_twin}};
    set_tolerances(j, r->options);
    j->accept_twin = j->accept_twin || !g->sums; /* no bounds are known */
    judge_status status =
        !bound || !twin ? JUDGE_NO_MEMORY : judge_values(&s->report, j, s->type, packed, &t);
    r->subjects += status == JUDGE_DONE;
    gradient_bounds_clear(b);
    _arb_vec_clear(exact, n), _arb_vec_clear(scale, n);
    free(bound), free(twin), free(packed);
    return status == JUDGE_DONE || check_refuse(complaint, no_memory);
}

bool check_gradients(check_report *r, const array_file *inputs, const array_file *outputs,
                     char *complaint) {
    check_call *call = (check_call *)(uintptr_t)r->call; /* it keeps the cotangents */
    const mn_args *a = &call->args;
    check_loader l = {.call = call, .o = r->options, .file = inputs, .complaint = complaint};
    gradient_set g = {.sums = a->kernel != MN_DELTA && a->kernel != MN_VLA};
    check_know(&l, a);
    if (call->repeated > 1)
        return check_refuse(complaint, "gradients want as many heads of q as of v, not a divisor");
    check_loader names = {.o = r->options, .file = outputs};
    const array *first = NULL;
    for (int i = 0; i < GRADIENTS && !first; i++)
        first = check_find(&names, gradients[i].names);
    if (!first)
        return check_refuse(complaint, "the output has no gradient: dq, dk, dv, dg, dbeta, du, "
                                       "dlambda, dweights, dnodes or dh0 is wanted");
    if (!check_no_twice(outputs, complaint) || !note_strangers(r, outputs, complaint) ||
        !load_cotangents(&l, &g))
        return false;
    array as = *first;
    if (r->options->bfloat16)
        array_as_bfloat16(&as);
    array_type type =
        r->options->dtype == CHECK_NOT_GIVEN ? as.type : (array_type)r->options->dtype;
    int bits, least, most;
    if (!arithmetic_format(type, &bits, &least, &most))
        type = ARRAY_F32; /* refused by name below */
    rounding_to = check_arithmetic(r->options, type);
    g.has_twin = rounding_to.accumulate == ARRAY_F32;
    gradient_init(g.exact), gradient_init(g.scale), gradient_twin_init(g.twin);
    reference_status status = gradient_attention(g.exact, a, g.d_o, g.d_state);
    if (status == REFERENCE_OK && g.sums)
        status = gradient_scale(g.scale, a, g.d_o, g.d_state);
    if (status == REFERENCE_OK && g.has_twin)
        status = gradient_twin(g.twin, a, g.d_o, g.d_state,
                               arithmetic_operand_unit(&rounding_to) > 0 ? round_operand : NULL);
    bool good = status == REFERENCE_OK || no_reference(a, status, complaint);
    for (int i = 0; i < GRADIENTS && good; i++)
        good = judge_gradient(r, &g, i, outputs, complaint);
    if (good && r->subjects == 0)
        good = check_refuse(complaint, "%s: the inputs have nothing that it is the gradient by",
                            first->name);
    gradient_clear(g.exact), gradient_clear(g.scale), gradient_twin_clear(g.twin);
    return good;
}

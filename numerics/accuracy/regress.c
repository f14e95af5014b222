#include "numerics/accuracy/regress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const regress_library regress_libmneme = {mn_run, mn_convolve};
const char *const regress_method_names[] = {"reference", "step", "chunk", NULL};

/* ---- one run ---- */

/* What is measured against: a judge of attention's calls, or a convolution's exact results. */
typedef struct {
    const inputs_case *c;
    judge_t judge;
    reference_t exact, scale;
    bounds_t bounds;
} oracle;

static void oracle_clear(oracle *w) {
    if (w->c->convolves)
        reference_clear(w->exact), reference_clear(w->scale), bounds_clear(w->bounds);
    else
        judge_clear(w->judge);
}

/* NULL, or why there is none. */
static const char *oracle_make(oracle *w, const inputs_case *c) {
    memset(w, 0, sizeof *w);
    w->c = c;
    if (!c->convolves) {
        judge_status status = judge_begin(w->judge, &c->args, arithmetic_library(), true);
        return status == JUDGE_DONE        ? NULL
               : status == JUDGE_REFERENCE ? reference_status_text(w->judge->reference)
                                           : "no memory";
    }
    reference_init(w->exact), reference_init(w->scale), bounds_init(w->bounds);
    reference_status status = reference_convolution(w->exact, &c->convolution);
    if (status == REFERENCE_OK)
        status = reference_convolution_scale(w->scale, &c->convolution);
    if (status == REFERENCE_OK &&
        bounds_convolution(w->bounds, &c->convolution, w->scale) == BOUNDS_OK)
        return NULL;
    oracle_clear(w);
    return status == REFERENCE_OK ? "no bounds" : reference_status_text(status);
}

typedef struct {
    void *o, *state, *workspace;
    size_t o_bytes, state_bytes, workspace_bytes;
} buffers;

/* NaN until written. */
static void *poisoned(size_t bytes) {
    void *p = malloc(bytes ? bytes : 1);
    if (p)
        memset(p, 0xff, bytes);
    return p;
}

static void buffers_clear(buffers *b) {
    free(b->o), free(b->state), free(b->workspace);
}

static mn_status call(buffers *b, const inputs_case *c, mn_method method, mn_isa isa,
                      const regress_library *library, mn_error *error) {
    mn_args a = c->args;
    mn_convolution f = c->convolution;
    memset(b, 0, sizeof *b);
    if (c->convolves) {
        f.isa = isa;
        b->o_bytes = (size_t)(f.batch * f.time * f.channels) * sizeof(float);
        b->state_bytes = f.modes ? mn_convolution_state_size(&f) : 0;
        b->workspace_bytes = mn_convolution_workspace_size(&f, method);
    } else {
        a.isa = isa;
        b->o_bytes = (size_t)(a.batch * a.time * a.heads * a.dv) * sizeof(float);
        b->state_bytes = mn_state_size(&a);
        b->workspace_bytes = mn_workspace_size(&a, method);
    }
    b->o = poisoned(b->o_bytes), b->workspace = poisoned(b->workspace_bytes);
    b->state = b->state_bytes ? poisoned(b->state_bytes) : NULL;
    if (!b->o || !b->workspace || (b->state_bytes && !b->state)) {
        *error = (mn_error){MN_SMALL_WORKSPACE, "memory", 0, 0};
        return error->status;
    }
    if (c->convolves) {
        f.y.data = b->o, f.state_out = b->state;
        f.workspace = b->workspace, f.workspace_size = b->workspace_bytes;
        return library->convolution(&f, method, error);
    }
    a.o.data = b->o, a.state_out = b->state;
    a.workspace = b->workspace, a.workspace_size = b->workspace_bytes;
    return library->attention(&a, method, error);
}

static judge_status measure(judge_report *r, const oracle *w, const buffers *b, bool state) {
    const mn_convolution *f = &w->c->convolution;
    if (!w->c->convolves)
        return state ? judge_state(r, w->judge, ARRAY_F32, b->state)
                     : judge_output(r, w->judge, ARRAY_F32, b->o);
    const int64_t outputs[4] = {f->batch, f->time, 1, f->channels},
                  states[4] = {f->batch, 1, f->modes, f->channels};
    return state ? judge_values(r, w->judge, ARRAY_F32, b->state, w->exact->state, w->bounds->state,
                                NULL, states)
                 : judge_values(r, w->judge, ARRAY_F32, b->o, w->exact->o, w->bounds->o, NULL,
                                outputs);
}

static void take(regress_row *row, const judge_report *r) {
    row->found = (regress_numbers){.verdict = r->verdict,
                                   .ulp = r->largest.ulp,
                                   .p99 = r->p99,
                                   .ratio = r->ratio,
                                   .rms = r->rms_ratio};
    row->twin = r->twin, row->elements = r->elements, row->outside = r->outside;
    row->nonfinite = r->nonfinite, row->vacuous = r->vacuous;
    row->worst = r->worst, row->largest = r->largest;
    row->deciding = r->verdict == JUDGE_BROKEN    ? r->first
                    : r->verdict == JUDGE_SUSPECT ? r->first_suspect
                                                  : r->largest;
    memcpy(row->histogram, r->histogram, sizeof row->histogram);
}

static int run_one(regress_row *rows, const oracle *w, mn_method method, mn_isa isa,
                   const regress_library *library) {
    int parts =
        w->c->convolves ? (w->c->convolution.modes ? 2 : 1) : (mn_state_size(&w->c->args) ? 2 : 1);
    for (int i = 0; i < parts; i++) {
        memset(rows + i, 0, sizeof rows[i]);
        rows[i].method = method, rows[i].isa = isa, rows[i].state = i;
        rows[i].outcome = REGRESS_NO_ISA;
    }
    if (!mn_isa_usable(isa))
        return parts;
    buffers b;
    mn_error error;
    mn_status status = call(&b, w->c, method, isa, library, &error);
    for (int i = 0; i < parts; i++) {
        judge_report report;
        rows[i].outcome = REGRESS_RUN;
        if (status != MN_OK) {
            rows[i].outcome = REGRESS_REFUSED;
            mn_error_text(&error, rows[i].text, sizeof rows[i].text);
        } else if (measure(&report, w, &b, i) != JUDGE_DONE) {
            rows[i].outcome = REGRESS_NO_REFERENCE;
            snprintf(rows[i].text, sizeof rows[i].text, "the outputs' sizes do not fit");
        } else {
            take(rows + i, &report);
            judge_report_clear(&report);
        }
    }
    buffers_clear(&b);
    return parts;
}

/* The definition is plain C, once; a convolution with weights one by one has no steps. */
static bool has_run(const inputs_case *c, mn_method method, mn_isa isa) {
    if (method == MN_REFERENCE)
        return isa == MN_GENERIC;
    return !(method == MN_STEP && c->convolves && c->convolution.modes == 0);
}

static int without_reference(regress_row *rows, const char *why) {
    memset(rows, 0, sizeof *rows);
    rows->method = MN_REFERENCE, rows->isa = MN_GENERIC, rows->outcome = REGRESS_NO_REFERENCE;
    snprintf(rows->text, sizeof rows->text, "%s", why);
    return 1;
}

int regress_run(regress_row rows[REGRESS_ROWS], const regress_case *c, regress_selection selection,
                const regress_library *library) {
    inputs_case inputs;
    oracle w;
    int n = 0;
    if (!inputs_make(&inputs, c->kind, &c->shape, c->family, ARRAY_F32, c->seed))
        return without_reference(rows, "this kernel has no such case");
    const char *why = oracle_make(&w, &inputs);
    if (why) {
        n = without_reference(rows, why);
    } else {
        for (int method = 0; method <= MN_CHUNK; method++)
            for (int isa = MN_GENERIC; isa < MN_ISAS; isa++)
                if (selection.methods >> method & 1 && selection.isas >> isa & 1 &&
                    has_run(&inputs, (mn_method)method, (mn_isa)isa))
                    n += run_one(rows + n, &w, (mn_method)method, (mn_isa)isa, library);
        oracle_clear(&w);
    }
    inputs_clear(&inputs);
    return n;
}

char *regress_name(const regress_case *c, const regress_row *row, char *name) {
    char shape[INPUTS_SHAPE_TEXT];
    snprintf(name, REGRESS_NAME, "%s/%s/%s/%s/%s/%s", c->kind->name,
             inputs_shape_text(&c->shape, shape), inputs_family_names[c->family],
             regress_method_names[row->method], mn_isa_name(row->isa), row->state ? "state" : "o");
    return name;
}

/* ---- comparison ---- */

/* found against what is allowed on top of an old number; > 0: worse, < 0: better. */
static int compare(double found, double old, double factor, double floor) {
    if (!(found <= factor * old || found <= floor)) /* a NaN is worse */
        return 1;
    return old > factor * found && old > floor ? -1 : 0;
}

regress_change regress_compare(const regress_numbers *found, const regress_numbers *old,
                               char *text) {
    const struct {
        const char *name;
        double found, old, factor, floor;
    } numbers[] = {
        {"rms error over rms output", found->rms, old->rms, REGRESS_RMS_FACTOR, REGRESS_RMS_FLOOR},
        {"99% of errors in ulp", found->p99, old->p99, REGRESS_MAX_FACTOR, REGRESS_ULP_FLOOR},
        {"largest error in ulp", found->ulp, old->ulp, REGRESS_MAX_FACTOR, REGRESS_ULP_FLOOR},
        {"largest error / bound", found->ratio, old->ratio, REGRESS_MAX_FACTOR,
         REGRESS_RATIO_FLOOR}};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    *text = '\0';
    if (found->verdict != old->verdict) {
        snprintf(text, 160, "%s, was %s", judge_verdict_text(found->verdict),
                 judge_verdict_text(old->verdict));
        return found->verdict > old->verdict ? REGRESS_WORSE : REGRESS_BETTER;
    }
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < NUMBERS; i++)
            if (compare(numbers[i].found, numbers[i].old, numbers[i].factor, numbers[i].floor) ==
                sign) {
                snprintf(text, 160, "%s: %.3g, was %.3g (x %.3g; %.3g is the limit)",
                         numbers[i].name, numbers[i].found, numbers[i].old,
                         numbers[i].found / numbers[i].old, numbers[i].factor);
                return sign > 0 ? REGRESS_WORSE : REGRESS_BETTER;
            }
    return REGRESS_SAME;
}

/* ---- the plan ---- */

#define FAMILY(name) (1u << INPUTS_##name)
enum { ALL = (1u << INPUTS_FAMILIES) - 1 };
typedef struct {
    const char *shape; /* what a kind has no use for is left out of its shape */
    unsigned families;
    bool quick;
    unsigned kernels; /* bit k: of kernel k (MN_KERNELS: convolutions); 0: all */
} planned;

static const planned plan[] = {
    {"T=33,d=8", ALL, true, 0},
    {"T=129,d=64", ALL, false, 0},
    {"T=1,d=1", FAMILY(GAUSSIAN) | FAMILY(DENORMAL), true, 0},
    {"B=3,T=1,H=4,KV=2,d=64,position=77,state=1", FAMILY(GAUSSIAN) | FAMILY(GATES), true, 0},
    {"B=2,T=31,H=2,KV=1,d=7", FAMILY(POSITIVE) | FAMILY(PARALLEL), true, 0},
    {"T=32,H=4,KV=2,dk=8,dv=63,state=1", FAMILY(GAUSSIAN) | FAMILY(CANCELLATION), true, 0},
    {"T=33,dk=63,dv=8", FAMILY(LARGE) | FAMILY(POSITIVE), false, 0},
    {"T=64,d=65", FAMILY(GAUSSIAN) | FAMILY(GROWTH), false, 0},
    {"T=64,H=2,d=128", FAMILY(POSITIVE) | FAMILY(GATES), false, 0},
    {"T=129,H=4,KV=2,dk=7,dv=65,segments=5,state=1", FAMILY(GAUSSIAN) | FAMILY(GATES), true, 0},
    {"T=33,d=64,past=300", FAMILY(GAUSSIAN) | FAMILY(LARGE), true, 1u << MN_SOFTMAX},
    {"T=1000,d=64", FAMILY(GAUSSIAN), false, 0},
    {"T=1000,dk=8,dv=7,position=1234,state=1", FAMILY(POSITIVE) | FAMILY(GROWTH), false, 0},
    {"T=4096,d=4", FAMILY(GAUSSIAN) | FAMILY(GATES), false, 0},
};
enum { PLANNED = sizeof plan / sizeof *plan, KINDS = 16 };

/* What the kind has a use for. */
static inputs_shape fitted(inputs_shape s, const inputs_kind *kind) {
    bool convolution = kind->kernel == MN_KERNELS;
    if (convolution)
        s.heads = 1, s.kv_heads = 0, s.dk = s.dv, s.segments = 0;
    if (kind->kernel == MN_SOFTMAX || (convolution && !kind->weights))
        s.state = false;
    if (!s.state || (kind->kernel != MN_VLA && kind->kernel != MN_LOGLINEAR))
        s.position = 0;
    if (kind->kernel != MN_SOFTMAX)
        s.past = 0;
    return s;
}

/* Families that say something of a kind. */
static unsigned families_of(const inputs_kind *kind) {
    unsigned families = ALL;
    bool gated = kind->gates || kind->weights || kind->kernel == MN_VLA || kind->kernel == MN_VORT;
    if (!gated)
        families &= ~FAMILY(GATES);
    if (kind->kernel == MN_KERNELS)
        families &= ~FAMILY(PARALLEL);
    if (kind->kernel == MN_VLA && kind->normalise) /* divisors that are exactly 0 */
        families &= ~FAMILY(CANCELLATION);
    return families;
}

regress_case *regress_plan(size_t *count) {
    regress_case *list = calloc((size_t)(PLANNED * KINDS * INPUTS_FAMILIES), sizeof *list);
    size_t n = 0;
    for (const inputs_kind *kind = inputs_kinds; list && kind->name; kind++)
        for (int i = 0; i < PLANNED; i++) {
            char complaint[INPUTS_COMPLAINT];
            inputs_shape shape;
            if ((plan[i].kernels && !(plan[i].kernels >> kind->kernel & 1)) ||
                !inputs_parse_shape(&shape, plan[i].shape, complaint))
                continue;
            for (int f = 0; f < INPUTS_FAMILIES; f++)
                if (plan[i].families & families_of(kind) & 1u << f)
                    list[n++] = (regress_case){kind, fitted(shape, kind), (inputs_family)f,
                                               REGRESS_SEED, plan[i].quick};
        }
    *count = n;
    return list;
}

bool regress_planned(const regress_case *c) {
    size_t count;
    regress_case *list = regress_plan(&count);
    bool found = false;
    for (size_t i = 0; list && i < count; i++)
        found = found || (list[i].kind == c->kind && list[i].family == c->family &&
                          list[i].seed == c->seed &&
                          memcmp(&list[i].shape, &c->shape, sizeof c->shape) == 0);
    free(list);
    return found;
}

#include "numerics/accuracy/regress_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const regress_library regress_libmneme = {mn_run, mn_convolve};
const char *const regress_method_names[] = {"reference", "step", "chunk", NULL};

/* ---- one run ---- */

static void take(regress_row *row, const judge_report *r) {
    row->found = (regress_numbers){.verdict = r->verdict,
                                   .ulp = fmin(r->largest.ulp, REGRESS_NO_DIGIT),
                                   .p99 = fmin(r->p99, REGRESS_NO_DIGIT),
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

static int run_one(regress_row *rows, const regress_oracle *w, mn_method method, mn_isa isa,
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
    regress_buffers b;
    mn_error error;
    mn_status status = regress_call(&b, w->c, method, isa, library, &error);
    for (int i = 0; i < parts; i++) {
        judge_report report;
        rows[i].outcome = REGRESS_RUN;
        if (status != MN_OK) {
            rows[i].outcome = REGRESS_REFUSED;
            mn_error_text(&error, rows[i].text, sizeof rows[i].text);
        } else if (regress_judge(&report, w, &b, i) != JUDGE_DONE) {
            rows[i].outcome = REGRESS_NO_REFERENCE;
            snprintf(rows[i].text, sizeof rows[i].text, "the outputs' sizes do not fit");
        } else {
            take(rows + i, &report);
            judge_report_clear(&report);
        }
    }
    regress_buffers_clear(&b);
    return parts;
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
    regress_oracle w;
    int n = 0;
    if (!inputs_make(&inputs, c->kind, &c->shape, c->family, ARRAY_F32, c->seed))
        return without_reference(rows, "this kernel has no such case");
    const char *why = regress_oracle_make(&w, &inputs);
    if (why) {
        n = without_reference(rows, why);
    } else {
        for (int method = 0; method <= MN_CHUNK; method++)
            for (int isa = MN_GENERIC; isa < MN_ISAS; isa++)
                if (selection.methods >> method & 1 && selection.isas >> isa & 1 &&
                    regress_has_run(&inputs, (mn_method)method, (mn_isa)isa))
                    n += run_one(rows + n, &w, (mn_method)method, (mn_isa)isa, library);
        regress_oracle_clear(&w);
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
enum { ALL = (1u << INPUTS_FAMILIES) - 1, ATTENTION = (1u << MN_KERNELS) - 1 };
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
    {"T=129,d=8,banks=5,modes=16", FAMILY(GAUSSIAN) | FAMILY(GATES), false,
     1u << MN_VORT | 1u << MN_KERNELS},
    {"T=1000,d=64", FAMILY(POSITIVE) | FAMILY(GATES), false, ATTENTION},
    {"T=1000,dk=8,dv=7,position=1234,state=1", FAMILY(POSITIVE) | FAMILY(GROWTH), false, 0},
    {"T=4096,d=64", FAMILY(GAUSSIAN), false, ATTENTION},
    {"T=4096,d=8", FAMILY(GAUSSIAN) | FAMILY(GATES), false, 1u << MN_KERNELS},
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
    if (kind->kernel != MN_VORT)
        s.banks = 0;
    if (kind->kernel != MN_VORT && !(convolution && kind->weights))
        s.modes = 0;
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

static bool same_case(const regress_case *a, const regress_case *b) {
    return a->kind == b->kind && a->family == b->family && a->seed == b->seed &&
           inputs_same_shape(&a->shape, &b->shape);
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
            for (int f = 0; f < INPUTS_FAMILIES; f++) {
                regress_case c = {kind, fitted(shape, kind), (inputs_family)f, REGRESS_SEED,
                                  plan[i].quick};
                bool known = !(plan[i].families & families_of(kind) & 1u << f);
                for (size_t k = 0; k < n && !known; k++) /* two shapes may fit to the same */
                    known = same_case(list + k, &c);
                if (!known)
                    list[n++] = c;
            }
        }
    *count = n;
    return list;
}

bool regress_planned(const regress_case *c) {
    size_t count;
    regress_case *list = regress_plan(&count);
    bool found = false;
    for (size_t i = 0; list && i < count; i++)
        found = found || same_case(list + i, c);
    free(list);
    return found;
}

/* Which units a run consists of, in which order they start, and how they are split among shards. */
#include "reports/plan.h"
#include "numerics/exact/number.h"
#include "reports/text.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int selected(const run_options *o, const claim *c, const check *k) {
    char name[WORK_UNIT_NAME];
    if (o->patterns == 0)
        return !c->on_request;
    snprintf(name, sizeof name, "%s/%s", c->id, k->name);
    for (slong i = 0; i < o->patterns; i++)
        if (fnmatch(o->pattern[i], c->id, 0) == 0 || fnmatch(o->pattern[i], name, 0) == 0)
            return 1;
    return 0;
}

static int claim_selected(const run_options *o, const claim *c) {
    for (const check *k = c->checks; k->name != NULL; k++)
        if (selected(o, c, k))
            return 1;
    return 0;
}

const setting *plan_setting(const claim *c, const char *name) {
    for (const setting *s = c->settings; s->name != NULL; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static char *range_complaint(const run_setting *given, const setting *s) {
    text_buffer b;
    fmpq_t x, low, high;
    fmpq_init(x);
    fmpq_init(low);
    fmpq_init(high);
    const char *reason = exact_parse_rational(x, given->text);
    exact_parse_rational(low, s->low);
    exact_parse_rational(high, s->high);
    int below =
        fmpq_cmp(x, low)<(s->open_low ? 1 : 0), above = fmpq_cmp(x, high)>(s->open_high ? -1 : 0);
    char *complaint = NULL;
    text_init(&b);
    if (reason != NULL)
        text_printf(&b, "--set %s: \"%s\" is %s", given->name, given->text, reason);
    else if (s->whole && !fmpz_is_one(fmpq_denref(x)))
        text_printf(&b, "--set %s: %s is not a whole number", given->name, given->text);
    else if (below || above)
        text_printf(&b, "--set %s: %s is out of range; the %s must satisfy %s %s %s %s %s",
                    given->name, given->text, s->meaning, s->low, s->open_low ? "<" : "<=", s->name,
                    s->open_high ? "<" : "<=", s->high);
    if (b.length > 0)
        complaint = text_take_line(&b);
    else
        free(b.data);
    fmpq_clear(x);
    fmpq_clear(low);
    fmpq_clear(high);
    return complaint;
}

char *plan_complaint(const run_options *o) {
    text_buffer b;
    for (slong i = 0; i < o->patterns; i++) {
        run_options one = *o;
        one.patterns = 1;
        one.pattern = o->pattern + i;
        int any = 0;
        for (const claim *const *c = claim_registry; *c != NULL; c++)
            any |= claim_selected(&one, *c);
        json_t *kept = json_string(o->pattern[i]); /* as reports and journals keep it */
        any &= kept != NULL;
        json_decref(kept);
        if (!any) {
            text_init(&b);
            text_printf(&b, "no claim or check matches \"%s\"; mneme list names them",
                        o->pattern[i]);
            return text_take_line(&b);
        }
    }
    for (slong i = 0; i < o->settings; i++) {
        int known = 0;
        for (const claim *const *c = claim_registry; *c != NULL; c++) {
            const setting *s = claim_selected(o, *c) ? plan_setting(*c, o->setting[i].name) : NULL;
            char *complaint = s != NULL ? range_complaint(o->setting + i, s) : NULL;
            if (complaint != NULL)
                return complaint;
            known |= s != NULL;
        }
        if (!known) {
            text_init(&b);
            text_printf(
                &b,
                "--set %s: no selected claim has a setting of that name; mneme show ID lists them",
                o->setting[i].name);
            return text_take_line(&b);
        }
    }
    return NULL;
}

static int by_cost(const void *a, const void *b) {
    const work_unit *u = a, *v = b;
    if (u->cost != v->cost)
        return u->cost < v->cost ? 1 : -1;
    char x[WORK_UNIT_NAME], y[WORK_UNIT_NAME];
    work_unit_name(x, u);
    work_unit_name(y, v);
    return strcmp(x, y);
}

work_unit *plan_units(const run_options *o, slong *count) {
    work_unit *unit = NULL;
    *count = 0;
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        slong kept = *count, all = *count;
        work_unit_plan(&unit, &all, *c, o->level, o->seed);
        for (slong i = kept; i < all; i++)
            if (selected(o, *c, unit[i].check))
                unit[kept++] = unit[i];
        *count = kept;
    }
    qsort(unit, (size_t)*count, sizeof *unit, by_cost);
    return unit;
}

void plan_shards(slong *shard, const work_unit *unit, slong count, slong shards) {
    double *load = calloc((size_t)shards, sizeof *load);
    for (slong i = 0; i < count; i++) {
        slong least = 0;
        for (slong k = 1; k < shards; k++)
            if (load[k] < load[least])
                least = k;
        shard[i] = least;
        load[least] += unit[i].cost;
    }
    free(load);
}

slong plan_find(const work_unit *unit, slong count, const char *name) {
    char text[WORK_UNIT_NAME];
    for (slong i = 0; i < count; i++) {
        work_unit_name(text, unit + i);
        if (strcmp(text, name) == 0)
            return i;
    }
    return -1;
}

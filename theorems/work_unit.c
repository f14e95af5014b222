#include "theorems/work_unit.h"

#include <stdio.h>
#include <string.h>

void work_unit_name(char name[WORK_UNIT_NAME], const work_unit *u) {
    snprintf(name, WORK_UNIT_NAME, "%s/%s%s%s/%ld", u->claim->id, u->check->name,
             u->control ? "~" : "", u->control ? u->control->name : "", (long)u->index);
}

#define START 0.03 /* seconds of a process that does nothing */

static double unit_cost(const check *k, const control *n, level l) {
    double cost = k->cost;
    if (l >= LEVEL_FULL && k->cost_full > 0)
        cost = k->cost_full;
    if (l >= LEVEL_EXTENDED && k->cost_extended > 0)
        cost = k->cost_extended;
    return START + (n != NULL && n->cost > 0 ? n->cost : cost);
}

/* A control sees the same pseudo-random inputs as its check: only the stated thing changes. */
static void append(work_unit **list, slong *count, const claim *c, const check *k, const control *n,
                   slong index, level l, ulong base_seed) {
    *list = flint_realloc(*list, (size_t)(*count + 1) * sizeof **list);
    work_unit *u = *list + (*count)++;
    char text[64];
    snprintf(text, sizeof text, "/%ld/%lu", (long)index, (unsigned long)base_seed);
    u->claim = c;
    u->check = k;
    u->control = n;
    u->index = index;
    u->level = l;
    u->cost = unit_cost(k, n, l);
    u->seed = exact_hash(text, exact_hash(k->name, exact_hash(c->id, 0)));
}

void work_unit_plan(work_unit **list, slong *count, const claim *c, level l, ulong base_seed) {
    for (const check *k = c->checks; k->name != NULL; k++) {
        if (k->level > l)
            continue;
        for (slong i = 0; i < check_units(k, l); i++)
            append(list, count, c, k, NULL, i, l, base_seed);
        for (const control *n = c->controls; n->name != NULL; n++)
            if (strcmp(n->check, k->name) == 0)
                append(list, count, c, k, n, 0, l, base_seed);
    }
}

int work_unit_find(work_unit *u, const char *name, level l, ulong base_seed) {
    char text[WORK_UNIT_NAME];
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        work_unit *list = NULL;
        slong count = 0;
        int found = 0;
        work_unit_plan(&list, &count, *c, l, base_seed);
        for (slong i = 0; i < count && !found; i++) {
            work_unit_name(text, list + i);
            if (strcmp(text, name) == 0) {
                *u = list[i];
                found = 1;
            }
        }
        flint_free(list);
        if (found)
            return 1;
    }
    return 0;
}

#include "theorems/claim.h"
#include "numerics/exact/number.h"

#include <stdio.h>
#include <string.h>

const char *verdict_name(verdict v) {
    static const char *const names[] = {"undecided", "proved", "certified", "refuted", "measured"};
    return names[v];
}

const char *statement_kind_name(statement_kind kind) {
    static const char *const names[] = {"published", "conjectured", "corrected"};
    return names[kind];
}

static const char *const level_names[LEVELS] = {"quick", "full", "extended"};

const char *level_name(level l) {
    return level_names[l];
}

int level_from_name(level *l, const char *name) {
    for (int i = 0; i < LEVELS; i++)
        if (strcmp(name, level_names[i]) == 0) {
            *l = (level)i;
            return 1;
        }
    return 0;
}

verdict verdict_of_evidence(evidence e) {
    static const verdict worth[] = {VERDICT_PROVED, VERDICT_CERTIFIED, VERDICT_MEASURED};
    return worth[e];
}

const statement *claim_statement(const claim *c, const char *id) {
    for (const statement *s = c->statements; s->id != NULL; s++)
        if (strcmp(s->id, id) == 0)
            return s;
    return NULL;
}

const check *claim_check(const claim *c, const char *name) {
    for (const check *k = c->checks; k->name != NULL; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

slong check_units(const check *k, level l) {
    return k->units[l] > 0 ? k->units[l] : 1;
}

static char defect_text[2 * CLAIM_TEXT];

static const char *defect(const claim *c, const char *what, const char *name) {
    snprintf(defect_text, sizeof defect_text, "%s: %s \"%s\"", c->id, what, name);
    return defect_text;
}

static const char *statement_defect(const claim *c, const statement *s) {
    int checks = 0, decisive = 0;
    if (claim_statement(c, s->id) != s)
        return defect(c, "two statements are called", s->id);
    for (const check *k = c->checks; k->name != NULL; k++)
        if (strcmp(k->statement, s->id) == 0) {
            checks++;
            decisive += k->pinned == s->pinned;
        }
    if (checks == 0)
        return defect(c, "no check decides statement", s->id);
    if (decisive == 0)
        return defect(c, "no check is pinned to the verdict of statement", s->id);
    if (s->pinned == VERDICT_REFUTED && (s->instead == NULL || s->instead[0] == '\0'))
        return defect(c, "nothing is said to be true instead of statement", s->id);
    if (s->pinned == VERDICT_PROVED && s->proof == NULL)
        return defect(c, "no proof is written for statement", s->id);
    return NULL;
}

const char *claim_defect(const claim *c) {
    for (const statement *s = c->statements; s->id != NULL; s++) {
        const char *text = statement_defect(c, s);
        if (text != NULL)
            return text;
    }
    for (const check *k = c->checks; k->name != NULL; k++) {
        int controls = 0;
        if (claim_check(c, k->name) != k)
            return defect(c, "two checks are called", k->name);
        if (claim_statement(c, k->statement) == NULL)
            return defect(c, "an unknown statement is named by check", k->name);
        if (k->pinned != VERDICT_REFUTED && k->pinned != verdict_of_evidence(k->evidence))
            return defect(c, "its evidence does not give the verdict pinned to check", k->name);
        for (const control *n = c->controls; n->name != NULL; n++)
            controls += strcmp(n->check, k->name) == 0;
        if (controls == 0)
            return defect(c, "there is no control for check", k->name);
    }
    for (const control *n = c->controls; n->name != NULL; n++)
        if (claim_check(c, n->check) == NULL)
            return defect(c, "an unknown check is named by control", n->name);
    return NULL;
}

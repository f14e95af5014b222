#include "reports/changes.h"
#include "reports/decimal.h"
#include "reports/json_codec.h"
#include "reports/latex.h"
#include "reports/text.h"

#include <stdlib.h>
#include <string.h>

static void add(json_t *changes, const char *kind, const char *claim, const char *item,
                const char *was, const char *now) {
    json_t *c = json_object();
    json_object_set_new(c, "kind", json_string(kind));
    json_object_set_new(c, "claim", json_string(claim));
    json_object_set_new(c, "item", json_string(item));
    json_object_set_new(c, "was", json_string(was));
    json_object_set_new(c, "now", json_string(now));
    json_array_append_new(changes, c);
}

/* A check by its name; a control by its name and its check's. */
static const json_t *find_check(const json_t *array, const json_t *like) {
    size_t i;
    const json_t *item;
    json_array_foreach(array, i, item) {
        if (strcmp(json_text(item, "name"), json_text(like, "name")) == 0 &&
            strcmp(json_text(item, "of"), json_text(like, "of")) == 0)
            return item;
    }
    return NULL;
}

static char *check_name(const json_t *k) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "%s%s%s", json_text(k, "of"), json_text(k, "of")[0] != '\0' ? "~" : "",
                json_text(k, "name"));
    return text_take(&b);
}

static void compare_statements(json_t *changes, const json_t *claim, const json_t *old) {
    const json_t *now = json_object_get(claim, "statements"),
                 *before = json_object_get(old, "statements"), *s;
    const char *id = json_text(claim, "id");
    size_t i;
    json_array_foreach(now, i, s) {
        const char *was = json_text(json_find(before, "id", json_text(s, "id")), "found");
        if (strcmp(was, json_text(s, "found")) != 0)
            add(changes, "statement", id, json_text(s, "id"), was, json_text(s, "found"));
    }
    json_array_foreach(before, i, s) {
        if (json_find(now, "id", json_text(s, "id")) == NULL)
            add(changes, "statement", id, json_text(s, "id"), json_text(s, "found"), "");
    }
}

static char *seconds_text(double seconds) {
    text_buffer b;
    long ms = (long)(seconds * 1000 + 0.5);
    text_init(&b);
    text_printf(&b, "%ld.%ld s", ms / 1000, ms % 1000 / 100);
    return text_take(&b);
}

static void compare_checks(json_t *changes, const json_t *claim, const json_t *old) {
    const json_t *now = json_object_get(claim, "checks"), *before = json_object_get(old, "checks"),
                 *k;
    const char *id = json_text(claim, "id");
    size_t i;
    json_array_foreach(now, i, k) {
        const json_t *was = find_check(before, k);
        char *name = check_name(k);
        if (strcmp(json_text(was, "status"), json_text(k, "status")) != 0)
            add(changes, json_text(k, "kind"), id, name, json_text(was, "status"),
                json_text(k, "status"));
        double now_s = json_number_value(json_object_get(k, "seconds")),
               was_s = json_number_value(json_object_get(was, "seconds"));
        if (was != NULL && now_s >= 1 && now_s >= 2 * was_s) {
            char *a = seconds_text(was_s), *b = seconds_text(now_s);
            add(changes, "seconds", id, name, a, b);
            free(a);
            free(b);
        }
        free(name);
    }
    json_array_foreach(before, i, k) {
        if (find_check(now, k) == NULL) {
            char *name = check_name(k);
            add(changes, json_text(k, "kind"), id, name, json_text(k, "status"), "");
            free(name);
        }
    }
}

/* Whether the number can have stayed the same. */
static int meet(const enclosure_t a, const enclosure_t b) {
    arf_t margin;
    enclosure_t x, y;
    arf_init(margin);
    enclosure_init(x);
    enclosure_init(y);
    const enclosure_struct *given[] = {a, b};
    enclosure_struct *ball[] = {x, y};
    for (int i = 0; i < 2;
         i++) { /* measured ones decide nothing: their intervals are compared as balls */
        enclosure_set(ball[i], given[i]);
        if (given[i]->type == ENCLOSURE_MEASURED) {
            arb_t interval;
            arb_init(interval);
            enclosure_get_ball(interval, given[i], 64);
            enclosure_set_ball(ball[i], interval);
            arb_clear(interval);
        }
    }
    int apart = enclosure_compare(margin, x, RELATION_EQ, y, 128) == TRUTH_FAILS;
    arf_clear(margin);
    enclosure_clear(x);
    enclosure_clear(y);
    return !apart;
}

static char *number_text(const enclosure_t x) {
    text_buffer b;
    text_init(&b);
    report_number_print(&b, x, 10, DECIMAL_UNICODE);
    return text_take(&b);
}

static void compare_numbers(json_t *changes, const json_t *report, const json_t *since) {
    json_t *now = report_number_keys(report), *before = report_number_keys(since);
    const json_t *item;
    size_t i;
    json_array_foreach(now, i, item) {
        const json_t *was = json_find(before, "key", json_text(item, "key"));
        enclosure_t a, b;
        enclosure_init(a);
        enclosure_init(b);
        if (was != NULL && report_enclosure_from_json(a, json_object_get(was, "value")) &&
            report_enclosure_from_json(b, json_object_get(item, "value")) && !meet(a, b)) {
            const char *key = json_text(item, "key");
            size_t length = strcspn(key, "/");
            char *claim = strndup(key, length), *from = number_text(a), *to = number_text(b);
            add(changes, "number", claim, key + length + (key[length] == '/'), from, to);
            free(claim);
            free(from);
            free(to);
        }
        enclosure_clear(a);
        enclosure_clear(b);
    }
    json_decref(now);
    json_decref(before);
}

json_t *report_changes(const json_t *report, const json_t *since) {
    const json_t *now = json_object_get(report, "claims"),
                 *before = json_object_get(since, "claims"), *claim;
    json_t *changes = json_array();
    size_t i;
    json_array_foreach(now, i, claim) {
        const json_t *old = json_find(before, "id", json_text(claim, "id"));
        if (old == NULL) {
            add(changes, "claim", json_text(claim, "id"), "", "", json_text(claim, "title"));
            continue;
        }
        compare_statements(changes, claim, old);
        compare_checks(changes, claim, old);
    }
    json_array_foreach(before, i, claim) {
        if (json_find(now, "id", json_text(claim, "id")) == NULL)
            add(changes, "claim", json_text(claim, "id"), "", json_text(claim, "title"), "");
    }
    compare_numbers(changes, report, since);
    return changes;
}

/* Which run a journal belongs to. */
#include "reports/journal.h"
#include "reports/provenance.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_hash(json_t *j, const char *key, uint64_t hash) {
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    json_object_set_new(j, key, json_string(text));
}

static uint64_t plan_hash(const work_unit *unit, slong count) {
    uint64_t hash = 0;
    for (slong i = 0; i < count; i++) {
        char name[WORK_UNIT_NAME], text[WORK_UNIT_NAME + 64];
        work_unit_name(name, unit + i);
        snprintf(text, sizeof text, "%s %a %lu\n", name, unit[i].cost, (unsigned long)unit[i].seed);
        hash = exact_hash(text, hash);
    }
    return hash;
}

/* Of the files data/baselines/<claim>.json of the plan's claims. */
static uint64_t certificates_hash(const run_options *o, const work_unit *unit, slong count) {
    uint64_t hash = 0;
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        slong i = 0;
        while (i < count && unit[i].claim != *c)
            i++;
        if (i == count)
            continue;
        text_buffer path;
        size_t length;
        int error;
        text_init(&path);
        text_printf(&path, "%s/baselines/%s.json", o->data, (*c)->id);
        char *text = input_read(path.data, (size_t)256 << 20, &length, &error);
        if (text != NULL)
            hash = exact_hash(text, exact_hash((*c)->id, hash));
        free(text);
        free(path.data);
    }
    return hash;
}

json_t *journal_identity(const run_options *o, const work_unit *unit, slong count) {
    json_t *j = json_object(), *patterns = json_array(), *settings = json_object(),
           *program = provenance_json();
    char seed[32];
    for (slong i = 0; i < o->patterns; i++)
        json_array_append_new(patterns, json_string(o->pattern[i]));
    for (slong i = 0; i < o->settings; i++)
        json_object_set_new(settings, o->setting[i].name, json_string(o->setting[i].text));
    json_object_del(program, "cpu");
    json_object_del(program, "os");
    snprintf(seed, sizeof seed, "%lu", (unsigned long)o->seed);
    json_object_set_new(j, "schema", json_string(JOURNAL_SCHEMA));
    json_object_set_new(j, "level", json_string(level_name(o->level)));
    json_object_set_new(j, "seed", json_string(seed));
    json_object_set_new(j, "patterns", patterns);
    json_object_set_new(j, "settings", settings);
    json_object_set_new(j, "program", program);
    json_object_set_new(j, "units", json_integer(count));
    set_hash(j, "plan", plan_hash(unit, count));
    set_hash(j, "certificates", certificates_hash(o, unit, count));
    return j;
}

static void append_value(text_buffer *b, const json_t *value) {
    char *text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    text_printf(b, "%s", text != NULL ? text : "nothing");
    free(text);
}

static void differences(text_buffer *b, const json_t *a, const json_t *other) {
    const json_t *value;
    const char *key;
    json_object_foreach((json_t *)(uintptr_t)a, key, value) {
        const json_t *there = json_object_get(other, key);
        if (json_equal((json_t *)(uintptr_t)value, (json_t *)(uintptr_t)there))
            continue;
        if (json_is_object(value) && json_is_object(there) && strcmp(key, "program") == 0) {
            differences(b, value, there);
            continue;
        }
        text_printf(b, "%s%s ", b->length > 0 ? "; " : "", key);
        append_value(b, value);
        text_printf(b, " and ");
        append_value(b, there);
    }
}

char *journal_difference(const json_t *a, const json_t *b) {
    text_buffer text;
    text_init(&text);
    differences(&text, a, b);
    if (text.length == 0 && !json_equal((json_t *)(uintptr_t)a, (json_t *)(uintptr_t)b))
        text_printf(&text, "one knows more than the other");
    if (text.length > 0)
        return text_take_line(&text);
    free(text.data);
    return NULL;
}

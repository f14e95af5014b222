/* Texts out of the report's JSON. */
#ifndef REPORT_JSON_TEXT_H
#define REPORT_JSON_TEXT_H

#include <jansson.h>
#include <string.h>

/* The text under key; "" if there is none. */
static inline const char *text_of(const json_t *j, const char *key) {
    const char *text = json_string_value(json_object_get(j, key));
    return text != NULL ? text : "";
}

/* The first object of an array whose text under key is value, or NULL. */
static inline const json_t *find_by(const json_t *array, const char *key, const char *value) {
    size_t i;
    const json_t *item;
    json_array_foreach(array, i, item) {
        if (strcmp(text_of(item, key), value) == 0)
            return item;
    }
    return NULL;
}

#endif

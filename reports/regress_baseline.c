/* The committed numbers: read, written. */
#include "reports/regress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* JSON has no infinity. */
static double number_of(const json_t *row, const char *key) {
    const json_t *x = json_object_get(row, key);
    return json_is_number(x) ? json_number_value(x) : INFINITY;
}

static bool verdict_of(judge_verdict *v, const char *text) {
    for (int i = JUDGE_OK; text && i <= JUDGE_BROKEN; i++)
        if (strcmp(judge_verdict_text((judge_verdict)i), text) == 0) {
            *v = (judge_verdict)i;
            return true;
        }
    return false;
}

bool regress_numbers_of(regress_numbers *n, const json_t *row) {
    n->ulp = number_of(row, "ulp"), n->p99 = number_of(row, "p99");
    n->ratio = number_of(row, "ratio"), n->rms = number_of(row, "rms");
    return verdict_of(&n->verdict, json_string_value(json_object_get(row, "verdict")));
}

/* The first of its numbers that is missing or none, or NULL. */
static const char *wrong_number(const json_t *row) {
    static const char *const keys[] = {"ulp", "p99", "ratio", "rms"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *x = json_object_get(row, keys[i]);
        if (!json_is_null(x) && !(json_is_number(x) && json_number_value(x) >= 0))
            return keys[i];
    }
    return NULL;
}

json_t *regress_baseline_read(const char *path, char **complaint) {
    text_buffer b;
    json_error_t where;
    size_t length;
    int error;
    *complaint = NULL;
    char *data = input_read(path, (size_t)1 << 28, &length, &error);
    text_init(&b);
    if (!data) {
        text_printf(&b, "cannot read %s: %s", path, strerror(error));
        *complaint = text_take_line(&b);
        return NULL;
    }
    json_t *file = json_loadb(data, length, JSON_REJECT_DUPLICATES, &where), *row,
           *rows = json_object_get(file, "rows");
    const char *schema = json_string_value(json_object_get(file, "schema")), *name;
    free(data);
    if (!file)
        text_printf(&b, "%s: line %d: %s", path, where.line, where.text);
    else if (!schema || strcmp(schema, "mneme-accuracy-1") != 0 || !json_is_object(rows))
        text_printf(&b,
                    "%s is no accuracy baseline: \"schema\": \"mneme-accuracy-1\" and \"rows\" "
                    "are wanted",
                    path);
    else
        json_object_foreach(rows, name, row) {
            regress_numbers n;
            const char *wrong = wrong_number(row);
            if (b.length > 0)
                continue;
            if (!regress_numbers_of(&n, row))
                text_printf(&b, "%s: row %s: \"verdict\" is ok, undecided or suspect", path, name);
            else if (wrong)
                text_printf(&b, "%s: row %s: \"%s\" is a number from 0 on, or null", path, name,
                            wrong);
        }
    if (b.length > 0)
        *complaint = text_take_line(&b);
    else
        free(b.data);
    json_incref(*complaint ? NULL : rows);
    json_decref(file);
    return *complaint ? NULL : rows;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void number_text(text_buffer *b, const char *key, double x) {
    if (isfinite(x))
        text_printf(b, ",\"%s\":%.3g", key, x);
    else
        text_printf(b, ",\"%s\":null", key);
}

char *regress_baseline_write(const json_t *rows) {
    size_t n = 0;
    const char **names = calloc(json_object_size(rows) + 1, sizeof *names), *name;
    json_t *row;
    text_buffer b;
    json_object_foreach((json_t *)(uintptr_t)rows, name, row) names[n++] = name;
    qsort(names, n, sizeof *names, by_name);
    text_init(&b);
    text_printf(&b, "{\"schema\":\"mneme-accuracy-1\",\n\"rows\":{");
    for (size_t i = 0; i < n; i++) {
        regress_numbers x;
        row = json_object_get(rows, names[i]);
        regress_numbers_of(&x, row);
        json_t *key = json_string(names[i]);
        char *quoted = json_dumps(key, JSON_ENCODE_ANY);
        text_printf(&b, "%s\n%s:{\"verdict\":\"%s\"", i ? "," : "", quoted ? quoted : "\"\"",
                    judge_verdict_text(x.verdict));
        json_decref(key);
        free(quoted);
        number_text(&b, "ulp", x.ulp), number_text(&b, "p99", x.p99);
        number_text(&b, "ratio", x.ratio), number_text(&b, "rms", x.rms);
        char *reason = json_dumps(json_object_get(row, "reason"), JSON_ENCODE_ANY);
        if (reason)
            text_printf(&b, ",\"reason\":%s", reason);
        free(reason);
        text_printf(&b, "}");
    }
    text_printf(&b, "\n}}\n");
    free(names);
    return text_take(&b);
}

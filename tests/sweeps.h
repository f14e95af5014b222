/* Reports of sweeps against each other. */
#ifndef SWEEPS_H
#define SWEEPS_H

#include "tests/process.h"
#include "tests/testing.h"

#include <jansson.h>

static inline void forget(json_t *j, const char *name) {
    json_t *value;
    const char *key;
    size_t i;
    void *next;
    if (json_is_object(j))
        json_object_del(j, name);
    json_object_foreach_safe(j, next, key, value) {
        forget(value, name);
    }
    json_array_foreach(j, i, value) {
        forget(value, name);
    }
}

/* The report in a file but for what may differ: how long things took. */
static inline json_t *report_of(const char *path) {
    json_error_t where;
    json_t *j = json_load_file(path, 0, &where);
    if (j == NULL)
        print_error("%s: %s\n", path, where.text);
    assert_non_null(j);
    forget(j, "seconds");
    return j;
}

static inline void same_reports(const char *a, const char *b) {
    json_t *x = report_of(a), *y = report_of(b);
    if (!json_equal(x, y)) {
        run_result r = run("diff %s %s | grep -v '\"seconds\"' | head -20", a, b);
        print_error("%s and %s differ:\n%s", a, b, r.out);
        result_clear(&r);
    }
    assert_true(json_equal(x, y));
    json_decref(x);
    json_decref(y);
}

/* Runs the command, wants that status, nothing but one line of messages with that text. */
__attribute__((format(printf, 3, 4))) static inline void refused(int status, const char *text,
                                                                 const char *format, ...) {
    char command[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    run_result r = run("%s", command);
    if (r.status != status || line_count(r.err) != 1 || strstr(r.err, text) == NULL)
        print_error("%s\ngave status %d: %s", command, r.status, r.err);
    assert_int_equal(r.status, status);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, text));
    result_clear(&r);
}

/* Runs the command and wants that status. */
__attribute__((format(printf, 2, 3))) static inline run_result gives(int status, const char *format,
                                                                     ...) {
    char command[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    run_result r = run("%s", command);
    if (r.status != status)
        print_error("%s\ngave status %d: %s%s", command, r.status, r.out, r.err);
    assert_int_equal(r.status, status);
    return r;
}

#endif

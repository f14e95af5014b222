#include "reports/annotations.h"
#include "reports/json_codec.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* %, CR and LF would end or change a command; a property also ends at ":" and ",". */
static void escape(text_buffer *b, const char *text, int property) {
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            text_printf(b, "%%%02X", c);
        else if (c < 32 || c == 127)
            text_printf(b, "?");
        else
            text_printf(b, "%c", c);
    }
}

/* The line of source that begins an entry of that name, {"name", ..., in an array of checks; else
   1. */
static long find_line(const char *source, const char *name) {
    text_buffer quoted;
    long line = 1, found = 1;
    text_init(&quoted);
    text_printf(&quoted, "{\"%s\",", name);
    const char *at = strstr(source, quoted.data);
    for (const char *p = source; at != NULL && p < at; p++)
        line += *p == '\n';
    found = at != NULL ? line : 1;
    free(quoted.data);
    return found;
}

/* ",file=...,line=..." of a check of a claim: theorems/<paper>/<name>.c, or <name>/<name>.c. */
static void print_place(text_buffer *b, const char *data, const char *claim, const char *check) {
    char name[100];
    const char *dot = strchr(claim, '.');
    if (dot == NULL || strlen(claim) >= sizeof name || strchr(claim, '/') != NULL ||
        strstr(claim, "..") != NULL)
        return;
    snprintf(name, sizeof name, "%s", dot + 1);
    for (char *p = name; *p != '\0'; p++)
        *p = *p == '-' ? '_' : *p;
    for (int folder = 0; folder < 2; folder++) {
        text_buffer file, path;
        size_t length;
        int error;
        text_init(&file);
        text_init(&path);
        text_printf(&file, "theorems/%.*s/%s%s%s.c", (int)(dot - claim), claim, name,
                    folder ? "/" : "", folder ? name : "");
        text_printf(&path, "%s/../%s", data, file.data);
        char *source = input_read(path.data, 1 << 22, &length, &error);
        if (source != NULL) {
            text_printf(b, "file=");
            escape(b, file.data, 1);
            text_printf(b, ",line=%ld,", find_line(source, check));
        }
        free(file.data);
        free(path.data);
        free(source);
        if (error == 0)
            return;
    }
}

static void print_command(text_buffer *b, const char *kind, const char *data, const char *claim,
                          const char *item, const char *of) {
    text_printf(b, "::%s ", kind);
    print_place(b, data, claim, of[0] != '\0' ? of : item);
    text_printf(b, "title=");
    escape(b, claim, 1);
    text_printf(b, " ");
    escape(b, of, 1);
    text_printf(b, "%s", of[0] != '\0' ? "~" : "");
    escape(b, item, 1);
    text_printf(b, "::");
}

/* A failed check speaks for its statement. */
static int has_failed_check(const json_t *claim, const char *statement) {
    const json_t *checks = json_object_get(claim, "checks"), *k;
    size_t i;
    json_array_foreach(checks, i, k) {
        if (strcmp(json_text(k, "statement"), statement) == 0 &&
            strcmp(json_text(k, "status"), "failed") == 0)
            return 1;
    }
    return 0;
}

static void print_claim(text_buffer *b, const char *data, const json_t *claim) {
    const json_t *list = json_object_get(claim, "checks"), *item;
    const char *id = json_text(claim, "id");
    size_t i;
    json_array_foreach(list, i, item) {
        int failed = strcmp(json_text(item, "status"), "failed") == 0;
        if (strcmp(json_text(item, "status"), "passed") == 0)
            continue;
        print_command(b, failed ? "error" : "notice", data, id, json_text(item, "name"),
                      json_text(item, "of"));
        escape(b, failed ? "" : "skipped: ", 0);
        escape(b, json_text(item, "message"), 0);
        if (failed) {
            escape(b, "\nreproduce: ", 0);
            escape(b, json_text(item, "command"), 0);
        }
        text_printf(b, "\n");
    }
    list = json_object_get(claim, "statements");
    json_array_foreach(list, i, item) {
        const char *found = json_text(item, "found"), *pinned = json_text(item, "pinned");
        if (strcmp(found, pinned) == 0 || strcmp(found, "unchecked") == 0 ||
            has_failed_check(claim, json_text(item, "id")))
            continue;
        print_command(b, "warning", data, id, json_text(item, "id"), "");
        escape(b, "pinned ", 0);
        escape(b, pinned, 0);
        escape(b, ", found ", 0);
        escape(b, found, 0);
        text_printf(b, "\n");
    }
}

char *report_write_annotations(const json_t *report, const char *data) {
    text_buffer b;
    const json_t *claims = json_object_get(report, "claims"),
                 *totals = json_object_get(report, "totals"), *claim;
    size_t i;
    text_init(&b);
    json_array_foreach(claims, i, claim) {
        print_claim(&b, data, claim);
    }
    text_printf(&b, "::notice title=mneme verify::%ld passed, %ld failed, %ld skipped%s\n",
                (long)json_integer_value(json_object_get(totals, "passed")),
                (long)json_integer_value(json_object_get(totals, "failed")),
                (long)json_integer_value(json_object_get(totals, "skipped")),
                json_is_false(json_object_get(report, "complete")) ? " (interrupted: partial)"
                                                                   : "");
    return text_take(&b);
}

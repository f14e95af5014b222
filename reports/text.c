#include "reports/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_init(text_buffer *b) {
    b->room = 256;
    b->length = 0;
    b->data = malloc(b->room);
    if (b->data == NULL)
        abort();
    b->data[0] = '\0';
}

void text_printf(text_buffer *b, const char *format, ...) {
    for (;;) {
        va_list arguments;
        va_start(arguments, format);
        int n = vsnprintf(b->data + b->length, b->room - b->length, format, arguments);
        va_end(arguments);
        if (n < 0)
            return;
        if ((size_t)n < b->room - b->length) {
            b->length += (size_t)n;
            return;
        }
        b->room = 2 * b->room + (size_t)n;
        b->data = realloc(b->data, b->room);
        if (b->data == NULL)
            abort();
    }
}

char *text_take(text_buffer *b) {
    char *data = b->data;
    b->data = NULL;
    b->length = b->room = 0;
    return data;
}

int output_write(const char *what, const char *path, const char *data, size_t length) {
    output_file f;
    int error = output_open(&f, path);
    if (error == 0)
        error = output_commit(&f, data, length);
    if (error != 0)
        fprintf(stderr, "%s: cannot write %s: %s\n", what, path, strerror(error));
    return error == 0;
}

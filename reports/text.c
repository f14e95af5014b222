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

char *text_take_line(text_buffer *b) {
    for (char *p = b->data; *p != '\0'; p++)
        if ((unsigned char)*p < 32 || *p == 127)
            *p = '?';
    return text_take(b);
}

void text_xml(text_buffer *b, const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            text_printf(b, "&lt;");
        else if (c == '>')
            text_printf(b, "&gt;");
        else if (c == '&')
            text_printf(b, "&amp;");
        else if (c == '"')
            text_printf(b, "&quot;");
        else if (c == '\n' || c == '\t')
            text_printf(b, "&#%d;", c);
        else if (c < 32 || c == 127)
            text_printf(b, "\\x%02x", c);
        else if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0)
            text_printf(b, "?"), text += 2; /* U+FFFE, U+FFFF: no characters of XML */
        else
            text_printf(b, "%c", c);
    }
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

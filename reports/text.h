/* Growing text, and writing it to a file. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stddef.h>

#include "numerics/accuracy/file.h"

typedef struct {
    char *data;
    size_t length, room;
} text_buffer;

void text_init(text_buffer *b);
void text_printf(text_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends text as XML 1.0 (and HTML) has it: the characters with a meaning escaped, control
   characters as \\x1b. */
void text_xml(text_buffer *b, const char *text);
/* The text, for the caller to free(); the buffer is empty afterwards. */
char *text_take(text_buffer *b);
/* The same as one line, for a message: control characters, which input brings along, are '?'. */
char *text_take_line(text_buffer *b);

/* Open, commit; on failure one line on stderr ("what: path: reason") and 0. */
int output_write(const char *what, const char *path, const char *data, size_t length);

#endif

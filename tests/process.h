/* Running programs from tests: exit status, output and messages of a shell command. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MNEME "build/bin/mneme"
#define FAULTY "build/tests/mneme-faulty"

typedef struct {
    int status;      /* exit status, or 128 + signal */
    char *out, *err; /* what was written; free with result_clear */
} run_result;

static inline char *slurp(const char *path) {
    FILE *in = fopen(path, "rb");
    size_t room = 1 << 16, n = 0;
    char *data = malloc(room + 1);
    while (in != NULL) {
        n += fread(data + n, 1, room - n, in);
        if (n < room)
            break;
        room *= 2;
        data = realloc(data, room + 1);
    }
    if (in != NULL)
        fclose(in);
    data[n] = '\0';
    return data;
}

/* Runs "sh -c" on the formatted command, with standard input empty. */
__attribute__((format(printf, 1, 2))) static inline run_result run(const char *format, ...) {
    char command[4096], whole[4600], out[64], err[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(out, sizeof out, "build/tests/out.%ld", (long)getpid());
    snprintf(err, sizeof err, "build/tests/err.%ld", (long)getpid());
    snprintf(whole, sizeof whole, "{ %s ; } </dev/null >%s 2>%s", command, out, err);
    int status = system(whole);
    run_result r;
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    r.out = slurp(out);
    r.err = slurp(err);
    unlink(out);
    unlink(err);
    return r;
}

static inline void result_clear(run_result *r) {
    free(r->out);
    free(r->err);
}

static inline int line_count(const char *text) {
    int n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

#endif

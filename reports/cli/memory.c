/* What happens when memory runs out inside the libraries: one line and a status, not an abort. */
#include "numerics/accuracy/file.h"
#include "reports/cli/cli.h"

#include <flint/flint.h>
#include <gmp.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char no_memory[96], fault[96];

/* Nothing is flushed: what stands in buffers may be half of a line. */
static _Noreturn void end_with(const char *line) {
    output_remove_all();
    ssize_t said = write(STDERR_FILENO, line, strlen(line));
    (void)said;
    _exit(EXIT_INTERNAL);
}

static void on_abort(int number) {
    (void)number;
    end_with(fault);
}

static void *take(size_t bytes) {
    void *p = malloc(bytes);
    if (p == NULL && bytes > 0)
        end_with(no_memory);
    return p;
}

static void *take_zeros(size_t count, size_t bytes) {
    void *p = calloc(count, bytes);
    if (p == NULL && count > 0 && bytes > 0)
        end_with(no_memory);
    return p;
}

static void *take_more(void *old, size_t bytes) {
    void *p = realloc(old, bytes);
    if (p == NULL && bytes > 0)
        end_with(no_memory);
    return p;
}

static void *take_more_gmp(void *old, size_t before, size_t bytes) {
    (void)before;
    return take_more(old, bytes);
}

static void give_gmp(void *p, size_t bytes) {
    (void)bytes;
    free(p);
}

void cli_end_without_memory(const char *command) {
    snprintf(no_memory, sizeof no_memory, "mneme %s: there is not enough memory\n", command);
    snprintf(fault, sizeof fault,
             "mneme %s: ended by a fault of the program, or for want of memory\n", command);
    __flint_set_memory_functions(take, take_zeros, take_more, free);
    mp_set_memory_functions(take, take_more_gmp, give_gmp);
    json_set_alloc_funcs(take, free);
    signal(SIGABRT, on_abort);
}

/* The part of a mutated program that reads the environment before main. */
#include "tests/mutants/mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MUTANTS
#define MUTANTS 200000
#endif

static unsigned char unrecorded[MUTANTS];
unsigned mutant_chosen;
unsigned char *mutant_reached = unrecorded;

/* The tests' filter, where the program is a test. */
extern void cmocka_set_test_filter(const char *pattern) __attribute__((weak));

__attribute__((constructor)) static void mutant_begin(void) {
    const char *chosen = getenv("MUTANT"), *reached = getenv("MUTANT_REACHED"),
               *test = getenv("MUTANT_TEST");
    mutant_chosen = chosen != NULL ? (unsigned)strtoul(chosen, NULL, 10) : 0;
    if (test != NULL && cmocka_set_test_filter != NULL)
        cmocka_set_test_filter(test);
    int fd = reached != NULL ? open(reached, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *map = mmap(NULL, MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map != MAP_FAILED)
        mutant_reached = map;
}

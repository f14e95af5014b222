/* Shared by the tests: cmocka, seeds that are printed, and assertions for exact numbers. */
#ifndef TESTING_H
#define TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numerics/exact/number.h"
#include "numerics/exact/random.h"

/* SEED= and TEST_MULTIPLIER= in the environment override. */
static inline uint64_t test_seed(const char *name) {
    const char *text = getenv("SEED");
    return exact_hash(name, 0) ^ (text != NULL ? strtoull(text, NULL, 10) : 1);
}

static inline long test_count(long base) {
    const char *text = getenv("TEST_MULTIPLIER");
    double factor = text != NULL ? strtod(text, NULL) : 1;
    long n = (long)((double)base * factor);
    return n > 0 ? n : 1;
}

/* assert, and on failure say which random case it was. */
#define assert_case(condition, name, number)                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("%s: case %ld of seed %s failed: %s\n", name, (long)(number),              \
                        getenv("SEED") ? getenv("SEED") : "1", #condition);                        \
            assert_true(condition);                                                                \
        }                                                                                          \
    } while (0)

/* x := the rational spelled by text. */
static inline void set_q(fmpq_t x, const char *text) {
    assert_null(exact_parse_rational(x, text));
}

#endif

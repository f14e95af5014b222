/* Claims that go wrong in every way that a claim can: the runner must survive each, and say so. */
#include "theorems/claim.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void one(arb_t x) {
    arb_one(x);
}

static void holds(check_context *ctx, const void *parameter) {
    (void)parameter;
    claim_decide_si(ctx, "1 < 2", 1, RELATION_LT, 2);
}

static void fails(check_context *ctx, const void *parameter) {
    (void)parameter;
    claim_decide_si(ctx, "2 < 1, said of <a> & \"b\" \x1b[31m", 2, RELATION_LT, 1);
}

static void decides_nothing(check_context *ctx, const void *parameter) {
    (void)ctx;
    (void)parameter;
}

static void aborts(check_context *ctx, const void *parameter) {
    (void)ctx;
    (void)parameter;
    abort();
}

static void reads_null(check_context *ctx, const void *parameter) {
    (void)parameter;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler of its own */
    raise(SIGSEGV);
    claim_decide_si(ctx, "1 < 2", 1, RELATION_LT, 2);
}

static void exits_silently(check_context *ctx, const void *parameter) {
    (void)ctx;
    (void)parameter;
    _exit(0);
}

static void hangs(check_context *ctx, const void *parameter) {
    (void)ctx;
    (void)parameter;
    for (;;)
        pause();
}

/* To every signal that can be ignored. */
static void ignores_signals(check_context *ctx, const void *parameter) {
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    hangs(ctx, parameter);
}

/* Closes its output, as at its end, and stays. */
static void stays(check_context *ctx, const void *parameter) {
    close(STDOUT_FILENO);
    hangs(ctx, parameter);
}

static void eats_memory(check_context *ctx, const void *parameter) {
    (void)parameter;
    for (int i = 0; i < 4096; i++) {
        char *p = flint_malloc((size_t)64 << 20); /* FLINT aborts when there is no more */
        memset(p, i, (size_t)64 << 20);
    }
    claim_decide_si(ctx, "256 GiB are there", 1, RELATION_EQ, 1);
}

/* alpha is known as 0.5 +- 1e-3 only: whether it is below 1/2 cannot be told at any precision. */
static void wide_input(check_context *ctx, const void *parameter) {
    (void)parameter;
    arb_t alpha, half;
    arb_init(alpha);
    arb_init(half);
    arb_set_d(alpha, 0.5);
    mag_set_d(arb_radref(alpha), 1e-3);
    arb_set_d(half, 0.5);
    claim_decide_arb(ctx, "alpha < 1/2", alpha, RELATION_LT, half);
    arb_clear(alpha);
    arb_clear(half);
}

static void not_a_number(check_context *ctx, const void *parameter) {
    (void)parameter;
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    arb_indeterminate(x);
    one(y);
    claim_decide_arb(ctx, "NaN < 1", x, RELATION_LT, y);
    arb_clear(x);
    arb_clear(y);
}

/* Both paths are enclosures of anything: they meet, and prove nothing. */
static void vacuous_paths(check_context *ctx, const void *parameter) {
    (void)parameter;
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    one(x);
    mag_set_ui(arb_radref(x), 1000);
    one(y);
    claim_two_paths(ctx, "two useless enclosures", x, y, 20);
    arb_clear(x);
    arb_clear(y);
}

/* refuted, but by 0 */
static void equal_is_not_less(check_context *ctx, const void *parameter) {
    (void)parameter;
    claim_decide_si(ctx, "1 < 1", 1, RELATION_LT, 1);
}

static void by_parameter(check_context *ctx, const void *parameter) {
    ((check_fn)(uintptr_t)parameter)(ctx, NULL);
}

static void skips(check_context *ctx, const void *parameter) {
    (void)parameter;
    claim_skip(ctx, "there is no such machine");
}

#define CHECK(name, function)                                                                      \
    { name, "s", VERDICT_CERTIFIED, EVIDENCE_FINITE, LEVEL_QUICK, function, NULL, {1, 1, 1}, 0.1 }
#define PARAMETER(function) ((const void *)(uintptr_t)(function))
#define CONTROLLED(name)                                                                           \
    {                                                                                              \
        name, "s", VERDICT_CERTIFIED, EVIDENCE_FINITE, LEVEL_QUICK, by_parameter,                  \
            PARAMETER(holds), {1, 1, 1}, 0.1                                                       \
    }

static const statement statements[] = {
    {"s", STATEMENT_CORRECTED, VERDICT_CERTIFIED, "1 < 2", "1<2", NULL, NULL}, {NULL}};

static const check checks[] = {CHECK("holds", holds),
                               CHECK("fails", fails),
                               CHECK("decides-nothing", decides_nothing),
                               CHECK("aborts", aborts),
                               CHECK("reads-null", reads_null),
                               CHECK("exits-silently", exits_silently),
                               CHECK("hangs", hangs),
                               CHECK("hangs-ignoring-signals", ignores_signals),
                               CHECK("hangs-without-output", stays),
                               CHECK("eats-memory", eats_memory),
                               CHECK("wide-input", wide_input),
                               CHECK("not-a-number", not_a_number),
                               CHECK("vacuous-paths", vacuous_paths),
                               CHECK("skips", skips),
                               CONTROLLED("blind-control"),
                               CONTROLLED("undecided-control"),
                               CONTROLLED("control-without-margin"),
                               CONTROLLED("crashing-control"),
                               CONTROLLED("good-control"),
                               {NULL}};

static const control controls[] = {
    {"blind", "blind-control", "nothing at all", PARAMETER(holds)},
    {"undecided", "undecided-control", "a wide input", PARAMETER(wide_input)},
    {"without-margin", "control-without-margin", "an equality", PARAMETER(equal_is_not_less)},
    {"crashing", "crashing-control", "a crash", PARAMETER(aborts)},
    {"good", "good-control", "a falsehood", PARAMETER(fails)},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const none[] = {NULL};

static const claim claim_faulty = {"faulty", "Faults <&>", "tests",  none, statements,
                                   checks,   controls,     settings, none};

/* What mneme experiment runs. */
static const check request_checks[] = {CHECK("holds", holds), CHECK("hangs", hangs), {NULL}};
static const control no_controls[] = {{NULL}};
static const claim claim_request = {"experiments.fault", "A fault",   "tests",  none, statements,
                                    request_checks,      no_controls, settings, none, 1};
static const check quick_checks[] = {CHECK("holds", holds), {NULL}};
static const claim claim_quick_request = {
    "experiments.quick", "No fault",  "tests",  none, statements,
    quick_checks,        no_controls, settings, none, 1};

const claim *const claim_registry[] = {&claim_faulty, &claim_request, &claim_quick_request, NULL};

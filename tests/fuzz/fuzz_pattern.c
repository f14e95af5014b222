/* Patterns, settings and names of units, a line each, select what exists or are refused. */
#include "numerics/exact/number.h"
#include "reports/cli/cli.h"
#include "reports/cli/run.h"
#include "reports/plan.h"
#include "tests/fuzz/fuzz.h"
#include "theorems/work_unit.h"

static const char *const none[] = {NULL};
static const check checks[] = {{.name = "formula", .units = {1, 3, 9}},
                               {.name = "tail", .level = LEVEL_FULL, .units = {1, 2, 2}},
                               {.name = NULL}};
static const control controls[] = {{"shifted", "formula", "the lag", NULL}, {.name = NULL}};
static const setting settings[] = {
    {"alpha", "order", "0", "1", 1, 0, 0}, {"d", "dimension", "1", "64", 0, 0, 1}, {.name = NULL}};
static const claim first = {.id = "paper.weights",
                            .hypotheses = none,
                            .checks = checks,
                            .controls = controls,
                            .settings = settings,
                            .figures = none},
                   second = {.id = "experiments.lag",
                             .checks = checks,
                             .controls = controls,
                             .settings = settings + 1,
                             .on_request = 1};
const claim *const claim_registry[] = {&first, &second, NULL};
const cli_command cli_commands[] = {{NULL}};
const char *cli_self = "mneme";

static void find_unit(const char *name) {
    work_unit u;
    char again[WORK_UNIT_NAME];
    if (!work_unit_find(&u, name, LEVEL_EXTENDED, 1))
        return;
    work_unit_name(again, &u);
    fuzz_demand(strcmp(again, name) == 0);
}

/* A setting that was taken is a number within its bounds. */
static void check_setting(const run_setting *s) {
    fmpq_t x;
    fmpq_init(x);
    fuzz_demand(exact_parse_rational(x, s->text) == NULL && fmpq_sgn(x) > 0);
    fuzz_demand(strcmp(s->name, "alpha") == 0 ? fmpq_cmp_si(x, 1) <= 0
                                              : fmpz_is_one(fmpq_denref(x)));
    fmpq_clear(x);
}

enum { PATTERNS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = fuzz_string(bytes, size), *place = NULL;
    const char *pattern[PATTERNS];
    cli_settings given = {.command = "verify"};
    run_options o = {.pattern = pattern};
    int sound = 1;
    for (char *line = strtok_r(text, "\n", &place); line != NULL && o.patterns < PATTERNS && sound;
         line = strtok_r(NULL, "\n", &place)) {
        long n;
        find_unit(line);
        (void)cli_whole("verify", "--seed", line, -5, WORD_MAX, &n);
        if (strchr(line, '=') != NULL)
            sound = cli_add_setting(line, &given);
        else
            pattern[o.patterns++] = line;
    }
    o.settings = given.count;
    o.setting = given.list;
    if (sound) {
        char *complaint = plan_complaint(&o);
        fuzz_demand(complaint == NULL || strlen(complaint) > 8);
        for (slong i = 0; complaint == NULL && i < given.count; i++)
            check_setting(given.list + i);
        free(complaint);
    }
    cli_clear_settings(&given);
    free(text);
    return 0;
}

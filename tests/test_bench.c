/* mneme bench: rows, files and complaints.  No test depends on how long anything takes. */
#include "tests/testing.h"
#include "numerics/bench/bench.h"
#include "tests/process.h"

#include <jansson.h>

/* A run that must succeed; its JSON. */
static json_t *report_of(const char *arguments) {
    run_result r = run(MNEME " bench %s --budget 0.01 --json build/tests/bench.json", arguments);
    if (r.status != 0 || r.err[0] != '\0')
        print_error("mneme bench %s: status %d\n%s%s", arguments, r.status, r.out, r.err);
    assert_int_equal(r.status, 0);
    assert_string_equal(r.err, "");
    result_clear(&r);
    json_error_t error;
    json_t *report = json_load_file("build/tests/bench.json", 0, &error);
    assert_non_null(report);
    assert_string_equal(json_string_value(json_object_get(report, "schema")), "mneme-bench-1");
    json_t *provenance = json_object_get(report, "provenance");
    assert_non_null(json_string_value(json_object_get(provenance, "commit")));
    assert_non_null(json_string_value(json_object_get(provenance, "fftw")));
    unlink("build/tests/bench.json");
    return report;
}

static double number(const json_t *j, const char *key) {
    json_t *x = json_object_get(j, key);
    assert_true(json_is_number(x));
    return json_number_value(x);
}

static void expect_row(const json_t *row, const char *kernel, const char *method, int time, int dim,
                       int threads) {
    assert_non_null(row);
    assert_string_equal(json_string_value(json_object_get(row, "kernel")), kernel);
    assert_string_equal(json_string_value(json_object_get(row, "method")), method);
    assert_int_equal(json_integer_value(json_object_get(row, "time")), time);
    assert_int_equal(json_integer_value(json_object_get(row, "dim")), dim);
    assert_int_equal(json_integer_value(json_object_get(row, "threads")), threads);
    const char *skipped = json_string_value(json_object_get(row, "skipped"));
    if (skipped != NULL) { /* a machine that is busy or slow */
        assert_non_null(strstr(skipped, "estimated"));
        return;
    }
    assert_true(number(row, "runs") >= 1);
    assert_true(number(row, "best_ns_per_token_and_head") > 0);
    assert_true(number(row, "ns_per_token_and_head") >= number(row, "best_ns_per_token_and_head"));
    assert_true(number(row, "nominal_gflops") > 0);
    assert_true(number(row, "peak_before") > 0);
    assert_true(number(row, "peak_after") > 0);
    assert_true(number(row, "fraction_of_peak") > 0);
}

static void test_kernel_rows(void **state) {
    (void)state;
    json_t *report = report_of("kernels --kernel linear --time 256 --dim 64");
    json_t *rows = json_object_get(report, "kernels"),
           *machine = json_object_get(report, "machine");
    assert_int_equal(json_array_size(rows), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *row = json_array_get(rows, i);
        expect_row(row, "linear", i < 2 ? "reference" : "chunk", 256, 64, i % 2 ? 2 : 1);
        assert_true(json_is_null(json_object_get(row, "state_bytes")));
        if (i % 2 == 0)
            assert_true(json_is_null(json_object_get(row, "speedup")));
    }
    for (size_t i = 0; i < 2; i++) {
        json_t *limits = json_array_get(json_object_get(machine, "limits"), i);
        assert_true(number(limits, "peak_gflops") > 0);
        assert_true(number(json_object_get(limits, "l1_gbytes"), "read") > 0);
        assert_true(number(json_object_get(limits, "l2_gbytes"), "update") > 0);
        assert_true(number(json_object_get(limits, "memory_gbytes"), "update") > 0);
    }
    json_decref(report);
}

/* Every kernel prefills and decodes; state bytes as the header says. */
static void test_every_kernel(void **state) {
    (void)state;
    json_t *report = report_of("kernels --time 48 --dim 8 --threads 1 --method chunk"), *rows;
    rows = json_object_get(report, "kernels");
    for (size_t i = 0; bench_kernel_names[i] != NULL; i++)
        expect_row(json_array_get(rows, i), bench_kernel_names[i], "chunk", 48, 8, 1);
    json_decref(report);
    static const double squares[] = {1, 1, 1, 1, 2, 14, 128}; /* of d^2 floats a head */
    report = report_of("kernels --time 1 --dim 16 --threads 2 --method step");
    rows = json_object_get(report, "kernels");
    for (size_t i = 0; bench_kernel_names[i] != NULL; i++) {
        const json_t *row = json_array_get(rows, i);
        expect_row(row, bench_kernel_names[i], "step", 1, 16, 2);
        assert_true(number(row, "fraction_of_same_size") > 0);
        double bytes = number(row, "state_bytes");
        if (i < 7) { /* positions come on top */
            double floats = squares[i] * 16 * 16 * 4 * BENCH_HEADS;
            assert_true(bytes == floats || bytes == floats + 8);
        }
        if (strcmp(bench_kernel_names[i], "loglinear") == 0) /* 7 of 14 in use on average */
            assert_true(number(row, "read_bytes") == 7 * 16 * 16 * 4 * BENCH_HEADS);
    }
    json_decref(report);
}

/* References of every kernel, in double-doubles where these suffice, and how much faster than balls. */
static void test_references(void **state) {
    (void)state;
    json_t *report = report_of("machine reference --time 70 --dim 4");
    const json_t *rows = json_object_get(report, "references");
    for (size_t i = 0; bench_kernel_names[i] != NULL; i++) {
        const json_t *row = json_array_get(rows, i);
        assert_string_equal(json_string_value(json_object_get(row, "kernel")),
                            bench_kernel_names[i]);
        assert_true(json_is_null(json_object_get(row, "skipped")));
        assert_true(number(row, "exact_seconds") > 0 && number(row, "bounds_seconds") > 0);
        assert_true(number(row, "precision") == 106 && number(row, "balls_time") == 70);
        assert_true(number(row, "balls_seconds") > 0 && number(row, "ratio") > 0);
    }
    json_decref(report);
}

static void test_skipped(void **state) { /* what would take too long says so */
    (void)state;
    json_t *report = report_of("kernels --kernel softmax --time 65536 --dim 64 --threads 1");
    const json_t *row = json_array_get(json_object_get(report, "kernels"), 0);
    const char *reason = json_string_value(json_object_get(row, "skipped"));
    assert_non_null(reason);
    assert_non_null(strstr(reason, "estimated"));
    assert_true(json_is_null(json_object_get(row, "ns_per_token_and_head")));
    json_decref(report);
}

static void test_machine(void **state) {
    (void)state;
    json_t *report = report_of("machine");
    assert_non_null(json_object_get(report, "machine"));
    assert_null(json_object_get(report, "kernels"));
    json_decref(report);
}

/* The recurrences' counts. */
static void test_flops(void **state) {
    (void)state;
    static const double squares[] = {4, 4, 5, 6, 12, 2 + 2 * 13, 2 * 16 + 2 * 8 * 16};
    for (int i = 0; i < 7; i++)
        assert_true(bench_flops(i, 4096, 64) == squares[i] * 64 * 64);
    assert_true(bench_flops(7, 4096, 64) == 2.0 * 4097 * 64);
}

static void expect_complaint(const char *arguments, const char *words) {
    run_result r = run(MNEME " bench %s", arguments);
    if (r.status != 2 || line_count(r.err) != 1 || strstr(r.err, words) == NULL || r.out[0] != '\0')
        print_error("mneme bench %s: status %d\n%s%s", arguments, r.status, r.out, r.err);
    assert_int_equal(r.status, 2);
    assert_int_equal(line_count(r.err), 1);
    assert_non_null(strstr(r.err, words));
    assert_string_equal(r.out, "");
    result_clear(&r);
}

static void test_complaints(void **state) {
    (void)state;
    expect_complaint("kernel", "\"kernel\" is not a benchmark");
    expect_complaint("kernels --kernel gru", "no kernel matches \"gru\"");
    expect_complaint("kernels --method fast", "reference, step or chunk is wanted");
    expect_complaint("kernels --time 0", "out of range");
    expect_complaint("kernels --time 2.5", "not a whole number");
    expect_complaint("kernels --dim 4096", "1 to 1024");
    expect_complaint("kernels --threads 3", "1 to 2");
    expect_complaint("kernels --budget 0", "0.001 to 3600");
    expect_complaint("kernels --budget 0.0009999999999999999999999", "0.001 to 3600");
    expect_complaint("kernels --budget 3600.0000000000000000001", "0.001 to 3600");
    expect_complaint("kernels --budget soon", "is not a number");
    expect_complaint("kernels --budget", "needs a value");
    expect_complaint("kernels --time 1 --time 2", "given twice");
    expect_complaint("kernels --heads 4", "not an option");
    expect_complaint("machine --kernel delta", "--kernel goes with kernels or reference");
    expect_complaint("weights --json build/tests/bench.json", "goes with machine, kernels");
    expect_complaint("machine --json build/tests/nowhere/bench.json", "cannot write");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_rows), cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_skipped),     cmocka_unit_test(test_references),
        cmocka_unit_test(test_machine),     cmocka_unit_test(test_flops),
        cmocka_unit_test(test_complaints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

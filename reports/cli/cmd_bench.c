/* mneme bench */
#include "numerics/bench/bench.h"
#include "numerics/exact/number.h"
#include "reports/cli/cli.h"
#include "reports/provenance.h"
#include "reports/text.h"
#include "reports/writers.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const method_names[] = {"reference", "step", "chunk"};

/* JSON has no word for what was not measured but null. */
static json_t *number_or_null(double x) {
    return x > 0 && isfinite(x) ? json_real(x) : json_null();
}

/* ---- machine ---- */

static json_t *bandwidth_json(const bench_bandwidth *b) {
    return json_pack("{s:o, s:o}", "read", number_or_null(b->read), "update",
                     number_or_null(b->update));
}

static json_t *machine_json(const bench_machine *m) {
    json_t *limits = json_array();
    for (int i = 0; i < BENCH_THREADS; i++)
        json_array_append_new(limits,
                              json_pack("{s:i, s:o, s:o, s:o, s:o}", "threads", i + 1,
                                        "peak_gflops", number_or_null(m->with[i].peak), "l1_gbytes",
                                        bandwidth_json(&m->with[i].l1), "l2_gbytes",
                                        bandwidth_json(&m->with[i].l2), "memory_gbytes",
                                        bandwidth_json(&m->with[i].memory)));
    return json_pack("{s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:o}", "peak_of", bench_peak_name(),
                     "kernels_for", mn_isa_name(mn_isa_best()), "cores", m->cores, "l1_bytes",
                     (json_int_t)m->l1, "l2_bytes", (json_int_t)m->l2, "l3_bytes",
                     (json_int_t)m->l3, "memory_array_bytes", (json_int_t)m->memory, "limits",
                     limits);
}

static void print_machine(const bench_machine *m) {
    printf("machine, %d cores; peak: %s; kernels: %s\n", m->cores, bench_peak_name(),
           mn_isa_name(mn_isa_best()));
    printf("  %-26s %10s %10s\n", "", "1 thread", "2 threads");
    printf("  %-26s %10.1f %10.1f\n", "peak, GFLOP/s", m->with[0].peak, m->with[1].peak);
    const struct {
        const char *name;
        long bytes;
        const bench_bandwidth *one, *two;
    } rows[] = {{"L1", m->l1 / 2, &m->with[0].l1, &m->with[1].l1},
                {"L2", m->l2 / 2, &m->with[0].l2, &m->with[1].l2},
                {"memory", m->memory, &m->with[0].memory, &m->with[1].memory}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s read, %ld KiB, GB/s", rows[i].name, rows[i].bytes >> 10);
        printf("  %-26s %10.1f %10.1f\n", name, rows[i].one->read, rows[i].two->read);
        snprintf(name, sizeof name, "%s read and written", rows[i].name);
        printf("  %-26s %10.1f %10.1f\n", name, rows[i].one->update, rows[i].two->update);
    }
    fflush(stdout);
}

/* ---- kernels ---- */

static void kernel_row(const bench_row *r, void *data) {
    json_t *j = json_pack("{s:s, s:s, s:I, s:I, s:i, s:i}", "kernel", r->kernel, "method",
                          method_names[r->method], "time", (json_int_t)r->time, "dim",
                          (json_int_t)r->dim, "heads", BENCH_HEADS, "threads", r->threads);
    json_object_set_new(j, "skipped",
                        r->skipped[0] != '\0' ? json_string(r->skipped) : json_null());
    json_object_set_new(j, "runs", json_integer(r->runs));
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"ns_per_token_and_head", r->ns},
                   {"best_ns_per_token_and_head", r->best_ns},
                   {"nominal_gflops", r->gflops},
                   {"peak_before", r->peak[0]},
                   {"peak_after", r->peak[1]},
                   {"fraction_of_peak", r->fraction},
                   {"speedup", r->speedup},
                   {"state_bytes", r->state},
                   {"read_bytes", r->read},
                   {"written_bytes", r->written},
                   {"gbytes", r->bandwidth},
                   {"fraction_of_l2", r->of_l2},
                   {"fraction_of_same_size", r->of_same_size}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(j, numbers[i].name, number_or_null(numbers[i].value));
    json_array_append_new(data, j);

    char speedup[16] = "", bytes[80] = "";
    printf("  %-13s %-9s %5ld %4ld %2d ", r->kernel, method_names[r->method], r->time, r->dim,
           r->threads);
    if (r->skipped[0] != '\0') {
        printf("skipped: %s\n", r->skipped);
    } else {
        if (r->speedup > 0)
            snprintf(speedup, sizeof speedup, "%.2f", r->speedup);
        if (r->of_l2 > 0)
            snprintf(bytes, sizeof bytes, " %8.0f %6.1f %5.2f %5.2f", r->state / 1024, r->bandwidth,
                     r->of_l2, r->of_same_size);
        else if (r->bandwidth > 0)
            snprintf(bytes, sizeof bytes, " %8.0f %6.1f     - %5.2f", r->state / 1024, r->bandwidth,
                     r->of_same_size);
        printf("%4d %10.1f %10.1f %8.2f %6.3f %6s%s\n", r->runs, r->best_ns, r->ns, r->gflops,
               r->fraction, speedup, bytes);
    }
    fflush(stdout);
}

static void print_kernel_head(void) {
    printf(
        "kernels, %d heads; GFLOP/s by the recurrence's nominal count; peak: measured beside each "
        "row\n  T = 1 decodes (log-linear from position %d, softmax over %d keys); GB/s: its "
        "state read and written once a step\n",
        BENCH_HEADS, BENCH_POSITION, BENCH_KEYS);
    printf("  %-13s %-9s %5s %4s %2s %4s %10s %10s %8s %6s %6s %8s %6s %5s %5s\n", "kernel",
           "method", "T", "d", "p", "runs", "best ns", "median ns", "GFLOP/s", "/ peak", "/ p=1",
           "KiB", "GB/s", "/ L2", "/copy");
}

/* ---- references ---- */

static bool reference_watch(double done, void *data) {
    (void)data;
    if (isatty(2))
        fprintf(stderr, done < 1 ? "\r%3.0f %%" : "\r     \r", 100 * done);
    return true;
}

static void reference_row(const bench_reference_row *r, void *data) {
    json_t *j =
        json_pack("{s:s, s:I, s:I, s:i, s:i, s:I, s:I, s:i}", "kernel", r->kernel, "time",
                  (json_int_t)r->time, "dim", (json_int_t)r->dim, "heads", BENCH_HEADS, "threads",
                  r->threads, "precision", (json_int_t)r->precision, "balls_time",
                  (json_int_t)r->balls_time, "balls_heads", BENCH_BALLS_HEADS);
    json_object_set_new(j, "skipped",
                        r->skipped[0] != '\0' ? json_string(r->skipped) : json_null());
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"exact_seconds", r->exact},     {"scale_seconds", r->scale},
                   {"bounds_seconds", r->bounds},   {"balls_seconds", r->balls},
                   {"doubles_seconds", r->doubles}, {"ratio", r->balls / r->doubles}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(j, numbers[i].name, number_or_null(numbers[i].value));
    json_array_append_new(data, j);
    printf("  %-13s %5ld %4ld %2d ", r->kernel, r->time, r->dim, r->threads);
    if (r->skipped[0] != '\0')
        printf("skipped: %s\n", r->skipped);
    else
        printf("%8.2f %8.2f %8.2f %8.2f %5ld %10.4f %10.4f %8.1f\n", r->exact, r->scale, r->bounds,
               r->exact + r->scale + r->bounds, r->precision, r->doubles, r->balls,
               r->balls / r->doubles);
    fflush(stdout);
}

static void print_reference_head(void) {
    printf(
        "certified references, %d heads, seconds; beside them the same on %d tokens of %d heads, "
        "one thread: double-doubles and balls\n",
        BENCH_HEADS, BENCH_BALLS_TIME, BENCH_BALLS_HEADS);
    printf("  %-13s %5s %4s %2s %8s %8s %8s %8s %5s %10s %10s %8s\n", "kernel", "T", "d", "p",
           "exact", "scale", "bounds", "all", "bits", "doubles", "balls", "ratio");
}

/* ---- convolution ---- */

static void convolution_row(const bench_convolution_row *r, void *data) {
    json_array_append_new(
        data,
        json_pack("{s:I, s:I, s:i, s:s, s:s?, s:i, s:i, s:I, s:o, s:o, s:o, s:o}", "channels",
                  (json_int_t)r->channels, "time", (json_int_t)r->time, "terms", BENCH_TERMS,
                  "method", method_names[r->method], "skipped", r->skipped, "runs", r->runs,
                  "fftw_runs", r->fftw_runs, "fftw_size", (json_int_t)r->size, "ns_per_output",
                  number_or_null(r->ns), "fftw_ns_per_output", number_or_null(r->fftw_ns), "ratio",
                  number_or_null(r->ratio), "difference", number_or_null(r->difference)));
    printf("  %8ld %8ld %-6s ", r->channels, r->time, method_names[r->method]);
    if (r->skipped != NULL)
        printf("skipped: %s\n", r->skipped);
    else
        printf("%4d %8.3f %8.3f %7.2f %10.1e\n", r->runs, r->ns, r->fftw_ns, r->ratio,
               r->difference);
    fflush(stdout);
}

static void print_convolution_head(void) {
    printf("convolution, %d exponentials, one thread; FFTW: planned, kernel's spectrum known, "
           "single precision\n",
           BENCH_TERMS);
    printf("  %8s %8s %-6s %4s %8s %8s %7s %10s\n", "channels", "T", "method", "runs", "ns/out",
           "FFTW", "FFTW/it", "difference");
}

/* ---- the command ---- */

typedef enum {
    WEIGHTS,
    CERTIFY,
    SOE,
    MACHINE,
    KERNELS,
    CONVOLUTION,
    REFERENCE,
    BENCHES
} bench_name;
static const char *const names[BENCHES] = {"weights", "certify",     "soe",      "machine",
                                           "kernels", "convolution", "reference"};

typedef struct {
    const char *kernel, *method, *time, *dim, *threads, *budget, *json;
} bench_arguments;

/* The benchmarks asked for, a bit each; 0 after complaining. */
static unsigned wanted_of(int argc, char **argv) {
    unsigned wanted = argc == 0 ? (1u << BENCHES) - 1 : 0;
    for (int i = 0; i < argc; i++) {
        int b = 0;
        while (b < BENCHES && strcmp(argv[i], names[b]) != 0)
            b++;
        if (b == BENCHES) {
            cli_complain("bench",
                         "\"%s\" is not a benchmark; weights, certify, soe, machine, kernels, "
                         "convolution or reference is wanted",
                         argv[i]);
            return 0;
        }
        wanted |= 1u << b;
    }
    return wanted;
}

/* Reads the options into s; 1, or 0 after complaining. */
static int selection_of(bench_selection *s, const bench_arguments *a, unsigned wanted) {
    const unsigned rows = 1u << KERNELS | 1u << REFERENCE;
    const struct {
        const char *name, *text;
        unsigned needs;
    } given[] = {{"--kernel", a->kernel, rows},
                 {"--method", a->method, 1u << KERNELS},
                 {"--time", a->time, rows},
                 {"--dim", a->dim, rows},
                 {"--threads", a->threads, rows},
                 {"--budget", a->budget, 1u << MACHINE | 1u << KERNELS | 1u << CONVOLUTION},
                 {"--json", a->json, rows | 1u << MACHINE | 1u << CONVOLUTION}};
    long threads = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].text != NULL && !(wanted & given[i].needs)) {
            cli_complain("bench", "%s goes with %s", given[i].name,
                         given[i].needs == 1u << KERNELS ? "kernels"
                         : given[i].needs == rows        ? "kernels or reference"
                         : given[i].text == a->json ? "machine, kernels, convolution or reference"
                                                    : "machine, kernels or convolution");
            return 0;
        }
    s->pattern = a->kernel;
    if (a->kernel != NULL) {
        int known = 0;
        for (int i = 0; bench_kernel_names[i] != NULL; i++)
            known |= fnmatch(a->kernel, bench_kernel_names[i], 0) == 0;
        if (!known) {
            cli_complain("bench",
                         "--kernel: no kernel matches \"%s\"; linear, linear-scalar, linear-keys, "
                         "delta, vla, loglinear, vort, softmax or a pattern is wanted",
                         a->kernel);
            return 0;
        }
    }
    for (int i = 0; a->method != NULL && i < 3; i++)
        if (strcmp(a->method, method_names[i]) == 0)
            s->methods = 1u << i;
    if (a->method != NULL && s->methods == 0) {
        cli_complain("bench",
                     "--method: \"%s\" is not a method; reference, step or chunk is wanted",
                     a->method);
        return 0;
    }
    if ((a->time != NULL && !cli_whole("bench", "--time", a->time, 1, 1 << 20, &s->time)) ||
        (a->dim != NULL && !cli_whole("bench", "--dim", a->dim, 1, 1024, &s->dim)) ||
        (a->threads != NULL &&
         !cli_whole("bench", "--threads", a->threads, 1, BENCH_THREADS, &threads)))
        return 0;
    s->threads = (int)threads;
    if (a->budget == NULL)
        return 1;
    fmpq_t seconds, least;
    fmpq_init(seconds);
    fmpq_init(least);
    const char *reason = exact_parse_rational(seconds, a->budget);
    fmpq_set_si(least, 1, 1000);
    if (reason == NULL && (fmpq_cmp(seconds, least) < 0 || fmpq_cmp_si(seconds, 3600) > 0))
        reason = "out of range";
    s->budget = fmpq_get_d(seconds);
    fmpq_clear(seconds);
    fmpq_clear(least);
    if (reason != NULL)
        cli_complain("bench", "--budget: \"%s\" is %s; seconds from 0.001 to 3600 are wanted",
                     a->budget, reason);
    return reason == NULL;
}

static int run_benches(const bench_selection *s, unsigned wanted, json_t *report) {
    bench_machine machine;
    int ok = 1;
    if (wanted >> WEIGHTS & 1)
        bench_weights();
    if (wanted >> CERTIFY & 1)
        bench_certify();
    if (wanted >> SOE & 1)
        bench_soe();
    if (wanted & (1u << MACHINE | 1u << KERNELS)) { /* rows are compared with what it finds */
        bench_measure_machine(&machine, 4 * s->budget);
        print_machine(&machine);
        json_object_set_new(report, "machine", machine_json(&machine));
    }
    if (wanted >> KERNELS & 1) {
        json_t *rows = json_array();
        print_kernel_head();
        ok &= bench_kernels(s, &machine, kernel_row, rows);
        json_object_set_new(report, "kernels", rows);
    }
    if (wanted >> CONVOLUTION & 1) {
        json_t *rows = json_array();
        print_convolution_head();
        ok &= bench_convolution(s->budget, convolution_row, rows);
        json_object_set_new(report, "convolution", rows);
    }
    if (wanted >> REFERENCE & 1) {
        json_t *rows = json_array();
        print_reference_head();
        ok &= bench_reference(s, reference_watch, reference_row, rows);
        json_object_set_new(report, "references", rows);
    }
    return ok;
}

const cli_manual manual_bench = {
    "Measures ratios of times within one run, so that load and clock rates cancel\n"
    "as far as they can. kernels times the kernels of libmneme against the peak\n"
    "measured beside each row; convolution compares with FFTW. Under load set\n"
    "OMP_WAIT_POLICY=passive.",
    {{"bench machine", "peak, caches, memory: one thread, two"},
     {"bench kernels --kernel delta --time 4096 --dim 64 --json delta.json", "one kernel"},
     {"bench convolution", "sums of exponentials against FFTW"},
     {NULL, NULL}},
    NULL};

int cmd_bench(int argc, char **argv) {
    bench_arguments a = {NULL};
    bench_selection s = {.budget = 0.5};
    const cli_option options[] = {
        {"--kernel", "NAME", "kernels, reference: of this name or shell pattern", &a.kernel, NULL,
         NULL},
        {"--method", "M", "kernels: reference (to 256 tokens), step (1 token) or chunk", &a.method,
         NULL, NULL},
        {"--time", "T", "this many tokens (kernels: default 1, 256, 4096, 65536; reference: 4096)",
         &a.time, NULL, NULL},
        {"--dim", "D", "keys and values of this size (kernels: default 64, 128; reference: 64)",
         &a.dim, NULL, NULL},
        {"--threads", "P", "1 or 2 (kernels: default one, then two; reference: two)", &a.threads,
         NULL, NULL},
        {"--budget", "SECONDS", "time for a row, 0.001 to 3600 (default 0.5)", &a.budget, NULL,
         NULL},
        {"--json", "F", "write machine, kernels, convolution, reference to F", &a.json, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(cli_find("bench"), options, &argc, argv, &status))
        return status;
    unsigned wanted = wanted_of(argc, argv);
    if (wanted == 0 || !selection_of(&s, &a, wanted))
        return EXIT_BAD_INPUT;
    const cli_file outputs[] = {{"--json", a.json}, {NULL, NULL}};
    if (cli_places("bench", outputs, NULL) != EXIT_PASS)
        return EXIT_BAD_INPUT;
    json_t *report = json_object(), *provenance = provenance_json();
    json_object_set_new(provenance, "fftw", json_string(bench_fftw_version()));
    json_object_set_new(report, "schema", json_string("mneme-bench-1"));
    json_object_set_new(report, "provenance", provenance);
    json_object_set_new(report, "budget", json_real(s.budget));
    status = run_benches(&s, wanted, report) ? EXIT_PASS : EXIT_INTERNAL;
    if (a.json != NULL) {
        char *text = report_write_json(report);
        if (!output_write("mneme bench", a.json, text, strlen(text)))
            status = EXIT_BAD_INPUT;
        free(text);
    }
    json_decref(report);
    return status;
}

#include "reports/cli/regress_series.h"
#include "numerics/accuracy/growth.h"
#include "reports/cli/cli.h"
#include "reports/json_codec.h"
#include "reports/pool.h"
#include "reports/regress.h"
#include "reports/writers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The figures' panels, in this order. */
static const char *const kinds[] = {"linear",          "linear-scalar", "delta",   "vla",
                                    "loglinear-gated", "vort",          "softmax", "convolution"};
enum { KINDS = sizeof kinds / sizeof *kinds, LIMIT = 1800, DIM = 64 };

typedef struct {
    regress_case c[KINDS];
    growth g[KINDS];
} measured;

static size_t work(size_t i, void *out, void *data) {
    growth_measure(out, ((const measured *)data)->c + i, &regress_libmneme);
    return sizeof(growth);
}

static void done(size_t i, const void *out, size_t bytes, double seconds, const char *crash,
                 void *data) {
    growth *g = ((measured *)data)->g + i;
    (void)seconds;
    if (bytes == sizeof *g)
        memcpy(g, out, bytes);
    if (crash)
        snprintf(g->text, sizeof g->text, "%s", crash);
}

static void put(enclosure_struct *cell, double x) {
    enclosure_set_measured(cell, (enclosure_measurement){x, x, x, 1, REGRESS_SEED});
}

/* Windows of tokens, kernel by kernel; a bound that says nothing is 0. */
static series *growth_series(const measured *m) {
    static const char *const columns[] = {"kernel",  "1", "T",   "tokens", "bound",    "1",
                                          "largest", "1", "rms", "1",      "rms_step", "1"};
    series *s =
        series_new("kernel-growth", "Errors of the kernels against time, d = 64", 6, columns);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < m->g[k].windows; i++) {
            const growth_window *w = m->g[k].window + i;
            enclosure_struct *cell = series_append(s);
            enclosure_set_integer(cell, k);
            enclosure_set_integer(cell + 1, w->last);
            put(cell + 2, isfinite(w->bound) ? w->bound : 0);
            put(cell + 3, w->largest[MN_CHUNK]), put(cell + 4, w->rms[MN_CHUNK]);
            put(cell + 5, w->rms[MN_STEP]);
        }
    return s;
}

/* The root mean square errors of chunks and of the definition, over those of steps. */
static series *methods_series(const measured *m) {
    static const char *const columns[] = {"kernel", "1", "T",          "tokens",
                                          "chunk",  "1", "definition", "1"};
    series *s = series_new("kernel-methods", "Chunked against recurrent, d = 64", 4, columns);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < m->g[k].windows; i++) {
            const double *rms = m->g[k].window[i].rms;
            enclosure_struct *cell = series_append(s);
            enclosure_set_integer(cell, k);
            enclosure_set_integer(cell + 1, m->g[k].window[i].last);
            put(cell + 2, rms[MN_CHUNK] / rms[MN_STEP]);
            put(cell + 3, rms[MN_REFERENCE] / rms[MN_STEP]);
        }
    return s;
}

/* Shares of the elements by the power of two above their error in ulp. */
static series *ulp_series(const measured *m) {
    static const char *const columns[] = {"kernel",      "1", "ulp_up_to",  "ulp",
                                          "share_chunk", "1", "share_step", "1"};
    series *s = series_new("kernel-ulp", "Errors of the kernels in ulp, d = 64", 4, columns);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < JUDGE_HISTOGRAM; i++) {
            enclosure_struct *cell = series_append(s);
            double all = (double)(m->g[k].elements ? m->g[k].elements : 1);
            enclosure_set_integer(cell, k);
            put(cell + 1, ldexp(1, i - 32));
            put(cell + 2, (double)m->g[k].histogram[MN_CHUNK][i] / all);
            put(cell + 3, (double)m->g[k].histogram[MN_STEP][i] / all);
        }
    return s;
}

static int write_series(const char *dir, series *s) {
    text_buffer path;
    json_t *j = report_series_to_json(s);
    char *text = report_write_series(j);
    text_init(&path);
    text_printf(&path, "%s/%s.dat", dir, s->id);
    int ok = output_write("mneme regress", path.data, text, strlen(text));
    free(path.data), free(text);
    json_decref(j);
    series_free(s);
    return ok;
}

int regress_series(const char *dir, long time, long jobs) {
    static measured m;
    double cost[KINDS];
    int status = EXIT_PASS, error = output_make_directory(dir);
    if (error != 0)
        return cli_complain("regress", "--series: cannot make %s: %s", dir, strerror(error));
    memset(&m, 0, sizeof m);
    for (int k = 0; k < KINDS; k++) {
        const inputs_kind *kind = inputs_find_kind(kinds[k]);
        m.c[k] = (regress_case){kind,
                                {1, time, 1, 0, DIM, DIM, 0, 0, 0, 0, 0, false},
                                INPUTS_GAUSSIAN,
                                REGRESS_SEED,
                                false};
        if (kind->kernel == MN_VORT || kind->kernel == MN_KERNELS)
            m.c[k].shape.modes = 16;
        cost[k] = regress_cost(m.c + k);
    }
    const pool_jobs p = {sizeof(growth), LIMIT, work, done, &m};
    if ((error = pool_run(&p, KINDS, cost, jobs)) != 0) {
        fprintf(stderr, "mneme regress: cannot start a process: %s\n", strerror(error));
        return EXIT_INTERNAL;
    }
    if (stop_wanted()) {
        fprintf(stderr, "mneme regress: interrupted: nothing was written to %s\n", dir);
        return EXIT_INTERRUPTED;
    }
    for (int k = 0; k < KINDS; k++)
        if (m.g[k].text[0] != '\0') {
            fprintf(stderr, "mneme regress: %s: %s\n", kinds[k], m.g[k].text);
            status = EXIT_CHECK_FAILED;
        }
    if (!write_series(dir, growth_series(&m)) || !write_series(dir, methods_series(&m)) ||
        !write_series(dir, ulp_series(&m)))
        status = EXIT_BAD_INPUT;
    return status;
}

/* What the tests of faults share: a folder, outputs that were there before, what is left of a run. */
#ifndef FAULTS_H
#define FAULTS_H

#include "tests/process.h"
#include "tests/testing.h"

#include <glob.h>
#include <jansson.h>
#include <time.h>

#include "numerics/accuracy/array.h"

#define OLD "old\n"

static inline double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void sleep_seconds(double seconds) {
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

/* Whether a process handles the signal, and whether it has children (Linux). */
static inline int catches(pid_t pid, int signal) {
    char path[64], line[200];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *f = fopen(path, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        sscanf(line, "SigCgt: %llx", &caught);
    if (f != NULL)
        fclose(f);
    return (int)(caught >> (signal - 1) & 1);
}

static inline int has_children(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    char *text = slurp(path);
    int has = text[0] != '\0';
    free(text);
    return has;
}

/* Until the program, started just now, handles signals (SIGTERM: dash -c handles SIGINT, too) and, where
   jobs is set, runs jobs. */
static inline void wait_for_program(pid_t pid, int jobs) {
    for (int i = 0; i < 6000 && !(catches(pid, SIGTERM) && (!jobs || has_children(pid))); i++)
        sleep_seconds(0.005);
}

/* An empty folder. */
static inline void make_folder(const char *path) {
    run_result r = run("rm -rf '%s' && mkdir -p '%s'", path, path);
    assert_int_equal(r.status, 0);
    result_clear(&r);
}

static inline void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* Files beside path that a writer left under a temporary name. */
static inline int temporaries(const char *path) {
    char pattern[400];
    glob_t g;
    snprintf(pattern, sizeof pattern, "%s.tmp-*", path);
    int n = glob(pattern, 0, NULL, &g) == 0 ? (int)g.gl_pathc : 0;
    globfree(&g);
    return n;
}

/* The file as it was before. */
static inline int is_old(const char *path) {
    char *text = slurp(path);
    int same = strcmp(text, OLD) == 0;
    free(text);
    return same;
}

/* A JSON file, or NULL if it is none. */
static inline json_t *load_json(const char *path) {
    json_error_t e;
    return json_load_file(path, 0, &e);
}

/* folder/in.npz, and folder/out.npz with an output that has v's shape: what mneme check wants.  The
   verdict is that it is wrong. */
static inline void make_arrays(const char *folder, const char *kernel, const char *shape) {
    char path[300], complaint[ARRAY_ERROR];
    array_file f;
    run_result r =
        run(MNEME " check --emit-inputs %s --shape %s --output '%s/in.npz'", kernel, shape, folder);
    assert_int_equal(r.status, 0);
    result_clear(&r);
    snprintf(path, sizeof path, "%s/in.npz", folder);
    assert_int_equal(array_read(&f, path, complaint), ARRAY_OK);
    array *v = (array *)(uintptr_t)array_find(&f, "v");
    assert_non_null(v);
    const array_file one = {1, v};
    free(v->name);
    v->name = strdup("o");
    snprintf(path, sizeof path, "%s/out.npz", folder);
    assert_int_equal(array_write_npz(path, &one, complaint), ARRAY_OK);
    array_file_clear(&f);
}

#endif

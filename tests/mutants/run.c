/* run choose [options] TREE: draws mutants from TREE/all.tsv (the lines of mutate, local numbers) and
   writes TREE/mutants.tsv (the same with ids 1, 2, ...) and TREE/chosen (file, number, id).

   run kill [options] TREE: TREE holds the sources with those mutants, built along with its tests.
   1. Every test of every test program, and every check of every claim with its controls, is run once
      without a mutant: how long does it take, which mutants' sites does it evaluate?
   2. A mutant meets the tests that reach its site, the shortest first, until one fails.  A test
      fails as always, or by a crash, or by taking more than ten times its time and ten seconds; a
      check (with its controls) if the exact values of its report are not those of step 1, which are
      those that the committed baseline pins.
   3. The report: TREE/../report.md and TREE/../results.tsv.

   choose --survivors F draws those that an earlier results.tsv has as not killed, to be tried again
   after tests were added.

   Mutants are drawn in the order of a hash of the seed and of what they are, so that a sample does
   not change when other code does.  Survivors that the table --explained names with a reason are
   equivalent: no test could tell them from the program.

   Exit 0; 1 if fewer than 95% of the mutants that are not equivalent were killed; 2 bad usage. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FIELDS = 7, JOBS = 64, WANTED_PERCENT = 95 };

typedef struct {
    char *field[FIELDS]; /* id, file, line, function, kind, what stands there, what comes instead */
    unsigned id;
    uint64_t rank;
    const char *explained; /* why no test can tell it, or NULL */
    enum { WAITING, KILLED, SURVIVED, UNREACHED } fate;
    int killer; /* item */
    char how[24];
    size_t next; /* in the order of items */
} mutant;

typedef struct {
    char *program, *test; /* a test; or test alone: a check, "claim/check" */
    double seconds;
    unsigned char *reached;
    size_t reachable; /* its length */
    char *values;     /* of a check */
    int usable;
} item;

typedef struct {
    pid_t pid;
    int item, busy, timed_out;
    mutant *mutant; /* NULL: without one */
    double started, limit;
    char folder[400];
} worker;

typedef struct {
    char tree[300];
    const char *explained, *only, *tests, *survivors;
    long sample, seed, jobs;
    double slow;
    mutant *mutant;
    size_t mutants;
    item *item;
    size_t items;
    worker worker[JOBS];
} state;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t hash_text(const char *text, uint64_t h) {
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

static char *read_all(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    size_t n = 0, room = 1 << 16;
    char *data = malloc(room + 1);
    while (in != NULL) {
        size_t got = fread(data + n, 1, room - n, in);
        n += got;
        if (n < room)
            break;
        room *= 2;
        data = realloc(data, room + 1);
    }
    if (in != NULL)
        fclose(in);
    data[n] = '\0';
    if (size != NULL)
        *size = n;
    return data;
}

static int is_file(const char *path) {
    FILE *in = fopen(path, "rb");
    if (in != NULL)
        fclose(in);
    return in != NULL;
}

static int fail(const char *what, const char *which) {
    fprintf(stderr, "mutants: %s %s\n", what, which);
    return 2;
}

/* ---- what there is ---- */

static int read_mutants(state *s, const char *name) {
    char path[400], *line, *rest;
    snprintf(path, sizeof path, "%s/%s", s->tree, name);
    rest = read_all(path, NULL);
    while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
        s->mutant = realloc(s->mutant, (s->mutants + 1) * sizeof *s->mutant);
        mutant *m = s->mutant + s->mutants++;
        memset(m, 0, sizeof *m);
        for (int i = 0; i < FIELDS; i++)
            m->field[i] = strsep(&line, "\t");
        if (m->field[FIELDS - 1] == NULL)
            return 0;
        m->id = (unsigned)strtoul(m->field[0], NULL, 10);
    }
    return s->mutants > 0;
}

/* Neither the line nor the number of a mutant belongs to its name: they change with other code. */
static void rank_mutants(state *s) {
    for (size_t i = 0; i < s->mutants; i++) {
        mutant *m = s->mutant + i;
        uint64_t h = hash_text("mutant", (uint64_t)s->seed);
        char what[400];
        snprintf(what, sizeof what, "%s", m->field[5]);
        char *ordinal = strrchr(what, ' '); /* not the "[2]" of one that is alike, either */
        if (ordinal != NULL && ordinal[1] == '[' &&
            strspn(ordinal + 2, "0123456789") + 3 == strlen(ordinal))
            *ordinal = '\0';
        for (int k = 1; k < FIELDS; k++)
            h = k == 2 ? h : hash_text(k == 5 ? what : m->field[k], h);
        for (size_t j = i; j-- > 0 && strcmp(s->mutant[j].field[3], m->field[3]) == 0;)
            h += s->mutant[j].rank == h; /* the same text twice in a function */
        m->rank = h;
    }
}

/* file, function, kind, what stands there, what comes instead, reason: tabs between, "*" for any. */
static int read_explained(state *s) {
    char *rest = read_all(s->explained, NULL), *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *field[6] = {NULL};
        if (*line == '\0' || *line == '#')
            continue;
        for (int i = 0; i < 6; i++)
            field[i] = strsep(&line, "\t");
        if (field[5] == NULL)
            return 0;
        static const int column[] = {1, 3, 4, 5, 6};
        for (size_t i = 0; i < s->mutants; i++) {
            int all = 1;
            for (int k = 0; k < 5; k++)
                all = all && (strcmp(field[k], "*") == 0 ||
                              strcmp(field[k], s->mutant[i].field[column[k]]) == 0);
            if (all)
                s->mutant[i].explained = field[5];
        }
    }
    return 1;
}

static void add_item(state *s, const char *program, const char *test) {
    s->item = realloc(s->item, (s->items + 1) * sizeof *s->item);
    item *it = s->item + s->items++;
    memset(it, 0, sizeof *it);
    it->program = program != NULL ? strdup(program) : NULL;
    it->test = strdup(test);
}

/* Whether the list (patterns with spaces between) names it and no "!pattern" of it does. */
static int listed(const char *list, const char *name) {
    char *copy = strdup(list), *rest = copy, *pattern;
    int found = 0;
    while ((pattern = strsep(&rest, " ")) != NULL) {
        if (*pattern == '!' && fnmatch(pattern + 1, name, 0) == 0)
            found = -1;
        else if (found == 0 && *pattern != '\0')
            found = fnmatch(pattern, name, 0) == 0;
    }
    free(copy);
    return found > 0;
}

/* The tests as their sources list them. */
static void find_tests(state *s) {
    char folder[400], path[800];
    struct dirent **entry;
    snprintf(folder, sizeof folder, "%s/tests", s->tree);
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s", entry[i]->d_name);
        size_t length = strlen(name);
        free(entry[i]);
        if (strncmp(name, "test_", 5) != 0 || strcmp(name + length - 2, ".c") != 0)
            continue;
        name[length - 2] = '\0';
        if (!listed(s->tests, name))
            continue;
        snprintf(path, sizeof path, "%s/%s.c", folder, name);
        char *text = read_all(path, NULL), *p = text;
        while ((p = strstr(p, "cmocka_unit_test")) != NULL) {
            char test[128];
            if ((p = strchr(p, '(')) != NULL && sscanf(p, "( %127[A-Za-z0-9_]", test) == 1)
                add_item(s, name, test);
        }
        free(text);
    }
    if (n >= 0)
        free(entry);
}

/* The checks as the program lists them. */
static void find_checks(state *s) {
    char command[600], line[400], name[200];
    snprintf(command, sizeof command, "cd '%s' && build/bin/mneme list --checks 2>/dev/null",
             s->tree);
    FILE *in = popen(command, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, " %199[^: ]", name) == 1 && strchr(name, '/') != NULL &&
            strncmp(name, "experiments.", 12) != 0)
            add_item(s, NULL, name);
    if (in != NULL)
        pclose(in);
}

/* ---- one run ---- */

/* Each worker has a folder that looks like the tree, but for what tests write. */
static int make_folder(state *s, worker *w, int number) {
    char command[4000];
    snprintf(w->folder, sizeof w->folder, "%s/../worker-%d", s->tree, number);
    snprintf(
        command, sizeof command,
        "rm -rf '%s' && mkdir -p '%s/build/tests' && cd '%s' && for f in '%s'/* '%s'/.ci; do case "
        "$f in */build) ;; *) ln -s \"$f\" . ;; esac; done && "
        "for f in '%s'/build/*; do case $f in */tests) ;; *) ln -s \"$f\" build/ ;; esac; done && "
        "for f in '%s'/build/tests/*; do [ -f \"$f\" ] && [ -x \"$f\" ] && ln \"$f\" build/tests/ "
        "|| true; done",
        w->folder, w->folder, w->folder, s->tree, s->tree, s->tree, s->tree);
    return system(command) == 0;
}

static void set_limits(void) {
    struct rlimit r = {(rlim_t)6 << 30, (rlim_t)6 << 30};
    setrlimit(RLIMIT_AS, &r);
    r.rlim_cur = r.rlim_max = (rlim_t)1 << 30;
    setrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = r.rlim_max = 0;
    setrlimit(RLIMIT_CORE, &r);
}

static void start(worker *w, const item *it, int index, mutant *m, double limit) {
    w->item = index;
    w->mutant = m;
    w->busy = 1;
    w->timed_out = 0;
    w->started = now();
    w->limit = limit;
    w->pid = fork();
    if (w->pid < 0) /* kill(-pid) would not be for a group of ours */
        exit(fail("cannot start a process:", strerror(errno)));
    if (w->pid != 0)
        return;
    setpgid(0, 0);
    set_limits();
    char number[32], program[300], command[1200];
    if (chdir(w->folder) != 0)
        _exit(126);
    snprintf(number, sizeof number, "%u", m != NULL ? m->id : 0);
    setenv("MUTANT", number, 1);
    if (m == NULL)
        setenv("MUTANT_REACHED", "reached", 1);
    int out =
            open(it->program != NULL ? "/dev/null" : "values", O_WRONLY | O_CREAT | O_TRUNC, 0644),
        null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    if (it->program != NULL) {
        setenv("MUTANT_TEST", it->test, 1);
        snprintf(program, sizeof program, "build/tests/%s", it->program);
        execl(program, program, (char *)NULL);
    } else {
        snprintf(command, sizeof command,
                 "build/bin/mneme verify --json report.json --time-limit 100 '%s' >/dev/null; "
                 "MUTANT=0 exec build/bin/mneme report --format values report.json",
                 it->test);
        unlink("report.json");
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    _exit(127);
}

/* Waits until one of the workers ends; *failed: how it differs from what is right, or "". */
static worker *wait_for_one(state *s, char failed[24]) {
    for (;;) {
        for (long i = 0; i < s->jobs; i++) {
            worker *w = s->worker + i;
            int status;
            if (!w->busy)
                continue;
            pid_t ended = waitpid(w->pid, &status, WNOHANG);
            if (ended == 0) {
                if (now() - w->started > w->limit && !w->timed_out) {
                    w->timed_out = 1;
                    kill(-w->pid, SIGKILL);
                }
                continue;
            }
            kill(-w->pid, SIGKILL); /* what it may have left behind */
            w->busy = 0;
            failed[0] = '\0';
            if (w->timed_out)
                snprintf(failed, 24, "too long");
            else if (WIFSIGNALED(status))
                snprintf(failed, 24, "signal %d", WTERMSIG(status));
            else if (WEXITSTATUS(status) != 0)
                snprintf(failed, 24, "failed");
            return w;
        }
        usleep(2000);
    }
}

static char *values_of(const worker *w) {
    char path[500];
    snprintf(path, sizeof path, "%s/values", w->folder);
    return read_all(path, NULL);
}

/* ---- the two passes ---- */

static void record(state *s) {
    size_t next = 0, running = 0, done = 0;
    char failed[24];
    while (next < s->items || running > 0) {
        for (long i = 0; i < s->jobs && next < s->items; i++) {
            worker *w = s->worker + i;
            if (w->busy)
                continue;
            char path[500];
            snprintf(path, sizeof path, "%s/reached", w->folder);
            int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
            if (fd < 0 || ftruncate(fd, (off_t)s->mutants + 1) != 0)
                exit(fail("cannot write", path));
            close(fd);
            start(w, s->item + next, (int)next, NULL, s->slow);
            next++;
            running++;
        }
        worker *w = wait_for_one(s, failed);
        item *it = s->item + w->item;
        char path[500];
        running--;
        it->seconds = now() - w->started;
        it->usable = failed[0] == '\0';
        if (!it->usable)
            printf("left out, since without a mutant it is %s: %s %s\n", failed,
                   it->program ? it->program : "check", it->test);
        snprintf(path, sizeof path, "%s/reached", w->folder);
        it->reached = (unsigned char *)read_all(path, &it->reachable);
        if (it->program == NULL)
            it->values = values_of(w);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rrecorded %zu of %zu", ++done, s->items);
    }
}

static state *sorted;
static int by_seconds(const void *a, const void *b) {
    double x = sorted->item[*(const int *)a].seconds, y = sorted->item[*(const int *)b].seconds;
    return x < y ? -1 : x > y;
}
static int by_rank(const void *a, const void *b) {
    const mutant *x = *(mutant *const *)a, *y = *(mutant *const *)b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Gives the worker the next test that reaches the mutant, or 0 if there is none. */
static int next_test(state *s, worker *w, mutant *m, const int *order) {
    while (m->next < s->items) {
        int i = order[m->next++];
        const item *it = s->item + i;
        if (it->usable && m->id < it->reachable && it->reached[m->id]) {
            m->fate = SURVIVED;
            start(w, it, i, m, 10 * it->seconds + 10);
            return 1;
        }
    }
    return 0;
}

static void write_result(FILE *out, const state *s, const mutant *m) {
    static const char *const fates[] = {"waiting", "killed", "survived", "unreached"};
    const item *it = s->item + m->killer;
    fprintf(out, "%s\t%s\t%s %s\t%s", fates[m->fate], m->how,
            m->fate == KILLED ? (it->program ? it->program : "check") : "",
            m->fate == KILLED ? it->test : "", m->explained != NULL ? m->explained : "");
    for (int k = 0; k < FIELDS; k++)
        fprintf(out, "\t%s", m->field[k]);
    fputc('\n', out);
    fflush(out);
}

static size_t hunt(state *s, mutant **chosen, size_t wanted) {
    int *order = calloc(s->items, sizeof *order);
    size_t next = 0, running = 0, done = 0;
    char failed[24], path[400];
    snprintf(path, sizeof path, "%s/../results.tsv", s->tree);
    FILE *results = fopen(path, "w");
    if (results == NULL)
        exit(fail("cannot write", path));
    for (size_t i = 0; i < s->items; i++)
        order[i] = (int)i;
    sorted = s;
    qsort(order, s->items, sizeof *order, by_seconds);
    while (next < wanted || running > 0) {
        for (long i = 0; i < s->jobs; i++)
            while (!s->worker[i].busy && next < wanted) {
                mutant *m = chosen[next++];
                m->fate = UNREACHED;
                if (next_test(s, s->worker + i, m, order))
                    running++;
                else
                    write_result(results, s, m), done++;
            }
        if (running == 0)
            continue;
        worker *w = wait_for_one(s, failed);
        mutant *m = w->mutant;
        const item *it = s->item + w->item;
        if (it->program == NULL && failed[0] == '\0') {
            char *values = values_of(w);
            if (strcmp(values, it->values) != 0)
                snprintf(failed, sizeof failed, "other values");
            free(values);
        }
        if (failed[0] != '\0') {
            m->fate = KILLED;
            m->killer = w->item;
            snprintf(m->how, sizeof m->how, "%s", failed);
        } else if (next_test(s, w, m, order)) {
            continue;
        }
        write_result(results, s, m);
        running--;
        done++;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%zu of %zu mutants", done, wanted);
    }
    free(order);
    fclose(results);
    return done;
}

/* ---- the report ---- */

static int report(const state *s, mutant *const *chosen, size_t n, double seconds) {
    char path[400];
    snprintf(path, sizeof path, "%s/../report.md", s->tree);
    FILE *out = fopen(path, "w");
    size_t killed = 0, equivalent = 0;
    if (out == NULL)
        return fail("cannot write", path);
    static const char *const rooms[] = {"numerics/exact/", "numerics/kernels/", "theorems/"};
    fprintf(out,
            "# Mutants\n\n%zu mutants, %zu tests and checks, %.0f s.\n\n| | "
            "mutants | killed | equivalent | survived | killed of those not equivalent |\n| --- | "
            "--- | --- | --- | --- | --- |\n",
            n, s->items, seconds);
    for (size_t r = 0; r <= 3; r++) {
        size_t all = 0, dead = 0, same = 0;
        for (size_t i = 0; i < n; i++) {
            const mutant *m = chosen[i];
            if (r < 3 && strncmp(m->field[1], rooms[r], strlen(rooms[r])) != 0)
                continue;
            all++;
            dead += m->fate == KILLED;
            same += m->fate != KILLED && m->explained != NULL;
        }
        fprintf(out, "| %s | %zu | %zu | %zu | %zu | %.1f%% |\n", r < 3 ? rooms[r] : "all", all,
                dead, same, all - dead - same,
                all > same ? 100.0 * (double)dead / (double)(all - same) : 100);
        killed = dead;
        equivalent = same;
    }
    fprintf(out, "\n## Survivors\n\n");
    for (size_t i = 0; i < n; i++) {
        const mutant *m = chosen[i];
        if (m->fate != KILLED && m->explained == NULL)
            fprintf(out, "- %s:%s, %s, %s: `%s` -> `%s`%s\n", m->field[1], m->field[2], m->field[3],
                    m->field[4], m->field[5], m->field[6],
                    m->fate == UNREACHED ? " (no test reaches it)" : "");
    }
    fprintf(out, "\n## Equivalent\n\n");
    for (size_t i = 0; i < n; i++) {
        const mutant *m = chosen[i];
        if (m->fate != KILLED && m->explained != NULL)
            fprintf(out, "- %s:%s, %s, %s: `%s` -> `%s`: %s\n", m->field[1], m->field[2],
                    m->field[3], m->field[4], m->field[5], m->field[6], m->explained);
    }
    fclose(out);
    size_t rest = n - equivalent;
    printf("mutants: %zu of %zu killed, %zu equivalent, %zu survived: %.1f%%; see %s\n", killed, n,
           equivalent, rest - killed, rest > 0 ? 100.0 * (double)killed / (double)rest : 100, path);
    return killed * 100 < rest * WANTED_PERCENT;
}

/* Whether the text of an earlier results.tsv has the mutant as survived or unreached. */
static int survived_before(const char *results, const mutant *m) {
    char wanted[1000];
    snprintf(wanted, sizeof wanted, "\t%s\t%s\t%s\t%s\n", m->field[3], m->field[4], m->field[5],
             m->field[6]);
    for (const char *p = results; (p = strstr(p, wanted)) != NULL; p++) {
        const char *line = p;
        while (line > results && line[-1] != '\n')
            line--;
        char file[400];
        snprintf(file, sizeof file, "\t%s\t", m->field[1]);
        const char *at = strstr(line, file);
        if (strncmp(line, "killed", 6) != 0 && at != NULL && at < p)
            return 1;
    }
    return 0;
}

static int choose(state *s) {
    char path[400];
    size_t n = 0;
    char *before = s->survivors != NULL ? read_all(s->survivors, NULL) : NULL;
    mutant **chosen = calloc(s->mutants + 1, sizeof *chosen);
    for (size_t k = 0; k < s->mutants; k++)
        if (listed(s->only, s->mutant[k].field[1]) &&
            (before == NULL || survived_before(before, s->mutant + k)))
            chosen[n++] = s->mutant + k;
    free(before);
    qsort(chosen, n, sizeof *chosen, by_rank);
    if (s->sample > 0 && (size_t)s->sample < n)
        n = (size_t)s->sample;
    snprintf(path, sizeof path, "%s/mutants.tsv", s->tree);
    FILE *list = fopen(path, "w");
    snprintf(path, sizeof path, "%s/chosen", s->tree);
    FILE *numbers = fopen(path, "w");
    if (list == NULL || numbers == NULL)
        return fail("cannot write", path);
    for (size_t k = 0; k < n; k++) {
        fprintf(numbers, "%s %u %zu\n", chosen[k]->field[1], chosen[k]->id, k + 1);
        fprintf(list, "%zu", k + 1);
        for (int i = 1; i < FIELDS; i++)
            fprintf(list, "\t%s", chosen[k]->field[i]);
        fputc('\n', list);
    }
    free(chosen);
    printf("mutants: %zu of %zu drawn (seed %ld)\n", n, s->mutants, s->seed);
    return fclose(list) != 0 || fclose(numbers) != 0 ? fail("cannot write", path) : 0;
}

static int kill_all(state *s) {
    double began = now();
    mutant **chosen = calloc(s->mutants + 1, sizeof *chosen);
    if (!read_explained(s))
        return fail("six columns are wanted in", s->explained);
    for (long k = 0; k < s->jobs; k++)
        if (!make_folder(s, s->worker + k, (int)k))
            return fail("cannot make", s->worker[k].folder);
    find_tests(s);
    find_checks(s);
    printf("mutants: %zu, %zu tests and checks\n", s->mutants, s->items);
    record(s);
    printf("mutants: recorded in %.0f s\n", now() - began);
    for (size_t k = 0; k < s->mutants; k++)
        chosen[k] = s->mutant + k;
    hunt(s, chosen, s->mutants);
    return report(s, chosen, s->mutants, now() - began);
}

static const char usage[] = "usage: run choose|kill [--sample N] [--seed N] [-j N] [--only "
                            "PATTERNS] [--tests PATTERNS] [--slow S]\n"
                            "           [--survivors F] [--explained F] TREE\n";

/* A number from low to high and nothing behind it. */
static int number(const char *text, double low, double high, double *n) {
    char *end;
    *n = strtod(text, &end);
    return end != text && *end == '\0' && *n >= low && *n <= high;
}

static int whole(const char *text, long low, long high, long *n) {
    double x = 0;
    int ok =
        strspn(text, "0123456789") == strlen(text) && number(text, (double)low, (double)high, &x);
    *n = (long)x;
    return ok;
}

int main(int argc, char **argv) {
    static state s;
    s.sample = 0, s.seed = 1, s.jobs = 2, s.slow = 30;
    s.only = "*", s.tests = "*", s.explained = "/dev/null";
    int i = 2, choosing = argc > 1 && strcmp(argv[1], "choose") == 0;
    if (!choosing && (argc < 2 || strcmp(argv[1], "kill") != 0))
        return fail(usage, "");
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        const char *value = argv[i + 1];
        int ok = 1;
        if (strcmp(argv[i], "--sample") == 0)
            ok = whole(value, 0, 1000000000, &s.sample);
        else if (strcmp(argv[i], "--seed") == 0)
            ok = whole(value, 0, 1L << 53, &s.seed);
        else if (strcmp(argv[i], "-j") == 0)
            ok = whole(value, 1, JOBS, &s.jobs);
        else if (strcmp(argv[i], "--only") == 0)
            s.only = value;
        else if (strcmp(argv[i], "--tests") == 0)
            s.tests = value;
        else if (strcmp(argv[i], "--survivors") == 0)
            s.survivors = value, ok = is_file(value);
        else if (strcmp(argv[i], "--slow") == 0)
            ok = number(value, 0, 1e6, &s.slow);
        else if (strcmp(argv[i], "--explained") == 0)
            s.explained = value, ok = is_file(value);
        else
            return fail(usage, "");
        if (!ok) {
            fprintf(stderr, "mutants: %s %s: no such number or file\n", argv[i], value);
            return 2;
        }
    }
    if (i + 1 != argc)
        return fail(usage, "");
    char *tree = realpath(argv[i], NULL);
    if (tree == NULL || strlen(tree) >= sizeof s.tree)
        return fail(tree == NULL ? "no folder" : "too long a name:", argv[i]);
    strcpy(s.tree, tree);
    free(tree);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!read_mutants(&s, choosing ? "all.tsv" : "mutants.tsv"))
        return fail("no list of mutants in", s.tree);
    if (choosing)
        rank_mutants(&s);
    return choosing ? choose(&s) : kill_all(&s);
}

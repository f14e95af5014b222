/* Scheduling: fork and exec a unit, read its result from a pipe, enforce limits, never die with it. */
#include "reports/runner.h"
#include "numerics/exact/number.h"
#include "reports/gather.h"
#include "reports/stop.h"
#include "reports/text.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* The program's status for a fault of its own: a unit that aborts is ended by a signal instead. */
#define UNIT_NO_MEMORY 3

/* Seconds between looks at a process that closed its output. */
#define EXIT_INTERVAL 1e-3

/* A result longer than this is not a result. */
#define RESULT_LIMIT ((size_t)1 << 30)

double runner_budget(level l) {
    static const double seconds[] = {60, 1800, 6 * 3600};
    return seconds[l];
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- selection ---- */

static int selected(const run_options *o, const claim *c, const check *k) {
    char name[WORK_UNIT_NAME];
    if (o->patterns == 0)
        return !c->on_request;
    snprintf(name, sizeof name, "%s/%s", c->id, k->name);
    for (slong i = 0; i < o->patterns; i++)
        if (fnmatch(o->pattern[i], c->id, 0) == 0 || fnmatch(o->pattern[i], name, 0) == 0)
            return 1;
    return 0;
}

static int claim_selected(const run_options *o, const claim *c) {
    for (const check *k = c->checks; k->name != NULL; k++)
        if (selected(o, c, k))
            return 1;
    return 0;
}

static const setting *find_setting(const claim *c, const char *name) {
    for (const setting *s = c->settings; s->name != NULL; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static char *range_complaint(const run_setting *given, const setting *s) {
    text_buffer b;
    fmpq_t x, low, high;
    fmpq_init(x);
    fmpq_init(low);
    fmpq_init(high);
    const char *reason = exact_parse_rational(x, given->text);
    exact_parse_rational(low, s->low);
    exact_parse_rational(high, s->high);
    int below =
        fmpq_cmp(x, low)<(s->open_low ? 1 : 0), above = fmpq_cmp(x, high)>(s->open_high ? -1 : 0);
    char *complaint = NULL;
    text_init(&b);
    if (reason != NULL)
        text_printf(&b, "--set %s: \"%s\" is %s", given->name, given->text, reason);
    else if (s->whole && !fmpz_is_one(fmpq_denref(x)))
        text_printf(&b, "--set %s: %s is not a whole number", given->name, given->text);
    else if (below || above)
        text_printf(&b, "--set %s: %s is out of range; the %s must satisfy %s %s %s %s %s",
                    given->name, given->text, s->meaning, s->low, s->open_low ? "<" : "<=", s->name,
                    s->open_high ? "<" : "<=", s->high);
    if (b.length > 0)
        complaint = text_take(&b);
    else
        free(b.data);
    fmpq_clear(x);
    fmpq_clear(low);
    fmpq_clear(high);
    return complaint;
}

char *runner_complaint(const run_options *o) {
    text_buffer b;
    for (slong i = 0; i < o->patterns; i++) {
        run_options one = *o;
        one.patterns = 1;
        one.pattern = o->pattern + i;
        int any = 0;
        for (const claim *const *c = claim_registry; *c != NULL; c++)
            any |= claim_selected(&one, *c);
        if (!any) {
            text_init(&b);
            text_printf(&b, "no claim or check matches \"%s\"; mneme list names them",
                        o->pattern[i]);
            return text_take(&b);
        }
    }
    for (slong i = 0; i < o->settings; i++) {
        int known = 0;
        for (const claim *const *c = claim_registry; *c != NULL; c++) {
            const setting *s = claim_selected(o, *c) ? find_setting(*c, o->setting[i].name) : NULL;
            char *complaint = s != NULL ? range_complaint(o->setting + i, s) : NULL;
            if (complaint != NULL)
                return complaint;
            known |= s != NULL;
        }
        if (!known) {
            text_init(&b);
            text_printf(
                &b,
                "--set %s: no selected claim has a setting of that name; mneme show ID lists them",
                o->setting[i].name);
            return text_take(&b);
        }
    }
    return NULL;
}

/* ---- processes ---- */

typedef struct {
    pid_t pid;
    int pipe;
    slong unit;
    double deadline, started;
    text_buffer out;
    int timed_out;
    int status, ended; /* as waitpid() gave it, once it did */
} job;

static void limit_memory(const run_options *o) {
    slong mib = o->memory_limit > 0 ? o->memory_limit : o->level == LEVEL_QUICK ? 2048 : 8192;
    struct rlimit r;
    if (SANITIZED) /* their shadow memory is as large as the address space */
        return;
    r.rlim_cur = r.rlim_max = (rlim_t)mib << 20;
    setrlimit(RLIMIT_AS, &r);
    r.rlim_cur = r.rlim_max = 0;
    setrlimit(RLIMIT_CORE, &r);
}

static int start_job(job *j, const run_options *o, const char *self, const work_unit *u,
                     slong index) {
    char name[WORK_UNIT_NAME], seed[32];
    int ends[2];
    if (pipe(ends) != 0)
        return 0;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    work_unit_name(name, u);
    snprintf(seed, sizeof seed, "%lu", (unsigned long)o->seed);
    const char **argument = calloc((size_t)(16 + 2 * o->settings), sizeof *argument);
    char **assignment = calloc((size_t)o->settings + 1, sizeof *assignment);
    slong n = 0;
    argument[n++] = self;
    argument[n++] = "verify";
    argument[n++] = "--unit";
    argument[n++] = name;
    argument[n++] = "--level";
    argument[n++] = level_name(o->level);
    argument[n++] = "--seed";
    argument[n++] = seed;
    argument[n++] = "--data";
    argument[n++] = o->data;
    for (slong i = 0; i < o->settings; i++) {
        text_buffer b;
        if (find_setting(u->claim, o->setting[i].name) == NULL)
            continue;
        text_init(&b);
        text_printf(&b, "%s=%s", o->setting[i].name, o->setting[i].text);
        assignment[i] = text_take(&b);
        argument[n++] = "--set";
        argument[n++] = assignment[i];
    }
    pid_t pid = fork();
    if (pid == 0) {
        stop_child();
        signal(SIGPIPE, SIG_DFL);
        setpgid(0, 0);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a unit does not outlive a run that is killed */
#endif
        limit_memory(o);
        dup2(ends[1], STDOUT_FILENO);
        if (ends[1] != STDOUT_FILENO)
            close(ends[1]);
        execv("/proc/self/exe", (char *const *)(uintptr_t)argument);
        execv(self, (char *const *)(uintptr_t)argument);
        _exit(127);
    }
    close(ends[1]);
    for (slong i = 0; i < o->settings; i++)
        free(assignment[i]);
    free(assignment);
    free(argument);
    if (pid < 0) {
        close(ends[0]);
        return 0;
    }
    j->pid = pid;
    j->pipe = ends[0];
    j->unit = index;
    j->started = seconds_now();
    j->deadline = j->started + (o->time_limit > 0 ? o->time_limit : 4 * runner_budget(o->level));
    j->timed_out = j->status = j->ended = 0;
    text_init(&j->out);
    return 1;
}

/* Reads what there is; 1 at the end of the stream. */
static int drain(job *j) {
    char piece[65536];
    ssize_t n = read(j->pipe, piece, sizeof piece - 1);
    if (n > 0 && j->out.length < RESULT_LIMIT) {
        piece[n] = '\0';
        text_printf(&j->out, "%s", piece);
    }
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

/* The unit's JSON, or an object that says how the process ended instead. */
static json_t *finish_job(job *j) {
    json_error_t where;
    char message[160] = "";
    if (j->pipe >= 0)
        close(j->pipe);
    while (!j->ended && waitpid(j->pid, &j->status, 0) < 0 && errno == EINTR)
        continue;
    const int status = j->status;
    json_t *result = json_loads(j->out.data, 0, &where);
    free(j->out.data);
    if (j->timed_out)
        snprintf(message, sizeof message, "stopped after %.1f s: over its time limit",
                 seconds_now() - j->started);
    else if (WIFSIGNALED(status))
        snprintf(message, sizeof message, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == UNIT_NO_MEMORY)
        snprintf(message, sizeof message,
                 "ended for want of memory (--memory-limit gives it more)");
    else if (WEXITSTATUS(status) != 0)
        snprintf(message, sizeof message, "ended with exit status %d", WEXITSTATUS(status));
    else if (!json_is_true(json_object_get(result, "complete")))
        snprintf(message, sizeof message, "ended without a complete result");
    if (message[0] == '\0')
        return result;
    json_decref(result);
    result = json_object();
    json_object_set_new(result, "crash", json_string(message));
    json_object_set_new(result, "seconds", json_real(seconds_now() - j->started));
    return result;
}

static int by_cost(const void *a, const void *b) {
    const work_unit *u = a, *v = b;
    if (u->cost != v->cost)
        return u->cost < v->cost ? 1 : -1;
    char x[WORK_UNIT_NAME], y[WORK_UNIT_NAME];
    work_unit_name(x, u);
    work_unit_name(y, v);
    return strcmp(x, y);
}

static void show_progress(const run_options *o, slong done, slong all) {
    if (!o->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%ld of %ld%s", (long)done, (long)all, done == all ? "\r\033[K" : "");
}

/* Runs all units; result[i] := what unit i gave, or NULL if the run ended before. */
static int run_units(json_t **result, const work_unit *unit, slong count, const run_options *o,
                     const char *self) {
    slong jobs = FLINT_MIN(FLINT_MAX(o->jobs, 1), 256), running = 0, next = 0, done = 0;
    job *slot = calloc((size_t)jobs, sizeof *slot);
    struct pollfd *wait = calloc((size_t)jobs, sizeof *wait);
    int ok = 1;
    while ((next < count || running > 0) && ok) {
        while (running < jobs && next < count && !stop_wanted() && ok) {
            ok = start_job(slot + running, o, self, unit + next, next);
            if (ok) {
                running++;
                next++;
            }
        }
        if (stop_wanted() || !ok)
            break;
        double now = seconds_now(), soonest = now + 1e-3 * STOP_INTERVAL;
        for (slong i = 0; i < running; i++) {
            wait[i].fd = slot[i].pipe;
            wait[i].events = POLLIN;
            wait[i].revents = 0;
            soonest = fmin(soonest, slot[i].pipe < 0 ? now + EXIT_INTERVAL : slot[i].deadline);
        }
        poll(wait, (nfds_t)running, (int)FLINT_MAX(1, (soonest - now) * 1000 + 1));
        now = seconds_now();
        for (slong i = running - 1; i >= 0; i--) {
            job *j = slot + i;
            int ended = 0;
            if (now >= j->deadline && !j->timed_out) {
                j->timed_out = 1;
                kill(-j->pid, SIGKILL);
                kill(j->pid, SIGKILL);
                ended = 1;
            } else if (j->pipe < 0) {
                ended = j->ended = waitpid(j->pid, &j->status, WNOHANG) > 0;
            } else if (wait[i].revents != 0 && drain(j)) {
                /* nothing more comes; the process itself may still not end */
                close(j->pipe);
                j->pipe = -1;
                ended = j->ended = waitpid(j->pid, &j->status, WNOHANG) > 0;
            }
            if (ended) {
                result[j->unit] = finish_job(j);
                show_progress(o, ++done, count);
                slot[i] = slot[--running];
                wait[i] = wait[running];
            }
        }
    }
    for (slong i = 0; i < running; i++) {
        kill(-slot[i].pid, SIGKILL);
        kill(slot[i].pid, SIGKILL);
        json_decref(finish_job(slot + i));
    }
    free(slot);
    free(wait);
    return ok;
}

json_t *runner_verify(const run_options *o, const char *self, int *interrupted) {
    work_unit *unit = NULL;
    slong count = 0;
    double start = seconds_now();
    for (const claim *const *c = claim_registry; *c != NULL; c++) {
        slong before = count, kept;
        work_unit_plan(&unit, &count, *c, o->level, o->seed);
        kept = before;
        for (slong i = before; i < count; i++)
            if (selected(o, *c, unit[i].check))
                unit[kept++] = unit[i];
        count = kept;
    }
    qsort(unit, (size_t)count, sizeof *unit, by_cost);
    json_t **result = calloc((size_t)count + 1, sizeof *result);
    stop_defer();
    int ok = run_units(result, unit, count, o, self);
    int saved = errno;
    *interrupted = stop_wanted();
    json_t *report =
        ok ? gather_report(o, unit, result, count, *interrupted, seconds_now() - start) : NULL;
    for (slong i = 0; i < count; i++)
        json_decref(result[i]);
    free(result);
    flint_free(unit);
    errno = saved;
    return report;
}

#include "reports/slots.h"
#include "reports/text.h"

#include <errno.h>
#include <fcntl.h>
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

typedef struct {
    pid_t pid;
    int pipe;
    slong unit;
    double deadline, started;
    text_buffer out;
    int timed_out;
} job;

struct unit_slots {
    const run_options *options;
    const char *self;
    slong room, running;
    job *slot;
    struct pollfd *wait;
};

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
        if (plan_setting(u->claim, o->setting[i].name) == NULL)
            continue;
        text_init(&b);
        text_printf(&b, "%s=%s", o->setting[i].name, o->setting[i].text);
        assignment[i] = text_take(&b);
        argument[n++] = "--set";
        argument[n++] = assignment[i];
    }
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_IGN); /* the parent decides what an interrupt does */
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
    j->timed_out = 0;
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
    int status = 0;
    json_error_t where;
    char message[160] = "";
    close(j->pipe);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    json_t *result = json_loads(j->out.data, 0, &where);
    free(j->out.data);
    if (j->timed_out)
        snprintf(message, sizeof message, "stopped after %.1f s: over its time limit",
                 seconds_now() - j->started);
    else if (WIFSIGNALED(status))
        snprintf(message, sizeof message, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
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

unit_slots *slots_new(const run_options *o, slong room, const char *self) {
    unit_slots *s = calloc(1, sizeof *s);
    s->options = o;
    s->self = self;
    s->room = FLINT_MIN(FLINT_MAX(room, 1), 256);
    s->slot = calloc((size_t)s->room, sizeof *s->slot);
    s->wait = calloc((size_t)s->room, sizeof *s->wait);
    return s;
}

slong slots_running(const unit_slots *s) {
    return s->running;
}

int slots_free(const unit_slots *s) {
    return s->running < s->room;
}

int slots_start(unit_slots *s, const work_unit *u, slong index) {
    errno = 0;
    int ok = start_job(s->slot + s->running, s->options, s->self, u, index);
    s->running += ok;
    return ok ? 0 : errno;
}

static void end_job(job *j) {
    kill(-j->pid, SIGKILL);
    kill(j->pid, SIGKILL);
}

void slots_wait(unit_slots *s, double seconds,
                void (*done)(slong index, json_t *result, void *data), void *data) {
    double now = seconds_now(), until = now + seconds;
    for (slong i = 0; i < s->running; i++) {
        s->wait[i] = (struct pollfd){.fd = s->slot[i].pipe, .events = POLLIN};
        until = FLINT_MIN(until, s->slot[i].deadline);
    }
    poll(s->wait, (nfds_t)s->running, (int)FLINT_MAX(0, (until - now) * 1000 + 1));
    now = seconds_now();
    for (slong i = s->running - 1; i >= 0; i--) {
        job *j = s->slot + i;
        int ended = 0;
        if (now >= j->deadline) {
            j->timed_out = 1;
            end_job(j);
            ended = 1;
        } else if (s->wait[i].revents != 0) {
            ended = drain(j);
        }
        if (ended) {
            slong index = j->unit;
            json_t *result = finish_job(j);
            s->running--;
            s->slot[i] = s->slot[s->running];
            s->wait[i] = s->wait[s->running];
            done(index, result, data);
        }
    }
}

void slots_clear(unit_slots *s) {
    for (slong i = 0; i < s->running; i++) {
        end_job(s->slot + i);
        json_decref(finish_job(s->slot + i));
    }
    free(s->slot);
    free(s->wait);
    free(s);
}

/* Processes: a case each, so that a kernel that crashes or hangs is one failed case. */
#include "reports/regress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    pid_t pid;
    int pipe;
    size_t index, got;
    double started;
    char *data; /* rows as they come in */
} job;

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool write_whole(int to, const void *data, size_t n) {
    const char *p = data;
    while (n > 0) {
        ssize_t done = write(to, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done, n -= (size_t)done;
    }
    return true;
}

/* The child: rows, whole, over the pipe. */
static void work(int to, const regress_case *c, regress_selection selection,
                 const regress_library *library, double limit) {
    static regress_row rows[REGRESS_ROWS];
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    signal(SIGALRM, SIG_DFL);
    alarm((unsigned)limit + 1);
    int n = regress_run(rows, c, selection, library);
    _exit(write_whole(to, rows, (size_t)n * sizeof *rows) ? 0 : 1);
}

static int start(job *j, const regress_result *r, size_t index, regress_selection selection,
                 const regress_library *library, double limit) {
    int ends[2];
    *j = (job){.index = index, .started = seconds_now(), .data = malloc(sizeof r->row)};
    if (!j->data || pipe(ends) != 0) {
        free(j->data);
        return errno ? errno : ENOMEM;
    }
    j->pid = fork();
    if (j->pid == 0) {
        close(ends[0]);
        work(ends[1], &r->c, selection, library, limit);
    }
    int error = errno;
    close(ends[1]);
    j->pipe = ends[0];
    if (j->pid < 0) {
        close(ends[0]);
        free(j->data);
        return error;
    }
    return 0;
}

static void finish(job *j, regress_result *r, double limit) {
    int status = 0;
    close(j->pipe);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    r->seconds = seconds_now() - j->started;
    r->crash[0] = '\0', r->rows = 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(r->crash, sizeof r->crash, "stopped after %.0f s: over its time limit", limit);
    else if (WIFSIGNALED(status))
        snprintf(r->crash, sizeof r->crash, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        snprintf(r->crash, sizeof r->crash, "ended with exit status %d", WEXITSTATUS(status));
    else if (j->got == 0 || j->got % sizeof *r->row != 0)
        snprintf(r->crash, sizeof r->crash, "ended without a result");
    if (r->crash[0] == '\0') {
        r->rows = (int)(j->got / sizeof *r->row);
        memcpy(r->row, j->data, j->got);
    }
    free(j->data);
}

/* Reads what there is; true at the end of the stream. */
static bool drain(job *j, size_t room) {
    ssize_t n = read(j->pipe, j->data + j->got, room - j->got);
    if (n > 0)
        j->got += (size_t)n;
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

/* What takes longest begins first. */
static double cost(const regress_case *c) {
    const inputs_shape *s = &c->shape;
    double t = (double)s->time, d = (double)(s->dk + s->dv),
           heads = (double)(s->batch * (s->heads ? s->heads : 1));
    bool recurrence = c->kind->kernel == MN_DELTA || c->kind->kernel == MN_VLA;
    return heads * t * (recurrence ? d * d : (t + (double)s->past) * d);
}

typedef struct {
    size_t index;
    double cost;
} order;
static int by_cost(const void *a, const void *b) {
    const order *x = a, *y = b;
    return x->cost != y->cost ? (x->cost < y->cost) - (x->cost > y->cost)
                              : (x->index > y->index) - (x->index < y->index);
}

int regress_execute(regress_result *results, size_t count, regress_selection selection,
                    const regress_library *library, long jobs, double limit) {
    size_t slots = (size_t)(jobs < 1 ? 1 : jobs > 256 ? 256 : jobs), running = 0, next = 0, done = 0;
    job *slot = calloc(slots, sizeof *slot);
    struct pollfd *wait = calloc(slots, sizeof *wait);
    order *queue = calloc(count + 1, sizeof *queue);
    int error = slot && wait && queue ? 0 : ENOMEM;
    bool progress = isatty(STDERR_FILENO);
    for (size_t i = 0; i < count && !error; i++)
        queue[i] = (order){i, cost(&results[i].c)};
    if (!error)
        qsort(queue, count, sizeof *queue, by_cost);
    fflush(NULL);
    while (!error && (next < count || running > 0)) {
        for (; running < slots && next < count && !error; next++) {
            size_t i = queue[next].index;
            error = start(slot + running, results + i, i, selection, library, limit);
            running += !error;
        }
        for (size_t i = 0; i < running; i++)
            wait[i] = (struct pollfd){.fd = slot[i].pipe, .events = POLLIN};
        if (running > 0)
            poll(wait, (nfds_t)running, -1);
        for (size_t i = running; i-- > 0;) {
            if (wait[i].revents == 0 || !drain(slot + i, sizeof results->row))
                continue;
            finish(slot + i, results + slot[i].index, limit);
            slot[i] = slot[--running];
            if (progress)
                fprintf(stderr, "\r%zu of %zu%s", ++done, count, done == count ? "\r\033[K" : "");
        }
    }
    for (size_t i = 0; i < running; i++) {
        kill(slot[i].pid, SIGKILL);
        finish(slot + i, results + slot[i].index, limit);
    }
    free(slot), free(wait), free(queue);
    return error;
}

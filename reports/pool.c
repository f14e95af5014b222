#include "reports/pool.h"
#include "reports/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
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
    char *out; /* [room + 1] */
} job;

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool write_whole(int to, const char *p, size_t n) {
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

static void child(const pool_jobs *p, job *j, int to) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* does not outlive a run that is killed */
#endif
    stop_child();
    signal(SIGALRM, SIG_DFL);
    alarm((unsigned)p->limit + 1);
    size_t n = p->work(j->index, j->out, p->data);
    _exit(write_whole(to, (const char *)&n, sizeof n) && write_whole(to, j->out, n) ? 0 : 1);
}

/* The result is preceded by its length: a process that ends early is not taken for done. */
static int start(job *j, const pool_jobs *p, size_t index) {
    int ends[2];
    *j = (job){
        .index = index, .started = seconds_now(), .out = malloc(p->room + sizeof(size_t) + 1)};
    if (!j->out)
        return ENOMEM;
    if (pipe(ends) != 0) {
        free(j->out);
        return errno;
    }
    j->pid = fork();
    if (j->pid == 0) {
        close(ends[0]);
        child(p, j, ends[1]);
    }
    int error = errno;
    close(ends[1]);
    j->pipe = ends[0];
    if (j->pid > 0)
        return 0;
    close(ends[0]);
    free(j->out);
    return error;
}

static void finish(job *j, const pool_jobs *p, bool report) {
    char crash[120] = "";
    int status = 0;
    size_t bytes = 0;
    close(j->pipe);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (j->got >= sizeof bytes)
        memcpy(&bytes, j->out, sizeof bytes);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(crash, sizeof crash, "stopped after %.0f s: over its time limit", p->limit);
    else if (WIFSIGNALED(status))
        snprintf(crash, sizeof crash, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        snprintf(crash, sizeof crash, "ended with exit status %d", WEXITSTATUS(status));
    else if (j->got < sizeof bytes || j->got != bytes + sizeof bytes)
        snprintf(crash, sizeof crash, "ended without a complete result");
    if (report)
        p->done(j->index, j->out + sizeof bytes, crash[0] ? 0 : bytes, seconds_now() - j->started,
                crash[0] ? crash : NULL, p->data);
    free(j->out);
}

/* Reads what there is; true at the end of the stream. */
static bool drain(job *j, size_t room) {
    size_t left = room + sizeof(size_t) + 1 - j->got;
    ssize_t n = read(j->pipe, j->out + j->got, left);
    if (n > 0)
        j->got += (size_t)n;
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
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

int pool_run(const pool_jobs *p, size_t count, const double *cost, long at_once) {
    size_t slots = (size_t)(at_once < 1     ? 1
                            : at_once > 256 ? 256
                                            : at_once),
           running = 0, next = 0, done = 0;
    job *slot = calloc(slots, sizeof *slot);
    struct pollfd *wait = calloc(slots, sizeof *wait);
    order *queue = calloc(count + 1, sizeof *queue);
    int error = slot && wait && queue ? 0 : ENOMEM;
    bool progress = isatty(STDERR_FILENO);
    for (size_t i = 0; i < count && !error; i++)
        queue[i] = (order){i, cost[i]};
    if (!error)
        qsort(queue, count, sizeof *queue, by_cost);
    fflush(NULL);
    stop_defer();
    while (!error && !stop_wanted() && (next < count || running > 0)) {
        for (; running < slots && next < count && !error; next++) {
            error = start(slot + running, p, queue[next].index);
            running += !error;
        }
        for (size_t i = 0; i < running; i++)
            wait[i] = (struct pollfd){.fd = slot[i].pipe, .events = POLLIN};
        if (running > 0 && !error)
            poll(wait, (nfds_t)running, STOP_INTERVAL);
        for (size_t i = error ? 0 : running; i-- > 0;) {
            if (wait[i].revents == 0 || !drain(slot + i, p->room))
                continue;
            finish(slot + i, p, true);
            slot[i] = slot[--running];
            done++;
            if (progress)
                fprintf(stderr, "\r%zu of %zu%s", done, count, done == count ? "\r\033[K" : "");
        }
    }
    for (size_t i = 0; i < running; i++) {
        kill(slot[i].pid, SIGKILL);
        finish(slot + i, p, false);
    }
    free(slot), free(wait), free(queue);
    return error;
}

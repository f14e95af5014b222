#include "reports/ranks.h"
#include "reports/stop.h"
#include "reports/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

enum { STATUS_LOST = 3 };

static volatile sig_atomic_t ward, passed_on;
static int to_guard = -1;

static void pass_on(int number) {
    passed_on = 1;
    kill((pid_t)ward, number);
}

/* The rank writes its number first, then a byte now and then; at the end of the stream it is left in peace. */
static int watch(int from_rank, double lease) {
    char text[64];
    int rank = -1, status;
    double silence = 0;
    for (int open = 1; open;) {
        struct pollfd p = {.fd = from_rank, .events = POLLIN};
        int ready =
            poll(&p, 1, 250); /* counted, not timed: a pause of the whole job is nobody's silence */
        ssize_t n = ready > 0 ? read(from_rank, text, sizeof text) : 0;
        if (n > 0 && rank < 0)
            rank = text[0] == '0' ? 0 : 1;
        silence = n > 0 || rank < 0 ? 0 : silence + (ready == 0 ? 0.25 : 0);
        open = !(ready > 0 && (n == 0 || (n < 0 && errno != EINTR)));
        if (silence > lease) {
            fprintf(stderr, "mneme verify: a rank was silent for %g s and is ended\n", lease);
            kill((pid_t)ward, SIGKILL);
            open = 0;
        }
    }
    while (waitpid((pid_t)ward, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (passed_on) /* mpirun ends the job */
        return 128 + WTERMSIG(status);
    fprintf(stderr, "mneme verify: a rank%s ended by signal %d (%s)\n",
            rank == 0 ? ", the first," : "", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return rank > 0 ? 0 : STATUS_LOST;
}

static void alive(void) {
    static double last;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (now - last > 0.1 && write(to_guard, ".", 1) == 1)
        last = now;
}

static void (*close_link)(int together);

/* Nobody watches the rank from here on. */
static void close_and_rest(int together) {
    close_link(together);
    close(to_guard);
    to_guard = -1;
    kill(getppid(), SIGCONT); /* a guard that was stopped would keep mpirun waiting */
}

/* The module beside the program: build/bin and build/lib, PREFIX/bin and PREFIX/lib. */
static transport *load(const char *program, char **complaint) {
    char self[PATH_MAX], *slash;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0)
        self[n] = '\0';
    else if (realpath(program, self) == NULL)
        self[0] = '\0';
    slash = strrchr(self, '/');
    text_buffer path;
    text_init(&path);
    text_printf(&path, "%.*s/../lib/mneme-mpi.so", slash != NULL ? (int)(slash - self) : 0, self);
    transport *t = NULL;
    transport_open open = NULL;
    void *module =
        dlopen(path.data, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's own modules look for its names */
    if (module != NULL)
        *(void **)&open = dlsym(module, TRANSPORT_OPEN);
    if (open != NULL)
        t = open();
    text_buffer b;
    text_init(&b);
    if (module == NULL)
        text_printf(
            &b,
            "--mpi: this program was built without MPI (\"make deps-mpi\", then make again): %s",
            dlerror());
    else if (t == NULL)
        text_printf(&b, "--mpi: MPI does not start; mpirun -np N mneme verify --mpi is wanted");
    free(path.data);
    if (t == NULL)
        *complaint = text_take_line(&b);
    else
        free(b.data);
    return t;
}

const transport *ranks_start(double lease, const char *program, char **complaint) {
    int ends[2];
    *complaint = NULL;
    if (pipe(ends) != 0) {
        *complaint = strdup(strerror(errno));
        return NULL;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) {
        *complaint = strdup(strerror(errno));
        return NULL;
    }
    if (pid > 0) {
        close(ends[1]);
        ward = pid;
        signal(SIGINT, pass_on);
        signal(SIGTERM, pass_on);
        signal(SIGHUP, pass_on);
        exit(watch(ends[0], lease));
    }
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    stop_child();
    signal(SIGINT, SIG_DFL); /* but for the first rank, which looks whether it is to stop */
    close(ends[0]);
    transport *t = load(program, complaint);
    if (t == NULL)
        return NULL;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    to_guard = ends[1];
    if (write(to_guard, t->rank == 0 ? "0" : "1", 1) != 1) {
        *complaint = strdup(strerror(errno));
        return NULL;
    }
    t->alive = alive;
    close_link = t->close;
    t->close = close_and_rest;
    return t;
}

/* Running programs from tests: exit status, output and messages of a shell command. */
#ifndef PROCESS_H
#define PROCESS_H

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MNEME "build/bin/mneme"
#define FAULTY "build/tests/mneme-faulty"

typedef struct {
    int status;      /* exit status, or 128 + signal */
    char *out, *err; /* what was written; free with result_clear */
} run_result;

static inline char *slurp(const char *path) {
    FILE *in = fopen(path, "rb");
    size_t room = 1 << 16, n = 0;
    char *data = malloc(room + 1);
    while (in != NULL) {
        n += fread(data + n, 1, room - n, in);
        if (n < room)
            break;
        room *= 2;
        data = realloc(data, room + 1);
    }
    if (in != NULL)
        fclose(in);
    data[n] = '\0';
    return data;
}

/* A command that runs meanwhile: start() it, perhaps kill() its pid, finish() it. */
typedef struct {
    pid_t pid; /* the command's own, where it is one program */
    char out[64], err[64];
} started;

/* "sh -c" on the command, in a process group of its own, with standard input empty; signals are as
   an interactive shell leaves them. */
static inline started start_command(const char *command) {
    static int number;
    started s;
    snprintf(s.out, sizeof s.out, "build/tests/out.%ld.%d", (long)getpid(), number);
    snprintf(s.err, sizeof s.err, "build/tests/err.%ld.%d", (long)getpid(), number++);
    fflush(NULL);
    s.pid = fork();
    if (s.pid == 0) {
        static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGQUIT};
        setpgid(0, 0);
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            signal(signals[i], SIG_DFL);
        if (freopen("/dev/null", "r", stdin) != NULL && freopen(s.out, "w", stdout) != NULL &&
            freopen(s.err, "w", stderr) != NULL)
            execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return s;
}

static inline run_result finish(const started *s) {
    int status = 127 << 8;
    waitpid(s->pid, &status, 0);
    run_result r;
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    r.out = slurp(s->out);
    r.err = slurp(s->err);
    unlink(s->out);
    unlink(s->err);
    return r;
}

__attribute__((format(printf, 1, 2))) static inline started start(const char *format, ...) {
    char command[4096] = "exec "; /* a signal is for the program, not for a shell around it */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + 5, sizeof command - 5, format, arguments);
    va_end(arguments);
    return start_command(command);
}

/* Runs "sh -c" on the formatted command, with standard input empty. */
__attribute__((format(printf, 1, 2))) static inline run_result run(const char *format, ...) {
    char command[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    started s = start_command(command);
    return finish(&s);
}

static inline void result_clear(run_result *r) {
    free(r->out);
    free(r->err);
}

static inline int line_count(const char *text) {
    int n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* A copy, in the new folder dir, of one quick run of all claims, which the tests of one `make test`
   share: verify.json, junit.xml, w/ (witnesses), series/ and said (its output); its status. */
static inline int quick_run(const char *dir) {
    run_result r =
        run("q=build/tests/quick; f=$(command -v flock) && f=\"flock $q.lock\"; "
            "mkdir -p build/tests && $f sh -c 'test $0/status -nt " MNEME
            " && exit; rm -rf $0; mkdir -p $0 && " MNEME " verify -j 2 --json $0/verify.json "
            "--junit $0/junit.xml --witnesses $0/w --series $0/series > $0/said 2>&1; "
            "echo $? > $0/status' $q && rm -rf %s && cp -R $q %s && s=$(cat $q/status) && "
            "{ [ $s = 0 ] || cat $q/said; exit $s; }",
            dir, dir);
    if (r.status != 0)
        fprintf(stderr, "%s%s", r.out, r.err);
    int status = r.status;
    result_clear(&r);
    return status;
}

#endif

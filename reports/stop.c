#include "reports/stop.h"
#include "numerics/accuracy/file.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static const char *farewell = "";
static pthread_t main_thread;
static volatile sig_atomic_t installed, deferred, noted;
static struct timespec noted_at;

/* Whether this is the first signal, or the same one delivered twice (to a process and to its group). */
static int to_be_noted(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!deferred)
        return 0;
    if (!noted) {
        noted_at = now;
        noted = 1;
        return 1;
    }
    return now.tv_sec - noted_at.tv_sec < (now.tv_nsec < noted_at.tv_nsec ? 2 : 1);
}

/* On the main thread, which alone opens outputs: what it was doing with them stands still. */
static void on_signal(int number) {
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
        return;
    }
    if (to_be_noted())
        return;
    output_remove_all();
    ssize_t said = write(STDERR_FILENO, farewell, strlen(farewell));
    (void)said;
    _exit(STOP_STATUS);
}

void stop_install(const char *line) {
    struct sigaction act, old;
    farewell = line;
    main_thread = pthread_self();
    memset(&act, 0, sizeof act);
    act.sa_handler = on_signal;
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&act.sa_mask, signals[i]);
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &act, NULL);
    installed = 1;
}

void stop_defer(void) {
    if (!installed)
        stop_install(farewell);
    deferred = 1;
}

int stop_wanted(void) {
    return noted;
}

void stop_child(void) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    installed = 0;
}

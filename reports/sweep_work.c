/* What the ranks of a sweep do, but for the first. */
#include "reports/journal.h"
#include "reports/slots.h"
#include "reports/sweep.h"
#include "reports/sweep_orders.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    const transport *link;
    const work_unit *unit;
    double spoke;
} worker;

static void say(worker *w, int tag, const char *text) {
    w->link->send(0, tag, text, strlen(text));
    w->spoke = seconds_now();
}

static void worker_done(slong i, json_t *result, void *data) {
    worker *w = data;
    json_t *entry = journal_entry(w->unit + i, result);
    char *text = json_dumps(entry, JSON_COMPACT | JSON_REAL_PRECISION(17));
    say(w, ENTRY, text);
    free(text);
    json_decref(entry);
}

/* The next message of rank 0, or NULL after so many seconds. */
static char *next_order(const worker *w, double seconds, int *tag) {
    int from;
    size_t length;
    char *data;
    if (w->link->receive(&from, tag, &data, &length))
        return data;
    struct timespec wait = {0, (long)(seconds * 1e9)};
    if (seconds > 0)
        nanosleep(&wait, NULL);
    return NULL;
}

static void wait_for(const worker *w, int wanted, char **data) {
    int tag = 0;
    for (;;) {
        w->link->alive();
        *data = next_order(w, 0.005, &tag);
        if (*data != NULL && tag == wanted)
            return;
        free(*data);
    }
}

/* What rank 0 runs must be what this rank would run; a line for the user, or NULL. */
static char *other_plan(const char *hello, const run_options *o, const work_unit *unit,
                        slong count) {
    json_error_t where;
    json_t *theirs = json_loads(hello, 0, &where), *ours = journal_identity(o, unit, count);
    char *difference = journal_difference(theirs, ours);
    json_decref(theirs);
    json_decref(ours);
    return difference;
}

void sweep_work(const run_options *o, const sweep_options *how, const char *self) {
    worker w = {.link = how->link, .spoke = seconds_now()};
    slong count, wanted = 0, jobs = FLINT_MAX(o->jobs, 1);
    char *data, *defect;
    int tag = 0;
    wait_for(&w, HELLO, &data);
    w.unit = plan_units(o, &count);
    defect = other_plan(data, o, w.unit, count);
    free(data);
    if (defect != NULL)
        say(&w, REFUSE, defect);
    free(defect);
    unit_slots *slots = slots_new(o, jobs, self);
    while (tag != END) {
        for (; defect == NULL && slots_running(slots) + wanted < jobs; wanted++)
            say(&w, WANT, "");
        slots_wait(slots, 0.005, worker_done, &w);
        w.link->alive();
        if (seconds_now() - w.spoke > how->lease / 5)
            say(&w, BEAT, "");
        while (tag != END && (data = next_order(&w, 0, &tag)) != NULL) {
            slong i = strtol(data, NULL, 10);
            int error = tag == UNIT ? slots_start(slots, w.unit + i, i) : 0;
            wanted -= tag == UNIT;
            if (error != 0)
                say(&w, REFUSE, strerror(error));
            free(data);
        }
    }
    slots_clear(slots);
    say(&w, BYE, "");
    wait_for(&w, CLOSE, &data);
    w.link->close(data[0] == '1');
    free(data);
    flint_free((void *)(uintptr_t)w.unit);
}

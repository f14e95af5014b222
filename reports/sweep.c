#include "reports/sweep.h"
#include "reports/journal.h"
#include "reports/json_codec.h"
#include "reports/slots.h"
#include "reports/sweep_orders.h"
#include "reports/text.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAITING, RUNNING, DONE };

/* What rank 0 knows of another. */
typedef struct {
    slong wants;    /* units it has asked for */
    double silence; /* seconds since it last spoke */
    int lost, gone; /* silent for too long; has said BYE */
} rank_state;

typedef struct {
    sweep *s;
    const run_options *options;
    const sweep_options *how;
    const transport *link;
    unit_slots *slots;
    journal *journal;
    char *state;       /* [count] */
    int *holder;       /* rank that runs it, [count] */
    rank_state *other; /* [size] */
    slong left;        /* units of the shard that are not done */
    double clock;
    int failed; /* SWEEP_... */
    char *complaint;
} leader;

static volatile sig_atomic_t stop_signal;

static void on_signal(int number) {
    stop_signal = number;
}

static struct sigaction old_action[3];
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static void catch_signals(void) {
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_handler = on_signal;
    stop_signal = 0;
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &act, old_action + i);
}

static void release_signals(void) {
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], old_action + i, NULL);
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(leader *l, int how, char *complaint) {
    if (l->failed == SWEEP_DONE) {
        l->failed = how;
        l->complaint = complaint;
    } else {
        free(complaint);
    }
}

__attribute__((format(printf, 1, 2))) static char *sentence(const char *format, ...) {
    char line[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return strdup(line);
}

static void show_progress(const leader *l) {
    slong all = l->s->kept + l->s->run + l->left, done = all - l->left;
    if (!l->options->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%ld of %ld%s", (long)done, (long)all, done == all ? "\r\033[K" : "");
}

/* The first result of a unit is kept; a second one, from a rank that was given up, says the same. */
static void record(leader *l, slong i, json_t *entry) {
    if (l->state[i] == DONE) {
        json_decref(entry);
        return;
    }
    int error = l->journal != NULL ? journal_append(l->journal, entry) : 0;
    if (error != 0)
        fail(l, SWEEP_REFUSED, sentence("cannot write %s: %s", l->how->journal, strerror(error)));
    l->s->entry[i] = entry;
    l->state[i] = DONE;
    l->s->run++;
    l->left--;
    show_progress(l);
}

static void local_done(slong i, json_t *result, void *data) {
    leader *l = data;
    record(l, i, journal_entry(l->s->unit + i, result));
}

static slong next_unit(const leader *l) {
    for (slong i = 0; i < l->s->count; i++)
        if (l->s->mine[i] && l->state[i] == WAITING)
            return i;
    return -1;
}

/* ---- rank 0 and the others ---- */

static void lease_units(leader *l) {
    for (int r = 1; r < l->link->size; r++)
        for (slong i; !l->other[r].lost && l->other[r].wants > 0 && (i = next_unit(l)) >= 0;
             l->other[r].wants--) {
            char text[32];
            snprintf(text, sizeof text, "%ld", (long)i);
            l->link->send(r, UNIT, text, strlen(text));
            l->state[i] = RUNNING;
            l->holder[i] = r;
        }
}

static void hear_entry(leader *l, int rank, const char *text, size_t length) {
    json_error_t where;
    json_t *entry = json_loadb(text, length, 0, &where);
    slong i = plan_find(l->s->unit, l->s->count, json_text(entry, "unit"));
    if (i >= 0 && l->s->mine[i])
        record(l, i, entry);
    else {
        json_decref(entry);
        fail(l, SWEEP_FAULT, sentence("rank %d sent what is no result", rank));
    }
}

static void listen_to_ranks(leader *l) {
    int from, tag;
    char *data;
    size_t length;
    while (l->link->receive(&from, &tag, &data, &length)) {
        rank_state *r = l->other + from;
        r->silence = 0;
        r->lost = 0;
        if (tag == WANT)
            r->wants++;
        else if (tag == ENTRY)
            hear_entry(l, from, data, length);
        else if (tag == REFUSE)
            fail(l, SWEEP_REFUSED, sentence("rank %d: %s", from, data));
        else if (tag == BYE)
            r->gone = 1;
        free(data);
    }
}

/* A pause of this process itself, or of the whole job, is nobody's silence. */
static void give_up_silent(leader *l) {
    double now = seconds_now(), passed = FLINT_MIN(now - l->clock, 0.5);
    l->clock = now;
    for (int r = 1; r < l->link->size; r++) {
        rank_state *other = l->other + r;
        other->silence += other->gone || other->lost ? 0 : passed;
        if (other->lost || other->silence <= l->how->lease)
            continue;
        other->lost = 1;
        slong units = 0;
        for (slong i = 0; i < l->s->count; i++)
            if (l->state[i] == RUNNING && l->holder[i] == r) {
                l->state[i] = WAITING;
                units++;
            }
        fprintf(
            stderr,
            "mneme verify: rank %d is silent for %g s and given up; units to be run again: %ld\n",
            r, l->how->lease, (long)units);
    }
}

static void attend(leader *l) {
    l->link->alive();
    listen_to_ranks(l);
    give_up_silent(l);
}

static void greet(leader *l, const json_t *identity) {
    char *text = json_dumps(identity, JSON_COMPACT);
    for (int r = 1; r < l->link->size; r++)
        l->link->send(r, HELLO, text, strlen(text));
    free(text);
}

/* Everybody closes together, or, where a rank is missing, everybody alone. */
static void dismiss(leader *l) {
    int waiting = 1, together = 1;
    double until = stop_signal ? seconds_now() + 1 : HUGE_VAL;
    for (int r = 1; r < l->link->size; r++)
        l->link->send(r, END, "", 0);
    while (waiting && seconds_now() < until) {
        struct timespec wait = {0, 5000000};
        nanosleep(&wait, NULL);
        attend(l);
        waiting = 0;
        for (int r = 1; r < l->link->size; r++)
            waiting |= !l->other[r].gone && !l->other[r].lost;
    }
    for (int r = 1; r < l->link->size; r++)
        together &= l->other[r].gone;
    for (int r = 1; r < l->link->size; r++)
        l->link->send(r, CLOSE, together ? "1" : "0", 1);
    l->link->close(together);
}

/* ---- the run ---- */

static void run_plan(leader *l) {
    int alone = l->link == NULL;
    while (l->left > 0 && !stop_signal && l->failed == SWEEP_DONE) {
        for (slong i; slots_free(l->slots) && (i = next_unit(l)) >= 0;) {
            int error = slots_start(l->slots, l->s->unit + i, i);
            if (error != 0) {
                fail(l, SWEEP_FAULT, sentence("cannot start a process: %s", strerror(error)));
                break;
            }
            l->state[i] = RUNNING;
            l->holder[i] = 0;
        }
        if (!alone)
            lease_units(l);
        slots_wait(l->slots, alone ? 1 : 0.005, local_done, l);
        if (!alone)
            attend(l);
    }
}

/* What the journal holds is kept, but for crashes. */
static void take_over(leader *l) {
    sweep *s = l->s;
    for (slong i = 0; i < s->count; i++) {
        if (s->mine[i] && s->entry[i] != NULL && journal_crash(s->entry[i]) != NULL) {
            json_decref(s->entry[i]);
            s->entry[i] = NULL;
        }
        l->state[i] = s->entry[i] != NULL ? DONE : WAITING;
        s->kept += s->mine[i] && s->entry[i] != NULL;
        l->left += s->mine[i] && s->entry[i] == NULL;
    }
}

int sweep_run(sweep *s, const run_options *o, const sweep_options *w, const char *self,
              char **complaint) {
    leader l = {.s = s, .options = o, .how = w, .link = w->link};
    double start = seconds_now();
    memset(s, 0, sizeof *s);
    s->unit = plan_units(o, &s->count);
    s->entry = calloc((size_t)s->count + 1, sizeof *s->entry);
    s->mine = calloc((size_t)s->count + 1, sizeof *s->mine);
    l.state = calloc((size_t)s->count + 1, sizeof *l.state);
    l.holder = calloc((size_t)s->count + 1, sizeof *l.holder);
    l.other = calloc(l.link != NULL ? (size_t)l.link->size : 1, sizeof *l.other);
    slong *shard = calloc((size_t)s->count + 1, sizeof *shard);
    plan_shards(shard, s->unit, s->count, FLINT_MAX(w->shards, 1));
    for (slong i = 0; i < s->count; i++)
        s->mine[i] = shard[i] == w->shard;
    free(shard);
    json_t *identity = journal_identity(o, s->unit, s->count);
    if (w->journal != NULL) {
        l.journal = journal_open(w->journal, identity, s->unit, s->count, s->entry, &l.complaint);
        l.failed = l.journal == NULL ? SWEEP_REFUSED : SWEEP_DONE;
    }
    if (l.failed == SWEEP_DONE) {
        take_over(&l);
        l.slots = slots_new(o, o->jobs, self);
        l.clock = start;
        catch_signals();
        if (l.link != NULL)
            greet(&l, identity);
        run_plan(&l);
        slots_clear(l.slots);
        if (l.link != NULL && l.failed != SWEEP_FAULT)
            dismiss(&l);
        release_signals();
        s->interrupted = stop_signal != 0;
    }
    journal_close(l.journal);
    json_decref(identity);
    free(l.state);
    free(l.holder);
    free(l.other);
    s->seconds = seconds_now() - start;
    *complaint = l.complaint;
    return l.failed;
}

void sweep_clear(sweep *s) {
    for (slong i = 0; i < s->count; i++)
        json_decref(s->entry[i]);
    free(s->entry);
    free(s->mine);
    flint_free(s->unit);
    memset(s, 0, sizeof *s);
}

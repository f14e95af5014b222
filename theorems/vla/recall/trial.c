/* vla.recall: one trial of a memory in double precision, and means with intervals. */
#include "theorems/statistics.h"
#include "theorems/vla/recall/recall.h"

#include <math.h>
#include <string.h>

enum { W = RECALL_WIDTH };

static double dot(const double *x, const double *y, slong d) {
    double s = 0;
    for (slong i = 0; i < d; i++)
        s += x[i] * y[i];
    return s;
}

static void normalise(double *x, slong d) {
    double s = sqrt(dot(x, x, d));
    for (slong i = 0; i < d; i++)
        x[i] /= s;
}

void recall_draw_key(double *key, double *raw, recall_keys keys, slong d, exact_random *r) {
    for (slong i = 0; i < d; i++) {
        raw[i] = statistics_normal(r);
        key[i] = keys == KEYS_FEATURES ? (raw[i] > 0 ? raw[i] + 1 : exp(raw[i])) : raw[i];
    }
    normalise(key, d);
}

void recall_orthonormalise(double *key, slong n, slong d) { /* Gram and Schmidt, twice */
    for (slong t = 0; t < n; t++)
        for (int again = 0; again < 2; again++) {
            double *here = key + t * d;
            for (slong s = t / d * d; s < t; s++) {
                double q = dot(key + s * d, here, d);
                for (slong i = 0; i < d; i++)
                    here[i] -= q * key[s * d + i];
            }
            normalise(here, d);
        }
}

typedef struct {
    double state[W][W], inverse[W][W], weights[W][W];
} memory_state;

static void absorb(memory_state *m, const double *u, slong d) {
    double z[W], pivot;
    for (slong i = 0; i < d; i++)
        z[i] = dot(m->inverse[i], u, d);
    pivot = 1 + dot(u, z, d);
    for (slong i = 0; i < d; i++)
        for (slong j = 0; j < d; j++)
            m->inverse[i][j] -= z[i] * z[j] / pivot;
}

static void token(memory_state *m, const recall_setup *p, const double *key, const double *raw,
                  const double *value) {
    slong d = p->d;
    double a[W], u[W];
    memcpy(a, key, sizeof a);
    if (p->memory == RECALL_VLA) {
        for (slong i = 0; i < d; i++)
            u[i] = p->penalty == PENALTY_ALONG_KEY ? key[i] : dot(m->weights[i], raw, d);
        normalise(u, d);
        for (slong i = 0; i < d; i++)
            u[i] *= p->penalty == PENALTY_NONE ? 0 : 1 / sqrt((double)d);
        absorb(m, u, d);
        for (slong i = 0; i < d; i++)
            a[i] = dot(m->inverse[i], key, d);
        normalise(a, d);
    }
    for (slong i = 0; i < d; i++) {
        double r = value[i] - (p->memory == RECALL_LINEAR ? 0 : dot(m->state[i], key, d));
        for (slong j = 0; j < d; j++)
            m->state[i][j] += r * a[j];
    }
}

recall_result recall_trial(const recall_setup *p, exact_random *r) {
    static double key[RECALL_TOKENS][W], raw[RECALL_TOKENS][W], value[RECALL_TOKENS][W];
    memory_state m;
    slong d = p->d, n = p->pairs;
    memset(&m, 0, sizeof m);
    for (slong i = 0; i < d; i++) {
        m.inverse[i][i] = 1 / p->lambda0;
        for (slong j = 0; j < d && p->penalty == PENALTY_DRAWN; j++)
            m.weights[i][j] = statistics_normal(r);
    }
    for (slong t = 0; t < p->length; t++) {
        if (t > n && p->filler == FILLER_ONE) {
            memcpy(key[t], key[n], sizeof key[t]);
            memcpy(raw[t], raw[n], sizeof raw[t]);
            memcpy(value[t], value[n], sizeof value[t]);
            continue;
        }
        recall_draw_key(key[t], raw[t], p->keys, d, r);
        for (slong i = 0; i < d; i++)
            value[t][i] = statistics_normal(r);
        normalise(value[t], d);
    }
    if (p->keys == KEYS_ORTHONORMAL)
        recall_orthonormalise(key[0], p->length, d); /* d = W: rows without gaps */
    for (slong t = 0; t < p->length; t++)
        token(&m, p, key[t], raw[t], value[t]);
    recall_result out = {0, 0};
    for (slong t = 0; t < n; t++) {
        double got[W], best = -INFINITY;
        slong nearest = -1;
        for (slong i = 0; i < d; i++) {
            got[i] = dot(m.state[i], key[t], d);
            out.error += (got[i] - value[t][i]) * (got[i] - value[t][i]) / (double)n;
        }
        for (slong s = 0; s < n; s++) {
            double q = dot(got, value[s], d);
            if (q > best)
                best = q, nearest = s;
        }
        out.recalled += nearest == t;
    }
    out.recalled /= (double)n;
    return out;
}

void recall_measure(enclosure_measurement out[2], const recall_setup *p, slong trials, ulong seed) {
    double *recalled = flint_malloc(2 * (size_t)trials * sizeof *recalled),
           *error = recalled + trials;
    exact_random r = {seed};
    for (slong n = 0; n < trials; n++) {
        recall_result x = recall_trial(p, &r);
        recalled[n] = x.recalled;
        error[n] = x.error;
    }
    out[0] = statistics_mean(recalled, trials, 0.99, 1, seed);
    out[1] = statistics_mean(error, trials, 0.99, 0, seed);
    flint_free(recalled);
}

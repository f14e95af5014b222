/* Shared by what makes inputs: numbers, and one array after another. */
#ifndef ACCURACY_INPUTS_MAKER_H
#define ACCURACY_INPUTS_MAKER_H

#include "numerics/accuracy/inputs.h"
#include "numerics/exact/random.h"

typedef struct {
    inputs_case *c;
    const inputs_kind *kind;
    const inputs_shape *s;
    inputs_family family;
    array_type storage;
    uint64_t seed;
    int64_t kv, keys; /* key heads; rows of k and v in time */
    bool failed;
} inputs_maker;

double inputs_uniform(exact_random *r); /* on [0, 1), 53 bits */
double inputs_normal(exact_random *r);
/* n zeroed items that the case will own; NULL, and m->failed, without memory. */
void *inputs_room(inputs_maker *m, int64_t n, size_t size);
exact_random inputs_stream(const inputs_maker *m, const char *array);
float inputs_stored(const inputs_maker *m, double x);
bool inputs_positive(const inputs_maker *m);
double inputs_plain(const inputs_maker *m, exact_random *r, bool feature);
double inputs_key_scale(const inputs_maker *m);
double inputs_value_scale(const inputs_maker *m);

/* Families that are made token by token: k, v, beta and u (those that are not NULL). */
void inputs_growth(inputs_maker *m, float *k, float *v, float *u);
void inputs_cancelling(inputs_maker *m, float *k, float *v, float *beta, float *u);

float *inputs_queries(inputs_maker *m);
/* Rows of a dim; normalise: of norm 1, times scale. */
void inputs_rows(inputs_maker *m, float *x, const char *name, int64_t rows, int64_t heads,
                 int64_t dim, bool normalise, double scale);
void inputs_directions(inputs_maker *m, float *u, int64_t tokens);
void inputs_gates(inputs_maker *m, float *g, int64_t n);
float *inputs_weights(inputs_maker *m, const char *name, int64_t n, double high);
void inputs_modes(inputs_maker *m, float *weights, float *nodes, int64_t n, int64_t modes);

#endif

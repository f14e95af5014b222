#include "numerics/accuracy/inputs_maker.h"

#include <math.h>
#include <stdlib.h>

/* ---- numbers ---- */

/* Uniform on [0, 1), 53 bits. */
double inputs_uniform(exact_random *r) {
    return (double)(exact_random_next(r) >> 11) * 0x1p-53;
}

/* ln x of a normal number: x = 2^e m, m in [1/sqrt 2, sqrt 2), ln m = 2 (s + s^3/3 + ...) with
 * s = (m-1)/(m+1), |s| < 0.172: ten terms leave less than 2^-53. */
static double logarithm(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1)
        m *= 2, e--;
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int i = 10; i >= 0; i--)
        sum = sum * s2 + 1.0 / (2 * i + 1);
    return 2 * s * sum + e * 0x1.62e42fefa39efp-1;
}

/* e^x, x <= 0: Taylor's series of x / 2^n, |x / 2^n| < 1/16, squared n times. */
static double exponential(double x) {
    int n = 0;
    while (x < -0.0625)
        x /= 2, n++;
    double sum = 1;
    for (int i = 12; i > 0; i--)
        sum = 1 + x / i * sum;
    while (n-- > 0)
        sum *= sum;
    return sum;
}

/* Standard normal, by Marsaglia's polar method. */
double inputs_normal(exact_random *r) {
    double x, y, s;
    do {
        x = 2 * inputs_uniform(r) - 1, y = 2 * inputs_uniform(r) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s < 0x1p-100);
    return x * sqrt(-2 * logarithm(s) / s);
}

static double elu1(double x) {
    return x > 0 ? x + 1 : exponential(x);
}

void *inputs_room(inputs_maker *m, int64_t n, size_t size) {
    void *p = n < 0 || n > (int64_t)1 << 40 ? NULL : calloc((size_t)n + 1, size);
    if (!p)
        m->failed = true;
    else
        m->c->memory[m->c->used++] = p;
    return p;
}

/* Every array has a stream of its own: one more array, or other options, leave the rest as is. */
exact_random inputs_stream(const inputs_maker *m, const char *array) {
    exact_random r = {exact_hash(array, exact_hash(inputs_family_names[m->family], m->seed))};
    return r;
}

float inputs_stored(const inputs_maker *m, double x) {
    return (float)(m->storage == ARRAY_F32 ? x : array_round(m->storage, x));
}

/* Normalised outputs are over sums of q.k: near 0 of these every error is of chance, so their q
 * and k are positive in all families. */
bool inputs_positive(const inputs_maker *m) {
    return m->family == INPUTS_POSITIVE || m->kind->normalise;
}

/* One value of a family on its own; parts of a large or tiny product are the caller's. */
double inputs_plain(const inputs_maker *m, exact_random *r, bool feature) {
    double x = inputs_normal(r);
    return feature && inputs_positive(m) ? elu1(x) : x;
}

/* Scales of q and k, of v and x, so that no product of them overflows over 2^16 tokens, and of
 * u. */
double inputs_key_scale(const inputs_maker *m) {
    bool unit = m->kind->kernel == MN_DELTA || m->kind->kernel == MN_VLA;
    if (m->family != INPUTS_LARGE)
        return 1;
    return m->kind->kernel == MN_SOFTMAX ? 0x1p4 : m->storage == ARRAY_F16 || unit ? 0x1p6 : 0x1p20;
}
double inputs_value_scale(const inputs_maker *m) {
    if (m->family == INPUTS_LARGE)
        return m->storage == ARRAY_F16 ? 0x1p8 : 0x1p36;
    if (m->family == INPUTS_DENORMAL)
        return m->storage == ARRAY_F16 ? 0x1p-16 : 0x1p-128;
    return 1;
}

/* x of norm 1; a zero becomes the first axis. */
static void unit(double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    for (int64_t i = 0; i < n; i++)
        x[i] = sum > 0 ? x[i] / sqrt(sum) : i == 0;
}

/* An axis, or (+-1, +-1, +-1, +-1)/2 on four of them: a unit key of dyadic numbers. */
static void dyadic_key(double *x, int64_t n, exact_random *r) {
    for (int64_t i = 0; i < n; i++)
        x[i] = 0;
    int64_t wide = n >= 4 && exact_random_integer(r, 0, 1) ? 4 : 1,
            first = exact_random_integer(r, 0, n - wide);
    for (int64_t i = 0; i < wide; i++)
        x[first + i] = (exact_random_integer(r, 0, 1) ? 1 : -1) / (wide == 4 ? 2.0 : 1);
}

/* ---- VLA's growth: the climb of two axes ----
 *
 * u = e_0, M = diag(m); either the key (s_1, -s_0)/|s|, orthogonal to the row s of the state,
 * with v = 1, or, where |s_0| < 1/2, the key e_0 with v = -1.  Rows of the state are multiples
 * of s: v_j = v 2^-(j mod 4), signs alternating. */
typedef struct {
    double s[2], m[2];
} climber;

static double climb(climber *w, double *key, double u) {
    double v = 1, norm = sqrt(w->s[0] * w->s[0] + w->s[1] * w->s[1]);
    if (fabs(w->s[0]) < 0.5 || norm == 0) {
        key[0] = 1, key[1] = 0, v = -1;
    } else {
        key[0] = fabs(w->s[1]) / norm, key[1] = -w->s[0] / norm;
        if (w->s[1] < 0)
            key[1] = -key[1];
    }
    w->m[0] += u * u;
    double a[2] = {key[0] / w->m[0], key[1] / w->m[1]}, size = sqrt(a[0] * a[0] + a[1] * a[1]),
           e = v - (w->s[0] * key[0] + w->s[1] * key[1]);
    w->s[0] += e * a[0] / size, w->s[1] += e * a[1] / size;
    return v;
}

void inputs_growth(inputs_maker *m, float *k, float *v, float *u) {
    const inputs_shape *s = m->s;
    for (int64_t n = 0; n < s->batch * m->kv; n++) {
        int64_t batch = n / m->kv, head = n % m->kv;
        climber w = {{0, 0}, {1, 1}};
        for (int64_t t = 0; t < m->keys; t++) {
            int64_t row = (batch * m->keys + t) * m->kv + head;
            double key[2], value = climb(&w, key, u ? 1 : 0);
            for (int64_t i = 0; i < s->dk; i++)
                k[row * s->dk + i] = inputs_stored(m, i >= 2               ? 0
                                                      : inputs_positive(m) ? fabs(key[i])
                                                                           : key[i]);
            if (s->dk == 1)
                k[row] = 1;
            for (int64_t j = 0; j < s->dv; j++)
                v[row * s->dv + j] =
                    inputs_stored(m, (j % 2 ? -value : value) / (double)(1 << j % 4));
            for (int64_t i = 0; u && i < s->dk; i++)
                u[row * s->dk + i] = i == 0;
        }
    }
}

/* ---- exact cancellation ----
 *
 * Three tokens after each other share a key.  Delta rule: v = 4096, 4128, 4096 with beta = 1,
 * 1/16, 1: S.k = 4098 meets 4096.  Elsewhere v, -v and a small number: what is left of the sums
 * is small.  The last tokens of the delta rule have beta = -1 and one key: the triangle of a
 * chunk is -1 below its diagonal and the state doubles with each of them. */
static int64_t doublings(int64_t time) {
    return time / 2 < 40 ? time / 2 : 40;
}

void inputs_cancelling(inputs_maker *m, float *k, float *v, float *beta, float *u) {
    const inputs_shape *s = m->s;
    exact_random r = inputs_stream(m, "cancelling");
    bool delta = m->kind->kernel == MN_DELTA || m->kind->kernel == MN_VLA;
    int64_t last = beta ? m->keys - doublings(m->keys) : m->keys;
    double key[3000], value = 0;
    if (s->dk > 3000) {
        m->failed = true;
        return;
    }
    for (int64_t n = 0; n < s->batch * m->kv; n++)
        for (int64_t t = 0; t < m->keys; t++) {
            int64_t row = (n / m->kv * m->keys + t) * m->kv + n % m->kv, phase = t % 3;
            if ((phase == 0 && t < last) || t == 0)
                dyadic_key(key, s->dk, &r);
            for (int64_t i = 0; i < s->dk; i++)
                k[row * s->dk + i] = inputs_stored(
                    m, (delta ? 1 : 2) * (inputs_positive(m) ? fabs(key[i]) : key[i]));
            for (int64_t j = 0; j < s->dv; j++) {
                int64_t pair = row - phase * m->kv;
                if (delta)
                    value = phase == 1 ? 4128 : 4096;
                else if (phase == 0)
                    value = 4096 + 32 * (double)exact_random_integer(&r, 0, 127);
                else
                    value = phase == 1 ? -(double)v[pair * s->dv + j]
                                       : (double)exact_random_integer(&r, -2, 2);
                v[row * s->dv + j] = inputs_stored(m, value);
            }
            if (beta)
                beta[row] = t >= last ? -1 : phase == 1 ? 0.0625f : 1;
            for (int64_t i = 0; u && i < s->dk; i++) /* A stays dyadic for a while */
                u[row * s->dk + i] = t % 4 == 0 && i == t / 4 % s->dk;
        }
}

/* ---- the arrays of a call ---- */

float *inputs_queries(inputs_maker *m) {
    const inputs_shape *s = m->s;
    exact_random r = inputs_stream(m, "q");
    int64_t n = s->batch * s->time * s->heads * s->dk;
    float *q = inputs_room(m, n, sizeof *q);
    for (int64_t i = 0; q && i < n; i++)
        q[i] =
            inputs_stored(m, m->family == INPUTS_CANCELLATION
                                 ? (double)exact_random_integer(&r, inputs_positive(m) ? 1 : -4, 4)
                                 : inputs_plain(m, &r, true) * inputs_key_scale(m));
    return q;
}

/* Rows of a dim; unit: of norm 1, times scale. */
void inputs_rows(inputs_maker *m, float *x, const char *name, int64_t rows, int64_t heads,
                 int64_t dim, bool normalise, double scale) {
    exact_random r = inputs_stream(m, name), direction = inputs_stream(m, "direction");
    double *row = inputs_room(m, dim, sizeof *row),
           *base = inputs_room(m, heads * dim, sizeof *base);
    if (m->failed)
        return;
    for (int64_t i = 0; i < heads * dim; i++)
        base[i] = inputs_plain(m, &direction, true);
    for (int64_t n = 0; n < rows; n++) {
        for (int64_t i = 0; i < dim; i++) {
            row[i] = inputs_plain(m, &r, true);
            if (m->family == INPUTS_PARALLEL)
                row[i] = base[n % heads * dim + i] + row[i] * 0x1p-10;
        }
        if (normalise)
            unit(row, dim);
        for (int64_t i = 0; i < dim; i++)
            x[n * dim + i] = inputs_stored(m, row[i] * scale);
    }
}

/* u of the layer's length 1/sqrt(dk), or of any length at and near both ends. */
void inputs_directions(inputs_maker *m, float *u, int64_t tokens) {
    const inputs_shape *s = m->s;
    exact_random r = inputs_stream(m, "lengths");
    double usual = (m->family == INPUTS_LARGE ? 0x1p5 : 1) / sqrt((double)s->dk);
    inputs_rows(m, u, "u", tokens, m->kv, s->dk, true, usual);
    if (m->family != INPUTS_GATES || m->failed)
        return;
    static const double lengths[] = {0, 0x1p-20, 0x1p-12, 1, 1, 1, 2, 16};
    for (int64_t n = 0; n < tokens; n++) {
        double length = lengths[exact_random_integer(&r, 0, 7)];
        for (int64_t i = 0; i < s->dk; i++)
            u[n * s->dk + i] = inputs_stored(m, (double)u[n * s->dk + i] * length);
    }
}

void inputs_gates(inputs_maker *m, float *g, int64_t n) {
    exact_random r = inputs_stream(m, "g");
    static const double ends[] = {0, 0, -0x1p-24, -0x1p-20, -0x1p-12, -17, -80, -88, -104, -1e4};
    for (int64_t i = 0; i < n; i++) {
        slong kind = exact_random_integer(&r, 0, 63);
        double x = -fabs(inputs_normal(&r)) / 16;
        if (m->family == INPUTS_CANCELLATION || m->family == INPUTS_GROWTH)
            x = 0;
        else if (m->family == INPUTS_GATES && kind == 0)
            x = -INFINITY;
        else if (m->family == INPUTS_GATES && kind < 5)
            x = ends[5 + kind];
        else if (m->family == INPUTS_GATES && kind < 48)
            x = ends[kind % 5];
        g[i] = x < -1e9 ? -INFINITY : inputs_stored(m, x);
    }
}

/* Numbers of [0, high], at and near both ends in the family of gates. */
float *inputs_weights(inputs_maker *m, const char *name, int64_t n, double high) {
    exact_random r = inputs_stream(m, name);
    float *x = inputs_room(m, n, sizeof *x);
    for (int64_t i = 0; x && i < n; i++) {
        const double ends[] = {0, high, 0x1p-24, 0x1p-140, high - 0x1p-24, 1, 1 - 0x1p-24, high};
        slong kind = exact_random_integer(&r, 0, 15);
        double y = inputs_uniform(&r) * high;
        if (m->family == INPUTS_GATES && kind < 8)
            y = ends[kind];
        else if (m->family == INPUTS_PARALLEL)
            y = high / 2 + y / 2;
        else if (m->family == INPUTS_CANCELLATION)
            y = 1;
        x[i] = inputs_stored(m, y);
    }
    return x;
}

/* Nodes 1 - 2^-i and what a family wants; weights that sum to about 1. */
void inputs_modes(inputs_maker *m, float *weights, float *nodes, int64_t n, int64_t modes) {
    exact_random r = inputs_stream(m, "modes");
    static const double ends[] = {0, 1, 1 - 0x1p-24, 0x1p-24, 0x1p-140};
    for (int64_t i = 0; i < n; i++) {
        double octave = 1;
        for (int64_t j = 0; j <= i % 16; j++)
            octave /= 2;
        double node = 1 - octave * (1 + inputs_uniform(&r)) / 2,
               weight = (0.5 + inputs_uniform(&r)) / (double)modes;
        if (m->family == INPUTS_GATES || m->family == INPUTS_GROWTH)
            node = ends[i % 5];
        if (m->family == INPUTS_CANCELLATION)
            node = i % 2 ? 0.5 : 1, weight = i % 4 || inputs_positive(m) ? 1 : -1;
        nodes[i] = inputs_stored(m, node), weights[i] = inputs_stored(m, weight);
    }
}

/* experiments.associative-recall, experiments.selective-copy: one trial of all memories. */
#include "theorems/experiments/recall/recall.h"

#include <math.h>
#include <string.h>

static const char *const names[COPY_ROWS] = {"linear attention",
                                             "delta rule (published)",
                                             "decaying rule, g = 0.5",
                                             "VLA, u along k, lambda0 0.1",
                                             "VLA, u along k, lambda0 10",
                                             "VLA, W_u drawn, refresh",
                                             "log-linear at its start",
                                             "softmax, unit keys",
                                             "softmax, keys of length sqrt(d)",
                                             "log-linear, fitted weights",
                                             "log-linear, told the level"};

const char *recall_row_name(recall_row row) {
    return names[row];
}

/* n places of T, rising, each set of them as likely (Knuth's selection sampling); no draw where n = T. */
static void draw_places(slong *place, slong n, slong length, exact_random *r) {
    for (slong t = 0, m = 0; m < n; t++)
        if (n - m == length - t || exact_random_integer(r, 0, length - t - 1) < n - m)
            place[m++] = t;
}

void recall_draw(recall_tokens *x, const recall_point *p, exact_random *r) {
    slong d = p->d, T = p->length, n = p->pairs;
    int *value = flint_malloc((size_t)T * sizeof *value);
    double *key = flint_malloc((size_t)(2 * T * d + d * d) * sizeof *key), *raw = key + T * d,
           *weights = raw + T * d;
    x->k = flint_malloc(4 * (size_t)(T * d) * sizeof *x->k);
    x->v = x->k + T * d;
    x->u = x->v + T * d;
    x->scaled = x->u + T * d;
    x->queries = flint_malloc((size_t)(n * d) * sizeof *x->queries);
    x->place = flint_malloc((size_t)n * sizeof *x->place);
    x->value = flint_malloc((size_t)n * sizeof *x->value);
    x->codes = flint_malloc((size_t)(RECALL_VALUES * d) * sizeof *x->codes);
    for (slong i = 0; i < RECALL_VALUES * d; i++)
        x->codes[i] = (float)statistics_normal(r);
    mn_normalise(RECALL_VALUES, d, x->codes, x->codes);
    for (slong t = 0; t < T; t++) {
        recall_draw_key(key + t * d, raw + t * d, p->keys, d, r);
        value[t] = (int)exact_random_integer(r, 0, RECALL_VALUES - 1);
        memcpy(x->v + t * d, x->codes + value[t] * d, (size_t)d * sizeof *x->v);
    }
    if (p->keys == KEYS_ORTHONORMAL)
        recall_orthonormalise(key, T, d);
    for (slong i = 0; i < d * d; i++)
        weights[i] = statistics_normal(r);
    for (slong t = 0; t < T; t++)
        for (slong i = 0; i < d; i++) {
            double sum = 0;
            for (slong j = 0; j < d; j++)
                sum += weights[i * d + j] * raw[t * d + j];
            x->k[t * d + i] = (float)key[t * d + i];
            x->u[t * d + i] = (float)sum;
        }
    mn_normalise(T, d, x->u, x->u);
    for (slong i = 0; i < T * d; i++)
        x->u[i] /= sqrtf((float)d);
    for (slong i = 0; i < n; i++)
        x->place[i] = i;
    if (p->copy)
        draw_places(x->place, n, T, r);
    size_t row = (size_t)d * sizeof *x->k;
    for (slong i = 0, t = 0; t < T; t++) {
        if (i < n && x->place[i] == t) {
            x->value[i] = value[t];
            memcpy(x->queries + i++ * d, x->k + t * d, row);
        } else if (p->ignored) {
            memset(x->k + t * d, 0, row);
            memset(x->v + t * d, 0, row);
            memset(x->u + t * d, 0, row);
        }
    }
    flint_free(key);
    flint_free(value);
}

void recall_clear(recall_tokens *x) {
    flint_free(x->k);
    flint_free(x->queries);
    flint_free(x->place);
    flint_free(x->value);
    flint_free(x->codes);
}

/* The memory, and what is multiplied to keys and to values before they are stored. */
static experiments_memory memory_of(recall_row row, const recall_tokens *x, const recall_point *p,
                                    float *keys_by, float *values_by) {
    experiments_memory m;
    memset(&m, 0, sizeof m);
    m.dk = m.dv = p->d;
    m.beta = 1;
    *keys_by = *values_by = 1;
    switch (row) {
    case STORE_DELTA:
        m.kernel = MN_DELTA;
        break;
    case STORE_DECAYING: /* gS + (v - Sk)k^T = S' + (1/g) (g v - S' k) k^T with S' = gS */
        m.kernel = MN_DELTA;
        m.log_gate = -0.6931472f;
        m.beta = 2;
        *values_by = 0.5f;
        break;
    case STORE_VLA_KEY:
    case STORE_VLA_KEY_10:
    case STORE_VLA_LAYER:
        m.kernel = MN_VLA;
        m.lambda0 = row == STORE_VLA_KEY_10 ? 10 : 0.1f;
        m.u = row == STORE_VLA_LAYER ? x->u : NULL;
        m.refresh = row == STORE_VLA_LAYER ? 1e-3f : 0;
        break;
    case STORE_LOGLINEAR:
        m.kernel = MN_LOGLINEAR;
        m.levels = RECALL_LEVELS;
        for (int l = 0; l < RECALL_LEVELS; l++)
            m.lambda[l] = mn_softplus(0.54f);
        break;
    case STORE_SOFTMAX_UNIT:
    case STORE_SOFTMAX:
        m.kernel = MN_SOFTMAX;
        m.scale = 1 / sqrtf((float)p->d);
        *keys_by = row == STORE_SOFTMAX ? sqrtf((float)p->d) : 1;
        break;
    default:
        m.kernel = MN_LINEAR;
    }
    return m;
}

int recall_nearest(const float *out, const float *codes, slong d) {
    double most = -INFINITY;
    int best = 0;
    for (int c = 0; c < RECALL_VALUES; c++) {
        double sum = 0;
        for (slong i = 0; i < d; i++)
            sum += (double)out[i] * (double)codes[c * d + i];
        if (sum > most)
            most = sum, best = c;
    }
    return best;
}

static double share_of(const float *got, const recall_tokens *x, const recall_point *p) {
    slong hits = 0;
    for (slong i = 0; i < p->pairs; i++)
        hits += recall_nearest(got + i * p->d, x->codes, p->d) == x->value[i];
    return (double)hits / (double)p->pairs;
}

/* The rows read level by level. */
static int level_rows(double *out, const recall_tokens *x, const recall_point *p,
                      const double *lambda) {
    slong d = p->d, size = p->pairs * d;
    float *level = flint_malloc((size_t)((RECALL_LEVELS + 1) * size) * sizeof *level),
          *got = level + RECALL_LEVELS * size;
    int ok = recall_levels(level, x, p);
    for (slong i = 0; i < size && ok; i++) {
        double sum = 0;
        for (int l = 0; l < RECALL_LEVELS; l++)
            sum += lambda[l] * (double)level[l * size + i];
        got[i] = (float)sum;
    }
    if (ok)
        out[STORE_FITTED] = share_of(got, x, p);
    for (slong i = 0; i < p->pairs && ok; i++) {
        slong l = (slong)FLINT_BIT_COUNT((ulong)(p->length ^ x->place[i]));
        memcpy(got + i * d, level + l * size + i * d, (size_t)d * sizeof *got);
    }
    if (ok)
        out[STORE_ONE_LEVEL] = share_of(got, x, p);
    flint_free(level);
    return ok;
}

int recall_rows(double *out, const recall_point *p, const double *lambda, int shuffled,
                ulong seed) {
    exact_random r = {seed};
    recall_tokens x;
    slong d = p->d, n = p->pairs, size = p->length * d;
    int ok = 1;
    recall_draw(&x, p, &r);
    for (slong i = 0; i < n && shuffled; i++)
        x.value[i] = (int)exact_random_integer(&r, 0, RECALL_VALUES - 1);
    float *got = flint_malloc((size_t)(2 * n * d + size) * sizeof *got), *q = got + n * d,
          *v = q + n * d;
    for (int row = 0; row < RECALL_ROWS && ok; row++) {
        float keys_by, values_by;
        experiments_memory m = memory_of((recall_row)row, &x, p, &keys_by, &values_by);
        float *k = x.scaled;
        for (slong i = 0; i < size; i++) {
            k[i] = x.k[i] * keys_by;
            v[i] = x.v[i] * values_by;
        }
        for (slong i = 0; i < n * d; i++)
            q[i] = x.queries[i] * keys_by;
        ok = experiments_read(got, &m, p->length, k, v, n, q) == MN_OK;
        out[row] = share_of(got, &x, p);
    }
    if (lambda != NULL)
        ok = ok && level_rows(out, &x, p, lambda);
    flint_free(got);
    recall_clear(&x);
    return ok;
}

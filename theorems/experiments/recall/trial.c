/* experiments.associative-recall: one trial of all memories. */
#include "theorems/experiments/recall/recall.h"

#include <math.h>
#include <string.h>

static const char *const names[RECALL_ROWS] = {"linear attention",
                                               "delta rule (published)",
                                               "decaying rule, g = 0.5",
                                               "VLA, u along k, lambda0 0.1",
                                               "VLA, u along k, lambda0 10",
                                               "VLA, W_u drawn, refresh",
                                               "log-linear at its start",
                                               "softmax, unit keys",
                                               "softmax, keys of length sqrt(d)"};

const char *recall_row_name(recall_row row) {
    return names[row];
}

typedef struct {
    float *k, *v, *u, *scaled; /* [T][d]; u as the layer has it; scaled: scratch */
    int *value;                /* [T]: which one */
    float *codes;              /* [VALUES][d] */
} tokens;

static void draw(tokens *x, const recall_point *p, exact_random *r) {
    slong d = p->d, T = p->length;
    double *key = flint_malloc((size_t)(2 * T * d + d * d) * sizeof *key), *raw = key + T * d,
           *weights = raw + T * d;
    x->k = flint_malloc(4 * (size_t)(T * d) * sizeof *x->k);
    x->v = x->k + T * d;
    x->u = x->v + T * d;
    x->scaled = x->u + T * d;
    x->value = flint_malloc((size_t)T * sizeof *x->value);
    x->codes = flint_malloc((size_t)(RECALL_VALUES * d) * sizeof *x->codes);
    for (slong i = 0; i < RECALL_VALUES * d; i++)
        x->codes[i] = (float)statistics_normal(r);
    mn_normalise(RECALL_VALUES, d, x->codes, x->codes);
    for (slong t = 0; t < T; t++) {
        recall_draw_key(key + t * d, raw + t * d, p->keys, d, r);
        x->value[t] = (int)exact_random_integer(r, 0, RECALL_VALUES - 1);
        memcpy(x->v + t * d, x->codes + x->value[t] * d, (size_t)d * sizeof *x->v);
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
    flint_free(key);
}

/* The memory, and what is multiplied to keys and to values before they are stored. */
static experiments_memory memory_of(recall_row row, const tokens *x, const recall_point *p,
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
        m.levels = 12;
        for (int l = 0; l < 12; l++)
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

static int nearest(const float *out, const float *codes, slong d) {
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

int recall_rows(double *out, const recall_point *p, int shuffled, ulong seed) {
    exact_random r = {seed};
    tokens x;
    slong d = p->d, n = p->pairs, size = p->length * d;
    int ok = 1;
    draw(&x, p, &r);
    for (slong t = 0; t < n && shuffled; t++)
        x.value[t] = (int)exact_random_integer(&r, 0, RECALL_VALUES - 1);
    float *got = flint_malloc((size_t)(n * d) * sizeof *got);
    for (int row = 0; row < RECALL_ROWS && ok; row++) {
        float keys_by, values_by;
        experiments_memory m = memory_of((recall_row)row, &x, p, &keys_by, &values_by);
        float *k = x.scaled, *v = flint_malloc((size_t)size * sizeof *v);
        for (slong i = 0; i < size; i++) {
            k[i] = x.k[i] * keys_by;
            v[i] = x.v[i] * values_by;
        }
        ok = experiments_read(got, &m, p->length, k, v, n, k) == MN_OK;
        out[row] = 0;
        for (slong t = 0; t < n; t++)
            out[row] += nearest(got + t * d, x.codes, d) == x.value[t];
        out[row] /= (double)n;
        flint_free(v);
    }
    flint_free(got);
    flint_free(x.k);
    flint_free(x.value);
    flint_free(x.codes);
    return ok;
}

/* experiments.lag-retrieval: lags, sequences, scores. */
#include "theorems/experiments/lag/lag.h"

#include <math.h>
#include <string.h>

slong lag_bucket(slong lag) {
    return lag <= 100 ? 0 : lag <= 1000 ? 1 : 2;
}

void lag_task_init(lag_task *task, lag_law law, lag_size size) {
    int small = size == SIZE_SHORT;
    double sum = 0;
    *task = (lag_task){.law = law,
                       .length = small ? 2048 : 16384,
                       .labels = small ? 64 : 128,
                       .width = small ? 128 : 256,
                       .training = small ? 8 : 4,
                       .test = small ? 40 : 20,
                       .each = 64};
    task->chance = flint_calloc((size_t)task->length, sizeof *task->chance);
    for (slong j = 1; j < task->length; j++)
        sum += task->chance[j] = law == LAW_ZIPF ? 1 / (double)j : 1;
    for (slong j = 1; j < task->length; j++) {
        task->chance[j] /= sum;
        task->mass[lag_bucket(j)] += task->chance[j];
    }
}

void lag_task_clear(lag_task *task) {
    flint_free(task->chance);
}

/* A lag of the bucket, by the law given the bucket. */
static slong draw_lag(const lag_task *task, slong bucket, exact_random *r) {
    double left = statistics_uniform(r) * task->mass[bucket];
    slong j = bucket == 0 ? 1 : bucket == 1 ? 101 : 1001;
    for (; j + 1 < task->length && lag_bucket(j + 1) == bucket; j++) {
        left -= task->chance[j];
        if (left <= 0)
            break;
    }
    return j;
}

void lag_sequence_draw(lag_sequence *s, const lag_task *task, int shuffled, ulong seed) {
    exact_random r = {seed};
    s->tokens = task->length - 1;
    s->reads = LAG_BUCKETS * task->each;
    s->key = flint_malloc((size_t)(s->tokens * LAG_WORDS) * sizeof *s->key);
    s->label = flint_malloc((size_t)s->tokens * sizeof *s->label);
    s->lag = flint_malloc((size_t)s->reads * sizeof *s->lag);
    s->answer = flint_malloc((size_t)s->reads * sizeof *s->answer);
    for (slong i = 0; i < s->tokens * LAG_WORDS; i++)
        s->key[i] = exact_random_next(&r);
    for (slong i = 0; i < s->tokens; i++)
        s->label[i] = (int)exact_random_integer(&r, 0, task->labels - 1);
    for (slong i = 0; i < s->reads; i++) {
        s->lag[i] = draw_lag(task, i / task->each, &r);
        s->answer[i] = s->label[s->tokens - s->lag[i]];
    }
    for (slong i = 0; i < s->reads && shuffled; i++)
        s->answer[i] = (int)exact_random_integer(&r, 0, task->labels - 1);
}

void lag_sequence_clear(lag_sequence *s) {
    flint_free(s->key);
    flint_free(s->label);
    flint_free(s->lag);
    flint_free(s->answer);
}

void lag_scores(float *score, const lag_sequence *s, slong d) {
    slong words = (d + 63) / 64;
    uint64_t last = d % 64 ? (UINT64_C(1) << d % 64) - 1 : ~UINT64_C(0);
    for (slong i = 0; i < s->reads; i++) {
        const uint64_t *a = s->key + (s->tokens - s->lag[i]) * LAG_WORDS;
        for (slong t = 0; t < s->tokens; t++) {
            const uint64_t *b = s->key + t * LAG_WORDS;
            int apart = 0;
            for (slong n = 0; n < words; n++)
                apart +=
                    __builtin_popcountll((a[n] ^ b[n]) & (n == words - 1 ? last : ~UINT64_C(0)));
            score[i * s->tokens + t] = (float)(d - 2 * apart) / (float)d;
        }
    }
}

void lag_decode_direct(int *right, const double *w, const lag_task *task, const lag_sequence *s,
                       slong d) {
    float *score = flint_malloc((size_t)(s->reads * s->tokens) * sizeof *score);
    double *sum = flint_malloc((size_t)task->labels * sizeof *sum);
    lag_scores(score, s, d);
    for (slong i = 0; i < s->reads; i++) {
        int best = 0;
        memset(sum, 0, (size_t)task->labels * sizeof *sum);
        for (slong t = 0; t < s->tokens; t++)
            sum[s->label[t]] += w[s->tokens - t] * (double)score[i * s->tokens + t];
        for (int c = 1; c < task->labels; c++)
            if (sum[c] > sum[best])
                best = c;
        right[i] = best == s->answer[i];
    }
    flint_free(score);
    flint_free(sum);
}

int lag_run_memory(float *out, const experiments_memory *m, const lag_task *task,
                   const lag_sequence *s) {
    slong d = m->dk;
    float unit = 1 / sqrtf((float)d), *k = flint_malloc((size_t)(s->tokens * d) * sizeof *k),
          *q = flint_malloc((size_t)(s->reads * d) * sizeof *q),
          *v = flint_calloc((size_t)(s->tokens * task->labels), sizeof *v);
    for (slong t = 0; t < s->tokens; t++) {
        for (slong i = 0; i < d; i++)
            k[t * d + i] = s->key[t * LAG_WORDS + i / 64] >> (i % 64) & 1 ? unit : -unit;
        v[t * task->labels + s->label[t]] = 1;
    }
    for (slong i = 0; i < s->reads; i++)
        memcpy(q + i * d, k + (s->tokens - s->lag[i]) * d, (size_t)d * sizeof *q);
    mn_status status = experiments_read(out, m, s->tokens, k, v, s->reads, q);
    flint_free(k);
    flint_free(q);
    flint_free(v);
    return status == MN_OK;
}

int lag_decode_memory(int *right, const experiments_memory *m, const lag_task *task,
                      const lag_sequence *s) {
    float *out = flint_malloc((size_t)(s->reads * task->labels) * sizeof *out);
    int ok = lag_run_memory(out, m, task, s);
    for (slong i = 0; i < s->reads && ok; i++) {
        const float *o = out + i * task->labels;
        int best = 0;
        for (int c = 1; c < task->labels; c++)
            if (o[c] > o[best])
                best = c;
        right[i] = best == s->answer[i];
    }
    flint_free(out);
    return ok;
}

#include "theorems/experiments/texts/mi.h"
#include "theorems/experiments/texts/corpus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

slong mi_lags(slong *lag, slong most) {
    slong n = 0, last = 0;
    for (slong l = 1; l <= 32 && l <= most; l++, n++) {
        if (lag != NULL)
            lag[n] = l;
        last = l;
    }
    for (int k = 16;; k++) { /* round 10^(k/10) */
        slong l = (slong)(pow(10, k / 10.0) + 0.5);
        if (l > most)
            return n;
        if (l <= last)
            continue;
        if (lag != NULL)
            lag[n] = l;
        n++;
    }
}

/* n ln n */
enum { TABLE = 1 << 16 };

static double n_log_n(slong n) {
    static double table[TABLE];
    if (n >= TABLE)
        return (double)n * log((double)n);
    if (n > 1 && table[n] == 0)
        table[n] = (double)n * log((double)n);
    return table[n];
}

/* sum of n ln n over the cells of total - part (part NULL: of total); *used: how many are not 0 */
static double sum_cells(const uint32_t *total, const uint32_t *part, slong cells, slong *used) {
    double sum = 0;
    slong filled = 0;
    for (slong i = 0; i < cells; i++) {
        slong n = (slong)total[i] - (part != NULL ? (slong)part[i] : 0);
        filled += n > 0;
        sum += n_log_n(n);
    }
    if (used != NULL)
        *used = filled;
    return sum;
}

/* Sums over rows (across = 0) or columns of a table. */
static void marginal(uint32_t *out, const uint32_t *table, slong symbols, int across) {
    memset(out, 0, (size_t)symbols * sizeof *out);
    for (slong i = 0; i < symbols; i++)
        for (slong j = 0; j < symbols; j++)
            out[across ? j : i] += table[i * symbols + j];
}

/* I = ln N + (1/N)(sum over cells of the table - over its row sums - over its column sums) */
static double information(slong n, double table, double rows, double columns) {
    return (log((double)n) + (table - rows - columns) / (double)n) / M_LN2;
}

double mi_from_counts(const uint32_t *table, slong symbols, double *miller) {
    uint32_t *sums = flint_malloc(2 * (size_t)symbols * sizeof *sums);
    slong n = 0, used[3];
    marginal(sums, table, symbols, 0);
    marginal(sums + symbols, table, symbols, 1);
    for (slong i = 0; i < symbols; i++)
        n += sums[i];
    double joint = sum_cells(table, NULL, symbols * symbols, used),
           rows = sum_cells(sums, NULL, symbols, used + 1),
           columns = sum_cells(sums + symbols, NULL, symbols, used + 2),
           bits = n > 0 ? information(n, joint, rows, columns) : 0;
    flint_free(sums);
    if (miller != NULL)
        *miller = bits -
                  (n > 0 ? (double)(used[0] - used[1] - used[2] + 1) / (2 * M_LN2 * (double)n) : 0);
    return bits;
}

typedef struct {
    uint32_t *table, *part; /* counts of pairs: of all blocks, of one */
    uint32_t *left, *right; /* their margins */
    uint32_t *left_1, *right_1;
} counts;

static void count_pairs(uint32_t *table, const int32_t *symbol, slong from, slong to, slong lag,
                        slong symbols) {
    for (slong t = from; t < to; t++)
        table[symbol[t] * symbols + symbol[t + lag]]++;
}

/* Pair t belongs to block floor(t MI_BLOCKS / length). */
static slong block_start(slong block, slong length, slong pairs) {
    slong t = (block * length + MI_BLOCKS - 1) / MI_BLOCKS;
    return FLINT_MIN(t, pairs);
}

static void one_lag(mi_curve *out, slong at, counts *c, const int32_t *symbol, slong length,
                    slong symbols, double excess_variance) {
    slong lag = out->lag[at], pairs = length - lag, cells = symbols * symbols;
    memset(c->table, 0, (size_t)cells * sizeof *c->table);
    count_pairs(c->table, symbol, 0, pairs, lag, symbols);
    out->bits[at] = mi_from_counts(c->table, symbols, out->miller + at) - out->excess;
    marginal(c->left, c->table, symbols, 0);
    marginal(c->right, c->table, symbols, 1);
    double mean = 0, square = 0;
    for (slong b = 0; b < MI_BLOCKS; b++) {
        slong from = block_start(b, length, pairs), to = block_start(b + 1, length, pairs);
        memset(c->part, 0, (size_t)cells * sizeof *c->part);
        count_pairs(c->part, symbol, from, to, lag, symbols);
        marginal(c->left_1, c->part, symbols, 0);
        marginal(c->right_1, c->part, symbols, 1);
        double i = information(pairs - (to - from), sum_cells(c->table, c->part, cells, NULL),
                               sum_cells(c->left, c->left_1, symbols, NULL),
                               sum_cells(c->right, c->right_1, symbols, NULL)) -
                   out->excess;
        out->left_out[b * out->lags + at] = i;
        mean += i / MI_BLOCKS;
    }
    for (slong b = 0; b < MI_BLOCKS; b++) {
        double d = out->left_out[b * out->lags + at] - mean;
        square += d * d;
    }
    out->error[at] = sqrt(square * (MI_BLOCKS - 1) / MI_BLOCKS + excess_variance);
}

/* The excess, and the variance of its mean. */
static double excess(double *variance, uint32_t *table, const int32_t *symbol, slong length,
                     slong symbols, ulong seed) {
    int32_t *shuffled = flint_malloc((size_t)length * sizeof *shuffled);
    double bits[MI_NULLS], mean = 0, square = 0;
    exact_random r = {exact_hash("excess", seed)};
    memcpy(shuffled, symbol, (size_t)length * sizeof *shuffled);
    corpus_shuffle(shuffled, length, &r);
    for (slong i = 0; i < MI_NULLS; i++) {
        memset(table, 0, (size_t)(symbols * symbols) * sizeof *table);
        count_pairs(table, shuffled, 0, length - i - 1, i + 1, symbols);
        bits[i] = mi_from_counts(table, symbols, NULL);
        mean += bits[i] / MI_NULLS;
    }
    for (slong i = 0; i < MI_NULLS; i++)
        square += (bits[i] - mean) * (bits[i] - mean);
    *variance = square / (MI_NULLS - 1) / MI_NULLS;
    flint_free(shuffled);
    return mean;
}

void mi_estimate(mi_curve *out, const int32_t *symbol, slong length, slong symbols,
                 const slong *lag, slong lags, ulong seed) {
    size_t n = (size_t)lags, s = (size_t)symbols;
    uint32_t *room = flint_malloc((2 * s * s + 4 * s) * sizeof *room), *margins = room + 2 * s * s;
    counts c = {room, room + s * s, margins, margins + s, margins + 2 * s, margins + 3 * s};
    double variance;
    out->lags = lags;
    out->lag = flint_malloc((n + 1) * sizeof *out->lag);
    out->bits = flint_malloc((n + 1) * sizeof(double));
    out->miller = flint_malloc((n + 1) * sizeof(double));
    out->error = flint_malloc((n + 1) * sizeof(double));
    out->left_out = flint_malloc((n + 1) * MI_BLOCKS * sizeof(double));
    memcpy(out->lag, lag, n * sizeof *lag);
    out->excess = excess(&variance, c.table, symbol, length, symbols, seed);
    for (slong i = 0; i < lags; i++)
        one_lag(out, i, &c, symbol, length, symbols, variance);
    flint_free(room);
}

void mi_curve_clear(mi_curve *c) {
    flint_free(c->lag);
    flint_free(c->bits);
    flint_free(c->miller);
    flint_free(c->error);
    flint_free(c->left_out);
    memset(c, 0, sizeof *c);
}

#include "theorems/experiments/texts/bpc.h"
#include "theorems/statistics.h"

#include <math.h>
#include <string.h>

enum { K = BANK_SYMBOLS, SETS = 3 };
typedef enum { TRAIN, VALIDATE, TEST } set;

static const double penalty = 3e-4;

struct bpc_text {
    bpc_effort effort;
    slong length;
    int32_t *symbol;
    slong rows[SETS], group_rows[BPC_GROUPS];
    unsigned char *past[SETS], *label[SETS]; /* [rows][SOFTMAX_RECENT], [rows] */
    float scale[SOFTMAX_RECENT * K];
};

static const struct {
    const char *name;
    int features, state;
} memories[] = {{"none", 0, 0},
                {"no decay", 1, 1},
                {"one exponential", 1, 1},
                {"five exponentials mixed", 1, 5},
                {"power law", 1, 16},
                {"five exponentials", 5, 5},
                {"five power laws", 5, 80}};

const char *bpc_memory_name(bpc_memory m) {
    return memories[m].name;
}

int bpc_memory_features(bpc_memory m) {
    return memories[m].features;
}

int bpc_memory_state(bpc_memory m) {
    return memories[m].state;
}

static set set_of(slong block) {
    return block % 5 == 4 ? TEST : block % 5 == 2 ? VALIDATE : TRAIN;
}

static slong stride_of(const bpc_effort *e, set s) {
    return s == TRAIN ? e->train : s == VALIDATE ? e->validate : e->test;
}

/* Positions t of a block at which the character at t + 1 is predicted: [from, to). */
static void block_range(const bpc_text *t, slong block, slong *from, slong *to) {
    slong size = t->length / BPC_BLOCKS;
    *from = FLINT_MAX(block * size, BANK_HORIZON - 1);
    *to = FLINT_MIN((block + 1) * size, t->length - 1);
    if (t->effort.used > 0)
        *to = FLINT_MIN(*to, *from + t->effort.used);
}

static slong block_rows(const bpc_text *t, slong block) {
    slong from, to, stride = stride_of(&t->effort, set_of(block));
    block_range(t, block, &from, &to);
    return to > from ? (to - from + stride - 1) / stride : 0;
}

bpc_text *bpc_text_new(const corpus *from, const bpc_effort *effort, int shuffled, ulong seed) {
    if (from->length < BPC_LEAST_LENGTH)
        return NULL;
    bpc_text *t = flint_calloc(1, sizeof *t);
    corpus lower = {flint_malloc((size_t)from->length * sizeof(uint32_t)), from->length,
                    from->length, 0, 0};
    corpus_symbols s;
    t->effort = *effort;
    for (slong i = 0; i < from->length; i++) {
        uint32_t p = from->point[i];
        lower.point[i] = p >= 'A' && p <= 'Z' ? p + 32 : p;
    }
    corpus_number(&s, &lower, CORPUS_CHARACTERS, K);
    corpus_clear(&lower);
    if (shuffled) {
        exact_random r = {exact_hash("shuffled characters", seed)};
        corpus_shuffle(s.symbol, s.length, &r);
    }
    for (int i = 0; i < SOFTMAX_RECENT * K; i++) {
        slong n = i % K < s.symbols ? s.count[i % K] : 0;
        t->scale[i] = (float)fmin(16, sqrt((double)s.length / (double)(n + 1)));
    }
    t->length = s.length;
    t->symbol = s.symbol;
    s.symbol = NULL;
    corpus_symbols_clear(&s);
    for (slong b = 0; b < BPC_BLOCKS; b++)
        t->rows[set_of(b)] += block_rows(t, b);
    for (int i = 0; i < SETS; i++) {
        t->past[i] = flint_malloc((size_t)t->rows[i] * SOFTMAX_RECENT + 1);
        t->label[i] = flint_malloc((size_t)t->rows[i] + 1);
    }
    slong at[SETS] = {0, 0, 0};
    for (slong b = 0; b < BPC_BLOCKS; b++) {
        set k = set_of(b);
        slong first, to, rows = block_rows(t, b);
        block_range(t, b, &first, &to);
        for (slong r = 0; r < rows; r++, at[k]++) {
            slong p = first + r * stride_of(effort, k);
            t->label[k][at[k]] = (unsigned char)t->symbol[p + 1];
            for (int i = 0; i < SOFTMAX_RECENT; i++)
                t->past[k][at[k] * SOFTMAX_RECENT + i] = (unsigned char)t->symbol[p - i];
            if (k == TEST)
                t->group_rows[b / 5 * BPC_PARTS + r * BPC_PARTS / rows]++;
        }
    }
    return t;
}

void bpc_text_free(bpc_text *t) {
    if (t == NULL)
        return;
    flint_free(t->symbol);
    for (int i = 0; i < SETS; i++) {
        flint_free(t->past[i]);
        flint_free(t->label[i]);
    }
    flint_free(t);
}

slong bpc_text_tested(const bpc_text *t) {
    return t->rows[TEST];
}

/* ---- memories ---- */

static const struct {
    const char *text;
    double value;
} orders[] = {{"1/20", 0.05}, {"1/10", 0.1}, {"1/5", 0.2},
              {"2/5", 0.4},   {"3/5", 0.6},  {"4/5", 0.8}};
static const double half_lives[] = {0.5, 1, 2, 4, 8, 16, 64, 512, 4096};
enum { ORDERS = 6, HALF_LIVES = 9 };

static const char *const five_orders[] = {"1/10", "3/10", "1/2", "7/10", "9/10"};
static const double five_half_lives[] = {1, 8, 64, 512, 4096};

static const char *order_text(double value) {
    int i = 0;
    while (i + 1 < ORDERS && orders[i].value != value)
        i++;
    return orders[i].text;
}

static int build(bank *b, bpc_memory m, double chosen) {
    int ok = 1;
    memset(b, 0, sizeof *b);
    b->name = memories[m].name;
    b->channels = memories[m].features;
    b->state = memories[m].state;
    for (int c = 0; c < b->channels && ok; c++)
        switch (m) {
        case BPC_EVEN:
            bank_exponential(b->channel, INFINITY);
            break;
        case BPC_EXPONENTIAL:
            bank_exponential(b->channel, chosen);
            break;
        case BPC_FIVE_MIXED:
            ok = bank_power(b->channel, &b->error_upper, order_text(chosen), 5);
            break;
        case BPC_POWER:
            ok = bank_power(b->channel, &b->error_upper, order_text(chosen), BANK_MODES);
            break;
        case BPC_FIVE_RATES:
            bank_exponential(b->channel + c, five_half_lives[c]);
            break;
        default:
            ok = bank_power(b->channel + c, &b->error_upper, five_orders[c], BANK_MODES);
        }
    return ok;
}

/* Features of a set, for flint_free(). */
static float *features(const bpc_text *t, const bank *b, set s, slong context) {
    slong width = b->channels * K, at = 0;
    float *x = flint_malloc((size_t)(t->rows[s] * width + 1) * sizeof *x);
    for (slong block = 0; block < BPC_BLOCKS && width > 0; block++) {
        slong from, to;
        if (set_of(block) != s || block_rows(t, block) == 0)
            continue;
        block_range(t, block, &from, &to);
        slong n = bank_features(x + at * width, b, t->symbol, from, to, stride_of(&t->effort, s),
                                context);
        if (n < 0) {
            flint_free(x);
            return NULL;
        }
        at += n;
    }
    return x;
}

static softmax_data data(const bpc_text *t, const float *x, set s, int width, int recent) {
    softmax_data d = {t->rows[s],  width,   recent ? SOFTMAX_RECENT : 0, x, t->past[s],
                      t->label[s], t->scale};
    return d;
}

/* Trains on TRAIN and gives bits of each row of another set. */
static int evaluate(float *bits, softmax_training *training, const bpc_text *t, const bank *b,
                    set s, slong context, int recent, slong epochs, ulong seed) {
    int width = b->channels * K;
    float *x = features(t, b, TRAIN, context), *y = features(t, b, s, context);
    if (x == NULL || y == NULL) {
        flint_free(x);
        flint_free(y);
        return 0;
    }
    if (width > 0) {
        softmax_whitening map;
        softmax_whiten_fit(&map, x, t->rows[TRAIN], width);
        softmax_whiten(&map, x, t->rows[TRAIN]);
        softmax_whiten(&map, y, t->rows[s]);
        softmax_whitening_clear(&map);
    }
    softmax_data train = data(t, x, TRAIN, width, recent), other = data(t, y, s, width, recent);
    float *w = flint_malloc((size_t)(softmax_rows(&train) * K) * sizeof *w);
    softmax_train(w, training, &train, penalty, epochs, seed);
    softmax_bits(bits, &other, w);
    flint_free(w);
    flint_free(x);
    flint_free(y);
    return 1;
}

static int is_tuned(bpc_memory m) {
    return m == BPC_EXPONENTIAL || m == BPC_POWER || m == BPC_FIVE_MIXED;
}

double bpc_choose(const bpc_text *t, bpc_memory m, slong context, int recent, ulong seed) {
    double best = is_tuned(m) ? -1 : 0, least = INFINITY;
    float *bits = flint_malloc((size_t)(t->rows[VALIDATE] + 1) * sizeof *bits);
    int choices = !is_tuned(m) ? 0 : m == BPC_EXPONENTIAL ? HALF_LIVES : ORDERS;
    for (int i = 0; i < choices; i++) {
        bank b;
        softmax_training training;
        double sum = 0, chosen = m == BPC_EXPONENTIAL ? half_lives[i] : orders[i].value;
        if (!build(&b, m, chosen) || !evaluate(bits, &training, t, &b, VALIDATE, context, recent,
                                               FLINT_MAX(t->effort.epochs / 4, 1), seed))
            continue;
        for (slong r = 0; r < t->rows[VALIDATE]; r++)
            sum += (double)bits[r];
        if (sum < least)
            least = sum, best = chosen;
    }
    flint_free(bits);
    return best;
}

static void group_means(bpc_result *out, const bpc_text *t, const float *bits) {
    slong at = 0;
    for (int g = 0; g < BPC_GROUPS; g++) {
        out->group[g] = 0;
        for (slong i = 0; i < t->group_rows[g]; i++)
            out->group[g] += (double)bits[at++] / (double)t->group_rows[g];
    }
}

int bpc_run(bpc_result *out, const bpc_text *t, bpc_memory m, double chosen, slong context,
            int recent, slong epochs, ulong seed) {
    bank b;
    memset(out, 0, sizeof *out);
    if (chosen < 0 || !build(&b, m, chosen))
        return 0;
    float *bits = flint_malloc((size_t)(t->rows[TEST] + 1) * sizeof *bits);
    int ok = evaluate(bits, &out->training, t, &b, TEST, context, recent,
                      epochs > 0 ? epochs : t->effort.epochs, seed);
    if (ok)
        group_means(out, t, bits);
    flint_free(bits);
    out->chosen = chosen;
    out->samples = t->rows[TRAIN];
    return ok;
}

/* ---- counts ---- */

void bpc_counts(bpc_result *out, const bpc_text *t, int order) {
    enum { BELOW = 4 };
    uint32_t *one = flint_calloc(K, sizeof *one), *two = flint_calloc(K * K, sizeof *two),
             *three = flint_calloc(K * K * K, sizeof *three);
    slong total = 0, at = 0;
    float *bits = flint_malloc((size_t)(t->rows[TEST] + 1) * sizeof *bits);
    memset(out, 0, sizeof *out);
    for (slong b = 0; b < BPC_BLOCKS; b++) {
        slong from, to;
        block_range(t, b, &from, &to);
        for (slong p = from; p < to && set_of(b) == TRAIN; p++, total++) {
            const int32_t *s = t->symbol + p;
            one[s[1]]++;
            two[s[0] * K + s[1]]++;
            three[(s[-1] * K + s[0]) * K + s[1]]++;
        }
    }
    for (slong b = 0; b < BPC_BLOCKS; b++) {
        slong from, to;
        block_range(t, b, &from, &to);
        for (slong p = from; p < to && set_of(b) == TEST; p += t->effort.test) {
            const int32_t *s = t->symbol + p;
            double q = ((double)one[s[1]] + 1) / (double)(total + K), sum = 0;
            for (int k = 0; k < K && order > 0; k++)
                sum += (double)two[s[0] * K + k];
            if (order > 0)
                q = ((double)two[s[0] * K + s[1]] + BELOW * q) / (sum + BELOW);
            sum = 0;
            for (int k = 0; k < K && order > 1; k++)
                sum += (double)three[(s[-1] * K + s[0]) * K + k];
            if (order > 1)
                q = ((double)three[(s[-1] * K + s[0]) * K + s[1]] + BELOW * q) / (sum + BELOW);
            bits[at++] = (float)-log2(q);
        }
    }
    group_means(out, t, bits);
    out->samples = total;
    flint_free(one);
    flint_free(two);
    flint_free(three);
    flint_free(bits);
}

enclosure_measurement bpc_combine(const bpc_result *const *result, const double *factor,
                                  int results, ulong seed) {
    double value[BPC_GROUPS];
    for (int g = 0; g < BPC_GROUPS; g++) {
        value[g] = 0;
        for (int i = 0; i < results; i++)
            value[g] += factor[i] * result[i]->group[g];
    }
    return statistics_mean(value, BPC_GROUPS, 0.99, 0, seed);
}

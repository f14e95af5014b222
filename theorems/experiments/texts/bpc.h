/* Bits per character of a text with different memories and one convex readout.

   The text's BPC_BLOCKS blocks in a row are shared out: of every five the first, second and fourth for
   training, the third to choose a memory's own parameter, the fifth held out.  A memory sees the last
   C characters; the readout (softmax.h) sees the memory, and the last three characters or not. */
#ifndef EXPERIMENTS_BPC_H
#define EXPERIMENTS_BPC_H

#include "numerics/exact/enclosure.h"
#include "theorems/experiments/texts/bank.h"
#include "theorems/experiments/texts/corpus.h"

enum {
    BPC_BLOCKS = 50,
    BPC_PARTS = 8,                           /* of each block held out */
    BPC_GROUPS = BPC_BLOCKS / 5 * BPC_PARTS, /* groups of neighbouring characters */
    BPC_LEAST_LENGTH = BPC_BLOCKS * BANK_HORIZON
};

/* What can be given to the readout. */
typedef enum {
    BPC_NOTHING,     /* no memory */
    BPC_EVEN,        /* no decay: counts of the last C characters */
    BPC_EXPONENTIAL, /* one rate, chosen */
    BPC_FIVE_MIXED,  /* the power law of one order by the best five exponentials, read as one */
    BPC_POWER,       /* one order, chosen; 16 exponentials read as one */
    BPC_FIVE_RATES,  /* five rates, read one by one */
    BPC_FIVE_ORDERS, /* five orders, each by 16 exponentials, read one by one */
    BPC_MEMORIES
} bpc_memory;
const char *bpc_memory_name(bpc_memory m);
int bpc_memory_features(bpc_memory m); /* numbers read for each symbol */
int bpc_memory_state(bpc_memory m);    /* numbers kept for each symbol */

typedef struct {
    slong used;                  /* of each block, the first so many characters; 0: all */
    slong train, validate, test; /* every so many-th character */
    slong epochs;
} bpc_effort;

/* Held-out bits of a model: means of the groups, in the order of the text. */
typedef struct {
    double group[BPC_GROUPS];
    double chosen; /* half-life or order */
    softmax_training training;
    slong samples; /* characters trained on */
} bpc_result;

typedef struct bpc_text bpc_text;

/* Symbols as bank.h wants them: ASCII letters in lower case, the 31 most frequent characters and the
   rest as one.  shuffled: in random order.  NULL if the text is shorter than BPC_LEAST_LENGTH. */
bpc_text *bpc_text_new(const corpus *t, const bpc_effort *effort, int shuffled, ulong seed);
void bpc_text_free(bpc_text *t);
slong bpc_text_tested(const bpc_text *t); /* characters held out that are predicted */

/* What a memory of one rate or one order does best with on the validation set, after a quarter of the
   epochs: the half-life (BPC_EXPONENTIAL) or the order (BPC_POWER, BPC_FIVE_MIXED); -1 on failure, 0
   for memories with nothing to choose. */
double bpc_choose(const bpc_text *t, bpc_memory m, slong context, int recent, ulong seed);

/* out := the model's result, with what was chosen; recent: whether the readout sees the last three
   characters; epochs: 0 for the effort's own.  0 if the memory could not be built. */
int bpc_run(bpc_result *out, const bpc_text *t, bpc_memory m, double chosen, slong context,
            int recent, slong epochs, ulong seed);

/* The same positions by counts of characters after 0, 1 or 2 others, each order's counts added to 4
   times the next lower one's probabilities. */
void bpc_counts(bpc_result *out, const bpc_text *t, int order);

/* Mean over the groups of sum_i factor[i] result[i], and its 99% interval (Student, BPC_GROUPS - 1
   degrees). */
enclosure_measurement bpc_combine(const bpc_result *const *result, const double *factor,
                                  int results, ulong seed);

#endif

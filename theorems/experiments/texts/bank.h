/* Memories of characters: what is kept of the last characters is sums of one-hot vectors with weights
   that fall with the lag,

       f_t = sum_{j < C} w_j onehot(x_{t-j}),    w_j = sum_m weight_m node_m^j,

   a few of them (channels) a memory, over no more than the C characters before the one to be
   predicted.  Through libmneme: the sum over all lags at t less node^C times that at t - C. */
#ifndef EXPERIMENTS_BANK_H
#define EXPERIMENTS_BANK_H

#include "numerics/exact/flint_arb.h"
#include "theorems/experiments/texts/softmax.h"

enum {
    BANK_SYMBOLS = SOFTMAX_CLASSES,
    BANK_MODES = 16,
    BANK_CHANNELS = 5,
    BANK_HORIZON = 8192 /* longest context */
};

/* One w: node 0 with weight w_0 less the others' sum makes the newest character's weight exact. */
typedef struct {
    int modes;
    float weight[BANK_MODES + 1], node[BANK_MODES + 1];
} bank_channel;

typedef struct {
    const char *name;
    int channels;
    int state; /* numbers kept for each symbol */
    bank_channel channel[BANK_CHANNELS];
    double error_upper; /* of sums of exponentials for w_j(alpha): certified, relative, lags 1 to
                           BANK_HORIZON; the largest of the channels; 0 where there is nothing to
                           approximate */
} bank;

/* w_j = w_j(alpha), the Gruenwald-Letnikov weights, by the best sum of that many exponentials
   (relative error); alpha as "3/10".  0 if it did not come about. */
int bank_power(bank_channel *out, double *error_upper, const char *alpha, int terms);
/* w_j = 2^(-j/half_life); infinite: no decay. */
void bank_exponential(bank_channel *out, double half_life);

/* Rows of features at the positions from, from + stride, ... < to of a sequence of symbols (below
   BANK_SYMBOLS): out [rows][channels x BANK_SYMBOLS].  from >= BANK_HORIZON - 1, 1 <= context <=
   BANK_HORIZON.  Returns the number of rows; -1 if libmneme refuses. */
slong bank_features(float *out, const bank *b, const int32_t *symbol, slong from, slong to,
                    slong stride, slong context);

#endif

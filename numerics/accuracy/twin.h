/* The plain twin of a kernel: its definition in mneme.h token by token in a given arithmetic, every
 * operation rounded to `accumulate`, what enters a product with the state, and the state where
 * it is read, to `operands`, outputs to `output`; with a device's exponents and e^x (arithmetic.h).
 * What an honest straightforward implementation of the same arithmetic does; its error is the
 * yardstick of an output's. */
#ifndef ACCURACY_TWIN_H
#define ACCURACY_TWIN_H

#include "numerics/accuracy/arithmetic.h"
#include "numerics/kernels/mneme.h"

typedef struct {
    int64_t outputs, states;
    double *o;     /* [batch][time][heads][dv] */
    double *state; /* the state blob's floats in its order */
} twin_struct;
typedef twin_struct twin_t[1];

/* False where memory is short or a size is out of range; w is then empty. */
bool twin_run(twin_t w, const mn_args *args, const arithmetic *arithmetic);
void twin_clear(twin_t w);

#endif

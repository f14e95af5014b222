/* The memories of the experiments, run by libmneme: tokens in, then many reads of one state. */
#ifndef EXPERIMENTS_MEMORY_H
#define EXPERIMENTS_MEMORY_H

#include "numerics/kernels/mneme.h"

enum { MEMORY_LEVELS = 24, MEMORY_MODES = 64 };

/* What a kernel is given besides keys and values; the same for all tokens. */
typedef struct {
    mn_kernel kernel;
    int64_t dk, dv;
    float log_gate;              /* linear, delta: ln of the decay a token; 0: none */
    float beta;                  /* delta */
    float lambda0, refresh;      /* VLA; refresh after every 20th token, 0: never */
    const float *u;              /* VLA: [tokens][dk]; NULL: k / sqrt(dk) */
    int64_t levels, modes;       /* log-linear; VORT */
    float lambda[MEMORY_LEVELS]; /* log-linear: by level */
    float weights[MEMORY_MODES], nodes[MEMORY_MODES]; /* VORT */
    float scale;                                      /* of scores; 0: 1 */
} experiments_memory;

/* out [queries][dv] := what the state after tokens (k [tokens][dk], v [tokens][dv]) gives back to
   q [queries][dk], read at position tokens: a token s is read at lag tokens - s.  The token that reads
   has no key and no value.  (Softmax, which would give a missing key a weight, reads at the last
   token.)  Plain C on every machine (MN_GENERIC), one thread.  Returns libmneme's status. */
mn_status experiments_read(float *out, const experiments_memory *m, int64_t tokens, const float *k,
                           const float *v, int64_t queries, const float *q);

/* Floats that the state holds for positions below tokens, or everything kept for softmax. */
int64_t experiments_state(const experiments_memory *m, int64_t tokens);

#endif

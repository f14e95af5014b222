/* Shared by what runs kernels on cases: the exact results, the calls, the judgement. */
#ifndef ACCURACY_REGRESS_ORACLE_H
#define ACCURACY_REGRESS_ORACLE_H

#include "numerics/accuracy/regress.h"

/* What is measured against: a judge of attention's calls, or a convolution's exact results. */
typedef struct {
    const inputs_case *c;
    judge_t judge;
    reference_t exact, scale;
    bounds_t bounds;
    double *twin, *twin_state; /* of a convolution */
} regress_oracle;

typedef struct {
    void *o, *state, *workspace;
    size_t o_bytes, state_bytes, workspace_bytes;
} regress_buffers;

/* NULL, or why there is none; w is then empty.  c stays the caller's. */
const char *regress_oracle_make(regress_oracle *w, const inputs_case *c);
void regress_oracle_clear(regress_oracle *w);

/* Runs a call into buffers that are NaN before. */
mn_status regress_call(regress_buffers *b, const inputs_case *c, mn_method method, mn_isa isa,
                       const regress_library *library, mn_error *error);
void regress_buffers_clear(regress_buffers *b);
judge_status regress_judge(judge_report *r, const regress_oracle *w, const regress_buffers *b,
                           bool state);

/* The definition is plain C, once; a convolution with weights one by one has no steps. */
bool regress_has_run(const inputs_case *c, mn_method method, mn_isa isa);

#endif

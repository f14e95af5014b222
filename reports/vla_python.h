#ifndef REPORT_VLA_PYTHON_H
#define REPORT_VLA_PYTHON_H

#include "numerics/exact/witness.h"
#include "reports/text.h"

/* Appends the lines that compute lhs from the inputs (lists of fractions, already written) of a witness on
   variational linear attention: kinds as in numerics/exact/replay_vla.h. */
void report_vla_python(text_buffer *b, const witness_t w);

#endif

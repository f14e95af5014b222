/* e^x in double-doubles. */
#ifndef ACCURACY_DD_EXP_H
#define ACCURACY_DD_EXP_H

#include "numerics/accuracy/dd.h"

enum { DD_EXP_CELLS = 256 };
/* The relative error for DD_EXP_LEAST <= x <= 1. */
#define DD_EXP_UNIT 0x1p-78
#define DD_EXP_LEAST (-600.)

typedef struct {
    dd power[DD_EXP_CELLS]; /* 2^(i / 256) */
    double step[3];         /* ln 2 / 256 in three parts, the first two of 32 bits */
    double per_step;        /* 256 / ln 2 */
} dd_exp_table;

void dd_exp_tabulate(dd_exp_table *table);
dd dd_exp(const dd_exp_table *table, dd x);

#endif

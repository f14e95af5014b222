/* The table of the least number of terms, as it is committed. */
#ifndef VORT_SOE_TERMS_TABLE_H
#define VORT_SOE_TERMS_TABLE_H

#include "numerics/exact/soe_minimax.h"
#include "theorems/vort/common.h"

/* A cell: order, horizon, kind of error and target; the least number of terms that suffices, with a
   sum of that many terms (best) and the best one of one term fewer with its 2S+1 points (fewer). */
typedef struct {
    slong index;
    fmpq_t alpha;
    fmpz_t horizon;
    soe_error error;
    slong digits; /* target 10^-digits */
    slong terms;
    soe_minimax_t best, fewer;
} table_cell;

void table_cell_init(table_cell *c);
void table_cell_clear(table_cell *c);

/* How a control spoils a cell before it is checked. */
typedef enum {
    SPOIL_NOTHING,
    SPOIL_DIGIT,  /* one digit of one weight changed */
    SPOIL_ROTATE, /* weights rotated by one */
    SPOIL_POINTS  /* 2S points instead of 2S+1 for the lower bound */
} table_spoil;

typedef struct {
    table_spoil spoil;
} table_parameter;

/* Number of cells committed, 0 after saying that the table is missing. */
slong table_cells(check_context *ctx);
/* Reads cell number i, and decides that it is the grid's and whole; 1 on success. */
int table_read(check_context *ctx, table_cell *c, slong i);
/* Decides the cell's two certificates: S* terms suffice, S*-1 do not. */
void table_decide(check_context *ctx, const table_cell *c);
/* ln of the target, as a ball. */
void table_log_target(arb_t x, const table_cell *c, slong prec);

void check_table(check_context *ctx, const void *parameter);
void check_law(check_context *ctx, const void *parameter);
void check_bounds(check_context *ctx, const void *parameter);

enum { TABLE_UNITS = 40 }; /* one per curve at extended */

#endif

/* SPDX-License-Identifier: MIT
 * Forward substitution on a chunk: row by row, as the recurrence would, never through an inverse
 * (whose entries may be as large as 2^(chunk - 2) for a triangle of ones). */
#ifndef MNEME_SOLVE_H
#define MNEME_SOLVE_H

#include "numerics/kernels/block.h"

enum { SOLVE_ROWS = VL == 4 ? 4 : 8, SOLVE_VECTORS = VL == 16 ? 2 : 1 };

/* e_i <- f_i (e_i - sum_{j<i} l_ij e_j) for rows < SOLVE_ROWS rows of some vectors. */
INLINE void solve_tile(int64_t rows, int vectors, const float *l, int64_t ldl, const float *f,
                       float *e, int64_t lde) {
    vf x[SOLVE_ROWS][SOLVE_VECTORS];
    UNROLL for (int i = 0; i < SOLVE_ROWS; i++) UNROLL for (int v = 0; v < vectors; v++) {
        x[i][v] = v_set(0);
        if (i < rows)
            x[i][v] = v_load(e + i * lde + v * VL);
    }
    UNROLL for (int i = 0; i < SOLVE_ROWS; i++) {
        if (i >= rows)
            break;
        UNROLL for (int j = 0; j < i; j++) {
            vf factor = v_set(l[i * ldl + j]);
            UNROLL for (int v = 0; v < vectors; v++) x[i][v] = v_fnma(factor, x[j][v], x[i][v]);
        }
        UNROLL for (int v = 0; v < vectors; v++) {
            x[i][v] = x[i][v] * v_set(f[i]);
            v_store(e + i * lde + v * VL, x[i][v]);
        }
    }
}

/* The same for m rows of n floats (a multiple of VL).  Entries of l on and above the diagonal
 * are not used. */
static __attribute__((unused)) void solve_lower(int64_t m, int64_t n, const float *l, int64_t ldl,
                                                const float *f, float *e, int64_t lde) {
    for (int64_t i = 0; i < m; i += SOLVE_ROWS) {
        int64_t rows = mn_min(SOLVE_ROWS, m - i), j = 0;
        const float *diagonal = l + i * ldl + i;
        if (i)
            product_subtract(rows, n, i, (mn_left){l + i * ldl, ldl, 1}, e, lde, e + i * lde, lde,
                             NULL);
        if (rows == SOLVE_ROWS) {
            for (; j + SOLVE_VECTORS * VL <= n; j += SOLVE_VECTORS * VL)
                solve_tile(SOLVE_ROWS, SOLVE_VECTORS, diagonal, ldl, f + i, e + i * lde + j, lde);
            for (; j < n; j += VL)
                solve_tile(SOLVE_ROWS, 1, diagonal, ldl, f + i, e + i * lde + j, lde);
        } else {
            for (; j < n; j += VL)
                solve_tile(rows, 1, diagonal, ldl, f + i, e + i * lde + j, lde);
        }
    }
}
#endif

/* SPDX-License-Identifier: MIT
 * Gates inside a chunk of tokens: c_i = e^{g_i}, D_ij = c_{j+1} ... c_i, as products (each
 * factor one rounding). */
#ifndef MNEME_GATES_H
#define MNEME_GATES_H

#include "numerics/kernels/block.h"

/* y = e^x, n of them; y holds whole vectors. */
INLINE void exp_row(int64_t n, const float *x, float *y) {
    int64_t i = 0;
    for (; i + VL <= n; i += VL)
        v_store(y + i, v_exp(v_load(x + i)));
    if (i < n)
        v_store(y + i, v_exp(v_load_n(x + i, n - i)));
}

/* decay[i][j] = factor D_ij for j <= i, 0 for j > i (rows of ld floats, as many columns as
 * v_pad(m)); from_start[i] = factor c_0 ... c_i;  to_end[j] = D_{m-1,j};  returns c_0 ...
 * c_{m-1}.  g NULL: all c = 1. */
static __attribute__((unused)) float decays(int64_t m, const float *g, int64_t step, float factor,
                                            float *decay, int64_t ld, float *from_start,
                                            float *to_end) {
    int64_t mp = v_pad(m);
    float *c = to_end, all = 1;
    for (int64_t i = 0; i < mp; i++)
        c[i] = g && i < m ? g[i * step] : 0;
    if (g)
        exp_row(mp, c, c);
    else
        for (int64_t i = 0; i < mp; i++)
            c[i] = 1;
    for (int64_t j = 0; j < mp; j += VL) { /* a column of vectors from its diagonal down */
        vf product = v_set(0);
        for (int64_t i = 0; i < mn_min(j, m); i++)
            v_store(decay + i * ld + j, product);
        for (int64_t i = j; i < m; i++) {
            product = product * v_set(c[i]);
            if (i < j + VL)
                product = v_put(product, i - j, factor);
            v_store(decay + i * ld + j, product);
        }
    }
    for (int64_t i = 0; i < m; i++) {
        all *= c[i];
        from_start[i] = i ? c[i] * from_start[i - 1] : c[i] * factor;
    }
    float product = 1;
    for (int64_t j = m - 1; j >= 0; j--) {
        float gate = c[j];
        to_end[j] = product;
        product *= gate;
    }
    return all;
}

/* x[i][j] <- mask[i][j] x[i][j] for j <= i and 0 beyond, also where x is not finite. */
static __attribute__((unused)) void mask_lower(int64_t m, const float *mask, float *x, int64_t ld) {
    int64_t mp = v_pad(m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < mp; j += VL)
            v_store(x + i * ld + j, v_keep_first(v_load(x + i * ld + j) * v_load(mask + i * ld + j),
                                                 mn_max(i + 1 - j, 0)));
}
/* The same with ones in place of the mask's entries and a factor. */
static __attribute__((unused)) void keep_lower(int64_t m, float factor, float *x, int64_t ld) {
    int64_t mp = v_pad(m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < mp; j += VL)
            v_store(x + i * ld + j,
                    v_keep_first(v_load(x + i * ld + j) * v_set(factor), mn_max(i + 1 - j, 0)));
}
#endif

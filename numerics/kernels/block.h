/* SPDX-License-Identifier: MIT
 * Products of small matrices in workspace: rows of a multiple of VL floats, so that columns
 * never have a remainder. C is m x n, A is m x k read one element at a time with any strides (so
 * A or its transpose), B is k x n in rows. Each element is one chain of fused operations over k
 * in rising order. */
#ifndef MNEME_BLOCK_H
#define MNEME_BLOCK_H

#include "numerics/kernels/internal.h"
#include "numerics/kernels/simd.h"

INLINE int64_t v_pad(int64_t n) {
    return (n + VL - 1) / VL * VL;
}

typedef struct {
    const float *data;
    int64_t row, column;
} mn_left; /* the A of a product */

/* What a product does with C: C = AB, C += AB, C -= AB, C_i = scale_i C_i + AB. */
enum { SET, ADD, SUBTRACT, DECAY };

/* What the next chunk will read and write, asked for a few rows at a time while this one is
 * computed: the rows of a head lie too far apart for the machine's own prefetching, and all at
 * once they would block the queue of loads. */
typedef struct {
    const float *row;
    int64_t step, rows, floats;
} ahead_part;
typedef struct {
    ahead_part part[6];
    int parts;
} mn_ahead;
enum { AHEAD = 5 };

INLINE void ahead_some(mn_ahead *a) {
    if (!a || a->parts == 0)
        return;
    ahead_part *p = &a->part[a->parts - 1];
    int64_t n = mn_min(AHEAD, p->rows);
    for (int64_t i = 0; i < n; i++, p->row += p->step)
        for (int64_t j = 0; j < p->floats; j += 16)
            __builtin_prefetch(p->row + j, 0, 2);
    p->rows -= n;
    if (p->rows == 0)
        a->parts--;
}
static __attribute__((unused)) void ahead_add(mn_ahead *a, const float *row, int64_t step,
                                              int64_t rows, int64_t floats) {
    if (rows > 0)
        a->part[a->parts++] = (ahead_part){row, step, rows, floats};
}
/* The chunk of the given length after the one at t: this head's or, at the end of its slice, the
 * next one's. */
static __attribute__((unused)) void ahead_start(mn_ahead *a, const mn_head *h, int64_t t,
                                                int64_t chunk) {
    a->parts = 0;
    t += chunk;
    if (t >= h->time)
        h = h->next, t = 0;
    if (!h)
        return;
    int64_t m = mn_min(chunk, h->time - t);
    ahead_add(a, h->o.data + t * h->o.step, h->o.step, m, h->dv); /* last added, first asked for */
    ahead_add(a, h->q.data + t * h->q.step, h->q.step, m, h->dk);
    ahead_add(a, h->v.data + t * h->v.step, h->v.step, m, h->dv);
    ahead_add(a, h->k.data + t * h->k.step, h->k.step, m, h->dk);
    if (h->u.data)
        ahead_add(a, h->u.data + t * h->u.step, h->u.step, m, h->dk);
    if (h->gate_keys.data)
        ahead_add(a, h->gate_keys.data + t * h->gate_keys.step, h->gate_keys.step, m, h->dk);
}

/* triangle: after the k common columns of A, row i of the tile has i + 1 more. */
INLINE void tile(int rows, int vectors, int64_t k, bool triangle, mn_left a, const float *b,
                 int64_t ldb, float *c, int64_t ldc, int mode, const float *scale) {
    vf acc[TILE_ROWS][TILE_VECTORS], right[TILE_VECTORS];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++) {
        if (mode == SET)
            acc[i][j] = v_set(0);
        else if (mode == DECAY)
            acc[i][j] = v_set(scale[i]) * v_load(c + i * ldc + j * VL);
        else
            acc[i][j] = v_load(c + i * ldc + j * VL);
    }
    for (int64_t p = 0; p < k; p++) {
        UNROLL for (int j = 0; j < vectors; j++) right[j] = v_load(b + p * ldb + j * VL);
        UNROLL for (int i = 0; i < rows; i++) {
            vf left = v_set(a.data[i * a.row + p * a.column]);
            UNROLL for (int j = 0; j < vectors; j++) acc[i][j] =
                mode == SUBTRACT ? v_fnma(left, right[j], acc[i][j])
                                 : v_fma(left, right[j], acc[i][j]);
        }
    }
    UNROLL for (int p = 0; triangle && p < rows; p++) {
        UNROLL for (int j = 0; j < vectors; j++) right[j] = v_load(b + (k + p) * ldb + j * VL);
        UNROLL for (int i = p; i < rows; i++) {
            vf left = v_set(a.data[i * a.row + (k + p) * a.column]);
            UNROLL for (int j = 0; j < vectors; j++) acc[i][j] =
                mode == SUBTRACT ? v_fnma(left, right[j], acc[i][j])
                                 : v_fma(left, right[j], acc[i][j]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
        v_store(c + i * ldc + j * VL, acc[i][j]);
}

INLINE void tile_rows(int rows, int64_t n, int64_t k, bool triangle, mn_left a, const float *b,
                      int64_t ldb, float *c, int64_t ldc, int mode, const float *scale) {
    int64_t j = 0;
    for (; j + TILE_VECTORS * VL <= n; j += TILE_VECTORS * VL)
        tile(rows, TILE_VECTORS, k, triangle, a, b + j, ldb, c + j, ldc, mode, scale);
    switch ((n - j) / VL) {
    case 3:
        tile(rows, TILE_VECTORS < 3 ? 1 : 3, k, triangle, a, b + j, ldb, c + j, ldc, mode, scale);
        break;
    case 2:
        tile(rows, 2, k, triangle, a, b + j, ldb, c + j, ldc, mode, scale);
        break;
    case 1:
        tile(rows, 1, k, triangle, a, b + j, ldb, c + j, ldc, mode, scale);
        break;
    default:
        break;
    }
}

/* first >= 0: row i of A ends with element first + i; what is stored beyond is not read (a later
 * token's NaN must not meet a zero). n a multiple of VL. */
INLINE void product_(int64_t m, int64_t n, int64_t k, int64_t first, mn_left a, const float *b,
                     int64_t ldb, float *c, int64_t ldc, int mode, const float *scale,
                     mn_ahead *ahead) {
    int64_t i = 0;
    bool triangle = first >= 0;
    for (; i + TILE_ROWS <= m; i += TILE_ROWS) {
        ahead_some(ahead);
        mn_left at = {a.data + i * a.row, a.row, a.column};
        tile_rows(TILE_ROWS, n, triangle ? first + i : k, triangle, at, b, ldb, c + i * ldc, ldc,
                  mode, scale ? scale + i : scale);
    }
    int64_t depth = triangle ? first + i : k;
    mn_left at = {a.data + i * a.row, a.row, a.column};
    const float *factor = scale ? scale + i : scale;
    c += i * ldc;
    switch (m - i) {
    case 5:
        tile_rows(TILE_ROWS < 5 ? 1 : 5, n, depth, triangle, at, b, ldb, c, ldc, mode, factor);
        break;
    case 4:
        tile_rows(4, n, depth, triangle, at, b, ldb, c, ldc, mode, factor);
        break;
    case 3:
        tile_rows(3, n, depth, triangle, at, b, ldb, c, ldc, mode, factor);
        break;
    case 2:
        tile_rows(2, n, depth, triangle, at, b, ldb, c, ldc, mode, factor);
        break;
    case 1:
        tile_rows(1, n, depth, triangle, at, b, ldb, c, ldc, mode, factor);
        break;
    default:
        break;
    }
}

#define PRODUCT(name, ...)                                                                         \
    static __attribute__((noinline, unused)) void name(int64_t m, int64_t n, int64_t k, mn_left a, \
                                                       const float *b, int64_t ldb, float *c,      \
                                                       int64_t ldc, __VA_ARGS__ mn_ahead *ahead)
PRODUCT(product_set) {
    product_(m, n, k, -1, a, b, ldb, c, ldc, SET, NULL, ahead);
}
PRODUCT(product_add) {
    product_(m, n, k, -1, a, b, ldb, c, ldc, ADD, NULL, ahead);
}
PRODUCT(product_subtract) {
    product_(m, n, k, -1, a, b, ldb, c, ldc, SUBTRACT, NULL, ahead);
}
PRODUCT(product_decay, const float *scale, ) {
    product_(m, n, k, -1, a, b, ldb, c, ldc, DECAY, scale, ahead);
}
PRODUCT(product_lower_decay, const float *scale, ) {
    product_(m, n, k, 0, a, b, ldb, c, ldc, DECAY, scale, ahead);
}
/* Row i of A ends with element first + i. */
PRODUCT(product_lower_add, int64_t first, ) {
    product_(m, n, k, first, a, b, ldb, c, ldc, ADD, NULL, ahead);
}
#undef PRODUCT

/* Row tiles of C on and below the diagonal only: columns up to the row tile's last row. C = A B. */
static __attribute__((unused)) void product_set_lower(int64_t m, int64_t k, mn_left a,
                                                      const float *b, int64_t ldb, float *c,
                                                      int64_t ldc, mn_ahead *ahead) {
    for (int64_t i = 0; i < m; i += TILE_ROWS) {
        int64_t rows = mn_min(TILE_ROWS, m - i);
        mn_left at = {a.data + i * a.row, a.row, a.column};
        product_set(rows, v_pad(i + rows), k, at, b, ldb, c + i * ldc, ldc, ahead);
    }
}

/* Workspace rows from the caller's: the padding becomes zero. */
static __attribute__((unused)) void rows_in(int64_t m, int64_t n, const float *x, int64_t step,
                                            float *y, int64_t ldy) {
    int64_t whole = n / VL * VL;
    for (int64_t i = 0; i < m; i++, x += step, y += ldy) {
        for (int64_t j = 0; j < whole; j += VL)
            v_store(y + j, v_load(x + j));
        if (whole < n)
            v_store(y + whole, v_load_n(x + whole, n - whole));
    }
}
static __attribute__((unused)) void rows_scaled_in(int64_t m, int64_t n, const float *x,
                                                   int64_t step, const float *scale, float *y,
                                                   int64_t ldy) {
    int64_t whole = n / VL * VL;
    for (int64_t i = 0; i < m; i++, x += step, y += ldy) {
        vf s = v_set(scale[i]);
        for (int64_t j = 0; j < whole; j += VL)
            v_store(y + j, s * v_load(x + j));
        if (whole < n)
            v_store(y + whole, s * v_load_n(x + whole, n - whole));
    }
}
static __attribute__((unused)) void rows_out(int64_t m, int64_t n, const float *x, int64_t ldx,
                                             float *y, int64_t step) {
    int64_t whole = n / VL * VL;
    for (int64_t i = 0; i < m; i++, x += ldx, y += step) {
        for (int64_t j = 0; j < whole; j += VL)
            v_store(y + j, v_load(x + j));
        if (whole < n)
            v_store_n(y + whole, v_load(x + whole), n - whole);
    }
}
/* y = x^T: x is m x n with rows of a multiple of VL floats, y is v_pad(n) x ldy, ldy >=
 * v_pad(m); padding columns zero. */
static __attribute__((unused)) void transpose(int64_t m, int64_t n, const float *x, int64_t ldx,
                                              float *y, int64_t ldy) {
    for (int64_t i = 0; i < m; i += VL)
        for (int64_t j = 0; j < n; j += VL) {
            vf r[VL];
            UNROLL for (int a = 0; a < VL; a++) r[a] =
                i + a < m ? v_load(x + (i + a) * ldx + j) : v_set(0);
            v_transpose(r);
            UNROLL for (int a = 0; a < VL; a++) v_store(y + (j + a) * ldy + i, r[a]);
        }
}
INLINE float dot(int64_t n, const float *x, const float *y) {
    vf s = v_set(0);
    int64_t i = 0;
    for (; i + VL <= n; i += VL)
        s = v_fma(v_load(x + i), v_load(y + i), s);
    if (i < n)
        s = v_fma(v_load_n(x + i, n - i), v_load_n(y + i, n - i), s);
    return v_sum(s);
}

/* x <- c x and y <- y + c x, rows of n floats. */
INLINE void row_scale(int64_t n, float c, float *x) {
    int64_t i = 0;
    for (; i + VL <= n; i += VL)
        v_store(x + i, v_set(c) * v_load(x + i));
    if (i < n)
        v_store_n(x + i, v_set(c) * v_load_n(x + i, n - i), n - i);
}
INLINE void row_add(int64_t n, float c, const float *x, float *y) {
    int64_t i = 0;
    for (; i + VL <= n; i += VL)
        v_store(y + i, v_fma(v_set(c), v_load(x + i), v_load(y + i)));
    if (i < n)
        v_store_n(y + i, v_fma(v_set(c), v_load_n(x + i, n - i), v_load_n(y + i, n - i)), n - i);
}

/* Next n floats of workspace, on a line of the cache. */
INLINE float *carve(float **work, int64_t n) {
    float *p = *work;
    *work += (n + 15) / 16 * 16;
    return p;
}
#endif

/* SPDX-License-Identifier: MIT
 * Passes over a state S [dk][dv], rows lds apart, for decoding: each reads the state once, in
 * bands of columns whose sums stay in registers. */
#ifndef MNEME_STEP_H
#define MNEME_STEP_H

#include "numerics/kernels/block.h"

enum { BAND = VL == 16 ? 8 : 4 }; /* vectors */

/* body(vectors, n) for the columns from j on: whole vectors (n = VL), at most `most` of them, or
 * one of n < VL floats. */
#define EACH_BAND(most, body)                                                                      \
    for (int64_t j = 0; j < dv;) {                                                                 \
        int64_t left = dv - j;                                                                     \
        if (left >= BAND * VL && BAND <= (most)) {                                                 \
            body(BAND, VL);                                                                        \
            j += BAND * VL;                                                                        \
        } else if (left >= 4 * VL) {                                                               \
            body(4, VL);                                                                           \
            j += 4 * VL;                                                                           \
        } else if (left >= VL) {                                                                   \
            body(1, VL);                                                                           \
            j += VL;                                                                               \
        } else {                                                                                   \
            body(1, left);                                                                         \
            j = dv;                                                                                \
        }                                                                                          \
    }

INLINE vf load_some(const float *p, int64_t n) {
    return n == VL ? v_load(p) : v_load_n(p, n);
}
INLINE void store_some(float *p, vf x, int64_t n) {
    if (n == VL)
        v_store(p, x);
    else
        v_store_n(p, x, n);
}

/* S <- diag(gate) S + k v^T,  o = scale S^T q: with one gate for all keys (*gate), one each, or
 * none; with or without the new product; with o = or o +=. */
enum { NO_GATE, ONE_GATE, KEY_GATES };
INLINE void pass_row(int vectors, int64_t n, int gates, bool write, float *s, vf c, float k,
                     const vf *value, float q, vf *sum) {
    vf key = v_set(k), query = v_set(q);
    UNROLL for (int i = 0; i < vectors; i++) {
        vf x = load_some(s + i * VL, n);
        if (gates != NO_GATE)
            x = c * x;
        if (write)
            x = v_fma(key, value[i], x);
        if (write || gates != NO_GATE)
            store_some(s + i * VL, x, n);
        sum[i] = v_fma(query, x, sum[i]);
    }
}
INLINE void pass_band(int vectors, int64_t n, int gates, bool write, bool add, int64_t dk, float *s,
                      int64_t lds, const float *gate, const float *k, const float *v,
                      const float *q, float scale, float *o) {
    vf value[BAND], sum[BAND], odd[BAND], c = v_set(gates == ONE_GATE ? *gate : 1);
    UNROLL for (int i = 0; i < vectors; i++) sum[i] = odd[i] = v_set(0);
    UNROLL for (int i = 0; write && i < vectors; i++) value[i] = load_some(v + i * VL, n);
    int64_t p = 0;
    for (; p + 2 <= dk;
         p += 2, s += 2 * lds) { /* two rows at a time: as many sums again in flight */
        pass_row(vectors, n, gates, write, s, gates == KEY_GATES ? v_set(gate[p]) : c,
                 write ? k[p] : 0, value, q[p], sum);
        pass_row(vectors, n, gates, write, s + lds, gates == KEY_GATES ? v_set(gate[p + 1]) : c,
                 write ? k[p + 1] : 0, value, q[p + 1], odd);
    }
    if (p < dk)
        pass_row(vectors, n, gates, write, s, gates == KEY_GATES ? v_set(gate[p]) : c,
                 write ? k[p] : 0, value, q[p], sum);
    UNROLL for (int i = 0; i < vectors; i++) sum[i] = sum[i] + odd[i];
    UNROLL for (int i = 0; i < vectors; i++) {
        vf x = sum[i] * v_set(scale);
        if (add)
            x = x + load_some(o + i * VL, n);
        store_some(o + i * VL, x, n);
    }
}
#define PASS(name, gates, write, add, ...)                                                         \
    static __attribute__((unused)) void name(int64_t dk, int64_t dv, float *s, int64_t lds,        \
                                             __VA_ARGS__ const float *q, float scale, float *o) {  \
        EACH_BAND(BAND, PASS_##write##_##gates##_##add)                                            \
    }
#define PASS_BODY(vectors, n, gates, write, add, gate, k, v)                                       \
    pass_band(vectors, n, gates, write, add, dk, s + j, lds, gate, k, v, q, scale, o + j)
#define PASS_1_0_0(vectors, n) PASS_BODY(vectors, n, NO_GATE, true, false, NULL, k, v + j)
#define PASS_1_2_0(vectors, n) PASS_BODY(vectors, n, KEY_GATES, true, false, gate, k, v + j)
#define PASS_1_1_0(vectors, n) PASS_BODY(vectors, n, ONE_GATE, true, false, gate, k, v + j)
#define PASS_1_1_1(vectors, n) PASS_BODY(vectors, n, ONE_GATE, true, true, gate, k, v + j)
#define PASS_0_1_1(vectors, n) PASS_BODY(vectors, n, ONE_GATE, false, true, gate, NULL, NULL)
#define PASS_0_0_0(vectors, n) PASS_BODY(vectors, n, NO_GATE, false, false, NULL, NULL, NULL)
#define PASS_0_0_1(vectors, n) PASS_BODY(vectors, n, NO_GATE, false, true, NULL, NULL, NULL)
#define WRITTEN const float *k, const float *v,
#define GATED const float *gate,
PASS(step_write_read, 0, 1, 0, WRITTEN)
PASS(step_gate_write_read, 1, 1, 0, GATED WRITTEN)
PASS(step_gates_write_read, 2, 1, 0, GATED WRITTEN)
PASS(step_gate_write_add, 1, 1, 1, GATED WRITTEN)
PASS(step_gate_add, 1, 0, 1, GATED)
PASS(step_read, 0, 0, 0, )
PASS(step_add, 0, 0, 1, )
#undef PASS
#undef PASS_BODY
#undef WRITTEN
#undef GATED

/* y = S^T u, a = S^T k. */
INLINE void read_two_band(int vectors, int64_t n, int64_t dk, const float *s, int64_t lds,
                          const float *u, const float *k, float *y, float *a) {
    vf first[BAND], second[BAND];
    UNROLL for (int i = 0; i < vectors; i++) first[i] = second[i] = v_set(0);
    for (int64_t p = 0; p < dk; p++, s += lds) {
        vf x = v_set(u[p]), key = v_set(k[p]);
        UNROLL for (int i = 0; i < vectors; i++) {
            vf row = load_some(s + i * VL, n);
            first[i] = v_fma(x, row, first[i]);
            second[i] = v_fma(key, row, second[i]);
        }
    }
    UNROLL for (int i = 0; i < vectors; i++) {
        store_some(y + i * VL, first[i], n);
        store_some(a + i * VL, second[i], n);
    }
}
static __attribute__((unused)) void step_read_two(int64_t dk, int64_t dv, const float *s,
                                                  int64_t lds, const float *u, const float *k,
                                                  float *y, float *a){
#define BODY(vectors, n) read_two_band(vectors, n, dk, s + j, lds, u, k, y + j, a + j)
    EACH_BAND(BAND, BODY)
#undef BODY
}

/* S <- S - y y^T (S square, dk = dv). */
INLINE void subtract_band(int vectors, int64_t n, int64_t dk, float *s, int64_t lds, const float *y,
                          const float *columns) {
    vf right[BAND];
    UNROLL for (int i = 0; i < vectors; i++) right[i] = load_some(columns + i * VL, n);
    for (int64_t p = 0; p < dk; p++, s += lds) {
        vf left = v_set(y[p]);
        UNROLL for (int i = 0; i < vectors; i++)
            store_some(s + i * VL, v_fnma(left, right[i], load_some(s + i * VL, n)), n);
    }
}
static __attribute__((unused)) void step_subtract(int64_t dk, float *s, int64_t lds,
                                                  const float *y) {
    int64_t dv = dk;
#define BODY(vectors, n) subtract_band(vectors, n, dk, s + j, lds, y, y + j)
    EACH_BAND(BAND, BODY)
#undef BODY
}

/* e = beta (v - c S^T k),  S <- c S + a e^T,  o = scale S^T q (c = 1 without a gate).  Bands of
 * at most 32 KiB: the second pass over each finds it in the nearest cache. */
INLINE void correct_band(int vectors, int64_t n, bool gated, int64_t dk, float *s, int64_t lds,
                         float c, float beta, const float *k, const float *a, const float *v,
                         const float *q, float scale, float *o) {
    vf e[BAND], sum[BAND], odd[BAND], gate = v_set(c);
    UNROLL for (int i = 0; i < vectors; i++) sum[i] = odd[i] = v_set(0);
    const float *row = s;
    int64_t rest = dk;
    for (; rest >= 2;
         rest -= 2, row += 2 * lds, k += 2) { /* two rows at a time: as many sums again in flight */
        vf key = v_set(k[0]), other = v_set(k[1]);
        UNROLL for (int i = 0; i < vectors; i++) {
            sum[i] = v_fma(key, load_some(row + i * VL, n), sum[i]);
            odd[i] = v_fma(other, load_some(row + lds + i * VL, n), odd[i]);
        }
    }
    UNROLL for (int i = 0; i < vectors; i++) {
        if (rest)
            sum[i] = v_fma(v_set(*k), load_some(row + i * VL, n), sum[i]);
        sum[i] = sum[i] + odd[i];
    }
    UNROLL for (int i = 0; i < vectors; i++) {
        e[i] = v_set(beta) * v_fnma(gate, sum[i], load_some(v + i * VL, n));
        sum[i] = v_set(0);
    }
    for (int64_t p = 0; p < dk; p++, s += lds) {
        vf write = v_set(a[p]), query = v_set(q[p]);
        UNROLL for (int i = 0; i < vectors; i++) {
            vf x = load_some(s + i * VL, n);
            if (gated)
                x = gate * x;
            x = v_fma(write, e[i], x);
            store_some(s + i * VL, x, n);
            sum[i] = v_fma(query, x, sum[i]);
        }
    }
    UNROLL for (int i = 0; i < vectors; i++) store_some(o + i * VL, sum[i] * v_set(scale), n);
}
static __attribute__((unused)) void step_correct(int64_t dk, int64_t dv, float *s, int64_t lds,
                                                 float c, float beta, const float *k,
                                                 const float *a, const float *v, const float *q,
                                                 float scale, float *o) {
    int most = dk > 64 ? 4 : BAND;
#define GATED(vectors, n)                                                                          \
    correct_band(vectors, n, true, dk, s + j, lds, c, beta, k, a, v + j, q, scale, o + j)
#define PLAIN(vectors, n)                                                                          \
    correct_band(vectors, n, false, dk, s + j, lds, 1, beta, k, a, v + j, q, scale, o + j)
    if (c != 1)
        EACH_BAND(most, GATED)
    else
        EACH_BAND(most, PLAIN)
#undef GATED
#undef PLAIN
}
#endif

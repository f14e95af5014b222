/* SPDX-License-Identifier: MIT
 * Passes over a state S [dk][dv], rows lds apart, for decoding: each reads the state once, in bands of columns whose sums stay in
 * registers; a band of a state that fits no nearer cache is read again from the first one. */
#ifndef MNEME_STEP_H
#define MNEME_STEP_H

#include "numerics/kernels/block.h"

enum { BAND = VL == 16 ? 8 : 4 }; /* vectors */

/* For n columns from j on: vectors whole ones, or one of n < VL floats (vectors = 0). */
#define EACH_BAND(body)                                                                            \
    for (int64_t j = 0; j < dv;) {                                                                 \
        int64_t left = dv - j;                                                                     \
        if (left >= BAND * VL) {                                                                   \
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

/* S <- diag(gate) S + k v^T,  o = scale S^T q. */
INLINE void update_read_band(int vectors, int64_t n, int64_t dk, float *s, int64_t lds,
                             const float *gate, const float *k, const float *v, const float *q,
                             float scale, bool add, float *o) {
    vf value[BAND], sum[BAND];
    UNROLL for (int i = 0; i < vectors; i++) value[i] = load_some(v + i * VL, n), sum[i] = v_set(0);
    for (int64_t p = 0; p < dk; p++, s += lds) {
        vf c = v_set(gate[p]), key = v_set(k[p]), query = v_set(q[p]);
        UNROLL for (int i = 0; i < vectors; i++) {
            vf x = v_fma(key, value[i], c * load_some(s + i * VL, n));
            store_some(s + i * VL, x, n);
            sum[i] = v_fma(query, x, sum[i]);
        }
    }
    UNROLL for (int i = 0; i < vectors; i++) {
        vf x = sum[i] * v_set(scale);
        if (add)
            x = x + load_some(o + i * VL, n);
        store_some(o + i * VL, x, n);
    }
}
static __attribute__((unused)) void step_update_read(int64_t dk, int64_t dv, float *s, int64_t lds,
                                                     const float *gate, const float *k,
                                                     const float *v, const float *q, float scale,
                                                     float *o) {
#define BODY(vectors, n)                                                                           \
    update_read_band(vectors, n, dk, s + j, lds, gate, k, v + j, q, scale, false, o + j)
    EACH_BAND(BODY)
#undef BODY
}
/* The same with o +=. */
static __attribute__((unused)) void
step_update_add_read(int64_t dk, int64_t dv, float *s, int64_t lds, const float *gate,
                     const float *k, const float *v, const float *q, float scale, float *o){
#define BODY(vectors, n)                                                                           \
    update_read_band(vectors, n, dk, s + j, lds, gate, k, v + j, q, scale, true, o + j)
    EACH_BAND(BODY)
#undef BODY
}

/* o = scale S^T q. */
INLINE void read_band(int vectors, int64_t n, int64_t dk, const float *s, int64_t lds,
                      const float *q, float scale, float *o) {
    vf sum[BAND];
    UNROLL for (int i = 0; i < vectors; i++) sum[i] = v_set(0);
    for (int64_t p = 0; p < dk; p++, s += lds) {
        vf query = v_set(q[p]);
        UNROLL for (int i = 0; i < vectors; i++) sum[i] =
            v_fma(query, load_some(s + i * VL, n), sum[i]);
    }
    UNROLL for (int i = 0; i < vectors; i++) store_some(o + i * VL, sum[i] * v_set(scale), n);
}
static __attribute__((unused)) void step_read(int64_t dk, int64_t dv, const float *s, int64_t lds,
                                              const float *q, float scale, float *o){
#define BODY(vectors, n) read_band(vectors, n, dk, s + j, lds, q, scale, o + j)
    EACH_BAND(BODY)
#undef BODY
}

/* S <- c S,  o += scale S^T q. */
INLINE void decay_read_band(int vectors, int64_t n, int64_t dk, float *s, int64_t lds, float c,
                            const float *q, float scale, float *o) {
    vf sum[BAND], gate = v_set(c);
    UNROLL for (int i = 0; i < vectors; i++) sum[i] = v_set(0);
    for (int64_t p = 0; p < dk; p++, s += lds) {
        vf query = v_set(q[p]);
        UNROLL for (int i = 0; i < vectors; i++) {
            vf x = gate * load_some(s + i * VL, n);
            store_some(s + i * VL, x, n);
            sum[i] = v_fma(query, x, sum[i]);
        }
    }
    UNROLL for (int i = 0; i < vectors; i++)
        store_some(o + i * VL, v_fma(sum[i], v_set(scale), load_some(o + i * VL, n)), n);
}
static __attribute__((unused)) void step_decay_read(int64_t dk, int64_t dv, float *s, int64_t lds,
                                                    float c, const float *q, float scale, float *o){
#define BODY(vectors, n) decay_read_band(vectors, n, dk, s + j, lds, c, q, scale, o + j)
    EACH_BAND(BODY)
#undef BODY
} /* o += scale S^T q. */
INLINE void add_read_band(int vectors, int64_t n, int64_t dk, const float *s, int64_t lds,
                          const float *q, float scale, float *o) {
    vf sum[BAND];
    UNROLL for (int i = 0; i < vectors; i++) sum[i] = v_set(0);
    for (int64_t p = 0; p < dk; p++, s += lds) {
        vf query = v_set(q[p]);
        UNROLL for (int i = 0; i < vectors; i++) sum[i] =
            v_fma(query, load_some(s + i * VL, n), sum[i]);
    }
    UNROLL for (int i = 0; i < vectors; i++)
        store_some(o + i * VL, v_fma(sum[i], v_set(scale), load_some(o + i * VL, n)), n);
}
static __attribute__((unused)) void step_add_read(int64_t dk, int64_t dv, const float *s,
                                                  int64_t lds, const float *q, float scale,
                                                  float *o){
#define BODY(vectors, n) add_read_band(vectors, n, dk, s + j, lds, q, scale, o + j)
    EACH_BAND(BODY)
#undef BODY
}

/* y = S^T u, a = S^T k in one pass. */
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
    EACH_BAND(BODY)
#undef BODY
}

/* e = beta (v - c S^T k),  S <- c S + a e^T,  o = scale S^T q: one band at a time, so the second pass finds it near. */
INLINE void correct_band(int vectors, int64_t n, int64_t dk, float *s, int64_t lds, float c,
                         float beta, const float *k, const float *a, const float *v, const float *q,
                         float scale, float *o) {
    vf e[BAND], sum[BAND], gate = v_set(c);
    UNROLL for (int i = 0; i < vectors; i++) sum[i] = v_set(0);
    const float *row = s;
    for (int64_t p = 0; p < dk; p++, row += lds) {
        vf key = v_set(k[p]);
        UNROLL for (int i = 0; i < vectors; i++) sum[i] =
            v_fma(key, load_some(row + i * VL, n), sum[i]);
    }
    UNROLL for (int i = 0; i < vectors; i++) {
        e[i] = v_set(beta) * v_fnma(gate, sum[i], load_some(v + i * VL, n));
        sum[i] = v_set(0);
    }
    for (int64_t p = 0; p < dk; p++, s += lds) {
        vf write = v_set(a[p]), query = v_set(q[p]);
        UNROLL for (int i = 0; i < vectors; i++) {
            vf x = v_fma(write, e[i], gate * load_some(s + i * VL, n));
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
#define BODY(vectors, n)                                                                           \
    correct_band(vectors, n, dk, s + j, lds, c, beta, k, a, v + j, q, scale, o + j)
    EACH_BAND(BODY)
#undef BODY
}
#endif

/* SPDX-License-Identifier: MIT
 * Vectors of VL floats for the instruction set that this file is compiled for (MN_ISA_NAME:
 * generic, avx2, avx512). Only what differs between instruction sets; everything else is written
 * once on top of it. */
#ifndef MNEME_SIMD_H
#define MNEME_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define MN_CONCAT_(a, b) a##_##b
#define MN_CONCAT(a, b) MN_CONCAT_(a, b)
#define MN_FN(name) MN_CONCAT(name, MN_ISA_NAME)
#define INLINE static inline __attribute__((always_inline, unused))
#define UNROLL _Pragma("GCC unroll 16")

#if defined __AVX512F__
#include <immintrin.h>
enum { VL = 16, TILE_ROWS = 6, TILE_VECTORS = 4 };
typedef __m512 vf;
typedef __m512i vi;
INLINE vf v_set(float x) {
    return _mm512_set1_ps(x);
}
INLINE vf v_load(const float *p) {
    return _mm512_loadu_ps(p);
}
INLINE void v_store(float *p, vf x) {
    _mm512_storeu_ps(p, x);
}
INLINE __mmask16 v_first_(int64_t n) {
    return (__mmask16)(n >= 16 ? 0xffffu : (1u << n) - 1);
}
/* The first n floats (n >= 1), zeros in the other lanes; memory beyond them is not touched. */
INLINE vf v_load_n(const float *p, int64_t n) {
    return _mm512_maskz_loadu_ps(v_first_(n), p);
}
INLINE void v_store_n(float *p, vf x, int64_t n) {
    _mm512_mask_storeu_ps(p, v_first_(n), x);
}
INLINE vf v_fma(vf a, vf b, vf c) {
    return _mm512_fmadd_ps(a, b, c);
}
INLINE vf v_fnma(vf a, vf b, vf c) {
    return _mm512_fnmadd_ps(a, b, c);
} /* c - a b */
INLINE vf v_max(vf a, vf b) {
    return _mm512_max_ps(a, b);
}
INLINE vf v_keep_first(vf x, int64_t n) {
    return _mm512_maskz_mov_ps(v_first_(n), x);
}
INLINE vf v_put(vf x, int64_t lane, float y) {
    return _mm512_mask_mov_ps(x, (__mmask16)(1u << lane), v_set(y));
}
INLINE float v_sum(vf x) {
    return _mm512_reduce_add_ps(x);
}
INLINE float v_maximum(vf x) {
    return _mm512_reduce_max_ps(x);
}
INLINE vf v_round(vf x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* x 2^n, n integer-valued; one rounding, also into the denormal range. */
INLINE vf v_scale2(vf x, vf n) {
    return _mm512_scalef_ps(x, n);
}
INLINE vf v_select_below(vf x, vf bound, vf below, vf otherwise) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, bound, _CMP_LT_OQ), otherwise, below);
}
/* y[VL][VL] = x[VL][VL] transposed. */
INLINE void v_transpose(vf r[16]) {
    vf t[16];
    UNROLL for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    UNROLL for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_castpd_ps(
            _mm512_unpacklo_pd(_mm512_castps_pd(t[i]), _mm512_castps_pd(t[i + 2])));
        r[i + 1] = _mm512_castpd_ps(
            _mm512_unpackhi_pd(_mm512_castps_pd(t[i]), _mm512_castps_pd(t[i + 2])));
        r[i + 2] = _mm512_castpd_ps(
            _mm512_unpacklo_pd(_mm512_castps_pd(t[i + 1]), _mm512_castps_pd(t[i + 3])));
        r[i + 3] = _mm512_castpd_ps(
            _mm512_unpackhi_pd(_mm512_castps_pd(t[i + 1]), _mm512_castps_pd(t[i + 3])));
    }
    UNROLL for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
    }
    UNROLL for (int i = 0; i < 8; i++) {
        r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
        r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
    }
}
#elif defined __AVX2__ && defined __FMA__
#include <immintrin.h>
enum { VL = 8, TILE_ROWS = 6, TILE_VECTORS = 2 };
typedef __m256 vf;
typedef __m256i vi;
INLINE vf v_set(float x) {
    return _mm256_set1_ps(x);
}
INLINE vf v_load(const float *p) {
    return _mm256_loadu_ps(p);
}
INLINE void v_store(float *p, vf x) {
    _mm256_storeu_ps(p, x);
}
INLINE vi v_first_(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n > 8 ? 8 : (int)n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
INLINE vf v_load_n(const float *p, int64_t n) {
    return _mm256_maskload_ps(p, v_first_(n));
}
INLINE void v_store_n(float *p, vf x, int64_t n) {
    _mm256_maskstore_ps(p, v_first_(n), x);
}
INLINE vf v_fma(vf a, vf b, vf c) {
    return _mm256_fmadd_ps(a, b, c);
}
INLINE vf v_fnma(vf a, vf b, vf c) {
    return _mm256_fnmadd_ps(a, b, c);
}
INLINE vf v_max(vf a, vf b) {
    return _mm256_max_ps(a, b);
}
INLINE vf v_keep_first(vf x, int64_t n) {
    return _mm256_and_ps(x, _mm256_castsi256_ps(v_first_(n)));
}
INLINE vf v_put(vf x, int64_t lane, float y) {
    vi here =
        _mm256_cmpeq_epi32(_mm256_set1_epi32((int)lane), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_blendv_ps(x, v_set(y), _mm256_castsi256_ps(here));
}
INLINE float v_sum(vf x) {
    __m128 h = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    h = _mm_add_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_add_ss(h, _mm_shuffle_ps(h, h, 1)));
}
INLINE float v_maximum(vf x) {
    __m128 h = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    h = _mm_max_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_max_ss(h, _mm_shuffle_ps(h, h, 1)));
}
INLINE vf v_round(vf x) {
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* In two steps, 2^n = 2^(n/2) 2^(n - n/2): the first is exact for |n| <= 252, the second rounds
 * once. */
INLINE vf v_scale2(vf x, vf n) {
    vi m = _mm256_cvtps_epi32(n), half = _mm256_srai_epi32(m, 1), bias = _mm256_set1_epi32(127);
    vf a = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23));
    vf b = _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(m, half), bias), 23));
    return _mm256_mul_ps(_mm256_mul_ps(x, a), b);
}
INLINE vf v_select_below(vf x, vf bound, vf below, vf otherwise) {
    return _mm256_blendv_ps(otherwise, below, _mm256_cmp_ps(x, bound, _CMP_LT_OQ));
}
INLINE void v_transpose(vf r[8]) {
    vf t[8];
    UNROLL for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    UNROLL for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    UNROLL for (int i = 0; i < 4; i++) {
        t[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
        t[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
    }
    UNROLL for (int i = 0; i < 8; i++) r[i] = t[i];
}
#else
/* Plain C on four-lane vectors of the compiler; a product and a sum where there is no fused
 * instruction. */
enum { VL = 4, TILE_ROWS = 4, TILE_VECTORS = 2 };
typedef float vf __attribute__((vector_size(16)));
typedef int32_t vi __attribute__((vector_size(16)));
INLINE vf v_set(float x) {
    return (vf){x, x, x, x};
}
INLINE vf v_load(const float *p) {
    vf x;
    memcpy(&x, p, sizeof x);
    return x;
}
INLINE void v_store(float *p, vf x) {
    memcpy(p, &x, sizeof x);
}
INLINE vf v_load_n(const float *p, int64_t n) {
    vf x = {0, 0, 0, 0};
    for (int i = 0; i < 4 && i < n; i++)
        x[i] = p[i];
    return x;
}
INLINE void v_store_n(float *p, vf x, int64_t n) {
    for (int i = 0; i < 4 && i < n; i++)
        p[i] = x[i];
}
INLINE vf v_fma(vf a, vf b, vf c) {
    return a * b + c;
}
INLINE vf v_fnma(vf a, vf b, vf c) {
    return c - a * b;
}
INLINE vf v_select_below(vf x, vf bound, vf below, vf otherwise) {
    vi m = x < bound;
    return (vf)((m & (vi)below) | (~m & (vi)otherwise));
}
INLINE vf v_max(vf a, vf b) {
    return v_select_below(a, b, b, a);
}
INLINE vf v_keep_first(vf x, int64_t n) {
    for (int i = 0; i < 4; i++)
        if (i >= n)
            x[i] = 0;
    return x;
}
INLINE vf v_put(vf x, int64_t lane, float y) {
    x[lane] = y;
    return x;
}
INLINE float v_sum(vf x) {
    return (x[0] + x[2]) + (x[1] + x[3]);
}
INLINE float v_maximum(vf x) {
    return fmaxf(fmaxf(x[0], x[2]), fmaxf(x[1], x[3]));
}
INLINE vf v_round(vf x) {
    return (vf){rintf(x[0]), rintf(x[1]), rintf(x[2]), rintf(x[3])};
}
INLINE vf v_scale2(vf x, vf n) {
    vi m = {(int)n[0], (int)n[1], (int)n[2], (int)n[3]}, half = m >> 1;
    return x * (vf)((half + 127) << 23) * (vf)((m - half + 127) << 23);
}
INLINE void v_transpose(vf r[4]) {
    vf t[4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            t[i][j] = r[j][i];
    for (int i = 0; i < 4; i++)
        r[i] = t[i];
}
#endif

/* e^x to 1.5 ulp + 2^-149 for x <= 88.7; 0 from -104 down (-inf too), NaN to NaN, e^0 = 1
 * exactly. e^x = 2^n e^r, n = round(x / ln 2), |r| <= ln(2)/2 (1 + 2^-20); e^r by its Taylor
 * polynomial of degree 7: remainder r^8/8! e^r < 1.2e-8 relative, roundings of the last two
 * steps dominate. */
INLINE vf v_exp(vf x) {
    vf clamped = v_select_below(x, v_set(-104.0f), v_set(-104.0f), x);
    clamped = v_select_below(v_set(89.0f), clamped, v_set(89.0f), clamped);
    vf n = v_round(clamped * v_set(0x1.715476p+0f));
    vf r = v_fnma(n, v_set(0x1.62e4p-1f), clamped); /* exact: 15 bits of ln 2 times at most 8 */
    r = v_fnma(n, v_set(0x1.7f7d1cp-20f), r);
    vf p = v_set(1.0f / 5040);
    p = v_fma(p, r, v_set(1.0f / 720));
    p = v_fma(p, r, v_set(1.0f / 120));
    p = v_fma(p, r, v_set(1.0f / 24));
    p = v_fma(p, r, v_set(1.0f / 6));
    p = v_fma(p, r, v_set(0.5f));
    p = v_fma(p, r * r, r) + v_set(1.0f);
    return v_scale2(p, n);
}
#endif

/* SPDX-License-Identifier: MIT
 * The kernels of one instruction set. */
#include "numerics/kernels/internal.h"
#include "numerics/kernels/simd.h"

#define KERNEL(name)                                                                               \
    extern mn_head_kernel *const MN_FN(name)[2];                                                   \
    size_t MN_CONCAT(name##_work, MN_ISA_NAME)(const mn_args *);
KERNEL(mn_linear)
KERNEL(mn_delta)
KERNEL(mn_vla)
KERNEL(mn_loglinear)
KERNEL(mn_vort)
KERNEL(mn_softmax)
extern mn_convolve_kernel *const MN_FN(mn_convolve)[3];
size_t MN_FN(mn_convolve_work)(const mn_convolution *);

/* Tokens of one head at a time: a multiple of its chunk (32, for VORT 96, for softmax 48);
 * longer where states are large. */
#define ENTRY(name, slice)                                                                         \
    { MN_FN(name), MN_CONCAT(name##_work, MN_ISA_NAME), slice }
const mn_table MN_FN(mn_table) = {
    .kernel = {[MN_LINEAR] = ENTRY(mn_linear, 32),
               [MN_DELTA] = ENTRY(mn_delta, 32),
               [MN_VLA] = ENTRY(mn_vla, 64),
               [MN_LOGLINEAR] = ENTRY(mn_loglinear, 512),
               [MN_VORT] = ENTRY(mn_vort, 960),
               [MN_SOFTMAX] = ENTRY(mn_softmax, 48)},
    .convolve = MN_FN(mn_convolve),
    .convolve_work = MN_FN(mn_convolve_work),
};

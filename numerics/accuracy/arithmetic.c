/* Formats, units and roundings of an arithmetic. */
#include "numerics/accuracy/arithmetic.h"

#include <math.h>

arithmetic arithmetic_library(void) {
    return (arithmetic){.output = ARRAY_F32, .operands = ARRAY_F32, .accumulate = ARRAY_F32};
}

arithmetic arithmetic_of(array_type output) {
    bool narrow = output == ARRAY_F16 || output == ARRAY_BF16;
    return (arithmetic){.output = output,
                        .operands = output,
                        .accumulate = narrow ? ARRAY_F32 : output,
                        .device = true,
                        .chunk = ARITHMETIC_CHUNK};
}

bool arithmetic_format(array_type type, int *bits, int *least, int *most) {
    static const int formats[ARRAY_TYPES][3] = {[ARRAY_F64] = {53, -1022, 1023},
                                                [ARRAY_F32] = {24, -126, 127},
                                                [ARRAY_F16] = {11, -14, 15},
                                                [ARRAY_BF16] = {8, -126, 127}};
    if ((unsigned)type >= ARRAY_TYPES || formats[type][0] == 0)
        return false;
    *bits = formats[type][0], *least = formats[type][1], *most = formats[type][2];
    return true;
}

static int bits_of(array_type type) {
    int bits = 0, least, most;
    arithmetic_format(type, &bits, &least, &most);
    return bits;
}

double arithmetic_accumulate_unit(const arithmetic *a) {
    bool truncated = a->device && (a->tf32 || bits_of(a->operands) < bits_of(a->accumulate));
    return ldexp(truncated ? 2 : 1, -bits_of(a->accumulate));
}

double arithmetic_operand_unit(const arithmetic *a) {
    if (a->tf32 && bits_of(a->operands) > 11)
        return 0x1p-10; /* low bits may just be dropped */
    return bits_of(a->operands) < bits_of(a->accumulate) ? ldexp(1, -bits_of(a->operands)) : 0;
}

double arithmetic_output_unit(const arithmetic *a) {
    return bits_of(a->output) < bits_of(a->accumulate) ? ldexp(1, -bits_of(a->output)) : 0;
}

/* No tensor core flushes float16's denormals. */
static double tiny(array_type type, bool device) {
    int bits = 1, least = 0, most;
    arithmetic_format(type, &bits, &least, &most);
    return ldexp(1, device && type != ARRAY_F16 ? least : least - bits + 1);
}
double arithmetic_accumulate_tiny(const arithmetic *a) {
    return tiny(a->accumulate, a->device);
}
double arithmetic_operand_tiny(const arithmetic *a) {
    return arithmetic_operand_unit(a) > 0 ? tiny(a->operands, a->device) : 0;
}
double arithmetic_output_tiny(const arithmetic *a) {
    return arithmetic_output_unit(a) > 0 ? tiny(a->output, a->device) : 0;
}

double arithmetic_operand(const arithmetic *a, double x) {
    if (!a->tf32 || bits_of(a->operands) <= 11)
        return array_round(a->operands, x);
    float single = (float)x;
    int exponent;
    if (!isfinite(single))
        return (double)single;
    double part = frexp((double)single, &exponent); /* 11 bits, ties to even */
    return ldexp(rint(ldexp(part, 11)), exponent - 11);
}

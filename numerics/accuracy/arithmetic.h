/* What a bound may assume of the arithmetic of a kernel, in a kernel developer's terms.
 *
 * Inputs are exact numbers of any type.  What is multiplied has been rounded to `operands` (for
 * bfloat16: decayed or scaled q and k, masked scores, softmax's probabilities, the state where it
 * is read, the delta rule's residual and its triangular inverse); products of operands are exact
 * or rounded to `accumulate`, and summed in it, in any order (tensor cores); states, gates,
 * normalisers, VLA's inverse and its gain are kept in `accumulate` from token to token and from
 * chunk to chunk; at most `chunk` tokens are worked on at once; outputs are rounded to `output`
 * at the end.
 *
 * device: with an accelerator's habits: gates are summed in the exponent within a chunk (instead
 * of multiplied), e^x is good to 4 u (instead of 3), sums are truncated where operands are
 * narrower than they (unit 2 u), denormal numbers may be flushed to zero. */
#ifndef ACCURACY_ARITHMETIC_H
#define ACCURACY_ARITHMETIC_H

#include "numerics/accuracy/array.h"

typedef struct {
    array_type output, operands, accumulate;
    bool tf32; /* operands are float32 with 11 bits */
    bool device;
    int64_t chunk; /* 0: as libmneme has it, each kernel's own */
} arithmetic;

enum { ARITHMETIC_CHUNK = 64, ARITHMETIC_MAX_CHUNK = 1024 };

/* libmneme's: float32 throughout, not of a device. */
arithmetic arithmetic_library(void);
/* What kernels from outside may be expected to do for this type of outputs, in chunks of at most
 * 64: float32 and float64 throughout; 16-bit operands and outputs with sums in float32. */
arithmetic arithmetic_of(array_type output);

/* Unit roundoffs: half the distance from 1 to the next number, for sums with truncation all of
 * it.  Output: 0 where rounding to it changes nothing that is in `accumulate`. */
double arithmetic_accumulate_unit(const arithmetic *a);
double arithmetic_operand_unit(const arithmetic *a); /* 0: operands are as wide as sums */
double arithmetic_output_unit(const arithmetic *a);
/* At most twice what an underflow may lose: the smallest number, or the smallest normal one where
 * it may be flushed. */
double arithmetic_accumulate_tiny(const arithmetic *a);
double arithmetic_operand_tiny(const arithmetic *a); /* 0 like the unit */
double arithmetic_output_tiny(const arithmetic *a);

/* Of a floating type: bits of the significand, exponents of the smallest normal number and of the
 * largest binade; false for other types. */
bool arithmetic_format(array_type type, int *bits, int *least, int *most);

/* x rounded to an operand, and to a sum. */
double arithmetic_operand(const arithmetic *a, double x);

#endif

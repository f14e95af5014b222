#include "numerics/exact/random.h"

uint64_t exact_hash(const char *text, uint64_t basis) {
    uint64_t h = basis ? basis : UINT64_C(14695981039346656037);
    for (; *text != '\0'; text++) {
        h ^= (unsigned char)*text;
        h *= UINT64_C(1099511628211);
    }
    return h;
}

uint64_t exact_random_next(exact_random *r) {
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

slong exact_random_integer(exact_random *r, slong low, slong high) {
    uint64_t span = (uint64_t)(high - low) + 1;
    return low + (slong)(exact_random_next(r) % span);
}

void exact_random_rational(fmpq_t out, exact_random *r, slong size) {
    slong numerator = exact_random_integer(r, -size, size);
    fmpq_set_si(out, numerator, (ulong)exact_random_integer(r, 1, size));
}

void exact_random_fraction(fmpq_t out, exact_random *r, slong low, slong high, slong least,
                           slong most) {
    slong denominator = exact_random_integer(r, least, most);
    fmpq_set_si(out, exact_random_integer(r, low, high), (ulong)denominator);
}

#include "numerics/exact/modes.h"

void exact_modes_recurrence(fmpq *y, const fmpq *v, const fmpq *c, const fmpq *x, slong steps,
                            slong width, slong modes, modes_operations *ops) {
    fmpq *g = _fmpq_vec_init(modes * width);
    ops->update = ops->read = 0;
    for (slong t = 0; t < steps; t++) {
        for (slong i = 0; i < width; i++)
            fmpq_zero(y + t * width + i);
        for (slong s = 0; s < modes; s++)
            for (slong i = 0; i < width; i++) {
                fmpq *state = g + s * width + i;
                fmpq_mul(state, state, x + s);
                fmpq_add(state, state, v + t * width + i);
                ops->update++;
                fmpq_addmul(y + t * width + i, c + s, state);
                ops->read++;
            }
    }
    _fmpq_vec_clear(g, modes * width);
}

void exact_modes_convolution(fmpq *y, const fmpq *v, const fmpq *kernel, slong steps, slong width) {
    for (slong t = 0; t < steps; t++)
        for (slong i = 0; i < width; i++) {
            fmpq *out = y + t * width + i;
            fmpq_zero(out);
            for (slong j = 0; j <= t; j++)
                fmpq_addmul(out, kernel + j, v + (t - j) * width + i);
        }
}

void exact_modes_kernel(fmpq *kernel, const fmpq *c, const fmpq *x, slong modes, slong n) {
    fmpq_t power;
    fmpq_init(power);
    for (slong j = 0; j < n; j++)
        fmpq_zero(kernel + j);
    for (slong s = 0; s < modes; s++) {
        fmpq_set(power, c + s);
        for (slong j = 0; j < n; j++) {
            fmpq_add(kernel + j, kernel + j, power);
            fmpq_mul(power, power, x + s);
        }
    }
    fmpq_clear(power);
}

void exact_modes_keyed(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v, const slong *bank,
                       const fmpq *c, const fmpq *x, slong steps, slong keys, slong width,
                       slong banks, slong modes, modes_operations *ops) {
    fmpq *g = _fmpq_vec_init(banks * modes * keys * width);
    fmpq_t t;
    fmpq_init(t);
    ops->update = ops->read = 0;
    for (slong step = 0; step < steps; step++) {
        for (slong i = 0; i < width; i++)
            fmpq_zero(y + step * width + i);
        for (slong b = 0; b < banks; b++)
            for (slong s = 0; s < modes; s++)
                for (slong a = 0; a < keys; a++)
                    for (slong i = 0; i < width; i++) {
                        fmpq *state = g + ((b * modes + s) * keys + a) * width + i;
                        fmpq_mul(state, state, x + b * modes + s);
                        if (bank[step] == b)
                            fmpq_addmul(state, k + step * keys + a, v + step * width + i);
                        ops->update++;
                        fmpq_mul(t, c + b * modes + s, q + step * keys + a);
                        fmpq_addmul(y + step * width + i, t, state);
                        ops->read++;
                    }
    }
    fmpq_clear(t);
    _fmpq_vec_clear(g, banks * modes * keys * width);
}

void exact_modes_keyed_sum(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v, const slong *bank,
                           const fmpq *c, const fmpq *x, slong steps, slong keys, slong width,
                           slong modes) {
    fmpq *kernel = _fmpq_vec_init(steps);
    fmpq_t score;
    fmpq_init(score);
    for (slong i = 0; i < steps * width; i++)
        fmpq_zero(y + i);
    for (slong i = 0; i < steps; i++) { /* token i, seen from t = i on */
        exact_modes_kernel(kernel, c + bank[i] * modes, x + bank[i] * modes, modes, steps - i);
        for (slong t = i; t < steps; t++) {
            fmpq_zero(score);
            for (slong a = 0; a < keys; a++)
                fmpq_addmul(score, q + t * keys + a, k + i * keys + a);
            fmpq_mul(score, score, kernel + t - i);
            for (slong w = 0; w < width; w++)
                fmpq_addmul(y + t * width + w, score, v + i * width + w);
        }
    }
    fmpq_clear(score);
    _fmpq_vec_clear(kernel, steps);
}

#include "numerics/exact/fenwick.h"

slong fenwick_bit_length(ulong x) {
    return (slong)FLINT_BIT_COUNT(x);
}

slong fenwick_level(ulong t, ulong s) {
    return fenwick_bit_length(t ^ s);
}

static slong popcount(ulong x) {
    slong n = 0;
    for (; x != 0; x &= x - 1)
        n++;
    return n;
}

slong fenwick_live(ulong t) {
    return popcount(t) + 1;
}

int fenwick_interval(ulong *first, ulong *count, ulong t, slong level) {
    *first = *count = 0;
    if (level == 0) {
        *first = t;
        *count = 1;
        return 1;
    }
    slong b = level - 1;
    if (b < 0 || b > 63 || (t >> b & 1) == 0)
        return 0;
    *first = (t >> b & ~UWORD(1)) << b;
    *count = UWORD(1) << b;
    return 1;
}

slong fenwick_merges(ulong t) {
    slong n = 0;
    for (; (t & 1) != 0; t >>= 1)
        n++;
    return n;
}

slong fenwick_slots(ulong steps) {
    return steps == 0 ? 0 : fenwick_bit_length(steps - 1) + 1;
}

void fenwick_popcount_sum(fmpz_t sum, const fmpz_t steps) {
    fmpz_t whole, rest, half;
    fmpz_init(whole);
    fmpz_init(rest);
    fmpz_init(half);
    fmpz_zero(sum);
    for (ulong b = 0; b < fmpz_bits(steps); b++) {
        /* bit b is set in the upper half of each period of 2^(b+1) */
        fmpz_fdiv_q_2exp(whole, steps, b + 1);
        fmpz_mul_2exp(whole, whole, b);
        fmpz_add(sum, sum, whole);
        fmpz_fdiv_r_2exp(rest, steps, b + 1);
        fmpz_one(half);
        fmpz_mul_2exp(half, half, b);
        fmpz_sub(rest, rest, half);
        if (fmpz_sgn(rest) > 0)
            fmpz_add(sum, sum, rest);
    }
    fmpz_clear(whole);
    fmpz_clear(rest);
    fmpz_clear(half);
}

void fenwick_counter_start(fenwick_counter *c) {
    for (slong l = 0; l < FENWICK_LEVELS; l++)
        c->first[l] = c->count[l] = 0;
    c->position = c->merges = 0;
    c->count[0] = 1;
    c->live = 1;
}

/* Levels 0 .. m hold adjacent intervals, the higher the earlier; they become one at level m+1, the
   first level that is empty. */
void fenwick_counter_step(fenwick_counter *c) {
    ulong first = c->first[0], count = c->count[0];
    slong l = 1;
    c->count[0] = 0;
    for (; c->count[l] != 0; l++) {
        first = c->first[l];
        count += c->count[l];
        c->count[l] = 0;
        c->merges++;
        c->live--;
    }
    c->first[l] = first;
    c->count[l] = count;
    c->first[0] = ++c->position;
    c->count[0] = 1;
    c->live++;
}

static fenwick_status shape_status(const fenwick_shape *shape) {
    if (shape->steps < 0 || shape->keys < 0 || shape->width < 0 || shape->levels < 0)
        return FENWICK_BAD_SHAPE;
    return shape->levels < fenwick_slots((ulong)shape->steps) ? FENWICK_FEW_LEVELS : FENWICK_OK;
}

/* state += or := k v^T */
static void write_outer(fmpq *state, const fmpq *k, const fmpq *v, slong keys, slong width) {
    for (slong i = 0; i < keys; i++)
        for (slong j = 0; j < width; j++)
            fmpq_mul(state + i * width + j, k + i, v + j);
}

/* y[j] += weight sum_i q_i state[i][j] */
static void read_state(fmpq *y, const fmpq *state, const fmpq *q, const fmpq_t weight, slong keys,
                       slong width) {
    fmpq_t sum;
    fmpq_init(sum);
    for (slong j = 0; j < width; j++) {
        fmpq_zero(sum);
        for (slong i = 0; i < keys; i++)
            fmpq_addmul(sum, q + i, state + i * width + j);
        fmpq_addmul(y + j, weight, sum);
    }
    fmpq_clear(sum);
}

/* The carry between t-1 and t: levels 1 .. m are added to level 0, which becomes level m+1. */
static void merge_levels(fmpq *state, char *live, slong size, fenwick_operations *ops) {
    slong l = 1;
    for (; live[l]; l++) {
        for (slong e = 0; e < size; e++) {
            fmpq_add(state + e, state + e, state + l * size + e);
            fmpq_zero(state + l * size + e);
        }
        live[l] = 0;
        ops->merge += (ulong)size;
        ops->live--;
    }
    for (slong e = 0; e < size; e++)
        fmpq_swap(state + e, state + l * size + e);
    live[l] = 1;
}

fenwick_status fenwick_recurrence(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v,
                                  const fmpq *gate, const fmpq *lambda, const fenwick_shape *shape,
                                  fenwick_operations *ops) {
    fenwick_status status = shape_status(shape);
    if (status != FENWICK_OK)
        return status;
    slong size = shape->keys * shape->width, levels = fenwick_slots((ulong)shape->steps) + 1;
    char live[FENWICK_LEVELS + 1] = {0};
    fmpq *state = _fmpq_vec_init(FLINT_MAX(levels * size, 1));
    fenwick_operations run = {0}; /* run.live: states held now */
    ulong most = 0;
    for (slong t = 0; t < shape->steps; t++) {
        if (t > 0) {
            merge_levels(state, live, size, &run);
            for (slong l = 1; l < levels; l++) {
                if (!live[l])
                    continue;
                for (slong e = 0; e < size; e++)
                    fmpq_mul(state + l * size + e, state + l * size + e, gate + t);
                run.gate += (ulong)size;
            }
        }
        write_outer(state, k + t * shape->keys, v + t * shape->width, shape->keys, shape->width);
        live[0] = 1;
        run.write += (ulong)size;
        run.live++;
        most = FLINT_MAX(most, run.live);
        for (slong j = 0; j < shape->width; j++)
            fmpq_zero(y + t * shape->width + j);
        for (slong l = 0; l < levels; l++) {
            if (!live[l])
                continue;
            read_state(y + t * shape->width, state + l * size, q + t * shape->keys,
                       lambda + t * shape->levels + l, shape->keys, shape->width);
            run.read += (ulong)size;
        }
    }
    _fmpq_vec_clear(state, FLINT_MAX(levels * size, 1));
    if (ops != NULL) {
        *ops = run;
        ops->live = most;
    }
    return FENWICK_OK;
}

fenwick_status fenwick_masked(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v,
                              const fmpq *gate, const fmpq *lambda, const fenwick_shape *shape) {
    fenwick_status status = shape_status(shape);
    if (status != FENWICK_OK)
        return status;
    fmpq_t product, weight;
    fmpq_init(product);
    fmpq_init(weight);
    for (slong t = 0; t < shape->steps; t++) {
        for (slong j = 0; j < shape->width; j++)
            fmpq_zero(y + t * shape->width + j);
        fmpq_one(product);
        for (slong s = t; s >= 0; s--) { /* product = g_{s+1} ... g_t */
            fmpq_zero(weight);
            for (slong i = 0; i < shape->keys; i++)
                fmpq_addmul(weight, q + t * shape->keys + i, k + s * shape->keys + i);
            fmpq_mul(weight, weight, product);
            fmpq_mul(weight, weight,
                     lambda + t * shape->levels + fenwick_level((ulong)t, (ulong)s));
            for (slong j = 0; j < shape->width; j++)
                fmpq_addmul(y + t * shape->width + j, weight, v + s * shape->width + j);
            fmpq_mul(product, product, gate + s);
        }
    }
    fmpq_clear(product);
    fmpq_clear(weight);
    return FENWICK_OK;
}

void fenwick_linear(fmpq *y, const fmpq *q, const fmpq *k, const fmpq *v, const fmpq *gate,
                    const fenwick_shape *shape) {
    slong size = shape->keys * shape->width;
    fmpq *state = _fmpq_vec_init(FLINT_MAX(size, 1));
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    for (slong t = 0; t < shape->steps; t++) {
        for (slong i = 0; i < shape->keys; i++)
            for (slong j = 0; j < shape->width; j++) {
                fmpq *entry = state + i * shape->width + j;
                fmpq_mul(entry, entry, gate + t);
                fmpq_addmul(entry, k + t * shape->keys + i, v + t * shape->width + j);
            }
        for (slong j = 0; j < shape->width; j++)
            fmpq_zero(y + t * shape->width + j);
        read_state(y + t * shape->width, state, q + t * shape->keys, one, shape->keys,
                   shape->width);
    }
    _fmpq_vec_clear(state, FLINT_MAX(size, 1));
    fmpq_clear(one);
}

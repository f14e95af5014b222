/* vort.keyed-retrieval: the states G_t, b_t against their double sums, in Q, with the cost
   counted. */
#include "numerics/exact/number.h"
#include "theorems/vort/keyed_retrieval/keyed.h"

enum { STEPS = 14, KEYS = 3, WIDTH = 2, BANKS = 2, MODES = 3, CELLS = KEYS * (WIDTH + 1) };

typedef struct {
    fmpq *q, *k, *v, *c, *x; /* [STEPS][KEYS], same, [STEPS][WIDTH], [BANKS][MODES], same */
    slong bank[STEPS];
} memory;

/* out[t][i][0..WIDTH-1] := row i of G_t = sum_{b,s} c_{b,s} G_{b,s}, out[t][i][WIDTH] := b_t's
   entry i; each state entry is multiplied once by its x and read once with its c. */
static void run(fmpq *out, const memory *m, slong *updates, slong *reads) {
    fmpq *state = _fmpq_vec_init(BANKS * MODES * CELLS);
    for (slong t = 0; t < STEPS; t++)
        for (slong b = 0; b < BANKS; b++)
            for (slong s = 0; s < MODES; s++)
                for (slong i = 0; i < KEYS; i++)
                    for (slong d = 0; d <= WIDTH; d++) {
                        fmpq *g = state + (b * MODES + s) * CELLS + i * (WIDTH + 1) + d;
                        fmpq_mul(g, g, m->x + b * MODES + s);
                        if (m->bank[t] == b && d < WIDTH)
                            fmpq_addmul(g, m->k + t * KEYS + i, m->v + t * WIDTH + d);
                        else if (m->bank[t] == b)
                            fmpq_add(g, g, m->k + t * KEYS + i);
                        fmpq_addmul(out + t * CELLS + i * (WIDTH + 1) + d, m->c + b * MODES + s, g);
                        updates[d == WIDTH]++;
                        reads[d == WIDTH]++;
                    }
    _fmpq_vec_clear(state, BANKS * MODES * CELLS);
}

/* w := sum_s c_s x_s^lag of the bank */
static void kernel(fmpq_t w, const memory *m, slong bank, slong lag) {
    fmpq_t power;
    fmpq_init(power);
    fmpq_zero(w);
    for (slong s = 0; s < MODES; s++) {
        fmpq_pow_si(power, m->x + bank * MODES + s, lag);
        fmpq_addmul(w, m->c + bank * MODES + s, power);
    }
    fmpq_clear(power);
}

/* G_t = sum_{i<=t} w_{t-i}(bank_i) k_i v_i^T, b_t = sum_{i<=t} w_{t-i}(bank_i) k_i; then the
   retrieved q.G/q.b against the weighted mean of values; then the counts against K S d_k d_v and K
   S d_k. */
void keyed_check_recurrence(check_context *ctx, const void *parameter) {
    const keyed_parameter *p = parameter;
    exact_random r = {ctx->seed};
    slong updates[2] = {0, 0}, reads[2] = {0, 0};
    memory m = {_fmpq_vec_init(STEPS * KEYS),  _fmpq_vec_init(STEPS * KEYS),
                _fmpq_vec_init(STEPS * WIDTH), _fmpq_vec_init(BANKS * MODES),
                _fmpq_vec_init(BANKS * MODES), {0}};
    fmpq *state = _fmpq_vec_init(STEPS * CELLS), *cell = _fmpq_vec_init(CELLS),
         *s = _fmpq_vec_init(6);
    fmpq *w = s, *score = s + 1, *above = s + 2, *below = s + 3, *other = s + 4, *sum = s + 5;
    for (slong i = 0; i < STEPS * KEYS; i++) { /* positive features */
        fmpq_set_si(m.q + i, exact_random_integer(&r, 1, 30), 7);
        fmpq_set_si(m.k + i, exact_random_integer(&r, 1, 30), 11);
    }
    for (slong i = 0; i < STEPS * WIDTH; i++)
        exact_random_rational(m.v + i, &r, 9);
    for (slong i = 0; i < BANKS * MODES; i++) {
        fmpq_set_si(m.c + i, exact_random_integer(&r, 1, 12), 5);
        fmpq_set_si(m.x + i, exact_random_integer(&r, 1, 12), 12);
    }
    for (slong t = 0; t < STEPS; t++)
        m.bank[t] = exact_random_integer(&r, 0, BANKS - 1);
    run(state, &m, updates, reads);
    for (slong t = 0; t < STEPS; t++) {
        for (slong i = 0; i < CELLS; i++)
            fmpq_zero(cell + i);
        fmpq_zero(above);
        fmpq_zero(below);
        for (slong i = 0; i <= t; i++) {
            kernel(w, &m, m.bank[i], t - i + p->late);
            fmpq_zero(score);
            for (slong a = 0; a < KEYS; a++) {
                fmpq_addmul(score, m.q + t * KEYS + a, m.k + i * KEYS + a);
                fmpq_mul(sum, w, m.k + i * KEYS + a);
                fmpq_add(cell + a * (WIDTH + 1) + WIDTH, cell + a * (WIDTH + 1) + WIDTH, sum);
                for (slong d = 0; d < WIDTH; d++)
                    fmpq_addmul(cell + a * (WIDTH + 1) + d, sum, m.v + i * WIDTH + d);
            }
            fmpq_mul(score, score, w);
            fmpq_add(below, below, score);
            fmpq_addmul(above, score, m.v + i * WIDTH);
        }
        for (slong i = 0; i < CELLS; i++)
            claim_decide_fmpq(ctx, "states = double sums", state + t * CELLS + i, RELATION_EQ,
                              cell + i);
        fmpq_div(above, above, below);
        fmpq_zero(sum);
        fmpq_zero(other);
        for (slong a = 0; a < KEYS; a++) {
            const fmpq *row = state + t * CELLS + a * (WIDTH + 1);
            fmpq_addmul(sum, m.q + t * KEYS + a, row);
            fmpq_addmul(other, m.q + t * KEYS + a, row + WIDTH);
        }
        fmpq_div(sum, sum, other);
        claim_decide_fmpq(ctx, "q.G_t/q.b_t = weighted mean of the values", sum, RELATION_EQ,
                          above);
    }
    slong modes = MODES + p->extra;
    claim_decide_si(ctx, "update of G: K S d_phi d_v a step", updates[0], RELATION_EQ,
                    STEPS * BANKS * modes * KEYS * WIDTH);
    claim_decide_si(ctx, "read of G: K S d_phi d_v a step", reads[0], RELATION_EQ,
                    STEPS * BANKS * modes * KEYS * WIDTH);
    claim_decide_si(ctx, "update of b: K S d_phi a step", updates[1], RELATION_EQ,
                    STEPS * BANKS * modes * KEYS);
    claim_decide_si(ctx, "read of b: K S d_phi a step", reads[1], RELATION_EQ,
                    STEPS * BANKS * modes * KEYS);
    _fmpq_vec_clear(m.q, STEPS * KEYS);
    _fmpq_vec_clear(m.k, STEPS * KEYS);
    _fmpq_vec_clear(m.v, STEPS * WIDTH);
    _fmpq_vec_clear(m.c, BANKS * MODES);
    _fmpq_vec_clear(m.x, BANKS * MODES);
    _fmpq_vec_clear(state, STEPS * CELLS);
    _fmpq_vec_clear(cell, CELLS);
    _fmpq_vec_clear(s, 6);
}

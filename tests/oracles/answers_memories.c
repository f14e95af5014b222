/* Memories, VLA, witnesses. */
#include "tests/oracles/answers.h"
#include "numerics/exact/fenwick.h"
#include "numerics/exact/modes.h"
#include "numerics/exact/vla.h"
#include "numerics/exact/vla_growth.h"
#include "numerics/exact/witness.h"

/* ---- memories ---- */

void answer_fenwick(const char *name) {
    if (strcmp(name, "levels") == 0) { /* t: slots of t+1, live, merges, levels of 0..t */
        ulong t = (ulong)get_si();
        printf(" %ld %ld %ld", (long)fenwick_slots(t + 1), (long)fenwick_live(t),
               (long)fenwick_merges(t));
        for (ulong s = 0; s <= t; s++)
            printf(" %ld", (long)fenwick_level(t, s));
    } else if (strcmp(name, "popcounts") == 0) {
        fmpz_t sum, steps;
        fmpz_init(sum);
        fmpz_init(steps);
        get_z(steps);
        fenwick_popcount_sum(sum, steps);
        printf(" ");
        fmpz_print(sum);
        fmpz_clear(sum);
        fmpz_clear(steps);
    } else { /* q k v gate lambda: y by both ways */
        slong n[5];
        fmpq *x[5];
        fenwick_shape shape;
        shape.steps = get_si();
        shape.keys = get_si();
        shape.width = get_si();
        shape.levels = get_si();
        for (int i = 0; i < 5; i++)
            x[i] = get_list(n + i);
        slong size = shape.steps * shape.width;
        fmpq *y = _fmpq_vec_init(size);
        int ok = fenwick_recurrence(y, x[0], x[1], x[2], x[3], x[4], &shape, NULL) == FENWICK_OK;
        put_list(y, size);
        ok &= fenwick_masked(y, x[0], x[1], x[2], x[3], x[4], &shape) == FENWICK_OK;
        put_list(y, size);
        if (!ok)
            printf(" failed");
        _fmpq_vec_clear(y, size);
        for (int i = 0; i < 5; i++)
            _fmpq_vec_clear(x[i], n[i] > 0 ? n[i] : 1);
    }
}

/* steps keys width modes, q k v bank c x: y of the keyed memory; its plain one for v[.][0] with bank 0 */
void answer_modes(const char *name) {
    (void)name;
    slong steps = get_si(), keys = get_si(), width = get_si(), banks = get_si(), modes = get_si(),
          n[6];
    fmpq *x[6];
    for (int i = 0; i < 6; i++)
        x[i] = get_list(n + i);
    slong *bank = malloc((size_t)steps * sizeof *bank);
    for (slong t = 0; t < steps; t++)
        bank[t] = fmpz_get_si(fmpq_numref(x[3] + t));
    fmpq *y = _fmpq_vec_init(steps * width);
    modes_operations ops = {0, 0};
    exact_modes_keyed(y, x[0], x[1], x[2], bank, x[4], x[5], steps, keys, width, banks, modes,
                      &ops);
    put_list(y, steps * width);
    exact_modes_recurrence(y, x[2], x[4], x[5], steps, width, modes, &ops);
    put_list(y, steps * width);
    _fmpq_vec_clear(y, steps * width);
    free(bank);
    for (int i = 0; i < 6; i++)
        _fmpq_vec_clear(x[i], n[i] > 0 ? n[i] : 1);
}

/* ---- VLA ---- */

void answer_vla(const char *name) {
    if (strcmp(name, "vla-bound") == 0) { /* v2 u2 lambda0 rank dim */
        fmpq_t q, lambda0;
        arb_t v2, u2;
        fmpq_init(q);
        fmpq_init(lambda0);
        arb_init(v2);
        arb_init(u2);
        get_q(q);
        arb_set_fmpq(v2, q, 200);
        get_q(q);
        arb_set_fmpq(u2, q, 200);
        get_q(lambda0);
        slong rank = get_si();
        vla_bound(v2, v2, u2, lambda0, rank, get_si(), 200);
        put_ball(v2);
        arb_clear(v2);
        arb_clear(u2);
        fmpq_clear(q);
        fmpq_clear(lambda0);
        return;
    }
    if (strcmp(name, "norms") == 0) { /* rows dim matrix: trace, pivots */
        slong rows = get_si(), dim = get_si(), n;
        fmpq *q = get_list(&n);
        arb_ptr s = balls_of(q, n, 300);
        arb_t x;
        arb_init(x);
        vla_norm_trace(x, s, rows, dim, 300);
        put_ball(x);
        vla_norm_pivots(x, s, rows, dim, 300);
        put_ball(x);
        arb_clear(x);
        _arb_vec_clear(s, n);
        _fmpq_vec_clear(q, n);
        return;
    }
    /* lambda0 rows dim steps every delta keys u v: state and norm of the run; by brute force (every 0) */
    fmpq_t lambda0, delta;
    slong n[3];
    fmpq *q[3];
    arb_ptr x[3];
    vla_run_t run;
    fmpq_init(lambda0);
    fmpq_init(delta);
    get_q(lambda0);
    slong rows = get_si(), dim = get_si(), steps = get_si(), every = get_si();
    get_q(delta);
    for (int i = 0; i < 3; i++) {
        q[i] = get_list(n + i);
        x[i] = balls_of(q[i], n[i], 300);
    }
    arb_ptr state = _arb_vec_init(rows * dim);
    int ok = vla_run_init(run, lambda0, rows, dim, 300) == VLA_OK;
    for (slong t = 0; t < steps && ok; t++) {
        ok = vla_run_step(run, x[0] + t * dim, x[1] + t * dim, x[2] + t * rows) == VLA_OK;
        if (ok && every > 0 && (t + 1) % every == 0)
            ok = vla_run_refresh(run, delta) == VLA_OK;
    }
    vla_run_state(state, run);
    put_balls(state, rows * dim);
    vla_run_norm(state, run);
    put_ball(state);
    if (every == 0) {
        ok &= vla_brute(state, lambda0, steps, rows, dim, x[0], x[1], x[2], NULL, 300) == VLA_OK;
        put_balls(state, rows * dim);
    }
    if (!ok)
        printf(" failed");
    vla_run_clear(run);
    _arb_vec_clear(state, rows * dim);
    for (int i = 0; i < 3; i++) {
        _arb_vec_clear(x[i], n[i] > 0 ? n[i] : 1);
        _fmpq_vec_clear(q[i], n[i] > 0 ? n[i] : 1);
    }
    fmpq_clear(delta);
    fmpq_clear(lambda0);
}

/* x in floats' range, as a double: ELU(x)+1 */
void answer_features(const char *name) {
    (void)name;
    fmpq_t q;
    arb_t f;
    fmpq_init(q);
    arb_init(f);
    get_q(q);
    arf_t x;
    arf_init(x);
    arf_set_fmpq(x, q, 53, ARF_RND_NEAR);
    double d = arf_get_d(x, ARF_RND_NEAR);
    vla_features(f, &d, 1, 200);
    put_ball(f);
    arf_clear(x);
    arb_clear(f);
    fmpq_clear(q);
}

/* kind, then (name list)...: the value that the inputs give */
void answer_replay(const char *name) {
    (void)name;
    witness_t w;
    enclosure_t value, zero;
    const char *reason = NULL, *input;
    enclosure_init(value);
    enclosure_init(zero);
    witness_init(w, "case", word());
    while ((input = strtok(NULL, " \n")) != NULL) {
        slong n;
        fmpq *list = get_list(&n);
        witness_add(w, input, list, n);
        _fmpq_vec_clear(list, n > 0 ? n : 1);
    }
    witness_conclude(w, zero, RELATION_GE, zero, 128);
    replay_status status = witness_replay(value, &reason, w);
    if (status == REPLAY_BAD_INPUT || status == REPLAY_UNKNOWN_KIND)
        printf(" refused: %s", reason != NULL ? reason : "unknown kind");
    else if (value->type == ENCLOSURE_RATIONAL)
        put_q(value->rational);
    else
        put_ball(value->ball);
    enclosure_clear(value);
    enclosure_clear(zero);
    witness_clear(w);
}

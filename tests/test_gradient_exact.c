/* The reverse passes against forward mode through the definitions: <d_o, J x> = <J^T d_o, x>,
 * exactly in rational numbers and in narrow balls; and against differences. */
#include "tests/gradients_dual.h"

/* Every kernel with everything that it may be given. */
static const head_shape shapes[] = {
    {.kernel = MN_LINEAR, .length = 5, .group = 2, .dk = 2, .dv = 3, .d_state = true},
    {.kernel = MN_LINEAR,
     .length = 6,
     .group = 1,
     .dk = 2,
     .dv = 2,
     .gate = true,
     .state_in = true,
     .d_state = true,
     .closed = true},
    {.kernel = MN_LINEAR,
     .length = 5,
     .group = 2,
     .dk = 3,
     .dv = 2,
     .gate_keys = true,
     .state_in = true,
     .d_state = true,
     .closed = true},
    {.kernel = MN_LINEAR,
     .length = 5,
     .group = 2,
     .dk = 2,
     .dv = 2,
     .gate_keys = true,
     .normalise = true,
     .state_in = true,
     .d_state = true},
    {.kernel = MN_LINEAR,
     .length = 4,
     .group = 1,
     .dk = 2,
     .dv = 2,
     .gate = true,
     .normalise = true},
    {.kernel = MN_DELTA,
     .length = 5,
     .group = 2,
     .dk = 2,
     .dv = 3,
     .beta = true,
     .gate = true,
     .state_in = true,
     .d_state = true,
     .closed = true},
    {.kernel = MN_DELTA, .length = 5, .group = 1, .dk = 3, .dv = 1, .d_state = true},
    {.kernel = MN_DELTA, .length = 4, .group = 1, .dk = 1, .dv = 1, .gate = true},
    {.kernel = MN_VLA, .length = 4, .group = 2, .dk = 2, .dv = 2, .d_state = true},
    {.kernel = MN_VLA,
     .length = 5,
     .group = 1,
     .dk = 1,
     .dv = 2,
     .refresh_every = 2,
     .position = 1,
     .d_state = true},
    {.kernel = MN_VLA,
     .length = 4,
     .group = 2,
     .dk = 2,
     .dv = 1,
     .refresh_every = 3,
     .normalise = true,
     .state_in = true,
     .d_state = true},
    {.kernel = MN_VLA,
     .length = 3,
     .group = 1,
     .dk = 3,
     .dv = 2,
     .state_in = true,
     .position = 2,
     .refresh_every = 2},
    {.kernel = MN_LOGLINEAR,
     .length = 9,
     .group = 1,
     .dk = 2,
     .dv = 1,
     .levels = 5,
     .lambda = true,
     .gate = true,
     .d_state = true,
     .closed = true},
    {.kernel = MN_LOGLINEAR,
     .length = 7,
     .group = 2,
     .dk = 1,
     .dv = 2,
     .levels = 5,
     .lambda = true,
     .gate = true,
     .state_in = true,
     .d_state = true,
     .position = 5},
    {.kernel = MN_LOGLINEAR,
     .length = 6,
     .group = 1,
     .dk = 2,
     .dv = 2,
     .levels = 5,
     .state_in = true,
     .d_state = true,
     .position = 3},
    {.kernel = MN_VORT,
     .length = 6,
     .group = 2,
     .dk = 2,
     .dv = 1,
     .banks = 2,
     .modes = 2,
     .state_in = true,
     .d_state = true},
    {.kernel = MN_VORT,
     .length = 5,
     .group = 1,
     .dk = 2,
     .dv = 2,
     .banks = 2,
     .modes = 1,
     .normalise = true,
     .state_in = true,
     .d_state = true},
    {.kernel = MN_VORT, .length = 5, .group = 1, .dk = 1, .dv = 2, .banks = 1, .modes = 2},
    {.kernel = MN_SOFTMAX, .length = 6, .group = 2, .dk = 3, .dv = 2, .past = 3},
    {.kernel = MN_SOFTMAX, .length = 5, .group = 1, .dk = 1, .dv = 1},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void adjoint_in_rationals(void **state) {
    (void)state;
    fmpq_t left, right;
    fmpq_init(left), fmpq_init(right);
    for (long number = 0; number < test_count(3); number++)
        for (int i = 0; i < SHAPES; i++) {
            if (shapes[i].kernel == MN_SOFTMAX)
                continue;
            exact_random r = {test_seed("gradient.rational") + (uint64_t)(number * SHAPES + i)};
            test_head c;
            make_head(&c, &gradient_rationals, shapes + i, &r);
            assert_case(run_pass(&c) == REFERENCE_OK, "gradient.rational", number * SHAPES + i);
            definition(&c, NULL, false);
            paired(&c, left), along(&c, right);
            assert_case(fmpq_equal(left, right), "gradient.rational", number * SHAPES + i);
            assert_false(fmpq_is_zero(left));
            clear_head(&c);
        }
    fmpq_clear(left), fmpq_clear(right);
}

/* x and y overlap, and both are narrow: radius < 2^-300 of the size of y, or of 1. */
static bool same_narrow(const arb_t x, const arb_t y) {
    return arb_overlaps(x, y) && arb_rel_accuracy_bits(x) > 300 && arb_rel_accuracy_bits(y) > 300;
}

/* Balls at 512 bits: softmax, gates e^g, VLA with any keys. */
static void adjoint_in_balls(void **state) {
    (void)state;
    gradient_field f = gradient_balls;
    f.prec = 512;
    arb_t left, right;
    arb_init(left), arb_init(right);
    for (long number = 0; number < test_count(2); number++)
        for (int i = 0; i < SHAPES; i++) {
            exact_random r = {test_seed("gradient.balls") + (uint64_t)(number * SHAPES + i)};
            test_head c;
            make_head(&c, &f, shapes + i, &r);
            slong gates = c.h.gate ? c.h.length : c.h.gate_keys ? c.h.length * c.h.dk : 0;
            for (slong n = 0; n < gates; n++)
                assert_true(f.gate(&f, gradient_at(&f, c.h.gate ? c.h.gate : c.h.gate_keys, n),
                                   n % 7 == 3 ? -INFINITY : -0.125f * (float)n));
            assert_case(run_pass(&c) == REFERENCE_OK, "gradient.balls", number * SHAPES + i);
            definition(&c, NULL, false);
            paired(&c, left), along(&c, right);
            assert_case(same_narrow(left, right), "gradient.balls", number * SHAPES + i);
            clear_head(&c);
        }
    arb_clear(left), arb_clear(right);
}

/* (L(x + h y) - L(x - h y)) / (2 h) at 1024 bits, from values of the definition alone, is off by
 * h^2 / 6 times the third derivative along y: with h = 2^-200 and 2^-199 by amounts in the ratio of
 * 4, and by less than 2^-340.  Gates: L is rational in them, and the direction d(e^g) = e^g dg is
 * taken as it is. */
static void differences(void **state) {
    (void)state;
    gradient_field f = gradient_balls;
    f.prec = 1024;
    arb_t x, y, h, want, off[2];
    arb_init(x), arb_init(y), arb_init(h), arb_init(want), arb_init(off[0]), arb_init(off[1]);
    for (int i = 0; i < SHAPES; i++) {
        exact_random r = {test_seed("gradient.differences") + (uint64_t)i};
        test_head c;
        make_head(&c, &f, shapes + i, &r);
        assert_int_equal(run_pass(&c), REFERENCE_OK);
        along(&c, want);
        for (int k = 0; k < 2; k++) {
            arb_one(h);
            arb_mul_2exp_si(h, h, k - 200);
            definition(&c, h, true), paired(&c, x);
            arb_neg(h, h);
            definition(&c, h, true), paired(&c, y);
            arb_sub(off[k], x, y, f.prec);
            arb_mul_2exp_si(off[k], off[k], 199 - k);
            arb_sub(off[k], off[k], want, f.prec);
            mag_t m;
            mag_init(m);
            arb_get_mag(m, off[k]);
            assert_case(mag_cmp_2exp_si(m, -340) < 0, "gradient.differences", i);
            mag_clear(m);
        }
        arb_mul_2exp_si(off[0], off[0], 2);
        arb_sub(x, off[0], off[1], f.prec); /* the h^4 that is left, and roundings */
        mag_t m;
        mag_init(m);
        arb_get_mag(m, x);
        assert_case(mag_cmp_2exp_si(m, -700) < 0, "gradient.differences", i);
        mag_clear(m);
        clear_head(&c);
    }
    arb_clear(x), arb_clear(y), arb_clear(h), arb_clear(want), arb_clear(off[0]), arb_clear(off[1]);
}

/* A copy of tokens [first, first + length) of a head, with room for its own results. */
static void cut(test_head *piece, const test_head *c, slong first, slong length, number *state_in,
                number *d_state) {
    const gradient_field *f = &c->f;
    const gradient_head *h = &c->h;
    memset(piece, 0, sizeof *piece);
    piece->f = *f, piece->h = *h;
    gradient_head *p = &piece->h;
    p->f = p->exact = &piece->f, p->length = length, p->position = h->position + first;
    memcpy(piece->bank, c->bank + first, (size_t)length * sizeof *piece->bank);
    p->bank = piece->bank;
    const slong row[GRADIENT_PARTS] = {[GRADIENT_Q] = h->group * h->dk,
                                       [GRADIENT_K] = h->dk,
                                       [GRADIENT_V] = h->dv,
                                       [GRADIENT_G] = h->gate != NULL,
                                       [GRADIENT_BETA] = h->beta != NULL,
                                       [GRADIENT_GATE_KEYS] = h->gate_keys ? h->dk : 0,
                                       [GRADIENT_U] = h->u ? h->dk : 0,
                                       [GRADIENT_LAMBDA] = h->lambda ? h->group * h->levels : 0};
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++) {
        piece->size[i] = row[i] ? row[i] * length : c->size[i];
        if (row[i])
            *head_input(p, i) = gradient_at(f, *head_input((gradient_head *)h, i), first * row[i]);
    }
    p->state_in = state_in, p->d_state = d_state;
    p->d_o = gradient_at(f, h->d_o, first * h->group * h->dv);
    piece->size[GRADIENT_STATE] = state_in ? c->state_size : 0;
    piece->state_size = c->state_size, piece->o_size = length * h->group * h->dv;
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++) {
        p->d[i] = piece->size[i] ? f->init(piece->size[i]) : NULL;
        piece->input[i] = piece->size[i] ? *head_input(p, i) : NULL;
        piece->direction[i] = piece->size[i] ? f->init(piece->size[i]) : NULL;
    }
    piece->o = f->init(piece->o_size), piece->state = f->init(piece->state_size);
}
static void clear_piece(test_head *c) {
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        c->f.clear(c->h.d[i], c->size[i]), c->f.clear(c->direction[i], c->size[i]);
    c->f.clear(c->o, c->o_size), c->f.clear(c->state, c->state_size);
}

/* A sequence cut anywhere: the second piece's gradient of its initial state is the first one's
 * final cotangent, and together they give the whole's gradients, exactly. */
static void cut_anywhere(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        if (shapes[i].kernel == MN_SOFTMAX)
            continue;
        exact_random r = {test_seed("gradient.cut") + (uint64_t)i};
        test_head c, front, back;
        make_head(&c, &gradient_rationals, shapes + i, &r);
        assert_int_equal(run_pass(&c), REFERENCE_OK);
        for (slong at = 0; at <= c.h.length; at++) {
            cut(&front, &c, 0, at, c.h.state_in, NULL);
            definition(&front, NULL, true); /* the state between the pieces */
            cut(&back, &c, at, c.h.length - at, front.state, c.h.d_state);
            assert_int_equal(run_pass(&back), REFERENCE_OK);
            front.h.d_state = back.h.d[GRADIENT_STATE];
            assert_int_equal(run_pass(&front), REFERENCE_OK);
            for (gradient_part p = 0; p < GRADIENT_PARTS; p++)
                for (slong n = 0; n < c.size[p]; n++) {
                    fmpq_t sum;
                    fmpq_init(sum);
                    bool shared = p == GRADIENT_WEIGHTS || p == GRADIENT_NODES ||
                                  p == GRADIENT_SCALE || p == GRADIENT_LAMBDA0;
                    if (p == GRADIENT_STATE || shared || n < front.size[p])
                        fmpq_set(sum, q_at(front.h.d[p], n));
                    else
                        fmpq_set(sum, q_at(back.h.d[p], n - front.size[p]));
                    if (shared && p != GRADIENT_LAMBDA0)
                        fmpq_add(sum, sum, q_at(back.h.d[p], n));
                    assert_case(fmpq_equal(sum, q_at(c.h.d[p], n)), "gradient.cut", i);
                    fmpq_clear(sum);
                }
            clear_piece(&front), clear_piece(&back);
        }
        clear_head(&c);
    }
}

static bool any_width(const number *x, slong n, double scale) {
    (void)x, (void)n, (void)scale;
    return true;
}

/* Errors carried in norms at 64 and 96 bits hold what balls entry by entry give at 2048; and lose
 * fewer bits where these wrap. */
static void carried_errors_enclose(void **state) {
    (void)state;
    const head_shape kinds[] = {
        {.kernel = MN_DELTA, .length = 80, .group = 1, .dk = 4, .dv = 2, .d_state = true},
        {.kernel = MN_DELTA,
         .length = 50,
         .group = 2,
         .dk = 3,
         .dv = 2,
         .beta = true,
         .gate = true,
         .state_in = true,
         .d_state = true},
        {.kernel = MN_VLA, .length = 80, .group = 1, .dk = 4, .dv = 2, .d_state = true},
        {.kernel = MN_VLA,
         .length = 50,
         .group = 2,
         .dk = 3,
         .dv = 2,
         .refresh_every = 7,
         .position = 3,
         .state_in = true,
         .d_state = true},
        {.kernel = MN_VLA, .length = 30, .group = 1, .dk = 3, .dv = 1, .normalise = true},
        /* keys of 2 and 3: S grows by factors of -3 and -2, and errors with it */
        {.kernel = MN_DELTA, .length = 40, .group = 1, .dk = 1, .dv = 1, .d_state = true},
        {.kernel = MN_VLA, .length = 40, .group = 1, .dk = 1, .dv = 1, .d_state = true}};
    const slong precisions[] = {64, 96};
    for (int i = 0; i < 14; i++) {
        const head_shape *s = kinds + i / 2;
        test_head c, fine, wrapping;
        test_head *const heads[] = {&c, &fine, &wrapping};
        for (int n = 0; n < 3; n++) {
            gradient_field f = gradient_balls;
            f.prec = n == 1 ? 2048 : precisions[i % 2];
            f.narrow = any_width;
            if (n > 0)
                f.strip = NULL;
            exact_random r = {test_seed("gradient.carried") + (uint64_t)(i / 2)};
            make_head(heads[n], &f, s, &r);
            arb_ptr k = heads[n]->h.k; /* norms of about 3/4 */
            for (slong t = 0; t < s->length * s->dk; t++) {
                if (s->dk == 1)
                    arb_set_si(k + t, s->kernel == MN_DELTA ? 2 : 3);
                else
                    arb_mul_ui(k + t, k + t, 3, 64), arb_mul_2exp_si(k + t, k + t, -2);
            }
            reference_status status = run_pass(heads[n]);
            assert_case(status == REFERENCE_OK || n == 2, "gradient.carried", i);
        }
        double carried = 0, wrapped = 0;
        for (gradient_part p = 0; p < GRADIENT_PARTS; p++)
            for (slong n = 0; n < c.size[p]; n++) {
                arb_srcptr x = (arb_srcptr)c.h.d[p] + n, y = (arb_srcptr)fine.h.d[p] + n,
                           z = (arb_srcptr)wrapping.h.d[p] + n;
                assert_true(arb_is_finite(y) && mag_cmp_2exp_si(arb_radref(y), -400) < 0);
                assert_case(arb_contains(x, y), "gradient.carried", i);
                carried = fmax(carried, mag_get_d(arb_radref(x)));
                wrapped = fmax(wrapped, mag_get_d(arb_radref(z)));
            }
        if (s->length == 80) /* nothing is forgotten for long */
            assert_case(carried < 0x1p-20 * wrapped, "gradient.carried", i);
        clear_head(&c), clear_head(&fine), clear_head(&wrapping);
    }
}

/* A = 1, k = 3, q = 1: S_t = S_{t-1} + e_t, where v_t = e_t + 3 S_{t-1}, and B_{t-1} = -2 B_t,
 * where d_o_t is what keeps B_t of size 1: the maps double errors in every token while nothing else
 * grows.  S and B start from 1/3 to 300 bits, so that the first token already rounds. */
static void set_growing(test_head *c, exact_random *r) {
    enum { T = 40, P = 1000 };
    gradient_head *h = &c->h;
    arb_t s, e;
    arb_init(s), arb_init(e);
    arb_set_ui(s, 1), arb_div_ui(s, s, 3, 300), mag_zero(arb_radref(s));
    arb_set(h->state_in, s), arb_one((arb_ptr)h->state_in + 1);
    arb_set(h->d_state, s), arb_zero((arb_ptr)h->d_state + 1);
    arb_one(h->scale);
    for (slong t = 0; t < T; t++) {
        arb_set_si((arb_ptr)h->k + t, 3), arb_one((arb_ptr)h->q + t), arb_zero((arb_ptr)h->u + t);
        arb_set_si(e, exact_random_integer(r, -8, 8)), arb_mul_2exp_si(e, e, -6);
        arb_mul_ui((arb_ptr)h->v + t, s, 3, P);
        arb_add((arb_ptr)h->v + t, (arb_ptr)h->v + t, e, P);
        arb_add(s, s, e, P);
    }
    arb_set(s, h->d_state);
    for (slong t = T - 1; t >= 0;
         t--) { /* B_t = its last value plus e; before: s = what comes from behind */
        arb_set_si(e, exact_random_integer(r, -8, 8)), arb_mul_2exp_si(e, e, -6);
        if (t < T - 1) {
            arb_t half;
            arb_init(half);
            arb_mul_2exp_si(half, s, -1); /* s = -2 B: back to -B */
            arb_add(e, e, half, P);
            arb_clear(half);
        } else {
            arb_add(e, e, s, P);
        }
        arb_sub((arb_ptr)h->d_o + t, e, s, P); /* B_t = e */
        arb_mul_si(s, e, -2, P);
    }
    arb_clear(s), arb_clear(e);
}

static void carried_errors_grow_with_the_map(void **state) {
    (void)state;
    const head_shape s = {.kernel = MN_VLA,
                          .length = 40,
                          .group = 1,
                          .dk = 1,
                          .dv = 1,
                          .state_in = true,
                          .d_state = true};
    test_head c, fine;
    test_head *const heads[] = {&c, &fine};
    for (int n = 0; n < 2; n++) {
        gradient_field f = gradient_balls;
        f.prec = n ? 2048 : 64;
        f.narrow = any_width;
        exact_random r = {test_seed("gradient.growing")};
        make_head(heads[n], &f, &s, &r);
        set_growing(heads[n], &r);
        assert_int_equal(run_pass(heads[n]), REFERENCE_OK);
    }
    double off = 0;
    for (gradient_part p = 0; p < GRADIENT_PARTS; p++)
        for (slong n = 0; n < c.size[p]; n++) {
            arb_srcptr x = (arb_srcptr)c.h.d[p] + n, y = (arb_srcptr)fine.h.d[p] + n;
            assert_true(arb_contains(x, y));
            arb_t e;
            arb_init(e);
            arb_sub(e, x, y, 128);
            off = fmax(off, fabs(exact_double_mid(e)));
            arb_clear(e);
        }
    assert_true(off > 0x1p-34); /* the midpoints have lost 30 bits */
    clear_head(&c), clear_head(&fine);
}

/* Convolutions: y_t and the final state as sums in dual numbers. */
typedef struct {
    duals w;
    number *x, *weights, *nodes, *kernel, *state_in; /* duals */
} dual_channel;

static number *random_duals(const gradient_field *f, number **values, slong n, exact_random *r) {
    number *x = f->init(2 * n);
    *values = f->init(n);
    random_numbers(f, x, 2 * n, r, -3, 3, 4);
    for (slong i = 0; i < n; i++)
        f->set(gradient_at(f, *values, i), gradient_at(f, x, 2 * i), 1);
    return x;
}

/* z += pairing of d with the tangents of n duals. */
static void pair_tangents(const gradient_field *f, number *z, const number *d, const number *x,
                          slong n) {
    f->dot(f, z, z, 0, d, 1, gradient_at(f, x, 1), 2, n);
}

static void convolution_adjoint(void **state) {
    (void)state;
    const gradient_field *f = &gradient_rationals;
    for (long round = 0; round < test_count(12); round++) {
        exact_random r = {test_seed("gradient.convolution") + (uint64_t)round};
        slong T = 1 + round % 6, modes = round % 3, taps = modes ? 0 : round % 8;
        bool with_state = modes && round % 2;
        gradient_channel c = {.f = f, .length = T, .modes = modes, .kernel_length = taps};
        dual_channel d = {.w = {f, f->init(4)}};
        d.x = random_duals(f, &c.x, T, &r), d.weights = random_duals(f, &c.weights, modes, &r);
        d.nodes = random_duals(f, &c.nodes, modes, &r);
        d.kernel = random_duals(f, &c.kernel, taps, &r);
        d.state_in = random_duals(f, &c.state_in, modes, &r);
        number *d_state, *state_in = c.state_in, *unused = random_duals(f, &d_state, modes, &r),
                         *d_y_duals = random_duals(f, &c.d_y, T, &r);
        c.d_x = f->init(T), c.d_weights = f->init(modes), c.d_nodes = f->init(modes);
        c.d_kernel = f->init(taps), c.d_state_in = f->init(modes);
        if (!with_state)
            c.state_in = NULL;
        c.d_state = round % 4 < 2 && modes ? d_state : NULL;
        gradient_convolve(&c);
        fmpq_t left, right;
        fmpq_init(left), fmpq_init(right);
        number *y = f->init(2), *power = f->init(2);
        for (slong t = 0; t <= T; t++) { /* t = T: the final state */
            for (slong m = -1; m < modes; m++) {
                f->sub(f, y, y, y, 2);
                for (slong j = 0; m < 0 && t < T && j < taps && j <= t; j++)
                    d_addmul(&d.w, y, dual(&d.w, d.kernel, j), dual(&d.w, d.x, t - j));
                if (m >= 0) {
                    slong last = t < T ? t : T - 1;
                    f->set_si(power, 1), f->set_si(gradient_at(f, power, 1), 0);
                    for (slong j = 0; j <= last; j++) {
                        d_addmul(&d.w, y, power, dual(&d.w, d.x, last - j));
                        d_mul(&d.w, power, power, dual(&d.w, d.nodes, m));
                    }
                    if (with_state)
                        d_addmul(&d.w, y, power, dual(&d.w, d.state_in, m));
                    if (t < T)
                        d_mul(&d.w, y, y, dual(&d.w, d.weights, m));
                }
                if (t < T)
                    pair_tangents(f, left, gradient_at(f, c.d_y, t), y, 1);
                else if (m >= 0 && c.d_state)
                    pair_tangents(f, left, gradient_at(f, d_state, m), y, 1);
            }
        }
        pair_tangents(f, right, c.d_x, d.x, T);
        pair_tangents(f, right, c.d_weights, d.weights, modes);
        pair_tangents(f, right, c.d_nodes, d.nodes, modes);
        pair_tangents(f, right, c.d_kernel, d.kernel, taps);
        if (with_state)
            pair_tangents(f, right, c.d_state_in, d.state_in, modes);
        assert_case(fmpq_equal(left, right), "gradient.convolution", round);
        fmpq_clear(left), fmpq_clear(right);
        f->clear(y, 2), f->clear(power, 2), f->clear(d.w.t, 4);
        f->clear(d.x, 2 * T), f->clear(c.x, T), f->clear(c.d_y, T), f->clear(d_y_duals, 2 * T);
        f->clear(d.weights, 2 * modes), f->clear(c.weights, modes);
        f->clear(d.nodes, 2 * modes), f->clear(c.nodes, modes);
        f->clear(d.kernel, 2 * taps), f->clear(c.kernel, taps);
        f->clear(d.state_in, 2 * modes), f->clear(state_in, modes);
        f->clear(unused, 2 * modes), f->clear(d_state, modes);
        f->clear(c.d_x, T), f->clear(c.d_weights, modes), f->clear(c.d_nodes, modes);
        f->clear(c.d_kernel, taps), f->clear(c.d_state_in, modes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(adjoint_in_rationals),
                                       cmocka_unit_test(adjoint_in_balls),
                                       cmocka_unit_test(differences),
                                       cmocka_unit_test(cut_anywhere),
                                       cmocka_unit_test(convolution_adjoint),
                                       cmocka_unit_test(carried_errors_enclose),
                                       cmocka_unit_test(carried_errors_grow_with_the_map)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

/* Gradients of whole calls: layouts, invariances, bounds, twins, statuses. */
#include "numerics/accuracy/gradient.h"
#include "numerics/accuracy/gradient_pass.h"
#include "tests/kernels.h"

/* One of every kernel, with all that it takes. */
static const shape shapes[] = {
    {.kernel = MN_LINEAR,
     .batch = 2,
     .time = 9,
     .heads = 4,
     .kv_heads = 2,
     .dk = 3,
     .dv = 2,
     .gate = GATE_SCALAR,
     .state = true},
    {.kernel = MN_LINEAR,
     .batch = 1,
     .time = 7,
     .heads = 2,
     .dk = 3,
     .dv = 4,
     .gate = GATE_KEYS,
     .normalise = true,
     .positive = true,
     .state = true},
    {.kernel = MN_LINEAR,
     .batch = 1,
     .time = 12,
     .heads = 1,
     .dk = 2,
     .dv = 3,
     .gate = GATE_CLOSED},
    {.kernel = MN_DELTA,
     .batch = 2,
     .time = 8,
     .heads = 4,
     .kv_heads = 2,
     .dk = 3,
     .dv = 2,
     .gate = GATE_SCALAR,
     .beta = true,
     .state = true},
    {.kernel = MN_DELTA, .batch = 1, .time = 9, .heads = 1, .dk = 2, .dv = 2},
    {.kernel = MN_VLA,
     .batch = 2,
     .time = 6,
     .heads = 2,
     .kv_heads = 1,
     .dk = 3,
     .dv = 2,
     .u = 1,
     .lambda0 = 0.75f,
     .refresh = 0.25f,
     .refresh_every = 4},
    {.kernel = MN_VLA,
     .batch = 1,
     .time = 6,
     .heads = 2,
     .dk = 2,
     .dv = 3,
     .u = 1,
     .normalise = true,
     .positive = true,
     .state = true,
     .position = 3,
     .refresh = 0.5f,
     .refresh_every = 2},
    {.kernel = MN_LOGLINEAR,
     .batch = 2,
     .time = 9,
     .heads = 4,
     .kv_heads = 2,
     .dk = 2,
     .dv = 3,
     .gate = GATE_SCALAR,
     .lambda = true,
     .state = true,
     .position = 5},
    {.kernel = MN_LOGLINEAR, .batch = 1, .time = 11, .heads = 1, .dk = 3, .dv = 2, .lambda = true},
    {.kernel = MN_VORT,
     .batch = 2,
     .time = 7,
     .heads = 4,
     .kv_heads = 2,
     .dk = 2,
     .dv = 3,
     .state = true},
    {.kernel = MN_VORT,
     .batch = 1,
     .time = 8,
     .heads = 2,
     .dk = 3,
     .dv = 2,
     .normalise = true,
     .positive = true,
     .state = true},
    {.kernel = MN_SOFTMAX,
     .batch = 2,
     .time = 6,
     .heads = 4,
     .kv_heads = 2,
     .dk = 3,
     .dv = 2,
     .past = 4},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* A random call and its cotangents. */
typedef struct {
    kernel_case c;
    float *d_o, *d_state;
} gradient_case;

static int64_t state_floats(const mn_args *a) {
    mn_args with = *a;
    with.state_in = a; /* any */
    return gradient_count(&with, GRADIENT_STATE);
}
static void make_gradient_case(gradient_case *g, const shape *s, const char *name, int i) {
    exact_random r = {test_seed(name) + (uint64_t)i};
    make_case(&g->c, s, &r);
    g->c.a.scale = 0.625f;
    g->d_o = fill(&g->c, &r, s->batch * s->time * s->heads * s->dv, -1, 1);
    g->d_state = fill(&g->c, &r, state_floats(&g->c.a), -1, 1);
}
static void clear_gradient_case(gradient_case *g) {
    clear_case(&g->c);
}

static void gradients_of(gradient_t r, const gradient_case *g) {
    gradient_init(r);
    assert_string_equal(reference_status_text(gradient_attention(r, &g->c.a, g->d_o, g->d_state)),
                        "ok");
}

/* L := sum d_o o + sum d_state state, by the reference of the kernels. */
static void loss(arb_t x, const gradient_case *g) {
    reference_t r;
    reference_init(r);
    assert_int_equal(reference_attention(r, &g->c.a), REFERENCE_OK);
    arb_t y;
    arb_init(y);
    arb_zero(x);
    for (slong i = 0; i < r->rows * r->width; i++) {
        arb_set_d(y, (double)g->d_o[i]);
        arb_addmul(x, y, r->o + i, 192);
    }
    for (slong i = 0; i < r->states; i++) {
        arb_set_d(y, (double)g->d_state[i]);
        arb_addmul(x, y, r->state + i, 192);
    }
    arb_clear(y), reference_clear(r);
}

static float *floats_of(mn_args *a, gradient_part part) {
    switch (part) {
    case GRADIENT_Q:
        return (float *)a->q.data;
    case GRADIENT_K:
        return (float *)a->k.data;
    case GRADIENT_V:
        return (float *)a->v.data;
    case GRADIENT_G:
        return (float *)a->g.data;
    case GRADIENT_GATE_KEYS:
        return (float *)a->gate_keys.data;
    case GRADIENT_BETA:
        return (float *)a->beta.data;
    case GRADIENT_U:
        return (float *)a->u.data;
    case GRADIENT_LAMBDA:
        return (float *)a->lambda.data;
    case GRADIENT_WEIGHTS:
        return (float *)a->weights;
    case GRADIENT_NODES:
        return (float *)a->nodes;
    case GRADIENT_SCALE:
        return &a->scale;
    case GRADIENT_LAMBDA0:
        return &a->lambda0;
    default:
        return (float *)a->state_in;
    }
}

/* Where VLA's A has its mirror image. */
static slong mirror(const mn_args *a, slong i) {
    slong size = a->dk * a->dv + a->dk * a->dk + (a->normalise ? a->dk : 0), at = i % size,
          n = at - a->dk * a->dv;
    return a->kernel != MN_VLA || n < 0 || n >= a->dk * a->dk
               ? i
               : i - n + n % a->dk * a->dk + n / a->dk;
}

/* Along random directions of every input alone, L(x+) - L(x-) = <gradient, x+ - x-> up to the third
 * order: h = 2^-12, so that 2^-12 of the sum of absolute products is more than a thousand times
 * that. */
static void differences_of_whole_calls(void **state) {
    (void)state;
    enum { MOST = 4096 };
    float kept[MOST], plus[MOST], minus[MOST];
    arb_t up, down, want, x;
    arb_init(up), arb_init(down), arb_init(want), arb_init(x);
    for (int i = 0; i < 2 * SHAPES; i++) {
        gradient_case g;
        make_gradient_case(&g, shapes + i / 2, "gradient.calls", i);
        mn_args *a = &g.c.a;
        int64_t offsets[] = {0, 2, 2, 5, a->time};
        if (i % 2 && a->batch == 1 && !a->past && !a->state_in)
            a->segments = 4, a->offsets = offsets;
        free(g.d_state), g.c.used--;
        exact_random r = {test_seed("gradient.directions") + (uint64_t)i};
        g.d_state = fill(&g.c, &r, state_floats(a), -1, 1);
        gradient_t d;
        gradients_of(d, &g);
        for (gradient_part p = 0; p < GRADIENT_PARTS; p++) {
            slong n = d->count[p];
            float *floats = floats_of(a, p);
            if (n == 0)
                continue;
            assert_true(n <= MOST);
            memcpy(kept, floats, (size_t)n * sizeof *kept);
            double size = 0;
            arb_zero(want);
            for (slong k = 0; k < n; k++) {
                float by = uniform(&r, -0x1p-12, 0x1p-12);
                plus[k] = kept[k] + by, minus[k] = kept[k] - by;
            }
            for (slong k = 0; k < n; k++) {
                if (p == GRADIENT_STATE)
                    plus[mirror(a, k)] = plus[k], minus[mirror(a, k)] = minus[k];
                if (p == GRADIENT_NODES &&
                    (plus[k] > 1 || minus[k] > 1 || plus[k] < 0 || minus[k] < 0))
                    plus[k] = minus[k] = kept[k];
            }
            for (slong k = 0; k < n; k++) {
                if (plus[k] == minus[k])
                    continue; /* -inf: no direction */
                arb_set_d(x, (double)plus[k] - (double)minus[k]);
                arb_addmul(want, x, d->part[p] + k, 192);
                size +=
                    fabs(((double)plus[k] - (double)minus[k]) * exact_double_mid(d->part[p] + k));
            }
            memcpy(floats, plus, (size_t)n * sizeof *kept);
            loss(up, &g);
            memcpy(floats, minus, (size_t)n * sizeof *kept);
            loss(down, &g);
            memcpy(floats, kept, (size_t)n * sizeof *kept);
            arb_sub(up, up, down, 192);
            arb_sub(up, up, want, 192);
            bool right = fabs(exact_double_upper(up)) <= 0x1p-12 * size + 0x1p-50 &&
                         fabs(exact_double_mid(up)) <= 0x1p-12 * size + 0x1p-50;
            if (!right)
                print_error("%s: %g of %g\n", gradient_name(p), exact_double_mid(up), size);
            assert_case(right, "gradient.calls", i);
        }
        gradient_clear(d), clear_gradient_case(&g);
    }
    arb_clear(up), arb_clear(down), arb_clear(want), arb_clear(x);
}

/* All balls of a part overlap, and none is wider than 2^-50 of the part's largest. */
static void assert_same_part(const gradient_t x, const gradient_t y, gradient_part p) {
    assert_int_equal(x->count[p], y->count[p]);
    double most = 0;
    for (slong i = 0; i < x->count[p]; i++)
        most = fmax(most, fabs(exact_double_mid(x->part[p] + i)));
    for (slong i = 0; i < x->count[p]; i++) {
        assert_true(arb_overlaps(x->part[p] + i, y->part[p] + i));
        assert_true(mag_get_d(arb_radref(x->part[p] + i)) <= 0x1p-50 * most);
        assert_true(mag_get_d(arb_radref(y->part[p] + i)) <= 0x1p-50 * most);
    }
}

/* No gate is a gate of 1; no beta is beta 1; one gate for all keys is the sum of one per key. */
static void absent_is_neutral(void **state) {
    (void)state;
    const shape kinds[] = {
        {.kernel = MN_LINEAR, .batch = 1, .time = 20, .heads = 2, .dk = 3, .dv = 3},
        {.kernel = MN_DELTA, .batch = 1, .time = 20, .heads = 2, .dk = 3, .dv = 3},
        {.kernel = MN_LOGLINEAR, .batch = 1, .time = 20, .heads = 2, .dk = 3, .dv = 3}};
    for (int i = 0; i < 3; i++) {
        gradient_case g;
        make_gradient_case(&g, kinds + i, "gradient.neutral", i);
        gradient_t x, y;
        gradients_of(x, &g);
        exact_random r = {1};
        g.c.a.g.data = fill(&g.c, &r, 40, 0, 0);
        if (i == 1)
            g.c.a.beta.data = fill(&g.c, &r, 40, 1, 1);
        if (i == 2)
            g.c.a.lambda.data = fill(&g.c, &r, 40 * g.c.a.levels, 1, 1);
        gradients_of(y, &g);
        for (gradient_part p = GRADIENT_Q; p <= GRADIENT_V; p++)
            assert_same_part(x, y, p);
        assert_int_equal(x->count[GRADIENT_G], 0);
        assert_int_equal(y->count[GRADIENT_G], 40);
        if (i == 0) {
            g.c.a.g.data = NULL;
            g.c.a.gate_keys.data = fill(&g.c, &r, 120, 0, 0);
            gradient_clear(x);
            gradients_of(x, &g);
            arb_t sum;
            arb_init(sum);
            for (slong t = 0; t < 40; t++) {
                arb_zero(sum);
                for (slong n = 0; n < 3; n++)
                    arb_add(sum, sum, x->part[GRADIENT_GATE_KEYS] + 3 * t + n, 128);
                assert_true(arb_overlaps(sum, y->part[GRADIENT_G] + t));
            }
            arb_clear(sum);
        }
        gradient_clear(x), gradient_clear(y), clear_gradient_case(&g);
    }
}

/* Rows [tokens][kv][n] repeated for every query head of a group. */
static float *repeated(gradient_case *g, const float *x, int64_t tokens, int64_t kv, int64_t group,
                       int64_t n) {
    exact_random r = {1};
    float *y = fill(&g->c, &r, tokens * kv * group * n, 0, 0);
    for (int64_t t = 0; t < tokens * kv; t++)
        for (int64_t i = 0; i < group; i++)
            memcpy(y + (t * group + i) * n, x + t * n, (size_t)n * sizeof *y);
    return y;
}

/* Grouped heads: the sum over heads that have keys and values of their own. */
static void grouped_heads_add_up(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        const shape s = {.kernel = (mn_kernel)kernel,
                         .batch = 2,
                         .time = 6,
                         .heads = 6,
                         .kv_heads = 2,
                         .dk = 2,
                         .dv = 3,
                         .u = 1,
                         .lambda = true};
        gradient_case g;
        make_gradient_case(&g, &s, "gradient.grouped", kernel);
        g.d_state = NULL;
        gradient_t x, y;
        gradients_of(x, &g);
        mn_args *a = &g.c.a;
        a->k.data = repeated(&g, a->k.data, 12, 2, 3, 2);
        a->v.data = repeated(&g, a->v.data, 12, 2, 3, 3);
        if (a->u.data)
            a->u.data = repeated(&g, a->u.data, 12, 2, 3, 2);
        if (a->bank.data) /* numbers of the same size */
            a->bank.data = (const int32_t *)repeated(&g, (const float *)a->bank.data, 12, 2, 3, 1);
        a->kv_heads = 6;
        gradients_of(y, &g);
        assert_same_part(x, y, GRADIENT_Q);
        assert_same_part(x, y, GRADIENT_NODES);
        assert_same_part(x, y, GRADIENT_SCALE);
        arb_t sum;
        arb_init(sum);
        const gradient_part parts[] = {GRADIENT_K, GRADIENT_V, GRADIENT_U};
        for (int p = 0; p < 3; p++)
            for (slong i = 0; i < x->count[parts[p]]; i++) {
                slong n = parts[p] == GRADIENT_V ? 3 : 2;
                arb_zero(sum);
                for (slong h = 0; h < 3; h++)
                    arb_add(sum, sum, y->part[parts[p]] + (i / n * 3 + h) * n + i % n, 128);
                assert_true(arb_overlaps(sum, x->part[parts[p]] + i));
            }
        arb_clear(sum);
        gradient_clear(x), gradient_clear(y), clear_gradient_case(&g);
    }
}

/* Softmax weights add up to 1: sum_s dv_s = sum_t d_o_t; a shift of all keys changes nothing: sum_s
 * dk_s = 0. */
static void softmax_sums(void **state) {
    (void)state;
    const shape s = {
        .kernel = MN_SOFTMAX, .batch = 1, .time = 9, .heads = 1, .dk = 3, .dv = 2, .past = 5};
    gradient_case g;
    make_gradient_case(&g, &s, "gradient.softmax", 0);
    gradient_t d;
    gradients_of(d, &g);
    arb_t sum, x;
    arb_init(sum), arb_init(x);
    for (int j = 0; j < 2; j++) {
        arb_zero(sum);
        for (int t = 0; t < 14; t++)
            arb_add(sum, sum, d->part[GRADIENT_V] + 2 * t + j, 128);
        for (int t = 0; t < 9; t++) {
            arb_set_d(x, (double)g.d_o[2 * t + j]);
            arb_sub(sum, sum, x, 128);
        }
        assert_true(arb_contains_zero(sum) && mag_cmp_2exp_si(arb_radref(sum), -50) < 0);
    }
    /* sum_s dk_s = sum_t q~_t sum_s dS_ts = 0 */
    for (int p = 0; p < 3; p++) {
        arb_zero(sum);
        for (int t = 0; t < 14; t++)
            arb_add(sum, sum, d->part[GRADIENT_K] + 3 * t + p, 128);
        assert_true(arb_contains_zero(sum) && mag_cmp_2exp_si(arb_radref(sum), -50) < 0);
    }
    arb_clear(sum), arb_clear(x), gradient_clear(d), clear_gradient_case(&g);
}

static bool same_bits(const gradient_t x, const gradient_t y) {
    for (gradient_part p = 0; p < GRADIENT_PARTS; p++)
        for (slong i = 0; i < x->count[p]; i++)
            if (!arb_equal(x->part[p] + i, y->part[p] + i))
                return false;
    return true;
}

static void threads_and_strides_do_not_matter(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        gradient_case g;
        make_gradient_case(&g, shapes + i, "gradient.threads", i);
        mn_args *a = &g.c.a;
        gradient_t x, y;
        gradients_of(x, &g);
        const int threads[] = {2, 3, 8};
        for (int n = 0; n < 3; n++) {
            a->threads = threads[n];
            gradients_of(y, &g);
            assert_true(same_bits(x, y));
            gradient_clear(y);
        }
        int64_t rows = a->batch * a->time * a->heads, wide = a->dk + 3;
        exact_random r = {1};
        float *q = fill(&g.c, &r, rows * wide, 0, 0);
        for (int64_t n = 0; n < rows * wide; n++)
            q[n] = n % wide < a->dk ? a->q.data[n / wide * a->dk + n % wide] : NAN;
        a->q = (mn_input){q, a->time * a->heads * wide, a->heads * wide, wide};
        gradients_of(y, &g);
        assert_true(same_bits(x, y));
        gradient_clear(x), gradient_clear(y), clear_gradient_case(&g);
    }
}

static const gradient_arithmetic float32 = {.accumulate = {0x1p-24, 0x1p-149}};

/* The twin is inside the bounds, which are below 2^-10 of the scale (9 N u with N < 1000), which is
 * no smaller than the gradient. */
static void bounds_hold(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        gradient_case g;
        make_gradient_case(&g, shapes + i, "gradient.bounds", i);
        const mn_args *a = &g.c.a;
        bool sums = a->kernel != MN_DELTA && a->kernel != MN_VLA;
        gradient_t exact, scale;
        gradient_twin_t twin;
        gradient_bounds_t b;
        gradients_of(exact, &g);
        gradient_init(scale), gradient_twin_init(twin), gradient_bounds_init(b);
        assert_int_equal(gradient_scale(scale, a, g.d_o, g.d_state),
                         sums ? REFERENCE_OK : REFERENCE_BAD_ARGUMENT);
        assert_int_equal(gradient_twin(twin, a, g.d_o, g.d_state, NULL), REFERENCE_OK);
        bounds_gradient(b, a, g.d_o, g.d_state, sums ? scale : NULL, &float32);
        gradient_arithmetic vacuous = float32; /* n u = 1 */
        vacuous.roundings = 0x1p24;
        gradient_bounds_t none;
        gradient_bounds_init(none);
        bounds_gradient(none, a, g.d_o, g.d_state, sums ? scale : NULL, &vacuous);
        assert_true(isinf(none->part[GRADIENT_V][0]));
        gradient_bounds_clear(none);
        for (gradient_part p = 0; p < GRADIENT_PARTS; p++) {
            double most = 0, error = 0;
            assert_int_equal(twin->count[p], exact->count[p]);
            assert_int_equal(b->count[p], exact->count[p]);
            for (slong k = 0; k < exact->count[p]; k++) {
                double e = error_of(twin->part[p][k], exact->part[p] + k),
                       size = fabs(exact_double_mid(exact->part[p] + k));
                most = fmax(most, size), error = fmax(error, e);
                if (!sums)
                    assert_true(isinf(b->part[p][k]));
                assert_case(e <= b->part[p][k], "gradient.bounds", i);
                if (sums)
                    assert_true(exact_double_upper(scale->part[p] + k) >= size * (1 - 0x1p-40));
            }
            assert_case(error <= 0x1p-14 * most + (p == GRADIENT_SCALE && a->normalise ? 1e-5 : 0),
                        "gradient.bounds", i);
            for (slong k = 0; sums && k < exact->count[p]; k++)
                assert_case(b->part[p][k] <=
                                0x1p-10 * exact_double_upper(scale->part[p] + k) + 0x1p-70,
                            "gradient.bounds", i);
        }
        gradient_clear(exact), gradient_clear(scale), gradient_twin_clear(twin);
        gradient_bounds_clear(b), clear_gradient_case(&g);
    }
}

/* dg as the reverse cumulative sum of q.dq - k.dk in floats. */
static void cumulative_gates_are_inside(void **state) {
    (void)state;
    enum { T = 300, D = 4 };
    for (int kernel = 0; kernel < 2; kernel++) {
        const shape s = {.kernel = kernel ? MN_LOGLINEAR : MN_LINEAR,
                         .batch = 1,
                         .time = T,
                         .heads = 1,
                         .dk = D,
                         .dv = D,
                         .gate = GATE_SCALAR,
                         .lambda = true};
        gradient_case g;
        make_gradient_case(&g, &s, "gradient.cumulative", kernel);
        gradient_t exact, scale;
        gradient_twin_t twin;
        gradient_bounds_t b;
        g.d_state = NULL;
        gradients_of(exact, &g);
        gradient_init(scale), gradient_twin_init(twin), gradient_bounds_init(b);
        assert_int_equal(gradient_scale(scale, &g.c.a, g.d_o, NULL), REFERENCE_OK);
        assert_int_equal(gradient_twin(twin, &g.c.a, g.d_o, NULL, NULL), REFERENCE_OK);
        bounds_gradient(b, &g.c.a, g.d_o, NULL, scale, &float32);
        float sum = 0;
        double direct = 0, cumulative = 0;
        for (int t = T - 1; t >= 0; t--) {
            float token = 0;
            for (int p = 0; p < D; p++) {
                token += g.c.a.q.data[t * D + p] * twin->part[GRADIENT_Q][t * D + p];
                token -= g.c.a.k.data[t * D + p] * twin->part[GRADIENT_K][t * D + p];
            }
            sum += token;
            double e = error_of(sum, exact->part[GRADIENT_G] + t);
            assert_true(e <= b->part[GRADIENT_G][t]);
            cumulative = fmax(cumulative, e);
            direct = fmax(direct, error_of(twin->part[GRADIENT_G][t], exact->part[GRADIENT_G] + t));
        }
        assert_true(direct < cumulative); /* the cancellation is there */
        gradient_clear(exact), gradient_clear(scale), gradient_twin_clear(twin);
        gradient_bounds_clear(b), clear_gradient_case(&g);
    }
}

static float to_bfloat16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&x, &bits, 4);
    return x;
}

/* Rounded operands: a hundred times worse than floats, still near; inside
 * bounds that know of it. */
static void twin_with_rounded_operands(void **state) {
    (void)state;
    const gradient_arithmetic m = {.accumulate = {0x1p-24, 0x1p-149},
                                   .operand = {0x1p-8, 0x1p-133}};
    for (int i = 0; i < SHAPES; i++) {
        gradient_case g;
        make_gradient_case(&g, shapes + i, "gradient.operands", i);
        const mn_args *a = &g.c.a;
        gradient_t exact, scale;
        gradient_twin_t plain, rounded;
        gradient_bounds_t b;
        gradients_of(exact, &g);
        gradient_init(scale), gradient_twin_init(plain), gradient_twin_init(rounded);
        gradient_bounds_init(b);
        bool sums = gradient_scale(scale, a, g.d_o, g.d_state) == REFERENCE_OK;
        assert_int_equal(gradient_twin(plain, a, g.d_o, g.d_state, NULL), REFERENCE_OK);
        assert_int_equal(gradient_twin(rounded, a, g.d_o, g.d_state, to_bfloat16), REFERENCE_OK);
        bounds_gradient(b, a, g.d_o, g.d_state, sums ? scale : NULL, &m);
        for (gradient_part p = GRADIENT_Q; p <= GRADIENT_V; p++) {
            double e[2] = {0, 0}, most = 0;
            for (slong k = 0; k < exact->count[p]; k++) {
                double error = error_of(rounded->part[p][k], exact->part[p] + k);
                e[0] = fmax(e[0], error_of(plain->part[p][k], exact->part[p] + k));
                e[1] = fmax(e[1], error);
                most = fmax(most, fabs(exact_double_mid(exact->part[p] + k)));
                assert_case(error <= b->part[p][k], "gradient.operands", i);
            }
            assert_case(e[1] > 100 * e[0] && e[1] < 0.25 * most, "gradient.operands", i);
        }
        gradient_clear(exact), gradient_clear(scale), gradient_twin_clear(plain);
        gradient_twin_clear(rounded), gradient_bounds_clear(b), clear_gradient_case(&g);
    }
}

/* L of a convolution, by its reference. */
static void convolution_loss(arb_t x, const mn_convolution *c, const float *d_y,
                             const float *d_state) {
    reference_t r;
    arb_t y;
    reference_init(r), arb_init(y);
    assert_int_equal(reference_convolution(r, c), REFERENCE_OK);
    arb_zero(x);
    for (slong i = 0; i < r->rows * r->width; i++) {
        arb_set_d(y, (double)d_y[i]);
        arb_addmul(x, y, r->o + i, 192);
    }
    for (slong i = 0; i < r->states; i++) {
        arb_set_d(y, (double)d_state[i]);
        arb_addmul(x, y, r->state + i, 192);
    }
    arb_clear(y), reference_clear(r);
}

/* Strided, with and without a state, by modes and by taps: differences as above (the loss is linear
 * in all but the nodes), the twin inside its bounds, the same balls from any number of threads. */
static void convolutions(void **state) {
    (void)state;
    enum { B = 2, T = 7, C = 3, M = 2, WIDE = C + 2 };
    float x[B * T * WIDE], d_y[B * T * C], weights[M], nodes[] = {0.75f, 0.5f}, kernel[9],
                                                       state_in[B * M * C], d_state[B * M * C];
    for (int i = 0; i < 3; i++) {
        exact_random r = {test_seed("gradient.channels") + (uint64_t)i};
        for (int n = 0; n < B * T * WIDE; n++)
            x[n] = n % WIDE < C ? uniform(&r, -1, 1) : NAN;
        for (int n = 0; n < B * T * C; n++)
            d_y[n] = uniform(&r, -1, 1);
        for (int n = 0; n < B * M * C; n++)
            state_in[n] = uniform(&r, -1, 1), d_state[n] = uniform(&r, -1, 1);
        for (int n = 0; n < 9; n++)
            kernel[n] = uniform(&r, -1, 1);
        weights[0] = 0.5f, weights[1] = -1.5f;
        mn_convolution c = {.batch = B,
                            .time = T,
                            .channels = C,
                            .x = {x, T * WIDE, WIDE, 0},
                            .modes = i ? M : 0,
                            .weights = weights,
                            .nodes = nodes,
                            .kernel_length = i ? 0 : 9,
                            .kernel = i ? NULL : kernel,
                            .state_in = i == 2 ? state_in : NULL,
                            .threads = 1};
        gradient_t d, other, scale;
        gradient_twin_t twin;
        gradient_bounds_t b;
        gradient_init(d), gradient_init(other), gradient_init(scale), gradient_twin_init(twin);
        gradient_bounds_init(b);
        assert_int_equal(gradient_convolution(d, &c, d_y, d_state), REFERENCE_OK);
        c.threads = 3;
        assert_int_equal(gradient_convolution(other, &c, d_y, d_state), REFERENCE_OK);
        assert_true(same_bits(d, other));
        assert_int_equal(gradient_convolution_scale(scale, &c, d_y, d_state), REFERENCE_OK);
        assert_int_equal(gradient_twin_convolution(twin, &c, d_y, d_state, NULL), REFERENCE_OK);
        bounds_gradient_convolution(b, &c, d_y, d_state, scale, &float32);
        float *const inputs[GRADIENT_PARTS] = {[GRADIENT_X] = x,
                                               [GRADIENT_WEIGHTS] = weights,
                                               [GRADIENT_NODES] = nodes,
                                               [GRADIENT_KERNEL] = kernel,
                                               [GRADIENT_STATE] = state_in};
        arb_t up, down, by;
        arb_init(up), arb_init(down), arb_init(by);
        for (gradient_part p = 0; p < GRADIENT_PARTS; p++)
            for (slong n = 0; n < d->count[p]; n++) {
                assert_true(error_of(twin->part[p][n], d->part[p] + n) <= b->part[p][n]);
                double size = exact_double_upper(scale->part[p] + n);
                assert_true(b->part[p][n] <= 0x1p-15 * size + 0x1p-70);
                assert_true(fabs(exact_double_mid(d->part[p] + n)) <= size * (1 + 0x1p-40));
                float *at = inputs[p] + (p == GRADIENT_X ? n / C * WIDE + n % C : n), kept = *at;
                *at = kept + 0x1p-12f;
                arb_set_d(by, (double)*at);
                convolution_loss(up, &c, d_y, d_state);
                *at = kept - 0x1p-12f;
                arb_set_d(down, (double)*at);
                arb_sub(by, by, down, 128);
                convolution_loss(down, &c, d_y, d_state);
                *at = kept;
                arb_sub(up, up, down, 192);
                arb_div(up, up, by, 192);
                arb_sub(up, up, d->part[p] + n, 192);
                assert_true(fabs(exact_double_mid(up)) <= 0x1p-12 * (1 + size));
            }
        arb_clear(up), arb_clear(down), arb_clear(by);
        gradient_clear(d), gradient_clear(other), gradient_clear(scale);
        gradient_twin_clear(twin), gradient_bounds_clear(b);
    }
}

/* VLA where A k = 0, and outputs over a divisor of 0. */
static void where_there_is_no_derivative(void **state) {
    (void)state;
    float q[] = {1, 1, 1, 1}, k[] = {0, 0, 1, 0}, v[] = {3, 2}, u[] = {1, 0, 0, 1}, d_o[] = {5, 7};
    mn_args a = {.kernel = MN_VLA,
                 .batch = 1,
                 .time = 2,
                 .heads = 1,
                 .dk = 2,
                 .dv = 1,
                 .q = {q},
                 .k = {k},
                 .v = {v},
                 .u = {u},
                 .scale = 1,
                 .lambda0 = 1};
    gradient_t d;
    gradient_init(d);
    assert_int_equal(gradient_attention(d, &a, d_o, NULL), REFERENCE_OK);
    /* nothing written by the first token: o = (0, 2), a_2 = (1, 0) */
    arb_srcptr dv = d->part[GRADIENT_V], dk = d->part[GRADIENT_K];
    assert_true(arb_is_zero(dv) && arb_equal_si(dv + 1, 7));
    assert_true(arb_is_zero(dk) && arb_is_zero(dk + 1));
    a = (mn_args){.kernel = MN_LINEAR,
                  .batch = 1,
                  .time = 2,
                  .heads = 1,
                  .dk = 2,
                  .dv = 1,
                  .q = {q},
                  .k = {k},
                  .v = {v},
                  .scale = 1,
                  .normalise = true};
    assert_int_equal(gradient_attention(d, &a, d_o, NULL), REFERENCE_OK);
    /* o_1 = 0 / 0 gives nothing; o_2 = v_2: dv_2 = 7, dk_1 = 7 q_2 (v_1 - v_2) */
    dv = d->part[GRADIENT_V], dk = d->part[GRADIENT_K];
    assert_true(arb_is_zero(dv) && arb_equal_si(dv + 1, 7));
    assert_true(arb_equal_si(dk, 7) && arb_equal_si(dk + 1, 7));
    for (int p = 0; p < 2; p++)
        assert_true(arb_is_zero(d->part[GRADIENT_Q] + p));
    assert_true(arb_is_zero(d->part[GRADIENT_SCALE]));
    /* a divisor of 0 by cancellation: floats may find another number, so there is no bound */
    k[0] = 1, k[1] = -1;
    gradient_bounds_t b;
    gradient_bounds_init(b);
    assert_int_equal(gradient_scale(d, &a, d_o, NULL), REFERENCE_OK);
    bounds_gradient(b, &a, d_o, NULL, d, &float32);
    assert_true(isinf(b->part[GRADIENT_Q][2]));
    gradient_bounds_clear(b), gradient_clear(d);
}

static void statuses(void **state) {
    (void)state;
    gradient_case g;
    make_gradient_case(&g, shapes, "gradient.statuses", 0);
    mn_args a = g.c.a;
    gradient_t d;
    gradient_twin_t twin;
    gradient_init(d), gradient_twin_init(twin);
    assert_int_equal(gradient_attention(d, &a, NULL, NULL), REFERENCE_BAD_ARGUMENT);
    a.heads = 3;
    assert_int_equal(gradient_attention(d, &a, g.d_o, NULL), REFERENCE_BAD_ARGUMENT);
    a = g.c.a;
    g.d_o[3] = NAN;
    assert_int_equal(gradient_attention(d, &a, g.d_o, NULL), REFERENCE_NOT_FINITE);
    assert_int_equal(gradient_twin(twin, &a, g.d_o, NULL, NULL), REFERENCE_NOT_FINITE);
    assert_null(d->part[GRADIENT_Q]);
    assert_null(twin->part[GRADIENT_Q]);
    g.d_o[3] = 1, g.d_state[2] = INFINITY;
    assert_int_equal(gradient_attention(d, &a, g.d_o, g.d_state), REFERENCE_NOT_FINITE);
    a.time = 0, a.state_in = NULL;
    assert_int_equal(gradient_attention(d, &a, NULL, NULL), REFERENCE_OK);
    clear_gradient_case(&g);
    make_gradient_case(&g, shapes + 7, "gradient.statuses", 7);
    a = g.c.a, a.levels = 3; /* position 13 needs 5 */
    assert_int_equal(gradient_attention(d, &a, g.d_o, NULL), REFERENCE_BAD_ARGUMENT);
    assert_string_equal(gradient_name(GRADIENT_GATE_KEYS), "dgate_keys");
    assert_string_equal(gradient_name(GRADIENT_PARTS), "unknown part");
    gradient_clear(d), clear_gradient_case(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_of_whole_calls),
        cmocka_unit_test(absent_is_neutral),
        cmocka_unit_test(grouped_heads_add_up),
        cmocka_unit_test(softmax_sums),
        cmocka_unit_test(threads_and_strides_do_not_matter),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(cumulative_gates_are_inside),
        cmocka_unit_test(twin_with_rounded_operands),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(where_there_is_no_derivative),
        cmocka_unit_test(statuses),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

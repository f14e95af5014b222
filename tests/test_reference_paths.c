/* The two paths of the references, double-doubles and balls, against each other; double-double arithmetic against Arb; the
 * spread of an error; progress, stopping. */
#include "numerics/accuracy/dd_exp.h"
#include "numerics/accuracy/spread.h"
#include "tests/kernels.h"

/* ---- arithmetic ---- */

/* A double with an exponent on [low, high], sometimes with few bits, sometimes 0. */
static double any_double(exact_random *r, slong low, slong high, int bits) {
    uint64_t m = exact_random_next(r) >> 11;
    slong kind = exact_random_integer(r, 0, 15);
    if (kind == 0)
        return 0;
    if (kind == 1)
        m &= 7;
    double x = ldexp((double)m, (int)exact_random_integer(r, low, high) - 53);
    if (bits < 53) {
        int e;
        double f = frexp(x, &e);
        x = ldexp(trunc(ldexp(f, bits)), e - bits);
    }
    return exact_random_next(r) & 1 ? x : -x;
}

static dd any_dd(exact_random *r, slong low, slong high) {
    double x = any_double(r, low, high, 53);
    slong gap = exact_random_integer(r, 0, 9) == 0 ? exact_random_integer(r, 0, 300) : 0;
    return dd_two_sum(x, x * ldexp((double)exact_random_integer(r, -64, 64) / 64, -53 - (int)gap));
}

static void get(arb_t x, dd y) {
    arf_t low;
    arf_init(low);
    arb_set_d(x, y.hi);
    arf_set_d(low, y.lo);
    arf_add(arb_midref(x), arb_midref(x), low, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_clear(low);
}

/* |z - exact| <= DD_UNIT (|s| + |xy| ...) + DD_TINY; the largest quotient goes to *most. */
static bool within(dd z, const arb_t exact, const arb_t size, double *most) {
    arb_t e, bound, tiny;
    arb_init(e), arb_init(bound), arb_init(tiny);
    get(e, z);
    arb_sub(e, e, exact, 6000);
    arb_abs(e, e);
    arb_mul_2exp_si(bound, size, -101);
    arb_set_d(tiny, DD_TINY);
    arb_add(bound, bound, tiny, 6000);
    bool good = arb_le(e, bound);
    arb_div(e, e, bound, 64);
    *most = fmax(*most, exact_double_upper(e));
    arb_clear(e), arb_clear(bound), arb_clear(tiny);
    return good;
}

static void operations(void **state) {
    (void)state;
    exact_random r = {test_seed("dd.operations")};
    arb_t s, x, y, product, want, size, term;
    arb_init(s), arb_init(x), arb_init(y), arb_init(product), arb_init(want), arb_init(size);
    arb_init(term);
    double most = 0;
    for (long number = 0; number < test_count(100000); number++) {
        slong low = number % 3 == 0   ? -1074
                    : number % 3 == 1 ? -600
                                      : -3,
              high = number % 3 == 0   ? 400
                     : number % 3 == 1 ? -430
                                       : 3;
        dd a = any_dd(&r, low, high), b = any_dd(&r, low, high),
           c = any_dd(&r, 2 * low < -1074 ? -1074 : 2 * low, 2 * high);
        double f = any_double(&r, number % 3 ? -3 : -149, number % 3 ? 3 : 128, 24);
        bool add = number & 8, scaled = number & 16;
        if (exact_random_integer(&r, 0, 7) == 0) /* nearly cancels */
            c = (dd){-a.hi * b.hi, number & 32 ? 0 : any_double(&r, -60, -50, 53) * a.hi * b.hi};
        c = dd_two_sum(c.hi, c.lo);
        dd z;
        get(x, a), get(s, c);
        if (scaled)
            arb_set_d(y, f);
        else
            get(y, b);
        arb_mul(product, x, y, ARF_PREC_EXACT);
        if (number & 64) { /* sums alone */
            z = scaled ? dd_add_d(c, f) : dd_add(c, b);
            arb_set(product, y);
            add = true;
        } else if (add) {
            z = scaled ? dd_add_product_short(c, a, dd_split(a.hi), f)
                       : dd_add_product(c, a, dd_split(a.hi), b);
        } else {
            z = scaled ? dd_mul_short(a, f) : dd_mul(a, b);
        }
        if (!add)
            arb_zero(s);
        arb_add(want, s, product, ARF_PREC_EXACT);
        arb_abs(size, s);
        arb_abs(term, product);
        arb_add(size, size, term, 200);
        assert_case(within(z, want, size, &most), "dd.operations", number);
        assert_case(fabs(z.lo) <= 0x1p-53 * fabs(z.hi), "dd.operations", number);
    }
    printf("double-doubles: at most %.3f of the bound\n", most);
    assert_true(most > 0.01); /* the bound is not useless */
    arb_clear(s), arb_clear(x), arb_clear(y), arb_clear(product), arb_clear(want), arb_clear(size);
    arb_clear(term);
}

static void exponentials(void **state) {
    (void)state;
    exact_random r = {test_seed("dd.exp")};
    dd_exp_table table;
    dd_exp_tabulate(&table);
    arb_t x, y;
    arb_init(x), arb_init(y);
    double most = 0;
    for (long number = 0; number < test_count(30000); number++) {
        dd a = any_dd(&r, -1070, 9);
        if (number % 3 == 0)
            a = any_dd(&r, -12, 10);
        if (number < 20) /* ends, and where the nearest integer changes */
            a = number == 0 ? (dd){DD_EXP_LEAST, 0}
                : number == 1
                    ? (dd){1, 0}
                    : (dd){(double)(2 * number - 41) * 0x1.62e42fefa39efp-1 / 512, 0x1p-80};
        if (a.hi > 1)
            a.hi = -a.hi, a.lo = -a.lo;
        if (a.hi < DD_EXP_LEAST)
            continue;
        dd z = dd_exp(&table, a);
        get(x, a);
        arb_exp(x, x, 256);
        get(y, z);
        arb_div(y, y, x, 256);
        arb_sub_ui(y, y, 1, 256);
        arb_abs(y, y);
        double error = exact_double_upper(y);
        assert_case(error <= DD_EXP_UNIT, "dd.exp", number);
        most = fmax(most, error);
    }
    printf("e^x: relative error at most 2^%.1f\n", log2(most));
    assert_true(most > DD_EXP_UNIT / 256);
    arb_clear(x), arb_clear(y);
}

/* Overflow ends in something that is not finite. */
static void overflow_shows(void **state) {
    (void)state;
    dd big = {0x1p1000, 0}, most = {DBL_MAX, 0};
    dd z = dd_mul(big, big);
    assert_true(!isfinite(z.hi + z.lo));
    z = dd_add(most, most);
    assert_true(!isfinite(z.hi + z.lo));
    z = dd_mul_short(most, 1); /* its halves overflow */
    assert_true(!isfinite(z.hi + z.lo));
}

/* D_t by the recurrence, with errors of the size allowed, is inside; and for steps that shrink it stays small. */
static void spread_contains(void **state) {
    (void)state;
    enum { N = 5, COLUMNS = 3, STEPS = 300 };
    for (long number = 0; number < test_count(20); number++) {
        exact_random r = {test_seed("spread") + (uint64_t)number};
        double m[N * N + N] = {0}, d[N][COLUMNS] = {{0}}, most = 0;
        spread s = {N, m, m + N * N};
        assert_int_equal(spread_doubles(N), N * N + N);
        for (int t = 0; t < STEPS; t++) {
            double a[N], k[N], x = number % 2 ? 1 : (double)uniform(&r, 0, 1), size = 0,
                               scale = number % 4 < 2 ? 1 : 1.2;
            float ks[N];
            for (int i = 0; i < N; i++)
                ks[i] = uniform(&r, -1, 1);
            mn_normalise(1, N, ks, ks);
            for (int i = 0; i < N; i++)
                k[i] = scale * (double)ks[i], a[i] = k[i] + (double)uniform(&r, -0.2, 0.2);
            double along[COLUMNS] = {0}, noise[N][COLUMNS];
            for (int i = 0; i < N; i++)
                for (int j = 0; j < COLUMNS; j++) {
                    along[j] += k[i] * d[i][j];
                    noise[i][j] = (double)uniform(&r, -1, 1);
                    size += noise[i][j] * noise[i][j];
                }
            for (int i = 0; i < N; i++)
                for (int j = 0; j < COLUMNS; j++)
                    d[i][j] += x * noise[i][j] / sqrt(size) - a[i] * along[j];
            spread_step(&s, a, k, x * (1 + 0x1p-40));
            double norm = 0, part = 0, y[N] = {0};
            int p = t % N;
            y[p] = 2, y[(p + 1) % N] = -1;
            for (int j = 0; j < COLUMNS; j++) {
                for (int i = 0; i < N; i++)
                    norm += d[i][j] * d[i][j];
                part += pow(2 * d[p][j] - d[(p + 1) % N][j], 2);
            }
            assert_case(sqrt(norm) <= spread_norm_upper(&s), "spread", number);
            assert_case(sqrt(part) <= spread_along_upper(&s, y), "spread", number);
            most = fmax(most, spread_norm_upper(&s) / sqrt(norm));
        }
        if (number % 4 < 2)
            assert_case(spread_norm_upper(&s) < 1e3 && most < 1e3, "spread", number);
    }
    double m[3] = {NAN, 0}, one = 1;
    spread s = {1, m, m + 1};
    assert_true(isnan(spread_norm_upper(&s)) && isnan(spread_along_upper(&s, &one)));
    spread_step(&s, &one, &one, 0);
    assert_true(!isfinite(spread_norm_upper(&s)));
}

/* ---- kernels ---- */

static const reference_options doubles = {.path = REFERENCE_DOUBLES},
                               balls = {.path = REFERENCE_BALLS};

/* Two answers to one question overlap, element by element. */
static void assert_overlap(const mn_args *a, const reference_t x, const reference_t y,
                           const char *name, long number) {
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads;
    double key = 1, largest = a->state_in ? 1 : 0; /* what errors of S and e are relative to */
    for (slong i = 0; i < x->tokens; i++)
        largest = fmax(largest, y->token[i].state);
    for (int64_t i = 0; x->token && a->k.time == 0 && i < a->batch * a->time * kv * a->dk; i++)
        key = fmax(key, fabs((double)a->k.data[i]));

    assert_case(x->rows == y->rows && x->states == y->states && x->tokens == y->tokens, name,
                number);
    for (slong i = 0; i < x->rows * x->width; i++)
        assert_case(arb_overlaps(x->o + i, y->o + i), name, number);
    for (slong i = 0; x->divisor && i < x->rows; i++)
        assert_case(arb_overlaps(x->divisor + i, y->divisor + i), name, number);
    for (slong i = 0; x->state && i < x->states; i++)
        assert_case(arb_overlaps(x->state + i, y->state + i), name, number);
    for (slong i = 0; i < x->tokens; i++) { /* upper bounds of the same numbers, both close */
        const reference_token *p = x->token + i, *q = y->token + i;
        const double pairs[][2] = {{p->error, q->error},
                                   {p->state, q->state},
                                   {p->inverse, q->inverse},
                                   {p->stretch, q->stretch}};
        for (int j = 0; j < 4; j++) {
            double size = j == 0   ? key * largest
                          : j == 1 ? largest
                          : j == 2 ? q->inverse
                                   : 1 + q->stretch;
            bool close =
                pairs[j][0] == pairs[j][1] || /* also infinite */
                fabs(pairs[j][0] - pairs[j][1]) <= 1e-6 * pairs[j][1] + 1e-12 * size + 1e-300;
            if (!close)
                print_error("token %ld, bound %d: %a and %a, size %a\n", (long)i, j, pairs[j][0],
                            pairs[j][1], size);
            assert_case(close, name, number);
        }
    }
}

typedef enum { MAY_FALL_BACK, STAYS } expectation;
static long compared, fallen_back;

static bool compare(const mn_args *a, expectation expected, const char *name, long number) {
    reference_t x, y, z;
    reference_init(x), reference_init(y), reference_init(z);
    reference_status fast = reference_attention_with(x, a, &doubles),
                     slow = reference_attention_with(y, a, &balls);
    assert_case(fast == REFERENCE_OK || fast == REFERENCE_UNDECIDED, name, number);
    assert_case(expected == MAY_FALL_BACK || fast == REFERENCE_OK, name, number);
    compared++, fallen_back += fast != REFERENCE_OK;
    if (fast == REFERENCE_OK && slow == REFERENCE_OK)
        assert_overlap(a, x, y, name, number);
    if (fast != REFERENCE_OK) /* what double-doubles leave open comes from balls */
        assert_case(reference_attention(z, a) == slow, name, number);
    if (fast != REFERENCE_OK && slow == REFERENCE_OK)
        assert_overlap(a, z, y, name, number);
    if (a->kernel != MN_DELTA && a->kernel != MN_VLA) {
        fast = reference_scale_with(x, a, &doubles), slow = reference_scale_with(y, a, &balls);
        assert_case(expected == MAY_FALL_BACK || fast == REFERENCE_OK, name, number);
        if (fast == REFERENCE_OK && slow == REFERENCE_OK)
            assert_overlap(a, x, y, name, number);
    }
    bool ok = slow == REFERENCE_OK;
    reference_clear(x), reference_clear(y), reference_clear(z);
    return ok;
}

static shape random_shape(mn_kernel kernel, long number, exact_random *r) {
    int64_t group = exact_random_integer(r, 1, 2), kv = exact_random_integer(r, 1, 2);
    bool norm = kernel == MN_LINEAR || kernel == MN_VLA || kernel == MN_VORT;
    shape s = {.kernel = kernel,
               .batch = exact_random_integer(r, 1, 2),
               .time = exact_random_integer(r, 1, 70),
               .heads = group * kv,
               .kv_heads = kv,
               .dk = exact_random_integer(r, 1, 12),
               .dv = exact_random_integer(r, 1, 10),
               .normalise = norm && number % 2,
               .positive = number % 4 < 3,
               .beta = number % 3,
               .lambda = number % 3,
               .state = number % 3 == 1 && kernel != MN_SOFTMAX,
               .position = number % 3 == 1 ? exact_random_integer(r, 0, 100) : 0,
               .refresh = 0.01f,
               .refresh_every = number % 2 ? 5 : 0,
               .past = kernel == MN_SOFTMAX && number % 2 ? exact_random_integer(r, 0, 40) : 0};
    s.u = 0.5 / sqrt((double)s.dk);
    if (kernel == MN_LINEAR)
        s.gate = (gate_kind)(number / 2 % 4);
    else if (kernel == MN_DELTA || kernel == MN_LOGLINEAR)
        s.gate = number % 4 == 0 ? GATE_NONE : number % 4 == 1 ? GATE_CLOSED : GATE_SCALAR;
    return s;
}

/* The same call with every array spread out in memory, [batch][head][time] with gaps. */
static void spread_out(kernel_case *c, mn_input *x, int64_t length, int64_t heads, int64_t dim) {
    if (!x->data)
        return;
    int64_t batch = c->a.batch, step = dim + 1;
    float *y = calloc((size_t)(batch * heads * length * step + 1), sizeof *y);
    for (int64_t n = 0; n < batch; n++)
        for (int64_t t = 0; t < length; t++)
            for (int64_t h = 0; h < heads; h++)
                memcpy(y + ((n * heads + h) * length + t) * step,
                       x->data + ((n * length + t) * heads + h) * dim, (size_t)dim * sizeof *y);
    c->memory[c->used++] = y;
    *x = (mn_input){y, heads * length * step, step, length * step};
}

static void every_kernel(void **state) {
    (void)state;
    for (long number = 0; number < test_count(120); number++) {
        exact_random r = {test_seed("paths.every") + (uint64_t)number};
        mn_kernel kernel = (mn_kernel)(number % MN_KERNELS);
        shape s = random_shape(kernel, number / MN_KERNELS, &r);
        kernel_case c;
        make_case(&c, &s, &r);
        expectation expected =
            s.gate == GATE_CLOSED || (s.normalise && !s.positive) ? MAY_FALL_BACK : STAYS;
        compare(&c.a, expected, "paths.every", number);
        if (number % 5 == 0) {
            mn_args *a = &c.a;
            int64_t kv = s.kv_heads, keys = s.time + s.past;
            spread_out(&c, &a->q, s.time, s.heads, s.dk), spread_out(&c, &a->k, keys, kv, s.dk);
            spread_out(&c, &a->v, keys, kv, s.dv), spread_out(&c, &a->g, s.time, kv, 1);
            spread_out(&c, &a->gate_keys, s.time, kv, s.dk);
            spread_out(&c, &a->beta, s.time, kv, 1), spread_out(&c, &a->u, s.time, kv, s.dk);
            spread_out(&c, &a->lambda, s.time, s.heads, a->levels);
            a->scale = number % 2 ? -0.7f : 0;
            compare(a, expected, "paths.strides", number);
        }
        clear_case(&c);
    }
}

static void segments(void **state) {
    (void)state;
    static const int64_t offsets[][5] = {{0, 0, 5, 5, 29}, {0, 0, 0, 0, 0}, {0, 9, 9, 17, 17}};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int i = 0; i < 6; i++) {
            exact_random r = {test_seed("paths.segments") + (uint64_t)i};
            shape s = {.kernel = (mn_kernel)kernel,
                       .batch = 1,
                       .time = offsets[i % 3][4],
                       .heads = 2,
                       .dk = 3,
                       .dv = 4,
                       .levels = 6,
                       .position = 3};
            kernel_case c;
            make_case(&c, &s, &r);
            c.a.segments = 4, c.a.offsets = offsets[i % 3];
            if (i >= 3 && kernel != MN_SOFTMAX)
                make_state(&c, &s, &r);
            assert_true(compare(&c.a, STAYS, "paths.segments", 10 * kernel + i));
            clear_case(&c);
        }
}

static void multiply(float *x, int64_t n, float f) {
    for (int64_t i = 0; x && i < n; i++)
        x[i] *= f;
}

/* Inputs on which errors have hidden: sizes from denormal to huge, exact cancellation, keys that are nearly parallel, masked
 * tokens, divisors of 0, gates of 0 and 1, decays that underflow. */
static void adversarial(void **state) {
    (void)state;
    enum { KINDS = 11 };
    for (long number = 0; number < test_count(KINDS * MN_KERNELS * 2); number++) {
        exact_random r = {test_seed("paths.adversarial") + (uint64_t)number};
        mn_kernel kernel = (mn_kernel)(number % MN_KERNELS);
        int kind = (int)(number / MN_KERNELS % KINDS);
        shape s = random_shape(kernel, number / (KINDS * MN_KERNELS), &r);
        kernel_case c;
        s.time = 40, s.batch = 1;
        make_case(&c, &s, &r);
        int64_t keys = (s.time + s.past) * s.kv_heads;
        float *q = (float *)c.a.q.data, *k = (float *)c.a.k.data, *v = (float *)c.a.v.data,
              *g = (float *)c.a.g.data;
        int64_t nq = s.time * s.heads * s.dk, nk = keys * s.dk, nv = keys * s.dv;
        switch (kind) {
        case 0: /* denormal values */
            multiply(v, nv, 0x1p-140f);
            break;
        case 1: /* denormal everything */
            multiply(v, nv, 0x1p-149f * 1000), multiply(k, nk, 0x1p-149f * 1000),
                multiply(q, nq, 0x1p-149f * 1000);
            break;
        case 2: /* large norms */
            multiply(v, nv, 0x1p100f), multiply(k, nk, kernel == MN_DELTA ? 2 : 0x1p60f);
            break;
        case 3: /* keys that come back with the other sign: sums that cancel exactly */
            for (int64_t i = nk / 2; i < nk / 2 * 2; i++)
                k[i] = -k[i - nk / 2];
            for (int64_t i = nv / 2; i < nv / 2 * 2; i++)
                v[i] = v[i - nv / 2];
            break;
        case 4: /* nearly parallel keys */
            for (int64_t i = s.dk; i < nk; i++)
                k[i] = k[i % s.dk] * (1 + 0x1p-20f * uniform(&r, -1, 1));
            break;
        case 5: /* masked tokens in front, and a query of 0 */
            memset(k, 0, (size_t)(nk / 2) * sizeof *k), memset(v, 0, (size_t)(nv / 2) * sizeof *v);
            memset(q, 0, (size_t)s.dk * sizeof *q);
            break;
        case 6: /* q.k = 0 for all keys: divisors of 0 */
            for (int64_t i = 0; i < nq; i++)
                q[i] = i % s.dk < 2 && s.dk > 1 ? (float)(1 - 2 * (i % s.dk % 2)) : 0;
            for (int64_t i = 0; i < nk; i++)
                k[i] = i % s.dk == 1 ? k[i - 1] : k[i];
            break;
        case 7: /* gates and nodes that lose everything, slowly and at once */
            for (int64_t i = 0; g && i < s.time * s.kv_heads; i++)
                g[i] = i % 7 == 0 ? -1e5f : i % 5 == 0 ? -700 : i % 3 ? -87 : -INFINITY;
            for (int64_t i = 0; c.a.nodes && i < c.a.banks * c.a.modes; i++)
                ((float *)c.a.nodes)[i] = i % 2 ? 0x1p-149f : 0x1p-60f;
            break;
        case 8: /* VLA: writes that learn nothing and A of condition 10^12 */
            for (int64_t i = 0; c.a.u.data && i < s.time * s.kv_heads * s.dk; i++)
                ((float *)c.a.u.data)[i] *= i % s.dk ? 1e-3f : 1e3f;
            break;
        case 9: /* gates of exactly 1, and one above it */
            for (int64_t i = 0; g && i < s.time * s.kv_heads; i++)
                g[i] = i == 20 ? 0x1p-10f : 0;
            break;
        default: /* scores far apart, and all equal */
            multiply(q, nq / 2, 3e4f), memset(q + nq / 2, 0, (size_t)(nq / 4) * sizeof *q);
        }
        compare(&c.a, MAY_FALL_BACK, "paths.adversarial", number);
        clear_case(&c);
    }
    printf("%ld calls compared, balls needed for %ld\n", compared, fallen_back);
}

/* beta = -1 and a key of norm 2: states that double and treble, to beyond doubles. */
static void growth(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        exact_random r = {test_seed("paths.growth")};
        shape s = {.kernel = i < 2 ? MN_DELTA : MN_VLA,
                   .batch = 1,
                   .time = i == 1 ? 1200 : 150,
                   .heads = 1,
                   .dk = 2,
                   .dv = 2,
                   .u = 1};
        kernel_case c;
        make_case(&c, &s, &r);
        if (i < 2)
            c.a.beta.data = fill(&c, &r, s.time, -1, -1);
        else
            for (int64_t t = 0; t < s.time; t++) { /* u across k: the growing input of VLA */
                float *u = (float *)c.a.u.data + 2 * t, *k = (float *)c.a.k.data + 2 * t;
                double angle = 0.7 * (double)(t % 2);
                k[0] = (float)cos(angle), k[1] = (float)sin(angle), u[0] = -k[1], u[1] = k[0];
            }
        assert_true(compare(&c.a, i == 1 ? MAY_FALL_BACK : STAYS, "paths.growth", i));
        reference_t x;
        reference_init(x);
        if (i == 1)
            assert_int_equal(reference_attention_with(x, &c.a, &doubles), REFERENCE_UNDECIDED);
        reference_clear(x), clear_case(&c);
    }
}

/* Widths, beside what double-doubles could do at best: not uselessly wide. */
static void floors(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        exact_random r = {test_seed("paths.floors")};
        shape s = {.kernel = (mn_kernel)kernel,
                   .batch = 1,
                   .time = 500,
                   .heads = 1,
                   .dk = 16,
                   .dv = 4,
                   .gate = kernel < MN_VLA || kernel == MN_LOGLINEAR ? GATE_SCALAR : GATE_NONE,
                   .beta = true,
                   .u = 0.25};
        kernel_case c;
        make_case(&c, &s, &r);
        reference_t x;
        reference_init(x);
        assert_int_equal(reference_attention_with(x, &c.a, &doubles), REFERENCE_OK);
        assert_int_equal(x->precision, 106);
        double width = 0, most = 0;
        for (slong i = 0; i < x->rows * x->width; i++) {
            width = fmax(width, mag_get_d(arb_radref(x->o + i)));
            most = fmax(most, fabs(exact_double_mid(x->o + i)));
        }
        printf("%-10s balls of 2^%.1f of the largest output\n", mn_kernel_name(s.kernel),
               log2(width / most));
        assert_case(width < most * (kernel == MN_SOFTMAX || kernel == MN_VLA ? 0x1p-68 : 0x1p-80),
                    "paths.floors", kernel);
        assert_case(width > most * 0x1p-106, "paths.floors", kernel);
        reference_clear(x), clear_case(&c);
    }
}

typedef struct {
    double last;
    int calls, most;
} watched;
static bool watch(double done, void *data) {
    watched *w = data;
    assert_true(done >= w->last && done <= 1);
    w->last = done;
    return ++w->calls < w->most;
}

static void progress(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int path = REFERENCE_DOUBLES; path <= REFERENCE_BALLS; path++) {
            exact_random r = {test_seed("paths.progress")};
            shape s = {.kernel = (mn_kernel)kernel,
                       .batch = 1,
                       .time = 200,
                       .heads = 2,
                       .dk = 2,
                       .dv = 2,
                       .u = 0.5};
            kernel_case c;
            reference_t x;
            reference_init(x);
            make_case(&c, &s, &r);
            watched w = {0, 0, 1 << 20};
            reference_options o = {(reference_path)path, watch, &w};
            c.a.threads = 2;
            assert_int_equal(reference_attention_with(x, &c.a, &o), REFERENCE_OK);
            assert_true(w.calls >= 8 && w.last == 1);
            w = (watched){0, 0, 3};
            assert_int_equal(reference_attention_with(x, &c.a, &o), REFERENCE_STOPPED);
            assert_true(w.calls == 3 && x->o == NULL);
            assert_string_equal(reference_status_text(REFERENCE_STOPPED), "stopped");
            reference_clear(x), clear_case(&c);
        }
}

/* What mn_run refuses is refused here, and nothing beyond the arrays is read. */
static void refused(void **state) {
    (void)state;
    exact_random r = {test_seed("paths.refused")};
    shape s = {.kernel = MN_LOGLINEAR, .batch = 1, .time = 9, .heads = 1, .dk = 2, .dv = 2};
    kernel_case c;
    reference_t x;
    reference_init(x);
    make_case(&c, &s, &r);
    c.a.levels = 4; /* position 8 needs 5 */
    assert_int_equal(reference_attention(x, &c.a), REFERENCE_BAD_ARGUMENT);
    c.a.levels = 5;
    assert_int_equal(reference_attention(x, &c.a), REFERENCE_OK);
    c.a.normalise = true;
    assert_int_equal(reference_attention(x, &c.a), REFERENCE_BAD_ARGUMENT);
    reference_clear(x), clear_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),     cmocka_unit_test(exponentials),
        cmocka_unit_test(overflow_shows), cmocka_unit_test(spread_contains),
        cmocka_unit_test(every_kernel),   cmocka_unit_test(segments),
        cmocka_unit_test(adversarial),    cmocka_unit_test(growth),
        cmocka_unit_test(floors),         cmocka_unit_test(progress),
        cmocka_unit_test(refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

/* Every kernel by every method on every instruction set against the exact result, inside the bound. */
#include "tests/kernels.h"

/* The largest error over bound seen, printed in the end. */
static double tightness[MN_KERNELS][3];
static long unbounded[MN_KERNELS], outputs[MN_KERNELS];
/* The largest error over the definition's own plus 8 ulp of the largest number. */
static double worse[MN_KERNELS];

/* The largest error of an output or a state's element, and of the exact ones the largest. */
static double largest_error(const oracle *w, const results *got, double *size) {
    double most = 0;
    for (slong i = 0; i < w->exact->rows * w->exact->width; i++) {
        most = fmax(most, error_of(got->o[i], w->exact->o + i));
        *size = fmax(*size, fabs(exact_double_mid(w->exact->o + i)));
    }
    for (slong i = 0; i < w->exact->states; i++) {
        most = fmax(most, error_of(((float *)got->state)[i], w->exact->state + i));
        *size = fmax(*size, fabs(exact_double_mid(w->exact->state + i)));
    }
    return most;
}

static void check_shape(const char *name, long number, const shape *s) {
    exact_random r = {test_seed(name) + (uint64_t)number};
    kernel_case c;
    oracle w;
    make_case(&c, s, &r);
    make_oracle(&w, &c.a);
    double definition = 0, size = 0;
    for (int isa = MN_GENERIC; isa < MN_ISAS; isa++)
        for (int method = MN_REFERENCE; method <= MN_CHUNK; method++) {
            if (!mn_isa_usable((mn_isa)isa) || (method == MN_REFERENCE && isa != MN_GENERIC))
                continue;
            results got = run_case(&c.a, (mn_method)method, (mn_isa)isa);
            double ratio = largest_ratio(&c.a, &w, &got, &unbounded[s->kernel]);
            tightness[s->kernel][method] = fmax(tightness[s->kernel][method], ratio);
            outputs[s->kernel] += w.bounds->rows * w.bounds->width;
            /* not much worse than the definition in plain C: where bounds are wide, this is what finds mistakes */
            double error = largest_error(&w, &got, &size);
            if (method == MN_REFERENCE)
                definition = error;
            double twin = error / (definition + 8 * FLT_EPSILON * size);
            if (!s->normalise && size > 0) { /* divisors near 0 make errors of chance */
                worse[s->kernel] = fmax(worse[s->kernel], twin);
                assert_case(twin <= 4, name, number);
            }
            if (!(ratio <= 1))
                print_error("%s, %s, method %d: error %g of the bound (time %ld, dk %ld, dv %ld)\n",
                            mn_kernel_name(s->kernel), mn_isa_name((mn_isa)isa), method, ratio,
                            (long)s->time, (long)s->dk, (long)s->dv);
            assert_case(ratio <= 1, name, number);
            clear_results(&got);
        }
    clear_oracle(&w);
    clear_case(&c);
}

/* Sizes that every kernel is run with: time, heads, key heads, dk, dv. */
static const int64_t sizes[][5] = {
    {1, 1, 1, 8, 7},    {2, 2, 2, 1, 1},   {31, 2, 1, 7, 8},
    {32, 1, 1, 64, 63}, {33, 4, 2, 8, 64}, {65, 1, 1, 63, 8},
    {100, 3, 3, 16, 1}, {129, 2, 1, 8, 7}, {129, 1, 1, 65, 64},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static shape sized(mn_kernel kernel, int i) {
    const int64_t *n = sizes[i];
    return (shape){.kernel = kernel,
                   .batch = n[0] < 33 ? 2 : 1,
                   .time = n[0],
                   .heads = n[1],
                   .kv_heads = n[2],
                   .dk = n[3],
                   .dv = n[4]};
}

static void linear(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        shape s = sized(MN_LINEAR, i);
        s.gate = (gate_kind)(i % 4), s.state = i % 3 != 0;
        check_shape("kernels.linear", 2 * i, &s);
        s.gate = (gate_kind)((i + 1) % 4), s.normalise = true, s.positive = i % 2;
        check_shape("kernels.linear", 2 * i + 1, &s);
    }
}

static void delta(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        shape s = sized(MN_DELTA, i);
        s.gate = i % 3 == 0 ? GATE_NONE : i % 3 == 1 ? GATE_SCALAR : GATE_CLOSED;
        s.beta = i % 2, s.state = i % 3 != 0;
        check_shape("kernels.delta", 2 * i, &s);
        s.beta = !s.beta, s.gate = s.gate == GATE_NONE ? GATE_SCALAR : GATE_NONE;
        check_shape("kernels.delta", 2 * i + 1, &s);
    }
}

static void vla(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        shape s = sized(MN_VLA, i);
        s.u = 0.4 / sqrt((double)s.dk), s.state = i % 3 == 1, s.normalise = i % 2;
        check_shape("kernels.vla", 2 * i, &s);
        s.refresh = 0.01f, s.refresh_every = 5, s.normalise = !s.normalise;
        s.u = 0.05, s.lambda0 = i % 2 ? 4 : 0.5f;
        s.positive = true;
        check_shape("kernels.vla", 2 * i + 1, &s);
    }
    /* states used in place by every instruction set, one head's behind the other's */
    shape s = {.kernel = MN_VLA,
               .batch = 2,
               .time = 33,
               .heads = 2,
               .dk = 16,
               .dv = 16,
               .u = 0.1,
               .refresh = 0.25f,
               .refresh_every = 5,
               .state = true};
    check_shape("kernels.vla.in-place", 0, &s);
}

/* Where more than six bits cancel in a chunk it is done token by token, to the same bits as decoding:
   in the factor (u twice the same and long, keys across it), in A k (keys along a long u). */
static void cancelled_chunks(void **state) {
    (void)state;
    static const float along[4] = {0.6f, 0, 0.8f, 0}, across[4] = {0.8f, 0, -0.6f, 0};
    for (int in_key = 0; in_key < 2; in_key++)
        for (int power = 3; power <= 5; power++) {
            float k[8], u[8], q[8] = {1, 2, 3, 4, 4, 3, 2, 1}, v[4] = {1, 2, 2, 1};
            for (int i = 0; i < 8; i++) {
                k[i] = in_key ? along[i % 4] : across[i % 4];
                u[i] = !in_key || i < 4 ? along[i % 4] + (i % 2 ? 0.01f : 0) : across[i % 4] / 16;
            }
            exact_random r = {0};
            shape s = {.kernel = MN_VLA, .batch = 1, .time = 2, .heads = 1, .dk = 4, .dv = 2};
            kernel_case c;
            make_case(&c, &s, &r);
            c.a.k.data = k, c.a.u.data = u, c.a.q.data = q, c.a.v.data = v;
            c.a.lambda0 = powf(10, -(float)power);
            for (mn_isa isa = MN_GENERIC; isa < MN_ISAS; isa++) {
                if (!mn_isa_usable(isa))
                    continue;
                results step = run_case(&c.a, MN_STEP, isa), chunk = run_case(&c.a, MN_CHUNK, isa);
                assert_case(same_results(&step, &chunk), "cancelled", 10 * in_key + power);
                clear_results(&step), clear_results(&chunk);
            }
            clear_case(&c);
        }
}

static void loglinear(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        shape s = sized(MN_LOGLINEAR, i);
        s.gate = i % 3 == 0 ? GATE_NONE : i % 3 == 1 ? GATE_SCALAR : GATE_CLOSED;
        s.lambda = i % 2;
        check_shape("kernels.loglinear", 2 * i, &s);
        s.state = true, s.position = 37 * i + 5, s.lambda = !s.lambda;
        s.gate = s.gate == GATE_NONE ? GATE_SCALAR : GATE_NONE;
        check_shape("kernels.loglinear", 2 * i + 1, &s);
    }
}

static void vort(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        shape s = sized(MN_VORT, i);
        s.banks = 1 + i % 3, s.modes = 1 + i % 4, s.state = i % 3 == 1;
        check_shape("kernels.vort", 2 * i, &s);
        s.normalise = true, s.positive = i % 2, s.state = !s.state;
        check_shape("kernels.vort", 2 * i + 1, &s);
    }
}

static void softmax(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        shape s = sized(MN_SOFTMAX, i);
        s.past = i % 2 ? 17 * i : 0;
        check_shape("kernels.softmax", i, &s);
    }
}

/* Underflow: products of keys and values are half of the smallest float and are rounded up, token after token. */
static void smallest_numbers(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        shape s = {.kernel = i ? MN_VORT : MN_LINEAR,
                   .batch = 1,
                   .time = 100,
                   .heads = 1,
                   .dk = 64,
                   .dv = 8};
        exact_random r = {test_seed("kernels.smallest")};
        kernel_case c;
        oracle w;
        make_case(&c, &s, &r);
        for (int64_t j = 0; j < s.time * s.dk; j++) {
            ((float *)c.a.k.data)[j] = 0x1.4p-75f;
            ((float *)c.a.q.data)[j] = 1;
        }
        for (int64_t j = 0; j < s.time * s.dv; j++)
            ((float *)c.a.v.data)[j] = 0x1p-75f;
        c.a.scale = 1;
        make_oracle(&w, &c.a);
        for (int method = MN_REFERENCE; method <= MN_CHUNK; method++) {
            results got = run_case(&c.a, (mn_method)method, MN_BEST);
            long vacuous = 0;
            assert_case(largest_ratio(&c.a, &w, &got, &vacuous) <= 1, "kernels.smallest", method);
            clear_results(&got);
        }
        clear_oracle(&w);
        clear_case(&c);
    }
}

/* Of the bound's smallness: what it allows, beside the largest output. */
static void bounds_say_something(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        shape s = {.kernel = (mn_kernel)kernel,
                   .batch = 1,
                   .time = kernel == MN_VLA ? 12 : 33,
                   .heads = 1,
                   .dk = 8,
                   .dv = 8,
                   .lambda0 = 4,
                   .gate = kernel == MN_VLA || kernel == MN_VORT || kernel == MN_SOFTMAX
                               ? GATE_NONE
                               : GATE_SCALAR,
                   .u = 0.1};
        exact_random r = {test_seed("kernels.floor")};
        kernel_case c;
        oracle w;
        make_case(&c, &s, &r);
        make_oracle(&w, &c.a);
        double most = 0, bound = 0;
        for (slong i = 0; i < w.exact->rows * w.exact->width; i++)
            most = fmax(most, fabs(exact_double_mid(w.exact->o + i)));
        for (slong i = 0; i < w.bounds->rows * w.bounds->width; i++)
            bound = fmax(bound, w.bounds->o[i]);
        assert_case(bound < (kernel == MN_VLA     ? 1
                             : kernel == MN_DELTA ? 0.5
                                                  : 1e-3) *
                                most,
                    "kernels.floor", kernel);
        clear_oracle(&w);
        clear_case(&c);
    }
}

/* Thousands of tokens: many slices and chunks, all levels of the counter, decays that underflow. */
static void long_sequences(void **state) {
    (void)state;
    for (int kernel = 0; kernel < MN_KERNELS; kernel++) {
        shape s = {.kernel = (mn_kernel)kernel,
                   .batch = 1,
                   .time = kernel == MN_LINEAR || kernel == MN_DELTA ? 2500 : 1100,
                   .heads = 2,
                   .kv_heads = 1,
                   .dk = 3,
                   .dv = 2,
                   .gate = GATE_SCALAR,
                   .beta = true,
                   .lambda = true,
                   .u = 0.2};
        if (kernel == MN_VLA || kernel == MN_VORT || kernel == MN_SOFTMAX)
            s.gate = GATE_NONE;
        check_shape("kernels.long", kernel, &s);
    }
}

/* Prints how much of the bounds has been used. */
static void report(void **state) {
    (void)state;
    for (int k = 0; k < MN_KERNELS; k++)
        printf("%-10s largest error / bound: definition %.4f, step %.4f, chunk %.4f; "
               "%ld of %ld outputs without a bound; %.2f of the definition's error + 8 ulp\n",
               mn_kernel_name((mn_kernel)k), tightness[k][0], tightness[k][1], tightness[k][2],
               unbounded[k], outputs[k], worse[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear),
        cmocka_unit_test(delta),
        cmocka_unit_test(vla),
        cmocka_unit_test(cancelled_chunks),
        cmocka_unit_test(loglinear),
        cmocka_unit_test(vort),
        cmocka_unit_test(softmax),
        cmocka_unit_test(smallest_numbers),
        cmocka_unit_test(long_sequences),
        cmocka_unit_test(bounds_say_something),
        cmocka_unit_test(report),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

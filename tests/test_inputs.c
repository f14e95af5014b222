/* Inputs of the kernels: the same bits everywhere, in their storage type, as the kernels' contracts want them. */
#include "tests/testing.h"
#include "numerics/accuracy/inputs.h"
#include "numerics/accuracy/reference.h"
#include "numerics/exact/number.h"

#include <math.h>

static inputs_shape shape_of(const char *text) {
    char complaint[INPUTS_COMPLAINT];
    inputs_shape s;
    if (!inputs_parse_shape(&s, text, complaint))
        fail_msg("%s", complaint);
    return s;
}

/* The float arrays of a case: each is passed on with its length. */
static void each_array(const inputs_case *c, void (*see)(const float *, int64_t, void *),
                       void *data) {
    const mn_args *a = &c->args;
    const mn_convolution *f = &c->convolution;
    if (c->convolves) {
        see(f->x.data, f->batch * f->time * f->channels, data);
        see(f->modes ? f->weights : f->kernel, f->modes ? f->modes : f->kernel_length, data);
        see(f->nodes, f->nodes ? f->modes : 0, data);
        see(f->state_in, f->state_in ? f->batch * f->modes * f->channels : 0, data);
        return;
    }
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, tokens = a->batch * a->time * kv,
            keys = a->batch * (a->time + a->past) * kv, banks = a->banks * a->modes;
    see(a->q.data, a->batch * a->time * a->heads * a->dk, data);
    see(a->k.data, keys * a->dk, data);
    see(a->v.data, keys * a->dv, data);
    see(a->g.data, a->g.data ? tokens : 0, data);
    see(a->gate_keys.data, a->gate_keys.data ? tokens * a->dk : 0, data);
    see(a->beta.data, a->beta.data ? tokens : 0, data);
    see(a->u.data, a->u.data ? tokens * a->dk : 0, data);
    see(a->lambda.data, a->lambda.data ? a->batch * a->time * a->heads * a->levels : 0, data);
    see(a->weights, a->weights ? banks : 0, data);
    see(a->nodes, a->nodes ? banks : 0, data);
    int64_t sequences = a->segments ? a->segments : a->batch;
    bool positions = a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR;
    int64_t bytes = a->state_in ? (int64_t)mn_state_size(a) - (positions ? 8 * sequences : 0) : 0;
    see(a->state_in, bytes / 4, data);
}

static void add_hash(const float *x, int64_t n, void *data) {
    uint64_t *h = data;
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, 4);
        *h = (*h ^ bits) * UINT64_C(1099511628211);
    }
}

static uint64_t hash_of(inputs_family family, array_type type, uint64_t seed) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (const inputs_kind *k = inputs_kinds; k->name; k++) {
        bool convolves = k->kernel == MN_KERNELS;
        inputs_shape s = shape_of(convolves ? "B=2,T=37,d=5" : "B=2,T=37,H=4,KV=2,dk=6,dv=5");
        s.state = inputs_possible(k, &(inputs_shape){2, 37, 1, 0, 5, 5, 0, 0, 0, 0, 0, true});
        inputs_case c;
        assert_true(inputs_make(&c, k, &s, family, type, seed));
        each_array(&c, add_hash, &h);
        inputs_clear(&c);
    }
    return h;
}

/* Values computed once: another compiler, library or machine must find them again. */
static void same_seed_same_bits_everywhere(void **state) {
    (void)state;
    static const uint64_t pinned[INPUTS_FAMILIES] = {
        UINT64_C(0xdbdf9d082310e4d7), UINT64_C(0x1d98e6c174b2dd9b), UINT64_C(0xa802ae17e9e178ed),
        UINT64_C(0x8c5517b79d12838a), UINT64_C(0xbceb5f788fc109a3), UINT64_C(0x6ba426827655edf0),
        UINT64_C(0xd31fb3ce9f666665), UINT64_C(0x6e65f458a58c1ab1)};
    bool same = true;
    for (int f = 0; f < INPUTS_FAMILIES; f++) {
        uint64_t h = hash_of((inputs_family)f, ARRAY_F32, 1);
        same = same && h == pinned[f];
        if (h != pinned[f])
            print_error("%s: 0x%016llx\n", inputs_family_names[f], (unsigned long long)h);
        if (f != INPUTS_GROWTH && f != INPUTS_CANCELLATION)
            assert_true(h != hash_of((inputs_family)f, ARRAY_F32, 2));
    }
    assert_true(same);
}

static void see_rounded(const float *x, int64_t n, void *data) {
    for (int64_t i = 0; i < n; i++)
        assert_true(array_round(*(array_type *)data, (double)x[i]) == (double)x[i] &&
                    !isnan(x[i]) && !(x[i] > 0 && isinf(x[i])));
}

/* 16-bit types too: no value is lost or overflows when written in them. */
static void values_are_of_the_storage_type(void **state) {
    (void)state;
    array_type types[] = {ARRAY_F32, ARRAY_F16, ARRAY_BF16};
    for (size_t t = 0; t < 3; t++)
        for (const inputs_kind *k = inputs_kinds; k->name; k++)
            for (int f = 0; f < INPUTS_FAMILIES; f++) {
                inputs_shape s = shape_of("T=70,d=5");
                inputs_case c;
                s.state = k->kernel != MN_SOFTMAX && (k->kernel != MN_KERNELS || k->weights);
                assert_true(inputs_make(&c, k, &s, (inputs_family)f, types[t], 7));
                each_array(&c, see_rounded, &types[t]);
                inputs_clear(&c);
            }
    inputs_case c;
    inputs_shape s = shape_of("T=3,d=2");
    assert_false(inputs_make(&c, inputs_kinds, &s, INPUTS_GAUSSIAN, ARRAY_I32, 1));
}

/* Keys of norm 1 where the kernel wants them, gates <= 0, nodes in [0,1], offsets that rise. */
static void contracts_are_kept(void **state) {
    (void)state;
    for (const inputs_kind *k = inputs_kinds; k->name; k++)
        for (int f = 0; f < INPUTS_FAMILIES && k->kernel != MN_KERNELS; f++) {
            inputs_shape s = shape_of("T=66,H=2,dk=9,dv=4");
            s.segments = 5;
            inputs_case c;
            assert_true(inputs_make(&c, k, &s, (inputs_family)f, ARRAY_F32, 3));
            const mn_args *a = &c.args;
            for (int64_t i = 0; (k->kernel == MN_DELTA || k->kernel == MN_VLA) && i < 132; i++) {
                double sum = 0;
                for (int64_t j = 0; j < 9; j++)
                    sum += pow((double)a->k.data[9 * i + j], 2);
                assert_true(fabs(sum - 1) < 1e-6);
            }
            for (int64_t i = 0; i < 132; i++)
                assert_true(!a->g.data || a->g.data[i] <= 0);
            for (int64_t i = 0; i < 132 * 9; i++)
                assert_true(!a->gate_keys.data || a->gate_keys.data[i] <= 0);
            for (int64_t i = 0; i < a->banks * a->modes; i++)
                assert_true(a->nodes[i] >= 0 && a->nodes[i] <= 1);
            assert_true(a->offsets[0] == 0 && a->offsets[1] == 0 && a->offsets[5] == 66);
            for (int i = 0; i < 5; i++)
                assert_true(a->offsets[i] <= a->offsets[i + 1]);
            inputs_clear(&c);
        }
}

/* Moments of 40000 numbers: within five standard deviations of theirs. */
static void normal_numbers_are_normal(void **state) {
    (void)state;
    inputs_shape s = shape_of("T=10000,d=4");
    inputs_case c;
    assert_true(
        inputs_make(&c, inputs_kinds, &s, INPUTS_GAUSSIAN, ARRAY_F32, test_seed("inputs.normal")));
    double sum[5] = {0}, n = 40000, beyond = 0;
    for (int64_t i = 0; i < 40000; i++) {
        double x = (double)c.args.v.data[i];
        for (int p = 1; p <= 4; p++)
            sum[p] += pow(x, p);
        beyond += fabs(x) > 1.959963984540054;
    }
    assert_true(fabs(sum[1] / n) < 5 / sqrt(n));
    assert_true(fabs(sum[2] / n - 1) < 5 * sqrt(2 / n));
    assert_true(fabs(sum[3] / n) < 5 * sqrt(15 / n));
    assert_true(fabs(sum[4] / n - 3) < 5 * sqrt(96 / n));
    assert_true(fabs(beyond / n - 0.05) < 5 * sqrt(0.05 * 0.95 / n));
    inputs_clear(&c);
}

/* S.k = 4098 meets v = 4096 (the residual is -2); on the last tokens the state doubles. */
static void cancellation_is_the_one_described(void **state) {
    (void)state;
    inputs_shape s = shape_of("T=90,d=4");
    inputs_case c;
    reference_t r;
    reference_init(r);
    assert_true(
        inputs_make(&c, inputs_find_kind("delta-gated"), &s, INPUTS_CANCELLATION, ARRAY_BF16, 1));
    c.args.time = 2;
    assert_int_equal(reference_attention(r, &c.args), REFERENCE_OK);
    double read = 0;
    for (int i = 0; i < 4; i++)
        read += (double)c.args.k.data[i] * exact_double_mid(r->state + 4 * i);
    assert_true(read == 4098 && c.args.v.data[4 * 2] == 4096);
    assert_memory_equal(c.args.k.data, c.args.k.data + 8, 4 * sizeof(float));
    c.args.time = 90;
    assert_int_equal(reference_attention(r, &c.args), REFERENCE_OK);
    double growth = r->token[89].state / r->token[59].state;
    assert_true(growth > 0x1p29 && growth < 0x1p31);
    reference_clear(r);
    inputs_clear(&c);
}

/* VLA's state grows like T on the climb, and like sqrt T at most on normal inputs. */
static void growth_grows(void **state) {
    (void)state;
    double norm[2];
    for (int f = 0; f < 2; f++) {
        inputs_shape s = shape_of("T=513,d=2");
        inputs_case c;
        reference_t r;
        reference_init(r);
        assert_true(inputs_make(&c, inputs_find_kind("vla"), &s,
                                f ? INPUTS_GROWTH : INPUTS_GAUSSIAN, ARRAY_F32, 1));
        assert_int_equal(reference_attention(r, &c.args), REFERENCE_OK);
        norm[f] = r->token[512].state;
        reference_clear(r);
        inputs_clear(&c);
    }
    if (!(norm[1] > 100))
        print_error("norms %g and %g\n", norm[0], norm[1]);
    assert_true(norm[0] < 20 && norm[1] > 100);
}

static void shapes_as_text(void **state) {
    (void)state;
    char text[INPUTS_SHAPE_TEXT], complaint[INPUTS_COMPLAINT];
    inputs_shape s;
    static const char *const good[] = {
        "T=129,d=64", "B=2,T=31,H=4,KV=2,dk=8,dv=7,segments=3,state=1",
        "T=1,d=1",    "T=33,d=64,past=300",
        "T=0,d=1",    "T=9,d=2,position=77,banks=3,modes=4,state=1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(inputs_parse_shape(&s, good[i], complaint));
        assert_string_equal(inputs_shape_text(&s, text), good[i]);
    }
    static const struct {
        const char *text, *says;
    } bad[] = {{"", "lacks T"},
               {"T=5", "lacks d"},
               {"T=5,dk=3", "lacks d (or dv)"},
               {"T=5,x=3", "\"x\" is no size"},
               {"T=-5,d=3", "\"T=-5\": T=N with a whole number from 0"},
               {"T=5x,d=3", "\"T=5x\""},
               {"T,d=3", "\"T\": T=N"},
               {"T=99999999999999999999,d=3", "T=N with a whole number"},
               {"T=5,d=3,state=2", "from 0 to 1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(inputs_parse_shape(&s, bad[i].text, complaint));
        if (!strstr(complaint, bad[i].says))
            print_error("\"%s\": %s\n", bad[i].text, complaint);
        assert_non_null(strstr(complaint, bad[i].says));
    }
    s = shape_of("T=5,d=3,past=2");
    assert_false(inputs_possible(inputs_find_kind("linear"), &s));
    assert_true(inputs_possible(inputs_find_kind("softmax"), &s));
    assert_null(inputs_find_kind("no-such"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_bits_everywhere),
        cmocka_unit_test(values_are_of_the_storage_type),
        cmocka_unit_test(contracts_are_kept),
        cmocka_unit_test(normal_numbers_are_normal),
        cmocka_unit_test(cancellation_is_the_one_described),
        cmocka_unit_test(growth_grows),
        cmocka_unit_test(shapes_as_text),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

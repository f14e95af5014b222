/* The judge: right kernels pass, and kernels that are broken on purpose are told by what is wrong
 * with them. */
#include "tests/kernels.h"

#include "numerics/accuracy/judge.h"

/* Every kernel's twin in every arithmetic lies inside the bounds of that arithmetic. */
static const array_type outputs[] = {ARRAY_F64, ARRAY_F32, ARRAY_F16, ARRAY_BF16};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* Inputs as that type can hold them. */
static void round_inputs(kernel_case *c, array_type type) {
    mn_args *a = &c->a;
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, tokens = a->batch * (a->time + a->past);
    const struct {
        const float *data;
        int64_t n;
    } all[] = {{a->q.data, a->batch * a->time * a->heads * a->dk},
               {a->k.data, tokens * kv * a->dk},
               {a->v.data, tokens * kv * a->dv},
               {a->u.data, tokens * kv * a->dk}};
    for (int i = 0; i < 4; i++)
        for (int64_t n = 0; all[i].data && n < all[i].n; n++)
            ((float *)(uintptr_t)all[i].data)[n] = (float)array_round(type, (double)all[i].data[n]);
}

static shape shape_of(mn_kernel kernel, int i) {
    static const int64_t times[] = {1, 17, 70, 129};
    bool sums = kernel == MN_LINEAR || kernel == MN_VORT;
    return (shape){.kernel = kernel,
                   .batch = 1 + i % 2,
                   .time = times[i % 4],
                   .heads = 2,
                   .kv_heads = 1 + (i / 2) % 2,
                   .dk = 3 + 5 * (i % 3),
                   .dv = 1 + 3 * (i % 4),
                   .gate = kernel == MN_LINEAR                            ? (gate_kind)(i % 4)
                           : kernel == MN_DELTA || kernel == MN_LOGLINEAR ? (gate_kind)(i % 2)
                                                                          : GATE_NONE,
                   .normalise = sums && i % 3 == 2,
                   .positive = i % 3 == 2,
                   .beta = i % 2,
                   .lambda = i % 2,
                   .state = kernel != MN_SOFTMAX && i % 4 == 2,
                   .u = 0.1,
                   .past = kernel == MN_SOFTMAX ? 3 * (i % 2) : 0};
}

static void twins_in_bounds(void **state) {
    (void)state;
    exact_random r = {test_seed("judge.twins")};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int i = 0; i < 8; i++)
            for (int type = 0; type < OUTPUTS; type++) {
                shape s = shape_of((mn_kernel)kernel, i);
                kernel_case c;
                make_case(&c, &s, &r);
                round_inputs(&c, outputs[type]);
                judge_t j;
                judge_report of_o, of_state;
                assert_int_equal(judge_begin(j, &c.a, arithmetic_of(outputs[type]), true),
                                 JUDGE_DONE);
                assert_int_equal(judge_output(&of_o, j, ARRAY_F64, j->twin->o), JUDGE_DONE);
                assert_int_equal(judge_state(&of_state, j, ARRAY_F64, j->twin->state), JUDGE_DONE);
                printf("%s %s case %d: %s ratio %g twin %g vacuous %ld weak %ld of %ld; state %s "
                       "ratio %g vacuous %ld of %ld\n",
                       mn_kernel_name((mn_kernel)kernel), array_type_name(outputs[type]), i,
                       judge_verdict_text(of_o.verdict), of_o.ratio, of_o.twin, (long)of_o.vacuous,
                       (long)of_o.weak, (long)of_o.elements, judge_verdict_text(of_state.verdict),
                       of_state.ratio, (long)of_state.vacuous, (long)of_state.elements);
                assert_case(of_o.outside == 0 && of_state.outside == 0, "judge.twins", i);
                judge_report_clear(&of_o), judge_report_clear(&of_state);
                judge_clear(j);
                clear_case(&c);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twins_in_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

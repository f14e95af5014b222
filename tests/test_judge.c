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
                assert_case(of_o.outside == 0 && of_state.outside == 0, "judge.twins", i);
                judge_report_clear(&of_o), judge_report_clear(&of_state);
                judge_clear(j);
                clear_case(&c);
            }
}

/* ---- kernels as people write them, and break them ---- */

typedef enum {
    RIGHT,
    DROPPED_TERM, /* token 37 of head 1 forgets the token 3 before */
    HALF_SUMS,    /* sums in float16 */
    OFF_BY_ONE,   /* a chunk's last token is not written to the state */
    GATE_AFTER,   /* S = e^g (S + k v^T) */
    ONE_BAD,      /* one element is off by a thousandth of the row */
    ZEROS,
    NOT_A_NUMBER,    /* one element */
    HEADS_EXCHANGED, /* of the output, 0 and 1 */
    DECAY_SQUARED
} fault;

enum { TILE = 16, MOST_DIM = 64 };

typedef struct {
    const mn_args *a;
    array_type type;
    fault fault;
    float s[MOST_DIM][MOST_DIM];
} chunked;

static float operand(const chunked *c, float x) {
    return (float)array_round(c->type, (double)x);
}
static float sum(const chunked *c, float x) {
    return c->fault == HALF_SUMS ? (float)array_round(ARRAY_F16, (double)x) : x;
}
static float dot(const chunked *c, const float *x, const float *y, int64_t step) {
    float s = 0;
    for (int64_t p = 0; p < c->a->dk; p++)
        s = sum(c, s + x[p] * y[p * step]);
    return s;
}

/* Gated linear attention in chunks of 16: gates summed in the exponent, states and masked scores
 * rounded to the type of operands, sums in float32. */
static void tile(chunked *c, int64_t b, int64_t h, int64_t first, int64_t length, double *o) {
    const mn_args *a = c->a;
    int64_t dk = a->dk, dv = a->dv, H = a->heads;
    float gates[TILE], gate = 0, q[MOST_DIM], k[MOST_DIM], s[MOST_DIM][MOST_DIM],
                       scale = 1 / sqrtf((float)dk);
    for (int64_t i = 0; i < length; i++) {
        float g = a->g.data[(b * a->time + first + i) * H + h];
        gates[i] = gate += c->fault == DECAY_SQUARED ? 2 * g : g;
    }
    for (int64_t p = 0; p < dk; p++)
        for (int64_t j = 0; j < dv; j++)
            s[p][j] = operand(c, c->s[p][j]);
    for (int64_t i = 0; i < length; i++) {
        int64_t t = first + i;
        const float *qt = a->q.data + ((b * a->time + t) * H + h) * dk;
        double *out = o + ((b * a->time + t) * H + h) * dv;
        float row[MOST_DIM];
        for (int64_t p = 0; p < dk; p++)
            q[p] = operand(c, qt[p] * scale);
        for (int64_t j = 0; j < dv; j++)
            row[j] = expf(gates[i]) * dot(c, q, &s[0][j], MOST_DIM);
        for (int64_t r = 0; r <= i; r++) {
            const float *kr = a->k.data + ((b * a->time + first + r) * H + h) * dk,
                        *vr = a->v.data + ((b * a->time + first + r) * H + h) * dv;
            float before = c->fault == GATE_AFTER ? (r ? gates[r - 1] : 0) : gates[r],
                  score = operand(c, dot(c, q, kr, 1) * expf(gates[i] - before));
            if (c->fault == DROPPED_TERM && t == 37 && h == 1 && first + r == 34)
                continue;
            for (int64_t j = 0; j < dv; j++)
                row[j] = sum(c, row[j] + score * vr[j]);
        }
        for (int64_t j = 0; j < dv; j++)
            out[j] = array_round(c->type, (double)row[j]);
    }
    for (int64_t p = 0; p < dk; p++)
        for (int64_t j = 0; j < dv; j++)
            c->s[p][j] *= expf(gate);
    for (int64_t r = 0; r < length - (c->fault == OFF_BY_ONE); r++) {
        float before = c->fault == GATE_AFTER ? (r ? gates[r - 1] : 0) : gates[r];
        for (int64_t p = 0; p < dk; p++)
            k[p] = operand(c, a->k.data[((b * a->time + first + r) * H + h) * dk + p] *
                                  expf(gate - before));
        for (int64_t p = 0; p < dk; p++)
            for (int64_t j = 0; j < dv; j++)
                c->s[p][j] = sum(
                    c, c->s[p][j] + k[p] * a->v.data[((b * a->time + first + r) * H + h) * dv + j]);
    }
}

/* Outputs of the chunked kernel, each a number of the type. */
static double *run_chunked(const mn_args *a, array_type type, fault what) {
    int64_t n = a->batch * a->time * a->heads * a->dv;
    double *o = calloc((size_t)n, sizeof *o);
    chunked *c = malloc(sizeof *c);
    assert_true(o && c);
    for (int64_t b = 0; b < a->batch; b++)
        for (int64_t h = 0; h < a->heads; h++) {
            *c = (chunked){.a = a, .type = type, .fault = what};
            for (int64_t t = 0; t < a->time; t += TILE)
                tile(c, b, h, t, a->time - t < TILE ? a->time - t : TILE, o);
        }
    free(c);
    for (int64_t i = 0; i < n && what == ZEROS; i++)
        o[i] = 0;
    for (int64_t row = 0; row < a->batch * a->time && what == HEADS_EXCHANGED; row++)
        for (int64_t j = 0; j < a->dv; j++) {
            double *x = o + row * a->heads * a->dv + j, kept = x[0];
            x[0] = x[a->dv], x[a->dv] = kept;
        }
    return o;
}

typedef struct {
    kernel_case c;
    judge_t j;
    array_type type;
} gated;

static void begin_gated(gated *g, array_type type, int64_t batch, int64_t time, int64_t heads,
                        int64_t dim, bool positive, double size) {
    exact_random r = {test_seed("judge.gated")};
    shape s = {.kernel = MN_LINEAR,
               .batch = batch,
               .time = time,
               .heads = heads,
               .kv_heads = heads,
               .dk = dim,
               .dv = dim,
               .positive = positive};
    make_case(&g->c, &s, &r);
    float *gates = fill(&g->c, &r, batch * time * heads, -0.3, -0.05);
    g->c.a.g = (mn_input){gates, 0, 0, 0};
    for (int64_t i = 0; i < batch * time * heads * dim; i++)
        ((float *)(uintptr_t)g->c.a.v.data)[i] *= (float)size;
    round_inputs(&g->c, type);
    g->type = type;
    assert_int_equal(judge_begin(g->j, &g->c.a, arithmetic_of(type), true), JUDGE_DONE);
}
static void end_gated(gated *g) {
    judge_clear(g->j);
    clear_case(&g->c);
}

/* The numbers in the type, as they would stand in a file. */
static void *stored(array_type type, const double *x, int64_t n) {
    size_t each = array_type_size(type);
    char *to = malloc((size_t)n * each + 1);
    for (int64_t i = 0; i < n; i++) {
        float single = (float)x[i];
        uint16_t half = type == ARRAY_F16 ? array_to_float16(x[i]) : array_to_bfloat16(x[i]);
        memcpy(to + (size_t)i * each, type == ARRAY_F32 ? (void *)&single : (void *)&half, each);
    }
    return to;
}

static judge_report judge_fault(gated *g, fault what, int64_t bad) {
    const mn_args *a = &g->c.a;
    int64_t n = a->batch * a->time * a->heads * a->dv;
    double *o = run_chunked(a, g->type, what);
    if (what == NOT_A_NUMBER)
        o[bad] = NAN;
    if (what == ONE_BAD) {
        double norm = 0;
        for (int64_t j = 0; j < a->dv; j++)
            norm = fmax(norm, fabs(o[bad / a->dv * a->dv + j]));
        o[bad] = array_round(g->type, o[bad] + norm / (g->type == ARRAY_F32 ? 1000 : 4));
    }
    void *data = stored(g->type, o, n);
    judge_report r;
    assert_int_equal(judge_output(&r, g->j, g->type, data), JUDGE_DONE);
    free(data);
    free(o);
    return r;
}

static void right_kernels_pass(void **state) {
    (void)state;
    for (int type = ARRAY_F32; type <= ARRAY_BF16; type++)
        for (int positive = 0; positive < 2; positive++) {
            gated g;
            begin_gated(&g, (array_type)type, 2, 100, 3, 32, positive, 1);
            judge_report r = judge_fault(&g, RIGHT, 0);
            if (r.verdict != JUDGE_OK)
                print_error("%s: %s, %g of the bound, %g twins\n",
                            array_type_name((array_type)type), judge_verdict_text(r.verdict),
                            r.ratio, r.twin);
            assert_int_equal(r.verdict, JUDGE_OK);
            assert_true(r.outside == 0 && r.nonfinite == 0 && r.first_time == -1);
            printf("%s: %g of the bound, %g times the twin, p99 %g ulp\n",
                   array_type_name((array_type)type), r.ratio, r.twin, r.p99);
            judge_report_clear(&r);
            end_gated(&g);
        }
}

/* The delta rule in chunks through the inverse of its triangle, as kernels for tensor cores have
 * it: the inverse, its products with beta k and beta v, residuals, states and scores are operands. */
static void delta_tile(chunked *c, int64_t h, int64_t first, int64_t length, double *o) {
    const mn_args *a = c->a;
    int64_t dk = a->dk, dv = a->dv, H = a->heads;
    static float inverse[64][64], w[64][MOST_DIM], e[64][MOST_DIM], s[MOST_DIM][MOST_DIM];
    float scale = 1 / sqrtf((float)dk);
#define ROW(x, i, dim) (a->x.data + ((first + (i)) * H + h) * (dim))
    for (int64_t i = 0; i < length; i++) {
        float beta = *ROW(beta, i, 1);
        for (int64_t j = 0; j <= i; j++)
            inverse[i][j] = i == j;
        for (int64_t r = 0; r < i; r++) {
            float l = 0;
            for (int64_t p = 0; p < dk; p++)
                l += operand(c, beta * ROW(k, i, dk)[p]) * ROW(k, r, dk)[p];
            for (int64_t j = 0; j <= r; j++)
                inverse[i][j] -= l * inverse[r][j];
        }
    }
    for (int64_t p = 0; p < dk; p++)
        for (int64_t j = 0; j < dv; j++)
            s[p][j] = operand(c, c->s[p][j]);
    for (int64_t i = 0; i < length; i++) {
        for (int64_t p = 0; p < dk; p++) {
            w[i][p] = 0;
            for (int64_t r = 0; r <= i; r++)
                w[i][p] +=
                    operand(c, inverse[i][r]) * operand(c, *ROW(beta, r, 1) * ROW(k, r, dk)[p]);
            w[i][p] = operand(c, w[i][p]);
        }
        for (int64_t j = 0; j < dv; j++) {
            float u = 0, past = 0;
            for (int64_t r = 0; r <= i; r++)
                u += operand(c, inverse[i][r]) * operand(c, *ROW(beta, r, 1) * ROW(v, r, dv)[j]);
            for (int64_t p = 0; p < dk; p++)
                past += w[i][p] * s[p][j];
            e[i][j] = operand(c, operand(c, u) - past);
        }
    }
    for (int64_t i = 0; i < length; i++)
        for (int64_t j = 0; j < dv; j++) {
            float sum = 0;
            for (int64_t p = 0; p < dk; p++)
                sum += ROW(q, i, dk)[p] * s[p][j];
            for (int64_t r = 0; r <= i; r++) {
                float score = 0;
                for (int64_t p = 0; p < dk; p++)
                    score += ROW(q, i, dk)[p] * ROW(k, r, dk)[p];
                sum += operand(c, score) * e[r][j];
            }
            o[((first + i) * H + h) * dv + j] = array_round(c->type, (double)(sum * scale));
        }
    for (int64_t i = 0; i < length; i++)
        for (int64_t p = 0; p < dk; p++)
            for (int64_t j = 0; j < dv; j++)
                c->s[p][j] += ROW(k, i, dk)[p] * e[i][j];
#undef ROW
}

/* No bound decides for it; the twin does, and does not take it for suspect. */
static void right_delta_is_no_suspect(void **state) {
    (void)state;
    for (int type = ARRAY_F32; type <= ARRAY_BF16; type++)
        for (int tile = 16; tile <= 64; tile *= 2) {
            exact_random r = {test_seed("judge.delta")};
            shape s = {.kernel = MN_DELTA,
                       .batch = 1,
                       .time = 200,
                       .heads = 2,
                       .kv_heads = 2,
                       .dk = 32,
                       .dv = 32,
                       .beta = true};
            kernel_case c;
            make_case(&c, &s, &r);
            for (int64_t i = 0; i < 400; i++)
                ((float *)(uintptr_t)c.a.beta.data)[i] *= 0.5f;
            round_inputs(&c, (array_type)type);
            judge_t j;
            judge_report of;
            assert_int_equal(judge_begin(j, &c.a, arithmetic_of((array_type)type), true),
                             JUDGE_DONE);
            j->accept_twin = true;
            double *o = calloc(200 * 2 * 32, sizeof *o);
            chunked *kernel = malloc(sizeof *kernel);
            for (int64_t h = 0; h < 2; h++) {
                *kernel = (chunked){.a = &c.a, .type = (array_type)type};
                for (int64_t t = 0; t < 200; t += tile)
                    delta_tile(kernel, h, t, 200 - t < tile ? 200 - t : tile, o);
            }
            void *data = stored((array_type)type, o, 200 * 2 * 32);
            assert_int_equal(judge_output(&of, j, (array_type)type, data), JUDGE_DONE);
            printf("delta, %s, chunks of %d: %g times the twin\n",
                   array_type_name((array_type)type), tile, of.twin);
            assert_int_equal(of.verdict, JUDGE_OK);
            judge_report_clear(&of);
            free(o), free(kernel), free(data);
            judge_clear(j);
            clear_case(&c);
        }
}

/* Each fault in each type is no "ok", first seen at that time step, in that head (-1: any). */
static void broken_kernels_are_caught(void **state) {
    (void)state;
    static const struct {
        fault fault;
        const char *name;
        int64_t time, head;
    } faults[] = {{DROPPED_TERM, "dropped term", 37, 1},
                  {OFF_BY_ONE, "off-by-one chunk", TILE, -1},
                  {GATE_AFTER, "gate after", 0, -1},
                  {ZEROS, "zeros", 0, -1},
                  {NOT_A_NUMBER, "NaN", 55, 2},
                  {ONE_BAD, "one bad element", 55, 2},
                  {HEADS_EXCHANGED, "heads exchanged", 0, -1},
                  {DECAY_SQUARED, "decay squared", 1, -1}};
    for (int type = ARRAY_F32; type <= ARRAY_BF16; type++) {
        gated g;
        begin_gated(&g, (array_type)type, 1, 100, 3, 32, false, 1);
        int64_t bad = (55 * 3 + 2) * 32 + 7;
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            judge_report r = judge_fault(&g, faults[i].fault, bad);
            const judge_element *e = r.outside > 0 ? &r.first : &r.first_suspect;
            if (r.verdict == JUDGE_OK || e->time != faults[i].time)
                print_error("%s, %s: %s, time %ld, head %ld, %g of the bound, %g twins\n",
                            faults[i].name, array_type_name((array_type)type),
                            judge_verdict_text(r.verdict), (long)e->time, (long)e->head, r.ratio,
                            r.twin);
            assert_true(r.verdict == JUDGE_BROKEN || r.verdict == JUDGE_SUSPECT);
            assert_int_equal(e->time, faults[i].time);
            if (faults[i].head >= 0)
                assert_int_equal(e->head, faults[i].head);
            if (faults[i].fault == NOT_A_NUMBER || faults[i].fault == ONE_BAD)
                assert_int_equal(e->dim, 7);
            if (faults[i].fault == NOT_A_NUMBER)
                assert_true(r.verdict == JUDGE_BROKEN && r.nonfinite == 1 && isinf(r.ratio));
            judge_report_clear(&r);
        }
        end_gated(&g);
    }
}

static void float16_sums_are_caught(void **state) {
    (void)state;
    gated g;
    begin_gated(&g, ARRAY_F16, 1, 200, 2, 64, true, 1);
    judge_report r = judge_fault(&g, HALF_SUMS, 0);
    assert_true(r.verdict == JUDGE_SUSPECT || r.verdict == JUDGE_BROKEN);
    judge_report_clear(&r);
    r = judge_fault(&g, RIGHT, 0);
    assert_int_equal(r.verdict, JUDGE_OK);
    judge_report_clear(&r);
    end_gated(&g);
}

/* All zeros against results of 10^-30: the bound follows the magnitudes. */
static void zeros_against_tiny(void **state) {
    (void)state;
    gated g;
    begin_gated(&g, ARRAY_F32, 1, 40, 2, 16, false, 1e-25);
    judge_report r = judge_fault(&g, ZEROS, 0);
    assert_int_equal(r.verdict, JUDGE_BROKEN);
    assert_int_equal(r.first_time, 0);
    assert_true(fabs(r.rms_ratio - 1) < 1e-9);
    judge_report_clear(&r);
    end_gated(&g);
}

/* Products far below the smallest number: zeros are right, and that is decided. */
static void underflow_is_right(void **state) {
    (void)state;
    gated g;
    begin_gated(&g, ARRAY_F32, 1, 40, 2, 16, false, 1e-30);
    for (int64_t i = 0; i < 40 * 2 * 16; i++)
        ((float *)(uintptr_t)g.c.a.k.data)[i] *= 0x1p-100f;
    judge_clear(g.j);
    assert_int_equal(judge_begin(g.j, &g.c.a, arithmetic_of(ARRAY_F32), true), JUDGE_DONE);
    judge_report r = judge_fault(&g, ZEROS, 0);
    assert_int_equal(r.verdict, JUDGE_OK);
    assert_true(r.vacuous == 0 && r.outside == 0);
    judge_report_clear(&r);
    end_gated(&g);
}

/* One of 10^6. */
static void one_in_a_million(void **state) {
    (void)state;
    gated g;
    begin_gated(&g, ARRAY_F32, 64, 16, 16, 64, false, 1);
    int64_t bad = ((37 * 16 + 11) * 16 + 5) * 64 + 63;
    judge_report r = judge_fault(&g, ONE_BAD, bad);
    assert_int_equal(r.elements, 1 << 20);
    assert_int_equal(r.outside, 1);
    assert_int_equal(r.verdict, JUDGE_BROKEN);
    assert_true(r.first.batch == 37 && r.first.time == 11 && r.first.head == 5 &&
                r.first.dim == 63 && r.first_time == 11);
    assert_true(r.worst.batch == 37 && r.worst.dim == 63 && r.ratio > 1);
    judge_report_clear(&r);
    end_gated(&g);
}

/* Where the bound says nothing nothing passes by it, not even the exact result; the twin, if it
 * is asked for, tells zeros and noise from results. */
static void vacuous_never_passes(void **state) {
    (void)state;
    exact_random r = {test_seed("judge.vacuous")};
    shape s = {
        .kernel = MN_DELTA, .batch = 1, .time = 120, .heads = 2, .kv_heads = 2, .dk = 16, .dv = 8};
    kernel_case c;
    make_case(&c, &s, &r);
    round_inputs(&c, ARRAY_BF16);
    judge_t j;
    assert_int_equal(judge_begin(j, &c.a, arithmetic_of(ARRAY_BF16), true), JUDGE_DONE);
    int64_t n = j->exact->rows * 8;
    double *o = calloc((size_t)n, sizeof *o), *zeros = calloc((size_t)n, sizeof *o);
    for (int64_t i = 0; i < n; i++)
        o[i] = array_round(ARRAY_BF16, exact_double_mid(j->exact->o + i));
    void *good = stored(ARRAY_BF16, o, n), *bad = stored(ARRAY_BF16, zeros, n);
    judge_report of;
    for (int accept = 0; accept < 2; accept++)
        for (int twin = 0; twin < 2; twin++) {
            j->accept_twin = accept, j->with_twin = twin;
            assert_int_equal(judge_output(&of, j, ARRAY_BF16, good), JUDGE_DONE);
            assert_true(of.vacuous > 0 && of.outside == 0);
            assert_int_equal(of.verdict, accept && twin ? JUDGE_OK : JUDGE_UNDECIDED);
            judge_report_clear(&of);
            assert_int_equal(judge_output(&of, j, ARRAY_BF16, bad), JUDGE_DONE);
            assert_int_not_equal(of.verdict, JUDGE_OK);
            judge_report_clear(&of);
        }
    /* a tolerance of one's own decides, but never for a NaN */
    j->rtol = 1e-2, j->atol = 1e-4, j->tolerance = true;
    assert_int_equal(judge_output(&of, j, ARRAY_BF16, good), JUDGE_DONE);
    assert_int_equal(of.verdict, JUDGE_OK);
    judge_report_clear(&of);
    o[5] = NAN;
    void *nan = stored(ARRAY_BF16, o, n);
    assert_int_equal(judge_output(&of, j, ARRAY_BF16, nan), JUDGE_DONE);
    assert_int_equal(of.verdict, JUDGE_BROKEN);
    judge_report_clear(&of);
    free(o), free(zeros), free(good), free(bad), free(nan);
    judge_clear(j);
    clear_case(&c);
}

/* VLA's bound ends early: then four times the twin's error, as in test_kernels_exact. */
static bool judged_right(const judge_report *of) {
    return of->verdict == JUDGE_OK ||
           (of->verdict == JUDGE_SUSPECT && of->vacuous > 0 && of->twin <= 4);
}

/* libmneme, every kernel, both methods, every instruction set, outputs and states. */
static void library_passes(void **state) {
    (void)state;
    exact_random r = {test_seed("judge.library")};
    for (int kernel = 0; kernel < MN_KERNELS; kernel++)
        for (int i = 0; i < 4; i++) {
            shape s = shape_of((mn_kernel)kernel, i);
            kernel_case c;
            make_case(&c, &s, &r);
            judge_t j;
            assert_int_equal(judge_begin(j, &c.a, arithmetic_library(), true), JUDGE_DONE);
            j->accept_twin = true;
            for (mn_isa isa = MN_GENERIC; isa < MN_ISAS; isa++)
                for (int method = MN_STEP; mn_isa_usable(isa) && method <= MN_CHUNK; method++) {
                    results got = run_case(&c.a, (mn_method)method, isa);
                    for (int part = 0; part < 2; part++) {
                        judge_report of;
                        assert_int_equal(part == 0 ? judge_output(&of, j, ARRAY_F32, got.o)
                                                   : judge_state(&of, j, ARRAY_F32, got.state),
                                         JUDGE_DONE);
                        if (!judged_right(&of))
                            print_error("%s case %d, %s of method %d, %s: %s, %g of the bound, "
                                        "%g twins\n",
                                        mn_kernel_name((mn_kernel)kernel), i,
                                        part == 0 ? "output" : "state", method, mn_isa_name(isa),
                                        judge_verdict_text(of.verdict), of.ratio, of.twin);
                        assert_case(judged_right(&of), "judge.library", i);
                        judge_report_clear(&of);
                    }
                    clear_results(&got);
                }
            judge_clear(j);
            clear_case(&c);
        }
}

/* Infinity is right beyond the largest number, and where the exact one may round to it. */
static void overflow_is_right(void **state) {
    (void)state;
    gated g;
    begin_gated(&g, ARRAY_F16, 1, 4, 1, 2, true, 1);
    float *v = (float *)(uintptr_t)g.c.a.v.data;
    for (int i = 0; i < 8; i++)
        v[i] = 65504;
    for (int i = 0; i < 8; i++)
        ((float *)(uintptr_t)g.c.a.q.data)[i] = ((float *)(uintptr_t)g.c.a.k.data)[i] = 4;
    judge_clear(g.j);
    assert_int_equal(judge_begin(g.j, &g.c.a, arithmetic_of(ARRAY_F16), true), JUDGE_DONE);
    judge_report r = judge_fault(&g, RIGHT, 0);
    assert_true(r.nonfinite == 0 && r.outside == 0);
    assert_true(r.largest.ulp == 0 && r.rms_ratio == 0);
    assert_int_equal(r.verdict, JUDGE_OK);
    judge_report_clear(&r);
    end_gated(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twins_in_bounds),           cmocka_unit_test(right_kernels_pass),
        cmocka_unit_test(right_delta_is_no_suspect), cmocka_unit_test(broken_kernels_are_caught),
        cmocka_unit_test(float16_sums_are_caught),   cmocka_unit_test(zeros_against_tiny),
        cmocka_unit_test(underflow_is_right),        cmocka_unit_test(one_in_a_million),
        cmocka_unit_test(vacuous_never_passes),      cmocka_unit_test(library_passes),
        cmocka_unit_test(overflow_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

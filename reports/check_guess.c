/* What a wrong output looks like: definitions with one thing wrong, in double, against it. */
#include "reports/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AFTER = 64, /* tokens that are looked at after the first wrong one */
    MOST_TOKENS = 2048,
    WINDOW = 32,
    MOST_WORK = 1 << 26 /* tokens x heads x dk x dv (or keys) */
};

/* The first tokens of one batch entry. */
typedef struct {
    mn_args args;
    const arithmetic *in;
    double *got; /* [time][heads][dv] */
    void *memory[16];
    int used;
    int64_t shift; /* the output is compared with the row so many steps earlier */
} guess;

static void *room(guess *g, size_t bytes) {
    void *p = calloc(1, bytes + 8);
    if (p)
        g->memory[g->used++] = p;
    return p;
}

/* The first `time` tokens of batch entry b, as a call of their own; packed arrays all. */
static bool cut(guess *g, const mn_args *a, int64_t b, int64_t time) {
    mn_args *c = &g->args;
    int64_t kv = a->kv_heads, t = a->time, keys = a->time + a->past;
    *c = *a;
    c->batch = 1, c->time = time;
#define AT(x, step)                                                                                \
    if (c->x.data)                                                                                 \
    c->x.data += b * (step)
    AT(q, t * a->heads * a->dk);
    AT(k, keys * kv * a->dk);
    AT(v, keys * kv * a->dv);
    AT(g, t * kv);
    AT(gate_keys, t * kv * a->dk);
    AT(beta, t * kv);
    AT(u, t * kv * a->dk);
    AT(lambda, t * a->heads * a->levels);
    AT(bank, t * kv);
#undef AT
    if (a->segments) {
        int64_t *offsets = room(g, (size_t)(a->segments + 1) * sizeof *offsets), n = 0;
        if (!offsets)
            return false;
        for (; n < a->segments && a->offsets[n] < time; n++)
            offsets[n] = a->offsets[n];
        offsets[n] = time, c->segments = n, c->offsets = offsets;
    }
    if (!a->state_in)
        return true;
    int64_t sequences = c->segments ? c->segments : 1;
    size_t all = mn_state_size(a), bytes = mn_state_size(c);
    bool positions = a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR;
    int64_t of_all = a->segments ? a->segments : a->batch;
    size_t each = (all - (positions ? 8 * (size_t)of_all : 0)) / (size_t)of_all / 4 * 4;
    char *state = room(g, bytes);
    if (!state)
        return false;
    memcpy(state, (const char *)a->state_in + (size_t)b * each, (size_t)sequences * each);
    for (int64_t n = 0; positions && n < sequences; n++)
        memcpy(state + bytes - 8 * (size_t)(sequences - n),
               (const char *)a->state_in + all - 8 * (size_t)(of_all - b - n), 8);
    c->state_in = state;
    return true;
}

static double row_error(const double *x, const double *y, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}
static double row_norm(const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Whether rows got [time][stride heads] of head h are those of head e of the wrong definition. */
static bool head_agrees(const guess *g, const double *got, const twin_struct *exact,
                        const twin_struct *plain, int64_t h, int64_t e) {
    int64_t n = g->args.time, heads = g->args.heads, dv = g->args.dv;
    double units = arithmetic_operand_unit(g->in) + arithmetic_output_unit(g->in) +
                   8 * arithmetic_accumulate_unit(g->in);
    int64_t compared = 0;
    for (int64_t t = 0; t < n; t++) {
        int64_t s = t - g->shift, row = (s * heads + e) * dv;
        if (s < 0 || s >= n)
            continue;
        compared++;
        double yard = units * row_norm(exact->o + row, dv);
        for (int64_t w = s - WINDOW < 0 ? 0 : s - WINDOW; w <= s + WINDOW && w < n; w++)
            yard = fmax(yard, row_error(plain->o + (w * heads + e) * dv,
                                        exact->o + (w * heads + e) * dv, dv));
        if (!(row_error(got + (t * heads + h) * dv, exact->o + row, dv) <= 2 * yard))
            return false;
    }
    return compared > 0; /* one token, shifted, agrees with anything */
}

static bool twins(const guess *g, twin_t exact, twin_t plain) {
    arithmetic wide = arithmetic_of(ARRAY_F64);
    if (!twin_run(exact, &g->args, &wide))
        return false;
    if (twin_run(plain, &g->args, g->in))
        return true;
    twin_clear(exact);
    return false;
}

static bool agrees(const guess *g, const double *got) {
    twin_t exact, plain;
    if (!twins(g, exact, plain))
        return false;
    bool all = true;
    for (int64_t h = 0; h < g->args.heads && all; h++)
        all = head_agrees(g, got, exact, plain, h, h);
    twin_clear(exact), twin_clear(plain);
    return all;
}

/* ---- definitions with one thing wrong ---- */

static mn_input *gates_of(mn_args *a, int64_t *each) {
    *each = a->gate_keys.data ? a->kv_heads * a->dk : a->kv_heads;
    return a->gate_keys.data ? &a->gate_keys : a->g.data ? &a->g : NULL;
}
/* g_t := factor g_(t - shift), 0 in front. */
static bool regate(guess *g, double factor, int64_t shift) {
    int64_t each;
    mn_input *in = gates_of(&g->args, &each);
    if (!in)
        return false;
    float *x = room(g, (size_t)(g->args.time * each) * sizeof *x);
    if (!x)
        return false;
    for (int64_t i = 0; i < g->args.time * each; i++) {
        int64_t from = i - shift * each;
        x[i] =
            from < 0 || from >= g->args.time * each ? 0 : (float)(factor * (double)in->data[from]);
    }
    in->data = x;
    return true;
}
static bool ungated(guess *g) {
    bool gated = g->args.g.data || g->args.gate_keys.data;
    g->args.g.data = g->args.gate_keys.data = NULL;
    return gated;
}
static bool squared(guess *g) {
    return regate(g, 2, 0);
}
static bool powers_of_two(guess *g) {
    return regate(g, 0.69314718055994531, 0);
}
static bool over_ln2(guess *g) {
    return regate(g, 1.4426950408889634, 0);
}
static bool gate_before(guess *g) {
    return regate(g, 1, 1);
}
static bool gate_behind(guess *g) {
    return regate(g, 1, -1);
}
/* S_t = e^g (S_{t-1} + ...): the gates of the token before, and q times those of its own. */
static bool gate_after(guess *g) {
    mn_args *a = &g->args;
    int64_t each, n = a->time * a->heads * a->dk, group = a->heads / a->kv_heads;
    mn_input *in = gates_of(a, &each);
    float *q = in ? room(g, (size_t)n * sizeof *q) : NULL;
    if (!q)
        return false;
    for (int64_t i = 0; i < n; i++) {
        int64_t t = i / a->dk / a->heads, head = i / a->dk % a->heads / group;
        float x = a->gate_keys.data ? in->data[(t * a->kv_heads + head) * a->dk + i % a->dk]
                                    : in->data[t * a->kv_heads + head];
        q[i] = (float)((double)a->q.data[i] * exp((double)x));
    }
    a->q.data = q;
    return gate_before(g);
}
static bool scale_to(guess *g, double scale) {
    double now = g->args.scale != 0 ? (double)g->args.scale : 1 / sqrt((double)g->args.dk);
    g->args.scale = (float)scale;
    return fabs(now / scale - 1) > 1e-6 && !g->args.normalise;
}
static bool scale_one(guess *g) {
    return scale_to(g, 1);
}
static bool scale_root(guess *g) {
    return scale_to(g, 1 / sqrt((double)g->args.dk));
}
static bool scale_dim(guess *g) {
    return scale_to(g, 1 / (double)g->args.dk);
}
static bool scale_twice(guess *g) {
    double now = g->args.scale != 0 ? (double)g->args.scale : 1 / sqrt((double)g->args.dk);
    return scale_to(g, now * now);
}
static bool exchanged(guess *g) {
    mn_args *a = &g->args;
    const float *q = a->q.data;
    if (a->heads != a->kv_heads || a->past)
        return false;
    a->q.data = a->k.data, a->k.data = q;
    return true;
}
static bool no_beta(guess *g) {
    bool had = g->args.beta.data != NULL;
    g->args.beta.data = NULL;
    return had;
}
static bool no_lambda(guess *g) {
    bool had = g->args.lambda.data != NULL;
    g->args.lambda.data = NULL;
    return had;
}
static bool no_state(guess *g) {
    bool had = g->args.state_in != NULL;
    g->args.state_in = NULL;
    return had;
}
static bool other_normaliser(guess *g) {
    mn_kernel k = g->args.kernel;
    g->args.normalise = !g->args.normalise;
    return !g->args.state_in && (k == MN_LINEAR || k == MN_VLA || k == MN_VORT);
}
/* A softmax that leaves the last past keys, or one sequence where there are several. */
static bool one_sequence(guess *g) {
    bool had = g->args.segments > 1 && !g->args.state_in;
    g->args.segments = 0;
    return had;
}
static bool chunks_of(guess *g, int64_t chunk) {
    mn_args *a = &g->args;
    int64_t n = (a->time + chunk - 1) / chunk;
    if (a->segments || a->state_in || a->kernel == MN_SOFTMAX || a->time <= chunk)
        return false;
    int64_t *offsets = room(g, (size_t)(n + 1) * sizeof *offsets);
    if (!offsets)
        return false;
    for (int64_t i = 0; i <= n; i++)
        offsets[i] = i < n ? i * chunk : a->time;
    a->segments = n, a->offsets = offsets;
    return true;
}
static bool chunks16(guess *g) {
    return chunks_of(g, 16);
}
static bool chunks32(guess *g) {
    return chunks_of(g, 32);
}
static bool chunks64(guess *g) {
    return chunks_of(g, 64);
}
static bool chunks128(guess *g) {
    return chunks_of(g, 128);
}
static bool late(guess *g) {
    g->shift = 1;
    return true;
}
static bool early(guess *g) {
    g->shift = -1;
    return true;
}
/* o_t = S_{t-1}^T q_t: the output of the token before with this one's query. */
static bool read_first(guess *g) {
    mn_args *a = &g->args;
    int64_t each = a->heads * a->dk, n = a->time * each;
    float *q = room(g, (size_t)n * sizeof *q);
    if (!q || a->kernel == MN_LOGLINEAR)
        return false;
    memcpy(q, a->q.data + each, (size_t)(n - each) * sizeof *q);
    a->q.data = q, g->shift = 1;
    return true;
}

static const struct {
    bool (*change)(guess *g);
    const char *says;
} wrongs[] = {
    {ungated, "the gate is ignored"},
    {squared, "the decay is squared (2 g in place of g)"},
    {gate_after, "the gate is applied after the token is added, not before"},
    {gate_before, "the gate is that of the token before (one step late)"},
    {gate_behind, "the gate is that of the next token (one step early)"},
    {powers_of_two, "the gate is 2^g in place of e^g"},
    {over_ln2, "the gate is e^(g / ln 2) in place of e^g"},
    {scale_one, "scale is 1"},
    {scale_root, "scale is dk^(-1/2), not the one given"},
    {scale_dim, "scale is 1 / dk"},
    {scale_twice, "scale is applied twice"},
    {no_beta, "beta is ignored"},
    {no_lambda, "lambda is ignored"},
    {no_state, "the initial state is ignored"},
    {one_sequence, "cu_seqlens is ignored: the sequences run into one another"},
    {other_normaliser,
     "the normaliser: divided by the sum of weights where it should not be, or not "
     "where it should"},
    {chunks16, "no state is carried from one chunk of 16 tokens to the next"},
    {chunks32, "no state is carried from one chunk of 32 tokens to the next"},
    {chunks64, "no state is carried from one chunk of 64 tokens to the next"},
    {chunks128, "no state is carried from one chunk of 128 tokens to the next"},
    {exchanged, "q and k are exchanged"},
    {late, "every output is one time step late"},
    {early, "every output is one time step early"},
    {read_first, "the state is read before the token is written (a mask that leaves out s = t)"},
};

/* Heads in another order: says which. */
static bool permuted(const guess *g, char *text) {
    int64_t heads = g->args.heads;
    twin_t exact, plain;
    if (heads < 2 || heads > 64 || !twins(g, exact, plain))
        return false;
    size_t n = (size_t)sprintf(text, "heads are in another order: output head h is that of");
    bool all = true;
    for (int64_t h = 0; h < heads && all; h++) {
        int64_t e = 0;
        while (e < heads && !head_agrees(g, g->got, exact, plain, h, e))
            e++;
        all = e < heads;
        if (h < 16)
            n += (size_t)sprintf(text + n, "%s %lld", h ? "," : "", (long long)e);
        else if (h == 16)
            sprintf(text + n, ", ...");
    }
    twin_clear(exact), twin_clear(plain);
    return all;
}

/* The output alone has time and heads the other way round. */
static bool transposed(guess *g, const mn_args *a, bool heads_first, const array *packed,
                       int64_t b) {
    int64_t n = g->args.time, heads = a->heads, dv = a->dv;
    double *got = room(g, (size_t)(n * heads * dv) * sizeof *got);
    if (!got || heads < 2 || a->time < 2)
        return false;
    for (int64_t t = 0; t < n; t++)
        for (int64_t h = 0; h < heads; h++) {
            int64_t in_file = t * heads + h,
                    row = heads_first ? in_file % a->time * heads + in_file / a->time
                                      : h * a->time + t;
            for (int64_t j = 0; j < dv; j++)
                got[(t * heads + h) * dv + j] =
                    array_get(packed, (b * a->time * heads + row) * dv + j);
        }
    return agrees(g, got);
}

static bool affordable(const mn_args *a, int64_t time) {
    double keys = a->kernel == MN_SOFTMAX ? (double)(a->past + time) : 1,
           blocks = a->kernel == MN_LOGLINEAR ? (double)a->levels
                    : a->kernel == MN_VORT    ? (double)(a->banks * a->modes)
                    : a->kernel == MN_VLA     ? 1 + (double)a->dk / (double)a->dv
                                              : 1;
    return time <= MOST_TOKENS && (double)time * (double)a->heads * (double)a->dk *
                                          (a->kernel == MN_SOFTMAX ? keys : (double)a->dv) *
                                          blocks <=
                                      MOST_WORK;
}

/* g := the first tokens of a call with the output; false if that is not possible. */
static bool begin(guess *g, const mn_args *a, const arithmetic *in, const array *packed, int64_t b,
                  int64_t time) {
    memset(g, 0, sizeof *g);
    g->in = in;
    int64_t n = time * a->heads * a->dv;
    if (!affordable(a, time) || !cut(g, a, b, time))
        return false;
    g->got = room(g, (size_t)n * sizeof *g->got);
    for (int64_t i = 0; g->got && i < n; i++)
        g->got[i] = array_get(packed, b * a->time * a->heads * a->dv + i);
    return g->got != NULL;
}
static void finish(guess *g) {
    for (int i = 0; i < g->used; i++)
        free(g->memory[i]);
}

/* Everything is in the other layout than the one that was said. */
static bool other_layout(const check_options *o, const array_file *inputs, const array *output,
                         const arithmetic *in) {
    check_options other = *o;
    check_call call;
    char complaint[CHECK_LINE];
    void *data = NULL;
    bool good = false;
    other.heads_first = !o->heads_first, other.strict = false;
    array_type type;
    if (check_inputs(&call, &other, inputs, complaint) &&
        check_held(&data, &type, &call, &other, output, "o", "BTHV", complaint)) {
        array packed = {.type = type, .data = data};
        guess g;
        int64_t time = call.args.time < 2 * AFTER ? call.args.time : 2 * AFTER;
        good = begin(&g, &call.args, in, &packed, 0, time) && agrees(&g, g.got);
        finish(&g);
    }
    free(data);
    check_call_clear(&call);
    return good;
}

void check_guess(char *text, const check_call *c, const check_options *o, const array_file *inputs,
                 const array *output, const arithmetic *in, array_type type, const void *packed,
                 const judge_report *report) {
    const mn_args *a = &c->args;
    array got = {.type = type, .data = (void *)(uintptr_t)packed};
    const judge_element *first = report->outside > 0 ? &report->first : &report->first_suspect;
    int64_t n = a->batch * a->time * a->heads * a->dv, zeros = 0, b = first->batch,
            time = first->time + AFTER < a->time ? first->time + AFTER : a->time;
    text[0] = '\0';
    while (zeros < n && array_get(&got, zeros) == 0)
        zeros++;
    if (zeros == n) {
        strcpy(text, "every output is 0");
        return;
    }
    if (report->nonfinite > 0)
        return;
    if (other_layout(o, inputs, output, in)) {
        sprintf(text, "all arrays are in the other layout; --layout %s reads them so",
                o->heads_first ? "bthd" : "bhtd");
        return;
    }
    guess g;
    if (begin(&g, a, in, &got, b, time)) {
        if (transposed(&g, a, o->heads_first, &got, b))
            sprintf(text, "the output (alone) is %s, time and heads exchanged",
                    o->heads_first ? "[batch, time, head, dim]" : "[batch, head, time, dim]");
        else if (!permuted(&g, text))
            text[0] = '\0';
    }
    finish(&g);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs && text[0] == '\0'; i++) {
        if (begin(&g, a, in, &got, b, time) && wrongs[i].change(&g) && agrees(&g, g.got))
            strcpy(text, wrongs[i].says);
        finish(&g);
    }
}

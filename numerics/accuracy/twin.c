/* The definitions token by token in doubles, each operation rounded to the arithmetic's types.
 * (Sums, products, quotients and roots of floats rounded from double are the float operations.) */
#include "numerics/accuracy/twin.h"

#include <stdlib.h>

#include "numerics/accuracy/reference_rows.h"

/* One key head of one sequence. */
typedef struct {
    const mn_args *a;
    const arithmetic *in;
    bool narrow; /* operands are narrower than sums */
    int64_t sequence, head, batch, first, length, kv_heads, group, position;
    double scale;
    double *state, *read; /* floats of the head; the same as operands */
    double *k, *v, *e, *q, *scaled, *work;
    double *o; /* of the whole call */
} twin_head;

static double sum_of(const twin_head *h, double x) {
    return h->in->accumulate == ARRAY_F32   ? (double)(float)x
           : h->in->accumulate == ARRAY_F64 ? x
                                            : array_round(h->in->accumulate, x);
}
static double operand(const twin_head *h, double x) {
    return h->narrow ? arithmetic_operand(h->in, x) : x;
}

static void load(const twin_head *h, double *x, mn_input in, int64_t heads, int64_t head,
                 int64_t dim, int64_t t, int64_t length) {
    const float *row = reference_row(in, length, heads, dim, h->batch, h->first + t, head);
    for (int64_t i = 0; i < dim; i++)
        x[i] = operand(h, (double)row[i]);
}
static double scalar(const twin_head *h, mn_input in, int64_t t, double absent) {
    return in.data ? (double)*reference_row(in, h->a->time, h->kv_heads, 1, h->batch, h->first + t,
                                            h->head)
                   : absent;
}
/* e^x; a device's in float32 is good to 4 u: the last bit is dropped. */
static double exponential(const twin_head *h, double x) {
    int e;
    double y = sum_of(h, exp(x));
    if (!h->in->device || h->in->accumulate != ARRAY_F32 || y == 0 || isinf(y))
        return y;
    double part = frexp(y, &e);
    return ldexp(trunc(part * 0x1p23), e - 23);
}
/* e^g; of a device e^(G_t - G_(t-1)), G the sum of g since the chunk's start, in *sum. */
static double gate(const twin_head *h, double g, int64_t t, double *sum) {
    if (g == -INFINITY) {
        *sum = 0;
        return 0;
    }
    if (!h->in->device || h->in->chunk == 0)
        return exponential(h, g);
    if (t % h->in->chunk == 0)
        *sum = 0;
    double next = sum_of(h, *sum + g), c = exponential(h, sum_of(h, next - *sum));
    *sum = next;
    return c;
}

/* sum x_i y_(i step) */
static double dot(const twin_head *h, int64_t n, const double *x, const double *y, int64_t step) {
    double sum = 0;
    if (h->in->accumulate == ARRAY_F32) {
        float s = 0;
        for (int64_t i = 0; i < n; i++)
            s += (float)(x[i] * y[i * step]);
        return (double)s;
    }
    for (int64_t i = 0; i < n; i++)
        sum = sum_of(h, sum + sum_of(h, x[i] * y[i * step]));
    return sum;
}

/* x := c x + y z^T. */
static void update(const twin_head *h, double *x, const double *c, int64_t step, const double *y,
                   const double *z) {
    int64_t dk = h->a->dk, dv = h->a->dv;
    for (int64_t p = 0; p < dk; p++)
        for (int64_t j = 0; j < dv; j++) {
            double *s = x + p * dv + j;
            *s = sum_of(h, sum_of(h, c[p * step] * *s) + (y ? sum_of(h, y[p] * z[j]) : 0));
        }
}

static double *output_row(const twin_head *h, int64_t t, int64_t i) {
    const mn_args *a = h->a;
    return h->o + ((h->batch * a->time + h->first + t) * a->heads + h->head * h->group + i) * a->dv;
}
/* q := that head's query times scale, as an operand. */
static void load_query(const twin_head *h, int64_t t, int64_t i) {
    load(h, h->q, h->a->q, h->a->heads, h->head * h->group + i, h->a->dk, t, h->a->time);
    for (int64_t p = 0; p < h->a->dk; p++)
        h->q[p] = operand(h, sum_of(h, h->q[p] * h->scale));
}
/* 0 / 0 is 0 by definition. */
static double quotient(const twin_head *h, double x, double y) {
    return y == 0 ? 0 : sum_of(h, x / y);
}
static void as_operands(const twin_head *h, int64_t from, int64_t n) {
    for (int64_t i = from; i < from + n; i++)
        h->read[i] = operand(h, h->state[i]);
}

/* o := sum over blocks of factor (S^T q), over that of z where there is one. */
static void read_state(const twin_head *h, int64_t t, int64_t blocks, const double *factor,
                       int64_t z) {
    int64_t dk = h->a->dk, dv = h->a->dv, size = dk * dv;
    for (int64_t b = 0; b < blocks; b++)
        if (!factor || factor[b] != 0)
            as_operands(h, b * size, size);
    for (int64_t i = 0; i < h->group; i++) {
        double *o = output_row(h, t, i), divisor = 0;
        load_query(h, t, i);
        const float *lambda =
            h->a->lambda.data ? reference_row(h->a->lambda, h->a->time, h->a->heads, h->a->levels,
                                              h->batch, h->first + t, h->head * h->group + i)
                              : NULL;
        for (int64_t b = 0; z && b < blocks; b++) {
            double part = dot(h, dk, h->q, h->state + z + b * dk, 1);
            divisor = sum_of(h, divisor + (factor ? sum_of(h, factor[b] * part) : part));
        }
        for (int64_t j = 0; j < dv; j++) {
            double sum = 0;
            for (int64_t b = 0; b < blocks; b++) {
                if (factor && factor[b] == 0)
                    continue;
                double part = dot(h, dk, h->q, h->read + b * size + j, dv),
                       f = (factor ? factor[b] : 1) * (lambda ? (double)lambda[b] : 1);
                sum = sum_of(h, sum + sum_of(h, f * part));
            }
            o[j] = z ? quotient(h, sum, divisor) : sum;
        }
    }
}

static void linear(const twin_head *h) {
    const mn_args *a = h->a;
    int64_t z = a->normalise ? a->dk * a->dv : 0;
    double *c = h->work, *sums = c + a->dk;
    memset(sums, 0, (size_t)a->dk * sizeof *sums);
    for (int64_t t = 0; t < h->length; t++) {
        double all = a->g.data ? gate(h, scalar(h, a->g, t, 0), t, sums) : 1;
        for (int64_t p = 0; p < a->dk; p++)
            c[p] = all;
        if (a->gate_keys.data) {
            const float *g = reference_row(a->gate_keys, a->time, h->kv_heads, a->dk, h->batch,
                                           h->first + t, h->head);
            for (int64_t p = 0; p < a->dk; p++)
                c[p] = gate(h, (double)g[p], t, sums + p);
        }
        load(h, h->k, a->k, h->kv_heads, h->head, a->dk, t, a->time);
        load(h, h->v, a->v, h->kv_heads, h->head, a->dv, t, a->time);
        update(h, h->state, c, 1, h->k, h->v);
        for (int64_t p = 0; z && p < a->dk; p++)
            h->state[z + p] = sum_of(h, sum_of(h, c[p] * h->state[z + p]) + h->k[p]);
        read_state(h, t, 1, NULL, z);
    }
}

/* S := c S + write e^T, e = beta v - c S^T (beta k): as operands beta k, beta v, the state and e,
 * but not S^T (beta k): where it cancels, its last bits are what is left. Where operands are as
 * wide as sums beta (v - c S^T k). */
static void correct(const twin_head *h, double c, double beta, const double *write) {
    int64_t dk = h->a->dk, dv = h->a->dv;
    as_operands(h, 0, dk * dv);
    double *k = h->narrow ? h->scaled : h->k;
    for (int64_t p = 0; h->narrow && p < dk; p++)
        k[p] = operand(h, sum_of(h, beta * h->k[p]));
    for (int64_t j = 0; j < dv; j++) {
        double past = sum_of(h, c * dot(h, dk, k, h->read + j, dv));
        if (h->narrow)
            h->e[j] = operand(h, sum_of(h, operand(h, sum_of(h, beta * h->v[j])) - past));
        else
            h->e[j] = sum_of(h, beta * sum_of(h, h->v[j] - past));
    }
    update(h, h->state, &c, 0, write, h->e);
}

static void delta(const twin_head *h) {
    const mn_args *a = h->a;
    double sum = 0;
    for (int64_t t = 0; t < h->length; t++) {
        double c = a->g.data ? gate(h, scalar(h, a->g, t, 0), t, &sum) : 1;
        load(h, h->k, a->k, h->kv_heads, h->head, a->dk, t, a->time);
        load(h, h->v, a->v, h->kv_heads, h->head, a->dv, t, a->time);
        correct(h, c, scalar(h, a->beta, t, 1), h->k);
        read_state(h, t, 1, NULL, 0);
    }
}

static void vla(const twin_head *h) {
    const mn_args *a = h->a;
    int64_t dk = a->dk, z = a->normalise ? dk * a->dv + dk * dk : 0;
    double *inverse = h->state + dk * a->dv, *u = h->work, *au = u + dk, *write = au + dk;
    for (int64_t t = 0; t < h->length; t++) {
        load(h, h->k, a->k, h->kv_heads, h->head, dk, t, a->time);
        load(h, h->v, a->v, h->kv_heads, h->head, a->dv, t, a->time);
        load(h, u, a->u, h->kv_heads, h->head, dk, t, a->time);
        for (int64_t p = 0; p < dk; p++)
            au[p] = dot(h, dk, inverse + p * dk, u, 1);
        double divisor = sum_of(h, 1 + dot(h, dk, u, au, 1)), norm = 0;
        for (int64_t p = 0; p < dk; p++)
            for (int64_t r = 0; r < dk; r++) {
                double y = sum_of(h, sum_of(h, au[p] * au[r]) / divisor);
                inverse[p * dk + r] = sum_of(h, inverse[p * dk + r] - y);
            }
        for (int64_t p = 0; p < dk; p++) {
            write[p] = dot(h, dk, inverse + p * dk, h->k, 1);
            norm += write[p] * write[p];
        }
        for (int64_t p = 0; p < dk && norm != 0; p++)
            write[p] = operand(h, sum_of(h, write[p] / sqrt(norm)));
        correct(h, 1, 1, write);
        for (int64_t p = 0; z && p < dk; p++)
            h->state[z + p] = sum_of(h, h->state[z + p] + h->k[p]);
        read_state(h, t, 1, NULL, z);
        if (a->refresh_every && (h->position + t + 1) % a->refresh_every == 0)
            for (int64_t p = 0; p < dk; p++)
                inverse[p * dk + p] = sum_of(h, inverse[p * dk + p] + (double)a->refresh);
    }
}

/* Level 0 is the token itself; after it the levels below the position's lowest zero bit join. */
static void loglinear(const twin_head *h) {
    const mn_args *a = h->a;
    int64_t size = a->dk * a->dv, levels = a->levels;
    double zero = 0, sum = 0, *counts = h->work;
    for (int64_t t = 0; t < h->length; t++) {
        int64_t position = h->position + t, joined = 1;
        double c = a->g.data ? gate(h, scalar(h, a->g, t, 0), t, &sum) : 1;
        load(h, h->k, a->k, h->kv_heads, h->head, a->dk, t, a->time);
        load(h, h->v, a->v, h->kv_heads, h->head, a->dv, t, a->time);
        update(h, h->state, &zero, 0, h->k, h->v);
        counts[0] = 1;
        for (int64_t l = 1; l < levels; l++) {
            counts[l] = position >> (l - 1) & 1 ? 1 : 0;
            if (counts[l] != 0)
                update(h, h->state + l * size, &c, 0, NULL, NULL);
        }
        read_state(h, t, levels, counts, 0);
        while (position >> (joined - 1) & 1)
            joined++;
        for (int64_t l = 0; l < joined && l < levels; l++)
            for (int64_t i = 0; i < size; i++) {
                double *from = h->state + l * size + i, *to = h->state + joined * size + i;
                if (joined < levels)
                    *to = sum_of(h, (l ? *to : 0) + *from);
                *from = 0;
            }
    }
}

static void vort(const twin_head *h) {
    const mn_args *a = h->a;
    int64_t size = a->dk * a->dv, all = a->banks * a->modes, z = a->normalise ? all * size : 0;
    double *weights = h->work;
    mn_index index = a->bank;
    if (index.batch == 0 && index.time == 0 && index.head == 0)
        index.head = 1, index.time = h->kv_heads, index.batch = h->kv_heads * a->time;
    for (int64_t m = 0; m < all; m++)
        weights[m] = (double)a->weights[m];
    for (int64_t t = 0; t < h->length; t++) {
        int64_t bank =
            index.data[h->batch * index.batch + (h->first + t) * index.time + h->head * index.head];
        load(h, h->k, a->k, h->kv_heads, h->head, a->dk, t, a->time);
        load(h, h->v, a->v, h->kv_heads, h->head, a->dv, t, a->time);
        for (int64_t m = 0; m < all; m++) {
            double x = (double)a->nodes[m], *sum = h->state + z + m * a->dk;
            bool in = m / a->modes == bank;
            update(h, h->state + m * size, &x, 0, in ? h->k : NULL, h->v);
            for (int64_t p = 0; z && p < a->dk; p++)
                sum[p] = sum_of(h, sum_of(h, x * sum[p]) + (in ? h->k[p] : 0));
        }
        read_state(h, t, all, weights, z);
    }
}

static void softmax(const twin_head *h, double *p) {
    const mn_args *a = h->a;
    int64_t keys = a->past + a->time;
    for (int64_t t = 0; t < h->length; t++)
        for (int64_t i = 0; i < h->group; i++) {
            int64_t n = a->past + t + 1;
            double *o = output_row(h, t, i), top = -INFINITY, sum = 0;
            load_query(h, t, i);
            for (int64_t s = 0; s < n; s++) {
                load(h, h->k, a->k, h->kv_heads, h->head, a->dk, s, keys);
                p[s] = dot(h, a->dk, h->q, h->k, 1);
                top = fmax(top, p[s]);
            }
            for (int64_t s = 0; s < n; s++)
                sum = sum_of(h, sum + (p[s] = exponential(h, sum_of(h, p[s] - top))));
            for (int64_t j = 0; j < a->dv; j++)
                o[j] = 0;
            for (int64_t s = 0; s < n; s++) {
                load(h, h->v, a->v, h->kv_heads, h->head, a->dv, s, keys);
                double x = operand(h, p[s]);
                for (int64_t j = 0; j < a->dv; j++)
                    o[j] = sum_of(h, o[j] + sum_of(h, x * h->v[j]));
            }
            for (int64_t j = 0; j < a->dv; j++)
                o[j] = sum_of(h, o[j] / sum);
        }
}

static void begin(twin_head *h) {
    const mn_args *a = h->a;
    int64_t size = reference_head_floats(a), at = (h->sequence * h->kv_heads + h->head) * size,
            floats = reference_sequences(a) * h->kv_heads * size * 4;
    if (a->state_in) {
        for (int64_t i = 0; i < size; i++)
            h->state[i] = (double)((const float *)a->state_in)[at + i];
        if (a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR)
            memcpy(&h->position, (const char *)a->state_in + (floats + 7) / 8 * 8 + 8 * h->sequence,
                   8);
    } else {
        for (int64_t i = 0; i < size; i++)
            h->state[i] = 0;
        for (int64_t p = 0; a->kernel == MN_VLA && p < a->dk; p++)
            h->state[a->dk * a->dv + p * (a->dk + 1)] = sum_of(h, 1 / (double)a->lambda0);
    }
}

static void run_head(twin_head *h, double *scores) {
    begin(h);
    switch (h->a->kernel) {
    case MN_LINEAR:
        linear(h);
        break;
    case MN_DELTA:
        delta(h);
        break;
    case MN_VLA:
        vla(h);
        break;
    case MN_LOGLINEAR:
        loglinear(h);
        break;
    case MN_VORT:
        vort(h);
        break;
    default:
        softmax(h, scores);
    }
}

bool twin_run(twin_t w, const mn_args *a, const arithmetic *in) {
    memset(w, 0, sizeof *w);
    int64_t kv = a->kv_heads ? a->kv_heads : a->heads, size = reference_head_floats(a),
            sequences = reference_sequences(a),
            work = 3 * a->dk + a->levels + a->banks * a->modes + 1;
    w->outputs = a->batch * a->time * a->heads * a->dv, w->states = sequences * kv * size;
    w->o = calloc((size_t)w->outputs + 1, sizeof *w->o);
    w->state = calloc((size_t)w->states + 1, sizeof *w->state);
    double *room = calloc((size_t)(size + 3 * a->dk + 2 * a->dv + work), sizeof *room),
           *scores = calloc((size_t)(a->past + a->time + 1), sizeof *scores);
    bool good = w->o && w->state && room && scores;
    for (int64_t n = 0; n < sequences * kv && good; n++) {
        int64_t sequence = n / kv, first = a->segments ? a->offsets[sequence] : 0;
        twin_head h = {.a = a,
                       .in = in,
                       .narrow = arithmetic_operand_unit(in) > 0,
                       .sequence = sequence,
                       .head = n % kv,
                       .batch = a->segments ? 0 : sequence,
                       .first = first,
                       .length = a->segments ? a->offsets[sequence + 1] - first : a->time,
                       .kv_heads = kv,
                       .group = a->heads / kv,
                       .state = w->state + n * size,
                       .read = room,
                       .o = w->o};
        h.k = room + size, h.q = h.k + a->dk, h.v = h.q + a->dk, h.e = h.v + a->dv;
        h.scaled = h.e + a->dv, h.work = h.scaled + a->dk;
        h.scale = sum_of(&h, a->scale != 0 ? (double)a->scale : 1 / sqrt((double)a->dk));
        run_head(&h, scores);
    }
    for (int64_t i = 0; i < w->outputs && good; i++)
        w->o[i] = array_round(in->output, w->o[i]);
    free(room);
    free(scores);
    if (!good)
        twin_clear(w);
    return good;
}

void twin_clear(twin_t w) {
    free(w->o);
    free(w->state);
    memset(w, 0, sizeof *w);
}

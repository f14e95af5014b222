/* SPDX-License-Identifier: MIT
 * The definitions of mneme.h in plain C: one token after another, no instruction sets, no
 * blocks. */
#include "numerics/kernels/internal.h"

static float dot(int64_t n, const float *x, const float *y) {
    float s = 0;
    for (int64_t i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

/* o = scale S^T q, over q.z where z is given. */
static void read_state(const mn_head *h, int64_t t, const float *s, const float *z) {
    for (int64_t head = 0; head < h->group; head++) {
        const float *q = h->q.data + t * h->q.step + head * h->q.head;
        float *o = h->o.data + t * h->o.step + head * h->o.head,
              divisor = z ? dot(h->dk, q, z) * h->scale : 1;
        for (int64_t j = 0; j < h->dv; j++) {
            float sum = 0;
            for (int64_t p = 0; p < h->dk; p++)
                sum += q[p] * s[p * h->dv + j];
            o[j] = z ? mn_quotient(sum * h->scale, divisor) : sum * h->scale;
        }
    }
}

static void linear(const mn_head *h) {
    float *s = h->state, *z = h->a->normalise ? s + h->dk * h->dv : NULL;
    for (int64_t t = 0; t < h->time; t++) {
        const float *k = h->k.data + t * h->k.step, *v = h->v.data + t * h->v.step;
        for (int64_t p = 0; p < h->dk; p++) {
            float c = 1;
            if (h->g.data)
                c = expf(h->g.data[t * h->g.step]);
            if (h->gate_keys.data)
                c = expf(h->gate_keys.data[t * h->gate_keys.step + p]);
            for (int64_t j = 0; j < h->dv; j++)
                s[p * h->dv + j] = c * s[p * h->dv + j] + k[p] * v[j];
            if (z)
                z[p] = c * z[p] + k[p];
        }
        read_state(h, t, s, z);
    }
}

/* S <- c S + a (beta (v - c S^T k))^T, one column of S after another. */
static void correct(const mn_head *h, int64_t t, float c, float beta, const float *a) {
    const float *k = h->k.data + t * h->k.step, *v = h->v.data + t * h->v.step;
    for (int64_t j = 0; j < h->dv; j++) {
        float sum = 0;
        for (int64_t p = 0; p < h->dk; p++)
            sum += k[p] * h->state[p * h->dv + j];
        float e = beta * (v[j] - c * sum);
        for (int64_t p = 0; p < h->dk; p++)
            h->state[p * h->dv + j] = c * h->state[p * h->dv + j] + a[p] * e;
    }
}

static void delta(const mn_head *h) {
    for (int64_t t = 0; t < h->time; t++) {
        float c = h->g.data ? expf(h->g.data[t * h->g.step]) : 1,
              beta = h->beta.data ? h->beta.data[t * h->beta.step] : 1;
        correct(h, t, c, beta, h->k.data + t * h->k.step);
        read_state(h, t, h->state, NULL);
    }
}

/* A <- A - (A u)(A u)^T / (1 + u.A u) (Sherman-Morrison), a = A k / |A k|; where A k = 0,
 * nothing is written. */
static void vla(const mn_head *h) {
    int64_t dk = h->dk;
    float *inverse = h->state + dk * h->dv, *z = h->a->normalise ? inverse + dk * dk : NULL,
          *au = h->work, *a = h->work + dk;
    for (int64_t t = 0; t < h->time; t++) {
        const float *k = h->k.data + t * h->k.step, *u = h->u.data + t * h->u.step;
        for (int64_t p = 0; p < dk; p++)
            au[p] = dot(dk, inverse + p * dk, u);
        float divisor = 1 + dot(dk, u, au);
        double norm = 0; /* squares of floats neither overflow nor vanish in double */
        for (int64_t p = 0; p < dk; p++)
            for (int64_t r = 0; r < dk; r++)
                inverse[p * dk + r] -= au[p] * au[r] / divisor;
        for (int64_t p = 0; p < dk; p++)
            a[p] = dot(dk, inverse + p * dk, k);
        for (int64_t p = 0; p < dk; p++)
            norm += (double)a[p] * (double)a[p];
        for (int64_t p = 0; p < dk && norm != 0; p++)
            a[p] = (float)((double)a[p] / sqrt(norm));
        correct(h, t, 1, 1, a);
        for (int64_t p = 0; z && p < dk; p++)
            z[p] += k[p];
        read_state(h, t, h->state, z);
        if (h->a->refresh_every && (h->position + t + 1) % h->a->refresh_every == 0)
            for (int64_t p = 0; p < dk; p++)
                inverse[p * dk + p] += h->a->refresh;
    }
}

/* Fenwick states: level 0 is the token itself; level l the block of 2^(l-1) positions that ends
 * where bits below l-1 of the position begin.  After token t the levels below the lowest zero
 * bit of t join one above it. */
static void loglinear(const mn_head *h) {
    int64_t size = h->dk * h->dv, levels = h->a->levels;
    for (int64_t t = 0; t < h->time; t++) {
        int64_t position = h->position + t;
        const float *k = h->k.data + t * h->k.step, *v = h->v.data + t * h->v.step;
        float c = h->g.data ? expf(h->g.data[t * h->g.step]) : 1;
        for (int64_t l = 1; l < levels; l++)
            for (int64_t i = 0; i < size; i++)
                h->state[l * size + i] *= c;
        for (int64_t i = 0; i < size; i++)
            h->state[i] = k[i / h->dv] * v[i % h->dv];
        for (int64_t head = 0; head < h->group; head++) {
            const float *q = h->q.data + t * h->q.step + head * h->q.head;
            const float *lambda =
                h->lambda.data ? h->lambda.data + t * h->lambda.step + head * h->lambda.head : NULL;
            float *o = h->o.data + t * h->o.step + head * h->o.head;
            for (int64_t j = 0; j < h->dv; j++) {
                float sum = 0;
                for (int64_t l = 0; l < levels; l++) {
                    if (l && !(position >> (l - 1) & 1))
                        continue;
                    float part = 0;
                    for (int64_t p = 0; p < h->dk; p++)
                        part += q[p] * h->state[l * size + p * h->dv + j];
                    sum += (lambda ? lambda[l] : 1) * part;
                }
                o[j] = sum * h->scale;
            }
        }
        int64_t joined = 1;
        while (position >> (joined - 1) & 1)
            joined++;
        for (int64_t l = 0; l < joined; l++)
            for (int64_t i = 0; i < size; i++) {
                if (joined < levels)
                    h->state[joined * size + i] =
                        (l ? h->state[joined * size + i] : 0) + h->state[l * size + i];
                h->state[l * size + i] = 0;
            }
    }
}

/* G = sum over banks and modes of weight x state; the state of a token's bank takes k v^T after
 * its decay by the node. */
static void vort(const mn_head *h) {
    int64_t size = h->dk * h->dv, all = h->a->banks * h->a->modes;
    float *z = h->a->normalise ? h->state + all * size : NULL;
    for (int64_t t = 0; t < h->time; t++) {
        const float *k = h->k.data + t * h->k.step, *v = h->v.data + t * h->v.step;
        int64_t bank = h->bank[t * h->bank_step];
        for (int64_t m = 0; m < all; m++) {
            float x = h->a->nodes[m], in = m / h->a->modes == bank ? 1 : 0,
                  *s = h->state + m * size;
            for (int64_t i = 0; i < size; i++)
                s[i] = x * s[i] + (in != 0 ? k[i / h->dv] * v[i % h->dv] : 0);
            for (int64_t p = 0; z && p < h->dk; p++)
                z[m * h->dk + p] = x * z[m * h->dk + p] + (in != 0 ? k[p] : 0);
        }
        for (int64_t head = 0; head < h->group; head++) {
            const float *q = h->q.data + t * h->q.step + head * h->q.head;
            float *o = h->o.data + t * h->o.step + head * h->o.head, divisor = 0;
            for (int64_t m = 0; z && m < all; m++)
                divisor += h->a->weights[m] * dot(h->dk, q, z + m * h->dk);
            for (int64_t j = 0; j < h->dv; j++) {
                float sum = 0;
                for (int64_t m = 0; m < all; m++) {
                    float part = 0;
                    for (int64_t p = 0; p < h->dk; p++)
                        part += q[p] * h->state[m * size + p * h->dv + j];
                    sum += h->a->weights[m] * part;
                }
                o[j] = z ? mn_quotient(sum * h->scale, divisor * h->scale) : sum * h->scale;
            }
        }
    }
}

static void softmax(const mn_head *h) {
    float *p = h->work;
    for (int64_t t = 0; t < h->time; t++)
        for (int64_t head = 0; head < h->group; head++) {
            const float *q = h->q.data + t * h->q.step + head * h->q.head;
            float *o = h->o.data + t * h->o.step + head * h->o.head, sum = 0, top = -INFINITY;
            int64_t n = h->a->past + t + 1;
            for (int64_t s = 0; s < n; s++) {
                p[s] = h->scale * dot(h->dk, q, h->k.data + s * h->k.step);
                if (!(p[s] <= top))
                    top = p[s];
            }
            for (int64_t s = 0; s < n; s++)
                sum += p[s] = expf(p[s] - top);
            for (int64_t j = 0; j < h->dv; j++) {
                float value = 0;
                for (int64_t s = 0; s < n; s++)
                    value += p[s] * h->v.data[s * h->v.step + j];
                o[j] = value / sum;
            }
        }
}

mn_head_kernel *const mn_reference[MN_KERNELS] = {linear, delta, vla, loglinear, vort, softmax};

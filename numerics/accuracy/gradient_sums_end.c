/* What is left when all rows of a sum are through: the final state, parameters, gates. */
#include "numerics/accuracy/gradient_sums.h"

/* The final state's block l holds the tokens [first, last) and, log-linear, what of the initial
 * state lies there. */
static bool final_block(const sums *w, int64_t l, int64_t *first, int64_t *last) {
    const gradient_head *h = w->h;
    *first = 0, *last = h->length;
    if (h->kernel == MN_VORT)
        return true;
    int64_t end = h->position + h->length;
    if (l == 0 || !(end >> (l - 1) & 1))
        return false;
    *first = (end >> l << l) - h->position;
    *last = *first + ((int64_t)1 << (l - 1));
    return true;
}

/* Tokens of the final state's block l. */
static void reverse_final_tokens(sums *w, int64_t l, int64_t first, int64_t last) {
    const gradient_field *f = w->f;
    gradient_head *h = w->h;
    int64_t dk = w->dk, T = h->length;
    const number *e = block(w, w->end, l);
    for (int64_t s = first > 0 ? first : 0; s < last; s++) {
        if (h->kernel == MN_VORT && h->bank[s] != l / h->modes)
            continue;
        const number *d =
            h->kernel == MN_VORT ? at(w, w->power, l * w->times + T - 1 - s) : at(w, w->decay, s);
        for (int64_t p = 0; p < dk; p++)
            f->dot(f, at(w, w->vector, p), NULL, 0, at(w, e, p * w->w), 1, value(w, s), 1, w->w);
        f->dot(f, w->x, NULL, 0, w->vector, 1, key(w, s), 1, dk);
        f->addmul(f, at(w, h->d[GRADIENT_K], s * dk), w->vector, d, dk);
        w->size_k[s] += f->norm(w->vector, dk) * f->norm(d, 1);
        if (h->kernel == MN_VORT) {
            number *lag = at(w, w->lags_out, l * w->times + T - 1 - s);
            f->add(f, lag, lag, w->x, 1);
        } else {
            f->addmul(f, at(w, w->m, s + 1), w->x, d, 1);
        }
        f->scale(f, w->vector, key(w, s), d, dk);
        for (int64_t p = 0; p < dk; p++)
            f->addmul(f, at(w, h->d[GRADIENT_V], s * w->dv), at(w, e, p * w->w),
                      at(w, w->vector, p), w->dv);
        w->size_v[s] += f->norm(w->vector, dk) * f->norm(e, dk * w->w);
    }
}

void gradient_final_state(sums *w) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t T = h->length, size = w->dk * w->w, first, last;
    for (int64_t s = 0; s <= T; s++)
        f->set_si(at(w, w->m, s), 0);
    for (int64_t l = 0; l < w->blocks; l++) {
        if (!final_block(w, l, &first, &last))
            continue;
        reverse_final_tokens(w, l, first, last);
        const number *e = block(w, w->end, l);
        for (int64_t b = 0; w->in && b < w->blocks; b++) {
            if (h->kernel == MN_VORT
                    ? b != l
                    : !has_block(w, b) || block_start(w, b) < first || block_start(w, b) >= last)
                continue;
            const number *d =
                h->kernel == MN_VORT ? at(w, w->power, b * w->times + T) : w->decay_all;
            f->addmul(f, block(w, w->out, b), e, d, size);
            f->dot(f, w->x, NULL, 0, e, 1, block(w, w->in, b), 1, size);
            f->addmul(f, w->m, w->x, d, 1);
            if (h->kernel == MN_VORT) {
                number *lag = at(w, w->lags_out, b * w->times + T);
                f->add(f, lag, lag, w->x, 1);
            }
        }
    }
    gradient_add_gates(w, T - 1);
}

/* Weights and nodes from what was found per lag. */
void gradient_finish_vort(sums *w) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    number *sum = f->init(w->times);
    for (int64_t m = 0; m < h->banks * h->modes; m++) {
        const number *power = at(w, w->power, m * w->times);
        number *d_weight = at(w, h->d[GRADIENT_WEIGHTS], m);
        f->add(f, sum, at(w, w->lags, m / h->modes * w->times), at(w, w->lags_in, m * w->times),
               w->times);
        f->dot(f, d_weight, d_weight, 0, power, 1, sum, 1, w->times);
        number *d_node = at(w, h->d[GRADIENT_NODES], m);
        gradient_node(f, d_node, at(w, h->weights, m), power, sum, w->times);
        gradient_node(f, d_node, w->one, power, at(w, w->lags_out, m * w->times), w->times);
    }
    f->clear(sum, w->times);
}

/* Absolute values: dg as the reverse cumulative sum of q.dq + k.dk, after the final state's. */
void gradient_finish_gates(sums *w) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    f->set_si(w->x, 0);
    for (int64_t s = 0; s <= h->length && w->end; s++)
        f->add(f, w->x, w->x, at(w, w->m, s), 1);
    for (int64_t t = h->length - 1; t >= 0; t--) {
        f->dot(f, w->x, w->x, 0, at(w, h->q, t * h->group * w->dk), 1,
               at(w, h->d[GRADIENT_Q], t * h->group * w->dk), 1, h->group * w->dk);
        f->dot(f, w->x, w->x, 0, key(w, t), 1, at(w, h->d[GRADIENT_K], t * w->dk), 1, w->dk);
        f->set(at(w, h->d[GRADIENT_G], t), w->x, 1);
    }
}

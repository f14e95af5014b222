/* Reverse passes of the sums over the past: log-linear and VORT attention, softmax.  With C_ts =
 * q~_t.k_s, q~ = scale q, and G_ts = do_t.v_s every output is o_t = sum_s W_ts C_ts v_s, so that
 *     dq~_t = sum_s W_ts G_ts k_s,  dk_s = sum_t W_ts G_ts q~_t,  dv_s = sum_t W_ts C_ts do_t,
 *     dW_ts = C_ts G_ts,  dg_u = sum_{s < u <= t} W_ts C_ts G_ts;
 * softmax has p_ts for W_ts C_ts and p_ts (G_ts - sum_r p_tr G_tr) for W_ts G_ts.  The blocks of
 * an initial state and the final state are further rows and columns of the same sums. */
#include "numerics/accuracy/gradient_sums.h"

/* D_ts := D_{t-1,s} gamma_t. */
static void take_gate(sums *w, int64_t t) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    f->set_si(at(w, w->decay, t), 1);
    if (!h->gate)
        return;
    f->scale(f, w->decay, w->decay, at(w, h->gate, t), t);
    f->scale(f, w->decay_all, w->decay_all, at(w, h->gate, t), 1);
}

void gradient_add_gates(sums *w, int64_t last) {
    const gradient_field *f = w->f;
    number *dg = w->h->d[GRADIENT_G];
    if (!dg || f->absolute)
        return;
    f->set_si(w->x, 0);
    for (int64_t u = 0; u <= last; u++) {
        f->add(f, w->x, w->x, at(w, w->m, u), 1);
        f->add(f, at(w, dg, u), at(w, dg, u), w->x, 1);
    }
}

/* W_ts in w->alpha for s <= t: of row [t][i]. */
static void weigh(sums *w, int64_t t, int64_t row) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    for (int64_t s = 0; s <= t; s++) {
        number *x = at(w, w->alpha, s);
        if (h->kernel == MN_VORT)
            f->set(x, at(w, w->kernel, h->bank[s] * w->times + t - s), 1);
        else if (h->lambda)
            f->scale(f, x, at(w, w->decay, s), at(w, h->lambda, row * h->levels + level(w, t, s)),
                     1);
        else
            f->set(x, at(w, w->decay, s), 1);
    }
}

/* x := the factor of the initial state's block b at token t. */
static void block_factor(sums *w, number *x, int64_t b, int64_t t, int64_t row) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    if (h->kernel == MN_VORT)
        f->scale(f, x, at(w, w->power, b * w->times + t + 1), at(w, h->weights, b), 1);
    else if (h->lambda)
        f->scale(f, x, w->decay_all,
                 at(w, h->lambda, row * h->levels + level(w, t, block_start(w, b))), 1);
    else
        f->set(x, w->decay_all, 1);
}

/* What block b of the initial state gives to row [t][i], with the row's cotangent known. */
static void reverse_block(sums *w, int64_t b, int64_t t, int64_t row, number *dq) {
    const gradient_field *f = w->f;
    const gradient_head *h = w->h;
    int64_t dk = w->dk;
    block_factor(w, w->y, b, t, row);
    for (int64_t p = 0; p < dk; p++)
        f->dot(f, at(w, w->vector, p), NULL, 0, at(w, block(w, w->in, b), p * w->w), 1, w->row, 1,
               w->w);
    f->addmul(f, dq, w->vector, w->y, dk);
    f->dot(f, w->x, NULL, 0, w->vector, 1, w->q, 1, dk); /* dL / dfactor */
    f->addmul(f, w->m, w->x, w->y, 1);
    if (h->kernel == MN_VORT) {
        number *lag = at(w, w->lags_in, b * w->times + t + 1);
        f->add(f, lag, lag, w->x, 1);
    } else if (h->lambda) {
        int64_t l = row * h->levels + level(w, t, block_start(w, b));
        f->addmul(f, at(w, h->d[GRADIENT_LAMBDA], l), w->decay_all, w->x, 1);
    }
    w->size_q += f->norm(w->vector, dk) * f->norm(w->y, 1);
    f->scale(f, w->vector, w->q, w->y, dk);
    for (int64_t p = 0; p < dk; p++)
        f->addmul(f, at(w, block(w, w->out, b), p * w->w), w->row, at(w, w->vector, p), w->w);
}

/* C, W and beta = W C of row [t][i]; cotangents of its numerators and divisor in w->row. */
static reference_status open_row(sums *w, int64_t t, int64_t row) {
    const gradient_field *f = w->f;
    gradient_head *h = w->h;
    int64_t n = t + 1;
    for (int64_t s = 0; s < n; s++)
        f->dot(f, at(w, w->c, s), NULL, 0, w->q, 1, key(w, s), 1, w->dk);
    weigh(w, t, row);
    for (int64_t s = 0; s < n; s++)
        f->scale(f, at(w, w->beta, s), at(w, w->alpha, s), at(w, w->c, s), 1);
    f->set(w->row, at(w, h->d_o, row * w->dv), w->dv);
    if (!h->normalise)
        return REFERENCE_OK;
    for (int64_t j = 0; j < w->w; j++)
        f->dot(f, at(w, w->numerators, j), NULL, 0, w->beta, 1, at(w, w->values, j), w->w, n);
    for (int64_t b = 0; w->in && b < w->blocks; b++) {
        block_factor(w, w->y, b, t, row);
        f->scale(f, w->vector, w->q, w->y, w->dk);
        for (int64_t j = 0; j < w->w; j++)
            f->dot(f, at(w, w->numerators, j), at(w, w->numerators, j), 0, w->vector, 1,
                   at(w, block(w, w->in, b), j), w->w, w->dk);
    }
    return gradient_quotient(h, w->row, w->numerators, row);
}

/* p = softmax of the scores in w->beta; G and alpha = p (G - sum p G). */
static reference_status open_softmax(sums *w, int64_t t, int64_t row) {
    const gradient_field *f = w->f, *exact = w->h->exact;
    gradient_head *h = w->h;
    int64_t n = h->past + t + 1, dk = w->dk;
    const number *q = at(w, h->q, row * dk);
    for (int64_t s = 0; s < n; s++)
        exact->dot(exact, at(w, w->c, s), NULL, 0, q, 1, key(w, s), 1, dk);
    exact->scale(exact, w->c, w->c, h->scale, n);
    exact->exp(exact, w->beta, w->c, n);
    exact->set_si(w->x, 0);
    for (int64_t s = 0; s < n; s++)
        exact->add(exact, w->x, w->x, at(w, w->beta, s), 1);
    if (!exact->div(exact, w->beta, w->beta, w->x, n))
        return REFERENCE_UNDECIDED;
    f->set(w->row, at(w, h->d_o, row * w->dv), w->dv);
    for (int64_t s = 0; s < n; s++)
        f->dot(f, at(w, w->g, s), NULL, 0, w->row, 1, value(w, s), 1, w->dv);
    f->dot(f, w->y, NULL, 0, w->beta, 1, w->g, 1, n);
    for (int64_t s = 0; s < n; s++) {
        f->sub(f, w->x, at(w, w->g, s), w->y, 1);
        f->scale(f, at(w, w->alpha, s), at(w, w->beta, s), w->x, 1);
    }
    if (f->absolute) {
        h->keys = fmax(h->keys, (double)n);
        for (int64_t s = 0; s < n; s++) {
            f->dot(f, w->x, NULL, 0, w->q, 1, key(w, s), 1, dk);
            h->score = fmax(h->score, f->norm(w->x, 1));
        }
    }
    return REFERENCE_OK;
}

/* alpha = W G; what a row gives to lambda, to the lags and, as W C G, to the gates. */
static void weigh_values(sums *w, int64_t t, int64_t row) {
    const gradient_field *f = w->f;
    gradient_head *h = w->h;
    for (int64_t s = 0; s <= t; s++) {
        f->dot(f, at(w, w->g, s), NULL, 0, w->row, 1, value(w, s), 1, w->w);
        f->scale(f, at(w, w->alpha, s), at(w, w->alpha, s), at(w, w->g, s), 1);
        if (h->gate)
            f->scale(f, at(w, w->m, s + 1), at(w, w->alpha, s), at(w, w->c, s), 1);
        if (h->kernel == MN_VORT) {
            f->addmul(f, at(w, w->lags, h->bank[s] * w->times + t - s), at(w, w->c, s),
                      at(w, w->g, s), 1);
        } else if (h->lambda) {
            f->scale(f, w->x, at(w, w->c, s), at(w, w->decay, s), 1);
            f->addmul(f, at(w, h->d[GRADIENT_LAMBDA], row * h->levels + level(w, t, s)), w->x,
                      at(w, w->g, s), 1);
        }
    }
}

static reference_status reverse_row(sums *w, int64_t t, int64_t i) {
    const gradient_field *f = w->f;
    gradient_head *h = w->h;
    bool softmax = h->kernel == MN_SOFTMAX;
    int64_t dk = w->dk, row = t * h->group + i, n = h->past + t + 1;
    const number *q = at(w, h->q, row * dk);
    number *dq = at(w, h->d[GRADIENT_Q], row * dk);
    f->scale(f, w->q, q, h->scale, dk);
    reference_status status = softmax ? open_softmax(w, t, row) : open_row(w, t, row);
    if (status != REFERENCE_OK)
        return status;
    f->set_si(w->m, 0);
    if (!softmax)
        weigh_values(w, t, row);
    w->size_q = 0;
    double size = f->norm(w->q, dk), out = f->norm(w->row, w->w);
    for (int64_t p = 0; p < dk; p++)
        f->dot(f, at(w, dq, p), NULL, 0, w->alpha, 1, at(w, h->k, p), dk, n);
    for (int64_t s = 0; s < n; s++) {
        f->addmul(f, at(w, h->d[GRADIENT_K], s * dk), w->q, at(w, w->alpha, s), dk);
        f->addmul(f, at(w, h->d[GRADIENT_V], s * w->dv), w->row, at(w, w->beta, s), w->dv);
        if (f->absolute)
            continue;
        double alpha = softmax ? 2 * f->norm(at(w, w->beta, s), 1) * out * w->norm_v[s]
                               : f->norm(at(w, w->alpha, s), 1);
        w->size_q += alpha * w->norm_k[s];
        w->size_k[s] += alpha * size;
        w->size_v[s] += f->norm(at(w, w->beta, s), 1) * out;
    }
    for (int64_t b = 0; w->in && b < w->blocks; b++)
        if (has_block(w, b))
            reverse_block(w, b, t, row, dq);
    gradient_add_gates(w, t);
    if (!h->normalise || f->absolute)
        f->dot(f, h->d[GRADIENT_SCALE], h->d[GRADIENT_SCALE], 0, q, 1, dq, 1, dk);
    f->scale(f, dq, dq, h->scale, dk);
    return f->narrow(dq, dk, w->size_q * f->norm(h->scale, 1)) ? REFERENCE_OK : REFERENCE_UNDECIDED;
}

/* Blocks [blocks][dk][dv] (then [blocks][dk]) of a state blob to [blocks][dk][w], or back. */
static void convert(const sums *w, number *state, number *blob, bool back) {
    const gradient_field *f = w->f;
    for (int64_t i = 0; i < w->blocks * w->dk; i++) {
        number *row = at(w, state, i * w->w), *s = at(w, blob, i * w->dv), *sum = at(w, row, w->dv),
               *z = at(w, blob, w->blocks * w->dk * w->dv + i);
        f->set(back ? s : row, back ? row : s, w->dv);
        if (w->h->normalise)
            f->set(back ? z : sum, back ? sum : z, 1);
    }
}

static reference_status run(sums *w) {
    const gradient_field *f = w->f;
    gradient_head *h = w->h;
    int64_t n = h->past + h->length;
    for (int64_t s = 0; s < n; s++) {
        f->set(value(w, s), at(w, h->v, s * w->dv), w->dv);
        if (h->normalise)
            f->set_si(at(w, value(w, s), w->dv), 1);
        w->norm_k[s] = f->norm(key(w, s), w->dk), w->norm_v[s] = f->norm(value(w, s), w->w);
    }
    if (h->state_in)
        convert(w, w->in, h->state_in, false);
    if (h->d_state)
        convert(w, w->end, h->d_state, false);
    f->set_si(w->one, 1), f->set_si(w->decay_all, 1);
    for (int64_t m = 0; h->kernel == MN_VORT && m < h->banks * h->modes; m++) {
        number *power = at(w, w->power, m * w->times);
        gradient_powers(f, power, at(w, h->nodes, m), w->times);
        f->addmul(f, at(w, w->kernel, m / h->modes * w->times), power, at(w, h->weights, m),
                  w->times);
    }
    reference_status status = REFERENCE_OK;
    for (int64_t t = 0; t < h->length && status == REFERENCE_OK; t++) {
        if (h->kernel == MN_LOGLINEAR)
            take_gate(w, t);
        for (int64_t i = 0; i < h->group && status == REFERENCE_OK; i++)
            status = reverse_row(w, t, i);
    }
    if (status != REFERENCE_OK)
        return status;
    if (w->end)
        gradient_final_state(w);
    if (h->kernel == MN_VORT)
        gradient_finish_vort(w);
    if (h->kernel == MN_LOGLINEAR && h->gate && f->absolute)
        gradient_finish_gates(w);
    if (w->in)
        convert(w, w->out, h->d[GRADIENT_STATE], true);
    for (int64_t s = 0; s < n; s++)
        if (!f->narrow(at(w, h->d[GRADIENT_K], s * w->dk), w->dk, w->size_k[s]) ||
            !f->narrow(at(w, h->d[GRADIENT_V], s * w->dv), w->dv, w->size_v[s]))
            return REFERENCE_UNDECIDED;
    return REFERENCE_OK;
}

reference_status gradient_sum(gradient_head *h) {
    const gradient_field *f = h->f;
    int64_t dk = h->dk, dv = h->dv, n = h->past + h->length, times = h->length + 1;
    bool vort = h->kernel == MN_VORT;
    int64_t modes = vort ? h->banks * h->modes : 0, banks = vort ? h->banks : 0;
    sums w = {.h = h, .f = f, .dk = dk, .dv = dv, .w = dv + h->normalise, .times = times};
    w.blocks = vort ? modes : h->kernel == MN_LOGLINEAR ? h->levels : 0;
    int64_t state = w.blocks * dk * w.w, widest = dk > w.w ? dk : w.w, in = h->state_in ? state : 0,
            end = h->d_state && h->kernel != MN_SOFTMAX ? state : 0;
    number **const parts[] = {
        &w.values,    &w.in,    &w.out,    &w.end,  &w.one,     &w.x,          &w.y,     &w.decay,
        &w.decay_all, &w.power, &w.kernel, &w.lags, &w.lags_in, &w.lags_out,   &w.c,     &w.g,
        &w.alpha,     &w.beta,  &w.m,      &w.q,    &w.row,     &w.numerators, &w.vector};
    const int64_t sizes[] = {n * w.w,
                             in,
                             in,
                             end,
                             1,
                             1,
                             1,
                             n,
                             1,
                             modes * times,
                             banks * times,
                             banks * times,
                             modes * times,
                             modes * times,
                             n,
                             n,
                             n,
                             n,
                             n + 1,
                             dk,
                             w.w + 1,
                             w.w + 1,
                             widest};
    int64_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        total += sizes[i];
    number *room = f->init(total), *next = room;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *parts[i] = next, next = gradient_at(f, next, sizes[i]);
    if (!in)
        w.in = w.out = NULL;
    if (!end)
        w.end = NULL;
    w.size_k = flint_calloc((size_t)(4 * n + 1), sizeof(double));
    w.size_v = w.size_k + n, w.norm_k = w.size_v + n, w.norm_v = w.norm_k + n;
    reference_status status = run(&w);
    flint_free(w.size_k);
    f->clear(room, total);
    return status;
}

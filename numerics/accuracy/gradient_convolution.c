/* Gradients of the convolutions, channel by channel. */
#include "numerics/accuracy/gradient_pass.h"
#include "numerics/accuracy/reference_rows.h"

#ifdef _OPENMP
#include <omp.h>
#endif

void gradient_powers(const gradient_field *f, number *y, const number *x, int64_t n) {
    f->set_si(y, 1);
    for (int64_t j = 1; j < n; j++)
        f->scale(f, gradient_at(f, y, j), gradient_at(f, y, j - 1), x, 1);
}

void gradient_node(const gradient_field *f, number *d_node, const number *weight,
                   const number *powers, const number *c, int64_t n) {
    number *x = f->init(2), *sum = gradient_at(f, x, 1);
    for (int64_t j = 1; j < n; j++) {
        f->set_si(x, j);
        f->scale(f, x, x, gradient_at(f, powers, j - 1), 1);
        f->addmul(f, sum, x, gradient_at(f, c, j), 1);
    }
    f->addmul(f, d_node, sum, weight, 1);
    f->clear(x, 2);
}

/* dx_s = sum_{t >= s} w_{t-s} dy_t + sum_m x_m^(T-1-s) E_m,  dh_m = w_m sum_t x_m^(t+1) dy_t +
 * x_m^T E_m, E the final state's cotangent; per lag, dL/dw_j = sum_t dy_t x_{t-j}, and so on. */
void gradient_convolve(gradient_channel *c) {
    const gradient_field *f = c->f;
    int64_t T = c->length, times = T + 1;
    number *kernel = f->init(T), *lags = f->init(times), *power = f->init(times),
           *more = f->init(times);
    int64_t taps = c->kernel_length < T ? c->kernel_length : T;
    if (!c->modes)
        f->set(kernel, c->kernel, taps);
    for (int64_t m = 0; m < c->modes; m++) {
        gradient_powers(f, power, gradient_at(f, c->nodes, m), times);
        f->addmul(f, kernel, power, gradient_at(f, c->weights, m), T);
    }
    for (int64_t s = 0; s < T; s++)
        f->dot(f, gradient_at(f, c->d_x, s), NULL, 0, kernel, 1, gradient_at(f, c->d_y, s), 1,
               T - s);
    for (int64_t j = 0; j < T; j++)
        f->dot(f, gradient_at(f, lags, j), NULL, 0, c->x, 1, gradient_at(f, c->d_y, j), 1, T - j);
    if (!c->modes)
        f->add(f, c->d_kernel, c->d_kernel, lags, taps);
    for (int64_t m = 0; m < c->modes; m++) {
        const number *weight = gradient_at(f, c->weights, m);
        number *d_weight = gradient_at(f, c->d_weights, m), *d_node = gradient_at(f, c->d_nodes, m);
        gradient_powers(f, power, gradient_at(f, c->nodes, m), times);
        f->set(more, lags, times);
        if (c->state_in) {
            const number *h = gradient_at(f, c->state_in, m);
            number *dh = gradient_at(f, c->d_state_in, m);
            f->addmul(f, gradient_at(f, more, 1), c->d_y, h, T);
            f->dot(f, dh, NULL, 0, c->d_y, 1, gradient_at(f, power, 1), 1, T);
            f->scale(f, dh, dh, weight, 1);
            if (c->d_state)
                f->addmul(f, dh, gradient_at(f, power, T), gradient_at(f, c->d_state, m), 1);
        }
        f->dot(f, d_weight, d_weight, 0, power, 1, more, 1, times);
        gradient_node(f, d_node, weight, power, more, times);
        if (!c->d_state)
            continue;
        const number *e = gradient_at(f, c->d_state, m);
        for (int64_t s = 0; s < T; s++) {
            f->addmul(f, gradient_at(f, c->d_x, s), gradient_at(f, power, T - 1 - s), e, 1);
            f->set(gradient_at(f, more, T - 1 - s), gradient_at(f, c->x, s), 1);
        }
        f->set_si(gradient_at(f, more, T), 0);
        if (c->state_in)
            f->set(gradient_at(f, more, T), gradient_at(f, c->state_in, m), 1);
        gradient_node(f, d_node, e, power, more, times);
    }
    f->clear(kernel, T), f->clear(lags, times), f->clear(power, times), f->clear(more, times);
}

int64_t gradient_convolution_count(const mn_convolution *c, gradient_part part) {
    switch (part) {
    case GRADIENT_X:
        return c->batch * c->time * c->channels;
    case GRADIENT_WEIGHTS:
    case GRADIENT_NODES:
        return c->modes;
    case GRADIENT_KERNEL:
        return c->modes ? 0 : c->kernel_length;
    case GRADIENT_STATE:
        return c->state_in ? c->batch * c->modes * c->channels : 0;
    default:
        return 0;
    }
}

/* Numbers from every step-th float. */
static bool load_steps(const gradient_field *f, number *z, const float *x, int64_t step,
                       int64_t n) {
    bool good = true;
    for (int64_t i = 0; i < n && good; i++)
        good = f->load(gradient_at(f, z, i), x + i * step, 1);
    return good;
}

/* Channel i of batch n; w: its arrays, the parameters loaded. */
static bool run_channel(gradient_channel *w, const mn_convolution *c, const float *d_y,
                        const float *d_state, int64_t n, int64_t i, number **part) {
    const gradient_field *f = w->f;
    int64_t T = c->time, C = c->channels, state = n * c->modes * C + i;
    bool packed = c->x.batch == 0 && c->x.time == 0;
    int64_t step = packed ? C : c->x.time, start = n * (packed ? C * T : c->x.batch) + i;
    if (!load_steps(f, w->x, T ? c->x.data + start : NULL, step, T) ||
        !load_steps(f, w->d_y, T ? d_y + n * T * C + i : NULL, C, T) ||
        (w->state_in && !load_steps(f, w->state_in, c->state_in + state, C, c->modes)) ||
        (w->d_state && !load_steps(f, w->d_state, d_state + state, C, c->modes)))
        return false;
    gradient_convolve(w);
    for (int64_t t = 0; t < T; t++)
        f->store(gradient_at(f, part[GRADIENT_X], (n * T + t) * C + i), gradient_at(f, w->d_x, t),
                 1);
    for (int64_t m = 0; w->state_in && m < c->modes; m++)
        f->store(gradient_at(f, part[GRADIENT_STATE], state + m * C),
                 gradient_at(f, w->d_state_in, m), 1);
    return true;
}

/* Channel i of all batches; what it adds to the parameters' gradients in shared. */
static bool run_batches(const gradient_field *f, const mn_convolution *c, const float *d_y,
                        const float *d_state, int64_t i, number **part, number *shared) {
    int64_t T = c->time, modes = c->modes, taps = modes ? 0 : c->kernel_length;
    number *room = f->init(3 * T + 5 * modes + taps), *next = room;
    gradient_channel w = {.f = f, .length = T, .modes = modes, .kernel_length = taps};
    number **const parts[] = {&w.x,        &w.d_y,     &w.d_x,        &w.weights, &w.nodes,
                              &w.state_in, &w.d_state, &w.d_state_in, &w.kernel};
    const int64_t sizes[] = {T, T, T, modes, modes, modes, modes, modes, taps};
    for (size_t p = 0; p < sizeof sizes / sizeof *sizes; p++)
        *parts[p] = next, next = gradient_at(f, next, sizes[p]);
    w.d_weights = shared, w.d_nodes = gradient_at(f, shared, modes), w.d_kernel = shared;
    if (!c->state_in)
        w.state_in = NULL;
    if (!d_state)
        w.d_state = NULL;
    bool good = modes ? f->load(w.weights, c->weights, modes) && f->load(w.nodes, c->nodes, modes)
                      : taps == 0 || f->load(w.kernel, c->kernel, taps);
    for (int64_t n = 0; n < c->batch && good; n++)
        good = run_channel(&w, c, d_y, d_state, n, i, part);
    f->clear(room, 3 * T + 5 * modes + taps);
    return good;
}

/* Sums of products of exact numbers, each with a relative error of at most 4 time 2^-precision:
 * nothing to search for.  Channels in parallel, what they share summed in their order. */
static reference_status run(const gradient_field *f, const mn_convolution *c, const float *d_y,
                            const float *d_state, slong *count, number **part) {
    if (!reference_convolution_fits(c) || (c->batch && c->time && !d_y))
        return REFERENCE_BAD_ARGUMENT;
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++) {
        count[i] = gradient_convolution_count(c, i);
        part[i] = count[i] ? f->init(count[i]) : NULL;
    }
    int64_t shared = c->modes ? 2 * c->modes : c->kernel_length;
    bool good = true;
#ifdef _OPENMP
    int threads = c->threads > 0 ? c->threads : omp_get_max_threads();
#pragma omp parallel num_threads(threads)
#endif
    {
#ifdef _OPENMP
#pragma omp for ordered schedule(static, 1)
#endif
        for (int64_t i = 0; i < c->channels; i++) {
            number *sums = f->init(shared);
            bool finite = run_batches(f, c, d_y, d_state, i, part, sums);
#ifdef _OPENMP
#pragma omp ordered
#endif
            {
                good = good && finite;
                const gradient_part to[] = {c->modes ? GRADIENT_WEIGHTS : GRADIENT_KERNEL,
                                            GRADIENT_NODES};
                for (int p = 0; p < (c->modes ? 2 : 1); p++)
                    if (part[to[p]])
                        f->add(f, part[to[p]], part[to[p]], gradient_at(f, sums, p * c->modes),
                               count[to[p]]);
            }
            f->clear(sums, shared);
        }
#ifdef _OPENMP
        if (omp_get_thread_num() != 0) /* caches are a thread's own */
            flint_cleanup();
#endif
    }
    return good ? REFERENCE_OK : REFERENCE_NOT_FINITE;
}

static reference_status run_balls(gradient_t r, const gradient_field *f, const mn_convolution *c,
                                  const float *d_y, const float *d_state) {
    number *part[GRADIENT_PARTS] = {NULL};
    gradient_clear(r);
    reference_status status = run(f, c, d_y, d_state, r->count, part);
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        r->part[i] = part[i];
    r->precision = f->prec;
    if (status != REFERENCE_OK)
        gradient_clear(r);
    return status;
}

reference_status gradient_convolution(gradient_t r, const mn_convolution *c, const float *d_y,
                                      const float *d_state) {
    return run_balls(r, &gradient_balls, c, d_y, d_state);
}
reference_status gradient_convolution_scale(gradient_t r, const mn_convolution *c, const float *d_y,
                                            const float *d_state) {
    return run_balls(r, &gradient_absolute, c, d_y, d_state);
}
reference_status gradient_twin_convolution(gradient_twin_t r, const mn_convolution *c,
                                           const float *d_y, const float *d_state,
                                           float (*round)(float)) {
    gradient_field f = gradient_floats;
    f.round = round;
    number *part[GRADIENT_PARTS] = {NULL};
    gradient_twin_clear(r);
    reference_status status = run(&f, c, d_y, d_state, r->count, part);
    for (gradient_part i = 0; i < GRADIENT_PARTS; i++)
        r->part[i] = part[i];
    if (status != REFERENCE_OK)
        gradient_twin_clear(r);
    return status;
}

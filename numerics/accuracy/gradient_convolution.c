/* Gradients of the convolutions, channel by channel. */
#include "numerics/accuracy/gradient_pass.h"
#include "numerics/accuracy/reference_rows.h"

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

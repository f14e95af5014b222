/* The controller: which key, u and v a plan feeds, given the state. */
#include "numerics/exact/vla_growth.h"
#include "numerics/exact/number.h"
#include "numerics/exact/rounded.h"

#include <math.h>
#include <string.h>

static const double half_pi = 1.57079632679489661923;
/* Raw inputs of features that play no part, and of the one that steers u. */
static const double faint = -40, steering = -4194304;

int vla_plan_init(vla_plan_t plan, slong dim, slong steps, const char *lambda0, int layer,
                  slong period, const char *delta) {
    memset(plan, 0, sizeof *plan);
    fmpq_init(plan->lambda0);
    fmpq_init(plan->delta);
    plan->layer = layer;
    plan->period = period;
    plan->dim = dim;
    plan->steps = steps;
    plan->threshold = 0.5;
    if (exact_parse_rational(plan->lambda0, lambda0) != NULL || fmpq_sgn(plan->lambda0) <= 0 ||
        exact_parse_rational(plan->delta, delta) != NULL || fmpq_sgn(plan->delta) < 0 || dim < 2 ||
        steps < 1 || period < 0) {
        vla_plan_clear(plan);
        return 0;
    }
    return 1;
}

void vla_plan_clear(vla_plan_t plan) {
    fmpq_clear(plan->lambda0);
    fmpq_clear(plan->delta);
}

static double to_double(const fmpq_t q) {
    return fmpz_get_d(fmpq_numref(q)) / fmpz_get_d(fmpq_denref(q));
}

void vla_state_init(vla_state *state, const vla_plan_t plan) {
    size_t n = (size_t)plan->dim;
    state->t = state->stage = 0;
    state->left = plan->stages > 0 ? plan->stage[0].steps : 0;
    state->m = flint_malloc(n * sizeof(double));
    state->s = flint_calloc(n, sizeof(double));
    for (size_t i = 0; i < n; i++)
        state->m[i] = to_double(plan->lambda0);
    if (plan->product)
        state->s[0] = 1;
}

void vla_state_clear(vla_state *state) {
    flint_free(state->m);
    flint_free(state->s);
}

/* What a run is fed must not depend on the C library; a search, which is many times as long, may use it. */
typedef struct {
    double (*sin)(double), (*cos)(double), (*atan2)(double, double), (*log)(double);
} elementary;
static const elementary nearest = {exact_sin, exact_cos, exact_atan2, exact_log},
                        quick = {sin, cos, atan2, log};

/* c = a.k for the key M^{1/2}(sin p, cos p) in the plane of two axes: c^-2 = 1 + K sin^2 2p. */
static double gate_cosine(double p, double from, double to, const elementary *by) {
    double x = by->sin(2 * p), ratio = from / to;
    return 1 / sqrt(1 + (ratio + 1 / ratio - 2) / 4 * x * x);
}

/* The integral of (2-c)/c from p to pi/2, by the midpoint rule; rough, but it only sets the pace. */
static double turn_effort(double p, double from, double to, const elementary *by) {
    enum { POINTS = 10 };
    double sum = 0, step = (half_pi - p) / POINTS;
    for (int i = 0; i < POINTS; i++)
        sum += 2 / gate_cosine(p + (i + 0.5) * step, from, to, by) - 1;
    return sum * step;
}

static void control_turn(double *f, const vla_state *state, const vla_stage *g,
                         const elementary *by) {
    double from = state->m[g->from], to = state->m[g->to], sign = state->s[g->from] < 0 ? -1 : 1;
    double x = sqrt(from) * fabs(state->s[g->from]), y = -sign * sqrt(to) * state->s[g->to];
    double p = by->atan2(y, x), pace = turn_effort(fmax(p, 0), from, to, by) / (double)state->left;
    double tilt = pace;
    for (int i = 0; i < 3; i++) { /* (2-c) tilt = pace, c where b will point */
        double b = fmin(fmax(p + tilt, 0), half_pi);
        tilt = pace / (2 - gate_cosine(b, from, to, by));
    }
    /* beyond half way to pi/2 a step would cost more than it turns */
    double b = fmax(p + fmin(tilt, (half_pi - p) / 2), 1e-6);
    f[g->from] = sqrt(from) * by->sin(b);
    f[g->to] = sqrt(to) * by->cos(b);
}

static double control_climb(double *f, const vla_state *state, const vla_plan_t plan) {
    double s0 = state->s[0], s1 = state->s[1];
    int jump = plan->threshold >= 1 ? state->t % 2 == 0 : -s0 < plan->threshold;
    if (jump) {
        f[0] = 1;
        return -1;
    }
    f[0] = fmax(s1, 0);
    f[1] = -s0;
    return 1;
}

static double control_spiral(double *f, const vla_state *state, const vla_stage *g) {
    double x = state->s[g->from], y = state->s[g->to];
    if (x == 0 && y == 0) {
        f[g->from] = 1;
        return 1;
    }
    f[g->from] = -y;
    f[g->to] = x;
    return y * x > 0 ? -1 : 1; /* the key's second part has the sign of x */
}

/* Raw inputs with the features f, up to a common factor, and u steered along the axis. */
static void steer(vla_input *input, const vla_plan_t plan, const elementary *by) {
    slong d = plan->dim;
    double largest = 0, *x = input->value;
    for (slong i = 0; i < d; i++)
        largest = fmax(largest, x[i]);
    int free_last = x[d - 1] == 0, free_axis = input->axis < d - 1 && x[input->axis] == 0;
    for (slong i = 0; i < d; i++) {
        double raw = x[i] > 0 ? by->log(x[i] / largest) - 1 : faint;
        x[i] = fmax(raw, faint);
    }
    if (free_axis)
        x[input->axis] = steering;
    else if (input->axis == 0 && free_last)
        x[d - 1] = steering;
}

static void control(vla_input *input, const vla_state *state, const vla_plan_t plan,
                    const elementary *by) {
    const vla_stage *g = plan->stage + state->stage;
    for (slong i = 0; i < plan->dim; i++)
        input->value[i] = 0;
    input->v = 0;
    input->axis = plan->layer ? 0 : g->from;
    switch (g->kind) {
    case VLA_SPIRAL:
        input->v = control_spiral(input->value, state, g);
        input->axis = -1;
        break;
    case VLA_CLIMB:
        input->v = control_climb(input->value, state, plan);
        input->axis = 0;
        break;
    case VLA_PUMP:
        input->value[g->from == 0 ? plan->dim - 1 : 0] = 1;
        input->axis = g->from;
        break;
    case VLA_TURN:
        control_turn(input->value, state, g, by);
        break;
    }
    if (plan->layer)
        steer(input, plan, by);
}

void vla_control(vla_input *input, vla_state *state, const vla_plan_t plan) {
    control(input, state, plan, &nearest);
}

void vla_advance(vla_state *state, const vla_plan_t plan, const vla_input *input) {
    if (input->axis >= 0)
        state->m[input->axis] += plan->layer ? 1.0 / (double)plan->dim : 1.0;
    state->t++;
    if (plan->period > 0 && state->t % plan->period == 0) {
        double delta = to_double(plan->delta);
        for (slong i = 0; i < plan->dim; i++)
            state->m[i] /= 1 + delta * state->m[i];
    }
    for (state->left--; state->left <= 0 && state->stage + 1 < plan->stages;)
        state->left = plan->stage[++state->stage].steps;
}

double vla_plan_simulate(const vla_plan_t plan) {
    slong d = plan->dim;
    vla_state state;
    vla_input input = {flint_malloc((size_t)d * sizeof(double)), 0, 0};
    vla_state_init(&state, plan);
    while (state.t < plan->steps) {
        control(&input, &state, plan, &quick);
        if (input.axis >= 0) /* u comes before the key */
            state.m[input.axis] += plan->layer ? 1.0 / (double)d : 1.0;
        double k2 = 0, a2 = 0, sk = 0;
        for (slong i = 0; i < d; i++) {
            double f = input.value[i];
            if (plan->layer)
                f = f > faint ? exp(f) : 0;
            input.value[i] = f;
            if (f != 0) {
                k2 += f * f;
                a2 += f * f / (state.m[i] * state.m[i]);
                sk += f * state.s[i];
            }
        }
        double e = (input.v - sk / sqrt(k2)) / sqrt(a2);
        for (slong i = 0; i < d; i++)
            if (input.value[i] != 0)
                state.s[i] += e * input.value[i] / state.m[i];
        if (input.axis >= 0)
            state.m[input.axis] -= plan->layer ? 1.0 / (double)d : 1.0;
        vla_advance(&state, plan, &input);
    }
    double norm = 0;
    for (slong i = 0; i < d; i++)
        norm = hypot(norm, state.s[i]);
    vla_state_clear(&state);
    flint_free(input.value);
    return log(norm);
}

slong vla_plan_rank(const vla_plan_t plan) {
    slong rank = 0;
    if (plan->layer)
        return plan->dim - 1; /* the rank of W */
    for (slong i = 0; i < plan->dim; i++) {
        int used = 0;
        for (slong n = 0; n < plan->stages; n++)
            used |= plan->stage[n].kind != VLA_SPIRAL && plan->stage[n].steps > 0 &&
                    (plan->stage[n].kind == VLA_CLIMB ? i == 0 : i == plan->stage[n].from);
        rank += used;
    }
    return rank;
}

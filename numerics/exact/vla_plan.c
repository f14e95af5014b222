/* Plans: how the steps are shared out, and their certified runs. */
#include "numerics/exact/number.h"
#include "numerics/exact/vla_growth.h"

#include <math.h>
#include <string.h>

static void add_stage(vla_plan_t plan, vla_stage_kind kind, slong steps, slong from, slong to) {
    if (steps > 0 && plan->stages < VLA_MAX_STAGES) {
        vla_stage g = {kind, steps, from, to};
        plan->stage[plan->stages++] = g;
    }
}

/* The axes that a chain walks: first .. last; the layer does not pump its last axis but ends there. */
static void axes(slong *first, slong *last, const vla_plan_t plan, vla_chain chain) {
    *first = chain == VLA_CHAIN_CLIMB ? 1 : 0;
    *last = plan->dim - 1;
    if (plan->period > 0 && plan->layer) { /* round and round over axes that can all be pumped */
        *last = plan->dim - 2;
        if (*last <= *first)
            *first = 0;
    }
}

static slong most_links(const vla_plan_t plan, vla_chain chain) {
    slong first, last;
    axes(&first, &last, plan, chain);
    return plan->period > 0 && plan->layer ? (last > first ? VLA_MAX_STAGES / 2 - 1 : 0)
                                           : last - first;
}

void vla_plan_chain(vla_plan_t plan, vla_chain chain, slong links, double first, double turn) {
    slong low, high, used = 0, at;
    axes(&low, &high, plan, chain);
    plan->stages = 0;
    plan->product = chain == VLA_CHAIN_PRODUCT;
    at = chain == VLA_CHAIN_CLIMB ? 1 : 0;
    if (chain != VLA_CHAIN_PRODUCT) {
        used = links == 0 ? plan->steps : (slong)((double)plan->steps * first);
        add_stage(plan, chain == VLA_CHAIN_CLIMB ? VLA_CLIMB : VLA_SPIRAL, used, 0, 1);
    }
    for (slong n = 0; n < links; n++) {
        slong share = (plan->steps - used) / (links - n), turns = (slong)((double)share * turn),
              to = at < high ? at + 1 : low;
        add_stage(plan, VLA_PUMP, share - turns, at, to);
        add_stage(plan, VLA_TURN, turns, at, to);
        used += share;
        at = to;
    }
}

typedef struct {
    vla_chain chain;
    slong links;
    double first, turn, threshold, score;
} choice;

static double score(vla_plan_t plan, choice *c) {
    c->first = fmin(fmax(c->first, 0.002), 0.98);
    c->turn = fmin(fmax(c->turn, 0.01), 0.95);
    c->threshold = fmin(fmax(c->threshold, 0.02), 0.98);
    plan->threshold = c->threshold;
    vla_plan_chain(plan, c->chain, c->links, c->first, c->turn);
    c->score = vla_plan_simulate(plan);
    return c->score;
}

/* One parameter, by factors, while it helps. */
static void ascend(vla_plan_t plan, choice *best, int which, double factor) {
    for (int way = 0; way < 2; way++) {
        double f = way ? 1 / factor : factor;
        for (int n = 0; n < 12; n++) {
            choice c = *best;
            *(which == 0 ? &c.first : which == 1 ? &c.turn : &c.threshold) *= f;
            if (!(score(plan, &c) > best->score + 1e-9))
                break;
            *best = c;
        }
    }
}

double vla_plan_search(vla_plan_t plan) {
    choice best = {VLA_CHAIN_CLIMB, 0, 0.5, 0.3, 0.5, -INFINITY};
    for (int chain = 0; chain < 3; chain++) {
        if ((chain == VLA_CHAIN_PRODUCT) != plan->product ||
            (chain == VLA_CHAIN_SPIRAL && plan->layer))
            continue;
        slong most = most_links(plan, (vla_chain)chain), low = chain == VLA_CHAIN_CLIMB ? 0 : 1;
        int worse = 0, product = plan->product;
        for (slong links = low; links <= most && worse < 8;
             links += FLINT_MAX(1, FLINT_MIN(links / 4, most - links))) {
            choice c = {(vla_chain)chain, links, 1, 0.4, 0.5, 0};
            c.first = (chain == VLA_CHAIN_CLIMB ? 2.0 : 1.0) / ((double)links + 2);
            score(plan, &c);
            for (int which = 0; which < 3; which++)
                ascend(plan, &c, which, 1.5);
            worse = c.score > best.score ? 0 : worse + 1;
            if (c.score > best.score)
                best = c;
        }
        plan->product = product;
    }
    for (int which = 0; which < 6 && isfinite(best.score); which++)
        ascend(plan, &best, which % 3, which < 3 ? 1.2 : 1.05);
    if (isfinite(best.score))
        score(plan, &best);
    return best.score;
}

void vla_features(arb_ptr f, const double *x, slong dim, slong prec) {
    for (slong i = 0; i < dim; i++) {
        arb_set_d(f + i, x[i]);
        if (x[i] > 0)
            arb_add_ui(f + i, f + i, 1, prec);
        else
            arb_exp(f + i, f + i, prec);
    }
}

vla_status vla_direction(arb_ptr u, const double *x, slong dim, slong prec) {
    arb_t t;
    vla_status status = VLA_OK;
    arb_init(t);
    for (slong i = 0; i < dim; i++)
        arb_set_d(u + i, i < dim - 1 ? x[i] : 0);
    arb_set_d(t, x[dim - 1]);
    arb_add(u, u, t, prec);
    arb_dot(t, NULL, 0, u, 1, u, 1, dim, prec);
    arb_mul_si(t, t, dim, prec);
    if (arb_is_positive(t)) {
        arb_rsqrt(t, t, prec);
        _arb_vec_scalar_mul(u, u, dim, t, prec);
    } else {
        status = VLA_ZERO_KEY;
    }
    arb_clear(t);
    return status;
}

/* key, u := the balls of one step's input; before: the values of the step before, whose features stand
   in key. */
static vla_status balls(arb_ptr key, arb_ptr u, double *before, const vla_input *input,
                        const vla_plan_t plan, slong prec) {
    slong d = plan->dim;
    for (slong i = 0; i < d; i++) {
        if (plan->layer && input->value[i] != before[i])
            vla_features(key + i, input->value + i, 1, prec);
        else if (!plan->layer)
            arb_set_d(key + i, input->value[i]);
        before[i] = input->value[i];
    }
    if (plan->layer)
        return vla_direction(u, input->value, d, prec);
    _arb_vec_zero(u, d);
    if (input->axis >= 0)
        arb_one(u + input->axis);
    return VLA_OK;
}

vla_status vla_plan_run(vla_run_t run, const vla_plan_t plan, slong prec, arb_ptr keys, arb_ptr us,
                        arb_ptr vs, vla_watch watch, void *data) {
    slong d = plan->dim, rows = plan->product ? d : 1;
    vla_status status = vla_run_init(run, plan->lambda0, rows, d, prec);
    if (status != VLA_OK)
        return status;
    vla_state state;
    vla_input input = {flint_malloc((size_t)d * sizeof(double)), 0, 0};
    double *before = flint_malloc((size_t)d * sizeof(double));
    arb_ptr key = _arb_vec_init(d), u = _arb_vec_init(d), v = _arb_vec_init(rows);
    vla_state_init(&state, plan);
    for (slong i = 0; i < d; i++)
        before[i] = NAN;
    if (plan->product) {
        for (slong i = 0; i < d; i++)
            arb_one(run->s + i * d + i);
    }
    while (state.t < plan->steps && status == VLA_OK) {
        for (slong i = 0; i < d; i++)
            state.s[i] = arf_get_d(arb_midref(run->s + i), ARF_RND_NEAR);
        vla_control(&input, &state, plan);
        status = balls(key, u, before, &input, plan, prec);
        if (status != VLA_OK)
            break;
        arb_set_d(v, input.v);
        status = vla_run_step(run, key, u, v);
        if (keys != NULL)
            _arb_vec_set(keys + state.t * d, key, d);
        if (us != NULL)
            _arb_vec_set(us + state.t * d, u, d);
        if (vs != NULL)
            arb_set(vs + state.t, v);
        vla_advance(&state, plan, &input);
        if (status == VLA_OK && plan->period > 0 && state.t % plan->period == 0)
            status = vla_run_refresh(run, plan->delta);
        if (watch != NULL && status == VLA_OK)
            watch(data, state.t, run);
    }
    _arb_vec_clear(key, d);
    _arb_vec_clear(u, d);
    _arb_vec_clear(v, rows);
    vla_state_clear(&state);
    flint_free(input.value);
    flint_free(before);
    if (status != VLA_OK)
        vla_run_clear(run);
    return status;
}

/* The delta rule and variational linear attention, token by token as mneme.h states them. */
#include "numerics/accuracy/reference_rows.h"
#include "numerics/exact/number.h"

typedef struct {
    arb_ptr s, inverse, z; /* [dk][dv], [dk][dk], [dk] */
    arb_ptr u, au, write;  /* [dk] x 3 */
    arb_ptr q, e;          /* [dk]; [dv] */
    arb_t gate, beta, x, y;
    double largest; /* |S|_F so far */
} recurrence;

/* Upper bound of the Euclidean norm of n balls. */
static double norm_upper(arb_srcptr x, int64_t n) {
    mag_t sum, m;
    mag_init(sum), mag_init(m);
    for (int64_t i = 0; i < n; i++) {
        arb_get_mag(m, x + i);
        mag_addmul(sum, m, m);
    }
    mag_sqrt(sum, sum);
    double d = mag_get_d(sum); /* rounded upwards */
    mag_clear(sum), mag_clear(m);
    return d;
}

/* x := sqrt(sum x_i^2), as a ball. */
static void norm_ball(arb_t norm, arb_srcptr x, int64_t n, slong prec) {
    arb_dot(norm, NULL, 0, x, 1, x, 1, n, prec);
    arb_sqrt(norm, norm, prec);
}

/* write := A k / |A k|, 0 where A k is the vector 0. */
static reference_status direction(recurrence *w, const reference_head *h, arb_srcptr k) {
    int64_t dk = h->dk;
    bool zero = true;
    for (int64_t p = 0; p < dk; p++) {
        arb_dot(w->write + p, NULL, 0, w->inverse + p * dk, 1, k, 1, dk, h->prec);
        zero = zero && arb_is_zero(w->write + p);
    }
    if (zero)
        return REFERENCE_OK;
    norm_ball(w->x, w->write, dk, h->prec);
    if (!arb_is_positive(w->x))
        return REFERENCE_UNDECIDED;
    _arb_vec_scalar_div(w->write, w->write, dk, w->x, h->prec);
    return REFERENCE_OK;
}

/* A := (A^-1 + u u^T)^-1 = A - (A u)(A u)^T / (1 + u.A u). */
static reference_status renew(recurrence *w, const reference_head *h, reference_token *token) {
    int64_t dk = h->dk;
    for (int64_t p = 0; p < dk; p++)
        arb_dot(w->au + p, NULL, 0, w->inverse + p * dk, 1, w->u, 1, dk, h->prec);
    arb_dot(w->x, NULL, 0, w->u, 1, w->au, 1, dk, h->prec);
    token->stretch = exact_double_upper(w->x);
    arb_add_ui(w->x, w->x, 1, h->prec);
    if (!arb_is_positive(w->x))
        return REFERENCE_UNDECIDED;
    for (int64_t p = 0; p < dk; p++) {
        arb_div(w->y, w->au + p, w->x, h->prec);
        for (int64_t r = 0; r <= p; r++) {
            arb_submul(w->inverse + p * dk + r, w->y, w->au + r, h->prec);
            arb_set(w->inverse + r * dk + p, w->inverse + p * dk + r);
        }
    }
    token->inverse = norm_upper(w->inverse, dk * dk);
    return REFERENCE_OK;
}

/* S' = c S,  e = beta (v - S'^T k),  S = S' + write e^T. */
static void correct(recurrence *w, const reference_head *h, arb_srcptr k, arb_srcptr v,
                    reference_token *token) {
    int64_t dk = h->dk, dv = h->dv;
    if (!arb_is_one(w->gate))
        _arb_vec_scalar_mul(w->s, w->s, dk * dv, w->gate, h->prec);
    for (int64_t j = 0; j < dv; j++) {
        arb_dot(w->e + j, v + j, 1, w->s + j, dv, k, 1, dk, h->prec);
        arb_mul(w->e + j, w->e + j, w->beta, h->prec);
    }
    for (int64_t p = 0; p < dk; p++)
        for (int64_t j = 0; j < dv; j++)
            arb_addmul(w->s + p * dv + j, w->write + p, w->e + j, h->prec);
    token->error = norm_upper(w->e, dv);
    token->state = norm_upper(w->s, dk * dv);
    w->largest = fmax(w->largest, token->state);
}

/* Row o of query head i. */
static reference_status output(reference_t r, recurrence *w, const reference_head *h, int64_t t,
                               int64_t i) {
    int64_t row = reference_output_row(h, t, i);
    arb_ptr o = r->o + row * h->dv;
    if (!reference_load(w->q, reference_query(h, t, i), h->dk, false))
        return REFERENCE_NOT_FINITE;
    mag_t width, m;
    mag_init(width), mag_init(m);
    mag_set_d(width, norm_upper(w->q, h->dk));
    mag_set_d(m, w->largest);
    mag_mul(width, width, m);
    for (int64_t j = 0; j < h->dv; j++)
        arb_dot(o + j, NULL, 0, w->q, 1, w->s + j, h->dv, h->dk, h->prec);
    reference_status status = REFERENCE_OK;
    if (r->divisor) { /* the scale, which may be irrational, apart: a divisor of 0 comes out as 0 */
        arb_ptr n = r->divisor + row;
        arb_dot(n, NULL, 0, w->q, 1, w->z, 1, h->dk, h->prec);
        if (arb_is_zero(n)) {
            _arb_vec_zero(o, h->dv);
        } else if (arb_contains_zero(n)) {
            status = REFERENCE_UNDECIDED;
        } else {
            _arb_vec_scalar_div(o, o, h->dv, n, h->prec);
            arb_get_mag_lower(m, n);
            mag_div(width, width, m);
        }
        arb_mul(n, n, h->scale, h->prec);
    } else {
        _arb_vec_scalar_mul(o, o, h->dv, h->scale, h->prec);
        arb_get_mag(m, h->scale);
        mag_mul(width, width, m);
    }
    for (int64_t j = 0; j < h->dv && status == REFERENCE_OK; j++)
        if (!reference_narrow(o + j, width))
            status = REFERENCE_UNDECIDED;
    mag_clear(width), mag_clear(m);
    return status;
}

static reference_status token(reference_t r, recurrence *w, const reference_head *h, int64_t t) {
    const mn_args *a = h->a;
    int64_t dk = h->dk;
    arb_srcptr k = h->k + t * dk, v = h->v + t * h->dv;
    reference_token *did = r->token + (h->batch * a->time + h->first + t) * h->kv_heads + h->head;
    reference_status status = REFERENCE_OK;
    if (a->kernel == MN_DELTA) {
        if (a->g.data && !reference_gate(w->gate, *reference_key_row(h, a->g, 1, t), h->prec))
            return REFERENCE_NOT_FINITE;
        if (a->beta.data && !reference_load(w->beta, reference_key_row(h, a->beta, 1, t), 1, false))
            return REFERENCE_NOT_FINITE;
        _arb_vec_set(w->write, k, dk);
    } else {
        if (!reference_load(w->u, reference_key_row(h, a->u, dk, t), dk, false))
            return REFERENCE_NOT_FINITE;
        status = renew(w, h, did);
        if (status == REFERENCE_OK)
            status = direction(w, h, k);
    }
    if (status != REFERENCE_OK)
        return status;
    correct(w, h, k, v, did);
    for (int64_t p = 0; w->z && p < dk; p++)
        arb_add(w->z + p, w->z + p, k + p, h->prec);
    for (int64_t i = 0; i < h->group && status == REFERENCE_OK; i++)
        status = output(r, w, h, t, i);
    if (a->kernel == MN_VLA && a->refresh_every && (h->position + t + 1) % a->refresh_every == 0) {
        arb_set_d(w->x, (double)a->refresh);
        for (int64_t p = 0; p < dk; p++)
            arb_add(w->inverse + p * (dk + 1), w->inverse + p * (dk + 1), w->x, h->prec);
    }
    return status;
}

static bool narrow(arb_srcptr x, int64_t n, double scale) {
    mag_t norm;
    mag_init(norm);
    mag_set_d(norm, scale);
    bool all = true;
    for (int64_t i = 0; i < n; i++)
        all = all && reference_narrow(x + i, norm);
    mag_clear(norm);
    return all;
}

reference_status reference_recurrence(reference_t r, const reference_head *h) {
    const mn_args *a = h->a;
    int64_t dk = h->dk, dv = h->dv, square = a->kernel == MN_VLA ? dk * dk : 0,
            size = reference_head_floats(a);
    recurrence w = {.s = h->state, .inverse = h->state + dk * dv};
    arb_ptr room = _arb_vec_init(4 * dk + dv);
    w.u = room, w.au = room + dk, w.write = room + 2 * dk, w.q = room + 3 * dk, w.e = room + 4 * dk;
    w.z = a->normalise ? h->state + dk * dv + square : NULL;
    arb_init(w.gate), arb_init(w.beta), arb_init(w.x), arb_init(w.y);
    arb_one(w.gate), arb_one(w.beta);
    if (h->state_in) {
        _arb_vec_set(h->state, h->state_in, size);
        w.largest = norm_upper(w.s, dk * dv);
    } else if (a->kernel == MN_VLA) {
        arb_set_d(w.x, (double)a->lambda0);
        arb_inv(w.x, w.x, h->prec);
        for (int64_t p = 0; p < dk; p++)
            arb_set(w.inverse + p * (dk + 1), w.x);
    }
    reference_status status = REFERENCE_OK;
    for (int64_t t = 0; t < h->length && status == REFERENCE_OK; t++)
        if ((status = token(r, &w, h, t)) == REFERENCE_OK &&
            !reference_goes_on(h, reference_cost(h, t)))
            status = REFERENCE_STOPPED;
    if (status == REFERENCE_OK && (!narrow(w.s, dk * dv, w.largest) ||
                                   !narrow(w.inverse, square, norm_upper(w.inverse, square))))
        status = REFERENCE_UNDECIDED;
    arb_clear(w.gate), arb_clear(w.beta), arb_clear(w.x), arb_clear(w.y);
    _arb_vec_clear(room, 4 * dk + dv);
    return status;
}

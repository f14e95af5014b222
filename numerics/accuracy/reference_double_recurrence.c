/* The delta rule and variational linear attention in double-doubles.  ^ marks what is computed.
 * Each step's own error is bounded by the sizes of what it computes, and carried on by what the
 * exact step does to it: the delta rule's in the Euclidean norm, VLA's A in the metric of its
 * inverse, VLA's S by its spread (derived at the end).  Sums over p are axpys on rows. */
#include "numerics/accuracy/reference_double.h"
#include "numerics/accuracy/spread.h"

#define SMALL 0x1p-440 /* norms are not told apart below */

typedef struct {
    bool vla;
    dd scale;
    double scale_abs;
    dd_row s, a, z;                    /* S^ [dk][dv], A^ [dk][dk], the sum of keys [dk] */
    dd_row y, a_k, e, o;               /* [dk] x 2, [dv] x 2 */
    double *k, *u, *q, *v, *direction; /* [dk] x 3, [dv]; [dk]: the highs of a */
    spread spread;
    double b;        /* |S^ - S|_F: the smaller of what the spread and (delta rule) a norm say */
    double s_norm;   /* |S^|_F */
    double largest;  /* of |S|_F so far */
    double epsilon;  /* VLA: (1 - epsilon) A <= A^ <= (1 + epsilon) A */
    double *written; /* VLA: the sum of u u^T so far [dk][dk] */
    double mu, mu_first, squares; /* VLA: |A^-1|, the initial one, the sum of |u|^2 */
    double a_norm;                /* VLA: |A^|_F */
    double keys, z_roundings;     /* sum of |k|; what each met at most */
} work;

static void layout(work *w, const reference_head *h, reference_room *room) {
    int64_t dk = h->dk, dv = h->dv, square = w->vla ? dk * dk : 0;
    w->s = reference_take_row(room, dk * dv), w->a = reference_take_row(room, square);
    w->z = reference_take_row(room, dk);
    w->y = reference_take_row(room, dk);
    w->a_k = reference_take_row(room, dk);
    w->e = reference_take_row(room, dv), w->o = reference_take_row(room, dv);
    w->k = reference_take(room, dk), w->u = reference_take(room, dk);
    w->q = reference_take(room, dk), w->v = reference_take(room, dv);
    w->direction = reference_take(room, dk);
    w->written = reference_take(room, square);
    w->spread.n = dk, w->spread.m = reference_take(room, spread_doubles(dk));
    w->spread.work = w->spread.m ? w->spread.m + dk * dk : NULL;
}

/* An upper bound of the Euclidean norm: of doubles, or of double-doubles by their highs. */
static double norm(const double *x, int64_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    for (int64_t i = 0; sum < SMALL * SMALL && i < n; i++)
        if (x[i] != 0)
            return SMALL; /* squares may have underflowed */
    return sqrt(sum) * REFERENCE_OUTWARD;
}

/* y := M^T x, rows of M [rows][n]: sum_p x_p M_p */
static void gather(int64_t n, dd_row y, dd_row m, int64_t rows, const double *x) {
    dd_row_zero(n, y);
    for (int64_t p = 0; p < rows; p++)
        dd_row_add_short(n, y, dd_at(m, p * n), x[p]);
}

/* What underflow may add to a matrix or vector, times what its products are multiplied by. */
static double underflow(const reference_head *h, double factor) {
    return 8 * DD_TINY * ((double)h->dk + 8) * sqrt((double)h->dk * (double)(h->dk + h->dv)) *
           (1 + factor) * (1 + factor);
}

/* An upper bound of |y^T (S^ - S)|. */
static double along(const work *w, const double *y, double size) {
    return fmin(spread_along_upper(&w->spread, y), size * w->b);
}

/* A dot product of dk terms, and a few operations more. */
static double unit(const reference_head *h) {
    return ((double)h->dk + 8) * DD_UNIT * REFERENCE_OUTWARD;
}

/* e := beta (v - S^T k); |error| beside that of S^.  DD_UNIT (dk + 3) beta (|v| + |k| |S^|_F) */
static double residual(work *w, const reference_head *h, double beta, double k, double v) {
    int64_t dv = h->dv;
    gather(dv, w->e, w->s, h->dk, w->k);
    for (int64_t j = 0; j < dv; j++) {
        dd e = dd_get(w->e, j);
        e = dd_add_d((dd){-e.hi, -e.lo}, w->v[j]);
        dd_put(w->e, j, dd_mul_short(e, beta));
    }
    return unit(h) * fabs(beta) * (v + k * w->s_norm);
}

static void delta_token(work *w, const reference_head *h, int64_t t, reference_token *did) {
    const mn_args *a = h->a;
    int64_t dk = h->dk, dv = h->dv;
    double k = norm(w->k, dk), v = norm(w->v, dv),
           beta = a->beta.data ? (double)*reference_key_row(h, a->beta, 1, t) : 1, c_abs = 1,
           error = 0, off = along(w, w->k, k);
    if (a->g.data) {
        float g = *reference_key_row(h, a->g, 1, t);
        dd c = reference_double_gate(g);
        c_abs = g == 0 ? 1 : c.hi * REFERENCE_OUTWARD;
        if (g != 0) {
            dd_row_scale(dk * dv, w->s, w->s, c);
            error = c_abs == 0 && g == -INFINITY
                        ? 0
                        : 2 * DD_UNIT * c_abs * w->s_norm + DD_TINY * (w->s_norm + w->b);
            w->s_norm *= c_abs;
            spread_scale(&w->spread, c_abs);
        }
    }
    double eta = residual(w, h, beta, k, v), e = norm(w->e.hi, dv) * REFERENCE_OUTWARD, square = 0;
    for (int64_t p = 0; p < dk; p++)
        square += w->k[p] * w->k[p];
    double step =
        fabs(1 - beta * square) + 0x1p-50 * ((double)dk + 4) * fabs(beta) * square + 0x1p-50;
    if (beta >= 0 && beta * square * REFERENCE_OUTWARD <= 2)
        step = 1; /* in [-1, 1], whatever was rounded */
    for (int64_t p = 0; p < dk; p++)
        dd_row_add_short(dv, dd_at(w->s, p * dv), w->e, w->k[p]);
    error += k * eta + 2 * DD_UNIT * (w->s_norm + k * e);
    double tiny = w->s_norm + e > 0 ? underflow(h, k + fabs(beta) + v + w->s_norm) : 0;
    did->error = (e + fabs(beta) * c_abs * off + eta + tiny) * REFERENCE_OUTWARD;
    for (int64_t p = 0; p < dk; p++)
        w->direction[p] = beta * w->k[p]; /* exact */
    spread_step(&w->spread, w->direction, w->k, (error + tiny) * REFERENCE_OUTWARD);
    w->b = fmin((c_abs * fmax(1, step) * w->b + error + tiny) * REFERENCE_OUTWARD,
                spread_norm_upper(&w->spread));
    w->s_norm = norm(w->s.hi, dk * dv);
    did->state = (w->s_norm + w->b) * REFERENCE_OUTWARD;
}

/* A := A - y y^T, y = A u / sqrt(1 + u.A u).  False: nothing is known any more. */
static bool renew(work *w, const reference_head *h, int64_t t, reference_token *did) {
    int64_t dk = h->dk;
    reference_row_load(dk, w->u, reference_key_row(h, h->a->u, dk, t));
    double u = norm(w->u, dk), d = unit(h);
    gather(dk, w->y, w->a, dk, w->u);
    double au = norm(w->y.hi, dk) * REFERENCE_OUTWARD, off = d * u * w->a_norm;
    dd g = {1, 0};
    for (int64_t p = 0; p < dk; p++)
        g = dd_add_product_short(g, dd_get(w->y, p), dd_split(w->y.hi[p]), w->u[p]);
    double g_off = u * off + d * (1 + u * au), least = g.hi * (1 - 0x1p-50) - g_off;
    if (!(least > 0.5))
        return false;
    dd inverse = reference_double_inverse_root(g);
    dd_row_scale(dk, w->y, w->y, inverse);
    for (int64_t p = 0; p < dk; p++) {
        dd f = dd_get(w->y, p);
        dd_row_add_product(dk, dd_at(w->a, p * dk), w->y, (dd){-f.hi, -f.lo});
    }
    double yy = au * au / least, error = (2 * au * off + off * off) / least + yy * g_off / least +
                                         DD_UNIT * (w->a_norm + 12 * yy) +
                                         (u > 0 ? underflow(h, u + w->a_norm + au) : 0);
    for (int64_t p = 0; p < dk; p++) {
        double *restrict row = w->written + p * dk, f = w->u[p];
        const double *restrict along = w->u;
#pragma omp simd
        for (int64_t j = 0; j < dk; j++)
            row[j] += f * along[j];
    }
    w->squares = (w->squares + u * u) * REFERENCE_OUTWARD;
    w->mu = fmin(w->mu + u * u,
                 w->mu_first + norm(w->written, dk * dk) + 0x1p-52 * (double)(t + 1) * w->squares) *
            REFERENCE_OUTWARD;
    w->epsilon = (w->epsilon + w->mu * error) * REFERENCE_OUTWARD;
    if (!(w->epsilon < 0x1p-20))
        return false;
    w->a_norm = norm(w->a.hi, dk * dk);
    did->stretch = (g.hi - 1 + g_off + 0x1p-50 * g.hi) / (1 - w->epsilon) * REFERENCE_OUTWARD;
    did->inverse = w->a_norm / (1 - w->epsilon) * REFERENCE_OUTWARD;
    return true;
}

/* a_k := A k / |A k|, 0 where k = 0; |error|, or NaN. */
static double write_direction(work *w, const reference_head *h, double k) {
    int64_t dk = h->dk;
    dd_row_zero(dk, w->a_k), reference_row_zero(dk, w->direction);
    if (k == 0)
        return 0;
    gather(dk, w->a_k, w->a, dk, w->k);
    dd square = {0, 0};
    for (int64_t p = 0; p < dk; p++) {
        dd x = dd_get(w->a_k, p);
        square = dd_add_product(square, x, dd_split(x.hi), x);
    }
    double least = sqrt(square.hi) * (1 - 0x1p-40);
    if (!(least > 0x1p-400 && least < 0x1p400))
        return NAN;
    dd_row_scale(dk, w->a_k, w->a_k, reference_double_inverse_root(square));
    memcpy(w->direction, w->a_k.hi, (size_t)dk * sizeof(double));
    double inverse = w->a_norm / (1 - w->epsilon),
           off = w->epsilon * sqrt(w->mu * inverse) +
                 (unit(h) * k * w->a_norm + underflow(h, k + w->a_norm)) / least;
    return (2 * off / (1 - off) + 2 * unit(h)) * REFERENCE_OUTWARD;
}

static bool vla_token(work *w, const reference_head *h, int64_t t, reference_token *did) {
    const mn_args *a = h->a;
    int64_t dk = h->dk, dv = h->dv;
    double k = norm(w->k, dk), v = norm(w->v, dv);
    if (!renew(w, h, t, did))
        return false;
    double direction = write_direction(w, h, k), eta = residual(w, h, 1, k, v),
           e = norm(w->e.hi, dv) * REFERENCE_OUTWARD;
    if (!(direction < 0x1p-20))
        return false;
    for (int64_t p = 0; p < dk && k > 0; p++)
        dd_row_add_product(dv, dd_at(w->s, p * dv), w->e, dd_get(w->a_k, p));
    double tiny = k > 0 && w->s_norm + e > 0 ? underflow(h, 2 + k + v + w->s_norm) : 0,
           off = along(w, w->k, k),
           added = direction * e + 2 * eta + DD_UNIT * (w->s_norm + 4 * e) + tiny;
    did->error = (e + off + eta + tiny) * REFERENCE_OUTWARD;
    if (k > 0) { /* the step is done with the highs of a: what that leaves out joins X */
        added += (direction + 0x1p-52) * off;
        spread_step(&w->spread, w->direction, w->k, added * REFERENCE_OUTWARD);
    }
    w->b = spread_norm_upper(&w->spread);
    w->s_norm = norm(w->s.hi, dk * dv);
    did->state = (w->s_norm + w->b) * REFERENCE_OUTWARD;
    for (int64_t p = 0; a->normalise && p < dk; p++)
        dd_put(w->z, p, dd_add_d(dd_get(w->z, p), w->k[p]));
    w->keys = (w->keys + k) * REFERENCE_OUTWARD;
    w->z_roundings++;
    return true;
}

/* A += refresh I. */
static void refresh(work *w, const reference_head *h) {
    int64_t dk = h->dk;
    double r = (double)h->a->refresh;
    for (int64_t p = 0; p < dk; p++)
        dd_put(w->a, p * (dk + 1), dd_add_d(dd_get(w->a, p * (dk + 1)), r));
    w->epsilon += w->mu * DD_UNIT * (w->a_norm + r * sqrt((double)dk)) * REFERENCE_OUTWARD;
    w->mu = r > 0 ? 1 / (1 / w->mu + r) * REFERENCE_OUTWARD : w->mu;
    w->a_norm = norm(w->a.hi, dk * dk);
}

/* Row o of query head i; false: too wide. */
static bool output(reference_t r, work *w, const reference_head *h, int64_t t, int64_t i) {
    int64_t dv = h->dv, row = reference_output_row(h, t, i);
    reference_row_load(h->dk, w->q, reference_query(h, t, i));
    gather(dv, w->o, w->s, h->dk, w->q);
    dd_row_scale(dv, w->o, w->o, w->scale);
    double q = norm(w->q, h->dk), off = along(w, w->q, q), size = w->scale_abs * q * w->largest,
           radius = (w->scale_abs * (off + unit(h) * q * w->s_norm) +
                     (q * w->s_norm > 0 ? underflow(h, q + w->s_norm + w->scale_abs) : 0)) *
                    REFERENCE_OUTWARD;
    if (!reference_double_narrow(radius, size, false))
        return false;
    arb_ptr o = r->o + row * dv;
    for (int64_t j = 0; j < dv; j++)
        dd_to_ball(o + j, dd_get(w->o, j), radius);
    if (!r->divisor)
        return true;
    dd sum = {0, 0};
    for (int64_t p = 0; p < h->dk; p++)
        sum = dd_add_product_short(sum, dd_get(w->z, p), dd_split(w->z.hi[p]), w->q[p]);
    sum = dd_mul(sum, w->scale);
    arb_ptr n = r->divisor + row;
    dd_to_ball(n, sum,
               w->scale_abs * q * w->keys * (w->z_roundings * DD_UNIT + unit(h)) *
                   REFERENCE_OUTWARD);
    if (arb_is_zero(n)) {
        _arb_vec_zero(o, dv);
        return true;
    }
    if (arb_contains_zero(n))
        return false;
    bool narrow = true;
    mag_t width, least;
    arb_t inverse;
    mag_init(width), mag_init(least), arb_init(inverse);
    arb_get_mag_lower(least, n);
    mag_set_d(width, size);
    mag_div(width, width, least);
    arb_inv(inverse, n, 128);
    for (int64_t j = 0; j < dv; j++) {
        arb_mul(o + j, o + j, inverse, 128);
        narrow = narrow && reference_narrow(o + j, width);
    }
    mag_clear(width), mag_clear(least), arb_clear(inverse);
    return narrow;
}

static bool put_state(const work *w, const reference_head *h) {
    int64_t dk = h->dk, block = dk * h->dv, square = w->vla ? dk * dk : 0;
    double inverse = w->a_norm / (1 - w->epsilon), a_off = w->epsilon * inverse * REFERENCE_OUTWARD;
    if (!reference_double_narrow(w->b, w->largest, false) ||
        (w->vla && !reference_double_narrow(a_off, inverse, false)))
        return false;
    for (int64_t i = 0; i < block; i++)
        dd_to_ball(h->state + i, dd_get(w->s, i), w->b);
    for (int64_t i = 0; i < square; i++)
        dd_to_ball(h->state + block + i, dd_get(w->a, i), a_off);
    for (int64_t p = 0; h->a->normalise && p < dk; p++)
        dd_to_ball(h->state + block + square + p, dd_get(w->z, p),
                   w->z_roundings * DD_UNIT * REFERENCE_OUTWARD * w->keys);
    return true;
}

/* False: the initial A is not symmetric or not surely positive, or a refresh makes it so. */
static bool begin(work *w, const reference_head *h) {
    int64_t dk = h->dk, block = dk * h->dv, square = w->vla ? dk * dk : 0;
    const float *in = reference_state_in(h, reference_head_floats(h->a));
    for (int64_t i = 0; in && i < block; i++)
        w->s.hi[i] = (double)in[i];
    w->s_norm = w->largest = norm(w->s.hi, block);
    if (!w->vla)
        return true;
    if (in) {
        for (int64_t i = 0; i < square; i++)
            w->a.hi[i] = (double)in[block + i];
        for (int64_t p = 0; h->a->normalise && p < dk; p++)
            w->z.hi[p] = (double)in[block + square + p];
        w->mu = reference_inverse_norm_floats(in + block, dk);
        w->keys = norm(w->z.hi, dk);
    } else {
        dd inverse = reference_double_inverse((dd){(double)h->a->lambda0, 0});
        for (int64_t p = 0; p < dk; p++)
            dd_put(w->a, p * (dk + 1), inverse);
        bool exact = inverse.lo == 0 && inverse.hi * (double)h->a->lambda0 == 1;
        w->mu = (double)h->a->lambda0, w->epsilon = exact ? 0 : DD_UNIT;
    }
    w->a_norm = norm(w->a.hi, square), w->mu_first = w->mu;
    return isfinite(w->mu) && (h->a->refresh_every == 0 || h->a->refresh >= 0);
}

static bool recur(reference_t r, reference_head *h, work *w, reference_status *status) {
    const mn_args *a = h->a;
    int64_t reported = 0;
    if (!begin(w, h))
        return false;
    for (int64_t t = 0; t < h->length; t++) {
        reference_token *did =
            r->token + (h->batch * a->time + h->first + t) * h->kv_heads + h->head;
        reference_row_load(h->dk, w->k, reference_key_row(h, a->k, h->dk, t));
        reference_row_load(h->dv, w->v, reference_key_row(h, a->v, h->dv, t));
        if (!w->vla)
            delta_token(w, h, t, did);
        else if (!vla_token(w, h, t, did))
            return false;
        double least = w->s_norm * (1 - 0x1p-20) - w->b; /* of |S_t|_F */
        if (w->s_norm > SMALL)
            w->largest = fmax(w->largest, least);
        for (int64_t i = 0; i < h->group; i++)
            if (!output(r, w, h, t, i))
                return false;
        if (w->vla && a->refresh_every && (h->position + t + 1) % a->refresh_every == 0)
            refresh(w, h);
        if (t % 64 == 63 || t + 1 == h->length) {
            if (!reference_goes_on(h, (double)(t + 1 - reported))) {
                *status = REFERENCE_STOPPED;
                return false;
            }
            reported = t + 1;
        }
    }
    return put_state(w, h);
}

reference_status reference_double_recurrence(reference_t r, reference_head *h) {
    reference_status status = REFERENCE_UNDECIDED;
    work w = {.vla = h->a->kernel == MN_VLA};
    arb_t scale;
    arb_init(scale);
    reference_output_scale(scale, h->a, 128);
    w.scale = dd_from_ball(scale), w.scale_abs = fabs(w.scale.hi) * REFERENCE_OUTWARD;
    arb_clear(scale);
    reference_room room = {NULL, 0};
    layout(&w, h, &room);
    room.base = flint_calloc((size_t)room.used + 1, sizeof *room.base);
    room.used = 0;
    layout(&w, h, &room);
    if (h->dk < 1 << 20 && h->dv < 1 << 20 && h->length < 1 << 24 && recur(r, h, &w, &status))
        status = REFERENCE_OK;
    flint_free(room.base);
    return status;
}

/* Bounds.  U = DD_UNIT; |.| is the Euclidean or Frobenius norm (of double-doubles: that of their
 * highs times 1 + 2^-26); d = U (dk + 8).  By Cauchy and Schwarz a computed S^^T k is off by at
 * most d |k| |S^|.
 *
 * Delta rule, S' = c S, e = beta (v - S'^T k), S = S' + k e^T:
 *     S'^: each entry by 2 U c |S^| in all (the gate and the product), and an underflow of the
 *         gate DD_TINY |S^|;
 *     e^: |eta| <= d |beta| (|v| + |k| |S'^|), three operations after the sums included;
 *     S^: U (|S'^| + 2 |k| |e^|).
 * D = S^ - S goes to (I - beta k k^T) (c D) + X, |X| <= |k| |eta| + the first and the last line.
 * I - beta k k^T has the eigenvalues 1 and 1 - beta |k|^2: |D_t| <= c max(1, |1 - beta |k|^2|)
 * |D_{t-1}| + |X|.  Where that grows the spread (spread.h) says more: it knows the directions.
 * |e_t| <= |e^| + |beta| c |k^T D_{t-1}| + |eta|.
 *
 * VLA.  A: f(A) = (A^-1 + u u^T)^-1 is monotone, f((1 + eps) A) <= (1 + eps) f(A) and f((1 - eps)
 * A) >= (1 - eps) f(A), so (1 - eps) A <= A^ <= (1 + eps) A passes through the exact step from A^,
 * and an error E of computing it adds |M| |E|, M = A_t^-1 <= M_0 + sum u u^T (mu: the lesser of
 * |M_0| + the sum's Frobenius norm, rounding by t u sum |u|^2, and of the same step by step; a
 * refresh makes it 1 / (1 / mu + refresh) or less, and -eps A <= A^ - A <= eps A
 * holds on).  With w = A^ u, g = 1 + u.w >= 1:
 *     w^: off = d |u| |A^|;   g^: |u| off + d (1 + |u| |w^|);
 *     w w^T / g: (2 |w^| off + off^2) / g + |w^|^2 g_off / g^2 with the least g there can be;
 *     y = w^ / sqrt(g^), y y^T and the sum: U |A^| + 12 U |w^|^2 / g (y: the root's rounding, its
 *         error and the product, twice; two operands).
 * A^ stays symmetric to the bit: dd_add_product does the same for x y as for y x.
 * a = A k / |A k|: |A^ k - A k| <= eps |A^(1/2)| |A^(1/2) k| and |A k| >= |A^(1/2) k| / sqrt |M|:
 * relatively at most eps sqrt(|M| |A|), |A| <= |A^| / (1 - eps); computing A^ k adds d |k| |A^|
 * over the norm of what is found; directions differ by at most twice the relative difference
 * (over 1 - it: second orders), and dividing by the norm adds 2 d.
 * S: with |eta| <= d (|v| + |k| |S^|),
 *     D_t = (I - a k^T) D_{t-1} + (a^ - a) e^^T + a eta^T + R,   |R| <= U (|S^| + 2 |a^| |e^|).
 * The step is done with a's highs instead of a, which adds (|a^ - a| + 2^-53) |k^T D|.
 *
 * o = scale S^T q: |scale| (|q^T D| + d |q| |S^|); the sum of keys z: n U sum |k|, q.z: d |q| sum
 * |k| more.  Underflow: each of at most dk + 8 operations on each of the dk (dk + dv) entries by
 * DD_TINY, times factors of sizes at most (1 + their sum)^2. */

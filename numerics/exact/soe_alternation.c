/* Where the error of a given sum alternates, and the horizon for which it would be the best sum: see soe_minimax.h.  Sampled;
 * what follows from it is left to soe_alternation_lower and soe_certify. */
#include "numerics/exact/soe_minimax.h"

#include <math.h>

/* Points for each of the 2S+1 extrema; bits that the samples' errors are to have. */
enum { PER_EXTREMUM = 24, BITS = 30, MAX_PRECISION = 8192, GOLDEN_STEPS = 32, HALVINGS = 50 };

typedef struct {
    const soe_kernel_struct *kernel;
    const soe_sum_struct *sum;
    soe_error error;
    double log_horizon;
    arf_t horizon;
    slong prec, grid;
    double *y; /* [grid] logarithms */
    arb_ptr e; /* [grid] the error there */
} samples;

/* t := the domain's point nearest to e^y. */
static void place(arf_t t, const samples *s, double y) {
    if (y >= s->log_horizon) {
        arf_set(t, s->horizon);
        return;
    }
    arf_set_d(t, exp(fmax(y, 0)));
    if (s->kernel->kind == SOE_KERNEL_GL) {
        arf_mul_2exp_si(t, t, 1); /* floor((2 t + 1) / 2) */
        arf_add_ui(t, t, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_2exp_si(t, t, -1);
        arf_floor(t, t);
    }
}

/* e := (K - sum)/W at t, W = 1 or K. */
static void error_at(arb_t e, const samples *s, const arf_t t) {
    arb_t sum;
    arb_init(sum);
    soe_kernel_value(e, s->kernel, t, s->prec);
    soe_sum_value(sum, s->sum, t, s->prec);
    if (s->error == SOE_RELATIVE) {
        arb_div(sum, sum, e, s->prec);
        arb_sub_ui(sum, sum, 1, s->prec);
        arb_neg(e, sum);
    } else {
        arb_sub(e, e, sum, s->prec);
    }
    arb_clear(sum);
}

/* Whether all samples are known to BITS bits of the largest. */
static int sample(samples *s) {
    arf_t t;
    mag_t radius, size, m;
    arf_init(t), mag_init(radius), mag_init(size), mag_init(m);
    for (slong i = 0; i < s->grid; i++) {
        place(t, s, s->y[i]);
        error_at(s->e + i, s, t);
        mag_max(radius, radius, arb_radref(s->e + i));
        arf_get_mag(m, arb_midref(s->e + i));
        mag_max(size, size, m);
    }
    mag_mul_2exp_si(radius, radius, BITS);
    int known = mag_cmp(radius, size) <= 0 && mag_is_finite(size);
    arf_clear(t), mag_clear(radius), mag_clear(size), mag_clear(m);
    return known;
}

static int samples_init(samples *s, const soe_minimax_t m, const soe_kernel_t kernel,
                        const fmpz_t horizon, soe_error error) {
    *s = (samples){.kernel = kernel, .sum = m->sum, .error = error};
    arf_init(s->horizon);
    arf_set_fmpz(s->horizon, horizon);
    s->log_horizon = log(fmpz_get_d(horizon));
    s->grid = PER_EXTREMUM * (2 * m->sum->terms + 1) + 1;
    s->y = flint_malloc((size_t)s->grid * sizeof *s->y);
    s->e = _arb_vec_init(s->grid);
    for (slong i = 0; i < s->grid; i++)
        s->y[i] = s->log_horizon * (double)i / (double)(s->grid - 1);
    for (s->prec = 128; s->prec <= MAX_PRECISION; s->prec *= 2)
        if (sample(s))
            return 1;
    return 0;
}

static void samples_clear(samples *s) {
    arf_clear(s->horizon);
    flint_free(s->y);
    _arb_vec_clear(s->e, s->grid);
}

/* t, e := the largest error of that sign next to sample k: golden section in ln t. */
static void largest_near(arf_t t, arb_t e, const samples *s, slong k) {
    const double golden = 0.6180339887498949;
    double low = s->y[k > 0 ? k - 1 : 0], high = s->y[k + 1 < s->grid ? k + 1 : k];
    arf_t u;
    arb_t value[2];
    arf_init(u), arb_init(value[0]), arb_init(value[1]);
    int negative = arf_sgn(arb_midref(s->e + k)) < 0;
    place(t, s, s->y[k]);
    arb_set(e, s->e + k);
    for (int i = 0; i < GOLDEN_STEPS; i++) {
        double y[2] = {high - golden * (high - low), low + golden * (high - low)};
        for (int side = 0; side < 2; side++) {
            place(u, s, y[side]);
            error_at(value[side], s, u);
            if (negative)
                arb_neg(value[side], value[side]);
            if (arf_cmpabs(arb_midref(value[side]), arb_midref(e)) > 0 &&
                arf_sgn(arb_midref(value[side])) > 0) {
                arf_set(t, u);
                arb_set(e, value[side]);
                if (negative)
                    arb_neg(e, e);
            }
        }
        if (arf_cmp(arb_midref(value[0]), arb_midref(value[1])) > 0)
            high = y[1];
        else
            low = y[0];
    }
    arf_clear(u), arb_clear(value[0]), arb_clear(value[1]);
}

/* One extremum for each run of one sign; their number, at most room. */
static slong extrema(arf_struct *t, arb_ptr e, slong room, const samples *s) {
    slong runs = 0;
    for (slong k = 0; k < s->grid && runs < room;) {
        slong best = k, end = k;
        int sign = arf_sgn(arb_midref(s->e + k));
        for (; end < s->grid && arf_sgn(arb_midref(s->e + end)) == sign; end++)
            if (arf_cmpabs(arb_midref(s->e + end), arb_midref(s->e + best)) > 0)
                best = end;
        if (sign != 0) {
            largest_near(t + runs, e + runs, s, best);
            runs++;
        }
        k = end;
    }
    return runs;
}

/* The points and errors of 2S+1 successive runs, the smaller ends dropped; 0 if there are fewer. */
static int alternate(soe_minimax_t m, arb_ptr e, const samples *s) {
    slong wanted = 2 * m->sum->terms + 1, room = 2 * wanted, first = 0;
    arf_struct *t = flint_malloc((size_t)room * sizeof *t);
    arb_ptr all = _arb_vec_init(room);
    for (slong i = 0; i < room; i++)
        arf_init(t + i);
    slong last = extrema(t, all, room, s);
    while (last - first > wanted)
        if (arf_cmpabs(arb_midref(all + first), arb_midref(all + last - 1)) < 0)
            first++;
        else
            last--;
    int enough = last - first == wanted;
    if (enough) {
        soe_minimax_set_points(m, t + first, wanted);
        _arb_vec_set(e, all + first, wanted);
    }
    for (slong i = 0; i < room; i++)
        arf_clear(t + i);
    flint_free(t);
    _arb_vec_clear(all, room);
    return enough;
}

static int fits(const soe_minimax_t m, const soe_kernel_t kernel, const fmpz_t horizon) {
    return m->sum->terms >= 1 && m->sum->terms <= SOE_MAX_TERMS && fmpz_cmp_si(horizon, 2) >= 0 &&
           fmpq_sgn(kernel->order) > 0 &&
           (kernel->kind == SOE_KERNEL_POWER || fmpq_cmp_si(kernel->order, 1) <= 0);
}

soe_status soe_alternation(soe_minimax_t m, const soe_kernel_t kernel, const fmpz_t horizon,
                           soe_error error) {
    if (!fits(m, kernel, horizon))
        return SOE_BAD_ARGUMENT;
    samples s;
    arb_ptr e = _arb_vec_init(2 * m->sum->terms + 1);
    int ok = samples_init(&s, m, kernel, horizon, error) && alternate(m, e, &s);
    samples_clear(&s);
    _arb_vec_clear(e, 2 * m->sum->terms + 1);
    return ok ? SOE_OK : SOE_WIDE;
}

/* Whether the first n sizes are within a factor 1 + gap of one another; most := the largest. */
static int level(arf_t most, arb_srcptr e, slong n, double gap) {
    arf_t least, limit, size;
    arf_init(least), arf_init(limit), arf_init(size);
    arf_pos_inf(least), arf_zero(most);
    for (slong i = 0; i < n; i++) {
        arf_abs(size, arb_midref(e + i));
        arf_min(least, least, size);
        arf_max(most, most, size);
    }
    arf_set_d(limit, 1 + gap);
    arf_mul(limit, limit, least, 64, ARF_RND_NEAR);
    int is_level = arf_cmp(most, limit) <= 0;
    arf_clear(least), arf_clear(limit), arf_clear(size);
    return is_level;
}

soe_status soe_level_horizon(fmpz_t other, soe_minimax_t m, const soe_kernel_t kernel,
                             const fmpz_t horizon, soe_error error, double gap) {
    if (!fits(m, kernel, horizon))
        return SOE_BAD_ARGUMENT;
    slong last = 2 * m->sum->terms;
    arb_ptr e = _arb_vec_init(last + 1);
    fmpz_t far, limit;
    arf_t most, t;
    arb_t value;
    samples s;
    fmpz_init(far), fmpz_init(limit), arf_init(most), arf_init(t), arb_init(value);
    fmpz_mul_2exp(far, horizon, 6);
    fmpz_ui_pow_ui(limit, 10, SOE_MAX_HORIZON_DIGITS);
    if (fmpz_cmp(far, limit) > 0)
        fmpz_set(far, limit);
    int ok = samples_init(&s, m, kernel, far, error) && alternate(m, e, &s) &&
             level(most, e, last, gap) && arf_cmpabs(arb_midref(e + last), most) >= 0;
    if (ok) { /* between the last two extrema the error goes from -level to its own: where it is level */
        double low = log(arf_get_d(m->point + last - 1, ARF_RND_NEAR)),
               high = log(arf_get_d(m->point + last, ARF_RND_NEAR));
        int sign = arf_sgn(arb_midref(e + last));
        for (int i = 0; i < HALVINGS; i++) {
            double y = 0.5 * (low + high);
            place(t, &s, y);
            error_at(value, &s, t);
            if (sign < 0)
                arb_neg(value, value);
            if (arf_cmp(arb_midref(value), most) < 0)
                low = y;
            else
                high = y;
        }
        place(t, &s, high);
        arf_get_fmpz(other, t, ARF_RND_NEAR);
        arf_set_fmpz(m->point + last, other);
    }
    samples_clear(&s);
    _arb_vec_clear(e, last + 1);
    fmpz_clear(far), fmpz_clear(limit), arf_clear(most), arf_clear(t), arb_clear(value);
    return ok ? SOE_OK : SOE_WIDE;
}

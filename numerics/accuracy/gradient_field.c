/* Arithmetic of the gradients: balls, absolute values, floats. */
#include "numerics/accuracy/gradient_pass.h"
#include "numerics/accuracy/reference_rows.h"

/* Balls. */

static number *ball_init(slong n) {
    return _arb_vec_init(n > 0 ? n : 1);
}
static void ball_clear(number *x, slong n) {
    if (x)
        _arb_vec_clear(x, n > 0 ? n : 1);
}
static void ball_set(number *z, const number *x, slong n) {
    _arb_vec_set(z, x, n);
}
static void ball_set_si(number *z, slong x) {
    arb_set_si(z, x);
}
static bool ball_is_zero(const number *x) {
    return arb_is_zero(x);
}
static void ball_add(const gradient_field *f, number *z, const number *x, const number *y,
                     slong n) {
    _arb_vec_add(z, x, y, n, f->prec);
}
static void ball_sub(const gradient_field *f, number *z, const number *x, const number *y,
                     slong n) {
    _arb_vec_sub(z, x, y, n, f->prec);
}
static void ball_scale(const gradient_field *f, number *z, const number *x, const number *c,
                       slong n) {
    if (!arb_is_one(c))
        _arb_vec_scalar_mul(z, x, n, c, f->prec);
    else if (z != x)
        _arb_vec_set(z, x, n);
}
static void ball_addmul(const gradient_field *f, number *z, const number *x, const number *c,
                        slong n) {
    if (!arb_is_zero(c))
        _arb_vec_scalar_addmul(z, x, n, c, f->prec);
}
static void ball_dot(const gradient_field *f, number *z, const number *initial, int subtract,
                     const number *x, slong x_step, const number *y, slong y_step, slong n) {
    /* initial - sum, or -sum: arb_dot subtracts from 0 where there is no initial value */
    arb_dot(z, initial, subtract, x, x_step, y, y_step, n, f->prec);
}
static bool ball_div(const gradient_field *f, number *z, const number *x, const number *c,
                     slong n) {
    if (arb_contains_zero(c))
        return false;
    _arb_vec_scalar_div(z, x, n, c, f->prec);
    return true;
}
static bool ball_length(const gradient_field *f, number *z, const number *x, slong n) {
    arb_dot(z, NULL, 0, x, 1, x, 1, n, f->prec);
    arb_sqrt(z, z, f->prec);
    return arb_is_positive(z);
}
static void ball_exp(const gradient_field *f, number *z, const number *x, slong n) {
    slong most = 0;
    arb_srcptr y = x;
    for (slong i = 1; i < n; i++)
        if (arf_cmp(arb_midref(y + i), arb_midref(y + most)) > 0)
            most = i;
    arf_t m;
    arf_init(m);
    if (n > 0)
        arf_set(m, arb_midref(y + most));
    for (slong i = 0; i < n; i++) {
        arb_ptr e = (arb_ptr)z + i;
        arb_sub_arf(e, y + i, m, f->prec);
        arb_exp(e, e, f->prec);
    }
    arf_clear(m);
}
static double ball_norm(const number *x, slong n) {
    mag_t sum, m;
    mag_init(sum), mag_init(m);
    for (slong i = 0; i < n; i++) {
        arb_get_mag(m, (arb_srcptr)x + i);
        mag_addmul(sum, m, m);
    }
    mag_sqrt(sum, sum);
    double d = mag_get_d(sum); /* rounded upwards */
    mag_clear(sum), mag_clear(m);
    return d;
}
static bool ball_narrow(const number *x, slong n, double scale) {
    if (!isfinite(scale))
        return false;
    mag_t most;
    mag_init(most);
    mag_set_d(most, scale);
    bool narrow = true;
    for (slong i = 0; i < n && narrow; i++)
        narrow = reference_narrow((arb_srcptr)x + i, most);
    mag_clear(most);
    return narrow;
}
static double ball_strip(const gradient_field *f, number *x, slong n) {
    mag_t sum;
    mag_init(sum);
    for (slong i = 0; i < n; i++) {
        mag_ptr radius = arb_radref((arb_ptr)x + i);
        mag_addmul(sum, radius, radius);
        mag_zero(radius);
    }
    mag_sqrt(sum, sum);
    mag_mul_2exp_si(sum, sum, f->prec);
    double d = mag_get_d(sum); /* rounded upwards */
    mag_clear(sum);
    return d;
}
static void ball_inflate(const gradient_field *f, number *z, const number *x, slong n,
                         double error) {
    mag_t e;
    mag_init(e);
    mag_set_d(e, error);
    mag_mul_2exp_si(e, e, -f->prec);
    for (slong i = 0; i < n; i++) {
        arb_ptr y = (arb_ptr)z + i;
        arb_set(y, (arb_srcptr)x + i);
        mag_add(arb_radref(y), arb_radref(y), e);
    }
    mag_clear(e);
}
static double ball_inverse_norm(const number *x, slong n) {
    return reference_inverse_norm(x, n);
}
static bool ball_load(number *z, const float *x, slong n) {
    return reference_load(z, x, n, false);
}
static bool ball_gate(const gradient_field *f, number *z, float g) {
    return reference_gate(z, g, f->prec);
}
static void ball_rsqrt(const gradient_field *f, number *z, slong n) {
    arb_set_si(z, n);
    arb_rsqrt(z, z, f->prec);
}
/* Narrow balls need no more than 128 bits. */
static void ball_store(number *z, const number *x, slong n) {
    for (slong i = 0; i < n; i++)
        arb_set_round((arb_ptr)z + i, (arb_srcptr)x + i, 128);
}

const gradient_field gradient_balls = {.size = sizeof(arb_struct),
                                       .prec = 128,
                                       .init = ball_init,
                                       .clear = ball_clear,
                                       .set = ball_set,
                                       .set_si = ball_set_si,
                                       .is_zero = ball_is_zero,
                                       .add = ball_add,
                                       .sub = ball_sub,
                                       .scale = ball_scale,
                                       .addmul = ball_addmul,
                                       .dot = ball_dot,
                                       .div = ball_div,
                                       .length = ball_length,
                                       .exp = ball_exp,
                                       .norm = ball_norm,
                                       .narrow = ball_narrow,
                                       .strip = ball_strip,
                                       .inflate = ball_inflate,
                                       .inverse_norm = ball_inverse_norm,
                                       .load = ball_load,
                                       .gate = ball_gate,
                                       .rsqrt = ball_rsqrt,
                                       .store = ball_store};

/* Absolute values: exact balls around upper bounds.  Divisors count by their smallest size. */

static void from_mag(number *z, const mag_t m) {
    arf_set_mag(arb_midref((arb_ptr)z), m);
    mag_zero(arb_radref((arb_ptr)z));
}
static void absolute_add(const gradient_field *f, number *z, const number *x, const number *y,
                         slong n) {
    (void)f;
    mag_t a, b;
    mag_init(a), mag_init(b);
    for (slong i = 0; i < n; i++) {
        arb_get_mag(a, (arb_srcptr)x + i);
        arb_get_mag(b, (arb_srcptr)y + i);
        mag_add(a, a, b);
        from_mag((arb_ptr)z + i, a);
    }
    mag_clear(a), mag_clear(b);
}
static void absolute_product(number *z, const number *x, const number *c, slong n, bool add) {
    mag_t a, b, sum;
    mag_init(a), mag_init(b), mag_init(sum);
    arb_get_mag(b, c);
    for (slong i = 0; i < n; i++) {
        arb_get_mag(a, (arb_srcptr)x + i);
        mag_zero(sum);
        if (add)
            arb_get_mag(sum, (arb_srcptr)z + i);
        mag_addmul(sum, a, b);
        from_mag((arb_ptr)z + i, sum);
    }
    mag_clear(a), mag_clear(b), mag_clear(sum);
}
static void absolute_scale(const gradient_field *f, number *z, const number *x, const number *c,
                           slong n) {
    (void)f;
    absolute_product(z, x, c, n, false);
}
static void absolute_addmul(const gradient_field *f, number *z, const number *x, const number *c,
                            slong n) {
    (void)f;
    absolute_product(z, x, c, n, true);
}
static void absolute_dot(const gradient_field *f, number *z, const number *initial, int subtract,
                         const number *x, slong x_step, const number *y, slong y_step, slong n) {
    (void)f, (void)subtract;
    mag_t a, b, sum;
    mag_init(a), mag_init(b), mag_init(sum);
    if (initial)
        arb_get_mag(sum, initial);
    for (slong i = 0; i < n; i++) {
        arb_get_mag(a, (arb_srcptr)x + i * x_step);
        arb_get_mag(b, (arb_srcptr)y + i * y_step);
        mag_addmul(sum, a, b);
    }
    from_mag(z, sum);
    mag_clear(a), mag_clear(b), mag_clear(sum);
}
static bool absolute_div(const gradient_field *f, number *z, const number *x, const number *c,
                         slong n) {
    (void)f;
    mag_t a, least;
    mag_init(a), mag_init(least);
    arb_get_mag_lower(least, c);
    bool clear = !mag_is_zero(least);
    for (slong i = 0; i < n && clear; i++) {
        arb_get_mag(a, (arb_srcptr)x + i);
        mag_div(a, a, least);
        from_mag((arb_ptr)z + i, a);
    }
    mag_clear(a), mag_clear(least);
    return clear;
}
static bool absolute_length(const gradient_field *f, number *z, const number *x, slong n) {
    (void)f, (void)z, (void)x, (void)n;
    return false; /* no sum of absolute values has a norm in it */
}
static bool absolute_narrow(const number *x, slong n, double scale) {
    (void)scale;
    for (slong i = 0; i < n; i++)
        if (!arb_is_finite((arb_srcptr)x + i))
            return false;
    return true;
}

const gradient_field gradient_absolute = {.size = sizeof(arb_struct),
                                          .absolute = true,
                                          .prec = 128,
                                          .init = ball_init,
                                          .clear = ball_clear,
                                          .set = ball_set,
                                          .set_si = ball_set_si,
                                          .is_zero = ball_is_zero,
                                          .add = absolute_add,
                                          .sub = absolute_add,
                                          .scale = absolute_scale,
                                          .addmul = absolute_addmul,
                                          .dot = absolute_dot,
                                          .div = absolute_div,
                                          .length = absolute_length,
                                          .exp = ball_exp,
                                          .norm = ball_norm,
                                          .narrow = absolute_narrow,
                                          .load = ball_load,
                                          .gate = ball_gate,
                                          .rsqrt = ball_rsqrt,
                                          .store = ball_set};

/* Floats. */

static float factor(const gradient_field *f, float x) {
    return f->round ? f->round(x) : x;
}
static number *float_init(slong n) {
    return flint_calloc((size_t)(n > 0 ? n : 1), sizeof(float));
}
static void float_clear(number *x, slong n) {
    (void)n;
    flint_free(x);
}
static void float_set(number *z, const number *x, slong n) {
    memmove(z, x, (size_t)n * sizeof(float));
}
static void float_set_si(number *z, slong x) {
    *(float *)z = (float)x;
}
static bool float_is_zero(const number *x) {
    return *(const float *)x == 0;
}
static void float_add(const gradient_field *f, number *z, const number *x, const number *y,
                      slong n) {
    (void)f;
    for (slong i = 0; i < n; i++)
        ((float *)z)[i] = ((const float *)x)[i] + ((const float *)y)[i];
}
static void float_sub(const gradient_field *f, number *z, const number *x, const number *y,
                      slong n) {
    (void)f;
    for (slong i = 0; i < n; i++)
        ((float *)z)[i] = ((const float *)x)[i] - ((const float *)y)[i];
}
static void float_scale(const gradient_field *f, number *z, const number *x, const number *c,
                        slong n) {
    (void)f;
    float by = *(const float *)c;
    for (slong i = 0; i < n; i++)
        ((float *)z)[i] = by * ((const float *)x)[i];
}
static void float_addmul(const gradient_field *f, number *z, const number *x, const number *c,
                         slong n) {
    float by = factor(f, *(const float *)c);
    for (slong i = 0; i < n; i++)
        ((float *)z)[i] += by * factor(f, ((const float *)x)[i]);
}
static void float_dot(const gradient_field *f, number *z, const number *initial, int subtract,
                      const number *x, slong x_step, const number *y, slong y_step, slong n) {
    const float *a = x, *b = y;
    float sum = 0, start = initial ? *(const float *)initial : 0;
    for (slong i = 0; i < n; i++)
        sum += factor(f, a[i * x_step]) * factor(f, b[i * y_step]);
    *(float *)z = subtract ? start - sum : start + sum;
}
static bool float_div(const gradient_field *f, number *z, const number *x, const number *c,
                      slong n) {
    (void)f;
    float by = *(const float *)c;
    for (slong i = 0; i < n; i++)
        ((float *)z)[i] = ((const float *)x)[i] / by;
    return true;
}
static bool float_length(const gradient_field *f, number *z, const number *x, slong n) {
    (void)f;
    double sum = 0; /* squares of floats neither overflow nor vanish in double */
    for (slong i = 0; i < n; i++)
        sum += (double)((const float *)x)[i] * (double)((const float *)x)[i];
    *(float *)z = (float)sqrt(sum);
    return true;
}
static void float_exp(const gradient_field *f, number *z, const number *x, slong n) {
    (void)f;
    const float *y = x;
    float most = -INFINITY;
    for (slong i = 0; i < n; i++)
        most = fmaxf(most, y[i]);
    for (slong i = 0; i < n; i++)
        ((float *)z)[i] = expf(y[i] - most);
}
static double float_norm(const number *x, slong n) {
    (void)x, (void)n;
    return 0;
}
static bool float_narrow(const number *x, slong n, double scale) {
    (void)x, (void)n, (void)scale;
    return true;
}
static bool float_load(number *z, const float *x, slong n) {
    for (slong i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    memcpy(z, x, (size_t)n * sizeof(float));
    return true;
}
static bool float_gate(const gradient_field *f, number *z, float g) {
    (void)f;
    *(float *)z = expf(g);
    return !isnan(g) && g != INFINITY;
}
static void float_rsqrt(const gradient_field *f, number *z, slong n) {
    (void)f;
    *(float *)z = (float)(1 / sqrt((double)n));
}

const gradient_field gradient_floats = {.size = sizeof(float),
                                        .init = float_init,
                                        .clear = float_clear,
                                        .set = float_set,
                                        .set_si = float_set_si,
                                        .is_zero = float_is_zero,
                                        .add = float_add,
                                        .sub = float_sub,
                                        .scale = float_scale,
                                        .addmul = float_addmul,
                                        .dot = float_dot,
                                        .div = float_div,
                                        .length = float_length,
                                        .exp = float_exp,
                                        .norm = float_norm,
                                        .narrow = float_narrow,
                                        .load = float_load,
                                        .gate = float_gate,
                                        .rsqrt = float_rsqrt,
                                        .store = float_set};

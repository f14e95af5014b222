/* Five ways to keep the inverse under M += u u^T, in the precision REAL; included once for each.  NAME(x)
   makes the names.  State: DRIFT_WIDTH x DRIFT_WIDTH numbers. */

/* A -= g (u^T A), g = A u/(1 + u^T A u): row and column computed apart, so A need not stay symmetric.
   3 d^2 multiply-adds. */
static void NAME(textbook)(REAL *a, const REAL *u) {
    REAL g[DRIFT_WIDTH], h[DRIFT_WIDTH], pivot = 1;
    for (int i = 0; i < DRIFT_WIDTH; i++) {
        g[i] = h[i] = 0;
        for (int j = 0; j < DRIFT_WIDTH; j++) {
            g[i] += a[i * DRIFT_WIDTH + j] * u[j];
            h[i] += u[j] * a[j * DRIFT_WIDTH + i];
        }
    }
    for (int i = 0; i < DRIFT_WIDTH; i++)
        pivot += u[i] * g[i];
    for (int i = 0; i < DRIFT_WIDTH; i++)
        for (int j = 0; j < DRIFT_WIDTH; j++)
            a[i * DRIFT_WIDTH + j] -= g[i] / pivot * h[j];
}

/* A -= y y^T, y = A u/sqrt(1 + u^T A u): symmetric bit for bit.  2 d^2, one triangle 1.5 d^2. */
static void NAME(symmetric)(REAL *a, const REAL *u) {
    REAL y[DRIFT_WIDTH], pivot = 1;
    for (int i = 0; i < DRIFT_WIDTH; i++) {
        y[i] = 0;
        for (int j = 0; j < DRIFT_WIDTH; j++)
            y[i] += a[i * DRIFT_WIDTH + j] * u[j];
        pivot += y[i] * u[i];
    }
    for (int i = 0; i < DRIFT_WIDTH; i++)
        y[i] /= ROOT(pivot);
    for (int i = 0; i < DRIFT_WIDTH; i++)
        for (int j = 0; j < DRIFT_WIDTH; j++)
            a[i * DRIFT_WIDTH + j] -= y[i] * y[j];
}

/* Joseph: A = (I - g u^T) A (I - g u^T)^T + g g^T.  5 d^2. */
static void NAME(joseph)(REAL *a, const REAL *u) {
    REAL g[DRIFT_WIDTH], h[DRIFT_WIDTH], pivot = 1;
    for (int i = 0; i < DRIFT_WIDTH; i++) {
        g[i] = 0;
        for (int j = 0; j < DRIFT_WIDTH; j++)
            g[i] += a[i * DRIFT_WIDTH + j] * u[j];
        h[i] = g[i];
        pivot += u[i] * g[i];
    }
    for (int i = 0; i < DRIFT_WIDTH; i++)
        g[i] /= pivot;
    for (int i = 0; i < DRIFT_WIDTH; i++) {
        REAL bu = 0;
        for (int j = 0; j < DRIFT_WIDTH; j++) {
            a[i * DRIFT_WIDTH + j] -= g[i] * h[j];
            bu += a[i * DRIFT_WIDTH + j] * u[j];
        }
        for (int j = 0; j < DRIFT_WIDTH; j++)
            a[i * DRIFT_WIDTH + j] += (g[i] - bu) * g[j];
    }
}

/* Potter: A = S S^T, f = S^T u, S -= (S f) f^T/(p + sqrt p), p = 1 + |f|^2.  3 d^2, and 2 d^2 for A k. */
static void NAME(potter)(REAL *s, const REAL *u) {
    REAL f[DRIFT_WIDTH], pivot = 1;
    for (int j = 0; j < DRIFT_WIDTH; j++) {
        f[j] = 0;
        for (int i = 0; i < DRIFT_WIDTH; i++)
            f[j] += s[i * DRIFT_WIDTH + j] * u[i];
        pivot += f[j] * f[j];
    }
    for (int i = 0; i < DRIFT_WIDTH; i++) {
        REAL sf = 0;
        for (int j = 0; j < DRIFT_WIDTH; j++)
            sf += s[i * DRIFT_WIDTH + j] * f[j];
        sf /= pivot + ROOT(pivot);
        for (int j = 0; j < DRIFT_WIDTH; j++)
            s[i * DRIFT_WIDTH + j] -= sf * f[j];
    }
}

/* Cholesky: M = L L^T, one Givens rotation a column.  d^2, and d^2 for A k by two triangular solves. */
static void NAME(cholesky)(REAL *l, const REAL *u) {
    REAL x[DRIFT_WIDTH];
    for (int i = 0; i < DRIFT_WIDTH; i++)
        x[i] = u[i];
    for (int j = 0; j < DRIFT_WIDTH; j++) {
        REAL diagonal = l[j * DRIFT_WIDTH + j], r = ROOT(diagonal * diagonal + x[j] * x[j]),
             c = diagonal / r, s = x[j] / r;
        l[j * DRIFT_WIDTH + j] = r;
        for (int i = j + 1; i < DRIFT_WIDTH; i++) {
            REAL old = l[i * DRIFT_WIDTH + j];
            l[i * DRIFT_WIDTH + j] = c * old + s * x[i];
            x[i] = c * x[i] - s * old;
        }
    }
}

/* count updates of the state with u [count][DRIFT_WIDTH] (exact in REAL). */
static void NAME(run)(REAL *state, drift_form form, const float *u, slong count) {
    static void (*const step[])(REAL *, const REAL *) = {
        NAME(textbook), NAME(symmetric), NAME(joseph), NAME(potter), NAME(cholesky)};
    for (slong t = 0; t < count; t++) {
        REAL x[DRIFT_WIDTH];
        for (int i = 0; i < DRIFT_WIDTH; i++)
            x[i] = u[t * DRIFT_WIDTH + i];
        step[form](state, x);
    }
}

static void NAME(start)(REAL *state, drift_form form, double lambda0) {
    REAL diagonal = (REAL)(form == DRIFT_POTTER     ? 1 / sqrt(lambda0)
                           : form == DRIFT_CHOLESKY ? sqrt(lambda0)
                                                    : 1 / lambda0);
    for (int i = 0; i < DRIFT_WIDTH * DRIFT_WIDTH; i++)
        state[i] = i % (DRIFT_WIDTH + 1) == 0 ? diagonal : 0;
}

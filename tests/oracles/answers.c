/* Answers requests for what the exact layer computes: a line "NAME ARGUMENT..." on standard input, a
   line of numbers on standard output, each n/d, or m:e:M:E for the ball of midpoint m 2^e and radius
   M 2^E.  Arguments are rationals; a list is its length and its elements.  tests/oracles/oracles.py
   asks, and knows the right answers from elsewhere. */
#include "tests/oracles/answers.h"

/* ---- arguments and answers ---- */

const char *word(void) {
    const char *w = strtok(NULL, " \n");
    if (w == NULL) {
        printf("too few arguments\n");
        exit(2);
    }
    return w;
}

void get_q(fmpq_t x) {
    const char *w = word(), *reason = exact_parse_rational(x, w);
    if (reason != NULL) {
        printf("%s: %s\n", w, reason);
        exit(2);
    }
}

void get_z(fmpz_t x) {
    if (exact_parse_integer(x, word()) != NULL) {
        printf("a whole number is wanted\n");
        exit(2);
    }
}

slong get_si(void) {
    fmpz_t x;
    fmpz_init(x);
    get_z(x);
    slong n = fmpz_get_si(x);
    fmpz_clear(x);
    return n;
}

/* The list; free with _fmpq_vec_clear. */
fmpq *get_list(slong *n) {
    *n = get_si();
    fmpq *x = _fmpq_vec_init(*n > 0 ? *n : 1);
    for (slong i = 0; i < *n; i++)
        get_q(x + i);
    return x;
}

void put_q(const fmpq_t x) {
    char *text = exact_fraction(x);
    printf(" %s", text);
    flint_free(text);
}

void put_list(const fmpq *x, slong n) {
    for (slong i = 0; i < n; i++)
        put_q(x + i);
}

void put_dyadic(const arf_t x) {
    fmpz_t m, e;
    fmpz_init(m);
    fmpz_init(e);
    arf_get_fmpz_2exp(m, e, x);
    fmpz_print(m);
    printf(":");
    fmpz_print(e);
    fmpz_clear(m);
    fmpz_clear(e);
}

void put_ball(const arb_t x) {
    if (!arb_is_finite(x)) {
        printf(" infinite");
        return;
    }
    arf_t r;
    arf_init(r);
    arf_set_mag(r, arb_radref(x));
    printf(" ");
    put_dyadic(arb_midref(x));
    printf(":");
    put_dyadic(r);
    arf_clear(r);
}

void put_balls(arb_srcptr x, slong n) {
    for (slong i = 0; i < n; i++)
        put_ball(x + i);
}

void put_arf(const arf_t x) {
    arb_t ball;
    arb_init(ball);
    arb_set_arf(ball, x);
    put_ball(ball);
    arb_clear(ball);
}

arb_ptr balls_of(const fmpq *x, slong n, slong prec) {
    arb_ptr b = _arb_vec_init(n > 0 ? n : 1);
    for (slong i = 0; i < n; i++)
        arb_set_fmpq(b + i, x + i, prec);
    return b;
}

/* ---- text ---- */

/* text: the number; digits text: to so many digits, and from a ball of 2^-200 around it */
void answer_number(const char *name) {
    fmpq_t q;
    fmpq_init(q);
    if (strcmp(name, "parse") == 0) {
        get_q(q);
        put_q(q);
    } else {
        slong digits = get_si();
        arb_t x;
        arb_init(x);
        get_q(q);
        char *text = exact_decimal_rational(q, digits);
        printf(" %s", text);
        flint_free(text);
        arb_set_fmpq(x, q, 300);
        text = exact_decimal_ball(x, digits);
        printf(" %s", text != NULL ? text : "unknown");
        flint_free(text);
        arb_clear(x);
    }
    fmpq_clear(q);
}

static const struct {
    const char *name;
    void (*answer)(const char *name);
} answers[] = {{"gl-rational", answer_weights},
               {"gl-rational-vec", answer_weights},
               {"gl-polynomial", answer_weights},
               {"gl-ball", answer_weights},
               {"gl-ball-vec", answer_weights},
               {"gl-order", answer_weights},
               {"gl-real", answer_weights},
               {"gl-ratio", answer_weights},
               {"gl-taylor", answer_weights},
               {"harmonic", answer_harmonic},
               {"density", answer_laplace},
               {"laplace", answer_laplace},
               {"jacobi", answer_gauss},
               {"laguerre", answer_gauss},
               {"hankel-norm", answer_moments},
               {"hankel-minors", answer_moments},
               {"chebyshev", answer_moments},
               {"tridiagonal", answer_moments},
               {"certify", answer_soe},
               {"minimax", answer_soe},
               {"refit", answer_soe},
               {"interval", answer_method},
               {"gauss-sum", answer_method},
               {"terms-power", answer_theory},
               {"terms-gl", answer_theory},
               {"terms-matrix", answer_theory},
               {"terms-explicit", answer_theory},
               {"symbol", answer_theory},
               {"aliasing", answer_theory},
               {"distance", answer_banks},
               {"uniform", answer_banks},
               {"place", answer_banks},
               {"l2", answer_l2},
               {"levels", answer_fenwick},
               {"popcounts", answer_fenwick},
               {"fenwick", answer_fenwick},
               {"modes", answer_modes},
               {"vla-bound", answer_vla},
               {"norms", answer_vla},
               {"vla", answer_vla},
               {"features", answer_features},
               {"replay", answer_replay},
               {"parse", answer_number},
               {"digits", answer_number}};

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *name = strtok(line, " \n");
        if (name == NULL)
            continue;
        size_t i = 0, n = sizeof answers / sizeof *answers;
        while (i < n && strcmp(answers[i].name, name) != 0)
            i++;
        if (i == n) {
            printf("%s is not known\n", name);
            return 2;
        }
        answers[i].answer(name);
        printf("\n");
        fflush(stdout);
    }
    free(line);
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}

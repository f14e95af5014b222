/* Witnesses: kept as given, and replayed from their inputs alone. */
#include "tests/testing.h"

#include "numerics/exact/witness.h"

/* Append the input of that name from texts. */
static void give(witness_t w, const char *name, slong count, const char *const *texts) {
    fmpq *value = _fmpq_vec_init(FLINT_MAX(count, 1));
    for (slong i = 0; i < count; i++)
        set_q(value + i, texts[i]);
    witness_add(w, name, value, count);
    _fmpq_vec_clear(value, FLINT_MAX(count, 1));
}

static void give_one(witness_t w, const char *name, const char *text) {
    give(w, name, 1, &text);
}

/* Append count copies of one number. */
static void give_many(witness_t w, const char *name, slong count, const fmpq_t x) {
    fmpq *value = _fmpq_vec_init(FLINT_MAX(count, 1));
    for (slong i = 0; i < count; i++)
        fmpq_set(value + i, x);
    witness_add(w, name, value, count);
    _fmpq_vec_clear(value, FLINT_MAX(count, 1));
}

/* Whether w's inputs are refused with these words, whatever it concludes. */
static int refused(const witness_t w, const char *words) {
    enclosure_t computed;
    const char *reason;
    enclosure_init(computed);
    int is =
        witness_replay(computed, &reason, w) == REPLAY_BAD_INPUT && strstr(reason, words) != NULL;
    enclosure_clear(computed);
    return is;
}

/* What w replays to when concluded with rel and the rational text (or a ball around it). */
static replay_status replay(witness_t w, relation rel, const char *text, double radius) {
    enclosure_t lhs, rhs, computed;
    fmpq_t q;
    enclosure_init(lhs);
    enclosure_init(rhs);
    enclosure_init(computed);
    fmpq_init(q);
    set_q(q, text);
    enclosure_set_rational(rhs, q);
    if (radius > 0) {
        arb_t ball;
        arb_init(ball);
        enclosure_get_ball(ball, rhs, 200);
        mag_set_d(arb_radref(ball), radius);
        enclosure_set_ball(rhs, ball);
        arb_clear(ball);
    }
    /* a left side that is wrong: replay must not read it */
    enclosure_set_integer(lhs, 12345);
    witness_conclude(w, lhs, rel, rhs, 64);
    const char *reason = "unset";
    replay_status status = witness_replay(computed, &reason, w);
    if (status == REPLAY_BAD_INPUT || status == REPLAY_UNKNOWN_KIND) {
        assert_non_null(reason);
        assert_true(strlen(reason) > 0);
    } else {
        assert_null(reason);
    }
    enclosure_clear(lhs);
    enclosure_clear(rhs);
    enclosure_clear(computed);
    fmpq_clear(q);
    return status;
}

/* All five relations against a value, one below and one above it. */
static void replay_all(witness_t w, const char *value, const char *below, const char *above) {
    static const replay_status h = REPLAY_HOLDS, f = REPLAY_FAILS;
    assert_int_equal(replay(w, RELATION_EQ, value, 0), h);
    assert_int_equal(replay(w, RELATION_LE, value, 0), h);
    assert_int_equal(replay(w, RELATION_GE, value, 0), h);
    assert_int_equal(replay(w, RELATION_LT, value, 0), f);
    assert_int_equal(replay(w, RELATION_GT, value, 0), f);
    assert_int_equal(replay(w, RELATION_GT, below, 0), h);
    assert_int_equal(replay(w, RELATION_EQ, below, 0), f);
    assert_int_equal(replay(w, RELATION_LE, below, 0), f);
    assert_int_equal(replay(w, RELATION_LT, above, 0), h);
    assert_int_equal(replay(w, RELATION_GE, above, 0), f);
    assert_int_equal(replay(w, RELATION_EQ, value, 1e-3), REPLAY_UNDECIDED);
    assert_int_equal(replay(w, RELATION_LT, value, 1e-3), REPLAY_UNDECIDED);
}

/* Fails if an input is shared instead of copied, lost, or found under another name. */
static void keeps_inputs(void **state) {
    (void)state;
    witness_t w;
    fmpq_t q;
    fmpz_t n;
    char id[] = "an.id", kind[] = "gl-weight", name[] = "alpha";
    fmpq_init(q);
    fmpz_init(n);
    witness_init(w, id, kind);
    set_q(q, "22/7");
    witness_add(w, name, q, 1);
    set_q(q, "1");
    id[0] = kind[0] = name[0] = '?';
    assert_string_equal(w->id, "an.id");
    assert_string_equal(w->kind, "gl-weight");
    const witness_input *in = witness_find(w, "alpha");
    assert_non_null(in);
    set_q(q, "22/7");
    assert_int_equal(in->count, 1);
    assert_true(fmpq_equal(in->value, q));
    assert_null(witness_find(w, "alph"));
    assert_null(witness_find(w, ""));
    assert_null(witness_find(w, "alphabet"));
    assert_null(exact_parse_integer(n, "123456789012345678901234567890"));
    witness_add_integer(w, "n", n);
    in = witness_find(w, "n");
    assert_non_null(in);
    assert_true(fmpz_equal(fmpq_numref(in->value), n) && fmpz_is_one(fmpq_denref(in->value)));
    witness_add(w, "empty", NULL, 0);
    for (int i = 0; i < 50; i++) /* many, so that the list moves */
        witness_add(w, i % 2 ? "odd" : "even", q, 1);
    assert_int_equal(w->inputs, 53);
    in = witness_find(w, "empty");
    assert_non_null(in);
    assert_int_equal(in->count, 0);
    witness_clear(w);
    fmpq_clear(q);
    fmpz_clear(n);
}

/* Fails if the conclusion is not copied whole. */
static void keeps_conclusion(void **state) {
    (void)state;
    witness_t w;
    enclosure_t a, b;
    arb_t ball;
    enclosure_init(a);
    enclosure_init(b);
    arb_init(ball);
    arb_set_d(ball, 0.75);
    enclosure_set_ball(a, ball);
    enclosure_set_integer(b, 3);
    witness_init(w, "x", "gl-weight");
    witness_conclude(w, a, RELATION_LE, b, 200);
    arb_zero(ball);
    enclosure_set_ball(a, ball);
    enclosure_set_integer(b, 4);
    assert_int_equal(w->lhs->type, ENCLOSURE_BALL);
    assert_true(enclosure_get_double(w->lhs) == 0.75);
    assert_int_equal(w->rhs->type, ENCLOSURE_RATIONAL);
    assert_true(fmpq_equal_si(w->rhs->rational, 3));
    assert_int_equal(w->rel, RELATION_LE);
    assert_int_equal(w->min_precision, 200);
    witness_clear(w);
    enclosure_clear(a);
    enclosure_clear(b);
    arb_clear(ball);
}

/* Fails if a weight replays to anything but (alpha)_j/j!. */
static void weights(void **state) {
    (void)state;
    witness_t w;
    witness_init(w, "id", "gl-weight");
    give_one(w, "alpha", "1/2");
    give_one(w, "j", "3");
    replay_all(w, "5/16", "0.3124999999999999999999999999", "0.3125000000000000000000000001");
    witness_clear(w);
    witness_init(w, "id", "gl-weight");
    give_one(w, "alpha", "-1");
    give_one(w, "j", "100000");
    replay_all(w, "0", "-1e-1000", "1e-1000");
    witness_clear(w);
}

/* Fails if the determinant is of another size, or of shifted weights: size 2 is w_0 w_2 - w_1^2 =
   alpha(1-alpha)/2. */
static void determinants(void **state) {
    (void)state;
    witness_t w;
    witness_init(w, "id", "hankel-determinant");
    give_one(w, "size", "2");
    give_one(w, "alpha", "1/3");
    replay_all(w, "1/9", "1/10", "1/8");
    witness_clear(w);
    witness_init(w, "id", "hankel-determinant");
    give_one(w, "size", "1");
    give_one(w, "alpha", "1/3");
    replay_all(w, "1", "0.999", "1.001");
    witness_clear(w);
    witness_init(w, "id", "hankel-determinant"); /* alpha = 1: all ones, rank 1 */
    give_one(w, "size", "20");
    give_one(w, "alpha", "1");
    replay_all(w, "0", "-1e-99", "1e-99");
    witness_clear(w);
}

/* Fails if the error is signed, misses a term, or powers are off by one:
   w_2(1/2) = 3/8, sum = 1/4 + 1/2 9/16 = 17/32. */
static void errors_at(void **state) {
    (void)state;
    static const char *const c[] = {"1", "1/2"}, *const x[] = {"1/2", "3/4"};
    witness_t w;
    witness_init(w, "id", "soe-error-at");
    give_one(w, "alpha", "1/2");
    give_one(w, "j", "2");
    give(w, "weights", 2, c);
    give(w, "nodes", 2, x);
    replay_all(w, "5/32", "0.156", "0.157");
    witness_clear(w);
    witness_init(w, "id", "soe-error-at"); /* no term at all: the weight itself */
    give_one(w, "alpha", "1/2");
    give_one(w, "j", "2");
    give(w, "weights", 0, c);
    give(w, "nodes", 0, x);
    replay_all(w, "3/8", "0.374", "0.376");
    witness_clear(w);
}

/* Fails if the supremum is of another domain or error: without terms it is w_1 = alpha (absolute)
   and 1 (relative); with one unit mode at rate 0 and alpha = 1/2 it is 1 - w_T. */
static void suprema(void **state) {
    (void)state;
    static const char *const one[] = {"1"}, *const zero[] = {"0"};
    witness_t w;
    for (int relative = 0; relative < 2; relative++) {
        witness_init(w, "id", "soe-sup-error");
        give_one(w, "alpha", "1/3");
        give_one(w, "horizon", "2000");
        give_one(w, "relative", relative ? "1" : "0");
        give(w, "weights", 0, one);
        give(w, "rates", 0, zero);
        const char *below = relative ? "0.99" : "0.33", *above = relative ? "1.01" : "0.34",
                   *at = relative ? "1" : "1/3";
        assert_int_equal(replay(w, RELATION_GT, below, 0), REPLAY_HOLDS);
        assert_int_equal(replay(w, RELATION_GE, above, 0), REPLAY_FAILS);
        assert_int_equal(replay(w, RELATION_LT, above, 0), REPLAY_HOLDS);
        assert_int_equal(replay(w, RELATION_LE, below, 0), REPLAY_FAILS);
        assert_int_equal(replay(w, RELATION_EQ, below, 0), REPLAY_FAILS);
        assert_int_equal(replay(w, RELATION_LT, at, 1e-5), REPLAY_UNDECIDED);
        witness_clear(w);
    }
    witness_init(w, "id", "soe-sup-error");
    give_one(w, "alpha", "1/2");
    give_one(w, "horizon", "3");
    give_one(w, "relative", "0");
    give(w, "weights", 1, one);
    give(w, "rates", 1, zero);
    assert_int_equal(replay(w, RELATION_GT, "0.68", 0), REPLAY_HOLDS); /* 1 - 5/16 = 0.6875 */
    assert_int_equal(replay(w, RELATION_LT, "0.69", 0), REPLAY_HOLDS);
    assert_int_equal(replay(w, RELATION_LT, "0.68", 0), REPLAY_FAILS);
    witness_clear(w);
}

/* Fails if levels, the MLP's two products or its operations are off by one. */
static void log_linear(void **state) {
    (void)state;
    static const struct {
        const char *position, *levels, *below, *above;
    } live[] = {
        {"0", "1", "0", "2"},     {"1", "2", "1", "3"},
        {"2", "2", "1", "3"},     {"7", "4", "3", "5"},
        {"65536", "2", "1", "3"}, {"1000000", "8", "7", "9"}}; /* 1000000 has seven set bits */
    static const char *const d[] = {"1", "0"}, *const other[] = {"0", "2"},
                             *const w1[] = {"1", "2", "3", "4", "5", "6"},
                             *const w2[] = {"1", "0", "0", "1", "1/2", "-1"};
    witness_t w;
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        witness_init(w, "id", "loglinear-live-states");
        give_one(w, "position", live[i].position);
        replay_all(w, live[i].levels, live[i].below, live[i].above);
        witness_clear(w);
    }
    /* (1,-2) W1 = (-7,-8,-9); times W2: (-7 - 9/2, -8 + 9) */
    witness_init(w, "id", "loglinear-mlp-spread");
    give(w, "d", 2, d);
    give(w, "other", 2, other);
    give(w, "w1", 6, w1);
    give(w, "w2", 6, w2);
    replay_all(w, "23/2", "11.4", "11.6");
    witness_clear(w);
    witness_init(w, "id",
                 "loglinear-mlp-work"); /* L = 2, log = 1; at 3 and 4 tokens L = 3, log = 2 */
    give_one(w, "tokens", "2");
    replay_all(w, "16", "15", "17");
    witness_clear(w);
    for (int i = 3; i <= 4; i++) {
        witness_init(w, "id", "loglinear-mlp-work");
        give_one(w, "tokens", i == 3 ? "3" : "4");
        replay_all(w, "18", "17", "19");
        witness_clear(w);
    }
}

/* Fails if a path's length is not |s_T|^2, if a value beyond 1 or a feature of the wrong sign passes, or if
   M is not what the directions say: with M = diag(2,1) after the first step the second feature is
   (2 w_0, w_1). */
static void paths(void **state) {
    (void)state;
    static const struct {
        const char *states, *positive;
        int good;
    } list[] = {
        {"3/5,4/5,-3/5,4/5", "0", 1},  /* w = (-6/5, 0), v = 6/5 - 3/5 */
        {"3/5,4/5,-3/5,4/5", "1", 0},  /* second feature 0 */
        {"3/5,4/5,8/5,4/5", "0", 0},   /* w = (1, 0), v = 1 + 3/5 */
        {"3/5,4/5,3/5,4/5", "0", 0},   /* does not move */
        {"3/5,4/5,-1/5,1", "1", 0},    /* features of both signs */
        {"3/5,4/5,11/20,1/2", "1", 1}, /* both negative */
        {"1,1,0,0", "0", 0},           /* |w| = sqrt 2 */
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        witness_t w;
        const char *texts[4], *lambda = "1", *g[4] = {"1", "0", "0", "0"};
        char copy[64], *rest = copy;
        strcpy(copy, list[i].states);
        for (int n = 0; n < 4; n++)
            texts[n] = strsep(&rest, ",");
        witness_init(w, "id", "vla-path");
        give_one(w, "lambda0", lambda);
        give_one(w, "weight", "1");
        give_one(w, "dim", "2");
        give_one(w, "positive", list[i].positive);
        give(w, "states", 4, texts);
        give(w, "directions", 4, g);
        replay_status status = replay(w, RELATION_GT, "1/10", 0);
        if (status != (list[i].good ? REPLAY_HOLDS : REPLAY_BAD_INPUT))
            print_error("path %zu\n", i);
        assert_int_equal(status, list[i].good ? REPLAY_HOLDS : REPLAY_BAD_INPUT);
        if (i == 0)
            replay_all(w, "1", "0.999", "1.001");
        witness_clear(w);
    }
}

/* Fails if the product is of other factors: (3,4) with the key e_0 leaves (0,4); with M = diag(2,1) and the
   key (1,1) it becomes (3,4) - (7/sqrt 2)(1,2)/sqrt 5, of squared length 25 - 2 7 11/sqrt 10 + 49/2. */
static void products(void **state) {
    (void)state;
    static const char *const start[] = {"3", "4"}, *const axis[] = {"1", "0"},
                             *const both[] = {"1", "1"};
    witness_t w;
    for (int i = 0; i < 2; i++) {
        witness_init(w, "id", "vla-product");
        give_one(w, "lambda0", "1");
        give_one(w, "weight", "1");
        give_one(w, "dim", "2");
        give(w, "start", 2, start);
        give(w, "features", 2, i == 0 ? axis : both);
        give(w, "directions", 2, axis);
        assert_int_equal(replay(w, RELATION_GT, i == 0 ? "0.79999" : "0.17898", 0), REPLAY_HOLDS);
        assert_int_equal(replay(w, RELATION_LT, i == 0 ? "0.80001" : "0.17899", 0), REPLAY_HOLDS);
        assert_int_equal(replay(w, RELATION_GE, i == 0 ? "0.80001" : "0.17899", 0), REPLAY_FAILS);
        assert_int_equal(replay(w, RELATION_EQ, i == 0 ? "0.8" : "0.179", 1e-3), REPLAY_UNDECIDED);
        witness_clear(w);
    }
}

/* Fails if a large min_precision makes a false bound of a supremum (alpha, 0 terms) hold. */
static void precision_does_not_decide(void **state) {
    (void)state;
    static const slong precs[] = {-5, 0, 64, 1000, 5000, 10000, 100000};
    witness_t w;
    enclosure_t rhs, computed;
    fmpq_t q;
    enclosure_init(rhs);
    enclosure_init(computed);
    fmpq_init(q);
    set_q(q, "1/10"); /* the truth is 1/3 */
    enclosure_set_rational(rhs, q);
    for (size_t i = 0; i < sizeof precs / sizeof *precs; i++) {
        witness_init(w, "id", "soe-sup-error");
        give_one(w, "alpha", "1/3");
        give_one(w, "horizon", "3");
        give_one(w, "relative", "0");
        give(w, "weights", 0, NULL);
        give(w, "rates", 0, NULL);
        witness_conclude(w, rhs, RELATION_LT, rhs, precs[i]);
        const char *reason;
        replay_status status = witness_replay(computed, &reason, w);
        if (status == REPLAY_HOLDS)
            print_error("false conclusion holds at %ld bits\n", (long)precs[i]);
        assert_int_not_equal(status, REPLAY_HOLDS);
        witness_clear(w);
    }
    enclosure_clear(rhs);
    enclosure_clear(computed);
    fmpq_clear(q);
}

/* Fails if a quantity of the layer is another one: d = 2, lambda0 = 1, key and direction (3,4), v = 1, so
   a = k, |u|^2 = 1/2 and A = 2/3 along k. */
static void layers(void **state) {
    (void)state;
    static const char *const key[] = {"3", "4"}, *const across[] = {"4", "-3"};
    static const struct {
        const char *kind, *value, *below, *above;
    } list[] = {{"vla-gain", "1", "0.99", "1.01"},       {"vla-jacobians", "1", "0.99", "1.01"},
                {"vla-excess", "9/10", "0.89", "0.91"},  {"vla-recall", "0", "-1", "1"},
                {"vla-overlap", "1", "0.99", "1.01"},    {"vla-contraction", "1/3", "0.33", "0.34"},
                {"vla-refresh", "13/4", "3.24", "3.26"}, {"delta-gate", "0", "-1", "1"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        witness_t w;
        witness_init(w, "id", list[i].kind);
        give_one(w, "tokens", "1");
        give_one(w, "lambda0", "1");
        give(w, "keys", 2, key);
        give(w, "directions", 2, key);
        give_one(w, "values", "1");
        give(w, "test", 2, across);
        if (strcmp(list[i].kind, "vla-refresh") == 0) {
            give_one(w, "refresh", "1");
            give_one(w, "every", "1");
        }
        give(w, "state", 2, key);
        give_one(w, "beta", "1/2");
        replay_all(w, list[i].value, list[i].below, list[i].above);
        witness_clear(w);
    }
    witness_t w; /* S = (1,0), x = (3,4): S x = 3, S' x = 3 + (1 - 3/5) 5/2 = 4 */
    static const char *const one[] = {"1", "0"};
    witness_init(w, "id", "delta-gate");
    give(w, "keys", 2, key);
    give(w, "state", 2, one);
    give_one(w, "values", "1");
    give_one(w, "beta", "1/2");
    give(w, "test", 2, key);
    replay_all(w, "7", "6.99", "7.01");
    witness_clear(w);
}

/* One witness with inputs "name=value,value" separated by blanks; what it replays to. */
static replay_status replay_inputs(const char *kind, const char *inputs) {
    witness_t w;
    witness_init(w, "id", kind);
    char *copy = malloc(strlen(inputs) + 1);
    assert_non_null(copy);
    strcpy(copy, inputs);
    char *rest = copy;
    for (char *item; (item = strsep(&rest, " ")) != NULL;) {
        if (*item == '\0')
            continue;
        char *values = strchr(item, '=');
        assert_non_null(values);
        *values++ = '\0';
        const char *texts[8];
        slong count = 0;
        for (char *text; (text = strsep(&values, ",")) != NULL;)
            if (*text != '\0')
                texts[count++] = text;
        give(w, item, count, texts);
    }
    replay_status status = replay(w, RELATION_LE, "1e9", 0);
    free(copy);
    witness_clear(w);
    return status;
}

/* Fails if inputs are missing, of the wrong size or out of range, and a replay runs all the
   same. */
static void refuses_bad_inputs(void **state) {
    (void)state;
    static const struct {
        const char *kind, *inputs;
    } bad[] = {
        {"gl-weight", ""},
        {"gl-weight", "alpha=1/2"},
        {"gl-weight", "j=1"},
        {"gl-weight", "alpha=1/2,1/3 j=1"},
        {"gl-weight", "alpha= j=1"},
        {"gl-weight", "alpha=1/2 j=-1"},
        {"gl-weight", "alpha=1/2 j=1/2"},
        {"gl-weight", "alpha=1/2 j=1,2"},
        {"gl-weight", "alpha=1/2 j=100001"},
        {"gl-weight", "alpha=1/2 j=1e100"},
        {"hankel-determinant", "alpha=1/2"},
        {"hankel-determinant", "size=3"},
        {"hankel-determinant", "alpha=1/2 size=0"},
        {"hankel-determinant", "alpha=1/2 size=65"},
        {"hankel-determinant", "alpha=1/2 size=3/2"},
        {"loglinear-live-states", ""},
        {"loglinear-live-states", "position=-1"},
        {"loglinear-live-states", "position=1/2"},
        {"loglinear-live-states", "position=1000001"},
        {"loglinear-mlp-spread", "d=1 other=1 w1=1"},
        {"loglinear-mlp-spread", "d=1 other=1,2 w1=1 w2=1"},
        {"loglinear-mlp-spread", "d= other= w1=1 w2=1"},
        {"loglinear-mlp-spread", "d=1,2 other=1,2 w1=1,2,3 w2=1,2,3"},
        {"loglinear-mlp-spread", "d=1 other=1 w1=1,2 w2=1"},
        {"loglinear-mlp-work", "tokens=1"},
        {"loglinear-mlp-work", "tokens=5/2"},
        {"loglinear-mlp-work", "tokens=1e2000"},
        {"soe-error-at", "j=1 weights=1 nodes=1/2"},
        {"soe-error-at", "alpha=1/2 weights=1 nodes=1/2"},
        {"soe-error-at", "alpha=1/2 j=1 nodes=1/2"},
        {"soe-error-at", "alpha=1/2 j=1 weights=1"},
        {"soe-error-at", "alpha=1/2 j=1 weights=1,2 nodes=1/2"},
        {"soe-error-at", "alpha=1/2 j=4097 weights=1 nodes=1/2"},
        {"soe-sup-error", "horizon=9 relative=0 weights=1 rates=1"},
        {"soe-sup-error", "alpha=1/2 relative=0 weights=1 rates=1"},
        {"soe-sup-error", "alpha=1/2 horizon=9 weights=1 rates=1"},
        {"soe-sup-error", "alpha=1/2 horizon=9 relative=0 rates=1"},
        {"soe-sup-error", "alpha=1/2 horizon=9 relative=0 weights=1"},
        {"soe-sup-error", "alpha=1/2 horizon=9 relative=0 weights=1 rates=1,2"},
        {"soe-sup-error", "alpha=1/2 horizon=9 relative=2 weights=1 rates=1"},
        {"soe-sup-error", "alpha=1/2 horizon=0 relative=0 weights=1 rates=1"},
        {"soe-sup-error", "alpha=1/2 horizon=-3 relative=0 weights=1 rates=1"},
        {"soe-sup-error", "alpha=1/2 horizon=1/2 relative=0 weights=1 rates=1"},
        {"soe-sup-error", "alpha=1/2 horizon=1e19 relative=0 weights=1 rates=1"},
        {"soe-sup-error", "alpha=1/2 horizon=9 relative=0 weights=1 rates=-1"},
        {"soe-sup-error", "alpha=0 horizon=9 relative=0 weights=1 rates=1"},
        {"vla-gain", "tokens=1 lambda0=1 keys=3,4 directions=3,4 values=1"},
        {"vla-gain", "tokens=1 lambda0=1 keys=3,4 directions=3,4 values=1 test=0,0"},
        {"vla-gain", "tokens=1 lambda0=1 keys=3,4 directions=3,4 values=1 test=1"},
        {"vla-gain", "tokens=0 lambda0=1 keys=3,4 directions=3,4 values=1 test=1,0"},
        {"vla-gain", "tokens=65 lambda0=1 keys=3,4 directions=3,4 values=1 test=1,0"},
        {"vla-gain", "tokens=2 lambda0=1 keys=3,4,5 directions=3,4,5 values=1,1 test=1,0"},
        {"vla-recall", "lambda0=1 keys=3,4 directions=3,4 values=1"},
        {"vla-recall", "tokens=1 keys=3,4 directions=3,4 values=1"},
        {"vla-recall", "tokens=1 lambda0=0 keys=3,4 directions=3,4 values=1"},
        {"vla-recall", "tokens=1 lambda0=-1 keys=3,4 directions=3,4 values=1"},
        {"vla-recall", "tokens=1 lambda0=1 directions=3,4 values=1"},
        {"vla-recall", "tokens=1 lambda0=1 keys=3,4 directions=3 values=1"},
        {"vla-recall", "tokens=1 lambda0=1 keys=3,4 directions=3,4"},
        {"vla-recall", "tokens=1 lambda0=1 keys=0,0 directions=3,4 values=1"},
        {"vla-recall", "tokens=1 lambda0=1 keys=1,1 directions=3,4 values=1"},
        {"vla-recall", "tokens=1 lambda0=1 keys=3,4 directions=1,0 values=1"},
        {"vla-recall", "tokens=1 lambda0=1e99 keys=3,4 directions=3,4 values=1"},
        {"vla-refresh", "tokens=1 lambda0=1 keys=3,4 directions=3,4 values=1 refresh=1"},
        {"vla-refresh", "tokens=1 lambda0=1 keys=3,4 directions=3,4 values=1 refresh=1 every=0"},
        {"vla-refresh", "tokens=1 lambda0=1 keys=3,4 directions=3,4 values=1 refresh=-1 every=1"},
        {"delta-gate", "keys=3,4 state=1,0 values=1 test=1,0"},
        {"delta-gate", "keys=0,0 state=1,0 values=1 test=1,0 beta=1"},
        {"delta-gate", "keys=3,4 state=1 values=1 test=1,0 beta=1"},
        {"delta-gate", "keys=3,4 state=1,0 values=1 test=1 beta=1"},
        {"soe-sup-error", "alpha=3/2 horizon=9 relative=0 weights=1 rates=1"},
        {"vla-path", "weight=1 dim=1 positive=0 states=1 directions=1"},
        {"vla-path", "lambda0=0 weight=1 dim=1 positive=0 states=1 directions=1"},
        {"vla-path", "lambda0=1 weight=-1 dim=1 positive=0 states=1 directions=1"},
        {"vla-path", "lambda0=1 weight=1 dim=0 positive=0 states=1 directions=1"},
        {"vla-path", "lambda0=1 weight=1 dim=1 states=1 directions=1"},
        {"vla-path", "lambda0=1 weight=1 dim=1 positive=0 states= directions="},
        {"vla-path", "lambda0=1 weight=1 dim=2 positive=0 states=1,0,1 directions=1,0,1"},
        {"vla-path", "lambda0=1 weight=1 dim=2 positive=0 states=1,0 directions=1"},
        {"vla-product", "lambda0=1 weight=1 dim=2 features=1,0 directions=1,0"},
        {"vla-product", "lambda0=1 weight=1 dim=2 start=0,0 features=1,0 directions=1,0"},
        {"vla-product", "lambda0=1 weight=1 dim=2 start=1 features=1,0 directions=1,0"},
        {"vla-product", "lambda0=1 weight=1 dim=2 start=1,1 features=0,0 directions=1,0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        replay_status status = replay_inputs(bad[i].kind, bad[i].inputs);
        if (status != REPLAY_BAD_INPUT)
            print_error("%s: %s\n", bad[i].kind, bad[i].inputs);
        assert_int_equal(status, REPLAY_BAD_INPUT);
    }
    /* the same with all they need */
    assert_int_equal(replay_inputs("gl-weight", "alpha=1/2 j=1"), REPLAY_HOLDS);
    assert_int_equal(replay_inputs("hankel-determinant", "alpha=1/2 size=64"), REPLAY_HOLDS);
    assert_int_equal(replay_inputs("soe-error-at", "alpha=1/2 j=4096 weights=1 nodes=1/2"),
                     REPLAY_HOLDS);
    assert_int_equal(
        replay_inputs("soe-sup-error", "alpha=1/2 horizon=9 relative=1 weights=1 rates=1"),
        REPLAY_HOLDS);
    assert_int_equal(
        replay_inputs("vla-path", "lambda0=1 weight=1 dim=1 positive=0 states=1 directions=1"),
        REPLAY_HOLDS);
    assert_int_equal(
        replay_inputs("vla-product",
                      "lambda0=1 weight=1 dim=2 start=1,1 features=1,0 directions=1,0"),
        REPLAY_HOLDS);
}

/* Fails if a size that is allowed is refused, or the next one is not. */
static void sizes_at_their_limits(void **state) {
    (void)state;
    fmpq_t one, x;
    witness_t w;
    fmpq_init(one);
    fmpq_init(x);
    fmpq_one(one);
    for (slong over = 0; over < 2; over++) {
        witness_init(w, "id", "soe-alternation"); /* all but the points is right */
        give_one(w, "alpha", "1/2");
        give_one(w, "relative", "0");
        give_many(w, "weights", 400 + over, one);
        give_many(w, "rates", 400 + over, one);
        give_one(w, "points", "1");
        assert_true(refused(w, over ? "at most 400" : "2S+1 points"));
        witness_clear(w);
        for (int upper = 0; upper < 2; upper++) { /* bits of numerators and denominators */
            fmpq_one(x);
            fmpq_mul_2exp(x, x, (flint_bitcnt_t)(127 + over));
            if (!upper)
                fmpq_inv(x, x);
            witness_init(w, "id", "delta-gate");
            give_one(w, "beta", "1");
            give_one(w, "keys", "1");
            give_one(w, "state", "0");
            give_one(w, "values", "0");
            give_many(w, "test", 1, x);
            assert_int_equal(replay(w, RELATION_EQ, "0", 0),
                             over ? REPLAY_BAD_INPUT : REPLAY_HOLDS);
            witness_clear(w);
        }
        for (int wide = 0; wide < 2; wide++) { /* 16 keys, 16 values */
            slong d = wide ? 16 + over : 1, m = wide ? 1 : 16 + over;
            fmpq_zero(x);
            witness_init(w, "id", "delta-gate");
            give_one(w, "beta", "1");
            fmpq *key = _fmpq_vec_init(d);
            fmpq_one(key);
            witness_add(w, "keys", key, d);
            _fmpq_vec_clear(key, d);
            give_many(w, "state", d * m, x);
            give_many(w, "values", m, one);
            give_many(w, "test", d, one);
            assert_int_equal(replay(w, RELATION_EQ, wide ? "1" : "16", 0),
                             over ? REPLAY_BAD_INPUT : REPLAY_HOLDS);
            witness_clear(w);
        }
        fmpq *order = _fmpq_vec_init(2); /* 2^-4095 has a denominator of 4096 bits */
        fmpq_one(order);
        fmpq_div_2exp(order, order, (flint_bitcnt_t)(4095 + over));
        fmpq_one(order + 1);
        witness_init(w, "id", "bank-chain");
        witness_add(w, "orders", order, 2);
        give_one(w, "horizon", "1");
        give_one(w, "norm", "0");
        assert_int_equal(replay(w, RELATION_LT, "2", 0), over ? REPLAY_BAD_INPUT : REPLAY_HOLDS);
        witness_clear(w);
        _fmpq_vec_clear(order, 2);
    }
    witness_init(w, "id", "vla-path");
    give_one(w, "lambda0", "0");
    give_one(w, "weight", "1");
    assert_true(refused(w, "one \"lambda0\" > 0"));
    witness_clear(w);
    fmpq_clear(one);
    fmpq_clear(x);
}

/* Fails if points of an alternation that prove nothing pass: whole numbers where the kernel has no others,
   dyadic ones that increase in any case, and the first reason stands. */
static void alternations(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        const char *points[3];
        const char *words; /* NULL: taken */
    } list[] = {
        {"alpha", {"1", "2", "9"}, NULL},          {"alpha", {"1", "3/2", "9"}, "whole numbers"},
        {"alpha", {"1", "4/3", "9"}, "dyadic"},    {"alpha", {"1/2", "-1/2", "9"}, "whole numbers"},
        {"alpha", {"-1/2", "1", "9"}, "positive"}, {"alpha", {"2", "2", "9"}, "increase"},
        {"beta", {"1", "3/2", "9"}, NULL},         {"beta", {"1", "4/3", "9"}, "dyadic"},
        {"beta", {"0", "1", "9"}, "positive"},     {"beta", {"1", "2", "3/2"}, "increase"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        witness_t w;
        witness_init(w, "id", "soe-alternation");
        give_one(w, list[i].kernel, "1/2");
        give_one(w, "relative", "0");
        give_one(w, "weights", "1/2");
        give_one(w, "rates", "1/10");
        give(w, "points", 3, list[i].points);
        if (list[i].words != NULL)
            assert_case(refused(w, list[i].words), "alternations", (long)i);
        else
            assert_case(replay(w, RELATION_GE, "0", 0) == REPLAY_HOLDS, "alternations", (long)i);
        witness_clear(w);
    }
}

/* Distances of neighbours in a chain: w_1 = alpha alone at horizon 1, closed forms at horizon 2
   (w_2 = alpha(alpha+1)/2), least or largest as the relation asks. */
static void chains(void **state) {
    (void)state;
    static const char *const orders[] = {"1/4", "1/2", "1"}, *const falling[] = {"1/2", "1/4"},
                             *const beyond[] = {"1/2", "3/2"};
    static const char *const norms[] = {"0", "1", "2"};
    static const struct {
        const char *horizon, *below, *above; /* around the least distance, 1/4 to 1/2 */
    } least[3] = {{"2", "0.2499", "0.2501"}, {"2", "0.4687", "0.4688"}, {"2", "0.3321", "0.3323"}};
    for (int n = 0; n < 3; n++) {
        witness_t w;
        witness_init(w, "chain", "bank-chain");
        give(w, "orders", 3, orders);
        give_one(w, "horizon", least[n].horizon);
        give_one(w, "norm", norms[n]);
        assert_int_equal(replay(w, RELATION_GT, least[n].below, 0), REPLAY_HOLDS);
        assert_int_equal(replay(w, RELATION_GT, least[n].above, 0), REPLAY_FAILS);
        /* the largest: 1/2 to 1: 1/2, 1/2 + 5/8, (1/4 + 25/64)^(1/2) */
        assert_int_equal(replay(w, RELATION_LE,
                                n == 0   ? "0.626"
                                : n == 1 ? "1.126"
                                         : "0.801",
                                0),
                         REPLAY_HOLDS);
        assert_int_equal(replay(w, RELATION_LE,
                                n == 0   ? "0.624"
                                : n == 1 ? "1.124"
                                         : "0.800",
                                0),
                         REPLAY_FAILS);
        witness_clear(w);
    }
    for (int n = 0; n < 6; n++) { /* each input bad in turn */
        witness_t w;
        witness_init(w, "chain", "bank-chain");
        if (n != 0)
            give(w, "orders", n == 3 ? 1 : 2, n == 1 ? falling : n == 2 ? beyond : orders);
        give_one(w, "horizon", n == 4 ? "0" : "5");
        give_one(w, "norm", n == 5 ? "3" : "0");
        assert_int_equal(replay(w, RELATION_GT, "0", 0), REPLAY_BAD_INPUT);
        witness_clear(w);
    }
}

/* e^(q.far - q.near): exactly 1 for equal scores, else e to a rational. */
static void softmax_ratios(void **state) {
    (void)state;
    static const char *const q[] = {"1/2", "-3"}, *const near[] = {"2", "1/3"},
                             *const far[] = {"4", "2/3"}, *const more[] = {"4", "1/3"};
    witness_t w;
    witness_init(w, "ratio", "softmax-ratio"); /* 1/2*2 - 3*1/3 = 0 = 1/2*4 - 3*2/3 */
    give(w, "query", 2, q);
    give(w, "near", 2, near);
    give(w, "far", 2, far);
    replay_all(w, "1", "99/100", "101/100");
    witness_clear(w);
    witness_init(w, "ratio", "softmax-ratio"); /* e^1 */
    give(w, "query", 2, q);
    give(w, "near", 2, near);
    give(w, "far", 2, more);
    assert_int_equal(replay(w, RELATION_GT, "2.71828", 0), REPLAY_HOLDS);
    assert_int_equal(replay(w, RELATION_LT, "2.71829", 0), REPLAY_HOLDS);
    assert_int_equal(replay(w, RELATION_EQ, "1", 0), REPLAY_FAILS);
    witness_clear(w);
    witness_init(w, "ratio", "softmax-ratio");
    give(w, "query", 2, q);
    give(w, "near", 2, near);
    give(w, "far", 1, far);
    assert_int_equal(replay(w, RELATION_GT, "0", 0), REPLAY_BAD_INPUT);
    witness_clear(w);
}

/* Fails if a kind is matched by prefix or case. */
static void refuses_unknown_kinds(void **state) {
    (void)state;
    static const char *const kinds[] = {"", "gl", "gl-weight ", "GL-WEIGHT", "gl-weights", "soe"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        assert_int_equal(replay_inputs(kinds[i], "alpha=1/2 j=1"), REPLAY_UNKNOWN_KIND);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_inputs),
        cmocka_unit_test(keeps_conclusion),
        cmocka_unit_test(weights),
        cmocka_unit_test(determinants),
        cmocka_unit_test(layers),
        cmocka_unit_test(errors_at),
        cmocka_unit_test(suprema),
        cmocka_unit_test(log_linear),
        cmocka_unit_test(paths),
        cmocka_unit_test(products),
        cmocka_unit_test(precision_does_not_decide),
        cmocka_unit_test(chains),
        cmocka_unit_test(softmax_ratios),
        cmocka_unit_test(refuses_bad_inputs),
        cmocka_unit_test(sizes_at_their_limits),
        cmocka_unit_test(alternations),
        cmocka_unit_test(refuses_unknown_kinds),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    mpfr_free_cache();
    return failed;
}

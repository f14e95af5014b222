/* Witnesses as scripts in exact fractions that need nothing but Python. */
#include "reports/json_codec.h"

#include "numerics/exact/number.h"
#include "numerics/exact/replay_vla.h"
#include "reports/text.h"
#include "reports/vla_python.h"

#include <stdlib.h>
#include <string.h>

static void python_input(text_buffer *b, const witness_t w, const char *name) {
    const witness_input *in = witness_find(w, name);
    text_printf(b, "%s = [", name);
    for (slong k = 0; in != NULL && k < in->count; k++) {
        char *text = exact_fraction(in->value + k);
        text_printf(b, "%s\n    F(\"%s\")", k > 0 ? "," : "", text);
        flint_free(text);
    }
    text_printf(b, "]\n");
}

static void python_rational(text_buffer *b, const char *name, const enclosure_t x) {
    char *text = exact_fraction(x->rational);
    text_printf(b, "%s = F(\"%s\")\n", name, text);
    flint_free(text);
}

/* The left side of a witness on log-linear attention; 0 if it is of another kind. */
static int python_loglinear(text_buffer *b, const witness_t w) {
    if (strcmp(w->kind, "loglinear-live-states") == 0) {
        python_input(b, w, "position");
        text_printf(b, "t = int(position[0])\n"
                       "lhs = F(len({(t ^ s).bit_length() for s in range(t + 1)}))\n");
    } else if (strcmp(w->kind, "loglinear-mlp-work") == 0) {
        python_input(b, w, "tokens");
        text_printf(b, "log = (int(tokens[0]) - 1).bit_length()\n"
                       "lhs = F(4 * (log + 1) ** 2, log)\n");
    } else if (strcmp(w->kind, "loglinear-mlp-spread") == 0) {
        python_input(b, w, "d");
        python_input(b, w, "other");
        python_input(b, w, "w1");
        python_input(b, w, "w2");
        text_printf(b, "n = len(d)\nm = len(w1) // n\n"
                       "h = [sum((d[l] - other[l]) * w1[l * m + k] for l in range(n))"
                       " for k in range(m)]\n"
                       "lhs = max(abs(sum(h[k] * w2[k * n + l] for k in range(m)))"
                       " for l in range(n))\n");
    } else {
        return 0;
    }
    return 1;
}

/* The same on variational linear attention and the delta rule. */
static int python_vla(text_buffer *b, const witness_t w) {
    static const char *const names[] = {"tokens", "lambda0", "keys",  "directions", "values",
                                        "test",   "refresh", "every", "beta",       "state"};
    if (!vla_replay_knows(w->kind))
        return 0;
    text_printf(b, "from math import isqrt\n\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        python_input(b, w, names[i]);
    report_vla_python(b, w);
    return 1;
}

/* Lags times orders that the script does in a minute. */
static int python_takes_banks(const witness_t w) {
    const witness_input *chain = witness_find(w, "orders"), *t = witness_find(w, "horizon");
    return strcmp(w->kind, "bank-chain") == 0 && w->rel != RELATION_EQ && chain != NULL &&
           t != NULL && t->count == 1 && witness_find(w, "norm") != NULL &&
           fmpz_cmp_si(fmpq_numref(t->value), 20000000 / (chain->count + 1)) <= 0;
}

/* lhs := a bound of the distances on the side that the relation needs: whole numbers of 2^-200,
   rounded down and up. */
static void python_banks(text_buffer *b, const witness_t w) {
    int least = w->rel == RELATION_GT || w->rel == RELATION_GE;
    python_input(b, w, "orders");
    python_input(b, w, "horizon");
    python_input(b, w, "norm");
    text_printf(b, "from math import isqrt\nONE = 1 << 200\n\n\n"
                   "def weights(a):  # w_j in [low, high]/ONE, w_{j+1} = w_j (j+a)/(j+1)\n"
                   "    low = high = ONE\n    yield low, high\n"
                   "    p, q = a.numerator, a.denominator\n"
                   "    for j in range(int(horizon[0])):\n"
                   "        low = low * (j * q + p) // ((j + 1) * q)\n"
                   "        high = -(-high * (j * q + p) // ((j + 1) * q))\n"
                   "        yield low, high\n\n\n");
    text_printf(b, "def distance(a, b):\n"
                   "    low = high = 0\n"
                   "    for (al, ah), (bl, bh) in zip(weights(a), weights(b)):\n"
                   "        l, h = max(bl - ah, 0), bh - al\n"
                   "        if norm[0] == 0:\n            low, high = max(low, l), max(high, h)\n"
                   "        elif norm[0] == 1:\n            low, high = low + l, high + h\n"
                   "        else:\n            low, high = low + l * l, high + h * h\n"
                   "    if norm[0] == 2:\n        low, high = isqrt(low), isqrt(high) + 1\n"
                   "    return low, high\n\n\n");
    text_printf(b, "lhs = F(%s(distance(a, b)[%d] for a, b in zip(orders, orders[1:])), ONE)\n",
                least ? "min" : "max", least ? 0 : 1);
}

/* Exact where the scores agree; else exp is beyond fractions and the script says so. */
static void python_softmax(text_buffer *b, const witness_t w) {
    python_input(b, w, "query");
    python_input(b, w, "near");
    python_input(b, w, "far");
    text_printf(b, "score = sum(q * (y - x) for q, x, y in zip(query, near, far))\n"
                   "assert score == 0, \"the scores differ: replay this witness with mneme\"\n"
                   "lhs = F(1)  # e^0\n");
}

/* The same on orders and softmax weights. */
static int python_orders(text_buffer *b, const witness_t w) {
    int softmax = strcmp(w->kind, "softmax-ratio") == 0;
    if (!softmax && !python_takes_banks(w))
        return 0;
    if (softmax)
        python_softmax(b, w);
    else
        python_banks(b, w);
    return 1;
}

/* The state path: every value v_t = X + Y is shown to be at most 1 in size by squares alone.  The product:
   fractions rounded to 2^-400 with a bound on what that costs; a factor is at most 2 in norm. */
static int python_growth(text_buffer *b, const witness_t w) {
    int path = strcmp(w->kind, "vla-path") == 0, product = strcmp(w->kind, "vla-product") == 0;
    if (!path && (!product || (w->rel != RELATION_GE && w->rel != RELATION_GT)))
        return 0;
    static const char *const names[] = {"lambda0", "weight", "dim", "directions"};
    for (int i = 0; i < 4; i++)
        python_input(b, w, names[i]);
    python_input(b, w, path ? "states" : "features");
    python_input(b, w, path ? "positive" : "start");
    text_printf(b,
                "d = int(dim[0])\nm = [[lambda0[0] * (i == j) for j in range(d)] for i in range(d)]"
                "\n\n\ndef dot(x, y):\n    return sum(a * b for a, b in zip(x, y))\n\n\n"
                "def add(g):  # M += weight g g^T\n    for i in range(d):\n"
                "        for j in range(d):\n            m[i][j] += weight[0] * g[i] * g[j]\n\n\n");
    if (path) {
        text_printf(
            b, "s = [F(0)] * d\nfor t in range(0, len(states), d):\n    add(directions[t:t + d])\n"
               "    w = [a - b for a, b in zip(states[t:t + d], s)]  # = (v - s.k) a\n"
               "    f = [dot(row, w) for row in m]  # the features, up to sign and length\n"
               "    assert not positive[0] or all(x > 0 for x in f) or all(x < 0 for x in f)\n"
               "    x2, y2 = dot(w, w), dot(s, f) ** 2 / dot(f, f)  # v = +-(X + Y)\n"
               "    rest = 1 - x2 - y2  # v^2 <= 1 iff 2XY <= rest\n"
               "    if dot(s, f) > 0:\n        assert rest >= 0 and 4 * x2 * y2 <= rest ** 2\n"
               "    else:\n        assert rest >= 0 or 4 * x2 * y2 >= rest ** 2\n"
               "    s = states[t:t + d]\nlhs = dot(s, s)\n");
        return 1;
    }
    text_printf(
        b,
        "from math import isqrt\n\nD = 2 ** 400\n\n\ndef solve(f):  # M^{-1} f\n"
        "    a = [row[:] + [x] for row, x in zip(m, f)]\n    for k in range(d):\n"
        "        a[k] = [x / a[k][k] for x in a[k]]\n        for i in range(d):\n"
        "            if i != k:\n                a[i] = [x - a[i][k] * y for x, y in zip(a[i], "
        "a[k])]\n"
        "    return [row[d] for row in a]\n\n\ndef near(x):  # within 1/D\n"
        "    return F(x.numerator * D // x.denominator, D)\n\n\n"
        "def root(x):  # within 1/D below\n    return F(isqrt(x.numerator * D * D // "
        "x.denominator), D)\n"
        "\n\ns, error = start, F(0)  # the true row is within error of s\n"
        "for t in range(0, len(features), d):\n    add(directions[t:t + d])\n"
        "    f = features[t:t + d]\n    y = solve(f)\n    p = root(dot(f, f) * dot(y, y))\n"
        "    c = dot(s, f)\n    s = [near(a - c * b / p) for a, b in zip(s, y)]\n"
        "    # |1/p - 1/sqrt(..)| <= 1/(D p^2), and |y| <= 1 + |y|^2\n"
        "    error = near(2 * error + abs(c) * (1 + dot(y, y)) / (D * p * p) + F(d, D)) + F(1, D)\n"
        "lhs = (root(dot(s, s)) - error) / (root(dot(start, start)) + F(1, D))  # from below\n");
    return 1;
}

char *report_witness_to_python(const witness_t w) {
    int weight = strcmp(w->kind, "gl-weight") == 0,
        hankel = strcmp(w->kind, "hankel-determinant") == 0,
        error = strcmp(w->kind, "soe-error-at") == 0;
    text_buffer b;
    if (w->rhs->type != ENCLOSURE_RATIONAL)
        return NULL;
    text_init(&b);
    text_printf(&b, "# %s: a check in exact fractions that needs nothing but Python.\n", w->id);
    text_printf(&b, "from fractions import Fraction as F\n\n");
    int other = python_loglinear(&b, w) || python_vla(&b, w) || python_orders(&b, w) ||
                python_growth(&b, w);
    if (!weight && !hankel && !error && !other) {
        free(b.data);
        return NULL;
    }
    if (!other) {
        python_input(&b, w, "alpha");
        text_printf(&b,
                    "\n\ndef weight(j):  # w_0 = 1, w_{j+1} = w_j (j+alpha)/(j+1)\n    w = F(1)\n"
                    "    for i in range(j):\n        w = w * (i + alpha[0]) / (i + 1)\n"
                    "    return w\n\n\n");
    }
    if (hankel) {
        python_input(&b, w, "size");
        text_printf(&b,
                    "n = int(size[0])\nm = [[weight(i + k) for k in range(n)] for i in range(n)]\n"
                    "lhs = F(1)\nfor k in range(n):  # elimination with row exchange\n"
                    "    p = next((i for i in range(k, n) if m[i][k] != 0), None)\n"
                    "    if p is None:\n        lhs = F(0)\n        break\n"
                    "    if p != k:\n        m[k], m[p] = m[p], m[k]\n        lhs = -lhs\n"
                    "    lhs *= m[k][k]\n    for i in range(k + 1, n):\n"
                    "        f = m[i][k] / m[k][k]\n"
                    "        m[i] = [a - f * b for a, b in zip(m[i], m[k])]\n");
    } else if (!other) {
        python_input(&b, w, "j");
        if (error) {
            python_input(&b, w, "weights");
            python_input(&b, w, "nodes");
            text_printf(&b, "lhs = abs(weight(int(j[0])) - sum(c * x ** int(j[0]) "
                            "for c, x in zip(weights, nodes)))\n");
        } else {
            text_printf(&b, "lhs = weight(int(j[0]))\n");
        }
    }
    python_rational(&b, "rhs", w->rhs);
    const char *symbol = w->rel == RELATION_EQ ? "==" : relation_symbol(w->rel);
    text_printf(&b, "print(\"lhs = %%.17g\" %% lhs, \"rhs = %%.17g\" %% rhs)\n");
    text_printf(&b, "assert lhs %s rhs\nprint(\"holds: lhs %s rhs\")\n", symbol, symbol);
    return text_take(&b);
}

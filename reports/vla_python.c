/* Witnesses on variational linear attention as Python: the layer in fractions, matrices as lists of rows,
   inverses by elimination. */
#include "reports/vla_python.h"

#include <string.h>

static const char algebra[] =
    "\n\ndef root(q):  # of a rational square\n"
    "    n, d = isqrt(q.numerator), isqrt(q.denominator)\n"
    "    assert n * n == q.numerator and d * d == q.denominator and n > 0\n"
    "    return F(n, d)\n\n\n"
    "def dot(x, y):\n    return sum(a * b for a, b in zip(x, y))\n\n\n"
    "def unit(x):\n    r = root(dot(x, x))\n    return [a / r for a in x]\n\n\n"
    "def times(m, x):\n    return [dot(row, x) for row in m]\n\n\n"
    "def inverse(m):  # Gauss and Jordan\n"
    "    n = len(m)\n"
    "    m = [list(r) + [F(int(i == j)) for j in range(n)] for i, r in enumerate(m)]\n"
    "    for c in range(n):\n"
    "        p = next(i for i in range(c, n) if m[i][c] != 0)\n"
    "        m[c], m[p] = m[p], m[c]\n"
    "        m[c] = [a / m[c][c] for a in m[c]]\n"
    "        for i in range(n):\n"
    "            if i != c:\n"
    "                f = m[i][c]\n"
    "                m[i] = [a - f * b for a, b in zip(m[i], m[c])]\n"
    "    return [r[n:] for r in m]\n\n\n";

static const char rows[] =
    "def rows(x, n):\n    return [x[i:i + n] for i in range(0, len(x), n)]\n\n\n";

/* before: A_{T-1} as the last token finds it. */
static const char layer[] =
    "T = int(tokens[0])\nd, m = len(keys) // T, len(values) // T\n"
    "K, U, V = [unit(k) for k in rows(keys, d)], rows(directions, d), rows(values, m)\n"
    "M = [[lambda0[0] * (i == j) for j in range(d)] for i in range(d)]  # lambda0 I + sum u u^T\n"
    "R = [row[:] for row in M]  # the same with refreshes\n"
    "A, before, a = inverse(R), None, None\n"
    "S = [[F(0)] * d for _ in range(m)]\n"
    "P = [[F(int(i == j)) for j in range(d)] for i in range(d)]  # columns of J_t ... J_1\n"
    "for t in range(T):\n"
    "    k, p = K[t], U[t]\n"
    "    if any(p):\n"
    "        f = 1 / (d * dot(p, p))\n"
    "        for X in (M, R):\n"
    "            for i in range(d):\n"
    "                for j in range(d):\n"
    "                    X[i][j] += f * p[i] * p[j]\n"
    "    before, A = A, inverse(R)\n"
    "    if writes:\n"
    "        a = unit(times(A, k))\n"
    "        S = [[s + (v - dot(row, k)) * b for s, b in zip(row, a)] for row, v in zip(S, V[t])]\n"
    "        P = [[x - dot(k, c) * b for x, b in zip(c, a)] for c in P]\n"
    "    if refresh and (t + 1) % int(every[0]) == 0:\n"
    "        A = [[A[i][j] + refresh[0] * (i == j) for j in range(d)] for i in range(d)]\n"
    "        R = inverse(A)\n";

static const char excess[] =
    "\n\ndef objective(S):\n"
    "    return sum(dot(row, times(M, row)) for row in S) + sum(\n"
    "        (v - dot(row, k)) ** 2 for k, vs in zip(K, V) for row, v in zip(S, vs))\n\n\n"
    "N = inverse([[M[i][j] + sum(k[i] * k[j] for k in K) for j in range(d)] for i in range(d)])\n"
    "B = [[sum(V[t][i] * K[t][j] for t in range(T)) for j in range(d)] for i in range(m)]\n"
    "lhs = objective(S) - objective([times(N, row) for row in B])  # N is symmetric\n";

static const char gate[] =
    "k = unit(keys)\nd = len(k)\nS = rows(state, d)\n"
    "old = [dot(row, test) for row in S]\n"
    "new = [o + beta[0] * (v - dot(row, k)) * dot(k, test) for o, v, row in zip(old, values, S)]\n"
    "lhs = dot(new, new) - dot(old, old)\n";

void report_vla_python(text_buffer *b, const witness_t w) {
    static const struct {
        const char *kind, *lhs;
    } ends[] = {{"vla-gain", "y = [x - b * dot(K[-1], test) for x, b in zip(test, a)]\n"
                             "lhs = dot(y, y) / dot(test, test)\n"},
                {"vla-jacobians", "lhs = sum(dot(c, c) for c in P)\n"},
                {"vla-excess", excess},
                {"vla-recall", "lhs = sum((dot(row, K[0]) - v) ** 2 for row, v in zip(S, V[0]))\n"},
                {"vla-overlap", "lhs = dot(a, K[0]) ** 2\n"},
                {"vla-contraction",
                 "lhs = dot(K[-1], times(before, K[-1])) - dot(K[-1], times(A, K[-1]))\n"},
                {"vla-refresh",
                 "lhs = sum((dot(A[i], [M[l][j] for l in range(d)]) - (i == j)) ** 2\n"
                 "          for i in range(d) for j in range(d))\n"}};
    text_printf(b, "%s%s", algebra, rows);
    if (strcmp(w->kind, "delta-gate") == 0) {
        text_printf(b, "%s", gate);
        return;
    }
    int writes = strcmp(w->kind, "vla-contraction") != 0 && strcmp(w->kind, "vla-refresh") != 0;
    text_printf(b, "writes = %s\n%s", writes ? "True" : "False", layer);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(w->kind, ends[i].kind) == 0)
            text_printf(b, "%s", ends[i].lhs);
}

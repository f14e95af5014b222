"""Memories run by their definitions: levels of a binary counter, double sums, VLA with its inverse taken
anew each step; and text to numbers and back."""
from fractions import Fraction

from mpmath import mp, mpf

from judge import fraction, real
from sums import kernel_values


def numbers(j):
    j.group = "text to numbers"
    texts = ["1.1", "-0.05", "1e-8", "2.5E3", "+7", "007/14", "1e2/1e-1", "0.000", ".5", "3."]
    for n in range(24):
        text = texts[n] if n < 8 else "%s%d.%0*de%d" % (j.random.choice(["", "-", "+"]), j.random.randint(0, 999),
                                                       j.random.randint(1, 30), j.random.randint(0, 10 ** 9),
                                                       j.random.randint(-40, 40))
        parts = text.split("/")
        truth = Fraction(parts[0]) / (Fraction(parts[1]) if len(parts) > 1 else 1)
        j.holds(j.ask("parse", text)[0], truth, 0)
    j.group = "numbers to text"
    for _ in range(24):
        digits = j.random.randint(1, 40)
        x = Fraction(j.random.randint(1, 10 ** 30), j.random.randint(1, 10 ** j.random.randint(1, 60)))
        x *= j.random.choice([1, -1])
        exponent = 0
        while abs(x) >= Fraction(10) ** (exponent + 1):
            exponent += 1
        while abs(x) < Fraction(10) ** exponent:
            exponent -= 1
        unit = Fraction(10) ** (exponent + 1 - digits)
        truth = round(x / unit) * unit  # to nearest, halves to even
        for text in j.raw("digits", digits, x) or []:
            j.check(Fraction(text) == truth and len(text.split("e")[0].lstrip("-0.").replace(".", "")) >= min(
                digits, 1), "%s is not the nearest to %d digits" % (text, digits))


def gram(j):
    """Squared distance of the weights from modes: as a quotient of Gram determinants."""
    j.group = "Gram matrices"
    with mp.workdps(120):
        for _ in range(7):
            order, lags, terms = j.order((11, 20), (39, 40)), j.random.randint(8, 600), j.random.randint(1, 6)
            nodes = sorted({Fraction(j.random.randint(1, 99), 100) for _ in range(terms)})
            answer = j.ask("l2", order, lags, nodes)
            if answer is None:
                continue
            rows = [kernel_values(order, lags)[1:]] + [[real(x) ** k for k in range(1, lags + 1)] for x in nodes]
            products = mp.matrix([[mp.fdot(a, b) for b in rows] for a in rows])
            size = len(rows)
            j.holds(answer[0], products[0, 0], 150)
            for s in range(1, size):
                j.holds(answer[s], products[0, s], 150)
            inner = products[1:size, 1:size]
            j.holds(answer[size], mp.det(products) / mp.det(inner), 18, Fraction(1, 10 ** 50))


def levels_of(t):
    """The sources 0 .. t-1 in blocks, the largest first, and t itself: (level, sources)."""
    blocks, first, rest = [(0, [t])], 0, t
    while rest:
        b = rest.bit_length() - 1
        blocks.append((b + 1, list(range(first, first + 2 ** b))))
        first, rest = first + 2 ** b, rest - 2 ** b
    return blocks


def loglinear(j):
    j.group = "levels"
    for n in range(12):
        t = n if n < 4 else j.random.randint(4, 700)
        words = [int(w) for w in j.raw("levels", t)]
        truth = {s: level for level, block in levels_of(t) for s in block}
        j.check(words[3:] == [truth[s] for s in range(t + 1)], "the levels of the sources")
        j.check(words[1] == len(levels_of(t)), "the states that live")
        j.check(words[2] == len(levels_of(t)) + 1 - len(levels_of(t + 1)), "the states that merge")
        j.check(words[0] == 1 + max(level for s in range(t + 1) for level, _ in levels_of(s)), "the columns")
        steps = 2 * t + n
        j.holds(j.ask("popcounts", steps)[0], sum(bin(s).count("1") for s in range(steps)), 0)
    j.group = "log-linear attention"
    for n in range(8):
        T, dk, dv = 1 + 2 * n + n % 2, j.random.randint(1, 3), j.random.randint(1, 3)
        L = 1 + max(level for s in range(T) for level, _ in levels_of(s))
        q, k, v, g, lam = ([j.rational() for _ in range(size)] for size in (T * dk, T * dk, T * dv, T, T * L))
        answer = j.ask("fenwick", T, dk, dv, L, q, k, v, g, lam)
        truth = []
        for t in range(T):
            y = [Fraction(0)] * dv
            for level, block in levels_of(t):
                for s in block:
                    decay = Fraction(1)
                    for i in range(s + 1, t + 1):
                        decay *= g[i]
                    score = lam[t * L + level] * decay * sum(q[t * dk + i] * k[s * dk + i] for i in range(dk))
                    y = [a + score * v[s * dv + i] for i, a in enumerate(y)]
            truth += y
        for x, y in zip(answer, truth + truth):
            j.holds(x, y, 0)
    j.group = "modes"
    for _ in range(6):
        T, dk, dv, B, S = (j.random.randint(1, m) for m in (9, 3, 2, 3, 3))
        q, k, v, c, x = ([j.rational(5) for _ in range(size)] for size in (T * dk, T * dk, T * dv, B * S, B * S))
        bank = [j.random.randrange(B) for _ in range(T)]
        answer = j.ask("modes", T, dk, dv, B, S, q, k, v, bank, c, x)
        keyed, plain = [], []
        for t in range(T):
            for i in range(dv):
                keyed.append(sum(
                    sum(c[bank[s] * S + m] * x[bank[s] * S + m] ** (t - s) for m in range(S)) *
                    sum(q[t * dk + e] * k[s * dk + e] for e in range(dk)) * v[s * dv + i] for s in range(t + 1)))
                plain.append(sum(sum(c[m] * x[m] ** (t - s) for m in range(S)) * v[s * dv + i]
                                 for s in range(t + 1)))
        for got, y in zip(answer, keyed + plain):
            j.holds(got, y, 0)


def vla_state(lambda0, rows, d, keys, us, vs, every=0, delta=0):
    """S after S += (v - S k) a', k = key/|key|, a = A k/|A k|, A the inverse of M += u u', anew each step."""
    M = mp.eye(d) * real(lambda0)
    S = mp.zeros(rows, d)
    for t in range(len(keys) // d):
        u = mp.matrix([real(x) for x in us[t * d:(t + 1) * d]])
        k = mp.matrix([real(x) for x in keys[t * d:(t + 1) * d]])
        v = mp.matrix([real(x) for x in vs[t * rows:(t + 1) * rows]])
        M += u * u.T
        k /= mp.norm(k)
        a = mp.inverse(M) * k
        a /= mp.norm(a)
        S += (v - S * k) * a.T
        if every and (t + 1) % every == 0:
            M = mp.inverse(mp.inverse(M) + real(delta) * mp.eye(d))
    return S


def vla(j):
    loose = Fraction(1, 10 ** 60)
    j.group = "VLA"
    for n in range(10):
        d, rows, T = j.random.randint(1, 5), j.random.randint(1, 3), j.random.randint(1, 14)
        every = 3 if n % 2 else 0
        lambda0 = j.random.choice([Fraction(1, 10), Fraction(10), Fraction(1), j.rational(9, True)])
        delta = Fraction(1, 1000)
        keys, us = ([j.rational() + (Fraction(1, 7) if i == 0 else 0) for i in range(T * d)] for _ in range(2))
        for t in range(T):  # no key is 0
            keys[t * d] += Fraction(1, 11)
        vs = [j.rational() for _ in range(T * rows)]
        answer = j.ask("vla", lambda0, rows, d, T, every, delta, keys, us, vs)
        if answer is None:
            continue
        S = vla_state(lambda0, rows, d, keys, us, vs, every, delta)
        norm = mp.mnorm(S, "f")
        scale = fraction(max(norm, max(abs(real(x)) for x in vs)))
        for i in range(rows * d):
            truth = S[i // d, i % d]
            # what is near 0 is known to the size of state and values, not to its own
            for b in answer[i::rows * d + 1][:1] + (answer[rows * d + 1 + i:][:1] if not every else []):
                j.check(abs(b.mid - fraction(truth)) <= b.rad + scale * loose, "the state is not in its ball")
                j.check(b.rad <= scale / 2 ** 120, "a wide ball of the state")
        b = answer[rows * d]
        j.check(abs(b.mid - fraction(norm)) <= b.rad + scale * loose and b.rad <= scale / 2 ** 120,
                "the norm is not in its ball, or the ball is wide")
    j.group = "norms of matrices"
    for n in range(10):
        rows, d = j.random.randint(1, 6), j.random.randint(1, 6)
        m = [j.rational() for _ in range(rows * d)]
        if n > 6:  # rank one, and two equal singular values
            m = [Fraction((i + 1) * (k + 2)) for i in range(rows) for k in range(d)] if n > 7 else [
                Fraction(int(i == k)) for i in range(rows) for k in range(d)]
        if all(x == 0 for x in m):
            m[0] = Fraction(1)
        truth = mp.svd_r(mp.matrix(rows, d) + mp.matrix([[real(m[i * d + k]) for k in range(d)] for i in range(rows)]),
                         compute_uv=False)[0]
        for x in j.ask("norms", rows, d, m) or []:
            j.holds(x, truth, 18, loose)
    for _ in range(5):
        v2, u2, lambda0 = j.rational(9, True), j.rational(9, True), j.rational(9, True)
        rank, d = j.random.randint(0, 6), j.random.randint(2, 6)
        r = min(rank, d - 1)
        growth = (1 + real(u2) / (r * real(lambda0))) ** r if r else 1
        j.holds(j.ask("vla-bound", v2, u2, lambda0, rank, d)[0], mp.sqrt(real(v2) * growth), 150)
    for x in (Fraction(3, 8), Fraction(-5, 4), Fraction(0), Fraction(-300), Fraction(1, 2 ** 40)):
        j.holds(j.ask("features", x)[0], 1 + x if x > 0 else mp.exp(real(x)), 150)


CASES = (numbers, gram, loglinear, vla)

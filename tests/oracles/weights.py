"""The weights and what is made of them: Laplace transform, Gauss rules, moments.

From the definitions: w_j = (alpha)_j / j!, as an exact product or a quotient of Gamma functions; the
Laplace integral as an incomplete Beta function; orthogonal polynomials by solving for their moments."""
from fractions import Fraction
from math import factorial

from mpmath import mp, mpf

from judge import real


def weight(alpha, j):
    w = Fraction(1)
    for i in range(j):
        w *= Fraction(alpha + i) / (i + 1)
    return w


def gamma_weight(alpha, j):
    a = real(alpha)
    return mp.gammaprod([j + a], [a, j + 1])


def determinant(rows):
    """By elimination with row exchanges, in fractions."""
    a, n, value = [list(r) for r in rows], len(rows), Fraction(1)
    for c in range(n):
        pivot = next((r for r in range(c, n) if a[r][c] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != c:
            a[c], a[pivot], value = a[pivot], a[c], -value
        value *= a[c][c]
        for r in range(c + 1, n):
            f = a[r][c] / a[c][c]
            for k in range(c, n):
                a[r][k] -= f * a[c][k]
    return value


def solve(rows, right):
    """By Gauss and Jordan, in fractions."""
    n = len(rows)
    a = [list(r) + [b] for r, b in zip(rows, right)]
    for c in range(n):
        pivot = next(r for r in range(c, n) if a[r][c] != 0)
        a[c], a[pivot] = a[pivot], a[c]
        a[c] = [x / a[c][c] for x in a[c]]
        for r in range(n):
            if r != c and a[r][c] != 0:
                a[r] = [x - a[r][c] * y for x, y in zip(a[r], a[c])]
    return [r[n] for r in a]


def hankel(m, n):
    return [[m[i + k] for k in range(n)] for i in range(n)]


def orthogonal(m, n):
    """Coefficients, from the constant up, of the monic polynomial of degree n orthogonal to all lower ones."""
    return solve(hankel(m, n), [-m[n + i] for i in range(n)]) + [Fraction(1)]


def horner(p, x):
    value = 0 * x
    for c in reversed(p):
        value = value * x + c
    return value


def weights(j):
    j.group = "weights in Q"
    for order in [Fraction(0), Fraction(1), Fraction(-3), Fraction(5), Fraction(-7, 2), Fraction(1, 2)] + [
            j.rational(30) for _ in range(9)]:
        n = j.random.randint(0, 60)
        j.holds(j.ask("gl-rational", order, n)[0], weight(order, n), 0)
        for i, w in enumerate(j.ask("gl-rational-vec", order, n + 2)):
            j.holds(w, weight(order, i), 0)
    j.group = "weights in balls"
    for n in range(24):
        order = j.order() if n % 2 else j.rational(40)
        lag = int(10 ** j.random.uniform(0, 12))
        truth = gamma_weight(order, lag) if order > 0 or order.denominator > 1 else mpf(0)
        if order <= 0 and order.denominator == 1:
            truth = weight(order, min(lag, 100))
        bits = j.random.choice([53, 64, 100, 200])
        j.holds(j.ask("gl-ball", order, lag, bits)[0], truth, bits - 4)
    for _ in range(5):
        order, first = j.order(), int(10 ** j.random.uniform(0, 9))
        for i, w in enumerate(j.ask("gl-ball-vec", order, first, 8, 120)):
            j.holds(w, gamma_weight(order, first + i), 116)
    j.group = "weights at real lags"
    for _ in range(5):
        order, t = j.order(), Fraction(int(10 ** j.random.uniform(2, 6)), 97)
        a, x = real(order), real(t)

        def w(s):
            return mp.gammaprod([s + a], [a, s + 1])
        j.holds(j.ask("gl-real", order, t)[0], w(x), 150)
        j.holds(j.ask("gl-ratio", order, t)[0], w(x) * mp.gamma(a) * x ** (1 - a), 150)
        for c, truth in zip(j.ask("gl-taylor", order, t, 5), mp.taylor(lambda d: w(x * mp.exp(d)), 0, 4)):
            j.holds(c, truth, 120, Fraction(1, 10 ** 50))
    j.group = "weights and their order"
    for _ in range(6):
        order, n = j.order(), j.random.randint(3, 400)
        a, w = real(order), gamma_weight(order, n - 1)
        slope = mp.psi(0, n - 1 + a) - mp.psi(0, a)
        bend = mp.psi(1, n - 1 + a) - mp.psi(1, a)
        for x, truth in zip(j.ask("gl-order", order, n, 200), [w, w * slope, w * (slope ** 2 + bend)]):
            j.holds(x, truth, 150)
    for n in (1, 2, 5, 13, 24):
        # (a)(a+1)...(a+n-1)/n!, multiplied out
        p = [Fraction(1, factorial(n - 1))]
        for i in range(n - 1):
            p = [(p[k - 1] if k else 0) + (i * p[k] if k < len(p) else 0) for k in range(len(p) + 1)]
        for x, truth in zip(j.ask("gl-polynomial", 0, n), p):
            j.holds(x, truth, 0)
        j.holds(j.ask("harmonic", 7 * n)[0], sum(Fraction(1, k) for k in range(1, 7 * n + 1)), 0)


def laplace(j):
    j.group = "Laplace transform"
    for _ in range(8):
        order, rate = j.order(), j.rational(60, True)
        a, x = real(order), real(rate)
        j.holds(j.ask("density", order, rate)[0], mp.sin(mp.pi * a) / mp.pi * (mp.exp(x) - 1) ** -a, 150)
    for n in range(9):
        order, m = j.order((1, 10), (9, 10)), j.random.randint(0, 40)
        top = j.rational(8, True) if n % 3 else Fraction(0)
        a = real(order)
        # x = e^-lambda: an incomplete Beta function
        truth = mp.sin(mp.pi * a) / mp.pi * mp.betainc(m + a, 1 - a, mp.exp(-real(top)) if top else 0, 1)
        for x in j.ask("laplace", order, m, top):
            j.holds(x, truth, 100)


def rule(j, name, a, b, n):
    """Nodes and weights: each node ball holds a sign change of the orthogonal polynomial."""
    if name == "jacobi":
        m = [Fraction(1)]
        for k in range(2 * n):
            m.append(m[-1] * (a + 1 + k) / (a + b + 2 + k))
    else:
        m = [Fraction(1)]
        for k in range(2 * n):
            m.append(m[-1] * (a + 1 + k))
    p = orthogonal(m, n)
    answer = j.ask(name, a, b, n, 150)
    if answer is None:
        return
    slope = [k * c for k, c in enumerate(p)][1:]
    previous = None
    for node, w in zip(answer[:n], answer[n:]):
        j.check(horner(p, node.low) * horner(p, node.high) <= 0, "no zero in the ball of a node")
        j.check(node.rad <= abs(node.mid) / 2 ** 149, "a wide node")
        j.check(previous is None or previous < node.low, "nodes that are not apart")
        previous = node.high
        x = real(node.mid)  # Newton from the middle: mpmath has the polynomial, no rule
        for _ in range(3):
            x -= horner([real(c) for c in p], x) / horner([real(c) for c in slope], x)
        # weight = int p(y)/((y-x) p'(x)): synthetic division, then moments
        q, carry = [], mpf(0)
        for c in reversed(p[1:]):
            carry = carry * x + real(c)
            q.append(carry)
        q.reverse()
        truth = sum(c * real(m[k]) for k, c in enumerate(q)) / horner([real(c) for c in slope], x)
        j.holds(w, truth, 149, Fraction(1, 10 ** 55))


def gauss(j):
    j.group = "Gauss rules"
    for n in range(10):
        a, b = (Fraction(j.random.randint(-9, 20), 10) for _ in range(2))
        rule(j, "jacobi", a, b, 1 + n)
    for n in range(6):
        rule(j, "laguerre", Fraction(j.random.randint(-9, 20), 10), Fraction(0), 1 + 2 * n)


def moments(j):
    j.group = "Hankel determinants"
    for _ in range(5):
        order, n = j.order(), j.random.randint(1, 9)
        m = [weight(order, k) for k in range(2 * n + 1)]
        j.holds(j.ask("hankel-norm", order, n)[0],
                determinant(hankel(m, n + 1)) / determinant(hankel(m, n)), 0)
        for k, d in enumerate(j.ask("hankel-minors", m[:2 * n - 1])):
            j.holds(d, determinant(hankel(m, k + 1)), 0)
    for n in range(6):  # any sequence, zeros among the minors too
        m = [Fraction(j.random.randint(-2, 2)) if n < 3 else j.rational(7) for _ in range(11)]
        for k, d in enumerate(j.ask("hankel-minors", m)):
            j.holds(d, determinant(hankel(m, k + 1)), 0)
    for _ in range(5):  # masses at points: positive measures
        n = j.random.randint(2, 6)
        points = [(j.rational(9, True), j.rational(9)) for _ in range(n + 2)]
        m = [sum(c * x ** k for c, x in points) for k in range(2 * n)]
        minors = [Fraction(1)] + [determinant(hankel(m, k)) for k in range(1, n + 1)]
        for k, h in enumerate(j.ask("chebyshev", m)):
            truth = minors[k + 1] / minors[k] if 0 not in minors[1:k + 1] else Fraction(0)
            j.holds(h, truth, 0)
    for _ in range(4):
        n = j.random.randint(1, 6)
        centre, square = [j.rational() for _ in range(n)], [Fraction(0)] + [
            j.rational(9, True) for _ in range(n - 1)]
        vector, truth = [Fraction(1)] + [Fraction(0)] * (n - 1), []
        for _ in range(2 * n + 2):  # e_0 J^k e_0 with J = [centre, 1; square, centre ...]
            truth.append(vector[0])
            vector = [centre[i] * vector[i] + (vector[i + 1] * square[i + 1] if i + 1 < n else 0) +
                      (vector[i - 1] if i > 0 else 0) for i in range(n)]
        for x, t in zip(j.ask("tridiagonal", centre, square, 2 * n + 2), truth):
            j.holds(x, t, 0)


CASES = (weights, laplace, gauss, moments)

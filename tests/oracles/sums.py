"""Sums of exponentials and banks of orders, from their definitions: errors at every lag, best
approximation by levelled errors, Toeplitz symbols by their Fourier series, distances lag by lag."""
from fractions import Fraction

from mpmath import mp, mpf

from judge import fraction, real
from weights import gamma_weight


def kernel_values(order, horizon):
    """w_0 .. w_horizon as mpf."""
    a, w = real(order), [mpf(1)]
    for k in range(horizon):
        w.append(w[-1] * (k + a) / (k + 1))
    return w


def sum_values(weights, nodes, horizon):
    """sum c x^j, j = 0 .. horizon."""
    power, total = [real(c) for c in weights], []
    for _ in range(horizon + 1):
        total.append(mp.fsum(power))
        power = [p * x for p, x in zip(power, nodes)]
    return total


def nodes_of(form, modes):
    return [mp.exp(-real(m)) if form == "rate" else real(m) for m in modes]


def errors(order, relative, weights, nodes, horizon):
    w, s = kernel_values(order, horizon), sum_values(weights, nodes, horizon)
    return [(x - y) / (x if relative else 1) for x, y in zip(w, s)]


def drawn_sum(j, form):
    n = j.random.randint(1, 5)
    modes = [Fraction(int(10 ** j.random.uniform(0, 6)), 10 ** 6) for _ in range(n)]
    if form == "node":
        modes = [min(m, Fraction(1)) for m in modes]
    return [j.rational(9) for _ in range(n)], modes


def power_error(order, relative, weights, rates, t):
    k = t ** -real(order)
    e = k - mp.fsum(real(c) * mp.exp(-real(r) * t) for c, r in zip(weights, rates))
    return e / k if relative else e


def extrema(f, horizon, points=600):
    """Local extrema of f on [1,horizon] as (t, f(t)): an even grid in ln t, then golden section."""
    length = mp.log(horizon)
    t = [mp.exp(length * k / points) for k in range(points + 1)]
    t[-1] = mpf(horizon)
    v = [f(x) for x in t]
    found = []
    for k in range(points + 1):
        near = [abs(v[i]) for i in (k - 1, k + 1) if 0 <= i <= points and v[i] * v[k] > 0]
        if any(x > abs(v[k]) for x in near):
            continue
        low, high = mp.log(t[max(k - 1, 0)]), mp.log(t[min(k + 1, points)])
        best, ratio = (t[k], v[k]), (mp.sqrt(5) - 1) / 2
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        fa, fb = f(mp.exp(a)), f(mp.exp(b))
        for _ in range(24):
            if abs(fa) > abs(fb):
                high, b, fb = b, a, fa
                a = high - ratio * (high - low)
                fa = f(mp.exp(a))
            else:
                low, a, fa = a, b, fb
                b = low + ratio * (high - low)
                fb = f(mp.exp(b))
        for x, y in ((mp.exp(a), fa), (mp.exp(b), fb)):
            if abs(y) > abs(best[1]) and 1 <= x <= horizon:
                best = (x, y)
        found.append(best)
    return found


def certificates(j):
    with mp.workdps(45):
        j.group = "largest errors over integers"
        for n in range(14):
            order = Fraction(1) if n == 0 else j.order()
            form, horizon = ("rate", "node")[n % 2], int(10 ** j.random.uniform(0, 3))
            relative, beyond = n % 3 == 0, n % 4 == 1
            c, modes = drawn_sum(j, form)
            answer = j.ask("certify", "gl", order, horizon, ("absolute", "relative")[relative], int(beyond),
                           form, c, modes)
            if answer is None:
                continue
            far = 3 * horizon + 50 if beyond else horizon
            e = [abs(x) for x in errors(order, relative, c, nodes_of(form, modes), far)]
            sup = fraction(max(e[1:horizon + 1]))
            lower, upper, at = answer[0].mid, answer[1].mid, int(answer[2].mid)
            j.check(lower <= sup * (1 + Fraction(1, 10 ** 35)) and sup <= upper * (1 + Fraction(1, 10 ** 35)),
                    "the largest error %s is not between the bounds" % mp.nstr(real(sup), 20))
            j.check(upper - lower <= Fraction(2, 10 ** 9) * lower, "bounds that are not close")
            j.check(fraction(e[at]) >= lower * (1 - Fraction(1, 10 ** 35)), "the point does not attain it")
            if beyond:
                far_sup = fraction(max(e[horizon + 1:]))
                j.check(far_sup <= answer[4].mid * (1 + Fraction(1, 10 ** 35)),
                        "an error beyond the horizon above its bound")
                j.check(answer[3].mid <= answer[4].mid, "bounds beyond the horizon in no order")
        j.group = "largest errors over reals"
        for n in range(4):
            order, horizon = j.rational(3, True), int(10 ** j.random.uniform(1, 4))
            c, modes = drawn_sum(j, "rate")
            relative = n % 2 == 0
            answer = j.ask("certify", "power", order, horizon, ("absolute", "relative")[relative], 0, "rate", c,
                           modes)
            if answer is None:
                continue
            with mp.workdps(25):
                sup = fraction(max(abs(y) for _, y in extrema(
                    lambda t: power_error(order, relative, c, modes, t), horizon, 200)))
            j.check(answer[0].mid <= sup * (1 + Fraction(1, 10 ** 7)), "a lower bound that is not attained")
            j.check(sup <= answer[1].mid * (1 + Fraction(1, 10 ** 20)), "an error above the upper bound")


def minimax(j):
    """De la Vallee-Poussin: the errors alternate at 2S+1 lags, none smaller than the lower bound."""
    j.group = "best sums"
    with mp.workdps(60):
        for n in range(7):
            order, terms = j.order((1, 10), (9, 10)), j.random.randint(1, 4)
            horizon = j.random.randint(6 * terms, 300)
            relative = n % 2 == 0
            answer = j.ask("minimax", "gl", order, horizon, ("absolute", "relative")[relative], terms)
            if answer is None:
                continue
            c, rates = [x.mid for x in answer[:terms]], [x.mid for x in answer[terms:2 * terms]]
            lower, points = answer[2 * terms].mid, [int(x.mid) for x in answer[2 * terms + 1:]]
            e = errors(order, relative, c, nodes_of("rate", rates), horizon)
            at = [e[p] for p in points]
            least = fraction(min(abs(x) for x in at))
            j.check(len(points) == 2 * terms + 1 and points == sorted(set(points)) and points[0] >= 1 and
                    points[-1] <= horizon, "points in disorder")
            j.check(all(x * y < 0 for x, y in zip(at, at[1:])), "errors that do not alternate")
            j.check(least * (1 - Fraction(1, 10 ** 12)) <= lower <= least * (1 + Fraction(1, 10 ** 40)),
                    "the lower bound is not the least error")
            sup = fraction(max(abs(x) for x in e[1:]))
            j.check(sup <= lower * (1 + Fraction(1, 10 ** 5)), "a sum that is not best")
            j.check(all(x > 0 for x in c) and all(r > 0 for r in rates), "weights or rates that are not positive")
            # between what is needed and what suffices, for an error just above the best of these terms
            near = fraction(mpf("%.6g" % float(sup * Fraction(1001, 1000))))
            if relative and near < Fraction(1, 2):
                enough = int(j.raw("terms-explicit", order, horizon, near, 0)[0])
                for name in ("terms-gl", "terms-matrix"):
                    needed = int(j.raw(name, order, horizon, near)[0])
                    j.check(needed <= terms, "%s asks for %d terms where %d do" % (name, needed, terms))
                j.check(enough >= terms or enough == 0, "too few terms called enough")
        j.group = "best weights for given rates"
        for _ in range(3):
            order, terms = j.order(), j.random.randint(2, 6)
            horizon = int(10 ** j.random.uniform(1, 4))
            rates = [fraction(mpf("%.8g" % float(real(horizon) ** (-mpf(s) / (terms - 1))))) for s in range(terms)]
            answer = j.ask("refit", "power", order, horizon, "relative", "rate", [1] * terms, rates)
            if answer is None:
                continue
            c, lower = [x.mid for x in answer[:terms]], answer[terms].mid

            def basis(s, t):
                return t ** real(order) * mp.exp(-real(rates[s]) * t)
            with mp.workdps(30):
                peaks = extrema(lambda t: power_error(order, True, c, rates, t), horizon, 200)
                sup = fraction(max(abs(y) for _, y in peaks))
                j.check(lower <= sup, "a lower bound above an error")
                j.check(sup <= lower * Fraction(104, 100), "weights that are not nearly best")
                # the error levelled over terms+1 alternating peaks is a lower bound too, and not below ours
                runs = []
                for p in peaks:  # the largest of each run of one sign, small ones left out
                    if abs(p[1]) < 0.99 * real(lower):
                        continue
                    if runs and runs[-1][1] * p[1] > 0:
                        runs[-1] = max(runs[-1], p, key=lambda q: abs(q[1]))
                    else:
                        runs.append(p)
                j.check(len(runs) > terms, "too few alternations")
                peaks = max((runs[i:i + terms + 1] for i in range(max(1, len(runs) - terms))),
                            key=lambda w: min(abs(q[1]) for q in w))
                system = mp.matrix([[basis(s, t) for s in range(terms)] + [(-1) ** k] for k, (t, _) in
                                    enumerate(peaks)])
                level = abs(mp.lu_solve(system, mp.matrix([1] * (terms + 1)))[terms])
                j.check(lower <= fraction(level) * (1 + Fraction(1, 100)), "a bound above the levelled error")


def methods(j):
    j.group = "constructions"
    for n in range(9):
        order, terms = j.order((1, 10), (9, 10)), j.random.randint(2, 9)
        a = real(order)
        front = mp.sin(mp.pi * a) / mp.pi
        method = ("sinc", "trapezoid", "legendre")[n % 3]
        low, high = Fraction(-j.random.randint(4, 40), 4), Fraction(j.random.randint(4, 12), 4)
        answer = j.raw("interval", method, order, terms, low, high)
        if answer is None:
            continue
        numbers = [Fraction(w) for w in answer[1:]]
        if method == "legendre":
            y = sorted(mp.polyroots(mp.taylor(lambda x: mp.legendre(terms, x), 0, terms)[::-1], maxsteps=200,
                                    extraprec=300))
            slope = [mp.diff(lambda x: mp.legendre(terms, x), r) for r in y]
            point = [real(low) + (real(high) - real(low)) * (1 + r) / 2 for r in y]
            omega = [(real(high) - real(low)) / ((1 - r * r) * s * s) for r, s in zip(y, slope)]
        else:
            step = (real(high) - real(low)) / (terms - 1)
            point, omega = [real(low) + k * step for k in range(terms)], [step] * terms
        truth = []
        for p, o in zip(point, omega):
            rate = mp.log(1 + mp.exp(p)) if method == "sinc" else mp.exp(p)
            density = front * (mp.exp(rate) - 1) ** -a  # rho(lambda) dlambda, lambda' = rate's derivative
            jacobian = mp.exp(p) / (1 + mp.exp(p)) if method == "sinc" else mp.exp(p)
            truth.append((rate, o * density * jacobian))
        got = sorted(zip(numbers[terms:], numbers[:terms]))
        for (rate, c), (r, w) in zip(got, sorted(truth)):
            j.check(abs(rate - fraction(r)) <= fraction(r) / 10 ** 40, "a rate is wrong")
            j.check(abs(c - fraction(w)) <= fraction(w) / 10 ** 40, "a weight is wrong")
    for n in range(6):
        order, terms = j.order(), j.random.randint(1, 8)
        answer = j.raw("gauss-sum", ("jacobi", "laguerre")[n % 2], order, terms)
        if answer is None:
            continue
        c, x = [Fraction(w) for w in answer[1:terms + 1]], nodes_of(answer[0], answer[terms + 1:])
        if n % 2 == 0:  # exact at the lags 1 .. 2 terms
            s = sum_values(c, x, 2 * terms)
            for lag in range(1, 2 * terms + 1):
                j.check(abs(s[lag] / gamma_weight(order, lag) - 1) < mpf(10) ** -45, "not exact at a lag")
        else:  # Gauss-Laguerre: exact for rho(lambda) e^lambda times polynomials of degree < 2 terms
            a = real(order)
            for k in range(2 * terms):
                front = [real(w) / (mp.sin(mp.pi * a) / mp.pi) * (1 / y - 1) ** a * y * (-mp.log(y)) ** -a
                         for w, y in zip(c, x)]
                got = mp.fsum(f * (-mp.log(y)) ** k for f, y in zip(front, x))
                j.check(abs(got / mp.gamma(k + 1 - a) - 1) < mpf(10) ** -40, "a moment is wrong")


def symbol_ratio(beta, h):
    """f(pi)/f(0) of f(theta) = sum_k (2 cosh(kh/2))^-beta e^(ik theta), term by term."""
    b, h = real(beta), real(h)
    alternating, plain, k = mpf(2) ** -b, mpf(2) ** -b, 0
    while True:
        k += 1
        term = 2 * (2 * mp.cosh(k * h / 2)) ** -b
        alternating += (-1) ** k * term
        plain += term
        if term < mpf(10) ** (-mp.dps):
            return alternating / plain


def theory(j):
    j.group = "bounds of the number of terms"
    for _ in range(6):
        beta, h = j.order((1, 4), (9, 10)), Fraction(j.random.randint(8, 40), 8)
        j.holds(j.ask("symbol", beta, h)[0], symbol_ratio(beta, h), 100, Fraction(1, 10 ** 50))
        alpha, b = 1 - beta, real(beta)
        bound, n = mpf(0), 0
        while True:
            n += 1
            term = 2 * abs(mp.gamma(b + 2j * mp.pi * n / real(h))) / mp.gamma(b)
            bound += term
            if term < bound * mpf(10) ** -85:
                break
        j.holds(j.ask("aliasing", alpha, h)[0], bound, 60)
    for _ in range(3):
        beta, digits = j.order((1, 4), (9, 10)), j.random.randint(2, 6)
        T, error = 10 ** j.random.randint(3, 9), Fraction(1, 10 ** digits)
        k = int(j.raw("terms-power", beta, T, error)[0])
        if k > 1:  # one step h = ln T/(k-1) has f(pi) > error f(0); hardly smaller ones have not
            h = fraction(mp.log(T)) / (k - 1)
            j.check(symbol_ratio(beta, h) > real(error), "a bound that its step does not give")
            h = fraction(mp.log(T)) / (k + 1)
            j.check(symbol_ratio(beta, h) < real(error), "a bound that could be two terms better")
        else:
            j.check(k == 1, "no bound")


def apart(norm, a, b, horizon):
    """|w(b) - w(a)| over the lags 0 .. horizon, and a lag of the largest difference."""
    d = [y - x for x, y in zip(kernel_values(a, horizon), kernel_values(b, horizon))]
    if norm == "sup":
        return max(d), d.index(max(d))
    return (mp.fsum(d) if norm == "l1" else mp.sqrt(mp.fsum(x * x for x in d))), 0


def greedy(norm, delta, horizon, tau):
    """Banks that the greedy placement takes, by bisection to 1e-12."""
    def last(start):
        low, high = start, mpf(1)
        if apart(norm, start, high, horizon)[0] <= tau:
            return high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if apart(norm, start, middle, horizon)[0] <= tau else (low, middle)
        return low
    y, banks = real(delta), 0
    while y < 1:
        y, banks = last(last(y)), banks + 1
    return banks


def banks(j):
    norms = ("sup", "l1", "l2")
    j.group = "distances of orders"
    with mp.workdps(70):
        for n in range(18):
            a, b = sorted((j.order((1, 40), (1, 1)), j.order((1, 40), (1, 1))))
            if n == 17:
                b = Fraction(1)
            horizon = int(10 ** j.random.uniform(0, 3.3))
            answer = j.ask("distance", norms[n % 3], a, horizon, b)
            d, _ = apart(norms[n % 3], a, b, horizon)
            j.holds(answer[0], d if a < b else Fraction(0), 100, Fraction(1, 10 ** 55))
            if n % 3 == 0 and a < b:
                lag = int(answer[1].mid)
                w = kernel_values(b, lag)[lag] - kernel_values(a, lag)[lag]
                j.check(abs(w - d) <= d * mpf(10) ** -40, "the worst lag is another one")
        for n in range(3):
            delta, horizon, cells = j.order((1, 40), (1, 2)), j.random.randint(2, 400), j.random.randint(1, 30)
            half = (1 - delta) / (2 * cells)
            j.holds(j.ask("uniform", norms[n], delta, horizon, cells)[0],
                    max(apart(norms[n], delta + (2 * i + s) * half, delta + (2 * i + 1 + s) * half, horizon)[0]
                        for i in range(cells) for s in (0, 1)), 100, Fraction(1, 10 ** 55))
    j.group = "banks"
    with mp.workdps(30):
        for n, norm in enumerate(norms):
            delta, horizon = j.order((1, 20), (1, 2)), j.random.randint(10, 60)
            tau = Fraction(j.random.randint(8, 20), 100) * (1 if n == 0 else 8)
            answer = j.ask("place", norm, delta, horizon, tau)
            if answer is None:
                continue
            number, needed, uniform = (int(x.mid) for x in answer[:3])
            x = [b.mid for b in answer[3:]]
            order, edge, error = x[:number], x[number:2 * number + 1], x[2 * number + 1]
            nearest, chain = x[2 * number + 2], x[2 * number + 3:]
            t = fraction(tau)

            def d(a, b):
                return fraction(apart(norm, a, b, horizon)[0])
            ends = [d(edge[i], order[i]) for i in range(number)] + [d(order[i], edge[i + 1])
                                                                    for i in range(number)]
            j.check(edge[0] == delta and edge[-1] == 1, "cells that do not cover [delta,1]")
            j.check(max(ends) <= error <= max(ends) * (1 + Fraction(1, 10 ** 9)) and error <= t,
                    "the error of the banks")
            middles = [(a + b) / 2 for a, b in zip(order, order[1:])]
            worst = max([d(delta, order[0]), d(order[-1], Fraction(1))] +
                        [max(d(order[i], m), d(m, order[i + 1])) for i, m in enumerate(middles)])
            j.check(worst <= nearest * (1 + Fraction(1, 10 ** 20)) and nearest <= worst * (1 + Fraction(1, 10 ** 5)),
                    "the error of nearest routing: %s, right is %s" % (float(nearest), float(worst)))
            j.check(needed == number == (len(chain) + 1) // 2 and chain[0] >= delta and chain[-1] <= 1 and
                    all(d(a, b) > t for a, b in zip(chain, chain[1:])), "fewer banks are not excluded")
            j.check(greedy(norm, delta, horizon, real(tau)) == number, "another number of banks")
            cell = (1 - delta) / (2 * uniform)
            j.check(d(1 - cell, Fraction(1)) <= t, "equal cells that do not do")
            if uniform > 1:
                j.check(d(1 - (1 - delta) / (2 * (uniform - 1)), Fraction(1)) > t, "fewer equal cells would do")


CASES = (certificates, minimax, methods, theory, banks)

"""What the program says to its users: witnesses, numbers and tables of a report, designed sums, banks and
weights as printed."""
import json
import os
import subprocess
import tempfile
from fractions import Fraction

from mpmath import mp, mpf

from judge import Ball, fraction, real
from memories import levels_of
from sums import apart, errors, nodes_of
from weights import determinant, hankel, weight

LOOSE = Fraction(1, 10 ** 60)


def column(values):
    return mp.matrix([real(x) for x in values])


class Layer:
    """Variational linear attention from a witness's inputs, with M inverted anew each step."""

    def __init__(self, w):
        T = int(w["tokens"][0])
        d, m = len(w["keys"]) // T, len(w["values"]) // T
        self.penalty = mp.eye(d) * real(w["lambda0"][0])
        inner, self.S, self.J = self.penalty.copy(), mp.zeros(m, d), mp.eye(d)
        self.keys, self.values = [], []
        for t in range(T):
            k, v, u = (column(w[n][t * s:(t + 1) * s]) for n, s in (("keys", d), ("values", m), ("directions", d)))
            k /= mp.norm(k)
            if mp.norm(u) != 0:
                u /= mp.norm(u) * mp.sqrt(d)
            self.before = mp.inverse(inner)
            inner += u * u.T
            self.penalty += u * u.T
            self.A = mp.inverse(inner)
            a = self.A * k
            a /= mp.norm(a)
            self.last = mp.eye(d) - k * a.T
            self.J = self.J * self.last
            self.S += (v - self.S * k) * a.T
            self.keys.append(k)
            self.values.append(v)
            self.a = a
            if "every" in w and (t + 1) % int(w["every"][0]) == 0:
                self.A += mp.eye(d) * real(w["refresh"][0])
                inner = mp.inverse(self.A)

    def objective(self, S):
        fit = sum(mp.norm(v - S * k) ** 2 for k, v in zip(self.keys, self.values))
        bent = S * self.penalty * S.T
        return fit + sum(bent[i, i] for i in range(bent.rows))

    def least(self):
        """The argmin: sum v k' (sum k k' + M)^-1."""
        cross, inner = self.S * 0, self.penalty.copy()
        for k, v in zip(self.keys, self.values):
            cross += v * k.T
            inner += k * k.T
        return cross * mp.inverse(inner)


def square(x):
    return mp.mnorm(x, "f") ** 2


def vla_value(kind, w):
    if kind == "delta-gate":
        k, v, x = (column(w[n]) for n in ("keys", "values", "test"))
        S = mp.matrix([[real(w["state"][i * len(k) + e]) for e in range(len(k))] for i in range(len(v))])
        beta = real(w["beta"][0])
        after = S - beta * (S * k) * k.T + beta * v * k.T
        return square(after * x) - square(S * x)
    if kind == "vla-path":
        d = int(w["dim"][0])
        return sum(x * x for x in w["states"][-d:])
    if kind == "vla-product":
        d, weight_u = int(w["dim"][0]), real(w["weight"][0])
        M, x = mp.eye(d) * real(w["lambda0"][0]), column(w["start"])
        start = mp.norm(x)
        for t in range(len(w["features"]) // d):
            g, k = (column(w[n][t * d:(t + 1) * d]) for n in ("directions", "features"))
            M += weight_u * g * g.T
            k /= mp.norm(k)
            a = mp.lu_solve(M, k)
            a /= mp.norm(a)
            x -= a * (x.T * k)[0]
        return mp.norm(x) / start
    layer = Layer(w)
    if kind == "vla-gain":
        x = column(w["test"])
        return square(layer.last.T * x) / square(x)
    if kind == "vla-jacobians":
        return square(layer.J)
    if kind == "vla-excess":
        return layer.objective(layer.S) - layer.objective(layer.least())
    if kind == "vla-recall":
        return square(layer.S * layer.keys[0] - layer.values[0])
    if kind == "vla-overlap":
        return (layer.a.T * layer.keys[0])[0] ** 2
    if kind == "vla-contraction":
        return (layer.keys[-1].T * (layer.before - layer.A) * layer.keys[-1])[0]
    if kind == "vla-refresh":
        return square(layer.A * layer.penalty - mp.eye(layer.A.rows))
    return None


def value(kind, w):
    """What a witness's inputs give, or None for kinds that are looked at elsewhere."""
    if kind == "gl-weight":
        return weight(w["alpha"][0], int(w["j"][0]))
    if kind == "hankel-determinant":
        n = int(w["size"][0])
        return determinant(hankel([weight(w["alpha"][0], k) for k in range(2 * n)], n))
    if kind == "soe-error-at":
        lag = int(w["j"][0])
        return abs(weight(w["alpha"][0], lag) - sum(c * x ** lag for c, x in zip(w["weights"], w["nodes"])))
    if kind == "bank-chain":
        norm = ("sup", "l1", "l2")[int(w["norm"][0])]
        return min(apart(norm, a, b, int(w["horizon"][0]))[0] for a, b in zip(w["orders"], w["orders"][1:]))
    if kind == "softmax-ratio":
        return mp.exp(real(sum(q * (f - n) for q, n, f in zip(w["query"], w["near"], w["far"]))))
    if kind == "loglinear-live-states":
        return len(levels_of(int(w["position"][0])))
    if kind == "loglinear-mlp-spread":
        n = len(w["d"])
        hidden = len(w["w1"]) // n
        h = [sum((w["d"][i] - w["other"][i]) * w["w1"][i * hidden + k] for i in range(n)) for k in range(hidden)]
        out = len(w["w2"]) // hidden
        return max(abs(sum(h[k] * w["w2"][k * out + e] for k in range(hidden))) for e in range(out))
    if kind == "loglinear-mlp-work":
        log = (int(w["tokens"][0]) - 1).bit_length()
        return Fraction(4 * (log + 1) ** 2, log)
    return vla_value(kind, w)


def turned(p, q, x):
    """x in the plane's frame turned by the rational rotation (p,q)/sqrt(p^2+q^2), p^2+q^2 a square."""
    r = fraction(mp.sqrt(p * p + q * q))
    return [(p * x[0] - q * x[1]) / r, (q * x[0] + p * x[1]) / r]


def replays(j):
    """Layers whose last key has a rational |A k| although A is no multiple of I: with u along the first
    axis of a turned frame, A k ~ (p l, q (l + n/2)) for the key (p,q), which is to be a triple (P,Q) too."""
    j.group = "replayed witnesses"
    triples = [(3, 4), (5, 12), (8, 15), (20, 21), (12, 35), (4, 3), (12, 5), (15, 8), (21, 20), (35, 12)]
    for n in range(24):
        (p, q), (P, Q) = sorted(j.random.sample(triples, 2), key=lambda x: Fraction(x[1], x[0]))
        T, m = j.random.randint(1, 4), j.random.randint(1, 2)
        # (p l, q (l + T/2)) ~ (P, Q): l = q P T/2 / (p Q - q P)
        lambda0 = Fraction(q * P * T, 2) / (p * Q - q * P)
        frame = j.random.choice(triples)
        axis, key = turned(*frame, [Fraction(1), Fraction(0)]), turned(*frame, [Fraction(p), Fraction(q)])
        length = j.random.choice([1, -2])
        w = {"tokens": [Fraction(T)], "lambda0": [lambda0], "directions": axis * T,
             "keys": axis * (T - 1) + [length * x for x in key],
             "values": [j.rational() for _ in range(T * m)], "test": [j.rational() + 1 for _ in range(2)]}
        if all(x == 0 for x in w["test"]):
            w["test"][0] = Fraction(1)
        kind = ("vla-gain", "vla-jacobians", "vla-excess", "vla-recall", "vla-overlap", "vla-contraction")[n % 6]
        names = ["tokens", "lambda0", "keys", "directions", "values"] + (["test"] if kind == "vla-gain" else [])
        answer = j.ask("replay", kind, *[x for name in names for x in (name, w[name])])
        if answer is not None:
            truth = vla_value(kind, w)
            j.check(abs(answer[0].mid - fraction(truth)) <= (1 + abs(fraction(truth))) * LOOSE,
                    "%s: got %s, right is %s" % (kind, float(answer[0].mid), mp.nstr(truth, 20)))
    for n in range(6):
        alpha, lag = j.order(), j.random.randint(0, 30)
        c, x = [j.rational() for _ in range(3)], [j.rational(9, True) for _ in range(3)]
        x = [min(y, 1 / y) for y in x]
        for kind, w in (("gl-weight", {"alpha": [alpha], "j": [lag]}),
                        ("hankel-determinant", {"alpha": [alpha], "size": [1 + lag % 7]}),
                        ("soe-error-at", {"alpha": [alpha], "j": [lag], "weights": c, "nodes": x})):
            j.holds(j.ask("replay", kind, *[y for name in w for y in (name, w[name])])[0], value(kind, w), 0)


def as_ball(v):
    return Ball("%s/%s" % (v["num"], v["den"])) if v["type"] == "rational" else Ball(":".join(v["mid"] + v["rad"]))


def run(j, *arguments):
    j.request = "mneme " + " ".join(arguments)
    j.cases[j.group] = j.cases.get(j.group, 0) + 1
    return subprocess.run([j.mneme, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def check_tables(j, tables):
    for table in tables:
        rows = [[as_ball(v) for v in row] for row in table["rows"]]
        if table["id"] == "vla-jacobian-norm":  # block 0: I - a k' in the plane with that cosine
            for block, c, norm in rows:
                if block.mid == 0:
                    x = real(c.mid)
                    J = mp.eye(2) - mp.matrix([[x, mp.sqrt(1 - x * x)], [0, 0]])
                    j.holds(norm, mp.svd_r(J, compute_uv=False)[0], 50)
        elif table["id"] == "loglinear-competition":
            for soft, z, *got in rows:
                z = [real(z.mid), mpf(-2), mpf(0), mpf(2)]
                if soft.mid == 0:
                    total = sum(mp.exp(x) for x in z)
                    truth = [mp.exp(x) / total for x in z]
                    truth.append(truth[0] * (1 - truth[0]))
                else:
                    truth = [mp.log(1 + mp.exp(x)) for x in z] + [1 / (1 + mp.exp(-z[0]))]
                for b, t in zip(got, truth):
                    j.holds(b, t, 45)
        elif table["id"] == "vort-weights":
            for order, lag, w, law, gap, bound in rows[::7]:
                a, t = real(order.mid), real(lag.mid)
                truth = mp.gammaprod([t + a], [a, t + 1])
                j.holds(w, truth, 60)
                j.holds(law, t ** (a - 1) / mp.gamma(a), 60)
                j.check(abs(gap.mid - fraction(1 - truth / (t ** (a - 1) / mp.gamma(a)))) <= gap.rad + LOOSE and
                        gap.rad < Fraction(1, 2 ** 60), "the gap of the law")
                j.holds(bound, 1 - (1 + a / t) ** (a - 1), 40)


def reports(j):
    j.group = "reports"
    numbers = {"softplus(0.54)": mp.log(1 + mp.exp(mpf(54) / 100)), "ln(e-1)": mp.log(mp.e - 1),
               "1 - softplus(0.54)": 1 - mp.log(1 + mp.exp(mpf(54) / 100)), "sharp constant": mp.euler,
               "softplus' at z = -20": 1 / (1 + mp.exp(20)), "1 - softplus' at z = 20": 1 / (1 + mp.exp(20))}
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "verify.json")
        run(j, "verify", "-j", "2", "--json", path, "vla.jacobian-norm", "vla.jacobian-vanishing",
            "vla.least-squares", "vla.deltanet-gate", "loglinear.softplus-init", "loglinear.competition",
            "vort.softmax-decay", "loglinear.cost", "vort.weights")
        with open(path) as f:
            report = json.load(f)
    for claim in report["claims"]:
        check_tables(j, claim["series"])
        for check in claim["checks"]:
            for n in check["numbers"]:
                if n["name"] in numbers:
                    found += 1
                    j.request = claim["id"] + " " + n["name"]
                    j.holds(as_ball(n["value"]), numbers[n["name"]], 30)
        for w in claim["witnesses"]:
            j.request = "witness " + w["id"]
            j.cases[j.group] += 1
            truth = value(w["kind"], {k: [Fraction(x) for x in v] for k, v in w["inputs"].items()})
            j.check(truth is not None, "a witness of a kind that is not known here")
            ball = as_ball(w["conclusion"]["lhs"])
            j.check(abs(ball.mid - fraction(truth)) <= (ball.rad or 0) + LOOSE, "another left side")
            r, rel = as_ball(w["conclusion"]["rhs"]).mid, w["conclusion"]["rel"]
            t = fraction(truth)
            j.check({"<": t < r, "<=": t <= r + LOOSE, ">": t > r, ">=": t >= r - LOOSE,
                     "=": abs(t - r) <= LOOSE}[rel], "the inequality is false")
    j.request = ""
    j.check(found == len(numbers), "%d of %d numbers are in the report" % (found, len(numbers)))


def commands(j):
    """Sums and banks are judged by the decimals that are printed."""
    j.group = "commands"
    with mp.workdps(45):
        for n in range(8):
            order, terms, horizon = j.order((1, 10), (9, 10)), j.random.randint(1, 6), j.random.randint(20, 900)
            method = ("minimax", "sinc", "minimax", "jacobi", "legendre", "minimax", "laguerre", "trapezoid")[n]
            relative = ["--relative"] * (n % 2)
            said = json.loads(run(j, "soe", "--alpha", str(order), "--horizon", str(horizon), "--terms", str(terms),
                                  "--method", method, "--format", "json", *relative))
            c, rates = ([Fraction(t[k]) for t in said["terms"]] for k in ("weight", "rate"))
            e = [abs(x) for x in errors(order, bool(relative), c, nodes_of("rate", rates), horizon)]
            sup = fraction(max(e[1:]))
            j.check(Fraction(said["sup_lower"]) <= sup <= Fraction(said["sup_upper"]),
                    "%s: the largest error is %s, not in [%s, %s]" % (method, mp.nstr(real(sup), 12), said["sup_lower"],
                                                                  said["sup_upper"]))
            j.check(Fraction(said["sup_upper"]) <= sup * Fraction(10001, 10000), "a wide bound")
            if "best_lower" in said:
                j.check(sup * Fraction(99, 100) <= Fraction(said["best_lower"]) <= sup, "the bound of the best error")
        for n, norm in enumerate(("sup", "l1", "l2")):
            delta, horizon = j.order((1, 20), (1, 2)), j.random.randint(8, 100)
            tau = Fraction(j.random.randint(8, 20), 100) * (1 if n == 0 else 8)
            said = json.loads(run(j, "banks", "--delta", str(delta), "--horizon", str(horizon), "--error", str(tau),
                                  "--norm", norm, "--format", "json"))
            worst = max(fraction(apart(norm, *sorted((Fraction(b[e]), Fraction(b["order"]))), horizon)[0])
                        for b in said["orders"] for e in ("from", "to"))
            j.check(worst <= Fraction(said["error_upper"]) <= worst * Fraction(1001, 1000) and worst <= tau,
                    "the error of the banks is %s" % float(worst))
            chain = [Fraction(x) for x in said["apart"]]
            j.check(len(chain) >= 2 * said["banks"] - 1 and
                    all(fraction(apart(norm, a, b, horizon)[0]) > tau for a, b in zip(chain, chain[1:])),
                    "fewer banks are not excluded")
    for _ in range(6):
        order, lag, digits = j.rational(20), j.random.randint(0, 300), j.random.randint(3, 40)
        lines = run(j, "weights", "--alpha=" + str(order), "--from", str(lag), "--count", "2", "--exact").splitlines()
        got = [Fraction(line.split()[-1]) for line in lines if line[:1].isdigit()]
        j.check(got == [weight(order, lag), weight(order, lag + 1)], "weights as fractions")
        lines = run(j, "weights", "--alpha=" + str(order), "--from", str(lag), "--count", "1", "--digits",
                    str(digits)).splitlines()
        shown = Fraction([line for line in lines if line[:1].isdigit()][0].split()[-1])
        truth = weight(order, lag)
        j.check(abs(shown - truth) <= abs(truth) * Fraction(5, 10 ** digits) and (shown == 0) == (truth == 0),
                "a weight to %d digits" % digits)


CASES = (replays, reports, commands)

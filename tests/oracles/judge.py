"""Asks the program answers, and judges each number: does its ball hold the right one, and is it narrow?"""
import random
import subprocess
from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 90
ROUNDING = Fraction(1, 10 ** 78)  # of what mpmath says, relative; its working precision is 90 digits


def fraction(x):
    """The exact value of an integer, Fraction or mpf."""
    if isinstance(x, (int, Fraction)):
        return Fraction(x)
    sign, man, exp, _ = mpf(x)._mpf_
    man = int(man)
    value = Fraction(man << exp) if exp >= 0 else Fraction(man, 1 << -exp)
    return -value if sign else value


def real(x):
    """A number as mpf, rounded to the working precision."""
    x = fraction(x)
    return mpf(x.numerator) / mpf(x.denominator)


class Ball:
    """mid +/- rad; a rational answer has rad None."""

    def __init__(self, text):
        parts = text.split(":")
        if len(parts) == 4:
            m, e, r, x = map(int, parts)
            self.mid, self.rad = m * Fraction(2) ** e, r * Fraction(2) ** x
        else:
            self.mid, self.rad = Fraction(text), None

    @property
    def low(self):
        return self.mid - (self.rad or 0)

    @property
    def high(self):
        return self.mid + (self.rad or 0)


def words(arguments):
    """Arguments as the program reads them: a list is its length and its elements."""
    for a in arguments:
        if isinstance(a, (list, tuple)):
            yield str(len(a))
            yield from words(a)
        elif isinstance(a, str):
            yield a
        else:
            yield str(fraction(a))


class Judge:
    def __init__(self, answers, mneme):
        self.process = subprocess.Popen([answers], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.mneme = mneme
        self.random = random.Random()
        self.cases, self.numbers, self.failures = {}, 0, []
        self.group, self.request = "", ""

    def raw(self, *arguments):
        """The words of the answer."""
        self.request = " ".join(words(arguments))
        self.process.stdin.write(self.request + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        self.cases[self.group] = self.cases.get(self.group, 0) + 1
        if not answer or "failed" in answer or "infinite" in answer or "refused" in answer:
            self.fail("the answer is " + repr(answer))
            return None
        return answer.split()

    def ask(self, *arguments):
        answer = self.raw(*arguments)
        try:
            return None if answer is None else [Ball(w) for w in answer]
        except ValueError:
            self.fail("the answer is " + " ".join(answer))
            return None

    def fail(self, message):
        self.failures.append("%s: %s\n    %s" % (self.group, message, self.request[:300]))

    def check(self, condition, message):
        self.numbers += 1
        if not condition:
            self.fail(message)

    def holds(self, ball, truth, bits, rounding=ROUNDING):
        """truth lies in the ball, whose radius is at most 2^-bits of it; a rational answer is the truth,
        or within 2^-bits of it where the truth is no Fraction.  rounding: that of truth, relative."""
        exact = isinstance(truth, (int, Fraction))
        t = fraction(truth)
        slack = 0 if exact else abs(t) * rounding
        width = abs(t) / 2 ** bits
        if ball.rad is None:
            right, narrow = abs(ball.mid - t) <= (0 if exact else slack + width), True
        else:
            right, narrow = abs(ball.mid - t) <= ball.rad + slack, ball.rad <= width
        self.numbers += 1
        if not right or not narrow:
            self.fail("%s: got %s +/- %s, right is %s" % (
                "not in the ball" if not right else "wider than 2^-%d" % bits, mp.nstr(real(ball.mid), 25),
                mp.nstr(real(ball.rad or 0), 3), mp.nstr(real(t), 25)))

    def order(self, low=(1, 40), high=(39, 40)):
        """A random order strictly between 0 and 1."""
        d = self.random.choice([2, 3, 5, 7, 10, 20, 37, 100, 1009])
        n = self.random.randint(1, d - 1)
        return min(max(Fraction(n, d), Fraction(*low)), Fraction(*high))

    def rational(self, size=9, positive=False):
        d = self.random.randint(1, size)
        n = self.random.randint(1 if positive else -size, size)
        return Fraction(n, d)

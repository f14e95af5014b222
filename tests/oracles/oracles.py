"""The exact layer against mpmath, which shares no code with it, on random cases.

    oracles.py ANSWERS MNEME [GROUP...]     SEED= in the environment; build/tests/answers, build/bin/mneme

The right answers are computed here from definitions, at 90 digits; each must lie in the ball that is
given, and the ball must be narrow.  Exit 0 if all do, 1 if not, 77 where mpmath is missing."""
import os
import sys
import time

sys.dont_write_bytecode = True
os.environ.setdefault("MPMATH_NOGMPY", "1")  # Python's own integers: not even GMP is shared
try:
    import mpmath
except ImportError:
    print("oracles: mpmath is not there (make deps-oracles)")
    sys.exit(77)

from judge import Judge
import memories
import reports
import sums
import weights

MODULES = (weights, sums, memories, reports)


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    seed = os.environ.get("SEED", "1")
    j = Judge(sys.argv[1], sys.argv[2])
    for module in MODULES:
        for cases in module.CASES:
            if sys.argv[3:] and cases.__name__ not in sys.argv[3:]:
                continue
            start, before, wrong = time.time(), j.numbers, len(j.failures)
            # each group draws from a stream of its own: it can be run alone
            j.random.seed("%s %s" % (seed, cases.__name__))
            try:
                cases(j)
            except (ArithmeticError, IndexError, TypeError, ValueError) as e:  # what no answer should lead to
                j.fail("%s: %s" % (type(e).__name__, e))
            print("%-12s %6d numbers %4d wrong %6.1f s" % (
                cases.__name__, j.numbers - before, len(j.failures) - wrong, time.time() - start), flush=True)
    for failure in j.failures[:20]:
        print(failure)
    print("oracles: %d cases, %d numbers, %d wrong (mpmath %s, SEED=%s)" % (
        sum(j.cases.values()), j.numbers, len(j.failures), mpmath.__version__, seed))
    return 1 if j.failures else 0


sys.exit(main())

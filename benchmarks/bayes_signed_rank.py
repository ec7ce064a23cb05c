"""Bayesian signed-rank test with 50,000 samples, beside baycomp, which loops over them.

python -m benchmarks.bayes_signed_rank
"""

from benchmarks._rows import peer  # isort: skip
from benchmarks._timing import compare, seconds  # isort: skip  # before numpy starts its threads

import numpy as np

from evallang.stats.hypothesis_tests.bayesian_datasets import bayes_signed_rank

baycomp = peer("baycomp")
GOAL = 20
HELD = 10
SAMPLES = 50_000


def main() -> None:
    rng = np.random.default_rng(20181113)
    for n in (30, 100):
        first, second = rng.uniform(0.7, 0.9, n), rng.uniform(0.7, 0.9, n)
        mine = seconds(
            lambda x=first, y=second: bayes_signed_rank(x, y, samples=SAMPLES, better="higher"),
            runs=3,
        )
        theirs = seconds(
            lambda x=first, y=second: baycomp.SignedRankTest.probs(
                x, y, rope=0.01, nsamples=SAMPLES
            ),
            runs=1,
        )
        work = f"{n} data sets, {SAMPLES:,} samples"
        compare(work, mine, "baycomp", theirs, goal=GOAL, held=HELD)


if __name__ == "__main__":
    main()

"""Exact p of Cochran's and Friedman's tests, beside scipy's enumeration of all permutations.

python -m benchmarks.exact_small_cases
"""

import math

from benchmarks._timing import compare, seconds, within  # isort: skip  # before numpy starts its threads

import numpy as np
from scipy import stats

from evallang.stats.hypothesis_tests.datasets import friedman
from evallang.stats.hypothesis_tests.matched_proportions import cochran

GOAL, HELD = 10, 5
LONGEST = 1.0  # seconds; up to these sizes statistics.md makes the exact p the default


def spread(*columns: np.ndarray, axis: int = -1) -> np.ndarray:
    return sum(np.sum(column, axis=axis) ** 2 for column in columns)


def enumerated(table: np.ndarray) -> float:
    found = stats.permutation_test(
        tuple(table.T),
        spread,
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        batch=10_000,
        alternative="greater",
    )
    return float(found.pvalue)


def main() -> None:
    rng = np.random.default_rng(20181113)
    right = np.array([(1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 0), (0, 1, 0), (1, 0, 0)])
    assert math.isclose(cochran(right, method="exact").p, enumerated(right))
    mine = seconds(lambda: cochran(right, method="exact"))
    theirs = seconds(lambda: enumerated(right), runs=2)
    work = "Cochran, 6 informative rows, 3 models"
    compare(work, mine, "scipy", theirs, goal=GOAL, held=HELD)
    for n, models in ((6, 3), (4, 4)):
        scores = rng.random((n, models))
        ranks = scores.argsort(axis=1).argsort(axis=1) + 1
        assert math.isclose(friedman(scores, method="exact").p, enumerated(ranks))
        mine = seconds(lambda s=scores: friedman(s, method="exact"))
        theirs = seconds(lambda r=ranks: enumerated(r), runs=1)
        work = f"Friedman, {n} data sets, {models} models"
        compare(work, mine, "scipy", theirs, goal=GOAL, held=HELD)
    for n, models in ((15, 3), (8, 4), (5, 5)):
        scores = rng.random((n, models))
        took = seconds(lambda s=scores: friedman(s, method="exact"), runs=3)
        orders = math.factorial(models) ** (n - 1)
        within(f"{orders:.1e} arrangements, {n} x {models}", took, held=LONGEST)


if __name__ == "__main__":
    main()

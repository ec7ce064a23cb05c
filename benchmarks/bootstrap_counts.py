"""Bootstrap of accuracy, macro-F1 and MCC of five models, beside scipy with scikit-learn.

Ours draws the joint table of truth and labels as a multinomial: for any number of examples
the same work, and in distribution the same resamples. The peer does fewer rounds of one
metric of one model and is scaled by rounds, metrics and models.

    python benchmarks/bootstrap_counts.py
"""

import sys
from itertools import combinations

from _timing import compare, seconds, written  # isort: skip  # before numpy starts its threads

import numpy as np
from scipy import stats
from sklearn.metrics import f1_score

from evallang.stats.intervals.bootstrap_bounds import bootstrap
from evallang.stats.intervals.resampled_counts import CountSample, PairedCountSample

ROUNDS, FEWER, MODELS = 10_000, 20, 5
GOAL = 100_000  # the prototype's at a million examples: 138,000


def accuracy(matrix: np.ndarray) -> np.ndarray:
    return (matrix[..., 0, 0] + matrix[..., 1, 1]) / matrix.sum((-1, -2))


def macro_f1(matrix: np.ndarray) -> np.ndarray:
    off = matrix[..., 0, 1] + matrix[..., 1, 0]
    return sum(2 * matrix[..., k, k] / (2 * matrix[..., k, k] + off) for k in (0, 1)) / 2


def mcc(matrix: np.ndarray) -> np.ndarray:
    rows, columns = matrix.sum(-1), matrix.sum(-2)
    determinant = matrix[..., 0, 0] * matrix[..., 1, 1] - matrix[..., 0, 1] * matrix[..., 1, 0]
    return determinant / np.sqrt(rows.prod(-1) * columns.prod(-1))


def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20181113)
    truth = rng.integers(0, 2, n)
    return truth, truth ^ (rng.random((MODELS, n)) < 0.1)


def ours(truth: np.ndarray, labels: np.ndarray) -> None:
    """Every metric of every model, and all paired differences, by bca."""
    for y in labels:
        matrix = np.bincount(2 * truth + y, minlength=4).reshape(2, 2)
        for metric in (accuracy, macro_f1, mcc):
            bootstrap(CountSample(matrix, metric), 0.95, 1, rounds=ROUNDS)
    for i, j in combinations(range(MODELS), 2):
        joint = np.bincount(4 * truth + 2 * labels[i] + labels[j], minlength=8).reshape(2, 2, 2)
        for metric in (accuracy, macro_f1, mcc):
            bootstrap(PairedCountSample(joint, metric), 0.95, 1, rounds=ROUNDS)


def theirs(truth: np.ndarray, label: np.ndarray) -> None:
    stats.bootstrap(
        (truth, label),
        lambda y, x: f1_score(y, x, average="macro"),
        n_resamples=FEWER,
        paired=True,
        vectorized=False,
        method="percentile",
        rng=np.random.default_rng(1),
    )


def main() -> int:
    for n in (1_000, 1_000_000):
        truth, labels = drawn(n)
        mine = seconds(lambda t=truth, y=labels: ours(t, y), runs=2)
        one = seconds(lambda t=truth, y=labels[0]: theirs(t, y), runs=1)
        # three metrics of five models; each paired difference is two more
        peer = one * ROUNDS / FEWER * 3 * (MODELS + MODELS * (MODELS - 1))
        work = f"3 metrics, 5 models and 10 differences, n = {n:,}, {ROUNDS:,} rounds"
        scaled = f"{FEWER} rounds of one"
        compare(work, mine, "scipy with scikit-learn", peer, GOAL if n > 1e5 else None, scaled)
        print(f"    goal {written(0.05)} at any n, with the counts shared")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Bootstrap of accuracy, macro-F1 and MCC of five models, beside scipy with scikit-learn.

Ours counts how truth and all labels come together, and draws this table as a multinomial: for
any number of examples the same work, and in distribution the same resamples. The peer does
fewer rounds of one metric of one model and is scaled by rounds, metrics and models.

    python -m benchmarks.bootstrap_counts
"""

from itertools import combinations

from benchmarks._timing import compare, seconds, within  # isort: skip  # before numpy starts its threads

import numpy as np
from evallang.stats.intervals.joint_counts import JointCounts
from scipy import stats
from sklearn.metrics import f1_score

from evallang.stats.intervals.bootstrap_bounds import bootstrap
from evallang.stats.intervals.resampling import CountSample, PairedCountSample

ROUNDS, FEWER, MODELS = 10_000, 5, 5
COMPARED = 1_000_000  # examples of the comparison with the peer
GOAL, HELD = 0.05, 0.16  # seconds, at any number of examples; the prototype took .067 to .106


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


def ours(counts: JointCounts) -> None:
    """Every metric of every model, and all paired differences, by percentiles and by bca."""
    for metric in (accuracy, macro_f1, mcc):
        single = [counts.metric(m, metric) for m in range(MODELS)]
        paired = [counts.difference(i, j, metric) for i, j in combinations(range(MODELS), 2)]
        for sample in (*single, *paired):
            for method in ("percentile", "bca"):
                bootstrap(sample, 0.95, 1, method=method, rounds=ROUNDS)


def alone(truth: np.ndarray, labels: np.ndarray) -> None:
    """The same by bca, each model and each pair drawn on its own, as a study does it."""
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


def main() -> None:
    for n in (1_000, 1_000_000, 10_000_000):
        truth, labels = drawn(n)
        counting = seconds(lambda t=truth, y=labels: JointCounts(t, y.T, 2), runs=3)
        # made anew for each run, as it keeps its draws
        made = iter([JointCounts(truth, labels.T, 2) for _ in range(5)])
        drawing = seconds(lambda m=made: ours(next(m)))
        within(f"n = {n:,}: counting the rows once", counting)
        work = f"n = {n:,}: 3 metrics, 5 models, 10 differences, two methods, from the counts"
        within(work, drawing, goal=GOAL, held=HELD)
        if n != COMPARED:
            continue
        separately = seconds(lambda t=truth, y=labels: alone(t, y), runs=2)
        within("by bca alone, each model and each pair counted and drawn on its own", separately)
        one = seconds(lambda t=truth, y=labels[0]: theirs(t, y), runs=1)
        # three metrics of five models; each paired difference is two more
        peer = one * ROUNDS / FEWER * 3 * (MODELS + MODELS * (MODELS - 1))
        scaled = f"{FEWER} rounds of one"
        work = f"the same beside a peer, n = {n:,}, with the counting"
        compare(work, counting + drawing, "scipy with scikit-learn", peer, scaled=scaled)


if __name__ == "__main__":
    main()

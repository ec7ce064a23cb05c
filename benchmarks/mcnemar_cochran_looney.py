"""All McNemar pairs, Cochran's Q and Looney's F on a million examples, beside mlxtend.

Ours start from the labels, count once (Gram matrix of right and wrong, bit-packed), and
give effects and intervals as well. mlxtend goes through all 2^M patterns of right and wrong
for Q and for F: it runs on fewer examples and is scaled by their number, and with 20 models
by the number of patterns too.

    python -m benchmarks.mcnemar_cochran_looney
"""

from itertools import combinations

from benchmarks._rows import peer  # isort: skip
from benchmarks._timing import compare, seconds  # isort: skip  # before numpy starts its threads

import numpy as np

from evallang.stats.correctness import count_right
from evallang.stats.hypothesis_tests.contingency import mcnemar
from evallang.stats.hypothesis_tests.matched_proportions import cochran, looney_f

mlxtend = peer("mlxtend", "mlxtend.evaluate")
N, FEWER = 1_000_000, 10_000
GOAL, PROTOTYPE, HELD = 8_000, 5_200, 1_800


def drawn(n: int, models: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20181113)
    truth = rng.integers(0, 2, n)
    return truth, truth[:, None] ^ (rng.random((n, models)) < 0.1)


def ours(truth: np.ndarray, labels: np.ndarray) -> None:
    counts = count_right(truth, labels)
    for i, j in combinations(range(labels.shape[1]), 2):
        mcnemar(counts.pair(i, j))
    cochran(counts, method="chi2")
    looney_f(counts)


def pairs_by_mlxtend(truth: np.ndarray, labels: np.ndarray) -> None:
    for i, j in combinations(range(labels.shape[1]), 2):
        mlxtend.mcnemar(mlxtend.mcnemar_table(truth, labels[:, i], labels[:, j]))


def omnibus_by_mlxtend(truth: np.ndarray, labels: np.ndarray) -> None:
    columns = [np.ascontiguousarray(column) for column in labels.T]
    mlxtend.cochrans_q(truth, *columns)
    mlxtend.ftest(truth, *columns)


def main() -> None:
    for models in (10, 20):
        truth, labels = drawn(N, models)
        mine = seconds(lambda t=truth, y=labels: ours(t, y))
        fewer = (truth[:FEWER], np.ascontiguousarray(labels[:FEWER]))
        theirs = seconds(lambda t=truth, y=labels: pairs_by_mlxtend(t, y), runs=1)
        scaled = f"n = {FEWER:,}"
        ten = (fewer[0], fewer[1][:, :10])
        omnibus = seconds(lambda given=ten: omnibus_by_mlxtend(*given), runs=3) * N / FEWER
        if models > 10:
            omnibus *= 2 ** (models - 10)
            scaled += " and M = 10"
        compare(
            f"{models * (models - 1) // 2} McNemar, Q and F, n = {N:,}, M = {models}",
            mine,
            "mlxtend",
            theirs + omnibus,
            goal=GOAL,
            prototype=PROTOTYPE,
            held=HELD,
            scaled=scaled,
        )


if __name__ == "__main__":
    main()

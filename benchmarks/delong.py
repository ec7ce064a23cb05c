"""DeLong's test of two models, beside Sun and Xu's algorithm as it is written in Python.

The peer is the form that nearly all Python packages copy: mid-ranks in a loop over the
sorted scores, four of them for each model.

    python -m benchmarks.delong
"""

from benchmarks._timing import clock, compare, seconds, within  # isort: skip  # before numpy starts its threads

import numpy as np

from evallang.stats.hypothesis_tests.ranking_curves import delong

PROTOTYPE, HELD = 80, 12  # at a million examples
GOAL = 0.5  # seconds at ten million


def mid_ranks(x: np.ndarray) -> np.ndarray:
    order = np.argsort(x)
    z = x[order]
    n = len(x)
    ranks = np.zeros(n)
    i = 0
    while i < n:
        j = i
        while j < n and z[j] == z[i]:
            j += 1
        ranks[i:j] = 0.5 * (i + j - 1) + 1
        i = j
    found = np.empty(n)
    found[order] = ranks
    return found


def sun_xu(truth: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    up = truth == 1
    m, n = int(up.sum()), int((~up).sum())
    x, y = scores[up].T, scores[~up].T
    tx = np.array([mid_ranks(row) for row in x])
    ty = np.array([mid_ranks(row) for row in y])
    tz = np.array([mid_ranks(row) for row in np.hstack([x, y])])
    areas = tz[:, :m].sum(axis=1) / m / n - (m + 1.0) / 2.0 / n
    v01, v10 = (tz[:, :m] - tx) / n, 1.0 - (tz[:, m:] - ty) / m
    return areas, np.cov(v01) / m + np.cov(v10) / n


def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20181113)
    truth = rng.integers(0, 2, n)
    shared = rng.standard_normal(n)
    columns = [truth + 0.7 * shared + 0.7 * rng.standard_normal(n) for _ in range(2)]
    return truth, np.column_stack(columns)


def main() -> None:
    truth, scores = drawn(1_000_000)
    areas, covariance = sun_xu(truth[:20_000], scores[:20_000])
    found = delong(truth[:20_000], scores[:20_000])
    error = (covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]) ** 0.5
    assert abs(found.statistic.value - (areas[0] - areas[1]) / error) < 1e-9
    mine, note = clock(lambda: delong(truth, scores))
    theirs = seconds(lambda: sun_xu(truth, scores), runs=2)
    work = "two models, n = 1,000,000"
    compare(work, mine, "Sun-Xu in Python", theirs, prototype=PROTOTYPE, held=HELD, note=note)
    truth, scores = drawn(10_000_000)
    mine, note = clock(lambda: delong(truth, scores))
    within("two models, n = 10,000,000", mine, goal=GOAL, note=note)


if __name__ == "__main__":
    main()

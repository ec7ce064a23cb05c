"""How far training sets of one design share examples, from the sizes of its folds."""

from collections import defaultdict
from collections.abc import Sequence

from evallang.results.records import DRAWN, FoldValue


def shared_training(how: str | None, folds: Sequence[FoldValue]) -> float | None:
    """Give the mean share of a training set that stands in another one too, over all pairs.

    Two parts of one partition leave out different rows: of n rows they share
    n_train(i) + n_train(j) - n. Rows drawn anew, and those of another repeat, are shared by
    chance: n_train / n. None where sizes are not known, or there is one split only.
    """
    if how is None or len(folds) < 2:
        return None
    if any(fold.n_train is None or fold.n_test is None for fold in folds):
        return None
    if how == DRAWN:
        shares = [
            (fold.n_train or 0) / size
            for fold in folds
            if (size := (fold.n_train or 0) + (fold.n_test or 0))
        ]
        return sum(shares) / len(shares) if shares else None
    repeats: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for fold in folds:
        repeats[fold.repeat].append((fold.n_train or 0, fold.n_test or 0))
    total, counted = 0.0, 0
    means: list[tuple[float, int]] = []  # share of the rows that a repeat trains on, and splits
    for sizes in repeats.values():
        k = len(sizes)
        mean = sum(train for train, _ in sizes) / k
        n = sum(train + test for train, test in sizes) / k
        # The mean over all pairs of n_i + n_j - n, over the mean size.
        pairs = k * (k - 1)
        total += pairs * max(0.0, (2 * mean - n) / mean) if mean else 0.0
        counted += pairs
        means.append((mean / n if n else 0.0, k))
    for place, (share, k) in enumerate(means):
        others = sum(size for i, (_, size) in enumerate(means) if i != place)
        total += k * others * share
        counted += k * others
    return total / counted if counted else None

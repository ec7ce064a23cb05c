"""Splits inside one training part, to choose hyper-parameters without touching its test rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from evallang.protocols.protocol import Rows, Split
from evallang.protocols.splitting import k_folds, part
from evallang.protocols.temporal import forward_chaining


def inner_splits(
    rows: Rows,
    training: NDArray[np.int64],
    *,
    folds: int,
    seed: int,
    ordered: bool = False,
) -> Iterator[Split]:
    """Divide a training part as the rows are divided outside: strata kept, groups whole.

    `training` are sorted row numbers of `rows` (an outer split's `train`), and so are those
    of the splits; `seed` is derived from the outer repeat and fold, never from a model, so
    that all models are tuned on the same folds. Folds of rows `ordered` in time train on the
    past alone. Copies of a row in a bootstrap sample stay together (Janitza et al. 2016).
    Raises `ValueError` where rows, groups or members of a stratum are fewer than folds.
    """
    distinct, copies = np.unique(training, return_counts=True)
    inside = part(rows, distinct)
    pairs: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]
    if ordered:
        pairs = ((one.train, one.test) for one in forward_chaining(inside, folds))
    else:
        pairs = k_folds(inside, folds, seed)
    for fold, sides in enumerate(pairs):
        train, test = (np.repeat(distinct[side], copies[side]) for side in sides)
        yield Split(0, fold, train, test)

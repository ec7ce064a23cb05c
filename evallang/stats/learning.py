"""Scores of fits on parts of the training parts, as learning curves read them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class SizeScores(Struct, frozen=True):
    """The scores of the fits on subsets of one size.

    Attributes
    ----------
    fraction : the share of the training part, None where a number of rows was written
    n_train : the number of rows of each subset
    train, test : the metric over all splits for each draw of subsets (draws,), NaN where undefined
    train_splits, test_splits : the metric of each split (draws, splits), NaN where it is undefined
        or the fit failed
    failed : the number of fits that failed
    """

    fraction: float | None
    n_train: tuple[int, ...]
    train: NDArray[np.float64]
    test: NDArray[np.float64]
    train_splits: NDArray[np.float64]
    test_splits: NDArray[np.float64]
    failed: int


class Learning(Struct, frozen=True):
    """The scores of one model by the size of the training set, the smallest size first.

    `n` counts the examples that are tested; `ordered` states that the subsets are the last rows
    of training parts in time, and are not drawn.
    """

    metric: str
    better: Literal["higher", "lower", "nearest"]
    n: int
    splits: int
    ordered: bool
    sizes: tuple[SizeScores, ...]

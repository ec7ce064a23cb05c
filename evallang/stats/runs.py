"""What was run of one model: every split with every seed, as the analyses of variation read it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class Runs(Struct, frozen=True):
    """The scores and predictions of one model for S seeds and J splits.

    Attributes
    ----------
    draws : False where the model takes no seed, so that all seeds are one
    values : the metric over all splits by seed (S,), NaN where undefined
    splits : the metric of each split by seed (S, J), NaN where undefined
    repeats : the repeat of each split (J,)
    labels : the predictions by seed (S, n)
    losses : what the metric is the mean of by seed (S, n), or None for another kind of metric
    split_of : the split of each prediction (n,), as a place in `splits`
    units : what is drawn together (n,) as int codes, or None where each prediction is one
    categories : True where predictions are classes
    """

    metric: str
    better: Literal["higher", "lower", "nearest"]
    draws: bool
    values: NDArray[np.float64]
    splits: NDArray[np.float64]
    repeats: NDArray[np.int64]
    labels: NDArray[Any]
    losses: NDArray[np.float64] | None
    split_of: NDArray[np.int64]
    units: NDArray[np.int64] | None
    categories: bool


def variances_over_seeds(splits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variance over seeds of each column, zero where its scores are equal.

    The mean of equal scores may differ from them in the last digit; that of their zeros does not.
    """
    return np.asarray(np.var(splits - splits[0], axis=0, ddof=1))

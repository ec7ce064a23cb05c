"""Held-out predictions of a model, as the analyses of models read them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class Predicted(Struct, frozen=True, dict=True):
    """The held-out predictions of one model.

    Attributes
    ----------
    truth : class of each prediction as an index (n,), or its number in a regression
    labels : predicted class (n,), -1 where it is none of the classes, or predicted number
    scores : score of the positive class (n,), higher for it, or None
    probabilities : True where the scores are probabilities
    classes : the names of the classes, empty in a regression
    positive : index of the positive class, or None
    folds : the fitted model of each prediction (n,) as int codes, None where one model made all
    units : what is drawn together (n,) as int codes, None where each prediction is one
    weights : weight of each prediction (n,), or None
    level : confidence level of intervals and bands
    seed : 32-bit seed of resampling
    """

    truth: NDArray[Any]
    labels: NDArray[Any]
    scores: NDArray[np.float64] | None
    probabilities: bool
    classes: tuple[str, ...]
    positive: int | None
    folds: NDArray[np.int64] | None
    units: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    level: float
    seed: int

    @property
    def n(self) -> int:
        """The number of predictions."""
        return len(self.truth)

    @property
    def n_units(self) -> int:
        """The number of units that are drawn together."""
        return self.n if self.units is None else len(np.unique(self.units))

    @cached_property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether the truth of each prediction is the positive class (n,)."""
        return np.asarray(self.truth == self.positive, dtype=bool)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The weight of each prediction (n,), 1 without weights."""
        return np.ones(self.n) if self.weights is None else self.weights

    def weights_of_classes(self, rows: NDArray[np.intp] | None = None) -> tuple[float, float]:
        """Return the weight of the negatives and of the positives, of some rows or of all."""
        shares, up = self.shares, self.is_positive
        if rows is not None:
            shares, up = shares[rows], up[rows]
        return float(shares[~up].sum()), float(shares[up].sum())

"""How strongly single columns separate classes or follow a number."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evallang.data.dataset import Table


def ranks(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the ranks (n,) of numbers from 1, ties with their mean rank."""
    return pl.Series(values).rank().to_numpy()


def area(values: "NDArray[np.float64]", positive: "NDArray[np.bool_]") -> float:
    """Return the area under the ROC curve of a column, at least one half.

    `values` and `positive` are (n,); both classes must occur.
    """
    ones = int(positive.sum())
    zeros = len(values) - ones
    found = (float(ranks(values)[positive].sum()) - ones * (ones + 1) / 2) / (ones * zeros)
    return max(found, 1 - found)


def squared_correlation(x: "NDArray[np.float64]", y: "NDArray[np.float64]") -> float:
    """Return the share of the spread of y that a line in x explains; 0 without spread."""
    x, y = x - x.mean(), y - y.mean()
    both = float(x @ x) * float(y @ y)
    return float(x @ y) ** 2 / both if both > 0 else 0.0


def indicators(codes: "NDArray[Any]", classes: int) -> "NDArray[np.float64]":
    """Return one column (n,) of 0 and 1 for each class; of two classes one suffices."""
    first = 1 if classes == 2 else 0
    found: NDArray[np.float64] = (codes[:, None] == np.arange(first, classes)).astype(float)
    return found


def target_columns(table: Table) -> "NDArray[np.float64]":
    """Return the target as columns (n, c): the numbers, or an indicator of each class."""
    if table.task == "regression":
        return np.asarray(table.y, dtype=float)[:, None]
    return indicators(table.y, len(table.classes))

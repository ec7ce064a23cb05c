"""How strongly single columns separate classes or follow a number."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def ranks(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the ranks (n,) of numbers from 1, ties with their mean rank; O(n log n)."""
    order = np.argsort(values, kind="stable")
    arranged = values[order]
    starts = np.flatnonzero(np.r_[True, arranged[1:] != arranged[:-1]])
    ends = np.r_[starts[1:], len(values)]
    found = np.empty(len(values))
    found[order] = np.repeat((starts + ends + 1) / 2, ends - starts)
    return found


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

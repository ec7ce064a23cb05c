"""Statistics of the same examples under many weightings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

WEIGHTS_AT_ONCE = 1 << 18  # weights whose sums take memory at the same time


def in_batches(
    statistic: Callable[[NDArray[Any]], NDArray[np.float64]], n: int
) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
    """Work on so few rows of weights (B, n) at a time that they take little memory.

    Without examples the statistic is undefined, NaN.
    """
    batch = max(1, WEIGHTS_AT_ONCE // max(n, 1))

    def whole(weights: NDArray[Any]) -> NDArray[np.float64]:
        if n == 0 or len(weights) == 0:
            return undefined(weights)
        starts = range(0, len(weights), batch)
        return np.concatenate([statistic(weights[start : start + batch]) for start in starts])

    return whole


def undefined(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return NaN for each row of weights."""
    return np.full(len(weights), np.nan)

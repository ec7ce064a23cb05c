"""The lowest of the cost lines of thresholds: the area under their envelope (Zhou 2021, 2.3.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

AT_ONCE = 1 << 16  # numbers of a block of rows, which stay in the cache
ROWS_AT_ONCE = 256  # rows lie 2 apart, and so keep the slopes of their steps to 1e-13


def areas_of_lowest_costs(positives: NDArray[Any], negatives: NDArray[Any]) -> NDArray[np.float64]:
    """Return the area for each row of weights at each distinct score, rising (B, s): (B,).

    NaN where a class has no example.
    """
    found = np.full(len(positives), np.nan)
    both = (positives.sum(axis=1) > 0) & (negatives.sum(axis=1) > 0)
    rows = np.flatnonzero(both)
    size = max(1, min(ROWS_AT_ONCE, AT_ONCE // max(positives.shape[1], 1)))
    for start in range(0, len(rows), size):
        some = rows[start : start + size]
        found[some] = _areas(positives[some], negatives[some])
    return found


def _areas(positives: NDArray[Any], negatives: NDArray[Any]) -> NDArray[np.float64]:
    """Return the areas of rows in which both classes have examples.

    The lowest lines belong to the corners of the convex hull of the ROC curve. A side of the hull
    on which the rates rise by dt and df ends where its two lines have the same cost, at
    df / (dt + df), and the integral between these places is 1/2 less half of the sum of
    df^2 / (dt + df) over the sides. Steps are pooled into sides until the share of negatives
    rises, as isotonic regression pools them: all rows in one call, each above the one before it.
    """
    rises = (positives / positives.sum(axis=1, keepdims=True))[:, ::-1]
    runs = (negatives / negatives.sum(axis=1, keepdims=True))[:, ::-1]
    steps = rises + runs
    row, place = np.nonzero(steps)
    run, step = runs[row, place], steps[row, place]
    sides = scipy.optimize.isotonic_regression(run / step + 2.0 * row, weights=step).blocks[:-1]
    across, along = np.add.reduceat(run, sides), np.add.reduceat(step, sides)
    removed = np.bincount(row[sides], across**2 / along, minlength=len(rises))
    return np.asarray((1 - removed) / 2)

"""Statistics of the same examples under many weightings: sums of them are one product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray


def undefined(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return NaN for each row of weights."""
    return np.full(len(weights), np.nan)


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where the denominator is 0."""
    values = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=values, where=denominator != 0)
    return values


def summing(
    places: NDArray[np.integer], count: int, weights: NDArray[np.float64] | None = None
) -> Any:
    """Return the sparse matrix (count, n) that adds up examples at the same place.

    `places` (n,) are from 0 to `count` - 1, or -1 for an example that is added nowhere.
    """
    rows = np.flatnonzero(places >= 0)
    values = np.ones(len(rows)) if weights is None else weights[rows]
    return scipy.sparse.csr_array((values, (places[rows], rows)), shape=(count, len(places)))


Sides = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""Weights of positives and of negatives, by score."""


def weights_by_score(
    positive: NDArray[np.bool_],
    scores: NDArray[np.float64],
    own: NDArray[np.float64] | None = None,
    at: NDArray[np.float64] | None = None,
) -> Callable[[NDArray[Any]], Sides]:
    """Return what adds up weights (B, n) of both classes at each distinct score, rising (s, B).

    `own` weights of the examples (n,) multiply them; with some scores `at` (s,), rising, each
    example counts at the next one that is not above its own. Scores are sorted once.
    """
    at = np.unique(scores) if at is None else at
    places = at.searchsorted(scores, "right") - 1
    both = [summing(np.where(side, places, -1), len(at), own) for side in (positive, ~positive)]

    def sides(weights: NDArray[Any]) -> Sides:
        drawn = weights.T
        return both[0] @ drawn, both[1] @ drawn

    return sides


def areas_by_score(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the area under the ROC curve from weights at each score, rising (s, B): (B,)."""
    pairs = positives.sum(axis=0) * negatives.sum(axis=0)
    below = np.cumsum(negatives, axis=0) - negatives / 2
    return ratio(np.einsum("sb,sb->b", positives, below), pairs)


def precisions_by_score(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the average precision from weights at each score, rising (s, B): (B,)."""
    gained = positives[::-1]
    found, named = np.cumsum(gained, axis=0), np.cumsum(negatives[::-1], axis=0)
    named += found
    # Above the first example that is drawn nothing is gained
    np.divide(found, np.maximum(named, np.finfo(float).tiny, out=named), out=named)
    return ratio(np.einsum("sb,sb->b", gained, named), positives.sum(axis=0))

"""Samples of metrics of many classes: only the cells that occur are drawn and summed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evallang.stats.class_sums import LabelledPairs, Margins, OccurringCells
from evallang.stats.intervals.resampled_counts import Limits, PatternSample

OfMargins = Callable[[Margins], "NDArray[np.float64]"]


def sample_of_cells(
    matrix: NDArray[np.int64], function: OfMargins, limits: Limits = (None, None)
) -> PatternSample:
    """Return the sample of a metric of one matrix (k, k) or (k, k + 1), by its margins."""
    truth, predicted = np.nonzero(matrix)
    cells = OccurringCells(truth, predicted, len(matrix))
    return PatternSample(
        matrix[truth, predicted], lambda counts: function(cells.margins(counts)), limits
    )


def sample_of_pairs(
    pairs: LabelledPairs, function: OfMargins, limits: Limits = (None, None)
) -> PatternSample:
    """Return the sample of the difference of a metric of two models, first minus second."""
    first = OccurringCells(pairs.truth, pairs.first, pairs.k)
    second = OccurringCells(pairs.truth, pairs.second, pairs.k)

    def difference(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return function(first.margins(counts)) - function(second.margins(counts))

    return PatternSample(pairs.times, difference, limits)

"""The shares of each row of a table of predictions, with bounds."""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.results.shown import Number
from evallang.stats.draws import Resamples
from evallang.stats.intervals.proportions import wilson
from evallang.stats.score_counts import ratio, summing
from evallang.stats.score_curves import Predicted

WILSON, DRAWN = "Wilson", "percentile bootstrap"
ROUNDS = 1000


class CellShare(Struct, frozen=True):
    """The weight of a cell, and its share of the row; None where the row is empty."""

    count: float
    share: Number
    low: Number
    high: Number


class SharesOfRows:
    """The shares of each row of a table of predictions.

    Intervals are Wilson's for independent predictions of the same weight. Otherwise they are
    percentiles of a bootstrap of the units, and None where no round differs.

    Parameters
    ----------
    row, column : place of each prediction (n,)
    rows, columns : size of the table

    Attributes
    ----------
    method : the title of the method of the intervals
    """

    def __init__(
        self,
        predicted: Predicted,
        row: NDArray[np.int64],
        column: NDArray[np.int64],
        rows: int,
        columns: int,
    ) -> None:
        self._level, self._columns = predicted.level, columns
        self._cell = row * columns + column
        self._shape = rows, columns
        self.counts = np.bincount(self._cell, predicted.shares, minlength=rows * columns).reshape(
            self._shape
        )
        independent = predicted.units is None and predicted.weights is None
        self.method = WILSON if independent else DRAWN
        self._bounds = None if independent else self._drawn(predicted)

    def cell(self, row: int, column: int) -> CellShare:
        """Return one cell with the interval of its share."""
        count, total = float(self.counts[row, column]), float(self.counts[row].sum())
        if total <= 0:
            return CellShare(count, None, None, None)
        if self._bounds is None:
            found = wilson(int(count), int(total), self._level)
            return CellShare(count, count / total, found.low, found.high)
        low, high = (float(bound[row, column]) for bound in self._bounds)
        if np.isnan(low) or high - low <= 0:
            return CellShare(count, count / total, None, None)
        return CellShare(count, count / total, low, high)

    def _drawn(self, given: Predicted) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        codes = np.arange(given.n) if given.units is None else given.units
        names, unit = np.unique(codes, return_inverse=True)
        size = self._shape[0] * self._shape[1]
        sums = summing(self._cell, size, given.shares) @ summing(unit.reshape(-1), len(names)).T
        made = []
        units = Resamples(np.ones(len(names)))
        for block in units.blocks(np.random.default_rng(given.seed), ROUNDS):
            tables = (sums @ block.numbers).T.reshape(-1, *self._shape)
            made.append(ratio(tables, np.broadcast_to(tables.sum(2, keepdims=True), tables.shape)))
        tail = (1 - self._level) / 2
        rounds = np.concatenate(made)
        low, high = np.full((2, *self._shape), np.nan)
        known = ~np.isnan(rounds).all(axis=0)  # a row without predictions has no shares
        low[known], high[known] = np.nanquantile(rounds[:, known], [tail, 1 - tail], axis=0)
        return low, high

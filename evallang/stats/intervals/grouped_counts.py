"""Metrics of counts on resamples of whole groups: the counts of the groups drawn add up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.stats.column_sums import Column
from evallang.stats.intervals.resampled_counts import BATCH, Limits
from evallang.stats.intervals.resampling import Block, WeightSample
from evallang.stats.validation import labels

MOST_GROUP_COUNTS = 1 << 24  # counts of all cells in all groups, as numbers of 8 bytes
MOST_CELLS_SUMMED = 16  # else sums of all resamples of a batch take more memory than one product


class GroupedCounts:
    """How many examples of each group fall into each cell of a table, for any metric of it.

    Parameters
    ----------
    cells : cell of each example in the table, which is laid out as one row (n,)
    shape : of the table
    groups : codes (n,) of groups that are drawn as a whole

    Attributes
    ----------
    codes : groups as 0, 1, ... (n,)
    """

    def __init__(self, cells: NDArray[np.int64], shape: tuple[int, ...], groups: ArrayLike) -> None:
        # In the narrowest type: the cells of all models of a large file take much memory
        self.cells = cells.astype(np.min_scalar_type(math.prod(shape)), copy=False)
        self.shape = shape
        self.codes = labels(groups, len(cells), "group")
        self.occurring = np.flatnonzero(np.bincount(cells, minlength=math.prod(shape)))

    @cached_property
    def of_groups(self) -> NDArray[np.float64] | None:
        """The counts of the cells that occur (cells, groups); None where these are too many."""
        groups = int(self.codes.max(initial=-1)) + 1
        if groups * len(self.occurring) > MOST_GROUP_COUNTS:
            return None
        place = np.zeros(math.prod(self.shape), dtype=np.intp)
        place[self.occurring] = np.arange(len(self.occurring))
        counts = np.bincount(
            place[self.cells] * groups + self.codes, minlength=len(self.occurring) * groups
        )
        return counts.reshape(len(self.occurring), groups).astype(np.float64)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What is added up over the groups drawn, of few cells: see `of_sums`."""
        counts = self.of_groups
        if counts is None or len(self.occurring) > MOST_CELLS_SUMMED:
            return ()
        return tuple(
            Column(counts[first : last + 1].sum(axis=0) if place == last else counts[place])
            for first, last in self._rows
            for place in range(first, last + 1)
        )

    def of_sums(self, sums: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the counts of the cells that occur from the sums of the columns (cells, B).

        The last column of a row of the table is that of all its cells, which all models of the
        same examples have in common.
        """
        counts = np.array(sums)
        for first, last in self._rows:
            counts[last] -= counts[first:last].sum(axis=0)
        return counts

    @cached_property
    def _rows(self) -> list[tuple[int, int]]:
        """The first and the last of the occurring cells of each row of the table."""
        row = self.occurring // self.shape[-1]
        first = np.flatnonzero(np.diff(row, prepend=-1))
        return list(zip(first.tolist(), [*(first[1:] - 1).tolist(), len(row) - 1], strict=True))


class GroupedCountSample(WeightSample):
    """A metric of counts whose resamples hold whole groups.

    Parameters
    ----------
    counts : of the groups
    metric : from tables (B, *shape) as float64 to values (B,), NaN where undefined
    limits : range of the metric
    """

    def __init__(
        self,
        counts: GroupedCounts,
        metric: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        limits: Limits = (None, None),
    ) -> None:
        self._counts, self._metric = counts, metric
        super().__init__(len(counts.cells), self._weighted, counts.codes, limits, compiled=True)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Omit one group at a time, in closed form unless its counts are too many."""
        counts = self._counts.of_groups
        if counts is None:
            return super().jackknife()
        rest = counts.sum(axis=1, keepdims=True) - counts
        batch = max(1, BATCH // math.prod(self._counts.shape))
        starts = range(0, self._units, batch)
        parts = [self._on_counts(rest[:, start : start + batch]) for start in starts]
        return np.concatenate(parts), np.ones(self._units)

    @property
    def columns(self) -> tuple[Column, ...]:
        """How many examples of each group fall into each cell, of few cells."""
        return self._counts.columns

    def _on(self, block: Block) -> NDArray[np.float64]:
        if block.sums:
            sums = [block.sums[column.key] for column in self.columns]
            return self._on_counts(self._counts.of_sums(sums))
        counts = self._counts.of_groups
        if counts is None:
            return self._weighted(block.counts)
        # Sums of whole numbers are exact in any order, so that BLAS may choose its own
        return self._on_counts(counts @ block.times.T.astype(np.float64))

    def _on_counts(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the metric of the counts of each occurring cell (cells, B)."""
        # One row for each cell: each step of the metric is one pass over all tables
        tables = np.zeros((math.prod(self._counts.shape), counts.shape[1]))
        tables[self._counts.occurring] = counts
        return self._metric(np.moveaxis(tables.reshape(*self._counts.shape, -1), -1, 0))

    def _weighted(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        cells, size = self._counts.cells, math.prod(self._counts.shape)
        tables = np.stack([np.bincount(cells, row, minlength=size) for row in weights])
        return self._metric(tables.astype(np.float64).reshape(-1, *self._counts.shape))

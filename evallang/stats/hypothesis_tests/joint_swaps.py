"""Differences of several pairs of models when the same examples are swapped for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.activity import report_share
from evallang.stats.hypothesis_tests.swapped_outputs import OutputSwapper
from evallang.stats.hypothesis_tests.swapping import RandomSigns, SignSwapper
from evallang.stats.validation import labels


class CountSwaps:
    """The difference of a metric of counts, with the examples in their order.

    Parameters
    ----------
    truth, first, second : codes (n,) of the true class and of both predictions
    k : the number of codes
    function : from counts (..., k, k) to values (...), NaN where undefined
    groups : codes (n,) of groups that are swapped as a whole, or None
    """

    def __init__(
        self,
        truth: NDArray[np.int64],
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        k: int,
        function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        groups: ArrayLike | None = None,
    ) -> None:
        self._cells = truth * k + first, truth * k + second
        self._k, self._function = k, function
        n = len(truth)
        self._codes = np.arange(n) if groups is None else labels(groups, n, "group")

    @cached_property
    def units(self) -> int:
        """How many examples or groups there are."""
        return int(self._codes.max(initial=-1)) + 1

    def under(self, kept: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return differences: each unit moves its counts from one model's table to the other's."""
        k = self._k
        moved, occurring, totals = self._moved
        turned = kept.astype(np.float64) @ moved
        tables = np.zeros((2, len(kept), k * k))
        tables += totals[::-1, None]
        tables[0][:, occurring] += turned
        tables[1][:, occurring] -= turned
        first, second = tables.reshape(2, len(kept), k, k)
        return np.asarray(self._function(first) - self._function(second))

    @cached_property
    def _moved(self) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]:
        """What each unit adds to the first table if it is kept (units, cells), and both tables."""
        size = self._k**2
        totals = np.stack([np.bincount(cells, minlength=size) for cells in self._cells])
        differ = self._cells[0] != self._cells[1]
        codes = self._codes[differ]
        ours, theirs = (cells[differ] for cells in self._cells)
        occurring = np.unique(np.concatenate([ours, theirs]))
        moved = np.zeros((self.units, len(occurring)))
        np.add.at(moved, (codes, np.searchsorted(occurring, ours)), 1.0)
        np.add.at(moved, (codes, np.searchsorted(occurring, theirs)), -1.0)
        return moved, occurring, totals.astype(np.float64)


def joint_swaps(
    swappers: Sequence[SignSwapper | OutputSwapper | CountSwaps],
    rng: np.random.Generator,
    rounds: int,
) -> NDArray[np.float64]:
    """Return the differences of some pairs after the same random swaps (rounds, pairs).

    Of each pair by itself they have the distribution of its own swaps. Raises `ValueError` where
    the pairs are not of the same examples or groups.
    """
    units = {swapper.units for swapper in swappers}
    if len(units) != 1:
        raise ValueError("the pairs are not of the same examples")
    signs = RandomSigns(rng, units.pop(), rounds)
    values = np.empty((rounds, len(swappers)))
    for start in signs.starts:
        kept = signs.block(start)
        for column, swapper in enumerate(swappers):
            values[start : start + len(kept), column] = swapper.under(kept)
        report_share(start + len(kept), rounds)
    return values

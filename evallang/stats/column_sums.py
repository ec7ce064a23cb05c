"""Sums of columns of numbers over units that count some number of times each, many at once."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from evallang.registry import lazy
from evallang.stats.scratch import Scratch

if TYPE_CHECKING:
    import numpy as np
    import threadpoolctl
    from numpy.typing import NDArray
else:
    np, threadpoolctl = lazy("numpy"), lazy("threadpoolctl")

SUMMED_AT_ONCE = 1 << 16  # counts of a block that are numbers at the same time
TOGETHER = 8  # columns of one product
MOST_KEPT = 1 << 24  # numbers of columns side by side
_SCRATCH = Scratch()


def one_order() -> AbstractContextManager[Any]:
    """Make products add up in the order of one thread, whatever the number of processors."""
    limits: AbstractContextManager[Any] = threadpoolctl.threadpool_limits(1, user_api="blas")
    return limits


class Column:
    """Numbers of the units (units,) that resamples add up; equal columns are added up once."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values: NDArray[np.float64] = np.ascontiguousarray(values, dtype=np.float64)
        self.key = sha256(self.values.tobytes()).digest()


class Columns:
    """The distinct columns of some statistics, in sets of `TOGETHER`.

    Products always have as many columns, if need be of zeros, so that the bits of a sum do not
    depend on which others are asked for.
    """

    def __init__(self, columns: Iterable[Column], units: int) -> None:
        self._values = {column.key: column.values for column in columns}
        self._units = units

    def sums(self, times: NDArray[np.uint8]) -> dict[bytes, NDArray[np.float64]]:
        """Add up each column over units that came `times` (B, units) times, (B,) each."""
        totals = np.zeros((len(self._sets), len(times), TOGETHER))
        width = max(1, SUMMED_AT_ONCE // max(len(times), 1))
        for start in range(0, self._units if len(totals) else 0, width):
            part = times[:, start : start + width]
            numbers = _SCRATCH.array("numbers", part.shape, np.float64)
            np.copyto(numbers, part)
            for total, chosen in zip(totals, self._sets, strict=True):
                total += numbers @ self._part(chosen, start, start + part.shape[1]).T
        each = totals.transpose(0, 2, 1).reshape(-1, len(times))
        return dict(zip(self._values, each, strict=False))

    @cached_property
    def _sets(self) -> list[list[NDArray[np.float64]] | NDArray[np.float64]]:
        """The columns of each product, side by side where there is room for them."""
        columns = list(self._values.values())
        sets = [columns[i : i + TOGETHER] for i in range(0, len(columns), TOGETHER)]
        if len(sets) * TOGETHER * self._units > MOST_KEPT:
            return list(sets)
        return [_side_by_side(chosen, np.empty((TOGETHER, self._units))) for chosen in sets]

    def _part(
        self, chosen: list[NDArray[np.float64]] | NDArray[np.float64], start: int, end: int
    ) -> NDArray[np.float64]:
        if not isinstance(chosen, list):
            return chosen[:, start:end]
        room = _SCRATCH.array("columns", (TOGETHER, end - start), np.float64)
        return _side_by_side([values[start:end] for values in chosen], room)


def _side_by_side(
    columns: list[NDArray[np.float64]], room: NDArray[np.float64]
) -> NDArray[np.float64]:
    for row, values in zip(room, columns, strict=False):
        row[:] = values
    room[len(columns) :] = 0.0
    return room

"""Sums of columns of numbers over units that count some number of times each, many at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from evallang.stats.scratch import Scratch
from evallang.stats.threads import numeric_libraries

SUMMED_AT_ONCE = 1 << 16  # counts of a block that are numbers at the same time
ROWS_AT_ONCE = 64  # of counts, in a product of such a block
BITS = 8  # units that one byte counts where each comes once or not at all
TOGETHER = 4  # columns of one product of numbers that are not whole
MOST_KEPT = 1 << 24  # numbers of columns side by side
EXACT = 1 << 24  # whole numbers up to here are exact in float32, and so are their sums
_SCRATCH = Scratch()


def one_order() -> AbstractContextManager[Any]:
    """Make products add up in the order of one thread, whatever the number of processors."""
    limits: AbstractContextManager[Any] = numeric_libraries().limit(limits=1, user_api="blas")
    return limits


class Column:
    """Numbers of the units (units,) that resamples add up; equal columns are added up once."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values: NDArray[np.float64] = np.ascontiguousarray(values, dtype=np.float64)
        self.key = hashlib.sha256(self.values).digest()  # type: ignore[arg-type]  # a buffer


def ones(units: int) -> Column:
    """Return the column that counts units, one for all who hold it, with a single 1 in memory."""
    held = _ONES.get(units) or Column(np.ones(units))
    held.values = np.broadcast_to(1.0, units)
    _ONES[units] = held
    return held


_ONES: WeakValueDictionary[int, Column] = WeakValueDictionary()


class Columns:
    """The distinct columns of some statistics, in sets of which each is one product.

    Whole numbers of small sums are one set, since their sums are exact in any order. Products of
    others always have `TOGETHER` columns, if need be of zeros, so that the bits of a sum do not
    depend on which others are asked for.

    Parameters
    ----------
    columns : numbers of the units
    units : how many there are; in a row of counts they come as many times at most
    drawn : number of draws in every row of counts, from which the sum of a column of one whole
        number is known; None where rows differ
    """

    def __init__(self, columns: Iterable[Column], units: int, drawn: int | None = None) -> None:
        values = {column.key: column.values for column in columns}
        self._known = {
            key: float(numbers[0]) * drawn
            for key, numbers in values.items()
            if drawn is not None and len(numbers)
            if _has_exact_sums(numbers) and np.ptp(numbers) == 0
        }
        values = {key: values[key] for key in values if key not in self._known}
        whole = [key for key, numbers in values.items() if _has_exact_sums(numbers)]
        others = [key for key in values if key not in whole]
        self._keys, self._units = [*whole, *others], units
        self._sets = [_Set([values[key] for key in whole], np.float32, len(whole))] if whole else []
        for first in range(0, len(others), TOGETHER):
            some = [values[key] for key in others[first : first + TOGETHER]]
            self._sets.append(_Set(some, np.float64, TOGETHER))
        if sum(one.width for one in self._sets) * units <= MOST_KEPT:
            for one in self._sets:
                one.keep()

    def sums(
        self, times: NDArray[np.uint8], *, bits: bool = False
    ) -> dict[bytes, NDArray[np.float64]]:
        """Add up each column over units that came `times` (B, units) times, (B,) each.

        With `bits`, a byte of a row holds eight units, a bit for each: whether it came.
        """
        totals = [np.zeros((len(times), one.width)) for one in self._sets]
        products = max(1, -(-len(times) // ROWS_AT_ONCE))
        rows = max(1, -(-len(times) // products))  # of about as many each
        width = SUMMED_AT_ONCE // rows // BITS * BITS
        dtypes = {one.dtype for one in self._sets}
        for start in range(0, self._units if totals else 0, width):
            end = min(start + width, self._units)
            columns = [one.part(start, end) for one in self._sets]
            for first in range(0, len(times), rows):
                here = slice(first, first + rows)
                part = _bits(times[here], start, end) if bits else times[here, start:end]
                numbers = {dtype: _as_numbers(part, dtype) for dtype in dtypes}
                for total, chosen in zip(totals, columns, strict=True):
                    total[here] += numbers[chosen.dtype] @ chosen.T
        each = [total.T[: one.filled] for one, total in zip(self._sets, totals, strict=True)]
        found = dict(zip(self._keys, np.concatenate(each), strict=True)) if each else {}
        return found | {key: np.full(len(times), sum_) for key, sum_ in self._known.items()}


class _Set:
    """Columns of one type side by side, with zeros up to the width.

    Parameters
    ----------
    columns : numbers of the units
    dtype : of the product
    width : columns of the product

    Attributes
    ----------
    filled : how many columns there are without those of zeros
    """

    def __init__(self, columns: list[NDArray[np.float64]], dtype: type, width: int) -> None:
        self._columns, self.dtype, self.width = columns, np.dtype(dtype), width
        self.filled = len(columns)
        self._kept: NDArray[Any] | None = None
        self._scratch = Scratch()

    def keep(self) -> None:
        """Keep the columns side by side in memory."""
        self._kept = self._write(0, np.empty((self.width, len(self._columns[0])), self.dtype))

    def part(self, start: int, end: int) -> NDArray[Any]:
        """Return the numbers of some units (width, end - start)."""
        if self._kept is not None:
            return self._kept[:, start:end]
        return self._write(
            start, self._scratch.array("part", (self.width, end - start), self.dtype)
        )

    def _write(self, start: int, room: NDArray[Any]) -> NDArray[Any]:
        for row, values in zip(room, self._columns, strict=False):
            row[:] = values[start : start + room.shape[1]]
        room[self.filled :] = 0.0
        return room


def _has_exact_sums(numbers: NDArray[np.float64]) -> bool:
    """Return whether numbers are whole, and sums of as many of them exact in float32."""
    largest = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
    if not largest * len(numbers) < EXACT:
        return False
    parts = (numbers[i : i + SUMMED_AT_ONCE] for i in range(0, len(numbers), SUMMED_AT_ONCE))
    return all((part == np.rint(part)).all() for part in parts)


def _bits(packed: NDArray[np.uint8], start: int, end: int) -> NDArray[np.uint8]:
    """Return the bits of some units, of which the first begins a byte, as bytes."""
    return np.unpackbits(packed[:, start // BITS : -(-end // BITS)], axis=1, count=end - start)


def _as_numbers(times: NDArray[np.uint8], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return counts as numbers of a type, in room that is used again."""
    numbers = _SCRATCH.array(dtype.char, times.shape, dtype)
    np.copyto(numbers, times)
    return numbers
